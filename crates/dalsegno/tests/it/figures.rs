//! Published and achieved sizes of automata, what is written against what is read back, and automata
//! over Boolean subformulas against the definition of the logic.

use dalsegno::automata::hoa::Content;
use dalsegno::automata::membership::observes;
use dalsegno::automata::observer::Observer;
use dalsegno::certify::holds_on_word;
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, Letter, Word};
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaId, FormulaStore, PropId, parse};
use dalsegno::{Format, Options, Propositions, Translated, TranslationError, read_hoa, translate};
use dalsegno_testkit::formulas;
use dalsegno_testkit::words::random_word;

const KINDS: [Kind; 4] = [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta];

fn translated(
    store: &mut FormulaStore,
    f: FormulaId,
    kind: Kind,
    propositions: Propositions,
) -> Option<Translated> {
    let options = Options {
        kind,
        propositions,
        ..Options::default()
    };
    match translate(store, f, &options, &Budget::unlimited()) {
        Ok(translation) => Some(translation),
        Err(TranslationError::NotStutterInvariant) if kind == Kind::Ta => None,
        Err(error) => panic!("{}: {error}", store.display(f)),
    }
}

/// The states of the automata of a formula, in the order of [`KINDS`].
fn states(text: &str, propositions: Propositions) -> [usize; 4] {
    KINDS.map(|kind| {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let t = translated(&mut store, f, kind, propositions);
        t.expect("stutter-invariant").sizes().states
    })
}

#[test]
fn an_until_and_an_invariant() {
    let [tgba, ba, ta, tgta] = states("a U G b", Propositions::Raw);
    assert_eq!((tgba, ba, tgta), (2, 2, 3));
    assert!(ta < 5, "{ta} states");
}

#[test]
fn two_fairness_conditions() {
    let [tgba, ba, ta, tgta] = states("GFa & GFb", Propositions::Raw);
    assert_eq!((tgba, ba, tgta), (1, 3, 4));
    assert!(ta <= 11, "{ta} states");
}

#[test]
fn persistence() {
    let [.., tgta] = states("FGa", Propositions::Raw);
    assert!(tgta <= 3, "{tgta} states");
}

#[test]
fn a_response_over_nine_atoms() {
    let response = "G((!p0 & p1 & !p2 & !p3 & !p4) -> F(!p5 & !p6 & !p7 & !p8))";
    for text in [response.to_owned(), format!("!({response})")] {
        let [.., tgta] = states(&text, Propositions::Boolean);
        assert!(tgta <= 8, "{tgta} states for {text}");
    }
}

#[test]
fn what_is_written_reads_back() {
    let mut rng = Rng::new(11);
    for text in formulas::LTL {
        for kind in KINDS {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).unwrap();
            let Some(written) = translated(&mut store, f, kind, Propositions::Raw) else {
                continue;
            };
            let mut hoa = Vec::new();
            written.write(&store, text, Format::Hoa, &mut hoa).unwrap();
            let hoa = String::from_utf8(hoa).unwrap();
            let mut documents = read_hoa(&hoa).unwrap_or_else(|e| panic!("{}", e.render(&hoa)));
            assert_eq!(documents.len(), 1);
            let read = documents.remove(0);
            if written.sizes().states == 0 {
                // The format wants a state: it is written without a way in or out.
                assert_eq!((read.sizes().states, read.sizes().edges), (1, 0));
                continue;
            }
            assert_eq!(read.sizes(), written.sizes(), "{} of {text}", kind.name());
            if matches!(kind, Kind::Tgba | Kind::Ba) {
                assert_eq!(read.stutter_invariant(), written.stutter_invariant);
            }
            assert_eq!(read.document.name.as_deref(), Some(text));
            match (written.automaton, read.document.content) {
                (Content::Automaton(a), Content::Automaton(b)) => {
                    assert_eq!(a.propositions(), b.propositions());
                    let n = a.propositions().len();
                    let (mut a, mut b) = (Observer::new(a), Observer::new(b));
                    for _ in 0..50 {
                        let word = random_word(&mut rng, n, 4, 4);
                        assert_eq!(observes(&mut a, &word), observes(&mut b, &word), "{text}");
                    }
                }
                (Content::Testing(a), Content::Testing(b)) => {
                    // Formulas of states are written as names, not as formulas.
                    assert_eq!(a.without_labels(), b, "{} of {text}", kind.name());
                }
                _ => panic!("{} of {text} changed its type", kind.name()),
            }
        }
    }
}

/// The propositions that an automaton uses, each as a formula over the user's atoms.
fn meanings(store: &FormulaStore, translation: &Translated) -> Vec<FormulaId> {
    let names = match &translation.automaton {
        Content::Automaton(a) => a.propositions(),
        Content::Testing(t) => t.propositions(),
    };
    names
        .iter()
        .map(|name| {
            let known = &translation.propositions;
            let found = known.iter().find(|o| store.name(o.proposition) == name);
            found.expect("propositions are observed ones").meaning
        })
        .collect()
}

/// What an automaton sees of a word: the value of each meaning at each position.
fn observed(store: &FormulaStore, meanings: &[FormulaId], atoms: &[PropId], word: &Word) -> Word {
    let letter = |raw: &Letter| {
        let here = Word::new(Vec::new(), vec![*raw]);
        (0..).zip(meanings).fold(Letter(0), |letter, (i, &m)| {
            letter.with(i, holds_on_word(store, m, atoms, &here).unwrap())
        })
    };
    Word::new(
        word.stem.iter().map(letter).collect(),
        word.cycle.iter().map(letter).collect(),
    )
}

#[test]
fn boolean_propositions_mean_what_they_stand_for() {
    let mut config = Config::ltl()
        .with_propositions(["a", "b", "c", "d", "e"])
        .with_size(6..=22)
        .with_seed(23);
    // Mostly Boolean, so that there is something to observe together.
    config.weights.and = 5;
    config.weights.or = 5;
    config.weights.not = 3;
    let mut generator = Generator::new(config);
    let mut rng = Rng::new(29);
    let mut grouped = 0;
    for _ in 0..300 {
        let mut store = FormulaStore::new();
        let f = generator.next_formula(&mut store);
        let atoms = store.propositions(f);
        for kind in KINDS {
            let Some(t) = translated(&mut store, f, kind, Propositions::Boolean) else {
                continue;
            };
            let meanings = meanings(&store, &t);
            grouped += usize::from(t.propositions.len() < atoms.len());
            let mut observer = match t.automaton {
                Content::Automaton(a) => Observer::new(a),
                Content::Testing(t) => Observer::of_testing(t),
            };
            for _ in 0..25 {
                let word = random_word(&mut rng, atoms.len(), 4, 4);
                let seen = observed(&store, &meanings, &atoms, &word);
                assert_eq!(
                    observes(&mut observer, &seen),
                    holds_on_word(&store, f, &atoms, &word).unwrap(),
                    "{} of {} on {word:?}",
                    kind.name(),
                    store.display(f)
                );
            }
        }
    }
    assert!(
        grouped > 200,
        "only {grouped} automata observe less than the atoms"
    );
}
