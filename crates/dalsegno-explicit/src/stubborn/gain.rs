//! Whether stubborn sets pay, from what they have left out so far and what it took to find them.
//!
//! A search that leaves out nothing must not take much longer than one that does not try. Choices are judged now and
//! then: they go on if the steps that are left out would have taken as long as the choices did, or if nearly half of the
//! enabled groups are left out *and* that saves states, which may be most of them, whatever it takes. Earlier choices
//! count less and less. Otherwise there is a rest, in which everything is fired, so long that what was spent is a small
//! part, and each rest in a row is longer than the one before. Any node may be full, so that is right for all kinds of
//! sets.
//!
//! A step that is left out saves nothing but itself if its target is found in other ways. Therefore a few steps that were
//! left out are remembered (a [`Sample`]), and looked up when there were half as many choices again: if three of five
//! targets are known by then, too few states are saved. What is looked up is not stored.
//!
//! Work is counted and not measured, and rests are counted in nodes: a search does the same on every machine.

use dalsegno_kripke::GroupId;

use crate::space::StateId;

/// A step that was left out: the state and the group.
pub(crate) type Sample = (StateId, GroupId);

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
    /// All choices so far, and how many there are when the next sample is taken.
    all: u64,
    due: u64,
    /// The last samples, the oldest one at `taken` modulo their number.
    samples: [Option<Sample>; SAMPLES],
    taken: u32,
    /// How many samples were looked up of late, and how many of them led to what was known.
    seen: u32,
    known: u32,
}

/// Samples that wait to be looked up, and the share of the choices that pass between two of them: there have been half
/// as many choices again when a sample is looked up.
const SAMPLES: usize = 16;
const SPARSE: u64 = 32;

/// Samples that are enough to tell, and those after which earlier ones count half.
const ENOUGH: u32 = 8;
const MANY: u32 = 32;

/// Choices between two judgements: so many, or so many if they have taken much work.
const CHOICES: (u32, u32) = (256, 32);

/// Much work.
const MUCH: u64 = 1 << 12;

/// The work that takes as long as a step of the product.
const STEP: u64 = 5;

/// How many times the work that did not pay the nodes of a rest take.
const REST: u64 = 12;

/// The percentage of the enabled groups that are fired where choices go on whatever they take.
const FEW: u64 = 57;

/// Whether choices that fired so many of the enabled groups were worth the work.
pub(crate) fn is_good(enabled: u64, fired: u64, work: u64) -> bool {
    pays_itself(enabled, fired, work) || 100 * fired <= FEW * enabled
}

/// Whether the steps that were left out would have taken as long as choices that fired so many of the enabled groups.
fn pays_itself(enabled: u64, fired: u64, work: u64) -> bool {
    work <= STEP * enabled.saturating_sub(fired)
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
        self.all += 1;
        let (most, least) = CHOICES;
        if self.choices >= most || (self.spent > MUCH && self.choices >= least) {
            self.judge();
        }
    }

    /// So many more groups of a node were fired.
    pub fn released(&mut self, kept: usize) {
        self.fired += kept as u64;
    }

    /// Whether a step that the last choice has left out is to be remembered, and which one of so many.
    #[inline]
    pub fn wants(&self, left_out: usize) -> Option<usize> {
        (left_out > 0 && self.all >= self.due).then(|| self.taken as usize % left_out)
    }

    /// Remembers a step that was left out; the oldest one is to be looked up.
    pub fn remember(&mut self, sample: Sample) -> Option<Sample> {
        self.due = self.all + 3 + self.all / SPARSE;
        let at = self.taken as usize % SAMPLES;
        self.taken = self.taken.wrapping_add(1);
        self.samples[at].replace(sample)
    }

    /// A step that was left out leads to what is known by now, or not.
    pub fn looked_up(&mut self, known: bool) {
        if self.seen >= MANY {
            self.seen /= 2;
            self.known /= 2;
        }
        self.seen += 1;
        self.known += u32::from(known);
    }

    /// Whether leaving steps out seems to save states. Where more targets are known, what is saved of the states is less than
    /// what choices take.
    fn saves_states(&self) -> bool {
        self.seen < ENOUGH || 5 * self.known < 3 * self.seen
    }

    #[cold]
    fn judge(&mut self) {
        self.work += self.spent;
        let (enabled, fired) = (self.enabled, self.fired);
        let good = if self.saves_states() {
            is_good(enabled, fired, self.work)
        } else {
            pays_itself(enabled, fired, self.work)
        };
        if good {
            self.rests = 0;
            for sum in [&mut self.enabled, &mut self.fired, &mut self.work] {
                *sum -= *sum / 16;
            }
        } else {
            let length = 1 + u64::from(self.rests.min(7));
            let node = STEP * (1 + enabled / u64::from(self.choices));
            self.rest = length * REST * self.spent / node;
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

    /// How many choices there are at so many nodes, of which each leaves out nine of ten groups, and how many samples
    /// were looked up, if so many of eight lead to what is known.
    fn sampled(nodes: u32, known: u32) -> (u32, u32) {
        let mut gain = Gain::default();
        let (mut count, mut looks) = (0, 0);
        for node in 0..nodes {
            if gain.pays() {
                count += 1;
                gain.chosen(10, 1, 100);
                if let Some(which) = gain.wants(9)
                    && gain.remember((node, GroupId(which as u32))).is_some()
                {
                    gain.looked_up(looks % 8 < known);
                    looks += 1;
                }
            }
        }
        (count, looks)
    }

    #[test]
    fn choices_become_rare_where_no_states_are_saved() {
        let (count, looks) = sampled(100_000, 8);
        assert!(count < 10_000, "{count}");
        assert!(looks < 1_000, "{looks}");
        assert!(sampled(100_000, 5).0 < 20_000);
        assert_eq!(sampled(100_000, 3).0, 100_000);
    }
}
