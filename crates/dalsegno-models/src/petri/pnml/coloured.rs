//! A coloured net from what the pass over the text has collected.

use std::collections::BTreeSet;

use dalsegno_kripke::Budget;

use super::declarations::declarations;
use super::error::{ErrorKind, Located};
use super::terms::Terms;
use super::tree::{Tree, Trees};
use super::watch::Watch;
use crate::petri::coloured::{
    ColouredNet, ColouredPlace, ColouredTransition, Guard, Multiset, Part, SortId, SortKind, Sorts,
    Summand,
};
use crate::petri::graphics::ArcRole;
use crate::petri::net::{Place, PlaceId, Transition};

type Result<T> = std::result::Result<T, Located>;

/// The labels of a coloured net, in the order of the file.
#[derive(Default)]
pub(super) struct Labels<'a> {
    pub(super) trees: Trees<'a>,
    pub(super) declarations: Vec<Tree>,
    /// The sorts of places.
    pub(super) types: Vec<(usize, Tree)>,
    pub(super) markings: Vec<(usize, Tree)>,
    /// The conditions of transitions.
    pub(super) conditions: Vec<(usize, Tree)>,
}

/// An arc whose ends are known.
pub(super) struct ColouredArc {
    pub(super) place: PlaceId,
    pub(super) transition: usize,
    pub(super) list: List,
    pub(super) weight: u32,
    pub(super) term: Option<Tree>,
    pub(super) offset: usize,
}

impl List {
    pub(super) fn role(self) -> ArcRole {
        match self {
            List::Pre => ArcRole::Take,
            List::Post => ArcRole::Put,
            List::Test => ArcRole::Test,
            List::Inhibit => ArcRole::Inhibit,
        }
    }
}

/// Where an arc belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum List {
    Pre,
    Post,
    Test,
    Inhibit,
}

pub(super) fn net(
    name: String,
    (places, transitions): (Vec<Place>, Vec<Transition>),
    labels: &Labels<'_>,
    arcs: Vec<ColouredArc>,
    offset: usize,
    budget: &Budget,
) -> Result<ColouredNet> {
    let watch = Watch::new(budget);
    let mut declared = declarations(&labels.trees, &labels.declarations, &watch)?;
    let dot = declared.sorts.add(None, SortKind::Dot);
    let dot = dot.map_err(|_| Located::new(offset, ErrorKind::TermTooLarge))?;
    let mut sorts = vec![dot; places.len()];
    for (place, tree) in &labels.types {
        let node = &labels.trees.nodes[tree.start];
        watch.spend(node.element, 1)?;
        sorts[*place] = declared.sort(&labels.trees, node, None)?;
    }
    let mut terms = Terms {
        trees: &labels.trees,
        declared: &mut declared,
        used: BTreeSet::new(),
        watch: &watch,
    };
    let mut initial: Vec<Option<Multiset>> = vec![None; places.len()];
    for (place, tree) in &labels.markings {
        initial[*place] = Some(terms.multiset(tree, sorts[*place])?);
        if let Some(variable) = terms.used.pop_first() {
            let id = terms.declared.variables[variable].id.clone();
            let offset = labels.trees.nodes[tree.start].element.offset;
            return Err(Located::new(offset, ErrorKind::UnboundVariable(id)));
        }
    }
    let blank = |t: Transition| ColouredTransition {
        id: t.id,
        name: t.name,
        guard: Guard::TRUE,
        variables: Vec::new(),
        pre: Vec::new(),
        post: Vec::new(),
        inhibit: Vec::new(),
        test: Vec::new(),
    };
    let mut transitions: Vec<ColouredTransition> = transitions.into_iter().map(blank).collect();
    let mut used: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); transitions.len()];
    for (t, tree) in &labels.conditions {
        transitions[*t].guard = terms.condition(tree)?;
        used[*t].append(&mut terms.used);
    }
    for arc in arcs {
        let sort = sorts[arc.place.index()];
        let label = match &arc.term {
            Some(tree) => terms.multiset(tree, sort)?,
            None => dots(&terms.declared.sorts, sort, arc.weight, arc.offset)?,
        };
        used[arc.transition].append(&mut terms.used);
        let transition = &mut transitions[arc.transition];
        let list = match arc.list {
            List::Pre => &mut transition.pre,
            List::Post => &mut transition.post,
            List::Test => &mut transition.test,
            List::Inhibit => &mut transition.inhibit,
        };
        list.push((arc.place, label));
    }
    for (transition, used) in transitions.iter_mut().zip(used) {
        transition.variables = used.into_iter().collect();
    }
    let mut coloured = Vec::with_capacity(places.len());
    for ((place, sort), initial) in places.into_iter().zip(sorts).zip(initial) {
        let initial = match initial {
            Some(marking) => marking,
            None if place.initial == 0 => Multiset::empty(sort),
            None => dots(&declared.sorts, sort, place.initial, offset)?,
        };
        coloured.push(ColouredPlace {
            id: place.id,
            name: place.name,
            sort,
            initial,
        });
    }
    Ok(ColouredNet {
        name,
        sorts: declared.sorts,
        partitions: declared.partitions,
        variables: declared.variables,
        places: coloured,
        transitions,
        graphics: None,
    })
}

/// Plain tokens, for places of a sort with one colour.
fn dots(sorts: &Sorts, sort: SortId, count: u32, offset: usize) -> Result<Multiset> {
    if sorts.size(sort) != 1 {
        let name = sorts.get(sort).name.clone();
        return Err(Located::new(offset, ErrorKind::NoTerm(name)));
    }
    let factors = vec![vec![(Part::Constant(0), 1)]; sorts.leaves(sort).len()];
    let tokens = Summand {
        factors,
        coefficient: i64::from(count),
    };
    let summands = if count == 0 { Vec::new() } else { vec![tokens] };
    Ok(Multiset { sort, summands })
}
