//! The bindings that an unfolding finds, and the net that they make.

use std::hash::BuildHasher;
use std::ops::Range;

use dalsegno_kripke::{Budget, GroupId, Lift, Source};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::multiset::LeafId;
use super::net::ColouredNet;
use super::origin::{ColourOrigin, Unfolded, binding_label, place_label};
use super::quotient::Quotient;
use super::relation::Tokens;
use super::unfold::UnfoldError;
use crate::petri::net::{Arcs, PetriNet, Place, PlaceId, Transition};

/// A binding: where its parts are in the arenas of [`Bindings`].
#[derive(Clone, Copy, Debug)]
struct Found {
    transition: u32,
    values: usize,
    arcs: usize,
    /// How many arcs of each kind: what it takes, puts, and tests.
    counts: [u32; 3],
}

/// Bindings in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    found: Vec<Found>,
    values: Vec<u32>,
    /// Tokens and weights.
    arcs: Vec<(u32, u32)>,
    /// Binding, place, colour and weight.
    inhibitors: Vec<(usize, u32, u64, u32)>,
    /// A binding for each hash of a transition and its arcs, where repeated ones are dropped.
    known: FxHashMap<u64, u32>,
}

impl Bindings {
    /// Begins a binding with the colours of the leaves of its variables.
    pub(super) fn begin(&mut self, transition: u32, values: &[u32]) {
        self.begin_with(transition, values.iter().copied());
    }

    /// As [`Bindings::begin`], with the colours of these leaves out of those of all variables.
    pub(super) fn begin_at(&mut self, transition: u32, leaves: &[LeafId], values: &[u32]) {
        self.begin_with(transition, leaves.iter().map(|leaf| values[leaf.index()]));
    }

    fn begin_with(&mut self, transition: u32, values: impl Iterator<Item = u32>) {
        self.found.push(Found {
            transition,
            values: self.values.len(),
            arcs: self.arcs.len(),
            counts: [0; 3],
        });
        self.values.extend(values);
    }

    /// An arc of the newest binding; kinds come in their order.
    pub(super) fn arc(&mut self, kind: usize, token: u32, weight: u32) {
        self.arcs.push((token, weight));
        if let Some(found) = self.found.last_mut() {
            found.counts[kind] += 1;
        }
    }

    pub(super) fn inhibitor(&mut self, place: u32, colour: u64, weight: u32) {
        self.inhibitors
            .push((self.found.len() - 1, place, colour, weight));
    }

    /// Drops the newest binding if an earlier one of the same transition has the same arcs; whether it was dropped.
    /// Two bindings with the same hash and different arcs both stay, and so do those with inhibitor arcs.
    pub(super) fn drop_repeated(&mut self) -> bool {
        let newest = self.found.len() - 1;
        let Some(&found) = self.found.last() else {
            return false;
        };
        if self.inhibitors.last().is_some_and(|&(b, ..)| b == newest) {
            return false;
        }
        let arcs = |found: &Found| {
            let count: u32 = found.counts.iter().sum();
            &self.arcs[found.arcs..found.arcs + count as usize]
        };
        let own = (found.transition, found.counts, arcs(&found));
        let hash = FxBuildHasher.hash_one(own);
        let Some(&earlier) = self.known.get(&hash) else {
            self.known.insert(hash, newest as u32);
            return false;
        };
        let earlier = &self.found[earlier as usize];
        if own != (earlier.transition, earlier.counts, arcs(earlier)) {
            return false;
        }
        self.found.truncate(newest);
        self.values.truncate(found.values);
        self.arcs.truncate(found.arcs);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    pub(super) fn arc_count(&self) -> usize {
        self.arcs.len() + self.inhibitors.len()
    }

    /// The bytes that the net will need, about: names and lists are on the heap.
    pub(super) fn bytes(&self) -> u64 {
        (self.found.len() * 300
            + self.values.len() * 8
            + self.arc_count() * 24
            + self.known.capacity() * 16) as u64
    }
}

/// The net of all tokens and bindings.
pub(super) fn assemble(
    coloured: ColouredNet,
    quotient: Option<&Quotient>,
    tokens: &Tokens,
    bindings: &Bindings,
    initial: &[(u32, u32)],
    budget: &Budget,
) -> Result<Unfolded, UnfoldError> {
    let mut order: Vec<u32> = (0..tokens.all().len() as u32).collect();
    order.sort_unstable_by_key(|&token| tokens.all()[token as usize]);
    let mut numbers = vec![PlaceId(0); order.len()];
    for (number, &token) in (0..).map(PlaceId).zip(&order) {
        numbers[token as usize] = number;
    }
    let mut names = Names::default();
    let mut places: Vec<Place> = Vec::with_capacity(order.len());
    for &token in &order {
        let (place, colour) = tokens.all()[token as usize];
        let id = names.add(place_label(&coloured, place, colour));
        let place = &coloured.places[place as usize];
        places.push(Place {
            name: for_people(&id, &place.id, &place.name),
            id,
            initial: 0,
        });
    }
    for &(token, count) in initial {
        places[numbers[token as usize].index()].initial = count;
    }
    let lengths: Vec<usize> = coloured
        .transitions
        .iter()
        .map(|t| coloured.leaves_of(t).len())
        .collect();
    let values = |found: &Found| {
        &bindings.values[found.values..found.values + lengths[found.transition as usize]]
    };
    let mut sorted: Vec<usize> = (0..bindings.found.len()).collect();
    sorted.sort_unstable_by(|&a, &b| {
        let (a, b) = (&bindings.found[a], &bindings.found[b]);
        (a.transition, values(a)).cmp(&(b.transition, values(b)))
    });
    let mut inhibitors = bindings.inhibitors.iter().peekable();
    let mut inhibit: Vec<(usize, Arcs)> = Vec::new();
    while let Some(&&(binding, ..)) = inhibitors.peek() {
        let mut arcs = Arcs::new();
        while let Some(&(_, place, colour, weight)) = inhibitors.next_if(|i| i.0 == binding) {
            // A colour that is never there inhibits nothing.
            if let Some(token) = tokens.get(place, colour) {
                arcs.push((numbers[token as usize], weight));
            }
        }
        inhibit.push((binding, arcs));
    }
    let mut transitions: Vec<Transition> = Vec::with_capacity(sorted.len());
    let mut origins = Vec::with_capacity(sorted.len());
    let mut kept_values = Vec::with_capacity(bindings.values.len());
    for (count, &binding) in sorted.iter().enumerate() {
        if count.is_multiple_of(4096) {
            budget.check().map_err(UnfoldError::Stopped)?;
        }
        let found = &bindings.found[binding];
        origins.push((found.transition, kept_values.len()));
        kept_values.extend_from_slice(values(found));
        let mut at = found.arcs;
        let mut list = |count: u32| -> Arcs {
            let arcs = &bindings.arcs[at..at + count as usize];
            at += count as usize;
            arcs.iter()
                .map(|&(token, weight)| (numbers[token as usize], weight))
                .collect()
        };
        let [pre, post, test] = found.counts.map(&mut list);
        let id = names.add(binding_label(&coloured, found.transition, values(found)));
        let own = inhibit.binary_search_by_key(&binding, |(b, _)| *b);
        let transition = &coloured.transitions[found.transition as usize];
        transitions.push(Transition {
            name: for_people(&id, &transition.id, &transition.name),
            id,
            pre,
            post,
            test,
            inhibit: own.map_or_else(|_| Arcs::new(), |i| inhibit[i].1.clone()),
        });
    }
    let net = PetriNet::new(coloured.name.clone(), places, transitions, None)?;
    let unfolded: Vec<(u32, u64)> = order.iter().map(|&t| tokens.all()[t as usize]).collect();
    let ranges = ranges(unfolded.iter().map(|&(p, _)| p), coloured.places.len());
    let sum = |place: usize| {
        let first = quotient.map_or(place, |quotient| quotient.same[place] as usize);
        Source::Sum(ranges[first].clone())
    };
    let sums = (0..ranges.len()).map(sum).collect();
    let groups = origins.iter().map(|&(t, _)| GroupId(t)).collect();
    let lift = Lift::renaming(sums, groups, coloured.transitions.len());
    let origin = ColourOrigin {
        coloured,
        places: unfolded,
        transitions: origins,
        values: kept_values,
        lift,
        quotient: quotient.cloned(),
    };
    Ok(Unfolded { net, origin })
}

/// Where each number lies in an ascending list.
fn ranges(sorted: impl Iterator<Item = u32>, count: usize) -> Vec<Range<u32>> {
    let mut ends = vec![0u32; count];
    for number in sorted {
        ends[number as usize] += 1;
    }
    let mut start = 0;
    ends.into_iter()
        .map(|length| {
            let range = start..start + length;
            start = range.end;
            range
        })
        .collect()
}

/// Identifiers that are all different. Their hashes are, so the identifiers need not be kept.
#[derive(Default)]
struct Names {
    used: FxHashSet<u64>,
}

impl Names {
    fn add(&mut self, wish: String) -> String {
        let mut name = wish;
        while name.is_empty() || !self.used.insert(FxBuildHasher.hash_one(name.as_str())) {
            name.push('\'');
        }
        name
    }
}

/// The name for people of a part of a node: that of the node, with the colours behind.
fn for_people(unfolded: &str, id: &str, name: &str) -> String {
    match unfolded.strip_prefix(id) {
        Some(colours) => format!("{name}{colours}"),
        None => unfolded.to_owned(),
    }
}
