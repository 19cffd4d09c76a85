//! PNML files: reading and writing place/transition nets and symmetric (coloured) nets.
//!
//! Nodes may sit in pages nested to any depth, or in none. References are resolved, data of other
//! tools skipped, positions of nodes and nested units (NUPN) kept. Inhibitor and test arcs are read in the
//! usual dialects: an attribute `type`, an element `<type value="…"/>`, or an element `<type>` with
//! text. [`parse`] refuses coloured nets by [`ErrorKind::Coloured`]; [`parse_net`] reads both kinds.
//!
//! The reader streams: one pass over the text, memory for the net alone, no recursion.

mod coloured;
mod conditions;
mod declarations;
mod error;
mod graphics;
mod multisets;
mod nupn;
mod read;
mod split_variables;
mod terms;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_coloured;
#[cfg(test)]
mod tests_coloured_faults;
mod tree;
mod watch;
mod write;
mod write_coloured;

pub use error::{Error, ErrorKind};
pub use write::write;
pub use write_coloured::write_coloured;

use dalsegno_kripke::Budget;

use super::coloured::ColouredNet;
use super::net::PetriNet;
use crate::xml::{self, Cursor};

/// How deep elements may be nested.
const MAX_DEPTH: usize = 1000;

/// Reads a place/transition net.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault.
///
/// # Examples
/// ```
/// use dalsegno_models::petri::pnml;
///
/// let net = pnml::parse(b"<pnml><net id='n'>
///     <place id='p'><initialMarking><text>1</text></initialMarking></place>
///     <transition id='t'/>
///     <arc id='a' source='p' target='t'/>
/// </net></pnml>")?;
/// assert_eq!(net.to_string(), "n: 1 places, 1 transitions, 1 arcs");
/// # Ok::<(), pnml::Error>(())
/// ```
pub fn parse(bytes: &[u8]) -> Result<PetriNet, Error> {
    match read(bytes, false, &Budget::unlimited())? {
        Net::Plain(net) => Ok(net),
        Net::Coloured(_) => {
            let kind = ErrorKind::Coloured("it has colours".to_owned());
            Err(Error::new(kind, &xml::shown(bytes), 0..0))
        }
    }
}

/// A net of either kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Net {
    /// A place/transition net.
    Plain(PetriNet),
    /// A symmetric net.
    Coloured(ColouredNet),
}

/// Reads a place/transition net or a symmetric net.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault.
pub fn parse_net(bytes: &[u8]) -> Result<Net, Error> {
    parse_net_within(bytes, &Budget::unlimited())
}

/// As [`parse_net`], as long as the time and the memory of the budget last.
///
/// # Errors
/// An [`Error`] with the line and the column of the first fault, or of where reading was given up.
pub fn parse_net_within(bytes: &[u8], budget: &Budget) -> Result<Net, Error> {
    read(bytes, true, budget)
}

fn read(bytes: &[u8], colours: bool, budget: &Budget) -> Result<Net, Error> {
    let text = xml::decode(bytes);
    let text = text.map_err(|fault| error::Located::from(fault).at(&xml::shown(bytes)))?;
    let mut cursor = Cursor::new(&text, MAX_DEPTH).within(budget);
    read::document(&mut cursor, colours).map_err(|located| located.at(&text))
}
