//! Contacts of a cloth: a normal along which two features must keep a gap, and friction across it.
//!
//! 1. Four weights of sum 0 choose the points of the two features: the weighted sum of the vertices is the vector g
//!    between them.
//! 2. If n·g is below the target, the vertices move along n, each by its weight, until it is not. A contact may undo
//!    its own push when others push, but it never pulls.
//! 3. Across n, the change of g since the start of the step is undone, up to the coefficient of friction times the
//!    push.
//!
//! No guarantee: contacts only make it likely that a motion is free.

use firsttouch::Feature;
use firsttouch::elementary::closest::{segment_segment, vertex_triangle};
use glam::DVec3;

const FRICTION: f64 = 0.6;

/// Four vertices with weights of sum 0: their weighted sum is the vector from the second feature to the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    vertices: [u32; 4],
    weights: [f64; 4],
    normal: DVec3,
    /// The gap to keep along the normal.
    target: f64,
    pushed: f64,
    held: DVec3,
}

impl Contact {
    pub(super) fn new(vertices: [u32; 4], weights: [f64; 4], normal: DVec3, target: f64) -> Contact {
        Contact { vertices, weights, normal, target, pushed: 0.0, held: DVec3::ZERO }
    }
}

/// Does one round over the contacts: apart along the normal, and held back across it as far as friction allows. Only
/// the first `movable` vertices move.
pub(super) fn push(contacts: &mut [Contact], movable: usize, start: &[DVec3], end: &mut [DVec3]) {
    for contact in contacts {
        let Contact { vertices, weights, normal, target, .. } = *contact;
        let ids = vertices.map(|v| v as usize);
        let mobility: [f64; 4] =
            std::array::from_fn(|i| if (vertices[i] as usize) < movable { weights[i] } else { 0.0 });
        let total: f64 = mobility.iter().zip(weights).map(|(m, w)| m * w).sum();
        if total <= 0.0 {
            continue;
        }
        let gap: DVec3 = (0..4).map(|i| end[ids[i]] * weights[i]).sum();
        let before: DVec3 = (0..4).map(|i| start[ids[i]] * weights[i]).sum();
        let push = (target - normal.dot(gap)).max(-contact.pushed);
        contact.pushed += push;
        let slip = (gap - before) - normal * normal.dot(gap - before);
        let held = (contact.held - slip).clamp_length_max(FRICTION * contact.pushed);
        let shift = (normal * push + held - contact.held) / total;
        contact.held = held;
        for i in 0..4 {
            end[ids[i]] += shift * mobility[i];
        }
    }
}

/// The weights of the closest points: positive on the first feature, negative on the second.
pub(super) fn weights(features: [Feature; 2], [a, b, c, d]: [DVec3; 4]) -> [f64; 4] {
    if let Feature::Vertex(_) = features[0] {
        let [u, v, w] = vertex_triangle(a, [b, c, d]).parameters;
        [1.0, -u, -v, -w]
    } else {
        let [s, r, _] = segment_segment([a, b], [c, d]).parameters;
        [1.0 - s, s, r - 1.0, -r]
    }
}
