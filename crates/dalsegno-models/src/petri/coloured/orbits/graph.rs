//! The graph of representatives, made where somebody looks.
//!
//! Markings are kept in their short form, each with a number. The successors of a marking are found by joins over its
//! tokens, as bindings are when a net is unfolded; of bindings that differ by an exchange of twins one is fired. They are kept,
//! so methods that come later do not fire again.

use std::sync::Arc;

use dalsegno_kripke::{Budget, Undefined};
use rustc_hash::FxHashMap;

use super::super::join::Search;
use super::super::multiset::{LeafId, Scratch};
use super::super::net::{ColouredArcs, ColouredNet};
use super::super::plan::{Plan, Query};
use super::super::relation::Tokens;
use super::super::unfold::patterns;
use super::marking::{Marking, Token, count, decode, encode, runs};
use super::representative::{Permutation, Representatives};

/// The most bindings that are tried in a marking.
const MOST_BINDINGS: usize = 1 << 20;

/// The most colours that a term may have.
const MOST_COLOURS: u64 = 1 << 20;

/// Why a marking has no successors that are known.
const ROOM: Undefined = Undefined("the markings take more memory than there is");
const LONG: Undefined = Undefined("the bindings were not found in time");
const VALUE: Undefined = Undefined("a term has no value");

/// Coloured transitions with the numbers of the markings that they lead to; ascending.
pub(super) type Successors = Arc<[(u32, u32)]>;

/// A transition with the variables that each step of its plan binds.
#[derive(Debug)]
struct Planned {
    plan: Plan,
    leaves: Vec<LeafId>,
    /// Per step of the plan: the variables bound before, then those that it binds, and how many come before.
    bound: Vec<(Vec<usize>, usize)>,
}

/// A marking that was found.
#[derive(Debug)]
struct Node {
    code: Arc<[u8]>,
    next: Option<Successors>,
}

/// See above.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) net: Arc<ColouredNet>,
    pub(super) representatives: Representatives,
    planned: Vec<Planned>,
    tokens: Tokens,
    nodes: Vec<Node>,
    numbers: FxHashMap<Arc<[u8]>, u32>,
    search: Search,
    scratch: Scratch,
    bytes: u64,
    most_bytes: u64,
    budget: Budget,
}

impl Graph {
    /// A graph with the initial marking, whose number is 0; `None` if that has no value.
    pub(super) fn new(
        net: Arc<ColouredNet>,
        representatives: Representatives,
        budget: &Budget,
        most_bytes: u64,
    ) -> Option<Self> {
        let mut tokens = Tokens::new(&net.sorts, net.places.iter().map(|p| p.sort));
        let leaf_sorts = net.leaf_sorts();
        let sizes: Arc<[u32]> = leaf_sorts.iter().map(|&s| net.sorts.leaf_size(s)).collect();
        let mut planned = Vec::with_capacity(net.transitions.len());
        for t in &net.transitions {
            budget.check().ok()?;
            let query = Query {
                patterns: patterns(t, None),
                guard: t.guard.clone(),
                leaves: net.leaves_of(t),
                sizes: Arc::clone(&sizes),
            };
            let plan = query.plan(None, &mut tokens);
            let (mut all, mut bound) = (Vec::new(), Vec::new());
            for step in &plan.steps {
                let before = all.len();
                step.binds(&mut all);
                bound.push(if all.len() > before {
                    (all.clone(), before)
                } else {
                    (Vec::new(), 0)
                });
            }
            planned.push(Planned {
                plan,
                leaves: query.leaves,
                bound,
            });
        }
        let mut graph = Graph {
            net,
            representatives,
            planned,
            tokens,
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            search: Search::default(),
            scratch: Scratch::default(),
            bytes: 0,
            most_bytes,
            budget: budget.clone(),
        };
        let initial = graph.initial()?;
        let permutation = graph.representatives.permutation(&initial);
        let initial = graph.representatives.permuted(&initial, &permutation);
        graph.number(&initial).ok()?;
        Some(graph)
    }

    /// The initial marking of the net.
    pub(super) fn initial(&mut self) -> Option<Marking> {
        let net = Arc::clone(&self.net);
        let values = vec![0; net.leaf_count()];
        let mut marking = Marking::new();
        let mut colours = Vec::new();
        for (number, place) in (0..).zip(&net.places) {
            let initial = place.initial.evaluate(
                &net.sorts,
                &values,
                MOST_COLOURS,
                &mut colours,
                &mut self.scratch,
            );
            initial.ok()?;
            marking.extend(colours.iter().map(|&(colour, n)| (number, colour, n)));
        }
        Some(marking)
    }

    /// The number of a representative, which is new or known.
    fn number(&mut self, marking: &[Token]) -> Result<u32, Undefined> {
        let code: Arc<[u8]> = encode(marking).into();
        if let Some(&known) = self.numbers.get(&code) {
            return Ok(known);
        }
        self.bytes += code.len() as u64 + 120;
        if self.bytes > self.most_bytes || self.nodes.len() >= u32::MAX as usize {
            return Err(ROOM);
        }
        let number = self.nodes.len() as u32;
        self.numbers.insert(Arc::clone(&code), number);
        self.nodes.push(Node { code, next: None });
        Ok(number)
    }

    /// The bytes that it holds, about.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many markings were found.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A marking by its number.
    pub(super) fn marking(&self, number: u32) -> Option<Marking> {
        let node = self.nodes.get(number as usize)?;
        Some(decode(&node.code))
    }

    /// Writes the numbers of tokens of all places.
    pub(super) fn sums(&self, number: u32, out: &mut [u32]) -> Result<(), Undefined> {
        out.fill(0);
        let mut fits = true;
        let node = self.nodes.get(number as usize).ok_or(VALUE)?;
        runs(&node.code, |place, _, length, n| {
            let sum = &mut out[place as usize];
            let more = u32::try_from(length).ok().and_then(|l| l.checked_mul(n));
            match more.and_then(|more| sum.checked_add(more)) {
                Some(more) => *sum = more,
                None => fits = false,
            }
        });
        if fits { Ok(()) } else { Err(VALUE) }
    }

    /// The successors of a marking.
    pub(super) fn successors(&mut self, number: u32) -> Result<Successors, Undefined> {
        let node = self.nodes.get(number as usize).ok_or(VALUE)?;
        if let Some(known) = &node.next {
            return Ok(Arc::clone(known));
        }
        let marking = decode(&node.code);
        let mut found = Vec::new();
        self.each(&marking, |graph, t, _, next| {
            let permutation = graph.representatives.permutation(&next);
            let next = graph.representatives.permuted(&next, &permutation);
            found.push((t, graph.number(&next)?));
            Ok(true)
        })?;
        found.sort_unstable();
        found.dedup();
        let found: Successors = found.into();
        self.bytes += 8 * found.len() as u64 + 16;
        self.nodes[number as usize].next = Some(Arc::clone(&found));
        Ok(found)
    }

    /// A binding that leads from a marking to the marking with a number, with the permutation that makes the representative;
    /// of a transition that may be any if none is given.
    pub(super) fn binding(&mut self, from: u32, t: u32, to: Option<u32>) -> Option<Found> {
        let marking = self.marking(from)?;
        let mut found = None;
        let result = self.each(&marking, |graph, own, values, next| {
            if own != t {
                return Ok(true);
            }
            let permutation = graph.representatives.permutation(&next);
            let next = graph.representatives.permuted(&next, &permutation);
            if to.is_some() && to != Some(graph.number(&next)?) {
                return Ok(true);
            }
            found = Some(Found {
                values: values.to_vec(),
                permutation,
            });
            Ok(false)
        });
        result.ok()?;
        found
    }

    /// Calls `see` with each binding that is enabled, but for those that differ by an exchange of twins: the
    /// transition, the values of all leaves, and the marking that it leads to. It tells whether to go on.
    fn each(
        &mut self,
        marking: &[Token],
        mut see: impl FnMut(&mut Self, u32, &[u32], Marking) -> Result<bool, Undefined>,
    ) -> Result<(), Undefined> {
        let twins = self.representatives.twins(marking);
        self.tokens.clear();
        for &(place, colour, _) in marking {
            self.tokens.find(place, colour);
        }
        while self.tokens.arrive().is_some() {}
        let mut values = vec![0; self.net.leaf_count()];
        let mut tried = 0;
        let mut search = std::mem::take(&mut self.search);
        for t in 0..self.planned.len() {
            let planned = &self.planned[t];
            if !search.start(&planned.plan, None, &mut values) {
                continue;
            }
            loop {
                let planned = &self.planned[t];
                let admits = |step: usize, values: &[u32]| {
                    let (bound, before) = &planned.bound[step];
                    (*before..bound.len()).all(|at| {
                        let representatives = &self.representatives;
                        representatives.admits(&twins, bound[at], &bound[..at], values)
                    })
                };
                let next = search.next_where(
                    &planned.plan,
                    &self.tokens,
                    &mut values,
                    &self.budget,
                    admits,
                );
                if !next.map_err(|_| LONG)? {
                    break;
                }
                tried += 1;
                if tried > MOST_BINDINGS {
                    return Err(LONG);
                }
                if let Some(next) = self.fired(marking, t as u32, &values)?
                    && !see(self, t as u32, &values, next)?
                {
                    self.search = search;
                    return Ok(());
                }
            }
        }
        self.search = search;
        Ok(())
    }

    /// The marking after a binding; `None` if the binding is not enabled.
    fn fired(
        &mut self,
        marking: &[Token],
        t: u32,
        values: &[u32],
    ) -> Result<Option<Marking>, Undefined> {
        let net = Arc::clone(&self.net);
        let t = &net.transitions[t as usize];
        let mut changes: Vec<(u32, u64, i64)> = Vec::new();
        self.add(&t.pre, values, -1, &mut changes)?;
        join(&mut changes);
        for &(place, colour, n) in &changes {
            if i64::from(count(marking, place, colour)) + n < 0 {
                return Ok(None);
            }
        }
        let mut others = Vec::new();
        for (arcs, is_test) in [(&t.test, true), (&t.inhibit, false)] {
            for arc in arcs.chunks(1) {
                others.clear();
                self.add(arc, values, 1, &mut others)?;
                for &(place, colour, n) in &others {
                    if (i64::from(count(marking, place, colour)) >= n) != is_test {
                        return Ok(None);
                    }
                }
            }
        }
        self.add(&t.post, values, 1, &mut changes)?;
        join(&mut changes);
        let mut next = Marking::with_capacity(marking.len() + changes.len());
        let mut tokens = marking.iter().copied().peekable();
        for (place, colour, n) in changes {
            while let Some(token) = tokens.next_if(|&(p, c, _)| (p, c) < (place, colour)) {
                next.push(token);
            }
            let here = tokens.next_if(|&(p, c, _)| (p, c) == (place, colour));
            let sum = i64::from(here.map_or(0, |token| token.2)) + n;
            if sum != 0 {
                next.push((place, colour, u32::try_from(sum).map_err(|_| VALUE)?));
            }
        }
        next.extend(tokens);
        Ok(Some(next))
    }

    /// Appends the colours of arcs.
    fn add(
        &mut self,
        arcs: &[<ColouredArcs as IntoIterator>::Item],
        values: &[u32],
        sign: i64,
        out: &mut Vec<(u32, u64, i64)>,
    ) -> Result<(), Undefined> {
        let mut colours = Vec::new();
        for (place, term) in arcs {
            let evaluated = term.evaluate(
                &self.net.sorts,
                values,
                MOST_COLOURS,
                &mut colours,
                &mut self.scratch,
            );
            evaluated.map_err(|_| VALUE)?;
            let signed = colours
                .iter()
                .map(|&(colour, n)| (place.0, colour, sign * i64::from(n)));
            out.extend(signed);
        }
        Ok(())
    }

    /// The leaves of the variables of a transition.
    pub(super) fn leaves(&self, t: u32) -> &[LeafId] {
        &self.planned[t as usize].leaves
    }
}

/// A binding of a representative.
pub(super) struct Found {
    /// The values of all leaves; only those of the variables of the transition mean something.
    pub(super) values: Vec<u32>,
    /// What makes the representative of the marking that it leads to.
    pub(super) permutation: Permutation,
}

/// Sorts changes, and adds up those of one colour.
fn join(changes: &mut Vec<(u32, u64, i64)>) {
    changes.sort_unstable_by_key(|&(place, colour, _)| (place, colour));
    changes.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
}
