//! P12: TGBA, TA and TGTA on the fly.
//!
//! The paper's Peterson 5 has 6.3 × 10^8 states: five processes, which is parameter 4 here, as in the
//! contest. Most of its products outgrow any limit; so the paper's formulas are those whose products do not.

use super::{CASE_STUDY, RANDOM, WEAK_FAIR};
use crate::approach::{TA, TGBA, TGTA};
use crate::experiment::{Claim, Experiment};
use crate::ledger::Verdict::{Fails, Holds};
use crate::selection::Rule;
use crate::summary::Measure::{Memory, ProductStates, States, Time, Transitions};

pub(super) const P12: Experiment = Experiment {
    name: "p12",
    title: "Generalised testing automata against testing and generalised Büchi automata",
    source: "Ben Salem, Duret-Lutz, Kordon: Model checking using generalized testing automata (2012), section 4",
    models: &["kanban:5", "fms:5", "ring:6", "peterson:4", "mapk:8"],
    quick_models: &["kanban:3", "fms:3", "ring:5", "peterson:2"],
    classes: &[RANDOM, WEAK_FAIR, CASE_STUDY],
    approaches: &[TGBA, TA, TGTA],
    rule: Rule::States {
        more_than: 2_000,
        in_all: true,
    },
    quick_threshold: None,
    formulas: (100, 8),
    timeout: (300, 20),
    product: true,
    pairs: &[("TA", "TGTA"), ("TGBA", "TGTA"), ("TGBA", "TA")],
    plots: &[Transitions, States, Time, Memory],
    claims: &[
        Claim {
            text: "verified: TGTA explore no more transitions than TGBA",
            measure: Transitions,
            better: "TGTA",
            than: "TGBA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: TGTA explore no more transitions than TA",
            measure: Transitions,
            better: "TGTA",
            than: "TA",
            side: Some(Holds),
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
            text: "violated: TGTA are comparable with TA",
            measure: Transitions,
            better: "TGTA",
            than: "TA",
            side: Some(Fails),
            factor: 1.25,
        },
        Claim {
            text: "the product with a TGTA is the smallest on the average (against TGBA)",
            measure: ProductStates,
            better: "TGTA",
            than: "TGBA",
            side: None,
            factor: 1.0,
        },
        Claim {
            text: "the product with a TGTA is the smallest on the average (against TA)",
            measure: ProductStates,
            better: "TGTA",
            than: "TA",
            side: None,
            factor: 1.0,
        },
        Claim {
            text: "violated: TA explore fewer transitions than TGBA on the average",
            measure: Transitions,
            better: "TA",
            than: "TGBA",
            side: Some(Fails),
            factor: 1.0,
        },
    ],
};
