//! What the state equation proves of all reachable states: goals that are not reachable, bounds of sums, and
//! parts of formulas that never change.

use dalsegno_kripke::{Budget, Compare, DeadEnds, Predicate, Relation, Stop, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Method, Tool};
use crate::board::Board;
use crate::facts::Sum;
use crate::plan::{FIRST_PROOFS, GOALS};
use crate::predicate::predicate;
use crate::problem::Problem;
use crate::question::Question;
use crate::slice::{Shares, Slice};

/// The method.
#[derive(Default)]
pub(crate) struct Proofs {
    constants: Constants,
    /// Goals that were tried as long as it takes: no proof will be found.
    futile: FxHashSet<usize>,
}

impl Method for Proofs {
    fn tool(&self) -> Tool {
        Tool::StateEquation
    }

    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        let net = board.problem().net().is_some();
        net && match question {
            Question::Survey | Question::Automaton(_) => false,
            // A kind that was asked for is used for the formula as it is, so that its sizes mean something.
            Question::Linear(_) => board.settings().automaton.is_none(),
            // Where finite paths do not count, a state may have none.
            Question::Branching(property) => property.dead_ends != DeadEnds::Ignore,
            Question::Reach(_) | Question::Bound(_) | Question::Global(_) => true,
        }
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let problem = board.problem();
        // What all questions need is made first.
        let _ = problem.state_equation();
        self.formulas(board, open, slice);
        self.goals(board, open, slice);
        bounds(board, open, slice);
        slice.budget.check()
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn release(&mut self) {}
}

impl Proofs {
    /// Puts constants into formulas.
    fn formulas(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) {
        let open: Vec<usize> = open
            .iter()
            .copied()
            .filter(|&n| board.property(n).is_some())
            .collect();
        let mut shares = slice.shares(open.len());
        for number in open {
            let Some(property) = board.property(number) else {
                continue;
            };
            let mut formulas = board.formulas();
            let (f, atoms) = (property.formula, &property.atoms);
            let constants = &mut self.constants;
            let found = constants.put(board.problem(), &mut formulas, f, atoms, &shares.next());
            drop(formulas);
            board.refine(number, found);
        }
    }

    /// Excludes goals. Those that need more than an equal part of the time get what the others leave.
    fn goals(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) {
        let problem = board.problem();
        let (count, of) = GOALS;
        let safety = |goal: &Predicate| safe_places(goal).is_some();
        let mut budget = slice.budget.clone();
        if let Some(left) = budget.time_left() {
            let alone = board.open_goals(open).iter().all(|(_, goal)| safety(goal));
            let global = open
                .iter()
                .any(|&n| matches!(board.question(n), Question::Global(_)));
            if global && !alone {
                budget = budget.with_time(left / of * count);
            }
        }
        for percent in [FIRST_PROOFS, 100] {
            let goals = board.open_goals(open);
            let goals: Vec<_> = goals
                .into_iter()
                .filter(|(id, _)| !self.futile.contains(id))
                .collect();
            let mut part = budget.clone();
            if let Some(left) = part.time_left() {
                part = part.with_time(left / 100 * percent);
            }
            let mut shares = Shares::new(part, goals.len());
            for (id, goal) in goals {
                let share = shares.next();
                if board.is_known(id) || open.iter().all(|&n| !board.is_open(n)) {
                    continue;
                }
                match excludes_each(problem, &goal, &share) {
                    Ok(true) => board.reachable(id, false, Tool::StateEquation),
                    Ok(false) => {
                        self.futile.insert(id);
                    }
                    Err(_) => {}
                }
            }
        }
    }
}

/// Better bounds of sums of places of which some values have been seen.
fn bounds(board: &Board<'_>, open: &[usize], slice: &Slice) {
    let problem = board.problem();
    let sums: Vec<(usize, Sum)> = board.open_sums(open);
    let mut shares = slice.shares(sums.len());
    for (id, sum) in sums {
        let share = shares.next();
        // Often the largest value has been seen. If not, a bound may still be reached later.
        let more = (|| {
            let terms = sum.places.iter().map(|&v| (1, v)).collect();
            let seen_more = i64::try_from(sum.seen).ok()?.checked_add(1)?;
            Compare::new(terms, Relation::Ge, seen_more).ok()
        })();
        let excluded = more.map(|more| excludes(problem, &Predicate::Compare(more), &share));
        let most = match excluded {
            Some(Ok(true)) => Some(sum.seen),
            _ => bound(problem, &sum.places, sum.most, &share),
        };
        if let Some(most) = most {
            board.bounded(id, most, Tool::StateEquation);
        }
    }
}

/// The places of a goal that says of several that one of them holds two tokens.
fn safe_places(goal: &Predicate) -> Option<(Vec<VarId>, Vec<&Predicate>)> {
    let parts = match goal {
        Predicate::Or(parts) => &parts[..],
        single @ Predicate::Compare(_) => std::slice::from_ref(single),
        _ => return None,
    };
    let (mut places, mut others) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Predicate::Compare(c) if c.op() == Relation::Ge && c.constant() == 2 => {
                match c.terms() {
                    [(1, v)] => places.push(*v),
                    _ => others.push(part),
                }
            }
            _ => return None,
        }
    }
    Some((places, others))
}

/// Whether it is proved that no reachable state satisfies a goal. That no place holds two tokens is proved for
/// many places at once.
fn excludes_each(problem: &Problem, goal: &Predicate, budget: &Budget) -> Result<bool, Stop> {
    let Some((places, others)) = safe_places(goal).filter(|(places, _)| places.len() > 1) else {
        return excludes(problem, goal, budget);
    };
    let Some(equation) = problem.state_equation() else {
        return Ok(false);
    };
    if !equation.are_safe(&places, budget)? {
        return Ok(false);
    }
    let mut shares = Shares::new(budget.clone(), others.len());
    for goal in others {
        if !excludes(problem, goal, &shares.next())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether it is proved that no reachable state satisfies a goal.
///
/// # Errors
/// If the budget runs out: more time may bring a proof.
fn excludes(problem: &Problem, goal: &Predicate, budget: &Budget) -> Result<bool, Stop> {
    let (Some(net), Some(structure)) = (problem.net(), problem.structure()) else {
        return Ok(false);
    };
    let Some(equation) = problem.state_equation() else {
        return Ok(false);
    };
    equation.excludes(net, structure, &structure.simplify(goal), budget)
}

/// A number of tokens that some places together never exceed, if one below `known` is proved in time.
fn bound(problem: &Problem, places: &[VarId], known: Option<u64>, budget: &Budget) -> Option<u64> {
    let equation = problem.state_equation()?;
    equation.bound(places, known, budget).ok().flatten()
}

/// Which predicates are the same in all reachable states of a problem's model, as far as was proved.
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
        problem: &Problem,
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
                match self.always(problem, &meaning, budget) {
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
        problem: &Problem,
        meaning: &Predicate,
        budget: &Budget,
    ) -> Result<Option<bool>, Stop> {
        if let Some(&known) = self.known.get(meaning) {
            return Ok(known);
        }
        budget.check()?;
        let model = problem.model();
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
        let found = excludes(problem, &other, budget)?.then_some(now);
        self.known.insert(meaning.clone(), found);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_logic::parse;
    use dalsegno_models::petri::generators::Family;

    use super::*;

    #[test]
    fn boolean_parts_become_constants() {
        let budget = Budget::unlimited();
        let problem = Problem::of_net(Family::Kanban.generate(10).unwrap(), &budget);
        let mut store = FormulaStore::new();
        let mut put = |text: &str| {
            let f = parse(&mut store, text).unwrap();
            let atoms = problem.atoms(&store, f).unwrap();
            let result = Constants::default().put(&problem, &mut store, f, &atoms, &budget);
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
