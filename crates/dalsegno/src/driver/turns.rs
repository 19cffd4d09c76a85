//! Turns: what a stage of a plan says, with the time and memory that there is.

use std::sync::atomic::Ordering;
use std::thread;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Stop};

use super::Driver;
use crate::event::Event;
use crate::inner_run::InnerRun;
use crate::method::{Method, Tool};
use crate::plan::{self, Course, HELD_PERCENT, SHORT_TURN, Stage, Turn};
use crate::question::QuestionKind;
use crate::settings::Engine;
use crate::slice::Slice;

impl Driver<'_, '_> {
    /// Works through stages of a course.
    pub(super) fn course(&mut self, course: &Course, stages: &[Stage], budget: &Budget) {
        for stage in stages {
            if self.open_of(course).is_empty() || budget.check().is_err() {
                return;
            }
            let turns = plan::turns(stage, self.engine(), self.board.settings());
            match stage {
                // Without threads nothing works at the same time.
                Stage::Together(_) if cfg!(target_family = "wasm") && turns.len() > 1 => {
                    self.alternate(turns, course.kinds, budget);
                }
                Stage::Turn(_) | Stage::Together(_) => {
                    self.turns(&turns, course.kinds, budget, true);
                }
                Stage::Alternate(_) => self.alternate(turns, course.kinds, budget),
            }
        }
    }

    /// Who counts or limits states wants them one by one.
    pub(super) fn engine(&self) -> Engine {
        let settings = self.board.settings();
        let counts = settings.product_size
            || settings.search.depth.is_some()
            || settings.emptiness.is_some()
            || settings.hosts.is_some();
        match settings.engine {
            Engine::Auto if counts || self.budget.states().is_some() => Engine::Explicit,
            engine => engine,
        }
    }

    /// Lets methods take turns until nothing is open, or none of them can go on. The first one has short turns, and
    /// another one as long as others had since its last.
    fn alternate(&mut self, turns: Vec<Turn>, kinds: &[QuestionKind], budget: &Budget) {
        let mut left = turns;
        // Turns that were taken before do not count: whoever had none for long would have all that is left.
        let begun = Instant::now();
        while !left.is_empty() && budget.check().is_ok() {
            let mut able = Vec::new();
            for (at, turn) in left.iter().enumerate() {
                let mut part = budget.clone();
                if left.len() > 1 {
                    let last = self.last.get(&turn.tool).filter(|_| at > 0);
                    let since = last.map_or(SHORT_TURN, Instant::elapsed);
                    let since = since.min(begun.elapsed());
                    part = part.with_time(since.max(SHORT_TURN));
                }
                let ended = self.turns(&[*turn], kinds, &part, true);
                // Who ends before its time is over has nothing more to find.
                if ended == Some(Stop::Time) {
                    able.push(*turn);
                }
                if self.board.open(kinds, Tool::Structure).is_empty() {
                    return;
                }
            }
            left = able;
        }
    }

    /// Gives methods their turns, at the same time if there are several; why the last one stopped.
    pub(super) fn turns(
        &mut self,
        turns: &[Turn],
        kinds: &[QuestionKind],
        budget: &Budget,
        understood: bool,
    ) -> Option<Stop> {
        let board = self.board;
        let bytes = self.available(turns, budget);
        let mut lanes: Vec<Lane<'_>> = Vec::new();
        for method in self.methods.iter_mut() {
            let Some(turn) = turns.iter().find(|turn| turn.tool == method.tool()) else {
                continue;
            };
            let mut open = board.open(kinds, turn.tool);
            open.retain(|&n| !understood || method.suits(board, &board.question(n)));
            if !open.is_empty() {
                let slice = Slice::new(turn, budget, bytes);
                lanes.push((method, open, slice));
            }
        }
        let tools: Vec<Tool> = lanes.iter().map(|(method, ..)| method.tool()).collect();
        let budgets: Vec<Budget> = lanes
            .iter()
            .map(|(.., slice)| slice.budget.clone())
            .collect();
        for (at, (_, _, slice)) in lanes.iter_mut().enumerate() {
            let other = budgets.iter().enumerate().find(|(other, _)| *other != at);
            slice.beside = other.map(|(_, budget)| budget.clone());
        }
        let work = |(method, open, slice): Lane<'_>| {
            let tool = method.tool();
            board.tell(&Event::Begins(tool, &open));
            let ended = method.advance(board, &open, &slice);
            let left = open.iter().filter(|&&n| board.is_open(n)).count();
            board.tell(&Event::Ends(tool, left, ended.err()));
            // Nobody needs to go on when there is nothing left to answer.
            if let (Some(beside), 0) = (&slice.beside, left) {
                beside.cancel_flag().store(true, Ordering::Relaxed);
            }
            ended.err()
        };
        let ended = if lanes.len() == 1 {
            lanes.pop().and_then(work)
        } else {
            together(lanes, work)
        };
        for tool in tools {
            self.last.insert(tool, Instant::now());
        }
        ended
    }

    /// The bytes that methods may take in their turn: what is granted but for what the others hold. If they
    /// hold too much, they give it up.
    pub(super) fn available(&mut self, turns: &[Turn], budget: &Budget) -> Option<u64> {
        let granted = budget.bytes()?;
        let works = |tool: Tool| turns.iter().any(|turn| turn.tool == tool);
        let uses_store = turns.iter().any(|turn| turn.tool.uses_store());
        let others = self.methods.iter().filter(|method| !works(method.tool()));
        let mut held: u64 = others.map(|method| method.bytes()).sum();
        let stored = self.board.store().bytes();
        if !uses_store {
            held += stored;
        }
        let inner = self.elsewhere.iter_mut().chain(self.reduced.iter_mut());
        held += inner.map(InnerRun::bytes).sum::<u64>();
        if held <= granted / 100 * HELD_PERCENT {
            return Some(granted - held);
        }
        for method in self.methods.iter_mut() {
            if !works(method.tool()) {
                method.release();
            }
        }
        for run in self.elsewhere.iter_mut().chain(self.reduced.iter_mut()) {
            run.release();
        }
        if !uses_store {
            self.board.store().clear();
        }
        Some(granted)
    }
}

/// A method with its questions and what it has for them.
type Lane<'m> = (&'m mut Box<dyn Method>, Vec<usize>, Slice);

/// Lets methods work at the same time; why the last one stopped.
fn together<'m>(
    lanes: Vec<Lane<'m>>,
    work: impl Fn(Lane<'m>) -> Option<Stop> + Sync,
) -> Option<Stop> {
    thread::scope(|scope| {
        let work = &work;
        let start = |lane| scope.spawn(move || work(lane));
        let threads: Vec<_> = lanes.into_iter().map(start).collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.last().flatten()
    })
}
