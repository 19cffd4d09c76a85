//! Questions of a run share what was found out, and a run goes on where it stopped.

use std::sync::atomic::Ordering;

use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, Stop};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Answer, Asked, Engine, Event, Global, Logic, Run, Settings, Source, Tool, Value};

fn source(family: Family, n: u32) -> Source {
    Source::of_net(family.generate(n).unwrap())
}

fn ltl(text: &str) -> Asked {
    Asked::formula(Logic::Ltl, text)
}

/// Answers questions in one run; the answers, and the states that were stored.
fn together(source: &Source, settings: &Settings, asked: &[Asked]) -> (Vec<Answer>, usize) {
    let mut run = Run::new(source, settings.clone());
    for question in asked {
        run.ask(question.clone());
    }
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    let answers = (0..asked.len()).map(|number| run.answer_to(number));
    (answers.collect(), run.stored_states())
}

#[test]
fn properties_together_store_fewer_states_than_one_by_one() {
    let source = source(Family::Philosophers, 6);
    let settings = Settings {
        engine: Engine::Explicit,
        ..Settings::default()
    };
    let texts = [
        "G F Eat_1",
        "G(Catch1_1 -> F Eat_1)",
        "F G !Eat_2",
        "G(Eat_1 -> !Eat_2)",
        "X X X !Eat_3",
        "G !deadlock",
    ];
    let asked: Vec<Asked> = texts.iter().map(|text| ltl(text)).collect();
    let (answers, stored) = together(&source, &settings, &asked);
    let mut alone = 0;
    for (question, answer) in asked.iter().zip(&answers) {
        let (single, states) = together(&source, &settings, std::slice::from_ref(question));
        assert_eq!(single[0].value, answer.value);
        alone += states;
    }
    assert!(stored < alone, "{stored} together, {alone} one by one");
    assert!(stored <= 729, "there are no more states");
}

#[test]
fn a_later_question_pays_for_what_is_new() {
    let source = source(Family::Kanban, 3);
    let settings = Settings {
        engine: Engine::Explicit,
        ..Settings::default()
    };
    let mut run = Run::new(&source, settings);
    let size = run.ask(Asked::survey());
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    assert!(matches!(run.answer_to(size).value, Value::Survey(_)));
    assert_eq!(run.stored_states(), 58_400);
    let all = run.stored_states();
    let live = run.ask(ltl("G F Pm1"));
    let never = run.ask(Asked::formula(Logic::Ctl, "EF \"Pm1 >= 4\""));
    let mut answers = 0;
    run.answer(&Budget::unlimited(), &mut |event| {
        answers += u32::from(matches!(event, Event::Answer(_)));
    })
    .unwrap();
    assert_eq!(answers, 2, "what was answered is not answered again");
    assert_eq!(run.answer_to(live).holds(), Some(false));
    assert_eq!(run.answer_to(never).holds(), Some(false));
    assert_eq!(run.stored_states(), all);
}

#[test]
fn a_search_that_was_stopped_goes_on() {
    let source = source(Family::Kanban, 2);
    // A kind that is asked for is searched as it is: nothing is proved before.
    let settings = Settings {
        engine: Engine::Explicit,
        automaton: Some(Kind::Tgba),
        ..Settings::default()
    };
    // It holds, so all of the product has to be seen.
    let asked = [ltl("G(\"Pm1 >= 1\" -> F !deadlock)")];
    let (whole, _) = together(&source, &settings, &asked);
    assert_eq!(whole[0].holds(), Some(true));

    let mut run = Run::new(&source, settings);
    let number = run.ask(asked[0].clone());
    let few = Budget::unlimited().with_states(500);
    run.answer(&few, &mut |_| {}).unwrap();
    assert_eq!(run.answer_to(number).value, Value::Unknown(Stop::States));
    let seen = run.answer_to(number).cost.explored;
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    let answer = run.answer_to(number);
    assert_eq!(answer.holds(), Some(true));
    assert!(seen.states > 100 && seen.states < answer.cost.explored.states);
    // Nothing was searched twice.
    assert_eq!(answer.cost.explored, whole[0].cost.explored);
}

#[test]
fn all_kinds_of_questions_in_one_run() {
    let source = source(Family::Philosophers, 4);
    let mut run = Run::new(&source, Settings::default());
    let fair = run.ask(ltl("G F Eat_1"));
    let possible = run.ask(Asked::formula(Logic::Ctl, "EF (Eat_1 & Eat_3)"));
    let both = run.ask(Asked::formula(Logic::CtlStar, "E(F Eat_1 & G !Eat_2)"));
    let wrong = run.ask(ltl("G nothing"));
    let size = run.ask(Asked::survey());
    let globals = [
        Global::Deadlock,
        Global::OneSafe,
        Global::StableMarking,
        Global::QuasiLiveness,
        Global::Liveness,
    ]
    .map(|global| run.ask(Asked::global(global)));
    let mut order = Vec::new();
    run.answer(&Budget::unlimited(), &mut |event| {
        if let Event::Answer(answered) = event {
            order.push(answered.number);
        }
    })
    .unwrap();
    order.sort_unstable();
    assert_eq!(order, (0..10).collect::<Vec<_>>(), "each is told once");
    assert_eq!(run.answer_to(fair).holds(), Some(false));
    assert!(run.answer_to(fair).run().is_some());
    assert_eq!(run.answer_to(possible).holds(), Some(true));
    assert_eq!(run.answer_to(both).holds(), Some(true));
    assert!(matches!(run.answer_to(wrong).value, Value::Error(_)));
    let Value::Survey(survey) = run.answer_to(size).value else {
        panic!("a survey is one");
    };
    assert_eq!(survey.states.as_deref(), Some("81"));
    let expected = [true, true, false, true, false];
    for (number, expected) in globals.into_iter().zip(expected) {
        assert_eq!(run.answer_to(number).holds(), Some(expected), "{number}");
    }
    assert_eq!(run.answer_to(globals[1]).by, Some(Tool::Structure));
}

#[test]
fn a_run_is_cancelled_from_outside() {
    let source = source(Family::Kanban, 5);
    let settings = Settings {
        engine: Engine::Explicit,
        ..Settings::default()
    };
    let mut run = Run::new(&source, settings);
    let number = run.ask(Asked::survey());
    let budget = Budget::unlimited();
    let cancel = budget.cancel_flag();
    run.answer(&budget, &mut |event| {
        if matches!(event, Event::Progress { .. }) {
            cancel.store(true, Ordering::Relaxed);
        }
    })
    .unwrap();
    assert_eq!(run.answer_to(number).stop(), Some(Stop::Cancelled));
}

#[test]
fn what_is_granted_is_for_all_methods_together() {
    let source = source(Family::Kanban, 5);
    for bytes in [1 << 22, 1 << 24] {
        let mut run = Run::new(&source, Settings::default());
        let asked = [
            Asked::survey(),
            ltl("G F Pm1"),
            Asked::formula(Logic::Ctl, "AG EF Pm1"),
        ];
        for question in asked {
            run.ask(question);
        }
        let budget = Budget::unlimited().with_bytes(bytes);
        run.answer(&budget, &mut |_| {}).unwrap();
        // Between two looks at the budget a table may grow by a step.
        let held = run.held_bytes();
        assert!(held <= bytes + bytes / 8, "{held} of {bytes}");
        for number in 0..3 {
            let answer = run.answer_to(number);
            let stop = answer.stop();
            assert!(stop.is_none() || stop == Some(Stop::Memory), "{answer:?}");
        }
    }
}
