//! Texts that are not what they should be.

use super::*;

/// A text, and the place and message of its fault.
const CASES: &[(&str, &str)] = &[
    ("", "1:1: there is no automaton here"),
    ("AP: 0", "1:1: expected `HOA: v1`, found `AP:`"),
    (
        "HOA: v2",
        "1:6: version `v2` of the format is not supported: `v1` is",
    ),
    (
        "HOA: v1.1",
        "1:6: version `v1.1` of the format is not supported: `v1` is",
    ),
    (
        "HOA: v1 Acceptance: 1 Inf(!1) --BODY-- --END--",
        "1:28: there is no acceptance set 1: they are numbered below 1",
    ),
    (
        "HOA: v1 Acceptance: 1 Inf(1) --BODY-- --END--",
        "1:27: there is no acceptance set 1: they are numbered below 1",
    ),
    (
        "HOA: v1 Acceptance: 65 t --BODY-- --END--",
        "1:21: 65 acceptance sets are too many: at most 64 are supported",
    ),
    (
        "HOA: v1 AP: 65 \"a\" Acceptance: 0 t --BODY-- --END--",
        "1:13: 65 propositions are too many: at most 64 are supported",
    ),
    (
        "HOA: v1 AP: 2 \"a\" Acceptance: 0 t --BODY-- --END--",
        "1:13: 2 propositions are announced and 1 are named",
    ),
    (
        "HOA: v1 AP: 0 \"a\" Acceptance: 0 t --BODY-- --END--",
        "1:13: 0 propositions are announced and 1 are named",
    ),
    (
        "HOA: v1 AP: 2 \"a\" \"a\"",
        "1:19: the proposition \"a\" is named twice",
    ),
    (
        "HOA: v1 Start: 0&1 Acceptance: 0 t --BODY-- --END--",
        "1:17: universal branching (alternating automata) is not supported",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0&1 --END--",
        "1:48: universal branching (alternating automata) is not supported",
    ),
    (
        "HOA: v1 Acceptance: 0 t --ABORT--",
        "1:25: `--ABORT--`: the producer of this automaton gave up",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 --ABORT--",
        "1:43: `--ABORT--`: the producer of this automaton gave up",
    ),
    (
        "HOA: v1 Acceptance: 0 t\n--BODY--\nState: 0\n",
        "4:1: the text ends before `--END--`: it seems truncated",
    ),
    (
        "HOA: v1 --BODY-- --END--",
        "1:9: the header `Acceptance:` is missing",
    ),
    ("HOA: v1 AP: 0 AP: 0", "1:15: a second `AP:` header"),
    ("HOA: v1 HOA: v1", "1:9: a second `HOA:` header"),
    (
        "HOA: v1 Colour: 3",
        "1:9: the header `Colour:` is not known, and by its capital letter it must not be skipped",
    ),
    (
        "HOA: v1 States: 4000000000 Acceptance: 0 t --BODY-- --END--",
        "1:17: 4000000000 states are more than a text of this length can define",
    ),
    (
        "HOA: v1 States: 99999999999 Acceptance: 0 t --BODY-- --END--",
        "1:17: this number is too large or starts with a useless zero",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 4000000000 --END--",
        "1:47: 4000000001 states are more than a text of this length can define",
    ),
    (
        "HOA: v1 States: 2 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--",
        "1:59: state 1 is not defined",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 00 --END--",
        "1:41: this number is too large or starts with a useless zero",
    ),
    (
        "HOA: v1 States: 1 Start: 1 Acceptance: 0 t --BODY-- --END--",
        "1:26: there is no state 1: they are numbered below 1",
    ),
    (
        "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 0 [t] 1 --END--",
        "1:57: there is no state 1: they are numbered below 1",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 State: 0 --END--",
        "1:50: state 0 is defined twice",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--",
        "1:44: there is no proposition 0: they are numbered below 0",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [t] 0 {0} --END--",
        "1:50: there is no acceptance set 0: they are numbered below 0",
    ),
    (
        "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [t] 0 0 --END--",
        "1:59: within a state, either all edges have labels or none has",
    ),
    (
        "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: [0] 0 [t] 0 --END--",
        "1:57: within a state, either all edges have labels or none has",
    ),
    (
        "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 0 0 0 --END--",
        "1:51: a state with implicit labels has 2^1 edges, one per letter, not 3",
    ),
    (
        "HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [@x] 0 --END--",
        "1:54: the alias `@x` is not defined",
    ),
    (
        "HOA: v1 AP: 1 \"a\" Alias: @x t Alias: @x 0 Acceptance: 0 t --BODY-- --END--",
        "1:38: a second definition of the alias `@x`",
    ),
    (
        "HOA: v1 Alias: @x 1 AP: 1 \"a\" Acceptance: 0 t --BODY-- --END--",
        "1:19: there is no proposition 1: they are numbered below 1",
    ),
    ("HOA: v1 /* ", "1:9: this comment is not closed"),
    ("HOA: v1 name: \"x", "1:15: this string is not closed"),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- --END-- §",
        "1:42: unexpected character '§'",
    ),
    (
        "HOA: v1 Acceptance: 0 t --BODY-- --END-- HOA: v1",
        "1:42: there is more than one automaton here",
    ),
];

#[test]
fn faults_are_named_and_placed() {
    for (text, expected) in CASES {
        let e = read_one(text).expect_err(text);
        assert_eq!(
            &format!("{}:{}: {}", e.line, e.column, e.kind),
            expected,
            "{text}"
        );
        assert!(e.render(text).contains('^'));
    }
    assert!(read(" /* nothing */ ").unwrap().is_empty());
}

#[test]
fn the_caret_stands_under_the_fault() {
    let text = "HOA: v1\nStates: 1\nStart: 7\nAcceptance: 0 t\n--BODY--\n--END--\n";
    assert_eq!(
        read_one(text).unwrap_err().render(text),
        "line 3, column 8: there is no state 7: they are numbered below 1\n  Start: 7\n         ^"
    );
}

#[test]
fn broken_testing_automata_are_refused() {
    let good = r#"HOA: v1 States: 1 Start: 0 AP: 1 "change(a)"
        Acceptance: 3 Inf(0) | (Fin(2)&Inf(1)) testing-kind: ta
        testing-propositions: "a" testing-alphabet: "0" testing-initial: "0" 0
        --BODY-- State: 0 [!0] 0 {1} [0] 0 {0 2} --END--"#;
    assert!(testing_of(good).livelock[0]);
    for (from, to) in [
        ("(Fin(2)&Inf(1))", "Inf(2)"),
        ("change(a)", "a"),
        ("testing-propositions: \"a\"", ""),
        ("Start: 0", ""),
        ("testing-initial: \"0\"", "testing-initial: \"!0\""),
        ("testing-initial: \"0\"", "testing-initial: \"0 &\""),
        ("[!0] 0 {1}", ""),
        ("[!0] 0 {1}", "[!0] 0 {0}"),
        ("{0 2}", "{0}"),
        ("{0 2}", "{0 1 2}"),
        ("testing-kind: ta", "testing-kind: tta"),
    ] {
        let text = good.replace(from, to);
        assert_ne!(text, good);
        let e = read_one(&text).expect_err(&text);
        assert!(e.span.end <= text.len());
    }
    let names: Vec<String> = (0..40).map(|i| format!("\"change({i})\"")).collect();
    let plain: Vec<String> = (0..40).map(|i| format!("\"{i}\"")).collect();
    let huge = format!(
        "HOA: v1 AP: 40 {} Acceptance: 0 t testing-kind: tgta testing-propositions: {} --BODY-- --END--",
        names.join(" "),
        plain.join(" ")
    );
    assert_eq!(read_one(&huge).unwrap_err().kind, ErrorKind::TooComplex);
}

#[test]
fn damaged_texts_never_panic() {
    let mut random = Random(3);
    let mut samples = vec![EVERYTHING.to_owned()];
    for _ in 0..4 {
        samples.push(written(
            &random_automaton(&mut random, false),
            &WriteOptions::default(),
        ));
        samples.push(testing_written(&random_testing(&mut random)));
    }
    let pieces = [
        "0",
        "1",
        "4294967295",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "&",
        "|",
        "!",
        "@a",
        "\"",
        "\\",
        "/*",
        "*/",
        "--END--",
        "--BODY--",
        "--ABORT--",
        "State:",
        "Start:",
        "Acceptance:",
        "Inf(",
        "t",
        "f",
        "AP:",
        "\n",
        "é",
        "testing-kind: ta ",
        "testing-kind: tgta ",
        "Alias: @a ",
    ];
    for sample in &samples {
        for end in 0..sample.len() {
            if let Some(prefix) = sample.get(..end) {
                let _ = read(prefix).map_err(|e| e.render(prefix));
            }
        }
        for _ in 0..1500 {
            let mut text = sample.clone();
            for _ in 0..=random.below(3) {
                let mut at = || {
                    let mut i = random.below(text.len() as u64 + 1) as usize;
                    while !text.is_char_boundary(i) {
                        i -= 1;
                    }
                    i
                };
                let (from, to) = (at(), at());
                let piece = match random.below(3) {
                    0 => String::new(),
                    1 => text[from.min(to)..from.max(to)].to_owned(),
                    _ => pieces[random.below(pieces.len() as u64) as usize].to_owned(),
                };
                let cut = if random.below(2) == 0 {
                    from
                } else {
                    from.max(to).min(from + 9)
                };
                let cut = (cut..=text.len())
                    .find(|&i| text.is_char_boundary(i))
                    .unwrap();
                text.replace_range(from..cut, &piece);
            }
            match read(&text) {
                Ok(documents) => {
                    for document in documents {
                        match document.content {
                            Content::Automaton(a) => a.check_invariants(),
                            Content::Testing(t) => t.check_invariants(),
                        }
                    }
                }
                Err(e) => assert!(!e.render(&text).is_empty()),
            }
        }
    }
}
