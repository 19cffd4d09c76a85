//! One state is enough: whether the initial state satisfies a formula.
//!
//! The outermost operators are taken apart before a set is computed. Boolean operators stop at the first operand
//! that decides, small ones first, also if others ran out of their budget. `EF f` asks whether some reachable state
//! satisfies `f`, so that it never needs a fixpoint; `E(f U g)` and `EG f` begin with a look at the state itself.

use dalsegno_kripke::DeadEnds;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node};

use crate::{CtlForm, Error, Evaluator, MAX_DEPTH, StateSets, ctl_form, negation};

impl<S: StateSets> Evaluator<S> {
    /// Whether the one initial state satisfies a formula.
    pub(super) fn decide(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        depth: u32,
    ) -> Result<bool, Error> {
        if let Some(set) = self.known.get(&f) {
            return Ok(self.has_initial(set));
        }
        if depth > MAX_DEPTH {
            let set = self.states(store, f)?;
            return Ok(self.has_initial(&set));
        }
        let depth = depth + 1;
        match store.node(f) {
            Node::True => Ok(true),
            Node::False => Ok(false),
            Node::Atom(p) => match self.atoms.get(&p) {
                Some(meaning) => {
                    let model = self.sets.model();
                    Ok(meaning.eval(model, &model.initial()[0]))
                }
                None => Err(Error::UnknownProposition(store.name(p).to_owned())),
            },
            Node::Not(g) => Ok(!self.decide(store, g, depth)?),
            Node::And(list) | Node::Or(list) => {
                let decisive = matches!(store.node(f), Node::Or(_));
                let list = list.to_vec();
                self.first(store, list, decisive, depth)
            }
            Node::Implies(g, h) => {
                let not_g = store.not(g);
                self.first(store, vec![not_g, h], true, depth)
            }
            Node::Iff(g, h) => Ok(self.decide(store, g, depth)? == self.decide(store, h, depth)?),
            Node::Xor(g, h) => Ok(self.decide(store, g, depth)? != self.decide(store, h, depth)?),
            Node::Forall(path) => {
                let opposite = negation(store, path);
                let exists = store.exists(opposite);
                Ok(!self.decide(store, exists, depth)?)
            }
            Node::Exists(path) => {
                let form = ctl_form(store, path);
                self.decide_exists(store, f, form, depth)
            }
            _ => Err(Error::NotState),
        }
    }

    fn decide_exists(
        &mut self,
        store: &mut FormulaStore,
        f: FormulaId,
        form: CtlForm,
        depth: u32,
    ) -> Result<bool, Error> {
        let every_state_has_a_path = self.sets.dead_ends() != DeadEnds::Ignore;
        match form {
            CtlForm::Here(g) if every_state_has_a_path => return self.decide(store, g, depth),
            CtlForm::Any(list) => return self.first(store, list, true, depth),
            CtlForm::Both(g, h) => return self.first(store, vec![g, h], false, depth),
            CtlForm::Reach(g) => return self.decide_reach(store, g, depth),
            CtlForm::Until(g, h) if every_state_has_a_path => {
                if self.decide(store, h, depth)? {
                    return Ok(true);
                }
                if !self.decide(store, g, depth)? {
                    return Ok(false);
                }
            }
            CtlForm::Globally(g) if !self.decide(store, g, depth)? => return Ok(false),
            // The successors of one state are few, and the predecessors of a set may be many.
            CtlForm::Next(g) => {
                let mut set = self.states(store, g)?;
                if !every_state_has_a_path {
                    let alive = self.sets.alive()?;
                    set = self.sets.intersection(&set, &alive)?;
                }
                let repeats = self.sets.dead_ends() == DeadEnds::Stutter;
                let moves = self.moves(&self.sets.model().initial()[0]);
                let mut steps = moves.iter().filter(|(group, _)| repeats || group.is_some());
                return Ok(steps.any(|(_, target)| self.sets.contains(&set, target)));
            }
            _ => {}
        }
        let set = self.states(store, f)?;
        Ok(self.has_initial(&set))
    }

    /// `EF g` in the one initial state: whether `g` holds in some reachable state from which a path starts.
    fn decide_reach(
        &mut self,
        store: &mut FormulaStore,
        g: FormulaId,
        depth: u32,
    ) -> Result<bool, Error> {
        if let Node::Or(list) = store.node(g) {
            let list = list.to_vec();
            let reach = list.into_iter().map(|h| {
                let path = store.finally(h);
                store.exists(path)
            });
            let reach = reach.collect();
            return self.first(store, reach, true, depth);
        }
        let total = self.sets.dead_ends() != DeadEnds::Ignore;
        if total
            && store.is(g, Fragment::BOOLEAN)
            && let Some(predicate) = self.predicate(store, g)?
        {
            return Ok(self.sets.meets(&predicate)?);
        }
        let mut set = self.states(store, g)?;
        if !total {
            let alive = self.sets.alive()?;
            set = self.sets.intersection(&set, &alive)?;
        }
        Ok(!self.sets.is_empty(&set))
    }

    /// Whether some operand, small ones first, has the decisive value; the other value if none has.
    fn first(
        &mut self,
        store: &mut FormulaStore,
        mut list: Vec<FormulaId>,
        decisive: bool,
        depth: u32,
    ) -> Result<bool, Error> {
        list.sort_by_key(|&f| (!store.is(f, Fragment::BOOLEAN), store.size(f)));
        let mut stopped = None;
        for f in list {
            match self.decide(store, f, depth) {
                Ok(value) if value == decisive => return Ok(decisive),
                Ok(_) => {}
                // Another operand may be easier and decide all the same.
                Err(Error::Stopped(stop)) => stopped = Some(stop),
                Err(error) => return Err(error),
            }
        }
        match stopped {
            Some(stop) => Err(Error::Stopped(stop)),
            None => Ok(!decisive),
        }
    }
}
