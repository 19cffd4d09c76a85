//! The papers' tables: average and maximum per model and approach, verified and violated apart.

use std::fmt::Write as _;

use crate::experiment::Experiment;
use crate::ledger::Verdict;
use crate::number::show;
use crate::page::escape;
use crate::selection::Case;
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

/// The tables of an experiment, one per class of formulas.
#[must_use]
pub fn tables(experiment: &Experiment, cases: &[Case<'_>]) -> Vec<Table> {
    let classes = experiment.classes.iter();
    let made = classes.map(|class| {
        let of_class = |case: &&Case<'_>| case.rows[0].class == class.name;
        let cases: Vec<&Case<'_>> = cases.iter().filter(of_class).collect();
        table(experiment, class.name, &cases)
    });
    made.filter(|table| !table.rows.is_empty()).collect()
}

fn table(experiment: &Experiment, class: &str, cases: &[&Case<'_>]) -> Table {
    let sides: Vec<Verdict> = [Verdict::Holds, Verdict::Fails, Verdict::Complete]
        .into_iter()
        .filter(|side| cases.iter().any(|case| case.verdict == *side))
        .collect();
    let has = |measure: &Measure| {
        let mut rows = cases.iter().flat_map(|case| &case.rows);
        rows.any(|row| measure.of(row).is_some())
    };
    let measures: Vec<Measure> = Measure::ALL.into_iter().filter(has).collect();
    let mut models: Vec<&str> = Vec::new();
    for case in cases {
        let model = &case.rows[0].model[..];
        if !models.contains(&model) {
            models.push(model);
        }
    }
    let mut table = Table {
        caption: format!("{}: {class}", experiment.name),
        names: ["model", "approach", ""].map(str::to_owned).to_vec(),
        ..Table::default()
    };
    for side in &sides {
        for measure in &measures {
            let (group, head) = measure.heading();
            let group = match side {
                Verdict::Complete => group.to_owned(),
                _ => format!("{side}: {group}"),
            };
            match table.groups.last_mut() {
                Some((last, heads)) if *last == group => heads.push(head.to_owned()),
                _ => table.groups.push((group, vec![head.to_owned()])),
            }
        }
        if cases
            .iter()
            .any(|case| stopped(case, experiment.approaches.len()))
        {
            table
                .groups
                .push((format!("{side}"), vec!["gave up".to_owned()]));
        }
    }
    for model in models {
        model_rows(&mut table, experiment, model, cases, &sides, &measures);
    }
    table
}

/// Whether some approach gave the formula up.
fn stopped(case: &Case<'_>, approaches: usize) -> bool {
    let unknown = |i: usize| case.rows[i].verdict == Verdict::Unknown;
    case.verdict != Verdict::Unknown && (0..approaches).any(unknown)
}

fn model_rows(
    table: &mut Table,
    experiment: &Experiment,
    model: &str,
    cases: &[&Case<'_>],
    sides: &[Verdict],
    measures: &[Measure],
) {
    let of_side = |side: Verdict| -> Vec<&Case<'_>> {
        let fits = |case: &&&Case<'_>| case.verdict == side && case.rows[0].model == model;
        cases.iter().filter(fits).copied().collect()
    };
    let sizes: Vec<usize> = sides.iter().map(|side| of_side(*side).len()).collect();
    let count: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let single = sizes.iter().all(|n| *n <= 1);
    let any_stopped = cases
        .iter()
        .any(|case| stopped(case, experiment.approaches.len()));
    for (i, approach) in experiment.approaches.iter().enumerate() {
        let kinds: &[&str] = if single { &[""] } else { &["avg", "max"] };
        for kind in kinds {
            let first = i == 0 && *kind == kinds[0];
            let mut row = vec![
                match (first, single) {
                    (true, true) => model.to_owned(),
                    (true, false) => format!("{model} ({})", count.join(" / ")),
                    _ => String::new(),
                },
                if *kind == kinds[0] { approach.name } else { "" }.to_owned(),
                (*kind).to_owned(),
            ];
            for side in sides {
                let of_side = of_side(*side);
                for measure in measures {
                    let seen = extent(&of_side, i, *measure);
                    let value = if *kind == "max" {
                        seen.largest
                    } else {
                        seen.average
                    };
                    row.push(show(measure.scaled(value)));
                }
                if any_stopped {
                    let unknown = |case: &&&Case<'_>| case.rows[i].verdict == Verdict::Unknown;
                    let n = of_side.iter().filter(unknown).count();
                    row.push(if *kind == "max" {
                        String::new()
                    } else {
                        n.to_string()
                    });
                }
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
        let mut html = "<div class=\"wide\"><table>\n".to_owned();
        let _ = writeln!(html, "<caption>{}</caption>", escape(&self.caption));
        html += "<thead><tr>";
        for name in &self.names {
            let _ = write!(html, "<th rowspan=\"2\">{}</th>", escape(name));
        }
        for (group, heads) in &self.groups {
            let span = heads.len();
            let _ = write!(
                html,
                "<th colspan=\"{span}\" class=\"group\">{}</th>",
                escape(group)
            );
        }
        html += "</tr>\n<tr>";
        for head in self.groups.iter().flat_map(|(_, heads)| heads) {
            let _ = write!(html, "<th>{}</th>", escape(head));
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
                let tag = if i < self.names.len() { "th" } else { "td" };
                let _ = write!(html, "<{tag}>{}</{tag}>", escape(cell));
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
        let cases = select(&rows, &["TGBA", "TA", "TGTA"], Rule::Any, &[]);
        let made = tables(p12, &cases);
        assert_eq!(made.len(), 1);
        let text = made[0].to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3 + 6, "{text}");
        assert!(
            lines[3].starts_with("kanban-3 (2 / 1)  TGBA      avg"),
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
