//! The commands of a walk: a line each, answered by lines.

use std::io::{self, Write};
use std::path::Path;

use dalsegno_kripke::{Step, VarId};

use super::{Refusal, Simulation};
use crate::info::Pattern;

/// The entries of a list that are shown unless more are asked for.
const SHOWN: usize = 20;

/// What all commands do.
pub const HELP: &str = "\
  NUMBER, NAME       fire a transition by its number or its name
  back [N]           take back a step, or N
  random [N]         take a random step, or N
  next [N]           take the next step of the saved run, or N
  goto STEP          go to a step of the saved run, or of this walk if none is loaded
  restart            go back to the initial state
  state [PATTERN]    show what is not 0, or all that matches
  enabled [PATTERN]  show what can happen; a pattern is a text, or has * and ?
  watch PROPOSITION  show its value after every step; alone, show all of them
  unwatch [PROPOSITION]
  path               show the steps so far
  save FILE [FORMULA]  write the walk for `dalsegno replay`, as a run that violates the formula
  load FILE          take a saved run to walk along
  help, quit
A name that is also a command goes behind `fire`.";

impl Simulation {
    /// Obeys a line; false if that was to quit. What cannot be obeyed is answered with why, and changes nothing.
    ///
    /// # Errors
    /// If `out` cannot be written.
    ///
    /// # Examples
    /// ```
    /// use dalsegno::{Simulation, Source, kripke::Budget};
    ///
    /// # use dalsegno::models::petri::{generators::Family, pnml};
    /// # let path = std::env::temp_dir().join("dalsegno-example-simulation.pnml");
    /// # pnml::write(&Family::Philosophers.generate(5)?, std::fs::File::create(&path)?)?;
    /// let source = Source::open(path)?; // "philosophers-5.pnml"
    /// let mut walk = Simulation::new(source.problem(&Budget::unlimited(), |_| {})?, 0);
    /// let mut out = Vec::new();
    /// assert!(walk.obey("watch Catch1_1", &mut out)?);
    /// assert!(walk.obey("FF1a_1", &mut out)?);
    /// assert!(String::from_utf8(out)?.contains("* Catch1_1: true"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn obey(&mut self, line: &str, out: &mut impl Write) -> io::Result<bool> {
        let line = line.trim();
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line, ""),
        };
        if line.is_empty() || line.starts_with('#') {
            return Ok(true);
        }
        let done = match word {
            "quit" | "exit" => return Ok(false),
            "help" | "?" => writeln!(out, "{HELP}").map(Ok)?,
            "back" => self.back_by(rest, out)?,
            "random" => self.random_by(rest, out)?,
            "next" => self.follow_by(rest, out)?,
            "goto" => self.go(rest, out)?,
            "restart" => {
                self.restart();
                self.show(out).map(Ok)?
            }
            "state" => self.write_state(pattern(rest).as_ref(), out).map(Ok)?,
            "enabled" => self.write_enabled(pattern(rest).as_ref(), out)?,
            "watch" => self.watch_line(rest, out)?,
            "unwatch" => self.unwatch((!rest.is_empty()).then_some(rest)),
            "path" => self.write_path(out).map(Ok)?,
            "save" => self.save_line(rest, out)?,
            "load" => self.load_line(rest, out)?,
            "fire" => self.fire_line(rest, out)?,
            _ => self.fire_line(line, out)?,
        };
        if let Err(refusal) = done {
            writeln!(out, "refused: {refusal}")?;
        }
        Ok(true)
    }

    /// Writes where the walk is: the state, what is watched, and what can happen.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn show(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "after {} steps:", self.steps())?;
        self.write_state(None, out)?;
        self.write_watched(None, out)?;
        if let Err(refusal) = self.write_enabled(None, out)? {
            writeln!(out, "{refusal}")?;
        }
        Ok(())
    }

    /// Writes what the last step did.
    fn show_step(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(at) = self.steps().checked_sub(1) else {
            return self.show(out);
        };
        let before = &self.path()[at];
        writeln!(
            out,
            "{:>4}  {}",
            at + 1,
            self.step_text(before, self.state())
        )?;
        self.write_watched(Some(&before.state), out)
    }

    /// Writes the last step and what can happen now.
    fn arrive(&self, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        self.show_step(out)?;
        self.write_enabled(None, out)
    }

    fn step_text(&self, step: &Step, next: &[u32]) -> String {
        let model = self.model();
        let name = step.group.map_or("(dead end)", |g| model.group(g).name());
        let changes: Vec<String> = model
            .variable_ids()
            .filter(|v| step.state[v.index()] != next[v.index()])
            .map(|v| {
                let (name, values) = (&model.variable(v).name, model.values(v));
                let (before, after) = (step.state[v.index()], next[v.index()]);
                format!("{name}: {} -> {}", values.show(before), values.show(after))
            })
            .collect();
        let changes = changes.join(", ");
        format!("{name:<20} {changes}").trim_end().to_owned()
    }

    fn write_state(&self, pattern: Option<&Pattern>, out: &mut impl Write) -> io::Result<()> {
        let model = self.model();
        let state = self.state();
        let told = |v: &VarId| {
            let values = model.values(*v);
            let names = !values.names().is_empty();
            match pattern {
                Some(pattern) => pattern.matches(&model.variable(*v).name),
                None => names || values.number(state[v.index()]) != 0,
            }
        };
        let told: Vec<VarId> = model.variable_ids().filter(told).collect();
        let shown = if pattern.is_some() { told.len() } else { SHOWN };
        for v in told.iter().take(shown) {
            let value = model.values(*v).show(state[v.index()]);
            writeln!(out, "  {} = {value}", model.variable(*v).name)?;
        }
        match told.len().saturating_sub(shown) {
            0 if told.is_empty() && pattern.is_some() => writeln!(out, "  nothing has such a name"),
            0 if told.is_empty() => writeln!(out, "  everything is 0"),
            0 => Ok(()),
            more => writeln!(
                out,
                "  ... and {more} more: `state PATTERN` shows what matches"
            ),
        }
    }

    fn write_enabled(
        &self,
        pattern: Option<&Pattern>,
        out: &mut impl Write,
    ) -> io::Result<Result<(), Refusal>> {
        let choices = match self.choices() {
            Ok(choices) => choices,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if choices.is_empty() {
            return writeln!(out, "nothing can happen: a dead end").map(Ok);
        }
        let model = self.model();
        let matching: Vec<(usize, &str)> = (1..)
            .zip(choices.iter().map(|c| model.group(c.group).name()))
            .filter(|(_, name)| pattern.is_none_or(|p| p.matches(name)))
            .collect();
        writeln!(out, "enabled: {}", choices.len())?;
        let shown = if pattern.is_some() {
            matching.len()
        } else {
            SHOWN
        };
        for (number, name) in matching.iter().take(shown) {
            let mine = &choices[number - 1];
            let twin = |c: &super::Choice| c.group == mine.group && c.next != mine.next;
            // Where a name alone does not tell, what changes does.
            if choices.iter().any(twin) {
                let step = Step {
                    state: self.state().to_vec(),
                    group: Some(mine.group),
                };
                writeln!(out, "  {number:>3} {}", self.step_text(&step, &mine.next))?;
            } else {
                writeln!(out, "  {number:>3} {name}")?;
            }
        }
        match matching.len().saturating_sub(shown) {
            0 => Ok(Ok(())),
            more => writeln!(
                out,
                "  ... and {more} more: `enabled PATTERN` shows what matches"
            )
            .map(Ok),
        }
    }

    /// Writes the watched propositions; those whose values are others than in `before` have a mark.
    fn write_watched(&self, before: Option<&[u32]>, out: &mut impl Write) -> io::Result<()> {
        let old: Vec<bool> = match before {
            Some(state) => self.watched(state).map(|(_, value)| value).collect(),
            None => Vec::new(),
        };
        for (i, (watched, value)) in self.watched(self.state()).enumerate() {
            let mark = if old.get(i).is_some_and(|&old| old != value) {
                '*'
            } else {
                ' '
            };
            writeln!(out, "    {mark} {}: {value}", watched.text)?;
        }
        Ok(())
    }

    fn fire_line(&mut self, text: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        let fired = match text.parse::<usize>() {
            Ok(number) => self.fire(number),
            Err(_) => self.fire_named(text),
        };
        match fired {
            Ok(()) => self.arrive(out),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn back_by(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        match count(rest).and_then(|steps| self.back(steps)) {
            Ok(()) => self.show(out).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn random_by(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        self.repeat(rest, out, Simulation::random)
    }

    fn follow_by(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        self.repeat(rest, out, |walk| walk.follow().map(|()| true))
    }

    /// Takes a kind of step several times, until there is none; if one is refused, all are taken back.
    fn repeat(
        &mut self,
        rest: &str,
        out: &mut impl Write,
        mut step: impl FnMut(&mut Self) -> Result<bool, Refusal>,
    ) -> io::Result<Result<(), Refusal>> {
        let steps = match count(rest) {
            Ok(steps) => steps,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let start = self.steps();
        let mut said = Vec::new();
        for _ in 0..steps {
            match step(self) {
                Ok(true) => self.show_step(&mut said)?,
                Ok(false) => break,
                Err(refusal) => {
                    self.cut(start);
                    return Ok(Err(refusal));
                }
            }
        }
        out.write_all(&said)?;
        self.write_enabled(None, out)
    }

    fn go(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        let Ok(step) = rest.parse::<usize>() else {
            return Ok(Err(Refusal::File(
                "`goto` needs the number of a step".to_owned(),
            )));
        };
        match self.go_to(step) {
            Ok(()) => self.show(out).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn watch_line(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        let watched = if rest.is_empty() {
            Ok(())
        } else {
            self.watch(rest)
        };
        if let Err(refusal) = watched {
            return Ok(Err(refusal));
        }
        self.write_watched(None, out).map(Ok)
    }

    fn write_path(&self, out: &mut impl Write) -> io::Result<()> {
        for (i, pair) in self.path().windows(2).enumerate() {
            let text = self.step_text(&pair[0], &pair[1].state);
            writeln!(out, "{:>4}  {text}", i + 1)?;
        }
        match self.steps() {
            0 => writeln!(out, "no step was taken"),
            _ => Ok(()),
        }
    }

    fn save_line(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        let (file, formula) = match rest.split_once(char::is_whitespace) {
            Some((file, formula)) => (file, Some(formula.trim())),
            None => (rest, None),
        };
        if file.is_empty() {
            return Ok(Err(Refusal::File(
                "`save` needs the name of a file".to_owned(),
            )));
        }
        match self.save(Path::new(file), formula) {
            Ok(()) => writeln!(out, "saved {} steps to {file}", self.steps()).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn load_line(&mut self, rest: &str, out: &mut impl Write) -> io::Result<Result<(), Refusal>> {
        if rest.is_empty() {
            return Ok(Err(Refusal::File(
                "`load` needs the name of a file".to_owned(),
            )));
        }
        match self.load(Path::new(rest)) {
            Ok(steps) => {
                writeln!(
                    out,
                    "loaded {steps} steps from {rest}: `next` takes one, `goto STEP` many"
                )?;
                self.show(out).map(Ok)
            }
            Err(refusal) => Ok(Err(refusal)),
        }
    }
}

fn pattern(text: &str) -> Option<Pattern> {
    (!text.is_empty()).then(|| Pattern::new(text))
}

/// How often; once if nothing is said.
fn count(text: &str) -> Result<usize, Refusal> {
    if text.is_empty() {
        return Ok(1);
    }
    text.parse()
        .map_err(|_| Refusal::File(format!("`{text}` is no number of steps")))
}
