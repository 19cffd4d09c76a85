//! The product of a state space with an observer, on the fly.
//!
//! P12 appendix A and P15 Def. 6: a node is a pair of a model state and an automaton state; a transition
//! is a step of the model together with a step of the automaton, which sees the letters before and after.
//! What a dead end does is a parameter: it repeats itself for ever, or it ends a path that does not count.

use dalsegno_automata::Marks;
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_kripke::{Budget, DeadEnds, GroupId, Predicate};

use crate::labels::Labels;
use crate::nodes::Node;
use crate::space::{Error, Space};

/// A transition of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc {
    /// Where it goes.
    pub target: Node,
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
    pub fn is_livelock(&mut self, node: Node) -> bool {
        self.observer.is_livelock(node.q)
    }

    /// Whether the automaton state of a node has no way out but stuttering.
    #[must_use]
    pub fn is_trap(&self, node: Node) -> bool {
        self.observer.is_trap(node.q)
    }

    /// How many automaton states to expect: those there are, or a few if they are not known yet.
    #[must_use]
    pub fn automaton_states(&self) -> usize {
        self.observer.expected_len()
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.space.bytes() + self.labels.bytes()
    }

    /// The initial nodes.
    pub fn initial(&mut self) -> Vec<Node> {
        let mut found = Vec::new();
        for &state in self.space.initial() {
            for &(q, _) in self.observer.initial(self.labels.letter(state)) {
                let node = Node { state, q };
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
        from: Node,
        budget: &Budget,
        out: &mut Vec<Arc>,
    ) -> Result<(), Error> {
        let Node { state, q } = from;
        let (mut groups, mut targets) = self.space.take_successors(state, budget)?;
        self.labels.extend(&self.space, state, &groups, &targets);
        let letter = self.labels.letter(state);
        if targets.is_empty() && self.dead_ends == DeadEnds::Stutter {
            for &(p, marks) in self.observer.step(q, letter, letter) {
                out.push(Arc {
                    target: Node { state, q: p },
                    marks,
                    group: None,
                    stutters: true,
                });
            }
        }
        // Neighbouring transitions mostly see the same letters.
        let mut at = 0;
        while at < targets.len() {
            let to = self.labels.letter(targets[at]);
            let steps = self.observer.step(q, letter, to);
            while at < targets.len() && self.labels.letter(targets[at]) == to {
                for &(p, marks) in steps {
                    out.push(Arc {
                        target: Node {
                            state: targets[at],
                            q: p,
                        },
                        marks,
                        group: Some(groups[at]),
                        stutters: letter == to,
                    });
                }
                at += 1;
            }
        }
        self.space.give_back(&mut groups, &mut targets);
        Ok(())
    }
}
