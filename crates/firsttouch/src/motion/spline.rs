//! `spline`: one smooth motion through all poses, each at its time.
//!
//! **Problem.** Go through poses `(R_k, p_k)` at times `t_k` without a kink, with bounds that hold over any window.
//!
//! **Formula.** With `w = t_{k+1} − t_k` and `s = (t − t_k) / w`, between two poses:
//! - *Position*: the cubic with the values `p_k`, `p_{k+1}` and the velocities `v_k`, `v_{k+1}` at the ends (Hermite).
//!   The velocities make the acceleration continuous, and zero at the first and the last pose: the natural cubic
//!   spline, C2.
//! - *Orientation*: `R(t) = exp(θ(s)) R_k`, where `θ` is the cubic of rotation vectors with `θ(0) = 0`,
//!   `θ(1) = Δ = log(R_{k+1} R_kᵀ)`, the shorter way, and derivatives such that the angular velocity is `ω_k` at `t_k`
//!   and `ω_{k+1}` at `t_{k+1}`. With the Jacobian `J(θ) = ∫_0^1 exp(uθ) du` of the exponential the angular velocity is
//!   `J(θ) θ' / w`, so `θ'(0) = w ω_k` and `θ'(1) = w J(Δ)⁻¹ ω_{k+1}`. The `ω_k` make the angular acceleration
//!   continuous, and zero at the ends: C2 as well. Newton's method finds them. Poses that differ wildly at uneven times
//!   may have no such `ω_k`, or only rates of more than 7 times the largest mean rate. Then each `ω_k` is the mean rate
//!   across the two segments that meet, and the motion is C1.
//!
//! Velocities are at most 3 times the largest mean velocity between two poses, and angular velocities at the poses at
//! most 7 times the largest mean rate. Through equal steps along a line, or about one axis, both are the motion at
//! constant speed. Positions read backwards are the positions of the reversed list. The same holds for orientations if
//! all rotations are about one axis. In general it does not, because `θ` starts from the earlier pose.
//!
//! **Bounds.** `J` is a mean of rotations, so `|J| <= 1` and `|ω| <= |θ'|`. Its derivative in time is
//! `∫ (d/dt) exp(uθ) du`, and `exp(uθ)` turns at a rate of at most `u |θ'|`, so `|J'| <= |θ'| / 2` and
//! **`|ω'| <= |θ''| + |θ'|² / 2`**. About nearly one axis, with `c = |θ × θ'|`, it is less: that rate is
//! `a(u) = ∫_0^u exp(vθ) θ' dv`, and `|exp(vθ) θ' − θ'| <= v c`, so `J' θ' = ∫ a(u) × exp(uθ) θ' du`, where
//! `θ' × θ' = 0`, is at most `∫ (u² + u²/2) c |θ'| + u³ c² / 2 du`, and **`|ω'| <= |θ''| + c |θ'| / 2 + c² / 8`**. The
//! second derivatives of cubics are linear in `s`: their length is largest at an end of the window. A point at the
//! distance `r` from the origin has `|x''| <= |p''| + (|ω'| + |ω|²) r`. Over a window of half width `h` a velocity
//! stays within `h` times the bound of its derivative of its value in the middle.
//!
//! **Guarantee.** The exact motion is given by the poses and by the `v_k` and `ω_k` as stored, so it passes through all
//! poses and is C1 exactly. It is C2 up to the rounding of the `v_k` and `ω_k`. Errors, with
//! `S = |Δ| + |θ'(0)| + |θ'(1)|` (and the same for positions):
//! - `Δ` is off by `δ`, the error of [`SteadyRotation`]. `|J⁻¹| <= π/2` up to half a turn, and `dJ⁻¹ = −J⁻¹ dJ J⁻¹`, so
//!   that `J⁻¹` is off by at most `(π/2)² δ / 2 < 2δ`, and by `64u` for its formula. Let `e` be the sum
//!   `δ + 4u |θ'(0)| + (2δ + 80u) w |ω_{k+1}| + 64u S`.
//! - The cubic and its derivatives have bases of at most 1, 1.5 and 6: `θ` is off by at most `e`, `θ'` by `2e`, `θ''`
//!   by `6e`. So the rotation is off by `e` and `256u`: a quaternion from a proven sine and cosine (`8u`, and `24u` for
//!   its length), its matrix (`36u`), the product with `R_k` (`36u` and `21u`). The angular velocity is off by
//!   `e |θ'| / 2 + 2e` and `64u |θ'|`.
//! - Positions and velocities take three products and sums of at most `7S`: they are off by `64u S` and `128u S`, and
//!   `4u |p|`.
//!
//! References: M.-J. Kim, M.-S. Kim, S. Y. Shin, "A general construction scheme for unit quaternion curves with simple
//! high order derivatives", SIGGRAPH 1995; F. Park, B. Ravani, "Smooth invariant interpolation of rotations", ACM TOG
//! 16(3) (1997).

use glam::{DMat3, DQuat, DVec3};

use super::piecewise::{Piecewise, in_half, unit_knots};
use super::{Pose, PoseAt, PoseError, RigidMotion, SteadyRotation, Velocity, VelocityBounds};
use crate::error::{Error, Result, finite};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{TaylorTransform, Window, sin_cos};

/// A smooth motion through poses: the natural cubic spline of the positions, and a spline of rotation vectors of the
/// orientations.
///
/// ```
/// use firsttouch::motion::{Pose, RigidMotion, Spline};
/// use glam::DVec3;
/// let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0));
/// // Through equal steps it is straight, at constant speed.
/// let line = Spline::new(&[(0.0, at(0.0, 0.0)?), (1.0, at(1.0, 0.0)?), (2.0, at(2.0, 0.0)?)])?;
/// assert!((line.pose_at(0.375).translation - 0.75 * DVec3::X).length() < 1e-15);
/// // Up and down: y = 1 in the middle, and 11/16 at a quarter, as the natural spline through 0, 1, 0 has it.
/// let hill = Spline::new(&[(0.0, at(0.0, 0.0)?), (2.0, at(1.0, 1.0)?), (4.0, at(2.0, 0.0)?)])?;
/// assert!((hill.pose_at(0.25).translation.y - 11.0 / 16.0).abs() < 1e-15);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spline {
    segments: Piecewise<Segment>,
    ends: [Pose; 2],
    velocities: Vec<Velocity>,
}

impl Spline {
    /// Creates the motion through all poses at their times, the first of which becomes time 0 and the last time 1.
    /// Between two poses it turns the shorter way. Returns an error for fewer than two poses, for times that do not
    /// increase, and for times so close together that a velocity overflows.
    pub fn new(keyframes: &[(f64, Pose)]) -> Result<Spline> {
        let [(_, first), .., (_, last)] = keyframes else {
            return Err(Error::Empty { what: "the list of poses of a spline, which needs two,".into() });
        };
        let knots = unit_knots(&keyframes.iter().map(|(time, _)| *time).collect::<Vec<_>>())?;
        let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let points: Vec<DVec3> = keyframes.iter().map(|(_, pose)| pose.translation()).collect();
        let velocities = natural_velocities(&points, &widths);
        let steps: Vec<SteadyRotation> = keyframes
            .windows(2)
            .map(|pair| SteadyRotation::between(pair[0].1.rotation(), pair[1].1.rotation()))
            .collect();
        let turning = turning_rates(&steps, &widths);
        let segments: Vec<Segment> = (0..steps.len())
            .map(|k| {
                let [velocity, rate] = [&velocities, &turning].map(|rates| [rates[k], rates[k + 1]]);
                Segment::new([points[k], points[k + 1]], velocity, &steps[k], rate, widths[k])
            })
            .collect();
        for (k, (velocity, rate)) in velocities.iter().zip(&turning).enumerate() {
            finite(|| format!("the velocity at pose {k} of a spline"), velocity.length())?;
            finite(|| format!("the turning rate at pose {k} of a spline"), rate.length())?;
        }
        let velocities = velocities.iter().zip(&turning);
        let velocities = velocities.map(|(&origin, &angular)| Velocity { origin, angular }).collect();
        Ok(Spline { segments: Piecewise::new(knots, segments, true), ends: [*first, *last], velocities })
    }

    /// Returns the first pose.
    pub fn start(&self) -> Pose {
        self.ends[0]
    }

    /// Returns the last pose.
    pub fn end(&self) -> Pose {
        self.ends[1]
    }

    /// Returns the velocity at each of the poses, per unit of the time from 0 to 1. Together with the poses they
    /// determine the motion exactly.
    ///
    /// ```
    /// use firsttouch::motion::{Pose, Spline};
    /// use glam::DVec3;
    /// let line = Spline::new(&[(0.0, Pose::IDENTITY), (5.0, Pose::from_translation(DVec3::X * 3.0)?)])?;
    /// assert_eq!(line.velocities()[0].origin, DVec3::X * 3.0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn velocities(&self) -> &[Velocity] {
        &self.velocities
    }

    /// Returns the times of the poses, from 0 to 1.
    pub fn times(&self) -> &[f64] {
        self.segments.knots()
    }
}

impl RigidMotion for Spline {
    fn pose_at(&self, t: f64) -> PoseAt {
        self.segments.pose_at(t)
    }
    fn pose_error(&self) -> PoseError {
        self.segments.pose_error()
    }
    fn velocity_at(&self, t: f64) -> Velocity {
        self.segments.velocity_at(t)
    }
    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        self.segments.velocity_bounds(window)
    }
    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        self.segments.speed_along(n, reach, window)
    }
    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        self.segments.acceleration(reach, window)
    }
    fn enclosure(&self, window: Window) -> TaylorTransform {
        self.segments.enclosure(window)
    }
}

/// A cubic with values and derivatives given at both ends: `c_0 + c_1 s + c_2 s² + c_3 s³`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cubic {
    c: [DVec3; 4],
    /// `S` of the header.
    size: f64,
}

impl Cubic {
    fn hermite(start: DVec3, step: DVec3, slopes: [DVec3; 2]) -> Cubic {
        let [m0, m1] = slopes;
        let size = (step.length() + m0.length() + m1.length()) * (1.0 + 8.0 * UNIT);
        Cubic { c: [start, m0, 3.0 * step - 2.0 * m0 - m1, m0 + m1 - 2.0 * step], size }
    }

    fn at(&self, s: f64) -> DVec3 {
        self.c[0] + s * (self.c[1] + s * (self.c[2] + s * self.c[3]))
    }

    fn slope(&self, s: f64) -> DVec3 {
        self.c[1] + s * (2.0 * self.c[2] + (3.0 * s) * self.c[3])
    }

    fn acceleration(&self, s: f64) -> DVec3 {
        2.0 * self.c[2] + (6.0 * s) * self.c[3]
    }

    /// Returns the largest length of the second derivative over a window, as computed.
    fn largest_acceleration(&self, window: Window) -> f64 {
        upper_max(self.acceleration(window.t0()).length(), self.acceleration(window.t1()).length())
    }
}

/// The motion between two poses, in its own time from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Segment {
    start: DMat3,
    position: Cubic,
    turned: Cubic,
    /// `e` of the header.
    turned_error: f64,
    end_length: f64,
}

impl Segment {
    fn new(
        [p0, p1]: [DVec3; 2],
        velocities: [DVec3; 2],
        step: &SteadyRotation,
        turning: [DVec3; 2],
        width: f64,
    ) -> Segment {
        let position = Cubic::hermite(p0, p1 - p0, velocities.map(|v| v * width));
        let vector = step.angular_velocity();
        let [slope, rate] = turning.map(|rate| rate * width);
        let turned = Cubic::hermite(DVec3::ZERO, vector, [slope, inverse_jacobian(vector, rate)]);
        let delta = step.error();
        let turned_error = delta
            + 4.0 * UNIT * slope.length()
            + (2.0 * delta + 80.0 * UNIT) * rate.length()
            + 64.0 * UNIT * turned.size;
        Segment {
            start: step.start(),
            position,
            turned,
            turned_error: turned_error * (1.0 + 16.0 * UNIT),
            end_length: p0.length() + p1.length(),
        }
    }

    /// Returns upper bounds of `|p''|`, `|θ'|` and `|ω'|` over a window.
    fn bounds(&self, window: Window) -> [f64; 3] {
        let up = 1.0 + 16.0 * UNIT;
        let acceleration =
            (self.position.largest_acceleration(window) + 256.0 * UNIT * self.position.size) * up;
        let twist = (self.turned.largest_acceleration(window) + 6.0 * self.turned_error) * up;
        let slope = self.turned.slope(window.mid()).length() + in_half(twist, window);
        let slope = (slope + 2.0 * self.turned_error) * up;
        // `c` in the middle, plus its change from there: `(θ × θ')' = θ × θ''`.
        let (vector, rate) = (self.turned.at(window.mid()), self.turned.slope(window.mid()));
        let far = (vector.length() + in_half(slope, window) + self.turned_error) * up;
        let error = self.turned_error * (slope + 2.0 * far) + 8.0 * UNIT * far * slope;
        let tilt = (vector.cross(rate).length() + in_half(far * twist, window) + error) * up;
        let about_one_axis = (0.5 * slope + 0.125 * tilt) * tilt;
        let any = 0.5 * slope * slope;
        // Each bound holds alone; the second also if the first is NaN.
        let change = if about_one_axis < any { about_one_axis } else { any };
        [acceleration, slope, (twist + change) * up]
    }
}

impl RigidMotion for Segment {
    fn pose_at(&self, s: f64) -> PoseAt {
        let half = self.turned.at(s) * 0.5;
        let angle = half.length();
        let (sine, cosine) = sin_cos(angle);
        // sin(φ) / φ is 1 up to rounding below 1e-9.
        let axis = half * if angle < 1e-9 { 1.0 } else { sine / angle };
        let turn = DMat3::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, cosine));
        PoseAt { rotation: turn * self.start, translation: self.position.at(s) }
    }

    fn pose_error(&self) -> PoseError {
        PoseError {
            rotation: (self.turned_error + 256.0 * UNIT) * (1.0 + 4.0 * UNIT),
            translation: 64.0 * UNIT * self.position.size + 4.0 * UNIT * self.end_length,
        }
    }

    fn velocity_at(&self, s: f64) -> Velocity {
        let angular = jacobian(self.turned.at(s), self.turned.slope(s));
        Velocity { origin: self.position.slope(s), angular }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let [acceleration, slope, twist] = self.bounds(window);
        let (size, e) = (self.position.size, self.turned_error);
        VelocityBounds {
            center: self.velocity_at(window.mid()),
            origin_radius: (in_half(acceleration, window) + 128.0 * UNIT * size) * (1.0 + 8.0 * UNIT),
            angular_radius: (in_half(twist, window) + (0.5 * e + 64.0 * UNIT) * slope + 2.0 * e)
                * (1.0 + 16.0 * UNIT),
        }
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        let [acceleration, slope, twist] = self.bounds(window);
        (acceleration + (twist + slope * slope) * reach) * (1.0 + 16.0 * UNIT)
    }
}

/// The angle below which the coefficients are two terms of their series, whose remainder is below `1e-17` of them.
const SMALL: f64 = 1e-4;

/// Returns `J(θ) x = x + (1 − cos φ) / φ² θ × x + (φ − sin φ) / φ³ θ × (θ × x)`, where `φ = |θ|`. With
/// `1 − cos φ = 2 sin²(φ/2)` the first coefficient is accurate to `24u` of itself; the error of the second, `10u / φ²`,
/// is multiplied by `φ²`.
fn jacobian(vector: DVec3, x: DVec3) -> DVec3 {
    let angle = vector.length();
    let (a, b) = if angle < SMALL {
        (0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0)
    } else {
        let half = sin_cos(0.5 * angle).0 / angle;
        (2.0 * half * half, (angle - sin_cos(angle).0) / (angle * angle * angle))
    };
    let across = vector.cross(x);
    x + a * across + b * vector.cross(across)
}

/// Returns `J(θ)⁻¹ x = x − θ × x / 2 + (1 − (φ/2) cot(φ/2)) / φ² θ × (θ × x)`, for angles up to half a turn. The error
/// of the last coefficient, `32u / φ²`, is multiplied by `φ²`.
fn inverse_jacobian(vector: DVec3, x: DVec3) -> DVec3 {
    let angle = vector.length();
    let b = if angle < SMALL {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        let (sine, cosine) = sin_cos(0.5 * angle);
        (1.0 - 0.5 * angle * cosine / sine) / (angle * angle)
    };
    let across = vector.cross(x);
    x - 0.5 * across + b * vector.cross(across)
}

/// Returns the velocities of the natural cubic spline: those that solve
/// `v_{k-1} / w + 2 (1 / w + 1 / w') v_k + v_{k+1} / w' = 3 (D / w² + D' / w'²)` inside, for the steps `D` and `D'`
/// before and after, and `2 v_0 + v_1 = 3 D / w` at the start, and the mirror image of it at the end. Any values give a
/// valid motion; these make the acceleration continuous.
pub(super) fn natural_velocities(points: &[DVec3], widths: &[f64]) -> Vec<DVec3> {
    let slope = |k: usize| (points[k + 1] - points[k]) / widths[k];
    let last = widths.len();
    // Elimination from the first to the last: `v_k = right_k − ratio_k v_{k+1}`.
    let mut ratios = vec![0.5];
    let mut rates = vec![1.5 * slope(0)];
    for k in 1..=last {
        let before = 1.0 / widths[k - 1];
        let after = if k < last { 1.0 / widths[k] } else { 0.0 };
        let mut right = 3.0 * before * slope(k - 1);
        if k < last {
            right += 3.0 * after * slope(k);
        }
        let pivot = 2.0 * (before + after) - before * ratios[k - 1];
        ratios.push(after / pivot);
        let rate = (right - before * rates[k - 1]) / pivot;
        rates.push(rate);
    }
    for k in (0..last).rev() {
        let next = rates[k + 1];
        rates[k] -= ratios[k] * next;
    }
    rates
}

/// Returns the angular velocities at the poses: those of [`smooth_rates`], or the mean rates where these do not exist.
/// The mean rate at a pose is that across both segments that meet there. It turns by at most a whole turn in the time
/// of either segment, so no cubic swings far beyond its poses. Any values give a valid motion.
fn turning_rates(steps: &[SteadyRotation], widths: &[f64]) -> Vec<DVec3> {
    let vectors: Vec<DVec3> = steps.iter().map(SteadyRotation::angular_velocity).collect();
    smooth_rates(&vectors, widths).unwrap_or_else(|| mean_rates(&vectors, widths))
}

fn mean_rates(vectors: &[DVec3], widths: &[f64]) -> Vec<DVec3> {
    let last = widths.len();
    let mean = |k: usize| match k {
        0 => vectors[0] / widths[0],
        k if k == last => vectors[last - 1] / widths[last - 1],
        k => (vectors[k - 1] + vectors[k]) / (widths[k - 1] + widths[k]),
    };
    (0..=last).map(mean).collect()
}

/// The largest accepted rate of a smooth motion, in units of the largest mean rate. Without `c` no rate is larger: in
/// the equations of [`smooth_rates`] the diagonal is `4 (1/w + 1/w')`, the rest at most `2/w + π/w'`, and the right
/// side at most `6 (1/w + 1/w')` times the largest mean rate, which makes `6 / (4 − π) < 7`. Faster rates come from
/// `c`, and such motions swing by many turns between two poses.
const FASTEST: f64 = 7.0;

/// Returns angular velocities for which the angular acceleration is continuous; `None` if the search finds no rates of
/// at most [`FASTEST`] times the mean rates, as for poses that differ wildly at uneven times. `ω'` is `θ''/w²` at the
/// start of a segment and `(J θ'' + c) / w²` at its end, where `c` comes from the change of `J`. With Hermite's `θ''`,
/// the equations inside are `(2/w) J ω_{k-1} + 4 (1/w + 1/w') ω_k + (2/w') J'⁻¹ ω_{k+1} = 6 (Δ/w² + Δ'/w'²) − c/w²`. At
/// an end of the motion one of the two segments is missing. They are linear except for `c`, which is quadratic in
/// `ω_k`.
///
/// Newton's method starts from zero, and its first step solves the equations without `c`. A step is shortened until the
/// residual decreases. The last residual decides: unless it is only rounding of the terms of its equation, the rates
/// are not used.
fn smooth_rates(vectors: &[DVec3], widths: &[f64]) -> Option<Vec<DVec3>> {
    /// Near a solution each round doubles the number of digits.
    const ROUNDS: usize = 40;
    /// The shortest part of a step.
    const SHORTEST: f64 = 1e-6;
    let equations = Equations::new(vectors, widths);
    let fastest = FASTEST
        * vectors.iter().zip(widths).map(|(step, w)| step.length() / w).fold(0.0, upper_max)
        * (1.0 + 64.0 * UNIT);
    let mut rates = vec![DVec3::ZERO; widths.len() + 1];
    let mut left = equations.residuals(&rates);
    for _ in 0..ROUNDS {
        if equations.are_solved(&left) {
            break;
        }
        let step = equations.step(&rates, &left);
        let mut part = 1.0;
        let (closer, less) = loop {
            let moved: Vec<DVec3> = rates.iter().zip(&step).map(|(rate, by)| *rate + *by * part).collect();
            let residuals = equations.residuals(&moved);
            if length(&residuals) < length(&left) {
                break (moved, residuals);
            }
            part *= 0.5;
            if part < SHORTEST || part.is_nan() {
                break (Vec::new(), Vec::new());
            }
        };
        if closer.is_empty() {
            break;
        }
        (rates, left) = (closer, less);
    }
    // NaN is not a solution and not slow.
    let is_sane = |rate: &DVec3| rate.length() <= fastest;
    (equations.are_solved(&left) && rates.iter().all(is_sane)).then_some(rates)
}

/// Returns the square of the length of all residuals together.
fn length(residuals: &[(DVec3, f64)]) -> f64 {
    residuals.iter().map(|(residual, _)| residual.length_squared()).sum::<f64>()
}

/// The equations of [`smooth_rates`], each multiplied by the shorter width.
struct Equations<'a> {
    vectors: &'a [DVec3],
    widths: &'a [f64],
    /// `J` and `J⁻¹` of each step.
    jacobians: Vec<[DMat3; 2]>,
}

impl Equations<'_> {
    fn new<'a>(vectors: &'a [DVec3], widths: &'a [f64]) -> Equations<'a> {
        let columns =
            |of: &dyn Fn(DVec3) -> DVec3| DMat3::from_cols(of(DVec3::X), of(DVec3::Y), of(DVec3::Z));
        let jacobians = vectors
            .iter()
            .map(|&step| [columns(&|x| jacobian(step, x)), columns(&|x| inverse_jacobian(step, x))]);
        Equations { vectors, widths, jacobians: jacobians.collect() }
    }

    /// Returns the segments before and after a pose, each with the factor `λ/w`, where `λ` is the shorter width.
    fn around(&self, k: usize) -> [Option<(usize, f64)>; 2] {
        let before = k.checked_sub(1);
        let after = Some(k).filter(|&k| k < self.widths.len());
        let width = |segment: Option<usize>| segment.map_or(f64::INFINITY, |segment| self.widths[segment]);
        let shorter = width(before).min(width(after)); // not a bound: a scale
        [before, after].map(|segment| segment.map(|segment| (segment, shorter / self.widths[segment])))
    }

    /// Returns the residual of each equation, and the sum of the lengths of its terms.
    fn residuals(&self, rates: &[DVec3]) -> Vec<(DVec3, f64)> {
        let residual = |k: usize| {
            let [before, after] = self.around(k);
            let mut terms: Vec<DVec3> = Vec::with_capacity(7);
            if let Some((segment, part)) = before {
                let (step, w) = (self.vectors[segment], self.widths[segment]);
                let [jacobian, inverse] = self.jacobians[segment];
                terms.extend([
                    2.0 * part * (jacobian * rates[k - 1]),
                    4.0 * part * rates[k],
                    -6.0 * part * (step / w),
                    part * w * jacobian_rate(step, [inverse * rates[k]; 2]),
                ]);
            }
            if let Some((segment, part)) = after {
                let [_, inverse] = self.jacobians[segment];
                terms.extend([
                    2.0 * part * (inverse * rates[k + 1]),
                    4.0 * part * rates[k],
                    -6.0 * part * (self.vectors[segment] / self.widths[segment]),
                ]);
            }
            (terms.iter().sum(), terms.iter().map(|term| term.length()).sum())
        };
        (0..rates.len()).map(residual).collect()
    }

    /// Returns true if all residuals are rounding. `J` near half a turn multiplies it by a few times.
    fn are_solved(&self, residuals: &[(DVec3, f64)]) -> bool {
        residuals.iter().all(|(residual, terms)| residual.length() <= 64.0 * UNIT * terms)
    }

    /// Returns Newton's step, by elimination from the first pose to the last in blocks of three.
    fn step(&self, rates: &[DVec3], residuals: &[(DVec3, f64)]) -> Vec<DVec3> {
        let count = rates.len();
        let mut ratios: Vec<DMat3> = Vec::with_capacity(count);
        let mut steps: Vec<DVec3> = Vec::with_capacity(count);
        for k in 0..count {
            let [before, after] = self.around(k);
            let (mut diagonal, mut next) = (DMat3::ZERO, DMat3::ZERO);
            let mut right = -residuals[k].0;
            if let Some((segment, part)) = before {
                let (step, w) = (self.vectors[segment], self.widths[segment]);
                let [jacobian, inverse] = self.jacobians[segment];
                let own = inverse * rates[k];
                let change = |axis: DVec3| {
                    let by = inverse * axis;
                    part * w * (jacobian_rate(step, [own, by]) + jacobian_rate(step, [by, own]))
                };
                let [x, y, z] = DVec3::AXES.map(change);
                diagonal += DMat3::from_diagonal(DVec3::splat(4.0 * part)) + DMat3::from_cols(x, y, z);
                let previous = jacobian * (2.0 * part);
                diagonal -= previous * ratios[k - 1];
                right -= previous * steps[k - 1];
            }
            if let Some((segment, part)) = after {
                diagonal += DMat3::from_diagonal(DVec3::splat(4.0 * part));
                next = self.jacobians[segment][1] * (2.0 * part);
            }
            let inverse = diagonal.inverse();
            ratios.push(inverse * next);
            steps.push(inverse * right);
        }
        for k in (0..count - 1).rev() {
            let next = steps[k + 1];
            steps[k] -= ratios[k] * next;
        }
        steps
    }
}

/// Returns the bilinear form of `θ' = x` and `θ' = y` that is `(d/dt J(θ)) θ'` where both are the same, in plain f64:
/// it only steers. With the coefficients `a` and `b` of [`jacobian`], and `φ φ' = θ · x`, it is
/// `a' θ × y + b' θ × (θ × y) + b x × (θ × y)`, which vanishes for rotations about one axis.
fn jacobian_rate(vector: DVec3, [x, y]: [DVec3; 2]) -> DVec3 {
    let angle = vector.length();
    // The derivatives of `a` and `b` by the angle, over the angle; for small angles the first terms of their series.
    let (da, db, b) = if angle < 0.05 {
        (-1.0 / 12.0, -1.0 / 60.0, 1.0 / 6.0)
    } else {
        let (s, c) = sin_cos(angle);
        let square = angle * angle;
        (
            (angle * s - 2.0 * (1.0 - c)) / (square * square),
            (angle * (1.0 - c) - 3.0 * (angle - s)) / (square * square * angle),
            (angle - s) / (square * angle),
        )
    };
    let (along, across) = (vector.dot(x), vector.cross(y));
    along * (da * across + db * vector.cross(across)) + b * x.cross(across)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyframes(seed: u64, count: usize) -> Vec<(f64, Pose)> {
        let mut state = seed;
        let mut unit = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut time = 0.0;
        let mut orientation = DQuat::IDENTITY;
        (0..count)
            .map(|_| {
                time += 1.3 + unit();
                let turn = DVec3::new(unit(), unit(), unit()) * 1.5;
                orientation = DQuat::from_scaled_axis(turn) * orientation;
                let place = DVec3::new(unit(), unit(), unit()) * 3.0;
                (time, Pose::new(place, orientation).unwrap())
            })
            .collect()
    }

    /// Through the poses exactly, up to the error of the computed pose; velocity and acceleration are continuous at the
    /// knots. Times that decrease throughout were scaled to knots that increase, and the poses were passed in the order
    /// of the list.
    #[test]
    fn times_that_decrease_are_refused() {
        let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
        assert!(Spline::new(&[(0.0, at(0.0)), (1.0, at(1.0))]).is_ok());
        assert!(Spline::new(&[(1.0, at(0.0)), (0.0, at(1.0))]).is_err());
        assert!(Spline::new(&[(3.0, at(0.0)), (2.0, at(1.0)), (1.0, at(2.0))]).is_err());
    }

    #[test]
    fn it_goes_through_the_poses_smoothly() {
        for seed in 0..20 {
            let frames = keyframes(seed, 6);
            let spline = Spline::new(&frames).unwrap();
            let (error, knots) = (spline.pose_error(), spline.segments.knots());
            assert!(error.rotation < 1e-12 && error.translation < 1e-12, "{error:?}");
            for ((_, pose), &t) in frames.iter().zip(knots) {
                let (at, given) = (spline.pose_at(t), pose.at());
                assert!((at.translation - given.translation).length() <= error.translation);
                let off = (at.rotation - given.rotation).to_cols_array();
                assert!(off.iter().all(|x| x.abs() <= error.rotation + 1e-15), "{off:?}");
            }
            for &t in &knots[1..knots.len() - 1] {
                let h = 1e-6;
                let rates = |t: f64| {
                    let [a, b] = [t, t + h].map(|t| spline.velocity_at(t));
                    (a, (b.origin - a.origin) / h, (b.angular - a.angular) / h)
                };
                let (before, after) = (rates(t - 1.01 * h), rates(t + 0.01 * h));
                let size = before.0.origin.length() + before.0.angular.length() + 10.0;
                assert!((before.0.origin - after.0.origin).length() < 1e-3 * size);
                assert!((before.0.angular - after.0.angular).length() < 1e-3 * size);
                assert!((before.1 - after.1).length() < 1e-2 * (before.1.length() + size), "position");
                assert!((before.2 - after.2).length() < 1e-2 * (before.2.length() + size), "orientation");
            }
        }
    }

    /// Equal steps about one axis are a rotation at a constant rate.
    #[test]
    fn equal_turns_are_steady() {
        let step = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5));
        let frames: Vec<_> = (0..5)
            .map(|k| {
                (
                    f64::from(k),
                    Pose::new(DVec3::Y * f64::from(k), (0..k).fold(DQuat::IDENTITY, |q, _| step * q))
                        .unwrap(),
                )
            })
            .collect();
        let spline = Spline::new(&frames).unwrap();
        let expected = 4.0 * DVec3::new(0.3, -0.8, 0.5);
        for k in 0..=40 {
            let velocity = spline.velocity_at(f64::from(k) / 40.0);
            assert!((velocity.angular - expected).length() < 1e-13, "{velocity:?}");
            assert!((velocity.origin - 4.0 * DVec3::Y).length() < 1e-13, "{velocity:?}");
        }
    }

    /// Three ordinary poses at uneven times. A former method set each rate in turn to the solution of its own equation.
    /// It diverged to infinity, `inf <= inf` was taken for convergence, and the poses between were noise.
    #[test]
    fn three_poses_at_uneven_times() {
        let key = |t: f64, x: f64, q: [f64; 4]| {
            (t, Pose::new(DVec3::X * x, DQuat::from_array(q).normalize()).unwrap())
        };
        let keys = [
            key(0.0, 0.0, [0.35806302573512644, 0.1724165611424942, 0.11039708496096537, 0.9109752371372803]),
            key(
                0.10990722594955693,
                1.0,
                [-0.35935819319121054, 0.5359175592237858, -0.7369044934255053, 0.20155849342378943],
            ),
            key(
                1.1062727590062222,
                2.0,
                [-0.6668408824454616, 0.4577921713671976, 0.2584455998463563, 0.5281623209339357],
            ),
        ];
        let spline = Spline::new(&keys).unwrap();
        // The first segment turns by less than half a turn in a tenth of the time.
        let fastest = std::f64::consts::PI * 1.11 / 0.109;
        for velocity in spline.velocities() {
            assert!(velocity.angular.length() <= FASTEST * fastest, "{velocity:?}");
        }
        let axis = spline.pose_at(0.05).rotation.x_axis;
        assert!((axis.length() - 1.0).abs() < 1e-12, "{axis}");
        assert!(spline.pose_error().rotation < 1e-11);
    }

    /// Returns the angular acceleration at both ends of a segment, by its formula: `θ(1)` is the step, and `θ'(1)`
    /// follows from the rate there.
    fn angular_accelerations(segment: &Segment, width: f64, step: DVec3, rate: DVec3) -> [DVec3; 2] {
        let Cubic { c: [_, _, half, _], .. } = segment.turned;
        let slope = inverse_jacobian(step, rate * width);
        let after = jacobian(step, segment.turned.acceleration(1.0)) + jacobian_rate(step, [slope; 2]);
        [2.0 * half, after].map(|acceleration| acceleration / (width * width))
    }

    /// Returns the keyframes of an attack: times that differ by factors up to 1e9, turns up to half a turn, poses that
    /// are the same or nearly so.
    fn hostile_keys(state: &mut u64) -> Vec<(f64, Pose)> {
        let mut unit = move || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let count = 2 + (unit() * 19.0) as usize;
        let uneven = [0.0, 0.0, 1.0, 3.0, 9.0][(unit() * 5.0) as usize];
        let largest = [0.1, 1.0, 2.0, 3.0, std::f64::consts::PI][(unit() * 5.0) as usize];
        let one_axis = unit() < 0.1;
        let (mut time, mut rotation, mut place) = (10.0 * unit() - 5.0, DQuat::IDENTITY, DVec3::ZERO);
        (0..count)
            .map(|_| {
                time += (0.1 + unit()) * 10_f64.powf(-uneven * unit());
                let mut direction = DVec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5);
                if one_axis {
                    direction = DVec3::new(0.3, -0.8, 0.5);
                }
                let (turn, step) = match (unit() * 8.0) as usize {
                    0 => (0.0, 0.0),
                    1 => (1e-9, 1e-12),
                    2 => (largest, 1.0),
                    _ => (largest * unit(), unit()),
                };
                rotation = DQuat::from_scaled_axis(direction.normalize() * turn) * rotation;
                place += step * DVec3::new(unit() - 0.5, unit() - 0.5, unit() - 0.5);
                (time, Pose::new(place, rotation.normalize()).unwrap())
            })
            .collect()
    }

    /// Random splines: through all poses, C1, C2 where smooth rates exist, and never faster than the bounds of the
    /// header.
    #[test]
    fn no_spline_is_wild() {
        let (mut smooth, mut rough, mut refused, mut state) = (0, 0, 0, 7);
        for round in 0..20_000 {
            let keys = hostile_keys(&mut state);
            let Ok(spline) = Spline::new(&keys) else {
                refused += 1;
                continue;
            };
            let knots = spline.segments.knots().to_vec();
            let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let vectors: Vec<DVec3> = keys
                .windows(2)
                .map(|pair| {
                    SteadyRotation::between(pair[0].1.rotation(), pair[1].1.rotation()).angular_velocity()
                })
                .collect();
            let steps = keys.windows(2).map(|pair| pair[1].1.translation() - pair[0].1.translation());
            let largest = |steps: &mut dyn Iterator<Item = DVec3>| {
                steps.zip(&widths).map(|(step, w)| step.length() / w).fold(0.0, f64::max)
            };
            let (speed, rate) = (largest(&mut steps.into_iter()), largest(&mut vectors.iter().copied()));
            for Velocity { origin, angular } in spline.velocities() {
                assert!(origin.length() <= 3.0 * speed * (1.0 + 1e-12), "{round}: {origin}");
                assert!(angular.length() <= FASTEST * rate * (1.0 + 1e-12), "{round}: {angular}");
            }
            let rates = smooth_rates(&vectors, &widths);
            let is_smooth = rates.is_some();
            smooth += usize::from(is_smooth);
            rough += usize::from(!is_smooth);
            for (k, (_, pose)) in keys.iter().enumerate() {
                let given = pose.at();
                let velocity = spline.velocities()[k];
                // The segments that meet at the pose, each at its end.
                let before = k.checked_sub(1).map(|segment| (segment, 1.0));
                let after = (k < widths.len()).then_some((k, 0.0));
                for (segment, s) in before.into_iter().chain(after) {
                    let (own, w) = (&spline.segments.pieces()[segment], widths[segment]);
                    let (pose, error) = (own.pose_at(s), own.pose_error());
                    let off = (pose.translation - given.translation).length();
                    assert!(off <= error.translation, "{round}: {off:e} of {error:?}");
                    let off = (pose.rotation - given.rotation).to_cols_array();
                    assert!(off.iter().all(|x| x.abs() <= error.rotation + 1e-15), "{round}: {off:?}");
                    // The errors of the header.
                    let (size, e) = (own.position.size, own.turned_error);
                    let slope = own.turned.slope(s).length();
                    let now = own.velocity_at(s);
                    let slack = (128.0 * UNIT * size) / w + 1e-15 * velocity.origin.length();
                    assert!((now.origin / w - velocity.origin).length() <= slack, "{round}: {now:?}");
                    let slack = (e * slope / 2.0 + 2.0 * e + 64.0 * UNIT * slope) / w
                        + 1e-15 * velocity.angular.length();
                    assert!((now.angular / w - velocity.angular).length() <= slack, "{round}: {now:?}");
                }
                if let (true, Some((i, _)), Some((j, _))) = (is_smooth, before, after) {
                    let of = |segment: usize| {
                        let rate = spline.velocities()[segment + 1].angular;
                        let (width, step) = (widths[segment], vectors[segment]);
                        angular_accelerations(&spline.segments.pieces()[segment], width, step, rate)
                    };
                    let ([_, ends], [begins, _]) = (of(i), of(j));
                    let size = |segment: usize| {
                        let turned = spline.segments.pieces()[segment].turned.size;
                        (turned + turned * turned) / (widths[segment] * widths[segment])
                    };
                    let slack = 1e-11 * (size(i) + size(j));
                    assert!((ends - begins).length() <= slack, "{round}: {ends} and {begins}");
                }
            }
            // Read backwards, the positions are the same.
            let reversed: Vec<(f64, Pose)> = keys.iter().rev().map(|&(t, pose)| (-t, pose)).collect();
            let backwards = Spline::new(&reversed).unwrap();
            let t = 0.37;
            let off = spline.pose_at(t).translation - backwards.pose_at(1.0 - t).translation;
            // Times are rounded differently, which makes a difference if they are close together.
            let shortest = widths.iter().copied().fold(1.0, f64::min);
            assert!(off.length() <= 1e-13 / shortest * (1.0 + speed), "{round}: {off}");
        }
        println!("{smooth} smooth, {rough} with mean rates, {refused} refused");
        assert!(smooth > 10_000 && rough > 100 && refused == 0, "{smooth}, {rough}, {refused}");
    }
}
