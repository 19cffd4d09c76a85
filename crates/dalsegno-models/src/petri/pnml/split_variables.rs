//! Variables of product sorts taken apart.
//!
//! `xy = (z, 1)` says of the first part of `xy` that it is `z`, and guards are kept that way; but no term of
//! a symmetric net names a part of a variable. Terms and guards of a [`ColouredNet`] speak of leaves, so a
//! variable can be declared as one variable per leaf without changing any of them.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::petri::coloured::{
    ColourVariable, ColouredNet, ColouredTransition, Factor, LeafId, Multiset, Part,
};

/// The net, with each variable that is used in parts replaced by one variable per part.
pub(super) fn split_variables(net: &ColouredNet) -> Cow<'_, ColouredNet> {
    let mut torn: FxHashSet<usize> = FxHashSet::default();
    for t in &net.transitions {
        torn_in(net, t, &mut torn);
    }
    if torn.is_empty() {
        return Cow::Borrowed(net);
    }
    let mut ids: FxHashSet<String> = net.variables.iter().map(|v| v.id.clone()).collect();
    let mut variables = Vec::new();
    // What each variable has become.
    let mut places = Vec::with_capacity(net.variables.len());
    for (i, v) in net.variables.iter().enumerate() {
        let start = variables.len();
        if torn.contains(&i) {
            let leaves = net.sorts.leaves(v.sort);
            for ((part, leaf), &sort) in (1..).zip(v.first_leaf.0..).zip(leaves) {
                let mut id = format!("{}_{part}", v.id);
                while !ids.insert(id.clone()) {
                    id.push('_');
                }
                variables.push(ColourVariable {
                    name: format!("{}_{part}", v.name),
                    id,
                    sort,
                    first_leaf: LeafId(leaf),
                });
            }
        } else {
            variables.push(v.clone());
        }
        places.push(start..variables.len());
    }
    let mut split = net.clone();
    for t in &mut split.transitions {
        let parts = t.variables.iter().flat_map(|&v| places[v].clone());
        t.variables = parts.collect();
    }
    split.variables = variables;
    Cow::Owned(split)
}

/// Adds the variables of several leaves that a transition does not use as a whole.
fn torn_in(net: &ColouredNet, t: &ColouredTransition, torn: &mut FxHashSet<usize>) {
    // The variable of several leaves that a leaf belongs to, and where in it.
    let owner = |leaf: LeafId| {
        let after = net.variables.partition_point(|v| v.first_leaf <= leaf);
        let i = after.checked_sub(1)?;
        let count = net.sorts.leaves(net.variables[i].sort).len();
        (count > 1).then(|| (i, leaf.index() - net.variables[i].first_leaf.index(), count))
    };
    let mut in_guard = Vec::new();
    t.guard.leaves(&mut in_guard);
    torn.extend(in_guard.into_iter().filter_map(owner).map(|(i, ..)| i));
    let arcs = t.pre.iter().chain(&t.post).chain(&t.inhibit).chain(&t.test);
    let terms = arcs.map(|(_, term): &(_, Multiset)| term);
    for factors in terms.flat_map(|term| &term.summands).map(|s| &s.factors) {
        let whole = |factor: Option<&Factor>| match factor.map(Vec::as_slice) {
            Some([(Part::Variable { leaf, shift: 0 }, 1)]) => Some(*leaf),
            _ => None,
        };
        let mut at = 0;
        while at < factors.len() {
            if let Some((i, 0, count)) = whole(factors.get(at)).and_then(owner) {
                let first = net.variables[i].first_leaf.0;
                if (0..count).all(|k| whole(factors.get(at + k)) == Some(LeafId(first + k as u32)))
                {
                    at += count;
                    continue;
                }
            }
            let leaves = factors[at].iter().filter_map(|(part, _)| match part {
                Part::Variable { leaf, .. } => Some(*leaf),
                Part::All | Part::Constant(_) => None,
            });
            torn.extend(leaves.filter_map(owner).map(|(i, ..)| i));
            at += 1;
        }
    }
}
