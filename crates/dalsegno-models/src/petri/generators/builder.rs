//! Nets written down arc by arc.

use rustc_hash::FxHashMap;

use crate::petri::net::{Arcs, PetriNet, Place, PlaceId, Transition};

/// A net that grows; names are identifiers.
#[derive(Debug, Default)]
pub(super) struct Builder {
    places: Vec<Place>,
    transitions: Vec<Transition>,
    ids: FxHashMap<String, PlaceId>,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a place with tokens.
    pub(super) fn place(&mut self, id: impl Into<String>, initial: u32) {
        let id = id.into();
        self.ids
            .insert(id.clone(), PlaceId(self.places.len() as u32));
        self.places.push(Place {
            name: id.clone(),
            id,
            initial,
        });
    }

    /// Adds a transition that takes a token from each of `pre` and puts one into each of `post`.
    pub(super) fn transition(
        &mut self,
        id: impl Into<String>,
        pre: &[impl AsRef<str>],
        post: &[impl AsRef<str>],
    ) {
        let id = id.into();
        self.transitions.push(Transition {
            name: id.clone(),
            id,
            pre: self.arcs(pre),
            post: self.arcs(post),
            ..Transition::default()
        });
    }

    /// Adds transitions written as lines `id: place place -> place place`.
    pub(super) fn transitions(&mut self, lines: &str) {
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let parts = line.split_once(": ").and_then(|(id, arcs)| {
                let (pre, post) = arcs.split_once("->")?;
                Some((id, pre, post))
            });
            let (id, pre, post) = parts.expect("a line has an identifier and an arrow");
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            self.transition(id, &words(pre), &words(post));
        }
    }

    fn arcs(&self, ids: &[impl AsRef<str>]) -> Arcs {
        ids.iter().map(|id| (self.ids[id.as_ref()], 1)).collect()
    }

    pub(super) fn finish(self, name: String) -> PetriNet {
        PetriNet::new(name, self.places, self.transitions, None)
            .expect("families have distinct identifiers and small weights")
    }
}
