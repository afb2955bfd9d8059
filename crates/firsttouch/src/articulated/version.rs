//! Versions of worlds: two worlds with one version are the same.
//!
//! Proofs about a world that are kept outside of it (edges of a roadmap) are worth nothing after an edit. A list of all
//! edits to compare would be long, and a comparison of all bodies slow. So each edit draws a number that no other edit
//! in the process has. If a world has the number under which a proof was made, it is that world or an unedited clone of
//! it. A world that was edited and then restored has another number, which costs work but never makes a proof wrong.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

/// The version of a [`Checker`](super::Checker): see [`Checker::version`](super::Checker::version).
///
/// Versions can be compared for equality. Their numbers mean nothing else, and differ from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version(u64);

impl Version {
    fn next() -> Version {
        static LAST: AtomicU64 = AtomicU64::new(0);
        // Only that all numbers differ matters, not their order. A number for each nanosecond lasts 500 years.
        Version(LAST.fetch_add(1, Ordering::Relaxed))
    }
}

/// A value that is read freely and can be changed in one way only, which gives it a version of its own.
#[derive(Debug, Clone)]
pub(super) struct Versioned<T> {
    value: T,
    version: Version,
}

impl<T> Versioned<T> {
    pub(super) fn new(value: T) -> Versioned<T> {
        Versioned { value, version: Version::next() }
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Returns the value, to be changed. An edit that fails halfway also has a version of its own.
    pub(super) fn edit(&mut self) -> &mut T {
        self.version = Version::next();
        &mut self.value
    }
}

impl<T> Deref for Versioned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}
