//! A short campaign of each target, with seeds that stay the same.

use std::sync::Arc;

use dalsegno_fuzz::campaign::{Campaign, Report, Target, run};
use dalsegno_fuzz::explore::DamagedModels;
use dalsegno_fuzz::pairs::Pairs;
use dalsegno_fuzz::readers::DamagedTexts;
use dalsegno_fuzz::roundtrip::Rewritten;

/// Runs a campaign without faults; what it found.
fn faultless(target: impl Target + 'static, seed: u64, count: u64) -> Report {
    let target: Arc<dyn Target> = Arc::new(target);
    let report = run(&target, &Campaign::new(seed, count), |_| {});
    let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(report.inputs, count);
    report
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let report = faultless(DamagedTexts::default(), 1, 5_000);
    assert!((500..2_500).contains(&report.accepted), "{report}");
}

#[test]
fn what_is_written_reads_back() {
    let report = faultless(Rewritten::default(), 2, 3_000);
    assert!(report.accepted > 300, "{report}");
}

#[test]
fn damaged_models_are_explored() {
    let report = faultless(DamagedModels::default(), 3, 150);
    assert!(report.accepted > 8, "{report}");
}

#[test]
fn random_pairs_have_the_verdict_of_the_definition() {
    let report = faultless(Pairs, 4, 40);
    assert!(report.accepted > 30, "{report}");
}
