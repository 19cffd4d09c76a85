//! Valid texts in all formats, from which damaged ones are made.
//!
//! Where there is a writer it makes the texts; the rest are small files.

use dalsegno::kind::Kind;
use dalsegno::kripke::Budget;
use dalsegno::logic::random::{Config, Generator, Rng};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::etf;
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{PetriNet, pnml};
use dalsegno::proof::Way;
use dalsegno::{
    Asked, Format as Output, Logic, Problem, Run, Settings, Source, report, to_etf, translate,
};
use dalsegno_testkit::{formulas, nets};

use crate::format::Format;
use crate::subject;

/// The texts of each format.
#[derive(Clone, Debug)]
pub struct Seeds {
    texts: Vec<Vec<Vec<u8>>>,
}

impl Seeds {
    /// All of them.
    ///
    /// # Panics
    /// If a writer of dalsegno does not work on one of its own models.
    #[must_use]
    pub fn new() -> Self {
        let texts = Format::READERS.map(|format| match format {
            Format::Pnml => nets_as_pnml(),
            Format::Properties => files(&PROPERTIES),
            Format::Dve => files(&PROGRAMS),
            Format::Etf => tables(),
            Format::Formula => infix(),
            Format::Lbt => prefix(),
            Format::Proposition => files(&PROPOSITIONS),
            Format::Hoa => automata(),
            Format::Witness => witnesses(),
            Format::Certificate => certificates(),
            Format::Pair => Vec::new(),
        });
        Seeds {
            texts: texts.to_vec(),
        }
    }

    /// The texts of a format.
    #[must_use]
    pub fn of(&self, format: Format) -> &[Vec<u8>] {
        let index = Format::READERS.iter().position(|&f| f == format);
        index.map_or(&[], |i| &self.texts[i])
    }
}

impl Default for Seeds {
    fn default() -> Self {
        Self::new()
    }
}

/// Proofs of all kinds about the subject.
fn certificates() -> Vec<Vec<u8>> {
    let claims = [
        (
            Logic::Ltl,
            "G(p -> \"p + r >= 1\") | F deadlock",
            Way::Explicit,
        ),
        (Logic::Ltl, "G \"p + 2*q <= 3\"", Way::Symbolic),
        (
            Logic::Ctl,
            "AG(EF p | EX !deadlock) & !E(p U \"q = 9\")",
            Way::Explicit,
        ),
        (Logic::Ctl, "AG \"p + 2*q <= 3\"", Way::Linear),
    ];
    let source = Source::of_net(subject::net());
    let mut found = Vec::new();
    for (logic, text, way) in claims {
        let settings = Settings {
            proofs: true,
            proof_way: way,
            ..Settings::default()
        };
        let mut run = Run::new(&source, settings);
        let number = run.ask(Asked::formula(logic, text));
        let _ = run.answer(&Budget::unlimited(), &mut |_| {});
        match run.answer_to(number).proof.as_deref() {
            Some(Ok(proof)) => found.push(proof.bytes.clone()),
            other => panic!("{text}: {other:?}"),
        }
    }
    found
}

const NETS: [&str; 3] = [
    include_str!("../seeds/pages.pnml"),
    include_str!("../seeds/dialects.pnml"),
    include_str!("../seeds/coloured.pnml"),
];

const PROPERTIES: [&str; 4] = [
    include_str!("../seeds/ltl.xml"),
    include_str!("../seeds/ctl.xml"),
    include_str!("../seeds/reachability.xml"),
    include_str!("../seeds/bounds.xml"),
];

const PROGRAMS: [&str; 4] = [
    include_str!("../seeds/handshake.dve"),
    include_str!("../seeds/buffers.dve"),
    include_str!("../seeds/arrays.dve"),
    include_str!("../seeds/counter.dve"),
];

const TABLES: [&str; 2] = [
    include_str!("../seeds/tables.etf"),
    include_str!("../seeds/labels.etf"),
];

const AUTOMATA: [&str; 3] = [
    include_str!("../seeds/aliases.hoa"),
    include_str!("../seeds/implicit.hoa"),
    include_str!("../seeds/two.hoa"),
];

/// Formulas with everything that the infix syntax has and printers do not write.
const FORMULAS: [&str; 16] = [
    "[](p -> <>q) && true",
    "p => q --> r ⇒ F1",
    "!p U ~q V r W p M q",
    "p=1 & q=0 xor r ^ p",
    "A[p U q] | E[q R r]",
    "AGEFp & AFEG q",
    "\"p + 2*q <= r\" U \"fireable(t, u)\"",
    "\"'a b' >= 1\" -> \"deadlock\"",
    "GF1",
    "(((((p)))))",
    "∀□(p ∨ ¬q) ∧ ∃◇(p ↔ ⊤)",
    "G(G | X2) & F X X p",
    "() <> [] p \\/ q /\\ r",
    "\"quoted \\\" name\" & \"\\\\\"",
    "F1 U G",
    "E(GF p & GF q) -> A(FG r | X(p <-> q))",
];

const PROPOSITIONS: [&str; 14] = [
    "p",
    "t",
    "p + 2*q <= r",
    "-p + 3 > 2",
    "'a b' >= 1",
    "F1 = 0",
    "fireable(t, u)",
    "fireable('X2')",
    "deadlock",
    "deadlock()",
    "true",
    "9223372036854775807 >= p",
    "p - q + r - 1 != 2*p",
    "p ≤ q",
];

fn files(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A net in PNML.
///
/// # Panics
/// Never: memory is writable.
#[must_use]
pub fn net_to_pnml(net: &PetriNet) -> Vec<u8> {
    let mut text = Vec::new();
    pnml::write(net, &mut text).expect("memory is writable");
    text
}

fn small_nets() -> Vec<PetriNet> {
    let mut small = vec![subject::net()];
    for (family, n) in [
        (Family::Kanban, 1),
        (Family::Philosophers, 2),
        (Family::Mutex, 2),
        (Family::Ring, 3),
        (Family::ReadersWriters, 2),
    ] {
        small.push(family.generate(n).expect("a net"));
    }
    let mut rng = Rng::new(1);
    for _ in 0..3 {
        small.push(nets::random_net(&mut rng));
        small.push(nets::wild_net(&mut rng));
    }
    small
}

fn nets_as_pnml() -> Vec<Vec<u8>> {
    let mut texts = files(&NETS);
    texts.extend(small_nets().iter().map(net_to_pnml));
    for (family, n) in [(Family::Philosophers, 2), (Family::TokenRing, 2)] {
        let net = family.generate_coloured(n).expect("a coloured net");
        let mut text = Vec::new();
        pnml::write_coloured(&net, &mut text).expect("memory is writable");
        texts.push(text);
    }
    texts
}

fn tables() -> Vec<Vec<u8>> {
    let mut texts = files(&TABLES);
    let mut rng = Rng::new(2);
    for _ in 0..2 {
        let budget = Budget::unlimited();
        let problem = Problem::of_net(nets::random_net(&mut rng), &budget);
        let tables = to_etf(&problem, &budget).expect("a bounded net");
        let mut text = Vec::new();
        etf::write(&tables, &mut text).expect("memory is writable");
        texts.push(text);
    }
    texts
}

fn infix() -> Vec<Vec<u8>> {
    let mut texts = files(&FORMULAS);
    texts.extend(files(&formulas::LTL));
    texts.extend(files(&formulas::CTL));
    texts.extend(files(&formulas::CTL_STAR));
    texts.extend(files(&formulas::TRAPS));
    texts
}

fn prefix() -> Vec<Vec<u8>> {
    let mut store = FormulaStore::new();
    let configs = [Config::ltl(), Config::ctl(), Config::ctl_star()];
    let drawn = configs.map(|config| {
        let config = config.with_propositions(["p0", "p1", "ack", "a b"]);
        let mut generator = Generator::new(config.with_size(1..=12).with_seed(5));
        let texts: Vec<Vec<u8>> = (0..12)
            .map(|_| {
                let f = generator.next_formula(&mut store);
                store.display_lbt(f).to_string().into_bytes()
            })
            .collect();
        texts
    });
    drawn.into_iter().flatten().collect()
}

fn automata() -> Vec<Vec<u8>> {
    let mut texts = files(&AUTOMATA);
    let list = [
        "1",
        "a U b",
        "G(a -> F b)",
        "GFa & GFb",
        "FG(a | \"x <= 2\")",
    ];
    for text in list {
        for kind in [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta] {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).expect("a formula");
            let options = dalsegno::Options {
                kind,
                ..dalsegno::Options::default()
            };
            let budget = Budget::unlimited();
            let translation = translate(&mut store, f, &options, &budget).expect("an automaton");
            let mut out = Vec::new();
            translation
                .write(&store, text, Output::Hoa, &mut out)
                .expect("memory is writable");
            texts.push(out);
        }
    }
    texts
}

/// Runs that violate properties, and the beginning of one.
fn witnesses() -> Vec<Vec<u8>> {
    let properties = [
        ["G p", "F(q & X !q)", "G F \"p >= 3\""],
        ["G !deadlock", "F \"Think > 5\"", "G(\"Think >= 1\")"],
    ];
    let mut texts = Vec::new();
    for (source, properties) in subject::sources().iter().zip(properties) {
        for text in properties {
            let answer = source.check(text).expect("a formula over names of the net");
            let Some(run) = answer.run() else {
                continue;
            };
            let mut value = report::run_to_json(subject::problem(source).model(), run);
            value["formula"] = text.into();
            value["dead_ends"] = "stutter".into();
            texts.push(value.to_string().into_bytes());
            value["cycle"] = serde_json::json!([]);
            texts.push(value.to_string().into_bytes());
        }
    }
    texts
}
