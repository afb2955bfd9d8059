//! The time span, the distances and the budget of a query for one pair.

use crate::control::Watch;
use crate::error::{Error, Result};
use crate::options::{Options, Start};

/// The time span in which a pair is checked, the distances that count as touching, and the budget.
///
/// The values are validated by the constructors ([`Limits::new`], [`Limits::within`]); engines rely on them.
///
/// ```
/// use firsttouch::Options;
/// use firsttouch::pair::Limits;
/// let limits = Limits::new(&Options { t_max: 0.5, ..Options::default() })?;
/// assert_eq!((limits.t_start(), limits.t_end()), (0.0, 0.5));
/// assert!(Limits::new(&Options { tolerance: f64::NAN, ..Options::default() }).is_err());
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The time to start at. The time before it must be known to be free.
    pub(crate) t_start: f64,
    /// The time to stop at.
    pub(crate) t_end: f64,
    /// Pieces at this distance touch.
    pub(crate) min_separation: f64,
    /// The excess distance allowed at the returned time.
    pub(crate) tolerance: f64,
    /// The number of steps one pair of pieces may take.
    pub(crate) max_iterations: usize,
    /// The treatment of contacts at `t_start`, for the engines of convex pieces and of trees.
    pub(crate) start: Start,
    /// Ends the work when it is raised.
    pub(crate) watch: Watch,
}

impl Limits {
    /// The limits of the default [`Options`]: all of `[0, 1]`, a tolerance of 1e-6, no separation.
    pub const DEFAULT: Limits = Limits {
        t_start: 0.0,
        t_end: 1.0,
        min_separation: 0.0,
        tolerance: 1e-6,
        max_iterations: 10_000,
        start: Start::Report,
        watch: Watch::NONE,
    };

    /// Creates the limits for a query's options: from time 0 to `t_max`. Returns an error if [`Options::validate`]
    /// does.
    pub fn new(options: &Options) -> Result<Limits> {
        options.validate()?;
        Ok(Limits::of_valid(options))
    }

    /// Like [`Limits::new`], for options that are already validated.
    pub(crate) fn of_valid(options: &Options) -> Limits {
        Limits {
            t_start: 0.0,
            t_end: options.t_max,
            min_separation: options.min_separation,
            tolerance: options.tolerance,
            max_iterations: options.max_iterations,
            start: options.start,
            watch: Watch::NONE,
        }
    }

    /// Returns the same limits for another time span. Returns an error for times outside `[0, 1]` and for an end
    /// before the start.
    pub fn within(self, t_start: f64, t_end: f64) -> Result<Limits> {
        for (what, value) in [("t_start", t_start), ("t_end", t_end)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::OutOfRange { what: what.into(), expected: "from 0 to 1", value });
            }
        }
        if t_end < t_start {
            return Err(Error::OutOfRange {
                what: "t_end".into(),
                expected: "not before t_start",
                value: t_end,
            });
        }
        Ok(Limits { t_start, t_end, ..self })
    }

    /// Returns the time to start at.
    pub fn t_start(&self) -> f64 {
        self.t_start
    }

    /// Returns the time to stop at.
    pub fn t_end(&self) -> f64 {
        self.t_end
    }

    /// Returns the distance at which pieces touch.
    pub fn min_separation(&self) -> f64 {
        self.min_separation
    }

    /// Returns the excess distance allowed at the returned time.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Returns the gap up to which two things touch at the start, [`Options::touching`] of these limits.
    #[inline]
    pub(crate) fn touching(&self) -> f64 {
        self.min_separation + self.tolerance
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
