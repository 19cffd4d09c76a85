//! `cargo xtask corpus`: the corpus as JSON, for programs that read no TOML.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Prints all entries of all files, as one array.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("corpus"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path)?;
        all.extend(entries(&text).with_context(|| path.display().to_string())?);
    }
    if all.is_empty() {
        bail!("the corpus is empty");
    }
    println!("{}", Value::Array(all));
    Ok(())
}

fn entries(text: &str) -> Result<Vec<Value>> {
    let file: Value = toml::from_str(text)?;
    let entries = file["entry"].as_array().context("no entries")?;
    Ok(entries.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_those_of_the_file() {
        let found =
            entries("[[entry]]\nname = \"a\"\nmodel = { family = \"ring\", n = 2 }\nstates = 3\n");
        let expected = json!([{ "name": "a", "model": { "family": "ring", "n": 2 }, "states": 3 }]);
        assert_eq!(found.ok().map(Value::Array), Some(expected));
        assert!(entries("").is_err());
    }
}
