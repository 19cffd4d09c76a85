//! Which net is asked: the one that was given, one that is reduced for all questions, or smaller ones for few of them.

use dalsegno_kripke::Budget;

use super::{Driver, Extent, share};
use crate::inner_run::InnerRun;
use crate::pass;
use crate::pass::reduce::Shared;
use crate::plan::{
    self, BEFORE_REDUCING, GIVEN_FIRST, LOOK_AT_GIVEN, LOOK_AT_REDUCED, ON_REDUCED, REDUCING,
    TOGETHER, WITHOUT_LIMIT,
};
use crate::reduced_run::{self, Needs};
use crate::settings::{Reductions, Strategy};

impl Driver<'_, '_> {
    /// What is easy is answered on the net that was given, what is not on reduced ones, and what is left has the rest.
    pub(super) fn with_reductions(&mut self, needs: &Needs) {
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
        self.look(&share(whole, LOOK_AT_GIVEN));
        self.elsewhere(true, Extent::Look, &share(whole, BEFORE_REDUCING));
        if self.is_done() {
            return;
        }
        let groups = self.groups(&share(whole, REDUCING));
        let smaller = !groups.is_empty() || !self.reduced.is_empty();
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
}
