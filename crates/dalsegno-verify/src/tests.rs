//! Each rule is needed: a false proof that only this rule refuses is accepted once the rule is dropped.

use crate::claim::{Claim, DeadEnds, Header, Logic};
use crate::formula::Formulas;
use crate::net::{Arc, Net};
use crate::rules::name;
use crate::{Failure, Mode, Options, contest, text, verify};

std::thread_local! {
    /// The rule that is dropped.
    pub(crate) static DROPPED: std::cell::Cell<&'static str> = const { std::cell::Cell::new("") };
}

/// The net `p -t-> q`, with one token in `p`; with `back` also `q -u-> p`.
fn net(back: bool) -> Net {
    let mut net = Net::default();
    assert!(net.add("p", Some(1)) && net.add("q", Some(0)) && net.add("t", None));
    assert!(net.connect(0, &[(Arc::Take, 0, 1), (Arc::Put, 1, 1)]));
    if back {
        assert!(net.add("u", None));
        assert!(net.connect(1, &[(Arc::Take, 1, 1), (Arc::Put, 0, 1)]));
    }
    net
}

fn header(net: &Net, logic: Logic, dead_ends: DeadEnds, property: &str, linear: bool) -> Header {
    let property = property.to_owned();
    let (net, holds) = (net.digest(), true);
    Header { net, logic, dead_ends, holds, property, linear }
}

/// A marking of some places with its letter, what it says of dead ends (as the file has it), and its cells: slot, rank
/// and choice (as the file has it).
type Record<const N: usize> = ([u64; N], u64, u64, Vec<[u64; 3]>);

fn file(header: &Header, slots: &[Vec<usize>], records: &[Record<2>]) -> Vec<u8> {
    file_of([0, 1], header, slots, records)
}

/// A file with one level of some places, and small numbers only. Records ascend by marking.
fn file_of<const N: usize>(places: [u64; N], header: &Header, slots: &[Vec<usize>], records: &[Record<N>]) -> Vec<u8> {
    let mut numbers = vec![1, N as u64];
    numbers.extend(places);
    numbers.push(records.len() as u64);
    for record in records {
        numbers.extend(record.0);
    }
    numbers.push(slots.len() as u64);
    for slot in slots {
        numbers.push(slot.len() as u64);
        numbers.extend(slot.iter().map(|&f| f as u64));
    }
    numbers.push(records.len() as u64);
    for (_, letter, alive, cells) in records {
        numbers.extend([*letter, *alive, cells.len() as u64]);
        let mut from = 0;
        for &[slot, rank, choice] in cells {
            numbers.extend([slot - from, rank, choice]);
            from = slot + 1;
        }
    }
    numbers.extend([1, records.len() as u64]);
    for i in 0..records.len() {
        // Values follow each other, and so do children.
        numbers.extend([0, if i == 0 { 0 } else { 2 }]);
    }
    let mut bytes = header.show().into_bytes();
    bytes.extend(numbers.iter().map(|&number| u8::try_from(number).unwrap()));
    assert!(numbers.iter().all(|&number| number < 128));
    bytes
}

/// That a file is refused by a rule, and accepted without it, in both ways of checking.
fn needs(net: &Net, file: &[u8], rule: &'static str) {
    // Whether a rank may stay decides by how much it has to fall.
    let told = if rule == name::STRICT { name::FALLS } else { rule };
    for mode in [Mode::Enumerate, Mode::Walk] {
        let options = Options { mode, ..Options::default() };
        match verify(net, file, options) {
            Err(Failure::Refused(broken, _)) => assert_eq!(broken, told),
            other => panic!("{rule}: {other:?}"),
        }
        DROPPED.set(rule);
        let accepted = verify(net, file, options);
        DROPPED.set("");
        assert!(accepted.is_ok(), "{rule}: {accepted:?}");
    }
}

/// The number of the goal of a header, and numbers of other formulas.
fn numbers(header: &Header, net: &Net, others: &[&str]) -> Vec<usize> {
    let claim = Claim::new(header, net).unwrap();
    let mut formulas = claim.formulas.clone();
    let others = others.iter().map(|other| text::parse(other, net, &mut formulas).unwrap());
    std::iter::once(claim.goal).chain(others).collect()
}

const P: [u64; 2] = [1, 0];
const Q: [u64; 2] = [0, 1];

#[test]
fn rules_of_linear_time_are_needed() {
    let net = net(true);
    // The only run is p q p q …
    let always = header(&net, Logic::Ltl, DeadEnds::Stutter, "G p", false);
    let goal = vec![vec![numbers(&always, &net, &[])[0]]];
    // The atom is `p <= 0`: its bit is 0 where p holds. Rank 1 names the until.
    let says = |marking, letter| (marking, letter, 0, vec![[0, 1, 0]]);
    let one = [says(P, 0)];
    needs(&net, &file(&always, &goal, &one), name::CLOSED);
    let both = [says(Q, 0), says(P, 0)];
    needs(&net, &file(&always, &goal, &both), name::LETTER);
    let nothing = [(Q, 1, 0, vec![]), (P, 0, 0, vec![])];
    needs(&net, &file(&always, &goal, &nothing), name::INITIAL);
    // Without untils every step must make the rank smaller.
    let never = header(&net, Logic::Ltl, DeadEnds::Stutter, "F \"p + q = 2\"", false);
    let goal = vec![vec![numbers(&never, &net, &[])[0]]];
    let ranks = |q, p| [(Q, 0, 3, vec![[0, q, 0]]), (P, 0, 2, vec![[0, p, 0]])];
    needs(&net, &file(&never, &goal, &ranks(1, 1)), name::STRICT);
    needs(&net, &file(&never, &goal, &ranks(1, 2)), name::FALLS);
}

#[test]
fn paths_without_leaves_are_steps_too() {
    // Forty places that nothing changes: a path to the only marking, and 2^39 paths that end above the leaves.
    let (mut net, mut numbers) = (Net::default(), vec![40]);
    for p in 0..40 {
        assert!(net.add(&format!("p{p}"), Some(0)));
        numbers.extend([1, p, 2, 0, 1]);
    }
    assert!(net.add("t", None));
    // A slot with the goal, and a leaf that has it; on the lowest level a node with an arc and one without.
    let header = header(&net, Logic::Ltl, DeadEnds::Ignore, "G \"p0 + p1 <= 0\"", false);
    let goal = u8::try_from(self::numbers(&header, &net, &[])[0]).unwrap();
    numbers.extend([1, 1, goal, 1, 1, 0, 1, 0, 1, 0]);
    numbers.extend([2, 1, 0, 0, 0]);
    for _ in 1..39 {
        // The way to the leaf, and the others.
        numbers.extend([2, 1, 0, 0, 2, 0, 2, 0, 0]);
    }
    numbers.extend([1, 2, 0, 0, 0, 2]);
    let file = [header.show().as_bytes(), &numbers].concat();
    for mode in [Mode::Enumerate, Mode::Auto] {
        let options = Options { mode, steps: 100_000, ..Options::default() };
        assert_eq!(verify(&net, &file, options).unwrap_err(), Failure::Limit("the check takes too many steps"));
    }
    assert!(verify(&net, &file, Options { mode: Mode::Walk, ..Options::default() }).is_ok());
}

#[test]
fn places_in_no_level_may_have_any_tokens() {
    let net = net(false);
    let goal = |header: &Header| vec![vec![numbers(header, &net, &[])[0]]];
    // The bit of `p <= 0` is set where p is empty. With p there is t, which asks for nothing else.
    let empties = header(&net, Logic::Ltl, DeadEnds::Stutter, "F !p", false);
    let says = |alive| [([0], 1, 0, vec![[0, 0, 0]]), ([1], 0, alive, vec![[0, 1, 0]])];
    for (mode, alive) in [(Mode::Enumerate, 0), (Mode::Walk, 0), (Mode::Enumerate, 2), (Mode::Walk, 2)] {
        let file = file_of([0], &empties, &goal(&empties), &says(alive));
        let proved = verify(&net, &file, Options { mode, ..Options::default() });
        assert_eq!(proved.is_ok(), alive == 2, "otherwise the marking may be a dead end");
    }
    // Whether t is enabled depends on p, which is in no level.
    let fills = header(&net, Logic::Ltl, DeadEnds::Stutter, "F \"q = 2\"", false);
    let ranks = [([0], 0, 2, vec![[0, 2, 0]]), ([1], 0, 2, vec![[0, 1, 0]]), ([2], 1, 0, vec![[0, 0, 0]])];
    needs(&net, &file_of([1], &fills, &goal(&fills), &ranks), name::PLACES);
    // So does the number of markings; and there are no markings of no places with an atom.
    let counted = header(&net, Logic::States, DeadEnds::Finite, "2", false);
    let two = [([0], 0, 0, vec![[0, 1, 1]]), ([1], 0, 0, vec![[0, 0, 0]])];
    let blind = file_of([], &empties, &goal(&empties), &[([], 1, 0, vec![[0, 0, 0]])]);
    for file in [file_of([0], &counted, &[vec![]], &two), blind] {
        assert!(matches!(verify(&net, &file, Options::default()), Err(Failure::Refused(name::PLACES, _))));
    }
}

#[test]
fn rules_of_branching_time_are_needed() {
    let (line, circle) = (net(false), net(true));
    // Nothing shows the formula.
    let wrong = header(&line, Logic::Ctl, DeadEnds::Finite, "EX p", false);
    let goal = vec![vec![numbers(&wrong, &line, &[])[0]]];
    needs(&line, &file(&wrong, &goal, &[(P, 0, 0, vec![[0, 0, 0]])]), name::PARTS);
    // A marking is said to be a dead end, and its path to end with p.
    let stays = header(&line, Logic::Ctl, DeadEnds::Finite, "EG p", false);
    let f = numbers(&stays, &line, &["p"]);
    let slots = vec![vec![f[0]], vec![f[1]]];
    let record = (P, 0, 1, vec![[0, 0, 0], [1, 0, 0]]);
    needs(&line, &file(&stays, &slots, &[record]), name::DEAD);
    // The dead end never reaches p again.
    let comes = header(&line, Logic::Ctl, DeadEnds::Finite, "AF \"p = 2\"", false);
    let goal = vec![vec![numbers(&comes, &line, &[])[0]]];
    let ends = [(Q, 0, 0, vec![[0, 0, 0]]), (P, 0, 2, vec![[0, 1, 0]])];
    needs(&line, &file(&comes, &goal, &ends), name::ENDS);
    let enabled = [(Q, 0, 2, vec![[0, 0, 0]]), (P, 0, 2, vec![[0, 1, 0]])];
    needs(&line, &file(&comes, &goal, &enabled), name::ENABLED);
    // On a circle the rank cannot fall for ever.
    let comes = header(&circle, Logic::Ctl, DeadEnds::Finite, "AF \"p = 2\"", false);
    let goal = vec![vec![numbers(&comes, &circle, &[])[0]]];
    let ranks = [(Q, 0, 3, vec![[0, 1, 0]]), (P, 0, 2, vec![[0, 1, 0]])];
    needs(&circle, &file(&comes, &goal, &ranks), name::STRICT);
}

#[test]
fn rules_of_counts_are_needed() {
    let net = net(true);
    let slots = vec![vec![]];
    let claims = |count: &str| header(&net, Logic::States, DeadEnds::Finite, count, false);
    // The choice of q is 1 + t.
    let right = [(Q, 0, 0, vec![[0, 1, 1]]), (P, 0, 0, vec![[0, 0, 0]])];
    assert!(verify(&net, &file(&claims("2"), &slots, &right), Options::default()).is_ok());
    needs(&net, &file(&claims("3"), &slots, &right), name::COUNT);
    let more = |rank| [([0, 0], 0, 0, vec![[0, rank, 0]]), right[0].clone(), right[1].clone()];
    needs(&net, &file(&claims("3"), &slots, &more(0)), name::FIRST);
    needs(&net, &file(&claims("3"), &slots, &more(1)), name::ENABLED);
}

#[test]
fn rules_of_linear_proofs_are_needed() {
    let net = net(true);
    let file = |property: &str, numbers: &[u8]| {
        let header = header(&net, Logic::Ctl, DeadEnds::Finite, property, true);
        [header.show().as_bytes(), numbers].concat()
    };
    // No siphon, no trap, no multipliers.
    needs(&net, &file("AG p", &[0, 0, 0, 0, 0]), name::FARKAS);
    // The trap {p} against p <= 0: both with multiplier 1.
    needs(&net, &file("AG p", &[0, 1, 1, 0, 0, 2, 0, 1, 1, 1, 0]), name::TRAP);
    // The siphon {q} against q >= 1.
    needs(&net, &file("AG !q", &[1, 1, 0, 0, 2, 0, 1, 1, 1, 0]), name::SIPHON);
    // p + q = 1 is an invariant: z = 1 for p + q >= 2.
    let right = file("AG \"p + q <= 1\"", &[0, 0, 0, 1, 0, 1, 0]);
    assert!(verify(&net, &right, Options::default()).is_ok());
    let cases = file("AG \"p + q = 1\"", &[0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0]);
    assert!(verify(&net, &cases, Options::default()).is_ok());
}

#[test]
fn formulas_are_read_as_they_are_meant() {
    let net = net(true);
    let same = [
        ("G(p -> F q) & (p U !q) | X X (q R p)", "((G((!p) | (F q))) & (p U (!q))) | (X (X (q R p)))"),
        ("p & q | p xor q -> p -> q", "(((p & q) | p) xor q) -> (p -> q)"),
        ("p U q U p R q", "p U (q U (p R q))"),
        ("AGEF deadlock", "A G E F \"deadlock()\""),
        ("!(p U q)", "!p R !q"),
        (
            "[] (p <-> <> (q W p)) => (q M p)",
            "(false R ((p -> F (p R (q | p))) & (F (p R (q | p)) -> p))) -> (p U (q & p))",
        ),
        ("p", "\"p >= 1\""),
        ("\"2*p - q <= 3\"", "\"p*2 < 4 + 'q'\""),
        ("\"fireable(u, t)\"", "\"fireable('t', u, t)\""),
        ("\"'p'\" & 1", "\"p\" & true"),
    ];
    for (one, other) in same {
        let mut formulas = Formulas::default();
        let f = text::parse(one, &net, &mut formulas).unwrap();
        assert_eq!(text::parse(other, &net, &mut formulas).unwrap(), f, "{one}, {other}");
    }
    // A name of one letter of an operator is no operator in double quotes, and does not stand in its way.
    let (mut named, mut formulas) = (Net::default(), Formulas::default());
    assert!(named.add("G", Some(0)) && named.add("GF", Some(0)));
    let f = text::parse("G \"G\"", &named, &mut formulas).unwrap();
    assert_eq!(text::parse("G \"G >= 1\"", &named, &mut formulas).unwrap(), f);
    assert!(text::parse("GF \"G\"", &named, &mut formulas).is_err(), "it could be a name");
    for wrong in ["", "p &", "(p", "\"p <= \"", "nowhere", "p q", "\"fireable()\"", "'p", "p U"] {
        assert!(text::parse(wrong, &net, &mut Formulas::default()).is_err(), "{wrong}");
    }
}

#[test]
fn nets_and_properties_are_read_from_xml() {
    let pnml = br#"<?xml version="1.0"?><pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
        <page id="g"><name><text>a &amp; b</text></name>
        <place id="p"><initialMarking><graphics/><text>1</text></initialMarking></place><place id="q"/>
        <transition id="t"/><transition id="u"><!-- back --></transition>
        <arc id="1" source="p" target="t"/><arc id="2" source="t" target="q"><inscription><text>1</text></inscription></arc>
        <arc id="3" source="q" target="u"/><arc id="4" source="u" target="p"/></page></net></pnml>"#;
    assert_eq!(Net::parse(pnml).unwrap().digest(), net(true).digest());
    let xml = br"<property-set><property><id>x</id><description>d</description><formula><all-paths><globally>
        <integer-le><tokens-count><place>p</place><place>q</place></tokens-count>
        <integer-constant>1</integer-constant></integer-le></globally></all-paths></formula></property></property-set>";
    let (net, mut formulas) = (net(true), Formulas::default());
    let f = contest::parse(xml, "x", &net, &mut formulas).unwrap();
    assert_eq!(text::parse("AG \"p + q <= 1\"", &net, &mut formulas).unwrap(), f);
    for wrong in
        ["<pnml><net/>", "<pnml></net>", "<!DOCTYPE x><pnml/>", "<pnml><net><place/></net></pnml>", "", "<a b=c/>"]
    {
        assert!(Net::parse(wrong.as_bytes()).is_err(), "{wrong}");
    }
    let deep = "<a>".repeat(100_000);
    assert!(Net::parse(deep.as_bytes()).is_err());
}

#[test]
fn elements_in_wrong_places_are_no_formulas() {
    let net = net(false);
    let place = "<place>p</place>";
    let count = format!("<tokens-count>{place}</tokens-count>");
    let number = "<integer-constant>1</integer-constant>";
    let compared = |inner: &str| format!("<integer-le>{inner}{number}</integer-le>");
    let fires = |inner: &str| format!("<is-fireable>{inner}</is-fireable>");
    let read = |formula: &str| {
        let xml = format!("<s><property><id>x</id><formula>{formula}</formula></property></s>");
        contest::parse(xml.as_bytes(), "x", &net, &mut Formulas::default())
    };
    let transition = "<transition>t</transition>";
    for right in [compared(&count), compared(number), fires(transition), "<true/>".to_owned()] {
        assert!(read(&right).is_ok(), "{right}");
    }
    let parts = ["<true/>", "<false/>", "<deadlock/>", "<tokens-count/>", &count, number, place, transition];
    let formulas = ["<true/>", "<false/>", "<deadlock/>"];
    for part in parts {
        let is_formula = formulas.contains(&part);
        assert_eq!(read(&format!("<globally>{part}</globally>")).is_ok(), is_formula, "{part}");
        let both = format!("<conjunction>{part}{part}</conjunction>");
        assert_eq!(read(&both).is_ok(), is_formula, "{part}");
        let is_sum = [count.as_str(), number, "<tokens-count/>"].contains(&part);
        assert_eq!(read(&compared(part)).is_ok(), is_sum, "{part}");
        assert_eq!(read(&fires(part)).is_ok(), part == transition, "{part}");
        let counted = format!("<tokens-count>{part}</tokens-count>");
        assert_eq!(read(&compared(&counted)).is_ok(), part == place, "{part}");
    }
    for inner in [compared(&count), fires(transition), "<globally><true/></globally>".to_owned()] {
        for wrong in [compared(&inner), fires(&inner), format!("<tokens-count>{inner}</tokens-count>")] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
    }
}
