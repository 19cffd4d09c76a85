//! `dalsegno orders`: the variable orders of a model and how good they look.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use dalsegno::method::orders;
use dalsegno::report::error_to_json;
use dalsegno::symbolic::order::Candidate;
use serde_json::{Value, json};

use crate::choice::Form;
use crate::limits::Limits;
use crate::load;
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

/// Print the variable orders for decision diagrams of a Petri net, best first
///
/// An order has the name of its heuristic, then +force if FORCE improved it, then +reversed if it stands
/// upside down. The metrics, smaller being better: soups (sum of unique and productive spans) tells
/// of the work, bits (the logarithm of the nodes that place invariants ask for) of the size of the
/// result, then the sum of spans, the sum of tops and the weighted event span.
///
/// `dalsegno states` tries the orders against each other in about this sequence, unless it is given one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A Petri net in PNML; `-` is standard input
    model: PathBuf,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

const EXAMPLES: &str = "\
Examples:
  dalsegno orders net.pnml
  dalsegno states net.pnml --engine symbolic --order noack+reversed";

impl Arguments {
    /// Whether the output is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Form::Json
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let budget = arguments.limits.budget(watch);
    let json = arguments.wants_json();
    watch.last_words(move |stop, out| {
        let message = format!("unknown: {stop}");
        complain(&message);
        if json {
            // A vector takes everything.
            let _ = writeln!(out, "{:#}", error_to_json(&message));
        }
        Status::Unknown
    });
    let problem = match load::problem(&arguments.model, &budget)? {
        Ok(problem) => problem,
        Err(unloaded) => {
            if let (true, Some(error)) = (json, &unloaded.unknown) {
                writeln!(out, "{:#}", error_to_json(&error.to_string()))?;
            }
            return Ok(unloaded.status);
        }
    };
    let found = orders(&problem, &budget);
    match arguments.format {
        Form::Text => write_text(&found, out)?,
        Form::Json => {
            let orders: Vec<Value> = found.iter().map(to_json).collect();
            let report = json!({
                "schema": "dalsegno.orders/1",
                "model": problem.model().name(),
                "orders": orders,
            });
            writeln!(out, "{report:#}")?;
        }
    }
    // What is missing after a limit is hit was never looked at.
    Ok(match budget.check() {
        Ok(()) => Status::Done,
        Err(_) => Status::Unknown,
    })
}

fn write_text(found: &[Candidate], out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "{:<30} {:>12} {:>8} {:>12} {:>14} {:>9}",
        "order", "soups", "bits", "spans", "tops", "wes"
    )?;
    for candidate in found {
        let metrics = &candidate.metrics;
        writeln!(
            out,
            "{:<30} {:>12} {:>8.2} {:>12} {:>14} {:>9.4}",
            candidate.recipe.to_string(),
            metrics.soups,
            metrics.bits,
            metrics.sum_of_spans,
            metrics.sum_of_tops,
            metrics.weighted_event_span
        )?;
    }
    Ok(())
}

fn to_json(candidate: &Candidate) -> Value {
    let metrics = &candidate.metrics;
    json!({
        "name": candidate.recipe.to_string(),
        "soups": metrics.soups,
        "bits": metrics.bits,
        "sum_of_spans": metrics.sum_of_spans,
        "sum_of_tops": metrics.sum_of_tops,
        "weighted_event_span": metrics.weighted_event_span,
        "semiflow_span": metrics.semiflow_span,
    })
}
