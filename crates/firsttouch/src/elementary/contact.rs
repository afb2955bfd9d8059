//! What is said about a touch: points, parameters and normal at the reported time.
//!
//! The problem: a contact point, feasible parameters and a finite unit normal for every touch, however degenerate.
//!
//! 1. Positions at `toi` in `f64`, and the closest points of the two features there.
//! 2. The normal of the plane of the touch, from directions scaled to unit size first, so that nothing over- or underflows.
//! 3. Its direction: from the first feature to the second, see [`super::Contact::normal`].
//!
//! Guarantee: parameters lie in their range, the normal is finite and of unit length. Points are rounded positions; the
//! decision and the time do not depend on them.

use glam::DVec3;

use crate::numerics::located::Bracket;

use super::Contact;
use super::closest::{Closest, segment_segment, vertex_triangle};
use super::pair::Pair;

/// Two unit directions whose cross product is shorter than this are taken as parallel: it is then mostly rounding.
const PARALLEL: f64 = 1e-14;

/// Everything about a touch whose first time lies in the bracket.
pub(crate) fn describe<P: Pair>(q: &P, bracket: Bracket) -> Contact {
    let toi = bracket.lo;
    let p = positions(q, toi);
    let touching = closest_points::<P>(&p);
    let (directions, weights) = if P::SPLIT == 1 {
        let [w0, w1, w2] = touching.parameters;
        ([p[2] - p[1], p[3] - p[1], p[3] - p[2]], [1.0, -w0, -w1, -w2])
    } else {
        let [s, r, _] = touching.parameters;
        ([p[1] - p[0], p[3] - p[2], DVec3::ZERO], [1.0 - s, s, r - 1.0, -r])
    };
    // First touching point less second, as a fixed combination of the four points: its velocity and its start.
    let combine = |points: [DVec3; 4]| {
        points[0] * weights[0] + points[1] * weights[1] + points[2] * weights[2] + points[3] * weights[3]
    };
    let (t0, t1) = (q.t0(), q.t1());
    let velocity = combine([0, 1, 2, 3].map(|i| t1[i] - t0[i]));
    // Relative to one of the points, so that a far offset does not drown the difference.
    let start = combine([0, 1, 2, 3].map(|i| t0[i] - t0[3]));
    let point = touching.a + (touching.b - touching.a) * 0.5;
    Contact {
        toi,
        toi_upper: bracket.hi,
        point,
        parameters: touching.parameters,
        normal: normal(directions, velocity, start),
    }
}

/// The four points at time `t`.
#[inline]
pub(crate) fn positions<P: Pair>(q: &P, t: f64) -> [DVec3; 4] {
    let (t0, t1) = (q.t0(), q.t1());
    [0, 1, 2, 3].map(|i| if t == 1.0 { t1[i] } else { t0[i] + (t1[i] - t0[i]) * t })
}

/// The closest points of the two features.
#[inline]
pub(crate) fn closest_points<P: Pair>(p: &[DVec3; 4]) -> Closest {
    if P::SPLIT == 1 {
        vertex_triangle(p[0], [p[1], p[2], p[3]])
    } else {
        segment_segment([p[0], p[1]], [p[2], p[3]])
    }
}

fn normal(directions: [DVec3; 3], velocity: DVec3, start: DVec3) -> DVec3 {
    let edges = directions.map(unit);
    let plane = unit_above(edges[0].cross(edges[1]), PARALLEL)
        .or_else(|| unit_above(edges[0].cross(edges[2]), PARALLEL))
        .or_else(|| unit_above(edges[1].cross(edges[2]), PARALLEL));
    if let Some(n) = plane {
        let along = n.dot(unit(velocity));
        let ahead = if along.abs() > PARALLEL { along } else { -n.dot(start) };
        return if ahead < 0.0 { -n } else { n };
    }
    let speed = unit(velocity);
    let mut longest = 0;
    for i in 1..3 {
        if directions[i].abs().max_element() > directions[longest].abs().max_element() {
            longest = i;
        }
    }
    let edge = edges[longest];
    if edge != DVec3::ZERO {
        return unit_above(speed - edge * edge.dot(speed), PARALLEL)
            .unwrap_or_else(|| edge.any_orthonormal_vector());
    }
    if speed != DVec3::ZERO { speed } else { DVec3::Z }
}

/// The direction of `v`; zero if `v` is zero or not finite.
fn unit(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        // Subnormal components have an infinite reciprocal: divide instead.
        let scaled = v / largest;
        scaled / scaled.length()
    } else {
        DVec3::ZERO
    }
}

fn unit_above(v: DVec3, least: f64) -> Option<DVec3> {
    let length = v.length();
    (length > least).then(|| v / length)
}
