//! One version in all places that tell it: `Cargo.toml`, `CITATION.cff` and `CHANGELOG.md`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    package: Package,
    dependencies: toml::Table,
}

#[derive(Deserialize)]
struct Package {
    version: String,
}

/// The places that tell another version than the workspace has.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let read = |name: &str| fs::read_to_string(root.join(name)).with_context(|| name.to_owned());
    faults(
        &read("Cargo.toml")?,
        &read("CITATION.cff")?,
        &read("CHANGELOG.md")?,
    )
}

fn faults(manifest: &str, citation: &str, changes: &str) -> Result<Vec<String>> {
    let Manifest { workspace } = toml::from_str(manifest).context("Cargo.toml")?;
    let version = &workspace.package.version;
    let mut faults = Vec::new();
    for (name, dependency) in &workspace.dependencies {
        let path = dependency.get("path");
        let told = dependency.get("version").and_then(toml::Value::as_str);
        if path.is_some() && told != Some(version) {
            faults.push(format!("Cargo.toml: {name} has not version {version}"));
        }
    }
    if !citation
        .lines()
        .any(|line| line == format!("version: {version}"))
    {
        faults.push(format!("CITATION.cff: not version {version}"));
    }
    let section = format!("## [{version}]");
    if !changes.lines().any(|line| line.starts_with(&section)) {
        faults.push(format!("CHANGELOG.md: no section `{section}`"));
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_found_everywhere() {
        let manifest = "[workspace.package]\nversion = \"1.2.3\"\n[workspace.dependencies]\n\
                        a = { path = \"a\", version = \"1.2.3\" }\nother = \"4\"\n";
        let citation = "title: x\nversion: 1.2.3\n";
        let changes = "## [Unreleased]\n\n## [1.2.3] - 2026-01-01\n";
        assert!(faults(manifest, citation, changes).unwrap().is_empty());
        let newer = manifest.replacen("1.2.3", "1.3.0", 1);
        let found = faults(&newer, citation, changes).unwrap();
        assert_eq!(
            found,
            [
                "Cargo.toml: a has not version 1.3.0",
                "CITATION.cff: not version 1.3.0",
                "CHANGELOG.md: no section `## [1.3.0]`",
            ]
        );
    }
}
