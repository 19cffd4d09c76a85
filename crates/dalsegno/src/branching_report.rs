//! Answers to branching-time properties as text and as JSON, in the schema of [`crate::report`].

use std::io::{self, Write};

use dalsegno_kripke::{DeadEnds, Model};
use serde_json::{Value, json};

use crate::branching::BranchingOutcome;
use crate::report::state_to_json;
use crate::survey::Engine;

/// A branching-time property with its answer.
#[derive(Clone, Debug)]
pub struct BranchingChecked {
    /// The name of the property, if it has one.
    pub name: String,
    /// The text of the formula.
    pub formula: String,
    /// Whether it is a formula of CTL; of CTL* otherwise.
    pub ctl: bool,
    /// What dead ends do.
    pub dead_ends: DeadEnds,
    /// The answer.
    pub outcome: BranchingOutcome,
}

impl BranchingChecked {
    /// Whether the property holds, if that is known.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        self.outcome.holds.ok()
    }

    /// The name of the engine that answered.
    #[must_use]
    pub fn engine(&self) -> Option<&'static str> {
        self.outcome.engine.map(|engine| match engine {
            Engine::Symbolic => "symbolic",
            _ => "explicit",
        })
    }

    fn verdict(&self) -> &'static str {
        match self.outcome.holds {
            Ok(true) => "holds",
            Ok(false) => "fails",
            Err(_) => "unknown",
        }
    }

    /// Writes the answer for a reader; with `stats`, what it took.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write_text(&self, model: &Model, stats: bool, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{}", self.verdict())?;
        if let Err(stop) = self.outcome.holds {
            write!(out, " ({stop})")?;
        }
        if self.name.is_empty() {
            writeln!(out, ": {}", self.formula)?;
        } else {
            writeln!(out, ": {} = {}", self.name, self.formula)?;
        }
        if let Some(satisfying) = &self.outcome.satisfying {
            writeln!(out, "  satisfied in {} states", satisfying.count)?;
            for state in &satisfying.sample {
                writeln!(out, "    {}", state_to_text(model, state))?;
            }
        }
        if stats {
            writeln!(
                out,
                "  engine: {}; {:.3} s, {} bytes",
                self.engine().unwrap_or("none"),
                self.outcome.time.as_secs_f64(),
                self.outcome.bytes
            )?;
        }
        Ok(())
    }

    /// The answer as an object of `dalsegno.check/1`.
    #[must_use]
    pub fn to_json(&self, model: &Model) -> Value {
        let satisfying = self.outcome.satisfying.as_ref().map(|satisfying| {
            let sample = satisfying.sample.iter();
            let sample: Vec<Value> = sample.map(|s| state_to_json(model, s)).collect();
            json!({ "states": satisfying.count, "sample": sample })
        });
        json!({
            "name": self.name,
            "logic": if self.ctl { "ctl" } else { "ctl*" },
            "formula": self.formula,
            "dead_ends": self.dead_ends.to_string(),
            "verdict": self.verdict(),
            "reason": self.outcome.holds.err().map(|stop| stop.to_string()),
            "engine": self.engine(),
            "automaton": null,
            "explored": null,
            "product": null,
            "satisfying": satisfying,
            "witness": null,
            "certified": false,
            "seconds": self.outcome.time.as_secs_f64(),
            "peak_bytes": self.outcome.bytes,
        })
    }
}

/// The values of a state that are not zero, by name.
pub(crate) fn state_to_text(model: &Model, state: &[u32]) -> String {
    let shown = model.variable_ids().zip(state).filter_map(|(v, &value)| {
        let values = model.values(v);
        let shown = values.name(value).is_some() || value != values.zero();
        shown.then(|| format!("{} = {}", model.variable(v).name, values.show(value)))
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        "all are 0".to_owned()
    } else {
        shown.join(", ")
    }
}
