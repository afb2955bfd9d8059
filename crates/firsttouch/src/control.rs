//! What a caller may do while a query runs: stop it, and watch how far it is.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A flag that ends queries early. Clones share the flag, so that another thread or a signal handler can raise it.
///
/// A query that is interrupted ends with [`Answer::Undecided`](crate::Answer::Undecided) and what it has proven so far.
///
/// ```
/// use firsttouch::Interrupt;
/// let interrupt = Interrupt::default();
/// let elsewhere = interrupt.clone();
/// elsewhere.raise();
/// assert!(interrupt.is_raised());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Flag>);

impl Interrupt {
    /// Ends the queries that watch the flag, soon.
    pub fn raise(&self) {
        self.0.0.store(true, Ordering::Relaxed);
    }

    /// Lowers the flag, for the next query.
    pub fn lower(&self) {
        self.0.0.store(false, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.0.load(Ordering::Relaxed)
    }
}

/// Flags that no [`Interrupt`] holds any more, for the next ones.
static SPARE_FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// A flag that lives as long as the program, so that a [`Watch`] is a plain copy of its address. It is used again when its interrupt is
/// gone: there are never more flags than there were interrupts at one time.
#[derive(Debug)]
struct Flag(&'static AtomicBool);

impl Default for Flag {
    fn default() -> Flag {
        let spare = SPARE_FLAGS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let flag = spare.unwrap_or_else(|| Box::leak(Box::default()));
        flag.store(false, Ordering::Relaxed);
        Flag(flag)
    }
}

impl Drop for Flag {
    fn drop(&mut self) {
        SPARE_FLAGS.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// What the engines see of an [`Interrupt`]. It must not outlive the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch(Option<&'static AtomicBool>);

impl Watch {
    /// Nothing interrupts.
    pub(crate) const NONE: Watch = Watch(None);

    /// Whether the work is to end.
    #[inline]
    pub(crate) fn is_raised(self) -> bool {
        self.0.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

impl PartialEq for Watch {
    fn eq(&self, other: &Watch) -> bool {
        self.0.map(std::ptr::from_ref) == other.0.map(std::ptr::from_ref)
    }
}

/// How far a query is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Pairs that are decided.
    pub done: u64,
    /// All pairs that may touch. Many of them are never looked at, so a query may end long before `done` gets there.
    pub pairs: u64,
}

/// Called after each round of pairs.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Sync);

/// How a query is watched and ended. The default does neither.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Ends the query when it is raised. It is looked at before each pair of bodies, and within a pair at each node of a tree and every
    /// few steps of advancement.
    pub interrupt: Option<&'a Interrupt>,
    /// Called with how far the query is.
    pub progress: Option<OnProgress<'a>>,
}

impl Control<'_> {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(Interrupt::is_raised)
    }

    pub(crate) fn watch(&self) -> Watch {
        Watch(self.interrupt.map(|interrupt| interrupt.0.0))
    }

    pub(crate) fn report(&self, done: u64, pairs: u64) {
        if let Some(call) = self.progress {
            call(Progress { done, pairs });
        }
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("interrupt", &self.interrupt).finish_non_exhaustive()
    }
}
