//! `dalsegno check`: properties of a model.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Stop, UnknownName};
use dalsegno::report::{Style, error_to_json, unfolding};
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::symbolic::order::Recipe;
use dalsegno::{
    About, Answered, Asked, AutomatonFile, Emptiness, Engine, Event, Fair, Global, Logic,
    PropertyFile, Propositions, Reductions, Run, Settings, Switch, read_hoa, witness_to_json,
    witnesses_to_json,
};

use crate::answers::{Answers, Form};
use crate::certificates::Certificates;
use crate::choice::choice;
use crate::limits::Limits;
use crate::load;
use crate::progress::{Progress, Trace};
use crate::status::{Status, complain};
use crate::watch::{Output, Watch};
use crate::without_effect;
use crate::workers::Workers;

const AFTER_HELP: &str = "\
Examples:
  dalsegno generate philosophers 5 -o phils.pnml
  dalsegno check phils.pnml --ltl 'G !deadlock'
  dalsegno check phils.pnml --ltl 'G(\"Fork_1 >= 1\" -> F Eat_1)' --stats
  dalsegno check model.pnml --properties LTLCardinality.xml --timeout 60
  dalsegno check phils.pnml --ctl 'AG EF Eat_1' --ctl 'EF deadlock' --sat-set=3
  dalsegno check phils.pnml --ctl-star 'A(G F Eat_1 -> E F Eat_2)'
  dalsegno check phils.pnml --deadlock --one-safe --liveness
  dalsegno generate peterson 2 -o peterson.pnml
  dalsegno check peterson.pnml --ltl 'G(Idle_0 -> F CS_0)' --fair weak
  dalsegno check phils.pnml --ltl 'G F \"fires(FF2a_1)\"' --fair 'strong:FF*'
  dalsegno check phils.pnml --automaton-file bad-runs.hoa
  dalsegno check phils.pnml --ltl 'G F Eat_1' --report phils.html
  dalsegno check a.pnml b.pnml --properties safe.ltl --timeout 1m30s --quiet
  dalsegno generate philosophers 5 | dalsegno check - --ltl 'G !deadlock'

With several models, each has its heading (in JSON its document), its own limits, and the exit code is the worst.

Propositions: a place name (it has a token), a transition name (it is fireable), or a quoted \
text such as \"P1 + 2*P2 <= P3\", \"fireable(t1, t2)\" or \"deadlock\"; in ETF and DVE \"P_0 = CS\" or \
\"P_0.CS\", \"x >= 2\", \"a[2] = 3\". In LTL, and below the path quantifiers of CTL*, \"fires(t1, t2)\" holds \
where the step that is taken next is one of these transitions.

Exit codes: 0 every property holds, 1 some property fails, 2 error, 3 unknown (a limit was hit).";

// Headings of the help.
const PROPERTIES: &str = "Properties";
const DECIDING: &str = "How they are decided";
const SHOWING: &str = "What is shown";

/// Check LTL, CTL and CTL* properties of a model
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Arguments {
    /// Models: Petri nets in PNML, tables in ETF or programs in DVE; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,

    /// An LTL formula that all runs should satisfy; may be repeated
    #[arg(long, help_heading = PROPERTIES, value_name = "FORMULA")]
    ltl: Vec<String>,

    /// A file in the HOA format: no run of the model should be accepted by its automaton, which describes the bad runs; may
    /// be repeated. Its propositions are named as atoms of formulas are
    #[arg(long, help_heading = PROPERTIES, value_name = "FILE")]
    pub(crate) automaton_file: Vec<PathBuf>,

    /// With `--automaton-file`: all runs of the model should be accepted; the automaton is complemented
    #[arg(long, help_heading = PROPERTIES, requires = "automaton_file")]
    all_runs: bool,

    /// A CTL formula that all initial states should satisfy; may be repeated
    #[arg(long, help_heading = PROPERTIES, value_name = "FORMULA")]
    ctl: Vec<String>,

    /// A CTL* formula that all initial states should satisfy; may be repeated
    #[arg(long, help_heading = PROPERTIES, value_name = "FORMULA")]
    ctl_star: Vec<String>,

    /// A file of properties, `-` for standard input; may be repeated. In the XML format of the Model Checking Contest, or
    /// a formula per line, maybe with a name as in `safe: G !p`, and `#` before comments. Formulas of .ltl files are
    /// LTL, of .ctl files CTL; in other files path quantifiers tell
    #[arg(long, help_heading = PROPERTIES, value_name = "FILE")]
    properties: Vec<PathBuf>,

    /// Ask whether some reachable state has no successor
    #[arg(long, help_heading = PROPERTIES)]
    deadlock: bool,

    /// Ask whether no place ever holds two tokens
    #[arg(long, help_heading = PROPERTIES)]
    one_safe: bool,

    /// Ask whether some place keeps its number of tokens for ever
    #[arg(long, help_heading = PROPERTIES)]
    stable_marking: bool,

    /// Ask whether each transition can fire once
    #[arg(long, help_heading = PROPERTIES)]
    quasi_liveness: bool,

    /// Ask whether each transition can always fire again
    #[arg(long, help_heading = PROPERTIES)]
    liveness: bool,

    /// The engine: states one by one (`explicit`), sets of states as decision diagrams
    /// (`symbolic`), or what fits (`auto`)
    #[arg(long, help_heading = DECIDING, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: Engine,

    /// How diagrams are saturated: by every step that leaves the automaton alone (`on`), by
    /// stuttering steps of testing automata only (`stuttering`), or not at all (`off`)
    #[arg(long, help_heading = DECIDING, value_name = "HOW", value_parser = choice::<Saturation>(Saturation::NAMES), default_value = "on")]
    pub(crate) saturation: Saturation,

    /// The order of the levels of diagrams, by a name that `dalsegno orders` prints
    #[arg(long, help_heading = DECIDING, value_name = "NAME")]
    pub(crate) order: Option<Recipe>,

    /// The kind of automaton; `auto` takes a lazy TGTA where some part of the property is
    /// stutter-invariant, a TGBA otherwise
    #[arg(long, help_heading = DECIDING, value_name = "KIND", value_parser = choice::<Automaton>(AUTOMATA), default_value = "auto")]
    pub(crate) automaton: Automaton,

    /// How the explicit engine looks for accepting cycles of a linear-time property: depth first (`couvreur`), or on the
    /// whole product (`owcty`), which takes less memory [default: depth first, and the other when memory gets short]
    #[arg(long, help_heading = DECIDING, value_name = "HOW", value_parser = choice::<Emptiness>(Emptiness::NAMES))]
    pub(crate) emptiness: Option<Emptiness>,

    /// Whether the explicit engine leaves out steps by stubborn sets (partial-order reduction); answers do not depend on it
    #[arg(long, help_heading = DECIDING, value_name = "HOW", value_parser = choice::<Switch>(Switch::NAMES), default_value = "on")]
    pub(crate) por: Switch,

    /// What a dead end does: repeat its state for ever (`stutter`), end a path (`finite`), or end a path that
    /// does not count (`ignore`) [default: finite for CTL, stutter for LTL and CTL*]
    #[arg(long, help_heading = PROPERTIES, value_name = "HOW")]
    pub(crate) dead_ends: Option<DeadEnds>,

    /// For LTL and automata, only runs that are fair count: `weak` or `strong` for all transitions, `weak:NAME` or
    /// `strong:NAME` for those of a name or a pattern with `*` and `?`; may be repeated. A weakly fair transition fires
    /// again and again if it stays enabled, a strongly fair one if it is enabled again and again. A transition of a
    /// coloured net means each of its bindings
    #[arg(long, help_heading = PROPERTIES, value_name = "HOW")]
    pub(crate) fair: Vec<Fair>,

    /// Whether nets are reduced by their structure: for questions that are not answered at once (`on`), before anything
    /// else (`first`), or never (`off`). Runs are shown on the net that was given
    #[arg(long, help_heading = DECIDING, value_name = "WHETHER", value_parser = choice::<Reductions>(Reductions::NAMES), default_value = "on")]
    pub(crate) reductions: Reductions,

    /// For CTL and CTL*, count the reachable states that satisfy each property and show some of them
    #[arg(
        long,
        help_heading = SHOWING,
        value_name = "COUNT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5"
    )]
    pub(crate) sat_set: Option<usize>,

    /// What automata observe: atoms, or maximal Boolean subformulas where those are fewer
    #[arg(long, help_heading = DECIDING, value_name = "WHAT", value_parser = choice::<Propositions>(Propositions::NAMES), default_value = "boolean")]
    pub(crate) propositions: Propositions,

    /// Tell on standard error which method works, and when
    #[arg(long, help_heading = SHOWING, short, conflicts_with = "quiet")]
    verbose: bool,

    /// Show a whole run, a stem and a cycle, also where its beginning violates the property
    #[arg(long, help_heading = SHOWING)]
    lasso: bool,

    /// Look for the shortest run or prefix, whatever it takes, and tell whether there is no shorter one
    #[arg(long, help_heading = SHOWING)]
    shortest: bool,

    /// Show all steps and values of runs, however many there are
    #[arg(long, help_heading = SHOWING)]
    full: bool,

    #[command(flatten)]
    workers: Workers,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, help_heading = SHOWING, value_enum, default_value_t = Form::Text)]
    pub(crate) format: Form,

    /// Write what properties have shown to a file, for `dalsegno replay`: runs, paths and explanations
    #[arg(long, help_heading = SHOWING, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,

    /// Write the answers and what they show as a page for a browser: one HTML file that needs nothing else
    #[arg(long, help_heading = SHOWING, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Write a proof of each answer that no run or path shows, for `dalsegno verify`: to a file, or with several
    /// properties to files in a folder of that name
    #[arg(long, help_heading = SHOWING, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,

    /// Tell what each answer took; with `=product` also the size of the whole product, which is
    /// explored for it, or with `--engine symbolic` the share of stuttering transitions
    #[arg(
        long,
        help_heading = SHOWING,
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
pub(crate) struct Automaton(pub(crate) Option<Kind>);

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

    /// The automata of files, each as a question; files are read as long as the budget lasts.
    fn automata(&self, budget: &Budget, answers: &Answers) -> Result<Vec<Asked>> {
        let mut asked = Vec::new();
        for path in &self.automaton_file {
            let name = path.display().to_string();
            let Ok(bytes) = load::read(path, budget)? else {
                answers.ask_file(path);
                continue;
            };
            let text = String::from_utf8(bytes);
            let text = text.with_context(|| format!("{name} is not a text in UTF-8"))?;
            let automata = read_hoa(&text).map_err(|e| anyhow!("{name}, {}", e.render(&text)))?;
            for automaton in automata {
                let content = automaton.document.content;
                let name = name.clone();
                let file = AutomatonFile { name, content };
                asked.push(self.completed(Asked::automaton(file, self.all_runs)));
            }
        }
        Ok(asked)
    }

    /// A question with what is said of all of them.
    fn completed(&self, asked: Asked) -> Asked {
        asked
            .with_dead_ends(self.dead_ends)
            .with_fairness(&self.fair)
    }

    /// All questions but those of files.
    pub(crate) fn questions(&self) -> Vec<Asked> {
        let logics = [
            (Logic::Ltl, &self.ltl),
            (Logic::Ctl, &self.ctl),
            (Logic::CtlStar, &self.ctl_star),
        ];
        let of = |(logic, list): (Logic, &Vec<String>)| {
            let ask = |text: &String| self.completed(Asked::formula(logic, text));
            list.iter().map(ask).collect::<Vec<_>>()
        };
        let formulas = logics.into_iter().flat_map(of);
        let globals = self.globals().map(|global| Asked {
            name: global.name().to_owned(),
            fairness: self.fair.clone(),
            ..Asked::global(global)
        });
        formulas.chain(globals).collect()
    }

    fn settings(&self) -> Result<Settings> {
        Ok(Settings {
            automaton: self.automaton.0,
            propositions: self.propositions,
            engine: self.engine,
            saturation: self.saturation,
            order: self.order,
            product_size: self.stats == Some(Stats::Product),
            sample: self.sat_set,
            reductions: self.reductions,
            evidence: self.format != Form::Mcc || self.witness.is_some() || self.report.is_some(),
            automaton_run: self.format == Form::Json,
            details: self.report.is_some(),
            proofs: self.certificate.is_some(),
            lasso: self.lasso,
            shortest: self.shortest,
            emptiness: self.emptiness,
            por: self.por == Switch::On,
            threads: self.workers.threads(),
            hosts: self.workers.hosts(self.engine, self.emptiness)?,
            ..Settings::default()
        })
    }
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let questions = arguments.questions();
    let files = arguments.properties.len() + arguments.automaton_file.len();
    if questions.is_empty() && files == 0 {
        bail!(
            "nothing to check: give --ltl, --ctl or --ctl-star with a FORMULA, --properties or --automaton-file with a FILE, or a question such as --deadlock"
        );
    }
    if load::reads_standard_input(arguments.models.iter().chain(&arguments.properties)) > 1 {
        bail!(
            "standard input can be read once: only one of models and files of properties can be `-`"
        );
    }
    let others = !arguments.properties.is_empty()
        || !arguments.ctl.is_empty()
        || !arguments.ctl_star.is_empty()
        || arguments.globals().next().is_some();
    if arguments.workers.hosts.is_some() && others {
        bail!("--hosts takes --ltl and --automaton-file only");
    }
    let floods = arguments.workers.hosts.is_some() || arguments.emptiness == Some(Emptiness::Owcty);
    if floods && !arguments.fair.is_empty() {
        bail!("--fair needs a depth-first search: leave --hosts and --emptiness owcty out");
    }
    if arguments.witness.is_some() && arguments.models.len() > 1 {
        bail!("--witness saves what one model shows: give it with one model");
    }
    if arguments.report.is_some() && arguments.models.len() > 1 {
        bail!("--report shows one model: give it with one model");
    }
    if arguments.certificate.is_some() && arguments.models.len() > 1 {
        bail!("--certificate saves proofs about one model: give it with one model");
    }
    let mut files = None;
    let mut status = Status::Done;
    for (number, model) in arguments.models.iter().enumerate() {
        if arguments.models.len() > 1 && arguments.format == Form::Text {
            let blank = if number == 0 { "" } else { "\n" };
            writeln!(out, "{blank}{}:", model.display())?;
        }
        let checked = check(arguments, model, &mut files, status, watch, out);
        status = status.max(match checked {
            Err(error) if arguments.models.len() > 1 && !crate::is_broken_pipe(&error) => {
                complain(format_args!("error: {error:#}"));
                if arguments.wants_json() {
                    writeln!(out, "{:#}", error_to_json(&format!("{error:#}")))?;
                }
                Status::Error
            }
            checked => checked?,
        });
        out.flush()?;
        if watch.cancel_flag().load(Ordering::Relaxed) {
            break;
        }
    }
    watch.finish(out, status)
}

/// The properties of all files, which are read as long as the budget lasts; those that are not are told to `unread`. What
/// was read for one model is kept for the next.
fn files(
    arguments: &Arguments,
    kept: &mut Option<Vec<Asked>>,
    budget: &Budget,
    mut unread: impl FnMut(&Path),
) -> Result<Vec<Asked>> {
    if let Some(asked) = kept {
        return Ok(asked.clone());
    }
    let mut all = Vec::new();
    let mut complete = true;
    for path in &arguments.properties {
        let Ok(bytes) = load::read(path, budget)? else {
            unread(path);
            complete = false;
            continue;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut file = PropertyFile::new(&name, bytes);
        file.name = path.display().to_string();
        let asked = Asked::file(file).map_err(|error| anyhow!(error.render()))?;
        all.extend(asked.into_iter().map(|asked| arguments.completed(asked)));
    }
    if complete {
        without_effect::warn_of(arguments, &all);
        *kept = Some(all.clone());
    }
    Ok(all)
}

/// The answers of one model, in the form that was asked for.
fn answers(arguments: &Arguments, model: &Path, so_far: Status, watch: &Watch) -> Answers {
    let style = Style {
        full: arguments.full,
        shortest: arguments.shortest,
    };
    let answers = Answers::new(arguments.format, style, model, so_far, watch);
    if let Some(path) = &arguments.report {
        answers.report_to(path);
    }
    answers
}

/// Checks one model; `so_far` is how those before it ended.
fn check(
    arguments: &Arguments,
    model: &Path,
    kept: &mut Option<Vec<Asked>>,
    so_far: Status,
    watch: &Watch,
    out: &mut Output,
) -> Result<Status> {
    let budget = arguments.limits.budget(watch);
    let answers = answers(arguments, model, so_far, watch);
    let mut questions = arguments.questions();
    questions.extend(arguments.automata(&budget, &answers)?);
    for asked in &questions {
        answers.ask(asked);
    }
    let mut ask_files = |questions: &mut Vec<Asked>| -> Result<()> {
        for asked in files(arguments, kept, &budget, |path| answers.ask_file(path))? {
            answers.ask(&asked);
            questions.push(asked);
        }
        Ok(())
    };
    let source = match load::source(model, &budget)? {
        Ok(source) => source,
        Err(unloaded) => {
            let Some(error) = &unloaded.unknown else {
                return Ok(unloaded.status);
            };
            ask_files(&mut questions)?;
            answers.give_up(error.stop().unwrap_or(Stop::Cancelled), out)?;
            return Ok(answers.end(out)?.max(unloaded.status));
        }
    };
    answers.set_model(&source);
    ask_files(&mut questions)?;
    let titles: Vec<String> = questions.iter().map(title).collect();
    let mut run = Run::new(&source, arguments.settings()?);
    for asked in questions {
        run.ask(asked);
    }
    let mut saving = Saving::new(arguments, titles.len() == 1);
    let mut progress = Progress::new(&budget);
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
            complain(format_args!("unknown: {}: {error}", model.display()));
            answers.set_unfolding(unfolding(error));
        }
        Event::Answer(answered) => {
            saving.take(answered);
            if written.is_ok() {
                let stats = arguments.stats.is_some();
                written = progress.aside(|| answers.answer(answered, stats, out));
            }
            if written.is_err() {
                // Nobody reads what the others would be.
                cancel.store(true, Ordering::Relaxed);
            }
        }
        Event::Defect { name, by, error } => {
            complain(format_args!("error: {name}: {by}: {error}"));
        }
        Event::Begins(..) | Event::Ends(..) => {
            if let Event::Begins(tool, open) = event {
                let first = open.first().and_then(|&n| titles.get(n));
                progress.begin(*tool, open.len(), first.map_or("", String::as_str));
            }
            if arguments.verbose {
                progress.aside(|| trace.tell(event));
            }
        }
    });
    drop(progress);
    written?;
    answered.with_context(|| model.display().to_string())?;
    load::warn_of_broken_promise(&source);
    answers.give_up(budget.check().err().unwrap_or(Stop::Memory), out)?;
    if arguments.stats.is_some() {
        answers.stored(run.stored_states(), out)?;
    }
    let status = answers.end(out)?;
    out.flush()?;
    // The answers stay what they are, and the only document on standard output.
    let saved = saving.end(source.name());
    if let Err(error) = saved {
        complain(format_args!("error: {error:#}"));
        return Ok(Status::Error);
    }
    Ok(status)
}

/// What answers leave behind in files.
struct Saving<'a> {
    witness: Option<&'a Path>,
    witnesses: BTreeMap<usize, serde_json::Value>,
    certificates: Option<Certificates>,
}

impl<'a> Saving<'a> {
    fn new(arguments: &'a Arguments, single: bool) -> Self {
        let certificate = arguments.certificate.as_deref();
        Saving {
            witness: arguments.witness.as_deref(),
            witnesses: BTreeMap::new(),
            certificates: certificate.map(|path| Certificates::new(path, single)),
        }
    }

    fn take(&mut self, answered: &Answered<'_>) {
        if self.witness.is_some()
            && let Some(shown) = witness_to_json(answered)
        {
            self.witnesses.insert(answered.number, shown);
        }
        if let Some(certificates) = &mut self.certificates {
            certificates.take(answered);
        }
    }

    fn end(self, model: &str) -> Result<()> {
        self.certificates.map_or(Ok(()), Certificates::end)?;
        let Some(path) = self.witness else {
            return Ok(());
        };
        let witnesses: Vec<_> = self.witnesses.into_values().collect();
        save_witnesses(path, model, &witnesses)
    }
}

/// What to call a question in the line of progress.
fn title(asked: &Asked) -> String {
    match &asked.about {
        About::Formula(_, text) if asked.name.is_empty() => text.clone(),
        _ => asked.name.clone(),
    }
}

fn save_witnesses(path: &Path, model: &str, witnesses: &[serde_json::Value]) -> Result<()> {
    if witnesses.is_empty() {
        complain("no property has a run or a path to save");
    }
    let document = witnesses_to_json(model, witnesses);
    std::fs::write(path, format!("{document:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}
