//! Checks a formula of CTL and prints the tree of claims that explains the answer.
//!
//! ```sh
//! cargo run -p dalsegno --example explain_ctl
//! ```

use std::error::Error;

use dalsegno::kripke::explanation::{Explanation, Reason};
use dalsegno::{Claimed, Evidence, Source};

const NET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/philosophers-5.pnml"
);

fn main() -> Result<(), Box<dyn Error>> {
    let source = Source::open(NET)?;
    let answer = source.check("EF(Eat_1 & EX deadlock) | AG EF Eat_1")?;
    println!("holds: {:?}", answer.holds());
    if let Some(Evidence::Explanation(explained)) = &answer.evidence {
        let (claims, assumed) = (explained.summary.claims, explained.summary.assumed);
        println!("{claims} claims, {assumed} of them not checked");
        print(&explained.explanation, 0);
    }
    Ok(())
}

fn print(claim: &Explanation<Claimed>, depth: usize) {
    let verb = if claim.holds { "holds" } else { "fails" };
    println!("{:depth$}{} {verb}", "", claim.formula.text);
    match &claim.reason {
        Reason::Operands(operands) => operands.iter().for_each(|claim| print(claim, depth + 2)),
        Reason::Path(path) => {
            println!("{:depth$}on a path of {} steps", "", path.steps.len());
            for (position, fact) in &path.facts {
                println!("{:depth$}after {position} of them:", "");
                print(fact, depth + 2);
            }
        }
        Reason::AllPaths => println!("{:depth$}which is so on all paths", ""),
        Reason::State | Reason::Elsewhere | Reason::Omitted => {}
    }
}
