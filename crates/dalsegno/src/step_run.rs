//! Runs inside of runs: questions about steps, asked of a model whose states show them.
//!
//! The inner run has methods, a store and facts of its own, since its model is another one. Its answers are lifted, and
//! certified once more on the model and the question that were given.

use dalsegno_kripke::{Budget, Lift, Step, Stop};
use dalsegno_logic::FormulaStore;

use crate::answer::{Answer, Evidence, Value};
use crate::asked::Understood;
use crate::board::Board;
use crate::event::Event;
use crate::pass::steps::{Shown, Watched, watched};
use crate::run::Run;
use crate::source::Source;

/// Why an explanation is not told.
const BITS: &str = "paths are not told of formulas of branching time that speak of steps";

/// A run about a model that shows its steps.
pub(crate) struct StepRun {
    run: Run,
    lift: Lift,
    /// The numbers of its questions on the board.
    numbers: Vec<usize>,
}

/// The runs that answer these questions, one for those that ask of the same steps. A question whose model would be too large
/// has none.
pub(crate) fn step_runs(
    board: &Board<'_>,
    store: &mut FormulaStore,
    questions: Vec<(usize, Understood)>,
    budget: &Budget,
) -> Vec<StepRun> {
    let mut parts: Vec<(Watched, Vec<(usize, Understood)>)> = Vec::new();
    for (number, understood) in questions {
        let sets = understood.question.property().map(watched);
        let sets = sets.unwrap_or_default();
        board.asked_elsewhere(number, understood.clone());
        match parts.iter_mut().find(|(known, _)| *known == sets) {
            Some((_, part)) => part.push((number, understood)),
            None => parts.push((sets, vec![(number, understood)])),
        }
    }
    let mut runs = Vec::new();
    for (sets, part) in parts {
        let numbers: Vec<usize> = part.iter().map(|(number, _)| *number).collect();
        let Some(shown) = Shown::new(board.problem(), sets, budget) else {
            for number in numbers {
                board.tried(number, Stop::Memory, None);
            }
            continue;
        };
        let mut asked = Vec::new();
        for (number, mut understood) in part {
            understood.question = shown.question(store, &understood.question);
            asked.push((board.asked(number), understood));
        }
        let source = Source::of_problem(shown.problem);
        let settings = board.settings().clone();
        runs.push(StepRun {
            run: Run::understood_as(&source, settings, store.clone(), asked),
            lift: shown.lift,
            numbers,
        });
    }
    runs
}

impl StepRun {
    /// How many of its questions are open.
    pub(crate) fn open(&self, board: &Board<'_>) -> usize {
        self.numbers.iter().filter(|&&n| board.is_open(n)).count()
    }

    /// The bytes that it holds.
    pub(crate) fn bytes(&mut self) -> u64 {
        self.run.held_bytes()
    }

    /// Gives up what it holds.
    pub(crate) fn release(&mut self) {
        self.run.release();
    }

    /// Answers what is open, as long as the budget lasts.
    pub(crate) fn advance(&mut self, board: &Board<'_>, budget: &Budget) {
        let numbers = &self.numbers;
        *self.run.settings_mut() = board.settings().clone();
        let mut hear = |event: &Event<'_>| match event {
            // It is told when it is certified.
            Event::Answer(_) => {}
            Event::Begins(tool, open) => {
                let open: Vec<usize> = open.iter().map(|&n| numbers[n]).collect();
                board.tell(&Event::Begins(*tool, &open));
            }
            event => board.tell(event),
        };
        let answered = self.run.answer(budget, &mut hear);
        debug_assert!(answered.is_ok(), "the model needs no unfolding");
        for (inner, &number) in numbers.iter().enumerate() {
            if board.is_open(number) {
                let answer = self.run.answer_to(inner);
                match answer.value {
                    Value::Truth(_) => board.answer(number, self.lifted(answer)),
                    Value::Error(error) => board.error(number, error),
                    Value::Unknown(stop) => board.tried(number, stop, Some(answer.cost)),
                    Value::Bound(_) | Value::Survey(_) => {}
                }
            }
        }
    }

    /// An answer with evidence of the model that was given. Explanations speak of bits that it does not have.
    fn lifted(&self, mut answer: Answer) -> Answer {
        let evidence = answer.evidence.take();
        answer.evidence = evidence.and_then(|evidence| match evidence {
            Evidence::Run(mut run) => {
                self.lift_steps(&mut run.stem);
                self.lift_steps(&mut run.cycle);
                Some(Evidence::Run(run))
            }
            Evidence::Prefix(mut path) => {
                self.lift_steps(&mut path);
                Some(Evidence::Prefix(path))
            }
            Evidence::Path(_) | Evidence::Explanation(_) => {
                answer.unshown = Some(BITS);
                None
            }
        });
        answer.truth = None;
        answer.cost.satisfying = None;
        answer.cost.growing = None;
        answer
    }

    /// States lose their bits, and copies of a group become that group.
    fn lift_steps(&self, steps: &mut [Step]) {
        for step in steps {
            step.state.truncate(self.lift.variables().len());
            step.group = step.group.map(|group| self.lift.groups(group)[0]);
        }
    }
}
