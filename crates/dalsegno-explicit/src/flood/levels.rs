//! Breadth-first levels with parents: each node's parent is the least one of the level before.
//!
//! A flood per level, so that the parents, and the paths that follow them, are the same for any number of workers. Nodes
//! are compared by their names: the words of the state and the key of the automaton state.
//!
//! Cost: the nodes and edges looked at, each record twice as long as others, and 8 bytes per node.

use dalsegno_automata::Marks;
use rustc_hash::FxHashMap;

use super::report::{Agreed, agree};
use super::shard::{Shard, Usable};
use super::{Crew, Lost, Outbox, Task, gather, sums};
use crate::states::StateSet;

/// A node by its owner and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    pub owner: u32,
    pub number: u32,
}

/// No parent yet.
const NONE: u64 = u64::MAX;
/// Of a node that has none.
const ROOT: u64 = u64::MAX - 1;
/// Of a parent: the edge carries the mark.
const CROSSED: u64 = 1 << 63;

/// Which edges begin.
#[derive(Clone, Copy)]
pub(crate) enum Begin {
    /// All that leave initial nodes; nodes are numbered as they are met.
    Initial,
    /// Those between nodes that are alive with this mark, or all of them.
    Marked(Option<Marks>),
}

/// Parents of the nodes of a shard.
pub(crate) struct Levels {
    pub shard: Shard,
    begin: Begin,
    alive: Option<StateSet>,
    usable: Usable,
    parents: Vec<u64>,
    /// Whether the first edges are being followed.
    first: bool,
    /// The nodes whose edges are followed, and the next one of them.
    sources: Vec<u32>,
    next: usize,
    /// The nodes met in this level, the names of their parents one after the other, and where they are.
    met: Vec<u32>,
    names: Vec<u64>,
    places: FxHashMap<u32, u32>,
    tail: Vec<u64>,
}

impl Levels {
    fn new(shard: Shard, begin: Begin, alive: Option<StateSet>, usable: Usable) -> Self {
        let mut levels = Levels {
            parents: vec![NONE; shard.nodes.len()],
            shard,
            begin,
            alive,
            usable,
            first: true,
            sources: Vec::new(),
            next: 0,
            met: Vec::new(),
            names: Vec::new(),
            places: FxHashMap::default(),
            tail: Vec::new(),
        };
        match begin {
            Begin::Initial => {
                let (inbox, stride) = (levels.shard.take_inbox(), levels.shard.record());
                for part in inbox.chunks(Shard::part(stride)) {
                    levels.shard.look_up(part, stride, true);
                }
                levels.shard.give_back(inbox);
                levels.parents = vec![ROOT; levels.shard.nodes.len()];
                levels.met = (0..levels.shard.nodes.len() as u32).collect();
            }
            Begin::Marked(_) => {
                if let Some(alive) = &levels.alive {
                    levels.sources = alive.iter().collect();
                }
            }
        }
        levels
    }

    /// The words of a record.
    fn stride(&self) -> usize {
        2 * self.shard.record() + 1
    }

    fn bytes(&self) -> u64 {
        8 * (self.parents.capacity() + self.names.capacity()) as u64
            + 4 * (self.sources.capacity() + self.met.capacity()) as u64
            + 12 * self.places.capacity() as u64
    }

    /// Goes on with the nodes met last.
    fn descend(&mut self) {
        self.first = false;
        self.next = 0;
        std::mem::swap(&mut self.sources, &mut self.met);
        self.met.clear();
        self.names.clear();
        self.places.clear();
    }

    fn arrive(&mut self, from: usize, records: &[u64]) {
        let (stride, record) = (self.stride(), self.shard.record());
        let adds = matches!(self.begin, Begin::Initial);
        for part in records.chunks(Shard::part(stride)) {
            if !self.shard.look_up(part, stride, adds) {
                return;
            }
            self.parents.resize(self.shard.nodes.len(), NONE);
            let arrived = std::mem::take(&mut self.shard.arrived);
            for (words, &node) in part.chunks_exact(stride).zip(&arrived) {
                let (number, name) = (words[record], &words[record + 1..]);
                self.meet(node, (from as u64) << 32 | number, name);
            }
            self.shard.arrived = arrived;
        }
    }

    fn meet(&mut self, node: u32, parent: u64, name: &[u64]) {
        if self.alive.as_ref().is_some_and(|alive| !alive.has(node)) {
            return;
        }
        let parent = if self.first && matches!(self.begin, Begin::Marked(_)) {
            parent | CROSSED
        } else {
            parent
        };
        let stride = name.len();
        if self.parents[node as usize] == NONE {
            self.places.insert(node, self.met.len() as u32);
            self.met.push(node);
            self.names.extend_from_slice(name);
            self.parents[node as usize] = parent;
        } else if let Some(&place) = self.places.get(&node) {
            let start = place as usize * stride;
            let least = &mut self.names[start..start + stride];
            if name < &*least {
                least.copy_from_slice(name);
                self.parents[node as usize] = parent;
            }
        }
    }

    fn expand(&mut self, node: u32, out: &mut Outbox) -> bool {
        let wanted = match self.begin {
            Begin::Marked(mark) if self.first => mark,
            _ => None,
        };
        let mut tail = std::mem::take(&mut self.tail);
        tail.clear();
        tail.push(u64::from(node));
        self.shard.name(node, &mut tail);
        let flags = |marks: Marks| match wanted {
            Some(mark) if marks.intersection(mark) == Marks::NONE => None,
            _ => Some(0),
        };
        let goes_on = self.shard.expand(node, self.usable, &tail, out, flags);
        self.tail = tail;
        goes_on
    }
}

impl Task for Levels {
    fn receive(&mut self, from: usize, records: &[u64]) {
        if self.shard.end.is_none() {
            self.arrive(from, records);
        }
    }

    fn work(&mut self, out: &mut Outbox) -> bool {
        for _ in 0..512 {
            if self.shard.end.is_some() {
                break;
            }
            if !self.shard.is_inbox_full()
                && let Some(&node) = self.sources.get(self.next)
            {
                self.next += 1;
                self.expand(node, out);
                continue;
            }
            let inbox = self.shard.take_inbox();
            if inbox.is_empty() {
                return false;
            }
            self.arrive(self.shard.index(), &inbox);
            self.shard.give_back(inbox);
        }
        let bytes = self.bytes() + out.bytes();
        if !self.shard.goes_on(bytes) {
            out.halt();
            return false;
        }
        true
    }
}

/// The parents of all nodes that are alive, from edges with a mark on; of all edges, if there is none.
pub(crate) fn parents<C: Crew>(
    crew: &mut C,
    shard: Shard,
    alive: &StateSet,
    usable: Usable,
    mark: Option<Marks>,
) -> Result<Result<Levels, Agreed>, Lost> {
    let mut levels = Levels::new(shard, Begin::Marked(mark), Some(alive.clone()), usable);
    loop {
        levels = match level(crew, levels)? {
            Ok(levels) => levels,
            Err((agreed, _)) => return Ok(Err(agreed)),
        };
        if sums(crew, &[levels.met.len() as u64])?[0] == 0 {
            return Ok(Ok(levels));
        }
        levels.descend();
    }
}

/// Why somebody could not go on, and the shard.
pub(crate) type Halted = (Agreed, Shard);

/// The parents of a part of the product that has a node of a kind, and the least such node of the first level that has one.
/// Where somebody could not go on, the shard is handed back.
pub(crate) fn find<C: Crew>(
    crew: &mut C,
    shard: Shard,
    mut is_goal: impl FnMut(&mut Shard, u32) -> bool,
) -> Result<Result<(Levels, Option<Place>), Halted>, Lost> {
    let mut levels = Levels::new(shard, Begin::Initial, None, Usable::All);
    loop {
        let mut least: Option<(Vec<u64>, u32)> = None;
        for i in 0..levels.met.len() {
            let node = levels.met[i];
            if is_goal(&mut levels.shard, node) {
                let mut name = Vec::new();
                levels.shard.name(node, &mut name);
                let this = (name, node);
                least = Some(least.map_or(this.clone(), |other| other.min(this)));
            }
        }
        let mut mine = vec![levels.met.len() as u64];
        if let Some((name, node)) = least {
            mine.extend(name);
            mine.push(u64::from(node));
        }
        let all = gather(crew, mine)?;
        let goals = all.iter().zip(0..).filter(|(told, _)| told.len() > 1);
        let least = goals.min_by(|(a, _), (b, _)| a[1..].cmp(&b[1..]));
        if let Some((told, owner)) = least {
            let number = told[told.len() - 1] as u32;
            return Ok(Ok((levels, Some(Place { owner, number }))));
        }
        if all.iter().all(|told| told[0] == 0) {
            return Ok(Ok((levels, None)));
        }
        levels.descend();
        levels = match level(crew, levels)? {
            Ok(levels) => levels,
            Err(ended) => return Ok(Err(ended)),
        };
    }
}

/// Follows the edges of a level.
fn level<C: Crew>(crew: &mut C, levels: Levels) -> Result<Result<Levels, Halted>, Lost> {
    let mut levels = crew.flood(levels)?;
    let end = levels.shard.end.clone();
    Ok(match agree(crew, end.as_ref(), &mut levels.shard.steps)? {
        None => Ok(levels),
        Some(agreed) => Err((agreed, levels.shard)),
    })
}

/// The parents of the nodes of a shard, one list for each mark.
pub(crate) struct Parents {
    lists: Vec<Vec<u64>>,
}

impl Levels {
    /// The parents by themselves, and the shard.
    pub fn into_parents(self) -> (Shard, Vec<u64>) {
        (self.shard, self.parents)
    }
}

/// A walk back along parents.
pub(crate) struct Walk {
    /// The names of the nodes, one after the other, as they were come by.
    pub names: Vec<u64>,
    /// Where in the walk its last parent is, if it is there.
    pub closes: Option<usize>,
}

impl Parents {
    /// One list for each mark.
    pub fn new(lists: Vec<Vec<u64>>) -> Self {
        Parents { lists }
    }

    /// Walks back from a node until a root or until it comes to where it was, with the mark that is looked for then. Each
    /// owner goes as far as it can, and tells all others where it was.
    pub fn walk<C: Crew>(&self, crew: &mut C, shard: &Shard, start: Place) -> Result<Walk, Lost> {
        let mut walk = Walk {
            names: Vec::new(),
            closes: None,
        };
        let mut seen: FxHashMap<(Place, u32), usize> = FxHashMap::default();
        let mut at = (start, 0);
        loop {
            let own = at.0.owner as usize == crew.index();
            let mine = if own {
                self.own_part(shard, at, &seen)
            } else {
                Vec::new()
            };
            let told = gather(crew, mine)?.concat();
            let (steps, next) = told.split_at(told.len() - 3);
            for step in steps.chunks_exact(shard.record() + 2) {
                let place = Place {
                    owner: at.0.owner,
                    number: step[0] as u32,
                };
                seen.insert((place, step[1] as u32), seen.len());
                walk.names.extend_from_slice(&step[2..]);
            }
            if next[0] == ROOT {
                return Ok(walk);
            }
            let place = Place {
                owner: next[0] as u32,
                number: next[1] as u32,
            };
            at = (place, next[2] as u32);
            if let Some(&first) = seen.get(&at) {
                walk.closes = Some(first);
                return Ok(walk);
            }
        }
    }

    /// The steps of a walk as long as they stay here: number, mark and name of each node, and where it goes then.
    fn own_part(
        &self,
        shard: &Shard,
        (mut place, mut list): (Place, u32),
        seen: &FxHashMap<(Place, u32), usize>,
    ) -> Vec<u64> {
        let mut told = Vec::new();
        let mut here: FxHashMap<(Place, u32), usize> = FxHashMap::default();
        loop {
            here.insert((place, list), here.len());
            told.extend([u64::from(place.number), u64::from(list)]);
            shard.name(place.number, &mut told);
            let parent = self.lists[list as usize][place.number as usize];
            if parent == ROOT {
                told.extend([ROOT, 0, 0]);
                return told;
            }
            if parent & CROSSED != 0 {
                list = (list + 1) % self.lists.len() as u32;
            }
            place = Place {
                owner: ((parent & !CROSSED) >> 32) as u32,
                number: parent as u32,
            };
            let known = seen.contains_key(&(place, list)) || here.contains_key(&(place, list));
            if place.owner as usize != shard.index() || known {
                told.extend([u64::from(place.owner), u64::from(place.number)]);
                told.push(u64::from(list));
                return told;
            }
        }
    }
}
