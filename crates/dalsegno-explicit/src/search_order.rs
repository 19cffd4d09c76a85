//! In which order a depth-first search takes the groups that are enabled in a state.
//!
//! The answer does not depend on it, but how soon an accepting cycle is found does, by orders of magnitude
//! and for no order always. Searches with several orders, a little time each, find most cycles.

use dalsegno_kripke::{GroupId, Model};

use crate::product::Product;
use crate::random::Xorshift;

/// An order of groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchOrder {
    /// As the model lists them.
    #[default]
    Declared,
    /// The other way round.
    Reversed,
    /// First those that use what the last step made: the search follows one process until it is back
    /// where it was, so cycles of a single process in a large system are short.
    Local,
    /// First those that can change an observed proposition.
    VisibleFirst,
    /// First those that cannot.
    VisibleLast,
    /// Anew at random in each state, the same for the same number.
    Random(u64),
}

/// An order with what it needs to be applied.
pub(crate) struct Arranger {
    order: SearchOrder,
    random: Xorshift,
    /// When each variable was written last, for `Local`.
    written: Vec<u32>,
    now: u32,
    rest: Vec<GroupId>,
}

impl Arranger {
    pub fn new(order: SearchOrder, model: &Model) -> Self {
        Arranger {
            order,
            random: Xorshift::new(match order {
                SearchOrder::Random(seed) => seed,
                _ => 0,
            }),
            written: match order {
                SearchOrder::Local => vec![0; model.variables().len()],
                _ => Vec::new(),
            },
            now: 0,
            rest: Vec::new(),
        }
    }

    /// Puts groups into the order; `last` is the group that led to the state.
    pub fn arrange(
        &mut self,
        product: &Product<'_>,
        last: Option<GroupId>,
        groups: &mut [GroupId],
    ) {
        match self.order {
            SearchOrder::Declared => {}
            SearchOrder::Reversed => groups.reverse(),
            SearchOrder::Random(_) => {
                for i in (1..groups.len()).rev() {
                    groups.swap(i, self.random.below(i as u64 + 1) as usize);
                }
            }
            SearchOrder::VisibleFirst => self.first(groups, |g| product.touched(g) != 0),
            SearchOrder::VisibleLast => self.first(groups, |g| product.touched(g) == 0),
            SearchOrder::Local => {
                let model = product.space().model();
                let Some(effect) = last.and_then(|g| model.group(g).as_linear()) else {
                    return;
                };
                self.now = self.now.wrapping_add(1).max(1);
                for &(v, n) in effect.delta() {
                    if n > 0 {
                        self.written[v.index()] = self.now;
                    }
                }
                let (written, now) = (std::mem::take(&mut self.written), self.now);
                self.first(groups, |g| {
                    let pre = model.groups().get(g.index()).and_then(|g| g.as_linear());
                    pre.is_some_and(|l| l.pre().iter().any(|&(v, _)| written[v.index()] == now))
                });
                self.written = written;
            }
        }
    }

    /// Moves the preferred groups to the front; nothing else changes its order.
    fn first(&mut self, groups: &mut [GroupId], preferred: impl Fn(GroupId) -> bool) {
        self.rest.clear();
        let mut kept = 0;
        for i in 0..groups.len() {
            let group = groups[i];
            if preferred(group) {
                groups[kept] = group;
                kept += 1;
            } else {
                self.rest.push(group);
            }
        }
        groups[kept..].copy_from_slice(&self.rest);
    }
}
