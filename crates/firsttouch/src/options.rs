//! The options of a query.

use crate::error::{Error, Result};

/// The question that a query answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Find the earliest touch of all.
    #[default]
    First,
    /// Find out whether anything touches, and stop as soon as that is known. Contacts at the start are checked first.
    /// Apart from these, the reported touch need not be the earliest; [`Touch::free_until`](crate::Touch::free_until)
    /// is the time before which nothing touches.
    Any,
    /// Find the first touch of every pair.
    All,
}

/// The options of a query. [`Options::default`] suits lengths of about one unit.
///
/// ```
/// let options = firsttouch::Options { tolerance: 1e-9, ..Default::default() };
/// assert_eq!(options.min_separation, 0.0);
/// assert!(options.validate().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The question to answer.
    pub mode: Mode,
    /// At the reported time the gap is at most `min_separation + tolerance`. In the user's unit of length.
    pub tolerance: f64,
    /// Bodies closer than this count as touching. In the user's unit of length.
    pub min_separation: f64,
    /// The end of the time span to check, in `(0, 1]`.
    pub t_max: f64,
    /// How many advancement steps one pair may take before the answer is `Undecided`.
    pub max_iterations: usize,
    /// The number of threads; 0 means one per core. Without the feature `parallel` it is always one.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options::DEFAULT
    }
}

impl Options {
    /// The default options, for use in constants.
    pub const DEFAULT: Options = Options {
        mode: Mode::First,
        tolerance: 1e-6,
        min_separation: 0.0,
        t_max: 1.0,
        max_iterations: 10_000,
        threads: 1,
    };

    /// Returns an error if the tolerance is not positive, the separation is negative, or the time span is outside
    /// `(0, 1]`.
    pub fn validate(&self) -> Result<()> {
        crate::error::positive(|| "tolerance".into(), self.tolerance)?;
        let min_separation = crate::error::bounded(|| "min_separation".into(), self.min_separation)?;
        if min_separation < 0.0 {
            return Err(Error::OutOfRange {
                what: "min_separation".into(),
                expected: "zero or more",
                value: min_separation,
            });
        }
        let t_max = crate::error::positive(|| "t_max".into(), self.t_max)?;
        if t_max > 1.0 {
            return Err(Error::OutOfRange { what: "t_max".into(), expected: "at most 1", value: t_max });
        }
        if self.max_iterations == 0 {
            return Err(Error::OutOfRange {
                what: "max_iterations".into(),
                expected: "at least 1",
                value: 0.0,
            });
        }
        Ok(())
    }
}
