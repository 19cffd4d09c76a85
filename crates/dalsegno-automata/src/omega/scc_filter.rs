//! Filtering by strongly connected components: useless states go, and the acceptance condition becomes simpler.
//!
//! States that reach no accepting cycle go; the marks of edges outside accepting components go; in
//! each accepting component the acceptance sets that say nothing there (every edge is in them, or
//! they contain another set) go, and the others are renumbered per component, so the automaton has as
//! many sets as its neediest component. Linear, but for the square of the number of sets.
//! An automaton for which the effort does not suffice stays as it is.

use dalsegno_kripke::Stop;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::body::Body;
use crate::omega::edge::Marks;
use crate::omega::scc::Components;
use crate::omega::state_id::StateId;

/// The components of the states that initial states reach, with what is known of them.
#[derive(Clone, Debug)]
pub(crate) struct SccInfo {
    /// The components.
    pub components: Components,
    /// Whether a component has a cycle with all marks.
    pub accepting: Vec<bool>,
    /// Whether a component has a cycle.
    pub cyclic: Vec<bool>,
}

impl SccInfo {
    /// Analyses an automaton.
    #[must_use]
    pub fn new(automaton: &Automaton) -> Self {
        let components = Components::new(
            automaton.len(),
            automaton.initial.iter().copied(),
            |q, i| automaton.edges[q.index()].get(i).map(|e| e.target),
        );
        let mut marks = vec![Marks::NONE; components.count];
        let mut cyclic = vec![false; components.count];
        for (q, edges) in StateId::all().zip(&automaton.edges) {
            let scc = components.of[q.index()];
            if scc == u32::MAX {
                continue;
            }
            for e in edges.iter().filter(|e| components.same(q, e.target)) {
                marks[scc as usize] = marks[scc as usize].union(e.marks);
                cyclic[scc as usize] = true;
            }
        }
        let all = automaton.all_marks();
        let accepting = marks
            .iter()
            .zip(&cyclic)
            .map(|(m, &cyclic)| cyclic && m.contains(all))
            .collect();
        SccInfo {
            components,
            accepting,
            cyclic,
        }
    }

    /// Whether an edge lies inside an accepting component.
    #[must_use]
    pub fn is_inside(&self, source: StateId, target: StateId) -> bool {
        self.components.same(source, target)
            && self.accepting[self.components.of[source.index()] as usize]
    }

    fn has_rejecting_cycle(&self, useful: &[bool]) -> bool {
        useful
            .iter()
            .zip(&self.components.of)
            .any(|(&useful, &scc)| {
                useful && self.cyclic[scc as usize] && !self.accepting[scc as usize]
            })
    }

    /// For each state, whether a word is accepted from it; false for unreachable states.
    #[must_use]
    pub fn useful(&self, automaton: &Automaton) -> Vec<bool> {
        let mut component = self.accepting.clone();
        for q in self.components.bottom_up() {
            let scc = self.components.of[q] as usize;
            component[scc] |= automaton.edges[q]
                .iter()
                .any(|e| component[self.components.of[e.target.index()] as usize]);
        }
        (0..automaton.len())
            .map(|q| {
                let scc = self.components.of[q];
                scc != u32::MAX && component[scc as usize]
            })
            .collect()
    }
}

/// A TGBA with the same language and labels, of the states that accept something, with as few acceptance sets as possible.
///
/// At least one state is left, an initial one, even if the language is empty.
#[must_use]
pub(crate) fn scc_filter(automaton: Automaton, effort: &Effort<'_>) -> Automaton {
    automaton.improve(effort, filtered)
}

fn filtered(automaton: &mut Automaton) -> Result<Body, Stop> {
    let info = SccInfo::new(automaton);
    let useful = info.useful(automaton);
    let cells = info.components.count as u64 * u64::from(automaton.acceptance_sets);
    automaton.guards.spend(cells)?;
    let renumbering = renumber(automaton, &info);
    // A rejecting cycle needs a set to be outside of.
    let floor = u32::from(info.has_rejecting_cycle(&useful));
    let sets = renumbering.iter().map(|r| r.sets).max().unwrap_or(0);
    let sets = sets.max(floor);
    let all = Marks::all(sets);
    automaton.rebuilt(
        Body::new(sets),
        |q| useful[q.index()],
        |q, e| {
            if info.is_inside(q, e.target) {
                renumbering[info.components.of[q.index()] as usize].apply(e.marks, all)
            } else {
                Marks::NONE
            }
        },
    )
}

/// As [`scc_filter`]; of a Büchi automaton with acceptance on states only states go, so that it stays one.
pub(crate) fn filter_components(automaton: Automaton, effort: &Effort<'_>) -> Automaton {
    if automaton.state_based {
        trim(automaton, effort)
    } else {
        scc_filter(automaton, effort)
    }
}

/// Drops the states that accept nothing, and leaves marks alone.
#[must_use]
pub(crate) fn trim(automaton: Automaton, effort: &Effort<'_>) -> Automaton {
    let useful = SccInfo::new(&automaton).useful(&automaton);
    if useful.iter().all(|&u| u) {
        return automaton;
    }
    automaton.improve(effort, |a| {
        a.rebuilt(Body::like(a), |q| useful[q.index()], |_, e| e.marks)
    })
}

/// How the acceptance sets of one component become fewer: the sets kept, in their new order.
struct Renumbering {
    kept: Vec<u32>,
    sets: u32,
}

impl Renumbering {
    fn apply(&self, marks: Marks, all: Marks) -> Marks {
        // Sets that this component does not need are on all of its edges.
        let mut result = Marks(all.0 & !Marks::all(self.sets).0);
        for (new, &old) in (0..).zip(&self.kept) {
            if marks.has(old) {
                result.0 |= 1 << new;
            }
        }
        result
    }
}

fn renumber(automaton: &Automaton, info: &SccInfo) -> Vec<Renumbering> {
    let n = automaton.acceptance_sets as usize;
    // Per component: sets that miss an edge, and for each set the sets that lie on all its edges.
    let mut missed = vec![Marks::NONE; info.components.count];
    let mut with = vec![automaton.all_marks(); info.components.count * n];
    for (q, edges) in StateId::all().zip(&automaton.edges) {
        for e in edges {
            if info.components.of[q.index()] == u32::MAX || !info.is_inside(q, e.target) {
                continue;
            }
            let scc = info.components.of[q.index()] as usize;
            missed[scc].0 |= automaton.all_marks().0 & !e.marks.0;
            for i in e.marks.iter() {
                let slot = &mut with[scc * n + i as usize];
                *slot = slot.intersection(e.marks);
            }
        }
    }
    (0..info.components.count)
        .map(|scc| {
            let mut kept: Vec<u32> = Vec::new();
            if info.accepting[scc] {
                for i in missed[scc].iter() {
                    // i is implied by another set j whose every edge is also in i; of two equal sets
                    // the first stays.
                    let implied = missed[scc].iter().any(|j| {
                        j != i
                            && with[scc * n + j as usize].has(i)
                            && (j < i || !with[scc * n + i as usize].has(j))
                    });
                    if !implied {
                        kept.push(i);
                    }
                }
            }
            let sets = kept.len() as u32;
            Renumbering { kept, sets }
        })
        .collect()
}
