//! Marks that are free to be there or not: other ways to write the same acceptance.
//!
//! Simulation compares marks edge by edge, so it depends on where they are. Pruning leaves as few as
//! possible; the functions here put as many as possible. Neither is always better, so both are tried.
//! An automaton for which the effort does not suffice stays as it is.

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::body::Body;
use crate::omega::edge::{Edge, Marks};
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;

/// Puts all marks on the edges between components, which no run takes twice.
#[must_use]
pub(crate) fn mark_transient(a: Automaton, effort: &Effort<'_>) -> Automaton {
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    a.improve(effort, |a| {
        marked(a, |q, e| {
            if info.components.same(q, e.target) {
                e.marks
            } else {
                all
            }
        })
    })
}

/// Inside accepting components, a mark on all edges out of a state is put on all edges into it, and
/// the other way round, until nothing changes: whoever passes the state gets the mark anyhow.
#[must_use]
pub(crate) fn propagate(a: Automaton, effort: &Effort<'_>) -> Automaton {
    if a.acceptance_sets == 0 {
        return a;
    }
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    a.improve(effort, |a| {
        // Per state: the marks common to the edges into it and to those out of it.
        let mut common = vec![(Marks::NONE, Marks::NONE); a.len()];
        let with = |common: &[(Marks, Marks)], q: StateId, e: &Edge| {
            if inside(&info, q, e) {
                let into = common[e.target.index()].1;
                e.marks.union(common[q.index()].0).union(into)
            } else {
                e.marks
            }
        };
        loop {
            let mut next = vec![(all, all); a.len()];
            for (q, edges) in StateId::all().zip(&a.edges) {
                a.guards.spend(1 + edges.len() as u64)?;
                for e in edges.iter().filter(|e| inside(&info, q, e)) {
                    let marks = with(&common, q, e);
                    let out = &mut next[q.index()].1;
                    *out = out.intersection(marks);
                    let entry = &mut next[e.target.index()].0;
                    *entry = entry.intersection(marks);
                }
            }
            if next == common {
                break;
            }
            common = next;
        }
        // Edges that have become equal but for their guards are united.
        marked(a, |q, e| with(&common, q, e))
    })
}

/// Inside accepting components, a mark on all edges out of a state moves to the edges into it: it is
/// counted one step earlier. That suits a degeneralisation, which counts on arrival.
#[must_use]
pub(crate) fn shift(a: Automaton, effort: &Effort<'_>) -> Automaton {
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    a.improve(effort, |a| {
        let common: Vec<Marks> = StateId::all()
            .zip(&a.edges)
            .map(|(q, edges)| {
                let inner = edges.iter().filter(|e| inside(&info, q, e));
                inner.fold(all, |m, e| m.intersection(e.marks))
            })
            .collect();
        marked(a, |q, e| {
            if inside(&info, q, e) {
                Marks(e.marks.0 & !common[q.index()].0).union(common[e.target.index()])
            } else {
                e.marks
            }
        })
    })
}

fn inside(info: &SccInfo, q: StateId, e: &Edge) -> bool {
    info.components.of[q.index()] != u32::MAX && info.is_inside(q, e.target)
}

/// The same states and edges with other marks.
fn marked(a: &mut Automaton, marks: impl Fn(StateId, &Edge) -> Marks) -> Result<Body, Stop> {
    a.rebuilt(Body::new(a.acceptance_sets), |_| true, marks)
}
