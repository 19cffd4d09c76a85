//! Methods: one file each. A method works on open questions of a board until its slice ends, keeps its state,
//! and goes on in its next turn: nothing that was explored is explored again for the next question or turn.

mod automaton;
mod breadth_first;
mod coverability;
mod crew;
mod diagrams;
mod evaluate;
mod explicit_search;
mod flood;
mod goal_search;
mod local_ctl;
mod skeleton;
mod state_equation;
mod undecided;
mod walks;
mod widening;

#[cfg(test)]
mod tests;

use std::fmt;

use dalsegno_kripke::Stop;

use crate::board::Board;
use crate::question::Question;
use crate::settings::Engine;
use crate::slice::Slice;

pub(crate) use automaton::{Automata, Halt, Negation, Wanted, meanings, negation_over_letters};
pub use crew::Hosts;
pub(crate) use diagrams::Building;
pub use diagrams::{build, orders};
pub(crate) use skeleton::{Skeleton, constant_atoms};

/// A way to answer questions.
pub trait Method: Send {
    /// Which one it is.
    fn tool(&self) -> Tool;

    /// Whether it may answer a question.
    fn suits(&self, board: &Board<'_>, question: &Question) -> bool;

    /// Works on open questions that suit it until they are answered or the slice ends.
    ///
    /// # Errors
    /// Why it stopped, if it may go on with a larger slice.
    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop>;

    /// The bytes that it holds between its turns.
    fn bytes(&self) -> u64;

    /// Whether it has all reachable states as one set, so that formulas are all that is left to be evaluated.
    fn has_all_states(&self) -> bool {
        false
    }

    /// Gives up what it holds: others need the memory, or the store of states is gone.
    fn release(&mut self);
}

/// The methods.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tool {
    /// The skeleton of a coloured net: numbers of tokens, whatever their colours.
    Skeleton,
    /// The structure of a net, before any state is looked at.
    Structure,
    /// Breadth-first search for goals, values and the number of states.
    BreadthFirst,
    /// The coverability graph.
    Coverability,
    /// Walks.
    Walks,
    /// The state equation.
    StateEquation,
    /// Search for one goal by stubborn sets.
    GoalSearch,
    /// Depth-first search in the product with an automaton.
    Search,
    /// Floods among workers: exploration, and products by OWCTY.
    Flood,
    /// Three-valued evaluation of CTL on a growing part of the state graph.
    LocalCtl,
    /// Decision diagrams.
    Diagrams,
}

impl Tool {
    /// The name, as outputs spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Skeleton => "skeleton",
            Tool::Structure => "structure",
            Tool::BreadthFirst => "breadth-first search",
            Tool::Coverability => "coverability graph",
            Tool::Walks => "walks",
            Tool::StateEquation => "state equation",
            Tool::GoalSearch => "stubborn sets",
            Tool::Search => "explicit search",
            Tool::Flood => "flood",
            Tool::LocalCtl => "local CTL",
            Tool::Diagrams => "decision diagrams",
        }
    }

    /// The engine that it belongs to.
    #[must_use]
    pub fn engine(self) -> Engine {
        match self {
            Tool::Diagrams => Engine::Symbolic,
            _ => Engine::Explicit,
        }
    }

    /// The name of the technique, as the contest spells it.
    #[must_use]
    pub fn technique(self) -> &'static str {
        match self {
            Tool::Skeleton => "EXPLICIT OVER_APPROXIMATION",
            Tool::Structure => "TOPOLOGICAL",
            Tool::BreadthFirst
            | Tool::Coverability
            | Tool::Search
            | Tool::Flood
            | Tool::LocalCtl => "EXPLICIT",
            Tool::GoalSearch => "EXPLICIT STUBBORN_SETS",
            Tool::Walks => "RANDOM_WALK",
            Tool::StateEquation => "STATE_EQUATION",
            Tool::Diagrams => "DECISION_DIAGRAMS",
        }
    }

    /// Whether an engine that was asked for has it. Proofs belong to both.
    #[must_use]
    pub fn is_of(self, engine: Engine) -> bool {
        match engine {
            Engine::Auto => true,
            Engine::Explicit => self != Tool::Diagrams,
            Engine::Symbolic => {
                matches!(self, Tool::Diagrams | Tool::StateEquation | Tool::Skeleton)
            }
        }
    }

    /// Whether it extends the store of states.
    pub(crate) fn uses_store(self) -> bool {
        matches!(self, Tool::BreadthFirst | Tool::Search | Tool::LocalCtl)
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All methods of a run.
pub(crate) fn all() -> Vec<Box<dyn Method>> {
    vec![
        Box::new(Skeleton),
        Box::new(breadth_first::BreadthFirstSearch::default()),
        Box::new(coverability::CoverabilityGraph),
        Box::new(walks::Walks::default()),
        Box::new(state_equation::Proofs::default()),
        Box::new(explicit_search::ExplicitSearch::default()),
        Box::new(goal_search::GoalSearches::default()),
        Box::new(flood::Floods),
        Box::new(local_ctl::LocalCtl::default()),
        Box::new(diagrams::Diagrams::default()),
    ]
}
