//! Stubborn sets with TGBA and with TGTA.
//!
//! Each kind of automaton without and with them, on the same formulas. A TGTA tells per state what it still reacts to, and
//! where stuttering is free; a TGBA has rule X, or I sets if it is deterministic and its language is stutter-invariant.

use super::{CASE_STUDY, RANDOM, WEAK_FAIR};
use crate::approach::{TGBA, TGBA_POR, TGTA, TGTA_POR};
use crate::experiment::{Claim, Experiment};
use crate::ledger::Verdict::{Fails, Holds};
use crate::selection::Rule;
use crate::summary::Measure::{States, Time, Transitions};

pub(super) const POR: Experiment = Experiment {
    name: "por",
    title: "Stubborn sets with generalised Büchi automata and with generalised testing automata",
    source: "the families of the papers on testing automata, and models of other kinds that are given by path",
    models: &[
        "kanban:4",
        "fms:4",
        "ring:6",
        "peterson:3",
        "mapk:8",
        "philosophers:8",
        "phils:7",
        "mutex:10",
    ],
    quick_models: &[
        "kanban:3",
        "fms:3",
        "ring:5",
        "peterson:2",
        "philosophers:6",
        "phils:5",
        "mutex:8",
    ],
    classes: &[RANDOM, WEAK_FAIR, CASE_STUDY],
    approaches: &[TGBA, TGBA_POR, TGTA, TGTA_POR],
    rule: Rule::States {
        more_than: 2_000,
        in_all: false,
    },
    quick_threshold: None,
    formulas: (50, 8),
    timeout: (300, 20),
    product: false,
    pairs: &[
        ("TGBA", "TGBA (por)"),
        ("TGTA", "TGTA (por)"),
        ("TGBA (por)", "TGTA (por)"),
    ],
    plots: &[States, Transitions, Time],
    claims: &[
        Claim {
            text: "verified: with stubborn sets, TGBA explore fewer states",
            measure: States,
            better: "TGBA (por)",
            than: "TGBA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: with stubborn sets, TGTA explore fewer states",
            measure: States,
            better: "TGTA (por)",
            than: "TGTA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: with stubborn sets, TGTA explore fewer states than TGBA",
            measure: States,
            better: "TGTA (por)",
            than: "TGBA (por)",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "violated: with stubborn sets, TGTA explore fewer states than TGBA",
            measure: States,
            better: "TGTA (por)",
            than: "TGBA (por)",
            side: Some(Fails),
            factor: 1.0,
        },
        Claim {
            text: "with stubborn sets, TGTA take at most 1.1 times the processor time",
            measure: Time,
            better: "TGTA (por)",
            than: "TGTA",
            side: None,
            factor: 1.1,
        },
    ],
};
