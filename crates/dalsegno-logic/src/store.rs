//! Hash-consed formulas of LTL, CTL and CTL*.
//!
//! A [`FormulaStore`] owns every formula; a [`FormulaId`] is a 32-bit handle into it, so equality
//! of formulas is equality of handles. Invariants:
//!
//! 1. Children are stored before their parents: `child < parent` for handles. Every pass over a
//!    formula is therefore a loop over ascending handles, and no nesting is too deep for it.
//! 2. Two handles are equal if and only if the nodes are (hash-consing).
//! 3. `And` and `Or` have at least two children, ascending by handle, without repetition, none of
//!    them of the same operator, no constant, no child together with its negation.
//! 4. No `Not` above a constant or a `Not`.
//!
//! The constructors restore 3 and 4 by trivial identities only (`f & true = f`, `F true = true`);
//! everything that needs thought is in [`crate::simplify`].

use std::fmt;
use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::fragment::{self, Fragment};

/// A formula in a [`FormulaStore`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormulaId(u32);

impl FormulaId {
    /// The formula `true`, the same in every store.
    pub const TRUE: FormulaId = FormulaId(0);
    /// The formula `false`, the same in every store.
    pub const FALSE: FormulaId = FormulaId(1);

    /// The position in the store, below [`FormulaStore::len`].
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for FormulaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f{}", self.0)
    }
}

/// An atomic proposition: an index into the names of a [`FormulaStore`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PropId(u32);

impl PropId {
    /// The position among the names of the store.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The outermost operator of a formula with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variants are the operators of the logic")]
pub enum Node<'a> {
    True,
    False,
    Atom(PropId),
    Not(FormulaId),
    And(&'a [FormulaId]),
    Or(&'a [FormulaId]),
    Implies(FormulaId, FormulaId),
    Iff(FormulaId, FormulaId),
    Xor(FormulaId, FormulaId),
    /// `X f`
    Next(FormulaId),
    /// `F f`
    Finally(FormulaId),
    /// `G f`
    Globally(FormulaId),
    /// `f U g`
    Until(FormulaId, FormulaId),
    /// `f R g`
    Release(FormulaId, FormulaId),
    /// `f W g`
    WeakUntil(FormulaId, FormulaId),
    /// `f M g`
    StrongRelease(FormulaId, FormulaId),
    /// `E f`
    Exists(FormulaId),
    /// `A f`
    Forall(FormulaId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
enum Op {
    True,
    False,
    Atom,
    Not,
    And,
    Or,
    Implies,
    Iff,
    Xor,
    Next,
    Finally,
    Globally,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    Exists,
    Forall,
}

/// `a` and `b` are operands, or for `And` and `Or` the start and end of the children in `lists`.
#[derive(Clone, Copy, Debug)]
struct Packed {
    op: Op,
    fragment: Fragment,
    a: u32,
    b: u32,
}

/// The arena of formulas; see the module's invariants.
#[derive(Clone, Debug)]
pub struct FormulaStore {
    nodes: Vec<Packed>,
    lists: Vec<FormulaId>,
    unique: HashTable<u32>,
    names: Vec<String>,
    by_name: FxHashMap<String, PropId>,
}

impl Default for FormulaStore {
    fn default() -> Self {
        Self::new()
    }
}

impl FormulaStore {
    /// A store that holds only `true` and `false`.
    #[must_use]
    pub fn new() -> Self {
        let mut store = FormulaStore {
            nodes: Vec::new(),
            lists: Vec::new(),
            unique: HashTable::new(),
            names: Vec::new(),
            by_name: FxHashMap::default(),
        };
        store.intern(Node::True);
        store.intern(Node::False);
        store
    }

    /// Forgets all formulas and names but `true` and `false`, and keeps the tables for others. No handle but theirs is
    /// valid from then on.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.lists.clear();
        self.unique.clear();
        self.names.clear();
        self.by_name.clear();
        self.intern(Node::True);
        self.intern(Node::False);
    }

    /// How many formulas are stored.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a store is never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes of the tables, roughly.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let nodes = self.nodes.capacity() * size_of::<Packed>();
        let lists = self.lists.capacity() * size_of::<FormulaId>();
        let unique = self.unique.capacity() * (size_of::<u32>() + 1);
        (nodes + lists + unique) as u64
    }

    /// The outermost operator of `f`.
    #[inline]
    #[must_use]
    pub fn node(&self, f: FormulaId) -> Node<'_> {
        let Packed { op, a, b, .. } = self.nodes[f.index()];
        let (l, r) = (FormulaId(a), FormulaId(b));
        match op {
            Op::True => Node::True,
            Op::False => Node::False,
            Op::Atom => Node::Atom(PropId(a)),
            Op::Not => Node::Not(l),
            Op::And => Node::And(&self.lists[a as usize..b as usize]),
            Op::Or => Node::Or(&self.lists[a as usize..b as usize]),
            Op::Implies => Node::Implies(l, r),
            Op::Iff => Node::Iff(l, r),
            Op::Xor => Node::Xor(l, r),
            Op::Next => Node::Next(l),
            Op::Finally => Node::Finally(l),
            Op::Globally => Node::Globally(l),
            Op::Until => Node::Until(l, r),
            Op::Release => Node::Release(l, r),
            Op::WeakUntil => Node::WeakUntil(l, r),
            Op::StrongRelease => Node::StrongRelease(l, r),
            Op::Exists => Node::Exists(l),
            Op::Forall => Node::Forall(l),
        }
    }

    /// The syntactic fragments that `f` belongs to.
    #[inline]
    #[must_use]
    pub fn fragment(&self, f: FormulaId) -> Fragment {
        self.nodes[f.index()].fragment
    }

    /// Whether `f` belongs to all of `fragments`.
    #[inline]
    #[must_use]
    pub fn is(&self, f: FormulaId, fragments: Fragment) -> bool {
        self.fragment(f).contains(fragments)
    }

    /// The direct operands of `f`, left to right.
    pub fn children(&self, f: FormulaId) -> impl Iterator<Item = FormulaId> + '_ {
        let Packed { op, a, b, .. } = self.nodes[f.index()];
        let (list, pair): (&[FormulaId], [Option<FormulaId>; 2]) = match op {
            Op::True | Op::False | Op::Atom => (&[], [None, None]),
            Op::And | Op::Or => (&self.lists[a as usize..b as usize], [None, None]),
            Op::Not | Op::Next | Op::Finally | Op::Globally | Op::Exists | Op::Forall => {
                (&[], [Some(FormulaId(a)), None])
            }
            _ => (&[], [Some(FormulaId(a)), Some(FormulaId(b))]),
        };
        list.iter().copied().chain(pair.into_iter().flatten())
    }

    /// The subformulas of `f`, `f` included, each once, operands before operators.
    #[must_use]
    pub fn subformulas(&self, f: FormulaId) -> Vec<FormulaId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut found = vec![f];
        seen.insert(f);
        let mut next = 0;
        while let Some(&g) = found.get(next) {
            next += 1;
            for child in self.children(g) {
                if seen.insert(child) {
                    found.push(child);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The propositions of `f`, in the order in which the store came to know them.
    #[must_use]
    pub fn propositions(&self, f: FormulaId) -> Vec<PropId> {
        let mut props: Vec<PropId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.node(g) {
                Node::Atom(p) => Some(p),
                _ => None,
            })
            .collect();
        props.sort_unstable();
        props
    }

    /// The number of operators and atoms of `f` written out; saturates.
    #[must_use]
    pub fn size(&self, f: FormulaId) -> u64 {
        let mut sizes: FxHashMap<FormulaId, u64> = FxHashMap::default();
        for g in self.subformulas(f) {
            let below = self
                .children(g)
                .fold(0u64, |sum, child| sum.saturating_add(sizes[&child]));
            let operators = match self.node(g) {
                Node::And(fs) | Node::Or(fs) => fs.len() as u64 - 1,
                _ => 1,
            };
            sizes.insert(g, below.saturating_add(operators));
        }
        sizes[&f]
    }

    /// The name of a proposition.
    #[inline]
    #[must_use]
    pub fn name(&self, p: PropId) -> &str {
        &self.names[p.index()]
    }

    /// The proposition called `name`, if some formula has it.
    #[must_use]
    pub fn proposition(&self, name: &str) -> Option<PropId> {
        self.by_name.get(name).copied()
    }

    /// The atomic formula called `name`.
    pub fn atom(&mut self, name: &str) -> FormulaId {
        let p = if let Some(&p) = self.by_name.get(name) {
            p
        } else {
            let p = PropId(index32(self.names.len()));
            self.names.push(name.to_owned());
            self.by_name.insert(name.to_owned(), p);
            p
        };
        self.intern(Node::Atom(p))
    }

    /// The atomic formula of a proposition that the store already knows.
    pub fn atom_of(&mut self, p: PropId) -> FormulaId {
        self.intern(Node::Atom(p))
    }

    /// `!f`
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        match self.node(f) {
            Node::True => FormulaId::FALSE,
            Node::False => FormulaId::TRUE,
            Node::Not(g) => g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// The conjunction of any number of formulas.
    pub fn and(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.nary(Op::And, operands)
    }

    /// The disjunction of any number of formulas.
    pub fn or(&mut self, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        self.nary(Op::Or, operands)
    }

    fn nary(&mut self, op: Op, operands: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        let (unit, zero) = match op {
            Op::And => (FormulaId::TRUE, FormulaId::FALSE),
            _ => (FormulaId::FALSE, FormulaId::TRUE),
        };
        let mut list: Vec<FormulaId> = Vec::new();
        for f in operands {
            let packed = self.nodes[f.index()];
            if packed.op == op {
                list.extend_from_slice(&self.lists[packed.a as usize..packed.b as usize]);
            } else if f == zero {
                return zero;
            } else if f != unit {
                list.push(f);
            }
        }
        list.sort_unstable();
        list.dedup();
        let contradicts =
            |&f: &FormulaId| matches!(self.node(f), Node::Not(g) if list.binary_search(&g).is_ok());
        if list.iter().any(contradicts) {
            return zero;
        }
        match (list.as_slice(), op) {
            ([], _) => unit,
            (&[f], _) => f,
            (fs, Op::And) => self.intern(Node::And(fs)),
            (fs, _) => self.intern(Node::Or(fs)),
        }
    }

    /// `f -> g`
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (FormulaId::FALSE, _) | (_, FormulaId::TRUE) => FormulaId::TRUE,
            (FormulaId::TRUE, _) => g,
            (_, FormulaId::FALSE) => self.not(f),
            _ if f == g => FormulaId::TRUE,
            _ => self.intern(Node::Implies(f, g)),
        }
    }

    /// `f <-> g`
    pub fn iff(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (FormulaId::TRUE, h) | (h, FormulaId::TRUE) => h,
            (FormulaId::FALSE, h) | (h, FormulaId::FALSE) => self.not(h),
            _ if f == g => FormulaId::TRUE,
            _ => self.intern(Node::Iff(f.min(g), f.max(g))),
        }
    }

    /// `f xor g`
    pub fn xor(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (FormulaId::FALSE, h) | (h, FormulaId::FALSE) => h,
            (FormulaId::TRUE, h) | (h, FormulaId::TRUE) => self.not(h),
            _ if f == g => FormulaId::FALSE,
            _ => self.intern(Node::Xor(f.min(g), f.max(g))),
        }
    }

    /// `X f`, also of a constant: at a dead end, `E X true` may be false and `A X false` true.
    pub fn next(&mut self, f: FormulaId) -> FormulaId {
        self.intern(Node::Next(f))
    }

    /// `F f`
    pub fn finally(&mut self, f: FormulaId) -> FormulaId {
        match self.node(f) {
            Node::Finally(_) => f,
            _ => self.unary(f, Node::Finally(f)),
        }
    }

    /// `G f`
    pub fn globally(&mut self, f: FormulaId) -> FormulaId {
        match self.node(f) {
            Node::Globally(_) => f,
            _ => self.unary(f, Node::Globally(f)),
        }
    }

    /// `f U g`
    pub fn until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (FormulaId::TRUE, _) => self.finally(g),
            (FormulaId::FALSE, _) | (_, FormulaId::TRUE | FormulaId::FALSE) => g,
            _ if f == g => g,
            _ => self.intern(Node::Until(f, g)),
        }
    }

    /// `f R g`
    pub fn release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (FormulaId::FALSE, _) => self.globally(g),
            (FormulaId::TRUE, _) | (_, FormulaId::TRUE | FormulaId::FALSE) => g,
            _ if f == g => g,
            _ => self.intern(Node::Release(f, g)),
        }
    }

    /// `f W g`
    pub fn weak_until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (_, FormulaId::FALSE) => self.globally(f),
            (FormulaId::FALSE, _) => g,
            (FormulaId::TRUE, _) | (_, FormulaId::TRUE) => FormulaId::TRUE,
            _ if f == g => g,
            _ => self.intern(Node::WeakUntil(f, g)),
        }
    }

    /// `f M g`
    pub fn strong_release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (f, g) {
            (_, FormulaId::TRUE) => self.finally(f),
            (FormulaId::TRUE, _) => g,
            (FormulaId::FALSE, _) | (_, FormulaId::FALSE) => FormulaId::FALSE,
            _ if f == g => g,
            _ => self.intern(Node::StrongRelease(f, g)),
        }
    }

    /// `E f`: some path from here satisfies `f`. Also of a constant: there may be no path that counts.
    pub fn exists(&mut self, f: FormulaId) -> FormulaId {
        self.intern(Node::Exists(f))
    }

    /// `A f`: every path from here satisfies `f`. Also of a constant: there may be no path that counts.
    pub fn forall(&mut self, f: FormulaId) -> FormulaId {
        self.intern(Node::Forall(f))
    }

    /// `F` or `G`, which keep constants: they speak of the first position too.
    fn unary(&mut self, f: FormulaId, node: Node<'_>) -> FormulaId {
        match f {
            FormulaId::TRUE | FormulaId::FALSE => f,
            _ => self.intern(node),
        }
    }

    /// The same operator as `f` over other operands, as many as `f` has.
    ///
    /// # Panics
    /// If there are fewer operands than `f` has.
    pub fn rebuild(&mut self, f: FormulaId, operands: &[FormulaId]) -> FormulaId {
        match self.node(f) {
            Node::True | Node::False | Node::Atom(_) => f,
            Node::Not(_) => self.not(operands[0]),
            Node::And(_) => self.and(operands.iter().copied()),
            Node::Or(_) => self.or(operands.iter().copied()),
            Node::Implies(..) => self.implies(operands[0], operands[1]),
            Node::Iff(..) => self.iff(operands[0], operands[1]),
            Node::Xor(..) => self.xor(operands[0], operands[1]),
            Node::Next(_) => self.next(operands[0]),
            Node::Finally(_) => self.finally(operands[0]),
            Node::Globally(_) => self.globally(operands[0]),
            Node::Until(..) => self.until(operands[0], operands[1]),
            Node::Release(..) => self.release(operands[0], operands[1]),
            Node::WeakUntil(..) => self.weak_until(operands[0], operands[1]),
            Node::StrongRelease(..) => self.strong_release(operands[0], operands[1]),
            Node::Exists(_) => self.exists(operands[0]),
            Node::Forall(_) => self.forall(operands[0]),
        }
    }

    /// `f` with every proposition replaced by a formula.
    pub fn substitute(
        &mut self,
        f: FormulaId,
        mut replacement: impl FnMut(&mut Self, PropId) -> FormulaId,
    ) -> FormulaId {
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        let mut operands = Vec::new();
        for g in self.subformulas(f) {
            let result = if let Node::Atom(p) = self.node(g) {
                replacement(self, p)
            } else {
                operands.clear();
                operands.extend(self.children(g).map(|child| done[&child]));
                self.rebuild(g, &operands)
            };
            done.insert(g, result);
        }
        done[&f]
    }

    fn intern(&mut self, node: Node<'_>) -> FormulaId {
        let hash = hash_of(node);
        let found = self
            .unique
            .find(hash, |&i| self.node(FormulaId(i)) == node)
            .copied();
        if let Some(i) = found {
            return FormulaId(i);
        }
        let fragment = fragment::of_node(self, node);
        let (op, a, b) = match node {
            Node::True => (Op::True, 0, 0),
            Node::False => (Op::False, 0, 0),
            Node::Atom(p) => (Op::Atom, p.0, 0),
            Node::Not(f) => (Op::Not, f.0, 0),
            Node::And(fs) => self.list(Op::And, fs),
            Node::Or(fs) => self.list(Op::Or, fs),
            Node::Implies(f, g) => (Op::Implies, f.0, g.0),
            Node::Iff(f, g) => (Op::Iff, f.0, g.0),
            Node::Xor(f, g) => (Op::Xor, f.0, g.0),
            Node::Next(f) => (Op::Next, f.0, 0),
            Node::Finally(f) => (Op::Finally, f.0, 0),
            Node::Globally(f) => (Op::Globally, f.0, 0),
            Node::Until(f, g) => (Op::Until, f.0, g.0),
            Node::Release(f, g) => (Op::Release, f.0, g.0),
            Node::WeakUntil(f, g) => (Op::WeakUntil, f.0, g.0),
            Node::StrongRelease(f, g) => (Op::StrongRelease, f.0, g.0),
            Node::Exists(f) => (Op::Exists, f.0, 0),
            Node::Forall(f) => (Op::Forall, f.0, 0),
        };
        let id = index32(self.nodes.len());
        self.nodes.push(Packed { op, fragment, a, b });
        let mut unique = std::mem::take(&mut self.unique);
        unique.insert_unique(hash, id, |&i| hash_of(self.node(FormulaId(i))));
        self.unique = unique;
        FormulaId(id)
    }

    fn list(&mut self, op: Op, fs: &[FormulaId]) -> (Op, u32, u32) {
        let start = index32(self.lists.len());
        self.lists.extend_from_slice(fs);
        (op, start, index32(self.lists.len()))
    }
}

fn index32(n: usize) -> u32 {
    u32::try_from(n).expect("more than 2^32 formulas")
}

fn hash_of(node: Node<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    match node {
        Node::And(fs) => (Op::And, fs).hash(&mut hasher),
        Node::Or(fs) => (Op::Or, fs).hash(&mut hasher),
        Node::True => Op::True.hash(&mut hasher),
        Node::False => Op::False.hash(&mut hasher),
        Node::Atom(p) => (Op::Atom, p).hash(&mut hasher),
        Node::Not(f) => (Op::Not, f).hash(&mut hasher),
        Node::Implies(f, g) => (Op::Implies, f, g).hash(&mut hasher),
        Node::Iff(f, g) => (Op::Iff, f, g).hash(&mut hasher),
        Node::Xor(f, g) => (Op::Xor, f, g).hash(&mut hasher),
        Node::Next(f) => (Op::Next, f).hash(&mut hasher),
        Node::Finally(f) => (Op::Finally, f).hash(&mut hasher),
        Node::Globally(f) => (Op::Globally, f).hash(&mut hasher),
        Node::Until(f, g) => (Op::Until, f, g).hash(&mut hasher),
        Node::Release(f, g) => (Op::Release, f, g).hash(&mut hasher),
        Node::WeakUntil(f, g) => (Op::WeakUntil, f, g).hash(&mut hasher),
        Node::StrongRelease(f, g) => (Op::StrongRelease, f, g).hash(&mut hasher),
        Node::Exists(f) => (Op::Exists, f).hash(&mut hasher),
        Node::Forall(f) => (Op::Forall, f).hash(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_have_equal_handles() {
        let mut s = FormulaStore::new();
        let (a, b) = (s.atom("a"), s.atom("b"));
        let f = s.and([a, b]);
        assert_eq!(f, s.and([b, a, b]));
        assert_eq!(s.until(a, f), s.until(a, f));
        assert_ne!(s.until(a, b), s.until(b, a));
    }

    #[test]
    fn a_cleared_store_is_as_new() {
        let mut s = FormulaStore::new();
        let (a, b) = (s.atom("a"), s.atom("b"));
        s.until(a, b);
        s.clear();
        assert_eq!(s.len(), FormulaStore::new().len());
        assert_eq!(s.proposition("a"), None);
        let (b, a) = (s.atom("b"), s.atom("a"));
        let f = s.and([a, b]);
        assert_eq!(s.display(f).to_string(), "b & a");
        assert_eq!(s.not(FormulaId::TRUE), FormulaId::FALSE);
    }

    #[test]
    fn conjunctions_are_flat_and_consistent() {
        let mut s = FormulaStore::new();
        let (a, b, c) = (s.atom("a"), s.atom("b"), s.atom("c"));
        let ab = s.and([a, b]);
        let abc = s.and([ab, c]);
        assert_eq!(s.node(abc), Node::And(&[a, b, c]));
        let not_b = s.not(b);
        assert_eq!(s.and([abc, not_b]), FormulaId::FALSE);
        assert_eq!(s.or([a, FormulaId::FALSE]), a);
        assert_eq!(s.and([]), FormulaId::TRUE);
    }

    #[test]
    fn operands_come_before_operators_however_deep() {
        let mut s = FormulaStore::new();
        let mut f = s.atom("a");
        for _ in 0..100_000 {
            f = s.next(f);
        }
        let all = s.subformulas(f);
        assert_eq!(all.len(), 100_001);
        assert!(all.is_sorted());
        assert_eq!(s.size(f), 100_001);
    }

    #[test]
    fn fragments_follow_the_hierarchy() {
        let mut s = FormulaStore::new();
        let (a, b) = (s.atom("a"), s.atom("b"));
        let ga = s.globally(a);
        let fb = s.finally(b);
        let response = s.implies(a, fb);
        let response = s.globally(response);
        let fga = s.finally(ga);
        assert!(s.is(ga, Fragment::SAFETY));
        assert!(s.is(fb, Fragment::GUARANTEE));
        assert!(!s.is(response, Fragment::OBLIGATION));
        assert!(s.is(response, Fragment::RECURRENCE));
        assert!(
            s.is(
                fga,
                Fragment::PERSISTENCE
                    .union(Fragment::EVENTUAL)
                    .union(Fragment::UNIVERSAL)
            )
        );
        let either = s.or([ga, fb]);
        assert_eq!(s.fragment(either).class_name(), "obligation");
    }

    #[test]
    fn ctl_is_told_from_ctl_star() {
        let mut s = FormulaStore::new();
        let a = s.atom("a");
        let fa = s.finally(a);
        let efa = s.exists(fa);
        let agefa = s.globally(efa);
        let agefa = s.forall(agefa);
        assert!(s.is(agefa, Fragment::CTL));
        let gfa = s.globally(fa);
        let agfa = s.forall(gfa);
        assert!(!s.is(agfa, Fragment::CTL));
        assert!(s.is(agfa, Fragment::STATE));
        assert!(!s.is(agfa, Fragment::LTL));
        assert!(s.is(gfa, Fragment::LTL));
    }
}
