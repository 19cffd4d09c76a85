//! A fixed pseudo-random number generator.

/// `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014): 64 bits of state, a sequence that is part of the interface.
///
/// The same seed gives the same numbers on every platform and in every release, so a seed names a
/// formula, a word or a net for ever. Not for secrets.
///
/// # Examples
/// ```
/// use dalsegno_logic::random::Rng;
///
/// let mut rng = Rng::new(0);
/// assert_eq!(rng.next_u64(), 0xe220_a839_7b1d_cdaf);
/// assert!(rng.below(6) < 6);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The generator that a seed determines.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Rng { state: seed }
    }

    /// The next number, uniform over all 64-bit numbers.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, uniform.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        // The numbers from `fair` on would favour small remainders.
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let n = self.next_u64();
            if n < fair {
                return n % bound;
            }
        }
    }

    /// An index below `len`, uniform.
    ///
    /// # Panics
    /// If `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// True with probability `numerator / denominator`.
    ///
    /// # Panics
    /// If `denominator` is 0.
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut rng = Rng::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| rng.next_u64()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn every_number_below_the_bound_comes_about_equally_often() {
        let mut rng = Rng::new(1);
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[rng.index(6)] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
    }
}
