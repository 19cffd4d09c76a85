//! Fake programs stand for ours and for the peers.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

const JOBS: &str = r#"
    [[work]]
    name = "states"
    title = "States"
    calls.dalsegno = ["states", "{model}"]
    calls.its-reach = ["-i", "{gal}", "-t", "GAL"]
    calls.absent = ["{model}"]
    [[work.job]]
    model = "kanban 5"
    answer = "2546432"
    calls.kanban = ["-n{size}"]
    [[work.job]]
    instance = "Kanban-PT-00010"
    [[work]]
    name = "verdicts"
    title = "Verdicts"
    calls.dalsegno = ["check", "{model}", "--ltl", "{formula}"]
    calls.its-ctl = ["{query}"]
    [[work.job]]
    name = "one"
    model = "kanban 5"
    formula = "G p"
    formulas.its-ctl = "AG(p)"
    answer = "T"
"#;

/// A folder with fake programs, which write down each call.
struct Stage {
    folder: PathBuf,
}

impl Stage {
    fn new(name: &str) -> Stage {
        let folder =
            std::env::temp_dir().join(format!("dalsegno-peers-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let stage = Stage { folder };
        let ours = "case $1 in\n\
                    generate) echo net > \"$5\";;\n\
                    convert) echo gal > \"$3\";;\n\
                    states) note ours; echo 'states:  2546432';;\n\
                    check) note \"ours $4\"; echo 'holds: G p';;\n\
                    esac";
        stage.program(OURS, ours);
        stage.program(
            "its-reach",
            "note its; cat \"$2\" >/dev/null && echo 'Total reachable state count : 2.54643e+06'",
        );
        stage.program(
            "its-ctl",
            "note \"ctl $(cat \"$1\")\"; echo 'Formula is FALSE !'",
        );
        stage.program(
            "kanban",
            "note \"kanban $1\"; echo 'Exactly 2546432 reachable states'",
        );
        stage.program("slot", "");
        stage.program("dining_phils", "");
        stage
    }

    fn program(&self, name: &str, body: &str) {
        let log = self.folder.join("log");
        let text = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'fake\nversion 1.2'; exit; fi\n\
             note() {{ echo \"$1\" >> '{}'; }}\n{body}\n",
            log.display()
        );
        let path = self.folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn campaign(&self, arguments: &[&str]) -> Campaign {
        let works = job::parse(JOBS).unwrap();
        let path =
            std::env::join_paths([self.folder.join("nothing"), self.folder.clone()]).unwrap();
        Campaign {
            programs: programs(&works, &self.folder.join(OURS), &path),
            works,
            scratch: self.folder.join("scratch"),
            folder: self.folder.clone(),
            revision: ["2026-01-01", "abcdef0"].map(str::to_owned),
            options: Options::parse(arguments).unwrap(),
        }
    }

    fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.join("log")).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn rows(campaign: &Campaign) -> Vec<Row> {
    let mut rows = Vec::new();
    campaign
        .measure(&mut |row| {
            rows.push(row);
            Ok(())
        })
        .unwrap();
    rows
}

#[test]
fn programs_alternate_forth_and_back() {
    let stage = Stage::new("alternate");
    let rows = rows(&stage.campaign(&["--rounds", "2", "--only", "states"]));
    assert_eq!(
        stage.log(),
        ["ours", "its", "kanban -n5", "kanban -n5", "its", "ours"]
    );
    let told: Vec<(&str, u32, Outcome)> = rows
        .iter()
        .map(|row| (row.program.as_str(), row.round, row.outcome))
        .collect();
    assert_eq!(
        told,
        [
            (OURS, 0, Outcome::Right),
            ("its-reach", 0, Outcome::Right),
            ("kanban", 0, Outcome::Right),
            ("kanban", 1, Outcome::Right),
            ("its-reach", 1, Outcome::Right),
            (OURS, 1, Outcome::Right),
        ]
    );
    assert_eq!(rows[0].version, "version 1.2");
    assert_eq!(
        (rows[0].date.as_str(), rows[0].commit.as_str()),
        ("2026-01-01", "abcdef0")
    );
}

#[test]
fn a_program_that_does_not_end_is_late() {
    let stage = Stage::new("late");
    stage.program("kanban", "exec sleep 600");
    let mut campaign = stage.campaign(&["--rounds", "1", "--only", "states"]);
    campaign.options.limit = Duration::from_millis(200);
    let rows = rows(&campaign);
    let late = rows.iter().find(|row| row.program == "kanban").unwrap();
    assert_eq!(late.outcome, Outcome::Late);
}

#[test]
fn formulas_come_in_the_syntax_of_each_and_wrong_answers_are_told() {
    let stage = Stage::new("formulas");
    let rows = rows(&stage.campaign(&["--rounds", "1", "--only", "verdicts"]));
    assert_eq!(stage.log(), ["ours G p", "ctl AG(p);"]);
    assert_eq!(
        [rows[0].outcome, rows[1].outcome],
        [Outcome::Right, Outcome::Wrong]
    );
}

#[test]
fn jobs_without_their_instance_are_left_out() {
    let stage = Stage::new("instances");
    let alone = stage.campaign(&["--rounds", "1", "--only", "Kanban-PT"]);
    assert!(rows(&alone).is_empty());
    let instance = stage.folder.join("Kanban-PT-00010");
    fs::create_dir(&instance).unwrap();
    fs::write(instance.join("model.pnml"), "net").unwrap();
    let folder = stage.folder.to_str().unwrap();
    let with = stage.campaign(&[
        "--rounds",
        "1",
        "--only",
        "Kanban-PT",
        "--instances",
        folder,
    ]);
    let outcomes: Vec<Outcome> = rows(&with).iter().map(|row| row.outcome).collect();
    assert_eq!(outcomes, [Outcome::Answered, Outcome::Answered]);
    assert!(
        stage
            .campaign(&["--only", "nothing"])
            .measure(&mut |_| Ok(()))
            .is_err()
    );
}

#[test]
fn programs_of_common_names_count_in_company_only() {
    let stage = Stage::new("company");
    let names = |campaign: &Campaign| -> Vec<String> {
        campaign
            .programs
            .iter()
            .map(|program| program.name.clone())
            .collect()
    };
    assert_eq!(
        names(&stage.campaign(&[])),
        [OURS, "its-ctl", "its-reach", "kanban"]
    );
    fs::remove_file(stage.folder.join("slot")).unwrap();
    assert_eq!(names(&stage.campaign(&[])), [OURS, "its-ctl", "its-reach"]);
}

#[test]
fn the_jobs_of_the_project_are_well_formed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(FOLDER);
    let works = job::parse(&read(&folder.join("jobs.toml")).unwrap()).unwrap();
    assert!(works.iter().all(|work| !work.jobs.is_empty()));
    for job in works.iter().flat_map(|work| &work.jobs) {
        assert!(
            job.input
                .as_ref()
                .is_none_or(|name| folder.join(name).is_file())
        );
    }
}

#[test]
fn long_numbers_are_kept_short() {
    assert_eq!(shortened("2546432".to_owned()), "2546432");
    assert_eq!(
        shortened("1234567890".repeat(7)),
        "12345678901234567890... (70 digits)"
    );
}
