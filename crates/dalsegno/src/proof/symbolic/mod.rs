//! Proofs by decision diagrams: the product of the reachable states with the checker's own tableau as sets of states, and
//! ranks from the iterations of OWCTY.
//!
//! A key is a set of owed formulas with a letter. Components of keys are ranked from the bottom. One that lacks a mark
//! has a constant rank that names the mark. In the others, X₀ ⊇ X₁ ⊇ … ends with the empty set: X₀ is all of the
//! component, and Xᵢ₊₁ what lies behind a step from Xᵢ with a mark fᵢ. A state has the rank of the last Xᵢ it is in: a
//! step with fᵢ leads to a smaller one, and no step to a larger one. All sets together become one diagram with records
//! at its leaves. Cost: that of OWCTY, and the pairs of nodes that are met when the sets are joined.

mod counted;
mod invariant;
mod joined;
mod ranks;

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_kripke::{Budget, Compare, GroupId, Predicate, Relation as Comparison, VarId};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::mdd::{self, Events, Relation, Set, with_stack};
use dalsegno_symbolic::reach::StateSpace;
use dalsegno_verify::claim::{DeadEnds, Logic};
use dalsegno_verify::diagram::Diagram;
use dalsegno_verify::formula::Atom;
use dalsegno_verify::tableau::{Owed, Tableau};
use rustc_hash::FxHashMap;

use super::Unproved;
use super::subject::Subject;
use crate::method::Building;

/// The letters of reachable states.
const MOST_LETTERS: usize = 256;

/// A set of owed formulas by number, and a letter by number.
type Key = (u32, usize);

/// Sets of states by key; none is empty.
type Sets = BTreeMap<Key, Set>;

/// States with a record: the slot and the letter, the rank, and the transition that is chosen, if one is.
struct Ranked {
    key: Key,
    rank: u64,
    choice: Option<usize>,
    states: Set,
}

/// A proof by sets of states that is on its way: what was built of the states stays.
#[derive(Default)]
pub(super) struct Attempt {
    building: Option<Building>,
    space: Option<StateSpace>,
}

/// A proof of linear time, of branching time that no reachable marking satisfies something, or of a count.
pub(super) fn prove(subject: &Subject<'_>, budget: &Budget) -> Result<Diagram, Unproved> {
    Attempt::default().prove(subject, budget)
}

impl Attempt {
    /// Goes on; the proof, if it is found within the budget. States that are built are kept if time runs out.
    pub(super) fn prove(&mut self, subject: &Subject<'_>, budget: &Budget) -> Made<Diagram> {
        let levels = subject.model().variables().len() as u32;
        let proved = with_stack(levels, || {
            let mut space = match self.space.take() {
                Some(space) => space,
                None => self.build(subject, budget)?,
            };
            space.encoding().set_budget(budget);
            let made = diagram(subject, &mut space, budget);
            self.space = Some(space);
            made
        });
        proved.map_err(|error| Unproved::Limit(error.to_string()))?
    }

    fn build(&mut self, subject: &Subject<'_>, budget: &Budget) -> Made<StateSpace> {
        let problem = subject.problem;
        let building = self
            .building
            .get_or_insert_with(|| Building::new(problem, None));
        match building.advance(problem, 1, budget) {
            Ok((space, _)) => {
                self.building = None;
                Ok(space)
            }
            Err(EncodeError::Stopped(stop)) => Err(Unproved::from(stop)),
            Err(EncodeError::Fault(fault)) => Err(Unproved::Other(fault.to_string())),
        }
    }
}

fn diagram(subject: &Subject<'_>, space: &mut StateSpace, budget: &Budget) -> Made<Diagram> {
    let mut product = Product::new(subject, space, budget)?;
    match subject.claim.header.logic {
        Logic::Ltl => product.linear_time(),
        Logic::Ctl => product.closed(),
        Logic::States => product.counted(),
    }
}

struct Product<'a> {
    subject: &'a Subject<'a>,
    space: &'a mut StateSpace,
    budget: &'a Budget,
    events: Events,
    reachable: Set,
    /// States that may be their own successors apart from events: dead ends where they repeat, or all if some
    /// transition always does nothing.
    repeating: Option<Set>,
    /// Whether dead ends repeat.
    stutters: bool,
    /// The letters of reachable states, with these.
    classes: Vec<(u64, Set)>,
    slots: Vec<Owed>,
    /// Where the tableau goes, and what it postpones.
    steps: FxHashMap<Key, Vec<(u32, u64)>>,
}

/// Something, or why there is no proof.
type Made<T> = Result<T, Unproved>;

impl<'a> Product<'a> {
    fn new(subject: &'a Subject<'a>, space: &'a mut StateSpace, budget: &'a Budget) -> Made<Self> {
        let claim = &subject.claim;
        let stutters =
            claim.header.logic == Logic::Ltl && claim.header.dead_ends == DeadEnds::Stutter;
        let relations = space.encoding().relations().to_vec();
        let repeating = if relations.contains(&Relation::IDENTITY) {
            Some(space.reachable().clone())
        } else if stutters {
            Some(space.select(&Predicate::DeadEnd)?)
        } else {
            None
        };
        let reachable = space.reachable().clone();
        let mut classes = vec![(0_u64, reachable.clone())];
        for (bit, atom) in claim.formulas.atoms.iter().enumerate() {
            budget.check()?;
            let holds = space.select(&predicate(atom)?)?;
            let mut split = Vec::new();
            for (letter, states) in classes {
                let manager = space.encoding().manager();
                let yes = manager.intersection(&states, &holds);
                let no = manager.difference(&states, &holds);
                let (yes, no) = match (yes, no) {
                    (Ok(yes), Ok(no)) => (yes, no),
                    (Err(stop), _) | (_, Err(stop)) => return Err(stopped(space, stop)),
                };
                split.extend([(letter | 1 << bit, yes), (letter, no)]);
            }
            split.retain(|(_, states)| !states.is_empty());
            classes = split;
            if classes.len() > MOST_LETTERS {
                return Err(Unproved::Limit("there are too many letters".to_owned()));
            }
        }
        let events = space.encoding().manager().events(&relations);
        Ok(Product {
            subject,
            space,
            budget,
            events,
            reachable,
            repeating,
            stutters,
            classes,
            slots: Vec::new(),
            steps: FxHashMap::default(),
        })
    }

    /// Does something with sets.
    fn with<T>(&mut self, work: impl FnOnce(&mut mdd::Manager) -> Result<T, mdd::Stop>) -> Made<T> {
        work(self.space.encoding().manager()).map_err(|stop| stopped(self.space, stop))
    }

    /// Splits states by letter.
    fn split(&mut self, states: &Set) -> Made<Vec<(usize, Set)>> {
        let mut parts = Vec::new();
        for class in 0..self.classes.len() {
            let within = self.classes[class].1.clone();
            let part = self.with(|manager| manager.intersection(states, &within))?;
            if !part.is_empty() {
                parts.push((class, part));
            }
        }
        Ok(parts)
    }

    fn slot(&mut self, owed: Owed) -> u32 {
        let known = self.slots.iter().position(|other| *other == owed);
        known.unwrap_or_else(|| {
            self.slots.push(owed);
            self.slots.len() - 1
        }) as u32
    }

    fn steps_of(&mut self, tableau: &Tableau<'_>, key: Key) -> Made<Vec<(u32, u64)>> {
        if let Some(steps) = self.steps.get(&key) {
            return Ok(steps.clone());
        }
        let owed = self.slots[key.0 as usize].clone();
        let found = tableau.steps(&owed, self.classes[key.1].0)?;
        let steps = found.into_iter();
        let steps: Vec<(u32, u64)> = steps.map(|(owed, p)| (self.slot(owed), p)).collect();
        self.steps.insert(key, steps.clone());
        Ok(steps)
    }

    /// The states one step after these.
    fn image(&mut self, states: &Set) -> Made<Set> {
        let (events, reachable) = (self.events.clone(), self.reachable.clone());
        let image = self.with(|manager| manager.step_within(states, &events, &reachable))?;
        let Some(dead) = self.repeating.clone() else {
            return Ok(image);
        };
        self.with(|manager| {
            let still = manager.intersection(states, &dead)?;
            manager.union(&image, &still)
        })
    }

    /// Adds states to a key; whether some are new.
    fn add(&mut self, sets: &mut Sets, key: Key, states: &Set) -> Made<bool> {
        let Some(known) = sets.get(&key).cloned() else {
            sets.insert(key, states.clone());
            return Ok(true);
        };
        let united = self.with(|manager| manager.union(&known, states))?;
        let new = united != known;
        sets.insert(key, united);
        Ok(new)
    }

    /// What lies behind these states, among some keys.
    fn close(
        &mut self,
        tableau: &Tableau<'_>,
        from: Sets,
        allowed: &dyn Fn(Key) -> bool,
    ) -> Made<Sets> {
        let mut agenda: BTreeSet<Key> = from.keys().copied().collect();
        let (mut reached, mut done) = (from, Sets::new());
        while let Some(key) = agenda.pop_first() {
            self.budget.check()?;
            let steps = self.steps_of(tableau, key)?;
            let mut states = reached[&key].clone();
            if steps.iter().any(|&(slot, _)| slot == key.0) {
                let (events, within) = (self.events.clone(), self.classes[key.1].1.clone());
                states = self.with(|manager| manager.constrained(&states, &events, &within))?;
                reached.insert(key, states.clone());
            }
            let new = match done.get(&key).cloned() {
                Some(old) => self.with(|manager| manager.difference(&states, &old))?,
                None => states.clone(),
            };
            done.insert(key, states);
            if new.is_empty() || steps.is_empty() {
                continue;
            }
            let image = self.image(&new)?;
            let targets: BTreeSet<u32> = steps.iter().map(|&(slot, _)| slot).collect();
            for (class, part) in self.split(&image)? {
                for &slot in &targets {
                    let target = (slot, class);
                    if allowed(target) && self.add(&mut reached, target, &part)? {
                        agenda.insert(target);
                    }
                }
            }
        }
        Ok(reached)
    }
}

/// The states in which an atom holds.
fn predicate(atom: &Atom) -> Made<Predicate> {
    let compare = |terms: &[(usize, i64)], op: Comparison, number: i64| {
        let terms = terms.iter().map(|&(p, c)| (c, VarId(p as u32)));
        let compare = Compare::new(terms.collect(), op, number);
        compare.map_err(|error| Unproved::Other(error.to_string()))
    };
    Ok(match atom {
        Atom::AtMost(terms, number) => Predicate::Compare(compare(terms, Comparison::Le, *number)?),
        Atom::Equals(terms, number) => Predicate::Compare(compare(terms, Comparison::Eq, *number)?),
        Atom::Fireable(list) => {
            Predicate::Enabled(list.iter().map(|&t| GroupId(t as u32)).collect())
        }
        Atom::Deadlock => Predicate::DeadEnd,
    })
}

/// Why the manager stopped.
fn stopped(space: &mut StateSpace, stop: mdd::Stop) -> Unproved {
    Unproved::from(space.encoding().stop(stop))
}
