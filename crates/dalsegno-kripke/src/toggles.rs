//! Models that show which steps they take: bits that some groups toggle.
//!
//! The state of a model does not tell how it was reached. A bit that a group toggles whenever it fires does: the group
//! fires where the bit changes, and a testing automaton sees it as a change. A group may toggle several bits, so that few
//! bits tell many groups apart; groups that toggle none stay as they are.
//!
//! A group with a constant effect becomes one per value of its bits; tables get more rows, functions a wrapper. Cost:
//! states times 2^bits at most; copies of a linear group or rows of a table times 2^(bits that it toggles).

use std::sync::Arc;

use crate::action::{Action, InPlace, Linear, Opaque, Undefined};
use crate::bounds::Bounds;
use crate::cases::Cases;
use crate::lift::{Lift, Source};
use crate::model::{Group, Model, ModelError, VarId, Variable};
use crate::table::Table;
use crate::values::Values;

/// The model with more variables, each 0 or 1 and 0 in the beginning: `bits` are their names, and a group toggles those
/// whose bits are set in its entry of `toggled`. States and steps of the new model are lifted to those of the old one.
///
/// # Errors
/// If the model becomes too large.
///
/// # Panics
/// If there is not one entry per group, or an entry speaks of other bits.
pub fn with_toggles(
    model: &Model,
    bits: &[String],
    toggled: &[u64],
) -> Result<(Model, Lift), ModelError> {
    assert_eq!(toggled.len(), model.groups().len(), "an entry per group");
    let first = model.variables().len() as u32;
    let variable = |mask: u64| -> Vec<VarId> {
        let bits = (0..64).filter(|bit| mask >> bit & 1 == 1);
        bits.map(|bit| VarId(first + bit)).collect()
    };
    let mut variables = model.variables().to_vec();
    variables.extend(bits.iter().map(|name| Variable {
        name: name.clone(),
        bounds: Bounds::proved(1),
    }));
    let mut groups = Vec::new();
    let mut origins = Vec::new();
    for ((id, group), &mask) in model.group_ids().zip(model.groups()).zip(toggled) {
        let bits = variable(mask);
        match group.action() {
            _ if bits.is_empty() => groups.push(group.clone()),
            Action::Linear(linear) => {
                for values in 0..1_u64 << bits.len() {
                    groups.push(linear_copy(group.name(), linear, &bits, values));
                }
            }
            Action::Table(table) => groups.push(more_rows(group, table, &bits)),
            Action::Opaque(function) => groups.push(wrapped(group, function, bits)),
        }
        origins.resize(groups.len(), id);
    }
    let initial = model.initial().iter().map(|state| {
        let mut state = state.clone();
        state.resize(variables.len(), 0);
        state
    });
    let values = model.variable_ids().map(|v| model.values(v).clone());
    let values = values.chain(bits.iter().map(|_| Values::default()));
    let lift = Lift::renaming(
        model.variable_ids().map(Source::Variable).collect(),
        origins,
        model.groups().len(),
    );
    let (initial, values) = (initial.collect(), values.collect());
    let toggling = Model::new(model.name(), variables, initial, groups)?;
    Ok((toggling.with_values(values), lift))
}

/// A linear group where bit `i` of `values` is the value of the variable `bits[i]`, which changes.
fn linear_copy(name: &str, linear: &Linear, bits: &[VarId], values: u64) -> Group {
    let mut pre = linear.pre().to_vec();
    let mut inhibit = linear.inhibit().to_vec();
    let mut delta = linear.delta().to_vec();
    for (i, &bit) in bits.iter().enumerate() {
        if values >> i & 1 == 1 {
            pre.push((bit, 1));
            delta.push((bit, -1));
        } else {
            inhibit.push((bit, 1));
            delta.push((bit, 1));
        }
    }
    let linear = Linear::new(pre, inhibit, delta).expect("a bit that is taken is there");
    Group::linear(name, linear)
}

fn with_bits(variables: &[VarId], bits: &[VarId]) -> Vec<VarId> {
    variables.iter().chain(bits).copied().collect()
}

fn more_rows(group: &Group, table: &Table, bits: &[VarId]) -> Group {
    let (reads, writes) = (
        with_bits(group.reads(), bits),
        with_bits(group.writes(), bits),
    );
    let mut rows = Table::new(reads.len(), writes.len());
    for row in 0..table.len() {
        for values in 0..1_u64 << bits.len() {
            let bit = |i: usize| (values >> i & 1) as u32;
            let before = (0..bits.len()).map(|i| Some(bit(i)));
            let after = (0..bits.len()).map(|i| Some(1 - bit(i)));
            let pattern: Vec<_> = table.pattern(row).iter().copied().chain(before).collect();
            let written: Vec<_> = table.values(row).iter().copied().chain(after).collect();
            rows.push(&pattern, &written);
        }
    }
    Group::table(group.name(), reads, writes, rows)
}

fn wrapped(group: &Group, function: &Arc<dyn Opaque + Send + Sync>, bits: Vec<VarId>) -> Group {
    let (reads, writes) = (
        with_bits(group.reads(), &bits),
        with_bits(group.writes(), &bits),
    );
    let toggling = Toggling {
        function: Arc::clone(function),
        reads: group.reads().len(),
        writes: group.writes().len(),
        bits,
    };
    Group::opaque(group.name(), reads, writes, Arc::new(toggling))
}

/// A function that also toggles bits, which come last among what it reads and writes.
#[derive(Debug)]
struct Toggling {
    function: Arc<dyn Opaque + Send + Sync>,
    reads: usize,
    writes: usize,
    bits: Vec<VarId>,
}

impl Opaque for Toggling {
    fn enabled(&self, read: &[u32]) -> bool {
        self.function.enabled(&read[..self.reads])
    }

    fn needs(&self) -> Option<(usize, u32)> {
        self.function.needs()
    }

    fn in_place(&self) -> Option<&dyn InPlace> {
        self.function.in_place().is_some().then_some(self)
    }

    fn cases(&self) -> Option<Cases> {
        let mut cases = self.function.cases()?;
        let mut rows = Table::new(1, 1);
        rows.push(&[Some(0)], &[Some(1)]);
        rows.push(&[Some(1)], &[Some(0)]);
        for product in &mut cases.steps {
            for &bit in &self.bits {
                let toggle = Group::table("toggle", vec![bit], vec![bit], rows.clone());
                product.push(toggle);
            }
        }
        Some(cases)
    }

    fn successors(
        &self,
        read: &[u32],
        write: &mut [u32],
        emit: &mut dyn FnMut(&[u32]),
    ) -> Result<(), Undefined> {
        let mut all = write.to_vec();
        for (value, bit) in all[self.writes..].iter_mut().zip(&read[self.reads..]) {
            *value = 1 - bit;
        }
        let mut both = |values: &[u32]| {
            all[..self.writes].copy_from_slice(values);
            emit(&all);
        };
        let write = &mut write[..self.writes];
        self.function
            .successors(&read[..self.reads], write, &mut both)
    }
}

impl InPlace for Toggling {
    fn enabled_in(&self, state: &[u32]) -> bool {
        let function = self.function.in_place();
        function.is_some_and(|function| function.enabled_in(state))
    }

    fn fire_in(&self, state: &[u32], next: &mut [u32]) -> Result<bool, Undefined> {
        let Some(function) = self.function.in_place() else {
            return Ok(false);
        };
        let fired = function.fire_in(state, next)?;
        if fired {
            for bit in &self.bits {
                next[bit.index()] = 1 - state[bit.index()];
            }
        }
        Ok(fired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GroupId;
    use crate::step::Scratch;
    use crate::step::tests::Below;

    #[test]
    fn a_step_toggles_its_bits_and_is_lifted() {
        let x = VarId(0);
        let mut table = Table::new(1, 1);
        table.push(&[Some(0)], &[Some(2)]);
        table.push(&[None], &[Some(1)]);
        let groups = vec![
            Group::linear(
                "up",
                Linear::new(vec![], vec![(x, 2)], vec![(x, 1)]).unwrap(),
            ),
            Group::table("set", vec![x], vec![x], table),
            Group::opaque("below", vec![x], vec![x], Arc::new(Below)),
            Group::linear("idle", Linear::default()),
        ];
        let variable = Variable {
            name: "x".to_owned(),
            bounds: Bounds::UNKNOWN,
        };
        let model = Model::new("m", vec![variable], vec![vec![1]], groups).unwrap();
        let bits = ["a", "b"].map(str::to_owned);
        let toggled = [0b01, 0b10, 0b11, 0];
        let (toggling, lift) = with_toggles(&model, &bits, &toggled).unwrap();
        assert_eq!(toggling.groups().len(), 5, "`up` has two copies");
        let mut scratch = Scratch::default();
        for state in 0..12_u32 {
            let (x, a, b) = (state / 4, state / 2 % 2, state % 2);
            let mut expected = Vec::new();
            let visit = |g: GroupId, next: &[u32]| {
                let mask = toggled[g.index()] as u32;
                expected.push((g, vec![next[0], a ^ (mask & 1), b ^ (mask >> 1)]));
            };
            model.successors(&[x], &mut scratch, visit).unwrap();
            let mut found = Vec::new();
            let visit = |g: GroupId, next: &[u32]| found.push((lift.groups(g)[0], next.to_vec()));
            toggling
                .successors(&[x, a, b], &mut scratch, visit)
                .unwrap();
            assert_eq!(found, expected, "from {x}");
            for g in model.group_ids() {
                let mut copies = lift.groups_of(g).iter();
                let enabled = copies.any(|&copy| toggling.enabled(copy, &[x, a, b]));
                assert_eq!(enabled, model.enabled(g, &[x]));
            }
        }
    }
}
