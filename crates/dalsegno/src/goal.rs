//! Reachability properties as goals.

use dalsegno_kripke::{Model, Predicate};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::predicate::predicate;
use crate::question::Reach;

/// `E F g` or `A G !g` for a Boolean `g`: the goal, and what the formula is if it is reached. A formula
/// without temporal operators is decided by the initial state: it is what it is as soon as any state is
/// reached.
pub(crate) fn goal(
    model: &Model,
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Option<Reach> {
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
            let mut reach = goal(model, store, g, atoms)?;
            reach.if_reached = !reach.if_reached;
            return Some(reach);
        }
        Node::Exists(path) | Node::Forall(path) => path,
        _ => f,
    };
    if let Some(now) = boolean(path) {
        let holds = model.initial().iter().all(|state| now.eval(model, state));
        return Some(Reach {
            goal: Predicate::True,
            if_reached: holds,
        });
    }
    let (goal, if_reached) = match (store.node(f), store.node(path)) {
        (Node::Exists(_), Node::Finally(g)) => (boolean(g)?, true),
        (Node::Forall(_), Node::Globally(g)) => (boolean(g)?.negate(), false),
        _ => return None,
    };
    Some(Reach { goal, if_reached })
}
