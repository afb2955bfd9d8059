//! Two triangles whose corners move linearly, decided exactly by the elementary tests.
//!
//! 1. At time 0 they have a common point if an edge of one intersects the other: they touch at the start.
//! 2. If not, the first common point is one of a vertex and a face or of two edges: at most 15 tests, each over the
//!    part of the window that the earlier ones left. Loose edges and points are triangles with repeated corners; only
//!    one of their sides is used.
//!
//! With a `min_separation` the elementary tests decide within the tolerance, and may be undecided.
//!
//! Reference: Tang, Kim, Manocha 2010, Sec. IV.

use glam::DVec3;

use crate::advancement::{Limits, PieceTouch, Separation, Verdict};
use crate::answer::Feature;
use crate::elementary::contact::{Placed, place};
use crate::elementary::crossing::common_point;
use crate::elementary::{self, Contact, EdgeEdge, VertexFace};
use crate::numerics::bound::lower_or_zero;
use crate::numerics::predicates::segment_triangle_touch;
use crate::pair::piece::MovingTriangle;

/// The touch of two moving triangles, and the features that touch: vertices and faces by the indices of the mesh,
/// edges as those of [`Triangle`](crate::shape::Triangle).
type FeatureTouch = (PieceTouch, [Feature; 2]);

/// Returns the first touch of `a` and `b` within the limits. The two must not touch before `t_start`.
pub(super) fn first_touch(a: &MovingTriangle, b: &MovingTriangle, limits: &Limits) -> Verdict<FeatureTouch> {
    if limits.t_start == 0.0
        && let Some(found) = crossing(a, b)
    {
        return Verdict::Touch(found);
    }
    let wanted = limits.min_separation + limits.tolerance;
    let mut params = *limits;
    let mut best = Verdict::Free;
    let mut take = |params: &mut Limits,
                    outcome: Verdict<Contact>,
                    found: &dyn Fn(&Contact) -> FeatureTouch| match outcome {
        Verdict::Free => {}
        Verdict::Touch(contact) => {
            params.t_end = lower_or_zero(contact.toi.next_down());
            best = Verdict::Touch(found(&contact));
        }
        // A touch at the start is the earliest possible.
        Verdict::Undecided { .. } if matches!(best, Verdict::Touch((touch, _)) if touch.t == 0.0) => {}
        Verdict::Undecided { free_until } => {
            params.t_end = lower_or_zero(free_until.next_down());
            best = Verdict::Undecided { free_until };
        }
    };
    for (swapped, one, other) in [(false, a, b), (true, b, a)] {
        let ([start, end], [f, g]) = (one.ends(), other.ends());
        for (k, (&from, &to)) in start.iter().zip(&end).enumerate().take(distinct(one)) {
            let query = VertexFace { t0: [from, f[0], f[1], f[2]], t1: [to, g[0], g[1], g[2]] };
            let outcome = elementary::vertex_face(&query, &params).outcome;
            take(&mut params, outcome, &|contact| {
                let features = [Feature::Vertex(one.ids()[k]), Feature::Face(index(other))];
                found(contact, place(&query, contact.toi, contact.parameters, wanted), features, swapped)
            });
        }
    }
    let (ends_a, ends_b) = (a.ends(), b.ends());
    for (i, [p, q]) in sides(a).iter().enumerate() {
        for (j, [r, s]) in sides(b).iter().enumerate() {
            let at = |end: usize| [ends_a[end][*p], ends_a[end][*q], ends_b[end][*r], ends_b[end][*s]];
            let query = EdgeEdge { t0: at(0), t1: at(1) };
            let outcome = elementary::edge_edge(&query, &params).outcome;
            take(&mut params, outcome, &|contact| {
                let features =
                    [Feature::Edge(3 * index(a) + i as u32), Feature::Edge(3 * index(b) + j as u32)];
                found(contact, place(&query, contact.toi, contact.parameters, wanted), features, false)
            });
        }
    }
    best
}

/// Step 1 of the header.
fn crossing(a: &MovingTriangle, b: &MovingTriangle) -> Option<FeatureTouch> {
    for (swapped, one, other) in [(false, a, b), (true, b, a)] {
        let ([edges, _], [face, _]) = (one.ends(), other.ends());
        for (i, side) in sides(one).iter().enumerate() {
            let [p, q] = side.map(|k| edges[k]);
            if segment_triangle_touch([p, q], face) {
                let point = common_point([p, q], face);
                let normal = (face[1] - face[0]).cross(face[2] - face[0]).try_normalize();
                let contact = Contact {
                    toi: 0.0,
                    toi_upper: 0.0,
                    point,
                    parameters: [0.0; 3],
                    normal: normal.unwrap_or(DVec3::Z),
                };
                let features = [Feature::Edge(3 * index(one) + i as u32), Feature::Face(index(other))];
                // They have an exact common point.
                return Some(found(&contact, Placed { points: [point; 2], gap: 0.0 }, features, swapped));
            }
        }
    }
    None
}

fn found(contact: &Contact, placed: Placed, features: [Feature; 2], swapped: bool) -> FeatureTouch {
    let Placed { points, gap } = placed;
    let mut separation = Separation { lower: 0.0, upper: gap, normal: contact.normal, points };
    let mut features = features;
    if swapped {
        separation.points.swap(0, 1);
        separation.normal = -separation.normal;
        features.swap(0, 1);
    }
    (PieceTouch { t: contact.toi, separation }, features)
}

fn index(triangle: &MovingTriangle) -> u32 {
    use crate::pair::piece::Piece;
    triangle.solid().index()
}

/// Returns the number of corners, counted from the first, that include all distinct ones: one of a loose point, two of
/// a loose edge. A triangle whose corners are repeated in another order keeps all three.
fn distinct(triangle: &MovingTriangle) -> usize {
    match triangle.ids() {
        [a, b, c] if a == b && b == c => 1,
        [_, b, c] if b == c => 2,
        _ => 3,
    }
}

/// Returns the sides, as pairs of corners; only the first for a loose edge or point.
fn sides(triangle: &MovingTriangle) -> &'static [[usize; 2]] {
    if distinct(triangle) == 3 { &[[0, 1], [1, 2], [2, 0]] } else { &[[0, 1]] }
}

#[cfg(test)]
#[path = "deforming_pair_tests.rs"]
mod tests;
