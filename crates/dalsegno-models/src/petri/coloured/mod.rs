//! Coloured nets: symmetric nets of PNML, and their unfolding.
//!
//! Tokens of a [`ColouredNet`] have colours of a [`SortKind`]; a transition fires in a *binding* of its
//! variables that satisfies its [`Guard`]. [`unfold`] makes a place/transition net of it, with one place per
//! colour and one transition per binding, and a [`ColourOrigin`] leads back.

mod assemble;
mod classes;
pub mod guard;
mod join;
mod lifted;
mod multiset;
mod named;
mod net;
mod orbits;
mod origin;
mod plan;
mod quotient;
mod reduce;
mod relation;
mod size;
mod skeleton;
mod sort;
mod symmetry;
mod trace;
mod unfold;
mod variables;

pub use guard::{Guard, Shifted};
pub use lifted::lift;
pub use multiset::{Factor, LeafId, Multiset, Part, Scratch, Summand, ValueError};
pub use named::named_colours;
pub use net::{ColourVariable, ColouredArcs, ColouredNet, ColouredPlace, ColouredTransition};
pub use orbits::{Condition as OrbitCondition, Orbits};
pub use origin::{ColourOrigin, Unfolded};
pub use quotient::Quotient;
pub use reduce::{
    Condition as ReduceCondition, Reduced as ReducedColoured, reduce, reduce_without,
};
pub use size::Size;
pub use skeleton::skeleton;
pub use sort::{Constant, Partition, Sort, SortError, SortId, SortKind, Sorts};
pub use symmetry::has_interchangeable;
pub use trace::Lifted;
pub use unfold::{Limits, Progress, UnfoldError, unfold, unfold_quotient};
