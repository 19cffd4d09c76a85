//! The experiments that there are, a file each: models, formulas, approaches and claims as data.

mod automata;
mod ctl_star;
mod p11;
mod p12;
mod p14;
mod p15;
mod por;
mod states;

use crate::experiment::{Class, Experiment, Source};

/// Random formulas without `X`.
const RANDOM: Class = Class {
    name: "random",
    source: Source::Random {
        size: 15,
        next: false,
    },
};
/// Random formulas without `X` under weak fairness.
const WEAK_FAIR: Class = Class {
    name: "weak fairness",
    source: Source::WeakFair {
        size: 30,
        fair: 3,
        next: false,
    },
};
/// What the papers call case studies: models that come with formulas.
const CASE_STUDY: Class = Class {
    name: "case study",
    source: Source::Given { next: false },
};
/// Stutter-invariant formulas that come with a model.
const GIVEN: Class = Class {
    name: "given",
    source: Source::Given { next: false },
};

/// All experiments.
pub const ALL: &[Experiment] = &[
    p11::P11,
    p12::P12,
    p14::P14,
    p15::P15,
    por::POR,
    ctl_star::CTL_STAR,
    states::STATES,
    automata::AUTOMATA,
];

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
