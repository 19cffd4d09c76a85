//! State spaces with both engines.

use crate::approach::{DIAGRAM, STATE_BY_STATE};
use crate::experiment::{Class, Experiment, Source};
use crate::selection::Rule;
use crate::summary::Measure::{Memory, Time};

pub(super) const STATES: Experiment = Experiment {
    name: "states",
    title: "State spaces, state by state and as decision diagrams",
    source: "the families of nets of the papers",
    models: &[
        "fms:4",
        "fms:5",
        "kanban:4",
        "kanban:5",
        "ring:5",
        "ring:6",
        "philosophers:10",
        "philosophers:12",
        "phils:8",
        "phils:9",
        "peterson:2",
        "peterson:3",
        "mutex:14",
        "mutex:15",
        "mapk:8",
        "fms:20",
        "kanban:50",
        "ring:10",
        "phils:100",
        "mapk:20",
    ],
    quick_models: &[
        "fms:3",
        "kanban:4",
        "ring:5",
        "philosophers:10",
        "phils:8",
        "peterson:2",
        "mutex:14",
        "fms:20",
        "kanban:50",
        "ring:10",
        "phils:100",
    ],
    classes: &[Class {
        name: "state space",
        source: Source::None,
    }],
    approaches: &[STATE_BY_STATE, DIAGRAM],
    rule: Rule::Any,
    quick_threshold: None,
    formulas: (1, 1),
    timeout: (120, 10),
    product: false,
    pairs: &[("explicit", "symbolic")],
    plots: &[Time, Memory],
    claims: &[],
};
