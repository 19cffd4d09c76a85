//! Reachable states as one diagram, and what can be asked of it.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Model, Predicate, Stop, VarId};
use dalsegno_mdd::{Set, Statistics};
use num_bigint::BigUint;

use crate::encode::{EncodeError, Encoding, ValueRanges};
use crate::merge::Merged;
use crate::order::Order;

/// All reachable states of a model.
#[derive(Debug)]
pub struct StateSpace {
    encoding: Encoding,
    reachable: Set,
}

impl StateSpace {
    /// Builds the reachable states by saturation.
    ///
    /// Recursion is as deep as the model has variables: see [`dalsegno_mdd::with_stack`].
    ///
    /// # Errors
    /// See [`EncodeError`].
    pub fn build(model: &Arc<Model>, order: &Order, budget: &Budget) -> Result<Self, EncodeError> {
        Self::try_build(model, order, budget, u64::MAX)
    }

    /// As [`StateSpace::build`], giving up with [`Stop::Time`] after about so many steps of work.
    ///
    /// # Errors
    /// See [`EncodeError`].
    pub fn try_build(
        model: &Arc<Model>,
        order: &Order,
        budget: &Budget,
        steps: u64,
    ) -> Result<Self, EncodeError> {
        let ranges = ValueRanges::new(model, budget)?;
        Self::try_build_with(model, &ranges, order, budget, steps)
    }

    /// As [`StateSpace::try_build`], for a model of which some is known before.
    ///
    /// # Errors
    /// See [`EncodeError`].
    pub fn try_build_with(
        model: &Arc<Model>,
        ranges: &ValueRanges,
        order: &Order,
        budget: &Budget,
        steps: u64,
    ) -> Result<Self, EncodeError> {
        let mut encoding = Encoding::with(model, ranges, order, budget)?;
        encoding.manager().refuel(steps);
        let initial = encoding.initial()?;
        let reached = encoding.reach(&initial);
        encoding.manager().refuel(u64::MAX);
        let reachable = reached?;
        encoding.manager().tidy();
        Ok(StateSpace {
            encoding,
            reachable,
        })
    }

    /// These states as those of the model that the merged one was made of. The sets that were merged
    /// must be [sound](Merged::is_sound).
    #[must_use]
    pub fn seen_as(mut self, original: &Arc<Model>, merged: &Arc<Merged>) -> Self {
        self.encoding.speak_of(original, merged);
        self
    }

    /// The encoding.
    pub fn encoding(&mut self) -> &mut Encoding {
        &mut self.encoding
    }

    /// The reachable states.
    #[must_use]
    pub fn reachable(&self) -> &Set {
        &self.reachable
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        self.encoding.model()
    }

    /// Whether a state is in a set.
    #[must_use]
    pub fn contains(&self, set: &Set, state: &[u32]) -> bool {
        self.encoding.contains(set, state)
    }

    /// The number of reachable states.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn states(&mut self) -> Result<BigUint, Stop> {
        let result = self.encoding.manager().count(&self.reachable);
        self.told(result)
    }

    /// The number of transitions: a state, a group, and a successor by it.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn transitions(&mut self) -> Result<BigUint, Stop> {
        let relations = self.encoding.relations().to_vec();
        let manager = self.encoding.manager();
        let result = manager.count_pairs(&self.reachable, &relations);
        self.told(result)
    }

    /// The reachable states in which a predicate holds.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn select(&mut self, predicate: &Predicate) -> Result<Set, Stop> {
        let guard = self.encoding.guard(predicate);
        let result = self.encoding.manager().select(&self.reachable, guard);
        self.told(result)
    }

    /// A reachable state in which a predicate holds, if there is one.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn find(&mut self, predicate: &Predicate) -> Result<Option<Vec<u32>>, Stop> {
        let guard = self.encoding.guard(predicate);
        let result = self.encoding.manager().find(&self.reachable, guard);
        let found = self.told(result)?;
        Ok(found.map(|vector| self.encoding.state(&vector)))
    }

    /// The number of reachable states that no group leaves.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn dead_ends(&mut self) -> Result<BigUint, Stop> {
        let dead = self.select(&Predicate::DeadEnd)?;
        let result = self.encoding.manager().count(&dead);
        self.told(result)
    }

    /// The least and the greatest sum of these variables in a reachable state.
    ///
    /// A variable that is listed twice counts twice.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn extent(&mut self, sum: impl IntoIterator<Item = VarId>) -> Result<(i64, i64), Stop> {
        let terms: Vec<(i64, VarId)> = sum.into_iter().map(|v| (1, v)).collect();
        let mut weights = vec![None; self.encoding.order().len()];
        for (level, weight) in self.encoding.weights(&terms) {
            weights[level as usize] = Some(weight);
        }
        let weight = |level: u32, value: u32| {
            let weight = weights[level as usize].as_ref();
            weight.map_or(0, |weight| weight.of(value))
        };
        let manager = self.encoding.manager();
        let most = manager.greatest_by(&self.reachable, weight);
        let negative = |level: u32, value: u32| -weight(level, value);
        let both = most.and_then(|most| {
            let least = manager.greatest_by(&self.reachable, negative)?;
            Ok((least.map(|n| -n), most))
        });
        let (least, most) = self.told(both)?;
        Ok((least.unwrap_or(0), most.unwrap_or(0)))
    }

    /// The greatest sum of weights in a reachable state, each encoded variable's weight a function of its
    /// value.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn greatest_by(&mut self, weight: impl Fn(VarId, u32) -> u32) -> Result<i64, Stop> {
        let variables = self.encoding.order().top_down().to_vec();
        let weight = |level: u32, value| i64::from(weight(variables[level as usize], value));
        let result = self.encoding.manager().greatest_by(&self.reachable, weight);
        Ok(self.told(result)?.unwrap_or(0))
    }

    /// The least and the greatest value of each variable.
    ///
    /// # Errors
    /// If the budget ran out.
    ///
    /// # Panics
    /// Never: there is an initial state.
    pub fn ranges(&mut self) -> Result<Vec<(u32, u32)>, Stop> {
        if !self.encoding.is_merged() {
            let result = self.encoding.manager().ranges(&self.reachable);
            let ranges = self.told(result)?.expect("a model has an initial state");
            let level = |v| ranges[self.encoding.order().level_of(v)];
            return Ok(self.encoding.model().variable_ids().map(level).collect());
        }
        let result = self.encoding.manager().values(&self.reachable);
        let values = self.told(result)?.expect("a model has an initial state");
        let range = |v| {
            let (level, stands_for) = self.encoding.level(v);
            let values = &values[level];
            match stands_for {
                Some(value) => {
                    let here = values.binary_search(&value).is_ok();
                    (u32::from(here && values.len() == 1), u32::from(here))
                }
                None => (values[0], values[values.len() - 1]),
            }
        };
        Ok(self.encoding.model().variable_ids().map(range).collect())
    }

    /// The number of nodes of the reachable states.
    ///
    /// # Errors
    /// If the budget ran out.
    pub fn nodes(&mut self) -> Result<usize, Stop> {
        let result = self.encoding.manager().size(&self.reachable);
        self.told(result)
    }

    /// What the manager did so far.
    pub fn statistics(&mut self) -> Statistics {
        self.encoding.manager().statistics()
    }

    fn told<T>(&self, result: Result<T, dalsegno_mdd::Stop>) -> Result<T, Stop> {
        result.map_err(|stop| self.encoding.stop(stop))
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::{Bounds, Group, Linear, Variable};

    use super::*;

    #[test]
    fn a_state_space_goes_to_another_thread_and_outlives_its_model() {
        fn owned<T: Send + 'static>(value: T) -> T {
            value
        }
        let variable = Variable {
            name: "v".to_owned(),
            bounds: Bounds::UNKNOWN,
        };
        let linear = Linear::new(vec![(VarId(0), 1)], vec![], vec![(VarId(0), -1)]);
        let groups = vec![Group::linear("t", linear.unwrap())];
        let model = Model::new("m", vec![variable], vec![vec![3]], groups);
        let model = Arc::new(model.unwrap());
        let space = StateSpace::build(&model, &Order::declared(1), &Budget::unlimited());
        let mut space = owned(space.unwrap());
        drop(model);
        let states = std::thread::spawn(move || space.states()).join();
        assert_eq!(states.unwrap(), Ok(4_u32.into()));
    }
}
