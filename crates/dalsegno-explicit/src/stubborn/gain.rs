//! Whether stubborn sets pay, from what they have left out so far and what it took to find them.
//!
//! A search that leaves out nothing must not take much longer than one that does not try. Choices are judged now and then:
//! they go on if nearly half of the enabled groups are left out, whatever that takes, since it may save most of the states, or if
//! the steps that are left out would have taken as long as the choices did. Earlier choices count less and less. Otherwise there is a rest, in which
//! everything is fired, so long that what was spent is a small part, and each rest in a row is longer than the one before. Any node may be
//! full, so that is right for all kinds of sets.
//!
//! Work is counted and not measured, and rests are counted in nodes: a search does the same on every machine.

/// What choices have gained.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Gain {
    /// The choices since the last judgement, and the work that they took.
    choices: u32,
    spent: u64,
    /// The groups enabled and fired, and the work, of late.
    enabled: u64,
    fired: u64,
    work: u64,
    /// How many nodes come without a choice, and how many rests there were in a row.
    rest: u64,
    rests: u32,
}

/// Choices between two judgements: so many, or so many if they have taken much work.
const CHOICES: (u32, u32) = (256, 128);

/// Much work.
const MUCH: u64 = 1 << 13;

/// The work that takes as long as a step of the product.
const STEP: u64 = 5;

/// Nodes of a rest for a hundred of work that did not pay.
const REST: u64 = 30;

/// The percentage of the enabled groups that are fired where choices go on whatever they take.
const FEW: u64 = 57;

/// Whether choices that fired so many of the enabled groups were worth the work.
pub(crate) fn is_good(enabled: u64, fired: u64, work: u64) -> bool {
    let left_out = enabled.saturating_sub(fired);
    work <= STEP * left_out || 100 * fired <= FEW * enabled
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
        self.spent += work;
        self.choices += 1;
        let (most, least) = CHOICES;
        if self.choices >= most || (self.spent > MUCH && self.choices >= least) {
            self.judge();
        }
    }

    /// So many more groups of a node were fired.
    pub fn released(&mut self, kept: usize) {
        self.fired += kept as u64;
    }

    #[cold]
    fn judge(&mut self) {
        self.work += self.spent;
        if is_good(self.enabled, self.fired, self.work) {
            self.rests = 0;
            for sum in [&mut self.enabled, &mut self.fired, &mut self.work] {
                *sum -= *sum / 16;
            }
        } else {
            let length = 1 + self.rests.min(7);
            self.rest = u64::from(length) * REST * self.spent / 100;
            self.rests += 1;
            (self.enabled, self.fired, self.work) = (0, 0, 0);
        }
        (self.choices, self.spent) = (0, 0);
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
        assert!(choices(20_000, 1, 1_000) < 200);
    }

    #[test]
    fn choices_go_on_where_they_leave_out_much_or_cost_little() {
        assert_eq!(choices(10_000, 5, 1_000_000), 10_000);
        assert_eq!(choices(10_000, 1, STEP - 1), 10_000);
    }
}
