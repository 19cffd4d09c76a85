//! scratch
use dalsegno_explicit::explore::explore;
use dalsegno_kripke::Budget;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let net = dalsegno_models::petri::pnml::parse(text.as_bytes()).unwrap();
    let model = net.to_model();
    let t = std::time::Instant::now();
    let e = explore(&model, &Budget::unlimited(), |_, _| {});
    let s = t.elapsed().as_secs_f64();
    println!(
        "{:?} {} states {} transitions {} dead, max {} sum {} {:.2}s {:.1} Mt/s {} B/state",
        e.outcome,
        e.states,
        e.transitions,
        e.dead_ends,
        e.largest.iter().max().unwrap(),
        e.largest_sum,
        s,
        e.transitions as f64 / s / 1e6,
        e.bytes / e.states
    );
}
