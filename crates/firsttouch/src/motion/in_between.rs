//! The timing of a screw: the functions `a` and `b` of the in-between motions.
//!
//! **Problem.** Two placements determine a screw: an axis, an angle `ω` and a shift `s`. The motion from the first to
//! the second can be chosen, and a good choice makes the equations of contact easy.
//!
//! **Method.** A motion of the family rotates by `a(t) = ω α(t)` and shifts by `b(t) = s β(t)` at time `t`, where `α`
//! and `β` run from 0 at time 0 to 1 at time 1. [`InBetween`] has the properties of `α` and `β` that the engines
//! need. The pairs:
//! - [`HalfTangent`], the paper's: `α(t) = t`, `β(t) = f(t) = tan(ωt/2) / tan(ω/2)`, and `f(t) = t` for `ω = 0`. With
//!   `x = tan(ωt/2)` sine and cosine are rational in `x` and the shift is linear in it: every condition of contact is
//!   a polynomial of degree at most 3 in `x`.
//! - For the tests, `α(t) = β(t) = t`: the screw at constant speed.
//!
//! **Large angles.** `tan(ω/2)` has a pole at half a turn: just below it nearly all of the shift would happen in the
//! last instants. Beyond [`SPLIT_ANGLE`] the step consists of two halves of equal time, each with half of the angle
//! and half of the shift, `β(t) = f_{ω/2}(2t) / 2` and then `1/2 + f_{ω/2}(2t − 1) / 2`. The rotation is unchanged;
//! the shift has a kink at `t = 1/2`, where its speed drops from `(ω/2) / sin(ω/2)` to `(ω/4) / tan(ω/4)`. The two
//! motions are far apart, so the choice between them must not depend on rounding: between two placements it is
//! decided exactly, by their quaternions as stored. A rotation is larger than a third of a circle if the cosine of
//! half of it is below 1/2, that is, if `4 (q_0 · q_1)² < |q_0|² |q_1|²`.
//!
//! **Bounds.** `f' = (ω/2) / (tan(ω/2) cos²(ωt/2))` and `f'' = ω tan(ωt/2) f'` are positive and increase with `t`, so
//! their values at the ends of a window enclose them. All are evaluated in interval arithmetic.
//!
//! **Departures.** The paper prints `tan((ωt/2) / tan(ω/2))`, which does not reach 1. Splitting is not in the paper.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 2.

use glam::DQuat;

use crate::numerics::rounding::UNIT;
use crate::numerics::{Int, Interval, Window, common_exponent, sin_cos};

/// Larger rotations are split into two halves. At a third of a circle, `tan(ω/2)` stays below `√3`, the shift is
/// never faster than 2.5 times its mean, and a half is at most a quarter circle. A larger limit would make the timing
/// less even, a smaller one would split more motions.
pub const SPLIT_ANGLE: f64 = 2.0 * std::f64::consts::FRAC_PI_3;

/// The largest error of the values of [`InBetween::turned`] and [`InBetween::shifted`]. The values of [`HalfTangent`]
/// are a quotient of two products of sines and cosines, `8u` each, with `3u` for the arguments and as much for the
/// quotient. The slopes `ω/sin ω` of the tangent amplify the errors of the arguments by at most 2.5.
pub const VALUE_ERROR: f64 = 64.0 * UNIT;

/// A function of time over a window: its values, its first derivative and a bound of its second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Course {
    /// Contains the values.
    pub value: Interval,
    /// Contains the first derivative.
    pub rate: Interval,
    /// An upper bound of the magnitude of the second derivative; infinite if the first jumps inside the window.
    pub acceleration: f64,
}

/// The two functions that turn a screw into a motion.
///
/// Implementors must ensure the following. Both functions increase from 0 to 1, are continuous, and have a continuous
/// derivative except at [`InBetween::kink`]. They differ from the time, and their derivatives from 1, by at most `ω`.
/// So a screw with a small angle is an accurate motion even though its axis is not. Values are accurate to
/// [`VALUE_ERROR`].
///
/// ```
/// use firsttouch::motion::{HalfTangent, InBetween};
/// // A third of a circle, the largest rotation in one piece: f(1/2) = tan 30° / tan 60° = 1/3.
/// let pair = HalfTangent::new(2.0 * std::f64::consts::FRAC_PI_3, 1.0);
/// assert!((pair.shifted(0.5) - 1.0 / 3.0).abs() < 1e-15);
/// assert_eq!(pair.turned(0.5), 0.5);
/// ```
pub trait InBetween {
    /// Creates the pair for a screw of the angle `omega`, in `[0, π]`, and the shift `s`.
    fn new(omega: f64, s: f64) -> Self;

    /// Creates the pair for the screw between two orientations, whose angle is `omega` up to rounding. Choices that are
    /// not continuous in the angle must be made exactly.
    fn between(_orientations: [DQuat; 2], omega: f64, s: f64) -> Self
    where
        Self: Sized,
    {
        Self::new(omega, s)
    }

    /// Returns `α(t) = a(ω, s, t) / ω`.
    fn turned(&self, t: f64) -> f64;

    /// Returns `β(t) = b(ω, s, t) / s`.
    fn shifted(&self, t: f64) -> f64;

    /// Returns bounds of `α` over a window within `[0, 1]`.
    fn turning(&self, window: Window) -> Course;

    /// Returns bounds of `β` over a window within `[0, 1]`.
    fn shifting(&self, window: Window) -> Course;

    /// Returns the time at which a derivative jumps, if there is one.
    fn kink(&self) -> Option<f64> {
        None
    }
}

/// The paper's pair: the angle grows linearly, the shift with the tangent of half the angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfTangent {
    /// The angle of each half, or of the whole.
    omega: f64,
    halves: bool,
}

impl HalfTangent {
    fn in_pieces(omega: f64, halves: bool) -> HalfTangent {
        HalfTangent { omega: if halves { 0.5 * omega } else { omega }, halves }
    }

    /// Returns the number of equal pieces of time of the motion: 1 or 2.
    pub fn pieces(&self) -> u32 {
        if self.halves { 2 } else { 1 }
    }

    /// Returns the rotation angle of one piece.
    pub fn piece_angle(&self) -> f64 {
        self.omega
    }

    /// Returns `f` at a time of one piece.
    fn f(&self, t: f64) -> f64 {
        if self.omega == 0.0 || t == 0.0 || t == 1.0 {
            return t;
        }
        let (s, c) = sin_cos(0.5 * self.omega * t);
        let (s_end, c_end) = sin_cos(0.5 * self.omega);
        ((s * c_end) / (c * s_end)).min(1.0) // not a bound: a value
    }

    /// Returns bounds of `f` over a part of one piece.
    fn course(&self, from: Interval, to: Interval) -> Course {
        if self.omega == 0.0 {
            return Course { value: from.hull(to), rate: Interval::ONE, acceleration: 0.0 };
        }
        let half = Interval::point(0.5 * self.omega);
        let (s_end, c_end) = half.sin_cos();
        let tangent_end = s_end / c_end;
        let at = |t: Interval| {
            let (s, c) = (half * t).sin_cos();
            (s / c, half / (tangent_end * c.sqr()))
        };
        let ((tangent_0, rate_0), (tangent_1, rate_1)) = (at(from), at(to));
        Course {
            value: (tangent_0 / tangent_end).hull(tangent_1 / tangent_end),
            rate: rate_0.hull(rate_1),
            acceleration: (rate_1 * tangent_1 * self.omega).mag(),
        }
    }
}

/// Returns true if two orientations differ by more than a third of a circle, decided exactly; see the header. The
/// components of a pose's quaternion are at most 1 in size, and zero or at least 2^-200.
fn is_beyond_a_third([a, b]: [DQuat; 2]) -> bool {
    // A dozen roundings of numbers of size at most 4; lengths are 1 up to a few more.
    let difference = 4.0 * a.dot(b) * a.dot(b) - a.length_squared() * b.length_squared();
    if difference.abs() > 1e-13 {
        return difference < 0.0;
    }
    let exponent = common_exponent(a.to_array().into_iter().chain(b.to_array()));
    let integers = |q: DQuat| q.to_array().map(|x| Int::scaled_from(x, exponent));
    let (a, b) = (integers(a), integers(b));
    let dot = |a: &[Int; 4], b: &[Int; 4]| (0..4).fold(Int::ZERO, |sum, k| &sum + &(&a[k] * &b[k]));
    (&dot(&a, &b).square().scaled(4) - &(&dot(&a, &a) * &dot(&b, &b))).sign().is_lt()
}

impl InBetween for HalfTangent {
    fn new(omega: f64, _s: f64) -> HalfTangent {
        HalfTangent::in_pieces(omega, omega > SPLIT_ANGLE)
    }

    fn between(orientations: [DQuat; 2], omega: f64, _s: f64) -> HalfTangent {
        HalfTangent::in_pieces(omega, is_beyond_a_third(orientations))
    }

    fn turned(&self, t: f64) -> f64 {
        t
    }

    fn shifted(&self, t: f64) -> f64 {
        if !self.halves {
            self.f(t)
        } else if t < 0.5 {
            0.5 * self.f(2.0 * t)
        } else {
            0.5 + 0.5 * self.f(2.0 * t - 1.0)
        }
    }

    fn turning(&self, window: Window) -> Course {
        Course { value: window.span(), rate: Interval::ONE, acceleration: 0.0 }
    }

    fn shifting(&self, window: Window) -> Course {
        let (from, to) = (Interval::point(window.t0()), Interval::point(window.t1()));
        if !self.halves {
            return self.course(from, to);
        }
        // A piece runs twice as fast and covers half of the way.
        let first = |to: Interval| {
            let half = self.course(from * 2.0, to * 2.0);
            Course { value: half.value * 0.5, acceleration: 2.0 * half.acceleration, ..half }
        };
        let second = |from: Interval| {
            let half = self.course(from * 2.0 - 1.0, to * 2.0 - 1.0);
            Course { value: half.value * 0.5 + 0.5, acceleration: 2.0 * half.acceleration, ..half }
        };
        let kink = Interval::point(0.5);
        if window.t0() >= 0.5 {
            second(from)
        } else if window.t1() <= 0.5 {
            first(to)
        } else {
            let (before, after) = (first(kink), second(kink));
            Course {
                value: before.value.hull(after.value),
                rate: before.rate.hull(after.rate),
                acceleration: f64::INFINITY,
            }
        }
    }

    fn kink(&self) -> Option<f64> {
        self.halves.then_some(0.5)
    }
}

/// The pair of the constant-speed screw.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Steady;

#[cfg(test)]
impl InBetween for Steady {
    fn new(_omega: f64, _s: f64) -> Steady {
        Steady
    }

    fn turned(&self, t: f64) -> f64 {
        t
    }

    fn shifted(&self, t: f64) -> f64 {
        t
    }

    fn turning(&self, window: Window) -> Course {
        Course { value: window.span(), rate: Interval::ONE, acceleration: 0.0 }
    }

    fn shifting(&self, window: Window) -> Course {
        self.turning(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    #[test]
    fn courses_contain_values_and_difference_quotients() {
        for omega in [0.0, 1e-9, 0.3, 1.5, SPLIT_ANGLE, 2.2, 3.0, std::f64::consts::PI] {
            let pair = HalfTangent::new(omega, 1.0);
            assert_eq!((pair.shifted(0.0), pair.shifted(1.0)), (0.0, 1.0));
            for i in 0..16 {
                for j in i + 1..=16 {
                    let (t0, t1) = (f64::from(i) / 16.0, f64::from(j) / 16.0);
                    let course = pair.shifting(Window::new(t0, t1).unwrap());
                    let h = (t1 - t0) / 8.0;
                    let value = |k: usize| pair.shifted(t0 + k as f64 * h);
                    for k in 0..=8 {
                        let slack = Interval::symmetric(VALUE_ERROR);
                        assert!((course.value + slack).contains(value(k)), "{omega} [{t0}, {t1}]");
                    }
                    for k in 0..8 {
                        let quotient = (value(k + 1) - value(k)) / h;
                        assert!(
                            quotient >= course.rate.lo() - 1e-11 && quotient <= course.rate.hi() + 1e-11,
                            "{omega} [{t0}, {t1}]: {quotient} in {:?}",
                            course.rate
                        );
                    }
                    for k in 1..8 {
                        let second = (value(k + 1) - 2.0 * value(k) + value(k - 1)) / (h * h);
                        assert!(second.abs() <= course.acceleration + 1e-9, "{omega} [{t0}, {t1}]");
                    }
                    let inside = t0 < 0.5 && 0.5 < t1;
                    assert_eq!(course.acceleration.is_infinite(), inside && omega > SPLIT_ANGLE);
                }
            }
        }
    }

    /// An angle from `atan2`, which is off by a few units, once decided between the two motions: near a third of a
    /// circle the motion was not the documented one.
    #[test]
    fn the_third_of_a_circle_is_decided_exactly() {
        let mut state = 11_u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let exact = |x: f64| RBig::try_from(x).unwrap();
        let dot = |a: DQuat, b: DQuat| {
            let products = a.to_array().into_iter().zip(b.to_array()).map(|(x, y)| exact(x) * exact(y));
            products.fold(RBig::ZERO, |sum, x| sum + x)
        };
        let (mut beyond, mut wrong) = (0, 0);
        for case in 0..4000 {
            let from = if case % 2 == 0 {
                DQuat::IDENTITY
            } else {
                DQuat::from_xyzw(unit(), unit(), unit(), unit()).normalize()
            };
            let near = |x: f64| x + (8.0 * x).round() * f64::EPSILON * 0.5;
            let third = DQuat::from_xyzw(near(unit()), near(unit()), near(unit()), 0.0);
            let axis = third.normalize() * 0.75_f64.sqrt();
            let turn = DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.5 + 2e-16 * unit());
            let pose = |q: DQuat| crate::motion::Pose::new(glam::DVec3::ZERO, q).unwrap().rotation();
            let (from, to) = (pose(from), pose(turn * from));
            let expected = RBig::from(4) * dot(from, to) * dot(from, to) < dot(from, from) * dot(to, to);
            assert_eq!(is_beyond_a_third([from, to]), expected, "{from} {to}");
            assert_eq!(HalfTangent::between([from, to], SPLIT_ANGLE, 1.0).halves, expected);
            beyond += usize::from(expected);
            let angle = crate::motion::SteadyRotation::between(from, to).angle();
            wrong += usize::from((angle > SPLIT_ANGLE) != expected);
        }
        assert!((1000..3000).contains(&beyond) && wrong > 100, "{beyond} beyond, {wrong} hard ones");
        // Exactly a third is not beyond it.
        assert!(!is_beyond_a_third([DQuat::IDENTITY, DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)]));
        assert!(is_beyond_a_third([DQuat::IDENTITY, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)]));
    }

    #[test]
    fn the_shift_meets_its_obligations_for_every_angle() {
        for i in 1..=400 {
            let omega = std::f64::consts::PI * f64::from(i) / 400.0;
            let pair = HalfTangent::new(omega, 1.0);
            for k in 0..=100 {
                let t = f64::from(k) / 100.0;
                assert!((pair.shifted(t) - t).abs() <= 0.1 * omega);
            }
            let rate = pair.shifting(Window::new(0.0, 1.0).unwrap()).rate;
            assert!(rate.lo() >= 1.0 - 0.8 * omega && rate.hi() <= 1.0 + 0.8 * omega && rate.hi() < 2.5);
        }
    }
}
