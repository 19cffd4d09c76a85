//! The inverse of a basis as a product of elementary matrices.
//!
//! The product form of the inverse (Dantzig and Orchard-Hays 1954): each factor differs from the unit
//! matrix in one column. A change of the basis appends a factor; now and then the factors are made anew.
//! Then columns are ordered so that the matrix is lower triangular as far as possible, where no factor has
//! more entries than its column: rows with one column come first, columns with one row last.
//!
//! Cost: a multiplication takes the entries of the factors.

use dalsegno_kripke::{Budget, Stop};

use crate::watch::Watch;

/// A factor: column `row` of the unit matrix replaced.
#[derive(Clone, Debug)]
struct Factor {
    row: u32,
    /// The entry on the diagonal.
    pivot: f64,
    /// The other entries.
    rest: Vec<(u32, f64)>,
}

/// An inverse.
#[derive(Clone, Debug, Default)]
pub(super) struct Inverse {
    factors: Vec<Factor>,
}

/// Below this an entry is rounding.
pub(super) const TINY: f64 = 1e-12;

/// Below this an entry cannot be a pivot of a new factor.
const LEAST_PIVOT: f64 = 1e-8;

/// How much smaller than the largest entry a pivot may be.
const THRESHOLD: f64 = 0.1;

impl Inverse {
    /// `v ← B⁻¹·v`.
    pub(super) fn ftran(&self, v: &mut [f64]) {
        for factor in &self.factors {
            let x = v[factor.row as usize];
            if x != 0.0 {
                v[factor.row as usize] = x * factor.pivot;
                for &(i, n) in &factor.rest {
                    v[i as usize] += n * x;
                }
            }
        }
    }

    /// `v ← v·B⁻¹`.
    pub(super) fn btran(&self, v: &mut [f64]) {
        for factor in self.factors.iter().rev() {
            let mut x = v[factor.row as usize] * factor.pivot;
            for &(i, n) in &factor.rest {
                x += n * v[i as usize];
            }
            v[factor.row as usize] = if x.abs() < TINY { 0.0 } else { x };
        }
    }

    /// A column, given by the entries of `B⁻¹·a`, enters the basis at a row where it has one.
    pub(super) fn replace(&mut self, row: u32, entries: impl Iterator<Item = (u32, f64)> + Clone) {
        let at = entries.clone().find(|&(i, _)| i == row);
        let pivot = 1.0 / at.map_or(1.0, |(_, n)| n);
        let others = entries.filter(|&(i, _)| i != row);
        let rest = others.map(|(i, n)| (i, -n * pivot)).collect();
        self.factors.push(Factor { row, pivot, rest });
    }

    /// The inverse of a matrix of some columns and the unit columns of all rows that are not `open`; the
    /// open row of each column, or none if it depends on others.
    ///
    /// # Errors
    /// If the budget runs out.
    pub(super) fn of(
        columns: &[Vec<(u32, f64)>],
        open: &[bool],
        budget: &Budget,
    ) -> Result<(Inverse, Vec<Option<u32>>), Stop> {
        let watch = Watch::new(budget);
        let mut inverse = Inverse::default();
        let mut rows = vec![None; columns.len()];
        let order = Order::new(columns, open);
        // Rows that are promised to a column are not for the others.
        let mut free = open.to_vec();
        for row in order.columns.iter().filter_map(|(_, row)| *row) {
            free[row as usize] = false;
        }
        let mut work = vec![0.0; open.len()];
        for (c, promised) in order.columns {
            let column = &columns[c as usize];
            if let Some(row) = promised {
                // No earlier factor changes this column.
                inverse.replace(row, column.iter().copied());
                rows[c as usize] = Some(row);
                continue;
            }
            for &(i, n) in column {
                work[i as usize] = n;
            }
            watch.spend(3 * work.len() + inverse.factors.len())?;
            inverse.ftran(&mut work);
            let usable = (0..work.len()).filter(|&i| free[i] && work[i].abs() > LEAST_PIVOT);
            let most = usable.clone().map(|i| work[i].abs()).fold(0.0, f64::max);
            let large = usable.filter(|&i| work[i].abs() >= THRESHOLD * most);
            if let Some(row) = large.min_by_key(|&i| order.counts[i]) {
                let entries = (0..).zip(work.iter().copied());
                inverse.replace(row as u32, entries.filter(|(_, n)| n.abs() > TINY));
                free[row] = false;
                rows[c as usize] = Some(row as u32);
            }
            work.fill(0.0);
        }
        Ok((inverse, rows))
    }
}

/// The order in which columns become factors, with a row each where it is clear.
struct Order {
    columns: Vec<(u32, Option<u32>)>,
    /// How many columns of the middle each row has.
    counts: Vec<u32>,
}

impl Order {
    fn new(columns: &[Vec<(u32, f64)>], open: &[bool]) -> Self {
        let mut of_row: Vec<Vec<u32>> = vec![Vec::new(); open.len()];
        let mut sizes = vec![0u32; columns.len()];
        for (c, column) in (0u32..).zip(columns) {
            for &(i, _) in column.iter().filter(|(i, _)| open[*i as usize]) {
                of_row[i as usize].push(c);
                sizes[c as usize] += 1;
            }
        }
        let mut counts: Vec<u32> = of_row.iter().map(|c| c.len() as u32).collect();
        let mut free = open.to_vec();
        let mut left = vec![true; columns.len()];
        let (mut first, mut last) = (Vec::new(), Vec::new());
        let mut single_rows: Vec<u32> = (0..open.len() as u32)
            .filter(|&i| counts[i as usize] == 1)
            .collect();
        let mut single_columns: Vec<u32> = (0..columns.len() as u32)
            .filter(|&c| sizes[c as usize] == 1)
            .collect();
        loop {
            let (c, row) = if let Some(row) = single_rows.pop() {
                if !free[row as usize] || counts[row as usize] != 1 {
                    continue;
                }
                let mut users = of_row[row as usize].iter().copied();
                let Some(c) = users.find(|&c| left[c as usize]) else {
                    continue;
                };
                first.push((c, Some(row)));
                (c, row)
            } else if let Some(c) = single_columns.pop() {
                if !left[c as usize] || sizes[c as usize] != 1 {
                    continue;
                }
                let mut entries = columns[c as usize].iter().map(|&(i, _)| i);
                let Some(row) = entries.find(|&i| free[i as usize]) else {
                    continue;
                };
                last.push((c, Some(row)));
                (c, row)
            } else {
                break;
            };
            left[c as usize] = false;
            free[row as usize] = false;
            for &(i, _) in columns[c as usize]
                .iter()
                .filter(|(i, _)| free[*i as usize])
            {
                counts[i as usize] -= 1;
                if counts[i as usize] == 1 {
                    single_rows.push(i);
                }
            }
            for &other in of_row[row as usize].iter().filter(|&&c| left[c as usize]) {
                sizes[other as usize] -= 1;
                if sizes[other as usize] == 1 {
                    single_columns.push(other);
                }
            }
        }
        let mut middle: Vec<u32> = (0..columns.len() as u32)
            .filter(|&c| left[c as usize])
            .collect();
        middle.sort_by_key(|&c| sizes[c as usize]);
        let mut order = first;
        order.extend(middle.into_iter().map(|c| (c, None)));
        order.extend(last.into_iter().rev());
        Order {
            columns: order,
            counts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_columns() {
        // Columns for rows 0, 2, 3 and 4; row 1 keeps its unit column.
        let columns = vec![
            vec![(0, 2.0), (1, 5.0), (2, 1.0)],
            vec![(0, 1.0), (2, -1.0), (4, 3.0)],
            vec![(3, 1.0), (4, 1.0)],
            vec![(0, 1.0), (3, 2.0)],
        ];
        let open = [true, false, true, true, true];
        let (inverse, rows) = Inverse::of(&columns, &open, &Budget::unlimited()).unwrap();
        for (column, row) in columns.iter().zip(rows) {
            let mut v = [0.0; 5];
            for &(i, n) in column {
                v[i as usize] = n;
            }
            inverse.ftran(&mut v);
            let row = row.expect("independent columns") as usize;
            for (i, n) in v.into_iter().enumerate() {
                let unit = f64::from(u8::from(i == row));
                assert!((n - unit).abs() < 1e-9, "entry {i} of {column:?} is {n}");
            }
            // From the other side: a row of the inverse times the column.
            let mut e = [0.0; 5];
            e[row] = 1.0;
            inverse.btran(&mut e);
            let product: f64 = column.iter().map(|&(i, n)| n * e[i as usize]).sum();
            assert!((product - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_dependent_column_has_no_row() {
        let columns = vec![vec![(0, 1.0), (1, 1.0)], vec![(0, 2.0), (1, 2.0)]];
        let (_, rows) = Inverse::of(&columns, &[true, true], &Budget::unlimited()).unwrap();
        assert_eq!(rows.iter().filter(|r| r.is_some()).count(), 1);
    }
}
