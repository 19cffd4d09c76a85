//! `check`: properties of a model.

use dalsegno_kripke::Stop;
use serde_json::{Value, json};

use super::fault::Fault;
use super::progress::Progress;
use super::request;
use crate::answer::{Answer, Value as Answered};
use crate::asked::Asked;
use crate::event::{Answered as Told, Event};
use crate::report::{Page, outline_to_json};
use crate::run::Run;
use crate::settings::Settings;
use crate::source::{Source, stem};

/// Checks properties; the result is a document `dalsegno.report/1`.
pub(super) fn checked(
    wanted: &request::Check,
    progress: &mut Progress<'_>,
) -> Result<Value, Fault> {
    if wanted.properties.is_empty() {
        return Err(Fault::new("nothing to check: `properties` is empty"));
    }
    let settings = Settings {
        engine: request::engine(wanted.engine.as_deref())?,
        automaton: wanted.automaton()?,
        details: true,
        ..Settings::default()
    };
    let dead_ends = wanted.dead_ends()?;
    let mut questions = Vec::new();
    for property in &wanted.properties {
        let asked = Asked::formula(property.logic()?, &property.text);
        questions.push(Asked {
            name: property.name.clone(),
            dead_ends,
            ..asked
        });
    }
    let budget = progress.budget.clone();
    let mut page = Page::unloaded(stem(&wanted.model.name));
    let mut open = vec![true; questions.len()];
    match Source::from_bytes(wanted.model.text.as_bytes(), &wanted.model.name, &budget) {
        Ok(source) => {
            page.set_source(&source);
            let mut run = Run::new(&source, settings);
            for asked in &questions {
                run.ask(asked.clone());
            }
            let answered = run.answer(&budget, &mut |event| match event {
                Event::Answer(told) => {
                    open[told.number] = false;
                    page.add(told);
                    progress.tell(&answer(told));
                }
                event => progress.hear(event),
            });
            answered.map_err(|error| Fault::of_model(&error))?;
        }
        Err(error) if error.stop().is_some() => {}
        Err(error) => return Err(Fault::of_model(&error)),
    }
    let unknown = Answer::unknown(budget.check().err().unwrap_or(Stop::Memory));
    for (number, asked) in questions.iter().enumerate().filter(|(n, _)| open[*n]) {
        let told = Told::without_model(number, asked, &unknown);
        page.add(&told);
        progress.tell(&answer(&told));
    }
    Ok(page.to_json())
}

/// The line of an answer: the verdict, without what shows it.
fn answer(told: &Told<'_>) -> Value {
    let error = match &told.answer.value {
        Answered::Error(error) => Some(Fault::of_question(error)),
        _ => None,
    };
    let outline = outline_to_json(told);
    let mut line = json!({ "event": "answer", "property": told.number, "error": error });
    for field in [
        "name", "formula", "logic", "verdict", "reason", "method", "seconds",
    ] {
        line[field] = outline[field].clone();
    }
    line
}
