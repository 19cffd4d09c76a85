//! From a formula to a small TGBA or BA: the tableau and the reductions after it.
//!
//! The tableau is pruned, then two ways are taken: minimisation, if the property is an obligation,
//! and simulation, forward and backward until neither finds anything. The automaton with fewer states
//! wins, then the one with fewer edges; the deterministic one on a draw.
//!
//! Only the tableau must be finished. All that comes after it is optional work with an effort in
//! steps: what it has not improved stays as it is, also when the budget runs out.
//! A formula of many parts that the tableau would combine in all ways is taken apart first; see
//! `wide_operands.rs`.

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::bdd::{Bdd, Manager};
use crate::effort::Effort;
use crate::ltl::eventual_union::eventual_union;
use crate::ltl::recurrence;
use crate::ltl::suspend::suspended_product;
use crate::ltl::tableau::{Error, bounded_tableau};
use crate::omega::automaton::Automaton;
use crate::omega::bisimulation::bisimulation;
use crate::omega::degeneralize::degeneralize;
use crate::omega::marks::{mark_transient, propagate, shift};
use crate::omega::minimize::{self, Weak};
use crate::omega::product;
use crate::omega::prune::{drop_useless, prune};
use crate::omega::simulation::{Method, prune_keeping, reduce_direct, reduce_reverse};

/// The steps that go into making one automaton smaller: a fraction of a second. The usual patterns of
/// specifications take less than a tenth of them.
const EFFORT: u64 = 1 << 21;

/// A tableau of a conjunction with more states is put aside until its operands have been tried by themselves.
const LARGE: usize = 2000;

/// A tableau with more states has many.
const MANY: usize = 90;

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
        let small = self.small(f, Goal::TGBA, &must, &may)?;
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
        if let Some(automaton) = self.wide(f, Goal::TGBA, effort, effort)? {
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
        let small = self.small(f, Goal::BA, &must, &may)?;
        let ba = small.ba.unwrap_or(small.tgba);
        Ok(ba.without_unused_propositions())
    }

    /// A TGBA, or a BA, that a testing automaton is made from.
    pub(crate) fn base_for_testing(&mut self, f: FormulaId, ba: bool) -> Result<Automaton, Error> {
        let (must, may) = self.efforts(EFFORT);
        let f = self.simplify(f);
        let goal = Goal { ba, guesses: false };
        let small = self.small(f, goal, &must, &may)?;
        let automaton = small.ba.unwrap_or(small.tgba);
        Ok(automaton.without_unused_propositions())
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
        goal: Goal,
        must: &Effort<'_>,
        may: &Effort<'_>,
    ) -> Result<Small, Error> {
        if let Some(wide) = self.wide(f, goal, must, may)? {
            let tgba = reduce(wide, false, may);
            let ba = goal
                .ba
                .then(|| buchi(tgba.clone(), must, may))
                .transpose()?;
            return Ok(Small { tgba, ba });
        }
        let repeated = self.repeated(f, may).unwrap_or_default();
        let least = repeated.iter().min_by_key(|a| a.automaton.len());
        let raw = match least.map(|a| &a.automaton) {
            // What the tableau would be good for is much larger already.
            Some(known) => match self.bounded(f, 64 + 8 * known.len(), must) {
                Err(Error::Stopped(Stop::States)) => None,
                raw => Some(raw?),
            },
            None => self.first(f, must, may)?,
        };
        let Some(raw) = raw else {
            let tgba = match least {
                Some(least) => least.automaton.clone(),
                None => match self.split(f, goal, usize::MAX, may) {
                    Ok(Some(product)) => product,
                    _ => reduce(self.tableau(f, must)?, false, may),
                },
            };
            let ba = goal
                .ba
                .then(|| buchi(tgba.clone(), must, may))
                .transpose()?;
            let mut best = Small { tgba, ba };
            if best.tgba.len() < 64 {
                best.rewrite(may);
            }
            return Ok(best);
        };
        // Operands that do not depend on prefixes have small automata, and a tableau that combines all their moments.
        let parts = if raw.len() > MANY && self.can_suspend(f) {
            self.split(f, goal, raw.len() / 2, may).ok().flatten()
        } else {
            None
        };
        let raw = parts.unwrap_or(raw);
        let weak = self.weak(f, &raw, may).ok().flatten();
        let reduced = reduce(raw, false, may);
        let mut best = Small {
            ba: goal
                .ba
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
        for candidate in repeated {
            if goal.guesses || !candidate.guesses {
                best.offer(candidate.automaton, may);
            }
        }
        if best.tgba.len() > 2
            && goal.guesses
            && let Some(jumping) = self.jumping(f, &best.tgba, may).ok().flatten()
        {
            best.offer(jumping, may);
        }
        if best.tgba.acceptance_sets > 0 && best.tgba.len() > 2 {
            best.rewrite(may);
        }
        if best.tgba.len() > 1
            && let Ok(Some(product)) = self.split(f, goal, 8 * best.tgba.len(), may)
        {
            best.offer(product, may);
        }
        Ok(best)
    }

    /// The tableau, or `None` if it becomes large and the formula is a conjunction: its operands by themselves may be small.
    fn first(
        &mut self,
        f: FormulaId,
        must: &Effort<'_>,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        if may.left() == 0 || !matches!(self.store.node(f), Node::And(_)) {
            return self.tableau(f, must).map(Some);
        }
        match self.bounded(f, LARGE, must) {
            Err(Error::Stopped(Stop::States)) => Ok(None),
            raw => raw.map(Some),
        }
    }

    /// Whether an operand of a conjunction does not depend on finite prefixes.
    fn can_suspend(&self, f: FormulaId) -> bool {
        let Node::And(operands) = self.store.node(f) else {
            return false;
        };
        let alternating = Fragment::EVENTUAL.union(Fragment::UNIVERSAL);
        operands.iter().any(|&g| self.store.is(g, alternating))
    }

    /// The product of the automata of the operands of a conjunction, if it stays below a bound. Operands that do not
    /// depend on finite prefixes are suspended until the others are in an accepting component.
    fn split(
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
        let product = product.map(|p| reduce(prune(p, may), false, may));
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
                Some(p) => prune(product::intersection(&p, &part, may)?, may),
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
    fn jumping(
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
        Ok(union.map(|a| reduce(prune(a, may), false, may)))
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

    /// The automata of `G F g` for a guarantee `F g`: a deterministic one, and one that is started again.
    fn repeated(&mut self, f: FormulaId, may: &Effort<'_>) -> Result<Vec<Candidate>, Error> {
        let mut found = Vec::new();
        let Node::Globally(g) = self.store.node(f) else {
            return Ok(found);
        };
        let Node::Finally(h) = self.store.node(g) else {
            return Ok(found);
        };
        if !self.store.is(g, Fragment::GUARANTEE) || self.store.is(h, Fragment::BOOLEAN) {
            return Ok(found);
        }
        let raw = self.tableau(g, may)?;
        let weak = self.weak(g, &raw, may).ok().flatten();
        let mut add = |automaton: Option<Automaton>, guesses| {
            let automaton = automaton.map(|a| reduce(a, false, may));
            found.extend(automaton.map(|automaton| Candidate { automaton, guesses }));
        };
        if let Some(weak) = weak {
            add(recurrence::repeated(&weak, may)?, false);
        }
        add(recurrence::restarted(reduce(raw, false, may), may)?, true);
        Ok(found)
    }

    fn bounded(
        &mut self,
        f: FormulaId,
        bound: usize,
        effort: &Effort<'_>,
    ) -> Result<Automaton, Error> {
        let (alphabet, propositions) = (self.alphabet, self.propositions);
        let raw = bounded_tableau(self.store, &[f], propositions, alphabet, bound, effort)?;
        Ok(prune(raw, effort))
    }

    fn tableau(&mut self, f: FormulaId, effort: &Effort<'_>) -> Result<Automaton, Error> {
        self.bounded(f, usize::MAX, effort)
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

/// What kind of automaton is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// A Büchi automaton too.
    ba: bool,
    /// Whether automata that guess are welcome where they are smaller. Testing automata tend to become larger by guesses.
    guesses: bool,
}

impl Goal {
    const TGBA: Goal = Goal {
        ba: false,
        guesses: true,
    };
    const BA: Goal = Goal {
        ba: true,
        guesses: true,
    };

    /// The goal for a part of the formula.
    pub(crate) fn part(self) -> Goal {
        Goal { ba: false, ..self }
    }
}

/// An automaton that may be the smallest one.
struct Candidate {
    automaton: Automaton,
    guesses: bool,
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

/// Bisimulation, then simulation in both directions until neither finds anything: of a Büchi automaton, or of a TGBA.
fn reduced(
    mut a: Automaton,
    state_based: bool,
    keep_labels: bool,
    effort: &Effort<'_>,
) -> Automaton {
    a = bisimulation(a, effort);
    if a.is_deterministic() {
        return prune_keeping(a, effort);
    }
    loop {
        let before = size(&a);
        a = reduce_direct(a, Method::Signatures, effort);
        if !keep_labels {
            a = reduce_reverse(a, state_based, Method::Signatures, effort);
        }
        if size(&a) == before {
            return a;
        }
    }
}

fn reduce_ba(ba: Automaton, effort: &Effort<'_>) -> Automaton {
    reduced(ba, true, false, effort)
}

fn reduce(a: Automaton, keep_labels: bool, effort: &Effort<'_>) -> Automaton {
    reduced(a, false, keep_labels, effort)
}

fn size(a: &Automaton) -> (usize, usize) {
    (a.len(), a.edge_count())
}

/// The one with fewer states; then the deterministic one, then the one with fewer edges, then the first. Where the
/// numbers of states are within an eighth and those of edges are not within a quarter, edges decide.
fn smaller(first: Option<Automaton>, second: Automaton) -> Automaton {
    let Some(first) = first else { return second };
    let (a, b) = (size(&first), size(&second));
    let near = 8 * a.0.abs_diff(b.0) <= a.0.max(b.0);
    let takes_first = if near && a.0 != b.0 && 4 * a.1.abs_diff(b.1) > a.1.max(b.1) {
        a.1 < b.1
    } else if a.0 == b.0 {
        let rank = |a: &Automaton| (!a.is_deterministic(), a.edge_count());
        rank(&first) <= rank(&second)
    } else {
        a.0 < b.0
    };
    if takes_first { first } else { second }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Budget;
    use dalsegno_logic::parse;

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
            alphabet: &|_| Ok(Bdd::TRUE),
            budget: &budget,
        };
        let may = Effort::unlimited(&budget);
        let small = t.split(f, Goal::TGBA, 1, &may).unwrap();
        assert!(small.is_none(), "G c alone has one state");
        let whole = t.split(f, Goal::TGBA, 100, &may).unwrap();
        assert!(whole.is_some_and(|a| a.acceptance_sets == 2));
    }
}
