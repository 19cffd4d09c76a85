//! `dalsegno check` for CTL and CTL*.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::Result;
use dalsegno::automata::branching::check_form;
use dalsegno::kripke::{DeadEnds, Predicate};
use dalsegno::logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use dalsegno::models::petri::properties::{PropertySet, Question};
use dalsegno::{BranchingChecked, BranchingOptions, BranchingTask, Session, Told, check_branching};

use crate::answers::{Answer, Asked, Form};
use crate::check::Check;
use crate::status::Status;
use crate::watch::Output;

/// A branching-time property to check.
pub(crate) struct Task {
    /// Its number among all that was asked.
    number: usize,
    asked: Asked,
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
    /// Of CTL, whose dead ends end a path unless the user says otherwise.
    ctl: bool,
}

impl Task {
    /// The task of a formula, or what is wrong with it.
    pub(crate) fn new(
        store: &FormulaStore,
        number: usize,
        asked: Asked,
        formula: FormulaId,
        atoms: Vec<(PropId, Predicate)>,
        ctl: bool,
    ) -> Result<Task, String> {
        if !store.is(formula, Fragment::STATE) {
            let message =
                "a temporal operator stands below no path quantifier: put `A` or `E` in front";
            return Err(message.to_owned());
        }
        if ctl && !is_ctl(store, formula) {
            let message = "not a formula of CTL, where each temporal operator has its own `A` or `E`: use --ctl-star";
            return Err(message.to_owned());
        }
        Ok(Task {
            number,
            asked,
            formula,
            atoms,
            ctl,
        })
    }
}

/// The task of a formula's text, or what is wrong with it.
pub(crate) fn branching_task(
    session: &Session,
    store: &mut FormulaStore,
    number: usize,
    asked: Asked,
    ctl: bool,
) -> Result<Task, String> {
    let text = &asked.formula;
    let formula = session.parse(store, text).map_err(|e| e.render(text))?;
    let atoms = session.atoms(store, formula).map_err(|e| e.render())?;
    Task::new(store, number, asked, formula, atoms, ctl)
}

/// Whether finite paths have a meaning for the formula: that is what sets CTL apart.
pub(crate) fn is_ctl(store: &FormulaStore, f: FormulaId) -> bool {
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

/// Checks all tasks, those of CTL first, and prints the answers in the order in which they come.
pub(crate) fn run(
    check: &Check<'_>,
    store: &mut FormulaStore,
    tasks: &[Task],
    out: &mut Output,
) -> Result<()> {
    let arguments = check.arguments;
    for ctl in [true, false] {
        let base = if ctl {
            BranchingOptions::ctl()
        } else {
            BranchingOptions::ctl_star()
        };
        let options = BranchingOptions {
            engine: arguments.engine,
            dead_ends: arguments.dead_ends.unwrap_or(base.dead_ends),
            order: arguments.order,
            sample: arguments.sat_set,
            explain: arguments.format != Form::Mcc,
        };
        let chosen: Vec<&Task> = tasks.iter().filter(|task| task.ctl == ctl).collect();
        if chosen.is_empty() {
            continue;
        }
        let list = chosen.iter().map(|task| BranchingTask {
            formula: task.formula,
            atoms: task.atoms.clone(),
        });
        let list: Vec<BranchingTask> = list.collect();
        let mut written = Ok(());
        let hear = |i: usize, answer: Told, store: &FormulaStore| {
            let task: &Task = chosen[i];
            match answer {
                Ok(outcome) if written.is_ok() => {
                    let checked = BranchingChecked {
                        name: task.asked.name.clone(),
                        formula: task.asked.formula.clone(),
                        ctl,
                        dead_ends: options.dead_ends,
                        outcome,
                    };
                    written = tell(check, task.number, store, &checked, out);
                    if written.is_err() {
                        // Nobody reads what the others would be.
                        check.budget.cancel_flag().store(true, Ordering::Relaxed);
                    }
                }
                Ok(_) => {}
                Err(error) => check.answers.error(task.number, &error.to_string()),
            }
        };
        check_branching(check.session, store, &list, &options, check.budget, hear);
        written?;
    }
    Ok(())
}

fn tell(
    check: &Check<'_>,
    number: usize,
    store: &FormulaStore,
    checked: &BranchingChecked,
    out: &mut Output,
) -> Result<()> {
    let model = check.session.model();
    let mut text = Vec::new();
    let mut json = None;
    match check.arguments.format {
        Form::Text => {
            checked.write_text(model, store, check.arguments.stats.is_some(), &mut text)?;
        }
        Form::Mcc => write_mcc(checked, &mut text)?,
        Form::Json => json = Some(checked.to_json(model, store)),
    }
    let status = Status::of_verdict(checked.holds());
    let answer = Answer { status, text, json };
    Ok(check.answers.answer(number, answer, out)?)
}

fn write_mcc(checked: &BranchingChecked, out: &mut impl Write) -> io::Result<()> {
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
