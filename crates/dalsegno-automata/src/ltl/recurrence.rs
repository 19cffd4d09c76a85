//! `G F g` for a guarantee `g`: a small deterministic automaton from the one of `F g`.
//!
//! The minimal deterministic automaton of `F g` moves to its accepting trap exactly when an
//! occurrence of `g` is complete. For `G F g`, count that occurrence with a mark and look for the next
//! one, which may overlap the last letter of the one just seen (Esparza, Křetínský and Sickert, "From
//! LTL to Deterministic Automata", FMSD 2016, treat the same fragment; the overlap is ours). The
//! language does not depend on finite prefixes, so any state of the last component is a good start.
//!
//! The deterministic automaton may be exponentially larger than one that guesses where an occurrence begins. So
//! [`restarted`] takes any *terminal* automaton of `F g`, one that accepts by reaching a state from which every word is
//! accepted, and starts it again instead, with a mark. Each piece of the word between two marks is then such that `F g` holds
//! where it begins, whatever follows; and a word of `G F g` satisfies `F g` wherever the automaton is started again. For `G F(a <-> X^n a)` it has 2n + 1 states.

use dalsegno_kripke::Stop;

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::minimize::Weak;
use crate::omega::scc_filter::scc_filter;
use crate::omega::state_id::StateId;
use crate::omega::universal::terminal_states;

/// The automaton of `G F g` from a terminal automaton of `F g` with one initial state; `None` if the automaton is not
/// seen to be terminal.
///
/// # Errors
/// When the effort runs out.
pub(crate) fn restarted(
    eventually: Automaton,
    effort: &Effort<'_>,
) -> Result<Option<Automaton>, Stop> {
    let &[start] = &eventually.initial[..] else {
        return Ok(None);
    };
    let Some(universal) = terminal_states(&eventually).filter(|u| !u[start.index()]) else {
        return Ok(None);
    };
    let edges = eventually.edges.clone();
    let mut result = eventually.into_frame(1);
    result.guards.begin(effort);
    for _ in &edges {
        result.add_state(None);
    }
    for (q, e) in StateId::all()
        .zip(&edges)
        .flat_map(|(q, out)| out.iter().map(move |e| (q, e)))
    {
        if universal[e.target.index()] {
            result.add_edge(q, e.guard, Marks(1), start)?;
        } else {
            result.add_edge(q, e.guard, Marks::NONE, e.target)?;
        }
    }
    result.guards.end(effort);
    result.initial = vec![start];
    Ok(Some(scc_filter(result, effort)))
}

/// The automaton of `G F g` from the minimal weak automaton of `F g`; `None` if that one has no
/// accepting trap or accepts at once.
///
/// # Errors
/// When the effort runs out.
pub(crate) fn repeated(eventually: &Weak, effort: &Effort<'_>) -> Result<Option<Automaton>, Stop> {
    let weak = &eventually.automaton;
    let Some(&start) = weak.initial.first() else {
        return Ok(None);
    };
    let is_trap = |&q: &StateId| {
        eventually.accepting[q.index()] && weak.edges[q.index()].iter().all(|e| e.target == q)
    };
    let trap = match StateId::first(weak.len()).find(is_trap) {
        Some(trap) if trap != start => trap,
        _ => return Ok(None),
    };
    let mut result = weak.clone().into_frame(1);
    result.guards.begin(effort);
    for _ in 0..weak.len() {
        result.add_state(None);
    }
    for q in StateId::first(weak.len()) {
        for e in &weak.edges[q.index()] {
            if e.target != trap {
                result.add_edge(q, e.guard, Marks::NONE, e.target)?;
                continue;
            }
            // Complete: read the same letter once more as the first of the next occurrence.
            for again in &weak.edges[start.index()] {
                let guard = result.guards.and(e.guard, again.guard)?;
                let target = if again.target == trap {
                    start
                } else {
                    again.target
                };
                if guard != Bdd::FALSE {
                    result.add_edge(q, guard, Marks(1), target)?;
                }
            }
        }
    }
    result.guards.end(effort);
    // The components are numbered from the bottom: a state of component 0 starts.
    result.initial = vec![start];
    let components = crate::omega::scc::Components::new(result.len(), [start], |q, i| {
        result.edges[q.index()].get(i).map(|e| e.target)
    });
    let bottom = StateId::first(result.len()).find(|&q| components.of[q.index()] == 0);
    result.initial = vec![bottom.unwrap_or(start)];
    Ok(Some(scc_filter(result, effort)))
}
