//! CTL properties: all of a file share one set of reachable states.

use std::io::{self, Write};
use std::time::Duration;

use dalsegno_kripke::Predicate;
use dalsegno_logic::{FormulaStore, Fragment, PropId};
use dalsegno_models::petri::properties::{PropertySet, Question};

use super::{ContestError, EQUATION, EXPLICIT, Request, SYMBOLIC, answer, cannot_compute, truth};
use crate::branching::{BranchingOptions, BranchingTask, check_branching};
use crate::proofs::{Constants, Shares};
use crate::session::{Session, predicate};
use crate::survey::Engine;

/// The share of the time in which the state equation may prove parts of properties constant, in percent.
const PROOF_SHARE: u32 = 10;

/// That time if there is no limit.
const PROOF_TIME: Duration = Duration::from_secs(60);

pub(super) fn branching(
    session: &Session,
    store: &mut FormulaStore,
    set: &PropertySet,
    request: &Request<'_>,
    out: &mut (impl Write + Send),
) -> Result<bool, ContestError> {
    let questions = set.properties.len();
    let budget = &request.budget();
    let mut shares = Shares::new(session, budget, PROOF_SHARE, PROOF_TIME, questions);
    let mut constants = Constants::default();
    let mut ids: Vec<&str> = Vec::new();
    let mut tasks = Vec::new();
    for property in &set.properties {
        let Question::Formula(formula) = property.question else {
            continue;
        };
        let used = store.propositions(formula);
        let meaning = |p: &PropId| Some((*p, set.atoms.get(p)?.clone()));
        let atoms: Vec<(PropId, Predicate)> = used.iter().filter_map(meaning).collect();
        let asked = formula;
        let formula = constants.put(session, store, asked, &atoms, &shares.next());
        if store.is(formula, Fragment::BOOLEAN) {
            // What is left is a question of the initial state.
            let now = predicate(store, formula, &atoms);
            let model = session.model();
            let holds = model.initial().iter().all(|state| now.eval(model, state));
            let technique = if formula == asked { EXPLICIT } else { EQUATION };
            answer(out, technique, &property.id, truth(holds))?;
            continue;
        }
        ids.push(&property.id);
        tasks.push(BranchingTask { formula, atoms });
    }
    if tasks.is_empty() {
        return Ok(true);
    }
    let options = BranchingOptions {
        engine: request.engine,
        explain: false,
        ..BranchingOptions::ctl()
    };
    let mut all = true;
    let mut written: io::Result<()> = Ok(());
    let checked = check_branching(
        session,
        store,
        &tasks,
        &options,
        &request.budget(),
        |task, outcome| match outcome.holds {
            Ok(holds) if written.is_ok() => {
                let technique = match outcome.engine {
                    Some(Engine::Symbolic) => SYMBOLIC,
                    _ => EXPLICIT,
                };
                written = answer(out, technique, ids[task], truth(holds));
            }
            Ok(_) => {}
            Err(_) => all = false,
        },
    );
    written?;
    if all && checked.is_ok() {
        Ok(true)
    } else {
        cannot_compute(out)
    }
}
