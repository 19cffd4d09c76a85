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
    Bounds, Group, Model, ModelError, Predicate, Relation, Table, Values, VarId, Variable,
};

use super::{Etf, Section};

/// What stands for 0 where 16 bits have a sign.
const SIGNED_ZERO: u32 = 1 << 15;

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
    pub fn to_model(&self, name: &str) -> Result<Model, ModelError> {
        let shifts = self.shifts();
        let names = self.variable_names();
        let variables = names.into_iter().zip(self.largest(&shifts));
        let variables = variables.map(|(name, largest)| Variable {
            name,
            bounds: Bounds::proved(largest),
        });
        let variables = variables.collect();
        let groups = (0..).zip(&self.sections).map(|(i, section): (u32, _)| {
            let (reads, writes, table) = lower(section, self.variables.len(), &shifts);
            Group::table(format!("t{i}"), reads, writes, table)
        });
        let initial = self.initial.iter().zip(&shifts);
        let initial = initial.map(|(&v, &shift)| shifted(v, shift)).collect();
        let groups = groups.collect();
        let model = Model::new(name, variables, vec![initial], groups)?;
        Ok(model.with_values(self.values(&shifts)))
    }

    /// The labels of states, with the states that have each of their values.
    ///
    /// A state that matches rows with different values has all of these; rows are meant to be
    /// disjoint.
    #[must_use]
    pub fn labels(&self) -> Vec<Label> {
        let shifts = self.shifts();
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
            for (pattern, value) in rows {
                match found.iter_mut().find(|(v, _)| v == value) {
                    Some((_, parts)) => parts.push(tested(pattern)),
                    None => found.push((*value, vec![tested(pattern)])),
                }
            }
            found
        };
        let label = |map: &super::Map| {
            let sort = self.sort(&map.label.sort);
            let named = rows(&map.rows).into_iter().map(|(value, parts)| {
                let name = sort.and_then(|s| s.values.get(value as usize));
                let name = name.map_or_else(|| value.to_string(), |n| text(n));
                LabelValue {
                    name,
                    number: value,
                    states: Predicate::any(parts),
                }
            });
            Label {
                name: map.label.name.clone(),
                values: named.collect(),
            }
        };
        self.maps.iter().map(label).collect()
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

    fn values(&self, shifts: &[bool]) -> Vec<Values> {
        let columns = self.variables.iter().zip(shifts);
        let values = |(column, &shift): (&super::Column, &bool)| {
            let named = self.sort(&column.sort).filter(|s| !s.values.is_empty());
            match named {
                Some(sort) => {
                    let names: Arc<[String]> = sort.values.iter().map(|v| text(v)).collect();
                    Values::Names(names)
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
    fn shifts(&self) -> Vec<bool> {
        let plain = |column: &super::Column| {
            let names = self.sort(&column.sort).map_or(0, |s| s.values.len());
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

fn lower(section: &Section, width: usize, shifts: &[bool]) -> (Vec<VarId>, Vec<VarId>, Table) {
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
    (reads, writes, table)
}
