//! Choices of the user: which engine, which automaton, what an answer should come with.

use dalsegno_automata::observer::Kind;
use dalsegno_explicit::emptiness;
use dalsegno_symbolic::ltl::{NEAR, Saturation};
use dalsegno_symbolic::order::Recipe;

use crate::method::Hosts;
use crate::proof::Way;
use crate::translation::Propositions;

/// Which engine does the work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Engine {
    /// The one that fits.
    #[default]
    Auto,
    /// States one by one.
    Explicit,
    /// Sets of states as decision diagrams.
    Symbolic,
}

dalsegno_kripke::choices!(
    Engine, "engine", Auto => "auto", Explicit => "explicit", Symbolic => "symbolic"
);

/// How the explicit engine looks for accepting cycles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Emptiness {
    /// Depth first, by Couvreur's algorithm: violations are found on the way.
    Couvreur,
    /// The whole product first, then OWCTY: less memory, and any number of threads.
    Owcty,
}

dalsegno_kripke::choices!(
    Emptiness, "emptiness check", Couvreur => "couvreur", Owcty => "owcty"
);

/// A choice between yes and no.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

dalsegno_kripke::choices!(Switch, "choice", On => "on", Off => "off");

/// How the time is divided: see [`plan`](crate::plan).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Strategy {
    /// For somebody who waits: shares are counted in work first.
    #[default]
    Interactive,
    /// For a time that is granted: shares of it.
    Contest,
}

dalsegno_kripke::choices!(
    Strategy, "strategy", Interactive => "interactive", Contest => "contest"
);

/// Whether nets are reduced by their structure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Reductions {
    /// For questions that are not answered at once, where that makes the net enough smaller.
    #[default]
    On,
    /// Never.
    Off,
    /// Before anything else is tried, wherever something can be removed.
    First,
}

dalsegno_kripke::choices!(
    Reductions, "use of reductions", On => "on", Off => "off", First => "first"
);

/// Choices for all questions of a run.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice by itself")]
pub struct Settings {
    /// Which engine.
    pub engine: Engine,
    /// How the time is divided.
    pub strategy: Strategy,
    /// The kind of automaton; chosen by the formula if there is none.
    pub automaton: Option<Kind>,
    /// What automata observe.
    pub propositions: Propositions,
    /// How diagrams are saturated.
    pub saturation: Saturation,
    /// Which order of the levels diagrams have; the one that wins a race if absent.
    pub order: Option<Recipe>,
    /// Whether answers come with runs and explanations. Without it a formula that fails may be answered by
    /// sets of states alone.
    pub evidence: bool,
    /// Whether answers that no run or path shows come with proofs, where there are some.
    pub proofs: bool,
    /// How proofs are made.
    pub proof_way: Way,
    /// Whether the automaton of the negation is shown along the evidence.
    pub automaton_run: bool,
    /// Whether answers come with what pages show beside the evidence: see [`Details`](crate::Details).
    pub details: bool,
    /// Whether a violation is shown by a whole run, also where its beginning is enough.
    pub lasso: bool,
    /// Whether the shortest evidence of linear time is looked for, whatever that takes.
    pub shortest: bool,
    /// How many states diagrams look at one by one for a run, before it is built from sets.
    pub near: usize,
    /// In which order the first explicit search looks at the product, and how far.
    pub search: emptiness::Config,
    /// Whether the explicit engine leaves out steps by stubborn sets, where the answer cannot depend on them.
    pub por: bool,
    /// How the explicit engine looks for accepting cycles; as the plan says if absent.
    pub emptiness: Option<Emptiness>,
    /// How many threads may work at the same time; with one, methods that share their work among threads do without.
    pub threads: usize,
    /// Processes on other hosts that do the same; floods alone answer then.
    pub hosts: Option<Hosts>,
    /// Whether the whole product is explored after a search, to tell its size; diagrams tell the share of
    /// stuttering transitions instead.
    pub product_size: bool,
    /// Whether nets are reduced.
    pub reductions: Reductions,
    /// For CTL and CTL*, how many of the states that satisfy a property are told, if they are asked for.
    pub sample: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            engine: Engine::Auto,
            strategy: Strategy::Interactive,
            automaton: None,
            propositions: Propositions::Boolean,
            saturation: Saturation::default(),
            order: None,
            evidence: true,
            proofs: false,
            proof_way: Way::Auto,
            automaton_run: false,
            details: false,
            lasso: false,
            shortest: false,
            near: NEAR,
            search: emptiness::Config::default(),
            por: true,
            emptiness: None,
            threads: 1,
            hosts: None,
            product_size: false,
            reductions: Reductions::On,
            sample: None,
        }
    }
}

impl Settings {
    /// The settings of the contest: its strategy, and answers alone.
    #[must_use]
    pub fn contest() -> Self {
        Settings {
            strategy: Strategy::Contest,
            evidence: false,
            ..Settings::default()
        }
    }

    /// Whether nothing is asked but whether formulas hold.
    pub(crate) fn answers_alone(&self) -> bool {
        !self.evidence && !self.proofs && self.sample.is_none()
    }
}
