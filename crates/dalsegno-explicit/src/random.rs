//! Numbers that vary a search, the same for the same seed everywhere.

/// Xorshift (Marsaglia 2003): random enough to vary a search.
#[derive(Clone, Debug)]
pub(crate) struct Xorshift(u64);

impl Xorshift {
    pub fn new(seed: u64) -> Self {
        Xorshift(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// A number below `n`, which is not 0.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }
}
