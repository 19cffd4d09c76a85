//! Explanations: why the initial state satisfies a formula, or does not, as a tree of paths.
//!
//! The tree follows the formula. A path for `EX`, `EF` and `EU` is a shortest one, found forwards state by state, or
//! backwards by sets if that is long; a path for `EG` is a short lasso, or walked until it meets itself if there is no cycle
//! near by; a path for any other formula is a lasso of the product with its automaton (see `lasso.rs`). What the engine computed tells at every state
//! which way leads on. Nothing here is trusted: explanations are made to be checked.

use dalsegno_kripke::explanation::{End, Explanation, Path, Reason};
use dalsegno_kripke::{DeadEnds, Step, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node};
use rustc_hash::FxHashSet;

use crate::{Error, Evaluator, StateSets, negation, observed};

/// The most claims of an explanation; what goes beyond is left out.
const MAX_CLAIMS: usize = 500;

/// The deepest nesting of claims: files of deeper ones could not be read again, since readers of JSON limit its depth.
const MAX_NESTING: usize = 30;

/// Whether a path can show that a formula holds in a state, or that it fails: an `E` that holds and an `A` that fails
/// have one; that all paths do something has none.
///
/// What operands are is not known, so the answer may be "yes" where the operand that decides has no path.
#[must_use]
pub fn may_have_path(store: &FormulaStore, f: FormulaId, holds: bool) -> bool {
    let mut open = vec![(f, holds)];
    let mut seen = FxHashSet::default();
    while let Some((f, holds)) = open.pop() {
        if !seen.insert((f, holds)) || store.is(f, Fragment::BOOLEAN) {
            continue;
        }
        match store.node(f) {
            Node::Exists(_) if holds => return true,
            Node::Forall(_) if !holds => return true,
            Node::Exists(_) | Node::Forall(_) => {}
            Node::Not(g) => open.push((g, !holds)),
            Node::And(list) | Node::Or(list) => open.extend(list.iter().map(|&g| (g, holds))),
            Node::Implies(g, h) => open.extend([(g, !holds), (h, holds)]),
            _ => {
                let both = |g| [(g, true), (g, false)];
                open.extend(store.children(f).flat_map(both));
            }
        }
    }
    false
}

/// A path without its facts, and the formulas that are to be explained at its positions.
struct Draft {
    steps: Vec<Step>,
    end: End,
    asked: Vec<(usize, FormulaId)>,
}

/// What has been explained so far.
#[derive(Default)]
struct Told {
    claims: usize,
    seen: FxHashSet<(FormulaId, Vec<u32>)>,
}

impl<S: StateSets> Evaluator<S> {
    /// Explains the value of a formula in a state, which must be reachable.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn explain(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        state: &[u32],
    ) -> Result<Explanation<FormulaId>, Error> {
        self.claim(store, f, state, 0, &mut Told::default())
    }

    fn claim(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        state: &[u32],
        depth: usize,
        told: &mut Told,
    ) -> Result<Explanation<FormulaId>, Error> {
        told.claims += 1;
        let holds = self.value(store, f, state)?;
        let reason = if store.is(f, Fragment::BOOLEAN) {
            Reason::State
        } else if !told.seen.insert((f, state.to_vec())) {
            Reason::Elsewhere
        } else if told.claims > MAX_CLAIMS || depth > MAX_NESTING {
            Reason::Omitted
        } else {
            self.reason(store, f, holds, state, depth + 1, told)?
        };
        Ok(Explanation {
            formula: f,
            holds,
            state: state.to_vec(),
            reason,
        })
    }

    fn reason(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        holds: bool,
        state: &[u32],
        depth: usize,
        told: &mut Told,
    ) -> Result<Reason<FormulaId>, Error> {
        let path = match store.node(f) {
            Node::Exists(path) if holds => path,
            // A negation in front keeps the state formulas below as they are, for facts to speak of.
            Node::Forall(path) if !holds => store.not(path),
            Node::Exists(_) | Node::Forall(_) => return Ok(Reason::AllPaths),
            _ => {
                let mut operands: Vec<FormulaId> = store.children(f).collect();
                // One operand decides a conjunction that fails, or a disjunction that holds.
                let decisive = match store.node(f) {
                    Node::And(_) => Some(false),
                    Node::Or(_) => Some(true),
                    _ => None,
                };
                if decisive == Some(holds) {
                    let mut found = None;
                    operands.sort_by_key(|&g| (!store.is(g, Fragment::BOOLEAN), store.size(g)));
                    for &g in &operands {
                        if self.is_known(store, g, state, holds)? {
                            found = Some(g);
                            break;
                        }
                    }
                    operands = found.into_iter().collect();
                }
                let mut list = Vec::with_capacity(operands.len());
                for g in operands {
                    list.push(self.claim(store, g, state, depth, told)?);
                }
                return Ok(Reason::Operands(list));
            }
        };
        let Some(draft) = self.draft(store, path, state)? else {
            return Ok(Reason::Omitted);
        };
        let mut path = Path {
            steps: draft.steps,
            end: draft.end,
            facts: Vec::new(),
        };
        for (position, g) in draft.asked {
            // What a state shows by itself needs no words.
            if store.is(g, Fragment::BOOLEAN) {
                continue;
            }
            let g = match store.node(g) {
                Node::Not(inner) => inner,
                _ => g,
            };
            if let Some(at) = path.state(position) {
                let at = at.to_vec();
                let fact = self.claim(store, g, &at, depth, told)?;
                path.facts.push((position, fact));
            }
        }
        Ok(Reason::Path(path))
    }

    /// Whether a formula holds in a state.
    fn value(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        state: &[u32],
    ) -> Result<bool, Error> {
        let initial = self.sets.model().initial();
        // For the initial state the value is known, and the set of all states that share it may be hard.
        if initial.len() == 1 && initial[0] == state {
            return self.holds(store, f);
        }
        let set = self.states(store, f)?;
        let value = self.sets.value(&set, state);
        value.ok_or(Error::Stopped(Stop::States))
    }

    /// Whether a formula is known to have a value in a state.
    fn is_known(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        state: &[u32],
        value: bool,
    ) -> Result<bool, Error> {
        match self.value(store, f, state) {
            Ok(known) => Ok(known == value),
            Err(Error::Stopped(_)) if !self.sets.is_complete() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A path from a state that satisfies `path`, if there is one that is not too long.
    fn draft(
        &mut self,
        store: &mut FormulaStore,
        mut path: FormulaId,
        state: &[u32],
    ) -> Result<Option<Draft>, Error> {
        let is_state = |store: &FormulaStore, f: FormulaId| store.is(f, Fragment::STATE);
        let mut asked: Vec<(usize, FormulaId)> = Vec::new();
        loop {
            if is_state(store, path) {
                asked.push((0, path));
                return self.finished(Vec::new(), state.to_vec(), asked).map(Some);
            }
            match store.node(path) {
                Node::Not(f) => path = negation(store, f),
                Node::Or(_) | Node::Implies(..) => {
                    let parts: Vec<FormulaId> = match store.node(path) {
                        Node::Or(list) => list.to_vec(),
                        Node::Implies(f, g) => vec![store.not(f), g],
                        _ => Vec::new(),
                    };
                    let mut found = None;
                    for part in parts {
                        let exists = store.exists(part);
                        if self.is_known(store, exists, state, true)? {
                            found = Some(part);
                            break;
                        }
                    }
                    match found {
                        Some(part) => path = part,
                        None => return Ok(None),
                    }
                }
                Node::And(list) => {
                    let (here, rest): (Vec<FormulaId>, Vec<FormulaId>) =
                        list.iter().partition(|&&f| is_state(store, f));
                    if here.is_empty() {
                        break;
                    }
                    asked.extend(here.into_iter().map(|f| (0, f)));
                    path = store.and(rest);
                }
                _ => break,
            }
        }
        if !store.children(path).all(|f| is_state(store, f)) {
            return self.accepted_path(store, path, state, asked);
        }
        match store.node(path) {
            Node::Next(f) => self.one_step(store, f, state, asked),
            Node::Finally(f) => self.until_path(store, FormulaId::TRUE, f, &[f], state, asked),
            Node::Until(f, g) => self.until_path(store, f, g, &[g], state, asked),
            Node::Globally(f) => self.endless(store, f, state, asked),
            Node::WeakUntil(f, g) => self.until_or_endless(store, (f, g, &[g]), state, asked),
            Node::Release(f, g) => {
                let goal = store.and([f, g]);
                self.until_or_endless(store, (g, goal, &[f, g]), state, asked)
            }
            Node::StrongRelease(f, g) => {
                let goal = store.and([f, g]);
                self.until_path(store, g, goal, &[f, g], state, asked)
            }
            _ => self.accepted_path(store, path, state, asked),
        }
    }

    /// A path whose claim is decided at its end; where finite paths do not count, it is made infinite.
    fn finished(
        &mut self,
        mut steps: Vec<Step>,
        last: Vec<u32>,
        asked: Vec<(usize, FormulaId)>,
    ) -> Result<Draft, Error> {
        let mut end = End::Open(last);
        if self.sets.dead_ends() == DeadEnds::Ignore
            && let End::Open(last) = &end
        {
            let alive = self.sets.alive()?;
            if let Some((more, back)) = self.endless_path(&alive, last)? {
                end = End::Back(steps.len() + back);
                steps.extend(more);
            }
        }
        Ok(Draft { steps, end, asked })
    }

    fn one_step(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        state: &[u32],
        mut asked: Vec<(usize, FormulaId)>,
    ) -> Result<Option<Draft>, Error> {
        let mut goal = self.states(store, f)?;
        let alive = self.sets.alive()?;
        goal = self.sets.intersection(&goal, &alive)?;
        for (group, target) in self.moves(state) {
            // A repetition of a dead end is a step only where dead ends repeat.
            let counts = group.is_some() || self.sets.dead_ends() == DeadEnds::Stutter;
            if counts && self.sets.contains(&goal, &target) {
                let step = Step {
                    state: state.to_vec(),
                    group,
                };
                asked.push((1, f));
                return self.finished(vec![step], target, asked).map(Some);
            }
        }
        Ok(None)
    }

    /// A shortest path through `hold` to `goal`, where `shown` is to be explained.
    fn until_path(
        &mut self,
        store: &mut FormulaStore,
        hold: FormulaId,
        goal: FormulaId,
        shown: &[FormulaId],
        state: &[u32],
        mut asked: Vec<(usize, FormulaId)>,
    ) -> Result<Option<Draft>, Error> {
        let hold_set = self.states(store, hold)?;
        let mut goal_set = self.states(store, goal)?;
        let alive = self.sets.alive()?;
        goal_set = self.sets.intersection(&goal_set, &alive)?;
        let found = match self.search(&hold_set, &goal_set, state)? {
            None => self.approach(&hold_set, &goal_set, state)?,
            found => found,
        };
        let Some((steps, last)) = found else {
            return Ok(None);
        };
        asked.extend((0..steps.len()).map(|i| (i, hold)));
        asked.extend(shown.iter().map(|&f| (steps.len(), f)));
        self.finished(steps, last, asked).map(Some)
    }

    /// A path through `hold` to `goal` or for ever, the shorter one of those that are known to exist.
    fn until_or_endless(
        &mut self,
        store: &mut FormulaStore,
        (hold, goal, shown): (FormulaId, FormulaId, &[FormulaId]),
        state: &[u32],
        asked: Vec<(usize, FormulaId)>,
    ) -> Result<Option<Draft>, Error> {
        let until = store.until(hold, goal);
        let until = store.exists(until);
        let globally = store.globally(hold);
        let globally = store.exists(globally);
        let mut found: Option<Draft> = None;
        if self.is_known(store, until, state, true)? {
            found = self.until_path(store, hold, goal, shown, state, asked.clone())?;
        }
        let one_step = found.as_ref().is_some_and(|draft| draft.steps.len() <= 1);
        if !one_step && self.is_known(store, globally, state, true)? {
            let endless = self.endless(store, hold, state, asked)?;
            let shorter = match (&found, &endless) {
                (Some(until), Some(endless)) => endless.steps.len() < until.steps.len(),
                (found, _) => found.is_none(),
            };
            if shorter {
                found = endless;
            }
        }
        Ok(found)
    }

    /// A path that stays in the states of `f`.
    fn endless(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        state: &[u32],
        mut asked: Vec<(usize, FormulaId)>,
    ) -> Result<Option<Draft>, Error> {
        let globally = store.globally(f);
        let exists = store.exists(globally);
        let set = self.states(store, exists)?;
        let Some((steps, back)) = self.endless_path(&set, state)? else {
            return Ok(None);
        };
        asked.extend((0..steps.len()).map(|i| (i, f)));
        let end = End::Back(back);
        Ok(Some(Draft { steps, end, asked }))
    }

    /// A lasso that the automaton of `path` accepts.
    fn accepted_path(
        &mut self,
        store: &mut FormulaStore,
        path: FormulaId,
        state: &[u32],
        mut asked: Vec<(usize, FormulaId)>,
    ) -> Result<Option<Draft>, Error> {
        let formulas = observed(store, path);
        for &f in &formulas {
            self.states(store, f)?;
        }
        let product = self.fair_product(store, path)?;
        let Some((mut steps, mut back)) = product.find(self, state, usize::MAX)? else {
            return Ok(None);
        };
        if let Some(tight) = self.tight_product(store, path)?
            && let Some(shorter) = tight.find(self, state, steps.len())?
        {
            (steps, back) = shorter;
        }
        for i in 0..steps.len() {
            asked.extend(formulas.iter().map(|&f| (i, f)));
        }
        let end = End::Back(back);
        Ok(Some(Draft { steps, end, asked }))
    }
}
