//! State spaces: how many states and transitions there are, by the engine that fits.
//!
//! `auto` explores explicitly while that is quick, then goes on and builds diagrams at the same time:
//! which of the two is done first differs by orders of magnitude, and is hard to tell beforehand.

use std::io::{self, Write};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use dalsegno_explicit::explore::{self, Summary, explore};
use dalsegno_kripke::{Budget, Model, Stop, VarId};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::mdd::{Statistics, with_stack};
use dalsegno_symbolic::order::Recipe;
use serde_json::{Value, json};
use thiserror::Error;

use crate::diagrams::{self, Counted};
use crate::session::Session;

/// Which engine does the work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Engine {
    /// The one that fits.
    #[default]
    Auto,
    /// States one by one.
    Explicit,
    /// Sets of states as decision diagrams.
    Symbolic,
}

impl Engine {
    /// The name as the command line and the outputs spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explicit => "explicit",
            Engine::Symbolic => "symbolic",
        }
    }
}

/// A name that is no [`Engine`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown engine {0:?}: there are auto, explicit and symbolic")]
pub struct UnknownEngine(String);

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(text: &str) -> Result<Self, UnknownEngine> {
        match text {
            "auto" => Ok(Engine::Auto),
            "explicit" => Ok(Engine::Explicit),
            "symbolic" => Ok(Engine::Symbolic),
            _ => Err(UnknownEngine(text.to_owned())),
        }
    }
}

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
    /// Which engine did it.
    pub engine: Engine,
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
    /// The engines that gave up, and why each did.
    pub stopped: Vec<(Engine, Stop)>,
}

/// What a survey may do, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct SurveyOptions {
    /// Which engine.
    pub engine: Engine,
    /// Which order of the levels; the one that wins a race if absent.
    pub order: Option<Recipe>,
}

/// States that are explored one by one before diagrams are built.
const FEW_STATES: u64 = 50_000;

/// Surveys the state space of a model; `progress` is told states and transitions seen now and then.
pub fn survey(
    session: &Session,
    options: SurveyOptions,
    budget: &Budget,
    mut progress: impl FnMut(u64, u64),
) -> Survey {
    let start = Instant::now();
    let mut seen = match options.engine {
        Engine::Explicit => explicit(session, budget, &mut progress),
        Engine::Symbolic => symbolic(session, options.order, budget),
        Engine::Auto => auto(session, options.order, budget, &mut progress),
    };
    seen.time = start.elapsed();
    let bounds = session.model().variables().iter();
    let bounds: Option<Vec<u32>> = bounds.map(|v| v.bounds.certain()).collect();
    seen.bound = bounds.and_then(|bounds| bounds.into_iter().max());
    seen
}

fn auto(
    session: &Session,
    order: Option<Recipe>,
    budget: &Budget,
    progress: &mut impl FnMut(u64, u64),
) -> Survey {
    let few = budget.clone().limit_states(FEW_STATES);
    let seen = explicit(session, &few, progress);
    let stopped_early = matches!(seen.ending, Ending::Unknown(Stop::States, _))
        && budget.check_states(FEW_STATES + 1).is_ok();
    if !stopped_early {
        return seen;
    }
    side_by_side(session, order, budget, progress)
}

/// Builds diagrams and explores, each with half of the memory, until one of them is done.
fn side_by_side(
    session: &Session,
    order: Option<Recipe>,
    budget: &Budget,
    progress: &mut impl FnMut(u64, u64),
) -> Survey {
    let mut half = budget.clone();
    if let Some(bytes) = budget.bytes() {
        half = half.with_bytes(bytes / 2);
    }
    let (one, other) = (half.part(), half.part());
    thread::scope(|scope| {
        let (stop_one, stop_other) = (one.cancel_flag(), other.cancel_flag());
        let building = scope.spawn(move || {
            let built = symbolic(session, order, &one);
            if is_final(&built.ending) {
                stop_other.store(true, Ordering::Relaxed);
            }
            built
        });
        let seen = explicit(session, &other, progress);
        if is_final(&seen.ending) {
            stop_one.store(true, Ordering::Relaxed);
        }
        let built = match building.join() {
            Ok(built) => built,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        if is_final(&seen.ending) {
            seen
        } else if is_final(&built.ending) {
            built
        } else {
            neither(seen, &built, budget)
        }
    })
}

/// What is known where no engine is done: what was explored, and why both stopped.
fn neither(mut seen: Survey, built: &Survey, budget: &Budget) -> Survey {
    seen.stopped.extend(&built.stopped);
    if let Ending::Unknown(stop, _) = &mut seen.ending {
        // Half of the memory may have been spent long before the end of the time.
        let last = match built.ending {
            Ending::Unknown(last, _) => last,
            _ => *stop,
        };
        *stop = budget.check().err().unwrap_or(last);
    }
    seen
}

/// Whether nothing else has to be tried.
fn is_final(ending: &Ending) -> bool {
    matches!(ending, Ending::Complete | Ending::Unbounded(_))
}

fn explicit(session: &Session, budget: &Budget, progress: &mut impl FnMut(u64, u64)) -> Survey {
    let start = Instant::now();
    let seen = explore(session.model(), budget, progress);
    let Summary {
        outcome,
        states,
        transitions,
        dead_ends,
        largest,
        largest_sum,
        broken,
        bytes,
    } = seen;
    if let Some(variable) = broken {
        session.found_broken(variable);
    }
    let largest = largest.into_iter().max().unwrap_or(0);
    let mut stopped = Vec::new();
    Survey {
        engine: Engine::Explicit,
        ending: match outcome {
            explore::Outcome::Complete => Ending::Complete,
            explore::Outcome::Unbounded(v) => Ending::Unbounded(v),
            explore::Outcome::Unknown(stop, grown) => {
                stopped.push((Engine::Explicit, stop));
                Ending::Unknown(stop, grown)
            }
            explore::Outcome::Fault(fault) => Ending::Fault(fault.describe(session.model())),
        },
        states: Some(states.to_string()),
        transitions: Some(transitions.to_string()),
        dead_ends: Some(dead_ends.to_string()),
        largest: Some(largest.to_string()),
        largest_sum: Some(largest_sum.to_string()),
        time: start.elapsed(),
        bytes,
        diagrams: None,
        levels: None,
        bound: None,
        stopped,
    }
}

fn symbolic(session: &Session, order: Option<Recipe>, budget: &Budget) -> Survey {
    let start = Instant::now();
    let levels = session.model().variables().len() as u32;
    let mut seen = Survey {
        engine: Engine::Symbolic,
        ending: Ending::Complete,
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
    };
    with_stack(levels, || {
        let built = match session.merged().filter(|_| order.is_none()) {
            Some(merged) => diagrams::build_either(session, merged, budget),
            None => diagrams::build(session, order, budget).map(|(space, recipe)| Counted {
                space,
                recipe,
                merged: None,
            }),
        };
        let counted = built.and_then(|mut counted| Ok(count(session, &mut counted, &mut seen)?));
        match counted {
            Ok(()) => {}
            Err(EncodeError::Stopped(stop)) => {
                seen.stopped.push((Engine::Symbolic, stop));
                seen.ending = Ending::Unknown(stop, None);
            }
            Err(EncodeError::Fault(fault)) => {
                seen.ending = Ending::Fault(fault.describe(session.model()));
            }
        }
    });
    seen.time = start.elapsed();
    seen
}

fn count(session: &Session, counted: &mut Counted, seen: &mut Survey) -> Result<(), Stop> {
    let Counted {
        space,
        recipe,
        merged,
    } = counted;
    let recipe = *recipe;
    // What a value is in the model: merged variables have at most one token.
    let tokens = |v: VarId, value: u32| merged.as_ref().map_or(value, |m| m.tokens(v, value));
    seen.levels = Some(space.encoding().order().len());
    seen.states = Some(space.states()?.to_string());
    let ranges = space.ranges()?;
    let model = merged.as_ref().map_or(session.model(), |m| m.model());
    let broken = |&v: &VarId| model.variable(v).bounds.is_broken_by(ranges[v.index()].1);
    if let (Some(variable), None) = (model.variable_ids().find(broken), &*merged) {
        session.found_broken(variable);
    }
    let ranges = ranges.into_iter().zip(0..);
    let largest = ranges.map(|(range, v)| tokens(VarId(v), range.1)).max();
    seen.largest = Some(largest.unwrap_or(0).to_string());
    seen.largest_sum = Some(space.greatest_by(tokens)?.to_string());
    let nodes = space.nodes()?;
    seen.diagrams = Some((recipe, nodes, space.statistics()));
    seen.transitions = Some(space.transitions()?.to_string());
    seen.dead_ends = Some(space.dead_ends()?.to_string());
    let statistics = space.statistics();
    seen.bytes = statistics.peak_bytes;
    seen.diagrams = Some((recipe, nodes, statistics));
    Ok(())
}

impl Survey {
    fn engine_name(&self) -> &'static str {
        match self.engine {
            Engine::Symbolic => "symbolic",
            _ => "explicit",
        }
    }

    /// The survey as `dalsegno.states/1`.
    #[must_use]
    pub fn to_json(&self, model: &Model) -> Value {
        let (result, reason) = match &self.ending {
            Ending::Complete => ("complete", None),
            Ending::Unbounded(_) => ("unbounded", None),
            Ending::Unknown(stop, _) => ("unknown", Some(stop.to_string())),
            Ending::Fault(fault) => ("unknown", Some(fault.clone())),
        };
        let count = |n: &Option<String>| match result {
            "complete" => n.clone().map_or(Value::Null, Value::String),
            "unbounded" => Value::String("+inf".to_owned()),
            _ => Value::Null,
        };
        let stats = match &self.diagrams {
            Some((_, nodes, statistics)) => json!({
                "levels": self.levels,
                "nodes": nodes,
                "peak_nodes": statistics.peak_nodes,
                "cache_lookups": statistics.lookups,
                "cache_hits": statistics.hits,
                "collections": statistics.collections,
            }),
            None => json!({ "seen_states": self.states, "seen_transitions": self.transitions }),
        };
        json!({
            "schema": "dalsegno.states/1",
            "model": model.name(),
            "engine": self.engine_name(),
            "result": result,
            "reason": reason,
            "states": count(&self.states),
            "transitions": count(&self.transitions),
            "dead_ends": if result == "complete" { count(&self.dead_ends) } else { Value::Null },
            "proved_bound": self.bound,
            "stopped": self.stopped.iter().map(|(engine, stop)| json!({
                "engine": engine.name(),
                "reason": stop.to_string(),
            })).collect::<Vec<Value>>(),
            "max_tokens_in_place": count(&self.largest),
            "max_tokens_per_marking": count(&self.largest_sum),
            "seconds": self.time.as_secs_f64(),
            "peak_bytes": self.bytes,
            "order": self.diagrams.as_ref().map(|(recipe, ..)| recipe.to_string()),
            "stats": stats,
        })
    }

    /// Writes the survey for a reader, with what the diagrams did if `stats`.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write_text(&self, model: &Model, stats: bool, out: &mut impl Write) -> io::Result<()> {
        let name = |v: usize| &model.variables()[v].name;
        let part = if self.states.is_some() {
            "; seen so far:"
        } else {
            ""
        };
        match &self.ending {
            Ending::Complete => {}
            Ending::Unbounded(v) => writeln!(out, "unbounded: {} can grow for ever", name(*v))?,
            Ending::Unknown(stop, Some(v)) => {
                writeln!(out, "unknown: {stop}; {} was still growing{part}", name(*v))?;
            }
            Ending::Unknown(stop, None) => writeln!(out, "unknown: {stop}{part}")?,
            Ending::Fault(fault) => writeln!(out, "unknown: {fault}{part}")?,
        }
        let lines = [
            ("states", &self.states),
            ("transitions", &self.transitions),
            ("dead ends", &self.dead_ends),
            ("max tokens in place", &self.largest),
            ("max tokens per marking", &self.largest_sum),
        ];
        for (label, number) in lines {
            if let Some(number) = number {
                writeln!(out, "{:<23} {number}", format!("{label}:"))?;
            }
        }
        if let (Ending::Unknown(..) | Ending::Fault(_), Some(bound)) = (&self.ending, self.bound) {
            writeln!(out, "proved bound in place:  {bound}")?;
        }
        for (engine, stop) in &self.stopped {
            writeln!(
                out,
                "{:<23} stopped: {stop}",
                format!("{} engine:", engine.name())
            )?;
        }
        writeln!(
            out,
            "time:                   {:.3} s",
            self.time.as_secs_f64()
        )?;
        writeln!(out, "memory of tables:       {} bytes", self.bytes)?;
        if let (true, Some((recipe, nodes, statistics))) = (stats, &self.diagrams) {
            writeln!(out, "order:                  {recipe}")?;
            if let Some(levels) = self.levels {
                writeln!(out, "levels:                 {levels}")?;
            }
            writeln!(out, "nodes:                  {nodes}")?;
            writeln!(out, "peak nodes:             {}", statistics.peak_nodes)?;
            let (hits, lookups) = (statistics.hits, statistics.lookups);
            writeln!(out, "cache hits:             {hits} of {lookups}")?;
            writeln!(out, "collections:            {}", statistics.collections)?;
        }
        Ok(())
    }
}
