//! Checking by the explicit engine: the product is searched as it is built.

use std::sync::Arc;

use dalsegno_explicit::emptiness::{self, Emptiness, Explored, Prefixes};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::size;
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::view::View;
use dalsegno_explicit::witness;
use dalsegno_kripke::{Bounds, Budget, DeadEnds, Run, Stop, Verdict};

use super::automaton::Negation;
use super::{CheckOptions, Halt, Outcome, Property};
use crate::session::Session;

pub(super) fn search(
    session: &Session,
    property: &Property<'_>,
    negation: &mut Negation,
    options: CheckOptions,
    budget: &Budget,
    outcome: &mut Outcome,
    progress: &mut dyn FnMut(&Explored),
) -> Result<(), Halt> {
    let mut space = Space::new(session.model());
    let predicates = negation.predicates.clone();
    let observer = negation.observer.take().expect("given back below");
    let mut view = View::new(session.model(), predicates, observer, options.dead_ends);
    let mut product = Product::new(&mut space, &mut view);
    let searched = search_in(
        &mut product,
        session,
        property,
        options,
        budget,
        outcome,
        progress,
    );
    negation.used.states = view.observer().len();
    negation.observer = Some(view.into_observer());
    outcome.automaton = Some(negation.used.clone());
    searched
}

fn search_in(
    product: &mut Product<'_>,
    session: &Session,
    property: &Property<'_>,
    options: CheckOptions,
    budget: &Budget,
    outcome: &mut Outcome,
    progress: &mut dyn FnMut(&Explored),
) -> Result<(), Halt> {
    // A kind that was asked for is searched as it is, and a path that may end proves nothing.
    let shows = options.automaton.is_none() && options.dead_ends == DeadEnds::Stutter;
    let mut config = emptiness::Config {
        prefixes: match (shows, options.witness) {
            (false, _) => Prefixes::Ignore,
            (true, true) => Prefixes::Keep,
            (true, false) => Prefixes::Stop,
        },
        ..options.search
    };
    let mut result = rounds(product, config, budget, outcome, progress);
    if let (Some(path), false) = (
        outcome.prefix.take(),
        matches!(result, Ok(Verdict::Fails(_))),
    ) {
        if property.is_refuted_by(session.model(), &path)? {
            outcome.refuted = true;
            outcome.prefix = Some(path);
        } else if config.prefixes == Prefixes::Stop {
            // It takes more than the beginning to see it.
            config.prefixes = Prefixes::Ignore;
            result = rounds(product, config, budget, outcome, progress);
        }
    }
    outcome.bytes = product.bytes();
    outcome.growing = product.space().growing();
    if let Some(variable) = product.space().broken_promise() {
        session.found_broken(variable);
    }
    if options.product_size && result.is_ok() {
        // The answer stands, whether or not the whole product is too large to be seen.
        outcome.product = size::of(product, budget).ok();
        outcome.bytes = outcome.bytes.max(product.bytes());
    }
    outcome.verdict = result?;
    Ok(())
}

/// Searches again and again with larger values, if values may grow for ever, until one search is enough.
///
/// A depth-first search of an infinite product may follow one growing run for ever, whatever there is
/// elsewhere. Values of a few bits make finitely many states, every run that repeats itself is among them
/// for some number of bits, and where a number of bits leaves nothing out, nothing is lost. But few bits may
/// leave many states and no run, so each number of bits has its turn with a limit of nodes, and then again with
/// a larger one.
fn rounds(
    product: &mut Product<'_>,
    config: emptiness::Config,
    budget: &Budget,
    outcome: &mut Outcome,
    progress: &mut dyn FnMut(&Explored),
) -> Result<Verdict<Run>, space::Error> {
    let model = &Arc::clone(product.space().model());
    let mut search = |bits: Option<u32>, nodes: Option<u64>| -> Result<Round, space::Error> {
        let config = emptiness::Config {
            bits,
            nodes,
            ..config
        };
        let before = outcome.explored;
        let mut search = Emptiness::new(product, config);
        let ended = search.advance(product, u64::MAX, budget, |seen| {
            progress(&before.and(seen));
        });
        if let (Some(path), None) = (search.prefix(), &outcome.prefix) {
            outcome.prefix = Some(witness::prefix(product, path));
        }
        outcome.explored = before.and(search.explored());
        ended?;
        let search = search.result();
        Ok(if let Some(accepting) = &search.accepting {
            let closing = search.closing.as_ref();
            let run = match closing.and_then(|path| witness::direct(product, path)) {
                Some(run) => run,
                None => witness::run(product, accepting, &search.visited, budget)?,
            };
            Round::Answer(Verdict::Fails(run))
        } else if config.prefixes == Prefixes::Stop && search.prefix.is_some() {
            Round::Answer(Verdict::Unknown(Stop::States))
        } else if search.complete {
            Round::Answer(Verdict::Holds)
        } else {
            Round::Open {
                cut: search.cut,
                pruned: product.is_pruned(),
            }
        })
    };
    let bounds = || model.variables().iter().map(|v| v.bounds);
    let proved = bounds().all(|b| b.proved.is_some());
    let expected: Option<Vec<u32>> = bounds().map(Bounds::expected).collect();
    if let Some(expected) = expected {
        // Where bounds are merely promised, one search keeps to them; if it leaves something out, they are false.
        let most = expected.into_iter().max().unwrap_or(0).max(1);
        let bits = (!proved).then(|| 32 - most.leading_zeros());
        match search(bits, None)? {
            Round::Answer(verdict) => return Ok(verdict),
            Round::Open { pruned: true, .. } if !proved => {}
            // The limit of depth cut something off.
            Round::Open { .. } => return Ok(Verdict::Unknown(Stop::States)),
        }
    }
    let largest = model.initial().iter().flatten().max().copied().unwrap_or(0);
    let largest = 32 - largest.leading_zeros();
    // Fewer bits than these have been looked at as a whole.
    let mut least = (largest + 1).max(FIRST_BITS);
    let mut nodes = FIRST_NODES;
    loop {
        let mut bits = least;
        let mut more = 1;
        loop {
            let limit = (bits < MOST_BITS).then_some(bits);
            let (cut, pruned) = match search(limit, Some(nodes)) {
                Ok(Round::Answer(verdict)) => return Ok(verdict),
                Ok(Round::Open { cut, pruned }) => (cut, pruned),
                // Numbers outgrow the machine's where fewer bits leave something to look at.
                Err(space::Error::Fault(_)) if bits > least => break,
                Err(error) => return Err(error),
            };
            if !cut {
                least = bits + 1;
            }
            if !pruned || bits >= MOST_BITS {
                break;
            }
            bits = (bits + more).min(MOST_BITS);
            more *= 2;
        }
        if config.depth.is_some() {
            return Ok(Verdict::Unknown(Stop::States));
        }
        nodes = nodes.saturating_mul(MORE_NODES);
    }
}

/// How a search ended.
enum Round {
    Answer(Verdict<Run>),
    /// Without an answer: a limit cut something off, or values were too large.
    Open {
        cut: bool,
        pruned: bool,
    },
}

/// The values that are tried first, in bits, where no bounds are known: most such nets have bounds all
/// the same, and small ones.
const FIRST_BITS: u32 = 3;

/// With as many bits, values have no limit but that of numbers.
const MOST_BITS: u32 = 32;

/// The nodes of the first searches.
const FIRST_NODES: u64 = 20_000;

/// How many times more the next ones have.
const MORE_NODES: u64 = 8;
