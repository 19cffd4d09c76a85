//! Constant places: what nothing changes becomes a part of guards.
//!
//! *Condition:* each transition puts into the place what it takes, term by term, so in all bindings its tokens are those of the
//! initial marking; and the place inhibits nothing. Then a transition asks of the place only that its binding finds enough tokens:
//! a condition on colours, which the guard has from now on, and no arc is left. It is written as sets of colours of
//! single variables, so it must be such a condition: the colours that are there often enough are all combinations of some
//! colours per leaf (a *product*), and an arc that takes several tokens finds each of them so often that it does not
//! matter which of them are the same. Other places stay: they are tables, which joins are better at.
//! *Keeps* everything: the same bindings are enabled, and a place without arcs has the tokens that it always had.
//! *Runs* are those of the net: a binding has the same colours.
//!
//! The unfolded net does not get smaller by that alone, but quotients do: a place with all colours of a sort tells none of
//! them apart any more.

use super::super::guard::{Guard, Intervals, Shifted, contains};
use super::super::multiset::{Multiset, Part, Scratch, Summand};
use super::super::net::{ColouredNet, ColouredTransition};
use super::super::sort::{SortId, Sorts};
use super::effect::effects;
use super::{Condition, Conditions};
use crate::petri::net::PlaceId;

/// The most colours of a place that are looked at.
const MOST_COLOURS: u64 = 1_000_000;

/// Looks at the whole net; how many places have lost their arcs.
pub(super) fn apply(net: &mut ColouredNet, is: Conditions) -> usize {
    let mut constant = vec![false; net.places.len()];
    for t in &net.transitions {
        for (place, _) in t.pre.iter().chain(&t.post).chain(&t.test) {
            constant[place.index()] = true;
        }
    }
    for t in &net.transitions {
        for (place, effect) in effects(t) {
            let changes = effect.raises || effect.lowers;
            constant[place.index()] &= is.is(Condition::ConstantNeverChanges, !changes);
        }
        for (place, _) in &t.inhibit {
            constant[place.index()] &= is.is(Condition::ConstantNotInhibiting, false);
        }
    }
    let places = (0..net.places.len()).filter(|&p| constant[p]);
    let places: Vec<PlaceId> = places.map(|p| PlaceId(p as u32)).collect();
    let mut dropped = 0;
    for place in places {
        dropped += usize::from(drop_arcs(net, place, is).is_some());
    }
    dropped
}

/// Makes the arcs of a place conditions of guards; `None` if they are not such.
fn drop_arcs(net: &mut ColouredNet, place: PlaceId, is: Conditions) -> Option<()> {
    let own = &net.places[place.index()];
    let mut tokens = Tokens {
        sorts: &net.sorts,
        sort: own.sort,
        colours: Vec::new(),
        is,
    };
    tokens.colours = tokens.of(&own.initial)?;
    let mut guards = Vec::new();
    for t in &net.transitions {
        guards.push(tokens.asked(t, place)?);
    }
    for (t, guard) in net.transitions.iter_mut().zip(guards) {
        for arcs in [&mut t.pre, &mut t.post, &mut t.test, &mut t.inhibit] {
            arcs.retain(|(p, _)| *p != place);
        }
        let before = std::mem::replace(&mut t.guard, Guard::TRUE);
        t.guard = Guard::and(vec![before, guard]);
    }
    Some(())
}

/// What is always in a place.
struct Tokens<'n> {
    sorts: &'n Sorts,
    sort: SortId,
    /// Colours, ascending, with their numbers.
    colours: Vec<(u64, u32)>,
    is: Conditions,
}

impl Tokens<'_> {
    /// The value of a term without variables.
    fn of(&self, term: &Multiset) -> Option<Vec<(u64, u32)>> {
        let (mut out, mut scratch) = (Vec::new(), Scratch::default());
        let evaluated = term.evaluate(self.sorts, &[], MOST_COLOURS, &mut out, &mut scratch);
        evaluated.ok().map(|()| out)
    }

    /// What a transition asks of the place.
    fn asked(&self, t: &ColouredTransition, place: PlaceId) -> Option<Guard> {
        let own = |arcs: &[(PlaceId, Multiset)]| -> Vec<Summand> {
            let own = arcs.iter().filter(|(p, _)| *p == place);
            own.flat_map(|(_, term)| term.summands.clone()).collect()
        };
        // What is taken is there at once; each test is by itself.
        let mut parts = vec![self.finds(own(&t.pre))?];
        for arc in t.test.chunks(1) {
            parts.push(self.finds(own(arc))?);
        }
        Some(Guard::and(parts))
    }

    /// The condition that tokens are there.
    fn finds(&self, summands: Vec<Summand>) -> Option<Guard> {
        let sort = self.sort;
        let term = Multiset { sort, summands };
        if term.leaves().next().is_none() {
            let asked = self.of(&term)?;
            let there = |&(colour, n): &(u64, u32)| self.count(colour) >= n;
            return Some(Guard::constant(asked.iter().all(there)));
        }
        if !term.is_simple() {
            return None;
        }
        let total: i64 = term.summands.iter().map(|s| s.coefficient).sum();
        let often = self.colours.iter();
        let often = often.filter(|(_, n)| i64::from(*n) >= total);
        let often: Vec<u64> = often.map(|&(colour, _)| colour).collect();
        let all_often = term.summands.len() == 1 || often.len() == self.colours.len();
        if !self.is.is(Condition::ConstantHasEnough, all_often) {
            return None;
        }
        let sets = self.product(&often)?;
        let leaves = self.sorts.leaves(self.sort);
        let mut parts = Vec::new();
        for summand in &term.summands {
            for ((factor, set), &leaf) in summand.factors.iter().zip(&sets).zip(leaves) {
                let size = self.sorts.leaf_size(leaf);
                parts.push(match factor[0].0 {
                    Part::Variable { leaf, shift } => {
                        Guard::member(Shifted { leaf, shift, size }, set)
                    }
                    Part::Constant(colour) => Guard::constant(contains(set, colour)),
                    Part::All => return None,
                });
            }
        }
        Some(Guard::and(parts))
    }

    /// The colours per leaf whose combinations these colours are.
    fn product(&self, colours: &[u64]) -> Option<Vec<Intervals>> {
        let mut per_leaf: Vec<Vec<u32>> = vec![Vec::new(); self.sorts.leaves(self.sort).len()];
        let mut digits = Vec::new();
        for &colour in colours {
            digits.clear();
            self.sorts.decode(self.sort, colour, &mut digits);
            for (known, &digit) in per_leaf.iter_mut().zip(&digits) {
                known.push(digit);
            }
        }
        let mut combinations: u64 = 1;
        let mut sets = Vec::new();
        for mut digits in per_leaf {
            digits.sort_unstable();
            digits.dedup();
            combinations = combinations.saturating_mul(digits.len() as u64);
            let mut set = Intervals::new();
            for digit in digits {
                match set.last_mut() {
                    Some((_, high)) if *high + 1 == digit => *high = digit,
                    _ => set.push((digit, digit)),
                }
            }
            sets.push(set);
        }
        let product = combinations == colours.len() as u64;
        self.is
            .is(Condition::ConstantIsProduct, product)
            .then_some(sets)
    }

    fn count(&self, colour: u64) -> u32 {
        let found = self.colours.binary_search_by_key(&colour, |&(c, _)| c);
        found.map_or(0, |at| self.colours[at].1)
    }
}
