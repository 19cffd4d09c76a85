//! Stubborn sets in products, against full searches.

use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::hoa::{self, Content};
use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::reaction::Reaction;
use dalsegno_automata::{Automaton, LazyTesting, TestingKind, Translation};
use dalsegno_certify::replay;
use dalsegno_kripke::{DeadEnds, Letter};
use dalsegno_logic::random::{Config as Formulas, Generator};
use dalsegno_logic::{FormulaId, FormulaStore, parse};

use super::*;
use crate::emptiness::{Config, Emptiness, Firing, Search};
use crate::flood::emptiness::{Checked, Config as How, Verdict, When};
use crate::flood::{self, local};
use crate::moves::Moves;
use crate::product::Product;
use crate::search_order::SearchOrder;
use crate::stubborn::Flaw;
use crate::view::View;
use crate::witness;

/// Which automaton watches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Watch {
    Letters(Kind),
    /// With one run per word, if the formula has such an automaton and is stutter-invariant.
    Deterministic,
    Ta,
    Tgta,
    Lazy,
}

pub(super) const WATCHES: [Watch; 6] = [
    Watch::Letters(Kind::Tgba),
    Watch::Letters(Kind::Ba),
    Watch::Deterministic,
    Watch::Ta,
    Watch::Tgta,
    Watch::Lazy,
];

/// The observer of a formula, with the names of what it observes.
pub(super) fn observer(
    store: &mut FormulaStore,
    f: FormulaId,
    watch: Watch,
) -> Option<(Observer, Vec<String>)> {
    let budget = Budget::unlimited();
    let mut translation = Translation::new(store, f, &budget);
    let letters = |a: Automaton| {
        let names = a.propositions().to_vec();
        (Observer::new(a), names)
    };
    Some(match watch {
        Watch::Letters(Kind::Ba) => letters(translation.ba().unwrap()),
        Watch::Letters(_) => letters(translation.tgba().unwrap()),
        Watch::Deterministic => {
            let (a, names) = letters(translation.tgba().unwrap());
            if !translation.is_stutter_invariant().unwrap() {
                return None;
            }
            (a.of_invariant_language(), names)
        }
        Watch::Ta | Watch::Tgta => {
            let t = match watch {
                Watch::Ta => translation.ta().ok()?,
                _ => translation.tgta().unwrap(),
            };
            let names = t.propositions().to_vec();
            (Observer::of_testing(t), names)
        }
        Watch::Lazy => {
            let lazy = translation.lazy_tgta().unwrap();
            let names = lazy.automaton().propositions().to_vec();
            (Observer::lazy(lazy), names)
        }
    })
}

/// A model, what its propositions mean, and a formula that no run should satisfy.
pub(super) struct Case {
    pub model: Arc<Model>,
    pub atoms: Vec<(&'static str, Predicate)>,
    pub store: FormulaStore,
    pub f: FormulaId,
    pub dead_ends: DeadEnds,
}

impl Case {
    /// Searches with an observer; what was found, with its run replayed.
    pub fn search(
        &mut self,
        (observer, names): &(Observer, Vec<String>),
        config: Config,
    ) -> Search {
        let meaning = |name: &String| {
            let mut atoms = self.atoms.iter();
            let found = atoms.find(|(atom, _)| atom == name);
            found.expect("a proposition of the case").1.clone()
        };
        let predicates: Vec<Predicate> = names.iter().map(meaning).collect();
        let mut space = Space::new(&self.model);
        let mut view = View::new(&self.model, predicates, observer.clone(), self.dead_ends);
        let mut product = Product::new(&mut space, &mut view);
        let budget = Budget::unlimited();
        let mut search = Emptiness::new(&mut product, config);
        let ended = search.advance(&mut product, u64::MAX, &budget, |_| {});
        assert_eq!(ended, Ok(true));
        let search = search.result();
        if let Some(accepting) = &search.accepting {
            let run = witness::run(&mut product, accepting, &search.visited, &budget);
            let negation = self.store.not(self.f);
            let props = self.store.propositions(self.f);
            let atoms = props.iter().map(|&p| {
                let name = self.store.name(p);
                let mut atoms = self.atoms.iter();
                (p, atoms.find(|(atom, _)| *atom == name).unwrap().1.clone())
            });
            let atoms: Vec<_> = atoms.collect();
            let model = product.space().model();
            let (run, ends) = (run.unwrap(), self.dead_ends);
            replay::refute(model, &run, ends, &self.store, negation, &atoms).unwrap();
        }
        search
    }

    /// Whether floods find a run, with all sets that need no release; the nodes that they see.
    pub fn floods(
        &self,
        (observer, names): &(Observer, Vec<String>),
        workers: usize,
        stubborn: When,
    ) -> (bool, u64) {
        let meaning = |name: &String| {
            let mut atoms = self.atoms.iter();
            let found = atoms.find(|(atom, _)| atom == name);
            found.expect("a proposition of the case").1.clone()
        };
        let predicates: Vec<Predicate> = names.iter().map(meaning).collect();
        let moves = Moves::new(&self.model, predicates, observer.clone(), self.dead_ends);
        let how = How {
            prefixes: false,
            stubborn,
        };
        let budget = Budget::unlimited();
        let all = local::run(workers, |crew| {
            flood::emptiness::check(crew, &self.model, &moves, how, &budget)
        });
        let all: Vec<Checked> = all.unwrap().into_iter().map(Result::unwrap).collect();
        let accepted = matches!(all[0].verdict, Verdict::Accepted(_));
        assert!(accepted || all[0].verdict == Verdict::Empty);
        (accepted, all[0].explored.states)
    }
}

/// Formulas that observe less and less.
const NARROWING: [&str; 6] = [
    "F(a & F(b & F c))",
    "a U (b & G c)",
    "F a & F(b & G c)",
    "a U (b U G F c)",
    "F(a & b & G F c)",
    "F(a & G(b -> F c))",
];

/// Whether some free state sees some propositions but not all.
fn narrows((observer, names): &(Observer, Vec<String>)) -> bool {
    let mut observer = observer.clone();
    let n = names.len();
    let every = (1_u64 << n) - 1;
    let letters: Vec<Letter> = (0..1 << n).map(Letter).collect();
    let mut open = Vec::new();
    for &l in &letters {
        open.extend(observer.initial(l).iter().map(|&(q, _)| (q, l)));
    }
    let mut next = 0;
    while next < open.len() && next < 100 {
        let (q, l) = open[next];
        next += 1;
        if let Reaction::Free { visible, .. } = observer.reaction(q, l, &[1; 3])
            && visible & every != every
            && visible & every != 0
        {
            return true;
        }
        for &to in &letters {
            for &(p, _) in observer.step(q, l, to) {
                if !open.contains(&(p, to)) {
                    open.push((p, to));
                }
            }
        }
    }
    false
}

/// A random case whose product is not too large.
pub(super) fn random_case(rng: &mut Rng, number: u64) -> Option<Case> {
    let model = random_model(rng, number);
    let states = explored(&model, 200)?.len();
    if states < 6 {
        return None;
    }
    let atoms = ["a", "b", "c"].map(|name| (name, random_predicate(rng, &model, 1)));
    let formulas = match rng.index(3) {
        0 => Formulas::ltl(),
        _ => Formulas::x_free(),
    };
    let formulas = formulas.with_size(3..=11).with_seed(number);
    let mut store = FormulaStore::new();
    let mut generator = Generator::new(formulas.with_propositions(["a", "b", "c"]));
    let f = if number % 8 == 7 {
        let patterns = NARROWING.map(|text| parse(&mut store, text).unwrap());
        patterns[rng.index(patterns.len())]
    } else {
        generator.next_formula(&mut store)
    };
    Some(Case {
        model,
        atoms: atoms.into(),
        store,
        f,
        dead_ends: [DeadEnds::Stutter, DeadEnds::Ignore][rng.index(2)],
    })
}

/// How a case is searched.
pub(super) fn config(rng: &mut Rng, number: u64) -> Config {
    let orders = [
        SearchOrder::Declared,
        SearchOrder::Reversed,
        SearchOrder::Random(number),
    ];
    let firings = [Firing::Stubborn, Firing::Random(number)];
    Config {
        order: orders[rng.index(3)],
        firing: firings[rng.index(2)],
        ..Config::default()
    }
}

#[test]
fn every_kind_of_automaton_finds_what_it_finds_without() {
    let mut rng = Rng::new(21);
    let mut counts = [[0_u64; 5]; WATCHES.len()];
    let mut flood_nodes = (0, 0);
    for number in 0..campaign(2000) {
        let Some(mut case) = random_case(&mut rng, number) else {
            continue;
        };
        let f = case.f;
        let plain = observer(&mut case.store, f, WATCHES[0]).unwrap();
        let full = case.search(&plain, Config::default());
        let expected = full.accepting.is_some();
        // Most formulas are decided by a few nodes, and few of those are enough.
        if full.explored.states < 12 && rng.chance(4, 5) {
            continue;
        }
        for (&watch, counts) in WATCHES.iter().zip(&mut counts) {
            let Some(observed) = observer(&mut case.store, f, watch) else {
                continue;
            };
            let config = config(&mut rng, number);
            let found = case.search(&observed, config);
            let what = (number, watch, config, case.dead_ends);
            let text = case.store.display(f).to_string();
            let (atoms, model) = (&case.atoms, &case.model);
            assert_eq!(
                found.accepting.is_some(),
                expected,
                "{what:?} {text} {atoms:?} {model:?}"
            );
            assert!(found.complete || expected);
            let (flooded, nodes) = case.floods(&observed, 1, When::Always);
            assert_eq!(
                flooded, expected,
                "{what:?} {text} {atoms:?} {model:?}, floods"
            );
            if number % 4 == 0 {
                let same = case.floods(&observed, 2 + number as usize % 2, When::Always);
                assert_eq!(same, (flooded, nodes), "{what:?} {text}");
            }
            if !expected {
                flood_nodes.0 += nodes;
                flood_nodes.1 += case.floods(&observed, 1, When::Never).1;
            }
            counts[0] += 1;
            counts[4] += u64::from(narrows(&observed));
            counts[1] += u64::from(expected);
            if !expected {
                let full = Config {
                    firing: Firing::All,
                    ..config
                };
                counts[2] += found.explored.states;
                counts[3] += case.search(&observed, full).explored.states;
            }
        }
    }
    let (nodes, all) = flood_nodes;
    println!("floods: {nodes} of {all} nodes");
    assert!(nodes < all);
    for (watch, [cases, failed, states, full, narrow]) in WATCHES.iter().zip(counts) {
        println!(
            "{watch:?}: {cases} cases, {narrow} see less and less, {failed} runs, {states} of {full} nodes"
        );
        let masks = matches!(watch, Watch::Tgta | Watch::Lazy);
        assert!(!masks || narrow > cases / 10, "{watch:?}: {narrow}");
        assert!(failed > 10 && failed < cases && states < full, "{watch:?}");
    }
}

/// The same language, split by whether a random deterministic monitor takes certain edges infinitely often: the parts
/// count steps, and their union does not.
fn split(a: &Automaton, rng: &mut Rng) -> Automaton {
    use std::fmt::Write;

    const MONITOR: usize = 2;
    let n = a.propositions().len();
    let letters: Vec<Letter> = (0..1 << n).map(Letter).collect();
    let mut entry = |_| (rng.index(MONITOR), rng.chance(1, 3));
    let monitor: Vec<Vec<(usize, bool)>> = (0..MONITOR)
        .map(|_| letters.iter().map(&mut entry).collect())
        .collect();
    let part = a.len() * MONITOR;
    let extra = a.acceptance_sets();
    let mut text = format!("HOA: v1\nStates: {}\n", 3 * part);
    for q in a.initial() {
        let first = q.index() * MONITOR;
        write!(text, "Start: {first}\nStart: {}\n", part + first).unwrap();
    }
    let names: Vec<String> = a.propositions().iter().map(|p| format!("{p:?}")).collect();
    writeln!(text, "AP: {n} {}", names.join(" ")).unwrap();
    let sets: Vec<String> = (0..=extra).map(|i| format!("Inf({i})")).collect();
    write!(
        text,
        "Acceptance: {} {}\n--BODY--\n",
        extra + 1,
        sets.join("&")
    )
    .unwrap();
    for copy in 0..3 {
        for q in a.states() {
            for (m, row) in monitor.iter().enumerate() {
                writeln!(text, "State: {}", copy * part + q.index() * MONITOR + m).unwrap();
                for (letter, &(next, marked)) in letters.iter().zip(row) {
                    let literal = |i| format!("{}{i}", if letter.holds(i) { "" } else { "!" });
                    let guard: Vec<String> = (0..n).map(literal).collect();
                    let guard = if n == 0 {
                        "t".to_owned()
                    } else {
                        guard.join("&")
                    };
                    for e in a.enabled(q, *letter) {
                        let target = e.target.index() * MONITOR + next;
                        let own = (0..extra).filter(|i| e.marks.0 >> i & 1 == 1);
                        let more = (copy == 2 || marked).then_some(extra);
                        let marks: Vec<String> = own.chain(more).map(|i| i.to_string()).collect();
                        let marks = marks.join(" ");
                        match copy {
                            0 => writeln!(text, "[{guard}] {target} {{{marks}}}").unwrap(),
                            1 => {
                                writeln!(text, "[{guard}] {}", part + target).unwrap();
                                writeln!(text, "[{guard}] {}", 2 * part + target).unwrap();
                            }
                            _ if marked => {}
                            _ => {
                                let target = 2 * part + target;
                                writeln!(text, "[{guard}] {target} {{{marks}}}").unwrap();
                            }
                        }
                    }
                }
            }
        }
    }
    text.push_str("--END--\n");
    match hoa::read_one(&text).unwrap().content {
        Content::Automaton(a) => a,
        Content::Testing(_) => panic!("an automaton over letters"),
    }
}

#[test]
fn automata_that_nobody_translates() {
    let mut rng = Rng::new(31);
    let (mut cases, mut runs, mut states, mut whole) = (0, 0, 0, 0);
    for number in 0..campaign(800) {
        let Some(mut case) = random_case(&mut rng, number) else {
            continue;
        };
        let f = case.f;
        let budget = Budget::unlimited();
        let mut translation = Translation::new(&mut case.store, f, &budget);
        if !translation.is_stutter_invariant().unwrap() {
            continue;
        }
        let plain = translation.tgba().unwrap();
        if plain.is_empty() {
            continue;
        }
        let a = split(&plain, &mut rng);
        let names = a.propositions().to_vec();
        let free = vec![Bdd::TRUE; a.len()];
        let lazy = LazyTesting::new(a.clone(), TestingKind::Tgta, free);
        let expected = (Observer::new(plain.clone()), plain.propositions().to_vec());
        let expected = case
            .search(&expected, Config::default())
            .accepting
            .is_some();
        for observer in [Observer::new(a), Observer::lazy(lazy)] {
            let observed = (observer, names.clone());
            let config = config(&mut rng, number);
            let found = case.search(&observed, config);
            let text = case.store.display(f).to_string();
            let (atoms, model) = (&case.atoms, &case.model);
            let is = found.accepting.is_some();
            assert_eq!(
                is, expected,
                "{number} {config:?} {text} {atoms:?} {model:?}"
            );
            cases += 1;
            runs += u64::from(expected);
            if !expected {
                states += found.explored.states;
                let full = Config {
                    firing: Firing::All,
                    ..config
                };
                whole += case.search(&observed, full).explored.states;
            }
        }
    }
    println!("{cases} cases, {runs} runs, {states} of {whole} nodes");
    assert!(runs > 10 && runs < cases && states < whole);
}

/// Cases in which the search of a kind of automaton without a rule is wrong; one is enough unless more are asked for.
fn wrong_without(flaw: Flaw, watch: Watch, seed: u64, count: u64) -> (u64, u64) {
    let mut rng = Rng::new(seed);
    let (mut wrong, mut cases) = (0, 0);
    let all = std::env::var("DALSEGNO_STUBBORN").is_ok();
    for number in 0..count {
        if wrong > 0 && !all {
            break;
        }
        let Some(mut case) = random_case(&mut rng, number) else {
            continue;
        };
        let f = case.f;
        let Some(observed) = observer(&mut case.store, f, watch) else {
            continue;
        };
        let full = case.search(&observed, Config::default());
        FLAW.set(Some(flaw));
        let config = config(&mut rng, number);
        let found = case.search(&observed, config);
        FLAW.set(None);
        cases += 1;
        wrong += u64::from(full.accepting.is_some() != found.accepting.is_some());
    }
    (wrong, cases)
}

#[test]
fn no_rule_can_be_left_out() {
    let flaws = [
        (Flaw::NoRelease, Watch::Tgta),
        (Flaw::NoValues, Watch::Tgta),
        (Flaw::NoStep, Watch::Tgta),
        (Flaw::OwnMask, Watch::Tgta),
        (Flaw::NoQuiet, Watch::Letters(Kind::Tgba)),
    ];
    for (flaw, watch) in flaws {
        let (wrong, cases) = wrong_without(flaw, watch, 77, campaign(0).max(20_000));
        println!("{flaw:?}: {wrong} of {cases} wrong");
        assert!(wrong > 0, "{flaw:?} is not needed in {cases} cases");
    }
}

/// N1: releasing one node of each component is not enough.
#[test]
fn every_cycle_has_a_released_node() {
    let [k0, k, c, v, w, l, m] = [0, 1, 2, 3, 4, 5, 6].map(VarId);
    let group = |name: &str, pre: &[(VarId, u32)], inhibit: &[(VarId, u32)], delta: &[_]| {
        let linear = Linear::new(pre.to_vec(), inhibit.to_vec(), delta.to_vec());
        Group::linear(name, linear.unwrap())
    };
    let groups = vec![
        group("t0", &[(k0, 1), (c, 1)], &[], &[(k0, -1), (k, 1)]),
        group("t1", &[(k, 1), (c, 1)], &[], &[(k, -1), (c, -1), (k0, 1)]),
        group("t2", &[(v, 1)], &[], &[(v, -1), (w, 1)]),
        group("t3", &[(w, 1)], &[(c, 1)], &[(w, -1), (v, 1), (c, 1)]),
        group("t4", &[(l, 1), (k, 1)], &[], &[(l, -1), (m, 1)]),
        group("t5", &[(m, 1)], &[], &[(m, -1), (l, 1)]),
    ];
    let initial = vec![1, 0, 0, 1, 0, 1, 0];
    let model = Model::new("n1", variables(7), vec![initial], groups).unwrap();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "G F a").unwrap();
    let mut case = Case {
        model: Arc::new(model),
        atoms: vec![("a", Predicate::single(v, Relation::Ge, 1))],
        store,
        f,
        dead_ends: DeadEnds::Stutter,
    };
    for watch in WATCHES {
        let observed = observer(&mut case.store, f, watch).unwrap();
        for seed in 0..campaign(200) {
            let config = Config {
                order: SearchOrder::Random(seed),
                firing: Firing::Random(seed),
                ..Config::default()
            };
            let found = case.search(&observed, config);
            assert!(found.accepting.is_some(), "{watch:?} {seed}");
        }
    }
}

/// N2, with the automaton over these propositions.
fn parity(propositions: &str) -> (Case, Automaton) {
    const STATES: &str = r"Acceptance: 1 Inf(0)
--BODY--
State: 0
[!0] 1
[0] 4 {0}
State: 1
[!0] 0
State: 2
[!0] 3
State: 3
[!0] 2
[0] 4 {0}
State: 4
[0] 4 {0}
--END--
";
    let [x, y, i, d] = [0, 1, 2, 3].map(VarId);
    let groups = vec![step("xy", x, y), step("yx", y, x), step("id", i, d)];
    let model = Model::new("n2", variables(4), vec![vec![1, 0, 1, 0]], groups).unwrap();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "!d U G d").unwrap();
    let case = Case {
        model: Arc::new(model),
        atoms: vec![
            ("d", Predicate::single(d, Relation::Ge, 1)),
            ("y", Predicate::single(y, Relation::Ge, 1)),
        ],
        store,
        f,
        dead_ends: DeadEnds::Stutter,
    };
    let text = format!("HOA: v1\nStates: 5\nStart: 0\nStart: 2\nAP: {propositions}\n{STATES}");
    let Content::Automaton(a) = hoa::read_one(&text).unwrap().content else {
        panic!("an automaton over letters");
    };
    (case, a)
}

/// N2: an automaton whose runs guess how many steps come before `d`. Moving steps changes the number, so a search that looks at
/// its states must not.
#[test]
fn runs_that_count_steps_are_not_moved() {
    let (mut case, a) = parity("1 \"d\"");
    let free = vec![Bdd::TRUE; a.len()];
    let lazy = LazyTesting::new(a.clone(), TestingKind::Tgta, free);
    for observer in [Observer::new(a), Observer::lazy(lazy)] {
        let observed = (observer, vec!["d".to_owned()]);
        for seed in 0..campaign(100) {
            for firing in [Firing::Stubborn, Firing::Random(seed)] {
                let config = Config {
                    order: SearchOrder::Random(seed),
                    firing,
                    ..Config::default()
                };
                assert!(case.search(&observed, config).accepting.is_some(), "{seed}");
            }
        }
    }
}

/// N2 with another proposition on `y`, which the automaton has and does not look at: it may only be left out of what is visible if
/// its changes do not move the automaton either.
#[test]
fn steps_and_visibility_have_the_same_mask() {
    const BOTH: u64 = 0b11;
    const D: u64 = 0b01;
    let mut wrong = [0; 3];
    let count = campaign(40).max(1);
    for seed in 0..count {
        let (mut case, a) = parity("2 \"d\" \"y\"");
        let free = vec![Bdd::TRUE; a.len()];
        let lazy = LazyTesting::new(a, TestingKind::Tgta, free.clone());
        // All words together are a stutter-invariant language, and all states see the same.
        let masked = lazy.clone().with_masks(&vec![true; free.len()]);
        let observers = [(lazy.clone(), None), (masked, None), (lazy, Some(D))];
        for ((lazy, visible), wrong) in observers.into_iter().zip(&mut wrong) {
            let mut observer = Observer::lazy(lazy);
            let (q, _) = observer.initial(Letter(0))[0];
            let Reaction::Free { visible: own, .. } = observer.reaction(q, Letter(0), &[1, 1])
            else {
                panic!("stuttering is free");
            };
            assert!(visible.is_none() || own & BOTH == BOTH);
            let observed = (observer, vec!["d".to_owned(), "y".to_owned()]);
            let config = Config {
                order: SearchOrder::Random(seed),
                firing: Firing::Random(seed),
                ..Config::default()
            };
            FLAW.set(visible.map(Flaw::UnmaskedSteps));
            let found = case.search(&observed, config);
            FLAW.set(None);
            *wrong += u64::from(found.accepting.is_none());
        }
    }
    println!("of {count} searches wrong: {wrong:?}");
    assert_eq!(wrong[..2], [0, 0], "there is a run");
    assert!(wrong[2] > 0, "the mutant finds all runs");
}

/// A token moves.
fn step(name: &str, from: VarId, to: VarId) -> Group {
    let linear = Linear::new(vec![(from, 1)], vec![], vec![(from, -1), (to, 1)]);
    Group::linear(name, linear.unwrap())
}

/// N3: a lone stuttering loop does not make a state free.
#[test]
fn a_state_that_counts_steps_is_not_free() {
    let [not_a, a, i, d] = [0, 1, 2, 3].map(VarId);
    let groups = vec![
        step("up", not_a, a),
        step("down", a, not_a),
        step("once", i, d),
    ];
    let model = Model::new("n3", variables(4), vec![vec![1, 0, 1, 0]], groups).unwrap();
    let mut store = FormulaStore::new();
    let f = parse(&mut store, "F (a & X a)").unwrap();
    let mut case = Case {
        model: Arc::new(model),
        atoms: vec![("a", Predicate::single(a, Relation::Ge, 1))],
        store,
        f,
        dead_ends: DeadEnds::Stutter,
    };
    for watch in WATCHES {
        let Some(observed) = observer(&mut case.store, f, watch) else {
            continue;
        };
        for seed in 0..campaign(100) {
            for firing in [Firing::Stubborn, Firing::Random(seed)] {
                let config = Config {
                    order: SearchOrder::Random(seed),
                    firing,
                    ..Config::default()
                };
                let found = case.search(&observed, config);
                assert!(found.accepting.is_some(), "{watch:?} {seed}");
            }
        }
    }
}
