//! Properties of random nets and formulas; what fails is shrunk. Seeds stay the same.

use dalsegno::branching::check_form;
use dalsegno::certify::{Graph, holds_on_word};
use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::logic::random::Rng;
use dalsegno::logic::simplify::Simplifier;
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, parse, parse_lbt};
use dalsegno::models::petri::pnml;
use dalsegno::{Ending, Engine, Source};
use dalsegno_fuzz::ask::survey;
use dalsegno_fuzz::seeds::net_to_pnml;
use dalsegno_fuzz::subject::problem;
use dalsegno_fuzz::verdicts::Question;
use dalsegno_testkit::strategies::{PROPOSITIONS, bounded_nets, ctl, ctl_star, ltl, wild_nets};
use dalsegno_testkit::words::random_word;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};

/// Runs a property on some cases; panics with the smallest case that fails.
fn check<S: Strategy>(
    seed: u64,
    cases: u32,
    strategy: S,
    property: impl Fn(S::Value) -> Result<(), String>,
) {
    let config = ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let property = |value| property(value).map_err(TestCaseError::fail);
    if let Err(error) = TestRunner::new(config).run(&strategy, property) {
        panic!("{error}");
    }
}

/// Complains unless two values are the same.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, left: &T, right: &T) -> Result<(), String> {
    if left == right {
        return Ok(());
    }
    Err(format!("{what}: {left:?} and {right:?}"))
}

#[test]
fn states_are_counted_alike() {
    check(1, 200, bounded_nets(), |net| {
        let source = Source::of_net(net);
        let graph = Graph::of_model(problem(&source).model(), &[], 5_000);
        let states = graph.map_err(|error| error.to_string())?.len();
        let budget = Budget::unlimited();
        for engine in [Engine::Explicit, Engine::Symbolic] {
            let found = survey(&source, engine, &budget)?;
            same(engine.name(), &found.ending, &Ending::Complete)?;
            same(engine.name(), &found.states, &Some(states.to_string()))?;
        }
        Ok(())
    });
}

const MEANINGS: [DeadEnds; 3] = [DeadEnds::Stutter, DeadEnds::Ignore, DeadEnds::Finite];

#[test]
fn linear_verdicts_are_those_of_the_definition() {
    let cases = (bounded_nets(), ltl(&PROPOSITIONS), any::<u64>());
    check(2, 150, cases, |(net, formula, variant)| {
        let source = Source::of_net(net);
        let meaning = MEANINGS[variant as usize % 2];
        let question = Question::new(&source, &formula, meaning, variant);
        question.ok_or("no formula")?.linear().map(|_| ())
    });
}

#[test]
fn branching_verdicts_are_those_of_the_definition() {
    let formulas = prop_oneof![ctl(&PROPOSITIONS), ctl_star(&PROPOSITIONS)];
    let cases = (bounded_nets(), formulas, any::<u64>());
    check(3, 250, cases, |(net, formula, variant)| {
        let source = Source::of_net(net);
        let meaning = MEANINGS[variant as usize % 3];
        let question = Question::new(&source, &formula, meaning, variant);
        question.ok_or("no formula")?.branching().map(|_| ())
    });
}

const ATOMS: [&str; 3] = ["a", "b", "\"c d\""];

#[test]
fn simplification_keeps_the_meaning() {
    check(4, 2_000, (ltl(&ATOMS), any::<u64>()), |(text, seed)| {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, &text).map_err(|error| error.to_string())?;
        let simple = Simplifier::new().simplify(&mut store, f);
        let opposite = Simplifier::new().simplify_negation(&mut store, f);
        let names = store.propositions(f);
        let mut rng = Rng::new(seed);
        for _ in 0..8 {
            let word = random_word(&mut rng, names.len(), 3, 3);
            let holds = |g| holds_on_word(&store, g, &names, &word).map_err(|e| e.to_string());
            let expected = holds(f)?;
            same("simplified", &holds(simple)?, &expected)?;
            same("negated", &holds(opposite)?, &!expected)?;
        }
        Ok(())
    });
}

#[test]
fn printed_formulas_read_back() {
    let formulas = prop_oneof![ltl(&ATOMS), ctl(&ATOMS), ctl_star(&ATOMS)];
    check(5, 2_000, formulas, |text| {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, &text).map_err(|error| error.to_string())?;
        let infix = store.display(f).to_string();
        same("infix", &parse(&mut store, &infix), &Ok(f))?;
        let prefix = store.display_lbt(f).to_string();
        same("prefix", &parse_lbt(&mut store, &prefix), &Ok(f))
    });
}

#[test]
fn formulas_are_of_the_logic_they_are_drawn_from() {
    let is = |fits: fn(&FormulaStore, FormulaId) -> bool| {
        move |text: String| {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, &text).map_err(|error| error.to_string())?;
            same(&text, &fits(&store, f), &true)
        }
    };
    check(
        6,
        200,
        ltl(&ATOMS),
        is(|store, f| store.is(f, Fragment::LTL)),
    );
    // Identities may leave a quantifier over a constant, which is not CTL by its syntax.
    let finite = |store: &FormulaStore, f| check_form(store, f, DeadEnds::Finite).is_ok();
    check(7, 200, ctl(&ATOMS), is(finite));
    check(
        8,
        200,
        ctl_star(&ATOMS),
        is(|store, f| store.is(f, Fragment::STATE)),
    );
}

#[test]
fn written_nets_read_back() {
    check(9, 200, wild_nets(), |net| {
        same("net", &pnml::parse(&net_to_pnml(&net)), &Ok(net.clone()))
    });
}
