//! Dining philosophers.

use super::builder::Builder;

/// Philosophers who take the left or the right fork first, then the other, and put both back.
pub(super) fn one_by_one(n: u32) -> Builder {
    let mut net = Builder::new();
    for i in 1..=n {
        net.place(format!("Think_{i}"), 1);
        net.place(format!("Fork_{i}"), 1);
        for state in ["Catch1", "Catch2", "Eat"] {
            net.place(format!("{state}_{i}"), 0);
        }
    }
    for i in 1..=n {
        let other = if i == 1 { n } else { i - 1 };
        net.transitions(&format!(
            "FF1a_{i}: Think_{i} Fork_{other} -> Catch1_{i}
             FF1b_{i}: Think_{i} Fork_{i} -> Catch2_{i}
             FF2a_{i}: Catch1_{i} Fork_{i} -> Eat_{i}
             FF2b_{i}: Catch2_{i} Fork_{other} -> Eat_{i}
             End_{i}: Eat_{i} -> Think_{i} Fork_{i} Fork_{other}"
        ));
    }
    net
}

/// Philosophers who become hungry with both hands, each hand then waiting for its fork.
pub(super) fn both_at_once(n: u32) -> Builder {
    let mut net = Builder::new();
    for i in 1..=n {
        net.place(format!("Idle_{i}"), 1);
        net.place(format!("Fork_{i}"), 1);
        for state in ["WaitLeft", "WaitRight", "HasLeft", "HasRight"] {
            net.place(format!("{state}_{i}"), 0);
        }
    }
    for i in 1..=n {
        let right = i % n + 1;
        net.transitions(&format!(
            "GoEat_{i}: Idle_{i} -> WaitLeft_{i} WaitRight_{i}
             GetLeft_{i}: WaitLeft_{i} Fork_{i} -> HasLeft_{i}
             GetRight_{i}: WaitRight_{i} Fork_{right} -> HasRight_{i}
             Release_{i}: HasLeft_{i} HasRight_{i} -> Idle_{i} Fork_{i} Fork_{right}"
        ));
    }
    net
}
