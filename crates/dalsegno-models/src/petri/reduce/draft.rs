//! A net that rules change in place.
//!
//! In its normal form a transition takes what it needs and gives back what stays: a test arc is an input and an output.
//! Each place knows the transitions at its ends, so a rule looks at neighbours only.
//!
//! Invariants:
//!
//! 1. Arcs of a transition ascend strictly by place, lead to places that exist, and have no weight 0 but for inhibitors.
//! 2. `givers`, `takers` and `inhibited` of a place ascend and name exactly the transitions that exist and have an output,
//!    an input or an inhibitor arc there.
//! 3. Inputs and inhibitors of a transition that is asked to be fireable are observed. So a place that is not observed has
//!    no such consumer.
//! 4. What a transition stands for is a node of `moves`, and so is everything that the replay of runs needs.

use dalsegno_kripke::{Budget, GroupId, Move, MoveId, VarId};

use super::condition::Condition;
use super::observed::{Observed, Watch};
use crate::petri::net::PetriNet;

/// Places with weights, ascending.
pub(super) type Arcs = Vec<(u32, u32)>;

/// Places or transitions between two looks at the budget.
const OFTEN: u32 = 1024;

/// The most transitions that one may stand for, one after the other: a lifted run has as many steps.
const MOST_MOVES: u32 = 1 << 20;

/// A place.
#[derive(Clone, Debug)]
pub(super) struct DraftPlace {
    pub(super) initial: u32,
    pub(super) watch: Watch,
    pub(super) exists: bool,
    /// Its value if it was removed as constant.
    pub(super) constant: Option<u32>,
    /// Whether it stands for several places of the net that was given.
    pub(super) fused: bool,
    pub(super) givers: Vec<u32>,
    pub(super) takers: Vec<u32>,
    pub(super) inhibited: Vec<u32>,
}

/// A transition.
#[derive(Clone, Debug)]
pub(super) struct DraftTransition {
    pub(super) pre: Arcs,
    pub(super) post: Arcs,
    pub(super) inhibit: Arcs,
    pub(super) moves: MoveId,
    /// Observed transitions that are fireable exactly where this one is.
    pub(super) pins: Vec<u32>,
}

/// The net.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) places: Vec<DraftPlace>,
    /// Transitions that exist, and gaps.
    pub(super) transitions: Vec<Option<DraftTransition>>,
    pub(super) moves: Vec<Move>,
    /// For each node, how many transitions it fires at most.
    sizes: Vec<u32>,
    pub(super) first: Vec<MoveId>,
    pub(super) supplies: Vec<(VarId, MoveId)>,
    /// What each application of a rule leaves to be fired at a dead end.
    pub(super) leftovers: Vec<Vec<MoveId>>,
    /// Places whose neighbourhood has changed.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// A condition that does not count, for tests.
    dropped: Option<Condition>,
    budget: Budget,
    /// How much was looked at since the budget was asked.
    looked: u32,
}

/// The weight of an arc to a place, 0 if there is none.
pub(super) fn weight(arcs: &[(u32, u32)], place: u32) -> u32 {
    let at = arcs.binary_search_by_key(&place, |arc| arc.0);
    at.map_or(0, |i| arcs[i].1)
}

/// The arcs of both, weights added; `None` if one becomes too large.
pub(super) fn added(a: &[(u32, u32)], b: &[(u32, u32)]) -> Option<Arcs> {
    let mut sum: Arcs = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if j == b.len() || i < a.len() && a[i].0 < b[j].0 {
            sum.push(a[i]);
            i += 1;
        } else if i == a.len() || b[j].0 < a[i].0 {
            sum.push(b[j]);
            j += 1;
        } else {
            sum.push((a[i].0, a[i].1.checked_add(b[j].1)?));
            i += 1;
            j += 1;
        }
    }
    Some(sum)
}

/// The arcs but for those to a place.
pub(super) fn without(arcs: &[(u32, u32)], place: u32) -> Arcs {
    arcs.iter().copied().filter(|arc| arc.0 != place).collect()
}

/// Sets the weight of an arc to a place.
fn set(arcs: &mut Arcs, place: u32, weight: u32) {
    match arcs.binary_search_by_key(&place, |arc| arc.0) {
        Ok(i) if weight == 0 => {
            arcs.remove(i);
        }
        Ok(i) => arcs[i].1 = weight,
        Err(i) if weight > 0 => arcs.insert(i, (place, weight)),
        Err(_) => {}
    }
}

/// Takes a member out of an ascending list.
fn leave(list: &mut Vec<u32>, member: u32) {
    if let Ok(i) = list.binary_search(&member) {
        list.remove(i);
    }
}

/// Puts a member into an ascending list.
fn join(list: &mut Vec<u32>, member: u32) {
    if let Err(i) = list.binary_search(&member) {
        list.insert(i, member);
    }
}

impl DraftTransition {
    /// The change of the number of tokens in a place.
    pub(super) fn effect(&self, place: u32) -> i64 {
        i64::from(weight(&self.post, place)) - i64::from(weight(&self.pre, place))
    }

    /// The places that change, with the change.
    pub(super) fn effects(&self) -> Vec<(u32, i64)> {
        let mut effects = Vec::with_capacity(self.pre.len() + self.post.len());
        let (mut i, mut j) = (0, 0);
        while i < self.pre.len() || j < self.post.len() {
            let (a, b) = (self.pre.get(i), self.post.get(j));
            let place = match (a, b) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(a), None) => a.0,
                (None, Some(b)) => b.0,
                (None, None) => break,
            };
            let mut change = 0;
            if let Some(a) = a.filter(|a| a.0 == place) {
                change -= i64::from(a.1);
                i += 1;
            }
            if let Some(b) = b.filter(|b| b.0 == place) {
                change += i64::from(b.1);
                j += 1;
            }
            if change != 0 {
                effects.push((place, change));
            }
        }
        effects
    }

    /// The number of arcs.
    pub(super) fn arcs(&self) -> usize {
        self.pre.len() + self.post.len() + self.inhibit.len()
    }

    /// The places at its arcs, some maybe twice.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        let arcs = self.pre.iter().chain(&self.post).chain(&self.inhibit);
        arcs.map(|arc| arc.0)
    }
}

impl Draft {
    /// The normal form of a net; `None` if a weight does not fit into 32 bits.
    pub(super) fn new(
        net: &PetriNet,
        observed: &Observed,
        dropped: Option<Condition>,
        budget: &Budget,
    ) -> Option<Self> {
        let place = |(place, watch): (&crate::petri::Place, &Watch)| DraftPlace {
            initial: place.initial,
            watch: *watch,
            exists: true,
            constant: None,
            fused: false,
            givers: Vec::new(),
            takers: Vec::new(),
            inhibited: Vec::new(),
        };
        let places = net.places().iter().zip(&observed.places).map(place);
        let mut draft = Draft {
            places: places.collect(),
            transitions: Vec::with_capacity(net.transitions().len()),
            moves: Vec::new(),
            sizes: Vec::new(),
            first: Vec::new(),
            supplies: Vec::new(),
            leftovers: Vec::new(),
            changed: Vec::new(),
            is_changed: vec![false; net.places().len()],
            dropped,
            budget: budget.clone(),
            looked: 0,
        };
        for (id, t) in (0..).zip(net.transitions()) {
            let plain = |arcs: &[(crate::petri::PlaceId, u32)]| -> Arcs {
                arcs.iter().map(|&(p, n)| (p.0, n)).collect()
            };
            let (mut pre, mut post) = (plain(&t.pre), plain(&t.post));
            for &(p, least) in &t.test {
                let takes = weight(&pre, p.0);
                let more = least.saturating_sub(takes);
                set(&mut pre, p.0, takes + more);
                let gives = weight(&post, p.0).checked_add(more)?;
                set(&mut post, p.0, gives);
            }
            let moves = draft.node(Move::Group(GroupId(id)), 1);
            // No place has fewer than no tokens.
            if t.inhibit.iter().any(|arc| arc.1 == 0) {
                draft.transitions.push(None);
                continue;
            }
            let pins = if observed.transitions[id as usize] {
                vec![id]
            } else {
                Vec::new()
            };
            draft.add(DraftTransition {
                pre,
                post,
                inhibit: plain(&t.inhibit),
                moves,
                pins,
            });
        }
        Some(draft)
    }

    fn node(&mut self, node: Move, size: u32) -> MoveId {
        self.moves.push(node);
        self.sizes.push(size);
        MoveId(self.moves.len() as u32 - 1)
    }

    /// The node of some others one after the other; `None` if they are too many.
    pub(super) fn sequence(&mut self, parts: Vec<MoveId>) -> Option<MoveId> {
        let sizes = parts.iter().map(|part| self.sizes[part.index()]);
        let size = sizes.fold(0_u32, u32::saturating_add);
        (size <= MOST_MOVES).then(|| self.node(Move::Sequence(parts), size))
    }

    /// The node of alternatives.
    pub(super) fn either(&mut self, parts: Vec<MoveId>) -> MoveId {
        let sizes = parts.iter().map(|part| self.sizes[part.index()]);
        let size = sizes.max().unwrap_or(0);
        self.node(Move::Either(parts), size)
    }

    /// A transition that exists.
    pub(super) fn at(&self, t: u32) -> &DraftTransition {
        let transition = self.transitions[t as usize].as_ref();
        transition.expect("lists of neighbours name transitions that exist")
    }

    /// Whether a side condition is met, or does not count.
    pub(super) fn is(&self, condition: Condition, met: bool) -> bool {
        met || self.dropped == Some(condition)
    }

    /// Whether the time is over; to be asked for each place or transition that is looked at.
    pub(super) fn is_over(&mut self) -> bool {
        self.looked += 1;
        if self.looked < OFTEN {
            return false;
        }
        let over = self.budget.check().is_err();
        // Whoever is told so is told so again.
        self.looked = if over { OFTEN } else { 0 };
        over
    }

    /// Whether a place is neither observed nor at an inhibitor arc; these are the names of the conditions.
    pub(super) fn is_free(&self, place: u32, of: [Condition; 2]) -> bool {
        let place = &self.places[place as usize];
        self.is(of[0], place.watch == Watch::Not) && self.is(of[1], place.inhibited.is_empty())
    }

    /// As [`Draft::is_free`], or more tokens never hurt.
    pub(super) fn may_keep_more(&self, place: u32, of: [Condition; 2]) -> bool {
        let place = &self.places[place as usize];
        self.is(of[0], place.watch != Watch::Exact) && self.is(of[1], place.inhibited.is_empty())
    }

    /// Adds a transition.
    pub(super) fn add(&mut self, transition: DraftTransition) -> u32 {
        let id = self.transitions.len() as u32;
        for &(p, _) in &transition.pre {
            self.places[p as usize].takers.push(id);
            self.change(p);
        }
        for &(p, _) in &transition.post {
            self.places[p as usize].givers.push(id);
            self.change(p);
        }
        for &(p, _) in &transition.inhibit {
            self.places[p as usize].inhibited.push(id);
            self.change(p);
        }
        self.transitions.push(Some(transition));
        id
    }

    /// Removes transitions; how many there were. A place that loses many of its neighbours goes over them once.
    pub(super) fn remove_all(&mut self, gone: &[u32]) -> usize {
        let mut removed = 0;
        let mut ends: Vec<(u32, u32)> = Vec::new();
        for &t in gone {
            if let Some(transition) = self.transitions[t as usize].take() {
                ends.extend(transition.places().map(|p| (p, t)));
                removed += 1;
            }
        }
        ends.sort_unstable();
        ends.dedup();
        for at_place in ends.chunk_by(|a, b| a.0 == b.0) {
            let p = at_place[0].0;
            let transitions = &self.transitions;
            let place = &mut self.places[p as usize];
            for list in [&mut place.givers, &mut place.takers, &mut place.inhibited] {
                if at_place.len() < list.len() / 16 {
                    for &(_, t) in at_place {
                        leave(list, t);
                    }
                } else {
                    list.retain(|&t| transitions[t as usize].is_some());
                }
            }
            self.change(p);
        }
        removed
    }

    /// Removes a place and all its arcs.
    pub(super) fn remove_place(&mut self, p: u32) {
        let place = &mut self.places[p as usize];
        place.exists = false;
        let givers = std::mem::take(&mut place.givers);
        let takers = std::mem::take(&mut place.takers);
        let inhibited = std::mem::take(&mut place.inhibited);
        for (list, which) in [(givers, 0), (takers, 1), (inhibited, 2)] {
            for t in list {
                let Some(transition) = self.transitions[t as usize].as_mut() else {
                    continue;
                };
                let arcs = match which {
                    0 => &mut transition.post,
                    1 => &mut transition.pre,
                    _ => &mut transition.inhibit,
                };
                if let Ok(i) = arcs.binary_search_by_key(&p, |arc| arc.0) {
                    arcs.remove(i);
                }
                self.change_around(t);
            }
        }
    }

    /// Removes the inhibitor arc between a place and a transition.
    pub(super) fn remove_inhibitor(&mut self, t: u32, p: u32) {
        if let Some(transition) = self.transitions[t as usize].as_mut() {
            transition.inhibit.retain(|arc| arc.0 != p);
            leave(&mut self.places[p as usize].inhibited, t);
            self.change_around(t);
            self.change(p);
        }
    }

    /// Gives an input and an output arc new weights; 0 is none.
    pub(super) fn set_weights(&mut self, t: u32, p: u32, takes: u32, gives: u32) {
        let Some(transition) = self.transitions[t as usize].as_mut() else {
            return;
        };
        set(&mut transition.pre, p, takes);
        set(&mut transition.post, p, gives);
        let place = &mut self.places[p as usize];
        for (list, weight) in [(&mut place.takers, takes), (&mut place.givers, gives)] {
            if weight > 0 {
                join(list, t);
            } else {
                leave(list, t);
            }
        }
        self.change_around(t);
        self.change(p);
    }

    fn change(&mut self, p: u32) {
        if !std::mem::replace(&mut self.is_changed[p as usize], true) {
            self.changed.push(p);
        }
    }

    fn change_around(&mut self, t: u32) {
        let places: Vec<u32> = self.at(t).places().collect();
        for p in places {
            self.change(p);
        }
    }

    /// The places whose neighbourhood has changed since this was asked last, with those at the other ends of their
    /// transitions, ascending; places with many transitions count without them.
    pub(super) fn take_changed(&mut self) -> Vec<u32> {
        let changed = std::mem::take(&mut self.changed);
        let mut near = changed.clone();
        for &p in &changed {
            self.is_changed[p as usize] = false;
            let place = &self.places[p as usize];
            if place.givers.len() + place.takers.len() > 16 {
                continue;
            }
            for &t in place.givers.iter().chain(&place.takers) {
                let transition = self.at(t);
                if transition.arcs() <= 16 {
                    near.extend(transition.places());
                }
            }
        }
        near.retain(|&p| self.places[p as usize].exists);
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Checks the invariants, if the net is small.
    pub(super) fn check_invariants(&self) -> bool {
        if self.places.len() * self.transitions.len() > 10_000 {
            return true;
        }
        for (p, place) in (0_u32..).zip(&self.places) {
            let lists = [&place.givers, &place.takers, &place.inhibited];
            for (which, list) in lists.into_iter().enumerate() {
                assert!(list.is_sorted_by(|a, b| a < b), "lists ascend");
                let of = (0_u32..).zip(&self.transitions).filter(|(_, t)| {
                    t.as_ref().is_some_and(|t| {
                        let arcs = [&t.post, &t.pre, &t.inhibit][which];
                        arcs.iter().any(|arc| arc.0 == p)
                    })
                });
                let of: Vec<u32> = of.map(|(t, _)| t).collect();
                assert_eq!(*list, of, "neighbours of place {p}");
                assert!(place.exists || list.is_empty());
            }
        }
        for t in self.transitions.iter().flatten() {
            for arcs in [&t.pre, &t.post, &t.inhibit] {
                assert!(arcs.is_sorted_by(|a, b| a.0 < b.0), "arcs ascend");
            }
            assert!(t.pre.iter().chain(&t.post).all(|arc| arc.1 > 0));
            let mut read = t.pre.iter().chain(&t.inhibit);
            let seen = read.all(|arc| self.places[arc.0 as usize].watch != Watch::Not);
            assert!(t.pins.is_empty() || seen, "what is asked for is observed");
        }
        true
    }
}
