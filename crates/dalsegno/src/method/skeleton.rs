//! What the numbers of tokens tell of a coloured net, whatever their colours.
//!
//! The net without its colours ([`skeleton`]) is small and does at least what the coloured net does. So a
//! goal that it never reaches is not reached, a transition that never fires here never fires there, and a
//! bound is a bound. What the first marking shows is exact. The rest stays open: what is reached here may
//! not be there.
//!
//! It is asked first, for a small part of the time, before the net is unfolded, and it is all that is asked if
//! the net is too large for that.

use std::collections::BTreeMap;

use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::space::Space;
use dalsegno_kripke::{Budget, GroupId, Predicate, Stop, VarId};
use dalsegno_logic::FormulaStore;
use dalsegno_models::petri::TransitionId;
use dalsegno_models::petri::coloured::{ColouredNet, skeleton};
use rustc_hash::FxHashMap;

use super::state_equation::Constants;
use super::{Method, Tool};
use crate::answer::{Answer, Value};
use crate::asked::Reader;
use crate::board::Board;
use crate::plan::{LOOK_STATES, SKELETON_ATOMS};
use crate::problem::Problem;
use crate::question::{Global, Question, Reach};
use crate::slice::{Shares, Slice};

/// The method.
pub(crate) struct Skeleton;

impl Method for Skeleton {
    fn tool(&self) -> Tool {
        Tool::Skeleton
    }

    fn suits(&self, _: &Board<'_>, question: &Question) -> bool {
        matches!(
            question,
            Question::Reach(_) | Question::Bound(_) | Question::Global(_)
        )
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let Some(problem) = problem_of(board.source().coloured(), &slice.budget) else {
            return Ok(());
        };
        let mut store = FormulaStore::new();
        let mut reader = Reader {
            problem: &problem,
            store: &mut store,
            settings: board.settings(),
            budget: &slice.budget,
            read: None,
        };
        let mut goals = Vec::new();
        for &number in open {
            // What is wrong with a question is said when the net is unfolded.
            let Ok(understood) = reader.understand(&board.asked(number)) else {
                slice.budget.check()?;
                continue;
            };
            let known = match understood.question {
                Question::Global(global) => global_answer(&problem, global).map(Value::Truth),
                Question::Bound(places) => bound(&problem, &places),
                Question::Reach(reach) => reach_answer(&problem, number, reach, &mut goals),
                _ => None,
            };
            if let Some(value) = known {
                board.answer(number, Answer::new(value, Tool::Skeleton));
            }
        }
        exclude(board, &problem, goals, &slice.budget)
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn release(&mut self) {}
}

fn problem_of(net: Option<&ColouredNet>, budget: &Budget) -> Option<Problem> {
    let counting = skeleton(net?)?;
    Some(Problem::of_net(counting, budget))
}

/// What the skeleton decides of atoms, by their names, in all reachable states of the unfolded net: numbers of
/// tokens are the same with and without colours.
pub(crate) fn constant_atoms(
    unfolded: &Problem,
    net: &ColouredNet,
    atoms: &BTreeMap<&str, &Predicate>,
    budget: &Budget,
) -> FxHashMap<String, bool> {
    let mut known = FxHashMap::default();
    if atoms.is_empty() {
        return known;
    }
    let Some(problem) = problem_of(Some(net), budget) else {
        return known;
    };
    let mut part = budget.clone();
    if let Some(time) = SKELETON_ATOMS.of(budget.time_left()) {
        part = part.with_time(time);
    }
    let (places, transitions) = (unfolded.places(), unfolded.transitions());
    let mut shares = Shares::new(part, atoms.len());
    let mut constants = Constants::default();
    let mut store = FormulaStore::new();
    for (&name, &there) in atoms {
        let share = shares.next();
        let atom = store.atom(name);
        let meaning = problem
            .atoms(&store, atom)
            .ok()
            .and_then(|mut list| list.pop());
        let Some((_, meaning)) = meaning else {
            continue;
        };
        // A name of a place in one colour may be that of another place here.
        if !corresponds(&meaning, there, &places, &transitions) {
            continue;
        }
        let simple = match problem.structure() {
            Some(structure) => structure.simplify(&meaning),
            None => meaning,
        };
        let value = match &simple {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            // What is enabled here may not be there.
            Predicate::Compare(_) => constants.always(&problem, &simple, &share).ok().flatten(),
            _ => None,
        };
        if let Some(value) = value {
            known.insert(name.to_owned(), value);
        }
    }
    known
}

/// Whether a predicate of the unfolded net says the same of all colours together.
fn corresponds(
    counting: &Predicate,
    unfolded: &Predicate,
    places: &[Vec<VarId>],
    transitions: &[Vec<GroupId>],
) -> bool {
    match (counting, unfolded) {
        (Predicate::Compare(a), Predicate::Compare(b)) => {
            let of_place = |&(weight, place): &(i64, VarId)| {
                let variables = places[place.index()].iter();
                variables.map(move |&v| (v, weight))
            };
            let mut expected: Vec<(VarId, i64)> = a.terms().iter().flat_map(of_place).collect();
            let mut found: Vec<_> = b.terms().iter().map(|&(weight, v)| (v, weight)).collect();
            expected.sort_unstable();
            found.sort_unstable();
            (a.op(), a.constant(), expected) == (b.op(), b.constant(), found)
        }
        (Predicate::Enabled(a), Predicate::Enabled(b)) => {
            let groups = a.iter().flat_map(|t| &transitions[t.index()]);
            let mut expected: Vec<GroupId> = groups.copied().collect();
            let mut found = b.clone();
            expected.sort_unstable();
            found.sort_unstable();
            expected == found
        }
        _ => false,
    }
}

/// A question about the whole net.
fn global_answer(problem: &Problem, global: Global) -> Option<bool> {
    let (net, structure) = (problem.net()?, problem.structure()?);
    let transitions = || (0..).map(TransitionId).zip(net.transitions());
    let may_fire = |t: TransitionId| structure.may_fire(t);
    match global {
        Global::OneSafe => {
            let safe = |place| {
                structure
                    .bound(&[VarId(place)])
                    .is_some_and(|most| most <= 1)
            };
            if net.places().iter().any(|p| p.initial > 1) {
                Some(false)
            } else {
                let mut places = 0..net.places().len() as u32;
                places.all(safe).then_some(true)
            }
        }
        Global::StableMarking => {
            let mut stable = vec![true; net.places().len()];
            for (_, t) in transitions().filter(|(id, _)| may_fire(*id)) {
                let takes = t.pre.iter().map(|&(p, n)| (p, -i64::from(n)));
                let puts = t.post.iter().map(|&(p, n)| (p, i64::from(n)));
                let mut effect: Vec<_> = takes.chain(puts).collect();
                effect.sort_unstable();
                for of_place in effect.chunk_by(|a, b| a.0 == b.0) {
                    if of_place.iter().map(|(_, n)| n).sum::<i64>() != 0 {
                        stable[of_place[0].0.index()] = false;
                    }
                }
            }
            stable.contains(&true).then_some(true)
        }
        Global::QuasiLiveness | Global::Liveness => {
            transitions().any(|(id, _)| !may_fire(id)).then_some(false)
        }
        Global::Deadlock => None,
    }
}

/// A sum that starts at a bound of it.
fn bound(problem: &Problem, places: &[VarId]) -> Option<Value> {
    let first = problem.model().initial().first()?;
    let values = places.iter().map(|v| u64::from(first[v.index()]));
    let (sum, most) = (values.sum::<u64>(), problem.structure()?.bound(places)?);
    (sum == most).then_some(Value::Bound(Some(most)))
}

/// A goal that the first marking satisfies, or that is known not to be reached; others that may still be
/// excluded are added to `goals`.
fn reach_answer(
    problem: &Problem,
    number: usize,
    reach: Reach,
    goals: &mut Vec<(usize, Reach)>,
) -> Option<Value> {
    let Reach {
        goal, if_reached, ..
    } = &reach;
    // A goal of any state stands for a formula without temporal operators; of what is enabled in the
    // first state the skeleton knows too little.
    if *goal == Predicate::True {
        return None;
    }
    let value = |reached: bool| Some(Value::Truth(*if_reached == reached));
    let model = problem.model();
    let now = |state: &Vec<u32>| goal.eval(model, state);
    if speaks_of_tokens(goal) && model.initial().iter().any(now) {
        return value(true);
    }
    if problem.structure()?.simplify(goal) == Predicate::False {
        return value(false);
    }
    if grows_with_enabling(goal, true) {
        goals.push((number, reach));
    }
    None
}

/// Excludes goals that no state of the skeleton reaches.
fn exclude(
    board: &Board<'_>,
    problem: &Problem,
    goals: Vec<(usize, Reach)>,
    budget: &Budget,
) -> Result<(), Stop> {
    if goals.is_empty() {
        return Ok(());
    }
    let mut space = Space::new(problem.model());
    let predicates = goals.iter().map(|(_, reach)| reach.goal.clone()).collect();
    let mut search = BreadthFirst::new(&space, predicates);
    loop {
        match search.advance(&mut space, LOOK_STATES, budget) {
            Ok(false) => {}
            Ok(true) => break,
            Err(dalsegno_explicit::space::Error::Stopped(stop)) => return Err(stop),
            Err(dalsegno_explicit::space::Error::Fault(_)) => return Ok(()),
        }
    }
    for (at, (number, reach)) in goals.into_iter().enumerate() {
        if search.reached()[at].is_none() {
            let value = Value::Truth(!reach.if_reached);
            board.answer(number, Answer::new(value, Tool::Skeleton));
        }
    }
    Ok(())
}

/// Whether a set of states is told by numbers of tokens alone.
fn speaks_of_tokens(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::True | Predicate::False | Predicate::Compare(_) => true,
        Predicate::Enabled(_) | Predicate::DeadEnd => false,
        Predicate::Not(inner) => speaks_of_tokens(inner),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().all(speaks_of_tokens),
        Predicate::Circuit(circuit) => circuit.leaves().all(speaks_of_tokens),
    }
}

/// Whether the set can only become larger when more is enabled, or smaller if not `up`. The skeleton
/// enables whatever the coloured net does.
fn grows_with_enabling(predicate: &Predicate, up: bool) -> bool {
    match predicate {
        Predicate::True | Predicate::False | Predicate::Compare(_) => true,
        Predicate::Enabled(_) => up,
        Predicate::DeadEnd => !up,
        Predicate::Not(inner) => grows_with_enabling(inner, !up),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().all(|part| grows_with_enabling(part, up))
        }
        Predicate::Circuit(_) => speaks_of_tokens(predicate),
    }
}
