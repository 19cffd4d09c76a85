//! The experiments that there are.

use crate::approach::{
    BA, DIAGRAM, GRAPH, SETS, STATE_BY_STATE, TA, TGBA, TGBA_LOOPS, TGBA_NOSAT, TGBA_SAT, TGTA,
    TGTA_NOSAT, TGTA_SAT, TO_BA, TO_TA, TO_TGBA, TO_TGTA,
};
use crate::experiment::{Claim, Class, Experiment, Source};
use crate::ledger::Verdict::{Fails, Holds};
use crate::selection::Rule;
use crate::summary::Measure::{
    AutomatonStates, AutomatonTransitions, Memory, ProductStates, SearchTime, States, Time,
    Transitions,
};

const RANDOM: Class = Class {
    name: "random",
    source: Source::Random {
        size: 15,
        next: false,
    },
};
const WEAK_FAIR: Class = Class {
    name: "weak fairness",
    source: Source::WeakFair {
        size: 30,
        fair: 3,
        next: false,
    },
};
const CASE_STUDY: Class = Class {
    name: "case study",
    source: Source::CaseStudy,
};

/// BA, TGBA and TA (P11).
const P11: Experiment = Experiment {
    name: "p11",
    title: "Büchi, generalised Büchi and testing automata on Petri nets",
    source: "Ben Salem, Duret-Lutz, Kordon: Generalized Büchi automata versus testing automata for model checking (2011), section 3",
    models: &["fms:5", "kanban:5", "philosophers:8", "ring:6", "mapk:8"],
    quick_models: &["fms:3", "kanban:3", "philosophers:8", "ring:5"],
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
    ],
};

/// TGBA, TA and TGTA (P12).
const P12: Experiment = Experiment {
    name: "p12",
    title: "Generalised testing automata against testing and generalised Büchi automata",
    source: "Ben Salem, Duret-Lutz, Kordon: Model checking using generalized testing automata (2012), section 4",
    models: &["kanban:5", "fms:5", "ring:6", "peterson:3", "mapk:8"],
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
    ],
};

/// BA, TGBA and TGTA on all of LTL (P15).
const P15: Experiment = Experiment {
    name: "p15",
    title: "Generalised testing automata for all of LTL",
    source: "Ben Salem: Extending testing automata to all LTL (2015), section 5",
    models: &[
        "fms:4",
        "fms:5",
        "kanban:4",
        "kanban:5",
        "peterson:2",
        "peterson:3",
        "ring:5",
        "ring:6",
        "philosophers:9",
        "philosophers:10",
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
    ],
};

/// TGBA and TGTA on decision diagrams (P14).
const P14: Experiment = Experiment {
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
    classes: &[RANDOM],
    approaches: &[TGBA_SAT, TGTA_SAT, TGBA_NOSAT, TGTA_NOSAT, TGBA_LOOPS],
    rule: Rule::Screened(2_000),
    quick_threshold: None,
    formulas: (100, 5),
    timeout: (1800, 20),
    product: false,
    pairs: &[
        ("TGBA (sat)", "TGTA (sat)"),
        ("TGBA (nosat)", "TGBA (sat)"),
        ("TGTA (nosat)", "TGTA (sat)"),
        ("TGBA (nosat)", "TGTA (nosat)"),
        ("TGBA (loops)", "TGTA (sat)"),
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

/// LTL, CTL and CTL* by the engines for branching time.
const CTL_STAR: Experiment = Experiment {
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

/// State spaces with both engines.
const STATES: Experiment = Experiment {
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

/// The sizes of automata.
const AUTOMATA: Experiment = Experiment {
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

/// All experiments.
pub const ALL: &[Experiment] = &[P11, P12, P14, P15, CTL_STAR, STATES, AUTOMATA];

/// The experiment of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Experiment> {
    ALL.iter().find(|experiment| experiment.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approach::Approach;
    use crate::subject::Subject;

    #[test]
    fn experiments_fit_together() {
        for experiment in ALL {
            let has = |name: &str| experiment.approaches.iter().any(|a| a.name == name);
            for approach in experiment.approaches {
                assert_eq!(Approach::named(approach.name), Some(*approach));
            }
            for (x, y) in experiment.pairs {
                assert!(has(x) && has(y) && x != y, "{}: {x}, {y}", experiment.name);
            }
            for claim in experiment.claims {
                assert!(has(claim.better) && has(claim.than), "{}", claim.text);
            }
            for model in experiment.models.iter().chain(experiment.quick_models) {
                assert!(Subject::parse(model).is_ok(), "{model}");
            }
            let names: Vec<&str> = ALL.iter().map(|e| e.name).collect();
            assert_eq!(names.iter().filter(|n| **n == experiment.name).count(), 1);
        }
    }
}
