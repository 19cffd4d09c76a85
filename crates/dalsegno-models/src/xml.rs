//! A cursor over the elements of an XML text.
//!
//! It borrows from the text, skips what readers do not look at, and never recurses: nesting costs
//! a counter. What is wrong is an [`XmlError`] at a byte offset.

use std::borrow::Cow;

use dalsegno_kripke::{Budget, Stop};
use quick_xml::Reader;
use quick_xml::errors::SyntaxError;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use thiserror::Error;

/// What keeps a text from being XML that we read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum XmlError {
    /// The text ends inside of an element.
    #[error("the text ends too early: it seems truncated")]
    Truncated,
    /// The text breaks a rule of XML.
    #[error("malformed XML: {0}")]
    Malformed(String),
    /// Elements are nested too deeply.
    #[error("elements are nested more than {0} deep")]
    TooDeep(usize),
    /// The text is neither UTF-8 nor says that it is Latin-1.
    #[error("the text is not in UTF-8")]
    Encoding,
    /// A reference to an entity that XML does not define.
    #[error("unknown entity `&{0};`")]
    Entity(String),
    /// A limit was reached; nothing is known to be wrong.
    #[error("reading was given up here: {0}")]
    Stopped(Stop),
}

/// An error and the byte where it was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) error: XmlError,
    pub(crate) offset: usize,
}

/// A kind of fault of some reader at a byte of the text.
#[derive(Debug)]
pub(crate) struct Located<K> {
    pub(crate) kind: K,
    pub(crate) offset: usize,
}

impl<K> Located<K> {
    pub(crate) fn new(offset: usize, kind: impl Into<K>) -> Self {
        Located {
            kind: kind.into(),
            offset,
        }
    }
}

impl<K: From<XmlError>> From<Fault> for Located<K> {
    fn from(fault: Fault) -> Self {
        Located::new(fault.offset, fault.error)
    }
}

/// The start of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'a> {
    /// The name without its prefix.
    pub(crate) name: &'a str,
    /// What is between the angle brackets.
    content: &'a str,
    name_len: usize,
    /// Where the element starts.
    pub(crate) offset: usize,
}

/// What a cursor meets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// An element starts.
    Open(Element<'a>),
    /// The innermost open element ends.
    Close,
    /// The text ends, with all elements closed.
    End,
}

pub(crate) struct Cursor<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    depth: usize,
    max_depth: usize,
    /// Where the last event started.
    offset: usize,
    budget: Budget,
    /// Events since the last look at the budget.
    unwatched: u32,
}

/// Events between two looks at the budget.
const WATCH: u32 = 1 << 14;

/// The text of a file: UTF-8, or Latin-1 if the declaration says so.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text.trim_start_matches('\u{feff}'))),
        Err(error) => {
            let head = &bytes[..bytes.len().min(200)];
            let head = String::from_utf8_lossy(head).to_ascii_lowercase();
            let declaration = head.split("?>").next().unwrap_or_default();
            if ["iso-8859-1", "latin1", "windows-1252"]
                .iter()
                .any(|name| declaration.contains(name))
            {
                return Ok(Cow::Owned(bytes.iter().map(|&b| char::from(b)).collect()));
            }
            Err(Fault {
                error: XmlError::Encoding,
                offset: error.valid_up_to(),
            })
        }
    }
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Cursor {
            text,
            reader,
            depth: 0,
            max_depth,
            offset: 0,
            budget: Budget::unlimited(),
            unwatched: 0,
        }
    }

    /// The same, with an end of its time.
    pub(crate) fn within(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// Whether there is time to go on.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let checked = self.budget.check();
        checked.map_err(|stop| self.fault(XmlError::Stopped(stop)))
    }

    /// Where the last event started.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn fault(&self, error: XmlError) -> Fault {
        Fault {
            error,
            offset: self.offset,
        }
    }

    /// The next start or end of an element; text, comments and the like are skipped.
    pub(crate) fn step(&mut self) -> Result<Step<'a>, Fault> {
        loop {
            match self.event()? {
                Event::Start(start) => {
                    let name_len = start.name().as_ref().len();
                    let length = start.len();
                    return self.open(name_len, length).map(Step::Open);
                }
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(Step::Close);
                }
                Event::Eof => return Ok(Step::End),
                _ => {}
            }
        }
    }

    /// Goes to the end of the element that was opened last.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        let outside = self.depth - 1;
        while self.depth > outside {
            self.step()?;
        }
        Ok(())
    }

    /// The text directly in the element that was opened last, up to its end; elements inside of it
    /// are skipped.
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.text_or_children(|cursor, _| cursor.skip())
    }

    /// As [`Cursor::text`]; `child` gets the elements inside and must go to their end.
    pub(crate) fn text_or_children(
        &mut self,
        mut child: impl FnMut(&mut Self, Element<'a>) -> Result<(), Fault>,
    ) -> Result<Cow<'a, str>, Fault> {
        let mut found: Cow<'a, str> = Cow::Borrowed("");
        loop {
            let piece: Cow<'a, str> = match self.event()? {
                Event::Start(start) => {
                    let (name_len, length) = (start.name().as_ref().len(), start.len());
                    let element = self.open(name_len, length)?;
                    child(self, element)?;
                    continue;
                }
                Event::End(_) => {
                    self.depth -= 1;
                    return Ok(found);
                }
                Event::Text(text) => text.decode().map_err(|_| self.fault(XmlError::Encoding))?,
                Event::CData(text) => text.decode().map_err(|_| self.fault(XmlError::Encoding))?,
                Event::GeneralRef(reference) => {
                    let name = reference.decode().unwrap_or_default();
                    let character = match reference.resolve_char_ref() {
                        Ok(Some(c)) => Some(c),
                        Ok(None) => predefined(&name),
                        Err(_) => None,
                    };
                    match character {
                        Some(c) => Cow::Owned(c.to_string()),
                        None => return Err(self.fault(XmlError::Entity(name.into_owned()))),
                    }
                }
                _ => continue,
            };
            if found.is_empty() {
                found = piece;
            } else {
                found.to_mut().push_str(&piece);
            }
        }
    }

    fn event(&mut self) -> Result<Event<'a>, Fault> {
        self.offset = self.reader.buffer_position() as usize;
        self.unwatched += 1;
        if self.unwatched == WATCH {
            self.unwatched = 0;
            self.check()?;
        }
        match self.reader.read_event() {
            Ok(Event::Eof) if self.depth > 0 => Err(self.fault(XmlError::Truncated)),
            Ok(event) => Ok(event),
            Err(error) => {
                self.offset = (self.reader.error_position() as usize).min(self.text.len());
                Err(self.fault(match error {
                    quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup) => {
                        XmlError::Malformed(error.to_string())
                    }
                    // The others say that something is open at the end of the text.
                    quick_xml::Error::Syntax(_) => XmlError::Truncated,
                    other => XmlError::Malformed(other.to_string()),
                }))
            }
        }
    }

    fn open(&mut self, name_len: usize, length: usize) -> Result<Element<'a>, Fault> {
        self.depth += 1;
        if self.depth > self.max_depth {
            return Err(self.fault(XmlError::TooDeep(self.max_depth)));
        }
        let start = self.offset + 1;
        let content = &self.text[start..start + length];
        let full = &content[..name_len];
        let name = full.rsplit_once(':').map_or(full, |(_, local)| local);
        Ok(Element {
            name,
            content,
            name_len,
            offset: self.offset,
        })
    }
}

impl<'a> Element<'a> {
    /// The value of an attribute, named without its prefix.
    pub(crate) fn attribute(&self, name: &str) -> Result<Option<Cow<'a, str>>, Fault> {
        let fault = |error| Fault {
            error,
            offset: self.offset,
        };
        let mut attributes = Attributes::new(self.content, self.name_len);
        for attribute in attributes.with_checks(false) {
            let attribute = attribute.map_err(|e| fault(XmlError::Malformed(e.to_string())))?;
            if attribute.key.local_name().as_ref() != name.as_bytes() {
                continue;
            }
            let raw = match attribute.value {
                Cow::Borrowed(raw) => std::str::from_utf8(raw).map(Cow::Borrowed),
                Cow::Owned(raw) => Ok(Cow::Owned(String::from_utf8_lossy(&raw).into_owned())),
            };
            let raw = raw.map_err(|_| fault(XmlError::Encoding))?;
            if !raw.contains('&') {
                return Ok(Some(raw));
            }
            let unescaped = quick_xml::escape::unescape(&raw)
                .map_err(|e| fault(XmlError::Entity(e.to_string())))?;
            return Ok(Some(Cow::Owned(unescaped.into_owned())));
        }
        Ok(None)
    }
}

fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened<'a>(cursor: &mut Cursor<'a>) -> Element<'a> {
        match cursor.step().unwrap() {
            Step::Open(element) => element,
            other => panic!("expected an element, found {other:?}"),
        }
    }

    #[test]
    fn elements_attributes_and_text_are_borrowed_where_they_can_be() {
        let text = "<?xml version='1.0'?><!-- c --><n:a x:k='v' l=\"&lt;&#65;\"> <b/>one<c>no</c> &amp; two<![CDATA[<]]></n:a>";
        let mut cursor = Cursor::new(text, 10);
        let a = opened(&mut cursor);
        assert_eq!(a.name, "a");
        assert!(matches!(a.attribute("k"), Ok(Some(Cow::Borrowed("v")))));
        assert_eq!(a.attribute("l").unwrap().unwrap(), "<A");
        assert_eq!(a.attribute("m").unwrap(), None);
        assert_eq!(cursor.text().unwrap().trim(), "one & two<");
        assert!(matches!(cursor.step(), Ok(Step::End)));
    }

    #[test]
    fn what_is_no_xml_has_a_kind_and_a_place() {
        let run = |text: &str| {
            let mut cursor = Cursor::new(text, 3);
            loop {
                match cursor.step() {
                    Ok(Step::End) => return None,
                    Ok(_) => {}
                    Err(fault) => return Some((fault.error, fault.offset)),
                }
            }
        };
        assert_eq!(run("<a><b/></a>"), None);
        assert_eq!(run("<a><b>"), Some((XmlError::Truncated, 6)));
        assert!(matches!(run("<a><b x='"), Some((XmlError::Truncated, _))));
        assert!(matches!(run("<a></b>"), Some((XmlError::Malformed(_), 3))));
        assert!(matches!(
            run("<a><!what></a>"),
            Some((XmlError::Malformed(_), 3))
        ));
        assert_eq!(run("<a><a><a><a>"), Some((XmlError::TooDeep(3), 9)));
        let deep = "<a>".repeat(1_000_000);
        assert_eq!(run(&deep), Some((XmlError::TooDeep(3), 9)));
    }

    #[test]
    fn latin_1_is_read_if_declared() {
        let text = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>";
        assert!(decode(text).unwrap().ends_with("<a>é</a>"));
        assert_eq!(decode(b"<a>\xe9</a>").unwrap_err().offset, 3);
    }
}
