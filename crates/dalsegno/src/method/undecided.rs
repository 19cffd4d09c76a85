//! What must be known next: the states on whose successors the value of an undecided formula depends.
//!
//! From the initial states down through the formula: an operand is asked for where the formula is undecided, a
//! fixpoint also in the undecided states that follow. Where the graph ends, its states are asked for. If the
//! graph has an end that matters, some state is; expanding all of them again and again decides every formula of
//! CTL whose states are finitely many; but where only infinite paths count, it is not asked whether a path can go
//! on for ever. This is local model checking (Vergauwen and Lewi, "A linear local model
//! checking algorithm for CTL", CONCUR 1993), a layer of the graph at a time. Cost: linear in graph times formula.

use dalsegno_branching::{CtlForm, Evaluator, ctl_form, negation};
use dalsegno_explicit::graph::{Graph, Vertex};
use dalsegno_explicit::partial_graph::{Aim, Towards};
use dalsegno_explicit::states::StateSet;
use dalsegno_explicit::three_valued::{Bounds, ThreeValuedSets};
use dalsegno_kripke::Predicate;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node};
use rustc_hash::FxHashMap;

/// Collects the states that are asked for by a formula that has been evaluated and is undecided.
pub(super) fn undecided(
    evaluator: &Evaluator<ThreeValuedSets<'_>>,
    store: &mut FormulaStore,
    f: FormulaId,
) -> Vec<Aim> {
    let graph = evaluator.sets.graph();
    let mut asked = Asked {
        evaluator,
        graph,
        seen: FxHashMap::default(),
        open: Vec::new(),
        aims: Vec::new(),
    };
    let space = evaluator.sets.space();
    let mut states = StateSet::none(graph.len());
    for values in space.model().initial() {
        if let Some(vertex) = graph.find(space, values) {
            states.insert(vertex);
        }
    }
    asked.ask(f, &states);
    while let Some((f, states)) = asked.open.pop() {
        asked.follow(store, f, &states);
    }
    asked.aims
}

struct Asked<'e, 'g> {
    evaluator: &'e Evaluator<ThreeValuedSets<'g>>,
    graph: &'g Graph,
    /// Where each formula has been asked for.
    seen: FxHashMap<FormulaId, StateSet>,
    open: Vec<(FormulaId, StateSet)>,
    aims: Vec<Aim>,
}

impl Asked<'_, '_> {
    /// Asks for a formula in those states where it is undecided and has not been asked for.
    fn ask(&mut self, f: FormulaId, states: &StateSet) {
        let Some(bounds) = self.evaluator.known(f) else {
            return;
        };
        let none = || StateSet::none(self.graph.len());
        let seen = self.seen.entry(f).or_insert_with(none);
        let mut new = none();
        for s in states.iter() {
            if bounds.value(s).is_none() && seen.insert(s) {
                new.insert(s);
            }
        }
        if !new.is_empty() {
            self.open.push((f, new));
        }
    }

    fn follow(&mut self, store: &mut FormulaStore, f: FormulaId, states: &StateSet) {
        let path = match store.node(f) {
            Node::Exists(path) => path,
            Node::Forall(path) => {
                let opposite = negation(store, path);
                let exists = store.exists(opposite);
                return self.ask(exists, states);
            }
            _ => {
                for g in store.children(f).collect::<Vec<_>>() {
                    self.ask(g, states);
                }
                return;
            }
        };
        match ctl_form(store, path) {
            CtlForm::Here(g) => self.ask(g, states),
            CtlForm::Any(list) => {
                for g in list {
                    self.ask(g, states);
                }
            }
            CtlForm::Both(g, h) => {
                self.ask(g, states);
                self.ask(h, states);
            }
            CtlForm::Next(g) => {
                let mut after = StateSet::none(self.graph.len());
                for s in states.iter() {
                    for &t in self.graph.successors(s) {
                        after.insert(t);
                    }
                }
                self.ask(g, &after);
                self.aim(states, Predicate::True, Towards::Anything);
            }
            CtlForm::Reach(goal) => {
                let on = self.undecided_after(f, states);
                self.ask(goal, &on);
                self.aim(&on, Predicate::True, self.hint(store, goal));
            }
            CtlForm::Until(hold, goal) => {
                let on = self.undecided_after(f, states);
                self.ask(goal, &on);
                self.ask(hold, &on);
                let goal = self.hint(store, goal);
                self.aim(&on, self.predicate(store, hold), goal);
            }
            CtlForm::Globally(hold) => {
                let on = self.undecided_after(f, states);
                self.ask(hold, &on);
                self.aim(&on, self.predicate(store, hold), Towards::Cycle);
            }
            // Undecided until all is known.
            CtlForm::Automaton(_) => {}
        }
    }

    /// The states in which a formula is undecided that follow these through such states, and these.
    fn undecided_after(&mut self, f: FormulaId, states: &StateSet) -> StateSet {
        let bounds: &Bounds = self.evaluator.known(f).expect("it has been asked for");
        let mut found = states.clone();
        let mut open: Vec<Vertex> = found.iter().collect();
        while let Some(s) = open.pop() {
            for &t in self.graph.successors(s) {
                if bounds.value(t).is_none() && found.insert(t) {
                    open.push(t);
                }
            }
        }
        if let Some(seen) = self.seen.get_mut(&f) {
            seen.unite(&found);
        }
        found
    }

    /// A formula as a predicate, where it is one.
    fn predicate(&self, store: &FormulaStore, f: FormulaId) -> Predicate {
        if !store.is(f, Fragment::BOOLEAN) {
            return Predicate::True;
        }
        let predicate = self.evaluator.predicate(store, f);
        predicate.ok().flatten().unwrap_or(Predicate::True)
    }

    /// Towards the states where a formula may hold.
    fn hint(&self, store: &FormulaStore, f: FormulaId) -> Towards {
        let goal = self.boolean_part(store, f);
        goal.map_or(Towards::Anything, Towards::Goal)
    }

    /// Where a formula may hold, as far as its Boolean parts tell: what no part tells is left out.
    fn boolean_part(&self, store: &FormulaStore, f: FormulaId) -> Option<Predicate> {
        if store.is(f, Fragment::BOOLEAN) {
            return self.evaluator.predicate(store, f).ok().flatten();
        }
        let hints = |fs: &[FormulaId]| -> Option<Vec<Predicate>> {
            let hints = fs.iter().filter_map(|&g| self.boolean_part(store, g));
            Some(hints.collect()).filter(|hints: &Vec<Predicate>| !hints.is_empty())
        };
        match store.node(f) {
            Node::And(fs) => hints(fs).map(Predicate::all),
            Node::Or(fs) => hints(fs).map(Predicate::any),
            _ => None,
        }
    }

    fn aim(&mut self, states: &StateSet, hold: Predicate, towards: Towards) {
        let unseen = |&s: &Vertex| !self.graph.is_expanded(s);
        let states: Vec<Vertex> = states.iter().filter(unseen).collect();
        if !states.is_empty() {
            self.aims.push(Aim {
                states,
                hold,
                towards,
            });
        }
    }
}
