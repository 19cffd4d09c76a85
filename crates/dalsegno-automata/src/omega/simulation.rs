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
//! Cost: at most n rounds of n signatures, and an implication per pair of classes that the round before has left. Deterministic
//! automata need none of it ([`crate::omega::bisimulation`]). An automaton for which the effort does not suffice stays as it is.

use rustc_hash::FxHashMap;

use dalsegno_kripke::Stop;

use crate::bdd::{Bdd, Manager, Var};
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::body::Body;
use crate::omega::edge::{Edge, MAX_ACCEPTANCE_SETS, Marks};
use crate::omega::letter_simulation;
use crate::omega::scc_filter::filter_components;
use crate::omega::state_id::StateId;

/// Automata with more states are left as they are: a class needs a diagram variable.
pub(crate) const MAX_STATES: usize = 2000;

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
) -> Result<Simulation, Stop> {
    let n = edges.len();
    let mut class = vec![0u32; n];
    let mut simulators: Vec<Vec<u32>> = vec![vec![0]];
    let mut signatures: Vec<Bdd>;
    let mut pairs = 0usize;
    loop {
        let codes = simulators
            .iter()
            .map(|above| conjunction(guards, above.iter().map(|&c| CLASS_VARS + c)))
            .collect::<Result<Vec<Bdd>, Stop>>()?;
        let mut by_signature: FxHashMap<Bdd, u32> = FxHashMap::default();
        signatures = Vec::new();
        let mut next_class = vec![0u32; n];
        for (q, next) in next_class.iter_mut().enumerate() {
            let s = signature(guards, &edges[q], flags[q], sets, &class, &codes)?;
            *next = *by_signature.entry(s).or_insert_with(|| {
                signatures.push(s);
                signatures.len() as u32 - 1
            });
        }
        let next_simulators = order(guards, &signatures, &next_class, &class, &simulators)?;
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
        .collect::<Result<_, Stop>>()?;
    Ok(Simulation {
        class,
        simulators,
        edges,
    })
}

/// For each signature, those it implies, itself included. The relation only loses pairs from round to round, so only
/// pairs are asked that the last round has left: `class` and `simulators` are those of the last round.
fn order(
    guards: &mut Manager,
    signatures: &[Bdd],
    next_class: &[u32],
    class: &[u32],
    simulators: &[Vec<u32>],
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut parent = vec![0u32; signatures.len()];
    for (&c, &before) in next_class.iter().zip(class) {
        parent[c as usize] = before;
    }
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); simulators.len()];
    for (c, &before) in (0..).zip(&parent) {
        parts[before as usize].push(c);
    }
    let mut order = Vec::with_capacity(signatures.len());
    for (&s, &before) in signatures.iter().zip(&parent) {
        let mut above = Vec::new();
        for &larger in &simulators[before as usize] {
            guards.spend(parts[larger as usize].len() as u64 / 4)?;
            for &d in &parts[larger as usize] {
                if guards.implies(s, signatures[d as usize])? {
                    above.push(d);
                }
            }
        }
        above.sort_unstable();
        order.push(above);
    }
    Ok(order)
}

fn conjunction(m: &mut Manager, vars: impl DoubleEndedIterator<Item = Var>) -> Result<Bdd, Stop> {
    vars.rev()
        .try_fold(Bdd::TRUE, |f, v| m.node(v, Bdd::FALSE, f))
}

fn signature(
    m: &mut Manager,
    edges: &[Edge],
    flags: u8,
    sets: u32,
    class: &[u32],
    codes: &[Bdd],
) -> Result<Bdd, Stop> {
    let mut s = Bdd::FALSE;
    for flag in 0..2u8 {
        if flags >> flag & 1 == 1 {
            let var = m.variable(FLAG_VARS + Var::from(flag))?;
            s = m.or(s, var)?;
        }
    }
    m.spend(edges.len() as u64)?;
    for e in edges {
        let mut product = codes[class[e.target.index()] as usize];
        for i in (0..sets).rev() {
            if !e.marks.has(i) {
                product = m.node(MARK_VARS + i, Bdd::FALSE, product)?;
            }
        }
        let product = m.and(e.guard, product)?;
        s = m.or(s, product)?;
    }
    Ok(s)
}

/// The edges that a signature stands for.
fn read_back(
    m: &mut Manager,
    signature: Bdd,
    sets: u32,
    simulators: &[Vec<u32>],
) -> Result<Vec<Edge>, Stop> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut positions: FxHashMap<(StateId, Marks), usize> = FxHashMap::default();
    for (guard, below) in m.split_at(signature, MARK_VARS)? {
        for prime in m.monotone_primes(below)?.iter() {
            if prime.iter().any(|v| (FLAG_VARS..CLASS_VARS).contains(v)) {
                continue;
            }
            let mut marks = Marks::all(sets);
            for &v in prime.iter().filter(|&&v| v < FLAG_VARS) {
                marks.0 &= !(1 << (v - MARK_VARS));
            }
            let above = prime.iter().filter(|&&v| v >= CLASS_VARS);
            let code: Vec<u32> = above.map(|&v| v - CLASS_VARS).collect();
            m.spend(1 + code.len() as u64)?;
            // The class itself is the one of its simulators that is simulated by all the others.
            let target = code
                .iter()
                .copied()
                .find(|&c| simulators[c as usize] == code)
                .expect("a class is among its simulators");
            let target = StateId::unpacked(target);
            if let Some(&i) = positions.get(&(target, marks)) {
                edges[i].guard = m.or(edges[i].guard, guard)?;
            } else {
                positions.insert((target, marks), edges.len());
                edges.push(Edge {
                    guard,
                    marks,
                    target,
                });
            }
        }
    }
    Ok(edges)
}

/// How the relation is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    /// By signatures that are diagrams: good for few states and large guards.
    Signatures,
    /// Letter by letter: good where guards have few letters.
    Letters,
}

impl Method {
    fn simulate(
        self,
        guards: &mut Manager,
        edges: &[Vec<Edge>],
        flags: &[u8],
        sets: u32,
        variables: usize,
    ) -> Result<Simulation, Stop> {
        match self {
            Method::Signatures => simulate(guards, edges, flags, sets),
            Method::Letters => letter_simulation::simulate(guards, edges, flags, variables),
        }
    }
}

/// The quotient by direct simulation, pruned of dominated edges; labels are kept.
#[must_use]
pub(crate) fn reduce_direct(
    automaton: Automaton,
    method: Method,
    effort: &Effort<'_>,
) -> Automaton {
    if automaton.len() > MAX_STATES {
        return automaton;
    }
    let reduced = automaton.improve(effort, |a| direct_quotient(a, method));
    filter_components(reduced, effort)
}

fn direct_quotient(automaton: &mut Automaton, method: Method) -> Result<Body, Stop> {
    let n = automaton.len();
    let (sets, variables) = (automaton.acceptance_sets, automaton.propositions.len());
    let (guards, edges) = (&mut automaton.guards, &automaton.edges);
    let sim = method.simulate(guards, edges, &vec![0; n], sets, variables)?;
    let mut body = Body::like(automaton);
    body.labels = vec![None; sim.edges.len()];
    for (&c, &label) in sim.class.iter().zip(&automaton.labels) {
        let slot = &mut body.labels[c as usize];
        *slot = slot.or(label);
    }
    body.edges.clone_from(&sim.edges);
    for edges in &mut body.edges {
        edges.sort_unstable_by_key(|e| (e.target, e.marks));
    }
    let initial = automaton.initial.iter();
    let mut initial: Vec<StateId> = initial
        .map(|&q| StateId::unpacked(sim.class[q.index()]))
        .collect();
    initial.sort_unstable();
    initial.dedup();
    body.initial = initial
        .iter()
        .copied()
        .filter(|&c| {
            !initial
                .iter()
                .any(|&d| d != c && sim.simulates(d.packed(), c.packed()))
        })
        .collect();
    Ok(body)
}

/// The quotient by reverse simulation. Labels are dropped if anything changes.
///
/// If acceptance is state-based, states are told apart by whether they are accepting, so that a Büchi automaton stays one.
#[must_use]
pub(crate) fn reduce_reverse(
    automaton: Automaton,
    method: Method,
    effort: &Effort<'_>,
) -> Automaton {
    if automaton.len() > MAX_STATES {
        return automaton;
    }
    let mut changed = false;
    let reduced = automaton.improve(effort, |a| {
        let body = reverse_quotient(a, method)?;
        changed = body.is_some();
        Ok(body.unwrap_or_else(|| Body::of(a)))
    });
    if changed {
        filter_components(reduced, effort)
    } else {
        reduced
    }
}

/// `None` if nothing changes.
fn reverse_quotient(automaton: &mut Automaton, method: Method) -> Result<Option<Body>, Stop> {
    let n = automaton.len();
    let (sets, variables) = (automaton.acceptance_sets, automaton.propositions.len());
    let mut reversed: Vec<Vec<Edge>> = vec![Vec::new(); n];
    for (q, edges) in StateId::all().zip(&automaton.edges) {
        for e in edges {
            reversed[e.target.index()].push(Edge { target: q, ..*e });
        }
    }
    let mut flags = vec![0u8; n];
    for &q in &automaton.initial {
        flags[q.index()] |= 1;
    }
    if automaton.state_based {
        let all = automaton.all_marks();
        for (q, edges) in automaton.edges.iter().enumerate() {
            if edges.first().is_some_and(|e| e.marks == all) {
                flags[q] |= 2;
            }
        }
    }
    let mut body = Body::like(automaton);
    let guards = &mut automaton.guards;
    let sim = method.simulate(guards, &reversed, &flags, sets, variables)?;
    let before: usize = automaton.edges.iter().map(Vec::len).sum();
    let after: usize = sim.edges.iter().map(Vec::len).sum();
    if sim.edges.len() == n && after == before {
        return Ok(None);
    }
    body.edges = vec![Vec::new(); sim.edges.len()];
    body.labels = vec![None; sim.edges.len()];
    for (target, edges) in StateId::all().zip(&sim.edges) {
        for e in edges {
            let edge = Edge { target, ..*e };
            body.add_edge(guards, automaton.alphabet, e.target, edge)?;
        }
    }
    let initial = automaton.initial.iter();
    body.initial = initial
        .map(|&q| StateId::unpacked(sim.class[q.index()]))
        .collect();
    body.initial.sort_unstable();
    body.initial.dedup();
    Ok(Some(body))
}
