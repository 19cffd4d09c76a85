//! The rules of proofs by diagram: what a leaf must say, given what the leaves of successors say.
//!
//! Both ways of checking, `enumerate.rs` and `walk.rs`, ask the same two questions of these rules: `after`, about all
//! successors, and `by`, about one transition that a leaf names. Rules know nothing of markings: that letters and
//! claims about dead ends are true of markings is checked there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::claim::{Claim, DeadEnds, Logic};
use crate::diagram::{Alive, Cell, Diagram, Leaf};
use crate::formula::{Atom, Formulas, Id, Node};
use crate::tableau::Tableau;
use crate::{Failure, Result, Work, error};

/// The rules, by name. A test drops each of them once and shows that something false is accepted then.
pub(crate) mod name {
    pub(crate) const INITIAL: &str = "the initial marking is not in the proof, with what is to be shown";
    pub(crate) const LETTER: &str = "an atom is not as the letter says";
    pub(crate) const DEAD: &str = "a marking that is said to be a dead end enables a transition";
    /// Or, in a count, the transition does not enter the markings of the leaf.
    pub(crate) const ENABLED: &str = "a transition is not enabled where it is said to be";
    pub(crate) const CLOSED: &str = "what follows is not in the proof";
    pub(crate) const FALLS: &str = "the rank does not fall as it must";
    pub(crate) const STRICT: &str = "the rank stays, and the until that it names is not postponed";
    pub(crate) const PARTS: &str = "a formula of branching time does not follow from its parts";
    pub(crate) const ENDS: &str = "an until on all paths is left open in a dead end";
    pub(crate) const FIRST: &str = "another marking than the initial one has distance 0";
    pub(crate) const COUNT: &str = "the number of markings is another one";
    pub(crate) const FARKAS: &str = "the multipliers do not contradict the constraints";
    pub(crate) const TRAP: &str = "the places are no trap that has tokens";
    pub(crate) const SIPHON: &str = "the places are no siphon without tokens";
}

/// Which rule is broken, or none.
pub(crate) type Verdict = std::result::Result<(), &'static str>;

/// That a rule is kept, or which one is not.
pub(crate) fn keep(holds: bool, rule: &'static str) -> Verdict {
    #[cfg(test)]
    let holds = holds || dropped::RULE.get() == rule;
    if holds { Ok(()) } else { Err(rule) }
}

/// As [`keep`], with the place where.
pub(crate) fn keep_at(holds: bool, rule: &'static str, at: impl FnOnce() -> String) -> Result<()> {
    keep(holds, rule).map_err(|rule| Failure::Refused(rule, at()))
}

/// What another leaf must say: one of these slots, with a rank below a bound if there is one.
type Wanted = Vec<(usize, Option<u64>)>;

/// The bound on the rank that follows a rank: it may stay, or it must fall.
fn below(rank: u64, may_stay: bool) -> u64 {
    rank.saturating_add(u64::from(keep(may_stay, name::STRICT).is_ok()))
}

/// What a leaf asks of other leaves.
#[derive(Default)]
struct Duties {
    /// Of all successors.
    all: Vec<Wanted>,
    /// Of the successor by a transition; or, in a count, of the marking before it. Without a wish it must be enabled.
    chosen: Vec<(usize, Option<Wanted>)>,
}

/// The rules for one diagram.
pub(crate) struct Rules<'a> {
    leaves: &'a [Leaf],
    duties: Vec<Duties>,
}

impl<'a> Rules<'a> {
    /// The rules for a diagram that shows a claim. What a leaf must satisfy by itself is checked here.
    pub(crate) fn new(claim: &Claim, diagram: &'a Diagram, work: &mut Work<'_>) -> Result<Self> {
        let leaves = &diagram.leaves;
        if let Some(bit) = claim.formulas.atoms.iter().position(|atom| *atom == Atom::Deadlock) {
            for leaf in leaves {
                let right = (leaf.letter >> bit & 1 == 1) == (leaf.alive == Alive::Dead);
                keep_at(right && leaf.alive != Alive::Unknown, name::LETTER, || "of deadlock()".to_owned())?;
            }
        }
        let duties = match claim.header.logic {
            Logic::Ltl => linear(claim, diagram, work)?,
            Logic::Ctl => branching(claim, diagram, work)?,
            Logic::States => leaves.iter().map(counted).collect::<Result<Vec<Duties>>>()?,
        };
        let rules = Rules { leaves, duties };
        if claim.header.logic == Logic::Ltl && claim.header.dead_ends == DeadEnds::Stutter {
            // A marking that may be a dead end may be its own successor.
            for i in (0..leaves.len()).filter(|&i| !matches!(leaves[i].alive, Alive::By(_))) {
                let checked = rules.all(i, Some(i));
                checked.map_err(|rule| Failure::Refused(rule, "a marking that may repeat".to_owned()))?;
            }
        }
        Ok(rules)
    }

    /// Whether something is asked about all successors.
    pub(crate) fn asks_all(&self, leaf: usize) -> bool {
        !self.duties[leaf].all.is_empty() || self.leaves[leaf].alive == Alive::Dead
    }

    /// Whether a leaf may have a successor: this leaf, or one that is not in the diagram.
    pub(crate) fn after(&self, leaf: usize, successor: Option<usize>) -> Verdict {
        keep(self.leaves[leaf].alive != Alive::Dead, name::DEAD)?;
        self.all(leaf, successor)
    }

    fn all(&self, leaf: usize, successor: Option<usize>) -> Verdict {
        self.duties[leaf].all.iter().try_for_each(|wanted| self.has(successor, wanted))
    }

    /// The transitions that a leaf names.
    pub(crate) fn named(&self, leaf: usize) -> impl Iterator<Item = usize> + '_ {
        let alive = if let Alive::By(t) = self.leaves[leaf].alive { Some(t) } else { None };
        alive.into_iter().chain(self.duties[leaf].chosen.iter().map(|&(t, _)| t))
    }

    /// Whether a leaf may name a transition that leads to (or, in a count, comes from) this leaf, or one that is not in
    /// the diagram.
    pub(crate) fn by(&self, leaf: usize, transition: usize, other: Option<usize>) -> Verdict {
        let chosen = self.duties[leaf].chosen.iter().filter(|(t, _)| *t == transition);
        chosen.filter_map(|(_, wanted)| wanted.as_ref()).try_for_each(|wanted| self.has(other, wanted))
    }

    fn has(&self, leaf: Option<usize>, wanted: &Wanted) -> Verdict {
        let rank = |slot| leaf.and_then(|leaf| self.leaves[leaf].cell(slot)).map(|cell| cell.rank);
        let found = wanted.iter().any(|&(slot, _)| rank(slot).is_some());
        keep(found, name::CLOSED)?;
        let low = |&(slot, below): &(usize, Option<u64>)| {
            rank(slot).is_some_and(|rank| below.is_none_or(|below| rank < below))
        };
        keep(!found || wanted.iter().any(low), name::FALLS)
    }
}

/// Linear time: all successors have what is owed next, with a rank that does not grow, and falls unless the until that
/// it names is postponed.
fn linear(claim: &Claim, diagram: &Diagram, work: &mut Work<'_>) -> Result<Vec<Duties>> {
    let tableau = Tableau::new(claim)?;
    let slots: HashMap<&[Id], usize> = diagram.slots.iter().map(Vec::as_slice).zip(0..).collect();
    if diagram.slots.iter().flatten().any(|&f| f >= claim.formulas.nodes.len()) {
        return error(0, "certificate: a slot has a formula that does not exist");
    }
    let (mut known, mut all) = (HashMap::new(), Vec::new());
    for leaf in &diagram.leaves {
        let mut duties = Duties::default();
        for cell in &leaf.cells {
            let steps = match known.entry((cell.slot, leaf.letter)) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let steps = tableau.steps(&diagram.slots[cell.slot], leaf.letter)?;
                    work.take(1 + steps.len() * steps.len())?;
                    entry.insert(steps)
                }
            };
            work.take(steps.len())?;
            for (owed, postponed) in &*steps {
                let mark = cell.rank % tableau.marks();
                let stays = mark > 0 && postponed >> (mark - 1) & 1 == 1;
                let slot = slots.get(owed.as_slice());
                duties.all.push(slot.map(|&slot| (slot, Some(below(cell.rank, stays)))).into_iter().collect());
            }
        }
        all.push(duties);
    }
    Ok(all)
}

/// Counted markings: successors are in the diagram, and each marking but one is entered from one with a smaller
/// distance.
fn counted(leaf: &Leaf) -> Result<Duties> {
    let [Cell { slot, rank, choice }] = leaf.cells[..] else {
        return error(0, "certificate: a counted leaf has one cell");
    };
    keep_at(rank == 0 || choice.is_some(), name::ENABLED, || "a counted leaf names no transition".to_owned())?;
    let chosen = choice.filter(|_| rank > 0).map(|t| (t, Some(vec![(slot, Some(below(rank, false)))])));
    Ok(Duties { all: vec![vec![(slot, None)]], chosen: chosen.into_iter().collect() })
}

/// Branching time: each formula of a leaf follows from what this and other leaves say.
fn branching(claim: &Claim, diagram: &Diagram, work: &mut Work<'_>) -> Result<Vec<Duties>> {
    let mut formulas = claim.formulas.clone();
    let (infinite, ends) = infinite(&mut formulas);
    let mut slot_of = HashMap::new();
    for (slot, list) in diagram.slots.iter().enumerate() {
        match list[..] {
            [f] if f < formulas.nodes.len() => slot_of.insert(f, slot),
            _ => return error(0, "certificate: a slot of branching time has one formula"),
        };
    }
    let mut all = Vec::new();
    for leaf in &diagram.leaves {
        work.take(1 + leaf.cells.len())?;
        let (dead_ends, duties) = (claim.header.dead_ends, Duties::default());
        let mut at = At { formulas: &formulas, slot_of: &slot_of, leaf, dead_ends, infinite, ends, duties };
        for cell in &leaf.cells {
            let f = diagram.slots[cell.slot][0];
            let checked = at.follows(cell, f).and_then(|follows| keep(follows, name::PARTS));
            checked.map_err(|rule| Failure::Refused(rule, format!("formula {f} of a leaf")))?;
        }
        all.push(at.duties);
    }
    Ok(all)
}

/// The formulas that there is an infinite path, and that there is none: `EG true` and `AF false`.
#[must_use]
pub fn infinite(formulas: &mut Formulas) -> (Id, Id) {
    let (truth, falsity) = (formulas.constant(true), formulas.constant(false));
    let (always, never) = (formulas.globally(truth), formulas.finally(falsity));
    (formulas.add(Node::Exists(always)), formulas.add(Node::Forall(never)))
}

/// A leaf of branching time.
struct At<'a> {
    formulas: &'a Formulas,
    slot_of: &'a HashMap<Id, usize>,
    leaf: &'a Leaf,
    dead_ends: DeadEnds,
    infinite: Id,
    ends: Id,
    duties: Duties,
}

impl At<'_> {
    fn is_true(&self, f: Id) -> bool {
        self.formulas.nodes[f] == Node::True
    }

    /// Whether the leaf says that a formula holds.
    fn says(&self, f: Id) -> bool {
        self.is_true(f) || self.slot_of.get(&f).and_then(|&slot| self.leaf.cell(slot)).is_some()
    }

    /// As [`At::says`], and where paths that end do not count, that there is a path at all.
    fn says_on_path(&self, f: Id) -> bool {
        self.says(f) && (self.dead_ends != DeadEnds::Ignore || self.says(self.infinite))
    }

    fn wanted(&self, f: Id, below: Option<u64>) -> Wanted {
        self.slot_of.get(&f).map(|&slot| (slot, below)).into_iter().collect()
    }

    /// Asks that all successors satisfy a formula with a rank below. Where paths that end do not count, a successor
    /// from which all paths end satisfies everything on all paths.
    fn ask_all(&mut self, f: Id, below: Option<u64>, itself: Id) {
        let mut wanted = self.wanted(f, below);
        if self.dead_ends == DeadEnds::Ignore && itself != self.ends {
            wanted.extend(self.wanted(self.ends, None));
        }
        if !self.is_true(f) {
            self.duties.all.push(wanted);
        }
    }

    /// Asks that the chosen successor satisfies a formula with a rank below; whether there is a choice.
    fn ask_chosen(&mut self, cell: &Cell, f: Id, below: Option<u64>) -> bool {
        let wanted = (!self.is_true(f)).then(|| self.wanted(f, below));
        self.duties.chosen.extend(cell.choice.map(|t| (t, wanted)));
        cell.choice.is_some()
    }

    /// Whether a formula follows from what the leaf says, and from what it asks of others.
    fn follows(&mut self, cell: &Cell, f: Id) -> std::result::Result<bool, &'static str> {
        let (dead, alive) = (self.leaf.alive == Alive::Dead, matches!(self.leaf.alive, Alive::By(_)));
        let bit = |a: usize| self.leaf.letter >> a & 1 == 1;
        let stutter = self.dead_ends == DeadEnds::Stutter;
        let ignore = self.dead_ends == DeadEnds::Ignore;
        let falls = Some(below(cell.rank, false));
        Ok(match self.formulas.nodes[f] {
            Node::True => true,
            Node::Atom(a) => bit(a),
            Node::NotAtom(a) => !bit(a),
            Node::And(g, h) => self.says(g) && self.says(h),
            Node::Or(g, h) => self.says(g) || self.says(h),
            Node::Forall(_) if ignore && f != self.ends && self.says(self.ends) => true,
            Node::Forall(path) => match self.formulas.nodes[path] {
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
                    self.ask_all(f, falls, f);
                    // A path that ends here does not reach h, unless such paths do not count.
                    keep(alive || ignore, name::ENDS)?;
                    self.says(g)
                }
                Node::Until(..) => true,
                _ => false,
            },
            Node::Exists(path) => match self.formulas.nodes[path] {
                Node::Next(g) if dead && stutter => self.says(g),
                Node::Next(g) => {
                    let on_path = !ignore || self.ask_chosen(cell, self.infinite, None);
                    on_path && self.ask_chosen(cell, g, None)
                }
                Node::Release(g, h) => {
                    let enough = self.says_on_path(g) || (dead && !ignore);
                    self.says(h) && (enough || self.ask_chosen(cell, f, None))
                }
                Node::Until(g, h) => self.says_on_path(h) || (self.says(g) && self.ask_chosen(cell, f, falls)),
                _ => false,
            },
            Node::False | Node::Next(_) | Node::Until(..) | Node::Release(..) => false,
        })
    }
}

/// The rule that tests drop.
#[cfg(test)]
pub(crate) mod dropped {
    use std::cell::Cell;
    thread_local!(pub(crate) static RULE: Cell<&'static str> = const { Cell::new("") });
}
