use std::fmt::Write as _;

use dalsegno_kripke::{Fault, Model, Scratch};

use super::*;

fn model(text: &str) -> Model {
    load(text.as_bytes(), "m").unwrap_or_else(|error| panic!("{error}"))
}

/// All reachable states, breadth first.
fn reachable(model: &Model) -> Vec<Vec<u32>> {
    let mut states = model.initial().to_vec();
    let mut scratch = Scratch::default();
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        let visit = |_, after: &[u32]| {
            if !states.iter().any(|s| s == after) {
                states.push(after.to_vec());
            }
        };
        model.successors(&state, &mut scratch, visit).unwrap();
        next += 1;
    }
    states
}

/// The values of a variable at the end of a program that stops.
fn last(text: &str, variable: &str) -> i64 {
    let model = model(text);
    let states = reachable(&model);
    let v = model.find_variable(variable).expect("a variable");
    model.values(v).number(states[states.len() - 1][v.index()])
}

/// The value of `int x` after one transition with an effect.
fn after(declarations: &str, effect: &str) -> i64 {
    let text = format!(
        "int x; {declarations} process P {{ state a, b; init a;
         trans a -> b {{ effect {effect}; }}; }} system async;"
    );
    last(&text, "x")
}

#[test]
fn expressions_are_those_of_c() {
    for (expression, value) in [
        ("1 + 2 * 3 - 4", 3),
        ("7 / 2 + 7 % 4", 6),
        ("-7 / 2", -3),
        ("1 << 3 | 1 ^ 3 & 2", 11),
        ("~0", -1),
        ("not 0 and 3 > 2 or false", 1),
        ("!(1 == 2) && 2 != 3", 1),
        ("1 imply 0", 0),
        ("0 imply 0 imply 0", 0),
        ("2 < 3 == true", 1),
        ("- - 5", 5),
        ("P.a", 1),
        ("P.b + 4", 4),
        ("y[1] + y[z]", 34),
        ("(y[z - 1] + 3) * (y[0] - (z + (y[2] - z)))", -155),
        ("P->k[1]", 9),
    ] {
        let text = format!(
            "int x; byte y[3] = {{1, 2, 32}}; byte z = 2; process P {{ byte k[2] = {{8, 9}};
             state a, b; init a; trans a -> b {{ effect x = {expression}; }}; }} system async;"
        );
        assert_eq!(last(&text, "x"), value, "for {expression}");
    }
}

#[test]
fn what_does_not_fit_wraps_around() {
    assert_eq!(after("", "x = 32767 + 1"), -32768);
    assert_eq!(after("", "x = -32768 - 1"), 32767);
    assert_eq!(after("byte y = 200;", "y = y + 100, x = y"), 44);
    assert_eq!(after("byte y;", "y = -1, x = y"), 255);
    assert_eq!(after("int y = 30000;", "x = y + y - y"), 30000);
}

#[test]
fn effects_see_each_other_and_guards_see_the_state() {
    assert_eq!(after("int y = 1;", "y = y + 1, x = y * 10"), 20);
    let swap = "int x = 1, y = 2; process P { state a; init a;
                trans a -> a { guard x == 1; effect x = y, y = 1; }; } system async;";
    assert_eq!(last(swap, "y"), 1);
}

#[test]
fn reads_and_writes_are_precise() {
    let model = model(
        "byte a[3], b[2], i, x, y; process P { state s, t; init s; trans
         s -> t { guard a[1] == 0; effect x = 1, y = x; },
         s -> s { effect b[i] = a[2]; },
         t -> s { effect x = b[i]; }; }
         system async;",
    );
    let name = |v: &dalsegno_kripke::VarId| model.variable(*v).name.as_str();
    let lists: Vec<[Vec<&str>; 2]> = model
        .groups()
        .iter()
        .map(|g| {
            [
                g.reads().iter().map(name).collect(),
                g.writes().iter().map(name).collect(),
            ]
        })
        .collect();
    assert_eq!(lists[0], [vec!["a[1]", "P"], vec!["x", "y", "P"]]);
    assert_eq!(
        lists[1],
        [vec!["a[2]", "b[0]", "b[1]", "i", "P"], vec!["b[0]", "b[1]"]]
    );
    assert_eq!(lists[2], [vec!["b[0]", "b[1]", "i", "P"], vec!["x", "P"]]);
    assert_eq!(model.groups()[0].name(), "P: s -> t");
}

#[test]
fn a_rendezvous_joins_two_processes() {
    let text = "channel c; byte x; process S { state a, b; init a; trans a -> b { sync c!x + 5; effect x = x * 2; }; }
                process R { byte m; state a, b; init a; trans a -> b { guard m == 0; sync c?m; effect x = x + m; }; }
                system async;";
    let model = model(text);
    assert_eq!(model.groups().len(), 1);
    assert_eq!(model.groups()[0].name(), "S: a -> b / R: a -> b");
    assert_eq!(last(&text.replace("byte x;", "byte x = 3;"), "x"), 14);
    // A process does not talk to itself.
    let alone = "channel c; process P { state a; init a; trans a -> a { sync c!; }, a -> a { sync c?; }; } system async;";
    assert!(load(alone.as_bytes(), "m").unwrap().groups().is_empty());
}

#[test]
fn a_buffer_keeps_messages_in_order() {
    let text = "channel {byte, int} c[2]; byte n;
        process S { state a; init a; trans a -> a { guard n < 4; sync c!{n, -n}; effect n = n + 1; }; }
        process R { byte x; int y; int s; state a; init a; trans a -> a { sync c?{x, y}; effect s = s * 10 + x - y; }; }
        system async;";
    let model = model(text);
    let names: Vec<&str> = model.variables().iter().map(|v| v.name.as_str()).collect();
    assert_eq!(
        names[..6],
        ["n", "c.length", "c[0].0", "c[1].0", "c[0].1", "c[1].1"]
    );
    let states = reachable(&model);
    let most = states.iter().map(|s| s[1]).max();
    assert_eq!(most, Some(2), "two messages fit");
    let s = model.find_variable("R.s").unwrap();
    let ends = states
        .iter()
        .map(|state| model.values(s).number(state[s.index()]));
    assert_eq!(ends.max(), Some(246), "0, 1, 2 and 3 arrive in this order");
    let empty = states.iter().filter(|s| s[1] == 0);
    let zero = 1 << 15;
    for state in empty {
        assert_eq!(
            state[2..6],
            [0, 0, zero, zero],
            "what is empty has one form"
        );
    }
}

#[test]
fn committed_locations_are_left_first() {
    let text = "byte x; process P { state a, b, c; init a; commit b; trans a -> b {}, b -> c {}; }
                process Q { state a; init a; trans a -> a { effect x = 1 - x; }; } system async;";
    let committed = model(text);
    let free = model(&text.replace("commit b;", ""));
    assert_eq!(
        (reachable(&committed).len(), reachable(&free).len()),
        (6, 6)
    );
    let count = |model: &Model| {
        let mut edges = 0;
        for state in reachable(model) {
            let visit = |_, _: &[u32]| edges += 1;
            model
                .successors(&state, &mut Scratch::default(), visit)
                .unwrap();
        }
        edges
    };
    assert_eq!((count(&committed), count(&free)), (8, 10));
}

#[test]
fn a_property_process_takes_no_part() {
    let text =
        "byte x; process P { state a; init a; trans; } process LTL { state q; init q; accept q;
                trans q -> q { guard not nothing.known; }; } system async property LTL;";
    assert_eq!(model(text).variables().len(), 2);
}

#[test]
fn sources_are_repeated_and_comments_skipped() {
    let text = "/* a \n comment */ process P { state a, b, c; init a; // more\n trans a -> b {}, -> c {}; } system async;";
    assert_eq!(reachable(&model(text)).len(), 3);
}

#[test]
fn what_has_no_meaning_is_a_fault_when_it_is_met() {
    for (effect, reason) in [
        ("x = 1 / x", "division by zero"),
        ("x = 1 % x", "division by zero"),
        ("x = y[x - 1]", "an index of an array is out of range"),
        ("y[x + 2] = 1", "an index of an array is out of range"),
    ] {
        let text = format!(
            "int x; byte y[2]; process P {{ state a; init a; trans a -> a {{ effect {effect}; }}; }} system async;"
        );
        let model = model(&text);
        let result = model.successors(&model.initial()[0], &mut Scratch::default(), |_, _| ());
        let Err(Fault::Undefined { reason: found, .. }) = result else {
            panic!("{effect}: {result:?}");
        };
        assert_eq!(found, reason);
    }
    // The right side of `and` does not matter here.
    let lazy = "byte j = 3, y[3]; process P { state a; init a; trans a -> a { guard j < 3 and y[j] == 0; }; } system async;";
    assert_eq!(reachable(&model(lazy)).len(), 1);
}

/// A program with everything, for the tests of faults.
const SAMPLE: &str = "\
const byte N = 2;
byte x = 1, list[N] = {1, 2};
int y = -3;
channel c;
channel {byte} d[2];
process P {
  byte k;
  state a, b;
  init a;
  commit b;
  assert b: k < N;
  trans
    a -> b { guard x > 0 and list[k] != 2; sync c!x + 1; effect k = 0, list[k] = y; },
    b -> a { sync d?k; };
}
process Q {
  state s;
  init s;
  trans s -> s { guard P.a or P->k == 1; sync c?y; },
        -> s { guard not (x == 3); sync d!7; };
}
system async;
";

fn message(text: &str) -> String {
    match load(text.as_bytes(), "m") {
        Ok(_) => panic!("no fault in {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn faults_have_a_line_a_column_and_a_caret() {
    model(SAMPLE);
    assert_eq!(
        message(&SAMPLE.replace("list[k] != 2", "lost[k] != 2")),
        "line 13, column 30: there is no variable `lost`; did you mean `list`?\n      a -> b { guard x > 0 and \
         lost[k] != 2; sync c!x + 1; effect k = 0, list[k] =…\n                               ^^^^"
    );
    for (from, to, expected) in [
        ("init a;", "init aa;", "no state `aa`; did you mean `a`"),
        ("init s;", "", "`init` of this process is missing"),
        ("state s;", "", "`state` of this process is missing"),
        ("init s;", "init s; init s;", "`init` is there twice"),
        ("b -> a", "b -> z", "no state `z`"),
        ("sync c!", "sync x!", "`x` is a variable, not a channel"),
        ("sync c!", "sync cc!", "no channel `cc`; did you mean `c`"),
        (
            "sync c!x + 1",
            "sync c!{x, 1}",
            "have 2 values, and here are 1",
        ),
        ("sync d?k", "sync d?", "have 1 values, and here are 0"),
        ("effect k = 0", "effect N = 0", "`N` is constant"),
        (
            "effect k = 0",
            "effect list = 0",
            "`list` is an array, not a variable",
        ),
        (
            "effect k = 0",
            "effect k[0] = 0",
            "`k` is a variable, not an array",
        ),
        ("effect k = 0", "effect c = 0", "`c` is a channel"),
        (
            "guard x > 0",
            "guard list > 0",
            "`list` is an array, not a number",
        ),
        (
            "guard x > 0",
            "guard P > 0",
            "`P` is a process, not a number",
        ),
        ("guard x > 0", "guard x > list[2]", "`list` has 2 elements"),
        ("guard x > 0", "guard x > 1 / 0", "divides by zero"),
        (
            "P.a or",
            "P.z or",
            "no state or variable of this process `z`",
        ),
        ("P.a or", "R.a or", "no process `R`"),
        ("P.a or", "x.a or", "`x` is a variable, not a process"),
        (
            "list[N] = {1, 2}",
            "list[N] = {1, 2, 3}",
            "3 initial values for 2 elements",
        ),
        ("list[N]", "list[x]", "must be a constant"),
        ("list[N]", "list[0]", "0 is no size"),
        ("list[N]", "list[99999999]", "is no size"),
        ("byte x = 1", "byte x = 1, x", "`x` is declared twice"),
        ("int y", "int x", "`x` is declared twice"),
        ("state a, b;", "state a, b, a;", "`a` is declared twice"),
        ("process Q", "process P", "`P` is declared twice"),
        ("commit b", "commit q", "no state `q`"),
        ("= -3", "= 99999999999", "does not fit into 32 bits"),
        ("= -3", "= @", "'@' means nothing here"),
        (
            "system async;",
            "system sync;",
            "`system sync` is not supported",
        ),
        ("system async;", "", "`system async;` is missing"),
        (
            "system async;",
            "system async; byte z;",
            "expected nothing more",
        ),
        (
            "system async;",
            "system async property R;",
            "no process `R`",
        ),
        ("const", "/*", "the comment is never closed"),
        (
            "guard not (x == 3);",
            "guard not (x == 3;",
            "expected an operator or `)`",
        ),
        (
            "b -> a {",
            "b -> a {{",
            "expected `guard`, `sync`, `effect` or `}`",
        ),
        ("b -> a {", "-> guard {", "expected the name of a state"),
    ] {
        assert!(SAMPLE.contains(from), "{from:?} is in the sample");
        let found = message(&SAMPLE.replacen(from, to, 1));
        assert!(found.contains(expected), "{from} -> {to}: {found}");
        assert!(found.starts_with("line "), "{found}");
    }
}

#[test]
fn deep_and_long_expressions_end_in_an_error() {
    let program = |e: String| {
        format!(
            "byte x; process P {{ state a; init a; trans a -> a {{ guard {e}; }}; }} system async;"
        )
    };
    for text in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "not ".repeat(100_000),
        "x[".repeat(100_000),
        format!("x{}", " + x".repeat(100_000)),
        format!("{}x{}", "(x + ".repeat(100_000), ")".repeat(100_000)),
    ] {
        let found = message(&program(text));
        assert!(found.contains("nested more than"), "{found}");
    }
    let long = format!("x{}", " + x".repeat(400));
    assert!(load(program(long).as_bytes(), "m").is_ok());
    let right = format!("{}x{}", "(x + ".repeat(150), ")".repeat(150));
    assert!(load(program(right).as_bytes(), "m").is_ok());
}

#[test]
fn large_programs_end_in_an_error() {
    let arrays = "byte a0[60000]; byte a1[60000];";
    let rest = "process P { state a; init a; trans; } system async;";
    assert!(message(&format!("{arrays}{rest}")).contains("too many variables"));
    let uses = "a -> a { effect i = a[i]; }, ".repeat(200);
    let text = format!(
        "byte a[60000], i; process P {{ state a; init a; trans {uses} a -> a {{}}; }} system async;"
    );
    assert!(message(&text).contains("too many variables read and written"));
}

#[test]
fn every_beginning_of_a_program_is_an_error() {
    let text = SAMPLE;
    let whole = text.trim_end().len();
    for end in 0..text.len() {
        let result = load(&text.as_bytes()[..end], "m");
        assert_eq!(result.is_ok(), end >= whole, "the first {end} bytes");
    }
}

/// The successor of a state by parts that act together, if all are enabled.
fn product(parts: &[dalsegno_kripke::Group], state: &[u32]) -> Option<Vec<u32>> {
    let mut next = state.to_vec();
    for part in parts {
        let dalsegno_kripke::Action::Opaque(function) = part.action() else {
            panic!("parts are functions");
        };
        let read: Vec<u32> = part.reads().iter().map(|v| state[v.index()]).collect();
        let mut old: Vec<u32> = part.writes().iter().map(|v| state[v.index()]).collect();
        let mut found = None;
        let emit = &mut |written: &[u32]| found = Some(written.to_vec());
        function.successors(&read, &mut old, emit).unwrap();
        for (v, value) in part.writes().iter().zip(found?) {
            next[v.index()] = value;
        }
    }
    Some(next)
}

/// Compares all groups with their cases in states that are reached or not.
fn compare_cases(text: &str) -> [usize; 3] {
    let model = model(text);
    let mut seed = 1_u32;
    let mut below = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % n
    };
    let mut seen = [0; 3];
    for _ in 0..3_000 {
        let initial = model.initial()[0].iter().zip(model.variables());
        // Near what is there at first: numbers that are stored with an offset, too.
        let near = |(&value, variable): (&u32, &dalsegno_kripke::Variable)| {
            let most = variable.bounds.certain().unwrap_or(u32::MAX);
            (value + below(5)).saturating_sub(below(2)).min(most)
        };
        let state: Vec<u32> = initial.map(near).collect();
        for id in model.group_ids() {
            let group = model.group(id);
            let dalsegno_kripke::Action::Opaque(function) = group.action() else {
                panic!("groups of programs are functions");
            };
            let cases = function.cases().expect("few cases");
            let mut next = Vec::new();
            let visit = |after: &[u32]| next.push(after.to_vec());
            let fired = model.successors_by(id, &state, &mut Scratch::default(), visit);
            let steps = cases
                .steps
                .iter()
                .filter_map(|parts| product(parts, &state));
            let steps: Vec<Vec<u32>> = steps.collect();
            let fails = cases.faults.iter().any(|p| product(p, &state).is_some());
            let name = group.name();
            match fired {
                Ok(()) => assert_eq!((&steps, fails), (&next, false), "{name} {state:?}"),
                Err(_) => assert!(fails, "{name} {state:?}"),
            }
            seen[fired.map_or(2, |()| next.len())] += 1;
        }
    }
    seen
}

#[test]
fn cases_do_what_their_transition_does() {
    let seen = compare_cases(
        "byte a[3] = {1, 0, 2}; byte i; int x = -1; byte y; channel {byte, int} c[2]; channel d;
         process P { byte k; state s, t; init s; trans
           s -> t { guard a[i] > 0 && a[a[i]] != 2; effect a[i] = a[i] - 1, i = i + a[i], x = x - i; },
           t -> s { guard i >= 3 || a[i] == 0; effect k = x, x = k + 1, k = k + x; },
           t -> t { guard y != 0 and x / y < 3; effect y = x % (y - 1); },
           s -> s { guard not (i < 2 imply a[i + 1] == k); sync d!; effect a[1] = k, a[k] = a[1], y = a[1]; },
           s -> t { sync c!{i, x}; effect i = 0; },
           t -> s { sync c?{k, x}; effect a[k] = 200 * 2; }; }
         process Q { byte k; state u, v; commit v; init u; trans
           u -> v { guard P.s; sync d?; effect k = P->k + a[P->k]; },
           v -> u { guard 0 && a[9 + k] == 1; },
           v -> u { effect x = 1 / k, x = 2, a[x] = 7; }; }
         system async;",
    );
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

#[test]
fn reading_ends_with_its_time_and_memory() {
    let mut text = String::from("channel c; byte x;\n");
    for i in 0..2 {
        let (sign, part) = [("!", "x + 1"), ("?", "x")][i];
        let step = format!(
            "a -> a {{ guard {}; sync c{sign}{part}; }}",
            ["x < 9"; 40].join(" and ")
        );
        let steps = vec![step; 60].join(",");
        writeln!(text, "process P{i} {{ state a; init a; trans {steps}; }}").unwrap();
    }
    text.push_str("system async;\n");
    let stop = |budget| {
        load_within(text.as_bytes(), "m", budget)
            .unwrap_err()
            .stop()
    };
    let spent = Budget::unlimited().with_time(std::time::Duration::ZERO);
    assert_eq!(stop(&spent), Some(Stop::Time));
    assert_eq!(
        stop(&Budget::unlimited().with_bytes(100_000)),
        Some(Stop::Memory)
    );
    // The program is small, and its pairs are not: each of them has both guards.
    let program = parse(&text).unwrap();
    let stop = |budget| {
        program
            .to_model_within("m", &text, budget)
            .unwrap_err()
            .stop()
    };
    assert_eq!(stop(&spent), Some(Stop::Time));
    assert_eq!(
        stop(&Budget::unlimited().with_bytes(20_000_000)),
        Some(Stop::Memory)
    );
    assert_eq!(load(text.as_bytes(), "m").unwrap().groups().len(), 3600);
}
