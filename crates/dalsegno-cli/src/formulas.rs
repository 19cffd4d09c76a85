//! `dalsegno formulas`: random formulas, and families from the literature.

use std::io::Write;
use std::ops::RangeInclusive;

use anyhow::{Context, Result, bail, ensure};
use clap::{ArgGroup, Args, ValueEnum};
use dalsegno::Drawing;
use dalsegno::logic::families::{FAMILIES, Family, list};
use dalsegno::logic::random::{Config, Weights};
use dalsegno::logic::{FormulaId, FormulaStore};

use crate::status::{Status, complain};

/// The largest syntax trees that are drawn.
const MAX_SIZE: usize = 1_000_000;

const AFTER_HELP: &str = "\
Examples:
  dalsegno formulas --random -n 5 --size 5..15 --seed 7
  dalsegno formulas --weak-fair --fair 2 --x-free --propositions 4 --unique
  dalsegno formulas --random --logic ctl --propositions p,q --weight U=5
  dalsegno formulas --random -n 100 | dalsegno translate - --format stats
  dalsegno formulas --family rv-counter --n 1..4
  dalsegno formulas --family all | dalsegno translate - --format stats

The same options and the same seed give the same formulas on every machine.";

/// Make random formulas or those of a family, one per line
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a flag of the command line is a bool"
)]
#[command(group(ArgGroup::new("mode").required(true).args(["random", "weak_fair", "family"])))]
pub(crate) struct Arguments {
    /// Random formulas
    #[arg(long)]
    random: bool,

    /// Random formulas under weak fairness: (GF p1 & … & GF pn) -> φ
    #[arg(long)]
    weak_fair: bool,

    /// Formulas of a family from the literature; `all` for all families, `list` for their names
    #[arg(long, value_name = "NAME")]
    family: Option<String>,

    /// With `--family`: which formulas, a number or a range such as 1..4 [default: those of `all`]
    #[arg(long = "n", value_name = "N", value_parser = size, requires = "family")]
    numbers: Option<RangeInclusive<usize>>,

    /// How many random formulas
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 1)]
    count: usize,

    /// The nodes of the syntax tree: a number, or a range such as 5..20, ends included
    #[arg(long, value_name = "SIZE", default_value = "15", value_parser = size)]
    size: RangeInclusive<usize>,

    /// What a sequence of formulas starts from
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// The atoms: names with commas between them, or a number n for p0 to p(n-1)
    #[arg(long, value_name = "NAMES", default_value = "a,b,c", value_parser = propositions)]
    propositions: Propositions,

    /// No X: all formulas of LTL are then stutter-invariant
    #[arg(long)]
    x_free: bool,

    /// The logic
    #[arg(long, value_enum, default_value_t = Logic::Ltl)]
    logic: Logic,

    /// With `--weak-fair`: how many propositions are fair [default: 2]
    #[arg(long, value_name = "N", conflicts_with = "random")]
    fair: Option<usize>,

    /// How often an operator is drawn, relative to the others; 0 for never, repeatable. Operators:
    /// atoms, constants, not, and, or, xor, implies, iff, X, F, G, U, R, W, M, E, A
    #[arg(long, value_name = "OP=WEIGHT", value_parser = weight)]
    weight: Vec<(String, u32)>,

    /// The syntax of the output
    #[arg(long, value_enum, default_value_t = Syntax::Spot)]
    format: Syntax,

    /// Each formula once
    #[arg(long)]
    unique: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Logic {
    /// No path quantifiers
    Ltl,
    /// Every temporal operator below its own path quantifier
    Ctl,
    /// State formulas of CTL*
    CtlStar,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Syntax {
    /// Infix, as `dalsegno translate` reads it
    Spot,
    /// Infix with [] and <>
    Spin,
    /// LBT's prefix syntax, as `dalsegno translate --lbt` reads it
    Lbt,
    /// For mathematics in LaTeX
    Latex,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Status> {
    if let Some(name) = &arguments.family {
        return family(arguments, name, out);
    }
    let config = config(arguments)?;
    let mut store = FormulaStore::new();
    for name in &config.propositions {
        store.atom(name);
    }
    let mut drawing = Drawing::new(config);
    if arguments.weak_fair {
        drawing = drawing.weakly_fair(arguments.fair.unwrap_or(2));
    }
    if arguments.unique {
        drawing = drawing.distinct();
    }
    for drawn in 0..arguments.count {
        let Some(f) = drawing.draw(&mut store) else {
            complain(format_args!(
                "error: no more than {drawn} different formulas were found"
            ));
            return Ok(Status::Error);
        };
        arguments.format.write(&store, f, out)?;
    }
    Ok(Status::Done)
}

impl Syntax {
    /// Writes a formula in a line of its own.
    pub(crate) fn write(
        self,
        store: &FormulaStore,
        f: FormulaId,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let text = match self {
            Syntax::Spot => store.display(f),
            Syntax::Spin => store.display_spin(f),
            Syntax::Lbt => store.display_lbt(f),
            Syntax::Latex => store.display_latex(f),
        };
        writeln!(out, "{text}")
    }
}

fn family(arguments: &Arguments, name: &str, out: &mut impl Write) -> Result<Status> {
    if name == "list" {
        for f in &FAMILIES {
            writeln!(out, "{:<24} {}", f.name, f.shape)?;
        }
        return Ok(Status::Done);
    }
    let members: Vec<(&Family, usize)> = match (&arguments.numbers, Family::named(name)) {
        (Some(numbers), Some(family)) => numbers.clone().map(|n| (family, n)).collect(),
        (None, Some(family)) => (1..=family.last).map(|n| (family, n)).collect(),
        (Some(numbers), None) if name == "all" => FAMILIES
            .iter()
            .flat_map(|f| numbers.clone().map(move |n| (f, n)))
            .collect(),
        (None, None) if name == "all" => list().collect(),
        _ => bail!("no family is called {name}; `--family list` names them"),
    };
    for (family, n) in members {
        let mut store = FormulaStore::new();
        let f = family
            .formula(&mut store, n)
            .with_context(|| format!("{} {n}", family.name))?;
        arguments.format.write(&store, f, out)?;
    }
    Ok(Status::Done)
}

fn config(arguments: &Arguments) -> Result<Config> {
    let mut config = match arguments.logic {
        Logic::Ltl => Config::ltl(),
        Logic::Ctl => Config::ctl(),
        Logic::CtlStar => Config::ctl_star(),
    };
    if arguments.weak_fair && arguments.logic != Logic::Ltl {
        bail!("--weak-fair is for --logic ltl");
    }
    for (name, weight) in &arguments.weight {
        let slot = config.weights.named(name);
        *slot.with_context(|| format!("{name} has no weight"))? = *weight;
    }
    if arguments.x_free {
        config.weights.next = 0;
    }
    Ok(config
        .with_size(arguments.size.clone())
        .with_propositions(arguments.propositions.0.iter().cloned())
        .with_seed(arguments.seed))
}

/// The names of the atoms.
#[derive(Clone, Debug)]
struct Propositions(Vec<String>);

fn propositions(text: &str) -> Result<Propositions> {
    if let Ok(n) = text.parse::<u16>() {
        return Ok(Propositions((0..n).map(|i| format!("p{i}")).collect()));
    }
    let names: Vec<String> = text.split(',').map(|n| n.trim().to_owned()).collect();
    ensure!(names.iter().all(|n| !n.is_empty()), "a name is empty");
    Ok(Propositions(names))
}

fn size(text: &str) -> Result<RangeInclusive<usize>> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let number = |n: &str| n.trim().parse::<usize>();
    let (least, most) = (number(least)?, number(most)?);
    ensure!(
        (1..=most).contains(&least) && most <= MAX_SIZE,
        "sizes are from 1 to {MAX_SIZE}, the smaller one first"
    );
    Ok(least..=most)
}

fn weight(text: &str) -> Result<(String, u32)> {
    let (name, weight) = text.split_once('=').context("not of the form OP=WEIGHT")?;
    if !Weights::NAMES.contains(&name) {
        bail!("operators are {}", Weights::NAMES.join(", "));
    }
    Ok((name.to_owned(), weight.parse()?))
}
