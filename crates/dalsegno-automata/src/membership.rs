//! Membership of an ultimately periodic word.
//!
//! The product of an automaton with the word is a finite graph; the word is accepted if a reachable
//! component of it has a cycle with all marks.

use rustc_hash::FxHashMap;

use dalsegno_kripke::Word;

use crate::observer::{Kind, Observer};
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::scc::Components;
use crate::omega::state_id::StateId;

/// Whether `automaton` accepts `word`.
#[must_use]
pub fn accepts(automaton: &Automaton, word: &Word) -> bool {
    accepts_from(automaton, automaton.initial.iter().copied(), word)
}

/// Whether `word` is accepted from one of the given states.
#[must_use]
pub fn accepts_from(
    automaton: &Automaton,
    from: impl IntoIterator<Item = StateId>,
    word: &Word,
) -> bool {
    let mut graph = WordGraph::default();
    for q in from {
        graph.node(q, 0);
    }
    let mut done = 0;
    while let Some(&(q, at)) = graph.nodes.get(done) {
        let next = word.successor(at);
        let out = automaton
            .enabled(q, *word.get(at))
            .map(|e| (graph.node(e.target, next), e.marks))
            .collect();
        graph.edges.push(out);
        done += 1;
    }
    graph.has_accepting_cycle(automaton.all_marks())
}

/// Whether the automaton behind an observer accepts `word`.
pub fn observes(observer: &mut Observer, word: &Word) -> bool {
    let mut graph = WordGraph::default();
    for &(q, _) in observer.initial(*word.get(0)) {
        graph.node(q, 0);
    }
    let mut done = 0;
    while let Some(&(q, at)) = graph.nodes.get(done) {
        let next = word.successor(at);
        let out = observer
            .step(q, *word.get(at), *word.get(next))
            .iter()
            .map(|&(target, marks)| (graph.node(target, next), marks))
            .collect();
        graph.edges.push(out);
        done += 1;
    }
    // A TA accepts a word that ends in one letter for ever by livelock only.
    let constant = word.cycle.iter().all(|&l| l == word.cycle[0]);
    if observer.kind() == Kind::Ta && constant {
        return graph
            .nodes
            .iter()
            .any(|&(q, at)| at >= word.stem.len() && observer.is_livelock(q));
    }
    graph.has_accepting_cycle(observer.all_marks())
}

/// The part of a product with a word that has been built: nodes are (state, position).
#[derive(Default)]
pub(crate) struct WordGraph {
    ids: FxHashMap<(StateId, usize), u32>,
    pub nodes: Vec<(StateId, usize)>,
    pub edges: Vec<Vec<(u32, Marks)>>,
}

impl WordGraph {
    pub fn node(&mut self, q: StateId, at: usize) -> u32 {
        let nodes = &mut self.nodes;
        *self.ids.entry((q, at)).or_insert_with(|| {
            nodes.push((q, at));
            nodes.len() as u32 - 1
        })
    }

    pub fn has_accepting_cycle(&self, all: Marks) -> bool {
        let components = Components::new(self.nodes.len(), 0..self.nodes.len() as u32, |q, i| {
            self.edges[q as usize].get(i).map(|&(t, _)| t)
        });
        let mut seen: Vec<Option<Marks>> = vec![None; components.count];
        for (q, edges) in (0..).zip(&self.edges) {
            for &(t, marks) in edges {
                if components.same(q, t) {
                    let slot = &mut seen[components.of[q as usize] as usize];
                    *slot = Some(slot.unwrap_or(Marks::NONE).union(marks));
                }
            }
        }
        seen.into_iter().flatten().any(|m| m.contains(all))
    }
}
