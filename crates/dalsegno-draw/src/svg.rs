//! The picture as SVG.
//!
//! Colours are presentation attributes, which every viewer knows, and the same again as CSS custom properties with these
//! colours as their default: a page that sets `--ds-ink` and the others recolours the picture. Rules have no more
//! weight than one class, so that rules of a page win. Arrow heads are drawn and not referred to: several pictures in one
//! page share no identifiers.
//!
//! | property | of | default |
//! | --- | --- | --- |
//! | `--ds-ink` | borders, labels, tokens | `#1f2328` |
//! | `--ds-line` | edges | `#57606a` |
//! | `--ds-paper` | the inside of nodes | `#ffffff` |
//! | `--ds-bar` | transitions | `#1f2328` |
//! | `--ds-mark-0` to `--ds-mark-6` | marks | the palette of Okabe and Ito |

use std::fmt::{self, Write as _};

use crate::geometry::{Curve, Path, Point, Rect};
use crate::graph::{Arrow, Border, Edge, FONT, Graph, LINE, Label, Node, Shape, mark_text};
use crate::layout::Layout;
use crate::routes::INHIBITOR;

/// The palette of Okabe and Ito without yellow, which a white page swallows.
const MARKS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
];

const STYLE: &str = "\
:where(.dalsegno-picture) .edges{stroke:var(--ds-line,#57606a)}\
:where(.dalsegno-picture) .head{fill:var(--ds-line,#57606a)}\
:where(.dalsegno-picture) .ring{fill:var(--ds-paper,#ffffff)}\
:where(.dalsegno-picture) .nodes{fill:var(--ds-paper,#ffffff);stroke:var(--ds-ink,#1f2328)}\
:where(.dalsegno-picture) .bar{fill:var(--ds-bar,#1f2328)}\
:where(.dalsegno-picture) text{fill:var(--ds-ink,#1f2328)}\
:where(.dalsegno-picture) .label,:where(.dalsegno-picture) .guard,:where(.dalsegno-picture) .weight{stroke:var(--ds-paper,#ffffff)}";

/// Texts have a border in the colour of the paper, so that they are readable over lines.
const HALO: &str = "fill=\"#1f2328\" stroke=\"#ffffff\" stroke-width=\"3\" \
stroke-linejoin=\"round\" paint-order=\"stroke\"";

/// The distance between the lines of a border.
const RING: f64 = 3.0;

/// Writes a graph as SVG.
#[must_use]
pub fn svg(graph: &Graph, layout: &Layout) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write_svg(graph, layout, &mut out);
    out
}

fn write_svg(graph: &Graph, layout: &Layout, out: &mut String) -> fmt::Result {
    let bounds = layout.bounds(graph);
    let (x, y) = (Number(bounds.min.x), Number(bounds.min.y));
    let (width, height) = (Number(bounds.width()), Number(bounds.height()));
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dalsegno-picture"
    )?;
    if !graph.class.is_empty() {
        write!(out, " {}", Escaped(&graph.class))?;
    }
    writeln!(
        out,
        "\" viewBox=\"{x} {y} {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         font-family=\"system-ui,-apple-system,'Segoe UI','Helvetica Neue',Arial,sans-serif\" \
         font-size=\"{FONT}\">"
    )?;
    writeln!(out, "<title>{}</title>", Escaped(&graph.title))?;
    if !graph.description.is_empty() {
        writeln!(out, "<desc>{}</desc>", Escaped(&graph.description))?;
    }
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(
        out,
        "<g class=\"edges\" fill=\"none\" stroke=\"#57606a\" stroke-width=\"1.1\">"
    )?;
    for (k, edge) in graph.edges.iter().enumerate() {
        write_edge(edge, &layout.paths[k], layout.edge_labels[k], out)?;
    }
    writeln!(out, "</g>")?;
    writeln!(
        out,
        "<g class=\"nodes\" fill=\"#ffffff\" stroke=\"#1f2328\" stroke-width=\"1.3\" text-anchor=\"middle\">"
    )?;
    for (i, node) in graph.nodes.iter().enumerate() {
        if node.shape != Shape::Hidden {
            write_node(node, layout.nodes[i], layout.labels[i], out)?;
        }
    }
    writeln!(out, "</g>\n</svg>")
}

fn write_open(class: &str, data: &[(&'static str, String)], out: &mut String) -> fmt::Result {
    write!(out, "<g class=\"{}\"", Escaped(class))?;
    for (name, value) in data {
        write!(out, " data-{name}=\"{}\"", Escaped(value))?;
    }
    write!(out, ">")
}

fn write_edge(edge: &Edge, path: &Path, text: Option<Rect>, out: &mut String) -> fmt::Result {
    write_open(&edge.class, &edge.data, out)?;
    if !edge.title.is_empty() {
        write!(out, "<title>{}</title>", Escaped(&edge.title))?;
    }
    let dashed = match edge.arrow {
        Arrow::Test => " stroke-dasharray=\"4 3\"",
        _ => "",
    };
    write!(out, "<path class=\"line\" d=\"{}\"{dashed}/>", Line(path))?;
    let (end, direction) = (path.end(), path.final_direction());
    match edge.arrow {
        Arrow::Normal => {
            let back = end - direction * 7.0;
            let aside = direction.turned() * 2.9;
            let (a, b) = (Pair(back + aside), Pair(back - aside));
            write!(
                out,
                "<path class=\"head\" d=\"M{}L{a}L{b}Z\" fill=\"#57606a\" stroke=\"none\"/>",
                Pair(end)
            )?;
        }
        Arrow::Inhibitor => {
            let centre = end + direction * INHIBITOR;
            let (x, y) = (Number(centre.x), Number(centre.y));
            write!(
                out,
                "<circle class=\"ring\" cx=\"{x}\" cy=\"{y}\" r=\"{INHIBITOR}\" fill=\"#ffffff\"/>"
            )?;
        }
        Arrow::Test => {}
    }
    if let Some(rect) = text {
        write_text(edge, rect, out)?;
    }
    writeln!(out, "</g>")
}

/// The label or the weight of an edge in its box.
fn write_text(edge: &Edge, rect: Rect, out: &mut String) -> fmt::Result {
    let x = Number(rect.centre().x);
    let attributes = format!("text-anchor=\"middle\" {HALO}");
    if edge.label.is_empty() {
        let y = Number(baseline(rect.min.y));
        let weight = Escaped(&edge.weight);
        return write!(
            out,
            "<text class=\"weight\" x=\"{x}\" y=\"{y}\" {attributes}>{weight}</text>"
        );
    }
    write!(out, "<text class=\"guard\" {attributes}>")?;
    for (i, line) in edge.label.iter().enumerate() {
        let y = Number(baseline(rect.min.y + LINE * i as f64));
        write!(out, "<tspan x=\"{x}\" y=\"{y}\">{}", Escaped(&line.text))?;
        for &mark in &line.marks {
            let colour = mark as usize % MARKS.len();
            write!(
                out,
                "<tspan class=\"mark\" data-mark=\"{mark}\" style=\"fill:var(--ds-mark-{colour},{})\" \
                 fill=\"{}\">{}</tspan>",
                MARKS[colour],
                MARKS[colour],
                mark_text(mark)
            )?;
        }
        write!(out, "</tspan>")?;
    }
    write!(out, "</text>")
}

/// Where letters stand in a line of text that starts at `top`.
fn baseline(top: f64) -> f64 {
    top + LINE / 2.0 + FONT * 0.35
}

fn write_node(node: &Node, at: Point, label: Option<Rect>, out: &mut String) -> fmt::Result {
    write_open(&node.class, &node.data, out)?;
    let title = if node.title.is_empty() {
        &node.label
    } else {
        &node.title
    };
    write!(out, "<title>{}</title>", Escaped(title))?;
    for line in 0..node.border.lines() {
        write_border(node, at, line, out)?;
    }
    let (x, y) = (Number(at.x), Number(at.y + FONT * 0.35));
    if let Some(tokens) = &node.tokens {
        let size = token_size(tokens);
        let y = Number(at.y + f64::from(size) / 3.0);
        write!(
            out,
            "<text class=\"tokens\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"#1f2328\" stroke=\"none\">{}</text>",
            Escaped(tokens)
        )?;
    }
    let shown = node.shown_label();
    let shown = Escaped(&shown);
    match (node.label_place, label) {
        (Label::Inside, _) if !node.label.is_empty() => write!(
            out,
            "<text class=\"label\" x=\"{x}\" y=\"{y}\" {HALO}>{shown}</text>"
        )?,
        (_, Some(rect)) => {
            let (x, y) = (Number(rect.centre().x), Number(baseline(rect.min.y)));
            write!(
                out,
                "<text class=\"label\" x=\"{x}\" y=\"{y}\" {HALO}>{shown}</text>"
            )?;
        }
        _ => {}
    }
    writeln!(out, "</g>")
}

/// The size of the text of tokens, so that it fits into a place; dots are narrow.
fn token_size(text: &str) -> u8 {
    match text.chars().count() {
        0..=2 => 18,
        _ if text.starts_with('•') => 18,
        3 => 13,
        _ => 11,
    }
}

/// A line of a node's border; line 0 is the outer one.
fn write_border(node: &Node, at: Point, line: u8, out: &mut String) -> fmt::Result {
    let inset = RING * f64::from(line);
    let dashed = match node.border {
        Border::DashedDouble | Border::DashedTriple => " stroke-dasharray=\"3 2\"",
        Border::Single | Border::Double => "",
    };
    let (width, height) = (node.width - 2.0 * inset, node.height - 2.0 * inset);
    let (cx, cy) = (Number(at.x), Number(at.y));
    let (x, y) = (Number(at.x - width / 2.0), Number(at.y - height / 2.0));
    let size = (Number(width), Number(height));
    match node.shape {
        Shape::Hidden => Ok(()),
        Shape::Circle => {
            let r = Number(width / 2.0);
            write!(out, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"{r}\"{dashed}/>")
        }
        Shape::Bar => write!(
            out,
            "<rect class=\"bar\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"1.5\" fill=\"#1f2328\"/>",
            size.0, size.1
        ),
        Shape::Rounded => {
            let radius = Number((height / 2.0).min(12.0));
            write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"{radius}\"{dashed}/>",
                size.0, size.1
            )
        }
    }
}

/// A coordinate with one decimal, which is left out if it is zero.
struct Number(f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round();
        // No sign before zero.
        let value = if tenths == 0.0 { 0.0 } else { tenths / 10.0 };
        if tenths % 10.0 == 0.0 {
            write!(f, "{value:.0}")
        } else {
            write!(f, "{value:.1}")
        }
    }
}

/// A point in a path.
struct Pair(Point);

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Number(self.0.x), Number(self.0.y))
    }
}

/// The data of a path.
struct Line<'a>(&'a Path);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "M{}", Pair(self.0.start))?;
        for curve in &self.0.curves {
            match *curve {
                Curve::Line(end) => write!(f, "L{}", Pair(end))?,
                Curve::Cubic(a, b, end) => write!(f, "C{} {} {}", Pair(a), Pair(b), Pair(end))?,
            }
        }
        Ok(())
    }
}

/// Text for elements and attributes. Characters that XML forbids, and those that change the direction of
/// the text around them, become a mark of replacement.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => {
                    f.write_char('\u{fffd}')?;
                }
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let text = |x: f64| Number(x).to_string();
        assert_eq!([text(1.0), text(-0.04), text(2.25)], ["1", "0", "2.3"]);
        assert_eq!([text(-3.12), text(1e6)], ["-3.1", "1000000"]);
    }

    #[test]
    fn hostile_names_stay_text() {
        let text = Escaped("</title><script>\"'&\u{0}\u{202e}\n").to_string();
        assert_eq!(
            text,
            "&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;\u{fffd}\u{fffd} "
        );
    }
}
