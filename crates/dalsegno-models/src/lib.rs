//! Readers and generators of models.
//!
//! [`petri`] holds Petri nets: PNML files, contest properties, propositions over places and
//! transitions, and families of nets for tests and measurements. [`etf`] holds tables of transitions
//! in `LTSmin`'s format, [`dve`] programs of communicating processes. Everything ends as a [`Model`](dalsegno_kripke::Model).

pub mod dve;
pub mod etf;
mod gzip;
pub mod petri;
mod text_error;
mod watch;
mod xml;

pub use gzip::{UnpackError, unpack};
pub use text_error::TextError;
pub use xml::XmlError;
