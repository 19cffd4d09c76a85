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
//! # Obligations
//!
//! The minimal deterministic weak automaton of an obligation shows it without a product: different states have different
//! languages. *(q, ℓ) is invariant if and only if δ(p, m) = δ(δ(p, m), m) for q and m = ℓ, and for every p that q reaches by a
//! word that begins with ℓ, and every letter m.* If it fails at p, after a word x, some w is accepted after one of the two states
//! only, and x m w and x m m w tell that (q, ℓ) is not invariant. Otherwise repeating letters repeats states, and in a weak automaton
//! that changes nothing. A missing edge leads to the rejecting sink.
//!
//! Where an answer is only good to have, it has an effort.

use dalsegno_kripke::Stop;
use dalsegno_logic::nnf::nnf;
use dalsegno_logic::{FormulaId, Fragment};

use crate::bdd::{Bdd, Var};
use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::ltl::translator::{Labelled, Translator};
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, Marks};
use crate::omega::product::{self, product_from};
use crate::omega::scc::Components;
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;
use crate::omega::words::is_empty;

/// For each state of a labelled automaton the letters ℓ such that { ℓw ∈ L(q) } is stutter-invariant, in the manager
/// of the automaton. What the effort does not suffice for is not claimed.
pub(crate) fn free_letters(
    translator: &mut Translator<'_>,
    labelled: &mut Labelled,
    effort: &Effort<'_>,
) -> Vec<Bdd> {
    let automaton = &mut labelled.automaton;
    let free = |label: &Option<FormulaId>| match label {
        Some(f) if translator.store.is(*f, Fragment::X_FREE) => automaton.alphabet,
        _ => Bdd::FALSE,
    };
    let known: Vec<Bdd> = automaton.labels.iter().map(free).collect();
    if labelled.minimal {
        return of_minimal(automaton, effort).unwrap_or(known);
    }
    let asked: Vec<(StateId, FormulaId)> = StateId::all()
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

/// The same for the minimal deterministic automaton of an obligation.
fn of_minimal(automaton: &mut Automaton, effort: &Effort<'_>) -> Result<Vec<Bdd>, Stop> {
    let n = automaton.len();
    let edges = &automaton.edges;
    let guards = &mut automaton.guards;
    guards.begin(effort);
    let mut loops = vec![Bdd::FALSE; n];
    for (q, out) in StateId::all().zip(edges) {
        for e in out.iter().filter(|e| e.target == q) {
            loops[q.index()] = guards.or(loops[q.index()], e.guard)?;
        }
    }
    // Per state, the letters after which the same letter leads on.
    let mut variant = vec![Bdd::FALSE; n];
    for (variant, out) in variant.iter_mut().zip(edges) {
        guards.spend(1 + out.len() as u64)?;
        for e in out {
            let on = guards.minus(e.guard, loops[e.target.index()])?;
            *variant = guards.or(*variant, on)?;
        }
    }
    let components = Components::new(n, StateId::first(n), |q, i| {
        edges[q.index()].get(i).map(|e| e.target)
    });
    // Whether the states of a component reach one that is not invariant.
    let mut reaches = vec![false; components.count];
    for q in components.bottom_up() {
        let below = |e: &Edge| reaches[components.of[e.target.index()] as usize];
        let found = variant[q] != Bdd::FALSE || edges[q].iter().any(below);
        reaches[components.of[q] as usize] |= found;
    }
    let mut letters = Vec::with_capacity(n);
    for (&own, out) in variant.iter().zip(edges) {
        let mut variant = own;
        for e in out {
            if reaches[components.of[e.target.index()] as usize] {
                variant = guards.or(variant, e.guard)?;
            }
        }
        letters.push(guards.minus(automaton.alphabet, variant)?);
    }
    guards.end(effort);
    Ok(letters)
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
        for e in &product.edges[root.index()] {
            if useful[e.target.index()] {
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
        letters[q.index()] = automaton.guards.minus(automaton.alphabet, variant)?;
    }
    automaton.guards.end(effort);
    Ok(())
}

/// Whether an LTL formula is stutter-invariant over the letters of the translator, and its automaton, if one was needed.
pub(crate) fn is_stutter_invariant(
    t: &mut Translator<'_>,
    f: FormulaId,
    effort: &Effort<'_>,
) -> Result<(bool, Option<Labelled>), Error> {
    let simple = t.simplify(f);
    if t.store.is(simple, Fragment::X_FREE) {
        return Ok((true, None));
    }
    let mut labelled = t.labelled_tgba(f, effort)?;
    let invariant = if labelled.minimal {
        let free = of_minimal(&mut labelled.automaton, effort)?;
        let automaton = &labelled.automaton;
        let mut initial = automaton.initial.iter();
        initial.all(|&q| free[q.index()] == automaton.alphabet)
    } else {
        let not_f = t.store.not(f);
        let negative = t.labelled_tgba(not_f, effort)?;
        let positive = closure(labelled.automaton.clone(), effort)?;
        let negative = closure(negative.automaton, effort)?;
        let common = product::intersection(&positive, &negative, effort)?;
        is_empty(&common)
    };
    Ok((invariant, Some(labelled)))
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
                for j in 0..automaton.edges[first.target.index()].len() {
                    let second = automaton.edges[first.target.index()][j];
                    automaton.guards.spend(1)?;
                    let guard = automaton.guards.and(first.guard, second.guard)?;
                    let marks = first.marks.union(second.marks);
                    if guard == Bdd::FALSE
                        || covered(&mut automaton, q, guard, marks, second.target)?
                    {
                        continue;
                    }
                    automaton.add_edge(StateId::new(q), guard, marks, second.target)?;
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
    target: StateId,
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

#[cfg(test)]
mod tests {
    use dalsegno_kripke::{Budget, Letter};
    use dalsegno_logic::FormulaStore;
    use dalsegno_logic::random::{Config, Generator};
    use dalsegno_logic::simplify::Simplifier;

    use super::*;

    /// The letters that are free, state by state.
    fn free(t: &mut Translator<'_>, labelled: &Labelled) -> Vec<Vec<Letter>> {
        let effort = Effort::unlimited(t.budget);
        let mut labelled = labelled.clone();
        let free = free_letters(t, &mut labelled, &effort);
        let a = &labelled.automaton;
        let letters = |&f: &Bdd| a.guards.letters(f, a.propositions.len());
        free.iter().map(letters).collect()
    }

    #[test]
    fn minimal_automata_and_products_agree() {
        let config = Config::ltl()
            .with_propositions(["a", "b"])
            .with_size(3..=12)
            .with_seed(3);
        let mut generator = Generator::new(config);
        let budget = Budget::unlimited();
        let mut compared = 0;
        for _ in 0..300 {
            let mut store = FormulaStore::new();
            let f = generator.next_formula(&mut store);
            let propositions = store.propositions(f);
            let mut t = Translator {
                store: &mut store,
                simplifier: &mut Simplifier::new(),
                propositions: &propositions,
                groups: &[],
                budget: &budget,
            };
            let minimal = t.labelled_tgba(f, &Effort::unlimited(&budget)).unwrap();
            if minimal.minimal {
                let other = Labelled {
                    minimal: false,
                    ..minimal.clone()
                };
                let (quick, slow) = (free(&mut t, &minimal), free(&mut t, &other));
                assert_eq!(quick, slow, "{}", t.store.display(f));
                compared += 1;
            }
        }
        assert!(compared > 100, "{compared}");
    }
}
