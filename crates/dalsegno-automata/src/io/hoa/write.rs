//! Writers of the HOA format.

use std::io::{self, Write};

use dalsegno_kripke::Letter;

use super::label;
use super::testing::{BUCHI, CHANGE, LIVELOCK, change_name};
use crate::bdd::{Bdd, Manager};
use crate::io::names::{Names, set_of_letters};
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::scc::Components;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingKind};

/// Where the marks of an automaton with state-based acceptance are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Placement {
    /// On states where all edges of each state have the same marks, else on edges.
    #[default]
    States,
    /// Always on edges.
    Edges,
}

/// What a writer may add to an automaton.
#[derive(Clone, Copy, Default)]
pub struct WriteOptions<'a> {
    /// The names of the automaton and its states.
    pub names: Names<'a>,
    /// Where marks are written.
    pub placement: Placement,
    /// Whether the caller knows the language to be stutter-invariant.
    pub stutter_invariant: bool,
}

/// Writes an automaton in the HOA format.
///
/// An automaton without states is written with one that has no edges, since readers expect an
/// initial state. A restricted alphabet shows in the guards only: to a reader, words with other
/// letters are rejected.
///
/// # Errors
/// If `out` fails.
pub fn write_automaton(
    automaton: &Automaton,
    options: &WriteOptions<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut guards = automaton.guards.clone();
    let states = automaton.len().max(1);
    let state_marks = match options.placement {
        Placement::States => state_marks(automaton),
        Placement::Edges if automaton.acceptance_sets == 0 => state_marks(automaton),
        Placement::Edges => None,
    };
    let start: &[StateId] = if automaton.is_empty() {
        &[StateId::default()]
    } else {
        &automaton.initial
    };
    write_start(out, options.names.automaton, states, start)?;
    write_propositions(out, "AP:", true, &automaton.propositions)?;
    write_generalized_buchi(out, automaton.acceptance_sets)?;
    write!(
        out,
        "properties: trans-labels explicit-labels no-univ-branch"
    )?;
    for (holds, property) in [
        (state_marks.is_some(), " state-acc"),
        (state_marks.is_none(), " trans-acc"),
        (automaton.is_deterministic(), " deterministic"),
        (is_complete(automaton, &mut guards), " complete"),
        (is_weak(automaton), " weak"),
        (options.stutter_invariant, " stutter-invariant"),
    ] {
        if holds {
            write!(out, "{property}")?;
        }
    }
    writeln!(out)?;
    let labels = automaton.edges.iter().flatten().map(|edge| edge.guard);
    for alias in label::aliases(&mut guards, labels) {
        writeln!(out, "Alias: {alias}")?;
    }
    writeln!(out, "--BODY--")?;
    for state in 0..states {
        let edges = automaton.edges.get(state).map_or(&[][..], Vec::as_slice);
        write_state(out, options, state)?;
        if let Some(marks) = &state_marks {
            write_marks(out, marks.get(state).copied().unwrap_or_default())?;
        }
        writeln!(out)?;
        for edge in edges {
            let guard = label::print(&mut guards, edge.guard);
            write!(out, "[{guard}] {}", edge.target)?;
            if state_marks.is_none() {
                write_marks(out, edge.marks)?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out, "--END--")
}

/// Writes a testing automaton in the extension of the HOA format that `docs/hoa-testing.md`
/// describes.
///
/// `placement` and `stutter_invariant` are of no use here: marks are on edges, and the plain view
/// of the document is an automaton over changes, whose stuttering means something else.
///
/// # Errors
/// If `out` fails.
pub fn write_testing(
    automaton: &TestingAutomaton,
    options: &WriteOptions<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let n = automaton.propositions.len();
    let mut labels = Manager::new();
    let states = automaton.len().max(1);
    let mut start: Vec<StateId> = automaton.initial.iter().map(|&(_, q)| q).collect();
    start.sort_unstable();
    start.dedup();
    write_start(out, options.names.automaton, states, &start)?;
    let changes: Vec<String> = automaton
        .propositions
        .iter()
        .map(|p| change_name(p))
        .collect();
    write_propositions(out, "AP:", true, &changes)?;
    match automaton.kind {
        TestingKind::Ta => writeln!(out, "Acceptance: 3 Inf(0) | (Fin(2)&Inf(1))")?,
        TestingKind::Tgta => write_generalized_buchi(out, automaton.acceptance_sets)?,
    }
    write!(
        out,
        "properties: trans-labels explicit-labels no-univ-branch trans-acc"
    )?;
    if start.len() <= 1 && automaton.is_deterministic() {
        write!(out, " deterministic")?;
    }
    let kind = match automaton.kind {
        TestingKind::Ta => "ta",
        TestingKind::Tgta => "tgta",
    };
    writeln!(out, "\ntesting-kind: {kind}")?;
    write_propositions(out, "testing-propositions:", false, &automaton.propositions)?;
    if n >= 64 || automaton.alphabet.len() < 1 << n {
        let alphabet = set_of_letters(&mut labels, automaton.alphabet.iter().copied(), n);
        let alphabet = alphabet.map_err(io::Error::other)?;
        let alphabet = label::print(&mut labels, alphabet);
        writeln!(out, "testing-alphabet: \"{alphabet}\"")?;
    }
    if !start.is_empty() {
        write!(out, "testing-initial:")?;
        for state in start {
            let starting = automaton.initial.iter().filter(|&&(_, q)| q == state);
            let letters = set_of_letters(&mut labels, starting.map(|&(l, _)| l), n);
            let letters = letters.map_err(io::Error::other)?;
            write!(out, " \"{}\" {state}", label::print(&mut labels, letters))?;
        }
        writeln!(out)?;
    }
    let stuttering = labels.minterm(Letter(0), n).map_err(io::Error::other)?;
    let stuttering = label::print(&mut labels, stuttering);
    writeln!(out, "--BODY--")?;
    for state in 0..states {
        write_state(out, options, state)?;
        writeln!(out)?;
        if automaton.kind == TestingKind::Ta {
            write!(out, "[{stuttering}] {state}")?;
            if automaton.livelock.get(state) == Some(&true) {
                write_marks(out, LIVELOCK)?;
            }
            writeln!(out)?;
        }
        for (target, marks, guard) in grouped(automaton, &mut labels, state)? {
            let marks = match automaton.kind {
                TestingKind::Ta if marks == Marks::NONE => CHANGE,
                TestingKind::Ta => CHANGE.union(BUCHI),
                TestingKind::Tgta => marks,
            };
            write!(out, "[{}] {target}", label::print(&mut labels, guard))?;
            write_marks(out, marks)?;
            writeln!(out)?;
        }
    }
    writeln!(out, "--END--")
}

/// The edges of a state with the changesets of equal (target, marks) united.
fn grouped(
    automaton: &TestingAutomaton,
    labels: &mut Manager,
    state: usize,
) -> io::Result<Vec<(StateId, Marks, Bdd)>> {
    let mut edges = automaton.edges.get(state).cloned().unwrap_or_default();
    edges.sort_by_key(|e| (e.target, e.marks, e.changes));
    edges
        .chunk_by(|a, b| (a.target, a.marks) == (b.target, b.marks))
        .map(|group| {
            let n = automaton.propositions.len();
            let guard = set_of_letters(labels, group.iter().map(|e| Letter(e.changes.0)), n);
            let guard = guard.map_err(io::Error::other)?;
            Ok((group[0].target, group[0].marks, guard))
        })
        .collect()
}

fn write_start(
    out: &mut impl Write,
    name: Option<&str>,
    states: usize,
    start: &[StateId],
) -> io::Result<()> {
    writeln!(out, "HOA: v1")?;
    if let Some(name) = name {
        writeln!(out, "name: {}", quoted(name))?;
    }
    writeln!(out, "States: {states}")?;
    start.iter().try_for_each(|q| writeln!(out, "Start: {q}"))
}

fn write_propositions(
    out: &mut impl Write,
    header: &str,
    counted: bool,
    names: &[String],
) -> io::Result<()> {
    write!(out, "{header}")?;
    if counted {
        write!(out, " {}", names.len())?;
    }
    for name in names {
        write!(out, " {}", quoted(name))?;
    }
    writeln!(out)
}

fn write_generalized_buchi(out: &mut impl Write, sets: u32) -> io::Result<()> {
    match sets {
        0 => writeln!(out, "acc-name: all\nAcceptance: 0 t"),
        1 => writeln!(out, "acc-name: Buchi\nAcceptance: 1 Inf(0)"),
        _ => {
            let condition: Vec<String> = (0..sets).map(|i| format!("Inf({i})")).collect();
            writeln!(out, "acc-name: generalized-Buchi {sets}")?;
            writeln!(out, "Acceptance: {sets} {}", condition.join("&"))
        }
    }
}

fn write_state(out: &mut impl Write, options: &WriteOptions<'_>, state: usize) -> io::Result<()> {
    write!(out, "State: {state}")?;
    match options.names.state(state) {
        Some(name) => write!(out, " {}", quoted(&name)),
        None => Ok(()),
    }
}

fn write_marks(out: &mut impl Write, marks: Marks) -> io::Result<()> {
    if marks == Marks::NONE {
        return Ok(());
    }
    let sets: Vec<String> = marks.iter().map(|i| i.to_string()).collect();
    write!(out, " {{{}}}", sets.join(" "))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The marks of each state, if every edge of a state has the same.
fn state_marks(automaton: &Automaton) -> Option<Vec<Marks>> {
    automaton
        .edges
        .iter()
        .map(|edges| {
            let marks = edges.first().map_or(Marks::NONE, |e| e.marks);
            edges.iter().all(|e| e.marks == marks).then_some(marks)
        })
        .collect()
}

/// Whether every word has a run; false also if guards are too large to find out.
fn is_complete(automaton: &Automaton, guards: &mut Manager) -> bool {
    !automaton.initial.is_empty()
        && automaton.edges.iter().all(|edges| {
            let mut edges = edges.iter();
            let any = edges.try_fold(Bdd::FALSE, |f, e| guards.or(f, e.guard));
            any == Ok(Bdd::TRUE)
        })
}

/// Whether the edges inside a component all have the same marks.
fn is_weak(automaton: &Automaton) -> bool {
    let n = automaton.len();
    let components = Components::new(n, StateId::first(n), |q, i| {
        automaton.edges[q.index()].get(i).map(|e| e.target)
    });
    let mut marks_of = vec![None; components.count];
    automaton.edges.iter().enumerate().all(|(q, edges)| {
        let component = components.of[q] as usize;
        edges
            .iter()
            .filter(|e| components.same(StateId::new(q), e.target))
            .all(|e| *marks_of[component].get_or_insert(e.marks) == e.marks)
    })
}
