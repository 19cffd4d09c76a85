//! Branching time on sets of states: what the explicit and the symbolic way have in common.

use dalsegno_branching::{Evaluator, StateSets};
use dalsegno_kripke::Stop;
use dalsegno_logic::{FormulaId, FormulaStore};

use super::Tool;
use crate::answer::{Answer, Cost, Evidence, Explained, Satisfying, Value};
use crate::board::Board;
use crate::error::Error;
use crate::plan::EXPLAINING;

/// Evaluates formulas of a board.
pub(super) struct Evaluating<'b, 'r> {
    pub(super) board: &'b Board<'r>,
    pub(super) tool: Tool,
    /// A copy of the formulas: evaluation makes more of them.
    pub(super) store: FormulaStore,
}

impl<'b, 'r> Evaluating<'b, 'r> {
    pub(super) fn new(board: &'b Board<'r>, tool: Tool) -> Self {
        let store = board.formulas().clone();
        Evaluating { board, tool, store }
    }

    /// Answers what can be answered, round by round; why something is still open, if it is.
    pub(super) fn rounds<S: StateSets>(
        &mut self,
        evaluator: &mut Evaluator<S>,
        open: &[usize],
        rounds: &[u64],
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<(), Stop> {
        self.tell_atoms(evaluator, open);
        let mut stopped = Ok(());
        for &steps in rounds {
            stopped = Ok(());
            for &number in open {
                if self.board.is_open(number) {
                    evaluator.sets.grant(steps);
                    let answered = self.one(evaluator, number, bytes);
                    stopped = stopped.and(answered);
                }
            }
            if stopped.is_ok() {
                break;
            }
        }
        stopped
    }

    /// Tells the evaluator what the propositions of questions mean.
    pub(super) fn tell_atoms<S: StateSets>(&self, evaluator: &mut Evaluator<S>, open: &[usize]) {
        for &number in open {
            let property = self.board.property(number);
            evaluator.tell(property.into_iter().flat_map(|p| p.atoms));
        }
    }

    /// Answers a property, or takes note of an error, or says why it cannot.
    pub(super) fn one<S: StateSets>(
        &mut self,
        evaluator: &mut Evaluator<S>,
        number: usize,
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<(), Stop> {
        match self.try_one(evaluator, number, bytes) {
            Ok(answered) => answered,
            Err(error) => {
                self.board.failed(number, self.tool, error);
                Ok(())
            }
        }
    }

    fn try_one<S: StateSets>(
        &mut self,
        evaluator: &mut Evaluator<S>,
        number: usize,
        bytes: &mut dyn FnMut(&mut S) -> u64,
    ) -> Result<Result<(), Stop>, Error> {
        let (Some(now), Some(given)) = (self.board.property(number), self.board.given(number))
        else {
            return Ok(Ok(()));
        };
        let holds = match evaluator.holds(&mut self.store, now.formula) {
            Ok(holds) => holds,
            Err(dalsegno_branching::Error::Stopped(stop)) => return Ok(Err(stop)),
            Err(error) => return Err(error.into()),
        };
        evaluator.sets.grant(u64::MAX);
        let settings = self.board.settings();
        let satisfying = settings
            .sample
            .and_then(|most| self.satisfying(evaluator, now.formula, most));
        let explained = if settings.evidence {
            self.explain(evaluator, number, given.formula, holds)?
        } else {
            None
        };
        let cost = Cost {
            bytes: bytes(&mut evaluator.sets),
            satisfying,
            ..Cost::default()
        };
        let evidence = explained.map(|e| Evidence::Explanation(Box::new(e)));
        let answer = Answer::new(Value::Truth(holds), self.tool);
        let answer = answer.shown_by(evidence).at_cost(cost);
        self.board.answer(number, answer);
        Ok(Ok(()))
    }

    /// Why the verdict is what it is, if a path can show that; checked.
    fn explain<S: StateSets>(
        &mut self,
        evaluator: &mut Evaluator<S>,
        number: usize,
        f: FormulaId,
        holds: bool,
    ) -> Result<Option<Explained>, Error> {
        let model = self.board.problem().model();
        let store = &mut self.store;
        evaluator.sets.grant(EXPLAINING);
        let explained = match evaluator.failing(store, f) {
            Ok(failing) => {
                debug_assert_eq!(failing.is_none(), holds, "the verdict is the verdict");
                evaluator.explain(store, f, &model.initial()[failing.unwrap_or(0)])
            }
            Err(error) => Err(error),
        };
        evaluator.sets.grant(u64::MAX);
        match explained {
            Ok(explanation) if explanation.has_path() => {
                let board = self.board;
                board.certify_explanation(number, &self.store, &explanation)
            }
            // The verdict stands without one.
            Ok(_) | Err(dalsegno_branching::Error::Stopped(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn satisfying<S: StateSets>(
        &mut self,
        evaluator: &mut Evaluator<S>,
        f: FormulaId,
        most: usize,
    ) -> Option<Satisfying> {
        let set = evaluator.states(&mut self.store, f).ok()?;
        let count = evaluator.sets.count(&set).ok()?;
        let sample = evaluator.sets.sample(&set, most);
        Some(Satisfying { count, sample })
    }
}
