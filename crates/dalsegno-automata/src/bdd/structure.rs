//! What diagrams look like: letters, counts, supports, parts, prime implicants, disjunctions of cubes.

use rustc_hash::{FxHashMap, FxHashSet};

use dalsegno_kripke::{Letter, Stop};

use super::{Bdd, Cube, Manager, Var};

impl Manager {
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
        self.support_of([f])
    }

    /// The variables that some of the functions depend on, ascending.
    #[must_use]
    pub fn support_of(&self, functions: impl IntoIterator<Item = Bdd>) -> Vec<Var> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Bdd> = functions.into_iter().collect();
        let mut vars = FxHashSet::default();
        while let Some(f) = stack.pop() {
            if f.is_constant() || !seen.insert(f) {
                continue;
            }
            vars.insert(self.var(f));
            stack.extend([self.low(f), self.high(f)]);
        }
        let mut vars: Vec<Var> = vars.into_iter().collect();
        vars.sort_unstable();
        vars
    }

    /// The parts of `f` below `border`: pairs of a guard over the variables under `border` and the
    /// function of the other variables that `f` is there. The guards are disjoint and cover all
    /// letters but those where `f` is false; the functions are distinct.
    ///
    /// # Errors
    /// As [`Manager::node`].
    pub fn split_at(&mut self, f: Bdd, border: Var) -> Result<Vec<(Bdd, Bdd)>, Stop> {
        if f == Bdd::FALSE {
            return Ok(Vec::new());
        }
        if self.var(f) >= border {
            return Ok(vec![(Bdd::TRUE, f)]);
        }
        let held = self.meter.held;
        let mut memo: FxHashMap<Bdd, Parts> = FxHashMap::default();
        self.split(f, border, &mut memo)?;
        self.meter.held = held;
        Ok(memo.remove(&f).unwrap_or_default())
    }

    /// Puts the parts of `f`, which has a variable above the border, into the memory.
    fn split(&mut self, f: Bdd, border: Var, memo: &mut FxHashMap<Bdd, Parts>) -> Result<(), Stop> {
        if memo.contains_key(&f) {
            return Ok(());
        }
        let (var, low, high) = (self.var(f), self.low(f), self.high(f));
        for child in [low, high] {
            if self.var(child) < border {
                self.split(child, border, memo)?;
            }
        }
        let of = |child: Bdd| -> Parts {
            match memo.get(&child) {
                Some(parts) => parts.clone(),
                None if child == Bdd::FALSE => Vec::new(),
                None => vec![(Bdd::TRUE, child)],
            }
        };
        let (mut parts, mut others) = (of(low), of(high));
        let size = (parts.len() + others.len()) as u64;
        self.spend(size)?;
        self.meter.held += 2 * size * size_of::<(Bdd, Bdd)>() as u64;
        let mut guard_of: FxHashMap<Bdd, Bdd> = FxHashMap::default();
        guard_of.extend(others.iter().map(|&(guard, below)| (below, guard)));
        for (guard, below) in &mut parts {
            let above = guard_of.remove(below).unwrap_or(Bdd::FALSE);
            *guard = self.node(var, *guard, above)?;
        }
        others.retain(|(_, below)| guard_of.contains_key(below));
        for (guard, _) in &mut others {
            *guard = self.node(var, Bdd::FALSE, *guard)?;
        }
        parts.extend(others);
        memo.insert(f, parts);
        Ok(())
    }

    /// The prime implicants of a function that is monotone.
    ///
    /// # Errors
    /// When the effort runs out.
    pub fn monotone_primes(&mut self, f: Bdd) -> Result<Primes, Stop> {
        let held = self.meter.held;
        let mut primes = Primes::default();
        let mut memo: FxHashMap<Bdd, Vec<u32>> = FxHashMap::default();
        self.primes(f, &mut primes.cells, &mut memo)?;
        self.meter.held = held;
        primes.heads = memo.remove(&f).unwrap_or_default();
        Ok(primes)
    }

    /// Puts the prime implicants of `f` into the memory, as the heads of lists in `cells`.
    fn primes(
        &mut self,
        f: Bdd,
        cells: &mut Vec<(Var, u32)>,
        memo: &mut FxHashMap<Bdd, Vec<u32>>,
    ) -> Result<(), Stop> {
        if memo.contains_key(&f) {
            return Ok(());
        }
        let mut heads = Vec::new();
        if f == Bdd::TRUE {
            heads.push(NIL);
        } else if f != Bdd::FALSE {
            let (var, low, high) = (self.var(f), self.low(f), self.high(f));
            self.primes(low, cells, memo)?;
            self.primes(high, cells, memo)?;
            heads.clone_from(&memo[&low]);
            self.spend(1 + heads.len() as u64 / 8)?;
            for &prime in &memo[&high] {
                self.spend(2)?;
                if !self.holds_on(low, cells, prime) {
                    let head = u32::try_from(cells.len()).map_err(|_| Stop::Memory)?;
                    cells.push((var, prime));
                    heads.push(head);
                    self.meter.held += size_of::<(Var, u32)>() as u64;
                }
            }
        }
        self.meter.held += (heads.len() * size_of::<u32>()) as u64;
        memo.insert(f, heads);
        Ok(())
    }

    /// Whether `f` holds where exactly the variables of a list are true.
    fn holds_on(&self, mut f: Bdd, cells: &[(Var, u32)], mut list: u32) -> bool {
        while !f.is_constant() {
            let var = self.var(f);
            // The list is ascending: what is above the node does not matter to it.
            while list != NIL && cells[list as usize].0 < var {
                list = cells[list as usize].1;
            }
            f = if list != NIL && cells[list as usize].0 == var {
                self.high(f)
            } else {
                self.low(f)
            };
        }
        f == Bdd::TRUE
    }

    /// A short disjunction of cubes equal to `f`: each cube lists (variable, sign), ascending. `None` if
    /// more than `limit` cubes come together on the way, or the effort runs out.
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
            let only0 = m.minus(l0, u1).ok()?;
            let (c0, f0) = go(m, only0, u0, limit)?;
            let only1 = m.minus(l1, u0).ok()?;
            let (c1, f1) = go(m, only1, u1, limit)?;
            let rest0 = m.minus(l0, f0).ok()?;
            let rest1 = m.minus(l1, f1).ok()?;
            let rest = m.or(rest0, rest1).ok()?;
            let both = m.and(u0, u1).ok()?;
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
            let covered = m.node(var, f0, f1).ok()?;
            let covered = m.or(covered, fd).ok()?;
            Some((cubes, covered))
        }
        go(self, f, f, limit).map(|(cubes, _)| cubes)
    }

    /// The nodes of `f` but the constants, children before parents.
    #[must_use]
    pub fn nodes_of(&self, f: Bdd) -> Vec<Bdd> {
        let mut seen = FxHashSet::default();
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
}

/// A guard above the border and the function below, each function once.
type Parts = Vec<(Bdd, Bdd)>;

/// The end of a list of variables.
const NIL: u32 = u32::MAX;

/// The prime implicants of a monotone function. They share their ends.
#[derive(Clone, Debug, Default)]
pub struct Primes {
    /// A variable and the rest of the list.
    cells: Vec<(Var, u32)>,
    heads: Vec<u32>,
}

impl Primes {
    /// The prime implicants, each an ascending list of variables.
    pub fn iter(&self) -> impl Iterator<Item = Vec<Var>> + '_ {
        self.heads.iter().map(|&head| {
            let mut vars = Vec::new();
            let mut at = head;
            while at != NIL {
                let (var, rest) = self.cells[at as usize];
                vars.push(var);
                at = rest;
            }
            vars
        })
    }
}
