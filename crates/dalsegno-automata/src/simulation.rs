//! Reduction by direct and reverse simulation.
//!
//! State p *simulates* q if every edge of q is matched, letter by letter, by an edge of p with at least
//! its marks to a state that simulates the target. States that simulate each other are merged, then
//! edges that a strictly better edge dominates are dropped (Etessami and Holzmann, CONCUR 2000;
//! Somenzi and Bloem, CAV 2000). Reverse simulation is the same on the reversed automaton.
//!
//! The relation is computed by signatures (Babiak, Badie, Duret-Lutz, Křetínský and Strejček,
//! "Compositional Approach to Suspension and Other Improvements to LTL Translation", SPIN 2013): the
//! signature of a state is a diagram, the disjunction over its edges of
//!
//! ```text
//! guard ∧ (a variable per missing mark) ∧ (a variable per class that simulates the target's class)
//! ```
//!
//! so that p simulates q exactly if the signature of q implies that of p. Classes start as one and are
//! split by signature until nothing changes. The signature of a class, read back by prime implicants,
//! is the quotient with its dominated edges already gone.
//!
//! Cost: at most n rounds of n signatures and k² implications, k the number of classes.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Budget, Stop};

use crate::automaton::{Automaton, Edge, MAX_ACCEPTANCE_SETS, Marks, StateId};
use crate::bdd::{Bdd, Manager, Var};
use crate::letter_simulation;
use crate::prune::prune;

/// Automata with more states are left as they are: a class needs a diagram variable.
pub const MAX_STATES: usize = 2000;

const MARK_VARS: Var = 64;
const FLAG_VARS: Var = MARK_VARS + MAX_ACCEPTANCE_SETS;
const CLASS_VARS: Var = FLAG_VARS + 2;

/// The largest direct simulation on a graph, as classes with an order.
pub(crate) struct Simulation {
    /// The class of each state; classes are numbered by their first state.
    pub class: Vec<u32>,
    /// The classes that simulate each class, itself included, ascending.
    pub simulators: Vec<Vec<u32>>,
    /// The edges of each class that are not dominated; targets are classes.
    pub edges: Vec<Vec<Edge>>,
}

impl Simulation {
    /// Whether class `d` simulates class `c`.
    pub fn simulates(&self, d: u32, c: u32) -> bool {
        self.simulators[c as usize].binary_search(&d).is_ok()
    }
}

/// Computes the simulation. `flags[q]` is a set of two flags that a simulating state must have too.
pub(crate) fn simulate(
    guards: &mut Manager,
    edges: &[Vec<Edge>],
    flags: &[u8],
    sets: u32,
    budget: &Budget,
) -> Result<Simulation, Stop> {
    let n = edges.len();
    let mut class = vec![0u32; n];
    let mut simulators: Vec<Vec<u32>> = vec![vec![0]];
    let mut signatures: Vec<Bdd>;
    let mut codes: Vec<Bdd>;
    let mut pairs = 0usize;
    loop {
        budget.check()?;
        codes = simulators
            .iter()
            .map(|above| conjunction(guards, above.iter().map(|&c| CLASS_VARS + c)))
            .collect();
        let signature_of: Vec<Bdd> = (0..n)
            .map(|q| signature(guards, &edges[q], flags[q], sets, &class, &codes))
            .collect();
        let mut by_signature: FxHashMap<Bdd, u32> = FxHashMap::default();
        signatures = Vec::new();
        let mut next_class = vec![0u32; n];
        for (q, &s) in signature_of.iter().enumerate() {
            next_class[q] = *by_signature.entry(s).or_insert_with(|| {
                signatures.push(s);
                signatures.len() as u32 - 1
            });
        }
        let next_simulators = order(guards, &signatures);
        let next_pairs = next_simulators.iter().map(Vec::len).sum();
        let stable = next_simulators.len() == simulators.len() && next_pairs == pairs;
        class = next_class;
        simulators = next_simulators;
        pairs = next_pairs;
        if stable {
            break;
        }
    }
    let edges = signatures
        .iter()
        .map(|&s| read_back(guards, s, sets, &simulators))
        .collect();
    Ok(Simulation {
        class,
        simulators,
        edges,
    })
}

/// For each signature, those it implies, itself included.
fn order(guards: &mut Manager, signatures: &[Bdd]) -> Vec<Vec<u32>> {
    signatures
        .iter()
        .map(|&s| {
            (0..)
                .zip(signatures)
                .filter(|&(_, &t)| guards.implies(s, t))
                .map(|(d, _)| d)
                .collect()
        })
        .collect()
}

fn conjunction(m: &mut Manager, vars: impl DoubleEndedIterator<Item = Var>) -> Bdd {
    vars.rev().fold(Bdd::TRUE, |f, v| m.node(v, Bdd::FALSE, f))
}

fn signature(
    m: &mut Manager,
    edges: &[Edge],
    flags: u8,
    sets: u32,
    class: &[u32],
    codes: &[Bdd],
) -> Bdd {
    let mut s = Bdd::FALSE;
    for flag in 0..2u8 {
        if flags >> flag & 1 == 1 {
            let var = m.variable(FLAG_VARS + Var::from(flag));
            s = m.or(s, var);
        }
    }
    for e in edges {
        let mut product = codes[class[e.target as usize] as usize];
        for i in (0..sets).rev() {
            if !e.marks.has(i) {
                product = m.node(MARK_VARS + i, Bdd::FALSE, product);
            }
        }
        let product = m.and(e.guard, product);
        s = m.or(s, product);
    }
    s
}

/// The edges that a signature stands for.
fn read_back(m: &mut Manager, signature: Bdd, sets: u32, simulators: &[Vec<u32>]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (guard, below) in m.split_at(signature, MARK_VARS) {
        for prime in m.monotone_primes(below) {
            if prime.iter().any(|v| (FLAG_VARS..CLASS_VARS).contains(v)) {
                continue;
            }
            let mut marks = Marks::all(sets);
            for &v in prime.iter().filter(|&&v| v < FLAG_VARS) {
                marks.0 &= !(1 << (v - MARK_VARS));
            }
            let above = prime.iter().filter(|&&v| v >= CLASS_VARS);
            let code: Vec<u32> = above.map(|&v| v - CLASS_VARS).collect();
            // The class itself is the one of its simulators that is simulated by all the others.
            let target = code
                .iter()
                .copied()
                .find(|&c| simulators[c as usize] == code)
                .expect("a class is among its simulators");
            match edges
                .iter_mut()
                .find(|e| e.target == target && e.marks == marks)
            {
                Some(e) => e.guard = m.or(e.guard, guard),
                None => edges.push(Edge {
                    guard,
                    marks,
                    target,
                }),
            }
        }
    }
    edges
}

/// How the relation is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// By signatures that are diagrams: good for few states and large guards.
    Signatures,
    /// Letter by letter: good where guards have few letters.
    Letters,
}

impl Method {
    fn simulate(
        self,
        automaton: &mut Automaton,
        edges: &[Vec<Edge>],
        flags: &[u8],
        budget: &Budget,
    ) -> Result<Simulation, Stop> {
        let (guards, sets) = (&mut automaton.guards, automaton.acceptance_sets);
        match self {
            Method::Signatures => simulate(guards, edges, flags, sets, budget),
            Method::Letters => {
                let variables = automaton.propositions.len();
                letter_simulation::simulate(guards, edges, flags, variables, budget)
            }
        }
    }
}

/// The quotient by direct simulation, pruned of dominated edges; labels are kept.
///
/// # Errors
/// When the budget runs out.
pub fn reduce_direct(
    mut automaton: Automaton,
    method: Method,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let n = automaton.len();
    if n > MAX_STATES {
        return Ok(automaton);
    }
    let sets = automaton.acceptance_sets;
    let flags = vec![0; n];
    let edges = std::mem::take(&mut automaton.edges);
    let sim = method.simulate(&mut automaton, &edges, &flags, budget)?;
    let mut result = automaton.take_frame(sets);
    for (c, edges) in (0..).zip(&sim.edges) {
        let label = (0..n)
            .filter(|&q| sim.class[q] == c)
            .find_map(|q| automaton.labels[q]);
        result.add_state(label);
        debug_assert_eq!(result.len() - 1, c as usize);
        for e in edges {
            result.edges[c as usize].push(*e);
        }
        result.edges[c as usize].sort_unstable_by_key(|e| (e.target, e.marks));
    }
    let mut initial: Vec<StateId> = automaton
        .initial
        .iter()
        .map(|&q| sim.class[q as usize])
        .collect();
    initial.sort_unstable();
    initial.dedup();
    result.initial = initial
        .iter()
        .copied()
        .filter(|&c| !initial.iter().any(|&d| d != c && sim.simulates(d, c)))
        .collect();
    Ok(prune_keeping(result))
}

/// The quotient by reverse simulation. Labels are dropped if anything changes.
///
/// With `state_based`, states are told apart by whether their edges carry all marks, so that a Büchi
/// automaton stays one.
///
/// # Errors
/// When the budget runs out.
pub fn reduce_reverse(
    mut automaton: Automaton,
    state_based: bool,
    method: Method,
    budget: &Budget,
) -> Result<Automaton, Stop> {
    let n = automaton.len();
    if n > MAX_STATES {
        return Ok(automaton);
    }
    let sets = automaton.acceptance_sets;
    let mut reversed: Vec<Vec<Edge>> = vec![Vec::new(); n];
    for (q, edges) in (0..).zip(&automaton.edges) {
        for e in edges {
            reversed[e.target as usize].push(Edge { target: q, ..*e });
        }
    }
    let mut flags = vec![0u8; n];
    for &q in &automaton.initial {
        flags[q as usize] |= 1;
    }
    if state_based {
        let all = automaton.all_marks();
        for (q, edges) in automaton.edges.iter().enumerate() {
            if edges.first().is_some_and(|e| e.marks == all) {
                flags[q] |= 2;
            }
        }
    }
    let sim = method.simulate(&mut automaton, &reversed, &flags, budget)?;
    let before = automaton.edge_count();
    let after: usize = sim.edges.iter().map(Vec::len).sum();
    if sim.edges.len() == n && after == before {
        return Ok(automaton);
    }
    let mut result = automaton.take_frame(sets);
    for _ in &sim.edges {
        result.add_state(None);
    }
    for (target, edges) in (0..).zip(&sim.edges) {
        for e in edges {
            result.add_edge(e.target, e.guard, e.marks, target);
        }
    }
    result.initial = automaton
        .initial
        .iter()
        .map(|&q| sim.class[q as usize])
        .collect();
    result.initial.sort_unstable();
    result.initial.dedup();
    Ok(prune_keeping(result))
}

/// Pruning that leaves a state-based acceptance state-based: only unreachable and useless states go
/// if the automaton has one acceptance set that is on all or none of the edges of each state.
fn prune_keeping(automaton: Automaton) -> Automaton {
    if automaton.acceptance_sets == 1 && automaton.accepting_states().is_some() {
        crate::prune::drop_useless(automaton)
    } else {
        prune(automaton)
    }
}
