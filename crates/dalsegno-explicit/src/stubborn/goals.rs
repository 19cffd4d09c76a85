//! Sets of states that are to be reached, or left: who takes part in every way there.
//!
//! The *up-set* of "predicate φ becomes v" at a state where it is not v is a set of groups such that every path to a state
//! where it is v has a step of one of them: for a sum that must grow, those that raise it; for a conjunction
//! that must become true, the up-set of *one* part that is false, since it must become true on the way; for a
//! disjunction the up-sets of all parts. After Kristensen, Schmidt and Valmari, *Question-guided stubborn set methods for state
//! properties* (2006). The direction of sums is by the sign of what a group adds.

use std::sync::Arc;

use dalsegno_kripke::{Circuit, Compare, GroupId, Predicate, Relation};

use super::closure::Closure;
use super::here::Here;
use super::lists::ListId;
use super::relations::known_move;

/// A predicate with the lists of groups that move it.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    /// The same everywhere.
    Constant(bool),
    /// A sum, who raises it and who lowers it.
    Compare {
        compare: Compare,
        raise: ListId,
        lower: ListId,
        /// Who can make it true, and who can make it false, from a state where it is not.
        makes: [ListId; 2],
    },
    /// Some group is enabled.
    Enabled(Vec<GroupId>),
    /// No group is enabled.
    DeadEnd,
    Not(Box<Goal>),
    And(Vec<Goal>),
    Or(Vec<Goal>),
    /// A function with shared parts, and all groups that may change it.
    Circuit {
        circuit: Arc<Circuit>,
        all: ListId,
    },
}

impl Goal {
    /// Prepares a predicate.
    pub fn new(predicate: &Predicate, closure: &mut Closure) -> Self {
        let each = |parts: &[Predicate], closure: &mut Closure| {
            parts.iter().map(|part| Goal::new(part, closure)).collect()
        };
        match predicate {
            Predicate::True => Goal::Constant(true),
            Predicate::False => Goal::Constant(false),
            Predicate::Compare(compare) => {
                let (raise, lower) = movers(compare, closure);
                let makes = [true, false].map(|value| {
                    let makers = makers(compare, value, (&raise, &lower), closure);
                    closure.keep(makers)
                });
                Goal::Compare {
                    compare: compare.clone(),
                    raise: closure.keep(raise),
                    lower: closure.keep(lower),
                    makes,
                }
            }
            Predicate::Enabled(groups) => Goal::Enabled(groups.clone()),
            Predicate::DeadEnd => Goal::DeadEnd,
            Predicate::Not(inner) => Goal::Not(Box::new(Goal::new(inner, closure))),
            Predicate::And(parts) => Goal::And(each(parts, closure)),
            Predicate::Or(parts) => Goal::Or(each(parts, closure)),
            Predicate::Circuit(circuit) => {
                let mut all = Vec::new();
                for leaf in circuit.leaves() {
                    let leaf = Goal::new(leaf, closure);
                    leaf.changers(false, closure, &mut all);
                    leaf.changers(true, closure, &mut all);
                }
                Goal::Circuit {
                    circuit: Arc::clone(circuit),
                    all: closure.keep(all),
                }
            }
        }
    }

    /// Appends the groups that may change this from the opposite to `value`, wherever they fire.
    pub fn changers(&self, value: bool, closure: &Closure, out: &mut Vec<u32>) {
        match self {
            Goal::Compare { makes, .. } => {
                out.extend(closure.list(makes[usize::from(!value)]));
            }
            Goal::Enabled(groups) if value => {
                for &group in groups {
                    enablers(group, closure, out);
                }
            }
            Goal::Enabled(groups) => {
                for &group in groups {
                    closure.each_disabling(group, |l| out.extend(closure.list(l)));
                }
            }
            Goal::DeadEnd if value => {
                for group in closure.model.group_ids() {
                    closure.each_disabling(group, |l| out.extend(closure.list(l)));
                }
            }
            // No group leaves a dead end.
            Goal::Constant(_) | Goal::DeadEnd => {}
            Goal::Not(inner) => inner.changers(!value, closure, out),
            Goal::And(parts) | Goal::Or(parts) => {
                for part in parts {
                    part.changers(value, closure, out);
                }
            }
            Goal::Circuit { all, .. } => out.extend(closure.list(*all)),
        }
        // Long lists are shared by many groups.
        if out.len() > 2 * closure.model.groups().len() {
            out.sort_unstable();
            out.dedup();
        }
    }

    /// Whether it holds here.
    pub fn holds(&self, here: &Here<'_>, closure: &Closure) -> bool {
        match self {
            Goal::Constant(value) => *value,
            Goal::Compare { compare, .. } => {
                compare.op().holds(sum(compare, here), compare.constant())
            }
            Goal::Enabled(groups) => groups.iter().any(|&g| closure.is_enabled(g)),
            Goal::DeadEnd => closure.first_enabled().is_none(),
            Goal::Not(inner) => !inner.holds(here, closure),
            Goal::And(parts) => parts.iter().all(|part| part.holds(here, closure)),
            Goal::Or(parts) => parts.iter().any(|part| part.holds(here, closure)),
            Goal::Circuit { circuit, .. } => circuit.eval(|leaf| leaf_holds(leaf, here, closure)),
        }
    }

    /// Adds the up-set of "this becomes `value`" to the set; it is the opposite here.
    pub fn add_up(&self, value: bool, here: &Here<'_>, closure: &mut Closure) {
        match self {
            Goal::Constant(_) => {}
            Goal::Compare {
                compare,
                raise,
                lower,
                makes,
            } => {
                let (up, down) = directions(compare, value, here);
                let makers = makes[usize::from(!value)];
                // Some step makes the change, and some steps lead up to it: either will do.
                let leads = [(up, *raise), (down, *lower)];
                let leads = leads.iter().filter(|(counts, _)| *counts);
                let cost: usize = leads.clone().map(|&(_, list)| closure.cost(list)).sum();
                if closure.cost(makers) < cost {
                    closure.add_list(makers);
                } else {
                    for &(_, list) in leads {
                        closure.add_list(list);
                    }
                }
            }
            Goal::Enabled(groups) if value => {
                for &group in groups {
                    closure.add_enabling(here, group);
                }
            }
            Goal::Enabled(groups) => {
                let first = groups.iter().copied().find(|&g| closure.is_enabled(g));
                if let Some(group) = first {
                    closure.add_disabling(group);
                }
            }
            Goal::DeadEnd => {
                if value && let Some(group) = closure.first_enabled() {
                    closure.add_disabling(group);
                }
            }
            Goal::Not(inner) => inner.add_up(!value, here, closure),
            // One part has the wrong value, and must change it.
            Goal::And(parts) if value => one_part(parts, value, here, closure),
            Goal::Or(parts) if !value => one_part(parts, value, here, closure),
            Goal::And(parts) | Goal::Or(parts) => {
                for part in parts {
                    part.add_up(value, here, closure);
                }
            }
            Goal::Circuit { all, .. } => closure.add_list(*all),
        }
    }

    /// About how many groups [`Goal::add_up`] adds.
    pub fn cost(&self, value: bool, here: &Here<'_>, closure: &Closure) -> usize {
        match self {
            Goal::Constant(_) => 0,
            Goal::Compare {
                compare,
                raise,
                lower,
                makes,
            } => {
                let (up, down) = directions(compare, value, here);
                let cost = |counts: bool, list| if counts { closure.cost(list) } else { 0 };
                let leads = cost(up, *raise) + cost(down, *lower);
                leads.min(closure.cost(makes[usize::from(!value)]))
            }
            Goal::Enabled(groups) if value => {
                let cost = groups.iter().map(|&g| closure.enabling_cost(here, g));
                cost.sum()
            }
            Goal::Enabled(_) | Goal::DeadEnd => {
                let group = match self {
                    Goal::Enabled(groups) => {
                        groups.iter().copied().find(|&g| closure.is_enabled(g))
                    }
                    _ => closure.first_enabled().filter(|_| value),
                };
                let mut cost = 0;
                if let Some(group) = group {
                    closure.each_disabling(group, |list| cost += closure.cost(list));
                }
                cost
            }
            Goal::Not(inner) => inner.cost(!value, here, closure),
            Goal::And(parts) | Goal::Or(parts) => {
                let wrong = parts.iter().filter(|p| p.holds(here, closure) != value);
                let costs = wrong.map(|part| part.cost(value, here, closure));
                if matches!(self, Goal::And(_)) == value {
                    costs.min().unwrap_or(0)
                } else {
                    costs.sum()
                }
            }
            Goal::Circuit { all, .. } => closure.cost(*all),
        }
    }
}

/// Adds the up-set of one part that has the wrong value: the cheapest, or a random one.
fn one_part(parts: &[Goal], value: bool, here: &Here<'_>, closure: &mut Closure) {
    let wrong = |part: &&Goal| part.holds(here, closure) != value;
    let part = if closure.random.is_some() {
        let count = parts.iter().filter(wrong).count();
        let choice = closure.toss(count);
        let wrong = |part: &&Goal| part.holds(here, closure) != value;
        parts.iter().filter(wrong).nth(choice)
    } else {
        let parts = parts.iter().filter(wrong);
        parts.min_by_key(|part| part.cost(value, here, closure))
    };
    if let Some(part) = part {
        part.add_up(value, here, closure);
    }
}

/// Appends the groups that can make a part of a group's guard true.
fn enablers(group: GroupId, closure: &Closure, out: &mut Vec<u32>) {
    let relations = &closure.relations;
    let group = closure.model.group(group);
    match group.as_linear() {
        Some(linear) => {
            let needs = linear.pre().iter().map(|&(v, _)| relations.raise(v));
            let inhibited = linear.inhibit().iter().map(|&(v, _)| relations.lower(v));
            for list in needs.chain(inhibited) {
                out.extend(closure.list(list));
            }
        }
        None => {
            for &v in group.reads() {
                out.extend(closure.list(relations.write(v)));
            }
        }
    }
}

/// The relation that is to hold.
fn relation(compare: &Compare, value: bool) -> Relation {
    if value {
        compare.op()
    } else {
        compare.op().negated()
    }
}

fn sum(compare: &Compare, here: &Here<'_>) -> i64 {
    let terms = compare.terms().iter();
    terms.map(|&(c, v)| c * i64::from(here.value(v))).sum()
}

/// Whether the sum must be raised, and whether it must be lowered, so that the comparison gets a value that it has not.
fn directions(compare: &Compare, value: bool, here: &Here<'_>) -> (bool, bool) {
    match relation(compare, value) {
        Relation::Le | Relation::Lt => (false, true),
        Relation::Ge | Relation::Gt => (true, false),
        Relation::Eq => {
            let below = sum(compare, here) < compare.constant();
            (below, !below)
        }
        Relation::Ne => (true, true),
    }
}

/// The groups that raise and that lower a sum; those that are not linear count for both wherever they write.
fn movers(compare: &Compare, closure: &Closure) -> (Vec<u32>, Vec<u32>) {
    let (mut raise, mut lower) = (Vec::new(), Vec::new());
    let mut candidates: Vec<u32> = Vec::new();
    for &(_, v) in compare.terms() {
        candidates.extend(closure.list(closure.relations.raise(v)));
        candidates.extend(closure.list(closure.relations.lower(v)));
    }
    candidates.sort_unstable();
    candidates.dedup();
    for g in candidates {
        let Some(linear) = closure.model.group(GroupId(g)).as_linear() else {
            raise.push(g);
            lower.push(g);
            continue;
        };
        let terms = compare.terms().iter();
        let change: i64 = terms.map(|&(c, v)| c * linear.effect(v)).sum();
        match change {
            1.. => raise.push(g),
            0 => {}
            _ => lower.push(g),
        }
    }
    (raise, lower)
}

/// The groups that can give a comparison a value that it has not. Of one variable that a group moves from a known value to a known value, the
/// group is one of them if the comparison differs.
fn makers(
    compare: &Compare,
    value: bool,
    (raise, lower): (&[u32], &[u32]),
    closure: &Closure,
) -> Vec<u32> {
    let (up, down) = match relation(compare, value) {
        Relation::Le | Relation::Lt => (false, true),
        Relation::Ge | Relation::Gt => (true, false),
        Relation::Eq | Relation::Ne => (true, true),
    };
    let raise = raise.iter().filter(|_| up);
    let lower = lower.iter().filter(|_| down);
    let makes = |&g: &u32| {
        let [(factor, v)] = *compare.terms() else {
            return true;
        };
        let Some((from, to)) = known_move(closure.model.group(GroupId(g)), v) else {
            return true;
        };
        let holds = |n: u32| {
            let sum = factor * i64::from(n);
            compare.op().holds(sum, compare.constant())
        };
        holds(from) != value && holds(to) == value
    };
    raise.chain(lower).copied().filter(makes).collect()
}

/// Whether a part of a circuit holds here.
fn leaf_holds(leaf: &Predicate, here: &Here<'_>, closure: &Closure) -> bool {
    let each = |part: &Predicate| leaf_holds(part, here, closure);
    match leaf {
        Predicate::True => true,
        Predicate::False => false,
        Predicate::Compare(compare) => compare.op().holds(sum(compare, here), compare.constant()),
        Predicate::Enabled(groups) => groups.iter().any(|&g| closure.is_enabled(g)),
        Predicate::DeadEnd => closure.first_enabled().is_none(),
        Predicate::Not(inner) => !each(inner),
        Predicate::And(parts) => parts.iter().all(each),
        Predicate::Or(parts) => parts.iter().any(each),
        Predicate::Circuit(circuit) => circuit.eval(each),
    }
}
