//! Runs and their beginnings as text: numbered steps, what they change, and which atoms hold.
//!
//! ```text
//!   a = "Fork_1 >= 1"
//!   b = "Eat_1 >= 1"
//!     0  a .               Think_1 = 1, Fork_1 = 1, Think_2 = 1, Fork_2 = 1
//!        -- cycle --
//!     1  . .  FF1a_2       Fork_1: 1 -> 0, Think_2: 1 -> 0, Catch1_2: 0 -> 1
//!     2  . .  FF2a_2       Fork_2: 1 -> 0, Catch1_2: 1 -> 0, Eat_2: 0 -> 1
//!     3  a .  End_2        Fork_1: 0 -> 1, Think_2: 0 -> 1, Fork_2: 0 -> 1, Eat_2: 1 -> 0  (back to 0)
//! ```
//!
//! Line `n` has the step that leads to state `n` and what holds there.

use std::fmt::Write as _;
use std::io::{self, Write};

use dalsegno_kripke::{Model, Run, Step};

use super::explanation::nonzero;
use super::witness::step_to_text;
use crate::answer::Answer;
use crate::truth::Truth;

/// How runs are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Whether every step and every value is written, however many there are.
    pub full: bool,
    /// Whether it is told that a shorter run may exist.
    pub shortest: bool,
}

/// Values of the initial state that are written.
const MOST_VALUES: usize = 12;

/// Atoms with a column of their own.
const MOST_COLUMNS: usize = 10;

/// Steps of a run that are written; of longer ones, the first and the last ones are.
const MOST_STEPS: usize = 60;

/// The longest stretch whose repetitions are folded.
const LONGEST_STRETCH: usize = 8;

impl Style {
    /// What is said of the length of evidence.
    fn note(self, proved: bool, what: &str) -> String {
        match (proved, self.shortest) {
            (true, _) => format!(" (no {what} is shorter)"),
            (false, true) => format!(" (a shorter {what} may exist)"),
            (false, false) => String::new(),
        }
    }
}

/// Writes the run that shows an answer.
pub(super) fn write_run(
    model: &Model,
    run: &Run,
    answer: &Answer,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let truth = answer.truth.as_deref();
    let stem = run.stem.len();
    let (steps, cycle) = (counted(stem), counted(run.cycle.len()));
    let note = style.note(answer.shortest, "run");
    if stem == 0 {
        writeln!(out, "  run: a cycle of {cycle}{note}")?;
    } else {
        writeln!(out, "  run: {steps}, then a cycle of {cycle}{note}")?;
    }
    let mut lines = Lines::new(model, run.get(0), truth, style);
    for position in 0..run.len() {
        let next = run.successor(position);
        lines.step(run.get(position), &run.get(next).state, next);
    }
    lines.write(Some(stem), out)?;
    write_reasons(truth, out)
}

/// Writes a path; the last step has a state alone.
pub(super) fn write_path(
    model: &Model,
    path: &[Step],
    title: &str,
    answer: &Answer,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let truth = answer.truth.as_deref();
    let Some(first) = path.first() else {
        return Ok(());
    };
    let what = if answer.truth.is_some() {
        "prefix"
    } else {
        "path"
    };
    let note = style.note(answer.shortest, what);
    writeln!(out, "  {title}: {}{note}", counted(path.len() - 1))?;
    let mut lines = Lines::new(model, first, truth, style);
    for (position, pair) in path.windows(2).enumerate() {
        lines.step(&pair[0], &pair[1].state, position + 1);
    }
    lines.write(None, out)?;
    write_reasons(truth, out)
}

fn counted(steps: usize) -> String {
    match steps {
        1 => "1 step".to_owned(),
        n => format!("{n} steps"),
    }
}

fn write_reasons(truth: Option<&Truth>, out: &mut impl Write) -> io::Result<()> {
    let Some(truth) = truth else {
        return Ok(());
    };
    for (i, reason) in truth.reasons.iter().enumerate() {
        let label = if i == 0 { "why:" } else { "    " };
        writeln!(out, "  {label} {}", reason.text)?;
    }
    Ok(())
}

/// One line per state: how it was reached.
struct Line {
    /// The state after the step.
    state: usize,
    /// The transition; empty for the initial state.
    name: String,
    text: String,
}

struct Lines<'a> {
    model: &'a Model,
    truth: Option<&'a Truth>,
    style: Style,
    entries: Vec<Line>,
}

impl<'a> Lines<'a> {
    fn new(model: &'a Model, first: &Step, truth: Option<&'a Truth>, style: Style) -> Self {
        let values = nonzero(model, &first.state);
        let shown = if style.full {
            values.len()
        } else {
            values.len().min(MOST_VALUES)
        };
        let mut text = values[..shown].join(", ");
        if values.is_empty() {
            text.push_str("all are 0");
        }
        if shown < values.len() {
            let _ = write!(text, ", and {} more", values.len() - shown);
        }
        let start = Line {
            state: 0,
            name: String::new(),
            text,
        };
        Lines {
            model,
            truth,
            style,
            entries: vec![start],
        }
    }

    fn step(&mut self, step: &Step, next: &[u32], state: usize) {
        let (name, text) = step_to_text(self.model, step, next);
        self.entries.push(Line { state, name, text });
    }

    /// Writes the lines; the cycle begins with the step that leaves the state `sign`.
    fn write(&self, sign: Option<usize>, out: &mut impl Write) -> io::Result<()> {
        let width = self.entries.iter().map(|l| l.name.chars().count()).max();
        let width = width.unwrap_or(0).clamp(12, 32);
        let columns = self.write_legend(out)?;
        let places = self.entries.len().to_string().len().max(3);
        let margin = " ".repeat(places + 4);
        let last = self.entries.len() - 1;
        for part in self.parts(sign) {
            match part {
                Part::Line(at) => {
                    let line = &self.entries[at];
                    let holds = columns.map_or(String::new(), |n| self.column(n, line.state));
                    let back = match sign {
                        Some(sign) if at == last => format!("  (back to {sign})"),
                        _ => String::new(),
                    };
                    let (name, text) = (&line.name, &line.text);
                    let line = format!("  {at:>places$}  {holds}{name:<width$} {text}{back}");
                    writeln!(out, "{}", line.trim_end())?;
                }
                Part::Cycle => writeln!(out, "{margin}-- cycle --")?,
                Part::Repeated { steps, times } => {
                    let steps = counted(steps);
                    writeln!(out, "{margin}… these {steps} {times} more times")?;
                }
                Part::Omitted(steps) => {
                    let steps = counted(steps);
                    writeln!(out, "{margin}… {steps} more; --full shows all")?;
                }
            }
        }
        Ok(())
    }

    /// Writes what the columns stand for; how many there are.
    fn write_legend(&self, out: &mut impl Write) -> io::Result<Option<usize>> {
        let Some(truth) = self.truth else {
            return Ok(None);
        };
        let count = truth.atoms.len();
        if count == 0 || count > MOST_COLUMNS {
            return Ok(None);
        }
        for (i, atom) in truth.atoms.iter().enumerate() {
            writeln!(out, "  {} = {}", letter(i), atom.formula)?;
        }
        Ok(Some(count))
    }

    /// Which atoms hold in a state.
    fn column(&self, count: usize, state: usize) -> String {
        let truth = self.truth.expect("columns come from it");
        let mut text = String::new();
        for (i, atom) in truth.atoms.iter().enumerate().take(count) {
            let value = atom.values.get(state).copied().flatten();
            let shown = match value {
                Some(true) => letter(i),
                Some(false) => '.',
                None => '?',
            };
            text.push(shown);
            text.push(' ');
        }
        text.push(' ');
        text
    }

    /// The lines in order, with equal stretches and the middle of long runs folded.
    fn parts(&self, sign: Option<usize>) -> Vec<Part> {
        let mut parts = vec![Part::Line(0)];
        let end = self.entries.len();
        let border = sign.map_or(end, |sign| sign + 1);
        self.fold(1, border, &mut parts);
        if sign.is_some() {
            parts.push(Part::Cycle);
            self.fold(border, end, &mut parts);
        }
        let count = parts.len();
        if !self.style.full && count > MOST_STEPS {
            let omitted = count - MOST_STEPS;
            let middle = MOST_STEPS / 2..MOST_STEPS / 2 + omitted;
            let steps = parts[middle.clone()]
                .iter()
                .map(|part| match part {
                    Part::Line(_) => 1,
                    Part::Repeated { steps, times } => steps * times,
                    _ => 0,
                })
                .sum();
            let cycle = parts[middle.clone()].contains(&Part::Cycle);
            let mut instead = vec![Part::Omitted(steps)];
            if cycle {
                instead.push(Part::Cycle);
            }
            parts.splice(middle, instead);
        }
        parts
    }

    /// Lines of one part of a run; a stretch that repeats itself is there once.
    fn fold(&self, first: usize, last: usize, parts: &mut Vec<Part>) {
        let mut at = first;
        while at < last {
            let stretch = (1..=LONGEST_STRETCH).find_map(|steps| {
                let times = self.repeated(at, last, steps);
                (times >= 2 && !self.style.full).then_some((steps, times))
            });
            if let Some((steps, times)) = stretch {
                parts.extend((at..at + steps).map(Part::Line));
                parts.push(Part::Repeated { steps, times });
                at += steps * (times + 1);
            } else {
                parts.push(Part::Line(at));
                at += 1;
            }
        }
    }

    /// How often the steps from a line on come again right after themselves, doing the same and with the same truth.
    fn repeated(&self, at: usize, last: usize, steps: usize) -> usize {
        let same = |i: usize, j: usize| {
            let (a, b) = (&self.entries[i], &self.entries[j]);
            let holds = |state: usize| {
                let atoms = self.truth.iter().flat_map(|t| &t.atoms);
                atoms.map(move |s| s.values.get(state).copied().flatten())
            };
            a.name == b.name && holds(a.state).eq(holds(b.state))
        };
        let mut times = 0;
        while at + (times + 2) * steps <= last {
            let shift = (times + 1) * steps;
            if !(at..at + steps).all(|i| same(i, i + shift)) {
                break;
            }
            times += 1;
        }
        times
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Line(usize),
    Cycle,
    Repeated { steps: usize, times: usize },
    Omitted(usize),
}

fn letter(i: usize) -> char {
    char::from(b'a' + i as u8)
}
