//! Structural analysis: propositions that are the same in every reachable marking.
//!
//! Three things are known of all reachable markings without looking at one. A place is never marked if
//! everything that marks it needs such a place itself, and what needs it never fires. A weighted sum of
//! places that no transition increases ([`invariants`]) never exceeds its first value, which bounds its
//! places and other sums of them; one that no transition changes keeps its value, below which no sum
//! falls that contains it. So a comparison may be true or false whatever happens, and with it a
//! property that looked temporal. What a file promises (unit safety) is not believed here: it would
//! become a verdict.
//!
//! Cost: the net's arcs once, the limits of [`invariants::sums`], and per comparison its terms times the
//! sums that share a place with it.

use dalsegno_kripke::{Compare, GroupId, Predicate, Relation, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::invariants::{self, PlaceSum};
use super::net::{PetriNet, TransitionId};

/// What is known of all reachable markings of a net.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The most tokens that a place ever holds, if known.
    bounds: Vec<Option<u64>>,
    sums: Vec<(PlaceSum, u128)>,
    /// The sums that each place occurs in.
    sums_of: Vec<Vec<u32>>,
    /// The transitions that may fire some time.
    fires: Vec<bool>,
}

impl Structure {
    /// Looks at a net.
    #[must_use]
    pub fn new(net: &PetriNet) -> Self {
        Self::with_sums(net, invariants::sums(net, invariants::Limits::default()))
    }

    /// Looks at a net whose sums that never grow have been found.
    #[must_use]
    pub fn with_sums(net: &PetriNet, sums: Vec<PlaceSum>) -> Self {
        let places = net.places().len();
        let sums: Vec<(PlaceSum, u128)> = sums
            .into_iter()
            .map(|sum| {
                let initial = sum.initial(net);
                (sum, initial)
            })
            .collect();
        let mut bounds = vec![None; places];
        let mut sums_of = vec![Vec::new(); places];
        for (i, (sum, initial)) in (0..).zip(&sums) {
            for &(p, y) in &sum.weights {
                sums_of[p.index()].push(i);
                let most = u64::try_from(initial / u128::from(y)).ok();
                let known: &mut Option<u64> = &mut bounds[p.index()];
                *known = match (*known, most) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        let mut structure = Structure {
            fires: vec![false; net.transitions().len()],
            bounds,
            sums,
            sums_of,
        };
        structure.find_unmarked(net);
        structure
    }

    /// Marks what can be marked, fires what can be fired, and never takes a token away.
    fn find_unmarked(&mut self, net: &PetriNet) {
        let mut marked: Vec<bool> = net.places().iter().map(|p| p.initial > 0).collect();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); marked.len()];
        let mut needs = vec![0usize; self.fires.len()];
        let mut open = Vec::new();
        for (t, transition) in (0u32..).zip(net.transitions()) {
            let never = |&(p, n): &(super::PlaceId, u32)| {
                self.bounds[p.index()].is_some_and(|bound| u64::from(n) > bound)
            };
            let inputs = || transition.pre.iter().chain(&transition.test);
            if inputs().any(never) {
                continue;
            }
            for &(p, _) in inputs().filter(|&&(p, n)| n > 0 && !marked[p.index()]) {
                users[p.index()].push(t);
                needs[t as usize] += 1;
            }
            if needs[t as usize] == 0 {
                open.push(t);
            }
        }
        while let Some(t) = open.pop() {
            self.fires[t as usize] = true;
            for &(p, n) in &net.transitions()[t as usize].post {
                if n > 0 && !std::mem::replace(&mut marked[p.index()], true) {
                    for &user in &users[p.index()] {
                        needs[user as usize] -= 1;
                        if needs[user as usize] == 0 {
                            open.push(user);
                        }
                    }
                }
            }
        }
        for (bound, _) in self.bounds.iter_mut().zip(&marked).filter(|(_, m)| !**m) {
            *bound = Some(0);
        }
    }

    /// Whether a transition may fire some time, as far as is known.
    #[must_use]
    pub fn may_fire(&self, transition: TransitionId) -> bool {
        self.fires[transition.index()]
    }

    /// A number of tokens that a place never exceeds, if one is known.
    pub(super) fn bound_of(&self, place: u32) -> Option<u64> {
        self.bounds[place as usize]
    }

    /// The sums that a place occurs in, by their numbers.
    pub(super) fn sums_with(&self, place: u32) -> &[u32] {
        &self.sums_of[place as usize]
    }

    /// A sum with its value in the beginning, which it never exceeds.
    pub(super) fn sum(&self, number: u32) -> (&PlaceSum, u128) {
        let (sum, value) = &self.sums[number as usize];
        (sum, *value)
    }

    /// A number of tokens that some places together never exceed, if one is known.
    #[must_use]
    pub fn bound(&self, places: &[VarId]) -> Option<u64> {
        let most = self.most(places.iter().map(|&v| (1, v)).collect())?;
        u64::try_from(most).ok()
    }

    /// The same set of reachable markings, simplified: a constant where the net decides it.
    ///
    /// Variables are places and groups transitions, in the order of the net.
    #[must_use]
    pub fn simplify(&self, predicate: &Predicate) -> Predicate {
        match predicate {
            Predicate::Compare(compare) => match self.compare(compare) {
                Some(value) => Predicate::constant(value),
                None => predicate.clone(),
            },
            Predicate::Enabled(groups) => {
                let groups: Vec<GroupId> = groups
                    .iter()
                    .copied()
                    .filter(|g| self.fires.get(g.index()) != Some(&false))
                    .collect();
                if groups.is_empty() {
                    Predicate::False
                } else {
                    Predicate::Enabled(groups)
                }
            }
            Predicate::Not(inner) => self.simplify(inner).negate(),
            Predicate::And(parts) => Predicate::all(parts.iter().map(|p| self.simplify(p))),
            Predicate::Or(parts) => Predicate::any(parts.iter().map(|p| self.simplify(p))),
            Predicate::Circuit(circuit) => {
                let simplified = circuit.map(|leaf| Some(self.simplify(leaf)));
                simplified.unwrap_or_else(|| predicate.clone())
            }
            Predicate::True | Predicate::False | Predicate::DeadEnd => predicate.clone(),
        }
    }

    /// What a comparison always is, if it is always the same.
    fn compare(&self, compare: &Compare) -> Option<bool> {
        let side = |sign: i64| {
            let terms = compare.terms().iter().filter(|(c, _)| c.signum() == sign);
            let terms: Vec<(u64, VarId)> = terms.map(|&(c, v)| (c.unsigned_abs(), v)).collect();
            (self.least(&terms), self.most(terms).map(i128::from))
        };
        let constant = i128::from(compare.constant());
        let (up_least, up_most) = side(1);
        let (down_least, down_most) = side(-1);
        let high = up_most.map(|most| most - down_least);
        let low = down_most.map(|most| up_least - most);
        // A comparison with the ends of a range of sums.
        let below = |strict: bool| {
            let c = if strict { constant } else { constant + 1 };
            if high.is_some_and(|high| high < c) {
                Some(true)
            } else if low.is_some_and(|low| low >= c) {
                Some(false)
            } else {
                None
            }
        };
        let equal = || {
            let point = low.zip(high).filter(|(low, high)| low == high);
            let outside =
                high.is_some_and(|high| high < constant) || low.is_some_and(|low| low > constant);
            match point {
                _ if outside => Some(false),
                Some((low, _)) if low == constant => Some(true),
                _ => None,
            }
        };
        match compare.op() {
            Relation::Lt => below(true),
            Relation::Le => below(false),
            Relation::Ge => below(true).map(|b| !b),
            Relation::Gt => below(false).map(|b| !b),
            Relation::Eq => equal(),
            Relation::Ne => equal().map(|b| !b),
        }
    }

    /// A number that `Σ terms` never exceeds, if one is known; all coefficients are positive.
    ///
    /// Greedy: as long as some invariant sum bounds the terms that it covers better than their places do
    /// one by one, take the one that saves most.
    fn most(&self, mut terms: Vec<(u64, VarId)>) -> Option<i64> {
        let single = |&(c, v): &(u64, VarId)| {
            self.bounds[v.index()].map(|bound| u128::from(c) * u128::from(bound))
        };
        let mut total: u128 = 0;
        let mut work = 0_usize;
        while work < MOST_WORK {
            let mut candidates: Vec<u32> = terms
                .iter()
                .flat_map(|&(_, v)| self.sums_of[v.index()].iter().copied())
                .collect();
            candidates.sort_unstable();
            candidates.dedup();
            let mut best: Option<(u128, u32, u128)> = None;
            for &i in candidates.iter().take(MAX_CANDIDATES) {
                work += terms.len();
                if work >= MOST_WORK {
                    break;
                }
                let (sum, initial) = &self.sums[i as usize];
                let mut apart: u128 = 0;
                // The sum bounds c·m by c·initial / y for the worst c / y.
                let mut together: u128 = 0;
                for &(c, v) in &terms {
                    if let Some(y) = weight(sum, v) {
                        apart = apart.saturating_add(single(&(c, v)).unwrap_or(u128::MAX));
                        let most = initial.saturating_mul(u128::from(c)) / u128::from(y);
                        together = together.max(most);
                    }
                }
                let saving = apart.saturating_sub(together);
                if saving > 0 && best.is_none_or(|(most, ..)| saving > most) {
                    best = Some((saving, i, together));
                }
            }
            let Some((_, i, together)) = best else {
                break;
            };
            total = total.saturating_add(together);
            terms.retain(|&(_, v)| weight(&self.sums[i as usize].0, v).is_none());
        }
        for term in &terms {
            total = total.saturating_add(single(term)?);
        }
        i64::try_from(total).ok()
    }
}

impl Structure {
    /// A number that `Σ terms` never falls below; all coefficients are positive.
    ///
    /// Greedy: of the sums that never change, those whose places are all among the terms, as long as no
    /// place is used twice.
    fn least(&self, terms: &[(u64, VarId)]) -> i128 {
        let coefficients: FxHashMap<u32, u64> = terms.iter().map(|&(c, v)| (v.0, c)).collect();
        let mut used: FxHashSet<u32> = FxHashSet::default();
        let mut least: i128 = 0;
        let mut work = 0_usize;
        for &(_, v) in terms {
            for &i in self.sums_of[v.index()].iter().take(MAX_CANDIDATES) {
                let (sum, initial) = &self.sums[i as usize];
                work += 1 + sum.weights.len();
                if work > MOST_WORK {
                    return least;
                }
                let covered = sum.constant
                    && (sum.weights.iter())
                        .all(|(p, _)| coefficients.contains_key(&p.0) && !used.contains(&p.0));
                if !covered {
                    continue;
                }
                // c·m is at least c / y times y·m, and the worst such factor is one for all.
                let factors = sum.weights.iter().map(|&(p, y)| (coefficients[&p.0], y));
                let worst = factors.map(|(c, y)| {
                    initial
                        .checked_mul(u128::from(c))
                        .map(|n| n / u128::from(y))
                });
                let worst = worst.min().flatten().unwrap_or(0);
                if worst > 0 {
                    least = least.saturating_add(i128::try_from(worst).unwrap_or(0));
                    used.extend(sum.weights.iter().map(|(p, _)| p.0));
                }
            }
        }
        least
    }
}

/// Sums of hundreds of places share a place with thousands of invariants; a few will do.
const MAX_CANDIDATES: usize = 256;

/// Terms of sums that are looked at for one comparison: a tenth of a second or so. What is known by then
/// is true.
const MOST_WORK: usize = 1 << 22;

fn weight(sum: &PlaceSum, v: VarId) -> Option<u64> {
    let at = sum.weights.binary_search_by_key(&v.0, |(p, _)| p.0);
    at.ok().map(|i| sum.weights[i].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::generators::Family;
    use crate::petri::{Place, PlaceId, Symbols, Transition, proposition};

    fn decided(net: &PetriNet, text: &str) -> Option<bool> {
        let symbols = Symbols::of_net(net);
        let predicate = proposition::parse(text, &symbols).unwrap().predicate;
        match Structure::new(net).simplify(&predicate) {
            Predicate::True => Some(true),
            Predicate::False => Some(false),
            _ => None,
        }
    }

    #[test]
    fn invariants_bound_places_and_sums() {
        let net = Family::Kanban.generate(5).unwrap();
        assert_eq!(decided(&net, "Pm1 <= 5"), Some(true));
        assert_eq!(decided(&net, "Pm1 <= 4"), None);
        assert_eq!(decided(&net, "Pm1 + Pback1 <= 5"), Some(true));
        assert_eq!(decided(&net, "Pm1 + Pback1 >= 6"), Some(false));
        assert_eq!(decided(&net, "Pm1 - Pback1 > 5"), Some(false));
        assert_eq!(decided(&net, "Pm1 + Pm2 <= 9"), None);
        let circle = "Pm1 + Pback1 + Pout1 + P1";
        assert_eq!(decided(&net, &format!("{circle} >= 5")), Some(true));
        assert_eq!(decided(&net, &format!("{circle} + Pm2 < 5")), Some(false));
        assert_eq!(decided(&net, &format!("2*Pm1 + {circle} = 4")), Some(false));
        assert_eq!(decided(&net, &format!("{circle} != 5")), Some(false));
        assert_eq!(decided(&net, "Pm1 + Pback1 + Pout1 >= 1"), None);
    }

    #[test]
    fn what_needs_an_unmarked_place_never_fires() {
        let place = |id: &str, initial| Place {
            id: id.to_owned(),
            name: id.to_owned(),
            initial,
        };
        let [p, q, r] = [0, 1, 2].map(PlaceId);
        let step = |id: &str, pre: &[(PlaceId, u32)], post: &[(PlaceId, u32)]| Transition {
            id: id.to_owned(),
            pre: pre.to_vec(),
            post: post.to_vec(),
            ..Transition::default()
        };
        let transitions = vec![
            step("live", &[(p, 1)], &[(p, 1)]),
            step("dead", &[(q, 1)], &[(q, 1), (r, 1)]),
            step("much", &[(p, 2)], &[(p, 2)]),
        ];
        let places = vec![place("p", 1), place("q", 0), place("r", 0)];
        let net = PetriNet::new("n", places, transitions, None).unwrap();
        assert_eq!(decided(&net, "q + r = 0"), Some(true));
        assert_eq!(decided(&net, "fireable(dead, much)"), Some(false));
        assert_eq!(decided(&net, "fireable(live)"), None);
        assert_eq!(decided(&net, "p != 2"), Some(true));
    }
}
