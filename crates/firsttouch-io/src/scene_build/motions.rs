//! The motions of a scene file.

use firsttouch::motion::{By, Leg, Motion, Rational, Spline, Turn};
use glam::{DQuat, DVec3};

use super::{refused, unsupported};
use crate::error::{Problem, Result};
use crate::scene::{BodyFile, ByFile, LegFile, MotionFile, Pose, TurnFile};

pub(super) fn build_motion(body: &BodyFile, motion: &MotionFile, duration: f64) -> Result<Motion, Problem> {
    let pose = |pose: &Pose| build_pose(body, pose);
    let refused = |error: firsttouch::Error| refused(body, &error);
    match motion {
        MotionFile::Fixed(at) => Ok(Motion::fixed(pose(at)?)),
        MotionFile::Linear { from, to } => Ok(Motion::linear(pose(from)?, pose(to)?)),
        MotionFile::Screw { from, to } => Ok(Motion::screw(pose(from)?, pose(to)?)),
        MotionFile::ContactScrew { from, to } => Ok(Motion::contact_screw(pose(from)?, pose(to)?)),
        MotionFile::Rational { quat, xyz, weight } => {
            let xyz: Vec<[f64; 3]> = xyz.iter().map(|v| v.to_array()).collect();
            Rational::from_power_basis(quat, &xyz, weight).map(Motion::from).map_err(refused)
        }
        MotionFile::Turn { from, turn: TurnFile { axis, point, angle } } => {
            Motion::turn(pose(from)?, *axis, *point, *angle).map_err(refused)
        }
        MotionFile::Path { from, start, legs } => {
            let from = pose(from)?;
            let legs = path_legs(from, *start, legs).map_err(refused)?;
            firsttouch::motion::Path::new(from, &legs, duration).map(Motion::from).map_err(refused)
        }
        MotionFile::Spline { keyframes } => {
            let frames = keyframes.iter().map(|(t, at)| Ok((*t, pose(at)?)));
            let frames = frames.collect::<Result<Vec<_>, Problem>>()?;
            let spline = Spline::new(&frames).map_err(refused)?;
            let (first, last) = (keyframes[0].0, keyframes[keyframes.len() - 1].0);
            if first == 0.0 && last == duration {
                return Ok(spline.into());
            }
            // The body waits before the motion begins and after it ends.
            let wait = (first > 0.0).then_some(Leg { until: first, by: By::Hold });
            let start = spline.start();
            let legs: Vec<Leg> =
                wait.into_iter().chain([Leg { until: last, by: By::Spline(spline) }]).collect();
            firsttouch::motion::Path::new(start, &legs, duration).map(Motion::from).map_err(refused)
        }
        MotionFile::Affine { .. } | MotionFile::Interpolant { .. } => {
            Err(unsupported(body, "a motion that changes the shape here"))
        }
    }
}

/// Returns the legs of a `path` that begins at a pose, with whole poses: the parts of a pose that a leg leaves out keep
/// their values. If the body does not move before a `start`, the first leg waits until then.
///
/// ```
/// use firsttouch::motion::{By, Pose};
/// use firsttouch_io::{ByFile, LegFile, path_legs};
/// use glam::{DQuat, DVec3};
/// let turn = LegFile { until: 2.0, by: ByFile::Linear { xyz: None, quat: Some(DQuat::from_rotation_z(1.0)) } };
/// let from = Pose::from_translation(DVec3::X)?;
/// let legs = path_legs(from, 0.5, &[turn])?;
/// assert_eq!((legs.len(), legs[0].until), (2, 0.5));
/// let By::Linear(end) = &legs[1].by else { panic!() };
/// assert_eq!(end.translation(), DVec3::X);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn path_legs(
    from: firsttouch::motion::Pose,
    start: f64,
    legs: &[LegFile],
) -> firsttouch::Result<Vec<Leg>> {
    let wait = (start > 0.0).then_some(Leg { until: start, by: By::Hold });
    let mut whole: Vec<Leg> = wait.into_iter().collect();
    let mut at = from;
    for LegFile { until, by } in legs {
        let to = |xyz: Option<DVec3>, quat: Option<DQuat>| {
            firsttouch::motion::Pose::new(xyz.unwrap_or(at.translation()), quat.unwrap_or(at.rotation()))
        };
        let (by, end) = match *by {
            ByFile::Hold => (By::Hold, at),
            ByFile::Linear { xyz, quat } => to(xyz, quat).map(|to| (By::Linear(to), to))?,
            ByFile::Screw { xyz, quat } => to(xyz, quat).map(|to| (By::Screw(to), to))?,
            ByFile::Turn(TurnFile { axis, point, angle }) => {
                (By::Turn { axis, point, angle }, Turn::new(at, axis, point, angle)?.end())
            }
        };
        whole.push(Leg { until: *until, by });
        at = end;
    }
    Ok(whole)
}

pub(super) fn build_pose(body: &BodyFile, pose: &Pose) -> Result<firsttouch::motion::Pose, Problem> {
    firsttouch::motion::Pose::new(pose.xyz, pose.quat).map_err(|error| refused(body, &error))
}
