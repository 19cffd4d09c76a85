//! Automata as text: HOA, DOT and JSON.

pub mod dot;
pub mod hoa;
pub mod json;
pub mod names;

/// The page about testing automata in HOA, whose examples are tested. A package has no pages: there is nothing to test then.
#[cfg(test)]
pub(crate) fn documented() -> Option<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hoa-testing.md");
    let page = std::fs::read_to_string(path).ok();
    if page.is_none() {
        eprintln!("skipped: there is no {path}");
    }
    page
}
