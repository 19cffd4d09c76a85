//! Sloan's order: a small wavefront.
//!
//! Sloan (1989), on the bipartite graph of variables and edges, which Meijer and van de Pol (2016)
//! found to be the best of the bandwidth and wavefront methods for decision diagrams. From one end
//! of a pseudo-diameter to the other, the next vertex is the one of highest priority among those
//! near the numbered part: far from the other end, and enlarging the front by little.
//!
//! Each vertex becomes near and active once, and touches its neighbours then, so there are as many
//! changes of priorities as pins, and each costs a logarithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dalsegno_kripke::Stop;

use super::bandwidth::{Bipartite, Search};
use super::hypergraph::Hypergraph;
use super::ticker::Ticker;

/// What a unit of distance counts in a priority.
const DISTANCE: i64 = 1;
/// What a vertex more in the front counts. Sloan proposes 2 to 1 for meshes, whose degrees are small.
const FRONT: i64 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Inactive,
    /// Next to the front.
    Near,
    /// In the front.
    Active,
    Numbered,
}

struct Sloan<'a> {
    graph: Bipartite<'a>,
    status: Vec<Status>,
    priority: Vec<i64>,
    /// Entries with an old priority are skipped.
    heap: BinaryHeap<(i64, Reverse<u32>)>,
    list: Vec<u32>,
}

/// A list of all variables with a small wavefront.
pub(super) fn order(graph: &Hypergraph, ticker: &mut Ticker<'_>) -> Result<Vec<u32>, Stop> {
    let bipartite = Bipartite(graph);
    let mut search = Search::new(&bipartite);
    let vertices = bipartite.len();
    let mut sloan = Sloan {
        graph: bipartite,
        status: vec![Status::Inactive; vertices],
        priority: vec![0; vertices],
        heap: BinaryHeap::new(),
        list: Vec::with_capacity(graph.variables()),
    };
    for start in 0..graph.variables() as u32 {
        if sloan.status[start as usize] == Status::Inactive {
            let (first, last) = search.ends(&sloan.graph, start, ticker)?;
            // The last search began at `first`, so that is the end to move away to.
            for &v in &search.found {
                let degree = i64::from(sloan.graph.degree(v) as u32);
                let distance = i64::from(search.distance[v as usize]);
                sloan.priority[v as usize] = DISTANCE * distance - FRONT * (degree + 1);
            }
            sloan.number_from(last, ticker)?;
            debug_assert!(sloan.status[first as usize] == Status::Numbered);
        }
    }
    Ok(sloan.list)
}

impl Sloan<'_> {
    fn number_from(&mut self, start: u32, ticker: &mut Ticker<'_>) -> Result<(), Stop> {
        self.heap.clear();
        self.status[start as usize] = Status::Near;
        self.push(start);
        while let Some((priority, Reverse(v))) = self.heap.pop() {
            let status = self.status[v as usize];
            if status == Status::Numbered || priority != self.priority[v as usize] {
                continue;
            }
            ticker.tick(self.graph.degree(v))?;
            if status == Status::Near {
                for u in self.graph.neighbours(v) {
                    self.raise(u);
                }
            }
            self.status[v as usize] = Status::Numbered;
            if v < self.graph.variables() {
                self.list.push(v);
            }
            for u in self.graph.neighbours(v) {
                if self.status[u as usize] == Status::Near {
                    self.activate(u, ticker)?;
                }
            }
        }
        Ok(())
    }

    /// A neighbour of `u` entered the front: `u` needs one place less in it.
    fn raise(&mut self, u: u32) {
        let status = &mut self.status[u as usize];
        match status {
            Status::Numbered => return,
            Status::Inactive => *status = Status::Near,
            Status::Near | Status::Active => {}
        }
        self.priority[u as usize] += FRONT;
        self.push(u);
    }

    fn activate(&mut self, u: u32, ticker: &mut Ticker<'_>) -> Result<(), Stop> {
        ticker.tick(self.graph.degree(u))?;
        self.status[u as usize] = Status::Active;
        self.priority[u as usize] += FRONT;
        self.push(u);
        for w in self.graph.neighbours(u) {
            self.raise(w);
        }
        Ok(())
    }

    fn push(&mut self, v: u32) {
        self.heap.push((self.priority[v as usize], Reverse(v)));
    }
}
