//! How a worker's part of a flood ended, told to all so that all of them go on alike.

use dalsegno_kripke::{Fault, GroupId, Stop, VarId};

use super::{Crew, Lost, gather};
use crate::steps::{Batch, Outgrown, Steps};

/// Why a worker has asked the others to end a flood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// It has found what was looked for.
    Found,
    /// The model cannot take a step from the state with these values.
    Fault(Vec<u32>),
    /// Its budget has run out.
    Stop(Stop),
    /// A value does not fit into its field.
    Outgrown(Outgrown),
}

/// What all workers know after a flood that some of them have ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Agreed {
    /// Somebody has found what was looked for.
    Found,
    /// The model faults.
    Fault(Fault),
    /// A budget has run out.
    Stop(Stop),
    /// These variables need more bits, ascending.
    Outgrown(Vec<Outgrown>),
}

const STOPS: [Stop; 4] = [Stop::Cancelled, Stop::Time, Stop::Memory, Stop::States];

fn encode(end: Option<&End>) -> Vec<u64> {
    match end {
        None => Vec::new(),
        Some(End::Found) => vec![1],
        Some(End::Fault(values)) => {
            let values = values.iter().map(|&value| u64::from(value));
            std::iter::once(2).chain(values).collect()
        }
        Some(End::Stop(stop)) => {
            let number = STOPS.iter().position(|s| s == stop).unwrap_or(0);
            vec![3, number as u64]
        }
        Some(End::Outgrown((variable, group))) => vec![4, *variable as u64, u64::from(group.0)],
    }
}

/// Tells the others how the own part has ended, and hears how theirs did. What was found counts most, then faults, then
/// budgets.
pub(crate) fn agree<C: Crew>(
    crew: &mut C,
    end: Option<&End>,
    steps: &mut Steps,
) -> Result<Option<Agreed>, Lost> {
    let mut all = gather(crew, encode(end))?;
    all.retain(|told| !told.is_empty());
    all.sort_unstable();
    all.dedup();
    Ok(all.first().map(|first| match first[0] {
        1 => Agreed::Found,
        2 => {
            // The message of a fault does not travel: everybody takes the step that cannot be taken.
            let values: Vec<u32> = first[1..].iter().map(|&value| value as u32).collect();
            match fault_at(steps, &values) {
                Some(fault) => Agreed::Fault(fault),
                None => Agreed::Stop(Stop::Cancelled),
            }
        }
        3 => Agreed::Stop(STOPS[first[1] as usize % STOPS.len()]),
        _ => Agreed::Outgrown(
            all.iter()
                .map(|told| (told[1] as usize, GroupId(told[2] as u32)))
                .collect(),
        ),
    }))
}

fn fault_at(steps: &mut Steps, values: &[u32]) -> Option<Fault> {
    let mut packed = vec![0; steps.words()];
    steps.pack(values, &mut packed).ok()?;
    steps.fire(&packed, None, &mut Batch::default()).err()
}

/// Steps with more bits for these variables, and for others that may grow if that has happened often or there are many
/// states.
///
/// # Errors
/// If a variable has all the bits there are.
pub(crate) fn widen(
    steps: &Steps,
    outgrown: &[Outgrown],
    widenings: u32,
    states: u64,
) -> Result<Steps, Fault> {
    let others = widenings >= FEW_WIDENINGS || states > FEW_STATES;
    let mut wider = steps.clone();
    let mut last = None;
    for &(variable, group) in outgrown {
        // One variable may be told with several groups.
        if last.replace(variable) == Some(variable) {
            continue;
        }
        wider = wider.widened(variable, others).ok_or(Fault::Overflow {
            group,
            variable: VarId(variable as u32),
        })?;
    }
    Ok(wider)
}

/// Widenings of single variables before all that may grow are widened together, and states after which they are: all
/// states are found again.
const FEW_WIDENINGS: u32 = 4;
const FEW_STATES: u64 = 1_000;
