//! Which formulas count: rules over the rows of a formula, as the papers select theirs.
//!
//! Random formulas are very often trivial, so the papers keep those that make some work. A run that gave
//! up made enough of it.

use crate::ledger::{Row, Verdict};

/// Which formulas count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// All.
    Any,
    /// Those for which the emptiness check explores more states.
    States {
        /// More than this.
        more_than: u64,
        /// With all approaches, or with the first one.
        in_all: bool,
    },
    /// Those for which an explicit emptiness check with a TGBA explores more states than this, whatever
    /// the approaches are: a search that is done before the experiment's.
    Screened(u64),
    /// Those whose search takes more processor time.
    Seconds {
        /// More than this.
        more_than: f64,
        /// With all approaches, or with the first one.
        in_all: bool,
    },
}

impl Rule {
    /// The rule with another threshold.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Rule {
        match self {
            Rule::Any => Rule::Any,
            Rule::Screened(_) => Rule::Screened(whole(threshold)),
            Rule::States { in_all, .. } => Rule::States {
                more_than: whole(threshold),
                in_all,
            },
            Rule::Seconds { in_all, .. } => Rule::Seconds {
                more_than: threshold,
                in_all,
            },
        }
    }

    /// Whether the run of the approach with this position speaks against its formula.
    #[must_use]
    pub fn rejects(self, position: usize, row: &Row) -> bool {
        if row.verdict == Verdict::Unknown {
            return false;
        }
        match self {
            Rule::Any | Rule::Screened(_) => false,
            Rule::States { more_than, in_all } => {
                let states = row.explored_states.as_deref().unwrap_or("0");
                let few = states.parse::<u64>().is_ok_and(|n| n <= more_than);
                few && (in_all || position == 0)
            }
            Rule::Seconds { more_than, in_all } => {
                let search = row.seconds - row.translation_seconds.unwrap_or(0.0);
                search <= more_than && (in_all || position == 0)
            }
        }
    }

    /// The threshold as a short text, such as `2000 states`.
    #[must_use]
    pub fn threshold(self) -> String {
        match self {
            Rule::Any => "any".to_owned(),
            Rule::Screened(more_than) | Rule::States { more_than, .. } => {
                format!("{more_than} states")
            }
            Rule::Seconds { more_than, .. } => format!("{more_than} s"),
        }
    }

    /// The rule in words.
    #[must_use]
    pub fn describe(self) -> String {
        let which = |in_all| if in_all { "every approach" } else { "TGBA" };
        match self {
            Rule::Any => "all that are drawn".to_owned(),
            Rule::Screened(more_than) => {
                format!("more than {more_than} states explored one by one with TGBA")
            }
            Rule::States { more_than, in_all } => {
                format!(
                    "more than {more_than} states explored with {}",
                    which(in_all)
                )
            }
            Rule::Seconds { more_than, in_all } => {
                format!(
                    "more than {more_than} s of processor time for the search with {}",
                    which(in_all)
                )
            }
        }
    }
}

#[expect(clippy::cast_sign_loss, reason = "negative thresholds become 0")]
fn whole(threshold: f64) -> u64 {
    threshold.max(0.0) as u64
}

/// The rows of one formula by approach, if it counts.
#[derive(Clone, Debug)]
pub struct Case<'r> {
    /// What is known of it; the approaches that were not stopped agree on it.
    pub verdict: Verdict,
    /// Its rows, one per approach that does formulas of its class, in their order. There is one.
    pub rows: Vec<&'r Row>,
}

impl<'r> Case<'r> {
    /// The row of an approach.
    #[must_use]
    pub fn row(&self, approach: &str) -> Option<&'r Row> {
        self.rows
            .iter()
            .copied()
            .find(|row| row.approach == approach)
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'r str {
        self.rows.first().map_or("", |row| &row.model)
    }

    /// The class of the formula.
    #[must_use]
    pub fn class(&self) -> &'r str {
        self.rows.first().map_or("", |row| &row.class)
    }
}

/// The formulas that count among rows, in the order in which they were first run: those with a row for
/// each of the `approaches` of their class which the rule does not reject, if it applies to the class.
#[must_use]
pub fn select<'r>(
    rows: &'r [Row],
    approaches: impl Fn(&str) -> Vec<&'static str>,
    rule: Rule,
    random: &[&str],
) -> Vec<Case<'r>> {
    let mut order: Vec<(&str, &str, &str, u64)> = Vec::new();
    let mut groups: std::collections::HashMap<_, Vec<&Row>> = std::collections::HashMap::new();
    for row in rows {
        let key = (&row.model[..], &row.class[..], &row.formula[..], row.seed);
        let group = groups.entry(key).or_default();
        if group.is_empty() {
            order.push(key);
        }
        group.push(row);
    }
    let mut cases = Vec::new();
    for key in order {
        let group = &groups[&key];
        let find = |name: &&str| group.iter().copied().find(|row| row.approach == **name);
        let found: Option<Vec<&Row>> = approaches(key.1).iter().map(find).collect();
        let Some(rows) = found.filter(|rows| !rows.is_empty()) else {
            continue;
        };
        let applies = random.contains(&key.1);
        let rejected = rows.iter().enumerate().any(|(i, row)| rule.rejects(i, row));
        if !(applies && rejected) {
            let verdict = verdict(&rows);
            cases.push(Case { verdict, rows });
        }
    }
    cases
}

/// What the rows that are not unknown say.
#[must_use]
pub fn verdict(rows: &[&Row]) -> Verdict {
    let mut verdicts = rows.iter().map(|row| row.verdict);
    let decided = verdicts.find(|verdict| *verdict != Verdict::Unknown);
    decided.unwrap_or_default()
}

/// The first row that contradicts the first decided one, with that: another verdict, or other counts of
/// a state space.
#[must_use]
pub fn disagreement<'r>(rows: &[&'r Row]) -> Option<(&'r Row, &'r Row)> {
    let mut decided = rows.iter().filter(|row| row.verdict != Verdict::Unknown);
    let first = decided.next()?;
    let differs = |row: &&&Row| {
        let counts = |row: &Row| {
            (
                row.explored_states.clone(),
                row.explored_transitions.clone(),
            )
        };
        let surveyed = row.verdict == Verdict::Complete && first.verdict == Verdict::Complete;
        row.verdict != first.verdict || surveyed && counts(row) != counts(first)
    };
    decided.find(differs).map(|row| (*first, *row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::tests::row;

    const RULE: Rule = Rule::States {
        more_than: 100,
        in_all: true,
    };

    #[test]
    fn formulas_without_work_are_left_out() {
        let rows = [
            row("many", "TA", Verdict::Holds, 1_000),
            row("few", "TA", Verdict::Holds, 10),
            row("many", "TGTA", Verdict::Holds, 900),
            row("half", "TA", Verdict::Fails, 900),
            row("half", "TGTA", Verdict::Fails, 9),
            row("stopped", "TA", Verdict::Unknown, 1),
            row("stopped", "TGTA", Verdict::Fails, 1_000),
        ];
        let formulas = |rule, random: &[&str]| -> Vec<&str> {
            let cases = select(&rows, |_| vec!["TA", "TGTA"], rule, random);
            cases.iter().map(|case| &case.rows[0].formula[..]).collect()
        };
        assert_eq!(formulas(RULE, &["random"]), ["many", "stopped"]);
        assert_eq!(formulas(RULE, &[]), ["many", "half", "stopped"]);
        let first = Rule::States {
            more_than: 100,
            in_all: false,
        };
        assert_eq!(formulas(first, &["random"]), ["many", "half", "stopped"]);
        assert_eq!(
            formulas(RULE.with_threshold(460.0), &["random"]),
            ["stopped"]
        );
    }

    #[test]
    fn translation_is_no_search() {
        let mut row = row("f", "TA", Verdict::Holds, 1_000);
        let rule = Rule::Seconds {
            more_than: 0.2,
            in_all: true,
        };
        assert!(!rule.rejects(0, &row));
        row.translation_seconds = Some(0.1);
        assert!(rule.rejects(1, &row));
    }

    #[test]
    fn different_answers_are_found() {
        let (a, b) = (
            row("f", "TA", Verdict::Holds, 1),
            row("f", "TGTA", Verdict::Fails, 1),
        );
        let stopped = row("f", "BA", Verdict::Unknown, 1);
        assert!(disagreement(&[&a, &stopped]).is_none());
        let (l, r) = disagreement(&[&stopped, &a, &b]).unwrap();
        assert_eq!((&l.approach[..], &r.approach[..]), ("TA", "TGTA"));
        let (a, b) = (
            row("", "x", Verdict::Complete, 8),
            row("", "y", Verdict::Complete, 6),
        );
        assert!(disagreement(&[&a, &b]).is_some());
        assert!(disagreement(&[&a, &a]).is_none());
    }
}
