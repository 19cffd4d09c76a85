//! The sizes of the four kinds of automata.

use super::{RANDOM, WEAK_FAIR};
use crate::approach::{TO_BA, TO_TA, TO_TGBA, TO_TGTA};
use crate::experiment::{Claim, Class, Experiment, Source};
use crate::selection::Rule;
use crate::summary::Measure::{AutomatonStates, AutomatonTransitions};

pub(super) const AUTOMATA: Experiment = Experiment {
    name: "automata",
    title: "Sizes of the four kinds of automata",
    source: "the columns \"automaton\" of the papers' tables, over lists of formulas",
    models: &[],
    quick_models: &[],
    classes: &[
        Class {
            name: "patterns",
            source: Source::Patterns,
        },
        RANDOM,
        WEAK_FAIR,
    ],
    approaches: &[TO_TGBA, TO_BA, TO_TA, TO_TGTA],
    rule: Rule::Any,
    quick_threshold: None,
    formulas: (200, 40),
    timeout: (30, 10),
    product: false,
    pairs: &[
        ("to TGBA", "to BA"),
        ("to TGBA", "to TGTA"),
        ("to TA", "to TGTA"),
    ],
    plots: &[AutomatonStates, AutomatonTransitions],
    claims: &[
        Claim {
            text: "TGBA have fewer states than BA",
            measure: AutomatonStates,
            better: "to TGBA",
            than: "to BA",
            side: None,
            factor: 1.0,
        },
        Claim {
            text: "TGTA have fewer states than TA",
            measure: AutomatonStates,
            better: "to TGTA",
            than: "to TA",
            side: None,
            factor: 1.0,
        },
        Claim {
            text: "TA are a lot larger than TGBA",
            measure: AutomatonStates,
            better: "to TGBA",
            than: "to TA",
            side: None,
            factor: 0.5,
        },
    ],
};
