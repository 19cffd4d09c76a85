//! `dalsegno translate`: formulas to automata, and automata from one format to another.

use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use dalsegno::kind::Kind;
use dalsegno::kripke::Stop;
use dalsegno::logic::{FormulaStore, caret, parse, parse_lbt};
use dalsegno::report::error_to_json;
use dalsegno::{Format, Options, Propositions, STATS_HEADER, read_hoa, translate};

use crate::choice::explained_choice;
use crate::memory;
use crate::quantity::{duration, size};
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

const AFTER_HELP: &str = "\
Examples:
  dalsegno translate 'G(req -> F ack)'                        a TGBA, in HOA
  dalsegno translate 'a U G b' --to tgta --format dot         for Graphviz
  dalsegno translate - --to ba --format stats < formulas.txt  CSV, a row each
  dalsegno translate --from hoa automaton.hoa --format json   of other tools

Formulas: G F X U R W M ! & | -> <-> xor, true, false; atoms are identifiers or \
\"any text in double quotes\". The syntax in full: docs/formulas.md; the automata and \
what `stats` counts: docs/automata.md.

Exit codes: 0 done, 2 error in some formula or file (the others are still printed), \
3 some formula ran out of time.";

const KINDS: &[(&str, &str)] = &[
    ("tgba", "Transition-based generalised Büchi automaton"),
    ("ba", "Büchi automaton, state-based"),
    (
        "ta",
        "Testing automaton; the formula must be stutter-invariant",
    ),
    ("tgta", "Transition-based generalised testing automaton"),
];

const FORMATS: &[(&str, &str)] = &[
    ("hoa", "The exchange format of ω-automata tools, version 1"),
    ("dot", "A drawing for Graphviz"),
    ("svg", "A picture"),
    ("json", "Schema `dalsegno.automaton/1`"),
    ("stats", "Sizes as CSV, with a header line"),
];

const OBSERVED: &[(&str, &str)] = &[
    ("raw", "The atoms of the formula"),
    ("boolean", "Its maximal Boolean subformulas"),
];

/// Translate LTL formulas to automata
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Formulas; `-` reads one per line from standard input, where empty lines and lines that
    /// begin with `#` are skipped. With `--from hoa`: files, `-` for standard input
    #[arg(required = true, value_name = "FORMULA")]
    inputs: Vec<String>,

    /// What the inputs are
    #[arg(long, value_enum, default_value_t = Source::Formula)]
    from: Source,

    /// The same as `--from lbt`
    #[arg(long, conflicts_with = "from")]
    lbt: bool,

    /// The kind of automaton [default: tgba]
    #[arg(long, value_name = "KIND", value_parser = explained_choice::<Kind>(KINDS))]
    to: Option<Kind>,

    /// The form of the output; `stats` is CSV
    #[arg(long, value_parser = explained_choice::<Format>(FORMATS), default_value = "hoa")]
    format: Format,

    /// Translate the negation of each formula
    #[arg(long)]
    negate: bool,

    /// What the automata observe: the atoms, or maximal Boolean subformulas where those are fewer
    /// [default: raw]
    #[arg(long, value_name = "WHAT", value_parser = explained_choice::<Propositions>(OBSERVED))]
    propositions: Option<Propositions>,

    /// For `--to ta`: add an artificial livelock state, so that an emptiness check needs no second
    /// pass
    #[arg(long)]
    single_pass: bool,

    /// Give up on a formula after this time; it is then unknown
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up on a formula when the process needs more memory, such as 500MB, 4G or 4GiB [default: three
    /// quarters of the memory that there is]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Source {
    /// Formulas in infix syntax
    Formula,
    /// Formulas in LBT's prefix syntax
    Lbt,
    /// Automata in the HOA format
    Hoa,
}

impl Arguments {
    /// Whether the output is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Format::Json
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let job = Job::new(arguments, watch)?;
    if job.format == Format::Stats {
        writeln!(out, "{STATS_HEADER}")?;
    }
    let mut status = Status::Done;
    for input in &arguments.inputs {
        status = status.max(match (job.source, input.as_str()) {
            (Source::Hoa, file) => job.file(file, out)?,
            (_, "-") => job.lines(io::stdin().lock(), out)?,
            (_, formula) => job.formula(formula, None, out)?,
        });
    }
    Ok(status)
}

/// The choices of the command line in the words of the library.
struct Job {
    source: Source,
    options: Options,
    format: Format,
    negate: bool,
    timeout: Option<Duration>,
    memory: u64,
    watch: Watch,
}

impl Job {
    fn new(arguments: &Arguments, watch: &Watch) -> Result<Job> {
        let source = if arguments.lbt {
            Source::Lbt
        } else {
            arguments.from
        };
        let kind = arguments.to.unwrap_or(Kind::Tgba);
        for (given, option) in [
            (arguments.to.is_some(), "--to"),
            (arguments.negate, "--negate"),
            (arguments.propositions.is_some(), "--propositions"),
            (arguments.single_pass, "--single-pass"),
            (arguments.timeout.is_some(), "--timeout"),
        ] {
            if given && source == Source::Hoa {
                bail!("{option} is for formulas; an automaton from a file is printed as it is");
            }
        }
        if arguments.single_pass && kind != Kind::Ta {
            bail!("--single-pass is for --to ta");
        }
        Ok(Job {
            source,
            options: Options {
                kind,
                propositions: arguments.propositions.unwrap_or_default(),
                single_pass: arguments.single_pass,
            },
            format: arguments.format,
            negate: arguments.negate,
            timeout: arguments.timeout,
            memory: arguments.memory.unwrap_or_else(memory::default_limit),
            watch: watch.clone(),
        })
    }

    /// Translates each line; a bad one does not keep the others from being translated.
    fn lines(&self, mut input: impl BufRead, out: &mut impl Write) -> Result<Status> {
        let mut status = Status::Done;
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let read = input.read_until(b'\n', &mut bytes);
            if read.context("standard input is not readable")? == 0 {
                break;
            }
            let Ok(line) = std::str::from_utf8(&bytes) else {
                let message = format!("line {number}: the text is not UTF-8");
                status = status.max(self.refuse(&message, out)?);
                continue;
            };
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                status = status.max(self.formula(line, Some(number), out)?);
            }
        }
        Ok(status)
    }

    fn formula(&self, text: &str, line: Option<usize>, out: &mut impl Write) -> Result<Status> {
        let mut store = FormulaStore::new();
        let parsed = match self.source {
            Source::Lbt => parse_lbt(&mut store, text),
            _ => parse(&mut store, text),
        };
        let f = match parsed {
            Ok(f) if self.negate => store.not(f),
            Ok(f) => f,
            Err(error) => {
                let line = line.map(|n| format!("line {n}, ")).unwrap_or_default();
                return self.refuse(&format!("{line}{}", error.render(text)), out);
            }
        };
        let budget = self.watch.budget(self.timeout, self.memory);
        let (shown, at) = (text.to_owned(), line);
        self.last_words(move |stop| {
            let line = at.map(|n| format!("line {n}: ")).unwrap_or_default();
            let message = format!("{line}unknown: {stop}");
            caret::render(&shown, 0..shown.len(), &message)
        });
        let translation = match translate(&mut store, f, &self.options, &budget) {
            Ok(translation) => translation,
            Err(error) => {
                let line = line.map(|n| format!("line {n}: ")).unwrap_or_default();
                let (status, message) = match error.stop() {
                    Some(stop) => (Status::Unknown, format!("{line}unknown: {stop}")),
                    None => (Status::Error, format!("error: {line}{error}")),
                };
                self.watch.renew(None);
                tell(
                    &caret::render(text, 0..text.len(), &message),
                    self.format,
                    out,
                )?;
                return Ok(status);
            }
        };
        let name = match (self.negate, self.source) {
            (false, _) => text.trim().to_owned(),
            (true, Source::Lbt) => format!("! {}", text.trim()),
            (true, _) => format!("!({})", text.trim()),
        };
        // What is being written is finished, and what is read next has no limit but the next formula's.
        self.watch.renew(None);
        translation.write(&store, &name, self.format, out)?;
        out.flush()?;
        self.last_words(|stop| format!("unknown: {stop}"));
        Ok(Status::Done)
    }

    /// What is to be said if the process has to end before the next automaton is there.
    fn last_words(&self, message: impl FnOnce(Stop) -> String + Send + 'static) {
        let format = self.format;
        self.watch.last_words(move |stop, out| {
            // A vector takes everything.
            let _ = tell(&message(stop), format, out);
            Status::Unknown
        });
    }

    /// Says what is wrong with an input.
    fn refuse(&self, message: &str, out: &mut impl Write) -> Result<Status> {
        tell(&format!("error: {message}"), self.format, out)?;
        Ok(Status::Error)
    }

    /// Prints the automata of a file.
    fn file(&self, file: &str, out: &mut impl Write) -> Result<Status> {
        let text = match read_text(file) {
            Ok(text) => text,
            Err(error) => return self.refuse(&format!("{error:#}"), out),
        };
        match read_hoa(&text) {
            Ok(automata) => {
                for automaton in automata {
                    automaton.write(self.format, out)?;
                }
                out.flush()?;
                Ok(Status::Done)
            }
            Err(error) => {
                let name = display_name(file);
                self.refuse(&format!("{name}, {}", error.render(&text)), out)
            }
        }
    }
}

/// Says why an input has no automaton, to programs too.
fn tell(message: &str, format: Format, out: &mut impl Write) -> io::Result<()> {
    complain(message);
    if format == Format::Json {
        let message = message.strip_prefix("error: ").unwrap_or(message);
        writeln!(out, "{:#}", error_to_json(message))?;
    }
    Ok(())
}

fn read_text(file: &str) -> Result<String> {
    let name = display_name(file);
    let mut bytes = Vec::new();
    let read = if file == "-" {
        io::stdin().lock().read_to_end(&mut bytes)
    } else {
        File::open(file).and_then(|mut f| f.read_to_end(&mut bytes))
    };
    read.with_context(|| format!("{name} is not readable"))?;
    String::from_utf8(bytes).with_context(|| format!("{name} is not a text in UTF-8"))
}

fn display_name(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}
