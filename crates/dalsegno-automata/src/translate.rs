//! From a formula to a small TGBA or BA: the tableau and the reductions after it.
//!
//! The tableau is pruned, then two ways are taken: minimisation, if the property is an obligation,
//! and simulation, forward and backward until neither finds anything. The automaton with fewer states
//! wins, then the one with fewer edges; the deterministic one on a draw.
//!
//! Only the tableau must be finished. All that comes after it is optional work with an effort in
//! steps: what it has not improved stays as it is, also when the budget runs out.
//! A formula of many parts that the tableau would combine in all ways is taken apart first; see
//! `wide.rs`.

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Manager};
use crate::degeneralize::degeneralize;
use crate::effort::Effort;
use crate::marks::{mark_transient, propagate, shift};
use crate::minimize::{self, Weak};
use crate::product;
use crate::prune::{drop_useless, prune};
use crate::recurrence;
use crate::simulation::{Method, reduce_direct, reduce_reverse};
use crate::tableau::{Error, tableau};

/// The steps that go into making one automaton smaller: a fraction of a second. The usual patterns of
/// specifications take less than a tenth of them.
const EFFORT: u64 = 1 << 21;

/// What a translation needs besides the formula.
pub struct Translator<'a> {
    /// The owner of the formulas.
    pub store: &'a mut FormulaStore,
    /// The simplifier of that store.
    pub simplifier: &'a mut Simplifier,
    /// The propositions of the formulas, in order. An automaton has those of them that it looks at.
    pub propositions: &'a [PropId],
    /// The letters that can occur.
    pub alphabet: &'a dyn Fn(&mut Manager) -> Result<Bdd, Stop>,
    /// When to give up.
    pub budget: &'a Budget,
}

impl<'a> Translator<'a> {
    /// A small TGBA for `f`.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn tgba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        self.tgba_with(f, EFFORT)
    }

    /// As [`Translator::tgba`], with at most so many steps to make it smaller.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn tgba_with(&mut self, f: FormulaId, steps: u64) -> Result<Automaton, Error> {
        let (must, may) = self.efforts(steps);
        let f = self.simplify(f);
        let small = self.small(f, false, &must, &may)?;
        Ok(small.tgba.without_unused_propositions())
    }

    /// A TGBA for `f` whose states keep their formulas: reductions that lose them are left out.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn labelled_tgba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        self.labelled_within(f, &Effort::unlimited(self.budget))
    }

    /// As [`Translator::labelled_tgba`], all of it within an effort.
    pub(crate) fn labelled_within(
        &mut self,
        f: FormulaId,
        effort: &Effort<'_>,
    ) -> Result<Automaton, Error> {
        let f = self.simplify(f);
        if let Some(automaton) = self.wide(f, effort, effort)? {
            return Ok(automaton.without_unused_propositions());
        }
        let raw = self.tableau(f, effort)?;
        let part = effort.part(EFFORT);
        let weak = self.weak(f, &raw, &part).ok().flatten();
        let weak = weak.map(|w| prune(w.automaton, &part));
        let reduced = reduce(raw, true, &part);
        effort.refund(&part);
        Ok(smaller(weak, reduced).without_unused_propositions())
    }

    /// A small Büchi automaton for `f`.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ba(&mut self, f: FormulaId) -> Result<Automaton, Error> {
        self.ba_with(f, EFFORT)
    }

    /// As [`Translator::ba`], with at most so many steps to make it smaller.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn ba_with(&mut self, f: FormulaId, steps: u64) -> Result<Automaton, Error> {
        let (must, may) = self.efforts(steps);
        let f = self.simplify(f);
        let small = self.small(f, true, &must, &may)?;
        let ba = small.ba.unwrap_or(small.tgba);
        Ok(ba.without_unused_propositions())
    }

    /// An equivalent simpler formula; as simple as the budget allows.
    pub(crate) fn simplify(&mut self, f: FormulaId) -> FormulaId {
        let budget = self.budget;
        let go_on = || budget.check().is_ok();
        self.simplifier.simplify_while(self.store, f, &go_on)
    }

    /// What must be done, and what may be done.
    fn efforts(&self, steps: u64) -> (Effort<'a>, Effort<'a>) {
        (
            Effort::unlimited(self.budget),
            Effort::new(self.budget, steps),
        )
    }

    /// The smallest automata that the different ways lead to: the first one is made within `must`, and
    /// it is made smaller within `may`.
    pub(crate) fn small(
        &mut self,
        f: FormulaId,
        want_ba: bool,
        must: &Effort<'_>,
        may: &Effort<'_>,
    ) -> Result<Small, Error> {
        if let Some(wide) = self.wide(f, must, may)? {
            let tgba = reduce(wide, false, may);
            let ba = want_ba
                .then(|| buchi(tgba.clone(), must, may))
                .transpose()?;
            return Ok(Small { tgba, ba });
        }
        let raw = self.tableau(f, must)?;
        let weak = self.weak(f, &raw, may).ok().flatten();
        let reduced = reduce(raw, false, may);
        let mut best = Small {
            ba: want_ba
                .then(|| buchi(reduced.clone(), must, may))
                .transpose()?,
            tgba: reduced,
        };
        if let Some(weak) = weak {
            let Weak { automaton, .. } = weak;
            best.ba = best
                .ba
                .map(|ba| smaller(Some(drop_useless(automaton.clone(), may)), ba));
            best.tgba = smaller(Some(prune(automaton, may)), best.tgba);
            if best.tgba.len() <= 2 {
                return Ok(best);
            }
        }
        if let Some(repeated) = self.repeated(f, may).ok().flatten() {
            best.offer(repeated, may);
        }
        if best.tgba.acceptance_sets > 0 && best.tgba.len() > 2 {
            best.rewrite(may);
        }
        if best.tgba.len() > 1
            && let Ok(Some(product)) = self.split(f, 8 * best.tgba.len(), may)
        {
            best.offer(product, may);
        }
        Ok(best)
    }

    /// The product of the automata of the operands of a conjunction, if it stays below a bound.
    fn split(
        &mut self,
        f: FormulaId,
        bound: usize,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        let Node::And(operands) = self.store.node(f) else {
            return Ok(None);
        };
        let mut product: Option<Automaton> = None;
        let operands = operands.to_vec();
        for g in operands {
            let part = self.small(g, false, may, may)?.tgba;
            let next = match product {
                None => part,
                Some(p) => prune(product::intersection(&p, &part, may)?, may),
            };
            if next.len() > bound {
                return Ok(None);
            }
            product = Some(next);
        }
        Ok(product.map(|p| reduce(p, false, may)))
    }

    /// The automaton of `G F g` for a guarantee `F g`.
    fn repeated(&mut self, f: FormulaId, may: &Effort<'_>) -> Result<Option<Automaton>, Error> {
        let Node::Globally(g) = self.store.node(f) else {
            return Ok(None);
        };
        let finally = matches!(self.store.node(g), Node::Finally(_));
        if !finally || !self.store.is(g, Fragment::GUARANTEE) {
            return Ok(None);
        }
        let raw = self.tableau(g, may)?;
        let Some(weak) = self.weak(g, &raw, may)? else {
            return Ok(None);
        };
        let repeated = recurrence::repeated(&weak, may)?;
        Ok(repeated.map(|a| reduce(a, false, may)))
    }

    fn tableau(&mut self, f: FormulaId, effort: &Effort<'_>) -> Result<Automaton, Error> {
        let alphabet = self.alphabet;
        let raw = tableau(self.store, f, self.propositions, alphabet, effort)?;
        Ok(prune(raw, effort))
    }

    /// The minimal weak deterministic automaton, if `f` is an obligation.
    fn weak(
        &mut self,
        f: FormulaId,
        raw: &Automaton,
        may: &Effort<'_>,
    ) -> Result<Option<Weak>, Error> {
        let bound = 64 + 4 * raw.len();
        let Some(weak) = minimize::minimize(self.store, raw, bound, may)? else {
            return Ok(None);
        };
        if self.store.is(f, Fragment::OBLIGATION) {
            return Ok(Some(weak));
        }
        let missed = product::intersection(raw, &weak.complement(), may)?;
        if !product::is_empty(&missed) {
            return Ok(None);
        }
        let not_f = self.store.not(f);
        let not_f = self.simplify(not_f);
        let negation = self.tableau(not_f, may)?;
        let extra = product::intersection(&negation, &weak.automaton, may)?;
        Ok(product::is_empty(&extra).then_some(weak))
    }
}

/// The smallest automata found so far.
pub(crate) struct Small {
    pub tgba: Automaton,
    /// Only if it is wanted.
    pub ba: Option<Automaton>,
}

impl Small {
    /// Takes a candidate if it is smaller than the best so far.
    fn offer(&mut self, tgba: Automaton, may: &Effort<'_>) {
        if self.ba.is_some()
            && let Ok(ba) = buchi(tgba.clone(), may, may)
        {
            self.ba = self.ba.take().map(|first| smaller(Some(first), ba));
        }
        if tgba.len() <= self.tgba.len() {
            replace(&mut self.tgba, |first| smaller(Some(first), tgba));
        }
    }

    /// Tries other ways to write the acceptance condition.
    fn rewrite(&mut self, may: &Effort<'_>) {
        // A Büchi automaton may turn out smaller; with several sets it seldom does, and is only
        // tried where that costs little.
        let cheap = self.tgba.acceptance_sets == 1 || self.tgba.edge_count() <= 100;
        if (cheap || self.ba.is_some())
            && let Ok(ba) = buchi(self.tgba.clone(), may, may)
        {
            let pruned = reduce(prune(ba.clone(), may), false, may);
            self.ba = self.ba.take().map(|first| smaller(Some(first), ba));
            replace(&mut self.tgba, |first| smaller(Some(first), pruned));
        }
        for variant in [mark_transient, propagate, shift] {
            let marked = reduce(variant(self.tgba.clone(), may), false, may);
            self.offer(marked, may);
        }
    }
}

fn replace(automaton: &mut Automaton, with: impl FnOnce(Automaton) -> Automaton) {
    let frame = Automaton::new(Vec::new(), 0);
    let first = std::mem::replace(automaton, frame);
    *automaton = with(first);
}

/// A small Büchi automaton: made within `must`, made smaller within `may`.
fn buchi(tgba: Automaton, must: &Effort<'_>, may: &Effort<'_>) -> Result<Automaton, Stop> {
    let states = tgba.len();
    let shifted = shift(tgba.clone(), may);
    let ba = reduce_ba(degeneralize(tgba, must)?, may);
    if ba.len() <= states {
        return Ok(ba);
    }
    Ok(match degeneralize(shifted, may) {
        Ok(other) => smaller(Some(ba), reduce_ba(other, may)),
        Err(_) => ba,
    })
}

fn reduce_ba(mut ba: Automaton, effort: &Effort<'_>) -> Automaton {
    loop {
        let before = size(&ba);
        ba = reduce_direct(ba, Method::Signatures, effort);
        ba = reduce_reverse(ba, true, Method::Signatures, effort);
        if size(&ba) == before {
            return ba;
        }
    }
}

fn reduce(mut a: Automaton, keep_labels: bool, effort: &Effort<'_>) -> Automaton {
    loop {
        let before = size(&a);
        a = reduce_direct(a, Method::Signatures, effort);
        if !keep_labels {
            a = reduce_reverse(a, false, Method::Signatures, effort);
        }
        if size(&a) == before {
            return a;
        }
    }
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
