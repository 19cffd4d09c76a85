use crate::parse::{Names, parse, parse_lbt, parse_with};
use crate::store::{FormulaId, FormulaStore};

/// A model in which every word is a name, and may be compared.
struct Everything;

impl Names for Everything {
    fn knows(&self, _: &str) -> bool {
        true
    }

    fn is_number(&self, _: &str) -> bool {
        true
    }

    fn longest(&self) -> usize {
        usize::MAX
    }

    fn nearest(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

fn read(s: &mut FormulaStore, text: &str) -> FormulaId {
    parse(s, text).unwrap_or_else(|e| panic!("{}", e.render(text)))
}

/// Asserts that the text is written as it stands, and read back as the same formula.
#[track_caller]
fn stable(text: &str) {
    let mut s = FormulaStore::new();
    let f = read(&mut s, text);
    assert_eq!(s.display(f).to_string(), text);
    let lbt = s.display_lbt(f).to_string();
    assert_eq!(parse_lbt(&mut s, &lbt), Ok(f), "{lbt}");
    let signs = s.display_signs(f).to_string();
    assert_eq!(read(&mut s, &signs), f, "{signs}");
    assert_eq!(parse_with(&mut s, &signs, &Everything), Ok(f), "{signs}");
}

#[test]
fn infix_formulas_keep_their_form() {
    for text in [
        "1",
        "0",
        "p0",
        "!p0",
        "Fp0",
        "XFp1",
        "G!p0",
        "!Gp0",
        "G(p0 -> Fp1)",
        "(a U b) R c",
        "a U (b U c)",
        "a -> (b -> c)",
        "(a -> b) -> c",
        "(a & b) | c",
        "a & b & c & (d | e)",
        "!(a & b) xor c",
        "GFa & FGb",
        "(a W b) M (c <-> d)",
        "X(a U b)",
    ] {
        stable(text);
    }
}

#[test]
fn path_quantifiers_stand_apart_from_words() {
    for text in [
        "AGp",
        "AGEFp",
        "E p",
        "E A p",
        "E EFp",
        "EXE p",
        "A(p U q)",
        "E!p",
        "FE Exit",
        "E\"Foo\"",
        "GE(a | Xb)",
    ] {
        stable(text);
    }
}

#[test]
fn atoms_are_quoted_where_they_must_be() {
    for text in [
        "F Alarm",
        "G A1",
        "X U1",
        "F\"Fa\"",
        "F\"1\"",
        "\"true\"",
        "\"U\" U \"W\"",
        "\"xor\" xor a",
        "\"P1 + 2*P2 <= P3\"",
        r#""a \"b\" \\""#,
        "\"\"",
        "\"é\"",
        "\"AGp\"",
        "\"2x\"",
    ] {
        stable(text);
    }
}

#[test]
fn spin_rewrites_what_it_lacks() {
    let mut s = FormulaStore::new();
    for (text, spin) in [
        ("GFa & X!b", "[]<>a && X!b"),
        ("Xa R Xb", "X a V X b"),
        ("a W b", "b V (a || b)"),
        ("!(a W b)", "!(b V (a || b))"),
        ("a M b", "b U (a && b)"),
        ("a xor b", "!(a <-> b)"),
        ("!(a xor b) <-> c", "!!(a <-> b) <-> c"),
        ("AGEFa", "A[]E<>a"),
        ("1", "true"),
    ] {
        let f = read(&mut s, text);
        assert_eq!(s.display_spin(f).to_string(), spin);
    }
    for text in [
        "G(a -> F(b U c)) | (d <-> e R !f)",
        "EX A G(a & E F b)",
        "XXX Exit",
    ] {
        let f = read(&mut s, text);
        let spin = s.display_spin(f).to_string();
        assert_eq!(parse(&mut s, &spin), Ok(f), "{spin}");
    }
}

#[test]
fn latex_escapes_names() {
    let mut s = FormulaStore::new();
    for (text, latex) in [
        ("!p12 & req_1", r"\lnot p_{12} \land \mathit{req\_1}"),
        (
            "a U \"x <= 1 & y\"",
            r"\mathit{a} \mathbin{\mathsf{U}} \mbox{x \textless{}= 1 \& y}",
        ),
        ("1", r"\top "),
        ("\"\"", r"\mbox{}"),
    ] {
        let mut text_store = FormulaStore::new();
        let f = read(&mut text_store, text);
        assert_eq!(text_store.display_latex(f).to_string(), latex);
    }
    let f = s.atom("é");
    assert_eq!(s.display_latex(f).to_string(), "\\mbox{é}");
}

#[test]
fn lists_are_nested_to_the_right_in_prefix_syntax() {
    let mut s = FormulaStore::new();
    let f = read(&mut s, "p0 & p1 & p2 & (p3 | p4)");
    assert_eq!(s.display_lbt(f).to_string(), "& p0 & p1 & p2 | p3 p4");
}
