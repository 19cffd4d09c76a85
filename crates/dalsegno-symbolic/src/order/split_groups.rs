//! Split groups: which variables an order should keep together.
//!
//! A group that is split into cases does not need all of its variables at once: of an array it needs the
//! one element that the index says. So heuristics and metrics see a group per case.

use dalsegno_kripke::{Action, Budget, Group, Model, Stop, Table, VarId};

/// The model with a group per case of each group; only what groups read and write is right. `None` if no
/// group has several cases.
///
/// # Errors
/// Why the budget ended.
pub(super) fn split_groups(model: &Model, budget: &Budget) -> Result<Option<Model>, Stop> {
    let mut groups = Vec::with_capacity(model.groups().len());
    let mut differs = false;
    for group in model.groups() {
        let cases = match group.action() {
            Action::Opaque(function) => {
                budget.check()?;
                function.cases()
            }
            Action::Linear(_) | Action::Table(_) => None,
        };
        let Some(cases) = cases else {
            groups.push(group.clone());
            continue;
        };
        differs |= cases.steps.len() != 1;
        for parts in &cases.steps {
            let union = |list: fn(&Group) -> &[VarId]| {
                let mut all: Vec<VarId> = parts.iter().flat_map(list).copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            };
            let (reads, writes) = (union(Group::reads), union(Group::writes));
            let table = Table::new(reads.len(), writes.len());
            groups.push(Group::table(group.name(), reads, writes, table));
        }
    }
    let variables = model.variables().to_vec();
    let initial = model.initial().to_vec();
    Ok(if differs {
        Model::new(model.name(), variables, initial, groups).ok()
    } else {
        None
    })
}
