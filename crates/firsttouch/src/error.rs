//! The one error type of the crate: what was wrong with the input, and where.

/// Why an input was refused.
///
/// Constructors validate, so an error names the thing that was being built. Once shapes, motions and
/// scenes exist, a query fails only for a pair of kinds that is not supported or for options out of range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number is NaN or infinite.
    #[error("{what} is not finite: {value}")]
    NotFinite {
        /// The quantity, for example `box side y`.
        what: String,
        /// What it was.
        value: f64,
    },
    /// A number is outside the range in which it makes sense.
    #[error("{what} must be {expected}, but is {}", number_text(*.value))]
    OutOfRange {
        /// The quantity.
        what: String,
        /// The range, in words.
        expected: &'static str,
        /// What it was.
        value: f64,
    },
    /// An index points past the end of what it indexes.
    #[error("{what} {index} is out of range: there are only {len}")]
    IndexOutOfRange {
        /// What the index is for, for example `triangle 7 vertex index`.
        what: String,
        /// The index.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// Something that needs at least one element has none.
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
    /// A name that no body carries.
    #[error("there is no body called \"{name}\"")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// A pair of kinds, or a motion, that no engine handles yet.
    #[error("not supported: {what}")]
    Unsupported {
        /// What was asked for.
        what: String,
    },
}

/// A number for a message: in full where that is short, with an exponent where it would have hundreds of digits.
fn number_text(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || (1e-6..1e16).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The result of everything that validates.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Lengths and coordinates larger than this are refused, so that squares and triple products never overflow. Engines that multiply
/// more lengths than three multiply by a power of two first.
pub const LARGEST: f64 = 1e100;

/// Sizes, tolerances and weights smaller than this are refused, so that squares never underflow. Coordinates may be smaller, down to
/// zero: what underflow takes from them is far below the smallest tolerance, and counted (`TINY_LENGTH`).
pub const SMALLEST: f64 = 1e-100;

/// Refuses NaN and infinities.
pub(crate) fn finite(what: impl FnOnce() -> String, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::NotFinite { what: what(), value }) }
}

/// Refuses NaN, infinities and numbers beyond [`LARGEST`].
pub(crate) fn bounded(what: impl FnOnce() -> String, value: f64) -> Result<f64> {
    if !value.is_finite() {
        Err(Error::NotFinite { what: what(), value })
    } else if value.abs() > LARGEST {
        Err(Error::OutOfRange { what: what(), expected: "at most 1e100 in size", value })
    } else {
        Ok(value)
    }
}

/// Refuses NaN, infinities, zero, negative numbers, and sizes outside [`SMALLEST`] to [`LARGEST`].
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

/// Refuses a vector with a coordinate that [`bounded`] refuses.
pub(crate) fn bounded_vector(what: impl Fn() -> String, value: glam::DVec3) -> Result<glam::DVec3> {
    for (axis, coordinate) in ["x", "y", "z"].into_iter().zip(value.to_array()) {
        bounded(|| format!("{} {axis}", what()), coordinate)?;
    }
    Ok(value)
}
