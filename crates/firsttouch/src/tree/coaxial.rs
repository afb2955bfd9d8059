//! A mesh that turns about an axis, beside one at rest: a shaft in its bore.
//!
//! **Problem.** Advancement proves that two nodes stay apart for a while along one direction. A shaft in a bore is
//! close to it in every direction and at every time. So the proof takes steps for each pair of facets that pass each
//! other: millions for one turn.
//!
//! **Method.** If a body only turns about a line, each of its points stays on a circle. A point keeps its distance `r`
//! from the line and its place `z` along it for all time, and two points are at least `max(|r_1 − r_2|, |z_1 − z_2|)`
//! apart.
//! 1. Each triangle becomes a rectangle in the plane of `r` and `z`. Its largest `r` is that of a corner, because the
//!    distance from a line is convex. For any unit vector `n` across the line, `r >= n · x`, and the least `n · x` is
//!    that of a corner. With `n` towards the nearest point of the triangle, this is its least `r`.
//! 2. If no rectangle of one side comes within `min_separation + tolerance` of one of the other, the two are free for
//!    all time. The two lists are halved in turn until their bounds are apart.
//!
//! The proof reads every triangle, so it is tried only after a search of [`LONG_SEARCH`] pairs of nodes. If it fails,
//! the search continues.
//!
//! **Guarantee.** Conservative: a rectangle contains the rectangle of the exact triangle about the exact line. Its
//! margin has, for a corner `x` of the body in the world:
//! - the error of the pose and twice the way that the motion strays from its circle;
//! - the distance `off` of the line's point, and the tilt of the line times the distance `|v|` of the corner from that
//!   point, once for `r` and once for `z`;
//! - roundings: below `64u` of `|v|` and of the lengths of `x`, the translation and the point.

use glam::DVec3;

use super::composite::{AnyPiece, Composite};
use crate::advancement::Limits;
use crate::motion::{RigidMotion, TurningLine, Velocity, VelocityBounds};
use crate::numerics::Window;
use crate::numerics::bound::{exceeds, largest_upper, lower_min, smallest_lower, upper_max};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::pair::Side;

/// The number of pairs of nodes after which a search counts as long: about ten milliseconds, the time to read a hundred
/// thousand triangles. A smaller number would cost more than it gains for pairs that are decided soon.
pub(super) const LONG_SEARCH: u64 = 1 << 14;

/// The most triangles of one side: with more, the rectangles would often take longer than the search.
const MOST_TRIANGLES: usize = 1 << 20;

/// The most rectangles that halving processes for each triangle, because two interlocking lists are compared pair by
/// pair.
const WORK_PER_TRIANGLE: usize = 256;

/// Returns true if one side rests, the other turns about a line, both are meshes, and they are certainly farther apart
/// than `min_separation + tolerance` at all times of the query.
pub(super) fn are_apart<C: Composite>(sides: &[Side<'_, C>; 2], limits: &Limits) -> bool {
    let window = Window::between(limits.t_start, limits.t_end);
    let [a, b] = sides;
    let line = match [a.motion.turning_line(window), b.motion.turning_line(window)] {
        [Some(line), None] if rests(b.motion, window) => line,
        [None, Some(line)] if rests(a.motion, window) => line,
        _ => return false,
    };
    let (Some(mut of_a), Some(mut of_b)) =
        (rectangles(a, &line, limits.t_start), rectangles(b, &line, limits.t_start))
    else {
        return false;
    };
    let distance = (limits.min_separation + limits.tolerance) * (1.0 + 4.0 * UNIT);
    let mut work = WORK_PER_TRIANGLE * (of_a.len() + of_b.len());
    lists_are_apart(&mut of_a, &mut of_b, distance, &mut work)
}

/// Returns true if a motion certainly is at rest.
fn rests(motion: &dyn RigidMotion, window: Window) -> bool {
    let still = VelocityBounds { center: Velocity::default(), origin_radius: 0.0, angular_radius: 0.0 };
    motion.velocity_bounds(window) == still
}

/// The distances from the line, and the places along it.
#[derive(Debug, Clone, Copy)]
struct Rectangle {
    low: [f64; 2],
    high: [f64; 2],
}

impl Rectangle {
    fn hull(all: &[Rectangle]) -> Rectangle {
        let joined = |a: Rectangle, b: &Rectangle| Rectangle {
            low: std::array::from_fn(|k| lower_min(a.low[k], b.low[k])),
            high: std::array::from_fn(|k| upper_max(a.high[k], b.high[k])),
        };
        all[1..].iter().fold(all[0], joined)
    }

    /// Returns true if the two are certainly farther apart than a distance. The margins have room for these roundings.
    fn is_apart(&self, other: &Rectangle, distance: f64) -> bool {
        (0..2).any(|k| {
            exceeds(self.low[k] - other.high[k], distance) || exceeds(other.low[k] - self.high[k], distance)
        })
    }

    fn longest(&self) -> (usize, f64) {
        let [r, z] = [0, 1].map(|k| self.high[k] - self.low[k]);
        if r >= z { (0, r) } else { (1, z) }
    }
}

/// Returns the rectangles of all triangles of a side; `None` if it has other pieces.
fn rectangles<C: Composite>(side: &Side<'_, C>, line: &TurningLine, t: f64) -> Option<Vec<Rectangle>> {
    let (pose, error) = (side.motion.pose_at(t), side.motion.pose_error());
    let per_reach = error.rotation + 2.0 * line.strays.rotation;
    let fixed = line.off
        + error.translation
        + 2.0 * line.strays.translation
        + 64.0 * UNIT * (pose.translation.length() + line.point.length())
        + 8.0 * TINY_LENGTH;
    let mut found = Vec::new();
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        if let Some(children) = side.pieces.children(node) {
            open.extend(children);
            continue;
        }
        let AnyPiece::Triangle(triangle) = side.pieces.piece(node) else { return None };
        if found.len() == MOST_TRIANGLES {
            return None;
        }
        let corners = triangle.corners().map(|corner| {
            let v = pose.apply(corner) - line.point;
            let along = line.axis.dot(v);
            let margin = fixed
                + (per_reach + 64.0 * UNIT) * corner.length()
                + (2.0 * line.tilt + 64.0 * UNIT) * v.length();
            (v - along * line.axis, along, margin * (1.0 + 16.0 * UNIT))
        });
        let margin = largest_upper(corners.map(|(_, _, margin)| margin));
        let out = nearest(corners.map(|(across, ..)| across)).normalize_or_zero();
        let least = smallest_lower(corners.map(|(across, ..)| out.dot(across)));
        let places = corners.map(|(_, along, _)| along);
        found.push(Rectangle {
            low: [least - margin, smallest_lower(places) - margin],
            high: [
                largest_upper(corners.map(|(across, ..)| across.length())) + margin,
                places.into_iter().fold(f64::NEG_INFINITY, upper_max) + margin,
            ],
        });
    }
    Some(found)
}

/// Returns a point near the point of a triangle's edges that is nearest to the origin. It only steers.
fn nearest(corners: [DVec3; 3]) -> DVec3 {
    let on_edge = |k: usize| {
        let (from, along) = (corners[k], corners[(k + 1) % 3] - corners[k]);
        let s = -from.dot(along) / along.length_squared();
        if s > 0.0 { from + along * s.min(1.0) } else { from } // not a bound: steers
    };
    let points = [0, 1, 2].map(on_edge);
    points.into_iter().fold(points[0], |a, b| if b.length_squared() < a.length_squared() { b } else { a })
}

/// Returns true if no rectangle of one list is within a distance of one of the other; false if that takes too much
/// work.
fn lists_are_apart(a: &mut [Rectangle], b: &mut [Rectangle], distance: f64, work: &mut usize) -> bool {
    if a.is_empty() || b.is_empty() {
        return true;
    }
    let Some(left) = work.checked_sub(a.len() + b.len()) else { return false };
    *work = left;
    let (hull_a, hull_b) = (Rectangle::hull(a), Rectangle::hull(b));
    if hull_a.is_apart(&hull_b, distance) {
        return true;
    }
    let [(axis_a, length_a), (axis_b, length_b)] = [hull_a.longest(), hull_b.longest()];
    let halves_a = b.len() == 1 || (a.len() > 1 && length_a >= length_b);
    if halves_a && a.len() > 1 {
        let (low, high) = halves(a, axis_a);
        lists_are_apart(low, b, distance, work) && lists_are_apart(high, b, distance, work)
    } else if b.len() > 1 {
        let (low, high) = halves(b, axis_b);
        lists_are_apart(a, low, distance, work) && lists_are_apart(a, high, distance, work)
    } else {
        false
    }
}

/// Divides a list at the median of the middles along an axis.
fn halves(list: &mut [Rectangle], axis: usize) -> (&mut [Rectangle], &mut [Rectangle]) {
    let middle = list.len() / 2;
    let of = |rectangle: &Rectangle| rectangle.low[axis] + rectangle.high[axis];
    list.select_nth_unstable_by(middle, |x, y| of(x).total_cmp(&of(y)));
    list.split_at_mut(middle)
}

#[cfg(test)]
#[path = "coaxial_tests.rs"]
mod tests;
