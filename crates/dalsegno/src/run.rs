//! Runs: questions to one source, answered by methods as a plan says.
//!
//! What methods know is kept between calls of [`Run::answer`]: a question that comes later pays only for what
//! is new.

use std::sync::{Mutex, PoisonError};

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::FormulaStore;
use dalsegno_models::petri::reduce::Keep;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{Answer, Reduction};
use crate::asked::{Asked, PropertyFile, Understood};
use crate::board::{Board, Entry, Hear, State};
use crate::driver::{Driver, Extent};
use crate::error::Error;
use crate::facts::Facts;
use crate::inner_run::InnerRun;
use crate::method::{self, Method};
use crate::reduced_run;
use crate::settings::Settings;
use crate::source::{LoadError, Source};

/// A run: a source, questions, and what is known.
///
/// ```
/// use dalsegno::{Asked, Event, Logic, Run, Settings, Source};
/// use dalsegno::kripke::Budget;
/// use dalsegno::models::petri::generators::Family;
///
/// let source = Source::of_net(Family::Philosophers.generate(3).unwrap());
/// let mut run = Run::new(&source, Settings::default());
/// let fair = run.ask(Asked::formula(Logic::Ltl, "G F Eat_1"));
/// let possible = run.ask(Asked::formula(Logic::Ctl, "AG EF Eat_1"));
/// let mut answers = 0;
/// run.answer(&Budget::unlimited(), &mut |event| {
///     answers += u32::from(matches!(event, Event::Answer(..)));
/// })?;
/// assert_eq!(answers, 2);
/// assert_eq!(run.answer_to(fair).holds(), Some(false));
/// assert_eq!(run.answer_to(possible).holds(), Some(false)); // they may all wait for each other
/// # Ok::<(), dalsegno::LoadError>(())
/// ```
pub struct Run {
    state: State,
    methods: Vec<Box<dyn Method>>,
    /// Runs about other models, for questions that are not asked here.
    elsewhere: Vec<InnerRun>,
    /// Runs on reduced nets, for questions that are asked here or elsewhere as well.
    reduced: Vec<InnerRun>,
    /// The run on the quotient of a coloured net that is not unfolded yet.
    quotient: Option<Box<InnerRun>>,
    /// The questions that had the first stages of their course.
    looked_at: FxHashSet<usize>,
}

impl Run {
    /// A run without questions.
    #[must_use]
    pub fn new(source: &Source, settings: Settings) -> Self {
        Run {
            state: State {
                source: source.clone(),
                settings,
                entries: Mutex::default(),
                formulas: Mutex::new(FormulaStore::new()),
                facts: Mutex::new(Facts::default()),
                store: Mutex::default(),
                automata: Mutex::default(),
            },
            methods: method::all(),
            elsewhere: Vec::new(),
            reduced: Vec::new(),
            quotient: None,
            looked_at: FxHashSet::default(),
        }
    }

    /// A run with questions whose meaning is known, over formulas of a store.
    pub(crate) fn understood_as(
        source: &Source,
        settings: Settings,
        store: FormulaStore,
        questions: Vec<(Asked, Understood)>,
    ) -> Self {
        let mut run = Run::new(source, settings);
        run.state.formulas = Mutex::new(store);
        for (asked, understood) in questions {
            let number = run.ask(asked);
            run.entries()[number].understood = Some(understood);
        }
        run
    }

    /// Does without all methods but one.
    #[cfg(test)]
    pub(crate) fn keep_method(&mut self, tool: method::Tool) {
        self.methods.retain(|method| method.tool() == tool);
    }

    /// The settings, which may change between calls of [`Run::answer`]. States and diagrams stay.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.state.settings
    }

    /// Asks a question; its number.
    pub fn ask(&mut self, asked: Asked) -> usize {
        let entries = self.entries();
        entries.push(Entry::new(asked));
        entries.len() - 1
    }

    /// Asks the properties of a file; their numbers are consecutive, from the first one on.
    ///
    /// # Errors
    /// If it is no file of properties.
    pub fn ask_file(&mut self, file: PropertyFile) -> Result<std::ops::Range<usize>, Error> {
        let first = self.entries().len();
        for asked in Asked::file(file)? {
            self.ask(asked);
        }
        Ok(first..self.entries().len())
    }

    fn entries(&mut self) -> &mut Vec<Entry> {
        let entries = self.state.entries.get_mut();
        entries.unwrap_or_else(PoisonError::into_inner)
    }

    /// How many questions were asked.
    #[must_use]
    pub fn len(&mut self) -> usize {
        self.entries().len()
    }

    /// Whether nothing was asked.
    #[must_use]
    pub fn is_empty(&mut self) -> bool {
        self.len() == 0
    }

    /// A question as it was asked.
    pub fn asked(&mut self, number: usize) -> &Asked {
        &self.entries()[number].asked
    }

    /// What a question means, if it was understood.
    pub fn understood(&mut self, number: usize) -> Option<&Understood> {
        self.entries()[number].understood.as_ref()
    }

    /// The answer to a question.
    ///
    /// # Panics
    /// If [`Run::answer`] was not called since the question was asked.
    pub fn answer_to(&mut self, number: usize) -> Answer {
        let answer = self.entries()[number].answer.clone();
        answer.expect("all questions have been answered")
    }

    /// The bytes that methods and the store of states hold.
    #[must_use]
    pub fn held_bytes(&mut self) -> u64 {
        let store = self.state.store.get_mut();
        let stored = store.unwrap_or_else(PoisonError::into_inner).bytes();
        let methods: u64 = self.methods.iter().map(|method| method.bytes()).sum();
        let inner = self.elsewhere.iter_mut().chain(&mut self.reduced);
        let inner = inner.chain(self.quotient.as_deref_mut());
        let inner: u64 = inner.map(InnerRun::bytes).sum();
        stored + methods + inner
    }

    /// Gives up what methods and the store of states hold.
    pub(crate) fn release(&mut self) {
        let store = self.state.store.get_mut();
        store.unwrap_or_else(PoisonError::into_inner).clear();
        for method in &mut self.methods {
            method.release();
        }
        let inner = self.elsewhere.iter_mut().chain(&mut self.reduced);
        for run in inner.chain(self.quotient.as_deref_mut()) {
            run.release();
        }
    }

    /// Nobody asks a question any more.
    pub(crate) fn withdraw(&mut self, number: usize) {
        let entry = &mut self.entries()[number];
        if entry.answer.as_ref().is_none_or(|a| a.stop().is_some()) {
            entry.withdrawn = true;
            entry.answer = Some(Answer::unknown(Stop::Cancelled));
        }
    }

    /// The states in the store that all explicit searches share.
    #[must_use]
    pub fn stored_states(&mut self) -> usize {
        let store = self.state.store.get_mut();
        store.unwrap_or_else(PoisonError::into_inner).len()
    }

    /// How the net is reduced for each question by itself, with what is kept; none where reductions are of no use, where they
    /// find nothing, and for what is answered without any search.
    ///
    /// # Errors
    /// If the source is a coloured net that cannot be unfolded.
    pub fn reductions(
        &mut self,
        budget: &Budget,
    ) -> Result<Vec<Option<(Keep, Reduction)>>, LoadError> {
        let count = self.entries().len();
        self.driven(budget, &mut |_| {}, |driver| {
            let board = driver.board;
            board.source().problem(budget, |_| {})?;
            driver.understand();
            let mut all = vec![None; count];
            for (number, keep, observed) in reduced_run::needs(board) {
                all[number] = reduced_run::reduction(board, keep, &observed, budget);
            }
            Ok(all)
        })
    }

    /// Answers all questions that are open, or that a limit left unknown before; `hear` hears of each answer
    /// as soon as it is known. Running out of the budget is an answer.
    ///
    /// # Errors
    /// If the source is a coloured net that cannot be unfolded, for another reason than a limit.
    pub fn answer(&mut self, budget: &Budget, hear: Hear<'_>) -> Result<(), LoadError> {
        self.follow(Extent::Whole, budget, hear)
    }

    /// Answers all questions that are open, as far as an extent goes.
    ///
    /// # Errors
    /// As for [`Run::answer`].
    pub(crate) fn follow(
        &mut self,
        extent: Extent,
        budget: &Budget,
        hear: Hear<'_>,
    ) -> Result<(), LoadError> {
        for entry in self.entries() {
            let unknown = entry.answer.as_ref().is_some_and(|a| a.stop().is_some());
            if unknown && !entry.withdrawn {
                entry.answer = None;
            }
        }
        self.driven(budget, hear, |driver| {
            let stop = match driver.drive(extent) {
                Ok(()) => budget.check().err(),
                Err(error) => match error.stop() {
                    Some(stop) => Some(stop),
                    None => return Err(error),
                },
            };
            driver.board.give_up(stop);
            Ok(())
        })
    }

    /// Lets a driver work with what the run knows.
    fn driven<T>(
        &mut self,
        budget: &Budget,
        hear: Hear<'_>,
        work: impl FnOnce(&mut Driver<'_, '_>) -> T,
    ) -> T {
        let Run {
            state,
            methods,
            elsewhere,
            reduced,
            quotient,
            looked_at,
        } = self;
        let board = Board::new(state, budget, hear);
        work(&mut Driver {
            board: &board,
            methods,
            elsewhere,
            reduced,
            quotient,
            looked_at,
            budget,
            last: FxHashMap::default(),
        })
    }
}
