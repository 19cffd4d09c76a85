//! What a reduction gives back: the net, where places and transitions are now, and how runs are replayed.

use dalsegno_kripke::{GroupId, Move, MoveId, Predicate, Replay, Source, VarId};
use rustc_hash::FxHashSet;

use super::Rule;
use super::draft::Draft;
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
    let mut replay = Replay {
        first: draft.first.clone(),
        supplies: draft.supplies.clone(),
        leftovers: draft.leftovers.clone(),
        ..Replay::default()
    };
    for t in draft.transitions.iter().flatten() {
        let number = TransitionId(transitions.len() as u32);
        pairs.extend(t.pins.iter().map(|&pin| (TransitionId(pin), number)));
        let mut id = name(given, &draft.moves, t.moves);
        while !used.insert(id.clone()) {
            id.push('\'');
        }
        replay.groups.push(t.moves);
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
    keep_moves(&draft.moves, &mut replay);
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

/// Gives a replay the nodes that it needs, and new numbers to them.
fn keep_moves(all: &[Move], replay: &mut Replay) {
    let mut roots: Vec<&mut MoveId> = replay.first.iter_mut().collect();
    roots.extend(&mut replay.groups);
    roots.extend(replay.supplies.iter_mut().map(|supply| &mut supply.1));
    roots.extend(replay.leftovers.iter_mut().flatten());
    let mut needed = vec![false; all.len()];
    for root in &roots {
        needed[root.index()] = true;
    }
    // Parts come before what they are parts of.
    for (i, node) in all.iter().enumerate().rev() {
        if let (true, Move::Sequence(parts) | Move::Either(parts)) = (needed[i], node) {
            for part in parts {
                needed[part.index()] = true;
            }
        }
    }
    let mut now = vec![MoveId(0); all.len()];
    let mut kept: Vec<Move> = Vec::new();
    for (i, node) in all.iter().enumerate().filter(|(i, _)| needed[*i]) {
        now[i] = MoveId(kept.len() as u32);
        let renumbered = |parts: &[MoveId]| parts.iter().map(|p| now[p.index()]).collect();
        kept.push(match node {
            Move::Group(group) => Move::Group(*group),
            Move::Sequence(parts) => Move::Sequence(renumbered(parts)),
            Move::Either(parts) => Move::Either(renumbered(parts)),
        });
    }
    for root in roots {
        *root = now[root.index()];
    }
    replay.moves = kept;
}

/// A name that tells the first transitions of what a node stands for.
fn name(given: &PetriNet, moves: &[Move], node: MoveId) -> String {
    let mut name = String::new();
    let mut told = 0;
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if let Move::Sequence(parts) = &moves[node.index()] {
            open.extend(parts.iter().rev());
            continue;
        }
        if told == 3 {
            name.push_str("...");
            break;
        }
        if told > 0 {
            name.push('.');
        }
        told += 1;
        match &moves[node.index()] {
            Move::Group(g) => name.push_str(&given.transitions()[g.index()].id),
            _ => name.push('~'),
        }
    }
    name
}
