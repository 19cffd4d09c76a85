//! Cuthill-McKee: an order of small bandwidth, by breadth.
//!
//! Cuthill and `McKee` (1969), with the starting vertex of George and Liu (1979), on the bipartite
//! graph of variables and edges as Meijer and van de Pol (2016) propose for dependency matrices:
//! no edge is expanded into a clique, and a group's variables follow each other. Neighbours are
//! visited by ascending degree. Upside down or not makes no difference to spans, so it is not
//! reversed here.
//!
//! Cost: the number of pins, times a logarithm for the sorting.

use dalsegno_kripke::Stop;

use super::hypergraph::Hypergraph;
use super::ticker::Ticker;

/// A bipartite graph: variables first, then edges.
pub(super) struct Bipartite<'a>(pub(super) &'a Hypergraph);

impl<'a> Bipartite<'a> {
    /// The number of vertices.
    pub(super) fn len(&self) -> usize {
        self.0.variables() + self.0.edges().len()
    }

    /// The number of variables; vertices from there on are edges.
    pub(super) fn variables(&self) -> u32 {
        self.0.variables() as u32
    }

    pub(super) fn degree(&self, v: u32) -> usize {
        self.raw(v).0.len()
    }

    pub(super) fn neighbours(&self, v: u32) -> impl Iterator<Item = u32> + use<'a> {
        let (list, offset) = self.raw(v);
        list.iter().map(move |&u| u + offset)
    }

    fn raw(&self, v: u32) -> (&'a [u32], u32) {
        let variables = self.variables();
        match v.checked_sub(variables) {
            None => (self.0.users().get(v as usize), variables),
            Some(edge) => (self.0.edges().get(edge as usize), 0),
        }
    }
}

/// Breadth-first searches that share their memory.
pub(super) struct Search {
    /// The vertices found, in the order of their distance.
    pub(super) found: Vec<u32>,
    /// Distances from the start of the last search that came by.
    pub(super) distance: Vec<u32>,
    mark: Vec<u32>,
    searches: u32,
}

impl Search {
    pub(super) fn new(graph: &Bipartite<'_>) -> Self {
        Search {
            found: Vec::new(),
            distance: vec![0; graph.len()],
            mark: vec![0; graph.len()],
            searches: 0,
        }
    }

    /// Finds what `start` is connected with.
    pub(super) fn run(
        &mut self,
        graph: &Bipartite<'_>,
        start: u32,
        ticker: &mut Ticker<'_>,
    ) -> Result<(), Stop> {
        self.searches += 1;
        self.found.clear();
        self.found.push(start);
        self.mark[start as usize] = self.searches;
        self.distance[start as usize] = 0;
        let mut next = 0;
        while let Some(&v) = self.found.get(next) {
            next += 1;
            ticker.tick(graph.degree(v))?;
            for u in graph.neighbours(v) {
                if self.mark[u as usize] != self.searches {
                    self.mark[u as usize] = self.searches;
                    self.distance[u as usize] = self.distance[v as usize] + 1;
                    self.found.push(u);
                }
            }
        }
        Ok(())
    }

    /// A variable of small degree as far from `start` as possible, and a start for which that is
    /// far: two ends of a pseudo-diameter. The last search was one from the first of them.
    pub(super) fn ends(
        &mut self,
        graph: &Bipartite<'_>,
        start: u32,
        ticker: &mut Ticker<'_>,
    ) -> Result<(u32, u32), Stop> {
        self.run(graph, start, ticker)?;
        let (mut last, mut depth) = self.far_end(graph);
        let mut first = start;
        // Depth grows in each round but the last; few rounds are ever needed.
        for _ in 0..8 {
            self.run(graph, last, ticker)?;
            let (candidate, candidate_depth) = self.far_end(graph);
            (first, last) = (last, candidate);
            if candidate_depth <= depth {
                break;
            }
            depth = candidate_depth;
        }
        Ok((first, last))
    }

    /// The variable of smallest degree among the farthest ones.
    fn far_end(&self, graph: &Bipartite<'_>) -> (u32, u32) {
        let variables = self.found.iter().filter(|&&v| v < graph.variables());
        let depth = variables
            .clone()
            .map(|&v| self.distance[v as usize])
            .max()
            .unwrap_or(0);
        let farthest = variables.filter(|&&v| self.distance[v as usize] == depth);
        let end = farthest.min_by_key(|&&v| (graph.degree(v), v));
        (end.copied().unwrap_or(self.found[0]), depth)
    }
}

/// A list of all variables of small bandwidth.
pub(super) fn cuthill_mckee(graph: &Hypergraph, ticker: &mut Ticker<'_>) -> Result<Vec<u32>, Stop> {
    let graph = Bipartite(graph);
    let mut search = Search::new(&graph);
    let mut seen = vec![false; graph.len()];
    let mut list = Vec::with_capacity(graph.variables() as usize);
    let mut queue: Vec<u32> = Vec::new();
    for start in 0..graph.variables() {
        if seen[start as usize] {
            continue;
        }
        let (first, _) = search.ends(&graph, start, ticker)?;
        queue.clear();
        queue.push(first);
        seen[first as usize] = true;
        let mut next = 0;
        while let Some(&v) = queue.get(next) {
            next += 1;
            ticker.tick(graph.degree(v))?;
            if v < graph.variables() {
                list.push(v);
            }
            let fresh = queue.len();
            for u in graph.neighbours(v) {
                if !std::mem::replace(&mut seen[u as usize], true) {
                    queue.push(u);
                }
            }
            queue[fresh..].sort_by_key(|&u| graph.degree(u));
        }
    }
    Ok(list)
}
