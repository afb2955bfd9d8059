//! Control of a running query: interrupts and progress.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A flag that ends queries early. Clones share the flag, so that another thread or a signal handler can raise it.
///
/// An interrupted query returns [`Answer::Undecided`](crate::Answer::Undecided) with the time that it has proven free.
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
    /// Raises the flag. Queries that watch it end soon after.
    pub fn raise(&self) {
        self.0.0.store(true, Ordering::Relaxed);
    }

    /// Lowers the flag, so that the next query can run.
    pub fn lower(&self) {
        self.0.0.store(false, Ordering::Relaxed);
    }

    /// Returns `true` if the flag is raised.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.0.0.load(Ordering::Relaxed)
    }
}

/// Flags that no [`Interrupt`] holds any more. New interrupts reuse them.
static SPARE_FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// A flag that lives as long as the program, so that a [`Watch`] is a plain copy of its address. A flag is reused after
/// its interrupt is dropped, so there are never more flags than there were interrupts at one time.
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

/// The engines' view of an [`Interrupt`]. It must not outlive the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch(Option<&'static AtomicBool>);

impl Watch {
    /// A watch that never interrupts.
    pub(crate) const NONE: Watch = Watch(None);

    /// Returns `true` if the work must end.
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

/// The progress of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of pairs that are decided.
    pub done: u64,
    /// The number of pairs that may touch. Many of them are never checked, so a query may end long before `done`
    /// reaches this number.
    pub pairs: u64,
}

/// A callback that is called after each round of pairs.
pub type OnProgress<'a> = &'a (dyn Fn(Progress) + Sync);

/// The interrupt and the progress callback of a query. The default has neither.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Ask, Body, Control, Options, Progress, Scene};
/// let mut scene = Scene::default();
/// for name in ["a", "b"] {
///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::IDENTITY)))?;
/// }
/// let done = AtomicU64::new(0);
/// let watch = |progress: Progress| done.store(progress.done, Ordering::Relaxed);
/// let control = Control { progress: Some(&watch), ..Control::default() };
/// scene.check(Ask::from(&Options::default()).control(&control))?;
/// assert_eq!(done.into_inner(), 1); // one pair
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Ends the query when it is raised. The query reads it before each pair of bodies, and within a pair at each node
    /// of a tree and every few steps of advancement. A tree or a hull of a mesh that is built at its first use is
    /// completed first, as in a constructor: that takes a few seconds for a million triangles.
    pub interrupt: Option<&'a Interrupt>,
    /// Called with the progress of the query.
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
