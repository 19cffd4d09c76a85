//! Model checking LTL, CTL and CTL* with testing automata.
//!
//! A [`Source`] is a model as it was given, and can be asked:
//!
//! ```
//! use dalsegno::Source;
//!
//! # use dalsegno::models::petri::{generators::Family, pnml};
//! # let path = std::env::temp_dir().join("dalsegno-example-lib.pnml");
//! # pnml::write(&Family::Philosophers.generate(5)?, std::fs::File::create(&path)?)?;
//! let source = Source::open(path)?; // "philosophers-5.pnml"
//! let answer = source.check("G(Catch1_1 -> F Eat_1)")?;
//! assert_eq!(answer.holds(), Some(false));
//! assert!(answer.run().is_some()); // a stem and a cycle that violate it, replayed
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Several questions at once share what is found out: a [`Run`] takes formulas, files of properties and
//! questions about the whole net, tells answers and progress while it goes on, and ends with its
//! [`Budget`](kripke::Budget), which has limits and can be cancelled.
//!
//! ```text
//! bytes -> Source -> Problem -> passes -> Board <- methods, as the plan says -> Answer -> certified -> report
//! ```
//!
//! A [`Question`] is what can be asked; a [`pass`] makes it simpler; a [`method`] answers it, one of several that a
//! [`plan`] gives their turns; an [`Answer`] has a value, evidence, who gave it and what it took; [`report`] writes
//! it.
//!
//! For formulas and automata alone: [`logic::parse()`] reads a formula, [`translate()`] makes its automaton, and
//! [`Translated::write`] prints it. [`read_hoa`] reads automata of other tools, and a [`Drawing`] makes
//! random formulas. [`Languages`] combines and compares formulas and automata.
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
pub use dalsegno_branching as branching;
pub use dalsegno_certify as certify;
pub use dalsegno_draw as draw;
pub use dalsegno_explicit as explicit;
pub use dalsegno_kripke as kripke;
pub use dalsegno_logic as logic;
pub use dalsegno_models as models;
pub use dalsegno_symbolic as symbolic;
pub use dalsegno_verify as verify;

mod answer;
mod asked;
mod automaton_run;
mod board;
mod certificate;
mod conversion;
mod drawing;
mod driver;
mod error;
mod event;
mod evidence;
mod examination;
mod facts;
mod fair;
mod formula_file;
mod goal;
pub mod info;
mod inner_run;
mod knowledge;
mod language;
mod lifted_explanation;
pub mod method;
mod orbit_run;
mod output;
pub mod pass;
pub mod picture;
pub mod plan;
mod predicate;
mod problem;
pub mod proof;
mod question;
mod quotient_run;
mod reading;
mod reduced_run;
mod relabelling;
pub mod report;
mod run;
mod saved;
pub mod service;
mod settings;
mod shorten;
mod simulation;
mod slice;
mod source;
mod step_run;
mod store;
mod survey;
mod translation;
mod truth;

pub use answer::{
    Answer, Claimed, Cost, Details, DiagramUse, Evidence, Explained, Merging, Part, Reduction,
    Satisfying, Used, Value,
};
pub use asked::{About, Asked, Line, Logic, PropertyFile, Understood};
pub use automaton_run::{Along, AutomatonRun};
pub use board::{Board, Hear};
pub use conversion::{ConversionError, to_etf};
pub use dalsegno_automata::observer as kind;
pub use drawing::Drawing;
pub use error::Error;
pub use event::{Answered, Event};
pub use examination::Examination;
pub use fair::Fair;
pub use knowledge::Knowledge;
pub use language::{Language, LanguageError, Languages};
pub use method::{Hosts, Method, Tool};
pub use output::{Format, STATS_HEADER};
pub use pass::Pass;
pub use problem::{Meanings, Problem};
pub use question::{
    AutomatonFile, AutomatonProperty, Global, Keep, Property, Question, QuestionKind, Reach,
};
pub use reading::{Reading, read_hoa};
pub use relabelling::{Relabelled, relabel};
pub use run::Run;
pub use saved::{ReplayError, Replayed, Saved, WITNESS_SCHEMA, witness_to_json, witnesses_to_json};
pub use settings::{Emptiness, Engine, Reductions, Settings, Strategy, Switch};
pub use simulation::{Choice, HELP as SIMULATION_HELP, Refusal, Simulation, Watched};
pub use slice::Slice;
pub use source::{LoadError, ModelFormat, Source, read, read_from, stem};
pub use survey::{Ending, Survey};
pub use translation::{
    Error as TranslationError, Options, Propositions, Sizes, Translated, translate,
};
pub use truth::{Reason, Subformula, Truth};
