//! The equation's numbers: what each transition changes, and linear constraints over markings.

use dalsegno_kripke::{Stop, VarId};

use super::super::net::{PetriNet, TransitionId};
use super::super::structure::Structure;
use crate::watch::Watch;

/// `m = initial + Σ columns · x`, exactly.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// The initial marking.
    pub(super) initial: Vec<i64>,
    /// What transitions change, place by place: each effect once, none empty, and only of transitions that
    /// may fire.
    pub(super) columns: Vec<Vec<(u32, i64)>>,
    /// The same by place: columns and what they change.
    pub(super) by_place: Vec<Vec<(u32, i64)>>,
}

/// A constraint `Σ terms ≥ least`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// Places and coefficients.
    pub(super) terms: Vec<(u32, i64)>,
    /// What the sum is at least.
    pub(super) least: i64,
}

impl System {
    pub(super) fn new(
        net: &PetriNet,
        structure: &Structure,
        watch: &Watch<'_>,
    ) -> Result<Self, Stop> {
        Self::of_firing(net, |t| structure.may_fire(t), watch)
    }

    pub(super) fn of_firing(
        net: &PetriNet,
        fires: impl Fn(TransitionId) -> bool,
        watch: &Watch<'_>,
    ) -> Result<Self, Stop> {
        let mut columns: Vec<Vec<(u32, i64)>> = Vec::new();
        for (i, transition) in (0..).zip(net.transitions()) {
            if !fires(TransitionId(i)) {
                continue;
            }
            // Once by column and once by place.
            watch.keep(32 * (transition.pre.len() + transition.post.len()))?;
            let takes = transition.pre.iter().map(|&(p, n)| (p.0, -i64::from(n)));
            let puts = transition.post.iter().map(|&(p, n)| (p.0, i64::from(n)));
            let mut column: Vec<(u32, i64)> = takes.chain(puts).collect();
            column.sort_unstable_by_key(|&(p, _)| p);
            column.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            column.retain(|&(_, n)| n != 0);
            if !column.is_empty() {
                columns.push(column);
            }
        }
        watch.spend(columns.len())?;
        columns.sort_unstable();
        columns.dedup();
        let mut by_place = vec![Vec::new(); net.places().len()];
        for (t, column) in (0u32..).zip(&columns) {
            watch.spend(column.len())?;
            for &(p, n) in column {
                by_place[p as usize].push((t, n));
            }
        }
        let initial = net.places().iter().map(|p| i64::from(p.initial)).collect();
        Ok(System {
            initial,
            columns,
            by_place,
        })
    }
}

impl Row {
    /// The sum of places with coefficient 1.
    pub(super) fn sum(places: &[VarId], least: i64) -> Self {
        let mut terms: Vec<(u32, i64)> = places.iter().map(|v| (v.0, 1)).collect();
        terms.sort_unstable();
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += i64::from(same);
            same
        });
        Row { terms, least }
    }

    /// Whether a marking that is nearly known satisfies the constraint, nearly.
    pub(super) fn holds(&self, marking: &[f64]) -> bool {
        let value = |&(p, c): &(u32, i64)| c as f64 * marking[p as usize];
        let sum: f64 = self.terms.iter().map(value).sum();
        sum >= self.least as f64 - TOLERANCE
    }
}

/// How far a number may be from what it should be.
const TOLERANCE: f64 = 1e-6;
