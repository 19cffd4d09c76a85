//! Syntactic implication: a sound, incomplete and cheap test of `f => g`.
//!
//! The rules are those of Somenzi and Bloem, "Efficient Büchi Automata from LTL Formulae" (CAV
//! 2000), extended to `W` and `M` and to pure eventuality and universality (Etessami and Holzmann,
//! CONCUR 2000). Boolean formulas over up to six propositions are compared exactly by truth tables.
//! A positive answer is a proof, a negative one says nothing. Formulas are in negation normal form.
//!
//! Answers are memoised per pair. The recursion stops at a fixed depth with "not known", and so does
//! every question when the steps are used up that were granted.

use rustc_hash::FxHashMap;

use crate::fragment::Fragment;
use crate::store::{FormulaId, FormulaStore, Node, PropId};

const MAX_DEPTH: u32 = 60;

/// The memory of past answers.
#[derive(Clone, Debug)]
pub struct Implications {
    known: FxHashMap<(FormulaId, FormulaId), bool>,
    /// The steps that are left.
    left: u64,
}

impl Default for Implications {
    fn default() -> Self {
        Implications {
            known: FxHashMap::default(),
            left: u64::MAX,
        }
    }
}

/// A binary temporal operator, `F` and `G` being read as `true U` and `false R`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

impl Implications {
    /// Grants so many steps to all questions from here on; at first there is no limit.
    pub fn grant(&mut self, steps: u64) {
        self.left = steps;
    }

    /// Forgets all answers.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    /// Uses up some steps; false if there are not so many.
    pub(crate) fn spend(&mut self, steps: u64) -> bool {
        let enough = self.left >= steps;
        self.left = self.left.saturating_sub(steps);
        enough
    }

    /// Whether the rules prove that every word of `f` is a word of `g`.
    pub fn implies(&mut self, store: &FormulaStore, f: FormulaId, g: FormulaId) -> bool {
        self.prove(store, f, g, MAX_DEPTH)
    }

    fn prove(&mut self, store: &FormulaStore, f: FormulaId, g: FormulaId, fuel: u32) -> bool {
        if f == g || f == FormulaId::FALSE || g == FormulaId::TRUE {
            return true;
        }
        if f == FormulaId::TRUE || g == FormulaId::FALSE || fuel == 0 {
            return false;
        }
        if let Some(&answer) = self.known.get(&(f, g)) {
            return answer;
        }
        if !self.spend(1) {
            return false;
        }
        let answer = self.derive(store, f, g, fuel - 1);
        // What was not proved for want of steps may be proved another time.
        if answer || self.left > 0 {
            self.known.insert((f, g), answer);
        }
        answer
    }

    fn derive(&mut self, s: &FormulaStore, f: FormulaId, g: FormulaId, fuel: u32) -> bool {
        let (cf, cg) = (s.fragment(f), s.fragment(g));
        if cf.contains(Fragment::BOOLEAN)
            && cg.contains(Fragment::BOOLEAN)
            && let Some(answer) = boolean_implies(s, f, g)
        {
            return answer;
        }
        match (s.node(f), s.node(g)) {
            (Node::Or(fs), _) => return fs.iter().all(|&h| self.prove(s, h, g, fuel)),
            (_, Node::And(gs)) => return gs.iter().all(|&h| self.prove(s, f, h, fuel)),
            _ => {}
        }
        if let Node::Or(gs) = s.node(g)
            && gs.iter().any(|&h| self.prove(s, f, h, fuel))
        {
            return true;
        }
        if let Node::And(fs) = s.node(f)
            && fs.iter().any(|&h| self.prove(s, h, g, fuel))
        {
            return true;
        }
        if let (Node::Next(a), Node::Next(b)) = (s.node(f), s.node(g))
            && self.prove(s, a, b, fuel)
        {
            return true;
        }
        if cg.contains(Fragment::EVENTUAL) {
            let reaches = match s.node(f) {
                Node::Next(a) | Node::Finally(a) => self.prove(s, a, g, fuel),
                Node::Until(_, b) => self.prove(s, b, g, fuel),
                Node::StrongRelease(a, b) => self.prove(s, a, g, fuel) || self.prove(s, b, g, fuel),
                _ => false,
            };
            if reaches {
                return true;
            }
        }
        if cf.contains(Fragment::UNIVERSAL) {
            let stays = match s.node(g) {
                Node::Next(b) | Node::Globally(b) | Node::Release(_, b) => {
                    self.prove(s, f, b, fuel)
                }
                Node::WeakUntil(a, b) => self.prove(s, f, a, fuel) || self.prove(s, f, b, fuel),
                _ => false,
            };
            if stays {
                return true;
            }
        }
        self.begins(s, f, g, fuel) || self.fulfils(s, f, g, fuel) || self.shapes(s, f, g, fuel)
    }

    /// What `f` says of the first position already implies `g`.
    fn begins(&mut self, s: &FormulaStore, f: FormulaId, g: FormulaId, fuel: u32) -> bool {
        match s.node(f) {
            Node::Globally(a) => self.prove(s, a, g, fuel),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                self.prove(s, a, g, fuel) && self.prove(s, b, g, fuel)
            }
            Node::Release(_, b) | Node::StrongRelease(_, b) => self.prove(s, b, g, fuel),
            _ => false,
        }
    }

    /// `f` implies a way to fulfil `g` at the first position.
    fn fulfils(&mut self, s: &FormulaStore, f: FormulaId, g: FormulaId, fuel: u32) -> bool {
        match s.node(g) {
            Node::Finally(b) | Node::Until(_, b) | Node::WeakUntil(_, b) => {
                self.prove(s, f, b, fuel)
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                self.prove(s, f, a, fuel) && self.prove(s, f, b, fuel)
            }
            _ => false,
        }
    }

    /// Position by position: `f` holds as long as `g` must, and ends where `g` may end.
    fn shapes(&mut self, s: &FormulaStore, f: FormulaId, g: FormulaId, fuel: u32) -> bool {
        use Shape::{StrongRelease, Until, WeakUntil};
        let (Some((left, a, b)), Some((right, c, d))) = (shape(s, f), shape(s, g)) else {
            return false;
        };
        // A strong operator is not implied by a weak one this way.
        let strong = |shape: Shape| matches!(shape, Until | StrongRelease);
        if strong(right) && !strong(left) {
            return false;
        }
        let holds_until = |shape: Shape| matches!(shape, Until | WeakUntil);
        match (holds_until(left), holds_until(right)) {
            (true, true) | (false, false) => self.prove(s, a, c, fuel) && self.prove(s, b, d, fuel),
            // b up to and including a & b: the end of the right side needs a => d or b => d.
            (false, true) => {
                self.prove(s, b, c, fuel)
                    && (self.prove(s, a, d, fuel) || self.prove(s, b, d, fuel))
            }
            // a strictly before b: the end of the right side needs both at b.
            (true, false) => {
                self.prove(s, a, d, fuel) && self.prove(s, b, d, fuel) && self.prove(s, b, c, fuel)
            }
        }
    }
}

fn shape(s: &FormulaStore, f: FormulaId) -> Option<(Shape, FormulaId, FormulaId)> {
    match s.node(f) {
        Node::Finally(b) => Some((Shape::Until, FormulaId::TRUE, b)),
        Node::Globally(b) => Some((Shape::Release, FormulaId::FALSE, b)),
        Node::Until(a, b) => Some((Shape::Until, a, b)),
        Node::Release(a, b) => Some((Shape::Release, a, b)),
        Node::WeakUntil(a, b) => Some((Shape::WeakUntil, a, b)),
        Node::StrongRelease(a, b) => Some((Shape::StrongRelease, a, b)),
        _ => None,
    }
}

/// The implication of two Boolean formulas, if they have at most six propositions together.
fn boolean_implies(s: &FormulaStore, f: FormulaId, g: FormulaId) -> Option<bool> {
    let mut props: Vec<PropId> = Vec::with_capacity(6);
    let mut budget = 64;
    if !collect(s, f, &mut props, &mut budget) || !collect(s, g, &mut props, &mut budget) {
        return None;
    }
    let (tf, tg) = (table(s, f, &props), table(s, g, &props));
    Some(tf & !tg == 0)
}

/// Gathers up to six propositions of a Boolean formula; false if there are more or it is large.
fn collect(s: &FormulaStore, f: FormulaId, props: &mut Vec<PropId>, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match s.node(f) {
        Node::Atom(p) => {
            if !props.contains(&p) {
                props.push(p);
            }
            props.len() <= 6
        }
        _ => s.children(f).all(|h| collect(s, h, props, budget)),
    }
}

/// Bit `r` is the value in the row where proposition `i` is bit `i` of `r`.
fn table(s: &FormulaStore, f: FormulaId, props: &[PropId]) -> u64 {
    const COLUMNS: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    let of = |h: FormulaId| table(s, h, props);
    match s.node(f) {
        Node::True => u64::MAX,
        Node::Atom(p) => props.iter().position(|&q| q == p).map_or(0, |i| COLUMNS[i]),
        Node::Not(h) => !of(h),
        Node::And(fs) => fs.iter().fold(u64::MAX, |t, &h| t & of(h)),
        Node::Or(fs) => fs.iter().fold(0, |t, &h| t | of(h)),
        Node::Implies(l, r) => !of(l) | of(r),
        Node::Iff(l, r) => !(of(l) ^ of(r)),
        Node::Xor(l, r) => of(l) ^ of(r),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_implications_are_found() {
        let mut s = FormulaStore::new();
        let (a, b, c) = (s.atom("a"), s.atom("b"), s.atom("c"));
        let mut i = Implications::default();
        let ab = s.and([a, b]);
        let fab = s.finally(ab);
        let fa = s.finally(a);
        assert!(i.implies(&s, fab, fa));
        assert!(!i.implies(&s, fa, fab));
        let gfa = s.globally(fa);
        assert!(i.implies(&s, gfa, fa));
        let u = s.until(c, ab);
        let w = s.weak_until(c, b);
        assert!(i.implies(&s, u, w));
        assert!(i.implies(&s, u, fa));
        let m = s.strong_release(a, b);
        let ub = s.until(b, a);
        assert!(i.implies(&s, m, ub));
        assert!(!i.implies(&s, ub, m));
        let ga = s.globally(a);
        let xa = s.next(a);
        assert!(i.implies(&s, ga, xa));
    }

    #[test]
    fn an_answer_costs_its_steps_once() {
        let mut s = FormulaStore::new();
        let (a, b) = (s.atom("a"), s.atom("b"));
        let (fa, gb) = (s.finally(a), s.globally(b));
        let mut i = Implications::default();
        i.grant(1000);
        assert!(!i.implies(&s, fa, gb));
        let left = i.left;
        assert!(left < 1000);
        assert!(!i.implies(&s, fa, gb));
        assert_eq!(i.left, left);
    }
}
