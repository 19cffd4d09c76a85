//! Whether nested units keep themselves safe: a proof of what a NUPN file promises.
//!
//! A marking is *unit safe* (Garavel 2015) if a unit that has a token has one only, and no unit inside of it has
//! any. Whatever a file says, that is proved here by induction: the initial marking is unit safe, and a
//! transition that fires in a unit-safe marking leads to one. It suffices that for each place that gets a token,
//! the unit of the place, the units around it and those inside of it are empty once the transition has taken its
//! tokens. They are if each of them is, or is around, or is inside of, a unit that it takes a token from.
//!
//! The induction uses nothing but the units, so it fails for some nets that are unit safe. Test and inhibitor
//! arcs only take steps away and are not looked at.
//!
//! Cost: for each arc to a place the units around it; for a transition that ends what units inside of a unit do
//! (a join) those units as well. Deep trees of many units are given up on.

use super::net::{PetriNet, Transition};
use super::nupn::Nupn;

/// Whether the initial marking is unit safe and all transitions keep that.
#[must_use]
pub fn is_inductive(net: &PetriNet, nupn: &Nupn) -> bool {
    let mut proof = Proof::new(net, nupn);
    if proof.depth().saturating_mul(net.arc_count()) > MOST_WORK {
        return false;
    }
    proof.starts_safe(net) && net.transitions().iter().all(|t| proof.keeps(t))
}

/// How many units are looked at, a fraction of a second's work.
const MOST_WORK: usize = 20_000_000;

const NONE: usize = usize::MAX;

struct Proof<'n> {
    nupn: &'n Nupn,
    /// The unit of each place, or `NONE`.
    home: Vec<usize>,
    parent: Vec<usize>,
    /// Whether the unit or one inside of it has a place.
    holds_places: Vec<bool>,
    /// Per unit the number of the last transition that takes a token from it, and of the last one that takes
    /// one from a unit inside of it.
    taken: Vec<u32>,
    taken_inside: Vec<u32>,
    transition: u32,
    work: usize,
}

impl<'n> Proof<'n> {
    fn new(net: &PetriNet, nupn: &'n Nupn) -> Self {
        let units = nupn.units.len();
        let mut home = vec![NONE; net.places().len()];
        let mut parent = vec![NONE; units];
        for (u, unit) in nupn.units.iter().enumerate() {
            for place in &unit.places {
                home[place.index()] = u;
            }
            for &inner in &unit.subunits {
                parent[inner] = u;
            }
        }
        let mut proof = Proof {
            nupn,
            home,
            parent,
            holds_places: vec![false; units],
            taken: vec![0; units],
            taken_inside: vec![0; units],
            transition: 0,
            work: 0,
        };
        for u in 0..units {
            if !nupn.units[u].places.is_empty() {
                let mut at = u;
                while at != NONE && !proof.holds_places[at] {
                    proof.holds_places[at] = true;
                    at = proof.parent[at];
                }
            }
        }
        proof
    }

    /// The most units around a unit.
    fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self.nupn.root, 0)];
        while let Some((unit, depth)) = open.pop() {
            deepest = deepest.max(depth);
            let inner = self.nupn.units[unit].subunits.iter();
            open.extend(inner.map(|&u| (u, depth + 1)));
        }
        deepest
    }

    /// The units around a unit.
    fn around(&self, unit: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(self.parent[unit]), |&u| self.parent.get(u).copied())
            .take_while(|&u| u != NONE)
    }

    /// Whether tokens in these units, one each, are unit safe.
    fn is_safe(&self, units: &mut [usize]) -> bool {
        units.sort_unstable();
        let distinct = units.windows(2).all(|pair| pair[0] != pair[1]);
        let marked = |u: usize| units.binary_search(&u).is_ok();
        distinct && !units.iter().any(|&u| self.around(u).any(marked))
    }

    fn starts_safe(&self, net: &PetriNet) -> bool {
        let mut units = Vec::new();
        for (place, &unit) in net.places().iter().zip(&self.home) {
            if unit != NONE && place.initial > 0 {
                if place.initial > 1 {
                    return false;
                }
                units.push(unit);
            }
        }
        self.is_safe(&mut units)
    }

    /// Whether a transition leads from unit-safe markings to such only.
    fn keeps(&mut self, t: &Transition) -> bool {
        let homes = |arcs: &[(super::PlaceId, u32)]| -> (Vec<usize>, bool) {
            let inside = arcs.iter().filter(|(p, _)| self.home[p.index()] != NONE);
            let single = inside.clone().all(|&(_, weight)| weight == 1);
            (inside.map(|(p, _)| self.home[p.index()]).collect(), single)
        };
        let ((mut takes, takes_single), (mut puts, puts_single)) = (homes(&t.pre), homes(&t.post));
        if !takes_single || !self.is_safe(&mut takes) {
            // No unit-safe marking enables it.
            return true;
        }
        if !puts_single || !self.is_safe(&mut puts) {
            return false;
        }
        self.transition += 1;
        let number = self.transition;
        for &u in &takes {
            self.taken[u] = number;
            let mut at = self.parent[u];
            while at != NONE && self.taken_inside[at] != number {
                self.taken_inside[at] = number;
                at = self.parent[at];
            }
        }
        self.work <= MOST_WORK && puts.iter().all(|&u| self.is_emptied(u))
    }

    /// Whether a unit, those around it and those inside of it are empty after the tokens are taken.
    fn is_emptied(&mut self, unit: usize) -> bool {
        let (taken, transition) = (&self.taken, self.transition);
        let taken = |u: usize| taken[u] == transition;
        // Inside of a unit that had a token, or that unit itself: all others around are around that unit too.
        if taken(unit) || self.around(unit).any(taken) {
            return true;
        }
        // Around such a unit: so are all that are around this one. Inside of it there may be others.
        if self.taken_inside[unit] != self.transition {
            return false;
        }
        let mut open = vec![unit];
        while let Some(u) = open.pop() {
            self.work += self.nupn.units[u].subunits.len();
            for &inner in &self.nupn.units[u].subunits {
                if taken(inner) || !self.holds_places[inner] {
                    continue;
                }
                if self.taken_inside[inner] != self.transition {
                    return false;
                }
                open.push(inner);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::net::{Place, PlaceId};
    use super::super::nupn::Unit;
    use super::*;

    fn unit(id: &str, places: &[u32], subunits: &[usize]) -> Unit {
        Unit {
            id: id.to_owned(),
            places: places.iter().copied().map(PlaceId).collect(),
            subunits: subunits.to_vec(),
        }
    }

    /// A net with a token in place 0 and transitions of weight 1, and its units, of which the first is the root.
    fn net(places: u32, transitions: &[(&[u32], &[u32])], units: Vec<Unit>) -> (PetriNet, Nupn) {
        let arcs = |places: &[u32]| places.iter().map(|&p| (PlaceId(p), 1)).collect();
        let transition = |(i, (pre, post)): (usize, &(&[u32], &[u32]))| Transition {
            id: format!("t{i}"),
            pre: arcs(pre),
            post: arcs(post),
            ..Transition::default()
        };
        let place = |i: u32| Place {
            id: format!("p{i}"),
            name: String::new(),
            initial: u32::from(i == 0),
        };
        let nupn = Nupn {
            units,
            root: 0,
            safe: false,
        };
        let transitions = transitions.iter().enumerate().map(transition).collect();
        let places = (0..places).map(place).collect();
        let net = PetriNet::new("n", places, transitions, Some(nupn.clone())).unwrap();
        (net, nupn)
    }

    fn proves(places: u32, transitions: &[(&[u32], &[u32])], units: Vec<Unit>) -> bool {
        let (net, nupn) = net(places, transitions, units);
        is_inductive(&net, &nupn)
    }

    /// Place 0 in the root; places 1 and 2 in one unit inside, 3 in another.
    fn fork() -> Vec<Unit> {
        vec![
            unit("root", &[0], &[1, 2]),
            unit("left", &[1, 2], &[]),
            unit("right", &[3], &[]),
        ]
    }

    #[test]
    fn forks_and_joins_of_nested_units_are_proved() {
        let begin: (&[u32], &[u32]) = (&[0], &[1, 3]);
        let end: (&[u32], &[u32]) = (&[2, 3], &[0]);
        assert!(proves(4, &[begin, (&[1], &[2]), end], fork()));
        // The unit on the right may still have a token.
        assert!(!proves(4, &[begin, (&[2], &[0])], fork()));
        // Two tokens in one unit, or one around the other.
        assert!(!proves(4, &[(&[0], &[1, 2])], fork()));
        assert!(!proves(4, &[(&[0], &[0, 1])], fork()));
        // It never fires: no unit-safe marking has both.
        assert!(proves(4, &[begin, (&[1, 2], &[1, 2, 3])], fork()));
    }

    #[test]
    fn a_place_that_only_grows_is_not_safe() {
        let units = vec![
            unit("root", &[], &[1, 2]),
            unit("a", &[0], &[]),
            unit("b", &[1], &[]),
        ];
        assert!(!proves(2, &[(&[0], &[0, 1])], units.clone()));
        assert!(!proves(2, &[(&[], &[1])], units));
    }

    /// Every net of two transitions over three places with the units of some trees: where a proof is
    /// found, no reachable marking has two tokens in a place or in a unit.
    #[test]
    fn what_is_proved_is_true_in_all_small_nets() {
        let trees = [
            vec![unit("r", &[0, 1, 2], &[])],
            vec![
                unit("r", &[0], &[1]),
                unit("a", &[1], &[2]),
                unit("b", &[2], &[]),
            ],
            vec![
                unit("r", &[0], &[1, 2]),
                unit("a", &[1], &[]),
                unit("b", &[2], &[]),
            ],
            vec![
                unit("r", &[], &[1, 2]),
                unit("a", &[0, 1], &[]),
                unit("b", &[2], &[]),
            ],
        ];
        let subset = |bits: u32| -> Vec<u32> { (0..3).filter(|i| bits >> i & 1 == 1).collect() };
        let mut proved = 0;
        for units in trees {
            for code in 0..1u32 << 12 {
                let parts = [0, 3, 6, 9].map(|shift| subset(code >> shift & 7));
                let transitions: [(&[u32], &[u32]); 2] =
                    [(&parts[0], &parts[1]), (&parts[2], &parts[3])];
                let (net, nupn) = net(3, &transitions, units.clone());
                if is_inductive(&net, &nupn) {
                    proved += 1;
                    assert_reaches_only_safe(&net, &nupn);
                }
            }
        }
        assert!(proved > 1000, "{proved}");
    }

    fn assert_reaches_only_safe(net: &PetriNet, nupn: &Nupn) {
        let model = net.to_model_with_bounds(&[dalsegno_kripke::Bounds::UNKNOWN; 3]);
        let mut seen = vec![net.initial_marking()];
        let mut next = 0;
        while next < seen.len() {
            let state = seen[next].clone();
            next += 1;
            let mut tokens: Vec<u32> = vec![0; nupn.units.len()];
            for (u, unit) in nupn.units.iter().enumerate() {
                tokens[u] = unit.places.iter().map(|p| state[p.index()]).sum();
                assert!(tokens[u] <= 1, "{state:?}");
            }
            for (u, unit) in nupn.units.iter().enumerate() {
                let inside = |&v: &usize| tokens[u] * tokens[v] == 0;
                assert!(unit.subunits.iter().all(inside), "{state:?}");
            }
            for group in model.group_ids() {
                let mut successor = vec![0; 3];
                if model.fire(group, &state, &mut successor).unwrap() && !seen.contains(&successor)
                {
                    seen.push(successor);
                }
            }
        }
    }
}
