//! Drawings for Graphviz.
//!
//! States are small rounded boxes, left to right. A state shows its name where that is short and
//! always has it as a tooltip. There is one arrow between two states, with a line of text for each
//! combination of acceptance sets, which are coloured, numbered dots in a palette that colour-blind
//! readers can tell apart; acceptance of a Büchi automaton is a double border, as in the books. In
//! a testing automaton arrows show changesets, and initial arrows the letters that a word may start
//! with; a livelock state has a dashed double border, and one that is a Büchi state too a triple
//! one.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::bdd::{Bdd, Manager};
use crate::io::names::{self, Names, set_of_letters};
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// The palette of Okabe and Ito without yellow, which a white page swallows.
const COLOURS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
];

/// A label lists so many changesets or conjunctions with the same marks before it only counts them.
const MAX_ITEMS: usize = 12;

/// Changesets or conjunctions share a line up to this many characters.
const LINE_LENGTH: usize = 28;

/// A longer name of a state is only a tooltip.
const NAME_LENGTH: usize = 20;

/// Writes an automaton as a graph for Graphviz.
///
/// # Errors
/// If `out` fails.
pub fn write_automaton(
    automaton: &Automaton,
    names: &Names<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut guards = automaton.guards.clone();
    let accepting = automaton
        .accepting_states()
        .filter(|_| automaton.acceptance_sets == 1);
    write_prologue(names, out)?;
    for state in 0..automaton.len() {
        let border = match &accepting {
            Some(accepting) if accepting[state] => Border::Double,
            _ => Border::Single,
        };
        write_node(names, state, border, out)?;
    }
    for &state in &automaton.initial {
        write_initial(state, "", out)?;
    }
    for (state, edges) in automaton.edges.iter().enumerate() {
        for group in edges.chunk_by(|a, b| a.target == b.target) {
            let mut label = Label::new(" | ");
            for edge in group {
                let marks = if accepting.is_some() {
                    Marks::NONE
                } else {
                    edge.marks
                };
                let items = names::conjunctions(&mut guards, edge.guard, &automaton.propositions);
                label.push(&items, marks);
            }
            write_edge(state, group[0].target, &label.finish(), out)?;
        }
    }
    writeln!(out, "}}")
}

/// Writes a testing automaton as a graph for Graphviz.
///
/// # Errors
/// If `out` fails.
pub fn write_testing(
    automaton: &TestingAutomaton,
    names: &Names<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let n = automaton.propositions.len();
    let is_ta = automaton.kind == TestingKind::Ta;
    let mut letters = Manager::new();
    write_prologue(names, out)?;
    for state in 0..automaton.len() {
        let buchi = is_ta && automaton.is_buchi(StateId::new(state));
        let border = match (automaton.livelock[state], buchi) {
            (false, false) => Border::Single,
            (false, true) => Border::Double,
            (true, false) => Border::DashedDouble,
            (true, true) => Border::DashedTriple,
        };
        write_node(names, state, border, out)?;
    }
    for state in StateId::first(automaton.len()) {
        let starting = automaton.initial.iter().filter(|&&(_, q)| q == state);
        let start = set_of_letters(&mut letters, starting.map(|&(l, _)| l), n);
        let start = start.map_err(io::Error::other)?;
        if start != Bdd::FALSE {
            let mut label = Label::new(" | ");
            let items = names::conjunctions(&mut letters, start, &automaton.propositions);
            label.push(&items, Marks::NONE);
            write_initial(state, &label.finish(), out)?;
        }
    }
    for (state, edges) in automaton.edges.iter().enumerate() {
        let mut edges = edges.clone();
        edges.sort_by_key(|e| (e.target, e.marks, e.changes));
        for arrow in edges.chunk_by(|a, b| a.target == b.target) {
            let mut label = Label::new("  ");
            for group in arrow.chunk_by(|a, b| a.marks == b.marks) {
                let marks = if is_ta { Marks::NONE } else { group[0].marks };
                let items: Vec<String> = group
                    .iter()
                    .map(|e| names::changeset(e.changes, &automaton.propositions))
                    .collect();
                label.push(&items, marks);
            }
            write_edge(state, arrow[0].target, &label.finish(), out)?;
        }
    }
    writeln!(out, "}}")
}

/// The border of a state.
#[derive(Clone, Copy)]
enum Border {
    Single,
    Double,
    DashedDouble,
    DashedTriple,
}

impl Border {
    fn attributes(self) -> &'static str {
        match self {
            Border::Single => "",
            Border::Double => ", peripheries=2",
            Border::DashedDouble => ", peripheries=2, style=\"rounded,filled,dashed\"",
            Border::DashedTriple => ", peripheries=3, style=\"rounded,filled,dashed\"",
        }
    }
}

fn write_prologue(names: &Names<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph {{")?;
    writeln!(out, "  rankdir=LR; ranksep=0.5; nodesep=0.3; pad=0.1")?;
    writeln!(
        out,
        "  fontname=\"Helvetica\"; fontsize=13; fontcolor=\"#333333\"; labelloc=t"
    )?;
    if let Some(name) = names.automaton {
        writeln!(out, "  label=<{}>", escape(name))?;
    }
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#F6F8FA\", color=\"#57606A\", \
         fontname=\"Helvetica\", fontsize=12, width=0.36, height=0.36, margin=\"0.09,0.05\"]"
    )?;
    writeln!(
        out,
        "  edge [color=\"#57606A\", fontname=\"Helvetica\", fontsize=11, arrowsize=0.7]"
    )
}

fn write_node(
    names: &Names<'_>,
    state: usize,
    border: Border,
    out: &mut impl Write,
) -> io::Result<()> {
    let name = names.state(state);
    let label = match &name {
        Some(name) if name.chars().count() <= NAME_LENGTH => escape(name),
        _ => state.to_string(),
    };
    let tooltip = match &name {
        Some(name) => format!("{state}: {}", escape(name)),
        None => state.to_string(),
    };
    let border = border.attributes();
    writeln!(
        out,
        "  {state} [label=<{label}>, tooltip=<{tooltip}>{border}]"
    )
}

/// Writes an arrow from nowhere to `state`.
fn write_initial(state: StateId, label: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "  start{state} [label=\"\", shape=none, style=\"\", width=0, height=0, margin=0]"
    )?;
    let label = if label.is_empty() {
        "\"\"".to_owned()
    } else {
        format!("<{label}>")
    };
    writeln!(
        out,
        "  start{state} -> {state} [label={label}, tooltip=\"initial\"]"
    )
}

fn write_edge(source: usize, target: StateId, label: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {source} -> {target} [label=<{label}>]")
}

/// The text of an arrow, as an HTML-like label.
struct Label {
    separator: &'static str,
    lines: Vec<String>,
}

impl Label {
    fn new(separator: &'static str) -> Self {
        Label {
            separator,
            lines: Vec::new(),
        }
    }

    /// Adds alternatives that share their marks, in lines that each end with the marks.
    fn push(&mut self, items: &[String], marks: Marks) {
        // To hide a single item behind a count would save nothing.
        let shown = if items.len() > MAX_ITEMS + 1 {
            MAX_ITEMS
        } else {
            items.len()
        };
        let marks = dots(marks);
        let mut line = String::new();
        let mut length = 0;
        for item in &items[..shown] {
            let added = item.chars().count();
            if length > 0 && length + added > LINE_LENGTH {
                self.lines.push(format!("{line}{marks}"));
                line.clear();
                length = 0;
            }
            if length > 0 {
                line.push_str(self.separator);
            }
            line.push_str(&escape(item));
            length += added + self.separator.len();
        }
        if shown < items.len() {
            let _ = write!(line, "{}… {} more", self.separator, items.len() - shown);
        }
        self.lines.push(line + &marks);
    }

    fn finish(self) -> String {
        // The blanks keep the text away from the arrows beside it.
        let lines: Vec<String> = self.lines.iter().map(|line| format!(" {line} ")).collect();
        lines.join("<br/>")
    }
}

/// A coloured, numbered dot for each acceptance set.
fn dots(marks: Marks) -> String {
    let mut dots = String::new();
    for set in marks.iter() {
        let colour = COLOURS[set as usize % COLOURS.len()];
        let number: String = set
            .to_string()
            .bytes()
            .filter_map(|digit| char::from_u32('₀' as u32 + u32::from(digit - b'0')))
            .collect();
        let _ = write!(dots, " <font color=\"{colour}\">●{number}</font>");
    }
    dots
}

/// Text for HTML-like labels.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::io::documents;
    use crate::io::hoa::{self, Content};

    fn drawn(text: &str, names: &Names<'_>) -> String {
        let mut out = Vec::new();
        match hoa::read_one(text).unwrap().content {
            Content::Automaton(automaton) => write_automaton(&automaton, names, &mut out),
            Content::Testing(automaton) => write_testing(&automaton, names, &mut out),
        }
        .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn marks_are_dots_and_names_are_escaped() {
        let text = r#"HOA: v1 Start: 0 AP: 2 "a" "x < 2" Acceptance: 2 Inf(0)&Inf(1)
            --BODY-- State: 0 [0&!1] 0 {0 1} [!0] 0 --END--"#;
        let state_name = |_| Some("G F <a>".to_owned());
        let graph = drawn(text, &Names::new("a & b").with_states(&state_name));
        assert!(graph.contains("label=<a &amp; b>"), "{graph}");
        assert!(graph.contains("0 [label=<G F &lt;a&gt;>, tooltip=<0: G F &lt;a&gt;>]"));
        assert!(
            graph.contains(
                "0 -> 0 [label=< !a <br/> a &amp; !&quot;x &lt; 2&quot; \
                 <font color=\"#0072B2\">●₀</font> <font color=\"#D55E00\">●₁</font> >]"
            ),
            "{graph}"
        );
    }

    #[test]
    fn a_buchi_automaton_has_double_borders_and_no_dots() {
        let text = r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0)
            --BODY-- State: 0 [t] 0 [0] 1 State: 1 {0} [0] 1 --END--"#;
        let graph = drawn(text, &Names::NONE);
        assert!(
            graph.contains("1 [label=<1>, tooltip=<1>, peripheries=2]"),
            "{graph}"
        );
        assert!(!graph.contains('●'));
    }

    #[test]
    fn testing_automata_show_changesets() {
        let graph = drawn(documents::TA, &Names::NONE);
        assert!(graph.contains("0 -> 1 [label=< {a} >]"), "{graph}");
        assert!(graph.contains("start0 -> 0 [label=< !a >"), "{graph}");
        assert!(graph.contains("peripheries=2, style=\"rounded,filled,dashed\""));
        assert!(drawn(documents::TGTA, &Names::NONE).contains("0 -> 0 [label=< ∅ >]"));
    }

    #[test]
    fn long_lists_are_cut() {
        let items: Vec<String> = (0..20).map(|i| i.to_string()).collect();
        let text = |items: &[String]| {
            let mut label = Label::new(" ");
            label.push(items, Marks::NONE);
            label.finish()
        };
        assert!(text(&items).ends_with(" 10 11 … 8 more "));
        assert!(text(&items[..13]).ends_with(" 12 "));
    }
}
