//! A coloured net without its colours.
//!
//! Each place keeps its number of tokens and each transition how many it takes and puts, which is the same
//! in all bindings; guards and inhibitors are dropped. Every run of the coloured net, with the tokens counted
//! and not looked at, is a run of this net. So what holds of all reachable markings here holds of the
//! numbers of tokens there; what is reachable here may not be reachable there.
//!
//! It is as small as the coloured net, and answers some questions about nets that are too large to unfold.

use super::multiset::{Factor, Multiset, Part};
use super::net::{ColouredArcs, ColouredNet};
use super::sort::Sorts;
use crate::petri::net::{Arcs, PetriNet, Place, Transition};

/// The net that only counts tokens, with the places and transitions of `net` in their order; `None` if a
/// number does not fit.
#[must_use]
pub fn skeleton(net: &ColouredNet) -> Option<PetriNet> {
    let places = net.places.iter().map(|p| {
        Some(Place {
            id: p.id.clone(),
            name: p.name.clone(),
            initial: count(&p.initial, &net.sorts)?,
        })
    });
    let places = places.collect::<Option<Vec<Place>>>()?;
    let arcs = |arcs: &ColouredArcs| {
        let counted = arcs
            .iter()
            .map(|(place, term)| Some((*place, count(term, &net.sorts)?)));
        let counted = counted.collect::<Option<Arcs>>()?;
        Some(counted.into_iter().filter(|&(_, n)| n > 0).collect())
    };
    let transitions = net.transitions.iter().map(|t| {
        Some(Transition {
            id: t.id.clone(),
            name: t.name.clone(),
            pre: arcs(&t.pre)?,
            post: arcs(&t.post)?,
            test: arcs(&t.test)?,
            inhibit: Arcs::new(),
        })
    });
    let transitions = transitions.collect::<Option<Vec<Transition>>>()?;
    PetriNet::new(net.name.clone(), places, transitions, None).ok()
}

/// How many tokens a term stands for, whatever its variables are.
pub(super) fn count(term: &Multiset, sorts: &Sorts) -> Option<u32> {
    let leaves = sorts.leaves(term.sort);
    let mut total: i64 = 0;
    for summand in &term.summands {
        let mut product = summand.coefficient;
        for (factor, &leaf) in summand.factors.iter().zip(leaves) {
            product = product.checked_mul(width(factor, sorts.leaf_size(leaf))?)?;
        }
        total = total.checked_add(product)?;
    }
    u32::try_from(total).ok()
}

fn width(factor: &Factor, size: u32) -> Option<i64> {
    let mut total: i64 = 0;
    for &(part, weight) in factor {
        let colours = if part == Part::All {
            i64::from(size)
        } else {
            1
        };
        total = total.checked_add(weight.checked_mul(colours)?)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::petri::generators::Family;

    #[test]
    fn tokens_are_counted_whatever_their_colours() {
        let net = Family::Philosophers.generate_coloured(7).unwrap();
        let counted = skeleton(&net).unwrap();
        let initial = counted.places().iter().map(|p| (p.id.as_str(), p.initial));
        let marked: Vec<_> = initial.filter(|&(_, n)| n > 0).collect();
        assert_eq!(marked, [("Think", 7), ("Fork", 7)]);
        let end = counted
            .transitions()
            .iter()
            .find(|t| t.id == "End")
            .unwrap();
        let fork = counted
            .places()
            .iter()
            .position(|p| p.id == "Fork")
            .unwrap();
        let put = end.post.iter().find(|(p, _)| p.index() == fork).unwrap();
        assert_eq!(put.1, 2, "two forks are put back");
    }
}
