//! Negation normal form: negation only in front of atoms, and only the operators
//! `& | X F G U R W M E A`. Linear in the number of subformulas, twice that below `<->` and `xor`: each
//! subformula is met with each sign once. Nested conjunctions become one at once, and so do disjunctions:
//! a store keeps the operands of each conjunction, which would be quadratic for a chain.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::{FormulaId, FormulaStore, Node};

/// The negation normal form of `f`, or of `!f` if `negate` is set.
///
/// # Examples
/// ```
/// use dalsegno_logic::{FormulaStore, nnf};
/// let mut s = FormulaStore::new();
/// let (a, b) = (s.atom("a"), s.atom("b"));
/// let f = s.until(a, b);
/// let (not_a, not_b) = (s.not(a), s.not(b));
/// assert_eq!(nnf::nnf(&mut s, f, true), s.release(not_a, not_b));
/// ```
pub fn nnf(store: &mut FormulaStore, f: FormulaId, negate: bool) -> FormulaId {
    let mut needed: FxHashSet<(FormulaId, bool)> = FxHashSet::default();
    let mut work = vec![(f, negate)];
    needed.insert((f, negate));
    let mut next = 0;
    while let Some(&(g, neg)) = work.get(next) {
        next += 1;
        let mut need = |h: FormulaId, negate: bool| {
            if needed.insert((h, negate)) {
                work.push((h, negate));
            }
        };
        if junction(store, g, neg).is_some() {
            for (h, negate) in operands(store, g, neg) {
                need(h, negate);
            }
            continue;
        }
        match store.node(g) {
            Node::Not(h) => need(h, !neg),
            Node::Iff(l, r) | Node::Xor(l, r) => {
                for polarity in [false, true] {
                    need(l, polarity);
                    need(r, polarity);
                }
            }
            _ => store.children(g).for_each(|h| need(h, neg)),
        }
    }
    // Operands have smaller handles than operators, so ascending order is bottom-up.
    work.sort_unstable();
    let mut done: FxHashMap<(FormulaId, bool), FormulaId> = FxHashMap::default();
    for (g, neg) in work {
        let result = step(store, g, neg, &done);
        done.insert((g, neg), result);
    }
    done[&(f, negate)]
}

/// Whether `g`, or its negation, becomes a conjunction (true) or a disjunction (false), if either.
fn junction(store: &FormulaStore, g: FormulaId, neg: bool) -> Option<bool> {
    match store.node(g) {
        Node::And(_) => Some(!neg),
        Node::Or(_) | Node::Implies(..) => Some(neg),
        _ => None,
    }
}

/// The operands of the conjunction or disjunction that `g` becomes, those of nested ones included.
fn operands(store: &FormulaStore, g: FormulaId, neg: bool) -> Vec<(FormulaId, bool)> {
    let conjunction = junction(store, g, neg);
    let mut seen: FxHashSet<(FormulaId, bool)> = FxHashSet::default();
    let mut found = Vec::new();
    let mut open = vec![(g, neg)];
    while let Some((g, neg)) = open.pop() {
        if !seen.insert((g, neg)) {
            continue;
        }
        match store.node(g) {
            Node::Not(h) => open.push((h, !neg)),
            _ if junction(store, g, neg) != conjunction => found.push((g, neg)),
            Node::Implies(l, r) => open.extend([(l, !neg), (r, neg)]),
            _ => open.extend(store.children(g).map(|h| (h, neg))),
        }
    }
    found
}

fn step(
    store: &mut FormulaStore,
    g: FormulaId,
    neg: bool,
    done: &FxHashMap<(FormulaId, bool), FormulaId>,
) -> FormulaId {
    let of = |h: FormulaId, negate: bool| done[&(h, negate)];
    let same = |h: FormulaId| done[&(h, neg)];
    if let Some(conjunction) = junction(store, g, neg) {
        let parts = operands(store, g, neg);
        let parts: Vec<FormulaId> = parts.into_iter().map(|(h, n)| of(h, n)).collect();
        return if conjunction {
            store.and(parts)
        } else {
            store.or(parts)
        };
    }
    match store.node(g) {
        Node::True | Node::False | Node::Atom(_) => {
            if neg {
                store.not(g)
            } else {
                g
            }
        }
        Node::Not(h) => of(h, !neg),
        Node::And(_) | Node::Or(_) | Node::Implies(..) => unreachable!("junctions are done above"),
        Node::Iff(l, r) => equivalence(
            store,
            [of(l, false), of(l, true)],
            [of(r, neg), of(r, !neg)],
        ),
        Node::Xor(l, r) => equivalence(
            store,
            [of(l, false), of(l, true)],
            [of(r, !neg), of(r, neg)],
        ),
        Node::Next(h) => store.next(same(h)),
        Node::Finally(h) if neg => store.globally(same(h)),
        Node::Finally(h) => store.finally(same(h)),
        Node::Globally(h) if neg => store.finally(same(h)),
        Node::Globally(h) => store.globally(same(h)),
        Node::Until(l, r) if neg => store.release(same(l), same(r)),
        Node::Until(l, r) => store.until(same(l), same(r)),
        Node::Release(l, r) if neg => store.until(same(l), same(r)),
        Node::Release(l, r) => store.release(same(l), same(r)),
        Node::WeakUntil(l, r) if neg => store.strong_release(same(l), same(r)),
        Node::WeakUntil(l, r) => store.weak_until(same(l), same(r)),
        Node::StrongRelease(l, r) if neg => store.weak_until(same(l), same(r)),
        Node::StrongRelease(l, r) => store.strong_release(same(l), same(r)),
        Node::Exists(h) if neg => store.forall(same(h)),
        Node::Exists(h) => store.exists(same(h)),
        Node::Forall(h) if neg => store.exists(same(h)),
        Node::Forall(h) => store.forall(same(h)),
    }
}

/// `l <-> r`, each given with its negation.
fn equivalence(store: &mut FormulaStore, l: [FormulaId; 2], r: [FormulaId; 2]) -> FormulaId {
    let both = store.and([l[0], r[0]]);
    let neither = store.and([l[1], r[1]]);
    store.or([both, neither])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_reaches_the_atoms() {
        let mut s = FormulaStore::new();
        let (a, b) = (s.atom("a"), s.atom("b"));
        let (na, nb) = (s.not(a), s.not(b));
        let f = s.weak_until(a, b);
        let f = s.implies(f, b);
        let f = s.forall(f);
        let w = s.weak_until(a, b);
        let expected = s.and([w, nb]);
        let expected = s.exists(expected);
        assert_eq!(nnf(&mut s, f, true), expected);
        let f = s.iff(a, b);
        let (both, neither) = (s.and([a, b]), s.and([na, nb]));
        let expected = s.or([both, neither]);
        assert_eq!(nnf(&mut s, f, false), expected);
        let f = s.xor(a, b);
        assert_eq!(nnf(&mut s, f, true), expected);
    }

    #[test]
    fn depth_does_not_matter() {
        let mut s = FormulaStore::new();
        let a = s.atom("a");
        let mut f = a;
        for _ in 0..50_000 {
            f = s.next(f);
            f = s.not(f);
        }
        let g = nnf(&mut s, f, false);
        assert_eq!(s.size(g), 50_001);
    }

    #[test]
    fn chains_are_not_stored_step_by_step() {
        let mut s = FormulaStore::new();
        let atoms: Vec<FormulaId> = (0..20_000).map(|i| s.atom(&format!("a{i}"))).collect();
        let mut f = atoms[0];
        for &a in &atoms[1..] {
            f = s.implies(a, f);
        }
        let before = s.bytes();
        let g = nnf(&mut s, f, true);
        assert_eq!(s.children(g).count(), atoms.len());
        assert!(s.bytes() - before < 4_000_000, "{}", s.bytes() - before);
    }

    #[test]
    fn equivalences_in_equivalences_stay_small() {
        let mut s = FormulaStore::new();
        for xor in [false, true] {
            let mut f = s.atom("a0");
            for i in 1..200 {
                let a = s.atom(&format!("a{i}"));
                let fa = s.finally(a);
                f = if xor { s.xor(f, fa) } else { s.iff(f, fa) };
                f = s.globally(f);
            }
            let g = nnf(&mut s, f, false);
            assert!(s.subformulas(g).len() < 200 * 16);
        }
    }
}
