//! Minimisation of obligation properties.
//!
//! An obligation property has a deterministic weak automaton, and that one has a unique minimal form,
//! found in n log n steps like that of a finite automaton: C. Löding, "Efficient minimization of
//! deterministic weak ω-automata" (IPL 2001). As in Dax, Eisinger and Klaedtke, "Mechanizing the
//! Powerset Construction for Restricted Classes of ω-Automata" (ATVA 2007), the automaton is
//! determinised by the powerset construction without looking at acceptance; then every component is
//! accepting or rejecting as one of its cycles is in the original automaton. If the formula is not an
//! obligation by syntax the result is checked against the original and its negation's automaton.
//!
//! Cost: exponential in the states in the worst case, so the powerset is given up at a bound and when the
//! effort runs out.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Letter, Stop, Word};
use dalsegno_logic::{FormulaId, FormulaStore};

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::membership;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::scc::Components;
use crate::omega::state_id::StateId;

/// The minimal deterministic weak automaton, complete: `sink` is its rejecting trap, if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Weak {
    /// The automaton: one acceptance set, on all edges of the accepting states.
    pub automaton: Automaton,
    /// Whether each state is accepting.
    pub accepting: Vec<bool>,
}

/// Determinises and minimises as if the language were an obligation; `None` if the powerset has more
/// than `bound` states.
///
/// The result has the language of `automaton` if that is an obligation property; otherwise not.
///
/// # Errors
/// When the effort runs out.
pub(crate) fn minimize(
    store: &mut FormulaStore,
    automaton: &Automaton,
    bound: usize,
    effort: &Effort<'_>,
) -> Result<Option<Weak>, Stop> {
    let Some(mut det) = powerset(automaton, bound, effort)? else {
        return Ok(None);
    };
    let accepting = accepting_components(automaton, &mut det)?;
    let colors = colors(&det, &accepting);
    let mut weak = quotient(store, automaton, &mut det, &colors)?;
    weak.automaton.guards.end(effort);
    Ok(Some(weak))
}

/// A complete deterministic automaton whose states are sets of states.
struct Powerset {
    subsets: Vec<Vec<StateId>>,
    edges: Vec<Vec<(Bdd, StateId)>>,
    components: Components,
    guards: crate::bdd::Manager,
}

fn powerset(
    automaton: &Automaton,
    bound: usize,
    effort: &Effort<'_>,
) -> Result<Option<Powerset>, Stop> {
    let mut guards = automaton.guards.clone();
    guards.begin(effort);
    let mut ids: FxHashMap<Vec<StateId>, StateId> = FxHashMap::default();
    let mut initial = automaton.initial.clone();
    initial.sort_unstable();
    initial.dedup();
    let mut subsets = vec![initial.clone()];
    ids.insert(initial, StateId::default());
    let mut edges: Vec<Vec<(Bdd, StateId)>> = Vec::new();
    while edges.len() < subsets.len() {
        guards.spend(1)?;
        if subsets.len() > bound {
            guards.end(effort);
            return Ok(None);
        }
        // Split the alphabet by which edges are enabled.
        let mut parts: Vec<(Bdd, Vec<StateId>)> = vec![(automaton.alphabet, Vec::new())];
        for &q in &subsets[edges.len()] {
            for e in &automaton.edges[q.index()] {
                let mut split = Vec::with_capacity(parts.len() + 1);
                for (guard, targets) in parts {
                    guards.spend(1 + targets.len() as u64 / 8)?;
                    let inside = guards.and(guard, e.guard)?;
                    if inside == Bdd::FALSE || targets.contains(&e.target) {
                        split.push((guard, targets));
                        continue;
                    }
                    let outside = guards.minus(guard, e.guard)?;
                    let mut extended = targets.clone();
                    extended.push(e.target);
                    split.push((inside, extended));
                    if outside != Bdd::FALSE {
                        split.push((outside, targets));
                    }
                }
                parts = split;
            }
        }
        let mut out: Vec<(Bdd, StateId)> = Vec::new();
        for (guard, mut targets) in parts {
            guards.spend(1 + out.len() as u64 / 8)?;
            targets.sort_unstable();
            let fresh = StateId::new(subsets.len());
            let id = *ids.entry(targets).or_insert_with_key(|targets| {
                subsets.push(targets.clone());
                fresh
            });
            match out.iter_mut().find(|(_, t)| *t == id) {
                Some((g, _)) => *g = guards.or(*g, guard)?,
                None => out.push((guard, id)),
            }
        }
        edges.push(out);
    }
    let components = Components::new(edges.len(), [StateId::default()], |q, i| {
        edges[q.index()].get(i).map(|&(_, t)| t)
    });
    Ok(Some(Powerset {
        subsets,
        edges,
        components,
        guards,
    }))
}

/// For each component: `None` if it has no cycle, else whether its cycles are accepting, which is
/// asked for one of them.
fn accepting_components(
    automaton: &Automaton,
    det: &mut Powerset,
) -> Result<Vec<Option<bool>>, Stop> {
    let mut answers: Vec<Option<bool>> = vec![None; det.components.count];
    for q in StateId::first(det.edges.len()) {
        let scc = det.components.of[q.index()] as usize;
        if answers[scc].is_some() {
            continue;
        }
        if let Some(cycle) = cycle_through(det, q)? {
            // The product of the word with the states has so many nodes.
            det.guards.spend((cycle.len() * automaton.len()) as u64)?;
            let word = Word::new(Vec::new(), cycle);
            let from = det.subsets[q.index()].iter().copied();
            answers[scc] = Some(membership::accepts_from(automaton, from, &word));
        }
    }
    Ok(answers)
}

/// The letters of a shortest cycle through `q`, if it lies on one.
fn cycle_through(det: &mut Powerset, q: StateId) -> Result<Option<Vec<Letter>>, Stop> {
    let mut parent: FxHashMap<StateId, (StateId, Letter)> = FxHashMap::default();
    let mut queue = VecDeque::from([q]);
    while let Some(p) = queue.pop_front() {
        det.guards.spend(1 + det.edges[p.index()].len() as u64)?;
        for &(guard, t) in &det.edges[p.index()] {
            if !det.components.same(q, t) {
                continue;
            }
            let letter = det.guards.pick(guard).unwrap_or_default();
            if t == q {
                let mut cycle = vec![letter];
                let mut at = p;
                while at != q {
                    let (before, letter) = parent[&at];
                    cycle.push(letter);
                    at = before;
                }
                cycle.reverse();
                return Ok(Some(cycle));
            }
            parent.entry(t).or_insert_with(|| {
                queue.push_back(t);
                (p, letter)
            });
        }
    }
    Ok(None)
}

/// Löding's colours: the smallest numbers that grow against the edges and are even exactly on
/// accepting components. They depend on a state's language only, also where there is no cycle.
fn colors(det: &Powerset, accepting: &[Option<bool>]) -> Vec<u32> {
    let order = det.components.bottom_up();
    let mut color = vec![0u32; det.components.count];
    let mut start = 0;
    while start < order.len() {
        let scc = det.components.of[order[start]];
        let end = start + order[start..].partition_point(|&q| det.components.of[q] == scc);
        let below = order[start..end]
            .iter()
            .flat_map(|&q| &det.edges[q])
            .filter(|&&(_, t)| det.components.of[t.index()] != scc)
            .map(|&(_, t)| color[det.components.of[t.index()] as usize])
            .max()
            .unwrap_or(0);
        color[scc as usize] = match accepting[scc as usize] {
            None => below,
            Some(true) => below + below % 2,
            Some(false) => below + (below + 1) % 2,
        };
        start = end;
    }
    det.components
        .of
        .iter()
        .map(|&c| color[c as usize])
        .collect()
}

/// Merges states of equal colour parity whose successors are merged, letter by letter (Moore).
fn quotient(
    store: &mut FormulaStore,
    automaton: &Automaton,
    det: &mut Powerset,
    colors: &[u32],
) -> Result<Weak, Stop> {
    let n = det.edges.len();
    let mut class: Vec<u32> = colors.iter().map(|c| c % 2).collect();
    let mut count = 0;
    loop {
        let mut ids: FxHashMap<(u32, Vec<(u32, Bdd)>), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(n);
        for q in 0..n {
            let mut row: Vec<(u32, Bdd)> = Vec::new();
            let out = det.edges[q].len() as u64;
            det.guards.spend(1 + out + out * out / 32)?;
            for &(guard, t) in &det.edges[q] {
                match row.iter_mut().find(|(c, _)| *c == class[t.index()]) {
                    Some((_, g)) => *g = det.guards.or(*g, guard)?,
                    None => row.push((class[t.index()], guard)),
                }
            }
            row.sort_unstable();
            let fresh = ids.len() as u32;
            next.push(*ids.entry((class[q], row)).or_insert(fresh));
        }
        let stable = ids.len() == count;
        count = ids.len();
        class = next;
        if stable {
            break;
        }
    }
    let mut result = Automaton::new(automaton.propositions.clone(), 1);
    result.state_based = true;
    result.alphabet = automaton.alphabet;
    result.guards = std::mem::take(&mut det.guards);
    let mut accepting = vec![false; count];
    let mut first = vec![0; count];
    for (q, &c) in class.iter().enumerate().rev() {
        first[c as usize] = q;
    }
    for (c, &q) in StateId::all().zip(&first) {
        let label = label(store, automaton, &det.subsets[q]);
        result.add_state(label);
        accepting[c.index()] = colors[q].is_multiple_of(2);
        let marks = Marks(u64::from(accepting[c.index()]));
        for &(guard, t) in &det.edges[q] {
            result.add_edge(c, guard, marks, StateId::unpacked(class[t.index()]))?;
        }
    }
    result.initial = vec![StateId::unpacked(class[0])];
    Ok(Weak {
        automaton: result,
        accepting,
    })
}

/// A set of states accepts what one of them accepts.
fn label(store: &mut FormulaStore, automaton: &Automaton, subset: &[StateId]) -> Option<FormulaId> {
    let labels: Option<Vec<FormulaId>> = subset
        .iter()
        .map(|&q| automaton.labels[q.index()])
        .collect();
    labels.map(|fs| store.or(fs))
}

impl Weak {
    /// The deterministic weak automaton of the complement.
    #[must_use]
    pub fn complement(&self) -> Automaton {
        let mut result = self.automaton.clone();
        for (q, edges) in result.edges.iter_mut().enumerate() {
            for e in edges.iter_mut() {
                e.marks = Marks(u64::from(!self.accepting[q]));
            }
        }
        result.labels = vec![None; result.len()];
        result
    }
}
