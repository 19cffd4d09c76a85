//! What becomes of the papers' claims.

use crate::experiment::{Claim, Experiment};
use crate::ledger::{Row, Verdict};
use crate::number::{grouped, show};
use crate::scatter::{Comparison, Scatter};
use crate::selection::Case;
use crate::table::Table;

/// What becomes of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The mean and the numbers of formulas both agree with it.
    Confirmed,
    /// One of the two agrees, and the other does not.
    Mixed,
    /// Both speak against it.
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

/// A claim, and what the rows say of it.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// What becomes of it.
    pub judgement: Judgement,
    /// The numbers: how the approach that should be better compares with the other one.
    pub seen: Comparison,
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
            seen,
        }
    };
    experiment.claims.iter().map(judge).collect()
}

fn judge(claim: &Claim, seen: &Comparison) -> Judgement {
    if seen.count == 0 {
        return Judgement::Open;
    }
    // A claim of a factor is one about the typical formula; "better" is one about the papers' tables.
    let mean = if claim.factor < 1.0 {
        seen.geometric_ratio
    } else {
        seen.average_ratio
    };
    let mean = mean <= claim.factor;
    let counts = seen.below >= seen.above;
    // Who is called comparable may be worse on some more formulas than it is better on, as long as the mean agrees.
    let comparable = claim.factor > 1.0 && seen.below * 2 >= seen.above;
    match (mean, counts) {
        (true, true) => Judgement::Confirmed,
        (true, false) if comparable => Judgement::Confirmed,
        (false, false) => Judgement::NotConfirmed,
        _ => Judgement::Mixed,
    }
}

impl Finding {
    /// The numbers as cells: the limit, both means, and the numbers of formulas with less, as much and more.
    #[must_use]
    pub fn cells(&self) -> [String; 6] {
        let Comparison {
            below,
            equal,
            above,
            average_ratio,
            geometric_ratio,
            ..
        } = self.seen;
        let ratios = [self.claim.factor, average_ratio, geometric_ratio].map(show);
        let counts = [below, equal, above].map(|n| grouped(&n.to_string()));
        let [limit, average, geometric] = ratios;
        let [less, as_much, more] = counts;
        [limit, average, geometric, less, as_much, more]
    }
}

/// The claims as a table for a terminal.
#[must_use]
pub fn table(findings: &[Finding]) -> Table {
    let heads = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let mut table = Table {
        caption: "claims".to_owned(),
        names: heads(&["judgement", "claim"]),
        groups: vec![
            ("ratio".to_owned(), heads(&["limit", "mean", "geom."])),
            ("formulas".to_owned(), heads(&["less", "equal", "more"])),
        ],
        rows: Vec::new(),
    };
    for finding in findings {
        let names = [finding.judgement.word(), finding.claim.text].map(str::to_owned);
        table
            .rows
            .push(names.into_iter().chain(finding.cells()).collect());
    }
    table
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
    use crate::ledger::tests::{row, verified};
    use crate::selection::{Rule, select};

    #[test]
    fn claims_are_judged_by_averages_and_counts() {
        let p12 = catalogue::find("p12").unwrap();
        let names = ["TGBA", "TA", "TGTA"];
        let rows = verified(names);
        let cases = select(&rows, |_| names.to_vec(), Rule::Any, &[]);
        let found = findings(p12, &cases);
        let judgements: Vec<Judgement> = found.iter().map(|f| f.judgement).collect();
        assert_eq!(judgements[..2], [Judgement::Confirmed; 2]);
        assert_eq!(judgements[2], Judgement::Open);
        assert_eq!(found[0].cells(), ["1", "0.700", "0.866", "1", "0", "1"]);
        let text = table(&found).to_text();
        let line = text.lines().find(|line| line.contains("than TGBA"));
        assert!(line.is_some_and(|l| l.starts_with("confirmed")), "{text}");
    }

    #[test]
    fn a_claim_that_mean_and_numbers_contradict_is_not_confirmed() {
        let claim = |factor: f64| Claim {
            factor,
            ..catalogue::find("p12").unwrap().claims[0]
        };
        let seen = |below, above, ratio| Comparison {
            count: below + above,
            below,
            equal: 0,
            above,
            average_ratio: ratio,
            geometric_ratio: ratio,
        };
        let judged =
            |factor, below, above, ratio| judge(&claim(factor), &seen(below, above, ratio));
        // "Comparable" allows 1.25: a mean beyond it and more formulas above than below are both against it.
        assert_eq!(judged(1.25, 40, 60, 1.4), Judgement::NotConfirmed);
        assert_eq!(judged(1.25, 60, 40, 1.4), Judgement::Mixed);
        assert_eq!(judged(1.25, 40, 60, 1.2), Judgement::Confirmed);
        assert_eq!(judged(1.25, 10, 60, 1.2), Judgement::Mixed);
        assert_eq!(judged(1.0, 40, 60, 0.9), Judgement::Mixed);
        assert_eq!(judged(1.0, 40, 60, 1.1), Judgement::NotConfirmed);
        assert_eq!(judged(0.5, 60, 40, 0.6), Judgement::Mixed);
        assert_eq!(judged(0.5, 0, 0, f64::NAN), Judgement::Open);
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
