//! What is needed to see a disagreement again: the model, the formula, and a script.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::approach::{Approach, Work};
use crate::error::Error;
use crate::ledger::Row;
use crate::subject::Subject;

/// Writes the folder `reproducer` with the model, the formula and a script that runs these rows again.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, subject: &Subject, rows: &[&Row]) -> Result<PathBuf, Error> {
    let folder = folder.join("reproducer");
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    let model = subject.save(&folder)?;
    let formula = rows.first().map_or("", |row| &row.formula);
    let save = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(Error::file(&path))?;
        Ok(path)
    };
    save("formula.txt", &format!("{formula}\n"))?;
    let mut script = "#!/bin/sh\n# Approaches that should agree, and what they said.\ncd \"$(dirname \"$0\")\" || exit 2\n".to_owned();
    for row in rows {
        let counts = [&row.explored_states, &row.explored_transitions]
            .map(|count| count.clone().unwrap_or_default());
        let _ = writeln!(
            script,
            "\n# {}: {} {} ({} states, {} transitions)",
            row.approach, row.verdict, row.reason, counts[0], counts[1]
        );
        let Some(approach) = Approach::named(&row.approach) else {
            continue;
        };
        let options = approach.options();
        let command = match approach.work {
            Work::Explicit(_) | Work::Stubborn(_) | Work::Symbolic(..) => {
                format!("check {model} --ltl \"$(cat formula.txt)\" {options} --stats")
            }
            Work::Branching(_) if rows.iter().any(|row| row.approach.starts_with("TG")) => {
                format!("check {model} --ctl-star \"A($(cat formula.txt))\" {options}")
            }
            Work::Branching(_) => {
                format!("check {model} --ctl-star \"$(cat formula.txt)\" {options}")
            }
            Work::Survey(_) => format!("states {model} {options}"),
            Work::Translate(_) => format!("translate - {options} < formula.txt"),
        };
        let _ = writeln!(script, "dalsegno {command}");
    }
    save("run.sh", &script)
}
