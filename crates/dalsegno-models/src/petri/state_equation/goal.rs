//! Sets of markings as linear constraints under `and` and `or`.
//!
//! Negations are pushed down to comparisons of whole numbers, where `not ≥ n` is `≤ n - 1`. A part that is no
//! constraint of numbers that fit becomes all markings: the set may be larger than the one asked for,
//! never smaller.

use dalsegno_kripke::{Compare, GroupId, Predicate, Relation};

use super::super::net::{Arcs, PetriNet, TransitionId};
use super::super::structure::Structure;
use super::Goal;
use super::system::Row;

/// A set of markings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Node {
    /// Those that satisfy a constraint.
    Row(Row),
    /// Those in all of the sets.
    All(Vec<Node>),
    /// Those in some of the sets, and a constraint that they all satisfy, if one is known.
    Any(Vec<Node>, Option<Row>),
}

impl Node {
    /// The set of a goal; `None` if its numbers are too large.
    pub(super) fn of_goal(goal: &Goal) -> Option<Self> {
        let of = |parts: &[Goal]| {
            parts
                .iter()
                .map(Node::of_goal)
                .collect::<Option<Vec<Node>>>()
        };
        Some(match goal {
            Goal::Row(terms, least) if terms.is_empty() => Node::constant(*least <= 0),
            Goal::Row(terms, least) => Node::Row(Row {
                terms: terms.clone(),
                least: *least,
            }),
            Goal::All(parts) => Node::All(of(parts)?),
            Goal::Any(parts) => Node::Any(of(parts)?, None),
        })
    }

    /// The set as a goal.
    pub(super) fn to_goal(&self) -> Goal {
        let of = |parts: &[Node]| parts.iter().map(Node::to_goal).collect();
        match self {
            Node::Row(row) => Goal::Row(row.terms.clone(), row.least),
            Node::All(parts) => Goal::All(of(parts)),
            Node::Any(parts, _) => Goal::Any(of(parts)),
        }
    }

    fn all_markings() -> Self {
        Node::All(Vec::new())
    }

    fn no_marking() -> Self {
        Node::Any(Vec::new(), None)
    }

    fn constant(value: bool) -> Self {
        if value {
            Node::all_markings()
        } else {
            Node::no_marking()
        }
    }

    fn all(parts: impl IntoIterator<Item = Node>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Node::All(inner) => kept.extend(inner),
                Node::Any(inner, _) if inner.is_empty() => return Node::no_marking(),
                other => kept.push(other),
            }
        }
        if kept.len() == 1 {
            return kept.swap_remove(0);
        }
        Node::All(kept)
    }

    /// Whether a marking that is nearly known is in the set, nearly.
    pub(super) fn holds(&self, marking: &[f64]) -> bool {
        match self {
            Node::Row(row) => row.holds(marking),
            Node::All(parts) => parts.iter().all(|part| part.holds(marking)),
            Node::Any(parts, _) => parts.iter().any(|part| part.holds(marking)),
        }
    }
}

/// Makes sets of markings of a net.
#[derive(Clone, Copy)]
pub(super) struct Reader<'n> {
    pub(super) net: &'n PetriNet,
    pub(super) structure: &'n Structure,
}

impl Reader<'_> {
    /// The markings that satisfy a predicate, or do not.
    pub(super) fn read(self, predicate: &Predicate, positive: bool) -> Node {
        match predicate {
            Predicate::True => Node::constant(positive),
            Predicate::False => Node::constant(!positive),
            Predicate::Compare(compare) => self.compare(compare, positive),
            Predicate::Enabled(groups) => self.enabled(groups.iter().copied(), positive),
            Predicate::DeadEnd => {
                let groups = (0..self.net.transitions().len() as u32).map(GroupId);
                self.enabled(groups, !positive)
            }
            Predicate::Not(inner) => self.read(inner, !positive),
            Predicate::And(parts) | Predicate::Or(parts) => {
                let parts = parts.iter().map(|part| self.read(part, positive));
                if matches!(predicate, Predicate::And(_)) == positive {
                    Node::all(parts)
                } else {
                    self.any(parts)
                }
            }
            // More markings than it has: nothing is excluded by mistake.
            Predicate::Circuit(_) => Node::constant(true),
        }
    }

    fn compare(self, compare: &Compare, positive: bool) -> Node {
        let op = if positive {
            compare.op()
        } else {
            compare.op().negated()
        };
        let constant = i128::from(compare.constant());
        let at_least = |sign: i64, least: i128| {
            let terms = compare.terms().iter();
            let terms = terms.map(|&(c, v)| (v.0, sign * c)).collect();
            row(terms, least)
        };
        let above = |n: i128| at_least(1, n);
        let below = |n: i128| at_least(-1, -n);
        match op {
            Relation::Ge => above(constant),
            Relation::Gt => above(constant + 1),
            Relation::Le => below(constant),
            Relation::Lt => below(constant - 1),
            Relation::Eq => Node::all([above(constant), below(constant)]),
            Relation::Ne => self.any([above(constant + 1), below(constant - 1)]),
        }
    }

    /// The markings where some group is enabled, or none is.
    fn enabled(self, groups: impl Iterator<Item = GroupId>, positive: bool) -> Node {
        let fires = |g: &GroupId| self.structure.may_fire(TransitionId(g.0));
        let transitions = groups
            .filter(|g| g.index() < self.net.transitions().len())
            .filter(fires)
            .map(|g| &self.net.transitions()[g.index()]);
        let has = |arcs: &Arcs, positive: bool| -> Vec<Node> {
            let one = |&(p, n): &(super::super::PlaceId, u32)| {
                let n = i128::from(n);
                if positive {
                    row(vec![(p.0, 1)], n)
                } else {
                    row(vec![(p.0, -1)], 1 - n)
                }
            };
            arcs.iter().map(one).collect()
        };
        let one = |t: &super::super::Transition| {
            let mut parts = has(&t.pre, positive);
            parts.extend(has(&t.test, positive));
            parts.extend(has(&t.inhibit, !positive));
            if positive {
                Node::all(parts)
            } else {
                self.any(parts)
            }
        };
        if positive {
            self.any(transitions.map(one))
        } else {
            Node::all(transitions.map(one))
        }
    }

    fn any(self, parts: impl IntoIterator<Item = Node>) -> Node {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Node::Any(inner, _) => kept.extend(inner),
                Node::All(inner) if inner.is_empty() => return Node::all_markings(),
                other => kept.push(other),
            }
        }
        if kept.len() == 1 {
            return kept.swap_remove(0);
        }
        let relaxed = self.relaxed(&kept);
        Node::Any(kept, relaxed)
    }

    /// A constraint that follows from any one of some constraints `a_i·m ≥ h_i`: if `a_i·m` is never less
    /// than `l_i`, then `Σ a_i·m ≥ h_i + Σ_{j≠i} l_j` for some `i`.
    fn relaxed(self, parts: &[Node]) -> Option<Row> {
        let mut terms: Vec<(u32, i64)> = Vec::new();
        let mut lowest: i128 = 0;
        // The smallest h_i - l_i.
        let mut gain: Option<i128> = None;
        for part in parts {
            let Node::Row(row) = part else {
                return None;
            };
            let mut low: i128 = 0;
            for &(p, c) in row.terms.iter().filter(|(_, c)| *c < 0) {
                let most = self.structure.bound_of(p)?;
                low = low.checked_add(i128::from(c).checked_mul(i128::from(most))?)?;
            }
            let more = i128::from(row.least).checked_sub(low)?;
            gain = Some(gain.map_or(more, |gain| gain.min(more)));
            lowest = lowest.checked_add(low)?;
            terms.extend(&row.terms);
        }
        terms.sort_unstable();
        let mut joined: Vec<(u32, i64)> = Vec::new();
        for (p, c) in terms {
            match joined.last_mut() {
                Some((last, sum)) if *last == p => *sum = sum.checked_add(c)?,
                _ => joined.push((p, c)),
            }
        }
        joined.retain(|&(_, c)| c != 0);
        match row(joined, lowest.checked_add(gain?)?) {
            Node::Row(row) => Some(row),
            _ => None,
        }
    }
}

/// A constraint, or all or no markings.
fn row(terms: Vec<(u32, i64)>, least: i128) -> Node {
    if terms.is_empty() {
        return Node::constant(least <= 0);
    }
    match i64::try_from(least) {
        Ok(least) => Node::Row(Row { terms, least }),
        Err(_) => Node::all_markings(),
    }
}
