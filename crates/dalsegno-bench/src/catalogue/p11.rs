//! P11: BA, TGBA and TA on the fly.
//!
//! The paper's philosophers have some 200,000 states for `n = 8`, so they are not the contest's net, which has
//! 6,561; those of Ciardo have 103,682. Its other case study, `PolyORB`, is a file to be given.

use super::{CASE_STUDY, RANDOM, WEAK_FAIR};
use crate::approach::{BA, TA, TGBA};
use crate::experiment::{Claim, Experiment};
use crate::ledger::Verdict::{Fails, Holds};
use crate::selection::Rule;
use crate::summary::Measure::{AutomatonStates, Memory, ProductStates, States, Time, Transitions};

pub(super) const P11: Experiment = Experiment {
    name: "p11",
    title: "Büchi, generalised Büchi and testing automata on Petri nets",
    source: "Ben Salem, Duret-Lutz, Kordon: Generalized Büchi automata versus testing automata for model checking (2011), section 3",
    models: &["fms:5", "kanban:5", "phils:8", "ring:6", "mapk:8"],
    quick_models: &["fms:3", "kanban:3", "phils:6", "ring:5"],
    classes: &[RANDOM, WEAK_FAIR, CASE_STUDY],
    approaches: &[TGBA, BA, TA],
    rule: Rule::States {
        more_than: 2_000,
        in_all: false,
    },
    quick_threshold: None,
    formulas: (100, 8),
    timeout: (300, 20),
    product: true,
    pairs: &[("TGBA", "TA"), ("BA", "TA"), ("TGBA", "BA")],
    plots: &[States, Transitions, Time, Memory],
    claims: &[
        Claim {
            text: "violated: TA explore fewer transitions than BA",
            measure: Transitions,
            better: "TA",
            than: "BA",
            side: Some(Fails),
            factor: 1.0,
        },
        Claim {
            text: "violated: TA explore fewer transitions than TGBA",
            measure: Transitions,
            better: "TA",
            than: "TGBA",
            side: Some(Fails),
            factor: 1.0,
        },
        Claim {
            text: "verified: TGBA explore fewer transitions than TA, which need two passes",
            measure: Transitions,
            better: "TGBA",
            than: "TA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "verified: TGBA are at least as good as BA",
            measure: Transitions,
            better: "TGBA",
            than: "BA",
            side: Some(Holds),
            factor: 1.0,
        },
        Claim {
            text: "the whole product with a TA is smaller than with a BA",
            measure: ProductStates,
            better: "TA",
            than: "BA",
            side: None,
            factor: 1.0,
        },
        Claim {
            text: "TA are a lot larger than BA",
            measure: AutomatonStates,
            better: "BA",
            than: "TA",
            side: None,
            factor: 0.5,
        },
    ],
};
