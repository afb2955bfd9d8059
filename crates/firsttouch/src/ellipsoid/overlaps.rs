//! All times at which two ellipsoids touch or overlap, in any rational motion: the entry for queries, with options.
//!
//! Algebra works for rational motions only. Other motions are an error, and so is a minimum separation other than zero:
//! the set of points within a distance of an ellipsoid is not an ellipsoid.

use super::equation::Equation;
use super::intervals::{Overlap, OverlapKind};
use super::pair::MovingEllipsoid;
use super::track::Track;
use crate::error::{Error, Result};
use crate::motion::{Affine, AffineInterpolant, Motion};
use crate::options::Options;
use crate::shape::Ellipsoid;

/// An ellipsoid in any motion that algebra supports.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum EllipsoidMotion<'a> {
    /// An ellipsoid in a rigid motion, which must be rational or at rest.
    Rigid(&'a Ellipsoid, &'a Motion),
    /// The image of the unit ball.
    Affine(&'a Affine),
    /// A motion from one ellipsoid to another.
    Interpolant(&'a AffineInterpolant),
}

impl EllipsoidMotion<'_> {
    /// Returns the contribution of the ellipsoid to an equation. Returns an error for a motion that is not rational.
    #[doc(hidden)]
    pub fn track(&self) -> Result<Track> {
        match self {
            EllipsoidMotion::Rigid(shape, motion) => Track::new(shape, motion).ok_or_else(|| {
                let what =
                    format!("all times of overlap in a \"{}\" motion: it is not rational", motion.kind());
                Error::Unsupported { what }
            }),
            EllipsoidMotion::Affine(motion) => Ok(Track::affine(motion)),
            EllipsoidMotion::Interpolant(motion) => Ok(Track::interpolant(motion)),
        }
    }
}

impl<'a> From<MovingEllipsoid<'a>> for EllipsoidMotion<'a> {
    fn from(moving: MovingEllipsoid<'a>) -> EllipsoidMotion<'a> {
        EllipsoidMotion::Rigid(moving.shape, moving.motion)
    }
}

impl<'a> From<&'a Affine> for EllipsoidMotion<'a> {
    fn from(motion: &'a Affine) -> EllipsoidMotion<'a> {
        EllipsoidMotion::Affine(motion)
    }
}

impl<'a> From<&'a AffineInterpolant> for EllipsoidMotion<'a> {
    fn from(motion: &'a AffineInterpolant) -> EllipsoidMotion<'a> {
        EllipsoidMotion::Interpolant(motion)
    }
}

/// Returns all times up to `t_max` at which two ellipsoids touch or overlap, in order; all times between are proven
/// separate. Refuses motions that are not rational and a minimum separation.
///
/// ```
/// use firsttouch::Options;
/// use firsttouch::ellipsoid::{EllipsoidMotion, overlaps};
/// use firsttouch::motion::{Affine, Motion, Pose};
/// use firsttouch::shape::Ellipsoid;
/// use glam::DVec3;
/// let ball = Ellipsoid::new(DVec3::ONE)?;
/// let at = |x: f64| Pose::from_translation(DVec3::X * x);
/// let passing = Motion::rational(at(-10.0)?, at(10.0)?);
/// // A ball that grows from radius 1 to 3: they touch where 10 − 20 t = 2 + 2 t, and part where 20 t − 10 = 2 + 2 t.
/// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let growing = Affine::from_power_basis(DVec3::ONE, &[unit, unit.map(|x| 2.0 * x)], &[], &[])?;
/// let found = overlaps(EllipsoidMotion::Rigid(&ball, &passing), &growing, &Options::default())?;
/// assert!((found[0].start[0] - 8.0 / 22.0).abs() < 1e-8 && (found[0].end[1] - 12.0 / 18.0).abs() < 1e-8);
/// let screw = Motion::screw(at(-10.0)?, at(10.0)?);
/// let refused = overlaps(EllipsoidMotion::Rigid(&ball, &screw), &growing, &Options::default());
/// assert!(refused.unwrap_err().to_string().contains("not rational"));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn overlaps<'a>(
    a: impl Into<EllipsoidMotion<'a>>,
    b: impl Into<EllipsoidMotion<'a>>,
    options: &Options,
) -> Result<Vec<Overlap>> {
    options.validate()?;
    if options.min_separation != 0.0 {
        let what = "all times of overlap of ellipsoids with a minimum separation".into();
        return Err(Error::Unsupported { what });
    }
    let (a, b) = (a.into().track()?, b.into().track()?);
    let all = Equation::new(&a, &b).overlap_intervals();
    Ok(all.into_iter().filter_map(|overlap| up_to(overlap, options.t_max)).collect())
}

/// Returns the part of an overlap up to a time.
fn up_to(overlap: Overlap, t_max: f64) -> Option<Overlap> {
    if overlap.start[0] > t_max {
        return None;
    }
    let clip = |[low, high]: [f64; 2]| [low.min(t_max), high.min(t_max)]; // not a bound: times are finite
    // The overlap is certain from the end of its start on.
    let is_certain = overlap.kind == OverlapKind::Overlap && overlap.start[1] <= t_max;
    let kind = if is_certain { OverlapKind::Overlap } else { OverlapKind::Graze };
    Some(Overlap { start: clip(overlap.start), end: clip(overlap.end), kind })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::motion::Pose;

    #[test]
    fn up_to_the_end_of_the_query() {
        let ball = Ellipsoid::new(DVec3::ONE).unwrap();
        let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
        let (passing, resting) = (Motion::rational(at(-10.0), at(10.0)), Motion::fixed(at(0.0)));
        let until = |t_max: f64| {
            let options = Options { t_max, ..Options::default() };
            overlaps(
                EllipsoidMotion::Rigid(&ball, &passing),
                EllipsoidMotion::Rigid(&ball, &resting),
                &options,
            )
            .unwrap()
        };
        assert_eq!(until(0.39), []);
        let cut = until(0.5);
        assert!(cut.len() == 1 && cut[0].end == [0.5, 0.5] && cut[0].kind == OverlapKind::Overlap);
        assert!((until(1.0)[0].end[1] - 0.6).abs() < 1e-8);
    }

    #[test]
    fn a_minimum_separation_is_refused() {
        let ball = Ellipsoid::new(DVec3::ONE).unwrap();
        let still = Motion::fixed(Pose::IDENTITY);
        let options = Options { min_separation: 0.1, ..Options::default() };
        let side = EllipsoidMotion::Rigid(&ball, &still);
        assert!(matches!(overlaps(side, side, &options), Err(Error::Unsupported { .. })));
    }
}
