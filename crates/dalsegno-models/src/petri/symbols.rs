//! What names in propositions and properties mean.
//!
//! A name stands for any number of variables, whose values are added up, or of groups, of which
//! some is enabled: one each in a place/transition net, one per colour in an unfolded one.

use std::collections::BTreeMap;
use std::fmt;

use dalsegno_kripke::{GroupId, Model, Values, VarId};
use dalsegno_logic::{Names as FormulaNames, nearest};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::net::PetriNet;
use crate::etf::Label;

/// The proposition that no transition is enabled.
pub(super) const DEADLOCK: &str = "deadlock";

/// The most values of variables that misspelt names are compared with.
const MOST_VALUES: usize = 100_000;

/// The names of places and transitions.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    places: Names<VarId>,
    transitions: Names<GroupId>,
    /// Whether places are variables of a model that is no net.
    variables: bool,
    /// What values stand for, where that is not the number itself.
    values: FxHashMap<VarId, Values>,
    labels: BTreeMap<Box<str>, Label>,
}

/// Whether a name is looked up as a place or as a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the variants are the two kinds of nodes")]
pub enum NodeKind {
    Place,
    Variable,
    Transition,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NodeKind::Place => "place",
            NodeKind::Variable => "variable",
            NodeKind::Transition => "transition",
        })
    }
}

/// A name that does not mean one thing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SymbolError {
    /// No node has this name.
    #[error("there is no {kind} `{name}`{}", nearest::hint(.nearest))]
    Unknown {
        /// What was looked for.
        kind: NodeKind,
        /// The name.
        name: String,
        /// The names most like it.
        nearest: Vec<String>,
    },
    /// Nothing that may stand alone has this name.
    #[error("there is no {sought} `{name}`{}", nearest::hint(.nearest))]
    UnknownNode {
        /// What was looked for.
        sought: &'static str,
        /// The name.
        name: String,
        /// The names most like it.
        nearest: Vec<String>,
    },
    /// A variable has no value of this name.
    #[error("`{variable}` has no value `{name}`{}", nearest::hint(.nearest))]
    UnknownValue {
        /// The variable or label.
        variable: String,
        /// The name.
        name: String,
        /// The values most like it.
        nearest: Vec<String>,
    },
    /// A variable whose values have names stands alone.
    #[error("`{0}` has values with names: compare it with one of them, as in `{0} = {1}`")]
    NoValue(String, String),
    /// A node that is called as a proposition is.
    #[error(
        "`{0}` is a proposition and a name of the model: write `{0}()` for the proposition, `'{0}'` for the name"
    )]
    Keyword(String),
    /// A node that is called as a constant is.
    #[error(
        "`{0}` is a constant and a name of the model: write `'{0}'` for the name, and the constant outside of the quotes"
    )]
    Constant(String),
    /// Several nodes have this name, and it is the identifier of none.
    #[error("several nodes are named `{0}`: use an identifier")]
    Ambiguous(String),
}

#[derive(Clone, Debug)]
struct Names<T> {
    /// `None` for ambiguous names.
    meanings: FxHashMap<Box<str>, Option<Box<[T]>>>,
    /// The keys in the order in which they were added: the identifiers, then the names that are
    /// no identifiers.
    order: Vec<Box<str>>,
    /// The names that are no identifiers.
    second: FxHashSet<Box<str>>,
    /// The length of the longest name.
    longest: usize,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names {
            meanings: FxHashMap::default(),
            order: Vec::new(),
            second: FxHashSet::default(),
            longest: 0,
        }
    }
}

impl<T> Names<T> {
    /// Whether a name is known, and then whether it is an identifier.
    fn is_id(&self, name: &str) -> Option<bool> {
        let known = self.meanings.contains_key(name);
        known.then(|| !self.second.contains(name))
    }

    fn add_id(&mut self, id: &str, meaning: Box<[T]>) {
        if self.meanings.insert(id.into(), Some(meaning)).is_none() {
            self.order.push(id.into());
        }
        self.second.remove(id);
        self.longest = self.longest.max(id.len());
    }

    /// Adds names for people, all at once, where they are no identifiers.
    fn add_names<'a>(&mut self, names: impl Iterator<Item = (&'a str, Box<[T]>)>) {
        let first = self.order.len();
        let mut added: FxHashMap<&str, Option<Box<[T]>>> = FxHashMap::default();
        for (name, meaning) in names {
            if self.meanings.contains_key(name) {
                continue;
            }
            let known = added.contains_key(name);
            added.insert(name, if known { None } else { Some(meaning) });
            if !known {
                self.order.push(name.into());
            }
        }
        for name in &self.order[first..] {
            let meaning = added.remove(&**name).flatten();
            self.meanings.insert(name.clone(), meaning);
            self.second.insert(name.clone());
            self.longest = self.longest.max(name.len());
        }
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(|name| &**name)
    }
}

impl Symbols {
    /// No names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The identifiers of a net, and its names where they are not identifiers of other nodes.
    #[must_use]
    pub fn of_net(net: &PetriNet) -> Self {
        let mut symbols = Symbols::new();
        let places = || (0..).map(VarId).zip(net.places());
        let transitions = || (0..).map(GroupId).zip(net.transitions());
        for (v, place) in places() {
            symbols.add_place(&place.id, &[v]);
        }
        for (g, t) in transitions() {
            symbols.add_transition(&t.id, &[g]);
        }
        let renamed = places().filter(|(_, p)| p.name != p.id);
        let names = renamed.map(|(v, p)| (p.name.as_str(), Box::from([v])));
        symbols.places.add_names(names);
        let renamed = transitions().filter(|(_, t)| t.name != t.id);
        let names = renamed.map(|(g, t)| (t.name.as_str(), Box::from([g])));
        symbols.transitions.add_names(names);
        symbols
    }

    /// The names of the variables, their values and the groups of a model.
    #[must_use]
    pub fn of_model(model: &Model) -> Self {
        let mut symbols = Symbols {
            variables: true,
            ..Symbols::new()
        };
        for v in model.variable_ids() {
            symbols.add_place(&model.variable(v).name, &[v]);
            if *model.values(v) != Values::default() {
                symbols.values.insert(v, model.values(v).clone());
            }
        }
        for g in model.group_ids() {
            symbols.add_transition(model.group(g).name(), &[g]);
        }
        symbols
    }

    /// Adds a label of states.
    pub fn add_label(&mut self, label: Label) {
        self.labels.insert(label.name.as_str().into(), label);
    }

    /// The label of that name.
    pub(super) fn label(&self, name: &str) -> Option<&Label> {
        self.labels.get(name)
    }

    /// What the values of a place stand for.
    pub(super) fn values(&self, variables: &[VarId]) -> Option<&Values> {
        match variables {
            [v] => self.values.get(v),
            _ => None,
        }
    }

    /// What places are called in messages.
    pub(super) fn noun(&self) -> NodeKind {
        if self.variables {
            NodeKind::Variable
        } else {
            NodeKind::Place
        }
    }

    /// `variable.value`, where the variable has a value of this name.
    pub(super) fn dotted<'n>(&self, name: &'n str) -> Option<(&'n str, &'n str)> {
        let (variable, value) = name.rsplit_once('.')?;
        let values = self.values(self.place(variable).ok()?)?;
        values.named(value).map(|_| (variable, value))
    }

    /// Adds the identifier of a place, or gives it another meaning.
    pub fn add_place(&mut self, id: &str, variables: &[VarId]) {
        self.places.add_id(id, variables.into());
    }

    /// Adds the identifier of a transition, or gives it another meaning.
    pub fn add_transition(&mut self, id: &str, groups: &[GroupId]) {
        self.transitions.add_id(id, groups.into());
    }

    /// Adds names of places where they are no identifiers; a name of two places is ambiguous.
    pub(super) fn add_place_names<'a>(
        &mut self,
        names: impl Iterator<Item = (&'a str, Box<[VarId]>)>,
    ) {
        self.places.add_names(names);
    }

    /// Adds names of transitions where they are no identifiers.
    pub(super) fn add_transition_names<'a>(
        &mut self,
        names: impl Iterator<Item = (&'a str, Box<[GroupId]>)>,
    ) {
        self.transitions.add_names(names);
    }

    /// Whether a place or a transition has this name.
    pub(super) fn is_node(&self, name: &str) -> bool {
        self.places.is_id(name).is_some() || self.transitions.is_id(name).is_some()
    }

    /// The variables of a place.
    ///
    /// # Errors
    /// [`SymbolError`] if the name is unknown or ambiguous.
    pub fn place(&self, name: &str) -> Result<&[VarId], SymbolError> {
        Ok(self.find_place(name)?.1)
    }

    /// The groups of a transition.
    ///
    /// # Errors
    /// [`SymbolError`] if the name is unknown or ambiguous.
    pub fn transition(&self, name: &str) -> Result<&[GroupId], SymbolError> {
        Ok(self.find_transition(name)?.1)
    }

    /// The names of transitions with their groups; ambiguous names are left out.
    pub fn transitions(&self) -> impl Iterator<Item = (&str, &[GroupId])> {
        let names = self.transitions.keys();
        names.filter_map(|name| Some((name, self.transition(name).ok()?)))
    }

    /// As [`Symbols::place`], with the name as it is kept here.
    pub(super) fn find_place(&self, name: &str) -> Result<(&str, &[VarId]), SymbolError> {
        find(&self.places, self.noun(), name)
    }

    /// As [`Symbols::transition`], with the name as it is kept here.
    pub(super) fn find_transition(&self, name: &str) -> Result<(&str, &[GroupId]), SymbolError> {
        find(&self.transitions, NodeKind::Transition, name)
    }

    /// Whether the name is that of a place or of a transition, for propositions that are a name
    /// alone. An identifier comes before a name of the other kind.
    ///
    /// # Errors
    /// [`SymbolError`] if the name is neither, or both.
    pub fn kind(&self, name: &str) -> Result<NodeKind, SymbolError> {
        match (self.places.is_id(name), self.transitions.is_id(name)) {
            (Some(true), Some(false)) | (Some(_), None) => Ok(self.noun()),
            (Some(false), Some(true)) | (None, Some(_)) => Ok(NodeKind::Transition),
            (Some(_), Some(_)) => Err(SymbolError::Ambiguous(name.to_owned())),
            (None, None) => Err(self.unknown(name)),
        }
    }

    /// That nothing has this name.
    fn unknown(&self, name: &str) -> SymbolError {
        let sought = match (self.variables, self.labels.is_empty()) {
            (false, _) => "place and no transition",
            (true, true) => "variable and no transition",
            (true, false) => "variable, no label and no transition",
        };
        SymbolError::UnknownNode {
            sought,
            name: name.to_owned(),
            nearest: self.like(name),
        }
    }

    /// The names of all kinds most like a word. A word that is a value, as a location of a process, is like the
    /// variables that have it.
    fn like(&self, word: &str) -> Vec<String> {
        let values = self.places.order.iter().flat_map(|name| {
            let values = self.place(name).ok().and_then(|v| self.values(v));
            let values = values.map_or(&[][..], Values::names).iter();
            values.map(move |value| (name, value))
        });
        let values: Vec<(&Box<str>, &String)> = values.take(MOST_VALUES).collect();
        let same = values
            .iter()
            .filter(|(_, value)| value.eq_ignore_ascii_case(word));
        let same: Vec<String> = same
            .take(3)
            .map(|(name, value)| format!("{name}.{value}"))
            .collect();
        if !same.is_empty() {
            return same;
        }
        let dotted: Vec<String> = values
            .iter()
            .map(|(name, value)| format!("{name}.{value}"))
            .collect();
        let nodes = self.places.keys().chain(self.transitions.keys());
        let labels = self.labels.keys().map(|name| &**name);
        let all = nodes.chain(labels).chain(dotted.iter().map(String::as_str));
        owned(nearest::nearest(word, all))
    }
}

/// What a formula may name without quotes: nodes, labels, values of variables, and the deadlock.
impl FormulaNames for Symbols {
    fn knows(&self, word: &str) -> bool {
        self.is_node(word)
            || self.labels.contains_key(word)
            || self.dotted(word).is_some()
            || word == DEADLOCK
    }

    fn is_number(&self, name: &str) -> bool {
        self.places.is_id(name).is_some()
            && !self.labels.contains_key(name)
            && self.place(name).is_ok_and(|v| self.values(v).is_none())
    }

    fn longest(&self) -> usize {
        // A value of a variable is named behind the variable's name.
        let values = self.values.values().map(Values::longest_name);
        let value = values.max().map_or(0, |length| length + 1);
        let labels = self.labels.keys().map(|name| name.len());
        let nodes = self.places.longest.max(self.transitions.longest);
        (nodes + value)
            .max(labels.max().unwrap_or(0))
            .max(DEADLOCK.len())
    }

    fn nearest(&self, word: &str) -> Vec<String> {
        self.like(word)
    }
}

fn find<'a, T>(
    names: &'a Names<T>,
    kind: NodeKind,
    name: &str,
) -> Result<(&'a str, &'a [T]), SymbolError> {
    match names.meanings.get_key_value(name) {
        Some((kept, Some(meaning))) => Ok((kept, meaning)),
        Some((_, None)) => Err(SymbolError::Ambiguous(name.to_owned())),
        None => Err(SymbolError::Unknown {
            kind,
            name: name.to_owned(),
            nearest: owned(nearest::nearest(name, names.keys())),
        }),
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::{Place, Transition};

    fn place(id: &str, name: &str) -> Place {
        Place {
            id: id.to_owned(),
            name: name.to_owned(),
            initial: 0,
        }
    }

    #[test]
    fn identifiers_come_before_names_and_names_must_be_clear() {
        let places = vec![
            place("p", "q"),
            place("q", "twin"),
            place("r", "twin"),
            place("s", "x"),
            place("u", "t"),
        ];
        let t = Transition {
            id: "t".to_owned(),
            name: "x".to_owned(),
            ..Transition::default()
        };
        let net = PetriNet::new("n", places, vec![t], None).unwrap();
        let symbols = Symbols::of_net(&net);
        assert_eq!(symbols.place("q"), Ok(&[VarId(1)][..]));
        assert_eq!(symbols.place("x"), Ok(&[VarId(3)][..]));
        assert_eq!(symbols.transition("x"), Ok(&[GroupId(0)][..]));
        assert_eq!(
            symbols.place("twin"),
            Err(SymbolError::Ambiguous("twin".to_owned()))
        );
        assert_eq!(
            symbols.kind("x"),
            Err(SymbolError::Ambiguous("x".to_owned()))
        );
        assert_eq!(symbols.kind("p"), Ok(NodeKind::Place));
        assert_eq!(symbols.kind("t"), Ok(NodeKind::Transition));
        assert_eq!(
            symbols.place("twim").unwrap_err().to_string(),
            "there is no place `twim`; did you mean `twin`?"
        );
        assert!(matches!(
            symbols.kind("zz"),
            Err(SymbolError::UnknownNode { .. })
        ));
    }

    #[test]
    fn names_of_all_kinds_are_near() {
        let text = b"byte turn; process P { state idle, wait; init idle; trans idle -> wait { effect turn = 1; }; }
            system async;";
        let model = crate::dve::load(text, "m").unwrap();
        let mut symbols = Symbols::of_model(&model);
        symbols.add_label(Label {
            name: "critical".to_owned(),
            values: vec![],
        });
        let said = |name: &str| symbols.kind(name).unwrap_err().to_string();
        let nothing = "there is no variable, no label and no transition";
        assert_eq!(
            said("turm"),
            format!("{nothing} `turm`; did you mean `turn`?")
        );
        assert_eq!(
            said("critcal"),
            format!("{nothing} `critcal`; did you mean `critical`?")
        );
        assert_eq!(
            said("P: idle->wait"),
            format!("{nothing} `P: idle->wait`; did you mean `P: idle -> wait`?")
        );
        assert_eq!(
            said("wait"),
            format!("{nothing} `wait`; did you mean `P.wait`?")
        );
        assert_eq!(
            said("P.wiat"),
            format!("{nothing} `P.wiat`; did you mean `P.wait`?")
        );
        assert_eq!(
            said("Q.wait"),
            format!("{nothing} `Q.wait`; did you mean `P.wait`?")
        );
    }
}
