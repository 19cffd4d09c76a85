//! Surveys: how many states and transitions there are, as far as they were seen.

use std::time::Duration;

use dalsegno_explicit::explore::{Outcome, Summary};
use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Stop, VarId};
use dalsegno_symbolic::mdd::Statistics;
use dalsegno_symbolic::order::Recipe;
use dalsegno_symbolic::reach::StateSpace;

use crate::method::Tool;
use crate::problem::Problem;

/// How a survey ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Everything is known.
    Complete,
    /// This variable can grow for ever.
    Unbounded(usize),
    /// The budget ran out first; the variable that was still growing, if one was.
    Unknown(Stop, Option<usize>),
    /// The model cannot be surveyed; why.
    Fault(String),
}

/// A survey of a state space. Numbers are decimal; of a survey that is not complete they count what
/// was seen, and are absent where nothing can be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// Which method did it.
    pub by: Tool,
    /// How it ended.
    pub ending: Ending,
    /// States.
    pub states: Option<String>,
    /// Transitions: source, group and target.
    pub transitions: Option<String>,
    /// States that nothing leaves.
    pub dead_ends: Option<String>,
    /// The largest value of a variable.
    pub largest: Option<String>,
    /// The largest sum of all variables in a state.
    pub largest_sum: Option<String>,
    /// The time it took.
    pub time: Duration,
    /// The bytes of the tables.
    pub bytes: u64,
    /// Diagrams: the order of the levels, the nodes of the result, what the manager did.
    pub diagrams: Option<(Recipe, usize, Statistics)>,
    /// The levels of the diagrams: fewer than variables where several share one.
    pub levels: Option<usize>,
    /// A number that no value of a variable exceeds in any reachable state, if one is proved beforehand.
    pub bound: Option<u32>,
    /// The methods that gave up, and why each did.
    pub stopped: Vec<(Tool, Stop)>,
}

impl Survey {
    /// Nothing was seen.
    #[must_use]
    pub(crate) fn nothing(by: Tool, stop: Stop) -> Self {
        Survey {
            stopped: vec![(by, stop)],
            ..Self::empty(by, Ending::Unknown(stop, None))
        }
    }

    /// The model cannot take a step; what others have seen is kept.
    #[must_use]
    pub(crate) fn fault(by: Tool, text: &str, seen: Option<Survey>) -> Self {
        let ending = Ending::Fault(text.to_owned());
        match seen {
            Some(seen) => Survey { ending, ..seen },
            None => Self::empty(by, ending),
        }
    }

    fn empty(by: Tool, ending: Ending) -> Self {
        Survey {
            by,
            ending,
            states: None,
            transitions: None,
            dead_ends: None,
            largest: None,
            largest_sum: None,
            time: Duration::ZERO,
            bytes: 0,
            diagrams: None,
            levels: None,
            bound: None,
            stopped: Vec::new(),
        }
    }

    /// What an exploration has seen.
    #[must_use]
    pub(crate) fn explicit(problem: &Problem, seen: Summary, by: Tool) -> Self {
        problem.found_broken(seen.broken);
        let mut stopped = Vec::new();
        let ending = match seen.outcome {
            Outcome::Complete => Ending::Complete,
            Outcome::Unbounded(v) => Ending::Unbounded(v),
            Outcome::Unknown(stop, grown) => {
                stopped.push((by, stop));
                Ending::Unknown(stop, grown)
            }
            Outcome::Fault(fault) => Ending::Fault(fault.describe(problem.model())),
        };
        let largest = seen.largest.into_iter().max().unwrap_or(0);
        Survey {
            states: Some(seen.states.to_string()),
            transitions: Some(seen.transitions.to_string()),
            dead_ends: Some(seen.dead_ends.to_string()),
            largest: Some(largest.to_string()),
            largest_sum: Some(seen.largest_sum.to_string()),
            bytes: seen.bytes,
            stopped,
            ..Self::empty(by, ending)
        }
    }

    /// What diagrams tell of all states, as far as there is time to count.
    pub(crate) fn symbolic(
        problem: &Problem,
        space: &mut StateSpace,
        recipe: Recipe,
        built: Duration,
    ) -> (Self, Result<(), Stop>) {
        let started = Instant::now();
        let mut survey = Self::empty(Tool::Diagrams, Ending::Complete);
        let counted = survey.count(problem, space, recipe);
        survey.time = built + started.elapsed();
        if let Err(stop) = counted {
            survey.ending = Ending::Unknown(stop, None);
            survey.stopped.push((Tool::Diagrams, stop));
        }
        (survey, counted)
    }

    fn count(
        &mut self,
        problem: &Problem,
        space: &mut StateSpace,
        recipe: Recipe,
    ) -> Result<(), Stop> {
        self.levels = Some(space.encoding().order().len());
        self.states = Some(space.states()?.to_string());
        let ranges = space.ranges()?;
        let model = problem.model();
        let broken = |v: &VarId| model.variable(*v).bounds.is_broken_by(ranges[v.index()].1);
        problem.found_broken(model.variable_ids().find(broken));
        let largest = ranges.iter().map(|(_, most)| *most).max().unwrap_or(0);
        self.largest = Some(largest.to_string());
        let sum = space.extent(model.variable_ids())?.1;
        self.largest_sum = Some(sum.to_string());
        let nodes = space.nodes()?;
        self.diagrams = Some((recipe, nodes, space.statistics()));
        self.transitions = Some(space.transitions()?.to_string());
        self.dead_ends = Some(space.dead_ends()?.to_string());
        let statistics = space.statistics();
        self.bytes = statistics.peak_bytes;
        self.diagrams = Some((recipe, nodes, statistics));
        Ok(())
    }

    /// What two methods have seen that both gave up: the numbers of diagrams are of all states, and count
    /// more than those of a part. Of two methods of an engine the later one counts.
    pub(crate) fn and(self, other: Survey) -> Self {
        let of_all = |survey: &Survey| survey.by == Tool::Diagrams && survey.states.is_some();
        let newer = self.by.engine() == other.by.engine();
        let (mut kept, dropped) =
            if of_all(&self) || (!newer && !of_all(&other) && self.by != Tool::Diagrams) {
                (self, other)
            } else {
                (other, self)
            };
        for (tool, stop) in dropped.stopped {
            let mut known = kept.stopped.iter();
            if known.all(|(known, _)| known.engine() != tool.engine()) {
                kept.stopped.push((tool, stop));
            }
        }
        kept.stopped.sort_by_key(|(tool, _)| *tool);
        kept
    }

    /// The survey of a run that ended without more.
    pub(crate) fn given_up(mut self, stop: Stop) -> Self {
        if let Ending::Unknown(why, _) = &mut self.ending {
            *why = stop;
        }
        self
    }

    /// The survey with a bound that is proved beforehand.
    pub(crate) fn with_bound(mut self, problem: &Problem) -> Self {
        let bounds = problem.model().variables().iter();
        let bounds: Option<Vec<u32>> = bounds.map(|v| v.bounds.certain()).collect();
        self.bound = bounds.and_then(|bounds| bounds.into_iter().max());
        self
    }

    /// Why it is not complete, if a limit was hit.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self.ending {
            Ending::Unknown(stop, _) => Some(stop),
            _ => None,
        }
    }

    /// Whether everything is known, or that there is no end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(self.ending, Ending::Complete | Ending::Unbounded(_))
    }
}
