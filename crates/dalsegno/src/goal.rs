//! Reachability properties as goals.

use dalsegno_kripke::{Model, Predicate};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::predicate::predicate;
use crate::question::Reach;

/// The reachability question that a formula is, if it is one.
pub(crate) fn reach(
    model: &Model,
    store: &FormulaStore,
    formula: FormulaId,
    atoms: Vec<(PropId, Predicate)>,
) -> Option<Reach> {
    let (goal, if_reached) = goal(model, store, formula, &atoms)?;
    Some(Reach {
        goal,
        if_reached,
        formula,
        atoms,
    })
}

/// `E F g` or `A G !g` for a Boolean `g`: the goal, and what the formula is if it is reached. A formula
/// without temporal operators is decided by the initial state: it is what it is as soon as any state is
/// reached.
fn goal(
    model: &Model,
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Option<(Predicate, bool)> {
    // With several initial states, each of them has to reach the goal.
    if model.initial().len() != 1 {
        return None;
    }
    let boolean = |g: FormulaId| {
        store
            .is(g, Fragment::BOOLEAN)
            .then(|| predicate(store, g, atoms))
    };
    let path = match store.node(f) {
        Node::Not(g) => {
            let (goal, if_reached) = goal(model, store, g, atoms)?;
            return Some((goal, !if_reached));
        }
        Node::Exists(path) | Node::Forall(path) => path,
        _ => f,
    };
    if let Some(now) = boolean(path) {
        let holds = model.initial().iter().all(|state| now.eval(model, state));
        return Some((Predicate::True, holds));
    }
    match (store.node(f), store.node(path)) {
        (Node::Exists(_), Node::Finally(g)) => Some((boolean(g)?, true)),
        (Node::Forall(_), Node::Globally(g)) => Some((boolean(g)?.negate(), false)),
        _ => None,
    }
}
