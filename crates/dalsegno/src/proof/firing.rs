//! Runs of a view, fired on the net: how far they lead, and which places stop them.

use std::collections::BTreeSet;

use dalsegno_verify::net::{Net, Transition};

use super::linear_time::Product;

/// A run of a view that is fired on the net.
pub(super) struct Firing<'a> {
    product: &'a Product<'a>,
    net: &'a Net,
    pub(super) marking: Vec<u32>,
    /// The state of the view.
    state: u32,
    /// The variable of each place that is seen.
    variable: Vec<Option<usize>>,
    /// Where the search for a transition begins, so that each has its turn.
    next: usize,
}

impl<'a> Firing<'a> {
    pub(super) fn new(product: &'a Product<'a>, net: &'a Net) -> Self {
        let mut variable = vec![None; net.places.len()];
        for (v, &place) in product.graph.view.places.iter().enumerate() {
            variable[place] = Some(v);
        }
        Firing {
            product,
            net,
            marking: net.initial(),
            state: product.nodes[0].0,
            variable,
            next: 0,
        }
    }

    /// Goes on along a path of the product; the places that stop it, if it is stopped.
    pub(super) fn follow(&mut self, path: &[(u32, u64)]) -> Option<BTreeSet<usize>> {
        path.iter().find_map(|&(node, _)| {
            let next = self.product.nodes[node as usize].0;
            let from = std::mem::replace(&mut self.state, next);
            self.step(from, next)
        })
    }

    /// Fires a transition that leads from a state of the view to another one. If none is enabled: places that, once they
    /// are seen, show of each that it is not.
    fn step(&mut self, from: u32, to: u32) -> Option<BTreeSet<usize>> {
        let (space, places) = (&self.product.graph.space, &self.product.graph.view.places);
        let value = |state: u32, place: usize| Some(space.value(state, self.variable[place]?));
        let differ = (0..places.len()).filter(|&v| space.value(from, v) != space.value(to, v));
        let differ = differ.count();
        let leads = |t: &Transition| {
            let seen = t.change.iter();
            let mut seen = seen.filter(|&&(p, _)| self.variable[p].is_some());
            let fits = |&(p, n): &(usize, i64)| {
                let (old, new) = (value(from, p), value(to, p));
                old.map(|old| i64::from(old) + n) == new.map(i64::from)
            };
            seen.clone().count() == differ && seen.all(fits) && t.allows(|p| value(from, p))
        };
        let (all, mut stoppers) = (&self.net.transitions, BTreeSet::new());
        let mut dead = true;
        for i in 0..all.len() {
            let number = (self.next + i) % all.len();
            let t = &all[number];
            let enabled = self.net.enabled(number, &self.marking);
            dead &= !enabled;
            if !leads(t) {
                continue;
            }
            if enabled {
                for &(p, n) in &t.change {
                    let tokens = i64::from(self.marking[p]) + n;
                    self.marking[p] = u32::try_from(tokens).unwrap_or(u32::MAX);
                }
                self.next = number + 1;
                return None;
            }
            let few = t.least.iter().filter(|&&(p, n)| self.marking[p] < n);
            let many = t.below.iter().filter(|&&(p, n)| self.marking[p] >= n);
            let mut own = few.chain(many).map(|&(p, _)| p);
            if let Some(first) = own.next()
                && !stoppers.contains(&first)
                && !own.any(|p| stoppers.contains(&p))
            {
                stoppers.insert(first);
            }
        }
        let ends = dead && self.product.stutters && from == to;
        (!ends).then_some(stoppers)
    }
}
