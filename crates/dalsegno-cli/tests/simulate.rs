//! `dalsegno simulate`, driven by scripts through a pipe.

#[path = "run/mod.rs"]
mod run;

use run::run;

const PHILOSOPHERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);
const PETERSON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/peterson.dve");
const LIGHT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/light.etf");

fn path(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn a_script_walks_watches_goes_back_and_saves() {
    let file = path("simulate-walk.json");
    let script = format!(
        "# a philosopher eats\nwatch Eat_1\nFF1a_1\nFF2a_1\nback\nFF2a_1\npath\nstate Eat_*\nsave {file} G !Eat_1\nquit\nFF1a_2\n"
    );
    insta::assert_snapshot!(run(&["simulate", PHILOSOPHERS], &script).replace(&file, "FILE"));
    let replayed = run(&["replay", PHILOSOPHERS, &file], "");
    assert!(replayed.starts_with("exit code 0"), "{replayed}");
    let again = format!("load {file}\nnext 2\ngoto 1\nnext 2\n");
    let said = run(&["simulate", PHILOSOPHERS, "--watch", "Eat_1"], &again);
    assert!(said.starts_with("exit code 2"), "{said}");
    assert!(
        said.contains("loaded 2 steps") && said.contains("* Eat_1: true"),
        "{said}"
    );
    assert!(said.contains("refused: the saved run ends here"), "{said}");
}

#[test]
fn a_counterexample_can_be_walked() {
    let file = path("simulate-witness.json");
    let found = run(
        &["check", PETERSON, "--ltl", "G F P_0.CS", "--witness", &file],
        "",
    );
    assert!(found.starts_with("exit code 1"), "{found}");
    let script = format!("load {file}\nwatch P_0.CS\nnext 40\nstate P_*\n");
    let said = run(&["simulate", PETERSON], &script);
    assert!(
        said.starts_with("exit code 0") && said.contains("P_1 = "),
        "{said}"
    );
}

#[test]
fn tables_and_programs_are_walked_and_what_is_wrong_is_told() {
    let said = run(
        &["simulate", LIGHT, "--seed", "3"],
        "random 4\nenabled\npath\n",
    );
    assert!(
        said.starts_with("exit code 0") && said.contains("   4  "),
        "{said}"
    );
    let said = run(
        &["simulate", PETERSON],
        "P_0: idle -> set\nP_0: wait -> CS\nP_0: wiat -> CS\n",
    );
    assert!(said.starts_with("exit code 2"), "{said}");
    assert!(said.contains("P_0: idle -> set"), "{said}");
    assert!(
        said.contains("refused: `P_0: wait -> CS` is not enabled here"),
        "{said}"
    );
    assert!(
        said.contains("refused: there is no transition and no command"),
        "{said}"
    );
    let said = run(&["simulate", PETERSON, "--watch", "P_0.CX"], "");
    assert!(
        said.starts_with("exit code 2") && said.contains("did you mean `P_0.CS`"),
        "{said}"
    );
    // No prompt where nobody types.
    assert!(!said.contains("> "), "{said}");
}
