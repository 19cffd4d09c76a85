//! What there is to know of coloured nets: sorts, coloured nodes, and how large the unfolded net is.

use std::time::Duration;

use dalsegno_kripke::Budget;
use dalsegno_models::petri::PetriNet;
use dalsegno_models::petri::coloured::{
    self, ColouredNet, Limits, Quotient, Size, SortKind, Unfolded,
};
use serde::Serialize;

use super::net::{self, Place, Subject, Transition};
use super::{Info, Initial, List, ModelKind, Options};

/// A sort of a coloured net.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SortInfo {
    /// Its name.
    pub name: String,
    /// What it is: "dot", "enumeration", "cyclic enumeration", "range" or "product".
    pub kind: &'static str,
    /// How many colours it has.
    pub colours: u64,
    /// The first colours, or of a product its parts.
    pub shown: Vec<String>,
}

/// How large an unfolded net is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unfolding {
    /// All colours of all places: no unfolding has more.
    pub most_places: String,
    /// All bindings that the guards leave at first sight: no unfolding has more.
    pub most_transitions: String,
    /// The places, if it was unfolded.
    pub places: Option<usize>,
    /// The transitions, if it was unfolded.
    pub transitions: Option<usize>,
    /// The arcs, if it was unfolded.
    pub arcs: Option<usize>,
    /// The places after colours were merged that nothing tells apart, if it was not unfolded.
    pub quotient_places: Option<usize>,
    /// The transitions after that.
    pub quotient_transitions: Option<usize>,
}

/// The colours of a sort that are shown.
const COLOURS: u64 = 8;

/// Nets with at most so many colours and bindings are unfolded, a fraction of a second's work.
const CHEAP: u64 = 50_000;

/// Looks at a coloured net.
pub(super) fn info(net: &ColouredNet, options: &Options, budget: &Budget) -> Info {
    let mut info = Info::new(&net.name, ModelKind::ColouredNet, options);
    let work = budget.clone().with_time(options.time);
    let skeleton = coloured::skeleton(net);
    let arcs = net
        .transitions
        .iter()
        .map(|t| t.pre.len() + t.post.len() + t.inhibit.len() + t.test.len());
    info.arcs = Some(arcs.sum());
    info.sorts = Some(sorts(net, options));
    let subject = skeleton
        .as_ref()
        .map(|skeleton| Subject::new(skeleton, &work));
    info.places = Some(places(net, subject.as_ref(), options));
    info.transitions = transitions(net, subject.as_ref(), options);
    let unfolded = unfold(net, &mut info, options, &work);
    info.initial = match (&unfolded, &skeleton) {
        (Some(unfolded), _) => initial(&unfolded.net, options),
        (None, Some(skeleton)) => initial(skeleton, options),
        (None, None) => List::empty(),
    };
    match &subject {
        Some(subject) => net::structure(&mut info, subject, options, &work, true),
        None => info.leave(
            "structure",
            "the initial marking has more tokens than 32 bits can count",
        ),
    }
    info
}

/// The places that are marked in the beginning.
fn initial(net: &PetriNet, options: &Options) -> List<Initial> {
    net::initial(net, options)
}

fn sorts(net: &ColouredNet, options: &Options) -> List<SortInfo> {
    // Sorts without a name are parts of others.
    let named = net.sorts.all().iter().zip(0..);
    let named = named.filter(|(sort, _)| !sort.name.is_empty());
    List::of(
        options,
        named,
        |pattern, (sort, _)| pattern.matches(&sort.name),
        |(sort, id)| {
            let id = coloured::SortId(id);
            let size = net.sorts.size(id);
            let (kind, shown) = match &sort.kind {
                SortKind::Dot => ("dot", Vec::new()),
                SortKind::Enumeration { cyclic: false, .. } => ("enumeration", colours(net, id)),
                SortKind::Enumeration { cyclic: true, .. } => {
                    ("cyclic enumeration", colours(net, id))
                }
                SortKind::Range { .. } => ("range", colours(net, id)),
                SortKind::Product(parts) => {
                    let name = |&part| net.sorts.get(part).name.clone();
                    ("product", parts.iter().map(name).collect())
                }
            };
            SortInfo {
                name: sort.name.clone(),
                kind,
                colours: size,
                shown,
            }
        },
    )
}

fn colours(net: &ColouredNet, sort: coloured::SortId) -> Vec<String> {
    let shown = 0..net.sorts.size(sort).min(COLOURS);
    shown.map(|colour| net.sorts.label(sort, colour)).collect()
}

fn places(net: &ColouredNet, subject: Option<&Subject<'_>>, options: &Options) -> List<Place> {
    List::of(
        options,
        net.places.iter().enumerate(),
        |pattern, (_, place)| pattern.matches(&place.id) || pattern.matches(&place.name),
        |(i, place)| Place {
            sort: Some(net.sorts.get(place.sort).name.clone()),
            initial: subject.map(|s| s.net.places()[i].initial),
            bound: subject.and_then(|s| s.bounds[i].certain()),
            ..Place::named(&place.id, &place.name)
        },
    )
}

fn transitions(
    net: &ColouredNet,
    subject: Option<&Subject<'_>>,
    options: &Options,
) -> List<Transition> {
    List::of(
        options,
        net.transitions.iter().enumerate(),
        |pattern, (_, t)| pattern.matches(&t.id) || pattern.matches(&t.name),
        |(i, t)| {
            let variable = |&v: &usize| {
                let variable = &net.variables[v];
                format!("{}: {}", variable.name, net.sorts.get(variable.sort).name)
            };
            Transition {
                variables: t.variables.iter().map(variable).collect(),
                ..match subject {
                    Some(subject) => subject.transition(i),
                    None => Transition::named(&t.id, &t.name),
                }
            }
        },
    )
}

/// Unfolds the net if that is cheap; otherwise its size is bounded.
fn unfold(
    net: &ColouredNet,
    info: &mut Info,
    options: &Options,
    work: &Budget,
) -> Option<Unfolded> {
    let size = Size::of(net);
    let unfolding = |unfolded: Option<&Unfolded>| Unfolding {
        most_places: size.places.to_string(),
        most_transitions: size.transitions.to_string(),
        places: unfolded.map(|u| u.net.places().len()),
        transitions: unfolded.map(|u| u.net.transitions().len()),
        arcs: unfolded.map(|u| u.net.arc_count()),
        quotient_places: None,
        quotient_transitions: None,
    };
    let limits = Limits::default();
    let share = work.clone().with_time(share(options.time));
    if size.places > u128::from(limits.places) || size.transitions > u128::from(limits.transitions)
    {
        info.difficulties.push(format!(
            "the unfolded net may have {size}; at most {} of each are made",
            limits.places.min(limits.transitions)
        ));
    }
    if size.places.max(size.transitions) > u128::from(CHEAP) {
        info.leave("unfolding", format!("it may have {size}"));
        let merged = quotient(net, &share);
        info.unfolding = Some(Unfolding {
            quotient_places: merged.as_ref().map(|u| u.net.places().len()),
            quotient_transitions: merged.as_ref().map(|u| u.net.transitions().len()),
            ..unfolding(None)
        });
        return None;
    }
    let unfolded = match coloured::unfold(net.clone(), limits, &share, |_| {}) {
        Ok(unfolded) => Some(unfolded),
        Err(error) => {
            info.leave("unfolding", error.to_string());
            None
        }
    };
    info.unfolding = Some(unfolding(unfolded.as_ref()));
    unfolded
}

/// The quotient of a net, if it can be unfolded quickly.
fn quotient(net: &ColouredNet, budget: &Budget) -> Option<Unfolded> {
    let quotient = Quotient::of(net, &[], budget)?;
    let limits = Limits {
        places: CHEAP,
        transitions: CHEAP,
        ..Limits::default()
    };
    coloured::unfold_quotient(net.clone(), &quotient, limits, budget, |_| {}).ok()
}

fn share(time: Duration) -> Duration {
    time / 4
}
