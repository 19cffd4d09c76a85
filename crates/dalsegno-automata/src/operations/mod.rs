//! Operations on languages: what tools around automata need.
//!
//! Automata here read letters; a testing automaton takes part once it is an automaton over letters
//! ([`letters`]).
//!
//! - [`intersection`], [`union`], [`is_empty`], [`accepted_word`]: products of two automata, and words of one;
//! - [`accepts`]: whether a lasso word is accepted, by definition;
//! - [`complement()`]: the words that are not accepted;
//! - [`compare`]: inclusion and equivalence, with a word that tells two languages apart;
//! - [`stutter_witness`]: stutter-invariance, with two words that show that it fails;
//! - [`acceptance`] and [`fin_removal`]: other acceptance conditions become generalised Büchi;
//! - [`hierarchy`]: the class of a language in the hierarchy of Manna and Pnueli;
//! - [`word`]: how lasso words are written;
//! - [`reduce()`]: a smaller automaton of the same language;
//! - [`run`]: the states that an automaton passes along a word.
//!
//! Every operation has an effort, and stops with an error when it runs out.

pub mod acceptance;
pub mod accepts;
pub mod compare;
pub mod complement;
pub mod fin_removal;
pub mod hierarchy;
pub mod letters;
pub mod reduce;
pub mod run;
pub mod stutter_witness;
pub mod word;

pub use crate::ltl::tableau::Error;
pub use crate::omega::product::{intersection, union};
pub use crate::omega::words::{accepted_word, is_empty};
pub use complement::complement;
pub use reduce::{buchi, reduce};

use dalsegno_kripke::Stop;

use crate::bdd::{Bdd, Manager};
use crate::omega::edge::Edge;

/// The alphabet split by which of `edges` a letter enables: each class with its edges.
///
/// There are at most as many classes as letters, and at most 2^n for n edges.
fn letter_classes<'e>(
    guards: &mut Manager,
    alphabet: Bdd,
    edges: impl IntoIterator<Item = &'e Edge>,
) -> Result<Vec<(Bdd, Vec<Edge>)>, Stop> {
    let mut classes: Vec<(Bdd, Vec<Edge>)> = vec![(alphabet, Vec::new())];
    for edge in edges {
        let mut split = Vec::with_capacity(classes.len() + 1);
        for (class, enabled) in classes {
            guards.spend(1 + enabled.len() as u64 / 8)?;
            let inside = guards.and(class, edge.guard)?;
            if inside == Bdd::FALSE {
                split.push((class, enabled));
                continue;
            }
            let outside = guards.minus(class, edge.guard)?;
            if outside != Bdd::FALSE {
                split.push((outside, enabled.clone()));
            }
            let mut more = enabled;
            more.push(*edge);
            split.push((inside, more));
        }
        classes = split;
    }
    Ok(classes)
}
