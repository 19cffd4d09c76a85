//! `dalsegno filter`: lists of formulas, filtered and rewritten.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use dalsegno::automata::operations::hierarchy::Class;
use dalsegno::kripke::Budget;
use dalsegno::logic::nnf::nnf;
use dalsegno::logic::simplify::Simplifier;
use dalsegno::logic::{FormulaId, parse, parse_lbt};
use dalsegno::{Language, LanguageError, Languages, Relabelled, relabel};

use crate::choice::choice;
use crate::formulas::Syntax;
use crate::memory;
use crate::quantity::{duration, size};
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

const AFTER_HELP: &str = "\
A formula is printed if it passes all filters; with `-v`, if it does not. Filters look at the formula as it was \
given, and rewriting is done in the order negate, simplify, nnf, relabel. Classes, satisfiability, validity and \
stutter-invariance are those of the language, decided on automata, not of the syntax.

Examples:
  dalsegno filter -F formulas.ltl --safety --simplify
  dalsegno formulas --random -n 100 | dalsegno filter --satisfiable --unique
  dalsegno filter 'G(req -> F ack)' --negate --nnf
  dalsegno filter 'F(a & X a)' --stutter-invariant -v

Exit codes: 0 some formula was printed, 1 none was, 2 error in some formula or file (the others are still \
printed), 3 unknown: a limit was hit for some formula, which is not printed.";

/// Filter and rewrite lists of LTL formulas
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a flag of the command line is a bool"
)]
pub(crate) struct Arguments {
    /// Formulas; `-` reads one per line from standard input, where empty lines and lines that begin with `#` are
    /// skipped, and so does a command without formulas and files
    #[arg(value_name = "FORMULA")]
    formulas: Vec<String>,

    /// A file with a formula per line; may be repeated
    #[arg(short = 'F', long, value_name = "FILE")]
    file: Vec<PathBuf>,

    /// The formulas are in LBT's prefix syntax
    #[arg(long)]
    lbt: bool,

    /// Print the negations
    #[arg(long)]
    negate: bool,

    /// Simplify
    #[arg(long)]
    simplify: bool,

    /// Print negation normal forms
    #[arg(long)]
    nnf: bool,

    /// Rename atoms to p0, p1, …; with `=boolean` whole Boolean subformulas that share no atom with another one
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "atoms",
        value_parser = choice::<Relabelled>(Relabelled::NAMES)
    )]
    relabel: Option<Relabelled>,

    /// Print each formula once
    #[arg(long)]
    unique: bool,

    /// With `--unique`: print one of all formulas with the same language
    #[arg(long, requires = "unique")]
    equivalent: bool,

    /// Stutter-invariant formulas
    #[arg(long)]
    stutter_invariant: bool,

    /// Safety: nothing bad ever happens
    #[arg(long)]
    safety: bool,

    /// Guarantee: something good happens once
    #[arg(long)]
    guarantee: bool,

    /// Obligation: Boolean combinations of safety and guarantee
    #[arg(long)]
    obligation: bool,

    /// Recurrence: something good happens again and again
    #[arg(long)]
    recurrence: bool,

    /// Persistence: something good holds from some point on
    #[arg(long)]
    persistence: bool,

    /// Reactivity: all formulas
    #[arg(long)]
    reactivity: bool,

    /// Formulas that some word satisfies
    #[arg(long)]
    satisfiable: bool,

    /// Formulas that all words satisfy
    #[arg(long)]
    valid: bool,

    /// The nodes of the syntax tree: a number, or a range such as 5..20, ends included
    #[arg(long, value_name = "SIZE", value_parser = range)]
    size: Option<RangeInclusive<u64>>,

    /// The number of different atoms: a number, or a range such as 0..3, ends included
    #[arg(long, value_name = "COUNT", value_parser = range)]
    atoms: Option<RangeInclusive<u64>>,

    /// Print the formulas that do not pass all filters
    #[arg(short = 'v', long)]
    invert: bool,

    /// The syntax of the output
    #[arg(long, value_enum, default_value_t = Syntax::Spot)]
    format: Syntax,

    /// Give up on a formula after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up on a formula when the process needs more memory, such as 500M or 4G [default: three
    /// quarters of the memory that there is]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let mut job = Job {
        arguments,
        watch,
        languages: Languages::default(),
        simplifier: Simplifier::new(),
        seen: HashSet::new(),
        kept: Vec::new(),
        printed: false,
    };
    let mut status = Status::Done;
    for formula in &arguments.formulas {
        status = status.max(if formula == "-" {
            job.lines("standard input", &standard_input()?, out)?
        } else {
            job.formula(formula, None, out)?
        });
    }
    for file in &arguments.file {
        let name = file.display().to_string();
        let text = fs::read_to_string(file).with_context(|| format!("{name} is not readable"))?;
        status = status.max(job.lines(&name, &text, out)?);
    }
    if arguments.formulas.is_empty() && arguments.file.is_empty() {
        status = job.lines("standard input", &standard_input()?, out)?;
    }
    Ok(match status {
        Status::Done if !job.printed => Status::Fails,
        status => status,
    })
}

fn standard_input() -> Result<String> {
    let mut text = String::new();
    let read = io::stdin().lock().read_to_string(&mut text);
    read.context("standard input is not readable")?;
    Ok(text)
}

struct Job<'a> {
    arguments: &'a Arguments,
    watch: &'a Watch,
    languages: Languages,
    simplifier: Simplifier,
    seen: HashSet<FormulaId>,
    kept: Vec<Language>,
    printed: bool,
}

impl Job<'_> {
    fn lines(&mut self, name: &str, text: &str, out: &mut Output) -> Result<Status> {
        let mut status = Status::Done;
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let place = format!("{name}, line {number}: ");
                status = status.max(self.formula(line, Some(&place), out)?);
            }
        }
        Ok(status)
    }

    fn formula(&mut self, text: &str, place: Option<&str>, out: &mut Output) -> Result<Status> {
        let place = place.unwrap_or_default();
        let store = &mut self.languages.store;
        let parsed = if self.arguments.lbt {
            parse_lbt(store, text)
        } else {
            parse(store, text)
        };
        let f = match parsed {
            Ok(f) => f,
            Err(error) => {
                complain(format_args!("error: {place}{}", error.render(text)));
                return Ok(Status::Error);
            }
        };
        let bytes = self.arguments.memory.unwrap_or_else(memory::default_limit);
        let budget = self.watch.budget(self.arguments.timeout, bytes);
        let said = format!("{place}{text}");
        self.watch.last_words(move |stop, _| {
            complain(format_args!("unknown: {said}: {stop}"));
            Status::Unknown
        });
        let found = self.is_wanted(f, &budget);
        self.watch.renew(None);
        match found {
            Ok(false) => Ok(Status::Done),
            Ok(true) => {
                let g = self.rewritten(f);
                self.arguments.format.write(&self.languages.store, g, out)?;
                out.flush()?;
                self.printed = true;
                Ok(Status::Done)
            }
            Err(error) => Ok(if let Some(stop) = error.stop() {
                complain(format_args!("unknown: {place}{text}: {stop}"));
                Status::Unknown
            } else {
                complain(format_args!("error: {place}{error}"));
                Status::Error
            }),
        }
    }

    /// Whether a formula is to be printed.
    fn is_wanted(&mut self, f: FormulaId, budget: &Budget) -> Result<bool, LanguageError> {
        if self.passes(f, budget)? == self.arguments.invert {
            return Ok(false);
        }
        if !self.arguments.unique {
            return Ok(true);
        }
        if !self.seen.insert(f) {
            return Ok(false);
        }
        if self.arguments.equivalent {
            let language = Language::of_formula(&self.languages.store, f);
            for other in &self.kept {
                let differ = self.languages.separating_word(&language, other, budget)?;
                if differ.is_none() {
                    return Ok(false);
                }
            }
            self.kept.push(language);
        }
        Ok(true)
    }

    /// Whether a formula passes all filters; the cheap ones come first.
    fn passes(&mut self, f: FormulaId, budget: &Budget) -> Result<bool, LanguageError> {
        let a = self.arguments;
        let store = &self.languages.store;
        let atoms = store.propositions(f).len() as u64;
        let fits = |range: &Option<RangeInclusive<u64>>, n: u64| {
            range.as_ref().is_none_or(|range| range.contains(&n))
        };
        if !fits(&a.size, store.size(f)) || !fits(&a.atoms, atoms) {
            return Ok(false);
        }
        let language = Language::of_formula(store, f);
        let languages = &mut self.languages;
        if a.satisfiable && languages.some_word(&language, budget)?.is_none() {
            return Ok(false);
        }
        if a.valid {
            let negation = languages.store.not(f);
            let negation = Language::of_formula(&languages.store, negation);
            if languages.some_word(&negation, budget)?.is_some() {
                return Ok(false);
            }
        }
        if a.stutter_invariant && languages.stutter_witness(&language, budget)?.is_some() {
            return Ok(false);
        }
        for (asked, class) in [
            (a.safety, Class::Safety),
            (a.guarantee, Class::Guarantee),
            (a.obligation, Class::Obligation),
            (a.recurrence, Class::Recurrence),
            (a.persistence, Class::Persistence),
            (a.reactivity, Class::Reactivity),
        ] {
            if asked && !languages.is_in(&language, class, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn rewritten(&mut self, mut f: FormulaId) -> FormulaId {
        let store = &mut self.languages.store;
        if self.arguments.negate {
            f = store.not(f);
        }
        if self.arguments.simplify {
            f = self.simplifier.simplify(store, f);
        }
        if self.arguments.nnf {
            f = nnf(store, f, false);
        }
        match self.arguments.relabel {
            Some(what) => relabel(store, f, what),
            None => f,
        }
    }
}

/// A number, or two of them with `..` between them.
fn range(text: &str) -> Result<RangeInclusive<u64>> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (least, most) = (least.trim().parse()?, most.trim().parse()?);
    ensure!(least <= most, "the smaller number comes first");
    Ok(least..=most)
}
