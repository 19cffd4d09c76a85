use super::tests_coloured::*;
use super::*;
use crate::petri::coloured::{Limits, unfold};

/// The message, and the text that the caret points to.
fn fault(text: &str) -> (String, String) {
    let error = parse_net(text.as_bytes()).expect_err("a fault");
    let line = text.lines().nth(error.line - 1).unwrap_or_default();
    let shown = error.to_string();
    assert!(shown.ends_with('^'), "{shown}");
    let at: String = line
        .chars()
        .skip(error.column - 1)
        .take_while(|c| *c != '>')
        .collect();
    (error.kind.to_string(), at)
}

fn sort(id: &str, body: &str) -> String {
    format!("<namedsort id='{id}' name='{id}'>{body}</namedsort>")
}

fn product(of: &str) -> String {
    format!("<productsort><usersort declaration='{of}'/></productsort>")
}

fn range(start: i64, end: i64) -> String {
    format!("<finiteintrange start='{start}' end='{end}'/>")
}

fn declarations_fail(cases: &[(String, &str, &str)]) {
    for (text, message, at) in cases {
        let (found, place) = fault(&document(text, ""));
        assert_eq!(
            (found.as_str(), place.as_str()),
            (*message, *at),
            "for {text}"
        );
    }
}

#[test]
fn what_is_made_of_itself_or_too_large_has_a_message_and_a_place() {
    declarations_fail(&[
        (
            sort("a", &product("a")),
            "the sort `a` is made of itself",
            "<namedsort id='a' name='a'",
        ),
        (
            sort("a", &product("b")) + &sort("b", &product("c")) + &sort("c", &product("a")),
            "the sort `a` is made of itself",
            "<namedsort id='c' name='c'",
        ),
        (
            sort("a", "<usersort declaration='a'/>"),
            "the sort `a` is made of itself",
            "<namedsort id='a' name='a'",
        ),
        (
            sort("a", &range(0, 1_000_000_000_000)),
            "in the sort `a`: the sort has too many colours: ranges can have 4294967294, products 2^64",
            "<finiteintrange start='0' end='1000000000000'/",
        ),
        (
            "<partition id='p'><usersort declaration='p'/><partitionelement id='q'/></partition>"
                .to_owned(),
            "there is no sort `p`",
            "<usersort declaration='p'/",
        ),
        (
            sort("a", &range(1, 2))
                + "<partition id='p'><usersort declaration='a'/><partitionelement id='q'>\
             <useroperator declaration='q'/></partitionelement></partition>",
            "there is no constant `q`",
            "<useroperator declaration='q'/",
        ),
        (
            sort("a", &product("b"))
                + &sort("b", &range(1, 2))
                + "<partition id='p'>\
             <usersort declaration='a'/></partition>",
            "<usersort> is no sort that can be divided of a symmetric net",
            "<usersort declaration='a'/",
        ),
    ]);
}

#[test]
fn wrong_declarations_have_a_message_and_a_place() {
    declarations_fail(&[
        (
            sort("colour", &range(1, 2)) + &sort("a", &product("color")),
            "there is no sort `color`; did you mean `colour`?",
            "<usersort declaration='color'/",
        ),
        (
            sort("a", "<list/>"),
            "<list> is no sort of a symmetric net",
            "<list/",
        ),
        (
            sort("a", ""),
            "<namedsort> takes one sort, not 0",
            "<namedsort id='a' name='a'",
        ),
        (
            sort("a", &range(3, 1)),
            "in the sort `a`: the range ends before it starts",
            "<finiteintrange start='3' end='1'/",
        ),
        (
            sort("a", "<finiteintrange start='x' end='1'/>"),
            "the attribute `start` is no whole number: `x`",
            "<finiteintrange start='x' end='1'/",
        ),
        (
            sort("a", &range(0, i64::MAX)),
            "in the sort `a`: the sort has too many colours: ranges can have 4294967294, products 2^64",
            "<finiteintrange start='0' end='9223372036854775807'/",
        ),
        (
            sort("a", "<dot/>") + &sort("a", "<dot/>"),
            "the id `a` is used twice",
            "<namedsort id='a' name='a'",
        ),
        (
            sort(
                "a",
                "<finiteenumeration><feconstant id='k'/><feconstant id='k'/></finiteenumeration>",
            ),
            "the id `k` is used twice",
            "<feconstant id='k'/",
        ),
        (
            "<namedoperator id='f'/>".to_owned(),
            "<namedoperator> is no declaration of a symmetric net",
            "<namedoperator id='f'/",
        ),
        (
            "<variabledecl id='x'><usersort declaration='a'/></variabledecl>".to_owned(),
            "there is no sort `a`",
            "<usersort declaration='a'/",
        ),
        (
            sort("a", &range(1, 2))
                + "<partition id='p'><usersort declaration='a'/><partitionelement id='q'>\
             <finiteintrangeconstant value='7'><finiteintrange start='1' end='2'/></finiteintrangeconstant>\
             </partitionelement></partition>",
            "there is no number in the range `7`",
            "<finiteintrangeconstant value='7'",
        ),
    ]);
}

#[test]
fn wrong_terms_have_a_message_and_a_place() {
    let guard = |text: &str| {
        let condition = format!("<condition><structure>{text}</structure></condition>");
        fault(&document(
            DECLARATIONS,
            &format!("<transition id='t'>{condition}</transition>"),
        ))
    };
    let z = "<variable refvariable='z'/>";
    for (text, message, at) in [
        (
            binary("equality", "<variable refvariable='w'/>", X),
            "there is no variable `w`; did you mean `x`, `y` or `m`?",
            "<variable refvariable='w'/",
        ),
        (
            binary("equality", X, M),
            "a term of sort `N` is where one of sort `C` must be",
            "<equality",
        ),
        (
            binary("equality", X, "<useroperator declaration='c9'/>"),
            "there is no constant `c9`; did you mean `c0`, `c1` or `c2`?",
            "<useroperator declaration='c9'/",
        ),
        (
            unary("equality", X),
            "<equality> takes two terms, not 1",
            "<equality",
        ),
        (
            unary("successor", z),
            "the sort `E` has no successors: only cyclic enumerations have",
            "<successor",
        ),
        (binary("and", X, Y), "<and> needs conditions here", "<and"),
        (
            X.to_owned(),
            "<variable> needs a condition here",
            "<variable refvariable='x'/",
        ),
        (
            binary("modulo", X, Y),
            "<modulo> is no term of a symmetric net",
            "<modulo",
        ),
        (
            "<equality><subterm/></equality>".to_owned(),
            "<subterm> takes one term, not 0",
            "<subterm/",
        ),
        (
            binary("lessthan", "<all><usersort declaration='c'/></all>", X),
            "<lessthan> needs a colour here",
            "<lessthan",
        ),
    ] {
        let (found, place) = guard(&text);
        assert_eq!(
            (found.as_str(), place.as_str()),
            (message, at),
            "for {text}"
        );
    }
}

#[test]
fn wrong_markings_have_a_message_and_a_place() {
    let marked = |sort: &str, term: &str| fault(&document(DECLARATIONS, &place("p", sort, term)));
    assert_eq!(
        marked("c", X).0,
        "the initial marking uses the variable `x`, which has no value there"
    );
    assert_eq!(
        marked("c", "<dotconstant/>").0,
        "a term of sort `Dot` is where one of sort `C` must be"
    );
    assert_eq!(
        marked("pair", C1).0,
        "a term of sort `C` is where one of sort `Pair` must be"
    );
    let number = |n: &str| format!("<numberconstant value='{n}'><positive/></numberconstant>");
    assert_eq!(
        marked("c", &binary("numberof", &number("-1"), C1)),
        (
            "<numberof> needs a number from 0 on here".to_owned(),
            "<numberof".to_owned()
        )
    );
    let huge = "<numberconstant value='9223372036854775807'/>";
    let twice = binary(
        "add",
        &binary("numberof", huge, C1),
        &binary("numberof", huge, C1),
    );
    assert_eq!(marked("c", &twice).0, "the term is too large");
    let text_only = "<place id='p'><type><text>C</text></type></place>";
    assert_eq!(
        fault(&document(DECLARATIONS, text_only)).0,
        "<type> has no <structure>: its text alone is not read"
    );
    let bare = place("p", "c", "") + "<transition id='t'/><arc id='a' source='p' target='t'/>";
    assert_eq!(
        fault(&document(DECLARATIONS, &bare)).0,
        "the arc has no term, and the sort `C` of its place has more than one colour"
    );
}

#[test]
fn deep_terms_and_long_chains_of_sorts_do_not_overflow_the_stack() {
    let nots =
        "<not><subterm>".repeat(400) + &binary("equality", X, C1) + &"</subterm></not>".repeat(400);
    assert_eq!(guard(&nots), guard(&binary("equality", X, C1)));
    for operator in ["not", "and", "successor", "tuple", "add"] {
        let deeper = format!("<{operator}><subterm>").repeat(100_000)
            + X
            + &format!("</subterm></{operator}>").repeat(100_000);
        let error = guarded(&deeper).expect_err("too deep");
        let message = error.kind.to_string();
        assert_eq!(message, "elements are nested more than 1000 deep");
        assert!(error.to_string().len() < 1000);
    }
    let link = |i: u32| {
        format!(
            "<namedsort id='s{i}' name='s{i}'><usersort declaration='s{}'/></namedsort>",
            i + 1
        )
    };
    let chain: String = (0..50_000).map(link).collect();
    let end = "<namedsort id='s50000' name='end'><dot/></namedsort>";
    let net = read_with(&(chain + end), &place("p", "s0", "")).unwrap();
    assert_eq!(net.sorts.get(net.places[0].sort).name, "end");
}

#[test]
fn sorts_without_colours_are_sorts() {
    let declared = "<namedsort id='e' name='E'><cyclicenumeration/></namedsort>\
        <variabledecl id='x' name='x'><usersort declaration='e'/></variabledecl>";
    let next = unary("successor", X);
    let content = place("p", "e", "<all><usersort declaration='e'/></all>")
        + "<transition id='t'/><arc id='a' source='p' target='t'><hlinscription><structure>"
        + &next
        + "</structure></hlinscription></arc>";
    let net = read_with(declared, &content).unwrap();
    let unlimited = Budget::unlimited();
    let unfolded = unfold(net, Limits::default(), &unlimited, |_| {}).unwrap();
    assert_eq!(
        unfolded.net.to_string(),
        "n: 0 places, 0 transitions, 0 arcs"
    );
}

#[test]
fn tuples_of_sums_of_tuples_have_a_limit() {
    let pair = "<tuple><subterm><useroperator declaration='c0'/></subterm><subterm>\
        <finiteintrangeconstant value='1'><finiteintrange start='-1' end='2'/></finiteintrangeconstant>\
        </subterm></tuple>";
    let sum = format!(
        "<add>{}</add>",
        format!("<subterm>{pair}</subterm>").repeat(1500)
    );
    let (message, at) = fault(&document(
        DECLARATIONS,
        &place("p", "pair", &binary("tuple", &sum, &sum)),
    ));
    assert_eq!(
        (message.as_str(), at.as_str()),
        ("the term is too large", "<tuple")
    );
}
