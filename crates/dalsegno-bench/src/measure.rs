//! One run in this process: load, do the work of the approach, tell what it took.
//!
//! Times are of the processor, as other processes on the machine disturb those least. They include the
//! translation of the formula and the construction and replay of a witness, unlike in the papers, where
//! translations take no time worth telling; what went before an explicit search is told by itself. The size
//! of the whole product is found after the clocks have been read, by a second search if the first one did
//! not see it all or saw it twice; so is the share of stuttering transitions.

use std::sync::Arc;

use dalsegno::kind::Kind;
use dalsegno::kripke::Budget;
use dalsegno::kripke::clock::Instant;
use dalsegno::logic::{FormulaStore, Fragment, parse};
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::{
    Answer, Asked, Ending, Engine, Event, Hear, Logic, Options, Problem, Propositions, Reductions,
    Run, Settings, Value, translate,
};

use crate::approach::{Approach, Work};
use crate::clock::{Clock, budget, reason};
use crate::error::Error;
use crate::ledger::Verdict;
use crate::subject::Subject;
use crate::task::{Measurement, Task};

/// The start of the reasons that tell of a fault in this program.
pub const DEFECT: &str = "defect: ";

/// Does a task. What goes wrong becomes the reason of an unknown verdict.
#[must_use]
pub fn measure(task: &Task) -> Measurement {
    let start = Instant::now();
    let mut found = attempt(task).unwrap_or_else(Measurement::unknown);
    found.wall_seconds = start.elapsed().as_secs_f64();
    found
}

fn attempt(task: &Task) -> Result<Measurement, String> {
    let approach = Approach::named(&task.approach)
        .ok_or_else(|| Error::Task(task.approach.clone()).to_string())?;
    let subject = match &task.model[..] {
        "" => Subject::nothing(),
        model => Subject::parse(model).map_err(|e| e.to_string())?,
    };
    let load = || match subject.load(&budget(task)) {
        Ok(problem) => Ok(problem),
        Err(Error::Model { source, .. }) if source.stop().is_some() => {
            Err(source.stop().map_or(String::new(), reason))
        }
        Err(error) => Err(error.to_string()),
    };
    match approach.work {
        Work::Explicit(kind) => explicit(task, &load()?, kind, false),
        Work::Stubborn(kind) => explicit(task, &load()?, kind, true),
        Work::Symbolic(kind, saturation) => symbolic(task, &load()?, kind, saturation),
        Work::Branching(engine) => branching(task, &load()?, engine),
        Work::Survey(engine) => surveyed(task, &load()?, engine),
        Work::Translate(kind) => translated(task, kind),
    }
}

fn explicit(
    task: &Task,
    problem: &Arc<Problem>,
    kind: Kind,
    por: bool,
) -> Result<Measurement, String> {
    let settings = Settings {
        automaton: Some(kind),
        por,
        engine: Engine::Explicit,
        propositions: Propositions::Raw,
        reductions: Reductions::Off,
        ..Settings::default()
    };
    let clock = Clock::start();
    let mut searching = None;
    let mut run = Run::new(&Arc::clone(problem).into(), settings);
    // The search tells of itself every thousand states or so.
    let mut hear = |event: &Event<'_>| {
        if matches!(event, Event::Progress { .. }) {
            searching.get_or_insert_with(|| clock.elapsed());
        }
    };
    let answer = check_with(&mut run, &task.formula, &budget(task), &mut hear)?;
    let mut found = linear(&answer);
    clock.stop(&mut found);
    let before = searching.map(|time| time.as_secs_f64());
    found.translation_seconds = Some(before.unwrap_or(found.seconds));
    if task.product && found.verdict != Verdict::Unknown {
        let whole = found.verdict == Verdict::Holds && found.passes == Some(1);
        if whole {
            found.product_states.clone_from(&found.explored_states);
            found
                .product_transitions
                .clone_from(&found.explored_transitions);
        } else {
            run.settings_mut().product_size = true;
            let whole = check_with(&mut run, &task.formula, &budget(task), &mut |_| {})?;
            let product = whole.cost.product;
            found.product_states = product.map(|size| size.states.to_string());
            found.product_transitions = product.map(|size| size.transitions.to_string());
        }
    }
    Ok(found)
}

/// Reachable states first, by a property that holds of everything, then the product.
fn symbolic(
    task: &Task,
    problem: &Arc<Problem>,
    kind: Kind,
    saturation: Saturation,
) -> Result<Measurement, String> {
    let settings = Settings {
        automaton: Some(kind),
        engine: Engine::Symbolic,
        propositions: Propositions::Raw,
        saturation,
        // The papers' emptiness check says yes or no.
        evidence: false,
        reductions: Reductions::Off,
        ..Settings::default()
    };
    let budget = budget(task);
    let mut run = Run::new(&Arc::clone(problem).into(), settings);
    let clock = Clock::start();
    let built = check_with(&mut run, "1", &budget, &mut |_| {})?;
    let mut found = linear(&built);
    clock.stop(&mut found);
    if built.holds() != Some(true) {
        return Ok(found);
    }
    let reached = found.seconds;
    let formula = &task.formula;
    let answer = check_with(&mut run, formula, &budget, &mut |_| {})?;
    let mut found = linear(&answer);
    clock.stop(&mut found);
    found.reach_seconds = Some(reached);
    (
        found.explored_states,
        found.explored_transitions,
        found.passes,
    ) = (None, None, None);
    // The same for all approaches: the quickest one tells.
    if task.product && kind == Kind::Tgta && saturation == Saturation::Stuttering {
        run.settings_mut().product_size = true;
        let again = check_with(&mut run, formula, &budget, &mut |_| {})?;
        let share = again.cost.diagrams.and_then(|diagrams| diagrams.stuttering);
        found.stuttering = share.map(|millionths| f64::from(millionths) / 1e6);
    }
    Ok(found)
}

fn check_with(
    run: &mut Run,
    formula: &str,
    budget: &Budget,
    hear: Hear<'_>,
) -> Result<Answer, String> {
    ask(run, Asked::formula(Logic::Ltl, formula), budget, hear)
}

/// Asks a question; an error is the reason that there is no answer.
fn ask(run: &mut Run, asked: Asked, budget: &Budget, hear: Hear<'_>) -> Result<Answer, String> {
    let number = run.ask(asked);
    run.answer(budget, hear)
        .map_err(|error| error.to_string())?;
    let answer = run.answer_to(number);
    match &answer.value {
        Value::Error(error) if error.is_defect() => Err(format!("{DEFECT}{error}")),
        Value::Error(error) => Err(error.to_string()),
        _ => Ok(answer),
    }
}

/// A verdict, and why there is none.
fn verdict(answer: &Answer) -> (Verdict, String) {
    match answer.value {
        Value::Truth(true) => (Verdict::Holds, String::new()),
        Value::Truth(false) => (Verdict::Fails, String::new()),
        _ => (
            Verdict::Unknown,
            answer.stop().map_or(String::new(), reason),
        ),
    }
}

/// What a check of a linear property found.
fn linear(answer: &Answer) -> Measurement {
    let cost = &answer.cost;
    let automaton = cost.automaton.as_ref();
    let (verdict, reason) = verdict(answer);
    Measurement {
        verdict,
        reason,
        automaton_states: automaton.map(|a| a.states as u64),
        automaton_transitions: automaton.and_then(|a| a.transitions),
        acceptance_sets: automaton.map(|a| a.acceptance_sets),
        explored_states: Some(cost.explored.states.to_string()),
        explored_transitions: Some(cost.explored.transitions.to_string()),
        passes: Some(cost.explored.passes),
        ..Measurement::default()
    }
}

fn branching(task: &Task, problem: &Arc<Problem>, engine: Engine) -> Result<Measurement, String> {
    let mut store = FormulaStore::new();
    let parsed = problem.parse(&mut store, &task.formula);
    let mut formula = parsed.map_err(|e| e.to_string())?;
    if !store.is(formula, Fragment::STATE) {
        formula = store.forall(formula);
    }
    let text = store.display(formula).to_string();
    let settings = Settings {
        engine,
        evidence: false,
        reductions: Reductions::Off,
        ..Settings::default()
    };
    let mut run = Run::new(&Arc::clone(problem).into(), settings);
    let clock = Clock::start();
    let asked = Asked::formula(Logic::CtlStar, &text);
    let answer = ask(&mut run, asked, &budget(task), &mut |_| {})?;
    let (verdict, reason) = verdict(&answer);
    let mut found = Measurement {
        verdict,
        reason,
        ..Measurement::default()
    };
    clock.stop(&mut found);
    Ok(found)
}

fn surveyed(task: &Task, problem: &Arc<Problem>, engine: Engine) -> Result<Measurement, String> {
    let settings = Settings {
        engine,
        reductions: Reductions::Off,
        ..Settings::default()
    };
    let mut run = Run::new(&Arc::clone(problem).into(), settings);
    let clock = Clock::start();
    let answer = ask(&mut run, Asked::survey(), &budget(task), &mut |_| {})?;
    let Value::Survey(seen) = &answer.value else {
        return Err(answer.stop().map_or(String::new(), reason));
    };
    let complete = seen.ending == Ending::Complete;
    let mut found = Measurement {
        verdict: if complete {
            Verdict::Complete
        } else {
            Verdict::Unknown
        },
        reason: match &seen.ending {
            Ending::Complete => String::new(),
            Ending::Unbounded(_) => "unbounded".to_owned(),
            Ending::Unknown(stop, _) => reason(*stop),
            Ending::Fault(fault) => fault.clone(),
        },
        explored_states: seen.states.clone().filter(|_| complete),
        explored_transitions: seen.transitions.clone().filter(|_| complete),
        ..Measurement::default()
    };
    clock.stop(&mut found);
    Ok(found)
}

fn translated(task: &Task, kind: Kind) -> Result<Measurement, String> {
    let mut store = FormulaStore::new();
    let f = parse(&mut store, &task.formula).map_err(|e| e.to_string())?;
    // The papers' tables show the automata of negations: those are what a product is made with.
    let negation = store.not(f);
    let options = Options {
        kind,
        ..Options::default()
    };
    let clock = Clock::start();
    let done = translate(&mut store, negation, &options, &budget(task));
    let translation = done.map_err(|error| match error.stop() {
        Some(stop) => reason(stop),
        None => error.to_string(),
    })?;
    let sizes = translation.sizes();
    let mut found = Measurement {
        verdict: Verdict::Complete,
        automaton_states: Some(sizes.states as u64),
        automaton_transitions: Some(sizes.transitions),
        acceptance_sets: Some(sizes.acceptance_sets),
        ..Measurement::default()
    };
    clock.stop(&mut found);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(model: &str, formula: &str, approach: &str) -> Task {
        Task {
            model: model.to_owned(),
            formula: formula.to_owned(),
            approach: approach.to_owned(),
            product: true,
            timeout: 60.0,
            memory: 1_000_000_000,
        }
    }

    #[test]
    fn sizes_are_those_of_the_papers() {
        let formula = "!(!\"RafP >= 1\" U \"MEKP >= 1\")";
        let found = measure(&task("mapk:4", formula, "TGBA"));
        assert_eq!(found.verdict, Verdict::Holds, "{}", found.reason);
        assert_eq!(found.explored_states, found.product_states);
        assert!(found.translation_seconds.unwrap() <= found.seconds);
        let seen = measure(&task("kanban:2", "", "explicit"));
        assert_eq!(seen.explored_states.as_deref(), Some("4600"));
        let same = measure(&task("kanban:2", "", "symbolic"));
        assert_eq!(same.explored_transitions, seen.explored_transitions);
        for approach in [
            "TGBA (sat)",
            "TGBA (nosat)",
            "TGBA (loops)",
            "BA (sat)",
            "TGTA (sat)",
            "TGTA (nosat)",
        ] {
            let found = measure(&task("mapk:4", formula, approach));
            assert_eq!(
                found.verdict,
                Verdict::Holds,
                "{approach}: {}",
                found.reason
            );
            assert!(found.reach_seconds.is_some() && found.explored_states.is_none());
            assert_eq!(found.stuttering.is_some(), approach == "TGTA (sat)");
            assert!(
                found
                    .stuttering
                    .is_none_or(|share| 0.1 < share && share < 1.0)
            );
            let found = measure(&task("kanban:2", "G \"Pm1 >= 1\"", approach));
            assert_eq!(
                found.verdict,
                Verdict::Fails,
                "{approach}: {}",
                found.reason
            );
        }
        for approach in ["CTL* (explicit)", "CTL* (symbolic)"] {
            for (formula, verdict) in [
                ("G \"Pm1 >= 1\"", Verdict::Fails),
                ("EG \"Pm1 >= 1\"", Verdict::Fails),
                ("A G E F \"Pm1 >= 1\"", Verdict::Holds),
                ("E(G F \"Pm1 >= 1\" & G F !\"Pm1 >= 1\")", Verdict::Holds),
            ] {
                let found = measure(&task("kanban:2", formula, approach));
                assert_eq!(
                    found.verdict, verdict,
                    "{approach}, {formula}: {}",
                    found.reason
                );
            }
        }
        let automaton = measure(&task("", "!(a U G b)", "to TGTA"));
        assert_eq!(automaton.automaton_states, Some(3));
    }

    #[test]
    fn a_violation_has_a_product_larger_than_what_was_explored() {
        let found = measure(&task("kanban:2", "G \"Pm1 >= 1\"", "TA"));
        assert_eq!(found.verdict, Verdict::Fails, "{}", found.reason);
        let number = |text: &Option<String>| text.as_deref().unwrap().parse::<u64>().unwrap();
        assert!(number(&found.product_states) > number(&found.explored_states));
    }

    #[test]
    fn what_goes_wrong_has_a_reason() {
        for (task, part) in [
            (task("kanban:2", "X \"Pm1 >= 1\"", "TA"), "stutter"),
            (task("kanban:2", "G \"nothing >= 1\"", "TA"), "nothing"),
            (task("kanban:2", "G", "TA"), "operand"),
            (task("kanban:2", "", "no approach"), "no such task"),
            (task("no such model", "", "TA"), "neither a file"),
        ] {
            let found = measure(&task);
            assert_eq!(found.verdict, Verdict::Unknown);
            assert!(found.reason.contains(part), "{}", found.reason);
        }
        let mut hurried = task("kanban:5", "", "explicit");
        hurried.timeout = 0.0;
        assert_eq!(measure(&hurried).reason, "time");
    }
}
