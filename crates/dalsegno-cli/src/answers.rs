//! What `dalsegno check` knows: an entry per property, answered or not, and how that is printed.
//!
//! Answers are printed as they come, or for JSON kept until the end. Either way what is known is printed if the
//! process has to end early: see [`Watch::last_words`](crate::watch::Watch::last_words).

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use dalsegno::kripke::Stop;
use dalsegno::report::{check_to_json, without_answer};
use serde_json::Value;

use crate::status::{Status, complain};
use crate::watch::{Output, Watch};

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    Text,
    Json,
    Mcc,
}

/// A property as it was asked.
#[derive(Clone, Default)]
pub(crate) struct Asked {
    /// The name, if it has one.
    pub(crate) name: String,
    /// "ltl", "ctl" or "ctl*", if that is known.
    pub(crate) logic: String,
    /// The text of the formula.
    pub(crate) formula: String,
}

impl Asked {
    /// What to call the property in a line of text.
    fn title(&self) -> String {
        match (self.name.is_empty(), self.formula.is_empty()) {
            (true, _) => self.formula.clone(),
            (false, true) => self.name.clone(),
            (false, false) => format!("{} = {}", self.name, self.formula),
        }
    }

    fn without_answer(&self, verdict: &'static str, reason: &str) -> Value {
        let parts = [&self.name, &self.logic, &self.formula];
        without_answer(&parts.map(String::clone), verdict, reason)
    }
}

/// An answer in all forms.
pub(crate) struct Answer {
    pub(crate) status: Status,
    /// The text, or the contest's line.
    pub(crate) text: Vec<u8>,
    /// The object of `dalsegno.check/1`, if that is asked for.
    pub(crate) json: Option<Value>,
}

struct Entry {
    asked: Asked,
    answer: Option<(Status, Value)>,
}

/// The properties of a run with their answers; clones share them.
#[derive(Clone)]
pub(crate) struct Answers(Arc<Mutex<Known>>);

struct Known {
    form: Form,
    model: String,
    entries: Vec<Entry>,
    /// What is said of the unfolding of a coloured net.
    unfolding: Value,
}

impl Answers {
    /// No properties yet; what is known of them when the process has to end is printed.
    pub(crate) fn new(form: Form, model: String, watch: &Watch) -> Self {
        let answers = Answers(Arc::new(Mutex::new(Known {
            form,
            model,
            entries: Vec::new(),
            unfolding: Value::Null,
        })));
        let known = answers.clone();
        watch.last_words(move |stop, out| {
            let mut known = known.known();
            known.give_up(stop, out);
            // A vector takes everything.
            let _ = known.write_end(out);
            // Properties of files may not have been asked yet.
            known.status().max(Status::Unknown)
        });
        answers
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the model by its name.
    pub(crate) fn set_model(&self, name: &str) {
        name.clone_into(&mut self.known().model);
    }

    /// Says of the model that it could not be unfolded.
    pub(crate) fn set_unfolding(&self, unfolding: Value) {
        self.known().unfolding = unfolding;
    }

    /// Adds a property; its number.
    pub(crate) fn ask(&self, asked: Asked) -> usize {
        let mut known = self.known();
        known.entries.push(Entry {
            asked,
            answer: None,
        });
        known.entries.len() - 1
    }

    /// Adds the properties of a file that was not read, which stay unknown, as one.
    pub(crate) fn ask_file(&self, file: &Path) {
        self.ask(Asked {
            name: file.display().to_string(),
            ..Asked::default()
        });
    }

    /// Takes an answer, and prints it unless it has to wait for the others.
    pub(crate) fn answer(&self, number: usize, answer: Answer, out: &mut Output) -> io::Result<()> {
        let mut known = self.known();
        let form = known.form;
        known.entries[number].answer = Some((answer.status, answer.json.unwrap_or_default()));
        drop(known);
        if form != Form::Json {
            out.write_all(&answer.text)?;
            out.flush()?;
        }
        Ok(())
    }

    /// Takes an error instead of an answer, and complains.
    pub(crate) fn error(&self, number: usize, message: &str) {
        let mut known = self.known();
        let entry = &mut known.entries[number];
        let first = message.lines().next().unwrap_or_default();
        let json = entry.asked.without_answer("error", message);
        entry.answer = Some((Status::Error, json));
        let title = entry.asked.title();
        let shown = if message.contains('\n') || message.contains(&title) || title.is_empty() {
            format!("error: {message}")
        } else {
            format!("error: {title}: {first}")
        };
        drop(known);
        complain(shown);
    }

    /// Says of all properties without an answer that they are unknown.
    pub(crate) fn give_up(&self, stop: Stop, out: &mut Output) -> io::Result<()> {
        let mut text = Vec::new();
        self.known().give_up(stop, &mut text);
        out.write_all(&text)
    }

    /// Prints what waited for the end; how the run ended.
    pub(crate) fn end(&self, out: &mut Output) -> io::Result<Status> {
        let known = self.known();
        let mut text = Vec::new();
        known.write_end(&mut text)?;
        let status = known.status();
        drop(known);
        out.write_all(&text)?;
        Ok(status)
    }
}

impl Known {
    fn give_up(&mut self, stop: Stop, out: &mut Vec<u8>) {
        let reason = stop.to_string();
        for entry in self.entries.iter_mut().filter(|e| e.answer.is_none()) {
            let json = entry.asked.without_answer("unknown", &reason);
            entry.answer = Some((Status::Unknown, json));
            let title = entry.asked.title();
            // A vector takes everything.
            let _ = match self.form {
                Form::Text => writeln!(out, "unknown ({reason}): {title}"),
                Form::Mcc => writeln!(out, "CANNOT_COMPUTE"),
                Form::Json => Ok(()),
            };
        }
    }

    fn write_end(&self, out: &mut Vec<u8>) -> io::Result<()> {
        if self.form != Form::Json {
            return Ok(());
        }
        let answers = self.entries.iter().filter_map(|e| e.answer.as_ref());
        let results: Vec<&Value> = answers.map(|(_, json)| json).collect();
        let mut report = check_to_json(&self.model, &results);
        if !self.unfolding.is_null() {
            report["unfolding"] = self.unfolding.clone();
        }
        writeln!(out, "{report:#}")
    }

    fn status(&self) -> Status {
        let entries = self.entries.iter();
        let statuses = entries.map(|e| e.answer.as_ref().map_or(Status::Unknown, |a| a.0));
        statuses.max().unwrap_or(Status::Done)
    }
}
