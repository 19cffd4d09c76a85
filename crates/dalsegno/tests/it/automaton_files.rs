//! Automata as questions: a model checked against the automaton of a negation has the answer of the formula.

use std::fmt::Write as _;

use dalsegno::automata::hoa::Content;
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::logic::FormulaStore;
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::models::petri::generators::Family;
use dalsegno::{
    Asked, AutomatonFile, Drawing, Engine, Format, Options, Source, Value, read_hoa, translate,
};
use dalsegno_testkit::random_net;

use crate::support::{ask, by, ltl};

/// The automaton of a formula of a store, written in HOA and read again; none if it has none of the kind.
fn automaton(store: &mut FormulaStore, text: &str, kind: Kind) -> Option<AutomatonFile> {
    let f = dalsegno::logic::parse(store, text).unwrap();
    let options = Options {
        kind,
        ..Options::default()
    };
    let translation = translate(store, f, &options, &Budget::unlimited()).ok()?;
    let mut hoa = Vec::new();
    translation
        .write(store, text, Format::Hoa, &mut hoa)
        .unwrap();
    let mut automata = read_hoa(std::str::from_utf8(&hoa).unwrap()).unwrap();
    Some(AutomatonFile {
        name: format!("{}.hoa", kind.name()),
        content: automata.remove(0).document.content,
    })
}

const KINDS: [Kind; 4] = [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta];

#[test]
fn the_automaton_of_the_negation_has_the_answer_of_the_formula() {
    let mut rng = Rng::new(11);
    let (mut held, mut failed) = (0, 0);
    for seed in 0..120 {
        let source = Source::of_net(random_net(&mut rng));
        let mut store = FormulaStore::new();
        let config = Config::ltl()
            .with_size(3..=8)
            .with_propositions(["p0 >= 1", "p1 >= 1", "deadlock"])
            .with_seed(seed);
        let f = Generator::new(config).next_formula(&mut store);
        let text = store.display(f).to_string();
        let budget = Budget::unlimited();
        for dead_ends in [DeadEnds::Stutter, DeadEnds::Ignore] {
            let formula = ltl(&text, dead_ends);
            let expected = ask(&source, by(Engine::Explicit), formula, &budget).holds();
            *(if expected == Some(true) {
                &mut held
            } else {
                &mut failed
            }) += 1;
            for kind in KINDS {
                let negation = format!("!({text})");
                for (formula, all_runs) in [(&negation, false), (&text, true)] {
                    for engine in [Engine::Explicit, Engine::Symbolic] {
                        let Some(file) = automaton(&mut store, formula, kind) else {
                            continue;
                        };
                        let asked =
                            Asked::automaton(file, all_runs).with_dead_ends(Some(dead_ends));
                        let answer = ask(&source, by(engine), asked, &budget);
                        let case = format!("{text} {kind:?} {engine:?} {all_runs} {dead_ends:?}");
                        assert_eq!(answer.holds(), expected, "{case}");
                        assert_eq!(answer.run().is_some(), expected == Some(false), "{case}");
                    }
                }
            }
        }
    }
    assert!(held > 30 && failed > 30, "{held} {failed}");
}

#[test]
fn atoms_are_named_as_in_formulas() {
    let source = Source::of_net(Family::Philosophers.generate(3).unwrap());
    let budget = Budget::unlimited();
    let check = |atom: &str| {
        let mut text = String::from("HOA: v1 Start: 0 AP: 1 ");
        let _ = write!(text, "\"{atom}\" acc-name: co-Buchi Acceptance: 1 Fin(0) ");
        text += "--BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
        let content = read_hoa(&text).unwrap().remove(0).document.content;
        let name = "never-again.hoa".to_owned();
        let asked = Asked::automaton(AutomatonFile { name, content }, false);
        ask(&source, by(Engine::Auto), asked, &budget).value
    };
    // Some runs have it finitely often only.
    assert_eq!(check("Eat_1"), Value::Truth(false));
    assert_eq!(check("fireable(End_1)"), Value::Truth(false));
    // What always holds is seen again and again.
    assert_eq!(check("Eat_1 >= 0"), Value::Truth(true));
    assert!(matches!(check("Eat_9"), Value::Error(_)));
}

#[test]
fn finite_paths_have_no_automata() {
    let source = Source::of_net(Family::Philosophers.generate(2).unwrap());
    let mut store = FormulaStore::new();
    let file = automaton(&mut store, "G F Eat_1", Kind::Tgba).unwrap();
    assert!(matches!(file.content, Content::Automaton(_)));
    let asked = Asked::automaton(file, false).with_dead_ends(Some(DeadEnds::Finite));
    let answer = ask(&source, by(Engine::Auto), asked, &Budget::unlimited());
    assert_eq!(answer.value, Value::Error(dalsegno::Error::FinitePaths));
}

#[test]
fn comparisons_are_confirmed_by_their_words() {
    // The words are checked where they are made; here random formulas, and automata of them against each other.
    let mut languages = dalsegno::Languages::default();
    let config = Config::ltl().with_size(2..=8).with_propositions(["a", "b"]);
    let mut drawing = Drawing::new(config.with_seed(5));
    let budget = Budget::unlimited();
    let mut different = 0;
    for number in 0..300 {
        let f = drawing.draw(&mut languages.store).unwrap();
        let g = drawing.draw(&mut languages.store).unwrap();
        let (f, g) = (
            dalsegno::Language::of_formula(&languages.store, f),
            dalsegno::Language::of_formula(&languages.store, g),
        );
        let expected = languages
            .separating_word(&f, &g, &budget)
            .unwrap()
            .is_some();
        different += usize::from(expected);
        let mut store = FormulaStore::new();
        let file = automaton(&mut store, f.name(), KINDS[number % 4]);
        let Some(file) = file else { continue };
        let given = dalsegno::Language::of_automaton(&file.name, file.content);
        assert_eq!(languages.separating_word(&f, &given, &budget), Ok(None));
        let found = languages.separating_word(&given, &g, &budget).unwrap();
        assert_eq!(found.is_some(), expected, "{} {}", f.name(), g.name());
    }
    assert!(different > 100);
}
