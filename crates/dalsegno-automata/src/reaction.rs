//! Which steps of a word matter to the state of an automaton.
//!
//! A partial-order reduction moves steps of a model past each other. What it may move depends on the state of the
//! automaton, and a testing automaton allows more than one over letters: where stuttering is free, steps that change nothing move at will, and
//! only a change with an edge makes the automaton move. `docs/stubborn.md` has the rules.
//!
//! A reaction names propositions that *meet* every change that matters: at least one of them is part of each such change. Few
//! and cheap ones are chosen, by one walk over each guard (diagrams) or greedily (lists of changesets).

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Changeset, Letter};

use crate::bdd::{Bdd, Manager, Var};
use crate::omega::automaton::Automaton;
use crate::omega::edge::Marks;
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingKind};
use crate::testing::lazy::{LazyTesting, TestingState};

/// Which steps matter to an automaton state that is at a letter. Sets of propositions are bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reaction {
    /// Any step may.
    Any,
    /// The order of the letters, but not how often one is repeated: the automaton has one run per word, and its language
    /// is stutter-invariant.
    Order,
    /// Stuttering is free: the state stays as it is until a change meets `meets`, and takes the same loop as long as nothing
    /// visible changes.
    Free {
        /// Whether stuttering for ever is accepted.
        accepting: bool,
        /// Visible propositions, one of which is part of every visible change that has an edge.
        meets: u64,
        /// The propositions that the state sees: if others change, that is a stuttering step. States that it leads to see
        /// no more.
        visible: u64,
    },
    /// A letter is *quiet* if the only edge on it is a loop with the same marks as the loop on the present letter. The state stays as it is
    /// until a letter with an edge comes that is not quiet.
    Quiet {
        /// Whether staying for ever is accepted.
        accepting: bool,
        /// Propositions, one of which changes before such a letter comes.
        meets: u64,
        /// The propositions that decide whether a letter is quiet.
        support: u64,
    },
}

/// Quiet letters are looked for one by one among those over no more propositions.
const MAX_SUPPORT: usize = 10;

/// The reaction of a state of an automaton over letters.
pub(crate) fn of_letters(a: &Automaton, q: StateId, letter: Letter, weights: &[u32]) -> Reaction {
    quiet(a, q, letter, &[], &|_| false, weights)
}

/// The reaction of a state of a testing automaton.
pub(crate) fn of_changes(
    t: &TestingAutomaton,
    all: Marks,
    q: StateId,
    visible: u64,
    weights: &[u32],
) -> Reaction {
    if !t.stutters_freely(q) {
        return Reaction::Any;
    }
    let edges = &t.edges[q.index()];
    let changes = edges.iter().map(|e| e.changes.0 & visible);
    let changes = changes.filter(|&c| c != 0);
    let accepting = match t.kind {
        TestingKind::Ta => t.livelock[q.index()],
        TestingKind::Tgta => {
            let loops = t.enabled(q, Changeset::EMPTY);
            loops.iter().any(|e| e.marks.contains(all))
        }
    };
    Reaction::Free {
        accepting,
        meets: meeting(changes.collect(), weights),
        visible,
    }
}

/// The reaction of a state of a testing automaton that is computed on demand.
pub(crate) fn of_lazy(
    t: &mut LazyTesting,
    state: StateId,
    letter: Letter,
    weights: &[u32],
) -> Reaction {
    if !t.is_plain() {
        return Reaction::Any;
    }
    match t.testing_state(state) {
        TestingState::Livelock { .. } => Reaction::Free {
            accepting: true,
            meets: 0,
            visible: t.visible(state),
        },
        TestingState::At { q, stutter, .. } if stutter || t.kind() == TestingKind::Ta => {
            let accepting = match t.kind() {
                TestingKind::Ta => t.is_livelock(state),
                TestingKind::Tgta => t.is_on_cycle(q, letter),
            };
            // A change has an edge if the target of an edge on the present letter can read the letter after it.
            let a = t.automaton();
            let mut meets = 0;
            for e in a.enabled(q, letter) {
                for next in &a.edges[e.target.index()] {
                    meets |= Meeting::new(&a.guards, letter, weights).of(next.guard, meets);
                }
            }
            // Guards look at visible propositions alone, so these meet every visible change.
            let visible = t.visible(state);
            let meets = meets & visible;
            Reaction::Free {
                accepting,
                meets,
                visible,
            }
        }
        TestingState::At { q, .. } => {
            let free = |other: Letter| t.is_free(q, other);
            quiet(t.automaton(), q, letter, &t.free_support(q), &free, weights)
        }
    }
}

/// Whether all edges on `other` are loops with the marks of the loop on `letter`, and there is one on both.
pub(crate) fn is_quiet(a: &Automaton, q: StateId, letter: Letter, other: Letter) -> bool {
    let Some(marks) = loop_marks(a, q, letter) else {
        return false;
    };
    loop_marks(a, q, other) == Some(marks)
}

/// The marks of the loop on a letter, if all edges on it are loops with the same marks.
fn loop_marks(a: &Automaton, q: StateId, letter: Letter) -> Option<Marks> {
    let mut edges = a.enabled(q, letter);
    let first = edges.next()?;
    let same = first.target == q && edges.all(|e| e.target == q && e.marks == first.marks);
    same.then_some(first.marks)
}

/// The reaction of a state that reads letters one by one. On `free` letters, which depend on `more` variables, it would be left
/// for one that stutters freely.
fn quiet(
    a: &Automaton,
    q: StateId,
    letter: Letter,
    more: &[Var],
    free: &dyn Fn(Letter) -> bool,
    weights: &[u32],
) -> Reaction {
    let Some(marks) = loop_marks(a, q, letter).filter(|_| !free(letter)) else {
        return Reaction::Any;
    };
    let guards = a.edges[q.index()].iter().map(|e| e.guard);
    let mut variables = a.guards.support_of(guards);
    variables.extend_from_slice(more);
    variables.sort_unstable();
    variables.dedup();
    if variables.len() > MAX_SUPPORT {
        return Reaction::Any;
    }
    let mut changes = Vec::new();
    for code in 0..1_u64 << variables.len() {
        let with = |l: Letter, (i, &v): (usize, &Var)| l.with(v as usize, code >> i & 1 == 1);
        let other = variables.iter().enumerate().fold(letter, with);
        let reads = a.enabled(q, other).next().is_some();
        if reads && (loop_marks(a, q, other) != Some(marks) || free(other)) {
            changes.push((letter ^ other).0);
        }
    }
    Reaction::Quiet {
        accepting: marks.contains(a.all_marks()),
        meets: meeting(changes, weights),
        support: variables.iter().fold(0, |bits, &v| bits | 1 << v),
    }
}

/// Propositions that meet all of these sets, none of which is empty.
fn meeting(mut changes: Vec<u64>, weights: &[u32]) -> u64 {
    changes.sort_unstable_by_key(|c| (c.count_ones(), *c));
    changes.dedup();
    let mut chosen = 0;
    for change in changes {
        if change & chosen == 0 {
            chosen |= cheapest(change, weights);
        }
    }
    chosen
}

/// The cheapest proposition of a set.
fn cheapest(set: u64, weights: &[u32]) -> u64 {
    let bits = Changeset(set).iter();
    let cheapest = bits.min_by_key(|&p| weights.get(p).copied().unwrap_or(u32::MAX));
    cheapest.map_or(0, |p| 1 << p)
}

/// Propositions that meet the differences between one letter and all others of a diagram.
struct Meeting<'a> {
    guards: &'a Manager,
    letter: Letter,
    weights: &'a [u32],
    known: FxHashMap<Bdd, u64>,
}

impl<'a> Meeting<'a> {
    fn new(guards: &'a Manager, letter: Letter, weights: &'a [u32]) -> Self {
        Meeting {
            guards,
            letter,
            weights,
            known: FxHashMap::default(),
        }
    }

    fn cost(&self, set: u64) -> u64 {
        let weight = |p: usize| u64::from(self.weights.get(p).copied().unwrap_or(u32::MAX));
        Changeset(set).iter().map(weight).sum()
    }

    /// Of all letters of `f` but the letter itself; `have` has been chosen already.
    fn of(&mut self, f: Bdd, have: u64) -> u64 {
        if !self.guards.holds(f, self.letter) {
            return self.outside(f);
        }
        // Along the way of the letter itself: what is not tested may change by itself.
        let (mut at, mut tested, mut chosen) = (f, 0, have);
        while !at.is_constant() {
            let (same, other) = self.branches(at);
            let variable = 1 << self.guards.var(at);
            tested |= variable;
            chosen |= self.aside(variable, other, chosen);
            at = same;
        }
        let all = 1_u64.checked_shl(self.weights.len() as u32);
        let all = all.map_or(u64::MAX, |bit| bit - 1);
        chosen | all & !tested
    }

    /// Of the letters of a branch that the letter does not take.
    fn aside(&mut self, variable: u64, branch: Bdd, chosen: u64) -> u64 {
        if branch == Bdd::FALSE || variable & chosen != 0 {
            return 0;
        }
        if self.guards.holds(branch, self.letter) {
            return variable;
        }
        let below = self.outside(branch);
        if self.cost(below & !chosen) < self.cost(variable) {
            below
        } else {
            variable
        }
    }

    /// Of all letters of `f`, which the letter is not one of.
    fn outside(&mut self, f: Bdd) -> u64 {
        if f.is_constant() {
            return 0;
        }
        if let Some(&known) = self.known.get(&f) {
            return known;
        }
        let (same, other) = self.branches(f);
        let mut chosen = self.outside(same);
        let variable = 1 << self.guards.var(f);
        chosen |= self.aside(variable, other, chosen);
        self.known.insert(f, chosen);
        chosen
    }

    /// The branch that the letter takes, and the other one.
    fn branches(&self, f: Bdd) -> (Bdd, Bdd) {
        let (low, high) = (self.guards.low(f), self.guards.high(f));
        if self.letter.holds(self.guards.var(f) as usize) {
            (high, low)
        } else {
            (low, high)
        }
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Budget;
    use dalsegno_logic::random::{Config, Generator};
    use dalsegno_logic::{FormulaStore, parse};

    use super::*;
    use crate::Translation;
    use crate::observer::Observer;

    const WEIGHTS: [u32; 3] = [1, 1, 1];

    /// Every change that moves a free state is met, and what is quiet stays: all reactions of all states that letters lead to.
    #[test]
    fn reactions_name_all_changes_that_matter() {
        let budget = Budget::unlimited();
        let mut store = FormulaStore::new();
        let formulas = Config::ltl().with_size(3..=10).with_seed(5);
        let mut formulas = Generator::new(formulas.with_propositions(["a", "b", "c"]));
        let (mut free, mut still) = (0, 0);
        for number in 0..300 {
            let f = formulas.next_formula(&mut store);
            let mut translation = Translation::new(&mut store, f, &budget);
            let (mut observer, names) = match number % 3 {
                1 => {
                    let whole = translation.tgta().unwrap();
                    let names = whole.propositions().len();
                    (Observer::of_testing(whole), names)
                }
                way => {
                    let observer = match way {
                        0 => Observer::lazy(translation.lazy_tgta().unwrap()),
                        _ => Observer::new(translation.tgba().unwrap()),
                    };
                    let names = observer.over_letters().unwrap().propositions().len();
                    (observer, names)
                }
            };
            let letters: Vec<Letter> = (0..1 << names).map(Letter).collect();
            let mut open: Vec<(StateId, Letter)> = Vec::new();
            for &l in &letters {
                open.extend(observer.initial(l).iter().map(|&(q, _)| (q, l)));
            }
            let mut next = 0;
            while next < open.len() && next < 200 {
                let (q, l) = open[next];
                next += 1;
                let reaction = observer.reaction(q, l, &WEIGHTS[..names]);
                for &to in &letters {
                    let steps = observer.step(q, l, to).to_vec();
                    match reaction {
                        Reaction::Free {
                            meets,
                            accepting,
                            visible,
                        } => {
                            if (l ^ to).0 & visible == 0 {
                                let all = observer.all_marks();
                                let [(p, marks)] = steps[..] else {
                                    panic!("a free state has one loop");
                                };
                                assert!(p == q && (!accepting || marks.contains(all)));
                                free += 1;
                            } else if !steps.is_empty() {
                                assert!((l ^ to).0 & meets != 0, "{f:?} {l:?} {to:?}");
                            }
                        }
                        Reaction::Quiet { meets, support, .. } => {
                            let there = (l ^ to).0 & meets != 0;
                            assert!(
                                there || observer.is_quiet(q, l, to) || {
                                    let after = observer.step(q, to, to);
                                    after.is_empty() || (number % 3 == 0 && steps.is_empty())
                                }
                            );
                            let near = Letter(to.0 & support | l.0 & !support);
                            assert_eq!(observer.is_quiet(q, l, to), observer.is_quiet(q, l, near));
                            still += 1;
                        }
                        Reaction::Any | Reaction::Order => {}
                    }
                    for (p, _) in steps {
                        if !open.contains(&(p, to)) {
                            open.push((p, to));
                        }
                    }
                }
            }
        }
        assert!(free > 100 && still > 100, "{free} {still}");
    }

    /// States see no more than those that lead to them, and what they do not see changes nothing: all states of lazy and whole TGTA.
    #[test]
    fn masks_shrink_and_decide_what_stutters() {
        let budget = Budget::unlimited();
        let mut store = FormulaStore::new();
        let patterns = [
            "F(a & F(b & F c))",
            "a U (b & G c)",
            "F(a & F b) & F c",
            "a U (b & G F c)",
        ];
        let patterns = patterns.map(|text| parse(&mut store, text).unwrap());
        let formulas = |formulas: Config| {
            let formulas = formulas.with_size(3..=12).with_seed(6);
            Generator::new(formulas.with_propositions(["a", "b", "c"]))
        };
        let (mut x_free, mut any) = (formulas(Config::x_free()), formulas(Config::ltl()));
        let mut sharper = [0; 2];
        let mut of_patterns = [0; 4];
        for number in 0..400 {
            let f = match patterns.get(number) {
                Some(&pattern) => pattern,
                None if number % 3 == 0 => any.next_formula(&mut store),
                None => x_free.next_formula(&mut store),
            };
            for lazy in [false, true] {
                let mut translation = Translation::new(&mut store, f, &budget);
                let (mut observer, n) = if lazy {
                    let lazy = translation.lazy_tgta().unwrap();
                    let n = lazy.automaton().propositions().len();
                    (Observer::lazy(lazy), n)
                } else {
                    let whole = translation.tgta().unwrap();
                    let n = whole.propositions().len();
                    (Observer::of_testing(whole), n)
                };
                let found = masks_of(&mut observer, n);
                sharper[usize::from(lazy)] += found;
                if let Some(of_pattern) = of_patterns.get_mut(number) {
                    *of_pattern += usize::from(found > 0);
                }
            }
        }
        println!("states that see less than all: {sharper:?}");
        assert!(sharper[0] > 100 && sharper[1] > 100, "{sharper:?}");
        assert_eq!(of_patterns, [2; 4], "both automata of each pattern");
    }

    /// Checks all states that letters over so many propositions lead to; how many see some propositions but not all.
    fn masks_of(observer: &mut Observer, n: usize) -> usize {
        let letters: Vec<Letter> = (0..1 << n).map(Letter).collect();
        let every = (1 << n) - 1;
        let mut open: Vec<(StateId, Letter)> = Vec::new();
        for &l in &letters {
            open.extend(observer.initial(l).iter().map(|&(q, _)| (q, l)));
        }
        let (mut next, mut sharper) = (0, 0);
        while let Some(&(q, l)) = open.get(next) {
            next += 1;
            let visible =
                |observer: &mut Observer, q, l| match observer.reaction(q, l, &WEIGHTS[..n]) {
                    Reaction::Free { visible, .. } => visible & every,
                    _ => every,
                };
            let free = observer.reaction(q, l, &WEIGHTS[..n]);
            let free = matches!(free, Reaction::Free { .. });
            let mask = visible(observer, q, l);
            sharper += usize::from(mask != every && mask != 0);
            let stays = observer.step(q, l, l).to_vec();
            for &to in &letters {
                let steps = observer.step(q, l, to).to_vec();
                if free && (l ^ to).0 & mask == 0 {
                    assert!(steps == stays && matches!(steps[..], [(p, _)] if p == q));
                }
                // Of the letter after the step, only what is seen makes a difference.
                let near = Letter(to.0 & mask | l.0 & !mask);
                let near_steps = observer.step(q, l, near).to_vec();
                let near_keys = near_steps.iter().map(|s| s.1);
                if free {
                    assert!(near_keys.eq(steps.iter().map(|s| s.1)), "the same marks");
                }
                for (p, _) in steps {
                    assert_eq!(visible(observer, p, to) & !mask, 0, "masks shrink");
                    if !open.contains(&(p, to)) {
                        open.push((p, to));
                    }
                }
            }
        }
        sharper
    }

    #[test]
    fn a_waiting_state_watches_what_it_waits_for() {
        let budget = Budget::unlimited();
        let mut store = FormulaStore::new();
        let f = parse(&mut store, "F (a & X F b)").unwrap();
        let mut translation = Translation::new(&mut store, f, &budget);
        let mut observer = Observer::new(translation.tgba().unwrap());
        let (q, _) = observer.initial(Letter(0))[0];
        let Reaction::Quiet { meets, .. } = observer.reaction(q, Letter(0), &[1, 1]) else {
            panic!("the state waits for a");
        };
        assert_eq!(meets.count_ones(), 1);
    }
}
