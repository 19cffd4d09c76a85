//! What programs have answered, read from what they print.
//!
//! An answer is a number of states, a letter per property (`T`, `F`, `?`), or sums of states and edges. Only the lines
//! that have it are looked at, so that another version with more to say is still understood.

/// The answer in the output of a program, `None` if there is none.
pub(super) fn answer(program: &str, output: &str) -> Option<String> {
    match program {
        "dalsegno" => ours(output),
        "ltl2tgba" => sizes(output),
        "pnml2lts-mc" | "pnml2lts-seq" => ltsmin(output),
        "pnml2lts-sym" => ltsmin_symbolic(output),
        "its-reach" => its_reach(output),
        "its-ltl" => letters(output, its_ltl_line),
        "its-ctl" => letters(output, its_ctl_line),
        "verifypn" => contest(output),
        // The examples of Meddly.
        _ => meddly(output),
    }
}

/// Whether an answer is the expected one. Programs that count in floating point print some digits and an exponent.
pub(super) fn agrees(answer: &str, expected: &str) -> bool {
    if answer == expected {
        return true;
    }
    if is_letters(answer) && is_letters(expected) {
        // What is open is not wrong.
        return answer.len() == expected.len()
            && answer
                .chars()
                .zip(expected.chars())
                .all(|(a, b)| a == b || a == '?');
    }
    let rounded = answer.contains(['e', 'E']);
    match (answer.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(a), Ok(b)) if rounded => (a - b).abs() <= b.abs() * 1e-5,
        _ => false,
    }
}

fn is_letters(answer: &str) -> bool {
    answer.chars().all(|c| matches!(c, 'T' | 'F' | '?'))
}

/// An answer with a letter for each property of the expected one: what was not told is open.
pub(super) fn completed(answer: String, expected: &str) -> String {
    if !is_letters(&answer) || !is_letters(expected) {
        return answer;
    }
    let open = expected.len().saturating_sub(answer.len());
    answer + &"?".repeat(open)
}

fn letters(output: &str, letter: impl Fn(&str) -> Option<char>) -> Option<String> {
    let found: String = output.lines().filter_map(letter).collect();
    (!found.is_empty()).then_some(found)
}

/// `states: N`, lines that begin with a verdict, or rows of sizes.
fn ours(output: &str) -> Option<String> {
    let states = |line: &str| Some(line.strip_prefix("states:")?.trim().to_owned());
    if let Some(states) = output.lines().find_map(states) {
        return Some(states);
    }
    if output.starts_with("formula,kind,") {
        return our_sizes(output);
    }
    if let Some(verdicts) = contest(output) {
        return Some(verdicts);
    }
    letters(output, |line| match line.split([':', ' ']).next()? {
        "holds" => Some('T'),
        "fails" => Some('F'),
        "unknown" => Some('?'),
        _ => None,
    })
}

/// The columns of `translate --format stats`.
fn our_sizes(output: &str) -> Option<String> {
    let mut rows = csv::Reader::from_reader(output.as_bytes());
    let header = rows.headers().ok()?.clone();
    let column = |name: &str| header.iter().position(|h| h == name);
    let columns = [column("states")?, column("edges")?];
    let mut sums = [0_u64; 2];
    for row in rows.records() {
        let row = row.ok()?;
        for (sum, &at) in sums.iter_mut().zip(&columns) {
            *sum += row.get(at)?.parse::<u64>().ok()?;
        }
    }
    Some(format!("{} states, {} edges", sums[0], sums[1]))
}

/// `%s,%e` a line.
fn sizes(output: &str) -> Option<String> {
    let mut sums = [0_u64; 2];
    for line in output.lines().filter(|line| !line.is_empty()) {
        let (states, edges) = line.split_once(',')?;
        sums[0] += states.parse::<u64>().ok()?;
        sums[1] += edges.parse::<u64>().ok()?;
    }
    Some(format!("{} states, {} edges", sums[0], sums[1]))
}

/// `Explored N states M transitions` or `state space L levels, N states M transitions`; for LTL what became of the product.
fn ltsmin(output: &str) -> Option<String> {
    let has = |text: &str| output.to_lowercase().contains(text);
    if has("accepting cycle found") {
        return Some("F".to_owned());
    }
    if has("empty product with ltl") || has("no accepting cycle") {
        return Some("T".to_owned());
    }
    output.lines().find_map(|line| {
        if !line.contains("Explored ") && !line.contains("state space ") {
            return None;
        }
        word_before(line, "states")
    })
}

/// `state space has precisely N states`.
fn ltsmin_symbolic(output: &str) -> Option<String> {
    let counts = |mark: &str| {
        let line = output.lines().find(|line| line.contains(mark))?;
        word_before(line, "states")
    };
    counts("state space has precisely").or_else(|| counts("state space has"))
}

/// `Total reachable state count : N`, or the second column below `Model ,|S| ,Time …`.
fn its_reach(output: &str) -> Option<String> {
    let total = |line: &str| {
        Some(
            line.split_once("reachable state count :")?
                .1
                .trim()
                .to_owned(),
        )
    };
    if let Some(total) = output.lines().find_map(total) {
        return Some(total);
    }
    let mut lines = output
        .lines()
        .skip_while(|line| !line.starts_with("Model ,|S|"));
    let row = lines.nth(1)?;
    Some(row.split(',').nth(1)?.trim().to_owned())
}

/// `Formula 0 is TRUE no accepting run found.`
fn its_ltl_line(line: &str) -> Option<char> {
    let (_, verdict) = line.trim().strip_prefix("Formula ")?.split_once(" is ")?;
    truth(verdict.split_whitespace().next()?)
}

/// `Formula is TRUE !`
fn its_ctl_line(line: &str) -> Option<char> {
    let verdict = line.trim().strip_prefix("Formula is ")?;
    truth(verdict.split_whitespace().next()?)
}

/// `FORMULA NAME TRUE TECHNIQUES …`, in any order: a letter per property, by the number at the end of its name.
fn contest(output: &str) -> Option<String> {
    let mut verdicts = Vec::new();
    for line in output.lines() {
        if let ["FORMULA", name, verdict, ..] = line.split_whitespace().collect::<Vec<_>>()[..] {
            let number: usize = name.rsplit('-').next()?.parse().ok()?;
            if verdicts.len() <= number && number < 1_000 {
                verdicts.resize(number + 1, '?');
            }
            *verdicts.get_mut(number)? = truth(verdict)?;
        }
    }
    (!verdicts.is_empty()).then(|| verdicts.into_iter().collect())
}

fn truth(word: &str) -> Option<char> {
    match word {
        "TRUE" => Some('T'),
        "FALSE" => Some('F'),
        "CANNOT_COMPUTE" => Some('?'),
        _ => None,
    }
}

/// `Exactly N reachable states`, or `Approx. N reachable states`.
fn meddly(output: &str) -> Option<String> {
    let counts = |mark: &str| {
        let line = output.lines().find(|line| line.starts_with(mark))?;
        word_before(line, "reachable")
    };
    counts("Exactly").or_else(|| counts("Approx"))
}

/// The word before a word.
fn word_before(line: &str, word: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|w| w.trim_end_matches(',') == word)?;
    words.get(at.checked_sub(1)?).map(|&w| w.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(program: &str, output: &str) -> String {
        answer(program, output).unwrap_or_else(|| panic!("{program}: {output}"))
    }

    #[test]
    fn numbers_of_states_are_found() {
        let ours = "states:                 2546432\ntransitions:            24460016\n";
        assert_eq!(read("dalsegno", ours), "2546432");
        let mc = "pnml2lts-mc, 0.000: Loading model\n\
                  pnml2lts-mc, 13.700: Explored 2546432 states 24460016 transitions, fanout: 9.606\n";
        assert_eq!(read("pnml2lts-mc", mc), "2546432");
        let seq = "pnml2lts-seq: state space 71 levels, 2546432 states 24460016 transitions\n";
        assert_eq!(read("pnml2lts-seq", seq), "2546432");
        let few = "pnml2lts-sym: state space has precisely 6110643 states, 5 nodes\n";
        assert_eq!(read("pnml2lts-sym", few), "6110643");
        let many = "pnml2lts-sym: state space has 1.04259e+16 states, 901 nodes\n\
                    pnml2lts-sym: state space has precisely 10425941194901336 states (17 digits)\n";
        assert_eq!(read("pnml2lts-sym", many), "10425941194901336");
        let table = "Model ,|S| ,Time ,Mem(kb) ,fin. SDD\nkanban,2.54643e+06,0.05,4096,12\n";
        assert_eq!(read("its-reach", table), "2.54643e+06");
        let total = " Total reachable state count : 2546432\n";
        assert_eq!(read("its-reach", total), "2546432");
        let exact = "Reachability set uses 5 nodes\nExactly 2546432 reachable states\n";
        assert_eq!(read("kanban", exact), "2546432");
        assert_eq!(
            read("slot", "Approx. 8.29179e+09 reachable states\n"),
            "8.29179e+09"
        );
        assert_eq!(answer("kanban", "Usage: kanban nnnn\n"), None);
    }

    #[test]
    fn verdicts_are_found() {
        let ours = "holds: G p\nfails: F q\n  run: a cycle of 3 steps\nunknown: G r\n";
        assert_eq!(read("dalsegno", ours), "TF?");
        assert_eq!(
            read("its-ltl", "Formula 0 is TRUE no accepting run found.\n"),
            "T"
        );
        assert_eq!(
            read("its-ltl", "Formula 0 is FALSE accepting run found.\n"),
            "F"
        );
        assert_eq!(
            read("its-ctl", "Formula is TRUE !\nFormula is FALSE !\n"),
            "TF"
        );
        let verifypn = "FORMULA Kanban-PT-00005-LTL-00 FALSE TECHNIQUES EXPLICIT\nQuery is NOT satisfied.\n\
                        FORMULA Kanban-PT-00005-LTL-01 TRUE TECHNIQUES LTL\n";
        assert_eq!(read("verifypn", verifypn), "FT");
        let mixed = "FORMULA a-CTL-03 TRUE TECHNIQUES X\nFORMULA a-CTL-00 FALSE TECHNIQUES X\n";
        assert_eq!(read("dalsegno", mixed), "F??T");
        assert_eq!(read("pnml2lts-seq", "Accepting cycle FOUND!\n"), "F");
        assert_eq!(
            read("pnml2lts-seq", "pnml2lts-seq: Empty product with LTL!\n"),
            "T"
        );
    }

    #[test]
    fn sizes_are_added() {
        let ours = "formula,kind,propositions,states,edges\n\"a, b\",tgba,2,1,4\nX a,tgba,1,3,3\n";
        assert_eq!(read("dalsegno", ours), "4 states, 7 edges");
        assert_eq!(read("ltl2tgba", "1,4\n3,3\n"), "4 states, 7 edges");
        assert_eq!(answer("ltl2tgba", "ltl2tgba: syntax error\n"), None);
    }

    #[test]
    fn rounded_numbers_agree_by_their_digits() {
        assert!(agrees("2.54643e+06", "2546432"));
        assert!(agrees("2546432", "2546432"));
        assert!(!agrees("2.54653e+06", "2546432"));
        assert!(!agrees("2546433", "2546432"));
        assert!(!agrees("T", "F"));
        assert!(agrees("F??T", "FTFT") && !agrees("F??F", "FTFT") && !agrees("F", "FT"));
        assert_eq!(completed("F".to_owned(), "FTF"), "F??");
        assert_eq!(completed("12".to_owned(), "FTF"), "12");
    }
}
