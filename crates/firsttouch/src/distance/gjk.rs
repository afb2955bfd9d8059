//! Closest points of two convex solids at rest, by the algorithm of Gilbert, Johnson and Keerthi.
//!
//! 1. The points `a − b` of the two cores form a convex set; its point closest to the origin is the answer.
//! 2. A simplex of support points is kept. Its point `v` closest to the origin gives the next search direction
//!    `−v`; the new support point `w` proves that nothing is closer than `v · w / |v|`.
//! 3. It ends when that proof meets `|v|` within the accuracy asked for, or when a tetrahedron holds the origin.
//! 4. When rounding stops the progress before that, it starts again from the simplex reached, with all differences taken
//!    relative to the closest points. A rounding of the size of the bodies' coordinates is then the same in all of them,
//!    and shifts the simplex where before it bent it: near a contact the simplices of curved solids are tiny. This is
//!    what lets solids a million times larger than the accuracy asked for be told apart. The best direction is kept.
//!
//! Guarantee: none by itself. The points returned lie on the cores up to rounding, so their distance is an upper
//! bound; the lower bound is proven by the caller, who evaluates the separation along [`ClosestPoints::normal`] with
//! [`Convex::extent`]. However badly the search converged, that is a bound.
//!
//! The simplex takes fourth powers of lengths: far from the sizes that bodies usually have, all differences are multiplied by
//! a power of two, so that these neither over- nor underflow.
//!
//! The simplex is kept between calls in body coordinates: in the next instant it is nearly right.
//!
//! Reference: Gilbert, Johnson, Keerthi, *A fast procedure for computing the distance between complex objects in
//! three-dimensional space*, 1988.

use glam::DVec3;

use super::simplex::{closest_to_origin, weights};
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
    /// From the first core to the second; the last good direction when they overlap.
    pub normal: DVec3,
    /// A point of each core, in world coordinates: the closest ones, as far as the search got. When the cores overlap they
    /// are the same point, up to rounding.
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
        let support = |direction: DVec3| -> Support {
            [a.support(pose_a.direction_to_body(direction)), b.support(pose_b.direction_to_body(-direction))]
        };
        let far = 1e-30 * offset.abs().max_element();
        let unit = unit(a.reach().max(b.reach()).max(far));
        if self.count == 0 {
            self.simplex[0] = support(if offset == DVec3::ZERO { DVec3::X } else { -offset });
            self.count = 1;
        }
        // Differences are taken relative to a point of each core, at first the origins of the frames.
        let mut reference = [DVec3::ZERO; 2];
        let mut normal = DVec3::ZERO;
        let mut best_proven = f64::NEG_INFINITY;
        let mut rounds = 0;
        loop {
            let base = if rounds == 0 {
                offset
            } else {
                (pose_a.rotation * reference[0] - pose_b.rotation * reference[1]) + offset
            };
            let difference = |s: &Support| {
                unit * (base
                    + (pose_a.rotation * (s[0] - reference[0]) - pose_b.rotation * (s[1] - reference[1])))
            };
            let mut w = [DVec3::ZERO; 4];
            for (w, support) in w.iter_mut().zip(&self.simplex[..self.count]) {
                *w = difference(support);
            }
            let mut best = f64::INFINITY;
            let stalled = loop {
                let closest = closest_to_origin(&w, self.count, best_proven > 0.0);
                if closest.count == 4 {
                    break false;
                }
                let length_squared = closest.point.length_squared();
                if length_squared >= best {
                    // No progress. The previous simplex is still in its place, followed by the support point that did
                    // not help.
                    self.count -= 1;
                    break true;
                }
                best = length_squared;
                // The points kept are in their old order, so that none is overwritten before it is moved.
                for slot in 0..closest.count {
                    let i = closest.indices[slot];
                    self.simplex[slot] = self.simplex[i];
                    w[slot] = w[i];
                }
                self.count = closest.count;
                let distance = length_squared.sqrt();
                if distance <= f64::MIN_POSITIVE.sqrt() {
                    break false;
                }
                let direction = -closest.point / distance;
                let next = support(direction);
                let reached = difference(&next);
                // The part of the set nearest the origin along the direction is at `-direction · reached`.
                let proven = -direction.dot(reached);
                if proven > best_proven {
                    (best_proven, normal) = (proven, direction);
                }
                if distance - proven <= unit * accuracy(distance / unit) {
                    break false;
                }
                rounds += 1;
                if rounds >= MAX_ITERATIONS || w[..self.count].contains(&reached) {
                    break true;
                }
                self.simplex[self.count] = next;
                w[self.count] = reached;
                self.count += 1;
            };
            let points = self.combined(&weights(&w, self.count));
            if !stalled || rounds >= MAX_ITERATIONS || reference == points {
                if normal == DVec3::ZERO {
                    normal = (-offset).try_normalize().unwrap_or(DVec3::X);
                }
                return ClosestPoints { normal, points: [pose_a.apply(points[0]), pose_b.apply(points[1])] };
            }
            // Each restart counts, so that there are few.
            rounds += MAX_ITERATIONS / 4;
            reference = points;
        }
    }

    /// The points of the two cores that the weights stand for, each in its body's frame.
    fn combined(&self, weights: &[f64; 4]) -> Support {
        let mut points = [DVec3::ZERO; 2];
        for (support, weight) in self.simplex[..self.count].iter().zip(weights) {
            points[0] += support[0] * *weight;
            points[1] += support[1] * *weight;
        }
        points
    }
}

/// A power of two that takes a length to about one; one for the lengths that bodies usually have, and for none at all.
fn unit(length: f64) -> f64 {
    if (1e-40..1e40).contains(&length) || !(1e-200..1e200).contains(&length) {
        return 1.0;
    }
    let exponent = length.to_bits() >> 52;
    f64::from_bits((2046 - exponent) << 52)
}
