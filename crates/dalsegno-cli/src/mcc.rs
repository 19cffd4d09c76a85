//! `dalsegno mcc`: the protocol of the Model Checking Contest.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use dalsegno::{ContestError, Engine, Request, examine_pnml};

use crate::load;
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

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

/// The share of the memory granted that is used, in percent: going beyond it ends the process.
const MEMORY_SHARE: u64 = 90;

/// The share of the time granted that is used, in percent: a little is left for the end of the program.
const TIME_SHARE: u32 = 96;

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
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
    let time = Duration::from_secs(seconds) * TIME_SHARE / 100;
    let bytes = megabytes.saturating_mul(10_000 * MEMORY_SHARE);
    let budget = watch.budget(Some(time), bytes);
    watch.last_words(|_, out| {
        out.extend(b"CANNOT_COMPUTE\n");
        Status::Unknown
    });
    let file = format!("{examination}.xml");
    let read = |name: &str| load::read(Path::new(name), &budget);
    let unread = |name: &str, stop| {
        complain(format_args!("unknown: {name}: {stop}"));
        Ok(Status::Unknown)
    };
    let model = match read("model.pnml")? {
        Ok(model) => model,
        Err(stop) => return unread("model.pnml", stop),
    };
    let properties = match Path::new(&file).exists().then(|| read(&file)).transpose()? {
        None => None,
        Some(Ok(properties)) => Some(properties),
        Some(Err(stop)) => return unread(&file, stop),
    };
    let request = Request {
        properties: properties.as_deref(),
        engine: arguments.engine,
        on_defect: &|defect| complain(format_args!("error: {defect}")),
        ..Request::new(&examination, &budget)
    };
    let complete = match examine_pnml(&model, &request, |error| complain(error), out) {
        Err(ContestError::Model(error)) => {
            complain(format_args!("error: model.pnml: {error}"));
            return Ok(Status::Error);
        }
        Err(error @ ContestError::Unfold(_)) => return Err(error).context("model.pnml"),
        answered => answered?,
    };
    let status = if complete {
        Status::Done
    } else {
        Status::Unknown
    };
    watch.finish(out, status)
}
