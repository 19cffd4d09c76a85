//! Counts the reachable states of a net with each engine.
//!
//! ```sh
//! cargo run -p dalsegno --example count_states
//! ```

use std::error::Error;

use dalsegno::kripke::Budget;
use dalsegno::{Asked, Engine, Run, Settings, Source, Value};

const NET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);

fn main() -> Result<(), Box<dyn Error>> {
    let source = Source::open(NET)?;
    for engine in [Engine::Explicit, Engine::Symbolic] {
        let settings = Settings {
            engine,
            ..Settings::default()
        };
        let mut run = Run::new(&source, settings);
        let number = run.ask(Asked::survey());
        // A net may have more states than anybody can count: what was seen by then is told, too.
        run.answer(&Budget::unlimited().with_bytes(1 << 30), &mut |_| {})?;
        let Value::Survey(survey) = run.answer_to(number).value else {
            return Err("there is no survey".into());
        };
        let shown = |count: &Option<String>| count.clone().unwrap_or("unknown".to_owned());
        println!("{}, complete: {}", survey.by, survey.is_complete());
        println!("  states:      {}", shown(&survey.states));
        println!("  transitions: {}", shown(&survey.transitions));
        println!("  dead ends:   {}", shown(&survey.dead_ends));
    }
    Ok(())
}
