//! LTL, CTL and CTL* by the engines for branching time, against those for LTL.

use crate::approach::{GRAPH, SETS, TGTA, TGTA_SAT};
use crate::experiment::{Class, Experiment, Source};
use crate::selection::Rule;
use crate::summary::Measure::{Memory, Time};

pub(super) const CTL_STAR: Experiment = Experiment {
    name: "ctlstar",
    title: "CTL* and its fragments",
    source: "LTL by automata and as a part of CTL*, CTL and CTL* state by state and on decision diagrams; after Galla': An automata-based implementation of a symbolic CTL* model checker",
    models: &[
        "kanban:4",
        "fms:4",
        "ring:5",
        "philosophers:9",
        "phils:7",
        "peterson:2",
    ],
    quick_models: &["kanban:3", "fms:2", "ring:4", "philosophers:6"],
    classes: &[
        Class {
            name: "LTL",
            source: Source::Random {
                size: 15,
                next: true,
            },
        },
        Class {
            name: "CTL",
            source: Source::Ctl { size: 15 },
        },
        Class {
            name: "CTL*",
            source: Source::CtlStar { size: 15 },
        },
    ],
    approaches: &[TGTA, TGTA_SAT, GRAPH, SETS],
    rule: Rule::Screened(500),
    quick_threshold: None,
    formulas: (50, 5),
    timeout: (300, 20),
    product: false,
    pairs: &[
        ("CTL* (explicit)", "CTL* (symbolic)"),
        ("TGTA", "CTL* (explicit)"),
        ("TGTA (sat)", "CTL* (symbolic)"),
    ],
    plots: &[Time, Memory],
    claims: &[],
};
