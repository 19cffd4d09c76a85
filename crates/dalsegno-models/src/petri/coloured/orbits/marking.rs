//! Markings in colours, and their short form.
//!
//! A marking is the list of its tokens, ascending by place and colour. Its short form has one entry for colours that follow
//! each other in a place with the same number of tokens: representatives have colours that are alike side by side, so
//! it is short even where there are thousands of tokens.

/// A place, a colour, and how many tokens there are of it; never none.
pub(super) type Token = (u32, u64, u32);

/// The tokens, ascending.
pub(super) type Marking = Vec<Token>;

/// How many tokens of a colour a marking has.
pub(super) fn count(marking: &[Token], place: u32, colour: u64) -> u32 {
    let found = marking.binary_search_by_key(&(place, colour), |&(p, c, _)| (p, c));
    found.map_or(0, |at| marking[at].2)
}

/// The short form.
pub(super) fn encode(marking: &[Token]) -> Vec<u8> {
    let mut code = Vec::new();
    let (mut at, mut last_place, mut next_colour) = (0, 0, 0);
    while at < marking.len() {
        let (place, colour, n) = marking[at];
        let mut length = 1;
        while marking.get(at + length) == Some(&(place, colour.wrapping_add(length as u64), n)) {
            length += 1;
        }
        if place != last_place {
            next_colour = 0;
        }
        number(&mut code, u64::from(place - last_place));
        number(&mut code, colour - next_colour);
        number(&mut code, length as u64);
        number(&mut code, u64::from(n));
        last_place = place;
        next_colour = colour + length as u64;
        at += length;
    }
    code
}

/// Calls `see` with place, first colour, how many colours, and the tokens of each.
pub(super) fn runs(code: &[u8], mut see: impl FnMut(u32, u64, u64, u32)) {
    let (mut at, mut place, mut next_colour) = (0, 0, 0);
    let mut read = || {
        let (mut value, mut shift) = (0_u64, 0);
        while let Some(&byte) = code.get(at) {
            at += 1;
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    };
    while let (Some(step), Some(gap), Some(length), Some(n)) = (read(), read(), read(), read()) {
        if step != 0 {
            next_colour = 0;
        }
        place += step as u32;
        see(place, next_colour + gap, length, n as u32);
        next_colour += gap + length;
    }
}

/// The marking of a short form.
pub(super) fn decode(code: &[u8]) -> Marking {
    let mut marking = Marking::new();
    runs(code, |place, first, length, n| {
        marking.extend((first..first + length).map(|colour| (place, colour, n)));
    });
    marking
}

fn number(code: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        code.push(value as u8 | 128);
        value >>= 7;
    }
    code.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_read_back() {
        let big = 1 << 60;
        let marking = vec![
            (0, 3, 1),
            (0, 4, 1),
            (0, 5, 2),
            (2, 0, 1),
            (2, big, 7),
            (2, big + 1, 7),
            (9, 1, u32::MAX),
        ];
        let code = encode(&marking);
        assert_eq!(decode(&code), marking);
        assert_eq!(count(&marking, 2, big), 7);
        assert_eq!(count(&marking, 2, 5), 0);
        assert!(decode(&encode(&[])).is_empty());
    }
}
