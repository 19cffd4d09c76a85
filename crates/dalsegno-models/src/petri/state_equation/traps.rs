//! Traps: sets of places that stay marked.
//!
//! If each transition that takes from a set of places also puts into it, a set that is marked stays marked,
//! so that its places hold at least one token together in each reachable marking. The state equation does
//! not know this. A solution that empties a trap is no reachable marking (Esparza and Melzer 2000).
//!
//! Cost: the arcs once for each trap.

use super::super::net::PetriNet;
use super::system::Row;

/// Below this a place is empty.
const EMPTY: f64 = 1e-6;

/// A constraint of all reachable markings that a solution does not satisfy: the largest trap among its empty
/// places is marked at the beginning.
pub(super) fn emptied(net: &PetriNet, marking: &[f64]) -> Option<Row> {
    let mut inside: Vec<bool> = marking.iter().map(|&n| n < EMPTY).collect();
    let transitions = net.transitions();
    // How many places of the set each transition puts into, and who takes from where.
    let mut puts = vec![0usize; transitions.len()];
    let mut takers: Vec<Vec<u32>> = vec![Vec::new(); marking.len()];
    let mut putters: Vec<Vec<u32>> = vec![Vec::new(); marking.len()];
    for (t, transition) in (0u32..).zip(transitions) {
        for &(p, _) in &transition.post {
            puts[t as usize] += usize::from(inside[p.index()]);
            putters[p.index()].push(t);
        }
        for &(p, _) in &transition.pre {
            takers[p.index()].push(t);
        }
    }
    let drains = |puts: &[usize], p: usize| takers[p].iter().any(|&t| puts[t as usize] == 0);
    let mut leave: Vec<usize> = (0..inside.len())
        .filter(|&p| inside[p] && drains(&puts, p))
        .collect();
    for &p in &leave {
        inside[p] = false;
    }
    while let Some(p) = leave.pop() {
        for &t in &putters[p] {
            puts[t as usize] -= 1;
            if puts[t as usize] > 0 {
                continue;
            }
            for &(q, _) in &transitions[t as usize].pre {
                if std::mem::replace(&mut inside[q.index()], false) {
                    leave.push(q.index());
                }
            }
        }
    }
    let marked = |p: usize| inside[p] && net.places()[p].initial > 0;
    let places = (0..inside.len()).filter(|&p| inside[p]);
    let trap: Vec<(u32, i64)> = places.map(|p| (p as u32, 1)).collect();
    (0..inside.len()).any(marked).then_some(Row {
        terms: trap,
        least: 1,
    })
}
