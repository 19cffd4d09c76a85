//! Damaged texts: each is read or refused, never anything else.

use dalsegno::logic::random::Rng;

use crate::campaign::Target;
use crate::format::{Format, Input};
use crate::mutate::mutate;
use crate::read::Readers;
use crate::seeds::Seeds;

/// Feeds damaged texts to readers.
#[derive(Debug, Default)]
pub struct DamagedTexts {
    seeds: Seeds,
    readers: Readers,
    /// The formats, all if there are none.
    only: Vec<Format>,
}

impl DamagedTexts {
    /// Texts of these formats, of all if there are none.
    #[must_use]
    pub fn of(only: Vec<Format>) -> Self {
        DamagedTexts {
            only,
            ..Self::default()
        }
    }

    fn format(&self, rng: &mut Rng) -> Format {
        let formats = match &self.only[..] {
            [] => &Format::READERS[..],
            only => only,
        };
        formats[rng.index(formats.len())]
    }
}

impl Target for DamagedTexts {
    fn name(&self) -> &'static str {
        "readers"
    }

    fn draw(&self, rng: &mut Rng) -> Input {
        let format = self.format(rng);
        let bytes = mutate(self.seeds.of(format), rng);
        // A file may be given to the reader of another format.
        let format = if rng.chance(1, 50) {
            self.format(rng)
        } else {
            format
        };
        Input { format, bytes }
    }

    fn feed(&self, input: &Input) -> Result<bool, String> {
        Ok(self.readers.read(input)?.is_some())
    }
}
