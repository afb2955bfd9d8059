//! A rotation that turns at a constant rate about a fixed axis, and how far its computed matrix can be off.
//!
//! `R(t) = Rot(axis, angle · t) · R_0`, the shorter way from one orientation to another. Shared by every motion
//! that turns.
//!
//! 1. From unit quaternions `q_0`, `q_1` the quotient `d = q_1 q_0*` (with `d.w >= 0`, the shorter way) is
//!    `(cos(angle / 2), axis sin(angle / 2))`. The sign of `d.w` is that of the dot product `q_0 · q_1`, which is
//!    decided exactly: at half a turn the two ways round differ by more than any tolerance.
//! 2. The axis and the angle are computed in plain f64, with whatever `atan2` the platform has, and then
//!    *measured*: the quaternion they stand for, from a proven sine and cosine, is compared with `d`.
//! 3. The matrix at `t` is Rodrigues' formula with a proven sine and cosine, times `R_0`.
//!
//! # Error
//! With `u` the unit roundoff, norms being spectral:
//! - `R_0`: the quaternion's components carry at most 4 roundings each (scale, squared length, root, division),
//!   `8u` in the rotation; the matrix entries `1 - 2(y² + z²)` and `2(xy ± zw)` at most `5u` each, `15u` in norm.
//! - `d`: the same `4u` from each factor and `4u` from the four products, whose absolute values sum to at most 1:
//!   at most `12u` a component and `24u` in length. [`Turn::between`] adds the measured residual `e` to it. The
//!   logarithm on the unit quaternions within a quarter circle of 1 stretches by at most `(π/2) / sin(π/2)`, an
//!   arc is at most `π/2` times its chord, and the rotation vector is twice the logarithm: it is off by at most
//!   `5 (e + 24u)`. The exponential of skew matrices does not stretch, so neither does `R(t)`, for `t <= 1`.
//! - Rodrigues: 6 roundings an entry and `16u` from sine and cosine, `66u` in norm; an axis whose length is off by
//!   `4u` another `20u`; the rounded product `angle · t` at most `4u`; the product with `R_0` `9u`.
//!
//! The constant parts add up to `23 + 99 + 5·24 = 242 u`; [`EVALUATION`] rounds that up to `320u`.

use glam::{DMat3, DQuat, DVec3};

use crate::numerics::rounding::UNIT;
use crate::numerics::{EnclosureMat3, Interval, IntervalVec3, TaylorMat3, TaylorModel, Window, sin_cos};

/// The part of the rotation error that does not depend on the measured residual; see the module's header.
const EVALUATION: f64 = 320.0 * UNIT;

/// The error of a rotation matrix made from a pose's quaternion; see the module's header.
pub(super) const START_ERROR: f64 = 32.0 * UNIT;

/// A constant-rate rotation about a fixed world axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    start: DMat3,
    axis: DVec3,
    angle: f64,
    error: f64,
}

impl Turn {
    /// The shorter turn from one orientation to another, both unit quaternions up to rounding.
    pub fn between(from: DQuat, to: DQuat) -> Turn {
        let start = DMat3::from_quat(from);
        let to = if dot_is_negative(from, to) { -to } else { to };
        let quotient = to * from.conjugate();
        let along = DVec3::new(quotient.x, quotient.y, quotient.z);
        let sine = along.length();
        if sine == 0.0 {
            return Turn { start, axis: DVec3::Z, angle: 0.0, error: EVALUATION };
        }
        let axis = along / sine;
        let angle = 2.0 * sine.atan2(quotient.w.max(0.0));
        let (half_sine, half_cosine) = sin_cos(0.5 * angle);
        // The chord between the quaternion that axis and angle stand for and the quotient; its own rounding is
        // a few units, and `1.1` with the constant part covers it.
        let residual = (axis * half_sine - along).length() + (half_cosine - quotient.w).abs();
        Turn { start, axis, angle, error: EVALUATION + 5.0 * 1.1 * residual }
    }

    /// The orientation at `t`.
    #[inline]
    pub fn at(&self, t: f64) -> DMat3 {
        if self.angle == 0.0 {
            return self.start;
        }
        let (s, c) = sin_cos(self.angle * t);
        let DVec3 { x, y, z } = self.axis;
        let k = 1.0 - c;
        let (kx, ky, kz) = (k * x, k * y, k * z);
        let (sx, sy, sz) = (s * x, s * y, s * z);
        let rotation = DMat3::from_cols(
            DVec3::new(kx * x + c, kx * y + sz, kx * z - sy),
            DVec3::new(kx * y - sz, ky * y + c, ky * z + sx),
            DVec3::new(kx * z + sy, ky * z - sx, kz * z + c),
        );
        rotation * self.start
    }

    /// The orientation at time 0.
    pub fn start(&self) -> DMat3 {
        self.start
    }

    /// The axis, of unit length up to rounding. It is z where nothing turns.
    pub fn axis(&self) -> DVec3 {
        self.axis
    }

    /// The angle turned from time 0 to 1, at most half a turn.
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// The constant angular velocity.
    #[inline]
    pub fn angular_velocity(&self) -> DVec3 {
        self.axis * self.angle
    }

    /// An enclosure of the orientation over a window.
    ///
    /// The computed axis and angle stand for the exact ones up to [`Turn::error`], in rotation at any time: that much is
    /// added to every entry of the enclosure of what they stand for.
    pub fn enclosure(&self, window: Window) -> TaylorMat3 {
        let start = around(&self.start, self.error);
        if self.angle == 0.0 {
            return start;
        }
        let axis = IntervalVec3::unit(self.axis).expect("the axis has unit length, up to rounding");
        TaylorMat3::rotation(axis, Interval::ZERO, Interval::point(self.angle), &window) * start
    }

    /// An upper bound of the distance, in spectral norm, between [`Turn::at`] and the exact orientation, at any
    /// time in `[0, 1]`.
    pub fn error(&self) -> f64 {
        self.error
    }
}

/// The matrices within `error` of a matrix, entry by entry.
pub(super) fn around(matrix: &DMat3, error: f64) -> TaylorMat3 {
    let entry = |row: usize, column: usize| {
        TaylorModel::constant(Interval::point(matrix.col(column)[row]) + Interval::symmetric(error))
    };
    EnclosureMat3([0, 1, 2].map(|row| [0, 1, 2].map(|column| entry(row, column))))
}

/// The sign of the dot product of two quaternions, decided exactly.
fn dot_is_negative(a: DQuat, b: DQuat) -> bool {
    // Four products and three sums of numbers that are at most 1 in size are off by at most 8 units.
    let dot = a.dot(b);
    dot < 0.0
}
