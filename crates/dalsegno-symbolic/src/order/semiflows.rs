//! Orders led by P-semiflows: gradient-P.
//!
//! Amparore, Beccuti and Donatelli, "Gradient-based variable ordering of decision diagrams for
//! systems with structural units" (ATVA 2017). The places of a semiflow determine each other, so
//! they should be near each other. A *gradient* numbers the variables from one end of a
//! pseudo-diameter of the net to the other; semiflows are taken one after the other, the one next
//! that has much of what is listed already and little, of small gradient, of what is not; what is
//! new in it is listed by gradient.
//!
//! Where ours differs: the semiflow of highest score is found in a heap, so the cost is the
//! number of terms times a logarithm; and variables in no semiflow are put at the mean of the
//! variables with which they share groups, not behind everything else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dalsegno_kripke::Stop;

use super::bandwidth::{Bipartite, Search};
use super::hypergraph::{Hypergraph, Lists};
use super::ticker::Ticker;

/// A list of all variables, top of the diagrams first, given the variables of semiflows.
pub(super) fn order(
    graph: &Hypergraph,
    semiflows: &Lists,
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Stop> {
    let gradient = gradient(graph, ticker)?;
    let members = semiflows.transposed(graph.variables());
    let mut score: Vec<i64> = Vec::with_capacity(semiflows.len());
    let mut missing: Vec<usize> = Vec::with_capacity(semiflows.len());
    for variables in semiflows.iter() {
        ticker.tick(variables.len())?;
        score.push(-variables.iter().map(|&v| gradient[v as usize]).sum::<i64>());
        missing.push(variables.len());
    }
    let mut heap: BinaryHeap<(i64, Reverse<u32>)> = score
        .iter()
        .zip(0..)
        .map(|(&s, i)| (s, Reverse(i)))
        .collect();
    let mut listed = vec![false; graph.variables()];
    let mut list: Vec<u32> = Vec::with_capacity(graph.variables());
    let mut touched = Vec::new();
    let mut waiting = vec![false; semiflows.len()];
    while let Some((s, Reverse(i))) = heap.pop() {
        let i = i as usize;
        if missing[i] == 0 || s != score[i] {
            continue;
        }
        let fresh = list.len();
        for &v in semiflows.get(i) {
            if std::mem::replace(&mut listed[v as usize], true) {
                continue;
            }
            list.push(v);
            ticker.tick(members.get(v as usize).len())?;
            for &j in members.get(v as usize) {
                score[j as usize] += 2 * gradient[v as usize];
                missing[j as usize] -= 1;
                if missing[j as usize] > 0 && !std::mem::replace(&mut waiting[j as usize], true) {
                    touched.push(j);
                }
            }
        }
        list[fresh..].sort_by_key(|&v| (gradient[v as usize], v));
        for j in touched.drain(..) {
            waiting[j as usize] = false;
            heap.push((score[j as usize], Reverse(j)));
        }
    }
    let mut list = with_the_rest(graph, list, &gradient, ticker)?;
    list.reverse();
    Ok(list)
}

/// A number per variable that grows from one end of its part of the net to the other: mostly the
/// distance from the one end, then the distance from the other, counted down.
fn gradient(graph: &Hypergraph, ticker: &mut Ticker<'_>) -> Result<Vec<i64>, Stop> {
    let graph = Bipartite(graph);
    let mut search = Search::new(&graph);
    let mut gradient = vec![0; graph.variables() as usize];
    for start in 0..graph.variables() {
        if gradient[start as usize] != 0 {
            continue;
        }
        let (_, last) = search.ends(&graph, start, ticker)?;
        let from_first: Vec<(u32, u32)> = search
            .found
            .iter()
            .filter(|&&v| v < graph.variables())
            .map(|&v| (v, search.distance[v as usize]))
            .collect();
        search.run(&graph, last, ticker)?;
        let most = from_first
            .iter()
            .map(|&(v, _)| search.distance[v as usize])
            .max();
        let most = i64::from(most.unwrap_or(0));
        for (v, distance) in from_first {
            let back = most - i64::from(search.distance[v as usize]);
            gradient[v as usize] = 1 + i64::from(distance) * (most + 1) + back;
        }
    }
    Ok(gradient)
}

/// Inserts the variables that are not listed where the variables are with which they share edges.
///
/// In rounds, so that a chain of such variables follows the part of it that is listed; what is
/// not connected with anything listed comes last, by gradient.
fn with_the_rest(
    graph: &Hypergraph,
    list: Vec<u32>,
    gradient: &[i64],
    ticker: &mut Ticker<'_>,
) -> Result<Vec<u32>, Stop> {
    let mut place = vec![f64::INFINITY; graph.variables()];
    for (level, &v) in (0..).zip(&list) {
        place[v as usize] = f64::from(level);
    }
    let mut centres: Vec<f64> = Vec::with_capacity(graph.edges().len());
    let mut front: Vec<u32> = list;
    let mut seen = vec![false; graph.edges().len()];
    let mut order = front.clone();
    centres.resize(graph.edges().len(), 0.0);
    while !front.is_empty() {
        let mut edges = Vec::new();
        for &v in &front {
            ticker.tick(graph.users().get(v as usize).len())?;
            for &e in graph.users().get(v as usize) {
                if !std::mem::replace(&mut seen[e as usize], true) {
                    edges.push(e);
                }
            }
        }
        for &e in &edges {
            let pins = graph.edges().get(e as usize);
            ticker.tick(pins.len())?;
            let known = pins.iter().map(|&v| place[v as usize]);
            let known = known.filter(|p| p.is_finite());
            let (sum, n) = known.fold((0.0, 0_u32), |(sum, n), p| (sum + p, n + 1));
            centres[e as usize] = sum / f64::from(n.max(1));
        }
        let mut next: Vec<(u32, f64)> = Vec::new();
        let mut entered: Vec<u32> = Vec::new();
        for &e in &edges {
            for &v in graph.edges().get(e as usize) {
                if place[v as usize].is_infinite() {
                    entered.push(v);
                }
            }
        }
        entered.sort_unstable();
        entered.dedup();
        for v in entered {
            let users = graph.users().get(v as usize).iter();
            let known = users.filter(|&&e| seen[e as usize]);
            let (sum, n) = known.fold((0.0, 0_u32), |(sum, n), &e| {
                (sum + centres[e as usize], n + 1)
            });
            next.push((v, sum / f64::from(n.max(1))));
        }
        front.clear();
        for (v, p) in next {
            place[v as usize] = p;
            front.push(v);
            order.push(v);
        }
    }
    let mut rest: Vec<u32> = (0..graph.variables() as u32)
        .filter(|&v| place[v as usize].is_infinite())
        .collect();
    rest.sort_by_key(|&v| (gradient[v as usize], v));
    order.sort_by(|&a, &b| place[a as usize].total_cmp(&place[b as usize]));
    order.extend(rest);
    Ok(order)
}
