//! The time to translate whole lists of formulas, per kind of automaton.

use std::hint::black_box;

use criterion::Criterion;
use dalsegno_automata::{TestingError, Translation};
use dalsegno_kripke::Budget;
use dalsegno_logic::{FormulaStore, parse};
use dalsegno_testkit::formulas;

/// Responses and fairness: the shapes whose automata grow with the number of conditions.
const PATTERNS: [&str; 8] = [
    "G(a -> Fb) & G(c -> Fd)",
    "G(a -> Fb) & G(c -> Fd) & G(e -> Ff)",
    "G(a -> (b U c)) & G(c -> (d U a))",
    "(GFa & GFb) -> G(c -> Fd)",
    "(GFa & GFb & GFc) -> G(d -> Fe)",
    "!((GFa & GFb) -> G(c -> Fd))",
    "GFa & GFb & GFc & GFd",
    "(GFa -> GFb) & (GFc -> GFd)",
];

/// Translates every formula from its text to one kind of automaton; the number of states.
fn translate_all(
    texts: &[&str],
    one: impl Fn(&mut Translation<'_>) -> Result<usize, TestingError>,
) -> usize {
    let budget = Budget::unlimited();
    texts
        .iter()
        .map(|text| {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).expect("a formula of the list");
            match one(&mut Translation::new(&mut store, f, &budget)) {
                Ok(states) => states,
                Err(TestingError::NotStutterInvariant) => 0,
                Err(error) => panic!("{text}: {error}"),
            }
        })
        .sum()
}

fn translations(c: &mut Criterion) {
    for (list, texts) in [
        ("textbook", &formulas::LTL[..]),
        ("patterns", &PATTERNS[..]),
    ] {
        let mut bench = |kind: &str, one: &dyn Fn(&mut Translation<'_>) -> _| {
            let mut group = c.benchmark_group(kind);
            group.sample_size(20);
            group.bench_function(list, |b| b.iter(|| translate_all(black_box(texts), one)));
            group.finish();
        };
        bench("tgba", &|t| Ok(t.tgba()?.len()));
        bench("ba", &|t| Ok(t.ba()?.len()));
        bench("ta", &|t| Ok(t.ta()?.len()));
        bench("tgta", &|t| Ok(t.tgta()?.len()));
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    translations(&mut criterion);
    criterion.final_summary();
}
