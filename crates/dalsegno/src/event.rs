//! Events: what a run tells while it goes on, in order. Text, JSON and contest lines are made from them.

use dalsegno_kripke::{DeadEnds, Model, Stop};

use crate::answer::Answer;
use crate::asked::{About, Asked};
use crate::fair::Fair;
use crate::method::Tool;
use crate::question::AutomatonFile;

/// Something that happened in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A coloured net is being unfolded.
    Unfolding {
        /// Places so far.
        places: u64,
        /// Transitions so far.
        transitions: u64,
    },
    /// A coloured net cannot be unfolded within the limits; why.
    NotUnfolded(&'a crate::source::LoadError),
    /// A method starts to work on these questions, by their numbers.
    Begins(Tool, &'a [usize]),
    /// A method works.
    Progress {
        /// States seen.
        states: u64,
        /// Transitions seen.
        transitions: u64,
    },
    /// A method ends its turn; how many of them are still open, and why it stopped, if it may go on.
    Ends(Tool, usize, Option<Stop>),
    /// A question is answered, once and for all.
    Answer(&'a Answered<'a>),
    /// What should never happen: an answer whose certificate was refuted and which is not given.
    Defect {
        /// The name of the question.
        name: &'a str,
        /// The method.
        by: Tool,
        /// What is wrong.
        error: &'a str,
    },
}

/// A question with its answer.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// Its number among those asked.
    pub number: usize,
    /// The name, if it has one.
    pub name: &'a str,
    /// The text of the formula, if it is one.
    pub formula: &'a str,
    /// "ltl", "automaton", "ctl", "ctl*", "reachability", "bound", "global" or "survey", if that is known.
    pub logic: Option<&'static str>,
    /// What dead ends do, if that matters.
    pub dead_ends: Option<DeadEnds>,
    /// Which runs count, if not all of them do.
    pub fairness: &'a [Fair],
    /// The automaton that is asked about, if one is, and whether all runs should be accepted.
    pub automaton: Option<(&'a AutomatonFile, bool)>,
    /// Whether a formula of LTL asks for the existence of a path.
    pub existential: bool,
    /// The answer.
    pub answer: &'a Answer,
    /// The model that evidence speaks of, once there is one.
    pub model: Option<&'a Model>,
}

impl<'a> Answered<'a> {
    /// An answer that came before the model was there.
    #[must_use]
    pub fn without_model(number: usize, asked: &'a Asked, answer: &'a Answer) -> Self {
        let (formula, logic) = match &asked.about {
            About::Formula(logic, text) => (text.as_str(), Some(logic.name())),
            About::Global(_) => ("", Some("global")),
            About::Automaton(..) => ("", Some("automaton")),
            About::Survey | About::Property(..) => ("", None),
        };
        let automaton = match &asked.about {
            About::Automaton(file, all_runs) => Some((&**file, *all_runs)),
            _ => None,
        };
        Answered {
            number,
            automaton,
            name: &asked.name,
            formula,
            logic,
            dead_ends: None,
            fairness: &asked.fairness,
            existential: false,
            answer,
            model: None,
        }
    }

    /// What to call the question in a line of text.
    #[must_use]
    pub fn title(&self) -> String {
        match (self.name.is_empty(), self.formula.is_empty()) {
            (true, _) => self.formula.to_owned(),
            (false, true) => self.name.to_owned(),
            (false, false) => format!("{} = {}", self.name, self.formula),
        }
    }
}
