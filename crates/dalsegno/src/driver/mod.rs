//! Drivers: methods have their turns as a plan says, on the model that was given and on smaller ones.
//!
//! Questions about a coloured net are asked of a quotient before it is unfolded. What is easy is answered on the model
//! that was given; what is not, on nets that are reduced for few questions; what is left has the rest of the time.

mod reducing;
mod turns;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Budget, Stop};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::asked::{Reader, Understood};
use crate::board::Board;
use crate::event::Event;
use crate::inner_run::InnerRun;
use crate::method::{Method, Tool};
use crate::orbit_run;
use crate::pass::{self, Booleans, Pass, Reachability, SkeletonAtoms, Structure};
use crate::plan::{
    self, Course, ORBITS, ORBITS_BESIDE_MERGED, ORBITS_HOPELESS, ORBITS_LARGE, ORBITS_ON_LARGE,
    ORBITS_TURN, ORBITS_WORTH, SKELETON, SKELETON_ALONE, Stage, Time, Turn,
};
use crate::question::QuestionKind;
use crate::quotient_run;
use crate::reduced_run;
use crate::settings::Strategy;
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

    /// Lets questions be asked of representatives of the markings of a coloured net, for a part of the time. Where unfolding
    /// takes long they have more turns as long as they find many answers, or if nobody can wait for the unfolded net.
    fn on_orbits(&mut self) {
        let board = self.board;
        let merges = quotient_run::merges(board, self.budget);
        let is_large = !merges && orbit_run::is_larger_than(board, ORBITS_LARGE);
        let is_hopeless = is_large && orbit_run::is_larger_than(board, ORBITS_HOPELESS);
        let time = match (merges, is_large) {
            (true, _) => ORBITS_BESIDE_MERGED,
            (false, true) => ORBITS_ON_LARGE,
            (false, false) => ORBITS,
        };
        let mut all = share(self.budget, time);
        let Some(mut run) = orbit_run::run(board, &all) else {
            return;
        };
        if let Some(bytes) = all.bytes() {
            all = all.with_bytes(bytes / 3 * 2);
        }
        if !is_large || is_hopeless {
            return run.advance(board, Extent::Whole, &all);
        }
        loop {
            let before = board.all_open().len();
            run.advance(board, Extent::Whole, &share(&all, ORBITS_TURN));
            let open = board.all_open().len();
            if open == 0 || (before - open) * ORBITS_WORTH < before || all.check().is_err() {
                return;
            }
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
            if board.settings().answers_alone() {
                passes.push(&Reachability);
            }
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
}

/// A part of a budget's time.
fn share(whole: &Budget, time: Time) -> Budget {
    match time.of(whole.time_left()) {
        Some(time) => whole.clone().with_time(time),
        None => whole.clone(),
    }
}
