//! The automaton of the negation along a run: which states it passes and which marks it collects, for viewers, which should not
//! have to guess. It is made for the evidence that is shown, and checked by definition.

use dalsegno_automata::hoa::Content;
use dalsegno_automata::names::Names;
use dalsegno_automata::observer::Kind;
use dalsegno_automata::operations::run::{WordRun, accepting_run, deciding_run, is_accepting};
use dalsegno_automata::{Translation, json};
use dalsegno_certify::replay;
use dalsegno_kripke::{Budget, Letter, Model};
use dalsegno_logic::FormulaStore;
use serde_json::{Value, json};

use crate::answer::Evidence;
use crate::method::meanings;
use crate::question::Property;
use crate::settings::Settings;
use crate::translation::Propositions;

/// Steps of work for the translation: the automaton is shown if it is small.
const STEPS: u64 = 1 << 22;

/// Larger automata are not shown.
const MOST_STATES: usize = 1_000;

/// An automaton and its run along evidence.
#[derive(Clone, PartialEq, Debug)]
pub struct AutomatonRun {
    /// The kind of the automaton.
    pub kind: Kind,
    /// The automaton, as `dalsegno.automaton/1`.
    pub automaton: Value,
    /// Its run; positions are states of the evidence.
    pub run: WordRun,
}

impl AutomatonRun {
    /// The automaton of the kind that the settings ask for, a TGBA if they ask for none or for a TA, along evidence
    /// against a property. None if it is large, or if the formula speaks of steps.
    pub(crate) fn new(
        model: &Model,
        store: &FormulaStore,
        property: &Property,
        evidence: &Evidence,
        settings: &Settings,
        budget: &Budget,
    ) -> Option<Self> {
        if !property.fires.is_empty() {
            return None;
        }
        let mut store = store.clone();
        let negation = store.not(property.formula);
        let translation = match settings.propositions {
            Propositions::Raw => Translation::new(&mut store, negation, budget),
            Propositions::Boolean => Translation::of_functions(&mut store, negation, budget),
        };
        let mut translation = translation.with_steps(STEPS);
        let kind = settings.automaton.unwrap_or(Kind::Tgba);
        let (kind, automaton) = match kind {
            Kind::Tgba | Kind::Ta => (Kind::Tgba, Content::Automaton(translation.tgba().ok()?)),
            Kind::Ba => (Kind::Ba, Content::Automaton(translation.ba().ok()?)),
            Kind::Tgta => (Kind::Tgta, Content::Testing(translation.tgta().ok()?)),
        };
        let observation = translation.observation().clone();
        let (states, propositions) = match &automaton {
            Content::Automaton(a) => (a.len(), a.propositions()),
            Content::Testing(t) => (t.len(), t.propositions()),
        };
        if states > MOST_STATES {
            return None;
        }
        let predicates = meanings(&store, &observation, propositions, &property.atoms);
        let run = match evidence {
            Evidence::Run(run) => {
                let word = replay::word_of(model, run, &predicates);
                let run = accepting_run(&automaton, &word)?;
                Some(run).filter(|run| is_accepting(&automaton, &word, run))
            }
            Evidence::Prefix(path) => {
                let letter = |state: &[u32]| {
                    let values = predicates.iter().enumerate();
                    values.fold(Letter::default(), |letter, (i, p)| {
                        letter.with(i, p.eval(model, state))
                    })
                };
                let letters: Vec<Letter> = path.iter().map(|s| letter(&s.state)).collect();
                deciding_run(&automaton, &letters)
            }
            Evidence::Path(_) | Evidence::Explanation(_) => None,
        }?;
        let name = store.display(negation).to_string();
        let names = Names::new(&name);
        let automaton = match &automaton {
            Content::Automaton(a) => json::automaton_to_json(a, &names),
            Content::Testing(t) => json::testing_to_json(t, &names),
        };
        Some(AutomatonRun {
            kind,
            automaton,
            run,
        })
    }

    /// As JSON: the kind, the automaton, the steps of the run, and the step that comes after the last one.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let step = |step: &dalsegno_automata::operations::run::RunStep| {
            let marks: Vec<u32> = step.marks.iter().collect();
            json!({ "position": step.position, "state": step.state, "marks": marks })
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
