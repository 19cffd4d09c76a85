//! Ultimately periodic words, random and all of them.

use dalsegno_kripke::{Letter, MAX_PROPOSITIONS, Word};
use dalsegno_logic::random::Rng;

/// A random word: a stem of 0 to `max_stem` letters and a cycle of 1 to `max_cycle`.
///
/// A cycle of at most 0 letters counts as one of 1 letter.
///
/// # Panics
/// If there are more propositions than a letter holds.
pub fn random_word(rng: &mut Rng, propositions: usize, max_stem: usize, max_cycle: usize) -> Word {
    assert!(propositions <= MAX_PROPOSITIONS, "too many propositions");
    let mask = u64::MAX.checked_shr(64 - propositions as u32).unwrap_or(0);
    let stem = rng.index(max_stem + 1);
    let cycle = 1 + rng.index(max_cycle.max(1));
    let mut letters = |n: usize| (0..n).map(|_| Letter(rng.next_u64() & mask)).collect();
    let stem = letters(stem);
    Word::new(stem, letters(cycle))
}

/// Every word with a stem of 0 to `max_stem` letters and a cycle of 1 to `max_cycle`.
///
/// # Panics
/// If the letters of a word take more than 63 bits together: there are too many words.
///
/// # Examples
/// ```
/// let words = dalsegno_testkit::words::all_words(1, 1, 2);
/// assert_eq!(words.count(), (1 + 2) * (2 + 4));
/// ```
pub fn all_words(
    propositions: usize,
    max_stem: usize,
    max_cycle: usize,
) -> impl Iterator<Item = Word> {
    let bits = propositions * (max_stem + max_cycle);
    assert!(bits < 64, "too many words");
    (0..=max_stem)
        .flat_map(move |stem| (1..=max_cycle).map(move |cycle| (stem, cycle)))
        .flat_map(move |(stem, cycle)| {
            let codes = 1u64 << (propositions * (stem + cycle));
            (0..codes).map(move |code| {
                let letter =
                    |i: usize| Letter(code >> (i * propositions) & ((1 << propositions) - 1));
                Word::new(
                    (0..stem).map(letter).collect(),
                    (stem..stem + cycle).map(letter).collect(),
                )
            })
        })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn all_words_are_different() {
        let words: Vec<Word> = all_words(2, 2, 2).collect();
        let distinct: HashSet<&Word> = words.iter().collect();
        assert_eq!(words.len(), (1 + 4 + 16) * (4 + 16));
        assert_eq!(distinct.len(), words.len());
    }

    #[test]
    fn random_words_stay_within_their_limits() {
        let mut rng = Rng::new(5);
        for propositions in [0, 1, 3, 64] {
            for _ in 0..100 {
                let word = random_word(&mut rng, propositions, 3, 4);
                assert!(word.stem.len() <= 3 && (1..=4).contains(&word.cycle.len()));
                let used = |letter: &Letter| 64 - letter.0.leading_zeros() as usize;
                assert!(
                    word.stem
                        .iter()
                        .chain(&word.cycle)
                        .all(|l| used(l) <= propositions)
                );
            }
        }
    }
}
