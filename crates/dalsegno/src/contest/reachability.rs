//! Bounds of sums of places, and properties that ask whether a state is reachable.

use std::io::Write;
use std::time::Duration;

use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::coverability::{Bound, Coverability};
use dalsegno_explicit::space::Space;
use dalsegno_kripke::{Budget, Predicate, Stop, VarId};
use dalsegno_logic::{FormulaStore, PropId};
use dalsegno_models::petri::properties::{PropertySet, Question};
use dalsegno_symbolic::reach::StateSpace;

use super::goal::goal;
use super::stages::{Pace, Turn, ask};
use super::walks::{Sought, Walks};
use super::{
    ContestError, EQUATION, EXPLICIT, SYMBOLIC, WALK, answer, cannot_compute, proofs, truth,
};
use crate::session::Session;

pub(super) fn bounds(
    session: &Session,
    set: &PropertySet,
    time: Duration,
    budget: &Budget,
    out: &mut (impl Write + Send),
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
    if model
        .variables()
        .iter()
        .any(|v| v.bounds.expected().is_none())
        && let Some(graph) = Coverability::new(model, &budget.clone().with_time(time / 3))
    {
        let mut still_open = Vec::new();
        for (id, places) in open {
            match graph.bound(places) {
                Bound::Infinite => answer(out, EXPLICIT, id, "+inf")?,
                Bound::Finite(most) if graph.ended.is_ok() => answer(out, EXPLICIT, id, most)?,
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
            most: session.decider().and_then(|decider| decider.bound(places)),
            seen: 0,
            walked: None,
        })
        .collect();
    let mut space = Space::new(model);
    let mut sweep = BreadthFirst::new(&space, Vec::new());
    let mut looked_at = 0;
    let (mut turn, mut pace) = (Turn::new(budget), Pace::new());
    let mut walks = Walks::default();
    loop {
        let progress = pace.advance(&mut sweep, &mut space, budget);
        let complete = matches!(progress, Ok(true));
        let comes = turn.comes(&space);
        if comes {
            let asked: Vec<_> = open.iter().map(|s| (s.places, s.seen, s.most)).collect();
            let proved = proofs::bounds(session, &asked, budget);
            for (sum, most) in open.iter_mut().zip(proved) {
                sum.most = most.or(sum.most);
            }
        }
        let sought = || {
            let (goals, mut sums) = (Vec::new(), Vec::new());
            for sum in &mut open {
                sum.walked = Some(sums.len());
                sums.push((sum.places.to_vec(), sum.most.unwrap_or(u64::MAX)));
            }
            Sought { goals, sums }
        };
        walks.follow(session, &progress, comes, sought, budget);
        let known = space.len() as u32;
        let mut still_open = Vec::new();
        for mut sum in open {
            sum.look(&space, looked_at..known);
            let walked = sum.walked.map_or((0, false), |i| walks.largest(i));
            if complete || sum.most == Some(sum.seen) {
                answer(out, EXPLICIT, sum.id, sum.seen)?;
            } else if walked.1 || sum.most == Some(walked.0) {
                answer(out, WALK, sum.id, walked.0)?;
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
        if comes {
            let greatest = |space: &mut StateSpace| {
                let mut most = |sum: &Sum<'_>| Ok(space.extent(sum.places.iter().copied())?.1);
                open.iter()
                    .map(&mut most)
                    .collect::<Result<Vec<i64>, Stop>>()
            };
            if let Some(known) = ask(session, budget, greatest) {
                for (sum, most) in open.iter().zip(known) {
                    answer(out, SYMBOLIC, sum.id, most)?;
                }
                return Ok(true);
            }
        }
    }
}

/// A sum of places whose largest value is asked for.
struct Sum<'a> {
    id: &'a str,
    places: &'a [VarId],
    most: Option<u64>,
    seen: u64,
    /// Its place among the sums of the walks.
    walked: Option<usize>,
}

impl Sum<'_> {
    fn look(&mut self, space: &Space, states: std::ops::Range<u32>) {
        for state in states {
            let value = |v: &VarId| u64::from(space.value(state, v.index()));
            self.seen = self.seen.max(self.places.iter().map(value).sum());
        }
    }
}

pub(super) fn reachability(
    session: &Session,
    store: &FormulaStore,
    set: &PropertySet,
    budget: &Budget,
    out: &mut (impl Write + Send),
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
    let mut space = Space::new(session.model());
    let mut sweep = BreadthFirst::new(&space, goals.clone());
    let mut turn = Turn::new(budget);
    let mut pace = Pace::new();
    let mut walks = Walks::default();
    let mut told = vec![false; asked.len()];
    loop {
        let progress = pace.advance(&mut sweep, &mut space, budget);
        for (i, &(id, if_reached)) in asked.iter().enumerate() {
            let reached = sweep.reached()[i].is_some();
            if !told[i] && (reached || matches!(progress, Ok(true))) {
                answer(out, EXPLICIT, id, truth(if_reached == reached))?;
                told[i] = true;
            }
        }
        let comes = turn.comes(&space);
        if comes {
            // A proof takes less time than a walk to what is not there.
            for i in proofs::excluded(session, &goals, &told, budget) {
                let (id, if_reached) = asked[i];
                answer(out, EQUATION, id, truth(!if_reached))?;
                told[i] = true;
            }
        }
        // What is told is found at once.
        let sought = || {
            let told = told.iter().zip(&goals);
            let open = told.map(|(&told, goal)| if told { Predicate::True } else { goal.clone() });
            let (goals, sums) = (open.collect(), Vec::new());
            Sought { goals, sums }
        };
        walks.follow(session, &progress, comes, sought, budget);
        for (i, &(id, if_reached)) in asked.iter().enumerate() {
            match walks.reached(i) {
                _ if told[i] => walks.drop_goal(i),
                Some(reached) => {
                    answer(out, WALK, id, truth(if_reached == reached))?;
                    told[i] = true;
                }
                None => {}
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
        if comes {
            // Goals that are too much for the diagrams are left to the sweep.
            let decide = |space: &mut StateSpace| {
                let one = |i: usize| {
                    let open = !told[i];
                    let found = open.then(|| space.find(&goals[i]).ok())??;
                    Some(found.is_some())
                };
                Ok((0..goals.len()).map(one).collect::<Vec<Option<bool>>>())
            };
            let known = ask(session, budget, decide).unwrap_or_default();
            for (i, reached) in known.into_iter().enumerate() {
                if let Some(reached) = reached {
                    let (id, if_reached) = asked[i];
                    answer(out, SYMBOLIC, id, truth(if_reached == reached))?;
                    told[i] = true;
                }
            }
            if told.iter().all(|&t| t) {
                break;
            }
        }
    }
    Ok(all)
}
