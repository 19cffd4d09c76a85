//! What the constructions for one formula and its parts share, and the tableau.

use dalsegno_kripke::{Budget, Letter, Stop};
use dalsegno_logic::observe::Group;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, PropId};

use crate::bdd::{Bdd, Manager};
use crate::effort::Effort;
use crate::ltl::smallest::Goal;
use crate::ltl::tableau::{Error, tableau};
use crate::omega::automaton::Automaton;
use crate::omega::minimize::{self, Weak};
use crate::omega::product;
use crate::omega::reduction::{is_smaller, reduce};
use crate::omega::scc_filter::scc_filter;
use crate::omega::words::is_empty;

/// The steps that go into making one automaton smaller: a fraction of a second. The usual patterns of
/// specifications take less than a tenth of them.
pub(crate) const EFFORT: u64 = 1 << 21;

/// What the constructions of a [`Translation`](crate::Translation) work with.
pub(crate) struct Translator<'a> {
    pub(crate) store: &'a mut FormulaStore,
    pub(crate) simplifier: &'a mut Simplifier,
    /// The propositions of the formulas, in order. An automaton has those of them that it looks at.
    pub(crate) propositions: &'a [PropId],
    /// Propositions that depend on each other; all other letters can occur.
    pub(crate) groups: &'a [Group],
    pub(crate) budget: &'a Budget,
}

/// A TGBA whose states know their formulas.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    pub(crate) automaton: Automaton,
    /// Whether it is the minimal deterministic automaton of an obligation, perhaps without its rejecting sink.
    pub(crate) minimal: bool,
}

impl Labelled {
    fn new(automaton: Automaton, minimal: bool) -> Self {
        let automaton = automaton.without_unused_propositions();
        Labelled { automaton, minimal }
    }
}

impl<'a> Translator<'a> {
    /// An equivalent simpler formula; as simple as the budget allows.
    pub(crate) fn simplify(&mut self, f: FormulaId) -> FormulaId {
        let budget = self.budget;
        let go_on = || budget.check().is_ok();
        self.simplifier.simplify_while(self.store, f, &go_on)
    }

    /// What must be done, and what may be done.
    pub(crate) fn efforts(&self, steps: u64) -> (Effort<'a>, Effort<'a>) {
        (
            Effort::unlimited(self.budget),
            Effort::new(self.budget, steps),
        )
    }

    /// The tableaux of formulas as one automaton with their initial states in order, if it has at most `bound` states.
    pub(crate) fn tableaux(
        &mut self,
        roots: &[FormulaId],
        bound: usize,
        effort: &Effort<'_>,
    ) -> Result<Automaton, Error> {
        let groups = self.groups;
        let alphabet = |guards: &mut Manager| alphabet(guards, groups);
        tableau(
            self.store,
            roots,
            self.propositions,
            alphabet,
            bound,
            effort,
        )
    }

    /// A TGBA for `f` whose states keep their formulas: reductions that lose them are left out.
    pub(crate) fn labelled_tgba(
        &mut self,
        f: FormulaId,
        effort: &Effort<'_>,
    ) -> Result<Labelled, Error> {
        let f = self.simplify(f);
        if let Some(automaton) = self.wide(f, Goal::TGBA, effort, effort)? {
            return Ok(Labelled::new(automaton, false));
        }
        let raw = self.tableau(f, effort)?;
        let part = effort.part(EFFORT);
        let weak = self.weak(f, &raw, &part).ok().flatten();
        let weak = weak.map(|w| scc_filter(w.automaton, &part));
        let reduced = reduce(raw, true, &part);
        effort.refund(&part);
        Ok(match weak {
            Some(weak) if is_smaller(&weak, &reduced) => Labelled::new(weak, true),
            _ => Labelled::new(reduced, false),
        })
    }

    pub(crate) fn bounded(
        &mut self,
        f: FormulaId,
        bound: usize,
        effort: &Effort<'_>,
    ) -> Result<Automaton, Error> {
        Ok(scc_filter(self.tableaux(&[f], bound, effort)?, effort))
    }

    pub(crate) fn tableau(
        &mut self,
        f: FormulaId,
        effort: &Effort<'_>,
    ) -> Result<Automaton, Error> {
        self.bounded(f, usize::MAX, effort)
    }

    /// The minimal weak deterministic automaton, if `f` is an obligation.
    pub(crate) fn weak(
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
        if !is_empty(&missed) {
            return Ok(None);
        }
        let not_f = self.store.not(f);
        let not_f = self.simplify(not_f);
        let negation = self.tableau(not_f, may)?;
        let extra = product::intersection(&negation, &weak.automaton, may)?;
        Ok(is_empty(&extra).then_some(weak))
    }
}

/// The letters that dependent propositions leave possible.
pub(crate) fn alphabet(guards: &mut Manager, groups: &[Group]) -> Result<Bdd, Stop> {
    let mut all = Bdd::TRUE;
    for group in groups {
        let mut some = Bdd::FALSE;
        for &letter in &group.letters {
            let mut minterm = Bdd::TRUE;
            for (bit, &member) in group.members.iter().enumerate().rev() {
                let literal = guards.literal(member as u32, Letter(letter).holds(bit))?;
                minterm = guards.and(minterm, literal)?;
            }
            some = guards.or(some, minterm)?;
        }
        all = guards.and(all, some)?;
    }
    Ok(all)
}
