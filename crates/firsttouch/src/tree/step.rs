//! The time for which two nodes certainly stay apart: rule 2 of the header of the folder.
//!
//! - The separation `s` along a direction `n` is bounded from below by the support functions of the volumes. This is a
//!   bound for any `n`, so no closest-point search is needed. The search tries the best direction of the parent and the
//!   directions out of each volume towards the other's centre, which for flat boxes are their normals. It stops as soon
//!   as one proves the pair free for long enough; otherwise it keeps the direction with the longest step. Measured:
//!   more directions (between the centres, between the points of alternating projection) save up to a tenth of the
//!   pairs and cost more than that.
//! - The closing speed of the two along `n` *at* `t` is bounded by the same support functions: a point at `R x` from
//!   its body's origin has `x' · n = p' · n + (R x) · (n × ω)`, whose maximum over the node is the support function
//!   along `Rᵀ (n × ω)`. Let `μ` be the bound for both sides together and `a` an upper bound of their relative
//!   acceleration. Then the separation at `t + h` is at least `s − μ h − a h² / 2`, and the step is the positive root.
//!   Each pair has its own direction and its own bound, and small nodes have sharp bounds. If `a` is infinite (a
//!   velocity jumps), the step is `s` over a bound of the closing speed in the whole remaining window. If a side
//!   deforms, its support function changes with time by itself: its rate is added to `μ`, and its second derivative to
//!   `a`.
//!
//! # Guarantee
//! All quantities of an instant are transformed into the frame of the first side. For the exact rotations `A`, `B` and
//! a vector `n` of that frame, the direction in the world is `A n`, and the separation along it is
//! `n · Aᵀ(c_B − c_A) − h_A(n) − h_B(−(AᵀB)ᵀ n)`. Let the computed rotations be off by `e_A` and `e_B`. Then the first
//! support function has no error of the pose at all, `AᵀB` is off by `e_A + e_B` and `9u` for the product, and the
//! offset by `e_A |c_B − c_A|`. The other errors are the roundings of `convex`: `46u` of the reach, including the
//! product; the code takes `64u`. The same holds for the velocities and `n × ω`; there `ω` is rotated a second time,
//! which counts `e_A` twice. The deformation rate of a side is evaluated along a direction with the same error as that
//! of its support function.

use glam::{DMat3, DVec3};

use super::composite::{Composite, Volume};
use crate::advancement::Limits;
use crate::motion::{PoseAt, RigidMotion, Velocity, VelocityBounds};
use crate::numerics::Window;
use crate::numerics::bound::{exceeds, lower_or_zero};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::pair::Side;

/// The bounds of an unknown velocity.
const UNKNOWN: VelocityBounds = VelocityBounds {
    center: Velocity { origin: DVec3::ZERO, angular: DVec3::ZERO },
    origin_radius: f64::INFINITY,
    angular_radius: f64::INFINITY,
};

/// All quantities of an instant that do not depend on the nodes, in the frame of the first side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instant {
    pub(super) t: f64,
    pub(super) pair: u32,
    /// The rotation of the first side, whose frame all other quantities use, and the pose of the second side.
    frame: DMat3,
    other: PoseAt,
    /// The velocity of the first origin relative to the second, and the angular velocities.
    origin: DVec3,
    pub(super) angular: [DVec3; 2],
    /// The remaining window.
    pub(super) left: Window,
    /// The part of the separation's error that is proportional to each node's reach, and the constant part.
    error_per_reach: [f64; 2],
    error: f64,
    /// The same parts for the closing speed.
    pub(super) speed_error_per_reach: [f64; 2],
    speed_error: f64,
}

/// The direction of the parent of some pairs of nodes, and the support functions of a node along it. The pairs that
/// replace their parent share one node: the values computed for the first pair serve the second.
///
/// A value belongs to one instant, one direction, one side and one node. Another instant or direction has another
/// `Inherited`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inherited {
    /// The direction, in the frame of the first side; zero if there is none.
    pub(super) normal: DVec3,
    /// For each side the last node, with its support function along the direction; NaN if there is none yet.
    extents: [(u32, f64); 2],
    /// The same for the direction in which a rotation moves the farthest points.
    core_extents: [(u32, f64); 2],
}

impl Inherited {
    pub(super) fn new(normal: DVec3) -> Inherited {
        Inherited { normal, extents: [(0, f64::NAN); 2], core_extents: [(0, f64::NAN); 2] }
    }
}

/// Returns the known value of a node, or computes it. NaN is never known.
#[inline]
fn known_or(known: Option<&mut (u32, f64)>, node: u32, compute: impl FnOnce() -> f64) -> f64 {
    match known {
        Some((known_node, value)) if *known_node == node && !value.is_nan() => *value,
        Some(known) => {
            *known = (node, compute());
            known.1
        }
        None => compute(),
    }
}

impl Instant {
    /// Returns the instant `t` of a pair with these motions, in a query that ends at `t_end`.
    pub(super) fn new([a, b]: [&dyn RigidMotion; 2], t: f64, t_end: f64, pair: u32) -> Instant {
        let (pose_a, pose_b) = (a.pose_at(t), b.pose_at(t));
        let (error_a, error_b) = (a.pose_error(), b.pose_error());
        // At the end of the time, steps need no velocities, because later times are outside the query. Infinite radii
        // would prove nothing.
        let velocities = if t < t_end {
            let now = Window::between(t, t);
            [a.velocity_bounds(now), b.velocity_bounds(now)]
        } else {
            [UNKNOWN; 2]
        };
        let to_a = pose_a.rotation.transpose();
        let turning = error_a.rotation + error_b.rotation;
        // The largest coordinates of the origins; their distance is at most sqrt(3) times the sum.
        let size = pose_a.translation.abs().max_element() + pose_b.translation.abs().max_element();
        let origins = velocities.map(|v| v.center.origin.length()).iter().sum::<f64>();
        Instant {
            t,
            pair,
            frame: pose_a.rotation,
            other: PoseAt {
                rotation: to_a * pose_b.rotation,
                translation: to_a * (pose_b.translation - pose_a.translation),
            },
            origin: to_a * (velocities[0].center.origin - velocities[1].center.origin),
            angular: velocities.map(|v| to_a * v.center.angular),
            left: Window::between(t, t_end.max(t)), // not a bound: both are times
            error_per_reach: [64.0 * UNIT, turning * (1.0 + 16.0 * UNIT) + 64.0 * UNIT],
            error: error_a.translation
                + error_b.translation
                + (2.0 * error_a.rotation + 128.0 * UNIT) * size
                + 8.0 * TINY_LENGTH,
            speed_error_per_reach: velocities
                .map(|v| v.angular_radius + v.center.angular.length() * (64.0 * UNIT + 2.0 * turning)),
            speed_error: velocities[0].origin_radius
                + velocities[1].origin_radius
                + (error_a.rotation + 32.0 * UNIT) * origins,
        }
    }

    /// Returns the time for which the two nodes certainly stay apart, and the direction that proves it. The search ends
    /// at a time of at least `enough`.
    pub(super) fn step<C: Composite>(
        &self,
        sides: &[Side<'_, C>; 2],
        [node_a, node_b]: [u32; 2],
        limits: &Limits,
        inherited: &mut Inherited,
        enough: f64,
    ) -> (f64, DVec3) {
        let [motion_a, motion_b] = [sides[0].motion, sides[1].motion];
        let (a, b) = (sides[0].pieces.volume(node_a), sides[1].pieces.volume(node_b));
        let other = &self.other;
        let reach = [a.reach(), b.reach()];
        let error = self.error + self.error_per_reach[0] * reach[0] + self.error_per_reach[1] * reach[1];
        let nearest = error + limits.min_separation;
        let speed_error = self.speed_error
            + self.speed_error_per_reach[0] * reach[0]
            + self.speed_error_per_reach[1] * reach[1];
        // A rotation moves only the cores; see the header of `convex`.
        let turning = [a.core_reach(), b.core_reach()];
        let extent_acceleration = a.extent_acceleration() + b.extent_acceleration();
        let acceleration = if enough > 0.0 {
            motion_a.acceleration(turning[0], self.left)
                + motion_b.acceleration(turning[1], self.left)
                + extent_acceleration
        } else {
            f64::INFINITY
        };

        // At the start, pieces within the tolerance also touch, and must not be skipped.
        let needed = if self.t == 0.0 { limits.tolerance } else { 0.0 };
        let free_for = |n: DVec3, mut known: Option<&mut Inherited>| {
            let n_b = other.direction_to_body(-n);
            let h_a = known_or(known.as_mut().map(|k| &mut k.extents[0]), node_a, || a.extent_at(n, self.t));
            let h_b =
                known_or(known.as_mut().map(|k| &mut k.extents[1]), node_b, || b.extent_at(n_b, self.t));
            let margin = n.dot(other.translation) - (h_a + h_b) - nearest;
            // Not large enough, or NaN: there is no proof.
            if !exceeds(margin, needed) {
                return 0.0;
            }
            // Later times are outside the query.
            if enough <= 0.0 {
                return f64::INFINITY;
            }
            let [off_a, off_b] = self.error_per_reach;
            let extent_speed = a.extent_speed(n, off_a, self.t) + b.extent_speed(n_b, off_b, self.t);
            // A velocity jumps, or a bound could not be computed.
            if !exceeds(f64::INFINITY, acceleration) {
                let n = self.frame * n;
                let speed = motion_a.speed_along(n, turning[0], self.left)
                    + motion_b.speed_along(-n, turning[1], self.left)
                    + extent_speed
                    + extent_acceleration * 2.0 * self.left.half_width();
                // The error of the rotation adds to that of the direction a second time.
                let speed = speed + speed_error;
                return if speed <= 0.0 {
                    f64::INFINITY
                } else {
                    // A speed that is NaN, or two infinities, prove nothing.
                    lower_or_zero(margin / speed * (1.0 - 8.0 * UNIT))
                };
            }
            let (m_a, m_b) = (n.cross(self.angular[0]), n.cross(self.angular[1]));
            let turned_a =
                known_or(known.as_mut().map(|k| &mut k.core_extents[0]), node_a, || a.core_extent(m_a));
            let turned_b = known_or(known.as_mut().map(|k| &mut k.core_extents[1]), node_b, || {
                b.core_extent(other.direction_to_body(-m_b))
            });
            let closing = n.dot(self.origin) + turned_a + turned_b + extent_speed + speed_error;
            // The positive root of s = μ h + a h² / 2, in the form that does not cancel for the sign of μ. With a = 0
            // and μ <= 0 there is no root, and the pair never touches.
            let root = (closing * closing + 2.0 * acceleration * margin).sqrt();
            // NaN or overflow: there is no proof.
            if !root.is_finite() {
                return 0.0;
            }
            // About ten roundings, none of which cancels.
            if closing > 0.0 {
                2.0 * margin / (closing + root) * (1.0 - 32.0 * UNIT)
            } else if acceleration > 0.0 {
                (root - closing) / acceleration * (1.0 - 32.0 * UNIT)
            } else {
                f64::INFINITY
            }
        };

        // The direction of the parent, then those out of each volume.
        let normal = inherited.normal;
        let direction = |k: usize| match k {
            0 => Some(normal).filter(|n| *n != DVec3::ZERO),
            1 => a.way_out_at(other.apply(b.center_at(self.t)), self.t).try_normalize(),
            _ => {
                let out_of_b = other.rotation * b.way_out_at(other.to_body(a.center_at(self.t)), self.t);
                (-out_of_b).try_normalize()
            }
        };
        let mut best = (0.0, DVec3::ZERO);
        for (k, n) in (0..3).filter_map(|k| Some((k, direction(k)?))) {
            let step = free_for(n, (k == 0).then_some(&mut *inherited));
            if step > best.0 || best.1 == DVec3::ZERO {
                best = (step, n);
                if step > enough {
                    break;
                }
            }
        }
        best
    }
}
