//! Emptiness checks on the fly: Couvreur's, and the two passes for TA, in one loop.
//!
//! P12 Algorithm 1 (Couvreur, FM 1999): a depth-first search that keeps a stack of components, each with
//! the union of its marks; a back edge merges components, and a component with all marks is an accepting
//! one. An initial node that was already visited is not pushed again. For TA (P12 Algorithms 2 and 3,
//! after Geldenhuys and Hansen), the same search also tells in its first pass
//!
//! - a component without any change that has a livelock state, and
//! - a cycle through a livelock state that has no successors but itself,
//!
//! and if it met livelock states but no accepting cycle, a second pass looks at stuttering transitions
//! alone, from every node that the first one saw.
//!
//! Successors are computed as they are taken, a few at a time: a search that dives into a large net does
//! not store the thousands of states on either side of its path.
//!
//! A search may be told to look at a part only, by [`Config`]: a cycle that it finds is one of the whole
//! product, and if it left nothing out its "no" is one of the whole product too. A path after which the
//! observer accepts whatever comes next is kept, or ends the search.
//!
//! Cost: linear in the product, independent of the number of acceptance sets; two passes at most.

use dalsegno_automata::Marks;
use dalsegno_kripke::{Budget, GroupId, Stop};

use crate::nodes::{Node, NodeMap};
use crate::product::{Edge, Product};
pub use crate::search::{Accepting, Config, Explored, Path, Prefixes, Search, Stopped};
use crate::search_order::Arranger;
use crate::space::Error;

/// How often time and memory are checked, in nodes.
const CHECK_EVERY: u64 = 1024;

/// And in enabled groups, of which a node may have thousands.
const MANY_GROUPS: usize = 1 << 14;

/// The values of all states on a path that is kept: told one by one they take four bytes each.
const MOST_VALUES: usize = 1 << 26;

/// Looks for an accepting cycle; `progress` is told the nodes and transitions seen now and then.
///
/// # Errors
/// When the budget runs out or the model faults.
pub fn check(
    product: &mut Product<'_>,
    config: &Config,
    budget: &Budget,
    mut progress: impl FnMut(&Explored),
) -> Result<Search, Stopped> {
    let mut explored = Explored::default();
    let ta = product.is_ta();
    product.start();
    product.set_cap(config.bits);
    let mut search = Couvreur::new(product, *config, ta, false);
    let first = search.run(budget, &mut explored, &mut progress);
    let again = ta && search.met_livelock && matches!(first, Ok(None));
    let mut cut = search.cut;
    let (closing, prefix) = (search.closing.take(), search.prefix.take());
    let (result, visited) = if again {
        let mut search = Couvreur::new(product, *config, true, true);
        let second = search.run(budget, &mut explored, &mut progress);
        cut |= search.cut;
        (second, search.number)
    } else {
        (first, search.number)
    };
    let complete = !cut && prefix.is_none() && !product.is_pruned();
    product.set_cap(None);
    match result {
        Err(error) => Err(Stopped {
            error,
            explored,
            prefix,
        }),
        Ok(accepting) => Ok(Search {
            accepting,
            closing,
            prefix,
            explored,
            visited,
            cut,
            complete,
        }),
    }
}

/// A component of the nodes on the path.
#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts about a component, each of its own"
)]
struct Component {
    /// The number of its first node.
    root: u32,
    /// Where its nodes start among the live ones.
    start: usize,
    /// The marks on its transitions, and on the one that leads into it.
    marks: Marks,
    entry: Marks,
    /// Whether a transition inside changes something; and the one that leads into it.
    changes: bool,
    entry_changes: bool,
    livelock: bool,
    /// A livelock state with no way out but stuttering.
    trapped: bool,
}

/// A node of the path. Its transitions that are computed and not yet taken are `next..end` of the pending
/// ones, and `group..last_group` of the groups are left to be fired.
struct Frame {
    number: u32,
    node: Node,
    start: usize,
    next: usize,
    end: usize,
    group: usize,
    last_group: usize,
}

/// A state with no more enabled groups is expanded at once.
const FEW_GROUPS: usize = 12;

/// Otherwise so many groups are fired first: one of them is followed, mostly for good.
const FIRST_GROUPS: usize = 4;

/// And then so many at a time.
const MORE_GROUPS: usize = 32;

#[expect(
    clippy::struct_excessive_bools,
    reason = "what is searched, and what was met: each a fact of its own"
)]
struct Couvreur<'p, 'a> {
    product: &'p mut Product<'a>,
    depth: usize,
    nodes: u64,
    /// Whether values have a limit.
    capped: bool,
    arranger: Arranger,
    ta: bool,
    second: bool,
    /// 0 for a node not seen, its number while it is live, `CLOSED` after.
    number: NodeMap,
    live: Vec<Node>,
    components: Vec<Component>,
    path: Vec<Frame>,
    pending: Vec<Edge>,
    groups: Vec<GroupId>,
    /// Enabled groups since the last look at the budget.
    unwatched: usize,
    roots: Vec<Node>,
    last_number: u32,
    met_livelock: bool,
    /// Whether the limit of depth was met.
    cut: bool,
    prefixes: Prefixes,
    /// Whether there is anything to look for ahead.
    ahead: bool,
    /// The longest path that may be kept.
    longest: usize,
    prefix: Option<Path>,
    closing: Option<Path>,
}

const CLOSED: u32 = u32::MAX;

impl<'p, 'a> Couvreur<'p, 'a> {
    fn new(product: &'p mut Product<'a>, config: Config, ta: bool, second: bool) -> Self {
        let mut roots = product.initial();
        let states = product.automaton_states();
        let variables = product.space().model().variables().len();
        let ahead = config.prefixes != Prefixes::Ignore && product.has_universal();
        roots.reverse();
        Couvreur {
            depth: config.depth.unwrap_or(usize::MAX),
            nodes: config.nodes.unwrap_or(u64::MAX),
            capped: config.bits.is_some(),
            arranger: Arranger::new(config.order, product.space().model()),
            product,
            ta,
            second,
            number: NodeMap::new(states),
            live: Vec::new(),
            components: Vec::new(),
            path: Vec::new(),
            pending: Vec::new(),
            groups: Vec::new(),
            unwatched: 0,
            roots,
            last_number: 0,
            met_livelock: false,
            cut: false,
            prefixes: config.prefixes,
            ahead,
            longest: MOST_VALUES / variables.max(1),
            prefix: None,
            closing: None,
        }
    }

    fn run(
        &mut self,
        budget: &Budget,
        explored: &mut Explored,
        progress: &mut impl FnMut(&Explored),
    ) -> Result<Option<Accepting>, Error> {
        explored.passes += 1;
        while let Some(root) = self.roots.pop() {
            if self.number.get(root) != 0 {
                continue;
            }
            if self.looks_ahead() && self.product.is_universal(root) {
                let (steps, end) = (Vec::new(), root);
                self.prefix = Some(Path { steps, end });
            }
            self.push(root, None, budget, explored, progress)?;
            while let Some(frame) = self.path.last_mut() {
                if self.prefixes == Prefixes::Stop && self.prefix.is_some() {
                    return Ok(None);
                }
                if frame.next == frame.end {
                    if frame.group == frame.last_group {
                        self.pop();
                    } else {
                        self.fire(MORE_GROUPS, budget)?;
                    }
                    continue;
                }
                let edge = self.pending[frame.next];
                frame.next += 1;
                explored.transitions += 1;
                match self.number.get(edge.target) {
                    0 if self.has_enough() => {
                        self.cut = true;
                        return Ok(None);
                    }
                    0 => self.push(edge.target, Some(edge), budget, explored, progress)?,
                    CLOSED => {}
                    number => {
                        self.merge(number, edge);
                        if let Some(livelock) = self.accepts() {
                            let short = self.path.len() <= self.longest;
                            let closes = self.prefixes == Prefixes::Stop && short;
                            self.closing = closes.then(|| self.path_by(edge));
                            return Ok(Some(self.accepting(livelock)));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn push(
        &mut self,
        node: Node,
        entry: Option<Edge>,
        budget: &Budget,
        explored: &mut Explored,
        progress: &mut impl FnMut(&Explored),
    ) -> Result<(), Error> {
        explored.states += 1;
        if explored.states.is_multiple_of(CHECK_EVERY) || self.unwatched > MANY_GROUPS {
            self.unwatched = 0;
            budget.check()?;
            let own = 8 * self.live.capacity()
                + 4 * self.groups.capacity()
                + 24 * self.pending.capacity()
                + 64 * (self.path.capacity() + self.components.capacity());
            let own = own as u64 + self.number.bytes();
            budget.check_bytes(self.product.bytes() + own)?;
            progress(explored);
        }
        if self.last_number >= CLOSED - 1 {
            return Err(Stop::States.into());
        }
        let mut trapped = false;
        let mut livelock = false;
        if self.ta {
            livelock = self.product.is_livelock(node);
            self.met_livelock |= livelock;
            trapped = livelock && self.product.is_trap(node);
        }
        self.last_number += 1;
        self.number.set(node, self.last_number);
        self.components.push(Component {
            root: self.last_number,
            start: self.live.len(),
            marks: Marks::NONE,
            entry: entry.map_or(Marks::NONE, |edge| edge.marks),
            changes: false,
            entry_changes: entry.is_some_and(|edge| !edge.stutters),
            livelock,
            trapped,
        });
        self.live.push(node);
        let group = self.groups.len();
        self.product.enabled(node, &mut self.groups);
        let start = self.pending.len();
        let mut frame = Frame {
            number: self.last_number,
            node,
            start,
            next: start,
            end: start,
            group,
            last_group: self.groups.len(),
        };
        let count = self.groups.len() - group;
        self.unwatched += count;
        if count > 0 && self.path.len() >= self.depth {
            self.cut = true;
            self.groups.truncate(group);
            frame.last_group = group;
            self.path.push(frame);
            return Ok(());
        }
        let last = entry.and_then(|edge| edge.group);
        self.arranger
            .arrange(self.product, last, &mut self.groups[group..]);
        self.path.push(frame);
        self.fire(
            if count <= FEW_GROUPS {
                FEW_GROUPS
            } else {
                FIRST_GROUPS
            },
            budget,
        )
    }

    /// Computes the transitions of the next groups of the node at the end of the path.
    fn fire(&mut self, count: usize, budget: &Budget) -> Result<(), Error> {
        let Some(frame) = self.path.last_mut() else {
            return Ok(());
        };
        let last = frame.last_group.min(frame.group + count);
        self.pending.truncate(frame.start);
        let groups = &self.groups[frame.group..last];
        self.product
            .fire(frame.node, groups, budget, &mut self.pending)?;
        frame.group = last;
        frame.next = frame.start;
        let start = frame.start;
        if self.second {
            self.keep_stuttering(start);
        }
        let end = self.pending.len();
        if let Some(frame) = self.path.last_mut() {
            frame.end = end;
        }
        if self.looks_ahead() {
            self.look_ahead(start);
        }
        Ok(())
    }

    /// Whether no more nodes are to be entered.
    #[inline]
    fn has_enough(&self) -> bool {
        let enough = u64::from(self.last_number) >= self.nodes;
        enough && (!self.capped || self.product.is_pruned())
    }

    /// Whether a path after which everything is accepted is still of interest.
    #[inline]
    fn looks_ahead(&self) -> bool {
        self.ahead && self.prefix.is_none() && self.path.len() <= self.longest
    }

    /// Looks for a transition after which everything is accepted among the pending ones from `start` on.
    fn look_ahead(&mut self, start: usize) {
        let product = &mut *self.product;
        let mut targets = self.pending[start..].iter().map(|edge| edge.target);
        let found = targets.position(|node| product.is_universal(node));
        if let Some(i) = found {
            self.prefix = Some(self.path_by(self.pending[start + i]));
        }
    }

    /// Keeps the stuttering transitions; the targets of the others are looked at later.
    fn keep_stuttering(&mut self, start: usize) {
        let mut kept = start;
        for i in start..self.pending.len() {
            let edge = self.pending[i];
            if edge.stutters {
                self.pending[kept] = edge;
                kept += 1;
            } else {
                self.roots.push(edge.target);
            }
        }
        self.pending.truncate(kept);
    }

    /// Leaves the node at the end of the path, and closes its component if it is the first node of it.
    fn pop(&mut self) {
        let Some(frame) = self.path.pop() else {
            return;
        };
        let number = frame.number;
        self.pending.truncate(frame.start);
        self.groups
            .truncate(self.path.last().map_or(0, |f| f.last_group));
        let component = self.components.last().expect("a path has components");
        if component.root == number {
            for &node in &self.live[component.start..] {
                self.number.set(node, CLOSED);
            }
            self.live.truncate(component.start);
            self.components.pop();
        }
    }

    /// Merges the components from the last one down to that of a node on the path.
    fn merge(&mut self, number: u32, edge: Edge) {
        let mut marks = edge.marks;
        let mut changes = !edge.stutters;
        let (mut livelock, mut trapped) = (false, false);
        loop {
            let component = self.components.last_mut().expect("the node is live");
            if component.root <= number {
                component.marks = component.marks.union(marks);
                component.changes |= changes;
                component.livelock |= livelock;
                component.trapped |= trapped;
                return;
            }
            marks = marks.union(component.marks).union(component.entry);
            changes |= component.changes | component.entry_changes;
            livelock |= component.livelock;
            trapped |= component.trapped;
            self.components.pop();
        }
    }

    /// Whether the last component accepts, and if so whether by livelock.
    #[inline]
    fn accepts(&self) -> Option<bool> {
        let c = self.components.last()?;
        if self.ta {
            let stutters = c.livelock && !c.changes;
            if stutters || c.trapped {
                return Some(true);
            }
            if self.second {
                return None;
            }
        }
        (c.marks.contains(self.product.all_marks()) && (!self.ta || c.marks != Marks::NONE))
            .then_some(false)
    }

    /// The path, and a transition from its end.
    fn path_by(&self, last: Edge) -> Path {
        let taken = |frame: &Frame| (frame.node, self.pending[frame.next - 1]);
        let mut steps = Vec::with_capacity(self.path.len());
        if let Some((end, before)) = self.path.split_last() {
            steps.extend(before.iter().map(taken));
            steps.push((end.node, last));
        }
        let end = last.target;
        Path { steps, end }
    }

    fn accepting(&self, livelock: bool) -> Accepting {
        let start = self.components.last().map_or(0, |c| c.start);
        let mut nodes = self.live[start..].to_vec();
        nodes.sort_unstable();
        Accepting { nodes, livelock }
    }
}
