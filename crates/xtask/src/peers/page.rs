//! The page: a text in which `{{table NAME}}` stands for the table of a work, `{{behind}}` for the jobs where a peer is
//! ahead, and `{{measured}}` for when, where and with what was measured.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::job::{self, Job, OURS, Work};
use super::row::{self, Outcome, Reported, Row};

/// A peer is ahead if we take so many times as long, and so many seconds more: the rest is noise.
const AHEAD: (f64, f64) = (1.2, 0.05);

/// The bound of a program that was ended without an answer; others, such as `at most`, are of answers.
const OVER: &str = "over";

/// The page that the files of a folder make.
pub(super) fn make(folder: &Path) -> Result<String> {
    let mut rows: Vec<Row> = row::read(&folder.join("rows.csv"))?;
    // Its examples have a column together.
    for row in &mut rows {
        if super::MEDDLY.contains(&row.program.as_str()) {
            "Meddly".clone_into(&mut row.program);
        }
    }
    let figures = Figures {
        works: job::parse(&super::read(&folder.join("jobs.toml"))?)?,
        rows,
        reported: row::read(&folder.join("reported.csv"))?,
    };
    let text = super::read(&folder.join("page.md"))?;
    figures.fill(&text)
}

struct Figures {
    works: Vec<Work>,
    rows: Vec<Row>,
    reported: Vec<Reported>,
}

/// What is known of a program on a job.
struct Figure {
    /// How it is shown.
    text: String,
    /// The seconds, if there was an answer.
    seconds: Option<f64>,
}

impl Figures {
    fn fill(&self, text: &str) -> Result<String> {
        let mut page = String::new();
        for line in text.lines() {
            let Some(word) = line
                .strip_prefix("{{")
                .and_then(|rest| rest.strip_suffix("}}"))
            else {
                writeln!(page, "{line}")?;
                continue;
            };
            match word.split_once(' ') {
                Some(("table", name)) => {
                    let work = self.works.iter().find(|work| work.name == name);
                    page.push_str(
                        &self.table(work.with_context(|| format!("no work is called {name}"))?)?,
                    );
                }
                None if word == "behind" => page.push_str(&self.behind()?),
                None if word == "measured" => page.push_str(&self.measured()?),
                _ => bail!("{line}: not understood"),
            }
        }
        Ok(page)
    }

    fn table(&self, work: &Work) -> Result<String> {
        let programs = self.programs(work);
        let mut table = format!("**{}**\n\n| |", work.title);
        for program in &programs {
            write!(table, " {program} |")?;
        }
        writeln!(table, "\n| --- |{}", " --- |".repeat(programs.len()))?;
        for job in &work.jobs {
            let cells: Vec<String> = programs
                .iter()
                .map(|program| {
                    self.figure(work, job, program)
                        .map_or(String::new(), |figure| figure.text)
                })
                .collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                writeln!(table, "| {} | {} |", job.label(), cells.join(" | "))?;
            }
        }
        Ok(table)
    }

    /// The programs of a work that there is a figure of, ours first.
    fn programs(&self, work: &Work) -> Vec<&str> {
        let rows = self
            .rows
            .iter()
            .filter(|row| row.work == work.name)
            .map(|row| row.program.as_str());
        let reported = self.reported.iter().filter(|row| row.work == work.name);
        let mut names: Vec<&str> = rows
            .chain(reported.map(|row| row.program.as_str()))
            .collect();
        names.sort_unstable_by_key(|&name| (name != OURS, name));
        names.dedup();
        names
    }

    /// The best run of a program, or what is reported of it.
    fn figure(&self, work: &Work, job: &Job, program: &str) -> Option<Figure> {
        let of = |w: &str, j: &str, p: &str| (w, j, p) == (&work.name, job.label(), program);
        let runs = self
            .rows
            .iter()
            .filter(|row| of(&row.work, &row.job, &row.program));
        let best = runs.min_by(|a, b| {
            let rank = |row: &Row| (row.outcome != Outcome::Wrong, unanswered(row.outcome));
            rank(a)
                .cmp(&rank(b))
                .then(a.user_seconds.total_cmp(&b.user_seconds))
        });
        if let Some(row) = best {
            return Some(match row.outcome {
                Outcome::Wrong => Figure {
                    text: format!("**wrong**: {}", row.answer),
                    seconds: None,
                },
                Outcome::Late => Figure {
                    text: "out of time".to_owned(),
                    seconds: None,
                },
                Outcome::Silent => Figure {
                    text: "no answer".to_owned(),
                    seconds: None,
                },
                Outcome::Right | Outcome::Answered => {
                    #[expect(
                        clippy::cast_precision_loss,
                        reason = "megabytes are shown without a point"
                    )]
                    let megabytes = row.peak_bytes.map(|bytes| bytes as f64 / 1e6);
                    answered(&row.answer, row.user_seconds, megabytes)
                }
            });
        }
        let row = self
            .reported
            .iter()
            .find(|row| of(&row.work, &row.job, &row.program))?;
        let Some(seconds) = row.seconds else {
            let text = format!("*{}*", row.answer);
            return Some(Figure {
                text,
                seconds: None,
            });
        };
        if !row.bound.is_empty() {
            let text = format!("*{} {seconds} s*", row.bound);
            let known = row.bound != OVER;
            return Some(Figure {
                text,
                seconds: known.then_some(seconds),
            });
        }
        let mut figure = answered(&row.answer, seconds, row.peak_megabytes);
        figure.text = format!("*{}*", figure.text);
        Some(figure)
    }

    /// The jobs where a peer is ahead, the worst first.
    fn behind(&self) -> Result<String> {
        let mut found = Vec::new();
        for work in &self.works {
            for job in &work.jobs {
                let Some(ours) = self.figure(work, job, OURS) else {
                    continue;
                };
                let peers = self
                    .programs(work)
                    .into_iter()
                    .filter(|&program| program != OURS);
                let timed = peers.filter_map(|program| {
                    Some((program, self.figure(work, job, program)?.seconds?))
                });
                let Some((peer, seconds)) = timed.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                    continue;
                };
                let times = ours
                    .seconds
                    .map_or(f64::INFINITY, |ours| ours / seconds.max(0.001));
                let more = ours.seconds.map_or(f64::INFINITY, |ours| ours - seconds);
                if times > AHEAD.0 && more > AHEAD.1 {
                    let row = format!(
                        "| {}, {} | {} | {peer}, {} |",
                        work.name,
                        job.label(),
                        ours.text,
                        shown(seconds)
                    );
                    found.push((times, row));
                }
            }
        }
        if found.is_empty() {
            return Ok("No job of these tables.\n".to_owned());
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut table =
            "| | dalsegno | best peer | times as long |\n| --- | --- | --- | --- |\n".to_owned();
        for (times, row) in found {
            let times = if times.is_finite() {
                format!("{times:.1}")
            } else {
                "no answer".to_owned()
            };
            writeln!(table, "{row} {times} |")?;
        }
        Ok(table)
    }

    /// Dates, commits, machines and versions of the rows, each once.
    fn measured(&self) -> Result<String> {
        let mut lines: Vec<String> = Vec::new();
        for row in &self.rows {
            let line = format!(
                "- {}, commit {}, {}: {} ({})",
                row.date, row.commit, row.machine, row.program, row.version
            );
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        let mut text = String::new();
        for line in lines {
            writeln!(text, "{line}")?;
        }
        Ok(text)
    }
}

fn unanswered(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Late | Outcome::Silent)
}

fn answered(answer: &str, seconds: f64, megabytes: Option<f64>) -> Figure {
    let mut text = String::new();
    // Sizes are a result; a number of states is merely right.
    if answer.contains(" states") {
        text = format!("{answer}, ");
    }
    // Verdicts that are open belong to the time.
    let open = answer.matches('?').count();
    if open > 0 {
        text = format!("{open} of {} open, ", answer.len());
    }
    text += &shown(seconds);
    if let Some(megabytes) = megabytes {
        let _ = write!(text, ", {megabytes:.0} MB");
    }
    Figure {
        text,
        seconds: (open == 0).then_some(seconds),
    }
}

fn shown(seconds: f64) -> String {
    if seconds < 0.01 {
        "below 0.01 s".to_owned()
    } else if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: &str = "[[work]]\nname = 'w'\ntitle = 'Work'\ncalls.dalsegno = []\n\
                        [[work.job]]\nname = 'a'\n[[work.job]]\nname = 'b'\n[[work.job]]\nname = 'c'\n";

    fn run(job: &str, program: &str, round: u32, outcome: Outcome, seconds: f64) -> Row {
        Row {
            date: "2026-01-01".to_owned(),
            commit: "abcdef0".to_owned(),
            machine: "a machine".to_owned(),
            work: "w".to_owned(),
            job: job.to_owned(),
            program: program.to_owned(),
            version: "1.2".to_owned(),
            round,
            outcome,
            answer: "12".to_owned(),
            user_seconds: seconds,
            system_seconds: 0.0,
            peak_bytes: Some(5_000_000),
        }
    }

    fn figures() -> Figures {
        let reported = |job: &str, seconds, bound: &str| Reported {
            work: "w".to_owned(),
            job: job.to_owned(),
            program: "peer".to_owned(),
            answer: String::new(),
            seconds: Some(seconds),
            peak_megabytes: None,
            bound: bound.to_owned(),
        };
        Figures {
            works: job::parse(JOBS).unwrap(),
            rows: vec![
                run("a", OURS, 0, Outcome::Right, 3.0),
                run("a", OURS, 1, Outcome::Right, 2.0),
                run("b", OURS, 0, Outcome::Late, 120.0),
                run("c", OURS, 0, Outcome::Right, 1.0),
                run("c", "other", 0, Outcome::Right, 0.5),
                run("c", "other", 1, Outcome::Wrong, 0.5),
            ],
            reported: vec![
                reported("a", 0.5, ""),
                reported("b", 7.0, ""),
                reported("c", 120.0, "over"),
            ],
        }
    }

    #[test]
    fn the_best_run_and_what_is_reported_stand_in_the_table() {
        let table = figures().fill("text\n{{table w}}\n{{measured}}").unwrap();
        let expected = "text\n**Work**\n\n| | dalsegno | other | peer |\n| --- | --- | --- | --- |\n\
                        | a | 2.00 s, 5 MB |  | *0.50 s* |\n\
                        | b | out of time |  | *7.00 s* |\n\
                        | c | 1.00 s, 5 MB | **wrong**: 12 | *over 120 s* |\n\
                        - 2026-01-01, commit abcdef0, a machine: dalsegno (1.2)\n\
                        - 2026-01-01, commit abcdef0, a machine: other (1.2)\n";
        assert_eq!(table, expected);
        assert!(figures().fill("{{table x}}").is_err());
        assert!(figures().fill("{{what}}").is_err());
    }

    #[test]
    fn where_we_are_behind_is_listed_and_wrong_answers_are_no_times() {
        let behind = figures().behind().unwrap();
        let expected = "| | dalsegno | best peer | times as long |\n| --- | --- | --- | --- |\n\
                        | w, b | out of time | peer, 7.00 s | no answer |\n\
                        | w, a | 2.00 s, 5 MB | peer, 0.50 s | 4.0 |\n";
        assert_eq!(behind, expected);
    }

    #[test]
    fn the_page_is_what_the_rows_make() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let made = make(&root.join(super::super::FOLDER)).unwrap();
        let page = super::super::read(&root.join(super::super::PAGE)).unwrap();
        assert!(
            made == page,
            "docs/benchmarks.md is not up to date: cargo xtask peers --page"
        );
    }
}
