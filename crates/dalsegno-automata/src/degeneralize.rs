//! Degeneralisation: a TGBA becomes a Büchi automaton with state-based acceptance.
//!
//! A copy of each state of an accepting component counts the acceptance sets seen, in the
//! component's own order: at level i the run waits for an edge of the i-th set and may skip several
//! levels at once; the last level is accepting and counts from the start again. States outside
//! accepting components have one copy. A run that enters a component starts at the level that some
//! copy of the entered state already has, if there is one, which saves copies (Babiak and others,
//! SPIN 2013). At most n·(sets + 1) states.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Budget, Stop};

use crate::automaton::{Automaton, Marks, StateId};
use crate::prune::SccInfo;

/// The Büchi automaton: one acceptance set, and the edges of a state are all in it or all outside.
///
/// # Errors
/// When the budget runs out.
pub fn degeneralize(mut automaton: Automaton, budget: &Budget) -> Result<Automaton, Stop> {
    let info = SccInfo::new(&automaton);
    let order = set_order(&automaton, &info);
    let edges = std::mem::take(&mut automaton.edges);
    let mut result = automaton.take_frame(1);
    let mut ids: FxHashMap<(StateId, u32), StateId> = FxHashMap::default();
    let mut entry: Vec<Option<u32>> = vec![None; edges.len()];
    let mut copies: Vec<(StateId, u32)> = Vec::new();
    let mut id_of = |result: &mut Automaton, copies: &mut Vec<_>, copy: (StateId, u32)| {
        *ids.entry(copy).or_insert_with(|| {
            copies.push(copy);
            result.add_state(automaton.labels[copy.0 as usize])
        })
    };
    let sets = |scc: u32| order[scc as usize].len() as u32;
    // The level after an edge with `marks` taken at `level`.
    let advance = |scc: u32, level: u32, marks: Marks| {
        let order = &order[scc as usize];
        let mut level = if level == order.len() as u32 { 0 } else { level };
        while (level as usize) < order.len() && marks.has(order[level as usize]) {
            level += 1;
        }
        level
    };
    // Sets that every edge into or out of a state inside its component carries are seen at entry.
    let first_level = |q: StateId| {
        let scc = info.components.of[q as usize];
        if !info.accepting[scc as usize] {
            return 0;
        }
        let common = edges[q as usize]
            .iter()
            .filter(|e| info.components.same(q, e.target))
            .fold(automaton.all_marks(), |m, e| m.intersection(e.marks));
        advance(scc, 0, common)
    };
    for &q in &automaton.initial {
        let level = *entry[q as usize].get_or_insert_with(|| first_level(q));
        let id = id_of(&mut result, &mut copies, (q, level));
        result.initial.push(id);
    }
    let mut done = 0;
    while let Some(&(q, level)) = copies.get(done) {
        budget.check()?;
        let scc = info.components.of[q as usize];
        let accepting = info.accepting[scc as usize] && level == sets(scc);
        let marks = if accepting { Marks(1) } else { Marks::NONE };
        for e in &edges[q as usize] {
            let next = if info.is_inside(q, e.target) {
                let next = advance(scc, level, e.marks);
                entry[e.target as usize].get_or_insert(next);
                next
            } else {
                *entry[e.target as usize].get_or_insert_with(|| first_level(e.target))
            };
            let target = id_of(&mut result, &mut copies, (e.target, next));
            result.add_edge(done as StateId, e.guard, marks, target);
        }
        done += 1;
    }
    Ok(result)
}

/// For each accepting component the sets that miss one of its edges, those on most edges last.
fn set_order(automaton: &Automaton, info: &SccInfo) -> Vec<Vec<u32>> {
    let n = automaton.acceptance_sets as usize;
    let mut missing = vec![0usize; info.components.count * n];
    for (q, edges) in (0..).zip(&automaton.edges) {
        if info.components.of[q as usize] == u32::MAX {
            continue;
        }
        for e in edges.iter().filter(|e| info.is_inside(q, e.target)) {
            for i in 0..n {
                if !e.marks.has(i as u32) {
                    missing[info.components.of[q as usize] as usize * n + i] += 1;
                }
            }
        }
    }
    (0..info.components.count)
        .map(|scc| {
            let lack = |i: &u32| missing[scc * n + *i as usize];
            (0..n as u32).filter(|i| lack(i) > 0).collect()
        })
        .collect()
}
