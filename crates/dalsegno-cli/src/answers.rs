//! What `dalsegno check` knows: an entry per property, answered or not, and how that is printed.
//!
//! Answers are printed as they come, or for JSON kept until the end. Either way what is known is printed if the
//! process has to end early: see [`Watch::last_words`](crate::watch::Watch::last_words).

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use dalsegno::kripke::Stop;
use dalsegno::report::{
    CANNOT_COMPUTE, Page, Style, answer_to_json, check_to_json, write_contest, write_text,
    write_unknown,
};
use dalsegno::{Answered, Asked, Source};
use serde_json::Value;

use crate::load;
use crate::status::{Status, complain, is_quiet};
use crate::watch::{Output, Watch};

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Form {
    Text,
    Json,
    Mcc,
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
    style: Style,
    model: String,
    /// The file of the model, for messages.
    file: String,
    entries: Vec<Entry>,
    /// Files that were not read.
    files: Vec<Entry>,
    /// The page, and the file that it is written to, if one is wanted.
    report: Option<(Page, PathBuf)>,
    /// What is said of the unfolding of a coloured net.
    unfolding: Value,
    /// The states that searches have stored, if that is asked.
    stored: Option<usize>,
    /// Errors that were said: a fault in a file is that of all its properties.
    said: BTreeSet<String>,
}

impl Answers {
    /// No properties yet; what is known of them when the process has to end is printed. `so_far` is how other models
    /// ended before.
    pub(crate) fn new(
        form: Form,
        style: Style,
        file: &Path,
        so_far: Status,
        watch: &Watch,
    ) -> Self {
        let answers = Answers(Arc::new(Mutex::new(Known {
            form,
            style,
            model: load::name(file),
            file: file.display().to_string(),
            entries: Vec::new(),
            files: Vec::new(),
            report: None,
            unfolding: Value::Null,
            stored: None,
            said: BTreeSet::new(),
        })));
        let known = answers.clone();
        watch.last_words(move |stop, out| {
            let mut known = known.known();
            known.give_up(stop, out);
            // A vector takes everything.
            let _ = known.write_end(out);
            let written = known.write_report();
            // Properties of files may not have been asked yet.
            written.max(known.status()).max(Status::Unknown).max(so_far)
        });
        answers
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model has been read.
    pub(crate) fn set_model(&self, source: &Source) {
        let mut known = self.known();
        source.name().clone_into(&mut known.model);
        if let Some((page, _)) = &mut known.report {
            page.set_source(source);
        }
    }

    /// All answers are written to a file at the end, as a page.
    pub(crate) fn report_to(&self, file: &Path) {
        let mut known = self.known();
        let page = Page::unloaded(&known.model);
        known.report = Some((page, file.to_owned()));
    }

    /// Says of the model that it could not be unfolded.
    pub(crate) fn set_unfolding(&self, unfolding: Value) {
        self.known().unfolding = unfolding;
    }

    /// Adds a question.
    pub(crate) fn ask(&self, asked: &Asked) {
        self.known().entries.push(Entry {
            asked: asked.clone(),
            answer: None,
        });
    }

    /// Adds the properties of a file that was not read, which stay unknown, as one; after all others.
    pub(crate) fn ask_file(&self, file: &Path) {
        let mut asked = Asked::survey();
        asked.name = file.display().to_string();
        self.known().files.push(Entry {
            asked,
            answer: None,
        });
    }

    /// Takes an answer, and prints it unless it has to wait for the others.
    pub(crate) fn answer(
        &self,
        answered: &Answered<'_>,
        stats: bool,
        out: &mut Output,
    ) -> io::Result<()> {
        let status = Status::of(&answered.answer.value);
        let mut text = Vec::new();
        let mut known = self.known();
        let form = known.form;
        let mut json = Value::Null;
        match form {
            Form::Json => json = answer_to_json(answered),
            Form::Text => {
                write_text(answered, stats, known.style, &mut text)?;
                if is_quiet() {
                    first_line(&mut text);
                }
            }
            Form::Mcc => {
                if !write_contest(answered, &mut text)? {
                    writeln!(text, "{CANNOT_COMPUTE}")?;
                }
            }
        }
        known.entries[answered.number].answer = Some((status, json));
        if let Some((page, _)) = &mut known.report {
            page.add(answered);
        }
        if let dalsegno::Value::Error(error) = &answered.answer.value {
            let line = error_line(&answered.title(), &error.render());
            known.say(line);
            if error.unknown_name().is_some() {
                let line = load::names_hint(&known.file);
                known.say(line);
            }
        }
        drop(known);
        out.write_all(&text)?;
        out.flush()
    }

    /// Says of all properties without an answer that they are unknown.
    pub(crate) fn give_up(&self, stop: Stop, out: &mut Output) -> io::Result<()> {
        let mut text = Vec::new();
        self.known().give_up(stop, &mut text);
        out.write_all(&text)
    }

    /// Says how many states the explicit searches have stored together.
    pub(crate) fn stored(&self, states: usize, out: &mut Output) -> io::Result<()> {
        let mut known = self.known();
        known.stored = Some(states);
        if known.form == Form::Text {
            writeln!(out, "states stored by all searches together: {states}")?;
        }
        Ok(())
    }

    /// Prints what waited for the end; how the run ended.
    pub(crate) fn end(&self, out: &mut Output) -> io::Result<Status> {
        let known = self.known();
        let mut text = Vec::new();
        known.write_end(&mut text)?;
        let status = known.status().max(known.write_report());
        drop(known);
        out.write_all(&text)?;
        Ok(status)
    }
}

impl Known {
    /// Says something on standard error, once.
    fn say(&mut self, line: String) {
        if !self.said.contains(&line) {
            complain(&line);
            self.said.insert(line);
        }
    }

    fn give_up(&mut self, stop: Stop, out: &mut Vec<u8>) {
        let answer = dalsegno::Answer::unknown(stop);
        let entries = self.entries.iter_mut().chain(&mut self.files);
        for (number, entry) in entries.enumerate().filter(|(_, e)| e.answer.is_none()) {
            let answered = Answered::without_model(number, &entry.asked, &answer);
            // A vector takes everything.
            let _ = match self.form {
                Form::Text => write_unknown(&answered.title(), stop, out),
                Form::Mcc => writeln!(out, "{CANNOT_COMPUTE}"),
                Form::Json => Ok(()),
            };
            let json = answer_to_json(&answered);
            if let Some((page, _)) = &mut self.report {
                page.add(&answered);
            }
            entry.answer = Some((Status::Unknown, json));
        }
    }

    fn write_end(&self, out: &mut Vec<u8>) -> io::Result<()> {
        if self.form != Form::Json {
            return Ok(());
        }
        let entries = self.entries.iter().chain(&self.files);
        let answers = entries.filter_map(|e| e.answer.as_ref());
        let results: Vec<&Value> = answers.map(|(_, json)| json).collect();
        let mut report = check_to_json(&self.model, &results);
        if let Some(states) = self.stored {
            report["stored_states"] = states.to_string().into();
        }
        if !self.unfolding.is_null() {
            report["unfolding"] = self.unfolding.clone();
        }
        writeln!(out, "{report:#}")
    }

    /// Writes the page, if one is wanted. The answers stay what they are if that fails.
    fn write_report(&self) -> Status {
        let Some((page, file)) = &self.report else {
            return Status::Done;
        };
        match std::fs::write(file, page.to_html()) {
            Ok(()) => Status::Done,
            Err(error) => {
                complain(format_args!(
                    "error: cannot write {}: {error}",
                    file.display()
                ));
                Status::Error
            }
        }
    }

    fn status(&self) -> Status {
        let entries = self.entries.iter().chain(&self.files);
        let statuses = entries.map(|e| e.answer.as_ref().map_or(Status::Unknown, |a| a.0));
        statuses.max().unwrap_or(Status::Done)
    }
}

/// Keeps the verdict and leaves out what shows it.
fn first_line(text: &mut Vec<u8>) {
    if let Some(end) = text.iter().position(|&b| b == b'\n') {
        text.truncate(end + 1);
    }
}

/// What is said of an error, with the question that has it where the message does not tell it.
fn error_line(title: &str, message: &str) -> String {
    let tells = message.contains('\n') || message.starts_with(&format!("{title} "));
    if tells || title.is_empty() {
        format!("error: {message}")
    } else {
        format!("error: {title}: {message}")
    }
}
