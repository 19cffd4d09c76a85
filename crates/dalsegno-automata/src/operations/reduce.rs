//! A smaller automaton of the same language, for automata that come from anywhere.
//!
//! States that reach no accepting cycle go, marks that say nothing go, and states are merged by direct and reverse
//! simulation until neither finds anything. All of it is optional work within the effort.

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::degeneralize::degeneralize;
use crate::omega::scc_filter::scc_filter;
use crate::omega::simulation::{Method, reduce_direct, reduce_reverse};

/// The steps that go into making one automaton smaller.
const EFFORT: u64 = 1 << 23;

/// An automaton with the same language, smaller where that is found within a part of the effort.
#[must_use]
pub fn reduce(automaton: Automaton, effort: &Effort<'_>) -> Automaton {
    let part = effort.part(EFFORT);
    let mut a = scc_filter(automaton, &part);
    loop {
        let before = size(&a);
        a = reduce_direct(a, Method::Signatures, &part);
        a = reduce_reverse(a, Method::Signatures, &part);
        a = scc_filter(a, &part);
        if size(&a) >= before {
            effort.refund(&part);
            return a;
        }
    }
}

/// A Büchi automaton with the same language: one acceptance set, on states.
///
/// # Errors
/// When the effort runs out before there is one.
pub fn buchi(automaton: Automaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let mut a = degeneralize(reduce(automaton, effort), effort)?;
    let part = effort.part(EFFORT);
    loop {
        let before = size(&a);
        a = reduce_direct(a, Method::Signatures, &part);
        a = reduce_reverse(a, Method::Signatures, &part);
        if size(&a) >= before {
            effort.refund(&part);
            return Ok(a);
        }
    }
}

fn size(a: &Automaton) -> (usize, usize, u32) {
    (a.len(), a.edge_count(), a.acceptance_sets)
}
