//! A value that follows from the rest of what holds it, and is computed when it is first needed.

use std::sync::OnceLock;

/// The value, or nothing yet. Two of these are equal whether or not they are computed: what they follow from is compared beside them.
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

    /// Returns the value. Several threads may compute it at once, and keep the first. None of them waits for another: while a thread waits for
    /// parallel work of its own, it may be given other work that needs the same value.
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
