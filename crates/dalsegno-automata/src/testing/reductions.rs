//! Reduction of testing automata.
//!
//! A TGTA is a TGBA over the word (ℓ0, c0, c1, …) of the first letter and the changesets, the empty one
//! being a letter like any other; a TA is a Büchi automaton over the same words and those that end in
//! ♯ for ever, ♯ saying "nothing changes any more", which livelock states can read and others cannot.
//! So both are put into an [`Automaton`] with one more state, which reads the first letter, and one
//! more variable for ♯, and everything that reduces automata reduces them: bisimulation first, as it is
//! cheap, then direct and reverse simulation with pruning of dominated edges. An automaton for which the
//! effort does not suffice stays as it is.

use rustc_hash::FxHashMap;

use dalsegno_kripke::{Changeset, Letter, Stop};

use crate::bdd::{Bdd, Var};
use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::bisimulation::bisimulation as merge_bisimilar;
use crate::omega::edge::Marks;
use crate::omega::letter_simulation::simulate;
use crate::omega::marks::mark_transient;
use crate::omega::scc_filter::{SccInfo, scc_filter, trim};
use crate::omega::simulation::{Method, reduce_direct, reduce_reverse};
use crate::omega::state_id::StateId;
use crate::testing::automaton::{TestingAutomaton, TestingEdge, TestingKind};

/// Above this number of edges only bisimulation is tried.
const MAX_EDGES: usize = 100_000;

/// An automaton with the same language, smaller where possible.
#[must_use]
pub(crate) fn reduce(mut testing: TestingAutomaton, effort: &Effort<'_>) -> TestingAutomaton {
    testing = bisimulation(testing, effort);
    if testing.edge_count() > MAX_EDGES || testing.is_empty() {
        return testing;
    }
    let size = |t: &TestingAutomaton| (t.len(), t.edge_count());
    let plain = simulation(&testing, false, effort).unwrap_or_else(|_| testing.clone());
    if testing.acceptance_sets == 0 {
        return plain;
    }
    match simulation(&testing, true, effort) {
        Ok(other) if size(&other) < size(&plain) => other,
        _ => plain,
    }
}

/// Merges states with the same edges up to merging: partition refinement by signatures.
#[must_use]
pub(crate) fn bisimulation(testing: TestingAutomaton, effort: &Effort<'_>) -> TestingAutomaton {
    let Ok((class, count)) = partition(&testing, effort) else {
        return testing;
    };
    let mut first = vec![usize::MAX; count];
    for (q, &c) in class.iter().enumerate().rev() {
        first[c.index()] = q;
    }
    let mut initial: Vec<(Letter, StateId)> = testing
        .initial
        .iter()
        .map(|&(l, q)| (l, class[q.index()]))
        .collect();
    initial.sort_unstable();
    initial.dedup();
    TestingAutomaton {
        initial,
        edges: first
            .iter()
            .map(|&q| mapped(&testing.edges[q], &class))
            .collect(),
        livelock: first.iter().map(|&q| testing.livelock[q]).collect(),
        labels: first.iter().map(|&q| testing.labels[q]).collect(),
        ..testing
    }
}

/// The coarsest partition whose classes have the same edges, and the number of classes.
fn partition(
    testing: &TestingAutomaton,
    effort: &Effort<'_>,
) -> Result<(Vec<StateId>, usize), Stop> {
    let mut class: Vec<StateId> = testing
        .livelock
        .iter()
        .map(|&g| StateId::new(usize::from(g)))
        .collect();
    let mut count = 0;
    loop {
        let mut ids: FxHashMap<(StateId, Vec<TestingEdge>), StateId> = FxHashMap::default();
        let mut next = Vec::with_capacity(testing.len());
        for (&c, edges) in class.iter().zip(&testing.edges) {
            effort.spend(1 + edges.len() as u64)?;
            let row = mapped(edges, &class);
            let fresh = StateId::new(ids.len());
            next.push(*ids.entry((c, row)).or_insert(fresh));
        }
        let stable = ids.len() == count;
        count = ids.len();
        class = next;
        if stable {
            return Ok((class, count));
        }
    }
}

fn mapped(edges: &[TestingEdge], class: &[StateId]) -> Vec<TestingEdge> {
    let mut row: Vec<TestingEdge> = edges
        .iter()
        .map(|e| TestingEdge {
            target: class[e.target.index()],
            ..*e
        })
        .collect();
    row.sort_unstable();
    row.dedup();
    row
}

/// Direct and reverse simulation until neither changes anything. Edges that no run takes twice may
/// carry any marks: all if `marked`, none otherwise.
fn simulation(
    testing: &TestingAutomaton,
    marked: bool,
    effort: &Effort<'_>,
) -> Result<TestingAutomaton, Stop> {
    let ta = testing.kind == TestingKind::Ta;
    // No order on states is needed then; see `bisimulation.rs`.
    let deterministic = testing.is_deterministic();
    let mut a = encode(testing, effort)?;
    let mut before = (usize::MAX, usize::MAX);
    while (a.len(), a.edge_count()) != before {
        a = if ta {
            set_trivial_components(trim(a, effort), marked)
        } else {
            scc_filter(a, effort)
        };
        if marked && !ta {
            a = mark_transient(a, effort);
        }
        before = (a.len(), a.edge_count());
        if deterministic {
            a = merge_bisimilar(a, effort);
        } else {
            a = reduce_direct(a, Method::Letters, effort);
            a = reduce_reverse(a, Method::Letters, effort);
        }
    }
    if !ta {
        a = scc_filter(a, effort);
    }
    decode(a, testing, effort)
}

/// For each state that should rather not be entered, the state to enter instead, chosen among
/// `alternatives(state)` as one that simulates it.
pub(crate) fn dominating(
    testing: &TestingAutomaton,
    alternatives: impl Fn(StateId) -> Vec<StateId>,
    effort: &Effort<'_>,
) -> Result<FxHashMap<StateId, StateId>, Stop> {
    let mut better = FxHashMap::default();
    if testing.edge_count() > MAX_EDGES || testing.len() + 2 > crate::omega::simulation::MAX_STATES
    {
        return Ok(better);
    }
    let mut a = encode(testing, effort)?;
    let flags = vec![0; a.len()];
    let variables = a.propositions.len();
    a.guards.begin(effort);
    let sim = simulate(&mut a.guards, &a.edges, &flags, variables);
    a.guards.end(effort);
    let sim = sim?;
    for q in StateId::first(testing.len()) {
        let class = |p: StateId| sim.class[p.index() + 1];
        let mut best = q;
        let alternatives = alternatives(q);
        effort.spend(1 + alternatives.len() as u64)?;
        for p in alternatives {
            let above = class(p) != class(best) && sim.simulates(class(p), class(best));
            // Among equals, the one further along: it is the more likely to be on a cycle.
            if above || class(p) == class(best) {
                best = p;
            }
        }
        if best != q {
            better.insert(q, best);
        }
    }
    Ok(better)
}

/// In a Büchi automaton, states on no cycle become accepting if all their successors are (P11 section
/// 2.3, after Löding), and states of rejecting components are not. With `eager`, states on no cycle
/// are accepting without condition.
pub(crate) fn set_trivial_components(mut a: Automaton, eager: bool) -> Automaton {
    let info = SccInfo::new(&a);
    let all = a.all_marks();
    let mut accepting: Vec<bool> = (0..a.len())
        .map(|q| a.edges[q].first().is_some_and(|e| e.marks == all))
        .collect();
    for q in info.components.bottom_up() {
        let scc = info.components.of[q];
        accepting[q] = if info.cyclic[scc as usize] {
            accepting[q] && info.accepting[scc as usize]
        } else {
            eager || a.edges[q].iter().all(|e| accepting[e.target.index()])
        };
        for e in &mut a.edges[q] {
            e.marks = if accepting[q] { all } else { Marks::NONE };
        }
    }
    a
}

/// State 0 reads the first letter, state i + 1 is state i, and for a TA the last state reads ♯ for ever.
fn encode(testing: &TestingAutomaton, effort: &Effort<'_>) -> Result<Automaton, Stop> {
    let n = testing.propositions.len();
    let ta = testing.kind == TestingKind::Ta;
    let mut propositions = testing.propositions.clone();
    propositions.push("♯".to_owned());
    let mut a = Automaton::new(propositions, testing.acceptance_sets);
    a.state_based = ta;
    a.guards.begin(effort);
    let end = a.guards.variable(n as Var)?;
    let going = a.guards.not(end)?;
    a.add_state(None);
    for label in &testing.labels {
        a.add_state(*label);
    }
    a.initial = vec![StateId::default()];
    let add = |a: &mut Automaton, source: StateId, symbol: u64, marks: Marks, target: StateId| {
        let guard = a.guards.minterm(Letter(symbol), n)?;
        let guard = a.guards.and(guard, going)?;
        a.add_edge(source, guard, marks, target.after(1))
    };
    for &(letter, q) in &testing.initial {
        add(&mut a, StateId::default(), letter.0, Marks::NONE, q)?;
    }
    for (q, edges) in StateId::all().zip(&testing.edges) {
        for e in edges {
            add(&mut a, q.after(1), e.changes.0, e.marks, e.target)?;
        }
    }
    if ta {
        let last = a.add_state(None);
        a.add_edge(last, end, Marks(1), last)?;
        for (q, &livelock) in StateId::all().zip(&testing.livelock) {
            if livelock {
                // Without other edges the state may count as Büchi, and then it is like the last one.
                let buchi = testing.edges[q.index()].is_empty() || testing.is_buchi(q);
                a.add_edge(q.after(1), end, Marks(u64::from(buchi)), last)?;
            }
        }
    }
    a.guards.end(effort);
    Ok(a)
}

fn decode(
    mut a: Automaton,
    frame: &TestingAutomaton,
    effort: &Effort<'_>,
) -> Result<TestingAutomaton, Stop> {
    let n = frame.propositions.len();
    a.guards.begin(effort);
    let end = a.guards.variable(n as Var)?;
    let going = a.guards.not(end)?;
    // The symbols of each edge but ♯.
    let mut symbols: Vec<Vec<(u64, Marks, StateId)>> = Vec::with_capacity(a.len());
    let mut livelock = Vec::with_capacity(a.len());
    for edges in &a.edges {
        let mut out = Vec::new();
        let mut ends = false;
        for e in edges {
            ends |= !a.guards.disjoint(e.guard, end)?;
            let guard = a.guards.and(e.guard, going)?;
            let guard = a.guards.restrict(guard, n as Var, false)?;
            if guard != Bdd::FALSE {
                a.guards.spend(a.guards.count(guard, n))?;
                let letters = a.guards.letters(guard, n);
                out.extend(letters.iter().map(|l| (l.0, e.marks, e.target)));
            }
        }
        symbols.push(out);
        livelock.push(ends);
    }
    a.guards.end(effort);
    // The states that a word can reach after its first letter.
    let mut new_id: FxHashMap<StateId, StateId> = FxHashMap::default();
    let mut order: Vec<StateId> = Vec::new();
    let mut visit = |q: StateId, order: &mut Vec<StateId>| {
        *new_id.entry(q).or_insert_with(|| {
            order.push(q);
            StateId::new(order.len() - 1)
        })
    };
    let mut initial: Vec<(Letter, StateId)> = Vec::new();
    for &q in &a.initial {
        let mut first = symbols[q.index()].clone();
        first.sort_unstable();
        for (letter, _, target) in first {
            initial.push((Letter(letter), visit(target, &mut order)));
        }
    }
    let mut edges: Vec<Vec<TestingEdge>> = Vec::new();
    while let Some(&q) = order.get(edges.len()) {
        let mut out: Vec<TestingEdge> = symbols[q.index()]
            .iter()
            .map(|&(symbol, marks, target)| TestingEdge {
                changes: Changeset(symbol),
                target: visit(target, &mut order),
                marks,
            })
            .collect();
        out.sort_unstable();
        out.dedup();
        edges.push(out);
    }
    initial.sort_unstable();
    initial.dedup();
    Ok(TestingAutomaton {
        kind: frame.kind,
        propositions: frame.propositions.clone(),
        alphabet: frame.alphabet.clone(),
        initial,
        livelock: order.iter().map(|&q| livelock[q.index()]).collect(),
        labels: order.iter().map(|&q| a.labels[q.index()]).collect(),
        edges,
        acceptance_sets: a.acceptance_sets,
        // Every run is matched edge by edge, so the stuttering steps stay where they are.
        free: frame.free,
    })
}
