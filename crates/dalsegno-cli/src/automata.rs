//! `dalsegno automata`: operations on automata and questions about languages.

mod answer;

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use dalsegno::automata::Automaton;
use dalsegno::automata::effort::Effort;
use dalsegno::automata::hoa::{Content, Document};
use dalsegno::automata::operations::compare::Separating;
use dalsegno::automata::operations::{buchi, reduce};
use dalsegno::kripke::clock::Instant;
use dalsegno::kripke::{Budget, Stop};
use dalsegno::{Format, Language, LanguageError, Languages, Reading, STATS_HEADER, read_hoa};

use crate::choice::explained_choice;
use crate::memory;
use crate::quantity::{duration, size};
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};
use answer::Asked;

const AFTER_HELP: &str = "\
Operands: the name of a file is an automaton in the HOA format, `-` is one on standard input, \
and anything else is a formula of LTL; with `-f` every operand is a formula. Testing automata in \
the HOA extension take part like any other.

Words: letters with `;` between them and the repeated part in braces, as in \
`a; !a & b; cycle{a; b}`. A letter is a Boolean formula and stands for all valuations that satisfy it.

Examples:
  dalsegno automata equivalent 'F G a' '!G F !a'
  dalsegno automata includes 'F a' automaton.hoa  words of the file satisfy F a
  dalsegno automata product a.hoa 'G F fair' --format dot
  dalsegno automata complement rabin.hoa --to ba
  dalsegno automata accepts 'G(a -> F b)' 'a; cycle{!b}'
  dalsegno automata stutter-invariant 'F(a & X a)'

Exit codes: 0 yes or done, 1 no, 2 error (bad formula, file, word or option), 3 unknown (a limit \
was hit).";

/// Combine, compare and reduce automata and formulas
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Subcommand)]
enum Operation {
    /// The automaton of the words that all operands accept
    Product(Several),
    /// The automaton of the words that some operand accepts
    Sum(Several),
    /// The automata of the words that the operands do not accept
    Complement(Several),
    /// Smaller automata of the same languages
    Reduce(Several),
    /// The automata in another form
    Convert(Several),
    /// The sizes of the automata as CSV
    Stats(Stats),
    /// Whether the first operand accepts all words of the second
    Includes(Two),
    /// Whether two operands accept the same words
    Equivalent(Two),
    /// Whether an operand accepts no word
    Empty(One),
    /// Whether an operand accepts a word
    Accepts(Word),
    /// Whether repeating letters never changes whether a word is accepted
    StutterInvariant(One),
}

/// What all operations take.
#[derive(Args)]
struct Common {
    /// Take every operand for a formula, even if a file has that name
    #[arg(short = 'f', long)]
    formula: bool,

    /// Give up after this time; the answer is then unknown
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up when the process needs more memory, such as 500M or 4G [default: three quarters of the
    /// memory that there is]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

#[derive(Args)]
struct Several {
    /// Formulas, files in the HOA format, `-` for standard input
    #[arg(required = true, value_name = "OPERAND")]
    operands: Vec<String>,

    /// The kind of automaton [default: as it comes]
    #[arg(long, value_enum, value_name = "KIND")]
    to: Option<To>,

    /// The form of the output
    #[arg(long, value_parser = explained_choice::<Format>(FORMATS), default_value = "hoa")]
    format: Format,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Stats {
    /// Formulas, files in the HOA format, `-` for standard input
    #[arg(required = true, value_name = "OPERAND")]
    operands: Vec<String>,

    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct One {
    /// A formula, a file in the HOA format, or `-` for standard input
    operand: String,

    #[command(flatten)]
    asked: Question,
}

#[derive(Args)]
struct Two {
    /// A formula, a file in the HOA format, or `-` for standard input
    first: String,

    /// Another one
    second: String,

    #[command(flatten)]
    asked: Question,
}

#[derive(Args)]
struct Word {
    /// A formula, a file in the HOA format, or `-` for standard input
    operand: String,

    /// A word, such as `a; cycle{!a; b}`
    #[arg(value_name = "WORD")]
    text: String,

    #[command(flatten)]
    asked: Question,
}

#[derive(Args)]
struct Question {
    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For a reader
    Text,
    /// Schema `dalsegno.automata/1`
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Generalised Büchi, marks on edges
    Tgba,
    /// Büchi, marks on states
    Ba,
}

const FORMATS: &[(&str, &str)] = &[
    ("hoa", "The exchange format of ω-automata tools, version 1"),
    ("dot", "A drawing for Graphviz"),
    ("svg", "A picture"),
    ("json", "Schema `dalsegno.automaton/1`"),
    ("stats", "Sizes as CSV, with a header line"),
];

impl Arguments {
    /// Whether the output is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.operation {
            Operation::Product(several)
            | Operation::Sum(several)
            | Operation::Complement(several)
            | Operation::Reduce(several)
            | Operation::Convert(several) => several.format == Format::Json,
            Operation::Stats(_) => false,
            Operation::Includes(two) | Operation::Equivalent(two) => two.asked.is_json(),
            Operation::Empty(one) | Operation::StutterInvariant(one) => one.asked.is_json(),
            Operation::Accepts(word) => word.asked.is_json(),
        }
    }
}

impl Question {
    fn is_json(&self) -> bool {
        self.format == Form::Json
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    match &arguments.operation {
        Operation::Product(several) => combine(several, " & ", Languages::product, watch, out),
        Operation::Sum(several) => combine(several, " | ", Languages::sum, watch, out),
        Operation::Complement(several) => each(several, watch, out, |job, language| {
            let name = format!("!({})", language.name());
            let made = job.languages.complement(language, &job.budget)?;
            Ok((name, Content::Automaton(made)))
        }),
        Operation::Reduce(several) => each(several, watch, out, |job, language| {
            let made = job.languages.automaton(language, &job.budget)?;
            let made = reduce(made, &Effort::unlimited(&job.budget));
            Ok((language.name().to_owned(), Content::Automaton(made)))
        }),
        Operation::Convert(several) => each(several, watch, out, |job, language| {
            let made = job.languages.automaton(language, &job.budget)?;
            Ok((language.name().to_owned(), Content::Automaton(made)))
        }),
        Operation::Stats(stats) => sizes(stats, watch, out),
        Operation::Includes(two) => {
            let mut job = Job::new(&two.asked.common, watch);
            let (a, b) = (job.one(&two.first)?, job.one(&two.second)?);
            let asked = Asked::new("includes", &[&a, &b], &two.asked);
            asked.answer(job, watch, out, |job| {
                let word = job.languages.missing(&a, &b, &job.budget)?;
                Ok((
                    word.is_none(),
                    word.map(|w| (w, vec![1], vec![0])).into_iter().collect(),
                ))
            })
        }
        Operation::Equivalent(two) => {
            let mut job = Job::new(&two.asked.common, watch);
            let (a, b) = (job.one(&two.first)?, job.one(&two.second)?);
            let asked = Asked::new("equivalent", &[&a, &b], &two.asked);
            asked.answer(job, watch, out, |job| {
                let found = job.languages.separating_word(&a, &b, &job.budget)?;
                let words = match found {
                    None => Vec::new(),
                    Some(Separating::First(word)) => vec![(word, vec![0], vec![1])],
                    Some(Separating::Second(word)) => vec![(word, vec![1], vec![0])],
                };
                Ok((words.is_empty(), words))
            })
        }
        Operation::Empty(one) => {
            let mut job = Job::new(&one.asked.common, watch);
            let a = job.one(&one.operand)?;
            let asked = Asked::new("empty", &[&a], &one.asked);
            asked.answer(job, watch, out, |job| {
                let word = job.languages.some_word(&a, &job.budget)?;
                Ok((
                    word.is_none(),
                    word.map(|w| (w, vec![0], vec![])).into_iter().collect(),
                ))
            })
        }
        Operation::Accepts(word) => {
            let mut job = Job::new(&word.asked.common, watch);
            let a = job.one(&word.operand)?;
            let pattern = match job.languages.word(&word.text) {
                Ok(pattern) => pattern,
                Err(error) => bail!("{}", error.render(&word.text)),
            };
            let asked = Asked::new("accepts", &[&a], &word.asked);
            asked.answer(job, watch, out, |job| {
                let found = job.languages.fitting_word(&a, &pattern, &job.budget)?;
                Ok((
                    found.is_some(),
                    found.map(|w| (w, vec![0], vec![])).into_iter().collect(),
                ))
            })
        }
        Operation::StutterInvariant(one) => {
            let mut job = Job::new(&one.asked.common, watch);
            let a = job.one(&one.operand)?;
            let asked = Asked::new("stutter-invariant", &[&a], &one.asked);
            asked.answer(job, watch, out, |job| {
                let found = job.languages.stutter_witness(&a, &job.budget)?;
                let words = match found {
                    None => Vec::new(),
                    Some((yes, no)) => vec![(yes, vec![0], vec![]), (no, vec![], vec![0])],
                };
                Ok((words.is_empty(), words))
            })
        }
    }
}

/// The operands of a command and what it may use.
struct Job {
    languages: Languages,
    formula: bool,
    budget: Budget,
    start: Instant,
}

impl Job {
    fn new(common: &Common, watch: &Watch) -> Self {
        let bytes = common.memory.unwrap_or_else(memory::default_limit);
        Job {
            languages: Languages::default(),
            formula: common.formula,
            budget: watch.budget(common.timeout, bytes),
            start: Instant::now(),
        }
    }

    /// The languages of an operand: a formula, or the automata of a file.
    fn all(&mut self, operand: &str) -> Result<Vec<Language>> {
        Ok(match self.read(operand)? {
            None => vec![self.parse(operand)?],
            Some(automata) => {
                let language = |r: &Reading| {
                    Language::of_automaton(&name_of(operand, r), r.document.content.clone())
                };
                automata.iter().map(language).collect()
            }
        })
    }

    /// The language of an operand that has to be one.
    fn one(&mut self, operand: &str) -> Result<Language> {
        let mut all = self.all(operand)?;
        match (all.pop(), all.is_empty()) {
            (Some(language), true) => Ok(language),
            _ => bail!("{operand} has more than one automaton"),
        }
    }

    fn parse(&mut self, text: &str) -> Result<Language> {
        match self.languages.formula(text) {
            Ok(language) => Ok(language),
            Err(error) => bail!("{}", error.render(text)),
        }
    }

    /// The automata of a file; none if the operand is a formula.
    fn read(&self, operand: &str) -> Result<Option<Vec<Reading>>> {
        let is_file = operand == "-" || Path::new(operand).exists();
        if self.formula || !is_file {
            if !self.formula && has_ending(operand) {
                bail!("there is no file {operand}");
            }
            return Ok(None);
        }
        let name = if operand == "-" {
            "standard input"
        } else {
            operand
        };
        let mut bytes = Vec::new();
        let read = if operand == "-" {
            io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
        } else {
            fs::read(operand).map(|read| bytes = read)
        };
        read.with_context(|| format!("{name} is not readable"))?;
        let text = String::from_utf8(bytes);
        let text = text.with_context(|| format!("{name} is not a text in UTF-8"))?;
        match read_hoa(&text) {
            Ok(automata) => Ok(Some(automata)),
            Err(error) => bail!("{name}, {}", error.render(&text)),
        }
    }
}

/// Whether a text is surely meant as the name of a file.
fn has_ending(operand: &str) -> bool {
    let ending = Path::new(operand).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("hoa"))
}

/// How an automaton of a file is called.
fn name_of(operand: &str, reading: &Reading) -> String {
    let given = reading.document.name.clone();
    given.unwrap_or_else(|| {
        if operand == "-" {
            "standard input".to_owned()
        } else {
            operand.to_owned()
        }
    })
}

/// Makes one automaton of all operands.
fn combine(
    several: &Several,
    sign: &str,
    with: fn(&mut Languages, &[Language], &Budget) -> Result<Automaton, LanguageError>,
    watch: &Watch,
    out: &mut Output,
) -> Result<Status> {
    let mut job = Job::new(&several.common, watch);
    let mut languages = Vec::new();
    for operand in &several.operands {
        languages.extend(job.all(operand)?);
    }
    let names: Vec<String> = languages
        .iter()
        .map(|l| format!("({})", l.name()))
        .collect();
    if several.format == Format::Stats {
        writeln!(out, "{STATS_HEADER}")?;
    }
    last_words(watch);
    let made = with(&mut job.languages, &languages, &job.budget);
    let made = made.map(|a| (names.join(sign), Content::Automaton(a)));
    write(&mut job, made, several, out)
}

/// Makes an automaton of each language.
fn each(
    several: &Several,
    watch: &Watch,
    out: &mut Output,
    mut work: impl FnMut(&mut Job, &Language) -> Result<(String, Content), LanguageError>,
) -> Result<Status> {
    let mut job = Job::new(&several.common, watch);
    if several.format == Format::Stats {
        writeln!(out, "{STATS_HEADER}")?;
    }
    last_words(watch);
    let mut status = Status::Done;
    for operand in &several.operands {
        for language in job.all(operand)? {
            let made = work(&mut job, &language);
            status = status.max(write(&mut job, made, several, out)?);
        }
    }
    Ok(status)
}

/// Writes an automaton, of the kind that is wanted; or why there is none.
fn write(
    job: &mut Job,
    made: Result<(String, Content), LanguageError>,
    several: &Several,
    out: &mut Output,
) -> Result<Status> {
    let (name, mut content) = match made {
        Ok(made) => made,
        Err(error) => match error.stop() {
            Some(stop) => return Ok(unknown(stop)),
            None => return Err(error.into()),
        },
    };
    if let (Some(To::Ba), Content::Automaton(a)) = (several.to, &content) {
        match buchi(a.clone(), &Effort::unlimited(&job.budget)) {
            Ok(a) => content = Content::Automaton(a),
            Err(stop) => return Ok(unknown(stop)),
        }
    }
    let document = Document {
        name: Some(name),
        state_names: Vec::new(),
        properties: Vec::new(),
        content,
    };
    let time = job.start.elapsed();
    Reading { document, time }.write(several.format, out)?;
    out.flush()?;
    job.start = Instant::now();
    Ok(Status::Done)
}

fn unknown(stop: Stop) -> Status {
    complain(format_args!("unknown: {stop}"));
    Status::Unknown
}

fn last_words(watch: &Watch) {
    watch.last_words(|stop, _| unknown(stop));
}

/// Prints the sizes of automata as they are, testing automata too.
fn sizes(stats: &Stats, watch: &Watch, out: &mut Output) -> Result<Status> {
    let mut job = Job::new(&stats.common, watch);
    writeln!(out, "{STATS_HEADER}")?;
    last_words(watch);
    for operand in &stats.operands {
        let readings = if let Some(readings) = job.read(operand)? {
            readings
        } else {
            let language = job.parse(operand)?;
            let content = match job.languages.automaton(&language, &job.budget) {
                Ok(automaton) => Content::Automaton(automaton),
                Err(error) => match error.stop() {
                    Some(stop) => return Ok(unknown(stop)),
                    None => return Err(error.into()),
                },
            };
            let document = Document {
                name: Some(language.name().to_owned()),
                state_names: Vec::new(),
                properties: Vec::new(),
                content,
            };
            let time = job.start.elapsed();
            vec![Reading { document, time }]
        };
        for reading in readings {
            let mut reading = reading;
            reading.document.name = Some(name_of(operand, &reading));
            reading.write(Format::Stats, out)?;
        }
        out.flush()?;
    }
    Ok(Status::Done)
}
