//! The modules of the viewer as one script, which a report can have inside of it.
//!
//! A module names what it uses in lines `import { a, b } from './x.js';` and what it offers by `export` at the beginning of a
//! line. Joined, the first are left out and the second are plain declarations; each name stands for one thing in all modules.

use crate::files::{MAIN, VIEWER};

/// The script of a report.
pub(crate) fn script() -> String {
    let modules = VIEWER.iter().map(|(_, text)| *text).chain([MAIN]);
    let mut script = String::from("'use strict';\n(() => {\n");
    for line in modules.flat_map(str::lines) {
        if !line.starts_with("import ") {
            script.push_str(line.strip_prefix("export ").unwrap_or(line));
            script.push('\n');
        }
    }
    script.push_str("})();\n");
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The name that a line declares for its module.
    fn declared(line: &str) -> Option<&str> {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let line = line.strip_prefix("async ").unwrap_or(line);
        let words = ["function ", "class ", "const ", "let "];
        let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        Some(&rest[..end.unwrap_or(rest.len())])
    }

    #[test]
    fn each_name_stands_for_one_thing() {
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for (path, text) in VIEWER {
            for name in text.lines().filter_map(declared) {
                assert!(!name.is_empty(), "{path}: declare one name per line");
                let other = known.insert(name, path);
                assert!(other.is_none(), "{name} is in {path} and in {other:?}");
            }
        }
    }

    #[test]
    fn imports_are_whole_lines_of_modules_before() {
        let mut offered: BTreeSet<String> = BTreeSet::new();
        for (path, text) in VIEWER.iter().copied().chain([("viewer/main.js", MAIN)]) {
            for line in text
                .lines()
                .filter(|line| line.contains("import ") || line.contains("import("))
            {
                let names = line
                    .strip_prefix("import { ")
                    .and_then(|rest| rest.split_once(" } from './"));
                let (names, from) = names.unwrap_or_else(|| panic!("{path}: {line}"));
                let from = from.trim_end_matches("';");
                for name in names.split(", ") {
                    assert!(
                        offered.contains(&format!("{from} {name}")),
                        "{path}: {line}"
                    );
                }
            }
            let module = path.trim_start_matches("viewer/");
            for line in text.lines().filter(|line| line.starts_with("export ")) {
                let name = declared(line).unwrap_or_else(|| panic!("{path}: {line}"));
                offered.insert(format!("{module} {name}"));
            }
        }
    }
}
