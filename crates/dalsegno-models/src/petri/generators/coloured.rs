//! Coloured nets of some families.

use crate::petri::coloured::{
    ColourVariable, ColouredArcs, ColouredNet, ColouredPlace, ColouredTransition, Constant, Guard,
    LeafId, Multiset, Part, Shifted, SortId, SortKind, Sorts, Summand,
};
use crate::petri::net::PlaceId;
use dalsegno_kripke::Relation;

/// A cyclic sort of `names`, with identifiers that begin with `prefix`.
fn cycle(sorts: &mut Sorts, name: &str, prefix: &str, names: std::ops::Range<u32>) -> SortId {
    let constant = |i: u32| Constant {
        id: format!("{prefix}{i}"),
        name: i.to_string(),
    };
    let kind = SortKind::Enumeration {
        constants: names.map(constant).collect(),
        cyclic: true,
    };
    sorts.add(Some(name), kind).expect("a small sort")
}

fn variable(id: &str, sort: SortId, leaf: u32) -> ColourVariable {
    ColourVariable {
        id: id.to_owned(),
        name: id.to_owned(),
        sort,
        first_leaf: LeafId(leaf),
    }
}

fn part(leaf: u32, shift: u32) -> Part {
    Part::Variable {
        leaf: LeafId(leaf),
        shift,
    }
}

/// A sum of tuples.
fn tuples(sort: SortId, tuples: &[Vec<Part>]) -> Multiset {
    let summand = |parts: &Vec<Part>| Summand {
        factors: parts.iter().map(|&part| vec![(part, 1)]).collect(),
        coefficient: 1,
    };
    let summands = tuples.iter().map(summand).collect();
    let sum = Multiset { sort, summands };
    sum.normalised().expect("small coefficients")
}

fn place(id: &str, sort: SortId, initial: Multiset) -> ColouredPlace {
    ColouredPlace {
        id: id.to_owned(),
        name: id.to_owned(),
        sort,
        initial,
    }
}

fn transition(
    id: &str,
    guard: Guard,
    variables: Vec<usize>,
    pre: ColouredArcs,
    post: ColouredArcs,
) -> ColouredTransition {
    ColouredTransition {
        id: id.to_owned(),
        name: id.to_owned(),
        guard,
        variables,
        pre,
        post,
        inhibit: Vec::new(),
        test: Vec::new(),
    }
}

/// The philosophers who take their forks one by one: a colour per philosopher and per fork.
pub(super) fn philosophers(name: String, n: u32) -> ColouredNet {
    let mut sorts = Sorts::new();
    let phil = cycle(&mut sorts, "Philosopher", "phil", 1..n + 1);
    let all = || tuples(phil, &[vec![Part::All]]);
    let nobody = || Multiset::empty(phil);
    let places = vec![
        place("Think", phil, all()),
        place("Fork", phil, all()),
        place("Catch1", phil, nobody()),
        place("Catch2", phil, nobody()),
        place("Eat", phil, nobody()),
    ];
    let [think, fork, catch1, catch2, eat] = [0, 1, 2, 3, 4].map(PlaceId);
    let own = || tuples(phil, &[vec![part(0, 0)]]);
    let other = || tuples(phil, &[vec![part(0, n - 1)]]);
    let both = || tuples(phil, &[vec![part(0, 0)], vec![part(0, n - 1)]]);
    let rule =
        |id, pre: ColouredArcs, post: ColouredArcs| transition(id, Guard::TRUE, vec![0], pre, post);
    let transitions = vec![
        rule(
            "FF1a",
            vec![(think, own()), (fork, other())],
            vec![(catch1, own())],
        ),
        rule(
            "FF1b",
            vec![(think, own()), (fork, own())],
            vec![(catch2, own())],
        ),
        rule(
            "FF2a",
            vec![(catch1, own()), (fork, own())],
            vec![(eat, own())],
        ),
        rule(
            "FF2b",
            vec![(catch2, own()), (fork, other())],
            vec![(eat, own())],
        ),
        rule(
            "End",
            vec![(eat, own())],
            vec![(think, own()), (fork, both())],
        ),
    ];
    ColouredNet {
        name,
        sorts,
        partitions: Vec::new(),
        variables: vec![variable("x", phil, 0)],
        places,
        transitions,
        graphics: None,
    }
}

/// Dijkstra's token ring: one place of pairs of a process and its state.
pub(super) fn token_ring(name: String, n: u32) -> ColouredNet {
    let mut sorts = Sorts::new();
    let process = cycle(&mut sorts, "Process", "process", 0..n + 1);
    let state = cycle(&mut sorts, "State", "state", 0..n + 1);
    let pair = SortKind::Product(vec![process, state]);
    let pair = sorts.add(Some("Pair"), pair).expect("a small sort");
    let initial: Vec<Vec<Part>> = (0..=n).map(|i| vec![Part::Constant(i); 2]).collect();
    let places = vec![place("State", pair, tuples(pair, &initial))];
    let size = n + 1;
    let shifted = |leaf| Shifted {
        leaf: LeafId(leaf),
        shift: 0,
        size,
    };
    // The variables: a process p, its state s, and the state r of the process before it.
    let [p, s, r] = [0, 1, 2];
    let before = part(p, n);
    let not_main = Guard::compare_constant(shifted(p), Relation::Ne, 0);
    let differs = Guard::compare(shifted(s), Relation::Ne, shifted(r));
    let first = Part::Constant(0);
    let last = Part::Constant(n);
    let here = |tokens: &[Vec<Part>]| vec![(PlaceId(0), tuples(pair, tokens))];
    let transitions = vec![
        transition(
            "MainProcess",
            Guard::TRUE,
            vec![1],
            here(&[vec![first, part(s, 0)], vec![last, part(s, 0)]]),
            here(&[vec![first, part(s, 1)], vec![last, part(s, 0)]]),
        ),
        transition(
            "OtherProcess",
            Guard::and([not_main, differs]),
            vec![0, 1, 2],
            here(&[vec![part(p, 0), part(s, 0)], vec![before, part(r, 0)]]),
            here(&[vec![part(p, 0), part(r, 0)], vec![before, part(r, 0)]]),
        ),
    ];
    ColouredNet {
        name,
        sorts,
        partitions: Vec::new(),
        variables: vec![
            variable("p", process, p),
            variable("s", state, s),
            variable("r", state, r),
        ],
        places,
        transitions,
        graphics: None,
    }
}
