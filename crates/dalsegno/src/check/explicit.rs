//! Checking by the explicit engine: the product is searched as it is built.

use dalsegno_explicit::emptiness::{self, Explored};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::size;
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::witness;
use dalsegno_kripke::{Budget, Run, Stop, Verdict};

use super::automaton::Negation;
use super::{CheckOptions, Halt, Outcome};
use crate::session::Session;

pub(super) fn search(
    session: &Session,
    negation: &mut Negation,
    options: CheckOptions,
    budget: &Budget,
    outcome: &mut Outcome,
    progress: &mut dyn FnMut(&Explored),
) -> Result<(), Halt> {
    let space = Space::new(session.model());
    let predicates = negation.predicates.clone();
    let observer = &mut negation.observer;
    let mut product = Product::new(space, predicates, observer, options.dead_ends);
    let result = rounds(&mut product, options.search, budget, outcome, progress);
    outcome.bytes = product.bytes();
    outcome.growing = product.space().growing();
    if options.product_size && result.is_ok() {
        // The answer stands, whether or not the whole product is too large to be seen.
        outcome.product = size::of(&mut product, budget).ok();
        outcome.bytes = outcome.bytes.max(product.bytes());
    }
    negation.used.states = negation.observer.len();
    outcome.automaton = Some(negation.used.clone());
    outcome.verdict = result?;
    Ok(())
}

/// Searches again and again with larger values, if values may grow for ever, until one search is enough.
///
/// A depth-first search of an infinite product may follow one growing run for ever, whatever there is
/// elsewhere. Values of a few bits make finitely many states, every run that repeats itself is among them
/// for some number of bits, and where the first number leaves nothing out, nothing is lost.
fn rounds(
    product: &mut Product<'_, '_>,
    config: emptiness::Config,
    budget: &Budget,
    outcome: &mut Outcome,
    progress: &mut dyn FnMut(&Explored),
) -> Result<Verdict<Run>, space::Error> {
    let model = product.space().model();
    let bounded = model.variables().iter().all(|v| v.bound.is_some());
    let largest = model.initial().iter().flatten().max().copied().unwrap_or(0);
    let largest = 32 - largest.leading_zeros();
    let mut bits = (!bounded).then_some((largest + 1).max(FIRST_BITS));
    loop {
        let config = emptiness::Config { bits, ..config };
        let before = outcome.explored;
        let result = emptiness::check(product, &config, budget, |seen| {
            progress(&before.and(seen));
        });
        let search = match result {
            Ok(search) => search,
            Err((error, seen)) => {
                outcome.explored = before.and(&seen);
                return Err(error);
            }
        };
        outcome.explored = before.and(&search.explored);
        if let Some(accepting) = &search.accepting {
            return witness::run(product, accepting, &search.visited, budget).map(Verdict::Fails);
        }
        if search.complete {
            return Ok(Verdict::Holds);
        }
        bits = match bits {
            Some(bits) if product.is_pruned() => Some(bits + 1).filter(|&bits| bits < 32),
            // The limit of depth cut something off.
            _ => return Ok(Verdict::Unknown(Stop::States)),
        };
    }
}

/// The values that are tried first, in bits, where no bounds are known: most such nets have bounds all
/// the same, and small ones.
const FIRST_BITS: u32 = 3;
