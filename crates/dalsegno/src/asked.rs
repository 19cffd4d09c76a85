//! What was asked, in the words of the user, and what that means in a problem.

use std::sync::Arc;

use dalsegno_automata::observer::Kind;
use dalsegno_branching::check_form;
use dalsegno_kripke::{Budget, DeadEnds, Fairness};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node};
use dalsegno_models::petri::properties::{self, PropertySet};

use crate::error::Error;
use crate::examination::Examination;
use crate::fair::Fair;
use crate::formula_file;
use crate::goal::reach;
use crate::problem::{Meanings, Problem};
use crate::question::{AutomatonFile, AutomatonProperty, Global, Property, Question, QuestionKind};
use crate::settings::{Engine, Settings};

/// A question as it was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The name, if it has one.
    pub name: String,
    /// What is asked.
    pub about: About,
    /// What a dead end does, if that was said: otherwise it ends a path for CTL, and repeats for LTL and CTL*.
    pub dead_ends: Option<DeadEnds>,
    /// Which runs count, for questions about runs: those that are fair in all these ways.
    pub fairness: Vec<Fair>,
    /// Where a formula stands, if it was read from a file of formulas.
    pub line: Option<Line>,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The name of the file, for messages.
    pub file: Arc<str>,
    /// Its number, from 1.
    pub number: usize,
    /// Its text.
    pub text: Arc<str>,
    /// Where its formula begins, in bytes.
    pub formula: usize,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum About {
    /// Whether a formula holds.
    Formula(Logic, String),
    /// Whether no run is accepted by an automaton, or with `true` whether all are.
    Automaton(Arc<AutomatonFile>, bool),
    /// A property of a file: its place in it.
    Property(Arc<PropertyFile>, usize),
    /// How many states and transitions there are.
    Survey,
    /// A question about the whole net.
    Global(Global),
}

/// The logic of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    /// Linear time.
    Ltl,
    /// Branching time, each temporal operator with its own quantifier.
    Ctl,
    /// Branching time.
    CtlStar,
    /// The first of them that the formula belongs to.
    Any,
}

dalsegno_kripke::choices!(
    Logic, "logic", Ltl => "ltl", Ctl => "ctl", CtlStar => "ctl*", Any => "any"
);

/// A file of properties, in the format of the contest or with a formula per line.
#[derive(Debug)]
pub struct PropertyFile {
    /// Its name, for messages.
    pub name: String,
    /// Its contents.
    pub bytes: Vec<u8>,
    /// What it asks, if that is known: otherwise each formula is taken for what it is.
    pub examination: Option<Examination>,
}

impl Asked {
    /// A formula without a name.
    #[must_use]
    pub fn formula(logic: Logic, text: &str) -> Self {
        Asked {
            name: String::new(),
            about: About::Formula(logic, text.to_owned()),
            dead_ends: None,
            fairness: Vec::new(),
            line: None,
        }
    }

    /// Whether no run is accepted by an automaton or, if `all_runs`, whether all are; the name is that of the file.
    #[must_use]
    pub fn automaton(file: AutomatonFile, all_runs: bool) -> Self {
        Asked {
            name: file.name.clone(),
            about: About::Automaton(Arc::new(file), all_runs),
            dead_ends: None,
            fairness: Vec::new(),
            line: None,
        }
    }

    /// The size of the state space.
    #[must_use]
    pub fn survey() -> Self {
        Asked {
            name: Examination::StateSpace.name().to_owned(),
            about: About::Survey,
            dead_ends: None,
            fairness: Vec::new(),
            line: None,
        }
    }

    /// A question about the whole net.
    #[must_use]
    pub fn global(global: Global) -> Self {
        Asked {
            name: Examination::Global(global).name().to_owned(),
            about: About::Global(global),
            dead_ends: None,
            fairness: Vec::new(),
            line: None,
        }
    }

    /// The properties of a file, in its order: of the contest's format, or a formula per line (`formula_file.rs`).
    ///
    /// # Errors
    /// If the file is none of properties.
    pub fn file(file: PropertyFile) -> Result<Vec<Self>, Error> {
        if formula_file::is_one(&file) {
            return formula_file::read(&file);
        }
        let names = properties::ids(&file.bytes).map_err(|error| file.error(error))?;
        let file = Arc::new(file);
        let asked = names.into_iter().enumerate().map(|(at, name)| Asked {
            name,
            about: About::Property(Arc::clone(&file), at),
            dead_ends: None,
            fairness: Vec::new(),
            line: None,
        });
        Ok(asked.collect())
    }

    /// The question with what dead ends do, if that was said.
    #[must_use]
    pub fn with_dead_ends(mut self, dead_ends: Option<DeadEnds>) -> Self {
        self.dead_ends = dead_ends;
        self
    }

    /// The question about the runs that are fair.
    #[must_use]
    pub fn with_fairness(mut self, fairness: &[Fair]) -> Self {
        self.fairness = fairness.to_vec();
        self
    }

    /// The kind of the question, if that is known without a model.
    #[must_use]
    pub(crate) fn kind(&self) -> Option<QuestionKind> {
        match &self.about {
            About::Formula(Logic::Ltl, _) | About::Automaton(..) => Some(QuestionKind::Linear),
            About::Formula(Logic::Any, _) => None,
            About::Formula(..) => Some(QuestionKind::Branching),
            About::Property(file, _) => file.examination.map(Examination::kind),
            About::Survey => Some(QuestionKind::Survey),
            About::Global(_) => Some(QuestionKind::Global),
        }
    }
}

impl PropertyFile {
    /// A file; its name may tell what it asks.
    #[must_use]
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        PropertyFile {
            examination: Examination::of_file_name(name),
            name: name.to_owned(),
            bytes,
        }
    }

    pub(crate) fn error(&self, error: properties::Error) -> Error {
        Error::Properties {
            file: self.name.clone(),
            error: Box::new(error),
        }
    }
}

/// A question with the text of its formula.
#[derive(Clone, Debug)]
pub struct Understood {
    /// The question.
    pub question: Question,
    /// The text of the formula, if it is one.
    pub formula: String,
    /// The logic, as the outputs spell it.
    pub logic: &'static str,
}

/// Reads questions as a problem understands them.
pub(crate) struct Reader<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) store: &'a mut FormulaStore,
    pub(crate) settings: &'a Settings,
    pub(crate) budget: &'a Budget,
    /// The last file that was read.
    pub(crate) read: Option<(Arc<PropertyFile>, PropertySet)>,
}

impl Reader<'_> {
    /// What a question means.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn understand(&mut self, asked: &Asked) -> Result<Understood, Error> {
        let understood = self.meaning(asked);
        understood.map_err(|error| match &asked.line {
            Some(line) => Error::Line {
                line: line.clone(),
                error: Box::new(error),
            },
            None => error,
        })
    }

    fn meaning(&mut self, asked: &Asked) -> Result<Understood, Error> {
        let mut understood = self.without_fairness(asked)?;
        if asked.fairness.is_empty() {
            return Ok(understood);
        }
        let fair = self.problem.fairness(&asked.fairness)?;
        match &mut understood.question {
            Question::Linear(property) => {
                if self.settings.automaton == Some(Kind::Ta) && !fair.is_none() {
                    return Err(Error::FairLivelocks);
                }
                property.fairness = fair;
            }
            Question::Automaton(watched) => watched.fairness = fair,
            _ => return Err(Error::FairStates),
        }
        Ok(understood)
    }

    fn without_fairness(&mut self, asked: &Asked) -> Result<Understood, Error> {
        let said = asked.dead_ends;
        match &asked.about {
            About::Survey => Ok(plain(Question::Survey, "survey")),
            About::Global(global) if global.needs_net() && self.problem.net().is_none() => {
                Err(Error::NoNet(*global))
            }
            About::Global(global) => Ok(plain(Question::Global(*global), "global")),
            About::Formula(logic, text) => {
                let f = self.problem.parse(self.store, text)?;
                let meanings = self.problem.meanings(self.store, f)?;
                let logic = match logic {
                    Logic::Any => match self.logic_of(f) {
                        Logic::Ctl if !meanings.fires.is_empty() => Logic::CtlStar,
                        logic => logic,
                    },
                    logic => *logic,
                };
                let mut understood = self.formula(f, meanings, logic, said)?;
                understood.formula.clone_from(text);
                Ok(understood)
            }
            About::Automaton(file, all_runs) => self.automaton(file, *all_runs, said),
            About::Property(file, at) => self.property(file, *at, said, !asked.fairness.is_empty()),
        }
    }

    fn automaton(
        &mut self,
        file: &Arc<AutomatonFile>,
        all_runs: bool,
        said: Option<DeadEnds>,
    ) -> Result<Understood, Error> {
        let dead_ends = said.unwrap_or(DeadEnds::Stutter);
        if dead_ends == DeadEnds::Finite {
            return Err(Error::FinitePaths);
        }
        let mut predicates = Vec::new();
        for name in file.propositions() {
            let atom = self.store.atom(name);
            let meaning = self.problem.atoms(self.store, atom)?;
            predicates.extend(meaning.into_iter().map(|(_, predicate)| predicate));
        }
        let watched = AutomatonProperty {
            file: Arc::clone(file),
            predicates,
            dead_ends,
            fairness: Fairness::NONE,
            all_runs,
        };
        Ok(plain(Question::Automaton(watched), "automaton"))
    }

    fn logic_of(&self, f: FormulaId) -> Logic {
        if self.store.is(f, Fragment::LTL) {
            Logic::Ltl
        } else if check_form(self.store, f, DeadEnds::Finite).is_ok() {
            Logic::Ctl
        } else {
            Logic::CtlStar
        }
    }

    /// Whether a formula of CTL* asks for a formula of LTL on the runs from the initial state, and is not one of CTL: such
    /// questions have more methods. Who asks for the states that satisfy it needs the formula as it is.
    fn is_linear(&self, f: FormulaId) -> bool {
        let path = match self.store.node(f) {
            Node::Forall(path) => path,
            // Each initial state has to have such a run.
            Node::Exists(path) if self.problem.model().initial().len() == 1 => path,
            _ => return false,
        };
        let ctl = check_form(self.store, f, DeadEnds::Finite).is_ok();
        self.settings.sample.is_none() && !ctl && self.store.is(path, Fragment::LTL)
    }

    fn formula(
        &mut self,
        f: FormulaId,
        meanings: Meanings,
        logic: Logic,
        said: Option<DeadEnds>,
    ) -> Result<Understood, Error> {
        let dead_ends = said.unwrap_or(match logic {
            Logic::Ctl => DeadEnds::Finite,
            _ => DeadEnds::Stutter,
        });
        let mut property = Property {
            formula: f,
            atoms: meanings.atoms,
            fires: meanings.fires,
            dead_ends,
            fairness: Fairness::NONE,
            existential: false,
        };
        let formula = self.store.display(f).to_string();
        let linear = logic == Logic::CtlStar && dead_ends != DeadEnds::Finite && self.is_linear(f);
        if logic == Logic::Ltl || linear {
            match self.store.node(f) {
                Node::Forall(path) => property.formula = path,
                Node::Exists(path) => {
                    property.formula = self.store.not(path);
                    property.existential = true;
                }
                _ => {}
            }
            if !self.store.is(property.formula, Fragment::LTL) {
                return Err(Error::Quantifier);
            }
            if dead_ends == DeadEnds::Finite {
                return Err(Error::FinitePaths);
            }
            let settings = self.settings;
            if settings.engine == Engine::Symbolic && settings.automaton == Some(Kind::Ta) {
                return Err(Error::Livelocks);
            }
            return Ok(Understood {
                question: Question::Linear(property),
                formula,
                logic: logic.name(),
            });
        }
        if !self.store.is(f, Fragment::STATE) {
            return Err(Error::NoQuantifier);
        }
        if !property.fires.is_empty() {
            self.check_steps(&property, logic)?;
            if let Some(question) = self.about_runs(&property) {
                return Ok(Understood {
                    question,
                    formula,
                    logic: logic.name(),
                });
            }
        }
        if logic == Logic::Ctl && check_form(self.store, f, DeadEnds::Finite).is_err() {
            return Err(Error::NotCtl);
        }
        check_form(self.store, f, dead_ends)?;
        Ok(Understood {
            question: Question::Branching(property),
            formula,
            logic: logic.name(),
        })
    }

    /// Whether propositions about steps have a meaning in a formula of branching time: each belongs to the path of the
    /// quantifier above it.
    fn check_steps(&self, property: &Property, logic: Logic) -> Result<(), Error> {
        if logic == Logic::Ctl {
            return Err(Error::StepsInCtl);
        }
        if property.dead_ends == DeadEnds::Finite {
            return Err(Error::StepsThatEnd);
        }
        let mut open = vec![property.formula];
        while let Some(f) = open.pop() {
            match self.store.node(f) {
                Node::Exists(_) | Node::Forall(_) => {}
                Node::Atom(p) if property.fires.iter().any(|(q, _)| *q == p) => {
                    return Err(Error::NoPath);
                }
                _ => open.extend(self.store.children(f)),
            }
        }
        Ok(())
    }

    /// A formula of CTL* that is one of LTL below a quantifier, as a question about all runs, or for some run: there a run
    /// shows the answer. With several initial states some run of each may be asked for.
    fn about_runs(&mut self, property: &Property) -> Option<Question> {
        let (path, existential) = match self.store.node(property.formula) {
            Node::Forall(path) => (path, false),
            Node::Exists(path) => (path, true),
            _ => return None,
        };
        let one = self.problem.model().initial().len() == 1;
        let chosen = self.settings.automaton.is_some();
        if !one || chosen || !self.store.is(path, Fragment::LTL) {
            return None;
        }
        let formula = if existential {
            self.store.not(path)
        } else {
            path
        };
        Some(Question::Linear(Property {
            formula,
            existential,
            ..property.clone()
        }))
    }

    fn property(
        &mut self,
        file: &Arc<PropertyFile>,
        at: usize,
        said: Option<DeadEnds>,
        fair: bool,
    ) -> Result<Understood, Error> {
        let known = self
            .read
            .as_ref()
            .is_some_and(|(read, _)| Arc::ptr_eq(read, file));
        if !known {
            let symbols = self.problem.symbols();
            let set = properties::parse_within(&file.bytes, symbols, self.store, self.budget);
            let set = set.map_err(|error| file.error(error))?;
            self.read = Some((Arc::clone(file), set));
        }
        let (_, set) = self.read.as_ref().expect("it was read");
        let f = match &set.properties[at].question {
            properties::Question::Bound(places) => {
                return Ok(plain(Question::Bound(places.clone()), "bound"));
            }
            properties::Question::Formula(f) => *f,
        };
        let atoms = set.atoms_of(self.store, f);
        let kind = file.examination.map(Examination::kind);
        if matches!(kind, None | Some(QuestionKind::Reach)) && !fair {
            // Whatever a file is called, other formulas have answers, too.
            let found = reach(self.problem.model(), self.store, f, atoms.clone());
            if let Some(reach) = found {
                return Ok(Understood {
                    question: Question::Reach(reach),
                    formula: self.store.display(f).to_string(),
                    logic: "reachability",
                });
            }
        }
        let path = match self.store.node(f) {
            Node::Exists(path) | Node::Forall(path) => path,
            _ => f,
        };
        let logic = match kind {
            Some(QuestionKind::Linear) => Logic::Ltl,
            None if self.store.is(path, Fragment::LTL) => Logic::Ltl,
            _ => match self.logic_of(f) {
                Logic::Ltl => Logic::Ctl,
                logic => logic,
            },
        };
        let fires = Vec::new();
        self.formula(f, Meanings { atoms, fires }, logic, said)
    }
}

fn plain(question: Question, logic: &'static str) -> Understood {
    Understood {
        question,
        formula: String::new(),
        logic,
    }
}
