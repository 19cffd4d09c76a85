//! Decision diagrams and explicit exploration agree, whatever the order of the levels.

use std::time::Duration;

use dalsegno::explicit::breadth_first::BreadthFirst;
use dalsegno::explicit::space::Space;
use dalsegno::kripke::{Budget, Compare, GroupId, Model, Predicate, Relation, Stop, VarId};
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::generators::Family;
use dalsegno::symbolic::mdd::with_stack;
use dalsegno::symbolic::reach::StateSpace;
use dalsegno::{Asked, Ending, Engine, Run, Source, Survey, Value, method};
use dalsegno_testkit::random_net;

use crate::support::{by, contest, examination, granted, no_defect, problem, survey};

fn survey_by(source: &Source, engine: Engine) -> Survey {
    let seen = survey(source, engine, &Budget::unlimited());
    assert_eq!(
        (seen.ending.clone(), seen.by.engine()),
        (Ending::Complete, engine)
    );
    seen
}

fn numbers(seen: &Survey) -> [&str; 5] {
    let all = [
        &seen.states,
        &seen.transitions,
        &seen.dead_ends,
        &seen.largest,
        &seen.largest_sum,
    ];
    all.map(|number| number.as_deref().unwrap())
}

#[test]
fn both_engines_count_the_same() {
    let mut rng = Rng::new(11);
    let random = (0..300).map(|_| Source::of_net(random_net(&mut rng)));
    // One family has a parameter in fours.
    let small = |family: Family| family.generate(2).or_else(|_| family.generate(4)).unwrap();
    let families = Family::all().map(|family| Source::of_net(small(family)));
    for source in families.chain(random) {
        let explicit = survey_by(&source, Engine::Explicit);
        let symbolic = survey_by(&source, Engine::Symbolic);
        assert_eq!(
            numbers(&symbolic),
            numbers(&explicit),
            "{:?}",
            problem(&source).net()
        );
    }
}

#[test]
fn every_order_gives_the_same_set() {
    let source = Source::of_net(Family::all().next().unwrap().generate(2).unwrap());
    let expected = survey_by(&source, Engine::Explicit).states.unwrap();
    let budget = Budget::unlimited();
    let candidates = method::orders(problem(&source), &budget);
    assert!(candidates.len() > 10);
    for candidate in candidates {
        let mut space =
            StateSpace::build(problem(&source).model(), &candidate.order, &budget).unwrap();
        let states = space.states().unwrap().to_string();
        assert_eq!(states, expected, "{}", candidate.recipe);
    }
}

const RELATIONS: [Relation; 6] = [
    Relation::Le,
    Relation::Lt,
    Relation::Ge,
    Relation::Gt,
    Relation::Eq,
    Relation::Ne,
];

/// A random Boolean combination of comparisons, enabledness and dead ends.
fn random_predicate(rng: &mut Rng, model: &Model, depth: u32) -> Predicate {
    let part = |rng: &mut Rng| random_predicate(rng, model, depth - 1);
    match if depth == 0 {
        rng.index(3)
    } else {
        rng.index(6)
    } {
        0 | 1 => {
            let variables = model.variables().len();
            let term = |rng: &mut Rng| {
                let coefficient = [-2, -1, 0, 1, 2][rng.index(5)];
                (coefficient, VarId(rng.index(variables) as u32))
            };
            let terms = (0..=rng.index(3)).map(|_| term(rng)).collect();
            let relation = RELATIONS[rng.index(6)];
            let constant = [-3, -2, -1, 0, 1, 2, 3][rng.index(7)];
            Predicate::Compare(Compare::new(terms, relation, constant).unwrap())
        }
        2 if rng.chance(1, 4) => Predicate::DeadEnd,
        2 => {
            let group = GroupId(rng.index(model.groups().len()) as u32);
            Predicate::Enabled(vec![group])
        }
        3 => part(rng).negate(),
        4 => Predicate::all([part(rng), part(rng)]),
        _ => Predicate::any([part(rng), part(rng)]),
    }
}

#[test]
fn predicates_select_and_find_what_exploring_finds() {
    let mut rng = Rng::new(12);
    let budget = Budget::unlimited();
    for _ in 0..200 {
        let source = Source::of_net(random_net(&mut rng));
        let model = problem(&source).model();
        let predicates: Vec<Predicate> = (0..8)
            .map(|_| random_predicate(&mut rng, model, 3))
            .collect();
        let mut states = Space::new(model);
        let mut search = BreadthFirst::new(&states, Vec::new());
        while !search.advance(&mut states, 1000, &budget).unwrap() {}
        let mut state = vec![0; model.variables().len()];
        let mut counts = vec![0_u32; predicates.len()];
        for id in 0..states.len() as u32 {
            states.values(id, &mut state);
            for (count, predicate) in counts.iter_mut().zip(&predicates) {
                *count += u32::from(predicate.eval(model, &state));
            }
        }
        let (mut space, _) = method::build(problem(&source), None, &budget).unwrap();
        for (predicate, count) in predicates.iter().zip(counts) {
            let selected = space.select(predicate).unwrap();
            let found = space.encoding().manager().count(&selected).unwrap();
            assert_eq!(found, count.into(), "{predicate:?}");
            let one = space.find(predicate).unwrap();
            assert_eq!(one.is_some(), count > 0, "{predicate:?}");
            assert!(one.is_none_or(|state| predicate.eval(model, &state)));
        }
    }
}

#[test]
fn too_little_memory_is_an_answer() {
    let net = "kanban".parse::<Family>().unwrap().generate(100).unwrap();
    let source = Source::of_net(net);
    let limit = 200_000;
    let budget = Budget::unlimited().with_bytes(limit);
    let seen = survey(&source, Engine::Symbolic, &budget);
    assert!(
        matches!(seen.ending, Ending::Unknown(Stop::Memory, _)),
        "{:?}",
        seen.ending
    );
}

#[test]
fn a_run_that_was_short_of_memory_goes_on_with_more() {
    let source = Source::of_net(Family::Kanban.generate(10).unwrap());
    let mut run = Run::new(&source, by(Engine::Symbolic));
    let number = run.ask(Asked::survey());
    let small = Budget::unlimited().with_bytes(20_000);
    run.answer(&small, &mut no_defect).unwrap();
    assert_eq!(run.answer_to(number).stop(), Some(Stop::Memory));
    run.answer(&Budget::unlimited(), &mut no_defect).unwrap();
    let Value::Survey(survey) = run.answer_to(number).value else {
        panic!("a survey");
    };
    assert_eq!(survey.ending, Ending::Complete);
    assert_eq!(survey.states.as_deref(), Some("1005927208"));
}

#[test]
fn thousands_of_levels_do_not_overflow_the_stack() {
    let net = "phils".parse::<Family>().unwrap().generate(1_000).unwrap();
    let source = Source::of_net(net);
    let levels = problem(&source).model().variables().len() as u32;
    let dead = with_stack(levels, || {
        let budget = Budget::unlimited();
        let (mut space, _) = method::build(problem(&source), None, &budget).unwrap();
        space.dead_ends().unwrap()
    });
    assert_eq!(dead, Ok(2_u32.into()));
}

#[test]
fn the_contest_is_answered_by_diagrams_where_there_are_many_states() {
    let net = "philosophers"
        .parse::<Family>()
        .unwrap()
        .generate(20)
        .unwrap();
    let source = Source::of_net(net);
    let asked = |name| {
        let (lines, complete) = contest(&source, examination(name, ""), &granted(120));
        assert!(complete, "{lines}");
        lines
    };
    let states = asked("StateSpace");
    assert!(states.contains("STATE_SPACE STATES 3486784401 TECHNIQUES DECISION_DIAGRAMS"));
    let deadlock = asked("ReachabilityDeadlock");
    assert!(
        deadlock.starts_with("FORMULA ReachabilityDeadlock TRUE TECHNIQUES"),
        "{deadlock}"
    );
    let live = asked("QuasiLiveness");
    assert!(
        live.starts_with("FORMULA QuasiLiveness TRUE TECHNIQUES"),
        "{live}"
    );
}

#[test]
fn a_survey_that_is_given_up_tells_what_was_seen_and_who_gave_up() {
    let source = Source::of_net(Family::Philosophers.generate(30).unwrap());
    let budget = Budget::unlimited().with_bytes(30_000_000);
    let seen = survey(&source, Engine::Explicit, &budget);
    assert_eq!(seen.ending, Ending::Unknown(Stop::Memory, None));
    assert_eq!(seen.bound, Some(1));
    // Both engines, with next to no time for either: what was explored is told.
    let net = Family::Kanban.generate(1000).unwrap();
    let source = Source::of_net(net);
    let budget = Budget::unlimited()
        .with_time(Duration::from_millis(1500))
        .with_bytes(50_000_000);
    let seen = survey(&source, Engine::Auto, &budget);
    if let Ending::Unknown(..) = seen.ending {
        let states: u64 = seen.states.as_deref().unwrap().parse().unwrap();
        assert!(states > 1000, "{states}");
        assert_eq!(seen.stopped.len(), 2, "{:?}", seen.stopped);
    }
}
