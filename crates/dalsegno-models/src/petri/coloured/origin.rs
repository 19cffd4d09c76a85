//! From an unfolded net back to the coloured one.

use std::ops::Range;

use dalsegno_kripke::{Binding, Bindings, GroupId, Lift, VarId};

use super::net::{ColouredNet, ColouredPlace, ColouredTransition};
use super::quotient::Quotient;
use crate::petri::net::{PetriNet, PlaceId, TransitionId};
use crate::petri::symbols::Symbols;

/// An unfolded net and where its nodes come from.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// The place/transition net. Its identifiers are `place(colour,…)` and `transition(variable=colour, …)`.
    pub net: PetriNet,
    /// Where its nodes come from.
    pub origin: ColourOrigin,
}

/// A map from the nodes of an unfolded net to the coloured net. Invariants:
///
/// 1. Unfolded places ascend by coloured place, then by colour; unfolded transitions by coloured
///    transition, then by binding.
/// 2. A binding has one value per leaf of the variables of its transition.
#[derive(Clone, Debug)]
pub struct ColourOrigin {
    pub(super) coloured: ColouredNet,
    /// Coloured place and colour per unfolded place.
    pub(super) places: Vec<(u32, u64)>,
    /// Coloured transition, and the start of its values, per unfolded transition.
    pub(super) transitions: Vec<(u32, usize)>,
    pub(super) values: Vec<u32>,
    pub(super) lift: Lift,
    /// The classes that colours stand for, if a quotient was unfolded.
    pub(super) quotient: Option<Quotient>,
}

impl ColourOrigin {
    /// The coloured net.
    #[must_use]
    pub fn coloured(&self) -> &ColouredNet {
        &self.coloured
    }

    /// The coloured place and the colour of an unfolded place.
    ///
    /// # Panics
    /// If there is no such place.
    #[must_use]
    pub fn place(&self, unfolded: PlaceId) -> (PlaceId, u64) {
        let (place, colour) = self.places[unfolded.index()];
        (PlaceId(place), colour)
    }

    /// The coloured transition of an unfolded one, and the colours of the leaves of its variables.
    ///
    /// # Panics
    /// If there is no such transition.
    #[must_use]
    pub fn transition(&self, unfolded: TransitionId) -> (TransitionId, &[u32]) {
        let (t, start) = self.transitions[unfolded.index()];
        let leaves = self
            .coloured
            .leaves_of(&self.coloured.transitions[t as usize]);
        (TransitionId(t), &self.values[start..start + leaves.len()])
    }

    /// The same as a map of states and steps: a coloured place has the tokens of its unfolded places
    /// together, and a binding stands for its transition. Places that never have tokens and bindings that
    /// never fire are not unfolded.
    #[must_use]
    pub fn lift(&self) -> Lift {
        self.lift.clone()
    }

    /// The coloured places, each with its unfolded ones.
    fn with_places(&self) -> impl Iterator<Item = (&ColouredPlace, Range<u32>)> {
        let places = (0..).map(VarId).zip(&self.coloured.places);
        places.map(|(v, place)| (place, self.lift.variables_of(v)))
    }

    /// The coloured transitions, each with its bindings.
    fn with_bindings(&self) -> impl Iterator<Item = (&ColouredTransition, &[GroupId])> {
        let transitions = (0..).map(GroupId).zip(&self.coloured.transitions);
        transitions.map(|(g, t)| (t, self.lift.groups_of(g)))
    }

    /// What names mean: a coloured place is the sum of its colours, a coloured transition some of its
    /// bindings. A single colour of a place and a single binding are named as in the unfolded net, such as
    /// `Fork(3)` and `FF1a(x=2)`. A colour that a place never has is named, too, and means no tokens, unless
    /// there are too many of them.
    #[must_use]
    pub fn symbols(&self, net: &PetriNet) -> Symbols {
        let mut symbols = Symbols::new();
        for (place, range) in self.with_places() {
            let variables: Vec<VarId> = range.map(VarId).collect();
            symbols.add_place(&place.id, &variables);
        }
        for (t, groups) in self.with_bindings() {
            symbols.add_transition(&t.id, groups);
        }
        if let Some(quotient) = &self.quotient {
            self.name_quotient(quotient, &mut symbols);
            return symbols;
        }
        let places = (0..).map(VarId).zip(net.places());
        let unfolded = places.map(|(v, place)| (place.id.as_str(), Box::from([v])));
        let named = self.with_places().map(|(place, range)| {
            let variables: Box<[VarId]> = range.map(VarId).collect();
            (place.name.as_str(), variables)
        });
        let absent = self.absent_colours();
        let absent = absent.iter().map(|name| (name.as_str(), Box::from([])));
        symbols.add_place_names(unfolded.chain(named).chain(absent));
        let groups = (0..).map(GroupId).zip(net.transitions());
        let unfolded = groups.map(|(g, t)| (t.id.as_str(), Box::from([g])));
        let named = self.with_bindings();
        let named = named.map(|(t, groups)| (t.name.as_str(), Box::from(groups)));
        symbols.add_transition_names(unfolded.chain(named));
        symbols
    }

    /// The names of a quotient: single colours have some where they are observed, and bindings have none. What could be
    /// the name of a colour or a binding of the whole net is left out.
    fn name_quotient(&self, quotient: &Quotient, symbols: &mut Symbols) {
        let single = quotient.observed.iter().map(|&(place, colour)| {
            let found = self.places.binary_search(&(place.0, colour));
            let variables: Box<[VarId]> = found.ok().map(|v| VarId(v as u32)).into_iter().collect();
            (place_label(&self.coloured, place.0, colour), variables)
        });
        let single: Vec<_> = single.collect();
        let single = single.iter().map(|(name, v)| (name.as_str(), v.clone()));
        let named = self.with_places().map(|(place, range)| {
            let variables: Box<[VarId]> = range.map(VarId).collect();
            (place.name.as_str(), variables)
        });
        let plain = |name: &str| !name.contains('(');
        let named = named.filter(|(name, _)| plain(name));
        symbols.add_place_names(single.chain(named));
        let named = self.with_bindings().filter(|(t, _)| plain(&t.name));
        let named = named.map(|(t, groups)| (t.name.as_str(), Box::from(groups)));
        symbols.add_transition_names(named);
    }

    /// The names of colours of places that the unfolded net does not have.
    fn absent_colours(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (p, (place, range)) in (0..).zip(self.with_places()) {
            let size = self.coloured.sorts.size(place.sort);
            let present = &self.places[range.start as usize..range.end as usize];
            let room = (MAX_ABSENT - names.len()) as u64;
            if size == 1 || size - present.len() as u64 > room {
                continue;
            }
            let mut present = present.iter().map(|&(_, colour)| colour).peekable();
            for colour in 0..size {
                if present.next_if_eq(&colour).is_none() {
                    names.push(place_label(&self.coloured, p, colour));
                }
            }
        }
        names
    }
}

/// The most names of colours that places never have.
const MAX_ABSENT: usize = 100_000;

impl Bindings for ColourOrigin {
    fn binding(&self, group: GroupId) -> Binding {
        let (t, values) = self.transition(TransitionId(group.0));
        let transition = &self.coloured.transitions[t.index()];
        Binding {
            transition: transition.id.clone(),
            colours: labels(&self.coloured, t.0, values),
        }
    }

    fn find(&self, binding: &Binding) -> Option<GroupId> {
        let mut all = self.coloured.transitions.iter();
        let t = all.position(|t| t.id == binding.transition)?;
        let mut wanted = binding.colours.clone();
        wanted.sort_unstable();
        let groups = self.lift.groups_of(GroupId(t as u32));
        groups.iter().copied().find(|&group| {
            let mut colours = self.binding(group).colours;
            colours.sort_unstable();
            colours == wanted
        })
    }
}

/// The name of an unfolded place.
pub(super) fn place_label(net: &ColouredNet, place: u32, colour: u64) -> String {
    let place = &net.places[place as usize];
    if net.sorts.size(place.sort) == 1 {
        return place.id.clone();
    }
    format!("{}({})", place.id, net.sorts.label(place.sort, colour))
}

/// The name of a transition with the colours of the leaves of its variables.
pub(super) fn binding_label(net: &ColouredNet, t: u32, values: &[u32]) -> String {
    let transition = &net.transitions[t as usize];
    let mut label = transition.id.clone();
    if transition.variables.is_empty() {
        return label;
    }
    let mut separator = "(";
    each_variable(net, t, values, |v, colours| {
        label.push_str(separator);
        label.push_str(&net.variables[v].name);
        label.push('=');
        push_colour(net, v, colours, &mut label);
        separator = ", ";
    });
    label.push(')');
    label
}

/// Variables and colours.
fn labels(net: &ColouredNet, t: u32, values: &[u32]) -> Vec<(String, String)> {
    let mut labels = Vec::new();
    each_variable(net, t, values, |v, colours| {
        let mut colour = String::new();
        push_colour(net, v, colours, &mut colour);
        labels.push((net.variables[v].name.clone(), colour));
    });
    labels
}

/// The variables of a transition with the colours of their leaves.
fn each_variable(net: &ColouredNet, t: u32, values: &[u32], mut see: impl FnMut(usize, &[u32])) {
    let mut rest = values;
    for &v in &net.transitions[t as usize].variables {
        let (own, others) = rest.split_at(net.sorts.leaves(net.variables[v].sort).len());
        rest = others;
        see(v, own);
    }
}

/// Appends the colour of a variable; one of a product sort is a tuple.
fn push_colour(net: &ColouredNet, v: usize, colours: &[u32], out: &mut String) {
    let leaves = net.sorts.leaves(net.variables[v].sort);
    if let ([leaf], [colour]) = (leaves, colours) {
        net.sorts.push_leaf_label(*leaf, *colour, out);
        return;
    }
    let mut separator = "(";
    for (&leaf, &colour) in leaves.iter().zip(colours) {
        out.push_str(separator);
        net.sorts.push_leaf_label(leaf, colour, out);
        separator = ",";
    }
    out.push(')');
}
