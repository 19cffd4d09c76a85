//! Whether groups can fire again from every state: so it is if every bottom component of the state graph has a
//! transition of each. Tarjan's algorithm on the successors of all states; linear in the graph, which it stores.

use dalsegno_kripke::Budget;

use crate::space::{Error, Space, StateId};

/// Whether each of `classes` sets of groups has one that can fire again from every state of a store that holds all
/// reachable states; `class_of` has the set of each group.
pub(crate) fn are_live(
    space: &mut Space,
    transitions: u64,
    class_of: &[u32],
    classes: usize,
    budget: &Budget,
) -> Result<bool, Error> {
    let n = space.len();
    let bytes = 4 * (transitions + n as u64) + 12 * n as u64 + space.bytes();
    budget.check_bytes(bytes)?;
    let mut targets: Vec<StateId> = Vec::with_capacity(transitions as usize);
    let mut ends: Vec<usize> = Vec::with_capacity(n);
    for state in 0..n as StateId {
        if state.is_multiple_of(4096) {
            budget.check()?;
        }
        targets.extend_from_slice(space.successors(state, budget)?.1);
        ends.push(targets.len());
    }
    let start = |q: u32| if q == 0 { 0 } else { ends[q as usize - 1] };
    let components = dalsegno_automata::scc::Components::new(n, 0..n as u32, |q, i| {
        let at = start(q) + i;
        (at < ends[q as usize]).then(|| targets[at])
    });
    let mut bottom = vec![true; components.count];
    for q in 0..n as u32 {
        let mut out = targets[start(q)..ends[q as usize]].iter();
        if out.any(|&t| !components.same(q, t)) {
            bottom[components.of[q as usize] as usize] = false;
        }
    }
    let mut seen: rustc_hash::FxHashMap<u32, (usize, Vec<bool>)> = rustc_hash::FxHashMap::default();
    for q in 0..n as u32 {
        let component = components.of[q as usize];
        if !bottom[component as usize] {
            continue;
        }
        let (count, fired) = seen
            .entry(component)
            .or_insert_with(|| (0, vec![false; classes]));
        if *count == classes {
            continue;
        }
        for g in space.successors(q, budget)?.0 {
            if !std::mem::replace(&mut fired[class_of[g.index()] as usize], true) {
                *count += 1;
            }
        }
    }
    Ok(seen.values().all(|(count, _)| *count == classes))
}
