//! Mutual exclusion.

use super::builder::Builder;

/// Peterson's algorithm for `n` + 1 processes and `n` turns, as a process walks through it: ask,
/// set the turn, then wait until the turn is another's or no other process wants to enter.
pub(super) fn peterson(n: u32) -> Builder {
    let mut net = Builder::new();
    for p in 0..=n {
        net.place(format!("Idle_{p}"), 1);
        net.place(format!("CS_{p}"), 0);
        net.place(format!("WantSection_{p}_F"), 1);
        net.place(format!("WantSection_{p}_T"), 0);
    }
    for turn in 0..n {
        for p in 0..=n {
            net.place(format!("Turn_{turn}_{p}"), u32::from(p == 0));
            for state in ["AskForSection", "TestTurn", "EndTurn"] {
                net.place(format!("{state}_{p}_{turn}"), 0);
            }
            for k in 0..=n {
                for state in ["BeginLoop", "TestIdentity", "IsEndLoop"] {
                    net.place(format!("{state}_{p}_{turn}_{k}"), 0);
                }
                if k != p {
                    net.place(format!("TestAlone_{p}_{turn}_{k}"), 0);
                }
            }
        }
    }
    for p in 0..=n {
        net.transitions(&format!(
            "Ask_{p}: Idle_{p} WantSection_{p}_F -> AskForSection_{p}_0 WantSection_{p}_T
             AccessCS_{p}: EndTurn_{p}_{last} -> CS_{p}
             BecomeIdle_{p}: CS_{p} WantSection_{p}_T -> Idle_{p} WantSection_{p}_F",
            last = n - 1
        ));
        for turn in 0..n {
            peterson_turn(&mut net, n, p, turn);
        }
    }
    net
}

/// What process `p` does at one turn.
fn peterson_turn(net: &mut Builder, n: u32, p: u32, turn: u32) {
    let t = turn;
    net.transitions(&format!(
        "TurnEqual_{p}_{t}: TestTurn_{p}_{t} Turn_{t}_{p} -> BeginLoop_{p}_{t}_0 Turn_{t}_{p}
         Identity_{p}_{t}: TestIdentity_{p}_{t}_{p} -> IsEndLoop_{p}_{t}_{p}
         EndLoop_{p}_{t}: IsEndLoop_{p}_{t}_{n} -> EndTurn_{p}_{t}"
    ));
    if t + 1 < n {
        let next = t + 1;
        net.transitions(&format!(
            "ProgressTurn_{p}_{t}: EndTurn_{p}_{t} -> AskForSection_{p}_{next}"
        ));
    }
    for k in 0..=n {
        net.transitions(&format!(
            "UpdateTurn_{p}_{k}_{t}: AskForSection_{p}_{t} Turn_{t}_{k} -> TestTurn_{p}_{t} Turn_{t}_{p}
             ContinueLoop_{p}_{k}_{t}: BeginLoop_{p}_{t}_{k} -> TestIdentity_{p}_{t}_{k}"
        ));
        if k < n {
            let next = k + 1;
            net.transitions(&format!(
                "Loop_{p}_{k}_{t}: IsEndLoop_{p}_{t}_{k} -> BeginLoop_{p}_{t}_{next}"
            ));
        }
        if k != p {
            net.transitions(&format!(
                "TurnDiff_{p}_{k}_{t}: TestTurn_{p}_{t} Turn_{t}_{k} -> EndTurn_{p}_{t} Turn_{t}_{k}
                 NoIdentity_{p}_{k}_{t}: TestIdentity_{p}_{t}_{k} -> TestAlone_{p}_{t}_{k}
                 Alone1_{p}_{k}_{t}: TestAlone_{p}_{t}_{k} WantSection_{k}_F -> IsEndLoop_{p}_{t}_{k} WantSection_{k}_F
                 NotAlone_{p}_{k}_{t}: TestAlone_{p}_{t}_{k} WantSection_{k}_T -> TestTurn_{p}_{t} WantSection_{k}_T"
            ));
        }
    }
}

/// Round-robin mutual exclusion (Graf, Steffen and Lüttgen 1996): a token goes round; who has it
/// may load its buffer through one shared line and passes the token on before or after the buffer
/// is emptied.
pub(super) fn round_robin(n: u32) -> Builder {
    let mut net = Builder::new();
    net.place("Line", 1);
    for i in 1..=n {
        net.place(format!("Away_{i}"), u32::from(i != 1));
        net.place(format!("Token_{i}"), u32::from(i == 1));
        net.place(format!("Asked_{i}"), 0);
        net.place(format!("Passed_{i}"), 0);
        net.place(format!("Served_{i}"), 0);
        net.place(format!("Loading_{i}"), 0);
        net.place(format!("Empty_{i}"), 1);
        net.place(format!("Full_{i}"), 0);
    }
    for i in 1..=n {
        let next = i % n + 1;
        net.transitions(&format!(
            "Ask_{i}: Token_{i} Line -> Asked_{i} Loading_{i}
             Load_{i}: Loading_{i} Empty_{i} -> Full_{i} Line
             Serve_{i}: Asked_{i} Full_{i} -> Served_{i} Empty_{i}
             ServeLate_{i}: Passed_{i} Full_{i} -> Away_{i} Empty_{i}
             PassEarly_{i}: Asked_{i} Away_{next} -> Passed_{i} Token_{next}
             Pass_{i}: Served_{i} Away_{next} -> Away_{i} Token_{next}"
        ));
    }
    net
}

/// Readers that need one slot each, and writers that need all slots.
pub(super) fn readers_writers(n: u32) -> Builder {
    let mut net = Builder::new();
    for i in 1..=n {
        net.place(format!("Slot_{i}"), 1);
        net.place(format!("ReaderIdle_{i}"), 1);
        net.place(format!("Reading_{i}"), 0);
        net.place(format!("WriterIdle_{i}"), 1);
        net.place(format!("Writing_{i}"), 0);
    }
    let slots: Vec<String> = (1..=n).map(|i| format!("Slot_{i}")).collect();
    for i in 1..=n {
        net.transitions(&format!(
            "BeginRead_{i}: ReaderIdle_{i} Slot_{i} -> Reading_{i}
             EndRead_{i}: Reading_{i} -> ReaderIdle_{i} Slot_{i}"
        ));
        let mut idle = slots.clone();
        idle.push(format!("WriterIdle_{i}"));
        let writing = [format!("Writing_{i}")];
        net.transition(format!("BeginWrite_{i}"), &idle, &writing);
        net.transition(format!("EndWrite_{i}"), &writing, &idle);
    }
    net
}
