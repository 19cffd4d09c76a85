//! Weighted sums of places that never grow, and the bounds that follow.
//!
//! If no transition increases `Σ y·m` for weights `y ≥ 0`, then a place `p` with `y_p > 0` never
//! holds more than `Σ y·m₀ / y_p` tokens. A sum that no transition changes is a place invariant
//! (semiflow). Guards do not matter here: inhibitor and test arcs only take steps away.
//!
//! Farkas' algorithm, as Colom and Silva (1991) describe it for nets: start with a row per place,
//! and for one transition after the other replace the rows that it changes by combinations that it
//! does not change. The transition with the fewest combinations comes first. Minimal generating
//! sets can be exponential, so [`Limits`] end the work; what was found by then is still sound,
//! merely not complete.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dalsegno_kripke::{Bounds, Budget, Stop};
use rustc_hash::FxHashSet;

use super::net::{PetriNet, PlaceId};
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
    let watch = Watch::new(budget);
    let mut farkas = Farkas::new(limits, net.transitions().len(), &watch);
    // Each sum is one whether or not there is time for more.
    let _: Result<(), Stop> = farkas.start(net).and_then(|()| farkas.run());
    farkas.found
}

/// A combination of places.
#[derive(Clone, Debug)]
struct Row {
    /// Transitions that change the sum, and by how much; ascending.
    effect: Vec<(u32, i64)>,
    /// Places and weights; ascending.
    weights: Vec<(u32, i64)>,
}

/// The algorithm's table. Invariants:
///
/// 1. `increase[t]` and `decrease[t]` count the live rows that `t` increases or decreases.
/// 2. `users[t]` lists every live row that `t` changes, and maybe some that are gone.
/// 3. No live row is changed by an eliminated transition.
struct Farkas<'w> {
    watch: &'w Watch<'w>,
    rows: Vec<Option<Row>>,
    users: Vec<Vec<u32>>,
    increase: Vec<usize>,
    decrease: Vec<usize>,
    queue: BinaryHeap<Reverse<(usize, u32)>>,
    /// The cost under which each transition was queued last; that entry is still there, unless the
    /// transition is eliminated.
    queued: Vec<Option<usize>>,
    known: FxHashSet<Vec<(u32, i64)>>,
    found: Vec<PlaceSum>,
    limits: Limits,
    work: u64,
}

impl<'w> Farkas<'w> {
    fn new(limits: Limits, transitions: usize, watch: &'w Watch<'w>) -> Self {
        Farkas {
            watch,
            rows: Vec::new(),
            users: vec![Vec::new(); transitions],
            increase: vec![0; transitions],
            decrease: vec![0; transitions],
            queue: BinaryHeap::new(),
            queued: vec![None; transitions],
            known: FxHashSet::default(),
            found: Vec::new(),
            limits,
            work: 0,
        }
    }

    /// Adds a row per place.
    fn start(&mut self, net: &PetriNet) -> Result<(), Stop> {
        let mut effects: Vec<Vec<(u32, i64)>> = vec![Vec::new(); net.places().len()];
        for (t, transition) in (0..).zip(net.transitions()) {
            self.watch
                .keep(16 * (transition.pre.len() + transition.post.len()))?;
            let takes = transition.pre.iter().map(|&(p, n)| (p, -i64::from(n)));
            let puts = transition.post.iter().map(|&(p, n)| (p, i64::from(n)));
            for (p, n) in takes.chain(puts) {
                let effect = &mut effects[p.index()];
                match effect.last_mut() {
                    Some((last, sum)) if *last == t => *sum += n,
                    _ => effect.push((t, n)),
                }
            }
        }
        for (p, mut effect) in (0..).zip(effects) {
            effect.retain(|&(_, n)| n != 0);
            let weights = vec![(p, 1)];
            self.add(Row { effect, weights })?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), Stop> {
        for t in 0..self.users.len() as u32 {
            self.enqueue(t);
        }
        while let Some(Reverse((cost, t))) = self.queue.pop() {
            self.watch.spend(1)?;
            if self.work > self.limits.work {
                return Ok(());
            }
            if cost == self.cost(t) {
                self.eliminate(t)?;
            }
        }
        Ok(())
    }

    /// How many rows replace how many, roughly.
    fn cost(&self, t: u32) -> usize {
        self.increase[t as usize].saturating_mul(self.decrease[t as usize])
    }

    fn enqueue(&mut self, t: u32) {
        let cost = self.cost(t);
        if self.queued[t as usize].replace(cost) != Some(cost) {
            self.queue.push(Reverse((cost, t)));
        }
    }

    /// Adds a row; one without transitions left is a result.
    fn add(&mut self, row: Row) -> Result<(), Stop> {
        self.work += (row.effect.len() + row.weights.len()) as u64;
        // Weights are kept once more to know them again, and transitions list their rows.
        self.watch
            .keep(20 * row.effect.len() + 32 * row.weights.len() + size_of::<Row>())?;
        if !self.known.insert(row.weights.clone()) {
            return Ok(());
        }
        if row.effect.iter().all(|&(_, n)| n < 0) {
            let weights = row.weights.iter();
            self.found.push(PlaceSum {
                weights: weights
                    .map(|&(p, y)| (PlaceId(p), y.unsigned_abs()))
                    .collect(),
                constant: row.effect.is_empty(),
            });
        }
        if row.effect.is_empty() {
            return Ok(());
        }
        let id = self.rows.len() as u32;
        for &(t, n) in &row.effect {
            let counts = if n > 0 {
                &mut self.increase
            } else {
                &mut self.decrease
            };
            counts[t as usize] += 1;
            self.users[t as usize].push(id);
        }
        self.rows.push(Some(row));
        Ok(())
    }

    fn remove(&mut self, id: u32) {
        let Some(row) = self.rows[id as usize].take() else {
            return;
        };
        for &(t, n) in &row.effect {
            let counts = if n > 0 {
                &mut self.increase
            } else {
                &mut self.decrease
            };
            counts[t as usize] -= 1;
        }
    }

    /// Replaces the rows that `t` changes by combinations that it does not change.
    fn eliminate(&mut self, t: u32) -> Result<(), Stop> {
        let users = std::mem::take(&mut self.users[t as usize]);
        let mut up: Vec<(u32, i64)> = Vec::new();
        let mut down: Vec<(u32, i64)> = Vec::new();
        for id in users {
            let Some(row) = &self.rows[id as usize] else {
                continue;
            };
            let entry = row.effect.binary_search_by_key(&t, |&(u, _)| u);
            let n = entry.map_or(0, |i| row.effect[i].1);
            if n > 0 {
                up.push((id, n));
            } else if n < 0 {
                down.push((id, -n));
            }
        }
        // Short combinations first, in case the limit cuts the rest off.
        let size = |rows: &[Option<Row>], id: u32| {
            rows[id as usize]
                .as_ref()
                .map_or(0, |row| row.weights.len())
        };
        up.sort_by_key(|&(id, _)| size(&self.rows, id));
        down.sort_by_key(|&(id, _)| size(&self.rows, id));
        let mut combined = Vec::new();
        let pairs = up.iter().flat_map(|a| down.iter().map(move |b| (a, b)));
        for (&(a, n), &(b, m)) in pairs.take(self.limits.pairs) {
            let (Some(first), Some(second)) = (&self.rows[a as usize], &self.rows[b as usize])
            else {
                continue;
            };
            let g = gcd(n.unsigned_abs(), m.unsigned_abs()).cast_signed();
            combined.extend(combine(first, m / g, second, n / g));
            let size = first.effect.len() + second.effect.len();
            self.work += size as u64;
            self.watch
                .spend(size + first.weights.len() + second.weights.len())?;
            if self.work > self.limits.work {
                break;
            }
        }
        let mut touched: Vec<u32> = Vec::new();
        for (id, _) in up.into_iter().chain(down) {
            if let Some(row) = &self.rows[id as usize] {
                touched.extend(row.effect.iter().map(|&(u, _)| u));
            }
            self.remove(id);
        }
        for row in combined {
            touched.extend(row.effect.iter().map(|&(u, _)| u));
            self.add(row)?;
        }
        self.work += touched.len() as u64;
        self.watch.spend(touched.len())?;
        touched.sort_unstable();
        touched.dedup();
        for u in touched.into_iter().filter(|&u| u != t) {
            self.enqueue(u);
        }
        Ok(())
    }
}

/// `x` times a row plus `y` times another, in lowest terms; `None` if the numbers get too large.
fn combine(a: &Row, x: i64, b: &Row, y: i64) -> Option<Row> {
    let mut effect = merge(&a.effect, x, &b.effect, y)?;
    let mut weights = merge(&a.weights, x, &b.weights, y)?;
    let numbers = || {
        effect
            .iter()
            .chain(&weights)
            .map(|&(_, n)| n.unsigned_abs())
    };
    let g = numbers().fold(0, gcd).cast_signed();
    if g > 1 {
        for (_, n) in effect.iter_mut().chain(&mut weights) {
            *n /= g;
        }
    }
    Some(Row { effect, weights })
}

fn merge(a: &[(u32, i64)], x: i64, b: &[(u32, i64)], y: i64) -> Option<Vec<(u32, i64)>> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let key = match (a.get(i), b.get(j)) {
            (Some(&(k, _)), Some(&(l, _))) => k.min(l),
            (Some(&(k, _)), None) | (None, Some(&(k, _))) => k,
            (None, None) => break,
        };
        let mut sum = 0_i64;
        if let Some(&(_, n)) = a.get(i).filter(|entry| entry.0 == key) {
            sum = n.checked_mul(x)?;
            i += 1;
        }
        if let Some(&(_, n)) = b.get(j).filter(|entry| entry.0 == key) {
            sum = sum.checked_add(n.checked_mul(y)?)?;
            j += 1;
        }
        // Far from the ends of the range, so that no negation overflows either.
        if sum.unsigned_abs() > 1 << 40 {
            return None;
        }
        if sum != 0 {
            merged.push((key, sum));
        }
    }
    Some(merged)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
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
