//! The experiments of the papers on testing automata, run with dalsegno's engines.
//!
//! An [`Experiment`] is data: models, classes of formulas, approaches, a rule that selects formulas, and
//! the paper's claims. One [`runner`] does them all: it draws formulas by seed, measures each approach on
//! each formula in a process of its own, and appends a [`Row`](ledger::Row) per run to a CSV file, so that
//! an interrupted experiment goes on where it stopped. One [`report`](mod@report) makes the papers' tables, the
//! scatter plots and a page of any rows.
//!
//! Clocks, processes and the machine are known to [`child`], [`measure`](mod@measure), its clock, and
//! [`machine`] only; everything else is a function of rows.
//!
//! ```
//! use dalsegno_bench::catalogue;
//!
//! let experiment = catalogue::find("p12").unwrap();
//! let names: Vec<&str> = experiment.approaches.iter().map(|a| a.name).collect();
//! assert_eq!(names, ["TGBA", "TA", "TGTA"]);
//! ```

pub mod abbreviations;
pub mod approach;
pub mod candidates;
pub mod catalogue;
pub mod child;
pub mod claim;
mod clock;
mod error;
pub mod experiment;
pub mod findings;
pub mod formulas;
pub mod given;
pub mod ledger;
pub mod machine;
pub mod measure;
mod number;
pub mod overview;
pub mod page;
mod patterns;
pub mod ratios;
pub mod report;
pub mod reproducer;
pub mod runner;
pub mod scatter;
pub mod screen;
pub mod selection;
pub mod subject;
pub mod summary;
mod svg;
pub mod table;
pub mod task;

pub use error::Error;
pub use experiment::Experiment;
pub use subject::Subject;
