//! What the host of the module gives: a clock, and somebody who hears lines.

#[cfg(target_family = "wasm")]
pub(crate) use page::{line, set_clock};

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::{line, set_clock};

#[cfg(all(test, not(target_family = "wasm")))]
pub(crate) use native::told;

/// The functions of the page.
#[cfg(target_family = "wasm")]
mod page {
    use std::time::Duration;

    #[expect(unsafe_code, reason = "the page gives these functions")]
    #[link(wasm_import_module = "dalsegno")]
    unsafe extern "C" {
        // Both are safe to call: they take no address to write to, and `line` reads what is lent for the call.
        safe fn now() -> f64;
        #[link_name = "line"]
        safe fn told(address: *const u8, length: usize);
    }

    pub(crate) fn set_clock() {
        // A time that is no number of milliseconds counts as none.
        dalsegno::kripke::clock::set_clock(|| {
            Duration::try_from_secs_f64(now() / 1000.0).unwrap_or_default()
        });
    }

    pub(crate) fn line(line: &str) {
        told(line.as_ptr(), line.len());
    }
}

/// Lines go nowhere but to tests, and the system has a clock.
#[cfg(not(target_family = "wasm"))]
mod native {
    #[cfg(test)]
    thread_local! {
        static TOLD: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
    }

    pub(crate) fn set_clock() {}

    #[cfg_attr(not(test), expect(unused_variables, reason = "nobody hears it"))]
    pub(crate) fn line(line: &str) {
        #[cfg(test)]
        TOLD.with_borrow_mut(|told| told.push(line.to_owned()));
    }

    #[cfg(test)]
    pub(crate) fn told() -> Vec<String> {
        TOLD.take()
    }
}
