//! `spline`: one smooth motion through all poses, each at its time.
//!
//! **Problem.** Go through poses `(R_k, p_k)` at times `t_k` without a kink, with bounds that hold over any window.
//!
//! **Formula.** With `w = t_{k+1} − t_k` and `s = (t − t_k) / w`, between two poses:
//! - *Position*: the cubic with the values `p_k`, `p_{k+1}` and the velocities `v_k`, `v_{k+1}` at the ends (Hermite). The
//!   velocities make the acceleration continuous, and zero at the first and the last pose: the natural cubic spline, C2.
//! - *Orientation*: `R(t) = exp(θ(s)) R_k`, where `θ` is the cubic of rotation vectors with `θ(0) = 0`, `θ(1) = Δ = log(R_{k+1} R_kᵀ)`, the
//!   shorter way, and derivatives such that the angular velocity is `ω_k` at `t_k` and `ω_{k+1}` at `t_{k+1}`. With the Jacobian
//!   `J(θ) = ∫_0^1 exp(uθ) du` of the exponential the angular velocity is `J(θ) θ' / w`, so `θ'(0) = w ω_k` and
//!   `θ'(1) = w J(Δ)⁻¹ ω_{k+1}`. The `ω_k` make the angular acceleration continuous, and zero at the ends: C2 as well. They are found by
//!   relaxation; where that does not converge, for poses that differ wildly, the motion is still C1.
//!
//! Through equal steps along a line, or about one axis, both are the motion at constant speed.
//!
//! **Bounds.** `J` is a mean of rotations, so `|J| <= 1` and `|ω| <= |θ'|`. Its derivative in time is `∫ (d/dt) exp(uθ) du`, and `exp(uθ)`
//! turns at a rate of at most `u |θ'|`, so `|J'| <= |θ'| / 2` and **`|ω'| <= |θ''| + |θ'|² / 2`**. About nearly one axis, with `c = |θ × θ'|`, it is
//! less: that rate is `a(u) = ∫_0^u exp(vθ) θ' dv`, and `|exp(vθ) θ' − θ'| <= v c`, so `J' θ' = ∫ a(u) × exp(uθ) θ' du`, where `θ' × θ' = 0`, is at
//! most `∫ (u² + u²/2) c |θ'| + u³ c² / 2 du`, and **`|ω'| <= |θ''| + c |θ'| / 2 + c² / 8`**. The second derivatives of cubics are linear
//! in `s`: their length is largest at an end of the window. A point at the distance `r` from the origin has
//! `|x''| <= |p''| + (|ω'| + |ω|²) r`. Over a window of half width `h` a velocity stays within `h` times the bound of its derivative of
//! its value in the middle.
//!
//! **Guarantee.** The exact motion is given by the poses and by the `v_k` and `ω_k` as stored, so it goes through all poses and is C1
//! exactly, and C2 up to the rounding of those. Errors, with `S = |Δ| + |θ'(0)| + |θ'(1)|` (and the same for positions):
//! - `Δ` is off by `δ`, the error of [`SteadyRotation`]. `|J⁻¹| <= π/2` up to half a turn, and `dJ⁻¹ = −J⁻¹ dJ J⁻¹`, so that `J⁻¹` is off by
//!   at most `(π/2)² δ / 2 < 2δ`, and by `64u` for its formula. Let `e` be the sum `δ + 4u |θ'(0)| + (2δ + 80u) w |ω_{k+1}| + 64u S`.
//! - The cubic and its derivatives have bases of at most 1, 1.5 and 6: `θ` is off by at most `e`, `θ'` by `2e`, `θ''` by `6e`. So the rotation is
//!   off by `e` and `256u`: a quaternion from a proven sine and cosine (`8u`, and `24u` for its length), its matrix (`36u`), the
//!   product with `R_k` (`36u` and `21u`). The angular velocity is off by `e |θ'| / 2 + 2e` and `64u |θ'|`.
//! - Positions and velocities by three products and sums of at most `7S`, `64u S` and `128u S`, and `4u |p|`.
//!
//! References: M.-J. Kim, M.-S. Kim, S. Y. Shin, "A general construction scheme for unit quaternion curves with simple high order
//! derivatives", SIGGRAPH 1995; F. Park, B. Ravani, "Smooth invariant interpolation of rotations", ACM TOG 16(3) (1997).

use glam::{DMat3, DQuat, DVec3};

use super::piecewise::{Piecewise, in_half, unit_knots};
use super::{Pose, PoseAt, PoseError, RigidMotion, SteadyRotation, Velocity, VelocityBounds};
use crate::error::{Error, Result};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{TaylorTransform, Window, sin_cos};

/// A smooth motion through poses: the natural cubic spline of the positions, and a spline of rotation vectors of the orientations.
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
    /// Creates the motion through all poses at their times, the first of which becomes time 0 and the last time 1. Between two poses it
    /// turns the shorter way. Returns an error for fewer than two poses and for times that do not increase.
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

    /// Returns the velocity at each of the poses, per unit of the time from 0 to 1. Together with the poses they determine the motion exactly.
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

    /// The largest length of the second derivative over a window, as computed.
    fn largest_acceleration(&self, window: Window) -> f64 {
        upper_max(self.acceleration(window.t0()).length(), self.acceleration(window.t1()).length())
    }
}

/// Between two poses, in its own time from 0 to 1.
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

    /// Upper bounds of `|p''|`, `|θ'|` and `|ω'|` over a window.
    fn bounds(&self, window: Window) -> [f64; 3] {
        let up = 1.0 + 16.0 * UNIT;
        let acceleration =
            (self.position.largest_acceleration(window) + 256.0 * UNIT * self.position.size) * up;
        let twist = (self.turned.largest_acceleration(window) + 6.0 * self.turned_error) * up;
        let slope = self.turned.slope(window.mid()).length() + in_half(twist, window);
        let slope = (slope + 2.0 * self.turned_error) * up;
        // `c` in the middle, and how far it gets from there: `(θ × θ')' = θ × θ''`.
        let (vector, rate) = (self.turned.at(window.mid()), self.turned.slope(window.mid()));
        let far = (vector.length() + in_half(slope, window) + self.turned_error) * up;
        let error = self.turned_error * (slope + 2.0 * far) + 8.0 * UNIT * far * slope;
        let tilt = (vector.cross(rate).length() + in_half(far * twist, window) + error) * up;
        let about_one_axis = (0.5 * slope + 0.125 * tilt) * tilt;
        let any = 0.5 * slope * slope;
        // Either holds alone; the second also where the first is NaN.
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

/// Below this angle the coefficients are two terms of their series, whose rest is below `1e-17` of them.
const SMALL: f64 = 1e-4;

/// Returns `J(θ) x = x + (1 − cos φ) / φ² θ × x + (φ − sin φ) / φ³ θ × (θ × x)`, where `φ = |θ|`. With `1 − cos φ = 2 sin²(φ/2)` the first
/// coefficient is accurate to `24u` of itself; the error of the second, `10u / φ²`, is multiplied by `φ²`.
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

/// Returns `J(θ)⁻¹ x = x − θ × x / 2 + (1 − (φ/2) cot(φ/2)) / φ² θ × (θ × x)`, for angles up to half a turn. The error of the last coefficient,
/// `32u / φ²`, is multiplied by `φ²`.
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

/// Returns the velocities of the natural cubic spline: those that solve `v_{k-1} / w + 2 (1 / w + 1 / w') v_k + v_{k+1} / w' = 3 (D / w² +
/// D' / w'²)` inside, for the steps `D` and `D'` before and after, and `2 v_0 + v_1 = 3 D / w` at the start, likewise at the end. Any values
/// give a valid motion; these make the acceleration continuous.
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

/// Returns angular velocities for which the angular acceleration is continuous. With `ω' = θ''/w²` at the start of a segment and
/// `(J θ'' + c) / w²` at its end, where `c` is what the change of `J` adds, and Hermite's `θ''`, the equations inside are
/// `(2/w) J ω_{k-1} + 4 (1/w + 1/w') ω_k + (2/w') J'⁻¹ ω_{k+1} = 6 (Δ/w² + Δ'/w'²) − c/w²`.
/// Each `ω_k` in turn is set to what solves its own equation; the diagonal outweighs the rest, so this converges unless `c` is large. Any
/// values give a valid motion.
fn turning_rates(steps: &[SteadyRotation], widths: &[f64]) -> Vec<DVec3> {
    /// Each round makes the error a few times smaller.
    const ROUNDS: usize = 100;
    let last = steps.len();
    let vectors: Vec<DVec3> = steps.iter().map(SteadyRotation::angular_velocity).collect();
    let nearest = |k: usize| k.min(last - 1); // not a bound: an index
    let mut rates: Vec<DVec3> = (0..=last).map(|k| vectors[nearest(k)] / widths[nearest(k)]).collect();
    let largest = |rates: &[DVec3]| rates.iter().map(|rate| rate.length()).fold(0.0, f64::max); // not a bound: a guess
    let limit = 16.0 * largest(&rates);
    let start = rates.clone();
    for _ in 0..ROUNDS {
        let mut change = 0.0_f64;
        for k in 0..=last {
            let mut right = DVec3::ZERO;
            let mut diagonal = 0.0;
            if k > 0 {
                let (step, w) = (vectors[k - 1], widths[k - 1]);
                let slope = w * inverse_jacobian(step, rates[k]);
                right += 6.0 * step / (w * w) - (2.0 / w) * jacobian(step, rates[k - 1]);
                right -= jacobian_rate(step, slope) / (w * w);
                diagonal += 4.0 / w;
            }
            if k < last {
                let (step, w) = (vectors[k], widths[k]);
                right += 6.0 * step / (w * w) - (2.0 / w) * inverse_jacobian(step, rates[k + 1]);
                diagonal += 4.0 / w;
            }
            let rate = right / diagonal;
            change = change.max((rate - rates[k]).length()); // not a bound: when to stop
            rates[k] = rate;
        }
        if change <= 4.0 * UNIT * largest(&rates) {
            return rates;
        }
    }
    // Wild poses: what is left is not better than the mean rates.
    if largest(&rates) <= limit && rates.iter().all(|rate| rate.is_finite()) { rates } else { start }
}

/// Returns `(d/dt J(θ)) θ'` for `θ' = x`, in plain f64: it steers only. With the coefficients `a` and `b` of [`jacobian`], and `φ φ' = θ · x`, it
/// is `a' θ × x + b' θ × (θ × x) + b x × (θ × x)`, which vanishes for rotations about one axis.
fn jacobian_rate(vector: DVec3, x: DVec3) -> DVec3 {
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
    let (along, across) = (vector.dot(x), vector.cross(x));
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

    /// Through the poses exactly, up to the error of the computed pose; velocity and acceleration are continuous at the knots.
    /// Times that decrease throughout were scaled to knots that increase, and the poses were passed in the order of the list.
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
}
