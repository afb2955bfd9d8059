//! Long work on a thread of its own, while the caller's thread listens for Ctrl-C.
//!
//! Python handles a signal in the main thread only, and only when that thread returns to the interpreter. So the main
//! thread waits and looks for signals, and the work runs elsewhere. Starting a thread takes some 20 µs: work that is
//! certainly short does not come here.
//!
//! Work that is usually short, but not certainly, begins on the caller's thread ([`begun_here`]). A clock ends it if it
//! takes longer than a few ticks, and then it is done again from its beginning, on a thread of its own. The clock is
//! one thread for all calls. It runs while there are such calls, and for a second after the last.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use firsttouch::{Control, Interrupt};
use pyo3::prelude::*;

/// Interval between two looks for signals. An interrupt must end the work within 0.2 s.
const LISTEN: Duration = Duration::from_millis(20);

/// What ends a query of the core when the interrupt is raised.
pub(crate) fn control(interrupt: &Interrupt) -> Control<'_> {
    Control { interrupt: Some(interrupt), progress: None }
}

/// Does the work without the GIL. If a signal handler raises an exception, the interrupt is raised for the work, its
/// result is dropped and the exception is returned.
pub(crate) fn supervised<T: Send>(py: Python<'_>, work: impl FnOnce(&Interrupt) -> T + Send) -> PyResult<T> {
    let interrupt = Interrupt::default();
    py.detach(|| {
        std::thread::scope(|scope| {
            let (alive, ended) = channel::<()>();
            let watched = &interrupt;
            let worker = scope.spawn(move || {
                // Dropped at the end, also if the work panics.
                let _alive = alive;
                work(watched)
            });
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LISTEN) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    interrupt.raise();
                    raised = Some(error);
                }
            }
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            raised.map_or(Ok(result), Err)
        })
    })
}

/// Objects of Python for many results, made with the GIL held. Signals are looked for in between.
pub(crate) fn listening<T, R>(
    py: Python<'_>,
    found: Vec<T>,
    mut object: impl FnMut(T) -> PyResult<R>,
) -> PyResult<Vec<R>> {
    let mut objects = Vec::with_capacity(found.len());
    for (k, each) in found.into_iter().enumerate() {
        if k % 1024 == 1023 {
            py.check_signals()?;
        }
        objects.push(object(each)?);
    }
    Ok(objects)
}

/// The time between two ticks of the clock, and how many of them a call may take on the caller's thread.
const TICK: Duration = Duration::from_millis(10);
const SHORT: u64 = 4;

/// The clock stops after this number of ticks without a call.
const IDLE: u64 = 100;

/// One call on the caller's thread: the tick at which it began, plus one; 0 if there is none.
struct Turn {
    begun: AtomicU64,
    interrupt: OnceLock<Interrupt>,
}

/// More calls than this at one time go to threads of their own at once. There is no lock: a process may fork at any
/// time.
static TURNS: LazyLock<[Turn; 64]> =
    LazyLock::new(|| std::array::from_fn(|_| Turn { begun: AtomicU64::new(0), interrupt: OnceLock::new() }));
static TICKS: AtomicU64 = AtomicU64::new(0);
/// The process in which the clock runs; 0 if it does not run. The child of a fork has none and starts its own.
static CLOCK: AtomicU32 = AtomicU32::new(0);

/// Like [`supervised`], for work that is usually shorter than starting a thread. It may be done twice.
pub(crate) fn begun_here<T: Send>(
    py: Python<'_>,
    work: impl Fn(&Interrupt) -> T + Send + Sync,
) -> PyResult<T> {
    let now = TICKS.load(Ordering::SeqCst) + 1;
    let is_taken =
        |turn: &&Turn| turn.begun.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    if let Some(turn) = TURNS.iter().find(is_taken) {
        let ended = EndOfTurn(turn);
        let interrupt = turn.interrupt.get_or_init(Interrupt::default);
        interrupt.lower();
        start_clock();
        let result = py.detach(|| work(interrupt));
        let is_whole = !interrupt.is_raised();
        drop(ended);
        if is_whole {
            return Ok(result);
        }
    }
    supervised(py, work)
}

/// Gives the turn back, also if the work panics.
struct EndOfTurn<'a>(&'a Turn);

impl Drop for EndOfTurn<'_> {
    fn drop(&mut self) {
        self.0.begun.store(0, Ordering::SeqCst);
    }
}

/// Starts the clock unless it runs.
fn start_clock() {
    let (known, here) = (CLOCK.load(Ordering::SeqCst), std::process::id());
    if known != here && CLOCK.compare_exchange(known, here, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
        let started = std::thread::Builder::new().name("firsttouch clock".into()).spawn(move || tick(here));
        if started.is_err() {
            // The work goes on without it.
            CLOCK.store(0, Ordering::SeqCst);
        }
    }
}

fn tick(here: u32) {
    let mut idle = 0;
    loop {
        std::thread::sleep(TICK);
        let now = TICKS.fetch_add(1, Ordering::SeqCst) + 1;
        idle += 1;
        for turn in TURNS.iter() {
            let begun = turn.begun.load(Ordering::SeqCst);
            if begun > 0 {
                idle = 0;
            }
            if begun > 0 && now - (begun - 1) > SHORT {
                // If that call has ended meanwhile, the next one is done again for nothing.
                turn.interrupt.get().into_iter().for_each(Interrupt::raise);
            }
        }
        if idle < IDLE {
            continue;
        }
        CLOCK.store(0, Ordering::SeqCst);
        // A call that began before that took the clock to be running.
        let is_needed = TURNS.iter().any(|turn| turn.begun.load(Ordering::SeqCst) > 0);
        if !is_needed || CLOCK.compare_exchange(0, here, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            return;
        }
        idle = 0;
    }
}
