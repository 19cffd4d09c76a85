//! Boolean subformulas as observed propositions.
//!
//! Testing automata are exponential in what they observe. Often a formula has many atoms and tells
//! apart little: `G((a & b & c) -> F(d & e))` looks at two Boolean functions of five atoms. So the
//! maximal Boolean subformulas become propositions of their own: the Boolean operands of each `&` and
//! `|` are taken together, a function and its negation count as one. Such propositions may depend on
//! each other, and then not every letter is possible: [`Observation::groups`] tells which are. Where
//! the atoms are no more than the functions, the atoms are observed.
//!
//! Cost: linear in the formula, plus the square of the number of functions, at most 256, plus 2^k bits per
//! subformula for the k ≤ 16 atoms that functions share.

use rustc_hash::FxHashMap;

use crate::fragment::Fragment;
use crate::simplify::Simplifier;
use crate::store::{FormulaId, FormulaStore, Node, PropId};

/// More shared atoms than this are not enumerated; every letter then counts as possible.
const MAX_SHARED_ATOMS: usize = 16;

/// With more functions than this, the atoms are observed.
const MAX_FUNCTIONS: usize = 256;

/// A group whose truth tables take more words than this is not enumerated.
const MAX_WORDS: usize = 1 << 22;

/// Larger formulas do not give a proposition its name.
const MAX_NAMED_SIZE: u64 = 1000;

/// A proposition of the observed formula and what it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Observed {
    /// The atom in the observed formula.
    pub proposition: PropId,
    /// A Boolean formula over the user's atoms.
    pub meaning: FormulaId,
}

/// Propositions that share atoms, and the combinations of values they can have together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Positions in [`Observation::propositions`], ascending.
    pub members: Vec<usize>,
    /// Bit i is the value of member i; ascending.
    pub letters: Vec<u64>,
}

/// A formula over observed propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The formula, equivalent to the original once the propositions are replaced by their meanings.
    pub formula: FormulaId,
    /// The propositions, in the order of their first use.
    pub propositions: Vec<Observed>,
    /// The groups in which some combination is impossible; all else is free.
    pub groups: Vec<Group>,
}

impl Observation {
    /// The observation of a formula's own atoms.
    pub fn of_atoms(store: &mut FormulaStore, f: FormulaId) -> Self {
        let propositions = store
            .propositions(f)
            .into_iter()
            .map(|proposition| Observed {
                proposition,
                meaning: store.atom_of(proposition),
            })
            .collect();
        Observation {
            formula: f,
            propositions,
            groups: Vec::new(),
        }
    }

    /// The observation of a formula's Boolean subformulas, or of its atoms if those are no more.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, observe::Observation, parse, simplify::Simplifier};
    /// let mut s = FormulaStore::new();
    /// let f = parse(&mut s, "G((a & b & !c) -> F(d | e))").unwrap();
    /// let observation = Observation::of_functions(&mut s, &mut Simplifier::new(), f);
    /// assert_eq!(observation.propositions.len(), 2);
    /// assert_eq!(s.display(observation.propositions[0].meaning).to_string(), "d | e");
    /// ```
    pub fn of_functions(
        store: &mut FormulaStore,
        simplifier: &mut Simplifier,
        f: FormulaId,
    ) -> Self {
        let simple = simplifier.simplify(store, f);
        let mut functions = Functions::default();
        let Some(formula) = functions.replace(store, simplifier, simple) else {
            return Observation::of_atoms(store, simple);
        };
        // Merging may have left functions behind that the formula no longer has.
        let used = store.propositions(formula);
        functions.found.retain(|o| used.contains(&o.proposition));
        if functions.found.len() >= store.propositions(simple).len() {
            return Observation::of_atoms(store, simple);
        }
        let groups = groups(store, &functions.found);
        Observation {
            formula,
            propositions: functions.found,
            groups,
        }
    }

    /// A formula over the observed propositions, in the user's atoms.
    pub fn expand(&self, store: &mut FormulaStore, f: FormulaId) -> FormulaId {
        store.substitute(f, |store, p| {
            self.propositions
                .iter()
                .find(|o| o.proposition == p)
                .map_or_else(|| store.atom_of(p), |o| o.meaning)
        })
    }
}

#[derive(Default)]
struct Functions {
    found: Vec<Observed>,
    /// Each Boolean formula met, as a proposition or its negation.
    literals: FxHashMap<FormulaId, FormulaId>,
}

impl Functions {
    /// `f`, in negation normal form, with its Boolean parts replaced; `None` if they are too many.
    fn replace(
        &mut self,
        s: &mut FormulaStore,
        simp: &mut Simplifier,
        f: FormulaId,
    ) -> Option<FormulaId> {
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for g in s.subformulas(f) {
            if s.is(g, Fragment::BOOLEAN) {
                continue;
            }
            if self.found.len() > MAX_FUNCTIONS {
                return None;
            }
            let (boolean, temporal): (Vec<_>, Vec<_>) =
                s.children(g).partition(|&h| s.is(h, Fragment::BOOLEAN));
            let mut operands: Vec<FormulaId> = temporal.iter().map(|h| done[h]).collect();
            let result = match s.node(g) {
                Node::And(_) => {
                    let together = s.and(boolean);
                    operands.push(self.literal(s, simp, together));
                    s.and(operands)
                }
                Node::Or(_) => {
                    let together = s.or(boolean);
                    operands.push(self.literal(s, simp, together));
                    s.or(operands)
                }
                _ => {
                    let children: Vec<FormulaId> = s.children(g).collect();
                    let operands: Vec<FormulaId> = children
                        .into_iter()
                        .map(|h| match done.get(&h) {
                            Some(&d) => d,
                            None => self.literal(s, simp, h),
                        })
                        .collect();
                    s.rebuild(g, &operands)
                }
            };
            done.insert(g, result);
        }
        Some(match done.get(&f) {
            Some(&g) => g,
            None => self.literal(s, simp, f),
        })
    }

    /// The proposition for a Boolean formula, or its negation, or a constant.
    fn literal(&mut self, s: &mut FormulaStore, simp: &mut Simplifier, f: FormulaId) -> FormulaId {
        if matches!(s.node(f), Node::True | Node::False) {
            return f;
        }
        if let Some(&literal) = self.literals.get(&f) {
            return literal;
        }
        let not_f = crate::nnf::nnf(s, f, true);
        let mut literal = None;
        for o in &self.found {
            let atom = s.atom_of(o.proposition);
            if simp.implies(s, f, o.meaning) && simp.implies(s, o.meaning, f) {
                literal = Some(atom);
            } else if simp.implies(s, not_f, o.meaning) && simp.implies(s, o.meaning, not_f) {
                literal = Some(s.not(atom));
            }
        }
        let literal = literal.unwrap_or_else(|| {
            // The form with fewer operators gives the name.
            let negative = s.size(not_f) < s.size(f);
            let meaning = if negative { not_f } else { f };
            let atom = fresh_atom(s, meaning);
            let Node::Atom(proposition) = s.node(atom) else {
                unreachable!("atoms are atoms")
            };
            self.found.push(Observed {
                proposition,
                meaning,
            });
            if negative { s.not(atom) } else { atom }
        });
        self.literals.insert(f, literal);
        literal
    }
}

/// An atom named like the text of a formula; if the user has an atom of that name, with a prime.
///
/// The text may be exponential in the formula: one that is very long is not made.
fn fresh_atom(s: &mut FormulaStore, meaning: FormulaId) -> FormulaId {
    if let Node::Atom(_) = s.node(meaning) {
        return meaning;
    }
    let mut name = if s.size(meaning) <= MAX_NAMED_SIZE {
        s.display(meaning).to_string()
    } else {
        format!("a function of {} atoms", s.propositions(meaning).len())
    };
    while s.proposition(&name).is_some() {
        name.push('\'');
    }
    s.atom(&name)
}

/// The groups of propositions that share atoms and cannot have all combinations of values.
fn groups(s: &FormulaStore, found: &[Observed]) -> Vec<Group> {
    let atoms: Vec<Vec<PropId>> = found.iter().map(|o| s.propositions(o.meaning)).collect();
    let mut group_of: Vec<usize> = (0..found.len()).collect();
    let mut user_of: FxHashMap<PropId, usize> = FxHashMap::default();
    for (i, atoms) in atoms.iter().enumerate() {
        for &p in atoms {
            let j = *user_of.entry(p).or_insert(i);
            let (old, new) = (group_of[i], group_of[j]);
            if old != new {
                let members = group_of.iter_mut().filter(|g| **g == old);
                members.for_each(|g| *g = new);
            }
        }
    }
    let mut groups = Vec::new();
    for root in 0..found.len() {
        let members: Vec<usize> = (0..found.len()).filter(|&i| group_of[i] == root).collect();
        let mut shared: Vec<PropId> = members.iter().flat_map(|&i| atoms[i].clone()).collect();
        shared.sort_unstable();
        shared.dedup();
        if members.is_empty() || members.len() > 63 || shared.len() > MAX_SHARED_ATOMS {
            continue;
        }
        let meanings: Vec<FormulaId> = members.iter().map(|&i| found[i].meaning).collect();
        let Some(tables) = tables(s, &meanings, &shared) else {
            continue;
        };
        let mut letters: Vec<u64> = (0..1usize << shared.len())
            .map(|row| {
                (0..).zip(&tables).fold(0, |letter, (bit, table)| {
                    letter | (table[row / 64] >> (row % 64) & 1) << bit
                })
            })
            .collect();
        letters.sort_unstable();
        letters.dedup();
        if (letters.len() as u64) < 1 << members.len() {
            groups.push(Group { members, letters });
        }
    }
    groups
}

/// The truth tables of Boolean formulas over the atoms `shared`: bit r is the value where atom i is bit i
/// of r. `None` if that would take much.
fn tables(s: &FormulaStore, fs: &[FormulaId], shared: &[PropId]) -> Option<Vec<Vec<u64>>> {
    let words = (1usize << shared.len()).div_ceil(64);
    let mut needed: Vec<FormulaId> = fs.iter().flat_map(|&f| s.subformulas(f)).collect();
    needed.sort_unstable();
    needed.dedup();
    if needed.len().saturating_mul(words) > MAX_WORDS {
        return None;
    }
    let mut done: FxHashMap<FormulaId, Vec<u64>> = FxHashMap::default();
    for g in needed {
        let zip = |l: FormulaId, r: FormulaId, op: fn(u64, u64) -> u64| -> Vec<u64> {
            let pairs = done[&l].iter().zip(&done[&r]);
            pairs.map(|(&x, &y)| op(x, y)).collect()
        };
        let fold = |fs: &[FormulaId], unit: u64, op: fn(u64, u64) -> u64| -> Vec<u64> {
            let mut table = vec![unit; words];
            for h in fs {
                for (x, &y) in table.iter_mut().zip(&done[h]) {
                    *x = op(*x, y);
                }
            }
            table
        };
        let table = match s.node(g) {
            Node::True => vec![u64::MAX; words],
            Node::Atom(p) => {
                let i = shared.binary_search(&p).unwrap_or(0);
                (0..words).map(|word| column(i, word)).collect()
            }
            Node::Not(h) => done[&h].iter().map(|&x| !x).collect(),
            Node::And(fs) => fold(fs, u64::MAX, |x, y| x & y),
            Node::Or(fs) => fold(fs, 0, |x, y| x | y),
            Node::Implies(l, r) => zip(l, r, |x, y| !x | y),
            Node::Iff(l, r) => zip(l, r, |x, y| !(x ^ y)),
            Node::Xor(l, r) => zip(l, r, |x, y| x ^ y),
            _ => vec![0; words],
        };
        done.insert(g, table);
    }
    Some(fs.iter().map(|f| done[f].clone()).collect())
}

/// A word of the truth table of atom `i`.
fn column(i: usize, word: usize) -> u64 {
    if i < 6 {
        (0..64).fold(0, |bits, row| bits | (row >> i & 1) << row)
    } else if word >> (i - 6) & 1 == 1 {
        u64::MAX
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn observe(text: &str) -> (FormulaStore, Observation) {
        let mut s = FormulaStore::new();
        let f = parse(&mut s, text).unwrap();
        let o = Observation::of_functions(&mut s, &mut Simplifier::new(), f);
        (s, o)
    }

    #[test]
    fn boolean_operands_are_taken_together() {
        let (s, o) = observe("G((!a & b & !c & d) -> F(!e & !f & g))");
        assert_eq!(o.propositions.len(), 2);
        assert!(o.groups.is_empty());
        assert_eq!(s.propositions(o.formula).len(), 2);
    }

    #[test]
    fn a_function_and_its_negation_are_one() {
        let (s, o) = observe("F((a & b & c) & X !(a & b & c))");
        assert_eq!(o.propositions.len(), 1);
        assert_eq!(s.size(o.formula), 6);
    }

    #[test]
    fn dependent_functions_have_fewer_letters() {
        let (_, o) = observe("GF(a & b & c) & GF(a & !b & d)");
        assert_eq!(o.propositions.len(), 2);
        assert_eq!(o.groups.len(), 1);
        assert_eq!(o.groups[0].letters, [0b00, 0b01, 0b10]);
    }

    #[test]
    fn few_atoms_are_observed_themselves() {
        let (s, o) = observe("GF(a & b) & GF(a | b) & GF(!a & b)");
        let names: Vec<&str> = o
            .propositions
            .iter()
            .map(|p| s.name(p.proposition))
            .collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn expanding_gives_the_formula_back() {
        let mut s = FormulaStore::new();
        let f = parse(&mut s, "G((a & b & !c) -> F(d | e))").unwrap();
        let mut simplifier = Simplifier::new();
        let o = Observation::of_functions(&mut s, &mut simplifier, f);
        let simple = simplifier.simplify(&mut s, f);
        let back = o.expand(&mut s, o.formula);
        assert_eq!(simplifier.simplify(&mut s, back), simple);
    }

    #[test]
    fn a_name_is_never_exponential() {
        let atoms: Vec<String> = (0..60).map(|i| format!("p{i}")).collect();
        let (s, o) = observe(&format!("F({})", atoms.join(" xor ")));
        let name = s.name(o.propositions[0].proposition);
        assert_eq!(name, "a function of 60 atoms");
    }

    #[test]
    fn an_atom_that_looks_like_a_function_is_kept_apart() {
        let (s, o) = observe("G(\"a & b\" -> F(a & b & c))");
        let names: Vec<&str> = o
            .propositions
            .iter()
            .map(|p| s.name(p.proposition))
            .collect();
        assert_eq!(names.len(), 2);
        assert_ne!(names[0], names[1]);
    }

    #[test]
    fn many_functions_of_few_atoms_are_no_trouble() {
        // Eighty functions of seven atoms: more than a letter has bits.
        let cube = |m: u32| {
            let literal = |i: u32| format!("{}p{i}", if m >> i & 1 == 1 { "" } else { "!" });
            (0..7).map(literal).collect::<Vec<_>>().join(" & ")
        };
        let parts: Vec<String> = (0..80).map(|m| format!("F({})", cube(m))).collect();
        let (_, o) = observe(&parts.join(" & "));
        assert_eq!(o.propositions.len(), 7);
        let atoms: Vec<String> = (0..16).map(|i| format!("p{i}")).collect();
        let xor = atoms.join(" xor ");
        let (_, o) = observe(&format!("F({xor}) & G F({})", atoms.join(" & ")));
        assert_eq!(o.groups.len(), 1);
        assert_eq!(o.groups[0].letters, [0b00, 0b01, 0b10]);
    }
}
