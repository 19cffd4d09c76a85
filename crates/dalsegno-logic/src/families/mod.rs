//! Families of LTL formulas that grow: the usual measure of translators.
//!
//! Each family is a formula per number n ≥ 1. Names are those under which the experiments on translators know them;
//! `docs/papers.md` resolves the sources. Where a paper leaves details open, the text here is what counts.
//! Formulas are made as text, since that is how the papers print them, and read by the parser.

mod systems;

use crate::parse;
use crate::store::{FormulaId, FormulaStore};
use systems::{arbiter, carry, counter, kr_n, kr_nlogn, kv_psi};

/// A family of formulas.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What the formulas look like.
    pub shape: &'static str,
    /// The paper, by its key in `docs/papers.md`; empty for folklore.
    pub source: &'static str,
    /// Up to this n the formulas are part of [`list`].
    pub last: usize,
    text: fn(usize) -> String,
}

impl Family {
    /// The family of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Family> {
        FAMILIES.iter().find(|f| f.name == name)
    }

    /// The formula of number `n`, as text; `n` below 1 counts as 1.
    #[must_use]
    pub fn text(&self, n: usize) -> String {
        (self.text)(n.max(1))
    }

    /// The formula of number `n`.
    ///
    /// # Errors
    /// If it is nested too deeply for the parser.
    pub fn formula(&self, store: &mut FormulaStore, n: usize) -> Result<FormulaId, parse::Error> {
        parse(store, &self.text(n))
    }
}

/// All formulas of all families up to the `last` of each: (family, n).
pub fn list() -> impl Iterator<Item = (&'static Family, usize)> {
    FAMILIES
        .iter()
        .flat_map(|f| (1..=f.last).map(move |n| (f, n)))
}

const fn family(
    name: &'static str,
    shape: &'static str,
    source: &'static str,
    last: usize,
    text: fn(usize) -> String,
) -> Family {
    Family {
        name,
        shape,
        source,
        last,
        text,
    }
}

/// The families, by name.
pub const FAMILIES: [Family; 45] = [
    family("and-f", "F p1 & … & F pn", "GH06", 6, |n| {
        all(n, |i| format!("F p{i}"))
    }),
    family("and-fg", "FG p1 & … & FG pn", "", 6, |n| {
        all(n, |i| format!("F G p{i}"))
    }),
    family("and-gf", "GF p1 & … & GF pn", "CCJ09", 10, |n| {
        all(n, |i| format!("G F p{i}"))
    }),
    family(
        "ccj-alpha",
        "F(p1 & F(p2 & … F pn)) & F(q1 & … F qn)",
        "CCJ09",
        4,
        |n| {
            format!(
                "{} & {}",
                eventually_in_turn("p", n),
                eventually_in_turn("q", n)
            )
        },
    ),
    family(
        "ccj-beta",
        "F(p & X(p & … X p)) & F(q & X(q & … X q))",
        "CCJ09",
        8,
        |n| {
            let run = |p: &str| format!("F({})", nested(n, |_| p.to_owned(), "& X"));
            format!("{} & {}", run("p"), run("q"))
        },
    ),
    family(
        "ccj-beta-prime",
        "F(p & Xp & XXp …) & F(q & Xq & XXq …)",
        "CCJ09",
        8,
        |n| {
            let run = |p: &str| format!("F({})", all(n, |i| after(i - 1, p)));
            format!("{} & {}", run("p"), run("q"))
        },
    ),
    family(
        "fxg-or",
        "F(p0 | XG(p1 | XG(p2 | … XG pn)))",
        "MS17",
        6,
        |n| format!("F({})", nested(n + 1, |i| format!("p{}", i - 1), "| X G")),
    ),
    family("g-x", "G(a -> X^n b)", "", 8, |n| {
        format!("G(a -> {})", after(n, "b"))
    }),
    family("gf-equiv", "(GF a1 & … & GF an) <-> GF z", "", 4, |n| {
        format!("({}) <-> G F z", all(n, |i| format!("G F a{i}")))
    }),
    family("gf-equiv-xn", "GF(a <-> X^n a)", "", 10, |n| {
        format!("G F(a <-> {})", after(n, "a"))
    }),
    family("gf-implies", "(GF a1 & … & GF an) -> GF z", "", 6, |n| {
        format!("({}) -> G F z", all(n, |i| format!("G F a{i}")))
    }),
    family("gf-implies-xn", "GF(a -> X^n a)", "", 10, |n| {
        format!("G F(a -> {})", after(n, "a"))
    }),
    family(
        "gh-q",
        "(F p1 | G p2) & … & (F pn | G pn+1)",
        "GH06",
        6,
        |n| all(n, |i| format!("(F p{i} | G p{})", i + 1)),
    ),
    family(
        "gh-r",
        "(GF p1 | FG p2) & … & (GF pn | FG pn+1)",
        "GH06",
        5,
        |n| all(n, |i| format!("(G F p{i} | F G p{})", i + 1)),
    ),
    family(
        "go-theta",
        "!((GF p1 & … & GF pn) -> G(q -> F r))",
        "GO01",
        8,
        |n| format!("!(({}) -> G(q -> F r))", all(n, |i| format!("G F p{i}"))),
    ),
    family(
        "gxf-and",
        "G(p0 & XF(p1 & XF(p2 & … XF pn)))",
        "MS17",
        6,
        |n| format!("G({})", nested(n + 1, |i| format!("p{}", i - 1), "& X F")),
    ),
    family(
        "kr-n",
        "a word of n letters, marked by position, before and after d",
        "KR10",
        3,
        kr_n,
    ),
    family(
        "kr-nlogn",
        "as kr-n, with positions in binary",
        "KR10",
        2,
        kr_nlogn,
    ),
    family("kv-psi", "as kr-n, with positions by X", "KV05", 3, kv_psi),
    family(
        "ms-example",
        "GF(a1 & X(a2 & … X an)) & F(b1 & F(b2 & … F bn))",
        "MS17",
        5,
        |n| {
            let cycle = nested(n, |i| format!("a{i}"), "& X");
            format!("G F({cycle}) & {}", eventually_in_turn("b", n))
        },
    ),
    family(
        "ms-phi-h",
        "FG(a | b) | FG(!a | Xb) | FG(a | XXb) | …",
        "MS17",
        4,
        |n| {
            any(n + 1, |i| {
                let sign = if i % 2 == 1 { "" } else { "!" };
                format!("F G({sign}a | {})", after(i - 1, "b"))
            })
        },
    ),
    family(
        "ms-phi-r",
        "(FG an & GF bn) | ((FG an-1 | GF bn-1) & (…))",
        "MS17",
        3,
        |n| alternating(n, true),
    ),
    family(
        "ms-phi-s",
        "(FG an | GF bn) & ((FG an-1 & GF bn-1) | (…))",
        "MS17",
        3,
        |n| alternating(n, false),
    ),
    family("or-fg", "FG p1 | … | FG pn", "CCJ09", 8, |n| {
        any(n, |i| format!("F G p{i}"))
    }),
    family("or-g", "G p1 | … | G pn", "GH06", 6, |n| {
        any(n, |i| format!("G p{i}"))
    }),
    family("or-gf", "GF p1 | … | GF pn", "GH06", 8, |n| {
        any(n, |i| format!("G F p{i}"))
    }),
    family(
        "pps-arbiter",
        "an arbiter of n clients: assumptions imply guarantees",
        "PPS06",
        2,
        arbiter,
    ),
    family("r-left", "((p1 R p2) R p3) … R pn", "", 6, |n| {
        to_the_left(n, "R")
    }),
    family("r-right", "p1 R (p2 R (… R pn))", "", 8, |n| {
        to_the_right(n, "R")
    }),
    family("rv-counter", "a counter of n bits", "RV07", 5, |n| {
        counter(n, false)
    }),
    family(
        "rv-counter-carry",
        "a counter of n bits with a carry bit",
        "RV07",
        5,
        |n| carry(n, false),
    ),
    family(
        "rv-counter-carry-linear",
        "the same of linear size",
        "RV07",
        5,
        |n| carry(n, true),
    ),
    family(
        "rv-counter-linear",
        "rv-counter of linear size",
        "RV07",
        5,
        |n| counter(n, true),
    ),
    family(
        "sejk-f",
        "f(0) = GF a0 U X^n b, f(i) = GF ai U G f(i-1); f(2)",
        "SEJK16",
        4,
        |n| format!("(G F a2) U G((G F a1) U G((G F a0) U {}))", after(n, "b")),
    ),
    family(
        "sejk-j",
        "(GF a1 & … & GF an) -> (GF b1 & … & GF bn)",
        "SEJK16",
        4,
        |n| {
            format!(
                "({}) -> ({})",
                all(n, |i| format!("G F a{i}")),
                all(n, |i| format!("G F b{i}"))
            )
        },
    ),
    family(
        "sejk-k",
        "(GF a1 | FG b1) & … & (GF an | FG bn)",
        "SEJK16",
        4,
        |n| all(n, |i| format!("(G F a{i} | F G b{i})")),
    ),
    family(
        "sejk-pattern",
        "GF(F a | G X^(n-1) b | FG(a | X^n b))",
        "SEJK16",
        4,
        |n| {
            format!(
                "G F(F a | G {} | F G(a | {}))",
                after(n - 1, "b"),
                after(n, "b")
            )
        },
    ),
    family("tv-f1", "G(p -> (q | Xq | … | X^n q))", "TV10", 8, |n| {
        format!("G(p -> ({}))", any(n + 1, |i| after(i - 1, "q")))
    }),
    family(
        "tv-f2",
        "G(p -> (q | X(q | X(… | Xq))))",
        "TV10",
        8,
        |n| format!("G(p -> {})", nested(n + 1, |_| "q".to_owned(), "| X")),
    ),
    family("tv-g1", "G(p -> (q & Xq & … & X^n q))", "TV10", 8, |n| {
        format!("G(p -> ({}))", all(n + 1, |i| after(i - 1, "q")))
    }),
    family(
        "tv-g2",
        "G(p -> (q & X(q & X(… & Xq))))",
        "TV10",
        8,
        |n| format!("G(p -> {})", nested(n + 1, |_| "q".to_owned(), "& X")),
    ),
    family(
        "tv-uu",
        "G(p1 -> (p1 U (p2 & (p2 U (p3 & …)))))",
        "TV10",
        6,
        |n| {
            let inner = (1..=n).rev().fold(format!("p{}", n + 1), |f, i| {
                let until = format!("(p{i} U {f})");
                if i > 1 {
                    format!("(p{i} & {until})")
                } else {
                    until
                }
            });
            format!("G(p1 -> {inner})")
        },
    ),
    family("u-left", "((p1 U p2) U p3) … U pn", "GH06", 6, |n| {
        to_the_left(n, "U")
    }),
    family("u-right", "p1 U (p2 U (… U pn))", "GO01", 8, |n| {
        to_the_right(n, "U")
    }),
    family("x-parity", "G(a <-> X^n a)", "", 6, |n| {
        format!("G(a <-> {})", after(n, "a"))
    }),
];

fn joined(n: usize, operator: &str, part: impl Fn(usize) -> String) -> String {
    let parts: Vec<String> = (1..=n).map(part).collect();
    parts.join(&format!(" {operator} "))
}

fn all(n: usize, part: impl Fn(usize) -> String) -> String {
    joined(n, "&", part)
}

fn any(n: usize, part: impl Fn(usize) -> String) -> String {
    joined(n, "|", part)
}

/// `f` after `n` steps.
fn after(n: usize, f: &str) -> String {
    format!("{}({f})", "X".repeat(n))
}

/// part(1) op (part(2) op (…)).
fn nested(n: usize, part: impl Fn(usize) -> String, operator: &str) -> String {
    (1..n).rev().fold(format!("({})", part(n)), |f, i| {
        format!("({} {operator}{f})", part(i))
    })
}

/// F(p1 & F(p2 & … F pn)).
fn eventually_in_turn(p: &str, n: usize) -> String {
    format!("F{}", nested(n, |i| format!("{p}{i}"), "& F"))
}

fn to_the_left(n: usize, operator: &str) -> String {
    (2..=n).fold("p1".to_owned(), |f, i| format!("({f} {operator} p{i})"))
}

fn to_the_right(n: usize, operator: &str) -> String {
    (1..n)
        .rev()
        .fold(format!("p{n}"), |f, i| format!("(p{i} {operator} {f})"))
}

fn alternating(n: usize, disjunction: bool) -> String {
    // The outermost operator is given; below it they alternate.
    let (outer, inner) = if disjunction { ("|", "&") } else { ("&", "|") };
    let part = format!("(F G a{n} {inner} G F b{n})");
    if n == 1 {
        part
    } else {
        format!("({part} {outer} {})", alternating(n - 1, !disjunction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fragment;

    #[test]
    fn names_are_sorted_and_different() {
        assert!(FAMILIES.is_sorted_by(|a, b| a.name < b.name));
        assert!(FAMILIES.len() >= 25 && list().count() >= 150);
    }

    #[test]
    fn all_formulas_are_read_and_grow() {
        for family in &FAMILIES {
            let mut before = 0;
            for n in 1..=6 {
                let mut store = FormulaStore::new();
                let f = family.formula(&mut store, n).unwrap();
                assert!(store.is(f, Fragment::LTL), "{}", family.name);
                let size = store.size(f);
                assert!(size > before, "{} {n}: {}", family.name, store.display(f));
                before = size;
            }
        }
    }

    #[test]
    fn shapes_are_what_is_said() {
        for (name, n, text) in [
            ("and-gf", 2, "GFp1 & GFp2"),
            ("gf-equiv-xn", 2, "GF(a <-> XXa)"),
            ("u-left", 3, "(p1 U p2) U p3"),
            ("fxg-or", 2, "F(p0 | XG(p1 | XGp2))"),
            ("tv-uu", 2, "G(p1 -> (p1 U (p2 & (p2 U p3))))"),
            ("ms-phi-r", 2, "(FGa2 & GFb2) | (FGa1 | GFb1)"),
            ("sejk-f", 1, "GFa2 U G(GFa1 U G(GFa0 U Xb))"),
        ] {
            let mut store = FormulaStore::new();
            let f = Family::named(name).unwrap().formula(&mut store, n).unwrap();
            let expected = parse(&mut store, text).unwrap();
            assert_eq!(f, expected, "{name}: {}", store.display(f));
        }
        assert!(Family::named("nobody").is_none());
    }
}
