//! Whether linear constraints over markings have a common solution of the state equation.
//!
//! The dual simplex method (Lemke 1954) with steepest edges (Forrest and Goldfarb 1992) for the system
//! `-C·x + s = m₀`, `x, s ≥ 0`, where the slack `s` of a place is its marking, and with a row
//! `-g·C·x + s = g·m₀ - h` for each constraint `g·m ≥ h`. Nothing is minimised: only a solution is wanted,
//! so that all costs are ours to choose. They begin random and positive, which makes the basis of the slacks
//! dual feasible, ties rare, and firing few transitions cheap. Wherever rounding would make a reduced cost
//! negative the cost is changed instead. Constraints can be added to a basis and taken back.
//!
//! Cost: a step takes the entries of the inverse and of the rows that a row of it meets.

use dalsegno_kripke::{Budget, Stop};

use super::basis::{Inverse, TINY};
use super::system::{Row, System};

/// What is known of a system.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Answer {
    /// A solution, nearly: a marking.
    Solution(Vec<f64>),
    /// No solution, as it seems: multipliers of the rows, places first.
    None(Vec<f64>),
    /// Rounding has won.
    Lost,
}

/// A basis to come back to.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    constraints: usize,
    basic: Vec<u32>,
    reduced: Vec<f64>,
    weights: Vec<f64>,
}

/// The system with its basis. Variables are the columns and then the slacks of the rows. Invariants:
///
/// 1. `basic[i]` is the variable of row `i`, and `row_of` its inverse.
/// 2. Reduced costs are 0 for basic variables and not negative for others.
/// 3. `values` are those of the basic variables; the others are 0.
#[derive(Debug)]
pub(super) struct Simplex<'s> {
    system: &'s System,
    /// The constraints: columns with coefficients.
    rows: Vec<Vec<(u32, f64)>>,
    /// The coefficients of each column in the constraints.
    in_rows: Vec<Vec<(u32, f64)>>,
    right: Vec<f64>,
    basic: Vec<u32>,
    row_of: Vec<u32>,
    values: Vec<f64>,
    reduced: Vec<f64>,
    /// The squared lengths of the rows of the inverse, roughly.
    weights: Vec<f64>,
    inverse: Inverse,
    /// Changes of the basis since the inverse was made.
    changes: usize,
    random: u64,
}

/// A column of the table, and where it is not 0.
struct Column {
    values: Vec<f64>,
    support: Vec<u32>,
}

impl Column {
    fn new(rows: usize) -> Self {
        Column {
            values: vec![0.0; rows],
            support: Vec::new(),
        }
    }

    fn clear(&mut self) {
        for &i in &self.support {
            self.values[i as usize] = 0.0;
        }
        self.support.clear();
    }

    /// Finds out where it is not 0, and forgets what is rounding.
    fn collect(&mut self) {
        for (i, n) in (0..).zip(&mut self.values) {
            if n.abs() > TINY {
                self.support.push(i);
            } else {
                *n = 0.0;
            }
        }
    }
}

/// No row.
const NONE: u32 = u32::MAX;

/// How far below 0 a value may be.
const FEASIBLE: f64 = 1e-7;

/// Entries below this are no candidates.
const LEAST_ENTRY: f64 = 1e-9;

/// Pivots below this are not taken.
const LEAST_PIVOT: f64 = 1e-7;

/// How far reduced costs may become negative for the sake of a larger pivot.
const SLOPE: f64 = 1e-7;

/// Changes of the basis after which the inverse is made anew.
const CHANGES: usize = 64;

/// Steps between two looks at the clock.
const STEPS: usize = 16;

impl<'s> Simplex<'s> {
    /// The equation without constraints: nothing has fired.
    pub(super) fn new(system: &'s System) -> Self {
        let (places, columns) = (system.initial.len(), system.columns.len());
        let mut simplex = Simplex {
            system,
            rows: Vec::new(),
            in_rows: vec![Vec::new(); columns],
            right: system.initial.iter().map(|&n| n as f64).collect(),
            basic: (0..places).map(|i| (columns + i) as u32).collect(),
            row_of: vec![NONE; columns],
            values: Vec::new(),
            reduced: Vec::new(),
            weights: vec![1.0; places],
            inverse: Inverse::default(),
            changes: 0,
            random: 0x9e37_79b9_7f4a_7c15,
        };
        simplex.row_of.extend(0..places as u32);
        simplex.reduced = (0..columns).map(|_| 1.0 + simplex.random()).collect();
        simplex.reduced.resize(columns + places, 0.0);
        simplex.values.clone_from(&simplex.right);
        simplex
    }

    /// A number between 0 and 1; the same ones each time.
    fn random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64
    }

    fn columns(&self) -> usize {
        self.system.columns.len()
    }

    /// Adds a constraint.
    pub(super) fn add(&mut self, row: &Row) {
        let mut entries: Vec<(u32, i128)> = Vec::new();
        let mut right = -(row.least as f64);
        for &(p, c) in &row.terms {
            right += c as f64 * self.system.initial[p as usize] as f64;
            let changes = self.system.by_place[p as usize].iter();
            entries.extend(changes.map(|&(t, n)| (t, -i128::from(c) * i128::from(n))));
        }
        entries.sort_unstable_by_key(|&(t, _)| t);
        entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        entries.retain(|&(_, n)| n != 0);
        let entries: Vec<(u32, f64)> = entries.iter().map(|&(t, n)| (t, n as f64)).collect();
        let index = self.basic.len() as u32;
        for &(t, n) in &entries {
            self.in_rows[t as usize].push((index, n));
        }
        self.rows.push(entries);
        self.right.push(right);
        self.basic.push((self.columns() + index as usize) as u32);
        self.row_of.push(index);
        self.reduced.push(0.0);
        self.weights.push(1.0);
        // The inverse does not know the row yet.
        self.changes = usize::MAX;
    }

    /// Asks for less by the last constraint.
    pub(super) fn lower(&mut self, by: i64) {
        if let Some(right) = self.right.last_mut() {
            *right += by as f64;
        }
        self.changes = usize::MAX;
    }

    /// The basis and constraints as they are.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            constraints: self.rows.len(),
            basic: self.basic.clone(),
            reduced: self.reduced.clone(),
            weights: self.weights.clone(),
        }
    }

    /// Takes back what was done since a mark.
    pub(super) fn restore(&mut self, mark: &Mark) {
        while self.rows.len() > mark.constraints {
            for (t, _) in self.rows.pop().unwrap_or_default() {
                self.in_rows[t as usize].pop();
            }
            self.right.pop();
            self.row_of.pop();
        }
        self.basic.clone_from(&mark.basic);
        self.reduced.clone_from(&mark.reduced);
        self.weights.clone_from(&mark.weights);
        self.changes = usize::MAX;
    }

    /// Looks for a solution from the present basis.
    ///
    /// # Errors
    /// If the budget runs out.
    pub(super) fn solve(&mut self, budget: &Budget) -> Result<Answer, Stop> {
        let most = 20_000 + 20 * (self.basic.len() + self.columns());
        let mut lost = 0;
        let variables = self.columns() + self.basic.len();
        let mut entries = vec![0.0; variables];
        let mut touched: Vec<u32> = Vec::new();
        let mut column = Column::new(self.basic.len());
        let mut multipliers = vec![0.0; self.basic.len()];
        for step in 0..most {
            if step % STEPS == 0 {
                budget.check()?;
            }
            if self.changes > CHANGES {
                self.refactor(budget)?;
            }
            let Some(leaving) = self.leaving() else {
                if self.changes > 0 {
                    self.refactor(budget)?;
                    continue;
                }
                return Ok(Answer::Solution(self.marking()));
            };
            multipliers.fill(0.0);
            multipliers[leaving] = 1.0;
            self.inverse.btran(&mut multipliers);
            for &j in &touched {
                entries[j as usize] = 0.0;
            }
            self.price(&multipliers, &mut entries, &mut touched);
            let Some(entering) = self.entering(&entries, &touched) else {
                if self.changes > 0 {
                    self.refactor(budget)?;
                    continue;
                }
                return Ok(Answer::None(multipliers));
            };
            column.clear();
            self.load(entering, &mut column.values);
            self.inverse.ftran(&mut column.values);
            column.collect();
            let (there, here) = (entries[entering as usize], column.values[leaving]);
            if (there - here).abs() > 1e-6 * (1.0 + there.abs()) {
                lost += 1;
                if lost > 20 || self.changes == 0 {
                    return Ok(Answer::Lost);
                }
                self.refactor(budget)?;
                continue;
            }
            self.lengthen(leaving, &column, &mut multipliers);
            self.reduce(leaving, entering, &entries, &touched);
            self.exchange(leaving, entering, &column);
        }
        Ok(Answer::Lost)
    }

    /// The row whose value is furthest below 0, by the lengths of the rows.
    fn leaving(&self) -> Option<usize> {
        let mut best = None;
        let mut most = 0.0;
        for (i, (&value, &weight)) in self.values.iter().zip(&self.weights).enumerate() {
            if value < -FEASIBLE {
                let merit = value * value / weight;
                if merit > most {
                    most = merit;
                    best = Some(i);
                }
            }
        }
        best
    }

    /// The row of the table that belongs to some multipliers, at variables that are not basic.
    fn price(&self, multipliers: &[f64], entries: &mut [f64], touched: &mut Vec<u32>) {
        touched.clear();
        let columns = self.columns();
        let places = self.system.initial.len();
        let mut add = |j: u32, n: f64| {
            if self.row_of[j as usize] == NONE {
                let entry = &mut entries[j as usize];
                if *entry == 0.0 {
                    touched.push(j);
                }
                *entry += n;
            }
        };
        for (i, &y) in multipliers.iter().enumerate() {
            if y == 0.0 {
                continue;
            }
            add((columns + i) as u32, y);
            if i < places {
                for &(t, n) in &self.system.by_place[i] {
                    add(t, -(n as f64) * y);
                }
            } else {
                for &(t, n) in &self.rows[i - places] {
                    add(t, n * y);
                }
            }
        }
    }

    /// The variable that becomes positive, by Harris' ratio test: of those that keep the reduced costs
    /// nearly feasible the one with the largest entry.
    fn entering(&self, entries: &[f64], touched: &[u32]) -> Option<u32> {
        let candidates = touched.iter().copied().filter_map(|j| {
            let entry = entries[j as usize];
            (entry < -LEAST_ENTRY).then_some((j, -entry, self.reduced[j as usize]))
        });
        let ratios = candidates.clone().map(|(_, n, cost)| (cost + SLOPE) / n);
        let most = ratios.fold(f64::INFINITY, f64::min);
        let mut best: Option<(u32, f64)> = None;
        for (j, n, cost) in candidates {
            let larger = best.is_none_or(|(_, size)| n > size);
            if larger && cost / n <= most && n > LEAST_PIVOT {
                best = Some((j, n));
            }
        }
        best.map(|(j, _)| j)
    }

    /// Puts a column of the system into a vector of zeros.
    fn load(&self, variable: u32, column: &mut [f64]) {
        let columns = self.columns();
        let variable = variable as usize;
        if variable >= columns {
            column[variable - columns] = 1.0;
            return;
        }
        for &(p, n) in &self.system.columns[variable] {
            column[p as usize] = -(n as f64);
        }
        for &(i, n) in &self.in_rows[variable] {
            column[i as usize] = n;
        }
    }

    /// The weights of the rows after an exchange; the multipliers are used up.
    fn lengthen(&mut self, leaving: usize, column: &Column, multipliers: &mut [f64]) {
        let length = multipliers.iter().map(|n| n * n).sum::<f64>().max(1e-8);
        self.inverse.ftran(multipliers);
        let pivot = column.values[leaving];
        for &i in &column.support {
            let i = i as usize;
            if i != leaving {
                let ratio = column.values[i] / pivot;
                let across = 2.0 * ratio * multipliers[i];
                let weight = self.weights[i] - across + ratio * ratio * length;
                self.weights[i] = weight.max(1e-4);
            }
        }
        self.weights[leaving] = (length / (pivot * pivot)).max(1e-4);
    }

    /// The reduced costs after an exchange.
    fn reduce(&mut self, leaving: usize, entering: u32, entries: &[f64], touched: &[u32]) {
        let step = self.reduced[entering as usize] / -entries[entering as usize];
        for &j in touched {
            let cost = self.reduced[j as usize] + step * entries[j as usize];
            self.reduced[j as usize] = if cost > 1e-9 {
                cost
            } else {
                // A tie or rounding: the cost changes, at random against cycles.
                1e-6 * self.random()
            };
        }
        self.reduced[entering as usize] = 0.0;
        self.reduced[self.basic[leaving] as usize] = step.max(0.0);
    }

    /// Puts a variable in the place of another.
    fn exchange(&mut self, leaving: usize, entering: u32, column: &Column) {
        let value = self.values[leaving] / column.values[leaving];
        for &i in &column.support {
            self.values[i as usize] -= value * column.values[i as usize];
        }
        self.values[leaving] = value;
        self.row_of[self.basic[leaving] as usize] = NONE;
        self.row_of[entering as usize] = leaving as u32;
        self.basic[leaving] = entering;
        let entries = column
            .support
            .iter()
            .map(|&i| (i, column.values[i as usize]));
        self.inverse.replace(leaving as u32, entries);
        self.changes += 1;
    }

    /// Makes the inverse anew, and what follows from it.
    fn refactor(&mut self, budget: &Budget) -> Result<(), Stop> {
        let columns = self.columns();
        let count = self.basic.len();
        let mut weight_of: Vec<(u32, f64)> = Vec::new();
        let mut open = vec![true; count];
        let mut wanted: Vec<u32> = Vec::new();
        for (&variable, &weight) in self.basic.iter().zip(&self.weights) {
            weight_of.push((variable, weight));
            match (variable as usize).checked_sub(columns) {
                Some(row) => open[row] = false,
                None => wanted.push(variable),
            }
        }
        let vectors: Vec<Vec<(u32, f64)>> = wanted
            .iter()
            .map(|&variable| {
                let places = self.system.columns[variable as usize].iter();
                let places = places.map(|&(p, n)| (p, -(n as f64)));
                places
                    .chain(self.in_rows[variable as usize].iter().copied())
                    .collect()
            })
            .collect();
        let (inverse, rows) = Inverse::of(&vectors, &open, budget)?;
        self.inverse = inverse;
        // Rows that no column took get their slacks back.
        for (i, basic) in self.basic.iter_mut().enumerate() {
            *basic = (columns + i) as u32;
        }
        for (&variable, row) in wanted.iter().zip(rows) {
            if let Some(row) = row {
                self.basic[row as usize] = variable;
            }
        }
        self.row_of.clear();
        self.row_of.resize(columns + count, NONE);
        weight_of.sort_unstable_by_key(|&(variable, _)| variable);
        for (i, &variable) in self.basic.iter().enumerate() {
            self.row_of[variable as usize] = i as u32;
            self.reduced[variable as usize] = 0.0;
            let known = weight_of.binary_search_by_key(&variable, |&(v, _)| v);
            self.weights[i] = known.map_or(1.0, |k| weight_of[k].1);
        }
        self.values.clone_from(&self.right);
        self.inverse.ftran(&mut self.values);
        self.changes = 0;
        Ok(())
    }

    /// The marking of the present basis.
    fn marking(&self) -> Vec<f64> {
        let columns = self.columns();
        let value = |p: usize| match self.row_of[columns + p] {
            NONE => 0.0,
            row => self.values[row as usize].max(0.0),
        };
        (0..self.system.initial.len()).map(value).collect()
    }
}
