//! Questions to a model, asked and answered in a job.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dalsegno::kripke::clock::Instant;
use dalsegno::kripke::{Budget, DeadEnds, Stop};
use dalsegno::report::{unfinished_states, unloaded_states};
use dalsegno::{
    About, Answer, Answered, Asked, AutomatonFile, Event, Fair, Global, Logic, PropertyFile, Run,
    Settings, Source, Value,
};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::answer::{Given, Meaning, PyAnswer};
use crate::automaton::PyAutomaton;
use crate::formula::PyFormula;
use crate::job::Ended;
use crate::limits::budget;
use crate::source::PySource;
use crate::{errors, job};

/// The time between two calls of a callback that hears of progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// What a run has told so far.
#[derive(Default)]
struct Told {
    method: Option<&'static str>,
    states: u64,
    transitions: u64,
    answers: Vec<Option<(Meaning, Answer)>>,
}

type Shared = Arc<Mutex<Told>>;

fn told(shared: &Shared) -> std::sync::MutexGuard<'_, Told> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes note of an event.
fn hear(shared: &Shared, event: &Event<'_>) {
    let mut told = told(shared);
    match event {
        Event::Unfolding {
            places,
            transitions,
        } => {
            told.method = Some("unfolding");
            (told.states, told.transitions) = (*places, *transitions);
        }
        Event::Begins(tool, _) => told.method = Some(tool.name()),
        Event::Progress {
            states,
            transitions,
        } => (told.states, told.transitions) = (*states, *transitions),
        Event::Answer(answered) => {
            let number = answered.number;
            if told.answers.len() <= number {
                told.answers.resize_with(number + 1, || None);
            }
            told.answers[number] = Some((Meaning::of(answered), answered.answer.clone()));
        }
        _ => {}
    }
}

/// A callback that hears of progress: method, states, transitions, nodes of diagrams, and answers so far.
fn progress<'a>(
    shared: &'a Shared,
    budget: &'a Budget,
    callback: Option<&'a Py<PyAny>>,
) -> impl FnMut(Python<'_>) -> PyResult<()> + 'a {
    let mut last: Option<Instant> = None;
    move |py| {
        let Some(callback) = callback else {
            return Ok(());
        };
        if last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return Ok(());
        }
        last = Some(Instant::now());
        let (method, states, transitions, answers) = {
            let told = told(shared);
            let answers = told.answers.iter().flatten().count();
            (told.method, told.states, told.transitions, answers)
        };
        callback.call1(py, (method, states, transitions, budget.nodes(), answers))?;
        Ok(())
    }
}

/// A question as Python gives it: the argument that it was given by, and what is asked.
///
/// # Errors
/// If it is none.
fn asked(kind: &str, given: &Bound<'_, PyAny>) -> PyResult<(Vec<Asked>, Option<String>)> {
    let wrong = |expected: &str| errors::kind(kind, expected, given);
    match kind {
        "never" | "always" => {
            let automaton = given.cast::<PyAutomaton>();
            let automaton = automaton.map_err(|_| wrong("an Automaton"))?.get().held();
            let file = AutomatonFile {
                name: automaton.name().to_owned(),
                content: automaton.content().clone(),
            };
            Ok((vec![Asked::automaton(file, kind == "always")], None))
        }
        "question" => {
            let text: &str = given.extract().map_err(|_| wrong("a text"))?;
            let global: Global = errors::choice("question", text)?;
            let name = global.name().to_owned();
            Ok((
                vec![Asked {
                    name,
                    ..Asked::global(global)
                }],
                None,
            ))
        }
        "file" => {
            let (name, bytes): (String, Vec<u8>) = given.extract()?;
            let all = job::guarded(|| {
                let all = Asked::file(PropertyFile::new(&name, bytes));
                all.map_err(|error| errors::question("", &error))
            })?;
            Ok((all, None))
        }
        logic => {
            let logic = match logic {
                "ltl" => Logic::Ltl,
                "ctl" => Logic::Ctl,
                "ctl_star" => Logic::CtlStar,
                _ => Logic::Any,
            };
            if let Ok(formula) = given.cast::<PyFormula>() {
                let formula = formula.get();
                let asked = Asked::formula(logic, &formula.text_for_models(given.py())?);
                return Ok((vec![asked], Some(formula.text(given.py())?)));
            }
            let text = given.cast::<PyString>();
            let text = text.map_err(|_| wrong("a Formula or a text"))?.to_str()?;
            Ok((vec![Asked::formula(logic, text)], None))
        }
    }
}

/// What to look for, and how.
#[derive(FromPyObject)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice by itself")]
#[pyo3(from_item_all)]
struct Wishes {
    engine: String,
    automaton: Option<String>,
    propositions: String,
    dead_ends: Option<String>,
    fair: Vec<String>,
    evidence: bool,
    shortest: bool,
    lasso: bool,
    details: bool,
    threads: usize,
    timeout: Option<f64>,
    max_states: Option<u64>,
    memory: Option<u64>,
}

impl Wishes {
    fn settings(&self) -> PyResult<Settings> {
        if self.threads == 0 {
            return Err(errors::argument("threads", "there must be at least one"));
        }
        let automaton = self.automaton.as_deref();
        Ok(Settings {
            engine: errors::choice("engine", &self.engine)?,
            automaton: automaton
                .map(|kind| errors::choice("automaton", kind))
                .transpose()?,
            propositions: errors::choice("propositions", &self.propositions)?,
            evidence: self.evidence,
            shortest: self.shortest,
            lasso: self.lasso,
            details: self.details,
            threads: self.threads,
            ..Settings::default()
        })
    }
}

/// Asks questions, each as its kind and what is asked; answers in their order.
#[pyfunction]
#[pyo3(signature = (model, questions, wishes, progress, /))]
pub(crate) fn check(
    py: Python<'_>,
    model: &PySource,
    questions: Vec<(String, Bound<'_, PyAny>)>,
    wishes: Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<PyAnswer>> {
    let wishes: Wishes = wishes.extract()?;
    let settings = wishes.settings()?;
    let dead_ends = wishes.dead_ends.as_deref();
    let dead_ends: Option<DeadEnds> = dead_ends
        .map(|how| errors::choice("dead_ends", how))
        .transpose()?;
    let fair = wishes.fair.iter().map(|how| errors::choice("fair", how));
    let fair: Vec<Fair> = fair.collect::<PyResult<_>>()?;
    let budget = budget(wishes.timeout, wishes.max_states, wishes.memory)?;
    let mut all: Vec<Asked> = Vec::new();
    let mut shown: Vec<Option<String>> = Vec::new();
    for (kind, given) in &questions {
        let (some, text) = asked(kind, given)?;
        for one in some {
            all.push(one.with_dead_ends(dead_ends).with_fairness(&fair));
            shown.push(text.clone());
        }
    }
    let (source, token) = model.borrow();
    let shared = Shared::default();
    let work = {
        let (source, limits) = (source.clone(), budget.clone());
        let (shared, all) = (Arc::clone(&shared), all.clone());
        move || {
            let mut run = Run::new(&source, settings);
            for one in all {
                run.ask(one);
            }
            let ended = run.answer(&limits, &mut |event| hear(&shared, event));
            drop(run);
            drop(token);
            ended
        }
    };
    let tick = self::progress(&shared, &budget, progress.as_ref());
    let ended = job::run(py, &budget, tick, work)?;
    if let Ended::Done(Err(error)) = &ended {
        return Err(errors::load(source.name(), error));
    }
    let mut answers = std::mem::take(&mut told(&shared).answers);
    answers.resize_with(all.len(), || None);
    let made = answers.into_iter().zip(all).zip(shown).enumerate();
    let made = made.map(|(number, ((answer, asked), shown))| {
        let (mut meaning, answer) = answer.unwrap_or_else(|| {
            let unknown = Answer::unknown(budget.check().err().unwrap_or(Stop::Cancelled));
            let meaning = Meaning::of(&Answered::without_model(number, &asked, &unknown));
            (meaning, unknown)
        });
        if let Some(text) = shown {
            meaning.formula = text;
        }
        PyAnswer::new(Given {
            source: source.clone(),
            asked,
            meaning,
            answer,
        })
    });
    Ok(made.collect())
}

/// Counts states and transitions; the answer in JSON.
#[pyfunction]
#[pyo3(signature = (model, engine, threads, timeout, max_states, memory, progress, /))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are options of one call in Python"
)]
pub(crate) fn states(
    py: Python<'_>,
    model: &PySource,
    engine: &str,
    threads: usize,
    timeout: Option<f64>,
    max_states: Option<u64>,
    memory: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    if threads == 0 {
        return Err(errors::argument("threads", "there must be at least one"));
    }
    let settings = Settings {
        engine: errors::choice("engine", engine)?,
        threads,
        ..Settings::default()
    };
    let budget = budget(timeout, max_states, memory)?;
    let (source, token) = model.borrow();
    let shared = Shared::default();
    let (limits, heard, asked) = (budget.clone(), Arc::clone(&shared), source.clone());
    let tick = self::progress(&shared, &budget, progress.as_ref());
    let ended = job::run(py, &budget, tick, move || {
        let found = survey(&asked, settings, &limits, &heard);
        drop(token);
        found
    })?;
    let told = told(&shared);
    let report = match ended {
        Ended::Done(report) => report.map_err(|error| errors::question(source.name(), &error))?,
        Ended::Late => None,
    };
    let unfinished =
        || unfinished_states(source.name(), Stop::Time, told.states, told.transitions).to_string();
    Ok(report.unwrap_or_else(unfinished))
}

/// What is known of the state space, in JSON; nothing if the time was over before.
fn survey(
    source: &Source,
    settings: Settings,
    budget: &Budget,
    shared: &Shared,
) -> Result<Option<String>, dalsegno::Error> {
    let mut run = Run::new(source, settings);
    let number = run.ask(Asked::survey());
    let mut unloaded = None;
    run.answer(budget, &mut |event| {
        if let Event::NotUnfolded(error) = event {
            unloaded = Some(unloaded_states(source.name(), error).to_string());
        }
        hear(shared, event);
    })?;
    if unloaded.is_some() {
        return Ok(unloaded);
    }
    let answer = run.answer_to(number);
    match (&answer.value, source.ready()) {
        (Value::Survey(found), Some(problem)) => {
            Ok(Some(found.to_json(problem.model()).to_string()))
        }
        (Value::Error(error), _) => Err(error.clone()),
        _ => {
            let stop = answer.stop().unwrap_or(Stop::Cancelled);
            let told = told(shared);
            let report = unfinished_states(source.name(), stop, told.states, told.transitions);
            Ok(Some(report.to_string()))
        }
    }
}

/// The text of a question about a formula, as it was asked.
pub(crate) fn text_of(asked: &Asked) -> &str {
    match &asked.about {
        About::Formula(_, text) => text,
        _ => &asked.name,
    }
}
