//! Two approaches against each other: points, and how many lie on which side of the diagonal.

use crate::ledger::Verdict;
use crate::number::real;
use crate::selection::Case;
use crate::summary::Measure;

/// A formula in a plot of two approaches.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// The value of the approach along x; absent if it gave up.
    pub x: Option<f64>,
    /// The value of the approach along y; absent if it gave up.
    pub y: Option<f64>,
    /// What is known of the formula.
    pub verdict: Verdict,
    /// The model.
    pub model: String,
    /// The formula; empty if there is none.
    pub formula: String,
    /// Which of the cases it is.
    pub case: usize,
}

/// Two approaches compared by a measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Scatter {
    /// The approach along x.
    pub x: &'static str,
    /// The approach along y.
    pub y: &'static str,
    /// What is measured.
    pub measure: Measure,
    /// The formulas that at least one of the two decided.
    pub points: Vec<Point>,
}

impl Scatter {
    /// The points of two approaches, of the formulas that both have done.
    #[must_use]
    pub fn new(
        cases: &[Case<'_>],
        (x, y): (&'static str, &'static str),
        measure: Measure,
    ) -> Scatter {
        let mut points = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            let (Some(a), Some(b)) = (case.row(x), case.row(y)) else {
                continue;
            };
            let (x, y) = (measure.of(a), measure.of(b));
            // A value may be missing because it was not asked for, too.
            let known = |v: Option<f64>, verdict| v.is_some() || verdict == Verdict::Unknown;
            let plotted = known(x, a.verdict) && known(y, b.verdict);
            if plotted && (x.is_some() || y.is_some()) {
                points.push(Point {
                    x,
                    y,
                    verdict: case.verdict,
                    model: a.model.clone(),
                    formula: a.formula.clone(),
                    case: number,
                });
            }
        }
        Scatter {
            x,
            y,
            measure,
            points,
        }
    }

    /// The points of formulas with this verdict; all if there is none.
    #[must_use]
    pub fn of_side(&self, side: Option<Verdict>) -> Scatter {
        let mut part = self.clone();
        part.points
            .retain(|point| side.is_none_or(|side| point.verdict == side));
        part
    }

    /// How the approach along y compares with that along x.
    #[must_use]
    pub fn compare(&self) -> Comparison {
        let mut seen = Comparison {
            count: self.points.len(),
            ..Comparison::default()
        };
        let (mut sums, mut logs, mut both) = ((0.0, 0.0), 0.0, 0_usize);
        for point in &self.points {
            let (x, y) = (
                point.x.unwrap_or(f64::INFINITY),
                point.y.unwrap_or(f64::INFINITY),
            );
            match () {
                () if y < x => seen.below += 1,
                () if y > x => seen.above += 1,
                () => seen.equal += 1,
            }
            if let (Some(x), Some(y)) = (point.x, point.y) {
                sums = (sums.0 + x, sums.1 + y);
                let floor = least(self.measure);
                logs += (y.max(floor) / x.max(floor)).ln();
                both += 1;
            }
        }
        seen.average_ratio = sums.1 / sums.0;
        seen.geometric_ratio = (logs / real(both)).exp();
        seen
    }
}

/// Values below this are not told apart.
pub(crate) fn least(measure: Measure) -> f64 {
    match measure {
        Measure::Time | Measure::SearchTime => 0.001,
        _ => 1.0,
    }
}

/// How the approach along y compares with that along x.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Formulas.
    pub count: usize,
    /// Those with a smaller value along y: below the diagonal.
    pub below: usize,
    /// Those with the same value.
    pub equal: usize,
    /// Those with a larger value along y: above the diagonal.
    pub above: usize,
    /// The average along y as a part of that along x, of the formulas that both decided.
    pub average_ratio: f64,
    /// The geometric mean of y/x.
    pub geometric_ratio: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::tests::row;
    use crate::selection::{Rule, select};

    #[test]
    fn giving_up_is_worse_than_any_value() {
        let names = ["TGBA", "TA", "TGTA"];
        let mut rows = Vec::new();
        for (formula, values) in [
            ("f", [100, 200, 50]),
            ("g", [100, 200, 200]),
            ("h", [100, 200, 0]),
            ("i", [100, 100, 400]),
        ] {
            for (name, value) in names.into_iter().zip(values) {
                let verdict = if value == 0 {
                    Verdict::Unknown
                } else {
                    Verdict::Fails
                };
                rows.push(row(formula, name, verdict, value));
            }
        }
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let plot = Scatter::new(&cases, ("TA", "TGTA"), Measure::Transitions);
        let seen = plot.compare();
        assert_eq!((seen.below, seen.equal, seen.above), (1, 1, 2));
        assert!((seen.average_ratio - 650.0 / 500.0).abs() < 1e-9);
        assert!((seen.geometric_ratio - 1.0).abs() < 1e-9);
        assert_eq!(plot.of_side(Some(Verdict::Holds)).compare().count, 0);
    }
}
