//! Lower bounds of a separation over a window of time, from its values at the two ends.
//!
//! # Second order
//! Let `s_0` and `s_1` be separations along directions `n_0` and `n_1` at the two ends of a window of length `w`, and
//! let the direction turn at a constant rate from one to the other. The header of `advancement::conservative` shows
//! that for every pair of points the distance along the direction stays above its chord minus `A w² σ (1 − σ) / 2`,
//! where `σ` runs from 0 to 1 and `A` bounds the second derivative. With `K = A w² / 2` the separation at `σ` is at
//! least
//!
//! ```text
//! (1 − σ) s_0 + σ s_1 − K σ (1 − σ)
//! ```
//!
//! The minimum over `[0, 1]` is at `σ = (1 − q) / 2` with `q = (s_1 − s_0) / K`. It is `s_0 − K (1 − q)² / 4` if
//! `|q| < 1`, and the smaller of the two ends otherwise. The loss against the ends is at most `K / 4 = A w² / 8`: the
//! bound converges quadratically.
//!
//! # A direction that turns
//! Let the direction turn by the angle `θ < π` at the constant rate `ν = θ / w`. For two points at `r = b − a`, less
//! the constant margins `m >= 0` of the two pieces, put `g = n · r − m`. Because `n'' = −ν² n`,
//!
//! ```text
//! g'' = −ν² (g + m) + 2 n' · r' + n · r''  <=  −ν² g + A,   A = 2 ν |r'| + |r''|
//! ```
//!
//! Here `A` has no term of the distance. Let `L` be the parabola above with this `A`, and let `L >= 0` on the window.
//! Then `u = g − L` is not negative at the ends, and `u'' + ν² u <= (A − ν² g) + ν² g − A − ν² L = −ν² L <= 0`. Take a
//! sine `φ` of rate `ν` that is positive on the window, which exists because `θ < π`, and `u = φ q`. Then
//! `(φ² q')' = φ (u'' + ν² u) <= 0`, so `φ² q'` falls. So `q` rises up to some time and falls after it, and its least
//! value is at an end and not negative. So `g >= L`: **if the bound of second order with `A = 2 ν |r'| + |r''|` is not
//! negative, it holds.** Near a minimum at the distance `d`, which points pass at the speed `v`, the distance has the
//! second derivative `v² / d` and the bound has `2 v² / d`. With the term `ν² |r|` it has `|r| / d` times as much,
//! where `|r|` is as large as the bodies.
//!
//! # First order
//! If no bound of the second derivative is known, the separation along a constant direction is at least `s_0 − μ w`,
//! where `μ` is the largest closing speed in the window.

use crate::numerics::bound::{lower_min, upper_max};
use crate::numerics::rounding::{TINY, UNIT};

/// A lower bound over a window, and its place in the window, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WindowBound {
    pub(crate) lower: f64,
    /// The place to examine next. Not a bound.
    pub(crate) place: f64,
    /// True if the place is that of a parabola that follows the distance closely.
    pub(crate) is_followed: bool,
}

impl WindowBound {
    pub(crate) const NONE: WindowBound =
        WindowBound { lower: f64::NEG_INFINITY, place: 0.5, is_followed: false };

    /// Returns the better of two bounds.
    pub(crate) fn or(self, other: WindowBound) -> WindowBound {
        if other.lower > self.lower { other } else { self }
    }
}

/// Returns the bound of second order. `dip` is an upper bound of `K`; the separations are lower bounds. NaN and
/// infinities prove nothing.
pub(crate) fn second_order(s_0: f64, s_1: f64, dip: f64) -> WindowBound {
    let finite = s_0.is_finite() && s_1.is_finite() && dip.is_finite();
    if !finite {
        return WindowBound::NONE;
    }
    // The sum of the bound has six roundings of terms that are not larger than this; the square is at most 4.
    let rounding = 16.0 * UNIT * (s_0.abs() + s_1.abs() + dip) + TINY;
    let ends = lower_min(s_0, s_1);
    let difference = s_1 - s_0;
    if difference.abs() >= dip {
        return WindowBound {
            lower: ends - rounding,
            place: if s_0 <= s_1 { 0.0 } else { 1.0 },
            is_followed: false,
        };
    }
    let q = difference / dip;
    let below = 0.25 * dip * (1.0 - q) * (1.0 - q);
    WindowBound { lower: s_0 - below - rounding, place: 0.5 * (1.0 - q), is_followed: false }
}

/// Returns the bound of first order: `closing` is an upper bound of the rate at which the separation falls, `width` is
/// the width of the window.
pub(crate) fn first_order(s_0: f64, closing: f64, width: f64) -> WindowBound {
    let below = width * upper_max(closing, 0.0);
    let rounding = 4.0 * UNIT * (s_0.abs() + below) + TINY;
    let lower = s_0 - below - rounding;
    if lower.is_finite() { WindowBound { lower, place: 0.5, is_followed: false } } else { WindowBound::NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parabola with the given second derivative through both ends is never below the bound, and attains it.
    #[test]
    fn the_bound_is_the_minimum_of_the_parabola() {
        for (s_0, s_1, dip) in
            [(1.0, 1.0, 2.0), (1.0, 1.5, 2.0), (2.0, 1.0, 0.5), (0.3, 0.4, 0.0), (1.0, 3.0, 2.5)]
        {
            let bound = second_order(s_0, s_1, dip);
            let least = (0..=10_000).fold(f64::INFINITY, |least: f64, k| {
                let x = f64::from(k) / 10_000.0;
                least.min((1.0 - x) * s_0 + x * s_1 - dip * x * (1.0 - x)) // not a bound: a sample
            });
            assert!(
                bound.lower <= least && bound.lower > least - 1e-7,
                "{s_0} {s_1} {dip}: {bound:?}, {least}"
            );
        }
    }

    #[test]
    fn what_is_not_finite_proves_nothing() {
        assert_eq!(second_order(f64::NAN, 1.0, 1.0), WindowBound::NONE);
        assert_eq!(second_order(1.0, 1.0, f64::INFINITY), WindowBound::NONE);
        assert_eq!(first_order(1.0, f64::NAN, 1.0), WindowBound::NONE);
    }

    /// From a separation of 1, with a closing speed of 2 over a window of length 0.25: 0.5 at the end.
    #[test]
    fn the_bound_of_first_order_falls_at_the_closing_speed() {
        let bound = first_order(1.0, 2.0, 0.25);
        assert!(bound.lower <= 0.5 && bound.lower > 0.5 - 1e-12);
        assert!(first_order(1.0, -3.0, 0.25).lower > 1.0 - 1e-12);
    }

    /// Points with a constant acceleration, seen along a direction that turns from one end of the window to the other:
    /// their distance is never below the bound without the term of the distance, if that bound is not negative. In many
    /// cases points are far apart across the direction.
    #[test]
    fn a_direction_that_turns_needs_no_distance() {
        let state = &mut 11_u64;
        let mut unit = move || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let mut vector = |size: f64| glam::DVec3::new(unit(), unit(), unit()) * size;
        let (mut bounded, mut would_fail) = (0, 0);
        for n in 0..20_000 {
            let width = [0.01, 0.1, 0.5, 1.0][n % 4];
            let (from, turned) = (vector(1.0).normalize(), vector([0.1, 0.5, 3.0][n % 3]));
            let to = (from + turned).normalize();
            let angle = from.angle_between(to);
            if !(1e-6..3.0).contains(&angle) {
                continue;
            }
            let (speed, acceleration) = (vector(1.0), vector(1.0));
            let start = from + vector([0.1, 1.0, 20.0][n / 4 % 3]).reject_from(from);
            let r = |t: f64| start + speed * t + acceleration * (0.5 * t * t);
            let fastest = [0.0, width].map(|t| (speed + acceleration * t).length()); // convex in time
            let fastest = fastest[0].max(fastest[1]); // not a bound: a sample
            let direction =
                |x: f64| (from * ((1.0 - x) * angle).sin() + to * (x * angle).sin()) / angle.sin();
            let (s_0, s_1) = (from.dot(r(0.0)), to.dot(r(width)));
            let dip = |turning: f64| 0.5 * (turning + acceleration.length() * width * width);
            let bound = second_order(s_0, s_1, dip(2.0 * angle * fastest * width)).lower;
            if bound < 0.0 {
                continue;
            }
            bounded += 1;
            for k in 0..=64 {
                let x = f64::from(k) / 64.0;
                let here = direction(x).dot(r(x * width));
                assert!(here >= bound - 1e-12, "{n} at {x}: {here} below {bound}");
            }
            would_fail += usize::from(second_order(s_0, s_1, dip(0.0)).lower > bound + 1e-3);
        }
        assert!(bounded > 5_000 && would_fail > 1_000, "{bounded} bounded, {would_fail} with a real term");
    }
}
