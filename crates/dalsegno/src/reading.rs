//! Automata from files.

use std::io::{self, Write};
use std::time::Duration;

use dalsegno_automata::hoa::{self, Content, Document};
use dalsegno_automata::names::Names;
use dalsegno_automata::observer::Kind;
use dalsegno_automata::{StateId, TestingKind};
use dalsegno_kripke::clock::Instant;

use crate::output::{Description, Either, Format};
use crate::translation::Sizes;

/// An automaton that was read from a text.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The automaton and its names.
    pub document: Document,
    /// The time it took to read the whole text.
    pub time: Duration,
}

/// Reads the automata of a text in the HOA format; there is at least one.
///
/// # Errors
/// If the text is not in the format, or uses what dalsegno does not support.
///
/// # Examples
/// ```
/// let text = "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)
///             --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--";
/// let automata = dalsegno::read_hoa(text).unwrap();
/// assert_eq!(automata[0].sizes().transitions, 2);
/// assert!(dalsegno::read_hoa("HOA: v1 Start: 0").is_err());
/// ```
pub fn read_hoa(text: &str) -> Result<Vec<Reading>, hoa::Error> {
    let start = Instant::now();
    let mut documents = hoa::read(text)?;
    if documents.is_empty() {
        documents.push(hoa::read_one(text)?);
    }
    let time = start.elapsed();
    Ok(documents
        .into_iter()
        .map(|document| Reading { document, time })
        .collect())
}

impl Reading {
    /// The kind of automaton: a BA if it has one acceptance set and marks are a matter of states.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match &self.document.content {
            Content::Automaton(a) => Kind::of_automaton(a),
            Content::Testing(t) => match t.kind() {
                TestingKind::Ta => Kind::Ta,
                TestingKind::Tgta => Kind::Tgta,
            },
        }
    }

    /// Whether the text says that the language is stutter-invariant; nobody has checked it.
    #[must_use]
    pub fn stutter_invariant(&self) -> bool {
        let properties = &self.document.properties;
        properties.iter().any(|p| p == "stutter-invariant")
    }

    /// The size of the automaton.
    #[must_use]
    pub fn sizes(&self) -> Sizes {
        Sizes::of(self.automaton())
    }

    /// Writes the automaton under the names that the text gave.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(&self, format: Format, out: &mut impl Write) -> io::Result<()> {
        let names = &self.document.state_names;
        let state = |q: StateId| names.get(q.index()).cloned().flatten();
        let description = Description {
            automaton: self.automaton(),
            kind: self.kind(),
            stutter_invariant: self.stutter_invariant(),
            time: self.time,
            names: Names {
                automaton: self.document.name.as_deref(),
                states: Some(&state),
            },
        };
        description.write(format, out)
    }

    fn automaton(&self) -> Either<'_> {
        match &self.document.content {
            Content::Automaton(a) => Either::Letters(a),
            Content::Testing(t) => Either::Changes(t),
        }
    }
}
