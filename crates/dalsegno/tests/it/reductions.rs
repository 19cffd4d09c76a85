//! Answers on reduced nets are those of the nets that were given.

use dalsegno::kripke::DeadEnds;
use dalsegno::logic::FormulaStore;
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::{Asked, Evidence, Global, Logic, Reductions, Run, Settings, Source, Value};
use dalsegno_testkit::contest::{Writer, property_file};
use dalsegno_testkit::nets::{random_net, wild_net};

use crate::support::{examination, granted, no_defect};

/// The nets of a campaign of reductions: `DALSEGNO_REDUCTIONS` is their number; each has an examination of four properties
/// and a formula of each logic.
fn reduced_nets() -> u64 {
    let given = std::env::var("DALSEGNO_REDUCTIONS").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[test]
fn reduced_nets_have_the_answers_of_the_nets_they_come_from() {
    let mut rng = Rng::new(0x7ed);
    let names = ["p0 >= 1", "p1 < 2", "fireable(t0)", "p0 + p1 = 1"];
    let generator = |config: Config, seed: u64| {
        let config = config.with_size(3..=8).with_propositions(names);
        Generator::new(config.with_seed(seed))
    };
    let mut linear = generator(Config::ltl(), 1);
    let mut x_free = generator(Config::x_free(), 2);
    let mut branching = generator(Config::ctl(), 3);
    let mut decided = 0;
    for case in 0..reduced_nets() {
        let net = if case % 3 == 0 {
            random_net(&mut rng)
        } else {
            wild_net(&mut rng)
        };
        let told = format!("{net:?}");
        let source = Source::of_net(net.clone());
        let mut store = FormulaStore::new();
        let mut asked = Vec::new();
        for generator in [&mut linear, &mut x_free] {
            let f = generator.next_formula(&mut store);
            let dead_ends = [DeadEnds::Stutter, DeadEnds::Ignore][rng.index(2)];
            let text = store.display(f).to_string();
            asked.push(Asked::formula(Logic::Ltl, &text).with_dead_ends(Some(dead_ends)));
        }
        let f = branching.next_formula(&mut store);
        let text = store.display(f).to_string();
        asked.push(Asked::formula(Logic::Ctl, &text));
        asked.push(Asked::global(Global::Deadlock));
        let cardinality = rng.chance(1, 2);
        let examination_name = if cardinality {
            ["ReachabilityCardinality", "UpperBounds"][rng.index(2)]
        } else {
            "ReachabilityFireability"
        };
        let mut writer = Writer::new(&net, cardinality, &mut rng);
        let properties: Vec<_> = (0..4).map(|_| writer.property(examination_name)).collect();
        let file = property_file(&properties);
        asked.extend(examination(examination_name, &file));
        let evidence = rng.chance(2, 3);
        let ask_all = |reductions: Reductions| {
            let settings = Settings {
                reductions,
                evidence,
                ..Settings::default()
            };
            // With a limit on states nothing is reduced.
            let budget = if reductions == Reductions::Off {
                granted(5).with_states(400)
            } else {
                granted(5)
            };
            let mut run = Run::new(&source, settings);
            for asked in &asked {
                run.ask(asked.clone());
            }
            run.answer(&budget, &mut no_defect).unwrap();
            let answers = (0..asked.len()).map(|number| run.answer_to(number).value);
            answers.collect::<Vec<_>>()
        };
        let given = ask_all(Reductions::Off);
        // Nets with many states take long, and nobody knows the answers.
        if given.iter().any(|value| matches!(value, Value::Unknown(_))) {
            continue;
        }
        let reduced = ask_all(Reductions::First);
        for ((value, now), asked) in given.iter().zip(&reduced).zip(&asked) {
            if let Value::Truth(_) | Value::Bound(_) = value {
                assert_eq!(value, now, "{asked:?} on {told}");
                decided += 1;
            }
        }
    }
    assert!(decided > reduced_nets(), "{decided} answers");
}

/// Explanations on reduced nets are replayed, and checked on the net that was given.
#[test]
fn explanations_are_lifted() {
    let mut rng = Rng::new(0xe1f);
    let names = ["p0 >= 1", "p1 < 2", "fireable(t0)", "p0 + p1 = 1"];
    let config = Config::ctl().with_size(3..=8).with_propositions(names);
    let mut formulas = Generator::new(config.with_seed(5));
    let mut shown = 0;
    for _ in 0..2 * reduced_nets() {
        let net = random_net(&mut rng);
        let source = Source::of_net(net.clone());
        let mut store = FormulaStore::new();
        let mut run = Run::new(
            &source,
            Settings {
                reductions: Reductions::First,
                evidence: true,
                ..Settings::default()
            },
        );
        for _ in 0..4 {
            let f = formulas.next_formula(&mut store);
            run.ask(Asked::formula(Logic::Ctl, &store.display(f).to_string()));
        }
        // An explanation that is refuted would be a defect.
        run.answer(&granted(5), &mut no_defect).unwrap();
        for number in 0..4 {
            let answer = run.answer_to(number);
            if answer.cost.reduction.is_none() {
                continue;
            }
            if let Some(Evidence::Explanation(explained)) = answer.evidence {
                let tree = &explained.explanation;
                assert_eq!(tree.state, net.to_model().initial()[0]);
                shown += u64::from(tree.has_path());
            }
        }
    }
    assert!(shown > reduced_nets() / 3, "{shown} explanations");
}

/// A chain of fusions and agglomerations becomes one transition, and an explanation goes through it.
#[test]
fn an_explanation_goes_through_a_long_chain() {
    use dalsegno::models::petri::{PetriNet, Place, PlaceId, Transition};
    let n = 300;
    let places = (0..=n).map(|i| Place {
        id: format!("p{i}"),
        name: format!("p{i}"),
        initial: u32::from(i == 0),
    });
    let transitions = (0..n).map(|i| Transition {
        id: format!("t{i}"),
        name: format!("t{i}"),
        pre: vec![(PlaceId(i), 1)],
        post: vec![(PlaceId(i + 1), 1)],
        ..Transition::default()
    });
    let net = PetriNet::new("chain", places.collect(), transitions.collect(), None).unwrap();
    let mut run = Run::new(
        &Source::of_net(net),
        Settings {
            reductions: Reductions::First,
            evidence: true,
            ..Settings::default()
        },
    );
    let text = format!("E(\"p{n} = 0\" U (\"p{n} >= 1\" & AG \"p{n} >= 1\"))");
    let number = run.ask(Asked::formula(Logic::Ctl, &text));
    run.answer(&granted(5), &mut no_defect).unwrap();
    let answer = run.answer_to(number);
    assert_eq!(answer.holds(), Some(true));
    let left = answer.cost.reduction.as_ref().unwrap();
    assert!(left.places.1 < 5, "{left:?}");
    let Some(Evidence::Explanation(explained)) = &answer.evidence else {
        panic!("{:?}", answer.unshown);
    };
    let dalsegno::kripke::explanation::Reason::Path(path) = &explained.explanation.reason else {
        panic!("{explained:?}");
    };
    assert_eq!(path.steps.len(), n as usize);
}
