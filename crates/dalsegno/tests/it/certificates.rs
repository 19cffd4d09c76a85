//! Proofs of random properties: what holds is certified and accepted in both modes, and on what fails nothing is ever
//! accepted, whatever is invented.
//!
//! `DALSEGNO_CERTIFICATES` says how many pairs of a net and a property there are.

use std::time::Duration;

use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::PetriNet;
use dalsegno::proof::{Proof, Unproved, Way, encode};
use dalsegno::verify::claim::{Claim, Header};
use dalsegno::verify::diagram::{Alive, Cell, Diagram};
use dalsegno::verify::net::Net;
use dalsegno::verify::tableau::Tableau;
use dalsegno::verify::{Failure, Mode, Options, verify};
use dalsegno::{Answer, Asked, Ending, Logic, Run, Settings, Source, Value};
use dalsegno_testkit::nets::{random_net, wild_net};

/// Random formulas over a net.
struct Writer<'a> {
    rng: &'a mut Rng,
    net: &'a PetriNet,
}

impl Writer<'_> {
    fn atom(&mut self) -> String {
        let place = |writer: &mut Self| {
            let places = writer.net.places();
            places[writer.rng.index(places.len())].id.clone()
        };
        match self.rng.below(6) {
            0 => "deadlock".to_owned(),
            1 => {
                let transitions = self.net.transitions();
                let t = transitions[self.rng.index(transitions.len())].id.clone();
                format!("\"fireable({t})\"")
            }
            2 => {
                let (p, q) = (place(self), place(self));
                format!("\"{p} + {q} <= {}\"", self.rng.below(4))
            }
            3 => {
                let (p, q) = (place(self), place(self));
                format!("\"{p} - 2*{q} >= {}\"", self.rng.below(3))
            }
            4 => format!("\"{} = {}\"", place(self), self.rng.below(3)),
            _ => format!("\"{} >= {}\"", place(self), 1 + self.rng.below(2)),
        }
    }

    fn linear(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.atom();
        }
        let f = self.linear(depth - 1);
        match self.rng.below(11) {
            0 => format!("!({f})"),
            1 => format!("X({f})"),
            2 | 3 => format!("F({f})"),
            4 | 5 => format!("G({f})"),
            operator => {
                let left = self.rng.below(u64::from(depth)) as u32;
                let g = self.linear(left);
                let sign = ["&", "|", "->", "U", "R"][operator as usize - 6];
                format!("({f}) {sign} ({g})")
            }
        }
    }

    fn branching(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.atom();
        }
        let f = self.branching(depth - 1);
        let quantifier = if self.rng.chance(1, 2) { "A" } else { "E" };
        match self.rng.below(9) {
            0 => format!("!({f})"),
            1 | 2 => format!("{quantifier}X({f})"),
            3 => format!("{quantifier}F({f})"),
            4 => format!("{quantifier}G({f})"),
            operator => {
                let left = self.rng.below(u64::from(depth)) as u32;
                let g = self.branching(left);
                match operator {
                    5 => format!("({f}) & ({g})"),
                    6 => format!("({f}) | ({g})"),
                    7 => format!("{quantifier}(({f}) U ({g}))"),
                    _ => format!("{quantifier}(({f}) R ({g}))"),
                }
            }
        }
    }
}

struct Case {
    net: PetriNet,
    text: String,
    logic: Logic,
    dead_ends: DeadEnds,
}

fn case(rng: &mut Rng) -> Case {
    let net = if rng.chance(1, 3) {
        wild_net(rng)
    } else {
        random_net(rng)
    };
    let mut writer = Writer {
        net: &net,
        rng: &mut *rng,
    };
    let depth = 1 + writer.rng.below(4) as u32;
    let (text, logic) = match writer.rng.below(5) {
        0 | 1 => (writer.linear(depth), Logic::Ltl),
        2 => (format!("G({})", writer.linear(depth - 1)), Logic::Ltl),
        3 => (writer.branching(depth), Logic::Ctl),
        _ => (format!("AG({})", writer.branching(depth - 1)), Logic::Ctl),
    };
    let meanings = [DeadEnds::Stutter, DeadEnds::Ignore, DeadEnds::Finite];
    let dead_ends = meanings[rng.index(if logic == Logic::Ltl { 2 } else { 3 })];
    Case {
        net,
        text,
        logic,
        dead_ends,
    }
}

fn check(case: &Case, way: Way) -> Answer {
    let source = Source::of_net(case.net.clone());
    let settings = Settings {
        proofs: true,
        proof_way: way,
        ..Settings::default()
    };
    let mut run = Run::new(&source, settings);
    let asked = Asked::formula(case.logic, &case.text).with_dead_ends(Some(case.dead_ends));
    let number = run.ask(asked);
    // Some of the nets have no bound.
    let budget = Budget::unlimited()
        .limit_states(20_000)
        .with_time(Duration::from_secs(10));
    run.answer(&budget, &mut |_| {}).unwrap();
    run.answer_to(number)
}

/// Whether the states of a net are fewer than the limit.
fn is_small(net: &PetriNet) -> bool {
    let source = Source::of_net(net.clone());
    let mut run = Run::new(&source, Settings::default());
    let number = run.ask(Asked::survey());
    let budget = Budget::unlimited().limit_states(19_999);
    run.answer(&budget, &mut |_| {}).unwrap();
    match run.answer_to(number).value {
        Value::Survey(survey) => survey.ending == Ending::Complete,
        _ => false,
    }
}

/// The net as the checker reads it.
fn read(net: &PetriNet) -> Net {
    let mut text = Vec::new();
    dalsegno::models::petri::pnml::write(net, &mut text).unwrap();
    Net::parse(&text).unwrap()
}

fn options(mode: Mode) -> Options<'static> {
    Options {
        mode,
        ..Options::default()
    }
}

/// That no mode accepts a file.
fn refused(net: &Net, file: &[u8], why: &str) -> u64 {
    for mode in [Mode::Enumerate, Mode::Walk] {
        let found = verify(net, file, options(mode));
        assert!(found.is_err(), "accepted by {mode:?}: {why}");
    }
    1
}

/// Files that claim something false about a net: those of other claims under this header, mutants of them, and ranks
/// that are made up.
fn false_files(
    rng: &mut Rng,
    net: &Net,
    header: &Header,
    claim: &Claim,
    others: &[Diagram],
) -> u64 {
    let mut count = 0;
    for diagram in others {
        let mut diagram = diagram.clone();
        count += refused(net, &encode(header, &diagram), "the proof of another claim");
        for _ in 0..6 {
            mutate(rng, net, &mut diagram);
            count += refused(net, &encode(header, &diagram), "a mutant");
        }
        for _ in 0..8 {
            invent(rng, net, claim, &mut diagram);
            count += refused(net, &encode(header, &diagram), "made up");
        }
        let mut file = encode(header, &diagram);
        let at = header.show().len() + rng.index(file.len() - header.show().len());
        file[at] = file[at].wrapping_add(1 + rng.below(3) as u8);
        count += refused(net, &file, "damaged");
    }
    count
}

/// Changes something small.
fn mutate(rng: &mut Rng, net: &Net, diagram: &mut Diagram) {
    if diagram.leaves.is_empty() {
        return;
    }
    let leaf = rng.index(diagram.leaves.len());
    let leaf = &mut diagram.leaves[leaf];
    match rng.below(5) {
        0 => leaf.letter ^= 1 << rng.below(3),
        1 => {
            leaf.alive = [
                Alive::Unknown,
                Alive::Dead,
                Alive::By(rng.index(net.transitions.len())),
            ][rng.index(3)];
        }
        2 if !leaf.cells.is_empty() => {
            let cell = rng.index(leaf.cells.len());
            leaf.cells.remove(cell);
        }
        3 if !leaf.cells.is_empty() => {
            let cell = rng.index(leaf.cells.len());
            leaf.cells[cell].choice = Some(rng.index(net.transitions.len()));
        }
        _ => {
            for cell in &mut leaf.cells {
                cell.rank = (cell.rank + rng.below(3)).saturating_sub(1);
            }
        }
    }
}

/// The markings of a diagram with records that are made up for a claim.
fn invent(rng: &mut Rng, net: &Net, claim: &Claim, diagram: &mut Diagram) {
    let letters = diagram.leaves.iter().map(|leaf| leaf.letter);
    let mut letters: Vec<u64> = letters.collect();
    letters.dedup();
    diagram.slots = vec![vec![claim.goal]];
    if claim.header.logic == dalsegno::verify::claim::Logic::Ltl {
        // Sets of formulas that the tableau reaches by letters that occur.
        let tableau = Tableau::new(claim).unwrap();
        let mut at = 0;
        while at < diagram.slots.len() && diagram.slots.len() < 12 {
            for &letter in &letters {
                let steps = tableau.steps(&diagram.slots[at].clone(), letter);
                for (owed, _) in steps.unwrap_or_default() {
                    if !diagram.slots.contains(&owed) {
                        diagram.slots.push(owed);
                    }
                }
            }
            at += 1;
        }
    } else {
        diagram.slots = (0..claim.formulas.nodes.len()).map(|f| vec![f]).collect();
    }
    let (slots, most) = (diagram.slots.len(), 1 + rng.below(6));
    let sparse = rng.chance(1, 2);
    for leaf in &mut diagram.leaves {
        leaf.cells.clear();
        for slot in 0..slots {
            if sparse && rng.chance(1, 3) {
                continue;
            }
            let choice = rng.chance(1, 2).then(|| rng.index(net.transitions.len()));
            let rank = rng.below(most);
            leaf.cells.push(Cell { slot, rank, choice });
        }
    }
}

fn accepted_by_both(net: &Net, proof: &Proof, holds: bool, about: &str) {
    for mode in [Mode::Enumerate, Mode::Walk] {
        match verify(net, &proof.bytes, options(mode)) {
            Ok(proved) => assert_eq!(proved.claim.header.holds, holds, "{about}"),
            Err(failure) => panic!("{about}, {mode:?}: {failure}"),
        }
    }
}

fn diagram(net: &Net, proof: &Proof) -> Diagram {
    let (_, at) = Header::parse(&proof.bytes).unwrap();
    Diagram::parse(&proof.bytes, at, net.places.len(), net.transitions.len()).unwrap()
}

#[test]
fn what_holds_is_certified_and_what_fails_never() {
    let pairs = std::env::var("DALSEGNO_CERTIFICATES").map_or(400, |n| n.parse().unwrap());
    let mut rng = Rng::new(7);
    let (mut linear, mut violated) = (0, 0);
    let (mut symbolic, mut by_multipliers, mut on_few_places) = (0, 0, 0);
    let (mut accepted, mut failing, mut forged, mut unknown, mut endless) = (0, 0, 0, 0, 0);
    for number in 0..pairs {
        let case = case(&mut rng);
        let answer = check(&case, Way::Auto);
        let Some(holds) = answer.holds() else {
            unknown += 1;
            continue;
        };
        let about = format!(
            "pair {number}: {} {:?} {:?}",
            case.text, case.logic, case.dead_ends
        );
        let net = read(&case.net);
        let mut diagrams = Vec::new();
        if holds || case.logic == Logic::Ctl {
            let proof = match answer.proof.as_deref() {
                Some(Ok(proof)) => proof,
                // Some verdicts need no states, and a net without a bound has no end of them.
                Some(Err(Unproved::Limit(_))) if !is_small(&case.net) => {
                    endless += 1;
                    continue;
                }
                other => panic!("{about}: {other:?}"),
            };
            accepted_by_both(&net, proof, holds, &about);
            accepted += 1;
            linear += usize::from(case.logic == Logic::Ltl);
            diagrams.push(diagram(&net, proof));
            // The other ways to make proofs, where they are for this kind of claim.
            for way in [Way::Symbolic, Way::FewPlaces, Way::Linear] {
                if !is_small(&case.net) {
                    continue;
                }
                match check(&case, way).proof.as_deref() {
                    Some(Ok(proof)) if way == Way::Symbolic => {
                        accepted_by_both(&net, proof, holds, &about);
                        diagrams.push(diagram(&net, proof));
                        symbolic += 1;
                    }
                    Some(Ok(proof)) if way == Way::FewPlaces => {
                        accepted_by_both(&net, proof, holds, &about);
                        diagrams.push(diagram(&net, proof));
                        on_few_places += 1;
                    }
                    Some(Ok(proof)) => {
                        accepted_by_both(&net, proof, holds, &about);
                        by_multipliers += 1;
                    }
                    Some(Err(Unproved::Other(_)))
                        if way != Way::Symbolic || case.logic == Logic::Ctl => {}
                    other => panic!("{about}, {way:?}: {other:?}"),
                }
            }
        }
        // What is false of the net: this property with the other verdict, or as it fails.
        let other = Case {
            net: case.net.clone(),
            text: "G(deadlock | !deadlock)".to_owned(),
            logic: Logic::Ltl,
            dead_ends: DeadEnds::Stutter,
        };
        if let Some(Ok(proof)) = check(&other, Way::Auto).proof.as_deref() {
            diagrams.push(diagram(&net, proof));
        }
        // The markings of few places, with any tokens in the others.
        let place = &case.net.places()[0].id;
        let few = Case {
            text: format!("G(\"{place} >= 1\" | \"{place} <= 1\")"),
            ..other
        };
        if let Some(Ok(proof)) = check(&few, Way::FewPlaces).proof.as_deref() {
            diagrams.push(diagram(&net, proof));
        }
        if case.logic == Logic::Ctl || !holds {
            let header = Header {
                net: net.digest(),
                logic: match case.logic {
                    Logic::Ltl => dalsegno::verify::claim::Logic::Ltl,
                    _ => dalsegno::verify::claim::Logic::Ctl,
                },
                dead_ends: match case.dead_ends {
                    DeadEnds::Stutter => dalsegno::verify::claim::DeadEnds::Stutter,
                    DeadEnds::Finite => dalsegno::verify::claim::DeadEnds::Finite,
                    DeadEnds::Ignore => dalsegno::verify::claim::DeadEnds::Ignore,
                },
                holds: !holds,
                property: case.text.clone(),
                linear: false,
            };
            let claim = Claim::new(&header, &net).unwrap();
            failing += 1;
            violated += usize::from(case.logic == Logic::Ltl);
            forged += false_files(&mut rng, &net, &header, &claim, &diagrams);
        }
    }
    println!(
        "{accepted} proofs accepted ({linear} of LTL), {symbolic} from sets, {on_few_places} on few places, {by_multipliers} by multipliers, {failing} ({violated} of LTL) false claims with {forged} forged files, {unknown} unknown, {endless} without end"
    );
    assert!(accepted > pairs / 4 && failing > pairs / 8 && forged > pairs);
    assert!(symbolic > pairs / 8 && on_few_places > pairs / 20 && by_multipliers > 0);
}

#[test]
fn numbers_of_states_are_certified() {
    let mut rng = Rng::new(11);
    let mut accepted = 0;
    for _ in 0..40 {
        let net = random_net(&mut rng);
        let source = Source::of_net(net.clone());
        let settings = Settings {
            proofs: true,
            ..Settings::default()
        };
        let mut run = Run::new(&source, settings);
        let number = run.ask(Asked::survey());
        run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
        let answer = run.answer_to(number);
        let proof = match answer.proof.as_deref() {
            Some(Ok(proof)) => proof,
            other => panic!("{other:?}"),
        };
        let net = read(&net);
        for mode in [Mode::Enumerate, Mode::Walk] {
            verify(&net, &proof.bytes, options(mode)).unwrap();
        }
        accepted += 1;
        let (header, at) = Header::parse(&proof.bytes).unwrap();
        let count: u64 = header.property.parse().unwrap();
        for wrong in [count + 1, count.saturating_sub(1)] {
            let header = Header {
                property: wrong.to_string(),
                ..header.clone()
            };
            let mut file = header.show().into_bytes();
            file.extend_from_slice(&proof.bytes[at..]);
            refused(&net, &file, "another number");
        }
    }
    assert_eq!(accepted, 40);
}

#[test]
fn damaged_files_are_errors_with_a_place() {
    let mut rng = Rng::new(5);
    let case = Case {
        net: random_net(&mut rng),
        text: "G(deadlock | !deadlock)".to_owned(),
        logic: Logic::Ltl,
        dead_ends: DeadEnds::Stutter,
    };
    let answer = check(&case, Way::Auto);
    let Some(Ok(proof)) = answer.proof.as_deref() else {
        panic!("it holds");
    };
    let net = read(&case.net);
    for length in 0..proof.bytes.len() {
        let cut = verify(&net, &proof.bytes[..length], Options::default());
        assert!(matches!(
            cut,
            Err(Failure::Error(..) | Failure::Refused(..))
        ));
    }
    for _ in 0..20_000 {
        let mut file = proof.bytes.clone();
        for _ in 0..=rng.below(4) {
            let at = rng.index(file.len());
            match rng.below(3) {
                0 => file[at] = rng.below(256) as u8,
                1 => file.insert(at, [0, 127, 128, 255][rng.index(4)]),
                _ => drop(file.remove(at)),
            }
        }
        let _ = verify(
            &net,
            &file,
            options([Mode::Enumerate, Mode::Walk][rng.index(2)]),
        );
    }
}

#[test]
fn the_number_of_states_of_a_large_net_is_certified_from_sets() {
    let net = dalsegno::models::petri::generators::Family::Kanban
        .generate(6)
        .unwrap();
    let source = Source::of_net(net.clone());
    let settings = Settings {
        proofs: true,
        proof_way: Way::Symbolic,
        ..Settings::default()
    };
    let mut run = Run::new(&source, settings);
    let number = run.ask(Asked::survey());
    run.answer(&Budget::unlimited(), &mut |_| {}).unwrap();
    let answer = run.answer_to(number);
    let Some(Ok(proof)) = answer.proof.as_deref() else {
        panic!("{:?}", answer.proof);
    };
    let proved = verify(&read(&net), &proof.bytes, options(Mode::Walk)).unwrap();
    assert_eq!(proved.markings, Some(11_261_376));
}
