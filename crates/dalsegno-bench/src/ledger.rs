//! The rows of an experiment, in a CSV file that survives an interruption.
//!
//! A row is appended and flushed when its run has ended. A line that was cut off is not read, and dropped before
//! the next row is written, so a killed experiment loses one run per job at most. Whoever only reads changes nothing: a report
//! may be made while a run goes on.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::task::Measurement;

/// How a run ended.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The formula is verified.
    Holds,
    /// The formula is violated.
    Fails,
    /// The work has no verdict, and was done.
    Complete,
    /// A limit was hit, or something went wrong.
    #[default]
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "verified",
            Verdict::Fails => "violated",
            Verdict::Complete => "complete",
            Verdict::Unknown => "unknown",
        })
    }
}

/// One run with all that is known of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The experiment.
    pub experiment: String,
    /// The model.
    pub model: String,
    /// The class of the formula.
    pub class: String,
    /// The formula.
    pub formula: String,
    /// The approach.
    pub approach: String,
    /// The seed of the experiment.
    pub seed: u64,
    /// How it ended.
    pub verdict: Verdict,
    /// Why nothing is known, if so.
    pub reason: String,
    /// See [`Measurement`].
    pub automaton_states: Option<u64>,
    /// See [`Measurement`].
    pub automaton_transitions: Option<u64>,
    /// See [`Measurement`].
    pub acceptance_sets: Option<u32>,
    /// See [`Measurement`].
    pub explored_states: Option<String>,
    /// See [`Measurement`].
    pub explored_transitions: Option<String>,
    /// See [`Measurement`].
    pub passes: Option<u32>,
    /// See [`Measurement`].
    pub product_states: Option<String>,
    /// See [`Measurement`].
    pub product_transitions: Option<String>,
    /// See [`Measurement`].
    #[serde(default)]
    pub stuttering: Option<f64>,
    /// See [`Measurement`].
    pub seconds: f64,
    /// See [`Measurement`].
    #[serde(default)]
    pub translation_seconds: Option<f64>,
    /// See [`Measurement`].
    pub reach_seconds: Option<f64>,
    /// See [`Measurement`].
    pub wall_seconds: f64,
    /// See [`Measurement`].
    pub peak_bytes: u64,
    /// The limit of processor time in seconds.
    pub timeout: f64,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The machine.
    pub machine: String,
    /// The version of dalsegno.
    pub version: String,
}

/// What tells a run from all others of an experiment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The model.
    pub model: String,
    /// The class of the formula.
    pub class: String,
    /// The formula.
    pub formula: String,
    /// The approach.
    pub approach: String,
    /// The seed.
    pub seed: u64,
}

impl Row {
    /// What tells it from others.
    #[must_use]
    pub fn key(&self) -> Key {
        Key {
            model: self.model.clone(),
            class: self.class.clone(),
            formula: self.formula.clone(),
            approach: self.approach.clone(),
            seed: self.seed,
        }
    }

    /// The row of a run: who asked for what, what came out, and where.
    #[must_use]
    pub fn new(experiment: &str, key: Key, limits: (f64, u64), found: Measurement) -> Row {
        Row {
            experiment: experiment.to_owned(),
            model: key.model,
            class: key.class,
            formula: key.formula,
            approach: key.approach,
            seed: key.seed,
            verdict: found.verdict,
            reason: found.reason,
            automaton_states: found.automaton_states,
            automaton_transitions: found.automaton_transitions,
            acceptance_sets: found.acceptance_sets,
            explored_states: found.explored_states,
            explored_transitions: found.explored_transitions,
            passes: found.passes,
            product_states: found.product_states,
            product_transitions: found.product_transitions,
            stuttering: found.stuttering,
            seconds: found.seconds,
            translation_seconds: found.translation_seconds,
            reach_seconds: found.reach_seconds,
            wall_seconds: found.wall_seconds,
            peak_bytes: found.peak_bytes,
            timeout: limits.0,
            memory: limits.1,
            machine: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// The rows of an experiment so far.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    /// The file, once a row was added.
    file: Option<File>,
    /// The length of the text that was read, if its columns are those of this version.
    whole: Option<u64>,
    rows: Vec<Row>,
    position: HashMap<Key, usize>,
}

impl Ledger {
    /// Reads the rows in a file, if there is one; it is made or changed when a row is added.
    ///
    /// # Errors
    /// If it cannot be read, or has rows of something else.
    pub fn open(path: &Path, experiment: &str) -> Result<Ledger, Error> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::file(path)(error)),
        };
        // What follows the last line break was being written when the process was killed.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let rows = parse(whole).map_err(|message| Error::Ledger {
            path: path.to_owned(),
            message,
        })?;
        if let Some(other) = rows.iter().find(|row| row.experiment != experiment) {
            return Err(Error::Ledger {
                path: path.to_owned(),
                message: format!("has rows of the experiment {}", other.experiment),
            });
        }
        let current = whole.is_empty() || whole.starts_with(&header());
        let mut ledger = Ledger {
            path: path.to_owned(),
            file: None,
            whole: current.then_some(whole.len() as u64),
            rows: Vec::new(),
            position: HashMap::new(),
        };
        for row in rows {
            ledger.keep(row);
        }
        Ok(ledger)
    }

    /// The row of a run that has been done, unless it gave up with smaller limits than these.
    #[must_use]
    pub fn find(&self, key: &Key, timeout: f64, memory: u64) -> Option<&Row> {
        let row = &self.rows[*self.position.get(key)?];
        let more = row.timeout < timeout || row.memory < memory;
        (row.verdict != Verdict::Unknown || !more).then_some(row)
    }

    /// Adds a row, in the file too.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, row: Row) -> Result<(), Error> {
        self.write(&line(&row))?;
        self.keep(row);
        Ok(())
    }

    /// All rows, each run once.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn keep(&mut self, row: Row) {
        let key = row.key();
        if let Some(&at) = self.position.get(&key) {
            self.rows[at] = row;
        } else {
            self.position.insert(key, self.rows.len());
            self.rows.push(row);
        }
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.prepare()?,
        };
        let done = file.write_all(text.as_bytes());
        let done = done.and_then(|()| file.flush());
        self.file = Some(file);
        done.map_err(Error::file(&self.path))
    }

    /// Opens the file to append rows, without the line that was cut off. A file of another version, which has other
    /// columns, is written anew.
    fn prepare(&self) -> Result<File, Error> {
        let path = &self.path;
        let whole = match self.whole {
            Some(0) | None => {
                let mut text = header();
                text.extend(self.rows.iter().map(line));
                let beside = path.with_extension("csv.new");
                fs::write(&beside, &text).map_err(Error::file(&beside))?;
                fs::rename(&beside, path).map_err(Error::file(path))?;
                text.len() as u64
            }
            Some(whole) => whole,
        };
        let file = OpenOptions::new().append(true).open(path);
        let file = file.map_err(Error::file(path))?;
        file.set_len(whole).map_err(Error::file(path))?;
        Ok(file)
    }
}

/// The first line of a file of rows.
fn header() -> String {
    let key = Key {
        model: String::new(),
        class: String::new(),
        formula: String::new(),
        approach: String::new(),
        seed: 0,
    };
    let some = Row::new("", key, (0.0, 0), Measurement::default());
    let text = to_text(&some, true);
    let end = text.find('\n').map_or(text.len(), |end| end + 1);
    text[..end].to_owned()
}

fn line(row: &Row) -> String {
    to_text(row, false)
}

fn to_text(row: &Row, header: bool) -> String {
    let mut writer = csv::WriterBuilder::new()
        .has_headers(header)
        .from_writer(Vec::new());
    writer.serialize(row).expect("a row is flat");
    let bytes = writer.into_inner().expect("memory can be written");
    String::from_utf8(bytes).expect("texts are UTF-8")
}

/// The rows of a text with a header.
///
/// # Errors
/// What is wrong, with the line.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<Row>, csv::Error> = reader.deserialize().collect();
    rows.map_err(|error| error.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two verified formulas with three approaches.
    pub(crate) fn verified(approaches: [&str; 3]) -> Vec<Row> {
        let of = |formula, values: [u64; 3]| {
            let pairs = approaches.into_iter().zip(values);
            pairs.map(move |(name, value)| row(formula, name, Verdict::Holds, value))
        };
        let all = of("f", [400, 800, 200]).chain(of("g", [100, 150, 150]));
        all.collect()
    }

    pub(crate) fn row(formula: &str, approach: &str, verdict: Verdict, transitions: u64) -> Row {
        let key = Key {
            model: "kanban-3".to_owned(),
            class: "random".to_owned(),
            formula: formula.to_owned(),
            approach: approach.to_owned(),
            seed: 1,
        };
        let found = Measurement {
            verdict,
            automaton_states: Some(3),
            explored_states: Some((transitions / 2).to_string()),
            explored_transitions: Some(transitions.to_string()),
            seconds: 0.25,
            ..Measurement::default()
        };
        Row::new("p12", key, (10.0, 1_000), found)
    }

    #[test]
    fn rows_survive_a_round_trip() {
        let odd = row("G(\"a, b >= 1\" -> F \"\"\"\n)", "TGTA", Verdict::Holds, 7);
        let other = row("", "TA", Verdict::Unknown, 0);
        let text = header() + &line(&odd) + &line(&other);
        assert_eq!(parse(&text).unwrap(), [odd, other]);
        assert!(header().starts_with("experiment,model,class,formula,approach,seed,verdict"));
    }

    #[test]
    fn a_line_that_was_cut_off_is_forgotten() {
        let folder = std::env::temp_dir().join("dalsegno-bench-ledger");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("runs.csv");
        let (first, second) = (
            row("a", "TA", Verdict::Holds, 1),
            row("b", "TA", Verdict::Fails, 2),
        );
        {
            let mut ledger = Ledger::open(&path, "p12").unwrap();
            ledger.add(first.clone()).unwrap();
            ledger.add(second.clone()).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut ledger = Ledger::open(&path, "p12").unwrap();
        assert_eq!(ledger.rows(), std::slice::from_ref(&first));
        ledger.add(second.clone()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(ledger.find(&second.key(), 99.0, 1).is_some());
        let message = Ledger::open(&path, "p11").unwrap_err().to_string();
        assert!(message.contains("rows of the experiment p12"), "{message}");
    }

    #[test]
    fn rows_of_an_older_version_are_kept() {
        let folder = std::env::temp_dir().join("dalsegno-bench-older");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("runs.csv");
        let (first, second) = (
            row("a", "TA", Verdict::Holds, 1),
            row("b", "TA", Verdict::Fails, 2),
        );
        let text = header() + &line(&first);
        let column = |line: &str| {
            line.split(',')
                .position(|name| name == "translation_seconds")
        };
        let at = column(&text).unwrap();
        let older: Vec<String> = text
            .lines()
            .map(|line| {
                let mut cells: Vec<&str> = line.split(',').collect();
                cells.remove(at);
                cells.join(",") + "\n"
            })
            .collect();
        fs::write(&path, older.concat()).unwrap();
        let mut ledger = Ledger::open(&path, "p12").unwrap();
        assert_eq!(ledger.rows(), std::slice::from_ref(&first));
        ledger.add(second.clone()).unwrap();
        let ledger = Ledger::open(&path, "p12").unwrap();
        assert_eq!(ledger.rows(), [first, second]);
    }

    #[test]
    fn who_only_reads_changes_nothing() {
        let folder = std::env::temp_dir().join("dalsegno-bench-reading");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("runs.csv");
        assert!(Ledger::open(&path, "p12").unwrap().rows().is_empty());
        assert!(!path.exists());
        let text = header() + &line(&row("a", "TA", Verdict::Holds, 1));
        let growing = text.clone() + "p12,kan";
        fs::write(&path, &growing).unwrap();
        assert_eq!(Ledger::open(&path, "p12").unwrap().rows().len(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), growing);
    }

    #[test]
    fn a_larger_limit_is_another_try() {
        let folder = std::env::temp_dir().join("dalsegno-bench-limits");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let mut ledger = Ledger::open(&folder.join("runs.csv"), "p12").unwrap();
        let gave_up = row("a", "TA", Verdict::Unknown, 1);
        let key = gave_up.key();
        ledger.add(gave_up).unwrap();
        assert!(ledger.find(&key, 10.0, 1_000).is_some());
        assert!(ledger.find(&key, 11.0, 1_000).is_none());
        ledger.add(row("a", "TA", Verdict::Holds, 5)).unwrap();
        assert!(ledger.find(&key, 11.0, 1_000).is_some());
        assert_eq!(ledger.rows().len(), 1);
    }
}
