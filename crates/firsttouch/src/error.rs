//! The one error type of the crate. It names the wrong input, its place and its value.

/// The reason why an input was rejected.
///
/// Constructors validate, so an error names the thing that was being built. Once shapes, motions and scenes exist, a
/// query fails only for an unsupported pair of kinds or for options out of range.
///
/// ```
/// use firsttouch::shape::Sphere;
/// let error = Sphere::new(-1.0).unwrap_err();
/// assert!(matches!(error, firsttouch::Error::OutOfRange { value: -1.0, .. }));
/// assert!(error.to_string().starts_with("sphere radius must be"));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is NaN or infinite.
    #[error("{what} is not finite: {value}")]
    NotFinite {
        /// The quantity, for example `box side y`.
        what: String,
        /// Its value.
        value: f64,
    },
    /// A number is outside its valid range.
    #[error("{what} must be {expected}, but is {}", number_text(*.value))]
    OutOfRange {
        /// The quantity.
        what: String,
        /// The range, in words.
        expected: &'static str,
        /// Its value.
        value: f64,
    },
    /// An index is out of range.
    #[error("{what} {index} is out of range: there are only {len}")]
    IndexOutOfRange {
        /// The use of the index, for example `triangle 7 vertex index`.
        what: String,
        /// The index.
        index: usize,
        /// The number of elements.
        len: usize,
    },
    /// A collection that needs at least one element is empty.
    #[error("{what} is empty")]
    Empty {
        /// The collection.
        what: String,
    },
    /// Two bodies share a name.
    #[error("two bodies are called \"{name}\"")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// No body, or no link, has this name.
    #[error("nothing is called \"{name}\"")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// No engine supports this pair of kinds, or this motion.
    #[error("not supported: {what}")]
    Unsupported {
        /// The unsupported request.
        what: String,
    },
}

/// Formats a number for a message: in full if that is short, with an exponent if it would have hundreds of digits.
fn number_text(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || (1e-6..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The result of validating functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The largest accepted length or coordinate, so that squares and triple products never overflow. Engines that
/// multiply more than three lengths scale by a power of two first.
pub const LARGEST: f64 = 1e100;

/// The smallest accepted size, tolerance or weight, so that squares never underflow. Coordinates may be smaller, down
/// to zero: the error that underflow adds to them is far below the smallest tolerance, and it is counted
/// (`TINY_LENGTH`).
pub const SMALLEST: f64 = 1e-100;

/// Rejects NaN and infinities.
pub(crate) fn finite(what: impl FnOnce() -> String, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::NotFinite { what: what(), value }) }
}

/// Rejects NaN, infinities and numbers beyond [`LARGEST`].
pub(crate) fn bounded(what: impl FnOnce() -> String, value: f64) -> Result<f64> {
    if !value.is_finite() {
        Err(Error::NotFinite { what: what(), value })
    } else if value.abs() > LARGEST {
        Err(Error::OutOfRange { what: what(), expected: "at most 1e100 in size", value })
    } else {
        Ok(value)
    }
}

/// Rejects NaN, infinities, zero, negative numbers, and sizes outside [`SMALLEST`] to [`LARGEST`].
pub(crate) fn positive(what: impl FnOnce() -> String, value: f64) -> Result<f64> {
    if !value.is_finite() {
        Err(Error::NotFinite { what: what(), value })
    } else if value <= 0.0 {
        Err(Error::OutOfRange { what: what(), expected: "positive", value })
    } else if !(SMALLEST..=LARGEST).contains(&value) {
        Err(Error::OutOfRange { what: what(), expected: "between 1e-100 and 1e100", value })
    } else {
        Ok(value)
    }
}

/// Rejects a vector with a coordinate that [`bounded`] rejects.
pub(crate) fn bounded_vector(what: impl Fn() -> String, value: glam::DVec3) -> Result<glam::DVec3> {
    for (axis, coordinate) in ["x", "y", "z"].into_iter().zip(value.to_array()) {
        bounded(|| format!("{} {axis}", what()), coordinate)?;
    }
    Ok(value)
}
