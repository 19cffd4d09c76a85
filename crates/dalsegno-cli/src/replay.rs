//! `dalsegno replay`: an independent check of a saved witness.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::certify;
use dalsegno::kripke::{DeadEnds, Fairness};
use dalsegno::logic::FormulaStore;
use dalsegno::report::{Witness, witness_from_json};
use dalsegno::{Error, Fair, Problem};

use crate::load;
use crate::memory;
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

/// Replay a saved witness step by step and evaluate its property on it
///
/// Exit codes: 0 the run exists and violates the property, 1 it does not, 2 error.
#[derive(Args)]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE; `-` is standard input
    model: PathBuf,

    /// A file that `dalsegno check --witness` wrote
    witness: PathBuf,
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
    let value: serde_json::Value =
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))?;
    let witness =
        witness_from_json(problem.model(), &value).with_context(|| path.display().to_string())?;
    let Some(formula) = value["formula"].as_str() else {
        bail!("{}: there is no `formula`", path.display());
    };
    let dead_ends: DeadEnds = value["dead_ends"].as_str().unwrap_or("stutter").parse()?;
    let mut store = FormulaStore::new();
    let meant = problem
        .parse(&mut store, formula)
        .and_then(|f| Ok((f, problem.meanings(&store, f)?, fairness(&problem, &value)?)));
    let (f, meanings, fairness) = match meant {
        Ok(meant) => meant,
        Err(error) => {
            complain(error.render());
            if error.unknown_name().is_some() {
                complain(load::names_hint(&arguments.model.display().to_string()));
            }
            return Ok(Status::Error);
        }
    };
    let model = problem.model();
    let (judged, length) = match &witness {
        Witness::Run(run) => (
            certify::refute(model, run, dead_ends, &store, f, meanings.as_atoms())
                .and_then(|()| certify::replay::is_fair(model, run, &fairness)),
            format!(
                "the run exists{} and violates {formula}: a stem of {} and a cycle of {} steps",
                if fairness.is_none() { "" } else { ", is fair" },
                run.stem.len(),
                run.cycle.len()
            ),
        ),
        Witness::Beginning(path) if dead_ends == DeadEnds::Stutter => (
            certify::refute_prefix(model, path, &store, f, meanings.as_atoms()),
            format!(
                "the path exists, and every run that begins with its {} steps violates {formula}",
                path.len().saturating_sub(1)
            ),
        ),
        Witness::Beginning(_) => bail!(
            "{}: a beginning shows nothing where dead ends end paths that do not count",
            path.display()
        ),
    };
    match judged {
        Ok(()) => {
            writeln!(out, "{length}")?;
            Ok(Status::Done)
        }
        Err(error) => {
            writeln!(out, "not a counterexample: {error}")?;
            Ok(Status::Fails)
        }
    }
}

/// Which runs count.
fn fairness(problem: &Problem, witness: &serde_json::Value) -> Result<Fairness, Error> {
    let listed = witness["fairness"].as_array();
    let texts = listed
        .into_iter()
        .flatten()
        .filter_map(|fair| fair.as_str());
    let wishes: Result<Vec<Fair>, _> = texts.map(str::parse).collect();
    match wishes {
        Ok(wishes) => problem.fairness(&wishes),
        Err(unknown) => Err(Error::FairPattern(unknown.to_string())),
    }
}
