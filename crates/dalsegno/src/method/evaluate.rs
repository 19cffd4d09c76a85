//! Branching time on sets of states: what the explicit and the symbolic way have in common.

use std::collections::BTreeMap;

use dalsegno_branching::{Evaluator, StateSets, may_have_path};
use dalsegno_kripke::Stop;
use dalsegno_logic::{FormulaId, FormulaStore};

use super::Tool;
use crate::answer::{Answer, Cost, Evidence, Explained, Satisfying, Value};
use crate::board::Board;
use crate::error::Error;
use crate::plan::EXPLAINING;

/// What shows an answer.
enum Shown {
    Path(Explained),
    /// The answer is about all paths.
    Nothing,
    /// Why there is no path.
    Not(&'static str),
}

/// The search for a path gave up.
const LONG: &str = "a path would show this, and none was found near the initial state";

/// The states that a path leads through are not known.
const LIMIT: &str =
    "a path would show this, and finding one takes more work than may be spent on it";

/// Evaluates formulas of a board.
pub(super) struct Evaluating<'b, 'r> {
    pub(super) board: &'b Board<'r>,
    pub(super) tool: Tool,
    /// A copy of the formulas: evaluation makes more of them.
    pub(super) store: FormulaStore,
    /// Answers that wait for a path that shows them, by question.
    unshown: BTreeMap<usize, Answer>,
}

impl<'b, 'r> Evaluating<'b, 'r> {
    pub(super) fn new(board: &'b Board<'r>, tool: Tool) -> Self {
        let store = board.formulas().clone();
        Evaluating {
            board,
            tool,
            store,
            unshown: BTreeMap::new(),
        }
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
        let mut unshown = None;
        let mut explained = None;
        if settings.evidence {
            match self.explain(evaluator, number, given.formula, holds)? {
                Shown::Path(path) => explained = Some(path),
                Shown::Nothing => {}
                Shown::Not(why) => unshown = Some(why),
            }
        }
        let cost = Cost {
            bytes: bytes(&mut evaluator.sets),
            satisfying,
            ..Cost::default()
        };
        let evidence = explained.map(|e| Evidence::Explanation(Box::new(e)));
        let answer = Answer::new(Value::Truth(holds), self.tool);
        let mut answer = answer.shown_by(evidence).at_cost(cost);
        answer.unshown = unshown;
        if unshown.is_some() && !evaluator.sets.is_complete() {
            // More states may show it.
            self.unshown.insert(number, answer);
            return Ok(Err(Stop::States));
        }
        self.board.answer(number, answer);
        Ok(Ok(()))
    }

    /// The questions whose answers wait for a path.
    pub(super) fn unshown(&self) -> Vec<usize> {
        self.unshown.keys().copied().collect()
    }

    /// Whether the answer to a question waits for a path.
    pub(super) fn is_unshown(&self, number: usize) -> bool {
        self.unshown.contains_key(&number)
    }

    /// Answers that no path shows so far are given as they are.
    pub(super) fn give_unshown(&mut self) {
        for (number, answer) in std::mem::take(&mut self.unshown) {
            self.board.answer(number, answer);
        }
    }

    /// Why the verdict is what it is, if a path can show that; checked.
    fn explain<S: StateSets>(
        &mut self,
        evaluator: &mut Evaluator<S>,
        number: usize,
        f: FormulaId,
        holds: bool,
    ) -> Result<Shown, Error> {
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
                let checked = board.certify_explanation(number, &self.store, &explanation)?;
                Ok(checked.map_or(Shown::Nothing, Shown::Path))
            }
            // The verdict stands without one.
            Ok(explanation) if explanation.omits() => Ok(Shown::Not(LONG)),
            Ok(_) => Ok(Shown::Nothing),
            Err(dalsegno_branching::Error::Stopped(_)) => {
                let path = may_have_path(&self.store, f, holds);
                Ok(if path {
                    Shown::Not(LIMIT)
                } else {
                    Shown::Nothing
                })
            }
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
