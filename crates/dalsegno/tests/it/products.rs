//! Sizes of products that were published, as `docs/automata.md` recounts them.

use dalsegno::kind::Kind;
use dalsegno::kripke::{Budget, DeadEnds};
use dalsegno::models::petri::generators::Family;
use dalsegno::{Propositions, Settings, Source};

use crate::support::{ask, ltl};

#[test]
fn the_signalling_cascade() {
    let source = Source::of_net(Family::Mapk.generate(8).unwrap());
    let property = "!((!\"RafP >= 1\") U \"MEKP >= 1\") & !((!\"MEKP >= 1\") U \"MEKPP >= 1\") \
        & !((!\"MEKPP >= 1\") U \"ERKP >= 1\") & !((!\"ERKP >= 1\") U \"ERKPP >= 1\")";
    for (kind, states, transitions) in [
        (Kind::Tgba, 46_493, 325_442),
        (Kind::Ta, 33_376, 291_602),
        (Kind::Tgta, 33_376, 291_602),
    ] {
        let settings = Settings {
            automaton: Some(kind),
            propositions: Propositions::Raw,
            product_size: true,
            por: false,
            ..Settings::default()
        };
        let asked = ltl(property, DeadEnds::Stutter);
        let answer = ask(&source, settings, asked, &Budget::unlimited());
        assert_eq!(answer.holds(), Some(true));
        let size = answer.cost.product.unwrap();
        assert_eq!((size.states, size.transitions), (states, transitions));
        let seen = answer.cost.explored;
        assert_eq!((seen.states, seen.transitions), (states, transitions));
    }
}
