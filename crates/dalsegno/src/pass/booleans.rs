//! Boolean parts that say something several times, or nothing, made small: `!(a | b) & a` is false.
//!
//! A part of a formula without temporal operators, and a goal, are Boolean functions of their atoms. As a decision diagram
//! each becomes a constant, or a short sum of products [Min93, Mor70], or the negation of one for its complement, if that
//! has fewer literals. States and steps stay as they are; atoms that do not matter are observed no longer, so reductions
//! and stubborn sets may do more. What takes many steps stays as it is.

use dalsegno_automata::bdd::{Bdd, Cube, Manager};
use dalsegno_automata::effort::Effort;
use dalsegno_kripke::{Budget, Predicate, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Pass;
use crate::plan::{BOOLEAN_ATOMS, BOOLEAN_STEPS, TREE_PARTS};
use crate::problem::Problem;
use crate::question::{Keep, Question};

/// The pass.
pub struct Booleans;

impl Pass for Booleans {
    fn keeps(&self) -> Keep {
        Keep::Everything
    }

    fn apply(&self, _: &Problem, store: &mut FormulaStore, question: &mut Question) {
        match question {
            Question::Linear(property) | Question::Branching(property) => {
                property.formula = formula(store, property.formula);
            }
            Question::Reach(reach) => {
                if let Some(smaller) = goal(&reach.goal) {
                    reach.goal = smaller;
                }
            }
            _ => {}
        }
    }
}

/// A small formula of a function.
enum Small {
    Constant(bool),
    /// A disjunction of conjunctions.
    Sum(Vec<Cube>),
    /// A conjunction of disjunctions.
    Product(Vec<Cube>),
}

/// Finds a small formula for what is built with a manager; none if it would have as many literals as there are, or if
/// looking for it takes long.
fn small(
    literals: usize,
    build: impl FnOnce(&mut Manager) -> Result<Option<Bdd>, Stop>,
) -> Option<Small> {
    let budget = Budget::unlimited();
    let mut manager = Manager::new();
    manager.begin(&Effort::new(&budget, BOOLEAN_STEPS));
    let function = build(&mut manager).ok()??;
    if function.is_constant() {
        return Some(Small::Constant(function == Bdd::TRUE));
    }
    let size = |sum: &Option<Vec<Cube>>| match sum {
        Some(cubes) => cubes.iter().map(Vec::len).sum(),
        None => usize::MAX,
    };
    let complement = manager.not(function).ok()?;
    let sum = manager.cubes(function, literals);
    let other = manager.cubes(complement, literals);
    let (own, others) = (size(&sum), size(&other));
    if own.min(others) >= literals {
        return None;
    }
    if own <= others {
        return sum.map(Small::Sum);
    }
    let mut sums = other?;
    for (_, positive) in sums.iter_mut().flatten() {
        *positive = !*positive;
    }
    Some(Small::Product(sums))
}

/// A formula with its largest Boolean parts made small.
fn formula(store: &mut FormulaStore, f: FormulaId) -> FormulaId {
    let parts = store.subformulas(f);
    let (boolean, temporal): (Vec<FormulaId>, Vec<FormulaId>) = parts
        .into_iter()
        .partition(|&g| store.is(g, Fragment::BOOLEAN));
    let mut largest: FxHashSet<FormulaId> =
        temporal.iter().flat_map(|&g| store.children(g)).collect();
    largest.insert(f);
    let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for g in boolean.into_iter().filter(|g| largest.contains(g)) {
        let smaller = boolean_part(store, g).unwrap_or(g);
        done.insert(g, smaller);
    }
    for g in temporal {
        let operands: Vec<FormulaId> = store.children(g).map(|h| done[&h]).collect();
        let rebuilt = store.rebuild(g, &operands);
        done.insert(g, rebuilt);
    }
    done[&f]
}

/// A smaller formula for a Boolean one, if there is one.
fn boolean_part(store: &mut FormulaStore, f: FormulaId) -> Option<FormulaId> {
    let (atoms, parts) = (store.propositions(f), store.subformulas(f));
    if atoms.len() > BOOLEAN_ATOMS || parts.len() > TREE_PARTS as usize {
        return None;
    }
    // How many there are, as a tree.
    let mut literals: FxHashMap<FormulaId, usize> = FxHashMap::default();
    for &g in &parts {
        let own = usize::from(matches!(store.node(g), Node::Atom(_)));
        let inner = store.children(g).map(|h| literals[&h]);
        let sum = inner.fold(own, usize::saturating_add);
        literals.insert(g, sum);
    }
    let smaller = small(literals[&f], |manager| {
        let mut found: FxHashMap<FormulaId, Bdd> = FxHashMap::default();
        for &g in &parts {
            let result = match store.node(g) {
                Node::True => Bdd::TRUE,
                Node::False => Bdd::FALSE,
                Node::Atom(p) => match atoms.iter().position(|&q| q == p) {
                    Some(i) => manager.variable(i as u32)?,
                    None => return Ok(None),
                },
                Node::Not(h) => manager.not(found[&h])?,
                Node::And(list) => {
                    let mut all = list.iter().map(|h| found[h]);
                    all.try_fold(Bdd::TRUE, |all, part| manager.and(all, part))?
                }
                Node::Or(list) => {
                    let mut all = list.iter().map(|h| found[h]);
                    all.try_fold(Bdd::FALSE, |any, part| manager.or(any, part))?
                }
                Node::Implies(l, r) => {
                    let not = manager.not(found[&l])?;
                    manager.or(not, found[&r])?
                }
                Node::Iff(l, r) => {
                    let differ = manager.xor(found[&l], found[&r])?;
                    manager.not(differ)?
                }
                Node::Xor(l, r) => manager.xor(found[&l], found[&r])?,
                _ => return Ok(None),
            };
            found.insert(g, result);
        }
        Ok(Some(found[&f]))
    })?;
    let mut part = |cube: &Cube, conjunction: bool| {
        let literal = |&(i, positive): &(u32, bool)| literal(store, atoms[i as usize], positive);
        let literals: Vec<FormulaId> = cube.iter().map(literal).collect();
        if conjunction {
            store.and(literals)
        } else {
            store.or(literals)
        }
    };
    Some(match smaller {
        Small::Constant(value) => constant(value),
        Small::Sum(list) => {
            let parts: Vec<FormulaId> = list.iter().map(|cube| part(cube, true)).collect();
            store.or(parts)
        }
        Small::Product(list) => {
            let parts: Vec<FormulaId> = list.iter().map(|cube| part(cube, false)).collect();
            store.and(parts)
        }
    })
}

fn constant(value: bool) -> FormulaId {
    if value {
        FormulaId::TRUE
    } else {
        FormulaId::FALSE
    }
}

fn literal(store: &mut FormulaStore, p: PropId, positive: bool) -> FormulaId {
    let atom = store.atom_of(p);
    if positive { atom } else { store.not(atom) }
}

/// A smaller predicate for one that is a small tree, if there is one.
fn goal(predicate: &Predicate) -> Option<Predicate> {
    let (mut leaves, mut parts) = (Vec::new(), 0);
    if !collect(predicate, &mut leaves, &mut parts) {
        return None;
    }
    let smaller = small(parts, |manager| {
        function(manager, predicate, &leaves).map(Some)
    })?;
    let literal = |&(i, positive): &(u32, bool)| {
        let leaf = leaves[i as usize].clone();
        if positive { leaf } else { leaf.negate() }
    };
    Some(match smaller {
        Small::Constant(value) => Predicate::constant(value),
        Small::Sum(list) => {
            let parts = list
                .iter()
                .map(|cube| Predicate::all(cube.iter().map(literal)));
            Predicate::any(parts)
        }
        Small::Product(list) => {
            let parts = list
                .iter()
                .map(|cube| Predicate::any(cube.iter().map(literal)));
            Predicate::all(parts)
        }
    })
}

/// Collects different leaves, and counts all of them; whether there are few, of a small tree.
fn collect<'p>(predicate: &'p Predicate, leaves: &mut Vec<&'p Predicate>, all: &mut usize) -> bool {
    match predicate {
        Predicate::True | Predicate::False => true,
        Predicate::Not(inner) => collect(inner, leaves, all),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().all(|part| collect(part, leaves, all))
        }
        Predicate::Circuit(_) => false,
        leaf => {
            *all += 1;
            if leaf_of(leaf, leaves).is_none() {
                leaves.push(leaf);
            }
            leaves.len() <= BOOLEAN_ATOMS && *all <= TREE_PARTS as usize
        }
    }
}

/// The function of a predicate whose leaves were collected.
fn function(
    manager: &mut Manager,
    predicate: &Predicate,
    leaves: &[&Predicate],
) -> Result<Bdd, Stop> {
    Ok(match predicate {
        Predicate::True => Bdd::TRUE,
        Predicate::False => Bdd::FALSE,
        Predicate::Not(inner) => {
            let inner = function(manager, inner, leaves)?;
            manager.not(inner)?
        }
        Predicate::And(parts) => {
            let mut all = Bdd::TRUE;
            for part in parts {
                let part = function(manager, part, leaves)?;
                all = manager.and(all, part)?;
            }
            all
        }
        Predicate::Or(parts) => {
            let mut any = Bdd::FALSE;
            for part in parts {
                let part = function(manager, part, leaves)?;
                any = manager.or(any, part)?;
            }
            any
        }
        leaf => {
            let (i, positive) = leaf_of(leaf, leaves).expect("leaves were collected");
            manager.literal(i as u32, positive)?
        }
    })
}

/// Which leaf a predicate is, or of which one it is the complement.
fn leaf_of(predicate: &Predicate, leaves: &[&Predicate]) -> Option<(usize, bool)> {
    let find = |wanted: &Predicate| leaves.iter().position(|leaf| *leaf == wanted);
    let same = find(predicate).map(|i| (i, true));
    same.or_else(|| Some((find(&predicate.clone().negate())?, false)))
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::{GroupId, Relation, VarId};
    use dalsegno_logic::parse;
    use dalsegno_logic::random::{Config, Generator};

    use super::*;

    #[test]
    fn parts_of_formulas_are_small() {
        let mut store = FormulaStore::new();
        let cases = [
            ("G(a | !a)", "true"),
            ("A F(!(a | b) & a)", "A F false"),
            ("(a & b | a & !b) U X(c -> c | d)", "a U X true"),
            ("E G((a -> b) & (c -> d))", "E G((a -> b) & (c -> d))"),
            ("a & (b | !b) & F(b & !b | c)", "a & F c"),
        ];
        for (given, expected) in cases {
            let f = parse(&mut store, given).unwrap();
            let expected = parse(&mut store, expected).unwrap();
            let found = formula(&mut store, f);
            assert_eq!(found, expected, "{}", store.display(found));
        }
    }

    /// What formulas say of letters stays, and they do not grow.
    #[test]
    fn random_boolean_formulas_stay_what_they_are() {
        const NAMES: [&str; 4] = ["a", "b", "c", "d"];
        let mut store = FormulaStore::new();
        let config = Config::ltl().with_size(3..=25).with_propositions(NAMES);
        let mut generator = Generator::new(config.with_seed(5));
        let (mut boolean, mut smaller) = (0, 0);
        for _ in 0..3_000 {
            let f = generator.next_formula(&mut store);
            let g = formula(&mut store, f);
            assert!(
                store
                    .propositions(g)
                    .iter()
                    .all(|p| store.propositions(f).contains(p))
            );
            smaller += u32::from(g != f);
            if !store.is(f, Fragment::BOOLEAN) {
                continue;
            }
            boolean += 1;
            for letter in 0..1_u32 << NAMES.len() {
                let value = |store: &mut FormulaStore, f| {
                    store.substitute(f, |store, p| {
                        let at = NAMES.iter().position(|name| *name == store.name(p));
                        constant(letter >> at.unwrap() & 1 == 1)
                    })
                };
                let (before, after) = (value(&mut store, f), value(&mut store, g));
                assert_eq!(before, after, "{}", store.display(f));
            }
        }
        assert!(boolean > 20 && smaller > 100, "{boolean} {smaller}");
    }

    #[test]
    fn complements_are_known() {
        let at_most = |n| Predicate::single(VarId(0), Relation::Le, n);
        let enabled = |g| Predicate::Enabled(vec![GroupId(g)]);
        let either = Predicate::any([enabled(0), enabled(1)]);
        let none = Predicate::all([either.negate(), enabled(1)]);
        assert_eq!(goal(&none), Some(Predicate::False));
        let above = Predicate::single(VarId(0), Relation::Gt, 3);
        let all = Predicate::any([at_most(3), Predicate::all([above, enabled(0)])]);
        let expected = Predicate::any([at_most(3), enabled(0)]);
        let found = goal(&all).unwrap();
        assert!(found == expected || found == Predicate::any([enabled(0), at_most(3)]));
        assert_eq!(goal(&found), None);
    }
}
