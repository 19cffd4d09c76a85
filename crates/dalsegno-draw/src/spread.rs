//! Space for nodes where they are crowded (after PRISM: Gansner, Hu 2009, "Efficient, proximity-preserving node
//! overlap removal").
//!
//! Nodes that are neighbours in the picture or in the graph want to keep their distance, or to have a larger one if
//! their boxes overlap: the one at which they would just touch. Stress majorisation with these distances spreads crowded
//! parts and carries the rest along, so that the shape of the picture stays. Neighbours in the picture are some
//! nearest nodes, not a triangulation. What still overlaps in the end is left to [`overlap`](crate::overlap).
//!
//! n² for the neighbours, which are found again every few rounds; linear per round otherwise.

use crate::geometry::{Point, Rect};

/// Rounds at most.
const ROUNDS: usize = 60;
/// Neighbours are found again after so many rounds.
const RENEW: usize = 5;
/// So many nearest nodes are neighbours in the picture.
const NEAREST: usize = 6;
/// Two nodes want to be at most this much farther from each other at a time.
const MOST_GROWTH: f64 = 1.5;

/// Spreads boxes, which are given around the origin, at these points.
pub(crate) fn spread(boxes: &[Rect], neighbours: &[Vec<usize>], points: &mut [Point]) {
    let mut near: Vec<Vec<usize>> = Vec::new();
    for round in 0..ROUNDS {
        if round % RENEW == 0 {
            near = proximity(points, neighbours);
        }
        let middle = |i: usize, at: Point| boxes[i].centre() + at;
        let mut crowded = false;
        let wished: Vec<Vec<f64>> = near
            .iter()
            .enumerate()
            .map(|(i, list)| {
                let here = middle(i, points[i]);
                let wish = |&j: &usize| {
                    let way = here - middle(j, points[j]);
                    let growth = growth(&boxes[i], &boxes[j], way);
                    crowded |= growth > 1.0;
                    way.length() * growth.min(MOST_GROWTH)
                };
                list.iter().map(wish).collect()
            })
            .collect();
        if !crowded && round % RENEW == 0 {
            break;
        }
        for (i, list) in near.iter().enumerate() {
            let here = middle(i, points[i]);
            let (mut sum, mut weights) = (Point::default(), 0.0);
            for (&j, &distance) in list.iter().zip(&wished[i]) {
                let there = middle(j, points[j]);
                let way = here - there;
                let distance = distance.max(1.0);
                let weight = 1.0 / (distance * distance);
                sum = sum + (there + way.unit() * distance) * weight;
                weights += weight;
            }
            if weights > 0.0 {
                points[i] = sum * (1.0 / weights) - boxes[i].centre();
            }
        }
    }
}

/// By which factor two boxes must move apart to just touch; 1 if they do not overlap.
fn growth(a: &Rect, b: &Rect, way: Point) -> f64 {
    let along = |room: f64, part: f64| {
        if part.abs() < 1e-6 {
            f64::INFINITY
        } else {
            room / part.abs()
        }
    };
    let x = along(f64::midpoint(a.width(), b.width()), way.x);
    let y = along(f64::midpoint(a.height(), b.height()), way.y);
    x.min(y).clamp(1.0, 1e3)
}

/// For each node its neighbours in the graph and some nearest nodes, in both directions.
fn proximity(points: &[Point], neighbours: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = points.len();
    let mut near = neighbours.to_vec();
    let mut by_distance: Vec<(f64, usize)> = Vec::with_capacity(n);
    for i in 0..n {
        by_distance.clear();
        for (j, &point) in points.iter().enumerate() {
            if j != i {
                let way = point - points[i];
                by_distance.push((way.x * way.x + way.y * way.y, j));
            }
        }
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if by_distance.len() > NEAREST {
            by_distance.select_nth_unstable_by(NEAREST, order);
            by_distance.truncate(NEAREST);
        }
        for &(_, j) in &by_distance {
            near[i].push(j);
            near[j].push(i);
        }
    }
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowded_boxes_spread_and_others_stay() {
        let boxes = vec![Rect::around(Point::default(), 10.0, 10.0); 4];
        let far = [0.0, 20.0, 40.0, 60.0].map(|x| Point::new(x, 0.0));
        let mut points = far;
        spread(&boxes, &vec![Vec::new(); 4], &mut points);
        assert_eq!(points, far);
        let mut points = [0.0, 4.0, 8.0, 12.0].map(|x| Point::new(x, 0.0));
        spread(&boxes, &vec![Vec::new(); 4], &mut points);
        assert!(points.windows(2).all(|w| w[1].x - w[0].x > 9.0));
    }
}
