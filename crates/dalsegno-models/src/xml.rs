//! A cursor over the elements of an XML text.
//!
//! It borrows from the text, skips what readers do not look at, and never recurses: nesting costs
//! a counter. What is wrong is an [`XmlError`] at a byte offset. All that is read is checked, skipped
//! elements too: attributes are distinct, references are known, and nothing but blanks, comments and
//! declarations stands around the one outermost element. Documents never define entities, so no text
//! is larger than the file.

mod decode;

use std::borrow::Cow;

use dalsegno_kripke::{Budget, Stop};
use quick_xml::Reader;
use quick_xml::errors::SyntaxError;
use quick_xml::events::Event;
use quick_xml::events::attributes::Attributes;
use thiserror::Error;

pub(crate) use decode::{decode, shown};
use decode::{referenced, unescape};

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
    /// The text is in UTF-16.
    #[error("the text is in UTF-16: UTF-8 and Latin-1 are read")]
    Utf16,
    /// A character that XML forbids, as it is or by its number.
    #[error("the control character {0:?} is not allowed in XML")]
    Character(char),
    /// An attribute that an element has twice.
    #[error("the attribute `{0}` is there twice")]
    RepeatedAttribute(String),
    /// Text before or after the outermost element.
    #[error("there is text outside of the outermost element")]
    Outside,
    /// An element after the outermost one.
    #[error("the text goes on with <{0}> after its outermost element")]
    SecondRoot(String),
    /// Text where only elements are read.
    #[error("there is text between elements, where none has a meaning")]
    StrayText,
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
    /// Whether the outermost element has begun.
    rooted: bool,
    /// Whether text between elements is a fault.
    strict: bool,
    /// The names of the attributes of an element.
    keys: Vec<&'a str>,
    budget: Budget,
    /// The bytes that the reader says it holds.
    held: u64,
    /// Events since the last look at the budget.
    unwatched: u32,
}

/// Events between two looks at the budget.
const WATCH: u32 = 1 << 12;

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
            rooted: false,
            strict: false,
            keys: Vec::new(),
            budget: Budget::unlimited(),
            held: text.len() as u64,
            unwatched: 0,
        }
    }

    /// The same, with an end of its time and memory.
    pub(crate) fn within(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// The same, where text between elements is a fault.
    pub(crate) fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The limits.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Notes that the reader keeps so many bytes more.
    pub(crate) fn hold(&mut self, bytes: usize) {
        self.held += bytes as u64;
    }

    /// Whether there is time and memory to go on.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let time = self.budget.check();
        let checked = time.and_then(|()| self.budget.check_bytes(self.held));
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

    /// The next start or end of an element; text, comments and the like are skipped, but text is a fault
    /// for a strict cursor.
    pub(crate) fn step(&mut self) -> Result<Step<'a>, Fault> {
        self.advance(!self.strict)
    }

    fn advance(&mut self, text: bool) -> Result<Step<'a>, Fault> {
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
                Event::GeneralRef(reference) => {
                    referenced(&reference).map_err(|error| self.fault(error))?;
                    if !text {
                        return Err(self.fault(XmlError::StrayText));
                    }
                }
                Event::Text(found) if !text => self.only_blanks(&found, XmlError::StrayText)?,
                Event::CData(_) if !text => return Err(self.fault(XmlError::StrayText)),
                _ => {}
            }
        }
    }

    /// Goes to the end of the element that was opened last.
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        let outside = self.depth - 1;
        while self.depth > outside {
            self.advance(true)?;
        }
        Ok(())
    }

    /// Goes to the end of the text, where nothing is to follow.
    pub(crate) fn end(&mut self) -> Result<(), Fault> {
        match self.step()? {
            Step::End => Ok(()),
            Step::Open(_) | Step::Close => Err(self.fault(XmlError::Outside)),
        }
    }

    /// The text directly in the element that was opened last, up to its end; elements inside of it
    /// are skipped.
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.text_or_children(|cursor, _| cursor.skip())
    }

    /// As [`Cursor::text`]; `child` gets the elements inside and must go to their end.
    pub(crate) fn text_or_children<E: From<Fault>>(
        &mut self,
        mut child: impl FnMut(&mut Self, Element<'a>) -> Result<(), E>,
    ) -> Result<Cow<'a, str>, E> {
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
                Event::Text(text) => text.into_inner(),
                Event::CData(text) => text.into_inner(),
                Event::GeneralRef(reference) => {
                    let c = referenced(&reference).map_err(|error| self.fault(error))?;
                    Cow::Owned(c.to_string())
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
        let event = match self.reader.read_event() {
            Ok(Event::Eof) if self.depth > 0 => return Err(self.fault(XmlError::Truncated)),
            Ok(event) => event,
            Err(error) => {
                self.offset = (self.reader.error_position() as usize).min(self.text.len());
                return Err(self.fault(match error {
                    quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup) => {
                        XmlError::Malformed(error.to_string())
                    }
                    // The others say that something is open at the end of the text.
                    quick_xml::Error::Syntax(_) => XmlError::Truncated,
                    other => XmlError::Malformed(other.to_string()),
                }));
            }
        };
        if self.depth == 0 {
            match &event {
                Event::Text(text) => self.only_blanks(text, XmlError::Outside)?,
                Event::CData(_) | Event::GeneralRef(_) => {
                    return Err(self.fault(XmlError::Outside));
                }
                _ => {}
            }
        }
        if let (Event::DocType(_) | Event::Decl(_), true) = (&event, self.rooted) {
            let message = "a declaration of the document stands behind its beginning";
            return Err(self.fault(XmlError::Malformed(message.to_owned())));
        }
        Ok(event)
    }

    /// Faults the first character of a text that is no blank.
    fn only_blanks(&self, text: &str, error: XmlError) -> Result<(), Fault> {
        match text.bytes().position(|b| !b.is_ascii_whitespace()) {
            None => Ok(()),
            Some(at) => Err(Fault {
                error,
                offset: self.offset + at,
            }),
        }
    }

    fn open(&mut self, name_len: usize, length: usize) -> Result<Element<'a>, Fault> {
        let start = self.offset + 1;
        let content = &self.text[start..start + length];
        let full = &content[..name_len];
        let name = full.rsplit_once(':').map_or(full, |(_, local)| local);
        if self.depth == 0 && self.rooted {
            let name = name.chars().take(40).collect();
            return Err(self.fault(XmlError::SecondRoot(name)));
        }
        self.rooted = true;
        self.depth += 1;
        if self.depth > self.max_depth {
            return Err(self.fault(XmlError::TooDeep(self.max_depth)));
        }
        let element = Element {
            name,
            content,
            name_len,
            offset: self.offset,
        };
        if length > name_len {
            self.check_attributes(element)?;
        }
        Ok(element)
    }

    /// Checks that attributes are distinct and that their values can be read.
    fn check_attributes(&mut self, element: Element<'a>) -> Result<(), Fault> {
        self.keys.clear();
        for attribute in element.attributes() {
            let (key, value) = attribute?;
            if value.contains(['<', '&']) {
                let at = self.place(value);
                let fault = |error| Fault { error, offset: at };
                if value.contains('<') {
                    let message = "`<` in the value of an attribute";
                    return Err(fault(XmlError::Malformed(message.to_owned())));
                }
                unescape(value).map_err(fault)?;
            }
            // Few attributes are compared one by one, many are sorted below.
            if self.keys.len() < FEW && self.keys.contains(&key) {
                return Err(self.repeated(key));
            }
            self.keys.push(key);
        }
        if self.keys.len() > FEW {
            self.keys.sort_unstable_by_key(|key| (*key, key.as_ptr()));
            if let Some(pair) = self.keys.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(self.repeated(pair[1]));
            }
        }
        Ok(())
    }

    fn repeated(&self, key: &'a str) -> Fault {
        Fault {
            error: XmlError::RepeatedAttribute(key.chars().take(40).collect()),
            offset: self.place(key),
        }
    }

    /// Where a part of the text starts.
    fn place(&self, part: &'a str) -> usize {
        part.as_ptr().addr() - self.text.as_ptr().addr()
    }
}

/// Attributes of one element that are compared one by one.
const FEW: usize = 8;

impl<'a> Element<'a> {
    /// The value of an attribute, named without its prefix; one without a prefix comes first.
    pub(crate) fn attribute(&self, name: &str) -> Result<Option<Cow<'a, str>>, Fault> {
        let mut found = None;
        for attribute in self.attributes() {
            let (key, value) = attribute?;
            if key == name {
                found = Some(value);
                break;
            }
            let local = key.rsplit_once(':').map_or(key, |(_, local)| local);
            if found.is_none() && local == name {
                found = Some(value);
            }
        }
        let fault = |error| Fault {
            error,
            offset: self.offset,
        };
        found.map(unescape).transpose().map_err(fault)
    }

    /// Names and values as they are written.
    fn attributes(self) -> impl Iterator<Item = Result<(&'a str, &'a str), Fault>> {
        let mut attributes = Attributes::new(self.content, self.name_len);
        attributes.with_checks(false);
        let fault = move |message: String| Fault {
            error: XmlError::Malformed(message),
            offset: self.offset,
        };
        attributes.map(move |attribute| {
            let attribute = attribute.map_err(|error| fault(error.to_string()))?;
            match attribute.value {
                Cow::Borrowed(value) => Ok((attribute.key.0, value)),
                Cow::Owned(value) => Err(fault(value)),
            }
        })
    }
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
        let text = "<?xml version='1.0'?><!-- c --><n:a x:k='v' l=\"&lt;&#65;\"> <b/>one<c>no</c> &amp; two<![CDATA[<]]></n:a> <!-- d -->";
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
            let mut cursor = Cursor::new(text, 3).strict();
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
        assert_eq!(run("<a/>b"), Some((XmlError::Outside, 4)));
        assert_eq!(run("x <a/>"), Some((XmlError::Outside, 0)));
        assert_eq!(run("<a/>&amp;"), Some((XmlError::Outside, 4)));
        assert_eq!(
            run("<a/>\n<b/>"),
            Some((XmlError::SecondRoot("b".to_owned()), 5))
        );
        assert!(matches!(
            run("<a/><?xml version='1.0'?>"),
            Some((XmlError::Malformed(_), 4))
        ));
        assert!(matches!(
            run("<a><!DOCTYPE b></a>"),
            Some((XmlError::Malformed(_), 3))
        ));
        assert_eq!(run("<a> x <b/></a>"), Some((XmlError::StrayText, 4)));
        let twice = XmlError::RepeatedAttribute("b".to_owned());
        assert_eq!(run("<a b='1' c='' b='2'/>"), Some((twice.clone(), 14)));
        let names: Vec<String> = (0..100_000).map(|i| format!("b{i}=''")).collect();
        let many = names.join(" ") + " ";
        assert_eq!(run(&format!("<a {many}/>")), None);
        assert_eq!(
            run(&format!("<a b='' {many}b=''/>")),
            Some((twice, 8 + many.len()))
        );
        assert!(matches!(
            run("<a b='&x;'/>"),
            Some((XmlError::Entity(_), 6))
        ));
        assert!(matches!(
            run("<a b='<'/>"),
            Some((XmlError::Malformed(_), 6))
        ));
        let bomb = "<!DOCTYPE a [<!ENTITY b 'b'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        assert!(matches!(run(bomb), Some((XmlError::Entity(_), _))));
        let deep = "<a>".repeat(1_000_000);
        assert_eq!(run(&deep), Some((XmlError::TooDeep(3), 9)));
    }
}
