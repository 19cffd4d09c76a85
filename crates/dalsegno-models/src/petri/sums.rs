//! Weighted sums of named places, on their way to comparisons.

use dalsegno_kripke::{Compare, NamedCompare, Predicate, Relation, TooLarge, VarId};

/// A sum of places with coefficients, and a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum<'a> {
    terms: Vec<Term<'a>>,
    constant: i64,
}

#[derive(Clone, Copy, Debug)]
struct Term<'a> {
    coefficient: i64,
    name: &'a str,
    variables: &'a [VarId],
    /// The value that stands for 0.
    zero: u32,
}

impl<'a> Sum<'a> {
    pub(super) fn constant(constant: i64) -> Self {
        Sum {
            terms: Vec::new(),
            constant,
        }
    }

    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn add_place(&mut self, coefficient: i64, name: &'a str, variables: &'a [VarId]) {
        self.add_shifted(coefficient, name, variables, 0);
    }

    /// Adds variables each of which stands for its value minus `zero`.
    pub(super) fn add_shifted(
        &mut self,
        coefficient: i64,
        name: &'a str,
        variables: &'a [VarId],
        zero: u32,
    ) {
        self.terms.push(Term {
            coefficient,
            name,
            variables,
            zero,
        });
    }

    pub(super) fn add_constant(&mut self, constant: i64) -> Result<(), TooLarge> {
        self.constant = self.constant.checked_add(constant).ok_or(TooLarge)?;
        Ok(())
    }

    /// Adds `sign`, which is 1 or -1, times another sum.
    pub(super) fn add(&mut self, sign: i64, mut other: Sum<'a>) -> Result<(), TooLarge> {
        if sign != 1 {
            for term in &mut other.terms {
                term.coefficient = term.coefficient.checked_mul(sign).ok_or(TooLarge)?;
            }
        }
        // Terms have no order yet, so the fewer ones move: sums nested in sums are not copied per level.
        if self.terms.len() < other.terms.len() {
            std::mem::swap(&mut self.terms, &mut other.terms);
        }
        self.terms.append(&mut other.terms);
        self.add_constant(other.constant.checked_mul(sign).ok_or(TooLarge)?)
    }

    /// The comparison of two sums, and its canonical text: the first place has a positive
    /// coefficient.
    pub(super) fn compare(
        mut self,
        mut op: Relation,
        right: Sum<'a>,
    ) -> Result<(Predicate, String), TooLarge> {
        self.add(-1, right)?;
        let mut constant = self.constant.checked_neg().ok_or(TooLarge)?;
        self.terms
            .sort_by_key(|t| (t.variables.first().copied(), t.name));
        let mut joined: Vec<Term<'a>> = Vec::with_capacity(self.terms.len());
        for term in self.terms {
            match joined.last_mut() {
                Some(last) if last.name == term.name => {
                    let sum = last.coefficient.checked_add(term.coefficient);
                    last.coefficient = sum.ok_or(TooLarge)?;
                }
                _ => joined.push(term),
            }
        }
        joined.retain(|term| term.coefficient != 0);
        if joined.first().is_some_and(|term| term.coefficient < 0) {
            for term in &mut joined {
                term.coefficient = term.coefficient.checked_neg().ok_or(TooLarge)?;
            }
            constant = constant.checked_neg().ok_or(TooLarge)?;
            op = op.flipped();
        }
        let variables = |t: &Term<'a>| {
            let coefficient = t.coefficient;
            t.variables.iter().map(move |&v| (coefficient, v))
        };
        let terms = joined.iter().flat_map(variables).collect();
        let mut shifted = constant;
        for term in joined.iter().filter(|t| t.zero > 0) {
            let count = u32::try_from(term.variables.len()).map_err(|_| TooLarge)?;
            let zero = i64::from(term.zero).checked_mul(i64::from(count));
            let shift = zero.and_then(|zero| zero.checked_mul(term.coefficient));
            let sum = shift.and_then(|shift| shifted.checked_add(shift));
            shifted = sum.ok_or(TooLarge)?;
        }
        let compare = Compare::new(terms, op, shifted)?;
        let named = NamedCompare {
            terms: joined.iter().map(|t| (t.coefficient, t.name)).collect(),
            op,
            constant,
        };
        Ok((Predicate::Compare(compare), named.to_string()))
    }
}
