//! Random formulas on random words: what the semantics must say whatever the formula.

use dalsegno_certify::holds_on_word;
use dalsegno_kripke::{Letter, Word};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId, parse};
use dalsegno_testkit::words::random_word;

/// Runs `check` on random formulas over three propositions and random words.
fn on_random_cases(config: Config, mut check: impl FnMut(&mut Case, FormulaId, &Word)) {
    let mut store = FormulaStore::new();
    let mut props = Vec::new();
    for name in &config.propositions {
        store.atom(name);
        props.extend(store.proposition(name));
    }
    let mut case = Case { store, props };
    let mut rng = Rng::new(config.seed);
    let mut generator = Generator::new(config.with_size(1..=20));
    for _ in 0..1_000 {
        let f = generator.next_formula(&mut case.store);
        for _ in 0..10 {
            let word = random_word(&mut rng, 3, 4, 4);
            check(&mut case, f, &word);
        }
    }
}

struct Case {
    store: FormulaStore,
    props: Vec<PropId>,
}

impl Case {
    fn holds(&self, f: FormulaId, word: &Word) -> bool {
        holds_on_word(&self.store, f, &self.props, word).expect("LTL over the propositions")
    }
}

#[test]
fn a_formula_or_its_negation_holds() {
    on_random_cases(Config::ltl(), |case, f, word| {
        let not_f = case.store.not(f);
        assert_ne!(case.holds(f, word), case.holds(not_f, word));
    });
}

#[test]
fn formulas_rewritten_for_spin_mean_the_same() {
    on_random_cases(Config::ltl(), |case, f, word| {
        let text = case.store.display_spin(f).to_string();
        let g = parse(&mut case.store, &text).expect("what was printed");
        assert_eq!(case.holds(f, word), case.holds(g, word), "{text}");
    });
}

#[test]
fn stuttering_does_not_matter_without_next() {
    let repeat = |letters: &[Letter]| -> Vec<Letter> {
        let twice_or_thrice = |(i, &letter): (usize, &Letter)| vec![letter; 2 + i % 2];
        letters
            .iter()
            .enumerate()
            .flat_map(twice_or_thrice)
            .collect()
    };
    on_random_cases(Config::x_free(), |case, f, word| {
        let stuttered = Word::new(repeat(&word.stem), repeat(&word.cycle));
        assert_eq!(case.holds(f, word), case.holds(f, &stuttered));
    });
}

/// The textbook definition on the unrolled word, with quantifiers over positions.
fn by_quantifiers(
    store: &FormulaStore,
    f: FormulaId,
    letters: &[Letter],
    from: &Word,
    i: usize,
) -> bool {
    let holds = |g: FormulaId, j: usize| by_quantifiers(store, g, letters, from, j);
    // Every position that is ever visited from `i` lies within one stem and two cycles.
    let later = i..(i + from.len() + from.cycle.len());
    let fold = |j: usize| match j.checked_sub(from.len()) {
        None => j,
        Some(over) => from.stem.len() + over % from.cycle.len(),
    };
    let at = |g: FormulaId, j: usize| holds(g, fold(j));
    let until =
        |a: FormulaId, b: FormulaId| later.clone().any(|j| at(b, j) && (i..j).all(|k| at(a, k)));
    let release =
        |a: FormulaId, b: FormulaId| later.clone().all(|j| at(b, j) || (i..j).any(|k| at(a, k)));
    match store.node(f) {
        Node::True => true,
        Node::False => false,
        Node::Atom(p) => letters[i].holds(p.index()),
        Node::Not(a) => !at(a, i),
        Node::And(list) => list.iter().all(|&a| at(a, i)),
        Node::Or(list) => list.iter().any(|&a| at(a, i)),
        Node::Implies(a, b) => !at(a, i) || at(b, i),
        Node::Iff(a, b) => at(a, i) == at(b, i),
        Node::Xor(a, b) => at(a, i) != at(b, i),
        Node::Next(a) => at(a, i + 1),
        Node::Finally(a) => later.clone().any(|j| at(a, j)),
        Node::Globally(a) => later.clone().all(|j| at(a, j)),
        Node::Until(a, b) => until(a, b),
        Node::Release(a, b) => release(a, b),
        Node::WeakUntil(a, b) => until(a, b) || later.clone().all(|j| at(a, j)),
        Node::StrongRelease(a, b) => release(a, b) && later.clone().any(|j| at(a, j)),
        Node::Exists(_) | Node::Forall(_) => unreachable!("LTL only"),
    }
}

#[test]
fn fixpoints_agree_with_quantifiers_over_positions() {
    let mut store = FormulaStore::new();
    let mut rng = Rng::new(11);
    let mut generator = Generator::new(Config::ltl().with_size(1..=9));
    let props = ["a", "b", "c"].map(|name| {
        store.atom(name);
        store.proposition(name).expect("just made")
    });
    for _ in 0..500 {
        let f = generator.next_formula(&mut store);
        let word = random_word(&mut rng, 3, 2, 3);
        let letters: Vec<Letter> = word.stem.iter().chain(&word.cycle).copied().collect();
        let expected = by_quantifiers(&store, f, &letters, &word, 0);
        let found = holds_on_word(&store, f, &props, &word);
        assert_eq!(found, Ok(expected), "{} on {word:?}", store.display(f));
    }
}
