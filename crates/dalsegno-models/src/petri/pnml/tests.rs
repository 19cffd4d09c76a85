use std::fmt::Write as _;
use std::time::Duration;

use dalsegno_kripke::Stop;

use super::*;
use crate::XmlError;
use crate::petri::{ArcRole, NetError, PlaceId, Position, TransitionId};

/// A net with the given content.
fn net(content: &str) -> Result<PetriNet, Error> {
    let text = format!("<?xml version=\"1.0\"?>\n<pnml><net id=\"n\">\n{content}\n</net></pnml>");
    parse(text.as_bytes())
}

fn kind(content: &str) -> ErrorKind {
    net(content).unwrap_err().kind
}

const NODES: &str = "<place id='p'/><place id='q'/><transition id='t'/><transition id='u'/>";

fn with_arcs(arcs: &str) -> String {
    format!("{NODES}\n{arcs}")
}

#[test]
fn pages_may_be_nested_or_missing() {
    let pages = "<page id='1'><place id='p'/><page id='2'><transition id='t'/></page>
        <arc id='a' source='t' target='p'/></page><page id='3'><place id='q'/></page>";
    let net = net(pages).unwrap();
    assert_eq!(net.to_string(), "n: 2 places, 1 transitions, 1 arcs");
    assert_eq!(net.transitions()[0].post, [(PlaceId(0), 1)]);
}

#[test]
fn names_markings_and_weights_are_labels() {
    let net = net("<name><text>the net</text></name>
        <place id='p'><name><graphics><offset x='1' y='2'/></graphics><text>a &amp; b</text></name>
          <initialMarking><graphics/><text> 7 </text></initialMarking></place>
        <place id='q'><initialMarking><value>Default,2</value></initialMarking></place>
        <transition id='t'><graphics><position x='1' y='1'/></graphics></transition>
        <arc id='a' source='p' target='t'><inscription><text>3</text></inscription></arc>
        <arc id='b' source='p' target='t'/>
        <arc id='c' source='t' target='q'><inscription><text/></inscription></arc>")
    .unwrap();
    assert_eq!(net.name(), "the net");
    assert_eq!(net.initial_marking(), [7, 2]);
    assert_eq!(
        (&*net.places()[0].name, &*net.places()[1].name),
        ("a & b", "q")
    );
    assert_eq!(net.transitions()[0].pre, [(PlaceId(0), 4)]);
    assert_eq!(net.transitions()[0].post, [(PlaceId(1), 1)]);
}

#[test]
fn arcs_have_kinds_in_several_dialects() {
    for (kind, inhibits) in [("inhibitor", true), ("test", false), ("readArc", false)] {
        for arc in [
            format!("<arc id='a' source='p' target='t' type='{kind}'/>"),
            format!("<arc id='a' source='p' target='t'><type value='{kind}'/></arc>"),
            format!("<arc id='a' source='p' target='t'><type>{kind}</type></arc>"),
            format!("<arc id='a' source='p' target='t'><type><text>{kind}</text></type></arc>"),
        ] {
            let net = net(&with_arcs(&arc)).unwrap();
            let t = &net.transitions()[0];
            let list = if inhibits { &t.inhibit } else { &t.test };
            assert_eq!(list, &[(PlaceId(0), 1)], "{arc}");
            assert!(t.pre.is_empty());
        }
    }
    let typed = |kind: &str| {
        with_arcs(&format!(
            "<arc id='a' source='p' target='t' type='{kind}'/>"
        ))
    };
    assert!(net(&typed("normal")).is_ok());
    assert_eq!(kind(&typed("reset")), ErrorKind::ResetArc);
    assert_eq!(
        kind(&typed("magic")),
        ErrorKind::ArcType("magic".to_owned())
    );
    let backwards = "<arc id='a' source='t' target='p' type='inhibitor'/>";
    assert_eq!(kind(&with_arcs(backwards)), ErrorKind::InhibitorDirection);
}

#[test]
fn references_stand_for_what_they_refer_to() {
    let references = "<referencePlace id='r1' ref='r2'/><referencePlace id='r2' ref='q'/>
        <referenceTransition id='s' ref='u'/>";
    let text = format!("{NODES}{references}<arc id='a' source='r1' target='s'/>");
    let read = net(&text).unwrap();
    assert_eq!(read.transitions()[1].pre, [(PlaceId(1), 1)]);
    assert_eq!(read.places().len(), 2);

    let cycle = "<referencePlace id='r1' ref='r2'/><referencePlace id='r2' ref='r1'/>";
    assert!(matches!(kind(cycle), ErrorKind::CircularReference(_)));
    let wrong = format!("{NODES}<referencePlace id='r' ref='t'/>");
    assert_eq!(kind(&wrong), ErrorKind::ReferenceKind("r".to_owned()));
    let missing = "<referencePlace id='r' ref='x'/>";
    assert!(matches!(kind(missing), ErrorKind::NoSuchNode { .. }));
}

#[test]
fn a_chain_of_references_takes_linear_time() {
    let reference = |i| format!("<referencePlace id='r{i}' ref='r{}'/>", i - 1);
    let mut text: String = (1..100_000).rev().map(reference).collect();
    text += "<place id='r0'/>";
    assert_eq!(net(&text).unwrap().places().len(), 1);
}

#[test]
fn nested_units_are_kept() {
    let nupn = |root: &str, places: &str| {
        format!("{NODES}<toolspecific tool='nupn' version='1.1'><size places='2' transitions='2' arcs='0'/>
          <structure units='2' root='{root}' safe='true'>
            <unit id='u0'><places/><subunits>u1</subunits></unit>
            <unit id='u1'><places>{places}</places><subunits/></unit>
          </structure></toolspecific>")
    };
    let read = net(&nupn("u0", "q p")).unwrap();
    let units = read.nupn().unwrap();
    assert!(units.safe);
    assert_eq!(
        (units.root, units.units[0].subunits.as_slice()),
        (0, &[1][..])
    );
    assert_eq!(units.units[1].places, [PlaceId(1), PlaceId(0)]);
    assert_eq!(kind(&nupn("u9", "q")), ErrorKind::NupnName("u9".to_owned()));
    assert_eq!(kind(&nupn("u0", "t")), ErrorKind::NupnName("t".to_owned()));
    assert!(matches!(
        kind(&nupn("u1", "p")),
        ErrorKind::Net(NetError::Nupn(_))
    ));
}

#[test]
fn coloured_nets_have_an_error_of_their_own() {
    let symmetric =
        b"<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>";
    assert!(matches!(
        parse(symmetric).unwrap_err().kind,
        ErrorKind::Coloured(_)
    ));
    let marking = "<place id='p'><hlinitialMarking><text>x</text></hlinitialMarking></place>";
    assert!(matches!(kind(marking), ErrorKind::Coloured(_)));
    let inscription = "<arc id='a' source='p' target='t'><hlinscription/></arc>";
    assert!(matches!(
        kind(&with_arcs(inscription)),
        ErrorKind::Coloured(_)
    ));
}

#[test]
fn faults_have_a_kind_and_a_place() {
    let error = net("<place id='p'/>\n  <place id='p'/>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 4, column 3: the id `p` is used twice\n    <place id='p'/>\n    ^"
    );
    let error = net("<arc id='a' source='p' target='t'/>").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3, column 1: <arc> refers to `p`, which is no place and no transition\n  <arc id='a' source='p' target='t'/>\n  ^"
    );
    let arc = "<arc id='a' source='p' target='q'/>";
    assert!(matches!(
        kind(&with_arcs(arc)),
        ErrorKind::SameKind { what: "places", .. }
    ));
    let arc = "<arc id='a' source='t' target='u'/>";
    assert!(matches!(
        kind(&with_arcs(arc)),
        ErrorKind::SameKind {
            what: "transitions",
            ..
        }
    ));
    assert!(matches!(
        kind("<place/>"),
        ErrorKind::Attribute {
            attribute: "id",
            ..
        }
    ));
    for text in ["-1", "4294967296", "1.5", "x"] {
        let place =
            format!("<place id='p'><initialMarking><text>{text}</text></initialMarking></place>");
        assert!(matches!(
            kind(&place),
            ErrorKind::Number {
                what: "marking",
                ..
            }
        ));
        let arc = format!(
            "<arc id='a' source='p' target='t'><inscription><text>{text}</text></inscription></arc>"
        );
        assert!(matches!(
            kind(&with_arcs(&arc)),
            ErrorKind::Number { what: "weight", .. }
        ));
    }
}

#[test]
fn what_is_no_pnml_is_refused() {
    let kind = |text: &str| parse(text.as_bytes()).unwrap_err().kind;
    assert_eq!(kind(""), ErrorKind::NoNet);
    assert_eq!(kind("just words"), ErrorKind::Xml(XmlError::Outside));
    assert_eq!(kind("<html/>"), ErrorKind::NotPnml("html".to_owned()));
    assert_eq!(kind("<pnml/>"), ErrorKind::NoNet);
    assert_eq!(
        kind("<pnml><net id='a'/><net id='b'/></pnml>"),
        ErrorKind::SeveralNets
    );
    assert_eq!(
        kind("<pnml><net id='a'>"),
        ErrorKind::Xml(XmlError::Truncated)
    );
    assert!(matches!(
        kind("<pnml></net>"),
        ErrorKind::Xml(XmlError::Malformed(_))
    ));
    let entity = "<pnml><net id='a'><name><text>&what;</text></name></net></pnml>";
    assert!(matches!(kind(entity), ErrorKind::Xml(XmlError::Entity(_))));
    let deep = format!("<pnml><net id='a'>{}", "<page>".repeat(1_000_000));
    assert_eq!(kind(&deep), ErrorKind::Xml(XmlError::TooDeep(1000)));
    let deep = format!("<pnml><x>{}", "<y>".repeat(1_000_000));
    assert_eq!(kind(&deep), ErrorKind::Xml(XmlError::TooDeep(1000)));
    let error = parse(b"<pnml>\n\xff").unwrap_err();
    assert_eq!(
        (error.kind, error.line),
        (ErrorKind::Xml(XmlError::Encoding), 2)
    );
}

/// The kind and the column of the fault in a net with these parts.
fn fault(parts: &str) -> (ErrorKind, usize) {
    let start = "<pnml><net id='n'>\n";
    let error = parse(format!("{start}{parts}\n</net></pnml>").as_bytes()).unwrap_err();
    assert_eq!(error.line, 2, "{error}");
    assert!(error.to_string().ends_with('^'), "{error}");
    (error.kind, error.column)
}

#[test]
fn what_is_there_twice_is_refused_with_its_place() {
    let twice = |element: &str, part: &str| ErrorKind::Repeated {
        element: element.to_owned(),
        part: part.to_owned(),
    };
    let one = "<initialMarking><text>1</text></initialMarking>";
    let place = format!("<place id='p'>{one}{one}</place>");
    assert_eq!(
        fault(&place),
        (twice("place", "initialMarking"), 15 + one.len())
    );
    let name = "<name><text>a</text></name>";
    for element in ["place", "transition"] {
        let text = format!("<{element} id='p'>{name}{name}</{element}>");
        assert_eq!(fault(&text).0, twice(element, "name"));
    }
    assert_eq!(fault(&format!("{name}{name}")).0, twice("net", "name"));
    for texts in [
        "<text>1</text><text>2</text>",
        "<value>1</value><text>1</text>",
    ] {
        let place = format!("<place id='p'><initialMarking>{texts}</initialMarking></place>");
        assert!(matches!(fault(&place).0, ErrorKind::Repeated { .. }));
    }
    let nodes = "<place id='p'/><transition id='t'/>";
    let weight = "<inscription><text>2</text></inscription>";
    let arc = format!("{nodes}<arc id='a' source='p' target='t'>{weight}{weight}</arc>");
    assert_eq!(fault(&arc).0, twice("arc", "inscription"));
    // Parallel arcs add up, but not the same arc again.
    let parallel = "<arc id='a' source='p' target='t'/><arc id='b' source='p' target='t'/>";
    let net = format!("<pnml><net id='n'>{nodes}{parallel}</net></pnml>");
    assert_eq!(
        parse(net.as_bytes()).unwrap().transitions()[0].pre,
        [(PlaceId(0), 2)]
    );
    let again = format!("{nodes}{}", parallel.replace("'b'", "'a'"));
    assert_eq!(fault(&again).0, ErrorKind::DuplicateId("a".to_owned()));
    let to_arc = "<place id='p'/><transition id='t'/><arc id='a' source='p' target='t'/><arc id='b' source='a' target='t'/>";
    assert!(matches!(fault(to_arc).0, ErrorKind::NoSuchNode { .. }));
    let attribute = XmlError::RepeatedAttribute("id".to_owned());
    assert_eq!(
        fault("<place id='p' id='q'/>"),
        (ErrorKind::Xml(attribute), 15)
    );
}

#[test]
fn text_around_the_outermost_element_is_refused() {
    let error = parse(b"<pnml><net id='n'/></pnml>\n tail").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 2: there is text outside of the outermost element\n   tail\n   ^"
    );
    let error = parse(b"<pnml><net id='n'/></pnml><pnml/>").unwrap_err();
    let second = XmlError::SecondRoot("pnml".to_owned());
    assert_eq!((error.kind, error.column), (ErrorKind::Xml(second), 27));
    // Nets of the contest have stray characters between elements, and other tools may write what they like.
    let text = b"<pnml><net id='n'>$ <place id='p'/><toolspecific tool='x'>&amp; <a>text</a></toolspecific></net></pnml>";
    assert_eq!(parse(text).unwrap().places().len(), 1);
}

#[test]
fn names_have_no_control_characters() {
    let control = |c| ErrorKind::Xml(XmlError::Character(c));
    assert_eq!(fault("<place id='p\0'/>"), (control('\0'), 13));
    assert_eq!(fault("<place id='p&#27;'/>"), (control('\u{1b}'), 12));
    let named = "<place id='p'><name><text>\u{9b}2J</text></name></place>";
    assert!(matches!(fault(named).0, ErrorKind::ControlCharacter(_)));
    assert!(matches!(
        fault("<place id='\u{7f}'/>").0,
        ErrorKind::ControlCharacter(_)
    ));
}

#[test]
fn prefixes_of_namespaces_do_not_matter() {
    let text = b"<p:pnml xmlns:p='x'><p:net id='n'><p:place id='p'/></p:net></p:pnml>";
    assert_eq!(parse(text).unwrap().places().len(), 1);
}

#[test]
fn reading_ends_with_its_time() {
    let mut text = String::from("<pnml><net id='n'>");
    for i in 0..20_000 {
        write!(text, "<place id='p{i}'/>").unwrap();
    }
    text.push_str("</net></pnml>");
    let now = Budget::unlimited().with_time(Duration::ZERO);
    let error = parse_net_within(text.as_bytes(), &now).unwrap_err();
    assert_eq!(error.stop(), Some(Stop::Time));
    let long = Budget::unlimited().with_time(Duration::from_secs(600));
    assert!(parse_net_within(text.as_bytes(), &long).is_ok());
    let truncated = parse_net_within(&text.as_bytes()[..1000], &long).unwrap_err();
    assert_eq!(truncated.stop(), None);
    let small = Budget::unlimited().with_bytes(1_000_000);
    let error = parse_net_within(text.as_bytes(), &small).unwrap_err();
    assert_eq!(error.stop(), Some(Stop::Memory));
}

#[test]
fn positions_are_kept_and_hostile_ones_are_ignored() {
    let at = |x, y| Position::new(x, y);
    let text = b"<pnml><net id='n'>
        <place id='p'><graphics><position x='10' y='-2.5'/><dimension x='1' y='1'/></graphics></place>
        <place id='nan'><graphics><position x='NaN' y='1'/></graphics></place>
        <place id='huge'><graphics><position x='1e308' y='1'/></graphics></place>
        <place id='half'><graphics><position x='1'/></graphics></place>
        <place id='word'><graphics><position x='1' y='1px'/></graphics></place>
        <transition id='t'><graphics><position y='4' x='3'/></graphics></transition>
        <arc id='a' source='p' target='t'><graphics><position x='5' y='5'/><position x='inf' y='5'/>
            <position x='6' y='7'/></graphics></arc>
        <arc id='b' source='t' target='p'/>
        </net></pnml>";
    let net = parse(text).unwrap();
    let graphics = net.graphics().unwrap();
    assert_eq!(graphics.place(PlaceId(0)), at(10.0, -2.5));
    assert!((1..5).all(|i| graphics.place(PlaceId(i)).is_none()));
    let t = TransitionId(0);
    assert_eq!(graphics.transition(t), at(3.0, 4.0));
    let bends = |role| graphics.bends(t, PlaceId(0), role);
    assert_eq!(
        bends(ArcRole::Take),
        [at(5.0, 5.0).unwrap(), at(6.0, 7.0).unwrap()]
    );
    assert!(bends(ArcRole::Put).is_empty());
    let plain = parse(b"<pnml><net id='n'><place id='p'><graphics/></place></net></pnml>");
    assert!(plain.unwrap().graphics().is_none());
}
