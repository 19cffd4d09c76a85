//! The rules of proofs by diagram: what a leaf must say, given what the leaves of successors say.
//!
//! Rules know nothing of markings: that letters and claims about dead ends are true of markings is checked in `check.rs`.

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
    pub(crate) const PLACES: &str = "a place that has to be known is in no level";
    pub(crate) const CLOSED: &str = "what follows is not in the proof";
    pub(crate) const FALLS: &str = "the rank does not fall as it must";
    pub(crate) const STRICT: &str = "the rank stays, and the until that it names is not postponed";
    pub(crate) const PARTS: &str = "a formula of branching time does not follow from its parts";
    pub(crate) const ENDS: &str = "a dead end leaves open what all paths must satisfy";
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
    let holds = holds || crate::tests::DROPPED.get() == rule;
    if holds { Ok(()) } else { Err(rule) }
}

/// As [`keep`], with the place where.
pub(crate) fn keep_at(holds: bool, rule: &'static str, at: impl FnOnce() -> String) -> Result<()> {
    keep(holds, rule).map_err(|rule| Failure::Refused(rule, at()))
}

/// What a leaf asks of another one.
struct Duty {
    /// Of the leaf to which this transition leads, which must be enabled; in a count, from which it leads here. If there
    /// is none, of all successors.
    by: Option<usize>,
    /// To have one of these slots, with a rank below a bound if there is one; or nothing more.
    wanted: Option<Wanted>,
    /// The rule that is broken if it has none of them.
    rule: &'static str,
}

type Wanted = Vec<(usize, Option<u64>)>;

impl Duty {
    fn new(by: Option<usize>, wanted: Option<Wanted>) -> Self {
        Duty { by, wanted, rule: name::CLOSED }
    }
}

/// The bound on the rank that follows a rank: it may stay, or it must fall.
fn below(rank: u64, may_stay: bool) -> u64 {
    rank.saturating_add(u64::from(keep(may_stay, name::STRICT).is_ok()))
}

/// The rules for one diagram: what each leaf asks.
pub(crate) struct Rules<'a> {
    leaves: &'a [Leaf],
    duties: Vec<Vec<Duty>>,
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
            Logic::States => leaves.iter().map(counted).collect::<Result<Vec<Vec<Duty>>>>()?,
        };
        let mut rules = Rules { leaves, duties };
        if claim.header.logic == Logic::Ltl && claim.header.dead_ends == DeadEnds::Stutter {
            // A marking that may be a dead end may be its own successor.
            for i in (0..leaves.len()).filter(|&i| !matches!(leaves[i].alive, Alive::By(_))) {
                let checked = rules.check(i, None, Some(i));
                checked.map_err(|rule| Failure::Refused(rule, "a marking that may repeat".to_owned()))?;
            }
        }
        for (leaf, duties) in leaves.iter().zip(&mut rules.duties) {
            match leaf.alive {
                Alive::Unknown => {}
                Alive::Dead => duties.push(Duty { by: None, wanted: Some(Wanted::new()), rule: name::DEAD }),
                Alive::By(t) => duties.push(Duty::new(Some(t), None)),
            }
        }
        Ok(rules)
    }

    /// Whether a leaf asks something of all successors, or by a transition.
    pub(crate) fn asks(&self, leaf: usize, by: Option<usize>) -> bool {
        self.duties[leaf].iter().any(|duty| duty.by == by)
    }

    /// The transitions that a leaf names.
    pub(crate) fn named(&self, leaf: usize) -> impl Iterator<Item = usize> + '_ {
        self.duties[leaf].iter().filter_map(|duty| duty.by)
    }

    /// Whether another leaf, or one that is not in the diagram, is as a leaf asks of all successors, or by a transition.
    pub(crate) fn check(&self, leaf: usize, by: Option<usize>, other: Option<usize>) -> Verdict {
        let rank = |slot| other.and_then(|other| self.leaves[other].cell(slot)).map(|cell| cell.rank);
        for duty in self.duties[leaf].iter().filter(|duty| duty.by == by) {
            if let Some(wanted) = &duty.wanted {
                let found = wanted.iter().any(|&(slot, _)| rank(slot).is_some());
                keep(found, duty.rule)?;
                let low = |below: Option<u64>, rank| below.is_none_or(|below| rank < below);
                let falls = wanted.iter().any(|&(slot, below)| rank(slot).is_some_and(|rank| low(below, rank)));
                keep(!found || falls, name::FALLS)?;
            }
        }
        Ok(())
    }
}

/// Linear time: all successors have what is owed next, with a rank that does not grow, and falls unless the until that
/// it names is postponed.
fn linear(claim: &Claim, diagram: &Diagram, work: &mut Work<'_>) -> Result<Vec<Vec<Duty>>> {
    let tableau = Tableau::new(claim)?;
    let slots: HashMap<&[Id], usize> = diagram.slots.iter().map(Vec::as_slice).zip(0..).collect();
    if diagram.slots.iter().flatten().any(|&f| f >= claim.formulas.nodes.len()) {
        return error(0, "certificate: a slot has a formula that does not exist");
    }
    let (mut known, mut all) = (HashMap::new(), Vec::new());
    for leaf in &diagram.leaves {
        let mut duties = Vec::new();
        for &Cell { slot, rank, .. } in &leaf.cells {
            let steps = match known.entry((slot, leaf.letter)) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let steps = tableau.steps(&diagram.slots[slot], leaf.letter)?;
                    work.take(1 + steps.len() * steps.len())?;
                    entry.insert(steps)
                }
            };
            work.take(steps.len())?;
            duties.extend(steps.iter().map(|(owed, postponed)| {
                let mark = rank % tableau.marks();
                let stays = mark > 0 && postponed >> (mark - 1) & 1 == 1;
                let slot = slots.get(owed.as_slice());
                Duty::new(None, Some(slot.map(|&slot| (slot, Some(below(rank, stays)))).into_iter().collect()))
            }));
        }
        all.push(duties);
    }
    Ok(all)
}

/// Counted markings: successors are in the diagram, and each marking but one is entered from one with a smaller
/// distance.
fn counted(leaf: &Leaf) -> Result<Vec<Duty>> {
    let [Cell { slot, rank, choice }] = leaf.cells[..] else {
        return error(0, "certificate: a counted leaf has one cell");
    };
    keep_at(rank == 0 || choice.is_some(), name::ENABLED, || "a counted leaf names no transition".to_owned())?;
    let entered = choice.filter(|_| rank > 0).map(|t| Duty::new(Some(t), Some(vec![(slot, Some(below(rank, false)))])));
    Ok(entered.into_iter().chain([Duty::new(None, Some(vec![(slot, None)]))]).collect())
}

/// Branching time: each formula of a leaf follows from what this and other leaves say.
fn branching(claim: &Claim, diagram: &Diagram, work: &mut Work<'_>) -> Result<Vec<Vec<Duty>>> {
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
        let (dead_ends, duties) = (claim.header.dead_ends, Vec::new());
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
    duties: Vec<Duty>,
}

impl At<'_> {
    /// Whether the leaf says that a formula holds.
    fn says(&self, f: Id) -> bool {
        let cell = || self.slot_of.get(&f).and_then(|&slot| self.leaf.cell(slot));
        self.formulas.nodes[f] == Node::True || cell().is_some()
    }

    /// Asks others, as in a duty, for a formula with a rank below a bound, or for another formula instead.
    fn ask(&mut self, by: Option<usize>, f: Id, below: Option<u64>, instead: Option<Id>) {
        let slots = [(Some(f), below), (instead, None)].map(|(f, below)| Some((*self.slot_of.get(&f?)?, below)));
        let wanted = (self.formulas.nodes[f] != Node::True).then(|| slots.into_iter().flatten().collect());
        // Nothing is asked for if all successors must satisfy what is true anyway.
        self.duties.extend((by.is_some() || wanted.is_some()).then(|| Duty::new(by, wanted)));
    }

    /// Whether a formula follows from what the leaf says, and from what it asks of others.
    fn follows(&mut self, cell: &Cell, f: Id) -> std::result::Result<bool, &'static str> {
        let (dead, alive) = (self.leaf.alive == Alive::Dead, matches!(self.leaf.alive, Alive::By(_)));
        let (stutter, ignore) = (self.dead_ends == DeadEnds::Stutter, self.dead_ends == DeadEnds::Ignore);
        let bit = |a: usize| self.leaf.letter >> a & 1 == 1;
        let (all, path) = match self.formulas.nodes[f] {
            Node::True => return Ok(true),
            Node::Atom(a) => return Ok(bit(a)),
            Node::NotAtom(a) => return Ok(!bit(a)),
            Node::And(g, h) => return Ok(self.says(g) && self.says(h)),
            Node::Or(g, h) => return Ok(self.says(g) || self.says(h)),
            // No path counts.
            Node::Forall(_) if ignore && f != self.ends && self.says(self.ends) => return Ok(true),
            Node::Forall(path) => (true, self.formulas.nodes[path]),
            Node::Exists(path) => (false, self.formulas.nodes[path]),
            Node::False | Node::Next(_) | Node::Until(..) | Node::Release(..) => return Ok(false),
        };
        // What holds now is enough on some path only if there is one that counts.
        let enough = |g: Id| self.says(g) && (all || !ignore || self.says(self.infinite));
        // What one successor or all of them must satisfy, with a bound on the rank; and whether a path may end here.
        let (next, bound, may_end) = match path {
            Node::Next(g) => (g, None, if stutter { self.says(g) } else { all }),
            Node::Release(g, h) if self.says(h) && !enough(g) => (f, None, all || !ignore),
            Node::Release(_, h) => return Ok(self.says(h)),
            Node::Until(g, h) if self.says(g) && !enough(h) => (f, Some(below(cell.rank, false)), all && ignore),
            Node::Until(_, h) => return Ok(enough(h)),
            _ => return Ok(false),
        };
        if all {
            // Where no path counts that begins in a successor, that is enough.
            self.ask(None, next, bound, (ignore && f != self.ends).then_some(self.ends));
            return keep(alive || may_end, name::ENDS).map(|()| true);
        }
        if dead && may_end {
            return Ok(true);
        }
        let counts = (ignore && matches!(path, Node::Next(_))).then_some((self.infinite, None));
        for (g, bound) in counts.into_iter().chain([(next, bound)]).filter(|_| cell.choice.is_some()) {
            self.ask(cell.choice, g, bound, None);
        }
        Ok(cell.choice.is_some())
    }
}
