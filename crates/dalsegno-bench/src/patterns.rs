//! Patterns of the literature without `X`: the property specification patterns of Dwyer, Avrunin and
//! Corbett (1998) in their scopes, and formulas that papers on translations compare.

/// One formula per line; `#` starts a comment.
const TEXT: &str = include_str!("patterns.ltl");

/// All patterns.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    TEXT.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use dalsegno::logic::{FormulaStore, Fragment, parse};

    use super::*;

    #[test]
    fn patterns_are_distinct_and_without_next() {
        let mut store = FormulaStore::new();
        let mut seen = HashSet::new();
        for text in all() {
            let f = parse(&mut store, text).unwrap_or_else(|e| panic!("{}", e.render(text)));
            assert!(store.is(f, Fragment::LTL) && !text.contains('X'), "{text}");
            assert!(seen.insert(f), "{text}");
        }
        assert!(seen.len() > 60);
    }
}
