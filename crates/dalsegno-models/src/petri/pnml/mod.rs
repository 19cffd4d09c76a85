//! PNML files: reading and writing place/transition nets.
//!
//! Nodes may sit in pages nested to any depth, or in none. References are resolved, graphics and
//! data of other tools skipped, nested units (NUPN) kept. Inhibitor and test arcs are read in the
//! usual dialects: an attribute `type`, an element `<type value="…"/>`, or an element `<type>` with
//! text. Coloured nets are recognised and refused by [`ErrorKind::Coloured`].
//!
//! The reader streams: one pass over the text, memory for the net alone, no recursion.

mod error;
mod nupn;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use error::{Error, ErrorKind};
pub use write::write;

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
    let text = match xml::decode(bytes) {
        Ok(text) => text,
        Err(fault) => {
            let valid = String::from_utf8_lossy(&bytes[..fault.offset]);
            return Err(error::Located::from(fault).at(&valid));
        }
    };
    let mut cursor = Cursor::new(&text, MAX_DEPTH);
    read::document(&mut cursor).map_err(|located| located.at(&text))
}
