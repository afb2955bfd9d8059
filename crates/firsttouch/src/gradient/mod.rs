//! How a time of contact, or a least distance, changes with the motions: the implicit function theorem at the witness points.
//!
//! Let `a` and `b` be the closest points, fixed to their bodies, `n` the unit normal from the first body to the second, and `d` the
//! distance. By the envelope theorem the derivative of `d` by a parameter is that of `n · (b − a)`. The time of contact `t` is where `d` is
//! the wanted separation, so that
//!
//! ```text
//! dt / dp = (n · (∂b/∂p − ∂a/∂p)) / (n · (a' − b'))
//! ```
//!
//! The denominator is the closing speed. A least distance inside of the time does not change with the time to first order; its
//! derivative is the numerator.
//!
//! At the contact itself the normal is known to rounding over the gap only. So the quotient is evaluated at two earlier times, at which
//! the distance is small but not tiny, and extrapolated to the contact linearly.
//!
//! Derivatives of poses by what they are given by are symmetric differences of fourth order of the poses themselves: smooth functions that
//! are known to rounding. They have about 11 digits.
//!
//! Nothing here is proven. There is no derivative where the touch is degenerate ([`Degenerate`]); what is returned then is the
//! derivative that the witness points alone would have.

use glam::{DQuat, DVec3};

/// Why there is no derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Degenerate {
    /// The two touch at the start: an earlier time does not exist.
    AtStart,
    /// They hardly close in on each other: the contact is tangential in time.
    Grazing,
    /// Several places touch at once, or the features change near the touch: left and right derivatives differ.
    SeveralFeatures,
}

/// The derivative by a pose.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PoseGradient {
    /// By the position of the body's origin.
    pub translation: DVec3,
    /// By a rotation vector, in radians, about the body's origin and the axes of the world.
    pub rotation: DVec3,
}

impl PoseGradient {
    pub(crate) fn scaled(&self, by: f64) -> PoseGradient {
        PoseGradient { translation: self.translation * by, rotation: self.rotation * by }
    }
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

/// The derivatives by what the motion of one body is given by.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MotionGradient {
    /// A rigid body in a linear motion, on a screw or at rest: the poses at both ends. A body at rest has the same pose at both; the
    /// derivative by it is the sum.
    Poses {
        /// By the pose at time 0.
        from: PoseGradient,
        /// By the pose at time 1.
        to: PoseGradient,
    },
    /// A robot, also for what is attached to it: one number per variable, as in its configurations.
    Joints {
        /// By the configuration at time 0.
        from: Vec<f64>,
        /// By the configuration at time 1.
        to: Vec<f64>,
    },
    /// A robot on a smooth course, or on a trajectory: by a shift of its configuration at the time of the touch, one number per variable. What a
    /// parameter of the course does follows by the chain rule: it shifts the configuration by its weight at that time. The waypoints of a linear segment
    /// have the weights `1 - t` and `t`.
    Shift(Vec<f64>),
    /// A deforming mesh: the vertices that matter.
    Vertices(Vec<VertexGradient>),
    /// Any other motion: no derivatives.
    Other,
}

/// The derivatives of a time of contact or a least distance by what the motions of the two bodies are given by.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// For each of the two bodies. For the parts of one robot both are the same.
    pub bodies: [MotionGradient; 2],
    /// Why the derivatives do not exist; none if they do.
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
    /// Why the derivatives do not exist; none if they do.
    pub degenerate: Option<Degenerate>,
}

/// The derivative of a time of contact along a trajectory by a shift of the configuration at the touch; see [`MotionGradient::Shift`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CourseGradient {
    /// The segment in which the first touch is.
    pub segment: usize,
    /// The time of contact within the segment, from 0 to 1.
    pub toi: f64,
    /// How that time changes with a shift of the configuration, one number per variable.
    pub shift: Vec<f64>,
    /// Why the derivatives do not exist; none if they do.
    pub degenerate: Option<Degenerate>,
}

/// The closest points at an instant and what follows from them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Witness {
    /// The distance beyond the one that counts as touching.
    pub(crate) excess: f64,
    pub(crate) normal: DVec3,
    pub(crate) closing: f64,
    /// The relative speed of the two points.
    pub(crate) speed: f64,
    /// The derivatives of the distance by the parameters of both sides.
    pub(crate) partials: [Vec<f64>; 2],
}

impl Witness {
    /// The derivatives of the time of contact.
    fn of_time(&self, side: usize) -> impl Iterator<Item = f64> {
        self.partials[side].iter().map(|partial| partial / self.closing)
    }

    /// Whether the contact is tangential in time: the points close in at less than a part of their speed. A pass that is as deep as the
    /// tolerance closes in at about the root of the tolerance over the size.
    pub(crate) fn grazes(&self, tolerance: f64, size: f64) -> bool {
        let part = 4.0 * (tolerance / size).sqrt();
        let part = if part > 1e-4 { part } else { 1e-4 };
        self.closing.is_nan() || self.closing <= part * self.speed
    }
}

/// The derivatives of the time of contact, from the nearer and the farther of two witnesses, and whether the features change.
pub(crate) fn extrapolated(near: &Witness, far: &Witness) -> ([Vec<f64>; 2], Option<Degenerate>) {
    let along = near.excess / (far.excess - near.excess);
    let along = if along.is_finite() { along } else { 0.0 };
    let of_side =
        |side: usize| near.of_time(side).zip(far.of_time(side)).map(|(x, y)| x - along * (y - x)).collect();
    let degenerate =
        if near.normal.distance(far.normal) > 1e-2 { Some(Degenerate::SeveralFeatures) } else { None };
    ([of_side(0), of_side(1)], degenerate)
}

/// The derivative at 0 of a smooth function, by symmetric differences of fourth order.
pub(crate) fn derivative(f: impl Fn(f64) -> DVec3) -> DVec3 {
    const STEP: f64 = 1e-3;
    let one = f(STEP) - f(-STEP);
    let two = f(2.0 * STEP) - f(-2.0 * STEP);
    (8.0 * one - two) / (12.0 * STEP)
}

/// A rotation followed by a small one about an axis of the world.
pub(crate) fn turned(rotation: DQuat, axis: usize, by: f64) -> DQuat {
    DQuat::from_scaled_axis(DVec3::AXES[axis] * by) * rotation
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
