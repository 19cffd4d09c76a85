//! The side conditions of rules, by name. A test drops each of them once and shows that something wrong is found then.

/// A side condition of a rule for coloured nets. What it says stands in the file of the rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each stands in the file of its rule")]
pub enum Condition {
    ConstantNeverChanges,
    ConstantNotInhibiting,
    ConstantHasEnough,
    ConstantIsProduct,
    UnreadUnobserved,
    UnreadByInputs,
    UnreadByTests,
    UnreadByInhibitors,
    SliceRaisers,
    SliceTakersOfExact,
    SliceTests,
    SliceInhibitors,
    SliceObserved,
    SliceObservedInhibitors,
}

dalsegno_kripke::choices!(
    Condition, "condition",
    ConstantNeverChanges => "constant-never-changes",
    ConstantNotInhibiting => "constant-not-inhibiting",
    ConstantHasEnough => "constant-has-enough",
    ConstantIsProduct => "constant-is-product",
    UnreadUnobserved => "unread-unobserved",
    UnreadByInputs => "unread-by-inputs",
    UnreadByTests => "unread-by-tests",
    UnreadByInhibitors => "unread-by-inhibitors",
    SliceRaisers => "slice-raisers",
    SliceTakersOfExact => "slice-takers-of-exact",
    SliceTests => "slice-tests",
    SliceInhibitors => "slice-inhibitors",
    SliceObserved => "slice-observed",
    SliceObservedInhibitors => "slice-observed-inhibitors",
);
