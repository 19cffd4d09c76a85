//! The jobs of `bench/peers/jobs.toml`: which work, on which model, by which call of which program.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// Our program, by the name that jobs and rows have for it.
pub(super) const OURS: &str = "dalsegno";

/// A call of each program, by the program's name.
type Calls = BTreeMap<String, Vec<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    work: Vec<Work>,
}

/// A kind of work.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Work {
    pub(super) name: String,
    /// The heading of its table.
    pub(super) title: String,
    #[serde(default)]
    calls: Calls,
    #[serde(rename = "job")]
    pub(super) jobs: Vec<Job>,
}

/// Work on one model.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    /// What the row is called if the model is not enough.
    name: Option<String>,
    /// A family and its parameter, as `dalsegno generate` takes them.
    model: Option<String>,
    /// The folder of a contest instance.
    pub(super) instance: Option<String>,
    /// A file of that folder with properties.
    pub(super) file: Option<String>,
    /// The formula, as dalsegno writes it.
    formula: Option<String>,
    /// The same in the syntax of a program.
    #[serde(default)]
    formulas: BTreeMap<String, String>,
    /// A file beside the jobs for standard input.
    pub(super) input: Option<String>,
    /// The right answer, where it is known.
    pub(super) answer: Option<String>,
    #[serde(default)]
    calls: Calls,
}

impl Job {
    /// The name of its row.
    pub(super) fn label(&self) -> &str {
        let names = [&self.name, &self.model, &self.instance];
        names
            .into_iter()
            .flatten()
            .next()
            .map_or("", String::as_str)
    }

    /// The family and its parameter.
    pub(super) fn family(&self) -> Option<(&str, &str)> {
        self.model.as_deref()?.split_once(' ')
    }

    /// The formula in the syntax of a program.
    pub(super) fn formula(&self, program: &str) -> Option<&str> {
        let own = self.formulas.get(program);
        own.or(self.formula.as_ref()).map(String::as_str)
    }
}

impl Work {
    /// The call of a program for a job, if it has one.
    pub(super) fn call<'a>(&'a self, job: &'a Job, program: &str) -> Option<&'a [String]> {
        let call = job.calls.get(program).or_else(|| self.calls.get(program));
        call.map(Vec::as_slice)
    }

    /// The programs that have a call in some job, ours first.
    pub(super) fn programs(&self) -> Vec<&str> {
        let every = self.jobs.iter().flat_map(|job| job.calls.keys());
        let mut names: Vec<&str> = every.chain(self.calls.keys()).map(String::as_str).collect();
        names.sort_unstable_by_key(|&name| (name != OURS, name));
        names.dedup();
        names
    }
}

/// Reads the jobs.
pub(super) fn parse(text: &str) -> Result<Vec<Work>> {
    let File { work } = toml::from_str(text)?;
    for one in &work {
        for job in &one.jobs {
            ensure!(
                !job.label().is_empty(),
                "{}: a job without a name",
                one.name
            );
            let calls = one.call(job, OURS);
            calls.with_context(|| format!("{}: {}: no call of {OURS}", one.name, job.label()))?;
            for text in [one.name.as_str(), job.label()] {
                ensure!(!text.contains(['|', '\n']), "{text}: not for a table");
            }
        }
    }
    Ok(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_job_go_before_those_of_the_work() {
        let text = r#"
            [[work]]
            name = "w"
            title = "W"
            calls.dalsegno = ["states", "MODEL"]
            calls.peer = ["MODEL"]
            [[work.job]]
            model = "kanban 5"
            [[work.job]]
            name = "again"
            instance = "Kanban-PT-00005"
            calls.peer = ["-x", "MODEL"]
            calls.another = []
        "#;
        let work = parse(text).unwrap();
        let [first, second] = &work[0].jobs[..] else {
            panic!("two jobs")
        };
        assert_eq!(work[0].programs(), ["dalsegno", "another", "peer"]);
        assert_eq!(work[0].call(first, "peer").unwrap(), ["MODEL"]);
        assert_eq!(work[0].call(second, "peer").unwrap(), ["-x", "MODEL"]);
        assert_eq!(work[0].call(first, "another"), None);
        assert_eq!((first.label(), second.label()), ("kanban 5", "again"));
        assert_eq!(first.family(), Some(("kanban", "5")));
    }

    #[test]
    fn a_job_that_we_have_no_call_for_is_refused() {
        let text = "[[work]]\nname = 'w'\ntitle = 'W'\n[[work.job]]\nmodel = 'kanban 5'\n";
        let error = parse(text).err().expect("no call").to_string();
        assert!(error.contains("kanban 5: no call of dalsegno"), "{error}");
        assert!(parse("[[work]]\nwhat = 1\n").is_err());
    }
}
