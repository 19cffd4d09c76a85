//! Conditions on vectors, read value by value from the top level down.
//!
//! A guard is a state of a deterministic automaton: [`Guards::advance`] tells which condition is
//! left for the levels below once the value of its topmost level is known. A comparison of a
//! weighted sum carries what is left of its constant; a conjunction or disjunction carries its
//! parts. Equal conditions have equal handles, so operations on diagrams can be remembered by guard
//! and node. Nothing is built before it is asked for.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::store::Node;

/// A condition on vectors, in a [`Manager`](crate::Manager).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Guard(pub(crate) u32);

impl Guard {
    /// Every vector.
    pub const TRUE: Guard = Guard(0);
    /// No vector.
    pub const FALSE: Guard = Guard(1);
}

/// How a sum is compared with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// At most the constant.
    AtMost,
    /// At least the constant.
    AtLeast,
    /// The constant.
    Equal,
    /// Not the constant.
    Unequal,
}

impl Comparison {
    #[inline]
    pub(crate) fn holds(self, sum: i64, constant: i64) -> bool {
        match self {
            Comparison::AtMost => sum <= constant,
            Comparison::AtLeast => sum >= constant,
            Comparison::Equal => sum == constant,
            Comparison::Unequal => sum != constant,
        }
    }

    /// What is known if the sum is known to lie between two numbers.
    pub(crate) fn decided(self, least: i64, most: i64, constant: i64) -> Option<bool> {
        let outside = constant < least || constant > most;
        let single = least == most && least == constant;
        match self {
            Comparison::AtMost if most <= constant => Some(true),
            Comparison::AtMost if least > constant => Some(false),
            Comparison::AtLeast if least >= constant => Some(true),
            Comparison::AtLeast if most < constant => Some(false),
            Comparison::Equal if outside => Some(false),
            Comparison::Equal if single => Some(true),
            Comparison::Unequal if outside => Some(true),
            Comparison::Unequal if single => Some(false),
            _ => None,
        }
    }
}

/// What a level adds to a sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Weight {
    /// A multiple of its value.
    Times(i64),
    /// A number per value; nothing for values beyond the last.
    Listed(Box<[i64]>),
}

impl Weight {
    /// The number of a value.
    #[inline]
    #[must_use]
    pub fn of(&self, value: u32) -> i64 {
        match self {
            Weight::Times(coefficient) => coefficient * i64::from(value),
            Weight::Listed(numbers) => numbers.get(value as usize).copied().unwrap_or(0),
        }
    }

    /// The bytes of its list, which is kept twice.
    fn bytes(&self) -> usize {
        match self {
            Weight::Times(_) => 0,
            Weight::Listed(numbers) => 2 * size_of_val::<[_]>(numbers),
        }
    }

    /// The least and the most that it can be, whatever the value.
    fn extent(&self) -> (i64, i64) {
        match self {
            Weight::Times(0) => (0, 0),
            Weight::Times(1..) => (0, i64::MAX),
            Weight::Times(_) => (i64::MIN, 0),
            Weight::Listed(numbers) => {
                let least = numbers.iter().min().map_or(0, |&n| n.min(0));
                let most = numbers.iter().max().map_or(0, |&n| n.max(0));
                (least, most)
            }
        }
    }
}

/// A level and what it adds to a sum.
pub(crate) type Term = (u32, Weight);

/// A list of levels, ascending, with their weights: the terms of a sum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Sum {
    /// The first term that is not read yet, and the end, in [`Guards::terms`].
    pub(crate) from: u32,
    pub(crate) to: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Condition {
    True,
    False,
    Compare {
        sum: Sum,
        comparison: Comparison,
        constant: i64,
    },
    /// Membership in a set, which starts at `level`.
    Member {
        level: u32,
        node: Node,
    },
    /// Whether the values of some levels together are listed in a set of shorter vectors.
    Listed {
        levels: Span,
        node: Node,
        /// The answer if they are.
        truth: bool,
    },
    And(Box<[Guard]>),
    Or(Box<[Guard]>),
}

/// Levels, ascending, that are not read yet: from here to there in [`Guards::spans`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Span {
    from: u32,
    to: u32,
}

/// The guards of a manager.
pub(crate) struct Guards {
    conditions: Vec<Condition>,
    /// The topmost level that each condition reads; `u32::MAX` for constants.
    levels: Vec<u32>,
    /// Whether each condition combines comparisons of single levels only.
    local: Vec<bool>,
    known: HashTable<Guard>,
    terms: Vec<Term>,
    sums: FxHashMap<Box<[Term]>, Sum>,
    spans: Vec<u32>,
    known_spans: FxHashMap<Box<[u32]>, Span>,
    advanced: FxHashMap<(Guard, u32), Guard>,
    /// Bytes of lists in conditions.
    lists: usize,
}

impl Guards {
    pub(crate) fn new() -> Self {
        let mut guards = Guards {
            conditions: Vec::new(),
            levels: Vec::new(),
            local: Vec::new(),
            known: HashTable::new(),
            lists: 0,
            terms: Vec::new(),
            sums: FxHashMap::default(),
            spans: Vec::new(),
            known_spans: FxHashMap::default(),
            advanced: FxHashMap::default(),
        };
        guards.intern(Condition::True, u32::MAX);
        guards.intern(Condition::False, u32::MAX);
        guards
    }

    /// The bytes that the tables take, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        let conditions = self.conditions.capacity() * (size_of::<Condition>() + 4);
        let maps = self.known.capacity() * 5 + self.advanced.capacity() * 13;
        let sums = 2 * self.terms.capacity() * size_of::<Term>();
        let spans = 2 * self.spans.capacity() * size_of::<u32>();
        (conditions + self.lists + maps + sums + spans) as u64
    }

    /// The topmost level that a guard reads; `u32::MAX` for the constants.
    #[inline]
    pub(crate) fn level(&self, guard: Guard) -> u32 {
        self.levels[guard.0 as usize]
    }

    pub(crate) fn condition(&self, guard: Guard) -> &Condition {
        &self.conditions[guard.0 as usize]
    }

    /// The terms of a sum that are not read yet.
    pub(crate) fn terms(&self, sum: Sum) -> &[Term] {
        &self.terms[sum.from as usize..sum.to as usize]
    }

    fn intern(&mut self, condition: Condition, level: u32) -> Guard {
        let hash = FxBuildHasher.hash_one(&condition);
        let same = |g: &Guard| *self.condition(*g) == condition;
        if let Some(&guard) = self.known.find(hash, same) {
            return guard;
        }
        // Every condition takes tens of bytes: memory ends before the numbers do.
        let guard = Guard(self.conditions.len() as u32);
        let local = match &condition {
            Condition::True | Condition::False => true,
            Condition::Compare { sum, .. } => sum.to - sum.from == 1,
            Condition::Member { .. } | Condition::Listed { .. } => false,
            Condition::And(parts) | Condition::Or(parts) => {
                self.lists += size_of_val::<[_]>(parts);
                parts.iter().all(|part| self.is_local(*part))
            }
        };
        self.local.push(local);
        self.conditions.push(condition);
        self.levels.push(level);
        let conditions = &self.conditions;
        let rehash = |g: &Guard| FxBuildHasher.hash_one(&conditions[g.0 as usize]);
        self.known.insert_unique(hash, guard, rehash);
        guard
    }

    /// `Σ coefficient · value(level)` compared with a constant.
    pub(crate) fn compare(
        &mut self,
        terms: &[(u32, i64)],
        comparison: Comparison,
        constant: i64,
    ) -> Guard {
        let mut sorted = terms.to_vec();
        sorted.sort_unstable_by_key(|term| term.0);
        sorted.dedup_by(|next, term| {
            let same = next.0 == term.0;
            if same {
                term.1 += next.1;
            }
            same
        });
        sorted.retain(|term| term.1 != 0);
        let terms = sorted.into_iter();
        let terms = terms.map(|(level, coefficient)| (level, Weight::Times(coefficient)));
        self.compare_by(terms.collect(), comparison, constant)
    }

    /// `Σ weight(value(level))` compared with a constant; no level comes twice.
    pub(crate) fn compare_by(
        &mut self,
        mut terms: Vec<Term>,
        comparison: Comparison,
        constant: i64,
    ) -> Guard {
        terms.sort_unstable_by_key(|term| term.0);
        let sum = if let Some(&sum) = self.sums.get(&terms[..]) {
            sum
        } else {
            let from = self.terms.len() as u32;
            self.terms.extend_from_slice(&terms);
            let to = self.terms.len() as u32;
            let sum = Sum { from, to };
            self.lists += terms
                .iter()
                .map(|(_, weight)| weight.bytes())
                .sum::<usize>();
            self.sums.insert(terms.into(), sum);
            sum
        };
        self.remaining(sum, comparison, constant)
    }

    fn remaining(&mut self, sum: Sum, comparison: Comparison, constant: i64) -> Guard {
        let Some(&(level, _)) = self.terms(sum).first() else {
            return truth(comparison.holds(0, constant));
        };
        // Values are not negative, so a sum of one sign is bounded on one side.
        let (mut least, mut most) = (0_i64, 0_i64);
        for (_, weight) in self.terms(sum) {
            let (low, high) = weight.extent();
            least = least.saturating_add(low);
            most = most.saturating_add(high);
        }
        if let Some(decided) = comparison.decided(least, most, constant) {
            return truth(decided);
        }
        let condition = Condition::Compare {
            sum,
            comparison,
            constant,
        };
        self.intern(condition, level)
    }

    /// Membership in a set that starts at a level.
    pub(crate) fn member(&mut self, level: u32, node: Node) -> Guard {
        match node {
            Node::EMPTY => Guard::FALSE,
            Node::ONE => Guard::TRUE,
            _ => self.intern(Condition::Member { level, node }, level),
        }
    }

    /// Whether the values of these levels, which ascend, are listed in a set of vectors over them.
    pub(crate) fn listed(&mut self, levels: &[u32], node: Node, truth: bool) -> Guard {
        let span = if let Some(&span) = self.known_spans.get(levels) {
            span
        } else {
            let from = self.spans.len() as u32;
            self.spans.extend_from_slice(levels);
            let to = self.spans.len() as u32;
            let span = Span { from, to };
            self.known_spans.insert(levels.into(), span);
            span
        };
        self.still_listed(span, node, truth)
    }

    fn still_listed(&mut self, levels: Span, node: Node, listed: bool) -> Guard {
        match node {
            Node::EMPTY => truth(!listed),
            Node::ONE => truth(listed),
            _ => {
                let level = self.spans[levels.from as usize];
                let condition = Condition::Listed {
                    levels,
                    node,
                    truth: listed,
                };
                self.intern(condition, level)
            }
        }
    }

    /// All of these.
    pub(crate) fn all(&mut self, parts: impl IntoIterator<Item = Guard>) -> Guard {
        self.junction(parts, Guard::TRUE, Guard::FALSE, Condition::And)
    }

    /// Some of these.
    pub(crate) fn any(&mut self, parts: impl IntoIterator<Item = Guard>) -> Guard {
        self.junction(parts, Guard::FALSE, Guard::TRUE, Condition::Or)
    }

    fn junction(
        &mut self,
        parts: impl IntoIterator<Item = Guard>,
        neutral: Guard,
        absorbing: Guard,
        make: fn(Box<[Guard]>) -> Condition,
    ) -> Guard {
        let conjunction = neutral == Guard::TRUE;
        let mut flat = Vec::new();
        for part in parts {
            match self.condition(part) {
                Condition::And(inner) if conjunction => flat.extend_from_slice(inner),
                Condition::Or(inner) if !conjunction => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.retain(|&part| part != neutral);
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&absorbing) {
            return absorbing;
        }
        match flat[..] {
            [] => neutral,
            [only] => only,
            _ => {
                let level = flat.iter().map(|&part| self.level(part)).min();
                self.intern(make(flat.into()), level.unwrap_or(u32::MAX))
            }
        }
    }

    /// What is left of a guard once its topmost level has this value.
    ///
    /// A membership is answered by the caller, who has the nodes: `child(node, value)`.
    pub(crate) fn advance(
        &mut self,
        guard: Guard,
        value: u32,
        child: &dyn Fn(Node, u32) -> Node,
    ) -> Guard {
        match *self.condition(guard) {
            Condition::True | Condition::False => guard,
            Condition::Compare {
                sum,
                comparison,
                constant,
            } => {
                let number = self.terms[sum.from as usize].1.of(value);
                let rest = Sum {
                    from: sum.from + 1,
                    to: sum.to,
                };
                let constant = constant.saturating_sub(number);
                self.remaining(rest, comparison, constant)
            }
            Condition::Member { level, node } => self.member(level + 1, child(node, value)),
            Condition::Listed {
                levels: Span { from, to },
                node,
                truth,
            } => {
                let levels = Span { from: from + 1, to };
                self.still_listed(levels, child(node, value), truth)
            }
            Condition::And(_) | Condition::Or(_) => {
                if let Some(&known) = self.advanced.get(&(guard, value)) {
                    return known;
                }
                let level = self.level(guard);
                let (parts, conjunction) = match self.condition(guard) {
                    Condition::And(parts) => (parts.clone(), true),
                    Condition::Or(parts) => (parts.clone(), false),
                    _ => unreachable!("a junction was matched above"),
                };
                let mut left = Vec::with_capacity(parts.len());
                for &part in &parts {
                    left.push(if self.level(part) == level {
                        self.advance(part, value, child)
                    } else {
                        part
                    });
                }
                let result = if conjunction {
                    self.all(left)
                } else {
                    self.any(left)
                };
                self.advanced.insert((guard, value), result);
                result
            }
        }
    }

    /// Whether a guard combines comparisons of single levels only.
    pub(crate) fn is_local(&self, guard: Guard) -> bool {
        self.local[guard.0 as usize]
    }

    /// The sets that guards speak of.
    pub(crate) fn members(&self) -> impl Iterator<Item = Node> + '_ {
        self.conditions
            .iter()
            .filter_map(|condition| match condition {
                Condition::Member { node, .. } | Condition::Listed { node, .. } => Some(*node),
                _ => None,
            })
    }
}

fn truth(value: bool) -> Guard {
    if value { Guard::TRUE } else { Guard::FALSE }
}
