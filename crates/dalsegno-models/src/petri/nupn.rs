//! Nested units: a tree of groups of places that a file may bring along.
//!
//! A NUPN ("nested-unit Petri net", Garavel 2015) puts each place into one unit, and units into
//! units. If it is *unit safe*, a reachable marking has at most one token in a unit, and none in
//! the units inside of a unit that has one: so every place holds at most one token.

use thiserror::Error;

use super::net::PlaceId;

/// A tree of units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nupn {
    /// The units.
    pub units: Vec<Unit>,
    /// The position of the outermost unit.
    pub root: usize,
    /// Whether the file promises unit safety.
    pub safe: bool,
}

/// A unit of a [`Nupn`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// The identifier.
    pub id: String,
    /// The places that are in this unit and in none of its subunits.
    pub places: Vec<PlaceId>,
    /// The positions of the units directly inside.
    pub subunits: Vec<usize>,
}

/// Why units do not make a [`Nupn`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NupnError {
    /// There is no outermost unit.
    #[error("the NUPN structure has no root")]
    NoRoot,
    /// A unit lists a place or a unit that does not exist.
    #[error("the NUPN unit `{0}` lists what does not exist")]
    Missing(String),
    /// A place is in two units.
    #[error("the NUPN unit `{0}` lists a place of another unit")]
    SharedPlace(String),
    /// A unit is inside of two units, or of itself, or not inside of the root.
    #[error("the NUPN unit `{0}` is not at one place in the tree")]
    NoTree(String),
}

impl Nupn {
    /// Checks that the units form a tree over distinct places.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, places: usize) -> Result<(), NupnError> {
        if self.root >= self.units.len() {
            return Err(NupnError::NoRoot);
        }
        let mut placed = vec![false; places];
        let mut inside = vec![false; self.units.len()];
        inside[self.root] = true;
        for unit in &self.units {
            for place in &unit.places {
                match placed.get_mut(place.index()) {
                    None => return Err(NupnError::Missing(unit.id.clone())),
                    Some(true) => return Err(NupnError::SharedPlace(unit.id.clone())),
                    Some(slot) => *slot = true,
                }
            }
            for &sub in &unit.subunits {
                match inside.get_mut(sub) {
                    None => return Err(NupnError::Missing(unit.id.clone())),
                    Some(true) => return Err(NupnError::NoTree(self.units[sub].id.clone())),
                    Some(slot) => *slot = true,
                }
            }
        }
        // One parent each, so what the root reaches is a tree; the rest would be cycles or strays.
        let mut reached = vec![false; self.units.len()];
        let mut stack = vec![self.root];
        while let Some(unit) = stack.pop() {
            reached[unit] = true;
            stack.extend(&self.units[unit].subunits);
        }
        match reached.iter().position(|&r| !r) {
            Some(stray) => Err(NupnError::NoTree(self.units[stray].id.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(id: &str, places: &[u32], subunits: &[usize]) -> Unit {
        Unit {
            id: id.to_owned(),
            places: places.iter().copied().map(PlaceId).collect(),
            subunits: subunits.to_vec(),
        }
    }

    fn check(units: Vec<Unit>, root: usize) -> Result<(), NupnError> {
        let safe = true;
        Nupn { units, root, safe }.check(3)
    }

    #[test]
    fn only_trees_over_distinct_places_pass() {
        let leaf = || unit("b", &[1], &[]);
        assert_eq!(check(vec![unit("a", &[0], &[1]), leaf()], 0), Ok(()));
        assert_eq!(check(vec![], 0), Err(NupnError::NoRoot));
        let name = |id: &str| id.to_owned();
        assert_eq!(
            check(vec![unit("a", &[3], &[])], 0),
            Err(NupnError::Missing(name("a")))
        );
        assert_eq!(
            check(vec![unit("a", &[1], &[1]), leaf()], 0),
            Err(NupnError::SharedPlace(name("b")))
        );
        assert_eq!(
            check(vec![unit("a", &[], &[1, 1]), leaf()], 0),
            Err(NupnError::NoTree(name("b")))
        );
        assert_eq!(
            check(vec![unit("a", &[], &[0])], 0),
            Err(NupnError::NoTree(name("a")))
        );
        let cycle = vec![
            unit("a", &[], &[]),
            unit("b", &[], &[2]),
            unit("c", &[], &[1]),
        ];
        assert_eq!(check(cycle, 0), Err(NupnError::NoTree(name("b"))));
    }
}
