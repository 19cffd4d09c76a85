//! `dalsegno mcc`: the protocol of the Model Checking Contest.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use clap::Args;

use dalsegno::plan::CONTEST_GRANT;
use dalsegno::report::{CANNOT_COMPUTE, write_contest};
use dalsegno::{
    Asked, Engine, Event, Examination, PropertyFile, Reductions, Run, Settings, Source, Value,
};

use crate::choice::choice;
use crate::load;
use crate::progress::Trace;
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

/// Answer the examination that the contest's variables name, in the current folder.
///
/// `BK_EXAMINATION` names it, `BK_TIME_CONFINEMENT` grants seconds and `BK_MEMORY_CONFINEMENT`
/// megabytes; `model.pnml` and `<examination>.xml` are read from the current folder.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The engine: states one by one (`explicit`), sets of states as decision diagrams (`symbolic`), or both
    /// (`auto`); proofs by structure and state equation belong to all of them
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    engine: Engine,

    /// Whether nets are reduced by their structure for the questions: `on`, `off`, or before anything else (`first`)
    #[arg(long, value_name = "WHETHER", value_parser = choice::<Reductions>(Reductions::NAMES), default_value = "on")]
    reductions: Reductions,

    /// Tell on standard error which method works, and when
    #[arg(long, short)]
    verbose: bool,
}

/// The file that has the model.
const MODEL: &str = "model.pnml";

const EXAMPLES: &str = "\
Example, in a folder with model.pnml and LTLFireability.xml:
  BK_EXAMINATION=LTLFireability BK_TIME_CONFINEMENT=60 dalsegno mcc";

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let examination = std::env::var("BK_EXAMINATION")
        .ok()
        .context("BK_EXAMINATION is not set: it names an examination, such as LTLFireability")?;
    let examination: Examination = examination.parse()?;
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
    let time = Duration::from_secs(seconds) * CONTEST_GRANT.0 / 100;
    let bytes = megabytes.saturating_mul(10_000 * CONTEST_GRANT.1);
    let budget = watch.budget(Some(time), bytes);
    watch.last_words(|_, out| {
        out.extend(CANNOT_COMPUTE.as_bytes());
        out.push(b'\n');
        Status::Unknown
    });
    let unread = |name: &str, stop| {
        complain(format_args!("unknown: {name}: {stop}"));
        Ok(Status::Unknown)
    };
    let file = format!("{examination}.xml");
    let asked = match examination {
        Examination::StateSpace => vec![Asked::survey()],
        Examination::Global(global) => vec![Asked::global(global)],
        _ => match load::read(Path::new(&file), &budget)? {
            Ok(bytes) => Asked::file(PropertyFile {
                name: file,
                bytes,
                examination: Some(examination),
            })
            .map_err(|error| anyhow!(error.render()))?,
            Err(stop) => return unread(&file, stop),
        },
    };
    let bytes = match load::read(Path::new(MODEL), &budget)? {
        Ok(bytes) => bytes,
        Err(stop) => return unread(MODEL, stop),
    };
    let source = match Source::from_bytes(&bytes, MODEL, &budget) {
        Ok(source) => source,
        Err(error) if error.stop().is_some() => {
            writeln!(out, "{CANNOT_COMPUTE}")?;
            return watch.finish(out, Status::Unknown);
        }
        Err(error) => return Err(error).context(MODEL),
    };
    drop(bytes);
    let settings = Settings {
        engine: arguments.engine,
        reductions: arguments.reductions,
        ..Settings::contest()
    };
    let mut run = Run::new(&source, settings);
    for asked in asked {
        run.ask(asked);
    }
    let trace = Trace::new();
    let mut complete = true;
    let mut written = Ok(());
    let answered = run.answer(&budget, &mut |event| match event {
        Event::Answer(answered) => {
            if let Value::Error(error) = &answered.answer.value {
                complain(format_args!("error: {}: {error}", answered.name));
            }
            let lines = write_contest(answered, out).and_then(|all| out.flush().map(|()| all));
            match lines {
                Ok(all) => complete &= all,
                Err(error) => written = Err(error),
            }
        }
        Event::NotUnfolded(error) => complain(error),
        Event::Defect { name, by, error } => {
            complain(format_args!("error: {name}: {by}: {error}"));
        }
        Event::Begins(..) | Event::Ends(..) if arguments.verbose => trace.tell(event),
        _ => {}
    });
    written?;
    answered.context(MODEL)?;
    if !complete {
        writeln!(out, "{CANNOT_COMPUTE}")?;
    }
    let status = if complete {
        Status::Done
    } else {
        Status::Unknown
    };
    watch.finish(out, status)
}
