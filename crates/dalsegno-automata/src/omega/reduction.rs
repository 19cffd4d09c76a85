//! Reduction of an automaton by all passes that keep its language.
//!
//! Bisimulation, then direct and reverse simulation until neither finds anything; a Büchi automaton is made from a TGBA by
//! degeneralisation. Of two automata the smaller one is kept. What an effort does not suffice for stays as it is.

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::bisimulation::bisimulation;
use crate::omega::degeneralize::degeneralize;
use crate::omega::marks::shift;
use crate::omega::scc_filter::filter_components;
use crate::omega::simulation::{Method, reduce_direct, reduce_reverse};

/// A small Büchi automaton: made within `must`, made smaller within `may`.
pub(crate) fn buchi(
    tgba: Automaton,
    must: &Effort<'_>,
    may: &Effort<'_>,
) -> Result<Automaton, Stop> {
    let states = tgba.len();
    let shifted = shift(tgba.clone(), may);
    let ba = reduce(degeneralize(tgba, must)?, false, may);
    if ba.len() <= states {
        return Ok(ba);
    }
    Ok(match degeneralize(shifted, may) {
        Ok(other) => smaller(Some(ba), reduce(other, false, may)),
        Err(_) => ba,
    })
}

/// A smaller automaton with acceptance of the same kind: bisimulation, then simulation in both directions until neither
/// finds anything. With `keep_labels`, passes that lose the formulas of states are left out.
pub(crate) fn reduce(mut a: Automaton, keep_labels: bool, effort: &Effort<'_>) -> Automaton {
    a = bisimulation(a, effort);
    if a.is_deterministic() {
        return filter_components(a, effort);
    }
    loop {
        let before = size(&a);
        a = reduce_direct(a, Method::Signatures, effort);
        if !keep_labels {
            a = reduce_reverse(a, Method::Signatures, effort);
        }
        if size(&a) == before {
            return a;
        }
    }
}

fn size(a: &Automaton) -> (usize, usize) {
    (a.len(), a.edge_count())
}

/// The first one if [`is_smaller`] says so, or the second one.
pub(crate) fn smaller(first: Option<Automaton>, second: Automaton) -> Automaton {
    match first {
        Some(first) if is_smaller(&first, &second) => first,
        _ => second,
    }
}

/// Whether the first one has fewer states; then whether it is the deterministic one, then whether it has fewer edges, or as
/// many. Where the numbers of states are within an eighth and those of edges are not within a quarter, edges decide.
pub(crate) fn is_smaller(first: &Automaton, second: &Automaton) -> bool {
    let (a, b) = (size(first), size(second));
    let near = 8 * a.0.abs_diff(b.0) <= a.0.max(b.0);
    if near && a.0 != b.0 && 4 * a.1.abs_diff(b.1) > a.1.max(b.1) {
        a.1 < b.1
    } else if a.0 == b.0 {
        let rank = |a: &Automaton| (!a.is_deterministic(), a.edge_count());
        rank(first) <= rank(second)
    } else {
        a.0 < b.0
    }
}
