//! What the program prints as JSON is of the schemas in `docs/schemas`.

#[path = "run/document.rs"]
mod document;
#[path = "run/schema.rs"]
mod schema;

use dalsegno::Tool;
use document::{document, documents, file, folder, generated, run};
use schema::{Schema, each};
use serde_json::{Value, json};

const NAMES: [&str; 8] = [
    "check",
    "info",
    "states",
    "orders",
    "error",
    "automaton",
    "automata",
    "witness",
];

const PHILOSOPHERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);
const PETERSON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/peterson.dve");
const LIGHT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/light.etf");

/// Makes one token after the other.
const GROWING: &str = r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
<place id="p"/><transition id="make"/><arc id="a" source="make" target="p"/>
</page></net></pnml>"#;

/// A net of 10^8 colours, all of them in a place.
const TOO_LARGE: &str = "<pnml><net id='n'><declaration><structure><declarations>
    <namedsort id='c' name='c'><finiteintrange start='1' end='100000000'/></namedsort>
    <variabledecl id='x' name='x'><usersort declaration='c'/></variabledecl>
    </declarations></structure></declaration>
    <place id='p'><type><structure><usersort declaration='c'/></structure></type><hlinitialMarking><structure>
      <all><usersort declaration='c'/></all></structure></hlinitialMarking></place><transition id='t'/>
    <arc id='a' source='p' target='t'><hlinscription><structure><variable refvariable='x'/></structure></hlinscription></arc>
    </net></pnml>";

#[test]
fn fields_are_described_and_nothing_else_may_be_there() {
    let mut shared: Vec<(String, Value)> = Vec::new();
    for name in NAMES {
        let schema = Schema::named(name);
        assert_eq!(schema.root()["$id"], format!("{name}.json"));
        each(schema.root(), name, &mut |schema, at| {
            let Some(fields) = schema.get("properties") else {
                return;
            };
            assert_eq!(schema["additionalProperties"], false, "{at}");
            assert!(schema["title"].is_string(), "{at}");
            for (field, of) in fields.as_object().unwrap() {
                assert!(of["description"].is_string(), "{at}: {field}");
            }
            for required in schema["required"].as_array().unwrap() {
                assert!(
                    !fields[required.as_str().unwrap()].is_null(),
                    "{at}: {required}"
                );
            }
        });
        // The same words mean the same wherever evidence is written.
        let definitions = schema.root()["$defs"].as_object();
        for (word, meaning) in definitions.into_iter().flatten() {
            if !["step", "state", "value", "count", "unfolding"].contains(&word.as_str())
                || name == "automaton"
            {
                continue;
            }
            match shared.iter().find(|(other, _)| other == word) {
                Some((_, other)) => assert_eq!(meaning, other, "{name}: {word}"),
                None => shared.push((word.clone(), meaning.clone())),
            }
        }
    }
    assert_eq!(shared.len(), 5);
}

#[test]
fn all_methods_are_in_the_schemas() {
    let next = |tool| match tool {
        Tool::Skeleton => Some(Tool::Structure),
        Tool::Structure => Some(Tool::BreadthFirst),
        Tool::BreadthFirst => Some(Tool::Coverability),
        Tool::Coverability => Some(Tool::Walks),
        Tool::Walks => Some(Tool::StateEquation),
        Tool::StateEquation => Some(Tool::GoalSearch),
        Tool::GoalSearch => Some(Tool::Search),
        Tool::Search => Some(Tool::Flood),
        Tool::Flood => Some(Tool::LocalCtl),
        Tool::LocalCtl => Some(Tool::Diagrams),
        Tool::Diagrams => None,
    };
    let tools = std::iter::successors(Some(Tool::Skeleton), |tool| next(*tool));
    let mut names: Vec<Value> = tools.map(|tool| tool.name().into()).collect();
    let (check, states) = (Schema::named("check"), Schema::named("states"));
    let method = |schema: &Schema, of: &str| {
        schema.root()["$defs"][of]["properties"]["method"]["enum"].clone()
    };
    assert_eq!(method(&states, "stopped"), json!(names));
    names.push(Value::Null);
    assert_eq!(method(&check, "result"), json!(names));
}

/// The document of a check, which ends as told and has these values at these places.
fn check(model: &str, more: &[&str], code: i32, has: &[(&str, Value)]) -> Value {
    let arguments = [&["check", model], more].concat();
    document(&Schema::named("check"), &arguments, code, has)
}

/// The verdict of the first property.
fn verdict(text: &str) -> (&'static str, Value) {
    ("/results/0/verdict", json!(text))
}

#[test]
fn answers_about_languages_are_of_the_schema() {
    let ask = |arguments: &[&str], code: i32, answer: &str| {
        let arguments = [&["automata"], arguments].concat();
        let has = [("/answer", json!(answer))];
        document(&Schema::named("automata"), &arguments, code, &has)
    };
    ask(&["equivalent", "F G a", "!G F !a"], 0, "yes");
    let found = ask(&["equivalent", "F a", "G a"], 1, "no");
    assert_eq!(found["words"][0]["accepted_by"], json!([0]));
    ask(&["includes", "F a", "G F a"], 0, "yes");
    let found = ask(&["stutter-invariant", "X a"], 1, "no");
    assert_eq!(found["words"].as_array().unwrap().len(), 2);
    ask(&["empty", "a & !a"], 0, "yes");
    ask(&["accepts", "G(a | b)", "a; cycle{a; b}"], 0, "yes");
    let slow = "G F a0 & G F a1 & G F a2 & G F a3 & X X X(b U c)";
    let found = ask(&["empty", slow, "--timeout", "0"], 3, "unknown");
    assert_eq!(found["reason"], "time");
}

#[test]
fn answers_about_automata_are_of_the_schema() {
    let folder = folder("automaton-file");
    let (_, hoa, _) = run(&["translate", "G F Eat_1"]);
    let hoa = file(&folder, "forever.hoa", &hoa);
    let file = ("/results/0/name", json!(hoa));
    let logic = ("/results/0/logic", json!("automaton"));
    let bad = ["--automaton-file", &hoa];
    let found = check(PHILOSOPHERS, &bad, 1, &[verdict("fails"), file, logic]);
    assert_eq!(found["results"][0]["formula"], Value::Null);
    assert_eq!(found["results"][0]["certified"], true);
    let all = [&bad[..], &["--all-runs", "--engine", "symbolic"]].concat();
    check(PHILOSOPHERS, &all, 1, &[verdict("fails")]);
}

#[test]
fn answers_of_linear_time_are_of_the_schema() {
    let reason = |text: &str| ("/results/0/reason", json!(text));
    let holds = ["--ltl", "G !(Eat_1 & Eat_2)"];
    check(PHILOSOPHERS, &holds, 0, &[verdict("holds")]);

    let fails = ["--ltl", "G F Eat_1", "--stats=product"];
    let explicit = ["--automaton", "tgba", "--engine", "explicit"];
    let run = check(PHILOSOPHERS, &[&fails[..], &explicit].concat(), 1, &[]);
    let found = &run["results"][0];
    assert!(!found["witness"]["cycle"].as_array().unwrap().is_empty());
    assert!(found["automaton"]["edges"].is_u64());
    assert!(found["product"]["states"].is_string());
    assert!(run["stored_states"].is_string());
    let symbolic = [&fails[..], &["--engine", "symbolic"]].concat();
    let run = check(PHILOSOPHERS, &symbolic, 1, &[verdict("fails")]);
    assert!(run["results"][0]["diagrams"]["stuttering_ratio"].is_number());

    let mixed = ["--ltl", "G Eat_9", "--ltl", "G !deadlock"];
    let others = ("/results/1/verdict", json!("fails"));
    check(PHILOSOPHERS, &mixed, 2, &[verdict("error"), others]);
    let states = ["--ltl", "G F Eat_1", "--max-states", "1"];
    let unknown = [verdict("unknown"), reason("states")];
    check(PHILOSOPHERS, &states, 3, &unknown);
    let time = ["--ltl", "G F Eat_1", "--timeout", "0"];
    let unknown = [verdict("unknown"), reason("time")];
    check(PHILOSOPHERS, &time, 3, &unknown);

    let dve = check(PETERSON, &["--ltl", "G F P_0.CS"], 1, &[verdict("fails")]);
    let state = &dve["results"][0]["witness"]["cycle"][0]["state"];
    let mut values = state.as_object().unwrap().values();
    assert!(values.any(Value::is_string), "{state}");
}

#[test]
fn answers_of_branching_time_are_of_the_schema() {
    let both = [
        "--ctl",
        "EF Eat_1 & EX Catch1_1",
        "--ctl-star",
        "E(G F Eat_1 & G EF Eat_4)",
    ];
    let more = ["--engine", "symbolic", "--sat-set=2"];
    let logics = [
        ("/results/0/logic", json!("ctl")),
        ("/results/0/witness/reason", json!("operands")),
        ("/results/1/logic", json!("ctl*")),
    ];
    let tree = check(PHILOSOPHERS, &[&both[..], &more].concat(), 0, &logics);
    let results = tree["results"].as_array().unwrap();
    assert!(results[0]["claims"]["checked"].is_u64());
    let sample = results[0]["satisfying"]["sample"].as_array();
    assert_eq!(sample.map(Vec::len), Some(2));
    let path = &results[1]["witness"]["path"];
    assert!(!path["cycle"].as_array().unwrap().is_empty() && path["end"].is_null());
    let failing = check(
        PHILOSOPHERS,
        &["--ctl", "AG EF Eat_1"],
        1,
        &[verdict("fails")],
    );
    let path = &failing["results"][0]["witness"]["path"];
    assert!(path["end"].is_object() && path["facts"][0]["position"] == 5);
    let global = ("/results/1/logic", json!("global"));
    check(LIGHT, &["--deadlock", "--ctl", "AG true"], 1, &[global]);
}

#[test]
fn what_is_known_of_models_is_of_the_schema() {
    let folder = folder("schemas-info");
    let info = |model: &str, more: &[&str], has: &[(&str, Value)]| {
        let arguments = [&["info", model], more].concat();
        document(&Schema::named("info"), &arguments, 0, has)
    };
    let kind = |text: &str| ("/kind", json!(text));
    let bounds = [
        kind("net"),
        ("/places/total", json!(25)),
        ("/structure/bounds/proved", json!(25)),
        ("/structure/bounds/largest", json!(1)),
    ];
    let net = info(PHILOSOPHERS, &[], &bounds);
    assert_eq!(net["places"]["shown"].as_array().unwrap().len(), 10);
    assert_eq!(
        net["structure"]["place_invariants"]["shown"][0]["value"],
        "1"
    );
    let some = [
        ("/places/matching", json!(1)),
        ("/places/shown/0/id", json!("Eat_1")),
        ("/transitions/matching", json!(0)),
        ("/pattern", json!("eat_1")),
    ];
    info(PHILOSOPHERS, &["eat_1"], &some);
    let all = info(PHILOSOPHERS, &["*_1", "--all"], &[]);
    assert_eq!(all["places"]["matching"], 5);

    let growing = file(&folder, "growing.pnml", GROWING);
    let grows = [
        ("/structure/unbounded", json!("p")),
        ("/structure/bounds/proved", json!(0)),
    ];
    info(&growing, &[], &grows);

    let coloured = generated(&folder, &["philosophers", "4", "--coloured"]);
    let sizes = [
        kind("coloured_net"),
        ("/unfolding/places", json!(20)),
        ("/structure/without_colours", json!(true)),
        ("/structure/transition_invariants", json!(null)),
    ];
    info(&coloured, &[], &sizes);
    let too_large = file(&folder, "large.pnml", TOO_LARGE);
    let large = [
        ("/unfolding/most_places", json!("100000000")),
        ("/unfolding/places", json!(null)),
        ("/not_computed/0/what", json!("unfolding")),
        ("/places/shown/0/initial", json!(100_000_000)),
    ];
    info(&too_large, &[], &large);

    let dve = info(PETERSON, &["cs"], &[kind("program")]);
    let shown = dve["variables"]["shown"].as_array().unwrap();
    assert!(
        shown
            .iter()
            .all(|v| !v["values"].as_array().unwrap().is_empty())
    );
    info(LIGHT, &[], &[kind("tables")]);

    let late = ["info", PHILOSOPHERS, "--timeout", "0"];
    document(&Schema::named("error"), &late, 3, &[]);
}

#[test]
fn answers_to_questions_about_nets_are_of_the_schema() {
    let questions = [
        ("--deadlock", "holds"),
        ("--one-safe", "holds"),
        ("--stable-marking", "fails"),
        ("--quasi-liveness", "holds"),
        ("--liveness", "fails"),
    ];
    let report = check(PHILOSOPHERS, &questions.map(|(option, _)| option), 1, &[]);
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), questions.len());
    for (result, (option, verdict)) in results.iter().zip(questions) {
        assert_eq!(result["name"], option["--".len()..]);
        assert_eq!(
            (&result["verdict"], &result["logic"]),
            (&verdict.into(), &"global".into())
        );
    }
    check(PETERSON, &["--liveness"], 2, &[verdict("error")]);
}

#[test]
fn answers_to_files_are_of_the_schema() {
    let folder = folder("schemas-files");
    let set = |name: &str, formula: &str| {
        let property = format!("<property><id>it</id><formula>{formula}</formula></property>");
        let set = format!("<property-set>{property}</property-set>");
        file(&folder, name, &set)
    };
    let growing = file(&folder, "growing.pnml", GROWING);
    let large = file(&folder, "large.pnml", TOO_LARGE);
    for (model, place, bound) in [(PHILOSOPHERS, "Fork_1", "1"), (&*growing, "p", "+inf")] {
        let formula = format!("<place-bound><place>{place}</place></place-bound>");
        let has = [
            verdict("bound"),
            ("/results/0/logic", json!("bound")),
            ("/results/0/bound", json!(bound)),
            ("/results/0/formula", Value::Null),
        ];
        check(
            model,
            &["--properties", &set("bound.xml", &formula)],
            0,
            &has,
        );
    }
    let fireable = "<is-fireable><transition>FF2a_1</transition></is-fireable>";
    let formula = format!("<exists-path><finally>{fireable}</finally></exists-path>");
    let reach = set("reach.xml", &formula);
    let logic = ("/results/0/logic", json!("reachability"));
    let path = check(PHILOSOPHERS, &["--properties", &reach], 0, &[logic]);
    let stem = path["results"][0]["witness"]["stem"].as_array();
    assert_eq!(stem.map(Vec::len), Some(2));
    let late = ["--properties", &reach, "--timeout", "0"];
    let unread = ("/results/0/logic", Value::Null);
    check(PHILOSOPHERS, &late, 3, &[unread]);

    let questions = ["--ltl", "G p", "--one-safe", "--properties", &reach];
    let early = ("/results/1/verdict", json!("fails"));
    let report = check(&large, &questions, 1, &[verdict("unknown"), early]);
    assert!(report["unfolding"]["places_at_most"].is_string());
}

#[test]
fn saved_runs_are_of_the_schema() {
    let (schema, folder) = (Schema::named("witness"), folder("schemas-runs"));
    let growing = file(&folder, "growing.pnml", GROWING);
    let saved = folder.join("run.json").to_str().unwrap().to_owned();
    let save = |model: &str, formula: &str, more: &[&str]| {
        let arguments = [&["--ltl", formula, "--witness", &saved], more].concat();
        let report = check(model, &arguments, 1, &[verdict("fails")]);
        let value: Value = serde_json::from_str(&std::fs::read_to_string(&saved).unwrap()).unwrap();
        assert_eq!(schema.check(&value), Ok(()), "{value:#}");
        // The run is that of the report, with what it takes to replay it.
        let entry = &value["witnesses"][0];
        assert_eq!(entry["formula"], json!(formula));
        assert_eq!(entry["dead_ends"], json!("stutter"));
        let run = entry["witness"].clone();
        assert_eq!(run, report["results"][0]["witness"]);
        let (code, ..) = document::run(&["replay", model, &saved]);
        assert_eq!(code, 0, "{value:#}");
        run
    };
    let limits = ["--engine", "explicit", "--max-states", "1000"];
    let prefix = save(&growing, "G \"p <= 1\"", &limits);
    assert_eq!(prefix["cycle"], json!([]));
    let dead = save(PHILOSOPHERS, "F Eat_1 | G !deadlock", &[]);
    assert_eq!(dead["cycle"][0]["transition"], Value::Null);
    let coloured = generated(&folder, &["philosophers", "3", "--coloured"]);
    let run = save(&coloured, "G F \"Eat >= 1\"", &[]);
    let steps = [&run["stem"], &run["cycle"]];
    let mut steps = steps
        .into_iter()
        .flat_map(|steps| steps.as_array().unwrap());
    assert!(
        steps.any(|step| step["binding"]["x"].is_string()),
        "{run:#}"
    );

    // Fair runs, and runs of which steps are asked, replay as what they are.
    let starving = "F deadlock | G F \"fires(End_1)\"";
    let fair = save(PHILOSOPHERS, starving, &["--fair", "weak"]);
    assert!(fair["cycle"].as_array().is_some_and(|c| !c.is_empty()));
    let text = std::fs::read_to_string(&saved).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["witnesses"][0]["fairness"], json!(["weak"]));
    value["witnesses"][0]["fairness"] = json!(["weak", "strong:F*"]);
    std::fs::write(&saved, value.to_string()).unwrap();
    let (code, _, said) = document::run(&["replay", PHILOSOPHERS, &saved]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the run is not fair"), "{said}");

    // The answers are the only document, whatever becomes of the file.
    let nowhere = ["--ltl", "G F Eat_1", "--witness", "no/such/folder"];
    check(PHILOSOPHERS, &nowhere, 2, &[verdict("fails")]);
    let (_, _, said) = document::run(&[&["check", PHILOSOPHERS], &nowhere[..]].concat());
    assert!(
        said.contains("error: cannot write no/such/folder"),
        "{said}"
    );
}

#[test]
fn state_spaces_and_orders_are_of_their_schemas() {
    let (schema, folder) = (Schema::named("states"), folder("schemas-states"));
    let growing = file(&folder, "growing.pnml", GROWING);
    let large = file(&folder, "large.pnml", TOO_LARGE);
    let states = |model: &str, more: &[&str], code: i32, result: &str| {
        let has = [("/result", json!(result))];
        document(&schema, &[&["states", model], more].concat(), code, &has)
    };
    let explicit = states(PHILOSOPHERS, &["--engine", "explicit"], 0, "complete");
    assert!(explicit["stats"]["seen_states"].is_string());
    let symbolic = states(PHILOSOPHERS, &["--engine", "symbolic"], 0, "complete");
    assert!(symbolic["stats"]["nodes"].is_u64() && symbolic["order"].is_string());
    assert_eq!(symbolic["states"], explicit["states"]);
    assert_eq!(states(&growing, &[], 0, "unbounded")["states"], "+inf");
    states(PETERSON, &[], 0, "complete");
    states(LIGHT, &[], 0, "complete");
    let part = states(PHILOSOPHERS, &["--max-states", "5"], 3, "unknown");
    assert_eq!(part["stopped"][0]["reason"], "states");
    states(PHILOSOPHERS, &["--timeout", "0"], 3, "unknown");
    let unfolding = states(&large, &[], 3, "unknown");
    assert!(unfolding["stats"]["unfolding"]["places_at_most"].is_string());

    let orders = document(&Schema::named("orders"), &["orders", PHILOSOPHERS], 0, &[]);
    assert!(orders["orders"].as_array().unwrap().len() > 10);
}

#[test]
fn automata_are_of_the_schema() {
    let schema = Schema::named("automaton");
    for kind in ["tgba", "ba", "ta", "tgta"] {
        for formula in ["a U G b", "GFa & GFb", "a & !a", "true"] {
            let has = [("/name", json!(formula))];
            document(&schema, &["translate", formula, "--to", kind], 0, &has);
        }
        let boolean = [
            "translate",
            "G(a & b & c) | F(a & !b & !c & d)",
            "--propositions",
            "boolean",
            "--to",
            kind,
        ];
        let automaton = document(&schema, &boolean, 0, &[]);
        assert!(automaton["alphabet"]["text"].is_string(), "{automaton:#}");
    }
    let single = ["translate", "GFa", "--to", "ta", "--single-pass"];
    document(&schema, &single, 0, &[("/kind", json!("ta"))]);
}

#[test]
fn errors_are_of_the_schema_and_told_twice() {
    let (schema, folder) = (Schema::named("error"), folder("schemas-errors"));
    let damaged = file(
        &folder,
        "damaged.pnml",
        "<pnml><net id='n'><place/></net></pnml>",
    );
    let large = file(&folder, "large.pnml", TOO_LARGE);
    let no_set = file(
        &folder,
        "set.xml",
        "<property-set><property/></property-set>",
    );
    let cases: [(&[&str], i32, &str); 11] = [
        (
            &["check", "no-such.pnml", "--ltl", "G a"],
            2,
            "cannot read no-such.pnml",
        ),
        (&["check", &damaged, "--ltl", "G a"], 2, "damaged.pnml"),
        (&["check", PHILOSOPHERS], 2, "nothing to check"),
        (
            &["check", PHILOSOPHERS, "--properties", &no_set],
            2,
            "set.xml",
        ),
        (&["states", "no-such.pnml"], 2, "cannot read no-such.pnml"),
        (&["states", &damaged], 2, "damaged.pnml"),
        (&["orders", "no-such.pnml"], 2, "cannot read no-such.pnml"),
        (&["orders", &large], 3, "100000000 places"),
        (&["translate", "G(a"], 2, "column"),
        (
            &["translate", "F(a & X b)", "--to", "ta"],
            2,
            "stutter-invariant",
        ),
        (
            &["translate", "a U b", "--timeout", "0"],
            3,
            "unknown: time",
        ),
    ];
    for (arguments, code, why) in cases {
        let value = document(&schema, arguments, code, &[]);
        let error = value["error"].as_str().unwrap();
        assert!(error.contains(why), "{arguments:?}: {error}");
        assert!(!error.starts_with("error: "), "{arguments:?}: {error}");
        let (_, _, said) = run(&[arguments, &["--format", "json"]].concat());
        assert!(said.contains(error), "{arguments:?}: {said}");
        // Without the option standard output is for data alone.
        let (_, out, said) = run(arguments);
        assert!(
            out.is_empty() && said.contains(why),
            "{arguments:?}: {out}{said}"
        );
    }
    // One formula without an automaton does not keep the others from having theirs.
    let three = documents(&["translate", "a", "a U", "b"], 2);
    let schemas: Vec<_> = three
        .iter()
        .map(|value| value["schema"].as_str().unwrap())
        .collect();
    assert_eq!(
        schemas,
        [
            "dalsegno.automaton/1",
            "dalsegno.error/1",
            "dalsegno.automaton/1"
        ]
    );
}
