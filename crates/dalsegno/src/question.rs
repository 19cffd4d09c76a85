//! Questions: what can be asked of a model.

use std::sync::Arc;

use dalsegno_automata::hoa::{Content, WriteOptions, write_automaton, write_testing};
use dalsegno_automata::operations::accepts::{accepts, testing_accepts};
use dalsegno_branching::linear_form;
use dalsegno_certify::Atoms;
use dalsegno_kripke::{DeadEnds, Fairness, GroupId, Model, Predicate, VarId, Word};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, PropId};

/// A question about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether all runs satisfy a formula of LTL.
    Linear(Property),
    /// Whether no run is accepted by an automaton, or all are.
    Automaton(AutomatonProperty),
    /// Whether all initial states satisfy a formula of CTL or CTL*.
    Branching(Property),
    /// Whether a state is reachable.
    Reach(Reach),
    /// The largest sum of these variables in a reachable state.
    Bound(Vec<VarId>),
    /// How many states and transitions there are.
    Survey,
    /// A question about the whole net.
    Global(Global),
}

/// A formula and what it means in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The formula, of the store of the run.
    pub formula: FormulaId,
    /// The meanings of its propositions about states.
    pub atoms: Vec<(PropId, Predicate)>,
    /// The meanings of its propositions about steps: the step that is taken next is one of these groups.
    pub fires: Vec<(PropId, Vec<GroupId>)>,
    /// What a dead end does.
    pub dead_ends: DeadEnds,
    /// For LTL: which runs count.
    pub fairness: Fairness,
    /// For LTL: whether some path should satisfy what the formula is the negation of. The answer is then
    /// turned round, and a run is a witness.
    pub existential: bool,
}

impl Property {
    /// What its propositions mean, for those who evaluate it by definition.
    #[must_use]
    pub fn meaning(&self) -> Atoms<'_> {
        Atoms {
            states: &self.atoms,
            fires: &self.fires,
        }
    }
}

/// An automaton from a file.
#[derive(Debug)]
pub struct AutomatonFile {
    /// The name of the file.
    pub name: String,
    /// The automaton.
    pub content: Content,
}

impl AutomatonFile {
    /// The names of what the automaton observes.
    #[must_use]
    pub fn propositions(&self) -> &[String] {
        match &self.content {
            Content::Automaton(a) => a.propositions(),
            Content::Testing(t) => t.propositions(),
        }
    }

    /// The automaton in the HOA format.
    #[must_use]
    pub fn to_hoa(&self) -> String {
        let options = WriteOptions::default();
        let mut text = Vec::new();
        let written = match &self.content {
            Content::Automaton(a) => write_automaton(a, &options, &mut text),
            Content::Testing(t) => write_testing(t, &options, &mut text),
        };
        debug_assert!(written.is_ok(), "a vector takes everything");
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Whether the automaton accepts a word over its propositions, by definition.
    #[must_use]
    pub fn accepts(&self, word: &Word) -> bool {
        match &self.content {
            Content::Automaton(a) => accepts(a, word),
            Content::Testing(t) => testing_accepts(t, word),
        }
    }
}

/// An automaton and what it means in a model.
#[derive(Clone, Debug)]
pub struct AutomatonProperty {
    /// The automaton.
    pub file: Arc<AutomatonFile>,
    /// The meanings of its propositions, in order.
    pub predicates: Vec<Predicate>,
    /// What a dead end does.
    pub dead_ends: DeadEnds,
    /// Which runs count.
    pub fairness: Fairness,
    /// Whether all runs should be accepted; otherwise, no run should.
    pub all_runs: bool,
}

impl PartialEq for AutomatonProperty {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
            && self.predicates == other.predicates
            && self.dead_ends == other.dead_ends
            && self.fairness == other.fairness
            && self.all_runs == other.all_runs
    }
}

impl Eq for AutomatonProperty {}

/// A set of states, and the answer if one of them is reachable; otherwise it is the opposite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    /// The set.
    pub goal: Predicate,
    /// The answer if it is reached.
    pub if_reached: bool,
    /// The formula that asks for it.
    pub formula: FormulaId,
    /// The meanings of its propositions.
    pub atoms: Vec<(PropId, Predicate)>,
}

/// Questions about the whole net.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Global {
    /// No place ever holds two tokens.
    OneSafe,
    /// Some place keeps its number of tokens for ever.
    StableMarking,
    /// Each transition can fire once.
    QuasiLiveness,
    /// Each transition can fire again, whatever has happened.
    Liveness,
    /// Some reachable state has no successor.
    Deadlock,
}

/// The kinds of questions, as plans distinguish them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum QuestionKind {
    /// [`Question::Linear`] and [`Question::Automaton`].
    Linear,
    /// [`Question::Branching`].
    Branching,
    /// [`Question::Reach`].
    Reach,
    /// [`Question::Bound`].
    Bound,
    /// [`Question::Survey`].
    Survey,
    /// [`Question::Global`].
    Global,
}

/// What a pass has to keep of a model so that the answer stays the same; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Keep {
    /// The reachable values of what is observed.
    Reach,
    /// Runs, up to repetitions of what is observed.
    StutterTraces,
    /// The branching structure, up to repetitions of what is observed.
    StutterBranching,
    /// States and steps one by one.
    Everything,
}

impl Question {
    /// The kind.
    #[must_use]
    pub fn kind(&self) -> QuestionKind {
        match self {
            Question::Linear(_) | Question::Automaton(_) => QuestionKind::Linear,
            Question::Branching(_) => QuestionKind::Branching,
            Question::Reach(_) => QuestionKind::Reach,
            Question::Bound(_) => QuestionKind::Bound,
            Question::Survey => QuestionKind::Survey,
            Question::Global(_) => QuestionKind::Global,
        }
    }

    /// What a pass has to keep. A formula may count steps: only who knows that it does not may keep less.
    #[must_use]
    pub fn keep(&self) -> Keep {
        match self {
            Question::Reach(_)
            | Question::Bound(_)
            | Question::Global(Global::Deadlock | Global::OneSafe) => Keep::Reach,
            Question::Global(_) => Keep::StutterBranching,
            Question::Linear(_)
            | Question::Automaton(_)
            | Question::Branching(_)
            | Question::Survey => Keep::Everything,
        }
    }

    /// The meanings of the propositions that it is asked by.
    #[must_use]
    pub fn atoms(&self) -> &[(PropId, Predicate)] {
        match self {
            Question::Linear(property) | Question::Branching(property) => &property.atoms,
            Question::Reach(reach) => &reach.atoms,
            _ => &[],
        }
    }

    /// What a dead end does, if that matters.
    #[must_use]
    pub fn dead_ends(&self) -> Option<DeadEnds> {
        match self {
            Question::Automaton(watched) => Some(watched.dead_ends),
            question => question.property().map(|property| property.dead_ends),
        }
    }

    /// Which runs count.
    #[must_use]
    pub fn fairness(&self) -> &Fairness {
        match self {
            Question::Linear(property) => &property.fairness,
            Question::Automaton(watched) => &watched.fairness,
            _ => &Fairness::NONE,
        }
    }

    /// Whether it asks which steps are taken.
    #[must_use]
    pub fn asks_of_steps(&self) -> bool {
        self.property().is_some_and(|p| !p.fires.is_empty())
    }

    /// The question about runs that this one is: itself, or one of linear time that a formula of CTL asks.
    pub(crate) fn about_runs(&self, store: &mut FormulaStore, model: &Model) -> Option<Question> {
        let property = match self {
            Question::Branching(property) => property,
            Question::Linear(_) | Question::Automaton(_) => return Some(self.clone()),
            _ => return None,
        };
        let right = match property.dead_ends {
            DeadEnds::Stutter => true,
            // Without `X` it does not matter whether the last state is repeated.
            DeadEnds::Finite => store.is(property.formula, Fragment::X_FREE),
            DeadEnds::Ignore => false,
        };
        if !right || !property.fires.is_empty() {
            return None;
        }
        let (path, all) = linear_form(store, property.formula)?;
        // Of several initial states each would need a run of its own.
        if !all && model.initial().len() != 1 {
            return None;
        }
        Some(Question::Linear(Property {
            formula: if all { path } else { store.not(path) },
            dead_ends: DeadEnds::Stutter,
            existential: !all,
            ..property.clone()
        }))
    }

    /// The formula with its meaning, if the question is one.
    #[must_use]
    pub fn property(&self) -> Option<&Property> {
        match self {
            Question::Linear(property) | Question::Branching(property) => Some(property),
            _ => None,
        }
    }
}

impl Global {
    /// Whether it asks something of places and transitions, which only nets have.
    #[must_use]
    pub fn needs_net(self) -> bool {
        self != Global::Deadlock
    }
}

dalsegno_kripke::choices!(
    Global, "question", OneSafe => "one-safe", StableMarking => "stable-marking",
    QuasiLiveness => "quasi-liveness", Liveness => "liveness", Deadlock => "deadlock"
);
