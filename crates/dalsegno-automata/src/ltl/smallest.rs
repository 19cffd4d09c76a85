//! The smallest TGBA or BA that the different ways lead to.
//!
//! The tableau is pruned, then two ways are taken: minimisation, if the property is an obligation,
//! and simulation, forward and backward until neither finds anything. The automaton with fewer states
//! wins, then the one with fewer edges; the deterministic one on a draw. Operands by themselves (`operands.rs`), `G F`
//! of a guarantee (`recurrence.rs`) and other ways to write the acceptance (`marks.rs`) are tried where they may pay.
//! A formula of many parts that the tableau would combine in all ways is taken apart first (`wide_operands.rs`).
//!
//! Only the tableau must be finished. All that comes after it is optional work with an effort in
//! steps: what it has not improved stays as it is, also when the budget runs out.

use dalsegno_kripke::Stop;
use dalsegno_logic::{FormulaId, Fragment, Node};

use crate::effort::Effort;
use crate::ltl::recurrence;
use crate::ltl::tableau::Error;
use crate::ltl::translator::Translator;
use crate::omega::automaton::Automaton;
use crate::omega::marks::{mark_transient, propagate, shift};
use crate::omega::minimize::Weak;
use crate::omega::reduction::{buchi, reduce, smaller};
use crate::omega::scc_filter::{scc_filter, trim};

/// A tableau of a conjunction with more states is put aside until its operands have been tried by themselves.
const LARGE: usize = 2000;

/// A tableau with more states has many.
const MANY: usize = 90;

impl Translator<'_> {
    /// A small automaton of the kind that is asked for, with at most so many steps to make it smaller, over the propositions
    /// that it looks at.
    pub(crate) fn smallest(
        &mut self,
        f: FormulaId,
        goal: Goal,
        steps: u64,
    ) -> Result<Automaton, Error> {
        let (must, may) = self.efforts(steps);
        let f = self.simplify(f);
        let small = self.small(f, goal, &must, &may)?;
        let automaton = small.ba.unwrap_or(small.tgba);
        Ok(automaton.without_unused_propositions())
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
                .map(|ba| smaller(Some(trim(automaton.clone(), may)), ba));
            best.tgba = smaller(Some(scc_filter(automaton, may)), best.tgba);
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
}

/// What kind of automaton is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// A Büchi automaton too.
    pub(crate) ba: bool,
    /// Whether automata that guess are welcome where they are smaller. Testing automata tend to become larger by guesses.
    pub(crate) guesses: bool,
}

impl Goal {
    pub(crate) const TGBA: Goal = Goal {
        ba: false,
        guesses: true,
    };
    pub(crate) const BA: Goal = Goal {
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
            let pruned = reduce(scc_filter(ba.clone(), may), false, may);
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
