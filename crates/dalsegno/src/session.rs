//! A loaded model with its names: what all properties of a run share.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dalsegno_kripke::circuit::{Builder, Value};
use dalsegno_kripke::{Budget, GroupId, Lift, Model, Predicate, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId, parse, parse_with};
use dalsegno_models::etf::{Etf, LowerError};
use dalsegno_models::petri::coloured::{
    ColourOrigin, ColouredNet, Limits, Progress, UnfoldError, unfold,
};
use dalsegno_models::petri::invariants::{self, PlaceSum};
use dalsegno_models::petri::state_equation::StateEquation;
use dalsegno_models::petri::structure::Structure;
use dalsegno_models::petri::{PetriNet, Symbols, pnml, proposition};
use dalsegno_symbolic::merge::Merged;
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::diagrams;
use crate::loading::LoadError;

/// A proposition that the model does not know.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("in the proposition \"{text}\": {error}")]
pub struct PropositionError {
    /// The proposition.
    pub text: String,
    /// What is wrong with it.
    #[source]
    pub error: proposition::Error,
}

impl PropositionError {
    /// The message with the proposition and a caret under the place.
    #[must_use]
    pub fn render(&self) -> String {
        self.error.render(&self.text)
    }
}

/// A model, ready to be checked.
#[derive(Debug)]
pub struct Session {
    net: Option<PetriNet>,
    etf: Option<Etf>,
    model: Arc<Model>,
    symbols: Symbols,
    sums: OnceLock<Vec<PlaceSum>>,
    decider: OnceLock<Structure>,
    equation: OnceLock<Option<StateEquation>>,
    merged: OnceLock<Option<Arc<Merged>>>,
    colours: Option<Arc<ColourOrigin>>,
    broken: OnceLock<VarId>,
    /// The limits of what is looked for in the structure of the net.
    budget: Budget,
}

impl Session {
    /// A session for a net.
    #[must_use]
    pub fn new(net: PetriNet) -> Self {
        Self::within(net, &Budget::unlimited())
    }

    /// As [`Session::new`]; what is looked for in the structure of the net, then and later, ends with the
    /// budget.
    #[must_use]
    pub fn within(net: PetriNet, budget: &Budget) -> Self {
        let sums = OnceLock::new();
        let bounds = invariants::bounds_by(&net, || found(&sums, &net, budget));
        let model = Arc::new(net.to_model_with_bounds(&bounds));
        let symbols = Symbols::of_net(&net);
        Session {
            net: Some(net),
            etf: None,
            model,
            symbols,
            sums,
            decider: OnceLock::new(),
            equation: OnceLock::new(),
            merged: OnceLock::new(),
            colours: None,
            broken: OnceLock::new(),
            budget: budget.clone(),
        }
    }

    /// A session for a model that is no net.
    #[must_use]
    pub fn from_model(model: Model) -> Self {
        Session {
            net: None,
            etf: None,
            symbols: Symbols::of_model(&model),
            model: Arc::new(model),
            sums: OnceLock::new(),
            decider: OnceLock::new(),
            equation: OnceLock::new(),
            merged: OnceLock::new(),
            colours: None,
            broken: OnceLock::new(),
            budget: Budget::unlimited(),
        }
    }

    /// A session for tables of transitions.
    ///
    /// # Errors
    /// If the tables are too large for a model.
    pub fn from_etf(etf: Etf, name: &str) -> Result<Self, LowerError> {
        Self::load_etf(etf, name, &Budget::unlimited())
    }

    /// As [`Session::from_etf`], as long as the budget lasts.
    ///
    /// # Errors
    /// If the tables are too large for a model, or for the budget.
    pub fn load_etf(etf: Etf, name: &str, budget: &Budget) -> Result<Self, LowerError> {
        let mut session = Self::from_model(etf.to_model_within(name, budget)?);
        for label in etf.labels_within(budget)? {
            session.symbols.add_label(label);
        }
        session.etf = Some(etf);
        Ok(session)
    }

    /// A session for a coloured net, which is unfolded.
    ///
    /// # Errors
    /// If the unfolded net would be too large, or the budget runs out.
    pub fn of_coloured(
        net: ColouredNet,
        budget: &Budget,
        progress: impl FnMut(Progress),
    ) -> Result<Self, UnfoldError> {
        let unfolded = unfold(net, Limits::default(), budget, progress)?;
        // What follows takes seconds where the net is large.
        let check = || budget.check().map_err(UnfoldError::Stopped);
        check()?;
        let symbols = unfolded.origin.symbols(&unfolded.net);
        check()?;
        let origin = Arc::new(unfolded.origin);
        let sums = OnceLock::new();
        let bounds = invariants::bounds_by(&unfolded.net, || found(&sums, &unfolded.net, budget));
        check()?;
        let model = unfolded.net.to_model_with_bounds(&bounds);
        Ok(Session {
            model: Arc::new(model.with_bindings(Arc::clone(&origin) as Arc<_>)),
            net: Some(unfolded.net),
            etf: None,
            symbols,
            sums,
            decider: OnceLock::new(),
            equation: OnceLock::new(),
            merged: OnceLock::new(),
            colours: Some(origin),
            broken: OnceLock::new(),
            budget: budget.clone(),
        })
    }

    /// A session for a net in PNML, plain or coloured, without a limit of time.
    ///
    /// # Errors
    /// If the text is not a net, or a coloured one that is too large.
    pub fn from_pnml(bytes: &[u8]) -> Result<Self, LoadError> {
        Self::load_pnml(bytes, &Budget::unlimited(), |_| {})
    }

    /// A session for a net in PNML, plain or coloured.
    ///
    /// # Errors
    /// If the text is not a net, or a coloured one that the budget does not allow to unfold.
    pub fn load_pnml(
        bytes: &[u8],
        budget: &Budget,
        progress: impl FnMut(Progress),
    ) -> Result<Self, LoadError> {
        Ok(match pnml::parse_net_within(bytes, budget)? {
            pnml::Net::Plain(net) => Self::within(net, budget),
            pnml::Net::Coloured(net) => Self::of_coloured(net, budget, progress)?,
        })
    }

    /// Where the nodes come from, if the net was coloured.
    #[must_use]
    pub fn colours(&self) -> Option<&ColourOrigin> {
        self.colours.as_deref()
    }

    /// The variables of each place that the user gave: one, or one per colour.
    #[must_use]
    pub fn place_classes(&self) -> Vec<Range<u32>> {
        let lift = self.lift();
        let places = (0..lift.variables().len() as u32).map(VarId);
        places.map(|place| lift.variables_of(place)).collect()
    }

    /// The groups of each transition that the user gave: one, or one per binding.
    #[must_use]
    pub fn transition_classes(&self) -> Vec<Range<u32>> {
        let lift = self.lift();
        let transitions = (0..lift.originals() as u32).map(GroupId);
        // The bindings of a transition follow each other.
        transitions
            .map(|transition| match lift.groups_of(transition) {
                [] => 0..0,
                [first, .., last] => first.0..last.0 + 1,
                [one] => one.0..one.0 + 1,
            })
            .collect()
    }

    /// How states and steps of the model are those of what the user gave.
    #[must_use]
    pub fn lift(&self) -> Lift {
        if let Some(colours) = &self.colours {
            return colours.lift();
        }
        let (variables, groups) = (self.model.variables(), self.model.groups());
        Lift::identity(variables.len(), groups.len())
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

    /// Sums of places that never grow, as far as they are found quickly; looked for once. None if the
    /// model is no net.
    #[must_use]
    pub fn sums(&self) -> &[PlaceSum] {
        match &self.net {
            Some(net) => found(&self.sums, net, &self.budget),
            None => &[],
        }
    }

    /// The model with variables merged of which at most one is 1 at a time, if there are such.
    #[must_use]
    pub fn merged(&self) -> Option<&Arc<Merged>> {
        let merge = || Merged::new(&self.model, &diagrams::exclusive(self)).map(Arc::new);
        self.merged.get_or_init(merge).as_ref()
    }

    /// What the structure of the net decides, if the model is one; found out when it is asked for the
    /// first time.
    #[must_use]
    pub fn decider(&self) -> Option<&Structure> {
        let net = self.net.as_ref()?;
        let decider = || Structure::with_sums(net, self.sums().to_vec());
        Some(self.decider.get_or_init(decider))
    }

    /// The state equation of the net, if the model is one and there is time; read off when it is asked for
    /// the first time.
    #[must_use]
    pub fn state_equation(&self) -> Option<&StateEquation> {
        let (net, decider) = (self.net.as_ref()?, self.decider()?);
        let read = || StateEquation::new(net, decider, &self.budget).ok();
        self.equation.get_or_init(read).as_ref()
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

    /// Parses a formula over the names of this model, which come before operators.
    ///
    /// # Errors
    /// If the text is no formula, or a word of it has two meanings.
    pub fn parse(&self, store: &mut FormulaStore, text: &str) -> Result<FormulaId, parse::Error> {
        parse_with(store, text, &self.symbols)
    }

    /// What the propositions of a formula mean in this model.
    ///
    /// # Errors
    /// The first proposition that means nothing here.
    pub fn atoms(
        &self,
        store: &FormulaStore,
        f: FormulaId,
    ) -> Result<Vec<(PropId, Predicate)>, PropositionError> {
        let meaning = |p: PropId| {
            let text = store.name(p);
            match proposition::parse(text, &self.symbols) {
                Ok(parsed) => Ok((p, parsed.predicate)),
                Err(error) => Err(PropositionError {
                    text: text.to_owned(),
                    error,
                }),
            }
        };
        store.propositions(f).into_iter().map(meaning).collect()
    }
}

fn found<'s>(sums: &'s OnceLock<Vec<PlaceSum>>, net: &PetriNet, budget: &Budget) -> &'s [PlaceSum] {
    sums.get_or_init(|| invariants::sums_within(net, invariants::Limits::of_net(net), budget))
}

/// A formula whose tree has more parts becomes a circuit, which shares them.
const MOST_IN_TREE: u64 = 256;

/// The set of states where a Boolean formula over `atoms` holds.
///
/// # Panics
/// If the formula is not Boolean or has another atom.
pub(crate) fn predicate(
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Predicate {
    if parts_of_tree(store, f) > MOST_IN_TREE {
        return circuit(store, f, atoms);
    }
    let meanings: FxHashMap<PropId, &Predicate> = atoms.iter().map(|(p, m)| (*p, m)).collect();
    let subformulas = store.subformulas(f);
    // How often each part is still needed: the last time it moves.
    let mut uses: FxHashMap<FormulaId, u32> = FxHashMap::default();
    for child in subformulas.iter().flat_map(|&g| store.children(g)) {
        *uses.entry(child).or_default() += 1;
    }
    let mut done: FxHashMap<FormulaId, Predicate> = FxHashMap::default();
    for g in subformulas {
        let mut of = |h: &FormulaId| {
            let left = uses.entry(*h).or_default();
            *left = left.saturating_sub(1);
            let found = if *left == 0 {
                done.remove(h)
            } else {
                done.get(h).cloned()
            };
            found.expect("parts come first")
        };
        let result = match store.node(g) {
            Node::True => Predicate::True,
            Node::False => Predicate::False,
            Node::Atom(p) => {
                let found = meanings.get(&p).expect("every atom has a meaning");
                Predicate::clone(found)
            }
            Node::Not(h) => of(&h).negate(),
            Node::And(fs) => Predicate::all(fs.iter().map(&mut of)),
            Node::Or(fs) => Predicate::any(fs.iter().map(&mut of)),
            Node::Implies(l, r) => {
                let left = of(&l).negate();
                Predicate::any([left, of(&r)])
            }
            Node::Iff(l, r) => equivalent(&of(&l), &of(&r)),
            Node::Xor(l, r) => equivalent(&of(&l), &of(&r)).negate(),
            _ => panic!("only Boolean formulas are sets of states"),
        };
        done.insert(g, result);
    }
    done.remove(&f).expect("a formula is its own subformula")
}

/// The parts of a formula as a predicate that is a tree; equivalences have their operands twice.
fn parts_of_tree(store: &FormulaStore, f: FormulaId) -> u64 {
    let mut parts: FxHashMap<FormulaId, u64> = FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: FormulaId| parts[&h];
        let inner = store.children(g).map(of).fold(1, u64::saturating_add);
        let doubled = matches!(store.node(g), Node::Iff(..) | Node::Xor(..));
        parts.insert(g, inner.saturating_mul(if doubled { 2 } else { 1 }));
    }
    parts[&f]
}

/// As [`predicate`], with a gate for each part.
fn circuit(store: &FormulaStore, f: FormulaId, atoms: &[(PropId, Predicate)]) -> Predicate {
    let known: FxHashMap<PropId, &Predicate> = atoms.iter().map(|(p, m)| (*p, m)).collect();
    let mut builder = Builder::default();
    let mut done: FxHashMap<FormulaId, Value> = FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: &FormulaId| done[h];
        let value = match store.node(g) {
            Node::True => Value::Constant(true),
            Node::False => Value::Constant(false),
            Node::Atom(p) => builder.leaf(known[&p].clone()),
            Node::Not(h) => builder.not(of(&h)),
            Node::And(fs) => builder.all(fs.iter().map(of)),
            Node::Or(fs) => builder.any(fs.iter().map(of)),
            Node::Implies(l, r) => {
                let not = builder.not(of(&l));
                builder.any([not, of(&r)])
            }
            Node::Iff(l, r) => builder.iff(of(&l), of(&r)),
            Node::Xor(l, r) => {
                let same = builder.iff(of(&l), of(&r));
                builder.not(same)
            }
            _ => panic!("only Boolean formulas are sets of states"),
        };
        done.insert(g, value);
    }
    builder.finish(done[&f])
}

fn equivalent(l: &Predicate, r: &Predicate) -> Predicate {
    let both = Predicate::all([l.clone(), r.clone()]);
    let neither = Predicate::all([l.clone().negate(), r.clone().negate()]);
    Predicate::any([both, neither])
}
