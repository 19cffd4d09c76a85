//! Comparing orders on models with fewer tokens.
//!
//! How much work an order makes is seen best by trying it, and what is best with few tokens is
//! mostly best with many. So the orders are compared on copies of the model whose initial values
//! are cut down to a few, then the best of them on copies with twice as many, and so on, as long as
//! the copies are much smaller than the model. This is successive halving (Jamieson and Talwalkar
//! 2016) with the number of tokens as the resource.
//!
//! Cost: the work grows at least with the number of values of a variable, so all rounds together
//! cost a part of what the best order costs on the model itself.

use std::sync::Arc;

use dalsegno_kripke::{Action, Budget, Model, Stop};

use crate::encode::EncodeError;
use crate::order::Order;
use crate::reach::StateSpace;

/// The tokens of the first round.
const FEW: u32 = 3;
/// The steps that an order has in the first round.
const STEPS: u64 = 1 << 14;
/// The orders that go on to the second round, to the third, and to all after it.
const KEPT: [usize; 3] = [8, 4, 2];
/// An order goes on only if it takes at most so many times the steps of the best.
const FACTOR: u64 = 4;

/// What the trials told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    /// The steps that the best order took in the last round.
    pub(crate) steps: u64,
    /// Whether the best order was by far better than the others.
    pub(crate) clear: bool,
}

/// Sorts entrants of a race, best first; those that fell behind are left out. `None` if nothing
/// was learnt.
///
/// # Errors
/// See [`EncodeError`].
pub(crate) fn compare<'o>(
    model: &Model,
    order: &dyn Fn(usize) -> &'o Order,
    entrants: &mut Vec<usize>,
    budget: &Budget,
) -> Result<Option<Seen>, EncodeError> {
    let most = model.initial().iter().flatten().copied().max().unwrap_or(0);
    let Some(weight) = largest_weight(model) else {
        return Ok(None);
    };
    let mut tokens = FEW.max(weight);
    let mut seen: Option<Seen> = None;
    for round in 0.. {
        if tokens > most / 4 {
            break;
        }
        let few = with_tokens(model, tokens);
        let mut fuel = seen.map_or(STEPS, |seen| seen.steps.saturating_mul(16).max(STEPS));
        let mut finished: Vec<(u64, usize)> = Vec::new();
        for &i in entrants.iter() {
            match StateSpace::try_build(&few, order(i), budget, fuel) {
                Ok(mut space) => {
                    let steps = space.statistics().lookups;
                    fuel = fuel.min(FACTOR * steps);
                    finished.push((steps, i));
                }
                Err(EncodeError::Stopped(Stop::Memory)) => {}
                // The steps were used up, or the budget was: it knows why.
                Err(EncodeError::Stopped(Stop::Time)) => budget.check()?,
                Err(error) => return Err(error),
            }
        }
        // Equally fast ones stay in the order of their metrics.
        finished.sort_by_key(|&(steps, _)| steps);
        let Some(&(steps, _)) = finished.first() else {
            break;
        };
        finished.retain(|entry| entry.0 <= FACTOR.saturating_mul(steps));
        finished.truncate(KEPT[round.min(KEPT.len() - 1)]);
        *entrants = finished.iter().map(|entry| entry.1).collect();
        seen = Some(Seen {
            steps,
            clear: finished.len() == 1,
        });
        tokens = tokens.saturating_mul(2);
    }
    Ok(seen)
}

/// The largest number of tokens that a group asks for; `None` if values are no tokens.
fn largest_weight(model: &Model) -> Option<u32> {
    let mut largest = 0;
    for group in model.groups() {
        let Action::Linear(linear) = group.action() else {
            return None;
        };
        let asked = linear.pre().iter().chain(linear.inhibit());
        largest = asked.map(|entry| entry.1).fold(largest, u32::max);
    }
    Some(largest)
}

/// The model with at most so many tokens in each variable at first.
fn with_tokens(model: &Model, tokens: u32) -> Arc<Model> {
    let initial = model.initial().iter();
    let cut = |state: &Vec<u32>| state.iter().map(|&n| n.min(tokens)).collect();
    let few = Model::new(
        model.name(),
        model.variables().to_vec(),
        initial.map(cut).collect(),
        model.groups().to_vec(),
    );
    Arc::new(few.expect("a model with fewer tokens is a model"))
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::{Bounds, Group, Linear, Table, VarId, Variable};

    use super::*;

    /// Two pairs of places with `tokens` in the first of each; a step moves a token and back.
    fn pairs(tokens: u32, weight: u32) -> Model {
        let variables = (0..8).map(|i| Variable {
            name: format!("v{i}"),
            bounds: Bounds::proved(tokens),
        });
        let step = |from: u32, to: u32| {
            let (from, to) = (VarId(from), VarId(to));
            let n = i64::from(weight);
            let linear = Linear::new(vec![(from, weight)], vec![], vec![(from, -n), (to, n)]);
            Group::linear("t", linear.unwrap())
        };
        let groups = (0..4).flat_map(|i| [step(i, i + 4), step(i + 4, i)]);
        let initial = (0..8).map(|i| if i < 4 { tokens } else { 0 });
        let initial = vec![initial.collect()];
        Model::new("pairs", variables.collect(), initial, groups.collect()).unwrap()
    }

    fn order(list: [u32; 8]) -> Order {
        Order::new(list.map(VarId).to_vec()).unwrap()
    }

    #[test]
    fn an_order_that_is_much_worse_falls_behind() {
        // With the pairs apart, all that was taken must be remembered.
        let orders = [
            order([0, 1, 2, 3, 4, 5, 6, 7]),
            order([0, 4, 1, 5, 2, 6, 3, 7]),
        ];
        let mut entrants = vec![0, 1];
        let model = pairs(100, 1);
        let seen = compare(&model, &|i| &orders[i], &mut entrants, &Budget::unlimited());
        let seen = seen.unwrap().expect("there are many tokens");
        assert_eq!(entrants, [1]);
        assert!(seen.clear && seen.steps > 0);
    }

    #[test]
    fn few_tokens_and_large_weights_leave_nothing_to_learn() {
        let orders = [order([0, 1, 2, 3, 4, 5, 6, 7])];
        for model in [pairs(5, 1), pairs(100, 50)] {
            let mut entrants = vec![0];
            let seen = compare(&model, &|i| &orders[i], &mut entrants, &Budget::unlimited());
            assert_eq!(seen.unwrap(), None);
            assert_eq!(entrants, [0]);
        }
    }

    #[test]
    fn values_of_tables_are_no_tokens() {
        let all = vec![VarId(0)];
        let mut table = Table::new(1, 1);
        table.push(&[Some(100)], &[Some(0)]);
        let group = Group::table("t", all.clone(), all, table);
        let variable = Variable {
            name: "v".to_owned(),
            bounds: Bounds::proved(100),
        };
        let model = Model::new("m", vec![variable], vec![vec![100]], vec![group]).unwrap();
        assert_eq!(largest_weight(&model), None);
    }
}
