//! XML, as much of it as PNML and the contest's properties need: elements, attributes, text, comments, instructions and
//! the predefined entities. A document type declaration is refused: it could change what the text means.

use std::mem;

use crate::{Result, error};

/// An element. Prefixes of names are dropped; text is that of the element itself, without blanks around it.
#[derive(Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
    /// The byte where it begins.
    pub(crate) at: usize,
}

impl Element {
    /// An attribute, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first child of a name, if there is one.
    pub(crate) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// An attribute that must be there.
    pub(crate) fn need(&self, name: &str) -> Result<&str> {
        self.get(name).map_or_else(|| error(self.at, format!("<{}> has no attribute {name}", self.name)), Ok)
    }

    /// The element that a tag opens.
    fn opened(tag: &str, at: usize) -> Result<Element> {
        let (name, mut rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
        let mut element = Element { name: local(name).to_owned(), at, ..Element::default() };
        while !rest.trim().is_empty() {
            let (key, value) = rest.split_once('=').unwrap_or_default();
            let (key, value) = (local(key.trim()), value.trim_start());
            let quote = if value.starts_with('\'') { '\'' } else { '"' };
            let quoted = value.strip_prefix(quote).and_then(|value| value.split_once(quote));
            let (Some((value, behind)), None, true) = (quoted, element.get(key), is_name(key)) else {
                return error(at, "an attribute is not well-formed or given twice");
            };
            element.attributes.push((key.to_owned(), unescape(value, at)?));
            rest = behind;
        }
        if is_name(&element.name) { Ok(element) } else { error(at, "a tag has no name") }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "/>=<\"'".contains(c))
}

/// How deep elements may be nested.
const MOST_DEPTH: usize = 1000;

/// The outermost element of a document.
pub(crate) fn parse(bytes: &[u8]) -> Result<Element> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(wrong) => return error(wrong.valid_up_to(), "the XML is not in UTF-8"),
    };
    // The element that is read, those around it (the first of them is the document), and the text behind.
    let (mut element, mut around, mut rest) = (Element::default(), Vec::new(), text);
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let kinds = [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")];
        if let Some((begin, end)) = kinds.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
            let Some((inner, behind)) = rest[begin.len()..].split_once(end) else {
                return error(at, format!("expected {end:?} somewhere"));
            };
            element.text.push_str(if end == "]]>" { inner.trim() } else { "" });
            rest = behind;
        } else if rest.starts_with("<!") {
            return error(at, "a document type declaration is not accepted");
        } else if let Some(tag) = rest.strip_prefix('<') {
            // The tag ends where an angle bracket is in no quotation.
            let mut quote = None;
            let end = tag.find(|c| {
                quote =
                    if quote.is_none() { Some(c).filter(|c| "\"'".contains(*c)) } else { quote.filter(|q| *q != c) };
                c == '>' && quote.is_none()
            });
            let Some(end) = end else {
                return error(at, "a tag does not end");
            };
            rest = &tag[end + 1..];
            let (mut tag, closing) = tag[..end].strip_prefix('/').map_or((&tag[..end], false), |tag| (tag, true));
            let single = !closing && tag.ends_with('/');
            tag = tag.strip_suffix('/').filter(|_| single).unwrap_or(tag);
            if !closing {
                around.push(mem::replace(&mut element, Element::opened(tag, at)?));
                if around.len() > MOST_DEPTH {
                    return error(at, "elements are nested too deeply");
                }
            }
            if closing || single {
                let parent = around.pop().filter(|_| single || local(tag.trim_end()) == element.name);
                let Some(parent) = parent else {
                    return error(at, "the tag closes nothing that is open");
                };
                let child = mem::replace(&mut element, parent);
                element.children.push(child);
            }
        } else {
            let (inner, behind) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            element.text.push_str(&unescape(inner.trim(), at)?);
            rest = behind;
        }
    }
    match element.children.pop() {
        Some(root) if around.is_empty() && element.children.is_empty() && element.text.is_empty() => Ok(root),
        _ => error(text.len(), "expected one outermost element that is closed"),
    }
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn unescape(text: &str, at: usize) -> Result<String> {
    const NAMED: [(&str, char); 5] = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, entity)) = rest.split_once('&') {
        let (name, behind) = entity.split_once(';').unwrap_or_default();
        let hex = name.strip_prefix("#x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = || hex.or(name.strip_prefix('#')?.parse().ok()).and_then(char::from_u32);
        let Some(c) = NAMED.iter().find(|row| row.0 == name).map(|row| row.1).or_else(code) else {
            return error(at, format!("the entity &{name}; is not known"));
        };
        out.extend([before, c.encode_utf8(&mut [0; 4])]);
        rest = behind;
    }
    Ok(out + rest)
}
