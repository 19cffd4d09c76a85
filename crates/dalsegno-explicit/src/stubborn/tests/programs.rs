//! Random programs: processes with locations, arrays whose index is known at run time only, conditions, and a channel.

use std::fmt::Write;

use dalsegno_kripke::Model;
use dalsegno_logic::random::Rng;
use dalsegno_models::dve;

const GUARDS: [&str; 9] = [
    "x == 0",
    "x != 1",
    "j < 2 and a[j] == 0",
    "a[j] == 1 or x == 1",
    "a[0] == a[1]",
    "j == 1 and x < 2",
    "a[j] > 0 and x == j",
    "not (a[1] == 1 and j == 0)",
    "P_0.s0 or x == 1",
];

const EFFECTS: [&str; 9] = [
    "x = (x + 1) % 2",
    "x = a[j]",
    "a[j] = 1",
    "a[j] = 0, j = 1 - j",
    "j = 1 - j",
    "j = 0, a[j] = (a[j] + 1) % 2",
    "a[0] = x, x = a[1 - j]",
    "a[a[0]] = 1",
    "x = 0, j = x",
];

/// Two or three processes with a few transitions each.
pub(super) fn program(rng: &mut Rng) -> Model {
    let count = 2 + rng.index(2);
    let mut text = String::from("byte a[2];\nbyte x;\nchannel c;\n");
    for p in 0..count {
        let states = 2 + rng.index(2);
        let names: Vec<String> = (0..states).map(|i| format!("s{i}")).collect();
        let names = names.join(", ");
        write!(
            text,
            "process P_{p} {{\nbyte j;\nstate {names};\ninit s0;\ntrans\n"
        )
        .unwrap();
        let mut transitions = Vec::new();
        for t in 0..states + rng.index(2) {
            let from = t % states;
            let to = if rng.chance(1, 4) {
                rng.index(states)
            } else {
                (t + 1) % states
            };
            let mut transition = format!(" s{from} -> s{to} {{ ");
            if rng.chance(1, 2) {
                let guard = GUARDS[rng.index(GUARDS.len())];
                write!(transition, "guard {guard}; ").unwrap();
            }
            // A model has a group.
            match rng.index(8) {
                _ if t == 0 => {}
                0 => transition.push_str("sync c!x; "),
                1 => transition.push_str("sync c?j; "),
                _ => {}
            }
            if rng.chance(2, 3) {
                let effect = EFFECTS[rng.index(EFFECTS.len())];
                write!(transition, "effect {effect}; ").unwrap();
            }
            transition.push('}');
            transitions.push(transition);
        }
        write!(text, "{};\n}}\n", transitions.join(",\n")).unwrap();
    }
    text.push_str("system async;\n");
    // A channel without a value, or one that is never used, is as good.
    let text = text.replace("channel c;", "channel {byte} c[0];");
    dve::load(text.as_bytes(), "program").unwrap_or_else(|error| panic!("{error}\n{text}"))
}
