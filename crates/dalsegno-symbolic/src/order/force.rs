//! FORCE: variables pulled by the centres of gravity of their edges.
//!
//! Aloul, Markov and Sakallah (2003). A round puts each edge at the mean level of its variables,
//! each variable at the mean of its edges, and sorts. The sum of the spans of the edges usually
//! falls; the best list seen is kept. It is a local optimiser: where it ends depends on where it
//! starts, so it serves as an order of its own (from the declared one) and to improve others.
//!
//! [`improve_units`] does the same with blocks of variables that must stay together: siblings in a
//! tree of units are sorted by the mean of what is inside of them.
//!
//! A round costs the number of pins plus a sort. At most [`ROUNDS`] rounds, and fewer on huge
//! models.

use dalsegno_kripke::Stop;

use super::hypergraph::{Hypergraph, Lists};
use super::ticker::Ticker;

/// The most rounds.
const ROUNDS: usize = 120;
/// The rounds without progress after which it ends.
const PATIENCE: usize = 12;
/// The most pins to look at in all rounds.
const WORK: usize = 30_000_000;

/// Improves a list of all variables.
pub(super) fn improve(
    graph: &Hypergraph,
    start: Vec<u32>,
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Stop> {
    run(graph, start, ticker, |list, wanted| {
        list.sort_by(|&a, &b| wanted[a as usize].total_cmp(&wanted[b as usize]));
    })
}

/// Improves a list of all variables in which the units of a tree stay together.
///
/// `children` has the children of each node, the root being the last; a node below the number of
/// variables is a variable. Every node but the root is the child of one node.
pub(super) fn improve_units(
    graph: &Hypergraph,
    children: &Lists,
    start: &[u32],
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Stop> {
    let down = top_first(children);
    let levels = Hypergraph::levels_of(start);
    let wanted: Vec<f64> = levels.iter().map(|&level| f64::from(level)).collect();
    let start = flatten(graph.variables(), children, &down, &wanted);
    run(graph, start, ticker, |list, wanted| {
        *list = flatten(graph.variables(), children, &down, wanted);
    })
}

fn run(
    graph: &Hypergraph,
    start: Vec<u32>,
    ticker: &mut Ticker<'_>,
    arrange: impl Fn(&mut Vec<u32>, &[f64]),
) -> Result<Vec<u32>, Stop> {
    let mut list = start;
    let mut levels = Hypergraph::levels_of(&list);
    let mut best = (graph.span(&levels), list.clone());
    let mut wanted = vec![0.0; list.len()];
    let mut centres = vec![0.0; graph.edges().len()];
    let round_work = 2 * graph.edges().total() + 20 * list.len() + 1;
    let rounds = ROUNDS.min(WORK / round_work + 4);
    let mut idle = 0;
    for _ in 0..rounds {
        ticker.tick(round_work)?;
        for (centre, pins) in centres.iter_mut().zip(graph.edges().iter()) {
            let sum: f64 = pins.iter().map(|&v| f64::from(levels[v as usize])).sum();
            *centre = sum / f64::from(pins.len().max(1) as u32);
        }
        for (v, users) in graph.users().iter().enumerate() {
            let sum: f64 = users.iter().map(|&e| centres[e as usize]).sum();
            wanted[v] = match users.len() {
                0 => f64::from(levels[v]),
                n => sum / f64::from(n as u32),
            };
        }
        arrange(&mut list, &wanted);
        for (level, &v) in (0..).zip(&list) {
            levels[v as usize] = level;
        }
        let span = graph.span(&levels);
        if span < best.0 {
            best = (span, list.clone());
            idle = 0;
        } else {
            idle += 1;
            if idle == PATIENCE {
                break;
            }
        }
    }
    Ok(best.1)
}

/// The nodes of a tree, parents before children.
fn top_first(children: &Lists) -> Vec<u32> {
    let mut nodes = Vec::new();
    let mut stack: Vec<u32> = (children.len() as u32).checked_sub(1).into_iter().collect();
    while let Some(node) = stack.pop() {
        nodes.push(node);
        stack.extend(children.get(node as usize));
    }
    nodes
}

/// The variables of a tree from left to right, siblings sorted by the mean of what they hold.
fn flatten(variables: usize, children: &Lists, down: &[u32], wanted: &[f64]) -> Vec<u32> {
    let mut sums = vec![(0.0, 0_u32); children.len()];
    for (slot, &position) in sums.iter_mut().zip(wanted) {
        *slot = (position, 1);
    }
    for &node in down.iter().rev() {
        for &child in children.get(node as usize) {
            let (sum, count) = sums[child as usize];
            sums[node as usize].0 += sum;
            sums[node as usize].1 += count;
        }
    }
    let mean = |node: u32| {
        let (sum, count) = sums[node as usize];
        sum / f64::from(count.max(1))
    };
    let mut list = Vec::with_capacity(variables);
    let mut siblings: Vec<u32> = Vec::new();
    let mut stack: Vec<u32> = down.first().copied().into_iter().collect();
    while let Some(node) = stack.pop() {
        if (node as usize) < variables {
            list.push(node);
            continue;
        }
        siblings.clear();
        siblings.extend(children.get(node as usize));
        siblings.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)).then(a.cmp(&b)));
        stack.extend(siblings.iter().rev());
    }
    list
}
