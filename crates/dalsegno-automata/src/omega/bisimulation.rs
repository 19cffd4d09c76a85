//! Reduction by bisimulation: partition refinement.
//!
//! Two states are bisimilar if on each letter they have edges with the same marks to bisimilar states. In a
//! deterministic automaton that is what direct simulation finds as well: states that simulate each other have the same
//! letters, marks and, letter by letter, targets that simulate each other; no edge dominates another, as no two share a
//! letter. Reverse simulation finds nothing there, since no word leads to two states. So for deterministic automata this pass does
//! all that [`crate::omega::simulation`] could do, without an order on the states.
//!
//! The partition starts with one class. A class is split by the rows of its states, a row being the union of the
//! guards per (marks, class of the target). Only rows of states with an edge into a part that was split off are computed
//! again, and the largest part of a class keeps its name (Hopcroft's rule, for hash-consed guards), so that an edge is
//! looked at about log n times. An automaton for which the effort does not suffice stays as it is.

use rustc_hash::FxHashMap;

use dalsegno_kripke::Stop;

use crate::bdd::{Bdd, Manager};
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::body::Body;
use crate::omega::edge::{Edge, Marks};
use crate::omega::state_id::StateId;

/// The quotient by bisimulation; labels are kept.
#[must_use]
pub(crate) fn bisimulation(automaton: Automaton, effort: &Effort<'_>) -> Automaton {
    automaton.improve(effort, |a| {
        let (class, count) = partition(&mut a.guards, &a.edges)?;
        if count == a.len() {
            return Ok(Body::of(a));
        }
        quotient(a, &class, count)
    })
}

/// What a class of states has in common: (class of the target, marks) with the letters, sorted.
type Row = Vec<(u32, Marks, Bdd)>;

fn row(guards: &mut Manager, edges: &[Edge], class: &[u32]) -> Result<Row, Stop> {
    guards.spend(1 + edges.len() as u64)?;
    let mut row: Row = edges
        .iter()
        .map(|e| (class[e.target.index()], e.marks, e.guard))
        .collect();
    row.sort_unstable();
    let mut united: Row = Vec::with_capacity(row.len());
    for (c, marks, guard) in row {
        match united.last_mut() {
            Some((d, m, g)) if (*d, *m) == (c, marks) => *g = guards.or(*g, guard)?,
            _ => united.push((c, marks, guard)),
        }
    }
    Ok(united)
}

/// The coarsest partition into bisimilar states: the class of each state, and how many there are.
fn partition(guards: &mut Manager, edges: &[Vec<Edge>]) -> Result<(Vec<u32>, usize), Stop> {
    let n = edges.len();
    let mut sources: Vec<Vec<StateId>> = vec![Vec::new(); n];
    for (q, out) in StateId::all().zip(edges) {
        for e in out {
            let known = &mut sources[e.target.index()];
            if known.last() != Some(&q) {
                known.push(q);
            }
        }
    }
    let mut class = vec![0u32; n];
    let mut members: Vec<Vec<StateId>> = vec![StateId::first(n).collect()];
    // States whose rows may differ from those of their class.
    let mut doubtful: Vec<bool> = vec![true; n];
    let mut open: Vec<StateId> = StateId::first(n).collect();
    while !open.is_empty() {
        let mut touched: Vec<u32> = open.iter().map(|&q| class[q.index()]).collect();
        touched.sort_unstable();
        touched.dedup();
        open.clear();
        // All rows of a round are relative to the partition at its beginning.
        let before = class.clone();
        let mut moved: Vec<StateId> = Vec::new();
        for c in touched {
            let states = std::mem::take(&mut members[c as usize]);
            let parts = split(guards, edges, &before, &doubtful, &states)?;
            for &q in &states {
                doubtful[q.index()] = false;
            }
            let largest = (0..parts.len()).max_by_key(|&i| (parts[i].len(), parts.len() - i));
            for (i, part) in parts.into_iter().enumerate() {
                if Some(i) == largest {
                    members[c as usize] = part;
                    continue;
                }
                let fresh = members.len() as u32;
                for &q in &part {
                    class[q.index()] = fresh;
                }
                moved.extend(&part);
                members.push(part);
            }
        }
        for q in moved {
            guards.spend(1 + sources[q.index()].len() as u64)?;
            for &p in &sources[q.index()] {
                if !std::mem::replace(&mut doubtful[p.index()], true) {
                    open.push(p);
                }
            }
        }
    }
    Ok((class, members.len()))
}

/// The parts of a class with equal rows. States that are not doubtful have the row of the first such state.
fn split(
    guards: &mut Manager,
    edges: &[Vec<Edge>],
    class: &[u32],
    doubtful: &[bool],
    states: &[StateId],
) -> Result<Vec<Vec<StateId>>, Stop> {
    let mut ids: FxHashMap<Row, usize> = FxHashMap::default();
    let mut parts: Vec<Vec<StateId>> = Vec::new();
    let mut common: Option<usize> = None;
    for &q in states {
        let settled = !doubtful[q.index()];
        let part = match common {
            Some(part) if settled => part,
            _ => {
                let row = row(guards, &edges[q.index()], class)?;
                let fresh = parts.len();
                let part = *ids.entry(row).or_insert(fresh);
                if part == fresh {
                    parts.push(Vec::new());
                }
                if settled {
                    common = Some(part);
                }
                part
            }
        };
        parts[part].push(q);
    }
    Ok(parts)
}

/// One state per class, in the order of their first states.
fn quotient(a: &mut Automaton, class: &[u32], count: usize) -> Result<Body, Stop> {
    let mut body = Body::like(a);
    let mut new_id = vec![StateId::NONE; count];
    let mut first: Vec<usize> = Vec::with_capacity(count);
    for (q, &c) in class.iter().enumerate() {
        if new_id[c as usize] == StateId::NONE {
            new_id[c as usize] = body.add_state(a.labels[q])?;
            first.push(q);
        } else {
            let label = &mut body.labels[new_id[c as usize].index()];
            *label = label.or(a.labels[q]);
        }
    }
    let id = |q: StateId| new_id[class[q.index()] as usize];
    for (source, &q) in StateId::all().zip(&first) {
        for e in &a.edges[q] {
            let edge = Edge {
                target: id(e.target),
                ..*e
            };
            body.add_edge(&mut a.guards, a.alphabet, source, edge)?;
        }
    }
    body.initial = a.initial.iter().map(|&q| id(q)).collect();
    body.initial.sort_unstable();
    body.initial.dedup();
    Ok(body)
}
