//! What the numbers of tokens tell of a coloured net, whatever their colours.
//!
//! The net without its colours ([`skeleton`]) is small and does at least what the coloured net does. So a
//! goal that it never reaches is not reached, a transition that never fires here never fires there, and a
//! bound is a bound. What the first marking shows is exact. The rest stays open: what is reached here may
//! not be there.
//!
//! It is asked first, for a small part of the time, and it is all that is asked if the net is too large to
//! be unfolded.

use std::io::Write;
use std::time::Duration;

use dalsegno_explicit::breadth_first::BreadthFirst;
use dalsegno_explicit::space::Space;
use dalsegno_kripke::{Budget, Predicate, VarId};
use dalsegno_logic::{FormulaStore, PropId};
use dalsegno_models::petri::coloured::{ColouredNet, skeleton};
use dalsegno_models::petri::properties::{self, PropertySet, Question};
use dalsegno_models::petri::structure::Structure;
use dalsegno_models::petri::{PetriNet, TransitionId, invariants};
use rustc_hash::{FxHashMap, FxHashSet};

use super::goal::goal;
use super::stages::Pace;
use super::{ContestError, Request, answer, cannot_compute, truth};
use crate::proofs::{Constants, Shares};
use crate::session::Session;

/// What answered: more states than there are, one by one.
const COUNTED: &str = "EXPLICIT OVER_APPROXIMATION";

/// The part of the time that the skeleton may take, and the most seconds.
const SHARE: (u32, Duration) = (20, Duration::from_secs(10));

/// The share of the time that proofs may take, in percent.
const PROOFS: u32 = 5;

/// Answers what it can of an examination of a net that is too large to be unfolded; true if that is all
/// of it.
///
/// # Errors
/// See [`ContestError`].
pub fn examine_counted(
    net: &ColouredNet,
    request: &Request<'_>,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    let mut answered = FxHashSet::default();
    last_answers(net, request, &mut answered, out)
}

/// As [`examine_counted`], for what is not answered yet.
pub(super) fn last_answers(
    net: &ColouredNet,
    request: &Request<'_>,
    answered: &mut FxHashSet<String>,
    out: &mut impl Write,
) -> Result<bool, ContestError> {
    counted(net, request, request.left(), answered, out)?;
    if is_complete(request, answered)? {
        Ok(true)
    } else {
        cannot_compute(out)
    }
}

/// Whether nothing is left to answer.
pub(super) fn is_complete(
    request: &Request<'_>,
    answered: &FxHashSet<String>,
) -> Result<bool, ContestError> {
    match request.properties {
        None => Ok(answered.contains(request.examination)),
        Some(bytes) => {
            let ids = properties::ids(bytes)?;
            Ok(ids.iter().all(|id| answered.contains(id)))
        }
    }
}

/// Answers what the skeleton decides in a small part of the time: the names of what is answered.
pub(super) fn first_answers(
    net: &ColouredNet,
    request: &Request<'_>,
    out: &mut impl Write,
) -> Result<FxHashSet<String>, ContestError> {
    let (part, most) = SHARE;
    let mut answered = FxHashSet::default();
    let time = (request.left() / part).min(most);
    counted(net, request, time, &mut answered, out)?;
    Ok(answered)
}

fn counted(
    net: &ColouredNet,
    request: &Request<'_>,
    time: Duration,
    answered: &mut FxHashSet<String>,
    out: &mut impl Write,
) -> Result<(), ContestError> {
    let Some(counting) = skeleton(net) else {
        return Ok(());
    };
    let mut budget = request.budget.clone().with_time(time);
    if let Some(bytes) = budget.bytes() {
        budget = budget.with_bytes(bytes / 4);
    }
    let sums = invariants::sums_within(&counting, invariants::Limits::default(), &budget);
    let decider = Structure::with_sums(&counting, sums);
    let examination = request.examination;
    match examination {
        "OneSafe" | "StableMarking" | "QuasiLiveness" | "Liveness" => {
            if let Some(value) = global(&counting, &decider, examination)
                && answered.insert(examination.to_owned())
            {
                answer(out, COUNTED, examination, truth(value))?;
            }
        }
        "UpperBounds" | "ReachabilityCardinality" | "ReachabilityFireability" => {
            let bytes = request.properties.ok_or(ContestError::NoProperties)?;
            let session = Session::within(counting, &budget);
            let mut store = FormulaStore::new();
            let read = properties::parse_within(bytes, session.symbols(), &mut store, &budget);
            let set = match read {
                Ok(set) => set,
                Err(error) if error.stop().is_some() => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let known = match examination {
                "UpperBounds" => bounds(&session, &decider, &set),
                _ => reachability(&session, &decider, &store, &set, &budget),
            };
            for (id, value) in known {
                if answered.insert(id.clone()) {
                    answer(out, COUNTED, &id, value)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// Puts in, for the atoms of properties of any logic, what the skeleton decides of all reachable states.
pub(super) fn decide_atoms(
    net: &ColouredNet,
    bytes: &[u8],
    store: &FormulaStore,
    set: &mut PropertySet,
    budget: &Budget,
) -> Result<(), ContestError> {
    let Some(counting) = skeleton(net) else {
        return Ok(());
    };
    let session = Session::within(counting, budget);
    let mut own = FormulaStore::new();
    let read = properties::parse_within(bytes, session.symbols(), &mut own, budget);
    let counted = match read {
        Ok(set) => set,
        Err(error) if error.stop().is_some() => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut shares = Shares::new(&session, budget, PROOFS, SHARE.1, counted.atoms.len());
    let mut constants = Constants::default();
    let known = counted.atoms.iter().map(|(&p, meaning)| {
        let decider = session.decider();
        let simple = decider.map_or_else(|| meaning.clone(), |d| d.simplify(meaning));
        // Numbers are the same with and without colours; what is enabled here may not be there.
        let proved = match simple {
            Predicate::Compare(_) => constants.always(&session, &simple, &shares.next()),
            _ => Ok(None),
        };
        let simple = match proved {
            Ok(Some(value)) => Predicate::constant(value),
            _ => simple,
        };
        (own.name(p), simple)
    });
    let known: FxHashMap<&str, Predicate> = known.collect();
    for (&p, meaning) in &mut set.atoms {
        if let Some(constant @ (Predicate::True | Predicate::False)) = known.get(store.name(p)) {
            *meaning = constant.clone();
        }
    }
    Ok(())
}

fn global(net: &PetriNet, decider: &Structure, examination: &str) -> Option<bool> {
    let transitions = || (0..).map(TransitionId).zip(net.transitions());
    let may_fire = |t: TransitionId| decider.may_fire(t);
    match examination {
        "OneSafe" => {
            let safe = |place| decider.bound(&[VarId(place)]).is_some_and(|most| most <= 1);
            if net.places().iter().any(|p| p.initial > 1) {
                Some(false)
            } else {
                let mut places = 0..net.places().len() as u32;
                places.all(safe).then_some(true)
            }
        }
        "StableMarking" => {
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
        _ => transitions().any(|(id, _)| !may_fire(id)).then_some(false),
    }
}

/// Sums that start at a bound of theirs.
fn bounds(session: &Session, decider: &Structure, set: &PropertySet) -> Vec<(String, String)> {
    let mut known = Vec::new();
    for property in &set.properties {
        let Question::Bound(places) = &property.question else {
            continue;
        };
        let first = session.model().initial().iter().next();
        let sum = first.map(|state| {
            let values = places.iter().map(|v| u64::from(state[v.index()]));
            values.sum::<u64>()
        });
        if let (Some(sum), Some(most)) = (sum, decider.bound(places))
            && sum == most
        {
            known.push((property.id.clone(), most.to_string()));
        }
    }
    known
}

/// Goals that the first marking satisfies, and goals that are never reached.
fn reachability(
    session: &Session,
    decider: &Structure,
    store: &FormulaStore,
    set: &PropertySet,
    budget: &Budget,
) -> Vec<(String, String)> {
    let atoms: Vec<(PropId, Predicate)> = set.atoms.iter().map(|(&p, m)| (p, m.clone())).collect();
    let mut known = Vec::new();
    let (mut asked, mut goals) = (Vec::new(), Vec::new());
    for property in &set.properties {
        let Question::Formula(f) = property.question else {
            continue;
        };
        let Some((goal, if_reached)) = goal(session, store, f, &atoms) else {
            continue;
        };
        // A goal of any state stands for a formula without temporal operators; of what is enabled in the
        // first state the skeleton knows too little.
        if goal == Predicate::True {
            continue;
        }
        let value = |reached: bool| truth(if_reached == reached).to_owned();
        let now = |state: &Vec<u32>| goal.eval(session.model(), state);
        if speaks_of_tokens(&goal) && session.model().initial().iter().any(now) {
            known.push((property.id.clone(), value(true)));
        } else if decider.simplify(&goal) == Predicate::False {
            known.push((property.id.clone(), value(false)));
        } else if grows_with_enabling(&goal, true) {
            asked.push((property.id.clone(), value(false)));
            goals.push(goal);
        }
    }
    if goals.is_empty() {
        return known;
    }
    let mut space = Space::new(session.model());
    let mut sweep = BreadthFirst::new(&space, goals);
    let mut pace = Pace::new();
    loop {
        match pace.advance(&mut sweep, &mut space, budget) {
            Ok(false) => {}
            Err(_) => return known,
            Ok(true) => break,
        }
    }
    let reached = sweep.reached().iter();
    let never = asked.into_iter().zip(reached).filter(|(_, r)| r.is_none());
    known.extend(never.map(|(answer, _)| answer));
    known
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
