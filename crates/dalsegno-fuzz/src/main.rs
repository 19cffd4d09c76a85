//! The program: one campaign per call.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Parser, ValueEnum};
use dalsegno_fuzz::campaign::{Campaign, Fault, Target, feed, run};
use dalsegno_fuzz::explore::DamagedModels;
use dalsegno_fuzz::format::{Format, Input};
use dalsegno_fuzz::pairs::Pairs;
use dalsegno_fuzz::readers::DamagedTexts;
use dalsegno_fuzz::roundtrip::Rewritten;

const EXAMPLES: &str = "\
Examples:
  dalsegno-fuzz readers --count 1000000
  dalsegno-fuzz readers --only hoa --seed 7 --save faults
  dalsegno-fuzz pairs --seed 2 --count 20000
  dalsegno-fuzz pairs --from 4711 --count 1 --show
  dalsegno-fuzz roundtrip --input faults/roundtrip-1-12.pnml

An input is a function of target, seed and number. Where the process dies, as by a stack overflow, the same
command with --trace tells the number of the input. Exit codes: 0 no fault, 1 faults, 2 error.";

/// Feed damaged texts to the readers of dalsegno, and random nets with formulas to its engines
#[derive(Parser)]
#[command(name = "dalsegno-fuzz", version, after_help = EXAMPLES)]
struct Arguments {
    /// What is fed
    target: Which,

    /// What the inputs start from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// How many inputs
    #[arg(long, default_value_t = 10_000)]
    count: u64,

    /// The number of the first input
    #[arg(long, default_value_t = 0)]
    from: u64,

    /// Only inputs of this format: pnml, xml, dve, etf, formula, lbt, proposition, hoa, json (`readers` only)
    #[arg(long, value_name = "FORMAT")]
    only: Option<String>,

    /// The seconds after which an input hangs
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    patience: u64,

    /// A folder for the inputs that fail
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,

    /// Feed this file, in the format that its ending tells, and nothing else
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,

    /// Print the inputs
    #[arg(long)]
    show: bool,

    /// Tell the number of each input before it is fed
    #[arg(long)]
    trace: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Which {
    /// Damaged texts are read or refused
    Readers,
    /// What is read is written and read again
    Roundtrip,
    /// Damaged models have the same states and verdicts for all engines
    Explore,
    /// Random nets and formulas have the verdict of the definition
    Pairs,
}

fn main() -> ExitCode {
    match campaign(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs a campaign; whether there was no fault.
fn campaign(arguments: &Arguments) -> Result<bool> {
    let target = target(arguments)?;
    if let Some(path) = &arguments.input {
        return feed_file(&*target, path);
    }
    let campaign = Campaign {
        seed: arguments.seed,
        from: arguments.from,
        count: arguments.count,
        patience: Duration::from_secs(arguments.patience),
        trace: arguments.trace,
    };
    let mut out = io::stdout().lock();
    if arguments.show {
        for number in campaign.from..campaign.from.saturating_add(campaign.count) {
            let input = campaign.input(&*target, number);
            writeln!(out, "{} {number}, {}:", target.name(), input.format)?;
            out.write_all(&input.bytes)?;
            writeln!(out)?;
        }
    }
    let shown = io::stderr().is_terminal();
    let report = run(&target, &campaign, |fed| {
        if shown {
            let _ = write!(io::stderr().lock(), "\r{fed} inputs\x1b[K");
        }
    });
    if shown {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
    for fault in &report.faults {
        writeln!(out, "{} --seed {}: {fault}", target.name(), campaign.seed)?;
        if let Some(folder) = &arguments.save {
            let path = save(folder, &*target, campaign.seed, fault)?;
            writeln!(out, "saved: {}", path.display())?;
        }
    }
    writeln!(
        io::stderr(),
        "slowest: input {}, {:.3} s",
        report.slowest.1,
        report.slowest.0.as_secs_f64()
    )?;
    writeln!(out, "{report}")?;
    Ok(report.faults.is_empty())
}

fn target(arguments: &Arguments) -> Result<Arc<dyn Target>> {
    let only = match &arguments.only {
        None => Vec::new(),
        Some(_) if !matches!(arguments.target, Which::Readers) => bail!("--only is for readers"),
        Some(name) => {
            let format = Format::of_ending(name);
            let Some(format) = format.filter(|f| Format::READERS.contains(f)) else {
                bail!("there is no reader of {name}");
            };
            vec![format]
        }
    };
    Ok(match arguments.target {
        Which::Readers => Arc::new(DamagedTexts::of(only)),
        Which::Roundtrip => Arc::new(Rewritten::default()),
        Which::Explore => Arc::new(DamagedModels::default()),
        Which::Pairs => Arc::new(Pairs),
    })
}

/// Feeds a file; whether there was no fault.
fn feed_file(target: &dyn Target, path: &Path) -> Result<bool> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let format = Format::of_ending(&ending)
        .with_context(|| format!("{}: the ending tells no format", path.display()))?;
    match feed(target, &Input { format, bytes }) {
        Ok(accepted) => {
            println!("{}", if accepted { "accepted" } else { "refused" });
            Ok(true)
        }
        Err(failure) => {
            println!("fault: {:?}: {}", failure.kind, failure.message);
            Ok(false)
        }
    }
}

fn save(folder: &Path, target: &dyn Target, seed: u64, fault: &Fault) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let number = fault.number;
    let name = format!("{}-{seed}-{number}.{}", target.name(), fault.input.format);
    let path = folder.join(name);
    fs::write(&path, &fault.input.bytes).with_context(|| path.display().to_string())?;
    Ok(path)
}
