//! Sizes of products that were published, as `docs/automata.md` recounts them.

use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, Verdict};
use dalsegno::logic::{FormulaStore, parse};
use dalsegno::models::petri::generators::Family;
use dalsegno::{CheckOptions, Propositions, Session, check_ltl};

#[test]
fn the_signalling_cascade() {
    let session = Session::new(Family::Mapk.generate(8).unwrap());
    let property = "!((!\"RafP >= 1\") U \"MEKP >= 1\") & !((!\"MEKP >= 1\") U \"MEKPP >= 1\") \
        & !((!\"MEKPP >= 1\") U \"ERKP >= 1\") & !((!\"ERKP >= 1\") U \"ERKPP >= 1\")";
    for (kind, states, transitions) in [
        (Kind::Tgba, 46_493, 325_442),
        (Kind::Ta, 33_376, 291_602),
        (Kind::Tgta, 33_376, 291_602),
    ] {
        let mut store = FormulaStore::new();
        let f = parse(&mut store, property).unwrap();
        let atoms = session.atoms(&store, f).unwrap();
        let options = CheckOptions {
            automaton: Some(kind),
            propositions: Propositions::Raw,
            product_size: true,
            ..CheckOptions::default()
        };
        let budget = Budget::unlimited();
        let outcome =
            check_ltl(&session, &mut store, f, &atoms, &options, &budget, |_| {}).unwrap();
        assert_eq!(outcome.verdict, Verdict::Holds);
        let size = outcome.product.unwrap();
        assert_eq!((size.states, size.transitions), (states, transitions));
        let seen = outcome.explored;
        assert_eq!((seen.states, seen.transitions), (states, transitions));
    }
}
