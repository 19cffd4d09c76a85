//! Which values each variable may have, found without reaching states, and functions as tables over them.
//!
//! Every function is asked for all combinations of the values that its variables may have; what it
//! writes may be there next time, until nothing is added (a Cartesian abstraction: variables are
//! taken apart, so there may be too many values, never too few). A group with few combinations is
//! then a table like any other, and nothing has to be learned. A group that can be taken apart ([`Cases`])
//! is a choice between products of small tables, and its parts are asked one by one; a row of one of them counts only if
//! each of the others has a row with the same values, variable by variable. Where there are too many
//! combinations, or a function refuses an answer because the combination has no meaning, what the group
//! writes may be anything within the bounds of its variables.
//!
//! None of it depends on the order of the levels: all orders of a model share it.
//!
//! Cost: a call per combination, and a look at all rows of a case whenever it has new ones, at
//! most [`MOST_WORK`] for all groups together.

use dalsegno_kripke::{Action, Budget, Cases, Group, GroupId, Model, Stop, Table, VarId};
use rustc_hash::FxHashSet;

use super::learning::successors;
use crate::order::Order;

/// The most combinations of one function.
const MOST_COMBINATIONS: usize = 1 << 12;

/// The most combinations of a part of a group.
const MOST_OF_PART: usize = 1 << 16;

/// The most combinations and rows that are looked at.
const MOST_WORK: usize = 1 << 20;

/// The largest bound of a variable all values of which are considered.
const LARGEST_BOUND: u32 = 255;

/// A step of a function: the values of its variables before and after.
pub(super) type Step = (Vec<u32>, Vec<u32>);

/// The steps of a function over the variables that it reads or writes.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// Ascending.
    pub(super) variables: Vec<VarId>,
    /// Those that are read, as places in `variables`.
    pub(super) reads: Vec<usize>,
    pub(super) steps: Vec<Step>,
}

/// All that a group can do.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Whole(Rows),
    /// Products of steps, and products of conditions under which the group has no meaning.
    Cases {
        steps: Vec<Vec<Rows>>,
        faults: Vec<Vec<Rows>>,
    },
}

/// What is known of a model before its states are reached.
#[derive(Clone, Debug, Default)]
pub struct ValueRanges {
    /// The values that a variable may have, ascending; `None` if not known.
    values: Vec<Option<Vec<u32>>>,
    /// The groups that are functions or write what they do not read, if all that they can do is known.
    groups: Vec<Option<Known>>,
    /// How the other groups are taken apart, those that can be.
    cases: Vec<Option<Cases>>,
}

impl ValueRanges {
    /// The values of all variables and the tables of functions, as far as they are found.
    ///
    /// # Errors
    /// Why the budget ended.
    pub fn new(model: &Model, budget: &Budget) -> Result<Self, Stop> {
        if model.groups().iter().all(|g| g.as_linear().is_some()) {
            return Ok(Self::default());
        }
        let mut search = Search::new(model);
        let mut cases: Vec<Option<Cases>> = Vec::with_capacity(model.groups().len());
        for id in model.group_ids() {
            budget.check()?;
            search.given(model.group(id));
            cases.push(match model.group(id).action() {
                Action::Opaque(function) => function.cases(),
                Action::Linear(_) | Action::Table(_) => None,
            });
        }
        let asked = model.group_ids().filter(|&id| is_asked(model.group(id)));
        let mut groups: Vec<Asked<'_>> = asked
            .map(|id| Asked::new(id, model.group(id), cases[id.index()].as_ref()))
            .collect();
        let mut grew = true;
        while grew {
            grew = false;
            for group in &mut groups {
                budget.check()?;
                grew |= search.ask(group);
            }
        }
        let mut known = vec![None; model.groups().len()];
        for group in groups {
            budget.check()?;
            let id = group.id;
            known[id.index()] = search.known(group);
        }
        let mut values = search.values;
        for list in values.iter_mut().flatten() {
            list.sort_unstable();
        }
        for (cases, known) in cases.iter_mut().zip(&known) {
            cases.take_if(|_| known.is_some());
        }
        Ok(ValueRanges {
            values,
            groups: known,
            cases,
        })
    }

    /// The values that the variable of each level may have, ascending, if they are known.
    pub(super) fn by_level(&self, order: &Order) -> Vec<Option<Vec<u32>>> {
        let levels = order.top_down().iter();
        let values = levels.map(|v| self.values.get(v.index())?.clone());
        values.collect()
    }

    /// How a group is taken apart, if it can be and not all is known of it.
    pub(super) fn cases(&self, id: GroupId) -> Option<&Cases> {
        self.cases.get(id.index())?.as_ref()
    }

    /// All that a group can do, if it was asked and all is known.
    pub(super) fn of(&self, id: GroupId) -> Option<&Known> {
        self.groups.get(id.index())?.as_ref()
    }
}

/// Whether a group is a function, or has a row that writes what it does not read.
fn is_asked(group: &Group) -> bool {
    match group.action() {
        Action::Linear(_) => false,
        Action::Opaque(_) => true,
        Action::Table(table) => !reads_what_it_writes(group, table),
    }
}

fn reads_what_it_writes(group: &Group, table: &Table) -> bool {
    let place = |v: &VarId| group.reads().iter().position(|read| read == v);
    let places: Vec<Option<usize>> = group.writes().iter().map(place).collect();
    (0..table.len()).all(|row| {
        let pattern = table.pattern(row);
        let mut written = table.values(row).iter().zip(&places);
        written.all(|(value, place)| value.is_none() || place.is_some_and(|i| pattern[i].is_some()))
    })
}

/// A function that is asked.
struct Part<'a> {
    group: &'a Group,
    rows: Rows,
    writes: Vec<usize>,
    /// How many values of each variable were combined; `None` before anything was.
    done: Option<Vec<usize>>,
    /// How many rows were looked at for what they write, where every row counts.
    looked_at: usize,
    most: usize,
}

impl<'a> Part<'a> {
    fn new(group: &'a Group, most: usize) -> Self {
        let both = group.reads().iter().chain(group.writes());
        let mut variables: Vec<VarId> = both.copied().collect();
        variables.sort_unstable();
        variables.dedup();
        let place = |v: &VarId| variables.partition_point(|other| other < v);
        let reads = group.reads().iter().map(place).collect();
        let writes = group.writes().iter().map(place).collect();
        Part {
            group,
            writes,
            rows: Rows {
                reads,
                variables,
                steps: Vec::new(),
            },
            done: None,
            looked_at: 0,
            most,
        }
    }

    /// The rows that live, without the others.
    fn living(mut self, alive: &[bool]) -> Rows {
        let mut alive = alive.iter();
        let lives = |_: &Step| alive.next().is_none_or(|&lives| lives);
        self.rows.steps.retain(lives);
        self.rows
    }
}

/// A group that is asked.
struct Asked<'a> {
    id: GroupId,
    writes: &'a [VarId],
    /// Products; `None` if there is too much to ask.
    steps: Option<Vec<Vec<Part<'a>>>>,
    /// `None` if the group is not taken apart.
    faults: Option<Vec<Vec<Part<'a>>>>,
}

impl<'a> Asked<'a> {
    fn new(id: GroupId, group: &'a Group, cases: Option<&'a Cases>) -> Self {
        let Some(cases) = cases else {
            return Asked {
                id,
                writes: group.writes(),
                steps: Some(vec![vec![Part::new(group, MOST_COMBINATIONS)]]),
                faults: None,
            };
        };
        let list = |products: &'a [Vec<Group>]| -> Vec<Vec<Part<'a>>> {
            let parts = |list: &'a Vec<Group>| -> Vec<Part<'a>> {
                let parts = list.iter().map(|group| Part::new(group, MOST_OF_PART));
                parts.collect()
            };
            products.iter().map(parts).collect()
        };
        Asked {
            id,
            writes: group.writes(),
            steps: Some(list(&cases.steps)),
            faults: Some(list(&cases.faults)),
        }
    }
}

struct Search {
    /// Per variable, a number that no value exceeds, if one is proved.
    bounds: Vec<Option<u32>>,
    /// In the order in which they were found.
    values: Vec<Option<Vec<u32>>>,
    known: Vec<FxHashSet<u32>>,
    left: usize,
}

impl Search {
    fn new(model: &Model) -> Self {
        let variables = model.variables().len();
        let bounds = model.variables().iter().map(|v| v.bounds.certain());
        let mut search = Search {
            bounds: bounds.collect(),
            values: vec![Some(Vec::new()); variables],
            known: vec![FxHashSet::default(); variables],
            left: MOST_WORK,
        };
        for state in model.initial() {
            for (v, &value) in model.variable_ids().zip(state) {
                search.add(v, value);
            }
        }
        search
    }

    fn add(&mut self, v: VarId, value: u32) -> bool {
        let Some(values) = &mut self.values[v.index()] else {
            return false;
        };
        let new = self.known[v.index()].insert(value);
        if new {
            values.push(value);
        }
        new
    }

    /// What groups write that are no functions.
    fn given(&mut self, group: &Group) {
        match group.action() {
            Action::Linear(linear) => {
                for &(v, _) in linear.delta() {
                    self.anything(v);
                }
            }
            Action::Table(table) => {
                for row in 0..table.len() {
                    for (&v, value) in group.writes().iter().zip(table.values(row)) {
                        if let Some(value) = *value {
                            self.add(v, value);
                        }
                    }
                }
            }
            Action::Opaque(_) => {}
        }
    }

    /// Any value within its bound may be there; whether that is more than before.
    fn anything(&mut self, v: VarId) -> bool {
        match self.bounds[v.index()].filter(|&bound| bound <= LARGEST_BOUND) {
            Some(bound) => {
                let mut grew = false;
                for value in 0..=bound {
                    grew |= self.add(v, value);
                }
                grew
            }
            None => self.values[v.index()].take().is_some(),
        }
    }

    /// Asks a group for the combinations that are new; whether it writes new values.
    fn ask(&mut self, group: &mut Asked<'_>) -> bool {
        let Some(cases) = &mut group.steps else {
            return false;
        };
        let mut grew = false;
        for case in cases {
            let Some(more) = self.ask_product(case) else {
                group.steps = None;
                for &v in group.writes {
                    grew |= self.anything(v);
                }
                return grew;
            };
            grew |= more;
        }
        grew
    }

    /// As [`Search::ask`] for one case; `None` if there is too much to ask or no answer.
    fn ask_product(&mut self, case: &mut [Part<'_>]) -> Option<bool> {
        let mut new = false;
        for part in case.iter_mut() {
            new |= self.combine(part)?;
        }
        if !new {
            return Some(false);
        }
        if !shares_variables(case) {
            return Some(self.take_all(case));
        }
        let rows = case.iter().map(|part| part.rows.steps.len()).sum();
        self.left = self.left.checked_sub(rows)?;
        let alive = self.consistent(case)?;
        let mut grew = false;
        if alive.iter().any(|rows| !rows.contains(&true)) {
            return Some(false);
        }
        for (part, alive) in case.iter().zip(&alive) {
            let living = part.rows.steps.iter().zip(alive).filter(|row| *row.1);
            for ((_, after), _) in living {
                for &place in &part.writes {
                    grew |= self.add(part.rows.variables[place], after[place]);
                }
            }
        }
        Some(grew)
    }

    /// Adds what parts write that have no variable in common, if each has a row: then all rows count.
    fn take_all(&mut self, case: &mut [Part<'_>]) -> bool {
        if case.iter().any(|part| part.rows.steps.is_empty()) {
            return false;
        }
        let mut grew = false;
        for part in case {
            let new = part.looked_at..part.rows.steps.len();
            part.looked_at = new.end;
            for (_, after) in &part.rows.steps[new] {
                for &place in &part.writes {
                    grew |= self.add(part.rows.variables[place], after[place]);
                }
            }
        }
        grew
    }

    /// Per part the rows that agree with some row of every other part, variable by variable.
    fn consistent(&mut self, case: &[Part<'_>]) -> Option<Vec<Vec<bool>>> {
        let lives = |part: &Part<'_>| vec![true; part.rows.steps.len()];
        let mut alive: Vec<Vec<bool>> = case.iter().map(lives).collect();
        let mut users: Vec<(VarId, usize, usize)> = Vec::new();
        for (i, part) in case.iter().enumerate() {
            users.extend((0..).zip(&part.rows.variables).map(|(at, &v)| (v, i, at)));
        }
        users.sort_unstable();
        let shared: Vec<&[(VarId, usize, usize)]> = users
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|users| users.len() > 1)
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for users in &shared {
                let mut common: Option<FxHashSet<u32>> = None;
                for &(_, i, at) in *users {
                    let rows = case[i].rows.steps.iter().zip(&alive[i]);
                    self.left = self.left.checked_sub(alive[i].len())?;
                    let values = rows.filter(|row| *row.1).map(|row| row.0.0[at]);
                    let values: FxHashSet<u32> = values
                        .filter(|value| common.as_ref().is_none_or(|set| set.contains(value)))
                        .collect();
                    common = Some(values);
                }
                let common = common.unwrap_or_default();
                for &(_, i, at) in *users {
                    for (row, alive) in case[i].rows.steps.iter().zip(&mut alive[i]) {
                        if *alive && !common.contains(&row.0[at]) {
                            *alive = false;
                            changed = true;
                        }
                    }
                }
            }
        }
        Some(alive)
    }

    /// Asks for the combinations that are new; whether there are some. `None` if there are too many or one
    /// has no answer.
    fn combine(&mut self, part: &mut Part<'_>) -> Option<bool> {
        let variables = &part.rows.variables;
        let lists = variables.iter().map(|v| self.values[v.index()].as_deref());
        let lists: Vec<&[u32]> = lists.collect::<Option<_>>()?;
        let sizes: Vec<usize> = lists.iter().map(|list| list.len()).collect();
        if part.done.as_ref() == Some(&sizes) {
            return Some(false);
        }
        let number = sizes.iter().copied().fold(1, usize::saturating_mul);
        if number > part.most {
            return None;
        }
        let done = part.done.replace(sizes.clone());
        let done = done.unwrap_or_else(|| vec![0; sizes.len()]);
        let old: usize = if sizes.is_empty() {
            0
        } else {
            done.iter().product()
        };
        self.left = self.left.checked_sub(number - old)?;
        let mut question = Questions::new(part);
        if lists.is_empty() {
            question.ask(&[])?;
        }
        // Those whose first new value is that of the variable at `at`.
        for at in 0..lists.len() {
            let range = |i: usize| match i.cmp(&at) {
                std::cmp::Ordering::Less => &lists[i][..done[i]],
                std::cmp::Ordering::Equal => &lists[i][done[i]..],
                std::cmp::Ordering::Greater => lists[i],
            };
            let ranges: Vec<&[u32]> = (0..lists.len()).map(range).collect();
            if ranges.iter().any(|range| range.is_empty()) {
                continue;
            }
            let mut digits = vec![0; lists.len()];
            let mut before: Vec<u32> = ranges.iter().map(|range| range[0]).collect();
            loop {
                question.ask(&before)?;
                let turned = digits.iter_mut().zip(&mut before).zip(&ranges);
                let mut carried = true;
                for ((digit, value), range) in turned {
                    *digit += 1;
                    if *digit == range.len() {
                        *digit = 0;
                    }
                    *value = range[*digit];
                    if *digit > 0 {
                        carried = false;
                        break;
                    }
                }
                if carried {
                    break;
                }
            }
        }
        Some(true)
    }

    /// All that a group can do, once all values are known.
    fn known(&mut self, group: Asked<'_>) -> Option<Known> {
        let mut steps = group.steps?;
        let Some(mut faults) = group.faults else {
            let whole = steps.pop()?.pop()?;
            return Some(Known::Whole(whole.rows));
        };
        for case in &mut faults {
            self.ask_product(case)?;
        }
        let mut living = |cases: Vec<Vec<Part<'_>>>| -> Option<Vec<Vec<Rows>>> {
            let mut found = Vec::with_capacity(cases.len());
            for case in cases {
                let alive = self.consistent(&case)?;
                let rows = case.into_iter().zip(&alive);
                let rows: Vec<Rows> = rows.map(|(part, alive)| part.living(alive)).collect();
                if rows.iter().all(|rows| !rows.steps.is_empty()) {
                    found.push(rows);
                }
            }
            Some(found)
        };
        let steps = living(steps)?;
        let faults = living(faults)?;
        Some(Known::Cases { steps, faults })
    }
}

/// Whether two parts have a variable in common.
fn shares_variables(case: &[Part<'_>]) -> bool {
    let all = case.iter().flat_map(|part| &part.rows.variables);
    let mut variables: Vec<VarId> = all.copied().collect();
    variables.sort_unstable();
    variables.windows(2).any(|pair| pair[0] == pair[1])
}

/// Asks a function and keeps its steps.
struct Questions<'p, 'a> {
    part: &'p mut Part<'a>,
    read: Vec<u32>,
    old: Vec<u32>,
}

impl<'p, 'a> Questions<'p, 'a> {
    fn new(part: &'p mut Part<'a>) -> Self {
        Questions {
            read: vec![0; part.rows.reads.len()],
            old: vec![0; part.writes.len()],
            part,
        }
    }

    /// `None` if there is no answer.
    fn ask(&mut self, before: &[u32]) -> Option<()> {
        let Part {
            group,
            rows: Rows { reads, steps, .. },
            writes,
            ..
        } = &mut *self.part;
        let fill = |list: &mut [u32], places: &[usize]| {
            for (value, &place) in list.iter_mut().zip(places) {
                *value = before[place];
            }
        };
        fill(&mut self.read, reads);
        fill(&mut self.old, writes);
        let mut sink = |written: &[u32]| {
            let mut after = before.to_vec();
            for (&place, &value) in writes.iter().zip(written) {
                after[place] = value;
            }
            steps.push((before.to_vec(), after));
        };
        successors(group.action(), &self.read, &mut self.old, &mut sink).ok()
    }
}
