//! Union with an eventuality.
//!
//! If `w ⊨ e` implies `uw ⊨ e` for every finite `u`, then a run of any automaton A may jump to the automaton of `e` whenever
//! it likes: what it has read before does not matter. So the union needs no initial state of its own: the initial state
//! of A gets the edges of the initial state of E besides its own, as often as the run comes back to it. For `G F a | F G b` the state that
//! waits for `b` is then simulated by the state of `G F a`, and two states are left of three.
//!
//! Cost: that of a union.

use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::product::union;
use crate::omega::state_id::StateId;

/// The words that one of the two accepts; every finite prefix before a word of `eventual` must give another one. `None` if
/// an automaton has several initial states.
///
/// # Errors
/// When the effort runs out.
pub(crate) fn eventual_union(
    a: &Automaton,
    eventual: &Automaton,
    effort: &Effort<'_>,
) -> Result<Option<Automaton>, Error> {
    if a.initial.len() != 1 || eventual.initial.len() != 1 {
        return Ok(None);
    }
    let mut result = union(a, eventual, effort)?;
    let (home, jump): (StateId, StateId) = (result.initial[0], result.initial[1]);
    result.guards.begin(effort);
    for e in result.edges[jump.index()].clone() {
        // No cycle comes back, so marks do not matter.
        result.add_edge(home, e.guard, crate::Marks::NONE, e.target)?;
    }
    result.guards.end(effort);
    result.initial = vec![home];
    result.labels = vec![None; result.len()];
    Ok(Some(result))
}
