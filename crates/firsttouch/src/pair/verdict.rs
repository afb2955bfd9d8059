//! The verdict of an engine about a pair.

/// The proven result for a pair within its [`Limits`](super::Limits).
///
/// ```
/// use firsttouch::pair::Verdict;
/// let found: Verdict<f64> = Verdict::Touch(0.25);
/// assert_eq!(found.map(|t| 2.0 * t), Verdict::Touch(0.5));
/// assert_eq!(Verdict::<f64>::Free.touch(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict<T> {
    /// Farther apart than `min_separation` from the start to the end.
    Free,
    /// They touch.
    Touch(T),
    /// The budget ran out, or the bounds could not be made sharp enough.
    Undecided {
        /// Farther apart than `min_separation` before this time.
        free_until: f64,
    },
}

impl<T> Verdict<T> {
    /// Returns the verdict with another description of the touch.
    #[inline]
    pub fn map<U>(self, describe: impl FnOnce(T) -> U) -> Verdict<U> {
        match self {
            Verdict::Free => Verdict::Free,
            Verdict::Touch(touch) => Verdict::Touch(describe(touch)),
            Verdict::Undecided { free_until } => Verdict::Undecided { free_until },
        }
    }

    /// Returns the touch, if there is one.
    pub fn touch(&self) -> Option<&T> {
        match self {
            Verdict::Touch(touch) => Some(touch),
            Verdict::Free | Verdict::Undecided { .. } => None,
        }
    }

    /// Returns true if the pair is proven free.
    pub fn is_free(&self) -> bool {
        matches!(self, Verdict::Free)
    }
}
