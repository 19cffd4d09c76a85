//! Which edges are turned around so that no cycle is left: those that lead back in a search.
//!
//! Searches start from nodes that no edge leads to, so the initial states of an automaton stand on the left. A
//! depth-first search turns few edges, but may make long paths of a dense graph; a breadth-first search keeps nodes near to
//! the start, but may turn more edges. The caller takes the one that gives shorter edges. Linear.

use std::collections::VecDeque;

/// For each edge, whether a breadth-first search meets its target before its source.
pub(super) fn turned_by_breadth(n: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut entered = vec![false; n];
    for &(from, to) in edges {
        outgoing[from].push(to);
        entered[to] = true;
    }
    let mut met = vec![usize::MAX; n];
    let mut count = 0;
    let mut meet = |node: usize, queue: &mut VecDeque<usize>, met: &mut [usize]| {
        if met[node] == usize::MAX {
            met[node] = count;
            count += 1;
            queue.push_back(node);
        }
    };
    let mut queue = VecDeque::new();
    for node in (0..n).filter(|&i| !entered[i]) {
        meet(node, &mut queue, &mut met);
    }
    for root in 0..n {
        while let Some(node) = queue.pop_front() {
            for &to in &outgoing[node] {
                meet(to, &mut queue, &mut met);
            }
        }
        meet(root, &mut queue, &mut met);
    }
    edges.iter().map(|&(a, b)| met[a] > met[b]).collect()
}

/// For each edge, whether it leads back in a depth-first search.
pub(super) fn turned_by_depth(n: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut entered = vec![false; n];
    for (k, &(from, to)) in edges.iter().enumerate() {
        outgoing[from].push(k);
        entered[to] = true;
    }
    let mut turned = vec![false; edges.len()];
    let mut seen = vec![false; n];
    let mut open = vec![false; n];
    let sources = (0..n).filter(|&i| !entered[i]);
    for root in sources.chain(0..n) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        open[root] = true;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            let Some(&k) = outgoing[node].get(*next) else {
                open[node] = false;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = edges[k].1;
            if open[to] {
                turned[k] = true;
            } else if !std::mem::replace(&mut seen[to], true) {
                open[to] = true;
                stack.push((to, 0));
            }
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_back_is_turned() {
        let edges = [(1, 2), (2, 3), (3, 1), (0, 1)];
        assert_eq!(turned_by_depth(4, &edges), [false, false, true, false]);
        assert_eq!(turned_by_breadth(4, &edges), [false, false, true, false]);
    }
}
