//! Testing automata from documents with `testing-…` headers; see `docs/hoa-testing.md`.

use std::ops::Range;

use dalsegno_kripke::{Changeset, Letter};

use super::condition;
use super::error::{Error, ErrorKind};
use super::header::{Header, Testing};
use super::label::Labels;
use super::lexer::Lexer;
use super::read::{Body, RawEdge, initial_states};
use crate::bdd::Bdd;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};

/// Edges that leave Büchi states of a TA.
pub(super) const BUCHI: Marks = Marks(1);
/// Stuttering loops of livelock states of a TA.
pub(super) const LIVELOCK: Marks = Marks(1 << 1);
/// Edges of a TA on which some proposition changes.
pub(super) const CHANGE: Marks = Marks(1 << 2);

/// So many letters and edges may one document stand for.
const MAX_EXPANDED: u64 = 1 << 22;

/// The name of the proposition "`name` changes".
pub(super) fn change_name(name: &str) -> String {
    format!("change({name})")
}

/// The testing automaton of a document.
pub(super) fn build(
    lexer: &Lexer<'_>,
    header: Header,
    testing: &Testing,
    body: &Body,
) -> Result<TestingAutomaton, Error> {
    let refuse = |what| lexer.error(testing.span.clone(), ErrorKind::Testing(what));
    match testing.kind {
        TestingKind::Ta if header.sets != 3 || header.condition != condition::of_ta() => {
            return Err(refuse("a TA has `Acceptance: 3 Inf(0) | (Fin(2)&Inf(1))`"));
        }
        TestingKind::Tgta if !header.is_generalized_buchi() => {
            let why = "a TGTA has generalised Büchi acceptance over all of its sets";
            return Err(header.refuse_acceptance(lexer, why));
        }
        TestingKind::Ta | TestingKind::Tgta => {}
    }
    let names = testing.propositions.iter().map(|name| change_name(name));
    if !header.propositions.iter().cloned().eq(names) {
        return Err(refuse(
            "for each name of `testing-propositions:`, `AP:` has `change(…)`, in the same order",
        ));
    }
    if initial_states(&header.start) != initial_states(testing.initial.iter().map(|(_, q)| q)) {
        return Err(refuse(
            "the states of `testing-initial:` are not those of `Start:`",
        ));
    }
    let mut expander = Expander {
        lexer,
        labels: header.labels,
        propositions: testing.propositions.len(),
        left: MAX_EXPANDED,
    };
    let (alphabet, initial) = expander.alphabet_and_initial(testing)?;
    let (mut edges, mut livelock) = (Vec::new(), Vec::new());
    for (state, raw) in body.edges.iter().enumerate() {
        let (of_state, is_livelock) = match testing.kind {
            TestingKind::Ta => expander.ta_edges(StateId::new(state), raw, &testing.span)?,
            TestingKind::Tgta => (expander.edges(raw)?, false),
        };
        edges.push(of_state);
        livelock.push(is_livelock);
    }
    Ok(TestingAutomaton {
        free: false,
        kind: testing.kind,
        propositions: testing.propositions.clone(),
        alphabet,
        initial,
        labels: vec![None; edges.len()],
        edges,
        acceptance_sets: match testing.kind {
            TestingKind::Ta => 1,
            TestingKind::Tgta => header.sets,
        },
        livelock,
    })
}

/// Turns sets of letters into their elements, as long as these are not too many.
struct Expander<'a> {
    lexer: &'a Lexer<'a>,
    labels: Labels,
    propositions: usize,
    left: u64,
}

impl Expander<'_> {
    fn letters(&mut self, span: &Range<usize>, f: Bdd) -> Result<Vec<Letter>, Error> {
        let count = self.labels.manager.count(f, self.propositions);
        match self.left.checked_sub(count) {
            Some(left) => self.left = left,
            None => return Err(self.lexer.error(span.clone(), ErrorKind::TooComplex)),
        }
        Ok(self.labels.manager.letters(f, self.propositions))
    }

    /// The letters of a label written in a string.
    fn letters_of_string(
        &mut self,
        (string, span): &(String, Range<usize>),
    ) -> Result<Vec<Letter>, Error> {
        let label = self
            .labels
            .parse_string(self.lexer, string, span, self.propositions)?;
        self.letters(span, label)
    }

    #[expect(
        clippy::type_complexity,
        reason = "two fields of the automaton, made together"
    )]
    fn alphabet_and_initial(
        &mut self,
        testing: &Testing,
    ) -> Result<(Vec<Letter>, Vec<(Letter, StateId)>), Error> {
        let alphabet = match &testing.alphabet {
            Some(label) => self.letters_of_string(label)?,
            None => self.letters(&testing.span, Bdd::TRUE)?,
        };
        let mut initial = Vec::new();
        for (label, (state, _)) in &testing.initial {
            for letter in self.letters_of_string(label)? {
                if alphabet.binary_search(&letter).is_err() {
                    let what = "an initial letter is not in the alphabet";
                    return Err(self.lexer.error(label.1.clone(), ErrorKind::Testing(what)));
                }
                initial.push((letter, *state));
            }
        }
        initial.sort_unstable();
        initial.dedup();
        Ok((alphabet, initial))
    }

    /// One edge per changeset, sorted.
    fn edges(&mut self, raw: &[RawEdge]) -> Result<Vec<TestingEdge>, Error> {
        let mut edges = Vec::new();
        for edge in raw {
            let changes = self.letters(&edge.span, edge.guard)?;
            edges.extend(changes.into_iter().map(|change| TestingEdge {
                changes: Changeset(change.0),
                target: edge.target,
                marks: edge.marks,
            }));
        }
        edges.sort_unstable();
        edges.dedup();
        Ok(edges)
    }

    /// The edges of a TA state without its stuttering loop, and whether that is a livelock.
    fn ta_edges(
        &mut self,
        state: StateId,
        raw: &[RawEdge],
        place: &Range<usize>,
    ) -> Result<(Vec<TestingEdge>, bool), Error> {
        let place = raw.first().map_or(place, |edge| &edge.span);
        let refuse = |what| self.lexer.error(place.clone(), ErrorKind::Testing(what));
        let no_loop = refuse("every state of a TA has one stuttering edge, a loop");
        let bad_marks = refuse(
            "edges of a TA are in set 2, a state's edges all in set 0 or none, its stuttering loop \
             in set 1 or none",
        );
        let mut edges = self.edges(raw)?;
        let stuttering = edges.partition_point(|e| e.changes.is_empty());
        let mut loops = edges.drain(..stuttering);
        let livelock = match (loops.next(), loops.next()) {
            (Some(e), None) if e.target == state => match e.marks {
                Marks::NONE => false,
                LIVELOCK => true,
                _ => return Err(bad_marks),
            },
            _ => return Err(no_loop),
        };
        drop(loops);
        for edge in &mut edges {
            edge.marks = if edge.marks == CHANGE.union(BUCHI) {
                Marks(1)
            } else if edge.marks == CHANGE {
                Marks::NONE
            } else {
                return Err(bad_marks);
            };
        }
        if edges.windows(2).any(|w| w[0].marks != w[1].marks) {
            return Err(bad_marks);
        }
        Ok((edges, livelock))
    }
}
