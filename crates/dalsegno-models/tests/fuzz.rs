//! Broken files: the readers answer with an error that has a place, and never panic.

use dalsegno_kripke::{Budget, Scratch};
use dalsegno_logic::FormulaStore;
use dalsegno_logic::random::Rng;
use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::{
    Nupn, PetriNet, Place, PlaceId, Symbols, Transition, Unit, coloured, pnml, properties,
    proposition,
};
use dalsegno_models::{dve, etf};

/// A net with everything that the format can say.
fn sample() -> PetriNet {
    let place = |id: &str, initial| Place {
        id: id.to_owned(),
        name: format!("name of {id}"),
        initial,
    };
    let [p, q, r] = [0, 1, 2].map(PlaceId);
    let t = Transition {
        id: "t".to_owned(),
        name: "t & u".to_owned(),
        pre: vec![(p, 2)],
        post: vec![(q, 1), (r, 4)],
        inhibit: vec![(r, 9)],
        test: vec![(q, 1)],
    };
    let unit = |id: &str, places: &[PlaceId], subunits: &[usize]| Unit {
        id: id.to_owned(),
        places: places.to_vec(),
        subunits: subunits.to_vec(),
    };
    let nupn = Nupn {
        units: vec![unit("u0", &[], &[1]), unit("u1", &[p, q], &[])],
        root: 0,
        safe: false,
    };
    let places = vec![place("p", 3), place("q", 0), place("r", 1)];
    PetriNet::new("sample", places, vec![t], Some(nupn)).expect("a net")
}

fn pnml_text(net: &PetriNet) -> Vec<u8> {
    let mut text = Vec::new();
    pnml::write(net, &mut text).expect("memory is writable");
    text
}

const PROPERTIES: &str = "<?xml version='1.0'?>
<property-set xmlns='http://mcc.lip6.fr/'>
 <property><id>a</id><description>one</description><formula>
  <all-paths><globally><disjunction>
   <negation><is-fireable><transition>t</transition></is-fireable></negation>
   <exists-path><until><before><deadlock/></before><reach>
    <integer-le><integer-constant>3</integer-constant>
     <tokens-count><place>p</place><place>q</place></tokens-count></integer-le>
   </reach></until></exists-path>
  </disjunction></globally></all-paths></formula></property>
 <property><id>b</id><description/><formula>
  <place-bound><place>r</place></place-bound></formula></property>
</property-set>
";

/// A text with a few random faults.
fn mutate(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 12] = [
        "<", ">", "</", "/>", "&", "&#0;", "\"", "<page>", "</net>", "<!--", "]]>", "-1",
    ];
    let mut mutated = text.to_vec();
    for _ in 0..=rng.index(4) {
        let at = rng.index(mutated.len().max(1));
        match rng.index(5) {
            0 if !mutated.is_empty() => mutated[at] = rng.index(256) as u8,
            1 => {
                let end = (at + rng.index(40)).min(mutated.len());
                mutated.drain(at.min(end)..end);
            }
            2 => {
                let piece = PIECES[rng.index(PIECES.len())].bytes();
                mutated.splice(at..at, piece);
            }
            3 => {
                let end = (at + rng.index(60)).min(mutated.len());
                let copy = mutated[at.min(end)..end].to_vec();
                let to = rng.index(mutated.len().max(1));
                mutated.splice(to..to, copy);
            }
            _ => mutated.truncate(at),
        }
    }
    mutated
}

/// A coloured net with everything that the format can say.
const COLOURED: &str = "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'>
<declaration><structure><declarations>
<namedsort id='dot' name='Dot'><dot/></namedsort>
<namedsort id='c' name='C'><cyclicenumeration><feconstant id='c0' name='0'/><feconstant id='c1' name='1'/></cyclicenumeration></namedsort>
<namedsort id='n' name='N'><finiteintrange start='1' end='3'/></namedsort>
<namedsort id='cn' name='CN'><productsort><usersort declaration='c'/><usersort declaration='n'/></productsort></namedsort>
<partition id='q' name='q'><usersort declaration='c'/><partitionelement id='q0' name='q0'><useroperator declaration='c0'/></partitionelement></partition>
<variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
<variabledecl id='m' name='m'><usersort declaration='n'/></variabledecl>
</declarations></structure></declaration>
<place id='p'><type><structure><usersort declaration='cn'/></structure></type><hlinitialMarking><structure>
<tuple><subterm><all><usersort declaration='c'/></all></subterm><subterm><finiteintrangeconstant value='2'><finiteintrange start='1' end='3'/></finiteintrangeconstant></subterm></tuple>
</structure></hlinitialMarking></place>
<place id='r'><type><structure><usersort declaration='c'/></structure></type></place>
<transition id='t'><condition><structure><and><subterm><or><subterm><equality><subterm><variable refvariable='x'/></subterm><subterm><useroperator declaration='c1'/></subterm></equality></subterm>
<subterm><not><subterm><equality><subterm><partitionelementof refpartition='q'><subterm><successor><subterm><variable refvariable='x'/></subterm></successor></subterm></partitionelementof></subterm><subterm><useroperator declaration='q0'/></subterm></equality></subterm></not></subterm></or></subterm>
<subterm><lessthan><subterm><variable refvariable='m'/></subterm><subterm><finiteintrangeconstant value='3'><finiteintrange start='1' end='3'/></finiteintrangeconstant></subterm></lessthan></subterm></and></structure></condition></transition>
<arc id='a' source='p' target='t'><hlinscription><structure><tuple><subterm><variable refvariable='x'/></subterm><subterm><variable refvariable='m'/></subterm></tuple></structure></hlinscription></arc>
<arc id='b' source='t' target='r'><hlinscription><structure><subtract><subterm><add><subterm><numberof><subterm><numberconstant value='2'><positive/></numberconstant></subterm><subterm><variable refvariable='x'/></subterm></numberof></subterm>
<subterm><useroperator declaration='q0'/></subterm></add></subterm><subterm><predecessor><subterm><predecessor><subterm><variable refvariable='x'/></subterm></predecessor></subterm></predecessor></subterm></subtract></structure></hlinscription></arc>
</net></pnml>
";

#[test]
fn damaged_coloured_nets_are_read_or_refused() {
    let text = COLOURED.as_bytes();
    for end in 0..text.trim_ascii_end().len() {
        let error = pnml::parse_net(&text[..end]).expect_err("a truncated file");
        assert!(error.line <= lines(&text[..end]), "{error}");
    }
    let limits = coloured::Limits {
        places: 10_000,
        transitions: 10_000,
        arcs: 100_000,
    };
    let unfold = |net| coloured::unfold(net, limits, &Budget::unlimited(), |_| {});
    let Ok(pnml::Net::Coloured(net)) = pnml::parse_net(text) else {
        panic!("the sample is a coloured net");
    };
    assert_eq!(unfold(net).expect("a net").net.transitions().len(), 2);
    let words = [
        "x",
        "m",
        "c",
        "n",
        "cn",
        "c0",
        "c1",
        "dot",
        "q",
        "q0",
        "p",
        "r",
        "t",
        "0",
        "-1",
        "99999999999",
        "equality",
        "inequality",
        "lessthan",
        "successor",
        "tuple",
        "all",
        "add",
        "subtract",
        "and",
        "or",
        "not",
        "numberof",
        "usersort",
        "variable",
        "useroperator",
        "imply",
        "scalarproduct",
        "empty",
    ];
    let mut rng = Rng::new(4);
    let (mut refused, mut read) = (0, 0);
    for round in 0..20_000 {
        // Half of the files have faults in their letters, half have words exchanged.
        let text = if round % 2 == 0 {
            mutate(text, &mut rng)
        } else {
            let mut text = COLOURED.to_owned();
            for _ in 0..=rng.index(3) {
                let (old, new) = (words[rng.index(words.len())], words[rng.index(words.len())]);
                let (old, new) = match rng.index(2) {
                    0 => (format!("'{old}'"), format!("'{new}'")),
                    _ => (format!("{old}>"), format!("{new}>")),
                };
                let places: Vec<usize> = text.match_indices(&old).map(|(i, _)| i).collect();
                if !places.is_empty() {
                    let at = places[rng.index(places.len())];
                    text.replace_range(at..at + old.len(), &new);
                }
            }
            text.into_bytes()
        };
        match pnml::parse_net(&text) {
            Ok(pnml::Net::Coloured(net)) => {
                read += 1;
                if let Ok(found) = unfold(net) {
                    let _ = found.net.to_model();
                    let _ = found.origin.symbols(&found.net);
                }
            }
            Ok(pnml::Net::Plain(_)) => {}
            Err(error) => {
                refused += 1;
                assert!((1..=lines(&text)).contains(&error.line), "{error}");
                assert!(error.to_string().ends_with('^'));
            }
        }
    }
    assert!(
        refused > 5_000 && read > 2_000,
        "{refused} refused, {read} read"
    );
}

fn lines(text: &[u8]) -> usize {
    text.split(|&b| b == b'\n').count()
}

#[test]
fn every_truncation_of_a_net_is_an_error() {
    let text = pnml_text(&sample());
    let closed = text.trim_ascii_end().len();
    for end in 0..closed {
        let error = pnml::parse(&text[..end]).expect_err("a truncated file");
        assert!(error.line <= lines(&text[..end]), "{error}");
    }
    assert_eq!(pnml::parse(&text), Ok(sample()));
}

#[test]
fn units_that_a_file_cannot_name_are_left_out() {
    let mut places = sample().places().to_vec();
    places[0].id = "p 1".to_owned();
    let nupn = sample().nupn().cloned();
    let net = PetriNet::new("n", places.clone(), Vec::new(), nupn).expect("a net");
    let without = PetriNet::new("n", places, Vec::new(), None);
    assert_eq!(pnml::parse(&pnml_text(&net)).ok(), without.ok());
}

#[test]
fn mutated_nets_are_read_or_refused() {
    let mut rng = Rng::new(1);
    let mut refused = 0;
    let families = [Family::Kanban, Family::Ring, Family::Mutex];
    let mut texts: Vec<Vec<u8>> = vec![pnml_text(&sample())];
    texts.extend(families.map(|family| pnml_text(&family.generate(2).expect("a net"))));
    for round in 0..20_000 {
        let text = mutate(&texts[round % texts.len()], &mut rng);
        match pnml::parse(&text) {
            Ok(net) => {
                let _ = net.to_model();
                // Names in mutated files may have blanks at their ends, which a file drops.
                assert!(pnml::parse(&pnml_text(&net)).is_ok());
            }
            Err(error) => {
                refused += 1;
                assert!((1..=lines(&text)).contains(&error.line), "{error}");
                assert!((1..=text.len() + 1).contains(&error.column), "{error}");
            }
        }
    }
    assert!(refused > 5_000, "only {refused} files were broken");
}

#[test]
fn broken_files_of_properties_are_read_or_refused() {
    let symbols = Symbols::of_net(&sample());
    let text = PROPERTIES.as_bytes();
    for end in 0..text.trim_ascii_end().len() {
        let mut store = FormulaStore::new();
        let error = properties::parse(&text[..end], &symbols, &mut store);
        assert!(error.expect_err("a truncated file").line <= lines(&text[..end]));
    }
    let mut store = FormulaStore::new();
    let set = properties::parse(text, &symbols, &mut store).expect("properties");
    assert_eq!((set.properties.len(), set.atoms.len()), (2, 3));

    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let text = mutate(text, &mut rng);
        let mut store = FormulaStore::new();
        match properties::parse(&text, &symbols, &mut store) {
            Ok(set) => {
                for (&p, predicate) in &set.atoms {
                    let again = proposition::parse(store.name(p), &symbols);
                    assert_eq!(&again.expect("canonical text").predicate, predicate);
                }
            }
            Err(error) => assert!((1..=lines(&text)).contains(&error.line), "{error}"),
        }
    }
}

#[test]
fn broken_propositions_are_read_or_refused() {
    let symbols = Symbols::of_net(&sample());
    let mut rng = Rng::new(3);
    let words = [
        "p",
        "q",
        "'name of r'",
        "t",
        "fireable",
        "deadlock",
        "(",
        ")",
        ",",
        "+",
        "-",
        "*",
        "<=",
        "=",
        "!=",
        "3",
        "99999999999",
        "'",
        "\\",
        "é",
        "?",
        " ",
    ];
    let mut read = 0;
    for _ in 0..50_000 {
        let text: String = (0..rng.index(8))
            .map(|_| words[rng.index(words.len())])
            .collect();
        match proposition::parse(&text, &symbols) {
            Ok(parsed) => {
                read += 1;
                let again = proposition::parse(&parsed.text, &symbols);
                assert_eq!(again.expect("canonical text"), parsed, "{text}");
            }
            Err(error) => {
                assert!(error.span.start <= error.span.end && error.span.end <= text.len());
                assert!(error.render(&text).contains('^'));
            }
        }
    }
    assert!(read > 500, "only {read} texts were propositions");
}

/// A program with everything that the language can say.
const PROGRAM: &str = "\
const byte N = 2;
byte x = 1, list[N] = {1, 2};
int y = -3;
channel c; channel {byte, int} d[2];
process P {
  byte k; state a, b; init a; commit b; assert b: k < N;
  trans a -> b { guard x > 0 and list[k] != 2; sync c!x + 1; effect k = 0, list[k] = y / 2; },
        b -> a { sync d?{k, y}; };
}
process Q {
  state s; init s; accept s;
  trans s -> s { guard P.a or P->k == 1 imply not true; sync c?y; },
        -> s { guard ~(x << 3) % 7 == 3; sync d!{7, -x}; };
}
system async property Q;
";

const TABLES: &str = "\
begin state
P\\.k:byte P:P _ pos\\[0\\]:int
end state
begin edge
action:act
end edge
begin init
0 0 0 65535
end init
begin trans
 0/1 * * 65535/0 0
 1/1 0/1 * * 1
end trans
begin map safe:bool
 * 1 * * 1
end map
begin sort P
\"NCS\"
#00ff#
end P
begin sort act
\"a\"
\"b\\\"\"
end sort
";

/// Changes words of a text for other words of it, or for odd ones.
fn shuffle(text: &str, rng: &mut Rng) -> String {
    const ODD: [&str; 12] = [
        "0",
        "-1",
        "4294967296",
        "65535",
        "*",
        "(",
        "[",
        "]",
        "{",
        "}",
        "/",
        "\u{e9}",
    ];
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', ',']).collect();
    for _ in 0..=rng.index(3) {
        let (at, from) = (rng.index(words.len()), rng.index(words.len()));
        match rng.index(4) {
            0 => words[at] = words[from],
            1 => words[at] = ODD[rng.index(ODD.len())],
            2 => words.insert(at, words[from]),
            _ => drop(words.remove(at)),
        }
    }
    words.concat()
}

fn broken(text: &str, rng: &mut Rng) -> Vec<u8> {
    match rng.index(2) {
        0 => mutate(text.as_bytes(), rng),
        _ => shuffle(text, rng).into_bytes(),
    }
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let mut rng = Rng::new(3);
    let mut refused = 0;
    assert!(dve::load(PROGRAM.as_bytes(), "m").is_ok());
    for _ in 0..20_000 {
        let text = broken(PROGRAM, &mut rng);
        match dve::load(&text, "m") {
            // What is left may divide by zero or leave an array: that is a fault, never a panic.
            Ok(model) => {
                let mut next = model.initial()[0].clone();
                let mut scratch = Scratch::default();
                for _ in 0..5 {
                    let state = next.clone();
                    let visit = |_, after: &[u32]| next.copy_from_slice(after);
                    if model.successors(&state, &mut scratch, visit).is_err() {
                        break;
                    }
                }
            }
            Err(error) => {
                refused += 1;
                assert!((1..=lines(&text)).contains(&error.line), "{error}");
                assert!(error.to_string().contains('^'), "{error}");
            }
        }
    }
    assert!(refused > 5_000, "only {refused} programs were broken");
}

#[test]
fn mutated_tables_are_read_or_refused() {
    let mut rng = Rng::new(4);
    let mut refused = 0;
    assert!(etf::parse(TABLES.as_bytes()).is_ok());
    for _ in 0..20_000 {
        let text = broken(TABLES, &mut rng);
        match etf::parse(&text) {
            Ok(read) => {
                let model = read.to_model("m").expect("a model");
                let state = &model.initial()[0];
                let result = model.successors(state, &mut Scratch::default(), |_, _| ());
                assert_eq!(result, Ok(()));
                let mut written = Vec::new();
                etf::write(&read, &mut written).expect("memory is writable");
                assert_eq!(etf::parse(&written), Ok(read));
            }
            Err(error) => {
                refused += 1;
                assert!((1..=lines(&text)).contains(&error.line), "{error}");
                assert!(error.to_string().contains('^'), "{error}");
            }
        }
    }
    assert!(refused > 5_000, "only {refused} files were broken");
}
