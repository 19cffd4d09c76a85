//! The order in which the variables of a transition get their colours.
//!
//! A binding is found by a join: the tokens that the transition takes, seen as relations over its
//! variables, and the conjuncts of its guard. A plan says in which order. Conjuncts are checked as soon as
//! their variables are bound; an equality with one side bound gives the other side its colour; a relation
//! with the fewest unbound variables comes next, through an index on what is bound; variables that no
//! relation mentions are enumerated last, over the colours that the guard leaves to each.

use std::sync::Arc;

use super::guard::{Guard, Intervals, Shifted, intersection};
use super::multiset::{LeafId, Part};
use super::relation::{Digit, Tokens};
use dalsegno_kripke::Relation;

/// A token that a transition needs: a place and a tuple of constants and variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pattern {
    pub(super) place: u32,
    pub(super) parts: Vec<Part>,
}

/// What a step does with a digit of a colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Take {
    digit: Digit,
    part: Part,
    /// Whether the variable gets its colour here; otherwise the digit must agree with it.
    binds: bool,
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Goes through the tokens that match what is bound.
    Match {
        place: u32,
        index: usize,
        key: Vec<(Part, u32)>,
        takes: Vec<Take>,
        /// The number of the pattern.
        pattern: usize,
    },
    /// All variables are bound: is there such a token?
    Has {
        place: u32,
        parts: Vec<(Part, u32)>,
        pattern: usize,
    },
    /// Gives a variable the colour that an equality demands.
    Solve {
        leaf: LeafId,
        unshift: u32,
        size: u32,
        from: Shifted,
    },
    /// Goes through colours.
    Enumerate { leaf: LeafId, colours: Intervals },
    /// Checks a part of the guard.
    Check(Guard),
}

impl Step {
    /// Appends the variables that get their colours in this step.
    pub(super) fn binds(&self, out: &mut Vec<usize>) {
        match self {
            Step::Match { takes, .. } => {
                let bound = takes.iter().filter(|take| take.binds);
                out.extend(bound.filter_map(|take| match take.part {
                    Part::Variable { leaf, .. } => Some(leaf.index()),
                    _ => None,
                }));
            }
            Step::Solve { leaf, .. } | Step::Enumerate { leaf, .. } => out.push(leaf.index()),
            Step::Has { .. } | Step::Check(_) => {}
        }
    }
}

/// A plan: first a token, if there is one, then steps.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) first: Vec<Take>,
    pub(super) steps: Vec<Step>,
}

/// What a transition asks for.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) patterns: Vec<Pattern>,
    pub(super) guard: Guard,
    pub(super) leaves: Vec<LeafId>,
    /// The size of the sort per leaf of the net.
    pub(super) sizes: Arc<[u32]>,
}

impl Query {
    /// The colours that the conjuncts on a single variable leave to it.
    pub(super) fn domain(&self, leaf: LeafId) -> Intervals {
        let mut colours: Intervals = match self.sizes[leaf.index()] {
            0 => Intervals::new(),
            size => vec![(0, size - 1)],
        };
        for conjunct in self.guard.conjuncts() {
            if let Guard::Member(of, allowed) = conjunct
                && *of == leaf
            {
                colours = intersection(&colours, allowed);
            }
        }
        colours
    }

    /// A plan that starts with a token for one of the patterns, or with none.
    pub(super) fn plan(&self, start: Option<usize>, tokens: &mut Tokens) -> Plan {
        let mut draft = Draft {
            bound: vec![false; self.sizes.len()],
            patterns: vec![true; self.patterns.len()],
            conjuncts: self.guard.conjuncts().iter().map(Some).collect(),
            steps: Vec::new(),
        };
        let first = match start {
            Some(pattern) => {
                draft.patterns[pattern] = false;
                let pattern = &self.patterns[pattern];
                takes(pattern, tokens.digits(pattern.place), &mut draft.bound)
            }
            None => Vec::new(),
        };
        loop {
            draft.ready(self);
            if let Some(next) = draft.best_pattern(self) {
                draft.patterns[next] = false;
                draft.join(&self.patterns[next], next, tokens);
                continue;
            }
            let unbound = |leaf: &&LeafId| !draft.bound[leaf.index()];
            let size = |leaf: LeafId| -> u64 {
                let colours = self.domain(leaf);
                colours
                    .iter()
                    .map(|&(low, high)| u64::from(high - low) + 1)
                    .sum()
            };
            let Some(&leaf) = self.leaves.iter().filter(unbound).min_by_key(|l| size(**l)) else {
                break;
            };
            draft.bound[leaf.index()] = true;
            let colours = self.domain(leaf);
            draft.steps.push(Step::Enumerate { leaf, colours });
        }
        Plan {
            first,
            steps: draft.steps,
        }
    }
}

struct Draft<'g> {
    bound: Vec<bool>,
    /// Which patterns are still to come.
    patterns: Vec<bool>,
    /// The conjuncts that are still to come.
    conjuncts: Vec<Option<&'g Guard>>,
    steps: Vec<Step>,
}

impl Draft<'_> {
    /// Takes the conjuncts that can be checked or solved, until none is left.
    fn ready(&mut self, query: &Query) {
        let mut leaves = Vec::new();
        loop {
            let mut solved = false;
            for slot in &mut self.conjuncts {
                let Some(guard) = *slot else { continue };
                leaves.clear();
                guard.leaves(&mut leaves);
                if leaves.iter().all(|leaf| self.bound[leaf.index()]) {
                    self.steps.push(Step::Check(guard.clone()));
                    *slot = None;
                } else if let Guard::Compare(left, Relation::Eq, right) = guard {
                    let (from, to) = match (
                        self.bound[left.leaf.index()],
                        self.bound[right.leaf.index()],
                    ) {
                        (true, false) => (*left, *right),
                        (false, true) => (*right, *left),
                        _ => continue,
                    };
                    self.bound[to.leaf.index()] = true;
                    self.steps.push(Step::Solve {
                        leaf: to.leaf,
                        unshift: unshift(to.shift, to.size),
                        size: to.size,
                        from,
                    });
                    *slot = None;
                    solved = true;
                } else if let Guard::Member(leaf, colours) = guard
                    && matches!(colours.as_slice(), [(low, high)] if low == high)
                {
                    self.bound[leaf.index()] = true;
                    let colours = query.domain(*leaf);
                    let leaf = *leaf;
                    self.steps.push(Step::Enumerate { leaf, colours });
                    *slot = None;
                    solved = true;
                }
            }
            if !solved {
                return;
            }
        }
    }

    /// The pattern with the fewest unbound variables.
    fn best_pattern(&self, query: &Query) -> Option<usize> {
        let open = (0..self.patterns.len()).filter(|&i| self.patterns[i]);
        open.min_by_key(|&i| {
            let unbound = |part: &&Part| match part {
                Part::Variable { leaf, .. } => !self.bound[leaf.index()],
                _ => false,
            };
            query.patterns[i].parts.iter().filter(unbound).count()
        })
    }

    fn join(&mut self, pattern: &Pattern, number: usize, tokens: &mut Tokens) {
        let digits = tokens.digits(pattern.place).to_vec();
        let is_bound = |part: Part| match part {
            Part::Variable { leaf, .. } => self.bound[leaf.index()],
            _ => true,
        };
        let known: Vec<usize> = (0..digits.len())
            .filter(|&i| is_bound(pattern.parts[i]))
            .collect();
        let part = |&i: &usize| (pattern.parts[i], digits[i].size);
        let key: Vec<(Part, u32)> = known.iter().map(part).collect();
        let place = pattern.place;
        if known.len() == digits.len() {
            self.steps.push(Step::Has {
                place,
                parts: key,
                pattern: number,
            });
            return;
        }
        let index = tokens.index(place, &known);
        let mut unknown = takes(pattern, &digits, &mut self.bound);
        let mut position = 0;
        unknown.retain(|_| {
            position += 1;
            !known.contains(&(position - 1))
        });
        self.steps.push(Step::Match {
            place,
            index,
            key,
            takes: unknown,
            pattern: number,
        });
    }
}

/// What to do with each digit of a token, all of them.
fn takes(pattern: &Pattern, digits: &[Digit], bound: &mut [bool]) -> Vec<Take> {
    let pairs = pattern.parts.iter().zip(digits);
    pairs
        .map(|(&part, &digit)| {
            let binds = match part {
                Part::Variable { leaf, .. } => !std::mem::replace(&mut bound[leaf.index()], true),
                _ => false,
            };
            Take { digit, part, binds }
        })
        .collect()
}

fn unshift(shift: u32, size: u32) -> u32 {
    if shift == 0 { 0 } else { size - shift }
}

impl Take {
    /// Binds or compares one digit; false if they do not agree.
    #[inline]
    pub(super) fn apply(&self, colour: u64, values: &mut [u32]) -> bool {
        let (digit, size) = (self.digit.of(colour), self.digit.size);
        match self.part {
            Part::Variable { leaf, shift } if self.binds => {
                values[leaf.index()] = super::multiset::shifted(digit, unshift(shift, size), size);
                true
            }
            part => super::multiset::part_value(part, size, values) == digit,
        }
    }
}
