//! Operators as the parsers see them, and operands that are not yet in the store.

use crate::store::{FormulaId, FormulaStore};

/// An operator in front of its one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    Not,
    Next,
    Finally,
    Globally,
    Exists,
    Forall,
}

/// An operator of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

impl Binary {
    /// Whether an infix `self` to the left of `next` takes the operand between them.
    pub(crate) fn binds_before(self, next: Binary) -> bool {
        match self.level().cmp(&next.level()) {
            std::cmp::Ordering::Equal => !self.associates_right(),
            order => order.is_gt(),
        }
    }

    fn level(self) -> u8 {
        match self {
            Binary::Implies | Binary::Iff => 0,
            Binary::Xor => 1,
            Binary::Or => 2,
            Binary::And => 3,
            Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease => 4,
        }
    }

    fn associates_right(self) -> bool {
        !matches!(self, Binary::Xor | Binary::Or | Binary::And)
    }
}

/// An operand of an operator still to come.
///
/// Conjunctions and disjunctions stay lists until another operator takes them: a store keeps the
/// children of every conjunction it is given, which would be quadratic for a chain built one
/// operand at a time.
#[derive(Debug)]
pub(crate) enum Operand {
    Formula(FormulaId),
    All(Vec<FormulaId>),
    Any(Vec<FormulaId>),
}

impl Operand {
    pub(crate) fn formula(self, store: &mut FormulaStore) -> FormulaId {
        match self {
            Operand::Formula(f) => f,
            Operand::All(fs) => store.and(fs),
            Operand::Any(fs) => store.or(fs),
        }
    }

    /// This operand in the store, unless `op` to its right may make its list longer.
    ///
    /// So the handles of operands ascend in the order of the text, and with them the operands of
    /// conjunctions and disjunctions.
    pub(crate) fn settled(self, store: &mut FormulaStore, op: Binary) -> Operand {
        match (&self, op) {
            (Operand::All(_), Binary::And) | (Operand::Any(_), Binary::Or) => self,
            _ => Operand::Formula(self.formula(store)),
        }
    }

    pub(crate) fn prefixed(self, store: &mut FormulaStore, op: Prefix) -> Operand {
        let f = self.formula(store);
        Operand::Formula(match op {
            Prefix::Not => store.not(f),
            Prefix::Next => store.next(f),
            Prefix::Finally => store.finally(f),
            Prefix::Globally => store.globally(f),
            Prefix::Exists => store.exists(f),
            Prefix::Forall => store.forall(f),
        })
    }

    pub(crate) fn joined(self, store: &mut FormulaStore, op: Binary, other: Operand) -> Operand {
        match op {
            Binary::And => return Operand::All(merge(self.all(store), other.all(store))),
            Binary::Or => return Operand::Any(merge(self.any(store), other.any(store))),
            _ => {}
        }
        let (f, g) = (self.formula(store), other.formula(store));
        Operand::Formula(match op {
            Binary::And => store.and([f, g]),
            Binary::Or => store.or([f, g]),
            Binary::Xor => store.xor(f, g),
            Binary::Implies => store.implies(f, g),
            Binary::Iff => store.iff(f, g),
            Binary::Until => store.until(f, g),
            Binary::Release => store.release(f, g),
            Binary::WeakUntil => store.weak_until(f, g),
            Binary::StrongRelease => store.strong_release(f, g),
        })
    }

    fn all(self, store: &mut FormulaStore) -> Vec<FormulaId> {
        match self {
            Operand::All(fs) => fs,
            other => vec![other.formula(store)],
        }
    }

    fn any(self, store: &mut FormulaStore) -> Vec<FormulaId> {
        match self {
            Operand::Any(fs) => fs,
            other => vec![other.formula(store)],
        }
    }
}

/// The smaller list goes to the end of the larger; the store sorts them anyway.
fn merge(mut a: Vec<FormulaId>, mut b: Vec<FormulaId>) -> Vec<FormulaId> {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    a.append(&mut b);
    a
}
