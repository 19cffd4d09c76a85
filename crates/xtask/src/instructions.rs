//! Counts the instructions of fixed jobs: `cargo xtask instructions`.
//!
//! Seconds depend on what else a machine does; the instructions of a program do not, or hardly. Each job of
//! `bench/instructions.json` is the program on a generated net, run by valgrind's callgrind, and adds a row
//! to `bench/instructions.csv`: the date and the name of the commit, with a `+` if the tree has changes
//! beyond it, the job, and its count. A job that ends with another exit code than it should is an error:
//! a wrong answer is no measurement.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

const JOBS: &str = "bench/instructions.json";
const RESULTS: &str = "bench/instructions.csv";
const HEADER: &str = "date,commit,job,instructions\n";

#[derive(Deserialize)]
struct Job {
    name: String,
    /// A family of nets and its size.
    model: [String; 2],
    /// What the program is called with; `MODEL` stands for the file of the net.
    arguments: Vec<String>,
    /// The exit code of the right answer.
    exit: i32,
}

/// The directories of the workspace, as cargo knows them.
#[derive(Deserialize)]
pub(crate) struct Places {
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
}

/// Runs the jobs, or those whose name contains `only`; prints the rows and keeps them.
pub fn run(metadata: &str, only: Option<&str>) -> Result<()> {
    let places: Places = serde_json::from_str(metadata)?;
    let root = &places.workspace_root;
    let jobs: Vec<Job> = serde_json::from_slice(&fs::read(root.join(JOBS)).context(JOBS)?)?;
    if Command::new("valgrind").arg("--version").output().is_err() {
        bail!("valgrind does not start: install it (the package is called `valgrind` everywhere)");
    }
    let program = build_release(&places)?;
    let folder = places.target_directory.join("instructions");
    fs::create_dir_all(&folder)?;
    let [date, commit] = revision(root)?;
    let mut rows = csv::Writer::from_writer(Vec::new());
    let mut counted = 0;
    for job in &jobs {
        if only.is_some_and(|part| !job.name.contains(part)) {
            continue;
        }
        let count = count(job, &program, &folder).with_context(|| job.name.clone())?;
        println!("{date}, {commit}: {}: {count}", job.name);
        rows.write_record([&date, &commit, &job.name, &count.to_string()])?;
        counted += 1;
    }
    ensure!(counted > 0, "no job of that name in {JOBS}");
    let path = root.join(RESULTS);
    let mut kept = if path.exists() {
        fs::read(&path)?
    } else {
        HEADER.into()
    };
    kept.extend(rows.into_inner()?);
    fs::write(&path, kept).with_context(|| path.display().to_string())
}

/// Builds the program; where it is.
pub(crate) fn build_release(places: &Places) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--package", "dalsegno-cli"])
        .current_dir(&places.workspace_root)
        .status()?;
    ensure!(built.success(), "the program does not build");
    let name = format!("release/dalsegno{}", std::env::consts::EXE_SUFFIX);
    Ok(places.target_directory.join(name))
}

/// The date and the name of the commit.
pub(crate) fn revision(root: &Path) -> Result<[String; 2]> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(root)
            .output()?;
        ensure!(output.status.success(), "git {} failed", arguments[0]);
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    let changes = git(&["status", "--porcelain", "--", "crates", "Cargo.lock"])?;
    let more = if changes.is_empty() { "" } else { "+" };
    let date = git(&["show", "--no-patch", "--format=%cs", "HEAD"])?;
    let commit = git(&["show", "--no-patch", "--format=%h", "HEAD"])?;
    Ok([date, format!("{commit}{more}")])
}

fn count(job: &Job, program: &Path, folder: &Path) -> Result<u64> {
    let [family, size] = &job.model;
    let net = folder.join(format!("{family}-{size}.pnml"));
    let made = Command::new(program)
        .args(["generate", family, size, "-o"])
        .arg(&net)
        .status()?;
    ensure!(made.success(), "the net cannot be generated");
    let counts = folder.join(format!("{}.callgrind", job.name));
    let mut option = std::ffi::OsString::from("--callgrind-out-file=");
    option.push(&counts);
    let output = Command::new("valgrind")
        .args(["--quiet", "--tool=callgrind"])
        .arg(option)
        .arg(program)
        .args(job.arguments.iter().map(|argument| {
            if argument == "MODEL" {
                net.as_os_str()
            } else {
                argument.as_ref()
            }
        }))
        .output()?;
    ensure!(
        output.status.code() == Some(job.exit),
        "ended with {} instead of {}: {}",
        output.status,
        job.exit,
        String::from_utf8_lossy(&output.stderr)
    );
    summary(&fs::read_to_string(&counts)?).context("callgrind wrote no summary")
}

/// The number of instructions in a file of callgrind.
fn summary(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| {
        line.strip_prefix("summary:")
            .or_else(|| line.strip_prefix("totals:"))
    });
    line?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_found() {
        assert_eq!(summary("events: Ir\n\nsummary: 123 4\n"), Some(123));
        assert_eq!(summary("fn=(1)\ntotals: 77"), Some(77));
        assert_eq!(summary("events: Ir"), None);
    }

    #[test]
    fn the_jobs_are_well_formed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let jobs: Vec<Job> = serde_json::from_slice(&fs::read(root.join(JOBS)).unwrap()).unwrap();
        assert!(!jobs.is_empty());
        for job in jobs {
            assert!(job.arguments.iter().any(|a| a == "MODEL"), "{}", job.name);
            assert!(!job.name.contains([',', '\n', '/']), "{}", job.name);
        }
    }
}
