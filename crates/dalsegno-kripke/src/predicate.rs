//! Propositions as data: Boolean combinations of comparisons and of enabledness.
//!
//! All sums fit into `i64`: a [`Compare`] has coefficients whose absolute values add up to less
//! than 2^31, and values have 32 bits. Trees are as deep as they were built, and the functions
//! here recurse over them.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::circuit::Circuit;
use crate::lift::Source;
use crate::model::{GroupId, Model, VarId};

/// A set of states, described by what holds in them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Predicate {
    /// All states.
    True,
    /// No state.
    False,
    /// A weighted sum of variables compared with a number.
    Compare(Compare),
    /// Some of these groups is enabled.
    Enabled(Vec<GroupId>),
    /// No group of the model is enabled.
    DeadEnd,
    /// The complement.
    Not(Box<Predicate>),
    /// The intersection; all states if empty.
    And(Vec<Predicate>),
    /// The union; no state if empty.
    Or(Vec<Predicate>),
    /// A function with shared parts, where a tree would be too large.
    Circuit(Arc<Circuit>),
}

/// How a sum is compared with a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the variants are the six comparisons")]
pub enum Relation {
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    Ne,
}

impl Relation {
    /// Whether `left` stands in this relation to `right`.
    #[inline]
    #[must_use]
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Relation::Le => left <= right,
            Relation::Lt => left < right,
            Relation::Ge => left >= right,
            Relation::Gt => left > right,
            Relation::Eq => left == right,
            Relation::Ne => left != right,
        }
    }

    /// The relation with its sides exchanged.
    #[must_use]
    pub fn flipped(self) -> Relation {
        match self {
            Relation::Le => Relation::Ge,
            Relation::Lt => Relation::Gt,
            Relation::Ge => Relation::Le,
            Relation::Gt => Relation::Lt,
            same => same,
        }
    }

    /// The relation that holds exactly where this one does not.
    #[must_use]
    pub fn negated(self) -> Relation {
        match self {
            Relation::Le => Relation::Gt,
            Relation::Lt => Relation::Ge,
            Relation::Ge => Relation::Lt,
            Relation::Gt => Relation::Le,
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Le => "<=",
            Relation::Lt => "<",
            Relation::Ge => ">=",
            Relation::Gt => ">",
            Relation::Eq => "=",
            Relation::Ne => "!=",
        })
    }
}

/// A weighted sum of variables compared with a number. Invariants:
///
/// 1. Terms ascend strictly by variable, and no coefficient is 0.
/// 2. The absolute values of the coefficients add up to less than 2^31.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Compare {
    terms: Vec<(i64, VarId)>,
    op: Relation,
    constant: i64,
}

/// The coefficients of a comparison are too large for exact sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the coefficients of a comparison add up to 2^31 or more")]
pub struct TooLarge;

impl Compare {
    /// The comparison `Σ terms op constant`; terms of one variable are added up.
    ///
    /// # Errors
    /// [`TooLarge`] if invariant 2 cannot be kept.
    pub fn new(
        mut terms: Vec<(i64, VarId)>,
        op: Relation,
        constant: i64,
    ) -> Result<Self, TooLarge> {
        terms.sort_unstable_by_key(|&(_, v)| v);
        let mut joined: Vec<(i64, VarId)> = Vec::with_capacity(terms.len());
        for (c, v) in terms {
            match joined.last_mut() {
                Some((sum, last)) if *last == v => *sum = sum.checked_add(c).ok_or(TooLarge)?,
                _ => joined.push((c, v)),
            }
        }
        joined.retain(|&(c, _)| c != 0);
        let weight = |sum: u64, &(c, _): &(i64, VarId)| sum.saturating_add(c.unsigned_abs());
        if joined.iter().fold(0, weight) >= 1 << 31 {
            return Err(TooLarge);
        }
        Ok(Compare {
            terms: joined,
            op,
            constant,
        })
    }

    /// The coefficients and variables of the sum.
    #[inline]
    #[must_use]
    pub fn terms(&self) -> &[(i64, VarId)] {
        &self.terms
    }

    /// How the sum is compared.
    #[inline]
    #[must_use]
    pub fn op(&self) -> Relation {
        self.op
    }

    /// What the sum is compared with.
    #[inline]
    #[must_use]
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The value of the sum.
    #[inline]
    #[must_use]
    pub fn sum(&self, state: &[u32]) -> i64 {
        let value = |&(c, v): &(i64, VarId)| c * i64::from(state[v.index()]);
        self.terms.iter().map(value).sum()
    }

    /// Whether the comparison holds.
    #[inline]
    #[must_use]
    pub fn holds(&self, state: &[u32]) -> bool {
        self.op.holds(self.sum(state), self.constant)
    }

    /// The same comparison with another number, or a constant where that number is so large that
    /// no state matters.
    pub(crate) fn with_constant(&self, constant: i128) -> Predicate {
        let op = self.op;
        match i64::try_from(constant) {
            Ok(constant) if self.terms.is_empty() => Predicate::constant(op.holds(0, constant)),
            Ok(constant) => Predicate::Compare(Compare {
                terms: self.terms.clone(),
                op,
                constant,
            }),
            Err(_) => Predicate::constant(op.holds(0, if constant > 0 { 1 } else { -1 })),
        }
    }
}

impl Predicate {
    /// All states or none.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        if value {
            Predicate::True
        } else {
            Predicate::False
        }
    }

    /// The comparison of one variable with a number.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_kripke::{Predicate, Relation, VarId};
    ///
    /// let marked = Predicate::single(VarId(0), Relation::Ge, 1);
    /// # let _ = marked;
    /// ```
    #[must_use]
    pub fn single(variable: VarId, op: Relation, constant: i64) -> Self {
        Predicate::Compare(Compare {
            terms: vec![(1, variable)],
            op,
            constant,
        })
    }

    /// The complement, pushed into constants, comparisons and negations.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Predicate::True => Predicate::False,
            Predicate::False => Predicate::True,
            Predicate::Not(inner) => *inner,
            Predicate::Compare(compare) => Predicate::Compare(Compare {
                op: compare.op.negated(),
                ..compare
            }),
            other => Predicate::Not(Box::new(other)),
        }
    }

    /// The intersection, flattened and without constants.
    #[must_use]
    pub fn all(parts: impl IntoIterator<Item = Predicate>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Predicate::True => {}
                Predicate::False => return Predicate::False,
                Predicate::And(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Predicate::True,
            1 => kept.swap_remove(0),
            _ => Predicate::And(kept),
        }
    }

    /// The union, flattened and without constants.
    #[must_use]
    pub fn any(parts: impl IntoIterator<Item = Predicate>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Predicate::False => {}
                Predicate::True => return Predicate::True,
                Predicate::Or(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Predicate::False,
            1 => kept.swap_remove(0),
            _ => Predicate::Or(kept),
        }
    }

    /// Whether `state` belongs to the set.
    #[must_use]
    pub fn eval(&self, model: &Model, state: &[u32]) -> bool {
        match self {
            Predicate::True => true,
            Predicate::False => false,
            Predicate::Compare(compare) => compare.holds(state),
            Predicate::Enabled(groups) => groups.iter().any(|&g| model.enabled(g, state)),
            Predicate::DeadEnd => model.is_dead_end(state),
            Predicate::Not(inner) => !inner.eval(model, state),
            Predicate::And(parts) => parts.iter().all(|part| part.eval(model, state)),
            Predicate::Or(parts) => parts.iter().any(|part| part.eval(model, state)),
            Predicate::Circuit(circuit) => circuit.eval(|leaf| leaf.eval(model, state)),
        }
    }

    /// The same set in a model with the same variables in which each group has become others: one is enabled where one
    /// of those is.
    #[must_use]
    pub fn with_groups(&self, of: &dyn Fn(GroupId) -> Vec<GroupId>) -> Self {
        let each = |parts: &[Predicate]| parts.iter().map(|part| part.with_groups(of)).collect();
        match self {
            Predicate::True | Predicate::False | Predicate::Compare(_) | Predicate::DeadEnd => {
                self.clone()
            }
            Predicate::Enabled(groups) => {
                Predicate::Enabled(groups.iter().flat_map(|&g| of(g)).collect())
            }
            Predicate::Not(inner) => Predicate::Not(Box::new(inner.with_groups(of))),
            Predicate::And(parts) => Predicate::And(each(parts)),
            Predicate::Or(parts) => Predicate::Or(each(parts)),
            Predicate::Circuit(circuit) => {
                Predicate::Circuit(Arc::new(circuit.map_leaves(|leaf| leaf.with_groups(of))))
            }
        }
    }

    /// The same set in a model in which variables have become others or constants, and groups others, of which one is enabled
    /// where the group is. `None` if it depends on a variable that is neither.
    #[must_use]
    pub fn translated(
        &self,
        variable: &dyn Fn(VarId) -> Option<Source>,
        groups: &dyn Fn(GroupId) -> Vec<GroupId>,
    ) -> Option<Self> {
        let each = |parts: &[Predicate]| -> Option<Vec<Predicate>> {
            let parts = parts.iter().map(|part| part.translated(variable, groups));
            parts.collect()
        };
        Some(match self {
            Predicate::True | Predicate::False | Predicate::DeadEnd => self.clone(),
            Predicate::Compare(compare) => {
                let mut constant = i128::from(compare.constant);
                let mut terms = Vec::with_capacity(compare.terms.len());
                for &(c, v) in &compare.terms {
                    match variable(v)? {
                        Source::Variable(now) => terms.push((c, now)),
                        Source::Constant(n) => constant -= i128::from(c) * i128::from(n),
                        Source::Is(..) | Source::Sum(_) => return None,
                    }
                }
                let compare = Compare::new(terms, compare.op, 0).ok()?;
                compare.with_constant(constant)
            }
            Predicate::Enabled(of) => {
                let mut now: Vec<GroupId> = of.iter().flat_map(|&g| groups(g)).collect();
                now.sort_unstable();
                now.dedup();
                if now.is_empty() {
                    Predicate::False
                } else {
                    Predicate::Enabled(now)
                }
            }
            Predicate::Not(inner) => inner.translated(variable, groups)?.negate(),
            Predicate::And(parts) => Predicate::all(each(parts)?),
            Predicate::Or(parts) => Predicate::any(each(parts)?),
            Predicate::Circuit(circuit) => circuit.map(|leaf| leaf.translated(variable, groups))?,
        })
    }

    /// The variables that the set depends on, ascending.
    #[must_use]
    pub fn support(&self, model: &Model) -> Vec<VarId> {
        let mut support = Vec::new();
        self.add_support(model, &mut support);
        support.sort_unstable();
        support.dedup();
        support
    }

    fn add_support(&self, model: &Model, support: &mut Vec<VarId>) {
        match self {
            Predicate::True | Predicate::False => {}
            Predicate::Compare(compare) => support.extend(compare.terms.iter().map(|&(_, v)| v)),
            Predicate::Enabled(groups) => {
                for &group in groups {
                    support.extend(model.group(group).guard());
                }
            }
            Predicate::DeadEnd => {
                for group in model.groups() {
                    support.extend(group.guard());
                }
            }
            Predicate::Not(inner) => inner.add_support(model, support),
            Predicate::And(parts) | Predicate::Or(parts) => {
                for part in parts {
                    part.add_support(model, support);
                }
            }
            Predicate::Circuit(circuit) => {
                for leaf in circuit.leaves() {
                    leaf.add_support(model, support);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_one_variable_are_added_up() {
        let (x, y) = (VarId(0), VarId(1));
        let compare = Compare::new(vec![(2, y), (1, x), (-2, y), (3, x)], Relation::Lt, 9).unwrap();
        assert_eq!(compare.terms(), [(4, x)]);
        assert!(compare.holds(&[2, 7]) && !compare.holds(&[3, 0]));
    }

    #[test]
    fn large_coefficients_are_refused_and_large_values_are_exact() {
        let x = VarId(0);
        for c in [1 << 31, i64::MIN, i64::MAX] {
            assert_eq!(Compare::new(vec![(c, x)], Relation::Eq, 0), Err(TooLarge));
        }
        let most = (1 << 31) - 1;
        let compare = Compare::new(vec![(-most, x)], Relation::Ge, 0).unwrap();
        assert_eq!(compare.sum(&[u32::MAX]), -most * i64::from(u32::MAX));
        assert_eq!(compare.with_constant(i128::MAX), Predicate::False);
        assert_eq!(compare.with_constant(i128::MIN), Predicate::True);
    }

    #[test]
    fn translated_sums_have_constants_put_in() {
        let (x, y, z) = (VarId(0), VarId(1), VarId(2));
        let compare = Compare::new(vec![(2, x), (-3, y)], Relation::Ge, 4).unwrap();
        let compare = Predicate::Compare(compare);
        let none = |_| vec![];
        let of = |v: VarId| match v.0 {
            0 => Some(Source::Variable(z)),
            _ => Some(Source::Constant(5)),
        };
        let now = compare.translated(&of, &none).unwrap();
        let wanted = Compare::new(vec![(2, z)], Relation::Ge, 19).unwrap();
        assert_eq!(now, Predicate::Compare(wanted));
        let gone = |v: VarId| (v == x).then_some(Source::Constant(1));
        assert_eq!(compare.translated(&gone, &none), None);
        let constant = |_| Some(Source::Constant(1));
        assert_eq!(compare.translated(&constant, &none), Some(Predicate::False));
        let fireable = Predicate::Enabled(vec![GroupId(0)]);
        assert_eq!(
            fireable.translated(&constant, &none),
            Some(Predicate::False)
        );
    }

    #[test]
    fn combinations_drop_constants() {
        let p = || Predicate::single(VarId(0), Relation::Ge, 1);
        assert_eq!(Predicate::all([Predicate::True, p()]), p());
        assert_eq!(Predicate::any([p(), Predicate::True]), Predicate::True);
        assert_eq!(Predicate::all([]), Predicate::True);
        let nested = Predicate::any([Predicate::any([p(), Predicate::DeadEnd]), p()]);
        assert_eq!(nested, Predicate::Or(vec![p(), Predicate::DeadEnd, p()]));
        assert_eq!(p().negate(), Predicate::single(VarId(0), Relation::Lt, 1));
        assert_eq!(Predicate::DeadEnd.negate().negate(), Predicate::DeadEnd);
    }
}
