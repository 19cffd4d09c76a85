//! Decision diagrams: all reachable states as one, built once, and every kind of question asked of them.

mod build;
mod reach;

use std::sync::atomic::Ordering;
use std::time::Duration;

use dalsegno_automata::observer::Kind;
use dalsegno_branching::{Computed, Evaluator, StateSets};
use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, DeadEnds, GroupId, Predicate, Step, Stop};
use dalsegno_logic::{FormulaStore, parse};
use dalsegno_symbolic::ctl::{Backward, Steps};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::ltl::{self, Product, Proposition};
use dalsegno_symbolic::mdd::{Set, with_stack};
use dalsegno_symbolic::order::Recipe;
use dalsegno_symbolic::reach::StateSpace;
use rustc_hash::FxHashMap;

pub use build::{build, orders};

use super::evaluate::Evaluating;
use super::{Method, Tool};
use crate::answer::{Answer, Cost, DiagramUse, Evidence, Used, Value};
use crate::board::Board;
use crate::certificate;
use crate::plan::{BUILDING, CTL_ROUNDS, DIAGRAM_BYTES, EXPLAINING, MANY_STATES};
use crate::question::{Global, Property, Question, QuestionKind};
use crate::settings::Strategy;
use crate::slice::Slice;
use crate::survey::Survey;
pub(crate) use build::Building;

/// The method.
#[derive(Default)]
pub(crate) struct Diagrams {
    building: Option<Building>,
    built: Option<Built>,
    /// Why the states are not to be had, if more time does not help, and with which limits.
    hopeless: Option<(Stop, Limits)>,
    /// The bytes of the tables after the last turn.
    held: u64,
}

/// The most bytes and states.
#[derive(Clone, Copy)]
struct Limits(u64, u64);

impl Limits {
    fn of(budget: &Budget) -> Self {
        let bytes = budget.bytes().unwrap_or(DIAGRAM_BYTES);
        Limits(bytes, budget.states().unwrap_or(u64::MAX))
    }

    /// Whether a try that failed within the others need not be repeated: turns differ a little in what they have.
    fn are_as_hopeless_as(self, others: Limits) -> bool {
        self.0 / 2 < others.0 && self.1 / 2 < others.1
    }
}

struct Built {
    space: StateSpace,
    recipe: Recipe,
    /// The time that it took.
    time: Duration,
    /// What formulas of branching time have in turns that are over, for each meaning of dead ends.
    evaluated: FxHashMap<DeadEnds, Evaluated>,
}

/// States of formulas of branching time.
struct Evaluated {
    steps: Steps,
    computed: Computed<Set>,
    /// The formulas that it speaks of, and how many of them were those of the board.
    store: FormulaStore,
    known: usize,
}

impl Method for Diagrams {
    fn tool(&self) -> Tool {
        Tool::Diagrams
    }

    fn suits(&self, board: &Board<'_>, question: &Question) -> bool {
        let linear = matches!(question, Question::Linear(_));
        !linear || board.settings().automaton != Some(Kind::Ta)
    }

    fn advance(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let started = Instant::now();
        let limits = Limits::of(&slice.budget);
        let ended = match self.hopeless {
            Some((stop, tried)) if limits.are_as_hopeless_as(tried) => Err(stop),
            _ => {
                let levels = board.problem().model().variables().len() as u32;
                // The stack is memory, too.
                let asked = with_stack(levels, || self.ask(board, open, slice));
                asked.unwrap_or(Err(Stop::Memory))
            }
        };
        let built = self.built.as_mut();
        self.held = built.map_or(0, |built| built.space.statistics().bytes);
        if let Err(stop) = ended {
            for &number in open.iter().filter(|&&n| board.is_open(n)) {
                board.tried(number, stop, None);
                if board.question(number) == Question::Survey {
                    let mut nothing = Survey::nothing(Tool::Diagrams, stop);
                    nothing.time = started.elapsed();
                    board.saw_part(number, nothing);
                }
            }
        }
        ended
    }

    fn bytes(&self) -> u64 {
        self.held
    }

    fn has_all_states(&self) -> bool {
        self.built.is_some()
    }

    fn release(&mut self) {
        self.built = None;
        self.building = None;
        self.held = 0;
    }
}

impl Diagrams {
    /// Builds the states if they are not there, and asks.
    fn ask(&mut self, board: &Board<'_>, open: &[usize], slice: &Slice) -> Result<(), Stop> {
        let mut budget = slice.budget.clone();
        if budget.bytes().is_none() {
            budget = budget.with_bytes(DIAGRAM_BYTES);
        }
        self.prepare(board, open, slice.threads, &budget)?;
        let Some(built) = &mut self.built else {
            return Ok(());
        };
        built.space.encoding().set_budget(&budget);
        if let Some(beside) = &slice.beside
            && built.space.states().is_ok_and(|n| n > MANY_STATES.into())
        {
            beside.cancel_flag().store(true, Ordering::Relaxed);
        }
        let kind = |number: usize| board.question(number);
        let mut ended = Ok(());
        let mut linear = Vec::new();
        let mut branching = Vec::new();
        for &number in open {
            match kind(number) {
                question @ (Question::Linear(_) | Question::Automaton(_)) => {
                    linear.push((number, question));
                }
                Question::Branching(property) => branching.push((number, property)),
                question => {
                    let asked = built.one(board, number, &question, &budget);
                    ended = ended.and(asked);
                }
            }
        }
        let mut shares = slice.shares(linear.len());
        for (number, question) in linear {
            let share = shares.next();
            budget.check()?;
            let share = share.with_bytes(budget.bytes().unwrap_or(u64::MAX));
            let asked = built.linear(board, number, &question, &share);
            if let Err(stop) = asked {
                board.tried(number, stop, None);
            }
            ended = ended.and(asked);
        }
        built.space.encoding().set_budget(&budget);
        let asked = built.branching(board, &branching, &budget);
        ended.and(asked)
    }

    /// Builds the states.
    fn prepare(
        &mut self,
        board: &Board<'_>,
        open: &[usize],
        threads: usize,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if self.built.is_some() {
            return Ok(());
        }
        let started = Instant::now();
        let problem = board.problem();
        let order = board.settings().order;
        let mut share = budget.clone();
        let linear = open
            .iter()
            .any(|&n| board.question(n).kind() == QuestionKind::Linear);
        // The searches need some of the time.
        if let (true, Some(left)) = (linear && open.len() > 1, share.time_left()) {
            let (count, of) = BUILDING;
            share = share.with_time(left / of * count);
        }
        let building = self
            .building
            .get_or_insert_with(|| Building::new(problem, order));
        match building.advance(problem, threads, &share) {
            Ok((space, recipe)) => {
                self.building = None;
                self.built = Some(Built {
                    space,
                    recipe,
                    time: started.elapsed(),
                    evaluated: FxHashMap::default(),
                });
                Ok(())
            }
            Err(EncodeError::Stopped(stop)) => {
                if stop != Stop::Time && stop != Stop::Cancelled {
                    self.building = None;
                    self.hopeless = Some((stop, Limits::of(budget)));
                }
                Err(stop)
            }
            Err(EncodeError::Fault(fault)) => {
                board.fault(open, Tool::Diagrams, fault);
                self.building = None;
                Ok(())
            }
        }
    }
}

impl Built {
    /// Answers a question about all runs.
    fn linear(
        &mut self,
        board: &Board<'_>,
        number: usize,
        question: &Question,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let settings = board.settings();
        let Some(dead_ends) = question.dead_ends() else {
            return Ok(());
        };
        let asked = (number, question, false);
        let Some(negation) = board.negation_for(asked, Tool::Diagrams, budget)? else {
            return Ok(());
        };
        let (mut observer, used) = (negation.observer.clone(), negation.used.clone());
        let predicates = negation.predicates.iter().cloned();
        let propositions: Vec<Proposition> = predicates.map(Proposition::Predicate).collect();
        self.space.encoding().set_budget(budget);
        let mut product = Product::new(
            &mut self.space,
            &propositions,
            &mut observer,
            dead_ends,
            settings.saturation,
        )?
        .near(settings.near)
        .fair(question.fairness())?;
        // The contest wants no run, but one that replays shows that the answer is right.
        let with_run = settings.evidence || settings.strategy == Strategy::Contest;
        let found = ltl::check(&mut product, with_run)?;
        // The answer stands, whether or not there is time to count.
        let wanted = settings.product_size;
        let stuttering = wanted
            .then(|| product.stuttering().ok().flatten())
            .flatten();
        let statistics = product.encoding().manager().statistics();
        drop(product);
        let cost = Cost {
            bytes: statistics.peak_bytes,
            automaton: Some(Used {
                states: observer.len(),
                ..used
            }),
            diagrams: Some(DiagramUse {
                order: self.recipe,
                keys: found.keys,
                nodes: statistics.nodes,
                peak_nodes: statistics.peak_nodes,
                built: self.time,
                search: found.search,
                witness: found.witness,
                stuttering,
            }),
            ..Cost::default()
        };
        let answer =
            Answer::new(Value::Truth(!found.accepting), Tool::Diagrams).at_cost(cost.clone());
        match (found.accepting, found.run) {
            (true, None) if settings.evidence => {
                // The run was not found within the steps that it may take.
                let stop = budget.check().err().unwrap_or(Stop::Time);
                board.tried(number, stop, Some(cost));
                Err(stop)
            }
            (_, run) => {
                board.answer(number, answer.shown_by(run.map(Evidence::Run)));
                Ok(())
            }
        }
    }

    /// Answers formulas of CTL and CTL*.
    fn branching(
        &mut self,
        board: &Board<'_>,
        open: &[(usize, Property)],
        budget: &Budget,
    ) -> Result<(), Stop> {
        let mut ended = Ok(());
        for dead_ends in [DeadEnds::Finite, DeadEnds::Stutter, DeadEnds::Ignore] {
            let open = open.iter().filter(|(_, p)| p.dead_ends == dead_ends);
            let open: Vec<usize> = open.map(|(number, _)| *number).collect();
            if open.is_empty() {
                continue;
            }
            let mut evaluating = Evaluating::new(board, Tool::Diagrams);
            let known = evaluating.store.len();
            let before = self.evaluated.remove(&dead_ends);
            let before = before.filter(|before| before.known == known);
            let mut evaluator = match before {
                Some(before) => {
                    evaluating.store = before.store;
                    let sets = Backward::with(&mut self.space, before.steps);
                    Evaluator::with(sets, before.computed, budget)
                }
                None => Evaluator::new(Backward::new(&mut self.space, dead_ends), budget),
            };
            let asked = evaluating.rounds(&mut evaluator, &open, &CTL_ROUNDS, &mut |sets| {
                sets.space().statistics().peak_bytes
            });
            ended = ended.and(asked);
            if asked == Err(Stop::Memory) {
                continue;
            }
            let (sets, computed) = evaluator.into_parts();
            let evaluated = Evaluated {
                steps: sets.into_steps(),
                computed,
                store: evaluating.store,
                known,
            };
            self.evaluated.insert(dead_ends, evaluated);
        }
        ended
    }

    /// Answers a question about reachable states.
    fn one(
        &mut self,
        board: &Board<'_>,
        number: usize,
        question: &Question,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let problem = board.problem();
        let value = match question {
            Question::Survey => {
                let (survey, ended) =
                    Survey::symbolic(problem, &mut self.space, self.recipe, self.time);
                if let Err(stop) = ended {
                    board.saw_part(number, survey);
                    return Err(stop);
                }
                Some(Value::Survey(Box::new(survey.with_bound(problem))))
            }
            Question::Reach(goal) => {
                let reached = self.space.find(&goal.goal)?.is_some();
                Some(Value::Truth(goal.if_reached == reached))
            }
            Question::Bound(places) => {
                let most = self.space.extent(places.iter().copied())?.1;
                Some(Value::Bound(u64::try_from(most).ok()))
            }
            Question::Global(global) => match reach::decide(problem, *global, &mut self.space)? {
                None if *global == Global::Liveness => {
                    self.are_live(board, budget)?.map(Value::Truth)
                }
                decided => decided.map(Value::Truth),
            },
            Question::Linear(_) | Question::Automaton(_) | Question::Branching(_) => None,
        };
        if let Some(value) = value {
            let path = self.path(board, question, &value, budget);
            let mut answer = Answer::new(value, Tool::Diagrams);
            answer.shortest = path.is_some();
            board.answer(number, answer.shown_by(path.map(Evidence::Path)));
        }
        Ok(())
    }

    /// A shortest path to a state that is asked for, by layers, if it is to be shown and takes little work.
    fn path(
        &mut self,
        board: &Board<'_>,
        question: &Question,
        value: &Value,
        budget: &Budget,
    ) -> Option<Vec<Step>> {
        let (goal, if_reached) = certificate::goal(question)?;
        if !board.settings().evidence || *value != Value::Truth(if_reached) {
            return None;
        }
        let mut evaluator =
            Evaluator::new(Backward::new(&mut self.space, DeadEnds::Finite), budget);
        evaluator.sets.grant(EXPLAINING);
        let path = evaluator.path_to(goal);
        evaluator.sets.grant(u64::MAX);
        path.ok().flatten()
    }

    /// Whether each transition can always fire again, if that is found out in time.
    fn are_live(&mut self, board: &Board<'_>, budget: &Budget) -> Result<Option<bool>, Stop> {
        let mut store = board.formulas().clone();
        let sets = Backward::new(&mut self.space, DeadEnds::Finite);
        let mut evaluator = Evaluator::new(sets, budget);
        let classes: Vec<Vec<GroupId>> = board.problem().transitions();
        for (i, groups) in classes.into_iter().enumerate() {
            let text = format!("AG EF \"transition {i} of the net is enabled\"");
            let Ok(formula) = parse(&mut store, &text) else {
                return Ok(None);
            };
            let atoms = store.propositions(formula).into_iter();
            evaluator.tell(atoms.map(|p| (p, Predicate::Enabled(groups.clone()))));
            match evaluator.holds(&mut store, formula) {
                Ok(true) => {}
                Ok(false) => return Ok(Some(false)),
                Err(dalsegno_branching::Error::Stopped(stop)) => return Err(stop),
                Err(_) => return Ok(None),
            }
        }
        Ok(Some(true))
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_models::petri::generators::Family;

    use super::*;
    use crate::problem::Problem;

    const FORMULA: &str =
        "AG(\"Eat_1 >= 1\" -> EF(\"Eat_2 >= 1\" & EG(\"Eat_3 = 0\" | AF \"Fork_4 >= 1\")))";

    #[test]
    fn what_formulas_have_computed_stays_for_the_next_turn() {
        let budget = Budget::unlimited();
        let net = Family::Philosophers.generate(40).unwrap();
        let problem = Problem::of_net(net, &budget);
        let mut store = FormulaStore::new();
        let f = problem.parse(&mut store, FORMULA).unwrap();
        let atoms = problem.atoms(&store, f).unwrap();
        let (mut space, _) = build(&problem, None, &budget).unwrap();
        let mut evaluator = Evaluator::new(Backward::new(&mut space, DeadEnds::Finite), &budget);
        evaluator.tell(atoms.iter().cloned());
        let mut turns = 1;
        let found = loop {
            evaluator.sets.grant(4_000);
            if let Ok(found) = evaluator.states(&mut store, f) {
                break found;
            }
            turns += 1;
            assert!(turns < 1_000, "nothing stays");
            let (sets, computed) = evaluator.into_parts();
            let steps = sets.into_steps();
            evaluator = Evaluator::with(Backward::with(&mut space, steps), computed, &budget);
        };
        assert!(turns > 2, "{turns} turns");
        evaluator.sets.grant(u64::MAX);
        let count = evaluator.sets.count(&found).unwrap();
        let (mut space, _) = build(&problem, None, &budget).unwrap();
        let mut at_once = Evaluator::new(Backward::new(&mut space, DeadEnds::Finite), &budget);
        at_once.tell(atoms);
        let expected = at_once.states(&mut store, f).unwrap();
        assert_eq!(at_once.sets.count(&expected).unwrap(), count);
    }
}
