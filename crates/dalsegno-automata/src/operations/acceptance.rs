//! Acceptance conditions: positive Boolean combinations of `Inf` and `Fin`, as the HOA format has them.
//!
//! A condition is turned into a disjunction of *terms*, each of which says which sets are taken infinitely often and which
//! finitely often. Rabin, Streett and parity conditions are special cases. The number of terms may be exponential in the
//! condition, so it has a limit.

/// A set of edges, or the edges outside of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Set {
    /// Its number, below 64.
    pub index: u32,
    /// Whether the edges outside of the set are meant.
    pub outside: bool,
}

/// An acceptance condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// Always, or never.
    Constant(bool),
    /// The set is visited infinitely often.
    Inf(Set),
    /// The set is visited finitely often.
    Fin(Set),
    /// A conjunction.
    All(Vec<Condition>),
    /// A disjunction.
    Any(Vec<Condition>),
}

/// A conjunction: all sets of `inf` are visited infinitely often, and all sets of `fin` finitely often. Bit i is set i, and bit
/// 64 + i the edges outside of set i.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// Visited infinitely often.
    pub inf: u128,
    /// Visited finitely often.
    pub fin: u128,
}

impl Set {
    /// A set by its number.
    #[must_use]
    pub fn new(index: u32) -> Self {
        Set {
            index,
            outside: false,
        }
    }

    fn bit(self) -> u128 {
        1 << (self.index + if self.outside { 64 } else { 0 })
    }
}

impl Term {
    const TRUE: Term = Term { inf: 0, fin: 0 };

    /// Whether each run that satisfies `other` satisfies this term.
    fn is_weaker(self, other: Term) -> bool {
        self.inf & other.inf == self.inf && self.fin & other.fin == self.fin
    }
}

impl Condition {
    /// The terms whose disjunction the condition is, none of which implies another; `None` if they are more than `limit`
    /// on the way, or it takes more than `limit`² · 16 comparisons to find them.
    #[must_use]
    pub fn terms(&self, limit: usize) -> Option<Vec<Term>> {
        let mut room = Room {
            terms: limit,
            comparisons: 16 * limit * limit,
        };
        self.terms_within(&mut room)
    }

    fn terms_within(&self, room: &mut Room) -> Option<Vec<Term>> {
        match self {
            Condition::Constant(true) => Some(vec![Term::TRUE]),
            Condition::Constant(false) => Some(Vec::new()),
            Condition::Inf(set) => Some(vec![Term {
                inf: set.bit(),
                ..Term::TRUE
            }]),
            Condition::Fin(set) => Some(vec![Term {
                fin: set.bit(),
                ..Term::TRUE
            }]),
            Condition::Any(parts) => {
                let mut terms = Vec::new();
                for part in parts {
                    for term in part.terms_within(room)? {
                        room.add(&mut terms, term)?;
                    }
                }
                Some(terms)
            }
            Condition::All(parts) => {
                let mut terms = vec![Term::TRUE];
                for part in parts {
                    let other = part.terms_within(room)?;
                    let mut product = Vec::new();
                    for a in &terms {
                        for b in &other {
                            let term = Term {
                                inf: a.inf | b.inf,
                                fin: a.fin | b.fin,
                            };
                            // No set is visited both infinitely and finitely often.
                            if term.inf & term.fin == 0 {
                                room.add(&mut product, term)?;
                            }
                        }
                    }
                    terms = product;
                }
                Some(terms)
            }
        }
    }

    /// The sets of a conjunction of `Inf`, as bits; `None` for another condition.
    #[must_use]
    pub fn generalized_buchi(&self) -> Option<u64> {
        match self {
            Condition::Constant(true) => Some(0),
            Condition::Inf(set) if !set.outside => Some(1 << set.index),
            Condition::All(parts) => {
                let mut parts = parts.iter().map(Condition::generalized_buchi);
                parts.try_fold(0, |all, part| Some(all | part?))
            }
            _ => None,
        }
    }
}

/// How many terms there may be, and how much work.
struct Room {
    terms: usize,
    comparisons: usize,
}

impl Room {
    /// Adds a term unless a weaker one is there, and drops those that it is weaker than.
    fn add(&mut self, terms: &mut Vec<Term>, term: Term) -> Option<()> {
        self.comparisons = self.comparisons.checked_sub(1 + terms.len())?;
        if terms.iter().any(|t| t.is_weaker(term)) {
            return Some(());
        }
        terms.retain(|t| !term.is_weaker(*t));
        if terms.len() == self.terms {
            return None;
        }
        terms.push(term);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inf(index: u32) -> Condition {
        Condition::Inf(Set::new(index))
    }

    fn fin(index: u32) -> Condition {
        Condition::Fin(Set::new(index))
    }

    #[test]
    fn streett_has_a_term_per_choice() {
        let pairs = (0..4).map(|i| Condition::Any(vec![fin(2 * i), inf(2 * i + 1)]));
        let streett = Condition::All(pairs.collect());
        assert_eq!(streett.terms(16).unwrap().len(), 16);
        assert_eq!(streett.terms(15), None);
    }

    #[test]
    fn contradictions_and_stronger_terms_go() {
        let both = Condition::All(vec![inf(0), fin(0)]);
        assert_eq!(both.terms(4), Some(Vec::new()));
        let absorbed = Condition::Any(vec![Condition::All(vec![inf(0), fin(1)]), inf(0)]);
        assert_eq!(absorbed.terms(4).unwrap().len(), 1);
    }
}
