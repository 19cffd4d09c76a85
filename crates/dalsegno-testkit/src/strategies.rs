//! Nets and formulas for property tests that shrink: what fails is made smaller part by part.

use dalsegno_models::petri::{PetriNet, Place, PlaceId, Transition};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};

/// A place by its number, whatever the number of places turns out to be, and a weight.
type Arc = (Index, u32);

/// What a transition is made of.
#[derive(Clone, Debug)]
struct Parts {
    pre: Vec<Arc>,
    post: Vec<Arc>,
    inhibit: Option<Arc>,
    test: Option<Arc>,
}

fn arc(heaviest: u32) -> impl Strategy<Value = Arc> {
    (any::<Index>(), 1..=heaviest)
}

/// Nets of up to four places and four transitions in which tokens move and never multiply; they have at most some dozens
/// of markings.
pub fn bounded_nets() -> impl Strategy<Value = PetriNet> {
    let moved = (any::<Index>(), any::<Index>(), 1_u32..=2);
    let parts = (moved, option::of(arc(2)), option::of(arc(2)));
    let parts = parts.prop_map(|((from, to, weight), inhibit, test)| Parts {
        pre: vec![(from, weight)],
        post: vec![(to, weight)],
        inhibit,
        test,
    });
    nets(parts)
}

/// Nets of up to four places and four transitions that take and give what they like; some have no bound.
pub fn wild_nets() -> impl Strategy<Value = PetriNet> {
    let parts = (
        vec(arc(2), 0..=2),
        vec(arc(2), 0..=2),
        option::of(arc(3)),
        option::of(arc(2)),
    );
    let parts = parts.prop_map(|(pre, post, inhibit, test)| Parts {
        pre,
        post,
        inhibit,
        test,
    });
    nets(parts)
}

fn nets(parts: impl Strategy<Value = Parts>) -> impl Strategy<Value = PetriNet> {
    (vec(0_u32..=2, 1..=4), vec(parts, 1..=4)).prop_map(|(tokens, parts)| {
        let places = tokens.iter().enumerate().map(|(i, &initial)| Place {
            id: format!("p{i}"),
            name: format!("p{i}"),
            initial,
        });
        let n = tokens.len();
        let arcs = |arcs: &[Arc]| {
            let mut arcs: Vec<(PlaceId, u32)> = arcs
                .iter()
                .map(|(place, weight)| (PlaceId(place.index(n) as u32), *weight))
                .collect();
            arcs.sort_unstable();
            arcs.dedup_by_key(|arc| arc.0);
            arcs
        };
        let transitions = parts.iter().enumerate().map(|(i, parts)| Transition {
            id: format!("t{i}"),
            name: format!("t{i}"),
            pre: arcs(&parts.pre),
            post: arcs(&parts.post),
            inhibit: arcs(parts.inhibit.as_slice()),
            test: arcs(parts.test.as_slice()),
        });
        let transitions = transitions.collect();
        PetriNet::new("drawn", places.collect(), transitions, None).expect("parts fit together")
    })
}

/// Propositions over the names that all nets of this module have, in double quotes.
pub const PROPOSITIONS: [&str; 5] = [
    "\"p0\"",
    "\"p0 >= 2\"",
    "\"fireable(t0)\"",
    "\"deadlock\"",
    "\"3 - p0 > 1\"",
];

/// Formulas of LTL over these atoms, as text.
pub fn ltl(atoms: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    grow(atoms, "", ["", "X", "F", "G"])
}

/// Formulas of CTL over these atoms, as text.
pub fn ctl(atoms: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let quantifier = select(&["E", "A"][..]);
    (quantifier, grow(atoms, "E", ["AX", "EF", "AG", "EX"])).prop_map(|(q, f)| format!("{q}F({f})"))
}

/// Formulas of CTL* over these atoms, as text.
pub fn ctl_star(atoms: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    grow(atoms, "A", ["E", "EX", "AG", "EGF"])
}

/// Formulas of a few operators: `prefixes` for one operand, and binary ones, where temporal ones get `quantifier`.
fn grow(
    atoms: &[&'static str],
    quantifier: &'static str,
    prefixes: [&'static str; 4],
) -> impl Strategy<Value = String> + use<> {
    let atoms: Vec<&'static str> = atoms.iter().copied().chain(["1", "0"]).collect();
    let leaf = select(atoms).prop_map(str::to_owned);
    let boolean = select(&["&", "|", "->", "<->", "xor"][..]);
    let temporal = select(&["U", "R", "W", "M"][..]);
    leaf.prop_recursive(4, 10, 2, move |inner| {
        let operand = inner.clone();
        prop_oneof![
            inner.clone().prop_map(|f| format!("!({f})")),
            (select(prefixes.to_vec()), inner.clone()).prop_map(|(op, f)| format!("{op}({f})")),
            (inner.clone(), boolean.clone(), operand.clone())
                .prop_map(|(f, op, g)| format!("(({f}) {op} ({g}))")),
            (Just(quantifier), inner, temporal.clone(), operand)
                .prop_map(|(q, f, op, g)| format!("{q}(({f}) {op} ({g}))")),
        ]
    })
}
