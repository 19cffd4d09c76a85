//! Farkas' algorithm: combinations of places that no transition increases, or of transitions that change no place.
//!
//! As Colom and Silva (1991) describe it for nets: start with a row per place, and for one transition after the
//! other replace the rows that it changes by combinations that it does not change. With the two exchanged, the
//! combinations are of transitions. What would replace the fewest rows comes first. Minimal generating sets can be
//! exponential, so [`Limits`] end the work; what was found by then is still sound, merely not complete.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dalsegno_kripke::Stop;
use rustc_hash::FxHashSet;

use super::invariants::Limits;
use super::net::PetriNet;
use crate::watch::Watch;

/// A combination that was found.
pub(super) struct Found {
    /// Places or transitions with their weights; ascending.
    pub(super) weights: Vec<(u32, u64)>,
    /// Whether nothing changes it; otherwise some column decreases it.
    pub(super) constant: bool,
}

/// A combination of places, and the transitions are the columns; or the other way round.
#[derive(Clone, Debug)]
struct Row {
    /// Columns that change the sum, and by how much; ascending.
    effect: Vec<(u32, i64)>,
    /// What is combined, and weights; ascending.
    weights: Vec<(u32, i64)>,
}

/// The algorithm's table. Invariants:
///
/// 1. `increase[t]` and `decrease[t]` count the live rows that column `t` increases or decreases.
/// 2. `users[t]` lists every live row that `t` changes, and maybe some that are gone.
/// 3. No live row is changed by an eliminated column.
pub(super) struct Farkas<'w> {
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
    pub(super) found: Vec<Found>,
    /// Whether nothing was left out so far.
    pub(super) complete: bool,
    limits: Limits,
    work: u64,
}

impl<'w> Farkas<'w> {
    pub(super) fn new(limits: Limits, columns: usize, watch: &'w Watch<'w>) -> Self {
        Farkas {
            watch,
            rows: Vec::new(),
            users: vec![Vec::new(); columns],
            increase: vec![0; columns],
            decrease: vec![0; columns],
            queue: BinaryHeap::new(),
            queued: vec![None; columns],
            known: FxHashSet::default(),
            found: Vec::new(),
            complete: true,
            limits,
            work: 0,
        }
    }

    /// Adds a row per place; the columns are transitions.
    pub(super) fn start_with_places(&mut self, net: &PetriNet) -> Result<(), Stop> {
        let mut effects: Vec<Vec<(u32, i64)>> = vec![Vec::new(); net.places().len()];
        self.each_change(net, |t, p, n| match effects[p as usize].last_mut() {
            Some((last, sum)) if *last == t => *sum += n,
            _ => effects[p as usize].push((t, n)),
        })?;
        self.add_all(effects)
    }

    /// Adds a row per transition; the columns are places.
    pub(super) fn start_with_transitions(&mut self, net: &PetriNet) -> Result<(), Stop> {
        let mut effects: Vec<Vec<(u32, i64)>> = vec![Vec::new(); net.transitions().len()];
        self.each_change(net, |t, p, n| effects[t as usize].push((p, n)))?;
        for effect in &mut effects {
            // What is put comes after what is taken.
            effect.sort_unstable();
            effect.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                kept.1 += if same { later.1 } else { 0 };
                same
            });
        }
        self.add_all(effects)
    }

    /// All arcs that move tokens: transition, place and what the place gets.
    fn each_change(&self, net: &PetriNet, mut see: impl FnMut(u32, u32, i64)) -> Result<(), Stop> {
        for (t, transition) in (0..).zip(net.transitions()) {
            self.watch
                .keep(16 * (transition.pre.len() + transition.post.len()))?;
            let takes = transition.pre.iter().map(|&(p, n)| (p, -i64::from(n)));
            let puts = transition.post.iter().map(|&(p, n)| (p, i64::from(n)));
            for (p, n) in takes.chain(puts) {
                see(t, p.0, n);
            }
        }
        Ok(())
    }

    fn add_all(&mut self, effects: Vec<Vec<(u32, i64)>>) -> Result<(), Stop> {
        for (row, mut effect) in (0..).zip(effects) {
            effect.retain(|&(_, n)| n != 0);
            let weights = vec![(row, 1)];
            self.add(Row { effect, weights })?;
        }
        Ok(())
    }

    pub(super) fn run(&mut self) -> Result<(), Stop> {
        for t in 0..self.users.len() as u32 {
            self.enqueue(t);
        }
        while let Some(Reverse((cost, t))) = self.queue.pop() {
            self.watch.spend(1)?;
            if self.work > self.limits.work {
                self.complete = false;
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

    /// Adds a row; one that no column increases is a result.
    fn add(&mut self, row: Row) -> Result<(), Stop> {
        self.work += (row.effect.len() + row.weights.len()) as u64;
        // Weights are kept once more to know them again, and columns list their rows.
        self.watch
            .keep(20 * row.effect.len() + 32 * row.weights.len() + size_of::<Row>())?;
        if !self.known.insert(row.weights.clone()) {
            return Ok(());
        }
        if row.effect.iter().all(|&(_, n)| n < 0) {
            let weights = row.weights.iter();
            self.found.push(Found {
                weights: weights.map(|&(at, y)| (at, y.unsigned_abs())).collect(),
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
        self.complete &= up.len().saturating_mul(down.len()) <= self.limits.pairs;
        let pairs = up.iter().flat_map(|a| down.iter().map(move |b| (a, b)));
        for (&(a, n), &(b, m)) in pairs.take(self.limits.pairs) {
            let (Some(first), Some(second)) = (&self.rows[a as usize], &self.rows[b as usize])
            else {
                continue;
            };
            let g = gcd(n.unsigned_abs(), m.unsigned_abs()).cast_signed();
            let row = combine(first, m / g, second, n / g);
            self.complete &= row.is_some();
            combined.extend(row);
            let size = first.effect.len() + second.effect.len();
            self.work += size as u64;
            self.watch
                .spend(size + first.weights.len() + second.weights.len())?;
            if self.work > self.limits.work {
                self.complete = false;
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
