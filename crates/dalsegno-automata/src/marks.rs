//! Marks that are free to be there or not: other ways to write the same acceptance.
//!
//! Simulation compares marks edge by edge, so it depends on where they are. Pruning leaves as few as
//! possible; the functions here put as many as possible. Neither is always better, so both are tried.

use crate::automaton::{Automaton, Marks};
use crate::prune::SccInfo;

/// Puts all marks on the edges between components, which no run takes twice.
#[must_use]
pub fn mark_transient(mut a: Automaton) -> Automaton {
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    for (q, edges) in (0..).zip(&mut a.edges) {
        for e in edges
            .iter_mut()
            .filter(|e| !info.components.same(q, e.target))
        {
            e.marks = all;
        }
        edges.sort_unstable_by_key(|e| (e.target, e.marks));
    }
    a
}

/// Inside accepting components, a mark on all edges out of a state is put on all edges into it, and
/// the other way round, until nothing changes: whoever passes the state gets the mark anyhow.
#[must_use]
pub fn propagate(mut a: Automaton) -> Automaton {
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    if all == Marks::NONE {
        return a;
    }
    loop {
        let mut common = vec![(all, all); a.len()];
        let inside = |a: &Automaton| -> Vec<(usize, usize)> {
            (0..a.len())
                .flat_map(|q| (0..a.edges[q].len()).map(move |i| (q, i)))
                .filter(|&(q, i)| {
                    info.components.of[q] != u32::MAX
                        && info.is_inside(q as u32, a.edges[q][i].target)
                })
                .collect()
        };
        let edges = inside(&a);
        for &(q, i) in &edges {
            let e = a.edges[q][i];
            common[q].1 = common[q].1.intersection(e.marks);
            let entry = &mut common[e.target as usize].0;
            *entry = entry.intersection(e.marks);
        }
        let mut changed = false;
        for &(q, i) in &edges {
            let e = &mut a.edges[q][i];
            let more = common[q].0.union(common[e.target as usize].1);
            if !e.marks.contains(more) {
                e.marks = e.marks.union(more);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    // Edges that have become equal but for their guards are united.
    let edges = std::mem::take(&mut a.edges);
    a.edges = vec![Vec::new(); edges.len()];
    for (q, out) in (0..).zip(edges) {
        for e in out {
            a.add_edge(q, e.guard, e.marks, e.target);
        }
    }
    a
}

/// Inside accepting components, a mark on all edges out of a state moves to the edges into it: it is
/// counted one step earlier. That suits a degeneralisation, which counts on arrival.
#[must_use]
pub fn shift(mut a: Automaton) -> Automaton {
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    let inside = |q: usize, target: u32| {
        info.components.of[q] != u32::MAX && info.is_inside(q as u32, target)
    };
    let common: Vec<Marks> = (0..a.len())
        .map(|q| {
            let inner = a.edges[q].iter().filter(|e| inside(q, e.target));
            inner.fold(all, |m, e| m.intersection(e.marks))
        })
        .collect();
    let edges = std::mem::take(&mut a.edges);
    a.edges = vec![Vec::new(); edges.len()];
    for (q, out) in edges.into_iter().enumerate() {
        for e in out {
            let marks = if inside(q, e.target) {
                Marks(e.marks.0 & !common[q].0).union(common[e.target as usize])
            } else {
                e.marks
            };
            a.add_edge(q as u32, e.guard, marks, e.target);
        }
    }
    a
}
