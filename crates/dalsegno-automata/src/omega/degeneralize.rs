//! Degeneralisation: a TGBA becomes a Büchi automaton with state-based acceptance.
//!
//! A copy of each state of an accepting component counts the acceptance sets seen, in an order that
//! is the component's own: at level i the run waits for an edge of the i-th set and may skip several
//! levels at once; the last level is accepting and counts from the start again. States outside
//! accepting components have one copy.
//!
//! Where ours differs: all copies of a state accept the same words, so a run that enters a component
//! may start at any level. Per component the copies are built from some state on, a bottom component
//! of them is kept (it has a copy of every state), and entries go into it. Among a few orders of the
//! sets the one with the fewest copies is taken; in a large component only some are tried. At most
//! n·(sets + 1) states.

use rustc_hash::FxHashMap;

use dalsegno_kripke::Stop;

use crate::bdd::Manager;
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::body::Body;
use crate::omega::edge::{Edge, Marks, bytes_of};
use crate::omega::scc::Components;
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;

/// The steps that may go into looking for a good order of the sets of one component.
const ORDERS: u64 = 1 << 20;

/// The Büchi automaton: one acceptance set, and the edges of a state are all in it or all outside.
///
/// # Errors
/// When the effort runs out: a Büchi automaton has not been made then.
pub(crate) fn degeneralize(
    mut automaton: Automaton,
    effort: &Effort<'_>,
) -> Result<Automaton, Stop> {
    automaton.guards.begin(effort);
    let body = counted(&mut automaton);
    automaton.guards.end(effort);
    let body = body?;
    Ok(body.install(automaton))
}

fn counted(automaton: &mut Automaton) -> Result<Body, Stop> {
    let info = SccInfo::new(automaton);
    let mut members: Vec<Vec<StateId>> = vec![Vec::new(); info.components.count];
    for (q, &scc) in StateId::all().zip(&info.components.of) {
        if scc != u32::MAX {
            members[scc as usize].push(q);
        }
    }
    let mut levels: Vec<Levels> = Vec::with_capacity(info.components.count);
    for (scc, members) in (0..).zip(&members) {
        levels.push(Levels::best(automaton, &info, scc, members)?);
    }
    let mut body = Body::new(1);
    body.state_based = true;
    let mut ids: FxHashMap<(StateId, u32), StateId> = FxHashMap::default();
    let mut copies: Vec<(StateId, u32)> = Vec::new();
    let labels = &automaton.labels;
    let mut id_of = |body: &mut Body, copies: &mut Vec<_>, copy: (StateId, u32)| {
        if let Some(&id) = ids.get(&copy) {
            return Ok(id);
        }
        let id = body.add_state(labels[copy.0.index()])?;
        copies.push(copy);
        ids.insert(copy, id);
        Ok::<_, Stop>(id)
    };
    let component = |q: StateId| info.components.of[q.index()];
    let entry = |q: StateId| levels[component(q) as usize].entry.get(&q).copied();
    for &q in &automaton.initial {
        let id = id_of(&mut body, &mut copies, (q, entry(q).unwrap_or(0)))?;
        body.initial.push(id);
    }
    let (guards, alphabet) = (&mut automaton.guards, automaton.alphabet);
    let mut done = 0;
    while let Some(&(q, level)) = copies.get(done) {
        if done.is_multiple_of(1 << 12) {
            guards.hold(bytes_of(&body.edges));
        }
        let here = &levels[component(q) as usize];
        let accepting = info.accepting[component(q) as usize] && level == here.sets();
        let marks = Marks(u64::from(accepting));
        guards.spend(1 + automaton.edges[q.index()].len() as u64)?;
        for e in &automaton.edges[q.index()] {
            let next = if info.is_inside(q, e.target) {
                here.after(level, e.marks)
            } else {
                entry(e.target).unwrap_or(0)
            };
            let target = id_of(&mut body, &mut copies, (e.target, next))?;
            let edge = Edge {
                guard: e.guard,
                marks,
                target,
            };
            body.add_edge(guards, alphabet, StateId::new(done), edge)?;
        }
        done += 1;
    }
    Ok(body)
}

/// How one component counts.
#[derive(Default)]
struct Levels {
    /// The sets that miss one of its edges, in the order in which they are waited for.
    order: Vec<u32>,
    /// The level at which a run enters each state; empty if the component is not accepting.
    entry: FxHashMap<StateId, u32>,
    /// The number of copies.
    copies: usize,
}

impl Levels {
    fn best(
        automaton: &mut Automaton,
        info: &SccInfo,
        scc: u32,
        members: &[StateId],
    ) -> Result<Levels, Stop> {
        let Some(&start) = members.first().filter(|_| info.accepting[scc as usize]) else {
            return Ok(Levels::default());
        };
        let missing = members
            .iter()
            .flat_map(|&q| automaton.edges[q.index()].iter().map(move |e| (q, e)))
            .filter(|(q, e)| info.components.same(*q, e.target))
            .fold(0, |m, (_, e)| m | (automaton.all_marks().0 & !e.marks.0));
        let sets: Vec<u32> = Marks(missing).iter().collect();
        let mut best: Option<Levels> = None;
        let mut used = 0;
        for order in orders(&sets) {
            if best.is_some() && used > ORDERS {
                break;
            }
            let (guards, edges) = (&mut automaton.guards, &automaton.edges);
            let levels = Levels::count(guards, edges, info, start, order, &mut used)?;
            if best.as_ref().is_none_or(|b| levels.copies < b.copies) {
                best = Some(levels);
            }
        }
        Ok(best.unwrap_or_default())
    }

    /// Builds the copies inside a component and keeps a bottom component of them.
    fn count(
        guards: &mut Manager,
        edges: &[Vec<Edge>],
        info: &SccInfo,
        start: StateId,
        order: Vec<u32>,
        used: &mut u64,
    ) -> Result<Levels, Stop> {
        let mut levels = Levels {
            order,
            ..Levels::default()
        };
        let mut ids: FxHashMap<(StateId, u32), u32> = FxHashMap::default();
        let mut nodes = vec![(start, 0)];
        ids.insert((start, 0), 0);
        let mut successors: Vec<Vec<u32>> = Vec::new();
        while let Some(&(q, level)) = nodes.get(successors.len()) {
            let mut out = Vec::new();
            let steps = 1 + edges[q.index()].len() as u64;
            *used += steps;
            guards.spend(steps)?;
            for e in &edges[q.index()] {
                if info.components.same(q, e.target) {
                    let copy = (e.target, levels.after(level, e.marks));
                    let fresh = nodes.len() as u32;
                    let id = *ids.entry(copy).or_insert(fresh);
                    if id == fresh {
                        nodes.push(copy);
                    }
                    out.push(id);
                }
            }
            successors.push(out);
        }
        let components = Components::new(nodes.len(), [0], |q, i| {
            successors[q as usize].get(i).copied()
        });
        // Components are numbered in reverse topological order: number 0 is a bottom one.
        for (&(q, level), &component) in nodes.iter().zip(&components.of) {
            if component == 0 {
                levels.copies += 1;
                let entry = levels.entry.entry(q).or_insert(level);
                *entry = level.max(*entry);
            }
        }
        Ok(levels)
    }

    fn sets(&self) -> u32 {
        self.order.len() as u32
    }

    /// The level after an edge with `marks` taken at `level`.
    fn after(&self, level: u32, marks: Marks) -> u32 {
        let mut level = if level == self.sets() { 0 } else { level };
        while level < self.sets() && marks.has(self.order[level as usize]) {
            level += 1;
        }
        level
    }
}

/// All orders of up to three sets; of more, every rotation and its reverse.
fn orders(sets: &[u32]) -> Vec<Vec<u32>> {
    match *sets {
        [] | [_] => vec![sets.to_vec()],
        [a, b] => vec![vec![a, b], vec![b, a]],
        _ => (0..sets.len())
            .flat_map(|i| {
                let mut rotated = sets.to_vec();
                rotated.rotate_left(i);
                let reversed = rotated.iter().rev().copied().collect();
                [rotated, reversed]
            })
            .collect(),
    }
}
