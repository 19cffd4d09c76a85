//! Files packed by gzip, recognised by their first bytes.
//!
//! They are unpacked piece by piece, within a budget: a few kilobytes can stand for gigabytes.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use dalsegno_kripke::{Budget, Stop};
use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

/// The bytes that packed files begin with.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The most bytes that are unpacked where the budget has no limit.
const MOST: u64 = 1 << 32;

/// The bytes that are unpacked between two looks at the budget.
const PIECE: u64 = 1 << 16;

/// Why a packed file was not unpacked.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The file ends too early.
    #[error("the packed file ends too early: it seems truncated (after byte {0})")]
    Truncated(u64),
    /// The file breaks a rule of the format.
    #[error("the packed file is damaged near byte {offset}: {message}")]
    Damaged {
        /// How many bytes of the file were read.
        offset: u64,
        /// What is wrong.
        message: String,
    },
    /// A limit was reached; nothing is known to be wrong.
    #[error("unpacking was given up after {bytes} bytes: {stop}")]
    Stopped {
        /// How many bytes came out.
        bytes: u64,
        /// The limit.
        stop: Stop,
    },
}

impl UnpackError {
    /// The limit that ended it, if nothing is known to be wrong.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            UnpackError::Stopped { stop, .. } => Some(*stop),
            _ => None,
        }
    }
}

/// What is in a file: its bytes, unpacked if they are packed by gzip.
///
/// # Errors
/// If the packed file is damaged, or what is in it takes more time or memory than the budget has.
///
/// # Examples
/// ```
/// use dalsegno_kripke::Budget;
///
/// let plain = dalsegno_models::unpack(b"<pnml/>", &Budget::unlimited())?;
/// assert_eq!(*plain, *b"<pnml/>");
/// # Ok::<(), dalsegno_models::UnpackError>(())
/// ```
pub fn unpack<'a>(bytes: &'a [u8], budget: &Budget) -> Result<Cow<'a, [u8]>, UnpackError> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }
    let most = budget.bytes().unwrap_or(MOST).min(MOST);
    let mut decoder = MultiGzDecoder::new(bytes);
    let mut unpacked: Vec<u8> = Vec::new();
    loop {
        let before = unpacked.len();
        let stopped = |stop| UnpackError::Stopped {
            bytes: before as u64,
            stop,
        };
        budget.check().map_err(stopped)?;
        // A vector that grows is there twice.
        if 2 * before as u64 > most {
            return Err(stopped(Stop::Memory));
        }
        match decoder.by_ref().take(PIECE).read_to_end(&mut unpacked) {
            Ok(0) => return Ok(Cow::Owned(unpacked)),
            Ok(_) => {}
            Err(error) => {
                let offset = (bytes.len() - decoder.get_ref().len()) as u64;
                return Err(if error.kind() == ErrorKind::UnexpectedEof {
                    UnpackError::Truncated(offset)
                } else {
                    let message = error.to_string();
                    UnpackError::Damaged { offset, message }
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::Duration;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_was_packed_comes_out() {
        let unlimited = Budget::unlimited();
        let long = vec![7; 300_000];
        for text in [&b""[..], b"<pnml/>", &long] {
            assert_eq!(*unpack(&packed(text), &unlimited).unwrap(), *text);
        }
        let twice = [packed(b"<pnml>"), packed(b"</pnml>")].concat();
        assert_eq!(*unpack(&twice, &unlimited).unwrap(), *b"<pnml></pnml>");
    }

    #[test]
    fn damage_is_told_with_its_place() {
        let file = packed(b"some text that is long enough to be cut");
        let unlimited = Budget::unlimited();
        for end in 2..file.len() {
            let error = unpack(&file[..end], &unlimited).unwrap_err();
            assert!(matches!(error, UnpackError::Truncated(_)), "{end}: {error}");
        }
        let tail = [file.clone(), b"tail".to_vec()].concat();
        let error = unpack(&tail, &unlimited).unwrap_err();
        assert!(error.stop().is_none(), "{error}");
        let mut wrong = file;
        let last = wrong.len() - 6;
        wrong[last] ^= 1;
        let error = unpack(&wrong, &unlimited).unwrap_err();
        assert!(matches!(error, UnpackError::Damaged { .. }), "{error}");
    }

    #[test]
    fn a_bomb_is_stopped_by_the_budget() {
        let bomb = packed(&vec![b' '; 20_000_000]);
        assert!(bomb.len() < 100_000);
        let small = Budget::unlimited().with_bytes(1_000_000);
        let Err(UnpackError::Stopped { bytes, stop }) = unpack(&bomb, &small) else {
            panic!("not stopped");
        };
        assert!(bytes < 1_000_000 && stop == Stop::Memory);
        let now = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(unpack(&bomb, &now).unwrap_err().stop(), Some(Stop::Time));
    }
}
