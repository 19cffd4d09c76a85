//! Pictures of automata of all kinds, in layers from left to right.
//!
//! There is one arrow between two states, with a line of text for each combination of acceptance sets. Marks are
//! coloured, numbered dots. As in the books, accepting states of a Büchi automaton have a double border. In a
//! testing automaton arrows show changesets, and initial arrows the letters that a word may start with;
//! a livelock state has a dashed double border, and one that is a Büchi state too a dashed triple one.

use std::collections::BTreeMap;

use dalsegno_automata::bdd::{Bdd, Manager};
use dalsegno_automata::hoa::Content;
use dalsegno_automata::names::{self, Names, set_of_letters};
use dalsegno_automata::{Automaton, Marks, StateId, TestingAutomaton, TestingKind};
use dalsegno_draw::{Border, Edge, Graph, Line, Node, Shape, layered, shortened, text_width};

use super::{Picture, PictureError};

/// A label lists so many changesets or conjunctions with the same marks before it only counts them.
const MAX_ITEMS: usize = 12;
/// Changesets or conjunctions share a line up to this many characters.
const LINE_LENGTH: usize = 28;
/// A longer item is shortened; the title has it in full.
const ITEM_LENGTH: usize = 48;
/// A longer name of a state is only a title.
const NAME_LENGTH: usize = 16;
/// The height of a state, and its least width.
const STATE: f64 = 28.0;
/// The height that an arrow at one side of a state should have.
const PORT: f64 = 6.0;
/// States are not made higher than this for their arrows.
const HIGHEST: f64 = 90.0;

/// A picture of an automaton of either type.
///
/// # Errors
/// If there is too much to draw.
pub fn content(automaton: &Content, names: &Names<'_>) -> Result<Picture, PictureError> {
    match automaton {
        Content::Automaton(letters) => self::automaton(letters, names),
        Content::Testing(changes) => testing_automaton(changes, names),
    }
}

/// A picture of a TGBA or BA.
///
/// # Errors
/// If there is too much to draw.
pub fn automaton(automaton: &Automaton, names: &Names<'_>) -> Result<Picture, PictureError> {
    let mut guards = automaton.guards().clone();
    let accepting = automaton
        .accepting_states()
        .filter(|_| automaton.acceptance_sets() == 1);
    let kind = if accepting.is_some() { "BA" } else { "TGBA" };
    let mut graph = new_graph(kind, automaton.len(), automaton.acceptance_sets(), names);
    let shown = shown_names(names, automaton.len());
    for state in automaton.states() {
        let is_accepting = accepting.as_ref().is_some_and(|a| a[state.index()]);
        let (border, class) = if is_accepting {
            (Border::Double, "state accepting")
        } else {
            (Border::Single, "state")
        };
        let short = shown[state.index()].clone();
        add_state(&mut graph, names, state, short, border, class);
    }
    for &state in automaton.initial() {
        add_initial(&mut graph, state, Text::default());
    }
    for state in automaton.states() {
        let mut first = 0;
        for group in automaton.edges(state).chunk_by(|a, b| a.target == b.target) {
            let mut text = Text::default();
            for edge in group {
                let marks = if accepting.is_some() {
                    Marks::NONE
                } else {
                    edge.marks
                };
                let items = names::conjunctions(&mut guards, edge.guard, automaton.propositions());
                text.push(&items, " | ", marks);
            }
            let numbers = first..first + group.len();
            first += group.len();
            add_edge(&mut graph, state, group[0].target, numbers, text);
        }
    }
    finish(graph)
}

/// A picture of a TA or TGTA.
///
/// # Errors
/// If there is too much to draw.
pub fn testing_automaton(
    automaton: &TestingAutomaton,
    names: &Names<'_>,
) -> Result<Picture, PictureError> {
    let is_ta = automaton.kind() == TestingKind::Ta;
    let kind = if is_ta { "TA" } else { "TGTA" };
    let mut graph = new_graph(kind, automaton.len(), automaton.acceptance_sets(), names);
    let shown = shown_names(names, automaton.len());
    for state in automaton.states() {
        let buchi = is_ta && automaton.is_buchi(state);
        let (border, class) = match (automaton.is_livelock(state), buchi) {
            (false, false) => (Border::Single, "state"),
            (false, true) => (Border::Double, "state accepting"),
            (true, false) => (Border::DashedDouble, "state livelock"),
            (true, true) => (Border::DashedTriple, "state livelock accepting"),
        };
        let short = shown[state.index()].clone();
        add_state(&mut graph, names, state, short, border, class);
    }
    let n = automaton.propositions().len();
    let mut letters = Manager::new();
    for state in automaton.states() {
        let starting = automaton.initial().iter().filter(|&&(_, q)| q == state);
        let starting: Vec<_> = starting.map(|&(letter, _)| letter).collect();
        if starting.is_empty() {
            continue;
        }
        let items = match set_of_letters(&mut letters, starting.iter().copied(), n) {
            Ok(Bdd::TRUE) => vec!["true".to_owned()],
            Ok(set) => names::conjunctions(&mut letters, set, automaton.propositions()),
            Err(_) => vec![format!("({} letters)", starting.len())],
        };
        let mut text = Text::default();
        text.push(&items, " | ", Marks::NONE);
        add_initial(&mut graph, state, text);
    }
    for state in automaton.states() {
        // The order of the JSON: edges that differ only in their changeset are one there.
        let mut edges = automaton.edges(state).to_vec();
        edges.sort_by_key(|e| (e.target, e.marks, e.changes));
        let mut first = 0;
        for arrow in edges.chunk_by(|a, b| a.target == b.target) {
            let mut text = Text::default();
            let mut count = 0;
            for group in arrow.chunk_by(|a, b| a.marks == b.marks) {
                let marks = if is_ta { Marks::NONE } else { group[0].marks };
                let changes = group.iter().map(|e| e.changes);
                let items: Vec<String> = changes
                    .map(|changes| names::changeset(changes, automaton.propositions()))
                    .collect();
                text.push(&items, "  ", marks);
                count += 1;
            }
            add_edge(
                &mut graph,
                state,
                arrow[0].target,
                first..first + count,
                text,
            );
            first += count;
        }
    }
    finish(graph)
}

/// Gives states with many arrows more height, so that arrow heads do not meet, and lays the graph out.
fn finish(mut graph: Graph) -> Result<Picture, PictureError> {
    let mut arrows = vec![(0_u32, 0_u32); graph.nodes.len()];
    for edge in graph.edges.iter().filter(|e| e.from != e.to) {
        arrows[edge.from].0 += 1;
        arrows[edge.to].1 += 1;
    }
    for (node, (out, into)) in graph.nodes.iter_mut().zip(arrows) {
        if node.shape != Shape::Hidden {
            let wish = PORT * f64::from(out.max(into));
            node.height = node.height.max(wish.min(HIGHEST));
        }
    }
    let layout = layered(&graph)?;
    Ok(Picture::new(&graph, &layout))
}

/// The names of states that are short and that no other state has.
fn shown_names(names: &Names<'_>, states: usize) -> Vec<Option<String>> {
    let all: Vec<Option<String>> = (0..states).map(|q| names.state(q)).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for name in all.iter().flatten() {
        *count.entry(name).or_default() += 1;
    }
    let shown = |name: &Option<String>| {
        let name = name.as_ref()?;
        let short = name.chars().count() <= NAME_LENGTH;
        (short && count[name.as_str()] == 1).then(|| name.clone())
    };
    all.iter().map(shown).collect()
}

fn new_graph(kind: &str, states: usize, sets: u32, names: &Names<'_>) -> Graph {
    let mut graph = Graph::new(match names.automaton {
        Some(name) => format!("{kind} of {name}"),
        None => kind.to_owned(),
    });
    graph.class = format!("automaton {}", kind.to_lowercase());
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    graph.description = format!(
        "{}, {}",
        plural(states, "state"),
        plural(sets as usize, "acceptance set")
    );
    graph
}

fn add_state(
    graph: &mut Graph,
    names: &Names<'_>,
    state: StateId,
    short: Option<String>,
    border: Border,
    class: &'static str,
) {
    let name = names.state(state.index());
    let label = short.unwrap_or_else(|| state.to_string());
    let rings = 6.0 * f64::from(border.lines() - 1);
    let width = text_width(&label, 11.0) + 12.0 + rings;
    let mut node = Node::new(Shape::Rounded, width.max(STATE + rings), STATE + rings);
    node.title = match name {
        Some(name) => format!("{state}: {name}"),
        None => state.to_string(),
    };
    node.label = label;
    node.border = border;
    class.clone_into(&mut node.class);
    node.data = vec![("state", state.to_string())];
    graph.add_node(node);
}

/// Adds an arrow from nowhere to `state`.
fn add_initial(graph: &mut Graph, state: StateId, text: Text) {
    let nowhere = graph.add_node(Node::new(Shape::Hidden, 0.0, 0.0));
    let mut edge = Edge::new(nowhere, state.index());
    edge.class = "initial".into();
    edge.data = vec![("state", state.to_string())];
    edge.title = text.title();
    edge.label = text.lines;
    graph.add_edge(edge);
}

fn add_edge(
    graph: &mut Graph,
    from: StateId,
    to: StateId,
    numbers: std::ops::Range<usize>,
    text: Text,
) {
    let mut edge = Edge::new(from.index(), to.index());
    let numbers: Vec<String> = numbers.map(|n| n.to_string()).collect();
    edge.data = vec![
        ("from", from.to_string()),
        ("to", to.to_string()),
        ("edges", numbers.join(" ")),
    ];
    edge.title = text.title();
    edge.label = text.lines;
    graph.add_edge(edge);
}

/// The text of an arrow.
#[derive(Default)]
struct Text {
    lines: Vec<Line>,
    /// All items in full.
    full: Vec<String>,
}

impl Text {
    /// Adds alternatives that share their marks, in lines that each end with the marks.
    fn push(&mut self, items: &[String], separator: &str, marks: Marks) {
        self.full.push(items.join(separator));
        // To hide a single item behind a count would save nothing.
        let shown = if items.len() > MAX_ITEMS + 1 {
            MAX_ITEMS
        } else {
            items.len()
        };
        let marks: Vec<u32> = marks.iter().collect();
        let mut line = String::new();
        let mut length = 0;
        for item in &items[..shown] {
            let item = shortened(item, ITEM_LENGTH);
            let added = item.chars().count();
            if length > 0 && length + added > LINE_LENGTH {
                self.lines.push(Line {
                    text: std::mem::take(&mut line),
                    marks: marks.clone(),
                });
                length = 0;
            }
            if length > 0 {
                line.push_str(separator);
            }
            line.push_str(&item);
            length += added + separator.len();
        }
        if shown < items.len() {
            line = format!("{line}{separator}… {} more", items.len() - shown);
        }
        self.lines.push(Line { text: line, marks });
    }

    fn title(&self) -> String {
        shortened(&self.full.join("; "), 2_000)
    }
}
