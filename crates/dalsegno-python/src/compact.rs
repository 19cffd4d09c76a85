//! Formulas on their own: what a Python object holds.
//!
//! A [`FormulaStore`] shares everything and forgets nothing, which is right for one question and wrong for objects that
//! come and go. A [`Compact`] formula is two short blocks of memory without references to anything. Work is done in a
//! scratch store of the thread, which is cleared before and keeps its tables: a formula is read or simplified without
//! new tables, what is printed does not depend on formulas that came before, and no lock is held that a fork could
//! leave locked.
//!
//! Invariants of [`Compact`]:
//!
//! 1. `code` lists the nodes, operands before operators, each as its operator and its operands by their numbers.
//! 2. An atom is its operator and the end of its name in `names`; the name begins where that of the atom before it ends.
//! 3. The last node is the formula.

use std::cell::RefCell;

use dalsegno::logic::simplify::Simplifier;
use dalsegno::logic::{FormulaId, FormulaStore, Node};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A scratch store with more bytes is given up after its use.
const KEPT_BYTES: u64 = 1 << 18;

/// A formula by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Compact {
    code: Box<[u32]>,
    names: Box<str>,
}

/// Where formulas are worked on.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) store: FormulaStore,
    pub(crate) simplifier: Simplifier,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Works in the scratch store of this thread, which holds nothing at the beginning.
pub(crate) fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|cell| match cell.try_borrow_mut() {
        Ok(mut scratch) => {
            if scratch.store.bytes() > KEPT_BYTES {
                *scratch = Scratch::default();
            } else {
                scratch.store.clear();
                scratch.simplifier.clear();
            }
            work(&mut scratch)
        }
        // Work within work has a store of its own.
        Err(_) => work(&mut Scratch::default()),
    })
}

/// Formulas of a store with fewer ones are found by looking at all of them.
const SMALL_STORE: usize = 256;

const TRUE: u32 = 0;
const FALSE: u32 = 1;
const ATOM: u32 = 2;
const NOT: u32 = 3;
const AND: u32 = 4;
const OR: u32 = 5;
const IMPLIES: u32 = 6;
const IFF: u32 = 7;
const XOR: u32 = 8;
const NEXT: u32 = 9;
const FINALLY: u32 = 10;
const GLOBALLY: u32 = 11;
const UNTIL: u32 = 12;
const RELEASE: u32 = 13;
const WEAK_UNTIL: u32 = 14;
const STRONG_RELEASE: u32 = 15;
const EXISTS: u32 = 16;
const FORALL: u32 = 17;

impl Compact {
    /// A formula of a store.
    pub(crate) fn of(store: &FormulaStore, f: FormulaId) -> Self {
        let needed = if f.index() < SMALL_STORE {
            needed_in_small_store(store, f)
        } else {
            store.subformulas(f)
        };
        let number = |g: FormulaId| needed.binary_search(&g).map_or(0, |at| at as u32);
        let mut code = Vec::with_capacity(3 * needed.len());
        let mut names = String::new();
        for &g in &needed {
            let (operator, counted) = operator(store.node(g));
            code.push(operator);
            if let Node::Atom(p) = store.node(g) {
                names.push_str(store.name(p));
                code.push(names.len() as u32);
            }
            if counted {
                code.push(store.children(g).count() as u32);
            }
            code.extend(store.children(g).map(number));
        }
        Compact {
            code: code.into(),
            names: names.into(),
        }
    }

    /// The formula in a store.
    pub(crate) fn put(&self, store: &mut FormulaStore) -> FormulaId {
        let mut made: Vec<FormulaId> = Vec::with_capacity(self.code.len() / 2);
        let mut name = 0;
        let mut rest = &self.code[..];
        while let [operator, tail @ ..] = rest {
            let counts = matches!(*operator, AND | OR);
            let length = match *operator {
                TRUE | FALSE => 0,
                AND | OR => tail[0] as usize,
                ATOM | NOT | NEXT | FINALLY | GLOBALLY | EXISTS | FORALL => 1,
                _ => 2,
            };
            let tail = &tail[usize::from(counts)..];
            let (operands, tail) = tail.split_at(length);
            let of = |i: usize| made[operands[i] as usize];
            made.push(match *operator {
                TRUE => FormulaId::TRUE,
                FALSE => FormulaId::FALSE,
                ATOM => {
                    let end = operands[0] as usize;
                    let atom = store.atom(&self.names[name..end]);
                    name = end;
                    atom
                }
                NOT => store.not(of(0)),
                AND => store.and(operands.iter().map(|&i| made[i as usize])),
                OR => store.or(operands.iter().map(|&i| made[i as usize])),
                IMPLIES => store.implies(of(0), of(1)),
                IFF => store.iff(of(0), of(1)),
                XOR => store.xor(of(0), of(1)),
                NEXT => store.next(of(0)),
                FINALLY => store.finally(of(0)),
                GLOBALLY => store.globally(of(0)),
                UNTIL => store.until(of(0), of(1)),
                RELEASE => store.release(of(0), of(1)),
                WEAK_UNTIL => store.weak_until(of(0), of(1)),
                STRONG_RELEASE => store.strong_release(of(0), of(1)),
                EXISTS => store.exists(of(0)),
                _ => store.forall(of(0)),
            });
            rest = tail;
        }
        made.last().copied().unwrap_or(FormulaId::TRUE)
    }

    /// How much there is of it, in words of its code.
    pub(crate) fn weight(&self) -> usize {
        self.code.len()
    }

    /// Whether it is the same formula: conjunctions and the like may list their operands in another order.
    pub(crate) fn same(&self, other: &Compact) -> bool {
        if self == other {
            return true;
        }
        with_scratch(|scratch| self.put(&mut scratch.store) == other.put(&mut scratch.store))
    }

    /// A number that is the same for the same formula, whatever the order of operands.
    pub(crate) fn digest(&self) -> u64 {
        with_scratch(|scratch| {
            let store = &mut scratch.store;
            let f = self.put(store);
            let mut digests: Vec<u64> = vec![0; f.index() + 1];
            for g in store.subformulas(f) {
                let mut hasher = FxHasher::default();
                let (operator, counted) = operator(store.node(g));
                operator.hash(&mut hasher);
                if let Node::Atom(p) = store.node(g) {
                    store.name(p).hash(&mut hasher);
                }
                let below = store.children(g).map(|child| digests[child.index()]);
                if counted || matches!(operator, IFF | XOR) {
                    below.fold(0, u64::wrapping_add).hash(&mut hasher);
                } else {
                    below.for_each(|digest| digest.hash(&mut hasher));
                }
                digests[g.index()] = hasher.finish();
            }
            digests[f.index()]
        })
    }
}

/// As [`FormulaStore::subformulas`], without a hash table: operands come before operators, so one look backwards over all
/// formulas finds those that are needed.
fn needed_in_small_store(store: &FormulaStore, f: FormulaId) -> Vec<FormulaId> {
    let mut needed: Vec<Option<FormulaId>> = vec![None; f.index() + 1];
    needed[f.index()] = Some(f);
    for at in (0..=f.index()).rev() {
        if let Some(g) = needed[at] {
            for child in store.children(g) {
                needed[child.index()] = Some(child);
            }
        }
    }
    needed.into_iter().flatten().collect()
}

/// The operator of a node, and whether the number of its operands is told.
fn operator(node: Node<'_>) -> (u32, bool) {
    let operator = match node {
        Node::True => TRUE,
        Node::False => FALSE,
        Node::Atom(_) => ATOM,
        Node::Not(_) => NOT,
        Node::And(_) => return (AND, true),
        Node::Or(_) => return (OR, true),
        Node::Implies(..) => IMPLIES,
        Node::Iff(..) => IFF,
        Node::Xor(..) => XOR,
        Node::Next(_) => NEXT,
        Node::Finally(_) => FINALLY,
        Node::Globally(_) => GLOBALLY,
        Node::Until(..) => UNTIL,
        Node::Release(..) => RELEASE,
        Node::WeakUntil(..) => WEAK_UNTIL,
        Node::StrongRelease(..) => STRONG_RELEASE,
        Node::Exists(_) => EXISTS,
        Node::Forall(_) => FORALL,
    };
    (operator, false)
}
