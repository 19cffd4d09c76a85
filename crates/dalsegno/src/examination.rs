//! The examinations of the Model Checking Contest: their names, and what each of them asks.

use std::fmt;
use std::str::FromStr;

use dalsegno_kripke::UnknownName;

use crate::question::{Global, QuestionKind};

/// An examination of the contest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Examination {
    /// The size of the state space.
    StateSpace,
    /// A question about the whole net.
    Global(Global),
    /// The largest sum of tokens in some places.
    UpperBounds,
    /// Whether states are reachable, told by numbers of tokens.
    ReachabilityCardinality,
    /// Whether states are reachable, told by transitions that are enabled.
    ReachabilityFireability,
    /// LTL over numbers of tokens.
    LtlCardinality,
    /// LTL over transitions that are enabled.
    LtlFireability,
    /// CTL over numbers of tokens.
    CtlCardinality,
    /// CTL over transitions that are enabled.
    CtlFireability,
}

impl Examination {
    /// All of them, in the order of the contest's rules.
    pub const ALL: [Examination; 13] = [
        Examination::StateSpace,
        Examination::Global(Global::OneSafe),
        Examination::Global(Global::StableMarking),
        Examination::Global(Global::QuasiLiveness),
        Examination::Global(Global::Liveness),
        Examination::Global(Global::Deadlock),
        Examination::UpperBounds,
        Examination::ReachabilityCardinality,
        Examination::ReachabilityFireability,
        Examination::LtlCardinality,
        Examination::LtlFireability,
        Examination::CtlCardinality,
        Examination::CtlFireability,
    ];

    /// The name, as the contest spells it.
    ///
    /// # Panics
    /// Never: all of them are listed.
    #[must_use]
    pub fn name(self) -> &'static str {
        let at = Self::ALL.iter().position(|e| *e == self);
        NAMES[at.expect("all of them are listed")]
    }

    /// The kind of its questions.
    #[must_use]
    pub fn kind(self) -> QuestionKind {
        match self {
            Examination::StateSpace => QuestionKind::Survey,
            Examination::Global(_) => QuestionKind::Global,
            Examination::UpperBounds => QuestionKind::Bound,
            Examination::ReachabilityCardinality | Examination::ReachabilityFireability => {
                QuestionKind::Reach
            }
            Examination::LtlCardinality | Examination::LtlFireability => QuestionKind::Linear,
            Examination::CtlCardinality | Examination::CtlFireability => QuestionKind::Branching,
        }
    }

    /// Whether its questions come in a file.
    #[must_use]
    pub fn has_properties(self) -> bool {
        !matches!(self.kind(), QuestionKind::Survey | QuestionKind::Global)
    }

    /// The examination whose name a file of properties has in its own, if there is one.
    ///
    /// ```
    /// use dalsegno::Examination;
    ///
    /// let of = Examination::of_file_name;
    /// assert_eq!(of("LTLCardinality.xml"), Some(Examination::LtlCardinality));
    /// assert_eq!(of("mine.xml"), None);
    /// ```
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<Self> {
        let in_file = |e: &Examination| e.has_properties() && name.contains(e.name());
        Self::ALL.into_iter().find(in_file)
    }
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The names, in the order of [`Examination::ALL`].
const NAMES: &[&str] = &[
    "StateSpace",
    "OneSafe",
    "StableMarking",
    "QuasiLiveness",
    "Liveness",
    "ReachabilityDeadlock",
    "UpperBounds",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "LTLCardinality",
    "LTLFireability",
    "CTLCardinality",
    "CTLFireability",
];

impl FromStr for Examination {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let mut all = Self::ALL.into_iter();
        all.find(|e| e.name() == text)
            .ok_or_else(|| UnknownName::new("examination", text, NAMES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for examination in Examination::ALL {
            assert_eq!(examination.name().parse(), Ok(examination));
        }
        let error = "Ltl".parse::<Examination>().unwrap_err().to_string();
        assert!(error.contains("LTLFireability"), "{error}");
    }
}
