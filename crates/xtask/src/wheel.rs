//! `cargo xtask wheel [PROFILE]`: the Python package as a wheel in `target/wheels`, of the release profile unless another one is named.
//!
//! maturin builds it. It comes from the package index into a virtual environment below `target`, so that nothing is installed elsewhere. The
//! interpreter is named by `PYTHON`, or is `python3` or `python`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

/// The versions that `pyproject.toml` takes.
const MATURIN: &str = "maturin>=1.9.4,<2";

/// The oldest Python that the wheel is made for.
const SUPPORTED: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

/// Builds the wheel and tells where it is.
pub(crate) fn run(root: &Path, profile: &str) -> Result<()> {
    let maturin = maturin(root)?;
    let wheels = root.join("target/wheels");
    fs::create_dir_all(&wheels).with_context(|| format!("cannot make {}", wheels.display()))?;
    let status = Command::new(maturin)
        .current_dir(root.join("crates/dalsegno-python"))
        .args(["build", "--locked", "--profile", profile, "--out"])
        .arg(&wheels)
        .status()
        .context("maturin does not start")?;
    if !status.success() {
        bail!("the wheel was not built");
    }
    let wheel = latest(&wheels)?;
    let size = fs::metadata(&wheel)?.len();
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    println!("target/wheels/{name}: {size} bytes");
    Ok(())
}

/// The program maturin, fetched if it is not there yet.
fn maturin(root: &Path) -> Result<PathBuf> {
    let environment = root.join("target/maturin");
    let (folder, ending) = if cfg!(windows) {
        ("Scripts", ".exe")
    } else {
        ("bin", "")
    };
    let program = |name: &str| environment.join(folder).join(format!("{name}{ending}"));
    let maturin = program("maturin");
    if succeeds(Command::new(&maturin).arg("--version")) {
        return Ok(maturin);
    }
    let python = python()?;
    let made = Command::new(&python)
        .args(["-m", "venv", "--clear"])
        .arg(&environment)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        bail!(
            "{} cannot make a virtual environment (on Debian: apt-get install python3-venv)",
            python.display()
        );
    }
    let fetched = Command::new(program("python"))
        .args(["-m", "pip", "install", "--quiet", MATURIN])
        .status();
    if !fetched.is_ok_and(|status| status.success()) {
        bail!("maturin cannot be fetched from PyPI: is there a network?");
    }
    Ok(maturin)
}

/// A Python that is new enough.
fn python() -> Result<OsString> {
    let named = std::env::var_os("PYTHON");
    let candidates = match &named {
        Some(name) => vec![name.clone()],
        None => vec!["python3".into(), "python".into()],
    };
    let found = candidates
        .into_iter()
        .find(|name| succeeds(Command::new(name).args(["-c", SUPPORTED])));
    match (found, named) {
        (Some(python), _) => Ok(python),
        (None, Some(name)) => bail!(
            "PYTHON={} is no Python of version 3.10 or later",
            name.display()
        ),
        (None, None) => bail!(
            "a wheel needs Python 3.10 or later, and there is neither `python3` nor `python`: install it, or name it by PYTHON"
        ),
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// The wheel that was written last: those of other versions may lie beside it.
fn latest(folder: &Path) -> Result<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "whl") {
            found.push((fs::metadata(&path)?.modified()?, path));
        }
    }
    let last = found.into_iter().max();
    last.map(|(_, path)| path).context("there is no wheel")
}
