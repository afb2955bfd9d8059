//! The values of a scene file: numbers, poses and motions, each checked on its own.
//!
//! An error states the problem with a value; `check` adds its place in the file.

use super::raw::{Fixed, RawBy, RawEnds, RawKey, RawMotion, RawPose, RawTurn};
use super::{ByFile, MotionFile, Pose, TurnFile};
use crate::error::{Problem, Result, malformed, number_text};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Returns the largest difference between the angles of two poses given by roll, pitch and yaw, if it is more than half
/// a turn.
pub(super) fn largest_turn(ends: &RawEnds) -> Option<f64> {
    let angles = |pose: &RawPose| match (&pose.rpy, &pose.rpy_deg) {
        (Some(Fixed(rpy)), None) => Some(*rpy),
        (None, Some(Fixed(rpy))) => Some(rpy.map(f64::to_radians)),
        (None, None) if pose.quat.is_none() => Some([0.0; 3]),
        _ => None,
    };
    let (from, to) = (angles(&ends.from)?, angles(&ends.to)?);
    let differences = [0, 1, 2].map(|k| (to[k] - from[k]).abs());
    let largest = differences.into_iter().fold(0.0, f64::max); // not a bound: a warning
    // Exactly half a turn is not doubtful, however it is rounded.
    (largest > PI * (1.0 + 1e-6)).then_some(largest)
}

/// Reads a motion other than a list of keyframes.
pub(super) fn motion(raw: RawMotion, start: Pose) -> Result<MotionFile, Problem> {
    let RawMotion {
        fixed, linear, screw, contact_screw, turn: turning, rational, affine, interpolant, ..
    } = raw;
    if let Some(raw) = interpolant {
        let semi_axes = match raw.semi_axes {
            None => None,
            Some(Fixed(axes)) => {
                axes.iter().try_for_each(|&x| positive("ellipsoid semi-axis", x).map(drop))?;
                Some(DVec3::from_array(axes))
            }
        };
        return Ok(MotionFile::Interpolant { from: pose(raw.from)?, to: pose(raw.to)?, semi_axes });
    }
    if let Some(raw) = turning {
        return Ok(MotionFile::Turn { from: start, turn: turn(raw)? });
    }
    if let Some(raw) = fixed {
        return Ok(MotionFile::Fixed(pose(raw)?));
    }
    if let Some(ends) = linear {
        return Ok(MotionFile::Linear { from: pose(ends.from)?, to: pose(ends.to)? });
    }
    if let Some(ends) = screw {
        return Ok(MotionFile::Screw { from: pose(ends.from)?, to: pose(ends.to)? });
    }
    if let Some(ends) = contact_screw {
        return Ok(MotionFile::ContactScrew { from: pose(ends.from)?, to: pose(ends.to)? });
    }
    if let Some(raw) = rational {
        return Ok(MotionFile::Rational {
            quat: coefficients("quat", raw.quat, [1.0, 0.0, 0.0, 0.0], true)?,
            xyz: translation(raw.xyz)?,
            weight: weight(raw.weight)?,
        });
    }
    let raw = affine.unwrap_or_default();
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    Ok(MotionFile::Affine {
        linear: coefficients("linear", raw.linear, identity, true)?,
        xyz: translation(raw.xyz)?,
        weight: weight(raw.weight)?,
    })
}

fn turn(raw: RawTurn) -> Result<TurnFile, Problem> {
    let three = |what: &str, Fixed(values): Fixed<3>| -> Result<DVec3, Problem> {
        values.iter().try_for_each(|&x| number(what, x).map(drop))?;
        Ok(DVec3::from_array(values))
    };
    let axis = three("axis", raw.axis)?;
    if axis == DVec3::ZERO {
        return Err(malformed("axis is zero, which is no direction"));
    }
    let angle = match (raw.degrees, raw.radians) {
        (Some(degrees), None) => number("degrees", degrees)?.to_radians(),
        (None, Some(radians)) => number("radians", radians)?,
        _ => return Err(malformed("a turn has degrees or radians: give one")),
    };
    Ok(TurnFile { axis, point: three("point", raw.point.unwrap_or(Fixed([0.0; 3])))?, angle })
}

pub(super) fn leg(raw: RawKey) -> Result<ByFile, Problem> {
    let mut raw = raw;
    let by = raw.by.take().unwrap_or(RawBy::Linear);
    let (xyz, quat) = key_pose(raw)?;
    let is_placed = xyz.is_some() || quat.is_some();
    match by {
        RawBy::Linear => Ok(ByFile::Linear { xyz, quat }),
        RawBy::Screw => Ok(ByFile::Screw { xyz, quat }),
        RawBy::Hold if is_placed => Err(malformed("an entry that holds has no pose of its own")),
        RawBy::Hold => Ok(ByFile::Hold),
        RawBy::Turn(_) if is_placed => Err(malformed("where a turn ends is known: its entry has no pose")),
        RawBy::Turn(raw) => Ok(ByFile::Turn(turn(raw)?)),
    }
}

/// Returns the part of a pose that an entry of a path or a spline gives.
pub(super) fn key_pose(raw: RawKey) -> Result<(Option<DVec3>, Option<DQuat>), Problem> {
    let RawKey { xyz, quat, rpy, rpy_deg, .. } = raw;
    let (is_placed, is_turned) = (xyz.is_some(), quat.is_some() || rpy.is_some() || rpy_deg.is_some());
    let Pose { xyz, quat } = pose(RawPose { xyz, quat, rpy, rpy_deg })?;
    Ok((is_placed.then_some(xyz), is_turned.then_some(quat)))
}

fn translation(raw: Option<Vec<Fixed<3>>>) -> Result<Vec<DVec3>, Problem> {
    Ok(coefficients("xyz", raw, [0.0; 3], false)?.into_iter().map(DVec3::from_array).collect())
}

fn weight(raw: Option<Vec<f64>>) -> Result<Vec<f64>, Problem> {
    let raw = raw.map(|list| list.into_iter().map(|w| Fixed([w])).collect());
    Ok(coefficients("weight", raw, [1.0], true)?.into_iter().map(|[w]| w).collect())
}

/// Polynomials of a higher degree are refused. The engines take time that grows with a power of the degree, and the
/// Bernstein coefficients of such polynomials lose all their digits.
const MOST_COEFFICIENTS: usize = 33;

/// Returns the coefficients of a polynomial, checked, or the constant `otherwise` if they are left out.
fn coefficients<const N: usize>(
    what: &str,
    raw: Option<Vec<Fixed<N>>>,
    otherwise: [f64; N],
    must_not_vanish: bool,
) -> Result<Vec<[f64; N]>, Problem> {
    let Some(raw) = raw else { return Ok(vec![otherwise]) };
    let list: Vec<[f64; N]> = raw.into_iter().map(|Fixed(c)| c).collect();
    let all = list.as_flattened();
    all.iter().try_for_each(|&x| number(what, x).map(drop))?;
    if list.len() > MOST_COEFFICIENTS {
        let text =
            format!("{what} has {} coefficients, but at most {MOST_COEFFICIENTS} are allowed", list.len());
        Err(malformed(text))
    } else if list.is_empty() {
        Err(malformed(format!("{what} has no coefficients")))
    } else if must_not_vanish && all.iter().all(|&x| x == 0.0) {
        Err(malformed(format!("{what} is zero at all times")))
    } else {
        Ok(list)
    }
}

pub(super) fn pose(raw: RawPose) -> Result<Pose, Problem> {
    let three = |what: &str, value: Option<Fixed<3>>| -> Result<[f64; 3], Problem> {
        let Fixed(value) = value.unwrap_or(Fixed([0.0; 3]));
        value.iter().try_for_each(|&x| number(what, x).map(drop))?;
        Ok(value)
    };
    let xyz = DVec3::from_array(three("xyz", raw.xyz)?);
    let rpy = match (raw.rpy, raw.rpy_deg) {
        (Some(_), Some(_)) => return Err(malformed("a pose has rpy or rpy_deg, not both")),
        (rpy, None) => rpy,
        (None, degrees) => degrees.map(|Fixed(angles)| Fixed(angles.map(f64::to_radians))),
    };
    let quat = match (raw.quat, rpy) {
        (Some(_), Some(_)) => return Err(malformed("a pose has quat or rpy, not both")),
        (Some(Fixed(wxyz)), None) => {
            wxyz.iter().try_for_each(|&x| number("quat", x).map(drop))?;
            let [w, x, y, z] = wxyz;
            let quat = DQuat::from_xyzw(x, y, z, w);
            if wxyz == [0.0; 4] {
                return Err(malformed("quat is zero, which is not a rotation"));
            }
            // Outside this range the square over- or underflows, and the value cannot be normalised.
            if !(1e-150..=1e150).contains(&quat.length()) {
                return Err(malformed("quat is too large or too small to be normalised"));
            }
            quat
        }
        (None, rpy) => {
            let [roll, pitch, yaw] = three("rpy", rpy)?;
            DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll)
        }
    };
    Ok(Pose { xyz, quat })
}

pub(super) fn number(what: &str, value: f64) -> Result<f64, Problem> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Problem::NotFinite { what: what.into(), value: number_text(value) })
    }
}

pub(super) fn positive(what: &str, value: f64) -> Result<f64, Problem> {
    if number(what, value)? > 0.0 { Ok(value) } else { Err(out_of_range(what, "positive", value)) }
}

pub(super) fn out_of_range(what: &str, range: &str, value: f64) -> Problem {
    malformed(format!("{what} must be {range}, but is {}", number_text(value)))
}
