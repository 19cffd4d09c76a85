//! Weighted sums of places that never grow, and the bounds that follow.
//!
//! If no transition increases `Σ y·m` for weights `y ≥ 0`, then a place `p` with `y_p > 0` never
//! holds more than `Σ y·m₀ / y_p` tokens. A sum that no transition changes is a place invariant
//! (semiflow). Guards do not matter here: inhibitor and test arcs only take steps away.
//!
//! They are found by Farkas' algorithm (`farkas.rs`), which [`Limits`] end; what was found by then is still sound, merely not
//! complete.

use std::cell::OnceCell;

use dalsegno_kripke::{Bounds, Budget, Stop};

use super::farkas::{Farkas, Found};
use super::net::{PetriNet, PlaceId, TransitionId};
use super::unit_safety;
use crate::watch::Watch;

/// A weighted sum of places that no transition increases.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlaceSum {
    /// The places with their weights, ascending; none is 0.
    pub weights: Vec<(PlaceId, u64)>,
    /// Whether no transition decreases it either.
    pub constant: bool,
}

/// When to stop looking for sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most numbers to compute.
    pub work: u64,
    /// The most combinations to make for one transition.
    pub pairs: usize,
}

/// The most work for a large net beyond the default: a second or so. An unfolded net may have tens of
/// millions of arcs.
const MOST_MORE: u64 = 25_000_000;

impl Default for Limits {
    /// A tenth of a second or so.
    fn default() -> Self {
        Limits {
            work: 5_000_000,
            pairs: 500,
        }
    }
}

impl Limits {
    /// The default, and more for a large net.
    #[must_use]
    pub fn of_net(net: &PetriNet) -> Self {
        let mut limits = Limits::default();
        limits.work += (30 * net.arc_count() as u64).min(MOST_MORE);
        limits
    }
}

/// Bounds of each place, where they are found quickly: proved by sums that never grow and by units that
/// keep themselves safe, or promised by a file that says that its units are safe.
#[must_use]
pub fn bounds(net: &PetriNet) -> Vec<Bounds> {
    let found = OnceCell::new();
    bounds_by(net, || found.get_or_init(|| sums(net, Limits::of_net(net))))
}

/// As [`bounds`], by sums that the caller keeps; they are asked for only if they are needed.
pub fn bounds_by<'s>(net: &PetriNet, sums: impl FnOnce() -> &'s [PlaceSum]) -> Vec<Bounds> {
    let mut bounds = vec![Bounds::UNKNOWN; net.places().len()];
    if let Some(nupn) = net.nupn() {
        let proved = unit_safety::is_inductive(net, nupn);
        for place in nupn.units.iter().flat_map(|unit| &unit.places) {
            let bounds = &mut bounds[place.index()];
            if proved {
                bounds.prove(1);
            } else if nupn.safe && net.places()[place.index()].initial <= 1 {
                // A file that breaks its own promise at once is not believed.
                bounds.promise(1);
            }
        }
        if bounds.iter().all(|b| b.proved.is_some()) {
            return bounds;
        }
    }
    for sum in sums() {
        sum.tighten(net, &mut bounds);
    }
    bounds
}

impl PlaceSum {
    /// The value of the sum in the initial marking.
    #[must_use]
    pub fn initial(&self, net: &PetriNet) -> u128 {
        let value =
            |&(p, y): &(PlaceId, u64)| u128::from(y) * u128::from(net.places()[p.index()].initial);
        self.weights.iter().map(value).sum()
    }

    /// Lowers bounds to what this sum allows.
    fn tighten(&self, net: &PetriNet, bounds: &mut [Bounds]) {
        let initial = self.initial(net);
        for &(p, y) in &self.weights {
            if let Ok(bound) = u32::try_from(initial / u128::from(y)) {
                bounds[p.index()].prove(bound);
            }
        }
    }
}

/// Sums that never grow, as many as the limits allow.
#[must_use]
pub fn sums(net: &PetriNet, limits: Limits) -> Vec<PlaceSum> {
    sums_within(net, limits, &Budget::unlimited())
}

/// As [`sums`]; when the budget ends, those that were found by then.
#[must_use]
pub fn sums_within(net: &PetriNet, limits: Limits, budget: &Budget) -> Vec<PlaceSum> {
    search_sums(net, limits, budget).found
}

/// What a search found, and whether it came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search<T> {
    /// What was found.
    pub found: Vec<T>,
    /// Whether there is nothing that is not a combination of these.
    pub complete: bool,
}

/// As [`sums_within`], and whether all place invariants are combinations of those found.
#[must_use]
pub fn search_sums(net: &PetriNet, limits: Limits, budget: &Budget) -> Search<PlaceSum> {
    let watch = Watch::new(budget);
    let mut farkas = Farkas::new(limits, net.transitions().len(), &watch);
    // Each sum is one whether or not there is time for more.
    let ended: Result<(), Stop> = farkas.start_with_places(net).and_then(|()| farkas.run());
    let complete = ended.is_ok() && farkas.complete;
    let sum = |found: Found| PlaceSum {
        weights: found
            .weights
            .into_iter()
            .map(|(p, y)| (PlaceId(p), y))
            .collect(),
        constant: found.constant,
    };
    let found = farkas.found.into_iter().map(sum).collect();
    Search { found, complete }
}

/// How often each of some transitions fires, so that together they change nothing: a transition invariant.
/// Ascending; whether there is a run that does so is another question.
pub type Firings = Vec<(TransitionId, u64)>;

/// Looks for transition invariants (T-semiflows) as long as the budget and the limits last.
///
/// # Examples
/// ```
/// use dalsegno_kripke::Budget;
/// use dalsegno_models::petri::generators::Family;
/// use dalsegno_models::petri::invariants::{Limits, search_firings};
///
/// let net = Family::Philosophers.generate(3).unwrap();
/// let search = search_firings(&net, Limits::default(), &Budget::unlimited());
/// // Each of three may take the left or the right fork first, then eat, and give them back.
/// assert_eq!((search.found.len(), search.complete), (6, true));
/// assert!(search.found.iter().all(|firings| firings.len() == 3));
/// ```
#[must_use]
pub fn search_firings(net: &PetriNet, limits: Limits, budget: &Budget) -> Search<Firings> {
    let watch = Watch::new(budget);
    let mut farkas = Farkas::new(limits, net.places().len(), &watch);
    let ended: Result<(), Stop> = farkas
        .start_with_transitions(net)
        .and_then(|()| farkas.run());
    let complete = ended.is_ok() && farkas.complete;
    let constant = farkas.found.into_iter().filter(|found| found.constant);
    let firings = |found: Found| {
        found
            .weights
            .into_iter()
            .map(|(t, n)| (TransitionId(t), n))
            .collect()
    };
    let found = constant.map(firings).collect();
    Search { found, complete }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::generators::Family;
    use crate::petri::{Nupn, Place, Transition, Unit};

    #[test]
    fn families_are_bounded_by_their_invariants() {
        for (family, n, most) in [
            (Family::Kanban, 7, 7),
            (Family::Fms, 9, 9),
            (Family::Mapk, 8, 8),
            (Family::Philosophers, 20, 1),
            (Family::Ring, 10, 1),
            (Family::Peterson, 2, 1),
            (Family::TokenRing, 5, 1),
        ] {
            let net = family.generate(n).unwrap();
            let bounds = bounds(&net);
            let largest = bounds.iter().map(|b| b.certain().expect("a bound")).max();
            assert_eq!(largest, Some(most), "for {family}");
        }
    }

    #[test]
    fn sums_never_grow() {
        for family in Family::all() {
            let net = family.generate(4).unwrap();
            for sum in sums(&net, Limits::default()) {
                for t in net.transitions() {
                    let weight = |p: PlaceId| {
                        let place = sum.weights.binary_search_by_key(&p, |&(q, _)| q);
                        place.map_or(0, |i| sum.weights[i].1.cast_signed())
                    };
                    let total = |arcs: &[(PlaceId, u32)]| -> i64 {
                        arcs.iter().map(|&(p, n)| weight(p) * i64::from(n)).sum()
                    };
                    let change = total(&t.post) - total(&t.pre);
                    assert!(change <= 0 && (change == 0 || !sum.constant), "{family}");
                }
            }
        }
    }

    #[test]
    fn transition_invariants_change_nothing() {
        for family in Family::all() {
            let net = family.generate(4).unwrap();
            let found = search_firings(&net, Limits::default(), &Budget::unlimited()).found;
            for firings in &found {
                let mut change = vec![0_i64; net.places().len()];
                for &(t, times) in firings {
                    let t = &net.transitions()[t.index()];
                    let times = times.cast_signed();
                    t.pre
                        .iter()
                        .for_each(|&(p, n)| change[p.index()] -= times * i64::from(n));
                    t.post
                        .iter()
                        .for_each(|&(p, n)| change[p.index()] += times * i64::from(n));
                }
                assert!(change.iter().all(|&n| n == 0), "{family}: {firings:?}");
            }
            assert!(!found.is_empty(), "{family}");
        }
    }

    fn place(id: &str, initial: u32) -> Place {
        Place {
            id: id.to_owned(),
            name: id.to_owned(),
            initial,
        }
    }

    #[test]
    fn weights_count_and_growing_places_have_no_bound() {
        let [p, q, r] = [0, 1, 2].map(PlaceId);
        let split = Transition {
            id: "split".to_owned(),
            pre: vec![(p, 1)],
            post: vec![(q, 2)],
            ..Transition::default()
        };
        let grow = Transition {
            id: "grow".to_owned(),
            post: vec![(r, 1)],
            ..Transition::default()
        };
        let places = vec![place("p", 3), place("q", 1), place("r", 0)];
        let net = PetriNet::new("n", places, vec![split, grow], None).unwrap();
        let certain: Vec<Option<u32>> = bounds(&net).iter().map(|b| b.certain()).collect();
        assert_eq!(certain, [Some(3), Some(7), None]);
    }

    #[test]
    fn promises_of_units_are_expected_and_prove_nothing() {
        let units = vec![Unit {
            id: "u".to_owned(),
            places: vec![PlaceId(0), PlaceId(1)],
            subunits: vec![],
        }];
        let (root, safe) = (0, true);
        let places = vec![place("p", 0), place("q", 2)];
        let t = Transition {
            id: "t".to_owned(),
            post: vec![(PlaceId(0), 1), (PlaceId(1), 1)],
            ..Transition::default()
        };
        let net = PetriNet::new("n", places, vec![t], Some(Nupn { units, root, safe })).unwrap();
        let expected: Vec<Option<u32>> = bounds(&net).iter().map(|b| b.expected()).collect();
        assert_eq!(expected, [Some(1), None]);
        assert!(bounds(&net).iter().all(|b| b.certain().is_none()));
    }
}
