//! Walks beside the sweep and the diagrams: when they have their turn, and what they tell.
//!
//! They come before the diagrams for a small share of the time, while they find something: what they find need not be found there. Where
//! the diagrams give up, the rest of the time is shared between the walks and the sweep.

use std::ops::Range;
use std::time::{Duration, Instant};

use dalsegno_explicit::space::Error;
use dalsegno_explicit::walk::Walk;
use dalsegno_kripke::{Budget, GroupId, Predicate, VarId};

use crate::session::Session;

/// The share of the time for walks before diagrams are built, in percent.
const FIRST_SHARE: u32 = 10;

/// The shortest turn, so that rounds of walks are not cut short all the time.
const SHORT_TURN: Duration = Duration::from_millis(200);

/// Cycles of rounds that the first turn has in any case.
const FEW_CYCLES: u32 = 4;

/// Cycles of rounds in a turn if the time is not limited.
const CYCLES: u32 = 16;

/// What walks look for: goals, and sums of places with the most that each of them can be.
#[derive(Default)]
pub(super) struct Sought {
    pub(super) goals: Vec<Predicate>,
    pub(super) sums: Vec<(Vec<VarId>, u64)>,
}

/// Walks of a session.
#[derive(Default)]
pub(super) struct Walks {
    walk: Option<Walk>,
    last: Option<Instant>,
}

impl Walks {
    /// Lets the walks have their turn after one of the sweep: a first one before the diagrams, for what is
    /// sought then; later as long as others had theirs since; all the time that is left if the sweep cannot go on.
    pub(super) fn follow(
        &mut self,
        session: &Session,
        sweep: &Result<bool, Error>,
        before_diagrams: bool,
        sought: impl FnOnce() -> Sought,
        budget: &Budget,
    ) {
        let left = budget.time_left();
        match sweep {
            Ok(true) => {}
            Ok(false) if before_diagrams => {
                let Sought { goals, sums } = sought();
                self.walk = Walk::new(session.model(), goals, sums, 1);
                self.first_turn(left.map(|left| left * FIRST_SHARE / 100), budget);
            }
            Ok(false) => {
                let passed = self.last.map_or(Duration::ZERO, |last| last.elapsed());
                if passed >= SHORT_TURN {
                    self.turn(Some(passed), budget);
                }
            }
            Err(_) => self.turn(left, budget),
        }
    }

    /// Walks while they find something: not longer than the share, and not after they have found nothing for half
    /// of the time so far. The diagrams may know the rest at once.
    fn first_turn(&mut self, share: Option<Duration>, budget: &Budget) {
        let started = Instant::now();
        let mut found = started;
        let mut open = usize::MAX;
        for cycle in 0.. {
            let passed = started.elapsed();
            let Some(walk) = &mut self.walk else {
                break;
            };
            if walk.open() < open {
                (open, found) = (walk.open(), Instant::now());
            }
            let quiet = found.elapsed();
            let left = share.map(|share| share.saturating_sub(passed));
            if open == 0
                || left == Some(Duration::ZERO)
                || cycle >= FEW_CYCLES && quiet >= SHORT_TURN && 2 * quiet >= passed
            {
                break;
            }
            let part = budget.clone();
            let part = left.map_or(part.clone(), |left| part.with_time(left));
            if walk.advance(1, &part).is_err() {
                break;
            }
        }
        self.last = Some(Instant::now());
    }

    fn turn(&mut self, time: Option<Duration>, budget: &Budget) {
        if let Some(walk) = &mut self.walk {
            let left = budget.time_left();
            // Why the turn ends does not matter: the time of all others is watched by themselves.
            let _ = match (time, left) {
                (Some(time), Some(left)) => {
                    walk.advance(u32::MAX, &budget.clone().with_time(time.min(left)))
                }
                _ => walk.advance(CYCLES, budget),
            };
        }
        self.last = Some(Instant::now());
    }

    /// Whether a goal was reached, or that it cannot be, if that is known.
    pub(super) fn reached(&self, goal: usize) -> Option<bool> {
        let walk = self.walk.as_ref()?;
        if walk.reached()[goal] {
            return Some(true);
        }
        walk.is_unreachable(goal).then_some(false)
    }

    /// The largest value seen of a sum, and whether it is known to be the largest of all.
    pub(super) fn largest(&self, sum: usize) -> (u64, bool) {
        let Some(walk) = &self.walk else {
            return (0, false);
        };
        (walk.largest()[sum], walk.is_largest(sum))
    }

    /// A goal that is known from elsewhere is no longer looked for.
    pub(super) fn drop_goal(&mut self, goal: usize) {
        if let Some(walk) = &mut self.walk {
            walk.drop_goal(goal);
        }
    }

    /// Whether all goals were reached, or that one of them cannot be, if that is known.
    pub(super) fn reached_all(&self) -> Option<bool> {
        let goals = self.walk.as_ref()?.reached().len();
        let mut all = Some(true);
        for goal in 0..goals {
            match self.reached(goal) {
                Some(false) => return Some(false),
                None => all = None,
                Some(true) => {}
            }
        }
        all
    }
}

/// For an examination that asks something of every transition or every place: the sets of transitions each of
/// which must have one that fires. Those of which the sweep has seen one fire are left out.
pub(super) fn sets_to_fire(session: &Session, examination: &str, fired: &[bool]) -> Vec<Predicate> {
    let sets: Vec<Vec<GroupId>> = match examination {
        "QuasiLiveness" | "Liveness" => {
            let groups = |class: Range<u32>| class.map(GroupId).collect();
            session
                .transition_classes()
                .into_iter()
                .map(groups)
                .collect()
        }
        "StableMarking" => changers(session),
        _ => Vec::new(),
    };
    let seen = |set: &Vec<GroupId>| set.iter().any(|g| fired[g.index()]);
    let open = sets.into_iter().filter(|set| !seen(set));
    open.map(Predicate::Enabled).collect()
}

/// For each place, in all colours together, the transitions that change its number of tokens.
pub(super) fn changers(session: &Session) -> Vec<Vec<GroupId>> {
    let model = session.model();
    let classes = session.place_classes();
    let mut class_of = vec![0; model.variables().len()];
    for (class, variables) in classes.iter().enumerate() {
        for v in variables.clone() {
            class_of[v as usize] = class;
        }
    }
    let mut changers = vec![Vec::new(); classes.len()];
    let mut effect: Vec<(usize, i64)> = Vec::new();
    for (group, id) in model.groups().iter().zip(model.group_ids()) {
        let Some(linear) = group.as_linear() else {
            continue;
        };
        effect.clear();
        let delta = linear.delta().iter();
        effect.extend(delta.map(|&(v, n)| (class_of[v.index()], n)));
        effect.sort_unstable();
        for of_class in effect.chunk_by(|a, b| a.0 == b.0) {
            if of_class.iter().map(|(_, n)| n).sum::<i64>() != 0 {
                changers[of_class[0].0].push(id);
            }
        }
    }
    changers
}
