//! The same work for dalsegno and its peers: `cargo xtask peers`.
//!
//! Peers that are on the path are run in alternation with dalsegno: forth in one round, back in the next, so that a
//! machine that slows down slows down all. None is built or downloaded, and without any of them dalsegno is measured alone.
//! The jobs are data (`bench/peers/jobs.toml`), every run is a row (`bench/peers/rows.csv`), and the page
//! (`docs/benchmarks.md`) is made from the rows, from figures that were measured elsewhere (`bench/peers/reported.csv`) and
//! from its text (`bench/peers/page.md`). A wrong answer is shown as such, and never as a time.

mod job;
mod output;
mod page;
mod process;
mod row;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::instructions::{Places, build_release, revision};
use job::{Job, OURS, Work};
use row::{Outcome, Row};

const FOLDER: &str = "bench/peers";
const PAGE: &str = "docs/benchmarks.md";

pub(crate) const USAGE: &str =
    "peers [--rounds N] [--limit SECONDS] [--only PART] [--instances DIR] [--page]";

/// What the command was asked for.
struct Options {
    rounds: u32,
    limit: Duration,
    /// Only jobs with that in the names of their work and their row.
    only: String,
    /// A folder with unpacked instances of the contest.
    instances: Option<PathBuf>,
    /// Nothing is measured; the page is made from the rows that are there.
    page_alone: bool,
}

impl Options {
    fn parse(arguments: &[&str]) -> Result<Options> {
        let mut options = Options {
            rounds: 3,
            limit: Duration::from_secs(120),
            only: String::new(),
            instances: None,
            page_alone: false,
        };
        let mut rest = arguments.iter();
        while let Some(&name) = rest.next() {
            let mut value = || rest.next().with_context(|| format!("{name} needs a value"));
            match name {
                "--rounds" => options.rounds = value()?.parse()?,
                "--limit" => options.limit = Duration::from_secs(value()?.parse()?),
                "--only" => (*value()?).clone_into(&mut options.only),
                "--instances" => options.instances = Some(PathBuf::from(value()?)),
                "--page" => options.page_alone = true,
                _ => bail!("usage: cargo xtask {USAGE}"),
            }
        }
        ensure!(options.rounds > 0, "at least one round");
        Ok(options)
    }
}

/// Measures, keeps the rows, and writes the page.
pub(crate) fn run(metadata: &str, arguments: &[&str]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let places: Places = serde_json::from_str(metadata)?;
    let root = &places.workspace_root;
    let folder = root.join(FOLDER);
    let works = job::parse(&read(&folder.join("jobs.toml"))?)?;
    let kept = folder.join("rows.csv");
    if !options.page_alone {
        let program = build_release(&places)?;
        let campaign = Campaign {
            programs: programs(
                &works,
                &program,
                &std::env::var_os("PATH").unwrap_or_default(),
            ),
            works,
            scratch: places.target_directory.join("peers"),
            folder: folder.clone(),
            revision: revision(root)?,
            options,
        };
        for program in &campaign.programs {
            println!(
                "{}: {}, {}",
                program.name,
                program.path.display(),
                program.version
            );
        }
        campaign.measure(&mut |row| {
            let mut rows: Vec<Row> = row::read(&kept)?;
            // A campaign of today takes the place of an older one.
            let same = |old: &Row| {
                (&old.work, &old.job, &old.program) == (&row.work, &row.job, &row.program)
            };
            rows.retain(|old| !same(old) || row.round > 0 && old.round < row.round);
            println!(
                "{}: {}: {}: {:?} {} {:.2} s",
                row.work, row.job, row.program, row.outcome, row.answer, row.user_seconds
            );
            rows.push(row);
            row::write(&kept, &rows)
        })?;
    }
    fs::write(root.join(PAGE), page::make(&folder)?).context(PAGE)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// A program that is there.
struct Program {
    name: String,
    path: PathBuf,
    version: String,
}

/// Examples of Meddly: other programs may have these names, so they count only where all of them are in one folder.
const MEDDLY: [&str; 3] = ["dining_phils", "kanban", "slot"];

/// Our program and the peers of the jobs that are on the path.
fn programs(works: &[Work], ours: &Path, path: &OsStr) -> Vec<Program> {
    let mut names: Vec<&str> = works.iter().flat_map(Work::programs).collect();
    names.sort_unstable_by_key(|&name| (name != OURS, name));
    names.dedup();
    let found = |name: &str| {
        if name == OURS {
            return Some(ours.to_owned());
        }
        let file = |name: &str| format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let all = |folder: &PathBuf| MEDDLY.iter().all(|name| folder.join(file(name)).is_file());
        let mut folders =
            std::env::split_paths(path).filter(|folder| !MEDDLY.contains(&name) || all(folder));
        folders.find_map(|folder| Some(folder.join(file(name))).filter(|path| path.is_file()))
    };
    let with_version = |name: &str| {
        let path = found(name)?;
        // The examples of Meddly tell none.
        let version = if MEDDLY.contains(&name) {
            String::new()
        } else {
            version(&path)
        };
        Some(Program {
            name: name.to_owned(),
            path,
            version,
        })
    };
    names.into_iter().filter_map(with_version).collect()
}

/// The first line with a number that a program prints about itself, or nothing.
fn version(path: &Path) -> String {
    let log = std::env::temp_dir().join(format!("dalsegno-peers-version-{}", std::process::id()));
    let told = process::run(
        Command::new(path).arg("--version"),
        None,
        Duration::from_secs(5),
        &log,
    );
    for ending in ["out", "err"] {
        let _ = fs::remove_file(log.with_extension(ending));
    }
    let text = told.map_or(String::new(), |told| told.output);
    let line = text
        .lines()
        .find(|line| line.contains(|c: char| c.is_ascii_digit()));
    line.unwrap_or_default().trim().to_owned()
}

/// All that is measured at once.
struct Campaign {
    programs: Vec<Program>,
    works: Vec<Work>,
    /// For models and outputs.
    scratch: PathBuf,
    /// The folder of the jobs.
    folder: PathBuf,
    /// The date and the commit.
    revision: [String; 2],
    options: Options,
}

impl Campaign {
    /// Runs every program on every job, and hands each row to `keep` as soon as it is there.
    fn measure(&self, keep: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
        fs::create_dir_all(&self.scratch)?;
        let mut seen = 0;
        for work in &self.works {
            for job in &work.jobs {
                let wanted = &self.options.only;
                if !work.name.contains(wanted) && !job.label().contains(wanted) {
                    continue;
                }
                seen += 1;
                if let Some(model) = self.model(job)? {
                    self.rounds(work, job, &model, keep)?;
                }
            }
        }
        ensure!(seen > 0, "no job with `{}` in its name", self.options.only);
        Ok(())
    }

    /// The rounds of one job: forth and back.
    fn rounds(
        &self,
        work: &Work,
        job: &Job,
        model: &Path,
        keep: &mut dyn FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        for round in 0..self.options.rounds {
            let mut programs: Vec<&Program> = self.programs.iter().collect();
            if round % 2 == 1 {
                programs.reverse();
            }
            for program in programs {
                if let Some(call) = work.call(job, &program.name) {
                    let arguments = self.arguments(call, job, program, model)?;
                    keep(self.one(work, job, program, &arguments, round)?)?;
                }
            }
        }
        Ok(())
    }

    fn one(
        &self,
        work: &Work,
        job: &Job,
        program: &Program,
        arguments: &[String],
        round: u32,
    ) -> Result<Row> {
        let input = job.input.as_ref().map(|name| self.folder.join(name));
        let mut command = Command::new(&program.path);
        command.args(arguments).current_dir(&self.scratch);
        let log = self.scratch.join(format!("last-{}", program.name));
        let measured = process::run(&mut command, input.as_deref(), self.options.limit, &log)?;
        let answer = output::answer(&program.name, &measured.output).map(|answer| {
            let expected = job.answer.as_deref().unwrap_or_default();
            output::completed(answer, expected)
        });
        let outcome = match (&answer, &job.answer) {
            _ if measured.late => Outcome::Late,
            (None, _) => Outcome::Silent,
            (Some(answer), Some(expected)) if output::agrees(answer, expected) => Outcome::Right,
            (Some(_), Some(_)) => Outcome::Wrong,
            (Some(_), None) => Outcome::Answered,
        };
        if outcome == Outcome::Silent {
            let code = measured
                .code
                .map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            eprintln!(
                "{}: no answer, {code}; its output is in {}.out and .err",
                program.name,
                log.display()
            );
        }
        let [date, commit] = self.revision.clone();
        Ok(Row {
            date,
            commit,
            machine: machine(),
            work: work.name.clone(),
            job: job.label().to_owned(),
            program: program.name.clone(),
            version: program.version.clone(),
            round,
            outcome,
            answer: shortened(answer.unwrap_or_default()),
            user_seconds: measured.user.as_secs_f64(),
            system_seconds: measured.system.as_secs_f64(),
            peak_bytes: measured.peak,
        })
    }

    /// The file of the model, made if it is of a family; nothing and a word if the instance is not there.
    fn model(&self, job: &Job) -> Result<Option<PathBuf>> {
        if let Some((family, size)) = job.family() {
            let file = self.scratch.join(format!("{family}-{size}.pnml"));
            self.ours(&["generate", family, size, "-o"], &[&file])?;
            return Ok(Some(file));
        }
        let Some(instance) = &job.instance else {
            return Ok(Some(PathBuf::new()));
        };
        let folder = self
            .options
            .instances
            .as_ref()
            .map(|folder| folder.join(instance));
        let file = folder.map(|folder| folder.join("model.pnml"));
        if let Some(file) = file.filter(|file| file.is_file()) {
            return Ok(Some(file.canonicalize()?));
        }
        eprintln!("{instance}: left out, no such folder (--instances DIR)");
        Ok(None)
    }

    /// The arguments of a call, in which `{model}` and other words in braces stand for files and formulas.
    fn arguments(
        &self,
        call: &[String],
        job: &Job,
        program: &Program,
        model: &Path,
    ) -> Result<Vec<String>> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let formula = || job.formula(&program.name).context("no formula");
        let value = |word: &str| -> Result<String> {
            match word {
                "{model}" => Ok(text(model)),
                "{gal}" => {
                    let gal = self.scratch.join("model.gal");
                    self.ours(&["convert"], &[model, &gal])?;
                    Ok(text(&gal))
                }
                "{size}" => Ok(job.family().context("no family")?.1.to_owned()),
                "{formula}" => Ok(formula()?.to_owned()),
                "{query}" => {
                    let query = self.scratch.join("query.txt");
                    fs::write(&query, format!("{};\n", formula()?))?;
                    Ok(text(&query))
                }
                "{file}" => Ok(text(
                    &model.with_file_name(job.file.as_ref().context("no file")?),
                )),
                _ => bail!("{word} is unknown"),
            }
        };
        let replaced = |argument: &String| -> Result<String> {
            let Some((before, rest)) = argument.split_once('{') else {
                return Ok(argument.clone());
            };
            let (word, after) = rest.split_once('}').context("a brace is left open")?;
            Ok(format!("{before}{}{after}", value(&format!("{{{word}}}"))?))
        };
        let replaced =
            |argument| replaced(argument).with_context(|| format!("{}: {argument}", job.label()));
        call.iter().map(replaced).collect()
    }

    /// Runs our program for a file that a job needs.
    fn ours(&self, words: &[&str], files: &[&Path]) -> Result<()> {
        let ours = self.programs.iter().find(|program| program.name == OURS);
        let ours = ours.context("no program of our own")?;
        let status = Command::new(&ours.path).args(words).args(files).status()?;
        ensure!(
            status.success(),
            "{} {}: {status}",
            ours.path.display(),
            words.join(" ")
        );
        Ok(())
    }
}

/// An answer as it is kept: of a number that fills lines, its first digits and how many there are.
fn shortened(answer: String) -> String {
    const MOST: usize = 60;
    match answer.get(..20) {
        Some(first) if answer.len() > MOST => format!("{first}... ({} digits)", answer.len()),
        _ => answer,
    }
}

/// The machine in a few words.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let table = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = table.lines().find(|line| line.starts_with("model name"));
    let model = model
        .and_then(|line| line.split_once(':'))
        .map(|(_, name)| name.trim());
    format!(
        "{}, {cores} cores, {}",
        model.unwrap_or(std::env::consts::ARCH),
        std::env::consts::OS
    )
}

#[cfg(all(test, unix))]
mod tests;
