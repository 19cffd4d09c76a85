//! The quotient of a coloured net: colours that no transition tells apart are merged.
//!
//! Each leaf of each place's sort has a division into classes; two colours of a place are in one class if all
//! their leaves are. The quotient of a marking counts the tokens per class. The quotient net has the bindings
//! of the net with their arcs counted per class, and bindings of one transition with the same arcs are one.
//!
//! **Stable.** The division is *stable* if for each binding b of a transition that satisfies its guard, each token
//! (p, c) that an arc of b takes or tests, and each c' in the class of c, there is a binding b' of the same
//! transition that satisfies the guard, takes and tests what b does but for c' in the place of that one c, inhibits what b
//! inhibits, and puts what b puts, counted per class.
//!
//! **Theorem.** If the division is stable and places with inhibitor arcs have one colour per class, counting per class
//! is a bisimulation from the net to its quotient that keeps the transition of each step.
//! *Proof.* If M enables b, the counts of M enable the counts of b, since what is taken colour by colour is there
//! class by class. Conversely, let the counts of M enable the counts of b. For each arc choose tokens of M, as many of each
//! class as b needs, and number the tokens that b needs along with them. Replace them one by one: as the
//! division is stable, each time there is a binding that needs one more of the chosen tokens and puts the same counts. The last
//! one needs chosen tokens only, so M enables it, and its effect has the counts of b. Inhibitor arcs see single colours,
//! which are the same. ∎
//!
//! So the quotient keeps each step: all of CTL* with `X` over the sums of coloured places, dead ends, whether a coloured
//! transition is fireable or fires, and bounds of sums. Initial markings need not be uniform. Numbers of states and of
//! bindings are not kept.
//!
//! **When a division is stable.** Equalities of a guard are first solved, so that equal variables are one (with a shift).
//! Variables that comparisons of the guard connect make a *component*. Let x be a variable that the arcs taken and
//! tested mention once, with coefficient 1, at leaf i of place p, and let x be the only such variable of its component. If
//! comparisons of the component are `=` or `≠` without shifts between its variables, then b' is b with c and c' exchanged in all
//! of the component: other variables on inputs stay, comparisons of the component are invariant under the exchange. Left are
//! *(1)* sets of colours in the guard, which must contain both or none, and *(2)* the leaves of places where the
//! component's variables are put, whose classes must contain both: classes at (p, i) refine those there. Every other variable
//! on inputs has single colours as its classes, and so has what is constant on an input, and all of an input
//! that is no sum of single colours, of places with inhibitor arcs, and of terms with differences, whose
//! values must exist. The coarsest division with these properties is found by splitting.
//!
//! Places that all transitions treat alike, and that start alike, are the same in each marking: only the
//! first of them is looked at.
//!
//! This follows the quotienting of [BJPST21], leaf by leaf instead of by whole tokens; exchanging colours in a
//! component, which allows `x ≠ z` where z is chosen freely, is an addition.
//!
//! Cost: a split looks at all colours of a sort; there are at most as many splits as colours, mostly a handful. Work is
//! limited, and a net for which that is not enough has no quotient.

use dalsegno_kripke::Budget;
use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::guard::{Guard, contains};
use super::multiset::{LeafId, Multiset, Part, shifted};
use super::net::{ColouredArcs, ColouredNet, ColouredTransition};
use super::variables::{At, Variables};
use crate::petri::net::PlaceId;

/// Which colours of which places are merged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quotient {
    /// Per place and leaf of its sort.
    pub(super) places: Vec<Vec<Classes>>,
    /// Per place, the first one that always has the same tokens; mostly itself.
    pub(super) same: Vec<u32>,
    /// The size of the sort of each leaf of each place.
    pub(super) sizes: Vec<Vec<u32>>,
    /// Colours that are classes of their own.
    pub(super) observed: Vec<(PlaceId, u64)>,
}

/// How many colours are looked at before the quotient is given up.
const MOST_WORK: u64 = 200_000_000;

impl Quotient {
    /// The coarsest quotient of its kind in which the colours of `observed` are classes of their own; `None` if the
    /// budget does not last.
    #[must_use]
    pub fn of(net: &ColouredNet, observed: &[(PlaceId, u64)], budget: &Budget) -> Option<Self> {
        let sizes: Vec<Vec<u32>> = net
            .places
            .iter()
            .map(|place| {
                let leaves = net.sorts.leaves(place.sort).iter();
                leaves.map(|&leaf| net.sorts.leaf_size(leaf)).collect()
            })
            .collect();
        let same = same_places(net, observed);
        let mut search = Refinement {
            quotient: Quotient {
                places: sizes
                    .iter()
                    .map(|s| vec![Classes::Whole; s.len()])
                    .collect(),
                same,
                sizes,
                observed: observed.to_vec(),
            },
            edges: Vec::new(),
        };
        for &(place, colour) in observed {
            let mut digits = Vec::new();
            net.sorts
                .decode(net.places[place.index()].sort, colour, &mut digits);
            for (leaf, &digit) in digits.iter().enumerate() {
                search.alone(place, leaf, digit);
            }
        }
        for t in &net.transitions {
            budget.check().ok()?;
            search.transition(net, t);
        }
        search.refine(budget)?;
        Some(search.quotient)
    }

    /// The lowest colour in the class of a colour of a place.
    ///
    /// # Panics
    /// If there is no such place or colour.
    #[must_use]
    pub fn canonical(&self, place: u32, colour: u64) -> u64 {
        let (classes, sizes) = (&self.places[place as usize], &self.sizes[place as usize]);
        let (mut rest, mut stride, mut lowest) = (colour, 1, 0);
        for (classes, &size) in classes.iter().zip(sizes).rev() {
            let size = u64::from(size.max(1));
            lowest += u64::from(classes.of((rest % size) as u32)) * stride;
            rest /= size;
            stride *= size;
        }
        lowest
    }

    /// Whether nothing is merged.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        let merged = |(place, (classes, sizes)): (usize, (&Vec<Classes>, &Vec<u32>))| {
            let mut leaves = classes.iter().zip(sizes);
            self.same[place] as usize != place
                || leaves.any(|(classes, &size)| classes.count(size) < size)
        };
        !self.places.iter().zip(&self.sizes).enumerate().any(merged)
    }

    /// How many classes the colours of all places have, a place that is the same as another one without any.
    #[must_use]
    pub fn classes(&self) -> u128 {
        let of = |(place, (classes, sizes)): (usize, (&Vec<Classes>, &Vec<u32>))| -> u128 {
            if self.same[place] as usize != place {
                return 0;
            }
            let leaves = classes.iter().zip(sizes);
            let counts = leaves.map(|(classes, &size)| u128::from(classes.count(size)));
            counts.fold(1, u128::saturating_mul)
        };
        let places = self.places.iter().zip(&self.sizes).enumerate().map(of);
        places.fold(0, u128::saturating_add)
    }

    /// How many places are left out, since they are always the same as another one.
    #[must_use]
    pub fn left_out(&self) -> usize {
        (0..)
            .zip(&self.same)
            .filter(|&(place, &first)| place != first)
            .count()
    }

    /// Whether the arcs of a place are left out, since the place is always the same as another one.
    pub(super) fn skips(&self, place: PlaceId) -> bool {
        self.same[place.index()] != place.0
    }
}

/// The first place that has the same tokens as each place in all markings.
fn same_places(net: &ColouredNet, observed: &[(PlaceId, u64)]) -> Vec<u32> {
    // What transitions do with a place, in their order.
    let mut uses: Vec<Vec<(u32, u8, &Multiset)>> = vec![Vec::new(); net.places.len()];
    for (t, transition) in (0..).zip(&net.transitions) {
        let lists = [
            &transition.pre,
            &transition.post,
            &transition.test,
            &transition.inhibit,
        ];
        for (kind, arcs) in (0..).zip(lists) {
            for (place, term) in arcs {
                uses[place.index()].push((t, kind, term));
            }
        }
    }
    // Arcs of one kind between two nodes may come in any order.
    for of_place in &mut uses {
        of_place.sort_unstable_by(|a, b| (a.0, a.1, &a.2.summands).cmp(&(b.0, b.1, &b.2.summands)));
    }
    let mut same: Vec<u32> = (0..net.places.len() as u32).collect();
    let mut known: FxHashMap<(u32, usize), Vec<usize>> = FxHashMap::default();
    for (i, place) in net.places.iter().enumerate() {
        let candidates = known.entry((place.sort.0, uses[i].len())).or_default();
        let equal = |&&j: &&usize| uses[i] == uses[j] && net.places[j].initial == place.initial;
        if observed.iter().any(|(p, _)| p.index() == i) {
            continue;
        }
        match candidates.iter().find(equal) {
            Some(&first) => same[i] = first as u32,
            None => candidates.push(i),
        }
    }
    same
}

/// Classes at a leaf of a place refine those at another one.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: (u32, u32),
    to: (u32, u32),
    /// A colour at `from`, moved on so far, is the colour at `to`.
    shift: u32,
}

struct Refinement {
    quotient: Quotient,
    edges: Vec<Edge>,
}

impl Refinement {
    fn size(&self, place: u32, leaf: u32) -> u32 {
        self.quotient.sizes[place as usize][leaf as usize]
    }

    fn split(&mut self, place: u32, leaf: u32, key: impl Fn(u32) -> u32) -> bool {
        let size = self.size(place, leaf);
        self.quotient.places[place as usize][leaf as usize].split(size, key)
    }

    fn single(&mut self, place: u32, leaf: u32) {
        if self.size(place, leaf) > 1 {
            self.quotient.places[place as usize][leaf as usize] = Classes::Single;
        }
    }

    fn alone(&mut self, place: PlaceId, leaf: usize, digit: u32) {
        self.split(place.0, leaf as u32, |colour| u32::from(colour == digit));
    }

    /// What a transition tells apart at once, and which classes refine which.
    fn transition(&mut self, net: &ColouredNet, t: &ColouredTransition) {
        if t.guard == Guard::FALSE {
            return;
        }
        let mut variables = Variables::new(net, t);
        self.inputs(&t.pre, &mut variables);
        self.inputs(&t.test, &mut variables);
        for (place, term) in &t.inhibit {
            for leaf in 0..self.quotient.sizes[place.index()].len() {
                self.single(place.0, leaf as u32);
            }
            variables.rigid.extend(term.leaves());
        }
        for (place, term) in &t.post {
            if self.quotient.skips(*place) {
                continue;
            }
            variables.put(*place, term, &self.quotient.sizes[place.index()]);
        }
        for component in variables.components() {
            let inputs: Vec<LeafId> = component
                .iter()
                .copied()
                .filter(|leaf| variables.inputs.contains_key(leaf))
                .collect();
            let rigid = |leaf: &LeafId| variables.is_rigid(*leaf);
            let single = match inputs.as_slice() {
                [x] => variables.inputs[x].len() != 1 || component.iter().any(rigid),
                _ => true,
            };
            for x in inputs {
                let places = &variables.inputs[&x];
                match places.as_slice() {
                    &[at] if !single => self.follow(at, &component, &variables),
                    places => {
                        for &(place, leaf, _) in places {
                            self.single(place, leaf);
                        }
                    }
                }
            }
        }
    }

    /// The variable at a leaf of an input may have any colour of a class: what its component demands of classes.
    fn follow(&mut self, at: At, component: &[LeafId], variables: &Variables) {
        let (place, leaf, shift) = at;
        let size = self.size(place, leaf);
        let back = (size - shift) % size.max(1);
        for variable in component {
            for (offset, set) in variables.sets.get(variable).into_iter().flatten() {
                let value = |colour| shifted(shifted(colour, back, size), *offset, size);
                self.split(place, leaf, |colour| {
                    u32::from(contains(set, value(colour)))
                });
            }
            for &(to, to_leaf, offset) in variables.outputs.get(variable).into_iter().flatten() {
                self.edges.push(Edge {
                    from: (place, leaf),
                    to: (to, to_leaf),
                    shift: shifted(back, offset, size),
                });
            }
        }
    }

    /// The arcs that take or test.
    fn inputs(&mut self, arcs: &ColouredArcs, variables: &mut Variables) {
        for (place, term) in arcs {
            if self.quotient.skips(*place) {
                continue;
            }
            if !term.is_simple() {
                for leaf in 0..self.quotient.sizes[place.index()].len() {
                    self.single(place.0, leaf as u32);
                }
                variables.rigid.extend(term.leaves());
            }
            for summand in &term.summands {
                for (leaf, factor) in (0..).zip(&summand.factors) {
                    for &(part, _) in factor {
                        match part {
                            Part::All => self.single(place.0, leaf),
                            Part::Constant(colour) => self.alone(*place, leaf as usize, colour),
                            Part::Variable {
                                leaf: variable,
                                shift,
                            } => {
                                let size = self.size(place.0, leaf);
                                let (root, offset) = variables.of(variable);
                                let at = (place.0, leaf, shifted(offset, shift, size));
                                let known = variables.inputs.entry(root).or_default();
                                known.push(at);
                                // Of two equal tokens none is replaced alone.
                                if summand.coefficient != 1 && size > 1 {
                                    known.push(at);
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Splits until classes refine each other as they should.
    fn refine(&mut self, budget: &Budget) -> Option<()> {
        let mut work = 0;
        loop {
            let mut changed = false;
            for i in 0..self.edges.len() {
                let Edge { from, to, shift } = self.edges[i];
                let size = self.size(from.0, from.1);
                let there = &self.quotient.places[to.0 as usize][to.1 as usize];
                if size <= 1 || *there == Classes::Whole {
                    continue;
                }
                let there = there.clone();
                changed |= self.split(from.0, from.1, |c| there.of(shifted(c, shift, size)));
                work += u64::from(size);
                if work > MOST_WORK {
                    return None;
                }
            }
            budget.check().ok()?;
            if !changed {
                return Some(());
            }
        }
    }
}
