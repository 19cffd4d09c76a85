//! What a search in a product is asked, and what it tells.

use crate::nodes::{Node, NodeMap};
use crate::product::Edge;
use crate::search_order::SearchOrder;

/// What a search looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Explored {
    /// Nodes entered, in all passes.
    pub states: u64,
    /// Transitions taken, in all passes.
    pub transitions: u64,
    /// Passes over the product.
    pub passes: u32,
    /// The groups that were enabled at nodes where a stubborn set was looked for.
    pub enabled: u64,
    /// Those of them that were fired.
    pub fired: u64,
}

impl Explored {
    /// What two searches looked at together.
    #[must_use]
    pub fn and(&self, other: &Explored) -> Explored {
        Explored {
            states: self.states + other.states,
            transitions: self.transitions + other.transitions,
            passes: self.passes + other.passes,
            enabled: self.enabled + other.enabled,
            fired: self.fired + other.fired,
        }
    }
}

/// An accepting component: nodes that are all reachable from each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepting {
    /// Its nodes so far, ascending.
    pub nodes: Vec<Node>,
    /// Whether it accepts by stuttering for ever.
    pub livelock: bool,
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The order in which groups are tried.
    pub order: SearchOrder,
    /// The longest path to follow, if there is a limit.
    pub depth: Option<usize>,
    /// The most nodes to enter in a pass, if there is a limit. With a limit of bits it counts only once a
    /// value was too large: until then nothing is left out, and the search may as well go on.
    pub nodes: Option<u64>,
    /// The most bits that a value may have, if there is a limit.
    pub bits: Option<u32>,
    /// What is done about a path after which the observer accepts whatever comes next.
    pub prefixes: Prefixes,
    /// Which of the enabled groups are fired.
    pub firing: Firing,
}

/// Which of the groups that are enabled at a node a search fires. Under fairness it is always all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Firing {
    /// All.
    #[default]
    All,
    /// Those of a small stubborn set; see `stubborn/choice.rs`.
    Stubborn,
    /// Those of a random one among the valid ones, the same for the same number. For tests.
    Random(u64),
}

/// What a search does where the observer accepts whatever comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prefixes {
    /// It goes on.
    #[default]
    Ignore,
    /// It keeps the first such path and goes on.
    Keep,
    /// It ends; and if it ends by a cycle, it keeps the path that closes it, however long that is.
    Stop,
}

/// The path on which a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// Its nodes but the last, with the transitions that leave them.
    pub steps: Vec<(Node, Edge)>,
    /// The last one.
    pub end: Node,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Search {
    /// An accepting component, if there is one.
    pub accepting: Option<Accepting>,
    /// The path that closes a cycle of this component, if it was asked for.
    pub closing: Option<Path>,
    /// A path after which everything is accepted, if it was asked for.
    pub prefix: Option<Path>,
    /// What was looked at.
    pub explored: Explored,
    /// The nodes entered: those with a number other than 0.
    pub visited: NodeMap,
    /// Whether a limit of depth or of nodes left something out.
    pub cut: bool,
    /// Whether nothing was left out.
    pub complete: bool,
}
