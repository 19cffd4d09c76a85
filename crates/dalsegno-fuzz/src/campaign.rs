//! Runs a target on many inputs: catches panics, notices hangs, shrinks what fails.
//!
//! A worker thread does the work and publishes the number of its input; whoever started it looks on. An input that is
//! drawn from seed and number needs no copy: the one that hangs is drawn again. Faults of the same signature are told
//! once, with the smallest input that was found for the first of them.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, set_hook, take_hook};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

use dalsegno::kripke::clock::Instant;
use dalsegno::logic::random::Rng;

use crate::format::Input;
use crate::shrink::shrink;

/// What is fed with inputs.
pub trait Target: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// An input.
    fn draw(&self, rng: &mut Rng) -> Input;

    /// Feeds it with an input; whether that was accepted.
    ///
    /// # Errors
    /// What is wrong with what became of it. The text up to the first colon tells faults apart.
    fn feed(&self, input: &Input) -> Result<bool, String>;
}

/// Which inputs are fed, and how long each may take.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// The seed.
    pub seed: u64,
    /// The number of the first input.
    pub from: u64,
    /// How many inputs.
    pub count: u64,
    /// An input that takes longer hangs.
    pub patience: Duration,
    /// Whether the number of each input is told before it is fed: a process that aborts tells nothing else.
    pub trace: bool,
}

impl Campaign {
    /// A campaign with the usual patience.
    #[must_use]
    pub fn new(seed: u64, count: u64) -> Self {
        Campaign {
            seed,
            from: 0,
            count,
            patience: Duration::from_secs(10),
            trace: false,
        }
    }

    /// The input of a number.
    #[must_use]
    pub fn input(&self, target: &dyn Target, number: u64) -> Input {
        // Neighbouring seeds and numbers have nothing in common.
        let mut rng = Rng::new(self.seed);
        let start = rng.next_u64() ^ number.wrapping_mul(0x9e6c_63d0_876a_3f6b);
        let mut rng = Rng::new(start);
        rng.next_u64();
        target.draw(&mut rng)
    }
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The program panicked.
    Panic,
    /// What became of the input is wrong.
    Wrong,
    /// The input took too long.
    Hang,
}

/// What went wrong with an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The kind.
    pub kind: Kind,
    /// What happened.
    pub message: String,
}

impl Failure {
    /// What faults with one cause have in common: the place of a panic, or the beginning of the message.
    #[must_use]
    pub fn signature(&self) -> (Kind, &str) {
        let end = match self.kind {
            Kind::Panic => self.message.find(": ").unwrap_or(self.message.len()),
            _ => self.message.find(':').unwrap_or(self.message.len()),
        };
        (self.kind, &self.message[..end])
    }
}

/// A fault.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The number of the first input that has it.
    pub number: u64,
    /// What went wrong.
    pub failure: Failure,
    /// The input, shrunk unless it hangs.
    pub input: Input,
    /// How many inputs have it.
    pub times: u64,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.failure.kind {
            Kind::Panic => "panic",
            Kind::Wrong => "wrong",
            Kind::Hang => "hang",
        };
        writeln!(
            f,
            "fault: {kind}, input {}, {} times: {}",
            self.number, self.times, self.failure.message
        )?;
        write!(
            f,
            "{} ({} bytes): {}",
            self.input.format,
            self.input.bytes.len(),
            self.input.bytes.escape_ascii()
        )
    }
}

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Inputs that were fed.
    pub inputs: u64,
    /// Inputs among them that were accepted.
    pub accepted: u64,
    /// The faults, each once.
    pub faults: Vec<Fault>,
    /// The longest time that an input took, and its number.
    pub slowest: (Duration, u64),
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} inputs, {} accepted, {} faults",
            self.inputs,
            self.accepted,
            self.faults.len()
        )
    }
}

/// Feeds one input; whether it was accepted.
///
/// # Errors
/// What went wrong.
pub fn feed(target: &dyn Target, input: &Input) -> Result<bool, Failure> {
    keep_quiet();
    QUIET.with_borrow_mut(|place| *place = Some(String::new()));
    let caught = catch_unwind(AssertUnwindSafe(|| target.feed(input)));
    let place = QUIET.with_borrow_mut(Option::take).unwrap_or_default();
    match caught {
        Ok(Ok(accepted)) => Ok(accepted),
        Ok(Err(message)) => Err(Failure {
            kind: Kind::Wrong,
            message,
        }),
        Err(payload) => Err(Failure {
            kind: Kind::Panic,
            message: format!("{place}: {}", said(&*payload)),
        }),
    }
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

thread_local! {
    /// Where a panic of this thread happened, if panics are expected here and not to be printed.
    static QUIET: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics of threads that expect some are noted and not printed.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            let expected = QUIET.with_borrow_mut(|place| {
                let expected = place.is_some();
                if let (Some(place), Some(at)) = (place, info.location()) {
                    *place = format!("{}:{}", at.file(), at.line());
                }
                expected
            });
            if !expected {
                usual(info);
            }
        }));
    });
}

/// What the worker tells whoever looks on.
struct Board {
    /// Ticks once per input fed, those of the shrinker included.
    beat: AtomicU64,
    number: AtomicU64,
    /// The input that the shrinker is trying.
    shrinking: Mutex<Option<Input>>,
    report: Mutex<Report>,
}

impl Board {
    fn report(&self) -> std::sync::MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shrinking(&self) -> std::sync::MutexGuard<'_, Option<Input>> {
        let lock = self.shrinking.lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Feeds a target with the inputs of a campaign. `progress` hears how many have been fed, about every second. After an
/// input that hangs the campaign ends, and leaves a thread behind.
///
/// # Panics
/// If no thread can be started.
pub fn run(target: &Arc<dyn Target>, campaign: &Campaign, mut progress: impl FnMut(u64)) -> Report {
    let board = Arc::new(Board {
        beat: AtomicU64::new(0),
        number: AtomicU64::new(campaign.from),
        shrinking: Mutex::new(None),
        report: Mutex::new(Report::default()),
    });
    let (done, ended) = channel();
    let worker = {
        let (target, campaign) = (Arc::clone(target), *campaign);
        let board = Arc::clone(&board);
        move || {
            work(&*target, &campaign, &board);
            let _ = done.send(());
        }
    };
    let thread = thread::Builder::new().name("fuzz".to_owned()).spawn(worker);
    let thread = thread.expect("a thread can be started");
    let (mut beat, mut since) = (0, Instant::now());
    loop {
        match ended.recv_timeout(Duration::from_secs(1)) {
            Ok(()) => break,
            Err(RecvTimeoutError::Disconnected) => {
                // The worker catches what inputs do: this is a panic of the fuzzer.
                panic_any(thread.join().expect_err("it did not end"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = board.beat.load(Ordering::Relaxed);
        if now != beat {
            (beat, since) = (now, Instant::now());
            progress(board.number.load(Ordering::Relaxed) - campaign.from);
        } else if since.elapsed() > campaign.patience {
            return hanging(&**target, campaign, &board);
        }
    }
    std::mem::take(&mut *board.report())
}

/// The report of a campaign whose worker does not come back.
fn hanging(target: &dyn Target, campaign: &Campaign, board: &Board) -> Report {
    let number = board.number.load(Ordering::Relaxed);
    let tried = board.shrinking().take();
    let input = tried.unwrap_or_else(|| campaign.input(target, number));
    let mut report = std::mem::take(&mut *board.report());
    report.faults.push(Fault {
        number,
        failure: Failure {
            kind: Kind::Hang,
            message: format!("no answer: after {} s", campaign.patience.as_secs()),
        },
        input,
        times: 1,
    });
    report
}

fn work(target: &dyn Target, campaign: &Campaign, board: &Board) {
    let mut seen: BTreeMap<(Kind, String), usize> = BTreeMap::new();
    for number in campaign.from..campaign.from.saturating_add(campaign.count) {
        board.number.store(number, Ordering::Relaxed);
        board.beat.fetch_add(1, Ordering::Relaxed);
        if campaign.trace {
            eprintln!("{}: {number}", target.name());
        }
        let input = campaign.input(target, number);
        let start = Instant::now();
        let fed = feed(target, &input);
        let time = start.elapsed();
        {
            let mut report = board.report();
            report.inputs += 1;
            report.slowest = report.slowest.max((time, number));
            report.accepted += u64::from(fed == Ok(true));
        }
        let Err(failure) = fed else { continue };
        let (kind, text) = failure.signature();
        let signature = (kind, text.to_owned());
        if let Some(&known) = seen.get(&signature) {
            board.report().faults[known].times += 1;
            continue;
        }
        let mut failure = failure;
        let small = shrink(&input, |candidate| {
            *board.shrinking() = Some(candidate.clone());
            board.beat.fetch_add(1, Ordering::Relaxed);
            let Err(found) = feed(target, candidate) else {
                return false;
            };
            let same = found.signature() == (signature.0, &signature.1);
            if same {
                failure = found;
            }
            same
        });
        *board.shrinking() = None;
        let mut report = board.report();
        seen.insert(signature, report.faults.len());
        report.faults.push(Fault {
            number,
            failure,
            input: small,
            times: 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    /// Panics at a `p`, is wrong at an `m`, and accepts an `a`.
    struct Letters;

    impl Target for Letters {
        fn name(&self) -> &'static str {
            "letters"
        }

        fn draw(&self, rng: &mut Rng) -> Input {
            let bytes = (0..20).map(|_| b'a' + rng.index(6) as u8 * 3).collect();
            Input {
                format: Format::Formula,
                bytes,
            }
        }

        fn feed(&self, input: &Input) -> Result<bool, String> {
            let has = |b: u8| input.bytes.contains(&b);
            assert!(!has(b'p'), "a p");
            if has(b'm') {
                return Err("an m: here".to_owned());
            }
            Ok(has(b'a'))
        }
    }

    #[test]
    fn faults_are_caught_counted_and_shrunk() {
        let target: Arc<dyn Target> = Arc::new(Letters);
        let campaign = Campaign::new(3, 200);
        let report = run(&target, &campaign, |_| {});
        assert_eq!((report.inputs, report.faults.len()), (200, 2));
        let found: Vec<(Kind, &[u8])> = report
            .faults
            .iter()
            .map(|fault| (fault.failure.kind, &fault.input.bytes[..]))
            .collect();
        assert!(found.contains(&(Kind::Panic, b"p")) && found.contains(&(Kind::Wrong, b"m")));
        assert!(report.faults.iter().map(|fault| fault.times).sum::<u64>() > 100);
        let again = run(&target, &campaign, |_| {});
        assert_eq!(again.to_string(), report.to_string());
    }

    #[test]
    fn an_input_that_hangs_is_named() {
        struct Stuck;
        impl Target for Stuck {
            fn name(&self) -> &'static str {
                "stuck"
            }

            fn draw(&self, rng: &mut Rng) -> Input {
                Letters.draw(rng)
            }

            fn feed(&self, _: &Input) -> Result<bool, String> {
                loop {
                    thread::sleep(Duration::from_millis(20));
                }
            }
        }
        let target: Arc<dyn Target> = Arc::new(Stuck);
        let campaign = Campaign {
            patience: Duration::from_millis(100),
            ..Campaign::new(1, 5)
        };
        let report = run(&target, &campaign, |_| {});
        assert_eq!(report.faults[0].failure.kind, Kind::Hang);
        assert_eq!(report.faults[0].input, campaign.input(&Stuck, 0));
    }
}
