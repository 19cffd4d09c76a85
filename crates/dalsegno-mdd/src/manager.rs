//! The owner of diagrams, and handles to sets.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cache::{Cache, Op};
use crate::guard::{Comparison, Guard, Guards, Weight};
use crate::relation::{Local, Relation, Relations, Side, TableRow};
use crate::set::Roots;
use crate::store::{Edge, Node, Store};
use crate::{Limits, Set, Statistics, Stop};

/// The owner of diagrams over a fixed number of levels.
///
/// Sets are quasi-reduced multi-valued diagrams: every path from a root names a value for every
/// level, level 0 first. There are no domains; a value exists when some set has it. Invariants:
///
/// 1. The node of a [`Set`] is alive as long as the handle is: its slot in `roots` is marked.
/// 2. Between two public calls `rows` and `keep` are empty. During one, every node that is needed
///    later is reachable from a root, from `rows`, from `keep`, or from an argument of a frame that
///    one of these protects; the frame that makes a node puts it into a row before it goes on.
/// 3. A collection happens at safe points only: where `safe_point` is called.
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
    /// The numbers of the lists of levels that were projected on.
    pub(crate) projections: FxHashMap<Box<[u32]>, u32>,
    roots: Arc<Roots>,
    limits: Limits,
    ticks: u32,
    /// Work of callers since the interrupt was asked.
    unwatched: u64,
    /// Steps that are left, in units of [`TICKS`].
    fuel: u64,
    /// The bytes that the nodes may take, as of the last look at the other tables.
    room: u64,
    /// The number of nodes below which collecting is not worth the while.
    first_collection: usize,
    /// The number of nodes that the last collection left.
    left: usize,
    /// The number of nodes at which the next collection is due.
    threshold: usize,
    peak_nodes: usize,
    peak_bytes: u64,
    collections: u64,
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
const FIRST_COLLECTION: usize = 1 << 20;

/// Nodes beyond which debug builds do not check the invariants on their own.
const MOST_CHECKED: usize = 1 << 10;

/// Bytes of a node with a row of one edge, its entry and its bucket.
const LEAST_BYTES_PER_NODE: u64 = 32;

/// Bytes of nodes beyond which memory is worth more than time.
const LARGE: u64 = 1 << 28;

/// Steps between two looks at the interrupt.
const TICKS: u32 = 1 << 12;

impl Manager {
    /// A manager for vectors of so many values.
    #[must_use]
    pub fn new(levels: u32, limits: Limits) -> Self {
        let mut manager = Manager {
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
            projections: FxHashMap::default(),
            roots: Arc::default(),
            limits,
            ticks: TICKS,
            unwatched: 0,
            fuel: u64::MAX,
            room: 0,
            first_collection: FIRST_COLLECTION,
            left: 0,
            threshold: FIRST_COLLECTION,
            peak_nodes: 0,
            peak_bytes: 0,
            collections: 0,
        };
        manager.plan();
        manager
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
        self.ticks = TICKS;
        self.fuel = 1 + steps / u64::from(TICKS);
    }

    /// Works within other limits from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.plan();
    }

    /// The bytes of all tables.
    fn bytes(&self) -> u64 {
        self.store.bytes() + self.bytes_besides()
    }

    /// The bytes of all tables but that of the nodes.
    fn bytes_besides(&self) -> u64 {
        let rows = self.rows.capacity() * size_of::<Edge>();
        let stacks = rows + 4 * self.keep.capacity() + 4 * self.seen.capacity();
        let targets = self.targets.capacity() * size_of::<(u32, Relation)>();
        self.cache.bytes()
            + self.guards.bytes()
            + self.relations.bytes()
            + (stacks + targets) as u64
    }

    /// Whether a table that lives as long as one call may take so many bytes.
    ///
    /// # Errors
    /// [`Stop::Memory`].
    pub(crate) fn afford(&self, bytes: u64) -> Result<(), Stop> {
        match self.limits.bytes {
            Some(limit) if self.bytes().saturating_add(bytes) > limit => Err(Stop::Memory),
            _ => Ok(()),
        }
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

    /// The comparison of a sum of what each level's value weighs with a constant, as a guard.
    ///
    /// The absolute values of all weights must add up to less than 2^31.
    ///
    /// # Panics
    /// If a level comes twice.
    pub fn compare_by(
        &mut self,
        terms: Vec<(u32, Weight)>,
        comparison: Comparison,
        constant: i64,
    ) -> Guard {
        let mut levels: Vec<u32> = terms.iter().map(|term| term.0).collect();
        levels.sort_unstable();
        let once = levels.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(once, "a level weighs once");
        self.guards.compare_by(terms, comparison, constant)
    }

    /// Membership in a set, as a guard. The set is kept as long as the manager.
    pub fn member(&mut self, set: &Set) -> Guard {
        let node = self.node(set);
        self.guards.member(0, node)
    }

    /// Whether the values of some levels are one of these lists, as a guard; or whether they are
    /// none of them. The lists are kept as long as the manager.
    ///
    /// # Errors
    /// [`Stop`], if memory runs out or the interrupt says so.
    ///
    /// # Panics
    /// If the levels do not ascend, one is of a level that the manager does not have, or a list
    /// has another length.
    pub fn listed(
        &mut self,
        levels: &[u32],
        lists: &[Vec<u32>],
        listed: bool,
    ) -> Result<Guard, Stop> {
        let ascends = levels.windows(2).all(|pair| pair[0] < pair[1]);
        let known = levels.last().is_none_or(|&last| last < self.levels);
        assert!(ascends && known, "levels of the manager, ascending");
        let long = lists.iter().all(|list| list.len() == levels.len());
        assert!(long, "one value per level");
        let set = self.short_set(lists)?;
        Ok(self.listed_in(levels, &set, listed))
    }

    /// As [`Manager::listed`], for a set of vectors over the levels.
    pub(crate) fn listed_in(&mut self, levels: &[u32], set: &Set, listed: bool) -> Guard {
        let node = self.node(set);
        self.guards.listed(levels, node, listed)
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
    /// It is kept implicit: no values are listed, whatever the diagrams hold. An event is not
    /// enabled where a value would become negative; where one would exceed 32 bits, operations
    /// end with [`Stop::Memory`].
    ///
    /// # Panics
    /// If two parts are of one level, or one of a level that the manager does not have.
    pub fn linear(&mut self, locals: &[Local]) -> Relation {
        self.relations.linear(locals, self.levels)
    }

    /// The relation that is the union of rows.
    ///
    /// # Panics
    /// If the levels of a row do not ascend, or one is of a level that the manager does not have.
    pub fn table(&mut self, rows: &[TableRow]) -> Relation {
        for row in rows {
            let ascends = row.windows(2).all(|pair| pair[0].0 < pair[1].0);
            let known = row.last().is_none_or(|part| part.0 < self.levels);
            assert!(ascends && known, "levels of the manager, ascending");
        }
        let mut rows: Vec<&[(u32, u32, u32)]> = rows.iter().map(Vec::as_slice).collect();
        self.relations.table(&mut rows)
    }

    /// As [`Manager::table`], for vectors whose levels have no other values than these, ascending,
    /// where they are given: a level that may have any of them and is left as it is need not be looked at.
    ///
    /// # Panics
    /// As [`Manager::table`].
    pub fn table_over(&mut self, rows: &[TableRow], values: &[Option<Vec<u32>>]) -> Relation {
        let table = self.table(rows);
        self.relations.widened(table, values)
    }

    /// The relation that is the union of relations.
    ///
    /// Unions of tables are tables again. Of other shapes it is fired part by part, so it is worth
    /// the while only where one relation is needed.
    pub fn any_of(&mut self, relations: &[Relation]) -> Relation {
        let mut united = Relation::EMPTY;
        for &relation in relations {
            united = self.relations.unite(united, relation);
        }
        united
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
        let held = self.roots.nodes();
        let rows = self.rows.iter().map(|edge| edge.child);
        let kept = self.keep.iter().copied().chain(self.guards.members());
        let marks = self.store.mark(held.into_iter().chain(rows).chain(kept));
        self.store.sweep(&marks);
        self.cache.sweep(&marks);
        self.collections += 1;
        self.left = self.store.len();
        self.plan();
        if cfg!(debug_assertions) && self.store.len() < MOST_CHECKED {
            self.check_invariants();
        }
    }

    /// Drops all nodes that no handle needs, forgets all results, and gives memory back: worth the while
    /// between building sets and asking about them.
    pub fn tidy(&mut self) {
        self.cache = Cache::with_counts(self.cache.statistics());
        self.give_back();
    }

    /// Collects as soon as there are so many nodes, and again when there are several times as many
    /// as the last collection left; 0 collects wherever that is possible, which shakes out handles that were not kept.
    pub fn collect_from(&mut self, nodes: usize) {
        self.first_collection = nodes;
        self.plan();
    }

    /// Decides when to collect next, and how many bytes the nodes may take.
    fn plan(&mut self) {
        let limit = self.limits.bytes.unwrap_or(u64::MAX);
        // The stacks grow between two plans: a little is left for them.
        self.room = (limit - limit / 64).saturating_sub(self.bytes_besides());
        // As the room gets tight, collections become more frequent before they become useless.
        let nodes = self.store.len() as u64;
        let each = (self.store.used() / (nodes + 1)).max(LEAST_BYTES_PER_NODE);
        let fit = usize::try_from(self.room / each).unwrap_or(usize::MAX);
        let left = self.left;
        let tight = left + (left / 8).max(fit.saturating_sub(left) / 2);
        // A collection forgets results that speak of dead nodes, so being early costs time.
        let factor = if self.store.used() < LARGE { 4 } else { 2 };
        let calm = (factor * left).max(self.first_collection);
        self.threshold = if self.first_collection == 0 {
            0
        } else {
            calm.min(tight)
        };
    }

    /// Checks the invariants; in debug builds this runs after every collection that leaves few nodes.
    ///
    /// # Panics
    /// If one is broken.
    pub fn check_invariants(&self) {
        self.store.check_invariants();
        self.cache
            .check_invariants(|node| self.store.is_alive(node));
        let needed = self.roots.nodes().into_iter().chain(self.guards.members());
        for node in needed.chain(self.rows.iter().map(|edge| edge.child)) {
            assert!(self.store.is_alive(node), "a node that is needed is alive");
        }
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

    /// Counts a step of work that somebody else does, as operations count theirs.
    ///
    /// # Errors
    /// [`Stop`], if memory ran out or the interrupt says so.
    pub fn look(&mut self) -> Result<(), Stop> {
        self.tick()
    }

    /// As [`Manager::look`] for work of the caller that is not on diagrams: the interrupt is asked now and then, and
    /// no step is counted.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn watch(&mut self, work: u64) -> Result<(), Stop> {
        self.unwatched += work;
        if self.unwatched < u64::from(TICKS) {
            return Ok(());
        }
        self.unwatched = 0;
        match &self.limits.interrupt {
            Some(stop) if stop(self.store.len()) => Err(Stop::Interrupted),
            _ => Ok(()),
        }
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
        let nodes = self.store.len();
        if self
            .limits
            .interrupt
            .as_ref()
            .is_some_and(|stop| stop(nodes))
        {
            return Err(Stop::Interrupted);
        }
        self.plan();
        self.afford(0)
    }

    /// Pushes an edge to the row on top; edges to the empty set are left out.
    #[inline]
    pub(crate) fn push_edge(&mut self, value: u32, child: Node) {
        if child != Node::EMPTY {
            self.rows.push(Edge {
                value,
                child,
                stamp: 0,
                fired: 0,
            });
        }
    }

    /// Makes the row above `base` a node, and takes it off.
    #[inline]
    pub(crate) fn make_node(&mut self, base: usize) -> Result<Node, Stop> {
        // Short rows are asked for by node, long ones edge by edge.
        if 2 * self.store.len() + self.store.words() / 32 > self.cache.len()
            || self.cache.thrashes()
        {
            self.widen_cache();
        }
        let node = self.store.make(&self.rows[base..], self.room);
        self.rows.truncate(base);
        node
    }

    /// Doubles the cache, unless that would take more than a quarter of the memory.
    #[cold]
    fn widen_cache(&mut self) {
        let limit = self.limits.bytes.unwrap_or(u64::MAX);
        let after = self.bytes() + 2 * self.cache.bytes();
        if self.cache.bytes() <= limit / 8 && after <= limit && self.cache.len() < 1 << 26 {
            self.cache.double();
            self.plan();
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
        if result == Err(Stop::Memory) {
            self.give_back();
        }
        result.map(|node| self.root(node))
    }

    /// Drops what an operation left behind that ran out of memory, for others to have some.
    fn give_back(&mut self) {
        self.collect();
        self.store.shrink();
        self.rows = Vec::new();
        self.keep = Vec::new();
        self.seen = Vec::new();
        self.targets = Vec::new();
        self.plan();
    }

    /// As [`Manager::finish`], of an operation that had relations made.
    pub(crate) fn finish_image(&mut self, result: Result<Node, Stop>) -> Result<Set, Stop> {
        let result = self.relations.complete().and(result);
        self.finish(result)
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
        self.cache.forget(&[Op::saturate(slot), Op::fire(slot)]);
        slot
    }
}
