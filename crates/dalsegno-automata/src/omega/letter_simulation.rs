//! Direct simulation, letter by letter.
//!
//! The relation of [`crate::omega::simulation`], computed on single letters instead of diagrams. Testing
//! automata have hardly two states or two changesets alike, so signatures as diagrams only cost there.
//! The relation starts full and loses pairs until it is stable: p simulates q as long as every edge of q
//! has an edge of p on the same letter with at least its marks to a state that simulates its target.
//!
//! Cost: per round, the edges of q and p for every pair (q, p) that is left; few rounds in practice. Given
//! up when the effort runs out or there are 2^24 edges on single letters.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Letter, Stop};

use crate::bdd::{Bdd, Manager};
use crate::omega::edge::{Edge, Marks};
use crate::omega::simulation::Simulation;
use crate::omega::state_id::StateId;

/// An edge on one letter; ordered by letter first.
type Step = (u64, StateId, Marks);

/// The most steps on single letters that are compared.
const MAX_STEPS: u64 = 1 << 24;

/// As [`crate::omega::simulation::simulate`], for guards over the first `variables` variables.
pub(crate) fn simulate(
    guards: &mut Manager,
    edges: &[Vec<Edge>],
    flags: &[u8],
    variables: usize,
) -> Result<Simulation, Stop> {
    let n = edges.len();
    let mut total = 0u64;
    let mut steps: Vec<Vec<Step>> = Vec::with_capacity(n);
    for out in edges {
        let letters = out.iter().map(|e| guards.count(e.guard, variables));
        let letters = letters.fold(0, u64::saturating_add);
        guards.spend(letters)?;
        total = total.saturating_add(letters);
        if total > MAX_STEPS {
            return Err(Stop::Memory);
        }
        steps.push(spread(guards, out, variables));
    }
    let relation = Relation::largest(guards, &steps, flags)?;

    let mut class = vec![u32::MAX; n];
    let mut first: Vec<usize> = Vec::new();
    for q in 0..n {
        guards.spend(n as u64 / 16)?;
        if class[q] == u32::MAX {
            for (p, class) in class.iter_mut().enumerate().skip(q) {
                if relation.has(q, p) && relation.has(p, q) {
                    *class = first.len() as u32;
                }
            }
            first.push(q);
        }
    }
    let simulators: Vec<Vec<u32>> = first
        .iter()
        .map(|&q| {
            let above = (0..).zip(&first).filter(|&(_, &p)| relation.has(q, p));
            above.map(|(d, _)| d).collect()
        })
        .collect();
    let edges = first
        .iter()
        .map(|&q| undominated(guards, &steps[q], &class, &simulators, variables))
        .collect::<Result<_, Stop>>()?;
    Ok(Simulation {
        class,
        simulators,
        edges,
    })
}

fn spread(guards: &Manager, edges: &[Edge], variables: usize) -> Vec<Step> {
    let mut steps: Vec<Step> = edges
        .iter()
        .flat_map(|e| {
            let letters = guards.letters(e.guard, variables);
            letters.into_iter().map(|l| (l.0, e.target, e.marks))
        })
        .collect();
    steps.sort_unstable();
    steps
}

/// The steps of a class that no other step on the same letter dominates, gathered into edges.
fn undominated(
    guards: &mut Manager,
    steps: &[Step],
    class: &[u32],
    simulators: &[Vec<u32>],
    variables: usize,
) -> Result<Vec<Edge>, Stop> {
    let mut letters: FxHashMap<(u32, Marks), Vec<u64>> = FxHashMap::default();
    let mut order: Vec<(u32, Marks)> = Vec::new();
    for group in steps.chunk_by(|a, b| a.0 == b.0) {
        let mut targets: Vec<(u32, Marks)> = group
            .iter()
            .map(|&(_, t, m)| (class[t.index()], m))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        guards.spend((targets.len() * targets.len()) as u64)?;
        for &(c, m) in &targets {
            let dominated = targets.iter().any(|&(d, k)| {
                (d, k) != (c, m)
                    && k.contains(m)
                    && simulators[c as usize].binary_search(&d).is_ok()
            });
            if !dominated {
                let slot = letters.entry((c, m)).or_insert_with(|| {
                    order.push((c, m));
                    Vec::new()
                });
                slot.push(group[0].0);
            }
        }
    }
    let mut edges = Vec::with_capacity(order.len());
    for (target, marks) in order {
        let guard = gather(guards, &letters[&(target, marks)], 0, variables)?;
        edges.push(Edge {
            guard,
            marks,
            target: StateId::unpacked(target),
        });
    }
    Ok(edges)
}

/// The function that holds on exactly the given letters, seen from variable `var` on.
fn gather(
    guards: &mut Manager,
    letters: &[u64],
    var: usize,
    variables: usize,
) -> Result<Bdd, Stop> {
    if letters.is_empty() {
        return Ok(Bdd::FALSE);
    }
    if var == variables {
        return Ok(Bdd::TRUE);
    }
    let (high, low): (Vec<u64>, Vec<u64>) = letters.iter().partition(|&&l| Letter(l).holds(var));
    let low = gather(guards, &low, var + 1, variables)?;
    let high = gather(guards, &high, var + 1, variables)?;
    guards.node(var as u32, low, high)
}

/// A relation on states as rows of bits: row q has the states that simulate q.
struct Relation {
    words: usize,
    bits: Vec<u64>,
}

impl Relation {
    fn largest(guards: &mut Manager, steps: &[Vec<Step>], flags: &[u8]) -> Result<Self, Stop> {
        let n = steps.len();
        let words = n.div_ceil(64);
        let mut relation = Relation {
            words,
            bits: vec![0; n * words],
        };
        for q in 0..n {
            for p in 0..n {
                if flags[q] & !flags[p] == 0 {
                    relation.bits[q * words + p / 64] |= 1 << (p % 64);
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for q in 0..n {
                guards.spend(n as u64 / 16)?;
                for p in 0..n {
                    if q == p || !relation.has(q, p) {
                        continue;
                    }
                    guards.spend(1 + (steps[q].len() + steps[p].len()) as u64 / 4)?;
                    if !relation.matches(&steps[q], &steps[p]) {
                        relation.bits[q * words + p / 64] &= !(1 << (p % 64));
                        changed = true;
                    }
                }
            }
        }
        Ok(relation)
    }

    #[inline]
    fn has(&self, q: usize, p: usize) -> bool {
        self.bits[q * self.words + p / 64] >> (p % 64) & 1 == 1
    }

    /// Whether every step of `left` has a match in `right`; both are sorted by letter.
    fn matches(&self, left: &[Step], right: &[Step]) -> bool {
        let mut start = 0;
        let mut letter = None;
        for &(l, t, m) in left {
            if letter != Some(l) {
                letter = Some(l);
                while right.get(start).is_some_and(|s| s.0 < l) {
                    start += 1;
                }
            }
            let found = right[start..]
                .iter()
                .take_while(|s| s.0 == l)
                .any(|&(_, u, k)| k.contains(m) && self.has(t.index(), u.index()));
            if !found {
                return false;
            }
        }
        true
    }
}
