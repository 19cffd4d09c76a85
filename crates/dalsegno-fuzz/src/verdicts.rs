//! One formula on one model: what all engines and automata say, against the definition.

use std::time::Duration;

use dalsegno::certify::{self, Graph, branching, explanation};
use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds, Letter, Predicate};
use dalsegno::logic::random::Rng;
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, PropId};
use dalsegno::report::{Witness, run_to_json, witness_from_json};
use dalsegno::symbolic::ltl::{NEAR, Saturation};
use dalsegno::{
    Answer, Asked, Engine, Error, Evidence, Explained, Logic, Problem, Propositions, Run, Settings,
    Source, Value,
};

use crate::ask::ask;
use crate::subject::problem;

/// The most states of a graph on which formulas are evaluated by definition.
pub const MOST_STATES: usize = 300;

/// The most states that an engine may store of a model that has more.
const CUT: u64 = 1_000;

/// A formula on a model.
pub struct Question<'s> {
    source: &'s Source,
    problem: &'s Problem,
    text: String,
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
    pub fn new(source: &'s Source, text: &str, dead_ends: DeadEnds, variant: u64) -> Option<Self> {
        let problem = problem(source);
        let mut store = FormulaStore::new();
        let formula = problem.parse(&mut store, text).ok()?;
        let atoms = problem.atoms(&store, formula).ok()?;
        let predicates: Vec<Predicate> = atoms.iter().map(|atom| atom.1.clone()).collect();
        let graph = Graph::of_model(problem.model(), &predicates, MOST_STATES).ok();
        Some(Question {
            source,
            problem,
            text: text.to_owned(),
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
        let mut run = Run::new(self.source, Settings::default());
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
                let settings = self.linear_settings(engine, automaton);
                self.linear_once(&mut run, settings)?;
            }
        }
        // The same question below a quantifier is one of CTL*.
        let every = self.store.forall(self.formula);
        if self.store.is(every, Fragment::STATE) && every != FormulaId::FALSE {
            let engines = [Engine::Explicit, Engine::Symbolic];
            let engine = engines[self.rng.index(2)];
            let text = self.store.display(every).to_string();
            // A model may have names that are quantifiers elsewhere.
            if self.problem.parse(&mut self.store, &text) == Ok(every) {
                self.branching_once(&text, engine, None)?;
            }
        }
        Ok(self.reference.is_some())
    }

    fn linear_settings(&mut self, engine: Engine, automaton: Option<Kind>) -> Settings {
        let rng = &mut self.rng;
        let saturations = [Saturation::Off, Saturation::Stuttering, Saturation::Loops];
        Settings {
            automaton,
            propositions: [Propositions::Raw, Propositions::Boolean][rng.index(2)],
            engine,
            saturation: saturations[rng.index(3)],
            evidence: rng.chance(3, 4),
            near: [0, 3, NEAR][rng.index(3)],
            ..Settings::default()
        }
    }

    fn linear_once(&mut self, run: &mut Run, settings: Settings) -> Result<(), String> {
        let (engine, automaton, evidence) =
            (settings.engine, settings.automaton, settings.evidence);
        let who = format!("{settings:?}");
        *run.settings_mut() = settings;
        let asked = Asked::formula(Logic::Ltl, &self.text).with_dead_ends(Some(self.dead_ends));
        let answer = ask(run, asked, &self.budget())?;
        match &answer.value {
            // Not every formula is stutter-invariant.
            Value::Error(Error::Translation(_)) if automaton == Some(Kind::Ta) => return Ok(()),
            Value::Error(Error::Model(..)) if self.graph.is_none() => return Ok(()),
            Value::Error(error) => return Err(format!("{} failed: {error}", engine.name())),
            _ => {}
        }
        self.replay(&answer, evidence)?;
        self.said(engine, &who, answer.holds())
    }

    /// Replays what an answer shows, also after it was written and read. Where nobody asked for evidence, a prefix
    /// refutes the formula with what the structure of the net decides put in, and not always the formula itself.
    fn replay(&self, answer: &Answer, evidence: bool) -> Result<(), String> {
        let (model, store) = (self.problem.model(), &self.store);
        let (f, atoms, dead_ends) = (self.formula, &self.atoms, self.dead_ends);
        if let Some(run) = answer.run() {
            certify::refute(model, run, dead_ends, store, f, atoms)
                .map_err(|error| format!("a run does not replay: {error}: {run:?}"))?;
            let again = witness_from_json(model, &run_to_json(model, run));
            if again != Ok(Witness::Run(run.clone())) {
                return Err(format!("a run does not read back: {run:?}"));
            }
        }
        if let Some(path) = answer.prefix().filter(|_| evidence) {
            certify::refute_prefix(model, path, store, f, atoms)
                .map_err(|error| format!("a prefix does not replay: {error}: {path:?}"))?;
        }
        if evidence && answer.holds() == Some(false) && answer.evidence.is_none() {
            return Err(format!("nothing shows that it fails: {answer:?}"));
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
            self.branching_once(&self.text.clone(), engine, count)?;
        }
        Ok(self.reference.is_some())
    }

    fn branching_once(
        &mut self,
        text: &str,
        engine: Engine,
        count: Option<usize>,
    ) -> Result<(), String> {
        let settings = Settings {
            engine,
            sample: count.map(|_| 2),
            ..Settings::default()
        };
        let mut run = Run::new(self.source, settings);
        let asked = Asked::formula(Logic::CtlStar, text).with_dead_ends(Some(self.dead_ends));
        let answer = ask(&mut run, asked, &self.budget())?;
        match &answer.value {
            Value::Error(Error::Model(..)) if self.graph.is_none() => return Ok(()),
            // Finite paths have a meaning in CTL only.
            Value::Error(Error::Form(_)) if self.reference.is_none() => return Ok(()),
            Value::Error(error) => return Err(format!("{} failed: {error}", engine.name())),
            _ => {}
        }
        if let Some(Evidence::Explanation(explained)) = &answer.evidence {
            self.explained(explained)?;
        }
        if let (Some(count), Some(found)) = (count, &answer.cost.satisfying)
            && found.count != count.to_string()
        {
            return Err(format!(
                "{} counts states otherwise: {} satisfy the formula, not {count}",
                engine.name(),
                found.count
            ));
        }
        self.said(engine, "branching", answer.holds())
    }

    /// Checks an explanation again, with its formulas read from what is told of them.
    fn explained(&mut self, explained: &Explained) -> Result<(), String> {
        let mut unread = None;
        let explanation = explained.explanation.map(&mut |claimed| {
            let read = self.problem.parse(&mut self.store, &claimed.text);
            read.unwrap_or_else(|error| {
                unread = Some(format!(
                    "a claim does not read back: {}: {error}",
                    claimed.text
                ));
                FormulaId::TRUE
            })
        });
        if let Some(fault) = unread {
            return Err(fault);
        }
        let (model, atoms) = (self.problem.model(), &self.atoms);
        explanation::check(model, &self.store, atoms, self.dead_ends, &explanation)
            .map(|_| ())
            .map_err(|error| format!("an explanation does not replay: {error}"))
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
