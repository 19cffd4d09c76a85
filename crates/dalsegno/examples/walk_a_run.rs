//! Checks a formula that fails, and walks the run of its counterexample step by step.
//!
//! ```sh
//! cargo run -p dalsegno --example walk_a_run
//! ```

use std::error::Error;

use dalsegno::Source;

const NET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);

fn main() -> Result<(), Box<dyn Error>> {
    let source = Source::open(NET)?;
    let answer = source.check("G(Catch1_1 -> F Eat_1)")?;
    let (Some(run), Some(problem)) = (answer.run(), source.ready()) else {
        println!("there is no run to walk");
        return Ok(());
    };
    let model = problem.model();
    for position in 0..run.len() {
        if position == run.stem.len() {
            println!("from here on, for ever:");
        }
        let step = run.get(position);
        // After the last step of the cycle comes its first.
        let next = run.get(run.successor(position));
        match step.group {
            Some(transition) => println!("{}", model.group(transition).name()),
            None => println!("a dead end repeats"),
        }
        for variable in model.variable_ids() {
            let (before, after) = (step.state[variable.index()], next.state[variable.index()]);
            if before != after {
                let (name, values) = (&model.variable(variable).name, model.values(variable));
                println!(
                    "  {name}: {} -> {}",
                    values.show(before),
                    values.show(after)
                );
            }
        }
    }
    Ok(())
}
