//! Motions.

use firsttouch::motion::{Motion, Pose, Rational};
use std::mem::MaybeUninit;

use crate::border::{Out, Outcome, Rows, ft_status, given, guarded, hand_out, list};
use crate::values::ft_pose;

/// Where a body is at each time in [0, 1]. It never changes, and what it is given to copies it.
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

/// At rest.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_fixed(
    pose: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    make(out, || Ok(Motion::fixed(given("pose", pose)?.read()?)))
}

/// The origin moves on a straight line at a constant velocity while the body turns at a constant rate about one axis, the shorter way.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_linear(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::linear)
}

/// One screw at a constant rate.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_screw(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::screw)
}

/// The same screw with a timing that makes contacts of meshes algebraic.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_contact_screw(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::contact_screw)
}

/// A rational motion from one pose to another, for ellipsoids.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_rational(
    from: Option<&ft_pose>,
    to: Option<&ft_pose>,
    out: Option<&mut MaybeUninit<*mut ft_motion>>,
) -> ft_status {
    between(from, to, out, Motion::rational)
}

/// A rational motion by its coefficients, entry k being that of t^k: `quat_count` quaternions w, x, y, z; `xyz_count` vectors;
/// `weight_count` numbers (0: the weight is 1). The rotation is the normalised quaternion, the translation `xyz / weight`.
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

/// Frees a motion. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_motion_free(motion: Option<Box<ft_motion>>) {
    guarded(|| {
        drop(motion);
        Ok(())
    });
}
