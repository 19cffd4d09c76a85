//! The formulas that come with a model: those that a study of it asks for, and those in files of its name.
//!
//! The files of a model `at.5.dve.etf` are `at.5.dve.ltl`, `at.5.dve.ltlx`, `at.5.ltl` and `at.5.ltlx`, next to it or in
//! a folder for formulas; a formula per line, `#` starts a comment.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::logic::{FormulaStore, Fragment};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Options, Problem, translate};

use crate::error::Error;
use crate::subject::Subject;

/// The property of the MAPK study: each protein comes before the next.
pub(crate) const CASCADE: &str = "!(!\"RafP >= 1\" U \"MEKP >= 1\") & !(!\"MEKP >= 1\" U \"MEKPP >= 1\") \
    & !(!\"MEKPP >= 1\" U \"ERKP >= 1\") & !(!\"ERKP >= 1\" U \"ERKPP >= 1\")";

/// How long it may take to tell whether a formula is stutter-invariant.
const PATIENCE: Duration = Duration::from_secs(10);

/// The formulas of LTL that come with a model, each once, in the order of the files; with `next` also those
/// that are not stutter-invariant.
///
/// # Errors
/// If a file cannot be read, or a line of it is no formula of LTL over this model.
pub fn formulas(
    subject: &Subject,
    problem: &Problem,
    folder: Option<&Path>,
    next: bool,
) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    if subject.family() == Some(Family::Mapk) && seen.insert(CASCADE.to_owned()) {
        found.push(CASCADE.to_owned());
    }
    for path in files(subject, folder) {
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let formula = read(line, problem, next).map_err(|message| Error::Formula {
                path: path.clone(),
                line: number + 1,
                message,
            })?;
            found.extend(formula.filter(|text| seen.insert(text.clone())));
        }
    }
    Ok(found)
}

/// The files that there are.
fn files(subject: &Subject, folder: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in subject.folder().into_iter().chain(folder) {
        for name in subject.names() {
            for ending in ["ltl", "ltlx"] {
                let path = folder.join(format!("{name}.{ending}"));
                if path.is_file() && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
    }
    found
}

/// A formula as rows write it, if it counts; else what is wrong with it.
fn read(line: &str, problem: &Problem, next: bool) -> Result<Option<String>, String> {
    let mut store = FormulaStore::new();
    let f = problem
        .parse(&mut store, line)
        .map_err(|error| error.render())?;
    if !store.is(f, Fragment::LTL) {
        return Err("not a formula of LTL".to_owned());
    }
    problem.atoms(&store, f).map_err(|error| error.render())?;
    let text = store.display(f).to_string();
    if next {
        return Ok(Some(text));
    }
    let budget = Budget::unlimited().with_time(PATIENCE);
    let translation = translate(&mut store, f, &Options::default(), &budget);
    // What cannot be told in that time is nothing for approaches that have to know.
    Ok(Some(text).filter(|_| translation.is_ok_and(|t| t.stutter_invariant)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("dalsegno-bench-given-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn of(model: &str, folder: &Path, next: bool) -> Result<Vec<String>, Error> {
        let subject = Subject::parse(model).unwrap();
        let problem = subject.load(&Budget::unlimited()).unwrap();
        formulas(&subject, &problem, Some(folder), next)
    }

    #[test]
    fn files_have_the_name_of_the_model() {
        let folder = folder("names");
        let text = "# a comment\nG \"Pm1 >= 1\"\n\n[] \"Pm1 >= 1\"\nX \"Pm1 >= 1\"\n";
        fs::write(folder.join("kanban-2.ltl"), text).unwrap();
        let more = "F(\"Pm1 >= 1\" & X \"Pm1 >= 1\")\nF(\"Pm1 >= 1\" & X !\"Pm1 >= 1\")\n";
        fs::write(folder.join("kanban-2.ltlx"), more).unwrap();
        assert_eq!(of("kanban:2", &folder, true).unwrap().len(), 4);
        let invariant = of("kanban:2", &folder, false).unwrap();
        let shown: Vec<bool> = invariant.iter().map(|text| text.contains('X')).collect();
        assert_eq!(shown, [false, true], "{invariant:?}");
        assert_eq!(of("kanban:3", &folder, true).unwrap().len(), 0);
    }

    #[test]
    fn formulas_of_files_lie_next_to_a_model() {
        let folder = folder("next");
        Subject::parse("fms:1").unwrap().save(&folder).unwrap();
        let path = folder.join("small.net.pnml");
        fs::rename(folder.join("model.pnml"), &path).unwrap();
        fs::write(folder.join("small.net.ltl"), "F \"P1 >= 1\"\n").unwrap();
        let subject = Subject::parse(&path.to_string_lossy()).unwrap();
        let problem = subject.load(&Budget::unlimited()).unwrap();
        let found = formulas(&subject, &problem, Some(&folder), false).unwrap();
        assert_eq!(found.len(), 1, "a file is read once");
    }

    #[test]
    fn a_bad_line_is_told() {
        let folder = folder("bad");
        for (text, part) in [
            ("true\nG(", "line 2: "),
            ("F \"Pm9 >= 1\"", "Pm"),
            ("AG \"Pm1 >= 1\"", "not a formula of LTL"),
        ] {
            fs::write(folder.join("kanban-2.ltl"), text).unwrap();
            let message = of("kanban:2", &folder, true).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn the_case_study_is_known() {
        assert_eq!(of("mapk:8", &folder("mapk"), false).unwrap(), [CASCADE]);
    }
}
