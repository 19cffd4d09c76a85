//! What there is in the rows: numbers of runs and formulas, and how the approaches compare.

use crate::experiment::Experiment;
use crate::ledger::{Row, Verdict};
use crate::number::{grouped, show};
use crate::scatter::Scatter;
use crate::selection::Case;
use crate::subject::Subject;
use crate::summary::Measure;
use crate::table::Table;

/// Numbers of runs, models, and formulas that count, with their names.
#[must_use]
pub fn numbers(rows: &[Row], cases: &[Case<'_>]) -> Vec<(&'static str, String)> {
    let of = |verdict: Verdict| cases.iter().filter(|case| case.verdict == verdict).count();
    let mut models: Vec<&str> = rows.iter().map(|row| &row.model[..]).collect();
    models.sort_unstable();
    models.dedup();
    let stopped = rows.iter().filter(|row| row.verdict == Verdict::Unknown);
    let mut numbers = vec![("runs", rows.len()), ("runs that gave up", stopped.count())];
    if models != [Subject::NONE] {
        numbers.push(("models", models.len()));
    }
    let (verified, violated) = (of(Verdict::Holds), of(Verdict::Fails));
    if verified + violated > 0 {
        numbers.push(("verified formulas that count", verified));
        numbers.push(("violated formulas that count", violated));
    }
    if of(Verdict::Complete) > 0 {
        numbers.push(("cases that count", of(Verdict::Complete)));
    }
    let shown = numbers.into_iter();
    shown
        .map(|(name, n)| (name, grouped(&n.to_string())))
        .collect()
}

/// How the approaches compare, and who needed a second pass.
#[must_use]
pub fn overview(experiment: &Experiment, cases: &[Case<'_>]) -> Vec<Table> {
    let all = [
        comparisons(experiment, cases),
        second_passes(experiment, cases),
    ];
    let filled = all.into_iter().filter(|table| !table.rows.is_empty());
    filled.collect()
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// What is plotted first is what the paper looks at; time is what a user looks at.
fn comparisons(experiment: &Experiment, cases: &[Case<'_>]) -> Table {
    let mut table = Table {
        caption: "how the approaches compare".to_owned(),
        names: heads(&["measure", "approaches", "formulas"]),
        groups: vec![
            ("ratio".to_owned(), heads(&["mean", "geom."])),
            ("formulas".to_owned(), heads(&["less", "equal", "more"])),
        ],
        rows: Vec::new(),
    };
    let first = experiment.plots.first().copied();
    let time = experiment.plots.iter().skip(1).copied();
    let time = time.filter(|measure| *measure == Measure::Time);
    for measure in first.into_iter().chain(time) {
        let mut measure_name = measure.name();
        for pair in experiment.pairs {
            let plot = Scatter::new(cases, *pair, measure);
            let mut pair_name = format!("{} / {}", pair.1, pair.0);
            for side in [Verdict::Holds, Verdict::Fails, Verdict::Complete] {
                let seen = plot.of_side(Some(side)).compare();
                if seen.count == 0 {
                    continue;
                }
                let mut row = vec![
                    std::mem::take(&mut measure_name).to_owned(),
                    std::mem::take(&mut pair_name),
                    side.to_string(),
                ];
                row.extend([seen.average_ratio, seen.geometric_ratio].map(show));
                let counts = [seen.below, seen.equal, seen.above];
                row.extend(counts.map(|n| grouped(&n.to_string())));
                table.rows.push(row);
            }
        }
    }
    table
}

/// How often an emptiness check needed its second pass, for approaches that ever did.
fn second_passes(experiment: &Experiment, cases: &[Case<'_>]) -> Table {
    let of = |approach: &str, side: Verdict| {
        let fits = cases.iter().filter(|case| case.verdict == side);
        let passes: Vec<u32> = fits
            .filter_map(|case| case.row(approach).filter(|row| row.verdict == side)?.passes)
            .collect();
        let twice = passes.iter().filter(|passes| **passes > 1).count();
        [twice, passes.len()]
    };
    let mut table = Table {
        caption: "formulas that needed a second pass".to_owned(),
        names: heads(&["approach"]),
        groups: vec![
            ("verified".to_owned(), heads(&["second pass", "all"])),
            ("violated".to_owned(), heads(&["second pass", "all"])),
        ],
        rows: Vec::new(),
    };
    for approach in experiment.approaches {
        let verified = of(approach.name, Verdict::Holds);
        let violated = of(approach.name, Verdict::Fails);
        if verified[0] + violated[0] > 0 {
            let counts = verified.into_iter().chain(violated);
            let counts = counts.map(|n| grouped(&n.to_string()));
            let name = approach.name.to_owned();
            table.rows.push([name].into_iter().chain(counts).collect());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::ledger::tests::verified;
    use crate::selection::{Rule, select};

    #[test]
    fn numbers_stand_in_tables() {
        let p12 = catalogue::find("p12").unwrap();
        let names = ["TGBA", "TA", "TGTA"];
        let mut rows = verified(names);
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let told = numbers(&rows, &cases);
        assert!(told.contains(&("runs", "6".to_owned())), "{told:?}");
        let counted = ("verified formulas that count", "2".to_owned());
        assert!(told.contains(&counted), "{told:?}");
        let tables = overview(p12, &cases);
        assert_eq!(tables.len(), 1, "nobody needed a second pass");
        let first = ["transitions explored", "TGTA / TA", "verified"];
        assert_eq!(tables[0].rows[0][..3], first);
        assert_eq!(tables[0].rows[0][3..], ["0.368", "0.500", "1", "1", "0"]);
        for row in &mut rows {
            let twice = row.approach == "TA" && row.formula == "g";
            row.passes = Some(if twice { 2 } else { 1 });
        }
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let tables = overview(p12, &cases);
        assert_eq!(
            tables[1].rows,
            [["TA", "1", "2", "0", "0"].map(str::to_owned)]
        );
    }
}
