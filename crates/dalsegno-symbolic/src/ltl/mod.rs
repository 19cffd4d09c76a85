//! Linear-time properties on diagrams: is there an accepting run in the product?
//!
//! [`check`] decides it for reachable states that are known as one diagram and the automaton of a
//! negated property, and gives a run that the automaton accepts. The parts, each in its file: letters
//! of reachable states and the steps that keep them; sets of product states and their images; what they
//! lead to; emptiness by forward OWCTY, and where runs have to be fair; cycles by some of their states; the backward hull;
//! the run.

mod accepting_cycle;
mod blocks;
mod closure;
mod components;
mod couvreur;
mod fair;
mod hull;
mod lasso;
mod letters;
mod owcty;
mod product;
mod product_set;
mod trim;

pub use letters::Proposition;
pub use product::{NEAR, Product, Saturation};
pub use product_set::{Key, ProductSet};

use std::time::Duration;

use dalsegno_kripke::clock::Instant;
use dalsegno_kripke::{Run, Stop};

/// What the search in a product found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Whether some run is accepted.
    pub accepting: bool,
    /// A run that is accepted, if it was asked for and there was time to build it.
    pub run: Option<Run>,
    /// The number of automaton states next to reachable states.
    pub automaton_states: usize,
    /// The number of pairs of an automaton state and a letter.
    pub keys: usize,
    /// The time that the answer took.
    pub search: Duration,
    /// The time that building the run took.
    pub witness: Duration,
}

/// Whether the automaton accepts some run of the model, and if it is asked for such a run.
///
/// # Errors
/// If the budget ran out before it was clear. Running out of it while the run is looked for leaves
/// [`Found::run`] empty.
pub fn check(product: &mut Product<'_>, with_run: bool) -> Result<Found, Stop> {
    let start = Instant::now();
    let initial = product.initial()?;
    let search = product.search(&initial);
    let search = search.map_err(|stop| product.stop(stop))?;
    let mut states: Vec<_> = search.reached.keys().map(|(q, _)| q).collect();
    states.sort_unstable();
    states.dedup();
    let search_time = start.elapsed();
    let accepting = search.accepting.as_ref().filter(|_| with_run);
    let run = accepting.and_then(|accepting| {
        let run = product.build_witness(&initial, &search.reached, accepting);
        run.ok()
    });
    Ok(Found {
        accepting: search.accepting.is_some(),
        run,
        automaton_states: states.len(),
        keys: search.reached.keys().count(),
        search: search_time,
        witness: start.elapsed().saturating_sub(search_time),
    })
}
