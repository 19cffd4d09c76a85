//! Surveys as text and as `dalsegno.states/1`: counts are decimal strings, what is not known is null, and an
//! unbounded count is `"+inf"`.

use std::io::{self, Write};

use dalsegno_kripke::{Model, Stop};
use serde_json::{Value, json};

use crate::source::LoadError;
use crate::survey::{Ending, Survey};

impl Survey {
    /// The survey as `dalsegno.states/1`.
    #[must_use]
    pub fn to_json(&self, model: &Model) -> Value {
        let (result, reason) = match &self.ending {
            Ending::Complete => ("complete", None),
            Ending::Unbounded(_) => ("unbounded", None),
            Ending::Unknown(stop, _) => ("unknown", Some(stop.to_string())),
            Ending::Fault(fault) => ("unknown", Some(fault.clone())),
        };
        let count = |n: &Option<String>| match result {
            "complete" => n.clone().map_or(Value::Null, Value::String),
            "unbounded" => Value::String("+inf".to_owned()),
            _ => Value::Null,
        };
        let stats = match &self.diagrams {
            Some((_, nodes, statistics)) => json!({
                "levels": self.levels,
                "nodes": nodes,
                "peak_nodes": statistics.peak_nodes,
                "cache_lookups": statistics.lookups,
                "cache_hits": statistics.hits,
                "collections": statistics.collections,
            }),
            None => json!({ "seen_states": self.states, "seen_transitions": self.transitions }),
        };
        json!({
            "schema": "dalsegno.states/1",
            "model": model.name(),
            "engine": self.by.engine().name(),
            "result": result,
            "reason": reason,
            "states": count(&self.states),
            "transitions": count(&self.transitions),
            "dead_ends": if result == "complete" { count(&self.dead_ends) } else { Value::Null },
            "proved_bound": self.bound,
            "stopped": self.stopped.iter().map(|(tool, stop)| json!({
                "engine": tool.engine().name(),
                "method": tool.name(),
                "reason": stop.to_string(),
            })).collect::<Vec<Value>>(),
            "max_tokens_in_place": count(&self.largest),
            "max_tokens_per_marking": count(&self.largest_sum),
            "seconds": self.time.as_secs_f64(),
            "peak_bytes": self.bytes,
            "order": self.diagrams.as_ref().map(|(recipe, ..)| recipe.to_string()),
            "stats": stats,
        })
    }

    /// Writes the survey for a reader, with what the diagrams did if `stats`.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write_text(&self, model: &Model, stats: bool, out: &mut impl Write) -> io::Result<()> {
        let name = |v: usize| &model.variables()[v].name;
        let part = if self.states.is_some() {
            "; seen so far:"
        } else {
            ""
        };
        match &self.ending {
            Ending::Complete => {}
            Ending::Unbounded(v) => writeln!(out, "unbounded: {} can grow for ever", name(*v))?,
            Ending::Unknown(stop, Some(v)) => {
                writeln!(out, "unknown: {stop}; {} was still growing{part}", name(*v))?;
            }
            Ending::Unknown(stop, None) => writeln!(out, "unknown: {stop}{part}")?,
            Ending::Fault(fault) => writeln!(out, "unknown: {fault}{part}")?,
        }
        let lines = [
            ("states", &self.states),
            ("transitions", &self.transitions),
            ("dead ends", &self.dead_ends),
            ("max tokens in place", &self.largest),
            ("max tokens per marking", &self.largest_sum),
        ];
        for (label, number) in lines {
            if let Some(number) = number {
                writeln!(out, "{:<23} {number}", format!("{label}:"))?;
            }
        }
        if let (Ending::Unknown(..) | Ending::Fault(_), Some(bound)) = (&self.ending, self.bound) {
            writeln!(out, "proved bound in place:  {bound}")?;
        }
        for (tool, stop) in &self.stopped {
            writeln!(
                out,
                "{:<23} stopped: {stop}",
                format!("{} engine:", tool.engine().name())
            )?;
        }
        writeln!(
            out,
            "time:                   {:.3} s",
            self.time.as_secs_f64()
        )?;
        writeln!(out, "memory of tables:       {} bytes", self.bytes)?;
        if let (true, Some((recipe, nodes, statistics))) = (stats, &self.diagrams) {
            writeln!(out, "order:                  {recipe}")?;
            if let Some(levels) = self.levels {
                writeln!(out, "levels:                 {levels}")?;
            }
            writeln!(out, "nodes:                  {nodes}")?;
            writeln!(out, "peak nodes:             {}", statistics.peak_nodes)?;
            let (hits, lookups) = (statistics.hits, statistics.lookups);
            writeln!(out, "cache hits:             {hits} of {lookups}")?;
            writeln!(out, "collections:            {}", statistics.collections)?;
        }
        Ok(())
    }
}

/// The answer to `states` if a limit kept the model from being loaded, as `dalsegno.states/1`. What is
/// known of the size of an unfolded net is among the statistics.
#[must_use]
pub fn unloaded_states(model: &str, error: &LoadError) -> Value {
    unknown_states(
        model,
        error.stop(),
        &json!({ "unfolding": unfolding(error) }),
    )
}

/// The answer to `states` if the process has to end, as `dalsegno.states/1`, with what was seen so far.
#[must_use]
pub fn unfinished_states(model: &str, stop: Stop, states: u64, transitions: u64) -> Value {
    let seen = json!({
        "seen_states": states.to_string(),
        "seen_transitions": transitions.to_string(),
    });
    unknown_states(model, Some(stop), &seen)
}

fn unknown_states(model: &str, stop: Option<Stop>, stats: &Value) -> Value {
    json!({
        "schema": "dalsegno.states/1",
        "model": model,
        "engine": null,
        "result": "unknown",
        "reason": stop.map(|stop| stop.to_string()),
        "states": null,
        "transitions": null,
        "dead_ends": null,
        "max_tokens_in_place": null,
        "max_tokens_per_marking": null,
        "proved_bound": null,
        "stopped": [],
        "seconds": null,
        "peak_bytes": null,
        "order": null,
        "stats": stats,
    })
}

/// At most how large the unfolded net would be, if that is why a model could not be loaded; counts are decimal
/// strings.
#[must_use]
pub fn unfolding(error: &LoadError) -> Value {
    error.unfolding().map_or(Value::Null, |size| {
        json!({
            "places_at_most": size.places.to_string(),
            "transitions_at_most": size.transitions.to_string(),
        })
    })
}
