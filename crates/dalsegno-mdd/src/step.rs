//! The image under many events at once.
//!
//! Event by event, an image walks from the root down to the event's topmost level again and again. Here one walk goes
//! down, and events are fired from the nodes of their topmost levels: cost, the nodes times the events of
//! their level, instead of the nodes above times all events.

use crate::cache::{Op, key};
use crate::saturation::Task;
use crate::store::Node;
use crate::{Events, Manager, Set, Stop};

impl Manager {
    /// The vectors inside `within` that some event leads to from a set, in one step. Like
    /// [`Manager::saturate`], it knows nothing of events that always leave everything as it is.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    pub fn step_within(&mut self, set: &Set, events: &Events, within: &Set) -> Result<Set, Stop> {
        let (node, within) = (self.node(set), self.node(within));
        let op = Op::saturate(self.event_slot(events.id));
        let result = self
            .safe_point()
            .and_then(|()| self.step_node(events, op, within, node, 0));
        self.finish_image(result)
    }

    fn step_node(
        &mut self,
        events: &Events,
        op: Op,
        c: Node,
        node: Node,
        level: u32,
    ) -> Result<Node, Stop> {
        if node.is_leaf() || c == Node::EMPTY {
            return Ok(Node::EMPTY);
        }
        // Saturation by the same events has the number 0.
        let key = key(op, 1, c.0, node);
        if let Some(known) = self.cache.get(key) {
            return Ok(known);
        }
        self.tick()?;
        let task = Task::image();
        let base = self.rows.len();
        for i in 0..self.store.row_len(node) {
            let (value, child) = self.store.edge(node, i);
            let inner = self.below(c, value);
            let child = self.step_node(events, op, inner, child, level + 1)?;
            self.push_edge(value, child);
        }
        for &event in events.at(level) {
            for i in 0..self.store.row_len(node) {
                let (value, child) = self.store.edge(node, i);
                self.fire_general(&task, event, c, value, child, level, base, &mut 0)?;
            }
        }
        let result = self.make_node(base)?;
        self.cache.put(key, result);
        Ok(result)
    }
}
