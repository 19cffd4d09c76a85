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

use super::names;
use crate::answer::Answer;
use crate::truth::{Subformula, Truth};

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
    let note = style.note(answer.shortest, "run");
    let length = lasso_length(run.stem.len(), run.cycle.len());
    writeln!(out, "  run: {length}{note}")?;
    let atoms = truth.map_or(&[][..], |t| &t.atoms);
    write_legend(atoms, 2, out)?;
    let mut trace = Trace::new(model, atoms, style);
    trace.begin(&run.get(0).state);
    for position in 0..run.len() {
        let next = run.successor(position);
        trace.step(run.get(position), &run.get(next).state, next);
    }
    trace.write(Some(run.stem.len()), 2, out)?;
    write_reasons(truth, out)
}

/// What a path shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// A state that was asked for.
    State,
    /// That every run which begins so violates the property.
    Bad,
    /// That every run which begins so satisfies what was asked for.
    Good,
}

/// Writes a path; the last step has a state alone.
pub(super) fn write_path(
    model: &Model,
    path: &[Step],
    shows: Shows,
    answer: &Answer,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let truth = answer.truth.as_deref();
    let Some(first) = path.first() else {
        return Ok(());
    };
    let (title, what) = match shows {
        Shows::State => ("path", "path"),
        Shows::Bad => (
            "bad prefix (every run that begins so violates the property)",
            "prefix",
        ),
        Shows::Good => (
            "good prefix (every run that begins so is a witness)",
            "prefix",
        ),
    };
    let note = style.note(answer.shortest, what);
    writeln!(out, "  {title}: {}{note}", counted(path.len() - 1))?;
    let atoms = truth.map_or(&[][..], |t| &t.atoms);
    write_legend(atoms, 2, out)?;
    let mut trace = Trace::new(model, atoms, style);
    trace.bad = shows == Shows::Bad;
    trace.begin(&first.state);
    for (position, pair) in path.windows(2).enumerate() {
        trace.step(&pair[0], &pair[1].state, position + 1);
    }
    trace.write(None, 2, out)?;
    write_reasons(truth, out)
}

/// The length of a stem and a cycle.
pub(super) fn lasso_length(stem: usize, cycle: usize) -> String {
    let cycle = counted(cycle);
    match stem {
        0 => format!("a cycle of {cycle}"),
        stem => format!("{}, then a cycle of {cycle}", counted(stem)),
    }
}

/// A number of steps.
pub(super) fn counted(steps: usize) -> String {
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

/// Writes what the columns of atoms stand for.
pub(super) fn write_legend(
    atoms: &[Subformula],
    indent: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    if atoms.len() <= MOST_COLUMNS {
        for (i, atom) in atoms.iter().enumerate() {
            writeln!(out, "{:indent$}{} = {}", "", letter(i), atom.formula)?;
        }
    }
    Ok(())
}

/// One line per state: how it was reached.
struct Line {
    /// The state after the step, as atoms number it.
    state: usize,
    /// The transition; empty for the first state.
    name: String,
    text: String,
}

/// A table of steps.
pub(super) struct Trace<'a> {
    model: &'a Model,
    /// The atoms with their values in the states of the trace.
    atoms: &'a [Subformula],
    style: Style,
    /// The number of the first state.
    first: usize,
    /// Whether the first state has a line.
    has_first: bool,
    /// Whether the last state is marked as the one that violates a property.
    bad: bool,
    entries: Vec<Line>,
}

impl<'a> Trace<'a> {
    pub(super) fn new(model: &'a Model, atoms: &'a [Subformula], style: Style) -> Self {
        Trace {
            model,
            atoms,
            style,
            first: 0,
            has_first: true,
            bad: false,
            entries: Vec::new(),
        }
    }

    /// Begins with the values of a state.
    pub(super) fn begin(&mut self, state: &[u32]) {
        let values = names::nonzero(self.model, state);
        let shown = if self.style.full {
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
        self.entries.push(Line {
            state: 0,
            name: String::new(),
            text,
        });
    }

    /// Begins with a state that another trace has shown as that number.
    pub(super) fn begin_after(&mut self, number: usize) {
        self.first = number;
        self.has_first = false;
        self.entries.push(Line {
            state: 0,
            name: String::new(),
            text: String::new(),
        });
    }

    /// Adds a step to a state, which atoms number as `state`.
    pub(super) fn step(&mut self, step: &Step, next: &[u32], state: usize) {
        let (name, text) = names::step(self.model, step, next);
        self.entries.push(Line { state, name, text });
    }

    /// Writes the lines; the cycle begins with the step that leaves the state `sign`.
    pub(super) fn write(
        &self,
        sign: Option<usize>,
        indent: usize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let width = self.entries.iter().map(|l| l.name.chars().count()).max();
        let width = width.unwrap_or(0).clamp(11, 32);
        let last = self.entries.len() - 1;
        let places = (self.first + last).to_string().len().max(3);
        let margin = " ".repeat(indent + places + 2);
        for part in self.parts(sign) {
            match part {
                Part::Line(0) if !self.has_first => {}
                Part::Line(at) => {
                    let line = &self.entries[at];
                    let (number, holds) = (self.first + at, self.column(line.state));
                    let back = match sign {
                        Some(sign) if at == last => format!("  (back to {})", self.first + sign),
                        None if at == last && self.bad => "  (bad state)".to_owned(),
                        _ => String::new(),
                    };
                    let (name, text) = (&line.name, &line.text);
                    let line = format!(
                        "{:indent$}{number:>places$}  {holds}{name:<width$}  {text}",
                        ""
                    );
                    writeln!(out, "{}{back}", line.trim_end())?;
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

    /// Which atoms hold in a state.
    fn column(&self, state: usize) -> String {
        if self.atoms.is_empty() || self.atoms.len() > MOST_COLUMNS {
            return String::new();
        }
        let mut text = String::new();
        for (i, atom) in self.atoms.iter().enumerate() {
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
                let atoms = self.atoms.iter();
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
