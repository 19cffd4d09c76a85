//! One explicit search of a product, as several searches with larger and larger values where values may grow
//! for ever.
//!
//! A depth-first search of an infinite product may follow one growing run for ever, whatever there is
//! elsewhere. Values of a few bits make finitely many states, every run that repeats itself is among them
//! for some number of bits, and where a number of bits leaves nothing out, nothing is lost. But few bits may
//! leave many states and no run, so each number of bits has its turn with a limit of nodes, and then again with
//! a larger one.
//!
//! It can be interrupted anywhere, and goes on where it was.

use dalsegno_explicit::emptiness::{Config, Emptiness, Explored, Prefixes, Search};
use dalsegno_explicit::product::Product;
use dalsegno_explicit::space::{self, Space};
use dalsegno_explicit::view::View;
use dalsegno_explicit::witness;
use dalsegno_kripke::{Bounds, Budget, Model, Run, Step};

use crate::plan::{FIRST_BITS, FIRST_NODES};

/// With as many bits, values have no limit but that of numbers.
const MOST_BITS: u32 = 32;

/// How a search ends.
pub(super) enum Ended {
    /// No run is accepted.
    Empty,
    /// This one is.
    Accepted(Run),
    /// A path after which everything is accepted, if that was to end the search.
    Prefix,
    /// Limits of depth left something out.
    Incomplete,
}

/// A search that can be interrupted.
pub(super) struct Widening {
    config: Config,
    stage: Stage,
    current: Option<Emptiness>,
    /// A search that has found an accepting component whose run is not built yet.
    found: Option<Search>,
    /// What finished searches looked at.
    before: Explored,
    /// The first path after which everything is accepted.
    pub(super) prefix: Option<Vec<Step>>,
}

/// Which search it is.
#[derive(Clone, Copy)]
enum Stage {
    /// All values fit in what is expected: so many bits, or no limit where bounds are proved.
    Expected { bits: Option<u32>, proved: bool },
    /// So many bits and nodes; fewer bits than the least have been looked at as a whole.
    Bits {
        least: u32,
        bits: u32,
        more: u32,
        nodes: u64,
    },
}

impl Widening {
    pub(super) fn new(model: &Model, config: Config) -> Self {
        let bounds = || model.variables().iter().map(|v| v.bounds);
        let proved = bounds().all(|b| b.proved.is_some());
        let expected: Option<Vec<u32>> = bounds().map(Bounds::expected).collect();
        let stage = match expected {
            // Where bounds are merely promised, one search keeps to them; if it leaves something out, they
            // are false.
            Some(expected) => {
                let most = expected.into_iter().max().unwrap_or(0).max(1);
                let bits = (!proved).then(|| 32 - most.leading_zeros());
                Stage::Expected { bits, proved }
            }
            None => first_bits(model),
        };
        Widening {
            config,
            stage,
            current: None,
            found: None,
            before: Explored::default(),
            prefix: None,
        }
    }

    /// What was looked at.
    pub(super) fn explored(&self) -> Explored {
        match &self.current {
            Some(search) => self.before.and(search.explored()),
            None => self.before,
        }
    }

    /// The bytes that are held between turns.
    pub(super) fn bytes(&self) -> u64 {
        let found = self.found.as_ref().map_or(0, |found| found.visited.bytes());
        self.current.as_ref().map_or(found, Emptiness::bytes)
    }

    /// Begins anew, with paths after which everything is accepted ignored: it takes more than such a path to
    /// see a violation.
    pub(super) fn ignore_prefixes(&mut self, model: &Model) {
        let before = self.explored();
        self.config.prefixes = Prefixes::Ignore;
        *self = Widening {
            before,
            ..Widening::new(model, self.config)
        };
    }

    /// Goes on until it ends, or about so many nodes were entered.
    pub(super) fn advance(
        &mut self,
        space: &mut Space,
        view: &mut View,
        nodes: u64,
        budget: &Budget,
        progress: &mut dyn FnMut(&Explored),
    ) -> Result<Option<Ended>, space::Error> {
        let mut left = nodes;
        loop {
            if let Some(found) = self.found.take() {
                return match run_of(space, view, &found, budget) {
                    Ok(run) => Ok(Some(Ended::Accepted(run))),
                    Err(error) => {
                        self.found = Some(found);
                        Err(error)
                    }
                };
            }
            let config = self.config_now();
            let mut product = Product::new(space, view);
            let mut search = match self.current.take() {
                Some(search) => search,
                None => Emptiness::new(&mut product, config),
            };
            let before = self.before;
            let entered = search.explored().states;
            let advanced = search.advance(&mut product, left, budget, |seen| {
                progress(&before.and(seen));
            });
            left = left.saturating_sub(search.explored().states - entered);
            if let (Some(path), None) = (search.prefix(), &self.prefix) {
                self.prefix = Some(witness::prefix(&product, path));
            }
            match advanced {
                Ok(true) => {}
                Ok(false) => {
                    self.current = Some(search);
                    return Ok(None);
                }
                Err(space::Error::Fault(_)) if self.can_skip() => {
                    self.before = before.and(search.explored());
                    self.next_nodes();
                    continue;
                }
                Err(error) => {
                    self.current = Some(search);
                    return Err(error);
                }
            }
            let pruned = product.is_pruned();
            let search = search.result();
            self.before = before.and(&search.explored);
            if search.accepting.is_some() {
                self.found = Some(search);
            } else if self.config.prefixes == Prefixes::Stop && search.prefix.is_some() {
                return Ok(Some(Ended::Prefix));
            } else if search.complete {
                return Ok(Some(Ended::Empty));
            } else if !self.next(space.model(), search.cut, pruned) {
                return Ok(Some(Ended::Incomplete));
            }
        }
    }

    fn config_now(&self) -> Config {
        let (bits, nodes) = match self.stage {
            Stage::Expected { bits, .. } => (bits, None),
            Stage::Bits { bits, nodes, .. } => ((bits < MOST_BITS).then_some(bits), Some(nodes)),
        };
        Config {
            bits,
            nodes,
            ..self.config
        }
    }

    /// Whether numbers that outgrow the machine's may be left to searches with fewer bits.
    fn can_skip(&self) -> bool {
        matches!(self.stage, Stage::Bits { least, bits, .. } if bits > least)
    }

    /// Goes back to the fewest bits, with more nodes.
    fn next_nodes(&mut self) {
        if let Stage::Bits {
            least,
            bits,
            more,
            nodes,
        } = &mut self.stage
        {
            *bits = *least;
            *more = 1;
            *nodes = nodes.saturating_mul(FIRST_NODES.1);
        }
    }

    /// What is searched after a search without an answer; whether there is anything.
    fn next(&mut self, model: &Model, cut: bool, pruned: bool) -> bool {
        match &mut self.stage {
            Stage::Expected { proved, .. } => {
                // A limit of depth cut something off, or the promise of the file is false.
                if *proved || !pruned {
                    return false;
                }
                self.stage = first_bits(model);
                true
            }
            Stage::Bits {
                least, bits, more, ..
            } => {
                if !cut {
                    *least = *bits + 1;
                }
                if pruned && *bits < MOST_BITS {
                    *bits = (*bits + *more).min(MOST_BITS);
                    *more *= 2;
                    return true;
                }
                self.next_nodes();
                self.config.depth.is_none()
            }
        }
    }
}

fn first_bits(model: &Model) -> Stage {
    let largest = model.initial().iter().flatten().max().copied().unwrap_or(0);
    let least = (33 - largest.leading_zeros()).max(FIRST_BITS);
    Stage::Bits {
        least,
        bits: least,
        more: 1,
        nodes: FIRST_NODES.0,
    }
}

/// The run of an accepting component.
fn run_of(
    space: &mut Space,
    view: &mut View,
    found: &Search,
    budget: &Budget,
) -> Result<Run, space::Error> {
    let mut product = Product::new(space, view);
    let closing = found.closing.as_ref();
    if let Some(run) = closing.and_then(|path| witness::direct(&product, path)) {
        return Ok(run);
    }
    let accepting = found.accepting.as_ref().expect("it was found");
    witness::run(&mut product, accepting, &found.visited, budget)
}
