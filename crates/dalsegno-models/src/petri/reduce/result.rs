//! What a reduction gives back: the net, where places and transitions are now, and how runs are replayed.

use dalsegno_kripke::{GroupId, Move, Predicate, Replay, Source, VarId};
use rustc_hash::FxHashSet;

use super::Rule;
use super::draft::{Draft, MoveId, MoveNode};
use crate::petri::net::{PetriNet, Place, PlaceId, Transition, TransitionId};
use crate::petri::nupn::{Nupn, Unit};

/// Where a place of the given net is in the reduced one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceNow {
    /// It is this place.
    Place(PlaceId),
    /// It never changes, and was removed.
    Constant(u32),
    /// It was removed, or made one with others.
    Gone,
}

/// A reduced net.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The net.
    pub net: PetriNet,
    /// Where each place of the given net is.
    pub places: Vec<PlaceNow>,
    /// For each observed transition of the given net, those that are fireable where it is; one of them is enough.
    pub fireable: Vec<(TransitionId, Vec<TransitionId>)>,
    /// How runs are those of the given net.
    pub replay: Replay,
    /// How often each rule was applied, without those that were not.
    pub applied: Vec<(Rule, usize)>,
}

impl Reduced {
    /// The transitions that are fireable where an observed one is; none if it never is.
    #[must_use]
    pub fn transitions_of(&self, observed: TransitionId) -> &[TransitionId] {
        let at = self.fireable.binary_search_by_key(&observed, |f| f.0);
        at.map_or(&[], |i| &self.fireable[i].1)
    }

    /// A set of markings in the reduced net; `None` if it depends on what was not observed.
    #[must_use]
    pub fn predicate(&self, predicate: &Predicate) -> Option<Predicate> {
        let variable = |v: VarId| match self.places[v.index()] {
            PlaceNow::Place(p) => Some(Source::Variable(VarId(p.0))),
            PlaceNow::Constant(n) => Some(Source::Constant(n)),
            PlaceNow::Gone => None,
        };
        let groups = |g: GroupId| {
            let now = self.transitions_of(TransitionId(g.0)).iter();
            now.map(|t| GroupId(t.0)).collect()
        };
        predicate.translated(&variable, &groups)
    }
}

/// The net of a draft.
pub(super) fn finish(
    given: &PetriNet,
    draft: &Draft,
    applied: Vec<(Rule, usize)>,
) -> Option<Reduced> {
    let mut places = Vec::new();
    let mut now = Vec::with_capacity(draft.places.len());
    for (place, old) in draft.places.iter().zip(given.places()) {
        now.push(match place.constant {
            Some(n) => PlaceNow::Constant(n),
            None if place.exists => {
                places.push(Place {
                    id: old.id.clone(),
                    name: old.name.clone(),
                    initial: place.initial,
                });
                PlaceNow::Place(PlaceId(places.len() as u32 - 1))
            }
            None => PlaceNow::Gone,
        });
    }
    let place = |p: u32| match now[p as usize] {
        PlaceNow::Place(p) => p,
        _ => unreachable!("arcs lead to places that exist"),
    };
    let mut used: FxHashSet<String> = places.iter().map(|p| p.id.clone()).collect();
    let mut transitions = Vec::new();
    let mut pairs: Vec<(TransitionId, TransitionId)> = Vec::new();
    let mut replay = Replay::default();
    for t in draft.transitions.iter().flatten() {
        let number = TransitionId(transitions.len() as u32);
        pairs.extend(t.pins.iter().map(|&pin| (TransitionId(pin), number)));
        let word = word(draft, t.moves);
        let mut id = name(given, &word);
        while !used.insert(id.clone()) {
            id.push('\'');
        }
        replay.groups.push(word);
        let (mut pre, mut post, mut test) = (Vec::new(), Vec::new(), Vec::new());
        for &(p, n) in &t.pre {
            if super::draft::weight(&t.post, p) == n {
                test.push((place(p), n));
            } else {
                pre.push((place(p), n));
            }
        }
        for &(p, n) in &t.post {
            if super::draft::weight(&t.pre, p) != n {
                post.push((place(p), n));
            }
        }
        transitions.push(Transition {
            name: id.clone(),
            id,
            pre,
            post,
            inhibit: t.inhibit.iter().map(|&(p, n)| (place(p), n)).collect(),
            test,
        });
    }
    pairs.sort_unstable();
    let fireable = pairs.chunk_by(|a, b| a.0 == b.0);
    let fireable = fireable.map(|part| (part[0].0, part.iter().map(|pair| pair.1).collect()));
    let fireable = fireable.collect();
    replay.first = draft.first.iter().flat_map(|&m| word(draft, m)).collect();
    let words = |set: &Vec<MoveId>| set.iter().map(|&m| word(draft, m)).collect();
    replay.leftovers = draft.leftovers.iter().map(words).collect();
    let supplies = draft.supplies.iter();
    replay.supplies = supplies
        .map(|&(v, m): &(VarId, _)| (v, word(draft, m)))
        .collect();
    let nupn = given.nupn().map(|nupn| units(nupn, draft, &now));
    let net = PetriNet::new(given.name(), places, transitions, nupn).ok()?;
    Some(Reduced {
        net,
        places: now,
        fireable,
        replay,
        applied,
    })
}

/// The units with the places that are left, which hold at most what they held.
fn units(nupn: &Nupn, draft: &Draft, now: &[PlaceNow]) -> Nupn {
    let left = |p: &PlaceId| match now[p.index()] {
        PlaceNow::Place(q) if !draft.places[p.index()].fused => Some(q),
        _ => None,
    };
    let unit = |unit: &Unit| Unit {
        id: unit.id.clone(),
        places: unit.places.iter().filter_map(left).collect(),
        subunits: unit.subunits.clone(),
    };
    Nupn {
        units: nupn.units.iter().map(unit).collect(),
        root: nupn.root,
        safe: nupn.safe,
    }
}

/// What a node stands for. Sequences are as deep as rules were applied, so this does not recurse over them.
fn word(draft: &Draft, node: MoveId) -> Vec<Move> {
    let mut word = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match &draft.moves[node as usize] {
            MoveNode::Fire(t) => word.push(Move::Group(GroupId(*t))),
            MoveNode::Sequence(parts) => open.extend(parts.iter().rev()),
            MoveNode::Either(parts) => {
                // Alternatives are nested a few times only.
                word.push(Move::Either(
                    parts.iter().map(|&m| self::word(draft, m)).collect(),
                ));
            }
        }
    }
    word
}

/// A name that tells the first transitions of a word.
fn name(given: &PetriNet, word: &[Move]) -> String {
    let mut name = String::new();
    for part in word.iter().take(3) {
        if !name.is_empty() {
            name.push('.');
        }
        match part {
            Move::Group(g) => name.push_str(&given.transitions()[g.index()].id),
            Move::Either(_) => name.push('~'),
        }
    }
    if word.len() > 3 {
        name.push_str("...");
    }
    name
}
