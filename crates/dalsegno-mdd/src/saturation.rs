//! Images and saturation: firing events inside diagrams.
//!
//! Ciardo, Lüttgen, Siminiceanu: *Saturation: an efficient iteration strategy for symbolic state
//! space generation* (TACAS 2001), with values that appear as they are found (Ciardo, Marmorstein,
//! Siminiceanu, TACAS 2003), and its constrained form (Zhao, Ciardo, ATVA 2009). An event belongs
//! to the topmost level that it names. A node is saturated when no event of its level or below adds
//! anything to it; nodes are saturated bottom-up, and what an event adds is saturated before it is
//! united. Events are kept implicit or as tables, see `relation.rs`.
//!
//! Ours differs in the order of work on one row. Events take turns; an event that adds tokens is
//! fired up the row and one that takes them down the row, so that one pass carries a token as far as
//! the event can, and only from edges that changed since its last turn. On long rows this is what
//! decides: firing all events value by value does a hundred times the work on kanban 100.
//!
//! The image under one relation is the same walk with no events to saturate by.

use std::sync::Arc;

use crate::cache::{Op, key};
use crate::learn::Teacher;
use crate::relation::{Relation, Shape, moved};
use crate::store::{Edge, Node};
use crate::{Manager, Set, Stop};

/// Events to saturate by, sorted by level.
///
/// Made by [`Manager::events`]; clones are the same events.
#[derive(Clone, Debug)]
pub struct Events {
    /// Per level, the relations whose topmost level it is.
    by_level: Arc<[Vec<Relation>]>,
    pub(crate) id: u64,
}

impl Events {
    #[inline]
    pub(crate) fn at(&self, level: u32) -> &[Relation] {
        self.by_level.get(level as usize).map_or(&[], Vec::as_slice)
    }
}

/// What stays the same during one saturation.
pub(crate) struct Task<'t> {
    events: Events,
    fire: Op,
    saturate: Op,
    teacher: Option<&'t dyn Teacher>,
}

impl Task<'_> {
    /// Nothing is saturated: a relation is fired once.
    pub(crate) fn image() -> Self {
        Task {
            events: Events {
                by_level: Arc::new([]),
                id: 0,
            },
            fire: Op::fire(0),
            saturate: Op::saturate(0),
            teacher: None,
        }
    }
}

impl Manager {
    /// Events to saturate by.
    pub fn events(&mut self, relations: &[Relation]) -> Events {
        let mut by_level = vec![Vec::new(); self.levels as usize];
        for &relation in relations {
            if let Some(list) = by_level.get_mut(self.relations.level(relation) as usize) {
                list.push(relation);
            }
        }
        for list in &mut by_level {
            list.sort_unstable();
            list.dedup();
        }
        self.event_sets += 1;
        Events {
            by_level: by_level.into(),
            id: self.event_sets,
        }
    }

    /// The targets of a relation whose source lies in a set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn image(&mut self, set: &Set, relation: Relation) -> Result<Set, Stop> {
        let node = self.node(set);
        let task = Task::image();
        let result = self
            .safe_point()
            .and_then(|()| self.fire(&task, relation, Node::ANY, node, 0));
        self.finish_image(result)
    }

    /// The sources of a relation whose target lies in a set.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn preimage(&mut self, set: &Set, relation: Relation) -> Result<Set, Stop> {
        let inverse = self.inverse(relation);
        self.image(set, inverse)
    }

    /// The vectors that events lead to from a set, any number of times, the set included.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn saturate(&mut self, set: &Set, events: &Events) -> Result<Set, Stop> {
        let node = self.node(set);
        self.saturate_within(node, events, Node::ANY, None)
    }

    /// As [`Manager::saturate`], asking functions for what events do.
    pub(crate) fn saturate_learning(
        &mut self,
        set: &Set,
        events: &Events,
        teacher: &dyn Teacher,
    ) -> Result<Set, Stop> {
        let node = self.node(set);
        self.saturate_within(node, events, Node::ANY, Some(teacher))
    }

    /// The vectors that events lead to from a set inside `within`: every step but the empty one
    /// ends there. Vectors of the set stay, whether they are inside or not.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn constrained(&mut self, set: &Set, events: &Events, within: &Set) -> Result<Set, Stop> {
        let (node, within) = (self.node(set), self.node(within));
        if within == Node::EMPTY {
            return Ok(set.clone());
        }
        self.saturate_within(node, events, within, None)
    }

    fn saturate_within(
        &mut self,
        node: Node,
        events: &Events,
        c: Node,
        teacher: Option<&dyn Teacher>,
    ) -> Result<Set, Stop> {
        let slot = self.event_slot(events.id);
        let task = Task {
            events: events.clone(),
            fire: Op::fire(slot),
            saturate: Op::saturate(slot),
            teacher,
        };
        let result = self
            .safe_point()
            .and_then(|()| self.saturate_node(&task, c, node, 0));
        self.finish_image(result)
    }

    /// The child of a constraint; no constraint has no constraint below.
    #[inline]
    pub(crate) fn below(&self, constraint: Node, value: u32) -> Node {
        if constraint == Node::ANY {
            Node::ANY
        } else {
            self.store.child(constraint, value)
        }
    }

    /// Saturates a node by the events of its level and below; targets lie in `c`.
    fn saturate_node(
        &mut self,
        task: &Task<'_>,
        c: Node,
        node: Node,
        level: u32,
    ) -> Result<Node, Stop> {
        if node.is_leaf() || c == Node::EMPTY {
            return Ok(node);
        }
        let key = key(task.saturate, 0, c.0, node);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let base = self.rows.len();
        for i in 0..self.store.row_len(node) {
            let (value, child) = self.store.edge(node, i);
            let inner = self.below(c, value);
            let child = self.saturate_node(task, inner, child, level + 1)?;
            self.push_edge(value, child);
        }
        self.saturate_row(task, c, base, level)?;
        let result = self.make_node(base)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// The targets of a relation from a node, saturated by the events of its level and below.
    ///
    /// The node is saturated already, if there are events.
    pub(crate) fn fire(
        &mut self,
        task: &Task<'_>,
        relation: Relation,
        c: Node,
        node: Node,
        level: u32,
    ) -> Result<Node, Stop> {
        if node == Node::EMPTY || relation == Relation::EMPTY || c == Node::EMPTY {
            return Ok(Node::EMPTY);
        }
        if relation == Relation::IDENTITY {
            return self.enter(task, c, node, level);
        }
        let key = key(task.fire, relation.0, c.0, node);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let base = self.rows.len();
        if self.relations.level(relation) > level {
            for i in 0..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                let inner = self.below(c, value);
                let child = self.fire(task, relation, inner, child, level + 1)?;
                self.push_edge(value, child);
            }
        } else if let Shape::Linear {
            from,
            to,
            delta,
            rest,
        } = *self.relations.shape(relation)
        {
            let first = self.store.position(node, from);
            for i in first..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                if value > to {
                    break;
                }
                let target = moved(value, delta)?;
                let inner = self.below(c, target);
                let child = self.fire(task, rest, inner, child, level + 1)?;
                self.push_edge(target, child);
            }
        } else {
            for i in 0..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                self.fire_general(task, relation, c, value, child, level, base, &mut 0)?;
            }
        }
        self.saturate_row(task, c, base, level)?;
        let result = self.make_node(base)?;
        self.cache.put(key, result);
        Ok(result)
    }

    /// A node that comes to stand under another constraint, where nothing else is done to it.
    fn enter(&mut self, task: &Task<'_>, c: Node, node: Node, level: u32) -> Result<Node, Stop> {
        if c == Node::ANY {
            return Ok(node);
        }
        let inside = self.intersect(node, c)?;
        if task.events.by_level.is_empty() {
            return Ok(inside);
        }
        self.keep.push(inside);
        let result = self.saturate_node(task, c, inside, level)?;
        self.keep.pop();
        Ok(result)
    }

    /// Fires a relation of any shape from one value into the row above `base`.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one row of one walk"
    )]
    pub(crate) fn fire_general(
        &mut self,
        task: &Task<'_>,
        relation: Relation,
        c: Node,
        value: u32,
        child: Node,
        level: u32,
        base: usize,
        clock: &mut u32,
    ) -> Result<(), Stop> {
        let start = self.targets.len();
        self.successors_of(relation, level, value)?;
        for i in start..self.targets.len() {
            let (target, rest) = self.targets[i];
            let inner = self.below(c, target);
            let result = self.fire(task, rest, inner, child, level + 1)?;
            self.add_edge(base, target, result, clock)?;
        }
        self.targets.truncate(start);
        Ok(())
    }

    /// Appends where a value may go under a relation to `targets`.
    pub(crate) fn successors_of(
        &mut self,
        relation: Relation,
        level: u32,
        value: u32,
    ) -> Result<(), Stop> {
        let store = &self.store;
        let child = |node, value| store.child(node, value);
        let targets = &mut self.targets;
        self.relations
            .successors(&mut self.guards, &child, relation, level, value, targets)
    }

    /// Unites a child into the row above `base`; whether that changed the row.
    fn add_edge(
        &mut self,
        base: usize,
        value: u32,
        child: Node,
        clock: &mut u32,
    ) -> Result<bool, Stop> {
        if child == Node::EMPTY {
            return Ok(false);
        }
        let row = &self.rows[base..];
        let at = base + row.partition_point(|edge| edge.value < value);
        match self.rows.get(at) {
            Some(edge) if edge.value == value => {
                let old = edge.child;
                let new = self.unite(old, child)?;
                if new == old {
                    return Ok(false);
                }
                let edge = &mut self.rows[at];
                *clock = clock.checked_add(1).ok_or(Stop::Memory)?;
                edge.child = new;
                edge.stamp = *clock;
            }
            _ => {
                *clock = clock.checked_add(1).ok_or(Stop::Memory)?;
                let edge = Edge {
                    value,
                    child,
                    stamp: *clock,
                };
                self.rows.insert(at, edge);
            }
        }
        Ok(true)
    }

    /// Fires the events of a level in the row above `base` until nothing is added.
    ///
    /// Every change of an edge is stamped by a clock. An event that has seen the row at some time
    /// is fired from the edges with a later stamp only.
    fn saturate_row(
        &mut self,
        task: &Task<'_>,
        c: Node,
        base: usize,
        level: u32,
    ) -> Result<(), Stop> {
        let events = task.events.at(level);
        if events.is_empty() {
            return Ok(());
        }
        let seen = self.seen.len();
        self.seen.resize(seen + events.len(), 0);
        let mut clock = 1;
        for edge in &mut self.rows[base..] {
            edge.stamp = clock;
        }
        let mut idle = 0;
        let mut turn = 0;
        while idle < events.len() {
            let since = self.seen[seen + turn];
            if since < clock {
                let before = clock;
                let chained =
                    self.fire_event(task, events[turn], c, base, level, since, &mut clock)?;
                self.seen[seen + turn] = if chained { clock } else { before };
                idle = if clock == before {
                    idle + 1
                } else {
                    usize::from(chained)
                };
            } else {
                idle += 1;
            }
            turn = (turn + 1) % events.len();
        }
        self.seen.truncate(seen);
        Ok(())
    }

    /// Fires one event from the edges above `base` that changed since a time; whether it was fired
    /// from what it changed, too.
    ///
    /// An event that adds to the value goes up the row, one that takes goes down, so that one pass
    /// carries a value as far as the event can.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one row of one walk"
    )]
    fn fire_event(
        &mut self,
        task: &Task<'_>,
        event: Relation,
        c: Node,
        base: usize,
        level: u32,
        since: u32,
        clock: &mut u32,
    ) -> Result<bool, Stop> {
        let Shape::Linear {
            from,
            to,
            delta,
            rest,
        } = *self.relations.shape(event)
        else {
            return self.fire_any(task, event, c, base, level, since, clock);
        };
        let row = &self.rows[base..];
        let mut at = base
            + if delta >= 0 {
                row.partition_point(|edge| edge.value < from)
            } else {
                row.partition_point(|edge| edge.value <= to)
            };
        loop {
            if delta >= 0 {
                if at >= self.rows.len() || self.rows[at].value > to {
                    break;
                }
            } else {
                if at <= base || self.rows[at - 1].value < from {
                    break;
                }
                at -= 1;
            }
            let Edge {
                value,
                child,
                stamp,
            } = self.rows[at];
            if stamp > since {
                self.safe_point()?;
                let target = moved(value, delta)?;
                let inner = self.below(c, target);
                let result = self.fire(task, rest, inner, child, level + 1)?;
                let old = self.rows.len();
                if self.add_edge(base, target, result, clock)? {
                    // An edge below came in: this one moved up.
                    at += usize::from(delta < 0 && self.rows.len() != old);
                    // An edge that feeds itself is fired again.
                    if delta == 0 {
                        continue;
                    }
                }
            }
            at += usize::from(delta >= 0);
        }
        Ok(true)
    }

    /// Fires an event of any shape, going up the row.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one row of one walk"
    )]
    fn fire_any(
        &mut self,
        task: &Task<'_>,
        event: Relation,
        c: Node,
        base: usize,
        level: u32,
        since: u32,
        clock: &mut u32,
    ) -> Result<bool, Stop> {
        let mut at = base;
        while at < self.rows.len() {
            let Edge {
                value,
                child,
                stamp,
            } = self.rows[at];
            if stamp > since {
                self.safe_point()?;
                // The edge may change while the old child is still being worked on.
                self.keep.push(child);
                if let (Some(teacher), &Shape::Learned(number)) =
                    (task.teacher, self.relations.shape(event))
                {
                    teacher.teach(self, number, value, child, level)?;
                }
                self.fire_general(task, event, c, value, child, level, base, clock)?;
                self.keep.pop();
                let row = &self.rows[base..];
                at = base + row.partition_point(|edge| edge.value < value);
            }
            at += 1;
        }
        Ok(false)
    }
}
