//! What is written reads back, and what other tools write is understood.

use dalsegno_kripke::{Changeset, Letter};

use super::*;
use crate::bdd::Bdd;
use crate::io::documents;
use crate::io::names::Names;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingEdge, TestingKind};

mod faults;

/// A small generator of reproducible numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

fn names(n: usize) -> Vec<String> {
    ["a", "x \"quoted\" \\", "c", "p1 <= 2"][..n]
        .iter()
        .map(|&s| s.to_owned())
        .collect()
}

fn random_automaton(random: &mut Random, state_based: bool) -> Automaton {
    let n = random.below(5) as usize;
    let sets = random.below(4) as u32;
    let mut automaton = Automaton::new(names(n), sets);
    let states = 1 + random.below(5) as usize;
    for _ in 0..states {
        automaton.add_state(None);
    }
    automaton.initial = StateId::first(states)
        .filter(|_| random.below(2) == 0)
        .collect();
    for q in StateId::first(states) {
        let state_marks = Marks(random.next() & Marks::all(sets).0);
        for _ in 0..random.below(6) {
            let mut guard = Bdd::FALSE;
            for letter in 0..1u64 << n {
                if random.below(2) == 0 {
                    let minterm = automaton.guards.minterm(Letter(letter), n).unwrap();
                    guard = automaton.guards.or(guard, minterm).unwrap();
                }
            }
            let marks = if state_based {
                state_marks
            } else {
                Marks(random.next() & Marks::all(sets).0)
            };
            let target = StateId::new(random.below(states as u64) as usize);
            automaton.add_edge(q, guard, marks, target).unwrap();
        }
    }
    automaton
}

fn random_testing(random: &mut Random) -> TestingAutomaton {
    let n = random.below(4) as usize;
    let kind = if random.below(2) == 0 {
        TestingKind::Ta
    } else {
        TestingKind::Tgta
    };
    let alphabet: Vec<Letter> = match random.below(2) {
        0 => (0..1 << n).map(Letter).collect(),
        _ => (0..1 << n)
            .filter(|_| random.below(3) > 0)
            .map(Letter)
            .collect(),
    };
    let sets = match kind {
        TestingKind::Ta => 1,
        TestingKind::Tgta => random.below(4) as u32,
    };
    let states = 1 + random.below(5) as usize;
    let mut initial: Vec<(Letter, StateId)> = Vec::new();
    let mut edges = Vec::new();
    for q in StateId::first(states) {
        initial.extend(
            alphabet
                .iter()
                .filter(|_| random.below(4) == 0)
                .map(|&l| (l, q)),
        );
        let state_marks = Marks(random.below(2));
        let mut of_state = Vec::new();
        for _ in 0..random.below(8) {
            let changes = Changeset(random.below(1 << n));
            if kind == TestingKind::Ta && changes.is_empty() {
                continue;
            }
            of_state.push(TestingEdge {
                changes,
                target: StateId::new(random.below(states as u64) as usize),
                marks: match kind {
                    TestingKind::Ta => state_marks,
                    TestingKind::Tgta => Marks(random.next() & Marks::all(sets).0),
                },
            });
        }
        of_state.sort_unstable();
        of_state.dedup();
        edges.push(of_state);
    }
    initial.sort_unstable();
    TestingAutomaton {
        free: false,
        kind,
        propositions: names(n),
        alphabet,
        initial,
        livelock: edges
            .iter()
            .map(|_| kind == TestingKind::Ta && random.below(2) == 0)
            .collect(),
        labels: vec![None; edges.len()],
        edges,
        acceptance_sets: sets,
    }
}

fn written(automaton: &Automaton, options: &WriteOptions<'_>) -> String {
    let mut out = Vec::new();
    write_automaton(automaton, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn testing_written(automaton: &TestingAutomaton) -> String {
    let mut out = Vec::new();
    write_testing(automaton, &WriteOptions::default(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn automaton_of(text: &str) -> Automaton {
    match read_one(text).map(|d| d.content) {
        Ok(Content::Automaton(automaton)) => {
            automaton.check_invariants();
            automaton
        }
        Ok(Content::Testing(_)) => panic!("a testing automaton"),
        Err(e) => panic!("{}", e.render(text)),
    }
}

fn testing_of(text: &str) -> TestingAutomaton {
    match read_one(text).map(|d| d.content) {
        Ok(Content::Testing(automaton)) => {
            automaton.check_invariants();
            automaton
        }
        Ok(Content::Automaton(_)) => panic!("not a testing automaton"),
        Err(e) => panic!("{}", e.render(text)),
    }
}

/// The transitions by single letters, a view that does not depend on the manager.
fn transitions(automaton: &Automaton) -> Vec<(usize, usize, Marks, Vec<Letter>)> {
    let n = automaton.propositions.len();
    let of_state = |q: usize| automaton.edges[q].iter().map(move |e| (q, e));
    (0..automaton.len())
        .flat_map(of_state)
        .map(|(q, e)| {
            let letters = automaton.guards.letters(e.guard, n);
            (q, e.target.index(), e.marks, letters)
        })
        .collect()
}

#[test]
fn what_is_written_reads_back_the_same() {
    let mut random = Random(1);
    for round in 0..400 {
        let automaton = random_automaton(&mut random, round % 2 == 0);
        automaton.check_invariants();
        for placement in [Placement::States, Placement::Edges] {
            let text = written(
                &automaton,
                &WriteOptions {
                    placement,
                    ..WriteOptions::default()
                },
            );
            let back = automaton_of(&text);
            assert_eq!(back.propositions, automaton.propositions, "{text}");
            assert_eq!(back.initial, automaton.initial, "{text}");
            assert_eq!(back.acceptance_sets, automaton.acceptance_sets, "{text}");
            assert_eq!(back.len(), automaton.len(), "{text}");
            assert_eq!(transitions(&back), transitions(&automaton), "{text}");
        }
    }
}

#[test]
fn testing_automata_read_back_the_same() {
    let mut random = Random(2);
    for _ in 0..400 {
        let automaton = random_testing(&mut random);
        automaton.check_invariants();
        let text = testing_written(&automaton);
        assert_eq!(testing_of(&text), automaton, "{text}");
    }
}

#[test]
fn an_automaton_is_written_as_other_tools_expect_it() {
    let mut automaton = Automaton::new(vec!["a".to_owned(), "\"b\"".to_owned()], 1);
    let (p, q) = (automaton.add_state(None), automaton.add_state(None));
    automaton.initial = vec![p];
    let [a, b] = [0, 1].map(|v| automaton.guards.variable(v).unwrap());
    let either = automaton.guards.or(a, b).unwrap();
    let neither = automaton.guards.not(either).unwrap();
    automaton.add_edge(p, neither, Marks::NONE, p).unwrap();
    automaton.add_edge(p, either, Marks::NONE, q).unwrap();
    automaton.add_edge(q, Bdd::TRUE, Marks(1), q).unwrap();
    let state_name = |q: StateId| (q.index() == 1).then(|| "1".to_owned());
    let mut options = WriteOptions {
        names: Names::new("F(a | \"b\")").with_states(&state_name),
        stutter_invariant: true,
        ..WriteOptions::default()
    };
    assert_eq!(
        written(&automaton, &options),
        r#"HOA: v1
name: "F(a | \"b\")"
States: 2
Start: 0
AP: 2 "a" "\"b\""
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels no-univ-branch state-acc deterministic complete weak stutter-invariant
--BODY--
State: 0
[!0&!1] 0
[0 | 1] 1
State: 1 "1" {0}
[t] 1
--END--
"#
    );
    options.placement = Placement::Edges;
    let edges = written(&automaton, &options);
    assert!(edges.contains("trans-acc") && edges.contains("[t] 1 {0}"));
}

#[test]
fn an_automaton_without_states_is_still_a_document() {
    let text = written(&Automaton::new(Vec::new(), 2), &WriteOptions::default());
    let back = automaton_of(&text);
    assert_eq!((back.len(), back.edge_count()), (1, 0));
    assert!(!text.contains("complete"), "{text}");
}

const EVERYTHING: &str = r#"
/* Labels on states, on edges and implicit ones; /* nested */ comments. */
HOA: v1
Acceptance: 2 (Inf(1)) & Inf(0) & t
Alias: @both 0 & 1
tool: "by hand" "0.1"
Alias: @odd !@both & (0 | 1)
properties: state-labels
Start: 2
AP: 2 "a" "b"
acc-name: generalized-Buchi 2
future-header: 99999999999999999999 "x" y t
Start: 0
--BODY--
State: [@odd] 0 "labelled state" {0}
1 {1}
0
State: 2
0 /* !a & !b */
1 /* a & !b */
2 /* !a & b */
2 {0 1}
State: 1 {1}
[@both] 1 {0}
[!0 | !1] 1 {0}
[f] 0
--END--
HOA: v1 name: "second" AP: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--
"#;

#[test]
fn all_ways_of_writing_labels_and_marks_are_understood() {
    let documents = read(EVERYTHING).unwrap_or_else(|e| panic!("{}", e.render(EVERYTHING)));
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[1].name.as_deref(), Some("second"));
    assert_eq!(
        documents[0].state_names[0].as_deref(),
        Some("labelled state")
    );
    let Content::Automaton(first) = &documents[0].content else {
        panic!("not a testing automaton")
    };
    first.check_invariants();
    assert_eq!(first.initial, [0, 2].map(StateId::new));
    let letters = |list: &[u64]| list.iter().map(|&l| Letter(l)).collect::<Vec<_>>();
    assert_eq!(
        transitions(first),
        [
            (0, 0, Marks(1), letters(&[1, 2])),
            (0, 1, Marks(3), letters(&[1, 2])),
            (1, 1, Marks(3), letters(&[0, 1, 2, 3])),
            (2, 0, Marks(0), letters(&[0])),
            (2, 1, Marks(0), letters(&[1])),
            (2, 2, Marks(0), letters(&[2])),
            (2, 2, Marks(3), letters(&[3])),
        ]
    );
}

#[test]
fn testing_automata_are_written_as_they_were_read() {
    for text in [documents::TA, documents::TGTA] {
        let name = read_one(text).unwrap().name.unwrap();
        let mut out = Vec::new();
        let options = WriteOptions {
            names: Names::new(&name),
            ..WriteOptions::default()
        };
        write_testing(&testing_of(text), &options, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}
