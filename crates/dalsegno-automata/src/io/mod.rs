//! Automata as text: HOA, DOT and JSON.

pub mod dot;
pub mod hoa;
pub mod json;
pub mod names;

/// Documents of testing automata for tests, written as the writer writes them.
#[cfg(test)]
pub(crate) mod documents {
    /// A TA of `F G a` that guesses when `a` stays true.
    pub(crate) const TA: &str = r#"HOA: v1
name: "F G a"
States: 3
Start: 0
Start: 1
Start: 2
AP: 1 "change(a)"
Acceptance: 3 Inf(0) | (Fin(2)&Inf(1))
properties: trans-labels explicit-labels no-univ-branch trans-acc
testing-kind: ta
testing-propositions: "a"
testing-initial: "!0" 0 "0" 1 "0" 2
--BODY--
State: 0
[!0] 0
[0] 1 {2}
[0] 2 {2}
State: 1
[!0] 1
[0] 0 {2}
State: 2
[!0] 2 {1}
--END--
"#;

    /// A TGTA of `G F a`.
    pub(crate) const TGTA: &str = r#"HOA: v1
name: "G F a"
States: 2
Start: 0
Start: 1
AP: 1 "change(a)"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels no-univ-branch trans-acc
testing-kind: tgta
testing-propositions: "a"
testing-initial: "!0" 0 "0" 1
--BODY--
State: 0
[!0] 0
[0] 1
State: 1
[0] 0 {0}
[!0] 1 {0}
--END--
"#;
}
