//! CTL properties: all of a file share one set of reachable states.

use std::io::{self, Write};

use dalsegno_kripke::Predicate;
use dalsegno_logic::{FormulaStore, PropId};
use dalsegno_models::petri::properties::{PropertySet, Question};

use super::{ContestError, EXPLICIT, Request, SYMBOLIC, answer, cannot_compute, truth};
use crate::branching::{BranchingOptions, BranchingTask, check_branching};
use crate::session::Session;
use crate::survey::Engine;

pub(super) fn branching(
    session: &Session,
    store: &mut FormulaStore,
    set: &PropertySet,
    request: &Request<'_>,
    out: &mut (impl Write + Send),
) -> Result<bool, ContestError> {
    let mut ids: Vec<&str> = Vec::new();
    let mut tasks = Vec::new();
    for property in &set.properties {
        let Question::Formula(formula) = property.question else {
            continue;
        };
        let used = store.propositions(formula);
        let meaning = |p: &PropId| Some((*p, set.atoms.get(p)?.clone()));
        let atoms: Vec<(PropId, Predicate)> = used.iter().filter_map(meaning).collect();
        ids.push(&property.id);
        tasks.push(BranchingTask { formula, atoms });
    }
    let options = BranchingOptions {
        engine: request.engine,
        explain: false,
        ..BranchingOptions::ctl()
    };
    let mut all = true;
    let mut written: io::Result<()> = Ok(());
    check_branching(
        session,
        store,
        &tasks,
        &options,
        request.budget,
        |task, told, _| match told.map(|outcome| (outcome.holds, outcome.engine)) {
            Ok((Ok(holds), engine)) if written.is_ok() => {
                let technique = match engine {
                    Some(Engine::Symbolic) => SYMBOLIC,
                    _ => EXPLICIT,
                };
                written = answer(out, technique, ids[task], truth(holds));
            }
            Ok((Ok(_), _)) => {}
            Ok((Err(_), _)) => all = false,
            Err(error) => {
                (request.on_defect)(&format!("{}: {error}", ids[task]));
                all = false;
            }
        },
    );
    written?;
    if all { Ok(true) } else { cannot_compute(out) }
}
