//! Models: vectors of numbers and groups of transitions.
//!
//! A state is a vector of `u32`, one per variable. A group of transitions names the variables
//! that it depends on and those that it may change, and says what it does as an [`Action`]. The
//! engines see nothing else of a Petri net, a table file or a program.

use std::fmt;

use thiserror::Error;

use crate::action::{Action, Linear, Opaque};
use crate::bounds::Bounds;
use crate::table::{Index, Table};
use crate::values::Values;
use std::sync::Arc;

/// A variable of a [`Model`]: its position in every state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// A group of transitions of a [`Model`], in the order of their declaration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

impl VarId {
    /// The position in a state.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl GroupId {
    /// The position among the groups.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for VarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl fmt::Debug for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}", self.0)
    }
}

/// A variable: its name and what is known of its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name, as propositions write it.
    pub name: String,
    /// Numbers that no reachable value exceeds, as far as they are known.
    pub bounds: Bounds,
}

/// A group of transitions.
#[derive(Clone, Debug)]
pub struct Group {
    name: String,
    reads: Vec<VarId>,
    writes: Vec<VarId>,
    action: Action,
    /// Of the rows of a table, none otherwise.
    pub(crate) index: Index,
}

impl Group {
    /// A group with a guard and a constant effect. It reads what it tests and what it changes.
    #[must_use]
    pub fn linear(name: impl Into<String>, linear: Linear) -> Self {
        let writes: Vec<VarId> = linear.delta().iter().map(|&(v, _)| v).collect();
        let tested = linear.pre().iter().chain(linear.inhibit()).map(|&(v, _)| v);
        let mut reads: Vec<VarId> = tested.chain(writes.iter().copied()).collect();
        reads.sort_unstable();
        reads.dedup();
        Group {
            name: name.into(),
            reads,
            writes,
            action: Action::Linear(linear),
            index: Index::default(),
        }
    }

    /// A group given by rows over `reads` and `writes`.
    #[must_use]
    pub fn table(
        name: impl Into<String>,
        reads: Vec<VarId>,
        writes: Vec<VarId>,
        table: Table,
    ) -> Self {
        // A table of another width is refused when the model is made.
        let index = if table.width().0 == reads.len() {
            Index::new(&table, &reads)
        } else {
            Index::default()
        };
        Group {
            name: name.into(),
            reads,
            writes,
            action: Action::Table(table),
            index,
        }
    }

    /// A group given by a function from the values of `reads` to values of `writes`.
    #[must_use]
    pub fn opaque(
        name: impl Into<String>,
        reads: Vec<VarId>,
        writes: Vec<VarId>,
        function: Arc<dyn Opaque + Send + Sync>,
    ) -> Self {
        Group {
            name: name.into(),
            reads,
            writes,
            action: Action::Opaque(function),
            index: Index::default(),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variables that the successors depend on, ascending for [`Action::Linear`].
    #[inline]
    #[must_use]
    pub fn reads(&self) -> &[VarId] {
        &self.reads
    }

    /// The variables that may change, ascending for [`Action::Linear`].
    #[inline]
    #[must_use]
    pub fn writes(&self) -> &[VarId] {
        &self.writes
    }

    /// What the group does.
    #[inline]
    #[must_use]
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// What the group does, if it is a guard and a constant effect.
    #[inline]
    #[must_use]
    pub fn as_linear(&self) -> Option<&Linear> {
        match &self.action {
            Action::Linear(linear) => Some(linear),
            _ => None,
        }
    }

    /// The variables that decide whether the group is enabled, ascending.
    #[must_use]
    pub fn guard(&self) -> Vec<VarId> {
        let mut guard: Vec<VarId> = match &self.action {
            Action::Linear(linear) => {
                let tested = linear.pre().iter().chain(linear.inhibit());
                tested.map(|&(v, _)| v).collect()
            }
            Action::Table(_) | Action::Opaque(_) => self.reads.clone(),
        };
        guard.sort_unstable();
        guard.dedup();
        guard
    }
}

/// A transition system over vectors of numbers. Invariants:
///
/// 1. Every initial vector has one value per variable, none above its proved bound; there is at least one.
/// 2. Groups speak of existing variables only, of each at most once per list.
/// 3. A table is as wide as its group says.
/// 4. `watches` has an entry per group: a variable and the range in which it lies wherever the
///    group is enabled, or `None`.
/// 5. `values` has an entry per variable.
#[derive(Clone, Debug)]
pub struct Model {
    name: String,
    variables: Vec<Variable>,
    initial: Vec<Vec<u32>>,
    groups: Vec<Group>,
    values: Vec<Values>,
    pub(crate) watches: Vec<Option<(VarId, u32, u32)>>,
    bindings: Option<Arc<dyn Bindings>>,
    labels: Labels,
}

/// Names for people, where they differ from the identifiers that propositions use; empty ones are not there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    /// Of variables; those at the end may be left out.
    pub variables: Vec<String>,
    /// Of groups; those at the end may be left out.
    pub groups: Vec<String>,
}

impl Labels {
    fn of(list: &[String], index: usize) -> Option<&str> {
        let label = list.get(index)?.as_str();
        (!label.is_empty()).then_some(label)
    }
}

/// A transition of the model that the user gave, with the values that its variables stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The name of the transition.
    pub transition: String,
    /// Variables and their values.
    pub colours: Vec<(String, String)>,
}

/// What the groups of an unfolded model stand for.
pub trait Bindings: fmt::Debug + Send + Sync {
    /// The transition and the binding of a group.
    fn binding(&self, group: GroupId) -> Binding;

    /// The group of a transition and a binding.
    fn find(&self, binding: &Binding) -> Option<GroupId>;
}

/// Why parts do not make a [`Model`].
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// More variables or groups than 32 bits can number.
    #[error("too many variables or groups")]
    TooLarge,
    /// There is no initial state.
    #[error("there is no initial state")]
    NoInitial,
    /// An initial vector has the wrong length.
    #[error("an initial state has {found} values for {expected} variables")]
    InitialLength {
        /// The number of variables.
        expected: usize,
        /// The length of the vector.
        found: usize,
    },
    /// An initial value is larger than the bound of its variable.
    #[error("initially {variable} is {value}, above its bound")]
    InitialAboveBound {
        /// The variable's name.
        variable: String,
        /// Its value.
        value: u32,
    },
    /// A group speaks of a variable that does not exist.
    #[error("group {0} speaks of a variable that does not exist")]
    NoSuchVariable(String),
    /// A group lists a variable twice.
    #[error("group {0} lists a variable twice")]
    RepeatedVariable(String),
    /// A table has another width than its group.
    #[error("the table of group {0} has another width than its lists of variables")]
    TableWidth(String),
}

impl Model {
    /// A model from its parts.
    ///
    /// # Errors
    /// The first invariant that the parts break.
    pub fn new(
        name: impl Into<String>,
        variables: Vec<Variable>,
        initial: Vec<Vec<u32>>,
        groups: Vec<Group>,
    ) -> Result<Self, ModelError> {
        let limit = u32::MAX as usize;
        if variables.len() >= limit || groups.len() >= limit {
            return Err(ModelError::TooLarge);
        }
        if initial.is_empty() {
            return Err(ModelError::NoInitial);
        }
        for state in &initial {
            check_initial(&variables, state)?;
        }
        for group in &groups {
            check_group(variables.len(), group)?;
        }
        Ok(Model {
            name: name.into(),
            watches: watches(variables.len(), &groups),
            values: vec![Values::default(); variables.len()],
            variables,
            initial,
            groups,
            bindings: None,
            labels: Labels::default(),
        })
    }

    /// This model, whose groups are bindings of transitions.
    #[must_use]
    pub fn with_bindings(mut self, bindings: Arc<dyn Bindings>) -> Self {
        self.bindings = Some(bindings);
        self
    }

    /// This model with names for people.
    #[must_use]
    pub fn with_labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self
    }

    /// The name for people of a variable, if it is another one than its identifier.
    #[must_use]
    pub fn variable_label(&self, id: VarId) -> Option<&str> {
        Labels::of(&self.labels.variables, id.index())
    }

    /// The name for people of a group, if it is another one than its identifier.
    #[must_use]
    pub fn group_label(&self, id: GroupId) -> Option<&str> {
        Labels::of(&self.labels.groups, id.index())
    }

    /// What the groups are bindings of, if they are.
    #[must_use]
    pub fn bindings(&self) -> Option<&dyn Bindings> {
        self.bindings.as_deref()
    }

    /// The model with another meaning of its values; without this call they are numbers.
    ///
    /// # Panics
    /// If there is not one entry per variable.
    #[must_use]
    pub fn with_values(mut self, values: Vec<Values>) -> Self {
        assert_eq!(values.len(), self.variables.len(), "an entry per variable");
        self.values = values;
        self
    }

    /// What the values of a variable stand for.
    #[inline]
    #[must_use]
    pub fn values(&self, variable: VarId) -> &Values {
        &self.values[variable.index()]
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The variables, in the order of the values of a state.
    #[inline]
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The initial states.
    #[inline]
    #[must_use]
    pub fn initial(&self) -> &[Vec<u32>] {
        &self.initial
    }

    /// The groups of transitions.
    #[inline]
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// A variable.
    #[inline]
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// A group.
    #[inline]
    #[must_use]
    pub fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.index()]
    }

    /// A variable and the range in which it lies wherever a group is enabled, if one is known.
    #[inline]
    #[must_use]
    pub fn watch(&self, group: GroupId) -> Option<(VarId, u32, u32)> {
        self.watches[group.index()]
    }

    /// The handles of the variables.
    pub fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// The handles of the groups.
    pub fn group_ids(&self) -> impl Iterator<Item = GroupId> + use<> {
        (0..self.groups.len() as u32).map(GroupId)
    }

    /// The first variable of that name; looks at all of them.
    #[must_use]
    pub fn find_variable(&self, name: &str) -> Option<VarId> {
        self.variable_ids().find(|&v| self.variable(v).name == name)
    }

    /// The first group of that name; looks at all of them.
    #[must_use]
    pub fn find_group(&self, name: &str) -> Option<GroupId> {
        self.group_ids().find(|&g| self.group(g).name == name)
    }
}

/// Per group a variable with the range that it needs: of a linear group, the part of its guard that is
/// shared by the fewest groups.
///
/// The ranges lie side by side in memory, so that a search finds out about most disabled groups
/// without following a pointer.
fn watches(variables: usize, groups: &[Group]) -> Vec<Option<(VarId, u32, u32)>> {
    let mut users = vec![0_usize; variables];
    for &(v, _) in groups.iter().flat_map(needs) {
        users[v.index()] += 1;
    }
    let watch = |group: &Group| match &group.action {
        Action::Linear(linear) => {
            let rarest = linear.pre().iter().min_by_key(|(v, _)| users[v.index()]);
            rarest.map(|&(v, n)| (v, n, u32::MAX))
        }
        Action::Table(table) => group.index.range(table, &group.reads),
        Action::Opaque(function) => {
            let (position, value) = function.needs()?;
            Some((*group.reads.get(position)?, value, value))
        }
    };
    groups.iter().map(watch).collect()
}

fn needs(group: &Group) -> &[(VarId, u32)] {
    group.as_linear().map_or(&[], Linear::pre)
}

fn check_initial(variables: &[Variable], state: &[u32]) -> Result<(), ModelError> {
    if state.len() != variables.len() {
        return Err(ModelError::InitialLength {
            expected: variables.len(),
            found: state.len(),
        });
    }
    for (variable, &value) in variables.iter().zip(state) {
        if variable.bounds.certain().is_some_and(|bound| value > bound) {
            return Err(ModelError::InitialAboveBound {
                variable: variable.name.clone(),
                value,
            });
        }
    }
    Ok(())
}

fn check_group(variables: usize, group: &Group) -> Result<(), ModelError> {
    for list in [&group.reads, &group.writes] {
        if list.iter().any(|v| v.index() >= variables) {
            return Err(ModelError::NoSuchVariable(group.name.clone()));
        }
        let mut sorted = list.clone();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ModelError::RepeatedVariable(group.name.clone()));
        }
    }
    match &group.action {
        Action::Table(table) if table.width() != (group.reads.len(), group.writes.len()) => {
            Err(ModelError::TableWidth(group.name.clone()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, bound: u32) -> Variable {
        Variable {
            name: name.to_owned(),
            bounds: Bounds::proved(bound),
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let x = || vec![variable("x", 2)];
        let refused = |initial, groups| Model::new("m", x(), initial, groups).unwrap_err();
        assert_eq!(refused(vec![], vec![]), ModelError::NoInitial);
        assert!(matches!(
            refused(vec![vec![]], vec![]),
            ModelError::InitialLength {
                expected: 1,
                found: 0
            }
        ));
        assert!(matches!(
            refused(vec![vec![3]], vec![]),
            ModelError::InitialAboveBound { value: 3, .. }
        ));
        let table = |reads, writes| Group::table("t", reads, writes, Table::new(1, 0));
        assert_eq!(
            refused(vec![vec![0]], vec![table(vec![VarId(1)], vec![])]),
            ModelError::NoSuchVariable("t".to_owned())
        );
        assert_eq!(
            refused(vec![vec![0]], vec![table(vec![VarId(0), VarId(0)], vec![])]),
            ModelError::RepeatedVariable("t".to_owned())
        );
        assert_eq!(
            refused(vec![vec![0]], vec![table(vec![], vec![])]),
            ModelError::TableWidth("t".to_owned())
        );
        assert!(Model::new("m", x(), vec![vec![2]], vec![table(vec![VarId(0)], vec![])]).is_ok());
    }

    #[test]
    fn a_linear_group_reads_what_it_tests_and_what_it_changes() {
        let linear = Linear::new(
            vec![(VarId(2), 1)],
            vec![(VarId(0), 1)],
            vec![(VarId(3), 1)],
        );
        let group = Group::linear("t", linear.unwrap());
        assert_eq!(group.reads(), [VarId(0), VarId(2), VarId(3)]);
        assert_eq!(group.writes(), [VarId(3)]);
        assert_eq!(group.guard(), [VarId(0), VarId(2)]);
    }
}
