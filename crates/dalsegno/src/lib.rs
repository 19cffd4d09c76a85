//! Model checking LTL, CTL and CTL* with testing automata: the facade of dalsegno.
//!
//! Each step from text to answer is a public function from one public type to the next. For formulas
//! and automata: [`logic::parse()`] reads a formula, [`translate()`] makes its automaton, and
//! [`Translation::write`] prints it. [`read_hoa`] reads automata of other tools, and a [`Drawing`] makes
//! random formulas.
//!
//! ```
//! use dalsegno::{Options, kind::Kind, translate};
//! use dalsegno::{kripke::Budget, logic::{FormulaStore, parse}};
//!
//! let mut store = FormulaStore::new();
//! let f = parse(&mut store, "a U G b").unwrap();
//! let options = Options { kind: Kind::Tgta, ..Options::default() };
//! let translation = translate(&mut store, f, &options, &Budget::unlimited()).unwrap();
//! assert!(translation.stutter_invariant);
//! assert_eq!(translation.sizes().states, 3);
//! ```

pub use dalsegno_automata as automata;
pub use dalsegno_certify as certify;
pub use dalsegno_explicit as explicit;
pub use dalsegno_kripke as kripke;
pub use dalsegno_logic as logic;
pub use dalsegno_models as models;
pub use dalsegno_symbolic as symbolic;

mod branching;
mod branching_report;
mod check;
mod contest;
mod conversion;
pub mod diagrams;
mod drawing;
mod loading;
mod output;
mod proofs;
mod reading;
pub mod report;
mod session;
mod survey;
mod translation;

pub use branching::{
    BranchingError, BranchingOptions, BranchingOutcome, BranchingTask, Explained, Satisfying, Told,
    check_branching,
};
pub use branching_report::BranchingChecked;
pub use check::{CheckError, CheckOptions, Checker, DiagramUse, Outcome, Used, check_ltl};
pub use contest::{ContestError, Request, examine, examine_counted, examine_pnml};
pub use conversion::{ConversionError, to_etf};
pub use dalsegno_automata::observer as kind;
pub use drawing::Drawing;
pub use loading::{LoadError, ModelFormat, unfinished_states, unfolding, unloaded_states};
pub use output::{Format, STATS_HEADER};
pub use reading::{Reading, read_hoa};
pub use session::{PropositionError, Session};
pub use survey::{Ending, Engine, Survey, SurveyOptions, UnknownEngine, survey};
pub use translation::{Error, Options, Propositions, Sizes, Translated, Translation, translate};
