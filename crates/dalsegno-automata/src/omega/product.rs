//! Intersection and union of automata.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{MAX_PROPOSITIONS, Stop};

use crate::bdd::{Bdd, Manager, Var};
use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::degeneralize::degeneralize;
use crate::omega::edge::{Edge, MAX_ACCEPTANCE_SETS, Marks, bytes_of};
use crate::omega::state_id::StateId;

/// The automaton of the words that both accept, built from the initial states on.
///
/// Propositions are identified by name; the result has those of both. If the acceptance sets of both
/// are too many together, the one with more of them is degeneralised.
///
/// # Errors
/// When the effort runs out, or there are more than 64 propositions.
pub fn intersection(a: &Automaton, b: &Automaton, effort: &Effort<'_>) -> Result<Automaton, Error> {
    let sets = a.acceptance_sets + b.acceptance_sets;
    if sets > MAX_ACCEPTANCE_SETS {
        return if a.acceptance_sets >= b.acceptance_sets {
            intersection(&degeneralize(a.clone(), effort)?, b, effort)
        } else {
            intersection(a, &degeneralize(b.clone(), effort)?, effort)
        };
    }
    let both = |&q: &StateId| b.initial.iter().map(move |&p| (q, p));
    let roots: Vec<(StateId, StateId)> = a.initial.iter().flat_map(both).collect();
    product_from(a, b, &roots, effort)
}

/// The product from some pairs of states on, which are its initial states, in order.
///
/// # Errors
/// As [`intersection`]; if the acceptance sets of both are too many together.
pub(crate) fn product_from(
    a: &Automaton,
    b: &Automaton,
    roots: &[(StateId, StateId)],
    effort: &Effort<'_>,
) -> Result<Automaton, Error> {
    let sets = a.acceptance_sets + b.acceptance_sets;
    if sets > MAX_ACCEPTANCE_SETS {
        return Err(Error::TooManyAcceptanceSets);
    }
    let mut result = Automaton::new(together(a, b)?, sets);
    result.guards.begin(effort);
    let (alphabet_a, edges_a) = import(&mut result, a)?;
    let (alphabet_b, edges_b) = import(&mut result, b)?;
    result.alphabet = result.guards.and(alphabet_a, alphabet_b)?;
    let mut ids: FxHashMap<(StateId, StateId), StateId> = FxHashMap::default();
    let mut pairs: Vec<(StateId, StateId)> = Vec::new();
    let mut id_of = |result: &mut Automaton, pairs: &mut Vec<_>, pair: (StateId, StateId)| {
        *ids.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            result.add_state(None)
        })
    };
    for &root in roots {
        let id = id_of(&mut result, &mut pairs, root);
        result.initial.push(id);
    }
    let mut done = 0;
    while let Some(&(q, p)) = pairs.get(done) {
        if done.is_multiple_of(1 << 10) {
            let bytes = bytes_of(&result.edges) + 64 * pairs.len() as u64;
            result.guards.hold(bytes);
        }
        for e in &edges_a[q.index()] {
            result.guards.spend(1 + edges_b[p.index()].len() as u64)?;
            for f in &edges_b[p.index()] {
                let guard = result.guards.and(e.guard, f.guard)?;
                if guard == Bdd::FALSE {
                    continue;
                }
                let target = id_of(&mut result, &mut pairs, (e.target, f.target));
                let marks = e.marks.union(shifted(f.marks, a.acceptance_sets));
                result.add_edge(StateId::new(done), guard, marks, target)?;
            }
        }
        done += 1;
    }
    result.guards.end(effort);
    Ok(result)
}

/// The automaton of the words that one of the two accepts: both, side by side.
///
/// Propositions are identified by name; both must have the same letters.
///
/// # Errors
/// As [`intersection`].
pub fn union(a: &Automaton, b: &Automaton, effort: &Effort<'_>) -> Result<Automaton, Error> {
    let sets = a.acceptance_sets.max(b.acceptance_sets);
    let mut result = Automaton::new(together(a, b)?, sets);
    result.guards.begin(effort);
    for x in [a, b] {
        let (alphabet, edges) = import(&mut result, x)?;
        result.alphabet = alphabet;
        let first = result.len();
        // What an automaton has not, every edge of it has.
        let missing = Marks(result.all_marks().0 & !x.all_marks().0);
        for (q, out) in edges.into_iter().enumerate() {
            let copy = result.add_state(x.labels[q]);
            let moved = |e: Edge| Edge {
                target: e.target.after(first),
                marks: e.marks.union(missing),
                ..e
            };
            result.edges[copy.index()] = out.into_iter().map(moved).collect();
        }
        result
            .initial
            .extend(x.initial.iter().map(|&q| q.after(first)));
    }
    result.guards.end(effort);
    Ok(result)
}

pub(crate) fn shifted(marks: Marks, by: u32) -> Marks {
    Marks(marks.0.checked_shl(by).unwrap_or(0))
}

/// The propositions of both.
pub(crate) fn together(a: &Automaton, b: &Automaton) -> Result<Vec<String>, Error> {
    let mut names = a.propositions.clone();
    for name in &b.propositions {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.len() > MAX_PROPOSITIONS {
        return Err(Error::TooManyPropositions(names.len()));
    }
    Ok(names)
}

/// The alphabet and the edges of `x` over the propositions and in the manager of `result`.
pub(crate) fn import(result: &mut Automaton, x: &Automaton) -> Result<(Bdd, Vec<Vec<Edge>>), Stop> {
    let position = |name: &String| result.propositions.iter().position(|n| n == name);
    let var: Vec<Var> = x
        .propositions
        .iter()
        .map(|name| position(name).expect("the result has the propositions of both") as Var)
        .collect();
    let sorted = var.is_sorted();
    let mut memo: FxHashMap<Bdd, Bdd> = FxHashMap::default();
    let guards = &mut result.guards;
    let mut of = |f: Bdd| {
        if sorted {
            guards.import_with(&x.guards, f, &|v| var[v as usize], &mut memo)
        } else {
            rebuild(guards, &x.guards, f, &var, &mut memo)
        }
    };
    let alphabet = of(x.alphabet)?;
    let mut edges = Vec::with_capacity(x.len());
    for out in &x.edges {
        let moved = out.iter().map(|e| {
            let guard = of(e.guard)?;
            Ok(Edge { guard, ..*e })
        });
        edges.push(moved.collect::<Result<_, Stop>>()?);
    }
    Ok((alphabet, edges))
}

/// Copies a function whose variables change their order.
fn rebuild(
    to: &mut Manager,
    from: &Manager,
    f: Bdd,
    var: &[Var],
    memo: &mut FxHashMap<Bdd, Bdd>,
) -> Result<Bdd, Stop> {
    if f.is_constant() {
        return Ok(f);
    }
    if let Some(&known) = memo.get(&f) {
        return Ok(known);
    }
    let v = var[from.var(f) as usize];
    let low = rebuild(to, from, from.low(f), var, memo)?;
    let high = rebuild(to, from, from.high(f), var, memo)?;
    let (negative, positive) = (to.literal(v, false)?, to.literal(v, true)?);
    let low = to.and(negative, low)?;
    let high = to.and(positive, high)?;
    let result = to.or(low, high)?;
    memo.insert(f, result);
    Ok(result)
}
