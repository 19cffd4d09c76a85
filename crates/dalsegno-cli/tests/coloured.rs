//! Coloured nets, as users of the program see them.

use std::process::Command;

mod run;

use run::run;

#[test]
fn coloured_nets_are_nets_like_any_other() {
    let folder = std::env::temp_dir().join(format!("dalsegno-coloured-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (net, plain, witness) = (path("c.pnml"), path("u.pnml"), path("w.json"));
    let done = "exit code 0\n";
    let generate = ["generate", "philosophers", "3", "--coloured", "-o", &net];
    assert_eq!(run(&generate, ""), done);
    assert_eq!(run(&["convert", &net, &plain], ""), done);
    for model in [&net, &plain] {
        let states = run(&["states", model], "");
        assert!(states.contains("states:                 27\n"), "{states}");
    }
    let property = "G(\"'Fork(1)' >= 1\" -> F \"Eat >= 1\")";
    let failed = run(
        &["check", &net, "--ltl", property, "--witness", &witness],
        "",
    );
    assert!(failed.starts_with("exit code 1\n"), "{failed}");
    assert!(failed.contains("(x="), "{failed}");
    let replayed = run(&["replay", &net, &witness], "");
    assert!(replayed.starts_with("exit code 0\n"), "{replayed}");
    let broken = std::fs::read_to_string(&net).unwrap();
    let broken = broken.replacen("refvariable=\"x\"", "refvariable=\"z\"", 1);
    std::fs::write(&net, broken).unwrap();
    let refused = run(&["states", &net], "");
    assert!(refused.starts_with("exit code 2\n"), "{refused}");
    assert!(
        refused.contains("there is no variable `z`; did you mean `x`?"),
        "{refused}"
    );
    assert!(refused.trim_end().ends_with('^'), "{refused}");
    std::fs::remove_dir_all(&folder).unwrap();
}

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
fn a_net_that_is_too_large_to_unfold_is_unknown() {
    let folder = std::env::temp_dir().join(format!("dalsegno-unfold-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (net, other) = (path("model.pnml"), path("other.pnml"));
    std::fs::write(&net, TOO_LARGE).unwrap();
    let size = "it would have up to 100000000 places and 100000000 transitions";
    let properties = path("Some.xml");
    let formula = "<all-paths><globally><is-fireable><transition>t</transition></is-fireable></globally></all-paths>";
    let property = format!("<property><id>one</id><formula>{formula}</formula></property>");
    let set = format!("<property-set>{property}</property-set>");
    std::fs::write(&properties, set).unwrap();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let text = run(&[arguments, &["--format", "json"]].concat(), "");
        assert!(text.starts_with("exit code 3\n"), "{text}");
        assert!(text.contains(size), "{text}");
        let out = text.split_once("--- stdout\n").unwrap().1;
        let out = out.split_once("--- stderr\n").unwrap().0;
        serde_json::from_str(out).unwrap()
    };
    let states = json(&["states", &net]);
    assert_eq!(
        (&states["result"], &states["reason"]),
        (&"unknown".into(), &"memory".into())
    );
    assert_eq!(states["stats"]["unfolding"]["places_at_most"], "100000000");
    let check = json(&[
        "check",
        &net,
        "--ltl",
        "G p",
        "--ctl",
        "EF p",
        "--properties",
        &properties,
    ]);
    assert_eq!(check["unfolding"]["transitions_at_most"], "100000000");
    let results = check["results"].as_array().unwrap();
    let shown: Vec<_> = results
        .iter()
        .map(|r| (&r["name"], &r["logic"], &r["verdict"]))
        .collect();
    let unknown = &"unknown".into();
    assert_eq!(
        shown,
        [
            (&"".into(), &"ltl".into(), unknown),
            (&"".into(), &"ctl".into(), unknown),
            (&"one".into(), &serde_json::Value::Null, unknown),
        ]
    );
    for arguments in [
        vec!["states", &net],
        vec!["check", &net, "--ltl", "G p"],
        vec!["convert", &net, &other],
    ] {
        let text = run(&arguments, "");
        assert!(text.starts_with("exit code 3\n"), "{text}");
        assert!(text.contains("--- stderr\nunknown: "), "{text}");
        assert!(text.contains(size), "{text}");
    }
    assert!(!std::path::Path::new(&other).exists());
    let mcc = |examination: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
            .arg("mcc")
            .current_dir(&folder)
            .env("BK_EXAMINATION", examination)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            said.contains(size),
        )
    };
    assert_eq!(
        mcc("StateSpace"),
        (Some(3), "CANNOT_COMPUTE\n".to_owned(), true)
    );
    // What the numbers of tokens tell needs no unfolding.
    let (code, answer, tried) = mcc("OneSafe");
    assert!(answer.starts_with("FORMULA OneSafe FALSE "), "{answer}");
    assert_eq!((code, tried), (Some(0), false));
    // With its colours it is no larger than the text.
    assert_eq!(
        run(&["convert", "--coloured", &net, &other], ""),
        "exit code 0\n"
    );
    let written = std::fs::read_to_string(&other).unwrap();
    assert!(
        written.contains("<finiteintrange start=\"1\" end=\"100000000\"/>"),
        "{written}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_is_known_before_the_net_is_unfolded_is_printed() {
    let folder = std::env::temp_dir().join(format!("dalsegno-early-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let net = folder.join("model.pnml").to_str().unwrap().to_owned();
    std::fs::write(&net, TOO_LARGE).unwrap();
    let printed = run(&["check", &net, "--one-safe"], "");
    assert_eq!(printed, "exit code 1\n--- stdout\nfails: one-safe\n");
    let counted = run(&["check", &net, "--one-safe", "--stats"], "");
    assert!(counted.contains("  method: skeleton; "), "{counted}");
    std::fs::remove_dir_all(&folder).unwrap();
}
