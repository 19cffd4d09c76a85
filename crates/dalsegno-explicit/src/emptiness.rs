//! Emptiness checks on the fly: Couvreur's, and the two passes for TA, in one loop that can be interrupted.
//!
//! A pass of Couvreur's algorithm (see `couvreur.rs`) decides acceptance by marks. For TA (P12 Algorithms 2 and 3,
//! after Geldenhuys and Hansen), the same search also tells in its first pass
//!
//! - a component without any change that has a livelock state, and
//! - a cycle through a livelock state that has no successors but itself,
//!
//! and if it met livelock states but no accepting cycle, a second pass looks at stuttering transitions
//! alone, from every node that the first one saw.
//!
//! A search may be told to look at a part only, by [`Config`]: a cycle that it finds is one of the whole
//! product, and if it left nothing out its "no" is one of the whole product too. A path after which the
//! observer accepts whatever comes next is kept, or ends the search.
//!
//! A search holds no product between two calls: the store and the view are lent to it. Whether it is interrupted
//! makes no difference to what it finds.
//!
//! Cost: linear in the product, independent of the number of acceptance sets; two passes at most.

use dalsegno_kripke::Budget;

use crate::couvreur::{Couvreur, Effort, Left};
use crate::product::Product;
pub use crate::search::{Accepting, Config, Explored, Firing, Path, Prefixes, Search};
use crate::space::Error;

/// A search for an accepting cycle.
pub struct Emptiness {
    config: Config,
    pass: Couvreur,
    explored: Explored,
    /// Whether this is the second pass, and what the first one has left.
    second: bool,
    cut: bool,
    groups: (u64, u64),
    prefix: Option<Path>,
    end: Option<End>,
}

/// How a search has ended.
struct End {
    accepting: Option<Accepting>,
    /// Whether nothing was left out.
    complete: bool,
}

impl Emptiness {
    /// A search that has seen nothing. The view of the product belongs to it until it is done.
    pub fn new(product: &mut Product<'_>, config: Config) -> Self {
        product.start();
        Emptiness {
            config,
            pass: Couvreur::new(product, config, false),
            explored: Explored {
                passes: 1,
                ..Explored::default()
            },
            second: false,
            cut: false,
            groups: (0, 0),
            prefix: None,
            end: None,
        }
    }

    /// Searches until the end is reached, which is true, or until about `nodes` more nodes were entered; `progress` is
    /// told the nodes and transitions seen now and then.
    ///
    /// # Errors
    /// When the budget runs out or the model faults. The search may go on, exactly where it was, with another budget.
    pub fn advance(
        &mut self,
        product: &mut Product<'_>,
        nodes: u64,
        budget: &Budget,
        progress: impl FnMut(&Explored),
    ) -> Result<bool, Error> {
        // The store is shared, and the limit of values is not.
        product.set_cap(self.config.bits);
        let ended = self.search(product, nodes, budget, progress);
        product.set_cap(None);
        ended
    }

    fn search(
        &mut self,
        product: &mut Product<'_>,
        nodes: u64,
        budget: &Budget,
        progress: impl FnMut(&Explored),
    ) -> Result<bool, Error> {
        let mut effort = Effort::new(budget, self.explored, nodes, progress);
        let mut result = Ok(self.end.is_some());
        while matches!(result, Ok(false)) {
            let left = self.pass.check(product, budget);
            let left = left.and_then(|()| self.pass.advance(product, &mut effort));
            result = match left {
                Ok(Left::Paused) => break,
                Ok(Left::Ended(None)) if self.needs_second(product) => {
                    self.cut |= self.pass.cut;
                    self.prefix = self.pass.prefix.take();
                    self.groups = self.groups_so_far();
                    self.pass = Couvreur::new(product, self.config, true);
                    self.second = true;
                    effort.explored.passes += 1;
                    Ok(false)
                }
                Ok(Left::Ended(accepting)) => {
                    let cut = self.cut || self.pass.cut;
                    let complete = !cut && self.prefix().is_none() && !product.is_pruned();
                    self.end = Some(End {
                        accepting,
                        complete,
                    });
                    Ok(true)
                }
                Err(error) => Err(error),
            };
        }
        self.explored = effort.explored;
        (self.explored.enabled, self.explored.fired) = self.groups_so_far();
        result
    }

    /// The groups enabled and fired where stubborn sets were looked for, in all passes.
    fn groups_so_far(&self) -> (u64, u64) {
        let (enabled, fired) = self.pass.groups();
        (self.groups.0 + enabled, self.groups.1 + fired)
    }

    /// Whether stuttering for ever may still accept what the first pass has not found.
    fn needs_second(&self, product: &Product<'_>) -> bool {
        !self.second && product.is_ta() && self.pass.met_livelock
    }

    /// What was looked at.
    #[must_use]
    pub fn explored(&self) -> &Explored {
        &self.explored
    }

    /// A path after which everything is accepted, if it was asked for and has been found.
    #[must_use]
    pub fn prefix(&self) -> Option<&Path> {
        // Every path is one of the first pass.
        let pass = if self.second {
            &self.prefix
        } else {
            &self.pass.prefix
        };
        pass.as_ref()
    }

    /// The bytes of the tables, without those of the product.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pass.bytes()
    }

    /// What was found. Of a search that has not ended it is not complete.
    #[must_use]
    pub fn result(self) -> Search {
        let prefix = self.prefix().cloned();
        let complete = self.end.as_ref().is_some_and(|end| end.complete);
        Search {
            accepting: self.end.and_then(|end| end.accepting),
            closing: self.pass.closing.filter(|_| !self.second),
            prefix,
            explored: self.explored,
            visited: self.pass.number,
            cut: self.cut || self.pass.cut,
            complete,
        }
    }
}
