//! Layouts of random graphs: nothing covers anything, whatever the graph; small pictures to the letter; and graphs that are too
//! large.

use dalsegno_draw::{
    Arrow, Border, Edge, Error, Graph, Label, Layout, Line, MOST_EDGES, MOST_NODES, Node, Path,
    Point, Rect, Shape, layered, placed, stress, svg,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// Boxes that touch within this do not overlap.
const TOUCH: f64 = 0.01;

/// A graph as a net has it: circles and bars with names beside them.
fn net(nodes: usize, arcs: &[(usize, usize, u32)], names: &[String]) -> Graph {
    let mut graph = Graph::new("a net");
    for (i, name) in names.iter().cycle().take(nodes).enumerate() {
        let node = if i % 2 == 0 {
            Node::new(Shape::Circle, 30.0, 30.0)
        } else {
            Node::new(Shape::Bar, 10.0, 30.0)
        };
        graph.add_node(node.with_label_beside(format!("{name}{i}")));
    }
    for &(a, b, weight) in arcs {
        let mut edge = Edge::new(a % nodes, b % nodes);
        if weight > 3 {
            edge.weight = weight.to_string();
        }
        graph.add_edge(edge);
    }
    graph
}

/// A graph as an automaton has it: names inside, labels of several lines, loops.
fn automaton(nodes: usize, arcs: &[(usize, usize, u32)], names: &[String]) -> Graph {
    let mut graph = Graph::new("an automaton");
    for i in 0..nodes {
        graph.add_node(Node::new(Shape::Rounded, 28.0, 28.0).with_label(i.to_string()));
    }
    for (k, &(a, b, lines)) in arcs.iter().enumerate() {
        let mut edge = Edge::new(a % nodes, b % nodes);
        edge.label = (0..lines)
            .map(|line| Line {
                text: names[k % names.len()].clone(),
                marks: (0..line % 3).collect(),
            })
            .collect();
        graph.add_edge(edge);
    }
    graph
}

/// The boxes of visible nodes, of labels beside them, and of texts of edges.
fn boxes(graph: &Graph, layout: &Layout) -> Vec<(String, Rect)> {
    let mut all = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        if node.shape != Shape::Hidden {
            all.push((format!("node {i}"), layout.node_box(graph, i)));
        }
        if let Some(label) = layout.labels[i] {
            all.push((format!("label {i}"), label));
        }
    }
    all
}

fn assert_apart(boxes: &[(String, Rect)]) {
    for (i, (name, rect)) in boxes.iter().enumerate() {
        let corners = [rect.min.x, rect.min.y, rect.max.x, rect.max.y];
        assert!(corners.iter().all(|c| c.is_finite()), "{name}: {rect:?}");
        for (other, second) in &boxes[..i] {
            let covers = rect.grown(-TOUCH).overlaps(second);
            assert!(!covers, "{name} {rect:?} and {other} {second:?}");
        }
    }
}

/// No line runs through a node, other than at its ends.
fn assert_clear(graph: &Graph, layout: &Layout) {
    for (edge, path) in graph.edges.iter().zip(&layout.paths) {
        let line = Path::points(path);
        for i in (0..graph.nodes.len()).filter(|&i| i != edge.from && i != edge.to) {
            let rect = layout.node_box(graph, i).grown(-TOUCH);
            let met = line.windows(2).any(|w| rect.meets(w[0], w[1]));
            assert!(!met, "the line {} to {} and node {i}", edge.from, edge.to);
        }
    }
}

type Given = (usize, Vec<(usize, usize, u32)>, Vec<String>);

fn given(most: usize) -> impl Strategy<Value = Given> {
    let arcs = vec((0..1000_usize, 0..1000_usize, 0..6_u32), 0..2 * most);
    let names = vec("[a-zA-Z_]{0,12}|[äß並行 ]{1,30}", 1..6);
    (1..most, arcs, names)
}

/// Tries `cases` graphs, the same on every run.
fn for_graphs(cases: u32, most: usize, check: impl Fn(&Given)) {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let done = TestRunner::new_with_rng(config, rng).run(&given(most), |given| {
        check(&given);
        Ok(())
    });
    done.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn nodes_and_labels_of_nets_never_overlap() {
    for_graphs(200, 60, |(nodes, arcs, names)| {
        let graph = net(*nodes, arcs, names);
        let layout = stress(&graph).expect("small");
        assert_apart(&boxes(&graph, &layout));
        assert_eq!(svg(&graph, &layout), svg(&graph, &stress(&graph).unwrap()));
    });
}

#[test]
fn nodes_labels_and_lines_of_automata_never_overlap() {
    for_graphs(200, 30, |(nodes, arcs, names)| {
        let graph = automaton(*nodes, arcs, names);
        let layout = layered(&graph).expect("small");
        let mut all = boxes(&graph, &layout);
        for (k, label) in layout.edge_labels.iter().enumerate() {
            all.extend(label.map(|rect| (format!("text {k}"), rect)));
        }
        assert_apart(&all);
        assert_clear(&graph, &layout);
    });
}

#[test]
fn fixed_nodes_stay_and_others_find_room() {
    for_graphs(100, 40, |(nodes, arcs, names)| {
        let mut graph = net(*nodes, arcs, names);
        for (i, node) in (0_u32..).zip(&mut graph.nodes).step_by(2) {
            let (column, row) = (f64::from(i % 7), f64::from(i / 7));
            node.fixed = Some(Point::new(column, row) * 150.0);
        }
        let layout = placed(&graph).expect("small");
        for (node, at) in graph.nodes.iter().zip(&layout.nodes) {
            assert!(node.fixed.is_none_or(|fixed| fixed == *at));
        }
        let nodes = (0..graph.nodes.len()).map(|i| (i.to_string(), layout.node_box(&graph, i)));
        assert_apart(&nodes.collect::<Vec<_>>());
    });
}

#[test]
fn large_graphs_are_refused_at_once() {
    let mut graph = Graph::new("");
    for _ in 0..50_000 {
        graph.add_node(Node::new(Shape::Circle, 10.0, 10.0));
    }
    let refused = Error::TooLarge {
        nodes: 50_000,
        limit: MOST_NODES,
    };
    for layout in [stress, layered, placed] {
        assert_eq!(layout(&graph), Err(refused));
    }
    graph.nodes.truncate(2);
    for _ in 0..=MOST_EDGES {
        graph.add_edge(Edge::new(0, 1));
    }
    assert!(matches!(stress(&graph), Err(Error::TooDense { .. })));
}

/// Graphs that are hard for one step or another; with `DALSEGNO_NODES`, larger ones.
#[test]
fn no_shape_of_a_graph_hangs_the_layout() {
    let nodes = std::env::var("DALSEGNO_NODES").ok();
    let nodes = nodes.and_then(|n| n.parse().ok()).unwrap_or(800);
    let star = |n: usize| (1..n).map(|i| (0, i, 1)).collect::<Vec<_>>();
    let path = |n: usize| (1..n).map(|i| (i - 1, i, 1)).collect::<Vec<_>>();
    let names = ["p".to_owned()];
    for arcs in [star(nodes), path(nodes), Vec::new()] {
        let mut graph = net(nodes, &arcs, &names);
        assert!(stress(&graph).is_ok());
        assert!(layered(&graph).is_ok());
        // All others want to be near the one that has a place.
        graph.nodes[0].fixed = Some(Point::new(5.0, 5.0));
        assert!(placed(&graph).is_ok());
    }
}

#[test]
fn small_pictures_are_the_same_on_every_machine() {
    let arcs: Vec<_> = (0..6).map(|i| (i, (i + 1) % 6, i as u32)).collect();
    let mut ring = net(6, &arcs, &["p".to_owned()]);
    ring.nodes[0].tokens = Some("••".to_owned());
    ring.nodes[1].title = "fire & forget".to_owned();
    ring.edges[2].arrow = Arrow::Inhibitor;
    ring.edges[3].arrow = Arrow::Test;
    let layout = stress(&ring).expect("small");
    insta::assert_snapshot!("ring", svg(&ring, &layout));

    let arcs = [(0, 1, 1), (1, 2, 2), (2, 0, 1), (1, 1, 1), (0, 2, 3)];
    let mut states = automaton(3, &arcs, &["a & !b".to_owned()]);
    states.nodes[1].border = Border::Double;
    states.nodes[2].border = Border::DashedTriple;
    let initial = states.add_node(Node::new(Shape::Hidden, 0.0, 0.0));
    states.add_edge(Edge::new(initial, 0));
    assert!(states.nodes.iter().all(|n| n.label_place == Label::Inside));
    let layout = layered(&states).expect("small");
    insta::assert_snapshot!("automaton", svg(&states, &layout));
}
