//! Automata of conjunctions and disjunctions from the automata of their operands.
//!
//! The tableau of a conjunction combines all moments of its operands. Where the automata of the operands are small, their
//! product is the better start, with operands that do not depend on finite prefixes suspended ([`crate::ltl::suspend`]).
//! A disjunction of a universal formula and eventualities needs no initial state of its own
//! ([`crate::ltl::eventual_union`]).

use dalsegno_logic::{FormulaId, Fragment, Node};

use crate::effort::Effort;
use crate::ltl::eventual_union::eventual_union;
use crate::ltl::smallest::Goal;
use crate::ltl::suspend::suspended_product;
use crate::ltl::tableau::Error;
use crate::ltl::translator::Translator;
use crate::omega::automaton::Automaton;
use crate::omega::product;
use crate::omega::reduction::reduce;
use crate::omega::scc_filter::scc_filter;

impl Translator<'_> {
    /// Whether an operand of a conjunction does not depend on finite prefixes.
    pub(crate) fn can_suspend(&self, f: FormulaId) -> bool {
        let Node::And(operands) = self.store.node(f) else {
            return false;
        };
        let alternating = Fragment::EVENTUAL.union(Fragment::UNIVERSAL);
        operands.iter().any(|&g| self.store.is(g, alternating))
    }

    /// The product of the automata of the operands of a conjunction, if it stays below a bound. Operands that do not
    /// depend on finite prefixes are suspended until the others are in an accepting component.
    pub(crate) fn split(
        &mut self,
        f: FormulaId,
        goal: Goal,
        bound: usize,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        let Node::And(operands) = self.store.node(f) else {
            return Ok(None);
        };
        let (later, now): (Vec<FormulaId>, Vec<FormulaId>) = operands.iter().partition(|&&g| {
            self.store
                .is(g, Fragment::EVENTUAL.union(Fragment::UNIVERSAL))
        });
        if later.is_empty() {
            let now = self.product_of(&now, goal, bound, may)?;
            return Ok(now.map(|p| reduce(p, false, may)));
        }
        let Some(later) = self.product_of(&later, goal, bound, may)? else {
            return Ok(None);
        };
        if now.is_empty() {
            return Ok(Some(reduce(later, false, may)));
        }
        let Some(now) = self.product_of(&now, goal, bound, may)? else {
            return Ok(None);
        };
        let product = suspended_product(&now, &later, may)?;
        let product = product.map(|p| reduce(scc_filter(p, may), false, may));
        Ok(product.filter(|p| p.len() <= bound))
    }

    /// The product of the automata of formulas; `None` if there are none or it is above the bound.
    fn product_of(
        &mut self,
        operands: &[FormulaId],
        goal: Goal,
        bound: usize,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        let mut product: Option<Automaton> = None;
        for &g in operands {
            let part = self.small(g, goal.part(), may, may)?.tgba;
            let next = match product {
                None => part,
                Some(p) => scc_filter(product::intersection(&p, &part, may)?, may),
            };
            if next.len() > bound {
                return Ok(None);
            }
            product = Some(next);
        }
        Ok(product)
    }

    /// The automaton of a disjunction of a universal formula and eventualities, if the initial state of the best one
    /// known is left for good or only waits: then it can do without.
    pub(crate) fn jumping(
        &mut self,
        f: FormulaId,
        best: &Automaton,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        let entered = |q| best.edges.iter().flatten().any(|e| e.target == q);
        let stays = best.initial.iter().any(|&q| entered(q));
        if stays && !matches!(self.store.node(f), Node::Finally(_)) {
            return Ok(None);
        }
        let Some(operands) = self.disjuncts(f) else {
            return Ok(None);
        };
        let all = operands.iter().copied();
        let home = |&g: &FormulaId| self.store.is(g, Fragment::UNIVERSAL);
        let recurrent = |g: &FormulaId| home(g) && self.store.is(*g, Fragment::RECURRENCE);
        let home = all
            .clone()
            .find(recurrent)
            .or_else(|| all.clone().find(home));
        let eventual = |&g: &FormulaId| Some(g) != home && self.store.is(g, Fragment::EVENTUAL);
        let (others, rest): (Vec<FormulaId>, Vec<FormulaId>) =
            all.filter(|&g| Some(g) != home).partition(eventual);
        let (Some(home), true) = (home, rest.is_empty() && !others.is_empty()) else {
            return Ok(None);
        };
        let eventual = self.store.or(others);
        let home = self.small(home, Goal::TGBA, may, may)?.tgba;
        let eventual = self.small(eventual, Goal::TGBA, may, may)?.tgba;
        let union = eventual_union(&home, &eventual, may)?;
        Ok(union.map(|a| reduce(scc_filter(a, may), false, may)))
    }

    /// The operands of a disjunction; `F` distributes.
    fn disjuncts(&mut self, f: FormulaId) -> Option<Vec<FormulaId>> {
        match self.store.node(f) {
            Node::Or(operands) => Some(operands.to_vec()),
            Node::Finally(g) => {
                let Node::Or(operands) = self.store.node(g) else {
                    return None;
                };
                let operands = operands.to_vec();
                let eventually = operands.into_iter().map(|g| {
                    let g = self.store.finally(g);
                    self.simplify(g)
                });
                Some(eventually.collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Budget;
    use dalsegno_logic::simplify::Simplifier;
    use dalsegno_logic::{FormulaStore, parse};

    use super::*;

    #[test]
    fn operands_that_become_too_large_are_not_left_out() {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, "G F(a & X a) & G F(b & X b) & G c").unwrap();
        let props = store.propositions(f);
        let budget = Budget::unlimited();
        let mut t = Translator {
            store: &mut store,
            simplifier: &mut Simplifier::new(),
            propositions: &props,
            groups: &[],
            budget: &budget,
        };
        let may = Effort::unlimited(&budget);
        let small = t.split(f, Goal::TGBA, 1, &may).unwrap();
        assert!(small.is_none(), "G c alone has one state");
        let whole = t.split(f, Goal::TGBA, 100, &may).unwrap();
        assert!(whole.is_some_and(|a| a.acceptance_sets == 2));
    }
}
