//! Stutter-invariance of LTL formulas.
//!
//! A formula without `X` is stutter-invariant. For the others, automata decide: the *stutter closure*
//! of an automaton accepts what it accepts, with repeated letters removed; a language is
//! stutter-invariant if and only if the closures of the automata of the formula and of its negation
//! have no word in common (Michaud and Duret-Lutz, "Practical Stutter-Invariance Checks for ω-Regular
//! Languages", SPIN 2015). The closure keeps the states and adds, for two edges in a row that share a
//! letter, the edge that jumps over the repetition and carries the marks of both.
//!
//! Answers are remembered per formula. Where an answer is only good to have, it has an effort
//! ([`Invariance::try_decide`]).

use rustc_hash::FxHashMap;

use dalsegno_kripke::Stop;
use dalsegno_logic::{FormulaId, Fragment};

use crate::automaton::{Automaton, Marks};
use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::product;
use crate::tableau::Error;
use crate::translate::Translator;

/// The steps that may go into an answer that is only good to have.
const OPTIONAL: u64 = 1 << 20;

/// The answers given so far.
#[derive(Clone, Debug, Default)]
pub struct Invariance {
    known: FxHashMap<FormulaId, bool>,
}

impl Invariance {
    /// Whether the LTL formula `f` is stutter-invariant over the letters of the translator.
    ///
    /// # Errors
    /// As the translation to automata.
    pub fn decide(&mut self, translator: &mut Translator<'_>, f: FormulaId) -> Result<bool, Error> {
        let effort = Effort::unlimited(translator.budget);
        self.within(translator, f, &effort)
    }

    /// As [`Invariance::decide`], where an answer is good to have and not needed: `None` if the
    /// effort or the budget runs out, or the formula has no automaton.
    pub fn try_decide(&mut self, translator: &mut Translator<'_>, f: FormulaId) -> Option<bool> {
        let effort = Effort::new(translator.budget, OPTIONAL);
        self.within(translator, f, &effort).ok()
    }

    /// As [`Invariance::decide`], within an effort.
    pub(crate) fn within(
        &mut self,
        translator: &mut Translator<'_>,
        f: FormulaId,
        effort: &Effort<'_>,
    ) -> Result<bool, Error> {
        if translator.store.is(f, Fragment::X_FREE) {
            return Ok(true);
        }
        if let Some(&known) = self.known.get(&f) {
            return Ok(known);
        }
        let answer = is_stutter_invariant(translator, f, effort)?;
        self.known.insert(f, answer);
        Ok(answer)
    }
}

fn is_stutter_invariant(
    t: &mut Translator<'_>,
    f: FormulaId,
    effort: &Effort<'_>,
) -> Result<bool, Error> {
    let simple = t.simplify(f);
    if t.store.is(simple, Fragment::X_FREE) {
        return Ok(true);
    }
    let not_f = t.store.not(f);
    let positive = t.labelled_within(f, effort)?;
    let negative = t.labelled_within(not_f, effort)?;
    let positive = closure(positive, effort)?;
    let negative = closure(negative, effort)?;
    let common = product::intersection(&positive, &negative, effort)?;
    Ok(product::is_empty(&common))
}

/// The automaton of all words that come from an accepted one by removing repeated letters.
///
/// # Errors
/// When the effort runs out.
pub fn closure(mut automaton: Automaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    automaton.guards.begin(effort);
    let n = automaton.len();
    let mut changed = true;
    while changed {
        changed = false;
        for q in 0..n {
            let mut i = 0;
            while i < automaton.edges[q].len() {
                let first = automaton.edges[q][i];
                for j in 0..automaton.edges[first.target as usize].len() {
                    let second = automaton.edges[first.target as usize][j];
                    automaton.guards.spend(1)?;
                    let guard = automaton.guards.and(first.guard, second.guard)?;
                    let marks = first.marks.union(second.marks);
                    if guard == Bdd::FALSE
                        || covered(&mut automaton, q, guard, marks, second.target)?
                    {
                        continue;
                    }
                    automaton.add_edge(q as u32, guard, marks, second.target)?;
                    changed = true;
                }
                i += 1;
            }
        }
    }
    automaton.labels = vec![None; n];
    automaton.guards.end(effort);
    Ok(automaton)
}

/// Whether edges with at least these marks already take all letters of `guard` to `target`.
fn covered(
    a: &mut Automaton,
    q: usize,
    guard: Bdd,
    marks: Marks,
    target: u32,
) -> Result<bool, Stop> {
    let mut rest = guard;
    // The edges to one target stand together.
    let first = a.edges[q].partition_point(|e| e.target < target);
    for e in a.edges[q][first..]
        .iter()
        .take_while(|e| e.target == target)
    {
        if e.marks.contains(marks) {
            rest = a.guards.minus(rest, e.guard)?;
        }
    }
    Ok(rest == Bdd::FALSE)
}
