//! Acceptance conditions in HOA against their definition, on random automata and words.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dalsegno_automata::Automaton;
use dalsegno_automata::hoa::{self, Content};
use dalsegno_automata::membership::accepts;
use dalsegno_automata::operations::acceptance::{Condition, Set};
use dalsegno_kripke::{Letter, Word};
use dalsegno_logic::random::Rng;
use dalsegno_testkit::words::random_word;

/// An automaton over one or two propositions with any condition over up to four sets.
struct Raw {
    propositions: usize,
    sets: u32,
    condition: Condition,
    initial: Vec<usize>,
    /// Per state: the letter, the sets and the target.
    edges: Vec<Vec<(Letter, u64, usize)>>,
}

impl Raw {
    fn random(rng: &mut Rng, condition: impl FnOnce(&mut Rng, u32) -> Condition) -> Raw {
        let propositions = 1 + rng.index(2);
        let sets = 1 + rng.below(4) as u32;
        let states = 1 + rng.index(4);
        let edge = |rng: &mut Rng| {
            let letter = Letter(rng.below(1 << propositions));
            (letter, rng.below(1 << sets), rng.index(states))
        };
        Raw {
            propositions,
            sets,
            condition: condition(rng, sets),
            initial: (0..=rng.index(2)).map(|i| i % states).collect(),
            edges: (0..states)
                .map(|_| (0..rng.index(7)).map(|_| edge(rng)).collect())
                .collect(),
        }
    }

    fn to_hoa(&self) -> String {
        let mut text = format!("HOA: v1\nStates: {}\n", self.edges.len());
        for q in self.initial.iter().collect::<BTreeSet<_>>() {
            let _ = writeln!(text, "Start: {q}");
        }
        let _ = write!(text, "AP: {}", self.propositions);
        for name in &["a", "b"][..self.propositions] {
            let _ = write!(text, " \"{name}\"");
        }
        let condition = shown(&self.condition);
        let _ = writeln!(text, "\nAcceptance: {} {condition}\n--BODY--", self.sets);
        for (q, edges) in self.edges.iter().enumerate() {
            let _ = writeln!(text, "State: {q} \"s{q}\"");
            for (letter, sets, target) in edges {
                let literal = |i: usize| format!("{}{i}", if letter.holds(i) { "" } else { "!" });
                let label: Vec<String> = (0..self.propositions).map(literal).collect();
                let marks = (0..self.sets).filter(|i| sets >> i & 1 == 1);
                let marks: Vec<String> = marks.map(|i| i.to_string()).collect();
                let (label, marks) = (label.join("&"), marks.join(" "));
                let _ = writeln!(text, "[{label}] {target} {{{marks}}}");
            }
        }
        text + "--END--\n"
    }

    /// Whether some run on the word visits, again and again, edges whose sets satisfy the condition: all sets of sets that a closed
    /// walk can visit are tried.
    fn accepts(&self, word: &Word) -> bool {
        let step = |(q, at): (usize, usize)| {
            let edges = self.edges[q].iter();
            let enabled = edges.filter(move |(letter, ..)| letter == word.get(at));
            enabled.map(move |&(_, sets, target)| (sets, (target, word.successor(at))))
        };
        let mut reached: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut open: Vec<(usize, usize)> = self.initial.iter().map(|&q| (q, 0)).collect();
        while let Some(node) = open.pop() {
            if reached.insert(node) {
                open.extend(step(node).map(|(_, next)| next));
            }
        }
        let all = (1u64 << self.sets) - 1;
        reached.iter().any(|&start| {
            // Walks from here: the node, the sets visited, and the sets missed by some edge.
            let mut seen = BTreeSet::new();
            let mut open = vec![(start, 0u64, 0u64)];
            while let Some((node, visited, outside)) = open.pop() {
                for (sets, next) in step(node) {
                    let walk = (next, visited | sets, outside | (all & !sets));
                    if seen.insert(walk) {
                        open.push(walk);
                    }
                }
            }
            let closed = seen.iter().filter(|(node, ..)| *node == start);
            let mut closed = closed.map(|&(_, visited, outside)| (visited, outside));
            closed.any(|(visited, outside)| satisfied(&self.condition, visited, outside))
        })
    }
}

fn satisfied(condition: &Condition, visited: u64, outside: u64) -> bool {
    let seen = |set: &Set| {
        let sets = if set.outside { outside } else { visited };
        sets >> set.index & 1 == 1
    };
    match condition {
        Condition::Constant(value) => *value,
        Condition::Inf(set) => seen(set),
        Condition::Fin(set) => !seen(set),
        Condition::All(parts) => parts.iter().all(|p| satisfied(p, visited, outside)),
        Condition::Any(parts) => parts.iter().any(|p| satisfied(p, visited, outside)),
    }
}

fn shown(condition: &Condition) -> String {
    let set = |s: &Set| format!("{}{}", if s.outside { "!" } else { "" }, s.index);
    let joined = |parts: &[Condition], with: &str| {
        let parts: Vec<String> = parts.iter().map(|p| format!("({})", shown(p))).collect();
        parts.join(with)
    };
    match condition {
        Condition::Constant(true) => "t".to_owned(),
        Condition::Constant(false) => "f".to_owned(),
        Condition::Inf(s) => format!("Inf({})", set(s)),
        Condition::Fin(s) => format!("Fin({})", set(s)),
        Condition::All(parts) => joined(parts, "&"),
        Condition::Any(parts) => joined(parts, "|"),
    }
}

fn inf(index: u32) -> Condition {
    Condition::Inf(Set::new(index))
}

fn fin(index: u32) -> Condition {
    Condition::Fin(Set::new(index))
}

fn rabin(_: &mut Rng, sets: u32) -> Condition {
    let pairs = (0..sets).step_by(2);
    let pair =
        |i: u32| Condition::All(vec![fin(i), if i + 1 < sets { inf(i + 1) } else { inf(0) }]);
    Condition::Any(pairs.map(pair).collect())
}

fn streett(_: &mut Rng, sets: u32) -> Condition {
    let pairs = (0..sets).step_by(2);
    let pair =
        |i: u32| Condition::Any(vec![fin(i), if i + 1 < sets { inf(i + 1) } else { inf(0) }]);
    Condition::All(pairs.map(pair).collect())
}

/// The largest set that is visited infinitely often has an even number.
fn parity(_: &mut Rng, sets: u32) -> Condition {
    let mut condition = if sets.is_multiple_of(2) {
        inf(0)
    } else {
        Condition::Constant(true)
    };
    for i in 0..sets {
        condition = if i % 2 == 0 {
            Condition::Any(vec![inf(i), condition])
        } else {
            Condition::All(vec![fin(i), condition])
        };
    }
    condition
}

fn any(rng: &mut Rng, sets: u32) -> Condition {
    fn go(rng: &mut Rng, sets: u32, depth: u32) -> Condition {
        let set = |rng: &mut Rng| Set {
            index: rng.below(u64::from(sets)) as u32,
            outside: rng.chance(1, 4),
        };
        match rng.index(if depth == 0 { 5 } else { 9 }) {
            0 | 1 => Condition::Inf(set(rng)),
            2 | 3 => Condition::Fin(set(rng)),
            4 => Condition::Constant(rng.chance(1, 2)),
            5 | 6 => Condition::All((0..2).map(|_| go(rng, sets, depth - 1)).collect()),
            _ => Condition::Any((0..2).map(|_| go(rng, sets, depth - 1)).collect()),
        }
    }
    go(rng, sets, 3)
}

fn read(text: &str) -> Automaton {
    let document = hoa::read_one(text).unwrap_or_else(|e| panic!("{}\n{text}", e.render(text)));
    let Content::Automaton(a) = document.content else {
        panic!("not a testing automaton")
    };
    a.check_invariants();
    assert_eq!(document.state_names.len(), a.len());
    a
}

fn agree(seed: u64, condition: fn(&mut Rng, u32) -> Condition) {
    let mut rng = Rng::new(seed);
    let mut accepted = 0;
    for _ in 0..400 {
        let raw = Raw::random(&mut rng, condition);
        let text = raw.to_hoa();
        let automaton = read(&text);
        for _ in 0..20 {
            let word = random_word(&mut rng, raw.propositions, 2, 3);
            let expected = raw.accepts(&word);
            accepted += usize::from(expected);
            assert_eq!(
                accepts(&automaton, &word),
                expected,
                "{text}\n{word:?}\n{automaton:?}"
            );
        }
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn rabin_conditions_mean_what_they_say() {
    agree(1, rabin);
}

#[test]
fn streett_conditions_mean_what_they_say() {
    agree(2, streett);
}

#[test]
fn parity_conditions_mean_what_they_say() {
    agree(3, parity);
}

#[test]
fn any_condition_means_what_it_says() {
    agree(4, any);
}

#[test]
fn names_of_states_follow_their_copies() {
    let text = "HOA: v1 name: \"FG a\" Start: 0 AP: 1 \"a\" acc-name: co-Buchi Acceptance: 1 Fin(0)
                --BODY-- State: 0 \"only\" [0] 0 [!0] 0 {0} --END--";
    let document = hoa::read_one(text).unwrap();
    let Content::Automaton(a) = &document.content else {
        panic!("not a testing automaton")
    };
    assert_eq!((a.len(), a.acceptance_sets()), (2, 1));
    let names: Vec<_> = document.state_names.iter().flatten().collect();
    assert_eq!(names, ["only", "only"]);
}

#[test]
fn a_condition_with_too_many_terms_is_refused_by_its_name() {
    let pair = |i: u32| format!("(Fin({})|Inf({}))", 2 * i, 2 * i + 1);
    let text = |pairs: u32| {
        let all: Vec<String> = (0..pairs).map(pair).collect();
        let sets = 2 * pairs;
        let condition = all.join("&");
        format!(
            "HOA: v1 Start: 0 acc-name: Streett {pairs} Acceptance: {sets} {condition}
             --BODY-- State: 0 [t] 0 {{1 3 5}} --END--"
        )
    };
    let small = text(8);
    read(&small);
    let large = text(12);
    let error = hoa::read_one(&large).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("Streett acceptance is not supported here"),
        "{message}"
    );
}
