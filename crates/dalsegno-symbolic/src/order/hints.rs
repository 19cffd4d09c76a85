//! What a model format knows of a model beyond the model interface.

use dalsegno_kripke::VarId;

/// What may help to find an order; both parts may be empty.
///
/// Hints are advice: entries about variables that do not exist are ignored, and no answer of an
/// engine depends on whether a hint is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hints<'a> {
    /// Nested units, such as those of a NUPN file.
    pub units: &'a [Unit],
    /// Weighted sums of variables that never change.
    pub semiflows: &'a [Semiflow],
}

/// A group of variables that belong together, maybe inside of another one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// The position of the unit around this one; `None` for an outermost unit.
    pub parent: Option<usize>,
    /// The variables that are in this unit and in no unit inside of it.
    pub variables: Vec<VarId>,
}

/// A sum of variables with positive weights that no transition changes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Semiflow {
    /// The variables with their weights.
    pub terms: Vec<(VarId, u64)>,
}
