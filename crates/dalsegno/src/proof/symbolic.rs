//! Proofs by decision diagrams: the product of the reachable states with the checker's own tableau as sets of states, and
//! ranks from the iterations of OWCTY.
//!
//! A key is a set of owed formulas with a letter. Components of keys are ranked from the bottom. One that lacks a mark
//! has a constant rank that names the mark. In the others, X₀ ⊇ X₁ ⊇ … ends with the empty set: X₀ is all of the
//! component, and Xᵢ₊₁ what lies behind a step from Xᵢ with a mark fᵢ. A state has the rank of the last Xᵢ it is in: a
//! step with fᵢ leads to a smaller one, and no step to a larger one. All sets together become one diagram with records
//! at its leaves. Cost: that of OWCTY, and the pairs of nodes that are met when the sets are joined.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_automata::scc::Components;
use dalsegno_kripke::{Budget, Compare, GroupId, Predicate, Relation as Comparison, VarId};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::mdd::{self, Events, Relation, Set, View, with_stack};
use dalsegno_symbolic::reach::StateSpace;
use dalsegno_verify::claim::{DeadEnds, Logic};
use dalsegno_verify::diagram::{Alive, Cell, Diagram, Leaf, Level};
use dalsegno_verify::formula::{Atom, Formulas, Id, Node};
use dalsegno_verify::tableau::{Owed, Tableau};
use rustc_hash::FxHashMap;

use super::Unproved;
use super::diagram::{Unique, assemble};
use super::subject::Subject;
use crate::method::build;

/// The iterations of a component.
const MOST_ITERATIONS: usize = 4000;

/// The letters of reachable states.
const MOST_LETTERS: usize = 256;

/// The combinations of nodes that are met when sets are joined.
const MOST_JOINED: usize = 20_000_000;

/// A set of owed formulas by number, and a letter by number.
type Key = (u32, usize);

/// Sets of states by key; none is empty.
type Sets = BTreeMap<Key, Set>;

/// States with a record: the slot and the letter, and the rank.
struct Ranked {
    key: Key,
    rank: u64,
    states: Set,
}

/// A proof of linear time, or of branching time that no reachable marking satisfies something.
pub(super) fn prove(subject: &Subject<'_>, budget: &Budget) -> Result<Diagram, Unproved> {
    let levels = subject.model().variables().len() as u32;
    let proved = with_stack(levels, || {
        let (mut space, _) = build(subject.problem, None, budget).map_err(|error| match error {
            EncodeError::Stopped(stop) => Unproved::from(stop),
            EncodeError::Fault(fault) => Unproved::Other(fault.to_string()),
        })?;
        space.encoding().set_budget(budget);
        let mut product = Product::new(subject, &mut space, budget)?;
        match subject.claim.header.logic {
            Logic::Ltl => product.linear_time(),
            _ => product.closed(),
        }
    });
    proved.map_err(|error| Unproved::Limit(error.to_string()))?
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

    /// A proof that no run satisfies what the claim says.
    fn linear_time(&mut self) -> Made<Diagram> {
        let claim = &self.subject.claim;
        let tableau = Tableau::new(claim)?;
        let marks = tableau.marks();
        let first = self.slot(vec![claim.goal]);
        let initial = self.space.encoding().initial()?;
        let mut start = Sets::new();
        for (class, part) in self.split(&initial)? {
            start.insert((first, class), part);
        }
        let reached = self.close(&tableau, start, &|_| true)?;
        let keys: Vec<Key> = reached.keys().copied().collect();
        let number: BTreeMap<Key, u32> = keys.iter().copied().zip(0..).collect();
        // Where keys lead, and what is postponed on the way.
        let mut links: Vec<Vec<(u32, u64)>> = Vec::new();
        for &key in &keys {
            let steps = self.steps_of(&tableau, key)?;
            let mut list = Vec::new();
            if !steps.is_empty() {
                let image = self.image(&reached[&key])?;
                for (class, _) in self.split(&image)? {
                    let target = |&(slot, p): &(u32, u64)| Some((*number.get(&(slot, class))?, p));
                    list.extend(steps.iter().filter_map(target));
                }
            }
            links.push(list);
        }
        let found = Components::new(keys.len(), 0..keys.len() as u32, |key: u32, i| {
            links[key as usize].get(i).map(|&(target, _)| target)
        });
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); found.count];
        for (i, &component) in found.of.iter().enumerate() {
            members[component as usize].push(i);
        }
        let (mut ranked, mut base) = (Vec::new(), 0);
        // Components are numbered from the bottom.
        for (component, inside) in members.iter().enumerate() {
            let own = |link: &&(u32, u64)| found.of[link.0 as usize] as usize == component;
            let inner: Vec<u64> = inside
                .iter()
                .flat_map(|&key| links[key].iter().filter(own).map(|&(_, p)| p))
                .collect();
            let all = inner
                .iter()
                .fold(u64::MAX, |all, &postponed| all & postponed);
            let nodes: Sets = inside
                .iter()
                .map(|&i| (keys[i], reached[&keys[i]].clone()))
                .collect();
            if inner.is_empty() || all != 0 {
                // Nothing comes back, or one until is postponed on all ways back.
                let mark = if inner.is_empty() {
                    0
                } else {
                    1 + u64::from(all.trailing_zeros())
                };
                let rank = base + mark;
                let records = nodes
                    .into_iter()
                    .map(|(key, states)| Ranked { key, rank, states });
                ranked.extend(records);
                base += marks;
            } else {
                base = self.iterate(&tableau, nodes, base, &mut ranked)?;
            }
        }
        self.join(&ranked, Some(marks))
    }

    /// Ranks a component by OWCTY; the next rank that is free.
    fn iterate(
        &mut self,
        tableau: &Tableau<'_>,
        nodes: Sets,
        base: u64,
        ranked: &mut Vec<Ranked>,
    ) -> Made<u64> {
        let marks = tableau.marks();
        let inside: BTreeSet<Key> = nodes.keys().copied().collect();
        // What was cut off, and by which mark. Every step carries mark 0, which serves if there are no others.
        let mut layers: Vec<(u64, Sets)> = Vec::new();
        let (mut left, mut mark, mut idle) = (nodes, u64::from(marks > 1), 0);
        while !left.is_empty() {
            self.budget.check()?;
            if layers.len() > MOST_ITERATIONS {
                return Err(Unproved::Limit("the ranks are too many".to_owned()));
            }
            let mut behind = Sets::new();
            for (&key, states) in &left {
                let steps = self.steps_of(tableau, key)?;
                let carries = |&&(_, p): &&(u32, u64)| mark == 0 || p >> (mark - 1) & 1 == 0;
                let targets: BTreeSet<u32> = steps.iter().filter(carries).map(|s| s.0).collect();
                if targets.is_empty() {
                    continue;
                }
                let image = self.image(states)?;
                for (class, part) in self.split(&image)? {
                    for &slot in targets
                        .iter()
                        .filter(|&&slot| inside.contains(&(slot, class)))
                    {
                        self.add(&mut behind, (slot, class), &part)?;
                    }
                }
            }
            let next = self.close(tableau, behind, &|key| inside.contains(&key))?;
            let mut cut = Sets::new();
            for (&key, states) in &left {
                let rest = match next.get(&key) {
                    Some(stay) => self.with(|manager| manager.difference(states, stay))?,
                    None => states.clone(),
                };
                if !rest.is_empty() {
                    cut.insert(key, rest);
                }
            }
            idle = if cut.is_empty() { idle + 1 } else { 0 };
            if idle > marks {
                let why = "the product has an accepting component";
                return Err(Unproved::Other(why.to_owned()));
            }
            if !cut.is_empty() {
                layers.push((mark, cut));
                left = next;
            }
            // A mark that cuts is tried again: the next ones would cut the same.
            if idle > 0 && marks > 1 {
                mark = 1 + mark % (marks - 1);
            }
        }
        let count = layers.len() as u64;
        for ((mark, sets), i) in layers.into_iter().zip(1..) {
            let rank = base + marks * (count - i) + mark;
            let records = sets
                .into_iter()
                .map(|(key, states)| Ranked { key, rank, states });
            ranked.extend(records);
        }
        Ok(base + marks * count)
    }

    /// A proof that a set of markings is closed and has nothing that must never hold.
    fn closed(&mut self) -> Made<Diagram> {
        let claim = &self.subject.claim;
        let always = match claim.formulas.nodes[claim.goal] {
            Node::Forall(path) => match claim.formulas.nodes[path] {
                Node::Release(left, always) if claim.formulas.nodes[left] == Node::False => {
                    Some(always)
                }
                _ => None,
            },
            _ => None,
        };
        let parts = always.and_then(|always| without_time(&claim.formulas, always));
        let (Some(parts), Some(always)) = (parts, always) else {
            let why = "decision diagrams prove linear time and invariants only";
            return Err(Unproved::Other(why.to_owned()));
        };
        self.slots.push(vec![claim.goal]);
        self.slots.extend(parts.iter().map(|&f| vec![f]));
        let mut ranked = Vec::new();
        for (class, (letter, states)) in self.classes.iter().enumerate() {
            let true_parts = truths(&claim.formulas, &parts, *letter);
            if !true_parts.iter().any(|&i| parts[i] == always) {
                // It holds all the same: no path that counts leads there.
                let why =
                    "a reachable marking violates the invariant, and only infinite paths count";
                return Err(Unproved::Other(why.to_owned()));
            }
            for slot in std::iter::once(0).chain(true_parts.into_iter().map(|i| i + 1)) {
                let (key, states) = ((slot as u32, class), states.clone());
                ranked.push(Ranked {
                    key,
                    rank: 0,
                    states,
                });
            }
        }
        self.join(&ranked, None)
    }

    /// One diagram of all records.
    fn join(&mut self, ranked: &[Ranked], marks: Option<u64>) -> Made<Diagram> {
        let told = self.subject.claim.formulas.atoms.contains(&Atom::Deadlock);
        let stutters = self.stutters;
        let mut sets: Vec<Set> = ranked.iter().map(|record| record.states.clone()).collect();
        // Where it matters whether a marking is a dead end: which transition it enables, if any.
        let mut alive = Vec::new();
        if told || stutters {
            let mut left = self.reachable.clone();
            for t in 0..self.subject.net.transitions.len() {
                self.budget.check()?;
                let enabled = Predicate::Enabled(vec![GroupId(t as u32)]);
                let enabled = self.space.select(&enabled)?;
                let part = self.with(|manager| manager.intersection(&left, &enabled))?;
                if !part.is_empty() {
                    left = self.with(|manager| manager.difference(&left, &enabled))?;
                    sets.push(part);
                    alive.push(Alive::By(t));
                }
            }
            if !left.is_empty() {
                sets.push(left);
                alive.push(Alive::Dead);
            }
        }
        let (levels, values) = self.levels();
        let (classes, steps) = (&self.classes, &self.steps);
        let may_repeat = |class: usize, cells: &[Cell], marks: u64| {
            let rank = |slot: u32| {
                cells
                    .iter()
                    .find(|c| c.slot == slot as usize)
                    .map(|c| c.rank)
            };
            cells.iter().all(|cell| {
                let steps = steps.get(&(cell.slot as u32, class));
                steps.is_some_and(|steps| {
                    steps.iter().all(|&(slot, postponed)| {
                        let mark = cell.rank % marks;
                        let stays = mark > 0 && postponed >> (mark - 1) & 1 == 1;
                        let falls = |next| next < cell.rank || (next == cell.rank && stays);
                        rank(slot).is_some_and(falls)
                    })
                })
            })
        };
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut leaf_of: FxHashMap<Leaf, u32> = FxHashMap::default();
        let mut leaf = |open: &[u32]| {
            let (mut cells, mut class, mut found) = (Vec::new(), 0, Alive::Unknown);
            for &i in open {
                match ranked.get(i as usize) {
                    Some(Ranked { key, rank, .. }) => {
                        let (slot, rank) = (key.0 as usize, *rank);
                        cells.push(Cell {
                            slot,
                            rank,
                            choice: None,
                        });
                        class = key.1;
                    }
                    None => found = alive[i as usize - ranked.len()],
                }
            }
            cells.sort_unstable_by_key(|cell| cell.slot);
            let free = marks.is_none_or(|marks| !stutters || may_repeat(class, &cells, marks));
            let alive = if told || !free { found } else { Alive::Unknown };
            let letter = classes[class].0;
            let record = Leaf {
                letter,
                alive,
                cells,
            };
            let number = *leaf_of.entry(record.clone()).or_insert(leaves.len() as u32);
            if number as usize == leaves.len() {
                leaves.push(record);
            }
            number
        };
        let manager = self.space.encoding().manager();
        let views = sets.iter().zip(0..);
        let roots: Vec<(u32, View)> = views
            .filter_map(|(set, i)| Some((i, manager.view(set)?)))
            .collect();
        let mut joined = Joined {
            manager,
            unique: levels.iter().map(|_| Unique::default()).collect(),
            memo: FxHashMap::default(),
            values: &values,
            records: ranked.len() as u32,
            budget: self.budget,
        };
        joined.node(0, &roots, &mut leaf)?;
        let unique = joined.unique;
        Ok(assemble(levels, self.slots.clone(), leaves, &unique))
    }

    /// The levels as the checker has them, and for each the numbers of the values.
    fn levels(&mut self) -> (Vec<Level>, Vec<FxHashMap<u32, u32>>) {
        let encoding = self.space.encoding();
        let count = encoding.order().len();
        let mut places: Vec<Vec<(usize, Option<u32>)>> = vec![Vec::new(); count];
        for place in 0..self.subject.net.places.len() {
            let (level, value) = encoding.level(VarId(place as u32));
            places[level].push((place, value));
        }
        let mut seen: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
        let manager = encoding.manager();
        let mut row: BTreeSet<View> = manager.view(&self.reachable).into_iter().collect();
        for seen in &mut seen {
            let arcs = row.iter().flat_map(|&view| manager.arcs(view));
            let mut next = BTreeSet::new();
            for (value, child) in arcs {
                seen.insert(value);
                next.insert(child);
            }
            row = next;
        }
        let mut levels = Vec::new();
        let mut numbers = Vec::new();
        for (places, seen) in places.iter().zip(&seen) {
            // A value of several places says which one has a token.
            let tokens = |value: u32| -> Vec<u32> {
                let one = |&(_, own): &(usize, Option<u32>)| match own {
                    Some(own) => u32::from(own == value),
                    None => value,
                };
                places.iter().map(one).collect()
            };
            let mut values: Vec<(Vec<u32>, u32)> = seen.iter().map(|&v| (tokens(v), v)).collect();
            values.sort_unstable();
            numbers.push(values.iter().map(|(_, v)| *v).zip(0..).collect());
            levels.push(Level {
                places: places.iter().map(|&(place, _)| place).collect(),
                values: values.into_iter().map(|(tokens, _)| tokens).collect(),
            });
        }
        (levels, numbers)
    }
}

/// Sets of states that are descended together.
struct Joined<'a> {
    manager: &'a mdd::Manager,
    unique: Vec<Unique>,
    memo: FxHashMap<Vec<(u32, View)>, Option<u32>>,
    values: &'a [FxHashMap<u32, u32>],
    /// Sets with smaller numbers have records; the others tell of dead ends.
    records: u32,
    budget: &'a Budget,
}

impl Joined<'_> {
    fn node(
        &mut self,
        level: usize,
        open: &[(u32, View)],
        leaf: &mut dyn FnMut(&[u32]) -> u32,
    ) -> Made<u32> {
        let made = self.descend(level, open, leaf)?;
        made.ok_or_else(|| Unproved::Other("there is no state".to_owned()))
    }

    /// The node of a combination of nodes; none if no record is among them.
    fn descend(
        &mut self,
        level: usize,
        open: &[(u32, View)],
        leaf: &mut dyn FnMut(&[u32]) -> u32,
    ) -> Made<Option<u32>> {
        if open.first().is_none_or(|&(set, _)| set >= self.records) {
            return Ok(None);
        }
        if level == self.unique.len() {
            let sets: Vec<u32> = open.iter().map(|&(set, _)| set).collect();
            return Ok(Some(leaf(&sets)));
        }
        if let Some(&made) = self.memo.get(open) {
            return Ok(made);
        }
        if self.memo.len() >= MOST_JOINED {
            return Err(Unproved::Limit(
                "the sets are too many to be joined".to_owned(),
            ));
        }
        if self.memo.len().is_multiple_of(1 << 12) {
            self.budget.check()?;
        }
        let mut by_value: BTreeMap<u32, Vec<(u32, View)>> = BTreeMap::new();
        for &(set, view) in open {
            for (value, child) in self.manager.arcs(view) {
                by_value.entry(value).or_default().push((set, child));
            }
        }
        let mut arcs = Vec::new();
        for (value, children) in by_value {
            if let (Some(&value), Some(child)) = (
                self.values[level].get(&value),
                self.descend(level + 1, &children, leaf)?,
            ) {
                arcs.push((value, child));
            }
        }
        arcs.sort_unstable();
        let made = (!arcs.is_empty()).then(|| self.unique[level].node(&arcs));
        self.memo.insert(open.to_vec(), made);
        Ok(made)
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

/// The parts of a formula without temporal operators, smaller ones first; none if there are some.
fn without_time(formulas: &Formulas, f: Id) -> Option<Vec<Id>> {
    let (mut found, mut open) = (BTreeSet::new(), vec![f]);
    while let Some(g) = open.pop() {
        if !found.insert(g) {
            continue;
        }
        match formulas.nodes[g] {
            Node::True | Node::False | Node::Atom(_) | Node::NotAtom(_) => {}
            Node::And(h, k) | Node::Or(h, k) => open.extend([h, k]),
            _ => return None,
        }
    }
    Some(found.into_iter().collect())
}

/// Which parts of a formula without temporal operators a letter satisfies, by their places in the list.
fn truths(formulas: &Formulas, parts: &[Id], letter: u64) -> Vec<usize> {
    let bit = |a: usize| letter >> a & 1 == 1;
    let mut holds: FxHashMap<Id, bool> = FxHashMap::default();
    for &f in parts {
        let value = match formulas.nodes[f] {
            Node::True => true,
            Node::Atom(a) => bit(a),
            Node::NotAtom(a) => !bit(a),
            Node::And(g, h) => holds[&g] && holds[&h],
            Node::Or(g, h) => holds[&g] || holds[&h],
            _ => false,
        };
        holds.insert(f, value);
    }
    (0..parts.len()).filter(|&i| holds[&parts[i]]).collect()
}
