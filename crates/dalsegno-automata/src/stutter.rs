//! Stutter-invariance of LTL formulas.
//!
//! A formula without `X` is stutter-invariant. For the others, automata decide: the *stutter closure*
//! of an automaton accepts what it accepts, with repeated letters removed; a language is
//! stutter-invariant if and only if the closures of the automata of the formula and of its negation
//! have no word in common (Michaud and Duret-Lutz, "Practical Stutter-Invariance Checks for ω-Regular
//! Languages", SPIN 2015). The closure keeps the states and adds, for two edges in a row that share a
//! letter, the edge that jumps over the repetition and carries the marks of both.
//!
//! Answers are remembered per formula.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::{FormulaId, Fragment};

use crate::automaton::Automaton;
use crate::bdd::Bdd;
use crate::product;
use crate::tableau::Error;
use crate::translate::Translator;

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
        if translator.store.is(f, Fragment::X_FREE) {
            return Ok(true);
        }
        if let Some(&known) = self.known.get(&f) {
            return Ok(known);
        }
        let answer = is_stutter_invariant(translator, f)?;
        self.known.insert(f, answer);
        Ok(answer)
    }
}

fn is_stutter_invariant(t: &mut Translator<'_>, f: FormulaId) -> Result<bool, Error> {
    let simple = t.simplifier.simplify(t.store, f);
    if t.store.is(simple, Fragment::X_FREE) {
        return Ok(true);
    }
    let not_f = t.store.not(f);
    let positive = t.labelled_tgba(f)?;
    let negative = t.labelled_tgba(not_f)?;
    let budget = t.budget;
    let positive = closure(positive, budget)?;
    let negative = closure(negative, budget)?;
    let common = product::intersection(&positive, &negative, budget)?;
    Ok(product::is_empty(&common))
}

/// The automaton of all words that come from an accepted one by removing repeated letters.
///
/// # Errors
/// When the budget runs out.
pub fn closure(mut automaton: Automaton, budget: &Budget) -> Result<Automaton, Stop> {
    let n = automaton.len();
    let mut changed = true;
    while changed {
        changed = false;
        for q in 0..n {
            budget.check()?;
            let mut i = 0;
            while i < automaton.edges[q].len() {
                let first = automaton.edges[q][i];
                for j in 0..automaton.edges[first.target as usize].len() {
                    let second = automaton.edges[first.target as usize][j];
                    let guard = automaton.guards.and(first.guard, second.guard);
                    let marks = first.marks.union(second.marks);
                    if guard == Bdd::FALSE
                        || covered(&mut automaton, q, guard, marks, second.target)
                    {
                        continue;
                    }
                    automaton.add_edge(q as u32, guard, marks, second.target);
                    changed = true;
                }
                i += 1;
            }
        }
    }
    automaton.labels = vec![None; n];
    Ok(automaton)
}

/// Whether edges with at least these marks already take all letters of `guard` to `target`.
fn covered(
    a: &mut Automaton,
    q: usize,
    guard: Bdd,
    marks: crate::automaton::Marks,
    target: u32,
) -> bool {
    let mut rest = guard;
    for e in &a.edges[q] {
        if e.target == target && e.marks.contains(marks) {
            rest = a.guards.minus(rest, e.guard);
        }
    }
    rest == Bdd::FALSE
}
