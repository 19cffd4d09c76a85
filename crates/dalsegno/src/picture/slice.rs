//! Parts of nets: what a property and its run touch, with neighbours.

use std::collections::BTreeSet;

use dalsegno_models::petri::{PetriNet, PlaceId, Transition, TransitionId};

use super::PictureError;

/// Places and transitions of a net.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slice {
    /// The places.
    pub places: BTreeSet<PlaceId>,
    /// The transitions.
    pub transitions: BTreeSet<TransitionId>,
}

impl Slice {
    /// All of a net.
    #[must_use]
    pub fn whole(net: &PetriNet) -> Self {
        Slice {
            places: (0..net.places().len() as u32).map(PlaceId).collect(),
            transitions: (0..net.transitions().len() as u32)
                .map(TransitionId)
                .collect(),
        }
    }

    /// How many nodes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len() + self.transitions.len()
    }

    /// Whether it has no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all its nodes are in the net.
    pub(super) fn check(&self, net: &PetriNet) -> Result<(), PictureError> {
        if let Some(p) = self.places.iter().find(|p| p.index() >= net.places().len()) {
            return Err(PictureError::NoSuchNode(format!("place {}", p.0)));
        }
        let mut transitions = self.transitions.iter();
        match transitions.find(|t| t.index() >= net.transitions().len()) {
            Some(t) => Err(PictureError::NoSuchNode(format!("transition {}", t.0))),
            None => Ok(()),
        }
    }
}

/// A node of a net, by its number among places and transitions together.
fn split(node: usize, places: usize) -> Result<PlaceId, TransitionId> {
    if node < places {
        Ok(PlaceId(node as u32))
    } else {
        Err(TransitionId((node - places) as u32))
    }
}

/// The places of all arcs of a transition.
pub(super) fn touched(t: &Transition) -> impl Iterator<Item = PlaceId> {
    let lists = [&t.pre, &t.post, &t.inhibit, &t.test];
    lists.into_iter().flatten().map(|&(p, _)| p)
}

/// The given nodes and those around them, ring by ring, as long as there are no more than `most` nodes. The given
/// ones are in it in any case. Of a ring that does not fit, those with the most arcs into the slice are taken.
///
/// Nodes that the net does not have are left out.
#[must_use]
pub fn around(
    net: &PetriNet,
    places: impl IntoIterator<Item = PlaceId>,
    transitions: impl IntoIterator<Item = TransitionId>,
    most: usize,
) -> Slice {
    let count = net.places().len();
    let total = count + net.transitions().len();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); total];
    for (i, t) in net.transitions().iter().enumerate() {
        for p in touched(t) {
            neighbours[p.index()].push(count + i);
            neighbours[count + i].push(p.index());
        }
    }
    let given = places.into_iter().map(PlaceId::index);
    let given = given.filter(|&p| p < count);
    let more = transitions.into_iter().map(|t| count + t.index());
    let mut ring: BTreeSet<usize> = given.chain(more.filter(|&t| t < total)).collect();
    let mut taken = vec![false; total];
    let mut size = 0;
    let mut slice = Slice::default();
    while !ring.is_empty() {
        for &node in &ring {
            taken[node] = true;
            size += 1;
            match split(node, count) {
                Ok(place) => slice.places.insert(place),
                Err(transition) => slice.transitions.insert(transition),
            };
        }
        let outside = ring.iter().flat_map(|&node| &neighbours[node]);
        let next: BTreeSet<usize> = outside.copied().filter(|&node| !taken[node]).collect();
        let room = most.saturating_sub(size);
        ring = if next.len() <= room {
            next
        } else {
            let arcs = |node: usize| neighbours[node].iter().filter(|&&n| taken[n]).count();
            let mut ranked: Vec<usize> = next.into_iter().collect();
            ranked.sort_by_key(|&node| (std::cmp::Reverse(arcs(node)), node));
            ranked.truncate(room);
            ranked.into_iter().collect()
        };
    }
    slice
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_models::petri::generators::Family;

    fn philosophers() -> PetriNet {
        let family: Family = "philosophers".parse().unwrap();
        family.generate(5).unwrap()
    }

    #[test]
    fn a_slice_grows_ring_by_ring() {
        let net = philosophers();
        let alone = around(&net, [PlaceId(0)], [], 1);
        assert_eq!((alone.places.len(), alone.transitions.len()), (1, 0));
        let first: BTreeSet<TransitionId> = net
            .transitions()
            .iter()
            .enumerate()
            .filter(|(_, t)| touched(t).any(|p| p == PlaceId(0)))
            .map(|(i, _)| TransitionId(i as u32))
            .collect();
        let ring = around(&net, [PlaceId(0)], [], 1 + first.len());
        assert_eq!(ring.transitions, first);
        assert_eq!(around(&net, [PlaceId(0)], [], 1_000), Slice::whole(&net));
    }

    #[test]
    fn a_slice_has_at_most_so_many_nodes_but_those_given() {
        let net = philosophers();
        for most in 2..50 {
            assert_eq!(
                around(&net, [PlaceId(3)], [TransitionId(2)], most).len(),
                most
            );
        }
        assert_eq!(around(&net, (0..9).map(PlaceId), [], 3).len(), 9);
        assert_eq!(around(&net, [PlaceId(99)], [TransitionId(99)], 3).len(), 0);
    }
}
