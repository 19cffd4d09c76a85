//! `dalsegno check` for CTL and CTL*.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Result, bail};
use dalsegno::automata::branching::check_form;
use dalsegno::kripke::{Budget, DeadEnds, Predicate};
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, Node, PropId, parse};
use dalsegno::models::petri::properties::{PropertySet, Question};
use dalsegno::symbolic::order::Recipe;
use dalsegno::{
    BranchingChecked, BranchingOptions, BranchingTask, Engine, Session, check_branching,
};

use crate::status::{Status, complain};

/// A branching-time property to check.
pub(crate) struct Task {
    name: String,
    text: String,
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
    /// Of CTL, whose dead ends end a path unless the user says otherwise.
    ctl: bool,
}

/// What the user asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) engine: Engine,
    pub(crate) dead_ends: Option<DeadEnds>,
    pub(crate) order: Option<Recipe>,
    pub(crate) sample: Option<usize>,
    pub(crate) explain: bool,
}

/// The task of a formula's text, or `None` if it is wrong and has been complained about.
pub(crate) fn branching_task(
    session: &Session,
    store: &mut FormulaStore,
    text: &str,
    ctl: bool,
) -> Option<Task> {
    let formula = match parse(store, text) {
        Ok(f) => f,
        Err(error) => {
            complain(error.render(text));
            return None;
        }
    };
    if !store.is(formula, Fragment::STATE) {
        complain(format_args!(
            "error: {text}: a temporal operator stands below no path quantifier: put `A` or `E` in front"
        ));
        return None;
    }
    if ctl && !is_ctl(store, formula) {
        complain(format_args!(
            "error: {text}: not a formula of CTL, where each temporal operator has its own `A` or `E`: use --ctl-star"
        ));
        return None;
    }
    match session.atoms(store, formula) {
        Ok(atoms) => Some(Task {
            name: String::new(),
            text: text.to_owned(),
            formula,
            atoms,
            ctl,
        }),
        Err(error) => {
            complain(error.render());
            None
        }
    }
}

/// Whether finite paths have a meaning for the formula: that is what sets CTL apart.
fn is_ctl(store: &FormulaStore, f: FormulaId) -> bool {
    check_form(store, f, DeadEnds::Finite).is_ok()
}

/// Whether a file's properties are of branching time: its name says so, or one of them is no `A` or `E` of an LTL
/// formula.
pub(crate) fn is_branching(store: &FormulaStore, set: &PropertySet, file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if name.contains("CTL") || name.contains("LTL") {
        return name.contains("CTL");
    }
    set.properties.iter().any(|property| {
        let Question::Formula(f) = property.question else {
            return false;
        };
        match store.node(f) {
            Node::Exists(path) | Node::Forall(path) => !store.is(path, Fragment::LTL),
            _ => !store.is(f, Fragment::LTL),
        }
    })
}

/// Adds the properties of a file.
pub(crate) fn add_properties(
    store: &FormulaStore,
    set: &PropertySet,
    tasks: &mut Vec<Task>,
) -> Result<()> {
    for property in &set.properties {
        let Question::Formula(formula) = property.question else {
            bail!(
                "{}: `check` does not compute bounds; see `mcc`",
                property.id
            );
        };
        if !store.is(formula, Fragment::STATE) {
            bail!(
                "{}: a temporal operator stands below no path quantifier",
                property.id
            );
        }
        let atoms = set.atoms_of(store, formula);
        tasks.push(Task {
            name: property.id.clone(),
            text: store.display(formula).to_string(),
            formula,
            atoms,
            ctl: is_ctl(store, formula),
        });
    }
    Ok(())
}

/// Checks all tasks; the answers are in the order of the tasks.
pub(crate) fn run(
    session: &Session,
    store: &mut FormulaStore,
    tasks: &[Task],
    asked: Asked,
    budget: &Budget,
) -> Result<Vec<BranchingChecked>> {
    let mut answers: Vec<Option<BranchingChecked>> = tasks.iter().map(|_| None).collect();
    for ctl in [true, false] {
        let base = if ctl {
            BranchingOptions::ctl()
        } else {
            BranchingOptions::ctl_star()
        };
        let options = BranchingOptions {
            engine: asked.engine,
            dead_ends: asked.dead_ends.unwrap_or(base.dead_ends),
            order: asked.order,
            sample: asked.sample,
            explain: asked.explain,
        };
        let chosen: Vec<usize> = (0..tasks.len()).filter(|&i| tasks[i].ctl == ctl).collect();
        if chosen.is_empty() {
            continue;
        }
        let list: Vec<BranchingTask> = chosen
            .iter()
            .map(|&i| BranchingTask {
                formula: tasks[i].formula,
                atoms: tasks[i].atoms.clone(),
            })
            .collect();
        check_branching(session, store, &list, &options, budget, |i, outcome| {
            let task = &tasks[chosen[i]];
            answers[chosen[i]] = Some(BranchingChecked {
                name: task.name.clone(),
                formula: task.text.clone(),
                ctl,
                dead_ends: options.dead_ends,
                outcome,
            });
        })?;
    }
    Ok(answers.into_iter().flatten().collect())
}

/// What an answer means for the exit code.
pub(crate) fn status(checked: &BranchingChecked) -> Status {
    match checked.holds() {
        Some(true) => Status::Done,
        Some(false) => Status::Fails,
        None => Status::Unknown,
    }
}

pub(crate) fn write_mcc(checked: &BranchingChecked, out: &mut impl Write) -> io::Result<()> {
    let value = match checked.holds() {
        Some(true) => "TRUE",
        Some(false) => "FALSE",
        None => return writeln!(out, "CANNOT_COMPUTE"),
    };
    let name = if checked.name.is_empty() {
        &checked.formula
    } else {
        &checked.name
    };
    let technique = match checked.engine() {
        Some("symbolic") => "DECISION_DIAGRAMS",
        _ => "EXPLICIT",
    };
    writeln!(out, "FORMULA {name} {value} TECHNIQUES {technique}")
}
