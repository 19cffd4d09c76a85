//! Structural reductions: a smaller net that answers the same question.
//!
//! Rules look at a net's structure alone and remove places and transitions, or join transitions that follow each other,
//! one file per rule, with its paper, its condition, what it keeps and why. They are applied to a fixpoint
//! (`fixpoint`) on a net with lists of neighbours that each rule updates in place (`draft`), in time near linear in the
//! arcs. What is observed stays: places of propositions, and transitions that are asked to be fireable with what they
//! depend on.
//!
//! | rule | R | D | S∞ | S | C | X |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | `dead_transitions`, `constant_places`, `sink_places`, `equal_places`, `dominated_transitions` | + | + | + | + | + | + |
//! | `implicit_places` | + | + | + | + | + | + |
//! | `future_equivalent_places` | + | + | + | + | + | + |
//! | `no_effect_transitions` | + | | | | | |
//! | `sink_transitions` | + | | + | | | |
//! | `source_transitions` | + | + | + | + | + | |
//! | `post_agglomeration` (C: one consumer) | + | + | + | + | (+) | |
//! | `pre_agglomeration` (C: no shared inputs) | + | + | + | + | (+) | |
//! | `free_agglomeration` | + | | + | | | |
//! | `slicing` (others than R: under conditions) | + | (+) | (+) | (+) | (+) | |
//!
//! R, D, S∞, S, C, X are the variants of [`Keep`], in that order. Runs are lifted by replay
//! ([`Replay`](dalsegno_kripke::Replay)).

mod agglomeration;
mod condition;
mod constant_places;
mod dead_transitions;
mod dominated_transitions;
mod draft;
mod equal_places;
mod fixpoint;
mod free_agglomeration;
mod future_equivalent_places;
mod implicit_places;
mod no_effect_transitions;
mod observed;
mod post_agglomeration;
mod pre_agglomeration;
mod result;
mod sink_places;
mod sink_transitions;
mod slicing;
mod source_transitions;

pub use condition::Condition;
pub use fixpoint::{reduce, reduce_by, reduce_without};
pub use observed::Observed;
pub(in crate::petri) use observed::Watch;
pub use result::{PlaceNow, Reduced};

/// What a reduction keeps of a net.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Keep {
    /// The reachable markings of observed places, so that sums of them have the same bounds.
    Reach,
    /// Whether a marking without enabled transitions is reachable; nothing is observed.
    Deadlocks,
    /// Infinite runs, up to repetitions of what is observed. Dead ends do not count.
    InfiniteTraces,
    /// Maximal runs, up to repetitions of what is observed: a dead end repeats.
    Traces,
    /// The branching structure up to repetitions: formulas of CTL* without `X`, with dead ends that end paths or repeat.
    Branching,
    /// Each step.
    Steps,
}

/// The rules, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each has a file that says what it is")]
pub enum Rule {
    DeadTransition,
    ConstantPlace,
    SinkPlace,
    EqualPlace,
    ImplicitPlace,
    DominatedTransition,
    NoEffectTransition,
    SinkTransition,
    SourceTransition,
    PostAgglomeration,
    PreAgglomeration,
    FreeAgglomeration,
    FutureEquivalentPlace,
    Slicing,
}

impl Rule {
    /// Whether the rule keeps something, maybe under a condition on the net that it looks at.
    #[must_use]
    pub fn keeps(self, keep: Keep) -> bool {
        match self {
            Rule::DeadTransition
            | Rule::ConstantPlace
            | Rule::SinkPlace
            | Rule::EqualPlace
            | Rule::ImplicitPlace
            | Rule::DominatedTransition
            | Rule::FutureEquivalentPlace => true,
            Rule::SourceTransition
            | Rule::PostAgglomeration
            | Rule::PreAgglomeration
            | Rule::Slicing => keep != Keep::Steps,
            Rule::SinkTransition | Rule::FreeAgglomeration => {
                matches!(keep, Keep::Reach | Keep::InfiniteTraces)
            }
            Rule::NoEffectTransition => keep == Keep::Reach,
        }
    }
}

dalsegno_kripke::choices!(
    Keep, "what is kept", Reach => "reachable markings", Deadlocks => "deadlocks", InfiniteTraces => "infinite runs",
    Traces => "runs", Branching => "branching", Steps => "each step"
);

dalsegno_kripke::choices!(
    Rule, "rule", DeadTransition => "dead-transition", ConstantPlace => "constant-place", SinkPlace => "sink-place",
    EqualPlace => "equal-place", ImplicitPlace => "implicit-place", DominatedTransition => "dominated-transition",
    NoEffectTransition => "no-effect-transition", SinkTransition => "sink-transition",
    SourceTransition => "source-transition", PostAgglomeration => "post-agglomeration",
    PreAgglomeration => "pre-agglomeration", FreeAgglomeration => "free-agglomeration",
    FutureEquivalentPlace => "future-equivalent-place", Slicing => "slicing"
);
