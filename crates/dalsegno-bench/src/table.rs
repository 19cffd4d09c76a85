//! The papers' tables: average and maximum per model and approach, verified and violated apart.

use std::fmt::Write as _;

use crate::experiment::Experiment;
use crate::ledger::Verdict;
use crate::number::show;
use crate::page::{escape, head_cell};
use crate::selection::Case;
use crate::subject::Subject;
use crate::summary::{Measure, extent};

/// A table with two lines of heads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Columns that only name the row.
    pub names: Vec<String>,
    /// Groups of the other columns: a head over several heads.
    pub groups: Vec<(String, Vec<String>)>,
    /// The cells; those of the names first. A row whose first cell is not empty starts a model.
    pub rows: Vec<Vec<String>>,
}

/// The tables of an experiment: one per class of formulas and verdict.
#[must_use]
pub fn tables(experiment: &Experiment, cases: &[Case<'_>]) -> Vec<Table> {
    let mut made = Vec::new();
    for class in experiment.classes {
        for side in [Verdict::Holds, Verdict::Fails, Verdict::Complete] {
            let fits = |case: &&Case<'_>| case.class() == class.name && case.verdict == side;
            let cases: Vec<&Case<'_>> = cases.iter().filter(fits).collect();
            let caption = match side {
                Verdict::Complete => class.name.to_owned(),
                side => format!("{}, {side}", class.name),
            };
            if !cases.is_empty() {
                made.push(table(experiment, caption, &cases));
            }
        }
    }
    made
}

fn table(experiment: &Experiment, caption: String, cases: &[&Case<'_>]) -> Table {
    let has = |measure: &Measure| {
        let mut rows = cases.iter().flat_map(|case| &case.rows);
        rows.any(|row| measure.of(row).is_some())
    };
    let measures: Vec<Measure> = Measure::ALL.into_iter().filter(has).collect();
    let mut models: Vec<&str> = Vec::new();
    for case in cases {
        let model = case.model();
        if !models.contains(&model) {
            models.push(model);
        }
    }
    let mut table = Table {
        caption,
        names: ["model", "approach", ""].map(str::to_owned).to_vec(),
        ..Table::default()
    };
    for measure in &measures {
        let (group, head) = measure.heading();
        match table.groups.last_mut() {
            Some((last, heads)) if *last == group => heads.push(head.to_owned()),
            _ => table.groups.push((group.to_owned(), vec![head.to_owned()])),
        }
    }
    let unknown = |case: &&Case<'_>| case.rows.iter().any(|row| row.verdict == Verdict::Unknown);
    let stopped = cases.iter().any(unknown);
    if stopped {
        table
            .groups
            .push((String::new(), vec!["gave up".to_owned()]));
    }
    for model in models {
        let fits = |case: &&&Case<'_>| case.model() == model;
        let cases: Vec<&Case<'_>> = cases.iter().filter(fits).copied().collect();
        model_rows(&mut table, experiment, model, &cases, &measures, stopped);
    }
    table
}

/// The rows of a model: averages and maxima, or the values themselves if there is one case.
fn model_rows(
    table: &mut Table,
    experiment: &Experiment,
    model: &str,
    cases: &[&Case<'_>],
    measures: &[Measure],
    stopped: bool,
) {
    let kinds: &[&str] = match cases.len() {
        1 => &[""],
        _ => &["avg", "max"],
    };
    let model = match model {
        Subject::NONE => "formulas",
        model => model,
    };
    let mut starts = true;
    for approach in experiment.approaches {
        if cases.iter().all(|case| case.row(approach.name).is_none()) {
            continue;
        }
        for kind in kinds {
            let first = *kind == kinds[0];
            let mut row = vec![
                match (std::mem::take(&mut starts), cases.len()) {
                    (false, _) => String::new(),
                    (true, 1) => model.to_owned(),
                    (true, n) => format!("{model} ({n})"),
                },
                if first { approach.name } else { "" }.to_owned(),
                (*kind).to_owned(),
            ];
            for measure in measures {
                let seen = extent(cases, approach.name, *measure);
                let value = match cases {
                    // A value by itself stands for nothing else, whatever the other approaches did.
                    [case] => case.row(approach.name).and_then(|row| measure.of(row)),
                    _ if first => Some(seen.average),
                    _ => Some(seen.largest),
                };
                row.push(show(measure.scaled(value.unwrap_or(f64::NAN))));
            }
            if stopped {
                let own = cases.iter().filter_map(|case| case.row(approach.name));
                let n = own.filter(|row| row.verdict == Verdict::Unknown).count();
                row.push(if first { n.to_string() } else { String::new() });
            }
            table.rows.push(row);
        }
    }
}

impl Table {
    /// The table for a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let heads: Vec<&String> = self
            .names
            .iter()
            .chain(self.groups.iter().flat_map(|(_, heads)| heads))
            .collect();
        let width = |text: &str| text.chars().count();
        let mut widths: Vec<usize> = heads.iter().map(|head| width(head)).collect();
        for row in &self.rows {
            for (i, cell) in row.iter().enumerate() {
                widths[i] = widths[i].max(width(cell));
            }
        }
        // A head over several columns may be wider than they are.
        let mut first = self.names.len();
        for (group, heads) in &self.groups {
            let span: usize = widths[first..first + heads.len()].iter().sum();
            let span = span + 2 * (heads.len() - 1);
            widths[first] += width(group).saturating_sub(span);
            first += heads.len();
        }
        let mut text = format!("{}\n", self.caption);
        let mut line = String::new();
        for w in &widths[..self.names.len()] {
            let _ = write!(line, "{:w$}  ", "");
        }
        let mut first = self.names.len();
        for (group, heads) in &self.groups {
            let span: usize = widths[first..first + heads.len()].iter().sum();
            let span = span + 2 * (heads.len() - 1);
            let _ = write!(line, "{group:<span$}  ");
            first += heads.len();
        }
        text += line.trim_end();
        text.push('\n');
        let mut write_row = |cells: &[&String]| {
            let mut line = String::new();
            for (i, cell) in cells.iter().enumerate() {
                let w = widths[i];
                let _ = if i < self.names.len() {
                    write!(line, "{cell:<w$}  ")
                } else {
                    write!(line, "{cell:>w$}  ")
                };
            }
            text += line.trim_end();
            text.push('\n');
        };
        write_row(&heads);
        for row in &self.rows {
            write_row(&row.iter().collect::<Vec<_>>());
        }
        text
    }

    /// The table for a page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut html = format!(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n",
            escape(&self.caption)
        );
        let _ = writeln!(html, "<caption>{}</caption>", escape(&self.caption));
        html += "<thead><tr>";
        for name in &self.names {
            let _ = write!(
                html,
                "<th rowspan=\"2\" scope=\"col\">{}</th>",
                head_cell(name)
            );
        }
        for (group, heads) in &self.groups {
            let span = heads.len();
            let _ = write!(
                html,
                "<th colspan=\"{span}\" class=\"group\" scope=\"colgroup\">{}</th>",
                escape(group)
            );
        }
        html += "</tr>\n<tr>";
        for head in self.groups.iter().flat_map(|(_, heads)| heads) {
            let _ = write!(html, "<th scope=\"col\">{}</th>", head_cell(head));
        }
        html += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            let starts = !row[0].is_empty();
            html += if starts {
                "<tr class=\"start\">"
            } else {
                "<tr>"
            };
            for (i, cell) in row.iter().enumerate() {
                // An empty one says what the row above it says.
                if i < self.names.len() && !cell.is_empty() {
                    let _ = write!(html, "<th scope=\"row\">{}</th>", head_cell(cell));
                } else {
                    let _ = write!(html, "<td>{}</td>", escape(cell));
                }
            }
            html += "</tr>\n";
        }
        html + "</tbody></table></div>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::ledger::tests::row;
    use crate::selection::{Rule, select};

    #[test]
    fn averages_and_maxima_stand_below_each_other() {
        let p12 = catalogue::find("p12").unwrap();
        let mut rows = Vec::new();
        for (i, approach) in ["TGBA", "TA", "TGTA"].into_iter().enumerate() {
            let n = i as u64 + 1;
            rows.push(row("f", approach, Verdict::Holds, 1000 * n));
            rows.push(row("g", approach, Verdict::Holds, 2000 * n));
            rows.push(row("h", approach, Verdict::Fails, 7));
        }
        let cases = select(&rows, |_| vec!["TGBA", "TA", "TGTA"], Rule::Any, &[]);
        let made = tables(p12, &cases);
        assert_eq!(made.len(), 2);
        assert_eq!(made[1].rows.len(), 3, "one formula has no average");
        let text = made[0].to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3 + 6, "{text}");
        assert!(
            lines[3].starts_with("kanban-3 (2)  TGBA      avg"),
            "{text}"
        );
        assert!(
            lines[3].contains("750") && lines[3].contains("1 500"),
            "{text}"
        );
        assert!(lines[4].contains("2 000"), "{text}");
        let html = made[0].to_html();
        assert_eq!(html.matches("<tr").count(), 2 + 6);
    }
}
