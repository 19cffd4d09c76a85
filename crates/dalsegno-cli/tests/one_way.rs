//! One way from question to answer: the same properties through the library, `check` and `mcc` have the same
//! answers, and but for branching time by the same methods.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use dalsegno::kripke::Budget;
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::pnml;
use dalsegno::report::write_contest;
use dalsegno::{Answer, Event, PropertyFile, Reductions, Run, Settings, Source, Value};
use dalsegno_testkit::contest::{Writer, property_file};

const EXAMINATIONS: [&str; 7] = [
    "LTLCardinality",
    "LTLFireability",
    "CTLCardinality",
    "CTLFireability",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "UpperBounds",
];

fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn program(folder: &Path, arguments: &[&str], examination: &str) -> String {
    let Output { stdout, stderr, .. } = Command::new(env!("CARGO_BIN_EXE_dalsegno"))
        .args(arguments)
        .current_dir(folder)
        .env("BK_EXAMINATION", examination)
        .output()
        .unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(stderr.is_empty(), "{examination}: {stderr}");
    String::from_utf8(stdout).unwrap()
}

/// What the library answers: the lines of the contest and the answers.
fn library(folder: &Path, examination: &str, settings: Settings) -> (String, Vec<Answer>) {
    let source = Source::open(folder.join("model.pnml")).unwrap();
    let name = format!("{examination}.xml");
    let bytes = std::fs::read(folder.join(&name)).unwrap();
    let mut run = Run::new(&source, settings);
    let numbers = run.ask_file(PropertyFile::new(&name, bytes)).unwrap();
    let mut lines = Vec::new();
    run.answer(&Budget::unlimited(), &mut |event| {
        if let Event::Answer(answered) = event {
            write_contest(answered, &mut lines).unwrap();
        }
    })
    .unwrap();
    let answers = numbers.map(|number| run.answer_to(number)).collect();
    (String::from_utf8(lines).unwrap(), answers)
}

/// Lines by what they are about.
fn by_name(text: &str) -> BTreeMap<String, String> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("FORMULA "));
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

#[test]
fn the_same_question_has_the_same_answer_by_the_same_method() {
    let mut rng = Rng::new(17);
    let nets = [
        Family::Philosophers.generate(4).unwrap(),
        Family::Kanban.generate(1).unwrap(),
        Family::Peterson.generate(2).unwrap(),
        Family::Fms.generate(1).unwrap(),
    ];
    let (mut asked, mut truths) = (0, [0, 0]);
    for net in &nets {
        let folder = folder(&format!("one-way-{}", net.name()));
        let mut file = std::fs::File::create(folder.join("model.pnml")).unwrap();
        pnml::write(net, &mut file).unwrap();
        for examination in EXAMINATIONS {
            let mut writer = Writer::new(net, examination.contains("Cardinality"), &mut rng);
            let properties: Vec<_> = (0..8).map(|_| writer.property(examination)).collect();
            let name = format!("{examination}.xml");
            std::fs::write(folder.join(&name), property_file(&properties)).unwrap();

            let (lines, contest) = library(&folder, examination, Settings::contest());
            let mcc = program(&folder, &["mcc"], examination);
            let at = format!("{} {examination}", net.name());
            assert_eq!(by_name(&mcc), by_name(&lines), "{at}");
            assert_eq!(by_name(&mcc).len(), properties.len(), "{at}: {mcc}");

            let (_, answers) = library(&folder, examination, Settings::default());
            let given = Settings {
                reductions: Reductions::Off,
                ..Settings::contest()
            };
            let (_, unreduced) = library(&folder, examination, given);
            let arguments = [
                "check",
                "model.pnml",
                "--properties",
                &name,
                "--format",
                "json",
            ];
            let report = program(&folder, &arguments, examination);
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            let results = report["results"].as_array().unwrap();
            assert_eq!(results.len(), properties.len(), "{at}");
            for (i, result) in results.iter().enumerate() {
                let (here, there) = (&answers[i], &contest[i]);
                assert_eq!(here.value, there.value, "{at} p{i}: {}", properties[i].text);
                assert_eq!(result["name"], format!("p{i}"));
                assert_eq!(result["method"], here.by.unwrap().name(), "{at} p{i}");
                let verdict = match here.value {
                    Value::Truth(holds) => {
                        truths[usize::from(holds)] += 1;
                        if holds { "holds" } else { "fails" }
                    }
                    Value::Bound(_) => "bound",
                    _ => "unknown",
                };
                assert_eq!(
                    result["verdict"], verdict,
                    "{at} p{i}: {}",
                    properties[i].text
                );
                // The plans differ in their shares of the time, which so few states do not need, in nets that are
                // reduced first, and in what formulas of branching time are asked as.
                let unreduced = &unreduced[i];
                assert_eq!(
                    here.value, unreduced.value,
                    "{at} p{i}: {}",
                    properties[i].text
                );
                if !examination.starts_with("CTL") {
                    assert_eq!(here.by, unreduced.by, "{at} p{i}: {}", properties[i].text);
                }
                asked += 1;
            }
        }
    }
    assert!(asked >= 200, "{asked}");
    assert!(truths.iter().all(|&n| n > 40), "{truths:?}");
}
