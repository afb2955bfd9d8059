//! Long work on a thread of its own, while the caller's thread listens for Ctrl-C.
//!
//! Python handles a signal in the main thread only, and only when that thread returns to the interpreter. So the main thread waits and
//! looks for signals, and the work runs elsewhere. Starting a thread takes some 20 µs: work that is certainly short does not come here.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use firsttouch::{Control, Interrupt};
use pyo3::prelude::*;

/// How often signals are looked for. An interrupt must end the work within 0.2 s.
const LISTEN: Duration = Duration::from_millis(20);

/// What ends a query of the core when the interrupt is raised.
pub(crate) fn control(interrupt: &Interrupt) -> Control<'_> {
    Control { interrupt: Some(interrupt), progress: None }
}

/// Does the work without the GIL. If a signal handler raises an exception, the interrupt is raised for the work, its result is dropped
/// and the exception is returned.
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
