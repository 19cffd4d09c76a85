//! Steps that can be seen: a formula over `fires(t)` becomes one over states.
//!
//! A bit that a transition toggles whenever it fires changes exactly there, so `fires(t)` is `b xor X b`. A dead end that
//! repeats itself toggles nothing. Transitions that the same atoms speak of are a class, and have a code: the bits that
//! they toggle. So k classes take log2(k + 1) bits, and those that no atom speaks of stay as they are.
//!
//! The new model has the same runs, each with the bits that it determines; so formulas of LTL and CTL* hold in the one as
//! in the other. Runs are lifted, and certified on the model that was given, where `fires` is read off the steps.

use std::collections::BTreeMap;

use dalsegno_kripke::{Budget, GroupId, Lift, Predicate, Relation, Source, VarId, with_toggles};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use dalsegno_models::petri::toggles;

use crate::problem::Problem;
use crate::question::{Property, Question};

/// Sets of groups whose steps are observed, ascending.
pub(crate) type Watched = Vec<Vec<GroupId>>;

/// The sets that the atoms of a property speak of.
pub(crate) fn watched(property: &Property) -> Watched {
    let mut sets: Watched = property.fires.iter().map(|(_, g)| g.clone()).collect();
    sets.sort();
    sets.dedup();
    sets
}

/// A problem whose states show the steps of some sets of groups.
pub(crate) struct Shown {
    pub(crate) problem: Problem,
    /// From its model back to that of the problem it was made from.
    pub(crate) lift: Lift,
    watched: Watched,
    /// The states where each bit is set.
    bits: Vec<Predicate>,
    /// For each code but 0, the sets of its class.
    classes: BTreeMap<u64, Vec<usize>>,
}

impl Shown {
    /// A problem with bits for these sets; none if it would be too large.
    pub(crate) fn new(problem: &Problem, watched: Watched, budget: &Budget) -> Option<Self> {
        let model = problem.model();
        let mut sets_of: Vec<Vec<usize>> = vec![Vec::new(); model.groups().len()];
        for (i, groups) in watched.iter().enumerate() {
            for group in groups {
                sets_of[group.index()].push(i);
            }
        }
        let mut codes: BTreeMap<&[usize], u64> = BTreeMap::new();
        codes.extend(sets_of.iter().map(|sets| (&**sets, 0)));
        codes.remove(&[][..]);
        let width = (codes.len() as u64 + 1).next_power_of_two().ilog2();
        // A transition has a copy per value of its bits: few bits first.
        let mut numbers: Vec<u64> = (1..1 << width).collect();
        numbers.sort_by_key(|code| code.count_ones());
        for (code, number) in codes.values_mut().zip(numbers) {
            *code = number;
        }
        let toggled: Vec<u64> = sets_of
            .iter()
            .map(|sets| codes.get(&**sets).copied().unwrap_or(0))
            .collect();
        let classes = codes.iter().map(|(sets, code)| (*code, sets.to_vec()));
        let classes = classes.collect();
        let count = model.variables().len() as u32;
        let bit = |variable: u32| Predicate::single(VarId(variable), Relation::Ge, 1);
        let (shown, lift, bits) = if let Some(net) = problem.net() {
            let (net, origins) = toggles::with_toggles(net, width as usize, &toggled).ok()?;
            let variables = model.variable_ids().map(Source::Variable).collect();
            let lift = Lift::renaming(variables, origins, model.groups().len());
            let bits = (0..width).map(|i| bit(count + 2 * i + 1)).collect();
            (Problem::of_net(net, budget), lift, bits)
        } else {
            let names: Vec<String> = (0..width).map(|i| format!("bit {i}")).collect();
            let (model, lift) = with_toggles(model, &names, &toggled).ok()?;
            let bits = (0..width).map(|i| bit(count + i)).collect();
            (Problem::of_model(model), lift, bits)
        };
        Some(Shown {
            problem: shown,
            lift,
            watched,
            bits,
            classes,
        })
    }

    /// The same question without atoms of steps, of the problem whose states show them. A formula of LTL is asked as a
    /// universal one.
    pub(crate) fn question(&self, store: &mut FormulaStore, question: &Question) -> Question {
        match question {
            Question::Linear(property) => Question::Linear(self.property(store, property)),
            Question::Branching(property) => Question::Branching(self.property(store, property)),
            other => other.clone(),
        }
    }

    fn property(&self, store: &mut FormulaStore, property: &Property) -> Property {
        let copies = |group: GroupId| self.lift.groups_of(group).to_vec();
        let mut atoms: Vec<(PropId, Predicate)> = Vec::new();
        for (p, meaning) in &property.atoms {
            atoms.push((*p, meaning.with_groups(&copies)));
        }
        // Bit i changes with this step.
        let mut changes: Vec<FormulaId> = Vec::new();
        for (i, meaning) in self.bits.iter().enumerate() {
            let bit = store.atom(&format!("bit {i} of the steps"));
            let p = store.propositions(bit)[0];
            atoms.push((p, meaning.clone()));
            let after = store.next(bit);
            changes.push(store.xor(bit, after));
        }
        let formula = store.substitute(property.formula, |store, p| {
            let mut fires = property.fires.iter();
            match fires.find(|(q, _)| *q == p) {
                Some((_, groups)) => self.fires(store, groups, &changes),
                None => store.atom_of(p),
            }
        });
        Property {
            formula,
            atoms,
            fires: Vec::new(),
            dead_ends: property.dead_ends,
            existential: false,
            fairness: property.fairness.with_groups(copies),
        }
    }

    /// That one of some groups fires.
    fn fires(
        &self,
        store: &mut FormulaStore,
        groups: &[GroupId],
        changes: &[FormulaId],
    ) -> FormulaId {
        let set = self.watched.iter().position(|known| known == groups);
        let set = set.expect("all sets are watched");
        let mut cases = Vec::new();
        for (&code, sets) in &self.classes {
            if sets.contains(&set) {
                let mut parts = Vec::new();
                for (bit, value) in self.telling_bits(code) {
                    let change = changes[bit];
                    parts.push(if value { change } else { store.not(change) });
                }
                cases.push(store.and(parts));
            }
        }
        store.or(cases)
    }

    /// Bits that tell a code from all others, with their values.
    fn telling_bits(&self, code: u64) -> Vec<(usize, bool)> {
        let mut kept: Vec<usize> = (0..self.bits.len()).collect();
        for bit in 0..self.bits.len() {
            let mask: u64 = kept.iter().filter(|&&b| b != bit).map(|b| 1 << b).sum();
            let mut others = self.classes.keys().chain([&0]).filter(|&&c| c != code);
            if others.all(|other| (other ^ code) & mask != 0) {
                kept.retain(|&b| b != bit);
            }
        }
        kept.iter().map(|&b| (b, code >> b & 1 == 1)).collect()
    }
}
