//! Implicit places: a place that never disables a transition by itself is removed.
//!
//! *Paper:* Silva, Terán, Colom 1998; Thierry-Mieg 2020. *Condition:* p is unobserved and never inhibiting, and in each
//! reachable marking in which everything else that a consumer t takes is there, so is what it takes from p. That is proved by
//! sums of places, which are looked for in the net as other rules have left it. A sum that never grows, and of which the other inputs of t hold a part, leaves
//! at most the rest to its other places: this gives upper bounds under the condition that t lacks nothing but p. A
//! constant sum with p leaves to p at least what is above the upper bounds of its other places.
//!
//! *Keeps* everything: by induction along a run of the net without p, the net with p is in the marking with the same
//! tokens elsewhere; it is reachable, so the next transition does not fail for want of p. Several places are removed one
//! after the other; each has to be implicit in the net without those before it, and it is: the sums are true of
//! markings of the net with all of them, and the inputs that are taken for granted are those that are left.
//! *Runs* need no lifting but for the tokens of p, which the replay knows.
//!
//! Cost: the limits of the search for sums, and for each consumer of each place the sums that share a place with its other
//! inputs, within a limit.

use super::condition::Condition;
use super::draft::{Draft, weight};
use super::result::{PlaceNow, finish};
use crate::petri::invariants::{self, Limits};
use crate::petri::net::PetriNet;
use crate::petri::structure::Structure;

/// The search for sums: some hundredths of a second.
const LIMITS: Limits = Limits {
    work: 2_000_000,
    pairs: 200,
};

/// The most weights of sums that are looked at.
const MOST_WORK: u64 = 10_000_000;

/// Looks at all places.
pub(super) fn all(draft: &mut Draft, given: &PetriNet) -> usize {
    let Some(now) = finish(given, draft, Vec::new()) else {
        return 0;
    };
    let (mut number, mut place) = (vec![u32::MAX; draft.places.len()], Vec::new());
    for (p, now) in (0_u32..).zip(&now.places) {
        if let PlaceNow::Place(q) = now {
            number[p as usize] = q.0;
            place.push(p);
        }
    }
    let structure = Structure::with_sums(&now.net, invariants::sums(&now.net, LIMITS));
    let mut removed = 0;
    let mut prover = Prover {
        structure: &structure,
        number,
        place,
        most: vec![None; now.places.len()],
        known: Vec::new(),
        work: 0,
    };
    let conditions = [
        Condition::ImplicitUnobserved,
        Condition::ImplicitNotInhibiting,
    ];
    for p in 0..draft.places.len() as u32 {
        if draft.is_over() || prover.work > MOST_WORK {
            break;
        }
        let place = &draft.places[p as usize];
        if !place.exists || place.takers.is_empty() || !draft.is_free(p, conditions) {
            continue;
        }
        let implied = |t: &u32| prover.implies(draft, *t, p);
        if draft.places[p as usize].takers.iter().all(implied) {
            draft.remove_place(p);
            removed += 1;
        }
    }
    removed
}

struct Prover<'s> {
    structure: &'s Structure,
    /// The number of each place of the draft in the net with the sums, and the other way round.
    number: Vec<u32>,
    place: Vec<u32>,
    /// What places hold at most if a transition lacks nothing but one place, where more is known than always.
    most: Vec<Option<u128>>,
    /// The places with such a bound.
    known: Vec<u32>,
    work: u64,
}

impl Prover<'_> {
    /// Whether a place holds what a transition takes from it wherever all other inputs do.
    fn implies(&mut self, draft: &Draft, t: u32, p: u32) -> bool {
        let transition = draft.at(t);
        let others = transition.pre.iter().filter(|arc| arc.0 != p);
        let mut touched: Vec<u32> = others
            .flat_map(|arc| self.sums_with(arc.0).iter().copied())
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let asked = |q: u32| {
            let asked = if q == p {
                0
            } else {
                weight(&transition.pre, q)
            };
            u128::from(asked)
        };
        for &sum in &touched {
            let (sum, value) = self.structure.sum(sum);
            self.work += sum.weights.len() as u64;
            let weights = || sum.weights.iter();
            let held = weights().map(|&(q, w)| asked(self.place[q.index()]) * u128::from(w));
            // Where the inputs cannot hold so much together, the transition never lacks p alone.
            let Some(rest) = value.checked_sub(held.sum()) else {
                self.forget();
                return true;
            };
            for &(q, w) in &sum.weights {
                let most = asked(self.place[q.index()]) + rest / u128::from(w);
                let known = &mut self.most[q.index()];
                if known.is_none() {
                    self.known.push(q.0);
                }
                *known = Some(known.map_or(most, |known| known.min(most)));
            }
        }
        let wanted = u128::from(weight(&transition.pre, p));
        let mut work = 0;
        let sums = self.sums_with(p).iter();
        let shown = sums
            .map(|&sum| self.structure.sum(sum))
            .any(|(sum, value)| {
                work += sum.weights.len() as u64;
                let mut others = 0_u128;
                let mut own = 0_u128;
                for &(q, w) in &sum.weights {
                    if self.place[q.index()] == p {
                        own = u128::from(w);
                        continue;
                    }
                    let always = self.structure.bound_of(q.0).map(u128::from);
                    let now = self.most[q.index()];
                    let least = match (always, now) {
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                    let Some(most) = least else {
                        return false;
                    };
                    others = others.saturating_add(most.saturating_mul(u128::from(w)));
                }
                let left = value.saturating_sub(others);
                draft.is(Condition::ImplicitConstantSum, sum.constant) && left >= wanted * own
            });
        self.work += work;
        self.forget();
        draft.is(Condition::ImplicitHasEnough, shown)
    }

    /// The sums with a place of the draft.
    fn sums_with(&self, p: u32) -> &[u32] {
        self.structure.sums_with(self.number[p as usize])
    }

    fn forget(&mut self) {
        for q in self.known.drain(..) {
            self.most[q as usize] = None;
        }
    }
}
