//! Questions about the whole net, asked of all reachable states.

use dalsegno_kripke::{Predicate, Stop, VarId};
use dalsegno_symbolic::reach::StateSpace;

use crate::problem::Problem;
use crate::question::Global;

/// The answer from all reachable states, if they tell.
pub(super) fn decide(
    problem: &Problem,
    global: Global,
    space: &mut StateSpace,
) -> Result<Option<bool>, Stop> {
    let mut ranges = None;
    let mut tokens = |space: &mut StateSpace, place: &[VarId]| {
        // One walk tells of all variables; a sum of several takes a walk of its own.
        if let [single] = place {
            let ranges = match &mut ranges {
                Some(ranges) => ranges,
                none => none.insert(space.ranges()?),
            };
            let (least, most): (u32, u32) = ranges[single.index()];
            return Ok((i64::from(least), i64::from(most)));
        }
        space.extent(place.iter().copied()) // of all colours together
    };
    let places = problem.places();
    Ok(match global {
        Global::Deadlock => Some(space.find(&Predicate::DeadEnd)?.is_some()),
        Global::OneSafe => {
            for place in &places {
                if tokens(space, place)?.1 > 1 {
                    return Ok(Some(false));
                }
            }
            Some(true)
        }
        Global::StableMarking => {
            for place in &places {
                let (least, most) = tokens(space, place)?;
                if least == most {
                    return Ok(Some(true));
                }
            }
            Some(false)
        }
        Global::QuasiLiveness | Global::Liveness => {
            let live = global == Global::Liveness;
            let classes = problem.transitions();
            if live && space.find(&Predicate::DeadEnd)?.is_some() {
                return Ok((!classes.is_empty()).then_some(false));
            }
            for groups in classes {
                if space.find(&Predicate::Enabled(groups))?.is_none() {
                    return Ok(Some(false));
                }
            }
            // What fires once may still stop to.
            (!live).then_some(true)
        }
    })
}
