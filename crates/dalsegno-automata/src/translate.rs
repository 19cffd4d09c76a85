//! From a formula to a small TGBA or BA: the tableau and the reductions after it.
//!
//! The tableau is pruned, then two ways are taken: minimisation, if the property is an obligation,
//! and simulation, forward and backward until neither finds anything. The automaton with fewer states
//! wins, then the one with fewer edges; the deterministic one on a draw.

use dalsegno_kripke::Budget;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::automaton::{Automaton, MAX_ACCEPTANCE_SETS};
use crate::bdd::{Bdd, Manager};
use crate::degeneralize::degeneralize;
use crate::marks::{mark_transient, propagate, shift};
use crate::minimize::{self, Weak};
use crate::product;
use crate::prune::{drop_useless, prune};
use crate::recurrence;
use crate::simulation::{Method, reduce_direct, reduce_reverse};
use crate::tableau::{Error, tableau};

/// What a translation needs besides the formula.
pub struct Translator<'a> {
    /// The owner of the formulas.
    pub store: &'a mut FormulaStore,
    /// The simplifier of that store.
    pub simplifier: &'a mut Simplifier,
    /// The propositions of the formulas, in order. An automaton has those of them that it looks at.
    pub propositions: &'a [PropId],
    /// The letters that can occur.
    pub alphabet: &'a dyn Fn(&mut Manager) -> Bdd,
    /// When to give up.
    pub budget: &'a Budget,
}

impl Translator<'_> {
    /// A small TGBA for `f`.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn tgba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        let f = self.simplifier.simplify(self.store, f);
        Ok(self.small(f, false)?.tgba.without_unused_propositions())
    }

    /// A TGBA for `f` whose states keep their formulas: reductions that lose them are left out.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn labelled_tgba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        let f = self.simplifier.simplify(self.store, f);
        let raw = self.tableau(f)?;
        let weak = self.weak(f, &raw)?.map(|w| prune(w.automaton));
        let reduced = self.reduce(raw, true)?;
        Ok(smaller(weak, reduced).without_unused_propositions())
    }

    /// A small Büchi automaton for `f`.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        let f = self.simplifier.simplify(self.store, f);
        let small = self.small(f, true)?;
        let ba = small.ba.unwrap_or(small.tgba);
        Ok(ba.without_unused_propositions())
    }

    /// The smallest automata that the different ways lead to.
    fn small(&mut self, f: FormulaId, want_ba: bool) -> Result<Small, Error> {
        let raw = self.tableau(f)?;
        let weak = self.weak(f, &raw)?;
        let reduced = self.reduce(raw, false)?;
        let mut best = Small {
            ba: want_ba
                .then(|| self.degeneralized(reduced.clone()))
                .transpose()?,
            tgba: reduced,
        };
        if let Some(weak) = weak {
            best.ba = best
                .ba
                .map(|ba| smaller(Some(drop_useless(weak.automaton.clone())), ba));
            best.tgba = smaller(Some(prune(weak.automaton)), best.tgba);
            if best.tgba.len() <= 2 {
                return Ok(best);
            }
        }
        if let Some(repeated) = self.repeated(f)? {
            self.offer(&mut best, repeated)?;
        }
        if best.tgba.acceptance_sets > 0 && best.tgba.len() > 2 {
            // A Büchi automaton may turn out smaller; with several sets it seldom does, and is only
            // tried where that costs little.
            let cheap = best.tgba.acceptance_sets == 1 || best.tgba.edge_count() <= 100;
            if cheap || best.ba.is_some() {
                let ba = self.degeneralized(best.tgba.clone())?;
                let pruned = self.reduce(prune(ba.clone()), false)?;
                best.ba = best.ba.map(|first| smaller(Some(first), ba));
                best.tgba = smaller(Some(best.tgba), pruned);
            }
            for variant in [mark_transient, propagate, shift] {
                let marked = self.reduce(variant(best.tgba.clone()), false)?;
                self.offer(&mut best, marked)?;
            }
        }
        if best.tgba.len() > 1
            && let Some(product) = self.split(f, 8 * best.tgba.len())?
        {
            self.offer(&mut best, product)?;
        }
        Ok(best)
    }

    /// Takes a candidate if it is smaller than the best so far.
    fn offer(&mut self, best: &mut Small, tgba: Automaton) -> Result<(), Error> {
        if let Some(first) = best.ba.take() {
            let ba = self.degeneralized(tgba.clone())?;
            best.ba = Some(smaller(Some(first), ba));
        }
        if tgba.len() <= best.tgba.len() {
            let frame = Automaton::new(Vec::new(), 0);
            let first = std::mem::replace(&mut best.tgba, frame);
            best.tgba = smaller(Some(first), tgba);
        }
        Ok(())
    }

    /// The product of the automata of the operands of a conjunction, if it stays below a bound.
    fn split(&mut self, f: FormulaId, bound: usize) -> Result<Option<Automaton>, Error> {
        let Node::And(operands) = self.store.node(f) else {
            return Ok(None);
        };
        let mut product: Option<Automaton> = None;
        let operands = operands.to_vec();
        for g in operands {
            let part = self.small(g, false)?.tgba;
            let next = match product {
                None => part,
                Some(p) if p.acceptance_sets + part.acceptance_sets <= MAX_ACCEPTANCE_SETS => {
                    prune(product::intersection(&p, &part, self.budget)?)
                }
                Some(_) => return Ok(None),
            };
            if next.len() > bound {
                return Ok(None);
            }
            product = Some(next);
        }
        product.map(|p| self.reduce(p, false)).transpose()
    }

    /// The automaton of `G F g` for a guarantee `F g`.
    fn repeated(&mut self, f: FormulaId) -> Result<Option<Automaton>, Error> {
        let Node::Globally(g) = self.store.node(f) else {
            return Ok(None);
        };
        let finally = matches!(self.store.node(g), Node::Finally(_));
        if !finally || !self.store.is(g, Fragment::GUARANTEE) {
            return Ok(None);
        }
        let raw = self.tableau(g)?;
        let weak = self.weak(g, &raw)?;
        weak.and_then(|w| recurrence::repeated(&w))
            .map(|a| self.reduce(a, false))
            .transpose()
    }

    fn degeneralized(&mut self, tgba: Automaton) -> Result<Automaton, Error> {
        let states = tgba.len();
        let shifted = shift(tgba.clone());
        let ba = self.reduce_ba(degeneralize(tgba, self.budget)?)?;
        if ba.len() <= states {
            return Ok(ba);
        }
        let shifted = self.reduce_ba(degeneralize(shifted, self.budget)?)?;
        Ok(smaller(Some(ba), shifted))
    }

    fn reduce_ba(&mut self, mut ba: Automaton) -> Result<Automaton, Error> {
        loop {
            let before = size(&ba);
            ba = reduce_direct(ba, Method::Signatures, self.budget)?;
            ba = reduce_reverse(ba, true, Method::Signatures, self.budget)?;
            if size(&ba) == before {
                return Ok(ba);
            }
        }
    }

    fn tableau(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        let alphabet = self.alphabet;
        let raw = tableau(self.store, f, self.propositions, alphabet, self.budget)?;
        Ok(prune(raw))
    }

    fn reduce(&mut self, mut a: Automaton, keep_labels: bool) -> Result<Automaton, Error> {
        loop {
            let before = size(&a);
            a = reduce_direct(a, Method::Signatures, self.budget)?;
            if !keep_labels {
                a = reduce_reverse(a, false, Method::Signatures, self.budget)?;
            }
            if size(&a) == before {
                return Ok(a);
            }
        }
    }

    /// The minimal weak deterministic automaton, if `f` is an obligation.
    fn weak(&mut self, f: FormulaId, raw: &Automaton) -> Result<Option<Weak>, Error> {
        let bound = 64 + 4 * raw.len();
        let Some(weak) = minimize::minimize(self.store, raw, bound, self.budget)? else {
            return Ok(None);
        };
        if self.store.is(f, Fragment::OBLIGATION) {
            return Ok(Some(weak));
        }
        let missed = product::intersection(raw, &weak.complement(), self.budget)?;
        if !product::is_empty(&missed) {
            return Ok(None);
        }
        let not_f = self.simplifier.simplify_negation(self.store, f);
        let negation = self.tableau(not_f)?;
        let extra = product::intersection(&negation, &weak.automaton, self.budget)?;
        Ok(product::is_empty(&extra).then_some(weak))
    }
}

struct Small {
    tgba: Automaton,
    ba: Option<Automaton>,
}

fn size(a: &Automaton) -> (usize, usize) {
    (a.len(), a.edge_count())
}

/// The one with fewer states; then the deterministic one, then the one with fewer edges, then the
/// first.
fn smaller(first: Option<Automaton>, second: Automaton) -> Automaton {
    let Some(first) = first else { return second };
    let rank = |a: &Automaton| (!a.is_deterministic(), a.edge_count());
    if first.len() < second.len() || (first.len() == second.len() && rank(&first) <= rank(&second))
    {
        first
    } else {
        second
    }
}
