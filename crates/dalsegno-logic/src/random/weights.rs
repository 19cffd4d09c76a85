//! How often each operator is drawn.

use crate::store::{FormulaId, FormulaStore};

/// The weight of each operator relative to the others; 0 for never.
///
/// The default draws all operators of LTL equally often, atoms ten times as often as constants,
/// and no path quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are the operators of the logic")]
pub struct Weights {
    pub atoms: u32,
    pub constants: u32,
    pub not: u32,
    pub and: u32,
    pub or: u32,
    pub xor: u32,
    pub implies: u32,
    pub iff: u32,
    pub next: u32,
    pub finally: u32,
    pub globally: u32,
    pub until: u32,
    pub release: u32,
    pub weak_until: u32,
    pub strong_release: u32,
    pub exists: u32,
    pub forall: u32,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            atoms: 10,
            constants: 1,
            not: 1,
            and: 1,
            or: 1,
            xor: 1,
            implies: 1,
            iff: 1,
            next: 1,
            finally: 1,
            globally: 1,
            until: 1,
            release: 1,
            weak_until: 1,
            strong_release: 1,
            exists: 0,
            forall: 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Next,
    Finally,
    Globally,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    Exists,
    Forall,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arity {
    Unary,
    Binary,
}

impl Op {
    /// The order is part of what a seed means.
    pub(super) const ALL: [Op; 15] = [
        Op::Not,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Implies,
        Op::Iff,
        Op::Next,
        Op::Finally,
        Op::Globally,
        Op::Until,
        Op::Release,
        Op::WeakUntil,
        Op::StrongRelease,
        Op::Exists,
        Op::Forall,
    ];

    pub(super) fn arity(self) -> Arity {
        match self {
            Op::Not | Op::Next | Op::Finally | Op::Globally | Op::Exists | Op::Forall => {
                Arity::Unary
            }
            _ => Arity::Binary,
        }
    }

    pub(super) fn quantifies(self) -> bool {
        matches!(self, Op::Exists | Op::Forall)
    }

    pub(super) fn is_temporal(self) -> bool {
        matches!(
            self,
            Op::Next
                | Op::Finally
                | Op::Globally
                | Op::Until
                | Op::Release
                | Op::WeakUntil
                | Op::StrongRelease
        )
    }

    /// The formula; a unary operator looks at `f` only.
    pub(super) fn apply(self, store: &mut FormulaStore, f: FormulaId, g: FormulaId) -> FormulaId {
        match self {
            Op::Not => store.not(f),
            Op::And => store.and([f, g]),
            Op::Or => store.or([f, g]),
            Op::Xor => store.xor(f, g),
            Op::Implies => store.implies(f, g),
            Op::Iff => store.iff(f, g),
            Op::Next => store.next(f),
            Op::Finally => store.finally(f),
            Op::Globally => store.globally(f),
            Op::Until => store.until(f, g),
            Op::Release => store.release(f, g),
            Op::WeakUntil => store.weak_until(f, g),
            Op::StrongRelease => store.strong_release(f, g),
            Op::Exists => store.exists(f),
            Op::Forall => store.forall(f),
        }
    }
}

impl Weights {
    /// What the weights are called in texts, in the order of the fields.
    pub const NAMES: [&str; 17] = [
        "atoms",
        "constants",
        "not",
        "and",
        "or",
        "xor",
        "implies",
        "iff",
        "X",
        "F",
        "G",
        "U",
        "R",
        "W",
        "M",
        "E",
        "A",
    ];

    /// The weight with one of the [`NAMES`](Self::NAMES).
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::random::Weights;
    ///
    /// let mut weights = Weights::default();
    /// *weights.named("U").unwrap() = 5;
    /// assert_eq!(weights.until, 5);
    /// assert!(weights.named("Until").is_none());
    /// ```
    pub fn named(&mut self, name: &str) -> Option<&mut u32> {
        let weights = [
            &mut self.atoms,
            &mut self.constants,
            &mut self.not,
            &mut self.and,
            &mut self.or,
            &mut self.xor,
            &mut self.implies,
            &mut self.iff,
            &mut self.next,
            &mut self.finally,
            &mut self.globally,
            &mut self.until,
            &mut self.release,
            &mut self.weak_until,
            &mut self.strong_release,
            &mut self.exists,
            &mut self.forall,
        ];
        let i = Self::NAMES.iter().position(|&n| n == name)?;
        weights.into_iter().nth(i)
    }

    pub(super) fn of(&self, op: Op) -> u32 {
        match op {
            Op::Not => self.not,
            Op::And => self.and,
            Op::Or => self.or,
            Op::Xor => self.xor,
            Op::Implies => self.implies,
            Op::Iff => self.iff,
            Op::Next => self.next,
            Op::Finally => self.finally,
            Op::Globally => self.globally,
            Op::Until => self.until,
            Op::Release => self.release,
            Op::WeakUntil => self.weak_until,
            Op::StrongRelease => self.strong_release,
            Op::Exists => self.exists,
            Op::Forall => self.forall,
        }
    }
}
