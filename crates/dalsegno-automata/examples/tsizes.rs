//! scratch
use dalsegno_automata::bdd::Bdd;
use dalsegno_automata::stutter::Invariance;
use dalsegno_automata::translate::Translator;
use dalsegno_kripke::Budget;
use dalsegno_logic::simplify::Simplifier;
use dalsegno_logic::{FormulaStore, parse};
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let maxp: usize = std::env::args().nth(2).map_or(6, |x| x.parse().unwrap());
    let mut sum = [0usize; 8];
    let mut inv_ok = 0;
    for line in text.lines().skip(1) {
        let mut store = FormulaStore::new();
        let mut simplifier = Simplifier::new();
        let (formula, rest) = if let Some(s) = line.strip_prefix('"') {
            let i = s.find('"').unwrap();
            (&s[..i], &s[i + 2..])
        } else {
            line.split_once(',').unwrap()
        };
        let f = parse(&mut store, formula).unwrap();
        let props = store.propositions(f);
        let budget = Budget::unlimited();
        let mut t = Translator {
            store: &mut store,
            simplifier: &mut simplifier,
            propositions: &props,
            alphabet: &|_| Bdd::TRUE,
            budget: &budget,
        };
        let mut inv = Invariance::default();
        let i = inv.decide(&mut t, f).unwrap();
        let cols: Vec<Option<usize>> = rest.split(',').map(|x| x.parse().ok()).collect();
        if i != cols[6].is_some() {
            println!("invariance differs {formula} ours {i}");
        } else {
            inv_ok += 1;
        }
        if !i || props.len() > maxp {
            continue;
        }
        let t0 = std::time::Instant::now();
        let ta = t.ta(f, i).unwrap();
        let d1 = t0.elapsed().as_secs_f64() * 1e3;
        let t0 = std::time::Instant::now();
        let tg = t.tgta(f, i, &mut inv).unwrap();
        let d2 = t0.elapsed().as_secs_f64() * 1e3;
        let Some(c6) = cols[6] else { continue };
        let row = [
            ta.len(),
            ta.edge_count(),
            tg.len(),
            tg.edge_count(),
            c6,
            cols[7].unwrap(),
            cols[8].unwrap(),
            cols[9].unwrap(),
        ];
        for k in 0..8 {
            sum[k] += row[k];
        }
        let bad = (0..4).any(|k| row[k] as f64 > 1.2 * row[k + 4] as f64);
        let worse = (0..4).any(|k| row[k] > row[k + 4]);
        if bad || worse || d1 > 50.0 || d2 > 50.0 {
            println!(
                "{} {formula}: {row:?} {d1:.1} {d2:.1}",
                if bad { "BAD" } else { "   " }
            );
        }
    }
    println!("{inv_ok} {sum:?}");
}
