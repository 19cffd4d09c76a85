//! How much memory the program may use if the user does not say, and how much it holds.

use std::sync::atomic::{AtomicU64, Ordering};

/// The resident set of the process when it was last looked at.
static HELD: AtomicU64 = AtomicU64::new(0);

/// The bytes that the process held when that was last looked at, some milliseconds ago; 0 if the system does not tell.
pub(crate) fn held() -> u64 {
    HELD.load(Ordering::Relaxed)
}

/// Takes note of the bytes that the process holds.
pub(crate) fn note_held(bytes: u64) {
    HELD.store(bytes, Ordering::Relaxed);
}

/// Three quarters of the smallest of what the machine has, what the process's control group may use, and what its
/// address space may be; of 16 gigabytes where nothing can be told.
pub(crate) fn default_limit() -> u64 {
    let known = [physical(), control_group(), address_space()];
    let least = known.into_iter().flatten().min();
    least.unwrap_or(16_000_000_000) / 4 * 3
}

fn physical() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The least limit of the groups that the process is in, one inside of the other.
fn control_group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let limit = |line: &str| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|c| c == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        let mut least = None;
        let mut path = path.trim_end_matches('/');
        loop {
            let text = std::fs::read_to_string(format!("{root}{path}/{file}"));
            // "max" is no number.
            let bytes = text.ok().and_then(|text| text.trim().parse::<u64>().ok());
            least = least.into_iter().chain(bytes).min();
            match path.rsplit_once('/') {
                Some((outer, _)) => path = outer,
                None => return least,
            }
        }
    };
    groups.lines().filter_map(limit).min()
}

#[cfg(unix)]
fn address_space() -> Option<u64> {
    use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
    let (soft, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (soft != RLIM_INFINITY).then_some(soft)
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_below_what_the_machine_has() {
        let limit = default_limit();
        assert!(limit > 0);
        if let Some(physical) = physical() {
            assert!(limit < physical);
        }
    }
}
