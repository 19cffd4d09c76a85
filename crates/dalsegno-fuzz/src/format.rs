//! The formats of inputs.

use std::fmt;

/// A format that some reader takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// Petri nets, plain and coloured.
    Pnml,
    /// Properties of the contest.
    Properties,
    /// Programs.
    Dve,
    /// Tables of transitions.
    Etf,
    /// Formulas in infix syntax.
    Formula,
    /// Formulas in prefix syntax.
    Lbt,
    /// Propositions over the names of a model.
    Proposition,
    /// Automata.
    Hoa,
    /// Witnesses in JSON.
    Witness,
    /// Proofs for the checker.
    Certificate,
    /// A net and a formula, in a notation of this crate ([`pair`](crate::pair)).
    Pair,
}

impl Format {
    /// The formats of all readers.
    pub const READERS: [Format; 10] = [
        Format::Pnml,
        Format::Properties,
        Format::Dve,
        Format::Etf,
        Format::Formula,
        Format::Lbt,
        Format::Proposition,
        Format::Hoa,
        Format::Witness,
        Format::Certificate,
    ];

    /// The formats of models.
    pub const MODELS: [Format; 3] = [Format::Pnml, Format::Dve, Format::Etf];

    /// How names of files in this format end.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Format::Pnml => "pnml",
            Format::Properties => "xml",
            Format::Dve => "dve",
            Format::Etf => "etf",
            Format::Formula => "formula",
            Format::Lbt => "lbt",
            Format::Proposition => "proposition",
            Format::Hoa => "hoa",
            Format::Witness => "json",
            Format::Certificate => "dscert",
            Format::Pair => "pair",
        }
    }

    /// The format that the ending of a file name tells.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        let mut all = Self::READERS.into_iter().chain([Format::Pair]);
        all.find(|format| format.ending() == ending)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ending())
    }
}

/// What a target is fed with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// The format that the bytes are in, or were in before they were damaged.
    pub format: Format,
    /// The text, which need not be UTF-8.
    pub bytes: Vec<u8>,
}
