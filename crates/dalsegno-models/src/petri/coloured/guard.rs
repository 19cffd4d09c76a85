//! Guards: conditions on the colours that variables stand for.
//!
//! Guards are kept in negation normal form. Whatever speaks of one variable alone is a set of colours,
//! written as intervals, so that `x != 3` over a million colours costs two numbers.

use std::collections::BTreeMap;

use dalsegno_kripke::Relation;
use rustc_hash::FxHashMap;

use super::multiset::{LeafId, shifted};

/// A set of colours: disjoint intervals with both ends included, ascending, and never two that touch.
pub type Intervals = Vec<(u32, u32)>;

/// A variable, some places further on in its sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shifted {
    /// The variable.
    pub leaf: LeafId,
    /// How far; below the size.
    pub shift: u32,
    /// The size of its sort.
    pub size: u32,
}

impl Shifted {
    /// The colour under `values` of the leaves.
    #[inline]
    #[must_use]
    pub fn value(self, values: &[u32]) -> u32 {
        shifted(values[self.leaf.index()], self.shift, self.size)
    }
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// All of them; true if there are none.
    And(Vec<Guard>),
    /// Some of them; false if there are none.
    Or(Vec<Guard>),
    /// The variable has one of these colours.
    Member(LeafId, Intervals),
    /// Two different variables compared by their positions in the sort.
    Compare(Shifted, Relation, Shifted),
}

impl Guard {
    /// What always holds.
    pub const TRUE: Guard = Guard::And(Vec::new());
    /// What never holds.
    pub const FALSE: Guard = Guard::Or(Vec::new());

    /// A truth value.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        if value { Guard::TRUE } else { Guard::FALSE }
    }

    /// The variable, shifted, has one of these colours.
    #[must_use]
    pub fn member(variable: Shifted, colours: &Intervals) -> Self {
        let Shifted { leaf, shift, size } = variable;
        if size == 0 {
            return Guard::FALSE;
        }
        let mut moved = Intervals::new();
        for &(low, high) in colours {
            // The colours that `shift` takes to `low..=high`.
            let (low, high) = (u64::from(low), u64::from(high));
            let (size, shift) = (u64::from(size), u64::from(shift));
            let first = (low + size - shift) % size;
            let last = first + (high - low);
            if last < size {
                moved.push((first as u32, last as u32));
            } else {
                moved.push((first as u32, size as u32 - 1));
                moved.push((0, (last - size) as u32));
            }
        }
        normalise(&mut moved);
        if moved.is_empty() {
            return Guard::FALSE;
        }
        if moved == [(0, size.wrapping_sub(1))] {
            return Guard::TRUE;
        }
        Guard::Member(leaf, moved)
    }

    /// The comparison of a variable with a colour.
    #[must_use]
    pub fn compare_constant(variable: Shifted, op: Relation, colour: u32) -> Self {
        let Some(last) = variable.size.checked_sub(1) else {
            return Guard::FALSE;
        };
        let below = |end: Option<u32>| end.map(|end| (0, end.min(last)));
        let above = |start: Option<u32>| start.filter(|&s| s <= last).map(|s| (s, last));
        let colours: Intervals = match op {
            Relation::Lt => below(colour.checked_sub(1)).into_iter().collect(),
            Relation::Le => below(Some(colour)).into_iter().collect(),
            Relation::Gt => above(colour.checked_add(1)).into_iter().collect(),
            Relation::Ge => above(Some(colour)).into_iter().collect(),
            Relation::Eq => vec![(colour, colour)],
            Relation::Ne => below(colour.checked_sub(1))
                .into_iter()
                .chain(above(colour.checked_add(1)))
                .collect(),
        };
        Guard::member(variable, &colours)
    }

    /// The comparison of two variables of one sort.
    #[must_use]
    pub fn compare(left: Shifted, op: Relation, right: Shifted) -> Self {
        if left == right {
            return Guard::constant(op.holds(0, 0));
        }
        if left.size == 0 {
            return Guard::FALSE;
        }
        if left.leaf == right.leaf {
            let equal = left.shift == right.shift;
            match op {
                Relation::Eq => return Guard::constant(equal),
                Relation::Ne => return Guard::constant(!equal),
                _ => {}
            }
            // Where the order of x + a and x + b changes, one of them passes the end of the cycle.
            let size = left.size;
            let mut cuts = vec![0, (size - left.shift) % size, (size - right.shift) % size];
            cuts.sort_unstable();
            cuts.dedup();
            let ends = cuts.iter().skip(1).map(|&c| c - 1).chain([size - 1]);
            let position = |v: Shifted, x| i64::from(shifted(x, v.shift, size));
            let holds = |x| op.holds(position(left, x), position(right, x));
            let pieces = cuts.iter().copied().zip(ends);
            let colours = pieces.filter(|&(low, _)| holds(low)).collect();
            return Guard::member(Shifted { shift: 0, ..left }, &colours);
        }
        if left < right {
            Guard::Compare(left, op, right)
        } else {
            Guard::Compare(right, op.flipped(), left)
        }
    }

    /// The conjunction: nested ones are flattened, and sets of one variable intersected.
    #[must_use]
    pub fn and(guards: impl IntoIterator<Item = Guard>) -> Self {
        gather(guards, true)
    }

    /// The disjunction: nested ones are flattened, and sets of one variable united.
    #[must_use]
    pub fn or(guards: impl IntoIterator<Item = Guard>) -> Self {
        gather(guards, false)
    }

    /// The opposite; `size` tells how many colours a variable's sort has.
    #[must_use]
    pub fn negate(&self, size: &impl Fn(LeafId) -> u32) -> Self {
        match self {
            Guard::And(guards) => Guard::or(guards.iter().map(|g| g.negate(size))),
            Guard::Or(guards) => Guard::and(guards.iter().map(|g| g.negate(size))),
            Guard::Member(leaf, colours) => {
                let size = size(*leaf);
                let variable = Shifted {
                    leaf: *leaf,
                    shift: 0,
                    size,
                };
                Guard::member(variable, &complement(colours, size))
            }
            Guard::Compare(left, op, right) => Guard::Compare(*left, op.negated(), *right),
        }
    }

    /// Whether it holds under `values` of the leaves.
    #[must_use]
    pub fn holds(&self, values: &[u32]) -> bool {
        match self {
            Guard::And(guards) => guards.iter().all(|g| g.holds(values)),
            Guard::Or(guards) => guards.iter().any(|g| g.holds(values)),
            Guard::Member(leaf, colours) => contains(colours, values[leaf.index()]),
            Guard::Compare(left, op, right) => op.holds(
                i64::from(left.value(values)),
                i64::from(right.value(values)),
            ),
        }
    }

    /// Appends the variables that occur.
    pub fn leaves(&self, out: &mut Vec<LeafId>) {
        match self {
            Guard::And(guards) | Guard::Or(guards) => {
                for guard in guards {
                    guard.leaves(out);
                }
            }
            Guard::Member(leaf, _) => out.push(*leaf),
            Guard::Compare(left, _, right) => out.extend([left.leaf, right.leaf]),
        }
    }

    /// About how much memory it takes, in its smallest parts.
    pub(crate) fn len(&self) -> usize {
        1 + match self {
            Guard::And(guards) | Guard::Or(guards) => guards.iter().map(Guard::len).sum(),
            Guard::Member(_, colours) => colours.len(),
            Guard::Compare(..) => 1,
        }
    }

    /// The parts that must all hold.
    #[must_use]
    pub fn conjuncts(&self) -> &[Guard] {
        match self {
            Guard::And(guards) => guards,
            other => std::slice::from_ref(other),
        }
    }
}

/// Whether a colour is in the set.
#[must_use]
pub fn contains(colours: &Intervals, colour: u32) -> bool {
    let after = colours.partition_point(|&(low, _)| low <= colour);
    after > 0 && colours[after - 1].1 >= colour
}

/// Sorts intervals and joins those that touch.
pub fn normalise(colours: &mut Intervals) {
    colours.sort_unstable();
    let mut kept = 0;
    for i in 0..colours.len() {
        let (low, high) = colours[i];
        if kept > 0 && u64::from(colours[kept - 1].1) + 1 >= u64::from(low) {
            colours[kept - 1].1 = colours[kept - 1].1.max(high);
        } else {
            colours[kept] = (low, high);
            kept += 1;
        }
    }
    colours.truncate(kept);
}

/// The colours below `size` that are not in the set.
#[must_use]
pub fn complement(colours: &Intervals, size: u32) -> Intervals {
    let mut others = Intervals::new();
    let mut next = 0;
    for &(low, high) in colours {
        if next < low {
            others.push((next, low - 1));
        }
        next = high.saturating_add(1);
    }
    if next < size {
        others.push((next, size - 1));
    }
    others
}

/// The colours in both sets.
#[must_use]
pub fn intersection(a: &Intervals, b: &Intervals) -> Intervals {
    let (mut i, mut j) = (0, 0);
    let mut both = Intervals::new();
    while i < a.len() && j < b.len() {
        let (low, high) = (a[i].0.max(b[j].0), a[i].1.min(b[j].1));
        if low <= high {
            both.push((low, high));
        }
        if a[i].1 < b[j].1 {
            i += 1;
        } else {
            j += 1;
        }
    }
    both
}

/// The colours in all sets; pair by pair, so that none is gone through once per other set.
fn intersection_of(mut sets: Vec<Intervals>) -> Intervals {
    while sets.len() > 1 {
        let pairs = sets.chunks(2).map(|pair| match pair {
            [a, b] => intersection(a, b),
            rest => rest.concat(),
        });
        sets = pairs.collect();
    }
    sets.pop().unwrap_or_default()
}

fn gather(guards: impl IntoIterator<Item = Guard>, conjunction: bool) -> Guard {
    let mut flat: Vec<Guard> = Vec::new();
    for guard in guards {
        match guard {
            Guard::And(inner) if conjunction => flat.extend(inner),
            Guard::Or(inner) if !conjunction => flat.extend(inner),
            other => flat.push(other),
        }
    }
    let (zero, one) = (Guard::constant(!conjunction), Guard::constant(conjunction));
    if flat.contains(&zero) {
        return zero;
    }
    // Sets of one variable become one, at the place of the first.
    let mut kept: Vec<Guard> = Vec::with_capacity(flat.len());
    let mut members: FxHashMap<LeafId, usize> = FxHashMap::default();
    // The further sets of a variable of a conjunction, by the place of the first.
    let mut further: BTreeMap<usize, Vec<Intervals>> = BTreeMap::new();
    for guard in flat {
        if let Guard::Member(leaf, _) = &guard {
            if let Some(&at) = members.get(leaf) {
                match (guard, &mut kept[at]) {
                    (Guard::Member(_, colours), _) if conjunction => {
                        further.entry(at).or_default().push(colours);
                    }
                    (Guard::Member(_, colours), Guard::Member(_, known)) => known.extend(colours),
                    _ => {}
                }
                continue;
            }
            members.insert(*leaf, kept.len());
        }
        kept.push(guard);
    }
    for (at, sets) in further {
        if let Guard::Member(_, known) = &mut kept[at] {
            let first = std::mem::take(known);
            *known = intersection_of([first].into_iter().chain(sets).collect());
        }
    }
    for guard in &mut kept {
        if let Guard::Member(_, colours) = guard {
            normalise(colours);
            if colours.is_empty() {
                *guard = Guard::FALSE;
            }
        }
    }
    if kept.contains(&zero) {
        return zero;
    }
    kept.retain(|guard| *guard != one);
    match kept.len() {
        1 => kept.swap_remove(0),
        _ if conjunction => Guard::And(kept),
        _ => Guard::Or(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u32 = 5;
    const RELATIONS: [Relation; 6] = [
        Relation::Le,
        Relation::Lt,
        Relation::Ge,
        Relation::Gt,
        Relation::Eq,
        Relation::Ne,
    ];

    fn variable(leaf: u32, shift: u32) -> Shifted {
        Shifted {
            leaf: LeafId(leaf),
            shift,
            size: SIZE,
        }
    }

    #[test]
    fn comparisons_mean_what_they_say_for_all_colours_and_shifts() {
        for op in RELATIONS {
            for (a, b) in (0..SIZE).flat_map(|a| (0..SIZE).map(move |b| (a, b))) {
                let with_constant = Guard::compare_constant(variable(0, a), op, b);
                let with_itself = Guard::compare(variable(0, a), op, variable(0, b));
                let with_other = Guard::compare(variable(1, a), op, variable(0, b));
                let all = [&with_constant, &with_itself, &with_other];
                let negations = all.map(|guard| guard.negate(&|_| SIZE));
                for (x, y) in (0..SIZE).flat_map(|x| (0..SIZE).map(move |y| (x, y))) {
                    let at = |value: u32, shift: u32| i64::from((value + shift) % SIZE);
                    let values = [x, y];
                    assert_eq!(
                        with_constant.holds(&values),
                        op.holds(at(x, a), i64::from(b))
                    );
                    assert_eq!(with_itself.holds(&values), op.holds(at(x, a), at(x, b)));
                    assert_eq!(with_other.holds(&values), op.holds(at(y, a), at(x, b)));
                    for (guard, negation) in all.iter().zip(&negations) {
                        assert_ne!(guard.holds(&values), negation.holds(&values));
                    }
                }
            }
        }
    }

    #[test]
    fn sets_of_one_variable_are_joined() {
        let is = |x, c| Guard::compare_constant(variable(x, 0), Relation::Eq, c);
        let not = |x, c| Guard::compare_constant(variable(x, 0), Relation::Ne, c);
        assert_eq!(
            Guard::or([is(0, 1), is(1, 0), is(0, 2)]),
            Guard::Or(vec![Guard::Member(LeafId(0), vec![(1, 2)]), is(1, 0)])
        );
        assert_eq!(
            Guard::and([not(0, 1), not(0, 3), Guard::TRUE]),
            Guard::Member(LeafId(0), vec![(0, 0), (2, 2), (4, 4)])
        );
        assert_eq!(Guard::and([is(0, 1), is(0, 2)]), Guard::FALSE);
        assert_eq!(
            Guard::or((0..SIZE).map(|c| is(0, c))),
            Guard::Member(LeafId(0), vec![(0, 4)])
        );
    }
}
