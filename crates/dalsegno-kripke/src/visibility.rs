//! Which groups can change which propositions, and which groups do not mind each other.
//!
//! Both are decided on what groups declare, never by looking at states. A group that changes no
//! observed proposition is *invisible*; groups that are *independent* commute and keep each other
//! enabled.

use crate::model::{Group, GroupId, Model, VarId};
use crate::predicate::{Compare, Predicate};

/// A matrix of bits, row by row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitMatrix {
    words: usize,
    columns: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    /// A matrix of zeros.
    #[must_use]
    pub fn new(rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(64);
        BitMatrix {
            words,
            columns,
            bits: vec![0; rows * words],
        }
    }

    /// Whether a bit is set.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> bool {
        debug_assert!(column < self.columns);
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 == 1
    }

    /// Sets a bit.
    #[inline]
    pub fn set(&mut self, row: usize, column: usize) {
        debug_assert!(column < self.columns);
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    /// A row: bit `i % 64` of word `i / 64` for column `i`.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }

    /// The columns whose bit is set in a row, ascending.
    pub fn ones(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.row(row).iter().enumerate();
        words.flat_map(|(i, &word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|&w| w != 0);
            let first = Some(word).filter(|&w| w != 0);
            std::iter::successors(first, rest).map(move |w| i * 64 + w.trailing_zeros() as usize)
        })
    }
}

/// Which groups can change which propositions: a row per group, a column per proposition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visibility(BitMatrix);

impl Visibility {
    /// The visibility of `propositions`; takes groups times comparisons. Sets of groups cost only what
    /// their guards do, once.
    #[must_use]
    pub fn new(model: &Model, propositions: &[Predicate]) -> Self {
        let mut matrix = BitMatrix::new(model.groups().len(), propositions.len());
        for (i, proposition) in propositions.iter().enumerate() {
            let mut guards = vec![false; model.variables().len()];
            let mut compares = Vec::new();
            collect(proposition, model, &mut guards, &mut compares);
            for (id, group) in model.group_ids().zip(model.groups()) {
                if group.writes().iter().any(|v| guards[v.index()])
                    || compares.iter().any(|compare| compare.touched_by(group))
                {
                    matrix.set(id.index(), i);
                }
            }
        }
        Visibility(matrix)
    }

    /// Whether a group can change a proposition.
    #[inline]
    #[must_use]
    pub fn can_change(&self, group: GroupId, proposition: usize) -> bool {
        self.0.get(group.index(), proposition)
    }

    /// Whether a group can change some proposition.
    #[must_use]
    pub fn is_visible(&self, group: GroupId) -> bool {
        self.0.row(group.index()).iter().any(|&word| word != 0)
    }

    /// The propositions that a group can change, as bits; see [`BitMatrix::row`].
    #[inline]
    #[must_use]
    pub fn changed_by(&self, group: GroupId) -> &[u64] {
        self.0.row(group.index())
    }
}

/// Marks the variables in guards that a proposition speaks of, and lists its comparisons.
fn collect<'p>(
    proposition: &'p Predicate,
    model: &Model,
    guards: &mut [bool],
    compares: &mut Vec<&'p Compare>,
) {
    let mut mark = |group: &Group| {
        for v in group.guard() {
            guards[v.index()] = true;
        }
    };
    match proposition {
        Predicate::True | Predicate::False => {}
        Predicate::Compare(compare) => compares.push(compare),
        Predicate::Enabled(groups) => groups.iter().for_each(|&g| mark(model.group(g))),
        Predicate::DeadEnd => model.groups().iter().for_each(mark),
        Predicate::Not(inner) => collect(inner, model, guards, compares),
        Predicate::And(parts) | Predicate::Or(parts) => {
            for part in parts {
                collect(part, model, guards, compares);
            }
        }
        Predicate::Circuit(circuit) => {
            for leaf in circuit.leaves() {
                collect(leaf, model, guards, compares);
            }
        }
    }
}

/// Whether firing `first` can make `second`, enabled before, disabled.
///
/// Between two linear groups: `first` takes from what `second` needs, or adds to what inhibits
/// `second`. Otherwise: `first` writes what decides about `second`.
#[must_use]
pub fn can_disable(model: &Model, first: GroupId, second: GroupId) -> bool {
    affects(model.group(first), model.group(second), |n| n < 0)
}

/// Whether firing `first` can make `second`, disabled before, enabled.
#[must_use]
pub fn can_enable(model: &Model, first: GroupId, second: GroupId) -> bool {
    affects(model.group(first), model.group(second), |n| n > 0)
}

fn affects(first: &Group, second: &Group, on_pre: impl Fn(i64) -> bool) -> bool {
    match (first.as_linear(), second.as_linear()) {
        (Some(effect), Some(guard)) => {
            guard.pre().iter().any(|&(v, _)| on_pre(effect.effect(v)))
                || guard
                    .inhibit()
                    .iter()
                    .any(|&(v, _)| on_pre(-effect.effect(v)))
        }
        _ => intersect(first.writes(), &second.guard()),
    }
}

/// Whether two groups are independent: where both are enabled, neither disables the other, and
/// firing them in either order leads to the same states.
///
/// Constant effects commute, so two linear groups need only not disable each other. For other
/// groups neither may write what the other reads or writes.
#[must_use]
pub fn independent(model: &Model, a: GroupId, b: GroupId) -> bool {
    let (first, second) = (model.group(a), model.group(b));
    if first.as_linear().is_some() && second.as_linear().is_some() {
        return !can_disable(model, a, b) && !can_disable(model, b, a);
    }
    !intersect(first.writes(), second.reads())
        && !intersect(first.writes(), second.writes())
        && !intersect(second.writes(), first.reads())
}

/// The groups that are not [`independent`] of each other, as a symmetric matrix.
///
/// Only pairs that share a variable are looked at; the matrix itself has a bit per pair, so mind
/// its size for nets of tens of thousands of groups.
#[must_use]
pub fn dependence(model: &Model) -> BitMatrix {
    let count = model.groups().len();
    let mut matrix = BitMatrix::new(count, count);
    let mut users: Vec<Vec<GroupId>> = vec![Vec::new(); model.variables().len()];
    let mut writers = users.clone();
    for id in model.group_ids() {
        let group = model.group(id);
        for v in group.reads().iter().chain(group.writes()) {
            if users[v.index()].last() != Some(&id) {
                users[v.index()].push(id);
            }
        }
        for v in group.writes() {
            writers[v.index()].push(id);
        }
    }
    for (writers, users) in writers.iter().zip(&users) {
        for &a in writers {
            for &b in users {
                if !matrix.get(a.index(), b.index()) && !independent(model, a, b) {
                    matrix.set(a.index(), b.index());
                    matrix.set(b.index(), a.index());
                }
            }
        }
    }
    matrix
}

/// Lists of variables are short, and not all are sorted.
fn intersect(a: &[VarId], b: &[VarId]) -> bool {
    a.iter().any(|v| b.contains(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Linear, Relation, Table, Variable};

    /// x -> y, y -> z, a producer of z, one that x inhibits, a table on z.
    fn model() -> Model {
        let [x, y, z] = [VarId(0), VarId(1), VarId(2)];
        let linear = |name: &str, pre: &[(VarId, u32)], inhibit: &[(VarId, u32)], delta: &[_]| {
            let linear = Linear::new(pre.to_vec(), inhibit.to_vec(), delta.to_vec());
            Group::linear(name, linear.unwrap())
        };
        let groups = vec![
            linear("xy", &[(x, 1)], &[], &[(x, -1), (y, 1)]),
            linear("yz", &[(y, 1)], &[], &[(y, -1), (z, 1)]),
            linear("z", &[], &[], &[(z, 1)]),
            linear("no x", &[], &[(x, 1)], &[(x, 1)]),
            Group::table("rows", vec![z], vec![z], Table::new(1, 1)),
        ];
        let variables = ["x", "y", "z"].map(|name| Variable {
            name: name.to_owned(),
            bounds: Bounds::UNKNOWN,
        });
        Model::new("m", variables.into(), vec![vec![1, 0, 0]], groups).unwrap()
    }

    #[test]
    fn independence_is_the_petri_notion_where_effects_are_constant() {
        let model = model();
        let [xy, yz, z, no_x, rows] = [0, 1, 2, 3, 4].map(GroupId);
        assert!(independent(&model, xy, yz), "adding to y disables nothing");
        assert!(independent(&model, yz, z), "additions commute");
        assert!(can_enable(&model, xy, yz) && !can_disable(&model, xy, yz));
        assert!(can_enable(&model, xy, no_x) && !can_enable(&model, no_x, no_x));
        assert!(can_disable(&model, no_x, no_x));
        assert!(independent(&model, xy, no_x));
        assert!(!independent(&model, rows, z) && independent(&model, rows, xy));

        let matrix = dependence(&model);
        for a in model.group_ids() {
            for b in model.group_ids() {
                let expected = !independent(&model, a, b);
                assert_eq!(matrix.get(a.index(), b.index()), expected, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn visible_groups_are_those_that_change_something() {
        let model = model();
        let y = Predicate::single(VarId(1), Relation::Ge, 1);
        let z = Predicate::single(VarId(2), Relation::Ge, 1);
        let visibility = Visibility::new(&model, &[y, z]);
        let changed = model.group_ids().map(|g| visibility.changed_by(g)[0]);
        assert_eq!(changed.collect::<Vec<_>>(), [0b01, 0b11, 0b10, 0, 0b10]);
        assert!(!visibility.is_visible(GroupId(3)) && visibility.can_change(GroupId(1), 0));
    }

    #[test]
    fn visibility_is_what_touches_says() {
        let model = model();
        let y = Predicate::single(VarId(1), Relation::Ge, 1);
        let enabled = |g| Predicate::Enabled(vec![GroupId(g)]);
        let mut propositions: Vec<Predicate> = (0..5).map(enabled).collect();
        propositions.push(Predicate::DeadEnd);
        propositions.push(Predicate::Not(Box::new(Predicate::Or(vec![y, enabled(3)]))));
        let visibility = Visibility::new(&model, &propositions);
        for group in model.group_ids() {
            for (i, proposition) in propositions.iter().enumerate() {
                let touched = proposition.touches(&model, group);
                assert_eq!(visibility.can_change(group, i), touched, "{group:?} {i}");
            }
        }
    }

    #[test]
    fn ones_lists_the_set_columns() {
        let mut matrix = BitMatrix::new(2, 130);
        for column in [0, 63, 64, 129] {
            matrix.set(1, column);
        }
        assert_eq!(matrix.ones(1).collect::<Vec<_>>(), [0, 63, 64, 129]);
        assert_eq!(matrix.ones(0).count(), 0);
    }
}
