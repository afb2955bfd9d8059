//! A rotation at a constant rate about a fixed axis, and a bound of the error of its computed matrix.
//!
//! `R(t) = Rot(axis, angle · t) · R_0`, the shorter way from one orientation to another. Every motion that rotates
//! shares it.
//!
//! 1. From unit quaternions `q_0`, `q_1` the quotient `d = q_1 q_0*` (with `d.w >= 0`, the shorter way) is
//!    `(cos(angle / 2), axis sin(angle / 2))`. The sign of `d.w` is that of the dot product `q_0 · q_1`, which is
//!    decided exactly: at half a turn the two directions of rotation differ by more than any tolerance.
//! 2. The axis and the angle are computed in plain f64, with the `atan2` of the platform. Their error is then
//!    *measured*: the quaternion that they represent, from a proven sine and cosine, is compared with `d`.
//! 3. The matrix at `t` is Rodrigues' formula times `R_0`, `R(t) = A + cos(angle t) B + sin(angle t) C` with the
//!    constant matrices `A = u uᵀ R_0`, `B = R_0 − A`, `C = [u]ₓ R_0`, and a proven sine and cosine.
//!
//! # Error
//! The exact motion is that of the poses' quaternions, as stored, scaled to unit length. With `u` the unit roundoff
//! and spectral norms throughout, which Frobenius norms bound:
//! - A stored quaternion has a length within `6u` of 1: normalising takes one rounding for the scale, `3u` for the
//!   length (four squares and three sums, halved by the root, and the root) and one for the quotient.
//! - `R_0`: `R − I` grows with the square of the length and is at most 2, which makes `24u`; the entries
//!   `1 − 2(y² + z²)` and `2(xy ± zw)` have errors of at most `5u` and `3u`, `12u` in norm. Together `36u`.
//! - `d`: four products and three sums, whose absolute values sum to at most 1, make `4u` per component and `8u` in
//!   length; the lengths of the factors do not rotate it but add `12u` to its own. [`SteadyRotation::between`] measures
//!   the residual `e` between it and the quaternion of the computed axis and angle, whose own sine and cosine (`8u`,
//!   relative) and roundings add `12u`. The logarithm on the unit quaternions within a quarter circle of 1 stretches by
//!   at most `(π/2) / sin(π/2)`, an arc this small is at most 1.01 times its chord, and the rotation vector is twice
//!   the logarithm: it is off by at most `3.2 (e + 32u)`. The exponential of skew matrices does not stretch, so neither
//!   does `R(t)`, for `t <= 1`.
//! - Rodrigues' formula, in Frobenius norms, with `|A| = 1`, `|B| = |C| = √2`, `B` and `C` orthogonal: `8u` in sine and
//!   cosine make `12u`; the two products and two sums `6u`. `A` is off by `14u`, from `uᵀ R_0` (`6u`) and an axis whose
//!   length is off by `4u`; this error occurs once in `A` and with the opposite sign in `B`, which makes at most `28u`
//!   and a rounding. `C` is off by `10u` for the same reasons. The rounded product `angle · t` adds `4u`. Together
//!   `62u`.
//!
//! The constant parts add up to `36 + 3.2 · 32 + 62 < 201 u`; [`EVALUATION`] rounds that up to `320u`.

use fearless_simd::{Level, Simd, dispatch};
use glam::{DMat3, DQuat, DVec3};

use crate::numerics::error_free::{two_product, two_sum};
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    EnclosureMat3, Interval, IntervalVec3, TaylorMat3, TaylorModel, Window, atan2, sin_cos, sin_cos_lanes,
};

/// The part of the rotation error that does not depend on the measured residual; see the header.
const EVALUATION: f64 = 320.0 * UNIT;

/// The error of a rotation matrix computed from a pose's quaternion; see the header.
pub(super) const START_ERROR: f64 = 40.0 * UNIT;

/// A constant-rate rotation about a fixed world axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyRotation {
    start: DMat3,
    axis: DVec3,
    angle: f64,
    error: f64,
    /// `A`, `B` and `C` of the header.
    parts: [DMat3; 3],
}

impl SteadyRotation {
    /// Creates the shorter rotation from one orientation to another, both unit quaternions up to rounding.
    pub fn between(from: DQuat, to: DQuat) -> SteadyRotation {
        let start = DMat3::from_quat(from);
        let to = if dot_is_negative(from, to) { -to } else { to };
        let quotient = to * from.conjugate();
        let along = DVec3::new(quotient.x, quotient.y, quotient.z);
        let sine = along.length();
        if sine == 0.0 {
            return SteadyRotation {
                start,
                axis: DVec3::Z,
                angle: 0.0,
                error: EVALUATION,
                parts: [start, DMat3::ZERO, DMat3::ZERO],
            };
        }
        let axis = along / sine;
        let angle = 2.0 * atan2(sine, quotient.w.max(0.0)); // not a bound: its residual is measured
        let (half_sine, half_cosine) = sin_cos(0.5 * angle);
        // The chord between the quaternion of the computed axis and angle and the quotient. The rounding of this line
        // is in the constant part.
        let residual = (axis * half_sine - along).length() + (half_cosine - quotient.w).abs();
        let error = EVALUATION + 4.0 * residual;
        SteadyRotation { start, axis, angle, error, parts: parts(&start, axis) }
    }

    /// Creates the rotation from an orientation, a unit quaternion up to rounding, by any angle about the direction of
    /// a vector that is neither zero nor larger than [`LARGEST`](crate::error::LARGEST).
    ///
    /// Dividing by the largest component, the length and the quotient put the axis within `8u` of the exact one. A
    /// rotation about an axis tilted by `δ` is off by at most `2δ`: `16u`. The length of the axis is off by as much,
    /// which adds `20u` to the `62u` of Rodrigues' formula in the header. The rounded product `angle · t` adds
    /// `|angle| u`. Together with the `36u` of `R_0` it is at most `134u + |angle| u`.
    pub(crate) fn about(from: DQuat, axis: DVec3, angle: f64) -> SteadyRotation {
        let start = DMat3::from_quat(from);
        let axis = (axis / axis.abs().max_element()).normalize();
        let error = EVALUATION + 2.0 * UNIT * angle.abs();
        SteadyRotation { start, axis, angle, error, parts: parts(&start, axis) }
    }

    /// Returns the orientation at `t`.
    #[inline]
    pub fn at(&self, t: f64) -> DMat3 {
        if self.angle == 0.0 {
            return self.start;
        }
        let (s, c) = sin_cos(self.angle * t);
        self.turned(s, c)
    }

    /// Returns the orientations of two rotations at `t`, with the same bits: two sines cost little more than one.
    #[inline]
    pub(super) fn both_at([a, b]: [&SteadyRotation; 2], t: f64) -> [DMat3; 2] {
        if a.angle == 0.0 || b.angle == 0.0 {
            return [a.at(t), b.at(t)];
        }
        dispatch!(Level::new(), simd => both_at(simd, [a, b], t))
    }

    /// Returns the orientation where the angle has this sine and cosine, if the rotation is not by 0.
    #[inline(always)]
    pub(super) fn turned(&self, s: f64, c: f64) -> DMat3 {
        let [along, across, turned] = &self.parts;
        let column = |k: usize| along.col(k) + (across.col(k) * c + turned.col(k) * s);
        DMat3::from_cols(column(0), column(1), column(2))
    }

    /// Returns the orientation at time 0.
    pub fn start(&self) -> DMat3 {
        self.start
    }

    /// Returns the axis, of unit length up to rounding. It is z if there is no rotation.
    pub fn axis(&self) -> DVec3 {
        self.axis
    }

    /// Returns the rotation angle from time 0 to 1: at most half a turn between two orientations.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// Returns the constant angular velocity.
    #[inline]
    pub fn angular_velocity(&self) -> DVec3 {
        self.axis * self.angle
    }

    /// Returns an enclosure of the orientation over a window.
    ///
    /// At any time, the rotation by the computed axis and angle is within [`SteadyRotation::error`] of the exact one.
    /// This error is added to every entry of the enclosure of the computed rotation.
    pub fn enclosure(&self, window: Window) -> TaylorMat3 {
        let start = around(&self.start, self.error);
        if self.angle == 0.0 {
            return start;
        }
        let axis = IntervalVec3::unit(self.axis).expect("the axis has unit length, up to rounding");
        TaylorMat3::rotation(axis, Interval::ZERO, Interval::point(self.angle), &window) * start
    }

    /// Returns an upper bound of the distance, in spectral norm, between [`SteadyRotation::at`] and the exact
    /// orientation, at any time in `[0, 1]`.
    pub fn error(&self) -> f64 {
        self.error
    }
}

/// Returns [`SteadyRotation::both_at`] of two rotations by some angle. It is compiled for every level of vector
/// instructions; all levels compute the same bits, because no operation is reordered or fused.
#[inline(always)]
fn both_at<S: Simd>(_: S, [a, b]: [&SteadyRotation; 2], t: f64) -> [DMat3; 2] {
    // Four lanes of two numbers: the compiler turns a loop of four into vector instructions, but not a loop of two.
    let angles = [a.angle * t, b.angle * t];
    let (s, c) = sin_cos_lanes(&[angles[0], angles[1], angles[0], angles[1]]);
    [a.turned(s[0], c[0]), b.turned(s[1], c[1])]
}

/// Returns `A`, `B` and `C` of the header.
fn parts(start: &DMat3, axis: DVec3) -> [DMat3; 3] {
    let column = |k: usize| axis * axis.dot(start.col(k));
    let along = DMat3::from_cols(column(0), column(1), column(2));
    let turned = |k: usize| axis.cross(start.col(k));
    [along, *start - along, DMat3::from_cols(turned(0), turned(1), turned(2))]
}

/// Returns the matrices within `error` of a matrix, entry by entry.
pub(super) fn around(matrix: &DMat3, error: f64) -> TaylorMat3 {
    let entry = |row: usize, column: usize| {
        TaylorModel::constant(Interval::point(matrix.col(column)[row]) + Interval::symmetric(error))
    };
    EnclosureMat3([0, 1, 2].map(|row| [0, 1, 2].map(|column| entry(row, column))))
}

/// Returns true if the dot product of two quaternions is negative, decided exactly. The components of a pose's
/// quaternion are at most 1 in size, and zero or at least 2^-200, so no operation underflows or overflows here.
pub(super) fn dot_is_negative(a: DQuat, b: DQuat) -> bool {
    // Four products and three sums of numbers of size at most 1 are off by at most 8 units.
    let dot = a.dot(b);
    if dot.abs() > 16.0 * UNIT {
        return dot < 0.0;
    }
    // The exact sum as an expansion: numbers of increasing size whose bits do not overlap, so that the last nonzero
    // one has the sign of the sum (Shewchuk 1997, GROW-EXPANSION and Theorem 10).
    let mut expansion = [0.0; 8];
    let mut len = 0;
    for (x, y) in a.to_array().into_iter().zip(b.to_array()) {
        let (product, error) = two_product(x, y);
        for mut term in [error, product] {
            for part in &mut expansion[..len] {
                (term, *part) = two_sum(term, *part);
            }
            expansion[len] = term;
            len += 1;
        }
    }
    expansion.iter().rev().find(|part| **part != 0.0).is_some_and(|part| *part < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    /// The direction of half a turn depends on the last bits of a dot product that plain f64 gets wrong: the two
    /// quaternions are almost orthogonal, and their products cancel to a few units of 2^-106.
    #[test]
    fn half_a_turn_goes_the_shorter_way() {
        let mut state = 1_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut negative, mut wrong) = (0, 0);
        for _ in 0..10_000 {
            let a = DQuat::from_xyzw(unit(), unit(), unit(), unit()).normalize();
            // Orthogonal to `a`, up to rounding.
            let b = DQuat::from_xyzw(-a.y, a.x, -a.w, a.z) * (1.0 + 0.1 * unit());
            let b = DQuat::from_xyzw(b.x, b.y, b.z, b.w + f64::EPSILON * 0.25 * unit());
            let exact = |x: f64| RBig::try_from(x).unwrap();
            let dot = a
                .to_array()
                .into_iter()
                .zip(b.to_array())
                .fold(RBig::ZERO, |sum, (x, y)| sum + exact(x) * exact(y));
            let expected = dot < RBig::ZERO;
            assert_eq!(dot_is_negative(a, b), expected, "{a} {b}");
            negative += usize::from(expected);
            wrong += usize::from((a.dot(b) < 0.0) != expected);
        }
        assert!((3000..7000).contains(&negative), "{negative}");
        assert!(wrong > 100, "the cases are too easy: {wrong}");
    }
}
