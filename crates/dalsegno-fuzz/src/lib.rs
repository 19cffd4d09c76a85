//! A mutation fuzzer in one process: what it feeds is a function of a seed and a number.
//!
//! A [`Target`](campaign::Target) draws inputs and judges what becomes of them; a
//! [`Campaign`](campaign::Campaign) runs a target on many inputs, catches panics, notices inputs that hang, and shrinks what
//! fails. There are four targets:
//!
//! - [`readers`]: damaged texts are read, or refused with a message and a place inside of the text;
//! - [`roundtrip`]: what is read is written, and what was written reads back as the same;
//! - [`explore`]: what is read as a model has as many states for all engines, and the same verdicts;
//! - [`pairs`]: random nets and formulas have the verdict of the definition with all engines and automata.
//!
//! Inputs are bytes in some [`Format`](format::Format), pairs of a net and a formula too, so one shrinker serves all.

pub mod ask;
pub mod campaign;
pub mod explore;
pub mod format;
pub mod mutate;
pub mod pair;
pub mod pairs;
pub mod read;
pub mod readers;
pub mod roundtrip;
pub mod seeds;
pub mod shrink;
pub mod subject;
pub mod verdicts;
