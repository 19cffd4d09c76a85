//! Letters of the reachable states, and which steps keep them.
//!
//! P14 splits the steps of a model by the propositions that they change (Def. 9). Here a set of
//! product states is kept apart by letter, so the letter before a step is known, and a step
//! stutters if the letter after it is the same: a condition on the target alone, and only on the
//! propositions that the step can move away from their value. Most steps need no condition.
//!
//! A condition that reads many levels would make a relation of its own for every value that a sum
//! can have on the way down; there the steps stay as they are, and saturation keeps to the states of
//! the letter.

use std::collections::BTreeMap;
use std::sync::Arc;

use dalsegno_kripke::{GroupId, Letter, Model, Predicate};
use dalsegno_mdd::{Events, Guard, Manager, Relation, Set, Stop};
use num_bigint::BigUint;

use crate::reach::StateSpace;

/// What an automaton observes.
#[derive(Clone, Debug)]
pub enum Proposition {
    /// A condition on states.
    Predicate(Predicate),
    /// The states of a set.
    Set(Set),
}

/// The letters of the reachable states.
#[derive(Debug)]
pub(crate) struct Letters {
    propositions: Vec<Proposition>,
    /// Per proposition, where it does not hold and where it does.
    guards: Vec<[Guard; 2]>,
    /// Per proposition, whether it is cheap to ask of the target of a step.
    narrow: Vec<bool>,
    classes: BTreeMap<Letter, Class>,
}

/// The variables that a condition on targets may read.
const NARROW: usize = 8;

/// The states with one letter, or with letters that agree on some propositions.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// All reachable ones.
    pub(crate) states: Set,
    /// Steps that stay inside, unless asking for it is dear.
    pub(crate) stuttering: Option<Events>,
    /// The relations of those steps.
    keeping: Vec<Relation>,
    /// Groups that may lead outside.
    pub(crate) leaving: Events,
    /// The propositions that tell inside from outside and that some group may change, as bits.
    pub(crate) changes: u64,
}

impl Class {
    /// Whether some step may lead to another letter, as far as is known.
    pub(crate) fn leads_to(&self, from: Letter, to: Letter) -> bool {
        (from ^ to).0 & !self.changes == 0
    }
}

impl Letters {
    /// The letters of all reachable states.
    pub(crate) fn new(space: &mut StateSpace, propositions: &[Proposition]) -> Result<Self, Stop> {
        let reachable = space.reachable().clone();
        let encoding = space.encoding();
        let model = Arc::clone(encoding.model());
        let mut letters = Letters {
            propositions: propositions.to_vec(),
            guards: Vec::new(),
            narrow: Vec::new(),
            classes: BTreeMap::new(),
        };
        for proposition in propositions {
            let (guards, narrow) = match proposition {
                Proposition::Predicate(predicate) => {
                    let yes = encoding.guard(predicate);
                    let no = encoding.guard(&predicate.clone().negate());
                    ([no, yes], predicate.support(&model).len() <= NARROW)
                }
                Proposition::Set(set) => {
                    let manager = encoding.manager();
                    let others = manager.difference(&reachable, set)?;
                    ([manager.member(&others), manager.member(set)], false)
                }
            };
            letters.guards.push(guards);
            letters.narrow.push(narrow);
        }
        let manager = space.encoding().manager();
        let all = mask(propositions.len());
        for (letter, states) in letters.split(manager, reachable, Letter(0), all)? {
            let class = letters.class(space, letter, all, states);
            letters.classes.insert(letter, class);
        }
        Ok(letters)
    }

    /// The class of states whose letters agree with `letter` on the bits of `fixed`, which are `states`.
    fn class(&self, space: &mut StateSpace, letter: Letter, fixed: u64, states: Set) -> Class {
        let propositions = &self.propositions;
        let encoding = space.encoding();
        let model = Arc::clone(encoding.model());
        let mut stuttering = Vec::new();
        let mut leaving = Vec::new();
        let mut changes = 0;
        let mut cheap = true;
        for group in model.group_ids() {
            let moved = |i: &usize| may_change(&model, &propositions[*i], group, letter.holds(*i));
            let watched = (0..propositions.len()).filter(|i| fixed >> i & 1 == 1);
            let moved: Vec<usize> = watched.filter(moved).collect();
            let relations = encoding.relations_of(group).to_vec();
            if moved.is_empty() {
                stuttering.extend(relations);
                continue;
            }
            cheap &= moved.iter().all(|&i| self.narrow[i]);
            let same = moved
                .iter()
                .map(|&i| self.guards[i][usize::from(letter.holds(i))]);
            let manager = encoding.manager();
            let same = manager.all(&same.collect::<Vec<Guard>>());
            for &relation in relations.iter().filter(|_| cheap) {
                let back = manager.inverse(relation);
                let back = manager.guarded(back, same);
                stuttering.push(manager.inverse(back));
            }
            leaving.extend(relations);
            changes |= moved.iter().fold(0, |bits, &i| bits | 1 << i);
        }
        Class {
            states,
            stuttering: cheap.then(|| encoding.manager().events(&stuttering)),
            keeping: stuttering,
            leaving: encoding.manager().events(&leaving),
            changes,
        }
    }

    /// The class of some letters together: all reachable ones that agree with `letter` on the bits
    /// outside of `free`.
    pub(crate) fn together(
        &self,
        space: &mut StateSpace,
        letters: &[Letter],
        letter: Letter,
        free: u64,
    ) -> Result<Class, Stop> {
        let mut states = space.encoding().manager().empty();
        for &letter in letters {
            let more = &self.of(letter).states;
            states = space.encoding().manager().union(&states, more)?;
        }
        let fixed = mask(self.propositions.len()) & !free;
        Ok(self.class(space, letter, fixed, states))
    }

    /// The number of transitions of the model that keep the letter, unless asking for it is dear.
    pub(crate) fn stuttering(&self, manager: &mut Manager) -> Result<Option<BigUint>, Stop> {
        let mut sum = BigUint::ZERO;
        for class in self.classes.values() {
            if class.stuttering.is_none() {
                return Ok(None);
            }
            sum += manager.count_pairs(&class.states, &class.keeping)?;
        }
        Ok(Some(sum))
    }

    /// The number of propositions.
    pub(crate) fn propositions(&self) -> usize {
        self.propositions.len()
    }

    /// The classes by letter.
    pub(crate) fn classes(&self) -> &BTreeMap<Letter, Class> {
        &self.classes
    }

    /// The class of a letter that some reachable state has.
    pub(crate) fn of(&self, letter: Letter) -> &Class {
        &self.classes[&letter]
    }

    /// The parts of a set by letter, if their letters differ from `letter` in some bits of `open`
    /// only. No part is empty.
    pub(crate) fn split(
        &self,
        manager: &mut Manager,
        set: Set,
        letter: Letter,
        open: u64,
    ) -> Result<Vec<(Letter, Set)>, Stop> {
        let mut parts = vec![(letter, set)];
        for (i, &[_, guard]) in self.guards.iter().enumerate() {
            if open >> i & 1 == 0 {
                continue;
            }
            let mut next = Vec::with_capacity(2 * parts.len());
            for (letter, set) in parts {
                let yes = manager.select(&set, guard)?;
                let no = manager.difference(&set, &yes)?;
                next.push((letter.with(i, false), no));
                next.push((letter.with(i, true), yes));
            }
            next.retain(|(_, set)| !set.is_empty());
            parts = next;
        }
        parts.retain(|(_, set)| !set.is_empty());
        Ok(parts)
    }
}

/// The first `n` bits.
fn mask(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Whether a group may move a proposition away from a value.
fn may_change(model: &Model, proposition: &Proposition, group: GroupId, value: bool) -> bool {
    match proposition {
        Proposition::Predicate(predicate) => !predicate.keeps(model, group, value),
        Proposition::Set(_) => true,
    }
}
