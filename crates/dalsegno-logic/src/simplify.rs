//! Simplification of formulas: smaller and easier to translate, the same language.
//!
//! The rules are the usual ones of the literature: Somenzi and Bloem (CAV 2000), Etessami and
//! Holzmann (CONCUR 2000) for pure eventuality and universality, and their collection by
//! Babiak, Křetínský, Řehák and Strejček (TACAS 2012). A formula is brought to negation normal form
//! and rebuilt from its leaves by *simplifying constructors*, which suppose simplified operands; so a
//! rule never has to look deeper than a level or two. Cost: linear in the number of subformulas times
//! the rules' pairwise implication tests in conjunctions and disjunctions, and at most a fixed number of
//! steps: when they are used up, the rest of the formula is put together by the plain constructors.

use rustc_hash::FxHashMap;

use crate::fragment::Fragment;
use crate::implication::Implications;
use crate::nnf;
use crate::store::{FormulaId, FormulaStore, Node};

/// Rules that call each other deeper than this fall back to the plain constructors.
const MAX_NESTING: u32 = 40;

/// Conjunctions and disjunctions longer than this are not searched for implied operands.
const MAX_PAIRWISE: usize = 64;

/// In formulas with more subformulas than this, no subformulas are compared: that would take time
/// quadratic in their number, and such formulas have no small automata anyway.
const MAX_COMPARED: usize = 1000;

/// The steps that go into one formula, rules and implications together: a fraction of a second.
const EFFORT: u64 = 1 << 21;

/// The steps that go into one question from outside.
const QUESTION: u64 = 1 << 16;

/// The simplifier with its memory; use one for all formulas of a store.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    done: FxHashMap<FormulaId, FormulaId>,
    negations: FxHashMap<FormulaId, FormulaId>,
    implications: Implications,
    /// Whether the formula is too large for comparisons.
    large: bool,
    nesting: u32,
}

impl Simplifier {
    /// A simplifier without memory.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all formulas, for another store or one that was cleared; the tables stay.
    pub fn clear(&mut self) {
        self.done.clear();
        self.negations.clear();
        self.implications.clear();
    }

    /// An equivalent formula in negation normal form.
    ///
    /// A formula with path quantifiers is brought to negation normal form only: some of the laws used
    /// here, such as `X true = true`, fail where finite paths count.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_logic::{FormulaStore, simplify::Simplifier};
    /// let mut s = FormulaStore::new();
    /// let a = s.atom("a");
    /// let fa = s.finally(a);
    /// let xfa = s.next(fa);
    /// let f = s.globally(xfa);
    /// assert_eq!(Simplifier::new().simplify(&mut s, f), s.globally(fa));
    /// ```
    pub fn simplify(&mut self, store: &mut FormulaStore, f: FormulaId) -> FormulaId {
        self.simplify_while(store, f, &|| true)
    }

    /// As [`Simplifier::simplify`], as long as `go_on` says so: what is not simplified by then stays in
    /// negation normal form.
    pub fn simplify_while(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        go_on: &dyn Fn() -> bool,
    ) -> FormulaId {
        let f = nnf::nnf(store, f, false);
        self.simplify_nnf(store, f, EFFORT, go_on)
    }

    /// As [`Simplifier::simplify`], with so many steps.
    pub fn simplify_within(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        steps: u64,
    ) -> FormulaId {
        let f = nnf::nnf(store, f, false);
        self.simplify_nnf(store, f, steps, &|| true)
    }

    /// As [`Simplifier::simplify`], of the negation of `f`.
    pub fn simplify_negation(&mut self, store: &mut FormulaStore, f: FormulaId) -> FormulaId {
        let f = nnf::nnf(store, f, true);
        self.simplify_nnf(store, f, EFFORT, &|| true)
    }

    /// Whether `f => g` by the rules of [`crate::implication`]; both in negation normal form.
    pub fn implies(&mut self, store: &FormulaStore, f: FormulaId, g: FormulaId) -> bool {
        self.implications.grant(QUESTION);
        self.known(store, f, g)
    }

    fn known(&mut self, store: &FormulaStore, f: FormulaId, g: FormulaId) -> bool {
        !self.large && self.implications.implies(store, f, g)
    }

    /// Uses up a step of a rule; false if there is none left.
    fn step(&mut self) -> bool {
        self.implications.spend(1)
    }

    fn simplify_nnf(
        &mut self,
        s: &mut FormulaStore,
        f: FormulaId,
        steps: u64,
        go_on: &dyn Fn() -> bool,
    ) -> FormulaId {
        if !s.is(f, Fragment::LTL) {
            return f;
        }
        let subformulas = s.subformulas(f);
        self.large = subformulas.len() > MAX_COMPARED;
        self.implications.grant(steps);
        let mut patient = true;
        for g in subformulas {
            if self.done.contains_key(&g) {
                continue;
            }
            if patient && !go_on() {
                patient = false;
                self.implications.grant(0);
            }
            let of = |done: &FxHashMap<FormulaId, FormulaId>, h: FormulaId| done[&h];
            let result = match s.node(g) {
                Node::And(fs) => {
                    let fs = fs.iter().map(|&h| of(&self.done, h)).collect();
                    self.and(s, fs)
                }
                Node::Or(fs) => {
                    let fs = fs.iter().map(|&h| of(&self.done, h)).collect();
                    self.or(s, fs)
                }
                Node::Next(h) => next(s, of(&self.done, h)),
                Node::Finally(h) => self.finally(s, of(&self.done, h)),
                Node::Globally(h) => self.globally(s, of(&self.done, h)),
                Node::Until(l, r) => self.until(s, of(&self.done, l), of(&self.done, r)),
                Node::Release(l, r) => self.release(s, of(&self.done, l), of(&self.done, r)),
                Node::WeakUntil(l, r) => self.weak_until(s, of(&self.done, l), of(&self.done, r)),
                Node::StrongRelease(l, r) => {
                    self.strong_release(s, of(&self.done, l), of(&self.done, r))
                }
                _ => g,
            };
            self.done.insert(g, result);
            self.done.insert(result, result);
        }
        self.done[&f]
    }

    fn negation(&mut self, s: &mut FormulaStore, f: FormulaId) -> FormulaId {
        if let Some(&g) = self.negations.get(&f) {
            return g;
        }
        let g = nnf::nnf(s, f, true);
        self.implications.spend(8);
        self.negations.insert(f, g);
        g
    }

    /// Whether `f` and `g` exclude each other.
    fn excludes(&mut self, s: &mut FormulaStore, f: FormulaId, g: FormulaId) -> bool {
        if self.large {
            return false;
        }
        let not_g = self.negation(s, g);
        self.implications.implies(s, f, not_g)
    }

    /// Whether one of `f` and `g` always holds.
    fn covers(&mut self, s: &mut FormulaStore, f: FormulaId, g: FormulaId) -> bool {
        if self.large {
            return false;
        }
        let not_f = self.negation(s, f);
        self.implications.implies(s, not_f, g)
    }

    fn nexts(s: &mut FormulaStore, mut f: FormulaId, count: u32) -> FormulaId {
        for _ in 0..count {
            f = next(s, f);
        }
        f
    }

    fn finally(&mut self, s: &mut FormulaStore, f: FormulaId) -> FormulaId {
        if !self.step() {
            return s.finally(f);
        }
        if s.is(f, Fragment::EVENTUAL) {
            return f;
        }
        let (f, shift) = strip_next(s, f);
        let result = match s.node(f) {
            Node::Until(_, b) => self.finally(s, b),
            Node::StrongRelease(a, b) => {
                let both = self.and(s, vec![a, b]);
                self.finally(s, both)
            }
            Node::Or(fs) => {
                // F distributes, so each operand may be simplified as if it stood alone below F.
                let fs = fs.to_vec();
                let inner: Vec<FormulaId> = fs
                    .iter()
                    .map(|&h| match s.node(h) {
                        Node::Finally(g) => g,
                        _ if s.is(h, Fragment::UNIVERSAL) => {
                            let alone = self.finally(s, h);
                            match s.node(alone) {
                                Node::Finally(g) => g,
                                _ => alone,
                            }
                        }
                        _ => h,
                    })
                    .collect();
                if inner == fs {
                    s.finally(f)
                } else {
                    let f = self.or(s, inner);
                    self.finally(s, f)
                }
            }
            Node::And(fs) => {
                let (both, rest) = split(s, fs, Fragment::EVENTUAL.union(Fragment::UNIVERSAL));
                if both.is_empty() {
                    s.finally(f)
                } else {
                    let rest = self.and(s, rest);
                    let rest = self.finally(s, rest);
                    self.and(s, with(both, rest))
                }
            }
            Node::Globally(g) => self.finally_globally(s, g),
            _ => s.finally(f),
        };
        Self::nexts(s, result, shift)
    }

    /// `F G g`: a shift in time inside `g` is invisible if it stands alone in a conjunction, and
    /// universal operands of a disjunction come apart.
    fn finally_globally(&mut self, s: &mut FormulaStore, g: FormulaId) -> FormulaId {
        if let Node::Or(fs) = s.node(g) {
            let (universal, rest) = split(s, fs, Fragment::UNIVERSAL);
            if !universal.is_empty() {
                let mut operands: Vec<FormulaId> =
                    universal.into_iter().map(|h| self.finally(s, h)).collect();
                let rest = self.or(s, rest);
                let rest = self.globally(s, rest);
                operands.push(self.finally(s, rest));
                return self.or(s, operands);
            }
        }
        let g = match s.node(g) {
            Node::And(fs) if fs.iter().any(|&h| matches!(s.node(h), Node::Next(_))) => {
                let fs = fs.iter().map(|&h| strip_next(s, h).0).collect();
                self.and(s, fs)
            }
            _ => g,
        };
        let g = self.globally(s, g);
        s.finally(g)
    }

    fn globally(&mut self, s: &mut FormulaStore, f: FormulaId) -> FormulaId {
        if !self.step() {
            return s.globally(f);
        }
        if s.is(f, Fragment::UNIVERSAL) {
            return f;
        }
        let (f, shift) = strip_next(s, f);
        let result = match s.node(f) {
            Node::Release(_, b) => self.globally(s, b),
            Node::WeakUntil(a, b) => {
                let either = self.or(s, vec![a, b]);
                self.globally(s, either)
            }
            Node::And(fs) => {
                let fs = fs.to_vec();
                self.globally_conjunction(s, f, &fs)
            }
            Node::Or(fs) => {
                let (both, rest) = split(s, fs, Fragment::EVENTUAL.union(Fragment::UNIVERSAL));
                if both.is_empty() {
                    s.globally(f)
                } else {
                    let rest = self.or(s, rest);
                    let rest = self.globally(s, rest);
                    self.or(s, with(both, rest))
                }
            }
            Node::Finally(g) => self.globally_finally(s, g),
            _ => s.globally(f),
        };
        Self::nexts(s, result, shift)
    }

    /// `G F g`: a shift in time inside `g` is invisible if it stands alone in a disjunction, and
    /// eventual operands of a conjunction come apart.
    fn globally_finally(&mut self, s: &mut FormulaStore, g: FormulaId) -> FormulaId {
        if let Node::And(fs) = s.node(g) {
            let (eventual, rest) = split(s, fs, Fragment::EVENTUAL);
            if !eventual.is_empty() {
                let mut operands: Vec<FormulaId> =
                    eventual.into_iter().map(|h| self.globally(s, h)).collect();
                let rest = self.and(s, rest);
                let rest = self.finally(s, rest);
                operands.push(self.globally(s, rest));
                return self.and(s, operands);
            }
        }
        let g = match s.node(g) {
            Node::Or(fs) if fs.iter().any(|&h| matches!(s.node(h), Node::Next(_))) => {
                let fs = fs.iter().map(|&h| strip_next(s, h).0).collect();
                self.or(s, fs)
            }
            _ => g,
        };
        let g = self.finally(s, g);
        s.globally(g)
    }

    /// `G(a & F b) = G a & G F b`, and universal operands need no `G` of their own.
    fn globally_conjunction(
        &mut self,
        s: &mut FormulaStore,
        f: FormulaId,
        fs: &[FormulaId],
    ) -> FormulaId {
        let apart = |s: &FormulaStore, h: FormulaId| {
            s.is(h, Fragment::UNIVERSAL) || s.is(h, Fragment::EVENTUAL)
        };
        if !fs.iter().any(|&h| apart(s, h)) {
            return s.globally(f);
        }
        let (split, rest): (Vec<_>, Vec<_>) = fs.iter().partition(|&&h| apart(s, h));
        let mut operands: Vec<FormulaId> = split.into_iter().map(|h| self.globally(s, h)).collect();
        let rest = self.and(s, rest);
        operands.push(self.globally(s, rest));
        self.and(s, operands)
    }

    fn until(&mut self, s: &mut FormulaStore, a: FormulaId, b: FormulaId) -> FormulaId {
        if !self.step() {
            return s.until(a, b);
        }
        if s.is(b, Fragment::EVENTUAL) || self.known(s, a, b) {
            return b;
        }
        if a == FormulaId::TRUE || self.covers(s, a, b) {
            return self.finally(s, b);
        }
        let (a, b, shift) = strip_both(s, a, b);
        let result = match s.node(b) {
            // a U (b | G a) = a W b.
            Node::Or(fs) if fs.iter().any(|&h| s.node(h) == Node::Globally(a)) => {
                let ga = s.globally(a);
                let rest = without(s, b, ga);
                let rest = self.or(s, rest);
                self.weak_until(s, a, rest)
            }
            Node::Until(c, _) if self.known(s, a, c) => b,
            Node::Until(c, d) if self.known(s, c, a) => s.until(a, d),
            Node::Or(fs) => {
                let (eventual, rest) = split(s, fs, Fragment::EVENTUAL);
                if eventual.is_empty() {
                    s.until(a, b)
                } else {
                    let rest = self.or(s, rest);
                    let rest = self.until(s, a, rest);
                    self.or(s, with(eventual, rest))
                }
            }
            Node::And(fs) => {
                let (both, rest) = split(s, fs, Fragment::EVENTUAL.union(Fragment::UNIVERSAL));
                if both.is_empty() {
                    s.until(a, b)
                } else {
                    let rest = self.and(s, rest);
                    let rest = self.until(s, a, rest);
                    self.and(s, with(both, rest))
                }
            }
            _ => s.until(a, b),
        };
        Self::nexts(s, result, shift)
    }

    fn release(&mut self, s: &mut FormulaStore, a: FormulaId, b: FormulaId) -> FormulaId {
        if !self.step() {
            return s.release(a, b);
        }
        if s.is(b, Fragment::UNIVERSAL) || self.known(s, b, a) {
            return b;
        }
        if a == FormulaId::FALSE || self.excludes(s, a, b) {
            return self.globally(s, b);
        }
        let (a, b, shift) = strip_both(s, a, b);
        let result = match s.node(b) {
            // a R (b & F a) = a M b.
            Node::And(fs) if fs.iter().any(|&h| s.node(h) == Node::Finally(a)) => {
                let fa = s.finally(a);
                let rest = without(s, b, fa);
                let rest = self.and(s, rest);
                self.strong_release(s, a, rest)
            }
            Node::Release(c, _) if self.known(s, c, a) => b,
            Node::Release(c, d) if self.known(s, a, c) => s.release(a, d),
            Node::And(fs) => {
                let (universal, rest) = split(s, fs, Fragment::UNIVERSAL);
                if universal.is_empty() {
                    s.release(a, b)
                } else {
                    let rest = self.and(s, rest);
                    let rest = self.release(s, a, rest);
                    self.and(s, with(universal, rest))
                }
            }
            Node::Or(fs) => {
                // a R (p | a) = p W a: the form with the smaller operands.
                if fs.contains(&a) {
                    let rest = without(s, b, a);
                    let rest = self.or(s, rest);
                    self.weak_until(s, rest, a)
                } else {
                    let (both, rest) = split(s, fs, Fragment::EVENTUAL.union(Fragment::UNIVERSAL));
                    if both.is_empty() {
                        s.release(a, b)
                    } else {
                        let rest = self.or(s, rest);
                        let rest = self.release(s, a, rest);
                        self.or(s, with(both, rest))
                    }
                }
            }
            _ => s.release(a, b),
        };
        Self::nexts(s, result, shift)
    }

    fn weak_until(&mut self, s: &mut FormulaStore, a: FormulaId, b: FormulaId) -> FormulaId {
        if !self.step() {
            return s.weak_until(a, b);
        }
        if self.known(s, a, b) {
            return b;
        }
        if b == FormulaId::FALSE {
            return self.globally(s, a);
        }
        if self.covers(s, a, b) {
            return FormulaId::TRUE;
        }
        if s.is(a, Fragment::UNIVERSAL) {
            return self.or(s, vec![a, b]);
        }
        if s.is(b, Fragment::EVENTUAL) {
            let ga = self.globally(s, a);
            return self.or(s, vec![ga, b]);
        }
        let (a, b, shift) = strip_both(s, a, b);
        let result = match s.node(b) {
            Node::WeakUntil(c, _) if self.known(s, a, c) => b,
            Node::WeakUntil(c, d) if self.known(s, c, a) => s.weak_until(a, d),
            Node::Or(fs) => {
                let (eventual, rest) = split(s, fs, Fragment::EVENTUAL);
                if eventual.is_empty() {
                    s.weak_until(a, b)
                } else {
                    let rest = self.or(s, rest);
                    let rest = self.weak_until(s, a, rest);
                    self.or(s, with(eventual, rest))
                }
            }
            _ => s.weak_until(a, b),
        };
        Self::nexts(s, result, shift)
    }

    fn strong_release(&mut self, s: &mut FormulaStore, a: FormulaId, b: FormulaId) -> FormulaId {
        if !self.step() {
            return s.strong_release(a, b);
        }
        if self.known(s, b, a) {
            return b;
        }
        if b == FormulaId::TRUE {
            return self.finally(s, a);
        }
        if self.excludes(s, a, b) {
            return FormulaId::FALSE;
        }
        if s.is(a, Fragment::EVENTUAL) {
            return self.and(s, vec![a, b]);
        }
        if s.is(b, Fragment::UNIVERSAL) {
            let fa = self.finally(s, a);
            return self.and(s, vec![fa, b]);
        }
        let (a, b, shift) = strip_both(s, a, b);
        let result = match s.node(b) {
            Node::StrongRelease(c, _) if self.known(s, c, a) => b,
            Node::StrongRelease(c, d) if self.known(s, a, c) => s.strong_release(a, d),
            Node::And(fs) => {
                let (universal, rest) = split(s, fs, Fragment::UNIVERSAL);
                if universal.is_empty() {
                    s.strong_release(a, b)
                } else {
                    let rest = self.and(s, rest);
                    let rest = self.strong_release(s, a, rest);
                    self.and(s, with(universal, rest))
                }
            }
            _ => s.strong_release(a, b),
        };
        Self::nexts(s, result, shift)
    }

    fn and(&mut self, s: &mut FormulaStore, fs: Vec<FormulaId>) -> FormulaId {
        let f = s.and(fs);
        self.combine(s, f, true)
    }

    fn or(&mut self, s: &mut FormulaStore, fs: Vec<FormulaId>) -> FormulaId {
        let f = s.or(fs);
        self.combine(s, f, false)
    }

    /// Drops implied operands of a conjunction or disjunction and merges operands of equal shape.
    fn combine(&mut self, s: &mut FormulaStore, f: FormulaId, conjunction: bool) -> FormulaId {
        let mut fs = match (s.node(f), conjunction) {
            (Node::And(fs), true) | (Node::Or(fs), false) => fs.to_vec(),
            _ => return f,
        };
        if self.nesting >= MAX_NESTING || fs.len() > MAX_PAIRWISE {
            return f;
        }
        if !self.implications.spend(fs.len() as u64) {
            return f;
        }
        self.nesting += 1;
        let merged = self.merge(s, &mut fs, conjunction);
        let result = if self.absorb(s, &mut fs, conjunction) {
            if conjunction {
                FormulaId::FALSE
            } else {
                FormulaId::TRUE
            }
        } else {
            let g = if conjunction {
                s.and(fs.iter().copied())
            } else {
                s.or(fs.iter().copied())
            };
            if merged && g != f {
                self.combine(s, g, conjunction)
            } else {
                g
            }
        };
        self.nesting -= 1;
        result
    }

    /// Drops what another operand makes redundant. True if two operands decide the whole.
    fn absorb(&mut self, s: &mut FormulaStore, fs: &mut Vec<FormulaId>, conjunction: bool) -> bool {
        let mut i = 0;
        while i < fs.len() {
            let mut redundant = false;
            for j in 0..fs.len() {
                if i == j {
                    continue;
                }
                let (f, g) = (fs[i], fs[j]);
                redundant |= if conjunction {
                    self.known(s, g, f)
                } else {
                    self.known(s, f, g)
                };
                let decided = i < j
                    && if conjunction {
                        self.excludes(s, f, g)
                    } else {
                        self.covers(s, f, g)
                    };
                if decided {
                    return true;
                }
                if redundant {
                    break;
                }
            }
            if redundant {
                fs.remove(i);
            } else {
                i += 1;
            }
        }
        false
    }

    /// Merges pairs of operands into one where the distribution laws allow; true if some were.
    fn merge(&mut self, s: &mut FormulaStore, fs: &mut Vec<FormulaId>, conjunction: bool) -> bool {
        let mut changed = false;
        let mut i = 0;
        while i < fs.len() {
            let mut j = i + 1;
            while j < fs.len() {
                let pair = if conjunction {
                    self.merge_and(s, fs[i], fs[j])
                        .or_else(|| self.merge_and(s, fs[j], fs[i]))
                } else {
                    self.merge_or(s, fs[i], fs[j])
                        .or_else(|| self.merge_or(s, fs[j], fs[i]))
                };
                if let Some(merged) = pair {
                    fs[i] = merged;
                    fs.swap_remove(j);
                    changed = true;
                    j = i + 1;
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
        changed
    }

    fn merge_and(&mut self, s: &mut FormulaStore, f: FormulaId, g: FormulaId) -> Option<FormulaId> {
        let merged = match (s.node(f), s.node(g)) {
            (Node::Next(a), Node::Next(b)) => {
                let both = self.and(s, vec![a, b]);
                next(s, both)
            }
            (Node::Globally(a), Node::Globally(b))
                if !s.is(a, Fragment::EVENTUAL) && !s.is(b, Fragment::EVENTUAL) =>
            {
                let both = self.and(s, vec![a, b]);
                self.globally(s, both)
            }
            (Node::Finally(a), Node::Finally(b)) => match (s.node(a), s.node(b)) {
                (Node::Globally(c), Node::Globally(d)) => {
                    let both = self.and(s, vec![c, d]);
                    self.finally_globally(s, both)
                }
                _ => return None,
            },
            (Node::Until(a, b), Node::Until(c, d)) if b == d => {
                let both = self.and(s, vec![a, c]);
                self.until(s, both, b)
            }
            (Node::WeakUntil(a, b), Node::WeakUntil(c, d)) if b == d => {
                let both = self.and(s, vec![a, c]);
                self.weak_until(s, both, b)
            }
            (Node::Until(a, b), Node::WeakUntil(c, d)) if b == d => {
                let both = self.and(s, vec![a, c]);
                self.until(s, both, b)
            }
            (Node::Release(a, b), Node::Release(c, d)) if a == c => {
                let both = self.and(s, vec![b, d]);
                self.release(s, a, both)
            }
            (Node::StrongRelease(a, b), Node::StrongRelease(c, d) | Node::Release(c, d))
                if a == c =>
            {
                let both = self.and(s, vec![b, d]);
                self.strong_release(s, a, both)
            }
            (Node::WeakUntil(a, b), Node::Finally(c)) if b == c => self.until(s, a, b),
            (Node::Release(a, b), Node::Finally(c)) if a == c => self.strong_release(s, a, b),
            // F a & G(!a | u) = a M (!a | u) for universal u.
            (Node::Finally(a), Node::Globally(b)) => {
                if !self.guards(s, a, b, false) {
                    return None;
                }
                s.strong_release(a, b)
            }
            _ => return None,
        };
        Some(merged)
    }

    /// Whether `b` is the negation of `a` in conjunction with eventual operands, or dually in
    /// disjunction with universal ones.
    fn guards(&mut self, s: &mut FormulaStore, a: FormulaId, b: FormulaId, strong: bool) -> bool {
        let rest = match (s.node(b), strong) {
            (Node::And(_), true) => Fragment::EVENTUAL,
            (Node::Or(_), false) => Fragment::UNIVERSAL,
            _ => return false,
        };
        if self.large {
            return false;
        }
        let not_a = self.negation(s, a);
        let operands: Vec<FormulaId> = s.children(b).collect();
        operands.contains(&not_a) && operands.iter().all(|&h| h == not_a || s.is(h, rest))
    }

    fn merge_or(&mut self, s: &mut FormulaStore, f: FormulaId, g: FormulaId) -> Option<FormulaId> {
        let merged = match (s.node(f), s.node(g)) {
            (Node::Next(a), Node::Next(b)) => {
                let either = self.or(s, vec![a, b]);
                next(s, either)
            }
            (Node::Finally(a), Node::Finally(b)) => {
                let either = self.or(s, vec![a, b]);
                self.finally(s, either)
            }
            // An eventual operand may as well wait below the F: one state instead of two.
            (Node::Finally(a), _) if s.is(g, Fragment::EVENTUAL) => {
                let either = self.or(s, vec![a, g]);
                self.finally(s, either)
            }
            (Node::Globally(a), Node::Globally(b)) => match (s.node(a), s.node(b)) {
                (Node::Finally(c), Node::Finally(d)) => {
                    let either = self.or(s, vec![c, d]);
                    self.globally_finally(s, either)
                }
                _ => return None,
            },
            (Node::Until(a, b), Node::Until(c, d)) if a == c => {
                let either = self.or(s, vec![b, d]);
                self.until(s, a, either)
            }
            (Node::WeakUntil(a, b), Node::WeakUntil(c, d) | Node::Until(c, d)) if a == c => {
                let either = self.or(s, vec![b, d]);
                self.weak_until(s, a, either)
            }
            (Node::Release(a, b), Node::Release(c, d) | Node::StrongRelease(c, d)) if b == d => {
                let either = self.or(s, vec![a, c]);
                self.release(s, either, b)
            }
            (Node::StrongRelease(a, b), Node::StrongRelease(c, d)) if b == d => {
                let either = self.or(s, vec![a, c]);
                self.strong_release(s, either, b)
            }
            (Node::Globally(a), Node::Until(c, d)) if a == c => self.weak_until(s, a, d),
            (Node::Globally(a), Node::StrongRelease(c, d)) if a == d => self.release(s, c, d),
            // G a | F(!a & e) = a W (!a & e) for eventual e: the first !a decides.
            (Node::Globally(a), Node::Finally(b)) => {
                if !self.guards(s, a, b, true) {
                    return None;
                }
                s.weak_until(a, b)
            }
            _ => return None,
        };
        Some(merged)
    }
}

/// `f` without its leading `X`, and how many there were.
fn strip_next(s: &FormulaStore, mut f: FormulaId) -> (FormulaId, u32) {
    let mut count = 0;
    while let Node::Next(g) = s.node(f) {
        f = g;
        count += 1;
    }
    (f, count)
}

/// Both formulas without the leading `X` that they share, and how many those were.
fn strip_both(s: &FormulaStore, mut a: FormulaId, mut b: FormulaId) -> (FormulaId, FormulaId, u32) {
    let mut count = 0;
    while let (Node::Next(c), Node::Next(d)) = (s.node(a), s.node(b)) {
        (a, b) = (c, d);
        count += 1;
    }
    (a, b, count)
}

/// The formulas inside and outside a fragment.
fn split(
    s: &FormulaStore,
    fs: &[FormulaId],
    fragment: Fragment,
) -> (Vec<FormulaId>, Vec<FormulaId>) {
    fs.iter().partition(|&&f| s.is(f, fragment))
}

/// The operands of `f` but for `operand`.
fn without(s: &FormulaStore, f: FormulaId, operand: FormulaId) -> Vec<FormulaId> {
    s.children(f).filter(|&h| h != operand).collect()
}

fn with(mut fs: Vec<FormulaId>, f: FormulaId) -> Vec<FormulaId> {
    fs.push(f);
    fs
}

fn next(s: &mut FormulaStore, f: FormulaId) -> FormulaId {
    if s.is(f, Fragment::EVENTUAL.union(Fragment::UNIVERSAL)) {
        f
    } else {
        s.next(f)
    }
}
