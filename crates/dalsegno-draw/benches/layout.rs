//! The time of layouts: nets of 25, 150, 500 and 3,000 nodes, automata of 5, 20 and 60 states.

use std::hint::black_box;

use criterion::Criterion;
use dalsegno_draw::{Edge, Graph, Line, Node, Shape, layered, stress};

/// Numbers that look random and are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        let Numbers(seed) = self;
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) as usize % n
    }
}

/// A net that hangs together: each node is joined to one before it, and about as many arcs again join nodes at random.
fn net(nodes: usize) -> Graph {
    let mut numbers = Numbers(1);
    let mut graph = Graph::new("a net");
    for i in 0..nodes {
        graph
            .add_node(Node::new(Shape::Circle, 30.0, 30.0).with_label_beside(format!("place_{i}")));
        if i > 0 {
            let near = i.saturating_sub(1 + numbers.below(8));
            graph.add_edge(Edge::new(near, i));
            graph.add_edge(Edge::new(i, numbers.below(i)));
        }
    }
    graph
}

/// An automaton: four edges from each state, with labels.
fn automaton(states: usize) -> Graph {
    let mut numbers = Numbers(1);
    let mut graph = Graph::new("an automaton");
    for i in 0..states {
        graph.add_node(Node::new(Shape::Rounded, 28.0, 28.0).with_label(i.to_string()));
    }
    for i in 0..states {
        for _ in 0..4 {
            let mut edge = Edge::new(i, numbers.below(states));
            edge.label = vec![Line {
                text: "a & !b & c".to_owned(),
                marks: vec![0],
            }];
            graph.add_edge(edge);
        }
    }
    graph
}

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    for nodes in [25, 150, 500, 3_000] {
        let graph = net(nodes);
        criterion.bench_function(&format!("stress {nodes}"), |b| {
            b.iter(|| stress(black_box(&graph)).expect("small enough"));
        });
    }
    for states in [5, 20, 60] {
        let graph = automaton(states);
        criterion.bench_function(&format!("layered {states}"), |b| {
            b.iter(|| layered(black_box(&graph)).expect("small enough"));
        });
    }
    criterion.final_summary();
}
