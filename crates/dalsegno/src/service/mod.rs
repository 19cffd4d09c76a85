//! One function behind the page in a browser and the local server: a request as JSON, answered by lines of JSON.
//!
//! A request is an object whose `call` says what is wanted; `docs/serve.md` has all fields. While [`call`] works it tells
//! lines with `"event": "progress"` and `"event": "answer"`; the last one is `"event": "done"` with the result, or
//! `"event": "error"` with a message, drawn with a caret where the place is known. Whatever the request is, there is such
//! a last line. Running out of a limit is an answer: unknown.

mod automata;
mod check;
mod examples;
mod fault;
mod model;
mod progress;
mod request;

#[cfg(test)]
mod tests;

use dalsegno_kripke::Budget;
use serde_json::{Value, json};

use fault::Fault;
use progress::Progress;
use request::{Request, Wanted};

/// Who hears the lines of an answer, each without its end.
pub type Emit<'e> = &'e mut (dyn FnMut(&str) + Send);

/// Answers a request within a budget, whose limits the request can only narrow; `emit` gets each line as soon as it is
/// known. Cancelling the budget ends the call soon.
///
/// # Examples
/// ```
/// use dalsegno::{kripke::Budget, service};
///
/// let request = r#"{"call": "compare", "left": "F G a", "right": "G F a"}"#;
/// let mut lines = Vec::new();
/// service::call(request, &Budget::unlimited(), &mut |line| lines.push(line.to_owned()));
/// assert!(lines[0].contains(r#""event":"done""#) && lines[0].contains(r#""equivalent":false"#));
/// ```
pub fn call(request: &str, budget: &Budget, emit: Emit<'_>) {
    let last = match answer(request, budget, emit) {
        Ok(result) => json!({ "event": "done", "result": result }),
        Err(fault) => json!({ "event": "error", "error": fault }),
    };
    emit(&last.to_string());
}

/// A line of progress for whoever hears nothing of a call for a while: how long it has been going on, and the nodes of its
/// decision diagrams.
#[must_use]
pub fn sign_of_life(budget: &Budget, seconds: f64) -> String {
    progress::line(&progress::Seen {
        nodes: budget.nodes(),
        seconds,
        ..progress::Seen::default()
    })
}

/// The last line of a call that could not go on.
#[must_use]
pub fn error_line(message: &str) -> String {
    json!({ "event": "error", "error": Fault::new(message) }).to_string()
}

fn answer(request: &str, budget: &Budget, emit: Emit<'_>) -> Result<Value, Fault> {
    let Request { wanted, limits } = Request::read(request)?;
    let budget = limits.narrow(budget);
    match wanted {
        Wanted::Version => Ok(version()),
        Wanted::Examples => examples::all(),
        Wanted::Translate(wanted) => automata::translated(&wanted, &budget),
        Wanted::Compare(wanted) => automata::compared(&wanted, &budget),
        Wanted::Info(wanted) => model::info(&wanted, &budget),
        Wanted::States(wanted) => model::states(&wanted, &mut Progress::new(&budget, emit)),
        Wanted::Check(wanted) => check::checked(&wanted, &mut Progress::new(&budget, emit)),
    }
}

fn version() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "calls": request::CALLS,
        "browser": cfg!(target_family = "wasm"),
    })
}
