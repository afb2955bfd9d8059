//! The options of a query.

use crate::error::{Error, Result};

/// The question that a query answers.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Mode, Options, Scene};
/// use glam::DVec3;
/// // Three balls in one place: three pairs touch.
/// let mut scene = Scene::default();
/// for name in ["a", "b", "c"] {
///     scene.add(Body::new(name, Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X)?)))?;
/// }
/// let report = scene.check(&Options { mode: Mode::All, ..Options::default() })?;
/// assert_eq!(report.pairs.len(), 3);
/// // Without `All` there is one answer, and no list.
/// assert!(scene.check(&Options::default())?.pairs.is_empty());
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Mode {
    /// Find the earliest touch.
    #[default]
    First,
    /// Find any touch, and stop as soon as one is found. Contacts at the start are checked first. Apart from these, the
    /// reported touch need not be the earliest; [`Touch::free_until`](crate::Touch::free_until) is the time before
    /// which no pair touches.
    Any,
    /// Find the first touch of every pair.
    All,
}

/// The treatment of bodies that already touch at time 0.
///
/// ```
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Cuboid;
/// use firsttouch::{Answer, Body, Options, Scene, Start};
/// use glam::DVec3;
/// // A box of side 1 rests on a floor and slides by 3.
/// let path = Motion::linear(Pose::IDENTITY, Pose::from_translation(DVec3::X * 3.0)?);
/// let floor = Motion::fixed(Pose::from_translation(DVec3::Z * -1.0)?);
/// let mut scene = Scene::default();
/// scene.add(Body::new("box", Cuboid::new(DVec3::ONE)?, path))?;
/// scene.add(Body::new("floor", Cuboid::new(DVec3::new(20.0, 20.0, 1.0))?, floor))?;
/// assert!(matches!(scene.check(&Options::default())?.answer, Answer::TouchingAtStart(_)));
/// let options = Options { start: Start::Ignore, ..Options::default() };
/// assert_eq!(scene.check(&options)?.answer, Answer::Free);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Start {
    /// The answer is `TouchingAtStart`. A [`Deformable`](crate::deformable::Deformable) also counts the edge/triangle
    /// crossings at time 0.
    #[default]
    Report,
    /// Contacts at time 0 are ignored.
    ///
    /// In a scene, this applies to two convex pieces of which at least one is solid, and to two surfaces. If they are
    /// within `min_separation + tolerance` at time 0, they may stay in contact, slide, roll and part. They touch when
    /// the contact is deeper than at time 0 by more than the tolerance, or when they have parted and come together
    /// again. The page "Scene files" states the proven result for each kind of pair. All other pairs are checked as
    /// usual.
    ///
    /// For a deforming mesh with itself, the pairs of features that touch at time 0 are ignored for all time. Those
    /// that do not touch, but are within `min_separation`, need not keep it, and touch where their distance is 0. Parts
    /// that have crossed each other have no proof: their features touch again when they separate.
    Ignore,
}

/// The options of a query. [`Options::default`] suits lengths of about one unit.
///
/// ```
/// let options = firsttouch::Options { tolerance: 1e-9, ..Default::default() };
/// assert_eq!(options.min_separation, 0.0);
/// assert!(options.validate().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", default, deny_unknown_fields))]
pub struct Options {
    /// The question to answer.
    pub mode: Mode,
    /// At the reported time the gap is at most `min_separation + tolerance`. In the user's unit of length.
    pub tolerance: f64,
    /// Bodies closer than this count as touching. In the user's unit of length.
    pub min_separation: f64,
    /// The end of the time span to check, in `(0, 1]`.
    pub t_max: f64,
    /// The number of advancement steps that one pair of pieces may take before the answer is `Undecided`. A query has
    /// many pairs: an [`Interrupt`](crate::Interrupt) bounds the time of all.
    pub max_iterations: usize,
    /// The number of threads; 0 means one per core. Without the feature `parallel` it is always one.
    pub threads: usize,
    /// The treatment of contacts at time 0 in a scene. The queries of a [`Deformable`](crate::deformable::Deformable)
    /// by itself take this as an argument and do not read this field. A robot's `Checker` and `Simulated` return an
    /// error for [`Start::Ignore`].
    pub start: Start,
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
        start: Start::Report,
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

    /// Returns the gap up to which two things touch at the start: `min_separation + tolerance`.
    ///
    /// This is the definition of "touching at the start" for all engines that measure distances. At time 0:
    /// - A gap of at most `min_separation + tolerance` is a touch at the start, also if the two part from there.
    /// - A larger gap is not a touch.
    ///
    /// The gap is measured as closely as the comparison needs, so only rounding is left. Engines that decide exactly if
    /// two things are closer than `min_separation` use no tolerance: there the two touch at the start if the gap is at
    /// most `min_separation`. See `docs/contract.md`, "Touching at the start".
    ///
    /// ```
    /// let options = firsttouch::Options { min_separation: 0.5, tolerance: 0.25, ..Default::default() };
    /// assert_eq!(options.touching(), 0.75);
    /// ```
    #[inline]
    pub fn touching(&self) -> f64 {
        self.min_separation + self.tolerance
    }

    /// Validates the options of a query that cannot ignore contacts at the start.
    pub(crate) fn validate_reporting_start(&self, query: &str) -> Result<()> {
        if self.start == Start::Ignore {
            return Err(Error::Unsupported { what: format!("start = ignore in {query}") });
        }
        self.validate()
    }
}

// The derived implementation reads and writes the fields. This one also validates the options. Missing fields get their
// defaults.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Options {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Options, D::Error> {
        let options = Options::deserialize(from)?;
        options.validate().map_err(serde::de::Error::custom)?;
        Ok(options)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Options {
    fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        Options::serialize(self, to)
    }
}
