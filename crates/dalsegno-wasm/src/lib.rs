//! dalsegno as a module of WebAssembly.
//!
//! A page asks for room with [`dalsegno_alloc`], puts a request there, a text in UTF-8, and calls [`dalsegno_call`], which
//! takes the room back. Each line of the answer is handed to a function of the page before the call returns: see
//! [`dalsegno::service`]. Nothing is kept between calls. A module that has trapped (no memory, no stack) is not to be called
//! again: the page starts another one.
//!
//! The page gives two functions: `now`, the milliseconds since some moment, and `line`, which takes the address and the
//! length of a line. Natively, where tests run, they are others.

mod host;

use dalsegno::kripke::Budget;
use dalsegno::service;

/// What the tables of a call may take unless the request says less: a module has 4 GB at most, and the allocator ends it
/// where there are none left. Tables double when they grow, beside what they hold.
const MOST_BYTES: u64 = 1 << 30;

/// Room for so many bytes of a request; it goes back by [`dalsegno_call`] or [`dalsegno_free`].
#[expect(unsafe_code, reason = "a page calls it by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn dalsegno_alloc(length: usize) -> *mut u8 {
    let room = vec![0_u8; length].into_boxed_slice();
    Box::into_raw(room).cast()
}

/// Gives back room that no call has taken.
///
/// # Safety
/// `room` and `length` must be those of a call of [`dalsegno_alloc`], and its room not given back before.
#[expect(unsafe_code, reason = "a page calls it by its name")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dalsegno_free(room: *mut u8, length: usize) {
    // SAFETY: by the precondition it is a whole boxed slice that nobody else owns.
    drop(unsafe { taken(room, length) });
}

/// Answers the request in some room, which it takes back, line by line.
///
/// # Safety
/// As [`dalsegno_free`], and the room must hold what was written there whole.
#[expect(unsafe_code, reason = "a page calls it by its name")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dalsegno_call(room: *mut u8, length: usize) {
    // SAFETY: by the precondition it is a whole boxed slice that nobody else owns.
    let request = unsafe { taken(room, length) };
    answer(&request, &mut host::line);
}

/// The bytes of a room.
///
/// # Safety
/// As [`dalsegno_free`].
#[expect(
    unsafe_code,
    reason = "a page has the address of what this module owns"
)]
unsafe fn taken(room: *mut u8, length: usize) -> Box<[u8]> {
    // SAFETY: `dalsegno_alloc` made a boxed slice of this length at this address.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(room, length)) }
}

fn answer(request: &[u8], line: &mut (dyn FnMut(&str) + Send)) {
    host::set_clock();
    let budget = Budget::unlimited().with_bytes(MOST_BYTES);
    // What is no UTF-8 is no JSON either: the error says where.
    service::call(&String::from_utf8_lossy(request), &budget, line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_by_lines() {
        let mut lines = Vec::new();
        let mut hear = |line: &str| lines.push(line.to_owned());
        answer(br#"{"call": "version"}"#, &mut hear);
        answer(b"\xff\xfe", &mut hear);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with(r#"{"event":"done""#), "{}", lines[0]);
        assert!(lines[1].starts_with(r#"{"error":"#), "{}", lines[1]);
    }

    #[test]
    #[expect(unsafe_code, reason = "what a page does")]
    fn room_is_given_and_taken_back() {
        let request = br#"{"call": "version"}"#;
        let room = dalsegno_alloc(request.len());
        assert!(!room.is_null());
        // SAFETY: the room has this length, is written whole, and goes back once.
        unsafe {
            std::ptr::copy_nonoverlapping(request.as_ptr(), room, request.len());
            dalsegno_call(room, request.len());
        }
        let told = host::told();
        assert_eq!(told.len(), 1);
        assert!(told[0].contains(env!("CARGO_PKG_VERSION")), "{}", told[0]);
        let empty = dalsegno_alloc(0);
        // SAFETY: as above, with nothing in it.
        unsafe { dalsegno_free(empty, 0) };
    }
}
