//! The owner of diagrams, and handles to sets.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use crate::cache::{Cache, Op};
use crate::guard::{Comparison, Guard, Guards};
use crate::relation::{Local, Relation, Relations, Side, TableRow};
use crate::store::{Edge, Node, Store};

/// Why an operation gave up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Stop {
    /// The tables would have grown beyond the bytes granted.
    #[error("memory")]
    Memory,
    /// The interrupt said so.
    #[error("interrupted")]
    Interrupted,
    /// The steps granted by [`Manager::refuel`] were used up.
    #[error("fuel")]
    Fuel,
}

/// What a manager may use.
#[derive(Default)]
pub struct Limits {
    /// The most bytes that the tables may take; no limit if absent.
    pub bytes: Option<u64>,
    /// Asked every few thousand steps of an operation; `true` ends it with [`Stop::Interrupted`].
    pub interrupt: Option<Box<dyn Fn() -> bool + Send>>,
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// What a manager did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Nodes now.
    pub nodes: usize,
    /// The most nodes at a time.
    pub peak_nodes: usize,
    /// Look-ups in the operation cache.
    pub lookups: u64,
    /// How many of them found a result.
    pub hits: u64,
    /// Collections.
    pub collections: u64,
    /// Bytes of the tables now.
    pub bytes: u64,
    /// The most bytes of the tables at a time.
    pub peak_bytes: u64,
}

/// The owner of diagrams over a fixed number of levels.
///
/// Sets are quasi-reduced multi-valued diagrams: every path from a root names a value for every
/// level, level 0 first. There are no domains; a value exists when some set has it. Invariants:
///
/// 1. The node of a [`Set`] is alive as long as the handle is: its slot in `roots` is marked.
/// 2. Between two public calls `rows` and `keep` are empty. During one, every node that is needed
///    later is reachable from a root, from `rows`, from `keep`, or from an argument of a frame that
///    one of these protects; the frame that makes a node puts it into a row before it goes on.
/// 3. A collection happens at safe points only: where [`Manager::safe_point`] is called.
pub struct Manager {
    pub(crate) levels: u32,
    pub(crate) store: Store,
    pub(crate) cache: Cache,
    pub(crate) guards: Guards,
    pub(crate) relations: Relations,
    /// Which event set has which slot of the cache's operations.
    slots: Vec<u64>,
    pub(crate) event_sets: u64,
    /// Rows under construction, one above the other.
    pub(crate) rows: Vec<Edge>,
    /// Nodes to keep that no row holds.
    pub(crate) keep: Vec<Node>,
    /// Per row that is saturated and event, the time at which the event saw the row.
    pub(crate) seen: Vec<u32>,
    /// Successors of values under general relations, one list above the other.
    pub(crate) targets: Vec<(u32, Relation)>,
    roots: Arc<Roots>,
    limits: Limits,
    ticks: u32,
    /// Steps that are left, in units of [`TICKS`].
    fuel: u64,
    /// The number of nodes at which the next collection is due.
    threshold: usize,
    peak_nodes: usize,
    peak_bytes: u64,
    collections: u64,
}

/// A set of vectors, alive as long as this handle is.
///
/// Handles can be cloned and compared; equal handles of one manager are equal sets.
pub struct Set {
    node: Node,
    slot: u32,
    roots: Arc<Roots>,
}

#[derive(Default)]
struct Roots(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Roots {
    fn with<T>(&self, f: impl FnOnce(&mut Slots) -> T) -> T {
        // A slot is written in one step, so a panic elsewhere leaves the table whole.
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn hold(&self, node: Node) -> u32 {
        self.with(|slots| {
            if let Some(slot) = slots.free.pop() {
                slots.nodes[slot as usize] = node;
                return slot;
            }
            slots.nodes.push(node);
            (slots.nodes.len() - 1) as u32
        })
    }

    fn release(&self, slot: u32) {
        self.with(|slots| {
            slots.nodes[slot as usize] = Node::EMPTY;
            slots.free.push(slot);
        });
    }
}

impl Set {
    /// Whether there is no vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.node == Node::EMPTY
    }
}

impl Clone for Set {
    fn clone(&self) -> Self {
        Set {
            node: self.node,
            slot: self.roots.hold(self.node),
            roots: Arc::clone(&self.roots),
        }
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        self.roots.release(self.slot);
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.roots, &other.roots) && self.node == other.node
    }
}

impl Eq for Set {}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Set({})", self.node.0)
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager")
            .field("levels", &self.levels)
            .field("statistics", &self.statistics())
            .finish_non_exhaustive()
    }
}

/// Nodes below which collecting is not worth the while.
const FIRST_COLLECTION: usize = 1 << 16;

/// Steps between two looks at the interrupt.
const TICKS: u32 = 1 << 12;

impl Manager {
    /// A manager for vectors of so many values.
    #[must_use]
    pub fn new(levels: u32, limits: Limits) -> Self {
        Manager {
            levels,
            store: Store::new(),
            cache: Cache::new(),
            guards: Guards::new(),
            relations: Relations::new(),
            slots: vec![0],
            event_sets: 0,
            rows: Vec::new(),
            keep: Vec::new(),
            seen: Vec::new(),
            targets: Vec::new(),
            roots: Arc::default(),
            limits,
            ticks: TICKS,
            fuel: u64::MAX,
            threshold: FIRST_COLLECTION,
            peak_nodes: 0,
            peak_bytes: 0,
            collections: 0,
        }
    }

    /// The number of levels.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let (lookups, hits) = self.cache.statistics();
        Statistics {
            nodes: self.store.len(),
            peak_nodes: self.peak_nodes.max(self.store.len()),
            lookups,
            hits,
            collections: self.collections,
            bytes: self.bytes(),
            peak_bytes: self.peak_bytes.max(self.bytes()),
        }
    }

    /// Grants about so many steps, a step being the work on one pair of nodes; then an operation
    /// ends with [`Stop::Fuel`]. Unlike time, steps are the same on every machine.
    pub fn refuel(&mut self, steps: u64) {
        self.fuel = 1 + steps / u64::from(TICKS);
    }

    /// The bytes of all tables.
    fn bytes(&self) -> u64 {
        let stacks = self.rows.capacity() * size_of::<Edge>() + 4 * self.keep.capacity();
        self.store.bytes()
            + self.cache.bytes()
            + self.guards.bytes()
            + self.relations.bytes()
            + stacks as u64
    }

    /// The empty set.
    #[must_use]
    pub fn empty(&self) -> Set {
        self.root(Node::EMPTY)
    }

    /// The set of one vector.
    ///
    /// # Errors
    /// [`Stop::Memory`].
    ///
    /// # Panics
    /// If the vector does not have one value per level.
    pub fn singleton(&mut self, vector: &[u32]) -> Result<Set, Stop> {
        assert_eq!(vector.len(), self.levels as usize, "one value per level");
        let mut node = Node::ONE;
        for &value in vector.iter().rev() {
            node = self.make_single(value, node)?;
        }
        Ok(self.root(node))
    }

    /// Whether a set has a vector.
    #[must_use]
    pub fn contains(&self, set: &Set, vector: &[u32]) -> bool {
        let mut node = self.node(set);
        for &value in vector {
            node = self.store.child(node, value);
        }
        node == Node::ONE
    }

    /// Makes a row of one edge a node.
    pub(crate) fn make_single(&mut self, value: u32, child: Node) -> Result<Node, Stop> {
        let base = self.rows.len();
        self.push_edge(value, child);
        self.make_node(base)
    }

    /// The comparison of a weighted sum of levels with a constant, as a guard.
    ///
    /// The absolute values of the coefficients must add up to less than 2^31.
    pub fn compare(
        &mut self,
        terms: &[(u32, i64)],
        comparison: Comparison,
        constant: i64,
    ) -> Guard {
        self.guards.compare(terms, comparison, constant)
    }

    /// Membership in a set, as a guard. The set is kept as long as the manager.
    pub fn member(&mut self, set: &Set) -> Guard {
        let node = self.node(set);
        self.guards.member(0, node)
    }

    /// The guard that all of these hold.
    pub fn all(&mut self, guards: &[Guard]) -> Guard {
        self.guards.all(guards.iter().copied())
    }

    /// The guard that some of these hold.
    pub fn any(&mut self, guards: &[Guard]) -> Guard {
        self.guards.any(guards.iter().copied())
    }

    /// The event with these local parts, at most one per level; other levels stay as they are.
    ///
    /// It is kept implicit: no values are listed, whatever the diagrams hold.
    pub fn linear(&mut self, locals: &[Local]) -> Relation {
        self.relations.linear(locals)
    }

    /// The relation that is the union of rows.
    pub fn table(&mut self, rows: &[TableRow]) -> Relation {
        let mut rows: Vec<&[(u32, u32, u32)]> = rows.iter().map(Vec::as_slice).collect();
        self.relations.table(&mut rows)
    }

    /// The pairs of a relation whose source satisfies a guard.
    pub fn guarded(&mut self, relation: Relation, guard: Guard) -> Relation {
        self.relations
            .guarded(&self.guards, relation, guard, Side::Source)
    }

    /// The converse relation.
    pub fn inverse(&mut self, relation: Relation) -> Relation {
        self.relations.inverse(relation)
    }

    /// Drops all nodes that no handle needs.
    pub fn collect(&mut self) {
        self.peak_nodes = self.peak_nodes.max(self.store.len());
        self.peak_bytes = self.peak_bytes.max(self.bytes());
        let held = self.roots.with(|slots| slots.nodes.clone());
        let rows = self.rows.iter().map(|edge| edge.child);
        let kept = self.keep.iter().copied().chain(self.guards.members());
        let marks = self.store.mark(held.into_iter().chain(rows).chain(kept));
        self.store.sweep(&marks);
        self.cache.sweep(&marks);
        self.collections += 1;
        self.threshold = (2 * self.store.len()).max(FIRST_COLLECTION);
    }

    /// A place where a collection may happen.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    #[inline]
    pub(crate) fn safe_point(&mut self) -> Result<(), Stop> {
        if self.store.len() >= self.threshold {
            self.collect();
        }
        self.tick()
    }

    /// Counts a step, and asks the interrupt now and then.
    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Stop> {
        self.ticks -= 1;
        if self.ticks == 0 {
            self.look_up()
        } else {
            Ok(())
        }
    }

    #[cold]
    fn look_up(&mut self) -> Result<(), Stop> {
        self.ticks = TICKS;
        self.fuel -= 1;
        if self.fuel == 0 {
            self.fuel = u64::MAX;
            return Err(Stop::Fuel);
        }
        if self.limits.interrupt.as_ref().is_some_and(|stop| stop()) {
            return Err(Stop::Interrupted);
        }
        Ok(())
    }

    /// Pushes an edge to the row on top; edges to the empty set are left out.
    #[inline]
    pub(crate) fn push_edge(&mut self, value: u32, child: Node) {
        if child != Node::EMPTY {
            self.rows.push(Edge {
                value,
                child,
                stamp: 0,
            });
        }
    }

    /// Makes the row above `base` a node, and takes it off.
    #[inline]
    pub(crate) fn make_node(&mut self, base: usize) -> Result<Node, Stop> {
        if 2 * self.store.len() > self.cache.len() {
            self.widen_cache();
        }
        let limit = self.limits.bytes.map_or(u64::MAX, |bytes| {
            bytes.saturating_sub(self.cache.bytes() + self.guards.bytes())
        });
        let node = self.store.make(&self.rows[base..], limit);
        self.rows.truncate(base);
        node
    }

    /// Doubles the cache, unless that would take more than a quarter of the memory.
    #[cold]
    fn widen_cache(&mut self) {
        let limit = self.limits.bytes.unwrap_or(u64::MAX);
        if self.cache.bytes() <= limit / 8 && self.cache.len() < 1 << 26 {
            self.cache.double();
        }
    }

    /// A handle of a node.
    #[inline]
    pub(crate) fn root(&self, node: Node) -> Set {
        Set {
            node,
            slot: self.roots.hold(node),
            roots: Arc::clone(&self.roots),
        }
    }

    /// The node of a handle.
    ///
    /// # Panics
    /// If the set belongs to another manager.
    #[inline]
    pub(crate) fn node(&self, set: &Set) -> Node {
        let own = Arc::ptr_eq(&self.roots, &set.roots);
        assert!(own, "a set is used with the manager that made it");
        set.node
    }

    /// Leaves the stacks as they were found, after an operation that gave up.
    pub(crate) fn finish(&mut self, result: Result<Node, Stop>) -> Result<Set, Stop> {
        self.rows.clear();
        self.keep.clear();
        self.seen.clear();
        self.targets.clear();
        result.map(|node| self.root(node))
    }

    /// The slot of an event set's results in the cache.
    pub(crate) fn event_slot(&mut self, id: u64) -> u8 {
        if let Some(slot) = self.slots.iter().position(|&held| held == id) {
            return slot as u8;
        }
        if self.slots.len() < Op::EVENT_SETS {
            self.slots.push(id);
            return (self.slots.len() - 1) as u8;
        }
        // Slot 0 is for images without events; the others are used again in turn.
        let slot = 1 + (id as usize) % (Op::EVENT_SETS - 1);
        self.slots[slot] = id;
        let slot = slot as u8;
        self.cache.forget([Op::saturate(slot), Op::fire(slot)]);
        slot
    }
}
