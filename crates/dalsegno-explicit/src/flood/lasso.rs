//! A run from what OWCTY has left: an accepting cycle, and a shortest path to it.
//!
//! For each mark, breadth-first levels from the edges that carry it give each node a parent. The walk back from the least
//! node that is left, looking for the next mark at each edge that carries the one it looks for, must come to where it was:
//! between the two visits it has crossed all marks. The stem is a shortest path from an initial node to a node of the
//! cycle, found on a shard of its own after the other one is given up.

use dalsegno_automata::Marks;
use dalsegno_kripke::{Lasso, Run, Step};
use rustc_hash::FxHashSet;

use super::levels::{Halted, Parents, Place, find, parents};
use super::owcty::Sieve;
use super::report::Agreed;
use super::shard::Shard;
use super::{Crew, Lost, gather};

/// A run whose cycle lies in what is left of a sieve for these marks. Who could not go on says why.
pub(crate) fn run<C: Crew>(
    crew: &mut C,
    sieve: Sieve,
    marks: &[Marks],
) -> Result<Result<Run, Agreed>, Lost> {
    let Sieve {
        mut shard,
        alive,
        usable,
        ..
    } = sieve;
    let mut lists = Vec::new();
    let wanted: Vec<Option<Marks>> = if marks.is_empty() {
        vec![None]
    } else {
        marks.iter().map(|&mark| Some(mark)).collect()
    };
    for mark in wanted {
        let list;
        (shard, list) = match parents(crew, shard, &alive, usable, mark)? {
            Ok(levels) => levels.into_parents(),
            Err(agreed) => return Ok(Err(agreed)),
        };
        lists.push(list);
    }
    let start = least(crew, &shard, alive.iter())?;
    let walk = Parents::new(lists).walk(crew, &shard, start)?;
    let stride = shard.record();
    let closes = walk.closes.expect("every node that is left has a parent");
    // The walk went backwards, and its last parent is where it closes.
    let names: Vec<&[u64]> = walk.names.chunks_exact(stride).skip(closes).collect();
    let mut cycle: Vec<&[u64]> = names[1..].to_vec();
    cycle.push(names[0]);
    cycle.reverse();
    let fresh = shard.anew();
    drop(shard);
    let members: FxHashSet<&[u64]> = cycle.iter().copied().collect();
    let found = path(crew, fresh, |shard, node| {
        let mut name = Vec::new();
        shard.name(node, &mut name);
        members.contains(&name[..])
    })?;
    let (mut shard, stem) = match found {
        Ok(found) => found,
        Err((agreed, _)) => return Ok(Err(agreed)),
    };
    let end = &stem[stem.len() - stride..];
    let turn = cycle.iter().position(|&name| name == end);
    cycle.rotate_left(turn.expect("the path ends on the cycle"));
    cycle.push(end);
    let mut cycle = shard.steps_along(&cycle.concat());
    cycle.pop();
    let mut stem = shard.steps_along(&stem);
    stem.pop();
    Ok(Ok(Lasso::new(stem, cycle)))
}

/// A shortest path to a node after which the observer accepts whatever comes next; the last state has no step. Who
/// could not go on says why, and hands the shard back.
pub(crate) fn prefix<C: Crew>(
    crew: &mut C,
    shard: Shard,
) -> Result<Result<Vec<Step>, Halted>, Lost> {
    let universal = |shard: &mut Shard, node: u32| {
        let q = shard.nodes[node as usize].q;
        shard.moves.observer.is_universal(q)
    };
    Ok(path(crew, shard, universal)?.map(|(mut shard, names)| shard.steps_along(&names)))
}

/// The names along a shortest path to a node of a kind that is known to be reachable.
fn path<C: Crew>(
    crew: &mut C,
    shard: Shard,
    is_goal: impl FnMut(&mut Shard, u32) -> bool,
) -> Result<Result<(Shard, Vec<u64>), Halted>, Lost> {
    let (levels, goal) = match find(crew, shard, is_goal)? {
        Ok(found) => found,
        Err(ended) => return Ok(Err(ended)),
    };
    let (shard, list) = levels.into_parents();
    let goal = goal.expect("such a node was found before");
    let walk = Parents::new(vec![list]).walk(crew, &shard, goal)?;
    let names: Vec<&[u64]> = walk.names.chunks_exact(shard.record()).rev().collect();
    Ok(Ok((shard, names.concat())))
}

/// The least of some nodes of all workers; one of them has one.
fn least<C: Crew>(
    crew: &mut C,
    shard: &Shard,
    nodes: impl Iterator<Item = u32>,
) -> Result<Place, Lost> {
    let named = nodes.map(|node| {
        let mut name = Vec::new();
        shard.name(node, &mut name);
        name.push(u64::from(node));
        name
    });
    let mine = named.min().unwrap_or_default();
    let all = gather(crew, mine)?;
    let told = (0..).zip(&all).filter(|(_, told)| !told.is_empty());
    let (owner, told) = told
        .min_by(|(_, a), (_, b)| a.cmp(b))
        .expect("somebody has one");
    Ok(Place {
        owner,
        number: told[told.len() - 1] as u32,
    })
}
