//! Prints what structural reductions leave of a net for each property of a file, each by itself, as a table with commas.
//!
//! ```sh
//! cargo run -p dalsegno --example reductions -- model.pnml LTLFireability.xml
//! ```

use std::error::Error;
use std::time::Duration;

use dalsegno::kripke::Budget;
use dalsegno::kripke::clock::Instant;
use dalsegno::{PropertyFile, Run, Settings, Source, Strategy};

const NET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bridge.pnml");

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let model = arguments.next().unwrap_or_else(|| NET.to_owned());
    let source = Source::open(&model)?;
    let budget = Budget::unlimited().with_time(Duration::from_secs(60));
    println!(
        "file,property,kept,places,places left,transitions,transitions left,milliseconds,rules"
    );
    for file in arguments {
        let mut run = Run::new(
            &source,
            Settings {
                strategy: Strategy::Contest,
                evidence: false,
                ..Settings::default()
            },
        );
        let bytes = std::fs::read(&file)?;
        run.ask_file(PropertyFile::new(&file, bytes))?;
        let begun = Instant::now();
        let reductions = run.reductions(&budget)?;
        let each = begun.elapsed().as_millis() / reductions.len().max(1) as u128;
        for (number, reduction) in reductions.into_iter().enumerate() {
            let Some((keep, told)) = reduction else {
                println!("{file},{number},nothing reduced,,,,,{each},");
                continue;
            };
            let rules = told.rules.iter().map(|(rule, n)| format!("{rule}:{n}"));
            let rules = rules.collect::<Vec<_>>().join(" ");
            let (p, t) = (told.places, told.transitions);
            println!(
                "{file},{number},{keep},{},{},{},{},{each},{rules}",
                p.0, p.1, t.0, t.1
            );
        }
    }
    Ok(())
}
