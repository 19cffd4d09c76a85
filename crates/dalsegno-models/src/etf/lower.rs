//! From an ETF file to a model: each section becomes a group with a table.
//!
//! A group reads the variables that some of its rows have a number for, and writes those that some row
//! changes; rows keep their stars.
//!
//! `LTSmin` writes the 16-bit numbers of DVE without their sign: -1 is 65535. Where a variable of the
//! type `int`, without names for its values, has a number from 32768 to 65535 and none above, the
//! numbers of all such variables are taken for signed ones.

use std::sync::Arc;

use dalsegno_kripke::{
    Bounds, Budget, Group, Model, ModelError, Predicate, Relation, Stop, Table, Values, VarId,
    Variable,
};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::{Etf, Section, Sort};
use crate::watch::Watch;

/// What stands for 0 where 16 bits have a sign.
const SIGNED_ZERO: u32 = 1 << 15;

/// Why tables are not made a model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LowerError {
    /// A rule of models that they break.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A limit was reached.
    #[error("making a model of the tables was given up: {0}")]
    Stopped(Stop),
}

impl From<Stop> for LowerError {
    fn from(stop: Stop) -> Self {
        LowerError::Stopped(stop)
    }
}

/// A label of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The name.
    pub name: String,
    /// The values that some states have, in the order of the file.
    pub values: Vec<LabelValue>,
}

/// A value of a [`Label`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelValue {
    /// Its name in the sort of the label, or the number.
    pub name: String,
    /// The number.
    pub number: u32,
    /// The states that have it.
    pub states: Predicate,
}

impl Etf {
    /// The model. Groups have no names in the format and are called `t0`, `t1` and so on.
    ///
    /// # Errors
    /// If there are too many variables or groups.
    ///
    /// # Panics
    /// If rows and the initial state are not as wide as there are variables: [`parse`](super::parse())
    /// and [`Projection`](super::Projection) make no such file.
    pub fn to_model(&self, name: &str) -> Result<Model, LowerError> {
        self.to_model_within(name, &Budget::unlimited())
    }

    /// As [`Etf::to_model`], as long as the time and the memory of the budget last.
    ///
    /// # Errors
    /// If there are too many variables or groups, or the budget runs out.
    ///
    /// # Panics
    /// As [`Etf::to_model`].
    pub fn to_model_within(&self, name: &str, budget: &Budget) -> Result<Model, LowerError> {
        let watch = Watch::new(budget);
        let sorts = self.sorts_by_name();
        let shifts = self.shifts(&sorts);
        watch.spend(self.variables.len())?;
        let names = self.variable_names();
        let variables = names.into_iter().zip(self.largest(&shifts));
        let variables = variables.map(|(name, largest)| Variable {
            name,
            bounds: Bounds::proved(largest),
        });
        let variables = variables.collect();
        let mut groups = Vec::new();
        for (i, section) in self.sections.iter().enumerate() {
            let (reads, writes, table) = lower(section, self.variables.len(), &shifts, &watch)?;
            groups.push(Group::table(format!("t{i}"), reads, writes, table));
        }
        let initial = self.initial.iter().zip(&shifts);
        let initial = initial.map(|(&v, &shift)| shifted(v, shift)).collect();
        let model = Model::new(name, variables, vec![initial], groups)?;
        Ok(model.with_values(self.values(&shifts, &sorts)))
    }

    /// The labels of states, with the states that have each of their values.
    ///
    /// A state that matches rows with different values has all of these; rows are meant to be
    /// disjoint.
    #[must_use]
    pub fn labels(&self) -> Vec<Label> {
        self.labels_within(&Budget::unlimited()).unwrap_or_default()
    }

    /// As [`Etf::labels`], as long as the time and the memory of the budget last.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn labels_within(&self, budget: &Budget) -> Result<Vec<Label>, Stop> {
        let watch = Watch::new(budget);
        let sorts = self.sorts_by_name();
        let shifts = self.shifts(&sorts);
        let rows = |rows: &[(Vec<Option<u32>>, u32)]| {
            let tested = |pattern: &[Option<u32>]| {
                let cells = (0..).map(VarId).zip(pattern).zip(&shifts);
                let tests = cells.filter_map(|((v, cell), &shift)| {
                    let value = i64::from(shifted((*cell)?, shift));
                    Some(Predicate::single(v, Relation::Eq, value))
                });
                Predicate::all(tests)
            };
            let mut found: Vec<(u32, Vec<Predicate>)> = Vec::new();
            let mut positions: FxHashMap<u32, usize> = FxHashMap::default();
            for (pattern, value) in rows {
                let tests = pattern.iter().flatten().count();
                watch.spend(pattern.len())?;
                watch.keep(size_of::<Predicate>() * (1 + tests))?;
                let position = *positions.entry(*value).or_insert(found.len());
                if position == found.len() {
                    found.push((*value, Vec::new()));
                }
                found[position].1.push(tested(pattern));
            }
            Ok::<_, Stop>(found)
        };
        let label = |map: &super::Map| {
            let sort = sorts.get(map.label.sort.as_str()).copied();
            let named = rows(&map.rows)?.into_iter().map(|(value, parts)| {
                let name = sort.and_then(|s| s.values.get(value as usize));
                let name = name.map_or_else(|| value.to_string(), |n| text(n));
                LabelValue {
                    name,
                    number: value,
                    states: Predicate::any(parts),
                }
            });
            Ok(Label {
                name: map.label.name.clone(),
                values: named.collect(),
            })
        };
        self.maps.iter().map(label).collect()
    }

    /// The sorts by their names.
    fn sorts_by_name(&self) -> FxHashMap<&str, &Sort> {
        let mut sorts = FxHashMap::default();
        for sort in &self.sorts {
            sorts.entry(sort.name.as_str()).or_insert(sort);
        }
        sorts
    }

    /// The names of the variables; a position where there is none.
    fn variable_names(&self) -> Vec<String> {
        let columns = self.variables.iter().enumerate();
        let name = |(i, column): (usize, &super::Column)| match column.name.as_str() {
            "_" => format!("_{i}"),
            name => name.to_owned(),
        };
        columns.map(name).collect()
    }

    fn values(&self, shifts: &[bool], sorts: &FxHashMap<&str, &Sort>) -> Vec<Values> {
        let columns = self.variables.iter().zip(shifts);
        // Variables of one sort share the names of its values.
        let mut shared: FxHashMap<&str, Arc<[String]>> = FxHashMap::default();
        let values = |(column, &shift): (&'_ super::Column, &bool)| {
            let named = sorts.get(column.sort.as_str());
            match named.filter(|s| !s.values.is_empty()) {
                Some(sort) => {
                    let names = || sort.values.iter().map(|v| text(v)).collect();
                    let names = shared.entry(sort.name.as_str()).or_insert_with(names);
                    Values::Names(Arc::clone(names))
                }
                None => Values::Numbers {
                    zero: if shift { SIGNED_ZERO } else { 0 },
                },
            }
        };
        columns.map(values).collect()
    }

    /// The largest value of each variable, initially and after transitions: no other is reached.
    fn largest(&self, shifts: &[bool]) -> Vec<u32> {
        let initial = self.initial.iter().zip(shifts);
        let mut largest: Vec<u32> = initial.map(|(&v, &s)| shifted(v, s)).collect();
        for cell in self.sections.iter().flat_map(|s| &s.cells) {
            let column = cell.column as usize;
            let after = shifted(cell.after, shifts[column]);
            largest[column] = largest[column].max(after);
        }
        largest
    }

    /// Which variables hold numbers of 16 bits with a sign.
    fn shifts(&self, sorts: &FxHashMap<&str, &Sort>) -> Vec<bool> {
        let plain = |column: &super::Column| {
            let names = sorts
                .get(column.sort.as_str())
                .map_or(0, |s| s.values.len());
            column.sort == "int" && names == 0
        };
        let candidates: Vec<bool> = self.variables.iter().map(plain).collect();
        let is = |column: usize| candidates[column];
        let initial = self.initial.iter().enumerate();
        let initial = initial.filter(|&(i, _)| is(i)).map(|(_, &v)| v);
        let cells = self.sections.iter().flat_map(|s| &s.cells);
        let cells = cells.filter(|c| is(c.column as usize));
        let cells = cells.map(|c| c.before.max(c.after));
        let largest = initial.chain(cells).max().unwrap_or(0);
        if (SIGNED_ZERO..2 * SIGNED_ZERO).contains(&largest) {
            candidates
        } else {
            vec![false; self.variables.len()]
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A number of 16 bits without a sign as the value of the number with one.
fn shifted(value: u32, shift: bool) -> u32 {
    if shift { value ^ SIGNED_ZERO } else { value }
}

/// The value of a signed variable as ETF writes it; the inverse of `shifted`.
pub(super) fn unshifted(value: u32, zero: u32) -> u32 {
    shifted(value, zero == SIGNED_ZERO)
}

/// What a section reads, writes and does.
type Lowered = (Vec<VarId>, Vec<VarId>, Table);

fn lower(
    section: &Section,
    width: usize,
    shifts: &[bool],
    watch: &Watch<'_>,
) -> Result<Lowered, Stop> {
    watch.spend(width + section.cells.len())?;
    let mut used = vec![(false, false); width];
    for cell in &section.cells {
        let (reads, writes) = &mut used[cell.column as usize];
        *reads = true;
        *writes |= cell.before != cell.after;
    }
    let mut places = vec![(usize::MAX, usize::MAX); width];
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (i, &(read, written)) in (0..).zip(&used) {
        let place = &mut places[i as usize];
        if read {
            place.0 = reads.len();
            reads.push(VarId(i));
        }
        if written {
            place.1 = writes.len();
            writes.push(VarId(i));
        }
    }
    let mut table = Table::new(reads.len(), writes.len());
    let (mut pattern, mut values) = (vec![None; reads.len()], vec![None; writes.len()]);
    for row in section.rows() {
        watch.keep(8 * (pattern.len() + values.len()))?;
        pattern.fill(None);
        values.fill(None);
        for cell in row {
            let column = cell.column as usize;
            let (read, write) = places[column];
            pattern[read] = Some(shifted(cell.before, shifts[column]));
            if write != usize::MAX {
                values[write] = Some(shifted(cell.after, shifts[column]));
            }
        }
        table.push(&pattern, &values);
    }
    Ok((reads, writes, table))
}
