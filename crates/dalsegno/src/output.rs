//! The forms in which an automaton is printed.

use std::io::{self, Write};

use dalsegno_automata::names::Names;
use dalsegno_automata::{StateId, dot, hoa, json};
use dalsegno_logic::FormulaStore;

use crate::translation::{Translated, Translation};

/// A form of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// HOA v1, the exchange format of ω-automata tools.
    Hoa,
    /// A drawing for Graphviz.
    Dot,
    /// JSON, schema `dalsegno.automaton/1`.
    Json,
    /// One line of sizes as CSV.
    Stats,
}

/// The header line of [`Format::Stats`].
pub const STATS_HEADER: &str = "formula,kind,propositions,states,edges,transitions,\
acceptance_sets,deterministic,stutter_invariant,seconds";

impl Translation {
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
        let labels = match &self.automaton {
            Translated::Letters(a) => &a.labels,
            Translated::Changes(t) => &t.labels,
        };
        let state = |q: StateId| labels[q as usize].map(|f| store.display(f).to_string());
        let names = Names::new(name).with_states(&state);
        match format {
            Format::Hoa => {
                let options = hoa::WriteOptions {
                    names,
                    stutter_invariant: self.stutter_invariant,
                    ..hoa::WriteOptions::default()
                };
                match &self.automaton {
                    Translated::Letters(a) => hoa::write_automaton(a, &options, out),
                    Translated::Changes(t) => hoa::write_testing(t, &options, out),
                }
            }
            Format::Dot => match &self.automaton {
                Translated::Letters(a) => dot::write_automaton(a, &names, out),
                Translated::Changes(t) => dot::write_testing(t, &names, out),
            },
            Format::Json => {
                let value = match &self.automaton {
                    Translated::Letters(a) => json::automaton_to_json(a, &names),
                    Translated::Changes(t) => json::testing_to_json(t, &names),
                };
                writeln!(out, "{value:#}")
            }
            Format::Stats => writeln!(out, "{}", self.stats(name)),
        }
    }

    fn stats(&self, name: &str) -> String {
        let s = self.sizes();
        format!(
            "{},{},{},{},{},{},{},{},{},{:.6}",
            csv_field(name),
            self.kind.name(),
            s.propositions,
            s.states,
            s.edges,
            s.transitions,
            s.acceptance_sets,
            u8::from(s.deterministic),
            u8::from(self.stutter_invariant),
            self.time.as_secs_f64()
        )
    }
}

/// A field as RFC 4180 wants it.
fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
