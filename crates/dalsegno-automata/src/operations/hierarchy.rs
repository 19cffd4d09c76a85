//! The class of a language in the hierarchy of Manna and Pnueli (MP90), decided on automata.
//!
//! - *Safety*: a word is in the language if each of its prefixes can be continued to a word of it. The automaton without dead
//!   states, each infinite run of it accepting, accepts the safety closure; the closure must have no word of the complement.
//! - *Guarantee*: the complement is safety.
//! - *Persistence* (co-Büchi): in the product of the automaton with its own subset construction, let every run accept that stays
//!   in a component that has an accepting cycle. That is the language itself if and only if the language is persistence
//!   (BK09); otherwise it is more.
//! - *Recurrence* (deterministic Büchi): the complement is persistence.
//! - *Obligation*: both recurrence and persistence.
//! - *Reactivity*: every ω-regular language.
//!
//! Cost: n · 2^n states for persistence and recurrence, and products.

use rustc_hash::FxHashMap;

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, Marks, bytes_of};
use crate::omega::product::intersection;
use crate::omega::scc_filter::{SccInfo, scc_filter};
use crate::omega::state_id::StateId;
use crate::omega::words::is_empty;

use super::compare::Language;
use super::letter_classes;

/// The classes of the hierarchy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// Nothing bad ever happens.
    Safety,
    /// Something good happens once.
    Guarantee,
    /// Boolean combinations of safety and guarantee.
    Obligation,
    /// Something good happens again and again.
    Recurrence,
    /// Something good holds from some point on.
    Persistence,
    /// Everything.
    Reactivity,
}

dalsegno_kripke::choices!(
    Class, "class", Safety => "safety", Guarantee => "guarantee", Obligation => "obligation",
    Recurrence => "recurrence", Persistence => "persistence", Reactivity => "reactivity"
);

/// Whether a language is in a class.
///
/// # Errors
/// When the effort runs out, or there are more than 64 propositions.
pub fn is_in(language: &Language, class: Class, effort: &Effort<'_>) -> Result<bool, Error> {
    let Language { positive, negative } = language;
    match class {
        Class::Safety => is_safety(positive, negative, effort),
        Class::Guarantee => is_safety(negative, positive, effort),
        Class::Persistence => is_persistence(positive, negative, effort),
        Class::Recurrence => is_persistence(negative, positive, effort),
        Class::Obligation => Ok(is_persistence(positive, negative, effort)?
            && is_persistence(negative, positive, effort)?),
        Class::Reactivity => Ok(true),
    }
}

/// The smallest class that a language is in; of safety and guarantee the first, if it is both.
///
/// # Errors
/// As [`is_in`].
pub fn class_of(language: &Language, effort: &Effort<'_>) -> Result<Class, Error> {
    for class in [Class::Safety, Class::Guarantee] {
        if is_in(language, class, effort)? {
            return Ok(class);
        }
    }
    let recurrence = is_in(language, Class::Recurrence, effort)?;
    let persistence = is_in(language, Class::Persistence, effort)?;
    Ok(match (recurrence, persistence) {
        (true, true) => Class::Obligation,
        (true, false) => Class::Recurrence,
        (false, true) => Class::Persistence,
        (false, false) => Class::Reactivity,
    })
}

fn is_safety(a: &Automaton, complement: &Automaton, effort: &Effort<'_>) -> Result<bool, Error> {
    let mut closure = Automaton::new(a.propositions.clone(), 0);
    let info = SccInfo::new(a);
    let useful = info.useful(a);
    closure.guards = a.guards.clone();
    closure.guards.begin(effort);
    closure.alphabet = a.alphabet;
    for _ in 0..a.len() {
        closure.add_state(None);
    }
    let alive = a.initial.iter().filter(|&&q| useful[q.index()]);
    closure.initial = alive.copied().collect();
    for (q, edges) in StateId::all().zip(&a.edges) {
        for e in edges {
            if useful[q.index()] && useful[e.target.index()] {
                closure.add_edge(q, e.guard, Marks::NONE, e.target)?;
            }
        }
    }
    closure.guards.end(effort);
    Ok(is_empty(&intersection(&closure, complement, effort)?))
}

fn is_persistence(
    a: &Automaton,
    complement: &Automaton,
    effort: &Effort<'_>,
) -> Result<bool, Error> {
    let more = augmented(&scc_filter(a.clone(), effort), effort)?;
    Ok(is_empty(&intersection(&more, complement, effort)?))
}

/// The product of an automaton with its subset construction, every run accepting that stays in a component with an accepting
/// cycle.
fn augmented(a: &Automaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let mut result = Automaton::new(a.propositions.clone(), a.acceptance_sets);
    result.guards = a.guards.clone();
    result.guards.begin(effort);
    result.alphabet = a.alphabet;
    let mut subsets: FxHashMap<Vec<StateId>, u32> = FxHashMap::default();
    let mut members: Vec<Vec<StateId>> = Vec::new();
    let mut subset_of = |members: &mut Vec<Vec<StateId>>, mut set: Vec<StateId>| {
        set.sort_unstable();
        set.dedup();
        let fresh = members.len() as u32;
        *subsets.entry(set).or_insert_with_key(|set| {
            members.push(set.clone());
            fresh
        })
    };
    let mut ids: FxHashMap<(StateId, u32), StateId> = FxHashMap::default();
    let mut pairs: Vec<(StateId, u32)> = Vec::new();
    let mut id_of = |result: &mut Automaton, pairs: &mut Vec<_>, pair: (StateId, u32)| {
        *ids.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            result.add_state(None)
        })
    };
    let start = subset_of(&mut members, a.initial.clone());
    for &q in &a.initial {
        let id = id_of(&mut result, &mut pairs, (q, start));
        result.initial.push(id);
    }
    // Per subset: the classes of letters with the subset that follows.
    let mut rows: Vec<Option<Vec<(crate::bdd::Bdd, u32)>>> = Vec::new();
    let mut done = 0;
    while let Some(&(q, subset)) = pairs.get(done) {
        let from = StateId::new(done);
        done += 1;
        result
            .guards
            .hold(bytes_of(&result.edges) + 64 * pairs.len() as u64);
        rows.resize(members.len().max(rows.len()), None);
        let row = if let Some(row) = rows[subset as usize].take() {
            row
        } else {
            let states = members[subset as usize].clone();
            let edges: Vec<Edge> = states
                .iter()
                .flat_map(|&p| a.edges[p.index()].iter().copied())
                .collect();
            let classes = letter_classes(&mut result.guards, a.alphabet, &edges)?;
            let next = |(guard, enabled): (_, Vec<Edge>)| {
                let targets = enabled.iter().map(|e| e.target).collect();
                (guard, subset_of(&mut members, targets))
            };
            classes.into_iter().map(next).collect()
        };
        for e in &a.edges[q.index()] {
            for &(guard, next) in &row {
                result.guards.spend(1)?;
                let guard = result.guards.and(guard, e.guard)?;
                if guard != crate::bdd::Bdd::FALSE {
                    let target = id_of(&mut result, &mut pairs, (e.target, next));
                    result.add_edge(from, guard, e.marks, target)?;
                }
            }
        }
        rows[subset as usize] = Some(row);
    }
    let info = SccInfo::new(&result);
    let mut weak = Automaton::new(result.propositions.clone(), 1);
    weak.guards = result.guards;
    weak.alphabet = result.alphabet;
    weak.initial = result.initial;
    for _ in 0..result.edges.len() {
        weak.add_state(None);
    }
    for (q, edges) in StateId::all().zip(&result.edges) {
        for e in edges {
            let inside = info.components.of[q.index()] != u32::MAX && info.is_inside(q, e.target);
            weak.add_edge(q, e.guard, Marks(u64::from(inside)), e.target)?;
        }
    }
    weak.guards.end(effort);
    Ok(weak)
}
