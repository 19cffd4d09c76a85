//! Evidence checked by definition, on the model and the question as they were given: before an answer is told, and again when a
//! saved witness is replayed.

use std::collections::BTreeSet;

use dalsegno_certify::{explanation, replay};
use dalsegno_kripke::explanation::Explanation;
use dalsegno_kripke::{Budget, Model, Predicate, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment};

use crate::answer::{Claimed, Details, Evidence, Explained};
use crate::automaton_run::AutomatonRun;
use crate::error::Error;
use crate::question::{Global, Property, Question};
use crate::settings::Settings;
use crate::truth::{Truth, atoms_of};

/// The states that a question asks for, and its answer if one of them is reachable.
pub(crate) fn goal(question: &Question) -> Option<(&Predicate, bool)> {
    match question {
        Question::Reach(reach) => Some((&reach.goal, reach.if_reached)),
        Question::Global(Global::Deadlock) => Some((&Predicate::DeadEnd, true)),
        _ => None,
    }
}

/// Checks that evidence shows what it should: that a run violates a property or is one that an automaton tells, or that a
/// path leads to the states that are asked for. Explanations have [`explained`].
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check(
    model: &Model,
    store: &FormulaStore,
    question: &Question,
    evidence: &Evidence,
) -> Result<(), Error> {
    match (question, evidence) {
        (Question::Linear(property), Evidence::Run(run)) => {
            let (f, atoms) = (property.formula, property.meaning());
            replay::refute(model, run, property.dead_ends, store, f, atoms)?;
            replay::is_fair(model, run, &property.fairness)?;
        }
        (Question::Linear(property), Evidence::Prefix(path)) => {
            let (f, atoms) = (property.formula, property.meaning());
            replay::refute_prefix(model, path, store, f, atoms)?;
        }
        (Question::Automaton(watched), Evidence::Run(run)) => {
            replay(model, run, watched.dead_ends)?;
            replay::is_fair(model, run, &watched.fairness)?;
            let word = replay::word_of(model, run, &watched.predicates);
            if watched.file.accepts(&word) == watched.all_runs {
                return Err(replay::Error::NoViolation.into());
            }
        }
        (question, Evidence::Path(path)) => match goal(question) {
            Some((goal, _)) => replay::reaches(model, path, goal)?,
            None => return Err(replay::Error::NotReached.into()),
        },
        _ => {}
    }
    Ok(())
}

/// What holds along the evidence.
pub(crate) fn truth(
    model: &Model,
    store: &FormulaStore,
    question: &Question,
    evidence: &Evidence,
) -> Option<Truth> {
    match (question, evidence) {
        (Question::Linear(property), Evidence::Run(run)) => {
            Truth::of_run(model, run, store, property)
        }
        (Question::Linear(property), Evidence::Prefix(path)) => {
            Truth::of_beginning(model, path, store, property)
        }
        (Question::Reach(reach), Evidence::Path(path)) => {
            let atoms = atoms_of(store, reach.formula, &reach.atoms);
            Some(Truth::of_path(model, path, &atoms))
        }
        _ => None,
    }
}

/// What pages show beside evidence.
pub(crate) fn details(
    model: &Model,
    store: &FormulaStore,
    question: &Question,
    evidence: &Evidence,
    settings: &Settings,
    budget: &Budget,
) -> Details {
    let automata = match question {
        Question::Linear(property) => {
            AutomatonRun::of_every_kind(model, store, property, evidence, settings, budget)
        }
        Question::Automaton(watched) => AutomatonRun::of_file(model, watched, evidence),
        _ => Vec::new(),
    };
    let predicates: Vec<&Predicate> = match question {
        Question::Linear(p) | Question::Branching(p) => p.atoms.iter().map(|a| &a.1).collect(),
        Question::Automaton(watched) => watched.predicates.iter().collect(),
        Question::Reach(reach) => reach.atoms.iter().map(|a| &a.1).collect(),
        _ => Vec::new(),
    };
    let observed: BTreeSet<VarId> = predicates
        .into_iter()
        .filter(|p| !matches!(p, Predicate::DeadEnd))
        .flat_map(|p| p.support(model))
        .collect();
    Details {
        observed: observed.into_iter().collect(),
        automata,
    }
}

/// Checks an explanation of a formula's value, and tells it in words.
///
/// # Errors
/// If it is refuted.
pub(crate) fn explained(
    model: &Model,
    store: &FormulaStore,
    property: &Property,
    explanation: &Explanation<FormulaId>,
) -> Result<Explained, Error> {
    let (atoms, dead_ends) = (&property.atoms, property.dead_ends);
    let summary = explanation::check(model, store, atoms, dead_ends, explanation)?;
    let explanation = explanation.map(&mut |f| Claimed {
        text: store.display(*f).to_string(),
        boolean: store.is(*f, Fragment::BOOLEAN),
    });
    Ok(Explained {
        explanation,
        summary,
        atoms: atoms_of(store, property.formula, &property.atoms),
    })
}
