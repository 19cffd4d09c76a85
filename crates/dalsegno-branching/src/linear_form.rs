//! Formulas of CTL that ask for a formula of LTL on all paths, or on some path: the common fragment of CTL and LTL
//! [Mai00], as far as it is seen in the formula as it is written. Linear in the formula.
//!
//! All paths satisfy `f & g` if all satisfy both, but `f | g` may hold because some do and others do the other. So an
//! operand stays a formula of all paths only where the state tells which operand it is: `b | f` and `f U b`, for a
//! Boolean `b`, and `G f`, `X f`, `b R f`. On some path it is the other way round: `f | g`, `b & f`, `b U f`, `f R b`, `F f`,
//! `X f`. Negation leads from one to the other.

use dalsegno_logic::{FormulaId, FormulaStore, Fragment, Node};

/// The path formula that a state formula asks for, of all paths (true) or of some path (false), if it is seen to do so. Paths
/// are infinite; where they may end, that is right for formulas without `X` if a dead end is repeated instead.
pub fn linear_form(store: &mut FormulaStore, f: FormulaId) -> Option<(FormulaId, bool)> {
    [true, false]
        .into_iter()
        .find_map(|all| Some((form(store, f, all)?, all)))
}

/// The path formula that all paths have to satisfy, or some path.
fn form(store: &mut FormulaStore, f: FormulaId, all: bool) -> Option<FormulaId> {
    if store.is(f, Fragment::BOOLEAN) {
        return Some(f);
    }
    match store.node(f) {
        Node::Not(g) => {
            let path = form(store, g, !all)?;
            Some(store.not(path))
        }
        Node::And(list) => {
            let list = list.to_vec();
            let parts = operands(store, list, all, all)?;
            Some(store.and(parts))
        }
        Node::Or(list) => {
            let list = list.to_vec();
            let parts = operands(store, list, all, !all)?;
            Some(store.or(parts))
        }
        Node::Implies(g, h) => {
            let not_g = store.not(g);
            let parts = operands(store, vec![not_g, h], all, !all)?;
            Some(store.or(parts))
        }
        Node::Forall(path) if all => temporal(store, path, all),
        Node::Exists(path) if !all => temporal(store, path, all),
        _ => None,
    }
}

/// The path formulas of operands of which all may be temporal, or one.
fn operands(
    store: &mut FormulaStore,
    list: Vec<FormulaId>,
    all: bool,
    many: bool,
) -> Option<Vec<FormulaId>> {
    let temporal = list.iter().filter(|&&f| !store.is(f, Fragment::BOOLEAN));
    if !many && temporal.count() > 1 {
        return None;
    }
    list.into_iter().map(|f| form(store, f, all)).collect()
}

fn temporal(store: &mut FormulaStore, path: FormulaId, all: bool) -> Option<FormulaId> {
    let is_boolean = |f: FormulaId| store.is(f, Fragment::BOOLEAN);
    match store.node(path) {
        Node::Next(f) => {
            let f = form(store, f, all)?;
            Some(store.next(f))
        }
        Node::Finally(f) if !all || is_boolean(f) => {
            let f = form(store, f, all)?;
            Some(store.finally(f))
        }
        Node::Globally(f) if all || is_boolean(f) => {
            let f = form(store, f, all)?;
            Some(store.globally(f))
        }
        Node::Until(f, g) if is_boolean(if all { g } else { f }) => {
            let (f, g) = (form(store, f, all)?, form(store, g, all)?);
            Some(store.until(f, g))
        }
        Node::Release(f, g) if is_boolean(if all { f } else { g }) => {
            let (f, g) = (form(store, f, all)?, form(store, g, all)?);
            Some(store.release(f, g))
        }
        Node::WeakUntil(f, g) if is_boolean(g) && (all || is_boolean(f)) => {
            let f = form(store, f, all)?;
            Some(store.weak_until(f, g))
        }
        Node::StrongRelease(f, g) if is_boolean(g) && (!all || is_boolean(f)) => {
            let f = form(store, f, all)?;
            Some(store.strong_release(f, g))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno_logic::parse;

    fn formed(text: &str) -> Option<String> {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, text).unwrap();
        let (path, all) = linear_form(&mut store, f)?;
        let quantified = if all {
            store.forall(path)
        } else {
            store.exists(path)
        };
        let expected = store.display(quantified).to_string();
        Some(expected)
    }

    #[test]
    fn the_common_fragment_is_found() {
        for (ctl, linear) in [
            ("AG(a -> AF b)", "A G(Fb | !a)"),
            ("AG AF a & AF b", "A(Fb & GFa)"),
            ("A((b | AX c) U a)", "A((b | Xc) U a)"),
            ("A(a R AG b)", "A(a R Gb)"),
            ("!EF EG a", "A !FGa"),
            ("EF(a & EG b)", "E F(a & Gb)"),
            ("E(a U EF b) | EX EG c", "E((a U Fb) | XGc)"),
            ("E(EG c R a)", "E(Gc R a)"),
            ("E(a W b)", "E(a W b)"),
            ("A(AG c W b)", "A(Gc W b)"),
            ("E(EF a M b)", "E(Fa M b)"),
        ] {
            let mut store = FormulaStore::new();
            let wanted = parse(&mut store, linear).unwrap();
            let wanted = store.display(wanted).to_string();
            assert_eq!(formed(ctl).as_ref(), Some(&wanted), "{ctl}");
        }
    }

    #[test]
    fn what_depends_on_the_path_is_not_linear() {
        for text in [
            "AF AG a",
            "AG EF a",
            "AF a | AF b",
            "A(a U AG b)",
            "EG EF a",
            "EF a & EF b",
            "E(a W EF b)",
            "A(AF a M b)",
            "AF a <-> AG b",
        ] {
            assert_eq!(formed(text), None, "{text}");
        }
    }
}
