//! What is known of a net besides its states: found out when it is first asked for, within the limits of the
//! problem, and kept.
//!
//! Everything here is proved. What a file merely promises stands beside what is proved in the
//! [`Bounds`](dalsegno_kripke::Bounds) of the variables; it may shape a layout or an order of levels, and no
//! verdict rests on it.

use std::sync::{Arc, OnceLock};

use dalsegno_kripke::{Budget, Model, VarId};
use dalsegno_models::petri::PetriNet;
use dalsegno_models::petri::invariants::{self, PlaceSum};
use dalsegno_models::petri::state_equation::StateEquation;
use dalsegno_models::petri::structure::Structure;
use dalsegno_symbolic::merge::Merged;

use crate::pass::merge;
use crate::plan::EQUATION_ARCS;

/// What is known of a net.
#[derive(Debug)]
pub struct Knowledge {
    sums: OnceLock<Vec<PlaceSum>>,
    structure: OnceLock<Structure>,
    equation: OnceLock<Option<StateEquation>>,
    merged: OnceLock<Option<Arc<Merged>>>,
    broken: OnceLock<VarId>,
    budget: Budget,
}

impl Knowledge {
    /// Nothing yet; what is looked for ends with the budget.
    #[must_use]
    pub fn new(budget: &Budget) -> Self {
        Knowledge {
            sums: OnceLock::new(),
            structure: OnceLock::new(),
            equation: OnceLock::new(),
            merged: OnceLock::new(),
            broken: OnceLock::new(),
            budget: budget.clone(),
        }
    }

    /// Sums of places that never grow, as far as they are found quickly.
    pub fn sums(&self, net: &PetriNet) -> &[PlaceSum] {
        let find = || {
            let limits = invariants::Limits::of_net(net);
            invariants::sums_within(net, limits, &self.budget)
        };
        self.sums.get_or_init(find)
    }

    /// What the structure of the net decides.
    pub fn structure(&self, net: &PetriNet) -> &Structure {
        let find = || Structure::with_sums(net, self.sums(net).to_vec());
        self.structure.get_or_init(find)
    }

    /// The state equation, if the net is not too large and there is time to read it.
    pub fn state_equation(&self, net: &PetriNet) -> Option<&StateEquation> {
        if net.arc_count() > EQUATION_ARCS {
            return None;
        }
        let read = || StateEquation::new(net, self.structure(net), &self.budget).ok();
        self.equation.get_or_init(read).as_ref()
    }

    /// The model with places merged of which at most one is marked at a time, if there are such.
    pub fn merged(&self, net: &PetriNet, model: &Model) -> Option<&Arc<Merged>> {
        let merge = || {
            let sets = merge::exclusive(net, model, self.sums(net));
            Merged::new(model, &sets).map(Arc::new)
        };
        self.merged.get_or_init(merge).as_ref()
    }

    /// A variable that exceeds what the file promises of it, if a search found one.
    #[must_use]
    pub fn broken_promise(&self) -> Option<VarId> {
        self.broken.get().copied()
    }

    /// Takes note of a variable that exceeds what the file promises of it.
    pub(crate) fn found_broken(&self, variable: VarId) {
        let _ = self.broken.set(variable);
    }
}
