//! The nearest names to a misspelt one.

/// The most names that are worth showing.
const SHOWN: usize = 3;

/// The bytes of a name that is looked for; longer ones have no near names.
const LONGEST: usize = 1000;

/// The names that look most like `name`, the best first and at most three.
///
/// Alike means few edits: a character left out, put in, replaced, or exchanged with its neighbour,
/// about one per three characters; upper and lower case are alike. Names of one distance keep the
/// order of `candidates`.
///
/// # Examples
/// ```
/// use dalsegno_logic::nearest::nearest;
///
/// assert_eq!(nearest("Plcae1", ["Place1", "Place2", "Other"]), ["Place1", "Place2"]);
/// assert!(nearest("x", ["Place1"]).is_empty());
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // The table of distances is the product of both lengths; nobody mistypes such a name.
    if name.len() > LONGEST {
        return Vec::new();
    }
    let wanted: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let limit = wanted.len().div_ceil(3).min(4);
    let mut best: Vec<(usize, &'a str)> = Vec::new();
    let mut other = Vec::new();
    let mut rows = Rows::default();
    for candidate in candidates {
        other.clear();
        other.extend(candidate.chars().flat_map(char::to_lowercase));
        let Some(distance) = rows.distance(&wanted, &other, limit) else {
            continue;
        };
        let place = best.partition_point(|&(d, _)| d <= distance);
        if place < SHOWN && best.iter().all(|&(_, shown)| shown != candidate) {
            best.insert(place, (distance, candidate));
            best.truncate(SHOWN);
        }
    }
    best.into_iter().map(|(_, candidate)| candidate).collect()
}

/// ": did you mean `a` or `b`?", or nothing if no name is near; for the end of a message.
#[must_use]
pub fn hint(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("; did you mean `{only}`?"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("; did you mean {} or `{last}`?", first.join(", "))
        }
    }
}

/// The last three rows of the table of distances between beginnings.
#[derive(Default)]
struct Rows {
    before: Vec<usize>,
    above: Vec<usize>,
    row: Vec<usize>,
}

impl Rows {
    /// The optimal string alignment distance, if it is at most `limit`.
    fn distance(&mut self, a: &[char], b: &[char], limit: usize) -> Option<usize> {
        if a.len().abs_diff(b.len()) > limit {
            return None;
        }
        self.above.clear();
        self.above.extend(0..=b.len());
        self.before.clear();
        self.before.resize(b.len() + 1, 0);
        for i in 0..a.len() {
            self.row.clear();
            self.row.push(i + 1);
            for j in 0..b.len() {
                let replaced = self.above[j] + usize::from(a[i] != b[j]);
                let mut least = replaced.min(self.above[j + 1] + 1).min(self.row[j] + 1);
                if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                    least = least.min(self.before[j - 1] + 1);
                }
                self.row.push(least);
            }
            if self.row.iter().min() > Some(&limit) {
                return None;
            }
            std::mem::swap(&mut self.before, &mut self.above);
            std::mem::swap(&mut self.above, &mut self.row);
        }
        self.above.last().copied().filter(|&d| d <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> Option<usize> {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        Rows::default().distance(&chars(a), &chars(b), 3)
    }

    #[test]
    fn edits_are_counted_up_to_the_limit() {
        assert_eq!(distance("abcd", "abcd"), Some(0));
        assert_eq!(distance("abcd", "acbd"), Some(1));
        assert_eq!(distance("abcd", "bcde"), Some(2));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("abcd", "wxyz"), None);
        assert_eq!(distance("a", "abcdef"), None);
    }

    #[test]
    fn the_best_come_first_and_once() {
        let names = ["t10", "T1", "t1", "t2", "t1"];
        assert_eq!(nearest("T_1", names), ["T1", "t1"]);
        assert_eq!(nearest("t_10", names), ["t10", "T1", "t1"]);
        assert!(nearest("", names).is_empty());
    }

    #[test]
    fn hints_end_a_sentence() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(hint(&[]), "");
        assert_eq!(hint(&names[..1]), "; did you mean `a`?");
        assert_eq!(hint(&names), "; did you mean `a`, `b` or `c`?");
    }
}
