//! The pages of dalsegno: plain ES modules and style sheets, embedded so that they can be served, copied or put into one
//! file.
//!
//! A report is one HTML file that makes no request: [`report_html`] joins the modules of the viewer into one script and puts the
//! data beside it. The application loads the same modules one by one: [`file()`] has them all.

mod digest;
mod files;
mod join;

pub use files::{file, paths};

/// A report as one HTML file; `json` is a document `dalsegno.report/1`.
///
/// The data cannot end its element, whatever is in it, and the policy of the page admits the viewer's own script only.
#[must_use]
pub fn report_html(json: &str) -> String {
    let script = join::script();
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
        digest::base64(&digest::sha256(script.as_bytes()))
    );
    let parts = [
        ("{{policy}}", policy.as_str()),
        ("{{style}}", files::STYLE),
        ("{{script}}", script.as_str()),
    ];
    let mut page = files::REPORT.to_owned();
    for (mark, text) in parts {
        page = page.replacen(mark, text, 1);
    }
    // The last one: what the data has may look like a mark.
    page.replacen("{{data}}", &inert(json), 1)
}

/// JSON that neither ends a script element nor begins a comment in one: `<` can only stand in its strings.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_its_element() {
        let page = report_html(r#"{"model":"</script><script>alert(1)</script><!--"}"#);
        assert_eq!(
            page.matches("<script").count(),
            2,
            "the data and the viewer"
        );
        assert!(!page.contains("alert(1)</script>"));
        assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
    }

    #[test]
    fn no_mark_is_left_and_data_is_no_mark() {
        let page = report_html(r#"{"model":"{{script}}"}"#);
        assert_eq!(page.matches("{{").count(), 1);
    }

    #[test]
    fn nothing_is_asked_of_the_network() {
        let page = report_html("{}");
        for word in ["http://", "https://", "url(", "@import", "fetch("] {
            let found = page.match_indices(word).map(|(at, _)| &page[at..]);
            let found: Vec<&str> = found
                .filter(|text| !text.starts_with("http://www.w3.org/2000/svg"))
                .map(|text| text.split('\n').next().unwrap_or_default())
                .collect();
            assert!(found.is_empty(), "{word}: {found:?}");
        }
    }
}
