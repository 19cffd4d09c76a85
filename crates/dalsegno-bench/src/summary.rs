//! What is measured, and averages over formulas.

use crate::ledger::{Row, Verdict};
use crate::number::real;
use crate::selection::Case;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    /// States of the automaton of the negation.
    AutomatonStates,
    /// Its transitions.
    AutomatonTransitions,
    /// States of the whole product.
    ProductStates,
    /// Its transitions.
    ProductTransitions,
    /// States that the emptiness check explores; of a survey, all states.
    States,
    /// Transitions that the emptiness check explores; of a survey, all transitions.
    Transitions,
    /// Processor time in seconds.
    Time,
    /// Processor time in seconds after the reachable states are known.
    SearchTime,
    /// Peak memory in bytes.
    Memory,
    /// The share of the model's transitions that a formula cannot see.
    Stuttering,
}

impl Measure {
    /// All, in the order of the papers' columns.
    pub const ALL: [Measure; 10] = [
        Measure::AutomatonStates,
        Measure::AutomatonTransitions,
        Measure::ProductStates,
        Measure::ProductTransitions,
        Measure::States,
        Measure::Transitions,
        Measure::Time,
        Measure::SearchTime,
        Measure::Memory,
        Measure::Stuttering,
    ];

    /// The value of a run that was not stopped.
    #[must_use]
    pub fn of(self, row: &Row) -> Option<f64> {
        if row.verdict == Verdict::Unknown {
            return None;
        }
        let count = |text: &Option<String>| text.as_deref()?.parse().ok();
        // Sizes of automata fit into a float exactly; those of others need not.
        let size = |n: Option<u64>| n.map(|n| real(n as usize));
        match self {
            Measure::AutomatonStates => size(row.automaton_states),
            Measure::AutomatonTransitions => size(row.automaton_transitions),
            Measure::ProductStates => count(&row.product_states),
            Measure::ProductTransitions => count(&row.product_transitions),
            Measure::States => count(&row.explored_states),
            Measure::Transitions => count(&row.explored_transitions),
            Measure::Time => Some(row.seconds),
            Measure::SearchTime => Some((row.seconds - row.reach_seconds?).max(0.0)),
            Measure::Memory => Some(row.peak_bytes)
                .filter(|bytes| *bytes > 0)
                .map(|bytes| real(bytes as usize)),
            Measure::Stuttering => row.stuttering,
        }
    }

    /// What it is, for titles and sentences.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Measure::AutomatonStates => "states of the automaton",
            Measure::AutomatonTransitions => "transitions of the automaton",
            Measure::ProductStates => "states of the product",
            Measure::ProductTransitions => "transitions of the product",
            Measure::States => "states explored",
            Measure::Transitions => "transitions explored",
            Measure::Time => "processor time",
            Measure::SearchTime => "processor time after reachability",
            Measure::Memory => "peak memory",
            Measure::Stuttering => "share of stuttering transitions",
        }
    }

    /// For names of files.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Measure::AutomatonStates => "automaton-states",
            Measure::AutomatonTransitions => "automaton-transitions",
            Measure::ProductStates => "product-states",
            Measure::ProductTransitions => "product-transitions",
            Measure::States => "states",
            Measure::Transitions => "transitions",
            Measure::Time => "time",
            Measure::SearchTime => "search-time",
            Measure::Memory => "memory",
            Measure::Stuttering => "stuttering",
        }
    }

    /// The group of columns that it belongs to, and the head of its column.
    pub(crate) fn heading(self) -> (&'static str, &'static str) {
        match self {
            Measure::AutomatonStates => ("automaton", "states"),
            Measure::AutomatonTransitions => ("automaton", "trans."),
            Measure::ProductStates => ("whole product", "states"),
            Measure::ProductTransitions => ("whole product", "trans."),
            Measure::States => ("explored", "states"),
            Measure::Transitions => ("explored", "trans."),
            Measure::Time => ("cost", "s"),
            Measure::SearchTime => ("cost", "s, search"),
            Measure::Memory => ("cost", "MB"),
            Measure::Stuttering => ("model", "stut. %"),
        }
    }

    /// A value in the unit of its column.
    pub(crate) fn scaled(self, value: f64) -> f64 {
        match self {
            Measure::Memory => value / 1e6,
            Measure::Stuttering => 100.0 * value,
            _ => value,
        }
    }
}

/// An average and a maximum over the formulas that every approach decided and has a value for, if it has
/// values at all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Extent {
    /// Over how many.
    pub count: usize,
    /// The average; not a number if there are none.
    pub average: f64,
    /// The largest.
    pub largest: f64,
}

/// The extent of a measure over cases, for an approach.
#[must_use]
pub fn extent(cases: &[&Case<'_>], approach: &str, measure: Measure) -> Extent {
    let mut values = Vec::new();
    let has_values = |name: &str| {
        let mut rows = cases.iter().filter_map(|case| case.row(name));
        rows.any(|row| measure.of(row).is_some())
    };
    for case in cases {
        let missing = |row: &&Row| {
            let stopped = row.verdict == Verdict::Unknown;
            stopped || measure.of(row).is_none() && has_values(&row.approach)
        };
        let own = case.row(approach).and_then(|row| measure.of(row));
        values.extend(own.filter(|_| !case.rows.iter().any(missing)));
    }
    let sum: f64 = values.iter().sum();
    Extent {
        count: values.len(),
        average: sum / real(values.len()),
        largest: values.iter().copied().fold(f64::NAN, f64::max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::tests::row;
    use crate::selection::{Rule, select};

    #[test]
    fn formulas_that_some_approach_gave_up_do_not_count() {
        let rows = [
            row("f", "TA", Verdict::Holds, 100),
            row("f", "TGTA", Verdict::Holds, 50),
            row("g", "TA", Verdict::Holds, 300),
            row("g", "TGTA", Verdict::Holds, 70),
            row("h", "TA", Verdict::Unknown, 9_000),
            row("h", "TGTA", Verdict::Holds, 7_000),
        ];
        let cases = select(&rows, |_| vec!["TA", "TGTA"], Rule::Any, &[]);
        let cases: Vec<&Case<'_>> = cases.iter().collect();
        let seen = extent(&cases, "TGTA", Measure::Transitions);
        let expected = Extent {
            count: 2,
            average: 60.0,
            largest: 70.0,
        };
        assert_eq!(seen, expected);
        let states = extent(&cases, "TA", Measure::States);
        assert!((states.average - 100.0).abs() < 1e-9);
        assert!(
            extent(&cases, "TA", Measure::ProductStates)
                .average
                .is_nan()
        );
        let mut rows = rows.to_vec();
        rows[1].explored_states = None;
        rows[3].explored_states = None;
        rows[5].explored_states = None;
        let cases = select(&rows, |_| vec!["TA", "TGTA"], Rule::Any, &[]);
        let cases: Vec<&Case<'_>> = cases.iter().collect();
        let others = extent(&cases, "TA", Measure::States);
        assert_eq!(
            others.count, 2,
            "an approach without such a value is not waited for"
        );
    }
}
