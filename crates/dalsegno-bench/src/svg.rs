//! Scatter plots as SVG: both axes logarithmic with the same range, the diagonal and the lines of a factor of
//! ten, verified and violated formulas apart in colour and in shape, and runs that gave up on the edges.
//!
//! ```text
//!      title
//!      what is measured
//!      who is better how often
//!      legend
//!      +-----------------------+--+   gave up along y: above the top
//!      |                     / |  |   gave up along x: right of the right edge
//!      |                  /    |  |
//!      |  /                    |  |
//!      +-----------------------+--+
//! ```

use std::fmt::Write as _;

use crate::formulas;
use crate::ledger::Verdict;
use crate::page::escape;
use crate::scatter::{Point, Scatter, least};
use crate::summary::Measure;

/// Colours and lines of all plots. Explicit colours rather than variables: more programs draw them.
pub(crate) const STYLE: &str = "\
.dp text{font:12px system-ui,sans-serif;fill:#24292f}\
.dp .t{font-size:14px;font-weight:600}\
.dp .s{font-size:11px;fill:#57606a}\
.dp .f{fill:none;stroke:#57606a}\
.dp .g{stroke:#d8dee4;stroke-width:.7}\
.dp .d{stroke:#57606a}\
.dp .x{stroke:#8c959f;stroke-dasharray:4 4}\
.dp .bg{fill:#fff}\
.dp .holds{fill:none;stroke:#0072b2;stroke-width:1.4;stroke-opacity:.75}\
.dp .fails{fill:#d55e00;fill-opacity:.25;stroke:#d55e00;stroke-opacity:.8}\
.dp .complete{fill:#0072b2;fill-opacity:.3;stroke:#0072b2}\
.dp a:hover *{stroke-width:3}\
@media (prefers-color-scheme:dark){\
.dp text{fill:#e6edf3}.dp .s{fill:#9da7b3}.dp .f,.dp .d{stroke:#9da7b3}.dp .g{stroke:#30363d}\
.dp .x{stroke:#6e7681}.dp .bg{fill:#0d1117}.dp .holds{stroke:#56b4e9}\
.dp .fails{fill:#e69f00;stroke:#e69f00}.dp .complete{fill:#56b4e9;stroke:#56b4e9}}";

const LEFT: f64 = 66.0;
const TOP: f64 = 116.0;
const SIDE: f64 = 280.0;
/// The width of the edge for runs that gave up.
const EDGE: f64 = 18.0;
const WIDTH: f64 = LEFT + SIDE + EDGE + 32.0;
const HEIGHT: f64 = TOP + SIDE + 48.0;

/// A plot as an SVG element; `alone` if it is a file by itself, with its own style and background.
pub(crate) fn plot(scatter: &Scatter, alone: bool) -> String {
    let range = Range::of(scatter);
    let edge = scatter
        .points
        .iter()
        .any(|p| p.x.is_none() || p.y.is_none());
    let title = format!("{} against {}", scatter.y, scatter.x);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dp\" role=\"group\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\">\n<title>{}: {}</title>\n",
        escape(&title),
        scatter.measure.name()
    );
    if alone {
        let _ = writeln!(svg, "<style>{STYLE}</style>");
        let _ = writeln!(
            svg,
            "<rect class=\"bg\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>"
        );
    }
    heading(&mut svg, scatter, &title);
    axes(&mut svg, scatter, &range, edge);
    for point in &scatter.points {
        mark_point(&mut svg, scatter, point, &range);
    }
    svg + "</svg>\n"
}

fn text(svg: &mut String, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
    let text = escape(text);
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
    );
}

fn line(svg: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn heading(svg: &mut String, scatter: &Scatter, title: &str) {
    let seen = scatter.compare();
    text(svg, "t", "start", (12.0, 20.0), title);
    text(svg, "m", "start", (12.0, 37.0), scatter.measure.name());
    let counts = format!(
        "better: {} (below), equal: {}, worse: {} (above)",
        seen.below, seen.equal, seen.above
    );
    text(svg, "s", "start", (12.0, 54.0), &counts);
    let mut x = LEFT + 6.0;
    for verdict in [Verdict::Holds, Verdict::Fails, Verdict::Complete] {
        let n = scatter
            .points
            .iter()
            .filter(|p| p.verdict == verdict)
            .count();
        if n == 0 {
            continue;
        }
        let _ = writeln!(svg, "{}", shape(verdict, (x, 74.0), ""));
        let label = match verdict {
            Verdict::Complete => format!("complete ({n})"),
            verdict => format!("{verdict} ({n})"),
        };
        text(svg, "l", "start", (x + 10.0, 78.0), &label);
        x += 120.0;
    }
}

fn axes(svg: &mut String, scatter: &Scatter, range: &Range, edge: bool) {
    let (right, bottom) = (LEFT + SIDE, TOP + SIDE);
    let decades = range.high - range.low;
    let step = 1 + (decades - 1) / 8;
    for power in range.low..=range.high {
        let value = 10f64.powi(power);
        let (x, y) = (range.x(value), range.y(value));
        if power != range.low && power != range.high {
            line(svg, "g", (x, TOP), (x, bottom));
            line(svg, "g", (LEFT, y), (right, y));
        }
        if (power - range.low) % step == 0 {
            let label = tick(scatter.measure, power);
            text(svg, "s", "middle", (x, bottom + 15.0), &label);
            text(svg, "s", "end", (LEFT - 6.0, y + 4.0), &label);
        }
    }
    let (low, high) = (10f64.powi(range.low), 10f64.powi(range.high));
    line(svg, "d", (LEFT, bottom), (right, TOP));
    line(
        svg,
        "x",
        (range.x(low), range.y(low * 10.0)),
        (range.x(high / 10.0), TOP),
    );
    line(
        svg,
        "x",
        (range.x(low * 10.0), bottom),
        (right, range.y(high / 10.0)),
    );
    let shift = if edge { EDGE } else { 0.0 };
    text(
        svg,
        "s",
        "middle",
        (range.x(high / 10.0), TOP - shift - 4.0),
        "×10",
    );
    text(
        svg,
        "s",
        "start",
        (right + shift + 4.0, range.y(high / 10.0) + 4.0),
        "÷10",
    );
    let _ = writeln!(
        svg,
        "<rect class=\"f\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\"/>"
    );
    if edge {
        let top = TOP - EDGE;
        line(svg, "x", (LEFT, top), (right + EDGE, top));
        line(svg, "x", (right + EDGE, top), (right + EDGE, bottom));
        text(svg, "s", "end", (LEFT - 6.0, TOP - EDGE + 5.0), "gave up");
    }
    text(
        svg,
        "a",
        "middle",
        (LEFT + SIDE / 2.0, bottom + 36.0),
        scatter.x,
    );
    let (x, y) = (16.0, TOP + SIDE / 2.0);
    let _ = writeln!(
        svg,
        "<text class=\"a\" text-anchor=\"middle\" transform=\"translate({x} {y}) rotate(-90)\">{}</text>",
        escape(scatter.y)
    );
}

/// A point, which names its formula and leads to its row.
fn mark_point(svg: &mut String, scatter: &Scatter, point: &Point, range: &Range) {
    let measure = scatter.measure;
    let at = |value: Option<f64>, place: &dyn Fn(f64) -> f64, edge: f64| match value {
        Some(value) => place(value.max(least(measure))),
        None => edge,
    };
    let x = at(point.x, &|v| range.x(v), LEFT + SIDE + EDGE / 2.0);
    let y = at(point.y, &|v| range.y(v), TOP - EDGE / 2.0);
    let told = |value: Option<f64>| match value {
        Some(value) => crate::number::show(measure.scaled(value)),
        None => "gave up".to_owned(),
    };
    let values = format!(
        "{} {}, {} {}",
        scatter.x,
        told(point.x),
        scatter.y,
        told(point.y)
    );
    let about = [&point.formula, &point.model, &values].map(|line| escape(line));
    let about = about.join("\n");
    // A formula is reached by the pointer here, and by keys on its page: hundreds of stops would be in the way.
    let _ = writeln!(
        svg,
        "<a href=\"{}\" tabindex=\"-1\">{}</a>",
        formulas::address(point.case),
        shape(point.verdict, (x, y), about.trim_start())
    );
}

/// A cross for a verified formula, a circle for a violated one, as in the papers. The title is markup.
fn shape(verdict: Verdict, (x, y): (f64, f64), title: &str) -> String {
    let (class, form) = match verdict {
        Verdict::Holds => (
            "holds",
            format!("<path d=\"M{:.1} {:.1}l7 7m0 -7l-7 7\"", x - 3.5, y - 3.5),
        ),
        Verdict::Fails | Verdict::Unknown => (
            "fails",
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\""),
        ),
        Verdict::Complete => (
            "complete",
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\""),
        ),
    };
    let title = match title {
        "" => "/>".to_owned(),
        title => format!(
            "><title>{title}</title></{}>",
            &form[1..form.find(' ').unwrap_or(1)]
        ),
    };
    format!("{form} class=\"{class}\"{title}")
}

/// The powers of ten at the ends of both axes.
struct Range {
    low: i32,
    high: i32,
}

impl Range {
    fn of(scatter: &Scatter) -> Range {
        let values = scatter.points.iter().flat_map(|p| [p.x, p.y]).flatten();
        let floor = least(scatter.measure);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            low = low.min(value.max(floor));
            high = high.max(value.max(floor));
        }
        if !low.is_finite() {
            (low, high) = (floor, floor * 10.0);
        }
        let mut range = Range {
            low: low.log10().floor() as i32,
            high: high.log10().ceil() as i32,
        };
        while range.high - range.low < 2 {
            range.high += 1;
        }
        range
    }

    fn part(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + SIDE * self.part(value)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + SIDE * (1.0 - self.part(value))
    }
}

/// A power of ten in the unit of the measure.
fn tick(measure: Measure, power: i32) -> String {
    let with_unit = |power: i32, units: &[(i32, &str)]| {
        let (base, unit) = units
            .iter()
            .rev()
            .find(|(base, _)| *base <= power)
            .unwrap_or(&units[0]);
        format!("{}{unit}", 10f64.powi(power - base))
    };
    match measure {
        Measure::Time | Measure::SearchTime => {
            with_unit(power, &[(-6, " µs"), (-3, " ms"), (0, " s")])
        }
        Measure::Memory => with_unit(power, &[(0, " B"), (3, " kB"), (6, " MB"), (9, " GB")]),
        _ if power > 14 => format!("1e{power}"),
        _ => with_unit(power, &[(0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")]),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample() -> Scatter {
        let point = |x, y, verdict| Point {
            x,
            y,
            verdict,
            model: "a<b & \"c\"".to_owned(),
            formula: "G(p -> F q)".to_owned(),
            case: 6,
        };
        Scatter {
            x: "TA",
            y: "TGTA",
            measure: Measure::Transitions,
            points: vec![
                point(Some(100.0), Some(50.0), Verdict::Holds),
                point(Some(100.0), None, Verdict::Fails),
                point(None, Some(70_000.0), Verdict::Holds),
                point(Some(0.0), Some(3.0), Verdict::Fails),
            ],
        }
    }

    #[test]
    fn points_lie_inside_or_on_the_edge() {
        let sample = sample();
        let range = Range::of(&sample);
        assert_eq!((range.low, range.high), (0, 5));
        assert!((range.x(1.0) - LEFT).abs() < 1e-9);
        assert!((range.y(1e5) - TOP).abs() < 1e-9);
        let svg = plot(&sample, true);
        assert_eq!(svg.matches("class=\"holds\"").count(), 2 + 1);
        assert_eq!(svg.matches("class=\"fails\"").count(), 2 + 1);
        assert!(svg.contains("gave up") && svg.contains("a&lt;b &amp;"));
        let told = "<title>G(p -&gt; F q)\na&lt;b &amp; &quot;c&quot;\nTA 100, TGTA 50</title>";
        assert!(svg.contains(told), "{svg}");
        assert!(svg.contains("<a href=\"formulas.html#f7\""));
    }

    #[test]
    fn ticks_have_units() {
        assert_eq!(tick(Measure::Time, -3), "1 ms");
        assert_eq!(tick(Measure::Time, -1), "100 ms");
        assert_eq!(tick(Measure::Time, 2), "100 s");
        assert_eq!(tick(Measure::Memory, 7), "10 MB");
        assert_eq!(tick(Measure::States, 5), "100k");
        assert_eq!(tick(Measure::States, 22), "1e22");
    }

    #[test]
    fn a_plot_without_points_is_a_plot() {
        let mut empty = sample();
        empty.points.clear();
        assert!(plot(&empty, false).ends_with("</svg>\n"));
    }
}
