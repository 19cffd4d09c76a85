//! Whether stubborn sets pay, from what they have left out so far and what it took to find them.
//!
//! A search that leaves out nothing must not take much longer than one that does not try. Choices are judged in windows of
//! a few hundred: they go on if nearly half of the enabled groups are left out, since that may save states, or if the steps that
//! are left out would have taken as long as the choices did. Otherwise there is a rest, in which everything is fired, and each rest
//! is twice as long as the one before, up to a limit. Any node may be full, so that is right for all kinds of sets.
//!
//! Work is counted and not measured, and rests are counted in nodes: a search does the same on every machine.

/// What choices have gained.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gain {
    /// The choices of this window, the groups enabled and fired, and the work.
    choices: u32,
    enabled: u64,
    fired: u64,
    work: u64,
    /// How many nodes come without a choice, and how many will when the next window is bad.
    rest: u32,
    next_rest: u32,
}

/// Choices between two judgements.
const WINDOW: u32 = 256;

/// The first rest, and the longest one.
const RESTS: (u32, u32) = (8 * WINDOW, 128 * WINDOW);

/// The work that a step of the product is worth.
const STEP: u64 = 4;

/// The percentage of the enabled groups that are fired where choices go on whatever they take.
const FEW: u64 = 55;

/// Whether choices that fired so many of the enabled groups were worth the work.
pub(crate) fn is_good(enabled: u64, fired: u64, work: u64) -> bool {
    let left_out = enabled.saturating_sub(fired);
    100 * fired <= FEW * enabled || work <= STEP * left_out
}

impl Default for Gain {
    fn default() -> Self {
        Gain {
            choices: 0,
            enabled: 0,
            fired: 0,
            work: 0,
            rest: 0,
            next_rest: RESTS.0,
        }
    }
}

impl Gain {
    /// Whether a set is to be chosen at the next node.
    #[inline]
    pub fn pays(&mut self) -> bool {
        if self.rest == 0 {
            return true;
        }
        self.rest -= 1;
        false
    }

    /// A set was chosen at a node with so many enabled groups, of which so many are fired.
    #[inline]
    pub fn chosen(&mut self, enabled: usize, fired: usize, work: u64) {
        self.enabled += enabled as u64;
        self.fired += fired as u64;
        self.work += work;
        self.choices += 1;
        if self.choices >= WINDOW {
            self.judge();
        }
    }

    /// So many more groups of a node were fired.
    pub fn released(&mut self, kept: usize) {
        self.fired += kept as u64;
    }

    #[cold]
    fn judge(&mut self) {
        if is_good(self.enabled, self.fired, self.work) {
            self.next_rest = RESTS.0;
        } else {
            self.rest = self.next_rest;
            self.next_rest = (2 * self.next_rest).min(RESTS.1);
        }
        (self.choices, self.enabled, self.fired, self.work) = (0, 0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many choices there are at so many nodes, of which each leaves out so many of ten groups.
    fn choices(nodes: u32, left_out: usize, work: u64) -> u32 {
        let mut gain = Gain::default();
        let mut count = 0;
        for _ in 0..nodes {
            if gain.pays() {
                count += 1;
                gain.chosen(10, 10 - left_out, work);
            }
        }
        count
    }

    #[test]
    fn choices_that_leave_out_nothing_become_rare() {
        assert!(choices(100_000, 0, 100) < 3_000);
        assert!(choices(1_000_000, 1, 100) < 10_000);
    }

    #[test]
    fn choices_go_on_where_they_leave_out_half_or_cost_little() {
        assert_eq!(choices(10_000, 5, 1_000_000), 10_000);
        assert_eq!(choices(10_000, 1, STEP), 10_000);
    }
}
