//! Reduced ordered binary decision diagrams, small and without set-up.
//!
//! Guards of automata, the next-step formulas of the translation and the signatures of the
//! simulation are diagrams of tens of nodes over variables that appear as the work goes on. A
//! manager here is four empty vectors when it is born, so a formula pays only for the nodes that
//! it needs. Diagrams are hash-consed: equal functions have equal handles. Nothing is collected; a
//! manager lives as long as one automaton is being made.
//!
//! Every operation that may take long or make nodes returns a `Result`: it counts its steps, and ends
//! with a [`Stop`] when the [`Effort`] of the manager runs out. There is no result but a right one.
//! A manager starts without a limit but that of 2^25 nodes; see [`Manager::begin`].
//!
//! Recursion is as deep as the number of variables, which the users of this module bound.

mod meter;
mod structure;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use dalsegno_kripke::{Letter, Stop};

use crate::effort::Effort;
use meter::Meter;
pub use structure::Primes;

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

/// The most nodes that a manager makes.
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
    Implies,
    Disjoint,
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
    meter: Meter,
}

impl Default for Manager {
    fn default() -> Self {
        Self::new()
    }
}

impl Manager {
    /// A manager that holds the two constants, without limits.
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
            meter: Meter::unlimited(),
        }
    }

    /// Takes over `effort`, which operations use up from here on.
    ///
    /// Until [`Manager::end`] nobody else has any of it: a manager that is dropped before has used it up.
    pub fn begin(&mut self, effort: &Effort<'_>) {
        self.meter = Meter::of(effort);
        effort.set_left(0);
    }

    /// Gives back to `effort` what operations have not used; there is no limit from here on.
    pub fn end(&mut self, effort: &Effort<'_>) {
        effort.set_left(self.meter.remaining());
        self.meter = Meter::unlimited();
    }

    /// Uses up steps for work that is done outside of the manager, and looks at the limits.
    ///
    /// # Errors
    /// When the effort or the budget runs out.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Stop> {
        if self.meter.take(steps) {
            return Ok(());
        }
        let bytes = self.bytes();
        self.meter.look(steps, bytes)
    }

    /// Tells how many bytes the user of the manager holds: they count against the budget too.
    pub fn hold(&mut self, bytes: u64) {
        self.meter.held = bytes;
    }

    /// The number of nodes ever made.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let nodes = self.nodes.capacity() * size_of::<Inner>();
        let unique = self.unique.capacity() * (size_of::<u32>() + 1);
        let cache = self.cache.capacity() * size_of::<Option<Cached>>();
        (nodes + unique + cache) as u64
    }

    /// Forgets the nodes that were made after the manager had `size` nodes.
    ///
    /// Whoever calls this has given up all functions made since.
    pub(crate) fn truncate(&mut self, size: usize) {
        if size >= self.nodes.len() {
            return;
        }
        if self.nodes.len() - size < size {
            for id in size..self.nodes.len() {
                let hash = hash_of(&self.nodes[id]);
                if let Ok(entry) = self.unique.find_entry(hash, |&i| i as usize == id) {
                    entry.remove();
                }
            }
            self.nodes.truncate(size);
        } else {
            self.nodes.truncate(size);
            self.nodes.shrink_to_fit();
            self.unique = HashTable::with_capacity(size);
            let nodes = &self.nodes;
            for (id, node) in (0..).zip(nodes).skip(2) {
                self.unique
                    .insert_unique(hash_of(node), id, |&i| hash_of(&nodes[i as usize]));
            }
        }
        self.cache = vec![None; (size / 2).next_power_of_two().max(64)];
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
    /// # Errors
    /// When the effort runs out, or there are 2^25 nodes already; so it is with all operations here.
    pub fn node(&mut self, var: Var, low: Bdd, high: Bdd) -> Result<Bdd, Stop> {
        if low == high {
            return Ok(low);
        }
        let inner = Inner { var, low, high };
        debug_assert!(var < self.var(low) && var < self.var(high));
        let hash = hash_of(&inner);
        let nodes = &self.nodes;
        if let Some(&i) = self.unique.find(hash, |&i| nodes[i as usize] == inner) {
            return Ok(Bdd(i));
        }
        self.spend(1)?;
        if self.nodes.len() >= MAX_NODES {
            return Err(Stop::Memory);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(inner);
        let nodes = &self.nodes;
        self.unique
            .insert_unique(hash, id, |&i| hash_of(&nodes[i as usize]));
        if self.nodes.len() > 2 * self.cache.len() {
            self.cache = vec![None; 2 * self.cache.len()];
        }
        Ok(Bdd(id))
    }

    /// The variable itself.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn variable(&mut self, var: Var) -> Result<Bdd, Stop> {
        self.node(var, Bdd::FALSE, Bdd::TRUE)
    }

    /// The variable or its negation.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn literal(&mut self, var: Var, positive: bool) -> Result<Bdd, Stop> {
        if positive {
            self.node(var, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.node(var, Bdd::TRUE, Bdd::FALSE)
        }
    }

    /// Conjunction.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn and(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.apply(Op::And, f, g)
    }

    /// Disjunction.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn or(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.apply(Op::Or, f, g)
    }

    /// Exclusive disjunction.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn xor(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        self.apply(Op::Xor, f, g)
    }

    /// Negation.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn not(&mut self, f: Bdd) -> Result<Bdd, Stop> {
        self.apply(Op::Xor, f, Bdd::TRUE)
    }

    /// `f` without `g`.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn minus(&mut self, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        let not_g = self.not(g)?;
        self.and(f, not_g)
    }

    /// Whether every assignment of `f` is one of `g`. No node is made.
    ///
    /// # Errors
    /// When the effort runs out.
    pub fn implies(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        self.ask(Op::Implies, f, g)
    }

    /// Whether no assignment satisfies both. No node is made.
    ///
    /// # Errors
    /// When the effort runs out.
    pub fn disjoint(&mut self, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        let (f, g) = if f <= g { (f, g) } else { (g, f) };
        self.ask(Op::Disjoint, f, g)
    }

    fn apply(&mut self, op: Op, f: Bdd, g: Bdd) -> Result<Bdd, Stop> {
        let (f, g) = if f <= g { (f, g) } else { (g, f) };
        // f <= g, so a constant operand, if any, is f or both.
        match (op, f, g) {
            (Op::And, Bdd::FALSE, _) => return Ok(Bdd::FALSE),
            (Op::And, Bdd::TRUE, _) | (Op::Or | Op::Xor, Bdd::FALSE, _) => return Ok(g),
            (Op::Or, Bdd::TRUE, _) => return Ok(Bdd::TRUE),
            (Op::And | Op::Or, ..) if f == g => return Ok(f),
            (Op::Xor, ..) if f == g => return Ok(Bdd::FALSE),
            _ => {}
        }
        let hash = hash_of(&(op, f, g));
        if let Some(result) = self.cached(hash, op, f, g) {
            return Ok(result);
        }
        self.spend(1)?;
        let var = self.var(f).min(self.var(g));
        let (f0, f1) = self.cofactors(f, var);
        let (g0, g1) = self.cofactors(g, var);
        let low = self.apply(op, f0, g0)?;
        let high = self.apply(op, f1, g1)?;
        let result = self.node(var, low, high)?;
        self.remember(hash, op, f, g, result);
        Ok(result)
    }

    /// Answers `op`, which is [`Op::Implies`] or [`Op::Disjoint`].
    fn ask(&mut self, op: Op, f: Bdd, g: Bdd) -> Result<bool, Stop> {
        match (op, f, g) {
            (_, Bdd::FALSE, _) | (Op::Implies, _, Bdd::TRUE) | (Op::Disjoint, _, Bdd::FALSE) => {
                return Ok(true);
            }
            _ if f == g => return Ok(op == Op::Implies),
            (_, Bdd::TRUE, _) | (Op::Implies, _, Bdd::FALSE) | (Op::Disjoint, _, Bdd::TRUE) => {
                return Ok(false);
            }
            _ => {}
        }
        let hash = hash_of(&(op, f, g));
        if let Some(answer) = self.cached(hash, op, f, g) {
            return Ok(answer == Bdd::TRUE);
        }
        self.spend(1)?;
        let var = self.var(f).min(self.var(g));
        let (f0, f1) = self.cofactors(f, var);
        let (g0, g1) = self.cofactors(g, var);
        let answer = self.ask(op, f0, g0)? && self.ask(op, f1, g1)?;
        self.remember(hash, op, f, g, Bdd(u32::from(answer)));
        Ok(answer)
    }

    #[inline]
    fn cached(&self, hash: u64, op: Op, a: Bdd, b: Bdd) -> Option<Bdd> {
        let hit = self.cache[hash as usize & (self.cache.len() - 1)]?;
        (hit.op == op && hit.a == a && hit.b == b).then_some(hit.result)
    }

    #[inline]
    fn remember(&mut self, hash: u64, op: Op, a: Bdd, b: Bdd, result: Bdd) {
        let slot = hash as usize & (self.cache.len() - 1);
        self.cache[slot] = Some(Cached { op, a, b, result });
    }

    /// The function that holds exactly on `letter`, seen over the first `n` variables.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn minterm(&mut self, letter: Letter, n: usize) -> Result<Bdd, Stop> {
        let mut f = Bdd::TRUE;
        for i in (0..n).rev() {
            f = if letter.holds(i) {
                self.node(i as Var, Bdd::FALSE, f)?
            } else {
                self.node(i as Var, f, Bdd::FALSE)?
            };
        }
        Ok(f)
    }

    /// `f` with the variable existentially quantified.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn exists(&mut self, f: Bdd, var: Var) -> Result<Bdd, Stop> {
        let low = self.restrict(f, var, false)?;
        let high = self.restrict(f, var, true)?;
        self.or(low, high)
    }

    /// `f` with `var` fixed.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn restrict(&mut self, f: Bdd, var: Var, value: bool) -> Result<Bdd, Stop> {
        fn go(
            m: &mut Manager,
            f: Bdd,
            var: Var,
            value: bool,
            memo: &mut FxHashMap<Bdd, Bdd>,
        ) -> Result<Bdd, Stop> {
            let at = m.var(f);
            if at > var {
                return Ok(f);
            }
            if at == var {
                return Ok(if value { m.high(f) } else { m.low(f) });
            }
            if let Some(&r) = memo.get(&f) {
                return Ok(r);
            }
            m.spend(1)?;
            let (l, h) = (m.low(f), m.high(f));
            let low = go(m, l, var, value, memo)?;
            let high = go(m, h, var, value, memo)?;
            let r = m.node(at, low, high)?;
            memo.insert(f, r);
            Ok(r)
        }
        go(self, f, var, value, &mut FxHashMap::default())
    }

    /// Copies `f` from another manager, variable `v` becoming `rename(v)`, which must be monotone.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn import(
        &mut self,
        from: &Manager,
        f: Bdd,
        rename: &dyn Fn(Var) -> Var,
    ) -> Result<Bdd, Stop> {
        self.import_with(from, f, rename, &mut FxHashMap::default())
    }

    /// As [`Manager::import`], with the memory of other imports from the same manager by the same names.
    pub(crate) fn import_with(
        &mut self,
        from: &Manager,
        f: Bdd,
        rename: &dyn Fn(Var) -> Var,
        memo: &mut FxHashMap<Bdd, Bdd>,
    ) -> Result<Bdd, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        if let Some(&r) = memo.get(&f) {
            return Ok(r);
        }
        let low = self.import_with(from, from.low(f), rename, memo)?;
        let high = self.import_with(from, from.high(f), rename, memo)?;
        let r = self.node(rename(from.var(f)), low, high)?;
        memo.insert(f, r);
        Ok(r)
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    let h = hasher.finish();
    h ^ (h >> 32)
}
