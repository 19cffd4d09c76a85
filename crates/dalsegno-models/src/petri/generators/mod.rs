//! Families of nets with a parameter, for tests and measurements.
//!
//! Each family is a net of the literature or of the Model Checking Contest, put together here from
//! its structure; the numbers of states that others report are the tests.

mod builder;
mod coloured;
mod manufacturing;
mod mutual_exclusion;
mod philosophers;
mod rings;
mod signalling;

use std::fmt;
use std::str::FromStr;

use dalsegno_logic::nearest;
use thiserror::Error;

use super::coloured::ColouredNet;
use super::net::PetriNet;

/// A family of nets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// A flexible manufacturing system with `n` parts of each of three kinds (contest: FMS).
    Fms,
    /// Four cells of a kanban system with `n` cards each (contest: Kanban).
    Kanban,
    /// `n` philosophers who take their forks one by one in any order (contest: Philosophers).
    Philosophers,
    /// `n` philosophers who ask for both forks at once (Ciardo).
    Phils,
    /// A ring of `n` slots (Pastor and others).
    Ring,
    /// Peterson's algorithm for `n` + 1 processes (contest: Peterson).
    Peterson,
    /// `n` processes that pass on a right to a resource (round-robin mutual exclusion).
    Mutex,
    /// A cascade of kinases with `n` molecules of Raf, `n` a multiple of 4 (contest: MAPK).
    Mapk,
    /// Dijkstra's self-stabilising ring of `n` + 1 processes (contest: `TokenRing`).
    TokenRing,
    /// `n` readers and `n` writers (contest: `RwMutex`).
    ReadersWriters,
}

/// All families with their names.
const FAMILIES: [(&str, Family); 10] = [
    ("fms", Family::Fms),
    ("kanban", Family::Kanban),
    ("philosophers", Family::Philosophers),
    ("phils", Family::Phils),
    ("ring", Family::Ring),
    ("peterson", Family::Peterson),
    ("mutex", Family::Mutex),
    ("mapk", Family::Mapk),
    ("token_ring", Family::TokenRing),
    ("readers_writers", Family::ReadersWriters),
];

/// The nearest names or, where no name is near, all of them.
fn known(nearest: &[String]) -> String {
    if nearest.is_empty() {
        let names: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
        return format!(": there are {}", names.join(", "));
    }
    nearest::hint(nearest)
}

/// Why there is no such net.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum GenerateError {
    /// A name that names no family.
    #[error("there is no family `{name}`{}", known(.nearest))]
    UnknownFamily {
        /// The name.
        name: String,
        /// The names most like it.
        nearest: Vec<String>,
    },
    /// A family without a coloured net.
    #[error("{0} has no coloured net: philosophers and token_ring have one")]
    NotColoured(Family),
    /// A parameter that the family does not have.
    #[error("{family} {parameter}: the parameter must be {expected}")]
    Parameter {
        /// The family.
        family: Family,
        /// The number given.
        parameter: u32,
        /// What it must be.
        expected: &'static str,
    },
}

impl Family {
    /// All families.
    pub fn all() -> impl Iterator<Item = Family> {
        FAMILIES.into_iter().map(|(_, family)| family)
    }

    /// The net of this family with parameter `n`.
    ///
    /// # Errors
    /// [`GenerateError::Parameter`] if the family has no net for `n`.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_models::petri::generators::Family;
    ///
    /// let net = Family::Kanban.generate(5)?;
    /// assert_eq!(net.to_string(), "kanban-5: 16 places, 16 transitions, 40 arcs");
    /// # Ok::<(), dalsegno_models::petri::generators::GenerateError>(())
    /// ```
    pub fn generate(self, n: u32) -> Result<PetriNet, GenerateError> {
        let require = |fits: bool, expected: &'static str| {
            let error = GenerateError::Parameter {
                family: self,
                parameter: n,
                expected,
            };
            if fits { Ok(()) } else { Err(error) }
        };
        let most = 1_000_000;
        require((1..=most).contains(&n), "between 1 and 1000000")?;
        let net = match self {
            Family::Fms => manufacturing::fms(n),
            Family::Kanban => manufacturing::kanban(n),
            Family::Philosophers => {
                require(n >= 2, "at least 2")?;
                philosophers::one_by_one(n)
            }
            Family::Phils => {
                require(n >= 2, "at least 2")?;
                philosophers::both_at_once(n)
            }
            Family::Ring => {
                require(n >= 2, "at least 2")?;
                rings::slotted(n)
            }
            Family::Peterson => {
                require(n <= 100, "at most 100")?;
                mutual_exclusion::peterson(n)
            }
            Family::Mutex => {
                require(n >= 2, "at least 2")?;
                mutual_exclusion::round_robin(n)
            }
            Family::Mapk => {
                require(n.is_multiple_of(4), "a multiple of 4")?;
                signalling::mapk(n)
            }
            Family::TokenRing => {
                require(n <= 200, "at most 200")?;
                rings::tokens(n)
            }
            Family::ReadersWriters => {
                require(n <= 2000, "at most 2000")?;
                mutual_exclusion::readers_writers(n)
            }
        };
        Ok(net.finish(format!("{self}-{n}")))
    }

    /// The coloured net of this family with parameter `n`; unfolded it has the same states as
    /// [`Family::generate`].
    ///
    /// # Errors
    /// [`GenerateError`] if the family has no coloured net, or none for `n`.
    ///
    /// # Examples
    /// ```
    /// use dalsegno_models::petri::generators::Family;
    ///
    /// let net = Family::Philosophers.generate_coloured(5)?;
    /// assert_eq!(
    ///     net.to_string(),
    ///     "philosophers-5: 5 coloured places, 5 coloured transitions"
    /// );
    /// # Ok::<(), dalsegno_models::petri::generators::GenerateError>(())
    /// ```
    pub fn generate_coloured(self, n: u32) -> Result<ColouredNet, GenerateError> {
        let (least, most, expected) = match self {
            Family::Philosophers => (2, 1_000_000, "between 2 and 1000000"),
            Family::TokenRing => (1, 200, "between 1 and 200"),
            other => return Err(GenerateError::NotColoured(other)),
        };
        if !(least..=most).contains(&n) {
            return Err(GenerateError::Parameter {
                family: self,
                parameter: n,
                expected,
            });
        }
        let name = format!("{self}-{n}");
        Ok(match self {
            Family::Philosophers => coloured::philosophers(name, n),
            _ => coloured::token_ring(name, n),
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = FAMILIES.iter().find(|(_, family)| family == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

impl FromStr for Family {
    type Err = GenerateError;

    fn from_str(text: &str) -> Result<Self, GenerateError> {
        let found = FAMILIES.iter().find(|(name, _)| *name == text);
        found.map(|&(_, family)| family).ok_or_else(|| {
            let names = FAMILIES.iter().map(|(name, _)| *name);
            let nearest = nearest::nearest(text, names);
            GenerateError::UnknownFamily {
                name: text.to_owned(),
                nearest: nearest.into_iter().map(str::to_owned).collect(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_parameters_checked() {
        for family in Family::all() {
            assert_eq!(family.to_string().parse(), Ok(family));
            assert!(family.generate(0).is_err());
            assert!(family.generate(4).is_ok());
        }
        assert_eq!(
            "kanbam".parse::<Family>().unwrap_err().to_string(),
            "there is no family `kanbam`; did you mean `kanban`?"
        );
        let message = "nothing like it".parse::<Family>().unwrap_err().to_string();
        assert!(message.ends_with("it`: there are fms, kanban, philosophers, phils, ring, peterson, mutex, mapk, token_ring, readers_writers"), "{message}");
        assert_eq!(
            Family::Mapk.generate(6).unwrap_err().to_string(),
            "mapk 6: the parameter must be a multiple of 4"
        );
    }
}
