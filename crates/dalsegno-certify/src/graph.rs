//! Small explicit graphs, found by plain breadth-first search.

use std::collections::BTreeMap;

use dalsegno_kripke::{Fault, Letter, MAX_PROPOSITIONS, Model, Predicate, Scratch};

/// A finite graph whose states carry letters, as many as it takes for all propositions. Invariants:
///
/// 1. `successors` and `letters` have one entry per state, and every successor is a state.
/// 2. The lists of successors ascend and do not repeat: parallel transitions are one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    initial: Vec<usize>,
    successors: Vec<Vec<usize>>,
    letters: Vec<Vec<Letter>>,
}

/// Why a model has no graph.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The model has more states than allowed.
    #[error("the model has more than {0} states")]
    TooManyStates(usize),
    /// The model cannot take a step.
    #[error(transparent)]
    Model(#[from] Fault),
}

impl Graph {
    /// A graph from its parts: the initial states, and for each state its successors and its letter.
    ///
    /// # Panics
    /// If there is not one letter per state, or a state does not exist.
    #[must_use]
    pub fn new(initial: Vec<usize>, successors: Vec<Vec<usize>>, letters: Vec<Letter>) -> Self {
        let letters = letters.into_iter().map(|letter| vec![letter]).collect();
        Self::with_letters(initial, successors, letters)
    }

    fn with_letters(
        initial: Vec<usize>,
        mut successors: Vec<Vec<usize>>,
        letters: Vec<Vec<Letter>>,
    ) -> Self {
        assert_eq!(successors.len(), letters.len(), "one letter per state");
        for list in &mut successors {
            list.sort_unstable();
            list.dedup();
        }
        let exists = |&s: &usize| s < letters.len();
        assert!(initial.iter().all(exists), "initial states exist");
        assert!(successors.iter().flatten().all(exists), "successors exist");
        Graph {
            initial,
            successors,
            letters,
        }
    }

    /// The reachable states of a model.
    ///
    /// # Errors
    /// If there are more than `limit` states, or if a step cannot be taken.
    pub fn of_model(
        model: &Model,
        propositions: &[Predicate],
        limit: usize,
    ) -> Result<Self, Error> {
        Self::from_states(model, model.initial(), propositions, limit)
    }

    /// The states that a model reaches from some states, which are the initial ones here.
    ///
    /// # Errors
    /// As [`Graph::of_model`].
    pub fn from_states(
        model: &Model,
        initial: &[Vec<u32>],
        propositions: &[Predicate],
        limit: usize,
    ) -> Result<Self, Error> {
        let mut number: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let mut states: Vec<Vec<u32>> = Vec::new();
        let mut find = |state: &[u32], states: &mut Vec<Vec<u32>>| {
            *number.entry(state.to_vec()).or_insert_with(|| {
                states.push(state.to_vec());
                states.len() - 1
            })
        };
        let initial = initial.iter().map(|s| find(s, &mut states)).collect();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        let mut scratch = Scratch::default();
        while successors.len() < states.len() {
            if states.len() > limit {
                return Err(Error::TooManyStates(limit));
            }
            let state = states[successors.len()].clone();
            let mut list = Vec::new();
            model.successors(&state, &mut scratch, |_, next| {
                list.push(find(next, &mut states));
            })?;
            successors.push(list);
        }
        let letter = |state: &Vec<u32>, propositions: &[Predicate]| {
            let propositions = propositions.iter().enumerate();
            propositions.fold(Letter::default(), |letter, (i, p)| {
                letter.with(i, p.eval(model, state))
            })
        };
        let letters = |state: &Vec<u32>| {
            let parts = propositions.chunks(MAX_PROPOSITIONS);
            parts.map(|part| letter(state, part)).collect()
        };
        let letters = states.iter().map(letters).collect();
        Ok(Graph::with_letters(initial, successors, letters))
    }

    /// The number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether there is no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// The initial states.
    #[must_use]
    pub fn initial(&self) -> &[usize] {
        &self.initial
    }

    /// The successors of a state.
    ///
    /// # Panics
    /// If there is no such state.
    #[must_use]
    pub fn successors(&self, state: usize) -> &[usize] {
        &self.successors[state]
    }

    /// Which of the first 64 propositions hold in a state.
    ///
    /// # Panics
    /// If there is no such state.
    #[must_use]
    pub fn letter(&self, state: usize) -> Letter {
        self.letters[state].first().copied().unwrap_or_default()
    }

    /// Whether a proposition holds in a state.
    ///
    /// # Panics
    /// If there is no such state.
    #[must_use]
    pub fn holds(&self, state: usize, proposition: usize) -> bool {
        let letter = self.letters[state].get(proposition / MAX_PROPOSITIONS);
        letter.is_some_and(|letter| letter.holds(proposition % MAX_PROPOSITIONS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_kripke::{Bounds, Group, Linear, Relation, VarId, Variable};

    /// Three tokens that go from x to y one by one, in two ways.
    fn model() -> Model {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            bounds: Bounds::UNKNOWN,
        };
        let (x, y) = (VarId(0), VarId(1));
        let step = || Linear::new(vec![(x, 1)], vec![], vec![(x, -1), (y, 1)]).unwrap();
        Model::new(
            "m",
            vec![variable("x"), variable("y")],
            vec![vec![3, 0]],
            vec![Group::linear("t", step()), Group::linear("u", step())],
        )
        .unwrap()
    }

    #[test]
    fn a_model_becomes_the_graph_of_its_reachable_states() {
        let many = Predicate::single(VarId(1), Relation::Ge, 2);
        let graph = Graph::of_model(&model(), &[many, Predicate::DeadEnd], 10).unwrap();
        assert_eq!(graph.len(), 4);
        assert_eq!(graph.initial(), [0]);
        assert_eq!(graph.successors(1), [2]);
        assert_eq!(graph.successors(3), [0; 0]);
        let letters: Vec<u64> = (0..4).map(|s| graph.letter(s).0).collect();
        assert_eq!(letters, [0b00, 0b00, 0b01, 0b11]);
    }

    #[test]
    fn propositions_beyond_the_first_letter_are_kept() {
        let few = |n: i64| Predicate::single(VarId(1), Relation::Ge, n);
        let mut propositions: Vec<Predicate> = vec![Predicate::False; 130];
        propositions[70] = few(1);
        propositions[129] = few(3);
        let graph = Graph::of_model(&model(), &propositions, 10).unwrap();
        let states = |i: usize| (0..4).map(|s| graph.holds(s, i)).collect::<Vec<bool>>();
        assert_eq!(states(70), [false, true, true, true]);
        assert_eq!(states(129), [false, false, false, true]);
        assert_eq!(states(6), [false; 4]);
    }

    #[test]
    fn more_states_than_allowed_are_an_error() {
        assert!(Graph::of_model(&model(), &[], 4).is_ok());
        let error = Graph::of_model(&model(), &[], 3);
        assert_eq!(error, Err(Error::TooManyStates(3)));
    }
}
