//! Proofs of branching time, explicitly: the states that satisfy each subformula, with ranks and choices, and of these
//! what the initial state needs.
//!
//! Truth is computed on all reachable states by the usual fixpoints, backwards; what is written is only what the rules of
//! the checker ask for, from the initial state on. Cost: subformulas times transitions.

use dalsegno_kripke::Budget;
use dalsegno_verify::claim::DeadEnds;
use dalsegno_verify::diagram::{Cell, Diagram, Leaf};
use dalsegno_verify::formula::{Formulas, Id, Node};
use rustc_hash::FxHashMap;

use super::graph::Graph;
use super::subject::Subject;
use super::{Unproved, diagram};

/// No rank: the formula does not hold.
const NO: u32 = u32::MAX;

/// A proof of what the claim says.
pub(super) fn prove(subject: &Subject, budget: &Budget) -> Result<Diagram, Unproved> {
    let claim = &subject.claim;
    let mut graph = Graph::new(subject, budget);
    graph.explore()?;
    let mut formulas = claim.formulas.clone();
    let (infinite, ends) = dalsegno_verify::infinite(&mut formulas);
    let truth = formulas.constant(true);
    let count = graph.space.len();
    let mut back_starts = vec![0_u32; count + 1];
    let states = 0..count as u32;
    for state in states.clone() {
        for &(_, target) in graph.edges(state) {
            back_starts[target as usize + 1] += 1;
        }
    }
    for i in 0..count {
        back_starts[i + 1] += back_starts[i];
    }
    let mut sources = vec![0; back_starts[count] as usize];
    let mut next = back_starts.clone();
    for state in states {
        for &(_, target) in graph.edges(state) {
            sources[next[target as usize] as usize] = state;
            next[target as usize] += 1;
        }
    }
    let mut proof = Proof {
        graph,
        back_starts,
        sources,
        formulas,
        dead_ends: claim.header.dead_ends,
        truth,
        infinite,
        ends,
        ranks: FxHashMap::default(),
    };
    let wanted = proof.subformulas(claim.goal);
    for f in wanted {
        budget.check()?;
        let found = proof.evaluate(f);
        proof.ranks.insert(f, found);
        budget.check_bytes(proof.bytes())?;
    }
    proof.diagram(subject, budget)
}

struct Proof<'a> {
    graph: Graph<'a>,
    back_starts: Vec<u32>,
    sources: Vec<u32>,
    formulas: Formulas,
    dead_ends: DeadEnds,
    truth: Id,
    infinite: Id,
    ends: Id,
    /// Per formula, the rank of each state, or that it does not hold there.
    ranks: FxHashMap<Id, Vec<u32>>,
}

impl Proof<'_> {
    fn bytes(&self) -> u64 {
        let ranks: usize = self.ranks.values().map(|list| 4 * list.len()).sum();
        self.graph.bytes() + (ranks + 4 * self.sources.len() + 4 * self.back_starts.len()) as u64
    }

    fn count(&self) -> u32 {
        self.graph.space.len() as u32
    }

    fn ignore(&self) -> bool {
        self.dead_ends == DeadEnds::Ignore
    }

    /// The state formulas in a formula, operands first; the two about infinite paths first of all, where they matter.
    fn subformulas(&self, goal: Id) -> Vec<Id> {
        let mut open = vec![goal];
        let mut found = Vec::new();
        while let Some(f) = open.pop() {
            if found.contains(&f) {
                continue;
            }
            found.push(f);
            match self.formulas.nodes[f] {
                Node::And(g, h) | Node::Or(g, h) => open.extend([g, h]),
                Node::Exists(path) | Node::Forall(path) => match self.formulas.nodes[path] {
                    Node::Next(g) => open.push(g),
                    Node::Until(g, h) | Node::Release(g, h) => open.extend([g, h]),
                    _ => {}
                },
                _ => {}
            }
        }
        found.sort_unstable();
        if self.ignore() {
            found.retain(|f| ![self.infinite, self.ends].contains(f));
            let falsity = self.formulas.nodes[self.ends];
            let Node::Forall(path) = falsity else {
                return found;
            };
            let Node::Until(truth, falsity) = self.formulas.nodes[path] else {
                return found;
            };
            found.retain(|f| ![truth, falsity].contains(f));
            found.splice(0..0, [truth, falsity, self.infinite, self.ends]);
        }
        found
    }

    fn holds(&self, f: Id, state: u32) -> bool {
        self.ranks[&f][state as usize] != NO
    }

    /// Whether a formula holds in a state, and with paths that end not counting, a path begins there at all.
    fn holds_on_path(&self, f: Id, state: u32) -> bool {
        self.holds(f, state) && (!self.ignore() || self.holds(self.infinite, state))
    }

    /// Whether all paths end that begin in a state, where those do not count.
    fn is_end(&self, f: Id, state: u32) -> bool {
        self.ignore() && f != self.ends && f != self.infinite && self.holds(self.ends, state)
    }

    fn sources(&self, state: u32) -> &[u32] {
        let at = state as usize;
        &self.sources[self.back_starts[at] as usize..self.back_starts[at + 1] as usize]
    }

    fn evaluate(&self, f: Id) -> Vec<u32> {
        let graph = &self.graph;
        let by = |holds: &dyn Fn(u32) -> bool| -> Vec<u32> {
            (0..self.count())
                .map(|s| if holds(s) { 0 } else { NO })
                .collect()
        };
        let dead = |s: u32| graph.edges(s).is_empty();
        let stutter = self.dead_ends == DeadEnds::Stutter;
        match self.formulas.nodes[f] {
            Node::True => by(&|_| true),
            Node::Atom(a) => by(&|s| graph.letter(s) >> a & 1 == 1),
            Node::NotAtom(a) => by(&|s| graph.letter(s) >> a & 1 == 0),
            Node::And(g, h) => by(&|s| self.holds(g, s) && self.holds(h, s)),
            Node::Or(g, h) => by(&|s| self.holds(g, s) || self.holds(h, s)),
            Node::Exists(path) => match self.formulas.nodes[path] {
                Node::Next(g) => by(&|s| {
                    let mut edges = graph.edges(s).iter();
                    edges.any(|e| self.holds_on_path(g, e.1))
                        || stutter && dead(s) && self.holds(g, s)
                }),
                Node::Until(g, h) => self.reach(g, h),
                Node::Release(..) if f == self.infinite => self.stay(&|_| true, &|_| false),
                Node::Release(g, h) => {
                    let free = |s: u32| self.holds_on_path(g, s) || !self.ignore() && dead(s);
                    self.stay(&|s| self.holds(h, s), &free)
                }
                _ => by(&|_| false),
            },
            Node::Forall(path) => match self.formulas.nodes[path] {
                Node::Next(g) => by(&|s| {
                    let mut edges = graph.edges(s).iter();
                    let all = edges.all(|e| self.holds(g, e.1) || self.is_end(f, e.1));
                    all && !(stutter && dead(s) && !self.holds(g, s)) || self.is_end(f, s)
                }),
                Node::Until(g, h) => self.attract(f, g, h),
                Node::Release(g, h) => self.keep(f, g, h),
                _ => by(&|_| false),
            },
            Node::False | Node::Next(_) | Node::Until(..) | Node::Release(..) => by(&|_| false),
        }
    }

    /// `E(g U h)`: the distance to `h` through `g`.
    fn reach(&self, g: Id, h: Id) -> Vec<u32> {
        let mut ranks = vec![NO; self.count() as usize];
        let mut open: Vec<u32> = (0..self.count())
            .filter(|&s| self.holds_on_path(h, s))
            .collect();
        for &s in &open {
            ranks[s as usize] = 0;
        }
        let mut at = 0;
        while at < open.len() {
            let state = open[at];
            at += 1;
            for &source in self.sources(state) {
                if ranks[source as usize] == NO && self.holds(g, source) {
                    ranks[source as usize] = ranks[state as usize] + 1;
                    open.push(source);
                }
            }
        }
        ranks
    }

    /// The largest set inside of `within` whose states are free or have a successor in it.
    fn stay(&self, within: &dyn Fn(u32) -> bool, free: &dyn Fn(u32) -> bool) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..self.count())
            .map(|s| if within(s) { 0 } else { NO })
            .collect();
        let inside = |s: u32, ranks: &[u32]| {
            let targets = self.graph.edges(s).iter();
            targets.filter(|e| ranks[e.1 as usize] != NO).count()
        };
        let mut left: Vec<usize> = (0..self.count()).map(|s| inside(s, &ranks)).collect();
        let is_out = |s: u32, left: &[usize]| left[s as usize] == 0 && !free(s);
        let mut open: Vec<u32> = (0..self.count()).collect();
        open.retain(|&s| ranks[s as usize] != NO && is_out(s, &left));
        for &s in &open {
            ranks[s as usize] = NO;
        }
        while let Some(state) = open.pop() {
            for &source in self.sources(state) {
                left[source as usize] -= 1;
                if ranks[source as usize] != NO && is_out(source, &left) {
                    ranks[source as usize] = NO;
                    open.push(source);
                }
            }
        }
        ranks
    }

    /// `A(g U h)`: how long it takes at most.
    fn attract(&self, f: Id, g: Id, h: Id) -> Vec<u32> {
        let mut ranks = vec![NO; self.count() as usize];
        let mut left: Vec<usize> = (0..self.count())
            .map(|s| self.graph.edges(s).len())
            .collect();
        let now = |s: u32| self.holds(h, s) || self.is_end(f, s);
        let over = |s: u32| self.ignore() && self.graph.edges(s).is_empty() && self.holds(g, s);
        let mut open: Vec<u32> = (0..self.count()).filter(|&s| now(s) || over(s)).collect();
        for &s in &open {
            ranks[s as usize] = 0;
        }
        let mut at = 0;
        while at < open.len() {
            let state = open[at];
            at += 1;
            let rank = ranks[state as usize] + 1;
            for &source in self.sources(state) {
                left[source as usize] -= 1;
                if left[source as usize] == 0
                    && ranks[source as usize] == NO
                    && self.holds(g, source)
                {
                    // Breadth first: the last successor has the largest rank.
                    ranks[source as usize] = rank;
                    open.push(source);
                }
            }
        }
        ranks
    }

    /// `A(g R h)`: the largest set inside of `h` that only states with `g` leave.
    fn keep(&self, f: Id, g: Id, h: Id) -> Vec<u32> {
        let within = |s: u32| self.holds(h, s) || self.is_end(f, s);
        let mut ranks: Vec<u32> = (0..self.count())
            .map(|s| if within(s) { 0 } else { NO })
            .collect();
        let mut open: Vec<u32> = (0..self.count()).filter(|&s| !within(s)).collect();
        while let Some(state) = open.pop() {
            for &source in self.sources(state) {
                let bound = !self.holds(g, source) && !self.is_end(f, source);
                if ranks[source as usize] != NO && bound {
                    ranks[source as usize] = NO;
                    open.push(source);
                }
            }
        }
        ranks
    }

    /// What the initial state needs, as a diagram.
    fn diagram(&mut self, subject: &Subject, budget: &Budget) -> Result<Diagram, Unproved> {
        let goal = subject.claim.goal;
        let initial = self.graph.space.initial()[0];
        if goal != self.truth && !self.holds(goal, initial) {
            return Err(Unproved::Other(
                "the second pass finds another verdict".to_owned(),
            ));
        }
        let mut records: FxHashMap<u32, Record> = FxHashMap::default();
        let mut open = vec![(initial, goal)];
        records.insert(initial, (false, Vec::new()));
        let mut work = 0_u32;
        while let Some((state, f)) = open.pop() {
            let record = records.entry(state).or_default();
            if f == self.truth || record.1.iter().any(|cell| cell.0 == f) {
                continue;
            }
            work += 1;
            if work.is_multiple_of(1 << 14) {
                budget.check()?;
            }
            let need = self.needs(state, f);
            record.0 |= need.alive;
            record.1.push((f, need.rank, need.choice));
            open.extend(need.others);
        }
        let mut slots: Vec<Vec<usize>> = Vec::new();
        let mut slot_of: FxHashMap<Id, usize> = FxHashMap::default();
        for &(f, ..) in records.values().flat_map(|record| &record.1) {
            slot_of.entry(f).or_insert(0);
        }
        let mut used: Vec<Id> = slot_of.keys().copied().collect();
        used.sort_unstable();
        for f in used {
            slot_of.insert(f, slots.len());
            slots.push(vec![f]);
        }
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut leaf_of: FxHashMap<Leaf, u32> = FxHashMap::default();
        let mut states: Vec<u32> = records.keys().copied().collect();
        states.sort_unstable();
        let mut with_leaves = Vec::with_capacity(states.len());
        for state in states {
            let (alive, cells) = &records[&state];
            let cell = |&(f, rank, choice): &(Id, u32, Option<usize>)| Cell {
                slot: slot_of[&f],
                rank: u64::from(rank),
                choice,
            };
            let mut cells: Vec<Cell> = cells.iter().map(cell).collect();
            cells.sort_unstable_by_key(|cell| cell.slot);
            let alive = match alive {
                false => self.graph.alive_for_atoms(state),
                true => self.graph.alive(state),
            };
            let letter = self.graph.letter(state);
            let leaf = Leaf {
                letter,
                alive,
                cells,
            };
            let number = *leaf_of.entry(leaf.clone()).or_insert(leaves.len() as u32);
            if number as usize == leaves.len() {
                leaves.push(leaf);
            }
            with_leaves.push((state, number));
        }
        let space = &self.graph.space;
        diagram::of_states(
            space,
            subject.order(with_leaves.len(), budget),
            &with_leaves,
            slots,
            leaves,
            budget,
        )
    }

    /// What shows that a formula holds in a state.
    fn needs(&self, state: u32, f: Id) -> Need {
        let mut need = Need {
            rank: 0,
            choice: None,
            alive: false,
            others: Vec::new(),
        };
        let dead = self.graph.edges(state).is_empty();
        let rank = self.ranks[&f][state as usize];
        let stutter = self.dead_ends == DeadEnds::Stutter;
        let mut here = |g: Id| need.others.push((state, g));
        match self.formulas.nodes[f] {
            Node::And(g, h) => {
                here(g);
                here(h);
            }
            Node::Or(g, h) => here(if self.holds(g, state) { g } else { h }),
            Node::Forall(_) if self.is_end(f, state) => here(self.ends),
            Node::Forall(path) => match self.formulas.nodes[path] {
                Node::Next(g) => {
                    need.alive = stutter;
                    if stutter && dead {
                        here(g);
                    }
                    self.all(state, f, g, &mut need);
                }
                Node::Until(_, h) if self.holds(h, state) => here(h),
                Node::Until(g, _) => {
                    here(g);
                    need.rank = rank;
                    need.alive = !self.ignore();
                    self.all(state, f, f, &mut need);
                }
                Node::Release(g, h) => {
                    here(h);
                    if self.holds(g, state) {
                        here(g);
                    } else {
                        self.all(state, f, f, &mut need);
                    }
                }
                _ => {}
            },
            Node::Exists(path) => match self.formulas.nodes[path] {
                Node::Next(g) => {
                    if stutter && dead {
                        need.alive = true;
                        here(g);
                    } else {
                        let on_path = |target| self.holds_on_path(g, target);
                        self.one(state, &[g, self.infinite], &on_path, &mut need);
                    }
                }
                Node::Until(_, h) if self.holds_on_path(h, state) => {
                    here(h);
                    if self.ignore() {
                        here(self.infinite);
                    }
                }
                Node::Until(g, _) => {
                    here(g);
                    need.rank = rank;
                    let nearer = |target: u32| self.ranks[&f][target as usize] < rank;
                    self.one(state, &[f], &nearer, &mut need);
                }
                Node::Release(g, h) => {
                    here(h);
                    if f != self.infinite && self.holds_on_path(g, state) {
                        here(g);
                        if self.ignore() {
                            here(self.infinite);
                        }
                    } else if dead && !self.ignore() {
                        need.alive = true;
                    } else {
                        let stays = |target: u32| self.holds(f, target);
                        self.one(state, &[f], &stays, &mut need);
                    }
                }
                _ => {}
            },
            _ => {}
        }
        need
    }

    /// All successors need `g`, or that all their paths end.
    fn all(&self, state: u32, f: Id, g: Id, need: &mut Need) {
        for &(_, target) in self.graph.edges(state) {
            let end = self.is_end(f, target);
            need.others.push((target, if end { self.ends } else { g }));
        }
    }

    /// The first successor that fits needs these formulas.
    fn one(&self, state: u32, formulas: &[Id], fits: &dyn Fn(u32) -> bool, need: &mut Need) {
        let edge = self.graph.edges(state).iter().find(|e| fits(e.1));
        if let Some(&(t, target)) = edge {
            need.choice = Some(t as usize);
            let matters = |f: &&Id| **f != self.infinite || self.ignore() || formulas.len() == 1;
            need.others
                .extend(formulas.iter().filter(matters).map(|&f| (target, f)));
        }
    }
}

/// Of a state: whether it matters if it is a dead end, and formulas with ranks and choices.
type Record = (bool, Vec<(Id, u32, Option<usize>)>);

/// What shows a formula in a state: its rank and choice, whether it matters if the state is a dead end, and what else
/// has to be shown.
struct Need {
    rank: u32,
    choice: Option<usize>,
    alive: bool,
    others: Vec<(u32, Id)>,
}
