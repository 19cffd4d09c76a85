//! The corpus: every entry with every kind of automaton that applies, and by definition where the
//! state space is small.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use dalsegno::certify::{Graph, branching};
use dalsegno::explicit::explore::{Outcome as Explored, explore};
use dalsegno::explicit::flood::{explore as flood, local};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Predicate};
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, PropId, parse};
use dalsegno::models::petri::generators::Family;
use dalsegno::symbolic::ltl::Saturation;
use dalsegno::{
    Asked, Emptiness, Ending, Engine, Error, Logic, Problem, Propositions, Run, Settings, Source,
    Value,
};

use crate::support::{ask, ask_again, by, ltl, problem, survey};

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
    model: Given,
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
enum Given {
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
    problem: &Problem,
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
    let graph = Graph::of_model(problem.model(), &predicates, limit).ok()?;
    let every = store.forall(f);
    let states = branching::holds(store, every, &names, &graph, dead_ends).unwrap();
    Some(graph.initial().iter().all(|&s| states[s]))
}

/// As [`run`], for a property of branching time.
fn run_branching(entry: &Entry, source: &Source) -> (String, bool) {
    let mut faults = String::new();
    let mut fault = |what: String| writeln!(faults, "{}: {what}", entry.name).unwrap();
    let expected = entry.holds.expect("a property has a verdict");
    let text = entry.property().expect("a formula");
    let (logic, dead_ends) = match entry.ctl {
        Some(_) => (Logic::Ctl, DeadEnds::Finite),
        None => (Logic::CtlStar, DeadEnds::Stutter),
    };
    let said = entry.dead_end_paths.as_ref();
    let said: Option<DeadEnds> = said.map(|name| name.parse().unwrap());
    let problem = problem(source);
    let mut store = FormulaStore::new();
    let formula = parse(&mut store, text).unwrap();
    let atoms = problem.atoms(&store, formula).unwrap();
    let names: Vec<PropId> = atoms.iter().map(|a| a.0).collect();
    let predicates: Vec<Predicate> = atoms.iter().map(|a| a.1.clone()).collect();
    let graph = Graph::of_model(problem.model(), &predicates, SMALL >> 6).ok();
    let small = graph.map(|graph| {
        let dead_ends = said.unwrap_or(dead_ends);
        let states = branching::holds(&store, formula, &names, &graph, dead_ends).unwrap();
        graph.initial().iter().all(|&s| states[s])
    });
    if small.is_some_and(|holds| holds != expected) {
        fault(format!("by definition the verdict is {}", !expected));
    }
    for engine in [Engine::Auto, Engine::Explicit, Engine::Symbolic] {
        let asked = Asked::formula(logic, text).with_dead_ends(said);
        let found = ask(source, by(engine), asked, &Budget::unlimited()).value;
        if found != Value::Truth(expected) {
            fault(format!("{engine:?}: {found:?}"));
        }
    }
    (faults, small.is_some())
}

/// What is wrong with the entry, one line each, and whether its property was decided by definition.
fn run(entry: &Entry) -> (String, bool) {
    let mut faults = String::new();
    let mut fault = |what: String| writeln!(faults, "{}: {what}", entry.name).unwrap();
    let load = |text: &str, file_name: &str| {
        Source::from_bytes(text.as_bytes(), file_name, &Budget::unlimited()).unwrap()
    };
    let source = match &entry.model {
        Given::Family { family, n } => {
            Source::of_net(family.parse::<Family>().unwrap().generate(*n).unwrap())
        }
        Given::Pnml { pnml } => load(pnml, "entry.pnml"),
        Given::Dve { dve } => load(dve, "entry.dve"),
        Given::Etf { etf } => load(etf, "entry.etf"),
    };
    if entry.source.is_empty() {
        fault("no source".to_owned());
    }
    let counts = [entry.states, entry.transitions, entry.dead_ends];
    if counts.iter().any(Option::is_some) {
        let seen = explore(problem(&source).model(), &Budget::unlimited(), |_, _| {});
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
        for workers in [1, 3] {
            let model = problem(&source).model();
            let budget = Budget::unlimited();
            let all = local::run(workers, |crew| flood::explore(crew, model, &budget)).unwrap();
            let flooded = all[0].as_ref().unwrap();
            let counts = [flooded.states, flooded.transitions, flooded.dead_ends];
            if counts != found || flooded.largest != seen.largest {
                fault(format!("by {workers} workers {counts:?}, not {found:?}"));
            }
        }
        let drawn = survey(&source, Engine::Symbolic, &Budget::unlimited());
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
            let graph =
                Graph::of_model(problem(&source).model(), &[], seen.states as usize).unwrap();
            assert_eq!(graph.len() as u64, seen.states, "{}", entry.name);
        }
    } else if entry.property().is_none() {
        fault("nothing is expected".to_owned());
    }
    if entry.ctl.is_some() || entry.ctl_star.is_some() {
        let (found, small) = run_branching(entry, &source);
        faults += &found;
        return (faults, small);
    }
    if entry.ltl.is_none() {
        return (faults, false);
    }
    let (found, small) = run_linear(entry, &source);
    faults += &found;
    (faults, small)
}

/// As [`run`], for a property of linear time.
fn run_linear(entry: &Entry, source: &Source) -> (String, bool) {
    let mut faults = String::new();
    let mut fault = |what: String| writeln!(faults, "{}: {what}", entry.name).unwrap();
    let text = entry.ltl.as_ref().expect("a formula");
    let expected = entry.holds.expect("a property has a verdict");
    let dead_ends = entry.dead_end_paths.as_deref().unwrap_or("stutter");
    let dead_ends: DeadEnds = dead_ends.parse().unwrap();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, text).unwrap();
    let problem = problem(source);
    let atoms = problem.atoms(&store, f).unwrap();
    let small = by_definition(problem, &mut store, f, &atoms, dead_ends);
    if small.is_some_and(|holds| holds != expected) {
        fault(format!("by definition the verdict is {}", !expected));
    }
    let budget = Budget::unlimited();
    let kinds = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta].map(Some);
    for automaton in std::iter::once(None).chain(kinds) {
        let settings = Settings {
            automaton,
            emptiness: Some(Emptiness::Owcty),
            threads: 2,
            ..Settings::default()
        };
        let found = ask(source, settings, ltl(text, dead_ends), &budget);
        match found.value {
            Value::Truth(holds) if holds == expected => {}
            Value::Error(Error::Translation(_)) if automaton == Some(Kind::Ta) => {}
            value => fault(format!("by floods with {automaton:?}: {value:?}")),
        }
    }
    for automaton in std::iter::once(None).chain(kinds) {
        for propositions in [Propositions::Raw, Propositions::Boolean] {
            let settings = Settings {
                automaton,
                propositions,
                engine: Engine::Explicit,
                ..Settings::default()
            };
            let answer = ask(source, settings.clone(), ltl(text, dead_ends), &budget);
            match answer.value {
                Value::Truth(holds) if holds == expected => {}
                // TA are for stutter-invariant formulas, and those without X are.
                Value::Error(Error::Translation(_))
                    if automaton == Some(Kind::Ta) && !store.is(f, Fragment::X_FREE) => {}
                value => fault(format!("{settings:?}: {value:?}")),
            }
        }
    }
    let mut run = Run::new(source, by(Engine::Symbolic));
    for automaton in [None, Some(Kind::Tgba), Some(Kind::Ba), Some(Kind::Tgta)] {
        for saturation in [Saturation::Off, Saturation::Stuttering, Saturation::Loops] {
            let settings = run.settings_mut();
            settings.automaton = automaton;
            settings.saturation = saturation;
            let answer = ask_again(&mut run, ltl(text, dead_ends), &budget);
            if answer.value != Value::Truth(expected) {
                fault(format!("{automaton:?}, {saturation:?}: {:?}", answer.value));
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
