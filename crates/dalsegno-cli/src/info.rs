//! `dalsegno info`: what there is to know of a model before it is asked anything.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use dalsegno::info::{Info, Options, Pattern};
use dalsegno::report::error_to_json;

use crate::choice::Form;
use crate::limits::Limits;
use crate::load;
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

const EXAMPLES: &str = "\
Examples:
  dalsegno info net.pnml
  dalsegno info net.pnml Fork
  dalsegno info net.pnml 'Eat_?' --all
  dalsegno info program.dve --format json

Lists show ten entries, or a hundred that match a pattern. What is not cheap (invariants, siphons and \
traps, unboundedness, the unfolding of a coloured net) has a second; with --timeout it has half of \
that time. What is not found by then is named.";

/// Tell the size, the names, the initial state and the structure of a model
///
/// Exit codes: 0 done, 2 error, 3 a limit was hit while the model was read.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE; `-` is standard input
    model: PathBuf,

    /// Only names that contain this text, or that match it if it has `*` (any characters) or `?` (one); upper
    /// and lower case are alike
    pattern: Option<String>,

    /// Show whole lists
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
}

/// The entries of a list that are shown where a pattern asks for them.
const MATCHING: usize = 100;

impl Arguments {
    /// Whether the output is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Form::Json
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let budget = arguments.limits.budget(watch);
    let json = arguments.wants_json();
    let path = &arguments.model;
    let unknown = move |message: &str, out: &mut dyn Write| {
        complain(message);
        if json {
            // Standard output may be gone, and then nobody reads it.
            let _ = writeln!(out, "{:#}", error_to_json(message));
        }
        Status::Unknown
    };
    watch.last_words(move |stop, out| unknown(&format!("unknown: {stop}"), out));
    let mut options = Options::default();
    if let Some(pattern) = &arguments.pattern {
        options.pattern = Some(Pattern::new(pattern));
        options.most = Some(MATCHING);
    }
    if arguments.all {
        options.most = None;
    }
    if let Some(time) = budget.time_left() {
        options.time = time / 2;
    }
    let bytes = match load::read(path, &budget)? {
        Ok(bytes) => bytes,
        Err(stop) => {
            let message = format!("unknown: {}: {stop}", path.display());
            return Ok(unknown(&message, out));
        }
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let info = match Info::of_bytes(&bytes, &name, &options, &budget) {
        Ok(info) => info,
        Err(error) if error.stop().is_some() => {
            let message = format!("unknown: {}: {error}", path.display());
            return Ok(unknown(&message, out));
        }
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    };
    match arguments.format {
        Form::Text => info.write_text(out)?,
        Form::Json => writeln!(out, "{:#}", serde_json::to_value(&info)?)?,
    }
    watch.finish(out, Status::Done)
}
