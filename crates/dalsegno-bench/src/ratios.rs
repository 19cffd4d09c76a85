//! How the approaches compare on each model: where a claim holds, and whether it grows with the size.

use crate::experiment::Experiment;
use crate::ledger::Verdict;
use crate::number::show;
use crate::scatter::Scatter;
use crate::selection::Case;
use crate::table::Table;

/// A table of what the first claim is about, or what the experiment plots first. Each pair of approaches has a row per model, with the
/// geometric mean of the ratios, and for how many formulas the second approach needs less or more.
#[must_use]
pub fn ratios(experiment: &Experiment, cases: &[Case<'_>]) -> Option<Table> {
    let claimed = experiment.claims.iter().map(|claim| claim.measure);
    let measure = claimed.chain(experiment.plots.iter().copied()).next()?;
    let sides: Vec<Verdict> = [Verdict::Holds, Verdict::Fails, Verdict::Complete]
        .into_iter()
        .filter(|side| cases.iter().any(|case| case.verdict == *side))
        .collect();
    let mut models: Vec<&str> = Vec::new();
    for case in cases {
        if !models.contains(&case.model()) {
            models.push(case.model());
        }
    }
    // A model by itself has nothing to be compared with, and a formula by itself no mean.
    if models.len() < 2 || sides.is_empty() || sides == [Verdict::Complete] {
        return None;
    }
    let heads = ["geom.", "less", "equal", "more"].map(str::to_owned);
    let mut table = Table {
        caption: format!("ratios of {}", measure.name()),
        names: ["approaches", "model"].map(str::to_owned).to_vec(),
        groups: sides
            .iter()
            .map(|side| (side.to_string(), heads.to_vec()))
            .collect(),
        rows: Vec::new(),
    };
    for pair in experiment.pairs {
        let plot = Scatter::new(cases, *pair, measure);
        for (i, model) in models.iter().enumerate() {
            let name = match i {
                0 => format!("{} / {}", pair.1, pair.0),
                _ => String::new(),
            };
            table.rows.push(row(name, model, &plot, &sides));
        }
    }
    Some(table)
}

fn row(name: String, model: &str, plot: &Scatter, sides: &[Verdict]) -> Vec<String> {
    let mut cells = vec![name, model.to_owned()];
    for side in sides {
        let mut part = plot.of_side(Some(*side));
        part.points.retain(|point| point.model == model);
        let seen = part.compare();
        let counts = [seen.below, seen.equal, seen.above].map(|n| n.to_string());
        cells.push(show(seen.geometric_ratio));
        cells.extend(counts);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::ledger::tests::row;
    use crate::selection::{Rule, select};

    #[test]
    fn each_model_has_its_ratio() {
        let p12 = catalogue::find("p12").unwrap();
        let names = ["TGBA", "TA", "TGTA"];
        let mut rows = Vec::new();
        for (model, values) in [("small", [400, 800, 200]), ("large", [100, 150, 150])] {
            for (name, value) in names.into_iter().zip(values) {
                let mut row = row(model, name, Verdict::Holds, value);
                model.clone_into(&mut row.model);
                rows.push(row);
            }
        }
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let table = ratios(p12, &cases).unwrap();
        assert_eq!(table.rows.len(), p12.pairs.len() * 2);
        let expected = ["TGTA / TA", "small", "0.250", "1", "0", "0"];
        assert_eq!(table.rows[0], expected);
        assert_eq!(table.rows[1][1..], ["large", "1", "0", "1", "0"]);
        assert_eq!(table.groups[0].0, "verified");
        assert!(ratios(p12, &cases[..1]).is_none());
    }
}
