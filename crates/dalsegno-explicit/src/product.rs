//! The product of a state space with an observer, on the fly.
//!
//! P12 appendix A and P15 Def. 6: a node is a pair of a model state and an automaton state; a transition
//! is a step of the model together with a step of the automaton, which sees the letters before and after.
//! What a dead end does is a parameter: it repeats itself for ever, or it ends a path that does not count.

use dalsegno_automata::Marks;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_kripke::{Budget, DeadEnds, GroupId, Predicate};

use crate::labels::Labels;
use crate::space::{Error, Space, StateId};
use crate::table::{StateTable, finish};

/// A node of the product, numbered as found.
pub type NodeId = u32;

/// A transition of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc {
    /// Where it goes.
    pub target: NodeId,
    /// The marks that it carries.
    pub marks: Marks,
    /// The group of the model, or `None` for the repetition of a dead end.
    pub group: Option<GroupId>,
    /// Whether no observed proposition changes.
    pub stutters: bool,
}

/// A product as far as it is known.
pub struct Product<'m, 'o> {
    space: Space<'m>,
    labels: Labels,
    observer: &'o mut Observer,
    dead_ends: DeadEnds,
    nodes: StateTable,
}

impl<'m, 'o> Product<'m, 'o> {
    /// The product of the states of a space with an observer of these propositions.
    #[must_use]
    pub fn new(
        space: Space<'m>,
        propositions: Vec<Predicate>,
        observer: &'o mut Observer,
        dead_ends: DeadEnds,
    ) -> Self {
        let labels = Labels::new(&space, propositions);
        Product {
            space,
            labels,
            observer,
            dead_ends,
            nodes: StateTable::new(1),
        }
    }

    /// The model's side.
    #[must_use]
    pub fn space(&self) -> &Space<'m> {
        &self.space
    }

    /// The marks that an accepting cycle carries.
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        self.observer.all_marks()
    }

    /// Whether the observer is a TA, with its two kinds of acceptance.
    #[must_use]
    pub fn is_ta(&self) -> bool {
        self.observer.kind() == Kind::Ta
    }

    /// Whether a node may stay for ever if nothing changes.
    pub fn is_livelock(&mut self, node: NodeId) -> bool {
        let (_, q) = self.parts(node);
        self.observer.is_livelock(q)
    }

    /// Whether the automaton state of a node has no way out but stuttering.
    #[must_use]
    pub fn is_trap(&self, node: NodeId) -> bool {
        let (_, q) = self.parts(node);
        self.observer.is_trap(q)
    }

    /// The number of nodes known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no node is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.space.bytes() + self.labels.bytes() + self.nodes.bytes()
    }

    /// The model state and the automaton state of a node.
    #[inline]
    #[must_use]
    pub fn parts(&self, node: NodeId) -> (StateId, u32) {
        let key = self.nodes.state(node)[0];
        ((key >> 32) as StateId, key as u32)
    }

    /// The initial nodes.
    pub fn initial(&mut self) -> Vec<NodeId> {
        let mut found = Vec::new();
        for i in 0..self.space.initial().len() {
            let state = self.space.initial()[i];
            for &(q, _) in self.observer.initial(self.labels.letter(state)) {
                let node = node(&mut self.nodes, state, q);
                if !found.contains(&node) {
                    found.push(node);
                }
            }
        }
        found
    }

    /// Appends the transitions that leave a node.
    ///
    /// # Errors
    /// As [`Space::successors`].
    pub fn successors(
        &mut self,
        from: NodeId,
        budget: &Budget,
        out: &mut Vec<Arc>,
    ) -> Result<(), Error> {
        let (state, q) = self.parts(from);
        let (mut groups, mut targets) = self.space.take_successors(state, budget)?;
        self.labels.extend(&self.space, state, &groups, &targets);
        let letter = self.labels.letter(state);
        if targets.is_empty() {
            if self.dead_ends == DeadEnds::Stutter {
                for &(p, marks) in self.observer.step(q, letter, letter) {
                    out.push(Arc {
                        target: node(&mut self.nodes, state, p),
                        marks,
                        group: None,
                        stutters: true,
                    });
                }
            }
        } else {
            for (&group, &target) in groups.iter().zip(&targets) {
                let to = self.labels.letter(target);
                for &(p, marks) in self.observer.step(q, letter, to) {
                    out.push(Arc {
                        target: node(&mut self.nodes, target, p),
                        marks,
                        group: Some(group),
                        stutters: letter == to,
                    });
                }
            }
        }
        self.space.give_back(&mut groups, &mut targets);
        Ok(())
    }
}

#[inline]
fn node(nodes: &mut StateTable, state: StateId, q: u32) -> NodeId {
    let key = [u64::from(state) << 32 | u64::from(q)];
    nodes.insert(&key, finish(StateTable::hash_sum(&key))).0
}
