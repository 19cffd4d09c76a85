//! The heuristics by name, and orders made by them.

use std::fmt;
use std::str::FromStr;

use dalsegno_kripke::{Budget, Model, Stop, VarId};
use thiserror::Error;

use super::flows::Flows;
use super::hints::Hints;
use super::hypergraph::Hypergraph;
use super::permutation::Order;
use super::split_groups::split_groups;
use super::ticker::Ticker;
use super::{bandwidth, force, noack, semiflows, sloan, units};

/// A way to find an order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Heuristic {
    /// The order of the declaration.
    Declared,
    /// FORCE from the declared order.
    Force,
    /// FORCE from the declared order, with semiflows and units pulling their variables together.
    ForceHints,
    /// The order of Cuthill and `McKee`.
    CuthillMcKee,
    /// The order of Sloan.
    Sloan,
    /// The order of Noack.
    Noack,
    /// The order of Tovchigrechko.
    Tovchigrechko,
    /// Units in blocks; as FORCE without units.
    Units,
    /// Gradient-P; the order of the gradient without semiflows.
    Semiflows,
}

const NAMES: [(Heuristic, &str); 9] = [
    (Heuristic::Declared, "declared"),
    (Heuristic::Force, "force"),
    (Heuristic::ForceHints, "force-hints"),
    (Heuristic::CuthillMcKee, "cuthill-mckee"),
    (Heuristic::Sloan, "sloan"),
    (Heuristic::Noack, "noack"),
    (Heuristic::Tovchigrechko, "tovchigrechko"),
    (Heuristic::Units, "units"),
    (Heuristic::Semiflows, "semiflows"),
];

const TUNED: &str = "+force";
const REVERSED: &str = "+reversed";

impl Heuristic {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Heuristic> {
        NAMES.iter().map(|&(heuristic, _)| heuristic)
    }
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(heuristic, _)| heuristic == self);
        f.write_str(name.map_or("", |&(_, name)| name))
    }
}

/// A heuristic and what is done to its order: written `noack`, `noack+force`, `noack+reversed` or
/// `noack+force+reversed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Recipe {
    /// How the order is found.
    pub heuristic: Heuristic,
    /// Whether FORCE improves it.
    pub tuned: bool,
    /// Whether it is turned upside down at the end.
    pub reversed: bool,
}

impl From<Heuristic> for Recipe {
    fn from(heuristic: Heuristic) -> Self {
        Recipe {
            heuristic,
            tuned: false,
            reversed: false,
        }
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tuned = if self.tuned { TUNED } else { "" };
        let reversed = if self.reversed { REVERSED } else { "" };
        write!(f, "{}{tuned}{reversed}", self.heuristic)
    }
}

/// A name that is no [`Recipe`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("there is no order `{name}`; known are {}, each maybe followed by {TUNED} or {REVERSED}", NAMES.map(|(_, name)| name).join(", "))]
pub struct UnknownRecipe {
    /// The name.
    pub name: String,
}

impl FromStr for Recipe {
    type Err = UnknownRecipe;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let (rest, reversed) = match name.strip_suffix(REVERSED) {
            Some(rest) => (rest, true),
            None => (name, false),
        };
        let (rest, tuned) = match rest.strip_suffix(TUNED) {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let known = NAMES.iter().find(|(_, known)| *known == rest);
        let &(heuristic, _) = known.ok_or_else(|| UnknownRecipe {
            name: name.to_owned(),
        })?;
        Ok(Recipe {
            heuristic,
            tuned,
            reversed,
        })
    }
}

/// The order that a recipe makes for a model.
///
/// # Errors
/// Why the budget ended.
pub fn order(
    model: &Model,
    recipe: impl Into<Recipe>,
    hints: Hints<'_>,
    budget: &Budget,
) -> Result<Order, Stop> {
    let split = split_groups(model, budget)?;
    let model = split.as_ref().unwrap_or(model);
    let mut ticker = Ticker::new(budget)?;
    let recipe = recipe.into();
    let prepared = Prepared::new(model, hints, &mut ticker)?;
    let mut list = prepared.list(recipe.heuristic, &mut ticker)?;
    if recipe.tuned {
        list = prepared.tuned(list, &mut ticker)?;
    }
    let order = Order::of_list(&list);
    Ok(if recipe.reversed {
        order.reversed()
    } else {
        order
    })
}

/// What the heuristics share.
pub(super) struct Prepared<'a> {
    pub(super) model: &'a Model,
    pub(super) hints: Hints<'a>,
    pub(super) graph: Hypergraph,
    pub(super) flows: Flows,
}

impl<'a> Prepared<'a> {
    pub(super) fn new(
        model: &'a Model,
        hints: Hints<'a>,
        ticker: &mut Ticker<'_>,
    ) -> Result<Self, Stop> {
        Ok(Prepared {
            model,
            hints,
            graph: Hypergraph::of_groups(model),
            flows: Flows::new(model, hints.semiflows, ticker)?,
        })
    }

    /// The list of a heuristic, top first.
    pub(super) fn list(
        &self,
        heuristic: Heuristic,
        ticker: &mut Ticker<'_>,
    ) -> Result<Vec<u32>, Stop> {
        let declared: Vec<u32> = (0..self.graph.variables() as u32).collect();
        let graph = &self.graph;
        let mut list = match heuristic {
            Heuristic::Declared => return Ok(declared),
            Heuristic::Force => force::improve(graph, declared, ticker)?,
            Heuristic::ForceHints => {
                let flows = self.flows.variables.iter();
                let flows = flows.map(|list| list.iter().copied().map(VarId).collect());
                let units = self.hints.units.iter().map(|unit| unit.variables.clone());
                let graph = Hypergraph::new(self.model, flows.chain(units));
                force::improve(&graph, declared, ticker)?
            }
            Heuristic::CuthillMcKee => bandwidth::cuthill_mckee(graph, ticker)?,
            Heuristic::Sloan => sloan::order(graph, ticker)?,
            Heuristic::Noack => noack::order(self.model, noack::Variant::Noack, ticker)?,
            Heuristic::Tovchigrechko => {
                noack::order(self.model, noack::Variant::Tovchigrechko, ticker)?
            }
            // Units are not taken apart, even if they are not connected.
            Heuristic::Units => return units::order(graph, self.hints.units, &declared, ticker),
            Heuristic::Semiflows => semiflows::order(graph, &self.flows.variables, ticker)?,
        };
        graph.block_components(&mut list);
        Ok(list)
    }

    /// A list improved by FORCE.
    pub(super) fn tuned(&self, list: Vec<u32>, ticker: &mut Ticker<'_>) -> Result<Vec<u32>, Stop> {
        let mut list = force::improve(&self.graph, list, ticker)?;
        self.graph.block_components(&mut list);
        Ok(list)
    }
}
