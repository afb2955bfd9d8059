//! Work that may be stopped: by a time limit, by Ctrl-C, by a limit on memory, or because nobody reads the output.
//!
//! A command runs on a thread of its own, and the main thread looks after it.
//! 1. The command says in time what is to be printed if it is stopped ([`when_stopped`]).
//! 2. When it ends, its exit status is that of the program. A panic is an error like any other.
//! 3. When time is up or at Ctrl-C, a command that has taken the [`interrupt`] ends its query with what is proven so far and prints its own answer.
//! 4. When it is stopped otherwise, or takes too long to end, nothing more that it prints gets through; what is known is printed in its place, files that are half
//!    written are removed, and the program ends with the thread still at work.
//!
//! Memory is what the system says is in use; where it does not say so, only the readers' estimates count.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use firsttouch::Interrupt;

use crate::args::Bounds;
use crate::output::{self, Failure, Status};

/// Why work was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// The time was up.
    Timeout,
    /// Ctrl-C.
    Interrupted,
    /// Nobody reads standard output any more.
    Closed,
}

impl Why {
    /// In the word of the JSON output.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Why::Timeout => "timeout",
            Why::Interrupted => "interrupted",
            Why::Closed => "closed",
        }
    }
}

/// Prints what is known, and says how that went.
type Known = Box<dyn FnOnce(Why) -> Result<Status, Failure> + Send>;

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static ENDS_WITH_OUTPUT: AtomicBool = AtomicBool::new(false);

/// The flag of a query that ends early by itself.
static INTERRUPT: OnceLock<Interrupt> = OnceLock::new();
static REASON: Mutex<Option<Why>> = Mutex::new(None);

/// How long a query may take to end by itself. It looks at the flag many times in a millisecond, but its answer has to be written too.
const GRACE: Duration = Duration::from_secs(2);

/// How long the main thread sleeps at most between two looks. What is allocated in that time is little beside a gigabyte.
const PAUSE: Duration = Duration::from_millis(20);

/// Sets what is printed if the command is stopped.
pub(crate) fn when_stopped(known: impl FnOnce(Why) -> Result<Status, Failure> + Send + 'static) {
    *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(known));
}

/// The flag that is raised when the command is stopped. Whoever takes it ends soon after, and prints what is proven.
pub(crate) fn interrupt() -> Interrupt {
    INTERRUPT.get_or_init(Interrupt::default).clone()
}

/// Why the flag was raised, if it was.
pub(crate) fn reason() -> Option<Why> {
    *REASON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command is stopped when nobody reads its output any more, which is otherwise noticed at the next line.
pub(crate) fn end_with_output() {
    ENDS_WITH_OUTPUT.store(true, Ordering::Relaxed);
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
            // The main thread may have gone.
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
        if let Some(bounds) = bounds
            && memory_in_use().is_some_and(|bytes| bytes > bounds.max_memory)
            && output::take_over()
        {
            firsttouch_io::discard_unfinished();
            return Err(Failure::Memory { limit: bounds.max_memory });
        }
        let why = if INTERRUPTED.load(Ordering::Relaxed) {
            Why::Interrupted
        } else if bounds.and_then(|bounds| bounds.timeout).is_some_and(|timeout| began.elapsed() >= timeout) {
            Why::Timeout
        } else if ENDS_WITH_OUTPUT.load(Ordering::Relaxed) && output::is_closed() {
            Why::Closed
        } else {
            continue;
        };
        if why != Why::Closed
            && let Some(interrupt) = INTERRUPT.get()
        {
            *REASON.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            interrupt.raise();
            if let Ok(result) = receive.recv_timeout(GRACE) {
                return result
                    .map(|status| if why == Why::Interrupted { Status::Interrupted } else { status });
            }
        }
        // If the command has begun to print its answer, it is as good as done.
        if !output::take_over() {
            return receive
                .recv()
                .unwrap_or_else(|_| Err(Failure::Internal("the work ended without a result".into())));
        }
        firsttouch_io::discard_unfinished();
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
        let status = known.map_or(Ok(Status::Undecided), |known| known(why))?;
        return Ok(if why == Why::Interrupted { Status::Interrupted } else { status });
    }
}

/// The result of `work`, in which a panic is an error.
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

/// A panic is reported once, as an error, and not by every thread that it passes through.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let mut place = PANIC_PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            *place = panic.location().map(|location| format!("{}:{}", location.file(), location.line()));
        }
    }));
}

/// The first Ctrl-C asks for what is known, the second ends the program at once. Where no handler can be had, the first does.
fn listen_for_interrupts() {
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            firsttouch_io::discard_unfinished();
            std::process::exit(Status::Interrupted as i32);
        }
    });
}

/// The memory of this process that is in use, in bytes, if the system says so.
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
            assert_eq!(reason(), Some(Why::Timeout));
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
