//! Answers as lines of the Model Checking Contest.

use std::io::{self, Write};

use crate::answer::Value;
use crate::event::Answered;
use crate::method::Tool;
use crate::survey::{Ending, Survey};

/// The line of a question that has no answer.
pub const CANNOT_COMPUTE: &str = "CANNOT_COMPUTE";

/// Writes the lines of an answer; whether the question is answered as a whole.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_contest(answered: &Answered<'_>, out: &mut impl Write) -> io::Result<bool> {
    let technique = answered.answer.by.unwrap_or(Tool::Structure).technique();
    let name = if answered.name.is_empty() {
        answered.formula
    } else {
        answered.name
    };
    let value = match &answered.answer.value {
        Value::Truth(true) => "TRUE".to_owned(),
        Value::Truth(false) => "FALSE".to_owned(),
        Value::Bound(Some(most)) => most.to_string(),
        Value::Bound(None) => "+inf".to_owned(),
        Value::Survey(survey) => return write_survey(survey, out),
        Value::Unknown(_) | Value::Error(_) => return Ok(false),
    };
    writeln!(out, "FORMULA {name} {value} TECHNIQUES {technique}")?;
    Ok(true)
}

fn write_survey(survey: &Survey, out: &mut impl Write) -> io::Result<bool> {
    let infinite = || Some("+inf".to_owned());
    let seen = || {
        [
            survey.states.clone(),
            survey.transitions.clone(),
            survey.largest.clone(),
            survey.largest_sum.clone(),
        ]
    };
    // Numbers of a part of the states are no answers; of all states, those that are known.
    let values = match survey.ending {
        Ending::Unbounded(_) => [infinite(), infinite(), infinite(), infinite()],
        Ending::Complete => seen(),
        Ending::Unknown(..) if survey.by == Tool::Diagrams => seen(),
        _ => Default::default(),
    };
    let names = [
        "STATES",
        "TRANSITIONS",
        "MAX_TOKEN_IN_PLACE",
        "MAX_TOKEN_PER_MARKING",
    ];
    let technique = survey.by.technique();
    for (name, value) in names.into_iter().zip(&values) {
        if let Some(value) = value {
            writeln!(out, "STATE_SPACE {name} {value} TECHNIQUES {technique}")?;
        }
    }
    Ok(values.iter().all(Option::is_some))
}
