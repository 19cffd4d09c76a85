//! Limits, signals and lost answers: what the program does when something ends early or goes wrong.

#![cfg(unix)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
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

fn run(arguments: &[&str]) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = program(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A net of a family in a file.
fn net(folder: &str, family: &str, n: &str) -> String {
    let path = self::folder(folder).join("net.pnml");
    let path = path.to_str().unwrap().to_owned();
    assert_eq!(run(&["generate", family, n, "-o", &path]).0, 0);
    path
}

/// A net with places, each with its tokens, and transitions, each with its inputs and outputs, and whether the
/// file says that its units are safe.
fn write_net(
    folder: &str,
    places: &[(&str, u32)],
    transitions: &[(&str, &[&str], &[&str])],
    safe: bool,
) -> String {
    let mut text = String::from(
        "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"page\">",
    );
    for (id, tokens) in places {
        let _ = write!(
            text,
            "<place id=\"{id}\"><initialMarking><text>{tokens}</text></initialMarking></place>"
        );
    }
    let mut arcs = 0;
    for (id, inputs, outputs) in transitions {
        let _ = write!(text, "<transition id=\"{id}\"/>");
        let ends = inputs.iter().map(|p| (*p, *id));
        for (from, to) in ends.chain(outputs.iter().map(|p| (*id, *p))) {
            let _ = write!(
                text,
                "<arc id=\"arc{arcs}\" source=\"{from}\" target=\"{to}\"/>"
            );
            arcs += 1;
        }
    }
    text += "</page>";
    if safe {
        let units: Vec<String> = (1..=places.len()).map(|i| format!("u{i}")).collect();
        let _ = write!(
            text,
            "<toolspecific tool=\"nupn\" version=\"1.1\"><size places=\"{0}\" transitions=\"{1}\" arcs=\"{arcs}\"/><structure units=\"{2}\" root=\"u0\" safe=\"true\"><unit id=\"u0\"><places/><subunits>{3}</subunits></unit>",
            places.len(),
            transitions.len(),
            places.len() + 1,
            units.join(" ")
        );
        for (unit, (place, _)) in units.iter().zip(places) {
            let _ = write!(
                text,
                "<unit id=\"{unit}\"><places>{place}</places><subunits/></unit>"
            );
        }
        text += "</structure></toolspecific>";
    }
    text += "</net></pnml>";
    let path = self::folder(folder).join("net.pnml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -{name} {}", child.id())])
        .status();
    assert!(sent.unwrap().success());
}

/// Waits for the end, which must not take as long as a test would.
fn ended(mut child: Child, most: Duration) -> i32 {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        if start.elapsed() > most {
            let _ = child.kill();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// It holds, and takes a search of all that happens beside the first fork.
const HARD: &str = "(G F Eat_1) -> F !Fork_1";

const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_signal_ends_a_command_that_reads_from_a_pipe() {
    let pipe = folder("pipe").join("net.pnml");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let pipe = pipe.to_str().unwrap();
    for (arguments, sent) in [
        (&["states", pipe][..], "INT"),
        (&["check", pipe, "--ltl", "G p"], "TERM"),
        (&["convert", pipe, "out.dot"], "TERM"),
        (&["replay", pipe, "run.json"], "INT"),
    ] {
        let child = program(arguments).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        signal(&child, sent);
        assert_eq!(ended(child, SOON), 3, "{arguments:?}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let pipe = folder("twice").join("net.pnml");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let child = program(&["states", pipe.to_str().unwrap()])
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(50));
    signal(&child, "INT");
    assert_eq!(ended(child, SOON), 130);
}

#[test]
fn what_is_known_is_printed_when_a_signal_comes() {
    let path = net("signal", "philosophers", "40");
    let arguments = [
        "check",
        &path,
        "--ltl",
        "F Eat_1",
        "--ltl",
        HARD,
        "--ctl",
        "AG(Fork_1 -> EF !Fork_1)",
        "--engine",
        "explicit",
    ];
    let mut child = program(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    assert_eq!(first, "fails: F Eat_1");
    std::thread::sleep(Duration::from_millis(300));
    signal(&child, "TERM");
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(ended(child, SOON), 1);
    let unknown = |line: &&String| line.starts_with("unknown (cancelled)");
    assert_eq!(rest.iter().filter(unknown).count(), 2, "{rest:?}");
}

#[test]
fn json_is_whole_when_the_time_is_over() {
    let path = net("json", "philosophers", "40");
    let arguments = [
        "check",
        &path,
        "--ltl",
        "F Eat_1",
        "--ltl",
        HARD,
        "--engine",
        "explicit",
        "--timeout",
        "1",
        "--format",
        "json",
    ];
    let (code, out, _) = run(&arguments);
    assert_eq!(code, 1);
    let results = &json(&out)["results"];
    assert_eq!(results[0]["verdict"], "fails");
    assert_eq!(results[1]["verdict"], "unknown");
    assert_eq!(results[1]["reason"], "time");
}

#[test]
fn memory_is_that_of_the_process() {
    let path = net("memory", "philosophers", "40");
    let arguments = [
        "states", &path, "--memory", "60M", "--engine", "explicit", "--format", "json",
    ];
    let (code, out, _) = run(&arguments);
    assert_eq!(code, 3);
    let report = json(&out);
    assert_eq!(report["reason"], "memory");
    let seen: u64 = report["stats"]["seen_states"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(seen > 1000, "{seen}");
    // What the formulas and automata hold counts too.
    let many: Vec<String> = (0..30).map(|i| format!("(G F a{i} | F G b{i})")).collect();
    let formula = many.join(" & ");
    let (code, _, said) = run(&["translate", &formula, "--memory", "60M", "--timeout", "60"]);
    assert_eq!(code, 3, "{said}");
}

#[test]
fn the_limit_that_was_hit_is_the_reason() {
    let path = net("reason", "philosophers", "8");
    for engine in ["auto", "explicit"] {
        let arguments = ["states", &path, "--max-states", "100", "--engine", engine];
        let (code, out, _) = run(&[&arguments[..], &["--format", "json"]].concat());
        assert_eq!(
            (code, &json(&out)["reason"]),
            (3, &"states".into()),
            "{engine}"
        );
        let (_, out, _) = run(&arguments);
        assert!(out.starts_with("unknown: states"), "{engine}: {out}");
    }
    let arguments = [
        "states", &path, "--memory", "1K", "--engine", "symbolic", "--format", "json",
    ];
    let (code, out, _) = run(&arguments);
    assert_eq!((code, &json(&out)["reason"]), (3, &"memory".into()));
    let check = [
        "check",
        &path,
        "--ltl",
        "G F Eat_1",
        "--ctl",
        "AG EX true",
        "--max-states",
        "1",
    ];
    let (code, out, _) = run(&[&check[..], &["--format", "json"]].concat());
    assert_eq!(code, 3);
    for result in json(&out)["results"].as_array().unwrap() {
        assert_eq!(result["reason"], "states", "{result:#}");
    }
}

#[test]
fn a_closed_pipe_is_no_success() {
    let path = net("closed", "philosophers", "5");
    let mut child = program(&["check", &path, "--ltl", "F Eat_1"])
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(ended(child, SOON), 141, "{said}");
    assert_eq!(said, "");
}

#[test]
fn each_property_has_its_answer_or_its_error() {
    let path = net("errors", "philosophers", "3");
    let arguments = [
        "check",
        &path,
        "--ltl",
        "G(",
        "--ltl",
        "F Eat_1",
        "--ltl",
        "X X Eat_1",
        "--ltl",
        "G nobody",
        "--ctl",
        "AG EF Eat_1",
        "--ctl",
        "A(G F Eat_1)",
        "--automaton",
        "ta",
        "--format",
        "json",
    ];
    let (code, out, said) = run(&arguments);
    assert_eq!(code, 2);
    let report = json(&out);
    let verdicts: Vec<&str> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(
        verdicts,
        ["error", "fails", "error", "error", "fails", "error"]
    );
    for part in ["never closed", "no TA", "nobody", "CTL"] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_property_of_seventy_atoms_has_a_counterexample() {
    let path = net("atoms", "philosophers", "15");
    let forks = (1..=15).map(|i| format!("Fork_{i}"));
    let atoms: Vec<String> = forks
        .chain(
            (1..=15).flat_map(|i| (1..=4).map(move |n| format!("\"Eat_{i} + Think_{i} >= {n}\""))),
        )
        .collect();
    assert!(atoms.len() > 64);
    let formula = format!("G({})", atoms.join(" & "));
    let (code, out, said) = run(&["check", &path, "--ltl", &formula, "--format", "json"]);
    assert_eq!(code, 1, "{said}");
    let result = &json(&out)["results"][0];
    assert_eq!(
        (&result["verdict"], &result["certified"]),
        (&"fails".into(), &true.into())
    );
}

#[test]
fn equivalences_are_not_copied() {
    let path = net("xor", "philosophers", "10");
    let atoms: Vec<String> = (0..40).map(|i| format!("Eat_{}", i % 10 + 1)).collect();
    for operator in [" xor ", " <-> "] {
        let formula = format!(
            "G({} | Think_1 | Catch1_1 | Catch2_1 | !Think_2)",
            atoms.join(operator)
        );
        for engine in ["explicit", "symbolic"] {
            let arguments = [
                "check", &path, "--ltl", &formula, "--engine", engine, "--memory", "500M",
            ];
            let (code, out, said) = run(&arguments);
            assert!(code <= 1, "{engine}: {out} {said}");
        }
    }
}

#[test]
fn an_overflow_names_place_and_transition_and_spares_the_others() {
    let places = [("p", u32::MAX), ("q", 0)];
    let transitions: [(&str, &[&str], &[&str]); 1] = [("more", &["p"], &["p", "p", "q"])];
    let path = write_net("overflow", &places, &transitions, false);
    let arguments = [
        "check", &path, "--ltl", "G F q", "--ltl", "q", "--format", "json",
    ];
    let (code, out, said) = run(&arguments);
    assert_eq!(code, 2, "{out} {said}");
    assert!(
        said.contains("`more` takes `p` beyond 4294967295"),
        "{said}"
    );
    let results = &json(&out)["results"];
    assert_eq!(results[0]["verdict"], "error");
    assert_eq!(results[1]["verdict"], "fails");
    let (code, out, _) = run(&["states", &path, "--engine", "explicit"]);
    assert_eq!(code, 3);
    assert!(out.contains("`more` takes `p`"), "{out}");
}

#[test]
fn a_false_promise_is_named() {
    let places = [("a", 1), ("b", 1), ("c", 0)];
    let transitions: [(&str, &[&str], &[&str]); 2] =
        [("left", &["a"], &["c"]), ("right", &["b"], &["c"])];
    let path = write_net("promise", &places, &transitions, true);
    let (code, out, said) = run(&["states", &path]);
    assert_eq!(code, 0, "{said}");
    assert!(out.contains("states:                 4\n"), "{out}");
    assert!(said.contains("warning: the file promises"), "{said}");
    assert!(said.contains("`c`"), "{said}");
    // The contest's protocol, in the folder of the model.
    let folder = PathBuf::from(&path);
    let folder = folder.parent().unwrap();
    std::fs::rename(&path, folder.join("model.pnml")).unwrap();
    let mut command = program(&["mcc"]);
    command.current_dir(folder).env("BK_EXAMINATION", "OneSafe");
    let answer = command.env("BK_TIME_CONFINEMENT", "10").output().unwrap();
    let answer = String::from_utf8(answer.stdout).unwrap();
    assert!(answer.starts_with("FORMULA OneSafe FALSE"), "{answer}");
}

#[test]
fn names_of_the_model_win_over_operators() {
    let transitions: [(&str, &[&str], &[&str]); 2] =
        [("t", &["F1"], &["G2"]), ("u", &["G2"], &["F1"])];
    let path = write_net("names", &[("F1", 1), ("G2", 0)], &transitions, false);
    let verdict = |logic: &str, formula: &str| run(&["check", &path, logic, formula]).0;
    assert_eq!(verdict("--ltl", "G F1"), 1);
    assert_eq!(verdict("--ltl", "GFF1"), 0);
    assert_eq!(verdict("--ltl", "[](F1 -> <>G2)"), 0);
    assert_eq!(verdict("--ctl", "AG(F1 | G2)"), 0);
    assert_eq!(verdict("--ctl-star", "A G(F1 -> X G2)"), 0);
    let (code, _, said) = run(&["check", &path, "--ltl", "G F3"]);
    assert_eq!(code, 2);
    assert!(
        said.contains("double quotes") && said.contains("`F1`"),
        "{said}"
    );
}

#[test]
fn a_run_is_written_and_replayed_by_the_names_of_the_model() {
    let transitions: [(&str, &[&str], &[&str]); 2] =
        [("t", &["F1"], &["G2"]), ("u", &["G2"], &["F1"])];
    let path = write_net("replay", &[("F1", 1), ("G2", 0)], &transitions, false);
    let run_file = PathBuf::from(&path).with_extension("json");
    let saved = run_file.to_str().unwrap();
    assert_eq!(
        run(&["check", &path, "--ltl", "G F1", "--witness", saved]).0,
        1
    );
    let (code, out, said) = run(&["replay", &path, saved]);
    assert_eq!(code, 0, "{out} {said}");
}

#[test]
fn formulas_are_read_while_others_are_translated() {
    let mut child = program(&["translate", "-", "--format", "stats", "--timeout", "30"]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for formula in ["G a", "F b"] {
        writeln!(input, "{formula}").unwrap();
        input.flush().unwrap();
        let line = loop {
            let line = lines.next().unwrap().unwrap();
            if line.contains(formula) {
                break line;
            }
        };
        assert!(line.contains("tgba"), "{line}");
    }
    drop(input);
    assert_eq!(ended(child, SOON), 0);
}
