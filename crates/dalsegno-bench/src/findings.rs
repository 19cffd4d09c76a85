//! What is seen in the rows, in sentences, and what becomes of the papers' claims.

use crate::experiment::{Claim, Experiment};
use crate::ledger::{Row, Verdict};
use crate::number::{grouped, show};
use crate::scatter::{Comparison, Scatter};
use crate::selection::Case;
use crate::subject::Subject;
use crate::summary::Measure;

/// What becomes of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The average and the count of formulas both agree with it.
    Confirmed,
    /// One of the two agrees.
    Mixed,
    /// Neither does.
    NotConfirmed,
    /// There are no formulas to tell.
    Open,
}

impl Judgement {
    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Judgement::Confirmed => "confirmed",
            Judgement::Mixed => "mixed",
            Judgement::NotConfirmed => "not confirmed",
            Judgement::Open => "no data",
        }
    }
}

/// A claim, what the rows say of it, and how they say it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// What becomes of it.
    pub judgement: Judgement,
    /// The numbers in a sentence.
    pub sentence: String,
}

/// What becomes of the claims of an experiment.
#[must_use]
pub fn findings(experiment: &Experiment, cases: &[Case<'_>]) -> Vec<Finding> {
    let judge = |claim: &Claim| {
        let pair = (claim.than, claim.better);
        let plot = Scatter::new(cases, pair, claim.measure).of_side(claim.side);
        let seen = plot.compare();
        Finding {
            claim: *claim,
            judgement: judge(claim, &seen),
            sentence: sentence(claim, &seen),
        }
    };
    experiment.claims.iter().map(judge).collect()
}

fn judge(claim: &Claim, seen: &Comparison) -> Judgement {
    if seen.count == 0 {
        return Judgement::Open;
    }
    // A claim of a factor is one about the typical formula; "better" is one about the papers' tables.
    let average = if claim.factor < 1.0 {
        seen.geometric_ratio <= claim.factor
    } else {
        seen.average_ratio <= claim.factor
    };
    let comparable = claim.factor > 1.0;
    let counts = seen.below >= seen.above || comparable && seen.below * 2 >= seen.above;
    match (average, counts) {
        (true, true) => Judgement::Confirmed,
        (false, false) => Judgement::NotConfirmed,
        _ => Judgement::Mixed,
    }
}

fn sentence(claim: &Claim, seen: &Comparison) -> String {
    if seen.count == 0 {
        return "no formula tells".to_owned();
    }
    let what = claim.measure.name();
    format!(
        "{}: {} needs less than {} for {} of {} formulas, as much for {}, more for {}; \
         on the average {} times as much (geometric mean of the ratios {})",
        what,
        claim.better,
        claim.than,
        seen.below,
        seen.count,
        seen.equal,
        seen.above,
        show(seen.average_ratio),
        show(seen.geometric_ratio),
    )
}

/// The experiment in sentences: how many runs of what, and how the approaches compare.
#[must_use]
pub fn overview(experiment: &Experiment, rows: &[Row], cases: &[Case<'_>]) -> Vec<String> {
    let of = |verdict: Verdict| cases.iter().filter(|case| case.verdict == verdict).count();
    let mut models: Vec<&str> = rows.iter().map(|row| &row.model[..]).collect();
    models.sort_unstable();
    models.dedup();
    let mut text = plural(rows.len(), "run");
    if models != [Subject::NONE] {
        text = format!("{text} on {}", plural(models.len(), "model"));
    }
    let (verified, violated, complete) = (
        of(Verdict::Holds),
        of(Verdict::Fails),
        of(Verdict::Complete),
    );
    if verified + violated > 0 {
        let formulas = counted(verified + violated, "formula");
        let counts = format!("{formulas}, {verified} verified and {violated} violated");
        text = format!("{text}; {counts}");
    }
    if complete > 0 {
        text = format!("{text}; {}", counted(complete, "case"));
    }
    let gave_up = rows.iter().filter(|row| row.verdict == Verdict::Unknown);
    text = match gave_up.count() {
        0 => format!("{text}; no run gave up."),
        n => format!("{text}; {} gave up.", plural(n, "run")),
    };
    let mut sentences = vec![text];
    sentences.extend(second_passes(experiment, cases));
    // What is plotted first is what the paper looks at; time is what a user looks at.
    let (first, rest) = match experiment.plots {
        [first, rest @ ..] => (*first, rest),
        [] => return sentences,
    };
    let all = experiment.pairs.iter().map(|pair| (*pair, first));
    let time = experiment
        .pairs
        .iter()
        .take(1)
        .map(|pair| (*pair, Measure::Time));
    let time = time.filter(|_| rest.contains(&Measure::Time));
    for ((x, y), measure) in all.chain(time) {
        let plot = Scatter::new(cases, (x, y), measure);
        let parts = parts(&plot);
        if !parts.is_empty() {
            let name = measure.name();
            let parts = parts.join("; ");
            sentences.push(format!("{y} against {x}, {name}: {parts}."));
        }
    }
    sentences
}

/// How two approaches compare, for each verdict that there is.
fn parts(plot: &Scatter) -> Vec<String> {
    let mut parts = Vec::new();
    for side in [Verdict::Holds, Verdict::Fails, Verdict::Complete] {
        let seen = plot.of_side(Some(side)).compare();
        if seen.count == 0 {
            continue;
        }
        let name = match side {
            Verdict::Complete => String::new(),
            side => format!("{side} "),
        };
        parts.push(format!(
            "{name}{} times as much on the average, less for {} of {} and more for {}",
            show(seen.average_ratio),
            seen.below,
            seen.count,
            seen.above
        ));
    }
    parts
}

/// How often an emptiness check needed its second pass, for approaches that ever did.
fn second_passes(experiment: &Experiment, cases: &[Case<'_>]) -> Vec<String> {
    let of = |approach: &str, side: Verdict| {
        let fits = cases.iter().filter(|case| case.verdict == side);
        let passes: Vec<u32> = fits
            .filter_map(|case| case.row(approach).filter(|row| row.verdict == side)?.passes)
            .collect();
        let twice = passes.iter().filter(|passes| **passes > 1).count();
        (twice, passes.len())
    };
    let mut sentences = Vec::new();
    for approach in experiment.approaches {
        let [verified, violated] =
            [Verdict::Holds, Verdict::Fails].map(|side| of(approach.name, side));
        if verified.0 + violated.0 > 0 {
            sentences.push(format!(
                "{} needed a second pass for {} of {} verified and {} of {} violated formulas.",
                approach.name, verified.0, verified.1, violated.0, violated.1
            ));
        }
    }
    sentences
}

fn counted(n: usize, what: &str) -> String {
    let verb = if n == 1 { "counts" } else { "count" };
    format!("{} {verb}", plural(n, what))
}

fn plural(n: usize, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(&n.to_string()))
}

/// Runs that gave no answer for another reason than a limit.
#[must_use]
pub fn faults(rows: &[Row]) -> Vec<&Row> {
    let limit = |reason: &str| {
        ["time", "memory", "states", "cancelled"]
            .iter()
            .any(|stop| reason.starts_with(stop))
    };
    let unknown = rows.iter().filter(|row| row.verdict == Verdict::Unknown);
    unknown.filter(|row| !limit(&row.reason)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::ledger::tests::row;
    use crate::selection::{Rule, select};

    #[test]
    fn claims_are_judged_by_averages_and_counts() {
        let p12 = catalogue::find("p12").unwrap();
        let names = ["TGBA", "TA", "TGTA"];
        let mut rows = Vec::new();
        for (formula, values) in [("f", [400, 800, 200]), ("g", [100, 150, 150])] {
            for (name, value) in names.into_iter().zip(values) {
                rows.push(row(formula, name, Verdict::Holds, value));
            }
        }
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let found = findings(p12, &cases);
        let judgements: Vec<Judgement> = found.iter().map(|f| f.judgement).collect();
        assert_eq!(judgements[..2], [Judgement::Confirmed; 2]);
        assert_eq!(judgements[2], Judgement::Open);
        assert!(
            found[0].sentence.contains("1 of 2 formulas"),
            "{}",
            found[0].sentence
        );
        assert!(
            found[0].sentence.contains("0.700 times"),
            "{}",
            found[0].sentence
        );
        let text = overview(p12, &rows, &cases).join("\n");
        assert!(
            text.contains("2 formulas count, 2 verified and 0 violated"),
            "{text}"
        );
        assert!(!text.contains("second pass"), "{text}");
        for row in &mut rows {
            row.passes = Some(if row.approach == "TA" && row.formula == "g" {
                2
            } else {
                1
            });
        }
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let text = overview(p12, &rows, &cases).join("\n");
        let part = "TA needed a second pass for 1 of 2 verified and 0 of 0 violated formulas.";
        assert!(text.contains(part), "{text}");
    }

    #[test]
    fn limits_are_no_faults() {
        let mut rows = [
            row("f", "TA", Verdict::Unknown, 1),
            row("g", "TA", Verdict::Unknown, 1),
        ];
        rows[0].reason = "time".to_owned();
        rows[1].reason = "crashed: signal 6".to_owned();
        assert_eq!(faults(&rows), [&rows[1]]);
    }
}
