//! `dalsegno states`: the size of a state space.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use clap::Args;
use dalsegno::kripke::Stop;
use dalsegno::report::{unfinished_states, unloaded_states};
use dalsegno::symbolic::order::Recipe;
use dalsegno::{Answer, Asked, Engine, Event, LoadError, Run, Settings, Value};

use crate::choice::Form;
use crate::limits::Limits;
use crate::load;
use crate::progress::Progress;
use crate::status::{Status, complain, warn};
use crate::watch::{Output, Watch};
use crate::workers::Workers;

/// Count the reachable states of a model
///
/// Exit codes: 0 all states were seen or the net is proved unbounded, 2 error, 3 unknown (a limit
/// was hit).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE; `-` is standard input
    model: PathBuf,

    /// Which engine does the work: auto, explicit or symbolic
    #[arg(long, default_value = "auto")]
    engine: Engine,

    /// The order of the levels of decision diagrams, as `dalsegno orders` prints them [default: the one
    /// that wins a race]
    #[arg(long, value_name = "NAME")]
    order: Option<Recipe>,

    /// Print what the decision diagrams did
    #[arg(long)]
    stats: bool,

    /// Write a proof of the number of states to a file, for `dalsegno verify`
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    #[command(flatten)]
    workers: Workers,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

const EXAMPLES: &str = "\
Examples:
  dalsegno states net.pnml
  dalsegno states net.pnml --engine symbolic --order force --stats
  dalsegno states net.pnml --timeout 60 --memory 2G --format json";

impl Arguments {
    /// Whether the output is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Form::Json
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let budget = arguments.limits.budget(watch);
    if arguments.engine == Engine::Explicit {
        for (given, option) in [
            (arguments.order.is_some(), "--order"),
            (arguments.stats, "--stats"),
        ] {
            if given {
                warn(format_args!(
                    "{option} has no effect: the explicit engine has no diagrams"
                ));
            }
        }
    }
    let known = Arc::new(Known::default());
    let (last, form) = (Arc::clone(&known), arguments.format);
    let name = load::name(&arguments.model);
    watch.last_words(move |stop, out| {
        // A vector takes everything.
        let _ = last.write(&name, form, stop, out);
        Status::Unknown
    });
    let unloaded = |error: &LoadError, out: &mut Output| -> Result<()> {
        if arguments.format == Form::Json {
            let name = load::name(&arguments.model);
            writeln!(out, "{:#}", unloaded_states(&name, error))?;
        }
        Ok(())
    };
    let source = match load::source(&arguments.model, &budget)? {
        Ok(source) => source,
        Err(missing) => {
            if let Some(error) = &missing.unknown {
                unloaded(error, out)?;
            }
            return Ok(missing.status);
        }
    };
    let settings = Settings {
        engine: arguments.engine,
        order: arguments.order,
        proofs: arguments.certificate.is_some(),
        threads: arguments.workers.threads(),
        hosts: arguments.workers.hosts(arguments.engine, None)?,
        ..Settings::default()
    };
    let mut run = Run::new(&source, settings);
    let number = run.ask(Asked::survey());
    let mut too_large: Option<LoadError> = None;
    let mut progress = Progress::new(&budget);
    run.answer(&budget, &mut |event| match event {
        Event::Unfolding {
            places,
            transitions,
        } => progress.unfolding(*places, *transitions),
        Event::Progress {
            states,
            transitions,
        } => {
            known.states.store(*states, Ordering::Relaxed);
            known.transitions.store(*transitions, Ordering::Relaxed);
            progress.tell(*states, *transitions);
        }
        Event::Begins(tool, open) => progress.begin(*tool, open.len(), ""),
        Event::NotUnfolded(error) => {
            complain(format_args!(
                "unknown: {}: {error}",
                arguments.model.display()
            ));
            too_large = Some((*error).clone());
        }
        _ => {}
    })
    .with_context(|| arguments.model.display().to_string())?;
    drop(progress);
    if let Some(error) = &too_large {
        unloaded(error, out)?;
        return Ok(Status::Unknown);
    }
    let answer = run.answer_to(number);
    let status = Status::of(&answer.value);
    match (&answer.value, source.ready()) {
        (Value::Survey(seen), Some(problem)) => match arguments.format {
            Form::Text => seen.write_text(problem.model(), arguments.stats, out)?,
            Form::Json => writeln!(out, "{:#}", seen.to_json(problem.model()))?,
        },
        (Value::Error(error), _) => bail!("{}", error.render()),
        _ => {
            let stop = answer.stop().unwrap_or(Stop::Cancelled);
            let name = load::name(&arguments.model);
            let mut text = Vec::new();
            known.write(&name, arguments.format, stop, &mut text)?;
            out.write_all(&text)?;
        }
    }
    load::warn_of_broken_promise(&source);
    if let Some(path) = &arguments.certificate {
        save_proof(path, &answer)?;
    }
    watch.finish(out, status)
}

fn save_proof(path: &Path, answer: &Answer) -> Result<()> {
    match answer.proof.as_deref() {
        Some(Ok(proof)) => {
            std::fs::write(path, &proof.bytes)
                .with_context(|| format!("cannot write {}", path.display()))?;
            let (size, how) = (proof.bytes.len(), proof.how);
            complain(format_args!("proof: {size} bytes, checked ({how})"));
        }
        Some(Err(why)) => warn(format_args!("not certified: {why}")),
        None => warn(format_args!("not certified: there is no number to prove")),
    }
    Ok(())
}

/// What the exploration has seen, for the case that the process has to end.
#[derive(Default)]
struct Known {
    states: AtomicU64,
    transitions: AtomicU64,
}

impl Known {
    fn write(&self, model: &str, form: Form, stop: Stop, out: &mut Vec<u8>) -> io::Result<()> {
        let states = self.states.load(Ordering::Relaxed);
        let transitions = self.transitions.load(Ordering::Relaxed);
        match form {
            Form::Text => {
                writeln!(out, "unknown: {stop}; seen so far:")?;
                writeln!(out, "{:<23} {states}", "states:")?;
                writeln!(out, "{:<23} {transitions}", "transitions:")
            }
            Form::Json => {
                let report = unfinished_states(model, stop, states, transitions);
                writeln!(out, "{report:#}")
            }
        }
    }
}
