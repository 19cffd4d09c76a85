//! scratch
use dalsegno_automata::{bdd::Bdd, translate::Translator};
use dalsegno_kripke::Budget;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaStore, parse};
fn main() {
    let mut store = FormulaStore::new();
    let mut simplifier = Simplifier::new();
    let f = parse(&mut store, &std::env::args().nth(1).unwrap()).unwrap();
    let ba = std::env::args().nth(2).is_some();
    let g = simplifier.simplify(&mut store, f);
    println!("{}", store.display(g));
    let props = store.propositions(f);
    let budget = Budget::unlimited();
    let mut a = {
        let mut t = Translator {
            store: &mut store,
            simplifier: &mut simplifier,
            propositions: &props,
            alphabet: &|_| Bdd::TRUE,
            budget: &budget,
        };
        if ba {
            t.ba(f).unwrap()
        } else {
            t.tgba(f).unwrap()
        }
    };
    println!("init {:?} sets {}", a.initial, a.acceptance_sets);
    for q in 0..a.len() {
        println!(
            "{q}: {}",
            a.labels[q].map_or("-".into(), |l| store.display(l).to_string())
        );
        for e in a.edges[q].clone() {
            println!(
                "   {:?} {:?} -> {}",
                a.guards.cubes(e.guard),
                e.marks,
                e.target
            );
        }
    }
}
