//! Pictures of place/transition nets.

use dalsegno_draw::{
    Arrow, Edge, Error, Graph, Layout, MOST_NODES, Node, Point, Shape, layered, placed, stress,
};
use dalsegno_models::petri::{
    ArcRole, PetriNet, Place, PlaceId, Position, Transition, TransitionId,
};

use super::slice::{Slice, touched};
use super::{Picture, PictureError, positions};

/// The diameter of a place.
const PLACE: f64 = 34.0;
/// The width and height of a transition.
const TRANSITION: (f64, f64) = (12.0, 30.0);
/// A net is drawn in layers if at most so many of ten nodes are on cycles.
const CYCLIC_TENTHS: usize = 3;

/// How nodes get their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrangement {
    /// Positions of the file if they can be used; layers if the net flows; by distances otherwise.
    #[default]
    Auto,
    /// Distances in the picture are like those in the net.
    Stress,
    /// In layers, from left to right.
    Layered,
    /// Positions of the file.
    File,
}

dalsegno_kripke::choices!(
    Arrangement, "arrangement", Auto => "auto", Stress => "stress", Layered => "layered", File => "file"
);

/// What is drawn of a net, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NetPicture<'a> {
    /// The tokens of each place; the initial ones if none are given.
    pub marking: Option<&'a [u32]>,
    /// The part to be drawn; all if none is given.
    pub slice: Option<Slice>,
    /// How nodes get their places.
    pub arrangement: Arrangement,
}

/// How so many tokens are shown in a place: dots up to three, up to four digits then; more are rounded down to thousands,
/// millions or milliards. Nothing for none.
///
/// # Examples
/// ```
/// use dalsegno::picture::tokens_text;
///
/// assert_eq!([0, 2, 4, 9_999, 12_345_678].map(tokens_text), ["", "••", "4", "9999", "12M"]);
/// ```
#[must_use]
pub fn tokens_text(tokens: u32) -> String {
    match tokens {
        0..=3 => "•".repeat(tokens as usize),
        4..=9_999 => tokens.to_string(),
        10_000..=999_999 => format!("{}k", tokens / 1_000),
        1_000_000..=999_999_999 => format!("{}M", tokens / 1_000_000),
        _ => format!("{}G", tokens / 1_000_000_000),
    }
}

/// A picture of a net.
///
/// # Errors
/// If there is too much to draw, or the marking or the slice is not one of this net.
///
/// # Examples
/// ```
/// use dalsegno::models::petri::generators::Family;
/// use dalsegno::picture::{NetPicture, net};
///
/// let phils = "philosophers".parse::<Family>()?.generate(5)?;
/// let picture = net(&phils, &NetPicture::default())?;
/// assert_eq!((picture.places.len(), picture.transitions.len()), (25, 25));
/// assert!(picture.svg.contains("<g class=\"place\" data-place=\"24\">"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn net(net: &PetriNet, picture: &NetPicture<'_>) -> Result<Picture, PictureError> {
    let initial;
    let marking = if let Some(marking) = picture.marking {
        marking
    } else {
        initial = net.initial_marking();
        &initial
    };
    if marking.len() != net.places().len() {
        let (found, places) = (marking.len(), net.places().len());
        return Err(PictureError::Marking { found, places });
    }
    let whole;
    let slice = if let Some(slice) = &picture.slice {
        slice
    } else {
        whole = Slice::whole(net);
        &whole
    };
    slice.check(net)?;
    // Before anything is looked at that grows faster than the net.
    if slice.len() > MOST_NODES {
        let (nodes, limit) = (slice.len(), MOST_NODES);
        return Err(Error::TooLarge { nodes, limit }.into());
    }
    let mut graph = graph(net, marking, slice);
    let layout = arrange(&mut graph, picture.arrangement)?;
    Ok(Picture {
        places: slice.places.iter().copied().collect(),
        transitions: slice.transitions.iter().copied().collect(),
        ..Picture::new(&graph, &layout)
    })
}

/// Gives the nodes their places.
pub(super) fn arrange(graph: &mut Graph, wish: Arrangement) -> Result<Layout, PictureError> {
    let of_file = positions::scale(graph);
    if let (Arrangement::Auto | Arrangement::File, Ok(scale)) = (wish, of_file) {
        positions::apply(graph, scale);
        return Ok(placed(graph)?);
    }
    if let (Arrangement::File, Err(why)) = (wish, of_file) {
        return Err(PictureError::Positions(why));
    }
    positions::forget(graph);
    Ok(match wish {
        Arrangement::Auto if flows(graph) => layered(graph)?,
        Arrangement::Auto | Arrangement::Stress | Arrangement::File => stress(graph)?,
        Arrangement::Layered => layered(graph)?,
    })
}

/// The net as a graph; places come first.
fn graph(net: &PetriNet, marking: &[u32], slice: &Slice) -> Graph {
    let mut graph = Graph::new(format!("Petri net {}", net.name()));
    graph.class = "net".into();
    graph.description = describe(net, slice);
    let mut hidden = vec![0_usize; net.places().len()];
    for (i, t) in net.transitions().iter().enumerate() {
        if !slice.transitions.contains(&TransitionId(i as u32)) {
            for p in touched(t) {
                hidden[p.index()] += 1;
            }
        }
    }
    let mut number = vec![usize::MAX; net.places().len()];
    for &p in &slice.places {
        let place = &net.places()[p.index()];
        let mut node = place_node(place, p, marking[p.index()], hidden[p.index()]);
        node.fixed = net.graphics().and_then(|g| g.place(p)).map(point);
        number[p.index()] = graph.add_node(node);
    }
    for &id in &slice.transitions {
        let t = &net.transitions()[id.index()];
        let shown = |p: PlaceId| number[p.index()] != usize::MAX;
        let outside = touched(t).filter(|&p| !shown(p)).count();
        let mut node = transition_node(t, id, outside);
        node.fixed = net.graphics().and_then(|g| g.transition(id)).map(point);
        let node = graph.add_node(node);
        for (list, role) in [
            (&t.pre, ArcRole::Take),
            (&t.test, ArcRole::Test),
            (&t.inhibit, ArcRole::Inhibit),
            (&t.post, ArcRole::Put),
        ] {
            for &(p, weight) in list.iter().filter(|&&(p, _)| shown(p)) {
                let place = number[p.index()];
                let mut edge = arc((place, p), (node, id), role);
                if weight != 1 {
                    edge.weight = weight.to_string();
                }
                if let Some(graphics) = net.graphics() {
                    let bends = graphics.bends(id, p, role).iter();
                    edge.bends = bends.map(|&at| point(at)).collect();
                }
                graph.add_edge(edge);
            }
        }
    }
    graph
}

fn point(at: Position) -> Point {
    Point::new(at.x(), at.y())
}

/// The edge of an arc between a place and a transition, each given as a node of the graph and of the net.
pub(super) fn arc(
    (place, p): (usize, PlaceId),
    (transition, t): (usize, TransitionId),
    role: ArcRole,
) -> Edge {
    let (from, to, direction) = match role {
        ArcRole::Put => (transition, place, "out"),
        _ => (place, transition, "in"),
    };
    let mut edge = Edge::new(from, to);
    let (arrow, class) = match role {
        ArcRole::Take | ArcRole::Put => (Arrow::Normal, "arc"),
        ArcRole::Test => (Arrow::Test, "arc test"),
        ArcRole::Inhibit => (Arrow::Inhibitor, "arc inhibitor"),
    };
    edge.arrow = arrow;
    class.clone_into(&mut edge.class);
    edge.data = vec![
        ("place", p.0.to_string()),
        ("transition", t.0.to_string()),
        ("direction", direction.to_owned()),
    ];
    edge
}

fn describe(net: &PetriNet, slice: &Slice) -> String {
    let (places, transitions) = (net.places().len(), net.transitions().len());
    if slice.len() == places + transitions {
        return format!("{places} places and {transitions} transitions");
    }
    format!(
        "{} of {places} places and {} of {transitions} transitions",
        slice.places.len(),
        slice.transitions.len()
    )
}

/// A name with its identifier, and what is not shown.
fn title(id: &str, name: &str, hidden: usize) -> String {
    let mut title = if id == name {
        id.to_owned()
    } else {
        format!("{name} ({id})")
    };
    match hidden {
        0 => {}
        1 => title.push_str("; 1 arc is not shown"),
        n => title = format!("{title}; {n} arcs are not shown"),
    }
    title
}

fn place_node(place: &Place, id: PlaceId, tokens: u32, hidden: usize) -> Node {
    let mut node = Node::new(Shape::Circle, PLACE, PLACE).with_label_beside(&place.name);
    node.tokens = Some(tokens_text(tokens));
    node.title = title(&place.id, &place.name, hidden);
    node.class = if hidden > 0 { "place more" } else { "place" }.into();
    node.data = vec![("place", id.0.to_string())];
    node
}

fn transition_node(t: &Transition, id: TransitionId, hidden: usize) -> Node {
    let (width, height) = TRANSITION;
    let mut node = Node::new(Shape::Bar, width, height).with_label_beside(&t.name);
    node.title = title(&t.id, &t.name, hidden);
    node.class = if hidden > 0 {
        "transition more"
    } else {
        "transition"
    }
    .into();
    node.data = vec![("transition", id.0.to_string())];
    node
}

/// Whether few nodes are on cycles, so that layers show where tokens go.
fn flows(graph: &Graph) -> bool {
    let n = graph.nodes.len();
    let mut waits = vec![0_usize; n];
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); n];
    for edge in &graph.edges {
        waits[edge.to] += 1;
        outgoing[edge.from].push(edge.to);
    }
    // What is left when sources are taken away again and again is on a cycle or behind one.
    let forward = peel(&outgoing, waits);
    let mut waits = vec![0_usize; n];
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); n];
    for edge in &graph.edges {
        waits[edge.from] += 1;
        incoming[edge.to].push(edge.from);
    }
    let backward = peel(&incoming, waits);
    let cyclic = (0..n).filter(|&i| !forward[i] && !backward[i]).count();
    !graph.edges.is_empty() && cyclic * 10 <= n * CYCLIC_TENTHS
}

fn peel(next: &[Vec<usize>], mut waits: Vec<usize>) -> Vec<bool> {
    let mut peeled = vec![false; next.len()];
    let mut open: Vec<usize> = (0..next.len()).filter(|&i| waits[i] == 0).collect();
    while let Some(node) = open.pop() {
        peeled[node] = true;
        for &other in &next[node] {
            waits[other] -= 1;
            if waits[other] == 0 {
                open.push(other);
            }
        }
    }
    peeled
}
