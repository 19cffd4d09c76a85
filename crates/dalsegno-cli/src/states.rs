//! `dalsegno states`: the size of a state space.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueEnum};
use dalsegno::explicit::explore::{Outcome, explore};
use dalsegno::report::{states_to_json, write_states};

use crate::limits::{Limits, Progress};
use crate::load;
use crate::status::Status;

/// Count the reachable states of a model
///
/// Exit codes: 0 all states were seen or the net is proved unbounded, 2 error, 3 unknown (a limit
/// was hit).
#[derive(Args)]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE
    model: PathBuf,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Status> {
    let session = load::model(&arguments.model)?;
    let budget = arguments.limits.budget()?;
    let start = Instant::now();
    let seen = {
        let mut progress = Progress::new();
        explore(session.model(), &budget, |states, transitions| {
            progress.tell(states, transitions);
        })
    };
    let seconds = start.elapsed().as_secs_f64();
    match arguments.format {
        Form::Text => write_states(session.model(), &seen, seconds, out)?,
        Form::Json => writeln!(out, "{:#}", states_to_json(session.model(), &seen, seconds))?,
    }
    Ok(match seen.outcome {
        Outcome::Complete | Outcome::Unbounded(_) => Status::Done,
        Outcome::Unknown(..) | Outcome::Fault(_) => Status::Unknown,
    })
}
