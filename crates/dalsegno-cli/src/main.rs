//! The dalsegno program: reads the command line, calls the library, prints.
//!
//! Data goes to standard output, everything else to standard error.

mod answers;
mod automata;
mod certificates;
mod check;
mod choice;
mod experiment;
mod fill;
mod filter;
mod formulas;
mod info;
mod limits;
mod load;
mod manual;
mod mcc;
mod memory;
mod nets;
mod orders;
mod progress;
mod quantity;
mod reference;
mod replay;
mod serve;
mod simulate;
mod states;
mod status;
mod translate;
mod verify;
mod watch;
mod without_effect;
mod workers;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use status::{BROKEN_PIPE, Status};
use watch::Watch;

/// Model checking of LTL, CTL and CTL*, and automata of LTL formulas.
#[derive(Parser)]
#[command(name = "dalsegno", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    /// Only results and errors: no warnings, no line of progress, and of `check` the verdicts alone
    #[arg(long, short, global = true)]
    quiet: bool,

    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 some property fails, 2 error (bad formula, file or option), \
3 unknown (a limit was hit, or the run was interrupted), 141 the reader of the output is gone.

SIGINT and SIGTERM end every command within half a second, with what is known so far; a second \
signal ends it at once.";

#[derive(Subcommand)]
enum Command {
    Check(check::Arguments),
    Info(info::Arguments),
    States(states::Arguments),
    Orders(orders::Arguments),
    Translate(translate::Arguments),
    Automata(automata::Arguments),
    Formulas(formulas::Arguments),
    Filter(filter::Arguments),
    Generate(nets::Generate),
    Replay(replay::Arguments),
    Verify(verify::Arguments),
    Serve(serve::Arguments),
    Simulate(simulate::Arguments),
    Convert(nets::Convert),
    Mcc(mcc::Arguments),
    Experiment(experiment::Arguments),
    Completions(manual::Completions),
    Manual(manual::Manual),
    /// One run of an experiment: a task from standard input
    #[command(name = experiment::RUN, hide = true)]
    ExperimentRun,
}

impl Command {
    /// Whether standard output is read by a program: errors are then told there, too.
    fn wants_json(&self) -> bool {
        match self {
            Command::Check(arguments) => arguments.wants_json(),
            Command::Info(arguments) => arguments.wants_json(),
            Command::States(arguments) => arguments.wants_json(),
            Command::Orders(arguments) => arguments.wants_json(),
            Command::Translate(arguments) => arguments.wants_json(),
            Command::Automata(arguments) => arguments.wants_json(),
            _ => false,
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.quiet {
        status::be_quiet();
    }
    let watch = match Watch::start() {
        Ok(watch) => watch,
        Err(error) => {
            status::complain(format_args!("error: {error:#}"));
            return ExitCode::from(2);
        }
    };
    let mut out = watch.output();
    let json = cli.command.wants_json();
    let done = match cli.command {
        Command::Check(arguments) => check::run(&arguments, &watch, &mut out),
        Command::Info(arguments) => info::run(&arguments, &watch, &mut out),
        Command::States(arguments) => states::run(&arguments, &watch, &mut out),
        Command::Orders(arguments) => orders::run(&arguments, &watch, &mut out),
        Command::Generate(arguments) => nets::generate(&arguments, &mut out),
        Command::Replay(arguments) => replay::run(&arguments, &watch, &mut out),
        Command::Verify(arguments) => verify::run(&arguments, &watch, &mut out),
        Command::Serve(arguments) => serve::run(&arguments, &watch, &mut out),
        Command::Simulate(arguments) => simulate::run(&arguments, &watch, &mut out),
        Command::Convert(arguments) => nets::convert(&arguments, &watch),
        Command::Translate(arguments) => translate::run(&arguments, &watch, &mut out),
        Command::Automata(arguments) => automata::run(&arguments, &watch, &mut out),
        Command::Formulas(arguments) => formulas::run(&arguments, &mut out),
        Command::Filter(arguments) => filter::run(&arguments, &watch, &mut out),
        Command::Mcc(arguments) => mcc::run(&arguments, &watch, &mut out),
        Command::Experiment(arguments) => experiment::run(&arguments, &watch, &mut out),
        Command::Completions(arguments) => {
            manual::completions(&arguments, Cli::command(), &mut out)
        }
        Command::Manual(arguments) => manual::manual(&arguments, Cli::command(), &mut out),
        Command::ExperimentRun => experiment::run_one(&mut out),
    };
    let done = done.and_then(|status| Ok(out.flush().map(|()| status)?));
    watch.end(match done {
        Ok(status) => status.code(),
        // Whoever reads has seen enough, as in `dalsegno … | head`.
        Err(error) if is_broken_pipe(&error) => BROKEN_PIPE,
        Err(error) => {
            status::complain(format_args!("error: {error:#}"));
            if json {
                let report = dalsegno::report::error_to_json(&format!("{error:#}"));
                let _ = writeln!(out, "{report:#}").and_then(|()| out.flush());
            }
            Status::Error.code()
        }
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
