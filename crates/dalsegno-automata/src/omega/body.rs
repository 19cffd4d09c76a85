//! The states and edges that a pass makes: an automaton takes them over when they are whole.

use dalsegno_kripke::Stop;
use dalsegno_logic::FormulaId;

use super::automaton::Automaton;
use super::edge::{Edge, insert};
use super::state_id::StateId;
use crate::bdd::{Bdd, Manager};

/// The states and edges that a pass makes, their guards in the manager of the automaton that it improves.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub initial: Vec<StateId>,
    pub edges: Vec<Vec<Edge>>,
    pub acceptance_sets: u32,
    pub state_based: bool,
    pub labels: Vec<Option<FormulaId>>,
}

impl Body {
    /// No states yet, and acceptance on edges.
    pub fn new(acceptance_sets: u32) -> Self {
        Body {
            acceptance_sets,
            ..Body::default()
        }
    }

    /// No states yet, and the acceptance of `automaton`.
    pub fn like(automaton: &Automaton) -> Self {
        Body {
            acceptance_sets: automaton.acceptance_sets,
            state_based: automaton.state_based,
            ..Body::default()
        }
    }

    /// The states and edges of `automaton`, which has none left.
    pub fn of(automaton: &mut Automaton) -> Self {
        Body {
            initial: std::mem::take(&mut automaton.initial),
            edges: std::mem::take(&mut automaton.edges),
            acceptance_sets: automaton.acceptance_sets,
            state_based: automaton.state_based,
            labels: std::mem::take(&mut automaton.labels),
        }
    }

    pub fn add_state(&mut self, label: Option<FormulaId>) -> Result<StateId, Stop> {
        let id = StateId::try_new(self.edges.len()).ok_or(Stop::Memory)?;
        self.edges.push(Vec::new());
        self.labels.push(label);
        Ok(id)
    }

    /// As [`Automaton::add_edge`].
    pub fn add_edge(
        &mut self,
        guards: &mut Manager,
        alphabet: Bdd,
        source: StateId,
        edge: Edge,
    ) -> Result<(), Stop> {
        insert(guards, alphabet, &mut self.edges[source.index()], edge)
    }

    /// The automaton with these states instead of its own.
    pub fn install(self, automaton: Automaton) -> Automaton {
        Automaton {
            initial: self.initial,
            edges: self.edges,
            acceptance_sets: self.acceptance_sets,
            state_based: self.state_based,
            labels: self.labels,
            ..automaton
        }
    }
}
