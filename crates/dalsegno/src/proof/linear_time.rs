//! Proofs of linear time, explicitly: the product of the states with the checker's own tableau, its components from
//! the bottom, and the least rank for each (Tarjan's algorithm).
//!
//! A component has a rank whose mark all its inner steps lack, not below the ranks that it leads to. Cost: linear in
//! the product; the steps of components of several nodes are generated twice. The states may be those of a view
//! (`view.rs`). A search that stops at a limit of states goes on from there under a larger one.

use dalsegno_verify::claim::DeadEnds;
use dalsegno_verify::diagram::{Alive, Cell, Diagram, Leaf};
use dalsegno_verify::tableau::{Owed, Tableau};
use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::subject::Subject;
use super::{Unproved, diagram};
use dalsegno_kripke::Budget;

/// A node that is in no finished component.
const OPEN: u64 = u64::MAX;

/// The nodes that a product may have.
const MOST_NODES: usize = 1 << 28;

/// The bytes of a node in all tables.
const NODE: usize = 60;

/// Where the tableau goes, and what it postpones.
type Steps = Box<[(u32, u64)]>;

pub(super) struct Product<'a> {
    pub(super) graph: Graph<'a>,
    tableau: Tableau<'a>,
    /// Whether dead ends repeat.
    pub(super) stutters: bool,
    slots: Vec<Owed>,
    slot_of: FxHashMap<Owed, u32>,
    /// Per slot and letter: the number of its steps, and those.
    step_of: FxHashMap<(u32, u64), usize>,
    steps: Vec<Steps>,
    /// The successors of a state, once each.
    targets: Vec<u32>,
    /// Nodes: states and slots; the first one is the root.
    pub(super) nodes: Vec<(u32, u32)>,
    /// The last node of each state, and of each node the one before it of the same state.
    last: Vec<u32>,
    before: Vec<u32>,
    ranks: Vec<u64>,
    search: Search,
}

/// No node.
const NONE: u32 = u32::MAX;

/// Where the search for components is.
#[derive(Default)]
struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    /// Successors of the nodes on the path.
    list: Vec<(u32, u64)>,
    frames: Vec<Frame>,
    count: u32,
    enter: Option<u32>,
    /// A limit was hit in the middle of a component: there is no going on.
    is_lost: bool,
}

/// A node with its successors from `next` to `end` of the list.
struct Frame {
    node: u32,
    begin: usize,
    next: usize,
}

/// A proof that the property holds.
pub(super) fn prove(subject: &Subject, budget: &Budget) -> Result<Diagram, Unproved> {
    Product::of_all(subject, budget)?.prove(subject, budget)
}

impl<'a> Product<'a> {
    /// The product with all of the net.
    pub(super) fn of_all(subject: &'a Subject<'a>, budget: &Budget) -> Result<Self, Unproved> {
        Product::new(subject, Graph::new(subject, budget))
    }

    /// A proof that the property holds; after a limit of states, the search goes on where it was.
    pub(super) fn prove(
        &mut self,
        subject: &Subject,
        budget: &Budget,
    ) -> Result<Diagram, Unproved> {
        self.graph.set_budget(budget.clone());
        if self.rank()?.is_some() {
            let why = "the product has an accepting component";
            return Err(Unproved::Other(why.to_owned()));
        }
        self.diagram(subject, budget)
    }

    /// The product with a graph, which knows its root.
    pub(super) fn new(subject: &'a Subject<'a>, graph: Graph<'a>) -> Result<Self, Unproved> {
        let claim = &subject.claim;
        let mut product = Product {
            graph,
            tableau: Tableau::new(claim)?,
            stutters: claim.header.dead_ends == DeadEnds::Stutter,
            slots: Vec::new(),
            slot_of: FxHashMap::default(),
            step_of: FxHashMap::default(),
            steps: Vec::new(),
            targets: Vec::new(),
            nodes: Vec::new(),
            last: Vec::new(),
            before: Vec::new(),
            ranks: Vec::new(),
            search: Search {
                enter: Some(0),
                ..Search::default()
            },
        };
        let first = product.slot(vec![claim.goal]);
        let initial = product.graph.space.initial()[0];
        product.node(initial, first)?;
        Ok(product)
    }

    /// The number of untils.
    pub(super) fn untils(&self) -> u64 {
        self.tableau.marks() - 1
    }

    fn slot(&mut self, owed: Owed) -> u32 {
        let next = self.slots.len() as u32;
        let slot = *self.slot_of.entry(owed.clone()).or_insert(next);
        if slot == next {
            self.slots.push(owed);
        }
        slot
    }

    fn node(&mut self, state: u32, slot: u32) -> Result<u32, Unproved> {
        if self.last.len() <= state as usize {
            self.last.resize(self.graph.space.len(), NONE);
        }
        let last = self.last[state as usize];
        let mut known = last;
        while known != NONE {
            if self.nodes[known as usize].1 == slot {
                return Ok(known);
            }
            known = self.before[known as usize];
        }
        let node = self.nodes.len() as u32;
        self.nodes.push((state, slot));
        self.before.push(last);
        self.last[state as usize] = node;
        self.ranks.push(OPEN);
        if self.nodes.len() >= MOST_NODES {
            return Err(Unproved::Limit("the product is too large".to_owned()));
        }
        if self.nodes.len().is_multiple_of(1 << 12) {
            self.graph.check(self.nodes.len() * NODE)?;
        }
        Ok(node)
    }

    /// The steps of the tableau from a slot under a letter.
    fn make_steps(&mut self, slot: u32, letter: u64) -> Result<usize, Unproved> {
        if let Some(&known) = self.step_of.get(&(slot, letter)) {
            return Ok(known);
        }
        let steps = self
            .tableau
            .steps(&self.slots[slot as usize].clone(), letter)?;
        let steps = steps
            .into_iter()
            .map(|(owed, postponed)| (self.slot(owed), postponed));
        let steps = steps.collect();
        self.steps.push(steps);
        self.step_of.insert((slot, letter), self.steps.len() - 1);
        Ok(self.steps.len() - 1)
    }

    /// Appends the successors of a node with what is postponed.
    pub(super) fn successors(
        &mut self,
        node: u32,
        out: &mut Vec<(u32, u64)>,
    ) -> Result<(), Unproved> {
        let (state, slot) = self.nodes[node as usize];
        self.graph.expand(state)?;
        let letter = self.graph.letter(state);
        let steps = self.make_steps(slot, letter)?;
        if self.steps[steps].is_empty() {
            return Ok(());
        }
        let mut targets = std::mem::take(&mut self.targets);
        targets.clear();
        targets.extend(self.graph.edges(state).iter().map(|e| e.1));
        let may_end = || !matches!(self.graph.alive(state), Alive::By(_));
        if self.graph.view.repeats || self.stutters && may_end() {
            targets.push(state);
        }
        targets.sort_unstable();
        targets.dedup();
        for &target in &targets {
            for i in 0..self.steps[steps].len() {
                let (slot, postponed) = self.steps[steps][i];
                out.push((self.node(target, slot)?, postponed));
            }
        }
        self.targets = targets;
        Ok(())
    }

    /// Gives all nodes their ranks; or the nodes of an accepting component, if there is one.
    pub(super) fn rank(&mut self) -> Result<Option<Vec<u32>>, Unproved> {
        let mut search = std::mem::take(&mut self.search);
        if search.is_lost {
            self.search = search;
            return Err(Unproved::Limit(
                "a component of the product is too large".to_owned(),
            ));
        }
        let found = self.search(&mut search);
        self.search = search;
        found
    }

    /// Goes on with the search; it can be stopped before a node is entered.
    fn search(&mut self, search: &mut Search) -> Result<Option<Vec<u32>>, Unproved> {
        loop {
            if let Some(node) = search.enter {
                let begin = search.list.len();
                if let Err(why) = self.successors(node, &mut search.list) {
                    search.list.truncate(begin);
                    return Err(why);
                }
                search.enter = None;
                search.order.resize(self.nodes.len(), 0);
                search.low.resize(self.nodes.len(), 0);
                search.count += 1;
                search.order[node as usize] = search.count;
                search.low[node as usize] = search.count;
                search.component.push(node);
                search.frames.push(Frame {
                    node,
                    begin,
                    next: begin,
                });
            }
            let Some(frame) = search.frames.last_mut() else {
                return Ok(None);
            };
            if frame.next < search.list.len() {
                let target = search.list[frame.next].0;
                frame.next += 1;
                if search.order.get(target as usize).is_none_or(|&n| n == 0) {
                    search.enter = Some(target);
                } else if self.ranks[target as usize] == OPEN {
                    let at = frame.node as usize;
                    search.low[at] = search.low[at].min(search.order[target as usize]);
                }
                continue;
            }
            let (node, begin) = (frame.node, frame.begin);
            search.frames.pop();
            if let Some(above) = search.frames.last() {
                let at = above.node as usize;
                search.low[at] = search.low[at].min(search.low[node as usize]);
            }
            if search.low[node as usize] == search.order[node as usize] {
                let from = search.component.iter().rposition(|&n| n == node);
                let nodes = search.component.split_off(from.unwrap_or(0));
                let ranked = self.rank_component(&nodes, &mut search.list, begin);
                search.is_lost = ranked.is_err();
                if !ranked? {
                    return Ok(Some(nodes));
                }
            }
            search.list.truncate(begin);
        }
    }

    /// The least rank for a component; whether there is one. The list has the successors of the first node from
    /// `begin` on.
    fn rank_component(
        &mut self,
        nodes: &[u32],
        list: &mut Vec<(u32, u64)>,
        begin: usize,
    ) -> Result<bool, Unproved> {
        // What all inner steps postpone, and the largest rank outside with what all steps to it postpone.
        let (mut inner, mut cyclic) = (u64::MAX, false);
        let mut outer: Option<(u64, u64)> = None;
        for (i, &node) in nodes.iter().enumerate() {
            if i > 0 {
                list.truncate(begin);
                self.successors(node, list)?;
            }
            for &(target, postponed) in &list[begin..] {
                match self.ranks[target as usize] {
                    OPEN => {
                        cyclic = true;
                        inner &= postponed;
                    }
                    rank => match &mut outer {
                        Some((most, _)) if *most > rank => {}
                        Some((most, all)) if *most == rank => *all &= postponed,
                        _ => outer = Some((rank, postponed)),
                    },
                }
            }
        }
        let marks = self.tableau.marks();
        let fits = |rank: u64, all: u64| {
            let mark = rank % marks;
            mark > 0 && all >> (mark - 1) & 1 == 1
        };
        let least = outer.map_or(
            0,
            |(most, all)| if fits(most, all) { most } else { most + 1 },
        );
        let rank = if cyclic {
            let range = least..=least + marks;
            let outer_fits =
                |rank: u64| outer.is_none_or(|(most, all)| rank > most || fits(rank, all));
            range
                .into_iter()
                .find(|&rank| fits(rank, inner) && outer_fits(rank))
        } else {
            Some(least)
        };
        let Some(rank) = rank else {
            return Ok(false);
        };
        for &node in nodes {
            self.ranks[node as usize] = rank;
        }
        Ok(true)
    }

    /// The diagram with the ranks.
    pub(super) fn diagram(
        &mut self,
        subject: &Subject,
        budget: &Budget,
    ) -> Result<Diagram, Unproved> {
        let mut sorted: Vec<u32> = (0..self.nodes.len() as u32).collect();
        sorted.sort_unstable_by_key(|&node| self.nodes[node as usize]);
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut leaf_of: FxHashMap<Leaf, u32> = FxHashMap::default();
        let mut states: Vec<(u32, u32)> = Vec::new();
        let nodes = &self.nodes;
        for of_state in sorted.chunk_by(|&a, &b| nodes[a as usize].0 == nodes[b as usize].0) {
            let state = nodes[of_state[0] as usize].0;
            let cell = |&node: &u32| Cell {
                slot: nodes[node as usize].1 as usize,
                rank: self.ranks[node as usize],
                choice: None,
            };
            let mut leaf = Leaf {
                letter: self.graph.letter(state),
                alive: self.graph.alive_for_atoms(state),
                cells: of_state.iter().map(cell).collect(),
            };
            if self.stutters && !self.may_repeat(&leaf) {
                leaf.alive = self.graph.alive(state);
            }
            let number = *leaf_of.entry(leaf.clone()).or_insert(leaves.len() as u32);
            if number as usize == leaves.len() {
                leaves.push(leaf);
            }
            states.push((state, number));
        }
        let places = &self.graph.view.places;
        let all: Vec<usize> = (0..places.len()).collect();
        let order = if self.graph.view.is_all() {
            subject.order(states.len(), budget)
        } else {
            &all
        };
        let (space, slots) = (&self.graph.space, self.slots.clone());
        let mut diagram = diagram::of_states(space, order, &states, slots, leaves, budget)?;
        for place in diagram.levels.iter_mut().flat_map(|l| &mut l.places) {
            *place = places[*place];
        }
        Ok(diagram)
    }

    /// Whether the ranks also allow for the marking to be its own successor.
    fn may_repeat(&self, leaf: &Leaf) -> bool {
        let marks = self.tableau.marks();
        leaf.cells.iter().all(|cell| {
            let steps = self.step_of.get(&(cell.slot as u32, leaf.letter));
            steps.is_some_and(|&steps| {
                self.steps[steps].iter().all(|&(slot, postponed)| {
                    let mark = cell.rank % marks;
                    let stays = mark > 0 && postponed >> (mark - 1) & 1 == 1;
                    let next = leaf.cell(slot as usize).map(|next| next.rank);
                    next.is_some_and(|next| next < cell.rank || next == cell.rank && stays)
                })
            })
        })
    }
}
