//! Boxes moved apart (Dwyer, Marriott, Stuckey 2005, "Fast node overlap removal").
//!
//! A scan line finds pairs of neighbours that must keep their order; each is a constraint `left + gap <= right` on
//! one axis. Variables are then merged into blocks, which move as little as possible, until no constraint is
//! violated. First the x axis, for pairs that overlap less there than on the y axis; then the y axis for all others.
//! Afterwards no two boxes overlap. Blocks are not split again, so the move is not quite the least.
//!
//! About n log n for the constraints; merging blocks takes n² in the worst case.

use crate::geometry::{Point, Rect};

/// Boxes on one side of another one that it keeps its order with on the x axis, at most: where many lie over each other, the
/// y axis separates the rest.
const MOST_ADJACENT: usize = 24;

/// `left + gap <= right`.
struct Constraint {
    left: usize,
    right: usize,
    gap: f64,
}

/// An axis along which boxes are moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    X,
    Y,
}

impl Axis {
    fn of(self, point: Point) -> f64 {
        match self {
            Axis::X => point.x,
            Axis::Y => point.y,
        }
    }

    fn other(self) -> Axis {
        match self {
            Axis::X => Axis::Y,
            Axis::Y => Axis::X,
        }
    }
}

/// Moves boxes so that no two of them overlap, and gives the moves.
pub(crate) fn separate(boxes: &[Rect]) -> Vec<Point> {
    let mut moved = boxes.to_vec();
    for axis in [Axis::X, Axis::Y] {
        let constraints = constraints(&moved, axis);
        let wished: Vec<f64> = moved.iter().map(|b| axis.of(b.centre())).collect();
        let found = satisfy(&wished, &constraints);
        for ((rect, old), new) in moved.iter_mut().zip(wished).zip(found) {
            let by = match axis {
                Axis::X => Point::new(new - old, 0.0),
                Axis::Y => Point::new(0.0, new - old),
            };
            *rect = rect.moved(by);
        }
    }
    let pairs = moved.iter().zip(boxes);
    pairs.map(|(new, old)| new.min - old.min).collect()
}

/// By how much two intervals overlap; negative if they do not.
fn common(a: &Rect, b: &Rect, axis: Axis) -> f64 {
    axis.of(a.max).min(axis.of(b.max)) - axis.of(a.min).max(axis.of(b.min))
}

/// The pairs of neighbours along `axis` among boxes that a line across it meets together.
fn constraints(boxes: &[Rect], axis: Axis) -> Vec<Constraint> {
    let across = axis.other();
    // Ends come before starts: boxes that only touch do not meet. Ties by number, so that the result is one.
    let mut events: Vec<(f64, bool, usize)> = Vec::with_capacity(2 * boxes.len());
    for (i, rect) in boxes.iter().enumerate() {
        events.push((across.of(rect.min), true, i));
        events.push((across.of(rect.max), false, i));
    }
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    let key = |i: usize| (axis.of(boxes[i].centre()), i);
    let before = |a: usize, b: usize| {
        let ((x, i), (y, j)) = (key(a), key(b));
        x.total_cmp(&y).then(i.cmp(&j)).is_lt()
    };
    let mut line: Vec<usize> = Vec::new();
    let mut left: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    let mut right: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    let mut found = Vec::new();
    let mut constrain = |a: usize, b: usize| {
        let half = |i: usize| (axis.of(boxes[i].max) - axis.of(boxes[i].min)) / 2.0;
        found.push(Constraint {
            left: a,
            right: b,
            gap: half(a) + half(b),
        });
    };
    for (_, starts, i) in events {
        let at = line.partition_point(|&j| before(j, i));
        if starts {
            let (lower, upper) = line.split_at(at);
            left[i] = adjacent(lower.iter().rev(), i, boxes, axis);
            right[i] = adjacent(upper.iter(), i, boxes, axis);
            for &j in &left[i] {
                right[j].retain(|k| !left[i].contains(k));
                right[j].push(i);
            }
            for j in right[i].clone() {
                let mine = &right[i];
                left[j].retain(|k| !mine.contains(k));
                left[j].push(i);
            }
            line.insert(at, i);
        } else {
            for j in std::mem::take(&mut left[i]) {
                constrain(j, i);
                right[j].retain(|&k| k != i);
            }
            for j in std::mem::take(&mut right[i]) {
                constrain(i, j);
                left[j].retain(|&k| k != i);
            }
            line.remove(at);
        }
    }
    found
}

/// The boxes on one side of box `i` that it must keep its order with. On the x axis, boxes that overlap more there
/// than on the y axis are left to the y axis; the first one that does not overlap ends the list.
fn adjacent<'a>(
    side: impl Iterator<Item = &'a usize>,
    i: usize,
    boxes: &[Rect],
    axis: Axis,
) -> Vec<usize> {
    let mut list = Vec::new();
    for &j in side {
        if axis == Axis::Y {
            list.push(j);
            break;
        }
        let overlap = common(&boxes[i], &boxes[j], Axis::X);
        if overlap <= 0.0 || list.len() == MOST_ADJACENT {
            list.push(j);
            break;
        }
        if overlap <= common(&boxes[i], &boxes[j], Axis::Y) {
            list.push(j);
        }
    }
    list
}

/// Variables that move together.
struct Block {
    members: Vec<usize>,
    /// Where a variable with offset 0 is.
    position: f64,
}

/// Values near to those wished that satisfy all constraints, which have no cycle.
fn satisfy(wished: &[f64], constraints: &[Constraint]) -> Vec<f64> {
    let n = wished.len();
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (c, constraint) in constraints.iter().enumerate() {
        incoming[constraint.right].push(c);
    }
    let mut block_of: Vec<usize> = (0..n).collect();
    let mut offset = vec![0.0; n];
    let mut blocks: Vec<Block> = (0..n)
        .map(|i| Block {
            members: vec![i],
            position: wished[i],
        })
        .collect();
    for v in topological(n, constraints) {
        loop {
            let b = block_of[v];
            let value = |i: usize| blocks[block_of[i]].position + offset[i];
            let mut worst = None;
            let mut most = 1e-9;
            for &i in &blocks[b].members {
                for &c in &incoming[i] {
                    let Constraint { left, right, gap } = constraints[c];
                    let violation = value(left) + gap - value(right);
                    if block_of[left] != b && violation > most {
                        (worst, most) = (Some(c), violation);
                    }
                }
            }
            let Some(c) = worst else { break };
            let Constraint { left, right, gap } = constraints[c];
            let (a, shift) = (block_of[left], offset[left] + gap - offset[right]);
            let members = std::mem::take(&mut blocks[b].members);
            for &i in &members {
                offset[i] += shift;
                block_of[i] = a;
            }
            let block = &mut blocks[a];
            block.members.extend(members);
            let wishes = block.members.iter().map(|&i| wished[i] - offset[i]);
            block.position = wishes.sum::<f64>() / block.members.len() as f64;
        }
    }
    let value = |i: usize| blocks[block_of[i]].position + offset[i];
    (0..n).map(value).collect()
}

/// The variables in an order in which constraints lead forward.
fn topological(n: usize, constraints: &[Constraint]) -> Vec<usize> {
    let mut waits = vec![0_usize; n];
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); n];
    for c in constraints {
        waits[c.right] += 1;
        outgoing[c.left].push(c.right);
    }
    let mut order: Vec<usize> = (0..n).filter(|&i| waits[i] == 0).collect();
    let mut next = 0;
    while let Some(&v) = order.get(next) {
        next += 1;
        for &w in &outgoing[v] {
            waits[w] -= 1;
            if waits[w] == 0 {
                order.push(w);
            }
        }
    }
    debug_assert_eq!(order.len(), n, "constraints follow the order of the line");
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(boxes: &[Rect]) -> Vec<Rect> {
        let moves = separate(boxes);
        let moved: Vec<Rect> = boxes.iter().zip(moves).map(|(b, m)| b.moved(m)).collect();
        for (i, a) in moved.iter().enumerate() {
            for b in &moved[..i] {
                let both = common(a, b, Axis::X).min(common(a, b, Axis::Y));
                assert!(both < 1e-6, "{a:?} and {b:?}");
            }
        }
        moved
    }

    #[test]
    fn boxes_that_do_not_overlap_stay() {
        let boxes: Vec<Rect> = (0..4)
            .map(|i| Rect::around(Point::new(f64::from(i) * 20.0, 0.0), 10.0, 10.0))
            .collect();
        assert_eq!(apart(&boxes), boxes);
    }

    #[test]
    fn boxes_at_one_point_are_moved_apart() {
        let boxes = vec![Rect::around(Point::default(), 10.0, 20.0); 40];
        apart(&boxes);
    }

    #[test]
    fn random_boxes_are_moved_apart() {
        let mut seed = 1_u64;
        let mut random = |most: f64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 40) as f64 / f64::from(1 << 24) * most
        };
        for round in 0..60 {
            let space = 50.0 + f64::from(round) * 5.0;
            let mut rect = || {
                let centre = Point::new(random(space), random(space));
                Rect::around(centre, 2.0 + random(30.0), 2.0 + random(30.0))
            };
            let boxes: Vec<Rect> = (0..60).map(|_| rect()).collect();
            apart(&boxes);
        }
    }
}
