//! Automata along a run: which states they pass, which edges they take and which marks they collect, for viewers, which should
//! not have to guess. They are made for the evidence that is shown, and checked by definition.

use dalsegno_automata::hoa::Content;
use dalsegno_automata::names::Names;
use dalsegno_automata::observer::Kind;
use dalsegno_automata::operations::run::{WordRun, accepting_run, deciding_run, is_accepting};
use dalsegno_automata::{TestingError, Translation, json};
use dalsegno_certify::replay;
use dalsegno_kripke::{Budget, Letter, Model, Predicate};
use dalsegno_logic::FormulaStore;
use serde_json::{Value, json};

use crate::answer::Evidence;
use crate::method::meanings;
use crate::picture::{self, Picture};
use crate::question::{AutomatonProperty, Property};
use crate::settings::Settings;
use crate::translation::Propositions;

/// Steps of work for the translation: the automaton is shown if it is small.
const STEPS: u64 = 1 << 22;

/// Larger automata are not shown.
const MOST_STATES: usize = 1_000;

/// Propositions with longer names have letters in drawings.
const LONGEST_NAME: usize = 4;

/// Larger automata are not drawn.
const MOST_DRAWN: (usize, usize) = (60, 400);

/// An automaton and its run along evidence.
#[derive(Clone, PartialEq, Debug)]
pub struct AutomatonRun {
    /// The kind of the automaton.
    pub kind: Kind,
    /// The automaton, as `dalsegno.automaton/1`.
    pub automaton: Value,
    /// Its run; positions are states of the evidence.
    pub run: WordRun,
    /// A drawing, if that was asked for and it is not too large.
    pub picture: Option<Picture>,
    /// The letters that the drawing has for the propositions, in their order, if it does not have their names.
    pub legend: Option<Vec<String>>,
}

/// An automaton along evidence, or why it is not shown.
pub type Along = (Kind, Result<AutomatonRun, String>);

impl AutomatonRun {
    /// The automaton of the kind that the settings ask for, a TGBA if they ask for none, along evidence against a property.
    /// None if it is large, or if the formula speaks of steps.
    pub(crate) fn new(
        model: &Model,
        store: &FormulaStore,
        property: &Property,
        evidence: &Evidence,
        settings: &Settings,
        budget: &Budget,
    ) -> Option<Self> {
        let kind = [settings.automaton.unwrap_or(Kind::Tgba)];
        let mut made = Self::of_kinds(&kind, model, store, property, evidence, settings, budget);
        made.pop()?.1.ok()
    }

    /// The automata of all four kinds along evidence against a property.
    pub(crate) fn of_every_kind(
        model: &Model,
        store: &FormulaStore,
        property: &Property,
        evidence: &Evidence,
        settings: &Settings,
        budget: &Budget,
    ) -> Vec<Along> {
        let kinds = [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta];
        Self::of_kinds(&kinds, model, store, property, evidence, settings, budget)
    }

    fn of_kinds(
        kinds: &[Kind],
        model: &Model,
        store: &FormulaStore,
        property: &Property,
        evidence: &Evidence,
        settings: &Settings,
        budget: &Budget,
    ) -> Vec<Along> {
        if !property.fires.is_empty() {
            let why = "automata of formulas that speak of steps are not shown";
            return kinds.iter().map(|&k| (k, Err(why.to_owned()))).collect();
        }
        let mut store = store.clone();
        let negation = store.not(property.formula);
        let name = store.display(negation).to_string();
        let translation = match settings.propositions {
            Propositions::Raw => Translation::new(&mut store, negation, budget),
            Propositions::Boolean => Translation::of_functions(&mut store, negation, budget),
        };
        let mut translation = translation.with_steps(STEPS);
        let mut make = |kind: Kind| {
            let made: Result<Content, TestingError> = match kind {
                Kind::Tgba => translation
                    .tgba()
                    .map(Content::Automaton)
                    .map_err(Into::into),
                Kind::Ba => translation.ba().map(Content::Automaton).map_err(Into::into),
                Kind::Ta => translation.ta().map(Content::Testing),
                Kind::Tgta => translation.tgta().map(Content::Testing),
            };
            made.map_err(|error| error.to_string())
        };
        let made: Vec<_> = kinds.iter().map(|&kind| (kind, make(kind))).collect();
        let observation = translation.observation().clone();
        let along = |(kind, made): (Kind, Result<Content, String>)| {
            let run = made.and_then(|content| {
                let names = propositions(&content);
                let predicates = meanings(&store, &observation, names, &property.atoms);
                let draw = settings.details;
                Self::along(kind, &content, &predicates, model, evidence, (&name, draw))
            });
            (kind, run)
        };
        made.into_iter().map(along).collect()
    }

    /// The automaton of a file along a run that it accepts, if that is what it should not do.
    pub(crate) fn of_file(
        model: &Model,
        watched: &AutomatonProperty,
        evidence: &Evidence,
    ) -> Vec<Along> {
        let content = &watched.file.content;
        let kind = match content {
            Content::Automaton(a) if a.acceptance_sets() == 1 && a.is_state_based() => Kind::Ba,
            Content::Automaton(_) => Kind::Tgba,
            Content::Testing(t) if t.kind() == dalsegno_automata::TestingKind::Ta => Kind::Ta,
            Content::Testing(_) => Kind::Tgta,
        };
        let run = if watched.all_runs {
            Err("the automaton has no run: it rejects what is shown".to_owned())
        } else {
            let name = (&watched.file.name[..], true);
            Self::along(kind, content, &watched.predicates, model, evidence, name)
        };
        vec![(kind, run)]
    }

    /// An automaton along evidence; its propositions mean these predicates.
    fn along(
        kind: Kind,
        content: &Content,
        predicates: &[Predicate],
        model: &Model,
        evidence: &Evidence,
        (name, draw): (&str, bool),
    ) -> Result<Self, String> {
        let (states, edges) = match content {
            Content::Automaton(a) => (a.len(), a.edge_count()),
            Content::Testing(t) => (t.len(), t.edge_count()),
        };
        if states > MOST_STATES {
            return Err(format!("the automaton has {states} states"));
        }
        let run = match evidence {
            Evidence::Run(run) => {
                let word = replay::word_of(model, run, predicates);
                accepting_run(content, &word).filter(|run| is_accepting(content, &word, run))
            }
            Evidence::Prefix(path) => {
                let letter = |state: &[u32]| {
                    let values = predicates.iter().enumerate();
                    values.fold(Letter::default(), |letter, (i, p)| {
                        letter.with(i, p.eval(model, state))
                    })
                };
                let letters: Vec<Letter> = path.iter().map(|s| letter(&s.state)).collect();
                deciding_run(content, &letters)
            }
            Evidence::Path(_) | Evidence::Explanation(_) => None,
        };
        let run = run.ok_or("no run of the automaton was found along what is shown")?;
        let names = Names::new(name);
        let automaton = match content {
            Content::Automaton(a) => json::automaton_to_json(a, &names),
            Content::Testing(t) => json::testing_to_json(t, &names),
        };
        let small = states <= MOST_DRAWN.0 && edges <= MOST_DRAWN.1;
        let legend = short_names(propositions(content));
        let picture = if draw && small {
            let lettered = lettered(content, legend.as_deref());
            picture::content(&lettered, &names).ok()
        } else {
            None
        };
        Ok(AutomatonRun {
            kind,
            automaton,
            run,
            legend: legend.filter(|_| picture.is_some()),
            picture,
        })
    }

    /// As JSON: the kind, the automaton, the steps of the run, and the step that comes after the last one.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let step = |step: &dalsegno_automata::operations::run::RunStep| {
            let marks: Vec<u32> = step.marks.iter().collect();
            json!({
                "position": step.position,
                "state": step.state.index(),
                "edge": step.edge,
                "marks": marks,
            })
        };
        let steps: Vec<Value> = self.run.steps.iter().map(step).collect();
        json!({
            "kind": self.kind.name(),
            "automaton": self.automaton,
            "steps": steps,
            "cycle": self.run.cycle,
        })
    }
}

/// Letters for propositions some of which have names that are too long for a drawing.
fn short_names(names: &[String]) -> Option<Vec<String>> {
    let long = names.iter().any(|name| name.chars().count() > LONGEST_NAME);
    let letters = (b'a'..=b'z').map(|letter| char::from(letter).to_string());
    (long && names.len() <= 26).then(|| letters.take(names.len()).collect())
}

/// An automaton with other names for its propositions.
fn lettered(content: &Content, names: Option<&[String]>) -> Content {
    match (content.clone(), names) {
        (content, None) => content,
        (Content::Automaton(a), Some(names)) => {
            Content::Automaton(a.with_propositions(names.to_vec()))
        }
        (Content::Testing(t), Some(names)) => Content::Testing(t.with_propositions(names.to_vec())),
    }
}

fn propositions(content: &Content) -> &[String] {
    match content {
        Content::Automaton(a) => a.propositions(),
        Content::Testing(t) => t.propositions(),
    }
}
