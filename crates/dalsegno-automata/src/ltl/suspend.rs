//! Intersection with a suspended automaton.
//!
//! If a language does not depend on finite prefixes, a word is in it if and only if some, and then every, suffix is. So
//! the intersection of an automaton S with an automaton A of such a language need not run A before S has come to an accepting
//! component, where the run may stay: in the other components A is *suspended* in its initial states
//! (Babiak, Badie, Duret-Lutz, Křetínský and Strejček, SPIN 2013, who do it for states of a tableau). The product has
//! the states of S outside of accepting components once instead of once per state of A.
//!
//! Right: a run of the product is accepting only if it stays in one accepting component of S; from its entry on A reads a
//! suffix of the word. Conversely an accepting run of S ends in an accepting component, and A accepts the suffix that is
//! read from there, whatever the prefix. Between accepting components A goes on, which is one of its runs too.
//!
//! Cost: that of a product.

use rustc_hash::FxHashMap;

use crate::bdd::Bdd;
use crate::effort::Effort;
use crate::ltl::tableau::Error;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{Edge, MAX_ACCEPTANCE_SETS, Marks};
use crate::omega::product::{import, shifted, together};
use crate::omega::scc_filter::SccInfo;
use crate::omega::state_id::StateId;

/// The words that both accept. `suspended` must have a language that does not depend on finite prefixes. `None` if the
/// acceptance sets of both are too many.
///
/// # Errors
/// When the effort runs out, or there are more than 64 propositions.
pub(crate) fn suspended_product(
    a: &Automaton,
    suspended: &Automaton,
    effort: &Effort<'_>,
) -> Result<Option<Automaton>, Error> {
    let sets = a.acceptance_sets + suspended.acceptance_sets;
    if sets > MAX_ACCEPTANCE_SETS {
        return Ok(None);
    }
    let info = SccInfo::new(a);
    let runs = |q: StateId| {
        let scc = info.components.of[q.index()];
        scc != u32::MAX && info.accepting[scc as usize]
    };
    let mut result = Automaton::new(together(a, suspended)?, sets);
    result.guards.begin(effort);
    let (alphabet_a, edges_a) = import(&mut result, a)?;
    let (alphabet_b, edges_b) = import(&mut result, suspended)?;
    result.alphabet = result.guards.and(alphabet_a, alphabet_b)?;
    // The second component is absent where the second automaton is suspended.
    let mut ids: FxHashMap<(StateId, Option<StateId>), StateId> = FxHashMap::default();
    let mut pairs: Vec<(StateId, Option<StateId>)> = Vec::new();
    let mut id_of = |result: &mut Automaton, pairs: &mut Vec<_>, pair| {
        *ids.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            result.add_state(None)
        })
    };
    // Where the second automaton may be when the first one enters a state.
    let entries = |q: StateId, from: Option<StateId>| -> Vec<Option<StateId>> {
        match from {
            _ if !runs(q) => vec![None],
            Some(p) => vec![Some(p)],
            None => suspended.initial.iter().map(|&p| Some(p)).collect(),
        }
    };
    for &q in &a.initial {
        for p in entries(q, None) {
            let id = id_of(&mut result, &mut pairs, (q, p));
            result.initial.push(id);
        }
    }
    let waiting = [Edge {
        guard: Bdd::TRUE,
        marks: Marks::NONE,
        target: StateId::NONE,
    }];
    let mut done = 0;
    while let Some(&(q, p)) = pairs.get(done) {
        let others = p.map_or(&waiting[..], |p| &edges_b[p.index()]);
        for e in &edges_a[q.index()] {
            result.guards.spend(1 + others.len() as u64)?;
            for f in others {
                let guard = result.guards.and(e.guard, f.guard)?;
                if guard == Bdd::FALSE {
                    continue;
                }
                let marks = e.marks.union(shifted(f.marks, a.acceptance_sets));
                for next in entries(e.target, p.map(|_| f.target)) {
                    let target = id_of(&mut result, &mut pairs, (e.target, next));
                    result.add_edge(StateId::new(done), guard, marks, target)?;
                }
            }
        }
        done += 1;
    }
    result.guards.end(effort);
    Ok(Some(result))
}
