//! Problems: a model with its names and what is known of it. All questions of a run share one.

use std::sync::Arc;

use dalsegno_certify::Atoms;
use dalsegno_kripke::lift::Lift;
use dalsegno_kripke::{Budget, GroupId, Model, Predicate, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, PropId, parse_with};
use dalsegno_models::etf::{Etf, LowerError};
use dalsegno_models::petri::coloured::{ColourOrigin, Orbits};
use dalsegno_models::petri::invariants::{self, PlaceSum};
use dalsegno_models::petri::proposition::Atom;
use dalsegno_models::petri::state_equation::StateEquation;
use dalsegno_models::petri::structure::Structure;
use dalsegno_models::petri::{PetriNet, Symbols, proposition};
use dalsegno_symbolic::merge::Merged;

use crate::error::Error;
use crate::knowledge::Knowledge;

/// What the propositions of a formula mean.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meanings {
    /// Those about states.
    pub atoms: Vec<(PropId, Predicate)>,
    /// Those about steps: the step that is taken next is one of these groups.
    pub fires: Vec<(PropId, Vec<GroupId>)>,
}

impl Meanings {
    /// For those who evaluate formulas by definition.
    #[must_use]
    pub fn as_atoms(&self) -> Atoms<'_> {
        Atoms {
            states: &self.atoms,
            fires: &self.fires,
        }
    }
}

/// A model, ready to be asked.
#[derive(Debug)]
pub struct Problem {
    net: Option<PetriNet>,
    etf: Option<Etf>,
    model: Arc<Model>,
    symbols: Symbols,
    lift: Lift,
    colours: Option<Arc<ColourOrigin>>,
    knowledge: Knowledge,
}

impl Problem {
    /// The problem of a net; what is looked for in its structure, now and later, ends with the budget.
    #[must_use]
    pub fn of_net(net: PetriNet, budget: &Budget) -> Self {
        let knowledge = Knowledge::new(budget);
        let bounds = invariants::bounds_by(&net, || knowledge.sums(&net));
        let model = Arc::new(net.to_model_with_bounds(&bounds));
        Problem {
            symbols: Symbols::of_net(&net),
            lift: Lift::identity(model.variables().len(), model.groups().len()),
            model,
            net: Some(net),
            etf: None,
            colours: None,
            knowledge,
        }
    }

    /// The problem of a net that was made by unfolding a coloured one.
    #[must_use]
    pub(crate) fn of_unfolded(net: PetriNet, origin: ColourOrigin, budget: &Budget) -> Self {
        let knowledge = Knowledge::new(budget);
        let symbols = origin.symbols(&net);
        let bounds = invariants::bounds_by(&net, || knowledge.sums(&net));
        let origin = Arc::new(origin);
        let model = net.to_model_with_bounds(&bounds);
        Problem {
            model: Arc::new(model.with_bindings(Arc::clone(&origin) as Arc<_>)),
            net: Some(net),
            etf: None,
            symbols,
            lift: origin.lift(),
            colours: Some(origin),
            knowledge,
        }
    }

    /// The problem of a coloured net that is searched without being unfolded; `None` if its initial state is not found.
    #[must_use]
    pub(crate) fn of_orbits(orbits: &Orbits) -> Option<Self> {
        Some(Problem {
            model: Arc::new(orbits.model()?),
            symbols: orbits.symbols(),
            lift: orbits.lift(),
            net: None,
            etf: None,
            colours: None,
            knowledge: Knowledge::new(&Budget::unlimited()),
        })
    }

    /// The problem of a model that is no net.
    #[must_use]
    pub fn of_model(model: Model) -> Self {
        Problem {
            net: None,
            etf: None,
            symbols: Symbols::of_model(&model),
            lift: Lift::identity(model.variables().len(), model.groups().len()),
            model: Arc::new(model),
            colours: None,
            knowledge: Knowledge::new(&Budget::unlimited()),
        }
    }

    /// The problem of tables of transitions.
    ///
    /// # Errors
    /// If the tables are too large for a model, or for the budget.
    pub fn of_etf(etf: Etf, name: &str, budget: &Budget) -> Result<Self, LowerError> {
        let mut problem = Self::of_model(etf.to_model_within(name, budget)?);
        for label in etf.labels_within(budget)? {
            problem.symbols.add_label(label);
        }
        problem.etf = Some(etf);
        Ok(problem)
    }

    /// Where the nodes come from, if the net was coloured.
    #[must_use]
    pub fn colours(&self) -> Option<&ColourOrigin> {
        self.colours.as_deref()
    }

    /// How states and steps are those of the net that the user gave: of a coloured net, each of its places is
    /// the sum of its unfolded ones.
    #[must_use]
    pub fn lift(&self) -> &Lift {
        &self.lift
    }

    /// The variables of each place of the net that the user gave: one, or one per colour.
    #[must_use]
    pub fn places(&self) -> Vec<Vec<VarId>> {
        let places = (0..self.lift.variables().len() as u32).map(VarId);
        let variables = |place| self.lift.variables_of(place).map(VarId).collect();
        places.map(variables).collect()
    }

    /// The groups of each transition of the net that the user gave: one, or one per binding.
    #[must_use]
    pub fn transitions(&self) -> Vec<Vec<GroupId>> {
        let transitions = (0..self.lift.originals() as u32).map(GroupId);
        let groups = transitions.map(|t| self.lift.groups_of(t).to_vec());
        groups.collect()
    }

    /// The place/transition net, as it was read or unfolded, if the model is one.
    #[must_use]
    pub fn net(&self) -> Option<&PetriNet> {
        self.net.as_ref()
    }

    /// The tables as they were read, if the model is made of some.
    #[must_use]
    pub fn etf(&self) -> Option<&Etf> {
        self.etf.as_ref()
    }

    /// The model that engines see.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The names of places and transitions.
    #[must_use]
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Sums of places that never grow, as far as they are found quickly; none if the model is no net.
    #[must_use]
    pub fn sums(&self) -> &[PlaceSum] {
        let net = self.net.as_ref();
        net.map_or(&[], |net| self.knowledge.sums(net))
    }

    /// The model with places merged of which at most one is marked at a time, if there are such.
    #[must_use]
    pub fn merged(&self) -> Option<&Arc<Merged>> {
        self.knowledge.merged(self.net.as_ref()?, &self.model)
    }

    /// What the structure of the net decides, if the model is one.
    #[must_use]
    pub fn structure(&self) -> Option<&Structure> {
        Some(self.knowledge.structure(self.net.as_ref()?))
    }

    /// The state equation of the net, if the model is one, it is not too large and there is time.
    #[must_use]
    pub fn state_equation(&self) -> Option<&StateEquation> {
        self.knowledge.state_equation(self.net.as_ref()?)
    }

    /// A variable that exceeds what the file promises of it, if a search found one.
    #[must_use]
    pub fn broken_promise(&self) -> Option<VarId> {
        self.knowledge.broken_promise()
    }

    /// Takes note of a variable that exceeds what the file promises of it, if there is one.
    pub(crate) fn found_broken(&self, variable: Option<VarId>) {
        if let Some(variable) = variable {
            self.knowledge.found_broken(variable);
        }
    }

    /// Parses a formula over the names of this model, which come before operators.
    ///
    /// # Errors
    /// If the text is no formula, or a word of it has two meanings.
    pub fn parse(&self, store: &mut FormulaStore, text: &str) -> Result<FormulaId, Error> {
        parse_with(store, text, &self.symbols).map_err(|error| Error::Parse {
            text: text.to_owned(),
            error: Box::new(error),
        })
    }

    /// What the propositions of a formula mean in this model, all of which speak of states.
    ///
    /// # Errors
    /// The first proposition that means nothing here, or speaks of a step.
    pub fn atoms(
        &self,
        store: &FormulaStore,
        f: FormulaId,
    ) -> Result<Vec<(PropId, Predicate)>, Error> {
        let meaning = |p: PropId| {
            let parsed = proposition::parse(store.name(p), &self.symbols);
            let parsed = parsed.map_err(|error| wrong(store.name(p), error))?;
            Ok((p, parsed.predicate))
        };
        store.propositions(f).into_iter().map(meaning).collect()
    }

    /// What the propositions of a formula mean in this model.
    ///
    /// # Errors
    /// The first proposition that means nothing here.
    pub fn meanings(&self, store: &FormulaStore, f: FormulaId) -> Result<Meanings, Error> {
        let mut meanings = Meanings::default();
        for p in store.propositions(f) {
            let parsed = proposition::parse_atom(store.name(p), &self.symbols);
            match parsed.map_err(|error| wrong(store.name(p), error))? {
                Atom::State(parsed) => meanings.atoms.push((p, parsed.predicate)),
                Atom::Fires { groups, .. } => meanings.fires.push((p, groups)),
            }
        }
        Ok(meanings)
    }
}

fn wrong(text: &str, error: proposition::Error) -> Error {
    Error::Proposition {
        text: text.to_owned(),
        error: Box::new(error),
    }
}
