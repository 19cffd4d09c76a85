//! Checking by the symbolic engine: reachable states as one diagram, then the product as sets.

use std::time::Instant;

use dalsegno_automata::observer::Observer;
use dalsegno_explicit::emptiness::Explored;
use dalsegno_kripke::{Budget, Stop, Verdict};
use dalsegno_symbolic::encode::EncodeError;
use dalsegno_symbolic::ltl::{self, Product, Proposition};
use dalsegno_symbolic::mdd::with_stack;
use dalsegno_symbolic::order::Recipe;
use dalsegno_symbolic::reach::StateSpace;

use super::automaton::Negation;
use super::{CheckOptions, DiagramUse, Halt, Outcome};
use crate::diagrams;
use crate::session::Session;

/// Reachable states that properties share, once they are built.
#[derive(Debug, Default)]
pub(super) enum Shared {
    /// Not asked for yet.
    #[default]
    Unbuilt,
    /// Built by this order.
    Built(Box<StateSpace>, Recipe),
    /// Not to be had.
    Failed(EncodeError),
}

impl Shared {
    /// Builds the reachable states; whether they are there then.
    pub(super) fn prepare(
        &mut self,
        session: &Session,
        order: Option<Recipe>,
        budget: &Budget,
    ) -> bool {
        let levels = session.model().variables().len() as u32;
        with_stack(levels, || self.get(session, order, budget).is_ok())
    }

    /// The reachable states, built now if they are not there.
    fn get(
        &mut self,
        session: &Session,
        order: Option<Recipe>,
        budget: &Budget,
    ) -> Result<(&mut StateSpace, Recipe), EncodeError> {
        if let Shared::Unbuilt = self {
            *self = match diagrams::build_merged(session, order, budget) {
                Ok((space, recipe)) => Shared::Built(Box::new(space), recipe),
                Err(error) => Shared::Failed(error),
            };
        }
        match self {
            Shared::Built(space, recipe) => {
                space.encoding().set_budget(budget);
                Ok((space, *recipe))
            }
            Shared::Failed(error) => Err(error.clone()),
            Shared::Unbuilt => unreachable!("it was built or has failed"),
        }
    }
}

pub(super) fn search(
    session: &Session,
    shared: &mut Shared,
    negation: &mut Negation,
    options: CheckOptions,
    budget: &Budget,
    outcome: &mut Outcome,
) -> Result<(), Halt> {
    let levels = session.model().variables().len() as u32;
    let observer = negation.observer.as_mut();
    let observer = observer.expect("no other search has it");
    let predicates = negation.predicates.iter().cloned();
    let propositions: Vec<Proposition> = predicates.map(Proposition::Predicate).collect();
    let start = Instant::now();
    let found = with_stack(levels, || {
        let (space, recipe) = shared.get(session, options.order, budget)?;
        let built = start.elapsed();
        let mut product = Product::new(
            space,
            &propositions,
            observer,
            options.dead_ends,
            options.saturation,
        )?
        .near(options.near);
        let found = ltl::check(&mut product, options.witness)?;
        // The answer stands, whether or not there is time to count.
        let wanted = options.product_size;
        let stuttering = wanted.then(|| product.stuttering().ok().flatten());
        let statistics = product.encoding().manager().statistics();
        Ok((found, statistics, recipe, built, stuttering.flatten()))
    });
    let (found, statistics, recipe, built, stuttering) = found.map_err(|error| match error {
        EncodeError::Stopped(stop) => Halt::Stop(stop),
        EncodeError::Fault(fault) => Halt::Fault(fault),
    })?;
    outcome.explored = Explored::default();
    outcome.bytes = statistics.peak_bytes;
    outcome.diagrams = Some(DiagramUse {
        order: recipe,
        keys: found.keys,
        nodes: statistics.nodes,
        peak_nodes: statistics.peak_nodes,
        built,
        search: found.search,
        telling: found.witness,
        stuttering,
    });
    negation.used.states = negation.observer.as_ref().map_or(0, Observer::len);
    outcome.automaton = Some(negation.used.clone());
    outcome.refuted = found.accepting;
    outcome.verdict = match (found.accepting, found.run) {
        (false, _) => Verdict::Holds,
        (true, Some(run)) => Verdict::Fails(run),
        // The run was not found within the steps that it may take.
        (true, None) => Verdict::Unknown(budget.check().err().unwrap_or(Stop::Time)),
    };
    Ok(())
}
