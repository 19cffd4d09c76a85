//! The results of an experiment as files: tables as text, plots, and the page.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::abbreviations::used;
use crate::error::Error;
use crate::experiment::Experiment;
use crate::findings::{self, faults, findings};
use crate::formulas;
use crate::ledger::Row;
use crate::overview::{numbers, overview};
use crate::page::Page;
use crate::ratios::ratios;
use crate::runner::Settings;
use crate::scatter::Scatter;
use crate::selection::select;
use crate::subject::Subject;
use crate::svg;
use crate::table::{Table, tables};

/// The files of a report, made from rows alone.
#[derive(Clone, Debug)]
pub struct Report {
    /// The tables and findings for a terminal.
    pub text: String,
    /// The page.
    pub html: String,
    /// The page of all formulas.
    pub formulas: String,
    /// The plots: names of files and their contents.
    pub plots: Vec<(String, String)>,
}

/// Makes the report of an experiment that was run with these settings.
#[must_use]
pub fn report(settings: &Settings, rows: &[Row]) -> Report {
    let experiment = settings.experiment;
    let approaches = |class: &str| -> Vec<&'static str> {
        let class = experiment.classes.iter().find(|c| c.name == class);
        let all = class.map(|class| experiment.approaches_of(class));
        all.into_iter().flatten().map(|a| a.name).collect()
    };
    let random: Vec<&str> = experiment
        .classes
        .iter()
        .filter(|class| class.source.is_random())
        .map(|class| class.name)
        .collect();
    let cases = select(rows, approaches, settings.rule, &random);
    let mut tables = tables(experiment, &cases);
    tables.extend(ratios(experiment, &cases));
    let findings = findings(experiment, &cases);
    let numbers = numbers(rows, &cases);
    let overview = overview(experiment, &cases);
    let facts = facts(settings, rows);
    let scatters: Vec<Scatter> = experiment
        .plots
        .iter()
        .flat_map(|measure| {
            let of_pair =
                |pair: &(&'static str, &'static str)| Scatter::new(&cases, *pair, *measure);
            experiment.pairs.iter().map(of_pair).collect::<Vec<_>>()
        })
        .filter(|scatter| !scatter.points.is_empty())
        .collect();
    let mut text = format!("{}\n{}\n\n", experiment.title, experiment.source);
    for (name, value) in &numbers {
        let _ = writeln!(text, "{name}: {value}");
    }
    let claims = Some(findings::table(&findings));
    let claims = claims.filter(|table| !table.rows.is_empty());
    for table in overview.iter().chain(&claims).chain(&tables) {
        let _ = write!(text, "\n{}", table.to_text());
    }
    text.push('\n');
    for (name, value) in &facts {
        let _ = writeln!(text, "{name}: {value}");
    }
    let page = Page {
        title: experiment.title,
        source: experiment.source,
        facts,
        numbers,
        overview: &overview,
        findings: &findings,
        plots: scatters
            .iter()
            .map(|scatter| (file_name(scatter), svg::plot(scatter, false)))
            .collect(),
        abbreviations: used(words(experiment, &overview, &tables)),
        tables: &tables,
        faults: faults(rows),
    };
    Report {
        text,
        html: page.to_html(),
        formulas: formulas::to_html(experiment, &cases),
        plots: scatters
            .iter()
            .map(|scatter| (file_name(scatter), svg::plot(scatter, true)))
            .collect(),
    }
}

/// Where abbreviations may occur: the names of approaches, and the heads of rows and columns.
fn words<'t>(
    experiment: &Experiment,
    overview: &'t [Table],
    tables: &'t [Table],
) -> impl Iterator<Item = &'t str> {
    let approaches = experiment.approaches.iter().map(|approach| approach.name);
    let tables = overview.iter().chain(tables);
    let heads = tables.flat_map(|table| {
        let groups = table.groups.iter();
        let groups = groups.flat_map(|(group, heads)| heads.iter().chain([group]));
        let names = table.names.len();
        let rows = table.rows.iter().flat_map(move |row| &row[..names]);
        groups.chain(rows).map(String::as_str)
    });
    approaches.chain(heads)
}

fn file_name(scatter: &Scatter) -> String {
    let slug = |name: &str| -> String {
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.join("-").to_ascii_lowercase()
    };
    format!(
        "{}-{}-{}.svg",
        scatter.measure.slug(),
        slug(scatter.x),
        slug(scatter.y)
    )
}

/// What was run, as far as the rows tell; what the settings asked for, if they were run with these.
fn facts(settings: &Settings, rows: &[Row]) -> Vec<(&'static str, String)> {
    let experiment: &Experiment = settings.experiment;
    let values = |value: &dyn Fn(&Row) -> String| {
        let mut seen: Vec<String> = Vec::new();
        for row in rows {
            let value = value(row);
            if !seen.contains(&value) {
                seen.push(value);
            }
        }
        seen
    };
    let models = values(&|row| row.model.clone());
    let mut facts = vec![("experiment", experiment.name.to_owned())];
    if models != [Subject::NONE] {
        facts.push(("models", models.join(", ")));
    }
    let mut classes = experiment.classes.iter();
    if classes.any(|class| class.source.is_random()) {
        let rule = format!("random ones: {}", settings.rule.describe());
        let wanted = format!(
            "{} per model, class and verdict at most, among {} drawn at most",
            settings.formulas, settings.tries,
        );
        let asked = if settings.only_report {
            rule
        } else {
            format!("{rule}; {wanted}")
        };
        facts.push(("formulas", asked));
        facts.push(("seed", values(&|row| row.seed.to_string()).join(", ")));
    }
    let limits = |row: &Row| format!("{} s, {} MB", row.timeout, row.memory / 1_000_000);
    facts.extend([
        ("limits per run", values(&limits).join("; ")),
        ("machine", values(&|row| row.machine.clone()).join("; ")),
        (
            "version",
            format!("dalsegno {}", values(&|row| row.version.clone()).join(", ")),
        ),
    ]);
    facts
}

impl Report {
    /// Writes `index.html`, `formulas.html`, `tables.txt` and the plots into a folder; the path of the page.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, Error> {
        fs::create_dir_all(folder).map_err(Error::file(folder))?;
        let page = folder.join("index.html");
        let mut files = vec![
            (page.clone(), &self.html),
            (folder.join(formulas::FILE), &self.formulas),
            (folder.join("tables.txt"), &self.text),
        ];
        files.extend(
            self.plots
                .iter()
                .map(|(name, svg)| (folder.join(name), svg)),
        );
        for (path, text) in files {
            fs::write(&path, text).map_err(Error::file(&path))?;
        }
        Ok(page)
    }
}
