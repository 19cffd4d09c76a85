//! Each run in a process of its own: its memory is its own, and a crash ends that run only.
//!
//! The parent writes a [`Task`] as one line of JSON to the child's standard input and reads a
//! [`Measurement`] as one line from its standard output. A child that overstays its limits, which it
//! checks itself, is killed. The input stays open for as long as the parent lives; when it closes, the child ends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::machine;
use crate::measure::measure;
use crate::task::{Measurement, Task};
use dalsegno::kripke::clock::Instant;

/// What runs tasks.
pub trait Execute: Sync {
    /// Does a task, or gives it up when `cancelled` becomes true.
    fn execute(&self, task: &Task, cancelled: &AtomicBool) -> Measurement;
}

/// Runs each task in a process.
#[derive(Clone, Debug)]
pub struct Children {
    /// The program to start.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// How long a child may take beside what it is for.
const GRACE: Duration = Duration::from_secs(5);

/// How often the limits are looked at.
const INTERVAL: Duration = Duration::from_millis(100);

impl Execute for Children {
    fn execute(&self, task: &Task, cancelled: &AtomicBool) -> Measurement {
        match self.try_execute(task, cancelled) {
            Ok(measurement) => measurement,
            Err(error) => Measurement::unknown(format!("no process: {error}")),
        }
    }
}

impl Children {
    fn try_execute(&self, task: &Task, cancelled: &AtomicBool) -> io::Result<Measurement> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let start = Instant::now();
        let mut input = child.stdin.take();
        if let Some(input) = &mut input {
            let mut line = serde_json::to_string(task)?;
            line.push('\n');
            // A child that has ended already says so below.
            let _ = input.write_all(line.as_bytes());
        }
        let output = child.stdout.take();
        let (sender, receiver) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut text = String::new();
            if let Some(mut output) = output {
                let _ = output.read_to_string(&mut text);
            }
            let _ = sender.send(text);
        });
        // The limit is of processor time, and counts for the answer and for the size of the product; on a
        // busy machine the clock may run much faster.
        let most = Duration::try_from_secs_f64(20.0 * task.timeout).unwrap_or(Duration::MAX);
        let most = most.saturating_add(GRACE);
        let most_bytes = task
            .memory
            .saturating_add(task.memory / 4)
            .saturating_add(100_000_000);
        let mut reason = None;
        let text = loop {
            match receiver.recv_timeout(INTERVAL) {
                Ok(text) => break text,
                Err(RecvTimeoutError::Disconnected) => break String::new(),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let bytes = machine::resident_bytes(child.id()).unwrap_or(0);
            reason = match () {
                () if cancelled.load(Ordering::Relaxed) => Some("cancelled"),
                () if start.elapsed() > most => Some("time (killed)"),
                () if bytes > most_bytes => Some("memory (killed)"),
                () => continue,
            };
            child.kill()?;
        };
        drop(input);
        let status = child.wait()?;
        let _ = reader.join();
        if let Some(reason) = reason {
            return Ok(Measurement::unknown(reason));
        }
        Ok(serde_json::from_str(&text).unwrap_or_else(|_| {
            // An interrupt from the keyboard reaches the children first.
            thread::sleep(INTERVAL);
            Measurement::unknown(format!("crashed: {status}"))
        }))
    }
}

/// The child's side: reads a task, does it, writes the measurement.
///
/// # Errors
/// If there is no task to read, or nobody to tell.
pub fn serve(output: &mut impl Write) -> io::Result<()> {
    let mut input = BufReader::new(io::stdin());
    let mut line = String::new();
    input.read_line(&mut line)?;
    let task: Task = serde_json::from_str(&line)?;
    thread::spawn(move || {
        let _ = io::copy(&mut input, &mut io::sink());
        // The parent is gone: nobody waits for the answer.
        std::process::exit(1);
    });
    let measurement = measure(&task);
    writeln!(output, "{}", serde_json::to_string(&measurement)?)?;
    output.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn execute(script: &str, timeout: f64, cancelled: bool) -> Measurement {
        let children = Children {
            program: PathBuf::from("/bin/sh"),
            arguments: vec!["-c".to_owned(), script.to_owned()],
        };
        let task = Task {
            model: String::new(),
            formula: String::new(),
            approach: String::new(),
            product: false,
            timeout,
            memory: 1_000_000_000,
        };
        children.execute(&task, &AtomicBool::new(cancelled))
    }

    #[test]
    fn a_child_that_crashes_is_told() {
        let found = execute("exit 7", 10.0, false);
        assert!(found.reason.starts_with("crashed: "), "{}", found.reason);
        let found = execute("kill -ABRT $$", 10.0, false);
        assert!(found.reason.contains("signal: 6"), "{}", found.reason);
        let found = execute("echo no measurement", 10.0, false);
        assert!(found.reason.starts_with("crashed: "), "{}", found.reason);
    }

    #[test]
    fn a_child_is_killed_when_nobody_waits() {
        let found = execute("exec sleep 600", 600.0, true);
        assert_eq!(found.reason, "cancelled");
    }

    #[test]
    fn a_child_reads_a_task_and_tells_a_measurement() {
        let line = serde_json::to_string(&Measurement::unknown("told")).unwrap();
        let found = execute(&format!("read task && echo '{line}'"), 10.0, false);
        assert_eq!(found.reason, "told");
    }

    #[test]
    fn a_program_that_is_not_there_is_a_reason() {
        let children = Children {
            program: PathBuf::from("/no/such/program"),
            arguments: Vec::new(),
        };
        let task: Task = serde_json::from_str(
            r#"{"model":"","formula":"","approach":"","product":false,"timeout":1,"memory":1}"#,
        )
        .unwrap();
        let found = children.execute(&task, &AtomicBool::new(false));
        assert!(found.reason.starts_with("no process: "), "{}", found.reason);
    }
}
