//! Formulas that every translation and every engine should have seen.

/// Formulas on which published constructions of testing automata for all of LTL go wrong.
///
/// The first is valid and loses `a^ω` if the stuttering edges of a stutter-invariant state are
/// dropped where its accepting cycle runs through states that are not; the second has it below
/// two steps; the third looks stutter-invariant if whole words are stuttered evenly, and is not.
pub const TRAPS: [&str; 3] = [
    "G(!a -> Xa) | F(!a & X!a)",
    "Xb & XX(G(!a -> Xa) | F(!a & X!a))",
    "FG(a <-> X!a)",
];

/// Textbook patterns of LTL, every operator among them, over at most five propositions each.
pub const LTL: [&str; 64] = [
    // Constants and steps.
    "1",
    "0",
    "a",
    "!a",
    "Xa",
    "XXa",
    "a & X(b & Xc)",
    "X(a U Xb)",
    // Reachability and invariance.
    "Fa",
    "Ga",
    "G!(cs1 & cs2)",
    "F(a & Fb)",
    "F(a & XFa)",
    "Fa -> Fb",
    "Ga | Fb",
    // Recurrence and persistence.
    "GFa",
    "FGa",
    "GFa & GFb",
    "GFa & GFb & GFc",
    "GFa -> GFb",
    "FGa -> GFb",
    "FGa | GFb",
    "GFa <-> GFb",
    "(GFa & GFb) -> GFc",
    "(GFa -> GFb) & (GFc -> GFd)",
    "GF(a & Xb)",
    "FG(a | Xb)",
    "GF(a <-> XXb)",
    // Response.
    "G(req -> Fack)",
    "G(req -> XFack)",
    "G(req -> (req U ack))",
    "G(req -> X(!req U ack))",
    "G((req & !ack) -> (req W ack))",
    "G(a -> (b -> (!c U d)))",
    "G(a -> F(b & XFc))",
    // Precedence.
    "!b W a",
    "!b U a",
    "a R b",
    "a M b",
    "(a W b) W c",
    "Fa -> (!a U (b & !a & X(!a U c)))",
    // Absence, existence and universality between events.
    "Fr -> (!p U r)",
    "G(q -> G!p)",
    "G((q & !r & Fr) -> (!p U r))",
    "G((q & !r) -> (!p W r))",
    "G((q & !r) -> (!r U (p & !r)))",
    "Fr -> (p U r)",
    "G!q | F(q & Fp)",
    "(!p W (p W (!p W (p W G!p))))",
    // Nested untils and releases.
    "a U (b U c)",
    "(a U b) U c",
    "(a R b) R c",
    "a R (b R (c R d))",
    "(a U b) R (c M d)",
    "a U Gb",
    "(Ga) U (Fb)",
    "(a U b) & (c U d)",
    "(a W b) xor (b W a)",
    // Change and alternation.
    "G(a <-> X!a)",
    "G(a xor Xa)",
    "F(a & X!a)",
    "G((a & Xb) -> XXc)",
    "a & G(a -> X!a) & G(!a -> Xa)",
    "(GFa -> GFb) <-> (FGc xor Xd)",
];

/// Formulas of CTL.
pub const CTL: [&str; 12] = [
    "AGa",
    "EFa",
    "AFa",
    "EGa",
    "AG(req -> AFack)",
    "AGEFhome",
    "EFAGa",
    "A(a U b)",
    "E(a U b)",
    "A(a W E(b U c))",
    "AX(a | EXb)",
    "AG(a -> E(!b R c))",
];

/// Formulas of CTL* that are neither LTL nor CTL.
pub const CTL_STAR: [&str; 8] = [
    "AFGa",
    "EGFa",
    "E(GFa & GFb)",
    "A(GFa -> GFb)",
    "AG E(Xa & FGb)",
    "E(a U (b & XA(Fc | Gd)))",
    "AF(a & EGX!a)",
    "A(FGa | EF(b M Xc))",
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use dalsegno_logic::{FormulaId, FormulaStore, Fragment, parse};

    use super::*;

    fn all(store: &mut FormulaStore, texts: &[&str]) -> Vec<FormulaId> {
        texts
            .iter()
            .map(|text| parse(store, text).unwrap_or_else(|e| panic!("{}", e.render(text))))
            .collect()
    }

    #[test]
    fn lists_hold_what_they_promise() {
        let mut store = FormulaStore::new();
        let ltl = all(&mut store, &LTL);
        assert_eq!(ltl.iter().collect::<HashSet<_>>().len(), LTL.len());
        assert!(ltl.iter().all(|&f| store.is(f, Fragment::LTL)));
        assert!(ltl.iter().all(|&f| store.propositions(f).len() <= 5));
        let traps = all(&mut store, &TRAPS);
        assert!(traps.iter().all(|&f| store.is(f, Fragment::LTL)));
        let ctl = all(&mut store, &CTL);
        assert!(ctl.iter().all(|&f| store.is(f, Fragment::CTL)));
        let others = all(&mut store, &CTL_STAR);
        let fits = |&f: &FormulaId| store.is(f, Fragment::STATE) && !store.is(f, Fragment::CTL);
        assert!(others.iter().all(fits));
    }

    #[test]
    fn every_operator_of_ltl_occurs() {
        let mut store = FormulaStore::new();
        let mut seen = HashSet::new();
        for f in all(&mut store, &LTL) {
            for g in store.subformulas(f) {
                seen.insert(std::mem::discriminant(&store.node(g)));
            }
        }
        // All operators but the two path quantifiers.
        assert_eq!(seen.len(), 16);
    }
}
