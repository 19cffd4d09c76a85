//! Processes that talk over loopback find what threads of one process find. Here each "process" is a thread with its own
//! sockets; the tests of the program run real ones.

#[path = "../../dalsegno-explicit/tests/subjects/mod.rs"]
mod subjects;

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use dalsegno_automata::observer::Kind;
use dalsegno_cluster::{Failure, Greeting, Hosts, Member, run};
use dalsegno_explicit::emptiness::Firing;
use dalsegno_explicit::flood::emptiness::{Checked, Config, Verdict, When, check};
use dalsegno_explicit::flood::{Crew, Lost, explore::explore, local};
use dalsegno_explicit::moves::Moves;
use dalsegno_kripke::{Budget, DeadEnds, Stop};
use dalsegno_logic::FormulaStore;
use dalsegno_logic::random::{Config as Formulas, Generator, Rng};
use dalsegno_models::petri::generators::Family;
use dalsegno_testkit::random_net;

use subjects::{Subject, kanban_property, net};

const SAME: Greeting = Greeting {
    version: 1,
    model: 2,
    task: 3,
};

/// Addresses that nobody listens at.
fn addresses(count: usize) -> Vec<String> {
    let taken: Vec<TcpListener> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let address = |listener: &TcpListener| listener.local_addr().unwrap().to_string();
    taken.iter().map(address).collect()
}

/// Runs a program on several processes with several threads each; the results of all threads.
fn processes<R: Send + 'static>(
    count: usize,
    threads: usize,
    program: impl Fn(&mut Member<'_>) -> Result<R, Lost> + Clone + Send + Sync + 'static,
) -> Vec<R> {
    let addresses = addresses(count);
    let start = |process| {
        let (addresses, program) = (addresses.clone(), program.clone());
        thread::spawn(move || {
            let hosts = Hosts {
                addresses,
                process,
                wait: Duration::from_secs(20),
            };
            run(&hosts, threads, &SAME, &Budget::unlimited(), program).unwrap()
        })
    };
    let started: Vec<_> = (0..count).map(start).collect();
    let results = started.into_iter().flat_map(|one| one.join().unwrap());
    results.map(Result::unwrap).collect()
}

#[test]
fn states_are_counted_by_any_number_of_processes() {
    let model = Arc::new(net(Family::Kanban, 2).to_model());
    let budget = Budget::unlimited();
    let expected = local::run(1, |crew| explore(crew, &model, &budget)).unwrap();
    let expected = expected[0].clone().unwrap();
    for (count, threads) in [(1, 1), (2, 1), (3, 1), (2, 2)] {
        let model = Arc::clone(&model);
        let all = processes(count, threads, move |crew| {
            explore(crew, &model, &Budget::unlimited())
        });
        assert_eq!(all.len(), count * threads);
        for found in all {
            let counts = [found.states, found.transitions, found.dead_ends];
            let known = [expected.states, expected.transitions, expected.dead_ends];
            assert_eq!(counts, known, "{count} processes");
            assert_eq!(found.largest, expected.largest);
        }
    }
}

/// With stubborn sets wherever there are some.
const HOW: Config = Config {
    prefixes: false,
    stubborn: When::Always,
};

/// What one worker of this process finds, and what processes find.
fn compare(moves: &Moves, subject: &Subject, count: usize, threads: usize) -> Verdict {
    let budget = Budget::unlimited();
    let model = &subject.model;
    let expected = local::run(1, |crew| check(crew, model, moves, HOW, &budget)).unwrap();
    let expected = expected[0].clone().unwrap().verdict;
    let (model, moves) = (Arc::clone(model), moves.clone());
    let all: Vec<Checked> = processes(count, threads, move |crew| {
        check(crew, &model, &moves, HOW, &Budget::unlimited())
    });
    assert!(all.iter().all(|found| found.verdict == expected));
    expected
}

#[test]
fn verdicts_and_runs_are_those_of_one_process() {
    let mut rng = Rng::new(30);
    let propositions = ["p0", "p1 >= 2", "fireable(t0)", "p0 + p1 = 1"];
    let count = std::env::var("DALSEGNO_PAIRS").map_or(24, |n| n.parse().unwrap());
    let (mut runs, mut empty) = (0, 0);
    for number in 0..count {
        let net = random_net(&mut rng);
        let formulas = Formulas::x_free().with_size(3..=10);
        let formulas = formulas.with_propositions(propositions).with_seed(number);
        let mut store = FormulaStore::new();
        let f = Generator::new(formulas).next_formula(&mut store);
        let property = store.display(f).to_string();
        let kind = [Kind::Tgba, Kind::Ba, Kind::Tgta, Kind::Ta][number as usize % 4];
        let mut subject = Subject::new(&net, &property, kind);
        let budget = Budget::unlimited().with_states(600);
        let small = local::run(1, |crew| explore(crew, &subject.model, &budget)).unwrap();
        if small[0].as_ref().unwrap().outcome != dalsegno_explicit::explore::Outcome::Complete {
            continue;
        }
        let observer = subject.observer.take().unwrap();
        let predicates = subject.predicates.clone();
        let moves = Moves::new(&subject.model, predicates, observer, DeadEnds::Stutter);
        let (count, threads) = [(2, 1), (3, 1), (2, 2), (1, 3)][number as usize / 4 % 4];
        match compare(&moves, &subject, count, threads) {
            Verdict::Empty => empty += 1,
            _ => runs += 1,
        }
    }
    assert!(runs > 3 && empty > 3, "{runs} runs, {empty} empty");
    let net = net(Family::Kanban, 2);
    let mut subject = Subject::new(&net, &kanban_property(2), Kind::Tgta);
    assert!(subject.search(Firing::All).accepting.is_none());
    let observer = subject.observer.take().unwrap();
    let predicates = subject.predicates.clone();
    let moves = Moves::new(&subject.model, predicates, observer, DeadEnds::Stutter);
    assert_eq!(compare(&moves, &subject, 3, 1), Verdict::Empty);
}

/// What two processes say that greet each other.
fn greet(greetings: [Greeting; 2], threads: [usize; 2]) -> Vec<Result<(), Failure>> {
    let addresses = addresses(2);
    let start = |process: usize| {
        let addresses = addresses.clone();
        thread::spawn(move || {
            let hosts = Hosts {
                addresses,
                process,
                wait: Duration::from_secs(2),
            };
            let nothing = |crew: &mut Member<'_>| crew.index();
            let (threads, greeting) = (threads[process], &greetings[process]);
            run(&hosts, threads, greeting, &Budget::unlimited(), nothing).map(drop)
        })
    };
    let started: Vec<_> = (0..2).map(start).collect();
    started.into_iter().map(|one| one.join().unwrap()).collect()
}

#[test]
fn processes_that_differ_say_so() {
    assert_eq!(greet([SAME, SAME], [1, 1]), [Ok(()), Ok(())]);
    let others = [
        (Greeting { version: 0, ..SAME }, 1, "version"),
        (Greeting { model: 0, ..SAME }, 1, "model"),
        (Greeting { task: 0, ..SAME }, 1, "property"),
        (SAME, 2, "threads"),
    ];
    for (other, threads, word) in others {
        let said = greet([SAME, other], [1, threads]);
        // The first one to notice leaves, and the other may not hear why.
        let texts: Vec<String> = said
            .into_iter()
            .map(|one| one.unwrap_err().to_string())
            .collect();
        assert!(texts.iter().any(|text| text.contains(word)), "{texts:?}");
    }
}

#[test]
fn a_process_alone_waits_and_gives_up() {
    let addresses = addresses(2);
    for process in [0, 1] {
        let hosts = Hosts {
            addresses: addresses.clone(),
            process,
            wait: Duration::from_millis(200),
        };
        let nothing = |crew: &mut Member<'_>| crew.index();
        let said = run(&hosts, 1, &SAME, &Budget::unlimited(), nothing);
        let text = said.unwrap_err().to_string();
        assert!(text.contains("did not come"), "{text}");
        let late = Budget::unlimited().with_time(Duration::ZERO);
        let said = run(&hosts, 1, &SAME, &late, nothing);
        assert_eq!(said, Err(Failure::Stop(Stop::Time)));
    }
}

#[test]
fn a_worker_that_panics_ends_all_processes() {
    let addresses = addresses(2);
    let model = Arc::new(net(Family::Kanban, 2).to_model());
    let start = |process: usize| {
        let (addresses, model) = (addresses.clone(), Arc::clone(&model));
        thread::spawn(move || {
            let hosts = Hosts {
                addresses,
                process,
                wait: Duration::from_secs(2),
            };
            let program = move |crew: &mut Member<'_>| {
                let first = explore(crew, &model, &Budget::unlimited())?;
                assert!(crew.index() != 1, "lost on purpose");
                explore(crew, &model, &Budget::unlimited())?;
                Ok::<_, Lost>(first)
            };
            match run(&hosts, 1, &SAME, &Budget::unlimited(), program) {
                Ok(all) => all.into_iter().any(|one| one.is_err()),
                Err(_) => true,
            }
        })
    };
    let started: Vec<_> = (0..2).map(start).collect();
    for one in started {
        assert!(one.join().unwrap(), "all are told");
    }
}
