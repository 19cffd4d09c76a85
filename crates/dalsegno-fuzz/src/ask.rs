//! Asks runs, and takes a certificate that is refuted for a fault, whoever answers then.

use dalsegno::kripke::Budget;
use dalsegno::{Answer, Asked, Engine, Event, Run, Settings, Source, Survey, Value};

/// The answer to a question; the run keeps what it knows.
///
/// # Errors
/// What is wrong, if it is no answer that may be given.
pub fn ask(run: &mut Run, asked: Asked, budget: &Budget) -> Result<Answer, String> {
    let number = run.ask(asked);
    let mut defect = None;
    let answered = run.answer(budget, &mut |event| {
        if let Event::Defect { by, error, .. } = event {
            defect = Some(format!("{by}: {error}"));
        }
    });
    answered.map_err(|error| error.to_string())?;
    match defect {
        Some(defect) => Err(defect),
        None => Ok(run.answer_to(number)),
    }
}

/// What an engine sees of a state space.
///
/// # Errors
/// If that is no survey.
pub fn survey(source: &Source, engine: Engine, budget: &Budget) -> Result<Survey, String> {
    let settings = Settings {
        engine,
        ..Settings::default()
    };
    let answer = ask(&mut Run::new(source, settings), Asked::survey(), budget)?;
    match answer.value {
        Value::Survey(survey) => Ok(*survey),
        value => Err(format!("{} does not survey: {value:?}", engine.name())),
    }
}
