//! A run of the model from an accepting component of the product: a short stem and a short cycle.
//!
//! The stem is a shortest path, in what the search has seen, from an initial node to the component. The
//! cycle starts where the stem ends: it goes by shortest paths to transitions with the marks that are
//! still missing, to what fair sets ask for, and back. For livelock acceptance the cycle goes through a livelock state by stuttering
//! transitions only. Breadth-first, linear in the part of the product that was seen for every piece; successors that
//! the search has not looked at are not looked at here, as there may be far more of them.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use dalsegno_automata::Marks;
use dalsegno_kripke::{Budget, Lasso, Predicate, Run, Step, Strength};

use crate::emptiness::{Accepting, Path};
use crate::nodes::{Node, NodeMap};
use crate::product::{Edge, Product};
use crate::space::Error;

/// A piece of a path: nodes with the transitions that leave them.
type Piece = Vec<(Node, Edge)>;

/// A run of the model that the observer accepts.
///
/// # Errors
/// When the budget runs out, or the model faults.
///
/// # Panics
/// If the component is not an accepting one of this product.
pub fn run(
    product: &mut Product<'_>,
    accepting: &Accepting,
    visited: &NodeMap,
    budget: &Budget,
) -> Result<Run, Error> {
    let members: FxHashSet<Node> = accepting.nodes.iter().copied().collect();
    let roots = product.initial();
    let no_edge = |_: &Edge| false;
    let (mut stem, mut at) = search(
        product,
        &roots,
        &|n| visited.get(n) != 0,
        &|n| members.contains(&n),
        &no_edge,
        budget,
    )?
    .expect("an accepting component is reachable");
    let inside = |n: Node| members.contains(&n);
    let mut cycle: Piece = Vec::new();
    if accepting.livelock {
        // From where the stem ends on to a livelock state with a stuttering cycle.
        let mut found = None;
        for node in accepting.nodes.clone() {
            if product.is_livelock(node) {
                let back = |edge: &Edge| edge.target == node && edge.stutters;
                if let Some((piece, _)) = stuttering(product, node, &inside, &back, budget)? {
                    found = Some((node, piece));
                    break;
                }
            }
        }
        let (node, piece) = found.expect("a livelock component stutters through a livelock state");
        let (more, _) = search(product, &[at], &inside, &|n| n == node, &no_edge, budget)?
            .expect("a component is connected");
        stem.extend(more);
        cycle = piece;
    } else {
        let start = at;
        let mut missing = product.all_marks();
        while missing != Marks::NONE {
            let wanted = |edge: &Edge| edge.marks.intersection(missing) != Marks::NONE;
            let (piece, end) = search(product, &[at], &inside, &|_| false, &wanted, budget)?
                .expect("an accepting component has all marks");
            let seen = piece
                .iter()
                .fold(Marks::NONE, |m, (_, edge)| m.union(edge.marks));
            missing = Marks(missing.0 & !seen.0);
            cycle.extend(piece);
            at = end;
        }
        at = make_fair(product, accepting, &inside, &mut cycle, at, budget)?;
        if at != start || cycle.is_empty() {
            let back = |edge: &Edge| edge.target == start;
            let (piece, _) = search(product, &[at], &inside, &|_| false, &back, budget)?
                .expect("a component is connected");
            cycle.extend(piece);
        }
    }
    Ok(Lasso::new(steps(product, &stem), steps(product, &cycle)))
}

/// Goes on from a node inside a component that is fair as a whole, until the cycle so far treats all sets fairly; where it
/// ends.
fn make_fair(
    product: &mut Product<'_>,
    accepting: &Accepting,
    inside: &dyn Fn(Node) -> bool,
    cycle: &mut Piece,
    mut at: Node,
    budget: &Budget,
) -> Result<Node, Error> {
    let fairness = product.fairness().clone();
    for set in fairness.sets() {
        let enabled = Predicate::Enabled(set.groups.clone());
        let weak = set.strength == Strength::Weak;
        let is_enabled = |node: Node, product: &Product<'_>| {
            let space = product.space();
            space.holds(node.state, &enabled)
        };
        let fires = |edge: &Edge| set.fires(edge.group);
        let met =
            |(node, edge): &(Node, Edge)| fires(edge) || (weak && !is_enabled(*node, product));
        if cycle.iter().any(met) {
            continue;
        }
        budget.check()?;
        let all = accepting.nodes.iter().copied();
        // Nodes where a weakly fair set is disabled are as good as its steps; a strongly fair one may ask for nothing.
        let content: FxHashSet<Node> = if weak {
            all.filter(|&node| !is_enabled(node, product)).collect()
        } else {
            if !all.clone().any(|node| is_enabled(node, product)) {
                continue;
            }
            FxHashSet::default()
        };
        let (piece, end) = search(
            product,
            &[at],
            inside,
            &|node| content.contains(&node),
            &fires,
            budget,
        )?
        .expect("a fair component has what it is asked for");
        cycle.extend(piece);
        at = end;
    }
    Ok(at)
}

/// The run that a path of the search closes, if it is accepting as it is.
#[must_use]
pub fn direct(product: &Product<'_>, path: &Path) -> Option<Run> {
    let start = path.steps.iter().position(|(node, _)| *node == path.end)?;
    let (stem, cycle) = path.steps.split_at(start);
    let marks = cycle
        .iter()
        .fold(Marks::NONE, |m, (_, edge)| m.union(edge.marks));
    let accepts = !product.is_ta() && marks.contains(product.all_marks());
    accepts.then(|| Lasso::new(steps(product, stem), steps(product, cycle)))
}

/// The steps of the model along a path of the search; the last one leads nowhere.
#[must_use]
pub fn prefix(product: &Product<'_>, path: &Path) -> Vec<Step> {
    let mut prefix = steps(product, &path.steps);
    let (state, group) = (values(product, path.end), None);
    prefix.push(Step { state, group });
    prefix
}

fn steps(product: &Product<'_>, piece: &[(Node, Edge)]) -> Vec<Step> {
    let step = |&(node, edge): &(Node, Edge)| {
        let (state, group) = (values(product, node), edge.group);
        Step { state, group }
    };
    piece.iter().map(step).collect()
}

fn values(product: &Product<'_>, node: Node) -> Vec<u32> {
    let mut state = vec![0; product.space().model().variables().len()];
    product.space().values(node.state, &mut state);
    state
}

/// A shortest path from `roots` through `allowed` nodes to a `goal` node or over a `last` transition.
fn search(
    product: &mut Product<'_>,
    roots: &[Node],
    allowed: &dyn Fn(Node) -> bool,
    goal: &dyn Fn(Node) -> bool,
    last: &dyn Fn(&Edge) -> bool,
    budget: &Budget,
) -> Result<Option<(Piece, Node)>, Error> {
    breadth_first(product, roots, allowed, goal, last, &|_| true, budget)
}

/// A shortest path of stuttering transitions that ends with `last`.
fn stuttering(
    product: &mut Product<'_>,
    root: Node,
    allowed: &dyn Fn(Node) -> bool,
    last: &dyn Fn(&Edge) -> bool,
    budget: &Budget,
) -> Result<Option<(Piece, Node)>, Error> {
    let never = |_: Node| false;
    breadth_first(
        product,
        &[root],
        allowed,
        &never,
        last,
        &|edge| edge.stutters,
        budget,
    )
}

fn breadth_first(
    product: &mut Product<'_>,
    roots: &[Node],
    allowed: &dyn Fn(Node) -> bool,
    goal: &dyn Fn(Node) -> bool,
    last: &dyn Fn(&Edge) -> bool,
    usable: &dyn Fn(&Edge) -> bool,
    budget: &Budget,
) -> Result<Option<(Piece, Node)>, Error> {
    let mut parent: FxHashMap<Node, Option<(Node, Edge)>> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for &root in roots {
        if parent.insert(root, None).is_none() {
            queue.push_back(root);
        }
    }
    let path_to = |parent: &FxHashMap<Node, Option<(Node, Edge)>>, mut node: Node| {
        let mut piece = Vec::new();
        while let Some((before, edge)) = parent[&node] {
            piece.push((before, edge));
            node = before;
        }
        piece.reverse();
        piece
    };
    let mut edges = Vec::new();
    let mut seen = 0u64;
    while let Some(node) = queue.pop_front() {
        seen += 1;
        if seen.is_multiple_of(16) {
            budget.check()?;
        }
        if goal(node) {
            return Ok(Some((path_to(&parent, node), node)));
        }
        edges.clear();
        product.known_successors(node, budget, &mut edges)?;
        for &edge in edges
            .iter()
            .filter(|edge| usable(edge) && allowed(edge.target))
        {
            if last(&edge) {
                let mut piece = path_to(&parent, node);
                piece.push((node, edge));
                return Ok(Some((piece, edge.target)));
            }
            parent.entry(edge.target).or_insert_with(|| {
                queue.push_back(edge.target);
                Some((node, edge))
            });
        }
    }
    Ok(None)
}
