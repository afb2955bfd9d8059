//! Entry and exit times of two moving features along the coordinate axes.
//!
//! **Problem.** Prove cheaply that two features never meet, because their boxes never do.
//!
//! 1. Along an axis let `up` be the top of the second feature less the bottom of the first, and `down` the top of the
//!    first less the bottom of the second. They overlap on the axis iff `up ≥ 0` and `down ≥ 0`.
//! 2. The top of a set of linearly moving points is convex in time, the bottom concave, so both quantities are at most
//!    the linear interpolation of their values at 0 and 1. While that is negative the features are apart.
//! 3. So each of the six quantities allows contact only during one interval: always, never, from an entry time on, or
//!    up to an exit time. An empty intersection, or an entry after `t_max`, means free.
//!
//! **Guarantee.** `true` is a proof. Rounding: a difference of two `f64` has the sign of the exact one, so "negative at
//! both ends" is exact. The zero crossing `x₀ / (x₀ − x₁)` of values of opposite sign has a relative error of at most
//! 4u (x₀ and the divisor, which adds magnitudes: u and 2u; the quotient u), raised to 8u below. [`TINY`] covers
//! quotients that underflow.
//!
//! **Departure from the paper.** Its rule "any time below zero or above one means no collision" holds only for features
//! that are apart along that axis at the start. Entry and exit times always hold.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. IV A.

use glam::DVec3;

use super::pair::Pair;

pub(super) const BELOW: f64 = 1.0 - 4.0 * f64::EPSILON;
pub(super) const ABOVE: f64 = 1.0 + 4.0 * f64::EPSILON;
pub(super) const TINY: f64 = f64::MIN_POSITIVE;

/// Returns true if the boxes around the two features certainly stay apart during `[0, t_max]`.
#[inline(always)]
pub(crate) fn apart<P: Pair>(q: &P, t_max: f64) -> bool {
    let (up0, down0) = overlaps::<P>(q.t0());
    let (up1, down1) = overlaps::<P>(q.t1());
    if (up0.max(up1).min(down0.max(down1))).min_element() < 0.0 {
        return true;
    }
    let mut enter = 0.0f64;
    let mut exit = 1.0f64;
    for (x0, x1) in [(up0, up1), (down0, down1)] {
        for k in 0..3 {
            (enter, exit) = narrowed(enter, exit, x0[k], x1[k]);
        }
    }
    never(enter, exit, t_max)
}

/// Returns the amounts by which the two features overlap along each axis, from either side.
#[inline(always)]
fn overlaps<P: Pair>(p: &[DVec3; 4]) -> (DVec3, DVec3) {
    let (a, b) = p.split_at(P::SPLIT);
    let top = |s: &[DVec3]| s[1..].iter().fold(s[0], |m, p| m.max(*p)); // not a bound: finite points
    let bottom = |s: &[DVec3]| s[1..].iter().fold(s[0], |m, p| m.min(*p)); // not a bound: finite points
    (top(b) - bottom(a), top(a) - bottom(b))
}

/// Intersects `[enter, exit]` with the span in which a quantity that changes linearly from `x0` to `x1` is not
/// negative. At least one of the two must not be negative.
#[inline(always)]
fn narrowed(enter: f64, exit: f64, x0: f64, x1: f64) -> (f64, f64) {
    let crossing = x0 / (x0 - x1);
    let enter = if x0 < 0.0 && crossing > enter { crossing } else { enter };
    let exit = if x1 < 0.0 && crossing < exit { crossing } else { exit };
    (enter, exit)
}

/// Returns true if the rounded span `[enter, exit]` proves that there is no contact in `[0, t_max]`.
#[inline(always)]
fn never(enter: f64, exit: f64, t_max: f64) -> bool {
    let enter = enter * BELOW;
    enter > exit * ABOVE + TINY || enter > t_max + TINY
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two times of one and a half times the smallest number are rounded to it and to twice it.
    #[test]
    fn times_that_underflow_prove_nothing() {
        let smallest = f64::from_bits(1);
        assert!(!never(2.0 * smallest, smallest, 1.0) && !never(smallest, 1.0, 0.0));
        assert!(never(4.0 * TINY, TINY, 1.0));
    }
}
