//! Points, boxes and curves.

use std::ops::{Add, Mul, Sub};

/// A point; `y` grows downwards.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

impl Point {
    /// The point with these coordinates.
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Point { x, y }
    }

    /// The distance from the origin.
    #[must_use]
    pub fn length(self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// The vector of length 1 in this direction; to the right if there is no direction.
    #[must_use]
    pub fn unit(self) -> Point {
        let length = self.length();
        if length > 1e-9 {
            self * (1.0 / length)
        } else {
            Point::new(1.0, 0.0)
        }
    }

    /// This vector turned by a right angle.
    #[must_use]
    pub fn turned(self) -> Point {
        Point::new(-self.y, self.x)
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Point;
    fn sub(self, other: Point) -> Point {
        Point::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, factor: f64) -> Point {
        Point::new(self.x * factor, self.y * factor)
    }
}

/// A box with its sides along the axes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    /// The upper left corner.
    pub min: Point,
    /// The lower right corner.
    pub max: Point,
}

impl Rect {
    /// The box of this size around a point.
    #[must_use]
    pub fn around(centre: Point, width: f64, height: f64) -> Self {
        let half = Point::new(width / 2.0, height / 2.0);
        Rect {
            min: centre - half,
            max: centre + half,
        }
    }

    /// Its width.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.max.x - self.min.x
    }

    /// Its height.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.max.y - self.min.y
    }

    /// Its middle.
    #[must_use]
    pub fn centre(&self) -> Point {
        (self.min + self.max) * 0.5
    }

    /// The least box around both.
    #[must_use]
    pub fn union(&self, other: &Rect) -> Rect {
        Rect {
            min: Point::new(self.min.x.min(other.min.x), self.min.y.min(other.min.y)),
            max: Point::new(self.max.x.max(other.max.x), self.max.y.max(other.max.y)),
        }
    }

    /// The least box around this one and a point.
    #[must_use]
    pub fn with(&self, point: Point) -> Rect {
        self.union(&Rect {
            min: point,
            max: point,
        })
    }

    /// The box that is larger by so much on each side.
    #[must_use]
    pub fn grown(&self, by: f64) -> Rect {
        let by = Point::new(by, by);
        Rect {
            min: self.min - by,
            max: self.max + by,
        }
    }

    /// The box moved by a vector.
    #[must_use]
    pub fn moved(&self, by: Point) -> Rect {
        Rect {
            min: self.min + by,
            max: self.max + by,
        }
    }

    /// Whether the insides of both have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.min.x < other.max.x
            && other.min.x < self.max.x
            && self.min.y < other.max.y
            && other.min.y < self.max.y
    }

    /// Whether a segment has a point in common with it (Liang and Barsky 1984).
    #[must_use]
    pub fn meets(&self, from: Point, to: Point) -> bool {
        let d = to - from;
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for (slope, below, above) in [
            (d.x, self.min.x - from.x, self.max.x - from.x),
            (d.y, self.min.y - from.y, self.max.y - from.y),
        ] {
            if slope.abs() < 1e-12 {
                if below > 0.0 || above < 0.0 {
                    return false;
                }
                continue;
            }
            let (a, b) = (below / slope, above / slope);
            start = start.max(a.min(b));
            end = end.min(a.max(b));
        }
        start <= end
    }
}

/// A part of a path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Curve {
    /// Straight to a point.
    Line(Point),
    /// A cubic Bézier curve: two points that it bends towards, and its end.
    Cubic(Point, Point, Point),
}

impl Curve {
    /// Where it ends.
    #[must_use]
    pub fn end(&self) -> Point {
        match *self {
            Curve::Line(end) | Curve::Cubic(_, _, end) => end,
        }
    }
}

/// The line of an edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// Where it starts.
    pub start: Point,
    /// How it goes on.
    pub curves: Vec<Curve>,
}

/// Parts into which a curve is divided to compare it with boxes.
const PARTS: usize = 12;

impl Path {
    /// A straight line.
    #[must_use]
    pub fn straight(start: Point, end: Point) -> Self {
        Path {
            start,
            curves: vec![Curve::Line(end)],
        }
    }

    /// The same line from its end to its start.
    #[must_use]
    pub fn reversed(&self) -> Path {
        let mut curves = Vec::with_capacity(self.curves.len());
        for (i, curve) in self.curves.iter().enumerate().rev() {
            let to = if i == 0 {
                self.start
            } else {
                self.curves[i - 1].end()
            };
            curves.push(match *curve {
                Curve::Line(_) => Curve::Line(to),
                Curve::Cubic(first, second, _) => Curve::Cubic(second, first, to),
            });
        }
        Path {
            start: self.end(),
            curves,
        }
    }

    /// The line moved by a vector.
    #[must_use]
    pub fn moved(&self, by: Point) -> Path {
        let moved = |curve: &Curve| match *curve {
            Curve::Line(end) => Curve::Line(end + by),
            Curve::Cubic(a, b, end) => Curve::Cubic(a + by, b + by, end + by),
        };
        Path {
            start: self.start + by,
            curves: self.curves.iter().map(moved).collect(),
        }
    }

    /// Where it ends.
    #[must_use]
    pub fn end(&self) -> Point {
        self.curves.last().map_or(self.start, Curve::end)
    }

    /// The direction in which it ends, of length 1.
    #[must_use]
    pub fn final_direction(&self) -> Point {
        let before = match self.curves.len() {
            0 | 1 => self.start,
            n => self.curves[n - 2].end(),
        };
        match self.curves.last() {
            Some(&Curve::Cubic(_, second, end)) if (end - second).length() > 1e-6 => {
                (end - second).unit()
            }
            Some(&Curve::Cubic(first, _, end)) => (end - first).unit(),
            Some(&Curve::Line(end)) => (end - before).unit(),
            None => Point::new(1.0, 0.0),
        }
    }

    /// Points along it, the first and the last included; neighbours are near to each other on a curve.
    #[must_use]
    pub fn points(&self) -> Vec<Point> {
        let mut points = vec![self.start];
        let mut at = self.start;
        for curve in &self.curves {
            match *curve {
                Curve::Line(end) => points.push(end),
                Curve::Cubic(first, second, end) => {
                    for i in 1..=PARTS {
                        points.push(cubic(at, first, second, end, i as f64 / PARTS as f64));
                    }
                }
            }
            at = curve.end();
        }
        points
    }

    /// The point half-way, and the direction there.
    #[must_use]
    pub fn middle(&self) -> (Point, Point) {
        let points = self.points();
        let length: f64 = points.windows(2).map(|w| (w[1] - w[0]).length()).sum();
        let mut left = length / 2.0;
        for pair in points.windows(2) {
            let step = (pair[1] - pair[0]).length();
            if step >= left && step > 0.0 {
                let direction = (pair[1] - pair[0]).unit();
                return (pair[0] + direction * left, direction);
            }
            left -= step;
        }
        (self.start, Point::new(1.0, 0.0))
    }

    /// The least box around its points.
    #[must_use]
    pub fn bounds(&self) -> Rect {
        let first = Rect {
            min: self.start,
            max: self.start,
        };
        self.points().iter().fold(first, |all, &p| all.with(p))
    }
}

fn cubic(a: Point, b: Point, c: Point, d: Point, t: f64) -> Point {
    let s = 1.0 - t;
    a * (s * s * s) + b * (3.0 * s * s * t) + c * (3.0 * s * t * t) + d * (t * t * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_meets_a_box() {
        let rect = Rect::around(Point::new(10.0, 10.0), 4.0, 4.0);
        let meets = |a, b, c, d| rect.meets(Point::new(a, b), Point::new(c, d));
        assert!(meets(0.0, 0.0, 20.0, 20.0));
        assert!(meets(10.0, 10.0, 10.0, 10.0));
        assert!(!meets(0.0, 0.0, 7.0, 7.0));
        assert!(!meets(0.0, 7.0, 20.0, 7.0));
        assert!(meets(0.0, 9.0, 20.0, 9.0));
    }

    #[test]
    fn the_middle_of_a_path_is_half_way() {
        let mut path = Path::straight(Point::default(), Point::new(10.0, 0.0));
        path.curves.push(Curve::Line(Point::new(10.0, 2.0)));
        assert_eq!(path.middle().0, Point::new(6.0, 0.0));
        assert_eq!(path.final_direction(), Point::new(0.0, 1.0));
    }
}
