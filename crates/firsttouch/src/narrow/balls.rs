//! The earliest possible touch of two rigid bodies, by the balls around their origins: a few dozen operations prove
//! distant bodies free.

use crate::motion::{Motion, RigidMotion};
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;
use crate::shape::Shape;

/// Returns a lower bound of the time at which two rigid bodies come within `min_separation`, from time 0 on. The window
/// reaches from there to the last time of interest; after it, the bound claims nothing.
///
/// The balls around the origins are a gap apart at the start, and the gap closes at most at the relative speed of the
/// origins. A rotation does not move a ball.
pub(crate) fn earliest_contact(
    a: (&Shape, &Motion),
    b: (&Shape, &Motion),
    min_separation: f64,
    window: Window,
) -> f64 {
    let centers = [a.1.origin_at(0.0), b.1.origin_at(0.0)];
    let [reach_a, reach_b] = [reach(a.0), reach(b.0)];
    let errors = a.1.pose_error().translation + b.1.pose_error().translation;
    let size = centers[0].length() + centers[1].length() + (reach_a + reach_b) + min_separation;
    let gap = (centers[1] - centers[0]).length()
        - (reach_a + reach_b)
        - min_separation
        - errors
        - 16.0 * UNIT * size;
    if gap.is_nan() || gap <= 0.0 {
        return 0.0;
    }
    let [v_a, v_b] = [a.1.velocity_bounds(window), b.1.velocity_bounds(window)];
    let speed = (v_a.center.origin - v_b.center.origin).length() + (v_a.origin_radius + v_b.origin_radius);
    // Balls at rest relative to each other never touch: the quotient is infinite. Velocities that overflow prove
    // nothing.
    if speed.is_nan() { 0.0 } else { gap / speed * (1.0 - 16.0 * UNIT) }
}

/// Returns an upper bound of the distance of a shape's points from its origin.
fn reach(shape: &Shape) -> f64 {
    match shape.as_convex() {
        Some(solid) => solid.reach(),
        None => {
            let (center, half) = shape.bounds();
            (center.length() + half.length()) * (1.0 + 16.0 * UNIT)
        }
    }
}
