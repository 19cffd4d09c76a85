//! Runs of a quotient as runs of the coloured net.
//!
//! A step of the quotient is a transition with the arcs of a binding b, counted per class. The marking of the net has as many
//! tokens of each class as the quotient says, so tokens for b can be chosen in it, and b is changed, one token after the other,
//! into a binding that takes the chosen ones: the proof that quotients are bisimilar, carried out. The lowest colours are chosen,
//! so what happens depends on the marking alone, and a cycle of the quotient that is repeated closes sooner or later; it is given up when it is
//! too long.
//!
//! The net may have been reduced before it was merged (`reduce/`): what is left has the numbers and the colours of the net that
//! was given, and its bindings are fired there. Places that can have no tokens in the reduced net are not counted.
//!
//! The net is not unfolded for that. What comes out is a part of the unfolded net: the places that are marked along the run, the
//! bindings that fire, and for each marking and each coloured transition that is fireable there, one binding that is. In the
//! markings of the run, sums of places, fireable transitions and dead ends are those of the whole net.
//!
//! Cost: per step, linear in the marking and in the arcs of the bindings of one transition in the quotient.

use std::collections::BTreeMap;
use std::rc::Rc;

use dalsegno_kripke::{Budget, GroupId, Model, Step};
use rustc_hash::FxHashMap;

use super::multiset::{LeafId, Part, shifted};
use super::net::ColouredNet;
use super::origin::ColourOrigin;
use super::quotient::Quotient;
use super::trace::{Bound, Lifted, Marking, Trace};
use super::variables::Variables;
use crate::petri::net::{PlaceId, TransitionId};

/// The run of the coloured net `given` that a run of its quotient, or of that of the reduced net, stands for: a path if `cycle`
/// is empty. `None` if it would be too long, the budget ends, or the steps are none of the quotient.
#[must_use]
pub fn lift(
    given: &ColouredNet,
    origin: &ColourOrigin,
    model: &Model,
    stem: &[Step],
    cycle: &[Step],
    budget: &Budget,
) -> Option<Lifted> {
    let mut firing = Firing::new(origin, model)?;
    let trace = Trace::new(given)?;
    trace.follow(stem, cycle, budget, |trace, step, _| {
        firing.step(trace, step)
    })
}

struct Firing<'n> {
    net: &'n ColouredNet,
    quotient: &'n Quotient,
    origin: &'n ColourOrigin,
    model: &'n Model,
    variables: Vec<Option<Rc<Variables>>>,
    /// Per place, whether its tokens are counted in the quotient.
    counted: Vec<bool>,
}

impl<'n> Firing<'n> {
    fn new(origin: &'n ColourOrigin, model: &'n Model) -> Option<Self> {
        let net = &origin.coloured;
        let quotient = origin.quotient.as_ref()?;
        let empty = net.places.iter().map(|p| p.initial.summands.is_empty());
        let mut counted: Vec<bool> = empty.map(|empty| !empty).collect();
        for (place, _) in net.transitions.iter().flat_map(|t| &t.post) {
            counted[place.index()] = true;
        }
        for (counted, place) in counted.iter_mut().zip(0..) {
            *counted &= !quotient.skips(PlaceId(place));
        }
        Some(Firing {
            net,
            quotient,
            origin,
            model,
            variables: net.transitions.iter().map(|_| None).collect(),
            counted,
        })
    }

    /// Takes a step of the quotient, from the marking that its state stands for.
    fn step(&mut self, trace: &mut Trace<'_>, step: &Step) -> Option<()> {
        if !self.stands_for(trace, &step.state) {
            return None;
        }
        self.enabled(trace, &step.state)?;
        let Some(group) = step.group else {
            trace.stay();
            return Some(());
        };
        let bound = self.choose(trace, group)?;
        trace.fire(bound)
    }

    /// Whether a state of the quotient counts the tokens that are there.
    fn stands_for(&self, trace: &Trace<'_>, state: &[u32]) -> bool {
        let mut counts: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        for (&(place, colour), n) in &*trace.now {
            if self.counted[place as usize] {
                *counts
                    .entry((place, self.quotient.canonical(place, colour)))
                    .or_default() += n;
            }
        }
        let marked = self
            .origin
            .places
            .iter()
            .zip(state)
            .filter(|&(_, &n)| n > 0);
        let mut known = 0;
        for (token, n) in marked {
            if counts.get(token) != Some(n) {
                return false;
            }
            known += 1;
        }
        known == counts.len()
    }

    /// Finds a binding of each coloured transition that is fireable here.
    fn enabled(&mut self, trace: &mut Trace<'_>, state: &[u32]) -> Option<()> {
        for t in (0..self.net.transitions.len() as u32).map(GroupId) {
            let groups = self.origin.lift.groups_of(t).iter().copied();
            let mut enabled = groups.filter(|&group| self.model.enabled(group, state));
            if let Some(group) = enabled.next() {
                let bound = self.choose(trace, group)?;
                trace.bindings.insert(bound);
            }
        }
        Some(())
    }

    /// A binding that is enabled here and has the arcs of a transition of the quotient, counted per class.
    fn choose(&mut self, trace: &mut Trace<'_>, group: GroupId) -> Option<Bound> {
        let (t, values) = self.origin.transition(TransitionId(group.0));
        let transition = &self.net.transitions[t.index()];
        let leaves = self.net.leaves_of(transition);
        let variables = self.variables_of(t.0);
        let sorts = self.net.leaf_sorts();
        let size = |leaf: LeafId| self.net.sorts.leaf_size(sorts[leaf.index()]);
        let given: FxHashMap<LeafId, u32> =
            leaves.iter().copied().zip(values.iter().copied()).collect();
        let mut roots: BTreeMap<LeafId, u32> = BTreeMap::new();
        for &(root, _) in variables.root.values() {
            roots.insert(root, *given.get(&root)?);
        }
        let value = |roots: &BTreeMap<LeafId, u32>, leaf: LeafId| {
            let (root, offset) = variables.of(leaf);
            shifted(roots[&root], offset, size(leaf))
        };
        let components = variables.components();
        // Tests need not be different tokens from those that are taken.
        for arcs in [&transition.pre, &transition.test] {
            let mut left = Marking::clone(&trace.now);
            for (place, term) in arcs {
                if self.quotient.skips(*place) || !term.is_simple() {
                    continue;
                }
                if std::ptr::eq(arcs, &raw const transition.test) {
                    left.clone_from(&trace.now);
                }
                for summand in &term.summands {
                    let parts: Vec<Part> = summand.factors.iter().map(|f| f[0].0).collect();
                    let place_sizes = &self.quotient.sizes[place.index()];
                    let digits: Vec<u32> = parts
                        .iter()
                        .zip(place_sizes)
                        .map(|(&part, &size)| match part {
                            Part::Variable { leaf, shift } => {
                                shifted(value(&roots, leaf), shift, size)
                            }
                            Part::Constant(colour) => colour,
                            Part::All => 0,
                        })
                        .collect();
                    let sort = self.net.places[place.index()].sort;
                    let class = self
                        .quotient
                        .canonical(place.0, self.net.sorts.encode(sort, &digits));
                    let needed = u32::try_from(summand.coefficient).ok()?;
                    let here = (place.0, 0)..=(place.0, u64::MAX);
                    let mut tokens = left.range(here).filter(|&(_, &n)| n >= needed);
                    let (&(_, colour), _) = tokens.find(|&(&(_, colour), _)| {
                        self.quotient.canonical(place.0, colour) == class
                    })?;
                    *left.get_mut(&(place.0, colour))? -= needed;
                    let mut chosen = Vec::new();
                    self.net.sorts.decode(sort, colour, &mut chosen);
                    for (i, (&old, &new)) in digits.iter().zip(&chosen).enumerate() {
                        if old == new {
                            continue;
                        }
                        let Part::Variable { leaf, .. } = parts[i] else {
                            return None;
                        };
                        // How far the root moves is how far the digit does.
                        let size = place_sizes[i];
                        let (root, _) = variables.of(leaf);
                        let from = roots[&root];
                        let to = shifted(shifted(from, new, size), size - old, size);
                        for variable in components.iter().find(|c| c.contains(&root))? {
                            let known = roots.get_mut(variable)?;
                            *known = match *known {
                                n if n == from => to,
                                n if n == to => from,
                                n => n,
                            };
                        }
                    }
                }
            }
        }
        let mut all = vec![0; self.net.leaf_count()];
        for &leaf in &leaves {
            all[leaf.index()] = value(&roots, leaf);
        }
        let bound = (t.0, leaves.iter().map(|leaf| all[leaf.index()]).collect());
        (transition.guard.holds(&all) && trace.is_enabled(&bound)?).then_some(bound)
    }

    fn variables_of(&mut self, t: u32) -> Rc<Variables> {
        let net = self.net;
        let known = self.variables[t as usize]
            .get_or_insert_with(|| Rc::new(Variables::new(net, &net.transitions[t as usize])));
        Rc::clone(known)
    }
}
