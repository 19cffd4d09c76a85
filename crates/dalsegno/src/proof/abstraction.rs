//! Proofs of linear time on few places: those that atoms ask, and others as far as they are needed.
//!
//! A view has more runs than the net (`view.rs`), and if none of them violates the property, its product has a proof. If
//! one does, it is fired on the net until that stops: places that stop it are seen from then on, and the next view has no
//! such run. Many properties hold for a reason that few places show, such as a place that never has two tokens; the view
//! has then tens of states where the net has millions. Cost: products with a bounded number of states in all.

use std::collections::{BTreeSet, VecDeque};

use dalsegno_kripke::Budget;
use dalsegno_verify::claim::Logic;
use dalsegno_verify::diagram::Diagram;
use dalsegno_verify::formula::Atom;
use dalsegno_verify::net::Net;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Unproved;
use super::firing::Firing;
use super::graph::Graph;
use super::linear_time::Product;
use super::subject::Subject;
use super::view::{View, observed};

/// The states of a view, and of all views that are tried.
const MOST_STATES: u64 = 3_000;
const MOST_IN_ALL: usize = 24_000;

/// What it takes to make a view, in states; and how many transitions take as much as a state.
const VIEW: usize = 200;
const TRANSITIONS: usize = 4;

/// The steps that a run of a view is fired on the net.
const MOST_STEPS: usize = 150;

/// A proof on few places; none if there is none that is found.
pub(super) fn prove(subject: &Subject<'_>, budget: &Budget) -> Result<Option<Diagram>, Unproved> {
    let (net, atoms) = (&subject.net, &subject.claim.formulas.atoms);
    // Dead ends depend on all places.
    if subject.claim.header.logic != Logic::Ltl || atoms.contains(&Atom::Deadlock) {
        return Ok(None);
    }
    let mut seen = with_sums(subject, observed(net, atoms));
    let limited = budget.clone().limit_states(MOST_STATES);
    let mut states = 0;
    while states < MOST_IN_ALL && seen.len() < net.places.len() {
        budget.check()?;
        let product = || -> Result<Option<Product<'_>>, Unproved> {
            let view = View::of_some(net, seen.iter().copied().collect());
            let graph = view.map(|view| Graph::of_view(subject, view, &limited));
            graph.map(|graph| Product::new(subject, graph)).transpose()
        };
        let Some(mut tried) = product()? else {
            break;
        };
        let stoppers = match tried.rank() {
            Ok(None) => return tried.diagram(subject, budget).map(Some),
            Ok(Some(component)) => tried.stoppers(net, &component),
            Err(Unproved::Limit(_)) => match product()? {
                Some(mut fresh) => {
                    let stoppers = fresh.bounding(subject);
                    states += fresh.graph.space.len();
                    stoppers
                }
                None => break,
            },
            // A view may have a run on which numbers grow too large.
            Err(_) => break,
        };
        states += tried.graph.space.len() + VIEW + net.transitions.len() / TRANSITIONS;
        let known = seen.len();
        seen.extend(stoppers.unwrap_or_default());
        if seen.len() == known {
            break;
        }
    }
    budget.check()?;
    Ok(None)
}

/// Places, and those of the shortest sums that bound them.
fn with_sums(subject: &Subject<'_>, places: Vec<usize>) -> BTreeSet<usize> {
    let sums = subject.problem.sums();
    let mut shortest: Vec<Option<usize>> = vec![None; subject.net.places.len()];
    for (number, sum) in sums.iter().enumerate() {
        for (place, _) in &sum.weights {
            let best = &mut shortest[place.index()];
            if best.is_none_or(|best| sums[best].weights.len() > sum.weights.len()) {
                *best = Some(number);
            }
        }
    }
    let mut seen: BTreeSet<usize> = places.iter().copied().collect();
    let mut bounded: FxHashSet<usize> = FxHashSet::default();
    for place in places {
        if let (true, Some(sum)) = (bounded.insert(place), shortest[place]) {
            let others = sums[sum].weights.iter().map(|(p, _)| p.index());
            bounded.extend(others.clone());
            seen.extend(others);
        }
    }
    seen
}

/// Nodes with what is postponed by the step to them.
type Path = Vec<(u32, u64)>;

impl Product<'_> {
    /// Places that stop a run of the view through an accepting component, once it is fired on the net; none if nothing
    /// stops it soon.
    fn stoppers(&mut self, net: &Net, component: &[u32]) -> Result<BTreeSet<usize>, Unproved> {
        let inside: FxHashSet<u32> = component.iter().copied().collect();
        let mut stem = Path::new();
        if !inside.contains(&0) {
            stem = self.path(0, None, &|_, node, _| inside.contains(&node))?;
        }
        let start = stem.last().map_or(0, |&(node, _)| node);
        let mut cycle = Path::new();
        for until in 0..self.untils() {
            let carries = |postponed: u64| postponed >> until & 1 == 0;
            if !cycle.iter().any(|&(_, postponed)| carries(postponed)) {
                let from = cycle.last().map_or(start, |&(node, _)| node);
                let more = self.path(from, Some(&inside), &|_, _, postponed| carries(postponed))?;
                cycle.extend(more);
            }
        }
        let last = cycle.last().map(|&(node, _)| node);
        if last != Some(start) {
            let from = last.unwrap_or(start);
            cycle.extend(self.path(from, Some(&inside), &|_, node, _| node == start)?);
        }
        let mut firing = Firing::new(self, net);
        if let Some(stoppers) = firing.follow(&stem) {
            return Ok(stoppers);
        }
        let before = firing.marking.clone();
        let mut steps = stem.len();
        while steps < MOST_STEPS && !cycle.is_empty() {
            if let Some(stoppers) = firing.follow(&cycle) {
                return Ok(stoppers);
            }
            steps += cycle.len();
        }
        // What the cycle takes away will stop it.
        let less = before.iter().zip(&firing.marking);
        let less = less.enumerate().filter(|(_, (old, new))| new < old);
        Ok(less.map(|(place, _)| place).collect())
    }

    /// Places that stop a run of the view on the way to more tokens than a place can have; none if there is no such run.
    fn bounding(&mut self, subject: &Subject<'_>) -> Result<BTreeSet<usize>, Unproved> {
        let variables = subject.model().variables();
        let expected = |&place: &usize| variables[place].bounds.expected();
        let bounds: Vec<Option<u32>> = self.graph.view.places.iter().map(expected).collect();
        let exceeds = |product: &Self, node: u32, _| {
            let state = product.nodes[node as usize].0;
            let over = |(v, bound): (usize, &Option<u32>)| {
                bound.is_some_and(|bound| product.graph.space.value(state, v) > bound)
            };
            bounds.iter().enumerate().any(over)
        };
        let path = self.path(0, None, &exceeds)?;
        let stoppers = Firing::new(self, &subject.net).follow(&path);
        Ok(stoppers.unwrap_or_default())
    }

    /// A shortest path from a node, among some nodes, whose last step is as wanted; empty if there is none.
    fn path(
        &mut self,
        from: u32,
        among: Option<&FxHashSet<u32>>,
        wanted: &dyn Fn(&Self, u32, u64) -> bool,
    ) -> Result<Path, Unproved> {
        let mut entered: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
        let mut open = VecDeque::from([from]);
        let mut list = Vec::new();
        while let Some(node) = open.pop_front() {
            list.clear();
            self.successors(node, &mut list)?;
            for &(target, postponed) in &list {
                if among.is_some_and(|among| !among.contains(&target)) {
                    continue;
                }
                if wanted(self, target, postponed) {
                    let (mut path, mut at) = (vec![(target, postponed)], node);
                    while at != from {
                        let (before, postponed) = entered[&at];
                        path.push((at, postponed));
                        at = before;
                    }
                    path.reverse();
                    return Ok(path);
                }
                if target != from && !entered.contains_key(&target) {
                    entered.insert(target, (node, postponed));
                    open.push_back(target);
                }
            }
        }
        Ok(Path::new())
    }
}
