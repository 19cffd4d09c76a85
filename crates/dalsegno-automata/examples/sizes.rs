//! scratch
use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::translate::Translator;
use dalsegno_kripke::Budget;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaStore, parse};
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let verbose = std::env::args().nth(2).is_some();
    let (mut ts, mut te, mut bs) = (0, 0, 0);
    let (mut ss, mut se, mut sb) = (0, 0, 0);
    let t0 = std::time::Instant::now();
    let (mut tt, mut tb) = (0.0, 0.0);
    for line in text.lines().skip(1) {
        let mut store = FormulaStore::new();
        let mut simplifier = Simplifier::new();
        let (formula, rest) = if let Some(s) = line.strip_prefix('"') {
            let i = s.find('"').unwrap();
            (&s[..i], &s[i + 2..])
        } else {
            line.split_once(',').unwrap()
        };
        let cols: Vec<usize> = rest.split(',').map(|x| x.parse().unwrap_or(0)).collect();
        let f = parse(&mut store, formula).unwrap();
        let props = store.propositions(f);
        let budget = Budget::unlimited();
        let t1 = std::time::Instant::now();
        let a = {
            let mut t = Translator {
                store: &mut store,
                simplifier: &mut simplifier,
                propositions: &props,
                alphabet: &|_| Bdd::TRUE,
                budget: &budget,
            };
            t.tgba(f).unwrap()
        };
        let d1 = t1.elapsed().as_secs_f64();
        tt += d1;
        let t1 = std::time::Instant::now();
        let b = {
            let mut t = Translator {
                store: &mut store,
                simplifier: &mut simplifier,
                propositions: &props,
                alphabet: &|_| Bdd::TRUE,
                budget: &budget,
            };
            t.ba(f).unwrap()
        };
        tb += t1.elapsed().as_secs_f64();
        a.check_invariants();
        b.check_invariants();
        assert!(b.accepting_states().is_some());
        ts += a.len();
        te += a.edge_count();
        bs += b.len();
        ss += cols[0];
        se += cols[1];
        sb += cols[4];
        if verbose && (a.len() != cols[0] || a.edge_count() != cols[1] || b.len() != cols[4]) {
            println!(
                "{formula}: tgba {}/{} (spot {}/{}) ba {} (spot {}) {:.1}ms",
                a.len(),
                a.edge_count(),
                cols[0],
                cols[1],
                b.len(),
                cols[4],
                d1 * 1e3
            );
        }
    }
    println!(
        "tgba {ts}/{te} (spot {ss}/{se}), ba {bs} (spot {sb}); tgba {tt:.3}s ba {tb:.3}s, all {:?}",
        t0.elapsed()
    );
}
