//! A custom motion.

use std::fmt;
use std::sync::Arc;

use super::{PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds};
use crate::error::{Error, Result, bounded_vector};
use crate::numerics::Window;

/// A rigid motion that this crate does not know; see [`Motion::custom`](super::Motion::custom).
///
/// Two of them are equal when they are the same object.
#[derive(Clone)]
pub struct CustomMotion(Arc<dyn RigidMotion + Send + Sync>);

impl CustomMotion {
    /// Refuses a motion whose pose at time 0 or 1, error or velocity is impossible. The check cannot tell if its bounds
    /// are right: [`check_motion`](crate::testing::check_motion) tests them by sampling.
    pub(super) fn new(motion: Arc<dyn RigidMotion + Send + Sync>) -> Result<CustomMotion> {
        let PoseError { rotation, translation } = motion.pose_error();
        // A negative or NaN error would make bounds too sharp.
        for (what, value) in [("rotation", rotation), ("translation", translation)] {
            if !(0.0..=crate::error::LARGEST).contains(&value) {
                let what = format!("error of the {what} of a custom motion");
                return Err(Error::OutOfRange { what, expected: "zero or more, and finite", value });
            }
        }
        for t in [0.0, 1.0] {
            let PoseAt { rotation: matrix, translation } = motion.pose_at(t);
            bounded_vector(|| format!("translation of a custom motion at time {t}"), translation)?;
            let off = (matrix.transpose() * matrix - glam::DMat3::IDENTITY).to_cols_array();
            let off = crate::numerics::bound::largest_upper(off.map(f64::abs));
            // The product of the matrix with itself is off by twice its error; rounding adds a few units.
            let may_be = 2.0 * rotation + rotation * rotation + 16.0 * crate::numerics::rounding::UNIT;
            if off.is_nan() || off > may_be || matrix.determinant() <= 0.0 {
                let what = format!("rotation of a custom motion at time {t}, its product with its transpose");
                return Err(Error::OutOfRange {
                    what,
                    expected: "the identity, up to its error",
                    value: off,
                });
            }
        }
        Ok(CustomMotion(motion))
    }

    /// Returns the motion.
    #[inline]
    pub fn get(&self) -> &(dyn RigidMotion + Send + Sync) {
        self.0.as_ref()
    }
}

impl PartialEq for CustomMotion {
    fn eq(&self, other: &CustomMotion) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for CustomMotion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = [0.0, 1.0].map(|t| self.0.pose_at(t));
        f.debug_struct("CustomMotion").field("from", &from).field("to", &to).finish_non_exhaustive()
    }
}

/// Returns the velocity at an instant, from the enclosure over no time.
pub(super) fn velocity_from_bounds(motion: &(impl RigidMotion + ?Sized), t: f64) -> Velocity {
    let t = t.clamp(0.0, 1.0);
    let VelocityBounds { center, .. } = motion.velocity_bounds(Window::between(t, t));
    center
}
