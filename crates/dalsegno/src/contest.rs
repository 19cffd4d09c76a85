//! The Model Checking Contest: an examination of a net, answered line by line.
//!
//! Examinations that speak of reachable states share one exploration and are answered as soon as it
//! knows; LTL properties are searched one by one, in several rounds: first with a small share of the time
//! each, then the open ones in other orders, at last with what is left. What cannot be answered in time
//! stays open.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use dalsegno_explicit::coverability::{Bound, Coverability};
use dalsegno_explicit::emptiness;
use dalsegno_explicit::explore::{self, explore};
use dalsegno_explicit::order::Order;
use dalsegno_explicit::space::Space;
use dalsegno_explicit::sweep::Sweep;
use dalsegno_kripke::{Budget, Predicate, Relation, VarId, Verdict};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use dalsegno_models::petri::properties::{self, PropertySet, Question};
use thiserror::Error;

use crate::check::{CheckOptions, check_ltl};
use crate::session::{Session, predicate};

/// What the contest asks for, and what it grants.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The name of the examination.
    pub examination: &'a str,
    /// The properties, for examinations that have some.
    pub properties: Option<&'a [u8]>,
    /// The time granted.
    pub time: Duration,
    /// The bytes granted.
    pub bytes: u64,
}

/// Why an examination could not be started.
#[derive(Debug, Error)]
pub enum ContestError {
    /// An examination that is not known.
    #[error("unknown examination {0:?}")]
    Examination(String),
    /// An examination with properties, and no file of them.
    #[error("the examination needs a file of properties")]
    NoProperties,
    /// The properties cannot be read.
    #[error(transparent)]
    Properties(#[from] properties::Error),
    /// The answers cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

const TECHNIQUES: &str = "TECHNIQUES EXPLICIT";

/// Answers an examination; true if all of it was answered.
///
/// # Errors
/// See [`ContestError`].
pub fn examine(
    session: &Session,
    request: &Request<'_>,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let budget = Budget::unlimited()
        .with_time(request.time)
        .with_bytes(request.bytes);
    match request.examination {
        "StateSpace" => state_space(session, &budget, out),
        "ReachabilityDeadlock" | "OneSafe" | "StableMarking" | "QuasiLiveness" | "Liveness" => {
            global(session, request.examination, &budget, out)
        }
        "UpperBounds"
        | "ReachabilityCardinality"
        | "ReachabilityFireability"
        | "LTLCardinality"
        | "LTLFireability" => {
            let bytes = request.properties.ok_or(ContestError::NoProperties)?;
            let mut store = FormulaStore::new();
            let set = properties::parse(bytes, session.symbols(), &mut store)?;
            match request.examination {
                "UpperBounds" => bounds(session, &set, request.time, &budget, out),
                "LTLCardinality" | "LTLFireability" => {
                    linear(session, &mut store, &set, request, out)
                }
                _ => reachability(session, &store, &set, &budget, out),
            }
        }
        other => Err(ContestError::Examination(other.to_owned())),
    }
}

fn answer(out: &mut impl Write, name: &str, value: impl std::fmt::Display) -> io::Result<()> {
    writeln!(out, "FORMULA {name} {value} {TECHNIQUES}")?;
    out.flush()
}

fn truth(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

fn cannot_compute(out: &mut impl Write) -> Result<bool, ContestError> {
    writeln!(out, "CANNOT_COMPUTE")?;
    Ok(false)
}

fn state_space(
    session: &Session,
    budget: &Budget,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let seen = explore(session.model(), budget, |_, _| {});
    let place = seen.largest.iter().max().copied().unwrap_or(0);
    let values = match seen.outcome {
        explore::Outcome::Complete => [
            seen.states.to_string(),
            seen.transitions.to_string(),
            place.to_string(),
            seen.largest_sum.to_string(),
        ],
        explore::Outcome::Unbounded(_) => std::array::from_fn(|_| "+inf".to_owned()),
        _ => return cannot_compute(out),
    };
    let names = [
        "STATES",
        "TRANSITIONS",
        "MAX_TOKEN_IN_PLACE",
        "MAX_TOKEN_PER_MARKING",
    ];
    for (name, value) in names.into_iter().zip(values) {
        writeln!(out, "STATE_SPACE {name} {value} {TECHNIQUES}")?;
    }
    Ok(true)
}

fn global(
    session: &Session,
    examination: &str,
    budget: &Budget,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let model = session.model();
    let goals = match examination {
        "ReachabilityDeadlock" => vec![Predicate::DeadEnd],
        "OneSafe" => {
            let twice = |v: VarId| Predicate::single(v, Relation::Ge, 2);
            vec![Predicate::any(
                model
                    .variable_ids()
                    .filter(|&v| model.variable(v).bound.is_none_or(|b| b > 1))
                    .map(twice),
            )]
        }
        _ => Vec::new(),
    };
    if goals == [Predicate::False] {
        // No place can hold two tokens, by bounds that are known beforehand.
        answer(out, examination, truth(true))?;
        return Ok(true);
    }
    let mut sweep = Sweep::new(model, goals);
    loop {
        let Ok(complete) = sweep.advance(4096, budget) else {
            return cannot_compute(out);
        };
        let reached = || sweep.reached()[0].is_some();
        let known = match examination {
            "ReachabilityDeadlock" if reached() => Some(true),
            "OneSafe" if reached() => Some(false),
            "QuasiLiveness" if sweep.unfired() == 0 => Some(true),
            "StableMarking" if !has_stable_place(session, &sweep) => Some(false),
            _ if !complete => None,
            "ReachabilityDeadlock" | "QuasiLiveness" => Some(false),
            "Liveness" => match sweep.is_live(budget) {
                Ok(live) => Some(live),
                Err(_) => return cannot_compute(out),
            },
            _ => Some(true),
        };
        if let Some(value) = known {
            answer(out, examination, truth(value))?;
            return Ok(true);
        }
    }
}

/// Whether some place is written by no group that has fired.
fn has_stable_place(session: &Session, sweep: &Sweep<'_>) -> bool {
    let mut changed = vec![false; session.model().variables().len()];
    for (group, &fired) in session.model().groups().iter().zip(sweep.fired()) {
        if fired {
            for v in group.writes() {
                changed[v.index()] = true;
            }
        }
    }
    changed.contains(&false)
}

fn bounds(
    session: &Session,
    set: &PropertySet,
    time: Duration,
    budget: &Budget,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let sums: Vec<(&str, &[VarId])> = set
        .properties
        .iter()
        .filter_map(|p| match &p.question {
            Question::Bound(places) => Some((p.id.as_str(), places.as_slice())),
            Question::Formula(_) => None,
        })
        .collect();
    let model = session.model();
    let mut open = sums;
    // Where nothing bounds the places, the graph that tells what grows for ever comes first.
    if model.variables().iter().any(|v| v.bound.is_none())
        && let Some(graph) = Coverability::new(model, &budget.clone().with_time(time / 3))
    {
        let mut still_open = Vec::new();
        for (id, places) in open {
            match graph.bound(places) {
                Bound::Infinite => answer(out, id, "+inf")?,
                Bound::Finite(most) if graph.ended.is_ok() => answer(out, id, most)?,
                Bound::Finite(_) => still_open.push((id, places)),
            }
        }
        open = still_open;
    }
    if open.is_empty() {
        return Ok(true);
    }
    // What is seen is a lower bound, and the net's structure knows upper ones.
    let mut open: Vec<Sum<'_>> = open
        .into_iter()
        .map(|(id, places)| Sum {
            id,
            places,
            most: session.decider().bound(places),
            seen: 0,
        })
        .collect();
    let mut sweep = Sweep::new(model, Vec::new());
    let mut looked_at = 0;
    loop {
        let progress = sweep.advance(4096, budget);
        let complete = matches!(progress, Ok(true));
        let known = sweep.space().len() as u32;
        let mut still_open = Vec::new();
        for mut sum in open {
            sum.look(sweep.space(), looked_at..known);
            if complete || sum.most == Some(sum.seen) {
                answer(out, sum.id, sum.seen)?;
            } else {
                still_open.push(sum);
            }
        }
        open = still_open;
        looked_at = known;
        if open.is_empty() {
            return Ok(true);
        }
        if progress.is_err() {
            return cannot_compute(out);
        }
    }
}

/// A sum of places whose largest value is asked for.
struct Sum<'a> {
    id: &'a str,
    places: &'a [VarId],
    most: Option<u64>,
    seen: u64,
}

impl Sum<'_> {
    fn look(&mut self, space: &Space<'_>, states: std::ops::Range<u32>) {
        for state in states {
            let value = |v: &VarId| u64::from(space.value(state, v.index()));
            self.seen = self.seen.max(self.places.iter().map(value).sum());
        }
    }
}

fn reachability(
    session: &Session,
    store: &FormulaStore,
    set: &PropertySet,
    budget: &Budget,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let atoms: Vec<(PropId, Predicate)> = set.atoms.iter().map(|(&p, m)| (p, m.clone())).collect();
    // Each property as a goal, and the answer if the goal is reached.
    let mut asked: Vec<(&str, bool)> = Vec::new();
    let mut goals = Vec::new();
    let mut all = true;
    for property in &set.properties {
        let Question::Formula(f) = property.question else {
            continue;
        };
        match goal(session, store, f, &atoms) {
            Some((goal, if_reached)) => {
                asked.push((&property.id, if_reached));
                goals.push(goal);
            }
            None => all = false,
        }
    }
    let mut sweep = Sweep::new(session.model(), goals);
    let mut told = vec![false; asked.len()];
    loop {
        let progress = sweep.advance(4096, budget);
        for (i, &(id, if_reached)) in asked.iter().enumerate() {
            let reached = sweep.reached()[i].is_some();
            if !told[i] && (reached || matches!(progress, Ok(true))) {
                answer(out, id, truth(if_reached == reached))?;
                told[i] = true;
            }
        }
        match progress {
            _ if told.iter().all(|&t| t) => break,
            Ok(_) => {}
            Err(_) => {
                all = false;
                cannot_compute(out)?;
                break;
            }
        }
    }
    Ok(all)
}

/// `E F g` or `A G !g` for a Boolean `g`: the goal, and what the formula is if it is reached. A formula
/// without temporal operators is decided by the initial state: it is what it is as soon as any state is
/// reached.
fn goal(
    session: &Session,
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Option<(Predicate, bool)> {
    let boolean = |g: FormulaId| {
        store
            .is(g, Fragment::BOOLEAN)
            .then(|| predicate(store, g, atoms))
    };
    let path = match store.node(f) {
        Node::Not(g) => {
            let (goal, if_reached) = goal(session, store, g, atoms)?;
            return Some((goal, !if_reached));
        }
        Node::Exists(path) | Node::Forall(path) => path,
        _ => f,
    };
    if let Some(now) = boolean(path) {
        let model = session.model();
        let holds = model.initial().iter().all(|state| now.eval(model, state));
        return Some((Predicate::True, holds));
    }
    match (store.node(f), store.node(path)) {
        (Node::Exists(_), Node::Finally(g)) => Some((boolean(g)?, true)),
        (Node::Forall(_), Node::Globally(g)) => Some((boolean(g)?.negate(), false)),
        _ => None,
    }
}

/// The searches for LTL properties: each takes a part of the time that is left, and each order finds
/// cycles that the others miss. A property that holds needs one long search, so the last gets most of it.
/// All but the one with a limit of depth are complete, if they come to an end.
const ROUNDS: [(u32, emptiness::Config); 7] = {
    const fn round(order: Order, depth: Option<usize>) -> emptiness::Config {
        emptiness::Config {
            order,
            depth,
            bits: None,
        }
    }
    [
        (16, round(Order::Declared, None)),
        (15, round(Order::Local, None)),
        (14, round(Order::Reversed, None)),
        (13, round(Order::VisibleFirst, None)),
        (12, round(Order::VisibleLast, None)),
        (11, round(Order::Random(1), Some(2_000))),
        (1, round(Order::Declared, None)),
    ]
};

fn linear(
    session: &Session,
    store: &mut FormulaStore,
    set: &PropertySet,
    request: &Request<'_>,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let start = Instant::now();
    let all_atoms: Vec<(PropId, Predicate)> =
        set.atoms.iter().map(|(&p, m)| (p, m.clone())).collect();
    let mut open: Vec<(&str, FormulaId)> = Vec::new();
    for property in &set.properties {
        if let Question::Formula(f) = property.question {
            let path = match store.node(f) {
                Node::Forall(path) => path,
                _ => f,
            };
            open.push((&property.id, path));
        }
    }
    for (part, search) in ROUNDS {
        let options = CheckOptions {
            search,
            ..CheckOptions::default()
        };
        let mut still_open = Vec::new();
        let count = open.len() as u32;
        let left = request.time.saturating_sub(start.elapsed());
        let spare = left.saturating_sub(left / part);
        for (i, (id, f)) in (0..).zip(open) {
            let left = request.time.saturating_sub(start.elapsed());
            let time = left.saturating_sub(spare) / (count - i);
            if left.is_zero() {
                still_open.push((id, f));
                continue;
            }
            let budget = Budget::unlimited()
                .with_time(time)
                .with_bytes(request.bytes);
            let used = store.propositions(f);
            let atoms: Vec<(PropId, Predicate)> = all_atoms
                .iter()
                .filter(|(p, _)| used.contains(p))
                .cloned()
                .collect();
            let checked = check_ltl(session, store, f, &atoms, &options, &budget, |_| {});
            match checked.map(|outcome| outcome.verdict) {
                Ok(Verdict::Holds) => answer(out, id, truth(true))?,
                Ok(Verdict::Fails(_)) => answer(out, id, truth(false))?,
                Ok(Verdict::Unknown(_)) | Err(_) => still_open.push((id, f)),
            }
        }
        open = still_open;
        if open.is_empty() {
            return Ok(true);
        }
    }
    cannot_compute(out)
}
