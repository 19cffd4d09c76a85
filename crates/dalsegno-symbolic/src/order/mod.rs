//! Static variable orders: which variable goes to which level of the diagrams.
//!
//! The order decides how large diagrams get, often by orders of magnitude, and to find the best
//! one is harder than to check the model. So there are several [`Heuristic`]s, all of them near-linear in the size
//! of the model, [`Metrics`] that judge an order without building a diagram, and [`choose`], which takes
//! the order that looks best. Only the model interface and [`Hints`] are looked at.
//!
//! ```
//! use dalsegno_kripke::{Bounds, Budget, Group, Linear, Model, VarId, Variable};
//! use dalsegno_symbolic::order::{self, Hints, Recipe};
//!
//! // A token moves from a to c to b.
//! let variable = |name: &str| Variable { name: name.to_owned(), bounds: Bounds::proved(1) };
//! let variables = ["a", "b", "c"].map(variable).to_vec();
//! let step = |from, to| {
//!     let linear = Linear::new(vec![(VarId(from), 1)], vec![], vec![(VarId(from), -1), (VarId(to), 1)]);
//!     Group::linear("step", linear.unwrap())
//! };
//! let model = Model::new("chain", variables, vec![vec![1, 0, 0]], vec![step(0, 2), step(2, 1)]).unwrap();
//! let recipe: Recipe = "cuthill-mckee".parse().unwrap();
//! let budget = Budget::unlimited();
//! let order = order::order(&model, recipe, Hints::default(), &budget).unwrap();
//! let metrics = order::metrics(&model, &order, Hints::default(), &budget).unwrap();
//! assert_eq!(metrics.sum_of_spans, 4);
//! ```

mod bandwidth;
mod choice;
mod flows;
mod force;
mod hints;
mod hypergraph;
mod metrics;
mod noack;
mod permutation;
mod recipe;
mod semiflows;
mod sloan;
mod split_groups;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod ticker;
mod units;

pub use choice::{Candidate, Choice, candidates, choose, quick_candidates};
pub use hints::{Hints, Semiflow, Unit};
pub use metrics::{Metrics, metrics};
pub use permutation::{NotAnOrder, Order};
pub use recipe::{Heuristic, Recipe, UnknownRecipe, order};
