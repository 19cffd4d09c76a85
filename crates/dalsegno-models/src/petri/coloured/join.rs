//! Running a plan: all bindings of a transition that its tokens and its guard allow.
//!
//! Backtracking over the steps of a [`Plan`] with a cursor per step; the stack is a vector.

use dalsegno_kripke::{Budget, Stop};

use super::multiset::{part_value, shifted};
use super::plan::{Plan, Step};
use super::relation::Tokens;

/// How many steps are taken between two looks at the clock.
const PATIENCE: u32 = 1 << 14;

/// Where a step is.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    list: u32,
    next: u32,
    entered: bool,
}

/// A search for bindings, and its buffers.
#[derive(Debug, Default)]
pub(super) struct Search {
    cursors: Vec<Cursor>,
    depth: usize,
    steps: u32,
    /// The pattern that the newest token was taken for, its place and its colour.
    newest: Option<(usize, u32, u64)>,
}

impl Search {
    /// Starts with a token for the first pattern of the plan; false if it does not match.
    pub(super) fn start(
        &mut self,
        plan: &Plan,
        newest: Option<(usize, u32, u64)>,
        values: &mut [u32],
    ) -> bool {
        self.cursors.clear();
        self.cursors.resize(plan.steps.len() + 1, Cursor::default());
        self.depth = 0;
        self.newest = newest;
        match newest {
            Some((_, _, colour)) => plan.first.iter().all(|take| take.apply(colour, values)),
            None => true,
        }
    }

    /// Goes on to the next binding; false if there is none.
    ///
    /// # Errors
    /// When the budget runs out.
    pub(super) fn next(
        &mut self,
        plan: &Plan,
        tokens: &Tokens,
        values: &mut [u32],
        budget: &Budget,
    ) -> Result<bool, Stop> {
        self.next_where(plan, tokens, values, budget, |_, _| true)
    }

    /// As [`Search::next`], with only those colours that `admits` admits for the variables that a step binds.
    ///
    /// # Errors
    /// When the budget runs out.
    pub(super) fn next_where(
        &mut self,
        plan: &Plan,
        tokens: &Tokens,
        values: &mut [u32],
        budget: &Budget,
        admits: impl Fn(usize, &[u32]) -> bool,
    ) -> Result<bool, Stop> {
        // Behind a binding lies the way back.
        if self.depth == plan.steps.len() && self.cursors[self.depth].entered {
            if self.depth == 0 {
                return Ok(false);
            }
            self.cursors[self.depth].entered = false;
            self.depth -= 1;
        }
        loop {
            self.steps += 1;
            if self.steps >= PATIENCE {
                self.steps = 0;
                budget.check()?;
            }
            let Some(step) = plan.steps.get(self.depth) else {
                self.cursors[self.depth].entered = true;
                return Ok(true);
            };
            if self.advance(step, tokens, values) {
                if !admits(self.depth, values) {
                    continue;
                }
                self.depth += 1;
                self.cursors[self.depth] = Cursor::default();
            } else if self.depth == 0 {
                return Ok(false);
            } else {
                self.depth -= 1;
            }
        }
    }

    /// The next alternative of the current step.
    fn advance(&mut self, step: &Step, tokens: &Tokens, values: &mut [u32]) -> bool {
        let newest = self.newest;
        let cursor = &mut self.cursors[self.depth];
        let first = !std::mem::replace(&mut cursor.entered, true);
        // Among equal patterns the newest token counts for the first only: so a binding is met once.
        let repeated = |pattern: usize, place: u32, colour: u64| {
            newest.is_some_and(|(at, p, c)| pattern < at && (p, c) == (place, colour))
        };
        match step {
            Step::Check(guard) => first && guard.holds(values),
            Step::Solve {
                leaf,
                unshift,
                size,
                from,
            } => {
                values[leaf.index()] = shifted(from.value(values), *unshift, *size);
                first
            }
            Step::Has {
                place,
                parts,
                pattern,
            } => {
                if !first {
                    return false;
                }
                let colour = key(parts, values);
                tokens.has_arrived(*place, colour) && !repeated(*pattern, *place, colour)
            }
            Step::Enumerate { leaf, colours } => {
                if first {
                    let Some(&(low, _)) = colours.first() else {
                        return false;
                    };
                    cursor.next = low;
                    cursor.list = 0;
                } else if cursor.next == colours[cursor.list as usize].1 {
                    cursor.list += 1;
                    let Some(&(low, _)) = colours.get(cursor.list as usize) else {
                        return false;
                    };
                    cursor.next = low;
                } else {
                    cursor.next += 1;
                }
                values[leaf.index()] = cursor.next;
                true
            }
            Step::Match {
                place,
                index,
                key: parts,
                takes,
                pattern,
            } => {
                if first {
                    let Some(list) = tokens.list(*place, *index, key(parts, values)) else {
                        return false;
                    };
                    cursor.list = list;
                    cursor.next = 0;
                }
                let colours = tokens.colours(cursor.list);
                while let Some(&colour) = colours.get(cursor.next as usize) {
                    cursor.next += 1;
                    self.steps += 1;
                    if !repeated(*pattern, *place, colour)
                        && takes.iter().all(|take| take.apply(colour, values))
                    {
                        return true;
                    }
                }
                false
            }
        }
    }
}

fn key(parts: &[(super::multiset::Part, u32)], values: &[u32]) -> u64 {
    parts.iter().fold(0, |key, &(part, size)| {
        key * u64::from(size) + u64::from(part_value(part, size, values))
    })
}
