//! Explanations of branching-time verdicts: trees of paths that follow a formula.
//!
//! An explanation says that a formula holds in a state, or that it does not, and why: by the values of its operands,
//! or by a path that shows `E` or refutes `A`, with what is said of the states on the path explained in turn. That
//! *all* paths do something has no path to show; such claims end a branch of the tree.

use crate::lasso::Step;

/// Why a formula, of type `F`, holds in a state or does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation<F> {
    /// The formula.
    pub formula: F,
    /// Whether it holds.
    pub holds: bool,
    /// The state.
    pub state: Vec<u32>,
    /// Why.
    pub reason: Reason<F>,
}

/// Why a claim is true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason<F> {
    /// The values of the variables say so.
    State,
    /// These operands of the formula decide it.
    Operands(Vec<Explanation<F>>),
    /// A path that satisfies what is below `E`, or violates what is below `A`.
    Path(Path<F>),
    /// The claim is about all paths: there is nothing to show.
    AllPaths,
    /// The same claim is explained elsewhere in the tree.
    Elsewhere,
    /// There is something to show, and it would be too long.
    Omitted,
}

/// A path, and what is explained of its states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path<F> {
    /// States, each with the group that leaves it.
    pub steps: Vec<Step>,
    /// How it goes on.
    pub end: End,
    /// Positions, and what holds there. The position after the last step is that of an open end.
    pub facts: Vec<(usize, Explanation<F>)>,
}

/// How a path goes on after its steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// From this state in any way: what is claimed is decided there.
    Open(Vec<u32>),
    /// With the step at this position again.
    Back(usize),
}

impl<F> Path<F> {
    /// The state at a position; `None` beyond the end.
    #[must_use]
    pub fn state(&self, position: usize) -> Option<&[u32]> {
        match (self.steps.get(position), &self.end) {
            (Some(step), _) => Some(&step.state),
            (None, End::Open(state)) if position == self.steps.len() => Some(state),
            _ => None,
        }
    }

    /// The number of states, each counted once.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a path has a first state")]
    pub fn len(&self) -> usize {
        self.steps.len() + usize::from(matches!(self.end, End::Open(_)))
    }

    /// The position after a position; `None` where the path is open.
    #[must_use]
    pub fn successor(&self, position: usize) -> Option<usize> {
        if position + 1 < self.len() {
            return Some(position + 1);
        }
        match self.end {
            End::Open(_) => None,
            End::Back(start) => Some(start),
        }
    }
}

impl<F> Explanation<F> {
    /// The number of claims in the tree.
    #[must_use]
    pub fn size(&self) -> usize {
        let below: usize = match &self.reason {
            Reason::Operands(list) => list.iter().map(Explanation::size).sum(),
            Reason::Path(path) => path.facts.iter().map(|(_, fact)| fact.size()).sum(),
            _ => 0,
        };
        1 + below
    }

    /// The same explanation with other names for formulas.
    pub fn map<G>(&self, name: &mut impl FnMut(&F) -> G) -> Explanation<G> {
        let formula = name(&self.formula);
        let reason = match &self.reason {
            Reason::State => Reason::State,
            Reason::Operands(list) => Reason::Operands(list.iter().map(|e| e.map(name)).collect()),
            Reason::Path(path) => {
                let facts = path.facts.iter();
                Reason::Path(Path {
                    steps: path.steps.clone(),
                    end: path.end.clone(),
                    facts: facts.map(|(at, fact)| (*at, fact.map(name))).collect(),
                })
            }
            Reason::AllPaths => Reason::AllPaths,
            Reason::Elsewhere => Reason::Elsewhere,
            Reason::Omitted => Reason::Omitted,
        };
        Explanation {
            formula,
            holds: self.holds,
            state: self.state.clone(),
            reason,
        }
    }

    /// Whether something that could be shown is left out, other than below a path.
    #[must_use]
    pub fn omits(&self) -> bool {
        match &self.reason {
            Reason::Operands(list) => list.iter().any(Explanation::omits),
            Reason::Omitted => true,
            _ => false,
        }
    }

    /// Whether some path is shown.
    #[must_use]
    pub fn has_path(&self) -> bool {
        match &self.reason {
            Reason::Operands(list) => list.iter().any(Explanation::has_path),
            Reason::Path(_) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_on_to_the_end_or_back() {
        let step = |n| Step {
            state: vec![n],
            group: None,
        };
        let mut path: Path<char> = Path {
            steps: vec![step(0), step(1)],
            end: End::Open(vec![2]),
            facts: Vec::new(),
        };
        assert_eq!(
            (path.len(), path.successor(1), path.successor(2)),
            (3, Some(2), None)
        );
        assert_eq!(path.state(2), Some(&[2][..]));
        path.end = End::Back(1);
        assert_eq!(
            (path.len(), path.successor(1), path.state(2)),
            (2, Some(1), None)
        );
    }
}
