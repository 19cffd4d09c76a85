//! Unfolding a coloured net to a place/transition net.
//!
//! One place per colour that may ever be in a coloured place, one transition per binding that satisfies
//! the guard and takes only such colours. Both sets are the least fixpoint over the colour structure: a
//! token that is found is joined with those found before (semi-naive evaluation, as in Datalog), through
//! indexes; what a binding puts may be new tokens. Numbers of tokens are ignored, so what is left out can
//! never be marked or fire, and what is kept may still be dead. Bindings are not merged, even if they have the same
//! arcs, unless a [`Quotient`] is unfolded: then colours stand for their classes, bindings of a transition with the
//! same arcs are one, and variables that may be exchanged are bound in ascending order.
//!
//! A transition that takes `all` colours or a difference cannot be driven by single tokens. It is
//! evaluated anew when the others have come to rest and one of its places has grown.
//!
//! Cost: one step per binding and per partial binding of the joins; memory is that of the net that comes
//! out, and of its tokens.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Stop};
use rustc_hash::FxHashSet;
use thiserror::Error;

use super::assemble::{Bindings, assemble};
use super::join::Search;
use super::multiset::{Multiset, Part, Scratch, ValueError};
use super::net::{ColouredArcs, ColouredNet, ColouredTransition};
use super::origin::{Unfolded, binding_label};
use super::plan::{Pattern, Plan, Query};
use super::quotient::Quotient;
use super::relation::Tokens;
use super::size::Size;
use super::symmetry::ascending;
use crate::petri::net::{NetError, PlaceId};

/// How large an unfolded net may become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most places.
    pub places: u64,
    /// The most transitions.
    pub transitions: u64,
    /// The most arcs.
    pub arcs: u64,
}

impl Default for Limits {
    /// About four gigabytes.
    fn default() -> Self {
        Limits {
            places: 4_000_000,
            transitions: 4_000_000,
            arcs: 50_000_000,
        }
    }
}

/// Why there is no unfolded net.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum UnfoldError {
    /// The budget ran out.
    #[error("unfolding the coloured net was given up: {0}")]
    Stopped(Stop),
    /// More than the limits allow.
    #[error("the unfolded net is too large: it would have up to {0}")]
    TooLarge(Size),
    /// A term has no value.
    #[error("{of}, at place `{place}`: {error}")]
    Term {
        /// The initial marking, or a transition with its binding.
        of: String,
        /// The place.
        place: String,
        /// What is wrong.
        error: ValueError,
    },
    /// The parts do not make a net.
    #[error(transparent)]
    Net(#[from] NetError),
}

impl UnfoldError {
    /// The limit that ended it, if it was a limit: then the answer is not known.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            UnfoldError::Stopped(stop) => Some(*stop),
            UnfoldError::TooLarge(_) => Some(Stop::Memory),
            UnfoldError::Term { .. } | UnfoldError::Net(_) => None,
        }
    }

    /// A bound on the size of the net that was too large.
    #[must_use]
    pub fn size(&self) -> Option<Size> {
        match self {
            UnfoldError::TooLarge(size) => Some(*size),
            _ => None,
        }
    }
}

/// How far an unfolding has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Places found.
    pub places: u64,
    /// Transitions found.
    pub transitions: u64,
}

/// Unfolds a net.
///
/// # Errors
/// [`UnfoldError`] if it would be too large, the budget runs out, or a term has no value.
pub fn unfold(
    net: ColouredNet,
    limits: Limits,
    budget: &Budget,
    progress: impl FnMut(Progress),
) -> Result<Unfolded, UnfoldError> {
    unfolded(net, None, limits, budget, progress)
}

/// Unfolds the quotient of a net: a place per class of colours, and bindings of a transition with the same arcs as
/// one. Questions about sums of coloured places and about some binding of a coloured transition have the same answers.
///
/// # Errors
/// [`UnfoldError`] if it would be too large, the budget runs out, or a term has no value.
pub fn unfold_quotient(
    net: ColouredNet,
    quotient: &Quotient,
    limits: Limits,
    budget: &Budget,
    progress: impl FnMut(Progress),
) -> Result<Unfolded, UnfoldError> {
    unfolded(net, Some(quotient), limits, budget, progress)
}

fn unfolded(
    net: ColouredNet,
    quotient: Option<&Quotient>,
    limits: Limits,
    budget: &Budget,
    progress: impl FnMut(Progress),
) -> Result<Unfolded, UnfoldError> {
    let (tokens, bindings, initial) = {
        let mut unfolding = Unfolding::new(&net, quotient, limits, budget, progress);
        unfolding.mark()?;
        unfolding.run()?;
        (unfolding.tokens, unfolding.found, unfolding.initial)
    };
    assemble(net, quotient, &tokens, &bindings, &initial, budget)
}

struct Unfolding<'n, F> {
    net: &'n ColouredNet,
    quotient: Option<&'n Quotient>,
    limits: Limits,
    budget: &'n Budget,
    progress: F,
    tokens: Tokens,
    /// The tokens of the initial marking and how many there are of each.
    initial: Vec<(u32, u32)>,
    queries: Vec<Query>,
    /// Per transition and pattern, once needed.
    plans: Vec<Vec<Option<Plan>>>,
    /// Per place, the transitions and patterns that take from it.
    takers: Vec<Vec<(u32, u32)>>,
    found: Bindings,
    search: Search,
    values: Vec<u32>,
    scratch: Scratch,
    evaluated: Vec<(u64, u32)>,
    /// Colours evaluated since the last look at the budget.
    work: usize,
}

/// Colours evaluated between two looks at the budget.
const PATIENCE: usize = 1 << 16;

impl<'n, F: FnMut(Progress)> Unfolding<'n, F> {
    fn new(
        net: &'n ColouredNet,
        quotient: Option<&'n Quotient>,
        limits: Limits,
        budget: &'n Budget,
        progress: F,
    ) -> Self {
        let leaf_sorts = net.leaf_sorts();
        let sizes: Arc<[u32]> = leaf_sorts.iter().map(|&s| net.sorts.leaf_size(s)).collect();
        let queries: Vec<Query> = net
            .transitions
            .iter()
            .map(|t| Query {
                patterns: patterns(t, quotient),
                guard: match quotient {
                    Some(_) => ascending(net, t),
                    None => t.guard.clone(),
                },
                leaves: net.leaves_of(t),
                sizes: Arc::clone(&sizes),
            })
            .collect();
        let mut takers = vec![Vec::new(); net.places.len()];
        for ((number, query), t) in (0..).zip(&queries).zip(&net.transitions) {
            if is_simple(t) {
                for (i, pattern) in (0..).zip(&query.patterns) {
                    takers[pattern.place as usize].push((number, i));
                }
            }
        }
        Unfolding {
            net,
            quotient,
            limits,
            budget,
            progress,
            tokens: Tokens::new(&net.sorts, net.places.iter().map(|p| p.sort)),
            initial: Vec::new(),
            plans: queries
                .iter()
                .map(|q| vec![None; q.patterns.len() + 1])
                .collect(),
            queries,
            takers,
            found: Bindings::default(),
            search: Search::default(),
            values: vec![0; leaf_sorts.len()],
            scratch: Scratch::default(),
            evaluated: Vec::new(),
            work: 0,
        }
    }

    /// Notes some work, and asks the budget now and then.
    fn spend(&mut self, work: usize) -> Result<(), UnfoldError> {
        self.work += work;
        if self.work < PATIENCE {
            return Ok(());
        }
        self.work = 0;
        let bytes = self.tokens.bytes() + self.found.bytes();
        let checked = self.budget.check();
        let checked = checked.and_then(|()| self.budget.check_bytes(bytes));
        checked.map_err(UnfoldError::Stopped)
    }

    /// Puts the initial marking into the queue.
    fn mark(&mut self) -> Result<(), UnfoldError> {
        for (number, place) in (0..).zip(&self.net.places) {
            if self.skips(PlaceId(number)) {
                continue;
            }
            let evaluated = place.initial.evaluate(
                &self.net.sorts,
                &self.values,
                self.limits.places,
                &mut self.evaluated,
                &mut self.scratch,
            );
            evaluated.map_err(|error| match error {
                ValueError::Colours => UnfoldError::TooLarge(Size::of(self.net)),
                error => UnfoldError::Term {
                    of: "the initial marking".to_owned(),
                    place: place.id.clone(),
                    error,
                },
            })?;
            if merge_classes(self.quotient, number, &mut self.evaluated).is_none() {
                return Err(UnfoldError::Term {
                    of: "the initial marking".to_owned(),
                    place: place.id.clone(),
                    error: ValueError::Count,
                });
            }
            for &(colour, count) in &self.evaluated {
                let token = self.tokens.find(number, colour);
                self.initial.push((token, count));
            }
            self.check_size()?;
            self.spend(1 + self.evaluated.len())?;
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), UnfoldError> {
        let net = self.net;
        for (t, transition) in (0..).zip(&net.transitions) {
            if is_simple(transition) && self.queries[t as usize].patterns.is_empty() {
                self.bindings(t, None, None)?;
            }
        }
        let rest: Vec<u32> = (0..)
            .zip(&net.transitions)
            .filter(|(_, t)| !is_simple(t))
            .map(|(t, _)| t)
            .collect();
        let mut known: Vec<FxHashSet<Box<[u32]>>> = vec![FxHashSet::default(); rest.len()];
        let mut seen: Vec<Option<usize>> = vec![None; rest.len()];
        loop {
            while let Some((place, colour)) = self.tokens.arrive() {
                for i in 0..self.takers[place as usize].len() {
                    let (t, pattern) = self.takers[place as usize][i];
                    self.bindings(t, Some((pattern as usize, place, colour)), None)?;
                }
            }
            let mut grown = false;
            for (i, &t) in rest.iter().enumerate() {
                let transition = &net.transitions[t as usize];
                let taken = transition.pre.iter().chain(&transition.test);
                let tokens: usize = taken.map(|(p, _)| self.tokens.count(p.0)).sum();
                if seen[i].replace(tokens) != Some(tokens) {
                    self.bindings(t, None, Some(&mut known[i]))?;
                    grown = true;
                }
            }
            if !grown {
                return Ok(());
            }
        }
    }

    /// Finds the bindings of a transition with a new token for a pattern, or all that are not known.
    fn bindings(
        &mut self,
        t: u32,
        newest: Option<(usize, u32, u64)>,
        mut known: Option<&mut FxHashSet<Box<[u32]>>>,
    ) -> Result<(), UnfoldError> {
        let query = &self.queries[t as usize];
        let slot = newest.map_or(query.patterns.len(), |(pattern, _, _)| pattern);
        if self.plans[t as usize][slot].is_none() {
            self.budget.check().map_err(UnfoldError::Stopped)?;
            let start = newest.map(|(pattern, _, _)| pattern);
            self.plans[t as usize][slot] = Some(query.plan(start, &mut self.tokens));
        }
        let Some(plan) = self.plans[t as usize][slot].take() else {
            return Ok(());
        };
        let mut search = std::mem::take(&mut self.search);
        let mut result = Ok(());
        if search.start(&plan, newest, &mut self.values) {
            loop {
                match search.next(&plan, &self.tokens, &mut self.values, self.budget) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(stop) => {
                        result = Err(UnfoldError::Stopped(stop));
                        break;
                    }
                }
                result = self.emit(t, known.as_deref_mut());
                if result.is_err() {
                    break;
                }
            }
        }
        self.search = search;
        self.plans[t as usize][slot] = Some(plan);
        result
    }

    /// Keeps the binding in `values`.
    fn emit(
        &mut self,
        t: u32,
        known: Option<&mut FxHashSet<Box<[u32]>>>,
    ) -> Result<(), UnfoldError> {
        let net = self.net;
        let transition = &net.transitions[t as usize];
        if let Some(known) = known {
            if !self.has_all(t, &transition.pre)? || !self.has_all(t, &transition.test)? {
                return Ok(());
            }
            let leaves = &self.queries[t as usize].leaves;
            let values: Box<[u32]> = leaves.iter().map(|l| self.values[l.index()]).collect();
            if !known.insert(values) {
                return Ok(());
            }
        }
        self.found
            .begin_at(t, &self.queries[t as usize].leaves, &self.values);
        let lists = [&transition.pre, &transition.post, &transition.test];
        for (kind, arcs) in lists.into_iter().enumerate() {
            for (place, term) in arcs {
                if self.skips(*place) {
                    continue;
                }
                self.evaluate(t, place.0, term)?;
                for &(colour, weight) in &self.evaluated {
                    let token = self.tokens.find(place.0, colour);
                    self.found.arc(kind, token, weight);
                }
            }
        }
        for (place, term) in &transition.inhibit {
            if self.skips(*place) {
                continue;
            }
            self.evaluate(t, place.0, term)?;
            for &(colour, weight) in &self.evaluated {
                self.found.inhibitor(place.0, colour, weight);
            }
        }
        if self.quotient.is_some() && self.found.drop_repeated() {
            return Ok(());
        }
        if self.found.len().is_multiple_of(4096) {
            (self.progress)(Progress {
                places: self.tokens.all().len() as u64,
                transitions: self.found.len() as u64,
            });
            let bytes = self.tokens.bytes() + self.found.bytes();
            self.budget
                .check_bytes(bytes)
                .map_err(UnfoldError::Stopped)?;
        }
        self.check_size()
    }

    fn check_size(&self) -> Result<(), UnfoldError> {
        let limits = &self.limits;
        if self.tokens.all().len() as u64 > limits.places
            || self.found.len() as u64 > limits.transitions
            || self.found.arc_count() as u64 > limits.arcs
        {
            return Err(UnfoldError::TooLarge(Size::of(self.net)));
        }
        Ok(())
    }

    /// Whether the arcs of a place are left out.
    fn skips(&self, place: PlaceId) -> bool {
        self.quotient.is_some_and(|quotient| quotient.skips(place))
    }

    fn has_all(&mut self, t: u32, arcs: &ColouredArcs) -> Result<bool, UnfoldError> {
        for (place, term) in arcs {
            if self.skips(*place) {
                continue;
            }
            self.evaluate(t, place.0, term)?;
            let here = |&(colour, _): &(u64, u32)| self.tokens.has_arrived(place.0, colour);
            if !self.evaluated.iter().all(here) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn evaluate(&mut self, t: u32, place: u32, term: &Multiset) -> Result<(), UnfoldError> {
        let evaluated = term.evaluate(
            &self.net.sorts,
            &self.values,
            self.limits.places,
            &mut self.evaluated,
            &mut self.scratch,
        );
        let evaluated = evaluated.and_then(|()| {
            let merged = merge_classes(self.quotient, place, &mut self.evaluated);
            merged.ok_or(ValueError::Count)
        });
        evaluated.map_err(|error| match error {
            ValueError::Colours => UnfoldError::TooLarge(Size::of(self.net)),
            error => {
                let leaves = self.queries[t as usize].leaves.iter();
                let values: Vec<u32> = leaves.map(|l| self.values[l.index()]).collect();
                UnfoldError::Term {
                    of: format!("transition {}", binding_label(self.net, t, &values)),
                    place: self.net.places[place as usize].id.clone(),
                    error,
                }
            }
        })?;
        self.spend(1 + self.evaluated.len())
    }
}

/// Counts colours by their classes; `None` if a number does not fit.
fn merge_classes(
    quotient: Option<&Quotient>,
    place: u32,
    colours: &mut Vec<(u64, u32)>,
) -> Option<()> {
    let Some(quotient) = quotient else {
        return Some(());
    };
    for (colour, _) in colours.iter_mut() {
        *colour = quotient.canonical(place, *colour);
    }
    colours.sort_unstable_by_key(|&(colour, _)| colour);
    let mut kept = 0;
    for i in 0..colours.len() {
        let (colour, count) = colours[i];
        if kept > 0 && colours[kept - 1].0 == colour {
            colours[kept - 1].1 = colours[kept - 1].1.checked_add(count)?;
        } else {
            colours[kept] = (colour, count);
            kept += 1;
        }
    }
    colours.truncate(kept);
    Some(())
}

/// Whether all that a transition needs are sums of single colours.
fn is_simple(t: &ColouredTransition) -> bool {
    let needs = t.pre.iter().chain(&t.test);
    needs.into_iter().all(|(_, term)| term.is_simple())
}

/// The single colours that a transition needs, each pattern once.
pub(super) fn patterns(t: &ColouredTransition, quotient: Option<&Quotient>) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    let mut known: FxHashSet<Pattern> = FxHashSet::default();
    for (place, term) in t.pre.iter().chain(&t.test) {
        if quotient.is_some_and(|quotient| quotient.skips(*place)) {
            continue;
        }
        let negative = term.summands.iter().any(|s| s.coefficient < 0);
        for summand in &term.summands {
            let single = |f: &super::multiset::Factor| match f.as_slice() {
                [(part, 1)] if *part != Part::All => Some(*part),
                _ => None,
            };
            let parts: Option<Vec<Part>> = summand.factors.iter().map(single).collect();
            // What a difference takes is not known before all of it is.
            let (Some(parts), false) = (parts, negative) else {
                continue;
            };
            let pattern = Pattern {
                place: place.0,
                parts,
            };
            if known.insert(pattern.clone()) {
                found.push(pattern);
            }
        }
    }
    found
}
