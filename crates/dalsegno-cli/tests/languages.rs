//! `dalsegno automata`, `filter` and `check --automaton-file` as their users see them.

mod run;

use run::run;

/// Eventually never again `a`, as a Rabin automaton.
const RABIN: &str = "HOA: v1\nname: \"FG !a\"\nStart: 0\nAP: 1 \"a\"\nacc-name: Rabin 1\n\
    Acceptance: 2 Fin(0) & Inf(1)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0 {1}\n--END--\n";

/// The exit code of a run.
fn code(arguments: &[&str], input: &str) -> i32 {
    let text = run(arguments, input);
    let line = text.lines().next().unwrap();
    line["exit code ".len()..].parse().unwrap()
}

#[test]
fn help() {
    insta::assert_snapshot!("automata_help", run(&["automata", "--help"], ""));
    insta::assert_snapshot!("filter_help", run(&["filter", "-h"], ""));
}

#[test]
fn questions_have_words_for_answers() {
    for (name, arguments) in [
        ("equivalent", &["equivalent", "G F a", "F G a"][..]),
        ("includes", &["includes", "G a", "-"]),
        ("empty", &["empty", "-"]),
        ("accepts", &["accepts", "-", "a; cycle{!a}"]),
        ("accepts_not", &["accepts", "-", "!a; cycle{a}"]),
        ("stutter", &["stutter-invariant", "F(a & X a)"]),
        ("bad_word", &["accepts", "G a", "a; X b; cycle{a}"]),
        ("bad_operand", &["empty", "missing.hoa"]),
    ] {
        let arguments = [&["automata"], arguments].concat();
        insta::assert_snapshot!(format!("automata_{name}"), run(&arguments, RABIN));
    }
    assert_eq!(code(&["automata", "equivalent", "-", "F G !a"], RABIN), 0);
}

#[test]
fn automata_are_made() {
    for (name, arguments) in [
        ("product", &["product", "-", "G b"][..]),
        ("sum", &["sum", "-", "G F a", "--to", "ba"]),
        ("complement", &["complement", "-"]),
        ("reduce", &["reduce", "-", "--format", "dot"]),
        ("convert", &["convert", "G F a & G F b", "--to", "ba"]),
    ] {
        let arguments = [&["automata"], arguments].concat();
        insta::assert_snapshot!(format!("automata_{name}"), run(&arguments, RABIN));
    }
    let stats = run(&["automata", "stats", "-", "a U b"], RABIN);
    let rows: Vec<&str> = stats.lines().collect();
    assert!(rows[3].starts_with("FG !a,tgba,1,2,3,"), "{stats}");
    assert!(rows[4].starts_with("a U b,"), "{stats}");
}

#[test]
fn what_is_made_reads_back() {
    let complement = run(&["automata", "complement", "-"], RABIN);
    let (_, hoa) = complement.split_once("HOA: v1").unwrap();
    let hoa = format!("HOA: v1{hoa}");
    assert_eq!(code(&["automata", "equivalent", "-", "G F a"], &hoa), 0);
    assert_eq!(code(&["automata", "equivalent", "-", "F G a"], &hoa), 1);
}

#[test]
fn formulas_are_filtered_and_rewritten() {
    let list = "# a list\nG a\nF a\nG F a\nF G a\nG F a -> G F b\nF(a & X a)\na & !a\na | !a\nF F a\n\
        G a | F b\nG(req & !busy -> F ack)\n";
    for (name, options) in [
        ("safety", &["--safety"][..]),
        ("not_obligation", &["--obligation", "-v"]),
        ("recurrence", &["--recurrence", "--atoms", "1..1"]),
        ("persistence", &["--persistence", "--size", "3..9"]),
        ("stutter", &["--stutter-invariant", "--invert"]),
        ("unsatisfiable", &["--satisfiable", "-v"]),
        ("valid", &["--valid"]),
        ("unique", &["--unique", "--equivalent"]),
        (
            "rewritten",
            &["--negate", "--simplify", "--nnf", "--relabel=boolean"],
        ),
        ("relabelled", &["--relabel", "--format", "spin"]),
    ] {
        let arguments = [&["filter"], options].concat();
        insta::assert_snapshot!(format!("filter_{name}"), run(&arguments, list));
    }
    assert_eq!(code(&["filter", "F a", "--safety"], ""), 1);
    assert_eq!(code(&["filter", "G a", "a U"], ""), 2);
    let hard = "G F(a & X X b) -> G F(c & X X d)";
    assert_eq!(
        code(&["filter", hard, "--recurrence", "--timeout", "0"], ""),
        3
    );
}

#[test]
fn automata_in_files_are_checked() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/philosophers-5.pnml"
    );
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("starving.hoa");
    std::fs::write(&path, RABIN.replace("\"a\"", "\"Eat_1\"")).unwrap();
    let name = path.to_str().unwrap();
    for engine in ["explicit", "symbolic"] {
        let arguments = ["check", model, "--automaton-file", name, "--engine", engine];
        let text = run(&arguments, "");
        assert!(text.starts_with("exit code 1"), "{text}");
        assert!(text.contains(&format!("fails: {name}")), "{text}");
        assert!(text.contains("-- cycle --"), "{text}");
        let all = [&arguments[..], &["--all-runs"]].concat();
        assert!(run(&all, "").starts_with("exit code 1"));
    }
    std::fs::write(&path, RABIN.replace("\"a\"", "\"Eat_9\"")).unwrap();
    assert_eq!(code(&["check", model, "--automaton-file", name], ""), 2);
    assert_eq!(code(&["check", model, "--all-runs", "--deadlock"], ""), 2);
}
