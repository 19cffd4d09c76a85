//! Place/transition nets with weights, inhibitor arcs and test arcs.

use std::fmt;

use dalsegno_kripke::{Bounds, Group, Labels, Linear, Model, VarId, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::graphics::Graphics;
use super::invariants;
use super::nupn::{Nupn, NupnError};

/// A place: its position in a [`PetriNet`] and in every marking.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlaceId(pub u32);

/// A transition: its position in a [`PetriNet`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransitionId(pub u32);

impl PlaceId {
    /// The position in a marking.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TransitionId {
    /// The position among the transitions.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place with its initial tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The identifier, which properties use.
    pub id: String,
    /// The name for people; the identifier if there is none.
    pub name: String,
    /// The tokens in the beginning.
    pub initial: u32,
}

/// Places with weights.
pub type Arcs = Vec<(PlaceId, u32)>;

/// A transition with its arcs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transition {
    /// The identifier, which properties use.
    pub id: String,
    /// The name for people; the identifier if there is none.
    pub name: String,
    /// What it takes.
    pub pre: Arcs,
    /// What it puts.
    pub post: Arcs,
    /// Places that must have strictly fewer tokens than the weight.
    pub inhibit: Arcs,
    /// Places that must have at least so many tokens, which stay.
    pub test: Arcs,
}

/// A place/transition net. Invariants:
///
/// 1. Identifiers of places and transitions are distinct and not empty.
/// 2. Each list of arcs ascends strictly by place and has no weight 0, inhibitors excepted.
/// 3. A NUPN structure, if any, is a tree of units that hold existing places, each at most once.
/// 4. Graphics, if any, place nodes of this net.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PetriNet {
    name: String,
    places: Vec<Place>,
    transitions: Vec<Transition>,
    nupn: Option<Nupn>,
    graphics: Option<Box<Graphics>>,
}

/// Why parts do not make a [`PetriNet`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum NetError {
    /// Two nodes of one identifier, or an empty identifier.
    #[error("the identifier `{0}` is empty or used twice")]
    DuplicateId(String),
    /// An arc to a place that does not exist.
    #[error("an arc of transition `{0}` leads to no place")]
    NoSuchPlace(String),
    /// Parallel arcs whose weights add up to more than 32 bits.
    #[error("the arcs between transition `{transition}` and place `{place}` weigh too much")]
    Weight {
        /// The transition's identifier.
        transition: String,
        /// The place's identifier.
        place: String,
    },
    /// More nodes than 32 bits can number.
    #[error("the net has too many nodes")]
    TooLarge,
    /// The NUPN structure is no tree of units.
    #[error(transparent)]
    Nupn(#[from] NupnError),
}

impl PetriNet {
    /// A net from its parts. Parallel arcs are joined: weights add up, the smallest inhibitor and
    /// the largest test count.
    ///
    /// # Errors
    /// The first invariant that cannot be kept.
    pub fn new(
        name: impl Into<String>,
        places: Vec<Place>,
        mut transitions: Vec<Transition>,
        nupn: Option<Nupn>,
    ) -> Result<Self, NetError> {
        if places.len() >= u32::MAX as usize || transitions.len() >= u32::MAX as usize {
            return Err(NetError::TooLarge);
        }
        let mut seen = FxHashSet::default();
        let ids = places.iter().map(|p| &p.id);
        for id in ids.chain(transitions.iter().map(|t| &t.id)) {
            if id.is_empty() || !seen.insert(id.as_str()) {
                return Err(NetError::DuplicateId(id.clone()));
            }
        }
        drop(seen);
        for t in &mut transitions {
            let outside = |arcs: &Arcs| arcs.iter().any(|(p, _)| p.index() >= places.len());
            if [&t.pre, &t.post, &t.inhibit, &t.test]
                .into_iter()
                .any(outside)
            {
                return Err(NetError::NoSuchPlace(t.id.clone()));
            }
            for list in [&mut t.pre, &mut t.post] {
                join(list, u32::checked_add).map_err(|p| NetError::Weight {
                    transition: t.id.clone(),
                    place: places[p.index()].id.clone(),
                })?;
                list.retain(|&(_, n)| n > 0);
            }
            let _ = join(&mut t.inhibit, |a, b| Some(a.min(b)));
            let _ = join(&mut t.test, |a, b| Some(a.max(b)));
            t.test.retain(|&(_, n)| n > 0);
        }
        if let Some(nupn) = &nupn {
            nupn.check(places.len())?;
        }
        Ok(PetriNet {
            name: name.into(),
            places,
            transitions,
            nupn,
            graphics: None,
        })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The places.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The transitions.
    #[must_use]
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The nested units, if the file has them.
    #[must_use]
    pub fn nupn(&self) -> Option<&Nupn> {
        self.nupn.as_ref()
    }

    /// Where the file has placed the nodes, if it has.
    #[must_use]
    pub fn graphics(&self) -> Option<&Graphics> {
        self.graphics.as_deref()
    }

    /// The net with its nodes placed. Graphics that are empty, or are not of this net, are left out.
    #[must_use]
    pub fn with_graphics(mut self, graphics: Graphics) -> Self {
        let fits = graphics.fits(self.places.len(), self.transitions.len());
        self.graphics = (fits && !graphics.is_empty()).then(|| Box::new(graphics));
        self
    }

    /// The initial marking.
    #[must_use]
    pub fn initial_marking(&self) -> Vec<u32> {
        self.places.iter().map(|p| p.initial).collect()
    }

    /// The same net with identifiers of letters, digits and `_` only, for programs that accept no
    /// others; the old identifiers become names.
    #[must_use]
    pub fn with_plain_ids(&self) -> Self {
        let mut used = FxHashSet::default();
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut plain = |id: &str| {
            let word = |c: char| if c.is_alphanumeric() { c } else { '_' };
            let mut new: String = id.chars().map(word).collect();
            while new.contains("__") {
                new = new.replace("__", "_");
            }
            new.truncate(new.trim_end_matches('_').len());
            if !new.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                new.insert(0, '_');
            }
            // Names that differ only in other characters get numbers.
            if !used.insert(new.clone()) {
                let number: &mut u32 = numbers.entry(new.clone()).or_insert(1);
                let base = new.clone();
                while !used.insert(new.clone()) {
                    *number += 1;
                    new = format!("{base}_{number}");
                }
            }
            new
        };
        let mut net = self.clone();
        for place in &mut net.places {
            place.name = std::mem::take(&mut place.id);
            place.id = plain(&place.name);
        }
        for t in &mut net.transitions {
            t.name = std::mem::take(&mut t.id);
            t.id = plain(&t.name);
        }
        net
    }

    /// The number of arcs of all kinds.
    #[must_use]
    pub fn arc_count(&self) -> usize {
        let count = |t: &Transition| t.pre.len() + t.post.len() + t.inhibit.len() + t.test.len();
        self.transitions.iter().map(count).sum()
    }

    /// Whether firing never needs more than tokens: no inhibitor arc.
    #[must_use]
    pub fn is_monotone(&self) -> bool {
        self.transitions.iter().all(|t| t.inhibit.is_empty())
    }

    /// The net as a model: a variable per place and a group per transition, in the same order and
    /// named by their identifiers, so that [`PlaceId`] and [`VarId`] agree, and
    /// [`TransitionId`] and [`GroupId`](dalsegno_kripke::GroupId) too.
    ///
    /// Bounds are proved by place invariants and by units that keep themselves safe, as far as
    /// [`invariants::bounds`] finds them quickly, or merely promised by the NUPN structure.
    #[must_use]
    pub fn to_model(&self) -> Model {
        let bounds = invariants::bounds(self);
        self.to_model_with_bounds(&bounds)
    }

    /// As [`PetriNet::to_model`], with bounds that the caller knows.
    ///
    /// # Panics
    /// If there are not bounds for each place, or a proved one is below the initial marking.
    #[must_use]
    pub fn to_model_with_bounds(&self, bounds: &[Bounds]) -> Model {
        assert_eq!(bounds.len(), self.places.len(), "bounds for each place");
        let variable = |(place, &bounds): (&Place, &Bounds)| Variable {
            name: place.id.clone(),
            bounds,
        };
        let variables = self.places.iter().zip(bounds).map(variable).collect();
        let groups = self.transitions.iter().map(group).collect();
        let initial = vec![self.initial_marking()];
        Model::new(self.name.clone(), variables, initial, groups)
            .expect("a net's invariants are stronger than a model's")
            .with_labels(self.labels())
    }

    /// The names for people, where they differ from the identifiers.
    fn labels(&self) -> Labels {
        fn list<'a>(named: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<String> {
            let label = |(id, name): (&'a str, &'a str)| if id == name { "" } else { name };
            if named.clone().all(|named| label(named).is_empty()) {
                return Vec::new();
            }
            named.map(|named| label(named).to_owned()).collect()
        }
        Labels {
            variables: list(self.places.iter().map(|p| (&p.id[..], &p.name[..]))),
            groups: list(self.transitions.iter().map(|t| (&t.id[..], &t.name[..]))),
        }
    }
}

impl fmt::Display for PetriNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} places, {} transitions, {} arcs",
            self.name,
            self.places.len(),
            self.transitions.len(),
            self.arc_count()
        )
    }
}

fn group(t: &Transition) -> Group {
    let variables =
        |arcs: &Arcs| -> Vec<(VarId, u32)> { arcs.iter().map(|&(p, n)| (VarId(p.0), n)).collect() };
    let mut pre = variables(&t.pre);
    let takes = pre.iter().map(|&(v, n)| (v, -i64::from(n)));
    let puts = t.post.iter().map(|&(p, n)| (VarId(p.0), i64::from(n)));
    let delta = takes.chain(puts).collect();
    pre.extend(variables(&t.test));
    let linear = Linear::new(pre, variables(&t.inhibit), delta);
    Group::linear(
        t.id.clone(),
        linear.expect("a transition takes no more than its arcs ask for"),
    )
}

/// Sorts arcs and joins those of one place, or says which place's numbers do not join.
fn join(arcs: &mut Arcs, with: impl Fn(u32, u32) -> Option<u32>) -> Result<(), PlaceId> {
    arcs.sort_unstable();
    let mut kept = 0;
    for i in 0..arcs.len() {
        let (place, weight) = arcs[i];
        if kept > 0 && arcs[kept - 1].0 == place {
            arcs[kept - 1].1 = with(arcs[kept - 1].1, weight).ok_or(place)?;
        } else {
            arcs[kept] = (place, weight);
            kept += 1;
        }
    }
    arcs.truncate(kept);
    Ok(())
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::GroupId;

    use super::*;

    fn place(id: &str, initial: u32) -> Place {
        Place {
            id: id.to_owned(),
            name: id.to_owned(),
            initial,
        }
    }

    fn transition(id: &str) -> Transition {
        Transition {
            id: id.to_owned(),
            name: id.to_owned(),
            ..Transition::default()
        }
    }

    #[test]
    fn all_kinds_of_arcs_become_guards_and_effects() {
        let [p, q, r] = [0, 1, 2].map(PlaceId);
        let t = Transition {
            pre: vec![(p, 1), (p, 2)],
            post: vec![(q, 1), (p, 1)],
            inhibit: vec![(r, 4), (r, 2)],
            test: vec![(q, 1)],
            ..transition("t")
        };
        let places = vec![place("p", 3), place("q", 1), place("r", 1)];
        let net = PetriNet::new("n", places, vec![t], None).unwrap();
        assert_eq!(net.to_string(), "n: 3 places, 1 transitions, 5 arcs");
        assert!(!net.is_monotone());
        let model = net.to_model();
        let mut out = [0; 3];
        assert_eq!(model.fire(GroupId(0), &[3, 1, 1], &mut out), Ok(true));
        assert_eq!(out, [1, 2, 1]);
        for disabled in [[2, 1, 1], [3, 0, 1], [3, 1, 2]] {
            assert!(!model.enabled(GroupId(0), &disabled));
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let new = |places, transitions| PetriNet::new("n", places, transitions, None).unwrap_err();
        assert_eq!(
            new(vec![place("a", 0)], vec![transition("a")]),
            NetError::DuplicateId("a".to_owned())
        );
        assert_eq!(
            new(vec![place("", 0)], vec![]),
            NetError::DuplicateId(String::new())
        );
        let t = Transition {
            test: vec![(PlaceId(1), 1)],
            ..transition("t")
        };
        assert_eq!(
            new(vec![place("a", 0)], vec![t]),
            NetError::NoSuchPlace("t".to_owned())
        );
        let t = Transition {
            post: vec![(PlaceId(0), u32::MAX), (PlaceId(0), 1)],
            ..transition("t")
        };
        assert!(matches!(
            new(vec![place("a", 0)], vec![t]),
            NetError::Weight { .. }
        ));
    }
}
