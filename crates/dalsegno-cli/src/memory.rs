//! How much memory the program may use if the user does not say, and how much it holds.
//!
//! Linux is asked through `/proc` and the files of control groups: a read into a buffer, some hundred times a second.
//! Other systems are asked through `sysinfo`, which knows them.

#[cfg(target_os = "linux")]
pub(crate) use linux::Resident;
#[cfg(not(target_os = "linux"))]
pub(crate) use others::Resident;

#[cfg(target_os = "linux")]
use linux::{control_group, physical};
#[cfg(not(target_os = "linux"))]
use others::{control_group, physical};

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

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    /// The resident set of this process.
    pub(crate) struct Resident {
        file: File,
        page: u64,
    }

    impl Resident {
        pub(crate) fn open() -> Option<Self> {
            let file = File::open("/proc/self/statm").ok()?;
            let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE);
            let page = page
                .ok()
                .flatten()
                .and_then(|size| u64::try_from(size).ok());
            Some(Resident {
                file,
                page: page.unwrap_or(4096),
            })
        }

        /// The bytes that the process holds now.
        pub(crate) fn read(&mut self) -> Option<u64> {
            let mut text = [0; 128];
            let length = self.file.read_at(&mut text, 0).ok()?;
            let text = std::str::from_utf8(&text[..length]).ok()?;
            let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
            pages.checked_mul(self.page)
        }
    }

    /// What the machine has.
    pub(super) fn physical() -> Option<u64> {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kilobytes.checked_mul(1024)
    }

    /// The least limit of the groups that the process is in, one inside of the other.
    pub(super) fn control_group() -> Option<u64> {
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
}

#[cfg(not(target_os = "linux"))]
mod others {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

    /// How often the system is asked, in calls: it is slower than a read from a file.
    const EVERY: u32 = 8;

    /// The resident set of this process.
    pub(crate) struct Resident {
        system: System,
        process: Pid,
        calls: u32,
    }

    impl Resident {
        pub(crate) fn open() -> Option<Self> {
            Some(Resident {
                system: System::new(),
                process: sysinfo::get_current_pid().ok()?,
                calls: 0,
            })
        }

        /// The bytes that the process held when that was last looked at.
        pub(crate) fn read(&mut self) -> Option<u64> {
            if self.calls.is_multiple_of(EVERY) {
                let kind = ProcessRefreshKind::nothing().with_memory();
                let this = ProcessesToUpdate::Some(std::slice::from_ref(&self.process));
                self.system.refresh_processes_specifics(this, true, kind);
            }
            self.calls = self.calls.wrapping_add(1);
            Some(self.system.process(self.process)?.memory())
        }
    }

    /// What the machine has.
    pub(super) fn physical() -> Option<u64> {
        let mut system = System::new();
        system.refresh_memory();
        Some(system.total_memory()).filter(|&bytes| bytes > 0)
    }

    /// There are no control groups.
    pub(super) fn control_group() -> Option<u64> {
        None
    }
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
