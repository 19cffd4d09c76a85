//! Groups that are taken apart, as relations: a product of small tables per case.

use dalsegno_kripke::{Action, Group};
use dalsegno_mdd::{Guard, Manager, Relation, Set, Stop, TableRow};

use super::value_ranges::Rows;
use crate::order::Order;

/// A group in diagrams.
pub(super) struct Made {
    /// One per case; no two have a pair in common.
    pub(super) relations: Vec<Relation>,
    pub(super) enabled: Guard,
    pub(super) disabled: Guard,
    /// Where the group has no meaning.
    pub(super) faults: Vec<Guard>,
}

/// The relations and guards of the cases of a group.
pub(super) fn encode(
    manager: &mut Manager,
    order: &Order,
    values: &[Option<Vec<u32>>],
    steps: &[Vec<Rows>],
    faults: &[Vec<Rows>],
) -> Result<Made, Stop> {
    let mut relations = Vec::with_capacity(steps.len());
    let (mut enabled, mut disabled) = (Vec::new(), Vec::new());
    for case in steps {
        let mut tables = Vec::with_capacity(case.len());
        for rows in case {
            let (_, list) = by_level(order, rows);
            tables.push(manager.table_over(&list, values));
        }
        relations.push(manager.together(&tables)?);
        let (yes, no) = condition(manager, order, case)?;
        enabled.push(yes);
        disabled.push(no);
    }
    let mut wrong = Vec::with_capacity(faults.len());
    for case in faults {
        wrong.push(condition(manager, order, case)?.0);
    }
    Ok(Made {
        relations,
        enabled: manager.any(&enabled),
        disabled: manager.all(&disabled),
        faults: wrong,
    })
}

/// The levels of the variables of a function, ascending, and its steps by these levels.
pub(super) fn by_level(order: &Order, rows: &Rows) -> (Vec<u32>, Vec<TableRow>) {
    let levels: Vec<u32> = rows
        .variables
        .iter()
        .map(|&v| order.level_of(v) as u32)
        .collect();
    let mut places: Vec<usize> = (0..levels.len()).collect();
    places.sort_unstable_by_key(|&place| levels[place]);
    let row = |(before, after): &(Vec<u32>, Vec<u32>)| -> TableRow {
        let row = places.iter().map(|&i| (levels[i], before[i], after[i]));
        row.collect()
    };
    let list = rows.steps.iter().map(row).collect();
    (places.iter().map(|&i| levels[i]).collect(), list)
}

/// Where each of some functions has a step, and where one of them has none.
fn condition(manager: &mut Manager, order: &Order, case: &[Rows]) -> Result<(Guard, Guard), Stop> {
    let (mut all, mut none) = (Vec::new(), Vec::new());
    for rows in case {
        let mut read: Vec<(u32, usize)> = rows
            .reads
            .iter()
            .map(|&place| (order.level_of(rows.variables[place]) as u32, place))
            .collect();
        read.sort_unstable();
        let source = |step: &(Vec<u32>, Vec<u32>)| -> Vec<u32> {
            let values = read.iter().map(|&(_, place)| step.0[place]);
            values.collect()
        };
        let mut sources: Vec<Vec<u32>> = rows.steps.iter().map(source).collect();
        sources.sort_unstable();
        sources.dedup();
        let levels: Vec<u32> = read.iter().map(|entry| entry.0).collect();
        all.push(manager.listed(&levels, &sources, true)?);
        none.push(manager.listed(&levels, &sources, false)?);
    }
    Ok((manager.all(&all), manager.any(&none)))
}

/// Where each of some functions without effects is enabled, as far as states of a set are concerned.
pub(super) fn condition_in(
    manager: &mut Manager,
    order: &Order,
    set: &Set,
    parts: &[Group],
) -> Result<Guard, Stop> {
    let mut all = Vec::with_capacity(parts.len());
    for part in parts {
        let read: Vec<u32> = part
            .reads()
            .iter()
            .map(|&v| order.level_of(v) as u32)
            .collect();
        let mut levels = read.clone();
        levels.sort_unstable();
        let projected = manager.project(set, &levels)?;
        let mut sources = Vec::new();
        let mut values = vec![0; read.len()];
        let mut vectors = manager.vectors(&projected);
        while let Some(vector) = vectors.step() {
            for (value, &level) in values.iter_mut().zip(&read) {
                *value = vector[level as usize];
            }
            let enabled = match part.action() {
                Action::Opaque(function) => function.enabled(&values),
                Action::Linear(_) | Action::Table(_) => true,
            };
            if enabled {
                sources.push(levels.iter().map(|&l| vector[l as usize]).collect());
            }
        }
        all.push(manager.listed(&levels, &sources, true)?);
    }
    Ok(manager.all(&all))
}
