//! `info` and `states`: what there is to know of a model.

use dalsegno_kripke::{Budget, Stop};
use serde_json::Value;

use super::fault::Fault;
use super::progress::Progress;
use super::request;
use crate::answer::Value as Answered;
use crate::asked::Asked;
use crate::event::Event;
use crate::info;
use crate::report::{unfinished_states, unloaded_states};
use crate::run::Run;
use crate::settings::Settings;
use crate::source::{LoadError, Source, stem};

/// What there is to know of a model, as `dalsegno.info/1`.
pub(super) fn info(wanted: &request::Info, budget: &Budget) -> Result<Value, Fault> {
    let mut options = info::Options::default();
    if let Some(pattern) = &wanted.pattern {
        options.pattern = Some(info::Pattern::new(pattern));
    }
    if wanted.all {
        options.most = None;
    }
    if let Some(left) = budget.time_left() {
        options.time = options.time.min(left / 2);
    }
    let (name, text) = (&wanted.model.name, wanted.model.text.as_bytes());
    let info = info::Info::of_bytes(text, name, &options, budget);
    let info = info.map_err(|error| match error.stop() {
        Some(stop) => Fault::new(format!("unknown: {stop}")),
        None => Fault::of_model(&error),
    })?;
    serde_json::to_value(&info).map_err(|error| Fault::new(error.to_string()))
}

/// The size of a state space, as `dalsegno.states/1`.
pub(super) fn states(
    wanted: &request::States,
    progress: &mut Progress<'_>,
) -> Result<Value, Fault> {
    let engine = request::engine(wanted.engine.as_deref())?;
    let budget = progress.budget.clone();
    let name = stem(&wanted.model.name);
    let source = match Source::from_bytes(wanted.model.text.as_bytes(), &wanted.model.name, &budget)
    {
        Ok(source) => source,
        Err(error) if error.stop().is_some() => return Ok(unloaded_states(name, &error)),
        Err(error) => return Err(Fault::of_model(&error)),
    };
    let settings = Settings {
        engine,
        ..Settings::default()
    };
    let mut run = Run::new(&source, settings);
    let number = run.ask(Asked::survey());
    let mut too_large: Option<LoadError> = None;
    let answered = run.answer(&budget, &mut |event| match event {
        Event::NotUnfolded(error) => too_large = Some((*error).clone()),
        event => progress.hear(event),
    });
    answered.map_err(|error| Fault::of_model(&error))?;
    if let Some(error) = &too_large {
        return Ok(unloaded_states(source.name(), error));
    }
    let answer = run.answer_to(number);
    match (&answer.value, source.ready()) {
        (Answered::Survey(seen), Some(problem)) => Ok(seen.to_json(problem.model())),
        (Answered::Error(error), _) => Err(Fault::of_question(error)),
        _ => {
            let stop = answer.stop().unwrap_or(Stop::Cancelled);
            let seen = progress.seen();
            let (states, transitions) = (seen.states, seen.transitions);
            Ok(unfinished_states(source.name(), stop, states, transitions))
        }
    }
}
