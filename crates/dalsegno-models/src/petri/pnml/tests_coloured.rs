use super::*;
use crate::petri::coloured::guard::Intervals;
use crate::petri::coloured::{Guard, LeafId, Part, SortKind};
use crate::petri::{PlaceId, Position};

pub(super) const DECLARATIONS: &str = "
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

pub(super) fn document(declarations: &str, content: &str) -> String {
    format!(
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'>\n\
         <page id='p0'>{content}</page>\n<declaration><structure><declarations>{declarations}\
         </declarations></structure></declaration></net></pnml>"
    )
}

pub(super) fn read_with(declarations: &str, content: &str) -> Result<ColouredNet, Error> {
    match parse_net(document(declarations, content).as_bytes())? {
        Net::Coloured(net) => Ok(net),
        Net::Plain(net) => panic!("a plain net: {net}"),
    }
}

pub(super) fn place(id: &str, sort: &str, marking: &str) -> String {
    let marking = match marking {
        "" => String::new(),
        m => format!("<hlinitialMarking><structure>{m}</structure></hlinitialMarking>"),
    };
    format!(
        "<place id='{id}'><type><structure><usersort declaration='{sort}'/></structure></type>{marking}</place>"
    )
}

/// A net whose only transition has this guard.
pub(super) fn guarded(guard: &str) -> Result<ColouredNet, Error> {
    let condition = format!("<condition><structure>{guard}</structure></condition>");
    read_with(
        DECLARATIONS,
        &format!("<transition id='t'>{condition}</transition>"),
    )
}

pub(super) fn guard(text: &str) -> Guard {
    let net = guarded(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    net.transitions[0].guard.clone()
}

/// A net with an arc from a place of this sort.
pub(super) fn inscribed(sort: &str, term: &str) -> Result<ColouredNet, Error> {
    let arc = format!(
        "<transition id='t'/><arc id='a' source='p' target='t'><hlinscription><structure>{term}\
         </structure></hlinscription></arc>"
    );
    read_with(DECLARATIONS, &(place("p", sort, "") + &arc))
}

pub(super) fn binary(op: &str, left: &str, right: &str) -> String {
    format!("<{op}><subterm>{left}</subterm><subterm>{right}</subterm></{op}>")
}

pub(super) const X: &str = "<variable refvariable='x'/>";
pub(super) const Y: &str = "<variable refvariable='y'/>";
pub(super) const M: &str = "<variable refvariable='m'/>";
pub(super) const C1: &str = "<useroperator declaration='c1'/>";

pub(super) fn unary(op: &str, operand: &str) -> String {
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

#[test]
fn positions_of_a_coloured_net_are_written_again() {
    let text = b"<pnml><net id='n' type='symmetricnet'>
        <declaration><structure><declarations>
          <namedsort id='c' name='C'><finiteintrange start='1' end='2'/></namedsort>
          <variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
        </declarations></structure></declaration>
        <place id='p'><graphics><position x='7' y='8.25'/></graphics>
          <type><structure><usersort declaration='c'/></structure></type></place>
        <transition id='t'><graphics><position x='-3' y='4'/></graphics></transition>
        <arc id='a' source='p' target='t'><graphics><position x='1' y='2'/></graphics>
          <hlinscription><structure><variable refvariable='x'/></structure></hlinscription></arc>
        </net></pnml>";
    let Ok(Net::Coloured(net)) = parse_net(text) else {
        panic!("it has colours");
    };
    let graphics = net.graphics.clone().unwrap();
    assert_eq!(graphics.place(PlaceId(0)), Position::new(7.0, 8.25));
    let mut written = Vec::new();
    write_coloured(&net, &mut written).unwrap();
    let Ok(Net::Coloured(again)) = parse_net(&written) else {
        panic!("it still has colours");
    };
    assert_eq!(again.graphics, Some(graphics));
}
