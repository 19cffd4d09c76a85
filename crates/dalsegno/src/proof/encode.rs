//! Proofs as files: the format is that of `dalsegno_verify::diagram`.

use dalsegno_verify::claim::Header;
use dalsegno_verify::diagram::{Alive, Diagram};

/// The file of a proof by diagram.
#[must_use]
pub fn encode(header: &Header, diagram: &Diagram) -> Vec<u8> {
    let mut out = header.show().into_bytes();
    number(&mut out, diagram.levels.len() as u64);
    for level in &diagram.levels {
        number(&mut out, level.places.len() as u64);
        for &place in &level.places {
            number(&mut out, place as u64);
        }
        number(&mut out, level.values.len() as u64);
        for &tokens in level.values.iter().flatten() {
            number(&mut out, u64::from(tokens));
        }
    }
    number(&mut out, diagram.slots.len() as u64);
    for slot in &diagram.slots {
        number(&mut out, slot.len() as u64);
        for &f in slot {
            number(&mut out, f as u64);
        }
    }
    number(&mut out, diagram.leaves.len() as u64);
    for leaf in &diagram.leaves {
        number(&mut out, leaf.letter);
        number(
            &mut out,
            match leaf.alive {
                Alive::Unknown => 0,
                Alive::Dead => 1,
                Alive::By(t) => t as u64 + 2,
            },
        );
        number(&mut out, leaf.cells.len() as u64);
        let mut from = 0;
        for cell in &leaf.cells {
            number(&mut out, (cell.slot - from) as u64);
            from = cell.slot + 1;
            number(&mut out, cell.rank);
            number(&mut out, cell.choice.map_or(0, |t| t as u64 + 1));
        }
    }
    for level in (0..diagram.levels.len()).rev() {
        let nodes = diagram.nodes(level);
        number(&mut out, nodes.len() as u64);
        let mut last = i64::from(diagram.nodes(level + 1).start);
        for node in nodes {
            let arcs = diagram.arcs(node);
            number(&mut out, arcs.len() as u64);
            let mut from = 0;
            for &(value, child) in arcs {
                number(&mut out, u64::from(value - from));
                from = value + 1;
                let difference = i64::from(child) - last;
                last = i64::from(child);
                number(&mut out, signed(difference));
            }
        }
    }
    out
}

/// Appends a number, seven bits a byte.
pub(super) fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A signed number as an unsigned one: the lowest bit is the sign.
pub(super) fn signed(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}
