//! The program as its users see it: output, messages, exit codes.

use std::process::{Command, Stdio};

mod run;

use run::run;

/// As [`run`], with the last column of a CSV masked.
fn run_stats(arguments: &[&str], input: &str) -> String {
    let masked = |line: &str| match line.rsplit_once(',') {
        Some((rest, seconds)) if seconds.parse::<f64>().is_ok() => format!("{rest},[seconds]"),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = run(arguments, input).lines().map(masked).collect();
    lines.join("\n")
}

fn code(arguments: &[&str], input: &str) -> i32 {
    let text = run(arguments, input);
    let line = text.lines().next().unwrap();
    line["exit code ".len()..].parse().unwrap()
}

#[test]
fn help() {
    insta::assert_snapshot!("help", run(&["--help"], ""));
    insta::assert_snapshot!("translate_help", run(&["translate", "-h"], ""));
    insta::assert_snapshot!("formulas_help", run(&["formulas", "-h"], ""));
    insta::assert_snapshot!("experiment_help", run(&["experiment", "--help"], ""));
    let version = run(&["--version"], "");
    assert!(version.contains(concat!("dalsegno ", env!("CARGO_PKG_VERSION"))));
}

/// On a narrow terminal no word is cut, and every command shows how it is used.
#[test]
fn help_fits_into_eighty_columns_and_has_examples() {
    let help = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dalsegno"));
        let command = command.args(arguments).arg("--help").stdin(Stdio::null());
        let output = command.env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
        }
        text
    };
    let all = help(&[]);
    let commands = all.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    // What begins further to the right goes on with the line before.
    let commands = commands.filter(|line| !line.starts_with("   "));
    let names: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.contains(&"check") && names.contains(&"manual"));
    for name in names {
        assert!(help(&[name]).contains("\nExample"), "{name}");
    }
}

#[test]
fn all_kinds_as_hoa() {
    for kind in ["tgba", "ba", "ta", "tgta"] {
        let text = run(&["translate", "a U G b", "--to", kind], "");
        insta::assert_snapshot!(format!("hoa_{kind}"), text);
    }
}

#[test]
fn dot_and_json() {
    insta::assert_snapshot!("dot", run(&["translate", "GFa", "--format", "dot"], ""));
    insta::assert_snapshot!("json", run(&["translate", "Ga", "--format", "json"], ""));
}

#[test]
fn the_empty_language_has_automata_too() {
    for kind in ["tgba", "ba", "ta", "tgta"] {
        for format in ["hoa", "dot", "json", "stats"] {
            let arguments = ["translate", "a & !a", "--to", kind, "--format", format];
            assert_eq!(code(&arguments, ""), 0, "{kind} as {format}");
        }
    }
}

#[test]
fn stats_have_a_row_per_good_line() {
    let input = "# two kinds of lines are skipped\n\nGFa & GFb\na U\n\"x <= 1, y\" W b\nXa\n";
    for kind in ["tgba", "tgta"] {
        let arguments = ["translate", "-", "--to", kind, "--format", "stats"];
        insta::assert_snapshot!(format!("stats_{kind}"), run_stats(&arguments, input));
    }
    let arguments = ["translate", "-", "--format", "stats"];
    insta::assert_snapshot!("stats_of_nothing", run_stats(&arguments, ""));
    let arguments = [
        "translate",
        "--lbt",
        "U a b",
        "--negate",
        "--format",
        "stats",
    ];
    insta::assert_snapshot!("stats_lbt", run_stats(&arguments, ""));
}

#[test]
fn bad_formulas() {
    for (name, text) in [
        ("unknown_operator", "a ? b"),
        ("unbalanced", "G(a -> (F b)"),
        ("empty", ""),
        ("path_quantifier", "AG EF a"),
    ] {
        insta::assert_snapshot!(format!("error_{name}"), run(&["translate", text], ""));
    }
    let text = run(&["translate", "F(a & X b)", "--to", "ta"], "");
    insta::assert_snapshot!("error_not_stutter_invariant", text);
    let many: Vec<String> = (0..65).map(|i| format!("p{i}")).collect();
    let text = run(&["translate", &many.join(" & ")], "");
    assert!(text.starts_with("exit code 2") && text.contains("65 propositions"));
}

#[test]
fn bad_files() {
    const TRUNCATED: &str = "HOA: v1\nStart: 0\nAcceptance: 0 t\n--BODY--\nState: 0\n[t] 0\n";
    let pair = |i: u32| format!("(Fin({})|Inf({}))", 2 * i, 2 * i + 1);
    let streett: Vec<String> = (0..12).map(pair).collect();
    let streett = format!(
        "HOA: v1\nStart: 0\nacc-name: Streett 12\nAcceptance: 24 {}\n--BODY--\nState: 0\n--END--\n",
        streett.join("&")
    );
    let arguments = ["translate", "--from", "hoa", "-"];
    insta::assert_snapshot!("error_truncated", run(&arguments, TRUNCATED));
    insta::assert_snapshot!("error_acceptance", run(&arguments, &streett));
    insta::assert_snapshot!("error_no_automaton", run(&arguments, ""));
    assert_eq!(
        code(&["translate", "--from", "hoa", "no-such-file.hoa"], ""),
        2
    );
    assert_eq!(
        code(&["translate", "--from", "hoa", "-", "--to", "ba"], ""),
        2
    );
}

#[test]
fn automata_are_read_back() {
    for kind in ["tgba", "ba", "ta", "tgta"] {
        let written = run(&["translate", "a U G b", "--to", kind], "");
        let hoa = written.strip_prefix("exit code 0\n--- stdout\n").unwrap();
        assert_eq!(run(&["translate", "--from", "hoa", "-"], hoa), written);
        let read = run_stats(
            &["translate", "--from", "hoa", "-", "--format", "stats"],
            hoa,
        );
        // With one set on states, which of the two it was meant to be is not to be seen.
        let kind = if kind == "tgba" { "ba" } else { kind };
        let row = format!("a U G b,{kind},2,");
        assert!(read.lines().any(|line| line.starts_with(&row)), "{read}");
    }
}

#[test]
fn running_out_of_time_is_no_answer() {
    let text = run(&["translate", "G(a -> F b)", "--timeout", "0"], "");
    insta::assert_snapshot!("unknown", text);
    // An error weighs more.
    let arguments = ["translate", "a", "a &", "--timeout", "0"];
    assert_eq!(code(&arguments, ""), 2);
}

#[test]
fn a_hard_property_does_not_keep_easy_ones_waiting() {
    let folder = std::env::temp_dir().join(format!("dalsegno-share-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let net = folder.join("net.pnml");
    let net = net.to_str().unwrap();
    assert_eq!(code(&["generate", "kanban", "100", "-o", net], ""), 0);
    // The first holds in more states than can be looked at, the second says nothing of the future.
    let hard = "G(Pm1 -> F !deadlock)";
    let arguments = [
        "check",
        net,
        "--ltl",
        hard,
        "--ltl",
        "\"Pm1 = 0\"",
        "--automaton",
        "tgba",
        "--engine",
        "explicit",
        "--timeout",
        "4",
    ];
    let text = run(&arguments, "");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(text.starts_with("exit code 3"), "{text}");
    assert!(text.contains("holds: \"Pm1 = 0\""), "{text}");
    assert!(text.contains("unknown (time): G(Pm1"), "{text}");
}

/// Makes one token after the other.
const GROWING: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"/><transition id="make"/><arc id="a" source="make" target="p"/>
</page></net></pnml>"#;

#[test]
fn a_beginning_is_shown_saved_and_replayed() {
    let folder = std::env::temp_dir().join(format!("dalsegno-begin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (net, saved) = (folder.join("net.pnml"), folder.join("run.json"));
    std::fs::write(&net, GROWING).unwrap();
    let (net, file) = (net.to_str().unwrap(), saved.to_str().unwrap());
    let property = "G \"p <= 1\"";
    let arguments = ["check", net, "--ltl", property, "--engine", "explicit"];
    let limits = ["--max-states", "1000", "--witness", file];
    let shown = run(&[&arguments[..], &limits[..]].concat(), "");
    let replayed = run(&["replay", net, file], "");
    let other = std::fs::read_to_string(&saved).unwrap();
    std::fs::write(&saved, other.replace("p <= 1", "p <= 2")).unwrap();
    let refused = run(&["replay", net, file], "");
    std::fs::remove_dir_all(&folder).unwrap();
    insta::assert_snapshot!("beginning", shown);
    assert!(replayed.starts_with("exit code 0"), "{replayed}");
    let said = "bad prefix (every run that begins so violates the property): 2 steps";
    assert!(replayed.contains(said), "{replayed}");
    assert!(refused.starts_with("exit code 1"), "{refused}");
}

#[test]
fn running_out_of_memory_is_no_answer() {
    let folder = std::env::temp_dir().join(format!("dalsegno-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let net = folder.join("kanban.pnml");
    let net = net.to_str().unwrap();
    assert_eq!(code(&["generate", "kanban", "100", "-o", net], ""), 0);
    let arguments = ["states", net, "--engine", "symbolic", "--memory", "200K"];
    let text = run(&arguments, "");
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(text.starts_with("exit code 3\n"), "{text}");
    assert!(text.contains("unknown: memory"), "{text}");
}

#[test]
fn deep_and_long_formulas_are_translated_or_refused() {
    const N: usize = 10_000;
    let nested = |open: &str, core: &str, close: &str| {
        format!("{}{core}{}", open.repeat(N), close.repeat(N))
    };
    let atoms: Vec<String> = (0..60).map(|i| format!("p{i}")).collect();
    for (text, expected) in [
        (nested("X", "p", ""), 2),
        (nested("!", "p", ""), 0),
        (nested("G", "p", ""), 0),
        (nested("FG", "p", ""), 0),
        (nested("GX", "p", ""), 2),
        (nested("(", "p", ")"), 0),
        (nested("(", "p", ""), 2),
        (nested("a U (", "b", ")"), 2),
        (nested("(", "a", " U b)"), 2),
        (nested("a -> (", "b", ")"), 0),
        (atoms.join(" xor "), 0),
    ] {
        let shown: String = text.chars().take(20).collect();
        for arguments in [
            &["translate", "-", "--format", "stats"][..],
            &[
                "translate",
                "-",
                "--to",
                "tgta",
                "--propositions",
                "boolean",
            ],
        ] {
            assert_eq!(code(arguments, &text), expected, "{shown}: {arguments:?}");
        }
    }
}

#[test]
fn many_atoms_may_be_one_proposition() {
    let atoms: Vec<String> = (0..5000).map(|i| format!("p{i}")).collect();
    let text = atoms.join(" & ");
    assert_eq!(code(&["translate", "-"], &text), 2);
    assert_eq!(
        code(&["translate", "-", "--propositions", "boolean"], &text),
        0
    );
}

#[test]
fn random_formulas_are_those_of_the_seed() {
    let arguments = [
        "formulas", "--random", "-n", "4", "--size", "4..9", "--seed", "7",
    ];
    insta::assert_snapshot!("random", run(&arguments, ""));
    let arguments = [
        "formulas",
        "--weak-fair",
        "--x-free",
        "-n",
        "2",
        "--propositions",
        "3",
    ];
    insta::assert_snapshot!("weak_fair", run(&arguments, ""));
    for format in ["spin", "lbt", "latex"] {
        let arguments = [
            "formulas", "--random", "--logic", "ctl-star", "--seed", "3", "--format", format,
        ];
        insta::assert_snapshot!(format!("random_{format}"), run(&arguments, ""));
    }
    let weights = ["--weight", "U=9", "--weight", "X=0"];
    let text = run(
        &[&["formulas", "--random", "-n", "50"], &weights[..]].concat(),
        "",
    );
    assert!(!text.contains('X'));
}

#[test]
fn few_formulas_are_soon_exhausted() {
    let arguments = [
        "formulas", "--random", "--unique", "--size", "1", "-n", "99",
    ];
    insta::assert_snapshot!("exhausted", run(&arguments, ""));
}

#[test]
fn wrong_options_are_errors() {
    for arguments in [
        &["formulas"][..],
        &["formulas", "--random", "--weak-fair"],
        &["formulas", "--random", "--size", "9..4"],
        &["formulas", "--random", "--size", "0"],
        &["formulas", "--random", "--weight", "Q=1"],
        &["formulas", "--random", "--weight", "U=-1"],
        &["formulas", "--random", "--propositions", "a,,b"],
        &["formulas", "--weak-fair", "--logic", "ctl"],
        &["translate"],
        &["translate", "a", "--to", "dfa"],
        &["translate", "a", "--timeout", "-1"],
        &["translate", "a", "--timeout", "NaN"],
        &["translate", "a", "--single-pass"],
    ] {
        assert_eq!(code(arguments, ""), 2, "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
        .args(["formulas", "--random", "-n", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert!(output.stderr.is_empty());
}

#[test]
fn a_check_tells_the_sizes_of_automaton_and_product() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let check = |more: &[&str]| {
        let mut arguments = vec!["check", net, "--ltl", "G(Eat_1 -> !Eat_2)"];
        arguments.extend(more);
        run(&arguments, "")
    };
    let text = check(&["--stats=product", "--automaton", "tgba"]);
    let masked: Vec<&str> = text
        .lines()
        .map(|line| line.split(';').next().unwrap())
        .collect();
    insta::assert_snapshot!("check_stats", masked.join("\n"));
    let json = check(&["--stats=product", "--automaton", "tgba", "--format", "json"]);
    let masked: Vec<&str> = json
        .lines()
        .filter(|line| !line.contains("\"seconds\"") && !line.contains("\"peak_bytes\""))
        .collect();
    insta::assert_snapshot!("check_json", masked.join("\n"));
    assert!(check(&["--format", "json"]).contains("\"product\": null"));
}

#[test]
fn a_fault_in_a_file_is_told_once() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let folder = std::env::temp_dir().join(format!("dalsegno-fault-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let check = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        run(&["check", net, "--properties", file.to_str().unwrap()], "")
    };
    let property = |id: &str, quantifier: &str, transition: &str| {
        format!(
            "<property><id>{id}</id><formula><{quantifier}><finally><is-fireable>\
             <transition>{transition}</transition></is-fireable></finally></{quantifier}></formula></property>"
        )
    };
    let some = |id, transition| property(id, "exists-path", transition);
    let bad = some("a", "FF9") + &some("b", "FF9");
    let unknown = check("bad.xml", &format!("<property-set>{bad}</property-set>"));
    assert_eq!(unknown.matches("there is no transition `FF9`").count(), 1);
    let cut = check("cut.xml", &format!("<property-set>{bad}"));
    assert_eq!(cut.matches("too early").count(), 1, "{cut}");
    // What is wrong with one property is told with its name, however short that is.
    let nested = "<property><id>b</id><formula><all-paths><globally><exists-path><finally><is-fireable>\
                  <transition>End_1</transition></is-fireable></finally></exists-path></globally></all-paths></formula></property>";
    let mixed = format!(
        "<property-set>{}{nested}</property-set>",
        some("a", "End_1")
    );
    let named = check("LTLFireability.xml", &mixed);
    // Whatever the file is called, a formula that is none of its kind may have an answer.
    let other = property("c", "all-paths", "End_1");
    let other = format!("<property-set>{other}</property-set>");
    let other = check("ReachabilityFireability.xml", &other);
    assert!(
        other.starts_with("exit code 1\n--- stdout\nfails: c = "),
        "{other}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(
        named.starts_with("exit code 2\n--- stdout\nholds: a = "),
        "{named}"
    );
    assert!(named.contains("error: b: a path quantifier"), "{named}");
}

#[test]
fn methods_are_told_on_standard_error() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let arguments = ["check", net, "--ltl", "G !(Eat_1 & Eat_2)", "--deadlock"];
    let quiet = run(&arguments, "");
    assert!(!quiet.contains("--- stderr"), "{quiet}");
    let verbose = run(&[&arguments[..], &["--verbose"]].concat(), "");
    let (out, said) = verbose.split_once("--- stderr\n").unwrap();
    assert_eq!(out, quiet);
    assert!(
        said.contains(" s  explicit search begins, 1 open\n"),
        "{said}"
    );
    assert!(said.ends_with(" ends, 0 open\n"), "{said}");
}

#[test]
fn orders_are_printed_with_their_metrics() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    insta::assert_snapshot!("orders", run(&["orders", net], ""));
    insta::assert_snapshot!("orders_help", run(&["orders", "--help"], ""));
    let text = run(&["orders", net, "--format", "json"], "");
    let json = text.split_once("--- stdout\n").unwrap().1;
    let report: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(report["schema"], "dalsegno.orders/1");
    let orders = report["orders"].as_array().unwrap();
    assert!(orders.len() > 10);
    // Every name that is printed is one that can be asked for.
    for order in orders {
        let name = order["name"].as_str().unwrap();
        let arguments = ["states", net, "--engine", "symbolic", "--order", name];
        assert_eq!(code(&arguments, ""), 0, "{name}");
    }
}

#[test]
fn an_unknown_order_is_answered_with_the_known_ones() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let text = run(&["states", net, "--order", "best"], "");
    assert!(text.starts_with("exit code 2\n") && text.contains("known are declared, force,"));
}

/// An experiment runs its tasks in processes of this program.
#[test]
fn experiments_write_a_page() {
    let folder = std::env::temp_dir().join("dalsegno-program-experiment");
    let _ = std::fs::remove_dir_all(&folder);
    let output = folder.to_str().unwrap();
    let arguments = [
        "experiment",
        "states",
        "--models",
        "kanban:2,fms:2",
        "--timeout",
        "60",
        "--output",
        output,
    ];
    let text = run(&arguments, "");
    assert!(text.starts_with("exit code 0"), "{text}");
    assert!(
        text.contains("kanban-2") && text.contains("4 600"),
        "{text}"
    );
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    assert!(page.contains("explicit") && page.contains("<svg"));
    let rows = std::fs::read_to_string(folder.join("runs.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 4);
    let again = run(&arguments, "");
    assert!(again.starts_with("exit code 0"), "{again}");
    assert_eq!(
        std::fs::read_to_string(folder.join("runs.csv")).unwrap(),
        rows
    );
    let report = run(
        &["experiment", "states", "--report", "--output", output],
        "",
    );
    assert!(
        report.starts_with("exit code 0") && report.contains("kanban-2, fms-2"),
        "{report}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("runs.csv")).unwrap(),
        rows
    );
    let wrong = run(&["experiment", "p13"], "");
    assert!(
        wrong.starts_with("exit code 2") && wrong.contains("p11, p12"),
        "{wrong}"
    );
    let wrong = run(&["experiment", "p12", "--formula-files", "no/such"], "");
    assert!(
        wrong.starts_with("exit code 2") && wrong.contains("no/such is no folder"),
        "{wrong}"
    );
    let wrong = run(&["experiment", "p12", "--models", "kanbn:2"], "");
    assert!(
        wrong.starts_with("exit code 2") && wrong.contains("kanban"),
        "{wrong}"
    );
}

#[test]
fn branching_properties_are_explained() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let check = |more: &[&str]| run(&[&["check", net][..], more].concat(), "");
    let both = [
        "--ctl",
        "EF(Eat_1 & EX E(!Eat_2 U Eat_3))",
        "--ctl",
        "AG EF Eat_1",
    ];
    insta::assert_snapshot!("check_ctl", check(&both));
    let counted = check(&[
        "--ctl",
        "EX Eat_1 & !EX Eat_2",
        "--sat-set=2",
        "--engine",
        "symbolic",
    ]);
    insta::assert_snapshot!("check_sat_set", counted);
    let lasso = [
        "--ctl-star",
        "E(G F Eat_1 & G F Eat_2 & G EF Eat_4)",
        "--engine",
        "symbolic",
    ];
    insta::assert_snapshot!("check_ctl_star", check(&lasso));
    let json = check(&["--ctl", "E X(Catch1_1 & E X Eat_1)", "--format", "json"]);
    let masked: Vec<&str> = json
        .lines()
        .filter(|line| !line.contains("\"seconds\"") && !line.contains("\"peak_bytes\""))
        .collect();
    insta::assert_snapshot!("check_ctl_json", masked.join("\n"));
}

#[test]
fn what_is_no_property_of_its_logic_is_an_error() {
    let net = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let check = |option: &str, formula: &str| run(&["check", net, option, formula], "");
    let linear = check("--ctl", "F Eat_1");
    assert!(linear.starts_with("exit code 2\n") && linear.contains("put `A` or `E` in front"));
    let star = check("--ctl", "A G F Eat_1");
    assert!(star.starts_with("exit code 2\n") && star.contains("use --ctl-star"));
    let finite = run(
        &[
            "check",
            net,
            "--ctl-star",
            "A G F Eat_1",
            "--dead-ends",
            "finite",
        ],
        "",
    );
    assert!(
        finite.starts_with("exit code 2\n") && finite.contains("`finite` dead ends are for CTL")
    );
    let unknown = check("--ctl", "EF Eat_9");
    assert!(
        unknown.starts_with("exit code 2\n") && unknown.contains("Eat_"),
        "{unknown}"
    );
}

/// A net with names for people.
const NAMED: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p1"><name><text>The door is shut</text></name><initialMarking><text>1</text></initialMarking></place>
<place id="p2"><name><text>The door is open</text></name></place>
<transition id="t1"><name><text>open it</text></name></transition><transition id="t2"/>
<arc id="a1" source="p1" target="t1"/><arc id="a2" source="t1" target="p2"/>
<arc id="a3" source="p2" target="t2"/><arc id="a4" source="t2" target="p1"/>
</page></net></pnml>"#;

#[test]
fn runs_are_shown_for_a_reader() {
    let folder = std::env::temp_dir().join(format!("dalsegno-shown-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (named, coloured, saved) = (path("named.pnml"), path("c.pnml"), path("shown.json"));
    std::fs::write(&named, NAMED).unwrap();
    let generated = ["generate", "--coloured", "philosophers", "3"];
    assert_eq!(code(&[&generated[..], &["-o", &coloured]].concat(), ""), 0);
    let example = |name: &str| format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let (philosophers, peterson) = (example("philosophers-5.pnml"), example("peterson.dve"));
    let shown = |name: &str, model: &str, questions: &[&str]| {
        let arguments = [&["check", model, "--witness", &saved], questions].concat();
        insta::assert_snapshot!(format!("shown_{name}"), run(&arguments, ""));
        let replayed = run(&["replay", model, &saved, "-q"], "");
        assert!(replayed.starts_with("exit code 0"), "{name}: {replayed}");
    };
    shown(
        "linear",
        &philosophers,
        &["--ltl", "G(Catch1_1 -> F Eat_1)"],
    );
    shown(
        "safety",
        &philosophers,
        &["--ltl", "G !deadlock", "--deadlock"],
    );
    let branching = "AG(Eat_1 -> AF Think_1)";
    shown("branching", &philosophers, &["--ctl", branching]);
    let path_formula = "!E(G F Eat_1 & G F E X Eat_2)";
    shown("ctl_star", &philosophers, &["--ctl-star", path_formula]);
    shown("coloured", &coloured, &["--ltl", "G F \"Eat >= 1\""]);
    shown(
        "program",
        &peterson,
        &["--ltl", "G F P_0.CS", "--ctl", "EF P_0.CS"],
    );
    shown("named", &named, &["--ltl", "G !p2", "--ctl", "AF AG p1"]);
    insta::assert_snapshot!(
        "replayed",
        run(&["replay", &named, &saved], "")
            + &run(&["replay", &named, &saved, "--format", "csv"], "")
    );
    let text = std::fs::read_to_string(&saved).unwrap();
    std::fs::write(&saved, text.replace("\"t1\"", "\"t2\"")).unwrap();
    let refused = run(&["replay", &named, &saved], "");
    assert!(refused.starts_with("exit code 1"), "{refused}");
    assert!(refused.contains("refuted: G !p2: step 0"), "{refused}");
    std::fs::remove_dir_all(&folder).unwrap();
}
