//! Smaller inputs that still fail: greedily without lines, then without bytes.

use crate::format::Input;

/// The most candidates that are tried.
const MOST: usize = 3_000;

/// The smallest input that is found by leaving out lines and bytes while `fails` holds.
pub fn shrink(input: &Input, mut fails: impl FnMut(&Input) -> bool) -> Input {
    let mut left = MOST;
    let mut small = input.clone();
    loop {
        let before = small.bytes.len();
        leave_out(&mut small, lines, &mut left, &mut fails);
        leave_out(&mut small, bytes, &mut left, &mut fails);
        if small.bytes.len() == before || left == 0 {
            return small;
        }
    }
}

/// Where the pieces of a text end.
type Ends = fn(&[u8]) -> Vec<usize>;

fn lines(text: &[u8]) -> Vec<usize> {
    let breaks = text.iter().enumerate().filter(|&(_, &b)| b == b'\n');
    let mut ends: Vec<usize> = breaks.map(|(i, _)| i + 1).collect();
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}

fn bytes(text: &[u8]) -> Vec<usize> {
    (1..=text.len()).collect()
}

/// Leaves out runs of pieces, long ones first.
fn leave_out(
    small: &mut Input,
    ends: Ends,
    left: &mut usize,
    fails: &mut impl FnMut(&Input) -> bool,
) {
    let mut run = ends(&small.bytes).len().div_ceil(2);
    while run > 0 {
        let mut first = 0;
        loop {
            let ends = ends(&small.bytes);
            if first >= ends.len() || small.bytes.is_empty() {
                break;
            }
            if *left == 0 {
                return;
            }
            *left -= 1;
            let from = if first == 0 { 0 } else { ends[first - 1] };
            let to = ends[(first + run).min(ends.len()) - 1];
            let mut candidate = small.clone();
            candidate.bytes.drain(from..to);
            if fails(&candidate) {
                *small = candidate;
            } else {
                first += run;
            }
        }
        run /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[test]
    fn what_fails_is_left() {
        let input = Input {
            format: Format::Dve,
            bytes: b"one\ntwo (three\nfour) five\nsix".to_vec(),
        };
        let fails = |input: &Input| input.bytes.contains(&b'(') && input.bytes.contains(&b')');
        assert_eq!(shrink(&input, fails).bytes, b"()");
        assert_eq!(shrink(&input, |_| true).bytes, b"");
        assert_eq!(shrink(&input, |_| false), input);
    }
}
