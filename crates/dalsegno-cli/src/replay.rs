//! `dalsegno replay`: an independent check of saved witnesses, shown step by step.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use dalsegno::picture;
use dalsegno::report::{Style, answer_to_json, check_to_json, write_steps, write_text};
use dalsegno::{Answered, ReplayError, Replayed, Saved};

use crate::load;
use crate::memory;
use crate::status::{Status, complain, is_quiet};
use crate::watch::{Output, Watch};

const AFTER_HELP: &str = "\
Examples:
  dalsegno check phils.pnml --ltl 'G F Eat_1' --witness shown.json
  dalsegno replay phils.pnml shown.json
  dalsegno replay phils.pnml shown.json --format csv > steps.csv
  dalsegno replay phils.pnml shown.json --format svg > run.svg

Nothing is searched: each step is taken in the model, and each property is evaluated by the definition of its operators.

Exit codes: 0 every witness shows what it should, 1 one does not, 2 error.";

/// Replay saved witnesses step by step and evaluate their properties on them
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE; `-` is standard input
    model: PathBuf,

    /// A file that `dalsegno check --witness` wrote
    witness: PathBuf,

    /// The form of the output: steps for a reader, the results as `check` prints them, a row per step, or the first
    /// run or path on its net as a strip of pictures
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

    /// Show all steps and values of runs, however many there are
    #[arg(long)]
    full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
    Csv,
    Svg,
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let budget = watch.budget(None, memory::default_limit());
    let problem = match load::problem(&arguments.model, &budget)? {
        Ok(problem) => problem,
        Err(unloaded) => return Ok(unloaded.status),
    };
    let path = &arguments.witness;
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let value: serde_json::Value = serde_json::from_str(&text).with_context(|| {
        format!(
            "{} is not JSON: expected a file that `dalsegno check --witness` writes",
            path.display()
        )
    })?;
    let witnesses = Saved::read(&value).with_context(|| path.display().to_string())?;
    let model = problem.model();
    let mut status = Status::Done;
    let mut replayed: Vec<Replayed> = Vec::new();
    for saved in &witnesses {
        match saved.replay(&problem, &budget) {
            Ok(shown) => replayed.push(shown),
            Err(ReplayError::Refuted(why)) => {
                complain(format_args!("refuted: {}: {why}", saved.title()));
                status = status.max(Status::Fails);
            }
            Err(ReplayError::Question(error)) => {
                complain(format_args!("error: {}: {}", saved.title(), error.render()));
                if error.unknown_name().is_some() {
                    complain(load::names_hint(&arguments.model.display().to_string()));
                }
                status = Status::Error;
            }
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        }
    }
    let answered = replayed.iter().enumerate();
    let answered: Vec<Answered<'_>> = answered.map(|(n, r)| r.answered(n, model)).collect();
    match arguments.format {
        Form::Text => write_shown(&answered, arguments.full, out)?,
        Form::Json => {
            let results: Vec<serde_json::Value> = answered.iter().map(answer_to_json).collect();
            let results: Vec<&serde_json::Value> = results.iter().collect();
            writeln!(out, "{:#}", check_to_json(model.name(), &results))?;
        }
        Form::Csv => write_steps(&answered, out)?,
        Form::Svg => {
            let net = problem
                .net()
                .ok_or_else(|| anyhow!("only Petri nets can be drawn"))?;
            let mut evidence = answered.iter().filter_map(|a| a.answer.evidence.as_ref());
            let evidence = evidence
                .next()
                .ok_or_else(|| anyhow!("nothing to be drawn was replayed"))?;
            out.write_all(picture::film(net, evidence)?.svg.as_bytes())?;
        }
    }
    Ok(status)
}

fn write_shown(answered: &[Answered<'_>], full: bool, out: &mut Output) -> Result<()> {
    let style = Style {
        full,
        ..Style::default()
    };
    if !is_quiet() {
        for answered in answered {
            write_text(answered, false, style, out)?;
        }
    }
    let count = answered.len();
    let witnesses = if count == 1 { "witness" } else { "witnesses" };
    writeln!(
        out,
        "replayed: {count} {witnesses}; each step is one of the model, and each property has the verdict that was saved"
    )?;
    Ok(())
}
