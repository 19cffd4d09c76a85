//! Answers: one type for all questions and all front ends.

use std::sync::Arc;
use std::time::Duration;

use dalsegno_automata::observer::Kind;
use dalsegno_certify::explanation::Summary;
use dalsegno_explicit::emptiness::Explored;
use dalsegno_explicit::size::Size;
use dalsegno_kripke::explanation::{Explanation, Path};
use dalsegno_kripke::{Model, Predicate, Run, Step, Stop, VarId};
use dalsegno_models::petri::reduce::Rule;
use dalsegno_symbolic::order::Recipe;

use crate::automaton_run::{Along, AutomatonRun};
use crate::error::Error;
use crate::method::Tool;
use crate::problem::Problem;
use crate::proof::{Proof, Unproved};
use crate::survey::Survey;
use crate::truth::{Subformula, Truth};

/// The answer to a question.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// What is known.
    pub value: Value,
    /// What shows it, if something does; it has been checked.
    pub evidence: Option<Evidence>,
    /// What holds along a run or its beginning, if that is what shows it.
    pub truth: Option<Box<Truth>>,
    /// Whether it is proved that no evidence of this kind has fewer steps.
    pub shortest: bool,
    /// The automaton of the negation along the evidence, if that was asked for.
    pub automaton_run: Option<Box<AutomatonRun>>,
    /// What pages show beside the evidence, if that was asked for.
    pub details: Option<Box<Details>>,
    /// A proof that an independent checker has accepted, or why there is none, if one was asked for and no run or path
    /// shows the answer.
    pub proof: Option<Box<Result<Proof, Unproved>>>,
    /// Why there is no evidence, where a path would show the answer.
    pub unshown: Option<&'static str>,
    /// The part of the unfolded net that the evidence speaks of, where a coloured net was not unfolded as a whole.
    pub part: Option<Part>,
    /// The method that answered, if one did.
    pub by: Option<Tool>,
    /// What it took.
    pub cost: Cost,
}

/// A part of an unfolded net: the places that are marked along evidence and the bindings that it needs.
#[derive(Clone, Debug)]
pub struct Part(pub Arc<Problem>);

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What is known.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A property holds, or does not.
    Truth(bool),
    /// A least upper bound; none if there is no bound.
    Bound(Option<u64>),
    /// What was seen of the state space, with how that ended.
    Survey(Box<Survey>),
    /// Nothing: a limit was hit.
    Unknown(Stop),
    /// Nothing: the question has no answer.
    Error(Error),
}

/// What pages show beside evidence.
#[derive(Clone, PartialEq, Debug)]
pub struct Details {
    /// The variables that the property speaks of, ascending.
    pub observed: Vec<VarId>,
    /// The automata of all kinds along a run or its beginning, each with why it is not shown if it is not.
    pub automata: Vec<Along>,
}

/// What shows an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Evidence {
    /// A run, which violates a property that fails, or satisfies one that asks for a run.
    Run(Run),
    /// A bad prefix: every run that begins with these steps violates the property. The last state has no
    /// step.
    Prefix(Vec<Step>),
    /// A path to a state that was asked for. The last state has no step.
    Path(Vec<Step>),
    /// A tree of paths that follows the formula.
    Explanation(Box<Explained>),
}

/// A subformula in an explanation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claimed {
    /// Its text.
    pub text: String,
    /// Whether it has no temporal operator: a state shows it by itself.
    pub boolean: bool,
}

/// An explanation that has been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// The explanation.
    pub explanation: Explanation<Claimed>,
    /// What of it was checked.
    pub summary: Summary,
    /// The atoms of the formula: their texts and what they mean.
    pub atoms: Vec<(String, Predicate)>,
}

impl Explained {
    /// The truth of the atoms in the states of a path.
    #[must_use]
    pub fn atoms_along(&self, model: &Model, path: &Path<Claimed>) -> Vec<Subformula> {
        let states = (0..path.len()).filter_map(|position| path.state(position));
        let states: Vec<&[u32]> = states.collect();
        Subformula::atoms_in(model, &self.atoms, &states)
    }
}

/// The states that satisfy a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Satisfying {
    /// How many there are, in decimal.
    pub count: String,
    /// Some of them.
    pub sample: Vec<Vec<u32>>,
}

/// What an answer took.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cost {
    /// The time since the last answer, or since the beginning.
    pub time: Duration,
    /// The bytes of the tables.
    pub bytes: u64,
    /// What an explicit search looked at.
    pub explored: Explored,
    /// The automaton of the negation, if there was one.
    pub automaton: Option<Used>,
    /// The size of the whole product, if it was asked for and there was enough time and memory.
    pub product: Option<Size>,
    /// What diagrams took, if they answered.
    pub diagrams: Option<DiagramUse>,
    /// The reachable states that satisfy the property, if they were asked for and found in time.
    pub satisfying: Option<Satisfying>,
    /// A variable that grew during the search and has no known bound.
    pub growing: Option<usize>,
    /// How the net was reduced, if the answer was found on a reduced one.
    pub reduction: Option<Reduction>,
    /// How colours were merged, if the answer was found on a quotient of a coloured net.
    pub merging: Option<Merging>,
}

/// How colours of a coloured net were merged before it was unfolded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merging {
    /// No unfolding of the whole net has more places.
    pub places_at_most: u128,
    /// No unfolding of the whole net has more transitions.
    pub transitions_at_most: u128,
    /// The places of the quotient.
    pub places: usize,
    /// The transitions of the quotient.
    pub transitions: usize,
}

/// How a net was reduced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// Places before and after.
    pub places: (usize, usize),
    /// Transitions before and after.
    pub transitions: (usize, usize),
    /// How often each rule was applied.
    pub rules: Vec<(Rule, usize)>,
}

/// The automaton that was used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// Its kind.
    pub kind: Kind,
    /// Its states; of a lazy automaton, those that were needed.
    pub states: usize,
    /// Its edges, unless it is lazy: those that were not needed are not known.
    pub edges: Option<usize>,
    /// Its transitions, as its kind counts them, unless it is lazy.
    pub transitions: Option<u64>,
    /// Its acceptance sets.
    pub acceptance_sets: u32,
    /// What it observes.
    pub propositions: Vec<String>,
    /// Whether it was computed as far as needed only.
    pub lazy: bool,
}

/// What diagrams took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagramUse {
    /// The order of the levels.
    pub order: Recipe,
    /// The pairs of an automaton state and a letter that were reached.
    pub keys: usize,
    /// The nodes at the end.
    pub nodes: usize,
    /// The most nodes at a time.
    pub peak_nodes: usize,
    /// The time until the reachable states were there; they are shared by all questions.
    pub built: Duration,
    /// The time that the search in the product took.
    pub search: Duration,
    /// The time that building the run took.
    pub witness: Duration,
    /// The share of the model's transitions that change nothing that the automaton observes, in
    /// millionths, if the size of the product was asked for.
    pub stuttering: Option<u32>,
}

impl Answer {
    /// The model that the evidence speaks of, if that is not the model of the source.
    #[must_use]
    pub fn own_model(&self) -> Option<&Model> {
        self.part.as_ref().map(|part| &**part.0.model())
    }

    /// An answer without evidence.
    #[must_use]
    pub fn new(value: Value, by: Tool) -> Self {
        Answer {
            value,
            evidence: None,
            truth: None,
            shortest: false,
            automaton_run: None,
            details: None,
            proof: None,
            unshown: None,
            part: None,
            by: Some(by),
            cost: Cost::default(),
        }
    }

    /// No answer, and why.
    #[must_use]
    pub fn unknown(stop: Stop) -> Self {
        Answer {
            value: Value::Unknown(stop),
            evidence: None,
            truth: None,
            shortest: false,
            automaton_run: None,
            details: None,
            proof: None,
            unshown: None,
            part: None,
            by: None,
            cost: Cost::default(),
        }
    }

    /// The answer with what shows it.
    #[must_use]
    pub fn shown_by(mut self, evidence: Option<Evidence>) -> Self {
        self.evidence = evidence;
        self
    }

    /// The answer with what it took.
    #[must_use]
    pub fn at_cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Whether the property holds, if that was asked and is known.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        match self.value {
            Value::Truth(holds) => Some(holds),
            _ => None,
        }
    }

    /// What shows the answer: "run", "path", "explanation" or "proof", all of them checked; none if nothing does.
    #[must_use]
    pub fn shown(&self) -> Option<&'static str> {
        let proved = matches!(self.proof.as_deref(), Some(Ok(_)));
        match &self.evidence {
            _ if proved => Some("proof"),
            Some(Evidence::Run(_)) => Some("run"),
            Some(Evidence::Prefix(_) | Evidence::Path(_)) => Some("path"),
            Some(Evidence::Explanation(_)) => Some("explanation"),
            None => None,
        }
    }

    /// The run that shows the answer, if there is one.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match &self.evidence {
            Some(Evidence::Run(run)) => Some(run),
            _ => None,
        }
    }

    /// The beginning of a run that shows the answer, if there is only that.
    #[must_use]
    pub fn prefix(&self) -> Option<&[Step]> {
        match &self.evidence {
            Some(Evidence::Prefix(path)) => Some(path),
            _ => None,
        }
    }

    /// The limit that was hit, if that is why nothing is known.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match &self.value {
            Value::Unknown(stop) => Some(*stop),
            Value::Survey(survey) => survey.stop(),
            _ => None,
        }
    }
}
