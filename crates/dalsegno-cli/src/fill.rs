//! Paragraphs of pages that are made, in lines that are not too long.

/// Lines are filled up to this width.
const WIDTH: usize = 110;

/// A text as a paragraph; all lines but the first begin with `indent`.
pub(crate) fn filled(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let added = word.chars().count();
        if length > 0 && length + 1 + added > WIDTH {
            out = format!("{out}\n{indent}");
            length = indent.len();
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += added;
    }
    out + "\n"
}
