//! Runs of an automaton along a word: the states that it passes and the marks that it collects, for those who show them.
//!
//! Pairs of a position of the word and a state of the automaton make a finite graph, in which a shortest accepting lasso is
//! looked for (`lasso.rs`). It may go round the cycle of the word more than once. [`is_accepting`] checks a run by definition.
//!
//! A TA stays where it is while the word stutters, without an edge. Along a word that ends up stuttering it accepts by a
//! livelock: it comes to a livelock state and stays there. Otherwise it collects marks as the others do.

use dalsegno_kripke::{Budget, Letter, Word};
use rustc_hash::FxHashMap;

use crate::io::hoa::Content;
use crate::omega::edge::Marks;
use crate::omega::lasso::{MarkedEdge, MarkedGraph};
use crate::omega::state_id::StateId;
use crate::omega::universal::{decided_testing_states, universal_states};
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// A step of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// The position of the word that is read.
    pub position: usize,
    /// The state before.
    pub state: StateId,
    /// The marks of the edge that is taken.
    pub marks: Marks,
    /// The edge that is taken, as a number among those of its state in JSON. None where a TA stays, and where nothing is read.
    pub edge: Option<usize>,
}

/// A run of an automaton along a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordRun {
    /// The steps; without a cycle, the last one reads nothing.
    pub steps: Vec<RunStep>,
    /// The step that comes after the last one; none for the beginning of a word.
    pub cycle: Option<usize>,
}

/// The steps of a search.
const WORK: u64 = 10_000_000;

/// An accepting run along a word, with the fewest steps; none if the word is rejected, or the search takes too long.
#[must_use]
pub fn accepting_run(automaton: &Content, word: &Word) -> Option<WordRun> {
    let livelock = livelocks(automaton, word);
    let mut numbers: FxHashMap<(usize, StateId), u32> = FxHashMap::default();
    let mut nodes: Vec<(usize, StateId)> = Vec::new();
    let mut graph: MarkedGraph<Marks> = MarkedGraph::default();
    for q in initial(automaton, *word.get(0)) {
        numbers.insert((0, q), graph.add_node(None));
        nodes.push((0, q));
    }
    while let Some(&(position, q)) = nodes.get(graph.expanded()) {
        let node = graph.expanded() as u32;
        let next = word.successor(position);
        if let Some(ta) = livelock
            && position >= word.stem.len()
            && ta.is_livelock(q)
        {
            let way = graph
                .path_to(node)
                .into_iter()
                .map(|(node, marks)| RunStep {
                    marks,
                    ..step_at(nodes[node as usize].0, nodes[node as usize].1)
                });
            return Some(staying(automaton, word, way.collect(), q));
        }
        for (target, marks) in step(automaton, q, *word.get(position), *word.get(next)) {
            let target = *numbers.entry((next, target)).or_insert_with(|| {
                nodes.push((next, target));
                graph.add_node(Some((node, marks)))
            });
            graph.add_edge(MarkedEdge {
                target,
                marks,
                label: marks,
            });
        }
        graph.end_node();
    }
    if livelock.is_some() {
        return None;
    }
    let all = all_marks(automaton);
    let found = graph.shortest(all, usize::MAX, WORK, &Budget::unlimited());
    let lasso = found.lasso?;
    let steps = lasso.stem.iter().chain(&lasso.cycle);
    let steps = steps.map(|&(node, marks)| RunStep {
        marks,
        ..step_at(nodes[node as usize].0, nodes[node as usize].1)
    });
    let mut run = WordRun {
        steps: steps.collect(),
        cycle: Some(lasso.stem.len()),
    };
    number_edges(automaton, &mut run, |position| *word.get(position));
    Some(run)
}

/// The automaton, if it is a TA and the word ends up stuttering: then livelock states decide, and nothing else.
fn livelocks<'a>(automaton: &'a Content, word: &Word) -> Option<&'a TestingAutomaton> {
    match automaton {
        Content::Testing(t) if t.kind() == TestingKind::Ta => {
            let stutters = word.cycle.iter().all(|letter| *letter == word.cycle[0]);
            stutters.then_some(t)
        }
        _ => None,
    }
}

/// A run that comes to a state and stays there for a round of the word's cycle, which stutters.
fn staying(automaton: &Content, word: &Word, way: Vec<RunStep>, state: StateId) -> WordRun {
    let last = way.last();
    let mut position = last.map_or(0, |before| word.successor(before.position));
    let mut run = WordRun {
        cycle: Some(way.len()),
        steps: way,
    };
    for _ in 0..word.cycle.len() {
        run.steps.push(step_at(position, state));
        position = word.successor(position);
    }
    number_edges(automaton, &mut run, |position| *word.get(position));
    run
}

/// Notes which edges are taken.
fn number_edges(automaton: &Content, run: &mut WordRun, letter: impl Fn(usize) -> Letter) {
    for i in 0..run.steps.len() {
        let after = if i + 1 < run.steps.len() {
            Some(i + 1)
        } else {
            run.cycle
        };
        if let Some(after) = after.map(|after| run.steps[after]) {
            let taken = run.steps[i];
            let letters = (letter(taken.position), letter(after.position));
            run.steps[i].edge = edge(automaton, &taken, after.state, letters);
        }
    }
}

/// A run along the beginning of a word to a state that accepts whatever comes next; none if there is none. An automaton that
/// reads letters is there after the last one, a testing automaton when it comes to it.
#[must_use]
pub fn deciding_run(automaton: &Content, letters: &[Letter]) -> Option<WordRun> {
    let mut letters = letters.to_vec();
    let universal = match automaton {
        Content::Automaton(a) => {
            letters.extend(letters.last().copied());
            universal_states(a)
        }
        Content::Testing(t) => decided_testing_states(t),
    };
    let (&first, rest) = letters.split_first()?;
    // How each state was reached at each position.
    let mut layers: Vec<Vec<(RunStep, usize)>> = vec![
        initial(automaton, first)
            .into_iter()
            .map(|state| (step_at(0, state), 0))
            .collect(),
    ];
    for (position, &letter) in rest.iter().enumerate() {
        let mut layer: Vec<(RunStep, usize)> = Vec::new();
        for (i, (from, _)) in layers[position].iter().enumerate() {
            for (target, _) in step(automaton, from.state, letters[position], letter) {
                if layer.iter().all(|(known, _)| known.state != target) {
                    layer.push((step_at(position + 1, target), i));
                }
            }
        }
        layers.push(layer);
    }
    let last = layers.last()?;
    let decided = |(step, _): &(RunStep, usize)| universal[step.state.index()];
    let mut at = last.iter().position(decided)?;
    let mut steps = Vec::with_capacity(layers.len());
    for layer in layers.iter().rev() {
        let (step, before) = layer[at];
        steps.push(step);
        at = before;
    }
    steps.reverse();
    for i in 0..steps.len() - 1 {
        let (from, to) = (steps[i].state, steps[i + 1].state);
        let edges = step(automaton, from, letters[i], letters[i + 1]);
        let (_, marks) = edges.into_iter().find(|(target, _)| *target == to)?;
        steps[i].marks = marks;
    }
    let mut run = WordRun { steps, cycle: None };
    number_edges(automaton, &mut run, |position| letters[position]);
    Some(run)
}

/// Whether steps are a run of the automaton along the word that takes an edge of each acceptance set again and again, or
/// stays in a livelock state for ever if a TA reads a word that ends up stuttering.
#[must_use]
pub fn is_accepting(automaton: &Content, word: &Word, run: &WordRun) -> bool {
    let (Some(first), Some(cycle)) = (run.steps.first(), run.cycle) else {
        return false;
    };
    let begins = initial(automaton, *word.get(0)).contains(&first.state);
    if !begins || first.position != 0 || cycle >= run.steps.len() {
        return false;
    }
    let mut collected = Marks::NONE;
    for (i, taken) in run.steps.iter().enumerate() {
        let after = &run.steps[if i + 1 < run.steps.len() {
            i + 1
        } else {
            cycle
        }];
        let next = word.successor(taken.position);
        let letters = (*word.get(taken.position), *word.get(next));
        let edges = step(automaton, taken.state, letters.0, letters.1);
        if after.position != next || !edges.contains(&(after.state, taken.marks)) {
            return false;
        }
        if taken.edge != edge(automaton, taken, after.state, letters) {
            return false;
        }
        if i >= cycle {
            collected = collected.union(taken.marks);
        }
    }
    match livelocks(automaton, word) {
        Some(ta) => ta.is_livelock(run.steps[cycle].state),
        None => collected.contains(all_marks(automaton)),
    }
}

fn step_at(position: usize, state: StateId) -> RunStep {
    RunStep {
        position,
        state,
        marks: Marks::NONE,
        edge: None,
    }
}

/// The first edge with these marks that leads from a step to a state, as JSON numbers the edges of a state: as they are, or of a
/// testing automaton one for all that have the same target and marks.
fn edge(
    automaton: &Content,
    taken: &RunStep,
    target: StateId,
    letters: (Letter, Letter),
) -> Option<usize> {
    match automaton {
        Content::Automaton(a) => {
            let mut edges = a.edges(taken.state).iter();
            edges.position(|e| {
                (e.target, e.marks) == (target, taken.marks) && a.guards().holds(e.guard, letters.0)
            })
        }
        Content::Testing(t) => {
            if t.kind() == TestingKind::Ta && letters.0 == letters.1 {
                return None;
            }
            let edges = t.edges(taken.state).iter();
            let mut kinds: Vec<_> = edges.map(|e| (e.target, e.marks)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds.binary_search(&(target, taken.marks)).ok()
        }
    }
}

fn all_marks(automaton: &Content) -> Marks {
    match automaton {
        Content::Automaton(a) => a.all_marks(),
        Content::Testing(t) => t.all_marks(),
    }
}

/// The states in which a word with this first letter is begun.
fn initial(automaton: &Content, letter: Letter) -> Vec<StateId> {
    match automaton {
        Content::Automaton(a) => a.initial().to_vec(),
        Content::Testing(t) => {
            let starts = t.initial().iter().filter(|(l, _)| *l == letter);
            starts.map(|&(_, q)| q).collect()
        }
    }
}

/// Where a letter leads that is followed by another, with the marks on the way.
fn step(automaton: &Content, q: StateId, from: Letter, to: Letter) -> Vec<(StateId, Marks)> {
    match automaton {
        Content::Automaton(a) => a.enabled(q, from).map(|e| (e.target, e.marks)).collect(),
        Content::Testing(t) if t.kind() == TestingKind::Ta && from == to => {
            vec![(q, Marks::NONE)]
        }
        Content::Testing(t) => {
            let edges = t.enabled(q, from ^ to).iter();
            edges.map(|e| (e.target, e.marks)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Translation;
    use crate::io::json;
    use crate::io::names::Names;
    use crate::operations::accepts::{accepts, testing_accepts};
    use dalsegno_logic::{FormulaStore, parse};
    use dalsegno_testkit::words::random_word;

    #[test]
    fn there_is_a_run_where_the_word_is_accepted() {
        let mut rng = dalsegno_logic::random::Rng::new(3);
        let formulas = [
            "G F a & G F b",
            "a U G b",
            "F(a & X(b U !a))",
            "G(a -> X X b) | F G !a",
        ];
        let (mut runs, mut none, mut livelocks) = (0, 0, 0);
        for text in formulas {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).unwrap();
            let budget = Budget::unlimited();
            let mut translation = Translation::new(&mut store, f, &budget);
            let mut automata = vec![
                Content::Automaton(translation.tgba().unwrap()),
                Content::Automaton(translation.ba().unwrap()),
                Content::Testing(translation.tgta().unwrap()),
            ];
            automata.extend(translation.ta().ok().map(Content::Testing));
            for _ in 0..200 {
                let word = random_word(&mut rng, 2, 3, 4);
                for automaton in &automata {
                    let accepted = match automaton {
                        Content::Automaton(a) => accepts(a, &word),
                        Content::Testing(t) => testing_accepts(t, &word),
                    };
                    let run = accepting_run(automaton, &word);
                    assert_eq!(run.is_some(), accepted, "{text} {word:?}");
                    if let Some(mut run) = run {
                        assert!(is_accepting(automaton, &word, &run));
                        runs += 1;
                        livelocks += usize::from(super::livelocks(automaton, &word).is_some());
                        for step in run.steps.iter().filter(|step| step.edge.is_some()) {
                            edges_are_those_of_json(automaton, step);
                        }
                        run.steps[0].position += 1;
                        assert!(!is_accepting(automaton, &word, &run));
                    } else {
                        none += 1;
                    }
                }
            }
        }
        assert!(runs > 500 && none > 500, "{runs} {none}");
        assert!(livelocks > 10, "{livelocks}");
    }

    /// The edge that JSON gives this number has the marks of the step.
    fn edges_are_those_of_json(automaton: &Content, step: &RunStep) {
        let names = Names::default();
        let json = match automaton {
            Content::Automaton(a) => json::automaton_to_json(a, &names),
            Content::Testing(t) => json::testing_to_json(t, &names),
        };
        let edge = &json["states"][step.state.index()]["edges"][step.edge.unwrap()];
        let marks: Vec<u32> = step.marks.iter().collect();
        assert_eq!(edge["marks"], serde_json::json!(marks));
    }

    #[test]
    fn a_beginning_ends_where_all_is_accepted() {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, "F(a & X b)").unwrap();
        let budget = Budget::unlimited();
        let tgba = Translation::new(&mut store, f, &budget).tgba().unwrap();
        let automaton = Content::Automaton(tgba);
        let letters = [Letter(0), Letter(1), Letter(2)];
        let run = deciding_run(&automaton, &letters).unwrap();
        let positions: Vec<usize> = run.steps.iter().map(|s| s.position).collect();
        assert_eq!(positions, [0, 1, 2, 3]);
        assert_eq!(deciding_run(&automaton, &letters[..2]), None);
    }

    #[test]
    fn a_testing_automaton_ends_where_all_is_accepted() {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, "F(a & F b)").unwrap();
        let budget = Budget::unlimited();
        let mut translation = Translation::new(&mut store, f, &budget);
        for testing in [translation.ta().unwrap(), translation.tgta().unwrap()] {
            let automaton = Content::Testing(testing);
            let letters = [Letter(0), Letter(1), Letter(1), Letter(2)];
            let run = deciding_run(&automaton, &letters).unwrap();
            assert_eq!(run.steps.len(), letters.len());
            assert_eq!(deciding_run(&automaton, &letters[..3]), None);
        }
    }
}
