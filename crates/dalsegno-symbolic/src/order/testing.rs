//! Models for the tests of orders.

use dalsegno_kripke::{Group, Linear, Model, VarId, Variable};

/// Variables with bound 1, and per list a group that takes from its first variable and adds to the others.
pub(super) fn model(variables: u32, groups: &[&[u32]]) -> Model {
    let variable = |i| Variable {
        name: format!("v{i}"),
        bound: Some(1),
    };
    let group = |list: &&[u32]| {
        let effect = |(i, &v): (usize, &u32)| (VarId(v), if i == 0 { -1 } else { 1 });
        let takes = list.first().map(|&v| (VarId(v), 1)).into_iter().collect();
        let delta = list.iter().enumerate().map(effect).collect();
        Group::linear("g", Linear::new(takes, vec![], delta).unwrap())
    };
    Model::new(
        "m",
        (0..variables).map(variable).collect(),
        vec![(0..variables).map(|v| u32::from(v == 0)).collect()],
        groups.iter().map(group).collect(),
    )
    .unwrap()
}
