//! Models for the tests of orders.

use dalsegno_kripke::{Bounds, Group, Linear, Model, VarId, Variable};

/// Variables with bound 1, and per list a group that takes from its first variable and adds to the others.
pub(super) fn model(variables: u32, groups: &[&[u32]]) -> Model {
    let variable = |i| Variable {
        name: format!("v{i}"),
        bounds: Bounds::proved(1),
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

/// Numbers that look random.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `n`.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        // xorshift64*, which is good enough to vary tests.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32;
        ((u64::from(high) * u64::from(n.max(1))) >> 32) as u32
    }

    /// The numbers below `n`, shuffled.
    pub(super) fn shuffled(&mut self, n: u32) -> Vec<u32> {
        let mut list: Vec<u32> = (0..n).collect();
        for i in (1..list.len()).rev() {
            let j = self.below(i as u32 + 1) as usize;
            list.swap(i, j);
        }
        list
    }
}

/// A chain of variables in a random order of declaration, and that order.
pub(super) fn shuffled_chain(n: u32, seed: u64) -> (Model, Vec<u32>) {
    let chain = Random(seed).shuffled(n);
    let links: Vec<&[u32]> = chain.windows(2).collect();
    (model(n, &links), chain)
}

/// A random model, now and then with groups without variables and variables without groups.
pub(super) fn random_model(random: &mut Random) -> Model {
    let variables = random.below(30);
    let groups: Vec<Vec<u32>> = (0..random.below(40))
        .map(|_| {
            let size = random.below(5).min(variables);
            let mut list: Vec<u32> = (0..size).map(|_| random.below(variables)).collect();
            list.sort_unstable();
            list.dedup();
            let turn = random.below(list.len() as u32) as usize;
            list.rotate_left(turn);
            list
        })
        .collect();
    let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
    model(variables, &groups)
}
