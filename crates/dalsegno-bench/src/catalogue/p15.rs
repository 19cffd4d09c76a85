//! P15: BA, TGBA and TGTA on the fly, for all of LTL.
//!
//! Two instances of each model of the paper. Its Peterson 4 and 5 are parameters 3 and 4 here, as a parameter
//! counts the other processes. Only Ciardo's philosophers 9 and 10 (439,204 and 1,860,498 states) are
//! large enough for formulas that take a second; the contest's have 19,683 and 59,049.

use crate::approach::{BA, TGBA, TGTA};
use crate::experiment::{Claim, Class, Experiment, Source};
use crate::ledger::Verdict::{Fails, Holds};
use crate::selection::Rule;
use crate::summary::Measure::{Memory, ProductStates, Time, Transitions};

pub(super) const P15: Experiment = Experiment {
    name: "p15",
    title: "Generalised testing automata for all of LTL",
    source: "Ben Salem: Extending testing automata to all LTL (2015), section 5",
    models: &[
        "fms:4",
        "fms:5",
        "kanban:4",
        "kanban:5",
        "peterson:3",
        "peterson:4",
        "ring:5",
        "ring:6",
        "phils:9",
        "phils:10",
        "mutex:14",
        "mutex:15",
        "mapk:8",
    ],
    quick_models: &["fms:3", "kanban:4", "ring:6", "mutex:12"],
    classes: &[
        Class {
            name: "random",
            source: Source::Random {
                size: 15,
                next: true,
            },
        },
        Class {
            name: "weak fairness",
            source: Source::WeakFair {
                size: 30,
                fair: 3,
                next: true,
            },
        },
        Class {
            name: "given",
            source: Source::Given { next: true },
        },
    ],
    approaches: &[TGBA, BA, TGTA],
    rule: Rule::Seconds {
        more_than: 1.0,
        in_all: true,
    },
    quick_threshold: Some(0.05),
    formulas: (100, 5),
    timeout: (600, 30),
    product: true,
    pairs: &[("TGBA", "TGTA"), ("BA", "TGTA")],
    plots: &[ProductStates, Transitions, Time, Memory],
    claims: &[
        Claim {
            text: "verified: the product with a TGTA is smaller than with a TGBA",
            measure: ProductStates,
            better: "TGTA",
            than: "TGBA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: the product with a TGTA is smaller than with a BA",
            measure: ProductStates,
            better: "TGTA",
            than: "BA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: TGTA explore fewer transitions than TGBA",
            measure: Transitions,
            better: "TGTA",
            than: "TGBA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: TGTA explore fewer transitions than BA",
            measure: Transitions,
            better: "TGTA",
            than: "BA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "violated: the product with a TGTA is smaller than with a TGBA",
            measure: ProductStates,
            better: "TGTA",
            than: "TGBA",
            side: Some(Fails),
            factor: 1.0,
        },
        Claim {
            text: "violated: the product with a TGTA is smaller than with a BA",
            measure: ProductStates,
            better: "TGTA",
            than: "BA",
            side: Some(Fails),
            factor: 1.0,
        },
        Claim {
            text: "violated: TGTA are comparable with TGBA",
            measure: Transitions,
            better: "TGTA",
            than: "TGBA",
            side: Some(Fails),
            factor: 1.25,
        },
        Claim {
            text: "violated: TGTA are comparable with BA",
            measure: Transitions,
            better: "TGTA",
            than: "BA",
            side: Some(Fails),
            factor: 1.25,
        },
    ],
};
