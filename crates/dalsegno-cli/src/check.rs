//! `dalsegno check`: properties of a model.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Predicate, Stop, Verdict};
use dalsegno::logic::{FormulaId, FormulaStore, Node, PropId};
use dalsegno::models::petri::properties::{self, PropertySet, Question};
use dalsegno::report::Checked;
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::symbolic::order::Recipe;
use dalsegno::{CheckOptions, Checker, Engine, Propositions, Session};

use crate::answers::{Answer, Answers, Asked, Form};
use crate::check_branching::{self, branching_task};
use crate::limits::{Limits, Progress};
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

Propositions: a place name (it has a token), a transition name (it is fireable), or a quoted
text such as \"P1 + 2*P2 <= P3\", \"fireable(t1, t2)\" or \"deadlock\"; in ETF and DVE \"P_0 = CS\" or
\"P_0.CS\", \"x >= 2\", \"a[2] = 3\".

Exit codes: 0 every property holds, 1 some property fails, 2 error, 3 unknown (a limit was hit).";

/// Check LTL, CTL and CTL* properties of a model
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
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

    /// A file of properties in the format of the Model Checking Contest: LTL, reachability or CTL
    #[arg(long, value_name = "FILE")]
    properties: Vec<PathBuf>,

    /// The engine: states one by one (`explicit`), sets of states as decision diagrams
    /// (`symbolic`), or what fits (`auto`)
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(crate) engine: Engine,

    /// How diagrams are saturated: by every step that leaves the automaton alone (`on`), by
    /// stuttering steps of testing automata only (`stuttering`), or not at all (`off`)
    #[arg(long, value_enum, default_value_t = Saturated::On)]
    saturation: Saturated,

    /// The order of the levels of diagrams, by a name that `dalsegno orders` prints
    #[arg(long, value_name = "NAME")]
    pub(crate) order: Option<Recipe>,

    /// The kind of automaton; `auto` takes a lazy TGTA where some part of the property is
    /// stutter-invariant, a TGBA otherwise
    #[arg(long, value_enum, default_value_t = Automaton::Auto)]
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
    #[arg(long, value_enum, default_value_t = Observe::Boolean)]
    propositions: Observe,

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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Saturated {
    On,
    Stuttering,
    Off,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Automaton {
    Auto,
    Tgta,
    Tgba,
    Ba,
    Ta,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Observe {
    Boolean,
    Raw,
}

/// A property to check: all paths satisfy `path`, or if `existential` not all do.
struct Task {
    /// Its number among all that was asked.
    number: usize,
    asked: Asked,
    path: FormulaId,
    existential: bool,
    atoms: Vec<(PropId, Predicate)>,
}

pub(crate) fn run(arguments: &Arguments, watch: &Watch, out: &mut Output) -> Result<Status> {
    let formulas = [&arguments.ltl, &arguments.ctl, &arguments.ctl_star];
    if formulas.iter().all(|list| list.is_empty()) && arguments.properties.is_empty() {
        bail!(
            "nothing to check: give --ltl, --ctl or --ctl-star with a FORMULA, or --properties FILE"
        );
    }
    let budget = arguments.limits.budget(watch);
    let answers = Answers::new(arguments.format, load::name(&arguments.model), watch);
    let formulas = ask_formulas(arguments, &answers);
    let session = match load::model(&arguments.model, &budget)? {
        Ok(session) => session,
        Err(unloaded) => return write_unloaded(arguments, &unloaded, &budget, &answers, out),
    };
    answers.set_model(session.model().name());
    let mut store = FormulaStore::new();
    let Tasks { linear, branching } =
        tasks(arguments, formulas, &session, &mut store, &budget, &answers)?;
    let check = Check {
        session: &session,
        arguments,
        answers: &answers,
        budget: &budget,
    };
    let witnesses = check.linear(&mut store, linear, out)?;
    check_branching::run(&check, &mut store, &branching, out)?;
    load::warn_of_broken_promise(&session);
    answers.give_up(budget.check().err().unwrap_or(Stop::Memory), out)?;
    let status = answers.end(out)?;
    if let Some(path) = &arguments.witness {
        out.flush()?;
        save_witness(path, witnesses)?;
    }
    watch.finish(out, status)
}

/// What checking properties of all logics needs.
pub(crate) struct Check<'a> {
    pub(crate) session: &'a Session,
    pub(crate) arguments: &'a Arguments,
    pub(crate) answers: &'a Answers,
    pub(crate) budget: &'a Budget,
}

impl Check<'_> {
    /// Checks linear properties and prints each answer when it is known; a run that can be saved, if one was found.
    /// With a limit of time a property first has its part of a half of it, so that a hard one does not keep easy ones
    /// waiting.
    fn linear(
        &self,
        store: &mut FormulaStore,
        mut open: Vec<Task>,
        out: &mut Output,
    ) -> Result<Option<serde_json::Value>> {
        let options = self.options();
        let mut checker = Checker::new(self.session);
        let mut witness: Option<(usize, serde_json::Value)> = None;
        let rounds: &[u32] = if open.len() > 1 { &[2, 1] } else { &[1] };
        for &part in rounds {
            let mut waiting = open.len() as u32;
            for task in std::mem::take(&mut open) {
                let mut share = self.budget.clone();
                if let Some(left) = share.time_left() {
                    share = share.with_time(left / (part * waiting));
                }
                waiting -= 1;
                let mut progress = Progress::new();
                let (path, atoms) = (task.path, &task.atoms);
                let outcome = checker.check_ltl(store, path, atoms, &options, &share, |explored| {
                    progress.tell(explored.states, explored.transitions);
                });
                drop(progress);
                let outcome = match outcome {
                    Ok(outcome) => outcome,
                    Err(error) => {
                        self.answers.error(task.number, &error.to_string());
                        continue;
                    }
                };
                let open_yet = outcome.verdict == Verdict::Unknown(Stop::Time);
                if part > 1 && open_yet && outcome.prefix.is_none() {
                    open.push(task);
                    continue;
                }
                let checked = Checked {
                    outcome,
                    name: task.asked.name.clone(),
                    formula: task.asked.formula.clone(),
                    dead_ends: options.dead_ends,
                    existential: task.existential,
                };
                let earlier = witness.as_ref().is_none_or(|(n, _)| task.number < *n);
                if self.arguments.witness.is_some()
                    && earlier
                    && let Some(run) = witness_of(&checked, self.session)
                {
                    witness = Some((task.number, run));
                }
                self.tell(task.number, &checked, out)?;
            }
        }
        Ok(witness.map(|(_, run)| run))
    }

    fn options(&self) -> CheckOptions {
        let arguments = self.arguments;
        CheckOptions {
            automaton: match arguments.automaton {
                Automaton::Auto => None,
                Automaton::Tgta => Some(Kind::Tgta),
                Automaton::Tgba => Some(Kind::Tgba),
                Automaton::Ba => Some(Kind::Ba),
                Automaton::Ta => Some(Kind::Ta),
            },
            propositions: match arguments.propositions {
                Observe::Boolean => Propositions::Boolean,
                Observe::Raw => Propositions::Raw,
            },
            dead_ends: arguments.dead_ends.unwrap_or(DeadEnds::Stutter),
            engine: arguments.engine,
            saturation: match arguments.saturation {
                Saturated::On => Saturation::Loops,
                Saturated::Stuttering => Saturation::Stuttering,
                Saturated::Off => Saturation::Off,
            },
            order: arguments.order,
            product_size: arguments.stats == Some(Stats::Product),
            ..CheckOptions::default()
        }
    }

    fn tell(&self, number: usize, checked: &Checked, out: &mut Output) -> Result<()> {
        let model = self.session.model();
        let mut text = Vec::new();
        let mut json = None;
        match self.arguments.format {
            Form::Text => checked.write_text(model, self.arguments.stats.is_some(), &mut text)?,
            Form::Mcc => write_mcc(checked, &mut text)?,
            Form::Json => json = Some(checked.to_json(model)),
        }
        let status = Status::of_verdict(checked.holds());
        let answer = Answer { status, text, json };
        Ok(self.answers.answer(number, answer, out)?)
    }
}

/// What is said without a model: if a limit kept it from being loaded, all properties are unknown.
fn write_unloaded(
    arguments: &Arguments,
    unloaded: &load::Unloaded,
    budget: &Budget,
    answers: &Answers,
    out: &mut Output,
) -> Result<Status> {
    let Some(error) = &unloaded.unknown else {
        return Ok(unloaded.status);
    };
    for file in &arguments.properties {
        // Only names are read, which takes no time; but a pipe may.
        let Ok(bytes) = load::read(file, budget)? else {
            break;
        };
        let names = properties::ids(&bytes).with_context(|| file.display().to_string())?;
        for name in names {
            answers.ask(Asked {
                name,
                ..Asked::default()
            });
        }
    }
    answers.set_unfolding(dalsegno::unfolding(error));
    answers.give_up(error.stop().unwrap_or(Stop::Cancelled), out)?;
    Ok(answers.end(out)?.max(unloaded.status))
}

fn write_mcc(checked: &Checked, out: &mut impl Write) -> std::io::Result<()> {
    let value = match checked.holds() {
        Some(true) => "TRUE",
        Some(false) => "FALSE",
        None => return writeln!(out, "CANNOT_COMPUTE"),
    };
    let name = if checked.name.is_empty() {
        &checked.formula
    } else {
        &checked.name
    };
    let technique = match checked.outcome.engine {
        Engine::Symbolic => "DECISION_DIAGRAMS",
        Engine::Auto | Engine::Explicit => "EXPLICIT",
    };
    writeln!(out, "FORMULA {name} {value} TECHNIQUES {technique}")
}

/// The run of an answer, as `dalsegno replay` reads it.
fn witness_of(checked: &Checked, session: &Session) -> Option<serde_json::Value> {
    let mut value = checked.witness_to_json(session.model())?;
    let formula = if checked.existential {
        format!("!({})", checked.formula)
    } else {
        checked.formula.clone()
    };
    value["formula"] = formula.into();
    value["dead_ends"] = checked.dead_ends.to_string().into();
    Some(value)
}

fn save_witness(path: &PathBuf, witness: Option<serde_json::Value>) -> Result<()> {
    let Some(value) = witness else {
        complain("no property has a run to save");
        return Ok(());
    };
    std::fs::write(path, format!("{value:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The properties of all logics that have no error.
struct Tasks {
    linear: Vec<Task>,
    branching: Vec<check_branching::Task>,
}

const LTL: &str = "ltl";
const CTL: &str = "ctl";
const CTL_STAR: &str = "ctl*";

/// Asks the formulas of the command line, with their numbers.
fn ask_formulas(arguments: &Arguments, answers: &Answers) -> Vec<(usize, Asked)> {
    let logics = [
        (LTL, &arguments.ltl),
        (CTL, &arguments.ctl),
        (CTL_STAR, &arguments.ctl_star),
    ];
    let mut formulas = Vec::new();
    for (logic, list) in logics {
        for formula in list {
            let asked = Asked {
                name: String::new(),
                logic: logic.to_owned(),
                formula: formula.clone(),
            };
            formulas.push((answers.ask(asked.clone()), asked));
        }
    }
    formulas
}

/// Makes tasks of all properties; those that are wrong have their error.
fn tasks(
    arguments: &Arguments,
    formulas: Vec<(usize, Asked)>,
    session: &Session,
    store: &mut FormulaStore,
    budget: &Budget,
    answers: &Answers,
) -> Result<Tasks> {
    let mut tasks = Tasks {
        linear: Vec::new(),
        branching: Vec::new(),
    };
    for (number, asked) in formulas {
        let text = &asked.formula;
        if asked.logic != LTL {
            let ctl = asked.logic == CTL;
            match branching_task(session, store, number, asked, ctl) {
                Ok(task) => tasks.branching.push(task),
                Err(message) => answers.error(number, &message),
            }
            continue;
        }
        let parsed = session.parse(store, text).map_err(|e| e.render(text));
        let meant = parsed.and_then(|f| Ok((f, session.atoms(store, f).map_err(|e| e.render())?)));
        match meant {
            Ok((path, atoms)) => tasks.linear.push(Task {
                number,
                asked,
                path,
                existential: false,
                atoms,
            }),
            Err(message) => answers.error(number, &message),
        }
    }
    for file in &arguments.properties {
        let Ok(bytes) = load::read(file, budget)? else {
            answers.ask_file(file);
            continue;
        };
        let set = match properties::parse_within(&bytes, session.symbols(), store, budget) {
            Ok(set) => set,
            Err(error) if error.stop().is_some() => {
                complain(format_args!("unknown: {}: {error}", file.display()));
                answers.ask_file(file);
                continue;
            }
            Err(error) => return Err(error).with_context(|| file.display().to_string()),
        };
        add_properties(store, &set, file, answers, &mut tasks);
    }
    Ok(tasks)
}

/// Asks the properties of a file.
fn add_properties(
    store: &mut FormulaStore,
    set: &PropertySet,
    file: &Path,
    answers: &Answers,
    tasks: &mut Tasks,
) {
    let branching = check_branching::is_branching(store, set, file);
    for property in &set.properties {
        let mut asked = Asked {
            name: property.id.clone(),
            ..Asked::default()
        };
        let Question::Formula(f) = property.question else {
            let number = answers.ask(asked);
            answers.error(number, "`check` does not compute bounds; see `mcc`");
            continue;
        };
        asked.formula = store.display(f).to_string();
        let atoms = set.atoms_of(store, f);
        if branching {
            let ctl = check_branching::is_ctl(store, f);
            if ctl { CTL } else { CTL_STAR }.clone_into(&mut asked.logic);
            let number = answers.ask(asked.clone());
            match check_branching::Task::new(store, number, asked, f, atoms, ctl) {
                Ok(task) => tasks.branching.push(task),
                Err(message) => answers.error(number, &message),
            }
            continue;
        }
        LTL.clone_into(&mut asked.logic);
        let number = answers.ask(asked.clone());
        let (path, existential) = match store.node(f) {
            Node::Forall(path) => (path, false),
            Node::Exists(path) => (store.not(path), true),
            _ => (f, false),
        };
        tasks.linear.push(Task {
            number,
            asked,
            path,
            existential,
            atoms,
        });
    }
}
