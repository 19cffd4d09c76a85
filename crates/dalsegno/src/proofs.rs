//! What the state equation proves of all reachable states, within a share of the time.

use std::time::Duration;

use dalsegno_kripke::{Budget, Predicate, Stop, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use dalsegno_models::petri::state_equation::StateEquation;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::session::{Session, predicate};

/// The most arcs of a net whose equation is read.
const MOST_ARCS: usize = 4_000_000;

fn equation(session: &Session) -> Option<&StateEquation> {
    session.net().filter(|net| net.arc_count() <= MOST_ARCS)?;
    session.state_equation()
}

/// Whether it is proved that no reachable state satisfies a goal.
///
/// # Errors
/// If the budget runs out: more time may bring a proof.
pub(crate) fn excludes(session: &Session, goal: &Predicate, budget: &Budget) -> Result<bool, Stop> {
    let (Some(net), Some(decider)) = (session.net(), session.decider()) else {
        return Ok(false);
    };
    let Some(equation) = equation(session) else {
        return Ok(false);
    };
    equation.excludes(net, decider, &decider.simplify(goal), budget)
}

/// Whether it is proved in time that none of some places ever holds two tokens.
pub(crate) fn are_safe(session: &Session, places: &[VarId], budget: &Budget) -> bool {
    let equation = equation(session);
    equation.is_some_and(|equation| equation.are_safe(places, budget) == Ok(true))
}

/// A number of tokens that some places together never exceed, if one below `known` is proved in time.
pub(crate) fn bound(
    session: &Session,
    places: &[VarId],
    known: Option<u64>,
    budget: &Budget,
) -> Option<u64> {
    let equation = equation(session)?;
    equation.bound(places, known, budget).ok().flatten()
}

/// Which predicates are the same in all reachable states of a session's model, as far as was proved.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// What a predicate always is, or that no proof was found.
    known: FxHashMap<Predicate, Option<bool>>,
}

impl Constants {
    /// A formula with constants for its atoms and its largest Boolean parts, where these are proved in
    /// time; the same in all reachable states. Dead ends must not take paths away from states.
    pub(crate) fn put(
        &mut self,
        session: &Session,
        store: &mut FormulaStore,
        f: FormulaId,
        atoms: &[(PropId, Predicate)],
        budget: &Budget,
    ) -> FormulaId {
        let subformulas = store.subformulas(f);
        let mut asked: FxHashSet<FormulaId> = FxHashSet::default();
        asked.insert(f);
        for &g in &subformulas {
            if !store.is(g, Fragment::BOOLEAN) {
                asked.extend(store.children(g));
            } else if store.children(g).next().is_none() {
                asked.insert(g);
            }
        }
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in subformulas {
            let operands: Vec<FormulaId> = store.children(g).map(|child| done[&child]).collect();
            let is_constant = |h: FormulaId| [FormulaId::TRUE, FormulaId::FALSE].contains(&h);
            let next = |h: FormulaId| match store.node(h) {
                Node::Next(inner) => Some(inner),
                _ => None,
            };
            let mut result = match (store.node(g), operands.as_slice()) {
                // Each state has a path.
                (Node::Exists(_) | Node::Forall(_), &[h]) if store.is(h, Fragment::STATE) => h,
                // Where there is no next state, `E X` is false and `A X` true.
                (Node::Exists(_), &[h]) if next(h) == Some(FormulaId::FALSE) => FormulaId::FALSE,
                (Node::Forall(_), &[h]) if next(h) == Some(FormulaId::TRUE) => FormulaId::TRUE,
                _ => store.rebuild(g, &operands),
            };
            let open = store.is(result, Fragment::BOOLEAN) && !is_constant(result);
            if open && asked.contains(&g) {
                let meaning = predicate(store, result, atoms);
                match self.always(session, &meaning, budget) {
                    Ok(Some(true)) => result = FormulaId::TRUE,
                    Ok(Some(false)) => result = FormulaId::FALSE,
                    Ok(None) | Err(_) => {}
                }
            }
            done.insert(g, result);
        }
        done[&f]
    }

    /// What a predicate is in all reachable states, if that is proved.
    ///
    /// # Errors
    /// If the budget runs out.
    pub(crate) fn always(
        &mut self,
        session: &Session,
        meaning: &Predicate,
        budget: &Budget,
    ) -> Result<Option<bool>, Stop> {
        if let Some(&known) = self.known.get(meaning) {
            return Ok(known);
        }
        budget.check()?;
        let model = session.model();
        let Some(state) = model.initial().first() else {
            return Ok(None);
        };
        // What it is in the beginning is the only thing that it can be always.
        let now = meaning.eval(model, state);
        let other = if now {
            meaning.clone().negate()
        } else {
            meaning.clone()
        };
        let found = excludes(session, &other, budget)?.then_some(now);
        self.known.insert(meaning.clone(), found);
        Ok(found)
    }
}

/// Divides a share of the time among questions: what one leaves, the next ones have.
pub(crate) struct Shares {
    share: Budget,
    questions: u32,
}

impl Shares {
    /// A share of the time that is left, in percent, or some time if there is no limit. What all questions
    /// need is made first.
    pub(crate) fn new(
        session: &Session,
        budget: &Budget,
        percent: u32,
        unlimited: Duration,
        questions: usize,
    ) -> Self {
        equation(session);
        let left = budget.time_left();
        let time = left.map_or(unlimited, |left| left * percent / 100);
        Shares {
            share: budget.clone().with_time(time),
            questions: questions as u32,
        }
    }

    /// What the next question has.
    pub(crate) fn next(&mut self) -> Budget {
        let left = self.share.time_left().unwrap_or_default();
        let time = left / self.questions.max(1);
        self.questions = self.questions.saturating_sub(1);
        self.share.clone().with_time(time)
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_logic::parse;
    use dalsegno_models::petri::generators::Family;

    use super::*;

    #[test]
    fn boolean_parts_become_constants() {
        let session = Session::new(Family::Kanban.generate(10).unwrap());
        let mut store = FormulaStore::new();
        let mut put = |text: &str| {
            let f = parse(&mut store, text).unwrap();
            let atoms = session.atoms(&store, f).unwrap();
            let budget = Budget::unlimited();
            let result = Constants::default().put(&session, &mut store, f, &atoms, &budget);
            (f, result)
        };
        // No two of the three exclude the third, and no invariant has just these places.
        let two = "\"Pm1 + Pback1 >= 6\" & \"Pm1 + Pout1 >= 6\"";
        let never = format!("{two} & \"Pback1 + Pout1 >= 9\"");
        assert_eq!(put(&format!("AG EF ({never})")).1, FormulaId::FALSE);
        assert_eq!(put(&format!("A (F G !({never}))")).1, FormulaId::TRUE);
        assert_eq!(put(&format!("AG AX !({never})")).1, FormulaId::TRUE);
        assert_eq!(put(&format!("EF EX ({never})")).1, FormulaId::FALSE);
        // A dead end has no next state.
        assert_ne!(put(&format!("EX !({never})")).1, FormulaId::TRUE);
        assert_ne!(put(&format!("AX ({never})")).1, FormulaId::FALSE);
        let (f, same) = put(&format!("AG EF ({two} & \"Pback1 + Pout1 >= 8\")"));
        assert_eq!(f, same);
    }
}
