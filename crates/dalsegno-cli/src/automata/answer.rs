//! Answers to questions about languages, for readers and for programs.

use std::io::{self, Write};

use anyhow::Result;
use dalsegno::automata::operations::word::NamedWord;
use dalsegno::kripke::Stop;
use dalsegno::report::word_to_json;
use dalsegno::{Language, LanguageError};
use serde_json::{Value, json};

use super::{Job, Question};
use crate::status::Status;
use crate::watch::{Output, Watch};

/// A word, and the operands that accept it and that reject it.
pub(super) type Shown = (NamedWord, Vec<usize>, Vec<usize>);

/// A question with the names of its operands.
pub(super) struct Asked {
    question: &'static str,
    names: Vec<String>,
    json: bool,
}

impl Asked {
    pub(super) fn new(question: &'static str, operands: &[&Language], asked: &Question) -> Self {
        Asked {
            question,
            names: operands.iter().map(|l| l.name().to_owned()).collect(),
            json: asked.is_json(),
        }
    }

    pub(super) fn answer(
        self,
        mut job: Job,
        watch: &Watch,
        out: &mut Output,
        work: impl FnOnce(&mut Job) -> Result<(bool, Vec<Shown>), LanguageError>,
    ) -> Result<Status> {
        let (question, names, json) = (self.question, self.names.clone(), self.json);
        watch.last_words(move |stop, out| {
            let asked = Asked {
                question,
                names,
                json,
            };
            // A vector takes everything.
            let _ = asked.write(None, Some(stop), &[], out);
            Status::Unknown
        });
        let (answer, stop, words) = match work(&mut job) {
            Ok((answer, words)) => (Some(answer), None, words),
            Err(error) => match error.stop() {
                Some(stop) => (None, Some(stop), Vec::new()),
                None => return Err(error.into()),
            },
        };
        self.write(answer, stop, &words, out)?;
        Ok(match answer {
            Some(true) => Status::Done,
            Some(false) => Status::Fails,
            None => Status::Unknown,
        })
    }

    fn write(
        &self,
        answer: Option<bool>,
        stop: Option<Stop>,
        words: &[Shown],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let said = match answer {
            Some(true) => "yes",
            Some(false) => "no",
            None => "unknown",
        };
        if self.json {
            let words: Vec<Value> = words
                .iter()
                .map(|(word, accepted, rejected)| word_to_json(word, accepted, rejected))
                .collect();
            let report = json!({
                "schema": "dalsegno.automata/1",
                "question": self.question,
                "operands": self.names,
                "answer": said,
                "reason": stop.map(|stop| stop.to_string()),
                "words": words,
            });
            return writeln!(out, "{report:#}");
        }
        match stop {
            Some(stop) => writeln!(out, "{said} ({stop})")?,
            None => writeln!(out, "{said}")?,
        }
        for (word, accepted, rejected) in words {
            writeln!(out, "  {word}")?;
            for (verb, by) in [("accepted", accepted), ("rejected", rejected)] {
                for &i in by {
                    writeln!(out, "    {verb} by {}", self.names[i])?;
                }
            }
        }
        Ok(())
    }
}
