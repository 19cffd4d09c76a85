//! The short words of tables and plots, and what they mean.

/// An abbreviation and its meaning.
pub type Abbreviation = (&'static str, &'static str);

const ALL: [Abbreviation; 14] = [
    ("BA", "Büchi automaton"),
    ("TGBA", "transition-based generalised Büchi automaton"),
    (
        "TA",
        "testing automaton: reads what changes, accepts infinite stuttering by livelock states",
    ),
    (
        "TGTA",
        "transition-based generalised testing automaton: reads what changes",
    ),
    ("sat", "fixpoints by saturation"),
    (
        "nosat",
        "fixpoints by breadth-first steps, without saturation",
    ),
    (
        "loops",
        "saturation that uses the self-loops of the automaton, too",
    ),
    (
        "avg",
        "average over the formulas that every approach decided",
    ),
    ("max", "the largest value among them"),
    ("trans.", "transitions"),
    ("s", "seconds of processor time"),
    ("MB", "peak memory in millions of bytes"),
    (
        "stut. %",
        "share of the model's transitions that the formula cannot see, in percent",
    ),
    (
        "geom.",
        "geometric mean of the ratios of the formulas: the typical ratio",
    ),
];

/// The meaning of an abbreviation.
#[must_use]
pub fn meaning(word: &str) -> Option<&'static str> {
    let found = ALL.iter().find(|(short, _)| *short == word);
    found.map(|(_, meaning)| *meaning)
}

/// The abbreviations among these texts, each of which is one or has some as words.
#[must_use]
pub fn used<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<Abbreviation> {
    let mut found = [false; ALL.len()];
    for text in texts {
        let between = |c: char| c.is_whitespace() || "()/,:".contains(c);
        for ((short, _), found) in ALL.iter().zip(&mut found) {
            *found |= text == *short || text.split(between).any(|word| word == *short);
        }
    }
    let all = ALL.into_iter().zip(found);
    all.filter_map(|(abbreviation, found)| found.then_some(abbreviation))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_occur_are_found() {
        let found = used(["TGTA (nosat)", "stut. %", "states"]);
        let words: Vec<&str> = found.iter().map(|(short, _)| *short).collect();
        assert_eq!(words, ["TGTA", "nosat", "stut. %"]);
        assert_eq!(meaning("MB"), Some("peak memory in millions of bytes"));
        assert_eq!(meaning("states"), None);
    }
}
