//! What a question observes of a net.

use dalsegno_kripke::{Predicate, Relation, VarId};

use crate::petri::net::{PetriNet, PlaceId, TransitionId};

/// How a place is observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(in crate::petri) enum Watch {
    /// Not at all.
    #[default]
    Not,
    /// More tokens never hurt: the question asks for a marking, and if one is as wanted, so is each that differs from it
    /// by more tokens here.
    More,
    /// Exactly.
    Exact,
}

/// What a question observes: places, and transitions that are asked to be fireable, which stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    pub(in crate::petri) places: Vec<Watch>,
    pub(in crate::petri) transitions: Vec<bool>,
    /// Whether it asks for dead ends beside other things.
    pub(super) dead_ends: bool,
}

impl Observed {
    /// Nothing of this net.
    #[must_use]
    pub fn nothing(net: &PetriNet) -> Self {
        Observed {
            places: vec![Watch::Not; net.places().len()],
            transitions: vec![false; net.transitions().len()],
            dead_ends: false,
        }
    }

    /// Also the numbers of tokens in places.
    pub fn add_places(&mut self, places: impl IntoIterator<Item = PlaceId>) {
        for p in places {
            self.places[p.index()] = Watch::Exact;
        }
    }

    /// Also the largest numbers of tokens in places; only for [`Keep::Reach`](super::Keep::Reach).
    pub fn add_largest(&mut self, places: impl IntoIterator<Item = PlaceId>) {
        for p in places {
            self.raise(p.0, Watch::More);
        }
    }

    /// Also whether a transition is fireable.
    pub fn add_transition(&mut self, net: &PetriNet, transition: TransitionId) {
        self.fireable(net, transition, Watch::Exact);
    }

    /// Also all that a set of markings depends on: variables are places and groups transitions.
    pub fn add_predicate(&mut self, net: &PetriNet, predicate: &Predicate) {
        self.predicate(net, predicate, None);
    }

    /// Also a set of markings that is asked to be reachable; only for [`Keep::Reach`](super::Keep::Reach).
    pub fn add_goal(&mut self, net: &PetriNet, goal: &Predicate) {
        self.predicate(net, goal, Some(true));
    }

    /// Also what another question observes.
    pub fn add(&mut self, other: &Observed) {
        for (mine, theirs) in self.places.iter_mut().zip(&other.places) {
            *mine = (*mine).max(*theirs);
        }
        for (mine, theirs) in self.transitions.iter_mut().zip(&other.transitions) {
            *mine |= theirs;
        }
        self.dead_ends |= other.dead_ends;
    }

    /// Whether dead ends are observed beside other things: then only [`Keep::Steps`](super::Keep::Steps) is sound.
    #[must_use]
    pub fn dead_ends(&self) -> bool {
        self.dead_ends
    }

    /// How many places are observed.
    #[must_use]
    pub fn count(&self) -> usize {
        let observed = self.places.iter().filter(|w| **w != Watch::Not);
        observed.count()
    }

    fn raise(&mut self, place: u32, watch: Watch) {
        let known = &mut self.places[place as usize];
        *known = (*known).max(watch);
    }

    fn fireable(&mut self, net: &PetriNet, transition: TransitionId, watch: Watch) {
        let t = &net.transitions()[transition.index()];
        for (p, _) in t.pre.iter().chain(&t.test) {
            self.raise(p.0, watch);
        }
        for (p, _) in &t.inhibit {
            self.raise(p.0, Watch::Exact);
        }
        self.transitions[transition.index()] = true;
    }

    /// A part of a predicate; `wanted` is the value that helps a goal, if that is known.
    fn predicate(&mut self, net: &PetriNet, predicate: &Predicate, wanted: Option<bool>) {
        match predicate {
            Predicate::True | Predicate::False => {}
            Predicate::DeadEnd => self.dead_ends = true,
            Predicate::Compare(compare) => {
                let rising = match compare.op() {
                    Relation::Ge | Relation::Gt => Some(true),
                    Relation::Le | Relation::Lt => Some(false),
                    Relation::Eq | Relation::Ne => None,
                };
                for &(c, VarId(p)) in compare.terms() {
                    let helps = rising
                        .zip(wanted)
                        .is_some_and(|(rising, wanted)| (rising == wanted) == (c > 0));
                    self.raise(p, if helps { Watch::More } else { Watch::Exact });
                }
            }
            Predicate::Enabled(groups) => {
                let watch = if wanted == Some(true) {
                    Watch::More
                } else {
                    Watch::Exact
                };
                for g in groups {
                    self.fireable(net, TransitionId(g.0), watch);
                }
            }
            Predicate::Not(inner) => self.predicate(net, inner, wanted.map(|b| !b)),
            Predicate::And(parts) | Predicate::Or(parts) => {
                for part in parts {
                    self.predicate(net, part, wanted);
                }
            }
            Predicate::Circuit(circuit) => {
                for leaf in circuit.leaves() {
                    self.predicate(net, leaf, None);
                }
            }
        }
    }
}
