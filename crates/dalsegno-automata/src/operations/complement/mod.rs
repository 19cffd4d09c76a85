//! Complementation: the automaton of the words that an automaton does not accept.
//!
//! How depends on what the automaton is like, after a reduction:
//!
//! - deterministic: runs that miss an acceptance set are guessed (`swap`), linear in states and sets;
//! - weak, that is, no component has both accepting and rejecting cycles: the breakpoint construction (`breakpoint`), 3^n;
//! - any other: ranks (`rank`), (0.76 n)^n.
//!
//! An automaton is the union of parts that differ in which of its components accept. The weak components make up one part
//! and each other component its own: each part is complemented in the way that suits it, and the complement is their
//! intersection. So ranks are left to components that need them.
//!
//! There is no determinisation here: for a formula, translate the negation instead.

mod breakpoint;
mod rank;
mod swap;

use std::hash::Hash;

use dalsegno_kripke::Stop;
use rustc_hash::FxHashMap;

use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, Marks, bytes_of};
use crate::omega::product::intersection;
use crate::omega::scc::Components;
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;
use crate::operations::reduce;

/// The automaton of the words over the alphabet that `automaton` does not accept.
///
/// # Errors
/// When the effort runs out: the complement of a nondeterministic automaton may be exponentially larger.
pub fn complement(automaton: &Automaton, effort: &Effort<'_>) -> Result<Automaton, Error> {
    let a = reduce(automaton.clone(), effort);
    let info = SccInfo::new(&a);
    let weak = weak_components(&a, &info);
    let strong: Vec<usize> = (0..weak.len()).filter(|&scc| !weak[scc]).collect();
    let some_weak = (0..weak.len()).any(|scc| weak[scc] && info.accepting[scc]);
    if a.is_deterministic() || strong.len() + usize::from(some_weak) <= 1 {
        return part(a, effort);
    }
    let mut parts = Vec::new();
    if some_weak {
        parts.push(accepting_in(&a, &info, |scc| weak[scc])?);
    }
    for &kept in &strong {
        parts.push(accepting_in(&a, &info, |scc| scc == kept)?);
    }
    let mut result: Option<Automaton> = None;
    for one in parts {
        let next = part(reduce(one, effort), effort)?;
        result = Some(match result {
            None => next,
            Some(before) => reduce(intersection(&before, &next, effort)?, effort),
        });
    }
    // There is a part, since there are two.
    result.map_or_else(|| part(a, effort), Ok)
}

/// The states of a complement, numbered as they are found.
struct Macrostates<K> {
    ids: FxHashMap<K, StateId>,
    found: Vec<K>,
    bytes: u64,
}

impl<K: Clone + Eq + Hash> Macrostates<K> {
    fn new() -> Self {
        Macrostates {
            ids: FxHashMap::default(),
            found: Vec::new(),
            bytes: 0,
        }
    }

    /// The number of a macrostate, which takes so many bytes; a new one becomes a state of the complement.
    fn id(&mut self, result: &mut Automaton, macrostate: K, bytes: u64) -> StateId {
        if let Some(&id) = self.ids.get(&macrostate) {
            return id;
        }
        self.bytes += bytes;
        result.guards.hold(self.bytes + bytes_of(&result.edges));
        self.found.push(macrostate.clone());
        let id = result.add_state(None);
        self.ids.insert(macrostate, id);
        id
    }
}

/// A complement without states yet, over the letters of an automaton and in a copy of its manager.
fn begun(a: &Automaton, effort: &Effort<'_>) -> Automaton {
    let mut result = Automaton::new(a.propositions.clone(), 1);
    result.guards = a.guards.clone();
    result.guards.begin(effort);
    result.alphabet = a.alphabet;
    result
}

/// The complement of a reduced automaton that is not split any more.
fn part(a: Automaton, effort: &Effort<'_>) -> Result<Automaton, Error> {
    let info = SccInfo::new(&a);
    let is_weak = weak_components(&a, &info).into_iter().all(|weak| weak);
    let result = if a.is_deterministic() {
        swap::complement(&a, is_weak, effort)?
    } else if is_weak {
        breakpoint::complement(&a, effort)?
    } else {
        rank::complement(a, effort)?
    };
    Ok(reduce(result, effort))
}

/// For each component, whether all of its cycles are accepting, or none is.
fn weak_components(a: &Automaton, info: &SccInfo) -> Vec<bool> {
    let mut weak = vec![true; info.components.count];
    for mark in a.all_marks().iter() {
        // A cycle that misses the mark lies in one component without the edges that have it.
        let without = |e: &&Edge| !e.marks.has(mark);
        let reached =
            StateId::first(a.len()).filter(|&q| info.components.of[q.index()] != u32::MAX);
        let rest = Components::new(a.len(), reached, |q, i| {
            let mut edges = a.edges[q.index()].iter().filter(without);
            edges.nth(i).map(|e| e.target)
        });
        for (q, edges) in StateId::all().zip(&a.edges) {
            let scc = info.components.of[q.index()];
            let mut inner = edges.iter().filter(without);
            if scc != u32::MAX
                && info.accepting[scc as usize]
                && inner.any(|e| rest.same(q, e.target))
            {
                weak[scc as usize] = false;
            }
        }
    }
    weak
}

/// The automaton whose accepting components are those that are kept.
fn accepting_in(
    a: &Automaton,
    info: &SccInfo,
    keep: impl Fn(usize) -> bool,
) -> Result<Automaton, Stop> {
    let mut result = Automaton::new(a.propositions.clone(), a.acceptance_sets.max(1));
    result.guards = a.guards.clone();
    result.alphabet = a.alphabet;
    result.initial.clone_from(&a.initial);
    for _ in 0..a.len() {
        result.add_state(None);
    }
    let all = result.all_marks();
    for (q, edges) in StateId::all().zip(&a.edges) {
        let scc = info.components.of[q.index()];
        let kept = scc != u32::MAX && keep(scc as usize);
        for e in edges {
            let marks = match (kept, a.acceptance_sets) {
                (false, _) => Marks::NONE,
                (true, 0) => all,
                (true, _) => e.marks,
            };
            result.add_edge(q, e.guard, marks, e.target)?;
        }
    }
    Ok(result)
}
