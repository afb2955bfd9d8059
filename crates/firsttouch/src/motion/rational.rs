//! `rational`: a rigid motion whose rotation and translation are quotients of polynomials in time.
//!
//! The rotation is that of a quaternion polynomial `q(t)` of any length; the translation is `x(t) / w(t)`. Every
//! rational rigid motion can be written like this. The polynomials are stored in Bernstein form with proven coefficient
//! errors, so all bounds hold for the input numbers.
//! - [`Rational::between`], the default: linear interpolation of quaternion and origin between two placements (degree
//!   2).
//! - [`Rational::from_power_basis`]: any degree, coefficients of `1, t, t², ...`.
//! - [`Rational::revolute`] and [`Rational::after`]: joints, and chains of them.
//!
//! # Bounds
//! Time is divided into pieces. On each piece, ranges of the Bernstein coefficients bound
//! ```text
//! ω  = 2 Im(q' q⁻¹)                       |ω|  <= 2 |q'| / |q|
//! ω' = 2 Im(q'' q⁻¹ − (q' q⁻¹)²)          |ω'| <= 2 |q''| / |q| + |ω|² / 2      (with the bound for |ω|)
//! r  = x / w,  r' = (x' − r w') / w,  r'' = (x'' − 2 r' w' − r w'') / w
//! ```
//! The velocity over a window is that in its middle, plus or minus half the window times the largest acceleration in
//! the pieces that overlap it. In the same way the transform is its first-order Taylor polynomial about the middle
//! plus a remainder.
//!
//! # Error
//! A value by de Casteljau's algorithm has `3 n` roundings, so it is off by at most `ε = e + γ m`, with `e` the
//! largest coefficient error and `m` the largest coefficient; a derivative by `2 n (e + 2γ m)`. An error `δ` of the
//! quaternion changes the rotation by at most `2 δ / |q|` (times 1.1 for second order), and the matrix adds the `32u`
//! of a normalised quaternion.
//!
//! Rejected inputs: a quaternion polynomial or a weight that vanishes in `[0, 1]`, comes too close to zero to prove
//! that it does not, or falls below `SMALLEST`; and a path that leads farther than `FARTHEST`.
//!
//! A bound that overflows is infinite, and a bound that is NaN (`inf · 0`, `inf − inf`) also counts as infinite.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Appendix B.

use glam::{DMat3, DQuat, DVec3};
use smallvec::SmallVec;

use super::steady_rotation::{START_ERROR, around, dot_is_negative};
use super::{Pose, PoseAt, PoseError, RigidMotion, Velocity, VelocityBounds, swept};
use crate::error::{Error, LARGEST, Result, SMALLEST, bounded, bounded_vector};
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::{
    largest_upper, lower_min, lower_or_zero, smallest_lower, upper_max, upper_or_zero,
};
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    EnclosureMat3, EnclosureVec3, Interval, TaylorModel, TaylorTransform, Window, sin_cos,
};

/// A rational rigid motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Rational {
    /// The quaternion: w, x, y, z.
    quat: [Bernstein; 4],
    xyz: [Bernstein; 3],
    /// The denominator, positive.
    weight: Bernstein,
    /// True if the weight is the squared length of the quaternion, as in every chain of joints. This is known by
    /// construction, and it keeps the degree of longer chains low.
    is_norm: bool,
    pieces: SmallVec<[Piece; 1]>,
    pose_error: PoseError,
    velocity_error: [f64; 2],
}

/// Upper bounds over a time span.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    start: f64,
    end: f64,
    /// `|r|`, `|r'|`, `|r''|`.
    origin: [f64; 3],
    /// `|ω|`, `|ω'|`.
    turning: [f64; 2],
    /// Lower bounds of `|q|` and of the weight; upper bounds of `|q'|` and `|w'|`.
    least: [f64; 2],
    rates: [f64; 2],
}

/// The initial number of pieces, if a single piece would be loose.
const PIECES: usize = 8;
/// The number of times that a piece is halved to prove that the denominators stay positive.
const DEPTH: u32 = 24;
/// The largest distance of a path from the origin: a coordinate of at most [`LARGEST`] over a weight of at least
/// [`SMALLEST`]. Its squares overflow, and every bound then rounds to the safe side. A body at such a distance is
/// separated by its box.
const FARTHEST: f64 = LARGEST * LARGEST;
/// Slightly more than one, for the rounding of a bound computed by a few dozen operations without cancellation.
const UP: f64 = 1.0 + 128.0 * UNIT;

impl Rational {
    /// Interpolates the quaternion (w, x, y, z) and the origin linearly, the shorter way.
    ///
    /// ```
    /// use firsttouch::motion::{Pose, Rational, RigidMotion};
    /// use glam::{DQuat, DVec3};
    /// let to = Pose::new(DVec3::X * 4.0, DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0))?; // a quarter turn about z
    /// let halfway = Rational::between(Pose::IDENTITY, to).pose_at(0.5);
    /// let eighth = DVec3::new(0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0);
    /// assert!((halfway.apply(DVec3::X) - DVec3::X * 2.0 - eighth).length() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn between(from: Pose, to: Pose) -> Rational {
        let (q0, q1) = (from.rotation(), to.rotation());
        // Decided exactly: at half a turn the two directions of rotation are entirely different motions.
        let q1 = if dot_is_negative(q0, q1) { -q1 } else { q1 };
        Rational::chord([q0, q1], [from.translation(), to.translation()])
    }

    /// Creates a motion from coefficients of `1, t, t², ...`: quaternions as w, x, y, z; the translation is
    /// `xyz / weight`. An empty `weight` means one, an empty `xyz` zero, an empty `quat` no rotation.
    ///
    /// ```
    /// use firsttouch::motion::{Rational, RigidMotion};
    /// use glam::DVec3;
    /// // On a hyperbola, with a rotation about z from none to a quarter turn.
    /// let quat = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    /// let motion = Rational::from_power_basis(&quat, &[[1.0, 0.0, 0.0]], &[1.0, 1.0])?; // 1 / (1 + t)
    /// assert!((motion.pose_at(1.0).apply(DVec3::X) - DVec3::new(0.5, 1.0, 0.0)).length() < 1e-15);
    /// assert!(Rational::from_power_basis(&quat, &[], &[1.0, -2.0]).is_err()); // a weight with a root
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn from_power_basis(quat: &[[f64; 4]], xyz: &[[f64; 3]], weight: &[f64]) -> Result<Rational> {
        let identity = [[1.0, 0.0, 0.0, 0.0]];
        let quat = if quat.is_empty() { &identity[..] } else { quat };
        let zero = [[0.0; 3]];
        let xyz = if xyz.is_empty() { &zero[..] } else { xyz };
        let weight = if weight.is_empty() { &[1.0][..] } else { weight };
        let column = |what: &str, numbers: Vec<f64>| {
            for &value in &numbers {
                bounded(|| format!("rational motion {what}"), value)?;
            }
            // Trailing zeros would only raise the degree.
            let used = numbers.iter().rposition(|&c| c != 0.0).map_or(1, |last| last + 1);
            Bernstein::from_power_basis(&numbers[..used])
        };
        let q = |k: usize| column("quaternion", quat.iter().map(|row| row[k]).collect());
        let x = |k: usize| column("xyz", xyz.iter().map(|row| row[k]).collect());
        Rational::new([q(0)?, q(1)?, q(2)?, q(3)?], [x(0)?, x(1)?, x(2)?], column("weight", weight.to_vec())?)
    }

    /// Creates a joint motion: a rotation about an axis through `origin`, from one angle to the other, by less than a
    /// full turn. The quaternion is interpolated linearly, so the rate is not quite constant.
    ///
    /// ```
    /// use firsttouch::motion::{Rational, RigidMotion};
    /// use glam::DVec3;
    /// let joint = Rational::revolute(DVec3::X, DVec3::Z, 0.0, std::f64::consts::PI)?;
    /// assert!((joint.pose_at(1.0).apply(DVec3::ZERO) - DVec3::X * 2.0).length() < 1e-15);
    /// assert!(Rational::revolute(DVec3::X, DVec3::ZERO, 0.0, 1.0).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn revolute(origin: DVec3, axis: DVec3, from: f64, to: f64) -> Result<Rational> {
        bounded_vector(|| "joint origin".into(), origin)?;
        bounded_vector(|| "joint axis".into(), axis)?;
        bounded(|| "joint angle".into(), from)?;
        bounded(|| "joint angle".into(), to)?;
        let largest = axis.abs().max_element();
        if largest == 0.0 {
            return Err(Error::OutOfRange {
                what: "length of the joint axis".into(),
                expected: "positive",
                value: 0.0,
            });
        }
        // The half angle runs between minus and plus a right angle, so the chord between the ends stays away from
        // zero.
        if (to - from).abs() > 6.0 {
            return Err(Error::OutOfRange {
                what: "angle of a rational joint".into(),
                expected: "at most 6 radians",
                value: to - from,
            });
        }
        let axis = (axis / largest).normalize();
        let quat = [from, to].map(|angle| {
            let (sine, cosine) = sin_cos(0.5 * angle);
            DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
        });
        let turn = Rational::chord(quat, [DVec3::ZERO; 2]);
        let shift = |v: DVec3| Rational::chord([DQuat::IDENTITY; 2], [v; 2]);
        shift(origin).after(&turn)?.after(&shift(-origin))
    }

    /// Returns the composition with `inner`, the motion of a frame relative to this one. The degrees add up.
    ///
    /// ```
    /// use firsttouch::motion::{Pose, Rational, RigidMotion};
    /// use glam::DVec3;
    /// let up = Rational::between(Pose::IDENTITY, Pose::from_translation(DVec3::Z)?);
    /// assert_eq!(up.after(&up)?.pose_at(0.5).translation, DVec3::Z);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn after(&self, inner: &Rational) -> Result<Rational> {
        let quat = hamilton(&self.quat, &inner.quat);
        let is_zero = |p: &Bernstein| p.coefficients() == [0.0] && p.errors() == [0.0];
        let is_turn = inner.xyz.iter().all(is_zero);
        if is_turn && !self.is_norm {
            return Rational::new(quat, self.xyz.clone(), self.weight.clone());
        }
        // x1 / w1 + N x2 / (E w2), with the rotation matrix N / E of this motion. If w1 is E, or one, the common
        // denominator is E w2. Multiplied by the squared length of the inner quaternion, if that is constant, it is a
        // squared length again.
        let (n, e) = rotation_polynomials(&self.quat);
        let one = Bernstein::from_coefficients(&[1.0])?;
        let is_plain = is_one(&self.weight) || self.is_norm;
        let is_inner_constant = inner.quat.iter().all(|q| q.degree() == 0);
        let inner_norm = rotation_polynomials(&inner.quat).1;
        let extra = if is_inner_constant && is_one(&inner.weight) { &inner_norm } else { &one };
        let inner_weight = times(&inner.weight, extra);
        let first = times(if self.is_norm { &one } else { &e }, &inner_weight);
        let second = if is_plain { extra.clone() } else { times(extra, &self.weight) };
        let xyz = [0, 1, 2].map(|i| {
            let turned = (0..3).map(|j| times(&n[i][j], &inner.xyz[j])).reduce(|x, y| x.sum(&y));
            let turned = times(&turned.unwrap_or_else(|| inner.xyz[i].clone()), &second);
            turned.sum(&times(&self.xyz[i], &first))
        });
        let weight = times(&e, &inner_weight);
        let weight = if is_plain { weight } else { times(&weight, &self.weight) };
        let is_norm = is_plain && (inner.is_norm || (is_inner_constant && is_one(&inner.weight)));
        Ok(Rational { is_norm, ..Rational::new(quat, xyz, weight)? })
    }

    /// Returns the motion of the fixed frame relative to the moving one.
    ///
    /// ```
    /// use firsttouch::motion::{Pose, Rational, RigidMotion};
    /// use glam::DVec3;
    /// let up = Rational::between(Pose::IDENTITY, Pose::from_translation(DVec3::Z)?);
    /// assert_eq!(up.inverse()?.pose_at(1.0).translation, -DVec3::Z);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn inverse(&self) -> Result<Rational> {
        let [w, x, y, z] = &self.quat;
        let (n, e) = rotation_polynomials(&self.quat);
        let xyz = [0, 1, 2].map(|i| {
            let turned = (0..3).map(|j| times(&n[j][i], &self.xyz[j])).reduce(|x, y| x.sum(&y));
            turned.unwrap_or_else(|| self.xyz[i].clone()).negated()
        });
        Rational::new([w.clone(), x.negated(), y.negated(), z.negated()], xyz, times(&e, &self.weight))
    }

    /// Returns the quaternion polynomials, w, x, y, z.
    #[doc(hidden)]
    pub fn quaternion(&self) -> &[Bernstein; 4] {
        &self.quat
    }

    /// Returns the numerators of the translation.
    #[doc(hidden)]
    pub fn xyz(&self) -> &[Bernstein; 3] {
        &self.xyz
    }

    /// Returns the denominator of the translation, positive on `[0, 1]`.
    #[doc(hidden)]
    pub fn weight(&self) -> &Bernstein {
        &self.weight
    }

    /// Creates the motion from polynomials; refuses denominators with roots.
    #[doc(hidden)]
    pub fn new(quat: [Bernstein; 4], xyz: [Bernstein; 3], weight: Bernstein) -> Result<Rational> {
        let is_negative = weight.coefficients()[0] < 0.0;
        let (xyz, weight) =
            if is_negative { (xyz.map(|x| x.negated()), weight.negated()) } else { (xyz, weight) };
        let mut pieces = SmallVec::new();
        for k in 0..PIECES {
            let at = |k: usize| k as f64 / PIECES as f64;
            bound_piece(&quat, &xyz, &weight, at(k), at(k + 1), DEPTH, &mut pieces)?;
        }
        Ok(Rational::with_pieces(quat, xyz, weight, pieces))
    }

    /// Creates a motion that is linear in both parts, with the bounds in closed form: `q'' = r'' = 0` and
    /// `q' = q1 − q0`. The length of the quaternion is smallest where the chord is closest to the origin.
    fn chord(quat: [DQuat; 2], origins: [DVec3; 2]) -> Rational {
        let line = |a: f64, b: f64| {
            let both = [a, b];
            let used = if a == b { &both[..1] } else { &both[..] };
            Bernstein::from_coefficients(used).expect("poses and unit quaternions are finite")
        };
        let [q0, q1] = quat;
        let [p0, p1] = origins;
        let step = q1 - q0;
        let rate = step.length() * UP;
        // At the closest point, |q0|² − (q0 · step)² / |step|²; far from zero for rotations by less than a full turn.
        let along = lower_min(q0.dot(step), 0.0);
        let part = along / step.length();
        let least = if rate == 0.0 { 1.0 } else { lower_or_zero(1.0 - part * part).sqrt() };
        let least = least * (1.0 - 1e-9);
        let turning = 2.0 * rate / least * UP;
        let piece = Piece {
            start: 0.0,
            end: 1.0,
            origin: [upper_max(p0.length(), p1.length()) * UP, (p1 - p0).length() * UP, 0.0],
            turning: [turning, 0.5 * turning * turning * UP],
            least: [least, 1.0],
            rates: [rate, 0.0],
        };
        Rational::with_pieces(
            [line(q0.w, q1.w), line(q0.x, q1.x), line(q0.y, q1.y), line(q0.z, q1.z)],
            [line(p0.x, p1.x), line(p0.y, p1.y), line(p0.z, p1.z)],
            line(1.0, 1.0),
            smallvec::smallvec![piece],
        )
    }

    fn with_pieces(
        quat: [Bernstein; 4],
        xyz: [Bernstein; 3],
        weight: Bernstein,
        pieces: SmallVec<[Piece; 1]>,
    ) -> Rational {
        let largest = |pick: fn(&Piece) -> f64| largest_upper(pieces.iter().map(pick));
        let least = |k: usize| smallest_lower(pieces.iter().map(|p| p.least[k]));
        let (least_q, least_w) = (least(0), least(1));
        let total = |p: &[Bernstein]| {
            p.iter().map(evaluation_errors).fold([0.0, 0.0], |sum, e| [sum[0] + e[0], sum[1] + e[1]])
        };
        let ([eq, eq1], [ex, ex1]) = (total(&quat), total(&xyz));
        let [ew, ew1] = evaluation_errors(&weight);
        let (r, speed) = (largest(|p| p.origin[0]), largest(|p| p.origin[1]));
        let (turning, w1) = (largest(|p| p.turning[0]), largest(|p| p.rates[1]));
        // A quotient is off by the error of its numerator plus the error of its denominator times itself, over the
        // denominator.
        let translation = (1.1 * (ex + r * ew) / least_w + 4.0 * UNIT * r) * UP;
        let rotation = (2.2 * eq / least_q + START_ERROR) * UP;
        let origin = (1.1 * (ex1 + r * ew1 + translation * w1 + speed * ew) / least_w
            + 8.0 * UNIT * (speed + r * w1 / least_w))
            * UP;
        // ω = 2 Im(q' q*) / |q|² changes by 2 |δq'| / |q|, by |ω| |δq| / |q| through the factor q* and by twice that
        // through |q|². The rest is a few roundings.
        let angular = (1.1 * (2.0 * eq1 + 3.0 * turning * eq) / least_q + 32.0 * UNIT * turning) * UP;
        Rational {
            quat,
            xyz,
            weight,
            is_norm: false,
            pieces,
            pose_error: PoseError {
                rotation: upper_or_zero(rotation),
                translation: upper_or_zero(translation),
            },
            velocity_error: [upper_or_zero(origin), upper_or_zero(angular)],
        }
    }

    /// Returns the largest value of a bound over the pieces that overlap the window.
    fn largest(&self, window: Window, pick: impl Fn(&Piece) -> f64) -> f64 {
        let meets = |p: &&Piece| p.end >= window.t0() && p.start <= window.t1();
        largest_upper(self.pieces.iter().filter(meets).map(pick))
    }
}

impl RigidMotion for Rational {
    fn pose_at(&self, t: f64) -> PoseAt {
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| value_and_slope(&self.quat[k], t).0);
        let q = DQuat::from_xyzw(x, y, z, w).normalize();
        let origin = DVec3::from_array([0, 1, 2].map(|k| value_and_slope(&self.xyz[k], t).0));
        let weight = value_and_slope(&self.weight, t).0;
        PoseAt { rotation: DMat3::from_quat(q), translation: origin / weight }
    }

    fn pose_error(&self) -> PoseError {
        self.pose_error
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let q = [0, 1, 2, 3].map(|k| value_and_slope(&self.quat[k], t));
        let quat =
            |pick: fn((f64, f64)) -> f64| DQuat::from_xyzw(pick(q[1]), pick(q[2]), pick(q[3]), pick(q[0]));
        let (value, slope) = (quat(|p| p.0), quat(|p| p.1));
        let turned = mul(slope, value.conjugate());
        let x = [0, 1, 2].map(|k| value_and_slope(&self.xyz[k], t));
        let (w, w1) = value_and_slope(&self.weight, t);
        let origin = DVec3::new(x[0].0, x[1].0, x[2].0) / w;
        Velocity {
            origin: (DVec3::new(x[0].1, x[1].1, x[2].1) - origin * w1) / w,
            angular: turned * (2.0 / value.length_squared()),
        }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let half = window.half_width();
        let stray = |acceleration: f64, k: usize| (swept(acceleration, half) + self.velocity_error[k]) * UP;
        VelocityBounds {
            center: self.velocity_at(window.mid()),
            origin_radius: stray(self.largest(window, |p| p.origin[2]), 0),
            angular_radius: stray(self.largest(window, |p| p.turning[1]), 1),
        }
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        let lever = |p: &Piece| p.turning[1] + p.turning[0] * p.turning[0];
        self.largest(window, |p| p.origin[2] + swept(lever(p), reach)) * UP
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let (mid, half) = (window.mid(), window.half_width());
        let (pose, velocity) = (self.pose_at(mid), self.velocity_at(mid));
        let [origin_error, angular_error] = self.velocity_error;
        let near = |x: f64, error: f64| Interval::point(x) + Interval::symmetric(error);
        // value + slope (t − mid), and half the second derivative times the square of the time from the middle.
        let line = |value: Interval, slope: Interval, acceleration: f64| {
            TaylorModel::affine(value - slope * mid, slope, &window)
                + TaylorModel::constant(Interval::symmetric(0.5 * swept(acceleration, half * half) * UP))
        };
        let turning = self.largest(window, |p| p.turning[0]);
        let acceleration = self.largest(window, |p| p.turning[1] + p.turning[0] * p.turning[0]);
        let slope_error = (angular_error + (turning + angular_error) * self.pose_error.rotation) * UP
            + 16.0 * UNIT * turning;
        let column = |k: usize| velocity.angular.cross(pose.rotation.col(k));
        let columns = [column(0), column(1), column(2)];
        let values = around(&pose.rotation, 0.0);
        let rotation = EnclosureMat3([0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let value = values.0[i][j].range() + Interval::symmetric(self.pose_error.rotation);
                line(value, near(columns[j][i], slope_error), acceleration)
            })
        }));
        let curve = self.largest(window, |p| p.origin[2]);
        let translation = EnclosureVec3([0, 1, 2].map(|k| {
            line(
                near(pose.translation[k], self.pose_error.translation),
                near(velocity.origin[k], origin_error),
                curve,
            )
        }));
        TaylorTransform { rotation, translation }
    }
}

/// Returns the vector part of a product of quaternions that need not have unit length.
fn mul(a: DQuat, b: DQuat) -> DVec3 {
    let (u, v) = (DVec3::new(a.x, a.y, a.z), DVec3::new(b.x, b.y, b.z));
    a.w * v + b.w * u + u.cross(v)
}

/// Evaluates value and slope by de Casteljau's algorithm, in plain f64.
#[inline]
fn value_and_slope(p: &Bernstein, t: f64) -> (f64, f64) {
    match p.coefficients() {
        [c] => (*c, 0.0),
        [a, b] => ((1.0 - t) * a + t * b, b - a),
        coefficients => {
            let degree = coefficients.len() - 1;
            let mut c: SmallVec<[f64; 16]> = SmallVec::from_slice(coefficients);
            for level in 1..degree {
                for i in 0..=degree - level {
                    c[i] = (1.0 - t) * c[i] + t * c[i + 1];
                }
            }
            ((1.0 - t) * c[0] + t * c[1], degree as f64 * (c[1] - c[0]))
        }
    }
}

/// Returns bounds of the errors of [`value_and_slope`]; see the header.
fn evaluation_errors(p: &Bernstein) -> [f64; 2] {
    let largest = largest_upper(p.coefficients().iter().map(|c| c.abs()));
    let error = largest_upper(p.errors().iter().copied());
    let degree = p.degree() as f64;
    let gamma = 1.1 * UNIT * (3.0 * degree + 2.0);
    [(error + gamma * largest) * UP, 2.0 * degree * (error + 2.0 * gamma * largest) * UP]
}

/// Returns `a b` for quaternion polynomials, w first.
fn hamilton(a: &[Bernstein; 4], b: &[Bernstein; 4]) -> [Bernstein; 4] {
    let sum = |terms: [(usize, usize, bool); 4]| {
        let mut total = times(&a[terms[0].0], &b[terms[0].1]);
        for (i, j, is_minus) in &terms[1..] {
            let product = times(&a[*i], &b[*j]);
            total = if *is_minus { total.difference(&product) } else { total.sum(&product) };
        }
        total
    };
    [
        sum([(0, 0, false), (1, 1, true), (2, 2, true), (3, 3, true)]),
        sum([(0, 1, false), (1, 0, false), (2, 3, false), (3, 2, true)]),
        sum([(0, 2, false), (2, 0, false), (3, 1, false), (1, 3, true)]),
        sum([(0, 3, false), (3, 0, false), (1, 2, false), (2, 1, true)]),
    ]
}

/// Returns the rotation matrix of a quaternion polynomial times its squared length, by rows, and that squared length.
fn rotation_polynomials(q: &[Bernstein; 4]) -> ([[Bernstein; 3]; 3], Bernstein) {
    let product = |i: usize, j: usize| times(&q[i], &q[j]);
    let squares = [0, 1, 2, 3].map(|k| product(k, k));
    let entry = |i: usize, j: usize| {
        if i == j {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            squares[0].sum(&squares[i + 1]).difference(&squares[k + 1]).difference(&squares[l + 1])
        } else {
            let k = 3 - i - j;
            let twist = product(0, k + 1);
            let is_next = (i + 1) % 3 == j;
            let twist = if is_next { twist.negated() } else { twist };
            {
                let half = product(i + 1, j + 1).sum(&twist);
                half.sum(&half)
            }
        }
    };
    let matrix = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    (matrix, squares[0].sum(&squares[1]).sum(&squares[2]).sum(&squares[3]))
}

fn is_one(p: &Bernstein) -> bool {
    p.coefficients() == [1.0] && p.errors() == [0.0]
}

/// Returns the product. If one factor is zero or one, it is exact and the degree does not grow.
fn times(a: &Bernstein, b: &Bernstein) -> Bernstein {
    let is_zero = |p: &Bernstein| p.coefficients() == [0.0] && p.errors() == [0.0];
    if is_one(a) || is_zero(b) {
        b.clone()
    } else if is_one(b) || is_zero(a) {
        a.clone()
    } else {
        a.product(b)
    }
}

/// Computes bounds over `[start, end]`, which is halved while a denominator may vanish in it.
fn bound_piece(
    quat: &[Bernstein; 4],
    xyz: &[Bernstein; 3],
    weight: &Bernstein,
    start: f64,
    end: f64,
    depth: u32,
    pieces: &mut SmallVec<[Piece; 1]>,
) -> Result<()> {
    let width = end - start;
    // Value, first and second time derivative, as ranges. The width is a power of two.
    let ranges = |p: &Bernstein| {
        let p = p.restrict(start, end);
        let (p1, range) = (p.derivative(), |p: &Bernstein| {
            let (low, high) = p.range();
            Interval::new(low, high).unwrap_or(Interval::ENTIRE)
        });
        [range(&p), range(&p1) / width, range(&p1.derivative()) / (width * width)]
    };
    let q = [0, 1, 2, 3].map(|k| ranges(&quat[k]));
    let x = [0, 1, 2].map(|k| ranges(&xyz[k]));
    let w = ranges(weight);
    let restricted = [0, 1, 2, 3].map(|k| quat[k].restrict(start, end));
    let squares = restricted.iter().map(|p| p.product(p)).reduce(|a, b| a.sum(&b));
    let (least_square, _) = squares.map_or((0.0, 0.0), |p| p.range());
    let least = [lower_or_zero(least_square).sqrt() * (1.0 - 4.0 * UNIT), w[0].lo()];
    let is_bounded = least[0] >= SMALLEST && least[1] >= SMALLEST;
    // Bounds are loose if a denominator is positive by only a small fraction of its size.
    let is_loose = least[1] < 0.25 * w[0].hi() || least[0] < 0.25 * length(&q.map(|q| q[0]));
    if !is_bounded || (is_loose && depth > DEPTH - 3) {
        if depth == 0 {
            let (what, value) = if least[1] >= SMALLEST {
                ("length of the quaternion", least[0])
            } else {
                ("weight", lower_or_zero(least[1]))
            };
            return Err(Error::OutOfRange {
                what: format!("{what} of a rational motion near t = {start}"),
                expected: "different from zero, and at least 1e-100, on all of [0, 1]",
                value,
            });
        }
        let middle = 0.5 * (start + end);
        bound_piece(quat, xyz, weight, start, middle, depth - 1, pieces)?;
        return bound_piece(quat, xyz, weight, middle, end, depth - 1, pieces);
    }
    let r = x.map(|x| {
        let r = x[0] / w[0];
        let r1 = (x[1] - r * w[1]) / w[0];
        [r, r1, (x[2] - 2.0 * (r1 * w[1]) - r * w[2]) / w[0]]
    });
    let origin = [0, 1, 2].map(|k| length(&r.map(|r| r[k])));
    if upper_or_zero(origin[0]) > FARTHEST {
        return Err(Error::OutOfRange {
            what: format!("position of a rational motion near t = {start}"),
            expected: "at most 1e200 in size",
            value: origin[0],
        });
    }
    let rates = [length(&q.map(|q| q[1])), w[1].mag()];
    let turning = 2.0 * rates[0] / least[0] * UP;
    let change = upper_or_zero((2.0 * length(&q.map(|q| q[2])) / least[0] + 0.5 * turning * turning) * UP);
    pieces.push(Piece { start, end, origin, turning: [turning, change], least, rates });
    Ok(())
}

/// Returns an upper bound of the length of a vector of intervals, whose squares may overflow and underflow.
fn length(v: &[Interval]) -> f64 {
    let largest = largest_upper(v.iter().map(|x| x.mag()));
    if largest == 0.0 || largest == f64::INFINITY {
        return largest;
    }
    v.iter().map(|x| x.mag() / largest).map(|part| part * part).sum::<f64>().sqrt() * largest * UP
}
