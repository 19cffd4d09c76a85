//! Propositions as text, the way users write them.
//!
//! Terms with a positive coefficient stand on the left, the others on the right together with the
//! number: `P1 + 2*P2 <= P3 + 4`. A name that is no identifier goes into single quotes, where a
//! backslash takes the next character as it is.

use std::fmt;

use crate::model::{Model, VarId};
use crate::predicate::{Compare, Predicate, Relation};

/// A name as propositions write it: an identifier `[A-Za-z_][A-Za-z0-9_.]*` as it is, anything
/// else, and the words `deadlock`, `fireable`, `true` and `false`, in single quotes.
///
/// # Examples
/// ```
/// use dalsegno_kripke::quoted_name;
///
/// assert_eq!(quoted_name("P_1").to_string(), "P_1");
/// assert_eq!(quoted_name("P-1").to_string(), "'P-1'");
/// ```
#[must_use]
pub fn quoted_name(name: &str) -> impl fmt::Display + '_ {
    Name(name)
}

struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0;
        let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let plain = name.starts_with(letter)
            && name
                .chars()
                .all(|c| letter(c) || c.is_ascii_digit() || c == '.')
            && !["deadlock", "fireable", "true", "false"].contains(&name);
        if plain {
            return f.write_str(name);
        }
        f.write_str("'")?;
        for c in name.chars() {
            if matches!(c, '\'' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str("'")
    }
}

/// A predicate with the names of a model.
struct Shown<'a> {
    model: &'a Model,
    predicate: &'a Predicate,
}

impl Predicate {
    /// The predicate as text, with the names of `model`.
    #[must_use]
    pub fn display<'a>(&'a self, model: &'a Model) -> impl fmt::Display + 'a {
        Shown {
            model,
            predicate: self,
        }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, parts: &[Predicate], sign: &str, empty: &str| {
            if parts.is_empty() {
                return f.write_str(empty);
            }
            for (i, predicate) in parts.iter().enumerate() {
                let model = self.model;
                let separator = if i > 0 { sign } else { "" };
                write!(f, "{separator}({})", Shown { model, predicate })?;
            }
            Ok(())
        };
        match self.predicate {
            Predicate::True => f.write_str("true"),
            Predicate::False => f.write_str("false"),
            Predicate::Compare(compare) => {
                if let Some(text) = named(self.model, compare) {
                    return f.write_str(&text);
                }
                let zero = |&(c, v): &(i64, VarId)| c * i64::from(self.model.values(v).zero());
                let shift: i64 = compare.terms().iter().map(zero).sum();
                let name = |v: VarId| self.model.variable(v).name.as_str();
                let terms = compare.terms().iter().map(|&(c, v)| (c, name(v)));
                let named = NamedCompare {
                    terms: terms.collect(),
                    op: compare.op(),
                    constant: compare.constant().saturating_sub(shift),
                };
                write!(f, "{named}")
            }
            Predicate::Enabled(groups) => {
                f.write_str("fireable(")?;
                for (i, &group) in groups.iter().enumerate() {
                    let separator = if i > 0 { ", " } else { "" };
                    write!(f, "{separator}{}", Name(self.model.group(group).name()))?;
                }
                f.write_str(")")
            }
            Predicate::DeadEnd => f.write_str("deadlock"),
            Predicate::Not(inner) => {
                let (model, predicate) = (self.model, &**inner);
                write!(f, "!({})", Shown { model, predicate })
            }
            Predicate::And(parts) => list(f, parts, " & ", "true"),
            Predicate::Or(parts) => list(f, parts, " | ", "false"),
            // As a text it may be larger than any memory.
            Predicate::Circuit(circuit) => {
                let leaves = circuit.leaves().count();
                write!(f, "(a function of {leaves} propositions)")
            }
        }
    }
}

/// The comparison of a variable with one of its values that has a name, as text.
fn named(model: &Model, compare: &Compare) -> Option<String> {
    let (&[(1, v)], op @ (Relation::Eq | Relation::Ne)) = (compare.terms(), compare.op()) else {
        return None;
    };
    let value = u32::try_from(compare.constant()).ok()?;
    let value = model.values(v).name(value)?;
    let name = &model.variable(v).name;
    Some(format!("{} {op} {}", Name(name), Name(value)))
}

/// A weighted sum of named things compared with a number, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedCompare<'a> {
    /// Coefficients, none of them 0, and names, in the order in which they are shown.
    pub terms: Vec<(i64, &'a str)>,
    /// How the sum is compared.
    pub op: Relation,
    /// What the sum is compared with.
    pub constant: i64,
}

impl fmt::Display for NamedCompare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "0 {} {}", self.op, self.constant);
        }
        if self.terms.iter().all(|&(c, _)| c < 0) {
            write_sum(f, &self.terms, false)?;
            return write!(f, " {} {}", self.op.flipped(), -i128::from(self.constant));
        }
        write_sum(f, &self.terms, true)?;
        write!(f, " {} ", self.op)?;
        if self.terms.iter().all(|&(c, _)| c > 0) {
            return write!(f, "{}", self.constant);
        }
        write_sum(f, &self.terms, false)?;
        match self.constant {
            0 => Ok(()),
            1.. => write!(f, " + {}", self.constant),
            _ => write!(f, " - {}", self.constant.unsigned_abs()),
        }
    }
}

/// The terms of one sign, shown as if it were positive.
fn write_sum(f: &mut fmt::Formatter<'_>, terms: &[(i64, &str)], positive: bool) -> fmt::Result {
    let shown = terms.iter().filter(|&&(c, _)| (c > 0) == positive);
    for (i, &(coefficient, name)) in shown.enumerate() {
        if i > 0 {
            f.write_str(" + ")?;
        }
        if coefficient.unsigned_abs() != 1 {
            write!(f, "{}*", coefficient.unsigned_abs())?;
        }
        write!(f, "{}", Name(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, Compare, Group, GroupId, Linear, Variable};

    #[test]
    fn comparisons_read_like_what_users_write() {
        let names = ["P1", "P2", "a b", "it's"];
        let variables = names.map(|name| Variable {
            name: name.to_owned(),
            bounds: Bounds::UNKNOWN,
        });
        let group = |name| Group::linear(name, Linear::default());
        let groups = vec![group("t1"), group("deadlock")];
        let model = Model::new("m", variables.into(), vec![vec![0; 4]], groups).unwrap();
        for (coefficients, op, constant, text) in [
            ([1, 2, 0, 0], Relation::Le, 3, "P1 + 2*P2 <= 3"),
            ([1, -2, 0, 0], Relation::Lt, 0, "P1 < 2*P2"),
            ([1, -1, -1, 0], Relation::Ge, -4, "P1 >= P2 + 'a b' - 4"),
            ([-1, -1, 0, 0], Relation::Le, -3, "P1 + P2 >= 3"),
            ([0, 0, 0, 1], Relation::Ne, 0, "'it\\'s' != 0"),
            ([0, 0, 0, 0], Relation::Eq, 5, "0 = 5"),
        ] {
            let terms = coefficients.into_iter().zip(model.variable_ids()).collect();
            let predicate = Predicate::Compare(Compare::new(terms, op, constant).unwrap());
            assert_eq!(predicate.display(&model).to_string(), text);
        }
        let fireable = Predicate::Enabled(vec![GroupId(0), GroupId(1)]);
        let both = Predicate::And(vec![fireable, Predicate::DeadEnd]).negate();
        assert_eq!(
            both.display(&model).to_string(),
            "!((fireable(t1, 'deadlock')) & (deadlock))"
        );
    }
}
