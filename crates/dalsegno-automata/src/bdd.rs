//! Reduced ordered binary decision diagrams, small and without set-up.
//!
//! Guards of automata, the next-step formulas of the translation and the signatures of the
//! simulation are diagrams of tens of nodes over variables that appear as the work goes on. A
//! manager here is four empty vectors when it is born, so a formula pays only for the nodes that
//! it needs. Diagrams are hash-consed: equal functions have equal handles. Nothing is collected; a
//! manager lives as long as one automaton is being made.
//!
//! Recursion is as deep as the number of variables, which the users of this module bound.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use dalsegno_kripke::{Budget, Letter, Stop};

/// A Boolean function in a [`Manager`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bdd(u32);

/// A variable; a smaller number is nearer to the root.
pub type Var = u32;

/// A conjunction of literals: variables, ascending, each with its sign.
pub type Cube = Vec<(Var, bool)>;

impl Bdd {
    /// The constant false.
    pub const FALSE: Bdd = Bdd(0);
    /// The constant true.
    pub const TRUE: Bdd = Bdd(1);

    /// Whether this is one of the two constants.
    #[inline]
    #[must_use]
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The position in the manager: children come before parents.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

const LEAF: Var = Var::MAX;

/// The most nodes that a watched manager makes.
const MAX_NODES: usize = 1 << 25;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Inner {
    var: Var,
    low: Bdd,
    high: Bdd,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Op {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug)]
struct Cached {
    op: Op,
    a: Bdd,
    b: Bdd,
    result: Bdd,
}

/// The owner of diagrams.
#[derive(Clone, Debug)]
pub struct Manager {
    nodes: Vec<Inner>,
    unique: HashTable<u32>,
    /// Direct-mapped results of binary operations; a power of two of slots, growing with `nodes`.
    cache: Vec<Option<Cached>>,
    /// Limits of the operations, if any, and whether they were reached.
    watch: Option<Budget>,
    stopped: Option<Stop>,
}

impl Default for Manager {
    fn default() -> Self {
        Self::new()
    }
}

impl Manager {
    /// A manager that holds the two constants.
    #[must_use]
    pub fn new() -> Self {
        let leaf = |b| Inner {
            var: LEAF,
            low: b,
            high: b,
        };
        Manager {
            nodes: vec![leaf(Bdd::FALSE), leaf(Bdd::TRUE)],
            unique: HashTable::new(),
            cache: vec![None; 64],
            watch: None,
            stopped: None,
        }
    }

    /// Watches a budget during operations, or nothing.
    ///
    /// When it runs out, or there are 2^25 nodes, operations return quickly and wrongly, and
    /// [`Manager::stopped`] tells why: whoever sets a watch asks that before using any result.
    pub fn watch(&mut self, budget: Option<&Budget>) {
        self.watch = budget.cloned();
    }

    /// Why operations were given up, if they were.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.stopped
    }

    /// The number of nodes ever made.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The variable at the root, or [`Var::MAX`] for a constant.
    #[inline]
    #[must_use]
    pub fn var(&self, f: Bdd) -> Var {
        self.nodes[f.0 as usize].var
    }

    /// What `f` becomes when its root variable is false.
    #[inline]
    #[must_use]
    pub fn low(&self, f: Bdd) -> Bdd {
        self.nodes[f.0 as usize].low
    }

    /// What `f` becomes when its root variable is true.
    #[inline]
    #[must_use]
    pub fn high(&self, f: Bdd) -> Bdd {
        self.nodes[f.0 as usize].high
    }

    fn cofactors(&self, f: Bdd, var: Var) -> (Bdd, Bdd) {
        let node = self.nodes[f.0 as usize];
        if node.var == var {
            (node.low, node.high)
        } else {
            (f, f)
        }
    }

    /// The function `if var then high else low`.
    ///
    /// `var` must be above the roots of `low` and `high`.
    ///
    /// # Panics
    /// If there are 2^32 nodes already.
    pub fn node(&mut self, var: Var, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let inner = Inner { var, low, high };
        debug_assert!(var < self.var(low) && var < self.var(high));
        let hash = hash_of(&inner);
        let nodes = &self.nodes;
        if let Some(&i) = self.unique.find(hash, |&i| nodes[i as usize] == inner) {
            return Bdd(i);
        }
        let id = u32::try_from(nodes.len()).expect("more than 2^32 diagram nodes");
        self.nodes.push(inner);
        let nodes = &self.nodes;
        self.unique
            .insert_unique(hash, id, |&i| hash_of(&nodes[i as usize]));
        if self.nodes.len() > 2 * self.cache.len() {
            self.cache = vec![None; 2 * self.cache.len()];
        }
        if self.nodes.len().is_multiple_of(1 << 14)
            && let Some(budget) = &self.watch
        {
            self.stopped = match budget.check() {
                Err(stop) => Some(stop),
                Ok(()) if self.nodes.len() >= MAX_NODES => Some(Stop::Memory),
                Ok(()) => None,
            };
        }
        Bdd(id)
    }

    /// The variable itself.
    pub fn variable(&mut self, var: Var) -> Bdd {
        self.node(var, Bdd::FALSE, Bdd::TRUE)
    }

    /// The variable or its negation.
    pub fn literal(&mut self, var: Var, positive: bool) -> Bdd {
        if positive {
            self.node(var, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.node(var, Bdd::TRUE, Bdd::FALSE)
        }
    }

    /// Conjunction.
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Op::And, f, g)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Op::Or, f, g)
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Bdd {
        self.apply(Op::Xor, f, g)
    }

    /// Negation.
    pub fn not(&mut self, f: Bdd) -> Bdd {
        self.apply(Op::Xor, f, Bdd::TRUE)
    }

    /// `f` without `g`.
    pub fn minus(&mut self, f: Bdd, g: Bdd) -> Bdd {
        let not_g = self.not(g);
        self.and(f, not_g)
    }

    /// Whether every assignment of `f` is one of `g`.
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> bool {
        f == g || self.or(f, g) == g
    }

    /// Whether no assignment satisfies both.
    pub fn disjoint(&mut self, f: Bdd, g: Bdd) -> bool {
        self.and(f, g) == Bdd::FALSE
    }

    fn apply(&mut self, op: Op, f: Bdd, g: Bdd) -> Bdd {
        if self.stopped.is_some() {
            return Bdd::FALSE;
        }
        let (f, g) = if f <= g { (f, g) } else { (g, f) };
        // f <= g, so a constant operand, if any, is f or both.
        match (op, f, g) {
            (Op::And, Bdd::FALSE, _) => return Bdd::FALSE,
            (Op::And, Bdd::TRUE, _) | (Op::Or | Op::Xor, Bdd::FALSE, _) => return g,
            (Op::Or, Bdd::TRUE, _) => return Bdd::TRUE,
            (Op::And | Op::Or, ..) if f == g => return f,
            (Op::Xor, ..) if f == g => return Bdd::FALSE,
            _ => {}
        }
        let hash = hash_of(&(op, f, g));
        let slot = hash as usize & (self.cache.len() - 1);
        if let Some(hit) = self.cache[slot]
            && hit.op == op
            && hit.a == f
            && hit.b == g
        {
            return hit.result;
        }
        let var = self.var(f).min(self.var(g));
        let (f0, f1) = self.cofactors(f, var);
        let (g0, g1) = self.cofactors(g, var);
        let low = self.apply(op, f0, g0);
        let high = self.apply(op, f1, g1);
        let result = self.node(var, low, high);
        let slot = hash as usize & (self.cache.len() - 1);
        self.cache[slot] = Some(Cached {
            op,
            a: f,
            b: g,
            result,
        });
        result
    }

    /// Whether the letter satisfies `f`, a function of variables below 64.
    #[must_use]
    pub fn holds(&self, mut f: Bdd, letter: Letter) -> bool {
        while !f.is_constant() {
            let node = self.nodes[f.0 as usize];
            f = if letter.holds(node.var as usize) {
                node.high
            } else {
                node.low
            };
        }
        f == Bdd::TRUE
    }

    /// The function that holds exactly on `letter`, seen over the first `n` variables.
    pub fn minterm(&mut self, letter: Letter, n: usize) -> Bdd {
        let mut f = Bdd::TRUE;
        for i in (0..n).rev() {
            f = if letter.holds(i) {
                self.node(i as Var, Bdd::FALSE, f)
            } else {
                self.node(i as Var, f, Bdd::FALSE)
            };
        }
        f
    }

    /// One letter that satisfies `f`, variables not mentioned being false.
    #[must_use]
    pub fn pick(&self, mut f: Bdd) -> Option<Letter> {
        let mut letter = Letter::default();
        while !f.is_constant() {
            let node = self.nodes[f.0 as usize];
            if node.low == Bdd::FALSE {
                letter = letter.with(node.var as usize, true);
                f = node.high;
            } else {
                f = node.low;
            }
        }
        (f == Bdd::TRUE).then_some(letter)
    }

    /// The letters over `n` variables that satisfy `f`, ascending.
    #[must_use]
    pub fn letters(&self, f: Bdd, n: usize) -> Vec<Letter> {
        let mut found = Vec::new();
        let mut stack = vec![(f, 0usize, Letter::default())];
        while let Some((f, i, letter)) = stack.pop() {
            if f == Bdd::FALSE {
                continue;
            }
            if i == n {
                found.push(letter);
                continue;
            }
            let (low, high) = self.cofactors(f, i as Var);
            stack.push((low, i + 1, letter));
            stack.push((high, i + 1, letter.with(i, true)));
        }
        found.sort_unstable();
        found
    }

    /// The number of letters over the variables `0..n` that satisfy `f`; saturates.
    #[must_use]
    pub fn count(&self, f: Bdd, n: usize) -> u64 {
        // count(f) = letters over the variables from var(f) on.
        fn level(m: &Manager, f: Bdd, n: usize) -> usize {
            (m.var(f) as usize).min(n)
        }
        fn go(m: &Manager, f: Bdd, n: usize, memo: &mut FxHashMap<Bdd, u128>) -> u128 {
            if f.is_constant() {
                return u128::from(f == Bdd::TRUE);
            }
            if let Some(&c) = memo.get(&f) {
                return c;
            }
            let at = level(m, f, n);
            let (low, high) = (m.low(f), m.high(f));
            let c = (go(m, low, n, memo) << (level(m, low, n) - at - 1))
                + (go(m, high, n, memo) << (level(m, high, n) - at - 1));
            memo.insert(f, c);
            c
        }
        let c = go(self, f, n, &mut FxHashMap::default()) << level(self, f, n);
        u64::try_from(c).unwrap_or(u64::MAX)
    }

    /// The variables that `f` depends on, ascending.
    #[must_use]
    pub fn support(&self, f: Bdd) -> Vec<Var> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![f];
        let mut vars = Vec::new();
        while let Some(f) = stack.pop() {
            if f.is_constant() || !seen.insert(f) {
                continue;
            }
            vars.push(self.var(f));
            stack.extend([self.low(f), self.high(f)]);
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// `f` with the variable existentially quantified.
    pub fn exists(&mut self, f: Bdd, var: Var) -> Bdd {
        let low = self.restrict(f, var, false);
        let high = self.restrict(f, var, true);
        self.or(low, high)
    }

    /// `f` with `var` fixed.
    pub fn restrict(&mut self, f: Bdd, var: Var, value: bool) -> Bdd {
        fn go(
            m: &mut Manager,
            f: Bdd,
            var: Var,
            value: bool,
            memo: &mut FxHashMap<Bdd, Bdd>,
        ) -> Bdd {
            let at = m.var(f);
            if at > var {
                return f;
            }
            if at == var {
                return if value { m.high(f) } else { m.low(f) };
            }
            if let Some(&r) = memo.get(&f) {
                return r;
            }
            let (l, h) = (m.low(f), m.high(f));
            let low = go(m, l, var, value, memo);
            let high = go(m, h, var, value, memo);
            let r = m.node(at, low, high);
            memo.insert(f, r);
            r
        }
        go(self, f, var, value, &mut FxHashMap::default())
    }

    /// The parts of `f` below `border`: pairs of a guard over the variables under `border` and the
    /// function of the other variables that `f` is there. The guards are disjoint and cover all
    /// letters but those where `f` is false; the functions are distinct.
    pub fn split_at(&mut self, f: Bdd, border: Var) -> Vec<(Bdd, Bdd)> {
        fn go(
            m: &mut Manager,
            f: Bdd,
            border: Var,
            memo: &mut FxHashMap<Bdd, Vec<(Bdd, Bdd)>>,
        ) -> Vec<(Bdd, Bdd)> {
            if f == Bdd::FALSE {
                return Vec::new();
            }
            let var = m.var(f);
            if var >= border {
                return vec![(Bdd::TRUE, f)];
            }
            if let Some(parts) = memo.get(&f) {
                return parts.clone();
            }
            let (l, h) = (m.low(f), m.high(f));
            let mut parts: Vec<(Bdd, Bdd)> = Vec::new();
            for (child, positive) in [(l, false), (h, true)] {
                let literal = m.literal(var, positive);
                for (guard, below) in go(m, child, border, memo) {
                    let guard = m.and(literal, guard);
                    match parts.iter_mut().find(|(_, b)| *b == below) {
                        Some((g, _)) => *g = m.or(*g, guard),
                        None => parts.push((guard, below)),
                    }
                }
            }
            memo.insert(f, parts.clone());
            parts
        }
        go(self, f, border, &mut FxHashMap::default())
    }

    /// The prime implicants of a function that is monotone: each is an ascending set of variables.
    #[must_use]
    pub fn monotone_primes(&self, f: Bdd) -> Vec<Vec<Var>> {
        fn go(m: &Manager, f: Bdd, memo: &mut FxHashMap<Bdd, Vec<Vec<Var>>>) -> Vec<Vec<Var>> {
            match f {
                Bdd::FALSE => return Vec::new(),
                Bdd::TRUE => return vec![Vec::new()],
                _ => {}
            }
            if let Some(primes) = memo.get(&f) {
                return primes.clone();
            }
            let (var, low) = (m.var(f), m.low(f));
            let mut primes = go(m, low, memo);
            for mut prime in go(m, m.high(f), memo) {
                if !m.holds_on(low, &prime) {
                    prime.insert(0, var);
                    primes.push(prime);
                }
            }
            memo.insert(f, primes.clone());
            primes
        }
        go(self, f, &mut FxHashMap::default())
    }

    /// Whether `f` holds where exactly the listed variables (ascending) are true.
    fn holds_on(&self, mut f: Bdd, vars: &[Var]) -> bool {
        while !f.is_constant() {
            f = if vars.binary_search(&self.var(f)).is_ok() {
                self.high(f)
            } else {
                self.low(f)
            };
        }
        f == Bdd::TRUE
    }

    /// A short disjunction of cubes equal to `f`: each cube lists (variable, sign), ascending. `None` if
    /// more than `limit` cubes come together on the way.
    ///
    /// This is Minato's and Morreale's irredundant sum of products.
    pub fn cubes(&mut self, f: Bdd, limit: usize) -> Option<Vec<Cube>> {
        fn go(m: &mut Manager, low: Bdd, up: Bdd, limit: usize) -> Option<(Vec<Cube>, Bdd)> {
            if low == Bdd::FALSE {
                return Some((Vec::new(), Bdd::FALSE));
            }
            if up == Bdd::TRUE {
                return Some((vec![Vec::new()], Bdd::TRUE));
            }
            let var = m.var(low).min(m.var(up));
            let (l0, l1) = m.cofactors(low, var);
            let (u0, u1) = m.cofactors(up, var);
            let only0 = m.minus(l0, u1);
            let (c0, f0) = go(m, only0, u0, limit)?;
            let only1 = m.minus(l1, u0);
            let (c1, f1) = go(m, only1, u1, limit)?;
            let rest0 = m.minus(l0, f0);
            let rest1 = m.minus(l1, f1);
            let rest = m.or(rest0, rest1);
            let both = m.and(u0, u1);
            let (cd, fd) = go(m, rest, both, limit)?;
            if c0.len() + c1.len() + cd.len() > limit {
                return None;
            }
            let signed = |cubes: Vec<Cube>, sign: bool| {
                cubes.into_iter().map(move |mut cube| {
                    cube.insert(0, (var, sign));
                    cube
                })
            };
            let cubes = signed(c0, false)
                .chain(signed(c1, true))
                .chain(cd)
                .collect();
            let covered = m.node(var, f0, f1);
            let covered = m.or(covered, fd);
            Some((cubes, covered))
        }
        go(self, f, f, limit).map(|(cubes, _)| cubes)
    }

    /// The nodes of `f` but the constants, children before parents.
    #[must_use]
    pub fn nodes_of(&self, f: Bdd) -> Vec<Bdd> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![f];
        while let Some(f) = stack.pop() {
            if !f.is_constant() && seen.insert(f) {
                stack.extend([self.low(f), self.high(f)]);
            }
        }
        let mut nodes: Vec<Bdd> = seen.into_iter().collect();
        nodes.sort_unstable();
        nodes
    }

    /// Copies `f` from another manager, variable `v` becoming `rename(v)`, which must be monotone.
    pub fn import(&mut self, from: &Manager, f: Bdd, rename: &dyn Fn(Var) -> Var) -> Bdd {
        fn go(
            m: &mut Manager,
            from: &Manager,
            f: Bdd,
            rename: &dyn Fn(Var) -> Var,
            memo: &mut FxHashMap<Bdd, Bdd>,
        ) -> Bdd {
            if f.is_constant() {
                return f;
            }
            if let Some(&r) = memo.get(&f) {
                return r;
            }
            let low = go(m, from, from.low(f), rename, memo);
            let high = go(m, from, from.high(f), rename, memo);
            let r = m.node(rename(from.var(f)), low, high);
            memo.insert(f, r);
            r
        }
        go(self, from, f, rename, &mut FxHashMap::default())
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    let h = hasher.finish();
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function of three variables, from its truth table.
    fn function(m: &mut Manager, table: u8) -> Bdd {
        let mut f = Bdd::FALSE;
        for row in 0..8u64 {
            if table >> row & 1 == 1 {
                let minterm = m.minterm(Letter(row), 3);
                f = m.or(f, minterm);
            }
        }
        f
    }

    fn table(m: &Manager, f: Bdd) -> u8 {
        (0..8).fold(0, |t, row| t | u8::from(m.holds(f, Letter(row))) << row)
    }

    #[test]
    fn all_functions_of_three_variables_are_right() {
        let mut m = Manager::new();
        for a in 0..=255u8 {
            let f = function(&mut m, a);
            assert_eq!(table(&m, f), a);
            assert_eq!(m.count(f, 3), u64::from(a.count_ones()));
            assert_eq!(m.letters(f, 3).len() as u32, a.count_ones());
            let negated = m.not(f);
            assert_eq!(table(&m, negated), !a);
            let mut sum = Bdd::FALSE;
            for cube in m.cubes(f, 8).unwrap() {
                let mut product = Bdd::TRUE;
                for (var, sign) in cube {
                    let literal = m.literal(var, sign);
                    product = m.and(product, literal);
                }
                sum = m.or(sum, product);
            }
            assert_eq!(sum, f);
            for b in (0..=255u8).step_by(7) {
                let g = function(&mut m, b);
                let (and, or, xor) = (m.and(f, g), m.or(f, g), m.xor(f, g));
                assert_eq!(
                    (table(&m, and), table(&m, or), table(&m, xor)),
                    (a & b, a | b, a ^ b)
                );
                assert_eq!(m.implies(f, g), a & !b == 0);
            }
        }
    }

    #[test]
    fn splitting_gathers_equal_parts() {
        let mut m = Manager::new();
        // (a & x) | (!a & x & y) | (b & x), with a, b above the border and x, y below.
        let (a, b, x, y) = (m.variable(0), m.variable(1), m.variable(64), m.variable(65));
        let xy = m.and(x, y);
        let below = m.or(a, b);
        let above = m.and(below, x);
        let f = m.or(above, xy);
        let parts = m.split_at(f, 64);
        assert_eq!(parts.len(), 2);
        let mut union = Bdd::FALSE;
        for (guard, rest) in parts {
            let part = m.and(guard, rest);
            union = m.or(union, part);
        }
        assert_eq!(union, f);
        assert_eq!(m.monotone_primes(xy), [[64, 65]]);
    }
}
