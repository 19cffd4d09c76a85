//! What there is to know of a model without asking it anything: its size, its names, its initial state, and what
//! its structure tells within a short time.
//!
//! Everything cheap comes first: a pass over the arcs. Invariants, siphons and traps, unboundedness and the unfolding of
//! a coloured net have a share of the time each, and what is not found by then is told as not computed. Nothing
//! here is guessed.

mod coloured;
mod net;
mod pattern;
mod program;
mod reductions;
mod text;

use std::time::Duration;

use dalsegno_kripke::Budget;
use dalsegno_models::{dve, etf, petri::pnml, unpack};
use serde::Serialize;

use crate::source::{LoadError, ModelFormat, stem};

pub use coloured::{SortInfo, Unfolding};
pub use net::{
    Bounded, Invariant, Place, Siphon, Structure, Transition, UnitInfo, UnitSafety, Weighted,
};
pub use pattern::Pattern;
pub use program::{LabelInfo, VariableInfo};
pub use reductions::{Applied, Left};

/// What is to be told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only names that match, and invariants, siphons and traps with such a name.
    pub pattern: Option<Pattern>,
    /// The most entries of a list; all if there is none.
    pub most: Option<usize>,
    /// The time for what is not cheap, after the model is read.
    pub time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            pattern: None,
            most: Some(10),
            time: Duration::from_millis(900),
        }
    }
}

/// What kind of model it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// A place/transition net.
    Net,
    /// A coloured net.
    ColouredNet,
    /// A program in DVE.
    Program,
    /// Tables in ETF.
    Tables,
}

/// A list that may be shortened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct List<T> {
    /// How many there are.
    pub total: usize,
    /// How many match the pattern.
    pub matching: usize,
    /// The first of those.
    pub shown: Vec<T>,
}

/// A variable or a place that is not 0 in the initial state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Initial {
    /// Its name.
    pub name: String,
    /// Its value: a number, or its name.
    pub value: String,
}

/// Something that was not computed, or not to its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NotComputed {
    /// What.
    pub what: &'static str,
    /// Why.
    pub why: String,
}

/// What there is to know of a model.
#[derive(Clone, Debug, Serialize)]
pub struct Info {
    /// The name of the schema of this in JSON.
    pub schema: &'static str,
    /// The name of the model.
    pub model: String,
    /// What kind of model it is.
    pub kind: ModelKind,
    /// The pattern of names, if there is one.
    pub pattern: Option<String>,
    /// The number of arcs of a net.
    pub arcs: Option<usize>,
    /// The places of a net.
    pub places: Option<List<Place>>,
    /// The variables of a program or of tables.
    pub variables: Option<List<VariableInfo>>,
    /// The transitions; those of a program and of tables are groups.
    pub transitions: List<Transition>,
    /// The sorts of a coloured net.
    pub sorts: Option<List<SortInfo>>,
    /// The units of a net that has some.
    pub units: Option<List<UnitInfo>>,
    /// The labels of states of tables.
    pub labels: Option<List<LabelInfo>>,
    /// What is not 0 in the initial state.
    pub initial: List<Initial>,
    /// How large the unfolded net of a coloured one is.
    pub unfolding: Option<Unfolding>,
    /// What the structure of a net tells.
    pub structure: Option<Structure>,
    /// What structural reductions leave of a net, for each kind of question.
    pub reductions: Vec<Left>,
    /// Facts that make questions about this model hard.
    pub difficulties: Vec<String>,
    /// What was not computed, or not to its end.
    pub not_computed: Vec<NotComputed>,
}

impl Info {
    /// Reads a model and looks at it; `file_name` tells its format, and what to call it.
    ///
    /// # Errors
    /// If the text is no model in its format, or the budget runs out while it is read.
    ///
    /// # Examples
    /// ```
    /// use dalsegno::{info::{Info, Options}, kripke::Budget};
    ///
    /// let text = b"byte x = 2; process P { state a, b; init a; trans a -> b { effect x = 0; }; } system async;";
    /// let info = Info::of_bytes(text, "m.dve", &Options::default(), &Budget::unlimited())?;
    /// let names: Vec<String> = info.initial.shown.iter().map(|i| format!("{}={}", i.name, i.value)).collect();
    /// assert_eq!(names, ["x=2", "P=a"]);
    /// # Ok::<(), dalsegno::LoadError>(())
    /// ```
    pub fn of_bytes(
        bytes: &[u8],
        file_name: &str,
        options: &Options,
        budget: &Budget,
    ) -> Result<Self, LoadError> {
        let bytes = &*unpack(bytes, budget)?;
        match ModelFormat::of(file_name, bytes)? {
            ModelFormat::Pnml => Ok(match pnml::parse_net_within(bytes, budget)? {
                pnml::Net::Plain(net) => net::info(&net, options, budget),
                pnml::Net::Coloured(net) => coloured::info(&net, options, budget),
            }),
            ModelFormat::Etf => {
                let tables = etf::parse_within(bytes, budget)?;
                let model = tables.to_model_within(stem(file_name), budget)?;
                let labels = tables.labels_within(budget).map_err(LoadError::Stopped)?;
                Ok(program::info(&model, Some(&labels), options))
            }
            ModelFormat::Dve => {
                let model = dve::load_within(bytes, stem(file_name), budget)?;
                Ok(program::info(&model, None, options))
            }
        }
    }

    /// An empty one.
    fn new(model: &str, kind: ModelKind, options: &Options) -> Self {
        Info {
            schema: "dalsegno.info/1",
            model: model.to_owned(),
            kind,
            pattern: options.pattern.as_ref().map(Pattern::to_string),
            arcs: None,
            places: None,
            variables: None,
            transitions: List::empty(),
            sorts: None,
            units: None,
            labels: None,
            initial: List::empty(),
            unfolding: None,
            structure: None,
            reductions: Vec::new(),
            difficulties: Vec::new(),
            not_computed: Vec::new(),
        }
    }

    fn leave(&mut self, what: &'static str, why: impl Into<String>) {
        let why = why.into();
        self.not_computed.push(NotComputed { what, why });
    }
}

impl<T> List<T> {
    fn empty() -> Self {
        List {
            total: 0,
            matching: 0,
            shown: Vec::new(),
        }
    }

    /// The entries that match, as many as are wanted.
    fn of<S>(
        options: &Options,
        all: impl IntoIterator<Item = S>,
        matches: impl Fn(&Pattern, &S) -> bool,
        mut show: impl FnMut(S) -> T,
    ) -> Self {
        let mut list = Self::empty();
        for entry in all {
            list.total += 1;
            let pattern = options.pattern.as_ref();
            if pattern.is_some_and(|pattern| !matches(pattern, &entry)) {
                continue;
            }
            list.matching += 1;
            if options.most.is_none_or(|most| list.shown.len() < most) {
                list.shown.push(show(entry));
            }
        }
        list
    }
}
