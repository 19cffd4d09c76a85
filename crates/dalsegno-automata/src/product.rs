//! Intersection and emptiness of automata, and one accepted word.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Budget, Lasso, Letter, Stop, Word};

use crate::automaton::{Automaton, Edge, MAX_ACCEPTANCE_SETS, Marks, StateId};
use crate::bdd::Bdd;
use crate::prune::SccInfo;

/// The automaton of the words that both accept, built from the initial states on.
///
/// Both must have the same propositions in the same order.
///
/// # Errors
/// When the budget runs out.
///
/// # Panics
/// If the propositions differ or there are more than 64 acceptance sets together.
pub fn intersection(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<Automaton, Stop> {
    assert_eq!(
        a.propositions, b.propositions,
        "automata over different propositions"
    );
    let sets = a.acceptance_sets + b.acceptance_sets;
    assert!(sets <= MAX_ACCEPTANCE_SETS, "too many acceptance sets");
    let mut result = Automaton::new(a.propositions.clone(), sets);
    let alphabet_a = result.guards.import(&a.guards, a.alphabet);
    let alphabet_b = result.guards.import(&b.guards, b.alphabet);
    result.alphabet = result.guards.and(alphabet_a, alphabet_b);
    let import = |result: &mut Automaton, x: &Automaton| -> Vec<Vec<Edge>> {
        let mut memo: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        x.edges
            .iter()
            .map(|edges| {
                edges
                    .iter()
                    .map(|e| {
                        let guard = *memo
                            .entry(e.guard)
                            .or_insert_with(|| result.guards.import(&x.guards, e.guard));
                        Edge { guard, ..*e }
                    })
                    .collect()
            })
            .collect()
    };
    let (edges_a, edges_b) = (import(&mut result, a), import(&mut result, b));
    let mut ids: FxHashMap<(StateId, StateId), StateId> = FxHashMap::default();
    let mut pairs: Vec<(StateId, StateId)> = Vec::new();
    let mut id_of = |result: &mut Automaton, pairs: &mut Vec<_>, pair: (StateId, StateId)| {
        *ids.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            result.add_state(None)
        })
    };
    for &q in &a.initial {
        for &p in &b.initial {
            let id = id_of(&mut result, &mut pairs, (q, p));
            result.initial.push(id);
        }
    }
    let mut done = 0;
    while let Some(&(q, p)) = pairs.get(done) {
        budget.check()?;
        for e in &edges_a[q as usize] {
            for f in &edges_b[p as usize] {
                let guard = result.guards.and(e.guard, f.guard);
                if guard == Bdd::FALSE {
                    continue;
                }
                let target = id_of(&mut result, &mut pairs, (e.target, f.target));
                let marks = Marks(e.marks.0 | f.marks.0 << a.acceptance_sets);
                result.add_edge(done as StateId, guard, marks, target);
            }
        }
        done += 1;
    }
    Ok(result)
}

/// Whether no word is accepted.
#[must_use]
pub fn is_empty(automaton: &Automaton) -> bool {
    SccInfo::new(automaton).accepting.iter().all(|a| !a)
}

/// A word that is accepted, if there is one: a shortest way to an accepting component, then a short
/// cycle in it that takes all marks.
#[must_use]
pub fn accepted_word(automaton: &Automaton) -> Option<Word> {
    let info = SccInfo::new(automaton);
    let inside = |q: StateId, scc: u32| info.components.of[q as usize] == scc;
    let (stem, start) = walk(
        automaton,
        automaton.initial.iter().copied(),
        |_| true,
        |q| info.accepting[info.components.of[q as usize] as usize],
        |_| false,
    )?;
    let scc = info.components.of[start as usize];
    let mut missing = automaton.all_marks();
    let mut cycle: Vec<Letter> = Vec::new();
    let mut at = start;
    while missing != Marks::NONE {
        let wanted = |e: &Edge| e.marks.intersection(missing) != Marks::NONE;
        let (path, end) = walk(automaton, [at], |q| inside(q, scc), |_| false, wanted)?;
        missing = Marks(missing.0 & !marks_along(&path, missing).0);
        cycle.extend(path.iter().map(|s| s.letter));
        at = end;
    }
    if at != start || cycle.is_empty() {
        let back = |e: &Edge| e.target == start;
        let (path, _) = walk(automaton, [at], |q| inside(q, scc), |_| false, back)?;
        cycle.extend(path.iter().map(|s| s.letter));
    }
    Some(Lasso::new(stem.iter().map(|s| s.letter).collect(), cycle))
}

#[derive(Clone, Copy)]
struct Step {
    letter: Letter,
    marks: Marks,
}

fn marks_along(path: &[Step], missing: Marks) -> Marks {
    path.iter()
        .fold(Marks::NONE, |m, s| m.union(s.marks))
        .intersection(missing)
}

/// Breadth-first from `roots` within `allowed` states to a state with `goal`, or over an edge with
/// `over`; the steps and the state reached.
fn walk(
    automaton: &Automaton,
    roots: impl IntoIterator<Item = StateId>,
    allowed: impl Fn(StateId) -> bool,
    goal: impl Fn(StateId) -> bool,
    over: impl Fn(&Edge) -> bool,
) -> Option<(Vec<Step>, StateId)> {
    let mut parent: FxHashMap<StateId, Option<(StateId, Step)>> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for q in roots {
        if parent.insert(q, None).is_none() {
            queue.push_back(q);
        }
    }
    let path_to = |parent: &FxHashMap<StateId, Option<(StateId, Step)>>, mut q: StateId| {
        let mut steps = Vec::new();
        while let Some((p, step)) = parent[&q] {
            steps.push(step);
            q = p;
        }
        steps.reverse();
        steps
    };
    while let Some(q) = queue.pop_front() {
        if goal(q) {
            return Some((path_to(&parent, q), q));
        }
        for e in automaton.edges[q as usize]
            .iter()
            .filter(|e| allowed(e.target))
        {
            let letter = automaton.guards.pick(e.guard)?;
            let step = Step {
                letter,
                marks: e.marks,
            };
            if over(e) {
                let mut steps = path_to(&parent, q);
                steps.push(step);
                return Some((steps, e.target));
            }
            parent.entry(e.target).or_insert_with(|| {
                queue.push_back(e.target);
                Some((q, step))
            });
        }
    }
    None
}
