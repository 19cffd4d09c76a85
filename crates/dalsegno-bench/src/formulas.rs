//! A page with a row per formula that counts: what the points of the plots link to.

use std::fmt::Write as _;

use crate::experiment::Experiment;
use crate::number::show;
use crate::page::{self, escape};
use crate::selection::Case;
use crate::summary::Measure;

/// The name of the file.
pub const FILE: &str = "formulas.html";

/// The address of a case on the page, from a file in the same folder.
#[must_use]
pub fn address(case: usize) -> String {
    format!("{FILE}#f{}", case + 1)
}

/// The page of all cases of an experiment, in their order.
#[must_use]
pub fn to_html(experiment: &Experiment, cases: &[Case<'_>]) -> String {
    let measures: Vec<Measure> = experiment
        .plots
        .iter()
        .copied()
        .filter(|measure| {
            let mut rows = cases.iter().flat_map(|case| &case.rows);
            rows.any(|row| measure.of(row).is_some())
        })
        .collect();
    let title = format!("{}: formulas", experiment.title);
    let mut html = page::head(&title);
    let _ = write!(
        html,
        "<h1>{}</h1>\n<p class=\"source\"><a href=\"index.html\">The experiment</a> · \
         <a href=\"runs.csv\" download=\"\">all runs as CSV</a></p>\n\
         <div class=\"wide tall\" tabindex=\"0\" role=\"region\" aria-label=\"formulas\"><table class=\"formulas\">\n\
         <thead><tr>",
        escape(&title)
    );
    for name in ["#", "model", "class", "verdict", "formula"] {
        let _ = write!(html, "<th rowspan=\"2\" scope=\"col\">{name}</th>");
    }
    for approach in experiment.approaches {
        let span = measures.len();
        let name = escape(approach.name);
        let _ = write!(html, "<th colspan=\"{span}\" class=\"group\">{name}</th>");
    }
    html += "</tr>\n<tr>";
    for _ in experiment.approaches {
        for measure in &measures {
            let (group, head) = measure.heading();
            let head = page::head_cell(head);
            let _ = write!(html, "<th title=\"{}\">{head}</th>", escape(group));
        }
    }
    html += "</tr></thead>\n<tbody>\n";
    for (number, case) in cases.iter().enumerate() {
        let n = number + 1;
        let formula = case.rows.first().map_or("", |row| &row.formula);
        let _ = write!(
            html,
            "<tr id=\"f{n}\"><th scope=\"row\">{n}</th><td>{}</td><td>{}</td><td>{}</td><td class=\"formula\"><code>{}</code></td>",
            escape(case.model()),
            escape(case.class()),
            case.verdict,
            escape(formula)
        );
        for approach in experiment.approaches {
            for measure in &measures {
                let value = case.row(approach.name).and_then(|row| measure.of(row));
                let value = show(measure.scaled(value.unwrap_or(f64::NAN)));
                let _ = write!(html, "<td>{value}</td>");
            }
        }
        html += "</tr>\n";
    }
    html + "</tbody></table></div>\n</main>\n</body>\n</html>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::ledger::Verdict;
    use crate::ledger::tests::row;
    use crate::selection::{Rule, select};

    #[test]
    fn each_case_has_a_row_with_its_number() {
        let p12 = catalogue::find("p12").unwrap();
        let rows = [
            row("a < b", "TGBA", Verdict::Holds, 100),
            row("a < b", "TGTA", Verdict::Unknown, 50),
            row("c", "TGBA", Verdict::Fails, 7),
            row("c", "TGTA", Verdict::Fails, 7),
        ];
        let cases = select(&rows, |_| vec!["TGBA", "TGTA"], Rule::Any, &[]);
        let html = to_html(p12, &cases);
        assert_eq!(html.matches("<tr id=").count(), 2);
        assert!(html.contains("id=\"f2\"") && html.contains("<code>a &lt; b</code>"));
        assert_eq!(address(1), "formulas.html#f2");
    }
}
