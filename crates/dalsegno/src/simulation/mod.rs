//! Walking through a model step by step: what can happen, taking it, taking it back, and watching propositions.
//!
//! A [`Simulation`] is at the end of a path that begins in an initial state. It knows nothing of terminals:
//! [`Simulation::obey`] takes a line and writes lines.

mod commands;

pub use commands::HELP;

use std::path::Path;
use std::sync::Arc;

use dalsegno_kripke::{GroupId, Model, Predicate, Run, Scratch, Step};
use dalsegno_logic::random::Rng;
use dalsegno_logic::{FormulaStore, Fragment, nearest};
use serde_json::{Value, json};
use thiserror::Error;

use crate::error::Error as FormulaError;
use crate::predicate::predicate;
use crate::problem::Problem;
use crate::report::{Witness, WitnessError, step_to_json};
use crate::saved::{first_run, witnesses_to_json};

/// Something that can happen in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The group that fires.
    pub group: GroupId,
    /// The state that it leads to.
    pub next: Vec<u32>,
}

/// A proposition whose value is told after each step.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Its text, as it was given.
    pub text: String,
    predicate: Predicate,
}

/// A saved run to walk along.
#[derive(Clone, Debug)]
struct Saved {
    steps: Vec<Step>,
    /// Where the cycle begins, if there is one.
    cycle: Option<usize>,
}

/// A walk through a model.
#[derive(Debug)]
pub struct Simulation {
    problem: Arc<Problem>,
    /// The states so far and what led from each to the next; the last one has no group.
    path: Vec<Step>,
    /// What can happen at its end, or why that is not known.
    choices: Result<Vec<Choice>, String>,
    watches: Vec<Watched>,
    saved: Option<Saved>,
    random: Rng,
    scratch: Scratch,
}

/// Why a command is not obeyed; nothing has changed then.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A number that no choice has.
    #[error("there is no choice {0}: {possible}", possible = possible(*.1))]
    NoChoice(usize, usize),
    /// A name that no enabled transition has.
    #[error("{0}")]
    NotEnabled(String),
    /// A name that several choices have.
    #[error("`{name}` can happen in {count} ways: give the number ({numbers})")]
    Ambiguous {
        /// The name.
        name: String,
        /// How many choices have it.
        count: usize,
        /// The numbers of the first ones.
        numbers: String,
    },
    /// A step backwards from the beginning.
    #[error("there are only {0} steps to take back")]
    TooFarBack(usize),
    /// A step that does not exist.
    #[error("there is no step {0}: the last one is {1}")]
    NoStep(usize, usize),
    /// There is nothing to walk along.
    #[error("no saved run was loaded: `load FILE` does that")]
    NothingLoaded,
    /// The walk has left the saved run.
    #[error("the walk has left the saved run: `goto STEP` goes back to it")]
    LeftSaved,
    /// The saved run is at its end.
    #[error("the saved run ends here")]
    SavedEnds,
    /// A text that is no proposition.
    #[error("{0}")]
    Proposition(String),
    /// A formula with temporal operators.
    #[error("only propositions can be watched, without temporal operators and path quantifiers")]
    Temporal,
    /// A watch that does not exist.
    #[error("`{0}` is not watched")]
    NotWatched(String),
    /// A file that cannot be read, written or understood.
    #[error("{0}")]
    File(String),
    /// The model cannot take a step.
    #[error("the model cannot take a step: {0}")]
    Fault(String),
}

fn possible(count: usize) -> String {
    match count {
        0 => "nothing can happen here".to_owned(),
        count => format!("they are numbered from 1 to {count}"),
    }
}

impl Simulation {
    /// A walk that is in the first initial state; random steps are the same for a seed.
    #[must_use]
    pub fn new(problem: &Arc<Problem>, seed: u64) -> Self {
        let mut simulation = Simulation {
            problem: Arc::clone(problem),
            path: Vec::new(),
            choices: Ok(Vec::new()),
            watches: Vec::new(),
            saved: None,
            random: Rng::new(seed),
            scratch: Scratch::default(),
        };
        simulation.restart();
        simulation
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        self.problem.model()
    }

    /// Goes back to the initial state; what was saved and what is watched stays.
    pub fn restart(&mut self) {
        let state = self.model().initial()[0].clone();
        self.path = vec![Step { state, group: None }];
        self.look();
    }

    /// The states so far, each with what was fired in it; the last one has nothing.
    #[must_use]
    pub fn path(&self) -> &[Step] {
        &self.path
    }

    /// The state at the end of the path.
    #[must_use]
    pub fn state(&self) -> &[u32] {
        &self.path[self.path.len() - 1].state
    }

    /// The number of steps so far.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.path.len() - 1
    }

    /// What can happen now, in the order of the model.
    ///
    /// # Errors
    /// If the model cannot take a step, as where a program divides by zero.
    pub fn choices(&self) -> Result<&[Choice], Refusal> {
        match &self.choices {
            Ok(choices) => Ok(choices),
            Err(fault) => Err(Refusal::Fault(fault.clone())),
        }
    }

    /// Finds out what can happen.
    fn look(&mut self) {
        let problem = Arc::clone(&self.problem);
        let mut choices: Vec<Choice> = Vec::new();
        let state = self.path[self.path.len() - 1].state.clone();
        let seen = problem
            .model()
            .successors(&state, &mut self.scratch, |group, next| {
                let next = next.to_vec();
                choices.push(Choice { group, next });
            });
        self.choices = match seen {
            Ok(()) => Ok(choices),
            Err(fault) => Err(fault.describe(problem.model())),
        };
    }

    /// Takes the choice of a number, which begins at 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn fire(&mut self, number: usize) -> Result<(), Refusal> {
        let choices = self.choices()?;
        let choice = number.checked_sub(1).and_then(|i| choices.get(i));
        let Some(choice) = choice.cloned() else {
            return Err(Refusal::NoChoice(number, choices.len()));
        };
        self.step(choice);
        Ok(())
    }

    fn step(&mut self, choice: Choice) {
        if let Some(last) = self.path.last_mut() {
            last.group = Some(choice.group);
        }
        self.path.push(Step {
            state: choice.next,
            group: None,
        });
        self.look();
    }

    /// Takes the choice of a name: of a transition, or of a transition with its binding.
    ///
    /// # Errors
    /// If no choice has this name, or several have.
    pub fn fire_named(&mut self, name: &str) -> Result<(), Refusal> {
        let number = self.numbered(name)?;
        self.fire(number)
    }

    /// The number of the only choice of a name.
    fn numbered(&self, name: &str) -> Result<usize, Refusal> {
        let choices = self.choices()?;
        let model = self.model();
        let exactly = |choice: &Choice| model.group(choice.group).name() == name;
        let groups = self.problem.symbols().transition(name);
        let one_of = |choice: &Choice| groups.as_ref().is_ok_and(|g| g.contains(&choice.group));
        let mut found: Vec<usize> = positions(choices, exactly);
        if found.is_empty() {
            found = positions(choices, one_of);
        }
        match found[..] {
            [only] => Ok(only),
            [] => {
                let unknown = groups.is_err() && model.find_group(name).is_none();
                let names = choices.iter().map(|c| model.group(c.group).name());
                let near: Vec<String> = if unknown {
                    owned(nearest::nearest(name, names))
                } else {
                    Vec::new()
                };
                let what = if unknown {
                    format!("there is no transition and no command `{name}`")
                } else {
                    format!("`{name}` is not enabled here")
                };
                Err(Refusal::NotEnabled(format!(
                    "{what}{}",
                    nearest::hint(&near)
                )))
            }
            _ => {
                let numbers: Vec<String> = found.iter().take(5).map(usize::to_string).collect();
                let more = if found.len() > 5 { ", ..." } else { "" };
                Err(Refusal::Ambiguous {
                    name: name.to_owned(),
                    count: found.len(),
                    numbers: format!("{}{more}", numbers.join(", ")),
                })
            }
        }
    }

    /// Takes steps back.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn back(&mut self, steps: usize) -> Result<(), Refusal> {
        if steps > self.steps() {
            return Err(Refusal::TooFarBack(self.steps()));
        }
        self.cut(self.steps() - steps);
        Ok(())
    }

    /// Keeps the first steps of the path.
    fn cut(&mut self, steps: usize) {
        self.path.truncate(steps + 1);
        if let Some(last) = self.path.last_mut() {
            last.group = None;
        }
        self.look();
    }

    /// Takes a random step; false if nothing can happen.
    ///
    /// # Errors
    /// If the model cannot take a step.
    pub fn random(&mut self) -> Result<bool, Refusal> {
        let count = self.choices()?.len();
        if count == 0 {
            return Ok(false);
        }
        let number = self.random.index(count) + 1;
        self.fire(number)?;
        Ok(true)
    }

    /// Watches a proposition: any that `check` takes, and Boolean combinations of them.
    ///
    /// # Errors
    /// If the text is none.
    pub fn watch(&mut self, text: &str) -> Result<(), Refusal> {
        let mut store = FormulaStore::new();
        let wrong = |error: FormulaError| Refusal::Proposition(error.render());
        let f = self.problem.parse(&mut store, text).map_err(wrong)?;
        if !store.is(f, Fragment::BOOLEAN) {
            return Err(Refusal::Temporal);
        }
        let atoms = self.problem.atoms(&store, f).map_err(wrong)?;
        self.watches.retain(|watched| watched.text != text);
        self.watches.push(Watched {
            text: text.to_owned(),
            predicate: predicate(&store, f, &atoms),
        });
        Ok(())
    }

    /// Watches one proposition no longer, or none at all.
    ///
    /// # Errors
    /// If it is not watched.
    pub fn unwatch(&mut self, text: Option<&str>) -> Result<(), Refusal> {
        let Some(text) = text else {
            self.watches.clear();
            return Ok(());
        };
        let before = self.watches.len();
        self.watches.retain(|watched| watched.text != text);
        if self.watches.len() == before {
            return Err(Refusal::NotWatched(text.to_owned()));
        }
        Ok(())
    }

    /// The watched propositions with their values in a state.
    pub fn watched<'s>(
        &'s self,
        state: &'s [u32],
    ) -> impl Iterator<Item = (&'s Watched, bool)> + 's {
        let value = |watched: &'s Watched| (watched, watched.predicate.eval(self.model(), state));
        self.watches.iter().map(value)
    }

    /// The path in the form of a witness. It is a run with a cycle if its last state was there before, or is a
    /// dead end; otherwise the beginning of a run. The formula is what it is said to violate: `false`, which every run
    /// violates, unless another is given.
    #[must_use]
    pub fn to_witness(&self, formula: Option<&str>) -> Value {
        let model = self.model();
        let last = self.steps();
        let json = |i: usize, next: &[u32]| step_to_json(model, &self.path[i], next);
        let all = |range: std::ops::Range<usize>| -> Vec<Value> {
            range.map(|i| json(i, &self.path[i + 1].state)).collect()
        };
        let same = |step: &Step| step.state == self.state();
        let (stem, cycle) = match self.path[..last].iter().position(same) {
            Some(start) => (all(0..start), all(start..last)),
            None if self.choices.as_ref().is_ok_and(Vec::is_empty) => {
                (all(0..last), vec![json(last, self.state())])
            }
            None => {
                let mut stem = all(0..last);
                stem.push(json(last, self.state()));
                (stem, Vec::new())
            }
        };
        let kind = if cycle.is_empty() { "prefix" } else { "run" };
        let entry = json!({
            "name": "",
            "logic": "ltl",
            "formula": formula.unwrap_or("false"),
            "automaton": Value::Null,
            "dead_ends": "stutter",
            "fairness": [],
            "verdict": "fails",
            "kind": kind,
            "witness": { "stem": stem, "cycle": cycle },
        });
        witnesses_to_json(model.name(), &[entry])
    }

    /// Takes the first witness of a file to walk along, and goes back to the initial state; how many steps it has. Of an
    /// explanation that is its first path.
    ///
    /// # Errors
    /// If it is none of this model.
    pub fn take_witness(&mut self, value: &Value) -> Result<usize, Refusal> {
        let wrong = |error: WitnessError| Refusal::File(error.to_string());
        let saved = match first_run(self.model(), value).map_err(wrong)? {
            Witness::Run(run) => Saved::of_run(run),
            Witness::Beginning(steps) => Saved { steps, cycle: None },
        };
        let first = saved.steps.first();
        if first.is_none_or(|step| step.state != self.model().initial()[0]) {
            let message = "it does not begin in the initial state".to_owned();
            return Err(Refusal::File(message));
        }
        for position in 0..saved.length() {
            let (step, next) = (saved.get(position), saved.get(position + 1));
            if !self.leads(step, &next.state) {
                let message = format!("its step {} is not one of this model", position + 1);
                return Err(Refusal::File(message));
            }
        }
        let length = saved.length();
        self.saved = Some(saved);
        self.restart();
        Ok(length)
    }

    /// Whether a step leads to a state; a dead end leads to itself.
    fn leads(&mut self, step: &Step, next: &[u32]) -> bool {
        let problem = Arc::clone(&self.problem);
        let model = problem.model();
        let Some(group) = step.group else {
            return step.state == next && model.is_dead_end(&step.state);
        };
        let mut found = false;
        let stepped = model.successors_by(group, &step.state, &mut self.scratch, |reached| {
            found |= reached == next;
        });
        stepped.is_ok() && found
    }

    /// Goes to where a number of steps lead: of the saved run, if there is one, otherwise of the path.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn go_to(&mut self, step: usize) -> Result<(), Refusal> {
        let Some(saved) = &self.saved else {
            if step > self.steps() {
                return Err(Refusal::NoStep(step, self.steps()));
            }
            self.cut(step);
            return Ok(());
        };
        if saved.cycle.is_none() && step > saved.length() {
            return Err(Refusal::NoStep(step, saved.length()));
        }
        self.path = (0..=step)
            .map(|position| saved.get(position).clone())
            .collect();
        self.cut(step);
        Ok(())
    }

    /// Takes the next step of the saved run.
    ///
    /// # Errors
    /// If there is none, or the walk has left it.
    pub fn follow(&mut self) -> Result<(), Refusal> {
        let saved = self.saved.as_ref().ok_or(Refusal::NothingLoaded)?;
        let at = self.steps();
        if saved.cycle.is_none() && at >= saved.length() {
            return Err(Refusal::SavedEnds);
        }
        let before = self.path[..at].iter().enumerate();
        let mut same = before.map(|(i, step)| step == saved.get(i));
        if !same.all(|same| same) || self.state() != saved.get(at).state {
            return Err(Refusal::LeftSaved);
        }
        let (group, next) = (saved.get(at).group, saved.get(at + 1).state.clone());
        self.path[at].group = group;
        self.path.push(Step {
            state: next,
            group: None,
        });
        self.look();
        Ok(())
    }

    /// Writes the path to a file, for `dalsegno replay` and [`Simulation::load`].
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, file: &Path, formula: Option<&str>) -> Result<(), Refusal> {
        let text = format!("{:#}\n", self.to_witness(formula));
        let wrong = |error| Refusal::File(format!("cannot write {}: {error}", file.display()));
        std::fs::write(file, text).map_err(wrong)
    }

    /// Reads a file that [`Simulation::save`] or `dalsegno check --witness` wrote; how many steps it has.
    ///
    /// # Errors
    /// If it cannot be read, or is no run of this model.
    pub fn load(&mut self, file: &Path) -> Result<usize, Refusal> {
        let name = file.display();
        let wrong = |error| Refusal::File(format!("cannot read {name}: {error}"));
        let text = std::fs::read_to_string(file).map_err(wrong)?;
        let wrong = |error| Refusal::File(format!("{name} is not JSON: {error}"));
        let value: Value = serde_json::from_str(&text).map_err(wrong)?;
        let steps = self.take_witness(&value);
        steps.map_err(|refusal| Refusal::File(format!("{name}: {refusal}")))
    }
}

impl Saved {
    fn of_run(run: Run) -> Self {
        let cycle = Some(run.stem.len());
        let steps = run.stem.into_iter().chain(run.cycle).collect();
        Saved { steps, cycle }
    }

    /// The number of steps, once round the cycle.
    fn length(&self) -> usize {
        match self.cycle {
            Some(_) => self.steps.len(),
            None => self.steps.len() - 1,
        }
    }

    /// The state at a position, on and on round the cycle.
    fn get(&self, position: usize) -> &Step {
        match self.cycle {
            Some(start) if position >= self.steps.len() => {
                &self.steps[start + (position - start) % (self.steps.len() - start)]
            }
            _ => &self.steps[position],
        }
    }
}

fn positions(choices: &[Choice], wanted: impl Fn(&Choice) -> bool) -> Vec<usize> {
    let numbered = choices.iter().enumerate();
    let wanted = numbered.filter(|(_, choice)| wanted(choice));
    wanted.map(|(i, _)| i + 1).collect()
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
