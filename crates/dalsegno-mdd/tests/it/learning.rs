//! Relations that are learned.

use std::collections::BTreeMap;

use dalsegno_mdd::{Learner, Stop};

use crate::explicit::{Event, Random, Vectors, build, closure, list, manager};

/// A random function from values read to lists of values written.
struct Function {
    reads: Vec<u32>,
    writes: Vec<u32>,
    results: BTreeMap<Vec<u32>, Vec<Vec<u32>>>,
}

impl Function {
    fn random(random: &mut Random, levels: u32, values: u32) -> Self {
        let mut reads: Vec<u32> = (0..levels).filter(|_| random.one_in(2)).collect();
        let writes: Vec<u32> = (0..levels).filter(|_| random.one_in(3)).collect();
        // The caller's order need not be that of the levels.
        if random.one_in(2) {
            reads.reverse();
        }
        let mut results = BTreeMap::new();
        for _ in 0..random.below(20) {
            let arguments = random.vector(reads.len() as u32, values);
            let written = random.vector(writes.len() as u32, values);
            let list: &mut Vec<Vec<u32>> = results.entry(arguments).or_default();
            list.push(written);
        }
        Function {
            reads,
            writes,
            results,
        }
    }

    fn call(&self, arguments: &[u32]) -> &[Vec<u32>] {
        self.results.get(arguments).map_or(&[], Vec::as_slice)
    }

    fn calls(&self, vector: &[u32]) -> &[Vec<u32>] {
        let arguments: Vec<u32> = self.reads.iter().map(|&l| vector[l as usize]).collect();
        self.call(&arguments)
    }

    fn successors(&self, vector: &[u32]) -> Vectors {
        let write = |written: &Vec<u32>| {
            let mut next = vector.to_vec();
            for (&level, &value) in self.writes.iter().zip(written) {
                next[level as usize] = value;
            }
            next
        };
        self.calls(vector).iter().map(write).collect()
    }
}

#[test]
fn learning_finds_the_explicit_fixpoint() {
    let mut largest = 0;
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let levels = 1 + random.below(5);
        let values = 2 + random.below(3);
        let start = random.vectors(2, levels, values);
        let event = Event::random(random, levels, values);
        let functions: Vec<Function> = (0..=random.below(5))
            .map(|_| Function::random(random, levels, values))
            .collect();
        let mut expected = start.clone();
        loop {
            let mut next = closure(&expected, std::slice::from_ref(&event), None);
            let found = |v: &Vec<u32>| functions.iter().flat_map(|f| f.successors(v)).collect();
            let more: Vec<Vectors> = next.iter().map(found).collect();
            next.extend(more.into_iter().flatten());
            if next == expected {
                break;
            }
            expected = next;
        }
        largest = largest.max(expected.len());

        let mut m = manager(levels, seed % 2 == 0);
        let set = build(&mut m, &start);
        let relation = event.relation(&mut m);
        let mut learners: Vec<Learner> = functions
            .iter()
            .map(|f| Learner::new(&mut m, &f.reads, &f.writes))
            .collect();
        let mut asking: Vec<&mut Learner> = learners.iter_mut().collect();
        let reached = m.reach_learning(&set, &[relation], &mut asking, |question, sink| {
            for written in functions[question.learner].call(question.read) {
                sink(written);
            }
            Ok(())
        });
        let reached = reached.expect("no limits");
        assert_eq!(list(&m, &reached), expected, "seed {seed}");

        // What was learned is the function on what was reached: pairs tell, each counted once.
        for (function, learner) in functions.iter().zip(&learners) {
            let pairs = expected.iter().map(|v| function.calls(v).len());
            let number = pairs.sum::<usize>().into();
            assert_eq!(m.count_pairs(&reached, learner.relations()), Ok(number));
            for truth in [true, false] {
                let guard = learner.enabled(&mut m, truth);
                let selected = m.select(&reached, guard).expect("no limits");
                let enabled = |v: &&Vec<u32>| function.calls(v).is_empty() != truth;
                let expected: Vectors = expected.iter().filter(enabled).cloned().collect();
                assert_eq!(list(&m, &selected), expected, "seed {seed}");
            }
        }
    }
    assert!(largest > 50, "some of the models are not trivial");
}

#[test]
fn an_argument_is_asked_for_once() {
    let mut m = manager(2, true);
    let mut learner = Learner::new(&mut m, &[0], &[0]);
    let mut asked = Vec::new();
    let set = m.singleton(&[0, 5]).expect("no limits");
    let reached = m.reach_learning(&set, &[], &mut [&mut learner], |question, sink| {
        let value = question.read[0];
        asked.push(value);
        if value < 100 {
            sink(&[value + 1]);
        }
        Ok(())
    });
    let reached = reached.expect("no limits");
    assert_eq!(asked, (0..=100).collect::<Vec<u32>>());
    assert_eq!(m.count(&reached), Ok(101_u32.into()));
    assert_eq!(learner.relations().len(), 1);
}

#[test]
fn a_function_may_give_up() {
    let mut m = manager(1, true);
    let mut learner = Learner::new(&mut m, &[0], &[0]);
    let set = m.singleton(&[0]).expect("no limits");
    let reached = m.reach_learning(&set, &[], &mut [&mut learner], |question, sink| {
        if question.read == [7] {
            return Err(Stop::Interrupted);
        }
        sink(&[question.read[0] + 1]);
        Ok(())
    });
    assert_eq!(reached, Err(Stop::Interrupted));
}

#[test]
fn a_refusal_counts_only_where_it_is_reached() {
    // Two counters that go up together; the function has no answer where they differ.
    let mut m = manager(2, true);
    let mut learner = Learner::new(&mut m, &[0, 1], &[0, 1]);
    let set = m.singleton(&[0, 0]).expect("no limits");
    let mut refused = 0;
    let reached = m.reach_learning(&set, &[], &mut [&mut learner], |question, sink| {
        let &[x, y] = question.read else {
            panic!("two values are read");
        };
        if x != y {
            assert!(!question.reached);
            refused += 1;
            return Err(Stop::Interrupted);
        }
        if x < 9 {
            sink(&[x + 1, y + 1]);
        }
        Ok(())
    });
    let reached = reached.expect("no limits");
    assert_eq!(m.count(&reached), Ok(10_u32.into()));
    assert!(refused > 0, "combinations are asked for ahead");
}

#[test]
fn a_level_that_stays_whatever_its_value_is_not_looked_at() {
    let mut m = manager(3, true);
    let row = |x, y| vec![(0, x, x), (1, y, y), (2, 0, 1)];
    let full = [row(0, 0), row(0, 1), row(1, 0), row(1, 1)];
    let values = [Some(vec![0, 1]), None, None];
    let expected = m.table(&[vec![(1, 0, 0), (2, 0, 1)], vec![(1, 1, 1), (2, 0, 1)]]);
    assert_eq!(m.table_over(&full, &values), expected);
    // A value more, a row less, or a change: then it is looked at.
    for (rows, values) in [
        (&full[..], [Some(vec![0, 1, 2]), None, None]),
        (&full[..3], [Some(vec![0, 1]), None, None]),
        (&[vec![(0, 0, 1)], vec![(0, 1, 1)]][..], values),
    ] {
        let table = m.table(rows);
        assert_eq!(m.table_over(rows, &values), table);
    }
}
