//! The checker of proofs reads nets and formulas as the program does, and stands whatever it is given.

use dalsegno::logic::random::Rng;
use dalsegno::logic::{FormulaId, FormulaStore, Names, Node, parse_with};
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::pnml;
use dalsegno::proof::Way;
use dalsegno::verify::claim::Logic as ItsLogic;
use dalsegno::verify::diagram::Diagram;
use dalsegno::verify::formula::{Formulas, Id, Node as Its};
use dalsegno::verify::net::Net;
use dalsegno::verify::{Failure, Named, Options, contest, report, text, verify};
use dalsegno::{Asked, Logic, Run, Settings, Source};
use dalsegno_testkit::nets::{random_net, wild_net};

use dalsegno::kripke::Budget;

/// The net `a -t-> b -u-> a`, and others of its names.
const NAMES: [&str; 7] = ["a", "b", "c", "Fork", "UW", "t", "u"];

struct Known;

impl Names for Known {
    fn knows(&self, word: &str) -> bool {
        NAMES.contains(&word)
    }

    fn is_number(&self, name: &str) -> bool {
        !["t", "u"].contains(&name)
    }

    fn longest(&self) -> usize {
        4
    }

    fn nearest(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

fn named_net() -> Net {
    let mut net = Net::default();
    for name in NAMES {
        let place = !["t", "u"].contains(&name);
        assert!(net.add(name, place.then_some(0)));
    }
    net
}

/// A formula with all its parentheses, as the program has read it.
fn spell(store: &FormulaStore, f: FormulaId) -> String {
    let of = |g: FormulaId| spell(store, g);
    let list = |list: &[FormulaId], sign: &str| {
        let parts: Vec<String> = list.iter().map(|&g| of(g)).collect();
        format!("({})", parts.join(sign))
    };
    match store.node(f) {
        Node::True => "true".to_owned(),
        Node::False => "false".to_owned(),
        Node::Atom(p) => format!("\"{}\"", store.name(p)),
        Node::Not(g) => format!("(!{})", of(g)),
        Node::And(parts) => list(parts, " & "),
        Node::Or(parts) => list(parts, " | "),
        Node::Implies(g, h) => list(&[g, h], " -> "),
        Node::Iff(g, h) => list(&[g, h], " <-> "),
        Node::Xor(g, h) => list(&[g, h], " xor "),
        Node::Next(g) => format!("(X {})", of(g)),
        Node::Finally(g) => format!("(F {})", of(g)),
        Node::Globally(g) => format!("(G {})", of(g)),
        Node::Until(g, h) => list(&[g, h], " U "),
        Node::Release(g, h) => list(&[g, h], " R "),
        Node::WeakUntil(g, h) => list(&[g, h], " W "),
        Node::StrongRelease(g, h) => list(&[g, h], " M "),
        Node::Exists(g) => format!("(E {})", of(g)),
        Node::Forall(g) => format!("(A {})", of(g)),
    }
}

/// Whether formulas hold at the beginning of a word that goes on from its end at a position.
fn holds(formulas: &Formulas, f: Id, word: &[u64], back: usize) -> bool {
    let mut all: Vec<Vec<bool>> = Vec::new();
    for &node in &formulas.nodes[..=f] {
        let next = |i: usize| if i + 1 < word.len() { i + 1 } else { back };
        let mut now = vec![matches!(node, Its::Release(..)); word.len()];
        // Twice around the cycle is enough for a fixpoint.
        for i in (0..word.len()).rev().chain((0..word.len()).rev()) {
            now[i] = match node {
                Its::True => true,
                Its::False => false,
                Its::Atom(a) => word[i] >> a & 1 == 1,
                Its::NotAtom(a) => word[i] >> a & 1 == 0,
                Its::And(g, h) => all[g][i] && all[h][i],
                Its::Or(g, h) => all[g][i] || all[h][i],
                Its::Next(g) => all[g][next(i)],
                Its::Until(g, h) => all[h][i] || all[g][i] && now[next(i)],
                Its::Release(g, h) => all[h][i] && (all[g][i] || now[next(i)]),
                Its::Exists(g) | Its::Forall(g) => all[g][i],
            };
        }
        all.push(now);
    }
    all[f][0]
}

#[test]
fn formulas_are_read_as_the_program_reads_them() {
    let (net, mut rng, mut both) = (named_net(), Rng::new(3), 0);
    let operators = "<-> -> => xor ^ | || \\/ & && /\\ U R V W M".split(' ');
    let operators: Vec<&str> = operators.collect();
    let prefixes = [
        "!", "~", "X", "F ", "G ", "[]", "<>", "XX ", "GF ", "FG", "(",
    ];
    let atoms = [
        "a",
        "b",
        "c",
        "t",
        "u",
        "Fork",
        "UW",
        "true",
        "0",
        "\"a <= 2\"",
        "\"b + 2*c >= 1\"",
        "\"fireable(t, u)\"",
        "\"'a'\"",
        "\"a*2 - b = 1\"",
        "\"b =< 'c'\"",
        "\"UW != 3\"",
        "deadlock",
        "\"deadlock()\"",
        "GFa",
        "a=0",
    ];
    for _ in 0..20_000 {
        let (mut line, mut open) = (String::new(), 0);
        for part in 0..=rng.index(5) {
            if part > 0 {
                line.extend([" ", operators[rng.index(operators.len())], " "]);
            }
            for _ in 0..rng.index(3) {
                let prefix = prefixes[rng.index(prefixes.len())];
                open += usize::from(prefix == "(");
                line += prefix;
            }
            line += atoms[rng.index(atoms.len())];
            while open > 0 && rng.chance(1, 2) {
                line.push(')');
                open -= 1;
            }
        }
        line += &")".repeat(open);
        let mut store = FormulaStore::new();
        let mut formulas = Formulas::default();
        let mine = parse_with(&mut store, &line, &Known);
        let (Ok(f), Ok(g)) = (mine, text::parse(&line, &net, &mut formulas)) else {
            continue;
        };
        both += 1;
        let spelled = spell(&store, f);
        let h = text::parse(&spelled, &net, &mut formulas).unwrap();
        for _ in 0..20 {
            let word: Vec<u64> = (0..=rng.index(4)).map(|_| rng.below(1 << 20)).collect();
            let back = rng.index(word.len());
            let (one, other) = (
                holds(&formulas, g, &word, back),
                holds(&formulas, h, &word, back),
            );
            assert_eq!(
                one, other,
                "{line} and {spelled} on {word:?}, back to {back}"
            );
        }
    }
    assert!(both > 5_000, "{both}");
}

#[test]
fn damaged_nets_are_read_as_the_program_reads_them() {
    let (mut rng, mut both, mut changed) = (Rng::new(9), 0, 0);
    let pieces = [
        "0",
        "7",
        " ",
        "inhibitor",
        "test",
        "<text>2</text>",
        "<!-- -->",
        "&#49;",
        "&amp;",
        "\"",
        "<name/>",
        "</arc>",
        "4294967296",
        "-1",
        "+1",
        "<type value=\"inhibitor\"/>",
        "type=\"test\" ",
        "<![CDATA[1]]>",
        "p:",
    ];
    for _ in 0..6_000 {
        let net = if rng.chance(1, 2) {
            wild_net(&mut rng)
        } else {
            random_net(&mut rng)
        };
        let mut bytes = Vec::new();
        pnml::write(&net, &mut bytes).unwrap();
        let mut damaged = String::from_utf8(bytes).unwrap();
        for _ in 0..=rng.index(2) {
            let at = rng.index(damaged.len());
            let Some(at) = damaged[at..].find(['>', '<', ' ', '"']).map(|i| i + at) else {
                continue;
            };
            match rng.below(3) {
                0 => damaged.insert_str(at, pieces[rng.index(pieces.len())]),
                1 => damaged.insert_str(at + 1, pieces[rng.index(pieces.len())]),
                _ => {
                    let end = damaged[at + 1..]
                        .find(['>', '<', ' ', '"'])
                        .map_or(at, |i| i + at + 1);
                    damaged.replace_range(at + 1..end.max(at + 1), pieces[rng.index(pieces.len())]);
                }
            }
        }
        let Ok(read) = Net::parse(damaged.as_bytes()) else {
            continue;
        };
        let Ok(own) = pnml::parse(damaged.as_bytes()) else {
            continue;
        };
        let mut bytes = Vec::new();
        pnml::write(&own, &mut bytes).unwrap();
        assert_eq!(read, Net::parse(&bytes).unwrap(), "{damaged}");
        both += 1;
        changed +=
            usize::from(own.transitions() != net.transitions() || own.places() != net.places());
    }
    assert!(both > 1_000 && changed > 50, "{both} {changed}");
}

const PROPERTIES: &str = "<property-set><property><id>x</id><description>d</description><formula><all-paths><globally>
    <integer-le><tokens-count><place>Pm1</place></tokens-count><integer-constant>2</integer-constant></integer-le>
    </globally></all-paths></formula></property></property-set>";

/// A proof about a small kanban, from one way to make it.
fn proof(property: &str, way: Way) -> (Vec<u8>, Vec<u8>) {
    let net = Family::Kanban.generate(2).unwrap();
    let settings = Settings {
        proofs: true,
        proof_way: way,
        ..Settings::default()
    };
    let source = Source::of_net(net.clone());
    let mut run = Run::new(&source, settings);
    let number = run.ask(Asked::formula(Logic::Ltl, property));
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    let mut model = Vec::new();
    pnml::write(&net, &mut model).unwrap();
    match run.answer_to(number).proof.as_deref() {
        Some(Ok(proof)) => (model, proof.bytes.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn damaged_files_of_all_kinds_are_no_more_than_errors() {
    let mut rng = Rng::new(21);
    for way in [Way::Explicit, Way::Symbolic, Way::Linear] {
        let (model, file) = proof("A G \"Pm1 <= 2\"", way);
        let named = Named::Property(PROPERTIES.as_bytes().to_vec(), "x".to_owned());
        let (said, code) = report(&model, &file, Some(&named), Options::default());
        assert_eq!(code, 0, "{said}");
        for _ in 0..600 {
            let mut parts = [model.clone(), file.clone(), PROPERTIES.as_bytes().to_vec()];
            let part = &mut parts[rng.index(3)];
            for _ in 0..=rng.below(3) {
                let at = rng.index(part.len());
                match rng.below(4) {
                    0 => part[at] = rng.below(256) as u8,
                    1 => part.insert(at, b"<>&\"/\x80\xff 0"[rng.index(9)]),
                    2 => part.truncate(at + 1),
                    _ => drop(part.remove(at)),
                }
            }
            let [model, file, xml] = parts;
            let options = Options {
                steps: 1_000_000,
                pairs: 1_000_000,
                ..Options::default()
            };
            let (said, code) = report(
                &model,
                &file,
                Some(&Named::Property(xml, "x".to_owned())),
                options,
            );
            assert!(!said.is_empty() && code < 4, "{said}");
        }
    }
    let (model, file) = proof("A G \"Pm1 <= 2\"", Way::Explicit);
    let other = Named::Formula(ItsLogic::Ltl, "A G \"Pm1 <= 3\"".to_owned());
    assert_eq!(report(&model, &file, Some(&other), Options::default()).1, 2);
}

#[test]
fn promises_of_many_things_take_no_memory() {
    let (model, file) = proof("A G \"Pm1 <= 2\"", Way::Explicit);
    let net = Net::parse(&model).unwrap();
    let begin = file.windows(5).position(|five| five == b"data\n").unwrap() + 5;
    for at in begin..file.len() {
        // 2^60 in place of a number.
        let huge = [
            &file[..at],
            &[128, 128, 128, 128, 128, 128, 128, 128, 16],
            &file[at + 1..],
        ]
        .concat();
        match verify(&net, &huge, Options::default()) {
            Err(Failure::Error(..) | Failure::Refused(..)) => {}
            // A rank, or what nobody looks at.
            Ok(_) => assert!(
                Diagram::parse(&huge, begin, net.places.len(), net.transitions.len()).is_ok()
            ),
            Err(limit) => panic!("byte {at}: {limit}"),
        }
    }
    let mut formulas = Formulas::default();
    let deep = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(text::parse(&deep, &named_net(), &mut formulas).is_err());
    let many: Vec<String> = (0..70).map(|i| format!("\"a <= {i}\"")).collect();
    assert!(text::parse(&many.join(" & "), &named_net(), &mut formulas).is_err());
    assert!(contest::parse(b"<a/>", "x", &named_net(), &mut formulas).is_err());
}

#[test]
fn a_check_ends_when_it_is_told_to() {
    let (model, file) = proof("A G \"Pm1 <= 2\"", Way::Explicit);
    let net = Net::parse(&model).unwrap();
    let options = Options {
        stop: &|| true,
        ..Options::default()
    };
    assert_eq!(
        verify(&net, &file, options).unwrap_err(),
        Failure::Limit("the check was stopped")
    );
}

#[test]
fn ranks_of_more_states_than_can_be_counted_one_by_one_are_walked() {
    let net = Family::Kanban.generate(50).unwrap();
    let settings = Settings {
        proofs: true,
        ..Settings::default()
    };
    let source = Source::of_net(net.clone());
    let mut run = Run::new(&source, settings);
    let texts = [
        "(G F \"P1 <= 10\" & G F \"P1 >= 30\") -> G F (\"Pm1 >= 1\" | \"Pback1 >= 1\")",
        "G F \"Pout4 >= 1\" -> (G F \"P4 >= 1\" | F G \"Pout4 >= 1\")",
    ];
    let numbers = texts.map(|text| run.ask(Asked::formula(Logic::Ltl, text)));
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    for number in numbers {
        let answer = run.answer_to(number);
        let Some(Ok(proof)) = answer.proof.as_deref() else {
            panic!("{:?}", answer.proof);
        };
        assert_eq!(proof.how, "walked");
        let mut model = Vec::new();
        pnml::write(&net, &mut model).unwrap();
        let net = Net::parse(&model).unwrap();
        let proved = verify(&net, &proof.bytes, Options::default()).unwrap();
        assert!(proved.markings.is_some_and(|n| n > 1_000_000_000_000_000));
        let (_, at) = dalsegno::verify::claim::Header::parse(&proof.bytes).unwrap();
        let diagram =
            Diagram::parse(&proof.bytes, at, net.places.len(), net.transitions.len()).unwrap();
        let marks = dalsegno::verify::tableau::Tableau::new(&proved.claim)
            .unwrap()
            .marks();
        let ranks = diagram
            .leaves
            .iter()
            .flat_map(|leaf| &leaf.cells)
            .map(|cell| cell.rank / marks);
        assert!(ranks.max() > Some(2), "the ranks have several iterations");
    }
}
