//! `dalsegno check`: properties of a model.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Predicate, Stop, Verdict};
use dalsegno::logic::{FormulaId, FormulaStore, Node, PropId, parse};
use dalsegno::models::petri::properties::{self, Question};
use dalsegno::models::unpack;
use dalsegno::report::{Checked, check_to_json};
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::symbolic::order::Recipe;
use dalsegno::{CheckOptions, Checker, Engine, Propositions, Session, unloaded_check};

use crate::check_branching::{self, branching_task};
use crate::limits::{Limits, Progress};
use crate::load;
use crate::status::{Status, complain};

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
    engine: Engine,

    /// How diagrams are saturated: by every step that leaves the automaton alone (`on`), by
    /// stuttering steps of testing automata only (`stuttering`), or not at all (`off`)
    #[arg(long, value_enum, default_value_t = Saturated::On)]
    saturation: Saturated,

    /// The order of the levels of diagrams, by a name that `dalsegno orders` prints
    #[arg(long, value_name = "NAME")]
    order: Option<Recipe>,

    /// The kind of automaton; `auto` takes a lazy TGTA where some part of the property is
    /// stutter-invariant, a TGBA otherwise
    #[arg(long, value_enum, default_value_t = Automaton::Auto)]
    automaton: Automaton,

    /// What a dead end does: repeat its state for ever (`stutter`), end a path (`finite`), or end a path that
    /// does not count (`ignore`) [default: finite for CTL, stutter for LTL and CTL*]
    #[arg(long, value_name = "HOW")]
    dead_ends: Option<DeadEnds>,

    /// For CTL and CTL*, count the reachable states that satisfy each property and show some of them
    #[arg(
        long,
        value_name = "COUNT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5"
    )]
    sat_set: Option<usize>,

    /// What automata observe: atoms, or maximal Boolean subformulas where those are fewer
    #[arg(long, value_enum, default_value_t = Observe::Boolean)]
    propositions: Observe,

    #[command(flatten)]
    limits: Limits,

    /// The form of the output
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,

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
    stats: Option<Stats>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stats {
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
    Mcc,
}

/// A property to check: all paths satisfy `path`, or if `existential` not all do.
struct Task {
    name: String,
    text: String,
    path: FormulaId,
    existential: bool,
    atoms: Vec<(PropId, Predicate)>,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Status> {
    let formulas = [&arguments.ltl, &arguments.ctl, &arguments.ctl_star];
    if formulas.iter().all(|list| list.is_empty()) && arguments.properties.is_empty() {
        bail!(
            "nothing to check: give --ltl, --ctl or --ctl-star with a FORMULA, or --properties FILE"
        );
    }
    let budget = arguments.limits.budget()?;
    let session = match load::model(&arguments.model, &budget)? {
        Ok(session) => session,
        Err(unloaded) => return write_unloaded(arguments, &unloaded, out),
    };
    let mut store = FormulaStore::new();
    let (tasks, branching) = match tasks(arguments, &session, &mut store, &budget)? {
        Ok(found) => found,
        Err(status) => return Ok(status),
    };
    let options = CheckOptions {
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
    };
    let mut show = |checked: &Checked| -> std::io::Result<()> {
        match arguments.format {
            Form::Text => checked.write_text(session.model(), arguments.stats.is_some(), out)?,
            Form::Mcc => write_mcc(checked, out)?,
            Form::Json => {}
        }
        out.flush()
    };
    let results = linear(&session, &mut store, &tasks, &options, &budget, &mut show)?;
    let mut status = status(&results);
    let mut values: Vec<serde_json::Value> = Vec::new();
    if arguments.format == Form::Json {
        values.extend(results.iter().map(|r| r.to_json(session.model())));
    }
    let asked = check_branching::Asked {
        engine: arguments.engine,
        dead_ends: arguments.dead_ends,
        order: arguments.order,
        sample: arguments.sat_set,
        explain: arguments.format != Form::Mcc,
    };
    let answered = check_branching::run(&session, &mut store, &branching, asked, &budget)?;
    for checked in &answered {
        match arguments.format {
            Form::Text => {
                checked.write_text(session.model(), &store, arguments.stats.is_some(), out)?;
            }
            Form::Mcc => check_branching::write_mcc(checked, out)?,
            Form::Json => values.push(checked.to_json(session.model(), &store)),
        }
        status = status.max(check_branching::status(checked));
    }
    if arguments.format == Form::Json {
        writeln!(out, "{:#}", check_to_json(session.model(), &values))?;
    }
    if let Some(path) = &arguments.witness {
        save_witness(path, &session, &results)?;
    }
    Ok(status)
}

/// Checks linear properties and shows each answer when it is known; all answers, in the order of the properties. With a
/// limit of time a property first has its part of a half of it, so that a hard one does not keep easy ones waiting.
fn linear(
    session: &Session,
    store: &mut FormulaStore,
    tasks: &[Task],
    options: &CheckOptions,
    budget: &Budget,
    show: &mut dyn FnMut(&Checked) -> std::io::Result<()>,
) -> Result<Vec<Checked>> {
    let mut checker = Checker::new(session);
    let mut answers: Vec<(usize, Checked)> = Vec::new();
    let mut open: Vec<usize> = (0..tasks.len()).collect();
    let rounds: &[u32] = if tasks.len() > 1 { &[2, 1] } else { &[1] };
    for &part in rounds {
        let mut waiting = open.len() as u32;
        for number in std::mem::take(&mut open) {
            let task = &tasks[number];
            let mut share = budget.clone();
            if let Some(left) = budget.time_left() {
                share = share.with_time(left / (part * waiting));
            }
            waiting -= 1;
            let mut progress = Progress::new();
            let (path, atoms) = (task.path, &task.atoms);
            let outcome = checker.check_ltl(store, path, atoms, options, &share, |explored| {
                progress.tell(explored.states, explored.transitions);
            });
            drop(progress);
            let outcome = outcome.with_context(|| task.text.clone())?;
            let open_yet = outcome.verdict == Verdict::Unknown(Stop::Time);
            if part > 1 && open_yet && outcome.prefix.is_none() {
                open.push(number);
                continue;
            }
            let checked = Checked {
                outcome,
                name: task.name.clone(),
                formula: task.text.clone(),
                dead_ends: options.dead_ends,
                existential: task.existential,
            };
            show(&checked)?;
            answers.push((number, checked));
        }
    }
    answers.sort_by_key(|(number, _)| *number);
    Ok(answers.into_iter().map(|(_, checked)| checked).collect())
}

/// What is said without a model: if a limit kept it from being loaded, all properties are unknown.
fn write_unloaded(
    arguments: &Arguments,
    unloaded: &load::Unloaded,
    out: &mut impl Write,
) -> Result<Status> {
    let error = match (&unloaded.unknown, arguments.format) {
        (None, _) | (_, Form::Text) => return Ok(unloaded.status),
        (Some(_), Form::Mcc) => {
            writeln!(out, "CANNOT_COMPUTE")?;
            return Ok(unloaded.status);
        }
        (Some(error), Form::Json) => error,
    };
    let texts = [
        ("ltl", &arguments.ltl),
        ("ctl", &arguments.ctl),
        ("ctl*", &arguments.ctl_star),
    ];
    let mut unknown: Vec<[String; 3]> = Vec::new();
    for (logic, list) in texts {
        let property = |text: &String| [String::new(), logic.to_owned(), text.clone()];
        unknown.extend(list.iter().map(property));
    }
    for file in &arguments.properties {
        let bytes =
            std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let bytes =
            unpack(&bytes, &Budget::unlimited()).with_context(|| file.display().to_string())?;
        let names = properties::ids(&bytes).with_context(|| file.display().to_string())?;
        unknown.extend(
            names
                .into_iter()
                .map(|id| [id, String::new(), String::new()]),
        );
    }
    let name = load::name(&arguments.model);
    writeln!(out, "{:#}", unloaded_check(&name, error, &unknown))?;
    Ok(unloaded.status)
}

fn status(results: &[Checked]) -> Status {
    if results.iter().any(|r| r.holds() == Some(false)) {
        Status::Fails
    } else if results.iter().any(|r| r.holds().is_none()) {
        Status::Unknown
    } else {
        Status::Done
    }
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

fn save_witness(path: &PathBuf, session: &Session, results: &[Checked]) -> Result<()> {
    let model = session.model();
    let shown = |r| Some((r, Checked::witness_to_json(r, model)?));
    let Some((checked, mut value)) = results.iter().find_map(shown) else {
        complain("no property has a run to save");
        return Ok(());
    };
    let formula = if checked.existential {
        format!("!({})", checked.formula)
    } else {
        checked.formula.clone()
    };
    value["formula"] = formula.into();
    value["dead_ends"] = checked.dead_ends.to_string().into();
    std::fs::write(path, format!("{value:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The linear and the branching properties.
type Tasks = (Vec<Task>, Vec<check_branching::Task>);

/// The properties, or how the run ends if some of them are wrong or too large, which has been complained
/// about.
fn tasks(
    arguments: &Arguments,
    session: &Session,
    store: &mut FormulaStore,
    budget: &Budget,
) -> Result<Result<Tasks, Status>> {
    let mut tasks = Vec::new();
    let mut branching = Vec::new();
    let mut wrong = false;
    let ctl = arguments.ctl.iter().map(|text| (text, true));
    let ctl_star = arguments.ctl_star.iter().map(|text| (text, false));
    for (text, ctl) in ctl.chain(ctl_star) {
        match branching_task(session, store, text, ctl) {
            Some(task) => branching.push(task),
            None => wrong = true,
        }
    }
    for text in &arguments.ltl {
        let f = match parse(store, text) {
            Ok(f) => f,
            Err(error) => {
                complain(error.render(text));
                wrong = true;
                continue;
            }
        };
        match session.atoms(store, f) {
            Ok(atoms) => tasks.push(Task {
                name: String::new(),
                text: text.clone(),
                path: f,
                existential: false,
                atoms,
            }),
            Err(error) => {
                complain(error.render());
                wrong = true;
            }
        }
    }
    for file in &arguments.properties {
        let bytes =
            std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let bytes = match unpack(&bytes, budget) {
            Ok(bytes) => bytes,
            Err(error) if error.stop().is_some() => return Ok(Err(given_up(file, &error))),
            Err(error) => return Err(error).with_context(|| file.display().to_string()),
        };
        let set = match properties::parse_within(&bytes, session.symbols(), store, budget) {
            Ok(set) => set,
            Err(error) if error.stop().is_some() => return Ok(Err(given_up(file, &error))),
            Err(error) => return Err(error).with_context(|| file.display().to_string()),
        };
        if check_branching::is_branching(store, &set, file) {
            check_branching::add_properties(store, &set, &mut branching)?;
            continue;
        }
        for property in &set.properties {
            let Question::Formula(f) = property.question else {
                bail!(
                    "{}: `check` does not compute bounds; see `mcc`",
                    property.id
                );
            };
            let (path, existential) = match store.node(f) {
                Node::Forall(path) => (path, false),
                Node::Exists(path) => (store.not(path), true),
                _ => (f, false),
            };
            let atoms = set.atoms_of(store, path);
            tasks.push(Task {
                name: property.id.clone(),
                text: store.display(f).to_string(),
                path,
                existential,
                atoms,
            });
        }
    }
    Ok(if wrong {
        Err(Status::Error)
    } else {
        Ok((tasks, branching))
    })
}

/// Says that a limit ended the reading of a file.
fn given_up(file: &Path, error: &impl std::fmt::Display) -> Status {
    complain(format_args!("unknown: {}: {error}", file.display()));
    Status::Unknown
}
