//! What is written is read back, and damaged text is refused with a place: random cases that shrink.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dalsegno_kripke::{Budget, Stop};
use dalsegno_logic::FormulaStore;
use dalsegno_models::etf::{self, Cell, Column, Etf, Map, Section, Sort};
use dalsegno_models::petri::coloured::{self, Limits};
use dalsegno_models::petri::{
    Nupn, PetriNet, Place, PlaceId, Symbols, Transition, Unit, pnml, properties,
};
use dalsegno_models::{dve, unpack};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        // Failing cases become tests, not files.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Names with all that XML and shells have trouble with; no blanks at their ends, which files drop.
fn name() -> impl Strategy<Value = String> {
    "[a-c<>&'\"é_\u{1f600}]([a-c ;]{0,3}[a-c&\\]>])?"
}

/// Identifiers, which have no blanks: a list of units could not name them.
fn id() -> impl Strategy<Value = String> {
    "[a-c<>&'\"é_\u{1f600}][a-c;&\\]>]{0,3}"
}

fn arcs(places: usize, least: u32) -> impl Strategy<Value = Vec<(PlaceId, u32)>> {
    let weight = prop_oneof![4 => Just(1), 1 => least..5, 1 => Just(u32::MAX)];
    vec((0..places as u32, weight), 0..4).prop_map(|mut list| {
        list.sort_unstable();
        list.dedup_by_key(|(p, _)| *p);
        list.into_iter().map(|(p, n)| (PlaceId(p), n)).collect()
    })
}

fn transition(places: usize) -> impl Strategy<Value = Transition> {
    let lists = (
        arcs(places, 1),
        arcs(places, 1),
        arcs(places, 0),
        arcs(places, 1),
    );
    (name(), lists).prop_map(|(name, (pre, post, inhibit, test))| Transition {
        id: String::new(),
        name,
        pre,
        post,
        inhibit,
        test,
    })
}

fn net() -> impl Strategy<Value = PetriNet> {
    let nodes = (1_usize..6, 0_usize..5);
    let parts = nodes.prop_flat_map(|(places, transitions)| {
        (
            btree_set(id(), places + transitions),
            vec((name(), any::<u32>()), places),
            vec(transition(places), transitions),
            proptest::option::of((vec(0_usize..3, places), any::<bool>())),
            name(),
        )
    });
    parts.prop_map(|(ids, places, mut transitions, units, name)| {
        let mut ids = ids.into_iter();
        let place = |((name, initial), id)| Place { id, name, initial };
        let places: Vec<Place> = places.into_iter().zip(ids.by_ref()).map(place).collect();
        for (t, id) in transitions.iter_mut().zip(ids) {
            t.id = id;
        }
        let nupn = units.map(|(units, safe)| {
            let of = |unit| (0..).zip(&units).filter(move |&(_, &u)| u == unit);
            let unit = |i: usize| Unit {
                id: format!("u{i}"),
                places: of(i).map(|(p, _)| PlaceId(p)).collect(),
                subunits: if i == 0 { vec![1, 2] } else { Vec::new() },
            };
            Nupn {
                units: (0..3).map(unit).collect(),
                root: 0,
                safe,
            }
        });
        PetriNet::new(name, places, transitions, nupn).expect("a net")
    })
}

/// A term of a sort of colours, as PNML.
fn colour(sort: &'static str) -> impl Strategy<Value = String> {
    let leaf = match sort {
        "c" => prop_oneof![
            Just("<variable refvariable='x'/>".to_owned()),
            Just("<variable refvariable='y'/>".to_owned()),
            (0..3).prop_map(|i| format!("<useroperator declaration='c{i}'/>")),
        ]
        .boxed(),
        _ => prop_oneof![
            Just("<variable refvariable='m'/>".to_owned()),
            (1..5).prop_map(|i| {
                let range = "<finiteintrange start='1' end='4'/>";
                format!("<finiteintrangeconstant value='{i}'>{range}</finiteintrangeconstant>")
            }),
        ]
        .boxed(),
    };
    let next = select(vec!["", "successor", "predecessor"]);
    (leaf, next).prop_map(move |(leaf, next)| match next {
        "" => leaf,
        next if sort == "c" => format!("<{next}><subterm>{leaf}</subterm></{next}>"),
        _ => leaf,
    })
}

/// A multiset of pairs of colours, as PNML.
fn multiset() -> impl Strategy<Value = String> {
    let pair = (colour("c"), colour("n"))
        .prop_map(|(c, n)| format!("<tuple><subterm>{c}</subterm><subterm>{n}</subterm></tuple>"));
    let counted = (1..4, pair).prop_map(|(n, pair)| {
        let number = format!("<numberconstant value='{n}'><positive/></numberconstant>");
        format!("<numberof><subterm>{number}</subterm><subterm>{pair}</subterm></numberof>")
    });
    vec(counted, 1..3).prop_map(|parts| match parts.as_slice() {
        [only] => only.clone(),
        parts => {
            let parts = parts.join("</subterm><subterm>");
            format!("<add><subterm>{parts}</subterm></add>")
        }
    })
}

/// A condition, as PNML.
fn condition() -> impl Strategy<Value = String> {
    let sort = select(vec!["c", "n"]);
    let relation = select(vec![
        "equality",
        "inequality",
        "lessthan",
        "greaterthanorequal",
    ]);
    let leaf = (sort, relation).prop_flat_map(|(sort, relation)| {
        (colour(sort), colour(sort)).prop_map(move |(a, b)| {
            format!("<{relation}><subterm>{a}</subterm><subterm>{b}</subterm></{relation}>")
        })
    });
    leaf.prop_recursive(3, 8, 2, |inner| {
        let operator = select(vec!["and", "or", "imply", "not"]);
        (operator, inner.clone(), inner).prop_map(|(operator, a, b)| match operator {
            "not" => format!("<not><subterm>{a}</subterm></not>"),
            _ => format!("<{operator}><subterm>{a}</subterm><subterm>{b}</subterm></{operator}>"),
        })
    })
}

const DECLARATIONS: &str = "<declaration><structure><declarations>
<namedsort id='c' name='C'><cyclicenumeration><feconstant id='c0' name='0'/><feconstant id='c1' name='1'/><feconstant id='c2' name='2'/></cyclicenumeration></namedsort>
<namedsort id='n' name='N'><finiteintrange start='1' end='4'/></namedsort>
<namedsort id='cn' name='CN'><productsort><usersort declaration='c'/><usersort declaration='n'/></productsort></namedsort>
<variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
<variabledecl id='y' name='y'><usersort declaration='c'/></variabledecl>
<variabledecl id='m' name='m'><usersort declaration='n'/></variabledecl>
</declarations></structure></declaration>";

/// A coloured net with two places and some transitions between them, as PNML.
fn coloured_text() -> impl Strategy<Value = String> {
    vec(
        (proptest::option::of(condition()), multiset(), multiset()),
        1..3,
    )
    .prop_map(|transitions| {
        let mut text = format!(
            "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'>{DECLARATIONS}"
        );
        let place = |id: &str, marking: &str| {
            format!("<place id='{id}'><type><structure><usersort declaration='cn'/></structure></type>{marking}</place>")
        };
        let all = "<hlinitialMarking><structure><all><usersort declaration='cn'/></all></structure></hlinitialMarking>";
        text += &place("p", all);
        text += &place("q", "");
        for (i, (guard, from, to)) in transitions.iter().enumerate() {
            let guard = guard.as_ref().map_or(String::new(), |guard| {
                format!("<condition><structure>{guard}</structure></condition>")
            });
            let _ = write!(
                text,
                "<transition id='t{i}'>{guard}</transition>\
                 <arc id='a{i}' source='p' target='t{i}'><hlinscription><structure>{from}</structure></hlinscription></arc>\
                 <arc id='b{i}' source='t{i}' target='q'><hlinscription><structure>{to}</structure></hlinscription></arc>"
            );
        }
        text + "</net></pnml>"
    })
}

fn column_name() -> impl Strategy<Value = String> {
    "[a-c_:.\\[\\\\/*é #\"]{1,4}"
}

fn section(width: usize, labels: usize) -> impl Strategy<Value = Section> {
    let cell = (0..width as u32, 0..3_u32, 0..3_u32);
    let row = (vec(cell, 0..3), vec(0..3_u32, labels));
    vec(row, 0..4).prop_map(|rows| {
        let mut section = Section::default();
        for (mut cells, labels) in rows {
            cells.sort_unstable();
            cells.dedup_by_key(|cell| cell.0);
            section
                .cells
                .extend(cells.into_iter().map(|(column, before, after)| Cell {
                    column,
                    before,
                    after,
                }));
            section.ends.push(section.cells.len());
            section.labels.extend(labels);
        }
        section
    })
}

fn tables() -> impl Strategy<Value = Etf> {
    let sizes = (1_usize..4, 0_usize..3);
    sizes.prop_flat_map(|(width, labels)| {
        let column = || (column_name(), column_name());
        let columns = (vec(column(), width), vec(column(), labels));
        let pattern = (vec(proptest::option::of(0..3_u32), width), 0..3_u32);
        let map = (column_name(), column_name(), vec(pattern, 0..3));
        let sort = (column_name(), vec(vec(any::<u8>(), 0..4), 3..5));
        (
            columns,
            vec(0..3_u32, width),
            vec(section(width, labels), 0..3),
            vec(map, 0..3),
            vec(sort, 0..3),
        )
            .prop_map(|((variables, labels), initial, sections, maps, sorts)| {
                let columns = |list: Vec<(String, String)>| {
                    let mut seen = BTreeSet::new();
                    let unused = list.into_iter().map(|(name, sort)| match name.as_str() {
                        "_" => Column { name, sort },
                        _ if seen.insert(name.clone()) => Column { name, sort },
                        _ => Column {
                            name: "_".to_owned(),
                            sort,
                        },
                    });
                    unused.collect()
                };
                let mut seen = BTreeSet::new();
                let maps = maps.into_iter().filter_map(|(name, sort, rows)| {
                    seen.insert(name.clone()).then_some(Map {
                        label: Column { name, sort },
                        rows,
                    })
                });
                let maps = maps.collect();
                let mut seen = BTreeSet::new();
                let sorts = sorts.into_iter().filter_map(|(name, values)| {
                    seen.insert(name.clone()).then_some(Sort { name, values })
                });
                Etf {
                    variables: columns(variables),
                    edge_labels: columns(labels),
                    initial,
                    sections,
                    maps,
                    sorts: sorts.collect(),
                }
            })
    })
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn nets_are_read_back(net in net()) {
        let mut text = Vec::new();
        pnml::write(&net, &mut text).expect("memory is writable");
        match pnml::parse(&text) {
            Ok(read) => prop_assert_eq!(read, net),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn coloured_nets_are_read_back(text in coloured_text()) {
        let read = |text: &[u8]| match pnml::parse_net(text) {
            Ok(pnml::Net::Coloured(net)) => net,
            other => panic!("no coloured net: {other:?}"),
        };
        let written = |net| {
            let mut text = Vec::new();
            pnml::write_coloured(net, &mut text).expect("memory is writable");
            String::from_utf8(text).expect("text")
        };
        let unfolded = |net| {
            let limits = Limits { places: 1000, transitions: 10_000, arcs: 100_000 };
            coloured::unfold(net, limits, &Budget::unlimited(), |_| {}).map(|u| u.net)
        };
        let net = read(text.as_bytes());
        // Conditions may be written in other words, so it is their meaning that is compared.
        let again = read(written(&net).as_bytes());
        prop_assert_eq!(unfolded(again), unfolded(net));
    }

    #[test]
    fn tables_are_read_back(etf in tables()) {
        let mut text = Vec::new();
        etf::write(&etf, &mut text).expect("memory is writable");
        match etf::parse(&text) {
            Ok(read) => prop_assert_eq!(read, etf),
            Err(error) => prop_assert!(false, "{}\n{}", error, String::from_utf8_lossy(&text)),
        }
    }
}

/// A small text of each format.
const TEXTS: [&str; 4] = [
    "<pnml><net id='n'><name><text>&lt;</text></name><place id='p'><initialMarking><text>1</text></initialMarking></place><transition id='t'/><arc id='a' source='p' target='t'><inscription><text>2</text></inscription></arc><toolspecific tool='nupn'><structure units='1' root='u' safe='true'><unit id='u'><places>p</places><subunits/></unit></structure></toolspecific></net></pnml>",
    "<property-set><property><id>a</id><description>d</description><formula><all-paths><globally><negation><integer-le><integer-constant>1</integer-constant><tokens-count><place>p</place></tokens-count></integer-le></negation></globally></all-paths></formula></property></property-set>",
    "begin state\nx:s y:int\nend state\nbegin edge\na:act\nend edge\nbegin init\n0 1\nend init\nbegin trans\n0/1 * 0\n* 1/65535 0\nend trans\nbegin sort s\n\"v\"\n#00ff#\nend sort\n",
    "byte x = 1, l[2] = {1, 2};\nchannel {byte} c[1];\nprocess P { state a, b; init a; commit b; trans a -> b { guard x > 0 && l[x] == 2; sync c!x; effect x = (x + 1) % 2; }, b -> a { sync c?l[0]; }; }\nsystem async;\n",
];

/// Pieces that mean something in some format.
const PIECES: [&str; 24] = [
    "<",
    ">",
    "</",
    "/>",
    "&",
    "&#0;",
    "&lt;",
    "]]>",
    "<!--",
    "<?xml?>",
    "<!DOCTYPE a [",
    "'",
    "\"",
    "\0",
    "\n",
    "{",
    "}",
    "[",
    "*",
    "-1",
    "4294967296",
    "begin trans\n",
    "end",
    "é",
];

/// A change of a text.
#[derive(Clone, Debug)]
enum Edit {
    Remove(Index, usize),
    Insert(Index, &'static str),
    Copy(Index, Index, usize),
    Byte(Index, u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (any::<Index>(), 1_usize..30).prop_map(|(at, n)| Edit::Remove(at, n)),
        (any::<Index>(), select(&PIECES[..])).prop_map(|(at, piece)| Edit::Insert(at, piece)),
        (any::<Index>(), any::<Index>(), 1_usize..80).prop_map(|(a, b, n)| Edit::Copy(a, b, n)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
    ]
}

fn edited(text: &str, edits: &[Edit]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    for edit in edits {
        let at = |index: &Index| index.index(text.len() + 1);
        match edit {
            Edit::Remove(index, n) => {
                let at = at(index);
                text.drain(at..(at + n).min(text.len()));
            }
            Edit::Insert(index, piece) => {
                let at = at(index);
                text.splice(at..at, piece.bytes());
            }
            Edit::Copy(from, to, n) => {
                let (from, to) = (at(from), at(to));
                let copy = text[from..(from + n).min(text.len())].to_vec();
                text.splice(to..to, copy);
            }
            Edit::Byte(index, byte) => {
                let at = at(index);
                if let Some(old) = text.get_mut(at) {
                    *old = *byte;
                }
            }
        }
    }
    text
}

/// What each reader says: nothing, or a line, a message and a limit.
fn read(format: usize, text: &[u8], budget: &Budget) -> Option<(usize, String, Option<Stop>)> {
    let mut symbols = Symbols::new();
    symbols.add_place("p", &[dalsegno_kripke::VarId(0)]);
    match format {
        0 => {
            let error = pnml::parse_net_within(text, budget).err()?;
            Some((error.line, error.to_string(), error.stop()))
        }
        1 => {
            let mut store = FormulaStore::new();
            let error = properties::parse_within(text, &symbols, &mut store, budget).err()?;
            Some((error.line, error.to_string(), error.stop()))
        }
        2 => {
            let error = etf::parse_within(text, budget).err()?;
            Some((error.line, error.to_string(), error.stop()))
        }
        _ => {
            let error = dve::load_within(text, "m", budget).err()?;
            Some((error.line, error.to_string(), error.stop()))
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn damaged_text_is_read_or_refused_with_a_place(
        format in 0_usize..4,
        edits in vec(edit(), 1..5),
    ) {
        let text = edited(TEXTS[format], &edits);
        if let Some((line, message, stop)) = read(format, &text, &Budget::unlimited()) {
            let lines = text.split(|&b| b == b'\n').count();
            prop_assert!((1..=lines).contains(&line), "{}", message);
            prop_assert!(message.contains('^'), "{}", message);
            prop_assert_eq!(stop, None);
        }
        // Packed or not, whatever begins like a packed file is unpacked or refused.
        let packed = [&b"\x1f\x8b\x08\0"[..], &text].concat();
        prop_assert!(unpack(&packed, &Budget::unlimited()).is_err());
    }
}

#[test]
fn the_texts_are_right_and_a_spent_budget_reads_none_of_them() {
    let spent = Budget::unlimited().with_time(std::time::Duration::ZERO);
    for (format, text) in TEXTS.iter().enumerate() {
        assert_eq!(read(format, text.as_bytes(), &Budget::unlimited()), None);
        let stopped = read(format, text.as_bytes(), &spent).expect("no time");
        assert_eq!(stopped.2, Some(Stop::Time), "{}", stopped.1);
    }
}
