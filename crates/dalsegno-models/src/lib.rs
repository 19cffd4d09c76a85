//! Readers and generators of models.
//!
//! [`petri`] holds Petri nets: PNML files, contest properties, propositions over places and
//! transitions, and families of nets for tests and measurements. Everything ends as a
//! [`Model`](dalsegno_kripke::Model).

pub mod petri;
mod xml;

pub use xml::XmlError;
