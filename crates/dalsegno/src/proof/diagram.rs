//! Diagrams from lists of states with records.
//!
//! Places that are next to each other in an order become one level as long as their values together are few. The states
//! are sorted by the values of levels, and equal nodes are made once, as for minimal automata of sorted words.
//! Cost: states times places, and sorting.

use dalsegno_explicit::space::Space;
use dalsegno_kripke::Budget;
use dalsegno_verify::diagram::{Diagram, Leaf, Level};
use rustc_hash::FxHashMap;

use super::Unproved;

/// The most values of a level of several places.
const MOST_VALUES: usize = 24;

/// The bytes that the table of values may take.
const MOST_BYTES: usize = 1 << 31;

/// A diagram of states of a space with their leaves; the places in the order of the levels.
pub(super) fn of_states(
    space: &Space,
    order: &[usize],
    states: &[(u32, u32)],
    slots: Vec<Vec<usize>>,
    leaves: Vec<Leaf>,
    budget: &Budget,
) -> Result<Diagram, Unproved> {
    let (levels, columns) = group(space, order, states, budget)?;
    let width = levels.len();
    if width.saturating_mul(states.len()) > MOST_BYTES / 2 {
        return Err(Unproved::Limit(
            "the table of states is too large".to_owned(),
        ));
    }
    budget.check_bytes(8 * (width * states.len()) as u64)?;
    let mut rows = vec![0_u32; width * states.len()];
    for (level, column) in columns.iter().enumerate() {
        for (row, &value) in column.iter().enumerate() {
            rows[row * width + level] = value;
        }
    }
    drop(columns);
    let row = |i: u32| &rows[i as usize * width..(i as usize + 1) * width];
    let mut sorted: Vec<u32> = (0..states.len() as u32).collect();
    sorted.sort_unstable_by(|&a, &b| row(a).cmp(row(b)));
    budget.check()?;
    let mut builder = Builder::new(width);
    for &i in &sorted {
        builder.add(row(i), states[i as usize].1);
    }
    Ok(assemble(levels, slots, leaves, &builder.finish()))
}

/// The diagram of the nodes of all levels; children are numbered by their place in the level below.
pub(super) fn assemble(
    levels: Vec<Level>,
    slots: Vec<Vec<usize>>,
    leaves: Vec<Leaf>,
    nodes: &[Unique],
) -> Diagram {
    let mut diagram = Diagram::new(levels, slots, leaves);
    for (level, unique) in nodes.iter().enumerate().rev() {
        diagram.begin_level(level);
        let below = diagram.nodes(level + 1).start;
        for (node, &start) in unique.starts.iter().enumerate() {
            let end = unique.starts.get(node + 1).copied();
            let arcs = &unique.arcs[start..end.unwrap_or(unique.arcs.len())];
            diagram.add(arcs.iter().map(|&(value, child)| (value, below + child)));
        }
    }
    diagram
}

/// Groups places into levels; the levels, and per level the value of each state.
fn group(
    space: &Space,
    order: &[usize],
    states: &[(u32, u32)],
    budget: &Budget,
) -> Result<(Vec<Level>, Vec<Vec<u32>>), Unproved> {
    let mut levels: Vec<Level> = Vec::new();
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for &place in order {
        budget.check()?;
        let values: Vec<u32> = states.iter().map(|&(s, _)| space.value(s, place)).collect();
        let (known, numbers) = number(values);
        if let (Some(level), Some(last)) = (levels.last_mut(), columns.last_mut())
            && let Some(joined) = join((last, level.values.len()), (&numbers, known.len()))
        {
            let (pairs, column) = joined;
            let value = |&(old, new): &(u32, u32)| {
                let mut tokens = level.values[old as usize].clone();
                tokens.push(known[new as usize]);
                tokens
            };
            level.values = pairs.iter().map(value).collect();
            level.places.push(place);
            *last = column;
            continue;
        }
        columns.push(numbers);
        levels.push(Level {
            places: vec![place],
            values: known.into_iter().map(|value| vec![value]).collect(),
        });
    }
    Ok((levels, columns))
}

/// The values that occur, ascending, and for each row the number of its value.
fn number(mut column: Vec<u32>) -> (Vec<u32>, Vec<u32>) {
    let most = column.iter().copied().max().unwrap_or(0);
    if most as usize > column.len().max(1 << 10) {
        let mut known = column.clone();
        known.sort_unstable();
        known.dedup();
        for value in &mut column {
            *value = known.binary_search(value).unwrap_or(0) as u32;
        }
        return (known, column);
    }
    let mut seen = vec![false; most as usize + 1];
    for &value in &column {
        seen[value as usize] = true;
    }
    let known: Vec<u32> = (0..=most).filter(|&value| seen[value as usize]).collect();
    let mut numbers = vec![0; seen.len()];
    for (number, &value) in known.iter().enumerate() {
        numbers[value as usize] = number as u32;
    }
    for value in &mut column {
        *value = numbers[*value as usize];
    }
    (known, column)
}

/// Pairs of numbers of values, ascending, and for each row the number of its pair.
type Joined = (Vec<(u32, u32)>, Vec<u32>);

/// The pairs of two columns, each with how many values it has; none if there are too many.
fn join(left: (&[u32], usize), right: (&[u32], usize)) -> Option<Joined> {
    let (width, size) = (right.1, left.1 * right.1);
    if left.1.max(right.1) > MOST_VALUES {
        return None;
    }
    let code = |(&l, &r): (&u32, &u32)| l as usize * width + r as usize;
    let (mut numbers, mut count) = (vec![u32::MAX; size], 0);
    for pair in left.0.iter().zip(right.0) {
        let number = &mut numbers[code(pair)];
        if *number == u32::MAX {
            *number = 0;
            count += 1;
            if count > MOST_VALUES {
                return None;
            }
        }
    }
    let mut pairs = Vec::new();
    for (code, number) in numbers.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *number = pairs.len() as u32;
        pairs.push(((code / width) as u32, (code % width) as u32));
    }
    let column = left.0.iter().zip(right.0);
    Some((pairs, column.map(|pair| numbers[code(pair)]).collect()))
}

/// Nodes of one level that are made once.
#[derive(Default)]
pub(super) struct Unique {
    numbers: FxHashMap<Box<[(u32, u32)]>, u32>,
    arcs: Vec<(u32, u32)>,
    starts: Vec<usize>,
}

impl Unique {
    /// The number of the node with these arcs.
    pub(super) fn node(&mut self, arcs: &[(u32, u32)]) -> u32 {
        if let Some(&number) = self.numbers.get(arcs) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(arcs.into(), number);
        self.starts.push(self.arcs.len());
        self.arcs.extend_from_slice(arcs);
        number
    }
}

/// Builds the nodes of sorted rows.
struct Builder {
    unique: Vec<Unique>,
    /// The arcs of the nodes on the way to the last row.
    open: Vec<Vec<(u32, u32)>>,
    last: Vec<u32>,
}

impl Builder {
    fn new(width: usize) -> Self {
        Builder {
            unique: (0..width).map(|_| Unique::default()).collect(),
            open: vec![Vec::new(); width],
            last: Vec::new(),
        }
    }

    fn add(&mut self, row: &[u32], leaf: u32) {
        let width = row.len();
        if width == 0 {
            return;
        }
        if !self.last.is_empty() {
            let same = row
                .iter()
                .zip(&self.last)
                .take_while(|(a, b)| a == b)
                .count();
            self.close(same.min(width - 1) + 1);
        }
        // The child of the lowest arc is the leaf; others are put in when their nodes are closed.
        for (level, &value) in row.iter().enumerate() {
            let child = if level + 1 == width { leaf } else { u32::MAX };
            if self.open[level]
                .last()
                .is_none_or(|&(last, _)| last != value)
            {
                self.open[level].push((value, child));
            }
        }
        self.last.clear();
        self.last.extend_from_slice(row);
    }

    /// Closes the nodes of this level and below.
    fn close(&mut self, from: usize) {
        for level in (from..self.open.len()).rev() {
            let number = self.unique[level].node(&self.open[level]);
            self.open[level].clear();
            if let Some(arc) = self.open[level - 1].last_mut() {
                arc.1 = number;
            }
        }
    }

    fn finish(mut self) -> Vec<Unique> {
        if !self.open.is_empty() {
            self.close(1);
            self.unique[0].node(&self.open[0]);
        }
        self.unique
    }
}
