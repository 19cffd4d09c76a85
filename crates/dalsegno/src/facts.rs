//! Facts about reachable states, and what follows from them.
//!
//! Questions about reachability, bounds and whole nets are all asked as goals, which are sets of states that
//! are reachable or not, and as sums of places, of which values are seen and bounds are proved. A method
//! contributes facts and need not know what they are good for; the first facts that decide a question answer
//! it. Questions that ask for the same goal share it.

use dalsegno_kripke::{Compare, GroupId, Predicate, Relation, VarId};
use rustc_hash::FxHashMap;

use crate::answer::Value;
use crate::error::Error;
use crate::problem::Problem;
use crate::question::{Global, Question};

/// What is known of goals and sums.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    goals: Vec<Goal>,
    ids: FxHashMap<Predicate, usize>,
    sums: Vec<Sum>,
    /// What each question needs, by its number.
    needs: FxHashMap<usize, Needs>,
}

#[derive(Debug)]
struct Goal {
    predicate: Predicate,
    reachable: Option<bool>,
    /// The questions that need it.
    users: Vec<usize>,
}

/// A sum of places whose largest value is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    /// The places.
    pub(crate) places: Vec<VarId>,
    /// The largest value that was seen.
    pub(crate) seen: u64,
    /// A value that is never exceeded, if one is proved.
    pub(crate) most: Option<u64>,
    user: usize,
}

#[derive(Debug)]
struct Needs {
    rule: Rule,
    /// How many of its goals are open, and whether one is known not to be reachable.
    open: usize,
    never: bool,
    /// A goal that decides alone if it is reached.
    alone: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    /// One goal: the answer if it is reached; otherwise the opposite.
    One(bool),
    /// The answers if all goals are reachable, if that tells, and if one is not.
    All(Option<bool>, bool),
    /// A sum.
    Largest,
}

impl Facts {
    /// Takes a question up; its answer, if that is known at once.
    ///
    /// # Errors
    /// If the numbers of the question are too large.
    pub(crate) fn ask(
        &mut self,
        number: usize,
        problem: &Problem,
        question: &Question,
    ) -> Result<Option<Value>, Error> {
        match question {
            Question::Reach(reach) => {
                let goals = vec![reach.goal.clone()];
                self.need(number, Rule::One(reach.if_reached), goals, None);
            }
            Question::Bound(places) => {
                let most = problem.structure().and_then(|s| s.bound(places));
                self.sums.push(Sum {
                    places: places.clone(),
                    seen: 0,
                    most,
                    user: number,
                });
                self.need(number, Rule::Largest, Vec::new(), None);
            }
            Question::Global(global) => self.global(number, problem, *global)?,
            Question::Linear(_)
            | Question::Automaton(_)
            | Question::Branching(_)
            | Question::Survey => {}
        }
        Ok(self.conclude(number))
    }

    fn global(&mut self, number: usize, problem: &Problem, global: Global) -> Result<(), Error> {
        let (rule, goals, alone) = match global {
            Global::Deadlock => (Rule::One(true), vec![Predicate::DeadEnd], None),
            Global::OneSafe => (Rule::One(false), vec![two_tokens(problem)?], None),
            Global::StableMarking => (Rule::All(Some(false), true), changes(problem), None),
            Global::QuasiLiveness => (Rule::All(Some(true), false), firings(problem), None),
            Global::Liveness => {
                let goals = firings(problem);
                // What is dead is not live.
                let dead = (!goals.is_empty()).then_some(Predicate::DeadEnd);
                (Rule::All(None, false), goals, dead)
            }
        };
        self.need(number, rule, goals, alone);
        Ok(())
    }

    fn need(&mut self, number: usize, rule: Rule, goals: Vec<Predicate>, alone: Option<Predicate>) {
        let alone = alone.map(|goal| self.goal(goal, number));
        let mut needs = Needs {
            rule,
            open: 0,
            never: false,
            alone,
        };
        for goal in goals {
            let id = self.goal(goal, number);
            match self.goals[id].reachable {
                Some(true) => {}
                Some(false) => needs.never = true,
                None => needs.open += 1,
            }
        }
        self.needs.insert(number, needs);
    }

    fn goal(&mut self, predicate: Predicate, user: usize) -> usize {
        let goals = &mut self.goals;
        let id = *self.ids.entry(predicate).or_insert_with_key(|predicate| {
            let reachable = match predicate {
                Predicate::True => Some(true),
                Predicate::False => Some(false),
                Predicate::Enabled(groups) if groups.is_empty() => Some(false),
                _ => None,
            };
            goals.push(Goal {
                predicate: predicate.clone(),
                reachable,
                users: Vec::new(),
            });
            goals.len() - 1
        });
        self.goals[id].users.push(user);
        id
    }

    /// The answer to a question, if the facts tell it.
    pub(crate) fn conclude(&self, number: usize) -> Option<Value> {
        let needs = self.needs.get(&number)?;
        if let Some(alone) = needs.alone
            && self.goals[alone].reachable == Some(true)
        {
            return Some(Value::Truth(false));
        }
        match needs.rule {
            Rule::One(_) | Rule::All(..) if needs.open > 0 && !needs.never => None,
            Rule::One(if_reached) => Some(Value::Truth(if_reached != needs.never)),
            Rule::All(_, if_never) if needs.never => Some(Value::Truth(if_never)),
            Rule::All(if_all, _) => if_all.map(Value::Truth),
            Rule::Largest => {
                let sum = self.sums.iter().find(|sum| sum.user == number)?;
                (sum.most == Some(sum.seen)).then_some(Value::Bound(sum.most))
            }
        }
    }

    /// The goals that are open, of questions that are.
    pub(crate) fn open_goals(&self, open: &[usize]) -> Vec<(usize, Predicate)> {
        let wanted = |goal: &Goal| {
            goal.reachable.is_none() && goal.users.iter().any(|user| open.contains(user))
        };
        let goals = self.goals.iter().enumerate();
        let goals = goals.filter(|(_, goal)| wanted(goal));
        goals
            .map(|(id, goal)| (id, goal.predicate.clone()))
            .collect()
    }

    /// The sums of open questions.
    pub(crate) fn open_sums(&self, open: &[usize]) -> Vec<(usize, Sum)> {
        let sums = self.sums.iter().enumerate();
        let sums = sums.filter(|(_, sum)| open.contains(&sum.user));
        sums.map(|(id, sum)| (id, sum.clone())).collect()
    }

    /// Whether it is known if a goal is reachable.
    pub(crate) fn is_known(&self, goal: usize) -> bool {
        self.goals[goal].reachable.is_some()
    }

    /// Takes note that a goal is reachable, or that it is not; the questions that this may answer.
    pub(crate) fn reachable(&mut self, goal: usize, reachable: bool) -> Vec<usize> {
        let known = &mut self.goals[goal];
        if known.reachable.is_some() {
            return Vec::new();
        }
        known.reachable = Some(reachable);
        let users = known.users.clone();
        for user in &users {
            if let Some(needs) = self.needs.get_mut(user)
                && needs.alone != Some(goal)
            {
                needs.open = needs.open.saturating_sub(1);
                needs.never |= !reachable;
            }
        }
        users
    }

    /// Takes note of a value of a sum; the question, if it may be answered.
    pub(crate) fn saw(&mut self, sum: usize, value: u64) -> Option<usize> {
        let sum = &mut self.sums[sum];
        sum.seen = sum.seen.max(value);
        (sum.most == Some(sum.seen)).then_some(sum.user)
    }

    /// Takes note of a proved bound of a sum; the question, if it may be answered.
    pub(crate) fn bounded(&mut self, sum: usize, most: u64) -> Option<usize> {
        let sum = &mut self.sums[sum];
        sum.most = Some(sum.most.map_or(most, |old| old.min(most)));
        (sum.most == Some(sum.seen)).then_some(sum.user)
    }

    /// The question that asks for a sum.
    pub(crate) fn user_of(&self, sum: usize) -> usize {
        self.sums[sum].user
    }
}

/// Some place holds two tokens, in all its colours together; places that are known not to are left out.
fn two_tokens(problem: &Problem) -> Result<Predicate, Error> {
    let model = problem.model();
    let bound = |v: &VarId| model.variable(*v).bounds.certain().map(u64::from);
    let mut goals = Vec::new();
    for place in problem.places() {
        if place
            .iter()
            .map(bound)
            .sum::<Option<u64>>()
            .is_none_or(|b| b > 1)
        {
            let terms = place.iter().map(|&v| (1, v)).collect();
            let twice = Compare::new(terms, Relation::Ge, 2);
            let twice = twice.map_err(|_| Error::TooLarge(Global::OneSafe))?;
            goals.push(Predicate::Compare(twice));
        }
    }
    Ok(Predicate::any(goals))
}

/// Each transition of the net that was given fires, in some binding.
fn firings(problem: &Problem) -> Vec<Predicate> {
    problem
        .transitions()
        .into_iter()
        .map(Predicate::Enabled)
        .collect()
}

/// For each place of the net that was given, in all its colours together: its number of tokens changes.
pub(crate) fn changes(problem: &Problem) -> Vec<Predicate> {
    let model = problem.model();
    let places: Vec<Vec<VarId>> = problem.places();
    // In a quotient, places that are always the same share their variables.
    let mut places_of: Vec<Vec<usize>> = vec![Vec::new(); model.variables().len()];
    for (place, variables) in places.iter().enumerate() {
        for v in variables {
            places_of[v.index()].push(place);
        }
    }
    let mut changers: Vec<Vec<GroupId>> = vec![Vec::new(); places.len()];
    let mut effect: Vec<(usize, i64)> = Vec::new();
    for (group, id) in model.groups().iter().zip(model.group_ids()) {
        let Some(linear) = group.as_linear() else {
            continue;
        };
        effect.clear();
        for &(v, n) in linear.delta() {
            effect.extend(places_of[v.index()].iter().map(|&place| (place, n)));
        }
        effect.sort_unstable();
        for of_place in effect.chunk_by(|a, b| a.0 == b.0) {
            if of_place.iter().map(|(_, n)| n).sum::<i64>() != 0 {
                changers[of_place[0].0].push(id);
            }
        }
    }
    changers.into_iter().map(Predicate::Enabled).collect()
}
