//! Stutter-invariance of LTL formulas.
//!
//! A formula without `X` is stutter-invariant. For the others, automata decide: the *stutter closure*
//! of an automaton accepts what it accepts, with repeated letters removed; a language is
//! stutter-invariant if and only if the closures of the automata of the formula and of its negation
//! have no word in common (Michaud and Duret-Lutz, "Practical Stutter-Invariance Checks for ω-Regular
//! Languages", SPIN 2015). The closure keeps the states and adds, for two edges in a row that share a
//! letter, the edge that jumps over the repetition and carries the marks of both.
//!
//! # All states at once, letter by letter
//!
//! A testing automaton asks it of every state q of an automaton whose states know their formulas φq, and of every letter ℓ: is the
//! language L(q, ℓ) = { ℓw ∈ L(q) } invariant? Let A be the automaton, and N one tableau of all ¬φq, with the initial state n(q)
//! for ¬φq: the tableaux of the negations share nearly all of their states. One product of the closures of A and N, from all pairs
//! (q, n(q)), answers all questions:
//!
//! *(q, ℓ) is invariant if and only if no edge of the pair (q, n(q)) on ℓ leads to a pair from which a word is accepted.*
//!
//! Proof. Words are stutter-equivalent if they are the same but for repetitions; such words begin with the same letter. If
//! L(q, ℓ) is not invariant there are equivalent u ∈ L(q, ℓ) and v ∉ L(q), both beginning with ℓ. The closures accept all words
//! that come from u and from v by removing repetitions, from q and n(q), so both accept the word w without any
//! removable repetition, which begins with ℓ: the product has an accepting run on w, whose first edge reads ℓ. Conversely let the product
//! accept w = ℓ… from (q, n(q)). Then w comes from some u ∈ L(q) and some v ∉ L(q) by removing repetitions: u and v are
//! equivalent and begin with ℓ, so L(q, ℓ) is not invariant. ∎
//!
//! States without a formula count as not invariant; that is always safe.
//!
//! Where an answer is only good to have, it has an effort.

use dalsegno_kripke::Stop;
use dalsegno_logic::nnf::nnf;
use dalsegno_logic::{FormulaId, Fragment};

use crate::bdd::{Bdd, Var};
use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::ltl::translator::Translator;
use crate::omega::automaton::{Automaton, Marks, StateId};
use crate::omega::product::{self, product_from};
use crate::omega::scc_filter::SccInfo;

/// For each state of a labelled automaton the letters ℓ such that { ℓw ∈ L(q) } is stutter-invariant, in the manager
/// of the automaton. What the effort does not suffice for is not claimed.
pub(crate) fn free_letters(
    translator: &mut Translator<'_>,
    automaton: &mut Automaton,
    effort: &Effort<'_>,
) -> Vec<Bdd> {
    let free = |label: &Option<FormulaId>| match label {
        Some(f) if translator.store.is(*f, Fragment::X_FREE) => automaton.alphabet,
        _ => Bdd::FALSE,
    };
    let known: Vec<Bdd> = automaton.labels.iter().map(free).collect();
    let asked: Vec<(StateId, FormulaId)> = (0..)
        .zip(&automaton.labels)
        .zip(&known)
        .filter(|&(_, &known)| known == Bdd::FALSE)
        .filter_map(|((q, label), _)| label.map(|f| (q, f)))
        .collect();
    let mut letters = known.clone();
    match answer(translator, automaton, &asked, &mut letters, effort) {
        Ok(()) => letters,
        Err(_) => known,
    }
}

/// Puts the letters of the states that are asked for into `letters`.
fn answer(
    t: &mut Translator<'_>,
    automaton: &mut Automaton,
    asked: &[(StateId, FormulaId)],
    letters: &mut [Bdd],
    effort: &Effort<'_>,
) -> Result<(), Error> {
    if asked.is_empty() {
        return Ok(());
    }
    let negations = asked.iter().map(|&(_, f)| nnf(t.store, f, true));
    let negations: Vec<FormulaId> = negations.collect();
    let negative = t.tableaux(&negations, usize::MAX, effort)?;
    let sources = asked.iter().map(|&(q, _)| q);
    let roots: Vec<(StateId, StateId)> = sources.zip(negative.initial.iter().copied()).collect();
    let closed = closure(automaton.clone(), effort)?;
    let negative = closure(negative, effort)?;
    let mut product = product_from(&closed, &negative, &roots, effort)?;
    let useful = SccInfo::new(&product).useful(&product);
    let own = automaton.propositions.len();
    let mut variants = Vec::with_capacity(asked.len());
    product.guards.begin(effort);
    for &root in &product.initial {
        let mut variant = Bdd::FALSE;
        for e in &product.edges[root as usize] {
            if useful[e.target as usize] {
                variant = product.guards.or(variant, e.guard)?;
            }
        }
        // What the automaton does not look at makes no difference.
        for v in own..product.propositions.len() {
            variant = product.guards.restrict(variant, v as Var, false)?;
        }
        variants.push(variant);
    }
    product.guards.end(effort);
    automaton.guards.begin(effort);
    for (&(q, _), &variant) in asked.iter().zip(&variants) {
        let variant = automaton.guards.import(&product.guards, variant, &|v| v)?;
        letters[q as usize] = automaton.guards.minus(automaton.alphabet, variant)?;
    }
    automaton.guards.end(effort);
    Ok(())
}

/// Whether an LTL formula is stutter-invariant over the letters of the translator.
pub(crate) fn is_stutter_invariant(
    t: &mut Translator<'_>,
    f: FormulaId,
    effort: &Effort<'_>,
) -> Result<bool, Error> {
    let simple = t.simplify(f);
    if t.store.is(simple, Fragment::X_FREE) {
        return Ok(true);
    }
    let not_f = t.store.not(f);
    let positive = t.labelled_tgba(f, effort)?;
    let negative = t.labelled_tgba(not_f, effort)?;
    let positive = closure(positive, effort)?;
    let negative = closure(negative, effort)?;
    let common = product::intersection(&positive, &negative, effort)?;
    Ok(product::is_empty(&common))
}

/// The automaton of all words that come from an accepted one by removing repeated letters.
///
/// # Errors
/// When the effort runs out.
pub(crate) fn closure(mut automaton: Automaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    automaton.guards.begin(effort);
    automaton.state_based = false;
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
