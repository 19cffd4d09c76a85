//! Families that describe words or systems: repeated words, an arbiter, counters.

use super::{after, all, any, nested};

/// At most one of the atoms, always.
fn exclusive(atoms: &[String]) -> String {
    let pairs = atoms.iter().enumerate();
    let pairs =
        pairs.flat_map(|(i, a)| atoms[i + 1..].iter().map(move |b| format!("!({a} & {b})")));
    format!("G({})", pairs.collect::<Vec<_>>().join(" & "))
}

/// c separates words of n letters ai, bi; d marks the word that must have occurred before.
pub(super) fn kr_n(n: usize) -> String {
    let one = |i: usize| format!("(a{i} | b{i})");
    let first = format!("c & X({} | d)", one(1));
    let order = all(n, |i| {
        if i < n {
            format!("({} -> X{})", one(i), one(i + 1))
        } else {
            format!("({} -> X(c & X({} | d | G c)))", one(n), one(1))
        }
    });
    let last = format!("!d U (d & X({} & {}))", one(1), after(n, "G c"));
    let again = |x: &str, i: usize| format!("({x}{i} & F(d & F {x}{i}))");
    let same = any(n, |i| format!("{} | {}", again("a", i), again("b", i)));
    let atoms: Vec<String> = (1..=n)
        .flat_map(|i| [format!("a{i}"), format!("b{i}")])
        .collect();
    let letters = atoms.join(" | ");
    let apart = all(n, |i| format!("!(a{i} & b{i})"));
    format!(
        "{first} & G({order}) & ({last}) & F(c & X(!c & (({same}) U c))) & \
         G((c | d) -> !({letters})) & G(!(c & d)) & G({apart})"
    )
}

/// The number i - 1 in k bits, the lowest first, by atoms y for 0 and z for 1 in a row.
fn binary(k: u32, i: usize) -> String {
    let bit = |j: u32| if (i - 1) >> j & 1 == 1 { "z" } else { "y" }.to_owned();
    nested(k as usize, |j| bit(j as u32 - 1), "& X")
}

pub(super) fn kr_nlogn(n: usize) -> String {
    let k = n.next_power_of_two().trailing_zeros().max(1);
    let digits = k as usize;
    let first = format!("c & X({} | d)", binary(k, 1));
    let order = all(n, |i| {
        let next = if i < n {
            format!("(a | b) & X{}", binary(k, i + 1))
        } else {
            format!("(a | b) & X(c & X({} | d | G c))", binary(k, 1))
        };
        format!("({} -> {})", binary(k, i), after(digits, &next))
    });
    let length = n * (digits + 1);
    let last = format!("!d U (d & X({} & {}))", binary(k, 1), after(length, "G c"));
    let same = all(n, |i| {
        let again = |x: &str| format!("({x} & F(d & F({} & {})))", binary(k, i), after(digits, x));
        let seen = format!("{} | {}", again("a"), again("b"));
        format!("({} -> {})", binary(k, i), after(digits, &seen))
    });
    let atoms = ["a", "b", "c", "d", "y", "z"].map(str::to_owned);
    format!(
        "{first} & G({order}) & ({last}) & F(c & X(!c & (({same}) U c))) & {}",
        exclusive(&atoms)
    )
}

pub(super) fn kv_psi(n: usize) -> String {
    let word = (0..n).fold("X G c".to_owned(), |f, _| format!("X((a | b) & {f})"));
    let same = all(n, |i| {
        let at = |x: &str| format!("({} & G(d -> {}))", after(i, x), after(i, x));
        format!("({} | {})", at("a"), at("b"))
    });
    let atoms = ["a", "b", "c", "d"].map(str::to_owned);
    format!(
        "(!d U (d & {word})) & F(c & {same} & {}) & {}",
        after(n + 1, "c"),
        exclusive(&atoms)
    )
}

/// Clients raise ri until gi is granted and lower it after; grants exclude each other.
pub(super) fn arbiter(n: usize) -> String {
    let start = all(n, |i| format!("!r{i}"));
    let patient = all(n, |i| format!("((r{i} xor g{i}) -> (r{i} <-> X r{i}))"));
    let fair = all(n, |i| format!("G F !(r{i} & g{i})"));
    let idle = all(n, |i| format!("!g{i}"));
    let stable = all(n, |i| format!("((r{i} <-> g{i}) -> (g{i} <-> X g{i}))"));
    let served = all(n, |i| format!("G F(r{i} <-> g{i})"));
    let grants: Vec<String> = (1..=n).map(|i| format!("g{i}")).collect();
    let apart = if n > 1 {
        exclusive(&grants)
    } else {
        "1".to_owned()
    };
    format!("(({start}) & G({patient}) & {fair}) -> (({idle}) & {apart} & G({stable}) & {served})")
}

/// `part(i)` after i steps for all i below n: each with its own steps, or sharing them.
fn steps(n: usize, linear: bool, part: &str) -> String {
    if linear {
        nested(n, |_| part.to_owned(), "& X")
    } else {
        format!("({})", all(n, |i| after(i - 1, part)))
    }
}

/// m marks the lowest bit of each number, whose bits b follow in n steps.
fn marker(n: usize, linear: bool) -> String {
    let between = if n > 1 {
        format!("X{} & ", steps(n - 1, linear, "!m"))
    } else {
        String::new()
    };
    let zero = steps(n, linear, "!b");
    format!("m & G(m -> ({between}{})) & {zero}", after(n, "m"))
}

pub(super) fn counter(n: usize, linear: bool) -> String {
    let (set, clear) = (after(n, "b"), after(n, "!b"));
    let same = format!("(!m & (b -> {set}) & (!b -> {clear})) U m");
    let carried = format!("m | (!m & !b & {set} & X({same}))");
    format!(
        "{} & G((m & !b) -> ({set} & X({same}))) & \
         G((m & b) -> ({clear} & X((b & !m & {clear}) U ({carried}))))",
        marker(n, linear)
    )
}

pub(super) fn carry(n: usize, linear: bool) -> String {
    let (set, clear) = (after(n, "b"), after(n, "!b"));
    let (next_set, next_clear) = (after(n + 1, "b"), after(n + 1, "!b"));
    format!(
        "{} & G((m & !b) -> (!c & {set})) & G((m & b) -> (c & {clear})) & \
         G((!c & X!m) -> (X!c & (X b -> {next_set}) & (X!b -> {next_clear}))) & \
         G((c & X!m) -> ((X!b -> (X!c & {next_set})) & (X b -> (X c & {next_clear}))))",
        marker(n, linear)
    )
}
