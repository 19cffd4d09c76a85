//! Large Boolean functions of predicates, with shared parts.
//!
//! A chain of twenty equivalences is a formula of forty parts and a tree of a million: each level has both operands
//! twice. A circuit names each part once, so everything that looks at it takes time linear in the number of
//! gates, and nothing recurses. [`Predicate`]s that are small trees stay trees: those are faster to look at.

use std::sync::Arc;

use crate::predicate::Predicate;

/// A part of a [`Circuit`]; numbers are those of earlier gates.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// A predicate.
    Leaf(Predicate),
    /// The complement.
    Not(u32),
    /// The intersection; all states if empty.
    And(Box<[u32]>),
    /// The union; no state if empty.
    Or(Box<[u32]>),
    /// Both or neither.
    Iff(u32, u32),
}

/// A Boolean function of predicates. Invariants:
///
/// 1. There is a gate, and the last one is the function.
/// 2. A gate refers to earlier gates only.
/// 3. No leaf is a circuit.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Circuit {
    gates: Vec<Gate>,
}

/// As many gates are evaluated without memory from the heap.
const ON_STACK: usize = 4096;

impl Circuit {
    /// A circuit from its gates, the last of which is the function.
    ///
    /// # Panics
    /// If an invariant is broken.
    #[must_use]
    pub fn new(gates: Vec<Gate>) -> Self {
        assert!(!gates.is_empty(), "a circuit has a gate");
        for (i, gate) in gates.iter().enumerate() {
            let earlier = |&g: &u32| (g as usize) < i;
            assert!(
                match gate {
                    Gate::Leaf(leaf) => !matches!(leaf, Predicate::Circuit(_)),
                    Gate::Not(g) => earlier(g),
                    Gate::And(gs) | Gate::Or(gs) => gs.iter().all(earlier),
                    Gate::Iff(a, b) => earlier(a) && earlier(b),
                },
                "a gate refers to earlier gates"
            );
        }
        Circuit { gates }
    }

    /// The gates, the function last.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The predicates that the function is of.
    pub fn leaves(&self) -> impl Iterator<Item = &Predicate> {
        self.gates.iter().filter_map(|gate| match gate {
            Gate::Leaf(leaf) => Some(leaf),
            _ => None,
        })
    }

    /// The same function of other predicates, none of which is a circuit.
    ///
    /// # Panics
    /// If one is.
    #[must_use]
    pub fn map_leaves(&self, mut leaf: impl FnMut(&Predicate) -> Predicate) -> Self {
        let gates = self.gates.iter().map(|gate| match gate {
            Gate::Leaf(predicate) => Gate::Leaf(leaf(predicate)),
            other => other.clone(),
        });
        Self::new(gates.collect())
    }

    /// The value of the function, from those of the leaves.
    #[must_use]
    pub fn eval(&self, leaf: impl FnMut(&Predicate) -> bool) -> bool {
        let words = self.gates.len().div_ceil(64);
        if self.gates.len() <= ON_STACK {
            self.eval_in(&mut [0; ON_STACK / 64][..words], leaf)
        } else {
            self.eval_in(&mut vec![0; words], leaf)
        }
    }

    fn eval_in(&self, bits: &mut [u64], mut leaf: impl FnMut(&Predicate) -> bool) -> bool {
        let mut value = false;
        for (i, gate) in self.gates.iter().enumerate() {
            let at = |&g: &u32| bits[g as usize / 64] >> (g % 64) & 1 == 1;
            value = match gate {
                Gate::Leaf(predicate) => leaf(predicate),
                Gate::Not(g) => !at(g),
                Gate::And(gs) => gs.iter().all(at),
                Gate::Or(gs) => gs.iter().any(at),
                Gate::Iff(a, b) => at(a) == at(b),
            };
            bits[i / 64] |= u64::from(value) << (i % 64);
        }
        value
    }

    /// The function with other leaves, without the parts that become constant; `None` if a leaf has none.
    pub fn map(&self, mut leaf: impl FnMut(&Predicate) -> Option<Predicate>) -> Option<Predicate> {
        let mut builder = Builder::default();
        let mut values: Vec<Value> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            let at = |&g: &u32| values[g as usize];
            let value = match gate {
                Gate::Leaf(predicate) => builder.leaf(leaf(predicate)?),
                Gate::Not(g) => builder.not(at(g)),
                Gate::And(gs) => builder.all(gs.iter().map(at)),
                Gate::Or(gs) => builder.any(gs.iter().map(at)),
                Gate::Iff(a, b) => builder.iff(at(a), at(b)),
            };
            values.push(value);
        }
        let output = *values.last()?;
        Some(builder.finish(output))
    }
}

/// A part of a function that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// The same in all states.
    Constant(bool),
    /// A gate.
    Gate(u32),
}

/// Builds a circuit from its leaves up; constants take parts away.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    gates: Vec<Gate>,
}

impl Builder {
    /// A predicate as a part; a circuit becomes part of this one.
    pub fn leaf(&mut self, predicate: Predicate) -> Value {
        match predicate {
            Predicate::True => Value::Constant(true),
            Predicate::False => Value::Constant(false),
            Predicate::Circuit(circuit) => {
                let first = self.gates.len() as u32;
                let moved = |g: &u32| g + first;
                self.gates
                    .extend(circuit.gates.iter().map(|gate| match gate {
                        Gate::Leaf(leaf) => Gate::Leaf(leaf.clone()),
                        Gate::Not(g) => Gate::Not(moved(g)),
                        Gate::And(gs) => Gate::And(gs.iter().map(moved).collect()),
                        Gate::Or(gs) => Gate::Or(gs.iter().map(moved).collect()),
                        Gate::Iff(a, b) => Gate::Iff(moved(a), moved(b)),
                    }));
                Value::Gate(self.gates.len() as u32 - 1)
            }
            other => self.push(Gate::Leaf(other)),
        }
    }

    /// The complement.
    pub fn not(&mut self, a: Value) -> Value {
        match a {
            Value::Constant(value) => Value::Constant(!value),
            Value::Gate(g) => self.push(Gate::Not(g)),
        }
    }

    /// The intersection.
    pub fn all(&mut self, parts: impl IntoIterator<Item = Value>) -> Value {
        self.junction(parts, true)
    }

    /// The union.
    pub fn any(&mut self, parts: impl IntoIterator<Item = Value>) -> Value {
        self.junction(parts, false)
    }

    fn junction(&mut self, parts: impl IntoIterator<Item = Value>, neutral: bool) -> Value {
        let mut gates = Vec::new();
        for part in parts {
            match part {
                Value::Constant(value) if value == neutral => {}
                Value::Constant(value) => return Value::Constant(value),
                Value::Gate(g) => gates.push(g),
            }
        }
        match gates[..] {
            [] => Value::Constant(neutral),
            [only] => Value::Gate(only),
            _ if neutral => self.push(Gate::And(gates.into())),
            _ => self.push(Gate::Or(gates.into())),
        }
    }

    /// Both or neither.
    pub fn iff(&mut self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Constant(true), other) | (other, Value::Constant(true)) => other,
            (Value::Constant(false), other) | (other, Value::Constant(false)) => self.not(other),
            (Value::Gate(a), Value::Gate(b)) if a == b => Value::Constant(true),
            (Value::Gate(a), Value::Gate(b)) => self.push(Gate::Iff(a, b)),
        }
    }

    fn push(&mut self, gate: Gate) -> Value {
        self.gates.push(gate);
        Value::Gate(self.gates.len() as u32 - 1)
    }

    /// The predicate that a part is.
    #[must_use]
    pub fn finish(mut self, output: Value) -> Predicate {
        match output {
            Value::Constant(value) => Predicate::constant(value),
            Value::Gate(g) => {
                self.gates.truncate(g as usize + 1);
                if let [Gate::Leaf(only)] = &self.gates[..] {
                    return only.clone();
                }
                Predicate::Circuit(Arc::new(Circuit::new(self.gates)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Relation, VarId};

    fn bit(i: u32) -> Predicate {
        Predicate::single(VarId(i), Relation::Ge, 1)
    }

    /// `x0 <-> x1 <-> …`, which a tree cannot be.
    fn parity(n: u32) -> Predicate {
        let mut builder = Builder::default();
        let mut all = builder.leaf(bit(0));
        for i in 1..n {
            let next = builder.leaf(bit(i));
            all = builder.iff(all, next);
        }
        builder.finish(all)
    }

    fn value(predicate: &Predicate, state: &[u32]) -> bool {
        let Predicate::Circuit(circuit) = predicate else {
            panic!("not a circuit");
        };
        circuit.eval(|leaf| match leaf {
            Predicate::Compare(compare) => compare.holds(state),
            _ => panic!("only comparisons"),
        })
    }

    #[test]
    fn long_chains_of_equivalences_are_evaluated() {
        for n in [2, 63, 64, 65, 3000] {
            let function = parity(n);
            for ones in [0, 1, n / 2, n - 1, n] {
                let state: Vec<u32> = (0..n).map(|i| u32::from(i < ones)).collect();
                assert_eq!(value(&function, &state), (n - ones) % 2 == 0, "{n} {ones}");
            }
        }
    }

    #[test]
    fn constants_take_parts_away() {
        let Predicate::Circuit(circuit) = parity(4) else {
            panic!("not a circuit");
        };
        let gone = circuit.map(|_| Some(Predicate::True)).unwrap();
        assert_eq!(gone, Predicate::True);
        let one = circuit.map(|leaf| {
            let keep = *leaf == bit(2);
            Some(if keep { bit(2) } else { Predicate::False })
        });
        // Three negations are one.
        assert!(matches!(&one, Some(p) if !value(p, &[0, 0, 1, 0]) && value(p, &[0; 4])));
        assert_eq!(circuit.map(|_| None), None);
    }

    #[test]
    fn every_small_circuit_agrees_with_its_tree() {
        let (x, y) = (bit(0), bit(1));
        let mut builder = Builder::default();
        let (a, b) = (builder.leaf(x.clone()), builder.leaf(y.clone()));
        let not = builder.not(a);
        let both = builder.all([not, b]);
        let same = builder.iff(a, both);
        let some = builder.any([same, a]);
        let function = builder.finish(some);
        for state in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            let (x, y) = (state[0] == 1, state[1] == 1);
            let expected = (x == (!x && y)) || x;
            assert_eq!(value(&function, &state), expected, "{state:?}");
        }
    }
}
