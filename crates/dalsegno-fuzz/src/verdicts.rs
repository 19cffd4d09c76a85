//! One formula on one model: what all engines and automata say, against the definition.

use std::time::Duration;

use dalsegno::certify::{self, Graph, branching, explanation};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Letter, Predicate, Verdict};
use dalsegno::logic::random::Rng;
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, PropId};
use dalsegno::report::{Witness, run_to_json, witness_from_json};
use dalsegno::symbolic::ltl::{NEAR, Saturation};
use dalsegno::{
    BranchingError, BranchingOptions, BranchingOutcome, BranchingTask, CheckError, CheckOptions,
    Checker, Engine, Outcome, Propositions, Session, Told, check_branching,
};

/// The most states of a graph on which formulas are evaluated by definition.
pub const MOST_STATES: usize = 300;

/// The most states that an engine may store of a model that has more.
const CUT: u64 = 1_000;

/// A formula on a model.
pub struct Question<'s> {
    session: &'s Session,
    store: FormulaStore,
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
    dead_ends: DeadEnds,
    graph: Option<Graph>,
    /// What the first engine said that decided, if there is no definition to ask.
    reference: Option<(String, bool)>,
    rng: Rng,
}

impl<'s> Question<'s> {
    /// The question whether a formula holds; nothing if it is no formula over the names of the model. `variant` chooses
    /// among options that must not matter.
    #[must_use]
    pub fn new(
        session: &'s Session,
        text: &str,
        dead_ends: DeadEnds,
        variant: u64,
    ) -> Option<Self> {
        let mut store = FormulaStore::new();
        let formula = session.parse(&mut store, text).ok()?;
        let atoms = session.atoms(&store, formula).ok()?;
        let predicates: Vec<Predicate> = atoms.iter().map(|atom| atom.1.clone()).collect();
        let graph = Graph::of_model(session.model(), &predicates, MOST_STATES).ok();
        Some(Question {
            session,
            store,
            formula,
            atoms,
            dead_ends,
            graph,
            reference: None,
            rng: Rng::new(variant),
        })
    }

    /// Limits: as good as none for a model that is known to be small.
    fn budget(&self) -> Budget {
        let time =
            |milliseconds| Budget::unlimited().with_time(Duration::from_millis(milliseconds));
        match self.graph {
            Some(_) => time(3_000).with_bytes(1 << 28),
            None => time(150).with_bytes(1 << 24).with_states(CUT),
        }
    }

    /// Checks the formula as one of LTL; whether it was decided.
    ///
    /// # Errors
    /// Who disagrees.
    pub fn linear(&mut self) -> Result<bool, String> {
        if !self.store.is(self.formula, Fragment::LTL) || self.dead_ends == DeadEnds::Finite {
            return Ok(false);
        }
        self.reference = self
            .by_definition()
            .map(|holds| ("definition".to_owned(), holds));
        let mut checker = Checker::new(self.session);
        let automata = [
            None,
            Some(Kind::Tgba),
            Some(Kind::Ba),
            Some(Kind::Tgta),
            Some(Kind::Ta),
        ];
        for engine in [Engine::Explicit, Engine::Symbolic, Engine::Auto] {
            for automaton in automata {
                let unsupported = engine == Engine::Symbolic && automaton == Some(Kind::Ta);
                // Diagrams of a model that is not small are given up by time: one try has to do.
                let futile = self.graph.is_none() && engine != Engine::Explicit;
                if unsupported || futile && automaton != Some(Kind::Tgta) {
                    continue;
                }
                let options = self.linear_options(engine, automaton);
                self.linear_once(&mut checker, &options)?;
            }
        }
        // The same question below a quantifier is one of CTL*.
        let every = self.store.forall(self.formula);
        if self.store.is(every, Fragment::STATE) && every != FormulaId::FALSE {
            let engines = [Engine::Explicit, Engine::Symbolic];
            let engine = engines[self.rng.index(2)];
            self.branching_once(every, engine, None)?;
        }
        Ok(self.reference.is_some())
    }

    fn linear_options(&mut self, engine: Engine, automaton: Option<Kind>) -> CheckOptions {
        let rng = &mut self.rng;
        let saturations = [Saturation::Off, Saturation::Stuttering, Saturation::Loops];
        CheckOptions {
            automaton,
            propositions: [Propositions::Raw, Propositions::Boolean][rng.index(2)],
            dead_ends: self.dead_ends,
            engine,
            saturation: saturations[rng.index(3)],
            witness: rng.chance(3, 4),
            near: [0, 3, NEAR][rng.index(3)],
            ..CheckOptions::default()
        }
    }

    fn linear_once(
        &mut self,
        checker: &mut Checker<'_>,
        options: &CheckOptions,
    ) -> Result<(), String> {
        let budget = self.budget();
        let (f, atoms) = (self.formula, self.atoms.clone());
        let checked = checker.check_ltl(&mut self.store, f, &atoms, options, &budget, |_| {});
        let outcome = match checked {
            Ok(outcome) => outcome,
            // Not every formula is stutter-invariant.
            Err(CheckError::Translation(_)) if options.automaton == Some(Kind::Ta) => return Ok(()),
            Err(CheckError::Model(..)) if self.graph.is_none() => return Ok(()),
            Err(error) => return Err(format!("{} failed: {error}", options.engine.name())),
        };
        let who = format!("{options:?}");
        self.replay(&outcome, options.witness)?;
        let holds = if outcome.refuted {
            Some(false)
        } else {
            outcome.verdict.holds()
        };
        self.said(options.engine, &who, holds)
    }

    /// Replays what an outcome shows, also after it was written and read. Where nobody asked for a witness, a prefix
    /// refutes the formula with what the structure of the net decides put in, and not always the formula itself.
    fn replay(&self, outcome: &Outcome, witness: bool) -> Result<(), String> {
        let (model, store) = (self.session.model(), &self.store);
        let (f, atoms, dead_ends) = (self.formula, &self.atoms, self.dead_ends);
        if let Verdict::Fails(run) = &outcome.verdict {
            certify::refute(model, run, dead_ends, store, f, atoms)
                .map_err(|error| format!("a run does not replay: {error}: {run:?}"))?;
            let again = witness_from_json(model, &run_to_json(model, run));
            if again != Ok(Witness::Run(run.clone())) {
                return Err(format!("a run does not read back: {run:?}"));
            }
        }
        if let Some(path) = outcome.prefix.as_ref().filter(|_| witness) {
            certify::refute_prefix(model, path, store, f, atoms)
                .map_err(|error| format!("a prefix does not replay: {error}: {path:?}"))?;
        }
        Ok(())
    }

    /// Checks the formula as one of CTL or CTL*; whether it was decided.
    ///
    /// # Errors
    /// Who disagrees.
    pub fn branching(&mut self) -> Result<bool, String> {
        if !self.store.is(self.formula, Fragment::STATE) {
            return Ok(false);
        }
        let names: Vec<PropId> = self.atoms.iter().map(|atom| atom.0).collect();
        let mut count = None;
        if let Some(graph) = &self.graph {
            let states = branching::holds(&self.store, self.formula, &names, graph, self.dead_ends);
            let Ok(states) = states else {
                return Ok(false);
            };
            let holds = graph.initial().iter().all(|&s| states[s]);
            self.reference = Some(("definition".to_owned(), holds));
            count = Some(states.iter().filter(|&&b| b).count());
        }
        for engine in [Engine::Explicit, Engine::Symbolic, Engine::Auto] {
            self.branching_once(self.formula, engine, count)?;
        }
        Ok(self.reference.is_some())
    }

    fn branching_once(
        &mut self,
        f: FormulaId,
        engine: Engine,
        count: Option<usize>,
    ) -> Result<(), String> {
        let options = BranchingOptions {
            engine,
            dead_ends: self.dead_ends,
            sample: count.map(|_| 2),
            ..BranchingOptions::ctl()
        };
        let task = BranchingTask {
            formula: f,
            atoms: self.atoms.clone(),
        };
        let mut told = None;
        let mut replayed = Ok(());
        let (session, budget) = (self.session, self.budget());
        let (atoms, dead_ends) = (&self.atoms, self.dead_ends);
        let tell = |_, answer: Told, store: &FormulaStore| {
            if let Ok(BranchingOutcome {
                explanation: Some(explained),
                ..
            }) = &answer
            {
                let (model, shown) = (session.model(), &explained.explanation);
                let checked = explanation::check(model, store, atoms, dead_ends, shown);
                replayed = checked.map(|_| ());
            }
            told = Some(answer);
        };
        let tasks = [task];
        check_branching(session, &mut self.store, &tasks, &options, &budget, tell);
        replayed.map_err(|error| format!("an explanation does not replay: {error}"))?;
        let outcome = match told {
            Some(Ok(outcome)) => outcome,
            Some(Err(BranchingError::Model(..))) if self.graph.is_none() => return Ok(()),
            // Finite paths have a meaning in CTL only.
            Some(Err(BranchingError::Formula(_))) if self.reference.is_none() => return Ok(()),
            Some(Err(error)) => return Err(format!("{} failed: {error}", engine.name())),
            None => return Err(format!("{} said nothing:", engine.name())),
        };
        if let (Some(count), Some(found)) = (count, &outcome.satisfying)
            && found.count != count.to_string()
        {
            return Err(format!(
                "{} counts states otherwise: {} satisfy the formula, not {count}",
                engine.name(),
                found.count
            ));
        }
        self.said(engine, "branching", outcome.holds.ok())
    }

    /// Compares a verdict with what is known.
    fn said(&mut self, engine: Engine, who: &str, holds: Option<bool>) -> Result<(), String> {
        let Some(holds) = holds else { return Ok(()) };
        match &self.reference {
            Some((reference, expected)) if *expected != holds => Err(format!(
                "{} disagrees: {reference} says {expected}, {who} says {holds}",
                engine.name()
            )),
            Some(_) => Ok(()),
            None => {
                self.reference = Some((who.to_owned(), holds));
                Ok(())
            }
        }
    }

    /// Whether all runs satisfy the formula, by definition.
    fn by_definition(&mut self) -> Option<bool> {
        let graph = self.graph.as_ref()?;
        let names: Vec<PropId> = self.atoms.iter().map(|atom| atom.0).collect();
        let every = self.store.forall(self.formula);
        if every == FormulaId::FALSE && self.dead_ends == DeadEnds::Ignore {
            // A constant does not depend on paths, but where there are none everything holds.
            return some_path(graph).map(|some| !some);
        }
        let states = branching::holds(&self.store, every, &names, graph, self.dead_ends).ok()?;
        Some(graph.initial().iter().all(|&s| states[s]))
    }
}

/// Whether an infinite path starts in the initial state.
fn some_path(graph: &Graph) -> Option<bool> {
    let successors = (0..graph.len()).map(|s| graph.successors(s).to_vec());
    let letters = vec![Letter(1); graph.len()];
    let everywhere = Graph::new(graph.initial().to_vec(), successors.collect(), letters);
    let mut store = FormulaStore::new();
    let p = store.atom("any");
    let possible = store.exists(p);
    let names = [store.proposition("any")?];
    let states = branching::holds(&store, possible, &names, &everywhere, DeadEnds::Ignore).ok()?;
    Some(graph.initial().iter().any(|&s| states[s]))
}

/// A number that a text determines.
#[must_use]
pub fn variant(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}
