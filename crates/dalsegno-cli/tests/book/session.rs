//! Commands of a page, run one after the other in a folder of its own.
//!
//! How what is printed is compared with what the page shows:
//!
//! - A line `...` stands for any number of lines, and ` …` at the end of a line for the rest of it.
//! - A number of seconds (`0.357 s`, `"seconds": 0.357`) and a number of bytes (`1661372 bytes`) may be any number.
//! - Standard output and standard error are one text, as on a terminal.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::page::Exchange;

/// No line of a page is as long as this.
const WIDTH: usize = 120;

/// A folder with the files of a page, and how its last command ended.
pub struct Session {
    pub folder: PathBuf,
    code: i32,
}

impl Session {
    /// A new folder with the examples of the project.
    pub fn new(root: &Path, name: &str) -> Self {
        let folder = crate::document::folder(&format!("book-{}", name.replace(['/', '.'], "-")));
        let examples = folder.join("examples");
        std::fs::create_dir(&examples).unwrap();
        for entry in std::fs::read_dir(root.join("examples")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
        }
        Session { folder, code: 0 }
    }

    /// What a command prints.
    pub fn run(&mut self, exchange: &Exchange) -> String {
        // The program that is tested stands for one that is built on the way.
        let command = exchange.command();
        let command = command.replace("cargo run --release -- ", "dalsegno ");
        let program = Path::new(env!("CARGO_BIN_EXE_dalsegno"));
        let path = std::env::var("PATH").unwrap_or_default();
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("exec 2>&1\n(exit {})\n{command}", self.code))
            .env(
                "PATH",
                format!("{}:{path}", program.parent().unwrap().display()),
            )
            .env_remove("RUST_BACKTRACE")
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that does not read may have ended.
        let _ = stdin.write_all((exchange.typed.join("\n") + "\n").as_bytes());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        self.code = output.status.code().expect("ended by itself");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Whether a command prints what is shown.
pub fn fits(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| line_fits(line, first) && fits(rest, others)),
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    let printed = without_measures(printed);
    match shown.strip_suffix(" …") {
        Some(start) => printed.starts_with(&without_measures(start)),
        None => without_measures(shown) == printed,
    }
}

/// A line in which numbers of seconds and bytes, and the blanks before them, are `#`.
fn without_measures(line: &str) -> String {
    let mut words: Vec<&str> = line.trim_end().split(' ').collect();
    for i in 0..words.len() {
        let digits = words[i].trim_end_matches(',');
        let is_number =
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let unit = words
            .get(i + 1)
            .map(|unit| unit.trim_end_matches([',', ')']));
        let before = i.checked_sub(1).map(|before| words[before]);
        if is_number && (matches!(unit, Some("s" | "bytes")) || before == Some("\"seconds\":")) {
            words[i] = "#";
            for blank in words[..i]
                .iter_mut()
                .rev()
                .take_while(|word| word.is_empty())
            {
                *blank = "#";
            }
        }
    }
    words.dedup_by(|a, b| *a == "#" && *b == "#");
    words.join(" ")
}

/// The lines to be shown: as many around a single `...` as there were, all otherwise, and none too long.
pub fn renewed(shown: &[String], printed: &[&str]) -> Vec<String> {
    let skips: Vec<usize> = (0..shown.len()).filter(|&i| shown[i] == "...").collect();
    match skips[..] {
        [at] if printed.len() >= shown.len() => {
            let (head, tail) = (
                &printed[..at],
                &printed[printed.len() - (shown.len() - at - 1)..],
            );
            let lines = head.iter().chain(&["..."]).chain(tail);
            lines.map(|line| shortened(line)).collect()
        }
        _ => printed.iter().map(|line| shortened(line)).collect(),
    }
}

/// A line that is not too long for a page.
pub fn shortened(line: &str) -> String {
    if line.chars().count() < WIDTH {
        return line.to_owned();
    }
    let start: String = line.chars().take(WIDTH - 12).collect();
    format!(
        "{} …",
        start.rsplit_once(' ').map_or(&*start, |(words, _)| words)
    )
}

#[test]
fn what_varies_is_not_compared_and_the_rest_is() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    for (shown, printed, same) in [
        ("a\n...\nb", "a\nb", true),
        ("a\n...\nb", "a\nx\ny\nb", true),
        ("a\n...\nb", "a\nx", false),
        ("...", "", true),
        ("a", "a\nb", false),
        ("time:   0.357 s", "time:  12.1 s", true),
        ("   0.001 s  search ends", "  10.000 s  search ends", true),
        ("tables: 12 bytes", "tables: 1234567 bytes", true),
        ("  \"seconds\": 0.5,", "  \"seconds\": 12,", true),
        ("states: 12", "states: 13", false),
        ("Think_1 = 1 …", "Think_1 = 1, Fork_1 = 1", true),
        ("Think_1 = 2 …", "Think_1 = 1, Fork_1 = 1", false),
        ("a …", "b", false),
    ] {
        let printed: Vec<&str> = printed.lines().collect();
        assert_eq!(fits(&lines(shown), &printed), same, "{shown} | {printed:?}");
    }
}
