//! Which single colours of places a text names, as `Fork(3)` does.
//!
//! What is found is a superset of what the text means: a name may stand in a comment. Labels with commas or brackets are not
//! found; who needs them reads the text with the names of the unfolded net.

use super::net::ColouredNet;
use super::sort::{SortId, SortKind, Sorts};
use crate::petri::net::PlaceId;

/// The colours that are named in the text, ascending and without repetitions.
#[must_use]
pub fn named_colours(net: &ColouredNet, text: &str) -> Vec<(PlaceId, u64)> {
    let mut found = Vec::new();
    for (number, place) in (0..).map(PlaceId).zip(&net.places) {
        if net.sorts.size(place.sort) == 1 || place.id.is_empty() {
            continue;
        }
        for (at, _) in text.match_indices(place.id.as_str()) {
            let rest = text[at + place.id.len()..].strip_prefix('(');
            let Some((labels, _)) = rest.and_then(|rest| rest.split_once(')')) else {
                continue;
            };
            let leaves = net.sorts.leaves(place.sort);
            let labels: Vec<&str> = labels.split(',').collect();
            if labels.len() != leaves.len() {
                continue;
            }
            let pairs = leaves.iter().zip(labels);
            let digits = pairs.map(|(&leaf, label)| colour(&net.sorts, leaf, label));
            if let Some(digits) = digits.collect::<Option<Vec<u32>>>() {
                found.push((number, net.sorts.encode(place.sort, &digits)));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The colour with this name of a sort that is no product.
fn colour(sorts: &Sorts, sort: SortId, label: &str) -> Option<u32> {
    match &sorts.get(sort).kind {
        SortKind::Dot | SortKind::Product(_) => (label == "dot").then_some(0),
        SortKind::Range { start, end } => {
            let value: i64 = label.parse().ok()?;
            let inside = (*start..=*end).contains(&value);
            inside.then(|| u32::try_from(value - start).ok())?
        }
        SortKind::Enumeration { constants, .. } => {
            let position = constants.iter().position(|c| c.name == label)?;
            u32::try_from(position).ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::generators::Family;

    #[test]
    fn colours_are_found_by_their_labels() {
        let net = Family::Philosophers.generate_coloured(5).unwrap();
        let place = |id: &str| {
            let at = net.places.iter().position(|p| p.id == id).unwrap();
            PlaceId(at as u32)
        };
        let text = "G(\"'Fork(3)' >= 1\" -> F \"'Fork(1)' + 'Eat(5)' + 'Fork(3)' >= 1\") | 'Eat(9)' | Think | Fork(1,2)";
        let mut expected = vec![(place("Fork"), 0), (place("Fork"), 2), (place("Eat"), 4)];
        expected.sort_unstable();
        assert_eq!(named_colours(&net, text), expected);
    }
}
