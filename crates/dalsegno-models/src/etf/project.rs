//! From a model whose states are known to ETF: the transitions of each group, seen through the
//! variables that the group reads and writes.
//!
//! The file has the reachable states and transitions of the model, and no others that can be reached.
//! Transitions of one group that read and write the same become one row, so parallel transitions
//! within a group are lost; groups of nets and programs have none.

use dalsegno_kripke::{GroupId, Model, Values, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::lower::unshifted;
use super::{Cell, Column, Etf, Section, Sort};

/// Why a model has no ETF form.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProjectionError {
    /// The format has one initial state.
    #[error("the model has {0} initial states, and ETF knows one only")]
    Initial(usize),
    /// Numbers with a sign that are not of 16 bits.
    #[error("the numbers of `{0}` have a sign that ETF cannot express")]
    Signed(String),
}

/// Values before and after.
type Row = Box<[(u32, u32)]>;

/// A file in the making: rows are added as transitions are found.
#[derive(Debug)]
pub struct Projection<'m> {
    model: &'m Model,
    /// Per group the variables that it reads or writes, ascending.
    columns: Vec<Vec<VarId>>,
    /// Per group its rows, as values before and after per column.
    rows: Vec<FxHashSet<Row>>,
    row: Vec<(u32, u32)>,
    bytes: u64,
}

impl<'m> Projection<'m> {
    /// A file without transitions.
    ///
    /// # Errors
    /// If the format cannot describe such a model.
    pub fn new(model: &'m Model) -> Result<Self, ProjectionError> {
        if model.initial().len() != 1 {
            return Err(ProjectionError::Initial(model.initial().len()));
        }
        for v in model.variable_ids() {
            if !matches!(model.values(v).zero(), 0 | 0x8000) {
                return Err(ProjectionError::Signed(model.variable(v).name.clone()));
            }
        }
        let columns = model.groups().iter().map(|group| {
            let mut columns = [group.reads(), group.writes()].concat();
            columns.sort_unstable();
            columns.dedup();
            columns
        });
        Ok(Projection {
            model,
            columns: columns.collect(),
            rows: vec![FxHashSet::default(); model.groups().len()],
            row: Vec::new(),
            bytes: 0,
        })
    }

    /// Adds a transition.
    ///
    /// # Panics
    /// If the group does not exist or a state is too short.
    pub fn add(&mut self, group: GroupId, before: &[u32], after: &[u32]) {
        self.row.clear();
        let columns = &self.columns[group.index()];
        let pair = |v: &VarId| (before[v.index()], after[v.index()]);
        self.row.extend(columns.iter().map(pair));
        let rows = &mut self.rows[group.index()];
        if !rows.contains(self.row.as_slice()) {
            self.bytes += 8 * self.row.len() as u64 + 24;
            rows.insert(self.row.as_slice().into());
        }
    }

    /// The bytes that the rows take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The file: rows ascend within each group.
    #[must_use]
    pub fn finish(self) -> Etf {
        let model = self.model;
        let mut sorts = Sorts::default();
        let variables = model.variable_ids().map(|v| Column {
            name: model.variable(v).name.clone(),
            sort: sorts.of(&model.variable(v).name, model.values(v)),
        });
        let variables = variables.collect();
        let sections = self.rows.into_iter().zip(&self.columns);
        let sections = sections.map(|(rows, columns)| {
            let mut rows: Vec<_> = rows.into_iter().collect();
            rows.sort_unstable();
            let mut section = Section::default();
            for row in rows {
                let cells = columns.iter().zip(&row);
                section.cells.extend(cells.map(|(v, &(before, after))| {
                    let zero = model.values(*v).zero();
                    Cell {
                        column: v.0,
                        before: unshifted(before, zero),
                        after: unshifted(after, zero),
                    }
                }));
                section.ends.push(section.cells.len());
            }
            section
        });
        let initial = model.initial()[0].iter().zip(model.variable_ids());
        let initial = initial.map(|(&value, v)| unshifted(value, model.values(v).zero()));
        Etf {
            initial: initial.collect(),
            sections: sections.collect(),
            variables,
            sorts: sorts.sorts,
            ..Etf::default()
        }
    }
}

/// The sorts of a file; variables with the same names for their values share one.
#[derive(Default)]
struct Sorts {
    sorts: Vec<Sort>,
    positions: FxHashMap<String, usize>,
}

impl Sorts {
    fn of(&mut self, variable: &str, values: &Values) -> String {
        let plain = match values {
            Values::Numbers { zero: 0 } => Some("nat"),
            Values::Numbers { .. } => Some("int"),
            Values::Names(_) => None,
        };
        let names: Vec<Vec<u8>> = values
            .names()
            .iter()
            .map(|n| n.clone().into_bytes())
            .collect();
        let mut name = plain.unwrap_or(variable).to_owned();
        loop {
            match self.positions.get(&name) {
                Some(&at) if self.sorts[at].values == names => return name,
                Some(_) => name.push('_'),
                None => break,
            }
        }
        self.positions.insert(name.clone(), self.sorts.len());
        self.sorts.push(Sort {
            name: name.clone(),
            values: names,
        });
        name
    }
}
