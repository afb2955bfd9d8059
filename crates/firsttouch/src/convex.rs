//! Two convex solids, each in any rigid motion, or pieces that deform in the world frame.
//!
//! 1. At an instant, GJK finds the closest points of the two cores and the direction `n` between them.
//! 2. The distance is *proven* by the separation along `n`: `n · (c_B − c_A) − h_A(n) − h_B(−n)`, with the support
//!    functions `h` of [`Convex::extent`], which include the margins, minus the error below. The search has just found
//!    the support points along `n`, so a hull need not search its farthest vertex again ([`Convex::extent_with`]).
//! 3. Conservative advancement finds the time of contact (`advancement`).
//!
//! # Error
//! Let `u` be the unit roundoff, `r` the reach and `c` the computed translation of each side.
//! - The pose is off by [`PoseError`]: `rotation · r + translation`. For the rotation the reach of the core suffices.
//! - Rotating `n` into the body's frame takes 5 roundings per coordinate, `9u` in length, and `n` itself has a length
//!   of `1 ± 4u`: together `16u r`. The support function adds [`EXTENT_ERROR`], `16u r`.
//! - The difference of the centres, the dot product and the three sums take at most 8 roundings of terms no larger
//!   than `|c_A| + |c_B| + r_A + r_B`.
//! - Squares of lengths may underflow: each adds [`TINY_LENGTH`].
//!
//! `ROUNDING` takes `64u` for everything except the pose errors. The upper bound is the distance of two points of the
//! cores, less the margins: wherever the search ended, the points belong to the cores. The upper bound has the same
//! errors, with [`SURFACE_ERROR`](crate::shape::convex::SURFACE_ERROR) in place of the error of the support function.
//!
//! # The reach of a rotation
//! A solid is a core swept by a ball, and a rotation moves only the core. The rules of advancement hold for pairs of
//! points of the cores; the separation is that of the cores along `n`, less the radii of both balls, which are
//! constant. All speed bounds therefore use the reach of the core, which is zero for a ball.
//!
//! [`EXTENT_ERROR`]: crate::shape::convex::EXTENT_ERROR

use fearless_simd::{Level, Simd, dispatch};
use glam::DVec3;
use smallvec::SmallVec;

use crate::advancement::{Approach, RelativeBounds, Resting, Separation, round_instant};
use crate::distance::gjk::{Gjk, Seen};
use crate::motion::{Linear, PoseAt, PoseError, RigidMotion, swept};
use crate::numerics::Window;
use crate::numerics::bound::{upper_max, upper_or_zero};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::pair::piece::Piece;
use crate::shape::Convex;

/// The errors of step 2 except those of the poses, relative to the sizes involved; see the header.
const ROUNDING: f64 = 64.0 * UNIT;

/// One side of a pair: a piece, owned or by reference to a solid, and the motion of its frame.
#[derive(Debug)]
pub struct Moving<'a, S, M: ?Sized> {
    /// The piece.
    pub shape: S,
    /// The motion of its frame.
    pub motion: &'a M,
}

impl<S: Clone, M: ?Sized> Clone for Moving<'_, S, M> {
    fn clone(&self) -> Self {
        Moving { shape: self.shape.clone(), motion: self.motion }
    }
}

impl<S: Copy, M: ?Sized> Copy for Moving<'_, S, M> {}

/// A part of a combination: a weight, a direction, and the poses of both sides at an instant.
pub(crate) struct Term {
    pub(crate) weight: f64,
    pub(crate) normal: DVec3,
    pub(crate) poses: [PoseAt; 2],
}

/// Two convex solids in motion, ready for advancement.
pub struct ConvexPair<'a, A, MA: ?Sized, B, MB: ?Sized> {
    a: Moving<'a, A, MA>,
    b: Moving<'a, B, MB>,
    /// The reach of each core.
    reach: [f64; 2],
    margins: [f64; 2],
    /// The part of the error that does not change with time.
    error: f64,
    /// Pieces at this distance touch.
    min_separation: f64,
    /// The accuracy of the closest points near a contact.
    accuracy: f64,
    search: Gjk,
    /// The two motions if both are linear.
    linear: Option<[&'a Linear; 2]>,
    /// The current instant and the poses at that time.
    instant: (f64, [PoseAt; 2]),
    /// True if steps end at instants that other pairs use too.
    common_instants: bool,
}

impl<'a, A, MA, B, MB> ConvexPair<'a, A, MA, B, MB>
where
    A: Piece,
    MA: RigidMotion + ?Sized,
    B: Piece,
    MB: RigidMotion + ?Sized,
{
    /// Creates the pair. Near `min_separation` the closest points are found to a small part of `tolerance`.
    pub fn new(a: Moving<'a, A, MA>, b: Moving<'a, B, MB>, min_separation: f64, tolerance: f64) -> Self {
        let reach = [a.shape.core_reach(), b.shape.core_reach()];
        let pose_error = |error: PoseError, reach: f64, core_reach: f64| {
            swept(error.rotation, core_reach) + ROUNDING * reach + error.translation
        };
        // The last factor rounds the sum up.
        let error = (pose_error(a.motion.pose_error(), a.shape.reach(), reach[0])
            + pose_error(b.motion.pose_error(), b.shape.reach(), reach[1])
            + 8.0 * TINY_LENGTH)
            * (1.0 + 8.0 * UNIT);
        let linear = a.motion.as_linear().zip(b.motion.as_linear()).map(|(a, b)| [a, b]);
        ConvexPair {
            reach,
            margins: [a.shape.solid().margin(), b.shape.solid().margin()],
            error,
            min_separation,
            accuracy: 0.1 * tolerance,
            search: Gjk::default(),
            linear,
            instant: (0.0, [a.motion.pose_at(0.0), b.motion.pose_at(0.0)]),
            common_instants: false,
            a,
            b,
        }
    }

    /// Returns the same pair with steps that end at instants with few bits. If poses are expensive and cached (the
    /// links of a robot), many pairs then share them. Contacts are approached more slowly.
    pub fn at_common_instants(self) -> Self {
        ConvexPair { common_instants: true, ..self }
    }

    /// Makes `t` the current instant.
    #[inline]
    fn look_at(&mut self, t: f64) {
        if self.instant.0 != t {
            self.instant = (t, self.poses_at(t));
            if self.a.shape.look_at(t) | self.b.shape.look_at(t) {
                // The simplex consists of points that have moved since.
                self.search = Gjk::default();
            }
        }
    }

    /// Returns the poses of both sides at an instant.
    #[inline]
    pub(crate) fn poses_at(&self, t: f64) -> [PoseAt; 2] {
        if self.instant.0 == t {
            return self.instant.1;
        }
        match self.linear {
            Some(both) => Linear::both_at(both, t),
            None => [self.a.motion.pose_at(t), self.b.motion.pose_at(t)],
        }
    }

    /// Returns an upper bound of the third derivative of `b − a`, for any two points of the pieces. It is infinite if a
    /// piece changes its shape or has a margin: then [`least_combination`](Self::least_combination) does not bound the
    /// distance.
    pub(crate) fn jerk(&self, window: Window) -> f64 {
        let deforms = |speed: f64, acceleration: f64| !(speed == 0.0 && acceleration == 0.0);
        if self.margins != [0.0, 0.0]
            || deforms(self.a.shape.deform_speed(window), self.a.shape.deform_acceleration(window))
            || deforms(self.b.shape.deform_speed(window), self.b.shape.deform_acceleration(window))
        {
            return f64::INFINITY;
        }
        let jerk = self.a.motion.jerk(self.reach[0], window) + self.b.motion.jerk(self.reach[1], window);
        jerk * (1.0 + 8.0 * UNIT)
    }

    /// Returns a lower bound of `Σ w_k n_k · (b(t_k) − a(t_k))` over all points `a` and `b` of the two pieces, for
    /// directions that are not longer than 1 and weights whose sizes sum up to at most 2. The sum is linear in each of
    /// the two points, so two support functions bound it: those along `Σ w_k R_kᵀ n_k`.
    ///
    /// The pose errors count with the sum of the weights. That vector has 9 roundings for each rotation, 1 for each
    /// weight and 2 for the sums, together `26u` of the reach. Its length and its direction have 8 more, times 2, and
    /// the support function has `16u`, times 2. The centres take 8 roundings each, times 2, and 3 for the sums. All of
    /// these are less than `4 · 64u` of the reach and `4 · 128u` of the sizes of the translations, so four times the
    /// error of a single separation is enough.
    pub(crate) fn least_combination(&self, terms: &[Term]) -> f64 {
        let (mut offset, mut along, mut size) = (0.0, [DVec3::ZERO; 2], 0.0);
        for Term { weight, normal, poses } in terms {
            let n = *normal * *weight;
            offset += n.dot(poses[1].translation - poses[0].translation);
            along[0] += poses[0].direction_to_body(n);
            along[1] += poses[1].direction_to_body(-n);
            let here = poses[0].translation.abs().max_element() + poses[1].translation.abs().max_element();
            size = upper_max(size, here);
        }
        // A vector of length zero gives NaN, which proves nothing.
        let lengths = along.map(DVec3::length);
        let h_a = lengths[0] * self.a.shape.solid().extent(along[0] / lengths[0]);
        let h_b = lengths[1] * self.b.shape.solid().extent(along[1] / lengths[1]);
        offset - (h_a + h_b) - 4.0 * (self.error + 2.0 * ROUNDING * size)
    }

    /// Returns [`Approach::separation`], compiled for every level of vector instructions. All levels compute the same
    /// bits, because no operation is reordered or fused.
    #[inline(always)]
    fn separation_at<S: Simd>(&mut self, simd: S, t: f64) -> Separation {
        let (touching, fine) = (self.margins[0] + self.margins[1] + self.min_separation, self.accuracy);
        // Far from a touch, an accuracy of one hundredth of the remaining distance is enough: it costs a hundredth of
        // the step.
        self.measured(simd, t, |distance| fine.max(0.01 * (distance - touching))) // not a bound: steers
    }

    /// Returns the distance at `t`, with the closest points of the cores found to this accuracy.
    #[inline(always)]
    fn measured<S: Simd>(&mut self, simd: S, t: f64, accuracy: impl Fn(f64) -> f64) -> Separation {
        self.look_at(t);
        let (a, b) = (self.a.shape.solid(), self.b.shape.solid());
        let found = self.search.closest_points_in_lanes(simd, a, b, &self.instant.1, accuracy);
        let normal = found.normal;
        let [on_a, on_b] = found.points;
        let between = on_b - on_a;
        let distance = between.length();
        // The points of a piece that is known only up to an error have that error too. Support functions already
        // include theirs.
        let off = self.error_now() + (self.a.shape.uncertainty() + self.b.shape.uncertainty());
        let upper = upper_or_zero(distance - self.margins[0] - self.margins[1] + off);
        // The points move outwards by the margins along the line between them, so their distance is the gap.
        let out = if distance > 0.0 { between / distance } else { normal };
        let points = [on_a + out * self.margins[0], on_b - out * self.margins[1]];
        let lower = match found.seen {
            Some(Seen { directions, supports }) => {
                let h_a = self.a.shape.solid().extent_with(directions[0], supports[0]);
                let h_b = self.b.shape.solid().extent_with(directions[1], supports[1]);
                self.proven_with(normal, [h_a, h_b])
            }
            None => self.proven(normal),
        };
        Separation { lower, upper, normal, points }
    }

    /// Returns the error of a separation or a distance at the current instant.
    #[inline]
    fn error_now(&self) -> f64 {
        let poses = &self.instant.1;
        let size = poses[0].translation.abs().max_element() + poses[1].translation.abs().max_element();
        self.error + 2.0 * ROUNDING * size
    }

    /// Returns the proven separation along `n` at the current instant.
    #[inline]
    fn proven(&self, n: DVec3) -> f64 {
        let poses = &self.instant.1;
        let h_a = self.a.shape.solid().extent(poses[0].direction_to_body(n));
        let h_b = self.b.shape.solid().extent(poses[1].direction_to_body(-n));
        self.proven_with(n, [h_a, h_b])
    }

    /// Returns the same separation from the values of the support functions, each along `n` in its body's frame.
    #[inline]
    fn proven_with(&self, n: DVec3, [h_a, h_b]: [f64; 2]) -> f64 {
        let poses = &self.instant.1;
        n.dot(poses[1].translation - poses[0].translation) - (h_a + h_b) - self.error_now()
    }
}

impl<A, MA, B, MB> Approach for ConvexPair<'_, A, MA, B, MB>
where
    A: Piece,
    MA: RigidMotion + ?Sized,
    B: Piece,
    MB: RigidMotion + ?Sized,
{
    fn separation(&mut self, t: f64) -> Separation {
        dispatch!(Level::new(), simd => self.separation_at(simd, t))
    }

    /// Searches until the error of the distance is a part of its difference from the threshold.
    #[cold]
    fn separation_against(&mut self, t: f64, threshold: f64) -> Separation {
        let threshold = self.margins[0] + self.margins[1] + threshold;
        let accuracy = |distance: f64| 0.25 * (distance - threshold).abs();
        dispatch!(Level::new(), simd => self.measured(simd, t, accuracy))
    }

    fn separation_along(&mut self, n: DVec3, t: f64) -> f64 {
        self.look_at(t);
        self.proven(n)
    }

    fn closing_speed(&self, n: DVec3, window: Window) -> f64 {
        let frames = self.a.motion.speed_along(n, self.reach[0], window)
            + self.b.motion.speed_along(-n, self.reach[1], window);
        frames + (self.a.shape.deform_speed_along(n, window) + self.b.shape.deform_speed_along(-n, window))
    }

    fn relative_bounds(&self, window: Window) -> RelativeBounds {
        let [a, b] = [self.a.motion.velocity_bounds(window), self.b.motion.velocity_bounds(window)];
        let turning = |v: &crate::motion::VelocityBounds| v.center.angular.length() + v.angular_radius;
        let origins = (a.center.origin - b.center.origin).length() + (a.origin_radius + b.origin_radius);
        let deform_speed = self.a.shape.deform_speed(window) + self.b.shape.deform_speed(window);
        let speed =
            origins + (swept(turning(&a), self.reach[0]) + swept(turning(&b), self.reach[1])) + deform_speed;
        let acceleration = self.a.motion.acceleration(self.reach[0], window)
            + self.b.motion.acceleration(self.reach[1], window)
            + (self.a.shape.deform_acceleration(window) + self.b.shape.deform_acceleration(window));
        let poses = &self.instant.1;
        let apart = (poses[1].translation - poses[0].translation).length() + (self.reach[0] + self.reach[1]);
        // The current instant lies in the window, so no point moves for longer than the width of the window.
        let distance = apart + speed * 2.0 * window.half_width() + self.error_now();
        let up = 1.0 + 32.0 * UNIT;
        RelativeBounds { distance: distance * up, speed: speed * up, acceleration: acceleration * up }
    }

    #[inline]
    fn land(&self, t: f64, step: f64) -> f64 {
        if self.common_instants { round_instant(t, step) } else { t + step }
    }

    fn closing_guess(&self, separation: &Separation, t: f64) -> f64 {
        let poses = &self.instant.1;
        let [on_a, on_b] = separation.points;
        let v_a = self.a.motion.velocity_at(t).of(on_a - poses[0].translation)
            + self.a.shape.deform_velocity_guess(on_a);
        let v_b = self.b.motion.velocity_at(t).of(on_b - poses[1].translation)
            + self.b.shape.deform_velocity_guess(on_b);
        (v_a - v_b).dot(separation.normal)
    }

    fn turning_guess(&self) -> f64 {
        let rate = |velocity: crate::motion::Velocity, reach: f64| swept(velocity.angular.length(), reach);
        let of_a = rate(self.a.motion.velocity_at(0.0), f64::from(self.reach[0] > 0.0));
        let of_b = rate(self.b.motion.velocity_at(0.0), f64::from(self.reach[1] > 0.0));
        of_a.max(of_b) // not a bound: steers
    }
}

impl<A, MA, B, MB> Resting for ConvexPair<'_, A, MA, B, MB>
where
    A: Piece,
    MA: RigidMotion + ?Sized,
    B: Piece,
    MB: RigidMotion + ?Sized,
{
    fn separation_at_most(&mut self, n: DVec3, t: f64) -> f64 {
        self.look_at(t);
        // The subtracted error covers both sides of the exact value. A piece that is known only up to an error includes
        // it in its support function, which may be too large by twice that error.
        let off = self.error_now() + (self.a.shape.uncertainty() + self.b.shape.uncertainty());
        let (lower, off) = (self.proven(n), 2.0 * off);
        (lower + off * (1.0 + 8.0 * UNIT)).next_up()
    }

    /// Tries the hint, the direction between the centres, the axes of both frames (the faces of boxes, the ends of
    /// cylinders) and the normals of triangles. Then improves the best three: the second piece is shifted along the
    /// direction until the two are apart, and their closest points give the direction of the nearest faces. The result
    /// is not a proof.
    fn contact_normal(&mut self, t: f64, hint: DVec3) -> DVec3 {
        self.look_at(t);
        let poses = self.instant.1;
        let (a, b) = (self.a.shape.solid(), self.b.shape.solid());
        let center = |pose: &PoseAt, center: DVec3| pose.translation + pose.rotation * center;
        let between = center(&poses[1], b.bounds().0) - center(&poses[0], a.bounds().0);
        let mut tried: SmallVec<[(f64, DVec3); 20]> = SmallVec::new();
        let mut try_direction = |n: DVec3| {
            let n = n.normalize_or_zero();
            let separation = self.proven(n);
            if n != DVec3::ZERO && separation.is_finite() {
                tried.push((separation, n));
            }
        };
        try_direction(hint);
        try_direction(between);
        for (pose, solid_across) in [(&poses[0], a.across()), (&poses[1], b.across())] {
            let frame = pose.rotation;
            let axes =
                [frame.x_axis, frame.y_axis, frame.z_axis, frame * solid_across.unwrap_or(DVec3::ZERO)];
            for axis in axes {
                try_direction(axis);
                try_direction(-axis);
            }
        }
        // A stable sort: the hint comes before directions of equal depth.
        tried.sort_by(|x, y| y.0.total_cmp(&x.0));
        let size = a.reach().min(b.reach()); // not a bound: it steers
        let mut best = tried.first().copied().unwrap_or((f64::NEG_INFINITY, DVec3::Z));
        for &(separation, n) in tried.iter().take(3) {
            let (mut separation, mut n) = (separation, n);
            for _ in 0..8 {
                let mut apart = poses;
                let depth = separation.min(0.0); // not a bound: it steers
                apart[1].translation += n * (0.01 * size - depth);
                let found = Gjk::default().closest_points(a, b, &apart, |distance| 1e-14 * distance);
                let other = found.normal.normalize_or_zero();
                let improved = self.proven(other);
                let is_better = other != DVec3::ZERO && improved > separation;
                if !is_better {
                    break;
                }
                (separation, n) = (improved, other);
            }
            if separation > best.0 {
                best = (separation, n);
            }
        }
        best.1
    }
}

#[cfg(test)]
#[path = "convex/bounds_tests.rs"]
mod tests;
