//! Damages texts: letters, words, lines, numbers, brackets, nesting, encodings.

use std::ops::Range;

use dalsegno::logic::random::Rng;

/// The longest text that comes out.
const LONGEST: usize = 1 << 16;

const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "00",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "1000000000000000000000000000000",
    "1e9",
];

const PIECES: [&str; 40] = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "&",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "\\",
    "/*",
    "*/",
    "//",
    "#",
    "!",
    "@",
    "^",
    ",",
    ";",
    ":",
    "=",
    "->",
    "G",
    "X ",
    "t",
    "\n",
    "\r\n",
    "é",
];

const CONTROLS: [&[u8]; 12] = [
    b"\0",
    b"\x01",
    b"\x1b",
    b"\x7f",
    b"\t",
    b"\r",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    "\u{feff}".as_bytes(),
    "\u{2028}".as_bytes(),
];

/// A damaged copy of one of some texts; one in twenty is whole.
///
/// # Panics
/// If there is no text.
#[must_use]
pub fn mutate(seeds: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut text = seeds[rng.index(seeds.len())].clone();
    if rng.chance(1, 20) {
        return text;
    }
    let most = if rng.chance(1, 4) { 8 } else { 2 };
    for _ in 0..=rng.index(most) {
        let other = &seeds[rng.index(seeds.len())];
        damage(&mut text, other, rng);
        text.truncate(LONGEST);
    }
    text
}

fn damage(text: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    if text.is_empty() {
        text.extend_from_slice(other);
        return;
    }
    let at = rng.index(text.len());
    match rng.index(20) {
        0 => text[at] ^= 1 << rng.index(8),
        1 => text[at] = rng.index(256) as u8,
        2 => drop(text.drain(piece(text, at, 40, rng))),
        3 => {
            let copy = text[piece(text, at, 60, rng)].to_vec();
            insert(text, &copy, rng);
        }
        4 => drop(text.drain(word(text, at))),
        5 | 6 => {
            let from = rng.index(text.len());
            let new = text[word(text, from)].to_vec();
            text.splice(word(text, at), new);
        }
        7 => {
            let from = rng.index(other.len().max(1));
            let new = other.get(word(other, from)).unwrap_or_default().to_vec();
            text.splice(word(text, at), new);
        }
        8 => {
            let copy = text[word(text, at)].to_vec();
            insert(text, &copy, rng);
        }
        9 => drop(text.drain(line(text, at))),
        10 => {
            let copy = text[line(text, at)].to_vec();
            let to = line(text, rng.index(text.len())).start;
            text.splice(to..to, copy);
        }
        11 => {
            let to = rng.index(text.len());
            let (a, b) = (line(text, at.min(to)), line(text, at.max(to)));
            if a.end <= b.start {
                let (first, second) = (text[a.clone()].to_vec(), text[b.clone()].to_vec());
                text.splice(b, first);
                text.splice(a, second);
            }
        }
        12 => {
            let from = rng.index(other.len().max(1));
            text.truncate(at);
            text.extend_from_slice(other.get(from..).unwrap_or_default());
        }
        13 | 14 => number(text, at, rng),
        15 => insert(text, PIECES[rng.index(PIECES.len())].as_bytes(), rng),
        16 => nest(text, at, rng),
        17 => insert(text, CONTROLS[rng.index(CONTROLS.len())], rng),
        18 => text.truncate(at),
        _ => {
            let from = rng.index(other.len().max(1));
            let copy = other.get(piece(other, from, 80, rng)).unwrap_or_default();
            let copy = copy.to_vec();
            insert(text, &copy, rng);
        }
    }
}

fn insert(text: &mut Vec<u8>, piece: &[u8], rng: &mut Rng) {
    let at = rng.index(text.len() + 1);
    text.splice(at..at, piece.iter().copied());
}

/// Some bytes from a position on, at most `most`.
fn piece(text: &[u8], at: usize, most: usize, rng: &mut Rng) -> Range<usize> {
    let start = at.min(text.len());
    start..(at + rng.index(most)).min(text.len()).max(start)
}

/// The word around a position, or the sign there.
fn word(text: &[u8], at: usize) -> Range<usize> {
    let letter = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    if at >= text.len() {
        return 0..0;
    }
    let before = text[..at].iter().rev().take_while(|b| letter(b)).count();
    let after = text[at..].iter().take_while(|b| letter(b)).count();
    if after == 0 {
        at..at + 1
    } else {
        at - before..at + after
    }
}

/// The line around a position, with its break.
fn line(text: &[u8], at: usize) -> Range<usize> {
    let start = text[..at].iter().rposition(|&b| b == b'\n');
    let end = text[at..].iter().position(|&b| b == b'\n');
    start.map_or(0, |i| i + 1)..end.map_or(text.len(), |i| at + i + 1)
}

/// Puts an extreme number in the place of the next one after a position.
fn number(text: &mut Vec<u8>, at: usize, rng: &mut Rng) {
    let new = NUMBERS[rng.index(NUMBERS.len())].bytes();
    let Some(start) = text[at..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = at + start;
    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit());
    let end = start + digits.count();
    text.splice(start..end, new);
}

/// Repeats a piece many times: brackets, tags and operators become deep.
fn nest(text: &mut Vec<u8>, at: usize, rng: &mut Rng) {
    let repeated = match rng.index(3) {
        0 => PIECES[rng.index(PIECES.len())].as_bytes().to_vec(),
        1 => text[word(text, at)].to_vec(),
        _ => text[piece(text, at, 30, rng)].to_vec(),
    };
    let times = [3, 10, 100, 1000, 5000][rng.index(5)];
    let most = LONGEST / 2 / repeated.len().max(1);
    text.splice(at..at, repeated.repeat(times.min(most)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_lines_are_found_around_a_position() {
        let text = b"ab (c-1)\nd";
        assert_eq!(word(text, 1), 0..2);
        assert_eq!(word(text, 5), 4..7);
        assert_eq!(word(text, 3), 3..4);
        assert_eq!(line(text, 3), 0..9);
        assert_eq!(line(text, 9), 9..10);
    }

    #[test]
    fn the_same_numbers_make_the_same_text() {
        let seeds = [b"one 1\ntwo 2\n".to_vec(), b"<three/>".to_vec(), Vec::new()];
        let make = || {
            let mut rng = Rng::new(8);
            (0..500)
                .map(|_| mutate(&seeds, &mut rng))
                .collect::<Vec<_>>()
        };
        let texts = make();
        assert_eq!(texts, make());
        assert!(texts.iter().all(|text| text.len() <= LONGEST));
        let changed = texts.iter().filter(|&text| !seeds.contains(text));
        assert!(changed.count() > 250);
    }
}
