//! One marking for many: colours that may be exchanged are put into an order that depends on what they have.
//!
//! *Representative.* Each colour has a hash of the tokens in which it occurs, which is refined by the hashes of the
//! colours beside it in tuples, as in colour refinement of graphs. The colours of a class are renamed by the order of
//! their hashes. Of colours that stay alike and occur in tuples one is marked, and hashes are refined again. Whatever
//! comes out is the marking with its colours permuted within classes: that is all that correctness needs. Where
//! hashes collide, or where marking another colour would have led elsewhere, markings that could share a
//! representative have several, and there are more states than needed.
//!
//! *Twins* are colours whose exchange leaves the marking as it is. This is checked token by token, for colours with the
//! same hash, since bindings are left out because of it. Exchanges of a, b and of b, c generate that of a, c, so
//! all colours of a class of twins may be permuted at will.
//!
//! Cost: per round of refinement linear in the tuples, and a sort of the colours; a handful of rounds for each colour that
//! is marked, and those are at most [`MOST_MARKED`].

use super::super::classes::Classes;
use super::super::net::ColouredNet;
use super::super::relation::{Digit, digits};
use super::super::sort::SortId;
use super::marking::{Marking, Token, count};
use super::symmetries::Symmetries;

/// The most colours that are told apart by marking them.
const MOST_MARKED: usize = 64;

/// A sort whose colours may be exchanged.
#[derive(Debug)]
struct Exchanged {
    /// Where the colours begin in lists for all sorts.
    first: usize,
    /// The lowest colour of the class of each colour.
    class: Vec<u32>,
}

/// What representatives of the markings of a net are made with.
#[derive(Debug)]
pub(super) struct Representatives {
    sorts: Vec<Exchanged>,
    /// Per place and digit of its colours: the sort, if its colours may be exchanged.
    places: Vec<Vec<(Digit, Option<usize>)>>,
    /// Per leaf of the variables of the net: the sort, if its colours may be exchanged.
    pub(super) leaves: Vec<Option<usize>>,
    colours: usize,
    /// Whether twins are checked; only tests do without.
    checks_twins: bool,
}

/// Where colours go: the new colour of each, for all sorts whose colours may be exchanged.
pub(super) type Permutation = Vec<u32>;

/// Classes of colours that may be exchanged without changing a marking.
#[derive(Debug, Default)]
pub(super) struct Twins {
    /// Per sort and colour: the position of its class in `members`.
    class: Vec<u32>,
    /// The colours of each class, ascending.
    members: Vec<Vec<u32>>,
}

impl Representatives {
    pub(super) fn new(net: &ColouredNet, symmetries: &Symmetries, checks_twins: bool) -> Self {
        let mut numbers = vec![None; symmetries.classes.len()];
        let mut sorts = Vec::new();
        let mut colours = 0;
        for (sort, classes) in symmetries.classes.iter().enumerate() {
            let id = SortId(sort as u32);
            if *classes == Classes::Single {
                continue;
            }
            let size = net.sorts.leaf_size(id);
            numbers[sort] = Some(sorts.len());
            sorts.push(Exchanged {
                first: colours,
                class: (0..size).map(|colour| classes.of(colour)).collect(),
            });
            colours += size as usize;
        }
        let places = net.places.iter().map(|place| {
            let leaves = net.sorts.leaves(place.sort);
            let of_leaf = leaves.iter().map(|leaf| numbers[leaf.index()]);
            digits(&net.sorts, place.sort)
                .into_iter()
                .zip(of_leaf)
                .collect()
        });
        Representatives {
            sorts,
            places: places.collect(),
            leaves: net
                .leaf_sorts()
                .iter()
                .map(|s| numbers[s.index()])
                .collect(),
            colours,
            checks_twins,
        }
    }

    /// The permutation that makes the representative of a marking.
    pub(super) fn permutation(&self, marking: &[Token]) -> Permutation {
        let mut hashes = self.hashes(marking);
        let mut order: Vec<u32> = Vec::new();
        let mut permutation: Permutation = vec![0; self.colours];
        for _ in 0..MOST_MARKED {
            let Some(tied) = self.tied(&hashes) else {
                break;
            };
            hashes.of[tied] = mix(hashes.of[tied], 1);
            self.refine(&mut hashes);
        }
        for sort in &self.sorts {
            let size = sort.class.len() as u32;
            order.clear();
            order.extend(0..size);
            let key = |&colour: &u32| {
                let class = sort.class[colour as usize];
                (class, hashes.of[sort.first + colour as usize], colour)
            };
            order.sort_unstable_by_key(key);
            // The same numbers of colours are in each class, in the order of classes.
            let mut targets: Vec<u32> = (0..size).collect();
            targets.sort_unstable_by_key(|&colour| (sort.class[colour as usize], colour));
            for (&from, &to) in order.iter().zip(&targets) {
                permutation[sort.first + from as usize] = to;
            }
        }
        permutation
    }

    /// A marking with its colours permuted.
    pub(super) fn permuted(&self, marking: &[Token], permutation: &Permutation) -> Marking {
        let mut moved: Marking = marking
            .iter()
            .map(|&(place, colour, n)| (place, self.moved(place, colour, permutation), n))
            .collect();
        moved.sort_unstable();
        moved
    }

    fn moved(&self, place: u32, colour: u64, permutation: &Permutation) -> u64 {
        let mut moved = colour;
        for (digit, sort) in &self.places[place as usize] {
            if let Some(sort) = sort {
                let to = permutation[self.sorts[*sort].first + digit.of(colour) as usize];
                moved = digit.replaced(moved, to);
            }
        }
        moved
    }

    /// The colours of variables, permuted.
    pub(super) fn moved_value(&self, leaf: usize, value: u32, permutation: &Permutation) -> u32 {
        match self.leaves[leaf] {
            Some(sort) => permutation[self.sorts[sort].first + value as usize],
            None => value,
        }
    }

    /// Nothing moves.
    pub(super) fn identity(&self) -> Permutation {
        let all = self.sorts.iter();
        all.flat_map(|sort| 0..sort.class.len() as u32).collect()
    }

    /// First `first`, then the inverse of `other`.
    pub(super) fn back(&self, first: &Permutation, other: &Permutation) -> Permutation {
        // `first` leads from the old frame to the net; `other` from the old frame to the new one.
        let mut joined = vec![0; self.colours];
        for sort in &self.sorts {
            for colour in 0..sort.class.len() {
                let new = other[sort.first + colour] as usize;
                joined[sort.first + new] = first[sort.first + colour];
            }
        }
        joined
    }

    /// The classes of twins.
    pub(super) fn twins(&self, marking: &[Token]) -> Twins {
        let hashes = self.hashes(marking);
        // The tokens in which each colour occurs.
        let mut tokens: Vec<Vec<u32>> = vec![Vec::new(); self.colours];
        for (number, &(place, colour, _)) in (0..).zip(marking) {
            for (digit, sort) in &self.places[place as usize] {
                if let Some(sort) = sort {
                    let list = &mut tokens[self.sorts[*sort].first + digit.of(colour) as usize];
                    if list.last() != Some(&number) {
                        list.push(number);
                    }
                }
            }
        }
        let mut twins = Twins {
            class: vec![u32::MAX; self.colours],
            members: Vec::new(),
        };
        for (number, sort) in self.sorts.iter().enumerate() {
            let mut order: Vec<u32> = (0..sort.class.len() as u32).collect();
            let key = |&colour: &u32| {
                (
                    sort.class[colour as usize],
                    hashes.of[sort.first + colour as usize],
                    colour,
                )
            };
            order.sort_unstable_by_key(key);
            // The first class of those with this hash.
            let mut open = twins.members.len();
            for (at, colour) in order.iter().enumerate() {
                let alike = |other: &u32| {
                    let (a, b) = (key(other), key(colour));
                    a.0 == b.0 && (a.1 == b.1 || !self.checks_twins)
                };
                if at > 0 && !alike(&order[at - 1]) {
                    open = twins.members.len();
                }
                let found = (open..twins.members.len()).take(4).find(|&class| {
                    let first = twins.members[class][0];
                    !self.checks_twins || self.is_fixed(marking, number, first, *colour, &tokens)
                });
                let class = found.unwrap_or_else(|| {
                    twins.members.push(Vec::new());
                    twins.members.len() - 1
                });
                twins.members[class].push(*colour);
                twins.class[sort.first + *colour as usize] = class as u32;
            }
        }
        twins
    }

    /// Whether a marking stays the same when two colours of a sort are exchanged.
    fn is_fixed(
        &self,
        marking: &[Token],
        sort: usize,
        a: u32,
        b: u32,
        tokens: &[Vec<u32>],
    ) -> bool {
        let first = self.sorts[sort].first;
        let occurrences = [a, b].map(|colour| tokens[first + colour as usize].iter());
        occurrences.into_iter().flatten().all(|&number| {
            let (place, colour, n) = marking[number as usize];
            let mut moved = colour;
            for (digit, of) in &self.places[place as usize] {
                if *of == Some(sort) {
                    let to = match digit.of(colour) {
                        d if d == a => b,
                        d if d == b => a,
                        d => d,
                    };
                    moved = digit.replaced(moved, to);
                }
            }
            count(marking, place, moved) == n
        })
    }

    fn hashes(&self, marking: &[Token]) -> Hashes {
        let mut hashes = Hashes {
            of: vec![0; self.colours],
            alone: vec![0; self.colours],
            tuples: Vec::new(),
            paired: vec![false; self.colours],
        };
        for sort in &self.sorts {
            for (colour, &class) in sort.class.iter().enumerate() {
                hashes.of[sort.first + colour] = mix(7, u64::from(class));
            }
        }
        for &token in marking {
            let (place, colour, n) = token;
            let spots = &self.places[place as usize];
            let exchanged = spots.iter().filter(|(_, sort)| sort.is_some()).count();
            if exchanged > 1 {
                hashes.tuples.push(token);
            }
            for (at, (digit, sort)) in spots.iter().enumerate() {
                let Some(sort) = sort else { continue };
                let spot = self.sorts[*sort].first + digit.of(colour) as usize;
                if exchanged > 1 {
                    hashes.paired[spot] = true;
                    continue;
                }
                let rest = digit.replaced(colour, 0);
                let own = mix(mix(u64::from(place), at as u64), mix(rest, u64::from(n)));
                hashes.alone[spot] = hashes.alone[spot].wrapping_add(own);
            }
        }
        for (hash, alone) in hashes.of.iter_mut().zip(&hashes.alone) {
            *hash = mix(*hash, *alone);
        }
        if !hashes.tuples.is_empty() {
            self.refine(&mut hashes);
        }
        hashes
    }

    /// Refines hashes by those of the colours beside them, until they tell no more colours apart.
    fn refine(&self, hashes: &mut Hashes) {
        let mut sorted: Vec<u64> = Vec::with_capacity(self.colours);
        let mut different = |of: &[u64]| {
            sorted.clear();
            sorted.extend_from_slice(of);
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len()
        };
        let mut before = different(&hashes.of);
        let mut sums = vec![0_u64; self.colours];
        loop {
            sums.fill(0);
            for &(place, colour, n) in &hashes.tuples {
                let spots = &self.places[place as usize];
                for (at, (digit, sort)) in spots.iter().enumerate() {
                    let Some(sort) = sort else { continue };
                    let own = digit.of(colour);
                    let mut hash = mix(mix(u64::from(place), at as u64), u64::from(n));
                    for (other, (beside, of)) in spots.iter().enumerate() {
                        if other == at {
                            continue;
                        }
                        let value = beside.of(colour);
                        hash = mix(
                            hash,
                            match of {
                                Some(of) if of == sort && value == own => 3,
                                Some(of) => hashes.of[self.sorts[*of].first + value as usize],
                                None => u64::from(value),
                            },
                        );
                    }
                    let spot = self.sorts[*sort].first + own as usize;
                    sums[spot] = sums[spot].wrapping_add(mix(hash, 5));
                }
            }
            for (hash, sum) in hashes.of.iter_mut().zip(&sums) {
                *hash = mix(*hash, *sum);
            }
            let now = different(&hashes.of);
            if now <= before {
                return;
            }
            before = now;
        }
    }

    /// A colour that occurs in tuples and has the hash of another one; of all such, one with the least hash.
    fn tied(&self, hashes: &Hashes) -> Option<usize> {
        let mut best: Option<(usize, u64, usize)> = None;
        for (number, sort) in self.sorts.iter().enumerate() {
            let spots = sort.first..sort.first + sort.class.len();
            let mut of: Vec<(u64, usize)> = spots
                .filter(|&spot| hashes.paired[spot])
                .map(|spot| (hashes.of[spot], spot))
                .collect();
            of.sort_unstable();
            let pair = of.windows(2).find(|pair| pair[0].0 == pair[1].0);
            if let Some(&[(hash, spot), _]) = pair
                && best.is_none_or(|known| (number, hash) < (known.0, known.1))
            {
                best = Some((number, hash, spot));
            }
        }
        best.map(|(_, _, spot)| spot)
    }

    /// Whether a variable that gets its colour now may have it: of twins that no variable has yet, only the first is tried.
    pub(super) fn admits(
        &self,
        twins: &Twins,
        leaf: usize,
        before: &[usize],
        values: &[u32],
    ) -> bool {
        let Some(sort) = self.leaves[leaf] else {
            return true;
        };
        let colour = values[leaf];
        let of = |colour: u32| twins.class[self.sorts[sort].first + colour as usize];
        let class = of(colour);
        let members = &twins.members[class as usize];
        if members.len() == 1 {
            return true;
        }
        let used = |colour: u32| {
            let mut same = before.iter().filter(|&&l| self.leaves[l] == Some(sort));
            same.any(|&l| values[l] == colour)
        };
        used(colour) || members.iter().find(|&&m| !used(m)) == Some(&colour)
    }
}

/// Hashes of colours, for all sorts whose colours may be exchanged.
struct Hashes {
    of: Vec<u64>,
    /// What tokens say in which a colour is the only one that may be exchanged.
    alone: Vec<u64>,
    /// The other tokens.
    tuples: Vec<Token>,
    /// Which colours occur in those.
    paired: Vec<bool>,
}

fn mix(a: u64, b: u64) -> u64 {
    let mut hash = (a ^ b.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(0x632b_e59b_d9b4_e019);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^= hash >> 32;
    hash
}
