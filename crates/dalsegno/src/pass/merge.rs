//! Which places of a net may be merged: sets of which at most one place is marked at a time.
//!
//! The merged model and its lift are made by [`Merged`](dalsegno_symbolic::merge::Merged).

use dalsegno_kripke::{Model, VarId};
use dalsegno_models::petri::invariants::PlaceSum;
use dalsegno_models::petri::{PetriNet, unit_safety};
use dalsegno_symbolic::merge::Exclusive;

/// Sets of a net's places of which at most one is marked at a time, to be merged into one variable:
/// units that are proved safe or promised to be, and places of sums that never grow.
#[must_use]
pub fn exclusive(net: &PetriNet, model: &Model, sums: &[PlaceSum]) -> Vec<Exclusive> {
    let mut sets = Vec::new();
    if let Some(nupn) = net.nupn() {
        let certain = unit_safety::is_inductive(net, nupn);
        if certain || nupn.safe {
            sets.extend(nupn.units.iter().map(|unit| Exclusive {
                variables: unit.places.iter().map(|p| VarId(p.0)).collect(),
                certain,
            }));
        }
    }
    let mut users = vec![0_u64; model.variables().len()];
    for group in model.groups() {
        for v in group.reads() {
            users[v.index()] += 1;
        }
    }
    let mut certain = Vec::new();
    for sum in sums {
        let initial = sum.initial(net);
        // Two tokens would be too heavy.
        let heavy = sum
            .weights
            .iter()
            .filter(|(_, y)| 2 * u128::from(*y) > initial);
        let variables: Vec<VarId> = heavy.map(|(p, _)| VarId(p.0)).collect();
        if variables.len() >= 2 {
            // Transitions per place: fewer where the places are those of one process.
            let used: u64 = variables.iter().map(|v| users[v.index()]).sum();
            certain.push((used * 1000 / variables.len() as u64, variables));
        }
    }
    certain.sort();
    sets.extend(certain.into_iter().map(|(_, variables)| Exclusive {
        variables,
        certain: true,
    }));
    sets
}
