//! Manufacturing systems.

use super::builder::Builder;

/// A flexible manufacturing system (Ciardo and Trivedi 1993): `n` parts of each of three kinds,
/// three machines of the first sort, one of the second and two of the third. Parts of the first
/// two kinds leave alone or joined.
pub(super) fn fms(n: u32) -> Builder {
    let mut net = Builder::new();
    for (id, tokens) in [
        ("P1", n),
        ("P2", n),
        ("P3", n),
        ("M1", 3),
        ("M2", 1),
        ("M3", 2),
    ] {
        net.place(id, tokens);
    }
    for id in [
        "P1wM1", "P1M1", "P1d", "P1s", "P1wP2", "P2wM2", "P2M2", "P2d", "P2s", "P2wP1", "P12",
        "P12wM3", "P12M3", "P12s", "P3M2", "P3s",
    ] {
        net.place(id, 0);
    }
    net.transitions(
        "tP1: P1 -> P1wM1
         tM1: P1wM1 M1 -> P1M1
         tP1M1: P1M1 -> P1d M1
         tP1e: P1d -> P1s
         tP1j: P1d -> P1wP2
         tP1s: P1s -> P1
         tP2: P2 -> P2wM2
         tM2: P2wM2 M2 -> P2M2
         tP2M2: P2M2 -> P2d M2
         tP2e: P2d -> P2s
         tP2j: P2d -> P2wP1
         tP2s: P2s -> P2
         tx: P1wP2 P2wP1 -> P12
         tP12: P12 -> P12wM3
         tM3: P12wM3 M3 -> P12M3
         tP12M3: P12M3 -> P12s M3
         tP12s: P12s -> P1 P2
         tP3: P3 -> P3M2
         tP3M2: P3M2 M2 -> P3s M2
         tP3s: P3s -> P3",
    );
    net
}

/// A kanban system (Tilgner and others): four cells with `n` cards each; the second and the third
/// cell start and end together.
pub(super) fn kanban(n: u32) -> Builder {
    let mut net = Builder::new();
    for cell in 1..=4 {
        net.place(format!("Pm{cell}"), 0);
        net.place(format!("Pback{cell}"), 0);
        net.place(format!("Pout{cell}"), 0);
        net.place(format!("P{cell}"), n);
    }
    for cell in 1..=4 {
        net.transitions(&format!(
            "tredo{cell}: Pm{cell} -> Pback{cell}
             tok{cell}: Pm{cell} -> Pout{cell}
             tback{cell}: Pback{cell} -> Pm{cell}"
        ));
    }
    net.transitions(
        "tin4: P4 -> Pm4
         tsynch4_23: Pout4 P2 P3 -> P4 Pm2 Pm3
         tsynch1_23: Pout2 Pout3 P1 -> P2 P3 Pm1
         tout1: Pout1 -> P1",
    );
    net
}
