//! Nets, and observers of properties, that tests and benchmarks of this crate measure.

use std::sync::Arc;

use dalsegno_automata::observer::{Kind, Observer};
use dalsegno_automata::{Automaton, TestingAutomaton, TestingError, Translation};
use dalsegno_explicit::emptiness::{Config, Emptiness, Firing, Search};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::space::Space;
use dalsegno_explicit::view::View;
use dalsegno_kripke::{Budget, DeadEnds, Model, Predicate};
use dalsegno_logic::{FormulaStore, parse};
use dalsegno_models::petri::generators::Family;
use dalsegno_models::petri::{PetriNet, Symbols, proposition};

/// A net and an LTL property, ready to be searched.
pub struct Subject {
    pub model: Arc<Model>,
    pub observer: Option<Observer>,
    pub predicates: Vec<Predicate>,
}

/// The net of a family.
pub fn net(family: Family, n: u32) -> PetriNet {
    family.generate(n).expect("the family has this net")
}

/// A property of the kanban net that holds and whose product is larger than the state space: what
/// leaves the last cell again and again does so while the cards of its cell are complete.
pub fn kanban_property(n: u32) -> String {
    format!("G F Pout1 -> G F (Pout1 & \"P1 + Pm1 + Pback1 + Pout1 = {n}\")")
}

impl Subject {
    /// The net with an automaton of the negation of an LTL property, which stutters freely if a TA is asked for.
    pub fn new(net: &PetriNet, property: &str, kind: Kind) -> Self {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, property).expect("a formula");
        let negation = store.not(f);
        let budget = Budget::unlimited();
        let mut translation = Translation::new(&mut store, negation, &budget);
        let testing = |automaton: TestingAutomaton| {
            let names = automaton.propositions().to_vec();
            (Observer::of_testing(automaton), names)
        };
        let letters = |automaton: Automaton| {
            let names = automaton.propositions().to_vec();
            (Observer::new(automaton), names)
        };
        let translated = match kind {
            Kind::Tgba => translation.tgba().map(letters).map_err(TestingError::from),
            Kind::Ba => translation.ba().map(letters).map_err(TestingError::from),
            Kind::Ta => translation.ta().map(testing),
            Kind::Tgta => translation.tgta().map(testing),
        };
        let (observer, names) = translated.expect("no limit, and a TA only if it exists");
        let symbols = Symbols::of_net(net);
        let meaning = |name: &String| {
            let parsed = proposition::parse(name, &symbols);
            parsed.expect("a proposition of the net").predicate
        };
        Subject {
            model: Arc::new(net.to_model()),
            observer: Some(observer),
            predicates: names.iter().map(meaning).collect(),
        }
    }

    /// Searches the product from scratch, firing all groups or not.
    pub fn search(&mut self, firing: Firing) -> Search {
        let mut space = Space::new(&self.model);
        let predicates = self.predicates.clone();
        let observer = self.observer.take().expect("given back below");
        let mut view = View::new(&self.model, predicates, observer, DeadEnds::Stutter);
        let mut product = Product::new(&mut space, &mut view);
        let budget = Budget::unlimited();
        let config = Config {
            firing,
            ..Config::default()
        };
        let mut search = Emptiness::new(&mut product, config);
        let ended = search.advance(&mut product, u64::MAX, &budget, |_| {});
        assert_eq!(ended, Ok(true));
        self.observer = Some(view.into_observer());
        search.result()
    }
}
