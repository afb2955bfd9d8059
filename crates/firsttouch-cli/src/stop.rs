//! Stops a command: at a time limit, on Ctrl-C, or at a memory limit.
//!
//! A command runs on its own thread, and the main thread watches it.
//! 1. The command registers the output for the case that it is stopped ([`when_stopped`]).
//! 2. When the command ends, its exit status becomes that of the program. A panic is reported as an error.
//! 3. When the command is stopped, its output is blocked. The main thread prints the current results, removes
//!    half-written files and ends the program while the command's thread still runs.
//!
//! Memory use is the figure that the operating system reports. If it reports nothing, only the readers' estimates
//! count.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use firsttouch::{Answer, Interrupt};

use crate::args::Bounds;
use crate::output::{self, Failure, Status};
use crate::second_process;

/// The reason why work was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// The time limit was reached.
    Timeout,
    /// Ctrl-C.
    Interrupted,
}

impl StopReason {
    /// Returns the word for it in the JSON output.
    pub(crate) fn word(self) -> &'static str {
        match self {
            StopReason::Timeout => "timeout",
            StopReason::Interrupted => "interrupted",
        }
    }
}

/// Prints the current results and returns the exit status.
type PrintResults = Box<dyn FnOnce(StopReason) -> Result<Status, Failure> + Send>;

static KNOWN: Mutex<Option<PrintResults>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The flag of a query that ends early by itself.
static INTERRUPT: OnceLock<Interrupt> = OnceLock::new();
static REASON: Mutex<Option<StopReason>> = Mutex::new(None);

/// The longest time that a query may take to end by itself. It polls the flag many times in a millisecond, but its
/// answer must be written too.
const GRACE: Duration = Duration::from_secs(2);

/// The longest sleep of the main thread between two checks. The process can allocate only little memory in that time,
/// compared with a gigabyte.
const PAUSE: Duration = Duration::from_millis(20);

/// Sets the output for the case that the command is stopped.
pub(crate) fn when_stopped(known: impl FnOnce(StopReason) -> Result<Status, Failure> + Send + 'static) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(known));
}

/// Returns the flag that is raised when the command is stopped. A query that polls it ends soon after, and prints its
/// proof up to then.
pub(crate) fn interrupt() -> Interrupt {
    INTERRUPT.get_or_init(Interrupt::default).clone()
}

/// Returns the reason why the flag was raised, if it was.
pub(crate) fn reason() -> Option<StopReason> {
    *REASON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the reason why a query ended with this answer, if it is that the flag was raised.
pub(crate) fn reason_of(answer: &Answer) -> Option<StopReason> {
    match answer {
        Answer::Undecided { .. } => reason(),
        Answer::Free | Answer::Touch(_) | Answer::TouchingAtStart(_) => None,
    }
}

/// Returns the reason why a query for all touches was stopped, if it was: then its list is not complete, even if the
/// answer is known.
pub(crate) fn reason_of_all(answer: &Answer) -> Option<StopReason> {
    reason().filter(|_| *answer != Answer::Free)
}

/// Runs a command to its end, or until it is stopped.
pub(crate) fn supervised(
    bounds: Option<&Bounds>,
    work: impl FnOnce() -> Result<Status, Failure> + Send + 'static,
) -> Result<Status, Failure> {
    let began = Instant::now();
    quiet_panics();
    listen_for_interrupts();
    let (send, receive) = channel();
    let work = Arc::new(Mutex::new(Some(work)));
    let on_thread = Arc::clone(&work);
    let run = move || {
        let work = on_thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            // The main thread may have ended.
            let _ = send.send(guarded(work));
        }
    };
    // As much stack as the main thread has on most systems.
    if std::thread::Builder::new().name("work".into()).stack_size(8 << 20).spawn(run).is_err() {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        return work.map_or(Ok(Status::Error), guarded);
    }
    loop {
        let pause = match bounds.and_then(|bounds| bounds.timeout) {
            None => PAUSE,
            Some(timeout) => PAUSE.min(timeout.saturating_sub(began.elapsed())),
        };
        match receive.recv_timeout(pause) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Internal("the work ended without a result".into()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if second_process::is_orphan() && output::take_over() {
            firsttouch_io::discard_unfinished();
            return Ok(Status::Interrupted);
        }
        if let Some(bounds) = bounds
            && memory_in_use().is_some_and(|bytes| bytes > bounds.max_memory)
            && output::take_over()
        {
            firsttouch_io::discard_unfinished();
            return Err(Failure::Memory { limit: bounds.max_memory });
        }
        let why = if INTERRUPTED.load(Ordering::Relaxed) {
            StopReason::Interrupted
        } else if bounds.and_then(|bounds| bounds.timeout).is_some_and(|timeout| began.elapsed() >= timeout) {
            StopReason::Timeout
        } else {
            continue;
        };
        if let Some(interrupt) = INTERRUPT.get() {
            *REASON.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            interrupt.raise();
            if let Ok(result) = receive.recv_timeout(GRACE) {
                return result
                    .map(|status| if why == StopReason::Interrupted { Status::Interrupted } else { status });
            }
        }
        // If the command is already printing its answer, wait for its end.
        if !output::take_over() {
            return receive
                .recv()
                .unwrap_or_else(|_| Err(Failure::Internal("the work ended without a result".into())));
        }
        firsttouch_io::discard_unfinished();
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
        let status = known.map_or(Ok(Status::Undecided), |known| known(why))?;
        return Ok(if why == StopReason::Interrupted { Status::Interrupted } else { status });
    }
}

/// Runs `work`. A panic becomes an error.
pub(crate) fn guarded(work: impl FnOnce() -> Result<Status, Failure>) -> Result<Status, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let said = payload.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
        let place = PANIC_PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::Internal(format!(
            "{said}{}",
            place.map(|place| format!(", at {place}")).unwrap_or_default()
        )))
    })
}

static PANIC_PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Reports a panic once, as an error, and not once per thread that it passes through.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let mut place = PANIC_PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            *place = panic.location().map(|location| format!("{}:{}", location.file(), location.line()));
        }
    }));
}

/// The first Ctrl-C prints the current results, the second ends the program at once. If no handler can be installed,
/// the first one ends it.
fn listen_for_interrupts() {
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        // A second process may get one Ctrl-C twice.
        let is_repeated = second_process::is_second()
            && first.get_or_insert_with(Instant::now).elapsed() < Duration::from_millis(500);
        if INTERRUPTED.swap(true, Ordering::Relaxed) && !is_repeated {
            firsttouch_io::discard_unfinished();
            std::process::exit(Status::Interrupted as i32);
        }
    });
}

/// Returns the memory that this process uses, in bytes, if the system reports it.
fn memory_in_use() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work that takes the flag ends by itself, and its own result counts.
    #[test]
    fn work_that_ends_by_itself() {
        let bounds = Bounds { timeout: Some(Duration::from_millis(50)), max_memory: u64::MAX, root: None };
        let interrupt = interrupt();
        let work = move || {
            while !interrupt.is_raised() {
                std::thread::yield_now();
            }
            assert_eq!(reason(), Some(StopReason::Timeout));
            Ok(Status::Touch)
        };
        assert_eq!(supervised(Some(&bounds), work).unwrap(), Status::Touch);
    }

    #[test]
    fn a_panic_is_an_error() {
        let failure = guarded(|| panic!("a bug")).unwrap_err();
        assert!(failure.to_string().contains("a bug"), "{failure}");
        assert_eq!(failure.code(), "internal");
        assert_eq!(guarded(|| Ok(Status::Touch)).unwrap(), Status::Touch);
    }
}
