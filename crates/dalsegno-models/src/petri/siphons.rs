//! Siphons and traps: sets of places that stay empty, or stay marked, whatever fires.
//!
//! A *siphon* is a set of places that only transitions put tokens into that need a token of the set: once empty, it
//! is empty for ever. A *trap* is a set of places into which every transition that takes a token of it puts one:
//! once marked, it is marked for ever. Test arcs need tokens and take none. Inhibitor arcs only take steps away.
//!
//! Unions of siphons are siphons, so a set of places has a largest one, which is found by taking away what some
//! transition refutes until nothing is refuted; likewise for traps. A siphon that contains a marked trap never becomes
//! empty; in a net without arc weights, a marking in which nothing can fire has an empty siphon (Commoner 1972).
//!
//! There may be exponentially many minimal siphons. [`Siphons::minimal`] finds one for each place that has one: from the
//! largest it takes away one place after the other as long as a siphon with the place is left. It is minimal
//! among those that contain the place. Cost: for each place the size of its siphon times the arcs around it.

use dalsegno_kripke::{Budget, Stop};

use super::invariants::Search;
use super::net::{Arcs, PetriNet, PlaceId};
use crate::watch::Watch;

/// Siphons, or traps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Siphon,
    Trap,
}

/// The arcs of a net by what refutes a siphon or a trap.
#[derive(Debug)]
pub struct Siphons {
    /// Per transition, the places of which one has to be in the set.
    support: Vec<Vec<u32>>,
    /// Per transition, the places that are refuted if none of them is.
    refuted: Vec<Vec<u32>>,
    /// Per place, the transitions that it supports.
    supported: Vec<Vec<u32>>,
    marked: Vec<bool>,
}

impl Siphons {
    /// The siphons of a net.
    #[must_use]
    pub fn of_net(net: &PetriNet) -> Self {
        Self::new(net, Kind::Siphon)
    }

    /// The traps of a net.
    #[must_use]
    pub fn traps_of_net(net: &PetriNet) -> Self {
        Self::new(net, Kind::Trap)
    }

    fn new(net: &PetriNet, kind: Kind) -> Self {
        let places = |arcs: &Arcs| arcs.iter().map(|&(p, _)| p.0).collect::<Vec<u32>>();
        let mut support = Vec::with_capacity(net.transitions().len());
        let mut refuted = Vec::with_capacity(net.transitions().len());
        let mut supported = vec![Vec::new(); net.places().len()];
        for (t, transition) in (0..).zip(net.transitions()) {
            let (needs, puts) = match kind {
                Kind::Siphon => {
                    let mut needs = places(&transition.pre);
                    needs.extend(places(&transition.test));
                    needs.sort_unstable();
                    needs.dedup();
                    (needs, places(&transition.post))
                }
                Kind::Trap => (places(&transition.post), places(&transition.pre)),
            };
            for &p in &needs {
                supported[p as usize].push(t);
            }
            support.push(needs);
            refuted.push(puts);
        }
        let marked = net.places().iter().map(|p| p.initial > 0).collect();
        Siphons {
            support,
            refuted,
            supported,
            marked,
        }
    }

    /// The largest one within a set of places, which may be empty.
    #[must_use]
    pub fn largest(&self, within: impl Fn(PlaceId) -> bool) -> Vec<PlaceId> {
        let inside = |p: u32| within(PlaceId(p));
        let set = (0..self.marked.len() as u32).map(inside).collect();
        let state = Shrinking::new(self, set);
        state.places()
    }

    /// Whether some place is marked in the beginning.
    #[must_use]
    pub fn is_marked(&self, places: &[PlaceId]) -> bool {
        places.iter().any(|p| self.marked[p.index()])
    }

    /// One for each place that is in some, minimal among those with the place; each once, at most so many, as long as
    /// the budget lasts.
    #[must_use]
    pub fn minimal(&self, most: usize, budget: &Budget) -> Search<Vec<PlaceId>> {
        let watch = Watch::new(budget);
        let whole = Shrinking::new(self, vec![true; self.marked.len()]);
        let mut found: Vec<Vec<PlaceId>> = Vec::new();
        let mut covered = vec![false; self.marked.len()];
        for place in whole.places() {
            if covered[place.index()] {
                continue;
            }
            let set = whole.minimal_with(place, &watch);
            let Some(set) = set.ok().filter(|_| found.len() < most) else {
                let complete = false;
                return Search { found, complete };
            };
            for p in &set {
                covered[p.index()] = true;
            }
            found.push(set);
        }
        let complete = true;
        Search { found, complete }
    }
}

/// A set of places that shrinks to the largest siphon or trap within it.
///
/// Invariant, between calls: `supports[t]` counts the places of `support[t]` in the set, and where it is 0, no
/// place of `refuted[t]` is in the set.
#[derive(Clone)]
struct Shrinking<'s> {
    of: &'s Siphons,
    inside: Vec<bool>,
    supports: Vec<u32>,
}

impl<'s> Shrinking<'s> {
    fn new(of: &'s Siphons, inside: Vec<bool>) -> Self {
        let count = |support: &Vec<u32>| {
            let supports = support.iter().filter(|&&p| inside[p as usize]);
            supports.count() as u32
        };
        let supports: Vec<u32> = of.support.iter().map(count).collect();
        let refutes = |t: &usize| supports[*t] == 0;
        let mut open: Vec<u32> = (0..of.support.len())
            .filter(refutes)
            .flat_map(|t| &of.refuted[t])
            .copied()
            .collect();
        let mut state = Shrinking {
            of,
            inside,
            supports,
        };
        let mut taken = Vec::new();
        state.take(&mut open, &mut taken);
        state
    }

    fn places(&self) -> Vec<PlaceId> {
        let inside = (0..).zip(&self.inside).filter(|(_, inside)| **inside);
        inside.map(|(p, _)| PlaceId(p)).collect()
    }

    /// The places of a part that has a place and is minimal among those.
    fn minimal_with(&self, place: PlaceId, watch: &Watch<'_>) -> Result<Vec<PlaceId>, Stop> {
        let mut kept = self.clone();
        watch.spend(kept.inside.len() + kept.supports.len())?;
        for p in self.places() {
            if p == place || !kept.inside[p.index()] {
                continue;
            }
            let taken = kept.remove(p.0, watch)?;
            if !kept.inside[place.index()] {
                kept.put_back(&taken);
            }
        }
        Ok(kept.places())
    }

    /// Takes a place away and all that is refuted then; what was taken.
    fn remove(&mut self, place: u32, watch: &Watch<'_>) -> Result<Vec<u32>, Stop> {
        let mut taken = Vec::new();
        let work = self.take(&mut vec![place], &mut taken);
        watch.spend(work)?;
        Ok(taken)
    }

    /// Takes the open places away and all that is refuted then; how much work that was.
    fn take(&mut self, open: &mut Vec<u32>, taken: &mut Vec<u32>) -> usize {
        let mut work = 0;
        while let Some(p) = open.pop() {
            if !std::mem::replace(&mut self.inside[p as usize], false) {
                continue;
            }
            taken.push(p);
            for &t in &self.of.supported[p as usize] {
                work += 1;
                let left = &mut self.supports[t as usize];
                *left -= 1;
                if *left == 0 {
                    work += self.of.refuted[t as usize].len();
                    open.extend(&self.of.refuted[t as usize]);
                }
            }
        }
        work
    }

    /// Undoes a removal.
    fn put_back(&mut self, taken: &[u32]) {
        for &p in taken {
            self.inside[p as usize] = true;
            for &t in &self.of.supported[p as usize] {
                self.supports[t as usize] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::generators::Family;
    use crate::petri::{Place, Transition};

    /// Whether a set is a siphon, or a trap, by definition.
    fn is_one(net: &PetriNet, kind: Kind, set: &[PlaceId]) -> bool {
        let touches = |arcs: &Arcs| arcs.iter().any(|(p, _)| set.contains(p));
        net.transitions().iter().all(|t| match kind {
            Kind::Siphon => !touches(&t.post) || touches(&t.pre) || touches(&t.test),
            Kind::Trap => !touches(&t.pre) || touches(&t.post),
        })
    }

    fn subsets(places: u32) -> impl Iterator<Item = Vec<PlaceId>> {
        (1_u32..1 << places).map(move |bits| {
            let member = (0..places).filter(|p| bits >> p & 1 == 1);
            member.map(PlaceId).collect()
        })
    }

    /// A small net that a number determines.
    fn random_net(seed: u64) -> PetriNet {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |n: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % n
        };
        let place = |(i, initial): (usize, u32)| Place {
            id: format!("p{i}"),
            name: format!("p{i}"),
            initial,
        };
        let initial: Vec<u32> = (0..5).map(|_| (below(3) == 0).into()).collect();
        let places = initial.into_iter().enumerate().map(place).collect();
        let mut arcs = |most: u64| -> Arcs {
            let count = below(most);
            (0..count).map(|_| (PlaceId(below(5) as u32), 1)).collect()
        };
        let transitions = (0..5).map(|i| Transition {
            id: format!("t{i}"),
            name: format!("t{i}"),
            pre: arcs(3),
            post: arcs(3),
            test: arcs(2),
            inhibit: Arcs::new(),
        });
        let transitions = transitions.collect();
        PetriNet::new("n", places, transitions, None).unwrap()
    }

    #[test]
    fn all_small_nets_agree_with_the_definition() {
        let mut some = 0;
        for seed in 0..300 {
            let net = random_net(seed);
            for kind in [Kind::Siphon, Kind::Trap] {
                let of = Siphons::new(&net, kind);
                let all: Vec<Vec<PlaceId>> =
                    subsets(5).filter(|set| is_one(&net, kind, set)).collect();
                let mut union: Vec<PlaceId> = all.iter().flatten().copied().collect();
                union.sort_unstable();
                union.dedup();
                assert_eq!(of.largest(|_| true), union, "seed {seed}");
                let even = |p: PlaceId| p.0.is_multiple_of(2);
                let within = all.iter().filter(|set| set.iter().all(|&p| even(p)));
                let mut union: Vec<PlaceId> = within.flatten().copied().collect();
                union.sort_unstable();
                union.dedup();
                assert_eq!(of.largest(even), union, "seed {seed}");
                for set in of.minimal(100, &Budget::unlimited()).found {
                    assert!(is_one(&net, kind, &set), "seed {seed}: {set:?}");
                    // Some place of it is in no smaller one.
                    let smaller = |p: &PlaceId| {
                        let inner = |other: &&Vec<PlaceId>| {
                            other.len() < set.len()
                                && other.contains(p)
                                && other.iter().all(|q| set.contains(q))
                        };
                        all.iter().any(|other| inner(&other))
                    };
                    assert!(!set.iter().all(smaller), "seed {seed}: {set:?}");
                    some += 1;
                }
            }
        }
        assert!(some > 500, "{some}");
    }

    #[test]
    fn forks_and_their_users_are_siphons_and_traps() {
        let net = Family::Philosophers.generate(3).unwrap();
        let siphons = Siphons::of_net(&net);
        let found = siphons.minimal(100, &Budget::unlimited()).found;
        assert!(found.iter().all(|set| siphons.is_marked(set)));
        assert!(
            siphons
                .largest(|p| net.places()[p.index()].initial == 0)
                .is_empty()
        );
        let traps = Siphons::traps_of_net(&net);
        assert!(traps.is_marked(&traps.largest(|_| true)));
    }

    #[test]
    fn it_ends_with_its_limits() {
        let net = Family::Philosophers.generate(50).unwrap();
        let siphons = Siphons::of_net(&net);
        let few = siphons.minimal(3, &Budget::unlimited());
        assert_eq!((few.found.len(), few.complete), (3, false));
        let spent = Budget::unlimited().with_time(std::time::Duration::ZERO);
        let none = siphons.minimal(3, &spent);
        assert_eq!((none.found.len(), none.complete), (0, false));
        assert!(siphons.minimal(1000, &Budget::unlimited()).complete);
    }
}
