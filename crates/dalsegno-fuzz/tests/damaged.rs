//! Hostile files: every reader reads or refuses each of them.

use std::fs;
use std::path::Path;

use dalsegno_fuzz::campaign::feed;
use dalsegno_fuzz::format::{Format, Input};
use dalsegno_fuzz::readers::DamagedTexts;

/// What goes wrong with a text, whatever it is taken for.
fn faults(readers: &DamagedTexts, name: &str, bytes: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    for format in Format::READERS {
        let bytes = bytes.to_vec();
        if let Err(failure) = feed(readers, &Input { format, bytes }) {
            faults.push(format!("{name} as {format}: {failure:?}"));
        }
    }
    faults
}

#[test]
fn files_of_the_corpus_are_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/damaged");
    let readers = DamagedTexts::default();
    let mut files = 0;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        assert!(Format::of_ending(&ending).is_some(), "{}", path.display());
        let name = path.file_name().unwrap().to_string_lossy();
        found.extend(faults(&readers, &name, &fs::read(&path).unwrap()));
        files += 1;
    }
    assert!(files > 40, "{files} files");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Texts that are too large for files.
#[test]
fn large_texts_are_read_or_refused() {
    let readers = DamagedTexts::default();
    let deep = 20_000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(deep), close.repeat(deep))
    };
    let wide = |open: &str, part: &str, close: &str| format!("{open}{}{close}", part.repeat(deep));
    let property = |inside: &str| {
        format!(
            "<property-set><property><id>i</id><formula>{inside}</formula></property></property-set>"
        )
    };
    let program = |inside: &str| {
        format!(
            "int x; process P {{ state s; init s; trans s -> s {{ guard {inside}; }}; }} system async;"
        )
    };
    let texts = [
        ("tags", nested("<page>", "", "</page>")),
        (
            "pages",
            format!(
                "<pnml><net id='n'>{}</net></pnml>",
                nested("<page>", "", "</page>")
            ),
        ),
        ("open tags", "<pnml>".repeat(deep)),
        (
            "comments",
            wide("<pnml><net id='n'>", "<!-- -->", "</net></pnml>"),
        ),
        (
            "negations",
            property(&nested("<negation>", "<deadlock/>", "</negation>")),
        ),
        ("parentheses", nested("(", "p", ")")),
        ("operators", format!("{}p", "G!X".repeat(deep))),
        ("right", format!("{}p", "p U ".repeat(deep))),
        ("exclusive", format!("{}p", "p xor ".repeat(deep))),
        ("prefix", format!("{}p", "& p0 ".repeat(deep))),
        ("sum", format!("{}p <= 1", "p + ".repeat(deep))),
        ("guard", program(&nested("(", "x", ")"))),
        ("not", program(&format!("{}x", "not ".repeat(deep)))),
        ("minus", program(&format!("{}x", "- ".repeat(deep)))),
        ("columns", wide("begin state\n", "x:int ", "\nend state\n")),
        ("sections", wide("", "begin trans\nend trans\n", "")),
        (
            "label",
            format!(
                "HOA: v1 Start: 0 AP: 1 \"p\" Acceptance: 0 t --BODY-- State: 0 [{}] 0 --END--",
                nested("(", "0", ")")
            ),
        ),
        (
            "acceptance",
            format!(
                "HOA: v1 Start: 0 AP: 0 Acceptance: 1 {} --BODY-- State: 0 --END--",
                nested("(", "Inf(0)", ")")
            ),
        ),
        ("comment", format!("HOA: v1 {}", nested("/* ", "", " */"))),
        ("arrays", nested("[", "", "]")),
        ("blanks", " ".repeat(deep)),
        ("lines", "\n".repeat(deep)),
        ("zeros", "\0".repeat(deep)),
    ];
    let found: Vec<String> = texts
        .iter()
        .flat_map(|(name, text)| faults(&readers, name, text.as_bytes()))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
