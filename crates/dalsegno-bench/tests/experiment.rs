//! Whole experiments, small ones: their files, resuming, and approaches that disagree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dalsegno_bench::child::Execute;
use dalsegno_bench::ledger::{Ledger, Row, Verdict, parse};
use dalsegno_bench::measure::measure;
use dalsegno_bench::report::report;
use dalsegno_bench::runner::{Settings, run};
use dalsegno_bench::task::{Measurement, Task};
use dalsegno_bench::{Error, Subject, catalogue};

/// Does tasks in this process, counts them, and lies for one approach if it is told to.
#[derive(Default)]
struct Here {
    done: AtomicUsize,
    stop_after: Option<usize>,
    liar: Option<&'static str>,
}

impl Execute for Here {
    fn execute(&self, task: &Task, cancelled: &AtomicBool) -> Measurement {
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        if self.stop_after.is_some_and(|most| done > most) {
            cancelled.store(true, Ordering::Relaxed);
        }
        let mut found = measure(task);
        if self.liar.is_some_and(|name| name == task.approach) {
            found.verdict = match found.verdict {
                Verdict::Holds => Verdict::Fails,
                Verdict::Fails => Verdict::Holds,
                other => other,
            };
        }
        found
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dalsegno-bench-{name}"));
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn settings(experiment: &str, models: &str, output: &Path) -> Settings {
    let experiment = catalogue::find(experiment).unwrap();
    Settings {
        experiment,
        classes: experiment.classes.iter().collect(),
        subjects: match models {
            "" => vec![Subject::nothing()],
            models => Subject::parse_list(models).unwrap(),
        },
        rule: experiment.rule.with_threshold(100.0),
        formulas: 3,
        tries: 120,
        seed: 1,
        timeout: 20.0,
        memory: 1_000_000_000,
        budget: None,
        jobs: 1,
        formula_files: None,
        only_report: false,
        output: output.to_owned(),
    }
}

fn run_here(settings: &Settings, here: &Here) -> Result<Vec<Row>, Error> {
    let cancelled = Arc::new(AtomicBool::new(false));
    run(settings, here, &cancelled, &|_| {})
}

/// Rows without times, which differ from run to run.
fn timeless(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    for row in &mut rows {
        (row.seconds, row.wall_seconds, row.peak_bytes) = (0.0, 0.0, 0);
        row.translation_seconds = None;
    }
    rows
}

/// Fails if a text is not well-formed as XML.
fn assert_well_formed(name: &str, text: &str) {
    let mut reader = quick_xml::Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = true;
    let mut depth = 0_i32;
    loop {
        match reader.read_event() {
            Ok(quick_xml::events::Event::Eof) => break,
            Ok(quick_xml::events::Event::Start(_)) => depth += 1,
            Ok(quick_xml::events::Event::End(_)) => depth -= 1,
            Ok(_) => {}
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert_eq!(depth, 0, "{name}");
}

#[test]
fn a_small_experiment_makes_tables_plots_and_a_page() {
    let folder = folder("small");
    let settings = settings("p12", "kanban:1,philosophers:5", &folder);
    let rows = run_here(&settings, &Here::default()).unwrap();
    assert!(rows.iter().any(|row| row.verdict == Verdict::Holds));
    assert!(rows.iter().all(|row| row.verdict != Verdict::Unknown));
    let report = report(&settings, &rows);
    let page = report.write(&folder).unwrap();
    let html = fs::read_to_string(page).unwrap();
    assert!(html.contains("What the paper says") && !html.contains("<script"));
    assert!(!html.contains("http://") || !html.contains("src="));
    assert_well_formed("page", html.trim_start_matches("<!DOCTYPE html>"));
    assert!(report.plots.len() >= 8);
    for (name, svg) in &report.plots {
        assert_well_formed(name, svg);
        assert!(folder.join(name).exists());
    }
    assert!(report.text.contains("weak fairness, verified"));
    let saved = parse(&fs::read_to_string(folder.join("runs.csv")).unwrap()).unwrap();
    assert_eq!(saved, rows);
}

#[test]
fn the_selection_does_not_depend_on_jobs() {
    let (one, two) = (folder("one-job"), folder("two-jobs"));
    let mut settings = settings("p11", "kanban:1,fms:1", &one);
    let rows = run_here(&settings, &Here::default()).unwrap();
    (settings.jobs, settings.output) = (2, two);
    let same = run_here(&settings, &Here::default()).unwrap();
    assert_eq!(timeless(&rows), timeless(&same));
}

#[test]
fn an_interrupted_experiment_goes_on() {
    let (whole, parts) = (folder("whole"), folder("parts"));
    let mut settings = settings("p12", "kanban:1", &whole);
    let all = Here::default();
    let rows = run_here(&settings, &all).unwrap();
    let total = all.done.load(Ordering::Relaxed);
    assert!(total > 6);
    settings.output = parts.clone();
    let some = Here {
        stop_after: Some(5),
        ..Here::default()
    };
    let stopped = run_here(&settings, &some).unwrap_err();
    assert!(matches!(stopped, Error::Interrupted));
    // A crash in the middle of a row.
    let path = parts.join("runs.csv");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(parse(&text).unwrap().len(), 5);
    fs::write(&path, &text[..text.len() - 20]).unwrap();
    let rest = Here::default();
    let resumed = run_here(&settings, &rest).unwrap();
    assert_eq!(rest.done.load(Ordering::Relaxed), total - 4);
    assert_eq!(timeless(&resumed), timeless(&rows));
    let nothing = Here::default();
    run_here(&settings, &nothing).unwrap();
    assert_eq!(nothing.done.load(Ordering::Relaxed), 0);
}

/// Tries to run the same experiment in the same folder while it runs itself.
struct Twice<'s> {
    settings: &'s Settings,
    refused: AtomicUsize,
}

impl Execute for Twice<'_> {
    fn execute(&self, task: &Task, _: &AtomicBool) -> Measurement {
        let second = run_here(self.settings, &Here::default());
        if let Err(error @ Error::InUse(_)) = second {
            let message = error.to_string();
            let folder = self.settings.output.display().to_string();
            assert!(
                message.contains("another run") && message.contains(&folder),
                "{message}"
            );
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        let rows = Ledger::open(&self.settings.output.join("runs.csv"), "states").unwrap();
        assert!(rows.rows().len() < 2, "rows can be read all the while");
        measure(task)
    }
}

#[test]
fn a_folder_belongs_to_one_run() {
    let folder = folder("claimed");
    let settings = settings("states", "kanban:1", &folder);
    let twice = Twice {
        settings: &settings,
        refused: AtomicUsize::new(0),
    };
    let cancelled = Arc::new(AtomicBool::new(false));
    let rows = run(&settings, &twice, &cancelled, &|_| {}).unwrap();
    assert_eq!(twice.refused.load(Ordering::Relaxed), rows.len());
    // The file is there still, and nobody holds it.
    assert!(run_here(&settings, &Here::default()).is_ok());
}

#[test]
fn approaches_that_disagree_leave_a_reproducer() {
    let folder = folder("disagree");
    let settings = settings("p12", "kanban:1", &folder);
    let liar = Here {
        liar: Some("TA"),
        ..Here::default()
    };
    let error = run_here(&settings, &liar).unwrap_err();
    let Error::Disagreement { message, script } = error else {
        panic!("{error}");
    };
    assert!(
        message.contains("TGBA and TA disagree on kanban-1"),
        "{message}"
    );
    let script = fs::read_to_string(script).unwrap();
    assert!(script.contains("dalsegno check model.pnml --ltl \"$(cat formula.txt)\""));
    assert!(script.contains("--automaton tgba") && script.contains("--automaton ta"));
    let net = fs::read(folder.join("reproducer/model.pnml")).unwrap();
    assert!(net.starts_with(b"<?xml"));
    let formula = fs::read_to_string(folder.join("reproducer/formula.txt")).unwrap();
    assert!(message.contains(formula.trim()));
}

#[test]
fn formulas_may_come_with_models() {
    let folder = folder("given");
    fs::create_dir_all(&folder).unwrap();
    let text = "G F \"Pm1 >= 1\"\nG \"Pm1 >= 1\"\nX \"Pm1 >= 1\"\n";
    fs::write(folder.join("kanban-1.ltl"), text).unwrap();
    let mut settings = settings("p14", "kanban:1,fms:1", &folder.join("output"));
    settings.classes.retain(|class| class.name == "given");
    settings.formula_files = Some(folder.clone());
    let rows = run_here(&settings, &Here::default()).unwrap();
    let approaches = settings.experiment.approaches.len();
    assert_eq!(rows.len(), 2 * approaches, "one is not stutter-invariant");
    assert!(rows.iter().all(|row| row.verdict != Verdict::Unknown));
    let report = report(&settings, &rows);
    assert!(
        report.text.contains("\ngiven, violated\n"),
        "{}",
        report.text
    );
    fs::write(folder.join("kanban-1.ltl"), "G F \"Pm7 >= 1\"\n").unwrap();
    let error = run_here(&settings, &Here::default()).unwrap_err();
    assert!(
        error.to_string().contains("kanban-1.ltl, line 1"),
        "{error}"
    );
}

#[test]
fn models_and_formulas_can_stand_alone() {
    let folder = folder("alone");
    let rows = run_here(
        &settings("states", "kanban:2,fms:2", &folder.join("states")),
        &Here::default(),
    );
    let rows = rows.unwrap();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0].explored_states.as_deref(), Some("4600"));
    let mut settings = settings("automata", "", &folder.join("automata"));
    settings.formulas = 5;
    let rows = run_here(&settings, &Here::default()).unwrap();
    assert!(rows.iter().all(|row| row.automaton_states.is_some()));
    let text = report(&settings, &rows).text;
    assert!(text.contains("\npatterns\n") && text.contains("to TGTA"));
}
