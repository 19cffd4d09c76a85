//! The forms in which an automaton is printed.

use std::io::{self, Write};
use std::time::Duration;

use dalsegno_automata::hoa::Content;
use dalsegno_automata::names::Names;
use dalsegno_automata::observer::Kind;
use dalsegno_automata::{Automaton, StateId, TestingAutomaton, dot, hoa, json};
use dalsegno_logic::{FormulaId, FormulaStore};

use crate::picture;
use crate::translation::{Sizes, Translated};

/// A form of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// HOA v1, the exchange format of ω-automata tools.
    Hoa,
    /// A drawing for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// JSON, schema `dalsegno.automaton/1`.
    Json,
    /// One line of sizes as CSV.
    Stats,
}

dalsegno_kripke::choices!(
    Format, "format", Hoa => "hoa", Dot => "dot", Svg => "svg", Json => "json", Stats => "stats"
);

/// Larger formulas are not written as names of states: their texts may be exponential in the
/// formulas that were translated.
const MAX_LABEL_SIZE: u64 = 10_000;

/// The header line of [`Format::Stats`].
pub const STATS_HEADER: &str = "formula,kind,propositions,states,edges,transitions,\
acceptance_sets,deterministic,stutter_invariant,seconds";

impl Translated {
    /// Writes the automaton; `name` is how it is called, usually the text of its formula.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(
        &self,
        store: &FormulaStore,
        name: &str,
        format: Format,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let automaton = match &self.automaton {
            Content::Automaton(a) => Either::Letters(a),
            Content::Testing(t) => Either::Changes(t),
        };
        let label = |q: StateId| match automaton {
            Either::Letters(a) => a.label(q),
            Either::Changes(t) => t.label(q),
        };
        let short = |f: &FormulaId| store.size(*f) <= MAX_LABEL_SIZE;
        let state = |q: StateId| Some(store.display(label(q).filter(short)?).to_string());
        let description = Description {
            automaton,
            kind: self.kind,
            stutter_invariant: self.stutter_invariant,
            time: self.time,
            names: Names::new(name).with_states(&state),
        };
        description.write(format, out)
    }
}

/// An automaton of either type, borrowed.
#[derive(Clone, Copy)]
pub(crate) enum Either<'a> {
    Letters(&'a Automaton),
    Changes(&'a TestingAutomaton),
}

/// An automaton and all that an output says of it.
pub(crate) struct Description<'a> {
    pub(crate) automaton: Either<'a>,
    pub(crate) kind: Kind,
    pub(crate) stutter_invariant: bool,
    pub(crate) time: Duration,
    pub(crate) names: Names<'a>,
}

impl Description<'_> {
    pub(crate) fn write(&self, format: Format, out: &mut impl Write) -> io::Result<()> {
        let names = &self.names;
        match format {
            Format::Hoa => {
                let options = hoa::WriteOptions {
                    names: *names,
                    stutter_invariant: self.stutter_invariant,
                    ..hoa::WriteOptions::default()
                };
                match self.automaton {
                    Either::Letters(a) => hoa::write_automaton(a, &options, out),
                    Either::Changes(t) => hoa::write_testing(t, &options, out),
                }
            }
            Format::Dot => match self.automaton {
                Either::Letters(a) => dot::write_automaton(a, names, out),
                Either::Changes(t) => dot::write_testing(t, names, out),
            },
            Format::Svg => {
                let picture = match self.automaton {
                    Either::Letters(a) => picture::automaton(a, names),
                    Either::Changes(t) => picture::testing_automaton(t, names),
                };
                out.write_all(picture.map_err(io::Error::other)?.svg.as_bytes())
            }
            Format::Json => {
                let value = match self.automaton {
                    Either::Letters(a) => json::automaton_to_json(a, names),
                    Either::Changes(t) => json::testing_to_json(t, names),
                };
                writeln!(out, "{value:#}")
            }
            Format::Stats => self.write_stats(out),
        }
    }

    fn write_stats(&self, out: &mut impl Write) -> io::Result<()> {
        let s = Sizes::of(self.automaton);
        let mut row = csv::Writer::from_writer(out);
        row.write_record([
            self.names.automaton.unwrap_or_default(),
            self.kind.name(),
            &s.propositions.to_string(),
            &s.states.to_string(),
            &s.edges.to_string(),
            &s.transitions.to_string(),
            &s.acceptance_sets.to_string(),
            &u8::from(s.deterministic).to_string(),
            &u8::from(self.stutter_invariant).to_string(),
            &format!("{:.6}", self.time.as_secs_f64()),
        ])?;
        row.flush()
    }
}
