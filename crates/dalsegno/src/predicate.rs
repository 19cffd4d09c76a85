//! Boolean formulas as sets of states.

use dalsegno_kripke::Predicate;
use dalsegno_kripke::circuit::{Builder, Value};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};
use rustc_hash::FxHashMap;

use crate::plan::TREE_PARTS;

/// The set of states where a Boolean formula over `atoms` holds.
///
/// # Panics
/// If the formula is not Boolean or has another atom.
pub(crate) fn predicate(
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Predicate {
    if parts_of_tree(store, f) > TREE_PARTS {
        return circuit(store, f, atoms);
    }
    let meanings: FxHashMap<PropId, &Predicate> = atoms.iter().map(|(p, m)| (*p, m)).collect();
    let subformulas = store.subformulas(f);
    // How often each part is still needed: the last time it moves.
    let mut uses: FxHashMap<FormulaId, u32> = FxHashMap::default();
    for child in subformulas.iter().flat_map(|&g| store.children(g)) {
        *uses.entry(child).or_default() += 1;
    }
    let mut done: FxHashMap<FormulaId, Predicate> = FxHashMap::default();
    for g in subformulas {
        let mut of = |h: &FormulaId| {
            let left = uses.entry(*h).or_default();
            *left = left.saturating_sub(1);
            let found = if *left == 0 {
                done.remove(h)
            } else {
                done.get(h).cloned()
            };
            found.expect("parts come first")
        };
        let result = match store.node(g) {
            Node::True => Predicate::True,
            Node::False => Predicate::False,
            Node::Atom(p) => {
                let found = meanings.get(&p).expect("every atom has a meaning");
                Predicate::clone(found)
            }
            Node::Not(h) => of(&h).negate(),
            Node::And(fs) => Predicate::all(fs.iter().map(&mut of)),
            Node::Or(fs) => Predicate::any(fs.iter().map(&mut of)),
            Node::Implies(l, r) => {
                let left = of(&l).negate();
                Predicate::any([left, of(&r)])
            }
            Node::Iff(l, r) => equivalent(&of(&l), &of(&r)),
            Node::Xor(l, r) => equivalent(&of(&l), &of(&r)).negate(),
            _ => panic!("only Boolean formulas are sets of states"),
        };
        done.insert(g, result);
    }
    done.remove(&f).expect("a formula is its own subformula")
}

/// The parts of a formula as a predicate that is a tree; equivalences have their operands twice.
fn parts_of_tree(store: &FormulaStore, f: FormulaId) -> u64 {
    let mut parts: FxHashMap<FormulaId, u64> = FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: FormulaId| parts[&h];
        let inner = store.children(g).map(of).fold(1, u64::saturating_add);
        let doubled = matches!(store.node(g), Node::Iff(..) | Node::Xor(..));
        parts.insert(g, inner.saturating_mul(if doubled { 2 } else { 1 }));
    }
    parts[&f]
}

/// As [`predicate`], with a gate for each part.
fn circuit(store: &FormulaStore, f: FormulaId, atoms: &[(PropId, Predicate)]) -> Predicate {
    let known: FxHashMap<PropId, &Predicate> = atoms.iter().map(|(p, m)| (*p, m)).collect();
    let mut builder = Builder::default();
    let mut done: FxHashMap<FormulaId, Value> = FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: &FormulaId| done[h];
        let value = match store.node(g) {
            Node::True => Value::Constant(true),
            Node::False => Value::Constant(false),
            Node::Atom(p) => builder.leaf(known[&p].clone()),
            Node::Not(h) => builder.not(of(&h)),
            Node::And(fs) => builder.all(fs.iter().map(of)),
            Node::Or(fs) => builder.any(fs.iter().map(of)),
            Node::Implies(l, r) => {
                let not = builder.not(of(&l));
                builder.any([not, of(&r)])
            }
            Node::Iff(l, r) => builder.iff(of(&l), of(&r)),
            Node::Xor(l, r) => {
                let same = builder.iff(of(&l), of(&r));
                builder.not(same)
            }
            _ => panic!("only Boolean formulas are sets of states"),
        };
        done.insert(g, value);
    }
    builder.finish(done[&f])
}

fn equivalent(l: &Predicate, r: &Predicate) -> Predicate {
    let both = Predicate::all([l.clone(), r.clone()]);
    let neither = Predicate::all([l.clone().negate(), r.clone().negate()]);
    Predicate::any([both, neither])
}
