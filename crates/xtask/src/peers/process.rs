//! One run of a program: what it printed, the processor time it took, the memory it held, and whether it ended in time.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use dalsegno_kripke::clock::Instant;

/// What a run took.
pub(super) struct Measured {
    /// Standard output, then standard error.
    pub(super) output: String,
    /// The exit code, if the program ended by itself.
    pub(super) code: Option<i32>,
    /// Whether it was ended because its time was over.
    pub(super) late: bool,
    pub(super) user: Duration,
    pub(super) system: Duration,
    /// The largest resident set that was seen, where the system tells.
    pub(super) peak: Option<u64>,
}

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// What a program holds that has hardly started: nothing was seen of one that ended so soon.
const STARTED: u64 = 1_000_000;

/// Runs a program to its end or to the end of its time; its output is kept in two files that begin with `log`.
pub(super) fn run(
    command: &mut Command,
    input: Option<&Path>,
    limit: Duration,
    log: &Path,
) -> Result<Measured> {
    let (out, err) = (log.with_extension("out"), log.with_extension("err"));
    let create = |path: &Path| File::create(path).with_context(|| path.display().to_string());
    command.stdout(create(&out)?).stderr(create(&err)?);
    command.stdin(match input {
        Some(path) => File::open(path)
            .with_context(|| path.display().to_string())?
            .into(),
        None => Stdio::null(),
    });
    let before = children();
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .spawn()
        .with_context(|| format!("{program} does not start"))?;
    let start = Instant::now();
    let mut peak = None;
    let (mut code, mut late) = (None, false);
    loop {
        peak = peak.max(resident_peak(&child));
        if let Some(status) = child.try_wait()? {
            code = status.code();
            break;
        }
        if start.elapsed() >= limit {
            late = true;
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(LOOK);
    }
    let after = children();
    let text = |path: &Path| -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
    };
    Ok(Measured {
        output: text(&out)? + &text(&err)?,
        code,
        late,
        user: after.0.saturating_sub(before.0),
        system: after.1.saturating_sub(before.1),
        peak: peak.filter(|&bytes| bytes >= STARTED),
    })
}

/// The user and system time of all children that have ended: one runs at a time.
#[cfg(unix)]
fn children() -> (Duration, Duration) {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike;
    let duration = |value: nix::sys::time::TimeVal| {
        Duration::from_micros(u64::try_from(value.num_microseconds()).unwrap_or(0))
    };
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or((Duration::ZERO, Duration::ZERO), |usage| {
        (duration(usage.user_time()), duration(usage.system_time()))
    })
}

#[cfg(not(unix))]
fn children() -> (Duration, Duration) {
    (Duration::ZERO, Duration::ZERO)
}

/// The largest resident set of a running program so far, in bytes.
fn resident_peak(child: &Child) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
