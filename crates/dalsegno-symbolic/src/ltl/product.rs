//! The product of a state space with an observer, as sets.
//!
//! P14 Def. 5 (TGBA) and Def. 10 (TGTA), for every kind that the observer knows: a step of the
//! model from a letter to another goes with a step of the automaton, which the observer tells. What a
//! dead end does is a parameter: it repeats itself, which matters to images and not to what is
//! reachable, or it ends a path that does not count.
//!
//! Cost of an image: one step of the model per automaton state and letter, and one selection per
//! proposition that can change.

use std::rc::Rc;

use dalsegno_automata::Marks;
use dalsegno_automata::StateId;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_kripke::{DeadEnds, Letter, Predicate, Stop};
use dalsegno_mdd::{Events, Manager, Relation, Set};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::blocks::Block;
use super::fair::SymbolicFairSet;
use super::letters::{Class, Letters, Proposition};
use super::product_set::{Key, ProductSet};
use crate::encode::Encoding;
use crate::reach::StateSpace;

type Result<T> = std::result::Result<T, dalsegno_mdd::Stop>;

/// How sets of reachable product states are built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Saturation {
    /// Breadth-first, a step of all groups at a time.
    Off,
    /// Saturation by the steps that leave the automaton alone because nothing it observes changes,
    /// for automata that have such steps by their kind (P14 eq. 1); chaining for the others, whose
    /// every step consults the automaton.
    Stuttering,
    /// Also by self-loops of all kinds of automata whatever changes, which P14 does not do.
    #[default]
    Loops,
}

dalsegno_kripke::choices!(
    Saturation, "saturation", Off => "off", Stuttering => "stuttering", Loops => "on"
);

/// States that are looked at one by one for a run unless a number is given.
pub const NEAR: usize = 20_000;

const MILLION: u32 = 1_000_000;

/// A product of a model's reachable states with an automaton.
pub struct Product<'p> {
    space: &'p mut StateSpace,
    observer: &'p mut Observer,
    pub(super) letters: Letters,
    /// Dead ends that repeat themselves.
    repeating: Option<Set>,
    relations: Vec<Relation>,
    /// Whether some group leads from every state to itself.
    idle: bool,
    pub(super) forward: Events,
    pub(super) backward: Events,
    pub(super) saturation: Saturation,
    pub(super) blocks: FxHashMap<Key, Rc<Block>>,
    /// The states that are looked at one by one for a run.
    pub(super) near: usize,
    /// What runs have to be fair to.
    pub(super) fairness: Vec<SymbolicFairSet>,
}

impl<'p> Product<'p> {
    /// The product of reachable states with an observer of these propositions.
    ///
    /// # Errors
    /// If the budget ran out.
    ///
    /// # Panics
    /// If the observer is a TA: livelock acceptance is not supported.
    pub fn new(
        space: &'p mut StateSpace,
        propositions: &[Proposition],
        observer: &'p mut Observer,
        dead_ends: DeadEnds,
        saturation: Saturation,
    ) -> std::result::Result<Self, Stop> {
        assert_ne!(observer.kind(), Kind::Ta, "a TA has livelock acceptance");
        let letters = Letters::new(space, propositions);
        let letters = letters.map_err(|stop| space.encoding().stop(stop))?;
        let repeating = match dead_ends {
            DeadEnds::Stutter => Some(space.select(&Predicate::DeadEnd)?),
            DeadEnds::Finite | DeadEnds::Ignore => None,
        };
        let encoding = space.encoding();
        let groups = encoding.model().group_ids();
        let relations = groups.flat_map(|group| encoding.relations_of(group).to_vec());
        let relations: Vec<Relation> = relations.collect();
        let manager = encoding.manager();
        let forward = manager.events(&relations);
        let inverses: Vec<Relation> = relations.iter().map(|&r| manager.inverse(r)).collect();
        let backward = manager.events(&inverses);
        Ok(Product {
            space,
            observer,
            letters,
            repeating,
            idle: relations.contains(&Relation::IDENTITY),
            relations,
            forward,
            backward,
            saturation,
            blocks: FxHashMap::default(),
            near: NEAR,
            fairness: Vec::new(),
        })
    }

    /// Looks at this many states one by one for a run, before it is built from sets.
    #[must_use]
    pub fn near(mut self, states: usize) -> Self {
        self.near = states;
        self
    }

    /// The encoding of the model.
    pub fn encoding(&mut self) -> &mut Encoding {
        self.space.encoding()
    }

    /// The reachable states in which a predicate holds.
    pub(super) fn select(&mut self, predicate: &Predicate) -> std::result::Result<Set, Stop> {
        self.space.select(predicate)
    }

    /// The owner of the diagrams.
    pub(super) fn manager(&mut self) -> &mut Manager {
        self.space.encoding().manager()
    }

    /// The marks that an accepting cycle carries.
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        self.observer.all_marks()
    }

    /// The marks that an accepting cycle carries, one by one.
    pub(super) fn each_mark(&self) -> Vec<Marks> {
        self.all_marks().iter().map(|i| Marks(1 << i)).collect()
    }

    /// The relations of all groups.
    pub(super) fn relations(&self) -> &[Relation] {
        &self.relations
    }

    /// The states of a set that repeat themselves, if there are any.
    pub(super) fn repeating(&mut self, set: &Set) -> Result<Option<Set>> {
        let Some(dead) = &self.repeating else {
            return Ok(None);
        };
        let manager = self.space.encoding().manager();
        let dead = manager.intersection(set, dead)?;
        Ok(Some(dead).filter(|dead| !dead.is_empty()))
    }

    /// The states inside `within` one step after some states with letters of their own, by groups
    /// that may lead from the one letter to the other.
    pub(super) fn between(
        &mut self,
        (set, from): (&Set, Letter),
        (within, to): (&Set, Letter),
    ) -> Result<Set> {
        let events = if from == to {
            &self.forward
        } else {
            &self.letters.of(from).leaving
        };
        let manager = self.space.encoding().manager();
        let mut image = manager.step_within(set, events, within)?;
        if let Some(still) = self.still(set)?.filter(|_| from == to) {
            let manager = self.manager();
            let still = manager.intersection(&still, within)?;
            image = manager.union(&image, &still)?;
        }
        Ok(image)
    }

    /// The states of a set that a step may leave as they are whatever they are: those that repeat
    /// themselves, or all if some group leads from every state to itself.
    fn still(&mut self, set: &Set) -> Result<Option<Set>> {
        if self.idle {
            return Ok(Some(set.clone()));
        }
        self.repeating(set)
    }

    /// Whether dead ends repeat themselves.
    pub(super) fn dead_ends_repeat(&self) -> bool {
        self.repeating.is_some()
    }

    /// Where the automaton goes.
    pub(super) fn step(&mut self, q: StateId, from: Letter, to: Letter) -> &[(StateId, Marks)] {
        self.observer.step(q, from, to)
    }

    /// Why the manager stopped, in words of the budget.
    pub(super) fn stop(&mut self, stop: dalsegno_mdd::Stop) -> Stop {
        self.space.encoding().stop(stop)
    }

    /// The kind of the automaton.
    pub(super) fn kind(&self) -> Kind {
        self.observer.kind()
    }

    /// The share of the model's transitions that change nothing that is observed (P14, Table 1), in
    /// millionths; none if there are no transitions, or a proposition reads too much.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn stuttering(&mut self) -> std::result::Result<Option<u32>, Stop> {
        let all = self.space.transitions()?;
        let manager = self.space.encoding().manager();
        let stuttering = self.letters.stuttering(manager);
        let stuttering = stuttering.map_err(|stop| self.stop(stop))?;
        let stuttering = stuttering.filter(|_| all != BigUint::ZERO);
        Ok(stuttering.and_then(|n| u32::try_from(n * MILLION / all).ok()))
    }

    /// The class of some letters together; see [`Letters::together`].
    pub(super) fn class_of(
        &mut self,
        letters: &[Letter],
        letter: Letter,
        free: u64,
    ) -> Result<Class> {
        self.letters.together(self.space, letters, letter, free)
    }

    /// The initial states.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn initial(&mut self) -> std::result::Result<ProductSet, Stop> {
        let initial = self.space.encoding().initial()?;
        let mut nodes = ProductSet::default();
        for (&letter, class) in self.letters.classes() {
            let manager = self.space.encoding().manager();
            let here = manager.intersection(&initial, &class.states);
            let here = here.map_err(|stop| self.space.encoding().stop(stop))?;
            for &(q, _) in self.observer.initial(letter) {
                nodes.set((q, letter), here.clone());
            }
        }
        Ok(nodes)
    }

    /// Where steps from a key with these marks lead, by the letter of the target.
    pub(super) fn targets(&mut self, key: Key, marks: Marks) -> Vec<(Letter, StateId)> {
        let (q, from) = key;
        let class = self.letters.of(from);
        let reachable = self.letters.classes().keys().copied();
        let letters: Vec<Letter> = reachable.filter(|&to| class.leads_to(from, to)).collect();
        let mut found = Vec::new();
        for to in letters {
            for &(p, carried) in self.observer.step(q, from, to) {
                if carried.contains(marks) && !found.contains(&(to, p)) {
                    found.push((to, p));
                }
            }
        }
        found
    }

    /// The model states that lie one step from a set, all of whose states have one letter, by
    /// letter; `stuttering` says whether that letter itself matters.
    pub(super) fn steps(
        &mut self,
        set: &Set,
        from: Letter,
        stuttering: bool,
    ) -> Result<Vec<(Letter, Set)>> {
        let class = self.letters.of(from);
        let events = if stuttering {
            &self.forward
        } else {
            &class.leaving
        };
        let reachable = self.space.reachable().clone();
        let manager = self.space.encoding().manager();
        let mut image = manager.step_within(set, events, &reachable)?;
        if stuttering && let Some(still) = self.still(set)? {
            image = self.manager().union(&image, &still)?;
        }
        let changes = self.letters.of(from).changes;
        let manager = self.space.encoding().manager();
        self.letters.split(manager, image, from, changes)
    }

    /// As [`Product::steps`], by one relation.
    pub(super) fn steps_by(
        &mut self,
        set: &Set,
        from: Letter,
        relation: Relation,
    ) -> Result<Vec<(Letter, Set)>> {
        let class = self.letters.of(from);
        let manager = self.space.encoding().manager();
        let image = manager.image(set, relation)?;
        self.letters.split(manager, image, from, class.changes)
    }

    /// The states one step after these, by steps that carry all of these marks.
    pub(super) fn image(&mut self, nodes: &ProductSet, marks: Marks) -> Result<ProductSet> {
        let mut image = ProductSet::default();
        for (key, set) in nodes.iter() {
            let from = key.1;
            let targets = self.targets(key, marks);
            if targets.is_empty() {
                continue;
            }
            let stuttering = targets.iter().any(|&(to, _)| to == from);
            for (letter, part) in self.steps(set, from, stuttering)? {
                for &(to, p) in &targets {
                    if to == letter {
                        image.add(self.manager(), (p, to), &part)?;
                    }
                }
            }
        }
        Ok(image)
    }

    /// The states of `within` one step before these, by steps that carry all of these marks.
    pub(super) fn preimage(
        &mut self,
        nodes: &ProductSet,
        marks: Marks,
        within: &ProductSet,
    ) -> Result<ProductSet> {
        let mut sources: Vec<(Key, Vec<(Letter, StateId)>)> = Vec::new();
        for key in within.keys() {
            let targets = self.targets(key, marks);
            if !targets.is_empty() {
                sources.push((key, targets));
            }
        }
        let mut found = ProductSet::default();
        for (target, set) in nodes.iter() {
            let still = self.still(set)?;
            for (key, targets) in &sources {
                let Some(inside) = within.get(*key) else {
                    continue;
                };
                if !targets.contains(&(target.1, target.0)) {
                    continue;
                }
                let manager = self.space.encoding().manager();
                let part = manager.step_within(set, &self.backward, inside)?;
                found.add(manager, *key, &part)?;
                if let Some(still) = still.as_ref().filter(|_| key.1 == target.1) {
                    let part = manager.intersection(still, inside)?;
                    found.add(manager, *key, &part)?;
                }
            }
        }
        Ok(found)
    }
}
