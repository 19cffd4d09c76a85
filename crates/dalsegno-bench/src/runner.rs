//! Runs an experiment: draws formulas, measures, selects, and writes every run down.
//!
//! The models and classes of formulas make *cells*. A cell is worked on by one job from its first
//! formula to its last, so what is selected does not depend on the number of jobs. A run that is in the
//! ledger is not done again: an experiment that was interrupted takes the same decisions from the same rows
//! until it meets the first run that is missing.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use dalsegno::Problem;
use dalsegno::kripke::Budget;

use crate::candidates::Candidates;
use crate::child::Execute;
use crate::claim::Claim;
use crate::error::Error;
use crate::experiment::{Class, Experiment, Source};
use crate::ledger::{Key, Ledger, Row, Verdict};
use crate::machine;
use crate::measure::DEFECT;
use crate::reproducer;
use crate::screen::{Rejected, is_easy};
use crate::selection::{self, Rule, disagreement};
use crate::subject::Subject;
use crate::task::Task;

/// What to run, and with how much of everything.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// The classes of formulas.
    pub classes: Vec<&'static Class>,
    /// The models.
    pub subjects: Vec<Subject>,
    /// Which formulas count.
    pub rule: Rule,
    /// Formulas wanted per model, class and verdict.
    pub formulas: usize,
    /// Formulas drawn at most per model and class.
    pub tries: usize,
    /// The seed.
    pub seed: u64,
    /// Seconds of processor time per run.
    pub timeout: f64,
    /// Bytes per run.
    pub memory: u64,
    /// Seconds of running for all together; each model and class has an equal share.
    pub budget: Option<f64>,
    /// Runs at the same time.
    pub jobs: usize,
    /// A folder with files of formulas that come with models, beside those next to the models.
    pub formula_files: Option<PathBuf>,
    /// Whether the rows are there already, run with settings that are not these.
    pub only_report: bool,
    /// The folder of the results.
    pub output: PathBuf,
}

/// What the runner tells while it works.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// The model.
    pub model: &'a str,
    /// The class of formulas.
    pub class: &'a str,
    /// Formulas drawn so far.
    pub drawn: usize,
    /// Verified formulas that count so far.
    pub verified: usize,
    /// Violated formulas that count so far.
    pub violated: usize,
    /// Models and classes that are done.
    pub cells_done: usize,
    /// Models and classes.
    pub cells: usize,
}

/// Runs an experiment; all its rows, in the order of models, classes and formulas.
///
/// # Errors
/// If a model or the output folder cannot be used, another run uses the folder, two approaches disagree, or `cancelled` becomes true.
pub fn run(
    settings: &Settings,
    executor: &impl Execute,
    cancelled: &Arc<AtomicBool>,
    progress: &(impl Fn(&Progress<'_>) + Sync),
) -> Result<Vec<Row>, Error> {
    let folder = &settings.output;
    fs::create_dir_all(folder).map_err(Error::file(folder))?;
    let _claim = Claim::of(folder)?;
    let ledger = Ledger::open(&folder.join("runs.csv"), settings.experiment.name)?;
    let cells: Vec<(&Subject, &Class)> = settings
        .subjects
        .iter()
        .flat_map(|subject| settings.classes.iter().map(move |class| (subject, *class)))
        .collect();
    let rejected = Rejected::open(&folder.join("rejected.txt"))?;
    let runner = Runner {
        settings,
        executor,
        cancelled,
        stopped: AtomicBool::new(false),
        ledger: Mutex::new(ledger),
        rejected: Mutex::new(rejected),
        machine: machine::describe(),
        cells: cells.len(),
        cells_done: AtomicUsize::new(0),
        progress,
    };
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Done)>> = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..settings.jobs.clamp(1, cells.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((subject, class)) = cells.get(i) else {
                        break;
                    };
                    let done = runner.cell(subject, class);
                    if done.is_err() {
                        runner.stopped.store(true, Ordering::Relaxed);
                    }
                    lock(&results).push((i, done));
                    runner.cells_done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(i, _)| *i);
    // Other jobs stop when one fails; what made it fail is told rather than that.
    let mut rows = Vec::new();
    let mut interrupted = false;
    for (_, result) in results {
        match result {
            Ok(found) => rows.extend(found),
            Err(Error::Interrupted) => interrupted = true,
            Err(error) => return Err(error),
        }
    }
    if interrupted {
        return Err(Error::Interrupted);
    }
    Ok(rows)
}

/// The rows of a cell, or why it stopped.
type Done = Result<Vec<Row>, Error>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked with the lock is reported by the scope; the rows are whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Runner<'r, E, P> {
    settings: &'r Settings,
    executor: &'r E,
    cancelled: &'r Arc<AtomicBool>,
    stopped: AtomicBool,
    ledger: Mutex<Ledger>,
    rejected: Mutex<Rejected>,
    machine: String,
    cells: usize,
    cells_done: AtomicUsize,
    progress: &'r P,
}

impl<E: Execute, P: Fn(&Progress<'_>) + Sync> Runner<'_, E, P> {
    /// All formulas of a class on a model; the rows that were used.
    fn cell(&self, subject: &Subject, class: &Class) -> Result<Vec<Row>, Error> {
        let settings = self.settings;
        let random = class.source.is_random();
        let share = settings.budget.map(|budget| {
            budget * crate::number::real(settings.jobs.max(1)) / crate::number::real(self.cells)
        });
        let mut used: Vec<Row> = Vec::new();
        let mut spent = 0.0;
        let mut counts = Counts::default();
        let given = matches!(class.source, Source::Given { .. });
        let problem = if (random || given) && !subject.is_nothing() {
            Some(subject.load(&Budget::unlimited().with_bytes(settings.memory))?)
        } else {
            None
        };
        let folder = settings.formula_files.as_deref();
        let candidates =
            Candidates::new(subject, problem.as_deref(), class, settings.seed, folder)?;
        let most = if random { settings.tries } else { usize::MAX };
        for (drawn, formula) in candidates.take(most).enumerate() {
            let enough = random && counts.enough(settings.formulas);
            if enough || share.is_some_and(|share| spent > share) {
                break;
            }
            if let Some(problem) = problem.as_ref().filter(|_| random)
                && self.is_rejected(subject, problem, class, drawn, &formula)?
            {
                continue;
            }
            let rows = self.candidate(subject, class, &formula, &counts)?;
            spent += rows.iter().map(|row| row.wall_seconds).sum::<f64>();
            if rows.len() == settings.experiment.approaches_of(class).count() {
                let rejected = rows
                    .iter()
                    .enumerate()
                    .any(|(i, row)| settings.rule.rejects(i, row));
                if !(random && rejected) {
                    let rows: Vec<&Row> = rows.iter().collect();
                    counts.add(selection::verdict(&rows));
                }
            }
            used.extend(rows);
            (self.progress)(&Progress {
                model: subject.name(),
                class: class.name,
                drawn: drawn + 1,
                verified: counts.verified,
                violated: counts.violated,
                cells_done: self.cells_done.load(Ordering::Relaxed),
                cells: self.cells,
            });
        }
        Ok(used)
    }

    /// Whether a formula is known to be too easy, or is found to be.
    fn is_rejected(
        &self,
        subject: &Subject,
        problem: &Arc<Problem>,
        class: &Class,
        number: usize,
        formula: &str,
    ) -> Result<bool, Error> {
        let settings = self.settings;
        let rule = settings.rule.threshold();
        let (model, class, seed) = (subject.name(), class.name, settings.seed);
        let line = format!("{model}, {class}, {seed}, {rule}: {number}\n");
        if lock(&self.rejected).contains(&line) {
            return Ok(true);
        }
        let first = &settings.experiment.approaches[0];
        let key = Key {
            model: model.to_owned(),
            class: class.to_owned(),
            formula: formula.to_owned(),
            approach: first.name.to_owned(),
            seed,
        };
        let known = lock(&self.ledger).find(&key, 0.0, 0).is_some();
        if known || !is_easy(problem, formula, first, settings.rule) {
            return Ok(false);
        }
        if self.cancelled.load(Ordering::Relaxed) || self.stopped.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        lock(&self.rejected).add(line)?;
        Ok(true)
    }

    /// The rows of a formula; fewer than there are approaches if it does not count or is not needed.
    fn candidate(
        &self,
        subject: &Subject,
        class: &Class,
        formula: &str,
        counts: &Counts,
    ) -> Result<Vec<Row>, Error> {
        let settings = self.settings;
        let mut rows: Vec<Row> = Vec::new();
        for (i, approach) in settings.experiment.approaches_of(class).enumerate() {
            let key = Key {
                model: subject.name().to_owned(),
                class: class.name.to_owned(),
                formula: formula.to_owned(),
                approach: approach.name.to_owned(),
                seed: settings.seed,
            };
            let row = self.run_once(key, subject)?;
            let defect = row.reason.starts_with(DEFECT);
            let random = class.source.is_random();
            let rejected = random && settings.rule.rejects(i, &row);
            let needed = !random || counts.needs(row.verdict, settings.formulas);
            rows.push(row);
            let seen: Vec<&Row> = rows.iter().collect();
            if let Some((first, second)) = disagreement(&seen) {
                let message = format!("{} and {} disagree", first.approach, second.approach);
                return Err(self.reproduce(&message, subject, &seen)?);
            }
            if defect {
                let message = format!("{} failed", approach.name);
                return Err(self.reproduce(&message, subject, &seen)?);
            }
            if rejected || !needed {
                break;
            }
        }
        Ok(rows)
    }

    fn reproduce(&self, what: &str, subject: &Subject, rows: &[&Row]) -> Result<Error, Error> {
        let script = reproducer::write(&self.settings.output, subject, rows)?;
        let said: Vec<String> = rows
            .iter()
            .map(|row| format!("{}: {} {}", row.approach, row.verdict, row.reason))
            .collect();
        let formula = rows.first().map_or("", |row| &row.formula);
        let message = format!(
            "{what} on {}: {formula}\n  {}",
            subject.name(),
            said.join("\n  ")
        );
        Ok(Error::Disagreement { message, script })
    }

    /// The row of a run, from the ledger or by running it.
    fn run_once(&self, key: Key, subject: &Subject) -> Result<Row, Error> {
        let settings = self.settings;
        let (timeout, memory) = (settings.timeout, settings.memory);
        let interrupted =
            || self.cancelled.load(Ordering::Relaxed) || self.stopped.load(Ordering::Relaxed);
        if let Some(row) = lock(&self.ledger).find(&key, timeout, memory) {
            return Ok(row.clone());
        }
        if interrupted() {
            return Err(Error::Interrupted);
        }
        let task = Task {
            model: subject.specification(),
            formula: key.formula.clone(),
            approach: key.approach.clone(),
            product: settings.experiment.product,
            timeout,
            memory,
        };
        let found = self.executor.execute(&task, self.cancelled);
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let mut row = Row::new(settings.experiment.name, key, (timeout, memory), found);
        row.machine.clone_from(&self.machine);
        lock(&self.ledger).add(row.clone())?;
        Ok(row)
    }
}

/// Formulas of a cell that count.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    verified: usize,
    violated: usize,
    other: usize,
}

impl Counts {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Holds => self.verified += 1,
            Verdict::Fails => self.violated += 1,
            Verdict::Complete | Verdict::Unknown => self.other += 1,
        }
    }

    fn needs(&self, verdict: Verdict, wanted: usize) -> bool {
        match verdict {
            Verdict::Holds => self.verified < wanted,
            Verdict::Fails => self.violated < wanted,
            Verdict::Complete | Verdict::Unknown => self.other < wanted,
        }
    }

    fn enough(&self, wanted: usize) -> bool {
        let both = self.verified >= wanted && self.violated >= wanted;
        both || self.other >= wanted
    }
}
