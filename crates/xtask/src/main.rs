//! Work on the source tree that the compiler does not do.
//!
//! `cargo xtask tidy` checks it, prints one line per fault and exits with 1 if there is any;
//! `cargo xtask instructions` measures the program by counting instructions; `cargo xtask web` makes the folder of the
//! application; `cargo xtask corpus` prints the corpus as JSON; `cargo xtask peers` measures it beside other programs;
//! `cargo xtask wheel` makes the Python package.

mod code;
mod corpus;
mod instructions;
mod layers;
mod peers;
mod release;
mod sources;
mod web;
mod wheel;

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        ["instructions"] => count(None),
        ["instructions", only] => count(Some(only)),
        ["web"] => in_root(web::run),
        ["corpus"] => in_root(corpus::run),
        ["peers", ref options @ ..] => {
            peers::run(&cargo_metadata()?, options)?;
            Ok(ExitCode::SUCCESS)
        }
        ["wheel"] => in_root(|root| wheel::run(root, "release")),
        ["wheel", profile] => in_root(|root| wheel::run(root, profile)),
        _ => bail!(
            "usage: cargo xtask tidy | instructions [PART OF A JOB'S NAME] | web | corpus | wheel [PROFILE] | {}",
            peers::USAGE
        ),
    }
}

fn in_root(work: impl Fn(&Path) -> Result<()>) -> Result<ExitCode> {
    let workspace = layers::Workspace::from_metadata(&cargo_metadata()?)?;
    work(Path::new(&workspace.root))?;
    Ok(ExitCode::SUCCESS)
}

fn count(only: Option<&str>) -> Result<ExitCode> {
    instructions::run(&cargo_metadata()?, only)?;
    Ok(ExitCode::SUCCESS)
}

fn tidy() -> Result<ExitCode> {
    let workspace = layers::Workspace::from_metadata(&cargo_metadata()?)?;
    let mut faults = layers::check(&workspace);
    faults.extend(layers::check_size(Path::new(&workspace.root))?);
    faults.extend(sources::check(Path::new(&workspace.root), &workspace)?);
    faults.extend(release::check(Path::new(&workspace.root))?);
    faults.sort();
    for fault in &faults {
        println!("{fault}");
    }
    if faults.is_empty() {
        println!("tidy: {} crates, no fault", workspace.crates.len());
        Ok(ExitCode::SUCCESS)
    } else {
        println!("tidy: faults: {}", faults.len());
        Ok(ExitCode::FAILURE)
    }
}

fn cargo_metadata() -> Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context("cargo metadata does not start")?;
    if !output.status.success() {
        bail!(
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}
