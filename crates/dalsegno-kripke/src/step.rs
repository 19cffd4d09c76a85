//! Steps of a model: which groups are enabled, and what they lead to.
//!
//! Everything works on buffers of the caller; nothing here allocates per state or per transition
//! (an opaque guard that reads more than [`ON_STACK`] variables excepted).

use crate::action::{Action, Fault, Linear};
use crate::model::{GroupId, Model};

/// The most values that are gathered without asking for memory.
const ON_STACK: usize = 64;

/// Buffers for [`Model::successors`], to be kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    next: Vec<u32>,
    read: Vec<u32>,
    write: Vec<u32>,
}

impl Model {
    /// Whether some transition of a group leaves `state`.
    #[must_use]
    pub fn enabled(&self, group: GroupId, state: &[u32]) -> bool {
        let watch = self.watches[group.index()];
        if watch.is_some_and(|(v, low, high)| !(low..=high).contains(&state[v.index()])) {
            return false;
        }
        let group = self.group(group);
        match group.action() {
            Action::Linear(linear) => linear.enabled(state),
            Action::Table(table) => group.index.rows(table, state).next().is_some(),
            Action::Opaque(function) => {
                if let Some(function) = function.in_place() {
                    return function.enabled_in(state);
                }
                let reads = group.reads();
                let values = reads.iter().map(|v| state[v.index()]);
                if reads.len() <= ON_STACK {
                    let mut buffer = [0; ON_STACK];
                    for (slot, value) in buffer.iter_mut().zip(values) {
                        *slot = value;
                    }
                    function.enabled(&buffer[..reads.len()])
                } else {
                    function.enabled(&values.collect::<Vec<_>>())
                }
            }
        }
    }

    /// Whether no transition leaves `state`.
    #[must_use]
    pub fn is_dead_end(&self, state: &[u32]) -> bool {
        self.group_ids().all(|group| !self.enabled(group, state))
    }

    /// Fires a [`Linear`] group: `false` if it is disabled, else the successor is in `out`.
    ///
    /// # Errors
    /// [`Fault::Overflow`] if a value leaves the 32 bits; `out` is then of no use.
    ///
    /// # Panics
    /// If the group is not [`Linear`], or a vector has another length than the model's states.
    pub fn fire(&self, group: GroupId, state: &[u32], out: &mut [u32]) -> Result<bool, Fault> {
        let linear = self.group(group).as_linear();
        let linear = linear.expect("only groups with a constant effect fire one way");
        if !linear.enabled(state) {
            return Ok(false);
        }
        out.copy_from_slice(state);
        add(linear, group, out)?;
        Ok(true)
    }

    /// Calls `visit` for every transition that leaves `state`, in the order of the groups. Rows of
    /// a table that test the same variables keep their order.
    ///
    /// # Errors
    /// The first step that cannot be taken; transitions before it have been visited.
    ///
    /// # Panics
    /// If `state` has another length than the model's states.
    pub fn successors(
        &self,
        state: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(GroupId, &[u32]),
    ) -> Result<(), Fault> {
        scratch.next.clear();
        scratch.next.extend_from_slice(state);
        for (group, watch) in self.group_ids().zip(&self.watches) {
            if watch.is_none_or(|(v, low, high)| (low..=high).contains(&state[v.index()])) {
                self.group_successors(group, state, scratch, &mut visit)?;
            }
        }
        Ok(())
    }

    /// Calls `visit` for every transition of one group that leaves `state`.
    ///
    /// # Errors
    /// As [`Model::successors`].
    ///
    /// # Panics
    /// If `state` has another length than the model's states.
    pub fn successors_by(
        &self,
        group: GroupId,
        state: &[u32],
        scratch: &mut Scratch,
        mut visit: impl FnMut(&[u32]),
    ) -> Result<(), Fault> {
        scratch.next.clear();
        scratch.next.extend_from_slice(state);
        self.group_successors(group, state, scratch, &mut |_, next| visit(next))
    }

    /// `scratch.next` is `state`, before and after.
    fn group_successors(
        &self,
        id: GroupId,
        state: &[u32],
        scratch: &mut Scratch,
        visit: &mut impl FnMut(GroupId, &[u32]),
    ) -> Result<(), Fault> {
        let group = self.group(id);
        let writes = group.writes();
        let next = &mut scratch.next;
        match group.action() {
            Action::Linear(linear) => {
                if linear.enabled(state) {
                    add(linear, id, next)?;
                    visit(id, next);
                    for v in writes {
                        next[v.index()] = state[v.index()];
                    }
                }
            }
            Action::Table(table) => {
                for row in group.index.rows(table, state) {
                    for (v, value) in writes.iter().zip(table.values(row)) {
                        next[v.index()] = value.unwrap_or(state[v.index()]);
                    }
                    visit(id, next);
                    for v in writes {
                        next[v.index()] = state[v.index()];
                    }
                }
            }
            Action::Opaque(function) => {
                let undefined = |u: crate::Undefined| Fault::Undefined {
                    group: id,
                    reason: u.0,
                };
                if let Some(function) = function.in_place() {
                    let fired = function.fire_in(state, next);
                    if fired == Ok(true) {
                        visit(id, next);
                    }
                    if fired != Ok(false) {
                        for v in writes {
                            next[v.index()] = state[v.index()];
                        }
                    }
                    return fired.map(|_| ()).map_err(undefined);
                }
                let gather = |list: &[crate::VarId], into: &mut Vec<u32>| {
                    into.clear();
                    into.extend(list.iter().map(|v| state[v.index()]));
                };
                gather(group.reads(), &mut scratch.read);
                gather(writes, &mut scratch.write);
                let mut emit = |values: &[u32]| {
                    for (v, &value) in writes.iter().zip(values) {
                        next[v.index()] = value;
                    }
                    visit(id, next);
                };
                function
                    .successors(&scratch.read, &mut scratch.write, &mut emit)
                    .map_err(undefined)?;
                for v in writes {
                    next[v.index()] = state[v.index()];
                }
            }
        }
        Ok(())
    }
}

#[inline]
fn add(linear: &Linear, group: GroupId, state: &mut [u32]) -> Result<(), Fault> {
    for &(variable, n) in linear.delta() {
        let value = &mut state[variable.index()];
        *value = u32::try_from(i64::from(*value) + n)
            .map_err(|_| Fault::Overflow { group, variable })?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Bounds, Group, Opaque, Table, Undefined, VarId, Variable};

    /// Counts down to each smaller number; undefined at 7.
    #[derive(Debug)]
    pub(crate) struct Below;

    impl Opaque for Below {
        fn enabled(&self, read: &[u32]) -> bool {
            read[0] > 0
        }

        fn successors(
            &self,
            read: &[u32],
            write: &mut [u32],
            emit: &mut dyn FnMut(&[u32]),
        ) -> Result<(), Undefined> {
            if read[0] == 7 {
                return Err(Undefined("seven"));
            }
            for n in 0..read[0] {
                write[0] = n;
                emit(write);
            }
            Ok(())
        }
    }

    fn model() -> Model {
        let (x, y) = (VarId(0), VarId(1));
        let mut table = Table::new(1, 2);
        table.push(&[Some(2)], &[None, Some(9)]);
        table.push(&[None], &[Some(5), None]);
        let variables = ["x", "y"].map(|name| Variable {
            name: name.to_owned(),
            bounds: Bounds::UNKNOWN,
        });
        let groups = vec![
            Group::linear(
                "t",
                Linear::new(vec![(x, 2)], vec![(y, 3)], vec![(x, -1), (y, 1)]).unwrap(),
            ),
            Group::table("rows", vec![x], vec![x, y], table),
            Group::opaque("below", vec![y], vec![y], Arc::new(Below)),
        ];
        Model::new("m", variables.into(), vec![vec![2, 2]], groups).unwrap()
    }

    #[test]
    fn successors_come_in_declared_order_from_one_buffer() {
        let model = model();
        let mut seen = Vec::new();
        let mut scratch = Scratch::default();
        let visit = |g: GroupId, s: &[u32]| seen.push((g.0, s.to_vec()));
        model.successors(&[2, 2], &mut scratch, visit).unwrap();
        let expected = [
            (0, [1, 3]),
            (1, [2, 9]),
            (1, [5, 2]),
            (2, [2, 0]),
            (2, [2, 1]),
        ];
        assert_eq!(seen, expected.map(|(g, s)| (g, s.to_vec())));
        for group in model.group_ids() {
            let mut count = 0;
            let by = model.successors_by(group, &[1, 0], &mut scratch, |_| count += 1);
            by.unwrap();
            assert_eq!(model.enabled(group, &[1, 0]), count > 0);
        }
        assert!(!model.is_dead_end(&[0, 0]));
    }

    #[test]
    fn what_cannot_be_taken_is_a_fault() {
        let model = model();
        let result = model.successors(&[0, 7], &mut Scratch::default(), |_, _| ());
        let reason = "seven";
        let group = GroupId(2);
        assert_eq!(result, Err(Fault::Undefined { group, reason }));

        let grow = Linear::new(vec![], vec![], vec![(VarId(0), 2)]).unwrap();
        let grow = Model::new(
            "m",
            vec![model.variables()[0].clone()],
            vec![vec![0]],
            vec![Group::linear("t", grow)],
        )
        .unwrap();
        let mut out = [0];
        assert_eq!(grow.fire(GroupId(0), &[u32::MAX - 2], &mut out), Ok(true));
        assert_eq!(out, [u32::MAX]);
        let overflow = Fault::Overflow {
            group: GroupId(0),
            variable: VarId(0),
        };
        assert_eq!(grow.fire(GroupId(0), &out.clone(), &mut out), Err(overflow));
    }

    #[test]
    fn fire_says_whether_the_guard_holds() {
        let model = model();
        let mut out = [0; 2];
        assert_eq!(model.fire(GroupId(0), &[2, 2], &mut out), Ok(true));
        assert_eq!(out, [1, 3]);
        assert_eq!(model.fire(GroupId(0), &[2, 3], &mut out), Ok(false));
    }
}
