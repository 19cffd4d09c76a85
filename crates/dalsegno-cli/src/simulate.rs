//! `dalsegno simulate`: a walk through a model, command by command.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use dalsegno::{SIMULATION_HELP, Simulation};

use crate::load;
use crate::memory;
use crate::quantity::size;
use crate::status::Status;
use crate::watch::{Output, Watch};

const EXAMPLES: &str = "\
Examples:
  dalsegno simulate phils.pnml
  dalsegno simulate phils.pnml --watch Eat_1 --watch deadlock
  printf '%s\\n' 'watch Eat_1' 'random 20' path | dalsegno simulate phils.pnml
  dalsegno check phils.pnml --ltl 'G F Eat_1' --witness run.json
  printf '%s\\n' 'load run.json' 'next 3' state | dalsegno simulate phils.pnml";

/// Walk through a model step by step, by commands from standard input
///
/// Each command is a line; `help` lists them. There is a prompt if standard input is a terminal. A command that cannot be
/// taken is answered with `refused:` and why, and changes nothing.
///
/// Exit codes: 0 done, 2 error or, if commands do not come from a terminal, some command was refused, 3 a limit was hit
/// while the model was read.
#[derive(Args)]
#[command(after_help = format!("Commands:\n{SIMULATION_HELP}\n\n{EXAMPLES}"))]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE
    model: PathBuf,

    /// A proposition to watch from the beginning; may be repeated
    #[arg(long, value_name = "PROPOSITION")]
    watch: Vec<String>,

    /// The seed of random steps: the same steps for the same seed
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,

    /// Give up when the process needs more memory, such as 500MB, 4G or 4GiBiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let bytes = arguments.memory.unwrap_or_else(memory::default_limit);
    let budget = watch.budget(None, bytes);
    let problem = match load::problem(&arguments.model, &budget)? {
        Ok(problem) => problem,
        Err(unloaded) => return Ok(unloaded.status),
    };
    let mut walk = Simulation::new(&problem, arguments.seed);
    for text in &arguments.watch {
        if let Err(refusal) = walk.watch(text) {
            bail!("--watch {text}: {refusal}");
        }
    }
    // Ctrl-C ends a walk as the end of the input does.
    watch.last_words(|_, _| Status::Done);
    let terminal = io::stdin().is_terminal();
    if terminal {
        writeln!(out, "{}: `help` tells the commands", problem.model().name())?;
    }
    walk.show(out)?;
    let mut status = Status::Done;
    let mut line = String::new();
    loop {
        if terminal {
            write!(out, "> ")?;
        }
        out.flush()?;
        line.clear();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            break;
        }
        let mut said = Vec::new();
        let go_on = walk.obey(&line, &mut said)?;
        if said.starts_with(b"refused: ") && !terminal {
            status = Status::Error;
        }
        out.write_all(&said)?;
        if !go_on {
            break;
        }
    }
    if terminal {
        writeln!(out)?;
    }
    out.flush()?;
    watch.finish(out, status)
}
