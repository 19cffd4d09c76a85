//! A loaded model with its names: what all properties of a run share.

use std::sync::OnceLock;

use dalsegno_kripke::{Model, Predicate};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};
use dalsegno_models::petri::decided::Decider;
use dalsegno_models::petri::invariants::{self, Limits, PlaceSum};
use dalsegno_models::petri::{PetriNet, Symbols, pnml, proposition};
use rustc_hash::FxHashMap;
use thiserror::Error;

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

/// A Petri net, ready to be checked.
#[derive(Debug)]
pub struct Session {
    net: PetriNet,
    model: Model,
    symbols: Symbols,
    sums: OnceLock<Vec<PlaceSum>>,
    decider: OnceLock<Decider>,
}

impl Session {
    /// A session for a net.
    #[must_use]
    pub fn new(net: PetriNet) -> Self {
        let sums = OnceLock::new();
        let bounds = invariants::bounds_by(&net, || found(&sums, &net));
        let model = net.to_model_with_bounds(&bounds);
        let symbols = Symbols::of_net(&net);
        Session {
            net,
            model,
            symbols,
            sums,
            decider: OnceLock::new(),
        }
    }

    /// A session for a net in PNML.
    ///
    /// # Errors
    /// If the text is not a place/transition net.
    pub fn from_pnml(bytes: &[u8]) -> Result<Self, pnml::Error> {
        Ok(Self::new(pnml::parse(bytes)?))
    }

    /// The net as it was read.
    #[must_use]
    pub fn net(&self) -> &PetriNet {
        &self.net
    }

    /// The model that engines see.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The names of places and transitions.
    #[must_use]
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Sums of places that never grow, as far as they are found quickly; looked for once.
    #[must_use]
    pub fn sums(&self) -> &[PlaceSum] {
        found(&self.sums, &self.net)
    }

    /// What the structure of the net decides; found out when it is asked for the first time.
    #[must_use]
    pub fn decider(&self) -> &Decider {
        self.decider.get_or_init(|| Decider::new(&self.net))
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

fn found<'s>(sums: &'s OnceLock<Vec<PlaceSum>>, net: &PetriNet) -> &'s [PlaceSum] {
    sums.get_or_init(|| invariants::sums(net, Limits::of_net(net)))
}

/// The set of states where a Boolean formula over `atoms` holds.
///
/// # Panics
/// If the formula is not Boolean or has another atom.
pub(crate) fn predicate(
    store: &FormulaStore,
    f: FormulaId,
    atoms: &[(PropId, Predicate)],
) -> Predicate {
    let mut done: FxHashMap<FormulaId, Predicate> = FxHashMap::default();
    for g in store.subformulas(f) {
        let of = |h: &FormulaId| done[h].clone();
        let result = match store.node(g) {
            Node::True => Predicate::True,
            Node::False => Predicate::False,
            Node::Atom(p) => {
                let found = atoms.iter().find(|(q, _)| *q == p);
                found.expect("every atom has a meaning").1.clone()
            }
            Node::Not(h) => of(&h).negate(),
            Node::And(fs) => Predicate::all(fs.iter().map(of)),
            Node::Or(fs) => Predicate::any(fs.iter().map(of)),
            Node::Implies(l, r) => Predicate::any([of(&l).negate(), of(&r)]),
            Node::Iff(l, r) => equivalent(&of(&l), &of(&r)),
            Node::Xor(l, r) => equivalent(&of(&l), &of(&r)).negate(),
            _ => panic!("only Boolean formulas are sets of states"),
        };
        done.insert(g, result);
    }
    done.remove(&f).expect("a formula is its own subformula")
}

fn equivalent(l: &Predicate, r: &Predicate) -> Predicate {
    let both = Predicate::all([l.clone(), r.clone()]);
    let neither = Predicate::all([l.clone().negate(), r.clone().negate()]);
    Predicate::any([both, neither])
}
