//! Stubborn sets: of the groups that are enabled in a state, only some are fired.
//!
//! `docs/stubborn.md` has the rules and why they are right; the names of rules in this folder are those of that page.
//! `Relations` say which groups depend on each other, a `Closure` is a set
//! that is closed under that, a `Goal` draws in whoever can bring a predicate about, and
//! `Changes` whoever can change an observed proposition. With these,
//! [`GoalSearch`](reach::GoalSearch) decides reachability, and a `Stubborn` chooses what a search in
//! a product fires.

pub(crate) mod changes;
pub(crate) mod choice;
pub(crate) mod closure;
mod enabling;
pub(crate) mod gain;
pub(crate) mod goals;
pub(crate) mod here;
pub(crate) mod lists;
pub mod reach;
pub(crate) mod relations;
pub(crate) mod sample;
pub(crate) mod seeds;
mod set;

#[cfg(test)]
mod tests;

/// Rules that tests leave out, to see that they are needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// No node is released.
    NoRelease,
    /// Members of G sets may leave any values (G3).
    NoValues,
    /// G sets need no stuttering step (G4).
    NoStep,
    /// Only what the state itself reacts to is visible.
    OwnMask,
    /// These propositions alone are visible, although others move the automaton.
    #[cfg(test)]
    UnmaskedSteps(u64),
    /// Members may lead to letters that are not quiet, in rule X.
    NoQuiet,
}
