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
}

impl<'a> Sum<'a> {
    pub(super) fn constant(constant: i64) -> Self {
        Sum {
            terms: Vec::new(),
            constant,
        }
    }

    pub(super) fn add_place(&mut self, coefficient: i64, name: &'a str, variables: &'a [VarId]) {
        self.terms.push(Term {
            coefficient,
            name,
            variables,
        });
    }

    pub(super) fn add_constant(&mut self, constant: i64) -> Result<(), TooLarge> {
        self.constant = self.constant.checked_add(constant).ok_or(TooLarge)?;
        Ok(())
    }

    /// Adds `sign`, which is 1 or -1, times another sum.
    pub(super) fn add(&mut self, sign: i64, mut other: Sum<'a>) -> Result<(), TooLarge> {
        for term in &mut other.terms {
            term.coefficient = term.coefficient.checked_mul(sign).ok_or(TooLarge)?;
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
        let compare = Compare::new(terms, op, constant)?;
        let named = NamedCompare {
            terms: joined.iter().map(|t| (t.coefficient, t.name)).collect(),
            op,
            constant,
        };
        Ok((Predicate::Compare(compare), named.to_string()))
    }
}
