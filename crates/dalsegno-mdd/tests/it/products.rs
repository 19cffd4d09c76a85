//! Products of tables, tables as one event, and products that are learned.

use std::collections::BTreeMap;

use dalsegno_mdd::{Learner, Relation, TableRow};

use crate::explicit::{Random, Vectors, build, list, manager};

/// A function of a product: at most one successor, of at most one level.
struct Part {
    reads: Vec<u32>,
    writes: Vec<u32>,
    results: BTreeMap<Vec<u32>, Vec<u32>>,
}

impl Part {
    fn random(random: &mut Random, levels: u32, values: u32, writes: Option<u32>) -> Self {
        let reads: Vec<u32> = (0..levels).filter(|_| random.one_in(3)).collect();
        let writes: Vec<u32> = writes.into_iter().collect();
        let mut results = BTreeMap::new();
        let number = values.pow(reads.len() as u32);
        for mut digits in 0..number {
            let mut arguments = Vec::new();
            for _ in &reads {
                arguments.push(digits % values);
                digits /= values;
            }
            if !random.one_in(4) {
                let written = random.vector(writes.len() as u32, values);
                results.insert(arguments, written);
            }
        }
        Part {
            reads,
            writes,
            results,
        }
    }

    /// A few parts, no two of which write the same level.
    fn product(random: &mut Random, levels: u32, values: u32) -> Vec<Part> {
        let mut parts = Vec::new();
        for level in 0..levels {
            if random.one_in(2) {
                parts.push(Part::random(random, levels, values, Some(level)));
            }
        }
        if parts.is_empty() || random.one_in(2) {
            parts.push(Part::random(random, levels, values, None));
        }
        parts
    }

    fn call(&self, vector: &[u32]) -> Option<&Vec<u32>> {
        let arguments: Vec<u32> = self.reads.iter().map(|&l| vector[l as usize]).collect();
        self.results.get(&arguments)
    }

    /// The rows over all levels that are read or written.
    fn rows(&self, values: u32) -> Vec<TableRow> {
        let mut levels: Vec<u32> = self.reads.iter().chain(&self.writes).copied().collect();
        levels.sort_unstable();
        levels.dedup();
        let mut rows = Vec::new();
        for mut digits in 0..values.pow(levels.len() as u32) {
            let mut row: TableRow = Vec::new();
            for &level in &levels {
                row.push((level, digits % values, digits % values));
                digits /= values;
            }
            let value = |level: &u32| row.iter().find(|entry| entry.0 == *level);
            let arguments = self.reads.iter().filter_map(value);
            let arguments: Vec<u32> = arguments.map(|entry| entry.1).collect();
            if let Some(written) = self.results.get(&arguments) {
                for (level, &new) in self.writes.iter().zip(written) {
                    for entry in row.iter_mut().filter(|entry| entry.0 == *level) {
                        entry.2 = new;
                    }
                }
                rows.push(row);
            }
        }
        rows
    }
}

fn successor(parts: &[Part], vector: &[u32]) -> Option<Vec<u32>> {
    let mut next = vector.to_vec();
    for part in parts {
        for (&level, &value) in part.writes.iter().zip(part.call(vector)?) {
            next[level as usize] = value;
        }
    }
    Some(next)
}

/// What products lead to from some vectors.
fn fixpoint(start: &Vectors, products: &[Vec<Part>]) -> Vectors {
    let mut all = start.clone();
    let mut open: Vec<Vec<u32>> = start.iter().cloned().collect();
    while let Some(vector) = open.pop() {
        for next in products
            .iter()
            .filter_map(|parts| successor(parts, &vector))
        {
            if all.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    all
}

#[test]
fn a_product_of_tables_does_what_its_parts_do_together() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let (levels, values) = (1 + random.below(5), 2 + random.below(2));
        let parts = Part::product(random, levels, values);
        let vectors = random.vectors(30, levels, values);
        let mut m = manager(levels, seed % 2 == 0);
        let set = build(&mut m, &vectors);
        let mut tables: Vec<Relation> = Vec::new();
        for part in &parts {
            tables.push(m.table(&part.rows(values)));
        }
        let product = m.together(&tables).expect("no limits");
        let image = m.image(&set, product).expect("no limits");
        let expected: Vectors = vectors
            .iter()
            .filter_map(|v| successor(&parts, v))
            .collect();
        assert_eq!(list(&m, &image), expected, "seed {seed}");
        let number = vectors.iter().filter(|v| successor(&parts, v).is_some());
        let number = number.count().into();
        assert_eq!(m.count_pairs(&set, &[product]), Ok(number), "seed {seed}");
    }
}

#[test]
fn tables_of_one_level_are_one_event_with_the_same_fixpoint() {
    let mut fewer = 0;
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let (levels, values) = (1 + random.below(5), 2 + random.below(2));
        let number = 1 + random.below(6);
        let products: Vec<Vec<Part>> = (0..number)
            .map(|_| Part::product(random, levels, values))
            .collect();
        let start = random.vectors(2, levels, values);
        let mut m = manager(levels, seed % 2 == 0);
        let mut relations = Vec::new();
        for parts in &products {
            let tables: Vec<Relation> = parts.iter().map(|p| m.table(&p.rows(values))).collect();
            relations.push(m.together(&tables).expect("no limits"));
        }
        let gathered = m.gathered(&relations).expect("no limits");
        fewer += usize::from(gathered.len() < relations.len());
        let set = build(&mut m, &start);
        let events = m.events(&gathered);
        let reached = m.saturate(&set, &events).expect("no limits");
        assert_eq!(
            list(&m, &reached),
            fixpoint(&start, &products),
            "seed {seed}"
        );
    }
    assert!(fewer > 100, "most of them have a level in common");
}

#[test]
fn learning_products_finds_the_explicit_fixpoint() {
    let mut largest = 0;
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        let (levels, values) = (1 + random.below(5), 2 + random.below(3));
        let number = 1 + random.below(5);
        let products: Vec<Vec<Part>> = (0..number)
            .map(|_| Part::product(random, levels, values))
            .collect();
        let start = random.vectors(2, levels, values);
        let expected = fixpoint(&start, &products);
        largest = largest.max(expected.len());

        let mut m = manager(levels, seed % 2 == 0);
        let set = build(&mut m, &start);
        let mut learners: Vec<Learner> = Vec::new();
        for parts in &products {
            let lists = parts.iter().map(|p| (p.reads.clone(), p.writes.clone()));
            let lists: Vec<(Vec<u32>, Vec<u32>)> = lists.collect();
            learners.push(Learner::product(&mut m, &lists));
        }
        // The second time there is nothing left to learn, and it is known all the same.
        for round in 0..2 {
            let mut asking: Vec<&mut Learner> = learners.iter_mut().collect();
            let reached = m.reach_learning(&set, &[], &mut asking, |question, sink| {
                assert_eq!(round, 0, "seed {seed}");
                let part = &products[question.learner][question.part];
                if let Some(written) = part.results.get(question.read) {
                    sink(written);
                }
                Ok(())
            });
            let reached = reached.expect("no limits");
            assert_eq!(list(&m, &reached), expected, "seed {seed}");
            for (parts, learner) in products.iter().zip(&learners) {
                let enabled = |v: &&Vec<u32>| successor(parts, v).is_some();
                let sources: Vectors = expected.iter().filter(enabled).cloned().collect();
                let number = sources.len().into();
                assert_eq!(m.count_pairs(&reached, learner.relations()), Ok(number));
                for truth in [true, false] {
                    let guard = learner.enabled(&mut m, truth);
                    let selected = m.select(&reached, guard).expect("no limits");
                    let right = |v: &&Vec<u32>| sources.contains(*v) == truth;
                    let right: Vectors = expected.iter().filter(right).cloned().collect();
                    assert_eq!(list(&m, &selected), right, "seed {seed}");
                }
            }
        }
    }
    assert!(largest > 50, "some of the models are not trivial");
}
