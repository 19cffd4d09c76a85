//! Examinations of the whole net: deadlocks, safety, stable places, liveness.

use std::io::Write;
use std::ops::Range;

use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::space::Space;
use dalsegno_kripke::{Budget, Compare, GroupId, Predicate, Relation, Stop, VarId};
use dalsegno_logic::{FormulaStore, parse};
use dalsegno_symbolic::reach::StateSpace;

use super::stages::{Pace, Turn, ask};
use super::walks::{Sought, Walks, changers, sets_to_fire};
use super::{
    ContestError, EQUATION, EXPLICIT, SYMBOLIC, WALK, answer, cannot_compute, proofs, truth,
};
use crate::branching::{BranchingOptions, BranchingTask, check_branching};
use crate::session::Session;
use crate::survey::Engine;

pub(super) fn global(
    session: &Session,
    examination: &str,
    budget: &Budget,
    out: &mut (impl Write + Send),
) -> Result<bool, ContestError> {
    let model = session.model();
    let goals = match examination {
        // What is dead is not live.
        "ReachabilityDeadlock" | "Liveness" => vec![Predicate::DeadEnd],
        // Of a coloured net these examinations ask about its places and transitions, whatever the
        // colours: the tokens of a place are added up, and a transition fires in some binding.
        "OneSafe" => {
            let twice = |place: Range<u32>| {
                let terms = place.map(|v| (1, VarId(v))).collect();
                Compare::new(terms, Relation::Ge, 2).map(Predicate::Compare)
            };
            let safe = |place: &Range<u32>| {
                let bound = |v: u32| model.variable(VarId(v)).bounds.certain().map(u64::from);
                place
                    .clone()
                    .map(bound)
                    .sum::<Option<u64>>()
                    .is_some_and(|b| b <= 1)
            };
            let places = session.place_classes().into_iter().filter(|p| !safe(p));
            match places.map(twice).collect::<Result<Vec<_>, _>>() {
                Ok(goals) => vec![Predicate::any(goals)],
                Err(_) => return cannot_compute(out),
            }
        }
        _ => Vec::new(),
    };
    if goals == [Predicate::False] {
        // No place can hold two tokens, by bounds that are known beforehand.
        answer(out, EXPLICIT, examination, truth(true))?;
        return Ok(true);
    }
    let classes = session.transition_classes();
    let mut class_of = vec![0; model.groups().len()];
    for (class, groups) in (0..).zip(&classes) {
        for group in groups.clone() {
            class_of[group as usize] = class;
        }
    }
    let changers = match examination {
        "StableMarking" => changers(session),
        _ => Vec::new(),
    };
    let mut space = Space::new(model);
    let mut sweep = BreadthFirst::new(&space, goals.clone());
    let mut walks = Walks::default();
    let mut turn = Turn::new(budget);
    let mut pace = Pace::new();
    loop {
        let progress = pace.advance(&mut sweep, &mut space, budget);
        let comes = turn.comes(&space);
        let sought = || {
            let mut goals = goals.clone();
            goals.extend(sets_to_fire(session, examination, sweep.fired()));
            let sums = Vec::new();
            Sought { goals, sums }
        };
        walks.follow(session, &progress, comes, sought, budget);
        if let Some(value) = walked(examination, &walks, !classes.is_empty()) {
            answer(out, WALK, examination, truth(value))?;
            return Ok(true);
        }
        let Ok(complete) = progress else {
            return cannot_compute(out);
        };
        let reached = || sweep.reached()[0].is_some();
        let known = match examination {
            "ReachabilityDeadlock" if reached() => Some(true),
            "OneSafe" if reached() => Some(false),
            "Liveness" if reached() && !classes.is_empty() => Some(false),
            "QuasiLiveness" if all_fired(&classes, &sweep) => Some(true),
            "QuasiLiveness" | "Liveness" if classes.iter().any(Range::is_empty) => Some(false),
            "StableMarking" if !has_stable_place(&changers, &sweep) => Some(false),
            _ if !complete => None,
            "ReachabilityDeadlock" | "QuasiLiveness" => Some(false),
            "Liveness" => match sweep.are_live(&mut space, &class_of, classes.len(), budget) {
                Ok(live) => Some(live),
                Err(_) => return cannot_compute(out),
            },
            _ => Some(true),
        };
        if let Some(value) = known {
            answer(out, EXPLICIT, examination, truth(value))?;
            return Ok(true);
        }
        if !comes {
            continue;
        }
        if let Some(value) = prove(session, examination, &sweep, &classes, budget) {
            answer(out, EQUATION, examination, truth(value))?;
            return Ok(true);
        }
        let mut value = ask(session, budget, |space| decide(session, examination, space));
        if value == Some(None) && examination == "Liveness" {
            value = Some(are_live(session, &classes, budget));
        }
        if let Some(Some(value)) = value {
            answer(out, SYMBOLIC, examination, truth(value))?;
            return Ok(true);
        }
    }
}

/// The answer by the state equation, if it tells: it knows what never happens.
fn prove(
    session: &Session,
    examination: &str,
    sweep: &BreadthFirst,
    classes: &[Range<u32>],
    budget: &Budget,
) -> Option<bool> {
    match examination {
        "ReachabilityDeadlock" => {
            proofs::all_excluded(session, &[Predicate::DeadEnd], budget).then_some(false)
        }
        "OneSafe" => {
            let bound = |v: u32| session.model().variable(VarId(v)).bounds.certain();
            let (mut goals, mut places) = (Vec::new(), Vec::new());
            for place in session.place_classes() {
                if place.len() == 1 {
                    if bound(place.start).is_none_or(|bound| bound > 1) {
                        places.push(VarId(place.start));
                    }
                } else {
                    let terms = place.map(|v| (1, VarId(v))).collect();
                    let twice = Compare::new(terms, Relation::Ge, 2).ok()?;
                    goals.push(Predicate::Compare(twice));
                }
            }
            let safe = proofs::all_safe(session, &places, budget)
                && proofs::all_excluded(session, &goals, budget);
            safe.then_some(true)
        }
        "QuasiLiveness" | "Liveness" => {
            let fired = |g: u32| sweep.fired()[g as usize];
            let unfired = |groups: &&Range<u32>| !Range::clone(groups).any(fired);
            let enabled =
                |groups: &Range<u32>| Predicate::Enabled(groups.clone().map(GroupId).collect());
            let goals: Vec<Predicate> = classes.iter().filter(unfired).map(enabled).collect();
            proofs::one_excluded(session, &goals, budget).then_some(false)
        }
        _ => None,
    }
}

/// The answer from all reachable states, if they tell.
fn decide(
    session: &Session,
    examination: &str,
    space: &mut StateSpace,
) -> Result<Option<bool>, Stop> {
    let mut ranges = None;
    let mut tokens = |space: &mut StateSpace, place: &Range<u32>| {
        // One walk tells of all variables; a sum of several takes a walk of its own.
        if place.len() == 1 {
            let ranges = match &mut ranges {
                Some(ranges) => ranges,
                none => none.insert(space.ranges()?),
            };
            let (least, most) = ranges[place.start as usize];
            return Ok((least.into(), most.into()));
        }
        space.extent(place.clone().map(VarId)) // of all colours together
    };
    let places = session.place_classes();
    Ok(match examination {
        "ReachabilityDeadlock" => Some(space.find(&Predicate::DeadEnd)?.is_some()),
        "OneSafe" => {
            for place in &places {
                if tokens(space, place)?.1 > 1 {
                    return Ok(Some(false));
                }
            }
            Some(true)
        }
        "StableMarking" => {
            for place in &places {
                let (least, most) = tokens(space, place)?;
                if least == most {
                    return Ok(Some(true));
                }
            }
            Some(false)
        }
        "QuasiLiveness" | "Liveness" => {
            let live = examination == "Liveness";
            if live && space.find(&Predicate::DeadEnd)?.is_some() {
                return Ok((!session.transition_classes().is_empty()).then_some(false));
            }
            for groups in session.transition_classes() {
                let enabled = Predicate::Enabled(groups.map(GroupId).collect());
                if space.find(&enabled)?.is_none() {
                    return Ok(Some(false));
                }
            }
            // What fires once may still stop to.
            (!live).then_some(true)
        }
        _ => None,
    })
}

/// Whether each transition can always fire again, by diagrams, if that is found out in the share of the
/// time that they have.
fn are_live(session: &Session, classes: &[Range<u32>], budget: &Budget) -> Option<bool> {
    let mut store = FormulaStore::new();
    let mut tasks = Vec::with_capacity(classes.len());
    for (i, groups) in classes.iter().enumerate() {
        let formula = parse(&mut store, &format!("AG EF fires_{i}")).ok()?;
        let atom = *store.propositions(formula).first()?;
        let enabled = Predicate::Enabled(groups.clone().map(GroupId).collect());
        let atoms = vec![(atom, enabled)];
        tasks.push(BranchingTask { formula, atoms });
    }
    let options = BranchingOptions {
        engine: Engine::Symbolic,
        explain: false,
        ..BranchingOptions::ctl()
    };
    let mut share = budget.clone();
    if let Some(left) = budget.time_left() {
        share = share.with_time(left / 2);
    }
    let (mut live, mut dead) = (0, false);
    check_branching(
        session,
        &mut store,
        &tasks,
        &options,
        &share,
        |_, told, _| match told.map(|outcome| outcome.holds) {
            Ok(Ok(true)) => live += 1,
            Ok(Ok(false)) => dead = true,
            Ok(Err(_)) | Err(_) => {}
        },
    );
    if dead {
        return Some(false);
    }
    (live == tasks.len()).then_some(true)
}

/// Whether each transition has fired.
fn all_fired(classes: &[Range<u32>], sweep: &BreadthFirst) -> bool {
    let fired = |groups: &Range<u32>| groups.clone().any(|g| sweep.fired()[g as usize]);
    sweep.unfired() == 0 || classes.iter().all(fired)
}

/// Whether some place keeps its number of tokens, in all colours together, whatever has fired.
fn has_stable_place(changers: &[Vec<GroupId>], sweep: &BreadthFirst) -> bool {
    let changed = |groups: &Vec<GroupId>| groups.iter().any(|g| sweep.fired()[g.index()]);
    !changers.iter().all(changed)
}

/// The answer from what walks have reached, if it tells.
fn walked(examination: &str, walks: &Walks, any_transition: bool) -> Option<bool> {
    match examination {
        "ReachabilityDeadlock" => walks.reached(0),
        "OneSafe" => walks.reached(0).map(|twice| !twice),
        "StableMarking" => walks.reached_all().map(|all| !all),
        "QuasiLiveness" => walks.reached_all(),
        // The first goal is a dead end, the others are the transitions.
        "Liveness" if any_transition && walks.reached(0) == Some(true) => Some(false),
        "Liveness" => walks.reached_all().filter(|all| !all),
        _ => None,
    }
}
