//! The corpus: every entry with every kind of automaton that applies, and by definition where the
//! state space is small.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use dalsegno::certify::{Graph, branching};
use dalsegno::explicit::explore::{Outcome as Explored, explore};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Predicate};
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, PropId, parse};
use dalsegno::models::petri::generators::Family;
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::{BranchingOptions, BranchingTask, Checker, Told, check_branching};
use dalsegno::{CheckError, CheckOptions, Propositions, Session, check_ltl};
use dalsegno::{Ending, Engine, SurveyOptions, survey};

/// The entries of one file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct File {
    entry: Vec<Entry>,
}

/// A model and what is known about it.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    model: Source,
    states: Option<u64>,
    transitions: Option<u64>,
    dead_ends: Option<u64>,
    ltl: Option<String>,
    ctl: Option<String>,
    ctl_star: Option<String>,
    /// What dead ends mean for the property: `finite` for CTL and `stutter` for others unless given.
    dead_end_paths: Option<String>,
    holds: Option<bool>,
    source: String,
}

impl Entry {
    fn property(&self) -> Option<&String> {
        let branching = self.ctl.as_ref().or(self.ctl_star.as_ref());
        self.ltl.as_ref().or(branching)
    }
}

#[derive(Deserialize, Debug)]
#[serde(untagged, deny_unknown_fields)]
enum Source {
    Family { family: String, n: u32 },
    Pnml { pnml: String },
    Dve { dve: String },
    Etf { etf: String },
}

/// The semantics by definition is asked only if the states times the subsets of the temporal
/// subformulas are at most so many.
const SMALL: usize = 100_000;

/// State spaces of at most so many states are counted a second time.
const COUNTED_TWICE: u64 = 30_000;

/// Whether the semantics by definition can be asked, and what it says.
fn by_definition(
    session: &Session,
    store: &mut FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
    dead_ends: DeadEnds,
) -> Option<bool> {
    let subformulas = store.subformulas(f);
    let temporal = subformulas
        .iter()
        .filter(|&&g| !store.is(g, Fragment::BOOLEAN));
    let limit = SMALL >> temporal.count().min(16);
    let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
    let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
    let graph = Graph::of_model(session.model(), &predicates, limit).ok()?;
    let every = store.forall(f);
    let states = branching::holds(store, every, &names, &graph, dead_ends).unwrap();
    Some(graph.initial().iter().all(|&s| states[s]))
}

/// As [`run`], for a property of branching time.
fn run_branching(entry: &Entry, session: &Session) -> (String, bool) {
    let mut faults = String::new();
    let mut fault = |what: String| writeln!(faults, "{}: {what}", entry.name).unwrap();
    let expected = entry.holds.expect("a property has a verdict");
    let base = match entry.ctl {
        Some(_) => BranchingOptions::ctl(),
        None => BranchingOptions::ctl_star(),
    };
    let dead_ends = match &entry.dead_end_paths {
        Some(name) => name.parse().unwrap(),
        None => base.dead_ends,
    };
    let mut store = FormulaStore::new();
    let formula = parse(&mut store, entry.property().unwrap()).unwrap();
    let atoms = session.atoms(&store, formula).unwrap();
    let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
    let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
    let graph = Graph::of_model(session.model(), &predicates, SMALL >> 6).ok();
    let small = graph.map(|graph| {
        let states = branching::holds(&store, formula, &names, &graph, dead_ends).unwrap();
        graph.initial().iter().all(|&s| states[s])
    });
    if small.is_some_and(|holds| holds != expected) {
        fault(format!("by definition the verdict is {}", !expected));
    }
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        let options = BranchingOptions {
            engine,
            dead_ends,
            ..base
        };
        let tasks = [BranchingTask {
            formula,
            atoms: atoms.clone(),
        }];
        let mut found = Vec::new();
        let tell = |_, told: Told, _: &FormulaStore| found.push(told.map(|outcome| outcome.holds));
        let budget = Budget::unlimited();
        check_branching(session, &mut store, &tasks, &options, &budget, tell);
        if found != [Ok(Ok(expected))] {
            fault(format!("{engine:?}: {found:?}"));
        }
    }
    (faults, small.is_some())
}

/// What is wrong with the entry, one line each, and whether its property was decided by definition.
fn run(entry: &Entry) -> (String, bool) {
    let mut faults = String::new();
    let mut fault = |what: String| writeln!(faults, "{}: {what}", entry.name).unwrap();
    let session = match &entry.model {
        Source::Family { family, n } => {
            Session::new(family.parse::<Family>().unwrap().generate(*n).unwrap())
        }
        Source::Pnml { pnml } => Session::from_pnml(pnml.as_bytes()).unwrap(),
        Source::Dve { dve } => {
            Session::load(dve.as_bytes(), "entry.dve", &Budget::unlimited(), |_| {}).unwrap()
        }
        Source::Etf { etf } => {
            Session::load(etf.as_bytes(), "entry.etf", &Budget::unlimited(), |_| {}).unwrap()
        }
    };
    if entry.source.is_empty() {
        fault("no source".to_owned());
    }
    let counts = [entry.states, entry.transitions, entry.dead_ends];
    if counts.iter().any(Option::is_some) {
        let seen = explore(session.model(), &Budget::unlimited(), |_, _| {});
        if seen.outcome != Explored::Complete {
            fault(format!("{:?}", seen.outcome));
        }
        let found = [seen.states, seen.transitions, seen.dead_ends];
        for ((what, expected), found) in ["states", "transitions", "dead ends"]
            .into_iter()
            .zip(counts)
            .zip(found)
        {
            if expected.is_some_and(|n| n != found) {
                fault(format!("{found} {what}, not {expected:?}"));
            }
        }
        let options = SurveyOptions {
            engine: Engine::Symbolic,
            order: None,
        };
        let drawn = survey(&session, options, &Budget::unlimited(), |_, _| {});
        match drawn.ending {
            Ending::Complete => {
                let counts = [&drawn.states, &drawn.transitions, &drawn.dead_ends];
                let found = found.map(|n| Some(n.to_string()));
                if counts.into_iter().ne(found.iter()) {
                    fault(format!("by diagrams {counts:?}, not {found:?}"));
                }
            }
            ending => fault(format!("by diagrams {ending:?}")),
        }
        if seen.states <= COUNTED_TWICE {
            let graph = Graph::of_model(session.model(), &[], seen.states as usize).unwrap();
            assert_eq!(graph.len() as u64, seen.states, "{}", entry.name);
        }
    } else if entry.property().is_none() {
        fault("nothing is expected".to_owned());
    }
    if entry.ctl.is_some() || entry.ctl_star.is_some() {
        let (found, small) = run_branching(entry, &session);
        faults += &found;
        return (faults, small);
    }
    if entry.ltl.is_none() {
        return (faults, false);
    }
    let (found, small) = run_linear(entry, &session);
    faults += &found;
    (faults, small)
}

/// As [`run`], for a property of linear time.
fn run_linear(entry: &Entry, session: &Session) -> (String, bool) {
    let mut faults = String::new();
    let mut fault = |what: String| writeln!(faults, "{}: {what}", entry.name).unwrap();
    let text = entry.ltl.as_ref().expect("a formula");
    let expected = entry.holds.expect("a property has a verdict");
    let dead_ends = entry.dead_end_paths.as_deref().unwrap_or("stutter");
    let dead_ends: DeadEnds = dead_ends.parse().unwrap();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, text).unwrap();
    let atoms = session.atoms(&store, f).unwrap();
    let small = by_definition(session, &mut store, f, &atoms, dead_ends);
    if small.is_some_and(|holds| holds != expected) {
        fault(format!("by definition the verdict is {}", !expected));
    }
    let kinds = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta].map(Some);
    for automaton in std::iter::once(None).chain(kinds) {
        for propositions in [Propositions::Raw, Propositions::Boolean] {
            let options = CheckOptions {
                automaton,
                propositions,
                dead_ends,
                engine: Engine::Explicit,
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited();
            match check_ltl(session, &mut store, f, &atoms, &options, &budget, |_| {}) {
                Ok(outcome) if outcome.verdict.holds() == Some(expected) => {}
                Ok(outcome) => {
                    let verdict = outcome.verdict.holds();
                    fault(format!("{options:?}: the verdict is {verdict:?}"));
                }
                // TA are for stutter-invariant formulas, and those without X are.
                Err(CheckError::Translation(_))
                    if automaton == Some(Kind::Ta) && !store.is(f, Fragment::X_FREE) => {}
                Err(error) => fault(format!("{options:?}: {error}")),
            }
        }
    }
    let mut checker = Checker::new(session);
    for automaton in [None, Some(Kind::Tgba), Some(Kind::Ba), Some(Kind::Tgta)] {
        for saturation in [Saturation::Off, Saturation::Stuttering, Saturation::Loops] {
            let options = CheckOptions {
                automaton,
                dead_ends,
                engine: Engine::Symbolic,
                saturation,
                ..CheckOptions::default()
            };
            let budget = Budget::unlimited();
            let outcome = checker.check_ltl(&mut store, f, &atoms, &options, &budget, |_| {});
            let verdict = outcome.map(|outcome| outcome.verdict.holds());
            if verdict != Ok(Some(expected)) {
                fault(format!("{options:?}: {verdict:?}"));
            }
        }
    }
    (faults, small.is_some())
}

#[test]
fn every_entry_is_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let mut entries: Vec<Entry> = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!file.entry.is_empty(), "{} is empty", path.display());
        entries.extend(file.entry);
    }
    assert!(!entries.is_empty(), "the corpus is empty");
    let mut faults = String::new();
    let (mut properties, mut decided) = (0, 0);
    for (i, entry) in entries.iter().enumerate() {
        let namesake = entries[..i].iter().any(|other| other.name == entry.name);
        assert!(!namesake, "two entries are called `{}`", entry.name);
        let (found, by_definition) = run(entry);
        faults += &found;
        properties += u32::from(entry.property().is_some());
        decided += u32::from(by_definition);
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(
        2 * decided >= properties,
        "only {decided} of {properties} properties are decided by definition"
    );
}
