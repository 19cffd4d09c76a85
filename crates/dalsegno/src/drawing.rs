//! Random formulas, one after the other.

use std::collections::HashSet;

use dalsegno_logic::random::{Config, Generator, weak_fair};
use dalsegno_logic::{FormulaId, FormulaStore};

/// After this many repetitions in a row the formulas count as exhausted.
const MAX_REPETITIONS: usize = 10_000;

/// Random formulas of a configuration, optionally under weak fairness and without repetitions.
///
/// # Examples
/// ```
/// use dalsegno::Drawing;
/// use dalsegno::logic::{FormulaStore, random::Config};
///
/// let mut store = FormulaStore::new();
/// let config = Config::ltl().with_propositions(["a"]).with_size(1..=1);
/// let mut drawing = Drawing::new(config).distinct();
/// let all: Vec<_> = std::iter::from_fn(|| drawing.draw(&mut store)).collect();
/// assert_eq!(all.len(), 3); // a, true and false
/// ```
#[derive(Clone, Debug)]
pub struct Drawing {
    generator: Generator,
    fair: Option<usize>,
    seen: Option<HashSet<FormulaId>>,
}

impl Drawing {
    /// Formulas of the configuration as they come.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Drawing {
            generator: Generator::new(config),
            fair: None,
            seen: None,
        }
    }

    /// These formulas φ as `(GF p1 & … & GF pn) -> φ` for `n` random propositions.
    #[must_use]
    pub fn weakly_fair(mut self, n: usize) -> Self {
        self.fair = Some(n);
        self
    }

    /// These formulas, each once.
    #[must_use]
    pub fn distinct(mut self) -> Self {
        self.seen = Some(HashSet::new());
        self
    }

    /// The next formula, or `None` if each is wanted once and no new one was found for long.
    ///
    /// The store must be the same each time: which formulas are the same is known to it.
    pub fn draw(&mut self, store: &mut FormulaStore) -> Option<FormulaId> {
        for _ in 0..MAX_REPETITIONS {
            let f = match self.fair {
                None => self.generator.next_formula(store),
                Some(n) => weak_fair(&mut self.generator, store, n),
            };
            if self.seen.as_mut().is_none_or(|seen| seen.insert(f)) {
                return Some(f);
            }
        }
        None
    }
}
