//! Translates a formula of LTL to automata of all four kinds, and prints one of them in the HOA format.
//!
//! ```sh
//! cargo run -p dalsegno --example translate
//! ```

use std::error::Error;
use std::io;

use dalsegno::kind::Kind;
use dalsegno::kripke::Budget;
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::{Format, Options, translate};

const FORMULA: &str = "G(req -> F ack)";

fn main() -> Result<(), Box<dyn Error>> {
    let mut store = FormulaStore::new();
    let formula = parse(&mut store, FORMULA)?;
    for kind in [Kind::Tgba, Kind::Ba, Kind::Ta, Kind::Tgta] {
        let options = Options {
            kind,
            ..Options::default()
        };
        let translation = translate(&mut store, formula, &options, &Budget::unlimited())?;
        let sizes = translation.sizes();
        println!(
            "{}: {} states, {} edges",
            kind.name(),
            sizes.states,
            sizes.edges
        );
        if kind == Kind::Tgta {
            translation.write(&store, FORMULA, Format::Hoa, &mut io::stdout())?;
        }
    }
    Ok(())
}
