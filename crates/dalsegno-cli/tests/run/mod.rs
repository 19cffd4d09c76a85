//! Runs of the program.

use std::io::Write;
use std::process::{Command, Stdio};

/// What a run printed and how it ended, in one text.
pub fn run(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
        .args(arguments)
        // Help is wrapped at the width of a terminal: here there is none.
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that ends before it reads closes its input; that is not what is tested.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let code = output.status.code().expect("ended by itself");
    let mut text = format!("exit code {code}\n");
    for (name, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
        let part = String::from_utf8(bytes).unwrap();
        if !part.is_empty() {
            text.extend(["--- ", name, "\n", &part]);
        }
    }
    text
}
