//! What a step does to a proposition.
//!
//! A [`Linear`] group has a constant effect δ, so whether `p` holds after firing is a condition on
//! the state before: substitute `x + δ` for `x`. For `Σ c·x op k` that is `Σ c·x op k - Σ c·δ`;
//! guards of other groups are conjunctions of such comparisons; Boolean operators pass it on.
//! A group changes `p` exactly where `p ⊕ wp(p)` holds.

use crate::action::Linear;
use crate::model::{Group, GroupId, Model, VarId};
use crate::predicate::{Compare, Predicate, Relation};
use crate::visibility::{can_disable, can_enable};

impl Predicate {
    /// The set of states from which firing `group` leads into this set.
    ///
    /// It is meant for states where the group is enabled; elsewhere it says nothing. `None` if the
    /// group has no constant effect, or it touches the guard of a group that is no [`Linear`] one.
    #[must_use]
    pub fn weakest_precondition(&self, model: &Model, group: GroupId) -> Option<Predicate> {
        let effect = model.group(group).as_linear()?;
        self.substitute(model, effect)
    }

    fn substitute(&self, model: &Model, effect: &Linear) -> Option<Predicate> {
        let each = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            parts
                .iter()
                .map(|part| part.substitute(model, effect))
                .collect()
        };
        Some(match self {
            Predicate::True => Predicate::True,
            Predicate::False => Predicate::False,
            Predicate::Compare(compare) => {
                let change = change_of_sum(compare.terms(), effect);
                compare.with_constant(i128::from(compare.constant()) - i128::from(change))
            }
            Predicate::Enabled(groups) => enabled_after(model, effect, groups.iter().copied())?,
            Predicate::DeadEnd => enabled_after(model, effect, model.group_ids())?.negate(),
            Predicate::Not(inner) => inner.substitute(model, effect)?.negate(),
            Predicate::And(parts) => Predicate::all(each(parts)?),
            Predicate::Or(parts) => Predicate::any(each(parts)?),
            Predicate::Circuit(circuit) => circuit.map(|leaf| leaf.substitute(model, effect))?,
        })
    }

    /// Whether firing `group` can change this predicate, as far as syntax tells: `false` is
    /// certain, `true` is not.
    #[must_use]
    pub fn touches(&self, model: &Model, group: GroupId) -> bool {
        self.touched_by(model, model.group(group))
    }

    /// Whether firing `group` leaves this predicate as it is wherever its value is `value`, as far as
    /// syntax tells: `true` is certain, `false` is not.
    #[must_use]
    pub fn keeps(&self, model: &Model, group: GroupId, value: bool) -> bool {
        match self {
            Predicate::True | Predicate::False => true,
            Predicate::Compare(compare) => match model.group(group).as_linear() {
                Some(effect) => {
                    let change = change_of_sum(compare.terms(), effect);
                    let towards = match compare.op() {
                        Relation::Le | Relation::Lt => -change,
                        Relation::Ge | Relation::Gt => change,
                        Relation::Eq | Relation::Ne => return change == 0,
                    };
                    if value { towards >= 0 } else { towards <= 0 }
                }
                None => !self.touches(model, group),
            },
            Predicate::Enabled(groups) => groups.iter().all(|&other| {
                if value {
                    !can_disable(model, group, other)
                } else {
                    !can_enable(model, group, other)
                }
            }),
            // No group leaves a dead end.
            Predicate::DeadEnd if value => true,
            Predicate::DeadEnd => {
                let mut others = model.group_ids();
                others.all(|other| !can_disable(model, group, other))
            }
            Predicate::Not(inner) => inner.keeps(model, group, !value),
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().all(|part| part.keeps(model, group, value))
            }
            Predicate::Circuit(_) => !self.touches(model, group),
        }
    }

    fn touched_by(&self, model: &Model, group: &Group) -> bool {
        match self {
            Predicate::True | Predicate::False => false,
            Predicate::Compare(compare) => compare.touched_by(group),
            Predicate::Enabled(groups) => {
                groups.iter().any(|&g| writes_guard(group, model.group(g)))
            }
            Predicate::DeadEnd => model.groups().iter().any(|g| writes_guard(group, g)),
            Predicate::Not(inner) => inner.touched_by(model, group),
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().any(|part| part.touched_by(model, group))
            }
            Predicate::Circuit(circuit) => {
                circuit.leaves().any(|leaf| leaf.touched_by(model, group))
            }
        }
    }
}

impl Compare {
    /// Whether firing a group can change the sum.
    pub(crate) fn touched_by(&self, group: &Group) -> bool {
        match group.as_linear() {
            Some(effect) => change_of_sum(self.terms(), effect) != 0,
            None => self.terms().iter().any(|(_, v)| group.writes().contains(v)),
        }
    }
}

/// By how much firing changes a weighted sum. Fits, since the weights add up to less than 2^31 and
/// an effect has less than 2^32.
fn change_of_sum(terms: &[(i64, VarId)], effect: &Linear) -> i64 {
    if terms.len() <= effect.delta().len() {
        return terms.iter().map(|&(c, v)| c * effect.effect(v)).sum();
    }
    let weight = |variable| match terms.binary_search_by_key(&variable, |&(_, v)| v) {
        Ok(i) => terms[i].0,
        Err(_) => 0,
    };
    effect.delta().iter().map(|&(v, n)| weight(v) * n).sum()
}

/// Whether a group writes what decides the enabledness of `other`.
fn writes_guard(group: &Group, other: &Group) -> bool {
    match other.as_linear() {
        Some(linear) => {
            let mut tested = linear.pre().iter().chain(linear.inhibit());
            tested.any(|(v, _)| group.writes().contains(v))
        }
        None => other.reads().iter().any(|v| group.writes().contains(v)),
    }
}

/// The states where some of `groups` is enabled once `effect` has been added.
fn enabled_after(
    model: &Model,
    effect: &Linear,
    groups: impl Iterator<Item = GroupId>,
) -> Option<Predicate> {
    let mut untouched = Vec::new();
    let mut parts = Vec::new();
    for id in groups {
        let group = model.group(id);
        if !group.guard().iter().any(|&v| effect.effect(v) != 0) {
            untouched.push(id);
            continue;
        }
        let guard = group.as_linear()?;
        let at_least = guard
            .pre()
            .iter()
            .map(|&(v, n)| match i64::from(n) - effect.effect(v) {
                ..=0 => Predicate::True,
                bound => Predicate::single(v, Relation::Ge, bound),
            });
        let below = guard
            .inhibit()
            .iter()
            .map(|&(v, n)| match i64::from(n) - effect.effect(v) {
                ..=0 => Predicate::False,
                bound => Predicate::single(v, Relation::Lt, bound),
            });
        parts.push(Predicate::all(at_least.chain(below)));
    }
    if !untouched.is_empty() {
        parts.push(Predicate::Enabled(untouched));
    }
    Some(Predicate::any(parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Compare, Variable};

    /// A small generator with a fixed sequence.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) % n
        }

        fn variable(&mut self) -> VarId {
            VarId(self.below(4) as u32)
        }

        fn linear(&mut self) -> Linear {
            let mut pre = Vec::new();
            let mut delta = Vec::new();
            for _ in 0..self.below(3) {
                let (v, n) = (self.variable(), 1 + self.below(2) as u32);
                if pre.iter().all(|&(other, _)| other != v) {
                    pre.push((v, n));
                    delta.push((v, -i64::from(n) * self.below(2).cast_signed()));
                }
            }
            for _ in 0..self.below(3) {
                delta.push((self.variable(), self.below(3).cast_signed()));
            }
            let inhibit = (0..self.below(2)).map(|_| (self.variable(), self.below(4) as u32));
            Linear::new(pre, inhibit.collect(), delta).unwrap()
        }

        fn predicate(&mut self, groups: u64, depth: u32) -> Predicate {
            match self.below(if depth == 0 { 3 } else { 6 }) {
                0 => {
                    let ops = [Relation::Le, Relation::Gt, Relation::Eq, Relation::Ne];
                    let coefficient = |dice: &mut Dice| dice.below(5).cast_signed() - 2;
                    let terms = (0..3)
                        .map(|_| (coefficient(self), self.variable()))
                        .collect();
                    let op = ops[self.below(4) as usize];
                    Predicate::Compare(Compare::new(terms, op, coefficient(self)).unwrap())
                }
                1 => Predicate::DeadEnd,
                2 => {
                    let group = |dice: &mut Dice| GroupId(dice.below(groups) as u32);
                    Predicate::Enabled(vec![group(self), group(self)])
                }
                3 => self.predicate(groups, depth - 1).negate(),
                4 => Predicate::And((0..2).map(|_| self.predicate(groups, depth - 1)).collect()),
                _ => Predicate::Or((0..2).map(|_| self.predicate(groups, depth - 1)).collect()),
            }
        }
    }

    #[test]
    fn preconditions_and_touches_agree_with_firing() {
        let mut dice = Dice(7);
        let mut changed = 0;
        for _ in 0..300 {
            let groups = (0..4).map(|i| Group::linear(format!("t{i}"), dice.linear()));
            let variables = (0..4).map(|i| Variable {
                name: format!("p{i}"),
                bounds: Bounds::UNKNOWN,
            });
            let groups: Vec<Group> = groups.collect();
            let model = Model::new("m", variables.collect(), vec![vec![0; 4]], groups).unwrap();
            let predicate = dice.predicate(4, 2);
            let support = predicate.support(&model);
            for code in 0..256_u32 {
                let state: Vec<u32> = (0..4).map(|i| code >> (2 * i) & 3).collect();
                let mut next = vec![0; 4];
                for group in model.group_ids() {
                    if !model.fire(group, &state, &mut next).unwrap() {
                        continue;
                    }
                    let after = predicate.eval(&model, &next);
                    let wp = predicate.weakest_precondition(&model, group).unwrap();
                    assert_eq!(wp.eval(&model, &state), after, "{predicate:?} by {group:?}");
                    if after != predicate.eval(&model, &state) {
                        changed += 1;
                        assert!(predicate.touches(&model, group));
                        assert!(!predicate.keeps(&model, group, !after));
                        let writes = model.group(group).writes();
                        assert!(writes.iter().any(|v| support.contains(v)));
                    }
                }
            }
        }
        assert!(changed > 1000, "the test saw {changed} changes only");
    }

    #[test]
    fn a_sum_that_stays_is_not_touched() {
        let (x, y) = (VarId(0), VarId(1));
        let shift = Linear::new(vec![(x, 1)], vec![], vec![(x, -1), (y, 1)]).unwrap();
        let variables = ["x", "y"].map(|name| Variable {
            name: name.to_owned(),
            bounds: Bounds::UNKNOWN,
        });
        let groups = vec![Group::linear("shift", shift)];
        let model = Model::new("m", variables.into(), vec![vec![0; 2]], groups).unwrap();
        let sum = |c| {
            let compare = Compare::new(vec![(1, x), (c, y)], Relation::Le, 4);
            Predicate::Compare(compare.unwrap())
        };
        assert!(!sum(1).touches(&model, GroupId(0)));
        assert!(sum(2).touches(&model, GroupId(0)));
        // A sum that only grows does not fall below a number again.
        assert!(sum(2).keeps(&model, GroupId(0), false));
        assert!(!sum(2).keeps(&model, GroupId(0), true));
    }
}
