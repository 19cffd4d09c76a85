//! Emptiness of a product by floods: exploration, then OWCTY, then a run.
//!
//! The whole product is explored before anything is known, unless the observer can come to a state in which it accepts
//! whatever comes next: a search with a limit that goes depth first should come before. For a TA there are two passes:
//! cycles with the mark, and stuttering for ever in livelock states. Automata that are weak need no marks, and of those
//! that are terminal nothing is left after the exploration.
//!
//! With stubborn sets (`docs/stubborn.md`) each worker fires at its nodes those that need no release: they are a function of the
//! node, computed anew and alike in every phase, so all phases see the same product for any number of workers.
//!
//! Nothing but numbers is kept of edges, so that a node takes a fraction of what a depth-first search keeps of it.

use std::sync::Arc;

use dalsegno_automata::Marks;
use dalsegno_kripke::{Budget, Fault, Model, Run, Step, Stop};

use super::explore::most_states;
use super::lasso;
use super::owcty::{Sieve, Sieved, sieve};
use super::product::Exploration;
use super::report::{Agreed, agree, widen};
use super::shard::{Shard, Usable};
use super::{Crew, Lost, sums};
use crate::moves::Moves;
use crate::search::Explored;
use crate::states::StateSet;
use crate::steps::Steps;
use crate::stubborn::choice::Stubborn;
use crate::stubborn::relations::Relations;
use crate::stubborn::sample;

/// What was found; the same for all workers, and for any number of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The observer accepts no run.
    Empty,
    /// It accepts this one.
    Accepted(Run),
    /// It accepts whatever comes after the last state, which has no step.
    Prefix(Vec<Step>),
    /// A budget ran out first.
    Unknown(Stop),
    /// The model cannot take a step.
    Fault(Fault),
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// What was found.
    pub verdict: Verdict,
    /// Nodes and transitions of all workers; the passes are floods over the whole product.
    pub explored: Explored,
    /// The bytes of the tables of all workers.
    pub bytes: u64,
    /// The variable whose field was widened last.
    pub growing: Option<usize>,
}

/// How to look for a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// Whether a path after which the observer accepts whatever comes next is enough; dead ends must repeat themselves then.
    pub prefixes: bool,
    /// Whether only the groups of stubborn sets are fired.
    pub stubborn: When,
}

/// When something is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum When {
    /// Never.
    #[default]
    Never,
    /// Where a sample says that it pays.
    Paying,
    /// Always, for tests.
    Always,
}

/// Decides whether the observer accepts a run of the model, with all workers. The number of states of the budget is that of
/// all workers, its bytes are those of one.
///
/// # Errors
/// If a worker is lost.
pub fn check<C: Crew>(
    crew: &mut C,
    model: &Arc<Model>,
    moves: &Moves,
    config: Config,
    budget: &Budget,
) -> Result<Checked, Lost> {
    let mut moves = moves.clone();
    // Nothing is released here, so sets that need it are of no use.
    moves.observer = moves.observer.step_by_step();
    let pays = match config.stubborn {
        When::Never => false,
        When::Paying => sample::pays(model, &moves, budget),
        When::Always => true,
    };
    // Somebody may have run out of time.
    let all_agree = sums(crew, &[u64::from(!pays)])?[0] == 0;
    let stubborn = all_agree.then(|| {
        let relations = Arc::new(Relations::new(model));
        Box::new(Stubborn::new(model, &relations, &moves.labelling, None))
    });
    let mut check = Check {
        crew,
        stubborn,
        steps: Steps::new(model),
        budget: budget.clone(),
        explored: Explored::default(),
        states: 0,
        bytes: 0,
        widenings: 0,
        growing: None,
    };
    let most = most_states(budget.states(), check.crew.peers());
    check.budget = check.budget.with_states(most);
    let verdict = check.verdict(&moves, config.prefixes, budget)?;
    Ok(Checked {
        verdict,
        explored: check.explored,
        bytes: check.bytes,
        growing: check.growing,
    })
}

struct Check<'a, C> {
    crew: &'a mut C,
    stubborn: Option<Box<Stubborn>>,
    steps: Steps,
    /// That of one worker.
    budget: Budget,
    explored: Explored,
    /// States of the model.
    states: u64,
    bytes: u64,
    widenings: u32,
    growing: Option<usize>,
}

impl<C: Crew> Check<'_, C> {
    fn shard(&self, moves: &Moves) -> Shard {
        let (index, peers) = (self.crew.index(), self.crew.peers());
        let steps = self.steps.clone();
        let shard = Shard::new(steps, moves.clone(), index, peers, self.budget.clone());
        shard.firing(self.stubborn.clone())
    }

    fn verdict(&mut self, moves: &Moves, prefixes: bool, whole: &Budget) -> Result<Verdict, Lost> {
        let ends_early = prefixes && moves.observer.clone().has_universal();
        let shard = loop {
            let exploration = Exploration::new(self.shard(moves), ends_early);
            let mut shard = self.crew.flood(exploration)?.shard;
            let end = shard.end.clone();
            let agreed = agree(self.crew, end.as_ref(), &mut shard.steps)?;
            self.count(&shard)?;
            match agreed {
                None => break shard,
                Some(Agreed::Found) => {
                    drop(shard);
                    return self.prefix(moves);
                }
                Some(agreed) => {
                    if let Some(verdict) = self.goes_wrong(agreed) {
                        return Ok(verdict);
                    }
                }
            }
        };
        if let Err(stop) = whole.check_states(self.states) {
            return Ok(Verdict::Unknown(stop));
        }
        self.cycles(shard)
    }

    /// Looks for accepting cycles in an explored product.
    fn cycles(&mut self, mut shard: Shard) -> Result<Verdict, Lost> {
        let n = shard.nodes.len();
        let ta = shard.moves.is_ta();
        let all = shard.moves.observer.all_marks();
        let mut marks: Vec<Marks> = all.iter().map(|i| Marks(1 << i)).collect();
        let mut alive = StateSet::all(n);
        if let Some(acceptance) = shard.moves.observer.acceptance() {
            // Where a TA stutters it gets no mark, and its edges do not tell.
            if acceptance.weak && !ta {
                marks.clear();
            }
            alive = StateSet::none(n);
            for (number, node) in (0..).zip(&shard.nodes) {
                if acceptance.may_accept[node.q.index()] {
                    alive.insert(number);
                }
            }
        }
        if !ta || !marks.is_empty() {
            let sieve = Sieve::new(shard, alive, Usable::All);
            shard = match self.pass(sieve, &marks)? {
                Ok(shard) => shard,
                Err(verdict) => return Ok(verdict),
            };
        }
        if ta {
            let mut alive = StateSet::none(n);
            for number in 0..n as u32 {
                let q = shard.nodes[number as usize].q;
                if shard.moves.observer.is_livelock(q) {
                    alive.insert(number);
                }
            }
            let sieve = Sieve::new(shard, alive, Usable::Stuttering);
            if let Err(verdict) = self.pass(sieve, &[])? {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Empty)
    }

    /// Looks for cycles with these marks: the shard again if there are none.
    fn pass(&mut self, begun: Sieve, marks: &[Marks]) -> Result<Result<Shard, Verdict>, Lost> {
        self.explored.passes += 1;
        let left = match sieve(self.crew, begun, marks)? {
            Sieved::Empty(sieve) => return Ok(Ok(sieve.shard)),
            Sieved::Ended(agreed) => return Ok(Err(Self::ended(&agreed))),
            Sieved::Left(sieve) => sieve,
        };
        let run = lasso::run(self.crew, left, marks)?;
        Ok(Err(match run {
            Ok(run) => Verdict::Accepted(run),
            Err(agreed) => Self::ended(&agreed),
        }))
    }

    /// A shortest path to a universal state, which is known to be there.
    fn prefix(&mut self, moves: &Moves) -> Result<Verdict, Lost> {
        loop {
            let shard = self.shard(moves);
            match lasso::prefix(self.crew, shard)? {
                Ok(path) => return Ok(Verdict::Prefix(path)),
                Err((agreed, _)) => {
                    if let Some(verdict) = self.goes_wrong(agreed) {
                        return Ok(verdict);
                    }
                }
            }
        }
    }

    /// What is said when somebody could not go on; fields that are too narrow are widened, and nothing is said.
    fn goes_wrong(&mut self, agreed: Agreed) -> Option<Verdict> {
        let Agreed::Outgrown(outgrown) = agreed else {
            return Some(Self::ended(&agreed));
        };
        let states = self.states;
        match widen(&self.steps, &outgrown, self.widenings, states) {
            Ok(steps) => {
                self.steps = steps;
                self.widenings += 1;
                self.growing = outgrown.last().map(|&(variable, _)| variable);
                None
            }
            Err(fault) => Some(Verdict::Fault(fault)),
        }
    }

    fn ended(agreed: &Agreed) -> Verdict {
        match agreed {
            Agreed::Stop(stop) => Verdict::Unknown(*stop),
            Agreed::Fault(fault) => Verdict::Fault(*fault),
            Agreed::Found | Agreed::Outgrown(_) => {
                unreachable!("nothing is new after the exploration")
            }
        }
    }

    /// Keeps what an exploration has looked at.
    fn count(&mut self, shard: &Shard) -> Result<(), Lost> {
        let nodes = shard.nodes.len() as u64;
        let (enabled, fired) = shard
            .stubborn
            .as_ref()
            .map_or((0, 0), |s| (s.enabled, s.fired));
        let [transitions, bytes, states] = [shard.transitions, shard.bytes(), shard.states()];
        let all = sums(
            self.crew,
            &[nodes, transitions, bytes, states, enabled, fired],
        )?;
        self.explored = Explored {
            states: all[0],
            transitions: all[1],
            passes: 1,
            enabled: all[4],
            fired: all[5],
        };
        self.bytes = self.bytes.max(all[2]);
        self.states = all[3];
        Ok(())
    }
}
