//! A net seen through some of its places: the others may have any tokens, so a transition is enabled as far as the places
//! that are seen tell. Every run of the net is one of the view; the view may have more.
//!
//! Transitions that look the same are one group of the view. A proof about all runs of a view is one about the net, and
//! the checker takes it as such: places that are not seen are in no level.

use std::sync::Arc;

use dalsegno_kripke::{Bounds, Group, Linear, Model, VarId, Variable};
use dalsegno_verify::formula::Atom;
use dalsegno_verify::net::{Net, Transition};
use rustc_hash::FxHashMap;

use super::subject::Subject;

/// A net as far as it is seen.
pub(super) struct View {
    /// The places that are seen, ascending: those of the variables.
    pub(super) places: Vec<usize>,
    pub(super) model: Arc<Model>,
    /// Of each group, a transition; none if groups are transitions.
    origins: Option<Vec<Origin>>,
    /// Whether a transition may fire everywhere and changes nothing that is seen.
    pub(super) repeats: bool,
}

/// The transition of a group, and whether all that it asks for is seen.
#[derive(Clone, Copy)]
struct Origin {
    transition: u32,
    whole: bool,
}

impl View {
    /// All places.
    pub(super) fn of_all(subject: &Subject<'_>) -> Self {
        View {
            places: (0..subject.net.places.len()).collect(),
            model: Arc::clone(subject.model()),
            origins: None,
            repeats: false,
        }
    }

    /// Some places, ascending; none if numbers are too large for a model.
    pub(super) fn of_some(net: &Net, places: Vec<usize>) -> Option<Self> {
        let mut variable = vec![None; net.places.len()];
        for (v, &place) in (0..).zip(&places) {
            variable[place] = Some(VarId(v));
        }
        let mut known: FxHashMap<Linear, usize> = FxHashMap::default();
        let (mut groups, mut origins) = (Vec::new(), Vec::<Origin>::new());
        let mut repeats = false;
        for (number, t) in (0..).zip(&net.transitions) {
            let seen = |list: &[(usize, u32)]| -> Vec<(VarId, u32)> {
                list.iter()
                    .filter_map(|&(p, n)| Some((variable[p]?, n)))
                    .collect()
            };
            let change = t.change.iter();
            let change = change.filter_map(|&(p, n)| Some((variable[p]?, n)));
            let (least, below) = (seen(&t.least), seen(&t.below));
            let whole = least.len() == t.least.len() && below.len() == t.below.len();
            let linear = Linear::new(least, below, change.collect()).ok()?;
            if linear == Linear::default() {
                repeats = true;
                continue;
            }
            let origin = Origin {
                transition: number,
                whole,
            };
            match known.get(&linear) {
                // One that is seen as a whole shows that a marking is no dead end.
                Some(&group) if whole => origins[group] = origin,
                Some(_) => {}
                None => {
                    known.insert(linear.clone(), origins.len());
                    groups.push(Group::linear(t.id.clone(), linear));
                    origins.push(origin);
                }
            }
        }
        let variables = places.iter().map(|&place| Variable {
            name: net.places[place].0.clone(),
            bounds: Bounds::UNKNOWN,
        });
        let initial = places.iter().map(|&place| net.places[place].1).collect();
        let model = Model::new("view", variables.collect(), vec![initial], groups).ok()?;
        Some(View {
            places,
            model: Arc::new(model),
            origins: Some(origins),
            repeats,
        })
    }

    /// Whether all places are seen.
    pub(super) fn is_all(&self) -> bool {
        self.origins.is_none()
    }

    /// The transition of a group, if it is enabled wherever the group is.
    pub(super) fn enabled_by(&self, group: u32) -> Option<usize> {
        match &self.origins {
            None => Some(group as usize),
            Some(origins) => {
                let origin = origins[group as usize];
                origin.whole.then_some(origin.transition as usize)
            }
        }
    }
}

/// The places that a transition asks for tokens, or for few.
pub(super) fn asked(t: &Transition) -> impl Iterator<Item = usize> {
    t.least.iter().chain(&t.below).map(|&(p, _)| p)
}

/// The places that atoms ask, ascending; that of dead ends asks none, though it depends on all.
pub(super) fn observed(net: &Net, atoms: &[Atom]) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    for atom in atoms {
        match atom {
            Atom::AtMost(terms, _) | Atom::Equals(terms, _) => {
                places.extend(terms.iter().map(|&(p, _)| p));
            }
            Atom::Fireable(list) => {
                places.extend(list.iter().flat_map(|&t| asked(&net.transitions[t])));
            }
            Atom::Deadlock => {}
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}
