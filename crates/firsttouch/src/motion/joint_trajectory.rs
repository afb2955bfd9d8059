//! The coordinate of one joint over time: piecewise polynomials with proven bounds of value, velocity, acceleration and
//! jerk.
//!
//! **Problem.** A robot's path consists of waypoints with times, with velocities or without, or of polynomials (smooth
//! and time-optimal parametrisations have degree 5 and 7, a quintic under a quadratic time scaling has 10). Engines
//! need bounds of a joint's travel and speed in any window.
//!
//! **Method.** Piece `k` is a polynomial in its own time `s = (t − t_k) / w` from 0 to 1, `w = t_{k+1} − t_k`, in
//! Bernstein form, where the coefficients of the derivatives, restricted to a window, enclose them. Derivatives by `t`
//! are those by `s` over `w`, `w²`, `w³`.
//! - *Linear*: straight between two waypoints. The velocity jumps.
//! - *Cubic*: Hermite's cubic with the velocities given. The velocity is continuous.
//! - *Spline*: the same, with the velocities of the natural cubic spline: the acceleration is continuous up to
//!   rounding.
//! - *Polynomials*: as given. Two polynomials that should meet never do so exactly. Let `g` and `g'` be the gaps in
//!   value and velocity, in the own time of the first. It is corrected by the cubic `h` with `h(0) = h'(0) = 0`,
//!   `h(1) = g`, `h'(1) = g'`, for which `|h| <= |g| + |g'|`, `|h'| <= 3/2 |g| + |g'|`, `|h''| <= 6 |g| + 4 |g'|` and
//!   `|h'''| <= 12 |g| + 6 |g'|`. All bounds are widened by these. A larger gap in value than [`LARGEST_GAP`] is
//!   refused. With a larger gap in velocity the velocity jumps, and only the value is corrected.
//!
//! **Guarantee.** Conservative. The exact trajectory is continuous, and its velocity is continuous except at
//! [`JointTrajectory::jumps`]. Over a window with a jump inside, the acceleration is unbounded; over a window with any
//! knot inside, the jerk is. Times scaled to `[0, 1]`, velocities times the duration, and coefficients times powers of
//! the widths are rounded to f64; those numbers are the trajectory.

use super::piecewise::unit_knots;
use super::spline::natural_velocities;
use crate::error::{Error, Result, bounded};
use crate::numerics::Window;
use crate::numerics::bernstein::Bernstein;
use crate::numerics::bound::{largest_upper, lower_min, upper_max};
use crate::numerics::rounding::UNIT;
use glam::DVec3;

/// The largest gap between two polynomials, relative to the size of the numbers there: the gap of numbers written with
/// six digits.
pub const LARGEST_GAP: f64 = 1e-5;

/// The largest degree of a polynomial. The bounds hold for any degree: every operation in Bernstein form counts its own
/// roundings, and so does [`evaluation`]. Beyond this degree the bounds by coefficients become wide.
const LARGEST_DEGREE: usize = 11;

/// The coordinate of one joint over the time from 0 to 1.
///
/// ```
/// use firsttouch::motion::{JointTrajectory, Window};
/// // From 0 to 1 in two units of time, at rest at both ends: 3 s² − 2 s³. It is fastest in the middle, at 3/2 per
/// // whole time.
/// let joint = JointTrajectory::cubic(&[0.0, 2.0], &[0.0, 1.0], &[0.0, 0.0])?;
/// assert!((joint.at(0.25) - 0.15625).abs() < 1e-15);
/// let bounds = joint.bounds(Window::new(0.0, 1.0)?);
/// assert!(bounds.velocity[1] >= 1.5);
/// assert!(bounds.acceleration[1] >= 6.0 && bounds.acceleration[1] < 6.0 + 1e-12);
/// assert!(bounds.jerk[0] <= -12.0 && bounds.jerk[0] > -12.0 - 1e-12);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointTrajectory {
    knots: Vec<f64>,
    pieces: Vec<Piece>,
    /// For each knot but the first and the last, true if the velocity jumps there.
    jumps: Vec<bool>,
    error: f64,
}

/// Bounds of a joint's coordinate and its derivatives over a window: the smallest and the largest value of each.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct JointBounds {
    /// The coordinate.
    pub value: [f64; 2],
    /// Its first derivative by time.
    pub velocity: [f64; 2],
    /// Its second derivative; unbounded over a window in which the velocity jumps.
    pub acceleration: [f64; 2],
    /// Its third derivative; unbounded over a window with a knot inside.
    pub jerk: [f64; 2],
}

/// One polynomial of a trajectory, in its own time from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Piece {
    /// The polynomial and its first three derivatives, in its own time.
    derivatives: [Bernstein; 4],
    /// Bounds of the distance between the exact values and these.
    slack: [f64; 4],
}

impl Piece {
    fn new(polynomial: Bernstein) -> Piece {
        let first = polynomial.derivative();
        let second = first.derivative();
        let third = second.derivative();
        Piece { derivatives: [polynomial, first, second, third], slack: [0.0; 4] }
    }

    /// Returns a straight line from one value to another.
    pub(crate) fn linear(from: f64, to: f64) -> Result<Piece> {
        let ends = if from == to { &[from][..] } else { &[from, to][..] };
        Bernstein::from_coefficients(ends).map(Piece::new)
    }

    /// Returns the piece from `s0` to `s1`, over the time from 0 to 1. Both times may be off by `4u`: then the argument
    /// of the polynomial is off by `4u` at all times, and the width by `8u`. The value changes by at most `4u |q'|`.
    /// The `d`-th derivative, that of `q` times the `d`-th power of the width, changes by at most
    /// `4u |q^(d+1)| + 8 d u |q^(d)|`, up to terms of second order.
    pub(crate) fn during(&self, s0: f64, s1: f64) -> Piece {
        if self.is_constant() {
            return self.clone();
        }
        let size = |polynomial: &Bernstein| {
            let (low, high) = polynomial.range();
            upper_max(low.abs(), high.abs())
        };
        let [value, first, second, third] = self.derivatives.each_ref().map(size);
        let fourth = size(&self.derivatives[3].derivative());
        let next = [first, second, third, fourth];
        let own = [value, first, second, third];
        // The width is at most 1, so the slack of the exact derivatives does not grow.
        let slack =
            [0, 1, 2, 3].map(|d| (self.slack[d] + 32.0 * UNIT * (next[d] + own[d])) * (1.0 + 8.0 * UNIT));
        Piece { slack, ..Piece::new(self.derivatives[0].restrict(s0, s1)) }
    }

    /// Returns the piece that stays at the value at a time.
    pub(crate) fn resting_at(&self, s: f64) -> Result<Piece> {
        if self.is_constant() {
            return Ok(self.clone());
        }
        let rest = Bernstein::from_coefficients(&[self.at(s)])?;
        Ok(Piece { slack: [self.errors()[0], 0.0, 0.0, 0.0], ..Piece::new(rest) })
    }

    /// Returns the value, up to the first of [`Piece::errors`].
    #[inline]
    pub(crate) fn at(&self, s: f64) -> f64 {
        self.derivatives[0].eval(s).0
    }

    /// Returns the coefficients in Bernstein form; the values are within [`Piece::errors`] of theirs.
    pub(crate) fn coefficients(&self) -> &[f64] {
        self.derivatives[0].coefficients()
    }

    /// Returns the first derivative, up to the second of [`Piece::errors`].
    #[inline]
    pub(crate) fn rate_at(&self, s: f64) -> f64 {
        self.derivatives[1].eval(s).0
    }

    /// Returns bounds of a derivative (0 for the value, up to 3) over a part of the time.
    pub(crate) fn range(&self, derivative: usize, s0: f64, s1: f64) -> [f64; 2] {
        range(&self.derivatives[derivative], s0, s1, self.slack[derivative])
    }

    /// Returns upper bounds of the errors of the computed value and rate.
    pub(crate) fn errors(&self) -> [f64; 2] {
        [0, 1].map(|d| {
            let polynomial = &self.derivatives[d];
            let size = largest_upper(polynomial.coefficients().iter().map(|c| c.abs()));
            let error = largest_upper(polynomial.errors().iter().copied())
                + evaluation(polynomial) * size
                + self.slack[d];
            error * (1.0 + 8.0 * UNIT)
        })
    }

    /// Returns true if the value is exactly constant.
    pub(crate) fn is_constant(&self) -> bool {
        let value = &self.derivatives[0];
        let first = value.coefficients()[0];
        let is_exact = value.errors().iter().all(|&error| error == 0.0) && self.slack[0] == 0.0;
        is_exact && value.coefficients().iter().all(|&c| c == first)
    }

    /// Returns the piece of a mimic joint: `multiplier · q + offset`.
    pub(crate) fn mimic(&self, multiplier: f64, offset: f64) -> Result<Piece> {
        if multiplier == 1.0 && offset == 0.0 {
            return Ok(self.clone());
        }
        bounded(|| "multiplier of a joint that follows".into(), multiplier)?;
        let offset =
            Bernstein::from_coefficients(&[bounded(|| "offset of a joint that follows".into(), offset)?])?;
        let slack = self.slack.map(|slack| slack * multiplier.abs() * (1.0 + 2.0 * UNIT));
        Ok(Piece { slack, ..Piece::new(self.derivatives[0].scaled(multiplier).sum(&offset)) })
    }
}

impl JointTrajectory {
    /// Creates straight lines from one waypoint to the next. Returns an error for times that do not increase, and for a
    /// different number of values.
    ///
    /// ```
    /// use firsttouch::motion::JointTrajectory;
    /// let joint = JointTrajectory::linear(&[0.0, 1.0, 4.0], &[0.0, 2.0, 2.0])?;
    /// assert_eq!((joint.at(0.125), joint.at(0.5)), (1.0, 2.0));
    /// assert_eq!(joint.jumps().collect::<Vec<_>>(), [0.25]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn linear(times: &[f64], values: &[f64]) -> Result<JointTrajectory> {
        let knots = knots(times, values, "values")?;
        let piece = |ends: &[f64]| Bernstein::from_coefficients(ends).map(Piece::new);
        let pieces = values.windows(2).map(piece).collect::<Result<Vec<_>>>()?;
        let jumps = vec![true; pieces.len() - 1];
        Ok(JointTrajectory::new(knots, pieces, jumps))
    }

    /// Creates cubics through the waypoints with the velocities given there, in the unit of the times (Hermite).
    pub fn cubic(times: &[f64], values: &[f64], velocities: &[f64]) -> Result<JointTrajectory> {
        let knots = knots(times, values, "values")?;
        let whole = times[times.len() - 1] - times[0];
        same_length(times, velocities, "velocities")?;
        for &velocity in velocities {
            bounded(|| "velocity of a joint".into(), velocity)?;
        }
        let velocities: Vec<f64> = velocities.iter().map(|velocity| velocity * whole).collect();
        JointTrajectory::hermite(knots, values, &velocities)
    }

    /// Returns the natural cubic spline through the waypoints: acceleration continuous, and zero at the ends.
    ///
    /// ```
    /// use firsttouch::motion::JointTrajectory;
    /// // The natural spline through 0, 1, 0 is at 11/16 a quarter of the way.
    /// let joint = JointTrajectory::spline(&[0.0, 1.0, 2.0], &[0.0, 1.0, 0.0])?;
    /// assert!((joint.at(0.25) - 11.0 / 16.0).abs() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn spline(times: &[f64], values: &[f64]) -> Result<JointTrajectory> {
        let knots = knots(times, values, "values")?;
        let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let points: Vec<DVec3> = values.iter().map(|&value| DVec3::X * value).collect();
        let velocities: Vec<f64> = natural_velocities(&points, &widths).iter().map(|v| v.x).collect();
        JointTrajectory::hermite(knots, values, &velocities)
    }

    /// Creates the trajectory from polynomials of degree up to 11, each given by its coefficients of `1, τ, τ², ..`
    /// where `τ` is the time since the beginning of its piece. Returns an error if one does not end where the next
    /// begins, up to the rounding of decimal numbers.
    ///
    /// ```
    /// use firsttouch::motion::JointTrajectory;
    /// // Up by τ², and on at the speed reached.
    /// let joint = JointTrajectory::polynomials(&[0.0, 1.0, 2.0], &[vec![0.0, 0.0, 1.0], vec![1.0, 2.0]])?;
    /// assert_eq!((joint.at(0.25), joint.at(1.0)), (0.25, 3.0));
    /// assert_eq!(joint.jumps().count(), 0);
    /// assert!(JointTrajectory::polynomials(&[0.0, 1.0, 2.0], &[vec![0.0], vec![1.0]]).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn polynomials(times: &[f64], coefficients: &[Vec<f64>]) -> Result<JointTrajectory> {
        let knots = unit_knots(times)?;
        same_length(&times[1..], coefficients, "polynomials")?;
        let mut pieces = Vec::with_capacity(coefficients.len());
        for (k, powers) in coefficients.iter().enumerate() {
            if powers.len() > LARGEST_DEGREE + 1 {
                let what = format!("degree of polynomial {k} of a joint");
                return Err(Error::OutOfRange {
                    what,
                    expected: "at most 11",
                    value: powers.len() as f64 - 1.0,
                });
            }
            let width = times[k + 1] - times[k];
            let mut scale = 1.0;
            let mut own = Vec::with_capacity(powers.len());
            for &power in powers {
                own.push(bounded(|| format!("coefficient of polynomial {k} of a joint"), power * scale)?);
                scale *= width;
            }
            // A polynomial that is written with zeros at the end is of a lower degree, and exact if it is constant.
            while own.len() > 1 && own.last() == Some(&0.0) {
                own.pop();
            }
            if own.is_empty() {
                return Err(Error::Empty { what: format!("polynomial {k} of a joint") });
            }
            pieces.push(Piece::new(Bernstein::from_power_basis(&own)?));
        }
        let joints = 0..pieces.len() - 1;
        let jumps = joints.map(|k| join(&mut pieces, k, &knots)).collect::<Result<Vec<bool>>>()?;
        Ok(JointTrajectory::new(knots, pieces, jumps))
    }

    fn hermite(knots: Vec<f64>, values: &[f64], velocities: &[f64]) -> Result<JointTrajectory> {
        let mut pieces = Vec::with_capacity(values.len() - 1);
        for k in 0..values.len() - 1 {
            let width = knots[k + 1] - knots[k];
            let [q0, q1, m0, m1] =
                [values[k], values[k + 1], velocities[k] * width / 3.0, velocities[k + 1] * width / 3.0];
            // Roundings of the width, the product, the quotient and the sum.
            let error = |q: f64, m: f64, velocity: f64| {
                if velocity == 0.0 { 0.0 } else { 4.0 * UNIT * (q.abs() + 2.0 * m.abs()) }
            };
            let errors = [0.0, error(q0, m0, velocities[k]), error(q1, m1, velocities[k + 1]), 0.0];
            pieces.push(Piece::new(Bernstein::with_errors(&[q0, q0 + m0, q1 - m1, q1], &errors)?));
        }
        let jumps = vec![false; pieces.len() - 1];
        Ok(JointTrajectory::new(knots, pieces, jumps))
    }

    fn new(knots: Vec<f64>, pieces: Vec<Piece>, jumps: Vec<bool>) -> JointTrajectory {
        let mut made = JointTrajectory { knots, pieces, jumps, error: 0.0 };
        let errors = made.pieces.iter().map(|piece| {
            // The value has its own error; the time in the piece is off by at most 4u, as in `piecewise`.
            let [low, high] = range(&piece.derivatives[1], 0.0, 1.0, piece.slack[1]);
            let value = &piece.derivatives[0];
            let size = largest_upper(value.coefficients().iter().map(|c| c.abs()));
            let error =
                largest_upper(value.errors().iter().copied()) + evaluation(value) * size + piece.slack[0];
            error + 4.0 * UNIT * upper_max(low.abs(), high.abs())
        });
        made.error = largest_upper(errors) * (1.0 + 8.0 * UNIT);
        made
    }

    /// Returns the trajectory of a joint that mimics this one: `multiplier · q + offset`.
    pub fn mimic(&self, multiplier: f64, offset: f64) -> Result<JointTrajectory> {
        let pieces = self.pieces.iter().map(|piece| piece.mimic(multiplier, offset));
        let pieces = pieces.collect::<Result<Vec<_>>>()?;
        Ok(JointTrajectory::new(self.knots.clone(), pieces, self.jumps.clone()))
    }

    /// Returns the coordinate at `t`, up to [`JointTrajectory::error`].
    pub fn at(&self, t: f64) -> f64 {
        let k = self.index(t);
        let s = ((t - self.knots[k]) / (self.knots[k + 1] - self.knots[k])).clamp(0.0, 1.0);
        self.pieces[k].derivatives[0].eval(s).0
    }

    /// Returns the times between which the trajectory is one polynomial: from 0 to 1, increasing.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Returns the polynomial between two knots.
    pub(crate) fn piece(&self, k: usize) -> &Piece {
        &self.pieces[k]
    }

    /// Returns an upper bound of the error of [`JointTrajectory::at`].
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Returns the times in `(0, 1)` at which the velocity jumps.
    pub fn jumps(&self) -> impl Iterator<Item = f64> + '_ {
        self.knots[1..].iter().zip(&self.jumps).filter(|(_, jumps)| **jumps).map(|(knot, _)| *knot)
    }

    /// Returns bounds over a window within `[0, 1]`.
    pub fn bounds(&self, window: Window) -> JointBounds {
        let first = self.index(window.t0());
        let inner = &self.knots[1..self.pieces.len()];
        let last = inner.partition_point(|&knot| knot < window.t1());
        let last = if last > first { last } else { first };
        let mut all: Option<[[f64; 2]; 4]> = None;
        for k in first..=last {
            let bounds = self.piece_bounds(k, window);
            all = Some(match all {
                None => bounds,
                Some(all) => [0, 1, 2, 3]
                    .map(|d| [lower_min(all[d][0], bounds[d][0]), upper_max(all[d][1], bounds[d][1])]),
            });
        }
        let unbounded = [f64::NEG_INFINITY, f64::INFINITY];
        let [value, velocity, acceleration, jerk] = all.unwrap_or([unbounded; 4]);
        let has_jump = self.jumps[first..last].contains(&true);
        JointBounds {
            value,
            velocity,
            acceleration: if has_jump { unbounded } else { acceleration },
            jerk: if last > first { unbounded } else { jerk },
        }
    }

    fn index(&self, t: f64) -> usize {
        self.knots[1..self.pieces.len()].partition_point(|&knot| knot <= t)
    }

    fn piece_bounds(&self, k: usize, window: Window) -> [[f64; 2]; 4] {
        let width = self.knots[k + 1] - self.knots[k];
        let own = |t: f64| ((t - self.knots[k]) / width).clamp(0.0, 1.0);
        // Three roundings in each end, outwards.
        let s0 = own(window.t0()) * (1.0 - 10.0 * UNIT);
        let s1 = own(window.t1()) * (1.0 + 10.0 * UNIT);
        let s1 = if s1 < 1.0 { s1 } else { 1.0 };
        let piece = &self.pieces[k];
        let mut per = 1.0;
        [0, 1, 2, 3].map(|d| {
            let [low, high] = range(&piece.derivatives[d], s0, s1, piece.slack[d]);
            let scaled = [low / per, high / per];
            // The power of the width has at most five roundings, the quotient one.
            let rounding = if d == 0 { 0.0 } else { 8.0 * UNIT };
            per *= width;
            [scaled[0] - rounding * scaled[0].abs(), scaled[1] + rounding * scaled[1].abs()]
        })
    }
}

/// Returns the relative rounding of a computed value of a polynomial of degree `n`: the `6n + 2` roundings of
/// `Coefficients::value_at`, with room for terms of second order.
fn evaluation(polynomial: &Bernstein) -> f64 {
    let roundings = (8 * polynomial.degree() + 8).max(64); // not a bound: integers
    roundings as f64 * UNIT
}

/// Returns bounds of a polynomial over a part of its time, widened by the slack.
fn range(polynomial: &Bernstein, s0: f64, s1: f64, slack: f64) -> [f64; 2] {
    let whole = s0 <= 0.0 && s1 >= 1.0;
    let (low, high) = if whole { polynomial.range() } else { polynomial.restrict(s0, s1).range() };
    if slack == 0.0 { [low, high] } else { [(low - slack).next_down(), (high + slack).next_up()] }
}

/// Makes piece `k` end where the next begins. Returns true if the velocity jumps there.
fn join(pieces: &mut [Piece], k: usize, knots: &[f64]) -> Result<bool> {
    let ends = |piece: &Piece, d: usize, at: f64| piece.derivatives[d].eval(at);
    let (end, end_error) = ends(&pieces[k], 0, 1.0);
    let (start, start_error) = ends(&pieces[k + 1], 0, 0.0);
    let gap = ((start - end).abs() + end_error + start_error) * (1.0 + 4.0 * UNIT);
    let size = 1.0 + upper_max(end.abs(), start.abs());
    if gap.is_nan() || gap > LARGEST_GAP * size {
        let what = format!("gap between polynomials {k} and {} of a joint", k + 1);
        return Err(Error::OutOfRange { what, expected: "zero, up to rounding", value: start - end });
    }
    let ratio = (knots[k + 1] - knots[k]) / (knots[k + 2] - knots[k + 1]);
    let (rate, rate_error) = ends(&pieces[k], 1, 1.0);
    let (next, next_error) = ends(&pieces[k + 1], 1, 0.0);
    let next = next * ratio;
    let rounding = 8.0 * UNIT * (rate.abs() + next.abs());
    let rate_gap = ((next - rate).abs() + rate_error + next_error * ratio + rounding) * (1.0 + 8.0 * UNIT);
    let largest = 1.0 + largest_upper(pieces[k].derivatives[1].coefficients().iter().map(|c| c.abs()));
    let is_continuous = rate_gap <= LARGEST_GAP * largest; // false for NaN
    let jumps = !is_continuous;
    // With a jump only the value is corrected, by a straight line.
    let [g, h] = [gap, if jumps { 0.0 } else { rate_gap }];
    let slack =
        if jumps { [g, g, 0.0, 0.0] } else { [g + h, 1.5 * g + h, 6.0 * g + 4.0 * h, 12.0 * g + 6.0 * h] };
    pieces[k].slack = slack.map(|x| x * (1.0 + 4.0 * UNIT));
    Ok(jumps)
}

fn knots(times: &[f64], values: &[f64], what: &str) -> Result<Vec<f64>> {
    same_length(times, values, what)?;
    for &value in values {
        bounded(|| "coordinate of a joint".into(), value)?;
    }
    unit_knots(times)
}

fn same_length<A, B>(times: &[A], others: &[B], what: &str) -> Result<()> {
    if times.len() == others.len() {
        return Ok(());
    }
    Err(Error::OutOfRange {
        what: format!("number of {what} of a joint"),
        expected: "that of the times",
        value: others.len() as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    fn exact(x: f64) -> RBig {
        RBig::try_from(x).unwrap()
    }

    struct Draw(u64);

    impl Draw {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Returns the value and three derivatives of a polynomial in powers of `s`, over the powers of the width.
    fn derivatives(powers: &[RBig], s: &RBig, width: &RBig) -> [RBig; 4] {
        let mut powers = powers.to_vec();
        let mut per = RBig::ONE;
        [0; 4].map(|_| {
            let value = powers.iter().rev().fold(RBig::ZERO, |sum, c| sum * s + c) / &per;
            powers = powers.iter().enumerate().skip(1).map(|(k, c)| c * RBig::from(k)).collect();
            per = &per * width;
            value
        })
    }

    fn assert_within(bounds: &JointBounds, values: &[RBig; 4], what: &str) -> usize {
        let mut tight = 0;
        let all = [bounds.value, bounds.velocity, bounds.acceleration, bounds.jerk];
        for (k, ([low, high], value)) in all.into_iter().zip(values).enumerate() {
            let fits = |low: f64, high: f64| {
                (low == f64::NEG_INFINITY || exact(low) <= *value)
                    && (high == f64::INFINITY || *value <= exact(high))
            };
            assert!(
                fits(low, high),
                "{what}: derivative {k} is {} in [{low}, {high}]",
                value.to_f64().value()
            );
            tight += usize::from(high - low < 1e3);
        }
        tight
    }

    /// Hermite's cubics are known exactly: every sample of the value and of three derivatives, in fractions, is within
    /// the bounds.
    #[test]
    fn cubics_stay_within_their_bounds() {
        let (mut draw, mut tight) = (Draw(1), 0);
        for case in 0..200 {
            let count = 2 + case % 4;
            let times: Vec<f64> = (0..count).map(|k| k as f64 + 0.5 * draw.unit()).collect();
            let values: Vec<f64> = (0..count).map(|_| 4.0 * draw.unit() - 2.0).collect();
            let rates: Vec<f64> = (0..count).map(|_| 4.0 * draw.unit() - 2.0).collect();
            let joint = JointTrajectory::cubic(&times, &values, &rates).unwrap();
            let whole = times[count - 1] - times[0];
            for n in 0..6 {
                let width = 0.4_f64.powi(n);
                let t0 = draw.unit() * (1.0 - width);
                let window = Window::new(t0, t0 + width).unwrap();
                let bounds = joint.bounds(window);
                let t = t0 + width * draw.unit();
                let k = joint.index(t);
                let (a, b) = (exact(joint.knots[k]), exact(joint.knots[k + 1]));
                let w = &b - &a;
                let s = (exact(t) - &a) / &w;
                let [q0, q1] = [k, k + 1].map(|k| exact(values[k]));
                let [m0, m1] = [k, k + 1].map(|k| exact(rates[k] * whole) * &w);
                let step = &q1 - &q0;
                let c2 = RBig::from(3) * &step - RBig::from(2) * &m0 - &m1;
                let c3 = &m0 + &m1 - RBig::from(2) * &step;
                let values = derivatives(&[q0, m0, c2, c3], &s, &w);
                tight += assert_within(&bounds, &values, &format!("{case} {n} at {t}"));
                let off = (exact(joint.at(t)) - &values[0]).to_f64().value().abs();
                assert!(off <= joint.error() && joint.error() < 1e-13, "{off:e} {:e}", joint.error());
            }
        }
        assert!(tight > 3000, "{tight}");
    }

    /// Every degree that is taken, as coefficients in the time of the piece: bounds in windows, computed values, and
    /// the bounds of a part of the piece.
    #[test]
    fn polynomials_stay_within_their_bounds() {
        let mut draw = Draw(2);
        for case in 0..240 {
            let degree = case % (LARGEST_DEGREE + 1);
            let powers: Vec<f64> = (0..=degree).map(|_| 2.0 * draw.unit() - 1.0).collect();
            let joint = JointTrajectory::polynomials(&[0.0, 2.0], std::slice::from_ref(&powers)).unwrap();
            let own: Vec<RBig> =
                powers.iter().enumerate().map(|(k, c)| exact(c * 2.0_f64.powi(k as i32))).collect();
            for n in 0..6 {
                let width = 0.4_f64.powi(n);
                let t0 = draw.unit() * (1.0 - width);
                let bounds = joint.bounds(Window::new(t0, t0 + width).unwrap());
                let t = t0 + width * draw.unit();
                let values = derivatives(&own, &exact(t), &RBig::ONE);
                assert_within(&bounds, &values, &format!("{case} {n} at {t}"));
                // One piece from 0 to 1: its own time is that of the trajectory.
                let piece = &joint.pieces[0];
                let [value_error, rate_error] = piece.errors();
                for (found, error, value) in
                    [(piece.at(t), value_error, &values[0]), (piece.rate_at(t), rate_error, &values[1])]
                {
                    let off = (exact(found) - value).to_f64().value().abs();
                    assert!(off <= error && error < 1e-8, "{case} {n} at {t}: {off:e} {error:e}");
                }
                let part = piece.during(t0, t0 + width);
                let share = (t - t0) / width;
                let there = exact(t0) + (exact(t0 + width) - exact(t0)) * exact(share);
                let stretched = derivatives(&own, &there, &(RBig::ONE / (exact(t0 + width) - exact(t0))));
                for (d, value) in stretched.iter().enumerate() {
                    let [low, high] = part.range(d, share, share);
                    assert!(exact(low) <= *value && *value <= exact(high), "{case} {n}: derivative {d}");
                }
            }
        }
    }

    /// Two polynomials written with six digits meet up to rounding: one trajectory, with a velocity that does not jump,
    /// and bounds that have room for the correction.
    #[test]
    fn polynomials_that_nearly_meet_are_joined() {
        // (τ/3)² and on: at 1, 0.111111 and 0.222222, with six digits each.
        let times = [0.0, 1.0, 2.0];
        let joint =
            JointTrajectory::polynomials(&times, &[vec![0.0, 0.0, 1.0 / 9.0], vec![0.111111, 0.222222]]);
        let joint = joint.unwrap();
        assert_eq!(joint.jumps().count(), 0);
        let bounds = joint.bounds(Window::new(0.0, 1.0).unwrap());
        assert!(bounds.acceleration[1].is_finite() && bounds.jerk[1].is_infinite());
        assert!(joint.error() > 1e-7 && joint.error() < 1e-5, "{}", joint.error());
        // A kink in the velocity is a jump.
        let kinked = JointTrajectory::polynomials(&times, &[vec![0.0, 1.0], vec![1.0, -1.0]]).unwrap();
        assert_eq!(kinked.jumps().collect::<Vec<_>>(), [0.5]);
        assert!(kinked.bounds(Window::new(0.4, 0.6).unwrap()).acceleration[1].is_infinite());
        assert!(kinked.bounds(Window::new(0.5, 0.6).unwrap()).acceleration[1].is_finite());
        // A gap in the value, degree 12, and a list that is too short are refused.
        assert!(JointTrajectory::polynomials(&times, &[vec![0.0, 1.0], vec![1.1]]).is_err());
        assert!(JointTrajectory::polynomials(&[0.0, 1.0], &[vec![0.0; 13]]).is_err());
        assert!(JointTrajectory::polynomials(&times, &[vec![0.0]]).is_err());
        assert!(JointTrajectory::linear(&[0.0, 1.0], &[0.0]).is_err());
        assert!(JointTrajectory::linear(&[0.0, f64::NAN], &[0.0, 1.0]).is_err());
        assert!(JointTrajectory::cubic(&[0.0, 1.0], &[0.0, 1.0], &[0.0]).is_err());
    }

    /// Through waypoints on a line the spline is linear, and a joint that follows has its bounds times the multiplier.
    #[test]
    fn laws() {
        let (times, values) = ([0.0, 1.0, 3.0, 4.0], [1.0, 3.0, 7.0, 9.0]);
        let (spline, linear) = (
            JointTrajectory::spline(&times, &values).unwrap(),
            JointTrajectory::linear(&times, &values).unwrap(),
        );
        let follower = spline.mimic(-2.0, 0.5).unwrap();
        for k in 0..=64 {
            let t = f64::from(k) / 64.0;
            assert!((spline.at(t) - linear.at(t)).abs() < 1e-14);
            assert!((follower.at(t) - (0.5 - 2.0 * spline.at(t))).abs() < 1e-13);
        }
        let window = Window::new(0.1, 0.9).unwrap();
        let [low, high] = follower.bounds(window).velocity;
        assert!(low <= -16.0 && high >= -16.0 && high - low < 1e-11, "{low} {high}");
    }
}
