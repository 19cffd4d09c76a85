//! Tests of passes and operations on random automata, whose languages are compared on short words.

mod operations;
mod passes;

use crate::bdd::Bdd;
use crate::membership::accepts;
use crate::{Automaton, Marks, StateId};
use dalsegno_kripke::{Letter, Word};
use dalsegno_logic::random::Rng;
use dalsegno_testkit::words::all_words;

/// A random automaton over one or two propositions: up to six states, up to three acceptance sets, now
/// and then several initial states, dead ends, and letters that cannot occur.
pub(crate) fn random_automaton(rng: &mut Rng) -> Automaton {
    let n = 1 + rng.index(2);
    let sets = rng.index(4) as u32;
    let names = ["a", "b"][..n].iter().map(ToString::to_string).collect();
    let mut a = Automaton::new(names, sets);
    if rng.index(4) == 0 {
        let gone = Letter(rng.below(1 << n));
        let gone = a.guards.minterm(gone, n).unwrap();
        a.alphabet = a.guards.not(gone).unwrap();
    }
    let states = 1 + rng.index(6);
    for _ in 0..states {
        a.add_state(None);
    }
    for q in StateId::first(states) {
        for _ in 0..rng.index(4) {
            let guard = random_guard(rng, &mut a, n);
            let marks = Marks(rng.next_u64()).intersection(Marks::all(sets));
            let target = StateId::new(rng.index(states));
            a.add_edge(q, guard, marks, target).unwrap();
        }
    }
    a.initial = (0..=rng.index(2))
        .map(|i| StateId::new(i % states))
        .collect();
    a.initial.dedup();
    a.check_invariants();
    a
}

fn random_guard(rng: &mut Rng, a: &mut Automaton, n: usize) -> Bdd {
    let table = rng.below(1 << (1 << n));
    let mut guard = Bdd::FALSE;
    for letter in 0..1u64 << n {
        if table >> letter & 1 == 1 {
            let minterm = a.guards.minterm(Letter(letter), n).unwrap();
            guard = a.guards.or(guard, minterm).unwrap();
        }
    }
    guard
}

/// The short words over the letters that an automaton knows.
pub(crate) fn words(a: &Automaton) -> Vec<Word> {
    let n = a.propositions.len();
    let (stem, cycle) = if n == 1 { (2, 3) } else { (1, 2) };
    let known = |w: &Word| {
        let mut letters = w.stem.iter().chain(&w.cycle);
        letters.all(|&l| a.guards.holds(a.alphabet, l))
    };
    all_words(n, stem, cycle).filter(known).collect()
}

/// Which of the words an automaton accepts.
pub(crate) fn language(a: &Automaton, words: &[Word]) -> Vec<bool> {
    words.iter().map(|w| accepts(a, w)).collect()
}
