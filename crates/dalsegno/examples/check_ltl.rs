//! Checks formulas of LTL within ten seconds, tells how far the search is, and cancels it after the first
//! formula that fails.
//!
//! ```sh
//! cargo run -p dalsegno --example check_ltl
//! ```

use std::error::Error;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::{Asked, Event, Logic, Run, Settings, Source};

const NET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);

fn main() -> Result<(), Box<dyn Error>> {
    let source = Source::open(NET)?;
    let mut run = Run::new(&source, Settings::default());
    for formula in ["G !(Eat_1 & Eat_2)", "G F Eat_1", "F G !Eat_1"] {
        run.ask(Asked::formula(Logic::Ltl, formula));
    }
    let budget = Budget::unlimited().with_time(Duration::from_secs(10));
    // Any thread may set it, as the handler of a button would do.
    let cancel = budget.cancel_flag();
    run.answer(&budget, &mut |event| match event {
        Event::Begins(method, questions) => eprintln!("{method}: {} open", questions.len()),
        Event::Progress { states, .. } => eprintln!("{states} states"),
        Event::Answer(answered) => {
            let verdict = match answered.answer.holds() {
                Some(true) => "holds",
                Some(false) => "fails",
                None => "unknown",
            };
            println!("{verdict}: {}", answered.title());
            if verdict == "fails" {
                cancel.store(true, Ordering::Relaxed);
            }
        }
        _ => {}
    })?;
    Ok(())
}
