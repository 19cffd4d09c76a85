//! Explanations on reduced nets as explanations on the nets that were given.
//!
//! Each path of the tree is replayed from the state where its claim is made. Reductions for branching time keep what is
//! observed up to repetitions, so what a path shows, its original shows; a cycle may take several rounds, and what is said of
//! its states is then said in each of them. What is said of all paths stays without a path. The result is checked as
//! every explanation is: where steps between two states of the reduced net would need to be explained as well, or a cycle does
//! not close, there is none.

use std::collections::BTreeSet;

use dalsegno_kripke::explanation::{Explanation, Path, Reason};
use dalsegno_kripke::{Model, Replay, ReplayError};
use dalsegno_logic::FormulaId;

use crate::answer::{Claimed, Explained};
use crate::board::Board;
use crate::inner_run::FromReduced;

/// The most claims of a tree.
const MOST_CLAIMS: usize = 10_000;

/// An explanation of the answer to a question on the net that was given, checked; `None` if there is none.
pub(crate) fn lifted(
    from: &FromReduced,
    board: &Board<'_>,
    number: usize,
    explained: &Explained,
) -> Option<Explained> {
    let (given, now) = (board.given(number)?, board.property(number)?);
    // What was explained is the formula as passes have made it.
    if given.formula != now.formula {
        return None;
    }
    let model = board.problem().model();
    let mut claims = 0;
    let tree = claim(
        &from.replay,
        model,
        &explained.explanation,
        None,
        &mut claims,
    )
    .ok()?;
    let mut store = board.formulas().clone();
    let mut known = true;
    let mut tree: Explanation<FormulaId> = tree.map(&mut |claimed: &Claimed| {
        let parsed = board.problem().parse(&mut store, &claimed.text);
        known &= parsed.is_ok();
        parsed.unwrap_or(given.formula)
    });
    if !known || tree.formula != given.formula {
        return None;
    }
    let mut shown = BTreeSet::new();
    collect(&tree, &mut shown);
    without_elsewhere(&mut tree, &shown);
    board.certify_explanation(number, &store, &tree).ok()?
}

/// A claim in an original state, or in the initial one.
fn claim(
    replay: &Replay,
    model: &Model,
    e: &Explanation<Claimed>,
    state: Option<&[u32]>,
    claims: &mut usize,
) -> Result<Explanation<Claimed>, ReplayError> {
    *claims += 1;
    if *claims > MOST_CLAIMS {
        return Err(ReplayError::TooLong);
    }
    let reason = match &e.reason {
        Reason::Operands(list) => {
            let operand = |e| claim(replay, model, e, state, claims);
            Reason::Operands(list.iter().map(operand).collect::<Result<_, _>>()?)
        }
        Reason::Path(path) => {
            let now = replay.continued(&path.steps, &path.end, state, model)?;
            let mut lifted = Path {
                steps: now.steps,
                end: now.end,
                facts: Vec::new(),
            };
            for (at, fact) in &path.facts {
                for &position in now.positions.get(*at).into_iter().flatten() {
                    let Some(here) = lifted.state(position) else {
                        continue;
                    };
                    let first = position == 0 && state.is_none();
                    let here = (!first).then(|| here.to_vec());
                    let fact = claim(replay, model, fact, here.as_deref(), claims)?;
                    lifted.facts.push((position, fact));
                }
            }
            Reason::Path(lifted)
        }
        other => other.clone(),
    };
    Ok(Explanation {
        formula: e.formula.clone(),
        holds: e.holds,
        state: state.unwrap_or(&model.initial()[0]).to_vec(),
        reason,
    })
}

type Claims = BTreeSet<(FormulaId, bool, Vec<u32>)>;

/// What is explained in a tree.
fn collect(e: &Explanation<FormulaId>, shown: &mut Claims) {
    if e.reason != Reason::Elsewhere {
        shown.insert((e.formula, e.holds, e.state.clone()));
    }
    match &e.reason {
        Reason::Operands(list) => list.iter().for_each(|e| collect(e, shown)),
        Reason::Path(path) => path.facts.iter().for_each(|(_, e)| collect(e, shown)),
        _ => {}
    }
}

/// What was explained elsewhere of a state that has become several is left out.
fn without_elsewhere(e: &mut Explanation<FormulaId>, shown: &Claims) {
    match &mut e.reason {
        Reason::Operands(list) => list.iter_mut().for_each(|e| without_elsewhere(e, shown)),
        Reason::Path(path) => {
            let facts = path.facts.iter_mut();
            facts.for_each(|(_, e)| without_elsewhere(e, shown));
        }
        Reason::Elsewhere if !shown.contains(&(e.formula, e.holds, e.state.clone())) => {
            e.reason = Reason::Omitted;
        }
        _ => {}
    }
}
