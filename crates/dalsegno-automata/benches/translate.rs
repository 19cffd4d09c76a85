//! The time to translate whole lists of formulas, per kind of automaton.

use std::hint::black_box;

use criterion::Criterion;
use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::testing_translate::Error;
use dalsegno_automata::translate::Translator;
use dalsegno_kripke::Budget;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, parse};
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
    one: impl Fn(&mut Translator<'_>, FormulaId) -> Result<usize, Error>,
) -> usize {
    texts
        .iter()
        .map(|text| {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).expect("a formula of the list");
            let propositions = store.propositions(f);
            let mut translator = Translator {
                store: &mut store,
                simplifier: &mut Simplifier::new(),
                propositions: &propositions,
                alphabet: &|_| Ok(Bdd::TRUE),
                budget: &Budget::unlimited(),
            };
            match one(&mut translator, f) {
                Ok(states) => states,
                Err(Error::NotStutterInvariant) => 0,
                Err(error) => panic!("{text}: {error}"),
            }
        })
        .sum()
}

fn tgta(translator: &mut Translator<'_>, f: FormulaId) -> Result<usize, Error> {
    let mut invariance = Invariance::default();
    let invariant = invariance.decide(translator, f)?;
    Ok(translator.tgta(f, invariant)?.len())
}

fn ta(translator: &mut Translator<'_>, f: FormulaId) -> Result<usize, Error> {
    let invariant = Invariance::default().decide(translator, f)?;
    Ok(translator.ta(f, invariant)?.len())
}

fn translations(c: &mut Criterion) {
    for (list, texts) in [
        ("textbook", &formulas::LTL[..]),
        ("patterns", &PATTERNS[..]),
    ] {
        let mut bench = |kind: &str, one: &dyn Fn(&mut Translator<'_>, FormulaId) -> _| {
            let mut group = c.benchmark_group(kind);
            group.sample_size(20);
            group.bench_function(list, |b| b.iter(|| translate_all(black_box(texts), one)));
            group.finish();
        };
        bench("tgba", &|t, f| Ok(t.tgba(f)?.len()));
        bench("ba", &|t, f| Ok(t.ba(f)?.len()));
        bench("ta", &ta);
        bench("tgta", &tgta);
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    translations(&mut criterion);
    criterion.final_summary();
}
