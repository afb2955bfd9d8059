//! Closest points of two convex solids at rest, by the algorithm of Gilbert, Johnson and Keerthi.
//!
//! 1. The points `a − b` of the two cores form a convex set; its point closest to the origin is the answer.
//! 2. A simplex of support points is kept. Its point `v` closest to the origin gives the next search direction
//!    `−v`; the new support point `w` proves that nothing is closer than `v · w / |v|`.
//! 3. It ends when that proof meets `|v|` within the accuracy asked for, when rounding stops the progress, or when
//!    a tetrahedron holds the origin.
//!
//! Guarantee: none by itself. The points returned lie on the cores up to rounding, so their distance is an upper
//! bound; the lower bound is proven by the caller, who evaluates the separation along [`Gjk::normal`] with
//! [`Convex::extent`]. However badly the search converged, that is a bound.
//!
//! The simplex is kept between calls in body coordinates: in the next instant it is nearly right. Everything is
//! computed so that swapping the two sides negates every intermediate vector exactly: the answer is then the same, bit
//! for bit.
//!
//! Reference: Gilbert, Johnson, Keerthi, *A fast procedure for computing the distance between complex objects in
//! three-dimensional space*, 1988.

use glam::DVec3;

use super::simplex::closest_to_origin;
use crate::motion::PoseAt;
use crate::shape::Convex;

/// Rounding ends the search long before; this ends it in any case.
const MAX_ITERATIONS: usize = 100;

/// A support point of each core, in its body's frame.
type Support = [DVec3; 2];

/// The search, with the simplex it ended with.
#[derive(Debug, Clone, Default)]
pub struct Gjk {
    simplex: [Support; 4],
    count: usize,
}

/// The closest points found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoints {
    /// The distance of the cores: 0 when they overlap.
    pub distance: f64,
    /// From the first core to the second; the last good direction when they overlap.
    pub normal: DVec3,
    /// The closest point of each core, in world coordinates.
    pub points: [DVec3; 2],
}

impl Gjk {
    /// Finds the closest points of the cores of `a` and `b`; `accuracy(distance)` is how far the distance may be
    /// from the best one when it is found to be `distance`.
    pub fn closest_points(
        &mut self,
        a: &(impl Convex + ?Sized),
        b: &(impl Convex + ?Sized),
        poses: &[PoseAt; 2],
        accuracy: impl Fn(f64) -> f64,
    ) -> ClosestPoints {
        let [pose_a, pose_b] = poses;
        let offset = pose_a.translation - pose_b.translation;
        let difference = |s: &Support| (pose_a.rotation * s[0] - pose_b.rotation * s[1]) + offset;
        let support = |direction: DVec3| -> Support {
            [a.support(pose_a.direction_to_body(direction)), b.support(pose_b.direction_to_body(-direction))]
        };

        if self.count == 0 {
            self.simplex[0] = support(if offset == DVec3::ZERO { DVec3::X } else { -offset });
            self.count = 1;
        }
        let mut w = [DVec3::ZERO; 4];
        for (w, support) in w.iter_mut().zip(&self.simplex[..self.count]) {
            *w = difference(support);
        }
        let mut normal = DVec3::ZERO;
        let mut weights = [1.0, 0.0, 0.0];
        let mut distance = 0.0;
        let mut best = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let Some(closest) = closest_to_origin(&w[..self.count]) else {
                distance = 0.0;
                break;
            };
            let length_squared = closest.point.length_squared();
            if length_squared >= best {
                // No progress: rounding has the last word. The previous simplex is still in its place, followed by
                // the support point that did not help.
                self.count -= 1;
                break;
            }
            best = length_squared;
            let kept = closest.indices;
            let old = (self.simplex, w);
            for (slot, &i) in kept[..closest.count].iter().enumerate() {
                self.simplex[slot] = old.0[i];
                w[slot] = old.1[i];
            }
            self.count = closest.count;
            weights = closest.weights;
            distance = length_squared.sqrt();
            if distance <= f64::MIN_POSITIVE.sqrt() {
                distance = 0.0;
                break;
            }
            normal = -closest.point / distance;
            let next = support(normal);
            let reached = difference(&next);
            // The part of the set nearest the origin along the normal is at `-normal · reached`.
            let proven = -normal.dot(reached);
            if distance - proven <= accuracy(distance) || w[..self.count].contains(&reached) {
                break;
            }
            self.simplex[self.count] = next;
            w[self.count] = reached;
            self.count += 1;
        }
        if normal == DVec3::ZERO {
            normal = (-offset).try_normalize().unwrap_or(DVec3::X);
        }
        let mut points = [DVec3::ZERO; 2];
        for ([on_a, on_b], weight) in self.simplex[..self.count].iter().zip(weights) {
            points[0] += *on_a * weight;
            points[1] += *on_b * weight;
        }
        ClosestPoints { distance, normal, points: [pose_a.apply(points[0]), pose_b.apply(points[1])] }
    }
}
