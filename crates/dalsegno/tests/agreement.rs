//! The same property asked in two ways has one answer: as a formula, and in a file of the contest.

use std::fmt::Write;
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::generators::Family;
use dalsegno::{Asked, Logic, Settings, Source};
use dalsegno_testkit::random_net;

mod support;

use support::{ask, contest, examination, granted, problem};

/// A formula as a text and as the contest writes it.
struct Both {
    text: String,
    xml: String,
}

/// Random formulas over the first places and transitions of a net.
struct Writer<'n> {
    rng: &'n mut Rng,
    places: Vec<String>,
    transitions: Vec<String>,
    cardinality: bool,
}

impl Writer<'_> {
    fn atom(&mut self) -> Both {
        if self.cardinality {
            let place = &self.places[self.rng.below(self.places.len() as u64) as usize];
            let n = self.rng.below(3);
            return Both {
                text: format!("\"{n} <= {place}\""),
                xml: format!(
                    "<integer-le><integer-constant>{n}</integer-constant><tokens-count><place>{place}</place></tokens-count></integer-le>"
                ),
            };
        }
        let t = &self.transitions[self.rng.below(self.transitions.len() as u64) as usize];
        Both {
            text: format!("\"fireable({t})\""),
            xml: format!("<is-fireable><transition>{t}</transition></is-fireable>"),
        }
    }

    fn boolean(&mut self, depth: u32) -> Both {
        self.tree(depth, &mut |writer, _| writer.atom())
    }

    /// Boolean operators over leaves.
    fn tree(&mut self, depth: u32, leaf: &mut dyn FnMut(&mut Self, u32) -> Both) -> Both {
        if depth == 0 {
            return leaf(self, depth);
        }
        let (text, element) = match self.rng.below(4) {
            0 => {
                let f = self.tree(depth - 1, leaf);
                return Both {
                    text: format!("!({})", f.text),
                    xml: format!("<negation>{}</negation>", f.xml),
                };
            }
            1 => ("&", "conjunction"),
            2 => ("|", "disjunction"),
            _ => return leaf(self, depth),
        };
        let (f, g) = (self.tree(depth - 1, leaf), self.tree(depth - 1, leaf));
        Both {
            text: format!("({}) {text} ({})", f.text, g.text),
            xml: format!("<{element}>{}{}</{element}>", f.xml, g.xml),
        }
    }

    /// A formula of LTL, or with a quantifier in front of each temporal operator one of CTL.
    fn temporal(&mut self, depth: u32, quantified: bool) -> Both {
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
            let (text, xml) = match writer.rng.below(4) {
                0 => (
                    format!("F ({})", f.text),
                    format!("<finally>{}</finally>", f.xml),
                ),
                1 => (
                    format!("G ({})", f.text),
                    format!("<globally>{}</globally>", f.xml),
                ),
                2 => (format!("X ({})", f.text), format!("<next>{}</next>", f.xml)),
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
            Both {
                text: format!("{a}({text})"),
                xml: match quantifier {
                    "" => xml,
                    _ => format!("<{quantifier}>{xml}</{quantifier}>"),
                },
            }
        })
    }
}

/// What the contest's protocol answers to formulas, in their order.
fn answers(source: &Source, name: &str, formulas: &[Both]) -> Vec<Option<bool>> {
    let mut xml = String::from("<property-set xmlns=\"http://mcc.lip6.fr/\">");
    for (i, formula) in formulas.iter().enumerate() {
        let _ = write!(
            xml,
            "<property><id>p{i}</id><description>d</description><formula>{}</formula></property>",
            formula.xml
        );
    }
    xml += "</property-set>";
    let (lines, _) = contest(source, examination(name, &xml), &granted(20));
    let answer = |i: usize| {
        let start = format!("FORMULA p{i} ");
        let line = lines.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(line.starts_with("TRUE"))
    };
    (0..formulas.len()).map(answer).collect()
}

/// What a formula is answered.
fn library(source: &Source, formula: &str, linear: bool) -> Option<bool> {
    let logic = if linear { Logic::Ltl } else { Logic::Ctl };
    let budget = Budget::unlimited().with_time(Duration::from_secs(20));
    let asked = Asked::formula(logic, formula);
    ask(source, Settings::default(), asked, &budget).holds()
}

#[test]
fn formulas_and_files_of_the_contest_have_the_same_answers() {
    let mut rng = Rng::new(7);
    let mut sources: Vec<Source> = vec![
        Source::of_net(Family::Philosophers.generate(4).unwrap()),
        Source::of_net(Family::Kanban.generate(1).unwrap()),
        Source::of_net(Family::Peterson.generate(2).unwrap()),
    ];
    sources.extend((0..9).map(|_| Source::of_net(random_net(&mut rng))));
    let (mut asked, mut decided) = (0, [0, 0]);
    for source in &sources {
        let net = problem(source).net().unwrap();
        for examination in [
            "LTLCardinality",
            "LTLFireability",
            "CTLCardinality",
            "CTLFireability",
            "ReachabilityCardinality",
            "ReachabilityFireability",
        ] {
            let mut writer = Writer {
                rng: &mut rng,
                places: net.places().iter().take(8).map(|p| p.id.clone()).collect(),
                transitions: net
                    .transitions()
                    .iter()
                    .take(8)
                    .map(|t| t.id.clone())
                    .collect(),
                cardinality: examination.contains("Cardinality"),
            };
            let linear = examination.starts_with("LTL");
            let formulas: Vec<Both> = (0..3)
                .map(|i| match &examination[..3] {
                    "LTL" => {
                        let f = writer.temporal(3, false);
                        Both {
                            xml: format!("<all-paths>{}</all-paths>", f.xml),
                            ..f
                        }
                    }
                    "CTL" => writer.temporal(3, true),
                    _ => {
                        let f = writer.boolean(2);
                        let (a, path, g, element) = [
                            ("E", "exists-path", "F", "finally"),
                            ("A", "all-paths", "G", "globally"),
                        ][i % 2];
                        Both {
                            text: format!("{a} {g} ({})", f.text),
                            xml: format!("<{path}><{element}>{}</{element}></{path}>", f.xml),
                        }
                    }
                })
                .collect();
            let answered = answers(source, examination, &formulas);
            for (formula, answer) in formulas.iter().zip(answered) {
                let holds = library(source, &formula.text, linear);
                asked += 1;
                if let (Some(answer), Some(holds)) = (answer, holds) {
                    assert_eq!(
                        answer,
                        holds,
                        "{examination} {}: {}",
                        net.name(),
                        formula.text
                    );
                    decided[usize::from(holds)] += 1;
                }
            }
        }
    }
    // Some of the random nets grow for ever, and leave a property open.
    assert!(
        decided[0] + decided[1] > asked * 9 / 10,
        "{decided:?} of {asked}"
    );
    assert!(decided[0] > 20 && decided[1] > 20, "{decided:?}");
}
