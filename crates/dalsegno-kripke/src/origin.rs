//! Origins: how runs of a transformed model are runs of the model it was made from.

use crate::model::{GroupId, VarId};

/// Where the value of an original variable is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It is the value of this variable of the transformed model.
    Variable(VarId),
    /// It never changes, and the transformed model has dropped it.
    Constant(u32),
}

/// A map from a transformed model back to the original one.
///
/// Every transformation keeps one, so that a lasso found in what is left is reported, replayed and
/// certified on the model that the user gave. A transition of the transformed model stands for a
/// sequence of original groups, usually of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Per original variable.
    variables: Vec<Source>,
    /// Per transformed group, the start of its sequence in `sequences`; one entry more at the end.
    starts: Vec<usize>,
    sequences: Vec<GroupId>,
}

impl Origin {
    /// Nothing was transformed.
    #[must_use]
    pub fn identity(variables: usize, groups: usize) -> Self {
        Origin {
            variables: (0..variables as u32)
                .map(|v| Source::Variable(VarId(v)))
                .collect(),
            starts: (0..=groups).collect(),
            sequences: (0..groups as u32).map(GroupId).collect(),
        }
    }

    /// Variables were renumbered or dropped and groups renumbered, dropped or copied: `groups`
    /// has the original group of each transformed one.
    #[must_use]
    pub fn renaming(variables: Vec<Source>, groups: Vec<GroupId>) -> Self {
        Origin {
            variables,
            starts: (0..=groups.len()).collect(),
            sequences: groups,
        }
    }

    /// As [`Origin::renaming`], with a sequence of original groups for each transformed one.
    #[must_use]
    pub fn sequences(variables: Vec<Source>, groups: &[Vec<GroupId>]) -> Self {
        let mut starts = vec![0];
        let mut sequences = Vec::new();
        for sequence in groups {
            sequences.extend_from_slice(sequence);
            starts.push(sequences.len());
        }
        Origin {
            variables,
            starts,
            sequences,
        }
    }

    /// The original groups that a transformed group stands for, in order.
    ///
    /// # Panics
    /// If there is no such group.
    #[must_use]
    pub fn groups(&self, transformed: GroupId) -> &[GroupId] {
        let i = transformed.index();
        &self.sequences[self.starts[i]..self.starts[i + 1]]
    }

    /// Where the values of the original variables are found.
    #[must_use]
    pub fn variables(&self) -> &[Source] {
        &self.variables
    }

    /// Writes the original of a transformed state to `out`.
    ///
    /// # Panics
    /// If a vector has the wrong length.
    pub fn lift_state(&self, transformed: &[u32], out: &mut [u32]) {
        assert_eq!(
            out.len(),
            self.variables.len(),
            "one value per original variable"
        );
        for (value, source) in out.iter_mut().zip(&self.variables) {
            *value = match *source {
                Source::Variable(v) => transformed[v.index()],
                Source::Constant(n) => n,
            };
        }
    }

    /// The map of two transformations: `self` the first, `next` one of its result.
    ///
    /// # Panics
    /// If `next` starts from another model than `self` leads to.
    #[must_use]
    pub fn then(&self, next: &Origin) -> Origin {
        let through = |source: &Source| match *source {
            Source::Variable(v) => next.variables[v.index()],
            constant @ Source::Constant(_) => constant,
        };
        let mut starts = vec![0];
        let mut sequences = Vec::new();
        for g in 0..next.starts.len() - 1 {
            for &middle in next.groups(GroupId(g as u32)) {
                sequences.extend_from_slice(self.groups(middle));
            }
            starts.push(sequences.len());
        }
        Origin {
            variables: self.variables.iter().map(through).collect(),
            starts,
            sequences,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_maps_lift_as_one_after_the_other() {
        let first = Origin::renaming(
            vec![
                Source::Variable(VarId(1)),
                Source::Constant(7),
                Source::Variable(VarId(0)),
            ],
            vec![GroupId(2), GroupId(0)],
        );
        let second = Origin::sequences(
            vec![Source::Constant(4), Source::Variable(VarId(0))],
            &[vec![GroupId(1), GroupId(0)], vec![]],
        );
        let both = first.then(&second);
        assert_eq!(both.groups(GroupId(0)), [GroupId(0), GroupId(2)]);
        assert!(both.groups(GroupId(1)).is_empty());

        let (mut middle, mut original, mut direct) = ([0; 2], [0; 3], [0; 3]);
        second.lift_state(&[9], &mut middle);
        first.lift_state(&middle, &mut original);
        both.lift_state(&[9], &mut direct);
        assert_eq!((original, direct), ([9, 7, 4], [9, 7, 4]));
    }

    #[test]
    fn the_identity_changes_nothing() {
        let map = Origin::renaming(vec![Source::Variable(VarId(0))], vec![GroupId(0); 2]);
        assert_eq!(Origin::identity(1, 1).then(&map), map);
        assert_eq!(map.then(&Origin::identity(1, 2)), map);
    }
}
