//! Words that an automaton accepts.
//!
//! Some accepted word is found in linear time: a shortest way to an accepting component, then a cycle in it that takes the missing
//! marks one after the other. Then a shortest lasso of the automaton is looked for ([`crate::omega::lasso`]) as long as that
//! does not cost much. Words are written as short as they can be: no cycle repeats itself, and no stem ends as its cycle does.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Budget, Lasso, Letter, Word};

use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, Marks};
use crate::omega::lasso::{MarkedEdge, MarkedGraph};
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;

/// The steps that may go into a shortest word.
const WORK: u64 = 1 << 22;

/// Whether no word is accepted.
#[must_use]
pub fn is_empty(automaton: &Automaton) -> bool {
    SccInfo::new(automaton).accepting.iter().all(|a| !a)
}

/// A short word that is accepted, if there is one.
///
/// # Examples
/// ```
/// use dalsegno_automata::{Translation, operations::accepted_word};
/// use dalsegno_kripke::Budget;
/// use dalsegno_logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "G F a & G F !a").unwrap();
/// let tgba = Translation::new(&mut store, f, &Budget::unlimited()).tgba().unwrap();
/// let word = accepted_word(&tgba).unwrap();
/// assert_eq!((word.stem.len(), word.cycle.len()), (0, 2));
/// ```
#[must_use]
pub fn accepted_word(automaton: &Automaton) -> Option<Word> {
    let some = normalized(greedy_word(automaton)?);
    let mut graph: MarkedGraph<Letter> = MarkedGraph::default();
    let mut nodes: Vec<StateId> = Vec::new();
    let mut ids: FxHashMap<StateId, u32> = FxHashMap::default();
    for &q in &automaton.initial {
        ids.entry(q).or_insert_with(|| {
            nodes.push(q);
            graph.add_node(None)
        });
    }
    while let Some(&q) = nodes.get(graph.expanded()) {
        let source = graph.expanded() as u32;
        for e in &automaton.edges[q.index()] {
            let label = automaton.guards.pick(e.guard)?;
            let target = *ids.entry(e.target).or_insert_with(|| {
                nodes.push(e.target);
                graph.add_node(Some((source, label)))
            });
            graph.add_edge(MarkedEdge {
                target,
                marks: e.marks,
                label,
            });
        }
        graph.end_node();
    }
    let length = some.stem.len() + some.cycle.len();
    let budget = Budget::unlimited();
    let found = graph.shortest(automaton.all_marks(), length, WORK, &budget);
    let letters = |moves: Vec<(u32, Letter)>| moves.into_iter().map(|(_, letter)| letter).collect();
    Some(match found.lasso {
        Some(lasso) => normalized(Lasso::new(letters(lasso.stem), letters(lasso.cycle))),
        None => some,
    })
}

/// The same word with the shortest cycle, and the shortest stem before it.
fn normalized(mut word: Word) -> Word {
    let n = word.cycle.len();
    let repeats =
        |d: &usize| n.is_multiple_of(*d) && (*d..n).all(|i| word.cycle[i] == word.cycle[i - d]);
    let period = (1..=n).find(repeats).unwrap_or(n);
    word.cycle.truncate(period);
    while word
        .stem
        .last()
        .is_some_and(|last| word.cycle.last() == Some(last))
    {
        word.stem.pop();
        word.cycle.rotate_right(1);
    }
    word
}

/// A word that is accepted, if there is one: a shortest way to an accepting component, then a cycle in it that takes all
/// marks.
fn greedy_word(automaton: &Automaton) -> Option<Word> {
    let info = SccInfo::new(automaton);
    let inside = |q: StateId, scc: u32| info.components.of[q.index()] == scc;
    let (stem, start) = walk(
        automaton,
        automaton.initial.iter().copied(),
        |_| true,
        |q| info.accepting[info.components.of[q.index()] as usize],
        |_| false,
    )?;
    let scc = info.components.of[start.index()];
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
        for e in automaton.edges[q.index()]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_as_short_as_they_can_be() {
        let word = |stem: &[u64], cycle: &[u64]| {
            let letters = |list: &[u64]| list.iter().copied().map(Letter).collect::<Vec<_>>();
            Word::new(letters(stem), letters(cycle))
        };
        assert_eq!(
            normalized(word(&[0, 2], &[1, 2, 1, 2])),
            word(&[0], &[2, 1])
        );
        assert_eq!(normalized(word(&[3, 3], &[3, 3, 3])), word(&[], &[3]));
        assert_eq!(normalized(word(&[1], &[1, 2])), word(&[1], &[1, 2]));
        assert_eq!(normalized(word(&[2], &[1, 2])), word(&[], &[2, 1]));
    }
}
