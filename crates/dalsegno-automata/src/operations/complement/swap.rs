//! Complement of a deterministic automaton.
//!
//! A word is not accepted if its only run ends, or misses some acceptance set from some point on. The first is a run to a
//! new state that accepts everything. For the second, the point is guessed: there is a copy of the automaton per acceptance
//! set, without the edges of that set, and every run that stays in a copy is accepting (R. Kurshan, "Complementing
//! deterministic Büchi automata in polynomial time", JCSS 1987, for one set). Of a weak automaton accepting and
//! rejecting components change places, and the result is deterministic.
//!
//! Cost: linear in states × acceptance sets.

use dalsegno_kripke::Stop;

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;

/// The complement of a deterministic automaton; `is_weak` says that no component has cycles of both kinds.
pub(super) fn complement(
    a: &Automaton,
    is_weak: bool,
    effort: &Effort<'_>,
) -> Result<Automaton, Stop> {
    let info = SccInfo::new(a);
    let n = a.len();
    let copies = if is_weak { 0 } else { a.acceptance_sets };
    let mut result = Automaton::new(a.propositions.clone(), 1);
    result.guards = a.guards.clone();
    result.guards.begin(effort);
    result.alphabet = a.alphabet;
    for _ in 0..=n * (1 + copies as usize) {
        result.add_state(None);
    }
    let accepted = Marks(1);
    let sink = StateId::new(n * (1 + copies as usize));
    result.add_edge(sink, Bdd::TRUE, accepted, sink)?;
    result.initial = match a.initial.first() {
        Some(&q) => vec![q],
        None => vec![sink],
    };
    for (q, edges) in StateId::all().zip(&a.edges) {
        let component = info.components.of[q.index()];
        if component == u32::MAX {
            continue;
        }
        let swapped = is_weak && !info.accepting[component as usize];
        let mut rest = a.alphabet;
        for e in edges {
            result.guards.spend(1 + u64::from(copies))?;
            rest = result.guards.minus(rest, e.guard)?;
            result.add_edge(q, e.guard, Marks(u64::from(swapped)), e.target)?;
            for copy in 0..copies {
                let shift = n * (1 + copy as usize);
                result.add_edge(q, e.guard, Marks::NONE, e.target.after(shift))?;
                if !e.marks.has(copy) {
                    result.add_edge(q.after(shift), e.guard, accepted, e.target.after(shift))?;
                }
            }
        }
        if rest != Bdd::FALSE {
            result.add_edge(q, rest, accepted, sink)?;
        }
    }
    result.guards.end(effort);
    Ok(result)
}
