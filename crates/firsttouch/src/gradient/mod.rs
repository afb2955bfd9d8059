//! Derivatives of a time of contact, or of a least distance, by the motions: the implicit function theorem at the
//! witness points.
//!
//! Let `a` and `b` be the closest points, fixed to their bodies, `n` the unit normal from the first body to the second,
//! and `d` the distance. By the envelope theorem the derivative of `d` by a parameter is that of `n · (b − a)`. At the
//! time of contact `t`, `d` is the wanted separation, so
//!
//! ```text
//! dt / dp = (n · (∂b/∂p − ∂a/∂p)) / (n · (a' − b'))
//! ```
//!
//! The denominator is the closing speed. A least distance inside the time span does not change with time to first
//! order; its derivative is the numerator.
//!
//! At the contact itself, the error of the normal is rounding divided by the gap. So the quotient is evaluated at
//! earlier times, at which the distance is small but not tiny, and extrapolated linearly to the contact.
//!
//! Derivatives of poses by their parameters are symmetric differences of fourth order of the poses: smooth functions
//! known up to rounding. They have about 11 digits.
//!
//! # Existence of the derivative
//! A least distance is a least value over times, pairs and features. If it is attained at several of them with
//! different derivatives, the left and right derivatives differ (Danskin's theorem). They also differ if the closest
//! points are not unique, as on parallel faces. An answer without a flag says that neither case holds, even
//! approximately. With a small length `δ`:
//! 1. *Other times and places.* A search finds all places within `δ` of the least distance, at any time and in any
//!    pair, and compares the derivative at each (`clearance/near`: no place is missed). For a time of contact, it finds
//!    all places that touch within the time that the closing speed needs for `δ`, from instants just before and just
//!    after the contact.
//! 2. *The closest points.* The search for them is repeated with one of the two bodies turned, and for a contact also
//!    shifted, by about `δ` to all sides.
//! 3. *Times of contact* are extrapolated from two pairs of instants, and the two results must agree.
//!
//! Two derivatives are the same if they differ by at most [`SAME`] of the largest effect that a parameter of that kind
//! has on the closest point. A question that the budget does not decide sets a flag.
//!
//! Only the search for other places is a proof. With a flag, the returned derivative is that of the witness points
//! alone.
//!
//! Reference: J. M. Danskin, "The theory of max-min, with applications", SIAM J. Appl. Math. 14(4) (1966).

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use crate::numerics::portable::rotation_by;

/// The largest difference of two equal derivatives, as a part of the largest effect that a parameter of the kind has on
/// the closest point.
pub(crate) const SAME: f64 = 1e-2;

/// The reason why there is no derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Degenerate {
    /// The two touch at the start: an earlier time does not exist.
    AtStart,
    /// Their closing speed is almost zero: the contact is tangential in time.
    Grazing,
    /// Several places touch at once or are closest, the least distance is attained at several times, or the features
    /// change close by: left and right derivatives differ, or almost do. Also at the end of the time, and if the search
    /// for such places takes too long.
    SeveralFeatures,
    /// A body turns by half a turn between its two poses, up to a few thousandths: a small change of the poses reverses
    /// the shorter way.
    HalfTurn,
}

/// The derivative by a pose.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PoseGradient {
    /// By the position of the body's origin.
    pub translation: DVec3,
    /// By a rotation vector, in radians, about the body's origin and the axes of the world.
    pub rotation: DVec3,
}

/// The derivatives by the two places of a vertex of a deforming mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct VertexGradient {
    /// The vertex, by the user's index.
    pub vertex: u32,
    /// By its place at time 0.
    pub from: DVec3,
    /// By its place at time 1.
    pub to: DVec3,
}

/// The derivatives by the parameters of one body's motion.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MotionGradient {
    /// A rigid body in a linear motion, on a screw or at rest: the poses at both ends. A body at rest has the same pose
    /// at both; the derivative by it is the sum.
    Poses {
        /// By the pose at time 0.
        from: PoseGradient,
        /// By the pose at time 1.
        to: PoseGradient,
    },
    /// A robot, also for its attached bodies: one number per variable, as in its configurations.
    Joints {
        /// By the configuration at time 0.
        from: Vec<f64>,
        /// By the configuration at time 1.
        to: Vec<f64>,
    },
    /// A robot on a smooth course, or on a trajectory: by a shift of its configuration at the time of the touch, one
    /// number per variable. The derivative by a parameter of the course follows by the chain rule: the parameter shifts
    /// the configuration by its weight at that time. The waypoints of a linear segment have the weights `1 - t` and
    /// `t`.
    Shift(Vec<f64>),
    /// A rigid body that a robot on a trajectory grasps, while it is held.
    Held {
        /// By a shift of the robot's configuration at that time, as in [`MotionGradient::Shift`].
        shift: Vec<f64>,
        /// By the given pose of the body: the pose before any robot grasped it.
        pose: PoseGradient,
    },
    /// A deforming mesh: the vertices with an effect.
    Vertices(Vec<VertexGradient>),
    /// Any other motion: no derivatives.
    Other,
}

/// The derivatives of a time of contact or a least distance by the parameters of the motions of two bodies.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// For each of the two bodies. For the parts of one robot both are the same.
    pub bodies: [MotionGradient; 2],
    /// The reason why the derivatives do not exist; `None` if they do.
    pub degenerate: Option<Degenerate>,
}

/// The derivatives of a time of contact by the configurations at both ends of a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepGradient {
    /// The time of contact.
    pub toi: f64,
    /// By the configuration at time 0, one number per variable.
    pub from: Vec<f64>,
    /// By the configuration at time 1.
    pub to: Vec<f64>,
    /// The reason why the derivatives do not exist; `None` if they do.
    pub degenerate: Option<Degenerate>,
}

/// The derivative of a time of contact along a trajectory by a shift of the configuration at the touch; see
/// [`MotionGradient::Shift`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CourseGradient {
    /// The segment of the first touch.
    pub segment: usize,
    /// The time of contact within the segment, from 0 to 1.
    pub toi: f64,
    /// The derivative of that time by a shift of the configuration, one number per variable.
    pub shift: Vec<f64>,
    /// The reason why the derivatives do not exist; `None` if they do.
    pub degenerate: Option<Degenerate>,
}

/// A parameter: the body that it belongs to, its kind (translations, rotations, joints, vertices), and its place among
/// those.
pub(crate) type ParameterId = (usize, u8, u64);

/// Derivatives by parameters, each with the speed at which the parameter moves the closest point.
pub(crate) type Derivatives = BTreeMap<ParameterId, [f64; 2]>;

/// The parameters of a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parameters {
    /// The single pose of a body at rest, which counts as the pose at both ends.
    Fixed,
    /// The poses at both ends.
    Poses,
    /// The configurations of this robot at both ends.
    Joints(usize),
    /// A shift of the configuration of this robot at the time.
    Shift(usize),
    /// The same shift, and the given pose of the held body.
    Held(usize),
    /// The places of these vertices in both frames.
    Vertices(Vec<u32>),
    /// Any other motion.
    Other,
}

impl Parameters {
    /// Adds the derivatives of a side at a time. `moved` is the effect of each parameter on the closest point. A shift
    /// counts as a change of both ends of the time, in proportion, so shifts at different times differ. A body at rest
    /// has one pose.
    pub(crate) fn add_to(
        &self,
        list: &mut Derivatives,
        body: usize,
        t: f64,
        partials: &[f64],
        moved: &[DVec3],
    ) {
        let mut add = |id: ParameterId, k: usize, weight: f64| {
            let sum = list.entry(id).or_default();
            sum[0] += weight * partials[k];
            sum[1] += weight * moved[k].length();
        };
        let of_pose = |k: usize| ((k % 6 / 3) as u8, (k % 3) as u64);
        match self {
            Parameters::Other => {}
            Parameters::Fixed => (0..12).for_each(|k| add((body, of_pose(k).0, of_pose(k).1), k, 1.0)),
            Parameters::Poses => {
                (0..12).for_each(|k| add((body, of_pose(k).0, of_pose(k).1 + 3 * (k as u64 / 6)), k, 1.0));
            }
            Parameters::Joints(robot) => {
                (0..partials.len()).for_each(|k| add((*robot, 2, k as u64), k, 1.0));
            }
            Parameters::Shift(robot) | Parameters::Held(robot) => {
                let held = if matches!(self, Parameters::Held(_)) { 6 } else { 0 };
                let joints = partials.len() - held;
                for k in 0..joints {
                    add((*robot, 2, k as u64), k, 1.0 - t);
                    add((*robot, 2, (joints + k) as u64), k, t);
                }
                (0..held).for_each(|k| add((body, of_pose(k).0, of_pose(k).1), joints + k, 1.0));
            }
            Parameters::Vertices(vertices) => {
                for k in 0..partials.len() {
                    add((body, 3, u64::from(vertices[k / 6]) * 6 + k as u64 % 6), k, 1.0);
                }
            }
        }
    }
}

/// Returns the largest difference of two lists of derivatives, as a part of the largest effect that a parameter of its
/// kind has on the closest point.
pub(crate) fn difference(a: &Derivatives, b: &Derivatives) -> f64 {
    let mut scales: BTreeMap<(usize, u8), f64> = BTreeMap::new();
    for (&(body, kind, _), [_, speed]) in a.iter().chain(b) {
        let scale = scales.entry((body, kind)).or_insert(0.0);
        *scale = scale.max(*speed); // not a bound: measured
    }
    // Parameters with a smaller effect on the point are known only up to rounding.
    let largest = scales.values().copied().fold(0.0, f64::max); // not a bound: measured
    scales.values_mut().for_each(|scale| *scale = scale.max(1e-6 * largest)); // not a bound: measured
    let of = |list: &Derivatives, id: &ParameterId| list.get(id).map_or(0.0, |found| found[0]);
    let differences = a.keys().chain(b.keys()).map(|id| {
        let apart = (of(a, id) - of(b, id)).abs();
        let part = if apart == 0.0 { 0.0 } else { apart / scales[&(id.0, id.1)] };
        if part.is_nan() { f64::INFINITY } else { part }
    });
    differences.fold(0.0, f64::max) // not a bound: measured
}

/// The values that follow from the closest points at an instant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Witness {
    /// The distance less the distance that counts as touching.
    pub(crate) excess: f64,
    pub(crate) normal: DVec3,
    pub(crate) closing: f64,
    /// The relative speed of the two points.
    pub(crate) speed: f64,
    /// The derivatives of the distance by the parameters of both sides, in the order in which they are returned.
    pub(crate) partials: [Vec<f64>; 2],
    /// The same derivatives by parameter.
    pub(crate) derivatives: Derivatives,
    /// The parameters of each side.
    pub(crate) parameters: [Parameters; 2],
}

impl Witness {
    /// Returns the derivatives of the time of contact.
    fn of_time(&self, side: usize) -> impl Iterator<Item = f64> {
        self.partials[side].iter().map(|partial| partial / self.closing)
    }

    /// Returns the derivatives of the time of contact, by parameter.
    pub(crate) fn time_derivatives(&self) -> Derivatives {
        let over = |[value, speed]: [f64; 2]| [value / self.closing, speed / self.closing.abs()];
        self.derivatives.iter().map(|(id, found)| (*id, over(*found))).collect()
    }

    /// Returns true if the contact is tangential in time: the points close in at less than a part of their speed. A
    /// pass of the depth of the tolerance has a closing speed of about the root of the tolerance over the size.
    pub(crate) fn grazes(&self, tolerance: f64, size: f64) -> bool {
        let part = 4.0 * (tolerance / size).sqrt();
        let part = if part > 1e-4 { part } else { 1e-4 };
        self.closing.is_nan() || self.closing <= part * self.speed
    }
}

/// Returns the part of the way from the farther to the nearer of two witnesses that leads on to the contact.
fn along(near: &Witness, far: &Witness) -> f64 {
    let along = near.excess / (far.excess - near.excess);
    if along.is_finite() { along } else { 0.0 }
}

/// Returns the derivatives of the time of contact, from the nearer and the farther of two witnesses.
pub(crate) fn extrapolated(near: &Witness, far: &Witness) -> [Vec<f64>; 2] {
    let along = along(near, far);
    [0, 1].map(|side| near.of_time(side).zip(far.of_time(side)).map(|(x, y)| x - along * (y - x)).collect())
}

/// Returns the same derivatives, by parameter.
pub(crate) fn extrapolated_derivatives(near: &Witness, far: &Witness) -> Derivatives {
    let (along, of_far) = (along(near, far), far.time_derivatives());
    let mut found = near.time_derivatives();
    for (id, [value, _]) in &mut found {
        *value -= along * (of_far.get(id).map_or(0.0, |far| far[0]) - *value);
    }
    found
}

/// Returns the derivative at 0 of a smooth function, by symmetric differences of fourth order.
pub(crate) fn derivative(f: impl Fn(f64) -> DVec3) -> DVec3 {
    const STEP: f64 = 1e-3;
    let one = f(STEP) - f(-STEP);
    let two = f(2.0 * STEP) - f(-2.0 * STEP);
    (8.0 * one - two) / (12.0 * STEP)
}

/// Returns a rotation followed by a small one about an axis of the world.
pub(crate) fn turned(rotation: DQuat, axis: usize, by: f64) -> DQuat {
    rotation_by(DVec3::AXES[axis] * by) * rotation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_derivative_of_a_smooth_function() {
        let found = derivative(|x| DVec3::new((1.0 + x).sin(), (2.0 * x).exp(), 3.0 * x));
        let exact = DVec3::new(1_f64.cos(), 2.0, 3.0);
        assert!((found - exact).length() < 1e-11, "{found}");
    }
}
