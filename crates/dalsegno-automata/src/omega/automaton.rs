//! Transition-based generalised Büchi automata; Büchi automata are a special case.
//!
//! An [`Automaton`] has `acceptance_sets` sets of edges; a run is accepting if it takes an edge of
//! each set infinitely often (with no set, every infinite run is). A Büchi automaton has one set,
//! and each state's edges are all in it or all outside it. An automaton knows whether it has such state-based acceptance:
//! passes that keep it say so, others make a TGBA.
//!
//! Invariants:
//!
//! 1. Guards are satisfiable functions of the variables `0..propositions.len()`, which are at most
//!    64; variable `i` is proposition `i`.
//! 2. Marks lie below `acceptance_sets`, which are at most 64.
//! 3. Within one state, edges differ in (marks, target): guards of equal ones are united, and they
//!    are sorted by (target, marks).
//! 4. If state `q` has the label φ, then the language from `q` is the language of φ, as far as words
//!    over the `alphabet` go. A pass that cannot keep this drops the label.
//! 5. If acceptance is state-based, there is one acceptance set, and the edges of a state have all the same marks.
//!
//! A pass makes a `Body`, states and edges in the manager of the automaton, which takes it over when it is
//! whole: there is no automaton that a pass has left half done.

use dalsegno_kripke::{Letter, Stop};
use dalsegno_logic::FormulaId;
use rustc_hash::FxHashMap;

use super::body::Body;
use super::edge::{Edge, MAX_ACCEPTANCE_SETS, Marks, bytes_of, insert};
use super::state_id::StateId;
use crate::bdd::{Bdd, Manager};
use crate::effort::Effort;

/// So many nodes that no guard needs may stay in a manager between passes, and some per edge.
const GARBAGE: usize = 1 << 12;

/// A TGBA or BA; see the module's invariants.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The names of the propositions.
    pub(crate) propositions: Vec<String>,
    /// The letters that can occur at all; guards mean nothing outside.
    pub(crate) alphabet: Bdd,
    /// The owner of `alphabet` and of the guards.
    pub(crate) guards: Manager,
    /// Where runs start.
    pub(crate) initial: Vec<StateId>,
    /// The edges of each state.
    pub(crate) edges: Vec<Vec<Edge>>,
    /// The number of acceptance sets.
    pub(crate) acceptance_sets: u32,
    /// Whether acceptance is state-based; see invariant 5.
    pub(crate) state_based: bool,
    /// The formula that each state stands for, where it is known.
    pub(crate) labels: Vec<Option<FormulaId>>,
}

impl Automaton {
    /// An automaton without states over the given propositions.
    #[must_use]
    pub fn new(propositions: Vec<String>, acceptance_sets: u32) -> Self {
        Automaton {
            propositions,
            alphabet: Bdd::TRUE,
            guards: Manager::new(),
            initial: Vec::new(),
            edges: Vec::new(),
            acceptance_sets,
            state_based: false,
            labels: Vec::new(),
        }
    }

    /// An automaton without states, over the same propositions and letters and in the same manager,
    /// which moves. What is left has edges without an owner.
    pub(crate) fn into_frame(self, acceptance_sets: u32) -> Automaton {
        Automaton {
            initial: Vec::new(),
            edges: Vec::new(),
            acceptance_sets,
            state_based: false,
            labels: Vec::new(),
            ..self
        }
    }

    /// Takes over what `pass` makes of this automaton. If the pass stops, or the effort has run out,
    /// the automaton stays as it is.
    pub(crate) fn improve(
        mut self,
        effort: &Effort<'_>,
        pass: impl FnOnce(&mut Automaton) -> Result<Body, Stop>,
    ) -> Automaton {
        let size = self.guards.size();
        self.guards.begin(effort);
        let result = self.guards.spend(1).and_then(|()| pass(&mut self));
        self.guards.end(effort);
        if let Ok(body) = result {
            return body.install(self).compacted();
        }
        self.guards.truncate(size);
        self
    }

    /// The same automaton in a manager that holds its guards only, if the present one holds much else.
    fn compacted(self) -> Automaton {
        if self.guards.size() <= GARBAGE + 8 * self.edge_count() {
            return self;
        }
        let mut guards = Manager::new();
        let mut memo: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        let mut moved = |f: Bdd| guards.import_with(&self.guards, f, &|v| v, &mut memo);
        let mut edges = self.edges.clone();
        for e in edges.iter_mut().flatten() {
            match moved(e.guard) {
                Ok(guard) => e.guard = guard,
                Err(_) => return self,
            }
        }
        match moved(self.alphabet) {
            Ok(alphabet) => Automaton {
                alphabet,
                guards,
                edges,
                ..self
            },
            Err(_) => self,
        }
    }

    /// The part that the states to `keep` make up, in a body that has none, with new marks; a dead state if
    /// no initial state is kept.
    pub(crate) fn rebuilt(
        &mut self,
        mut body: Body,
        keep: impl Fn(StateId) -> bool,
        marks: impl Fn(StateId, &Edge) -> Marks,
    ) -> Result<Body, Stop> {
        let mut new_id = vec![StateId::NONE; self.len()];
        for (q, &label) in StateId::all().zip(&self.labels) {
            if keep(q) {
                new_id[q.index()] = body.add_state(label)?;
            }
        }
        let kept = |q: StateId| new_id[q.index()] != StateId::NONE;
        for (q, edges) in StateId::all().zip(&self.edges).filter(|&(q, _)| kept(q)) {
            self.guards.spend(edges.len() as u64)?;
            for e in edges.iter().filter(|e| kept(e.target)) {
                let edge = Edge {
                    marks: marks(q, e),
                    target: new_id[e.target.index()],
                    ..*e
                };
                let source = new_id[q.index()];
                body.add_edge(&mut self.guards, self.alphabet, source, edge)?;
            }
        }
        let initial = self.initial.iter().filter(|&&q| kept(q));
        body.initial = initial.map(|&q| new_id[q.index()]).collect();
        if body.initial.is_empty() {
            let dead = body.add_state(Some(FormulaId::FALSE))?;
            body.initial.push(dead);
        }
        Ok(body)
    }

    /// The names of the propositions: variable `i` of guards is proposition `i`.
    #[must_use]
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// The letters that can occur at all; guards mean nothing outside.
    #[must_use]
    pub fn alphabet(&self) -> Bdd {
        self.alphabet
    }

    /// The owner of the alphabet and of the guards.
    #[must_use]
    pub fn guards(&self) -> &Manager {
        &self.guards
    }

    /// Where runs start.
    #[must_use]
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// The states.
    #[must_use]
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + DoubleEndedIterator + use<> {
        StateId::first(self.edges.len())
    }

    /// The edges of a state, sorted by target and marks.
    #[must_use]
    pub fn edges(&self, state: StateId) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// The same automaton with other names for its propositions.
    ///
    /// # Panics
    /// If there is not a name for each of them.
    #[must_use]
    pub fn with_propositions(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.propositions.len(), "a name for each");
        self.propositions = names;
        self
    }

    /// The number of acceptance sets.
    #[must_use]
    pub fn acceptance_sets(&self) -> u32 {
        self.acceptance_sets
    }

    /// Whether this is a Büchi automaton with acceptance on states.
    #[must_use]
    pub fn is_state_based(&self) -> bool {
        self.state_based
    }

    /// The formula that a state stands for, where it is known.
    #[must_use]
    pub fn label(&self, state: StateId) -> Option<FormulaId> {
        self.labels.get(state.index()).copied().flatten()
    }

    /// The number of states.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is no state.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Adds a state without edges.
    ///
    /// # Panics
    /// If there are 2^32 states already.
    pub(crate) fn add_state(&mut self, label: Option<FormulaId>) -> StateId {
        let id = StateId::new(self.edges.len());
        self.edges.push(Vec::new());
        self.labels.push(label);
        id
    }

    /// Adds an edge, uniting its guard with one of the same marks and target; keeps invariant 3.
    ///
    /// # Errors
    /// When the effort of the manager runs out.
    pub(crate) fn add_edge(
        &mut self,
        source: StateId,
        guard: Bdd,
        marks: Marks,
        target: StateId,
    ) -> Result<(), Stop> {
        let edge = Edge {
            guard,
            marks,
            target,
        };
        let edges = &mut self.edges[source.index()];
        insert(&mut self.guards, self.alphabet, edges, edge)
    }

    /// The bytes of the automaton, the manager included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.guards.bytes() + bytes_of(&self.edges)
    }

    /// All marks.
    #[inline]
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.acceptance_sets)
    }

    /// The edges of `state` that `letter` enables.
    pub fn enabled(&self, state: StateId, letter: Letter) -> impl Iterator<Item = Edge> + '_ {
        self.edges[state.index()]
            .iter()
            .copied()
            .filter(move |e| self.guards.holds(e.guard, letter))
    }

    /// The letters of the alphabet, ascending.
    ///
    /// There are up to 2^n of them for n propositions; see [`Automaton::letter_count`].
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        self.guards.letters(self.alphabet, self.propositions.len())
    }

    /// How many letters the alphabet has; saturates.
    #[must_use]
    pub fn letter_count(&self) -> u64 {
        self.guards.count(self.alphabet, self.propositions.len())
    }

    /// The number of edges: distinct (source, marks, target).
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// The number of transitions over single letters; saturates.
    #[must_use]
    pub fn transition_count(&self) -> u64 {
        let n = self.propositions.len();
        self.edges.iter().flatten().fold(0u64, |sum, e| {
            sum.saturating_add(self.guards.count(e.guard, n))
        })
    }

    /// Whether no word has two runs; false also if guards are too large to find out.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        fn disjoint(guards: &mut Manager, edges: &[Edge]) -> Result<bool, Stop> {
            let mut seen = Bdd::FALSE;
            for e in edges {
                if !guards.disjoint(seen, e.guard)? {
                    return Ok(false);
                }
                seen = guards.or(seen, e.guard)?;
            }
            Ok(true)
        }
        let mut guards = self.guards.clone();
        let mut states = self.edges.iter();
        self.initial.len() <= 1
            && states.all(|edges| matches!(disjoint(&mut guards, edges), Ok(true)))
    }

    /// The accepting states, if there is at most one acceptance set and it has all or none of the edges of each state: then
    /// a TGBA can be written as a Büchi automaton, whether or not it was made as one.
    ///
    /// A state without edges counts as accepting in an automaton without acceptance sets only.
    #[must_use]
    pub fn accepting_states(&self) -> Option<Vec<bool>> {
        if self.acceptance_sets > 1 {
            return None;
        }
        let all = self.all_marks();
        self.edges
            .iter()
            .map(|edges| match edges.first() {
                None => Some(self.acceptance_sets == 0),
                Some(first) => edges
                    .iter()
                    .all(|e| e.marks == first.marks)
                    .then_some(first.marks == all),
            })
            .collect()
    }

    /// The same automaton over the propositions that some guard looks at; the others are dropped.
    ///
    /// If not every letter is possible, all propositions are kept.
    #[must_use]
    pub fn without_unused_propositions(self) -> Automaton {
        let mut used = vec![false; self.propositions.len()];
        let all = self.edges.iter().flatten().map(|e| e.guard);
        for v in self.guards.support_of(all) {
            used[v as usize] = true;
        }
        if self.alphabet != Bdd::TRUE {
            used.fill(true);
        }
        // Guards that nobody needs any more stay behind in the old manager.
        if used.iter().all(|&u| u) && self.guards.size() <= 256 {
            return self;
        }
        let mut new_var = vec![0; used.len()];
        let mut kept = 0;
        for (v, &used) in used.iter().enumerate() {
            new_var[v] = kept;
            kept += u32::from(used);
        }
        let mut guards = Manager::new();
        let mut memo = FxHashMap::default();
        let mut rename = |f: Bdd| {
            let rename = |v: u32| new_var[v as usize];
            guards.import_with(&self.guards, f, &rename, &mut memo)
        };
        // The new manager has no more nodes than the old one: there is room for them.
        let mut edges = self.edges.clone();
        for e in edges.iter_mut().flatten() {
            match rename(e.guard) {
                Ok(guard) => e.guard = guard,
                Err(_) => return self,
            }
        }
        let Ok(alphabet) = rename(self.alphabet) else {
            return self;
        };
        let names = self.propositions.into_iter().zip(used);
        Automaton {
            propositions: names
                .filter(|&(_, used)| used)
                .map(|(name, _)| name)
                .collect(),
            alphabet,
            guards,
            edges,
            ..self
        }
    }

    /// Checks the invariants of this module.
    ///
    /// # Panics
    /// If one is broken.
    pub fn check_invariants(&self) {
        let n = self.edges.len();
        assert_eq!(self.labels.len(), n);
        assert!(self.initial.iter().all(|&q| q.index() < n));
        assert!(self.propositions.len() <= dalsegno_kripke::MAX_PROPOSITIONS);
        assert!(self.acceptance_sets <= MAX_ACCEPTANCE_SETS);
        assert!(!self.state_based || self.acceptance_sets == 1);
        for edges in &self.edges {
            assert!(edges.is_sorted_by(|a, b| (a.target, a.marks) < (b.target, b.marks)));
            assert!(!self.state_based || edges.windows(2).all(|w| w[0].marks == w[1].marks));
            for e in edges {
                assert!(e.target.index() < n);
                assert!(self.all_marks().contains(e.marks));
                assert_ne!(e.guard, Bdd::FALSE);
                let support = self.guards.support(e.guard);
                assert!(
                    support
                        .last()
                        .is_none_or(|&v| (v as usize) < self.propositions.len())
                );
            }
        }
    }
}
