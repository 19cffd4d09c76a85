//! Which states can lie on an accepting cycle, and whether every cycle through them accepts.
//!
//! A component in which every edge carries all marks accepts whatever stays in it, and so does one of universal states; a
//! component whose edges lack a mark accepts nothing. If there are no other components the automaton is *weak*: a run
//! accepts as soon as it stays in a component that does, and emptiness needs no marks (Černá and Pelánek, MFCS 2003).
//!
//! Cost: linear in the edges.

use super::edge::Marks;
use super::scc::Components;
use super::state_id::StateId;

/// What the components of an automaton tell about acceptance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Acceptance {
    /// Whether a state lies in a component that may accept.
    pub may_accept: Vec<bool>,
    /// Whether all that stays among such states is accepted.
    pub weak: bool,
}

impl Acceptance {
    /// Of an automaton with `n` states, by the edges of each state and the states known to be universal.
    pub(crate) fn new(
        n: usize,
        all: Marks,
        universal: &[bool],
        edge: impl Fn(StateId, usize) -> Option<(StateId, Marks)>,
    ) -> Self {
        let successor = |q, i| edge(q, i).map(|(target, _)| target);
        let components = Components::new(n, StateId::first(n), successor);
        let mut union = vec![None; components.count];
        let mut common = vec![all; components.count];
        let mut decided = vec![true; components.count];
        for q in StateId::first(n) {
            let own = components.of[q.index()] as usize;
            decided[own] &= universal[q.index()];
            let edges = (0..).map_while(|i| edge(q, i));
            for (_, marks) in edges.filter(|&(target, _)| components.same(q, target)) {
                let seen = union[own].unwrap_or(Marks::NONE);
                union[own] = Some(seen.union(marks));
                common[own] = common[own].intersection(marks);
            }
        }
        let accepts = |c: usize| union[c].is_some_and(|marks: Marks| marks.contains(all));
        let may_accept = (0..n).map(|q| accepts(components.of[q] as usize)).collect();
        let mut accepting = (0..components.count).filter(|&c| accepts(c));
        let weak = accepting.all(|c| decided[c] || common[c].contains(all));
        Acceptance { may_accept, weak }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: usize, all: u64, edges: &[(u32, u32, u64)]) -> Acceptance {
        let edge = |q: StateId, i: usize| {
            let mut own = edges.iter().filter(|e| e.0 == q.packed());
            own.nth(i)
                .map(|&(_, target, marks)| (StateId::unpacked(target), Marks(marks)))
        };
        Acceptance::new(n, Marks(all), &vec![false; n], edge)
    }

    #[test]
    fn a_component_accepts_always_never_or_it_depends() {
        let always = of(2, 1, &[(0, 0, 0), (0, 1, 0), (1, 1, 1)]);
        assert_eq!(always.may_accept, [false, true]);
        assert!(always.weak);
        let depends = of(2, 3, &[(0, 1, 1), (1, 0, 2)]);
        assert_eq!(depends.may_accept, [true, true]);
        assert!(!depends.weak);
        let never = of(2, 3, &[(0, 1, 1), (1, 0, 1)]);
        assert_eq!(never.may_accept, [false, false]);
        assert!(never.weak);
        // Without acceptance sets every cycle accepts; a state without one does not.
        let all = of(2, 0, &[(0, 1, 0), (1, 1, 0)]);
        assert_eq!(all.may_accept, [false, true]);
        assert!(all.weak);
    }
}
