//! `dalsegno mcc`: the protocol of the Model Checking Contest.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use dalsegno::{ContestError, Engine, Request, examine_pnml};

use crate::status::{Status, complain};

/// Answer the examination that the contest's variables name, in the current folder.
///
/// `BK_EXAMINATION` names it, `BK_TIME_CONFINEMENT` grants seconds and `BK_MEMORY_CONFINEMENT`
/// megabytes; `model.pnml` and `<examination>.xml` are read from the current folder.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The engine that answers `StateSpace`, LTL and CTL: states one by one (`explicit`), sets of
    /// states as decision diagrams (`symbolic`), or both (`auto`); other examinations use both
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: Engine,
}

const EXAMPLES: &str = "\
Example, in a folder with model.pnml and LTLFireability.xml:
  BK_EXAMINATION=LTLFireability BK_TIME_CONFINEMENT=60 dalsegno mcc";

/// The share of the memory granted that the tables may use.
const TABLES: u64 = 80;

pub(crate) fn run(arguments: &Arguments, out: &mut (impl Write + Send)) -> Result<Status> {
    let started = std::time::Instant::now();
    let examination = std::env::var("BK_EXAMINATION").context("BK_EXAMINATION is not set")?;
    let number = |name: &str, default: u64| -> Result<u64> {
        match std::env::var(name) {
            Err(_) => Ok(default),
            Ok(text) => text
                .trim()
                .parse()
                .with_context(|| format!("{name} is not a number: {text:?}")),
        }
    };
    let seconds = number("BK_TIME_CONFINEMENT", 3600)?;
    let megabytes = number("BK_MEMORY_CONFINEMENT", 16_000)?;
    let model = std::fs::read("model.pnml").context("cannot read model.pnml")?;
    // A little is left for the start and the end of the program.
    let time = Duration::from_secs(seconds).mul_f64(0.96);
    let bytes = megabytes.saturating_mul(10_000 * TABLES);
    let file = format!("{examination}.xml");
    let properties = if Path::new(&file).exists() {
        Some(std::fs::read(&file).with_context(|| format!("cannot read {file}"))?)
    } else {
        None
    };
    let request = Request {
        examination: &examination,
        properties: properties.as_deref(),
        time: time.saturating_sub(started.elapsed()),
        bytes,
        engine: arguments.engine,
    };
    let complete = match examine_pnml(&model, &request, |error| complain(error), out) {
        Err(ContestError::Model(error)) => {
            complain(format_args!("error: model.pnml: {error}"));
            return Ok(Status::Error);
        }
        Err(error @ ContestError::Unfold(_)) => return Err(error).context("model.pnml"),
        answered => answered?,
    };
    Ok(if complete {
        Status::Done
    } else {
        Status::Unknown
    })
}
