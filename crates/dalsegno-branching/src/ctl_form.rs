//! How a path quantifier is computed: by a fixpoint of CTL wherever the formula below it allows that,
//! by an automaton otherwise.
//!
//! Everything is said with `E`; `A f` is `!E !f`. The laws that lead to CTL are those of paths whose rests
//! are paths: `E F f = EF E f`, `E X f = EX E f`, `E(a U f) = E(a U E f)` for a state formula `a`,
//! `E(f | g) = E f | E g`, `E(a & f) = a & E f`, and the expansion of weak operators into strong ones and `EG`.

use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node};

/// What `E path` is made of. All formulas here are state formulas.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CtlForm {
    /// The formula holds here, and some path starts here.
    Here(FormulaId),
    /// Some of these.
    Any(Vec<FormulaId>),
    /// Both of these.
    Both(FormulaId, FormulaId),
    /// `EX f`.
    Next(FormulaId),
    /// `EF f`.
    Reach(FormulaId),
    /// `E(f U g)`.
    Until(FormulaId, FormulaId),
    /// `EG f`.
    Globally(FormulaId),
    /// No fixpoint of CTL: the states from which an automaton of the path formula accepts a path.
    Automaton(FormulaId),
}

/// The form of `E path`.
pub fn ctl_form(store: &mut FormulaStore, mut path: FormulaId) -> CtlForm {
    let state = |store: &FormulaStore, f: FormulaId| store.is(f, Fragment::STATE);
    loop {
        if state(store, path) {
            return CtlForm::Here(path);
        }
        match store.node(path) {
            Node::Not(f) => path = negation(store, f),
            Node::Or(list) => {
                let list = list.to_vec();
                return CtlForm::Any(list.into_iter().map(|f| store.exists(f)).collect());
            }
            Node::Implies(f, g) => {
                let not_f = store.not(f);
                return CtlForm::Any(vec![store.exists(not_f), store.exists(g)]);
            }
            Node::And(list) => {
                let (here, rest): (Vec<FormulaId>, Vec<FormulaId>) =
                    list.iter().partition(|&&f| state(store, f));
                if here.is_empty() {
                    return CtlForm::Automaton(path);
                }
                let (here, rest) = (store.and(here), store.and(rest));
                return CtlForm::Both(here, store.exists(rest));
            }
            Node::Next(f) => return CtlForm::Next(lift(store, f)),
            Node::Finally(f) => {
                let f = lift(store, f);
                return match store.node(f) {
                    Node::Exists(inner) => match store.node(inner) {
                        Node::Finally(g) => CtlForm::Reach(lift(store, g)),
                        _ => CtlForm::Reach(f),
                    },
                    _ => CtlForm::Reach(f),
                };
            }
            Node::Globally(f) if state(store, f) => return CtlForm::Globally(f),
            Node::Until(f, g) if state(store, f) => return CtlForm::Until(f, lift(store, g)),
            Node::WeakUntil(f, g) if state(store, f) => {
                let g = lift(store, g);
                let (until, always) = (store.until(f, g), store.globally(f));
                return CtlForm::Any(vec![store.exists(until), store.exists(always)]);
            }
            Node::StrongRelease(f, g) if state(store, g) => {
                let until = strong_release(store, f, g);
                return CtlForm::Any(vec![store.exists(until)]);
            }
            Node::Release(f, g) if state(store, g) => {
                let (until, always) = (strong_release(store, f, g), store.globally(g));
                return CtlForm::Any(vec![store.exists(until), store.exists(always)]);
            }
            _ => return CtlForm::Automaton(path),
        }
    }
}

/// `f M g` as `g U (f & g)`.
fn strong_release(store: &mut FormulaStore, f: FormulaId, g: FormulaId) -> FormulaId {
    let f = lift(store, f);
    let goal = store.and([f, g]);
    store.until(g, goal)
}

/// A state formula by itself, a path formula below `E`.
fn lift(store: &mut FormulaStore, f: FormulaId) -> FormulaId {
    if store.is(f, Fragment::STATE) {
        f
    } else {
        store.exists(f)
    }
}

/// A formula that says the opposite, with the negation one operator further down.
pub fn negation(store: &mut FormulaStore, f: FormulaId) -> FormulaId {
    match store.node(f) {
        Node::And(list) | Node::Or(list) => {
            let conjunction = matches!(store.node(f), Node::And(_));
            let list = list.to_vec();
            let list: Vec<FormulaId> = list.into_iter().map(|g| store.not(g)).collect();
            if conjunction {
                store.or(list)
            } else {
                store.and(list)
            }
        }
        Node::Implies(g, h) => {
            let not_h = store.not(h);
            store.and([g, not_h])
        }
        Node::Iff(g, h) => store.xor(g, h),
        Node::Xor(g, h) => store.iff(g, h),
        Node::Next(g) => {
            let g = store.not(g);
            store.next(g)
        }
        Node::Finally(g) => {
            let g = store.not(g);
            store.globally(g)
        }
        Node::Globally(g) => {
            let g = store.not(g);
            store.finally(g)
        }
        Node::Until(g, h) => {
            let (g, h) = (store.not(g), store.not(h));
            store.release(g, h)
        }
        Node::Release(g, h) => {
            let (g, h) = (store.not(g), store.not(h));
            store.until(g, h)
        }
        Node::WeakUntil(g, h) => {
            let (g, h) = (store.not(g), store.not(h));
            store.strong_release(g, h)
        }
        Node::StrongRelease(g, h) => {
            let (g, h) = (store.not(g), store.not(h));
            store.weak_until(g, h)
        }
        _ => store.not(f),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_logic::parse;

    fn formed(text: &str) -> (FormulaStore, CtlForm) {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let Node::Exists(path) = store.node(f) else {
            panic!("{text} is no E");
        };
        let form = ctl_form(&mut store, path);
        (store, form)
    }

    #[test]
    fn operators_of_ctl_never_need_an_automaton() {
        for text in [
            "EX a",
            "EF a",
            "EG a",
            "E(a U b)",
            "E(a W b)",
            "E(a R b)",
            "E(a M b)",
            "E !(a U b)",
            "E !(a W b)",
            "E F G a",
            "E(a U X b)",
            "E(F a | G b)",
            "E(a & X X b)",
        ] {
            let mut store = FormulaStore::new();
            let f = parse(&mut store, text).unwrap();
            let mut open = vec![f];
            let automaton = loop {
                let Some(f) = open.pop() else { break false };
                let Node::Exists(path) = store.node(f) else {
                    continue;
                };
                match ctl_form(&mut store, path) {
                    CtlForm::Any(list) => open.extend(list),
                    CtlForm::Both(f, g) | CtlForm::Until(f, g) => open.extend([f, g]),
                    CtlForm::Here(f)
                    | CtlForm::Next(f)
                    | CtlForm::Reach(f)
                    | CtlForm::Globally(f) => {
                        open.push(f);
                    }
                    CtlForm::Automaton(_) => break true,
                }
            };
            assert!(!automaton, "{text}");
        }
        assert!(matches!(formed("E G F a").1, CtlForm::Automaton(_)));
        assert!(matches!(formed("E(G a & F b)").1, CtlForm::Automaton(_)));
    }

    #[test]
    fn repeated_finallys_are_one() {
        let (store, form) = formed("EF EF a");
        let a = store.proposition("a").unwrap();
        let CtlForm::Reach(f) = form else { panic!() };
        assert_eq!(store.node(f), Node::Atom(a));
    }
}
