//! Traps: sets of places that stay marked.
//!
//! If each transition that takes from a set of places also puts into it, a set that is marked stays marked,
//! so that its places hold at least one token together in each reachable marking. The state equation does
//! not know this. A solution that empties a trap is no reachable marking (Esparza and Melzer 2000).
//!
//! Cost: the arcs once for each trap.

use dalsegno_kripke::Stop;

use super::super::net::PetriNet;
use super::system::Row;
use crate::watch::Watch;

/// Below this a place is empty.
const EMPTY: f64 = 1e-6;

/// The arcs of a net by place.
#[derive(Clone, Debug)]
pub(super) struct Traps {
    /// The transitions that take from each place.
    takers: Vec<Vec<u32>>,
    /// The transitions that put into each place.
    putters: Vec<Vec<u32>>,
}

impl Traps {
    pub(super) fn new(net: &PetriNet, watch: &Watch<'_>) -> Result<Self, Stop> {
        let mut takers: Vec<Vec<u32>> = vec![Vec::new(); net.places().len()];
        let mut putters = takers.clone();
        for (t, transition) in (0u32..).zip(net.transitions()) {
            watch.keep(8 * (transition.pre.len() + transition.post.len()))?;
            for &(p, _) in &transition.pre {
                takers[p.index()].push(t);
            }
            for &(p, _) in &transition.post {
                putters[p.index()].push(t);
            }
        }
        Ok(Traps { takers, putters })
    }

    /// A constraint of all reachable markings that a solution does not satisfy: the largest trap among its
    /// empty places is marked at the beginning.
    pub(super) fn emptied(&self, net: &PetriNet, marking: &[f64]) -> Option<Row> {
        let mut inside: Vec<bool> = marking.iter().map(|&n| n < EMPTY).collect();
        let marked = |p: usize| net.places()[p].initial > 0;
        if !(0..inside.len()).any(|p| inside[p] && marked(p)) {
            return None;
        }
        let transitions = net.transitions();
        // How many places of the set each transition puts into.
        let mut puts = vec![0usize; transitions.len()];
        for p in (0..inside.len()).filter(|&p| inside[p]) {
            for &t in &self.putters[p] {
                puts[t as usize] += 1;
            }
        }
        let drained = |&p: &usize| self.takers[p].iter().any(|&t| puts[t as usize] == 0);
        let mut leave: Vec<usize> = (0..inside.len()).filter(|&p| inside[p]).collect();
        leave.retain(drained);
        for &p in &leave {
            inside[p] = false;
        }
        while let Some(p) = leave.pop() {
            for &t in &self.putters[p] {
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
        let trap: Vec<usize> = (0..inside.len()).filter(|&p| inside[p]).collect();
        trap.iter().any(|&p| marked(p)).then(|| Row {
            terms: trap.iter().map(|&p| (p as u32, 1)).collect(),
            least: 1,
        })
    }
}
