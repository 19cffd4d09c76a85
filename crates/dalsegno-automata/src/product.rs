//! Intersection and emptiness of automata, and one accepted word.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Budget, Lasso, Letter, MAX_PROPOSITIONS, Stop, Word};

use crate::automaton::{Automaton, Edge, MAX_ACCEPTANCE_SETS, Marks, StateId};
use crate::bdd::{Bdd, Manager, Var};
use crate::prune::SccInfo;

/// The automaton of the words that both accept, built from the initial states on.
///
/// Propositions are identified by name; the result has those of both.
///
/// # Errors
/// When the budget runs out.
///
/// # Panics
/// If there are more than 64 propositions or acceptance sets together.
pub fn intersection(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<Automaton, Stop> {
    let sets = a.acceptance_sets + b.acceptance_sets;
    assert!(sets <= MAX_ACCEPTANCE_SETS, "too many acceptance sets");
    let mut names = a.propositions.clone();
    for name in &b.propositions {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    assert!(names.len() <= MAX_PROPOSITIONS, "too many propositions");
    let mut result = Automaton::new(names, sets);
    let (alphabet_a, edges_a) = import(&mut result, a);
    let (alphabet_b, edges_b) = import(&mut result, b);
    result.alphabet = result.guards.and(alphabet_a, alphabet_b);
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

/// The alphabet and the edges of `x` over the propositions and in the manager of `result`.
fn import(result: &mut Automaton, x: &Automaton) -> (Bdd, Vec<Vec<Edge>>) {
    let position = |name: &String| result.propositions.iter().position(|n| n == name);
    let var: Vec<Var> = x
        .propositions
        .iter()
        .map(|name| position(name).expect("the result has the propositions of both") as Var)
        .collect();
    let sorted = var.is_sorted();
    let mut memo: FxHashMap<Bdd, Bdd> = FxHashMap::default();
    let guards = &mut result.guards;
    let mut of = |f: Bdd| {
        *memo.entry(f).or_insert_with(|| {
            if sorted {
                guards.import(&x.guards, f, &|v| var[v as usize])
            } else {
                rebuild(guards, &x.guards, f, &var)
            }
        })
    };
    let alphabet = of(x.alphabet);
    let edges = x
        .edges
        .iter()
        .map(|edges| {
            edges
                .iter()
                .map(|e| Edge {
                    guard: of(e.guard),
                    ..*e
                })
                .collect()
        })
        .collect();
    (alphabet, edges)
}

/// Copies a function whose variables change their order.
fn rebuild(to: &mut Manager, from: &Manager, f: Bdd, var: &[Var]) -> Bdd {
    if f.is_constant() {
        return f;
    }
    let v = var[from.var(f) as usize];
    let low = rebuild(to, from, from.low(f), var);
    let high = rebuild(to, from, from.high(f), var);
    let (negative, positive) = (to.literal(v, false), to.literal(v, true));
    let low = to.and(negative, low);
    let high = to.and(positive, high);
    to.or(low, high)
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
