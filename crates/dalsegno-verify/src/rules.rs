//! The rules of proofs by diagram: what a leaf must say, given what the leaves of successors say.
//!
//! Both ways of checking, `enumerate.rs` and `walk.rs`, ask the same questions of these rules, which know nothing of
//! markings: that letters and claims about dead ends are true of the markings is checked there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::certificate::{Alive, Cell, Diagram, Leaf};
use crate::claim::{Claim, DeadEnds, Logic};
use crate::failure::{Result, error, refused};
use crate::formula::{Formulas, Id, Node};
use crate::tableau::Tableau;

/// The rules, by name. A test drops each of them once and shows that something false is accepted then.
pub mod name {
    /// The initial marking is in the diagram, with what is to be shown.
    pub const INITIAL: &str = "the initial marking is not in the proof";
    /// A letter tells which atoms hold.
    pub const LETTER: &str = "an atom is not as the letter says";
    /// A dead end enables nothing.
    pub const DEAD: &str = "a marking that is said to be a dead end enables a transition";
    /// A transition that is said to be enabled is.
    pub const ENABLED: &str = "a transition that is said to be enabled is not";
    /// What follows is in the proof.
    pub const CLOSED: &str = "what follows is not in the proof";
    /// Ranks never grow.
    pub const GROWS: &str = "the rank grows";
    /// Ranks fall unless the until that they name is postponed.
    pub const STRICT: &str = "the rank must fall: the until that it names is not postponed";
    /// A formula follows from what the leaf says of its parts.
    pub const PARTS: &str = "a formula does not follow from its parts";
    /// The chosen successor shows what it is chosen for.
    pub const CHOICE: &str = "the chosen successor does not show the formula";
    /// The ranks of an until of branching time fall.
    pub const FALLS: &str = "the rank of an until does not fall";
    /// An until on all paths is not left open in a dead end.
    pub const ENDS: &str = "a dead end is not excluded";
    /// A state that is counted is entered from one nearer to the initial one.
    pub const ENTERED: &str = "a counted marking is not entered from a nearer one";
    /// Only the initial state has distance 0.
    pub const FIRST: &str = "another marking than the initial one has distance 0";
    /// The number of states is that of the paths.
    pub const COUNT: &str = "the number of markings is another one";
}

/// What a broken rule says, or nothing.
pub(crate) type Verdict = std::result::Result<(), &'static str>;

/// That a rule is kept, or which one is not.
pub(crate) fn keep(holds: bool, rule: &'static str) -> Verdict {
    #[cfg(test)]
    if dropped::RULE.get() == rule {
        return Ok(());
    }
    if holds { Ok(()) } else { Err(rule) }
}

/// What all successors of a leaf must satisfy.
enum All {
    /// LTL: the slot after it, and the untils that are postponed.
    Linear {
        rank: u64,
        target: Option<usize>,
        postponed: u64,
    },
    /// CTL: one of these slots; the flag says whether with a smaller rank.
    Branching { options: Vec<(usize, Option<u64>)> },
    /// Being in the diagram.
    Present,
}

/// What the successor by a transition must satisfy: all slots, with a smaller rank where one is given.
struct Chosen {
    transition: usize,
    slots: Vec<(usize, Option<u64>)>,
}

/// The rules for one diagram.
pub(crate) struct Rules<'a> {
    leaves: &'a [Leaf],
    marks: u64,
    all: Vec<Vec<All>>,
    chosen: Vec<Vec<Chosen>>,
}

impl<'a> Rules<'a> {
    /// The rules for a diagram that shows a claim; each leaf is checked by itself.
    pub(crate) fn new(claim: &Claim, diagram: &'a Diagram) -> Result<Self> {
        let mut rules = Rules {
            leaves: &diagram.leaves,
            marks: 1,
            all: Vec::new(),
            chosen: Vec::new(),
        };
        match claim.logic {
            Logic::Ltl => rules.linear(claim, diagram)?,
            Logic::Ctl => rules.branching(claim, diagram)?,
            Logic::States => {
                for leaf in &diagram.leaves {
                    let [cell] = leaf.cells[..] else {
                        return error(0, "certificate: a counted leaf has one cell");
                    };
                    rules.all.push(vec![All::Present]);
                    let slots = vec![(0, Some(cell.rank))];
                    let entered = cell.choice.map(|transition| Chosen { transition, slots });
                    if keep(entered.is_some() || cell.rank == 0, name::ENTERED).is_err() {
                        return refused(name::ENTERED, "a leaf names no transition");
                    }
                    let entered = entered.filter(|_| cell.rank > 0);
                    rules.chosen.push(entered.into_iter().collect());
                }
            }
        }
        Ok(rules)
    }

    fn linear(&mut self, claim: &Claim, diagram: &Diagram) -> Result<()> {
        let tableau = Tableau::new(claim)?;
        self.marks = tableau.marks();
        let slots: HashMap<&[Id], usize> =
            diagram.slots.iter().map(Vec::as_slice).zip(0..).collect();
        if diagram
            .slots
            .iter()
            .flatten()
            .any(|&f| f >= claim.formulas.len())
        {
            return error(0, "certificate: a slot has a formula that does not exist");
        }
        let mut known = HashMap::new();
        for leaf in &diagram.leaves {
            let mut all = Vec::new();
            for cell in &leaf.cells {
                let steps = match known.entry((cell.slot, leaf.letter)) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        entry.insert(tableau.steps(&diagram.slots[cell.slot], leaf.letter)?)
                    }
                };
                for (owed, postponed) in &*steps {
                    all.push(All::Linear {
                        rank: cell.rank,
                        target: slots.get(owed.as_slice()).copied(),
                        postponed: *postponed,
                    });
                }
            }
            self.all.push(all);
            self.chosen.push(Vec::new());
        }
        // Where a marking may be a dead end, it may be its own successor.
        let repeats = claim.dead_ends == DeadEnds::Stutter;
        for (i, leaf) in diagram.leaves.iter().enumerate() {
            if repeats && !matches!(leaf.alive, Alive::By(_)) {
                self.all(i, Some(i))
                    .or_else(|rule| refused(rule, "a marking that may repeat"))?;
            }
        }
        Ok(())
    }

    fn branching(&mut self, claim: &Claim, diagram: &Diagram) -> Result<()> {
        let mut formulas = claim.formulas.clone();
        let (truth, falsity) = (formulas.constant(true), formulas.constant(false));
        // That there is an infinite path, and that there is none.
        let always = formulas.add(Node::Release(falsity, truth));
        let never = formulas.add(Node::Until(truth, falsity));
        let (infinite, ends) = (
            formulas.add(Node::Exists(always)),
            formulas.add(Node::Forall(never)),
        );
        let mut slot_of = HashMap::new();
        for (slot, list) in diagram.slots.iter().enumerate() {
            match list[..] {
                [f] if f < formulas.len() => slot_of.insert(f, slot),
                _ => return error(0, "certificate: a slot of branching time has one formula"),
            };
        }
        for leaf in &diagram.leaves {
            let mut at = At {
                formulas: &formulas,
                slot_of: &slot_of,
                leaf,
                dead_ends: claim.dead_ends,
                truth,
                infinite,
                ends,
                all: Vec::new(),
                chosen: Vec::new(),
            };
            for cell in &leaf.cells {
                let f = diagram.slots[cell.slot][0];
                at.cell(cell, f)
                    .or_else(|rule| refused(rule, format!("formula {f} of a leaf")))?;
            }
            self.all.push(at.all);
            self.chosen.push(at.chosen);
        }
        Ok(())
    }

    /// Whether something is asked of all successors.
    pub(crate) fn asks_all(&self, leaf: usize) -> bool {
        !self.all[leaf].is_empty()
    }

    /// The transitions that a leaf chooses.
    pub(crate) fn choices(&self, leaf: usize) -> impl Iterator<Item = usize> + '_ {
        self.chosen[leaf].iter().map(|chosen| chosen.transition)
    }

    /// Whether a successor is as it must be; none if it is not in the diagram.
    pub(crate) fn all(&self, leaf: usize, successor: Option<usize>) -> Verdict {
        let next = successor.map(|next| &self.leaves[next]);
        for all in &self.all[leaf] {
            match all {
                All::Present => keep(next.is_some(), name::CLOSED)?,
                All::Linear {
                    rank,
                    target,
                    postponed,
                } => {
                    let found = target.and_then(|slot| next.and_then(|next| next.cell(slot)));
                    keep(found.is_some(), name::CLOSED)?;
                    if let Some(found) = found {
                        keep(found.rank <= *rank, name::GROWS)?;
                        let mark = rank % self.marks;
                        let stays = mark > 0 && postponed >> (mark - 1) & 1 == 1;
                        keep(found.rank != *rank || stays, name::STRICT)?;
                    }
                }
                All::Branching { options } => {
                    let in_some = options.iter().any(|&(slot, _)| has(next, slot, None));
                    keep(in_some, name::CLOSED)?;
                    let falls = options.iter().any(|&(slot, rank)| has(next, slot, rank));
                    keep(falls || !in_some, name::FALLS)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the successor by a transition that a leaf chooses is as it must be. Of counted states, the transition
    /// enters the leaf, and the other leaf is before it.
    pub(crate) fn chosen(&self, leaf: usize, transition: usize, other: Option<usize>) -> Verdict {
        let next = other.map(|next| &self.leaves[next]);
        for chosen in self.chosen[leaf]
            .iter()
            .filter(|c| c.transition == transition)
        {
            for &(slot, rank) in &chosen.slots {
                keep(has(next, slot, None), name::CHOICE)?;
                keep(has(next, slot, rank) || next.is_none(), name::FALLS)?;
            }
        }
        Ok(())
    }
}

/// Whether a leaf has a slot, with a rank below the one that is given.
fn has(leaf: Option<&Leaf>, slot: usize, below: Option<u64>) -> bool {
    let cell = leaf.and_then(|leaf| leaf.cell(slot));
    cell.is_some_and(|cell| below.is_none_or(|rank| cell.rank < rank))
}

/// A leaf of branching time.
struct At<'a> {
    formulas: &'a Formulas,
    slot_of: &'a HashMap<Id, usize>,
    leaf: &'a Leaf,
    dead_ends: DeadEnds,
    truth: Id,
    infinite: Id,
    ends: Id,
    all: Vec<All>,
    chosen: Vec<Chosen>,
}

impl At<'_> {
    /// Whether the leaf says that a formula holds.
    fn says(&self, f: Id) -> bool {
        f == self.truth
            || self
                .slot_of
                .get(&f)
                .is_some_and(|&slot| self.leaf.cell(slot).is_some())
    }

    /// As [`At::says`], and with paths that end not counting, that there is a path at all.
    fn says_on_path(&self, f: Id) -> bool {
        self.says(f) && (self.dead_ends != DeadEnds::Ignore || self.says(self.infinite))
    }

    /// Asks that all successors satisfy a formula, with a smaller rank if one is given. Where paths that end do not
    /// count, a successor from which all paths end satisfies everything on all paths.
    fn ask_all(&mut self, f: Id, rank: Option<u64>, itself: Id) {
        if f == self.truth {
            return;
        }
        let slot = |f: Id| self.slot_of.get(&f).copied();
        let mut options: Vec<(usize, Option<u64>)> = Vec::new();
        options.extend(slot(f).map(|slot| (slot, rank)));
        if self.dead_ends == DeadEnds::Ignore && itself != self.ends {
            options.extend(slot(self.ends).map(|slot| (slot, None)));
        }
        self.all.push(All::Branching { options });
    }

    /// Asks that the chosen successor satisfies a formula, with a smaller rank if one is given; whether there is a
    /// choice. With `infinite`, an infinite path must begin there, if others do not count.
    fn ask_chosen(&mut self, cell: &Cell, f: Id, rank: Option<u64>, infinite: bool) -> bool {
        let Some(transition) = cell.choice else {
            return false;
        };
        let mut wanted = vec![(f, rank)];
        if infinite && self.dead_ends == DeadEnds::Ignore {
            wanted.push((self.infinite, None));
        }
        let mut slots = Vec::new();
        for (f, rank) in wanted.into_iter().filter(|(f, _)| *f != self.truth) {
            match self.slot_of.get(&f) {
                Some(&slot) => slots.push((slot, rank)),
                None => return false,
            }
        }
        self.chosen.push(Chosen { transition, slots });
        true
    }

    fn cell(&mut self, cell: &Cell, f: Id) -> Verdict {
        let (dead, alive) = (
            self.leaf.alive == Alive::Dead,
            matches!(self.leaf.alive, Alive::By(_)),
        );
        let rank = Some(cell.rank);
        let bit = |a: usize| self.leaf.letter >> a & 1 == 1;
        let stutter = self.dead_ends == DeadEnds::Stutter;
        let ignore = self.dead_ends == DeadEnds::Ignore;
        let parts = match self.formulas.node(f) {
            Node::True => true,
            Node::Atom(a) => bit(a),
            Node::Not(g) => match self.formulas.node(g) {
                Node::Atom(a) => !bit(a),
                _ => false,
            },
            Node::And(g, h) => self.says(g) && self.says(h),
            Node::Or(g, h) => self.says(g) || self.says(h),
            Node::Forall(_) if ignore && f != self.ends && self.says(self.ends) => true,
            Node::Forall(path) => match self.formulas.node(path) {
                Node::Next(g) => {
                    self.ask_all(g, None, f);
                    alive || !stutter || self.says(g)
                }
                Node::Release(g, h) => {
                    if !self.says(g) {
                        self.ask_all(f, None, f);
                    }
                    self.says(h)
                }
                Node::Until(g, h) if !self.says(h) => {
                    self.ask_all(f, rank, f);
                    keep(alive || ignore, name::ENDS)?;
                    self.says(g)
                }
                Node::Until(..) => true,
                _ => false,
            },
            Node::Exists(path) => match self.formulas.node(path) {
                Node::Next(g) => {
                    (dead && stutter && self.says(g)) || self.ask_chosen(cell, g, None, true)
                }
                Node::Release(g, h) => {
                    let enough = self.says_on_path(g) || (dead && !ignore);
                    self.says(h) && (enough || self.ask_chosen(cell, f, None, false))
                }
                Node::Until(g, h) => {
                    let now = self.says_on_path(h);
                    now || (self.says(g) && self.ask_chosen(cell, f, rank, false))
                }
                _ => false,
            },
            Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        };
        keep(parts, name::PARTS)
    }
}

/// The rule that tests drop.
#[cfg(test)]
pub(crate) mod dropped {
    use std::cell::Cell;
    thread_local!(pub(crate) static RULE: Cell<&'static str> = const { Cell::new("") });
}
