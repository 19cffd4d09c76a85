//! Stress majorisation of a connected graph (Gansner, Koren, North 2004).
//!
//! The stress is `Σ w(i,j) (|p(i) - p(j)| - d(i,j))²` with graph distances `d` and `w = d^-2`. Each node in turn moves
//! to where the others want it, which never increases the stress. The start is classical scaling from some
//! pivots (Brandes, Pich 2006), so that symmetric graphs are drawn symmetrically.
//!
//! Up to [`DENSE`] nodes all pairs count: n² per round. In larger graphs a node sees its neighbours and some pivots,
//! each of which stands for the nodes near to it (Ortmann, Klimenta, Brandes 2017): n times the pivots per round.

use std::collections::VecDeque;

use crate::geometry::Point;

/// Larger graphs are drawn with pivots.
const DENSE: usize = 700;
/// Pivots for the start.
const START_PIVOTS: usize = 50;
/// Pivots that nodes of large graphs see.
const PIVOTS: usize = 120;
/// Rounds at most.
const ROUNDS: usize = 300;
/// Rounds of large graphs at most.
const SPARSE_ROUNDS: usize = 120;
/// It ends when no node moves by more than this, in lengths of an edge.
const STILL: f64 = 2e-3;
/// Steps of the power iteration.
const POWER_STEPS: usize = 100;

/// What a node is pulled to: another node, its distance in edges and the weight of that.
struct Term {
    node: u32,
    distance: f64,
    weight: f64,
}

/// Positions for the nodes of a connected graph; neighbours should be at distance 1. `held` nodes stay where they are.
pub(crate) fn majorise(neighbours: &[Vec<usize>], held: &[Option<Point>]) -> Vec<Point> {
    let n = neighbours.len();
    if n <= 1 {
        return held.iter().map(|p| p.unwrap_or_default()).collect();
    }
    let mut points = if held.iter().any(Option::is_some) {
        near_held(neighbours, held)
    } else {
        classical_scaling(neighbours)
    };
    let (terms, rounds) = if n <= DENSE {
        (all_pairs(neighbours), ROUNDS)
    } else {
        (with_pivots(neighbours), SPARSE_ROUNDS)
    };
    for _ in 0..rounds {
        let mut moved = 0.0_f64;
        for i in 0..n {
            if held[i].is_some() {
                continue;
            }
            let here = points[i];
            let (mut sum, mut weights) = (Point::default(), 0.0);
            for term in &terms[i] {
                let there = points[term.node as usize];
                let way = here - there;
                let length = way.length().max(1e-9);
                sum = sum + (there + way * (term.distance / length)) * term.weight;
                weights += term.weight;
            }
            if weights > 0.0 {
                points[i] = sum * (1.0 / weights);
                moved = moved.max((points[i] - here).length());
            }
        }
        if moved < STILL {
            break;
        }
    }
    points
}

/// Distances from a node, in edges.
pub(crate) fn distances(neighbours: &[Vec<usize>], from: usize) -> Vec<u32> {
    let mut distance = vec![u32::MAX; neighbours.len()];
    distance[from] = 0;
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for &other in &neighbours[node] {
            if distance[other] == u32::MAX {
                distance[other] = distance[node] + 1;
                queue.push_back(other);
            }
        }
    }
    distance
}

fn all_pairs(neighbours: &[Vec<usize>]) -> Vec<Vec<Term>> {
    let terms = |i: usize| {
        let row = distances(neighbours, i);
        let others = row.into_iter().enumerate();
        others
            .filter(|&(j, d)| j != i && d != u32::MAX)
            .map(|(j, d)| Term {
                node: j as u32,
                distance: f64::from(d),
                weight: 1.0 / (f64::from(d) * f64::from(d)),
            })
            .collect()
    };
    (0..neighbours.len()).map(terms).collect()
}

/// Nodes that are far from each other, with the distances from each.
fn pivots(neighbours: &[Vec<usize>], count: usize) -> Vec<(usize, Vec<u32>)> {
    let n = neighbours.len();
    let mut nearest = vec![u32::MAX; n];
    let mut found = Vec::new();
    // The first one lies at an end of the graph.
    let ends = distances(neighbours, 0);
    let mut next = (0..n).max_by_key(|&i| ends[i]).unwrap_or(0);
    while found.len() < count.min(n) {
        let row = distances(neighbours, next);
        for (near, &d) in nearest.iter_mut().zip(&row) {
            *near = (*near).min(d);
        }
        found.push((next, row));
        next = (0..n).rev().max_by_key(|&i| nearest[i]).unwrap_or(0);
    }
    found
}

/// Terms for neighbours and pivots. A pivot counts for the nodes near to it that lie at most half as far from it.
fn with_pivots(neighbours: &[Vec<usize>]) -> Vec<Vec<Term>> {
    let n = neighbours.len();
    let pivots = pivots(neighbours, PIVOTS);
    // Region: the nodes that have this pivot as their nearest one, by distance.
    let mut regions: Vec<Vec<u32>> = vec![Vec::new(); pivots.len()];
    for i in 0..n {
        let nearest = (0..pivots.len()).min_by_key(|&p| pivots[p].1[i]);
        if let Some(p) = nearest {
            regions[p].push(pivots[p].1[i]);
        }
    }
    for region in &mut regions {
        region.sort_unstable();
    }
    let mut terms: Vec<Vec<Term>> = Vec::with_capacity(n);
    for (i, list) in neighbours.iter().enumerate() {
        let mut mine: Vec<Term> = list
            .iter()
            .map(|&j| Term {
                node: j as u32,
                distance: 1.0,
                weight: 1.0,
            })
            .collect();
        for ((pivot, row), region) in pivots.iter().zip(&regions) {
            let d = row[i];
            if d <= 1 || d == u32::MAX {
                continue;
            }
            let stands_for = region.partition_point(|&r| 2 * r <= d).max(1);
            mine.push(Term {
                node: *pivot as u32,
                distance: f64::from(d),
                weight: stands_for as f64 / (f64::from(d) * f64::from(d)),
            });
        }
        terms.push(mine);
    }
    terms
}

/// The two main directions of the doubly centred squared distances to some pivots.
fn classical_scaling(neighbours: &[Vec<usize>]) -> Vec<Point> {
    let n = neighbours.len();
    let pivots = pivots(neighbours, START_PIVOTS);
    let k = pivots.len();
    let mut columns: Vec<Vec<f64>> = pivots
        .iter()
        .map(|(_, row)| row.iter().map(|&d| f64::from(d) * f64::from(d)).collect())
        .collect();
    let row_means: Vec<f64> = (0..n)
        .map(|i| columns.iter().map(|c| c[i]).sum::<f64>() / k as f64)
        .collect();
    let mean = row_means.iter().sum::<f64>() / n as f64;
    for column in &mut columns {
        let own = column.iter().sum::<f64>() / n as f64;
        for (value, row) in column.iter_mut().zip(&row_means) {
            *value = -0.5 * (*value - row - own + mean);
        }
    }
    // Main directions in the space of pivots, of the small matrix C^T C.
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let small: Vec<Vec<f64>> = columns
        .iter()
        .map(|a| columns.iter().map(|b| dot(a, b)).collect())
        .collect();
    let mut axes: Vec<Vec<f64>> = Vec::new();
    let mut seed = 0x9e37_79b9_u64;
    for _ in 0..2 {
        let mut random = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        let mut x: Vec<f64> = (0..k).map(|_| random()).collect();
        for _ in 0..POWER_STEPS {
            for axis in &axes {
                let part = dot(axis, &x);
                for (value, a) in x.iter_mut().zip(axis) {
                    *value -= part * a;
                }
            }
            let y: Vec<f64> = small.iter().map(|row| dot(row, &x)).collect();
            let length = dot(&y, &y).sqrt();
            if length < 1e-9 {
                break;
            }
            x = y.into_iter().map(|value| value / length).collect();
        }
        axes.push(x);
    }
    let along = |axis: &[f64], i: usize| (0..k).map(|p| columns[p][i] * axis[p]).sum::<f64>();
    let mut points: Vec<Point> = (0..n)
        .map(|i| Point::new(along(&axes[0], i), along(&axes[1], i)))
        .collect();
    // Edges should have length 1 on average; nodes at one point are told apart by a little.
    let (mut total, mut count) = (0.0, 0.0_f64);
    for (i, list) in neighbours.iter().enumerate() {
        for &j in list {
            total += (points[i] - points[j]).length();
            count += 1.0;
        }
    }
    let scale = if total > 1e-9 { count / total } else { 1.0 };
    for (i, point) in points.iter_mut().enumerate() {
        let t = i as f64 / n as f64;
        *point = *point * scale + Point::new(t * 0.05, (t - 0.5) * t * 0.05);
    }
    points
}

/// A start near to nodes that are held: each other node at the mean of its neighbours that have a place.
fn near_held(neighbours: &[Vec<usize>], held: &[Option<Point>]) -> Vec<Point> {
    let n = neighbours.len();
    let mut placed = held.to_vec();
    let mut queue: VecDeque<usize> = (0..n).filter(|&i| held[i].is_some()).collect();
    let mut turn = 0.0_f64;
    while let Some(node) = queue.pop_front() {
        for &other in &neighbours[node] {
            if placed[other].is_some() {
                continue;
            }
            let near: Vec<Point> = neighbours[other]
                .iter()
                .filter_map(|&k| placed[k])
                .collect();
            let sum = near.iter().fold(Point::default(), |sum, &p| sum + p);
            // Nodes between the same neighbours start at different places.
            turn += 0.618;
            turn -= turn.floor();
            let aside = Point::new(0.3 * turn - 0.1, 0.25 - 0.4 * turn);
            placed[other] = Some(sum * (1.0 / near.len() as f64) + aside);
            queue.push_back(other);
        }
    }
    placed.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(n: usize) -> Vec<Vec<usize>> {
        (0..n).map(|i| vec![(i + n - 1) % n, (i + 1) % n]).collect()
    }

    #[test]
    fn a_ring_is_round() {
        for n in [12, 60, DENSE + 100] {
            let points = majorise(&ring(n), &vec![None; n]);
            let centre = points.iter().fold(Point::default(), |s, &p| s + p) * (1.0 / n as f64);
            let radii: Vec<f64> = points.iter().map(|&p| (p - centre).length()).collect();
            let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
            let most = radii.iter().copied().fold(0.0, f64::max);
            assert!(most < 1.2 * least, "{n}: {least} to {most}");
        }
    }

    #[test]
    fn held_nodes_stay() {
        let mut held = vec![None; 8];
        held[2] = Some(Point::new(3.0, -1.0));
        held[5] = Some(Point::new(8.0, 4.0));
        let points = majorise(&ring(8), &held);
        assert_eq!((points[2], points[5]), (held[2].unwrap(), held[5].unwrap()));
        assert!(points.iter().all(|p| p.x.is_finite() && p.y.is_finite()));
    }
}
