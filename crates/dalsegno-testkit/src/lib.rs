//! What the tests of dalsegno share: lasso words, formulas and nets, and strategies for tests that shrink.
//!
//! Random things come from [`dalsegno_logic::random::Rng`], so a seed names the same case on every
//! platform.

pub mod coloured_nets;
pub mod contest;
pub mod formulas;
pub mod nets;
pub mod strategies;
pub mod words;

pub use coloured_nets::random_coloured_net;
pub use nets::random_net;
