//! XML, as much of it as PNML and the contest's properties need: elements, attributes, text, comments, instructions and
//! the predefined entities. A document type declaration is refused: it could change what the text means.

use crate::failure::{Result, error};

/// An element. Prefixes of names are dropped; text is that of the element itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// How deep elements may be nested.
const MOST_DEPTH: usize = 1000;

impl Element {
    /// An attribute, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// An attribute that must be there.
    pub(crate) fn need(&self, name: &str) -> Result<&str> {
        match self.get(name) {
            Some(value) => Ok(value),
            None => error(self.at, format!("<{}> has no attribute {name}", self.name)),
        }
    }
}

/// The outermost element of a document, without the elements that have one of the names in `skipped`.
pub(crate) fn parse(bytes: &[u8], skipped: &[&str]) -> Result<Element> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(wrong) => return error(wrong.valid_up_to(), "the XML is not in UTF-8"),
    };
    let mut reader = Reader { text, at: 0 };
    // The first one stands for the document.
    let mut open = vec![Element::default()];
    loop {
        let at = reader.at;
        let Some(current) = open.last_mut() else {
            return error(at, "an element is closed that is not open");
        };
        if reader.rest().is_empty() {
            let whole = current.name.is_empty() && current.text.is_empty();
            return match current.children.pop() {
                Some(element) if whole && current.children.is_empty() => Ok(element),
                _ => error(at, "expected one outermost element that is closed"),
            };
        } else if reader.eat("<!--") {
            reader.until("-->")?;
        } else if reader.eat("<?") {
            reader.until("?>")?;
        } else if reader.eat("<![CDATA[") {
            let text = reader.until("]]>")?;
            current.text.push_str(text.trim());
        } else if reader.eat("<!") {
            return error(at, "a document type declaration is not accepted");
        } else if reader.eat("</") {
            let name = local(reader.until(">")?.trim());
            if name != current.name || open.len() == 1 {
                return error(at, format!("</{name}> closes nothing that is open"));
            }
            close(&mut open, skipped);
        } else if reader.eat("<") {
            let (element, closed) = reader.tag(at)?;
            open.push(element);
            if closed {
                close(&mut open, skipped);
            } else if open.len() > MOST_DEPTH {
                return error(at, "elements are nested too deeply");
            }
        } else {
            let length = reader.rest().find('<').unwrap_or(reader.rest().len());
            let text = reader.rest()[..length].trim();
            current.text.push_str(&unescape(text, at)?);
            reader.at += length;
        }
    }
}

/// Puts the element that was opened last into the one around it.
fn close(open: &mut Vec<Element>, skipped: &[&str]) {
    if let (Some(element), Some(around)) = (open.pop(), open.last_mut())
        && !skipped.contains(&element.name.as_str())
    {
        around.children.push(element);
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
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

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Goes behind the next `end`; what is before it.
    fn until(&mut self, end: &str) -> Result<&'a str> {
        let Some(length) = self.rest().find(end) else {
            return error(self.at, format!("expected {end:?} somewhere"));
        };
        let before = &self.rest()[..length];
        self.at += length + end.len();
        Ok(before)
    }

    /// A name, which may be empty.
    fn name(&mut self) -> &'a str {
        let ends = |c: char| c.is_whitespace() || "/>=<\"'".contains(c);
        let length = self.rest().find(ends).unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        self.at += length;
        local(name)
    }

    /// The rest of a tag, and whether it closes its element.
    fn tag(&mut self, at: usize) -> Result<(Element, bool)> {
        let mut element = Element {
            name: self.name().to_owned(),
            at,
            ..Element::default()
        };
        loop {
            self.blanks();
            let closed = self.eat("/>");
            if closed || self.eat(">") {
                return match element.name.as_str() {
                    "" => error(at, "a tag has no name"),
                    _ => Ok((element, closed)),
                };
            }
            let (begin, key) = (self.at, self.name());
            self.blanks();
            let equals = self.eat("=");
            self.blanks();
            let quote = ["\"", "'"].into_iter().find(|quote| self.eat(quote));
            let (true, Some(quote), false) =
                (equals && !key.is_empty(), quote, element.get(key).is_some())
            else {
                return error(begin, "an attribute is not well-formed or given twice");
            };
            let value = unescape(self.until(quote)?, begin)?;
            element.attributes.push((key.to_owned(), value));
        }
    }
}

fn unescape(text: &str, at: usize) -> Result<String> {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or((part, ""));
        let number = match name.strip_prefix('#') {
            Some(code) => match code.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => code.parse().ok(),
            },
            None => None,
        };
        let c = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => number.and_then(char::from_u32),
        };
        match c {
            Some(c) => out.push(c),
            None => return error(at, format!("the entity &{name}; is not known")),
        }
        out.push_str(rest);
    }
    Ok(out)
}
