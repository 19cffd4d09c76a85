//! The part of a state graph that proofs need: successors of states by transitions, kept once they are known.

use dalsegno_explicit::space::{self, Space, StateId};
use dalsegno_kripke::Budget;
use dalsegno_verify::claim::Claim;
use dalsegno_verify::diagram::Alive;
use dalsegno_verify::formula::Atom;
use dalsegno_verify::net::Net;

use super::Unproved;
use super::subject::Subject;
use super::view::{View, observed};

/// Not known yet.
const UNKNOWN: u32 = u32::MAX;

/// States with their letters and successors.
pub(super) struct Graph<'a> {
    pub(super) space: Space,
    pub(super) view: View,
    net: &'a Net,
    claim: &'a Claim,
    budget: Budget,
    /// Where the successors of each state begin and end.
    rows: Vec<(u32, u32)>,
    /// Groups and targets.
    edges: Vec<(u32, StateId)>,
    letters: Vec<u64>,
    /// The places that atoms ask, with their variables; no others of the marking matter, unless dead ends are asked for.
    observed: Vec<(usize, usize)>,
    marking: Vec<u32>,
    asks_dead_ends: bool,
    work: u32,
}

impl<'a> Graph<'a> {
    /// The graph of the whole net.
    pub(super) fn new(subject: &'a Subject<'a>, budget: &Budget) -> Self {
        Self::of_view(subject, View::of_all(subject), budget)
    }

    /// The graph of a view that shows all places that atoms ask.
    pub(super) fn of_view(subject: &'a Subject<'a>, view: View, budget: &Budget) -> Self {
        let (net, claim) = (&subject.net, &subject.claim);
        let atoms = &claim.formulas.atoms;
        let variable = |p: usize| Some((view.places.binary_search(&p).ok()?, p));
        let observed = observed(net, atoms).into_iter().filter_map(variable);
        Graph {
            space: Space::new(&view.model),
            observed: observed.collect(),
            view,
            net,
            claim,
            budget: budget.clone(),
            rows: Vec::new(),
            edges: Vec::new(),
            letters: Vec::new(),
            marking: vec![0; net.places.len()],
            asks_dead_ends: atoms.contains(&Atom::Deadlock),
            work: 0,
        }
    }

    /// Goes on within another budget.
    pub(super) fn set_budget(&mut self, budget: Budget) {
        self.budget = budget;
    }

    /// The bytes of the tables.
    pub(super) fn bytes(&self) -> u64 {
        self.space.bytes() + 16 * self.rows.capacity() as u64 + 8 * self.edges.capacity() as u64
    }

    /// Whether the tables, and others of so many bytes, fit into the memory.
    pub(super) fn check(&self, others: usize) -> Result<(), Unproved> {
        self.budget.check()?;
        Ok(self.budget.check_bytes(self.bytes() + others as u64)?)
    }

    /// Looks at the successors of a state, if nobody has.
    pub(super) fn expand(&mut self, state: StateId) -> Result<(), Unproved> {
        let at = state as usize;
        if self.rows.get(at).is_some_and(|row| row.0 != UNKNOWN) {
            return Ok(());
        }
        self.work += 1;
        if self.work.is_multiple_of(1 << 12) {
            self.check(0)?;
        }
        let found = self.space.successors(state, &self.budget);
        let (groups, targets) = found.map_err(|error| match error {
            space::Error::Stopped(stop) => Unproved::from(stop),
            space::Error::Fault(fault) => Unproved::Other(fault.to_string()),
        })?;
        let start = self.edges.len() as u32;
        let groups = groups.iter().map(|group| group.0);
        self.edges.extend(groups.zip(targets.iter().copied()));
        if self.edges.len() >= UNKNOWN as usize {
            return Err(Unproved::Limit("there are too many transitions".to_owned()));
        }
        if self.rows.len() < self.space.len() {
            self.rows.resize(self.space.len(), (UNKNOWN, UNKNOWN));
            self.letters.resize(self.space.len(), 0);
        }
        self.rows[at] = (start, self.edges.len() as u32);
        if self.asks_dead_ends {
            self.space.values(state, &mut self.marking);
        } else {
            for &(variable, place) in &self.observed {
                self.marking[place] = self.space.value(state, variable);
            }
        }
        self.letters[at] = self.claim.letter(self.net, &self.marking);
        Ok(())
    }

    /// The letter of a state that has been looked at.
    pub(super) fn letter(&self, state: StateId) -> u64 {
        self.letters[state as usize]
    }

    /// The groups, which are transitions if all is seen, and successors of a state that has been looked at.
    pub(super) fn edges(&self, state: StateId) -> &[(u32, StateId)] {
        let (start, end) = self.rows[state as usize];
        &self.edges[start as usize..end as usize]
    }

    /// What shows whether a state that has been looked at is a dead end: the first transition that is enabled, if any.
    pub(super) fn alive(&self, state: StateId) -> Alive {
        let mut edges = self.edges(state).iter();
        match edges.find_map(|&(group, _)| self.view.enabled_by(group)) {
            Some(t) => Alive::By(t),
            None if self.view.is_all() => Alive::Dead,
            None => Alive::Unknown,
        }
    }

    /// As [`Graph::alive`] if an atom of the claim asks for dead ends, and otherwise nothing.
    pub(super) fn alive_for_atoms(&self, state: StateId) -> Alive {
        if self.asks_dead_ends {
            self.alive(state)
        } else {
            Alive::Unknown
        }
    }

    /// Looks at all reachable states.
    pub(super) fn explore(&mut self) -> Result<(), Unproved> {
        let mut next = 0;
        while (next as usize) < self.space.len() {
            self.expand(next)?;
            next += 1;
        }
        Ok(())
    }
}
