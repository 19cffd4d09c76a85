//! Families of LTL formulas that grow: the usual measure of translators.
//!
//! Each family is a formula per number n ≥ 1. Names are those under which the experiments on translators know them;
//! `docs/papers.md` resolves the sources. Where a paper leaves details open, the text here is what counts.
//! Formulas are made as text, since that is how the papers print them, and read by the parser.

use crate::parse;
use crate::store::{FormulaId, FormulaStore};

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

/// At most one of the atoms, always.
fn exclusive(atoms: &[String]) -> String {
    let pairs = atoms.iter().enumerate();
    let pairs =
        pairs.flat_map(|(i, a)| atoms[i + 1..].iter().map(move |b| format!("!({a} & {b})")));
    format!("G({})", pairs.collect::<Vec<_>>().join(" & "))
}

/// c separates words of n letters ai, bi; d marks the word that must have occurred before.
fn kr_n(n: usize) -> String {
    let one = |i: usize| format!("(a{i} | b{i})");
    let first = format!("c & X({} | d)", one(1));
    let order = all(n, |i| {
        if i < n {
            format!("({} -> X{})", one(i), one(i + 1))
        } else {
            format!("({} -> X(c & X({} | d | G c)))", one(n), one(1))
        }
    });
    let last = format!("!d U (d & X({} & {}))", one(1), after(n, "G c"));
    let again = |x: &str, i: usize| format!("({x}{i} & F(d & F {x}{i}))");
    let same = any(n, |i| format!("{} | {}", again("a", i), again("b", i)));
    let atoms: Vec<String> = (1..=n)
        .flat_map(|i| [format!("a{i}"), format!("b{i}")])
        .collect();
    let letters = atoms.join(" | ");
    let apart = all(n, |i| format!("!(a{i} & b{i})"));
    format!(
        "{first} & G({order}) & ({last}) & F(c & X(!c & (({same}) U c))) & \
         G((c | d) -> !({letters})) & G(!(c & d)) & G({apart})"
    )
}

/// The number i - 1 in k bits, the lowest first, by atoms y for 0 and z for 1 in a row.
fn binary(k: u32, i: usize) -> String {
    let bit = |j: u32| if (i - 1) >> j & 1 == 1 { "z" } else { "y" }.to_owned();
    nested(k as usize, |j| bit(j as u32 - 1), "& X")
}

fn kr_nlogn(n: usize) -> String {
    let k = n.next_power_of_two().trailing_zeros().max(1);
    let digits = k as usize;
    let first = format!("c & X({} | d)", binary(k, 1));
    let order = all(n, |i| {
        let next = if i < n {
            format!("(a | b) & X{}", binary(k, i + 1))
        } else {
            format!("(a | b) & X(c & X({} | d | G c))", binary(k, 1))
        };
        format!("({} -> {})", binary(k, i), after(digits, &next))
    });
    let length = n * (digits + 1);
    let last = format!("!d U (d & X({} & {}))", binary(k, 1), after(length, "G c"));
    let same = all(n, |i| {
        let again = |x: &str| format!("({x} & F(d & F({} & {})))", binary(k, i), after(digits, x));
        let seen = format!("{} | {}", again("a"), again("b"));
        format!("({} -> {})", binary(k, i), after(digits, &seen))
    });
    let atoms = ["a", "b", "c", "d", "y", "z"].map(str::to_owned);
    format!(
        "{first} & G({order}) & ({last}) & F(c & X(!c & (({same}) U c))) & {}",
        exclusive(&atoms)
    )
}

fn kv_psi(n: usize) -> String {
    let word = (0..n).fold("X G c".to_owned(), |f, _| format!("X((a | b) & {f})"));
    let same = all(n, |i| {
        let at = |x: &str| format!("({} & G(d -> {}))", after(i, x), after(i, x));
        format!("({} | {})", at("a"), at("b"))
    });
    let atoms = ["a", "b", "c", "d"].map(str::to_owned);
    format!(
        "(!d U (d & {word})) & F(c & {same} & {}) & {}",
        after(n + 1, "c"),
        exclusive(&atoms)
    )
}

/// Clients raise ri until gi is granted and lower it after; grants exclude each other.
fn arbiter(n: usize) -> String {
    let start = all(n, |i| format!("!r{i}"));
    let patient = all(n, |i| format!("((r{i} xor g{i}) -> (r{i} <-> X r{i}))"));
    let fair = all(n, |i| format!("G F !(r{i} & g{i})"));
    let idle = all(n, |i| format!("!g{i}"));
    let stable = all(n, |i| format!("((r{i} <-> g{i}) -> (g{i} <-> X g{i}))"));
    let served = all(n, |i| format!("G F(r{i} <-> g{i})"));
    let grants: Vec<String> = (1..=n).map(|i| format!("g{i}")).collect();
    let apart = if n > 1 {
        exclusive(&grants)
    } else {
        "1".to_owned()
    };
    format!("(({start}) & G({patient}) & {fair}) -> (({idle}) & {apart} & G({stable}) & {served})")
}

/// `part(i)` after i steps for all i below n: each with its own steps, or sharing them.
fn steps(n: usize, linear: bool, part: &str) -> String {
    if linear {
        nested(n, |_| part.to_owned(), "& X")
    } else {
        format!("({})", all(n, |i| after(i - 1, part)))
    }
}

/// m marks the lowest bit of each number, whose bits b follow in n steps.
fn marker(n: usize, linear: bool) -> String {
    let between = if n > 1 {
        format!("X{} & ", steps(n - 1, linear, "!m"))
    } else {
        String::new()
    };
    let zero = steps(n, linear, "!b");
    format!("m & G(m -> ({between}{})) & {zero}", after(n, "m"))
}

fn counter(n: usize, linear: bool) -> String {
    let (set, clear) = (after(n, "b"), after(n, "!b"));
    let same = format!("(!m & (b -> {set}) & (!b -> {clear})) U m");
    let carried = format!("m | (!m & !b & {set} & X({same}))");
    format!(
        "{} & G((m & !b) -> ({set} & X({same}))) & \
         G((m & b) -> ({clear} & X((b & !m & {clear}) U ({carried}))))",
        marker(n, linear)
    )
}

fn carry(n: usize, linear: bool) -> String {
    let (set, clear) = (after(n, "b"), after(n, "!b"));
    let (next_set, next_clear) = (after(n + 1, "b"), after(n + 1, "!b"));
    format!(
        "{} & G((m & !b) -> (!c & {set})) & G((m & b) -> (c & {clear})) & \
         G((!c & X!m) -> (X!c & (X b -> {next_set}) & (X!b -> {next_clear}))) & \
         G((c & X!m) -> ((X!b -> (X!c & {next_set})) & (X b -> (X c & {next_clear}))))",
        marker(n, linear)
    )
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
