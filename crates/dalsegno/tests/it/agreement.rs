//! The same property asked in two ways has one answer: as a formula, and in a file of the contest.

use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::logic::random::Rng;
use dalsegno::models::petri::generators::Family;
use dalsegno::{Asked, Logic, Settings, Source};
use dalsegno_testkit::contest::{Writer, Written, property_file};
use dalsegno_testkit::random_net;

use crate::support::{ask, contest, examination, granted, problem};

/// What the contest's protocol answers to formulas, in their order.
fn answers(source: &Source, name: &str, formulas: &[Written]) -> Vec<Option<bool>> {
    let (lines, _) = contest(
        source,
        examination(name, &property_file(formulas)),
        &granted(20),
    );
    let answer = |i: usize| {
        let start = format!("FORMULA p{i} ");
        let line = lines.lines().find_map(|line| line.strip_prefix(&start))?;
        Some(line.starts_with("TRUE"))
    };
    (0..formulas.len()).map(answer).collect()
}

/// What a formula is answered.
fn library(source: &Source, formula: &str, linear: bool) -> Option<bool> {
    let logic = if linear { Logic::Ltl } else { Logic::Ctl };
    let budget = Budget::unlimited().with_time(Duration::from_secs(20));
    let asked = Asked::formula(logic, formula);
    ask(source, Settings::default(), asked, &budget).holds()
}

#[test]
fn formulas_and_files_of_the_contest_have_the_same_answers() {
    let mut rng = Rng::new(7);
    let mut sources: Vec<Source> = vec![
        Source::of_net(Family::Philosophers.generate(4).unwrap()),
        Source::of_net(Family::Kanban.generate(1).unwrap()),
        Source::of_net(Family::Peterson.generate(2).unwrap()),
    ];
    sources.extend((0..9).map(|_| Source::of_net(random_net(&mut rng))));
    let (mut asked, mut decided) = (0, [0, 0]);
    for source in &sources {
        let net = problem(source).net().unwrap();
        for examination in [
            "LTLCardinality",
            "LTLFireability",
            "CTLCardinality",
            "CTLFireability",
            "ReachabilityCardinality",
            "ReachabilityFireability",
        ] {
            let cardinality = examination.contains("Cardinality");
            let mut writer = Writer::new(net, cardinality, &mut rng);
            let linear = examination.starts_with("LTL");
            let formulas: Vec<Written> = (0..3).map(|_| writer.property(examination)).collect();
            let answered = answers(source, examination, &formulas);
            for (formula, answer) in formulas.iter().zip(answered) {
                let holds = library(source, &formula.text, linear);
                asked += 1;
                if let (Some(answer), Some(holds)) = (answer, holds) {
                    assert_eq!(
                        answer,
                        holds,
                        "{examination} {}: {}",
                        net.name(),
                        formula.text
                    );
                    decided[usize::from(holds)] += 1;
                }
            }
        }
    }
    // Some of the random nets grow for ever, and leave a property open.
    assert!(
        decided[0] + decided[1] > asked * 9 / 10,
        "{decided:?} of {asked}"
    );
    assert!(decided[0] > 20 && decided[1] > 20, "{decided:?}");
}
