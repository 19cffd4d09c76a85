//! Random formulas of LTL, CTL and CTL*, the same for the same seed on every platform.
//!
//! A [`Generator`] draws syntax trees: the root is an operator chosen by weight among those that
//! can have a tree of the wanted size, and a binary operator gives its operands sizes that are
//! uniform among those that add up. Trees have exactly the wanted size where the weights allow it
//! (with binary operators only, no tree has an even size; a leaf then takes the place). The
//! formula may be smaller than its tree, because a [`FormulaStore`] applies trivial identities.

mod rng;
mod weights;

use std::ops::RangeInclusive;

pub use rng::Rng;
pub use weights::Weights;

use crate::fragment::Fragment;
use crate::store::{FormulaId, FormulaStore};
use weights::{Arity, Op};

/// The logic that formulas are drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    /// No path quantifiers, whatever their weights.
    Ltl,
    /// State formulas in which every temporal operator has its own path quantifier.
    Ctl,
    /// State formulas in which every temporal operator is below some path quantifier.
    CtlStar,
}

/// What formulas are drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// The logic.
    pub logic: Logic,
    /// The number of nodes of the syntax tree, uniform in this range; 0 counts as 1.
    pub size: RangeInclusive<usize>,
    /// The names of the atoms. Without any, all leaves are constants.
    pub propositions: Vec<String>,
    /// How often each operator is chosen, relative to the others.
    pub weights: Weights,
    /// The seed.
    pub seed: u64,
}

impl Config {
    /// LTL with all operators, 15 nodes over `a`, `b` and `c`.
    #[must_use]
    pub fn ltl() -> Self {
        Config {
            logic: Logic::Ltl,
            size: 15..=15,
            propositions: ["a", "b", "c"].map(String::from).to_vec(),
            weights: Weights::default(),
            seed: 0,
        }
    }

    /// LTL without `X`: all formulas are stutter-invariant.
    #[must_use]
    pub fn x_free() -> Self {
        let mut config = Self::ltl();
        config.weights.next = 0;
        config
    }

    /// CTL with all operators of LTL, each temporal one below a path quantifier.
    #[must_use]
    pub fn ctl() -> Self {
        let mut config = Self::ltl();
        config.logic = Logic::Ctl;
        config.weights.exists = 3;
        config.weights.forall = 3;
        config
    }

    /// CTL* with all operators.
    #[must_use]
    pub fn ctl_star() -> Self {
        let mut config = Self::ltl();
        config.logic = Logic::CtlStar;
        config.weights.exists = 2;
        config.weights.forall = 2;
        config
    }

    /// This configuration with trees of a size in `size`.
    #[must_use]
    pub fn with_size(mut self, size: RangeInclusive<usize>) -> Self {
        self.size = size;
        self
    }

    /// This configuration over these atoms.
    #[must_use]
    pub fn with_propositions<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        self.propositions = names.into_iter().map(Into::into).collect();
        self
    }

    /// This configuration with another seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// An endless sequence of random formulas.
///
/// # Examples
/// ```
/// use dalsegno_logic::FormulaStore;
/// use dalsegno_logic::random::{Config, Generator};
///
/// let mut store = FormulaStore::new();
/// let mut generator = Generator::new(Config::ltl().with_size(5..=20).with_seed(7));
/// let f = generator.next_formula(&mut store);
/// assert!(store.size(f) <= 20);
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    config: Config,
    rng: Rng,
}

/// What a subformula may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A state formula of CTL.
    Ctl,
    /// A temporal operator over state formulas of CTL.
    CtlPath,
    /// A state formula of CTL*.
    State,
    /// Any formula of CTL*.
    Path,
    /// A formula of LTL.
    Linear,
}

enum Task {
    Draw(Role, usize),
    Apply(Op),
}

impl Generator {
    /// A generator at the beginning of its sequence.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let rng = Rng::new(config.seed);
        Generator { config, rng }
    }

    /// What is drawn.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The next formula of the sequence.
    pub fn next_formula(&mut self, store: &mut FormulaStore) -> FormulaId {
        let role = match self.config.logic {
            Logic::Ltl => Role::Linear,
            Logic::Ctl => Role::Ctl,
            Logic::CtlStar => Role::State,
        };
        let least = (*self.config.size.start()).max(1);
        let most = (*self.config.size.end()).max(least);
        let size = least + self.rng.index(most - least + 1);
        self.draw(store, role, size)
    }

    fn draw(&mut self, store: &mut FormulaStore, role: Role, size: usize) -> FormulaId {
        const OPERANDS: &str = "operands are drawn before their operator is applied";
        let mut tasks = vec![Task::Draw(role, size)];
        let mut done: Vec<FormulaId> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Apply(op) => {
                    let second = done.pop().expect(OPERANDS);
                    let first = match op.arity() {
                        Arity::Unary => second,
                        Arity::Binary => done.pop().expect(OPERANDS),
                    };
                    done.push(self.apply(store, op, first, second));
                }
                Task::Draw(role, size) => {
                    let Some(op) = self.operator(role, size) else {
                        done.push(self.leaf(store));
                        continue;
                    };
                    tasks.push(Task::Apply(op));
                    let below = operand_role(role, op);
                    match op.arity() {
                        Arity::Unary => tasks.push(Task::Draw(below, size - 1)),
                        Arity::Binary => {
                            let first = 1 + self.rng.index(size - 2);
                            tasks.push(Task::Draw(below, size - 1 - first));
                            tasks.push(Task::Draw(below, first));
                        }
                    }
                }
            }
        }
        done.pop().expect(OPERANDS)
    }

    fn apply(&self, store: &mut FormulaStore, op: Op, f: FormulaId, g: FormulaId) -> FormulaId {
        // `E(a U a)` is `E a` to the store, which is no formula of CTL, but `a` is.
        let settled = self.config.logic == Logic::Ctl && store.is(f, Fragment::CTL);
        if op.quantifies() && settled {
            f
        } else {
            op.apply(store, f, g)
        }
    }

    /// An operator for the root of a tree, or `None` if only a leaf fits.
    fn operator(&mut self, role: Role, size: usize) -> Option<Op> {
        if size < 2 {
            return None;
        }
        let weights = Op::ALL.map(|op| {
            let allowed = self.allows(role, op, size);
            u64::from(self.config.weights.of(op)) * u64::from(allowed)
        });
        let total: u64 = weights.iter().sum();
        if total == 0 {
            return None;
        }
        let mut choice = self.rng.below(total);
        for (op, weight) in Op::ALL.into_iter().zip(weights) {
            if choice < weight {
                return Some(op);
            }
            choice -= weight;
        }
        None
    }

    fn allows(&self, role: Role, op: Op, size: usize) -> bool {
        let fits = size >= 2 && (op.arity() == Arity::Unary || size >= 3);
        let role_fits = match role {
            Role::Linear => !op.quantifies(),
            Role::Path => true,
            Role::CtlPath => op.is_temporal(),
            Role::Ctl if op.quantifies() => Op::ALL.into_iter().any(|below| {
                self.config.weights.of(below) > 0 && self.allows(Role::CtlPath, below, size - 1)
            }),
            Role::Ctl | Role::State => !op.is_temporal(),
        };
        fits && role_fits
    }

    fn leaf(&mut self, store: &mut FormulaStore) -> FormulaId {
        let weights = &self.config.weights;
        let atoms = match self.config.propositions.len() {
            0 => 0,
            _ => u64::from(weights.atoms),
        };
        let constants = u64::from(weights.constants);
        if self.rng.chance(atoms, (atoms + constants).max(1)) {
            let i = self.rng.index(self.config.propositions.len());
            store.atom(&self.config.propositions[i])
        } else {
            [FormulaId::FALSE, FormulaId::TRUE][self.rng.index(2)]
        }
    }
}

fn operand_role(role: Role, op: Op) -> Role {
    match role {
        Role::Ctl if op.quantifies() => Role::CtlPath,
        Role::CtlPath => Role::Ctl,
        Role::State if op.quantifies() => Role::Path,
        role => role,
    }
}

/// A random formula under weak fairness: `(GF p1 & … & GF pn) -> φ`.
///
/// φ is the next formula of the generator, and the `p` are `fair` distinct random propositions of
/// it, or all where it has fewer: the weak-fairness formulas of Ben Salem, Duret-Lutz
/// and Kordon, "Generalized Büchi automata versus testing automata for model checking" (2011),
/// section 3.2.
///
/// # Examples
/// ```
/// use dalsegno_logic::FormulaStore;
/// use dalsegno_logic::random::{Config, Generator, weak_fair};
///
/// let mut store = FormulaStore::new();
/// let mut generator = Generator::new(Config::x_free());
/// let f = weak_fair(&mut generator, &mut store, 2);
/// assert!(store.propositions(f).len() >= 2);
/// ```
pub fn weak_fair(generator: &mut Generator, store: &mut FormulaStore, fair: usize) -> FormulaId {
    let mut names: Vec<usize> = (0..generator.config.propositions.len()).collect();
    let mut premises = Vec::new();
    for _ in 0..fair.min(names.len()) {
        let i = names.swap_remove(generator.rng.index(names.len()));
        let p = store.atom(&generator.config.propositions[i]);
        let often = store.finally(p);
        premises.push(store.globally(often));
    }
    let fairness = store.and(premises);
    let f = generator.next_formula(store);
    store.implies(fairness, f)
}

#[cfg(test)]
mod tests;
