//! Automata of path formulas: what is known of states becomes a proposition.

use std::collections::BTreeMap;

use dalsegno_logic::{FormulaId, FormulaStore, Fragment};
use rustc_hash::{FxHashMap, FxHashSet};

/// The state formulas of a path formula that lie below no other: what an automaton observes.
///
/// Of a formula and its negation, one is listed; constants are not.
#[must_use]
pub fn observed(store: &FormulaStore, path: FormulaId) -> Vec<FormulaId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut open = vec![path];
    while let Some(f) = open.pop() {
        if !seen.insert(f) {
            continue;
        }
        if store.is(f, Fragment::STATE) {
            found.insert(without_not(store, f));
        } else {
            open.extend(store.children(f));
        }
    }
    found.remove(&FormulaId::TRUE);
    found.remove(&FormulaId::FALSE);
    let mut list: Vec<FormulaId> = found.into_iter().collect();
    list.sort_unstable();
    list
}

fn without_not(store: &FormulaStore, f: FormulaId) -> FormulaId {
    match store.node(f) {
        dalsegno_logic::Node::Not(g) => g,
        _ => f,
    }
}

/// The path formula with `replacement` in place of each formula that it [`observed`]s.
pub fn abstracted(
    store: &mut FormulaStore,
    path: FormulaId,
    replacement: &BTreeMap<FormulaId, FormulaId>,
) -> FormulaId {
    let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    let mut operands = Vec::new();
    for f in store.subformulas(path) {
        let positive = without_not(store, f);
        let result = if let Some(&atom) = replacement.get(&f) {
            atom
        } else if let Some(&atom) = replacement.get(&positive) {
            store.not(atom)
        } else if store.is(f, Fragment::STATE) {
            // A constant, or something below what is replaced.
            f
        } else {
            operands.clear();
            operands.extend(store.children(f).map(|child| done[&child]));
            store.rebuild(f, &operands)
        };
        done.insert(f, result);
    }
    done[&path]
}

/// A name that no parser gives to a proposition, for an observed formula.
pub(super) fn proposition(store: &mut FormulaStore, f: FormulaId) -> FormulaId {
    store.atom(&format!("\u{1}{}", f.index()))
}
