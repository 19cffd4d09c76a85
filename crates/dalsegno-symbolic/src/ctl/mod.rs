//! Sets of states for CTL and CTL*: backward fixpoints on diagrams.
//!
//! All sets are sets of reachable states. `E(f U g)` is one constrained saturation by the converse events (Zhao
//! and Ciardo, "Symbolic CTL model checking of asynchronous systems using constrained saturation", ATVA 2009):
//! from the states of `g` backwards, every step ending in a state of `f`. `EX` is one preimage under all events.
//! For `EG` see `globally.rs`, for path formulas `fair.rs`.
//!
//! Dead ends: `E(f U g)` and `EG` are the same whether a dead end repeats itself or ends its path; only `EX`
//! differs. If finite paths do not count, everything happens among the states from which an infinite path starts.

mod fair;
mod globally;

use dalsegno_automata::Automaton;
use dalsegno_branching::StateSets;
use dalsegno_kripke::{DeadEnds, Model, Predicate, Stop};
use dalsegno_mdd::{Events, Relation, Set};

use crate::reach::StateSpace;

/// The reachable states of a model, and fixpoints among them.
#[derive(Debug)]
pub struct Backward<'s> {
    space: &'s mut StateSpace,
    steps: Steps,
}

/// Steps back among the states of a space, and sets that formulas have in common: what the next look at the same space
/// need not compute again.
#[derive(Debug)]
pub struct Steps {
    dead_ends: DeadEnds,
    /// The converse of every group's relation.
    events: Events,
    /// Whether some group leads from every state to itself.
    idle: bool,
    /// The states that nothing leaves, once asked for.
    dead: Option<Set>,
    /// The states from which an infinite path starts, once asked for.
    infinite: Option<Set>,
    /// The states from which the initial state can be reached again, once asked for.
    home: Option<Set>,
}

impl<'s> Backward<'s> {
    /// Fixpoints among the reachable states of a model.
    pub fn new(space: &'s mut StateSpace, dead_ends: DeadEnds) -> Self {
        let relations = space.encoding().relations().to_vec();
        let manager = space.encoding().manager();
        let converse: Vec<Relation> = relations.iter().map(|&r| manager.inverse(r)).collect();
        let events = manager.events(&converse);
        let steps = Steps {
            idle: converse.contains(&Relation::IDENTITY),
            dead_ends,
            events,
            dead: None,
            infinite: None,
            home: None,
        };
        Backward { space, steps }
    }

    /// Fixpoints among the reachable states of a model whose steps are known.
    pub fn with(space: &'s mut StateSpace, steps: Steps) -> Self {
        Backward { space, steps }
    }

    /// The steps.
    #[must_use]
    pub fn into_steps(self) -> Steps {
        self.steps
    }

    /// The space.
    pub fn space(&mut self) -> &mut StateSpace {
        self.space
    }

    fn told<T>(&mut self, result: Result<T, dalsegno_mdd::Stop>) -> Result<T, Stop> {
        result.map_err(|stop| self.space.encoding().stop(stop))
    }

    fn manager(&mut self) -> &mut dalsegno_mdd::Manager {
        self.space.encoding().manager()
    }

    /// The states that nothing leaves.
    fn dead(&mut self) -> Result<Set, Stop> {
        if self.steps.dead.is_none() {
            self.steps.dead = Some(self.space.select(&Predicate::DeadEnd)?);
        }
        Ok(self.steps.dead.clone().expect("just computed"))
    }

    /// The states of `within` that a step of the model takes into a set.
    fn before(&mut self, set: &Set, within: &Set) -> Result<Set, Stop> {
        if set.is_empty() || within.is_empty() {
            return Ok(self.manager().empty());
        }
        let events = self.steps.events.clone();
        let stepped = self.manager().step_within(set, &events, within);
        let stepped = self.told(stepped)?;
        if !self.steps.idle {
            return Ok(stepped);
        }
        let same = self.manager().intersection(set, within);
        let same = self.told(same)?;
        let both = self.manager().union(&stepped, &same);
        self.told(both)
    }

    /// The set of states within `within` with a path's next state in a set; a path is what dead ends allow.
    fn next_within(&mut self, set: &Set, within: &Set) -> Result<Set, Stop> {
        let found = self.before(set, within)?;
        if self.steps.dead_ends != DeadEnds::Stutter {
            return Ok(found);
        }
        let dead = self.dead()?;
        let repeated = self.manager().intersection(set, &dead);
        let repeated = self.told(repeated)?;
        let repeated = self.manager().intersection(&repeated, within);
        let repeated = self.told(repeated)?;
        let both = self.manager().union(&found, &repeated);
        self.told(both)
    }

    /// The states of a set from which a path starts.
    fn living(&mut self, set: &Set) -> Result<Set, Stop> {
        if self.steps.dead_ends != DeadEnds::Ignore {
            return Ok(set.clone());
        }
        let alive = self.alive()?;
        self.intersection(set, &alive)
    }

    /// The states that lead to a set by steps that end, backwards, in `hold`; the set included.
    fn backwards(&mut self, goal: &Set, hold: &Set) -> Result<Set, Stop> {
        if goal.is_empty() || hold.is_empty() {
            return Ok(goal.clone());
        }
        let events = self.steps.events.clone();
        let found = self.manager().constrained(goal, &events, hold);
        self.told(found)
    }

    /// The states from which the one initial state can be reached.
    fn home(&mut self) -> Result<Set, Stop> {
        if self.steps.home.is_none() {
            let initial = self.space.encoding().initial()?;
            let all = self.all();
            self.steps.home = Some(self.backwards(&initial, &all)?);
        }
        Ok(self.steps.home.clone().expect("just computed"))
    }
}

impl StateSets for Backward<'_> {
    type Set = Set;

    fn dead_ends(&self) -> DeadEnds {
        self.steps.dead_ends
    }

    fn all(&mut self) -> Set {
        self.space.reachable().clone()
    }

    fn select(&mut self, predicate: &Predicate) -> Result<Set, Stop> {
        match predicate {
            Predicate::DeadEnd => self.dead(),
            Predicate::True => Ok(self.all()),
            Predicate::False => Ok(self.manager().empty()),
            _ => self.space.select(predicate),
        }
    }

    fn meets(&mut self, predicate: &Predicate) -> Result<bool, Stop> {
        Ok(self.space.find(predicate)?.is_some())
    }

    fn complement(&mut self, set: &Set) -> Result<Set, Stop> {
        let all = self.all();
        let rest = self.manager().difference(&all, set);
        self.told(rest)
    }

    fn union(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let united = self.manager().union(a, b);
        self.told(united)
    }

    fn intersection(&mut self, a: &Set, b: &Set) -> Result<Set, Stop> {
        let common = self.manager().intersection(a, b);
        self.told(common)
    }

    fn is_empty(&self, set: &Set) -> bool {
        set.is_empty()
    }

    fn contains(&self, set: &Set, state: &[u32]) -> bool {
        self.space.contains(set, state)
    }

    fn count(&mut self, set: &Set) -> Result<String, Stop> {
        let counted = self.manager().count(set);
        Ok(self.told(counted)?.to_string())
    }

    fn sample(&mut self, set: &Set, most: usize) -> Vec<Vec<u32>> {
        let encoding = self.space.encoding();
        let vectors: Vec<Vec<u32>> = encoding.manager().vectors(set).take(most).collect();
        let state = |vector: &Vec<u32>| encoding.state(vector);
        vectors.iter().map(state).collect()
    }

    fn grant(&mut self, steps: u64) {
        self.manager().refuel(steps);
    }

    fn model(&self) -> &Model {
        self.space.model()
    }

    fn alive(&mut self) -> Result<Set, Stop> {
        if self.steps.dead_ends != DeadEnds::Ignore {
            return Ok(self.all());
        }
        if self.steps.infinite.is_none() {
            let all = self.all();
            self.steps.infinite = Some(self.cycling(&all)?);
        }
        Ok(self.steps.infinite.clone().expect("just computed"))
    }

    fn next(&mut self, set: &Set) -> Result<Set, Stop> {
        let living = self.living(set)?;
        let all = self.all();
        self.next_within(&living, &all)
    }

    fn until(&mut self, hold: &Set, goal: &Set) -> Result<Set, Stop> {
        let living = self.living(goal)?;
        self.backwards(&living, hold)
    }

    fn reaching(&mut self, goal: &Set) -> Result<Set, Stop> {
        let mut living = self.living(goal)?;
        let all = self.all();
        if living.is_empty() || living == all {
            return Ok(living);
        }
        // What leads back to the initial state leads to any reachable state, and where everything does
        // nothing is left to be computed. One such fixpoint serves all formulas.
        if self.model().initial().len() == 1 {
            let home = self.home()?;
            living = self.union(&living, &home)?;
        }
        self.backwards(&living, &all)
    }

    fn globally(&mut self, set: &Set) -> Result<Set, Stop> {
        if self.steps.dead_ends != DeadEnds::Ignore && *set == self.all() {
            return Ok(set.clone());
        }
        match self.steps.dead_ends {
            DeadEnds::Ignore => {
                let living = self.living(set)?;
                self.cycling(&living)
            }
            DeadEnds::Stutter | DeadEnds::Finite => self.maximal(set),
        }
    }

    fn fair(&mut self, automaton: &Automaton, propositions: &[Set]) -> Result<Vec<Set>, Stop> {
        self.accepted(automaton, propositions)
    }
}
