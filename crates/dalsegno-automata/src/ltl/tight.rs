//! Tight automata: an ultimately periodic word that is accepted has an accepting run of the same shape, with a stem
//! as long as that of the word and a cycle as long as its cycle.
//!
//! Schuppan and Biere, "Shortest Counterexamples for Symbolic Model Checking of LTL with Past", TACAS 2005: the
//! tableau of Kesten, Pnueli and Raviv, whose states fix the truth of every subformula, is tight for LTL without
//! past. The truth of a subformula depends on the rest of the word alone, so on a lasso it repeats with the cycle; the
//! truth values along the word are the run. A shortest accepting lasso of a product with a tight automaton is
//! therefore a shortest one of the model. Automata that are reduced for size are not tight.
//!
//! A state is the truth of the temporal subformulas, and of operands of `X`, at one position. It follows from the
//! letter there and from the state after it, so all edges are found by going through pairs of these. Acceptance: an
//! eventuality that is true is fulfilled again and again, one that is false needs nothing.
//!
//! Cost: 2^(subformulas + propositions) evaluations of the formula.

use dalsegno_kripke::{Budget, Letter, Stop};
use dalsegno_logic::{FormulaId, FormulaStore, Node, PropId};
use rustc_hash::FxHashMap;

use crate::effort::Effort;
use crate::omega::automaton::Automaton;
use crate::omega::edge::{MAX_ACCEPTANCE_SETS, Marks};
use crate::omega::scc_filter::scc_filter;
use crate::omega::state_id::StateId;

/// The most bits of a state and a letter together: so many pairs are evaluated.
const MAX_BITS: usize = 16;

/// A tight automaton of an LTL formula over these propositions; none if there are too many temporal subformulas.
///
/// # Errors
/// When the budget runs out.
///
/// # Panics
/// If the formula has a path quantifier, or an atom that is not among the propositions.
pub(crate) fn tight(
    store: &FormulaStore,
    f: FormulaId,
    propositions: &[PropId],
    budget: &Budget,
) -> Result<Option<Automaton>, Stop> {
    let closure = Closure::new(store, f, propositions);
    let (bits, letters) = (closure.carried.len(), propositions.len());
    if bits + letters > MAX_BITS || closure.eventualities > MAX_ACCEPTANCE_SETS {
        return Ok(None);
    }
    let names = propositions.iter().map(|&p| store.name(p).to_owned());
    let mut automaton = Automaton::new(names.collect(), closure.eventualities);
    for _ in 0..1u32 << bits {
        automaton.add_state(None);
    }
    let own = closure.carried_bit(f);
    automaton.initial = StateId::first(1 << bits)
        .filter(|q| q.index() >> own & 1 == 1)
        .collect();
    let effort = Effort::unlimited(budget);
    automaton.guards.begin(&effort);
    let mut values = vec![false; closure.nodes.len()];
    for after in StateId::first(1 << bits) {
        // Letters that lead from one state to another with the same marks are one edge.
        let mut edges: FxHashMap<(StateId, Marks), Vec<u64>> = FxHashMap::default();
        for letter in 0..1u64 << letters {
            let (before, marks) = closure.evaluate(letter, after, &mut values);
            edges.entry((before, marks)).or_default().push(letter);
        }
        let mut edges: Vec<_> = edges.into_iter().collect();
        edges.sort_unstable();
        for ((before, marks), read) in edges {
            for letter in read {
                let guard = automaton.guards.minterm(Letter(letter), letters)?;
                automaton.add_edge(before, guard, marks, after)?;
            }
        }
    }
    automaton.guards.end(&effort);
    Ok(Some(scc_filter(automaton, &Effort::unlimited(budget))))
}

/// A subformula with its operands as positions in the list.
enum Part {
    Constant(bool),
    Proposition(usize),
    Not(usize),
    And(Vec<usize>),
    Or(Vec<usize>),
    Implies(usize, usize),
    Iff(usize, usize),
    Xor(usize, usize),
    /// The bit of the operand in the state after this one.
    Next(usize),
    /// `b | (a & X self)`, or `b & (a | X self)` if it is a release; the bit of itself, and the set of its eventuality.
    Until {
        a: Option<usize>,
        b: usize,
        release: bool,
        /// Whether it is the least solution of its law.
        least: bool,
        bit: usize,
        set: u32,
    },
}

/// The subformulas of a formula, operands before operators.
struct Closure {
    nodes: Vec<Part>,
    /// The positions of those whose truth a state carries.
    carried: Vec<usize>,
    /// The formulas at these positions.
    formulas: Vec<FormulaId>,
    eventualities: u32,
}

impl Closure {
    fn new(store: &FormulaStore, f: FormulaId, propositions: &[PropId]) -> Self {
        let list = store.subformulas(f);
        let position = |g: FormulaId| list.binary_search(&g).expect("a subformula");
        let mut carried: Vec<usize> = vec![position(f)];
        for &g in &list {
            let at = match store.node(g) {
                Node::Next(a) => position(a),
                Node::Finally(_)
                | Node::Globally(_)
                | Node::Until(..)
                | Node::WeakUntil(..)
                | Node::Release(..)
                | Node::StrongRelease(..) => position(g),
                _ => continue,
            };
            if !carried.contains(&at) {
                carried.push(at);
            }
        }
        let bit = |at: usize| carried.iter().position(|&c| c == at);
        let mut eventualities = 0;
        let mut fixpoint = |g: FormulaId, a: Option<FormulaId>, b, release, least| {
            let set = eventualities;
            eventualities += 1;
            Part::Until {
                a: a.map(position),
                b: position(b),
                release,
                least,
                bit: bit(position(g)).expect("temporal subformulas are carried"),
                set,
            }
        };
        let of = |&g: &FormulaId| match store.node(g) {
            Node::True => Part::Constant(true),
            Node::False => Part::Constant(false),
            Node::Atom(p) => {
                let at = propositions.iter().position(|&q| q == p);
                Part::Proposition(at.expect("the atoms are among the propositions"))
            }
            Node::Not(a) => Part::Not(position(a)),
            Node::And(list) => Part::And(list.iter().map(|&a| position(a)).collect()),
            Node::Or(list) => Part::Or(list.iter().map(|&a| position(a)).collect()),
            Node::Implies(a, b) => Part::Implies(position(a), position(b)),
            Node::Iff(a, b) => Part::Iff(position(a), position(b)),
            Node::Xor(a, b) => Part::Xor(position(a), position(b)),
            Node::Next(a) => Part::Next(bit(position(a)).expect("operands of X are carried")),
            Node::Finally(b) => fixpoint(g, None, b, false, true),
            Node::Globally(b) => fixpoint(g, None, b, true, false),
            Node::Until(a, b) => fixpoint(g, Some(a), b, false, true),
            Node::WeakUntil(a, b) => fixpoint(g, Some(a), b, false, false),
            Node::Release(a, b) => fixpoint(g, Some(a), b, true, false),
            Node::StrongRelease(a, b) => fixpoint(g, Some(a), b, true, true),
            Node::Exists(_) | Node::Forall(_) => panic!("a word is one path"),
        };
        let nodes: Vec<Part> = list.iter().map(of).collect();
        let formulas = carried.iter().map(|&at| list[at]).collect();
        Closure {
            nodes,
            carried,
            formulas,
            eventualities,
        }
    }

    /// The bit of a formula in a state.
    fn carried_bit(&self, f: FormulaId) -> usize {
        let at = self.formulas.iter().position(|&g| g == f);
        at.expect("the formula itself is carried")
    }

    /// The state before a letter, if this one comes after it, and the marks of the edge between them.
    fn evaluate(&self, letter: u64, after: StateId, values: &mut [bool]) -> (StateId, Marks) {
        let next = |bit: usize| after.index() >> bit & 1 == 1;
        let mut marks = Marks::NONE;
        for (at, part) in self.nodes.iter().enumerate() {
            values[at] = match part {
                Part::Constant(value) => *value,
                Part::Proposition(p) => letter >> p & 1 == 1,
                Part::Not(a) => !values[*a],
                Part::And(list) => list.iter().all(|&a| values[a]),
                Part::Or(list) => list.iter().any(|&a| values[a]),
                Part::Implies(a, b) => !values[*a] || values[*b],
                Part::Iff(a, b) => values[*a] == values[*b],
                Part::Xor(a, b) => values[*a] != values[*b],
                Part::Next(bit) => next(*bit),
                Part::Until {
                    a,
                    b,
                    release,
                    least,
                    bit,
                    set,
                } => {
                    // Without a first operand, F is `true U b` and G is `false R b`.
                    let a = a.map_or(!release, |a| values[a]);
                    let b = values[*b];
                    let value = if *release {
                        b && (a || next(*bit))
                    } else {
                        b || (a && next(*bit))
                    };
                    // What the law decides without looking ahead.
                    let stops = if *release { a || !b } else { b || !a };
                    if stops || value != *least {
                        marks = marks.union(Marks(1 << set));
                    }
                    value
                }
            };
        }
        let carried = self.carried.iter().enumerate();
        let before = carried.fold(0, |q, (bit, &at)| q | usize::from(values[at]) << bit);
        (StateId::new(before), marks)
    }
}

#[cfg(test)]
mod tests {
    use dalsegno_kripke::Word;
    use dalsegno_logic::random::Rng;
    use dalsegno_logic::{FormulaStore, parse};
    use dalsegno_testkit::words::random_word;

    use super::*;
    use crate::membership::accepts;

    /// Whether there is an accepting run with the shape of the word.
    fn accepts_in_shape(automaton: &Automaton, word: &Word) -> bool {
        let all = automaton.all_marks();
        // States at the beginning of the cycle, from which one round with all marks leads back.
        let n = automaton.len();
        let mut heads = vec![false; n];
        for (head, closes) in heads.iter_mut().enumerate() {
            let mut sets = std::collections::BTreeSet::from([(StateId::new(head), Marks::NONE)]);
            for letter in &word.cycle {
                let step = |&(q, m): &(StateId, Marks)| {
                    let edges: Vec<_> = automaton.enabled(q, *letter).collect();
                    edges.into_iter().map(move |e| (e.target, m.union(e.marks)))
                };
                sets = sets.iter().flat_map(step).collect();
            }
            *closes = sets.contains(&(StateId::new(head), all));
        }
        let mut states: std::collections::BTreeSet<StateId> =
            automaton.initial.iter().copied().collect();
        for letter in &word.stem {
            let step = |&q: &StateId| automaton.enabled(q, *letter).map(|e| e.target);
            states = states.iter().flat_map(step).collect();
        }
        states.iter().any(|&q| heads[q.index()])
    }

    #[test]
    fn accepted_words_have_runs_of_their_shape() {
        let formulas = [
            "F G a",
            "G F a",
            "a U b",
            "a R b",
            "a W b",
            "a M b",
            "X X a",
            "G(a -> X b)",
            "G(a -> F b)",
            "F(a & X(b U a))",
            "(G F a) -> (G F b)",
            "a xor X b",
            "F(a <-> X !b)",
            "G(!a -> X a) | F(!a & X !a)",
            "a & b",
            "true",
            "!(a U (b R X a))",
        ];
        let mut rng = Rng::new(5);
        let (mut accepted, mut refused) = (0, 0);
        for text in formulas {
            let mut store = FormulaStore::new();
            let props = ["a", "b"].map(|name| {
                store.atom(name);
                store.proposition(name).unwrap()
            });
            let f = parse(&mut store, text).unwrap();
            let automaton = tight(&store, f, &props, &Budget::unlimited());
            let automaton = automaton.unwrap().unwrap();
            automaton.check_invariants();
            for _ in 0..200 {
                let word = random_word(&mut rng, 2, 3, 4);
                let holds = dalsegno_certify::holds_on_word(&store, f, &props, &word).unwrap();
                assert_eq!(accepts(&automaton, &word), holds, "{text} on {word:?}");
                let shaped = accepts_in_shape(&automaton, &word);
                assert_eq!(shaped, holds, "{text} on {word:?}");
                *(if holds { &mut accepted } else { &mut refused }) += 1;
            }
        }
        assert!(accepted > 500 && refused > 500);
    }

    #[test]
    fn a_formula_with_many_temporal_subformulas_has_none() {
        let mut store = FormulaStore::new();
        let text: Vec<String> = (0..20).map(|i| format!("F p{i}")).collect();
        let f = parse(&mut store, &text.join(" & ")).unwrap();
        let props = store.propositions(f);
        let none = tight(&store, f, &props, &Budget::unlimited()).unwrap();
        assert!(none.is_none());
    }
}
