//! Fair runs: emptiness and lassos where groups are treated fairly.
//!
//! Kesten, Pnueli and Raviv's FEASIBLE (ICALP 1998), forward as P14 Fig. 2 has it: reachable states are cut down to those
//! that follow a step with mark f, for every f; that follow a step which a weakly fair set asks for, one of the set or
//! one from a state where it is disabled; and, of the states where a strongly fair set is enabled, to those that follow a
//! step of the set. When nothing changes any more, a component that no other leads to has all that it needs, and
//! if there is none, nothing is left.
//!
//! A lasso goes to such a component and round in it: from step to step that is still missing, each way a shortest one.
//! Steps are those of the model, those that leave a testing automaton where it is too: whatever saturation skips is
//! reachability, and what is counted here are single steps.
//!
//! Cost: as many images and closures per round as there are marks and sets; a round loses a state.

use dalsegno_automata::Marks;
use dalsegno_kripke::{FairSet, Fairness, Lasso, Predicate, Run, Step, Strength};
use dalsegno_mdd::{Relation, Set, Stop};

use super::components::Component;
use super::lasso::{ProductEdge, ProductState, Walk};
use super::product::Product;
use super::product_set::ProductSet;

/// A fair set with its steps and the reachable states where it is enabled.
pub(super) struct SymbolicFairSet {
    set: FairSet,
    relations: Vec<Relation>,
    enabled: Set,
}

/// A step that a fair cycle has to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Need {
    /// One with these marks.
    Marks(Marks),
    /// One of this set, or where that is weakly fair one from a state where it is disabled.
    Fair(usize),
}

impl Product<'_> {
    /// Only runs that are fair count.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn fair(mut self, fairness: &Fairness) -> Result<Self, dalsegno_kripke::Stop> {
        for set in fairness.sets() {
            let enabled = self.select(&Predicate::Enabled(set.groups.clone()))?;
            let encoding = self.encoding();
            let relations = set.groups.iter();
            let relations = relations.flat_map(|&g| encoding.relations_of(g).to_vec());
            let relations = relations.collect();
            self.fairness.push(SymbolicFairSet {
                set: set.clone(),
                relations,
                enabled,
            });
        }
        Ok(self)
    }

    /// The states behind a fair accepting cycle of a component, among states that are closed under its steps.
    pub(super) fn behind_fair_cycles(
        &mut self,
        mut nodes: ProductSet,
        component: &Component,
    ) -> Result<ProductSet, Stop> {
        let mut needs: Vec<Need> = self.each_mark().into_iter().map(Need::Marks).collect();
        let (weak, strong) = self.sets_by_strength();
        needs.extend(weak.into_iter().map(Need::Fair));
        // Following a step again and again is following a cycle; otherwise that has to be asked for.
        let trims = needs.is_empty();
        loop {
            let before = nodes.clone();
            for &need in &needs {
                let next = self.image_by(&nodes, need)?;
                let next = next.intersection(self.manager(), &nodes)?;
                nodes = self.reach_within(&next, &nodes)?;
            }
            for &set in &strong {
                let next = self.image_by(&nodes, Need::Fair(set))?;
                let next = next.intersection(self.manager(), &nodes)?;
                let mut left = self.reach_within(&next, &nodes)?;
                let disabled = self.where_disabled(&nodes, set)?;
                for (key, part) in disabled.iter() {
                    left.add(self.manager(), key, part)?;
                }
                nodes = left;
            }
            if trims {
                nodes = self.trim(nodes, component)?;
            }
            if nodes == before || nodes.is_empty() {
                return Ok(nodes);
            }
        }
    }

    /// A run to a fair accepting cycle and along it, which there is among these states.
    pub(super) fn fair_lasso(
        &mut self,
        start: &[ProductState],
        reached: &ProductSet,
        nodes: &ProductSet,
    ) -> Result<Run, Stop> {
        let core = self.first_component(nodes)?;
        let (stem, entry) = self.walk(start, &core, reached)?;
        let mut missing = self.needs_of(&core)?;
        let mut cycle = Walk::new();
        let mut at = entry.clone();
        while let Some(&need) = missing.first() {
            let before = self.preimage_by(&core, need, &core)?;
            let (walk, end) = self.walk(std::slice::from_ref(&at), &before, &core)?;
            let edge = self.edge_by(&end, need, &core);
            let marks = edge.marks;
            let last = Step {
                state: end.state,
                group: edge.group,
            };
            missing.retain(|&other| {
                let known = match other {
                    Need::Marks(mark) => marks.contains(mark),
                    Need::Fair(_) => walk.iter().chain([&last]).any(|s| self.is_met(other, s)),
                };
                other != need && !known
            });
            cycle.extend(walk);
            cycle.push(last);
            at = edge.target;
        }
        let one = self.single(&entry)?;
        let (walk, _) = self.walk(&[at], &one, &core)?;
        cycle.extend(walk);
        Ok(Lasso::new(stem, cycle))
    }

    /// A component that no other one leads to.
    fn first_component(&mut self, nodes: &ProductSet) -> Result<ProductSet, Stop> {
        let mut candidates = nodes.clone();
        loop {
            let pivot = self.pick(&candidates)?.expect("something leads there");
            let above = self.leads_to(&pivot, nodes)?;
            let component = self.reach_within(&pivot, &above)?;
            candidates = above.difference(self.manager(), &component)?;
            if candidates.is_empty() {
                return Ok(component);
            }
        }
    }

    /// What a fair cycle through all of a component has to have.
    fn needs_of(&mut self, core: &ProductSet) -> Result<Vec<Need>, Stop> {
        let (weak, strong) = self.sets_by_strength();
        let mut needs: Vec<Need> = self.each_mark().into_iter().map(Need::Marks).collect();
        needs.extend(weak.into_iter().map(Need::Fair));
        for set in strong {
            if self.where_disabled(core, set)? != *core {
                needs.push(Need::Fair(set));
            }
        }
        if needs.is_empty() {
            needs.push(Need::Marks(Marks::NONE));
        }
        Ok(needs)
    }

    fn sets_by_strength(&self) -> (Vec<usize>, Vec<usize>) {
        let sets = 0..self.fairness.len();
        sets.partition(|&i| self.fairness[i].set.strength == Strength::Weak)
    }

    fn is_weak(&self, set: usize) -> bool {
        self.fairness[set].set.strength == Strength::Weak
    }

    /// Whether a step meets what is asked for.
    fn is_met(&mut self, need: Need, step: &Step) -> bool {
        let Need::Fair(set) = need else {
            return false;
        };
        let model = std::sync::Arc::clone(self.encoding().model());
        let fair = &self.fairness[set].set;
        fair.fires(step.group) || (self.is_weak(set) && !fair.is_enabled(&model, &step.state))
    }

    /// The states where a set is disabled.
    fn where_disabled(&mut self, nodes: &ProductSet, set: usize) -> Result<ProductSet, Stop> {
        let enabled = self.fairness[set].enabled.clone();
        let mut found = ProductSet::default();
        for (key, part) in nodes.iter() {
            found.set(key, self.manager().difference(part, &enabled)?);
        }
        Ok(found)
    }

    /// The states one step after these, by steps that meet a need.
    fn image_by(&mut self, nodes: &ProductSet, need: Need) -> Result<ProductSet, Stop> {
        let set = match need {
            Need::Marks(marks) => return self.image(nodes, marks),
            Need::Fair(set) => set,
        };
        let mut image = ProductSet::default();
        if self.is_weak(set) {
            let disabled = self.where_disabled(nodes, set)?;
            image = self.image(&disabled, Marks::NONE)?;
        }
        let relations = self.fairness[set].relations.clone();
        for (key, part) in nodes.iter() {
            let targets = self.targets(key, Marks::NONE);
            for &relation in &relations {
                for (letter, after) in self.steps_by(part, key.1, relation)? {
                    for &(to, p) in targets.iter().filter(|(to, _)| *to == letter) {
                        image.add(self.manager(), (p, to), &after)?;
                    }
                }
            }
        }
        Ok(image)
    }

    /// The states of `within` one step before these, by steps that meet a need.
    fn preimage_by(
        &mut self,
        nodes: &ProductSet,
        need: Need,
        within: &ProductSet,
    ) -> Result<ProductSet, Stop> {
        let set = match need {
            Need::Marks(marks) => return self.preimage(nodes, marks, within),
            Need::Fair(set) => set,
        };
        let mut found = ProductSet::default();
        if self.is_weak(set) {
            let disabled = self.where_disabled(within, set)?;
            found = self.preimage(nodes, Marks::NONE, &disabled)?;
        }
        let relations = self.fairness[set].relations.clone();
        for (key, inside) in within.iter() {
            for (letter, q) in self.targets(key, Marks::NONE) {
                let Some(after) = nodes.get((q, letter)).cloned() else {
                    continue;
                };
                for &relation in &relations {
                    let manager = self.manager();
                    let before = manager.preimage(&after, relation)?;
                    let before = manager.intersection(&before, inside)?;
                    found.add(manager, key, &before)?;
                }
            }
        }
        Ok(found)
    }

    /// A step that meets a need from a product state into a set, which there is.
    fn edge_by(&mut self, from: &ProductState, need: Need, into: &ProductSet) -> ProductEdge {
        let edges = self.edges(from);
        let found = edges.into_iter().find(|edge| {
            let step = || Step {
                state: from.state.clone(),
                group: edge.group,
            };
            let meets = match need {
                Need::Marks(marks) => edge.marks.contains(marks),
                Need::Fair(_) => self.is_met(need, &step()),
            };
            meets && self.holds(into, &edge.target)
        });
        found.expect("the sets tell of a step")
    }

    /// The set of one product state.
    fn single(&mut self, node: &ProductState) -> Result<ProductSet, Stop> {
        let vector = self.encoding().vector(&node.state);
        let one = self.manager().singleton(&vector)?;
        let mut found = ProductSet::default();
        found.set(node.key, one);
        Ok(found)
    }
}
