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
}

/// How deep elements may be nested.
const MOST_DEPTH: usize = 1000;

/// The outermost element of a document.
pub(crate) fn parse(bytes: &[u8]) -> Result<Element> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(wrong) => return error(wrong.valid_up_to(), "the XML is not in UTF-8"),
    };
    let mut reader = Reader { text, at: 0 };
    // The element that is read, and those around it; the first of them is the document.
    let (mut element, mut around) = (Element::default(), Vec::new());
    while reader.at < text.len() {
        let at = reader.at;
        if let Some((_, end)) = [("<!--", "-->"), ("<?", "?>")].iter().find(|(begin, _)| reader.eat(begin)) {
            reader.until(end)?;
        } else if reader.eat("<![CDATA[") {
            element.text.push_str(reader.until("]]>")?.trim());
        } else if reader.eat("<!") {
            return error(at, "a document type declaration is not accepted");
        } else if reader.eat("<") {
            let closes = reader.eat("/");
            let (name, mut closed) = (local(reader.before(ends)), closes);
            if !closes {
                around.push(mem::replace(&mut element, Element { name: name.to_owned(), at, ..Element::default() }));
                closed = reader.attributes(&mut element)?;
            } else if name != element.name || !reader.eat_after_blanks(">") {
                return error(at, "the tag closes nothing that is open");
            }
            if name.is_empty() || around.len() > MOST_DEPTH {
                return error(at, "a tag has no name, or is nested too deeply");
            }
            if closed && let Some(parent) = around.pop() {
                let child = mem::replace(&mut element, parent);
                element.children.push(child);
            }
        } else {
            element.text.push_str(&unescape(reader.before(|c| c == '<').trim(), at)?);
        }
    }
    match element.children.pop() {
        Some(root) if around.is_empty() && element.children.is_empty() && element.text.is_empty() => Ok(root),
        _ => error(text.len(), "expected one outermost element that is closed"),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Takes a sign, if it comes next.
    fn eat(&mut self, sign: &str) -> bool {
        let found = self.text[self.at..].starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// Takes what comes before the next of some characters, or before the end.
    fn before(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let taken = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Goes behind the next `end`; what is before it.
    fn until(&mut self, end: &str) -> Result<&'a str> {
        let Some((before, _)) = self.text[self.at..].split_once(end) else {
            return error(self.at, format!("expected {end:?} somewhere"));
        };
        self.at += before.len() + end.len();
        Ok(before)
    }

    /// Takes a sign, if it comes next but for blanks.
    fn eat_after_blanks(&mut self, sign: &str) -> bool {
        self.before(|c| !c.is_whitespace());
        self.eat(sign)
    }

    /// The rest of a tag that opens an element, and whether it closes it.
    fn attributes(&mut self, element: &mut Element) -> Result<bool> {
        loop {
            let closed = self.eat_after_blanks("/>");
            if closed || self.eat(">") {
                return Ok(closed);
            }
            let (begin, key) = (self.at, local(self.before(ends)));
            let equals = self.eat_after_blanks("=");
            let quote = ["\"", "'"].into_iter().find(|quote| self.eat_after_blanks(quote));
            let (true, Some(quote), None) = (equals && !key.is_empty(), quote, element.get(key)) else {
                return error(begin, "an attribute is not well-formed or given twice");
            };
            let value = unescape(self.until(quote)?, begin)?;
            element.attributes.push((key.to_owned(), value));
        }
    }
}

/// Whether a name ends before a character.
fn ends(c: char) -> bool {
    c.is_whitespace() || "/>=<\"'".contains(c)
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
