//! The state equation: markings that no firing of transitions reaches, whatever the order.
//!
//! A reachable marking is `m₀ + C·x` for numbers `x ≥ 0` of firings, and has no negative tokens. If this and
//! the constraints of a goal have no common solution, not even a rational one, no reachable marking
//! satisfies the goal (Murata 1989). `simplex.rs` looks for a solution. Where there is none it gives
//! multipliers, and `certificate.rs` checks them exactly: nothing else becomes a verdict.
//!
//! A goal under `and` and `or` is refined where the solution at hand violates it. Violated constraints are
//! added. Of an alternative a constraint that all its parts imply is added first, and only if this is not
//! enough each part is tried by itself. A solution that satisfies the goal and empties a marked trap is cut
//! off (`traps.rs`), and one with half a token in a place is split into less and more.
//!
//! Cost: a linear program per refinement; exponential in alternatives at worst, so that the number of
//! branches is limited.

#![expect(
    clippy::cast_precision_loss,
    reason = "floating point finds proofs; whole numbers check them"
)]

mod basis;
mod certificate;
mod goal;
mod simplex;
mod system;
mod traps;

use dalsegno_kripke::{Budget, Predicate, Stop, VarId};

use super::net::{PetriNet, TransitionId};
use super::structure::Structure;
use goal::{Node, Reader};
use simplex::{Answer, Simplex};
use system::{Row, System};
use traps::Traps;

use crate::watch::Watch;

/// Branches of one goal.
const MOST_BRANCHES: usize = 400;

/// Branches inside of one another.
const MOST_DEPTH: usize = 60;

/// Branches because of half tokens, of one goal.
const MOST_SPLITS: usize = 20;

/// Constraints that are added at a time.
const MOST_ADDED: usize = 200;

/// Traps of one goal.
const MOST_TRAPS: usize = 40;

/// The largest sum whose bound is looked for, if none is known.
const MOST_TOKENS: i64 = 1 << 30;

/// The state equation of a net.
#[derive(Clone, Debug)]
pub struct StateEquation {
    system: System,
    traps: Traps,
}

impl StateEquation {
    /// Reads the equation off a net.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn new(net: &PetriNet, structure: &Structure, budget: &Budget) -> Result<Self, Stop> {
        let watch = Watch::new(budget);
        Ok(StateEquation {
            system: System::new(net, structure, &watch)?,
            traps: Traps::new(net, &watch)?,
        })
    }

    /// Whether it is proved that no reachable marking of the net satisfies a goal. The net and what is
    /// known of it are those that the equation was made of.
    ///
    /// Variables are places and groups transitions, in the order of the net.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn excludes(
        &self,
        net: &PetriNet,
        structure: &Structure,
        goal: &Predicate,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        budget.check()?;
        let node = Reader { net, structure }.read(goal, true);
        budget.check()?;
        Ok(self.search(net, budget).refute(vec![&node], 0)?.is_some())
    }

    fn search<'e>(&'e self, net: &'e PetriNet, budget: &'e Budget) -> Search<'e> {
        Search {
            equation: self,
            net,
            simplex: Simplex::new(&self.system),
            rows: Vec::new(),
            traps: Vec::new(),
            branches: 0,
            splits: 0,
            budget,
        }
    }

    /// The equation of a net in which some transitions never fire.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn of_firing(
        net: &PetriNet,
        fires: impl Fn(TransitionId) -> bool,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let watch = Watch::new(budget);
        Ok(StateEquation {
            system: System::of_firing(net, fires, &watch)?,
            traps: Traps::new(net, &watch)?,
        })
    }

    /// A refutation of a goal that can be checked without this module; `None` if none is found.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn refute(
        &self,
        net: &PetriNet,
        goal: &Goal,
        budget: &Budget,
    ) -> Result<Option<Refutation>, Stop> {
        budget.check()?;
        let Some(node) = Node::of_goal(goal) else {
            return Ok(None);
        };
        self.search(net, budget).refute(vec![&node], 0)
    }

    /// Whether it is proved that none of some places ever holds two tokens. A sum that never grows mostly tells so
    /// of many places, so there are fewer proofs than places.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn are_safe(&self, places: &[VarId], budget: &Budget) -> Result<bool, Stop> {
        let mut safe = vec![false; self.system.initial.len()];
        for place in places {
            if safe[place.index()] {
                continue;
            }
            let row = Row::sum(std::slice::from_ref(place), 2);
            let mut simplex = Simplex::new(&self.system);
            simplex.add(&row);
            let Answer::None(multipliers) = simplex.solve(budget)? else {
                return Ok(false);
            };
            for (weights, initial) in certificate::sums(&self.system, &row, &multipliers) {
                for (safe, &weight) in safe.iter_mut().zip(&weights) {
                    // Two tokens would be too heavy.
                    *safe |= weight > 0 && weight > initial / 2;
                }
            }
            if !safe[place.index()] {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A number of tokens that some places together never exceed, if one below `known` is found.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn bound(
        &self,
        places: &[VarId],
        known: Option<u64>,
        budget: &Budget,
    ) -> Result<Option<u64>, Stop> {
        let known = known.and_then(|known| i64::try_from(known).ok());
        let mut best = None;
        let mut row = Row::sum(places, known.unwrap_or(MOST_TOKENS));
        let mut simplex = Simplex::new(&self.system);
        simplex.add(&row);
        // A proof that the sum does not reach a number bounds it by what may be less.
        loop {
            let Answer::None(multipliers) = simplex.solve(budget)? else {
                return Ok(best);
            };
            let proved = certificate::bound(&self.system, &row, &multipliers);
            match proved.and_then(|n| i64::try_from(n).ok()) {
                Some(less) if less < row.least => {
                    simplex.lower(row.least.saturating_sub(less));
                    row.least = less;
                    best = u64::try_from(less).ok();
                }
                _ => return Ok(best),
            }
        }
    }
}

/// A set of markings, by constraints over places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The sum of these places with coefficients is at least a number.
    Row(Vec<(u32, i64)>, i64),
    /// The markings in all of the sets.
    All(Vec<Goal>),
    /// The markings in some of the sets.
    Any(Vec<Goal>),
}

/// Why no reachable marking is in a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refutation {
    /// Multipliers of constraints, which are parts of the goal or say that a trap keeps a token, and weights of places
    /// that contradict by Farkas' lemma.
    Leaf(Vec<(Goal, u64)>, Vec<(u32, u64)>),
    /// Each of some alternatives is refuted.
    Cases(Vec<Goal>, Vec<Refutation>),
    /// A place has at most so many tokens, or more.
    Split(u32, u64, Box<[Refutation; 2]>),
}

/// A search for a marking that satisfies a goal.
struct Search<'s> {
    equation: &'s StateEquation,
    net: &'s PetriNet,
    simplex: Simplex<'s>,
    /// The constraints of the simplex.
    rows: Vec<Row>,
    /// Constraints of all reachable markings.
    traps: Vec<Row>,
    branches: usize,
    splits: usize,
    budget: &'s Budget,
}

/// What is wrong with a solution.
enum Flaw<'g> {
    /// It violates constraints.
    Rows(Vec<Row>),
    /// It violates all of some alternatives.
    Any(&'g [Node]),
    /// The tokens of a place lie between a number and the next.
    Split(u32, i64),
    /// None that is known.
    None,
}

impl Search<'_> {
    /// Why no reachable marking satisfies all goals and the constraints so far, if a reason is found.
    fn refute(&mut self, goals: Vec<&Node>, depth: usize) -> Result<Option<Refutation>, Stop> {
        let Some(goals) = flat(goals) else {
            return Ok(Some(Refutation::Cases(Vec::new(), Vec::new())));
        };
        let system = &self.equation.system;
        loop {
            let marking = match self.simplex.solve(self.budget)? {
                Answer::Solution(marking) => marking,
                Answer::None(multipliers) => {
                    let numbers = certificate::refutation(system, &self.rows, &multipliers);
                    return Ok(numbers.and_then(|numbers| self.leaf(&numbers)));
                }
                Answer::Lost => return Ok(None),
            };
            self.budget.check()?;
            match self.flaw(&goals, &marking) {
                Flaw::Rows(rows) => {
                    for row in rows {
                        self.simplex.add(&row);
                        self.rows.push(row);
                    }
                }
                Flaw::Any(parts) => {
                    let cases = self.branch(&goals, parts, depth)?;
                    let goals = || parts.iter().map(Node::to_goal).collect();
                    return Ok(cases.map(|cases| Refutation::Cases(goals(), cases)));
                }
                Flaw::Split(place, tokens) => {
                    self.splits += 1;
                    let less = Row {
                        terms: vec![(place, -1)],
                        least: -tokens,
                    };
                    let more = Row {
                        terms: vec![(place, 1)],
                        least: tokens + 1,
                    };
                    let parts = [Node::Row(less), Node::Row(more)];
                    let cases = self.branch(&goals, &parts, depth)?;
                    let pair = cases.and_then(|cases| <[Refutation; 2]>::try_from(cases).ok());
                    let tokens = u64::try_from(tokens).unwrap_or_default();
                    return Ok(pair.map(|pair| Refutation::Split(place, tokens, Box::new(pair))));
                }
                Flaw::None => return Ok(None),
            }
        }
    }

    /// The multipliers that are not 0, places first and constraints after them.
    fn leaf(&self, numbers: &[i128]) -> Option<Refutation> {
        let (u, z) = numbers.split_at(self.equation.system.initial.len());
        let (mut weights, mut rows) = (Vec::new(), Vec::new());
        for (place, &weight) in (0..).zip(u).filter(|(_, n)| **n != 0) {
            weights.push((place, u64::try_from(weight).ok()?));
        }
        for (row, &z) in self.rows.iter().zip(z).filter(|(_, n)| **n != 0) {
            rows.push((
                Goal::Row(row.terms.clone(), row.least),
                u64::try_from(z).ok()?,
            ));
        }
        Some(Refutation::Leaf(rows, weights))
    }

    /// Why no reachable marking satisfies the goals and one of some alternatives, a reason for each.
    fn branch(
        &mut self,
        goals: &[&Node],
        parts: &[Node],
        depth: usize,
    ) -> Result<Option<Vec<Refutation>>, Stop> {
        if depth >= MOST_DEPTH {
            return Ok(None);
        }
        let mut cases = Vec::new();
        let mark = self.simplex.mark();
        let rows = self.rows.len();
        for part in parts {
            self.branches += 1;
            if self.branches > MOST_BRANCHES {
                return Ok(None);
            }
            let mut all = goals.to_vec();
            all.push(part);
            let Some(refuted) = self.refute(all, depth + 1)? else {
                return Ok(None);
            };
            cases.push(refuted);
            self.simplex.restore(&mark);
            self.rows.truncate(rows);
        }
        Ok(Some(cases))
    }

    /// What is wrong with a solution, the cheapest to mend first.
    fn flaw<'g>(&mut self, goals: &[&'g Node], marking: &[f64]) -> Flaw<'g> {
        let mut violated: Vec<Row> = Vec::new();
        let mut fewest: Option<&'g [Node]> = None;
        for goal in goals {
            match goal {
                Node::Row(row) if !row.holds(marking) => violated.push(row.clone()),
                Node::Any(parts, relaxed) if !goal.holds(marking) => {
                    if let Some(row) = relaxed
                        && !row.holds(marking)
                    {
                        violated.push(row.clone());
                    }
                    if fewest.is_none_or(|fewest| parts.len() < fewest.len()) {
                        fewest = Some(parts);
                    }
                }
                _ => {}
            }
            if violated.len() >= MOST_ADDED {
                break;
            }
        }
        violated.extend(self.traps.iter().filter(|row| !row.holds(marking)).cloned());
        // A constraint that is there already is violated by rounding only.
        violated.retain(|row| !self.rows.contains(row));
        if !violated.is_empty() {
            return Flaw::Rows(violated);
        }
        if self.traps.len() < MOST_TRAPS
            && let Some(trap) = self.equation.traps.emptied(self.net, marking)
            && !self.rows.contains(&trap)
        {
            self.traps.push(trap.clone());
            return Flaw::Rows(vec![trap]);
        }
        if let Some(parts) = fewest {
            return Flaw::Any(parts);
        }
        if self.splits < MOST_SPLITS {
            let half = |n: f64| (n - n.round()).abs();
            let mut worst = (0.01, None);
            for (p, &n) in (0..).zip(marking) {
                if half(n) > worst.0 && n < 1e9 {
                    worst = (half(n), Some((p, n.floor() as i64)));
                }
            }
            if let Some((place, tokens)) = worst.1 {
                return Flaw::Split(place, tokens);
            }
        }
        Flaw::None
    }
}

/// Goals without `and` at the top; none if one is unsatisfiable.
fn flat(goals: Vec<&Node>) -> Option<Vec<&Node>> {
    let mut open = goals;
    let mut flat = Vec::new();
    while let Some(goal) = open.pop() {
        match goal {
            Node::All(parts) => open.extend(parts),
            Node::Any(parts, _) if parts.is_empty() => return None,
            other => flat.push(other),
        }
    }
    flat.reverse();
    Some(flat)
}
