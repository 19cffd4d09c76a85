//! State spaces as decision diagrams: what a net tells of a good order, and the numbers asked for.

use dalsegno_kripke::VarId;
use dalsegno_models::petri::{PetriNet, invariants};
use dalsegno_symbolic::order::{Hints, Semiflow, Unit};

/// Hints that own what they tell.
#[derive(Clone, Debug, Default)]
pub struct OwnedHints {
    units: Vec<Unit>,
    semiflows: Vec<Semiflow>,
}

impl OwnedHints {
    /// The units of a net's file, and sums of places that never grow, as far as they are found
    /// quickly.
    #[must_use]
    pub fn of_net(net: &PetriNet) -> Self {
        let mut units = Vec::new();
        if let Some(nupn) = net.nupn() {
            units = vec![Unit::default(); nupn.units.len()];
            for (i, unit) in nupn.units.iter().enumerate() {
                units[i].variables = unit.places.iter().map(|p| VarId(p.0)).collect();
                for &inner in &unit.subunits {
                    units[inner].parent = Some(i);
                }
            }
        }
        let sums = invariants::sums(net, invariants::Limits::default());
        let semiflows = sums
            .into_iter()
            .map(|sum| Semiflow {
                terms: sum.weights.iter().map(|&(p, y)| (VarId(p.0), y)).collect(),
            })
            .collect();
        OwnedHints { units, semiflows }
    }

    /// The hints.
    #[must_use]
    pub fn hints(&self) -> Hints<'_> {
        Hints {
            units: &self.units,
            semiflows: &self.semiflows,
        }
    }
}
