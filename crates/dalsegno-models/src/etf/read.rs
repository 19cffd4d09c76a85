//! Reading ETF: line by line, in one pass over the bytes.

use std::ops::Range;

use dalsegno_kripke::Budget;
use dalsegno_logic::nearest;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Cell, Column, Error, ErrorKind, Etf, Map, Section, Sort};
use crate::text_error::TextError;
use crate::watch::Watch;

/// The most columns of a row.
const MAX_COLUMNS: usize = 1 << 20;

const SECTIONS: [&str; 6] = ["state", "edge", "init", "trans", "map", "sort"];

/// Parses an ETF file.
///
/// # Errors
/// An [`Error`](type@Error) with the line and column where the text stops being ETF.
///
/// # Examples
/// ```
/// let file = "begin state\nx:nat\nend state\nbegin edge\nend edge\nbegin init\n0\nend init\n\
///             begin trans\n0/1\n1/2\nend trans\n";
/// let etf = dalsegno_models::etf::parse(file.as_bytes())?;
/// assert_eq!(etf.sections[0].rows().count(), 2);
/// let error = dalsegno_models::etf::parse(file.replace("1/2", "1/2 7").as_bytes()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 11, column 1: expected 1 columns, found 2\n  1/2 7\n  ^^^^^"
/// );
/// # Ok::<(), dalsegno_models::etf::Error>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<Etf, Error> {
    parse_within(bytes, &Budget::unlimited())
}

/// As [`parse`], as long as the time and the memory of the budget last.
///
/// # Errors
/// An [`Error`](type@Error) with the place of the first fault, or of where reading was given up.
pub fn parse_within(bytes: &[u8], budget: &Budget) -> Result<Etf, Error> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let text = String::from_utf8_lossy(bytes);
            return Err(TextError::new(ErrorKind::Encoding, &text, at..at));
        }
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        watch: Watch::new(budget),
        map_names: FxHashSet::default(),
        text,
        next: 0,
        etf: Etf::default(),
        seen: [false; 3],
        largest: Vec::new(),
        sort_names: FxHashSet::default(),
    };
    let control = |b: u8| b < 0x20 && !b.is_ascii_whitespace();
    if let Some(at) = text.bytes().position(control) {
        let kind = ErrorKind::Character(char::from(text.as_bytes()[at]));
        return Err(TextError::new(kind, text, at..at + 1));
    }
    match reader.file() {
        Ok(()) => Ok(reader.etf),
        Err((kind, span)) => Err(TextError::new(kind, text, span)),
    }
}

type Fault = (ErrorKind, Range<usize>);

struct Reader<'a> {
    watch: Watch<'a>,
    text: &'a str,
    /// Where the next line starts.
    next: usize,
    etf: Etf,
    /// Whether `state`, `edge` and `init` have been there.
    seen: [bool; 3],
    /// Per variable, and then per edge label, the largest number and where it is.
    largest: Vec<(u32, Range<usize>)>,
    sort_names: FxHashSet<String>,
    map_names: FxHashSet<String>,
}

impl<'a> Reader<'a> {
    /// Notes work, and memory that stays, at a place of the text.
    fn spend(&self, work: usize, bytes: usize, at: usize) -> Result<(), Fault> {
        let spent = self.watch.spend(work);
        let spent = spent.and_then(|()| self.watch.keep(bytes));
        spent.map_err(|stop| (ErrorKind::Stopped(stop), at..at))
    }

    /// The next line that is not blank, trimmed, with its place.
    fn line(&mut self) -> Option<(&'a str, usize)> {
        while self.next < self.text.len() {
            let start = self.next;
            let rest = &self.text[start..];
            let length = rest.find('\n').unwrap_or(rest.len());
            self.next = start + length + 1;
            let line = &rest[..length];
            let trimmed = line.trim_start();
            let offset = start + line.len() - trimmed.len();
            let length = trimmed.trim_end().len();
            // A blank behind a backslash belongs to a name.
            let escapes = trimmed[..length].bytes().rev();
            let escaped = escapes.take_while(|&b| b == b'\\').count() % 2 == 1;
            let blank = trimmed[length..].chars().next().filter(|_| escaped);
            let trimmed = &trimmed[..length + blank.map_or(0, char::len_utf8)];
            if !trimmed.is_empty() {
                return Some((trimmed, offset));
            }
        }
        None
    }

    /// The next line of a section, or `None` at its end.
    fn row(
        &mut self,
        section: &'static str,
        name: &str,
    ) -> Result<Option<(&'a str, usize)>, Fault> {
        let Some((line, offset)) = self.line() else {
            let end = self.text.len();
            return Err((ErrorKind::Truncated(section), end..end));
        };
        self.spend(1 + line.len(), 0, offset)?;
        let Some(closed) = keyword(line, "end") else {
            if keyword(line, "begin").is_some() {
                let span = offset..offset + line.len();
                return Err((ErrorKind::Truncated(section), span));
            }
            return Ok(Some((line, offset)));
        };
        if closed == section || (!name.is_empty() && closed == name) {
            return Ok(None);
        }
        let span = offset..offset + line.len();
        Err((ErrorKind::Truncated(section), span))
    }

    fn file(&mut self) -> Result<(), Fault> {
        while let Some((line, offset)) = self.line() {
            let span = offset..offset + line.len();
            self.spend(1 + line.len(), 0, offset)?;
            let Some(rest) = keyword(line, "begin") else {
                return Err((ErrorKind::NoSection, span));
            };
            let word = rest.split_whitespace().next().unwrap_or("");
            let argument = rest[word.len()..].trim_start();
            let place = offset + line.len() - argument.len();
            match word {
                "state" => self.columns(0, "state", span)?,
                "edge" => self.columns(1, "edge", span)?,
                "init" => self.init(span)?,
                "trans" => self.trans(&span)?,
                "map" => self.map(argument, place)?,
                "sort" => self.sort(argument, place)?,
                _ => {
                    let near = nearest::nearest(word, SECTIONS);
                    let kind = ErrorKind::UnknownSection {
                        name: word.to_owned(),
                        nearest: near.into_iter().map(str::to_owned).collect(),
                    };
                    return Err((kind, span));
                }
            }
        }
        let end = self.text.len();
        for (i, name) in [(0, "state"), (2, "init")] {
            if !self.seen[i] {
                return Err((ErrorKind::Missing(name), end..end));
            }
        }
        self.check_values()
    }

    fn once(&mut self, i: usize, name: &'static str, span: Range<usize>) -> Result<(), Fault> {
        if std::mem::replace(&mut self.seen[i], true) {
            return Err((ErrorKind::Repeated(name), span));
        }
        Ok(())
    }

    fn columns(&mut self, i: usize, name: &'static str, span: Range<usize>) -> Result<(), Fault> {
        self.once(i, name, span.clone())?;
        if i == 1 && !self.etf.sections.is_empty() {
            return Err((ErrorKind::Repeated("trans"), span));
        }
        let mut columns: Vec<Column> = Vec::new();
        let mut names: FxHashSet<String> = FxHashSet::default();
        while let Some((line, offset)) = self.row(name, "")? {
            let mut at = 0;
            while at < line.len() {
                let (column, length) = column(&line[at..]);
                let span = offset + at..offset + at + length;
                if columns.len() >= MAX_COLUMNS {
                    return Err((ErrorKind::TooWide(MAX_COLUMNS), span));
                }
                let column = column.ok_or((ErrorKind::Expected("name:type"), span.clone()))?;
                if column.name != "_" && !names.insert(column.name.clone()) {
                    let what = if i == 0 { "variable" } else { "label" };
                    let name = column.name;
                    return Err((ErrorKind::Duplicate { what, name }, span));
                }
                self.spend(1, 6 * column.name.len() + 128, span.start)?;
                columns.push(column);
                at += length;
                at += line.len() - at - line[at..].trim_start().len();
            }
        }
        if i == 0 {
            self.etf.variables = columns;
        } else {
            self.etf.edge_labels = columns;
        }
        let width = self.etf.variables.len() + self.etf.edge_labels.len();
        self.largest = vec![(0, 0..0); width];
        Ok(())
    }

    fn need_state(&self, span: &Range<usize>) -> Result<(), Fault> {
        if self.seen[0] {
            return Ok(());
        }
        Err((ErrorKind::Missing("state"), span.clone()))
    }

    fn init(&mut self, span: Range<usize>) -> Result<(), Fault> {
        self.once(2, "init", span.clone())?;
        self.need_state(&span)?;
        let mut end = span;
        while let Some((line, offset)) = self.row("init", "")? {
            for (token, place) in tokens(line, offset) {
                let value = number(token, &place)?;
                let column = self.etf.initial.len();
                if let Some(largest) = self.largest.get_mut(column) {
                    note(largest, value, &place);
                }
                self.spend(1, 4, place.start)?;
                self.etf.initial.push(value);
                end = place;
            }
        }
        let (expected, found) = (self.etf.variables.len(), self.etf.initial.len());
        if expected != found {
            return Err((ErrorKind::Columns { expected, found }, end));
        }
        Ok(())
    }

    fn trans(&mut self, span: &Range<usize>) -> Result<(), Fault> {
        self.need_state(span)?;
        let expected = self.etf.variables.len() + self.etf.edge_labels.len();
        let mut section = Section::default();
        while let Some((line, offset)) = self.row("trans", "")? {
            let (cells, labels) = (section.cells.len(), section.labels.len());
            self.transition(line, offset, &mut section)
                .map_err(|fault| width(line, offset, expected).unwrap_or(fault))?;
            if let Some(fault) = width(line, offset, expected) {
                return Err(fault);
            }
            section.ends.push(section.cells.len());
            let (cells, labels) = (section.cells.len() - cells, section.labels.len() - labels);
            self.spend(0, 12 * cells + 4 * labels + 8, offset)?;
        }
        self.spend(0, size_of::<Section>(), span.start)?;
        self.etf.sections.push(section);
        Ok(())
    }

    /// Reads a row as far as it has the columns that it should have.
    fn transition(
        &mut self,
        line: &str,
        offset: usize,
        section: &mut Section,
    ) -> Result<(), Fault> {
        let variables = self.etf.variables.len();
        for ((token, place), column) in tokens(line, offset).zip(0..self.largest.len()) {
            if column >= variables {
                let value = number(token, &place)?;
                note(&mut self.largest[column], value, &place);
                section.labels.push(value);
            } else if token != "*" {
                let (before, after) = pair(token, &place)?;
                note(&mut self.largest[column], before.max(after), &place);
                section.cells.push(Cell {
                    column: column as u32,
                    before,
                    after,
                });
            }
        }
        Ok(())
    }

    fn map(&mut self, argument: &str, place: usize) -> Result<(), Fault> {
        let span = place..place + argument.len();
        self.need_state(&span)?;
        let (label, length) = column(argument);
        let Some(label) = label.filter(|_| length == argument.len()) else {
            return Err((ErrorKind::Expected("name:type"), span));
        };
        if !self.map_names.insert(label.name.clone()) {
            let (what, name) = ("map", label.name);
            return Err((ErrorKind::Duplicate { what, name }, span));
        }
        let mut rows = Vec::new();
        let expected = self.etf.variables.len() + 1;
        let name = label.name.clone();
        while let Some((line, offset)) = self.row("map", &name)? {
            let mut pattern = Vec::with_capacity(expected);
            for (token, place) in tokens(line, offset) {
                let value = match token {
                    "*" => None,
                    _ => Some(number(token, &place)?),
                };
                if let (Some(value), true) = (value, pattern.len() + 1 < expected) {
                    note(&mut self.largest[pattern.len()], value, &place);
                }
                pattern.push(value);
            }
            self.spend(1, 8 * pattern.len() + 48, offset)?;
            let span = offset..offset + line.len();
            if let Some(fault) = width(line, offset, expected) {
                return Err(fault);
            }
            match pattern.pop().flatten() {
                Some(value) => rows.push((pattern, value)),
                None => return Err((ErrorKind::Expected("a value at the end of the row"), span)),
            }
        }
        self.etf.maps.push(Map { label, rows });
        Ok(())
    }

    fn sort(&mut self, argument: &str, place: usize) -> Result<(), Fault> {
        let span = place..place + argument.len();
        let (name, length) = identifier(argument, false);
        if name.is_empty() || length != argument.len() {
            return Err((ErrorKind::Expected("the name of a sort"), span));
        }
        if !self.sort_names.insert(name.clone()) {
            let what = "sort";
            return Err((ErrorKind::Duplicate { what, name }, span));
        }
        let mut values = Vec::new();
        while let Some((line, offset)) = self.row("sort", argument)? {
            let span = offset..offset + line.len();
            let expected = "a value in quotes, or its bytes as #hex#";
            values.push(value(line).ok_or((ErrorKind::Expected(expected), span))?);
            self.spend(1, 32 + line.len(), offset)?;
        }
        self.etf.sorts.push(Sort { name, values });
        Ok(())
    }

    /// Sorts may stand at the end of the file, so numbers are compared with them at last.
    fn check_values(&self) -> Result<(), Fault> {
        let sizes: FxHashMap<&str, usize> = self
            .etf
            .sorts
            .iter()
            .map(|s| (s.name.as_str(), s.values.len()))
            .collect();
        let columns = self.etf.variables.iter().chain(&self.etf.edge_labels);
        for (column, (value, span)) in columns.zip(&self.largest) {
            let names = sizes.get(column.sort.as_str()).copied().unwrap_or(0);
            if names > 0 && *value as usize >= names {
                let kind = ErrorKind::Value {
                    sort: column.sort.clone(),
                    names,
                    value: *value,
                };
                return Err((kind, span.clone()));
            }
        }
        Ok(())
    }
}

/// What follows a keyword at the beginning of a line.
fn keyword<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(word)?;
    if rest.is_empty() {
        return Some(rest);
    }
    let trimmed = rest.trim_start();
    (trimmed.len() < rest.len()).then_some(trimmed)
}

/// The words of a line with their places.
fn tokens(line: &str, offset: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let bytes = line.as_bytes();
        while at < bytes.len() && bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && !bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        (start < at).then(|| (&line[start..at], offset + start..offset + at))
    })
}

/// The fault of a line that has another number of columns.
fn width(line: &str, offset: usize, expected: usize) -> Option<Fault> {
    let found = tokens(line, offset).count();
    let span = offset..offset + line.len();
    (found != expected).then_some((ErrorKind::Columns { expected, found }, span))
}

#[inline]
fn note(largest: &mut (u32, Range<usize>), value: u32, place: &Range<usize>) {
    if value > largest.0 || largest.1.is_empty() {
        *largest = (value, place.clone());
    }
}

#[inline]
fn number(token: &str, place: &Range<usize>) -> Result<u32, Fault> {
    if token.is_empty() || !token.bytes().all(|b| b.is_ascii_digit()) {
        return Err((ErrorKind::Expected("a number"), place.clone()));
    }
    token
        .parse()
        .map_err(|_| (ErrorKind::Number, place.clone()))
}

#[inline]
fn pair(token: &str, place: &Range<usize>) -> Result<(u32, u32), Fault> {
    let Some((before, after)) = token.split_once('/') else {
        let expected = "`*`, or two numbers such as 0/1";
        return Err((ErrorKind::Expected(expected), place.clone()));
    };
    Ok((number(before, place)?, number(after, place)?))
}

/// A name up to white space, or to a colon if asked, without its backslashes, and its length.
fn identifier(text: &str, colon: bool) -> (String, usize) {
    let mut name = String::new();
    let mut characters = text.char_indices();
    while let Some((i, c)) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some((_, c)) => name.push(c),
                None => return (name, text.len()),
            },
            ':' if colon => return (name, i),
            c if c.is_whitespace() => return (name, i),
            c => name.push(c),
        }
    }
    (name, text.len())
}

/// `name:type`, or `_` for both, and the length of the word.
fn column(text: &str) -> (Option<Column>, usize) {
    let (name, length) = identifier(text, true);
    if !text[length..].starts_with(':') {
        let column = (name == "_").then(|| Column {
            sort: name.clone(),
            name,
        });
        return (column, length);
    }
    let (sort, rest) = identifier(&text[length + 1..], false);
    let proper = !name.is_empty() && !sort.is_empty();
    (proper.then_some(Column { name, sort }), length + 1 + rest)
}

/// The bytes of a value of a sort.
fn value(line: &str) -> Option<Vec<u8>> {
    if let Some(hex) = line.strip_prefix('#') {
        let hex = hex.strip_suffix('#')?.as_bytes();
        let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
        let byte = |pair: &[u8]| match pair {
            &[high, low] => Some(digit(high)? << 4 | digit(low)?),
            _ => None,
        };
        return hex.chunks(2).map(byte).collect();
    }
    let inner = line.strip_prefix('"')?;
    let mut value = String::new();
    let mut characters = inner.char_indices();
    while let Some((i, c)) = characters.next() {
        match c {
            '"' => return (i + 1 == inner.len()).then(|| value.into_bytes()),
            '\\' => value.push(characters.next()?.1),
            c => value.push(c),
        }
    }
    None
}
