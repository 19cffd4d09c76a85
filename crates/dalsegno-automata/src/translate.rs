//! From a formula to a small TGBA or BA: the tableau and the reductions after it.
//!
//! The tableau is pruned, then two ways are taken: minimisation, if the property is an obligation,
//! and simulation, forward and backward until neither finds anything. The automaton with fewer states
//! wins, then the one with fewer edges; the deterministic one on a draw.

use dalsegno_kripke::Budget;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, PropId};

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Manager};
use crate::degeneralize::degeneralize;
use crate::minimize::{self, Weak};
use crate::product;
use crate::prune::{drop_useless, prune};
use crate::simulation::{reduce_direct, reduce_reverse};
use crate::tableau::{Error, tableau};

/// What a translation needs besides the formula.
pub struct Translator<'a> {
    /// The owner of the formulas.
    pub store: &'a mut FormulaStore,
    /// The simplifier of that store.
    pub simplifier: &'a mut Simplifier,
    /// The propositions of the automaton, in order.
    pub propositions: &'a [PropId],
    /// The letters that can occur.
    pub alphabet: &'a dyn Fn(&mut Manager) -> Bdd,
    /// When to give up.
    pub budget: &'a Budget,
}

impl Translator<'_> {
    /// A small TGBA for `f`. If `keep_labels` is set, reductions that lose the states' formulas are
    /// left out.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn tgba(&mut self, f: FormulaId, keep_labels: bool) -> Result<Automaton, Error> {
        let f = self.simplifier.simplify(self.store, f);
        let raw = self.tableau(f)?;
        let weak = self.weak(f, &raw)?.map(|w| prune(w.automaton));
        let reduced = self.reduce(raw, keep_labels)?;
        Ok(match weak {
            Some(weak) if better(&weak, &reduced) => weak,
            _ => reduced,
        })
    }

    /// A small Büchi automaton for `f`.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        let f = self.simplifier.simplify(self.store, f);
        let raw = self.tableau(f)?;
        let weak = self.weak(f, &raw)?.map(|w| drop_useless(w.automaton));
        let reduced = self.reduce(raw, false)?;
        let mut ba = degeneralize(reduced, self.budget)?;
        loop {
            let (states, edges) = (ba.len(), ba.edge_count());
            ba = reduce_direct(ba, self.budget)?;
            ba = reduce_reverse(ba, true, self.budget)?;
            if ba.len() == states && ba.edge_count() == edges {
                break;
            }
        }
        Ok(match weak {
            Some(weak) if better(&weak, &ba) => weak,
            _ => ba,
        })
    }

    fn tableau(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        let alphabet = self.alphabet;
        let raw = tableau(
            self.store,
            self.simplifier,
            f,
            self.propositions,
            alphabet,
            self.budget,
        )?;
        Ok(prune(raw))
    }

    fn reduce(&mut self, mut a: Automaton, keep_labels: bool) -> Result<Automaton, Error> {
        loop {
            let (states, edges) = (a.len(), a.edge_count());
            a = reduce_direct(a, self.budget)?;
            if !keep_labels {
                a = reduce_reverse(a, false, self.budget)?;
            }
            if a.len() == states && a.edge_count() == edges {
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

fn better(weak: &Automaton, other: &Automaton) -> bool {
    let size = |a: &Automaton| (a.len(), a.edge_count());
    size(weak) <= size(other)
}
