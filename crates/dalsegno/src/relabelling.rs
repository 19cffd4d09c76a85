//! Formulas over other names: `p0`, `p1`, … in the order of first use.

use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use rustc_hash::FxHashMap;

/// What gets a new name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relabelled {
    /// Atoms.
    Atoms,
    /// Largest Boolean subformulas, unless they share an atom with another one; then their atoms.
    Boolean,
}

dalsegno_kripke::choices!(
    Relabelled, "relabelling", Atoms => "atoms", Boolean => "boolean"
);

/// The formula over the names `p0`, `p1`, ….
///
/// # Examples
/// ```
/// use dalsegno::{Relabelled, relabel};
/// use dalsegno::logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "G((req & !busy) -> F ack)").unwrap();
/// let g = relabel(&mut store, f, Relabelled::Atoms);
/// assert_eq!(store.display(g).to_string(), "G((p0 & !p1) -> Fp2)");
/// let g = relabel(&mut store, f, Relabelled::Boolean);
/// assert_eq!(store.display(g).to_string(), "G(p0 -> Fp1)");
/// ```
pub fn relabel(store: &mut FormulaStore, f: FormulaId, what: Relabelled) -> FormulaId {
    let largest = match what {
        Relabelled::Atoms => Vec::new(),
        Relabelled::Boolean => alone(store, f),
    };
    let mut names: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    // A new name is given when a formula is first met on the way from left to right.
    let mut open = vec![(f, false)];
    while let Some((g, ready)) = open.pop() {
        if done.contains_key(&g) {
            continue;
        }
        let is_named = matches!(store.node(g), Node::Atom(_)) || largest.contains(&g);
        if is_named {
            let number = names.len();
            let name = names.entry(g);
            let name = *name.or_insert_with(|| store.atom(&format!("p{number}")));
            done.insert(g, name);
            continue;
        }
        let children: Vec<FormulaId> = store.children(g).collect();
        if ready {
            let operands: Vec<FormulaId> = children.iter().map(|child| done[child]).collect();
            let rebuilt = store.rebuild(g, &operands);
            done.insert(g, rebuilt);
        } else {
            open.push((g, true));
            open.extend(children.into_iter().rev().map(|child| (child, false)));
        }
    }
    done[&f]
}

/// The largest Boolean subformulas that share no atom with another one.
fn alone(store: &FormulaStore, f: FormulaId) -> Vec<FormulaId> {
    let mut largest = Vec::new();
    if store.is(f, Fragment::BOOLEAN) {
        largest.push(f);
    }
    for g in store.subformulas(f) {
        if !store.is(g, Fragment::BOOLEAN) {
            let parts = store.children(g);
            largest.extend(parts.filter(|&h| store.is(h, Fragment::BOOLEAN)));
        }
    }
    largest.sort_unstable();
    largest.dedup();
    let mut users: FxHashMap<PropId, usize> = FxHashMap::default();
    for &g in &largest {
        for p in store.propositions(g) {
            *users.entry(p).or_default() += 1;
        }
    }
    largest.retain(|&g| {
        let atoms = store.propositions(g);
        !atoms.is_empty() && atoms.iter().all(|p| users[p] == 1)
    });
    largest
}
