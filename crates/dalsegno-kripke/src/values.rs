//! What the numbers of a variable stand for: other numbers, or names.
//!
//! Values of variables are `u32` everywhere. A program has negative numbers and a process has named
//! locations; readers encode them, and whoever shows a value or reads one from a user asks here.

use std::fmt;
use std::sync::Arc;

/// What the values of a variable stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// Numbers, shifted so that none is negative.
    Numbers {
        /// The value that stands for 0.
        zero: u32,
    },
    /// Names, of which a value is the position; values beyond the names are numbers.
    Names(Arc<[String]>),
}

impl Default for Values {
    fn default() -> Self {
        Values::Numbers { zero: 0 }
    }
}

impl Values {
    /// The value that stands for 0: the first one if values have names.
    #[inline]
    #[must_use]
    pub fn zero(&self) -> u32 {
        match self {
            Values::Numbers { zero } => *zero,
            Values::Names(_) => 0,
        }
    }

    /// The names of the values, if they have any.
    #[must_use]
    pub fn names(&self) -> &[String] {
        match self {
            Values::Numbers { .. } => &[],
            Values::Names(names) => names,
        }
    }

    /// The name of a value, if it has one.
    #[must_use]
    pub fn name(&self, value: u32) -> Option<&str> {
        self.names().get(value as usize).map(String::as_str)
    }

    /// The value of that name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<u32> {
        let position = self.names().iter().position(|n| n == name)?;
        u32::try_from(position).ok()
    }

    /// The length of the longest name in bytes; 0 if there is none.
    #[must_use]
    pub fn longest_name(&self) -> usize {
        let lengths = self.names().iter().map(String::len);
        lengths.max().unwrap_or(0)
    }

    /// The number that a value stands for.
    #[inline]
    #[must_use]
    pub fn number(&self, value: u32) -> i64 {
        i64::from(value) - i64::from(self.zero())
    }

    /// The value that stands for a number.
    #[must_use]
    pub fn of_number(&self, number: i64) -> Option<u32> {
        let value = number.checked_add(i64::from(self.zero()))?;
        u32::try_from(value).ok()
    }

    /// A value as its name or the number that it stands for.
    #[must_use]
    pub fn show(&self, value: u32) -> impl fmt::Display + '_ {
        Shown {
            values: self,
            value,
        }
    }
}

struct Shown<'a> {
    values: &'a Values,
    value: u32,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.values.name(self.value) {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.values.number(self.value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_what_they_stand_for() {
        let signed = Values::Numbers { zero: 5 };
        assert_eq!(signed.show(2).to_string(), "-3");
        assert_eq!(
            (signed.of_number(-5), signed.of_number(-6)),
            (Some(0), None)
        );
        assert_eq!(signed.of_number(i64::MAX), None);
        let named = Values::Names(["idle".to_owned(), "busy".to_owned()].into());
        assert_eq!(named.show(1).to_string(), "busy");
        assert_eq!(named.show(7).to_string(), "7");
        assert_eq!((named.named("busy"), named.named("?")), (Some(1), None));
    }
}
