//! Checks of the source tree that the compiler does not make: `cargo xtask tidy`.
//!
//! Prints one line per fault and exits with 1 if there is any.

mod code;
mod layers;
mod sources;

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        _ => bail!("usage: cargo xtask tidy"),
    }
}

fn tidy() -> Result<ExitCode> {
    let workspace = layers::Workspace::from_metadata(&cargo_metadata()?)?;
    let mut faults = layers::check(&workspace);
    faults.extend(sources::check(Path::new(&workspace.root), &workspace)?);
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
