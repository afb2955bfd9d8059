//! A value that follows from the other fields of its owner, and is computed on first use.

use std::sync::OnceLock;

/// The value, if it is computed. Two of these are always equal, computed or not: their owners compare the source
/// fields.
#[derive(Debug, Clone)]
pub(crate) struct Derived<T>(OnceLock<T>);

impl<T> Derived<T> {
    pub(crate) const fn new() -> Derived<T> {
        Derived(OnceLock::new())
    }

    /// Returns the value if it is computed.
    pub(crate) fn known(&self) -> Option<&T> {
        self.0.get()
    }

    /// Returns the value. Several threads may compute it at once, and the first result is kept. No thread waits for
    /// another: while a thread waits for its own parallel work, it may get other work that needs the same value.
    pub(crate) fn get(&self, compute: impl FnOnce() -> T) -> &T {
        if let Some(known) = self.0.get() {
            return known;
        }
        let value = compute();
        self.0.get_or_init(|| value)
    }
}

impl<T> PartialEq for Derived<T> {
    fn eq(&self, _other: &Derived<T>) -> bool {
        true
    }
}
