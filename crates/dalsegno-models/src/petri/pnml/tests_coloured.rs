use super::*;
use crate::petri::coloured::guard::Intervals;
use crate::petri::coloured::{Guard, LeafId, Part, SortKind};

const DECLARATIONS: &str = "
<namedsort id='dot' name='Dot'><dot/></namedsort>
<namedsort id='pair' name='Pair'><productsort><usersort declaration='c'/><usersort declaration='n'/></productsort></namedsort>
<namedsort id='c' name='C'><cyclicenumeration><feconstant id='c0' name='zero'/><feconstant id='c1' name='one'/>
  <feconstant id='c2' name='two'/></cyclicenumeration></namedsort>
<namedsort id='e' name='E'><finiteenumeration><feconstant id='e0' name='same'/><feconstant id='e1' name='same'/></finiteenumeration></namedsort>
<namedsort id='n' name='N'><finiteintrange start='-1' end='2'/></namedsort>
<partition id='parts' name='parts'><usersort declaration='n'/>
  <partitionelement id='low'><finiteintrangeconstant value='-1'><finiteintrange start='-1' end='2'/></finiteintrangeconstant>
    <finiteintrangeconstant value='0'><finiteintrange start='-1' end='2'/></finiteintrangeconstant></partitionelement>
  <partitionelement id='high'><finiteintrangeconstant value='2'><finiteintrange start='-1' end='2'/></finiteintrangeconstant></partitionelement>
</partition>
<variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
<variabledecl id='y' name='y'><usersort declaration='c'/></variabledecl>
<variabledecl id='m' name='m'><usersort declaration='n'/></variabledecl>
<variabledecl id='xm' name='xm'><usersort declaration='pair'/></variabledecl>
<variabledecl id='z' name='z'><usersort declaration='e'/></variabledecl>";

fn document(declarations: &str, content: &str) -> String {
    format!(
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'>\n\
         <page id='p0'>{content}</page>\n<declaration><structure><declarations>{declarations}\
         </declarations></structure></declaration></net></pnml>"
    )
}

fn read_with(declarations: &str, content: &str) -> Result<ColouredNet, Error> {
    match parse_net(document(declarations, content).as_bytes())? {
        Net::Coloured(net) => Ok(net),
        Net::Plain(net) => panic!("a plain net: {net}"),
    }
}

fn place(id: &str, sort: &str, marking: &str) -> String {
    let marking = match marking {
        "" => String::new(),
        m => format!("<hlinitialMarking><structure>{m}</structure></hlinitialMarking>"),
    };
    format!(
        "<place id='{id}'><type><structure><usersort declaration='{sort}'/></structure></type>{marking}</place>"
    )
}

/// A net whose only transition has this guard.
fn guarded(guard: &str) -> Result<ColouredNet, Error> {
    let condition = format!("<condition><structure>{guard}</structure></condition>");
    read_with(
        DECLARATIONS,
        &format!("<transition id='t'>{condition}</transition>"),
    )
}

fn guard(text: &str) -> Guard {
    let net = guarded(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    net.transitions[0].guard.clone()
}

/// A net with an arc from a place of this sort.
fn inscribed(sort: &str, term: &str) -> Result<ColouredNet, Error> {
    let arc = format!(
        "<transition id='t'/><arc id='a' source='p' target='t'><hlinscription><structure>{term}\
         </structure></hlinscription></arc>"
    );
    read_with(DECLARATIONS, &(place("p", sort, "") + &arc))
}

fn binary(op: &str, left: &str, right: &str) -> String {
    format!("<{op}><subterm>{left}</subterm><subterm>{right}</subterm></{op}>")
}

const X: &str = "<variable refvariable='x'/>";
const Y: &str = "<variable refvariable='y'/>";
const M: &str = "<variable refvariable='m'/>";
const C1: &str = "<useroperator declaration='c1'/>";

fn unary(op: &str, operand: &str) -> String {
    format!("<{op}><subterm>{operand}</subterm></{op}>")
}

#[test]
fn declarations_come_in_any_order_and_after_their_use() {
    let net = read_with(DECLARATIONS, &place("p", "pair", "")).unwrap();
    let sort = net.places[0].sort;
    assert_eq!(net.sorts.size(sort), 12);
    assert_eq!(net.sorts.label(sort, 0), "zero,-1");
    assert_eq!(net.sorts.label(sort, 11), "two,2");
    assert_eq!(net.leaf_count(), 6);
    let e = net.variables[4].sort;
    // Names that two colours share give way to identifiers.
    assert_eq!(net.sorts.label(e, 1), "e1");
    assert!(matches!(
        net.sorts.get(e).kind,
        SortKind::Enumeration { cyclic: false, .. }
    ));
    assert_eq!(net.partitions[0].classes[0], ("low".to_owned(), vec![0, 1]));
}

#[test]
fn guards_are_brought_into_normal_form() {
    let member =
        |leaf, colours: &[(u32, u32)]| Guard::Member(LeafId(leaf), Intervals::from(colours));
    assert_eq!(guard(&binary("equality", X, C1)), member(0, &[(1, 1)]));
    assert_eq!(
        guard(&binary("equality", &unary("successor", X), C1)),
        member(0, &[(0, 0)])
    );
    assert_eq!(
        guard(&binary("equality", C1, &unary("predecessor", X))),
        member(0, &[(2, 2)])
    );
    assert_eq!(
        guard(&binary("inequality", X, C1)),
        member(0, &[(0, 0), (2, 2)])
    );
    assert_eq!(guard(&binary("lessthan", C1, X)), member(0, &[(2, 2)]));
    assert_eq!(
        guard(&unary("not", &binary("lessthan", C1, X))),
        member(0, &[(0, 1)])
    );
    let both = binary(
        "and",
        &binary("inequality", X, C1),
        &binary("greaterthanorequal", X, C1),
    );
    assert_eq!(guard(&both), member(0, &[(2, 2)]));
    assert_eq!(
        guard(&binary("imply", &both, &binary("equality", X, X))),
        Guard::TRUE
    );
    assert!(
        matches!(guard(&binary("lessthanorequal", Y, X)), Guard::Compare(l, _, r) if l.leaf < r.leaf)
    );
    // Tuples are equal if all their parts are.
    let tuple = "<tuple><subterm><useroperator declaration='c2'/></subterm><subterm>\
        <finiteintrangeconstant value='1'><finiteintrange start='-1' end='2'/></finiteintrangeconstant></subterm></tuple>";
    let pair = guard(&binary("equality", "<variable refvariable='xm'/>", tuple));
    assert_eq!(
        pair,
        Guard::And(vec![member(3, &[(2, 2)]), member(4, &[(2, 2)])])
    );
    let class = format!(
        "<partitionelementof refpartition='parts'><subterm>{M}</subterm></partitionelementof>"
    );
    let low = binary("equality", &class, "<useroperator declaration='low'/>");
    assert_eq!(guard(&low), member(2, &[(0, 1)]));
    assert_eq!(guard(&unary("not", &low)), member(2, &[(2, 3)]));
}

#[test]
fn a_variable_that_cancels_out_is_still_part_of_a_binding() {
    assert_eq!(
        guarded(&binary("equality", X, X)).unwrap().transitions[0].variables,
        [0]
    );
    let nothing = inscribed("c", &binary("subtract", X, X)).unwrap();
    assert!(nothing.transitions[0].pre[0].1.summands.is_empty());
    assert_eq!(nothing.transitions[0].variables, [0]);
}

#[test]
fn terms_are_sums_of_tuples_of_sums() {
    let two = "<numberconstant value='2'><positive/></numberconstant>";
    let all = "<all><usersort declaration='c'/></all>";
    let rest = binary("subtract", all, X);
    let term = binary(
        "numberof",
        two,
        &binary("tuple", &rest, "<useroperator declaration='low'/>"),
    );
    let net = inscribed("pair", &term).unwrap();
    let [summand] = &net.transitions[0].pre[0].1.summands[..] else {
        panic!("one summand");
    };
    assert_eq!(summand.coefficient, 2);
    let x = Part::Variable {
        leaf: LeafId(0),
        shift: 0,
    };
    assert_eq!(summand.factors[0], [(Part::All, 1), (x, -1)]);
    assert_eq!(
        summand.factors[1],
        [(Part::Constant(0), 1), (Part::Constant(1), 1)]
    );
    // The same sum in another order is the same term.
    let sum = |a: &str, b: &str| {
        inscribed("c", &binary("add", a, b)).unwrap().transitions[0]
            .pre
            .clone()
    };
    assert_eq!(
        sum(X, &unary("successor", Y)),
        sum(&unary("successor", Y), X)
    );
}

#[test]
fn plain_tokens_need_no_terms() {
    let net = read_with(
        "",
        "<place id='p'><initialMarking><text>3</text></initialMarking></place><transition id='t'/>\
         <arc id='a' source='p' target='t'><inscription><text>2</text></inscription></arc>",
    )
    .unwrap();
    assert_eq!(net.places[0].initial.summands[0].coefficient, 3);
    assert_eq!(net.transitions[0].pre[0].1.summands[0].coefficient, 2);
}

/// The message, and the text that the caret points to.
fn fault(text: &str) -> (String, String) {
    let error = parse_net(text.as_bytes()).expect_err("a fault");
    let line = text.lines().nth(error.line - 1).unwrap_or_default();
    let shown = error.render(text);
    assert!(shown.ends_with('^'), "{shown}");
    let at: String = line
        .chars()
        .skip(error.column - 1)
        .take_while(|c| *c != '>')
        .collect();
    (error.kind.to_string(), at)
}

#[test]
fn wrong_declarations_have_a_message_and_a_place() {
    let declared = |text: &str| fault(&document(text, ""));
    let sort =
        |id: &str, body: &str| format!("<namedsort id='{id}' name='{id}'>{body}</namedsort>");
    let product = |of: &str| format!("<productsort><usersort declaration='{of}'/></productsort>");
    let range = |start: i64, end: i64| format!("<finiteintrange start='{start}' end='{end}'/>");
    for (text, message, at) in [
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
            "in the sort `a`: the sort has too many colours",
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
    ] {
        let (found, place) = declared(&text);
        assert_eq!(
            (found.as_str(), place.as_str()),
            (message, at),
            "for {text}"
        );
    }
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
    let deeper = "<not><subterm>".repeat(100_000);
    assert!(guarded(&deeper).is_err());
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
