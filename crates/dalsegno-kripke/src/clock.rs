//! The clock: the one place that reads it.
//!
//! [`Instant`] is that of the standard library wherever there is one. A module of WebAssembly in a browser has no clock of
//! its own: the page sets it once by a function, and without one time stands still, so that no deadline passes.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use without_clock::{Instant, set_clock};

/// What stands for the clock where the system has none; compiled everywhere so that its tests run everywhere.
#[cfg(any(target_family = "wasm", test))]
mod without_clock {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Sets the clock: a function that gives the time since some moment and never goes back. The first one stays.
    pub fn set_clock(clock: fn() -> Duration) {
        let _ = CLOCK.set(clock);
    }

    /// A moment, as in the standard library.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        #[must_use]
        pub fn now() -> Self {
            Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// The time since this moment.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Self::now().saturating_duration_since(*self)
        }

        /// The time from an earlier moment to this one; nothing if that one is later.
        #[must_use]
        pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// The moment after so much time, if there is one.
        #[must_use]
        pub fn checked_add(&self, time: Duration) -> Option<Self> {
            self.0.checked_add(time).map(Instant)
        }
    }

    #[cfg(test)]
    mod tests {
        use std::sync::atomic::{AtomicU64, Ordering};

        use super::*;

        static SECONDS: AtomicU64 = AtomicU64::new(0);

        #[test]
        fn moments_are_those_of_the_clock_that_was_set_first() {
            let before = Instant::now();
            assert_eq!(before.elapsed(), Duration::ZERO);
            set_clock(|| Duration::from_secs(SECONDS.load(Ordering::Relaxed)));
            set_clock(|| Duration::MAX);
            SECONDS.store(5, Ordering::Relaxed);
            assert_eq!(before.elapsed(), Duration::from_secs(5));
            let now = Instant::now();
            SECONDS.store(7, Ordering::Relaxed);
            assert_eq!(now.elapsed(), Duration::from_secs(2));
            assert_eq!(before.saturating_duration_since(now), Duration::ZERO);
            let later = now.checked_add(Duration::from_secs(3));
            assert!(later.is_some_and(|later| later > Instant::now()));
            assert_eq!(now.checked_add(Duration::MAX), None);
        }
    }
}
