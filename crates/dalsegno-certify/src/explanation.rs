//! Checks explanations of branching-time verdicts: is every path a path, and does it show what is claimed?
//!
//! Paths are replayed step by step. A path formula is evaluated on a path by its laws, with a lower and an upper
//! bound of its value at every position: what the explanation does not say of a state, and what lies beyond an open end,
//! may be true or false. A claim about all paths is checked by definition where few states are reachable; where not, it is
//! counted as assumed.

use std::collections::{BTreeMap, BTreeSet};

use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use dalsegno_kripke::{DeadEnds, Model, Predicate, Scratch};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};
use thiserror::Error;

use crate::branching;
use crate::graph::Graph;

/// What is wrong with an explanation; formulas are written out.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A state has the wrong number of values.
    #[error("a state of the explanation does not belong to this model")]
    WrongLength,
    /// The explanation is of another formula or state than its place says.
    #[error("the explanation of `{0}` is of another state or formula")]
    Misplaced(String),
    /// A step of a path is no step of the model.
    #[error("step {position} of the path for `{formula}` is no step of the model")]
    NoStep {
        /// The formula that the path is for.
        formula: String,
        /// The position in the path.
        position: usize,
    },
    /// A path goes back to a position that it does not have, or has no end where it needs one.
    #[error("the path for `{0}` has no proper end")]
    NoEnd(String),
    /// What is explained does not decide the claim, or decides it otherwise.
    #[error("the explanation does not show that `{formula}` {}", if *holds { "holds" } else { "fails" })]
    NotShown {
        /// The formula.
        formula: String,
        /// What was claimed.
        holds: bool,
    },
    /// A claim about all paths is wrong.
    #[error("by definition `{formula}` {}", if *holds { "fails" } else { "holds" })]
    Wrong {
        /// The formula.
        formula: String,
        /// What was claimed.
        holds: bool,
    },
    /// A proposition without a meaning.
    #[error("nothing is known of the proposition \"{0}\"")]
    UnknownProposition(String),
    /// A claim is said to be explained elsewhere, and is not.
    #[error("`{0}` is explained nowhere")]
    Nowhere(String),
}

/// What was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Claims in the tree.
    pub claims: usize,
    /// Claims among them that no path shows, and that are about too many states to be checked by definition.
    pub assumed: usize,
}

/// The most states that a claim about all paths is checked on.
const MAX_STATES: usize = 200;

/// The most claims about all paths that are checked.
const MAX_CLAIMS: usize = 30;

/// Checks an explanation; `atoms` says what propositions mean.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(
    model: &Model,
    store: &FormulaStore,
    atoms: &[(PropId, Predicate)],
    dead_ends: DeadEnds,
    explanation: &Explanation<FormulaId>,
) -> Result<Summary, Error> {
    let mut checker = Checker {
        model,
        store,
        atoms,
        dead_ends,
        summary: Summary::default(),
        by_definition: 0,
        shown: BTreeSet::new(),
        elsewhere: Vec::new(),
    };
    checker.claim(explanation)?;
    for claim in &checker.elsewhere {
        if !checker.shown.contains(claim) {
            return Err(Error::Nowhere(store.display(claim.0).to_string()));
        }
    }
    Ok(checker.summary)
}

type Claim = (FormulaId, bool, Vec<u32>);

struct Checker<'a> {
    model: &'a Model,
    store: &'a FormulaStore,
    atoms: &'a [(PropId, Predicate)],
    dead_ends: DeadEnds,
    summary: Summary,
    by_definition: usize,
    shown: BTreeSet<Claim>,
    elsewhere: Vec<Claim>,
}

impl Checker<'_> {
    fn text(&self, f: FormulaId) -> String {
        self.store.display(f).to_string()
    }

    fn claim(&mut self, e: &Explanation<FormulaId>) -> Result<(), Error> {
        if e.state.len() != self.model.variables().len() {
            return Err(Error::WrongLength);
        }
        self.summary.claims += 1;
        let shown = match &e.reason {
            Reason::State => {
                self.store.is(e.formula, Fragment::BOOLEAN)
                    && self.boolean(e.formula, &e.state)? == e.holds
            }
            Reason::Operands(list) => self.operands(e, list)?,
            Reason::Path(path) => self.path(e, path)?,
            Reason::AllPaths | Reason::Omitted => {
                self.define(e)?;
                true
            }
            Reason::Elsewhere => {
                let claim = (e.formula, e.holds, e.state.clone());
                self.elsewhere.push(claim);
                return Ok(());
            }
        };
        if !shown {
            return Err(Error::NotShown {
                formula: self.text(e.formula),
                holds: e.holds,
            });
        }
        self.shown.insert((e.formula, e.holds, e.state.clone()));
        Ok(())
    }

    /// The value of a formula without temporal operators in a state.
    fn boolean(&self, f: FormulaId, state: &[u32]) -> Result<bool, Error> {
        let mut values: BTreeMap<FormulaId, bool> = BTreeMap::new();
        for g in self.store.subformulas(f) {
            let value = if let Node::Atom(p) = self.store.node(g) {
                let meaning = self.atoms.iter().find(|(q, _)| *q == p);
                let Some((_, meaning)) = meaning else {
                    return Err(Error::UnknownProposition(self.store.name(p).to_owned()));
                };
                meaning.eval(self.model, state)
            } else {
                let exact = |h: FormulaId| Bounds::exact(values[&h]);
                connective(self.store, g, &exact).low
            };
            values.insert(g, value);
        }
        Ok(values[&f])
    }

    /// Whether explained operands decide a Boolean operator as claimed.
    fn operands(
        &mut self,
        e: &Explanation<FormulaId>,
        list: &[Explanation<FormulaId>],
    ) -> Result<bool, Error> {
        let store = self.store;
        let mut known: BTreeMap<FormulaId, Bounds> = BTreeMap::new();
        for child in store.children(e.formula) {
            let bounds = if store.is(child, Fragment::BOOLEAN) {
                Bounds::exact(self.boolean(child, &e.state)?)
            } else {
                Bounds::UNKNOWN
            };
            known.insert(child, bounds);
        }
        for operand in list {
            if operand.state != e.state || !known.contains_key(&operand.formula) {
                return Err(Error::Misplaced(self.text(operand.formula)));
            }
            self.claim(operand)?;
            known.insert(operand.formula, Bounds::exact(operand.holds));
        }
        if !is_connective(store, e.formula) {
            return Ok(false);
        }
        let value = connective(store, e.formula, &|child| known[&child]);
        Ok(value == Bounds::exact(e.holds))
    }

    fn path(&mut self, e: &Explanation<FormulaId>, path: &Path<FormulaId>) -> Result<bool, Error> {
        let (Node::Exists(below) | Node::Forall(below)) = self.store.node(e.formula) else {
            return Ok(false);
        };
        let forall = matches!(self.store.node(e.formula), Node::Forall(_));
        // A path shows that an E holds or that an A fails.
        if forall == e.holds {
            return Ok(false);
        }
        if path.state(0) != Some(&e.state) {
            return Err(Error::Misplaced(self.text(e.formula)));
        }
        self.replay(e.formula, path)?;
        let mut facts: BTreeMap<(usize, FormulaId), bool> = BTreeMap::new();
        for (position, fact) in &path.facts {
            if path.state(*position) != Some(&fact.state) {
                return Err(Error::Misplaced(self.text(fact.formula)));
            }
            self.claim(fact)?;
            facts.insert((*position, fact.formula), fact.holds);
        }
        let value = self.along(path, below, forall, &facts)?;
        Ok(value == Bounds::exact(e.holds))
    }

    /// Whether every step is a step of the model, and the end is one that counts.
    fn replay(&self, f: FormulaId, path: &Path<FormulaId>) -> Result<(), Error> {
        match path.end {
            End::Back(start) if start < path.steps.len() => {}
            // Where finite paths do not count, nobody knows whether an open path goes on for ever.
            End::Open(_) if self.dead_ends != DeadEnds::Ignore => {}
            _ => return Err(Error::NoEnd(self.text(f))),
        }
        for position in 0..path.len() {
            let state = path.state(position).unwrap_or_default();
            if state.len() != self.model.variables().len() {
                return Err(Error::WrongLength);
            }
        }
        let mut scratch = Scratch::default();
        for (position, step) in path.steps.iter().enumerate() {
            let next = path.successor(position).and_then(|next| path.state(next));
            let taken = match step.group {
                None => {
                    self.dead_ends != DeadEnds::Ignore
                        && self.model.is_dead_end(&step.state)
                        && next == Some(&step.state)
                }
                Some(group) if group.index() < self.model.groups().len() => {
                    let mut found = false;
                    let visit = |reached: &[u32]| found |= Some(reached) == next;
                    let model = self.model;
                    let stepped = model.successors_by(group, &step.state, &mut scratch, visit);
                    stepped.is_ok() && found
                }
                Some(_) => false,
            };
            if !taken {
                let formula = self.text(f);
                return Err(Error::NoStep { formula, position });
            }
        }
        Ok(())
    }

    /// The value of a path formula at the beginning of a path.
    fn along(
        &self,
        path: &Path<FormulaId>,
        below: FormulaId,
        forall: bool,
        facts: &BTreeMap<(usize, FormulaId), bool>,
    ) -> Result<Bounds, Error> {
        let store = self.store;
        let mut needed: BTreeSet<FormulaId> = BTreeSet::new();
        let mut open = vec![below];
        while let Some(f) = open.pop() {
            if needed.insert(f) && !store.is(f, Fragment::STATE) {
                open.extend(store.children(f));
            }
        }
        let mut values: BTreeMap<FormulaId, Vec<Bounds>> = BTreeMap::new();
        // Operands have smaller handles than operators.
        for &f in &needed {
            let row: Vec<Bounds> = if store.is(f, Fragment::STATE) {
                let at = |i: usize| self.known(path, i, f, facts);
                (0..path.len()).map(at).collect::<Result<_, _>>()?
            } else if is_connective(store, f) {
                let at = |i: usize| connective(store, f, &|child| values[&child][i]);
                (0..path.len()).map(at).collect()
            } else {
                self.temporal(path, f, forall, &values)
            };
            values.insert(f, row);
        }
        Ok(values[&below][0])
    }

    /// What is known of a state formula at a position.
    fn known(
        &self,
        path: &Path<FormulaId>,
        position: usize,
        f: FormulaId,
        facts: &BTreeMap<(usize, FormulaId), bool>,
    ) -> Result<Bounds, Error> {
        if self.store.is(f, Fragment::BOOLEAN) {
            let state = path.state(position).unwrap_or_default();
            return Ok(Bounds::exact(self.boolean(f, state)?));
        }
        if let Some(&value) = facts.get(&(position, f)) {
            return Ok(Bounds::exact(value));
        }
        if let Node::Not(g) = self.store.node(f)
            && let Some(&value) = facts.get(&(position, g))
        {
            return Ok(Bounds::exact(!value));
        }
        Ok(Bounds::UNKNOWN)
    }

    /// A temporal operator at all positions, from its operands there.
    fn temporal(
        &self,
        path: &Path<FormulaId>,
        f: FormulaId,
        forall: bool,
        values: &BTreeMap<FormulaId, Vec<Bounds>>,
    ) -> Vec<Bounds> {
        let n = path.len();
        if let Node::Next(g) = self.store.node(f) {
            let at = |i: usize| {
                let dead = path.steps.get(i).is_some_and(|step| step.group.is_none());
                if dead && self.dead_ends == DeadEnds::Finite {
                    // A finite path ends here: E X is false and A X true.
                    return Bounds::exact(forall);
                }
                path.successor(i).map_or(Bounds::UNKNOWN, |j| values[&g][j])
            };
            return (0..n).map(at).collect();
        }
        let [low, high] = [false, true].map(|high| {
            let of = |g: FormulaId, i: usize| values[&g][i].side(high);
            let (least, law): (bool, Law<'_>) = match self.store.node(f) {
                Node::Finally(a) => (true, Box::new(move |i, next| of(a, i) || next)),
                Node::Globally(a) => (false, Box::new(move |i, next| of(a, i) && next)),
                Node::Until(a, b) => (true, Box::new(move |i, next| of(b, i) || of(a, i) && next)),
                Node::WeakUntil(a, b) => {
                    (false, Box::new(move |i, next| of(b, i) || of(a, i) && next))
                }
                Node::Release(a, b) => (
                    false,
                    Box::new(move |i, next| of(b, i) && (of(a, i) || next)),
                ),
                Node::StrongRelease(a, b) => (
                    true,
                    Box::new(move |i, next| of(b, i) && (of(a, i) || next)),
                ),
                _ => unreachable!("only temporal operators are left"),
            };
            let mut x = vec![!least; n];
            loop {
                let next = |i: usize| path.successor(i).map_or(high, |j| x[j]);
                let y: Vec<bool> = (0..n).map(|i| law(i, next(i))).collect();
                if y == x {
                    return x;
                }
                x = y;
            }
        });
        let pairs = low.into_iter().zip(high);
        pairs.map(|(low, high)| Bounds { low, high }).collect()
    }

    /// Checks a claim that no path shows by the definition, if few states are reachable.
    fn define(&mut self, e: &Explanation<FormulaId>) -> Result<(), Error> {
        let used = self.store.propositions(e.formula);
        let mut names = Vec::new();
        let mut predicates = Vec::new();
        for (p, meaning) in self.atoms {
            if used.contains(p) {
                names.push(*p);
                predicates.push(meaning.clone());
            }
        }
        self.by_definition += 1;
        if self.by_definition > MAX_CLAIMS {
            self.summary.assumed += 1;
            return Ok(());
        }
        let from = [e.state.clone()];
        let graph = Graph::from_states(self.model, &from, &predicates, MAX_STATES);
        let states = graph.ok().and_then(|graph| {
            branching::holds(self.store, e.formula, &names, &graph, self.dead_ends).ok()
        });
        match states {
            Some(states) if states[0] == e.holds => Ok(()),
            Some(_) => Err(Error::Wrong {
                formula: self.text(e.formula),
                holds: e.holds,
            }),
            None => {
                self.summary.assumed += 1;
                Ok(())
            }
        }
    }
}

type Law<'a> = Box<dyn Fn(usize, bool) -> bool + 'a>;

/// A truth value as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    low: bool,
    high: bool,
}

impl Bounds {
    const UNKNOWN: Bounds = Bounds {
        low: false,
        high: true,
    };

    fn exact(value: bool) -> Self {
        Bounds {
            low: value,
            high: value,
        }
    }

    fn side(self, high: bool) -> bool {
        if high { self.high } else { self.low }
    }

    fn not(self) -> Self {
        Bounds {
            low: !self.high,
            high: !self.low,
        }
    }

    fn same(self, other: Self) -> Self {
        if self.low == self.high && other.low == other.high {
            Bounds::exact(self.low == other.low)
        } else {
            Bounds::UNKNOWN
        }
    }
}

fn is_connective(store: &FormulaStore, f: FormulaId) -> bool {
    matches!(
        store.node(f),
        Node::True
            | Node::False
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Implies(..)
            | Node::Iff(..)
            | Node::Xor(..)
    )
}

/// The value of a Boolean operator from those of its operands.
fn connective(store: &FormulaStore, f: FormulaId, at: &dyn Fn(FormulaId) -> Bounds) -> Bounds {
    match store.node(f) {
        Node::True => Bounds::exact(true),
        Node::False => Bounds::exact(false),
        Node::Not(g) => at(g).not(),
        Node::And(list) => Bounds {
            low: list.iter().all(|&g| at(g).low),
            high: list.iter().all(|&g| at(g).high),
        },
        Node::Or(list) => Bounds {
            low: list.iter().any(|&g| at(g).low),
            high: list.iter().any(|&g| at(g).high),
        },
        Node::Implies(g, h) => Bounds {
            low: !at(g).high || at(h).low,
            high: !at(g).low || at(h).high,
        },
        Node::Iff(g, h) => at(g).same(at(h)),
        Node::Xor(g, h) => at(g).same(at(h)).not(),
        _ => Bounds::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_kripke::{Bounds, Group, GroupId, Linear, Relation, Step, VarId, Variable};
    use dalsegno_logic::parse;

    /// A token that goes from x to y by t and back by u, or to z by v, where the net is dead.
    fn model() -> Model {
        let variable = |name: &str| Variable {
            name: name.to_owned(),
            bounds: Bounds::proved(1),
        };
        let step = |name: &str, from: u32, to: u32| {
            let (from, to) = (VarId(from), VarId(to));
            let linear = Linear::new(vec![(from, 1)], vec![], vec![(from, -1), (to, 1)]);
            Group::linear(name, linear.unwrap())
        };
        let names = ["x", "y", "z"].map(variable).to_vec();
        let groups = vec![step("t", 0, 1), step("u", 1, 0), step("v", 1, 2)];
        Model::new("m", names, vec![vec![1, 0, 0]], groups).unwrap()
    }

    const X: [u32; 3] = [1, 0, 0];
    const Y: [u32; 3] = [0, 1, 0];
    const Z: [u32; 3] = [0, 0, 1];

    fn step(state: [u32; 3], group: Option<u32>) -> Step {
        Step {
            state: state.to_vec(),
            group: group.map(GroupId),
        }
    }

    /// Checks that a path from the initial state shows the value of a formula.
    fn shows(
        text: &str,
        holds: bool,
        steps: &[Step],
        end: End,
        how: DeadEnds,
    ) -> Result<Summary, Error> {
        let mut store = FormulaStore::new();
        let formula = parse(&mut store, text).unwrap();
        let names = ["x", "y", "z"].into_iter().enumerate();
        let atoms: Vec<(PropId, Predicate)> = names
            .filter_map(|(i, name)| {
                let meaning = Predicate::single(VarId(i as u32), Relation::Ge, 1);
                Some((store.proposition(name)?, meaning))
            })
            .collect();
        let path = Path {
            steps: steps.to_vec(),
            end,
            facts: Vec::new(),
        };
        let explanation = Explanation {
            formula,
            holds,
            state: X.to_vec(),
            reason: Reason::Path(path),
        };
        check(&model(), &store, &atoms, how, &explanation)
    }

    #[test]
    fn paths_that_decide_a_formula_show_it() {
        use DeadEnds::{Finite, Ignore, Stutter};
        let to_z = [step(X, Some(0)), step(Y, Some(2))];
        let open = || End::Open(Z.to_vec());
        assert!(shows("E F z", true, &to_z, open(), Finite).is_ok());
        assert!(shows("A G !z", false, &to_z, open(), Finite).is_ok());
        assert!(shows("E(x U (y & E X z))", true, &to_z, open(), Finite).is_err());
        let around = [step(X, Some(0)), step(Y, Some(1))];
        assert!(shows("E G !z", true, &around, End::Back(0), Ignore).is_ok());
        assert!(shows("E(G F x & G F y)", true, &around, End::Back(0), Stutter).is_ok());
        assert!(shows("A F G y", false, &around, End::Back(0), Stutter).is_ok());
        let stay = [step(X, Some(0)), step(Y, Some(2)), step(Z, None)];
        assert!(shows("E F G z", true, &stay, End::Back(2), Stutter).is_ok());
    }

    #[test]
    fn what_shows_nothing_is_refused() {
        use DeadEnds::{Finite, Ignore, Stutter};
        let to_z = [step(X, Some(0)), step(Y, Some(2))];
        let open = || End::Open(Z.to_vec());
        let error = |result: Result<Summary, Error>| result.unwrap_err();
        // Where the path ends, the rest may be anything.
        let not_shown = error(shows("E F x & y", true, &to_z, open(), Finite));
        assert!(matches!(not_shown, Error::NotShown { .. }));
        let not_shown = error(shows("E G !x", true, &to_z, open(), Finite));
        assert!(matches!(not_shown, Error::NotShown { .. }));
        // A path shows neither that all paths do something nor that none does.
        let all = error(shows("A F z", true, &to_z, open(), Finite));
        assert!(matches!(all, Error::NotShown { .. }));
        let wrong = [step(X, Some(0)), step(Y, Some(1))];
        let no_step = error(shows("E F z", true, &wrong, open(), Finite));
        assert!(matches!(no_step, Error::NoStep { position: 1, .. }));
        let no_end = error(shows("E F z", true, &to_z, open(), Ignore));
        assert!(matches!(no_end, Error::NoEnd(_)));
        let beyond = error(shows("E F z", true, &to_z, End::Back(2), Stutter));
        assert!(matches!(beyond, Error::NoEnd(_)));
        let elsewhere = [step(Y, Some(2))];
        let misplaced = error(shows("E F z", true, &elsewhere, open(), Finite));
        assert!(matches!(misplaced, Error::Misplaced(_)));
        // A dead end has a next state only where it repeats.
        let moved = [step(X, None)];
        let not_dead = error(shows("E X x", true, &moved, End::Open(X.to_vec()), Stutter));
        assert!(matches!(not_dead, Error::NoStep { position: 0, .. }));
    }

    #[test]
    fn claims_about_all_paths_are_checked_on_few_states() {
        let mut store = FormulaStore::new();
        let formula = parse(&mut store, "A F z").unwrap();
        let z = store.proposition("z").unwrap();
        let atoms = [(z, Predicate::single(VarId(2), Relation::Ge, 1))];
        let claim = |holds| Explanation {
            formula,
            holds,
            state: X.to_vec(),
            reason: Reason::AllPaths,
        };
        let checked = |holds| check(&model(), &store, &atoms, DeadEnds::Finite, &claim(holds));
        assert_eq!(
            checked(false),
            Ok(Summary {
                claims: 1,
                assumed: 0
            })
        );
        assert!(matches!(checked(true), Err(Error::Wrong { .. })));
    }
}
