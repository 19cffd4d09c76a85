//! The budget of what is done with elements once they are all read.

use dalsegno_kripke::Budget;

use super::error::Located;
use crate::watch;
use crate::xml::{Element, XmlError};

/// A budget whose end is an error at an element.
pub(super) struct Watch<'b>(watch::Watch<'b>);

impl<'b> Watch<'b> {
    pub(super) fn new(budget: &'b Budget) -> Self {
        Watch(watch::Watch::new(budget))
    }

    /// Notes some work at an element.
    pub(super) fn spend(&self, at: Element<'_>, work: usize) -> Result<(), Located> {
        let spent = self.0.spend(work);
        spent.map_err(|stop| Located::new(at.offset, XmlError::Stopped(stop)))
    }

    /// Notes bytes that stay.
    pub(super) fn keep(&self, at: Element<'_>, bytes: usize) -> Result<(), Located> {
        let kept = self.0.keep(bytes);
        kept.map_err(|stop| Located::new(at.offset, XmlError::Stopped(stop)))
    }
}
