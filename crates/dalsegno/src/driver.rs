//! Drivers: methods have their turns as a plan says, on the model that was given and on smaller ones.
//!
//! Questions about a coloured net are asked of a quotient before it is unfolded. What is easy is answered on the model
//! that was given; what is not, on nets that are reduced for few questions; what is left has the rest of the time.

use std::sync::atomic::Ordering;
use std::thread;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asked::{Reader, Understood};
use crate::board::Board;
use crate::event::Event;
use crate::inner_run::InnerRun;
use crate::method::{Method, Tool};
use crate::orbit_run;
use crate::pass::reduce::Shared;
use crate::pass::{self, Booleans, Pass, SkeletonAtoms, Structure};
use crate::plan::{
    self, BEFORE_REDUCING, Course, GIVEN_FIRST, HELD_PERCENT, LOOK_AT_REDUCED, ON_REDUCED, ORBITS,
    ORBITS_BESIDE_MERGED, ORBITS_ON_LARGE, REDUCING, SHORT_TURN, SKELETON, SKELETON_ALONE, Stage,
    TOGETHER, Time, Turn, WITHOUT_LIMIT,
};
use crate::question::QuestionKind;
use crate::quotient_run;
use crate::reduced_run::{self, Needs};
use crate::settings::{Engine, Reductions, Strategy};
use crate::slice::Slice;
use crate::source::LoadError;
use crate::step_run::step_runs;

/// How far questions are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// The stages with which a course begins, if they are cheap.
    Look,
    /// All stages.
    Whole,
}

/// Drives methods as the plan says.
pub(crate) struct Driver<'d, 'r> {
    pub(crate) board: &'d Board<'r>,
    pub(crate) methods: &'d mut [Box<dyn Method>],
    pub(crate) elsewhere: &'d mut Vec<InnerRun>,
    pub(crate) reduced: &'d mut Vec<InnerRun>,
    pub(crate) quotient: &'d mut Option<Box<InnerRun>>,
    /// The questions that had the first stages of their course.
    pub(crate) looked_at: &'d mut FxHashSet<usize>,
    pub(crate) budget: &'d Budget,
    /// When each method had its last turn.
    pub(crate) last: FxHashMap<Tool, Instant>,
}

impl Driver<'_, '_> {
    pub(crate) fn drive(&mut self, extent: Extent) -> Result<(), LoadError> {
        if self.board.source().ready().is_none() {
            self.skeleton(&SKELETON);
            if self.board.all_open().is_empty() {
                return Ok(());
            }
            let contest = self.board.settings().strategy == Strategy::Contest;
            if contest {
                self.on_orbits();
            }
            if self.board.all_open().is_empty() {
                return Ok(());
            }
            let on_quotient = self.on_quotient();
            if !contest && !matches!(on_quotient, Ok(true)) {
                self.on_orbits();
                if self.board.all_open().is_empty() {
                    return Ok(());
                }
            }
            if let Err(error) = on_quotient {
                self.board.tell(&Event::NotUnfolded(&error));
                self.skeleton(&SKELETON_ALONE);
                return Err(error);
            }
            let ended = self.quotient.is_some() && self.budget.check().is_err();
            if ended || self.board.all_open().is_empty() {
                return Ok(());
            }
            let hear = |found: dalsegno_models::petri::coloured::Progress| {
                self.board.tell(&Event::Unfolding {
                    places: found.places,
                    transitions: found.transitions,
                });
            };
            if let Err(error) = self.board.source().problem(self.budget, hear) {
                if error.stop().is_some() {
                    self.board.tell(&Event::NotUnfolded(&error));
                    self.skeleton(&SKELETON_ALONE);
                }
                return Err(error);
            }
        }
        self.understand();
        let needs = reduced_run::needs(self.board);
        if needs.is_empty() {
            match extent {
                Extent::Look => self.look(self.budget),
                Extent::Whole => self.everything(self.budget),
            }
            return Ok(());
        }
        self.with_reductions(&needs);
        Ok(())
    }

    /// Lets questions be asked of representatives of the markings of a coloured net, for a part of the time.
    fn on_orbits(&mut self) {
        let time = if quotient_run::merges(self.board, self.budget) {
            ORBITS_BESIDE_MERGED
        } else if orbit_run::is_large(self.board) {
            ORBITS_ON_LARGE
        } else {
            ORBITS
        };
        let mut share = share(self.budget, time);
        if let Some(mut run) = orbit_run::run(self.board, &share) {
            if let Some(bytes) = share.bytes() {
                share = share.with_bytes(bytes / 3 * 2);
            }
            run.advance(self.board, Extent::Whole, &share);
        }
    }

    /// Lets questions be asked of the quotient of a coloured net, where that is smaller. Questions that it does not
    /// understand have their part of the time later. Tells whether there is a quotient.
    fn on_quotient(&mut self) -> Result<bool, LoadError> {
        if self.quotient.is_none() {
            *self.quotient = quotient_run::run(self.board, self.budget)?.map(Box::new);
        }
        let asked = self.quotient.is_some();
        if let Some(run) = self.quotient {
            let (open, all) = (run.open(self.board), self.board.all_open().len());
            let mut share = self.budget.clone();
            if let (Some(left), true) = (share.time_left(), open < all) {
                share = share.with_time(left / all as u32 * open as u32);
            }
            run.advance(self.board, Extent::Whole, &share);
        }
        if !self.board.all_open().is_empty() && self.budget.check().is_ok() {
            *self.quotient = None;
        }
        Ok(asked)
    }

    /// What is easy is answered on the net that was given, what is not on reduced ones, and what is left has the rest.
    fn with_reductions(&mut self, needs: &Needs) {
        let whole = self.budget;
        let settings = self.board.settings();
        let first = settings.reductions == Reductions::First;
        if settings.strategy == Strategy::Contest && !first {
            return self.in_contest(needs);
        }
        if !first {
            self.everything(&share(whole, BEFORE_REDUCING));
        }
        if self.is_done() {
            return;
        }
        let groups = self.groups(&share(whole, REDUCING));
        self.open_runs(groups);
        self.reduced_runs(Extent::Whole, &share(whole, ON_REDUCED));
        self.on_given(whole);
        self.reduced_runs(Extent::Whole, whole);
    }

    /// The contest wants answers and no runs, so questions are asked of reduced nets at once: of one for all questions, and of
    /// smaller ones for few of them. All nets are looked at before any of them has long turns.
    fn in_contest(&mut self, needs: &Needs) {
        let whole = self.budget;
        self.together(needs);
        let groups = self.groups(&share(whole, REDUCING));
        let smaller = !groups.is_empty() || !self.reduced.is_empty();
        self.look(&share(whole, BEFORE_REDUCING));
        self.elsewhere(true, Extent::Look, &share(whole, BEFORE_REDUCING));
        self.open_runs(groups);
        self.reduced_runs(Extent::Look, &share(whole, LOOK_AT_REDUCED));
        if self.is_done() {
            return;
        }
        if self.is_spread() {
            self.on_given(&share(whole, GIVEN_FIRST));
            if self.methods.iter().any(|method| method.has_all_states()) {
                self.on_given(&share(whole, GIVEN_FIRST));
            }
            self.elsewhere(true, Extent::Whole, &share(whole, BEFORE_REDUCING));
        } else if smaller {
            self.everything(&share(whole, BEFORE_REDUCING));
        } else if !self.elsewhere.is_empty() {
            self.everything(&share(whole, TOGETHER));
        }
        self.reduced_runs(Extent::Whole, &share(whole, ON_REDUCED));
        self.on_given(whole);
        self.reduced_runs(Extent::Whole, whole);
    }

    /// Whether nothing is left to be done, or no time to do it.
    fn is_done(&self) -> bool {
        self.board.all_open().is_empty() || self.budget.check().is_err()
    }

    /// Adds runs on reduced nets for those questions that are still open.
    fn open_runs(&mut self, mut groups: Vec<Shared>) {
        let board = self.board;
        for group in &mut groups {
            group.numbers.retain(|&number| board.is_open(number));
        }
        groups.retain(|group| !group.numbers.is_empty());
        let runs = reduced_run::runs(board, groups, self.budget);
        self.reduced.extend(runs);
    }

    /// Whether questions that all nets have been looked at for are asked of several nets that are reduced for all of them, or
    /// of one and of the net that was given.
    fn is_spread(&self) -> bool {
        let looked_at = |number: &usize| {
            if !self.board.is_ready(*number) {
                return false;
            }
            let kind = self.board.question(*number).kind();
            let courses = plan::courses(self.board.settings(), self.engine());
            let mut courses = courses.iter().filter(|c| !c.look.is_empty());
            courses.any(|c| c.kinds.contains(&kind))
        };
        let mut open = self.board.all_open();
        open.retain(looked_at);
        let asked_of = |number: &usize| self.elsewhere.iter().position(|run| run.has(*number));
        open.windows(2)
            .any(|two| asked_of(&two[0]) != asked_of(&two[1]))
    }

    /// Works on all open questions, also on those that were asked of nets that are reduced for all of them.
    fn on_given(&mut self, budget: &Budget) {
        let reduced = self.elsewhere.iter();
        let reduced = reduced.filter(|run| run.reduced_size().is_some());
        for &number in reduced.flat_map(InnerRun::numbers) {
            self.board.ask_here(number);
        }
        self.everything(budget);
    }

    /// Lets questions be asked of the net that is reduced for all of them, where that is smaller.
    fn together(&mut self, needs: &Needs) {
        if !self.elsewhere.is_empty() {
            return;
        }
        let share = share(self.budget, REDUCING);
        let shared = pass::reduce::together(self.board.problem(), needs, &share);
        let runs = reduced_run::runs(self.board, shared, self.budget);
        for &number in runs.iter().flat_map(InnerRun::numbers) {
            self.board.ask_elsewhere(number);
        }
        self.elsewhere.extend(runs);
    }

    /// Reduced nets for the questions that are open and have none.
    fn groups(&mut self, budget: &Budget) -> Vec<Shared> {
        let board = self.board;
        self.reduced.retain(|run| run.open(board) > 0);
        let mut needs = reduced_run::needs(board);
        needs.retain(|(number, ..)| self.reduced.iter().all(|run| !run.has(*number)));
        let first = board.settings().reductions == Reductions::First;
        let given = board.problem().net().map(pass::reduce::size);
        let elsewhere = &*self.elsewhere;
        let before = |number: usize| {
            let asked = elsewhere.iter().find(|run| run.has(number));
            let size = asked.and_then(InnerRun::reduced_size).or(given);
            size.filter(|_| !first)
        };
        pass::reduce::groups(board.problem(), needs, &before, budget)
    }

    /// Lets runs on reduced nets go on, each with its part of the time.
    fn reduced_runs(&mut self, extent: Extent, budget: &Budget) {
        for i in 0..self.reduced.len() {
            let board = self.board;
            let open = self.reduced[i].open(board);
            if open == 0 || budget.check().is_err() {
                continue;
            }
            let left: usize = self.reduced[i..].iter().map(|run| run.open(board)).sum();
            let mut share = budget.clone();
            share = match share.time_left() {
                Some(time) => share.with_time(time / left as u32 * open as u32),
                None => share.with_time(WITHOUT_LIMIT * open as u32),
            };
            if let Some(bytes) = self.available(&[], budget) {
                share = share.with_bytes(bytes);
            }
            self.reduced[i].advance(self.board, extent, &share);
        }
    }

    /// Works on all questions that are open here, as far as courses begin with what is cheap.
    fn look(&mut self, budget: &Budget) {
        for course in plan::courses(self.board.settings(), self.engine()) {
            self.look_at(course, budget);
        }
    }

    /// The first stages of a course, unless all of its open questions have had them.
    fn look_at(&mut self, course: &Course, budget: &Budget) {
        let open = self.open_of(course);
        if open.iter().any(|number| !self.looked_at.contains(number)) {
            self.course(course, course.look, budget);
            self.looked_at.extend(open);
        }
    }

    /// Works on all open questions with all methods, and runs about other models.
    fn everything(&mut self, budget: &Budget) {
        let courses = plan::courses(self.board.settings(), self.engine());
        // Each course has its part of the time, and then what the others leave.
        let mut several = false;
        for course in courses {
            let open = self.open_of(course).len();
            let all = self.board.all_open().len();
            if open == 0 {
                continue;
            }
            let mut share = budget.clone();
            if let (Some(left), true) = (share.time_left(), open < all) {
                several = true;
                share = share.with_time(left / all as u32 * open as u32);
            }
            self.look_at(course, &share);
            self.course(course, course.stages, &share);
        }
        several |= self.elsewhere(true, Extent::Whole, budget);
        for course in courses.iter().filter(|_| several) {
            let able = |stage: &Stage| {
                let settings = self.board.settings();
                !plan::turns(stage, self.engine(), settings).is_empty()
            };
            if let Some(last) = course.stages.iter().rposition(able) {
                self.course(course, &course.stages[last..], budget);
            }
        }
        if several {
            self.elsewhere(false, Extent::Whole, budget);
        }
    }

    /// Lets runs about other models go on, each with its part of the time or with all of it; whether they had a part only.
    fn elsewhere(&mut self, parts: bool, extent: Extent, budget: &Budget) -> bool {
        let mut part_only = false;
        for i in 0..self.elsewhere.len() {
            let open = self.elsewhere[i].open(self.board);
            let all = self.board.all_open().len();
            if open == 0 || budget.check().is_err() {
                continue;
            }
            let mut share = budget.clone();
            if let (Some(left), true, true) = (share.time_left(), open < all, parts) {
                part_only = true;
                share = share.with_time(left / all as u32 * open as u32);
            }
            if let Some(bytes) = self.available(&[], budget) {
                share = share.with_bytes(bytes);
            }
            self.elsewhere[i].advance(self.board, extent, &share);
        }
        part_only
    }

    fn open_of(&self, course: &Course) -> Vec<usize> {
        self.board.open(course.kinds, Tool::Structure)
    }

    fn skeleton(&mut self, turn: &Turn) {
        let kinds = [
            QuestionKind::Reach,
            QuestionKind::Bound,
            QuestionKind::Global,
        ];
        self.turns(&[*turn], &kinds, self.budget, false);
    }

    /// Finds out what questions mean, and applies the passes.
    pub(crate) fn understand(&mut self) {
        let board = self.board;
        let problem = board.problem();
        let mut store = board.formulas().clone();
        let mut reader = Reader {
            problem,
            store: &mut store,
            settings: board.settings(),
            budget: self.budget,
            read: None,
        };
        let mut understood = Vec::new();
        for number in board.all_open() {
            if board.is_ready(number) {
                continue;
            }
            if let Some(known) = board.meaning(number) {
                understood.push((number, known));
                continue;
            }
            match reader.understand(&board.asked(number)) {
                Ok(question) => understood.push((number, question)),
                Err(error) if error.stop().is_some() => {
                    board.tried(number, error.stop().unwrap_or(Stop::Time), None);
                    break;
                }
                Err(error) => board.error(number, error),
            }
        }
        let of_steps = |(_, u): &(usize, Understood)| u.question.asks_of_steps();
        let (elsewhere, understood): (Vec<_>, Vec<_>) = understood.into_iter().partition(of_steps);
        let step_runs = step_runs(board, &mut store, elsewhere, self.budget);
        self.elsewhere.extend(step_runs);
        let structure = Structure;
        let mut passes: Vec<&dyn Pass> = Vec::new();
        let atoms;
        // A kind of automaton that was asked for is used for the formula as it is, so that its sizes mean
        // something.
        if board.settings().automaton.is_none() {
            if let Some(colours) = problem.colours() {
                let questions: Vec<_> = understood.iter().map(|(_, u)| &u.question).collect();
                atoms = SkeletonAtoms::new(
                    problem,
                    colours.coloured(),
                    &store,
                    &questions,
                    self.budget,
                );
                passes.push(&atoms);
            }
            passes.push(&structure);
            passes.push(&Booleans);
        }
        let mut simpler = Vec::new();
        for (number, understood) in understood {
            let mut now = understood.question.clone();
            pass::apply(&passes, problem, &mut store, &mut now, self.budget);
            simpler.push((number, understood, now));
        }
        *board.formulas() = store;
        for (number, understood, now) in simpler {
            board.understood(number, understood, now);
        }
    }

    /// Works through stages of a course.
    fn course(&mut self, course: &Course, stages: &[Stage], budget: &Budget) {
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
    fn engine(&self) -> Engine {
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
    fn turns(
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
    fn available(&mut self, turns: &[Turn], budget: &Budget) -> Option<u64> {
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

/// A part of a budget's time.
fn share(whole: &Budget, time: Time) -> Budget {
    match time.of(whole.time_left()) {
        Some(time) => whole.clone().with_time(time),
        None => whole.clone(),
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
