//! States whose languages are seen to be stutter-invariant.
//!
//! In a deterministic automaton of a stutter-invariant language, all are: the language of a state that u leads to has the
//! words w with uw in the language, and if w and w' differ in repetitions only, so do uw and uw'. In any
//! automaton it is enough that all states reachable from a state are *closed*: an edge on ℓ can be taken in two steps on ℓ, and two edges in
//! a row on ℓ in one step, with no fewer marks. Then letters of a word may be repeated and repetitions left out, and there is still an
//! accepting run.

use dalsegno_kripke::Stop;

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::state_id::StateId;

/// Which states of an automaton of a stutter-invariant language are closed, or all of them if it is deterministic. A state has
/// a stutter-invariant language if it and all states reachable from it are told.
pub(crate) fn closed_states(a: &mut Automaton, effort: &Effort<'_>) -> Vec<bool> {
    if a.is_deterministic() {
        return vec![true; a.len()];
    }
    a.guards.begin(effort);
    let closed: Result<Vec<bool>, Stop> =
        StateId::first(a.len()).map(|q| is_closed(a, q)).collect();
    a.guards.end(effort);
    closed.unwrap_or_else(|_| vec![false; a.len()])
}

fn is_closed(a: &mut Automaton, q: StateId) -> Result<bool, Stop> {
    let (guards, edges) = (&mut a.guards, &a.edges);
    let out = &edges[q.index()];
    for first in out {
        // In two steps.
        let mut rest = first.guard;
        for one in out {
            for two in &edges[one.target.index()] {
                guards.spend(1)?;
                let marks = one.marks.union(two.marks);
                if two.target == first.target && marks.contains(first.marks) {
                    let both = guards.and(one.guard, two.guard)?;
                    rest = guards.minus(rest, both)?;
                }
            }
        }
        if rest != Bdd::FALSE {
            return Ok(false);
        }
        // In one step.
        for second in &edges[first.target.index()] {
            let mut rest = guards.and(first.guard, second.guard)?;
            let marks = first.marks.union(second.marks);
            for one in out {
                guards.spend(1)?;
                if one.target == second.target && one.marks.contains(marks) {
                    rest = guards.minus(rest, one.guard)?;
                }
            }
            if rest != Bdd::FALSE {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
