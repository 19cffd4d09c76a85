//! Short cycles through a state, for formulas that ask for a run that never ends.
//!
//! A walk through a large net hardly ever meets a state twice: while one part comes round, the others have moved. So a cycle
//! is looked for by keeping to what the first step has changed. A step takes from variables that have more than at the
//! start, and among such steps those come first that bring the most variables back to what they were; now and then any of
//! them, so that walks differ. In a net of processes this follows one process, and whom it meets, until all are back.
//!
//! A cycle that is found is one: it leads to the state from which it starts, by steps that were fired.

use dalsegno_kripke::{Budget, Fault, GroupId, Predicate, Stop};

use super::way::Ways;

/// The steps of the shortest walks.
const SHORT: usize = 16;

/// Walks are of this many lengths, each twice as long as the one before.
const LENGTHS: usize = 6;

/// One step in so many is any that takes from what is more.
const ANY: u64 = 4;

/// Steps in a row that lead where the cycle must not go, before the walk is given up.
const REFUSED: u32 = 8;

/// How a state differs from the one at the start.
#[derive(Default)]
pub(super) struct Difference {
    by: Vec<i64>,
    /// The variables that have changed since the start; they may be back.
    touched: Vec<u32>,
    /// How many variables differ.
    differing: usize,
}

impl Difference {
    fn begin(&mut self, variables: usize) {
        self.by.resize(variables, 0);
        for v in self.touched.drain(..) {
            self.by[v as usize] = 0;
        }
        self.differing = 0;
    }

    fn add(&mut self, effects: &[(u32, i64)]) {
        for &(v, n) in effects {
            let by = &mut self.by[v as usize];
            if *by == 0 {
                self.touched.push(v);
                self.differing += 1;
            }
            *by += n;
            if *by == 0 {
                self.differing -= 1;
                // It is among the last ones, or of little harm: a variable that is back is skipped.
                if self.touched.last() == Some(&v) {
                    self.touched.pop();
                }
            }
        }
    }

    /// By how much steps bring the state nearer to that at the start.
    fn gain(&self, effects: &[(u32, i64)]) -> i64 {
        let gain = |&(v, n): &(u32, i64)| {
            let by = self.by[v as usize];
            by.abs() - (by + n).abs()
        };
        effects.iter().map(gain).sum()
    }
}

impl Ways {
    /// The groups to fire from a state to come back to it through states that satisfy `hold`; none if no such cycle was
    /// found with so much work.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn around(
        &mut self,
        from: &[u32],
        hold: &Predicate,
        work: u64,
        budget: &Budget,
    ) -> Result<&[GroupId], Stop> {
        self.begin(from);
        let end = self.work() + work;
        let mut walks = 0;
        while self.work() < end && !self.tokens.enabled().is_empty() {
            self.watch(budget)?;
            // Walks count as work, so that this ends where no step can be taken.
            self.tokens.work += 8;
            match self.come_back(hold, SHORT << (walks % LENGTHS)) {
                Ok(true) => return Ok(&self.way),
                Ok(false) => {}
                Err(_) => self.begin(from),
            }
            walks += 1;
        }
        self.way.clear();
        Ok(&self.way)
    }

    /// One walk; if it does not come back, its steps are taken back.
    fn come_back(&mut self, hold: &Predicate, steps: usize) -> Result<bool, Fault> {
        self.way.clear();
        self.round += 1;
        self.difference.begin(self.tokens.state().len());
        let mut refused = 0;
        let mut next = Some(self.any_enabled());
        while let Some(group) = next {
            if self.step(group, None, hold)? {
                refused = 0;
                self.difference.add(self.tokens.effects(group));
                if self.difference.differing == 0 {
                    return Ok(true);
                }
            } else {
                refused += 1;
            }
            if refused == REFUSED || self.way.len() >= steps {
                break;
            }
            next = self.nearer();
        }
        while let Some(group) = self.way.pop() {
            self.tokens.take_back(group.0, &mut self.goals)?;
        }
        self.settle();
        Ok(false)
    }

    /// An enabled group that takes from what is more than at the start.
    fn nearer(&mut self) -> Option<u32> {
        let any = self.random.below(ANY) == 0;
        let (mut best, mut most, mut ties, mut looked) = (None, i64::MIN, 0, 0);
        for &v in &self.difference.touched {
            if self.difference.by[v as usize] <= 0 {
                continue;
            }
            for test in self.tokens.tests(v) {
                looked += 1;
                if test.inhibits || !self.tokens.is_enabled(test.group) {
                    continue;
                }
                let effects = self.tokens.effects(test.group);
                // What only tests the variable does not bring it back.
                if !effects.iter().any(|&(w, n)| w == v && n < 0) {
                    continue;
                }
                let used = match self.recent[test.group as usize] {
                    (round, used) if round == self.round => i64::from(used),
                    _ => 0,
                };
                let gain = if any {
                    0
                } else {
                    self.difference.gain(effects) - used
                };
                if gain > most {
                    (most, ties) = (gain, 0);
                }
                if gain == most {
                    ties += 1;
                    if self.random.below(ties) == 0 {
                        best = Some(test.group);
                    }
                }
            }
        }
        self.tokens.work += looked;
        best
    }
}
