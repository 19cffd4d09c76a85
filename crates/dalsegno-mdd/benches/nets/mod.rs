//! Three families of Petri nets, one place per level, in orders that suit them.

use std::collections::BTreeMap;

use dalsegno_mdd::{Local, Manager, Relation};

/// A Petri net: tokens per place, and per transition the places it takes from and gives to.
pub struct Net {
    /// The initial tokens, by level.
    pub initial: Vec<u32>,
    /// Takes one token from each of the first places, gives one to each of the second.
    pub transitions: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Net {
    fn fire(&mut self, takes: &[u32], gives: &[u32]) {
        self.transitions.push((takes.to_vec(), gives.to_vec()));
    }

    /// The transitions as events of a manager.
    pub fn relations(&self, manager: &mut Manager) -> Vec<Relation> {
        let event = |(takes, gives): &(Vec<u32>, Vec<u32>)| {
            let mut locals = BTreeMap::new();
            for &level in takes {
                let local = locals.entry(level).or_insert_with(|| Local::new(level));
                local.at_least += 1;
                local.delta -= 1;
            }
            for &level in gives {
                let local = locals.entry(level).or_insert_with(|| Local::new(level));
                local.delta += 1;
            }
            let locals: Vec<Local> = locals.into_values().collect();
            manager.linear(&locals)
        };
        self.transitions.iter().map(event).collect()
    }
}

/// The kanban system with `n` cards per cell (Ciardo, Tilgner 1996).
pub fn kanban(n: u32) -> Net {
    // From the top: the last cell first; in each cell out, back, machine, cards.
    let place = |cell: u32, part: u32| 4 * (4 - cell) + part;
    let out = |cell| place(cell, 0);
    let back = |cell| place(cell, 1);
    let machine = |cell| place(cell, 2);
    let cards = |cell| place(cell, 3);
    let mut initial = vec![0; 16];
    for cell in 1..=4 {
        initial[cards(cell) as usize] = n;
    }
    let transitions = Vec::new();
    let mut net = Net {
        initial,
        transitions,
    };
    for cell in 1..=4 {
        net.fire(&[machine(cell)], &[back(cell)]);
        net.fire(&[back(cell)], &[machine(cell)]);
        net.fire(&[machine(cell)], &[out(cell)]);
    }
    net.fire(&[cards(1)], &[machine(1)]);
    net.fire(
        &[out(1), cards(2), cards(3)],
        &[cards(1), machine(2), machine(3)],
    );
    net.fire(
        &[out(2), out(3), cards(4)],
        &[cards(2), cards(3), machine(4)],
    );
    net.fire(&[out(4)], &[cards(4)]);
    net
}

/// Philosophers that pick up their forks in any order.
pub fn philosophers(n: u32) -> Net {
    let place = |i: u32, part: u32| 6 * (i % n) + part;
    let mut initial = vec![0; 6 * n as usize];
    let mut transitions = Vec::new();
    for i in 0..n {
        let [fork, idle, waits_left, waits_right, has_left, has_right] =
            [0, 1, 2, 3, 4, 5].map(|part| place(i, part));
        let other = place(i + 1, 0);
        initial[fork as usize] = 1;
        initial[idle as usize] = 1;
        transitions.push((vec![idle], vec![waits_left, waits_right]));
        transitions.push((vec![waits_left, fork], vec![has_left]));
        transitions.push((vec![waits_right, other], vec![has_right]));
        transitions.push((vec![has_left, has_right], vec![idle, fork, other]));
    }
    Net {
        initial,
        transitions,
    }
}

/// The slotted ring protocol (Pastor, Roig, Cortadella, Badia 1994).
pub fn ring(n: u32) -> Net {
    let place = |i: u32, part: u32| 8 * (i % n) + part;
    let mut initial = vec![0; 8 * n as usize];
    let transitions = Vec::new();
    for i in 0..n {
        initial[place(i, 2) as usize] = 1;
        initial[place(i, 4) as usize] = 1;
    }
    let mut net = Net {
        initial,
        transitions,
    };
    for i in 0..n {
        let [
            used,
            owned,
            ready,
            keep,
            send_free,
            idle,
            send_used,
            release,
        ] = [0, 1, 2, 3, 4, 5, 6, 7].map(|part| place(i, part));
        let before = |part| place(i + n - 1, part);
        net.fire(&[used], &[keep]);
        net.fire(&[used], &[owned]);
        net.fire(&[owned], &[keep]);
        net.fire(&[owned], &[release]);
        net.fire(&[release, idle], &[ready, send_free]);
        net.fire(&[keep, idle], &[ready, send_used]);
        net.fire(&[send_used, before(2)], &[idle, before(0)]);
        net.fire(&[send_free, before(2)], &[idle, before(1)]);
    }
    net
}
