//! Acceptance of a lasso word, by definition.
//!
//! An automaton and a lasso make a finite graph of pairs (state, position). A run is accepting if it takes, for
//! each acceptance set, an edge of the set again and again. The pairs from which there is such a run are the
//! greatest set Z of which each pair has, for each acceptance set, a path inside Z to an edge of that set that
//! stays in Z (Emerson and Lei, LICS 1986). The sets are computed by plain iteration.
//!
//! This file shares no code with the searches, the observers or the components of other files, so that it can be
//! used to check them. It is slow: (states · length)² · acceptance sets steps, or worse.

use dalsegno_kripke::{Letter, Word};

use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// Whether an automaton over letters accepts a word over its propositions.
#[must_use]
pub fn accepts(automaton: &Automaton, word: &Word) -> bool {
    let initial = automaton.initial.iter().map(|&q| q.index());
    let step = |q: usize, at: usize| -> Vec<(usize, Marks)> {
        let letter = *word.get(at);
        let edges = automaton.edges[q].iter();
        edges
            .filter(|e| automaton.guards.holds(e.guard, letter))
            .map(|e| (e.target.index(), e.marks))
            .collect()
    };
    let known = |&letter: &Letter| automaton.guards.holds(automaton.alphabet, letter);
    word.stem.iter().chain(&word.cycle).all(known)
        && Graph::new(automaton.len(), initial, word, step)
            .has_fair_path(&sets(automaton.acceptance_sets))
}

/// Whether a testing automaton accepts a word over its propositions.
#[must_use]
pub fn testing_accepts(testing: &TestingAutomaton, word: &Word) -> bool {
    let mut letters = word.stem.iter().chain(&word.cycle);
    if !letters.all(|letter| testing.alphabet.contains(letter)) {
        return false;
    }
    let first = *word.get(0);
    let initial = testing
        .initial
        .iter()
        .filter(|(letter, _)| *letter == first)
        .map(|&(_, q)| q.index());
    let stays = testing.kind == TestingKind::Ta;
    let step = |q: usize, at: usize| -> Vec<(usize, Marks)> {
        let changes = *word.get(at) ^ *word.get(word.successor(at));
        if stays && changes.is_empty() {
            return vec![(q, Marks::NONE)];
        }
        let edges = testing.edges[q].iter();
        edges
            .filter(|e| e.changes == changes)
            .map(|e| (e.target.index(), e.marks))
            .collect()
    };
    let graph = Graph::new(testing.len(), initial, word, step);
    // Without a change, a TA accepts in livelock states, and in no other way.
    if stays && word.cycle.iter().all(|&letter| letter == word.cycle[0]) {
        let livelock = |pair: usize| {
            testing.livelock[pair / word.len()] && pair % word.len() >= word.stem.len()
        };
        return (0..graph.reached.len()).any(|pair| graph.reached[pair] && livelock(pair));
    }
    graph.has_fair_path(&sets(testing.acceptance_sets))
}

/// Each acceptance set by itself; without one, every edge counts.
fn sets(count: u32) -> Vec<Marks> {
    match count {
        0 => vec![Marks::NONE],
        n => (0..n).map(|i| Marks(1 << i)).collect(),
    }
}

/// The pairs of state and position; the pair of state q and position i is q · length + i.
struct Graph {
    edges: Vec<Vec<(usize, Marks)>>,
    reached: Vec<bool>,
}

impl Graph {
    fn new(
        states: usize,
        initial: impl Iterator<Item = usize>,
        word: &Word,
        step: impl Fn(usize, usize) -> Vec<(usize, Marks)>,
    ) -> Self {
        let length = word.len();
        let mut edges = vec![Vec::new(); states * length];
        let mut reached = vec![false; states * length];
        let mut open: Vec<usize> = initial.map(|q| q * length).collect();
        while let Some(pair) = open.pop() {
            if std::mem::replace(&mut reached[pair], true) {
                continue;
            }
            let (q, at) = (pair / length, pair % length);
            let next = word.successor(at);
            let out = step(q, at).into_iter();
            edges[pair] = out.map(|(p, marks)| (p * length + next, marks)).collect();
            open.extend(edges[pair].iter().map(|&(target, _)| target));
        }
        Graph { edges, reached }
    }

    /// Whether an infinite path from an initial pair takes an edge of each set again and again.
    fn has_fair_path(&self, sets: &[Marks]) -> bool {
        let mut fair = self.reached.clone();
        loop {
            let before = fair.clone();
            for &set in sets {
                fair = self.can_take(&fair, set);
            }
            if fair == before {
                return fair.contains(&true);
            }
        }
    }

    /// The pairs of `inside` with a path inside to an edge of `set` that stays inside.
    fn can_take(&self, inside: &[bool], set: Marks) -> Vec<bool> {
        let mut can = vec![false; inside.len()];
        loop {
            let mut changed = false;
            for pair in 0..inside.len() {
                if !inside[pair] || can[pair] {
                    continue;
                }
                let good = |&(target, marks): &(usize, Marks)| {
                    inside[target] && (marks.contains(set) || can[target])
                };
                if self.edges[pair].iter().any(good) {
                    can[pair] = true;
                    changed = true;
                }
            }
            if !changed {
                return can;
            }
        }
    }
}
