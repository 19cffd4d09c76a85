//! Structural reductions as a pass: a smaller net for questions that observe little.
//!
//! The rules are in `dalsegno-models`, `petri/reduce/`. Here it is decided what a question observes and what has to be kept
//! for it, and which questions share a reduced net: those that need the same to be kept, and whose common net is
//! hardly larger than that of the one with the larger net of its own. A net that is hardly smaller is not worth a run of
//! its own: such questions stay where they are.
//!
//! Answers are lifted by replay and certified on the problem and the question that were given (`inner_run.rs`).

use dalsegno_kripke::{Budget, DeadEnds, VarId};
use dalsegno_logic::{FormulaStore, Fragment};
use dalsegno_models::petri::reduce::{self, Keep, Observed, PlaceNow, Reduced};
use dalsegno_models::petri::{PetriNet, PlaceId};

use crate::answer::Reduction;
use crate::plan::{LARGE_TO_REDUCE, REDUCED_IN_VAIN, REDUCED_JOINED, REDUCED_WORTH};
use crate::problem::Problem;
use crate::question::{Global, Property, Question, Reach};
use crate::settings::Settings;

/// What a reduction has to keep for a question, and what the question observes; `None` if reductions are of no use to it.
pub(crate) fn needs(
    net: &PetriNet,
    store: &FormulaStore,
    settings: &Settings,
    question: &Question,
) -> Option<(Keep, Observed)> {
    let mut observed = Observed::nothing(net);
    let keep = match question {
        Question::Linear(property) => {
            if !property.fairness.is_none() || !property.fires.is_empty() {
                return None;
            }
            match property.dead_ends {
                _ if !store.is(property.formula, Fragment::X_FREE) => Keep::Steps,
                DeadEnds::Stutter => Keep::Traces,
                DeadEnds::Ignore => Keep::InfiniteTraces,
                DeadEnds::Finite => return None,
            }
        }
        Question::Branching(property) => {
            if settings.sample.is_some() || !property.fires.is_empty() {
                return None;
            }
            let free = store.is(property.formula, Fragment::X_FREE);
            if free && property.dead_ends != DeadEnds::Ignore {
                Keep::Branching
            } else {
                Keep::Steps
            }
        }
        Question::Reach(_) | Question::Bound(_) => Keep::Reach,
        Question::Global(Global::Deadlock) => Keep::Deadlocks,
        Question::Automaton(_) | Question::Survey | Question::Global(_) => return None,
    };
    match question {
        Question::Linear(property) | Question::Branching(property) => {
            let used = store.propositions(property.formula);
            for (_, atom) in property.atoms.iter().filter(|(p, _)| used.contains(p)) {
                observed.add_predicate(net, atom);
            }
        }
        Question::Reach(reach) => observed.add_goal(net, &reach.goal),
        Question::Bound(sum) => observed.add_largest(sum.iter().map(|v| PlaceId(v.0))),
        _ => {}
    }
    Some((keep, observed))
}

/// Questions that share a reduced net, by their numbers.
pub(crate) struct Shared {
    pub(crate) numbers: Vec<usize>,
    pub(crate) keep: Keep,
    observed: Observed,
    pub(crate) reduced: Reduced,
}

/// The size of a net, as far as reductions are compared by it.
pub(crate) fn size(net: &PetriNet) -> usize {
    net.places().len() + net.transitions().len()
}

/// Whether a net is enough smaller than another one.
fn is_worth_it(reduced: &PetriNet, before: usize) -> bool {
    let (part, of) = REDUCED_WORTH;
    size(reduced) * of <= before * part
}

/// Reduced nets for questions with their needs; those that can share one do. Each is worth it, compared with the size of
/// the net that a question is asked of so far, if `before` tells one; otherwise any reduction will do. Where reducing takes
/// long, it is given up for questions that need the same as some for which it was in vain.
pub(crate) fn groups(
    problem: &Problem,
    questions: Vec<(usize, Keep, Observed)>,
    before: &dyn Fn(usize) -> Option<usize>,
    budget: &Budget,
) -> Vec<Shared> {
    let reduced = |number: usize, observed: &Observed, keep| {
        let net = problem.net()?;
        let reduced = reduce::reduce(net, problem.structure(), observed, keep, budget)?;
        let worth = before(number).is_none_or(|before| is_worth_it(&reduced.net, before));
        worth.then_some(reduced)
    };
    let is_large = problem.net().is_some_and(|net| size(net) > LARGE_TO_REDUCE);
    let mut groups: Vec<Shared> = Vec::new();
    let mut in_vain: Vec<Keep> = Vec::new();
    for (number, keep, observed) in questions {
        if budget.check().is_err() {
            break;
        }
        let vain = in_vain.iter().filter(|&&k| k == keep).count();
        if is_large && vain >= REDUCED_IN_VAIN && groups.iter().all(|group| group.keep != keep) {
            continue;
        }
        let Some(own) = reduced(number, &observed, keep) else {
            in_vain.push(keep);
            continue;
        };
        let mut joined = false;
        for group in groups.iter_mut().filter(|group| group.keep == keep) {
            let largest = size(&group.reduced.net).max(size(&own.net));
            let smallest = size(&group.reduced.net).min(size(&own.net));
            // Nets of different sizes are not looked at together.
            if largest > 2 * smallest + 16 {
                continue;
            }
            let mut both = group.observed.clone();
            both.add(&observed);
            let (part, of) = REDUCED_JOINED;
            if let Some(common) = reduced(number, &both, keep)
                && size(&common.net) * of <= largest * part
            {
                group.numbers.push(number);
                group.observed = both;
                group.reduced = common;
                joined = true;
                break;
            }
        }
        if !joined {
            groups.push(Shared {
                numbers: vec![number],
                keep,
                observed,
                reduced: own,
            });
        }
    }
    groups
}

/// The reduced net of all questions that need the same to be kept, if it is worth it.
pub(crate) fn together(
    problem: &Problem,
    questions: &[(usize, Keep, Observed)],
    budget: &Budget,
) -> Vec<Shared> {
    let mut groups: Vec<(Keep, Observed, Vec<usize>)> = Vec::new();
    for (number, keep, observed) in questions {
        match groups.iter_mut().find(|group| group.0 == *keep) {
            Some((_, known, numbers)) => {
                known.add(observed);
                numbers.push(*number);
            }
            None => groups.push((*keep, observed.clone(), vec![*number])),
        }
    }
    let Some(net) = problem.net() else {
        return Vec::new();
    };
    let mut shared = Vec::new();
    for (keep, observed, numbers) in groups {
        let reduced = reduce::reduce(net, problem.structure(), &observed, keep, budget);
        if let Some(reduced) = reduced.filter(|r| is_worth_it(&r.net, size(net))) {
            shared.push(Shared {
                numbers,
                keep,
                observed,
                reduced,
            });
        }
    }
    shared
}

/// What was reduced, for those who want to know.
pub(crate) fn told(net: &PetriNet, reduced: &Reduced) -> Reduction {
    Reduction {
        places: (net.places().len(), reduced.net.places().len()),
        transitions: (net.transitions().len(), reduced.net.transitions().len()),
        rules: reduced.applied.clone(),
    }
}

/// A question, as passes have made it, of the reduced net. A formula of LTL is asked as a universal one. `None` if it
/// observes more than was kept.
pub(crate) fn question(reduced: &Reduced, now: &Question) -> Option<Question> {
    let property = |now: &Property| {
        let mut atoms = Vec::with_capacity(now.atoms.len());
        for (p, meaning) in &now.atoms {
            // An atom that the simpler formula does not have may observe more: it is none of the question.
            if let Some(meaning) = reduced.predicate(meaning) {
                atoms.push((*p, meaning));
            }
        }
        Property {
            formula: now.formula,
            atoms,
            fires: Vec::new(),
            dead_ends: now.dead_ends,
            fairness: now.fairness.clone(),
            existential: false,
        }
    };
    Some(match now {
        Question::Linear(now) => Question::Linear(property(now)),
        Question::Branching(now) => Question::Branching(property(now)),
        Question::Reach(now) => Question::Reach(Reach {
            goal: reduced.predicate(&now.goal)?,
            if_reached: now.if_reached,
            formula: now.formula,
            atoms: Vec::new(),
        }),
        Question::Bound(sum) => {
            let mut places = Vec::with_capacity(sum.len());
            for v in sum {
                match reduced.places[v.index()] {
                    PlaceNow::Place(p) => places.push(VarId(p.0)),
                    PlaceNow::Constant(_) | PlaceNow::Gone => {}
                }
            }
            Question::Bound(places)
        }
        Question::Global(Global::Deadlock) => Question::Global(Global::Deadlock),
        _ => return None,
    })
}

/// What a sum of places has in those that were removed as constant.
pub(crate) fn constant_part(reduced: &Reduced, sum: &[VarId]) -> u64 {
    let constant = |v: &VarId| match reduced.places[v.index()] {
        PlaceNow::Constant(n) => u64::from(n),
        PlaceNow::Place(_) | PlaceNow::Gone => 0,
    };
    sum.iter().map(constant).sum()
}
