use std::fmt::Write as _;

use dalsegno_kripke::{Budget, Scratch, VarId};

use super::*;

/// Everything that the format can say.
const SAMPLE: &str = "\
begin state
P_0\\.k:byte P_0:P_0 _ pos\\[0\\]:int
end state
begin edge
action:act
end edge
begin init
0 0 0 65535
end init
begin trans
 0/1 * * 65535/0 0
 1/1 0/1 * * 1

end trans
begin trans
end trans
begin map safe:bool
 * 1 * * 1
 * 0 * * 0
end map
begin sort P_0
\"NCS\"
\"say \\\"hi\\\\\\\"\"
end P_0
begin sort byte
end sort
begin sort act
#00ff#
\"b\"
end sort
";

fn message(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

fn changed(from: &str, to: &str) -> String {
    assert!(SAMPLE.contains(from), "{from:?} is in the sample");
    message(&SAMPLE.replacen(from, to, 1))
}

#[test]
fn what_is_written_reads_back() {
    let etf = parse(SAMPLE.as_bytes()).unwrap();
    assert_eq!(etf.variables[3].name, "pos[0]");
    assert_eq!(etf.sorts[0].values[1], b"say \"hi\\\"");
    assert_eq!(etf.sorts[2].values[0], [0, 255]);
    assert_eq!(etf.sections[0].labels, [0, 1]);
    let mut text = Vec::new();
    write(&etf, &mut text).unwrap();
    assert_eq!(parse(&text).unwrap(), etf);
}

#[test]
fn a_section_is_a_group_that_reads_and_writes_what_its_rows_say() {
    let etf = parse(SAMPLE.as_bytes()).unwrap();
    let model = etf.to_model("m").unwrap();
    let group = &model.groups()[0];
    assert_eq!(group.reads(), [0, 1, 3].map(VarId));
    assert_eq!(group.writes(), [0, 1, 3].map(VarId));
    assert!(model.groups()[1].reads().is_empty());
    assert_eq!(model.variables()[2].name, "_2");
    let initial = &model.initial()[0];
    let shown = |i: u32, value| model.values(VarId(i)).show(value).to_string();
    assert_eq!(shown(1, initial[1]), "NCS");
    assert_eq!(shown(3, initial[3]), "-1");
    let mut seen = Vec::new();
    let mut visit = |state: &[u32]| {
        let visit = |_, next: &[u32]| seen.push(next.to_vec());
        model
            .successors(state, &mut Scratch::default(), visit)
            .unwrap();
    };
    visit(initial);
    visit(&[1, 0, 7, 3]);
    assert_eq!(seen, [vec![1, 0, 0, 1 << 15], vec![1, 1, 7, 3]]);
    let labels = etf.labels();
    assert_eq!(
        (labels[0].name.as_str(), labels[0].values.len()),
        ("safe", 2)
    );
    assert!(labels[0].values[0].states.eval(&model, &[0, 1, 0, 0]));
}

#[test]
fn int_has_a_sign_only_where_the_numbers_look_like_it() {
    let plain = SAMPLE.replace("65535", "70000");
    let model = parse(plain.as_bytes()).unwrap().to_model("m").unwrap();
    assert_eq!(model.initial()[0][3], 70000);
    assert_eq!(model.values(VarId(3)).zero(), 0);
}

#[test]
fn faults_have_a_line_a_column_and_a_caret() {
    assert_eq!(
        changed(" 1/1 0/1 * * 1", " 1/1 0/1 * 1"),
        "line 12, column 2: expected 5 columns, found 4\n   1/1 0/1 * 1\n   ^^^^^^^^^^^"
    );
    assert_eq!(
        changed("0 0 0 65535", "0 0 x 65535"),
        "line 8, column 5: expected a number\n  0 0 x 65535\n      ^"
    );
    assert_eq!(
        changed("begin map", "begin mop"),
        "line 17, column 1: there is no section `mop`; did you mean `map`?\n  begin mop safe:bool\n  \
         ^^^^^^^^^^^^^^^^^^^"
    );
    for (from, to, expected) in [
        ("0 0 0 65535", "0 0 0", "expected 4 columns, found 3"),
        ("0/1", "0/99999999999", "does not fit into 32 bits"),
        ("0/1", "0-1", "expected `*`, or two numbers such as 0/1"),
        ("0/1", "/1", "expected a number"),
        (
            " 1/1 0/1",
            " 1/1 0/7",
            "`P_0` has 2 values, so 7 is none of them",
        ),
        (
            "1\n\nend",
            "9\n\nend",
            "`act` has 2 values, so 9 is none of them",
        ),
        ("action:act", "action", "expected name:type"),
        (
            "P_0:P_0",
            "P_0\\.k:P_0",
            "the variable `P_0.k` is declared twice",
        ),
        ("sort act", "sort byte", "the sort `byte` is declared twice"),
        ("sort act", "sort", "the name of a sort"),
        ("\"NCS\"", "\"NCS", "a value in quotes"),
        ("#00ff#", "#00f#", "a value in quotes"),
        ("* 0 * * 0", "* 0 * * *", "a value at the end of the row"),
        ("* 0 * * 0", "* 0 * 0", "expected 5 columns, found 4"),
        ("end edge", "end trans", "`end edge` is missing"),
        ("end init\n", "", "`end init` is missing"),
        (
            "begin init\n0 0 0 65535\nend init",
            "",
            "`begin init` is missing",
        ),
        ("begin edge", "begin state", "`begin state` is there twice"),
        ("begin edge", "edge", "expected `begin`"),
    ] {
        let message = changed(from, to);
        assert!(message.contains(expected), "{from} -> {to}: {message}");
    }
    assert!(message("begin trans\nend trans").contains("`begin state` is missing"));
    assert!(message("").contains("`begin state` is missing"));
    let error = parse(b"begin st\xffate").unwrap_err();
    assert_eq!(
        (error.kind, error.line, error.column),
        (ErrorKind::Encoding, 1, 9)
    );
}

#[test]
fn every_beginning_of_a_file_is_an_answer() {
    for end in 0..SAMPLE.len() {
        if let Ok(etf) = parse(&SAMPLE.as_bytes()[..end]) {
            let last = SAMPLE[..end].trim_end().lines().last().unwrap_or("");
            assert!(last.starts_with("end "), "not the end of a section: {last}");
            let _ = etf.to_model("m");
        }
    }
}

#[test]
fn reading_ends_with_its_time_and_memory() {
    let mut text = String::from("begin state\nx:nat y:nat\nend state\nbegin init\n0 0\nend init\n");
    text.push_str("begin trans\n");
    for i in 0..20_000 {
        writeln!(text, "{i}/{} *", i + 1).unwrap();
    }
    text.push_str("end trans\nbegin map m:nat\n");
    for i in 0..20_000 {
        writeln!(text, "{i} * {i}").unwrap();
    }
    text.push_str("end map\n");
    let spent = Budget::unlimited().with_time(std::time::Duration::ZERO);
    let small = Budget::unlimited().with_bytes(100_000);
    let stop = |budget| parse_within(text.as_bytes(), budget).unwrap_err().stop();
    assert_eq!(stop(&spent), Some(Stop::Time));
    assert_eq!(stop(&small), Some(Stop::Memory));
    let etf = parse(text.as_bytes()).unwrap();
    let stop = |budget| etf.to_model_within("m", budget).unwrap_err();
    assert_eq!(stop(&spent), LowerError::Stopped(Stop::Time));
    assert_eq!(stop(&small), LowerError::Stopped(Stop::Memory));
    assert_eq!(etf.labels_within(&spent), Err(Stop::Time));
    assert_eq!(etf.labels()[0].values.len(), 20_000);
}

#[test]
fn control_characters_are_refused_with_their_place() {
    let error = parse(b"begin state\nx\0:nat\nend state\n").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Character('\0'));
    assert_eq!((error.line, error.column), (2, 2));
}
