//! `dalsegno experiment`: the papers' experiments, and the process of one run.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use dalsegno_bench::child::{self, Children};
use dalsegno_bench::experiment::Class;
use dalsegno_bench::ledger::{Ledger, Row};
use dalsegno_bench::report::report;
use dalsegno_bench::runner::{self, Progress, Settings};
use dalsegno_bench::{Error, Experiment, Subject, catalogue};

use crate::quantity::{duration, size};
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

/// The hidden subcommand of a single run.
pub(crate) const RUN: &str = "experiment-run";

const EXAMPLES: &str = "\
Examples:
  dalsegno experiment p12 --quick
  dalsegno experiment p11 --models kanban:4,fms:3 --formulas 20 --output p11
  dalsegno experiment p14 --models beem/ --formula-files formulas/ --formulas 20
  dalsegno experiment states --models nets/ --timeout 60 --memory 2G

The output folder gets runs.csv (a row per run), tables.txt, plots in SVG and index.html. The same command \
again does the runs that are missing. Approaches that disagree end the experiment with files and a script \
that show it again.";

/// Repeat an experiment of the papers: tables, plots and a page
///
/// Names: p11 (BA, TGBA, TA), p12 (TGBA, TA, TGTA), p14 (TGBA and TGTA on decision
/// diagrams, with and without saturation; BA with it), p15 (BA, TGBA, TGTA on all of LTL), por (TGBA and TGTA, each
/// without and with stubborn sets), ctlstar
/// (LTL, CTL and CTL* formulas by the engines for branching time), states
/// (explicit and symbolic state spaces), automata (sizes of the four kinds).
///
/// Exit codes: 0 done, 1 two approaches disagree, 2 error, 3 interrupted.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The experiment
    name: String,

    /// Run nothing: make the tables, plots and page of the runs that are in the output folder
    #[arg(long)]
    report: bool,

    /// Small models and few formulas: minutes instead of hours
    #[arg(long)]
    quick: bool,

    /// The models: families with a parameter, files, or folders of PNML, ETF and DVE files, with commas
    /// between them [default: those of the paper]
    #[arg(long, value_name = "LIST")]
    models: Option<String>,

    /// The classes of formulas, with commas between them, such as "random,case study" [default: all]
    #[arg(long, value_name = "LIST")]
    classes: Option<String>,

    /// A folder with formulas that come with models: kanban-4.ltl for kanban:4, at.5.ltl and at.5.ltlx for
    /// at.5.dve.etf, a formula per line; such files next to a model are read anyway
    #[arg(long, value_name = "DIR")]
    formula_files: Option<PathBuf>,

    /// Formulas per model, class and verdict [default: as many as the paper's]
    #[arg(long, value_name = "N")]
    formulas: Option<usize>,

    /// Formulas drawn at most per model and class [default: 500 times as many as wanted]
    #[arg(long, value_name = "N")]
    tries: Option<usize>,

    /// Which formulas count: those with more states or seconds than this [default: the paper's]
    #[arg(long, value_name = "NUMBER")]
    threshold: Option<f64>,

    /// What the random formulas start from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The limit of processor time of a run
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// The memory limit of a run, such as 500MB, 4G or 4GiB
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "4G")]
    memory: u64,

    /// The time for all runs together, shared by models and classes of formulas equally [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,

    /// Runs at the same time; more than one disturb each other's times
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// The folder for the results [default: experiment-NAME]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let settings = settings(arguments)?;
    if arguments.report {
        let path = settings.output.join("runs.csv");
        ensure!(path.is_file(), "there is no {}", path.display());
        let ledger = Ledger::open(&path, settings.experiment.name)?;
        return write_report(&settings, ledger.rows(), out);
    }
    let executor = Children {
        program: std::env::current_exe().context("this program cannot find itself")?,
        arguments: vec![RUN.to_owned()],
    };
    let cancelled = watch.cancel_flag();
    let shown = io::stderr().is_terminal();
    let progress = |seen: &Progress<'_>| {
        if shown {
            let _ = write!(
                io::stderr().lock(),
                "\r{}/{} {} {}: {} drawn, {} verified, {} violated\x1b[K",
                seen.cells_done,
                seen.cells,
                seen.model,
                seen.class,
                seen.drawn,
                seen.verified,
                seen.violated
            );
        }
    };
    let done = runner::run(&settings, &executor, &cancelled, &progress);
    if shown {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
    let rows = match done {
        Ok(rows) => rows,
        Err(error @ Error::Disagreement { .. }) => {
            complain(format_args!("error: {error}"));
            return Ok(Status::Fails);
        }
        Err(error @ Error::Interrupted) => {
            complain(&error);
            return Ok(Status::Unknown);
        }
        Err(error) => return Err(error.into()),
    };
    write_report(&settings, &rows, out)
}

fn write_report(settings: &Settings, rows: &[Row], out: &mut impl Write) -> Result<Status> {
    let report = report(settings, rows);
    let page = report.write(&settings.output)?;
    out.write_all(report.text.as_bytes())?;
    writeln!(out, "page: {}", page.display())?;
    Ok(Status::Done)
}

fn settings(arguments: &Arguments) -> Result<Settings> {
    let experiment = find(&arguments.name)?;
    let quick = |both: (u64, u64)| if arguments.quick { both.1 } else { both.0 };
    let subjects = match &arguments.models {
        Some(_) if experiment.models.is_empty() => {
            bail!("{} has no models", experiment.name);
        }
        Some(list) => Subject::parse_list(list)?,
        None if experiment.models.is_empty() => vec![Subject::nothing()],
        None if arguments.quick => Subject::parse_list(&experiment.quick_models.join(","))?,
        None => Subject::parse_list(&experiment.models.join(","))?,
    };
    ensure!(arguments.jobs >= 1, "--jobs must be at least 1");
    if let Some(folder) = &arguments.formula_files {
        ensure!(folder.is_dir(), "{} is no folder", folder.display());
    }
    let wanted = experiment.formulas;
    let formulas = arguments
        .formulas
        .unwrap_or(if arguments.quick { wanted.1 } else { wanted.0 });
    let less = experiment.quick_threshold.filter(|_| arguments.quick);
    let timeout = Duration::from_secs(quick(experiment.timeout));
    let timeout = arguments.timeout.unwrap_or(timeout);
    Ok(Settings {
        experiment,
        classes: classes(experiment, arguments.classes.as_deref())?,
        subjects,
        rule: match arguments.threshold.or(less) {
            Some(threshold) => experiment.rule.with_threshold(threshold),
            None => experiment.rule,
        },
        formulas,
        tries: arguments.tries.unwrap_or(500 * formulas),
        seed: arguments.seed,
        timeout: timeout.as_secs_f64(),
        memory: arguments.memory,
        budget: arguments.budget.map(|time| time.as_secs_f64()),
        jobs: arguments.jobs,
        formula_files: arguments.formula_files.clone(),
        only_report: arguments.report,
        output: match &arguments.output {
            Some(folder) => folder.clone(),
            None => PathBuf::from(format!("experiment-{}", experiment.name)),
        },
    })
}

fn classes(experiment: &'static Experiment, list: Option<&str>) -> Result<Vec<&'static Class>> {
    let Some(list) = list else {
        return Ok(experiment.classes.iter().collect());
    };
    let find = |name: &str| {
        let found = experiment.classes.iter().find(|class| class.name == name);
        let names: Vec<&str> = experiment.classes.iter().map(|class| class.name).collect();
        found.with_context(|| format!("there is no class {name}: there are {}", names.join(", ")))
    };
    list.split(',').map(|name| find(name.trim())).collect()
}

fn find(name: &str) -> Result<&'static Experiment> {
    if let Some(experiment) = catalogue::find(name) {
        return Ok(experiment);
    }
    let names: Vec<&str> = catalogue::ALL.iter().map(|e| e.name).collect();
    bail!(
        "there is no experiment {name}: there are {}",
        names.join(", ")
    )
}

/// The child's side of a run: a task comes in, a measurement goes out.
pub(crate) fn run_one(out: &mut impl Write) -> Result<Status> {
    child::serve(out)?;
    Ok(Status::Done)
}
