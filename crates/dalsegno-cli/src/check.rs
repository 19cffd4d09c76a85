//! `dalsegno check`: properties of a model.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Stop, UnknownName};
use dalsegno::report::{unfolding, witness_to_json};
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::symbolic::order::Recipe;
use dalsegno::{Asked, Engine, Event, Global, Logic, PropertyFile, Propositions, Run, Settings};

use crate::answers::{Answers, Form};
use crate::choice::choice;
use crate::limits::{Limits, Progress, Trace};
use crate::load;
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

const AFTER_HELP: &str = "\
Examples:
  dalsegno generate philosophers 5 -o phils.pnml
  dalsegno check phils.pnml --ltl 'G !deadlock'
  dalsegno check phils.pnml --ltl 'G(\"Fork_1 >= 1\" -> F \"Eat_1 >= 1\")' --automaton tgta --stats
  dalsegno check model.pnml --properties LTLCardinality.xml --timeout 60 --format json
  dalsegno check phils.pnml --ctl 'AG EF Eat_1' --ctl 'EF deadlock' --sat-set=3
  dalsegno check phils.pnml --ctl-star 'A(G F Eat_1 -> E F Eat_2)' --engine symbolic
  dalsegno check phils.pnml --deadlock --one-safe --liveness

Propositions: a place name (it has a token), a transition name (it is fireable), or a quoted
text such as \"P1 + 2*P2 <= P3\", \"fireable(t1, t2)\" or \"deadlock\"; in ETF and DVE \"P_0 = CS\" or
\"P_0.CS\", \"x >= 2\", \"a[2] = 3\".

Exit codes: 0 every property holds, 1 some property fails, 2 error, 3 unknown (a limit was hit).";

/// Check LTL, CTL and CTL* properties of a model
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Arguments {
    /// A model: a Petri net in PNML, tables in ETF, or a program in DVE
    model: PathBuf,

    /// An LTL formula that all runs should satisfy; may be repeated
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,

    /// A CTL formula that all initial states should satisfy; may be repeated
    #[arg(long, value_name = "FORMULA")]
    ctl: Vec<String>,

    /// A CTL* formula that all initial states should satisfy; may be repeated
    #[arg(long, value_name = "FORMULA")]
    ctl_star: Vec<String>,

    /// A file of properties in the format of the Model Checking Contest: LTL, CTL, reachability or bounds;
    /// may be repeated
    #[arg(long, value_name = "FILE")]
    properties: Vec<PathBuf>,

    /// Ask whether some reachable state has no successor
    #[arg(long)]
    deadlock: bool,

    /// Ask whether no place ever holds two tokens
    #[arg(long)]
    one_safe: bool,

    /// Ask whether some place keeps its number of tokens for ever
    #[arg(long)]
    stable_marking: bool,

    /// Ask whether each transition can fire once
    #[arg(long)]
    quasi_liveness: bool,

    /// Ask whether each transition can always fire again
    #[arg(long)]
    liveness: bool,

    /// The engine: states one by one (`explicit`), sets of states as decision diagrams
    /// (`symbolic`), or what fits (`auto`)
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: Engine,

    /// How diagrams are saturated: by every step that leaves the automaton alone (`on`), by
    /// stuttering steps of testing automata only (`stuttering`), or not at all (`off`)
    #[arg(long, value_name = "HOW", value_parser = choice::<Saturation>(Saturation::NAMES), default_value = "on")]
    saturation: Saturation,

    /// The order of the levels of diagrams, by a name that `dalsegno orders` prints
    #[arg(long, value_name = "NAME")]
    pub(crate) order: Option<Recipe>,

    /// The kind of automaton; `auto` takes a lazy TGTA where some part of the property is
    /// stutter-invariant, a TGBA otherwise
    #[arg(long, value_name = "KIND", value_parser = choice::<Automaton>(AUTOMATA), default_value = "auto")]
    automaton: Automaton,

    /// What a dead end does: repeat its state for ever (`stutter`), end a path (`finite`), or end a path that
    /// does not count (`ignore`) [default: finite for CTL, stutter for LTL and CTL*]
    #[arg(long, value_name = "HOW")]
    pub(crate) dead_ends: Option<DeadEnds>,

    /// For CTL and CTL*, count the reachable states that satisfy each property and show some of them
    #[arg(
        long,
        value_name = "COUNT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5"
    )]
    pub(crate) sat_set: Option<usize>,

    /// What automata observe: atoms, or maximal Boolean subformulas where those are fewer
    #[arg(long, value_name = "WHAT", value_parser = choice::<Propositions>(Propositions::NAMES), default_value = "boolean")]
    propositions: Propositions,

    /// Tell on standard error which method works, and when
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub(crate) format: Form,

    /// Write the run of the first property that has one to a file, for `dalsegno replay`
    #[arg(long, value_name = "FILE")]
    witness: Option<PathBuf>,

    /// Tell what each answer took; with `=product` also the size of the whole product, which is
    /// explored for it, or with `--engine symbolic` the share of stuttering transitions
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "search"
    )]
    pub(crate) stats: Option<Stats>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stats {
    Search,
    Product,
}

/// A kind of automaton, or what fits.
#[derive(Clone, Copy)]
struct Automaton(Option<Kind>);

const AUTOMATA: &[&str] = &["auto", "tgta", "tgba", "ba", "ta"];

impl FromStr for Automaton {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "auto" => Ok(Automaton(None)),
            kind => Ok(Automaton(Some(kind.parse()?))),
        }
    }
}

impl Arguments {
    /// Whether the output is JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.format == Form::Json
    }

    /// The questions about the whole net.
    fn globals(&self) -> impl Iterator<Item = Global> {
        let asked = [
            (self.deadlock, Global::Deadlock),
            (self.one_safe, Global::OneSafe),
            (self.stable_marking, Global::StableMarking),
            (self.quasi_liveness, Global::QuasiLiveness),
            (self.liveness, Global::Liveness),
        ];
        asked
            .into_iter()
            .filter(|(asked, _)| *asked)
            .map(|(_, global)| global)
    }

    /// All questions but those of files.
    fn questions(&self) -> Vec<Asked> {
        let logics = [
            (Logic::Ltl, &self.ltl),
            (Logic::Ctl, &self.ctl),
            (Logic::CtlStar, &self.ctl_star),
        ];
        let of = |(logic, list): (Logic, &Vec<String>)| {
            let ask = |text: &String| Asked::formula(logic, text).with_dead_ends(self.dead_ends);
            list.iter().map(ask).collect::<Vec<_>>()
        };
        let formulas = logics.into_iter().flat_map(of);
        let globals = self.globals().map(|global| Asked {
            name: global.name().to_owned(),
            ..Asked::global(global)
        });
        formulas.chain(globals).collect()
    }

    fn settings(&self) -> Settings {
        Settings {
            automaton: self.automaton.0,
            propositions: self.propositions,
            engine: self.engine,
            saturation: self.saturation,
            order: self.order,
            product_size: self.stats == Some(Stats::Product),
            sample: self.sat_set,
            evidence: self.format != Form::Mcc,
            ..Settings::default()
        }
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let questions = arguments.questions();
    if questions.is_empty() && arguments.properties.is_empty() {
        bail!(
            "nothing to check: give --ltl, --ctl or --ctl-star with a FORMULA, --properties FILE, or a question such as --deadlock"
        );
    }
    let budget = arguments.limits.budget(watch);
    let answers = Answers::new(arguments.format, &arguments.model, watch);
    for asked in &questions {
        answers.ask(asked);
    }
    let source = match load::source(&arguments.model, &budget)? {
        Ok(source) => source,
        Err(unloaded) => {
            let Some(error) = &unloaded.unknown else {
                return Ok(unloaded.status);
            };
            ask_files(arguments, &budget, &answers, |_| {})?;
            answers.give_up(error.stop().unwrap_or(Stop::Cancelled), out)?;
            return Ok(answers.end(out)?.max(unloaded.status));
        }
    };
    answers.set_model(source.name());
    let mut run = Run::new(&source, arguments.settings());
    for asked in questions {
        run.ask(asked);
    }
    ask_files(arguments, &budget, &answers, |asked| {
        run.ask(asked.with_dead_ends(arguments.dead_ends));
    })?;
    let mut witness: Option<(usize, serde_json::Value)> = None;
    let mut progress = Progress::new();
    let trace = Trace::new();
    let mut written = Ok(());
    let cancel = budget.cancel_flag();
    let answered = run.answer(&budget, &mut |event| match event {
        Event::Unfolding {
            places,
            transitions,
        } => progress.unfolding(*places, *transitions),
        Event::Progress {
            states,
            transitions,
        } => progress.tell(*states, *transitions),
        Event::NotUnfolded(error) => {
            complain(format_args!(
                "unknown: {}: {error}",
                arguments.model.display()
            ));
            answers.set_unfolding(unfolding(error));
        }
        Event::Answer(answered) => {
            let earlier = witness.as_ref().is_none_or(|(n, _)| answered.number < *n);
            if let (true, Some(run)) = (earlier, witness_to_json(answered)) {
                witness = Some((answered.number, run));
            }
            progress.clear();
            if written.is_ok() {
                written = answers.answer(answered, arguments.stats.is_some(), out);
            }
            if written.is_err() {
                // Nobody reads what the others would be.
                cancel.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
        Event::Defect { name, by, error } => {
            complain(format_args!("error: {name}: {by}: {error}"));
        }
        Event::Begins(..) | Event::Ends(..) => {
            if arguments.verbose {
                progress.clear();
                trace.tell(event);
            }
        }
    });
    drop(progress);
    written?;
    answered.with_context(|| arguments.model.display().to_string())?;
    load::warn_of_broken_promise(&source);
    answers.give_up(budget.check().err().unwrap_or(Stop::Memory), out)?;
    if arguments.stats.is_some() {
        answers.stored(run.stored_states(), out)?;
    }
    let mut status = answers.end(out)?;
    if let Some(path) = &arguments.witness {
        use std::io::Write;
        out.flush()?;
        // The answers stay what they are, and the only document on standard output.
        if let Err(error) = save_witness(path, witness.map(|(_, run)| run)) {
            complain(format_args!("error: {error:#}"));
            status = Status::Error;
        }
    }
    watch.finish(out, status)
}

/// Asks the properties of all files, which are read as long as the budget lasts.
fn ask_files(
    arguments: &Arguments,
    budget: &Budget,
    answers: &Answers,
    mut ask: impl FnMut(Asked),
) -> Result<()> {
    for path in &arguments.properties {
        let Ok(bytes) = load::read(path, budget)? else {
            answers.ask_file(path);
            continue;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut file = PropertyFile::new(&name, bytes);
        file.name = path.display().to_string();
        for asked in Asked::file(file).map_err(|error| anyhow!(error.render()))? {
            answers.ask(&asked);
            ask(asked);
        }
    }
    Ok(())
}

fn save_witness(path: &Path, witness: Option<serde_json::Value>) -> Result<()> {
    let Some(value) = witness else {
        complain("no property has a run to save");
        return Ok(());
    };
    std::fs::write(path, format!("{value:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}
