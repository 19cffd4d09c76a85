//! CTL and CTL* on a small explicit graph.
//!
//! State subformulas are evaluated innermost first, each as the set of states where it holds. A path
//! quantifier over one temporal operator is the fixpoint of the operator's expansion law over sets of states (CTL).
//! Any other is a search for a path, by the tableau of Lichtenstein and Pnueli ("Checking that finite state
//! concurrent programs satisfy their linear specification", POPL 1985):
//!
//! - a node is a state together with a *guess*: one bit per temporal subformula, its value at the
//!   next position (for `X f`, the value of `f` there). State and guess decide the value of every subformula, by the laws;
//! - a node leads to another if the graph has the edge and the guess of the first is what the second says;
//! - a law has a least and a greatest solution. A guess that is only ever handed on, so that the
//!   wrong one of the two is taken, is *pending*. A path is right if nothing is pending for ever.
//!
//! The nodes from which such a path starts are a greatest fixpoint (Emerson and Lei). All sets are plain vectors, and the
//! cost is exponential in the temporal operators below one quantifier: nothing here is meant to be fast.

use std::collections::BTreeMap;

use dalsegno_kripke::DeadEnds;
use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node, PropId};

use crate::graph::Graph;

/// A set of states: whether each state belongs to it.
pub type States = Vec<bool>;

/// Why a formula has no set of states.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// A temporal operator stands below no path quantifier.
    #[error("the formula speaks of a path, not of a state")]
    NotState,
    /// The formula has an atom that the letters do not cover.
    #[error("the letters of the graph say nothing about \"{0}\"")]
    UnknownProposition(String),
    /// Finite paths are for CTL, and the formula is of CTL*.
    #[error("finite paths have a meaning in CTL only")]
    FinitePaths,
    /// A quantifier has too many temporal operators below it for this many states.
    #[error(
        "{operators} temporal operators below one path quantifier are too many for {states} states"
    )]
    TooLarge {
        /// The temporal operators below the quantifier.
        operators: usize,
        /// The states of the graph.
        states: usize,
    },
}

/// The most nodes of a tableau.
const MAX_NODES: usize = 1 << 24;

/// The states where a state formula holds; bit `i` of a letter is `props[i]`.
///
/// # Errors
/// If the formula is no state formula over `props`, or too large, or not of CTL where dead ends are finite paths.
///
/// # Examples
/// ```
/// use dalsegno_certify::{branching, graph::Graph};
/// use dalsegno_kripke::{DeadEnds, Letter};
/// use dalsegno_logic::{FormulaStore, parse};
///
/// let mut store = FormulaStore::new();
/// let f = parse(&mut store, "EG EF a").unwrap();
/// let props = store.propositions(f);
/// let graph = Graph::new(vec![0], vec![vec![0, 1], vec![]], vec![Letter(1), Letter(0)]);
/// let states = branching::holds(&store, f, &props, &graph, DeadEnds::Stutter);
/// assert_eq!(states, Ok(vec![true, false]));
/// ```
pub fn holds(
    store: &FormulaStore,
    f: FormulaId,
    props: &[PropId],
    graph: &Graph,
    dead_ends: DeadEnds,
) -> Result<States, Error> {
    evaluate(store, f, props, graph, dead_ends, true)
}

/// The same as [`holds`], with every path quantifier decided by a search for a path, those of CTL too.
///
/// # Errors
/// As [`holds`].
pub fn holds_by_paths(
    store: &FormulaStore,
    f: FormulaId,
    props: &[PropId],
    graph: &Graph,
    dead_ends: DeadEnds,
) -> Result<States, Error> {
    evaluate(store, f, props, graph, dead_ends, false)
}

fn evaluate(
    store: &FormulaStore,
    f: FormulaId,
    props: &[PropId],
    graph: &Graph,
    dead_ends: DeadEnds,
    fixpoints: bool,
) -> Result<States, Error> {
    if !store.is(f, Fragment::STATE) {
        return Err(Error::NotState);
    }
    let paths = Paths::new(graph, dead_ends);
    let mut truth: BTreeMap<FormulaId, States> = BTreeMap::new();
    for g in store.subformulas(f) {
        if !store.is(g, Fragment::STATE) {
            continue;
        }
        let states = match store.node(g) {
            Node::Atom(p) => {
                let Some(bit) = props.iter().position(|&q| q == p) else {
                    return Err(Error::UnknownProposition(store.name(p).to_owned()));
                };
                (0..graph.len()).map(|s| graph.holds(s, bit)).collect()
            }
            Node::Exists(path) | Node::Forall(path) => {
                let forall = matches!(store.node(g), Node::Forall(_));
                let simple = store.children(path).all(|h| truth.contains_key(&h));
                if dead_ends == DeadEnds::Finite && !simple && !truth.contains_key(&path) {
                    return Err(Error::FinitePaths);
                }
                if fixpoints && simple || dead_ends == DeadEnds::Finite {
                    fixpoint(store, path, forall, &truth, &paths)
                } else {
                    tableau(store, path, forall, &truth, &paths)?
                }
            }
            _ => {
                let at = |s: usize| boolean(store, g, &|h| truth[&h][s]);
                (0..graph.len()).map(at).collect()
            }
        };
        truth.insert(g, states);
    }
    Ok(truth
        .remove(&f)
        .expect("a state formula has been evaluated"))
}

/// The value of a Boolean operator from those of its operands.
fn boolean(store: &FormulaStore, g: FormulaId, at: &dyn Fn(FormulaId) -> bool) -> bool {
    match store.node(g) {
        Node::True => true,
        Node::False => false,
        Node::Not(a) => !at(a),
        Node::And(list) => list.iter().all(|&a| at(a)),
        Node::Or(list) => list.iter().any(|&a| at(a)),
        Node::Implies(a, b) => !at(a) || at(b),
        Node::Iff(a, b) => at(a) == at(b),
        Node::Xor(a, b) => at(a) != at(b),
        _ => unreachable!("only Boolean operators are given"),
    }
}

/// The value of a temporal operator from those of its operands and its own at the next position;
/// for `X f`, that of `f` there.
fn law(store: &FormulaStore, g: FormulaId, at: &dyn Fn(FormulaId) -> bool, next: bool) -> bool {
    match store.node(g) {
        Node::Next(_) => next,
        Node::Finally(a) => at(a) || next,
        Node::Globally(a) => at(a) && next,
        Node::Until(a, b) | Node::WeakUntil(a, b) => at(b) || (at(a) && next),
        Node::Release(a, b) | Node::StrongRelease(a, b) => at(b) && (at(a) || next),
        _ => unreachable!("only temporal operators are given"),
    }
}

fn is_temporal(store: &FormulaStore, g: FormulaId) -> bool {
    matches!(
        store.node(g),
        Node::Next(_)
            | Node::Finally(_)
            | Node::Globally(_)
            | Node::Until(..)
            | Node::WeakUntil(..)
            | Node::Release(..)
            | Node::StrongRelease(..)
    )
}

/// Whether the least solution of the law is meant.
fn is_least(store: &FormulaStore, g: FormulaId) -> bool {
    matches!(
        store.node(g),
        Node::Finally(_) | Node::Until(..) | Node::StrongRelease(..)
    )
}

/// The infinite paths of a graph, dead ends being what they are.
struct Paths<'a> {
    graph: &'a Graph,
    finite: bool,
    /// For each state the successors on infinite paths.
    next: Vec<Vec<usize>>,
    /// The states that an infinite path leaves: those with a successor in `next`.
    alive: States,
}

impl<'a> Paths<'a> {
    fn new(graph: &'a Graph, dead_ends: DeadEnds) -> Self {
        let mut next: Vec<Vec<usize>> = (0..graph.len())
            .map(|s| graph.successors(s).to_vec())
            .collect();
        let mut alive = vec![true; graph.len()];
        if dead_ends == DeadEnds::Ignore {
            loop {
                let before = alive.clone();
                for (s, list) in next.iter_mut().enumerate() {
                    list.retain(|&t| before[t]);
                    alive[s] = !list.is_empty();
                }
                if alive == before {
                    break;
                }
            }
        } else {
            // With finite paths a dead end that is repeated makes no difference but to X.
            for (s, list) in next.iter_mut().enumerate() {
                if list.is_empty() {
                    list.push(s);
                }
            }
        }
        Paths {
            graph,
            finite: dead_ends == DeadEnds::Finite,
            next,
            alive,
        }
    }

    /// Whether some successor, or every one, is in a set.
    fn step(&self, s: usize, forall: bool, set: &States) -> bool {
        if forall {
            self.next[s].iter().all(|&t| set[t])
        } else {
            self.next[s].iter().any(|&t| set[t])
        }
    }
}

/// `E` or `A` above one temporal operator whose operands are known, or above a state formula.
fn fixpoint(
    store: &FormulaStore,
    path: FormulaId,
    forall: bool,
    truth: &BTreeMap<FormulaId, States>,
    paths: &Paths<'_>,
) -> States {
    let graph = paths.graph;
    // Where no infinite path starts, each of them does anything.
    let on_paths = |s: usize, value: bool| {
        if forall {
            !paths.alive[s] || value
        } else {
            paths.alive[s] && value
        }
    };
    if let Some(states) = truth.get(&path) {
        return (0..graph.len()).map(|s| on_paths(s, states[s])).collect();
    }
    if let Node::Next(a) = store.node(path) {
        let set = &truth[&a];
        return (0..graph.len())
            .map(|s| match (paths.finite, forall) {
                (false, _) => paths.step(s, forall, set),
                (true, true) => graph.successors(s).iter().all(|&t| set[t]),
                (true, false) => graph.successors(s).iter().any(|&t| set[t]),
            })
            .collect();
    }
    let mut x = vec![!is_least(store, path); graph.len()];
    loop {
        let value = |s: usize| law(store, path, &|h| truth[&h][s], paths.step(s, forall, &x));
        let next: States = (0..graph.len()).map(|s| on_paths(s, value(s))).collect();
        if next == x {
            return x;
        }
        x = next;
    }
}

/// `E` or `A` above any formula whose state subformulas are known.
fn tableau(
    store: &FormulaStore,
    path: FormulaId,
    forall: bool,
    truth: &BTreeMap<FormulaId, States>,
    paths: &Paths<'_>,
) -> Result<States, Error> {
    let subformulas: Vec<FormulaId> = store
        .subformulas(path)
        .into_iter()
        .filter(|&g| truth.contains_key(&g) || !store.is(g, Fragment::STATE))
        .collect();
    let temporal: Vec<FormulaId> = subformulas
        .iter()
        .copied()
        .filter(|&g| is_temporal(store, g))
        .collect();
    let states = paths.graph.len();
    let guesses = 1usize.checked_shl(temporal.len() as u32).unwrap_or(0);
    if guesses == 0 || states.saturating_mul(guesses) > MAX_NODES {
        let operators = temporal.len();
        return Err(Error::TooLarge { operators, states });
    }
    let mut tableau = Tableau {
        guesses,
        before: Vec::with_capacity(states * guesses),
        pending: vec![Vec::with_capacity(states * guesses); temporal.len()],
        predecessors: vec![Vec::new(); states],
    };
    for (s, list) in paths.next.iter().enumerate() {
        for &t in list {
            tableau.predecessors[t].push(s);
        }
    }
    let mut claims = Vec::with_capacity(states * guesses);
    for s in 0..states {
        for guess in 0..guesses {
            let mut values: BTreeMap<FormulaId, bool> = BTreeMap::new();
            let mut before = 0;
            for &g in &subformulas {
                let at = |h: FormulaId| values[&h];
                let bit = temporal.iter().position(|&h| h == g);
                let value = match (truth.get(&g), bit) {
                    (Some(states), _) => states[s],
                    (None, Some(i)) => law(store, g, &at, guess >> i & 1 == 1),
                    (None, None) => boolean(store, g, &at),
                };
                if let Some(i) = bit {
                    let wrong = is_least(store, g);
                    let handed_on = !matches!(store.node(g), Node::Next(_))
                        && law(store, g, &at, wrong) != law(store, g, &at, !wrong);
                    tableau.pending[i].push(handed_on && (guess >> i & 1 == 1) == wrong);
                    let said = match store.node(g) {
                        Node::Next(a) => values[&a],
                        _ => value,
                    };
                    before |= usize::from(said) << i;
                }
                values.insert(g, value);
            }
            tableau.before.push(before);
            claims.push(values[&path]);
        }
    }
    let right = tableau.right(&paths.alive);
    Ok((0..states)
        .map(|s| {
            let mut nodes = s * guesses..(s + 1) * guesses;
            // A f is !E !f, and a right path decides f one way or the other.
            let found = nodes.any(|n| right[n] && claims[n] != forall);
            found != forall
        })
        .collect())
}

/// Nodes are numbered `state * guesses + guess`.
struct Tableau {
    guesses: usize,
    /// The guess of all nodes that lead to a node.
    before: Vec<usize>,
    /// For each temporal operator whether it is pending at a node.
    pending: Vec<Vec<bool>>,
    /// The predecessors of each state on infinite paths.
    predecessors: Vec<Vec<usize>>,
}

impl Tableau {
    /// The nodes from which an infinite path starts on which nothing is pending for ever: the
    /// greatest set in which every node reaches, by a step or more inside the set, for each
    /// operator, a node where it is not pending.
    fn right(&self, alive: &States) -> Vec<bool> {
        let nodes = self.before.len();
        let mut set: Vec<bool> = (0..nodes).map(|n| alive[n / self.guesses]).collect();
        loop {
            let size = set.iter().filter(|&&b| b).count();
            set = self.one_step(&set, &set);
            for pending in &self.pending {
                let goal = (0..nodes).map(|n| set[n] && !pending[n]).collect();
                let reaching = self.reaching(goal, &set);
                set = self.one_step(&reaching, &set);
            }
            if set.iter().filter(|&&b| b).count() == size {
                return set;
            }
        }
    }

    fn leading_to(&self, node: usize) -> impl Iterator<Item = usize> {
        let states = self.predecessors[node / self.guesses].iter();
        states.map(move |&s| s * self.guesses + self.before[node])
    }

    /// The nodes of `inside` that have a successor in `goal`.
    fn one_step(&self, goal: &[bool], inside: &[bool]) -> Vec<bool> {
        let mut found = vec![false; goal.len()];
        for node in (0..goal.len()).filter(|&n| goal[n]) {
            for n in self.leading_to(node) {
                found[n] = inside[n];
            }
        }
        found
    }

    /// The nodes of `inside` that reach `goal` inside, those of `goal` included.
    fn reaching(&self, goal: Vec<bool>, inside: &[bool]) -> Vec<bool> {
        let mut open: Vec<usize> = (0..goal.len()).filter(|&n| goal[n]).collect();
        let mut found = goal;
        while let Some(node) = open.pop() {
            for n in self.leading_to(node) {
                if inside[n] && !found[n] {
                    found[n] = true;
                    open.push(n);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Letter;
    use dalsegno_logic::parse;

    use super::*;

    /// 0 (a) goes to itself, to 1 (b) and to 2 (no proposition), which is a dead end; 1 goes back.
    fn graph() -> Graph {
        Graph::new(
            vec![0],
            vec![vec![0, 1, 2], vec![0], vec![]],
            vec![Letter(1), Letter(2), Letter(0)],
        )
    }

    /// The states where `text` holds, both ways where dead ends allow it.
    fn states(text: &str, dead_ends: DeadEnds) -> Vec<usize> {
        let mut store = FormulaStore::new();
        let (a, b) = (store.atom("a"), store.atom("b"));
        let both = store.and([a, b]);
        let props = store.propositions(both);
        let f = parse(&mut store, text).unwrap();
        let found = holds(&store, f, &props, &graph(), dead_ends).unwrap();
        let by_paths = holds_by_paths(&store, f, &props, &graph(), dead_ends).unwrap();
        assert_eq!(found, by_paths, "{text}");
        (0..3).filter(|&s| found[s]).collect()
    }

    #[test]
    fn dead_ends_repeat_end_or_do_not_count() {
        use DeadEnds::{Finite, Ignore, Stutter};
        for (text, stutter, finite, ignore) in [
            ("EX true", vec![0, 1, 2], vec![0, 1], vec![0, 1]),
            ("AX false", vec![], vec![2], vec![2]),
            (
                "EX(a | b | (!a & !b))",
                vec![0, 1, 2],
                vec![0, 1],
                vec![0, 1],
            ),
            ("AX(a & b)", vec![], vec![2], vec![2]),
            ("EX !a & EX(!a & !b)", vec![0, 2], vec![0], vec![]),
            ("AX a", vec![1], vec![1, 2], vec![1, 2]),
            ("EF(!a & !b)", vec![0, 1, 2], vec![0, 1, 2], vec![]),
            ("AG(a | b)", vec![], vec![], vec![0, 1, 2]),
            ("EG !a", vec![2], vec![2], vec![]),
            ("AF a", vec![0, 1], vec![0, 1], vec![0, 1, 2]),
            ("A(a W b)", vec![1], vec![1], vec![0, 1, 2]),
            ("E(b R !a)", vec![1, 2], vec![1, 2], vec![1]),
            ("E(b M !a)", vec![1], vec![1], vec![1]),
        ] {
            assert_eq!(states(text, Stutter), stutter, "stutter: {text}");
            assert_eq!(states(text, Finite), finite, "finite: {text}");
            assert_eq!(states(text, Ignore), ignore, "ignore: {text}");
        }
    }

    #[test]
    fn paths_of_ctl_star_are_found() {
        use DeadEnds::{Ignore, Stutter};
        for (text, stutter, ignore) in [
            ("E(GFa & GFb)", vec![0, 1], vec![0, 1]),
            ("E(GFa & FG!b)", vec![0, 1], vec![0, 1]),
            ("E FG b", vec![], vec![]),
            ("E FG(!a & !b)", vec![0, 1, 2], vec![]),
            ("A(GFa | FG(!a & !b))", vec![0, 1, 2], vec![0, 1, 2]),
            ("A GFa", vec![], vec![0, 1, 2]),
            ("E(b & XX b)", vec![1], vec![1]),
            ("E(a & X(b & X(a & X(a & Xb))))", vec![0], vec![0]),
            ("A(FGa -> EX E(b & X a))", vec![0, 2], vec![0, 2]),
            ("E F(b & X A G a)", vec![], vec![]),
        ] {
            assert_eq!(states(text, Stutter), stutter, "stutter: {text}");
            assert_eq!(states(text, Ignore), ignore, "ignore: {text}");
        }
    }

    #[test]
    fn what_has_no_set_of_states_is_an_error() {
        let mut store = FormulaStore::new();
        let mut error = |text: &str, dead_ends| {
            let f = parse(&mut store, text).unwrap();
            let props = store.proposition("a").into_iter().collect::<Vec<_>>();
            holds(&store, f, &props, &graph(), dead_ends).unwrap_err()
        };
        assert_eq!(error("F a", DeadEnds::Stutter), Error::NotState);
        assert_eq!(error("EGF a", DeadEnds::Finite), Error::FinitePaths);
        let unknown = Error::UnknownProposition("z".to_owned());
        assert_eq!(error("AG(a | z)", DeadEnds::Finite), unknown);
        let deep = format!("E({}a)", "XF".repeat(30));
        let large = Error::TooLarge {
            operators: 60,
            states: 3,
        };
        assert_eq!(error(&deep, DeadEnds::Ignore), large);
    }
}
