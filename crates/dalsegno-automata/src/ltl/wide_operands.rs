//! Formulas that are wide: many recurrences in a conjunction, or many temporal operands of a disjunction.
//!
//! The tableau tells apart all letters that a state can tell apart. For `G F a1 & … & G F an` that is
//! one state with 2^n edges and n acceptance sets, for `F G a1 | … | F G an` one with 2^n classes of
//! letters. From a certain width on the operands are translated by themselves:
//!
//! - The recurrences of Boolean formulas become one automaton of n states with one acceptance set: state
//!   i waits for the i-th. It is intersected with the automaton of the other operands.
//! - The automata of disjuncts stand side by side, each with its initial state; `F` distributes.

use dalsegno_logic::{FormulaId, Fragment, Node};

use crate::effort::Effort;
use crate::ltl::smallest::Goal;
use crate::ltl::tableau::Error;
use crate::ltl::translator::Translator;
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::product;
use crate::omega::scc_filter::scc_filter;
use crate::omega::state_id::StateId;

/// Up to so many operands are left to the tableau.
const MAX_OPERANDS: usize = 12;

impl Translator<'_> {
    /// The automaton of a wide formula, or `None` if the formula is not wide.
    pub(crate) fn wide(
        &mut self,
        f: FormulaId,
        goal: Goal,
        must: &Effort<'_>,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        match self.store.node(f) {
            Node::And(fs) => {
                let fs = fs.to_vec();
                self.conjunction(&fs, goal, must, may)
            }
            Node::Or(fs) => {
                let fs = fs.to_vec();
                self.disjunction(&fs, false, goal, must, may)
            }
            Node::Finally(g) => match self.store.node(g) {
                Node::Or(fs) => {
                    let fs = fs.to_vec();
                    self.disjunction(&fs, true, goal, must, may)
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn conjunction(
        &mut self,
        fs: &[FormulaId],
        goal: Goal,
        must: &Effort<'_>,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        let (mut recurring, mut others) = (Vec::new(), Vec::new());
        for &f in fs {
            match self.recurring(f) {
                Some(g) => recurring.push(g),
                None => others.push(f),
            }
        }
        if recurring.len() <= MAX_OPERANDS {
            return Ok(None);
        }
        let waiting = self.waiting(&recurring, must)?;
        let rest = self.store.and(others);
        if rest == FormulaId::TRUE {
            return Ok(Some(waiting));
        }
        let rest = self.small(rest, goal.part(), must, may)?.tgba;
        let both = product::intersection(&rest, &waiting, must)?;
        Ok(Some(scc_filter(both, must)))
    }

    /// `g` if `f` is `G F g` for a Boolean `g`.
    fn recurring(&self, f: FormulaId) -> Option<FormulaId> {
        let Node::Globally(h) = self.store.node(f) else {
            return None;
        };
        match self.store.node(h) {
            Node::Finally(g) if self.store.is(g, Fragment::BOOLEAN) => Some(g),
            _ => None,
        }
    }

    /// The automaton that waits for each of the Boolean formulas in turn, for ever.
    fn waiting(&mut self, fs: &[FormulaId], must: &Effort<'_>) -> Result<Automaton, Error> {
        // The tableau of a constant gives the frame: propositions, alphabet and manager.
        let frame = self.tableaux(&[FormulaId::TRUE], usize::MAX, must)?;
        let mut automaton = frame.into_frame(1);
        let mut guards = Vec::with_capacity(fs.len());
        for &f in fs {
            guards.push(self.guard(&mut automaton, f, must)?);
        }
        for _ in fs {
            automaton.add_state(None);
        }
        automaton.guards.begin(must);
        for (q, &seen) in StateId::all().zip(&guards) {
            let last = q.index() + 1 == guards.len();
            let next = if last { StateId::default() } else { q.after(1) };
            let other = automaton.guards.not(seen)?;
            automaton.add_edge(q, seen, Marks(u64::from(last)), next)?;
            automaton.add_edge(q, other, Marks::NONE, q)?;
        }
        automaton.guards.end(must);
        automaton.initial = vec![StateId::default()];
        Ok(scc_filter(automaton, must))
    }

    /// The letters of a Boolean formula, in the manager of `automaton`.
    fn guard(
        &mut self,
        automaton: &mut Automaton,
        f: FormulaId,
        must: &Effort<'_>,
    ) -> Result<crate::bdd::Bdd, Error> {
        let one = self.tableaux(&[f], usize::MAX, must)?;
        automaton.guards.begin(must);
        let start: Vec<StateId> = one.initial.clone();
        let mut guard = crate::bdd::Bdd::FALSE;
        for e in start.iter().flat_map(|&q| &one.edges[q.index()]) {
            let part = automaton.guards.import(&one.guards, e.guard, &|v| v)?;
            guard = automaton.guards.or(guard, part)?;
        }
        automaton.guards.end(must);
        Ok(guard)
    }

    fn disjunction(
        &mut self,
        fs: &[FormulaId],
        eventual: bool,
        goal: Goal,
        must: &Effort<'_>,
        may: &Effort<'_>,
    ) -> Result<Option<Automaton>, Error> {
        let (boolean, mut operands): (Vec<FormulaId>, Vec<FormulaId>) = fs
            .iter()
            .partition(|&&f| self.store.is(f, Fragment::BOOLEAN));
        if operands.len() <= MAX_OPERANDS {
            return Ok(None);
        }
        if !boolean.is_empty() {
            operands.push(self.store.or(boolean));
        }
        let mut all: Option<Automaton> = None;
        for g in operands {
            let g = if eventual { self.store.finally(g) } else { g };
            let g = self.simplify(g);
            let part = self.small(g, goal.part(), must, may)?.tgba;
            all = Some(match all {
                Some(all) => product::union(&all, &part, must)?,
                None => part,
            });
        }
        Ok(all)
    }
}
