//! What there is to know of a net: nodes, bounds, invariants, siphons and traps.
//!
//! Of a coloured net the same is told of the net without its colours, which does at least what the coloured
//! one does: bounds, place invariants, siphons and traps are true of its numbers of tokens. Transition invariants and
//! unboundedness are not, and are left out there.

use std::time::Duration;

use dalsegno_explicit::coverability::quickly_unbounded;
use dalsegno_kripke::{Bounds, Budget};
use dalsegno_models::petri::invariants::{self, Limits, PlaceSum, Search};
use dalsegno_models::petri::siphons::Siphons;
use dalsegno_models::petri::structure;
use dalsegno_models::petri::{Arcs, PetriNet, PlaceId, TransitionId, unit_safety};
use serde::Serialize;

use super::{Info, Initial, List, ModelKind, Options, Pattern};
use crate::plan::EQUATION_ARCS;

/// A place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// The identifier.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The sort of its tokens, if the net is coloured.
    pub sort: Option<String>,
    /// The tokens in the beginning.
    pub initial: Option<u32>,
    /// A proved number of tokens that it never exceeds.
    pub bound: Option<u32>,
    /// A number of tokens that the file promises that it never exceeds.
    pub promised: Option<u32>,
}

/// A transition, or a group of transitions of a program or of tables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Transition {
    /// The identifier.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// What it takes; of a coloured net, how many tokens of any colour.
    pub takes: Vec<Weighted>,
    /// What it puts.
    pub puts: Vec<Weighted>,
    /// What must be there and stays.
    pub tests: Vec<Weighted>,
    /// What must be there fewer times.
    pub inhibitors: Vec<Weighted>,
    /// The variables of a coloured transition with their sorts.
    pub variables: Vec<String>,
    /// What a group of a program or of tables reads.
    pub reads: Vec<String>,
    /// What a group of a program or of tables writes.
    pub writes: Vec<String>,
    /// Whether it is known that it never fires.
    pub never_fires: bool,
}

/// A node with a weight.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Weighted {
    /// The identifier.
    pub id: String,
    /// The weight.
    pub weight: u64,
}

/// A unit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnitInfo {
    /// The identifier.
    pub id: String,
    /// How many places are in it and in none of its subunits.
    pub places: usize,
    /// How many units are directly inside.
    pub subunits: usize,
}

/// What is known of the safety of units.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitSafety {
    /// It is proved.
    Proved,
    /// The file promises it, and it is not proved.
    Promised,
    /// Neither.
    Unknown,
}

/// A weighted sum of places that never changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Invariant {
    /// The places.
    pub places: Vec<Weighted>,
    /// The value.
    pub value: String,
}

/// A siphon or a trap.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Siphon {
    /// The places.
    pub places: Vec<String>,
    /// Whether it has a token in the beginning.
    pub marked: bool,
    /// Whether it contains a trap that has one, so that it is never empty; unknown if there was no time to look.
    pub never_empty: Option<bool>,
}

/// How many places have a proved bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Bounded {
    /// The places with a proved bound.
    pub proved: usize,
    /// The largest of these bounds.
    pub largest: Option<u32>,
    /// The places whose bound is promised by the file and not proved.
    pub promised: usize,
}

/// What the structure of a net tells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Structure {
    /// Whether it is told of the numbers of tokens of a coloured net.
    pub without_colours: bool,
    /// Bounds.
    pub bounds: Bounded,
    /// What is known of the safety of units, if there are any.
    pub unit_safety: Option<UnitSafety>,
    /// A place that can get any number of tokens, if one was found.
    pub unbounded: Option<String>,
    /// Places that are never marked.
    pub never_marked: List<String>,
    /// Transitions that never fire.
    pub never_fire: List<String>,
    /// Place invariants.
    pub place_invariants: List<Invariant>,
    /// Transition invariants: how often each transition fires so that nothing changes.
    pub transition_invariants: Option<List<Vec<Weighted>>>,
    /// Siphons, one for each place that is in one, as small as it can be.
    pub siphons: List<Siphon>,
    /// Traps, one for each place that is in one, as small as it can be.
    pub traps: List<Siphon>,
}

/// The most siphons and traps that are looked for.
const MOST_SIPHONS: usize = 10_000;

/// A net that grows is made a model and walked; not a larger one.
const WALKED_ARCS: usize = 200_000;

impl Place {
    pub(super) fn named(id: &str, name: &str) -> Self {
        Place {
            id: id.to_owned(),
            name: name.to_owned(),
            sort: None,
            initial: None,
            bound: None,
            promised: None,
        }
    }
}

impl Transition {
    pub(super) fn named(id: &str, name: &str) -> Self {
        Transition {
            id: id.to_owned(),
            name: name.to_owned(),
            takes: Vec::new(),
            puts: Vec::new(),
            tests: Vec::new(),
            inhibitors: Vec::new(),
            variables: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            never_fires: false,
        }
    }
}

/// A net with what lists and structure need of it.
pub(super) struct Subject<'n> {
    pub(super) net: &'n PetriNet,
    pub(super) bounds: Vec<Bounds>,
    unit_safety: Option<UnitSafety>,
    sums: Search<PlaceSum>,
    fires: structure::Structure,
}

impl<'n> Subject<'n> {
    /// Looks for sums within a part of the time.
    pub(super) fn new(net: &'n PetriNet, work: &Budget) -> Self {
        let share = work.clone().with_time(part(work, 3));
        let sums = invariants::search_sums(net, Limits::of_net(net), &share);
        let mut bounds = invariants::bounds_by(net, || &sums.found);
        let fires = structure::Structure::with_sums(net, sums.found.clone());
        let empty = Siphons::of_net(net).largest(|p| net.places()[p.index()].initial == 0);
        for p in empty {
            bounds[p.index()].prove(0);
        }
        let unit_safety = net.nupn().map(|nupn| {
            if unit_safety::is_inductive(net, nupn) {
                UnitSafety::Proved
            } else if nupn.safe {
                UnitSafety::Promised
            } else {
                UnitSafety::Unknown
            }
        });
        Subject {
            net,
            bounds,
            unit_safety,
            sums,
            fires,
        }
    }

    fn id(&self, place: PlaceId) -> String {
        self.net.places()[place.index()].id.clone()
    }

    fn arcs(&self, arcs: &Arcs) -> Vec<Weighted> {
        let weighted = |&(p, n): &(PlaceId, u32)| Weighted {
            id: self.id(p),
            weight: n.into(),
        };
        arcs.iter().map(weighted).collect()
    }

    /// A transition with its arcs.
    pub(super) fn transition(&self, i: usize) -> Transition {
        let t = &self.net.transitions()[i];
        Transition {
            takes: self.arcs(&t.pre),
            puts: self.arcs(&t.post),
            tests: self.arcs(&t.test),
            inhibitors: self.arcs(&t.inhibit),
            never_fires: !self.fires.may_fire(TransitionId(i as u32)),
            ..Transition::named(&t.id, &t.name)
        }
    }

    fn matches(&self, pattern: &Pattern, mut places: impl Iterator<Item = PlaceId>) -> bool {
        places.any(|p| {
            let place = &self.net.places()[p.index()];
            pattern.matches(&place.id) || pattern.matches(&place.name)
        })
    }
}

/// A part of the time that is left.
fn part(work: &Budget, of: u32) -> Duration {
    work.time_left().map_or(Duration::MAX, |left| left / of)
}

/// The places that are marked in the beginning.
pub(super) fn initial(net: &PetriNet, options: &Options) -> List<Initial> {
    List::of(
        options,
        net.places().iter().filter(|p| p.initial > 0),
        |pattern, p| pattern.matches(&p.id) || pattern.matches(&p.name),
        |p| Initial {
            name: p.id.clone(),
            value: p.initial.to_string(),
        },
    )
}

/// Looks at a net.
pub(super) fn info(net: &PetriNet, options: &Options, budget: &Budget) -> Info {
    let mut info = Info::new(net.name(), ModelKind::Net, options);
    let work = budget.clone().with_time(options.time);
    let subject = Subject::new(net, &work);
    info.arcs = Some(net.arc_count());
    info.places = Some(List::of(
        options,
        net.places().iter().zip(&subject.bounds),
        |pattern, (p, _)| pattern.matches(&p.id) || pattern.matches(&p.name),
        |(p, bounds)| Place {
            initial: Some(p.initial),
            bound: bounds.certain(),
            promised: bounds.expected().filter(|_| bounds.certain().is_none()),
            ..Place::named(&p.id, &p.name)
        },
    ));
    info.transitions = List::of(
        options,
        net.transitions().iter().enumerate(),
        |pattern, (_, t)| pattern.matches(&t.id) || pattern.matches(&t.name),
        |(i, _)| subject.transition(i),
    );
    info.units = net.nupn().map(|nupn| {
        List::of(
            options,
            &nupn.units,
            |pattern, unit| pattern.matches(&unit.id),
            |unit| UnitInfo {
                id: unit.id.clone(),
                places: unit.places.len(),
                subunits: unit.subunits.len(),
            },
        )
    });
    info.initial = initial(net, options);
    let share = work.clone().with_time(part(&work, 4));
    super::reductions::reductions(&mut info, net, &subject.fires, &share);
    structure(&mut info, &subject, options, &work, false);
    info
}

/// What the structure of a net tells, or of a coloured net without its colours.
pub(super) fn structure(
    info: &mut Info,
    subject: &Subject<'_>,
    options: &Options,
    work: &Budget,
    without_colours: bool,
) {
    let net = subject.net;
    let certain = || subject.bounds.iter().filter_map(|b| b.certain());
    let promised = |b: &&Bounds| b.certain().is_none() && b.expected().is_some();
    let bounds = Bounded {
        proved: certain().count(),
        largest: certain().max(),
        promised: subject.bounds.iter().filter(promised).count(),
    };
    let without = net.places().len() - bounds.proved;
    let all = |places: Vec<PlaceId>, options: &Options| {
        List::of(
            options,
            places,
            |pattern, &p| subject.matches(pattern, std::iter::once(p)),
            |p| subject.id(p),
        )
    };
    let never_marked = (0..).map(PlaceId).zip(&subject.bounds);
    let never_marked = never_marked.filter(|(_, b)| b.certain() == Some(0));
    let never_marked = all(never_marked.map(|(p, _)| p).collect(), options);
    let transitions = net.transitions().iter().enumerate();
    let never_fire = List::of(
        options,
        transitions.filter(|(i, _)| !subject.fires.may_fire(TransitionId(*i as u32))),
        |pattern, (_, t)| pattern.matches(&t.id) || pattern.matches(&t.name),
        |(_, t)| t.id.clone(),
    );
    let place_invariants = place_invariants(info, subject, options);
    let unbounded = unbounded(info, subject, without, work, without_colours);
    let siphons = siphons(info, subject, options, work);
    let traps = traps(info, subject, options, work);
    let transition_invariants = if without_colours {
        None
    } else {
        Some(transition_invariants(info, net, options, work))
    };
    let what = if without_colours {
        "numbers of tokens"
    } else {
        "places"
    };
    if unbounded.is_none() && without > 0 {
        info.difficulties.push(format!(
            "no bound is proved for {without} of {} {what}",
            net.places().len()
        ));
    }
    if let Some(place) = &unbounded {
        info.difficulties.push(format!(
            "`{place}` can get any number of tokens: the states cannot all be listed"
        ));
    }
    if !net.is_monotone() {
        let inhibited = net.transitions().iter().filter(|t| !t.inhibit.is_empty());
        info.difficulties.push(format!(
            "{} transitions have inhibitor arcs: there is no coverability graph",
            inhibited.count()
        ));
    }
    if net.arc_count() > EQUATION_ARCS {
        info.difficulties.push(format!(
            "the net has {} arcs: the state equation is used up to {EQUATION_ARCS}",
            net.arc_count()
        ));
    }
    info.structure = Some(Structure {
        without_colours,
        bounds,
        unit_safety: subject.unit_safety,
        unbounded,
        never_marked,
        never_fire,
        place_invariants,
        transition_invariants,
        siphons,
        traps,
    });
}

const GIVEN_UP: &str = "the search was given up: there may be others";

fn place_invariants(info: &mut Info, subject: &Subject<'_>, options: &Options) -> List<Invariant> {
    if !subject.sums.complete {
        info.leave("place invariants", GIVEN_UP);
    }
    List::of(
        options,
        subject.sums.found.iter().filter(|sum| sum.constant),
        |pattern, sum| subject.matches(pattern, sum.weights.iter().map(|&(p, _)| p)),
        |sum| Invariant {
            places: sum
                .weights
                .iter()
                .map(|&(p, weight)| Weighted {
                    id: subject.id(p),
                    weight,
                })
                .collect(),
            value: sum.initial(subject.net).to_string(),
        },
    )
}

fn transition_invariants(
    info: &mut Info,
    net: &PetriNet,
    options: &Options,
    work: &Budget,
) -> List<Vec<Weighted>> {
    let share = work.clone().with_time(part(work, 1));
    let search = invariants::search_firings(net, Limits::of_net(net), &share);
    if !search.complete {
        info.leave("transition invariants", GIVEN_UP);
    }
    let transition = |t: TransitionId| &net.transitions()[t.index()];
    List::of(
        options,
        &search.found,
        |pattern, firings| {
            firings.iter().any(|&(t, _)| {
                pattern.matches(&transition(t).id) || pattern.matches(&transition(t).name)
            })
        },
        |firings| {
            let firing = |&(t, weight): &(TransitionId, u64)| Weighted {
                id: transition(t).id.clone(),
                weight,
            };
            firings.iter().map(firing).collect()
        },
    )
}

/// A place that grows, if that shows at once. Of a coloured net nothing is known: its guards may forbid what
/// the numbers of tokens allow.
fn unbounded(
    info: &mut Info,
    subject: &Subject<'_>,
    without: usize,
    work: &Budget,
    without_colours: bool,
) -> Option<String> {
    let net = subject.net;
    if without == 0 || without_colours || !net.is_monotone() {
        return None;
    }
    if net.arc_count() > WALKED_ARCS {
        info.leave(
            "unboundedness",
            format!("the net has {} arcs", net.arc_count()),
        );
        return None;
    }
    let share = work.clone().with_time(part(work, 3));
    let model = net.to_model_with_bounds(&subject.bounds);
    let found = quickly_unbounded(&model, &share);
    if found.is_none() {
        info.leave(
            "unboundedness",
            "no place was seen to grow among the first states",
        );
    }
    found.map(|v| subject.id(PlaceId(v.0)))
}

fn siphons(
    info: &mut Info,
    subject: &Subject<'_>,
    options: &Options,
    work: &Budget,
) -> List<Siphon> {
    let share = work.clone().with_time(part(work, 3));
    let (of, traps) = (
        Siphons::of_net(subject.net),
        Siphons::traps_of_net(subject.net),
    );
    let sets = minimal(info, "siphons", &of, &share);
    let mut inside = vec![false; subject.net.places().len()];
    list(subject, options, &of, sets, |set| {
        work.check().ok()?;
        for p in set {
            inside[p.index()] = true;
        }
        let trap = traps.largest(|p| inside[p.index()]);
        for p in set {
            inside[p.index()] = false;
        }
        Some(traps.is_marked(&trap))
    })
}

fn traps(info: &mut Info, subject: &Subject<'_>, options: &Options, work: &Budget) -> List<Siphon> {
    let share = work.clone().with_time(part(work, 2));
    let of = Siphons::traps_of_net(subject.net);
    let sets = minimal(info, "traps", &of, &share);
    list(subject, options, &of, sets, |set| Some(of.is_marked(set)))
}

fn minimal(info: &mut Info, what: &'static str, of: &Siphons, share: &Budget) -> Vec<Vec<PlaceId>> {
    let search = of.minimal(MOST_SIPHONS, share);
    if !search.complete {
        info.leave(what, GIVEN_UP);
    }
    search.found
}

fn list(
    subject: &Subject<'_>,
    options: &Options,
    of: &Siphons,
    sets: Vec<Vec<PlaceId>>,
    mut never_empty: impl FnMut(&[PlaceId]) -> Option<bool>,
) -> List<Siphon> {
    List::of(
        options,
        sets,
        |pattern, set| subject.matches(pattern, set.iter().copied()),
        |set| Siphon {
            marked: of.is_marked(&set),
            never_empty: never_empty(&set),
            places: set.into_iter().map(|p| subject.id(p)).collect(),
        },
    )
}
