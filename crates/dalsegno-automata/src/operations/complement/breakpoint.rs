//! Complement of a weak automaton: the breakpoint construction.
//!
//! In a weak automaton a run is accepting if it stays in accepting components from some point on. A word is not accepted if all
//! its runs leave them again. A state of the complement is the set of states that runs may be in, and of those the ones
//! that have been in accepting components since the last breakpoint; when none of these is left, that is the next one, and it
//! is accepting (S. Miyano and T. Hayashi, "Alternating finite automata on ω-words", TCS 1984, for a universal automaton).
//! The result is deterministic.
//!
//! Cost: at most 3^n states.

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;
use crate::operations::complement::{Macrostates, begun};
use crate::operations::letter_classes;

/// Where runs may be, and those that have not left accepting components since the last breakpoint; both ascending.
type Macrostate = (Vec<StateId>, Vec<StateId>);

fn bytes_of_macrostate((states, owing): &Macrostate) -> u64 {
    96 + 8 * (states.len() + owing.len()) as u64
}

/// The complement of a weak automaton.
pub(super) fn complement(a: &Automaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let info = SccInfo::new(a);
    let accepting = |q: &StateId| {
        let scc = info.components.of[q.index()];
        scc != u32::MAX && info.accepting[scc as usize]
    };
    let mut result = begun(a, effort);
    let mut macrostates = Macrostates::new();
    let mut start = a.initial.clone();
    start.sort_unstable();
    start.dedup();
    let first = (start, Vec::new());
    let bytes = bytes_of_macrostate(&first);
    let id = macrostates.id(&mut result, first, bytes);
    result.initial = vec![id];
    let mut done = 0;
    while let Some((states, owing)) = macrostates.found.get(done).cloned() {
        let from = StateId::new(done);
        done += 1;
        let edges = states.iter().flat_map(|&q| {
            let owes = owing.binary_search(&q).is_ok();
            a.edges[q.index()].iter().map(move |e| {
                // Which of the two sets the source is in travels with the edge.
                let marks = Marks(u64::from(owes));
                crate::omega::edge::Edge { marks, ..*e }
            })
        });
        let edges: Vec<_> = edges.collect();
        for (guard, enabled) in letter_classes(&mut result.guards, a.alphabet, &edges)? {
            let mut next: Vec<StateId> = enabled.iter().map(|e| e.target).collect();
            next.sort_unstable();
            next.dedup();
            let mut later: Vec<StateId> = if owing.is_empty() {
                next.clone()
            } else {
                let owed = enabled.iter().filter(|e| e.marks != Marks::NONE);
                owed.map(|e| e.target).collect()
            };
            later.retain(&accepting);
            later.sort_unstable();
            later.dedup();
            let marks = Marks(u64::from(owing.is_empty()));
            let macrostate = (next, later);
            let bytes = bytes_of_macrostate(&macrostate);
            let target = macrostates.id(&mut result, macrostate, bytes);
            result.add_edge(from, guard, marks, target)?;
        }
    }
    result.guards.end(effort);
    Ok(result)
}
