//! What an experiment is: data that one runner and one report understand.

use crate::approach::Approach;
use crate::ledger::Verdict;
use crate::selection::Rule;
use crate::summary::Measure;

/// An experiment of a paper, or one of its kind.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it compares, in a line.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The models of the paper.
    pub models: &'static [&'static str],
    /// Smaller ones, for minutes.
    pub quick_models: &'static [&'static str],
    /// The classes of formulas; one without formulas if models alone are measured.
    pub classes: &'static [Class],
    /// What is compared, in the order of running: the first one screens the formulas.
    pub approaches: &'static [Approach],
    /// Which formulas count.
    pub rule: Rule,
    /// Another threshold of that rule in a quick run.
    pub quick_threshold: Option<f64>,
    /// Formulas per class, model and verdict; in a quick run, the second number.
    pub formulas: (usize, usize),
    /// Seconds per run; in a quick run, the second number.
    pub timeout: (u64, u64),
    /// Whether the size of the whole product is wanted; of diagrams, the share of stuttering transitions.
    pub product: bool,
    /// The pairs of approaches that are plotted against each other, the first one along x.
    pub pairs: &'static [(&'static str, &'static str)],
    /// What is plotted.
    pub plots: &'static [Measure],
    /// What the paper says.
    pub claims: &'static [Claim],
}

impl Experiment {
    /// The approaches that do formulas of a class.
    pub fn approaches_of(&self, class: &Class) -> impl Iterator<Item = &'static Approach> + use<> {
        let source = class.source;
        let approaches = self.approaches.iter();
        approaches.filter(move |approach| approach.does(source))
    }
}

/// A class of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Its name.
    pub name: &'static str,
    /// Where its formulas come from.
    pub source: Source,
}

/// Where formulas come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Nowhere: the model is measured by itself.
    None,
    /// Random LTL.
    Random {
        /// Nodes of the syntax tree.
        size: usize,
        /// Whether `X` occurs.
        next: bool,
    },
    /// `(GF p1 & … & GF pn) -> φ` with a random φ.
    WeakFair {
        /// Nodes of the syntax tree, the premises included.
        size: usize,
        /// How many premises.
        fair: usize,
        /// Whether `X` occurs.
        next: bool,
    },
    /// Random CTL.
    Ctl {
        /// Nodes of the syntax tree.
        size: usize,
    },
    /// Random CTL*.
    CtlStar {
        /// Nodes of the syntax tree.
        size: usize,
    },
    /// The formulas that come with a model, in files or known to this program; other models have none.
    Given {
        /// Whether formulas that are not stutter-invariant count.
        next: bool,
    },
    /// The patterns of the literature.
    Patterns,
}

impl Source {
    /// Whether formulas are of LTL.
    #[must_use]
    pub fn is_linear(self) -> bool {
        !matches!(self, Source::None) && !self.is_branching()
    }

    /// Whether formulas have path quantifiers.
    #[must_use]
    pub fn is_branching(self) -> bool {
        matches!(self, Source::Ctl { .. } | Source::CtlStar { .. })
    }

    /// Whether formulas are drawn until enough of them qualify.
    #[must_use]
    pub fn is_random(self) -> bool {
        let linear = matches!(self, Source::Random { .. } | Source::WeakFair { .. });
        linear || self.is_branching()
    }
}

/// What a paper says of two approaches.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The paper's words, shortened.
    pub text: &'static str,
    /// What is measured.
    pub measure: Measure,
    /// The approach that is said to be better.
    pub better: &'static str,
    /// The approach that it is compared with.
    pub than: &'static str,
    /// For which formulas; all if absent.
    pub side: Option<Verdict>,
    /// The ratio that the paper claims at most: 1 for "better".
    pub factor: f64,
}
