//! Proofs that linear constraints over markings have no common solution, checked exactly.
//!
//! Farkas' lemma: let `g_i·m ≥ h_i` be constraints. If there are `u ≥ 0` over the places and `z ≥ 0` over
//! the constraints such that `y = u + Σ z_i·g_i` satisfies `y·C(t) ≤ 0` for each transition `t` and
//! `y·m₀ < Σ z_i·h_i`, then no reachable marking satisfies all constraints: firing never increases `y·m`,
//! so `y·m ≤ y·m₀ < z·h ≤ z·g·m = y·m - u·m ≤ y·m`.
//!
//! The multipliers come from floating point and are believed for nothing. They are turned into whole
//! numbers by a common denominator, and the conditions above are computed with these. A number that is too
//! large for 128 bits is no proof.

use super::system::{Row, System};

/// The largest common denominator that is tried.
const MOST: f64 = 1e8;

/// The largest denominator of a number by itself.
const MOST_ALONE: i64 = 10_000;

/// How near a fraction must be: nearer than chance, or as near as much rounding leaves it.
const NEAR: [f64; 2] = [1e-9, 1e-6];

/// Below this a multiplier is meant to be 0.
const ZERO: f64 = 1e-9;

/// Multipliers as whole numbers, places first and constraints after them, that prove that no reachable marking
/// satisfies all constraints.
pub(super) fn refutation(system: &System, rows: &[Row], multipliers: &[f64]) -> Option<Vec<i128>> {
    let refutes =
        |numbers: &Vec<i128>| excess(system, rows, numbers).is_some_and(|excess| excess < 0);
    whole(multipliers).into_iter().find(refutes)
}

/// A number that the sum of a constraint never exceeds, proved by multipliers.
pub(super) fn bound(system: &System, row: &Row, multipliers: &[f64]) -> Option<i128> {
    let bound = |numbers: &Vec<i128>| {
        let z = *numbers.last()?;
        // y·m₀ without what the constraint asks for.
        let free = Row {
            least: 0,
            ..row.clone()
        };
        let most = excess(system, &[free], numbers)?;
        (z > 0).then(|| most.div_euclid(z))
    };
    whole(multipliers).iter().filter_map(bound).min()
}

/// Sums of places that no transition increases, each with its weights and its value in the beginning, made of
/// multipliers for a constraint.
pub(super) fn sums(system: &System, row: &Row, multipliers: &[f64]) -> Vec<(Vec<i128>, i128)> {
    let whole = whole(multipliers).into_iter();
    let sum = |numbers: Vec<i128>| sum(system, std::slice::from_ref(row), &numbers);
    whole.filter_map(sum).collect()
}

/// `y·m₀ - z·h`, if the signs are right and no transition increases `y·m`.
fn excess(system: &System, rows: &[Row], numbers: &[i128]) -> Option<i128> {
    let (_, mut excess) = sum(system, rows, numbers)?;
    let z = &numbers[system.initial.len()..];
    for (row, &z) in rows.iter().zip(z) {
        excess = excess.checked_sub(z.checked_mul(i128::from(row.least))?)?;
    }
    Some(excess)
}

/// `y` and `y·m₀`, if the signs are right and no transition increases `y·m`.
fn sum(system: &System, rows: &[Row], numbers: &[i128]) -> Option<(Vec<i128>, i128)> {
    let places = system.initial.len();
    if numbers.len() != places + rows.len() || numbers.iter().any(|&n| n < 0) {
        return None;
    }
    let (u, z) = numbers.split_at(places);
    let mut y = u.to_vec();
    for (row, &z) in rows.iter().zip(z).filter(|(_, z)| **z != 0) {
        for &(p, c) in &row.terms {
            let more = z.checked_mul(i128::from(c))?;
            let weight = &mut y[p as usize];
            *weight = weight.checked_add(more)?;
        }
    }
    for column in &system.columns {
        let mut change: i128 = 0;
        for &(p, n) in column {
            change = change.checked_add(y[p as usize].checked_mul(i128::from(n))?)?;
        }
        if change > 0 {
            return None;
        }
    }
    let mut initial: i128 = 0;
    for (&weight, &tokens) in y.iter().zip(&system.initial) {
        initial = initial.checked_add(weight.checked_mul(i128::from(tokens))?)?;
    }
    Some((y, initial))
}

/// The multipliers as whole numbers, up to a common factor: as they are, and with the smallest as unit.
fn whole(multipliers: &[f64]) -> Vec<Vec<i128>> {
    let sizes = multipliers.iter().map(|n| n.abs()).filter(|&n| n > ZERO);
    let least = sizes.clone().fold(f64::INFINITY, f64::min);
    let most = sizes.fold(0.0, f64::max);
    let mut found: Vec<Vec<i128>> = Vec::new();
    for near in NEAR {
        for unit in [1.0, least, most] {
            if let Some(numbers) = over(multipliers, unit, near)
                && !found.contains(&numbers)
            {
                found.push(numbers);
            }
        }
    }
    found
}

/// The multipliers in units, times a common denominator.
fn over(multipliers: &[f64], unit: f64, near: f64) -> Option<Vec<i128>> {
    let mut common: f64 = 1.0;
    for &n in multipliers.iter().filter(|n| n.abs() > ZERO) {
        let scaled = n / unit * common;
        common *= denominator(scaled, near)? as f64;
        if common > MOST {
            return None;
        }
    }
    let whole = |&n: &f64| {
        let scaled = if n.abs() > ZERO {
            n / unit * common
        } else {
            0.0
        };
        // Beyond this a floating point number does not name a whole number any more.
        (scaled.abs() < 9e15).then(|| scaled.round() as i128)
    };
    multipliers.iter().map(whole).collect()
}

/// The denominator of a simple fraction near a number, by its continued fraction.
fn denominator(x: f64, near: f64) -> Option<i64> {
    if !x.is_finite() {
        return None;
    }
    let near = near * x.abs().max(1.0);
    let (mut before, mut q): (i64, i64) = (0, 1);
    let mut rest = x;
    loop {
        let scaled = x * q as f64;
        if (scaled - scaled.round()).abs() <= near * q as f64 {
            return Some(q);
        }
        let fraction = rest - rest.floor();
        if fraction < ZERO {
            return None;
        }
        rest = 1.0 / fraction;
        let next = rest.floor();
        if next > MOST_ALONE as f64 {
            return None;
        }
        (before, q) = (q, next as i64 * q + before);
        if q > MOST_ALONE {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(initial: &[i64], columns: &[&[(u32, i64)]]) -> System {
        let mut by_place = vec![Vec::new(); initial.len()];
        for (t, column) in (0..).zip(columns) {
            for &(p, n) in *column {
                by_place[p as usize].push((t, n));
            }
        }
        System {
            initial: initial.to_vec(),
            columns: columns.iter().map(|c| c.to_vec()).collect(),
            by_place,
        }
    }

    fn refutes(system: &System, rows: &[Row], multipliers: &[f64]) -> bool {
        refutation(system, rows, multipliers).is_some()
    }

    #[test]
    fn only_exact_multipliers_prove() {
        // A token of the first place becomes three of the second.
        let system = system(&[2, 0], &[&[(0, -1), (1, 3)]]);
        let row = |least| Row {
            terms: vec![(1, 1)],
            least,
        };
        assert!(refutes(&system, &[row(7)], &[1.0, 0.0, 1.0 / 3.0]));
        assert!(!refutes(&system, &[row(6)], &[1.0, 0.0, 1.0 / 3.0]));
        // The column's condition fails, a sign is wrong, or nothing is said.
        assert!(!refutes(&system, &[row(7)], &[1.0, 0.0, 0.34]));
        assert!(!refutes(&system, &[row(7)], &[3.0, -1.0, 2.0]));
        assert!(!refutes(&system, &[row(7)], &[0.0, 0.0, 0.0]));
        assert!(!refutes(&system, &[row(7)], &[f64::NAN, 0.0, 1.0]));
        assert_eq!(bound(&system, &row(100), &[3.0, 0.0, 1.0]), Some(6));
        assert_eq!(bound(&system, &row(100), &[3.0, 0.5, 1.0]), None);
    }

    #[test]
    fn numbers_that_are_too_large_prove_nothing() {
        let much = i64::MAX;
        let system = system(&[much, much], &[&[(0, -much), (1, 1)]]);
        let row = Row {
            terms: vec![(1, much)],
            least: much,
        };
        let multipliers = [8e15, 0.0, 8e15];
        assert!(!refutes(&system, std::slice::from_ref(&row), &multipliers));
        assert_eq!(bound(&system, &row, &[1e300, 0.0, 1.0]), None);
    }

    #[test]
    fn denominators_are_small() {
        let denominator = |x| denominator(x, NEAR[0]);
        assert_eq!(denominator(0.5), Some(2));
        assert_eq!(denominator(-7.0 / 12.0), Some(12));
        assert_eq!(denominator(3.0), Some(1));
        assert_eq!(denominator(std::f64::consts::PI), None);
        assert_eq!(denominator(f64::INFINITY), None);
    }
}
