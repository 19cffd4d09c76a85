//! A layer for each node: as far left as edges allow, then moved to make edges shorter.
//!
//! Longest paths give the first layers. Then each node in turn goes to the end of its slack that shortens its edges
//! in sum, until nothing moves; a network simplex would find the optimum, at more expense. Linear per sweep.

/// An edge that leads at least `length` layers forward.
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) length: usize,
}

/// Sweeps at most.
const SWEEPS: usize = 20;

/// The layers; the spans have no cycle.
pub(super) fn assign(n: usize, spans: &[Span]) -> Vec<usize> {
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); n];
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (k, span) in spans.iter().enumerate() {
        outgoing[span.from].push(k);
        incoming[span.to].push(k);
    }
    let mut waits: Vec<usize> = incoming.iter().map(Vec::len).collect();
    let mut order: Vec<usize> = (0..n).filter(|&i| waits[i] == 0).collect();
    let mut layer = vec![0; n];
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        for &k in &outgoing[node] {
            let Span { to, length, .. } = spans[k];
            layer[to] = layer[to].max(layer[node] + length);
            waits[to] -= 1;
            if waits[to] == 0 {
                order.push(to);
            }
        }
    }
    for sweep in 0..SWEEPS {
        let mut moved = false;
        for step in 0..order.len() {
            let node = if sweep % 2 == 0 {
                order[order.len() - 1 - step]
            } else {
                order[step]
            };
            let (ins, outs) = (&incoming[node], &outgoing[node]);
            let least = ins.iter().map(|&k| layer[spans[k].from] + spans[k].length);
            let most = outs.iter().map(|&k| layer[spans[k].to] - spans[k].length);
            let to = match outs.len().cmp(&ins.len()) {
                std::cmp::Ordering::Greater => most.min(),
                std::cmp::Ordering::Less => least.max(),
                std::cmp::Ordering::Equal => None,
            };
            if let Some(to) = to
                && to != layer[node]
            {
                layer[node] = to;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let first = layer.iter().copied().min().unwrap_or(0);
    for l in &mut layer {
        *l -= first;
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_forward_and_sources_stay_near() {
        let span = |from, to, length| Span { from, to, length };
        let spans = [span(0, 1, 1), span(1, 2, 2), span(3, 2, 1), span(0, 2, 1)];
        let layer = assign(4, &spans);
        assert_eq!(layer, [0, 1, 3, 2]);
    }
}
