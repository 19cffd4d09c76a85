//! Questions as tests ask them: one at a time, or an examination of the contest.

#![allow(dead_code, reason = "no file of tests asks in all of these ways")]

use std::time::Duration;

use dalsegno::kripke::{Budget, DeadEnds, GroupId, Model, Run as Lasso, Scratch, Step};
use dalsegno::report::write_contest;
use dalsegno::{
    Answer, Asked, Engine, Event, Examination, Logic, Problem, PropertyFile, Run, Saved, Settings,
    Source, Survey, Value, witness_to_json, witnesses_to_json,
};

/// The problem of a source, unfolded if it is coloured.
pub fn problem(source: &Source) -> &Problem {
    source.problem(&Budget::unlimited(), |_| {}).unwrap()
}

/// A formula of LTL.
pub fn ltl(text: &str, dead_ends: DeadEnds) -> Asked {
    Asked::formula(Logic::Ltl, text).with_dead_ends(Some(dead_ends))
}

/// Settings for one engine.
pub fn by(engine: Engine) -> Settings {
    Settings {
        engine,
        ..Settings::default()
    }
}

/// The answer of a new run. What shows it is saved, read again, and replayed.
pub fn ask(source: &Source, settings: Settings, asked: Asked, budget: &Budget) -> Answer {
    // Without evidence, a prefix may be one of a simpler formula.
    let shown = settings.evidence;
    let mut run = Run::new(source, settings);
    let number = run.ask(asked);
    let mut saved = Vec::new();
    let answered = run.answer(budget, &mut |event| {
        no_defect(event);
        if let (true, Event::Answer(answered)) = (shown, event) {
            saved.extend(witness_to_json(answered));
        }
    });
    answered.unwrap();
    if !saved.is_empty() {
        let text = witnesses_to_json(source.name(), &saved).to_string();
        let document = serde_json::from_str(&text).unwrap();
        for saved in Saved::read(&document).unwrap() {
            let replayed = saved.replay(problem(source), &Budget::unlimited());
            assert!(replayed.is_ok(), "{}: {replayed:?}: {text}", saved.title());
        }
    }
    run.answer_to(number)
}

/// The answer of a run, which keeps what it knows.
pub fn ask_again(run: &mut Run, asked: Asked, budget: &Budget) -> Answer {
    let number = run.ask(asked);
    run.answer(budget, &mut no_defect).unwrap();
    run.answer_to(number)
}

/// Hears of events; a certificate that is refuted is a failure, whoever answers then.
pub fn no_defect(event: &Event<'_>) {
    if let Event::Defect { name, by, error } = event {
        panic!("{name}: {by}: {error}");
    }
}

/// The survey of a new run.
pub fn survey(source: &Source, engine: Engine, budget: &Budget) -> Survey {
    match ask(source, by(engine), Asked::survey(), budget).value {
        Value::Survey(survey) => *survey,
        value => panic!("no survey: {value:?}"),
    }
}

/// A budget as the contest grants it.
pub fn granted(seconds: u64) -> Budget {
    Budget::unlimited()
        .with_time(Duration::from_secs(seconds))
        .with_bytes(1 << 30)
}

/// The questions of an examination; those that come in a file stand in `properties`.
pub fn examination(name: &str, properties: &str) -> Vec<Asked> {
    match name.parse().unwrap() {
        Examination::StateSpace => vec![Asked::survey()],
        Examination::Global(global) => vec![Asked::global(global)],
        examination => Asked::file(PropertyFile {
            name: format!("{name}.xml"),
            bytes: properties.as_bytes().to_vec(),
            examination: Some(examination),
        })
        .unwrap(),
    }
}

/// The lines of an examination, and whether all of its questions are answered.
pub fn contest(source: &Source, asked: Vec<Asked>, budget: &Budget) -> (String, bool) {
    contest_heard(source, asked, budget, &mut |_| {})
}

/// As [`contest`]; `hear` hears of all events.
pub fn contest_heard(
    source: &Source,
    asked: Vec<Asked>,
    budget: &Budget,
    hear: &mut (dyn FnMut(&Event<'_>) + Send),
) -> (String, bool) {
    let mut run = Run::new(source, Settings::contest());
    for asked in asked {
        run.ask(asked);
    }
    let (mut lines, mut complete) = (Vec::new(), true);
    let answered = run.answer(budget, &mut |event| {
        no_defect(event);
        if let Event::Answer(answered) = event {
            complete &= write_contest(answered, &mut lines).unwrap();
        }
        hear(event);
    });
    answered.unwrap();
    (String::from_utf8(lines).unwrap(), complete)
}

/// All lassos of at most `length` states, as far as `limit` of them.
pub fn lassos(model: &Model, dead_ends: DeadEnds, length: usize, limit: usize) -> Vec<Lasso> {
    let mut found = Vec::new();
    let mut path = vec![Step {
        state: model.initial()[0].clone(),
        group: None,
    }];
    extend(model, dead_ends, &mut path, length, limit, &mut found);
    found
}

fn extend(
    model: &Model,
    dead_ends: DeadEnds,
    path: &mut Vec<Step>,
    length: usize,
    limit: usize,
    found: &mut Vec<Lasso>,
) {
    let state = path.last().unwrap().state.clone();
    let mut next: Vec<(Option<GroupId>, Vec<u32>)> = Vec::new();
    model
        .successors(&state, &mut Scratch::default(), |g, s| {
            next.push((Some(g), s.to_vec()));
        })
        .unwrap();
    if next.is_empty() && dead_ends == DeadEnds::Stutter {
        next.push((None, state));
    }
    for (group, target) in next {
        if found.len() >= limit {
            return;
        }
        path.last_mut().unwrap().group = group;
        for back in 0..path.len() {
            if path[back].state == target {
                found.push(Lasso::new(path[..back].to_vec(), path[back..].to_vec()));
            }
        }
        if path.len() < length {
            path.push(Step {
                state: target,
                group: None,
            });
            extend(model, dead_ends, path, length, limit, found);
            path.pop();
        }
    }
}
