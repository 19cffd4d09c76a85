//! Proofs by diagram by whatever comes to an end: from states one by one if they are few, and otherwise from few places,
//! from more and more states one by one, or from sets of states.
//!
//! States one by one and sets of them take turns. Each time twice as many states are looked at, and then sets have
//! [`SHARE`] times the time that states one by one have had. Both go on where they were, so all attempts together take a
//! small multiple of the one that succeeds. Cost: that of the attempts.

use std::time::Duration;

use dalsegno_kripke::Budget;
use dalsegno_kripke::clock::Instant;
use dalsegno_verify::claim::Logic;
use dalsegno_verify::diagram::Diagram;

use super::linear_time::Product;
use super::subject::Subject;
use super::{Unproved, abstraction, symbolic};
use crate::method::Tool;

/// So many states are looked at one by one before few places are.
const TINY: u64 = 500;

/// So many are looked at before sets of states are tried.
const FEW: u64 = 20_000;

/// So many are looked at before sets are tried for half of the time that is left.
const MANY: u64 = 500_000;

/// How much more time than states one by one sets have before that, and the least that they have.
const SHARE: u32 = 2;
const LEAST: Duration = Duration::from_millis(20);

/// By how much more states are looked at from turn to turn, if the search goes on, and if it begins anew.
const GROWTH: u64 = 2;
const GROWTH_ANEW: u64 = 5;

/// A proof by diagram. The method that gave the verdict decides what is tried.
pub(super) fn prove(
    subject: &Subject<'_>,
    by: Option<Tool>,
    budget: &Budget,
) -> Result<Diagram, Unproved> {
    // Whoever limits the states does not want sets of more of them.
    let enough = |states| budget.states().is_some_and(|most| most <= states);
    let is_final = |tried: &Result<Diagram, Unproved>, states| {
        !matches!(tried, Err(Unproved::Limit(_))) || enough(states) || budget.check().is_err()
    };
    // Each has half of the memory while there are both.
    let half = match budget.bytes() {
        Some(bytes) => budget.clone().with_bytes(bytes / 2),
        None => budget.clone(),
    };
    let mut one_by_one = OneByOne::default();
    let begun = Instant::now();
    let tried = one_by_one.prove(subject, &half.clone().limit_states(TINY));
    let mut time_of_states = begun.elapsed();
    if is_final(&tried, TINY) {
        return tried;
    }
    if let Some(diagram) = abstraction::prove(subject, budget)? {
        return Ok(diagram);
    }
    let (mut sets, mut time_of_sets) = (symbolic::Attempt::default(), Duration::ZERO);
    let (mut sets_may_go_on, mut states) = (true, FEW);
    loop {
        let begun = Instant::now();
        let tried = one_by_one.prove(subject, &half.clone().limit_states(states));
        time_of_states += begun.elapsed();
        if is_final(&tried, states) {
            return tried;
        }
        if by == Some(Tool::Diagrams) || states >= MANY {
            break;
        }
        let share = (time_of_states * SHARE)
            .max(LEAST)
            .saturating_sub(time_of_sets);
        if sets_may_go_on {
            let begun = Instant::now();
            let tried = sets.prove(subject, &half.clone().with_time(share));
            time_of_sets += begun.elapsed();
            match tried {
                Ok(diagram) => return Ok(diagram),
                // Another limit than this time would be hit again.
                Err(_) => sets_may_go_on = begun.elapsed() >= share,
            }
        }
        states *= one_by_one.growth();
    }
    drop(one_by_one);
    if !sets_may_go_on {
        sets = symbolic::Attempt::default();
    }
    let time = budget.time_left().map_or(Duration::MAX, |left| left / 2);
    let tried = sets.prove(subject, &budget.clone().with_time(time));
    drop(sets);
    tried.or_else(|why| {
        let tried = OneByOne::default().prove(subject, budget);
        tried.map_err(|last| match last {
            Unproved::Limit(_) => why,
            last => last,
        })
    })
}

/// Proofs from states one by one. Those of linear time go on where they were.
#[derive(Default)]
struct OneByOne<'a> {
    product: Option<Product<'a>>,
}

impl<'a> OneByOne<'a> {
    fn prove(&mut self, subject: &'a Subject<'a>, budget: &Budget) -> Result<Diagram, Unproved> {
        if subject.claim.header.logic != Logic::Ltl {
            return subject.explicit(budget);
        }
        let product = match &mut self.product {
            Some(product) => product,
            none => none.insert(Product::of_all(subject, budget)?),
        };
        product.prove(subject, budget)
    }

    fn growth(&self) -> u64 {
        match self.product {
            Some(_) => GROWTH,
            None => GROWTH_ANEW,
        }
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_models::petri::generators::Family;
    use dalsegno_verify::claim::{DeadEnds, Header};

    use super::*;
    use crate::problem::Problem;
    use crate::proof::{checked, encode};

    const PROPERTY: &str = r#"G (("Pm1 >= 1" -> X "Pm1 <= 2") & F ("Pm1 <= 2" & G "Pm2 <= 2"))"#;

    fn with_subject(test: impl FnOnce(&Subject<'_>)) {
        let net = Family::Kanban.generate(2).unwrap();
        let problem = Problem::of_net(net, &Budget::unlimited());
        let net = crate::proof::subject::net_of(&problem).unwrap();
        let header = Header {
            net: net.digest(),
            logic: Logic::Ltl,
            dead_ends: DeadEnds::Stutter,
            holds: true,
            property: PROPERTY.to_owned(),
            linear: false,
        };
        test(&Subject::claiming(&problem, net, header).unwrap());
    }

    #[test]
    fn a_search_in_parts_makes_the_proof_of_one_search() {
        with_subject(|subject| {
            let unlimited = Budget::unlimited();
            let whole = subject.explicit(&unlimited).unwrap();
            let mut parts = OneByOne::default();
            let mut stops = 0;
            let made = (1..).find_map(|states| {
                let limited = unlimited.clone().limit_states(37 * states);
                match parts.prove(subject, &limited) {
                    Ok(diagram) => Some(diagram),
                    Err(Unproved::Limit(_)) => {
                        stops += 1;
                        None
                    }
                    Err(other) => panic!("{other}"),
                }
            });
            assert!(stops > 20, "{stops}");
            assert_eq!(made, Some(whole));
        });
    }

    #[test]
    fn sets_that_were_stopped_go_on() {
        with_subject(|subject| {
            let unlimited = Budget::unlimited();
            let mut sets = symbolic::Attempt::default();
            let stopped = sets.prove(subject, &unlimited.clone().with_time(Duration::ZERO));
            assert!(matches!(stopped, Err(Unproved::Limit(_))));
            for _ in 0..2 {
                let diagram = sets.prove(subject, &unlimited).unwrap();
                let bytes = encode(&subject.header, &diagram);
                assert!(checked(subject, bytes, Instant::now(), &unlimited).is_ok());
            }
        });
    }
}
