//! Finds formulas that make too little work before a run is spent on them.
//!
//! Hundreds of random formulas are drawn for one that counts. A search in this process that stops at the
//! threshold tells most of the others in a millisecond. Those that it rejects are remembered in a file of
//! their own, by number, so that an experiment that is resumed does not search again.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, Stop};
use dalsegno::{Asked, Engine, Logic, Problem, Propositions, Reductions, Run, Settings, Value};

use crate::approach::{Approach, Work};
use crate::error::Error;
use crate::selection::Rule;

/// Whether the formula is decided below the rule's threshold with this approach.
///
/// The answer "no" means nothing: the run in a process of its own tells.
#[must_use]
pub fn is_easy(problem: &Arc<Problem>, formula: &str, approach: &Approach, rule: Rule) -> bool {
    let kind = match (approach.work, rule) {
        (_, Rule::Screened(_)) => Kind::Tgba,
        (Work::Explicit(kind), _) => kind,
        _ => return false,
    };
    let memory = Budget::unlimited().with_bytes(1 << 30);
    let budget = match rule {
        Rule::Any => return false,
        Rule::Screened(more_than) | Rule::States { more_than, .. } => memory
            .with_states(more_than)
            .with_time(Duration::from_secs(5)),
        Rule::Seconds { more_than, .. } => {
            let time = Duration::try_from_secs_f64(more_than).unwrap_or_default();
            memory.with_time(time)
        }
    };
    let settings = Settings {
        automaton: Some(kind),
        engine: Engine::Explicit,
        propositions: Propositions::Raw,
        por: false,
        reductions: Reductions::Off,
        ..Settings::default()
    };
    let mut run = Run::new(&Arc::clone(problem).into(), settings);
    let number = run.ask(Asked::formula(Logic::Ltl, formula));
    if run.answer(&budget, &mut |_| {}).is_err() {
        return false;
    }
    let answer = run.answer_to(number);
    match (&answer.value, rule) {
        (Value::Error(_), _) => false,
        (value, Rule::Screened(more_than) | Rule::States { more_than, .. }) => {
            let decided = !matches!(value, Value::Unknown(Stop::States | Stop::Time));
            decided && answer.cost.explored.states <= more_than
        }
        (value, _) => !matches!(value, Value::Unknown(_)),
    }
}

/// The formulas that were rejected, by what they were drawn for and their number.
#[derive(Debug)]
pub(crate) struct Rejected {
    path: PathBuf,
    file: File,
    lines: HashSet<String>,
}

impl Rejected {
    pub(crate) fn open(path: &Path) -> Result<Rejected, Error> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Error::file(path)(error)),
        };
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(path);
        let mut rejected = Rejected {
            path: path.to_owned(),
            file: file.map_err(Error::file(path))?,
            lines: text.split_inclusive('\n').map(str::to_owned).collect(),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            // The end of a line that was cut off; what was on it is searched again.
            rejected.write("\n")?;
        }
        Ok(rejected)
    }

    pub(crate) fn contains(&self, line: &str) -> bool {
        self.lines.contains(line)
    }

    pub(crate) fn add(&mut self, line: String) -> Result<(), Error> {
        self.write(&line)?;
        self.lines.insert(line);
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), Error> {
        let done = self.file.write_all(text.as_bytes());
        done.map_err(Error::file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approach::{STATE_BY_STATE, TGBA};
    use crate::subject::Subject;

    #[test]
    fn only_little_work_is_easy() {
        let problem = Subject::parse("kanban:2").unwrap();
        let problem = problem.load(&Budget::unlimited()).unwrap();
        let rule = |more_than| Rule::States {
            more_than,
            in_all: true,
        };
        let all = "G (\"Pm1 >= 1\" | !\"Pm1 >= 1\" | F \"Pm2 >= 1\")";
        let easy = |formula, rule| is_easy(&problem, formula, &TGBA, rule);
        assert!(easy(all, rule(100)), "the negation is empty");
        assert!(easy("G \"Pm1 >= 1\"", rule(2_000)));
        let hard = "G (\"Pm1 >= 1\" -> F G F true) & G !\"Pm1 >= 3\"";
        assert!(!easy(hard, rule(100)) && easy(hard, rule(1_000_000)));
        assert!(!easy(hard, Rule::Any));
        let seconds = Rule::Seconds {
            more_than: 60.0,
            in_all: true,
        };
        assert!(easy(hard, seconds));
        assert!(!is_easy(&problem, "", &STATE_BY_STATE, seconds));
    }

    #[test]
    fn rejections_survive_a_cut() {
        let path = std::env::temp_dir().join("dalsegno-bench-rejected.txt");
        fs::write(&path, "one\ntwo\nthr").unwrap();
        let mut rejected = Rejected::open(&path).unwrap();
        assert!(rejected.contains("two\n") && !rejected.contains("three\n"));
        rejected.add("three\n".to_owned()).unwrap();
        let again = Rejected::open(&path).unwrap();
        assert!(again.contains("three\n") && again.contains("one\n"));
    }
}
