//! What makes daily work easy: files of formulas, standard input, several models, units, warnings, completions and manual pages.

#[cfg(unix)]
mod book;
#[path = "run/document.rs"]
#[expect(dead_code, reason = "shared with tests that use all of it")]
mod document;
#[path = "run/mod.rs"]
mod run;
#[path = "run/schema.rs"]
mod schema;

use document::{documents, file, folder, generated};
use run::run;
use schema::Schema;
use serde_json::Value;

const PHILOSOPHERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);
const PETERSON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/peterson.dve");

const FORMULAS: &str = "\
# two neighbours
safe: G !(Eat_1 & Eat_2)

AG EF Eat_1  # can always eat
E(G F Eat_1 & G F Eat_2)
";

#[test]
fn files_of_formulas_are_read_line_by_line() {
    let folder = folder("everyday-formulas");
    let text = file(&folder, "p.txt", FORMULAS);
    let all = documents(&["check", PHILOSOPHERS, "--properties", &text], 1);
    let results = all[0]["results"].as_array().unwrap();
    let field = |name: &str| -> Vec<&str> {
        let values = results.iter().map(|result| result[name].as_str());
        values.map(Option::unwrap_or_default).collect()
    };
    assert_eq!(field("logic"), ["ltl", "ctl", "ctl*"]);
    assert_eq!(field("verdict"), ["holds", "fails", "holds"]);
    assert_eq!(field("name"), ["safe", "", ""]);
    let ltl = file(&folder, "p.ltl", "one: A G F Eat_1\n");
    let said = run(&["check", PHILOSOPHERS, "--properties", &ltl, "-q"], "");
    assert_eq!(said, "exit code 1\n--- stdout\nfails: one = A G F Eat_1\n");
    let ctl = file(&folder, "p.ctl", "A G F Eat_1\n");
    let said = run(&["check", PHILOSOPHERS, "--properties", &ctl], "");
    assert!(
        said.contains("not a formula of CTL") && said.contains("line 1"),
        "{said}"
    );
}

#[test]
fn proofs_of_coloured_nets_are_about_the_net_that_is_converted() {
    let folder = folder("everyday-coloured-proof");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (coloured, plain, proof) = (path("c.pnml"), path("p.pnml"), path("proof"));
    let net = [
        "generate",
        "philosophers",
        "3",
        "--coloured",
        "-o",
        &coloured,
    ];
    assert!(run(&net, "").starts_with("exit code 0"));
    let safe = "G \"Eat <= 1\"";
    let said = run(
        &["check", &coloured, "--ltl", safe, "--certificate", &proof],
        "",
    );
    assert!(said.contains("the unfolding is trusted"), "{said}");
    assert!(run(&["convert", &coloured, &plain], "").starts_with("exit code 0"));
    let said = run(&["verify", &plain, &proof], "");
    assert!(said.contains("proved:    holds"), "{said}");
}

#[test]
fn faults_in_files_of_formulas_have_a_place() {
    let folder = folder("everyday-faults");
    let bad = file(&folder, "p.txt", "\n  open: G (Eat_1\nG Eat_9\nF Eat_1\n");
    let said = run(&["check", PHILOSOPHERS, "--properties", &bad, "-q"], "");
    let place = format!(
        "error: {bad}, line 2, column 11: '(' is never closed\n    open: G (Eat_1\n            ^\n"
    );
    assert!(said.contains(&place), "{said}");
    assert!(
        said.contains(&format!("{bad}, line 3: there is no place")),
        "{said}"
    );
    assert!(
        said.contains("PATTERN` lists the names of the model"),
        "{said}"
    );
    // The others have their answers.
    assert!(
        said.starts_with("exit code 2\n--- stdout\nfails: F Eat_1\n"),
        "{said}"
    );
    let empty = file(&folder, "empty.ltl", "# nothing\n");
    let said = run(&["check", PHILOSOPHERS, "--properties", &empty], "");
    assert!(said.contains("there is no formula in it"), "{said}");
}

#[test]
fn standard_input_is_a_file() {
    let net = std::fs::read_to_string(PHILOSOPHERS).unwrap();
    let quiet = |arguments: &[&str], input: &str| run(&[arguments, &["-q"]].concat(), input);
    let said = quiet(&["check", "-", "--ltl", "G !deadlock"], &net);
    assert_eq!(said, "exit code 1\n--- stdout\nfails: G !deadlock\n");
    let said = quiet(&["check", PHILOSOPHERS, "--properties", "-"], FORMULAS);
    assert!(
        said.starts_with("exit code 1\n--- stdout\nholds: safe"),
        "{said}"
    );
    for command in ["states", "info"] {
        let said = quiet(&[command, "-"], &net);
        assert!(said.starts_with("exit code 0"), "{command}: {said}");
    }
    let program = std::fs::read_to_string(PETERSON).unwrap();
    let said = quiet(&["info", "-"], &program);
    assert!(said.contains("program (DVE)"), "{said}");
    let said = quiet(&["check", "-", "--properties", "-"], FORMULAS);
    assert!(
        said.starts_with("exit code 2") && said.contains("read once"),
        "{said}"
    );
}

#[test]
fn several_models_have_headings_and_the_worst_exit_code() {
    let said = run(
        &[
            "check",
            PHILOSOPHERS,
            PETERSON,
            "--ltl",
            "G !deadlock",
            "-q",
        ],
        "",
    );
    let expected = format!(
        "exit code 1\n--- stdout\n{PHILOSOPHERS}:\nfails: G !deadlock\n\n{PETERSON}:\nholds: G !deadlock\n"
    );
    assert_eq!(said, expected);
    let said = run(
        &[
            "check",
            PHILOSOPHERS,
            "nowhere.pnml",
            PETERSON,
            "--deadlock",
            "-q",
        ],
        "",
    );
    assert!(said.starts_with("exit code 2"), "{said}");
    assert!(
        said.contains("fails: deadlock") && said.contains("cannot read nowhere.pnml"),
        "{said}"
    );
    let all = documents(
        &[
            "check",
            PHILOSOPHERS,
            "nowhere.pnml",
            PETERSON,
            "--deadlock",
        ],
        2,
    );
    let schemas: Vec<&str> = all.iter().map(|d| d["schema"].as_str().unwrap()).collect();
    assert_eq!(
        schemas,
        ["dalsegno.check/1", "dalsegno.error/1", "dalsegno.check/1"]
    );
    let said = run(
        &[
            "check",
            PHILOSOPHERS,
            PETERSON,
            "--deadlock",
            "--witness",
            "w.json",
        ],
        "",
    );
    assert!(said.starts_with("exit code 2"), "{said}");
}

#[test]
fn options_without_effect_are_warned_of() {
    let warned = |arguments: &[&str]| -> Vec<String> {
        let said = run(&[&["check", PHILOSOPHERS], arguments].concat(), "");
        let lines = said
            .lines()
            .filter_map(|line| line.strip_prefix("warning: "));
        let options = lines.filter_map(|line| line.split_once(" has no effect"));
        options.map(|(option, _)| option.to_owned()).collect()
    };
    let none: [&str; 0] = [];
    let ctl = ["--ctl", "EF Eat_1"];
    let ltl = ["--ltl", "F Eat_1"];
    let with = |first: &[&str], more: &[&str]| warned(&[first, more].concat());
    assert_eq!(with(&ctl, &["--automaton", "tgta"]), ["--automaton"]);
    assert_eq!(with(&ctl, &["--saturation", "off"]), ["--saturation"]);
    assert_eq!(with(&ctl, &["--sat-set"]), none);
    assert_eq!(with(&ltl, &["--sat-set"]), ["--sat-set"]);
    assert_eq!(
        with(&ltl, &["--automaton", "tgta", "--dead-ends", "ignore"]),
        none
    );
    let explicit = [
        "--engine",
        "explicit",
        "--order",
        "force",
        "--saturation",
        "off",
    ];
    assert_eq!(with(&ltl, &explicit), ["--saturation", "--order"]);
    assert_eq!(
        warned(&["--deadlock", "--dead-ends", "ignore"]),
        ["--dead-ends"]
    );
    assert_eq!(with(&ltl, &["--format", "mcc", "--stats"]), ["--stats"]);
    assert_eq!(with(&ctl, &["--automaton", "tgta", "--quiet"]), none);
    let said = run(
        &[
            "states",
            PHILOSOPHERS,
            "--engine",
            "explicit",
            "--order",
            "force",
        ],
        "",
    );
    assert!(said.contains("warning: --order has no effect"), "{said}");
}

#[test]
fn limits_have_units() {
    let known = ["--timeout", "1h30m", "--memory", "2GiB"];
    let said = run(&[&["states", PHILOSOPHERS, "-q"], &known[..]].concat(), "");
    assert!(said.starts_with("exit code 0"), "{said}");
    let said = run(&["states", PHILOSOPHERS, "--timeout", "0ms"], "");
    assert!(said.starts_with("exit code 3"), "{said}");
    for (option, value) in [
        ("--timeout", "5x"),
        ("--timeout", "1m1h"),
        ("--memory", "4GX"),
    ] {
        let said = run(&["check", PHILOSOPHERS, "--deadlock", option, value], "");
        assert!(
            said.starts_with("exit code 2") && said.contains(option),
            "{said}"
        );
    }
}

#[test]
fn shells_and_manuals_know_all_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = run(&["completions", shell], "");
        assert!(said.starts_with("exit code 0"), "{said}");
        assert!(
            said.contains("quasi-liveness") && said.contains("simulate"),
            "{shell}"
        );
    }
    let folder = folder("everyday-manual");
    let path = folder.join("man1");
    let said = run(&["manual", path.to_str().unwrap()], "");
    assert_eq!(said, "exit code 0\n");
    for (page, word) in [
        ("dalsegno", "simulate"),
        ("dalsegno-check", "ctl"),
        ("dalsegno-info", "PATTERN"),
    ] {
        let text = std::fs::read_to_string(path.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(".TH") && text.contains(word), "{page}");
    }
    assert!(!path.join("dalsegno-experiment-run.1").exists());
    assert!(run(&["manual"], "").contains(".TH"));
}

/// The data of a report, which is of its schema.
fn report(folder: &std::path::Path, model: &str, more: &[&str], code: i32) -> Value {
    let page = folder.join("report.html").to_str().unwrap().to_owned();
    let said = run(&[&["check", model, "--report", &page], more].concat(), "");
    assert!(said.starts_with(&format!("exit code {code}\n")), "{said}");
    let text = std::fs::read_to_string(&page).unwrap();
    let data = text.split_once("id=\"data\">").unwrap().1;
    let data = data.split_once("</script>").unwrap().0;
    let value: Value = serde_json::from_str(data).unwrap();
    if let Err(fault) = Schema::named("report").check(&value) {
        panic!("{model} {more:?}: {fault}");
    }
    value
}

#[test]
fn reports_are_of_their_schema_whatever_is_asked() {
    let folder = folder("everyday-reports");
    let coloured = generated(&folder, &["philosophers", "3", "--coloured"]);
    let light = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/light.etf");
    let response = "G(Catch1_1 -> F Eat_1)";
    let all = ["--ltl", response, "--ctl", "AG EF Eat_1", "--deadlock"];
    let report_of = |model: &str, more: &[&str], code| report(&folder, model, more, code);
    let told = report_of(PHILOSOPHERS, &all, 1);
    assert_eq!(told["pictures"].as_array().map(Vec::len), Some(1));
    let kinds = |path: &Value| -> Vec<String> {
        let all = path["automata"].as_array().unwrap();
        let shown = all.iter().filter(|a| a.get("missing").is_none());
        shown
            .map(|a| a["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        kinds(&told["results"][0]["paths"][0]),
        ["tgba", "ba", "ta", "tgta"]
    );
    assert_eq!(told["results"][1]["evidence"], "explanation");
    let star = ["--ctl-star", "E(G F Eat_1 & G F Eat_2) & A(F Eat_1)"];
    let told = report_of(PHILOSOPHERS, &star, 1);
    assert!(!told["results"][0]["paths"].as_array().unwrap().is_empty());
    assert_eq!(told["results"][0]["tree"]["holds"], false);
    let told = report_of(PETERSON, &["--ltl", "G F P_0.CS"], 1);
    assert_eq!(told["model"]["kind"], "program");
    assert_eq!(told["results"][0]["paths"][0]["picture"], Value::Null);
    let told = report_of(&coloured, &["--deadlock"], 0);
    assert_eq!(told["model"]["kind"], "coloured_net");
    assert!(report_of(light, &["--ltl", "F no_such"], 2)["results"][0]["reason"].is_string());
    let limited = ["--ltl", "G F Eat_1", "--max-states", "1"];
    assert_eq!(
        report_of(PHILOSOPHERS, &limited, 3)["results"][0]["verdict"],
        "unknown"
    );
}

/// A run of a net with hundreds of nodes has a part of the net in its report.
#[test]
fn large_nets_are_reported_in_part() {
    let folder = folder("everyday-slices");
    let large = generated(&folder, &["philosophers", "80"]);
    let told = report(&folder, &large, &["--ltl", "G !Eat_7"], 1);
    let picture = &told["pictures"][0];
    assert!(picture["left_out"].as_u64().unwrap() > 500, "800 nodes");
    let svg = picture["svg"].as_str().unwrap();
    assert!(svg.contains(">Eat_7<") && !svg.contains(">Eat_47<"));
}

#[test]
fn nets_are_drawn_whole_or_in_part() {
    let folder = folder("everyday-pictures");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let drawn = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let done = "exit code 0\n";
    let svg = path("whole.svg");
    assert_eq!(run(&["convert", PHILOSOPHERS, &svg], ""), done);
    let nodes = |text: &str| {
        text.matches("<g class=\"place").count() + text.matches("<g class=\"transition").count()
    };
    assert_eq!(nodes(&drawn("whole.svg")), 50);
    let part = ["--around", "Eat_1", "--around", "End_2", "--nodes", "12"];
    let svg = path("part.svg");
    assert_eq!(
        run(&[&["convert", PHILOSOPHERS, &svg], &part[..]].concat(), ""),
        done
    );
    assert_eq!(nodes(&drawn("part.svg")), 12);
    assert!(drawn("part.svg").contains("arcs are not shown"));
    let said = run(&["convert", PHILOSOPHERS, &svg, "--around", "Eat_9"], "");
    assert!(
        said.starts_with("exit code 2") && said.contains("did you mean `Eat_"),
        "{said}"
    );
    let dot = path("net.dot");
    let said = run(&["convert", PHILOSOPHERS, &dot, "--around", "Eat_1"], "");
    assert!(said.contains("should end in .svg"), "{said}");
    let large = generated(&folder, &["philosophers", "5000"]);
    let svg = path("large.svg");
    let said = run(&["convert", &large, &svg], "");
    assert!(
        said.contains("50000 nodes are too many for a picture"),
        "{said}"
    );
    assert!(said.contains("--around NAME") && !folder.join("large.svg").exists());
    assert_eq!(
        run(&["convert", &large, &svg, "--around", "Eat_1"], ""),
        done
    );
    assert_eq!(nodes(&drawn("large.svg")), 100);
}

/// Positions go from PNML to PNML and into the picture, where all of them are scaled alike.
#[test]
fn positions_of_a_file_are_kept_and_used() {
    let folder = folder("everyday-positions");
    let node = |kind: &str, id: &str, x: i32, y: i32| {
        format!("<{kind} id='{id}'><graphics><position x='{x}' y='{y}'/></graphics></{kind}>")
    };
    let net = format!(
        "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='g'>{}{}{}\
         <arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/></page></net></pnml>",
        node("place", "p", 100, 50),
        node("transition", "t", 200, 150),
        node("place", "q", 300, 50)
    );
    let given = file(&folder, "net.pnml", &net);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (again, svg) = (path("again.pnml"), path("net.svg"));
    assert_eq!(run(&["convert", &given, &again], ""), "exit code 0\n");
    assert_eq!(run(&["convert", &again, &svg], ""), "exit code 0\n");
    let svg = std::fs::read_to_string(&svg).unwrap();
    assert!(
        svg.contains("cx=\"100\" cy=\"50\"") && svg.contains("cx=\"300\" cy=\"50\""),
        "{svg}"
    );
}
