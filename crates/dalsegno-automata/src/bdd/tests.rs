//! Diagrams against truth tables.

use dalsegno_kripke::Budget;

use super::*;

/// Every function of three variables, from its truth table.
fn function(m: &mut Manager, table: u8) -> Bdd {
    let mut f = Bdd::FALSE;
    for row in 0..8u64 {
        if table >> row & 1 == 1 {
            let minterm = m.minterm(Letter(row), 3).unwrap();
            f = m.or(f, minterm).unwrap();
        }
    }
    f
}

fn table(m: &Manager, f: Bdd) -> u8 {
    (0..8).fold(0, |t, row| t | u8::from(m.holds(f, Letter(row))) << row)
}

#[test]
fn all_functions_of_three_variables_are_right() {
    let mut m = Manager::new();
    for a in 0..=255u8 {
        let f = function(&mut m, a);
        assert_eq!(table(&m, f), a);
        assert_eq!(m.count(f, 3), u64::from(a.count_ones()));
        assert_eq!(m.letters(f, 3).len() as u32, a.count_ones());
        let negated = m.not(f).unwrap();
        assert_eq!(table(&m, negated), !a);
        let mut sum = Bdd::FALSE;
        for cube in m.cubes(f, 8).unwrap() {
            let mut product = Bdd::TRUE;
            for (var, sign) in cube {
                let literal = m.literal(var, sign).unwrap();
                product = m.and(product, literal).unwrap();
            }
            sum = m.or(sum, product).unwrap();
        }
        assert_eq!(sum, f);
        for b in (0..=255u8).step_by(7) {
            let g = function(&mut m, b);
            let (and, or, xor) = (m.and(f, g), m.or(f, g), m.xor(f, g));
            let (and, or, xor) = (and.unwrap(), or.unwrap(), xor.unwrap());
            let size = m.size();
            assert_eq!(
                (table(&m, and), table(&m, or), table(&m, xor)),
                (a & b, a | b, a ^ b)
            );
            assert_eq!(m.implies(f, g), Ok(a & !b == 0));
            assert_eq!(m.disjoint(f, g), Ok(a & b == 0));
            assert_eq!(m.size(), size, "a question makes no node");
        }
    }
}

#[test]
fn splitting_gathers_equal_parts() {
    let mut m = Manager::new();
    // (a & x) | (!a & x & y) | (b & x), with a, b above the border and x, y below.
    let [a, b, x, y] = [0, 1, 64, 65].map(|v| m.variable(v).unwrap());
    let xy = m.and(x, y).unwrap();
    let below = m.or(a, b).unwrap();
    let above = m.and(below, x).unwrap();
    let f = m.or(above, xy).unwrap();
    let parts = m.split_at(f, 64).unwrap();
    assert_eq!(parts.len(), 2);
    let mut union = Bdd::FALSE;
    for (guard, rest) in parts {
        let part = m.and(guard, rest).unwrap();
        union = m.or(union, part).unwrap();
    }
    assert_eq!(union, f);
    let primes = m.monotone_primes(xy).unwrap();
    assert!(primes.iter().eq([[64, 65]]));
}

/// The conjunction of `x <-> y` over n pairs, all x above all y, which has 2^n nodes.
fn large(m: &mut Manager, n: u32) -> Result<Bdd, Stop> {
    let mut f = Bdd::TRUE;
    for i in 0..n {
        let (x, y) = (m.variable(i)?, m.variable(n + i)?);
        let different = m.xor(x, y)?;
        let same = m.not(different)?;
        f = m.and(f, same)?;
    }
    Ok(f)
}

#[test]
fn a_manager_that_runs_out_says_so_until_it_gets_more() {
    let budget = Budget::unlimited();
    for steps in [0, 1, 2, 5, 100, 10_000] {
        let mut m = Manager::new();
        let effort = Effort::new(&budget, steps);
        m.begin(&effort);
        assert_eq!(large(&mut m, 14), Err(Stop::Time), "{steps}");
        assert_eq!(large(&mut m, 15), Err(Stop::Time), "{steps}");
        m.end(&effort);
        assert_eq!(effort.left(), 0);
        let f = large(&mut m, 6).unwrap();
        assert_eq!(m.count(f, 12), 1 << 6);
    }
}

#[test]
fn what_is_not_used_is_given_back() {
    let budget = Budget::unlimited();
    let effort = Effort::new(&budget, 1 << 20);
    let mut m = Manager::new();
    m.begin(&effort);
    large(&mut m, 6).unwrap();
    m.end(&effort);
    let used = (1 << 20) - effort.left();
    assert!((64..10_000).contains(&used), "{used}");
}

#[test]
fn questions_stop_too() {
    let budget = Budget::unlimited();
    let mut m = Manager::new();
    let f = large(&mut m, 10).unwrap();
    let x = m.variable(19).unwrap();
    let g = m.or(f, x).unwrap();
    let effort = Effort::new(&budget, 50);
    m.begin(&effort);
    assert_eq!(m.implies(f, g), Err(Stop::Time));
    m.end(&effort);
    assert_eq!(m.implies(f, g), Ok(true));
    assert_eq!(m.implies(g, f), Ok(false));
}

#[test]
fn the_bytes_of_the_manager_and_of_its_user_count() {
    let budget = Budget::unlimited().with_bytes(1 << 20);
    let effort = Effort::unlimited(&budget);
    let mut m = Manager::new();
    m.begin(&effort);
    assert_eq!(large(&mut m, 16), Err(Stop::Memory));
    assert!(m.bytes() < 4 << 20, "{}", m.bytes());
    let mut m = Manager::new();
    m.begin(&Effort::unlimited(&budget));
    m.hold(1 << 20);
    assert_eq!(large(&mut m, 3), Err(Stop::Memory));
}

#[test]
fn forgetting_nodes_leaves_the_others_alone() {
    let mut m = Manager::new();
    let f = large(&mut m, 4).unwrap();
    let size = m.size();
    large(&mut m, 8).unwrap();
    m.truncate(size);
    assert_eq!(m.size(), size);
    assert_eq!(large(&mut m, 4), Ok(f));
    assert_eq!(m.size(), size);
    let again = large(&mut m, 8).unwrap();
    assert_eq!(m.count(again, 16), 1 << 8);
}
