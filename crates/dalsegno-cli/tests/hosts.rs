//! Several processes on one machine that talk over loopback: the same answers, and a clear end when one of them goes wrong.

#![cfg(unix)]

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Models and a list of hosts for a test.
struct Place {
    folder: PathBuf,
    /// How long processes wait for each other.
    wait: &'static str,
}

/// How a process ended: its code, and what it wrote.
struct Ended {
    code: Option<i32>,
    out: String,
    said: String,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dalsegno"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn ended(output: &Output) -> Ended {
    Ended {
        code: output.status.code(),
        out: text(&output.stdout),
        said: text(&output.stderr),
    }
}

impl Place {
    fn new(name: &str, hosts: usize) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("hosts-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let taken: Vec<TcpListener> = (0..hosts)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let address = |one: &TcpListener| format!("{}\n", one.local_addr().unwrap());
        let list: String = taken.iter().map(address).collect();
        std::fs::write(folder.join("hosts"), list).unwrap();
        let wait = "20s";
        Place { folder, wait }
    }

    /// The same with little patience.
    fn hasty(mut self) -> Self {
        self.wait = "2s";
        self
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// A net of a family.
    fn net(&self, family: &str, n: &str) -> String {
        let path = self.path(&format!("{family}-{n}.pnml"));
        let made = program(&["generate", family, n, "-o", &path]).output();
        assert!(made.unwrap().status.success());
        path
    }

    fn start(&self, process: usize, arguments: &[&str]) -> Child {
        let (hosts, process) = (self.path("hosts"), process.to_string());
        let all = [
            "--hosts",
            &hosts,
            "--process",
            &process,
            "--wait",
            self.wait,
        ];
        program(&[arguments, &all[..]].concat()).spawn().unwrap()
    }

    /// The same command on so many hosts.
    fn run(&self, count: usize, arguments: &[&str]) -> Vec<Ended> {
        let started: Vec<Child> = (0..count).map(|i| self.start(i, arguments)).collect();
        started.into_iter().map(finish).collect()
    }
}

/// Waits for a process, which must not hang.
fn finish(mut child: Child) -> Ended {
    let end = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("a process hangs");
        }
        sleep(Duration::from_millis(10));
    }
    ended(&child.wait_with_output().unwrap())
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(sent.success());
}

/// The lines that do not depend on time and memory.
fn facts(out: &str) -> Vec<&str> {
    let varies = ["time:", "memory of tables:"];
    out.lines()
        .filter(|line| !varies.iter().any(|word| line.starts_with(word)))
        .collect()
}

#[test]
fn answers_are_those_of_one_process() {
    let place = Place::new("same", 3);
    let kanban = place.net("kanban", "2");
    let grows = place.path("grows.pnml");
    // Its places hold many more tokens than at the beginning.
    let net = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
        <place id="a"><initialMarking><text>40</text></initialMarking></place><place id="b"/><place id="c"/>
        <transition id="t"/><transition id="u"/>
        <arc id="1" source="a" target="t"/><arc id="2" source="t" target="b"><inscription><text>3</text></inscription></arc>
        <arc id="3" source="b" target="u"/><arc id="4" source="u" target="c"><inscription><text>2</text></inscription></arc>
        </page></net></pnml>"#;
    std::fs::write(&grows, net).unwrap();
    for model in [&kanban, &grows] {
        let alone = ["states", model, "--engine", "explicit", "--threads", "1"];
        let alone = ended(&program(&alone).output().unwrap());
        for (hosts, threads) in [(2, "1"), (3, "1"), (2, "2")] {
            let place = Place::new("same-again", hosts);
            for one in place.run(hosts, &["states", model, "--threads", threads]) {
                assert_eq!(one.code, Some(0), "{}", one.said);
                assert_eq!(facts(&one.out), facts(&alone.out), "{hosts} hosts");
            }
        }
    }
    let properties = [
        "G F Pout1",
        "G F Pm1 -> G F \"Pm1 + Pback1 >= 1\"",
        "F Pout1",
    ];
    for property in properties {
        let arguments = ["check", &kanban, "--ltl", property, "--threads", "1"];
        let owcty = [&arguments[..], &["--emptiness", "owcty"]].concat();
        let alone = ended(&program(&owcty).output().unwrap());
        for one in place.run(3, &arguments) {
            assert_eq!((one.code, &one.out), (alone.code, &alone.out), "{property}");
        }
    }
}

#[test]
fn a_process_that_is_lost_ends_all() {
    for (number, pause) in [1, 100, 400].into_iter().enumerate() {
        let place = Place::new("lost", 3).hasty();
        let large = place.net("philosophers", "40");
        let arguments = ["states", &large, "--threads", "1", "--memory", "2G"];
        let mut started: Vec<Child> = (0..3).map(|i| place.start(i, &arguments)).collect();
        sleep(Duration::from_millis(pause));
        let mut victim = started.remove(number);
        victim.kill().unwrap();
        victim.wait().unwrap();
        for one in started.into_iter().map(finish) {
            assert_eq!(one.code, Some(2), "{}", one.said);
            assert_eq!(one.said.lines().count(), 1, "{}", one.said);
            assert!(names_a_loss(&one.said), "{}", one.said);
        }
    }
}

/// Whether a line says that a host was lost, in one way or another.
fn names_a_loss(said: &str) -> bool {
    let ways = ["lost", "did not come", "said nothing"];
    ways.iter().any(|way| said.contains(way))
}

#[test]
fn a_process_that_is_lost_in_any_phase_leaves_no_verdict_of_its_own() {
    // One holds, which takes an exploration and OWCTY; the other fails, which takes parents and a walk as well.
    let properties = ["G F Pm1 -> G F \"Pm1 + Pback1 >= 1\"", "G F Pout1"];
    for (property, code) in properties.into_iter().zip([0, 1]) {
        for pause in [150, 400, 700, 1000] {
            let place = Place::new("phases", 2).hasty();
            let net = place.net("kanban", "4");
            let arguments = ["check", &net, "--ltl", property, "--threads", "1"];
            let (one, mut other) = (place.start(0, &arguments), place.start(1, &arguments));
            sleep(Duration::from_millis(pause));
            other.kill().unwrap();
            other.wait().unwrap();
            let one = finish(one);
            // It had the answer before, or has none.
            if one.code != Some(code) {
                assert_eq!(one.code, Some(2), "{}", one.said);
                assert!(names_a_loss(&one.said), "{}", one.said);
                assert!(one.out.is_empty(), "{}", one.out);
            }
        }
    }
}

#[test]
fn a_process_that_is_stopped_ends_all() {
    let place = Place::new("stopped", 2).hasty();
    let large = place.net("philosophers", "40");
    let property = ["check", &large, "--ltl", "G F Eat_1 | F G Think_1"];
    let arguments = [&property[..], &["--threads", "1", "--memory", "4G"]].concat();
    let (one, mut other) = (place.start(0, &arguments), place.start(1, &arguments));
    sleep(Duration::from_millis(300));
    signal(&other, "-STOP");
    let one = finish(one);
    other.kill().unwrap();
    other.wait().unwrap();
    // Long before the memory is used up, or after the other one was not there.
    assert_eq!(one.code, Some(2), "{}", one.said);
    assert!(names_a_loss(&one.said), "{}", one.said);
}

#[test]
fn limits_and_interrupts_of_one_process_end_all() {
    let place = Place::new("limits", 2);
    let large = place.net("philosophers", "40");
    let limits = [
        (["--max-states", "5000"], "states"),
        (["--memory", "70M"], "memory"),
        (["--timeout", "1"], "time"),
    ];
    for (limit, reason) in limits {
        let arguments = [&["states", &large, "--threads", "1"], &limit[..]].concat();
        for one in place.run(2, &arguments) {
            assert_eq!(one.code, Some(3), "{limit:?}: {}", one.said);
            let first = format!("unknown: {reason}");
            assert!(one.out.starts_with(&first), "{limit:?}: {}", one.out);
        }
    }
    let arguments = ["states", &large, "--threads", "1", "--memory", "4G"];
    let started: Vec<Child> = (0..2).map(|i| place.start(i, &arguments)).collect();
    sleep(Duration::from_millis(300));
    signal(&started[1], "-INT");
    for one in started.into_iter().map(finish) {
        assert!(
            matches!(one.code, Some(2 | 3)),
            "{:?} {}",
            one.code,
            one.said
        );
    }
}

#[test]
fn processes_that_differ_or_do_not_come_say_so() {
    let place = Place::new("differ", 2);
    let (one, other) = (place.net("kanban", "1"), place.net("kanban", "2"));
    let cases = [
        (
            ["states", &one, "--threads", "1"],
            ["states", &other, "--threads", "1"],
            "another model",
        ),
        (
            ["states", &one, "--threads", "1"],
            ["states", &one, "--threads", "2"],
            "another number of threads",
        ),
    ];
    for (here, there, text) in cases {
        let (first, second) = (place.start(0, &here), place.start(1, &there));
        let all = [finish(first), finish(second)];
        assert!(all.iter().all(|one| one.code == Some(2)));
        assert!(all.iter().any(|one| one.said.contains(text)), "{text}");
    }
    let check = |text| ["check", &one, "--threads", "1", "--ltl", text];
    let first = place.start(0, &check("F Pout1"));
    let second = place.start(1, &check("G Pout1"));
    for one in [finish(first), finish(second)] {
        assert_eq!(one.code, Some(2), "{}", one.out);
        assert!(one.said.contains("property"), "{}", one.said);
    }
    let place = place.hasty();
    let alone = finish(place.start(0, &["states", &one, "--threads", "1"]));
    assert_eq!(alone.code, Some(2));
    assert!(alone.said.contains("did not come"), "{}", alone.said);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let place = Place::new("options", 2);
    let net = place.net("kanban", "1");
    let wrong: [(&[&str], &str); 4] = [
        (&["states", &net, "--engine", "symbolic"], "explicit engine"),
        (&["check", &net, "--ctl", "EF Pout1"], "--ltl"),
        (
            &["check", &net, "--ltl", "F Pout1", "--emptiness", "couvreur"],
            "depth first",
        ),
        (&["check", &net, "--deadlock"], "--ltl"),
    ];
    for (arguments, text) in wrong {
        let one = finish(place.start(0, arguments));
        assert_eq!(one.code, Some(2), "{arguments:?}");
        assert!(one.said.contains(text), "{}", one.said);
    }
    let one = finish(place.start(2, &["states", &net]));
    assert_eq!(one.code, Some(2));
    assert!(one.said.contains("numbered from 0"), "{}", one.said);
}
