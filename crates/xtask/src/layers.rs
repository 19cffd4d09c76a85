//! Which crate may use which: the table of layers.
//!
//! Engines never use each other, `dalsegno-certify` uses no automaton, diagram or engine, and only the
//! facade sees everything. Tests may use the test kit, the certifier and whatever lies in the same
//! layer or below.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// A row of the table.
struct Row {
    name: &'static str,
    layer: u32,
    may_use: Uses,
}

enum Uses {
    /// Nothing but the standard library, in tests too.
    Nothing,
    /// These crates.
    Only(&'static [&'static str]),
    /// Every crate of a lower layer.
    Below,
    /// Every crate of a layer up to this one.
    UpTo(u32),
}

/// The layer of crates for development.
const DEVELOPMENT: u32 = 6;

const LOGIC: &str = "dalsegno-logic";
const KRIPKE: &str = "dalsegno-kripke";
const MDD: &str = "dalsegno-mdd";
const AUTOMATA: &str = "dalsegno-automata";
const CERTIFY: &str = "dalsegno-certify";
const BRANCHING: &str = "dalsegno-branching";
const EXPLICIT: &str = "dalsegno-explicit";
const VERIFY: &str = "dalsegno-verify";
const BENCH: &str = "dalsegno-bench";
const TESTKIT: &str = "dalsegno-testkit";
const FUZZ: &str = "dalsegno-fuzz";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row { name: LOGIC, layer: 0, may_use: Uses::Only(&[]) },
    Row { name: KRIPKE, layer: 0, may_use: Uses::Only(&[]) },
    Row { name: MDD, layer: 0, may_use: Uses::Only(&[]) },
    Row { name: "dalsegno-web", layer: 0, may_use: Uses::Only(&[]) },
    Row { name: AUTOMATA, layer: 1, may_use: Uses::Only(&[LOGIC, KRIPKE]) },
    Row { name: "dalsegno-models", layer: 1, may_use: Uses::Only(&[LOGIC, KRIPKE]) },
    Row { name: CERTIFY, layer: 1, may_use: Uses::Only(&[LOGIC, KRIPKE]) },
    Row { name: "dalsegno-draw", layer: 1, may_use: Uses::Only(&[]) },
    Row { name: VERIFY, layer: 2, may_use: Uses::Nothing },
    Row { name: BRANCHING, layer: 1, may_use: Uses::Only(&[LOGIC, KRIPKE, AUTOMATA]) },
    Row { name: EXPLICIT, layer: 2, may_use: Uses::Only(&[KRIPKE, AUTOMATA, BRANCHING]) },
    Row { name: "dalsegno-cluster", layer: 2, may_use: Uses::Only(&[KRIPKE, EXPLICIT]) },
    Row { name: "dalsegno-symbolic", layer: 2, may_use: Uses::Only(&[LOGIC, KRIPKE, AUTOMATA, BRANCHING, MDD]) },
    Row { name: "dalsegno", layer: 3, may_use: Uses::Below },
    Row { name: "dalsegno-wasm", layer: 4, may_use: Uses::Only(&["dalsegno"]) },
    Row { name: BENCH, layer: 4, may_use: Uses::Only(&["dalsegno"]) },
    Row { name: "dalsegno-cli", layer: 5, may_use: Uses::Only(&["dalsegno", BENCH, "dalsegno-web"]) },
    Row { name: "dalsegno-python", layer: 5, may_use: Uses::Only(&["dalsegno"]) },
    Row { name: TESTKIT, layer: DEVELOPMENT, may_use: Uses::UpTo(1) },
    Row { name: FUZZ, layer: DEVELOPMENT, may_use: Uses::Only(&["dalsegno", TESTKIT]) },
    Row { name: "xtask", layer: DEVELOPMENT, may_use: Uses::Only(&["dalsegno-web", KRIPKE]) },
];

fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// The crates of a workspace.
#[derive(Deserialize, Debug)]
pub(crate) struct Workspace {
    /// The folder of the workspace.
    #[serde(rename = "workspace_root")]
    pub(crate) root: String,
    /// Its crates.
    #[serde(rename = "packages")]
    pub(crate) crates: Vec<Crate>,
}

/// A crate and what it uses.
#[derive(Deserialize, Debug)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize, Debug)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or nothing for a normal dependency.
    kind: Option<String>,
}

impl Workspace {
    /// The workspace that `cargo metadata` describes.
    pub(crate) fn from_metadata(json: &str) -> Result<Workspace> {
        serde_json::from_str(json).context("cargo metadata is not understood")
    }
}

/// The edges between crates that are not in the table, and the crates that are not.
pub(crate) fn check(workspace: &Workspace) -> Vec<String> {
    let mut faults = Vec::new();
    for user in &workspace.crates {
        let Some(user_row) = row(&user.name) else {
            faults.push(format!("{}: not in the table of layers", user.name));
            continue;
        };
        for dependency in &user.dependencies {
            let used = &dependency.name;
            if matches!(user_row.may_use, Uses::Nothing) {
                faults.push(format!(
                    "{} -> {used}: it may use nothing at all",
                    user.name
                ));
                continue;
            }
            if used == &user.name || !workspace.crates.iter().any(|c| &c.name == used) {
                continue;
            }
            let Some(used_row) = row(used) else { continue };
            let development = dependency.kind.as_deref() == Some("dev");
            if !(allows(user_row, used_row) || development && allows_in_tests(user_row, used_row)) {
                let kind = dependency.kind.as_deref().unwrap_or("normal");
                faults.push(format!(
                    "{} -> {used}: this {kind} dependency is not in the table of layers",
                    user.name
                ));
            }
        }
    }
    faults
}

/// The lines of the checker of proofs without its tests, and those of them that are neither blank nor comments: whoever
/// trusts it has to read them.
const MOST_VERIFY_LINES: usize = 2_600;
const MOST_VERIFY_CODE: usize = 2_000;

/// That the checker of proofs is small.
pub(crate) fn check_size(root: &Path) -> Result<Vec<String>> {
    let (mut lines, mut code) = (0, 0);
    for entry in fs::read_dir(root.join("crates").join(VERIFY).join("src"))? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name != "tests.rs") {
            let text = fs::read_to_string(&path)?;
            let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
            lines += text.lines().count();
            code += text.lines().map(str::trim).filter(is_code).count();
        }
    }
    let fault = format!(
        "{VERIFY}: {lines} lines, {code} of them code, and at most {MOST_VERIFY_LINES} and {MOST_VERIFY_CODE} can be read"
    );
    let too_many = lines > MOST_VERIFY_LINES || code > MOST_VERIFY_CODE;
    Ok(too_many.then_some(fault).into_iter().collect())
}

fn allows(user: &Row, used: &Row) -> bool {
    match user.may_use {
        Uses::Nothing => false,
        Uses::Only(names) => names.contains(&used.name),
        Uses::Below => used.layer < user.layer,
        Uses::UpTo(layer) => used.layer <= layer,
    }
}

fn allows_in_tests(user: &Row, used: &Row) -> bool {
    [TESTKIT, CERTIFY].contains(&used.name) || used.layer <= user.layer.min(DEVELOPMENT - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a workspace of all crates of the table in which `user` uses `used`.
    fn faults(user: &str, used: &str, kind: Option<&str>) -> Vec<String> {
        let member = |name: &str| Crate {
            name: name.to_owned(),
            manifest_path: String::new(),
            dependencies: Vec::new(),
        };
        let mut crates: Vec<Crate> = TABLE.iter().map(|row| member(row.name)).collect();
        if row(user).is_none() {
            crates.push(member(user));
        }
        let at = crates.iter().position(|c| c.name == user).unwrap();
        crates[at].dependencies.push(Dependency {
            name: used.to_owned(),
            kind: kind.map(str::to_owned),
        });
        let root = String::new();
        check(&Workspace { root, crates })
    }

    #[test]
    fn the_edges_of_the_design_are_allowed() {
        for (user, used) in [
            (AUTOMATA, LOGIC),
            (AUTOMATA, KRIPKE),
            (CERTIFY, KRIPKE),
            ("dalsegno-explicit", AUTOMATA),
            ("dalsegno-symbolic", MDD),
            ("dalsegno", "dalsegno-explicit"),
            ("dalsegno", CERTIFY),
            ("dalsegno-cli", "dalsegno"),
            ("dalsegno-python", "dalsegno"),
            (TESTKIT, AUTOMATA),
            (FUZZ, "dalsegno"),
            (FUZZ, TESTKIT),
            (BENCH, "dalsegno"),
            ("dalsegno-wasm", "dalsegno"),
            ("dalsegno-cli", BENCH),
            (AUTOMATA, "serde"),
        ] {
            assert!(faults(user, used, None).is_empty(), "{user} -> {used}");
        }
    }

    #[test]
    fn other_edges_are_named() {
        for (user, used) in [
            (LOGIC, KRIPKE),
            (KRIPKE, LOGIC),
            (CERTIFY, AUTOMATA),
            (AUTOMATA, MDD),
            (AUTOMATA, CERTIFY),
            ("dalsegno-explicit", LOGIC),
            ("dalsegno-explicit", "dalsegno-symbolic"),
            ("dalsegno-symbolic", "dalsegno-models"),
            ("dalsegno", "dalsegno-cli"),
            ("dalsegno", TESTKIT),
            ("dalsegno-cli", AUTOMATA),
            ("dalsegno-python", LOGIC),
            ("dalsegno-python", "dalsegno-cli"),
            (BENCH, AUTOMATA),
            (BENCH, TESTKIT),
            ("dalsegno", BENCH),
            ("dalsegno-wasm", AUTOMATA),
            (TESTKIT, "dalsegno"),
            (FUZZ, AUTOMATA),
            (FUZZ, "dalsegno-cli"),
            ("xtask", LOGIC),
        ] {
            let edge = format!("{user} -> {used}:");
            for kind in [None, Some("build")] {
                let found = faults(user, used, kind);
                assert_eq!(found.len(), 1, "{edge}");
                assert!(found[0].starts_with(&edge), "{found:?}");
            }
        }
    }

    #[test]
    fn tests_may_use_more() {
        let dev = Some("dev");
        assert!(faults(LOGIC, TESTKIT, dev).is_empty());
        assert!(faults(AUTOMATA, CERTIFY, dev).is_empty());
        assert!(faults("dalsegno-explicit", "dalsegno-models", dev).is_empty());
        assert_eq!(faults(AUTOMATA, "dalsegno", dev).len(), 1);
        assert_eq!(faults(LOGIC, AUTOMATA, dev).len(), 1);
    }

    #[test]
    fn the_checker_of_proofs_stands_alone() {
        for used in [LOGIC, CERTIFY, TESTKIT, "serde"] {
            for kind in [None, Some("dev"), Some("build")] {
                let found = faults(VERIFY, used, kind);
                assert_eq!(
                    found,
                    [format!("{VERIFY} -> {used}: it may use nothing at all")]
                );
            }
        }
        assert!(faults("dalsegno", VERIFY, None).is_empty());
        assert_eq!(faults("dalsegno-explicit", VERIFY, None).len(), 1);
    }

    #[test]
    fn a_crate_outside_the_table_is_a_fault() {
        let found = faults("dalsegno-utils", LOGIC, None);
        assert_eq!(found, ["dalsegno-utils: not in the table of layers"]);
    }
}
