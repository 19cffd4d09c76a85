//! Rings.

use super::builder::Builder;

/// The slotted ring protocol (Pastor, Roig, Cortadella and Badia 1994): node `i` hands its slot,
/// free or used, to the node before it.
pub(super) fn slotted(n: u32) -> Builder {
    let mut net = Builder::new();
    for i in 0..n {
        for (id, tokens) in [
            ("Used", 0),
            ("Owned", 0),
            ("Ready", 1),
            ("Keep", 0),
            ("SendFree", 1),
            ("Idle", 0),
            ("SendUsed", 0),
            ("Release", 0),
        ] {
            net.place(format!("{id}_{i}"), tokens);
        }
    }
    for i in 0..n {
        let before = if i == 0 { n - 1 } else { i - 1 };
        net.transitions(&format!(
            "Other_{i}: Used_{i} -> Keep_{i}
             Owner_{i}: Used_{i} -> Owned_{i}
             Write_{i}: Owned_{i} -> Keep_{i}
             Go_{i}: Owned_{i} -> Release_{i}
             Get_{i}: Release_{i} Idle_{i} -> Ready_{i} SendFree_{i}
             Put_{i}: Keep_{i} Idle_{i} -> Ready_{i} SendUsed_{i}
             PassUsed_{i}: SendUsed_{i} Ready_{before} -> Idle_{i} Used_{before}
             PassFree_{i}: SendFree_{i} Ready_{before} -> Idle_{i} Owned_{before}"
        ));
    }
    net
}

/// Dijkstra's self-stabilising token ring of `n` + 1 processes with `n` + 1 states each: the main
/// process goes on when the last one has its state, the others take over the state before them.
pub(super) fn tokens(n: u32) -> Builder {
    let mut net = Builder::new();
    for process in 0..=n {
        for state in 0..=n {
            let initial = u32::from(process == state);
            net.place(format!("State_{process}_{state}"), initial);
        }
    }
    for state in 0..=n {
        let next = (state + 1) % (n + 1);
        net.transitions(&format!(
            "MainProcess_{state}: State_0_{state} State_{n}_{state} -> State_0_{next} State_{n}_{state}"
        ));
    }
    for process in 1..=n {
        let before = process - 1;
        for old in 0..=n {
            for new in (0..=n).filter(|&new| new != old) {
                net.transitions(&format!(
                    "OtherProcess_{process}_{old}_{new}: State_{process}_{old} State_{before}_{new} \
                     -> State_{process}_{new} State_{before}_{new}"
                ));
            }
        }
    }
    net
}
