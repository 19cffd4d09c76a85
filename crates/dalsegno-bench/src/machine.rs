//! What the operating system tells of the machine and of this process.

use std::fs;
use std::time::Duration;

/// The machine in a few words: its processor and how many of them.
#[must_use]
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{processor}, {cores} cores, {}", std::env::consts::OS)
}

/// What this process has used so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Processor time of all threads.
    pub processor: Duration,
    /// The most memory at a time, in bytes.
    pub peak_bytes: u64,
}

/// What this process has used so far, where the system tells.
#[cfg(unix)]
#[must_use]
pub fn usage() -> Option<Usage> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    let time = |value: nix::sys::time::TimeVal| {
        let seconds = u64::try_from(value.tv_sec()).unwrap_or(0);
        let micros = u64::try_from(value.tv_usec()).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(micros)
    };
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = u64::try_from(usage.max_rss()).unwrap_or(0) * unit;
    // A process inherits the maximum of its parent from `getrusage`, but not in Linux's table.
    let own = status_bytes("self", "VmHWM:");
    Some(Usage {
        processor: time(usage.user_time()) + time(usage.system_time()),
        peak_bytes: own.unwrap_or(peak),
    })
}

/// What this process has used so far, where the system tells.
#[cfg(not(unix))]
#[must_use]
pub fn usage() -> Option<Usage> {
    None
}

/// The memory that another process has now, in bytes, where the system tells.
#[must_use]
pub fn resident_bytes(process: u32) -> Option<u64> {
    status_bytes(&process.to_string(), "VmRSS:")
}

fn status_bytes(process: &str, entry: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(entry))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn linux_tells_all() {
        let used = usage().unwrap();
        let now = resident_bytes(std::process::id()).unwrap();
        assert!(used.peak_bytes > 100_000 && now > 100_000);
        assert!(describe().ends_with("linux"));
    }
}
