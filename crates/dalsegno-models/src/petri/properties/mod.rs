//! Properties in the XML format of the Model Checking Contest.
//!
//! `<all-paths>` and `<exists-path>` become path quantifiers, `<globally>`, `<finally>`, `<next>` and
//! `<until>` temporal operators. Comparisons, `<is-fireable>` and `<deadlock>` become atoms whose
//! names are propositions as [`proposition`](super::proposition) reads them, so that formulas print
//! well; what the atoms mean is kept beside.
//!
//! Formulas are built on a stack of their own: nesting is limited by memory only, and memory is linear in
//! the text.

mod build;
mod error;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use dalsegno_kripke::{Budget, Predicate, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};
use rustc_hash::FxHashSet;

pub use error::{Error, ErrorKind};

use super::symbols::Symbols;
use crate::xml::{self, Cursor, Element, Step};
use build::{Builder, Value};
use error::Located;

/// The properties of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PropertySet {
    /// The properties, in the order of the file.
    pub properties: Vec<Property>,
    /// What the atoms of their formulas mean.
    pub atoms: BTreeMap<PropId, Predicate>,
}

impl PropertySet {
    /// What the atoms of a formula mean, in the order of their numbers; those of this file.
    #[must_use]
    pub fn atoms_of(&self, store: &FormulaStore, f: FormulaId) -> Vec<(PropId, Predicate)> {
        let used = store.propositions(f).into_iter();
        let meaning = |p| Some((p, self.atoms.get(&p)?.clone()));
        used.filter_map(meaning).collect()
    }
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The name under which its answer is reported.
    pub id: String,
    /// What the file says about it.
    pub description: String,
    /// What is asked.
    pub question: Question,
}

/// What a property asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether a formula holds.
    Formula(FormulaId),
    /// The largest sum of these variables in a reachable state.
    Bound(Vec<VarId>),
}

/// Reads a file of properties; formulas go to `store`.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault.
///
/// # Examples
/// ```
/// use dalsegno_kripke::VarId;
/// use dalsegno_logic::FormulaStore;
/// use dalsegno_models::petri::properties::{self, Question};
/// use dalsegno_models::petri::Symbols;
///
/// let mut symbols = Symbols::new();
/// symbols.add_place("P", &[VarId(0)]);
/// let mut store = FormulaStore::new();
/// let set = properties::parse(b"<property-set><property><id>one</id><formula>
///     <exists-path><finally><integer-le>
///         <integer-constant>2</integer-constant><tokens-count><place>P</place></tokens-count>
///     </integer-le></finally></exists-path>
/// </formula></property></property-set>", &symbols, &mut store)?;
/// let Question::Formula(f) = set.properties[0].question else { panic!() };
/// assert_eq!(f, dalsegno_logic::parse(&mut store, "E F \"P >= 2\"").unwrap());
/// # Ok::<(), properties::Error>(())
/// ```
pub fn parse(
    bytes: &[u8],
    symbols: &Symbols,
    store: &mut FormulaStore,
) -> Result<PropertySet, Error> {
    parse_within(bytes, symbols, store, &Budget::unlimited())
}

/// As [`parse`], as long as the time and the memory of the budget last.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault, or of where reading was given up.
pub fn parse_within(
    bytes: &[u8],
    symbols: &Symbols,
    store: &mut FormulaStore,
    budget: &Budget,
) -> Result<PropertySet, Error> {
    read(bytes, budget, |cursor| document(cursor, symbols, store))
}

/// The names of the properties of a file, in its order; their formulas are not looked at.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault.
pub fn ids(bytes: &[u8]) -> Result<Vec<String>, Error> {
    read(bytes, &Budget::unlimited(), names)
}

fn read<T>(
    bytes: &[u8],
    budget: &Budget,
    inside: impl FnOnce(&mut Cursor<'_>) -> Result<T, Located>,
) -> Result<T, Error> {
    let text = xml::decode(bytes);
    let text = text.map_err(|fault| Located::from(fault).at(&xml::shown(bytes)))?;
    let mut cursor = Cursor::new(&text, usize::MAX).strict().within(budget);
    let found = root(&mut cursor).and_then(|()| {
        let found = inside(&mut cursor)?;
        cursor.end()?;
        Ok(found)
    });
    found.map_err(|located| located.at(&text))
}

/// Opens the outermost element.
fn root(cursor: &mut Cursor<'_>) -> Result<(), Located> {
    cursor.check()?;
    match cursor.step()? {
        Step::Open(element) if element.name == "property-set" => Ok(()),
        _ => Err(Located::new(cursor.offset(), ErrorKind::NotProperties)),
    }
}

fn names(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Located> {
    let mut names = Vec::new();
    while let Step::Open(element) = cursor.step()? {
        if element.name != "property" {
            cursor.skip()?;
            continue;
        }
        while let Step::Open(child) = cursor.step()? {
            match child.name {
                "id" => names.push(cursor.text()?.trim().to_owned()),
                _ => cursor.skip()?,
            }
        }
    }
    if names.is_empty() {
        return Err(Located::new(cursor.offset(), ErrorKind::NoProperty));
    }
    Ok(names)
}

fn document(
    cursor: &mut Cursor<'_>,
    symbols: &Symbols,
    store: &mut FormulaStore,
) -> Result<PropertySet, Located> {
    let mut set = PropertySet::default();
    let mut ids: FxHashSet<String> = FxHashSet::default();
    while let Step::Open(element) = cursor.step()? {
        if element.name != "property" {
            cursor.skip()?;
            continue;
        }
        let property = property(cursor, element, symbols, store, &mut set.atoms)?;
        if !ids.insert(property.id.clone()) {
            let kind = ErrorKind::DuplicateId(property.id);
            return Err(Located::new(element.offset, kind));
        }
        cursor.hold(size_of::<Property>() + 3 * property.id.len() + property.description.len());
        set.properties.push(property);
    }
    if set.properties.is_empty() {
        return Err(Located::new(cursor.offset(), ErrorKind::NoProperty));
    }
    Ok(set)
}

fn property(
    cursor: &mut Cursor<'_>,
    element: Element<'_>,
    symbols: &Symbols,
    store: &mut FormulaStore,
    atoms: &mut BTreeMap<PropId, Predicate>,
) -> Result<Property, Located> {
    let (mut id, mut description, mut formula) = (None, None, None);
    while let Step::Open(child) = cursor.step()? {
        let twice = |part| Err(Located::new(child.offset, ErrorKind::Repeated(part)));
        match child.name {
            "id" => {
                if id.replace(cursor.text()?.trim().to_owned()).is_some() {
                    return twice("id");
                }
            }
            "description" => {
                let text = cursor.text()?.trim().to_owned();
                if description.replace(text).is_some() {
                    return twice("description");
                }
            }
            "formula" => {
                let mut builder = Builder::new(symbols, store, atoms);
                let question = match builder.formula(cursor)? {
                    None => None,
                    Some(Value::Formula(f)) => Some(Question::Formula(f)),
                    Some(Value::Bound(variables)) => Some(Question::Bound(variables)),
                    Some(Value::Sum(_)) => {
                        let (element, expected) = ("formula", "a formula");
                        let kind = ErrorKind::Sort { element, expected };
                        return Err(Located::new(child.offset, kind));
                    }
                };
                if formula.replace(question).is_some() {
                    return twice("formula");
                }
            }
            _ => cursor.skip()?,
        }
    }
    let missing = |kind| Located::new(element.offset, kind);
    Ok(Property {
        id: id.ok_or_else(|| missing(ErrorKind::NoId))?,
        description: description.unwrap_or_default(),
        question: formula
            .flatten()
            .ok_or_else(|| missing(ErrorKind::NoFormula))?,
    })
}
