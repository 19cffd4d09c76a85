//! How outputs name automata, states, guards and changesets.

use dalsegno_kripke::{Changeset, Letter, Stop};

use crate::bdd::{Bdd, Manager};
use crate::omega::state_id::StateId;

/// The names that an output shows beside the automaton's own.
#[derive(Clone, Copy, Default)]
pub struct Names<'a> {
    /// The name of the automaton, such as its formula.
    pub automaton: Option<&'a str>,
    /// The name of each state, such as its formula.
    pub states: Option<&'a dyn Fn(StateId) -> Option<String>>,
}

impl<'a> Names<'a> {
    /// No names.
    pub const NONE: Names<'static> = Names {
        automaton: None,
        states: None,
    };

    /// A name for the automaton, none for states.
    #[must_use]
    pub fn new(automaton: &'a str) -> Self {
        Names {
            automaton: Some(automaton),
            states: None,
        }
    }

    /// These names with names for states.
    #[must_use]
    pub fn with_states(mut self, states: &'a dyn Fn(StateId) -> Option<String>) -> Self {
        self.states = Some(states);
        self
    }

    /// The name of a state.
    #[must_use]
    pub fn state(&self, state: usize) -> Option<String> {
        self.states.and_then(|name| name(StateId::new(state)))
    }
}

/// A proposition as it is written in a formula: quoted unless it is an identifier.
pub(crate) fn proposition(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Guards with more conjunctions than this are not spelled out.
pub const MAX_CUBES: usize = 4096;

/// The conjunctions whose disjunction a guard is, such as `a & !b`; `true` for the empty one. One
/// remark instead if they are too many to be read.
#[must_use]
pub fn conjunctions(manager: &mut Manager, guard: Bdd, propositions: &[String]) -> Vec<String> {
    let literal = |&(var, positive): &(u32, bool)| {
        let name = proposition(&propositions[var as usize]);
        if positive { name } else { format!("!{name}") }
    };
    let Some(cubes) = manager.cubes(guard, MAX_CUBES) else {
        let letters = manager.count(guard, propositions.len());
        return vec![format!("({letters} letters)")];
    };
    cubes
        .iter()
        .map(|cube| match cube.len() {
            0 => "true".to_owned(),
            _ => cube.iter().map(literal).collect::<Vec<_>>().join(" & "),
        })
        .collect()
}

/// A changeset such as `{a, b}`; `∅` for stuttering.
#[must_use]
pub fn changeset(changes: Changeset, propositions: &[String]) -> String {
    if changes.is_empty() {
        return "∅".to_owned();
    }
    let names: Vec<String> = changes
        .iter()
        .map(|i| proposition(&propositions[i]))
        .collect();
    format!("{{{}}}", names.join(", "))
}

/// The set of the given letters over `n` propositions.
///
/// # Errors
/// If the manager has a limit and reaches it.
pub fn set_of_letters(
    manager: &mut Manager,
    letters: impl Iterator<Item = Letter>,
    n: usize,
) -> Result<Bdd, Stop> {
    // United pairwise, so that the cost stays near to linear in the letters.
    let mut parts = letters
        .map(|letter| manager.minterm(letter, n))
        .collect::<Result<Vec<Bdd>, Stop>>()?;
    while parts.len() > 1 {
        let pairs = parts.chunks(2);
        parts = pairs
            .map(|pair| pair[1..].iter().try_fold(pair[0], |f, &g| manager.or(f, g)))
            .collect::<Result<_, Stop>>()?;
    }
    Ok(parts.pop().unwrap_or(Bdd::FALSE))
}
