//! Random properties as texts and as the contest writes them.

use std::fmt::Write as _;

use dalsegno_logic::random::Rng;
use dalsegno_models::petri::PetriNet;

/// A formula as a text and as the contest writes it.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// The element below `<formula>`.
    pub xml: String,
}

/// Writes random formulas over the first places and transitions of a net.
pub struct Writer<'r> {
    rng: &'r mut Rng,
    places: Vec<String>,
    transitions: Vec<String>,
    cardinality: bool,
}

/// How many places and transitions formulas speak of.
const MOST_NAMES: usize = 8;

impl<'r> Writer<'r> {
    /// Formulas over numbers of tokens, or over what is enabled.
    pub fn new(net: &PetriNet, cardinality: bool, rng: &'r mut Rng) -> Self {
        let places = net.places().iter().take(MOST_NAMES);
        let transitions = net.transitions().iter().take(MOST_NAMES);
        Writer {
            rng,
            places: places.map(|p| p.id.clone()).collect(),
            transitions: transitions.map(|t| t.id.clone()).collect(),
            cardinality,
        }
    }

    /// A property of the examinations with this prefix: `LTL`, `CTL`, `Upper` or `Reachability`.
    pub fn property(&mut self, examination: &str) -> Written {
        match &examination[..3] {
            "LTL" => {
                let f = self.temporal(3, false);
                Written {
                    xml: format!("<all-paths>{}</all-paths>", f.xml),
                    ..f
                }
            }
            "CTL" => self.temporal(3, true),
            "Upp" => {
                let place = self.any_place();
                Written {
                    text: String::new(),
                    xml: format!("<place-bound><place>{place}</place></place-bound>"),
                }
            }
            _ => {
                let f = self.tree(2, &mut |writer, _| writer.atom());
                let (a, path, g, element) = [
                    ("E", "exists-path", "F", "finally"),
                    ("A", "all-paths", "G", "globally"),
                ][self.rng.index(2)];
                Written {
                    text: format!("{a} {g} ({})", f.text),
                    xml: format!("<{path}><{element}>{}</{element}></{path}>", f.xml),
                }
            }
        }
    }

    fn any_place(&mut self) -> String {
        self.places[self.rng.index(self.places.len())].clone()
    }

    fn atom(&mut self) -> Written {
        if self.cardinality {
            let (place, n) = (self.any_place(), self.rng.below(3));
            return Written {
                text: format!("\"{n} <= {place}\""),
                xml: format!(
                    "<integer-le><integer-constant>{n}</integer-constant><tokens-count><place>{place}</place></tokens-count></integer-le>"
                ),
            };
        }
        let t = &self.transitions[self.rng.index(self.transitions.len())];
        Written {
            text: format!("\"fireable({t})\""),
            xml: format!("<is-fireable><transition>{t}</transition></is-fireable>"),
        }
    }

    /// Boolean operators over leaves.
    fn tree(&mut self, depth: u32, leaf: &mut dyn FnMut(&mut Self, u32) -> Written) -> Written {
        if depth == 0 {
            return leaf(self, depth);
        }
        let (text, element) = match self.rng.below(4) {
            0 => {
                let f = self.tree(depth - 1, leaf);
                return Written {
                    text: format!("!({})", f.text),
                    xml: format!("<negation>{}</negation>", f.xml),
                };
            }
            1 => ("&", "conjunction"),
            2 => ("|", "disjunction"),
            _ => return leaf(self, depth),
        };
        let (f, g) = (self.tree(depth - 1, leaf), self.tree(depth - 1, leaf));
        Written {
            text: format!("({}) {text} ({})", f.text, g.text),
            xml: format!("<{element}>{}{}</{element}>", f.xml, g.xml),
        }
    }

    /// A formula of LTL, or with a quantifier in front of each temporal operator one of CTL.
    fn temporal(&mut self, depth: u32, quantified: bool) -> Written {
        self.tree(depth, &mut |writer, depth| {
            if depth == 0 {
                return writer.atom();
            }
            let (a, quantifier) = match (quantified, writer.rng.below(2)) {
                (false, _) => ("", ""),
                (true, 0) => ("A ", "all-paths"),
                (true, _) => ("E ", "exists-path"),
            };
            let f = writer.temporal(depth - 1, quantified);
            let unary = |symbol: &str, element: &str| {
                let text = format!("{symbol} ({})", f.text);
                (text, format!("<{element}>{}</{element}>", f.xml))
            };
            let (text, xml) = match writer.rng.below(4) {
                0 => unary("F", "finally"),
                1 => unary("G", "globally"),
                2 => unary("X", "next"),
                _ => {
                    let g = writer.temporal(depth - 1, quantified);
                    (
                        format!("(({}) U ({}))", f.text, g.text),
                        format!(
                            "<until><before>{}</before><reach>{}</reach></until>",
                            f.xml, g.xml
                        ),
                    )
                }
            };
            Written {
                text: format!("{a}({text})"),
                xml: match quantifier {
                    "" => xml,
                    _ => format!("<{quantifier}>{xml}</{quantifier}>"),
                },
            }
        })
    }
}

/// A file of properties, which are called p0, p1, and so on.
#[must_use]
pub fn property_file(properties: &[Written]) -> String {
    let mut xml = String::from("<property-set xmlns=\"http://mcc.lip6.fr/\">");
    for (i, property) in properties.iter().enumerate() {
        let _ = write!(
            xml,
            "<property><id>p{i}</id><description>d</description><formula>{}</formula></property>",
            property.xml
        );
    }
    xml + "</property-set>"
}
