//! Properties in the XML format of the Model Checking Contest.
//!
//! `<all-paths>` and `<exists-path>` become path quantifiers, `<globally>`, `<finally>`, `<next>` and
//! `<until>` temporal operators. Comparisons, `<is-fireable>` and `<deadlock>` become atoms whose
//! names are propositions as [`proposition`](super::proposition) reads them, so that formulas print
//! well; what the atoms mean is kept beside.
//!
//! Formulas are built on a stack of their own, so nesting is limited by memory only.

mod build;
mod error;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use dalsegno_kripke::{Predicate, VarId};
use dalsegno_logic::{FormulaId, FormulaStore, PropId};

pub use error::{Error, ErrorKind};

use super::symbols::Symbols;
use crate::xml::{self, Cursor, Step};
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
    let text = match xml::decode(bytes) {
        Ok(text) => text,
        Err(fault) => {
            let valid = String::from_utf8_lossy(&bytes[..fault.offset]);
            return Err(Located::from(fault).at(&valid));
        }
    };
    let mut cursor = Cursor::new(&text, usize::MAX);
    document(&mut cursor, symbols, store).map_err(|located| located.at(&text))
}

/// The names of the properties of a file, in its order; their formulas are not looked at.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault.
pub fn ids(bytes: &[u8]) -> Result<Vec<String>, Error> {
    let text = match xml::decode(bytes) {
        Ok(text) => text,
        Err(fault) => {
            let valid = String::from_utf8_lossy(&bytes[..fault.offset]);
            return Err(Located::from(fault).at(&valid));
        }
    };
    let mut cursor = Cursor::new(&text, usize::MAX);
    names(&mut cursor).map_err(|located| located.at(&text))
}

fn names(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Located> {
    match cursor.step()? {
        Step::Open(element) if element.name == "property-set" => {}
        _ => return Err(Located::new(cursor.offset(), ErrorKind::NotProperties)),
    }
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
    Ok(names)
}

fn document(
    cursor: &mut Cursor<'_>,
    symbols: &Symbols,
    store: &mut FormulaStore,
) -> Result<PropertySet, Located> {
    match cursor.step()? {
        Step::Open(element) if element.name == "property-set" => {}
        _ => return Err(Located::new(cursor.offset(), ErrorKind::NotProperties)),
    }
    let mut set = PropertySet::default();
    while let Step::Open(element) = cursor.step()? {
        if element.name != "property" {
            cursor.skip()?;
            continue;
        }
        let (mut id, mut description, mut question) = (None, String::new(), None);
        while let Step::Open(child) = cursor.step()? {
            match child.name {
                "id" => id = Some(cursor.text()?.trim().to_owned()),
                "description" => cursor.text()?.trim().clone_into(&mut description),
                "formula" => {
                    let mut builder = Builder::new(symbols, store, &mut set.atoms);
                    question = match builder.formula(cursor)? {
                        None => None,
                        Some(Value::Formula(f)) => Some(Question::Formula(f)),
                        Some(Value::Bound(variables)) => Some(Question::Bound(variables)),
                        Some(Value::Sum(_)) => {
                            let (element, expected) = ("formula", "a formula");
                            let kind = ErrorKind::Sort { element, expected };
                            return Err(Located::new(child.offset, kind));
                        }
                    };
                }
                _ => cursor.skip()?,
            }
        }
        let missing = |kind| Located::new(element.offset, kind);
        set.properties.push(Property {
            id: id.ok_or_else(|| missing(ErrorKind::NoId))?,
            description,
            question: question.ok_or_else(|| missing(ErrorKind::NoFormula))?,
        });
    }
    Ok(set)
}
