//! The branching semantics against the linear one, against itself on two routes, and its dualities.

use dalsegno_certify::branching::{holds, holds_by_paths};
use dalsegno_certify::{Graph, holds_on_word};
use dalsegno_kripke::{DeadEnds, Letter, Word};
use dalsegno_logic::random::{Config, Generator, Rng};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId, parse};
use dalsegno_testkit::formulas;
use dalsegno_testkit::words::{all_words, random_word};

/// The graph of one path.
fn lasso(word: &Word) -> Graph {
    let positions = 0..word.len();
    Graph::new(
        vec![0],
        positions.clone().map(|i| vec![word.successor(i)]).collect(),
        positions.map(|i| *word.get(i)).collect(),
    )
}

fn random_graph(rng: &mut Rng, propositions: u32) -> Graph {
    let n = 1 + rng.index(7);
    let edges = |rng: &mut Rng| (0..rng.index(4)).map(|_| rng.index(n)).collect();
    let successors = (0..n).map(|_| edges(rng)).collect();
    let letters = (0..n)
        .map(|_| Letter(rng.below(1 << propositions)))
        .collect();
    Graph::new(vec![0], successors, letters)
}

/// `f` holds on a word exactly if `A f` and `E f` do on its graph.
fn agrees_with_word(store: &mut FormulaStore, f: FormulaId, props: &[PropId], word: &Word) {
    let expected = holds_on_word(store, f, props, word).unwrap();
    let graph = lasso(word);
    for quantified in [store.forall(f), store.exists(f)] {
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let states = holds(store, quantified, props, &graph, dead_ends).unwrap();
            assert_eq!(
                states[0],
                expected,
                "{} on {word:?}",
                store.display(quantified)
            );
        }
    }
}

#[test]
fn a_graph_of_one_path_is_a_word() {
    let mut rng = Rng::new(5);
    for text in formulas::LTL.iter().chain(&formulas::TRAPS) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let props = store.propositions(f);
        for _ in 0..12 {
            let word = random_word(&mut rng, props.len(), 3, 4);
            agrees_with_word(&mut store, f, &props, &word);
        }
    }
}

#[test]
fn all_short_words_agree_on_random_formulas() {
    let words: Vec<Word> = all_words(1, 2, 2).collect();
    let config = Config::ltl()
        .with_propositions(["a"])
        .with_size(2..=8)
        .with_seed(3);
    let mut generator = Generator::new(config);
    for _ in 0..150 {
        let mut store = FormulaStore::new();
        store.atom("a");
        let props = [store.proposition("a").unwrap()];
        let f = generator.next_formula(&mut store);
        for word in &words {
            agrees_with_word(&mut store, f, &props, word);
        }
    }
}

/// The propositions `a` and `b`, which a formula may have or not.
fn a_and_b(store: &mut FormulaStore) -> [PropId; 2] {
    ["a", "b"].map(|name| {
        store.atom(name);
        store.proposition(name).unwrap()
    })
}

#[test]
fn fixpoints_and_paths_agree_on_ctl() {
    let mut rng = Rng::new(7);
    let config = Config::ctl()
        .with_propositions(["a", "b"])
        .with_size(2..=12)
        .with_seed(19);
    let mut generator = Generator::new(config);
    for _ in 0..400 {
        let graph = random_graph(&mut rng, 2);
        let mut store = FormulaStore::new();
        let props = a_and_b(&mut store);
        let f = generator.next_formula(&mut store);
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let sets = holds(&store, f, &props, &graph, dead_ends).unwrap();
            let paths = holds_by_paths(&store, f, &props, &graph, dead_ends).unwrap();
            assert_eq!(sets, paths, "{} on {graph:?}", store.display(f));
        }
    }
}

/// The formula with `A p` for `!E !p`, and the other way round.
fn dual(store: &mut FormulaStore, f: FormulaId) -> FormulaId {
    match store.node(f) {
        Node::Exists(p) => {
            let p = store.not(p);
            let all = store.forall(p);
            store.not(all)
        }
        Node::Forall(p) => {
            let p = store.not(p);
            let some = store.exists(p);
            store.not(some)
        }
        _ => f,
    }
}

#[test]
fn quantifiers_are_dual() {
    let mut rng = Rng::new(23);
    for text in formulas::CTL.iter().chain(&formulas::CTL_STAR) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let g = dual(&mut store, f);
        assert_ne!(f, g, "{text}");
        let props = store.propositions(f);
        for _ in 0..40 {
            let graph = random_graph(&mut rng, props.len() as u32);
            for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
                assert_eq!(
                    holds(&store, f, &props, &graph, dead_ends),
                    holds(&store, g, &props, &graph, dead_ends),
                    "{text} on {graph:?}"
                );
            }
        }
    }
}

/// Every word of a graph is one of its paths: `A f` needs all of them.
#[test]
fn what_holds_on_all_paths_holds_on_every_lasso() {
    let mut rng = Rng::new(31);
    let config = Config::ltl()
        .with_propositions(["a", "b"])
        .with_size(2..=7)
        .with_seed(37);
    let mut generator = Generator::new(config);
    for _ in 0..150 {
        let graph = random_graph(&mut rng, 2);
        let mut store = FormulaStore::new();
        let props = a_and_b(&mut store);
        let f = generator.next_formula(&mut store);
        let some = store.exists(f);
        let every = store.forall(f);
        let possible = holds(&store, some, &props, &graph, DeadEnds::Ignore).unwrap()[0];
        let certain = holds(&store, every, &props, &graph, DeadEnds::Ignore).unwrap()[0];
        for _ in 0..20 {
            let Some(word) = random_lasso(&mut rng, &graph) else {
                continue;
            };
            let value = holds_on_word(&store, f, &props, &word).unwrap();
            assert!(!certain || value, "{} on {word:?}", store.display(every));
            assert!(possible || !value, "{} on {word:?}", store.display(some));
        }
    }
}

/// The word of a random walk that goes back to a state it has seen.
fn random_lasso(rng: &mut Rng, graph: &Graph) -> Option<Word> {
    let mut path = vec![0];
    for _ in 0..12 {
        let next = graph.successors(*path.last()?);
        if next.is_empty() {
            return None;
        }
        let state = next[rng.index(next.len())];
        let back = path.iter().position(|&s| s == state);
        if let Some(back) = back.filter(|_| rng.chance(1, 2)) {
            let letters: Vec<Letter> = path.iter().map(|&s| graph.letter(s)).collect();
            return Some(Word::new(
                letters[..back].to_vec(),
                letters[back..].to_vec(),
            ));
        }
        path.push(state);
    }
    None
}
