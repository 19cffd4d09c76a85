//! Reachability properties as goals.

use dalsegno_kripke::Predicate;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::session::{Session, predicate};

/// `E F g` or `A G !g` for a Boolean `g`: the goal, and what the formula is if it is reached. A formula
/// without temporal operators is decided by the initial state: it is what it is as soon as any state is
/// reached.
pub(super) fn goal(
    session: &Session,
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Option<(Predicate, bool)> {
    let boolean = |g: FormulaId| {
        let is_boolean = store.is(g, Fragment::BOOLEAN);
        is_boolean.then(|| predicate(store, g, atoms)).flatten()
    };
    let path = match store.node(f) {
        Node::Not(g) => {
            let (goal, if_reached) = goal(session, store, g, atoms)?;
            return Some((goal, !if_reached));
        }
        Node::Exists(path) | Node::Forall(path) => path,
        _ => f,
    };
    if let Some(now) = boolean(path) {
        let model = session.model();
        let holds = model.initial().iter().all(|state| now.eval(model, state));
        return Some((Predicate::True, holds));
    }
    match (store.node(f), store.node(path)) {
        (Node::Exists(_), Node::Finally(g)) => Some((boolean(g)?, true)),
        (Node::Forall(_), Node::Globally(g)) => Some((boolean(g)?.negate(), false)),
        _ => None,
    }
}
