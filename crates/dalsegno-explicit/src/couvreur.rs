//! One pass of Couvreur's emptiness check, which can be interrupted between any two nodes.
//!
//! P12 Algorithm 1 (Couvreur, FM 1999): a depth-first search that keeps a stack of components, each with
//! the union of its marks; a back edge merges components, and a component with all marks is an accepting
//! one. An initial node that was already visited is not pushed again. For TA see [`crate::emptiness`].
//! Under fairness a component also needs what is asked for (`fairness.rs`); one that has it when it is closed but for
//! strongly fair sets is searched for a part that has it (`streett.rs`).
//!
//! Successors are computed as they are taken, a few at a time: a search that dives into a large net does
//! not store the thousands of states on either side of its path.
//!
//! Not all enabled groups need be fired (`stubborn/choice.rs`). The set of a node is chosen when it is entered, and lies in front of
//! the groups that are left out. Every cycle must have a node that is *released*: when a transition from a node that is not leads to
//! a node of the path that is not, the latter fires more once its own groups are through. The first node of a cycle to be
//! entered is on the path when the cycle is closed, so none is missed.
//!
//! Invariants, whenever the pass is left:
//! 1. The pending transitions of the frames lie one after the other: those of a frame from its `start` on, `next..end`
//!    of them not yet taken. The groups left to be fired likewise.
//! 2. A transition that counts as taken has been followed: its target is on the path, or was looked at.
//! 3. Groups of a frame that count as fired have their transitions among the pending ones, or behind them.
//!
//! So budgets are looked at before a transition is taken, and a step that fails leaves its groups to be fired again.

use dalsegno_automata::{Marks, StateId};
use dalsegno_kripke::{Budget, GroupId, Stop};

use crate::fairness::{FairPath, FairSets};
use crate::nodes::{Node, NodeMap};
use crate::product::{Edge, Product};
use crate::search::{Accepting, Config, Explored, Firing, Path, Prefixes};
use crate::search_order::Arranger;
use crate::space::Error;
use crate::streett;
use crate::stubborn::choice::Stubborn;
use crate::stubborn::gain::Sample;

/// How often time and memory are checked, in nodes.
const CHECK_EVERY: u64 = 1024;

/// And in enabled groups, of which a node may have thousands.
const MANY_GROUPS: usize = 1 << 14;

/// The values of all states on a path that is kept: told one by one they take four bytes each.
const MOST_VALUES: usize = 1 << 26;

/// How a pass was left.
pub(crate) enum Left {
    /// There is more to look at.
    Paused,
    /// It has ended: with an accepting component, if there is one.
    Ended(Option<Accepting>),
}

/// For how long a pass goes on, and what it has looked at.
pub(crate) struct Effort<'a, F> {
    budget: &'a Budget,
    pub explored: Explored,
    /// The number of nodes at which it pauses, and at which something is due.
    until: u64,
    due: u64,
    progress: F,
}

impl<'a, F: FnMut(&Explored)> Effort<'a, F> {
    /// So many more nodes, and at least one.
    pub fn new(budget: &'a Budget, explored: Explored, nodes: u64, progress: F) -> Self {
        let mut effort = Effort {
            until: explored.states.saturating_add(nodes.max(1)),
            budget,
            explored,
            due: 0,
            progress,
        };
        effort.set_due();
        effort
    }

    /// Something is due again before the number of nodes becomes a multiple.
    fn set_due(&mut self) {
        let check = (self.explored.states + 2).next_multiple_of(CHECK_EVERY) - 1;
        self.due = check.min(self.until);
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
/// ones, and `group..last_group` of the groups are left to be fired; behind them lie `rest` groups of which a release
/// adds some.
struct Frame {
    number: u32,
    node: Node,
    start: usize,
    next: usize,
    end: usize,
    group: usize,
    last_group: usize,
    rest: u32,
    released: bool,
    /// Whether it is to be released.
    marked: bool,
}

impl Frame {
    /// Where its groups end.
    #[inline]
    fn last(&self) -> usize {
        self.last_group + self.rest as usize
    }
}

/// A state with no more enabled groups is expanded at once.
const FEW_GROUPS: usize = 12;

/// Otherwise so many groups are fired first: one of them is followed, mostly for good.
const FIRST_GROUPS: usize = 4;

/// And then so many at a time.
const MORE_GROUPS: usize = 32;

/// How many groups of a node with so many enabled ones are fired when it is entered.
#[inline]
fn first_groups(enabled: usize) -> usize {
    if enabled <= FEW_GROUPS {
        FEW_GROUPS
    } else {
        FIRST_GROUPS
    }
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "what is searched, and what was met: each a fact of its own"
)]
pub(crate) struct Couvreur {
    depth: usize,
    nodes: u64,
    /// Whether values have a limit.
    capped: bool,
    arranger: Arranger,
    all_marks: Marks,
    ta: bool,
    second: bool,
    /// What components have to be fair to, if anything.
    fair: Option<Box<FairPath>>,
    /// What chooses the groups that are fired, if not all are.
    stubborn: Option<Box<Stubborn>>,
    /// 0 for a node not seen, its number while it is live, `CLOSED` after.
    pub number: NodeMap,
    live: Vec<Node>,
    components: Vec<Component>,
    path: Vec<Frame>,
    pending: Vec<Edge>,
    groups: Vec<GroupId>,
    /// Enabled groups since the last look at the budget.
    unwatched: usize,
    roots: Vec<Node>,
    last_number: u32,
    pub met_livelock: bool,
    /// Whether the limit of depth or of nodes was met.
    pub cut: bool,
    prefixes: Prefixes,
    /// Whether there is anything to look for ahead.
    ahead: bool,
    /// The longest path that may be kept.
    longest: usize,
    pub prefix: Option<Path>,
    pub closing: Option<Path>,
}

const CLOSED: u32 = u32::MAX;

/// The most nodes of a pass.
const MOST_NUMBERS: u32 = CLOSED - 2 * CHECK_EVERY as u32;

impl Couvreur {
    /// A pass that has seen nothing; the second one of a TA looks at stuttering transitions alone.
    pub fn new(product: &mut Product<'_>, config: Config, second: bool) -> Self {
        let mut roots = product.initial();
        let states = product.automaton_states();
        let variables = product.space().model().variables().len();
        let ahead = config.prefixes != Prefixes::Ignore && product.has_universal();
        roots.reverse();
        let fairness = product.fairness();
        let fair = (!fairness.is_none()).then(|| {
            let sets = FairSets::new(product.space().model(), fairness);
            Box::new(FairPath::new(sets))
        });
        let stubborn = match config.firing {
            Firing::All => None,
            Firing::Stubborn => product.stubborn(None),
            Firing::Random(seed) => product.stubborn(Some(seed)),
        };
        Couvreur {
            stubborn,
            depth: config.depth.unwrap_or(usize::MAX),
            nodes: config.nodes.unwrap_or(u64::MAX),
            capped: config.bits.is_some(),
            arranger: Arranger::new(config.order, product.space().model()),
            all_marks: product.all_marks(),
            ta: product.is_ta(),
            second,
            fair,
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

    /// The bytes of the stacks and of the numbers of nodes.
    pub fn bytes(&self) -> u64 {
        let own = size_of::<Node>() * (self.live.capacity() + self.roots.capacity())
            + size_of::<GroupId>() * self.groups.capacity()
            + size_of::<Edge>() * self.pending.capacity()
            + size_of::<Frame>() * self.path.capacity()
            + size_of::<Component>() * self.components.capacity();
        let fair = self.fair.as_ref().map_or(0, |fair| fair.bytes());
        let stubborn = self.stubborn.as_ref().map_or(0, |s| s.bytes());
        (own + fair) as u64 + stubborn + self.number.bytes()
    }

    /// The groups enabled and fired where stubborn sets were looked for.
    pub fn groups(&self) -> (u64, u64) {
        let stubborn = self.stubborn.as_ref();
        stubborn.map_or((0, 0), |s| (s.enabled, s.fired))
    }

    /// Goes on until the pass has ended or is to pause.
    ///
    /// # Errors
    /// When the budget runs out or the model faults. The pass may go on with another budget.
    pub fn advance<F: FnMut(&Explored)>(
        &mut self,
        product: &mut Product<'_>,
        effort: &mut Effort<'_, F>,
    ) -> Result<Left, Error> {
        loop {
            let Some(frame) = self.path.last_mut() else {
                let Some(&root) = self.roots.last() else {
                    return Ok(Left::Ended(None));
                };
                if self.number.get(root) != 0 {
                    self.roots.pop();
                    continue;
                }
                if self.is_due(effort) && self.pauses(product, effort)? {
                    return Ok(Left::Paused);
                }
                self.roots.pop();
                if self.looks_ahead() && product.is_universal(root) {
                    let (steps, end) = (Vec::new(), root);
                    self.prefix = Some(Path { steps, end });
                }
                effort.explored.states += 1;
                self.push(product, root, None, effort.budget)?;
                continue;
            };
            if self.prefixes == Prefixes::Stop && self.prefix.is_some() {
                return Ok(Left::Ended(None));
            }
            if frame.next == frame.end {
                if frame.group == frame.last_group {
                    if frame.marked && !frame.released {
                        self.release(product);
                        continue;
                    }
                    if self.fair.is_some()
                        && let Some(accepting) = self.fair_part(product, effort.budget)?
                    {
                        return Ok(Left::Ended(Some(accepting)));
                    }
                    self.pop();
                } else {
                    let count = self.next_groups();
                    self.fire(product, count, effort.budget)?;
                }
                continue;
            }
            let edge = self.pending[frame.next];
            frame.next += 1;
            let released = frame.released;
            effort.explored.transitions += 1;
            match self.number.get(edge.target) {
                0 => {
                    if self.has_enough(product) {
                        self.cut = true;
                        return Ok(Left::Ended(None));
                    }
                    if self.is_due(effort) {
                        self.untake(effort);
                        if self.pauses(product, effort)? {
                            return Ok(Left::Paused);
                        }
                        self.take_again(effort);
                    }
                    effort.explored.states += 1;
                    self.push(product, edge.target, Some(edge), effort.budget)?;
                }
                CLOSED => {}
                number => {
                    if !released {
                        self.mark(number);
                    }
                    self.merge(number, edge);
                    if let Some(fair) = &mut self.fair {
                        fair.merge(self.components.len(), edge.group);
                    }
                    if let Some(livelock) = self.accepts() {
                        let short = self.path.len() <= self.longest;
                        let closes = self.prefixes == Prefixes::Stop && short;
                        // The cycle of the path may leave out what makes the component fair.
                        let closes = closes && self.fair.is_none();
                        self.closing = closes.then(|| self.path_by(edge));
                        return Ok(Left::Ended(Some(self.accepting(livelock))));
                    }
                }
            }
        }
    }

    /// Whether the budget is to be looked at, or the pass to be left, before the next node is entered.
    #[inline]
    fn is_due<F>(&self, effort: &Effort<'_, F>) -> bool {
        effort.explored.states >= effort.due || self.unwatched > MANY_GROUPS
    }

    /// Looks at the budget; whether the pass is to be left.
    #[cold]
    fn pauses<F: FnMut(&Explored)>(
        &mut self,
        product: &Product<'_>,
        effort: &mut Effort<'_, F>,
    ) -> Result<bool, Error> {
        self.check(product, effort.budget)?;
        self.unwatched = 0;
        effort.set_due();
        (effort.progress)(&effort.explored);
        Ok(effort.explored.states >= effort.until)
    }

    /// Looks at the budget.
    pub fn check(&self, product: &Product<'_>, budget: &Budget) -> Result<(), Error> {
        budget.check()?;
        budget.check_bytes(product.bytes() + self.bytes())?;
        // Enough numbers are left until the next look.
        if self.last_number >= MOST_NUMBERS {
            return Err(Stop::States.into());
        }
        Ok(())
    }

    /// Gives the last transition taken back.
    fn untake<F>(&mut self, effort: &mut Effort<'_, F>) {
        if let Some(frame) = self.path.last_mut() {
            frame.next -= 1;
            effort.explored.transitions -= 1;
        }
    }

    /// Takes it again.
    fn take_again<F>(&mut self, effort: &mut Effort<'_, F>) {
        if let Some(frame) = self.path.last_mut() {
            frame.next += 1;
            effort.explored.transitions += 1;
        }
    }

    /// Enters a node.
    ///
    /// # Errors
    /// If its first groups cannot be fired: it has been entered, and all its groups are left.
    fn push(
        &mut self,
        product: &mut Product<'_>,
        node: Node,
        entry: Option<Edge>,
        budget: &Budget,
    ) -> Result<(), Error> {
        let mut trapped = false;
        let mut livelock = false;
        if self.ta {
            livelock = product.is_livelock(node);
            self.met_livelock |= livelock;
            trapped = livelock && product.is_trap(node);
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
        let stubborn = self.stubborn.as_deref_mut();
        let reduces = stubborn.is_some_and(|s| product.may_reduce(node, s) && s.pays(node.q));
        if reduces {
            product.list_enabled(node, &mut self.groups);
        } else {
            product.enabled(node, &mut self.groups);
        }
        let start = self.pending.len();
        let mut frame = Frame {
            number: self.last_number,
            node,
            start,
            next: start,
            end: start,
            group,
            last_group: self.groups.len(),
            rest: 0,
            released: true,
            marked: false,
        };
        let count = self.groups.len() - group;
        if let Some(fair) = &mut self.fair {
            let by = entry.and_then(|edge| edge.group);
            fair.push(product, node, &self.groups[group..], by);
        }
        self.unwatched += count;
        if count > 0 && self.path.len() >= self.depth {
            self.cut = true;
            self.groups.truncate(group);
            frame.last_group = group;
            self.path.push(frame);
            return Ok(());
        }
        let last = entry.and_then(|edge| edge.group);
        if reduces && let Some(stubborn) = &mut self.stubborn {
            let choice = product.choose(node, stubborn, &mut self.groups[group..]);
            frame.last_group = group + choice.fired;
            frame.rest = (count - choice.fired) as u32;
            frame.released = choice.released;
            if let Some(sample) = stubborn.remember(node, &self.groups[frame.last_group..]) {
                let known = self.is_known(product, node.q, sample);
                if let Some(stubborn) = &mut self.stubborn {
                    stubborn.looked_up(node.q, known);
                }
            }
        }
        let fired = &mut self.groups[group..frame.last_group];
        self.arranger.arrange(product, last, fired);
        let fires = frame.last_group > group || count == 0;
        self.path.push(frame);
        // A node that needs no step is no dead end, and does not repeat itself.
        if !fires {
            return Ok(());
        }
        self.fire(product, first_groups(count), budget)
    }

    /// Whether all nodes that a step leads to have been seen.
    #[cold]
    fn is_known(&mut self, product: &mut Product<'_>, q: StateId, (state, group): Sample) -> bool {
        let end = self.pending.len();
        let stored = product.known_steps(Node { state, q }, group, &mut self.pending);
        let mut targets = self.pending[end..].iter().map(|edge| edge.target);
        let seen = stored && targets.all(|node| self.number.get(node) != 0);
        self.pending.truncate(end);
        seen
    }

    /// The node with this number is on the path, or was: if it is on a cycle of nodes that are not released, it must be.
    fn mark(&mut self, number: u32) {
        let releases = self.stubborn.as_ref().is_some_and(|s| s.releases());
        let found = self.path.binary_search_by_key(&number, |f| f.number);
        if let (Ok(i), true) = (found, releases) {
            self.path[i].marked = true;
        }
    }

    /// The node at the end of the path fires more than its own groups.
    #[cold]
    fn release(&mut self, product: &mut Product<'_>) {
        let (Some((frame, before)), Some(stubborn)) =
            (self.path.split_last_mut(), &mut self.stubborn)
        else {
            return;
        };
        let first = before.last().map_or(0, Frame::last);
        let fired = frame.last_group - first;
        let groups = &mut self.groups[first..frame.last()];
        let more = product.release(frame.node, stubborn, groups, fired);
        self.arranger
            .arrange(product, None, &mut groups[fired..fired + more]);
        frame.last_group += more;
        frame.rest -= more as u32;
        frame.released = true;
    }

    /// How many groups of the node at the end of the path are fired next.
    fn next_groups(&self) -> usize {
        let Some((frame, before)) = self.path.split_last() else {
            return 0;
        };
        let first = before.last().map_or(0, Frame::last);
        if frame.group > first {
            return MORE_GROUPS;
        }
        // Its first groups could not be fired when it was entered.
        first_groups(frame.last() - first)
    }

    /// Computes the transitions of the next groups of the node at the end of the path.
    ///
    /// # Errors
    /// As [`Product::fire`]: the same groups are next.
    fn fire(
        &mut self,
        product: &mut Product<'_>,
        count: usize,
        budget: &Budget,
    ) -> Result<(), Error> {
        let Some(frame) = self.path.last_mut() else {
            return Ok(());
        };
        let last = frame.last_group.min(frame.group + count);
        let start = frame.start;
        self.pending.truncate(start);
        (frame.next, frame.end) = (start, start);
        let groups = &self.groups[frame.group..last];
        product.fire(frame.node, groups, budget, &mut self.pending)?;
        frame.group = last;
        if self.second {
            self.keep_stuttering(start);
        }
        let end = self.pending.len();
        if let Some(frame) = self.path.last_mut() {
            frame.end = end;
        }
        if self.looks_ahead() {
            self.look_ahead(product, start);
        }
        Ok(())
    }

    /// Whether no more nodes are to be entered.
    #[inline]
    fn has_enough(&self, product: &Product<'_>) -> bool {
        let enough = u64::from(self.last_number) >= self.nodes;
        enough && (!self.capped || product.is_pruned())
    }

    /// Whether a path after which everything is accepted is still of interest.
    #[inline]
    fn looks_ahead(&self) -> bool {
        self.ahead && self.prefix.is_none() && self.path.len() <= self.longest
    }

    /// Looks for a transition after which everything is accepted among the pending ones from `start` on.
    fn look_ahead(&mut self, product: &mut Product<'_>, start: usize) {
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
            .truncate(self.path.last().map_or(0, Frame::last));
        let component = self.components.last().expect("a path has components");
        if component.root == number {
            for &node in &self.live[component.start..] {
                self.number.set(node, CLOSED);
            }
            self.live.truncate(component.start);
            self.components.pop();
            if let Some(fair) = &mut self.fair {
                fair.pop();
            }
        }
    }

    /// A fair part of the component that the node at the end of the path closes, if the component is not fair as a whole.
    #[cold]
    fn fair_part(
        &mut self,
        product: &mut Product<'_>,
        budget: &Budget,
    ) -> Result<Option<Accepting>, Error> {
        let (Some(fair), Some(frame), Some(component)) =
            (&self.fair, self.path.last(), self.components.last())
        else {
            return Ok(None);
        };
        let closes = component.root == frame.number;
        if !closes || !component.marks.contains(self.all_marks) || !fair.has_fair_part() {
            return Ok(None);
        }
        let nodes = &self.live[component.start..];
        let found = streett::fair_part(product, nodes, &fair.sets, budget)?;
        Ok(found.map(|mut nodes| {
            nodes.sort_unstable();
            let livelock = false;
            Accepting { nodes, livelock }
        }))
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
        let marked = c.marks.contains(self.all_marks) && (!self.ta || c.marks != Marks::NONE);
        let fair = marked && self.fair.as_ref().is_none_or(|fair| fair.is_fair());
        fair.then_some(false)
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
