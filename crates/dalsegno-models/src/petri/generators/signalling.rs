//! Signalling in cells.

use super::builder::Builder;

/// The mitogen-activated protein kinase cascade (Heiner, Gilbert and Donaldson 2008): enzymes bind
/// to proteins, and let them go changed or unchanged.
pub(super) fn mapk(n: u32) -> Builder {
    let mut net = Builder::new();
    let (quarter, half, three) = (n / 4, n / 2, n / 4 * 3);
    for (id, tokens) in [
        ("Raf", n),
        ("RasGTP", quarter),
        ("MEK", half),
        ("ERK", three),
        ("Phase1", three),
        ("Phase2", half),
        ("Phase3", three),
    ] {
        net.place(id, tokens);
    }
    for id in ["RafP", "MEKP", "MEKPP", "ERKP", "ERKPP"] {
        net.place(id, 0);
    }
    // An enzyme, what it works on and what comes out, in the order of the reactions k1, k2, ...
    let reactions = [
        ("Raf", "RasGTP", "RafP"),
        ("RafP", "Phase1", "Raf"),
        ("MEK", "RafP", "MEKP"),
        ("MEKP", "RafP", "MEKPP"),
        ("MEKPP", "Phase2", "MEKP"),
        ("MEKP", "Phase2", "MEK"),
        ("ERK", "MEKPP", "ERKP"),
        ("ERKP", "MEKPP", "ERKPP"),
        ("ERKPP", "Phase3", "ERKP"),
        ("ERKP", "Phase3", "ERK"),
    ];
    for (i, (protein, enzyme, product)) in (0..).zip(reactions) {
        let bound = format!("{protein}_{enzyme}");
        net.place(&bound, 0);
        let [bind, free, change] = [1, 2, 3].map(|k: u32| 3 * i + k);
        net.transitions(&format!(
            "k{bind}: {protein} {enzyme} -> {bound}
             k{free}: {bound} -> {protein} {enzyme}
             k{change}: {bound} -> {product} {enzyme}"
        ));
    }
    net
}
