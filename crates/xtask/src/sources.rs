//! Rules on the text of the sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::code::{code_only, has_word};
use crate::layers::Workspace;

/// The crate that may use `unsafe`, and whose lints are its own therefore: pages call its functions by their names.
const UNSAFE_CRATE: &str = "dalsegno-wasm";

/// The file that may name the clock of the standard library, which some targets have not.
const CLOCK: &str = "crates/dalsegno-kripke/src/clock.rs";

/// A longer file says at its top why.
const MAX_LINES: usize = 1000;

/// How that line starts, behind its comment sign.
const REASON: &str = "Long because";

/// Lines of the book and of the README are shorter than this, but for rows of tables and addresses.
const MAX_WIDTH: usize = 120;

/// Macros for unfinished work.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Folders at the root of machines, where people's files are.
const MACHINE_FOLDERS: [&str; 4] = ["home", "Users", "root", "work"];

/// The faults in the files of the workspace.
pub(crate) fn check(root: &Path, workspace: &Workspace) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for member in &workspace.crates {
        let manifest = read(Path::new(&member.manifest_path))?;
        let own = member.name == UNSAFE_CRATE && denies_unsafe(&manifest);
        if !own && !opts_into_lints(&manifest) {
            faults.push(format!(
                "{}: Cargo.toml lacks `[lints] workspace = true`",
                member.name
            ));
        }
    }
    for path in files(root)? {
        let text = read(&path)?;
        let name = path.strip_prefix(root).unwrap_or(&path);
        let name = name.to_string_lossy().replace('\\', "/");
        faults.extend(file_faults(&name, &text));
    }
    Ok(faults)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} is not readable", path.display()))
}

/// The text files of the project, sorted.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let hidden = name.starts_with('.') && ![".ci", ".cargo"].contains(&&*name);
            if path.is_dir() && !hidden && name != "target" {
                folders.push(path);
            } else if path.is_file() && (is_checked(&path) || folder.ends_with(".ci")) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_checked(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| ["rs", "toml", "md", "sh"].contains(&&*e.to_string_lossy()))
}

/// Whether a manifest takes the lints of the workspace.
fn opts_into_lints(manifest: &str) -> bool {
    let mut section = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            section = line;
        }
        let entry = line.replace(' ', "");
        section == "[lints]" && entry == "workspace=true" || entry == "lints.workspace=true"
    })
}

/// Whether a manifest has the lints of the workspace but for `unsafe`, each use of which gives a reason.
fn denies_unsafe(manifest: &str) -> bool {
    let has = |line: &str| manifest.lines().any(|l| l.replace(' ', "") == line);
    has("unsafe_code=\"deny\"") && has("missing_docs=\"deny\"")
}

/// The faults of one file, `name` being its path in the project.
fn file_faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(folder) = machine_path(line) {
            faults.push(format!("{name}:{}: a machine's path, {folder}", number + 1));
        }
        let is_free = line.trim_start().starts_with('|') || line.contains("://");
        if is_page(name) && !is_free && line.chars().count() >= MAX_WIDTH {
            faults.push(format!(
                "{name}:{}: {MAX_WIDTH} characters or more",
                number + 1
            ));
        }
    }
    if Path::new(name).extension().is_none_or(|e| e != "rs") {
        return faults;
    }
    let is_source = name.split('/').nth(2) == Some("src");
    let may_be_unsafe = name.starts_with(&format!("crates/{UNSAFE_CRATE}/"));
    for (number, line) in code_only(text).lines().enumerate() {
        let number = number + 1;
        if !may_be_unsafe && has_word(line, "unsafe") {
            faults.push(format!("{name}:{number}: `unsafe` outside {UNSAFE_CRATE}"));
        }
        if is_source && name != CLOCK && line.contains("std::time") && has_word(line, "Instant") {
            faults.push(format!(
                "{name}:{number}: `std::time::Instant` outside {CLOCK}"
            ));
        }
        for unfinished in UNFINISHED {
            if has_word(line, unfinished) && line.contains(&format!("{unfinished}!")) {
                faults.push(format!("{name}:{number}: `{unfinished}!` is left"));
            }
        }
    }
    let lines = text.lines().count();
    let reason = |line: &str| {
        line.starts_with("//") && line.trim_start_matches(['/', '!', ' ']).starts_with(REASON)
    };
    if lines > MAX_LINES && !text.lines().take(20).any(reason) {
        faults.push(format!(
            "{name}: {lines} lines; above {MAX_LINES} a comment at the top says `{REASON} …`"
        ));
    }
    faults
}

/// Whether a file is the README or a page of the book.
fn is_page(name: &str) -> bool {
    let is_markdown = Path::new(name).extension().is_some_and(|e| e == "md");
    name == "README.md" || name.starts_with("docs/") && is_markdown
}

/// The start of an absolute path to somebody's files.
fn machine_path(line: &str) -> Option<String> {
    MACHINE_FOLDERS
        .iter()
        .map(|folder| format!("/{folder}/"))
        .find(|start| {
            line.match_indices(start.as_str()).any(|(at, _)| {
                // Behind a letter, a dot or a slash it is the middle of a relative path or an address.
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/~}*".contains(c))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "crates/dalsegno-logic/src/lib.rs";

    #[test]
    fn unsafe_code_is_for_one_crate() {
        let text = "fn f() {\n    unsafe { g() }\n}\n// unsafe is only a word here\n";
        assert_eq!(file_faults(FILE, text).len(), 1);
        assert!(file_faults(FILE, text)[0].starts_with(&format!("{FILE}:2: `unsafe`")));
        assert!(file_faults("crates/dalsegno-wasm/src/lib.rs", text).is_empty());
    }

    #[test]
    fn one_file_reads_the_clock() {
        for text in [
            "use std::time::{Duration, Instant};\n",
            "fn f() { std::time::Instant::now(); }\n",
        ] {
            assert_eq!(file_faults(FILE, text).len(), 1, "{text}");
            assert!(file_faults(CLOCK, text).is_empty());
            assert!(file_faults("crates/dalsegno-logic/tests/it.rs", text).is_empty());
        }
        let clock = "use std::time::Duration;\nuse dalsegno_kripke::clock::Instant;\n";
        assert!(file_faults(FILE, clock).is_empty());
    }

    #[test]
    fn unfinished_work_is_found() {
        assert_eq!(file_faults(FILE, "fn f() { todo!() }").len(), 1);
        assert_eq!(file_faults(FILE, "fn f() { dbg!(1); }").len(), 1);
        assert!(file_faults(FILE, "fn todo() {} // todo!()").is_empty());
    }

    #[test]
    fn long_files_give_a_reason() {
        let long = "fn f() {}\n".repeat(1001);
        assert_eq!(file_faults(FILE, &long).len(), 1);
        let reason = format!("//! Tables.\n//!\n//! Long because the tables are.\n{long}");
        assert!(file_faults(FILE, &reason).is_empty());
    }

    #[test]
    fn paths_of_machines_are_found_everywhere() {
        for folder in MACHINE_FOLDERS {
            let text = format!("// see /{folder}/somebody\n");
            assert_eq!(file_faults(FILE, &text).len(), 1);
            assert_eq!(file_faults("README.md", &text).len(), 1);
            let relative = format!("see net/{folder}/file and https://example.org/{folder}/");
            assert!(file_faults(FILE, &relative).is_empty());
        }
    }

    #[test]
    fn pages_have_short_lines_but_for_tables_and_addresses() {
        let long = "word ".repeat(24);
        for name in ["README.md", "docs/runs.md", "docs/schemas/README.md"] {
            assert_eq!(file_faults(name, &long).len(), 1, "{name}");
            assert!(file_faults(name, long.trim_end()).is_empty());
            assert!(file_faults(name, &format!("| {long} |")).is_empty());
            assert!(file_faults(name, &format!("https://example.org {long}")).is_empty());
        }
        assert!(file_faults("CHANGELOG.md", &long).is_empty());
    }

    #[test]
    fn lints_of_ones_own_deny_what_others_forbid() {
        let own = "[lints.rust]\nunsafe_code = \"deny\"\nmissing_docs = \"deny\"\n";
        assert!(denies_unsafe(own));
        assert!(!denies_unsafe(
            &own.replace("unsafe_code = \"deny\"", "unsafe_code = \"allow\"")
        ));
        assert!(!denies_unsafe("[lints.rust]\nunsafe_code = \"deny\"\n"));
    }

    #[test]
    fn both_ways_to_take_the_lints_count() {
        assert!(opts_into_lints(
            "[package]\nname = \"x\"\n[lints]\nworkspace = true\n"
        ));
        assert!(opts_into_lints("lints.workspace = true\n"));
        assert!(!opts_into_lints(
            "[lints]\n[dependencies]\nworkspace = true\n"
        ));
    }
}
