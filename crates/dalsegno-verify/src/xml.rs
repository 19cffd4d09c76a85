//! XML, as much of it as PNML and the contest's properties need.
//!
//! Elements, attributes, text, comments, processing instructions and the five predefined entities. A document
//! type declaration is refused: it could change what the text means. Prefixes of names are dropped.

use crate::failure::{Result, error};

/// A piece of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// The beginning of an element.
    Open(Element),
    /// Text that is not only blanks, without blanks at its ends.
    Text(String),
    /// The end of the element that was opened last.
    Close,
    /// The end of the document.
    End,
}

/// The beginning of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: Vec<(String, String)>,
    pub(crate) at: usize,
}

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

/// A document that is read piece by piece.
pub(crate) struct Xml<'a> {
    text: &'a str,
    pub(crate) at: usize,
    open: Vec<String>,
    /// Whether the element that was opened last has been closed by its own tag.
    empty: bool,
    begun: bool,
}

fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

impl<'a> Xml<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Xml {
                text,
                at: 0,
                open: Vec::new(),
                empty: false,
                begun: false,
            }),
            Err(wrong) => error(wrong.valid_up_to(), "the XML is not in UTF-8"),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes behind the next `end`; what is before it.
    fn until(&mut self, end: &str, what: &str) -> Result<&'a str> {
        match self.rest().find(end) {
            Some(length) => {
                let before = &self.rest()[..length];
                self.at += length + end.len();
                Ok(before)
            }
            None => error(self.at, format!("{what} does not end")),
        }
    }

    /// The next piece.
    pub(crate) fn next(&mut self) -> Result<Piece> {
        if std::mem::take(&mut self.empty) {
            self.open.pop();
            return Ok(Piece::Close);
        }
        loop {
            let at = self.at;
            let rest = self.rest();
            if rest.is_empty() {
                return match self.open.last() {
                    None => Ok(Piece::End),
                    Some(name) => error(at, format!("<{name}> is not closed")),
                };
            } else if rest.starts_with("<!--") {
                self.at += 4;
                self.until("-->", "a comment")?;
            } else if rest.starts_with("<?") {
                self.until("?>", "an instruction")?;
            } else if rest.starts_with("<![CDATA[") {
                self.at += 9;
                let text = self.until("]]>", "a CDATA section")?.trim();
                return Ok(Piece::Text(text.to_owned()));
            } else if rest.starts_with("<!") {
                return error(at, "a document type declaration is not accepted");
            } else if rest.starts_with("</") {
                self.at += 2;
                let name = local(self.until(">", "a tag")?.trim());
                return match self.open.pop() {
                    Some(open) if open == name => Ok(Piece::Close),
                    _ => error(at, format!("</{name}> closes nothing that is open")),
                };
            } else if rest.starts_with('<') {
                return self.tag();
            } else {
                let length = rest.find('<').unwrap_or(rest.len());
                self.at += length;
                let text = rest[..length].trim();
                if !text.is_empty() {
                    if self.open.is_empty() {
                        return error(at, "there is text outside of all elements");
                    }
                    return Ok(Piece::Text(unescape(text, at)?));
                }
            }
        }
    }

    fn tag(&mut self) -> Result<Piece> {
        let at = self.at;
        if std::mem::replace(&mut self.begun, true) && self.open.is_empty() {
            return error(at, "there are two outermost elements");
        }
        self.at += 1;
        let word = |text: &str| text.find(|c: char| c.is_whitespace() || "/>=<\"'".contains(c));
        let length = word(self.rest()).unwrap_or(0);
        if length == 0 {
            return error(at, "a tag has no name");
        }
        let name = local(&self.rest()[..length]);
        self.at += length;
        let mut attributes: Vec<(String, String)> = Vec::new();
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            if self.rest().starts_with('>') {
                self.at += 1;
                break;
            } else if self.rest().starts_with("/>") {
                self.at += 2;
                self.empty = true;
                break;
            }
            let length = word(self.rest()).unwrap_or(0);
            let key = local(&self.rest()[..length]);
            self.at += length;
            self.at += self.rest().len() - self.rest().trim_start().len();
            let quoted = self.rest().strip_prefix('=').map(str::trim_start);
            let quote = quoted.and_then(|q| q.chars().next());
            let (Some(quoted), Some(quote @ ('"' | '\''))) = (quoted, quote) else {
                return error(self.at, format!("the tag <{name}> is not well-formed"));
            };
            self.at = self.text.len() - quoted.len() + 1;
            let begin = self.at;
            let value = self.until(&quote.to_string(), "an attribute")?;
            if length == 0 || attributes.iter().any(|(other, _)| *other == key) {
                return error(begin, "an attribute has no name, or is given twice");
            }
            attributes.push((key, unescape(value, begin)?));
        }
        self.open.push(name.clone());
        Ok(Piece::Open(Element {
            name,
            attributes,
            at,
        }))
    }

    /// Goes behind the end of the element that was opened last.
    pub(crate) fn skip(&mut self) -> Result<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Piece::Open(_) => depth += 1,
                Piece::Close => depth -= 1,
                Piece::Text(_) => {}
                Piece::End => return error(self.at, "the document ends early"),
            }
        }
        Ok(())
    }

    /// The text in the element that was opened last, which has no elements in it.
    pub(crate) fn text(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            match self.next()? {
                Piece::Text(more) => text.push_str(&more),
                Piece::Close => return Ok(text),
                _ => return error(self.at, "expected text only"),
            }
        }
    }
}

fn unescape(text: &str, at: usize) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let Some((name, rest)) = part.split_once(';') else {
            return error(at, "an entity does not end");
        };
        let number = match name.strip_prefix('#') {
            Some(hex) if hex.starts_with('x') => u32::from_str_radix(&hex[1..], 16).ok(),
            Some(decimal) => decimal.parse().ok(),
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
