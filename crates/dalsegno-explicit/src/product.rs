//! The product of a state space with an observer, on the fly.
//!
//! P12 appendix A and P15 Def. 6: a node is a pair of a model state and an automaton state; a transition
//! is a step of the model together with a step of the automaton, which sees the letters before and after.
//! What a dead end does is a parameter: it repeats itself for ever, or it ends a path that does not count.

use dalsegno_automata::Marks;
use dalsegno_automata::observer::Kind;
use dalsegno_kripke::{Budget, DeadEnds, Fairness, GroupId};

use crate::nodes::Node;
use crate::space::{Error, Space, StateId};
use crate::stubborn::choice::{At, Choice, Stubborn};
use crate::view::View;

/// A transition of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it goes.
    pub target: Node,
    /// The marks that it carries.
    pub marks: Marks,
    /// The group of the model, or `None` for the repetition of a dead end.
    pub group: Option<GroupId>,
    /// Whether no observed proposition changes.
    pub stutters: bool,
}

/// A product as far as it is known: a store and a view of it, for as long as both are lent.
pub struct Product<'a> {
    space: &'a mut Space,
    view: &'a mut View,
}

impl<'a> Product<'a> {
    /// The product of the states of a store with the observer of a view.
    #[must_use]
    pub fn new(space: &'a mut Space, view: &'a mut View) -> Self {
        Product { space, view }
    }

    /// The model's side.
    #[must_use]
    pub fn space(&self) -> &Space {
        self.space
    }

    /// The marks that an accepting cycle carries.
    #[must_use]
    pub fn all_marks(&self) -> Marks {
        self.view.moves.observer.all_marks()
    }

    /// Which runs count.
    #[must_use]
    pub fn fairness(&self) -> &Fairness {
        &self.view.fairness
    }

    /// Whether the observer is a TA, with its two kinds of acceptance.
    #[must_use]
    pub fn is_ta(&self) -> bool {
        self.view.moves.is_ta()
    }

    /// Whether a node may stay for ever if nothing changes.
    pub fn is_livelock(&mut self, node: Node) -> bool {
        self.view.moves.observer.is_livelock(node.q)
    }

    /// Whether the automaton state of a node has no way out but stuttering.
    #[must_use]
    pub fn is_trap(&self, node: Node) -> bool {
        self.view.moves.observer.is_trap(node.q)
    }

    /// Whether there are observer states that accept whatever comes next.
    pub fn has_universal(&mut self) -> bool {
        self.view.moves.observer.has_universal()
    }

    /// Whether the observer accepts whatever comes after a node.
    pub fn is_universal(&mut self, node: Node) -> bool {
        self.view.moves.observer.is_universal(node.q)
    }

    /// Whether the observer accepts whatever comes after the state of a node. Automata over letters know that one step
    /// after the state; testing automata know it as soon as they are there.
    pub fn is_decided(&mut self, node: Node) -> bool {
        if self.is_universal(node) {
            return true;
        }
        let letters = matches!(self.view.moves.observer.kind(), Kind::Tgba | Kind::Ba);
        if !letters {
            return false;
        }
        let letter = self.view.labels.letter(self.space, node.state);
        let after: Vec<_> = {
            let steps = self.view.moves.observer.step(node.q, letter, letter);
            steps.iter().map(|&(q, _)| q).collect()
        };
        after
            .into_iter()
            .any(|q| self.view.moves.observer.is_universal(q))
    }

    /// How many automaton states to expect: those there are, or a few if they are not known yet.
    #[must_use]
    pub fn automaton_states(&self) -> usize {
        self.view.moves.observer.expected_len()
    }

    /// The bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.space.bytes() + self.view.bytes()
    }

    /// The initial nodes.
    pub fn initial(&mut self) -> Vec<Node> {
        let mut found = Vec::new();
        for &state in self.space.initial() {
            let letter = self.view.labels.letter(self.space, state);
            for &(q, _) in self.view.moves.observer.initial(letter) {
                let node = Node { state, q };
                if !found.contains(&node) {
                    found.push(node);
                }
            }
        }
        found
    }

    /// Forgets that states were left out.
    pub(crate) fn start(&mut self) {
        self.view.pruned = false;
    }

    /// Leaves out, from now on, states with a value that needs more than so many bits; `None` leaves nothing out.
    pub(crate) fn set_cap(&mut self, bits: Option<u32>) {
        self.space.set_cap(bits);
    }

    /// Whether the last search has left out a state because of a large value.
    #[must_use]
    pub fn is_pruned(&self) -> bool {
        self.view.pruned
    }

    /// The propositions that a group can change, as bits.
    #[must_use]
    pub fn touched(&self, group: GroupId) -> u64 {
        self.view.labels.touched(group)
    }

    /// Appends the transitions that leave a node.
    ///
    /// # Errors
    /// As [`Space::successors`].
    pub fn successors(
        &mut self,
        from: Node,
        budget: &Budget,
        out: &mut Vec<Edge>,
    ) -> Result<(), Error> {
        let (groups, targets) = self.space.take_successors(from.state, budget)?;
        if targets.is_empty() {
            self.repeat(from, out);
        }
        self.observe(from, groups, targets, out);
        Ok(())
    }

    /// Appends the transitions that leave a node to states that have numbers; no state gets one.
    ///
    /// # Errors
    /// As [`Space::successors`].
    pub fn known_successors(
        &mut self,
        from: Node,
        budget: &Budget,
        out: &mut Vec<Edge>,
    ) -> Result<(), Error> {
        let (groups, targets, dead_end) = self.space.take_known(from.state, budget)?;
        if dead_end {
            self.repeat(from, out);
        }
        self.observe(from, groups, targets, out);
        Ok(())
    }

    /// Appends the groups that [`Product::fire`] may be asked for at a node.
    pub fn enabled(&self, node: Node, out: &mut Vec<GroupId>) {
        self.space.enabled_groups(node.state, out);
    }

    /// Appends the groups that are enabled at a node, each of them.
    pub(crate) fn list_enabled(&mut self, node: Node, out: &mut Vec<GroupId>) {
        self.space.list_enabled(node.state, out);
    }

    /// What chooses stubborn sets in this product, at random if there is a seed; nothing if only fair runs count.
    pub(crate) fn stubborn(&mut self, seed: Option<u64>) -> Option<Box<Stubborn>> {
        let labelling = &self.view.moves.labelling;
        let all_count = self.view.fairness.is_none();
        all_count.then(|| {
            let relations = self.space.relations();
            let model = self.space.model();
            Box::new(Stubborn::new(model, &relations, labelling, seed))
        })
    }

    /// Whether a stubborn set of a node may leave something out.
    #[inline]
    pub(crate) fn may_reduce(&mut self, node: Node, stubborn: &Stubborn) -> bool {
        let letter = self.view.labels.letter(self.space, node.state);
        stubborn.may_reduce(&mut self.view.moves.observer, node.q, letter)
    }

    /// Chooses which of the groups of [`Product::list_enabled`] are fired, and brings them into that order.
    pub(crate) fn choose(
        &mut self,
        node: Node,
        stubborn: &mut Stubborn,
        groups: &mut [GroupId],
    ) -> Choice {
        stubborn.choose(self.at(node), groups)
    }

    /// As [`Product::choose`] where no node is released: how many of the groups are fired.
    pub(crate) fn choose_alone(
        &mut self,
        node: Node,
        stubborn: &mut Stubborn,
        groups: &mut [GroupId],
    ) -> usize {
        stubborn.choose_alone(self.at(node), groups)
    }

    /// How many more of the groups of a node, of which the first ones were fired, are fired when it is released; brings them in front
    /// of the others.
    pub(crate) fn release(
        &mut self,
        node: Node,
        stubborn: &mut Stubborn,
        groups: &mut [GroupId],
        fired: usize,
    ) -> usize {
        stubborn.release(self.at(node), groups, fired)
    }

    fn at(&mut self, node: Node) -> At<'_> {
        let letter = self.view.labels.letter(self.space, node.state);
        At {
            here: self.space.here(node.state),
            q: node.q,
            letter,
            observer: &mut self.view.moves.observer,
        }
    }

    /// Appends the transitions that leave a node by some of its enabled groups, or the repetition of a
    /// dead end if there are none.
    ///
    /// # Errors
    /// As [`Space::successors`].
    pub fn fire(
        &mut self,
        from: Node,
        groups: &[GroupId],
        budget: &Budget,
        out: &mut Vec<Edge>,
    ) -> Result<(), Error> {
        if groups.is_empty() {
            self.repeat(from, out);
            return Ok(());
        }
        let (groups, targets) = self.space.take_steps(from.state, groups, budget)?;
        if targets.is_empty() {
            self.repeat(from, out);
        }
        self.observe(from, groups, targets, out);
        Ok(())
    }

    /// Appends the transitions that leave a node by an enabled group, if all of them lead to states that have numbers; whether they do.
    pub(crate) fn known_steps(&mut self, from: Node, group: GroupId, out: &mut Vec<Edge>) -> bool {
        let known = self.space.take_known_steps(from.state, group);
        let all = known.is_some();
        if let Some((groups, targets)) = known {
            // A look leaves nothing out of the search.
            let pruned = self.view.pruned;
            self.observe(from, groups, targets, out);
            self.view.pruned = pruned;
        }
        all
    }

    /// A dead end does not change.
    fn repeat(&mut self, from: Node, out: &mut Vec<Edge>) {
        if self.view.moves.dead_ends != DeadEnds::Stutter {
            return;
        }
        let Node { state, q } = from;
        let letter = self.view.labels.letter(self.space, state);
        for &(p, marks) in self.view.moves.observer.step(q, letter, letter) {
            out.push(Edge {
                target: Node { state, q: p },
                marks,
                group: None,
                stutters: true,
            });
        }
    }

    /// Appends what the observer does while the model takes these steps, and returns the buffers.
    fn observe(
        &mut self,
        from: Node,
        mut groups: Vec<GroupId>,
        mut targets: Vec<StateId>,
        out: &mut Vec<Edge>,
    ) {
        let Node { state, q } = from;
        let (space, view) = (&mut *self.space, &mut *self.view);
        let labels = &mut view.labels;
        let own = labels.number(space, state);
        let letter = labels.by_number(own);
        // Neighbouring transitions mostly see the same letters.
        let mut seen = 0;
        let mut steps: &[(dalsegno_automata::StateId, Marks)] = &[];
        for (&group, &target) in groups.iter().zip(&targets) {
            let to = labels.number_after(space, letter, group, target);
            if to != seen {
                seen = to;
                steps = view.moves.observer.step(q, letter, labels.by_number(to));
            }
            if space.is_large(target) {
                view.pruned = true;
                continue;
            }
            for &(p, marks) in steps {
                out.push(Edge {
                    target: Node {
                        state: target,
                        q: p,
                    },
                    marks,
                    group: Some(group),
                    stutters: own == to,
                });
            }
        }
        space.give_back(&mut groups, &mut targets);
    }
}
