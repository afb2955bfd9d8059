//! Motions.

use firsttouch::motion::{By, Leg, Motion, Path, Pose, Rational, Spline};
use glam::DVec3;
use std::mem::MaybeUninit;

use crate::border::{Failure, Out, Outcome, Rows, freed, ft_status, given, guarded, hand_out, list};
use crate::values::ft_pose;

/// The pose of a body at each time in [0, 1]. It never changes, and objects that are given a motion copy it.
pub struct ft_motion {
    pub(crate) motion: Motion,
}

fn make(out: Out<'_, *mut ft_motion>, motion: impl FnOnce() -> Outcome<Motion>) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        hand_out(out, ft_motion { motion: motion()? });
        Ok(())
    })
}

fn between(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Out<'_, *mut ft_motion>,
    motion: impl FnOnce(Pose, Pose) -> Motion,
) -> ft_status {
    make(out, || Ok(motion(given("from", from)?.read()?, given("to", to)?.read()?)))
}

/// Creates a motion at rest.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_fixed(
    pose: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || Ok(Motion::fixed(given("pose", pose)?.read()?)))
}

/// Creates a motion whose origin moves on a straight line at a constant velocity while the body turns at a constant
/// rate about one axis, the shorter way.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_linear(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::linear)
}

/// Creates one screw at a constant rate.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_screw(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::screw)
}

/// Creates the same screw with a timing that makes contacts of meshes algebraic.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_contact_screw(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::contact_screw)
}

/// Creates a rational motion from one pose to another, for ellipsoids.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_rational(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::rational)
}

/// Creates a rational motion from its coefficients, where entry k is that of t^k: `quat_count` quaternions w, x, y, z;
/// `xyz_count` vectors; `weight_count` numbers (0: the weight is 1). The rotation is the normalised quaternion, the
/// translation `xyz / weight`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_motion_rational_coefficients(
    quat_wxyz: *const f64,
    quat_count: usize,
    xyz: *const f64,
    xyz_count: usize,
    weight: *const f64,
    weight_count: usize,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let quat = unsafe { Rows::new("quat_wxyz", quat_wxyz, quat_count, 4, 0)? };
        // SAFETY: the caller's promise.
        let xyz = unsafe { Rows::new("xyz", xyz, xyz_count, 3, 0)? };
        // SAFETY: the caller's promise.
        let weight = unsafe { list("weight", weight, weight_count)? };
        Ok(Rational::from_power_basis(&quat.to_arrays(), &xyz.to_arrays(), weight)?.into())
    })
}

/// Creates a rotation about an axis in space through `point`, by any angle in radians, from the pose `from`.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_turn(
    from: Option<&ft_pose>,
    axis: Option<&[f64; 3]>,
    point: Option<&[f64; 3]>,
    angle: f64,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || {
        let [axis, point] = [given("axis", axis)?, given("point", point)?].map(|v| DVec3::from_array(*v));
        Ok(Motion::turn(given("from", from)?.read()?, axis, point, angle)?)
    })
}

/// The kind of motion on a leg of a path: `ft_leg.by`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_leg_kind {
    /// It waits.
    Hold = 0,
    /// To `pose`, straight, turning at a constant rate, the shorter way.
    Linear = 1,
    /// To `pose`, on one screw at a constant rate.
    Screw = 2,
    /// About the axis through `point` along `axis`, by `angle` radians.
    Turn = 3,
}

/// One leg of a path. Fields that its kind does not mention are ignored.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_leg {
    /// The time at which it ends, in the unit of the path's duration.
    pub until: f64,
    /// One of `ft_leg_kind`.
    pub by: u64,
    /// The pose at its end.
    pub pose: ft_pose,
    /// The direction of the axis, of any length.
    pub axis: [f64; 3],
    /// A point of the axis.
    pub point: [f64; 3],
    /// The angle in radians.
    pub angle: f64,
}

impl ft_leg {
    fn read(&self) -> Outcome<Leg> {
        const HOLD: u64 = ft_leg_kind::Hold as u64;
        const LINEAR: u64 = ft_leg_kind::Linear as u64;
        const SCREW: u64 = ft_leg_kind::Screw as u64;
        const TURN: u64 = ft_leg_kind::Turn as u64;
        let by = match self.by {
            HOLD => By::Hold,
            LINEAR => By::Linear(self.pose.read()?),
            SCREW => By::Screw(self.pose.read()?),
            TURN => By::Turn {
                axis: DVec3::from_array(self.axis),
                point: DVec3::from_array(self.point),
                angle: self.angle,
            },
            other => return Err(Failure::invalid(format!("there is no leg of kind {other}"))),
        };
        Ok(Leg { until: self.until, by })
    }
}

/// Creates a motion of `count` legs, one after the other, from the pose `from`. Their times run up to `duration`; if
/// the last one ends earlier, the body waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_motion_path(
    from: Option<&ft_pose>,
    legs: *const ft_leg,
    count: usize,
    duration: f64,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let legs = unsafe { list("legs", legs, count)? };
        let legs = legs.iter().map(ft_leg::read).collect::<Outcome<Vec<Leg>>>()?;
        Ok(Path::new(given("from", from)?.read()?, &legs, duration)?.into())
    })
}

/// Creates a smooth (C2) motion through `count` poses at their times, which must ascend. Only the ratios of the times
/// matter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_motion_spline(
    times: *const f64,
    poses: *const ft_pose,
    count: usize,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || {
        // SAFETY: the caller's promise.
        let (times, poses) = unsafe { (list("times", times, count)?, list("poses", poses, count)?) };
        let keyframes = times.iter().zip(poses).map(|(&t, pose)| Ok((t, pose.read()?)));
        Ok(Spline::new(&keyframes.collect::<Outcome<Vec<_>>>()?)?.into())
    })
}

/// Creates the motion of a body that is given in the frame of another: `motion` as seen from `frame`, which itself
/// moves.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_within(
    motion: Option<&ft_motion>,
    frame: Option<&ft_motion>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || Ok(given("motion", motion)?.motion.within(&given("frame", frame)?.motion)))
}

/// Frees a motion. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_free(motion: Option<Box<ft_motion>>) {
    freed(motion);
}
