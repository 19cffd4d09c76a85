use std::sync::atomic::Ordering;

use dalsegno_kripke::Budget;
use serde_json::{Value, json};

use super::{call, sign_of_life};

/// All lines of a call; the last one alone ends it.
fn lines(request: &str) -> Vec<Value> {
    within(request, &Budget::unlimited())
}

fn within(request: &str, budget: &Budget) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    call(request, budget, &mut |line| {
        assert!(!line.contains('\n'), "{line}");
        lines.push(serde_json::from_str(line).expect("a line is JSON"));
    });
    let ends = |line: &&Value| ["done", "error"].contains(&line["event"].as_str().unwrap_or(""));
    assert_eq!(lines.iter().filter(ends).count(), 1);
    assert!(lines.last().is_some_and(|last| ends(&last)));
    lines
}

/// The result of a call.
fn done(request: &Value) -> Value {
    let mut lines = lines(&request.to_string());
    let last = lines.pop().unwrap_or_default();
    assert_eq!(last["event"], "done", "{last}");
    last["result"].clone()
}

/// The error of a call.
fn error(request: &str) -> Value {
    let last = lines(request).pop().unwrap_or_default();
    assert_eq!(last["event"], "error", "{last}");
    last["error"].clone()
}

fn examples() -> Vec<Value> {
    let examples = done(&json!({ "call": "examples" }));
    examples["examples"].as_array().cloned().unwrap_or_default()
}

fn verdicts(report: &Value) -> Vec<&str> {
    let results = report["results"].as_array().into_iter().flatten();
    results.filter_map(|r| r["verdict"].as_str()).collect()
}

#[test]
fn properties_are_checked_and_told_one_by_one() {
    let example = &examples()[0];
    let request = json!({
        "call": "check",
        "model": example["model"],
        "properties": [
            { "logic": "ltl", "text": "G(Catch1_1 -> F Eat_1)", "name": "served" },
            { "logic": "ctl", "text": "EF deadlock" },
            { "logic": "ctl*", "text": "A G !(Eat_1 & Eat_2)" },
            { "logic": "ltl", "text": "G F" },
        ],
        "timeout": 60,
    });
    let lines = lines(&request.to_string());
    let told = lines.iter().filter(|line| line["event"] == "answer");
    let mut told: Vec<&Value> = told.collect();
    told.sort_by_key(|line| line["property"].as_u64());
    let verdicts_told: Vec<_> = told.iter().map(|line| line["verdict"].as_str()).collect();
    let expected = ["fails", "holds", "holds", "error"];
    assert_eq!(verdicts_told, expected.map(Some));
    assert_eq!(told[0]["name"], "served");
    assert_eq!(told[3]["error"]["column"], 4);
    assert!(
        told[3]["error"]["rendered"]
            .as_str()
            .is_some_and(|r| r.contains('^'))
    );
    let report = &lines[lines.len() - 1]["result"];
    assert_eq!(verdicts(report), expected);
    assert_eq!(report["schema"], "dalsegno.report/1");
    assert_eq!(report["results"][0]["evidence"], "run");
}

#[test]
fn engines_automata_and_dead_ends_are_chosen_by_name() {
    let model = json!({ "name": "m.dve", "text": super::examples::PETERSON });
    let property = json!({ "logic": "ltl", "text": "G !(\"P_0.CS\" & \"P_1.CS\")" });
    for (engine, automaton) in [("explicit", "ta"), ("symbolic", "tgta"), ("auto", "auto")] {
        let report = done(&json!({
            "call": "check", "model": model, "properties": [property], "engine": engine,
            "automaton": automaton, "dead_ends": "ignore",
        }));
        let result = &report["results"][0];
        assert_eq!(result["verdict"], "holds");
        assert_eq!(result["dead_ends"], "ignore");
        if automaton != "auto" {
            assert_eq!(
                (&result["engine"], &result["automaton"]["kind"]),
                (&engine.into(), &automaton.into())
            );
        }
    }
}

#[test]
fn every_example_answers_its_properties() {
    for example in examples() {
        let report = done(&json!({
            "call": "check", "model": example["model"], "properties": example["properties"],
        }));
        let results = report["results"].as_array().cloned().unwrap_or_default();
        assert!(!results.is_empty());
        for result in results {
            let verdict = result["verdict"].as_str();
            assert!(matches!(verdict, Some("holds" | "fails")), "{result}");
        }
    }
}

#[test]
fn the_program_is_that_of_the_folder_of_examples() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/peterson.dve");
    // The folder is not there in a package.
    if let Ok(text) = std::fs::read_to_string(path) {
        assert_eq!(text, super::examples::PETERSON);
    }
}

#[test]
fn a_formula_has_automata_of_the_kinds_that_fit() {
    let result = done(&json!({ "call": "translate", "formula": "X a" }));
    let automata = result["automata"].as_array().cloned().unwrap_or_default();
    let kinds: Vec<_> = automata.iter().filter_map(|a| a["kind"].as_str()).collect();
    assert_eq!(kinds, ["tgba", "ba", "ta", "tgta"]);
    for automaton in &automata {
        let is_ta = automaton["kind"] == "ta";
        assert_eq!(automaton["error"].is_string(), is_ta, "{automaton}");
        assert_eq!(automaton["hoa"].is_string(), !is_ta, "{automaton}");
        assert_eq!(automaton["svg"].is_string(), !is_ta, "{automaton}");
    }
    assert_eq!(automata[0]["sizes"]["states"], 3);
    let wrong = error(r#"{"call": "translate", "formula": "G(req -> F"}"#);
    assert_eq!((&wrong["line"], &wrong["column"]), (&1.into(), &11.into()));
    let rendered = wrong["rendered"].as_str().unwrap_or_default();
    assert!(
        rendered.ends_with("  G(req -> F\n            ^"),
        "{rendered}"
    );
}

#[test]
fn languages_are_compared_both_ways() {
    let compare =
        |left: &str, right: &str| done(&json!({ "call": "compare", "left": left, "right": right }));
    let result = compare("G F a", "F a");
    assert_eq!(result["equivalent"], false);
    assert_eq!(
        (&result["left_included"], &result["right_included"]),
        (&true.into(), &false.into())
    );
    let words = result["words"].as_array().cloned().unwrap_or_default();
    assert_eq!(words.len(), 1);
    assert_eq!(
        (&words[0]["accepted_by"], &words[0]["rejected_by"]),
        (&json!([1]), &json!([0]))
    );
    let equal = compare("F G a", "!G F !a");
    assert_eq!(
        (&equal["equivalent"], &equal["words"]),
        (&true.into(), &json!([]))
    );
    assert_eq!(compare("a", "b")["words"].as_array().map(Vec::len), Some(2));
}

#[test]
fn models_are_described_and_counted() {
    let model = &examples()[0]["model"];
    let info = done(&json!({ "call": "info", "model": model, "pattern": "Eat_?" }));
    assert_eq!(info["schema"], "dalsegno.info/1");
    assert_eq!(info["places"]["shown"].as_array().map(Vec::len), Some(5));
    for engine in ["explicit", "symbolic"] {
        let states = done(&json!({ "call": "states", "model": model, "engine": engine }));
        assert_eq!(states["states"], "243", "{states}");
    }
}

#[test]
fn limits_are_answers() {
    let example = &examples()[0];
    let few = done(&json!({ "call": "states", "model": example["model"], "states": 10 }));
    assert_eq!(few["result"], "unknown", "{few}");
    let property = json!({ "logic": "ctl", "text": "AG EF Eat_1" });
    let mut request = json!({
        "call": "check", "model": example["model"], "properties": [property], "timeout": 0,
    });
    assert_eq!(done(&request)["results"][0]["reason"], "time");
    request["timeout"] = 60.into();
    let cancelled = Budget::unlimited();
    cancelled.cancel_flag().store(true, Ordering::Relaxed);
    let last = within(&request.to_string(), &cancelled)
        .pop()
        .unwrap_or_default();
    assert_eq!(last["result"]["results"][0]["reason"], "cancelled");
}

#[test]
fn wrong_requests_are_errors_that_say_what_is_wrong() {
    let model = r#""model": {"name": "m.dve", "text": "byte x; process P { state a; init a; } system async;"}"#;
    let with = |rest: &str| format!(r#"{{"call": "check", {model}, {rest}}}"#);
    let property = r#""properties": [{"logic": "ltl", "text": "G x"}]"#;
    for (request, part) in [
        (String::new(), "no JSON"),
        ("{".to_owned(), "no JSON"),
        ("[1]".to_owned(), "a JSON object"),
        ("{}".to_owned(), "`call` is missing"),
        (r#"{"call": 3}"#.to_owned(), "not a text"),
        (r#"{"call": "chek"}"#.to_owned(), "no call is named `chek`"),
        (
            r#"{"call": "version", "timeout": 3}"#.to_owned(),
            "unknown field `timeout`",
        ),
        (
            r#"{"call": "translate"}"#.to_owned(),
            "missing field `formula`",
        ),
        (
            r#"{"call": "translate", "formula": "a", "to": "ba"}"#.to_owned(),
            "unknown field `to`",
        ),
        (with(r#""properties": []"#), "nothing to check"),
        (with(&format!(r#"{property}, "engine": "fast""#)), "fast"),
        (with(&format!(r#"{property}, "automaton": "nba""#)), "nba"),
        (with(&format!(r#"{property}, "dead_ends": "no""#)), "no"),
        (with(&format!(r#"{property}, "timeout": -1"#)), "`timeout`"),
        (
            with(&format!(r#"{property}, "timeout": 1e300"#)),
            "`timeout`",
        ),
        (with(&format!(r#"{property}, "states": -1"#)), "limits"),
        (
            with(r#""properties": [{"logic": "mu", "text": "a"}]"#),
            "mu",
        ),
        (
            with(r#""properties": [{"text": "a"}]"#),
            "missing field `logic`",
        ),
        (
            r#"{"call": "states", "model": {"name": "a.pnml", "text": ""}}"#.to_owned(),
            "empty",
        ),
        (
            format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)),
            "no JSON",
        ),
    ] {
        let message = error(&request)["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(message.contains(part), "{request}: {message}");
    }
    let place =
        error(r#"{"call": "states", "model": {"name": "a.dve", "text": "byte x;\n process"}}"#);
    assert_eq!(
        (&place["line"], &place["column"]),
        (&2.into(), &9.into()),
        "{place}"
    );
    assert!(
        place["rendered"].as_str().is_some_and(|r| r.contains('^')),
        "{place}"
    );
}

#[test]
fn deep_formulas_are_answered_or_refused() {
    for (open, core, close) in [
        ("X", "a", ""),
        ("(", "a", ")"),
        ("!", "a", ""),
        ("a U (", "b", ")"),
    ] {
        let formula = format!("{}{core}{}", open.repeat(20_000), close.repeat(20_000));
        let lines =
            lines(&json!({ "call": "translate", "formula": formula, "timeout": 5 }).to_string());
        assert_eq!(lines.len(), 1);
    }
}

#[test]
fn a_sign_of_life_is_a_line_of_progress() {
    let budget = Budget::unlimited();
    budget.saw_nodes(7);
    let line: Value = serde_json::from_str(&sign_of_life(&budget, 1.5)).unwrap_or_default();
    assert_eq!(line["event"], "progress");
    assert_eq!((&line["nodes"], &line["seconds"]), (&7.into(), &1.5.into()));
}
