//! Pictures of nets and automata, as SVG.
//!
//! Pages rely on classes and attributes of the elements:
//!
//! | element | what it is |
//! | --- | --- |
//! | `<g class="place" data-place="I">` | place `I` of the net, with a `<circle>`, a `<text class="tokens">`, which is there even when it is empty, and a `<text class="label">` |
//! | `<g class="transition" data-transition="I">` | transition `I` of the net, with a `<rect>` and a `<text class="label">` |
//! | `<g class="arc" data-place="P" data-transition="T" data-direction="in">` | an arc, `in` from the place to the transition or `out`; also of class `test` or `inhibitor` |
//! | `<g class="state" data-state="I">` | a state of an automaton; also of class `accepting` or `livelock` |
//! | `<g class="edge" data-from="I" data-to="J" data-edges="0 1">` | all edges from one state to another; the numbers are positions in `states[I].edges` of the automaton as `dalsegno.automaton/1` |
//! | `<g class="initial" data-state="I">` | the arrow to an initial state |
//!
//! A node with neighbours that are not shown is also of class `more`. Names are in a `<title>` in full.

mod automaton;
mod film;
mod net;
mod positions;
mod slice;

pub use automaton::{automaton, content, testing_automaton};
pub use film::film;
pub use net::{Arrangement, NetPicture, net, tokens_text};
pub use slice::{Slice, around};

use dalsegno_draw::{Error, Graph, Layout, svg};
use dalsegno_models::petri::{PlaceId, TransitionId};
use thiserror::Error as ThisError;

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// The picture, an `<svg>` element.
    pub svg: String,
    /// Its width in pixels.
    pub width: f64,
    /// Its height in pixels.
    pub height: f64,
    /// The places of a net that are in it, ascending.
    pub places: Vec<PlaceId>,
    /// The transitions of a net that are in it, ascending.
    pub transitions: Vec<TransitionId>,
}

/// Why there is no picture.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
#[non_exhaustive]
pub enum PictureError {
    /// There is too much to draw.
    #[error(transparent)]
    TooLarge(#[from] Error),
    /// The given marking is not one of the net.
    #[error("the marking has {found} numbers, and the net has {places} places")]
    Marking {
        /// How many numbers it has.
        found: usize,
        /// How many places the net has.
        places: usize,
    },
    /// The slice names a node that is not in the net.
    #[error("the slice has {0}, which the net does not have")]
    NoSuchNode(String),
    /// A run has too many states.
    #[error("the run has {0} states, and a picture at most {1}")]
    Frames(usize, usize),
    /// What is to be drawn branches.
    #[error("only runs and paths can be drawn, and this is a tree of paths")]
    Tree,
    /// Positions of the file are wanted, and the file has none, or they cannot be used.
    #[error("the file has no positions that can be used: {0}")]
    Positions(&'static str),
}

impl Picture {
    fn new(graph: &Graph, layout: &Layout) -> Self {
        let bounds = layout.bounds(graph);
        Picture {
            svg: svg(graph, layout),
            width: bounds.width(),
            height: bounds.height(),
            places: Vec::new(),
            transitions: Vec::new(),
        }
    }
}
