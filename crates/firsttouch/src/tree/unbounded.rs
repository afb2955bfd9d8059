//! Half-spaces: the part of one that the other side can reach.
//!
//! The header of `shape::half_space` shows that a large enough plate can stand for the half-space. This is the size for
//! a pair and a span of time: all points of the other side are within its reach of its origin, and that origin is
//! within `ρ` of the half-space's origin, where
//!
//! ```text
//! ρ <= |c_B − c_A| at the start + (length of the span) · (bound of the relative velocity of the origins)
//! ```
//!
//! **Rounding.** The sum of a dozen terms, none of them negative, rounded up by `64u`. An unbounded velocity makes the
//! plate infinite, and an infinite plate proves nothing.

use smallvec::SmallVec;

use super::composite::{Composite, Volume};
use crate::numerics::Window;
use crate::numerics::bound::upper_or_zero;
use crate::numerics::rounding::UNIT;
use crate::pair::Side;

/// Two sides of a pair.
pub(crate) type Sides<'a, C> = [Side<'a, C>; 2];

/// Returns true if one of the sides has no end.
#[inline]
pub(crate) fn is_unbounded<C: Composite>([a, b]: &Sides<'_, C>) -> bool {
    a.pieces.is_unbounded() || b.pieces.is_unbounded()
}

/// Returns the pairs with plates for half-spaces, for a span of time; `None` if there is no half-space.
pub(crate) fn bounded<'a, C: Composite + Copy>(
    pairs: &[Sides<'a, C>],
    span: [f64; 2],
) -> Option<SmallVec<[Sides<'a, C>; 1]>> {
    let any = pairs.iter().any(is_unbounded);
    any.then(|| pairs.iter().map(|sides| bounded_sides(*sides, span)).collect())
}

/// Returns two sides with a plate for a half-space.
pub(crate) fn bounded_sides<'a, C: Composite + Copy>([a, b]: Sides<'a, C>, span: [f64; 2]) -> Sides<'a, C> {
    let is_unbounded = [a.pieces.is_unbounded(), b.pieces.is_unbounded()];
    if is_unbounded == [false, false] {
        return [a, b];
    }
    let window = Window::between(span[0], span[1]);
    let poses = [a.motion.pose_at(span[0]), b.motion.pose_at(span[0])];
    let [v_a, v_b] = [a.motion.velocity_bounds(window), b.motion.velocity_bounds(window)];
    let speed = (v_a.center.origin - v_b.center.origin).length() + (v_a.origin_radius + v_b.origin_radius);
    let off = a.motion.pose_error().translation + b.motion.pose_error().translation;
    let origins = (poses[1].translation - poses[0].translation).length()
        + 2.0 * window.half_width() * speed
        + (off + 64.0 * UNIT * (poses[0].translation.length() + poses[1].translation.length()));
    let within = |other: &Side<'a, C>| {
        let reach = if other.pieces.is_unbounded() { f64::INFINITY } else { other.pieces.volume(0).reach() };
        upper_or_zero((origins + reach) * (1.0 + 64.0 * UNIT))
    };
    let [for_a, for_b] = [within(&b), within(&a)];
    let sized = |side: Side<'a, C>, within: f64| Side { pieces: side.pieces.reachable(within), ..side };
    [sized(a, for_a), sized(b, for_b)]
}
