//! What single calls of the library take: a check of a small net, and reading and simplifying formulas. `bench/python.py` compares the
//! same calls from Python with them.
//!
//! ```sh
//! cargo bench -p dalsegno --bench calls              # 1000 formulas that are drawn
//! cargo bench -p dalsegno --bench calls -- FORMULAS  # those of a file, one per line
//! ```
//!
//! Prints one object of JSON: microseconds of the median check, and formulas per second with a store that is emptied after each of them
//! (as objects that come and go need it) and with one store for all.

use std::error::Error;
use std::time::{Duration, Instant};

use dalsegno::kripke::Budget;
use dalsegno::logic::random::Config;
use dalsegno::logic::simplify::Simplifier;
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Asked, Drawing, Logic, Run, Settings, Source};

const PROPERTY: &str = "G(Fork_1 -> F Eat_1)";

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let texts: Vec<String> = match file {
        Some(path) => std::fs::read_to_string(path)?
            .lines()
            .map(str::to_owned)
            .collect(),
        None => drawn(1000),
    };
    let check = median_check()?;
    let emptied = per_second(&texts, true);
    let shared = per_second(&texts, false);
    println!(
        "{}",
        serde_json::json!({
            "check_us": check.as_secs_f64() * 1e6,
            "formulas": texts.len(),
            "per_second_emptied": emptied,
            "per_second_shared": shared,
        })
    );
    Ok(())
}

fn drawn(count: usize) -> Vec<String> {
    let mut store = FormulaStore::new();
    let mut drawing = Drawing::new(Config::ltl());
    let mut texts = Vec::new();
    while texts.len() < count {
        let Some(f) = drawing.draw(&mut store) else {
            break;
        };
        texts.push(store.display(f).to_string());
    }
    texts
}

/// The median of the times that a check takes, all that is found out about the net being known.
fn median_check() -> Result<Duration, Box<dyn Error>> {
    let family: Family = "philosophers".parse()?;
    let source = Source::of_net(family.generate(5)?);
    let mut times = Vec::new();
    for _ in 0..300 {
        let begin = Instant::now();
        let mut run = Run::new(&source, Settings::default());
        let number = run.ask(Asked::formula(Logic::Any, PROPERTY));
        run.answer(&Budget::unlimited(), &mut |_| {})?;
        let holds = run.answer_to(number).holds();
        times.push(begin.elapsed());
        assert_eq!(holds, Some(false));
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

fn per_second(texts: &[String], emptied: bool) -> f64 {
    let mut store = FormulaStore::new();
    let mut simplifier = Simplifier::default();
    let begin = Instant::now();
    let mut size = 0;
    for text in texts {
        if emptied {
            store.clear();
            simplifier.clear();
        }
        let f = parse(&mut store, text).expect("the formulas are well-formed");
        size += simplifier.simplify(&mut store, f).index();
    }
    std::hint::black_box(size);
    f64::from(texts.len() as u32) / begin.elapsed().as_secs_f64()
}
