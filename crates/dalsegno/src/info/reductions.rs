//! What structural reductions leave of a net, for each kind of question.
//!
//! A reduction depends on what is observed. Two cases tell much: nothing is observed, as by a question about deadlocks or
//! as an ideal that no question beats; and one place is. Places differ, so three are tried, at the quarters of the list,
//! and the one with the median of what is left is told.
//!
//! Cost: four reductions for each kind of question, each near linear in the net, within a part of the time.

use dalsegno_kripke::Budget;
use dalsegno_models::petri::reduce::{Keep, Observed, Reduced, reduce};
use dalsegno_models::petri::structure;
use dalsegno_models::petri::{PetriNet, PlaceId};
use serde::Serialize;

use super::Info;

/// What a reduction leaves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Left {
    /// What is kept.
    pub kept: &'static str,
    /// The place that is observed, if one is.
    pub observed: Option<String>,
    /// How many places are left.
    pub places: usize,
    /// How many transitions are left.
    pub transitions: usize,
    /// How often each rule was applied.
    pub rules: Vec<Applied>,
}

/// A rule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Applied {
    /// Its name.
    pub rule: &'static str,
    /// How often it was applied.
    pub count: usize,
}

/// The kinds of questions.
const KEPT: [Keep; 5] = [
    Keep::Reach,
    Keep::Deadlocks,
    Keep::Traces,
    Keep::Branching,
    Keep::Steps,
];

/// Reduces the net for each kind of question, as long as there is time.
pub(super) fn reductions(
    info: &mut Info,
    net: &PetriNet,
    structure: &structure::Structure,
    work: &Budget,
) {
    let count = net.places().len() as u32;
    let mut places: Vec<PlaceId> = (1..4).map(|i| PlaceId(count / 4 * i)).collect();
    places.retain(|p| p.0 < count);
    places.dedup();
    let left = |keep, observed: &[PlaceId]| {
        let mut watched = Observed::nothing(net);
        watched.add_places(observed.iter().copied());
        let reduced = reduce(net, Some(structure), &watched, keep, work);
        // What was not finished is not what is left.
        work.check().ok()?;
        let name = observed.first().map(|p| net.places()[p.index()].id.clone());
        Some(told(net, keep, name, reduced.as_ref()))
    };
    for keep in KEPT {
        let Some(nothing) = left(keep, &[]) else {
            return info.leave("reductions", "there was no time");
        };
        info.reductions.push(nothing);
        if keep == Keep::Deadlocks {
            continue;
        }
        let mut one = Vec::new();
        for &p in &places {
            let Some(left) = left(keep, &[p]) else {
                return info.leave("reductions", "there was no time");
            };
            one.push(left);
        }
        one.sort_by_key(|left| left.places + left.transitions);
        if !one.is_empty() {
            info.reductions.push(one.swap_remove(one.len() / 2));
        }
    }
}

fn told(net: &PetriNet, keep: Keep, observed: Option<String>, reduced: Option<&Reduced>) -> Left {
    let applied = |reduced: &Reduced| {
        let rules = reduced.applied.iter();
        let rules = rules.map(|&(rule, count)| Applied {
            rule: rule.name(),
            count,
        });
        rules.collect()
    };
    let now = reduced.map_or(net, |reduced| &reduced.net);
    Left {
        kept: keep.name(),
        observed,
        places: now.places().len(),
        transitions: now.transitions().len(),
        rules: reduced.map_or(Vec::new(), applied),
    }
}
