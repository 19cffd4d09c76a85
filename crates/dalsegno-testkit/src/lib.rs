//! What the tests of dalsegno share: lasso words and formulas.
//!
//! Random things come from [`dalsegno_logic::random::Rng`], so a seed names the same case on every
//! platform.

pub mod formulas;
pub mod words;
