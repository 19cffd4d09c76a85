//! P14: TGBA and TGTA on decision diagrams.
//!
//! The paper's models are of BEEM, in ETF: files to be given. BA and the saturation by the self-loops
//! of a TGBA are not in the paper.

use super::{GIVEN, RANDOM};
use crate::approach::{BA_SAT, TGBA_LOOPS, TGBA_NOSAT, TGBA_SAT, TGTA_NOSAT, TGTA_SAT};
use crate::experiment::{Claim, Experiment};
use crate::selection::Rule;
use crate::summary::Measure::{Memory, SearchTime, Time};

pub(super) const P14: Experiment = Experiment {
    name: "p14",
    title: "Generalised testing automata on decision diagrams",
    source: "Ben Salem, Duret-Lutz, Kordon, Thierry-Mieg: Symbolic model checking of stutter-invariant properties using generalized testing automata (2014), section 4",
    models: &[
        "fms:5",
        "kanban:5",
        "ring:6",
        "philosophers:10",
        "phils:10",
        "peterson:3",
        "mutex:15",
        "mapk:8",
    ],
    quick_models: &["fms:3", "kanban:4", "ring:5", "philosophers:8", "mutex:12"],
    classes: &[RANDOM, GIVEN],
    approaches: &[
        TGBA_SAT, TGTA_SAT, TGBA_NOSAT, TGTA_NOSAT, TGBA_LOOPS, BA_SAT,
    ],
    rule: Rule::Screened(2_000),
    quick_threshold: None,
    formulas: (100, 5),
    timeout: (1800, 20),
    product: true,
    pairs: &[
        ("TGBA (sat)", "TGTA (sat)"),
        ("TGBA (nosat)", "TGBA (sat)"),
        ("TGTA (nosat)", "TGTA (sat)"),
        ("TGBA (nosat)", "TGTA (nosat)"),
        ("TGBA (nosat)", "TGTA (sat)"),
        ("TGBA (sat)", "TGTA (nosat)"),
        ("TGBA (loops)", "TGTA (sat)"),
        ("BA (sat)", "TGTA (sat)"),
    ],
    plots: &[SearchTime, Time, Memory],
    claims: &[
        Claim {
            text: "TGTA outperform TGBA by an order of magnitude in time, both with saturation",
            measure: SearchTime,
            better: "TGTA (sat)",
            than: "TGBA (sat)",
            side: None,
            factor: 0.1,
        },
        Claim {
            text: "TGTA outperform TGBA in memory, both with saturation",
            measure: Memory,
            better: "TGTA (sat)",
            than: "TGBA (sat)",
            side: None,
            factor: 1.0,
        },
        Claim {
            text: "saturation strongly improves TGTA",
            measure: SearchTime,
            better: "TGTA (sat)",
            than: "TGTA (nosat)",
            side: None,
            factor: 0.5,
        },
        Claim {
            text: "saturation does not significantly improve TGBA",
            measure: SearchTime,
            better: "TGBA (nosat)",
            than: "TGBA (sat)",
            side: None,
            factor: 1.25,
        },
    ],
};
