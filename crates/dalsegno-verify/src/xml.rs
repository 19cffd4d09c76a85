//! XML, as much of it as PNML and the contest's properties need: elements, attributes, text, comments, instructions and
//! the predefined entities. A document type declaration is refused: it could change what the text means.

use crate::{Result, error};

/// An element. Prefixes of names are dropped; text is that of the element itself, without blanks around it.
#[derive(Debug, Default)]
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
    let (mut reader, mut document) = (Reader { text, at: 0 }, Element::default());
    reader.content(&mut document, 0)?;
    match document.children.pop() {
        Some(root) if document.children.is_empty() && document.text.is_empty() => Ok(root),
        _ => error(0, "expected one outermost element"),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes a sign, if it comes next.
    fn eat(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// Takes what comes before the next of some characters, or before the end.
    fn before(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Goes behind the next `end`; what is before it.
    fn until(&mut self, end: &str) -> Result<&'a str> {
        let Some((before, _)) = self.rest().split_once(end) else {
            return error(self.at, format!("expected {end:?} somewhere"));
        };
        self.at += before.len() + end.len();
        Ok(before)
    }

    /// Reads what is in an element, up to the tag that closes it; of the document, up to the end.
    fn content(&mut self, element: &mut Element, depth: usize) -> Result<()> {
        while !self.rest().is_empty() {
            let at = self.at;
            if self.eat("<!--") {
                self.until("-->")?;
            } else if self.eat("<?") {
                self.until("?>")?;
            } else if self.eat("<![CDATA[") {
                element.text.push_str(self.until("]]>")?.trim());
            } else if self.eat("<!") {
                return error(at, "a document type declaration is not accepted");
            } else if self.eat("</") {
                let closes = local(self.until(">")?.trim()) == element.name && depth > 0;
                return if closes { Ok(()) } else { error(at, "the tag closes nothing that is open") };
            } else if self.eat("<") {
                let (mut child, closed) = self.tag(at)?;
                if depth == MOST_DEPTH {
                    return error(at, "elements are nested too deeply");
                }
                if !closed {
                    self.content(&mut child, depth + 1)?;
                }
                element.children.push(child);
            } else {
                let text = self.before(|c| c == '<').trim();
                element.text.push_str(&unescape(text, at)?);
            }
        }
        if depth == 0 { Ok(()) } else { error(self.at, "an element is not closed") }
    }

    /// The rest of a tag, and whether it closes its element.
    fn tag(&mut self, at: usize) -> Result<(Element, bool)> {
        let ends = |c: char| c.is_whitespace() || "/>=<\"'".contains(c);
        let name = local(self.before(ends)).to_owned();
        let mut element = Element { name, at, ..Element::default() };
        loop {
            self.before(|c| !c.is_whitespace());
            let closed = self.eat("/>");
            if closed || self.eat(">") {
                return if element.name.is_empty() { error(at, "a tag has no name") } else { Ok((element, closed)) };
            }
            let (begin, key) = (self.at, local(self.before(ends)));
            self.before(|c| !c.is_whitespace());
            let equals = self.eat("=");
            self.before(|c| !c.is_whitespace());
            let quote = ["\"", "'"].into_iter().find(|quote| self.eat(quote));
            let (true, Some(quote), None) = (equals && !key.is_empty(), quote, element.get(key)) else {
                return error(begin, "an attribute is not well-formed or given twice");
            };
            let value = unescape(self.until(quote)?, begin)?;
            element.attributes.push((key.to_owned(), value));
        }
    }
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn unescape(text: &str, at: usize) -> Result<String> {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or((part, ""));
        let code = match (name.strip_prefix("#x"), name.strip_prefix('#')) {
            (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
            (_, Some(decimal)) => decimal.parse().ok(),
            _ => None,
        };
        let named = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
        let named = named.iter().find(|(known, _)| *known == name).map(|&(_, c)| c);
        match named.or_else(|| code.and_then(char::from_u32)) {
            Some(c) => out.push(c),
            None => return error(at, format!("the entity &{name}; is not known")),
        }
        out.push_str(rest);
    }
    Ok(out)
}
